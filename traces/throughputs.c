/* throughputs.c - measured throughputs of Gavel and Shockwave: one JSON document, no jobs.
 *
 *     {GPU type: {"('<job type>', <scale>)": {"null": steps/s alone, "('<other>', <scale>)": [own steps/s, the other's steps/s]}}}
 *
 * Keys are Python tuples as text. GPU types with `_unconsolidated` are GPUs spread over servers. [0, 0] = the two do not fit together; 0
 * alone = the job cannot run on that type. gavel.c divides steps by these rates.
 * Invariant: figures are exact sums of the decimals as written (12 places). Source: gavel.c. */
#include "traces/decimal.h"
#include "traces/reader.h"

#include <string.h>

#include "sim/base/banned.h"

#define PLACES 12

static int guess(const struct gs_probe *p)
{
    const char *s = p->text + strspn(p->text, " \t\r\n");
    return *s == '{' && strstr(s, "\"('") && strstr(s, "\"null\"");
}

struct sums {
    int64_t job_types, pairs, zero;
    gs_i128 alone; /* x 10^PLACES */
};

static enum gs_rc add_type(struct gs_scan *s, const char *name, const json_t *entry, struct sums *t)
{
    char buf[64];
    const char *text = gs_json_text(entry, "null", buf, sizeof buf);
    int64_t rate = 0;
    t->job_types++;
    t->pairs += (int64_t)json_object_size(entry);
    if (!*text)
        return GS_OK;
    if (gs_decimal_read(text, PLACES, &rate) > GS_DECIMAL_INEXACT)
        return gs_fail(s->err, GS_E_INPUT, "%s: %.200s: 'null' is '%.40s', expected steps/s",
                       s->in->shown, name, text);
    t->pairs--;
    t->zero += rate == 0;
    t->alone += rate;
    return GS_OK;
}

static void show(struct gs_info *f, const char *gpu, const struct sums *t)
{
    struct gs_buf name = {0};
    const gs_i128 unit = 1000000000; /* 10^(PLACES - 3) */
    const gs_i128 twice = 2 * (t->alone % unit);
    const gs_i128 whole = t->alone / unit;
    gs_buf_fmt(&name, "%s_jobtypes", gpu);
    gs_info_int(f, gs_buf_cstr(&name), t->job_types);
    gs_buf_clear(&name);
    gs_buf_fmt(&name, "%s_isolated_sum", gpu);
    gs_info_decimal(f, gs_buf_cstr(&name),
                    whole + (twice > unit || (twice == unit && whole % 2 != 0)), 3);
    gs_buf_clear(&name);
    gs_buf_fmt(&name, "%s_pairs", gpu);
    gs_info_int(f, gs_buf_cstr(&name), t->pairs);
    gs_buf_free(&name);
}

static enum gs_rc scan_gpu(struct gs_scan *s, const char *gpu, json_t *of_gpu)
{
    struct sums t = {0};
    const char *key = NULL;
    json_t *entry = NULL;
    json_object_foreach(of_gpu, key, entry)
    {
        const enum gs_rc rc = add_type(s, key, entry, &t);
        if (rc != GS_OK)
            return rc;
    }
    s->n->rows += (uint64_t)t.job_types;
    s->n->emitted += (uint64_t)t.job_types;
    if (s->info)
        show(s->info, gpu, &t);
    return GS_OK;
}

static enum gs_rc scan(struct gs_scan *s)
{
    json_t *document = NULL;
    enum gs_rc rc = gs_json_document(s->in, &document, s->err);
    if (rc == GS_OK && !json_is_object(document))
        rc = gs_fail(s->err, GS_E_INPUT, "%s: expected an object of GPU types", s->in->shown);
    const char *gpu = NULL;
    json_t *of_gpu = NULL;
    if (rc == GS_OK) {
        json_object_foreach(document, gpu, of_gpu)
        {
            rc = scan_gpu(s, gpu, of_gpu);
            if (rc != GS_OK)
                break;
        }
    }
    json_decref(document);
    return rc;
}

const struct gs_reader gs_reader_throughputs = {
    .name = "throughputs",
    .what = "Gavel and Shockwave: measured throughputs (JSON)",
    .units = "steps/s by GPU type, job type and scale",
    .flags = GS_READER_NO_RECORDS,
    .guess = guess,
    .scan = scan,
};

/* reader.c - what all trace readers share: fields with their faults, counts, the gang rule.
 *
 * Rule for faults: the message is complete where the fault is found, because only there are line, column and value at hand;
 * whether it ends the read is decided in one place, gs_row_end. A skipped row has exactly one reason, so that
 * rows = emitted + skipped always holds. */
#include "traces/reader.h"

#include "sim/base/units.h"
#include "traces/decimal.h"

#include <string.h>

#include "sim/base/banned.h"

#define HINT "skip bad rows with --bad-rows=skip"

int gs_is_null(const char *s)
{
    static const char *const nulls[] = {"", "None", "NULL", "NA", "nan", "NaN", "null"};
    for (size_t i = 0; i < sizeof nulls / sizeof nulls[0]; i++) {
        if (strcmp(s, nulls[i]) == 0)
            return 1;
    }
    return 0;
}

enum gs_rc gs_row_bad(struct gs_row *r, const char *why, const char *column, const char *value,
                      const char *text)
{
    r->why = why;
    return gs_fail(r->err, GS_E_INPUT, "%s:%lld: column '%s': '%.200s' %s (" HINT ")", r->in->shown,
                   (long long)r->line, column, value, text);
}

static enum gs_rc too_big(struct gs_row *r, const char *column, const char *s, int scale,
                          int64_t max)
{
    struct gs_buf text = {0};
    gs_buf_str(&text, "is absurd: over ");
    gs_decimal_add(&text, max, scale);
    const enum gs_rc rc = gs_row_bad(r, "absurdly large number", column, s, gs_buf_cstr(&text));
    gs_buf_free(&text);
    return rc;
}

enum gs_rc gs_row_scaled(struct gs_row *r, const char *column, const char *s, int scale,
                         int64_t max, int64_t *out)
{
    int64_t x = 0;
    const enum gs_decimal rc = gs_decimal_read(s, scale, &x);
    if (rc == GS_DECIMAL_NOT_A_NUMBER)
        return gs_row_bad(r, "not a number", column, s,
                          *s ? "is not a number" : "is empty, expected a number");
    if (*s == '-' && (rc == GS_DECIMAL_TOO_BIG || x != 0))
        return gs_row_bad(r, "negative number", column, s, "is negative");
    if (rc == GS_DECIMAL_TOO_BIG || x > max)
        return too_big(r, column, s, scale, max);
    *out = x;
    return GS_OK;
}

enum gs_rc gs_row_int(struct gs_row *r, const char *column, const char *s, int64_t max,
                      int64_t *out)
{
    int64_t x = 0;
    if (gs_decimal_read(s, 0, &x) == GS_DECIMAL_INEXACT)
        return gs_row_bad(r, "not a whole number", column, s, "is not a whole number");
    return gs_row_scaled(r, column, s, 0, max, out);
}

enum gs_rc gs_row_seconds(struct gs_row *r, const char *column, const char *s, int64_t *out_ns)
{
    int64_t x = 0;
    const enum gs_decimal rc = gs_decimal_read(s, 9, &x);
    if (*s != '-' &&
        (rc == GS_DECIMAL_TOO_BIG || (rc <= GS_DECIMAL_INEXACT && x > GS_TRACE_TIME_MAX)))
        return gs_row_bad(r, "absurdly large number", column, s,
                          "seconds is absurd: over 100 years");
    return gs_row_scaled(r, column, s, 9, GS_TRACE_TIME_MAX, out_ns);
}

enum gs_rc gs_row_clock(struct gs_row *r, const char *column, const char *s, int32_t offset_s,
                        int64_t *out_unix_ns)
{
    struct gs_err why;
    if (gs_parse_clock(s, offset_s, out_unix_ns, &why) != GS_OK) {
        r->why = "not a wall clock time";
        return gs_fail(r->err, GS_E_INPUT, "%s:%lld: column '%s': %s (" HINT ")", r->in->shown,
                       (long long)r->line, column, why.msg);
    }
    if (*out_unix_ns < 0 || *out_unix_ns > GS_TRACE_TIME_MAX)
        return gs_row_bad(r, "absurd date", column, s, "is absurd: not within 100 years of 1970");
    return GS_OK;
}

enum gs_rc gs_row_width(struct gs_row *r, const struct gs_csv *c)
{
    const size_t found = gs_csv_fields(c);
    if (found == gs_csv_columns(c))
        return GS_OK;
    r->why = "wrong number of fields";
    return gs_fail(r->err, GS_E_INPUT, "%s:%lld: %zu fields, the header has %zu (" HINT ")",
                   r->in->shown, (long long)r->line, found, gs_csv_columns(c));
}

enum gs_rc gs_row_end(struct gs_row *r, enum gs_rc rc)
{
    if (rc != GS_E_INPUT || r->bad_rows != GS_BAD_ROWS_SKIP)
        return rc;
    gs_count_skip(r->n, r->why ? r->why : "bad row");
    r->why = NULL;
    if (r->err)
        *r->err = (struct gs_err){0};
    return GS_OK;
}

void gs_count_skip(struct gs_trace_counts *n, const char *reason)
{
    n->skipped++;
    for (uint32_t i = 0; i < n->nwhy; i++) {
        if (strcmp(n->why[i].reason, reason) == 0) {
            n->why[i].n++;
            return;
        }
    }
    if (n->nwhy == GS_TRACE_REASONS_MAX) { /* the last one collects the rest */
        n->why[n->nwhy - 1].reason = "other reasons";
        n->why[n->nwhy - 1].n++;
        return;
    }
    n->why[n->nwhy].reason = reason;
    n->why[n->nwhy++].n = 1;
}

void gs_count_assume(struct gs_trace_counts *n, const char *what, uint64_t times)
{
    if (times == 0)
        return;
    for (uint32_t i = 0; i < n->nassumed; i++) {
        if (strcmp(n->assumed[i].what, what) == 0) {
            n->assumed[i].n += times;
            return;
        }
    }
    if (n->nassumed == GS_TRACE_REASONS_MAX) {
        n->assumed[n->nassumed - 1].what = "other assumptions";
        n->assumed[n->nassumed - 1].n += times;
        return;
    }
    n->assumed[n->nassumed].what = what;
    n->assumed[n->nassumed++].n = times;
}

void gs_read_emit(struct gs_read *rd, const struct gs_job *j)
{
    gs_vec_push(&rd->w->jobs, *j);
    rd->n->emitted++;
}

enum gs_rc gs_read_unique(struct gs_read *rd, struct gs_row *r, const char *column, uint32_t name)
{
    while (rd->name_line.n <= name)
        gs_vec_push(&rd->name_line, 0);
    const int64_t before = rd->name_line.v[name];
    rd->name_line.v[name] = before ? before : r->line;
    if (name == 0 || before == 0)
        return GS_OK;
    rd->n->duplicates++;
    struct gs_buf text = {0};
    gs_buf_fmt(&text, "stands already in line %lld", (long long)before);
    const enum gs_rc rc =
        gs_row_bad(r, "duplicate id", column, gs_intern_str(rd->w->str, name), gs_buf_cstr(&text));
    gs_buf_free(&text);
    return rc;
}

struct gs_job gs_read_job(const struct gs_read *rd, int64_t line)
{
    return (struct gs_job){.user = 0,
                           .priority = rd->o->priority,
                           .kind = GS_KIND_BATCH,
                           .est_source = GS_EST_NONE,
                           .end_state = GS_END_UNKNOWN,
                           .source = rd->source,
                           .est_ns = -1,
                           .tasks = 1,
                           .share_milli = 1000,
                           .row = line};
}

void gs_read_split(const struct gs_read *rd, struct gs_job *j)
{
    const uint32_t most = rd->o->task_gpus;
    j->task_gpus = most && j->gpus > most ? most : j->gpus;
    j->tasks = j->task_gpus ? (j->gpus + j->task_gpus - 1) / j->task_gpus : 1;
    j->cpus_milli = rd->o->cpus_per_gpu_milli * j->task_gpus;
    j->mem_mib = rd->o->mem_per_gpu_mib * j->task_gpus;
}

/* trace.c - from a file to job records: which reader, then what all formats have in common.
 *
 * A reader emits jobs in file order, with submit times on the file's own clock and queue and user as strings. When it is done,
 * this file (1) counts rows that are earlier than the row before, and exact repeats where the format has no ids, (2) shifts
 * times so that the earliest job stands at 0, (3) drops what from, to and first exclude, and (4) turns queue and user names
 * into indexes, in file order of the jobs that stay, so that a tenant without a job does not exist. The jobs stay in file
 * order: gs_workload_seal sorts them, stably.
 *
 * With `from`, time zero is `from` itself, not the first job behind it: the window keeps its own clock.
 * Invariant: rows = emitted + skipped. Cost: O(n log n) with `first`, else O(n). */
#include "traces/trace.h"

#include "sim/base/map.h"
#include "sim/base/sort.h"
#include "sim/base/units.h"
#include "traces/reader.h"

#include <string.h>

#include "sim/base/banned.h"

/* In the order in which they are tried; swf last, because it is told by its looks, not by a header. */
static const struct gs_reader *const readers[] = {&gs_reader_gsim, &gs_reader_openb,
                                                  &gs_reader_philly, &gs_reader_swf};

enum {
    READERS = sizeof readers / sizeof readers[0]
};

void gs_trace_options_init(struct gs_trace_options *o)
{
    *o = (struct gs_trace_options){.zone_offset_s = GS_NO_ZONE,
                                   .from_ns = GS_NEVER,
                                   .to_ns = GS_NEVER,
                                   .task_gpus = 8,
                                   .task_procs = 1,
                                   .keep_gpu_spec = 1};
}

const struct gs_trace_format *gs_trace_formats(void)
{
    static const struct gs_trace_format formats[READERS + 1] = {
        {"gsim", "gsim's own CSV: submit, duration, gpus and more (traces/README.md)", 1},
        {"openb", "Alibaba GPU cluster 2023: pod lists; as an inventory, node lists", 0},
        {"philly", "Microsoft Philly 2017, the job list: timestamp, duration, num_gpus, cluster",
         0},
        {"swf", "Standard Workload Format 2.2", 1},
        {0},
    };
    return formats;
}

static enum gs_rc by_name(const char *name, const struct gs_reader **out, struct gs_err *err)
{
    const char *names[READERS];
    struct gs_buf known = {0};
    for (size_t i = 0; i < READERS; i++) {
        names[i] = readers[i]->name;
        gs_buf_fmt(&known, "%s%s", i ? ", " : "", names[i]);
        if (strcmp(name, names[i]) == 0)
            *out = readers[i];
    }
    enum gs_rc rc = GS_OK;
    if (!*out) {
        const char *near = gs_nearest(name, names, READERS);
        rc = gs_fail(err, GS_E_INPUT, "'%s' is not a trace format (known: %s)%s%s%s", name,
                     gs_buf_cstr(&known), near ? "; did you mean '" : "", near ? near : "",
                     near ? "'?" : "");
    }
    gs_buf_free(&known);
    return rc;
}

/* Reads the first line as a CSV header and asks each format whether this is its file. */
static enum gs_rc by_content(const struct gs_input *in, const struct gs_reader **out,
                             struct gs_err *err)
{
    struct gs_csv head;
    const enum gs_rc csv = gs_csv_open(&head, in, err);
    for (size_t i = 0; i < READERS && !*out; i++) {
        if (readers[i]->guess(in, csv == GS_OK ? &head : NULL))
            *out = readers[i];
    }
    gs_csv_close(&head);
    if (*out) {
        if (err)
            *err = (struct gs_err){0};
        return GS_OK;
    }
    if (csv != GS_OK)
        return csv;
    return gs_fail(
        err, GS_E_INPUT,
        "%s: this is none of the known formats (gsim, openb, philly: by the names in a CSV "
        "header; swf: lines of 18 numbers); say which with format = NAME",
        in->shown);
}

enum gs_rc gs_reader_find(const char *format, const struct gs_input *in,
                          const struct gs_reader **out, struct gs_err *err)
{
    *out = NULL;
    return format ? by_name(format, out, err) : by_content(in, out, err);
}

/* ---- After the reader -------------------------------------------------------------------------- */

static int same_job(const void *ctx, uint32_t id, const void *key)
{
    const struct gs_read *rd = ctx;
    const struct gs_job *a = &rd->w->jobs.v[id];
    const struct gs_job *b = key;
    return a->submit_ns == b->submit_ns && a->run_ns == b->run_ns && a->gpus == b->gpus &&
           a->queue == b->queue && a->user == b->user && a->share_milli == b->share_milli;
}

static void count_repeats(struct gs_read *rd)
{
    struct gs_map seen = {0};
    for (size_t i = rd->first_job; i < rd->w->jobs.n; i++) {
        const struct gs_job *j = &rd->w->jobs.v[i];
        uint64_t h = gs_hash_mix((uint64_t)j->submit_ns, (uint64_t)j->run_ns);
        h = gs_hash_mix(h, (uint64_t)j->gpus << 32 | j->queue);
        if (gs_map_find(&seen, h, same_job, rd, j) == GS_NONE)
            gs_map_add(&seen, h, (uint32_t)i);
        else
            rd->n->duplicates++;
    }
    gs_map_release(&seen);
}

/* Makes the earliest submit 0 and says where that is on the wall clock. */
static enum gs_rc rebase(struct gs_read *rd)
{
    struct gs_job *v = rd->w->jobs.v;
    const size_t n = rd->w->jobs.n;
    int64_t earliest = GS_NEVER;
    int64_t latest = 0;
    for (size_t i = rd->first_job; i < n; i++) {
        rd->n->out_of_order += i > rd->first_job && v[i].submit_ns < v[i - 1].submit_ns;
        earliest = v[i].submit_ns < earliest ? v[i].submit_ns : earliest;
        latest = v[i].submit_ns > latest ? v[i].submit_ns : latest;
    }
    if (earliest == GS_NEVER)
        return gs_fail(rd->err, GS_E_INPUT, "%s: no job left (%llu rows read, %llu skipped%s%s)",
                       rd->in->shown, (unsigned long long)rd->n->rows,
                       (unsigned long long)rd->n->skipped, rd->n->nwhy ? ": " : "",
                       rd->n->nwhy ? rd->n->why[0].reason : "");
    gs_verify(latest - earliest <= GS_TRACE_TIME_MAX);
    const int64_t window = rd->o->from_ns == GS_NEVER ? 0 : rd->o->from_ns;
    if (rd->n->origin_unix_ns != GS_NEVER)
        rd->n->origin_unix_ns += earliest + window;
    for (size_t i = rd->first_job; i < n; i++)
        v[i].submit_ns -= earliest;
    return GS_OK;
}

struct order_key {
    int64_t submit_ns;
    size_t place;
};

static int by_submit(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    const struct order_key *x = a;
    const struct order_key *y = b;
    return x->submit_ns < y->submit_ns ? -1 : x->submit_ns > y->submit_ns;
}

/* The last of the first `o->first` jobs inside the window, in order of (submit, row): jobs behind it go. */
static struct order_key last_kept(const struct gs_read *rd)
{
    const struct gs_trace_options *o = rd->o;
    struct order_key last = {GS_NEVER, SIZE_MAX};
    if (o->first <= 0)
        return last;
    GS_VEC(struct order_key) keys = {0};
    for (size_t i = rd->first_job; i < rd->w->jobs.n; i++) {
        const int64_t t = rd->w->jobs.v[i].submit_ns;
        if ((o->from_ns == GS_NEVER || t >= o->from_ns) && t < o->to_ns)
            gs_vec_push(&keys, (struct order_key){t, i});
    }
    gs_sort(keys.v, keys.n, sizeof *keys.v, by_submit,
            NULL); /* stable: equal times in file order */
    if ((uint64_t)o->first < keys.n)
        last = keys.v[o->first - 1];
    gs_vec_free(&keys);
    return last;
}

static const char *left_out(const struct gs_read *rd, size_t i, const struct order_key *last)
{
    const struct gs_trace_options *o = rd->o;
    const int64_t t = rd->w->jobs.v[i].submit_ns;
    if (o->from_ns != GS_NEVER && t < o->from_ns)
        return "before 'from'";
    if (t >= o->to_ns)
        return "at or after 'to'";
    if (t > last->submit_ns || (t == last->submit_ns && i > last->place))
        return "beyond the 'first' jobs asked for";
    return NULL;
}

/* Drops what from, to and first exclude; names become indexes. */
static enum gs_rc settle(struct gs_read *rd)
{
    struct gs_workload *w = rd->w;
    const struct order_key last = last_kept(rd);
    const int64_t window = rd->o->from_ns == GS_NEVER ? 0 : rd->o->from_ns;
    const char *fallback = rd->o->queue ? rd->o->queue : "default";
    size_t kept = rd->first_job;
    for (size_t i = rd->first_job; i < w->jobs.n; i++) {
        const char *reason = left_out(rd, i, &last);
        if (reason) {
            rd->n->emitted--;
            gs_count_skip(rd->n, reason);
            continue;
        }
        struct gs_job j = w->jobs.v[i];
        j.submit_ns -= window;
        j.queue = gs_workload_queue(w, j.queue ? gs_intern_str(w->str, j.queue) : fallback);
        j.user = gs_workload_user(w, gs_intern_str(w->str, j.user));
        w->jobs.v[kept++] = j;
    }
    w->jobs.n = kept;
    if (kept > rd->first_job)
        return GS_OK;
    return gs_fail(rd->err, GS_E_INPUT, "%s: no job between 'from' and 'to'", rd->in->shown);
}

static enum gs_rc read_all(struct gs_read *rd)
{
    const struct gs_reader *reader = NULL;
    enum gs_rc rc = gs_reader_find(rd->o->format, rd->in, &reader, rd->err);
    if (rc != GS_OK)
        return rc;
    (void)gs_fmt(rd->n->format, sizeof rd->n->format, "%s", reader->name);
    rc = reader->read(rd);
    if (rc != GS_OK)
        return rc;
    if (!reader->has_ids)
        count_repeats(rd);
    rc = rebase(rd);
    if (rc == GS_OK)
        rc = settle(rd);
    gs_verify(rc != GS_OK || rd->n->rows == rd->n->emitted + rd->n->skipped);
    return rc;
}

enum gs_rc gs_trace_read_input(struct gs_workload *w, uint16_t source,
                               const struct gs_trace_options *o, const struct gs_input *in,
                               struct gs_trace_counts *n, struct gs_err *err)
{
    *n = (struct gs_trace_counts){.bytes = in->stored, .origin_unix_ns = GS_NEVER};
    memcpy(n->digest, in->digest, sizeof n->digest);
    struct gs_read rd = {
        .w = w, .first_job = w->jobs.n, .source = source, .o = o, .n = n, .in = in, .err = err};
    const enum gs_rc rc = read_all(&rd);
    if (rc != GS_OK)
        w->jobs.n = rd.first_job;
    gs_vec_free(&rd.name_line);
    return rc;
}

enum gs_rc gs_trace_read(struct gs_workload *w, uint16_t source, const struct gs_trace_options *o,
                         struct gs_trace_counts *n, struct gs_err *err)
{
    gs_require(w && o && n && o->path);
    *n = (struct gs_trace_counts){.origin_unix_ns = GS_NEVER};
    struct gs_input in;
    enum gs_rc rc = gs_input_read(&in, o->path, o->shown, err);
    if (rc == GS_OK)
        rc = gs_trace_read_input(w, source, o, &in, n, err);
    gs_input_release(&in);
    return rc;
}

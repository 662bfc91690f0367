/* trace.c - from a file to job records: which reader, then what all formats have in common.
 *
 * A reader gives records in file order, with submit times on the file's own clock and queue and user as strings. Here they are
 * copied into the workload; when the file ends, this file (1) counts exact repeats where the format has no ids, (2) shifts
 * times so that the earliest job stands at 0, (3) drops what from, to and first exclude, and (4) turns queue and user names
 * into indexes, in file order of the jobs that stay, so that a tenant without a job does not exist. The jobs stay in file
 * order: gs_workload_seal sorts them, stably.
 *
 * With `from`, time zero is `from` itself, not the first job behind it: the window keeps its own clock.
 * Invariant: rows = emitted + skipped. Cost: O(n log n) with `first`, else O(n). */
#include "traces/trace.h"

#include "sim/base/buf.h"
#include "sim/base/map.h"
#include "sim/base/sort.h"
#include "sim/base/units.h"
#include "traces/formats.h"
#include "traces/reader.h"
#include "traces/table.h"

#include <string.h>

#include "sim/base/banned.h"

void gs_trace_options_init(struct gs_trace_options *o)
{
    *o = (struct gs_trace_options){.from_ns = GS_NEVER,
                                   .to_ns = GS_NEVER,
                                   .task_gpus = 8,
                                   .task_procs = 1,
                                   .keep_gpu_spec = 1,
                                   .seed = 1,
                                   .call_gpus = 1,
                                   .call_share_milli = 1000};
}

/* ---- One pass ---------------------------------------------------------------------------------- */

#define BLANK_MAX 4096

static enum gs_rc refuse_blank(struct gs_scan *s)
{
    const enum gs_rc rc = gs_input_ahead(s->in, BLANK_MAX, s->err);
    const char *text = s->in->text + s->in->at;
    const size_t n = s->in->n - s->in->at;
    if (rc != GS_OK || n >= BLANK_MAX || strspn(text, " \t\r\n") < n)
        return rc;
    return gs_fail(s->err, GS_E_INPUT, "%s: the file holds only blank lines", s->in->shown);
}

static enum gs_rc scan_with(struct gs_scan *s, const struct gs_reader *reader)
{
    const char *zone = s->o->zone ? s->o->zone : reader->zone;
    enum gs_rc rc = zone ? gs_zone_parse(zone, &s->zone, s->err) : GS_OK;
    if (rc == GS_OK)
        rc = refuse_blank(s);
    if (rc == GS_OK && zone)
        s->rule_from_ns = gs_zone_rule_from(&s->zone);
    if (rc == GS_OK)
        rc = reader->scan ? reader->scan(s) : gs_table_scan(s, reader->table);
    if (rc == GS_OK)
        rc = gs_input_finish(s->in, s->err);
    if (rc != GS_OK)
        return rc;
    s->n->bytes = s->in->stored;
    memcpy(s->n->digest, s->in->digest, sizeof s->n->digest);
    gs_verify(s->n->rows == s->n->emitted + s->n->skipped);
    return GS_OK;
}

/* A key that only some formats heed, given with another, is a mistake that would change nothing: it is refused. */
static enum gs_rc refuse_foreign_keys(const struct gs_reader *reader, const struct gs_input *in,
                                      const struct gs_trace_options *o, struct gs_err *err)
{
    const struct {
        const char *key, *of;
        int given, flag;
    } keys[] = {
        {"throughputs", "lists that hold steps (gavel)", o->throughputs != NULL, GS_READER_STEPS},
        {"gpus_per_proc", "files of processors (swf, batsim)", o->gpus_per_proc_milli > 0,
         GS_READER_PROCS},
        {"task_procs", "files of processors (swf, batsim)", o->task_procs != 1, GS_READER_PROCS},
        {"token_rates", "request traces", o->prefill_rate > 0, GS_READER_CALLS},
    };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].given && !(reader->flags & keys[i].flag))
            return gs_fail(err, GS_E_INPUT, "%s: `%s` is for %s, and this is %s: leave it out",
                           in->shown, keys[i].key, keys[i].of, reader->name);
    if (o->ncolumns && !(reader->flags & GS_READER_COLUMNS))
        return gs_fail(err, GS_E_INPUT,
                       "%s: column.%s names a column of gsim's own CSV, and this is %s", in->shown,
                       o->columns[0], reader->name);
    return GS_OK;
}

/* NOLINTNEXTLINE(readability-function-size): a pass over a file has that many parties */
enum gs_rc gs_scan_by(const struct gs_reader *reader, struct gs_input *in,
                      const struct gs_trace_options *o, struct gs_intern *str,
                      const struct gs_sink *sink, struct gs_info *info, struct gs_trace_counts *n,
                      struct gs_err *err)
{
    *n = (struct gs_trace_counts){.origin_unix_ns = GS_NEVER, .sorted = 1};
    (void)gs_fmt(n->format, sizeof n->format, "%s", reader->name);
    if (!info && (reader->flags & GS_READER_NO_RECORDS))
        return gs_fail(
            err, GS_E_INPUT,
            "%s: holds no jobs or requests (%s: %s); `gsim trace info` shows what it holds",
            in->shown, reader->name, reader->what);
    const enum gs_rc heeded = refuse_foreign_keys(reader, in, o, err);
    if (heeded != GS_OK)
        return heeded;
    struct gs_scan s = {.in = in,
                        .o = o,
                        .n = n,
                        .str = str,
                        .sink = sink,
                        .info = info,
                        .before_ns = INT64_MIN,
                        .err = err};
    const enum gs_rc rc = scan_with(&s, reader);
    gs_vec_free(&s.attempts);
    gs_vec_free(&s.attrs);
    gs_vec_free(&s.name_line);
    return rc;
}

enum gs_rc gs_scan_input(struct gs_input *in, const struct gs_trace_options *o,
                         struct gs_intern *str, const struct gs_sink *sink,
                         struct gs_trace_counts *n, struct gs_err *err)
{
    *n = (struct gs_trace_counts){.origin_unix_ns = GS_NEVER};
    const struct gs_reader *reader = NULL;
    const enum gs_rc rc = gs_reader_find(o->format, in, &reader, err);
    return rc == GS_OK ? gs_scan_by(reader, in, o, str, sink, NULL, n, err) : rc;
}

enum gs_rc gs_trace_scan(const struct gs_trace_options *o, struct gs_intern *str,
                         const struct gs_sink *sink, struct gs_trace_counts *n, struct gs_err *err)
{
    gs_require(o && o->path && str && sink && n);
    *n = (struct gs_trace_counts){.origin_unix_ns = GS_NEVER};
    struct gs_input in;
    enum gs_rc rc = gs_input_open(&in, o->path, o->shown, err);
    if (rc == GS_OK)
        rc = gs_scan_input(&in, o, str, sink, n, err);
    gs_input_close(&in);
    return rc;
}

/* ---- Records into a workload ------------------------------------------------------------------- */

struct gs_read {
    struct gs_workload *w;
    size_t first_job;
    uint16_t source;
    const struct gs_trace_options *o;
    struct gs_trace_counts *n;
    const struct gs_input *in;
    int64_t earliest_ns, latest_ns; /* submits, in the file's own clock */
    GS_VEC(uint32_t)
    queues, users; /* by string id: index in the workload plus 1; 0 = not asked yet */
    struct gs_err *err;
};

static void keep_lists(struct gs_workload *w, const struct gs_job *j,
                       const struct gs_job_attempt *attempts, const struct gs_job_attr *attrs)
{
    for (uint32_t i = 0; attempts && i < j->attempts; i++)
        gs_vec_push(&w->attempts, attempts[i]);
    for (uint32_t i = 0; attrs && i < j->attrs; i++)
        gs_vec_push(&w->attrs, attrs[i]);
}

static enum gs_rc take_job(void *ctx, const struct gs_job *j, const struct gs_job_attempt *attempts,
                           const struct gs_job_attr *attrs, struct gs_err *err)
{
    (void)err;
    struct gs_read *rd = ctx;
    struct gs_job copy = *j;
    copy.source = rd->source;
    rd->earliest_ns = copy.submit_ns < rd->earliest_ns ? copy.submit_ns : rd->earliest_ns;
    rd->latest_ns = copy.submit_ns > rd->latest_ns ? copy.submit_ns : rd->latest_ns;
    copy.attempt_first = (uint32_t)rd->w->attempts.n;
    copy.attr_first = (uint32_t)rd->w->attrs.n;
    if (copy.after)
        copy.after += (uint32_t)rd->first_job;
    keep_lists(rd->w, j, attempts, attrs);
    gs_vec_push(&rd->w->jobs, copy);
    return GS_OK;
}

/* A request as a job of its own: tokens over the rates that the scenario states. */
static enum gs_rc take_call(void *ctx, const struct gs_call *c, const uint64_t *blocks,
                            struct gs_err *err)
{
    (void)blocks;
    struct gs_read *rd = ctx;
    const struct gs_trace_options *o = rd->o;
    if (!(o->prefill_rate > 0 && o->decode_rate > 0))
        return gs_fail(
            err, GS_E_INPUT,
            "%s: holds requests, not jobs: let a [service] answer them, or state how fast "
            "they run as jobs with token_rates = PREFILL DECODE (tokens a second)",
            rd->in->shown);
    const char *reason = c->kind == GS_CALL_TOOL         ? "tool call: it uses no GPU"
                         : c->input < 0 || c->output < 0 ? "no token counts recorded"
                                                         : NULL;
    if (reason) {
        gs_count_left_out(rd->n, reason);
        return GS_OK;
    }
    if (c->unit)
        gs_count_assume(rd->n, "lengths are characters: taken as tokens", 1);
    const double run_s = (double)c->input / o->prefill_rate + (double)c->output / o->decode_rate;
    const double most_s = (double)GS_TRACE_TIME_MAX / 1e9;
    struct gs_job j = {.name = c->name,
                       .queue = c->service,
                       .priority = o->priority,
                       .kind = GS_KIND_BATCH,
                       .duration_source = GS_DURATION_TOKENS,
                       .source = rd->source,
                       .end_state = c->outcome == GS_CALL_OK       ? GS_END_COMPLETED
                                    : c->outcome == GS_CALL_FAILED ? GS_END_FAILED
                                                                   : GS_END_UNKNOWN,
                       .submit_ns = c->arrival_ns,
                       .run_ns = (int64_t)((run_s < most_s ? run_s : most_s) * 1e9 + 0.5),
                       .est_ns = -1,
                       .tasks = 1,
                       .gpus = o->call_gpus,
                       .task_gpus = o->call_gpus,
                       .share_milli = o->call_gpus == 1 ? o->call_share_milli : 1000,
                       .cpus_milli = o->cpus_per_gpu_milli * o->call_gpus,
                       .mem_mib = o->mem_per_gpu_mib * o->call_gpus,
                       .start_ns = -1,
                       .row = c->row};
    return take_job(rd, &j, NULL, NULL, err);
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

static uint64_t job_hash(const struct gs_job *j)
{
    uint64_t h = gs_hash_mix((uint64_t)j->submit_ns, (uint64_t)j->run_ns);
    return gs_hash_mix(h, (uint64_t)j->gpus << 32 | j->queue);
}

/* Exact repeats. A map of all jobs would be the largest part of a read, so a first pass finds the few whose hash may stand twice
 * (16 bits a job, each set by the first of its hash, its neighbour by the second), and only these are compared. */
static void count_repeats(struct gs_read *rd)
{
    const size_t first = rd->first_job;
    const size_t n = rd->w->jobs.n - first;
    const struct gs_job *v = rd->w->jobs.v;
    size_t cells = 64;
    while (cells < n * 8)
        cells *= 2;
    uint8_t *twice = gs_zalloc(cells / 4, 1); /* 2 bits a cell: 0, 1, 3 = none, one, several */
    for (size_t i = first; i < first + n; i++) {
        const size_t c = job_hash(&v[i]) & (cells - 1);
        const unsigned at = (unsigned)(c & 3) * 2;
        const unsigned was = twice[c >> 2] >> at & 3;
        twice[c >> 2] |= (uint8_t)((was ? 3u : 1u) << at);
    }
    struct gs_map seen = {0};
    for (size_t i = first; i < first + n; i++) {
        const uint64_t h = job_hash(&v[i]);
        const size_t c = h & (cells - 1);
        if ((twice[c >> 2] >> ((c & 3) * 2) & 3) != 3)
            continue;
        if (gs_map_find(&seen, h, same_job, rd, &v[i]) == GS_NONE)
            gs_map_add(&seen, h, (uint32_t)i);
        else
            rd->n->duplicates++;
    }
    gs_map_release(&seen);
    gs_free(twice);
}

/* Says where on the wall clock the earliest job stands, which becomes time zero (settle). */
static enum gs_rc find_zero(struct gs_read *rd)
{
    if (rd->w->jobs.n == rd->first_job)
        return gs_fail(rd->err, GS_E_INPUT, "%s: no job left (%llu rows read, %llu skipped%s%s)",
                       rd->in->shown, (unsigned long long)rd->n->rows,
                       (unsigned long long)rd->n->skipped, rd->n->nwhy ? ": " : "",
                       rd->n->nwhy ? rd->n->why[0].reason : "");
    gs_verify(rd->latest_ns - rd->earliest_ns <= GS_TRACE_TIME_MAX);
    const int64_t window = rd->o->from_ns == GS_NEVER ? 0 : rd->o->from_ns;
    if (rd->n->origin_unix_ns == GS_NEVER)
        return GS_OK;
    rd->n->origin_unix_ns += rd->earliest_ns + window;
    struct gs_zone zone;
    if (rd->n->zone[0] && gs_zone_parse(rd->n->zone, &zone, NULL) == GS_OK)
        rd->n->origin_offset_s = gs_zone_offset(&zone, rd->n->origin_unix_ns);
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
        const int64_t t = rd->w->jobs.v[i].submit_ns - rd->earliest_ns;
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
    const int64_t t = rd->w->jobs.v[i].submit_ns - rd->earliest_ns;
    if (o->from_ns != GS_NEVER && t < o->from_ns)
        return "before 'from'";
    if (t >= o->to_ns)
        return "at or after 'to'";
    if (t > last->submit_ns || (t == last->submit_ns && i > last->place))
        return "beyond the 'first' jobs asked for";
    return NULL;
}

/* A row that was asked to be left out is no skip to worry about: it is told apart. */
static void count_cut(struct gs_trace_counts *n, const char *reason)
{
    const uint64_t before = n->skipped;
    gs_count_left_out(n, reason);
    n->left_out += n->skipped - before;
    for (uint32_t i = 0; i < n->nwhy; i++)
        if (strcmp(n->why[i].reason, reason) == 0)
            n->why[i].asked = 1;
}

static uint32_t *at_id(uint32_t **v, size_t *n, size_t *cap, uint32_t id)
{
    if (id >= *n) {
        GS_VEC(uint32_t) grown = {*v, *n, *cap};
        gs_vec_reserve(&grown, (size_t)id + 1);
        memset(grown.v + grown.n, 0, (id + 1 - grown.n) * sizeof *grown.v);
        *v = grown.v;
        *n = (size_t)id + 1;
        *cap = grown.cap;
    }
    return *v + id;
}

/* Queue and user of a job, string ids so far, as indexes; each name is looked up once. */
static void place_names(struct gs_read *rd, const char *fallback, struct gs_job *j)
{
    struct gs_workload *w = rd->w;
    uint32_t *queue = at_id(&rd->queues.v, &rd->queues.n, &rd->queues.cap, j->queue);
    uint32_t *user = at_id(&rd->users.v, &rd->users.n, &rd->users.cap, j->user);
    if (!*queue)
        *queue = 1 + gs_workload_queue(w, j->queue ? gs_intern_str(w->str, j->queue) : fallback);
    if (j->user && !*user)
        *user = 1 + gs_workload_user(w, gs_intern_str(w->str, j->user));
    j->user = j->user ? *user - 1 : GS_NONE;
    j->queue = *queue - 1;
}

/* Drops what from, to and first exclude; time zero is the earliest job; names become indexes. */
static enum gs_rc settle(struct gs_read *rd)
{
    struct gs_workload *w = rd->w;
    const struct order_key last = last_kept(rd);
    const int64_t zero = rd->earliest_ns + (rd->o->from_ns == GS_NEVER ? 0 : rd->o->from_ns);
    const char *fallback = rd->o->queue ? rd->o->queue : "default";
    size_t kept = rd->first_job;
    uint32_t *place =
        GS_NEW_N(uint32_t, w->jobs.n - rd->first_job); /* plus 1, of a job that stays */
    for (size_t i = rd->first_job; i < w->jobs.n; i++) {
        const char *reason = left_out(rd, i, &last);
        if (reason) {
            count_cut(rd->n, reason);
            continue;
        }
        struct gs_job j = w->jobs.v[i];
        place[i - rd->first_job] = (uint32_t)kept + 1;
        j.submit_ns -= zero;
        if (j.start_ns >= 0)
            j.start_ns -= zero;
        place_names(rd, fallback, &j);
        w->jobs.v[kept++] = j;
    }
    w->jobs.n = kept;
    for (size_t i = rd->first_job; i < kept;
         i++) { /* one that waits for a job left out waits for none */
        struct gs_job *j = &w->jobs.v[i];
        if (j->after > rd->first_job)
            j->after = place[j->after - 1 - rd->first_job];
    }
    gs_free(place);
    if (kept > rd->first_job)
        return GS_OK;
    return gs_fail(rd->err, GS_E_INPUT, "%s: no job between 'from' and 'to'", rd->in->shown);
}

static enum gs_rc finish(struct gs_read *rd)
{
    const struct gs_reader *reader = NULL;
    enum gs_rc rc = gs_reader_find(rd->n->format, NULL, &reader, rd->err);
    if (rc != GS_OK)
        return rc;
    if (!(reader->flags & GS_READER_IDS))
        count_repeats(rd);
    rc = find_zero(rd);
    if (rc == GS_OK)
        rc = settle(rd);
    gs_verify(rc != GS_OK || rd->n->rows == rd->n->emitted + rd->n->skipped);
    return rc;
}

enum gs_rc gs_trace_read_input(struct gs_workload *w, uint16_t source,
                               const struct gs_trace_options *o, struct gs_input *in,
                               struct gs_trace_counts *n, struct gs_err *err)
{
    struct gs_read rd = {
        .w = w, .first_job = w->jobs.n, .source = source, .o = o, .n = n, .in = in, .err = err};
    rd.earliest_ns = GS_NEVER;
    rd.latest_ns = INT64_MIN;
    const size_t attempts = w->attempts.n;
    const size_t attrs = w->attrs.n;
    const struct gs_sink sink = {.ctx = &rd, .job = take_job, .call = take_call, .as_jobs = 1};
    enum gs_rc rc = gs_scan_input(in, o, w->str, &sink, n, err);
    if (rc == GS_OK)
        rc = finish(&rd);
    gs_vec_free(&rd.queues);
    gs_vec_free(&rd.users);
    if (rc != GS_OK) {
        w->jobs.n = rd.first_job;
        w->attempts.n = attempts;
        w->attrs.n = attrs;
    }
    return rc;
}

/* A file that was said to be of one format and failed as such may be of another: the error then says so. */
static void say_other_format(const struct gs_trace_options *o, struct gs_err *err)
{
    struct gs_input in;
    struct gs_err ignored = {0};
    const struct gs_reader *looks = NULL;
    if (err && gs_input_open(&in, o->path, o->shown, &ignored) == GS_OK) {
        if (gs_reader_find(NULL, &in, &looks, &ignored) == GS_OK &&
            strcmp(looks->name, o->format) != 0) {
            const struct gs_err was = *err;
            gs_fail(err, GS_E_INPUT, "%s (the file looks like format = %s)", was.msg, looks->name);
        }
        gs_input_close(&in);
    }
}

enum gs_rc gs_trace_read(struct gs_workload *w, uint16_t source, const struct gs_trace_options *o,
                         struct gs_trace_counts *n, struct gs_err *err)
{
    gs_require(w && o && n && o->path);
    *n = (struct gs_trace_counts){.origin_unix_ns = GS_NEVER};
    struct gs_input in;
    enum gs_rc rc = gs_input_open(&in, o->path, o->shown, err);
    if (rc == GS_OK)
        rc = gs_trace_read_input(w, source, o, &in, n, err);
    gs_input_close(&in);
    if (rc == GS_E_INPUT && o->format)
        say_other_format(o, err);
    return rc;
}

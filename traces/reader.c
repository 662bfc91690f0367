/* reader.c - what all trace readers share: fields with their faults, counts, records on their way to the sink.
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
    static const char *const nulls[] = {"None", "NULL", "NA", "nan", "NaN", "null"};
    if (*s == '\0')
        return 1;
    if (*s != 'N' && *s != 'n')
        return 0;
    for (size_t i = 0; i < sizeof nulls / sizeof nulls[0]; i++) {
        if (strcmp(s, nulls[i]) == 0)
            return 1;
    }
    return 0;
}

/* ---- Rows and their faults --------------------------------------------------------------------- */

struct gs_row gs_scan_row(struct gs_scan *s, int64_t line)
{
    s->n->rows++;
    return (struct gs_row){.in = s->in,
                           .line = line,
                           .bad_rows = s->o->bad_rows,
                           .n = s->n,
                           .stop = &s->stop,
                           .err = s->err};
}

enum gs_rc gs_row_bad(struct gs_row *r, const char *why, const char *column, const char *value,
                      const char *text)
{
    r->why = why;
    return gs_fail(r->err, GS_E_INPUT, "%s:%lld: column '%s': '%.200s' %s (" HINT ")", r->in->shown,
                   (long long)r->line, column, value, text);
}

void gs_row_drop(struct gs_row *r, const char *reason)
{
    gs_count_skip(r->n, reason);
}

enum gs_rc gs_row_end(struct gs_row *r, enum gs_rc rc)
{
    if (r->stop && *r->stop != GS_OK)
        return *r->stop;
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
        if (n->assumed[i].what == what || strcmp(n->assumed[i].what, what) == 0) {
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

enum gs_rc gs_count_beside(struct gs_trace_counts *n, struct gs_input *in, struct gs_err *err)
{
    const enum gs_rc rc = gs_input_finish(in, err);
    if (rc != GS_OK)
        return rc;
    const char *slash = strrchr(in->shown, '/'); /* where it lies is not what was read */
    (void)gs_fmt(n->beside.path, sizeof n->beside.path, "%s", slash ? slash + 1 : in->shown);
    memcpy(n->beside.digest, in->digest, sizeof n->beside.digest);
    n->beside.bytes = in->stored;
    return GS_OK;
}

void gs_count_left_out(struct gs_trace_counts *n, const char *reason)
{
    if (n->records) {
        n->records--;
        gs_count_assume(n, reason, 1);
        return;
    }
    n->emitted--;
    gs_count_skip(n, reason);
}

/* ---- Fields ------------------------------------------------------------------------------------ */

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
    const enum gs_decimal rc = gs_decimal_read(s, 0, &x);
    if (rc == GS_DECIMAL_OK && x >= 0 && x <= max) {
        *out = x;
        return GS_OK;
    }
    if (rc == GS_DECIMAL_INEXACT)
        return gs_row_bad(r, "not a whole number", column, s, "is not a whole number");
    return gs_row_scaled(r, column, s, 0, max, out);
}

/* unit_ns as a power of ten (*scale) times a whole number (the rest). */
static int64_t split_unit(int64_t unit_ns, int *scale)
{
    *scale = 0;
    while (unit_ns % 10 == 0 && *scale < 9) {
        unit_ns /= 10;
        ++*scale;
    }
    return unit_ns;
}

enum gs_rc gs_row_time(struct gs_row *r, const char *column, const char *s, int64_t unit_ns,
                       int64_t *out_ns)
{
    int scale = 0;
    const int64_t times = split_unit(unit_ns, &scale);
    int64_t x = 0;
    const enum gs_decimal rc = gs_decimal_read(s, scale, &x);
    const int64_t max = GS_TRACE_TIME_MAX / times;
    if (*s != '-' && (rc == GS_DECIMAL_TOO_BIG || (rc <= GS_DECIMAL_INEXACT && x > max)))
        return gs_row_bad(r, "absurdly large number", column, s,
                          unit_ns == GS_SECOND ? "seconds is absurd: over 100 years"
                                               : "is absurd: over 100 years");
    const enum gs_rc fault = gs_row_scaled(r, column, s, scale, max, &x);
    if (fault == GS_OK)
        *out_ns = x * times;
    return fault;
}

enum gs_rc gs_row_seconds(struct gs_row *r, const char *column, const char *s, int64_t *out_ns)
{
    return gs_row_time(r, column, s, GS_SECOND, out_ns);
}

/* Notes how a local time was placed. */
static enum gs_rc place_local(struct gs_scan *s, struct gs_row *r, const char *column,
                              const char *text, enum gs_local_kind kind)
{
    if (kind == GS_LOCAL_PLAIN)
        return GS_OK;
    const int twice = kind == GS_LOCAL_AMBIGUOUS;
    if (s->o->ambiguous == GS_AMBIGUOUS_ERROR)
        return gs_row_bad(r, twice ? "local time happens twice" : "local time never happens",
                          column, text,
                          twice ? "happens twice in this zone: say which with ambiguous = earlier "
                                  "or later"
                                : "never happens in this zone: the clock jumps over it");
    *(twice ? &s->n->ambiguous_local : &s->n->missing_local) += 1;
    gs_count_assume(s->n,
                    !twice ? "local time that the clock jumps over: read with the offset before"
                    : s->o->ambiguous == GS_AMBIGUOUS_LATER
                        ? "local time that happens twice: the later one taken"
                        : "local time that happens twice: the earlier one taken",
                    1);
    return GS_OK;
}

static enum gs_rc clock_without_zone(struct gs_scan *s, struct gs_row *r, const char *column,
                                     const char *text, int64_t local_ns, int64_t *out_unix_ns)
{
    if (!s->zone.name[0])
        return gs_row_bad(r, "not a wall clock time", column, text,
                          "has no zone (add Z or +08:00, or set zone)");
    if (!s->n->zone[0])
        (void)gs_fmt(s->n->zone, sizeof s->n->zone, "%s", s->zone.name);
    enum gs_local_kind kind;
    *out_unix_ns = gs_zone_unix_near(&s->zone, &s->near, local_ns, s->o->ambiguous, &kind);
    if (*out_unix_ns < s->rule_from_ns)
        gs_count_assume(s->n, "older than the zone's rule: placed by the same rule", 1);
    return place_local(s, r, column, text, kind);
}

enum gs_rc gs_row_clock(struct gs_scan *s, struct gs_row *r, const char *column, const char *text,
                        int64_t *out_unix_ns)
{
    struct gs_err why;
    int64_t ns = 0;
    int32_t offset_s = 0;
    if (gs_parse_local_clock(text, &ns, &offset_s, &why) != GS_OK) {
        r->why = "not a wall clock time";
        return gs_fail(r->err, GS_E_INPUT, "%s:%lld: column '%s': %s (" HINT ")", r->in->shown,
                       (long long)r->line, column, why.msg);
    }
    enum gs_rc rc = GS_OK;
    if (offset_s == GS_NO_ZONE)
        rc = clock_without_zone(s, r, column, text, ns, &ns);
    else
        ns -= offset_s * GS_SECOND;
    if (rc != GS_OK)
        return rc;
    if (ns < 0 || ns > GS_TRACE_TIME_MAX)
        return gs_row_bad(r, "absurd date", column, text,
                          "is absurd: not within 100 years of 1970");
    if (s->n->origin_unix_ns == GS_NEVER)
        s->n->origin_unix_ns = 0; /* the file's own clock is the wall's */
    *out_unix_ns = ns;
    return GS_OK;
}

enum gs_rc gs_row_clock_or_null(struct gs_scan *s, struct gs_row *r, const char *column,
                                const char *text, int64_t *out_unix_ns)
{
    *out_unix_ns = -1;
    return gs_is_null(text) ? GS_OK : gs_row_clock(s, r, column, text, out_unix_ns);
}

/* ---- Records ----------------------------------------------------------------------------------- */

struct gs_job gs_scan_new_job(const struct gs_scan *s, int64_t line)
{
    return (struct gs_job){.priority = s->o->priority,
                           .kind = GS_KIND_BATCH,
                           .est_source = GS_EST_NONE,
                           .end_state = GS_END_UNKNOWN,
                           .est_ns = -1,
                           .tasks = 1,
                           .share_milli = 1000,
                           .start_ns = -1,
                           .row = line};
}

struct gs_call gs_scan_new_call(int64_t line)
{
    return (struct gs_call){.input = -1, .output = -1, .cached = -1, .took_ns = -1, .row = line};
}

void gs_scan_split(struct gs_scan *s, struct gs_job *j)
{
    const uint32_t most = s->o->task_gpus;
    j->task_gpus = most && j->gpus > most ? most : j->gpus;
    j->tasks = j->task_gpus ? (j->gpus + j->task_gpus - 1) / j->task_gpus : 1;
    j->cpus_milli = s->o->cpus_per_gpu_milli * j->task_gpus;
    j->mem_mib = s->o->mem_per_gpu_mib * j->task_gpus;
    if (j->tasks > 1)
        gs_count_assume(s->n, "gang split into tasks of at most task_gpus GPUs", 1);
}

enum gs_rc gs_scan_unique(struct gs_scan *s, struct gs_row *r, const char *column, uint32_t name)
{
    if (name >= s->name_line.n) {
        const size_t known = s->name_line.n;
        gs_vec_reserve(&s->name_line, (size_t)name + 1);
        s->name_line.n = (size_t)name + 1;
        memset(s->name_line.v + known, 0, (s->name_line.n - known) * sizeof *s->name_line.v);
    }
    const int64_t before = s->name_line.v[name];
    s->name_line.v[name] = before ? before : r->line;
    if (name == 0 || before == 0)
        return GS_OK;
    s->n->duplicates++;
    if (s->info) /* counted and shown: a fault only of jobs that are to run */
        return GS_OK;
    struct gs_buf text = {0};
    gs_buf_fmt(&text, "stands already in line %lld", (long long)before);
    const enum gs_rc rc =
        gs_row_bad(r, "duplicate id", column, gs_intern_str(s->str, name), gs_buf_cstr(&text));
    gs_buf_free(&text);
    return rc;
}

void gs_scan_attr(struct gs_scan *s, const char *key, const char *value)
{
    if (!gs_is_null(value))
        gs_vec_push(&s->attrs,
                    (struct gs_job_attr){gs_intern(s->str, key), gs_intern(s->str, value)});
}

void gs_scan_attempt(struct gs_scan *s, int64_t run_ns, enum gs_end_state end)
{
    gs_vec_push(&s->attempts, (struct gs_job_attempt){run_ns, (uint8_t)end});
}

static void note_order(struct gs_scan *s, int64_t at_ns)
{
    if (at_ns < s->before_ns) {
        s->n->out_of_order++;
        s->n->sorted = 0;
    }
    s->before_ns = at_ns;
    *(s->drawn ? &s->n->records : &s->n->emitted) += 1;
    s->records++;
}

enum gs_rc gs_scan_job(struct gs_scan *s, const struct gs_job *j)
{
    note_order(s, j->submit_ns);
    struct gs_job copy = *j;
    copy.attempts = (uint32_t)s->attempts.n;
    copy.attrs = (uint32_t)s->attrs.n;
    if (s->info)
        gs_info_job(s, &copy);
    if (s->sink && s->sink->job)
        s->stop = s->sink->job(s->sink->ctx, &copy, s->attempts.v, s->attrs.v, s->err);
    gs_vec_clear(&s->attempts);
    gs_vec_clear(&s->attrs);
    return s->stop;
}

enum gs_rc gs_scan_call(struct gs_scan *s, const struct gs_call *c, const uint64_t *blocks)
{
    note_order(s, c->arrival_ns);
    if (s->info)
        gs_info_call(s, c);
    if (s->sink && s->sink->call)
        s->stop = s->sink->call(s->sink->ctx, c, blocks, s->err);
    gs_vec_clear(&s->attempts);
    gs_vec_clear(&s->attrs);
    return s->stop;
}

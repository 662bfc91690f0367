/* convert.c - a trace from one format to another: survey, then writing, each one pass over the sources.
 *
 * Reading twice is what makes headers and time zero known before the first line without holding the records. The interner
 * is the same in both passes, so string ids found in the survey hold in the second. A source that changes between the passes is
 * a fault that is noticed by its digest.
 * Memory: distinct texts; of records only where a target must be in order of time and the sources are not, or where
 * jobs name others (4 bytes a job). */
#include "traces/convert.h"

#include "sim/base/sort.h"
#include "traces/reader.h"
#include "traces/write.h"

#include <string.h>

#include "sim/base/banned.h"

#define GIVE_ON_AT ((size_t)1 << 18) /* bytes collected before they are given on */

static const struct gs_target *const targets[] = {&gs_target_gsim, &gs_target_swf,
                                                  &gs_target_gsim_calls, &gs_target_mooncake};

enum {
    TARGETS = sizeof targets / sizeof targets[0]
};

const struct gs_convert_target *gs_convert_targets(void)
{
    static struct gs_convert_target list[TARGETS + 1];
    for (size_t i = 0; i < TARGETS; i++)
        list[i] =
            (struct gs_convert_target){targets[i]->name, targets[i]->what, targets[i]->ending};
    return list;
}

/* ---- Legends and losses ------------------------------------------------------------------------ */

uint32_t gs_legend_add(struct gs_legend *l, uint32_t id)
{
    while (l->place.n <= id)
        gs_vec_push(&l->place, 0);
    if (!l->place.v[id]) {
        gs_vec_push(&l->ids, id);
        l->place.v[id] = (uint32_t)l->ids.n;
    }
    return l->place.v[id];
}

void gs_legend_free(struct gs_legend *l)
{
    gs_vec_free(&l->ids);
    gs_vec_free(&l->place);
}

void gs_lost(struct gs_writing *w, const char *what)
{
    if (!w->report)
        return;
    for (size_t i = 0; i < w->report->lost.n; i++) {
        if (strcmp(w->report->lost.v[i].what, what) == 0) {
            w->report->lost.v[i].n++;
            return;
        }
    }
    gs_vec_push(&w->report->lost, (struct gs_convert_loss){what, 1});
}

/* ---- The survey -------------------------------------------------------------------------------- */

struct conversion {
    const struct gs_convert_options *o;
    const struct gs_target *target;
    struct gs_convert_report *report;
    struct gs_survey seen;
    struct gs_writing w;
    uint64_t place; /* of the next record in the sources */
    uint64_t base;  /* place of the current source's first record */
    /* a source that is not in order, held for a target that must be */
    GS_VEC(struct gs_job) jobs;
    GS_VEC(struct gs_job_attempt) attempts;
    GS_VEC(struct gs_job_attr) attrs;
    GS_VEC(struct gs_call) calls;
    GS_VEC(uint64_t) blocks;
    GS_VEC(size_t) first_block; /* by call */
};

static void see_time(struct gs_survey *seen, int64_t ns)
{
    if (seen->jobs + seen->calls == 0)
        seen->earliest_ns = ns;
    else if (ns < seen->before_ns)
        seen->sorted = 0;
    seen->earliest_ns = ns < seen->earliest_ns ? ns : seen->earliest_ns;
    seen->before_ns = ns;
}

/* A whole number as one would write it, that fits 31 bits. */
static int is_number(const char *s)
{
    const size_t n = strlen(s);
    return n > 0 && n < 10 && (s[0] != '0' || n == 1) && strspn(s, "0123456789") == n;
}

static enum gs_rc see_job(void *ctx, const struct gs_job *j, const struct gs_job_attempt *attempts,
                          const struct gs_job_attr *attrs, struct gs_err *err)
{
    (void)err;
    (void)attempts;
    struct conversion *c = ctx;
    struct gs_survey *seen = &c->seen;
    const struct gs_intern *str = &c->report->str;
    const int64_t cpus = j->cpus_milli * j->tasks;
    see_time(seen, j->submit_ns);
    seen->jobs++;
    seen->gpu_jobs += j->gpus > 0;
    seen->has_after |= j->after != 0;
    seen->largest_gpus = j->gpus > seen->largest_gpus ? j->gpus : seen->largest_gpus;
    seen->largest_cpus_milli = cpus > seen->largest_cpus_milli ? cpus : seen->largest_cpus_milli;
    seen->job_columns |= gs_job_columns(j);
    if (j->queue)
        (void)gs_legend_add(&seen->queues, j->queue);
    if (j->user) {
        (void)gs_legend_add(&seen->users, j->user);
        const char *user = gs_intern_str(str, j->user);
        seen->users_are_numbers &= *user == 'u' && is_number(user + 1);
    }
    seen->names_are_numbers &= is_number(gs_intern_str(str, j->name));
    if (seen->names_are_numbers)
        seen->names_are_numbers &= gs_legend_add(&seen->names, j->name) == seen->jobs;
    for (uint32_t k = 0; k < j->attrs; k++)
        (void)gs_legend_add(&seen->keys, attrs[k].key);
    return GS_OK;
}

static enum gs_rc see_call(void *ctx, const struct gs_call *c, const uint64_t *blocks,
                           struct gs_err *err)
{
    (void)err;
    (void)blocks;
    struct gs_survey *seen = &((struct conversion *)ctx)->seen;
    see_time(seen, c->arrival_ns);
    seen->calls++;
    seen->call_columns |= gs_call_columns(c);
    return GS_OK;
}

/* The wall clock of the sources, if all have the same one. */
static enum gs_rc see_clock(struct conversion *c, const struct gs_trace_counts *n, size_t source,
                            struct gs_err *err)
{
    struct gs_survey *seen = &c->seen;
    if (source == 0) {
        seen->unix_ns = n->origin_unix_ns;
        return gs_zone_parse(n->zone[0] ? n->zone : "UTC", &seen->zone, err);
    }
    if (seen->unix_ns != n->origin_unix_ns)
        return gs_fail(
            err, GS_E_INPUT,
            "%s: its times do not count from where those of %s do: convert each by itself",
            c->o->files[source].path, c->o->files[0].path);
    return GS_OK;
}

static enum gs_rc survey(struct conversion *c, struct gs_err *err)
{
    const struct gs_sink sink = {.ctx = c, .job = see_job, .call = see_call};
    c->seen.sorted = c->seen.names_are_numbers = c->seen.users_are_numbers = 1;
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < c->o->nfiles && rc == GS_OK; i++) {
        struct gs_trace_counts n;
        rc = gs_trace_scan(&c->o->files[i], &c->report->str, &sink, &n, err);
        gs_vec_push(&c->report->read, n);
        if (rc == GS_OK)
            rc = see_clock(c, &n, i, err);
    }
    if (rc == GS_OK && c->seen.jobs + c->seen.calls == 0)
        rc = gs_fail(err, GS_E_INPUT, "%s: no job and no call to convert", c->o->files[0].path);
    return rc;
}

/* ---- The target -------------------------------------------------------------------------------- */

static int ends_as(const char *path, const struct gs_target *t)
{
    const size_t n = path ? strlen(path) : 0;
    const size_t m = strlen(t->ending);
    return n > m && strcmp(path + n - m, t->ending) == 0;
}

/* The target that the output's name means, if any: of two with one ending that which can hold the records. */
static const struct gs_target *by_ending(const struct conversion *c)
{
    const struct gs_target *found = NULL;
    for (size_t i = 0; i < TARGETS; i++) {
        if (ends_as(c->o->out, targets[i]) &&
            (!found || targets[i]->takes_calls == (c->seen.calls > 0)))
            found = targets[i];
    }
    return found;
}

static enum gs_rc find_target(struct conversion *c, struct gs_err *err)
{
    const struct gs_target *meant = by_ending(c);
    const char *name = c->o->to       ? c->o->to
                       : meant        ? meant->name
                       : c->seen.jobs ? "gsim"
                                      : "gsim-calls";
    struct gs_buf known = {0};
    for (size_t i = 0; i < TARGETS; i++) {
        gs_buf_fmt(&known, "%s%s", i ? ", " : "", targets[i]->name);
        if (strcmp(name, targets[i]->name) == 0)
            c->target = targets[i];
    }
    enum gs_rc rc = GS_OK;
    if (!c->target)
        rc = gs_fail(err, GS_E_INPUT, "'%s' is no format to convert to (known: %s)", name,
                     gs_buf_cstr(&known));
    else
        c->report->odd_ending = meant && !ends_as(c->o->out, c->target);
    gs_buf_free(&known);
    return rc;
}

static enum gs_rc check_target(struct conversion *c, struct gs_err *err)
{
    const struct gs_survey *seen = &c->seen;
    const char *what = c->target->takes_calls ? "jobs" : "calls";
    if (c->target->takes_calls ? seen->jobs > 0 : seen->calls > 0)
        return gs_fail(err, GS_E_INPUT, "%s: holds %s, which %s cannot hold (try --to %s)",
                       c->o->files[0].path, what, c->target->name,
                       c->target->takes_calls ? "gsim" : "gsim-calls");
    if (c->o->clock && !c->target->can_clock)
        return gs_fail(err, GS_E_INPUT, "%s has no wall clocks: leave --clock out",
                       c->target->name);
    if (c->o->clock && seen->unix_ns == GS_NEVER)
        return gs_fail(err, GS_E_INPUT,
                       "%s: has no wall clock, only times from some zero: leave --clock out",
                       c->o->files[0].path);
    return GS_OK;
}

/* ---- Writing ----------------------------------------------------------------------------------- */

static enum gs_rc give_on(struct conversion *c, size_t at_least, struct gs_err *err)
{
    struct gs_buf *out = &c->w.out;
    if (out->n < at_least)
        return GS_OK;
    const enum gs_rc rc = out->n ? c->o->put(c->o->ctx, out->s, out->n, err) : GS_OK;
    gs_buf_clear(out);
    return rc;
}

static enum gs_rc write_job(void *ctx, const struct gs_job *j,
                            const struct gs_job_attempt *attempts, const struct gs_job_attr *attrs,
                            struct gs_err *err)
{
    struct conversion *c = ctx;
    struct gs_job mine = *j;
    mine.after += mine.after ? (uint32_t)c->base : 0;
    const struct gs_written_job row = {&mine, attempts, attrs, c->place++};
    if (c->seen.has_after)
        gs_vec_push(&c->w.names, j->name);
    c->report->written += (uint64_t)c->target->job(&c->w, &row);
    return give_on(c, GIVE_ON_AT, err);
}

static enum gs_rc write_call(void *ctx, const struct gs_call *call, const uint64_t *blocks,
                             struct gs_err *err)
{
    struct conversion *c = ctx;
    c->report->written += (uint64_t)c->target->call(&c->w, call, blocks);
    return give_on(c, GIVE_ON_AT, err);
}

static void hold_parts(struct conversion *c, const struct gs_job *j,
                       const struct gs_job_attempt *attempts, const struct gs_job_attr *attrs)
{
    for (uint32_t i = 0; i < j->attempts; i++)
        gs_vec_push(&c->attempts, attempts[i]);
    for (uint32_t i = 0; i < j->attrs; i++)
        gs_vec_push(&c->attrs, attrs[i]);
}

static enum gs_rc hold_job(void *ctx, const struct gs_job *j, const struct gs_job_attempt *attempts,
                           const struct gs_job_attr *attrs, struct gs_err *err)
{
    (void)err;
    struct conversion *c = ctx;
    struct gs_job mine = *j;
    mine.after += mine.after ? (uint32_t)c->base : 0;
    mine.attempt_first = (uint32_t)c->attempts.n;
    mine.attr_first = (uint32_t)c->attrs.n;
    hold_parts(c, j, attempts, attrs);
    gs_vec_push(&c->jobs, mine);
    gs_vec_push(&c->w.names, j->name);
    return GS_OK;
}

static enum gs_rc hold_call(void *ctx, const struct gs_call *call, const uint64_t *blocks,
                            struct gs_err *err)
{
    (void)err;
    struct conversion *c = ctx;
    gs_vec_push(&c->first_block, c->blocks.n);
    for (uint32_t i = 0; i < call->nblocks; i++)
        gs_vec_push(&c->blocks, blocks[i]);
    gs_vec_push(&c->calls, *call);
    return GS_OK;
}

static int64_t time_of(const struct conversion *c, uint32_t place)
{
    return c->target->takes_calls ? c->calls.v[place].arrival_ns : c->jobs.v[place].submit_ns;
}

static int by_time(const void *a, const void *b, const void *ctx)
{
    const int64_t x = time_of(ctx, *(const uint32_t *)a);
    const int64_t y = time_of(ctx, *(const uint32_t *)b);
    return x < y ? -1 : x > y;
}

/* Gives the held records to the target, by time and then by place. */
static enum gs_rc write_held(struct conversion *c, struct gs_err *err)
{
    const size_t n = c->jobs.n + c->calls.n;
    uint32_t *order = GS_NEW_N(uint32_t, n);
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    gs_sort(order, n, sizeof *order, by_time, c);
    gs_vec_reserve(&c->w.position, n);
    c->w.position.n = n;
    for (size_t i = 0; i < n; i++)
        c->w.position.v[order[i]] = (uint32_t)i;
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < n && rc == GS_OK; i++) {
        const uint32_t place = order[i];
        if (c->target->takes_calls) {
            const struct gs_call *call = &c->calls.v[place];
            rc = write_call(c, call, call->nblocks ? c->blocks.v + c->first_block.v[place] : NULL,
                            err);
            continue;
        }
        const struct gs_job *j = &c->jobs.v[place];
        const struct gs_written_job row = {j, j->attempts ? c->attempts.v + j->attempt_first : NULL,
                                           j->attrs ? c->attrs.v + j->attr_first : NULL, place};
        c->report->written += (uint64_t)c->target->job(&c->w, &row);
        rc = give_on(c, GIVE_ON_AT, err);
    }
    gs_free(order);
    return rc;
}

static enum gs_rc write_out(struct conversion *c, struct gs_err *err)
{
    const int hold = c->target->in_order && !c->seen.sorted;
    const struct gs_sink through = {.ctx = c, .job = write_job, .call = write_call};
    const struct gs_sink held = {.ctx = c, .job = hold_job, .call = hold_call};
    c->report->to = c->target->name;
    c->report->held = hold;
    c->w.str = &c->report->str;
    c->w.seen = &c->seen;
    c->w.clock = c->o->clock;
    c->w.report = c->report;
    c->target->begin(&c->w);
    if (c->seen.unix_ns != GS_NEVER && !c->o->clock && !c->target->has_zero)
        gs_lost(&c->w, c->target->can_clock ? "the date of the first record (--clock keeps it)"
                                            : "the date of the first record");
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < c->o->nfiles && rc == GS_OK; i++) {
        const struct gs_trace_counts *before = &c->report->read.v[i];
        struct gs_trace_counts n;
        c->base = c->jobs.n + c->place;
        rc = gs_trace_scan(&c->o->files[i], &c->report->str, hold ? &held : &through, &n, err);
        if (rc == GS_OK && strcmp(n.digest, before->digest) != 0)
            rc = gs_fail(err, GS_E_INPUT, "%s: changed while it was read", c->o->files[i].path);
    }
    if (rc == GS_OK && hold)
        rc = write_held(c, err);
    return rc == GS_OK ? give_on(c, 0, err) : rc;
}

static void release(struct conversion *c)
{
    gs_legend_free(&c->seen.queues);
    gs_legend_free(&c->seen.users);
    gs_legend_free(&c->seen.names);
    gs_legend_free(&c->seen.keys);
    gs_buf_free(&c->w.out);
    gs_vec_free(&c->w.names);
    gs_vec_free(&c->w.position);
    gs_vec_free(&c->jobs);
    gs_vec_free(&c->attempts);
    gs_vec_free(&c->attrs);
    gs_vec_free(&c->calls);
    gs_vec_free(&c->blocks);
    gs_vec_free(&c->first_block);
}

enum gs_rc gs_trace_convert(const struct gs_convert_options *o, struct gs_convert_report *report,
                            struct gs_err *err)
{
    gs_require(o && o->nfiles > 0 && o->put && report);
    *report = (struct gs_convert_report){0};
    gs_intern_init(&report->str);
    struct conversion c = {.o = o, .report = report};
    enum gs_rc rc = survey(&c, err);
    if (rc == GS_OK)
        rc = find_target(&c, err);
    if (rc == GS_OK)
        rc = check_target(&c, err);
    if (rc == GS_OK)
        rc = write_out(&c, err);
    release(&c);
    return rc;
}

void gs_convert_release(struct gs_convert_report *report)
{
    gs_vec_free(&report->read);
    gs_vec_free(&report->lost);
    gs_intern_release(&report->str);
}

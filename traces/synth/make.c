/* make.c - the jobs of a [workload] section.
 *
 * Arrivals come from one sequential stream of the section; everything else about job i (size, share, CPUs, memory; run time;
 * owner; estimate) from streams keyed by (purpose, section, i), each quantity at its fixed place in the stream. So a change of
 * the size distribution moves no run time, more jobs leave the first ones alone, and another section changes nothing here.
 *
 * A drawn number of GPUs is rounded to the nearest whole number, but what is not 0 stays at least 1; 0 is a CPU job.
 * Invariant: jobs are appended in order of arrival. Cost: O(jobs), about 0.3 microseconds a job for simple distributions. */
#include "sim/base/fmath.h"
#include "sim/base/units.h"
#include "sim/base/vec.h"
#include "traces/synth/arrivals.h"
#include "traces/synth/estimate.h"
#include "traces/synth/synth.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

#define JOBS_MAX  INT64_C(100000000)
#define RUN_MAX_S 3155760000.0 /* 100 years, as for traces */
#define GPUS_MAX  1e6
#define TASK_GPUS 8
#define MONDAY_1970_NS \
    (INT64_C(4) * 86400 * GS_SECOND) /* 1970-01-05, for a run without a wall clock */
#define USERS_MAX 1000000

struct maker {
    struct gs_workload *w;
    const struct gs_synth *s;
    uint64_t seed;
    uint32_t section;
    struct gs_arena arena;
    struct gs_err *err;
    struct gs_arrivals *arrivals;
    struct gs_dist *gpus, *duration, *share, *cpus, *memory, *users;
    uint32_t *user_id;   /* [s->users], GS_NONE until first used */
    struct gs_job model; /* what all jobs of the section share */
};

static enum gs_rc parse_dist(struct maker *m, const char *key, const char *text, enum gs_dim dim,
                             struct gs_dist **out)
{
    if (!text)
        return GS_OK;
    const enum gs_rc rc = gs_dist_parse(text, dim, m->s->dir, &m->arena, out, m->err);
    return rc == GS_OK ? rc : gs_wrap(m->err, "[workload %s] %s", m->s->name, key);
}

static enum gs_rc parse_users(struct maker *m)
{
    const uint32_t n = m->s->users;
    if (n == 0)
        return GS_OK;
    if (n > USERS_MAX)
        return gs_fail(m->err, GS_E_INPUT, "[workload %s] users: %u is over %d", m->s->name, n,
                       USERS_MAX);
    char text[64];
    (void)gs_fmt(text, sizeof text, "zipf n=%u s=1.1", n);
    m->user_id = gs_arena_alloc(&m->arena, n * sizeof *m->user_id, sizeof *m->user_id);
    memset(m->user_id, 0xff, n * sizeof *m->user_id);
    return parse_dist(m, "users", text, GS_DIM_NONE, &m->users);
}

static enum gs_rc parse_arrivals(struct maker *m)
{
    const struct gs_synth *s = m->s;
    enum gs_rc rc =
        gs_arrivals_parse(s->arrivals ? s->arrivals : "batch", &m->arena, &m->arrivals, m->err);
    if (rc != GS_OK)
        return gs_wrap(m->err, "[workload %s] arrivals", s->name);
    if (s->count < 0 && gs_arrivals_are_batch(m->arrivals))
        return gs_fail(m->err, GS_E_INPUT,
                       "[workload %s] arrivals: a batch needs 'count' (or give 'arrivals' a rate)",
                       s->name);
    if (s->count < 0 && s->to_ns == GS_NEVER)
        return gs_fail(m->err, GS_E_INPUT,
                       "[workload %s]: nothing ends the arrivals (set count, to, or the horizon of "
                       "[scenario])",
                       s->name);
    if (s->count > JOBS_MAX)
        return gs_fail(m->err, GS_E_INPUT, "[workload %s] count: %lld is over %lld", s->name,
                       (long long)s->count, (long long)JOBS_MAX);
    return GS_OK;
}

static enum gs_rc parse_all(struct maker *m)
{
    const struct gs_synth *s = m->s;
    if (!s->duration)
        return gs_fail(m->err, GS_E_INPUT, "[workload %s]: 'duration' is missing", s->name);
    enum gs_rc rc = parse_arrivals(m);
    if (rc == GS_OK)
        rc = parse_dist(m, "gpus", s->gpus ? s->gpus : "1", GS_DIM_NONE, &m->gpus);
    if (rc == GS_OK)
        rc = parse_dist(m, "duration", s->duration, GS_DIM_TIME, &m->duration);
    if (rc == GS_OK)
        rc = parse_dist(m, "share", s->share, GS_DIM_SHARE, &m->share);
    if (rc == GS_OK)
        rc = parse_dist(m, "cpus", s->cpus, GS_DIM_NONE, &m->cpus);
    if (rc == GS_OK)
        rc = parse_dist(m, "memory", s->memory, GS_DIM_MEMORY, &m->memory);
    if (rc == GS_OK)
        rc = parse_users(m);
    return rc;
}

static void set_model(struct maker *m, uint16_t source)
{
    const struct gs_synth *s = m->s;
    m->model = (struct gs_job){.queue = gs_workload_queue(m->w, s->queue ? s->queue : "default"),
                               .user = GS_NONE,
                               .priority = s->priority,
                               .kind = (uint8_t)s->kind,
                               .est_source = GS_EST_NONE,
                               .end_state = GS_END_UNKNOWN,
                               .duration_source = 1,
                               .flags = s->flags,
                               .source = source,
                               .est_ns = -1,
                               .gpu_mem_mib = s->gpu_mem_mib,
                               .models = s->gpu ? gs_intern(m->w->str, s->gpu) : 0};
}

static enum gs_rc fault(struct maker *m, const char *key, int64_t i, double value, const char *text)
{
    return gs_fail(m->err, GS_E_INPUT, "[workload %s] %s: job %lld drew %g: %s", m->s->name, key,
                   (long long)i, value, text);
}

static double bounded(double x, double most)
{
    return x < most ? x : most;
}

/* GPUs, tasks, share, CPUs, memory: draws 0, 1, 2, 3 of the size stream. */
static enum gs_rc draw_size(struct maker *m, int64_t i, struct gs_job *j)
{
    struct gs_stream s;
    gs_stream_init(&s, m->seed, GS_RNG_SIZE, m->section, (uint32_t)i);
    const double drawn = m->share ? 1 : gs_dist_draw(m->gpus, &s);
    if (drawn > GPUS_MAX)
        return fault(m, "gpus", i, drawn, "over a million GPUs (add clip=..MAX)");
    const double whole = gs_rint_even(drawn);
    j->gpus = whole < 1 && drawn > 0 ? 1 : (uint32_t)whole;
    s.draw = 1;
    j->share_milli = m->share ? (uint32_t)gs_rint_even(gs_dist_draw(m->share, &s)) : 1000;
    if (j->share_milli < 1 || j->share_milli > 1000)
        return fault(m, "share", i, j->share_milli, "not 1 to 1000 thousandths (add clip=)");
    const uint32_t most = m->s->task_gpus ? m->s->task_gpus : TASK_GPUS;
    j->task_gpus = j->gpus < most ? j->gpus : most;
    j->tasks = j->gpus ? (j->gpus + j->task_gpus - 1) / j->task_gpus : 1;
    j->cpus_milli = m->s->cpus_per_gpu_milli * j->task_gpus;
    j->mem_mib = m->s->mem_per_gpu_mib * j->task_gpus;
    s.draw = 2;
    if (m->cpus)
        j->cpus_milli = (int64_t)gs_rint_even(bounded(gs_dist_draw(m->cpus, &s), 1e6) * 1000);
    s.draw = 3;
    if (m->memory)
        j->mem_mib = (int64_t)gs_rint_even(bounded(gs_dist_draw(m->memory, &s), 1e12));
    if (j->gpus == 0 && j->cpus_milli == 0)
        return fault(m, "gpus", i, drawn, "a job without GPUs needs 'cpus'");
    return GS_OK;
}

static uint32_t draw_user(struct maker *m, int64_t i)
{
    if (!m->users)
        return GS_NONE;
    struct gs_stream s;
    gs_stream_init(&s, m->seed, GS_RNG_OWNER, m->section, (uint32_t)i);
    const uint32_t u = (uint32_t)gs_dist_draw(m->users, &s) - 1;
    if (m->user_id[u] == GS_NONE) {
        char name[32];
        (void)gs_fmt(name, sizeof name, "u%u", u);
        m->user_id[u] = gs_workload_user(m->w, name);
    }
    return m->user_id[u];
}

static enum gs_rc draw_job(struct maker *m, int64_t i, int64_t submit_ns, struct gs_job *j)
{
    *j = m->model;
    j->row = i;
    j->submit_ns = submit_ns;
    struct gs_stream s;
    gs_stream_init(&s, m->seed, GS_RNG_SERVICE, m->section, (uint32_t)i);
    const double run_s = gs_dist_draw(m->duration, &s);
    if (!(run_s <= RUN_MAX_S))
        return fault(m, "duration", i, run_s, "over 100 years (add clip=..MAX)");
    j->run_ns = gs_ns(run_s);
    j->user = draw_user(m, i);
    return draw_size(m, i, j);
}

/* Local wall clock of t = 0, ns since 1970: what `daily` and `weekend` go by. */
static int64_t local_clock(const struct gs_synth *s)
{
    if (s->start_unix_ns == GS_NEVER)
        return MONDAY_1970_NS;
    const int32_t offset_s = s->zone_offset_s == GS_NO_ZONE ? 0 : s->zone_offset_s;
    return s->start_unix_ns + offset_s * GS_SECOND;
}

static enum gs_rc draw_jobs(struct maker *m)
{
    const struct gs_synth *s = m->s;
    const double to_s =
        s->to_ns == GS_NEVER ? (double)INFINITY : (double)(s->to_ns - s->from_ns) / 1e9;
    const double stop_s = to_s < RUN_MAX_S ? to_s : RUN_MAX_S;
    struct gs_arrival_run run;
    gs_arrival_start(&run, m->arrivals, m->seed, m->section, local_clock(s) + s->from_ns, stop_s);
    enum gs_rc rc = GS_OK;
    for (int64_t i = 0; rc == GS_OK && (s->count < 0 || i < s->count); i++) {
        const double t = gs_arrival_next(&run);
        if (!(t < stop_s))
            return to_s < RUN_MAX_S ? GS_OK : fault(m, "arrivals", i, t, "seconds, over 100 years");
        const int64_t submit_ns = s->from_ns + gs_ns(t);
        if (submit_ns >= s->to_ns)
            return GS_OK;
        if (i == JOBS_MAX)
            return gs_fail(m->err, GS_E_INPUT, "[workload %s]: over %lld jobs before 'to'", s->name,
                           (long long)JOBS_MAX);
        struct gs_job j;
        rc = draw_job(m, i, submit_ns, &j);
        if (rc == GS_OK)
            gs_vec_push(&m->w->jobs, j);
    }
    return rc;
}

enum gs_rc gs_synth_make(struct gs_workload *w, uint16_t source, uint32_t section_no, uint64_t seed,
                         const struct gs_synth *s, struct gs_err *err)
{
    gs_require(w && s && s->name && s->from_ns >= 0 && section_no < 0x8000);
    struct maker m = {.w = w, .s = s, .seed = seed, .section = section_no, .err = err};
    const size_t first = w->jobs.n;
    enum gs_rc rc = parse_all(&m);
    if (rc == GS_OK) {
        set_model(&m, source);
        rc = draw_jobs(&m);
    }
    if (rc == GS_OK && s->estimate) {
        rc = gs_estimate_range(w, first, s->estimate, seed, section_no, s->dir, err);
        if (rc != GS_OK)
            rc = gs_wrap(err, "[workload %s] estimate", s->name);
    }
    if (rc != GS_OK)
        w->jobs.n = first;
    gs_arena_release(&m.arena);
    return rc;
}

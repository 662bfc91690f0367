/* draw.c - one job of a [workload] section, drawn from streams of its own.
 *
 * Streams are keyed by (purpose, section, job), and each quantity has its fixed place in its stream, so that giving one more key
 * moves none of the others:
 *
 *   SIZE     0 GPUs, 1 share, 2 CPUs, 3 memory, 4 MIG profile
 *   SERVICE  0 run time, 1 the change of a repeated job's
 *   OWNER    0 user, 1 whether the job repeats the one before, 2 tenant
 *   FAILURE  0 whether it fails, 1 after which share of its run time; 2, 3 the same of kills
 *
 * A drawn number of GPUs is rounded to the nearest whole number, but what is not 0 stays at least 1; 0 is a CPU job.
 * Repetition: users submit the same job again and again (Zilber, Amit and Talby, IPDPS 2005; Feitelson, "Workload Modeling", 2015, on
 * locality of sampling). A run of repeats has a geometric length. */
#include "sim/base/fmath.h"
#include "sim/base/units.h"
#include "traces/synth/maker.h"

#include "sim/base/banned.h"

#define RUN_MAX_S    3155760000.0 /* 100 years, as for traces */
#define GPUS_MAX     1e6
#define OWNERS_MAX   1e6
#define TASK_GPUS    8
#define REPEAT_SIGMA 0.2 /* of the logarithm of a repeated job's run time over the first's */

static double bounded(double x, double most)
{
    return x < most ? x : most;
}

static struct gs_stream stream_of(const struct gs_maker *m, enum gs_purpose purpose, int64_t i,
                                  uint64_t draw)
{
    struct gs_stream s;
    gs_stream_init(&s, m->seed, purpose, m->section, (uint32_t)i);
    s.draw = draw;
    return s;
}

static enum gs_rc draw_share(struct gs_maker *m, int64_t i, struct gs_job *j)
{
    struct gs_stream s = stream_of(m, GS_RNG_SIZE, i, 1);
    j->share_milli =
        m->share && j->gpus == 1 ? (uint32_t)gs_rint_even(gs_dist_draw(m->share, &s)) : 1000;
    if (j->share_milli < 1 || j->share_milli > 1000)
        return gs_maker_fault(m, "share", i, j->share_milli,
                              "not 1 to 1000 thousandths (add clip=)");
    return GS_OK;
}

static uint32_t draw_profile(const struct gs_maker *m, int64_t i)
{
    struct gs_stream s = stream_of(m, GS_RNG_SIZE, i, 4);
    const double u = gs_unit(&s);
    size_t k = 0;
    while (k + 1 < m->nmig && u >= m->mig[k].end)
        k++;
    return m->mig[k].profile;
}

static enum gs_rc draw_size(struct gs_maker *m, int64_t i, struct gs_job *j)
{
    struct gs_stream s = stream_of(m, GS_RNG_SIZE, i, 0);
    const double drawn = gs_dist_draw(m->gpus, &s);
    if (drawn > GPUS_MAX)
        return gs_maker_fault(m, "gpus", i, drawn, "over a million GPUs (add clip=..MAX)");
    const double whole = gs_rint_even(drawn);
    j->gpus = whole < 1 && drawn > 0 ? 1 : (uint32_t)whole;
    const enum gs_rc rc = draw_share(m, i, j);
    if (rc != GS_OK)
        return rc;
    j->mig = m->nmig && j->gpus ? draw_profile(m, i) : 0;
    const uint32_t most = j->mig ? 1 : m->s->task_gpus ? m->s->task_gpus : TASK_GPUS;
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
        return gs_maker_fault(m, "gpus", i, drawn, "a job without GPUs needs 'cpus'");
    return GS_OK;
}

/* The distribution of run times of the job's size. */
static const struct gs_dist *duration_of(const struct gs_maker *m, const struct gs_job *j)
{
    for (size_t k = 0; k < m->s->classes.n; k++) {
        const struct gs_synth_class *c = &m->s->classes.v[k];
        if (j->gpus >= c->from && j->gpus <= c->to)
            return m->class_duration[k];
    }
    return m->duration;
}

static enum gs_rc draw_run(struct gs_maker *m, int64_t i, struct gs_job *j)
{
    const struct gs_dist *d = duration_of(m, j);
    j->run_ns = m->s->run_ns;
    if (j->run_ns)
        return GS_OK;
    if (!d)
        return gs_maker_fault(m, "duration", i, j->gpus,
                              "GPUs, a size for which no duration.SIZES stands, nor 'duration'");
    struct gs_stream s = stream_of(m, GS_RNG_SERVICE, i, 0);
    const double run_s = gs_dist_draw(d, &s);
    if (!(run_s <= RUN_MAX_S))
        return gs_maker_fault(m, "duration", i, run_s, "over 100 years (add clip=..MAX)");
    j->run_ns = gs_ns(run_s);
    return GS_OK;
}

/* 0.. of a distribution of numbers from 1. */
static enum gs_rc draw_number(struct gs_maker *m, const char *key, const struct gs_dist *d,
                              int64_t i, uint64_t draw, uint32_t *out)
{
    struct gs_stream s = stream_of(m, GS_RNG_OWNER, i, draw);
    const double x = gs_rint_even(gs_dist_draw(d, &s));
    if (!(x >= 1 && x <= OWNERS_MAX))
        return gs_maker_fault(m, key, i, x, "not a number from 1 to a million");
    *out = (uint32_t)x - 1;
    return GS_OK;
}

static enum gs_rc draw_owner(struct gs_maker *m, int64_t i, uint32_t client, struct gs_job *j)
{
    char name[32];
    uint32_t k = client;
    enum gs_rc rc = m->users ? draw_number(m, "users", m->users, i, 0, &k) : GS_OK;
    if (rc == GS_OK && (m->users || m->s->clients > 1)) {
        (void)gs_fmt(name, sizeof name, "%c%u", m->users ? 'u' : 'c', k);
        j->user = gs_workload_user(m->w, name);
    }
    if (rc == GS_OK && m->queues) {
        rc = draw_number(m, "queues", m->queues, i, 2, &k);
        (void)gs_fmt(name, sizeof name, "q%u", k);
        if (rc == GS_OK)
            j->queue = gs_workload_queue(m->w, name);
    }
    return rc;
}

static int is_repeat(const struct gs_maker *m, int64_t i)
{
    struct gs_stream s = stream_of(m, GS_RNG_OWNER, i, 1);
    return m->s->repeats > 0 && i > 0 && gs_unit(&s) < m->s->repeats;
}

/* The job before once more. */
static void repeat(const struct gs_maker *m, int64_t i, struct gs_job *j)
{
    struct gs_stream s = stream_of(m, GS_RNG_SERVICE, i, 1);
    const double factor = gs_exp(REPEAT_SIGMA * gs_normal(&s));
    const double run_s = (double)m->before.run_ns / 1e9 * factor;
    *j = m->before;
    j->run_ns = gs_ns(bounded(run_s, RUN_MAX_S));
}

static int ends_early(const struct gs_maker *m, const struct gs_early_end *e, int64_t i,
                      uint64_t draw, struct gs_job *j)
{
    struct gs_stream s = stream_of(m, GS_RNG_FAILURE, i, draw);
    if (!(e->p > 0) || gs_unit(&s) >= e->p)
        return 0;
    const double share = gs_dist_draw(e->share, &s);
    j->run_ns = gs_ns((double)j->run_ns / 1e9 * bounded(share, 1));
    return 1;
}

void gs_maker_end(const struct gs_maker *m, struct gs_job *j)
{
    if (ends_early(m, &m->failures, j->row, 0, j))
        j->end_state = GS_END_FAILED;
    else if (ends_early(m, &m->kills, j->row, 2, j))
        j->end_state = GS_END_KILLED;
}

enum gs_rc gs_maker_draw(struct gs_maker *m, int64_t i, uint32_t client, int64_t submit_ns,
                         struct gs_job *j)
{
    *j = m->model;
    enum gs_rc rc = GS_OK;
    if (is_repeat(m, i)) {
        repeat(m, i, j);
    } else {
        rc = draw_size(m, i, j);
        if (rc == GS_OK)
            rc = draw_run(m, i, j);
        if (rc == GS_OK)
            rc = draw_owner(m, i, client, j);
    }
    if (rc != GS_OK)
        return rc;
    j->row = i;
    j->submit_ns = submit_ns;
    if (m->after_n) {
        j->after = (uint32_t)(m->after_first + (size_t)i) + 1;
        j->think_ns = m->after_lag_ns;
    }
    m->before = *j;
    return GS_OK;
}

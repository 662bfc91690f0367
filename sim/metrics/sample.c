/* sample.c - from jobs to samples to figures: exact quantiles over all counted jobs, the unfinished ones included.
 *
 * A sample is taken over the counted jobs that were not rejected and are not replicas. A job whose value is not known yet (never
 * started, not ended) enters as +infinity, so that a policy cannot look better by leaving jobs out; beside it stands a
 * lower bound, its value so far. Quantiles are linear between closest ranks over the whole sample (NumPy's default); the mean
 * over a censored sample is that of the lower bounds. O(n log n) once a family, the sorted sample is kept for the next figure. */
#include "sim/base/mem.h"
#include "sim/base/sort.h"
#include "sim/metrics/internal.h"

#include <math.h>

#include "sim/base/banned.h"

double gs_family_value(const struct gs_metrics *m, uint32_t job, enum gs_family f, double *bound)
{
    const struct gs_outcome *o = &m->out[job];
    const struct gs_job *j = &m->cfg.w->jobs.v[job];
    const int known = f == GS_FAM_WAIT ? o->first_start_ns >= 0 : o->end_ns >= 0;
    const int64_t until = o->end_ns >= 0 ? o->end_ns : m->end_ns;
    const int64_t jct = until - o->submit_ns;
    double v = 0;
    switch (f) {
    case GS_FAM_WAIT: v = gs_seconds(known ? o->first_start_ns - o->submit_ns : jct); break;
    case GS_FAM_QUEUED: v = gs_seconds(gs_outcome_queued_ns(m, job)); break;
    case GS_FAM_JCT: v = gs_seconds(jct); break;
    case GS_FAM_SLOWDOWN:
        if (j->run_ns == 0)
            return (double)NAN;
        v = j->run_ns == GS_NEVER ? 1 : (double)jct / (double)j->run_ns;
        break;
    case GS_FAM_BOUNDED:
        v = (double)jct /
            (double)(j->run_ns > m->cfg.bounded_tau_ns ? j->run_ns : m->cfg.bounded_tau_ns);
        v = v > 1 ? v : 1;
        break;
    case GS_FAM_COUNT: break;
    }
    *bound = v;
    return known ? v : (double)INFINITY;
}

double gs_percentile(const double *v, size_t n, double p)
{
    gs_require(n > 0 && p >= 0 && p <= 100);
    const double h = (double)(n - 1) * p / 100;
    const size_t lo = (size_t)h;
    const double part = h - (double)lo;
    if (part == 0 || v[lo] >= v[lo + 1]) /* equal, or both infinite */
        return v[lo];
    return v[lo] + (v[lo + 1] - v[lo]) * part;
}

static void collect(struct gs_metrics *m, const struct gs_jobset *set, struct gs_figures *f)
{
    struct gs_sum finite = {0}, bounds = {0};
    f->n = f->censored = 0;
    for (size_t i = 0; i < set->n; i++) {
        const uint32_t job = set->v ? set->v[i] : (uint32_t)i;
        if (!gs_metrics_counts(m, job))
            continue;
        double bound = 0;
        const double v = gs_family_value(m, job, f->family, &bound);
        if (isnan(v))
            continue;
        f->v[f->n] = v;
        f->bound[f->n++] = bound;
        gs_sum_add(&bounds, bound);
        if (isinf(v))
            f->censored++;
        else
            gs_sum_add(&finite, v);
    }
    f->mean = f->n > f->censored ? gs_sum_get(&finite) / (double)(f->n - f->censored) : (double)NAN;
    f->mean_bound = f->n ? gs_sum_get(&bounds) / (double)f->n : (double)NAN;
}

const struct gs_figures *gs_figures_of(struct gs_metrics *m, const struct gs_jobset *set,
                                       enum gs_family family)
{
    gs_require(m->end_ns >= 0);
    struct gs_figures *f = &m->figures;
    if (f->valid && f->family == family && f->key == set->key)
        return f;
    if (f->cap < set->n) {
        f->cap = set->n;
        f->v = gs_resize(f->v, f->cap, sizeof *f->v);
        f->bound = gs_resize(f->bound, f->cap, sizeof *f->bound);
    }
    f->valid = 1;
    f->family = family;
    f->key = set->key;
    collect(m, set, f);
    gs_sort_doubles(f->v, f->n);
    if (f->censored)
        gs_sort_doubles(f->bound, f->n);
    return f;
}

/* GPU time in which the job was not at work. */
static gs_i128 overhead(const struct gs_metrics *m, uint32_t job)
{
    return (gs_i128)gs_job_milli(&m->cfg.w->jobs.v[job]) *
           (gs_metrics_part_ns(m, job, GS_TIME_STARTUP) +
            gs_metrics_part_ns(m, job, GS_TIME_GANG_WAIT) +
            gs_metrics_part_ns(m, job, GS_TIME_CHECKPOINT));
}

const struct gs_tally *gs_tally_of(struct gs_metrics *m, const struct gs_jobset *set)
{
    gs_require(m->end_ns >= 0);
    struct gs_tally *t = &m->tally;
    if (t->valid && t->key == set->key)
        return t;
    *t = (struct gs_tally){.valid = 1, .key = set->key};
    struct gs_sum lost = {0};
    for (size_t i = 0; i < set->n; i++) {
        const uint32_t job = set->v ? set->v[i] : (uint32_t)i;
        const struct gs_outcome *o = &m->out[job];
        if (!o->counted || m->cfg.w->jobs.v[job].kind == GS_KIND_REPLICA)
            continue;
        t->submitted++;
        t->completed += o->state == GS_STATE_COMPLETED;
        t->failed += o->state == GS_STATE_FAILED;
        t->killed += o->state == GS_STATE_KILLED || o->state == GS_STATE_TIMEOUT;
        t->preemptions += o->preemptions;
        t->restarts += o->restarts;
        t->failures += o->failures;
        t->held += o->gpu_milli_ns;
        t->overhead += overhead(m, job);
        if (o->state == GS_STATE_REJECTED) {
            t->rejected++;
            continue;
        }
        t->censored += o->first_start_ns < 0;
        t->open += o->end_ns < 0;
        for (int c = 0; c < GS_WAIT_CAUSES; c++)
            t->wait[c] += o->wait_ns[c];
        gs_sum_add(&lost, o->lost_gpu_s);
    }
    t->lost_gpu_s = gs_sum_get(&lost);
    return t;
}

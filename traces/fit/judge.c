/* judge.c - how well a fitted section does: its synthetic jobs beside the first part of the trace, the rest, and the whole.
 *
 * The synthetic jobs are made by the very code that a run uses, over the span of the whole trace, seed 1, and cut to the trace's
 * resolution. "Distance" is Kolmogorov's, the largest difference of the distribution functions. Beside it stands that of the first
 * part itself: what a fit that followed its data to the letter would reach. Where that one misses a target on the rest, the rest is
 * another regime, and no model of the first part can foretell it. */
#include "sim/base/fmath.h"
#include "sim/base/mem.h"
#include "sim/base/units.h"
#include "sim/base/vec.h"
#include "traces/fit/fit.h"
#include "traces/synth/arrivals.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

#define HOUR_S        3600.0
#define RUN_TARGET    0.05
#define GAP_TARGET    0.08
#define SHARE_TARGET  1.0
#define FACTOR_TARGET 2.0
#define TOTAL_TARGET  0.1
#define SIZES_SHOWN   8

/* One side of the comparison. */
struct side {
    const double *t, *run, *size;
    const uint32_t *gpus;
    size_t n;
    double hours; /* GPU-hours; CPU-hours where no job has GPUs */
    struct gs_sample gap, runs, sizes;
    double dispersion;
};

/* Of the first n jobs. */
static double hours_of(const struct side *s, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += s->size[i] * s->run[i];
    return sum / HOUR_S;
}

static void measure(struct side *s)
{
    s->hours = hours_of(s, s->n);
    if (s->n < 2)
        return;
    double *gap = GS_NEW_N(double, s->n);
    double *t = GS_NEW_N(double, s->n);
    for (size_t i = 1; i < s->n; i++)
        gap[i - 1] = s->t[i] - s->t[i - 1];
    s->gap = gs_sample_of(gap, NULL, s->n - 1);
    s->runs = gs_sample_of(s->run, NULL, s->n);
    for (size_t i = 0; i < s->n; i++)
        t[i] = s->gpus[i];
    s->sizes = gs_sample_of(t, NULL, s->n);
    for (size_t i = 0; i < s->n; i++)
        t[i] = s->t[i] - s->t[0];
    s->dispersion = gs_times_dispersion(t, s->n, t[s->n - 1], HOUR_S);
    gs_free(gap);
    gs_free(t);
}

/* ---- Rows -------------------------------------------------------------------------------------- */

static struct gs_fit_row *new_row(struct gs_fit *f, const char *name, const char *of)
{
    struct gs_fit_row r = {.target = (double)NAN,
                           .ratio_train = (double)NAN,
                           .ratio_whole = (double)NAN,
                           .met_train = -1,
                           .met_test = -1,
                           .met_whole = -1};
    (void)gs_fmt(r.name, sizeof r.name, "%s%s", of, name);
    for (int k = 0; k < GS_FIT_SETS; k++)
        r.v[k] = (double)NAN;
    gs_vec_push(&f->rows, r);
    return &gs_vec_last(&f->rows);
}

static double figure(const struct gs_sample *s, int which)
{
    static const double q[] = {0.5, 0.9, 0.99};
    if (s->n == 0)
        return (double)NAN;
    return which == 0 ? s->mean : which == 4 ? s->cv : gs_sample_quantile(s, q[which - 1]);
}

static const struct gs_sample *sample_of(const struct side *s, int runs)
{
    return runs ? &s->runs : &s->gap;
}

static void add_figures(struct gs_fit *f, const struct side *side, int runs)
{
    static const char *const names[] = {" mean", " p50", " p90", " p99", " cv"};
    for (int k = 0; k < 5; k++) {
        struct gs_fit_row *r = new_row(f, names[k], runs ? "run_s" : "gap_s");
        for (int i = 0; i < GS_FIT_SETS; i++)
            r->v[i] = figure(sample_of(&side[i], runs), k);
    }
}

static int verdict(double x, double target)
{
    return x == x ? x <= target : -1; /* NaN: there is no rest */
}

static void add_distances(struct gs_fit *f, const struct side *side, int runs)
{
    struct gs_fit_row *r = new_row(f, " distance", runs ? "run_s" : "gap_s");
    for (int i = 0; i < GS_FIT_MADE; i++)
        if (side[i].n > 1)
            r->v[i] =
                gs_sample_distance(sample_of(&side[GS_FIT_MADE], runs), sample_of(&side[i], runs));
    r->target = runs ? RUN_TARGET : GAP_TARGET;
    r->met_test = verdict(r->v[GS_FIT_TEST], r->target);
    r->met_whole = verdict(r->v[GS_FIT_WHOLE], r->target);
    r = new_row(f, " distance_of_train", runs ? "run_s" : "gap_s");
    for (int i = GS_FIT_TEST; i < GS_FIT_MADE; i++)
        if (side[i].n > 1)
            r->v[i] =
                gs_sample_distance(sample_of(&side[GS_FIT_TRAIN], runs), sample_of(&side[i], runs));
}

/* v[] is of each set as it is, so the synthetic one is over the span of the whole; `made` is of that one over the span of the first
 * part, which is what the fit answers for. */
static void add_total(struct gs_fit *f, const char *name, const double v[GS_FIT_SETS], double made)
{
    struct gs_fit_row *r = new_row(f, name, "");
    for (int i = 0; i < GS_FIT_SETS; i++)
        r->v[i] = v[i];
    r->target = TOTAL_TARGET;
    if (!(v[GS_FIT_TRAIN] > 0)) /* no run time at all */
        return;
    r->ratio_train = made / v[GS_FIT_TRAIN];
    r->ratio_whole = v[GS_FIT_MADE] / v[GS_FIT_WHOLE];
    r->met_train = verdict(fabs(r->ratio_train - 1), TOTAL_TARGET);
}

static void add_totals(struct gs_fit *f, const struct side *side)
{
    const struct side *made = &side[GS_FIT_MADE];
    const struct side *train = &side[GS_FIT_TRAIN];
    size_t n = 0;
    double jobs[GS_FIT_SETS];
    double hours[GS_FIT_SETS];
    while (n < made->n && made->t[n] <= train->t[train->n - 1])
        n++;
    for (int i = 0; i < GS_FIT_SETS; i++) {
        jobs[i] = (double)side[i].n;
        hours[i] = side[i].hours;
    }
    add_total(f, "jobs", jobs, (double)n);
    add_total(f, f->has_gpus ? "GPU-hours" : "CPU-hours", hours, hours_of(made, n));
}

/* The largest job: a size that the first part has not is none that its fit can make. */
static void add_largest(struct gs_fit *f, const struct side *side)
{
    struct gs_fit_row *r = new_row(f, "largest job, GPUs", "");
    for (int i = 0; i < GS_FIT_SETS; i++)
        if (side[i].sizes.n)
            r->v[i] = side[i].sizes.x[side[i].sizes.n - 1];
}

static double share_of(const struct side *s, double gpus)
{
    if (s->sizes.n == 0)
        return (double)NAN;
    return 100 * (gs_sample_at(&s->sizes, gpus) - gs_sample_at(&s->sizes, gpus - 0.5));
}

static void add_share(struct gs_fit *f, const struct side *side, double gpus)
{
    char name[32];
    (void)gs_fmt(name, sizeof name, "gpus %.0f percent", gpus);
    struct gs_fit_row *r = new_row(f, name, "");
    for (int i = 0; i < GS_FIT_SETS; i++)
        r->v[i] = share_of(&side[i], gpus);
    r->target = SHARE_TARGET;
    r->met_test = verdict(fabs(r->v[GS_FIT_MADE] - r->v[GS_FIT_TEST]), SHARE_TARGET);
    r->met_whole = verdict(fabs(r->v[GS_FIT_MADE] - r->v[GS_FIT_WHOLE]), SHARE_TARGET);
}

/* The sizes that make up a tenth of a percent of the jobs, the most frequent first. */
static void add_shares(struct gs_fit *f, const struct side *side)
{
    const struct gs_sample *sizes = &side[GS_FIT_WHOLE].sizes;
    double below = 101;
    for (int k = 0; k < SIZES_SHOWN; k++) {
        double best = 0.1;
        size_t at = sizes->n;
        for (size_t i = 0; i < sizes->n; i++) {
            const double share = share_of(&side[GS_FIT_WHOLE], sizes->x[i]);
            if (share > best && share < below) {
                best = share;
                at = i;
            }
        }
        if (at == sizes->n)
            return;
        add_share(f, side, sizes->x[at]);
        below = best;
    }
}

static void add_dispersion(struct gs_fit *f, const struct side *side)
{
    struct gs_fit_row *r = new_row(f, "hourly dispersion", "");
    for (int i = 0; i < GS_FIT_SETS; i++)
        if (side[i].n > 1)
            r->v[i] = side[i].dispersion;
    r->target = FACTOR_TARGET;
    r->met_test =
        verdict(gs_exp(fabs(gs_log(r->v[GS_FIT_MADE] / r->v[GS_FIT_TEST]))), FACTOR_TARGET);
    r->met_whole =
        verdict(gs_exp(fabs(gs_log(r->v[GS_FIT_MADE] / r->v[GS_FIT_WHOLE]))), FACTOR_TARGET);
}

/* ---- The synthetic jobs ------------------------------------------------------------------------ */

static enum gs_rc make_jobs(struct gs_fit *f, const struct gs_fit_options *o, struct gs_workload *w,
                            struct gs_err *err)
{
    struct gs_synth s = {.name = o->name,
                         .arrivals = gs_buf_cstr(&f->arrivals),
                         .count = -1,
                         .to_ns = gs_ns(f->span_s) + GS_SECOND,
                         .gpus = gs_buf_cstr(&f->gpus),
                         .share = f->share.n ? gs_buf_cstr(&f->share) : NULL,
                         .cpus = f->cpus.n ? gs_buf_cstr(&f->cpus) : NULL,
                         .start_unix_ns = gs_fit_clock(f, o)};
    for (size_t i = 0; i < f->classes.n; i++) {
        const struct gs_synth_class c = {f->classes.v[i].from, f->classes.v[i].to,
                                         gs_buf_cstr(&f->runs.v[i])};
        gs_vec_push(&s.classes, c);
    }
    const enum gs_rc rc = gs_synth_make(w, 0, 0, 1, &s, err);
    gs_vec_free(&s.classes);
    return rc;
}

static double cut(double x, double resolution, double half)
{
    return resolution > 0 ? floor(x / resolution + half) * resolution : x;
}

enum gs_rc gs_fit_judge(struct gs_fit *f, const struct gs_fit_jobs *j,
                        const struct gs_fit_options *o, struct gs_err *err)
{
    struct gs_intern str;
    struct gs_workload w;
    gs_intern_init(&str);
    gs_workload_init(&w, &str);
    const enum gs_rc rc = make_jobs(f, o, &w, err);
    const size_t n = w.jobs.n;
    double *t = GS_NEW_N(double, n);
    double *run = GS_NEW_N(double, n);
    double *size = GS_NEW_N(double, n);
    uint32_t *gpus = GS_NEW_N(uint32_t, n);
    for (size_t i = 0; i < n; i++) {
        t[i] = cut((double)w.jobs.v[i].submit_ns / 1e9, f->resolution_s, 0);
        run[i] = cut((double)w.jobs.v[i].run_ns / 1e9, f->resolution_s, 0.5);
        gpus[i] = w.jobs.v[i].gpus;
        size[i] = (double)(f->has_gpus ? gs_job_milli(&w.jobs.v[i])
                                       : w.jobs.v[i].cpus_milli * w.jobs.v[i].tasks) /
                  1000;
    }
    const size_t k = f->train_jobs;
    struct side side[GS_FIT_SETS] = {
        [GS_FIT_TRAIN] = {.t = j->t, .run = j->run, .size = j->size, .gpus = j->gpus, .n = k},
        [GS_FIT_TEST] = {.t = j->t + k,
                         .run = j->run + k,
                         .size = j->size + k,
                         .gpus = j->gpus + k,
                         .n = j->n - k},
        [GS_FIT_WHOLE] = {.t = j->t, .run = j->run, .size = j->size, .gpus = j->gpus, .n = j->n},
        [GS_FIT_MADE] = {.t = t, .run = run, .size = size, .gpus = gpus, .n = n}};
    for (int i = 0; i < GS_FIT_SETS; i++)
        measure(&side[i]);
    if (rc == GS_OK)
        add_totals(f, side);
    for (int runs = 0; runs < 2 && rc == GS_OK; runs++) {
        add_figures(f, side, runs);
        add_distances(f, side, runs);
    }
    if (rc == GS_OK) {
        add_shares(f, side);
        add_largest(f, side);
        add_dispersion(f, side);
    }
    for (int i = 0; i < GS_FIT_SETS; i++) {
        gs_sample_free(&side[i].gap);
        gs_sample_free(&side[i].runs);
        gs_sample_free(&side[i].sizes);
    }
    gs_free(t);
    gs_free(run);
    gs_free(size);
    gs_free(gpus);
    gs_workload_release(&w);
    gs_intern_release(&str);
    return rc;
}

/* ---- Verdicts ---------------------------------------------------------------------------------- */

static const char *word_of(int met)
{
    return met ? "MET   " : "MISSED";
}

int gs_fit_verdict(const struct gs_fit_row *r, struct gs_buf *out)
{
    if (r->met_train >= 0) { /* a total */
        gs_buf_fmt(out,
                   "%s %s: %.2f times those fitted to, over their span (within %g %%); %.2f times "
                   "those of the whole",
                   word_of(r->met_train), r->name, r->ratio_train, 100 * r->target, r->ratio_whole);
        return 1;
    }
    if (r->met_whole < 0)
        return 0;
    const int distance = r->v[GS_FIT_MADE] != r->v[GS_FIT_MADE];
    if (distance)
        gs_buf_fmt(out, "%s %s: %.3f from the whole (at most %g)", word_of(r->met_whole), r->name,
                   r->v[GS_FIT_WHOLE], r->target);
    else
        gs_buf_fmt(out, "%s %s: %.4g, the whole %.4g (within %s %g)", word_of(r->met_whole),
                   r->name, r->v[GS_FIT_MADE], r->v[GS_FIT_WHOLE],
                   r->target == FACTOR_TARGET ? "a factor of" : "points:", r->target);
    if (r->met_test >= 0)
        gs_buf_fmt(out, "; %s on the rest", r->met_test ? "met" : "missed");
    return 1;
}

int gs_fit_missed(const struct gs_fit *f)
{
    for (size_t i = 0; i < f->rows.n; i++)
        if (f->rows.v[i].met_whole == 0 || f->rows.v[i].met_train == 0)
            return 1;
    return 0;
}

const struct gs_fit_row *gs_fit_row(const struct gs_fit *f, const char *name)
{
    for (size_t i = 0; i < f->rows.n; i++)
        if (strcmp(f->rows.v[i].name, name) == 0)
            return &f->rows.v[i];
    return NULL;
}

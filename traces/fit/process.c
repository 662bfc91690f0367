/* process.c - fitting the burst process: the week from the counts, the timer from its spike, the rest by simulation.
 *
 * The distribution of gaps and the dispersion of hourly counts have no closed form for bursts under a daily shape with a timer
 * beside them. So the parameters are found by simulated minimum distance: GSL's simplex minimiser (Nelder and Mead) runs the very
 * process that will be written, with the same random numbers for every trial (common random numbers, Glasserman and Yao 1992), and
 * makes least the mean square difference of the gaps' distribution functions plus those of the logarithms of dispersion and number.
 *
 * Numbers: 10 for the bursts (rate; share of single jobs; median, sigma and limit of the size; two lognormals of gaps and the share
 * of one), 1 for the timer, beside the 24 + 7 of the week. Cost: some 1,500 simulations of the time span, 10 s for 10^5 arrivals. */
#include "traces/fit/process.h"

#include "sim/base/err.h"
#include "sim/base/fmath.h"
#include "sim/base/mem.h"
#include "sim/base/units.h"
#include "sim/base/vec.h"
#include "traces/synth/arrivals.h"

#include <gsl/gsl_multimin.h>

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

#define HOUR_S  3600.0
#define ROUNDS  4
#define SEEDS   3
#define TRIALS  120
#define RUNAWAY 3 /* a trial with so many times the arrivals is cut off */
/* Of the square of the logarithm of a ratio to the trace's, beside the mean square of distribution functions: a number of arrivals
 * 10 % off is as bad as functions 0.055 apart. */
#define DISPERSION_WEIGHT 0.004
#define COUNT_WEIGHT      0.3
#define EVEN              0.01 /* added to a dispersion, which is 0 where every hour has as many */
#define FAILED            1e3  /* a trial that is no process */
/* No burst holds more of the arrivals than this. With larger ones the number of arrivals is a matter of luck: at a twentieth
 * it was off by 10 % from one seed to the next, on the Philly list. */
#define BURST_MOST  (1.0 / 80)
#define SPIKE_SHARE 0.01
#define SPIKE_RATIO 8

/* Where the distribution functions of gaps are compared, seconds. */
static const double grid[] = {0,   1,   2,   3,   4,   5,   6,   7,   8,   10,   12,  14,  17,
                              20,  25,  30,  40,  50,  65,  80,  100, 130, 160,  200, 250, 300,
                              350, 400, 450, 500, 550, 597, 605, 700, 900, 1800, 3600};

enum {
    GRID = sizeof grid / sizeof grid[0],
    NPARAMETERS = 9
};

/* ---- The week ---------------------------------------------------------------------------------- */

static int64_t hour_of(const struct gs_times *in, double t)
{
    const int64_t clock_s = in->clock_ns / GS_SECOND;
    return (int64_t)floor(((double)clock_s + t) / HOUR_S);
}

/* The timer ticks at all hours alike, so the shape is that of the others. Where it was not always on, more than there is would be
 * taken out: a twentieth of the mean is left at least. */
static void take_timer_out(const struct gs_times *in, const double days[7], struct gs_process *p)
{
    if (!(p->timer > 0))
        return;
    double weight = 0;
    double span_days = 0;
    for (size_t i = 0; i < in->n; i++)
        weight += in->w[i];
    for (int d = 0; d < 7; d++)
        span_days += days[d];
    const double ticks = in->span_s / p->timer * weight / (double)in->n;
    for (int h = 0; h < 24; h++)
        p->hour[h] = fmax(p->hour[h] - ticks / 24, weight / 24 / 20);
    for (int d = 0; d < 7; d++)
        p->weekday[d] =
            fmax(p->weekday[d] - ticks * days[d] / span_days, weight * days[d] / span_days / 20);
}

static void fit_week(const struct gs_times *in, struct gs_process *p)
{
    double days[7] = {0};
    const int64_t first = hour_of(in, 0) / 24;
    const int64_t last = hour_of(in, in->span_s) / 24;
    for (int64_t d = first; d <= last; d++)
        days[(d + 3) % 7] += 1; /* 1970-01-01 was a Thursday */
    for (size_t i = 0; i < in->n; i++) {
        const int64_t h = hour_of(in, in->t[i]);
        p->hour[h % 24] += in->w[i];
        p->weekday[(h / 24 + 3) % 7] += in->w[i];
    }
    take_timer_out(in, days, p);
    double hours = 0;
    double week = 0;
    for (int h = 0; h < 24; h++)
        hours += p->hour[h];
    for (int d = 0; d < 7; d++)
        week += days[d] > 0 ? p->weekday[d] / days[d] : 0;
    for (int h = 0; h < 24; h++)
        p->hour[h] *= 24 / hours;
    for (int d = 0; d < 7; d++)
        p->weekday[d] = days[d] > 0 ? p->weekday[d] / days[d] * 7 / week : 1;
}

/* ---- The timer --------------------------------------------------------------------------------- */

/* The mean of the values in (from, to], to the second. */
static double middle_of(const struct gs_sample *s, double from, double to)
{
    double sum = 0;
    double weight = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (s->x[i] <= from || s->x[i] > to)
            continue;
        const double w = s->upto[i] - (i ? s->upto[i - 1] : 0);
        sum += w * s->x[i];
        weight += w;
    }
    return floor(sum / weight + 0.5);
}

/* The period of a timer shows as a spike: three resolutions wide, holding SPIKE_SHARE of the gaps and SPIKE_RATIO times as many as
 * the same width around it, and far above the median gap. 0 = none. */
static double find_timer(const struct gs_sample *gaps, double resolution)
{
    const double from = 5 * gs_sample_quantile(gaps, 0.5);
    double best = 0;
    double period = 0;
    for (size_t i = 0; i < gaps->n; i++) {
        const double x = gaps->x[i];
        if (x < from || x < 20 * resolution)
            continue;
        const double r = 1.5 * resolution;
        const double near = gs_sample_at(gaps, x + r) - gs_sample_at(gaps, x - r);
        const double around = gs_sample_at(gaps, 1.2 * x) - gs_sample_at(gaps, 0.8 * x) - near;
        const double usual = around * 3 * resolution / (0.4 * x);
        if (near > SPIKE_SHARE && near > SPIKE_RATIO * usual && near > best) {
            best = near;
            period = middle_of(gaps, x - r, x + r);
        }
    }
    return period;
}

/* ---- Simulated minimum distance ---------------------------------------------------------------- */

struct aim {
    const struct gs_times *in;
    struct gs_process *p;
    double target[GRID]; /* the gaps' distribution function */
    double dispersion, count;
    uint64_t drawn;   /* arrivals of all trials, for progress */
    GS_VEC(double) t; /* of the trial */
};

double gs_times_dispersion(const double *t, size_t n, double span_s, double window_s)
{
    const size_t windows = (size_t)(span_s / window_s) + 1;
    double *count = GS_NEW_N(double, windows);
    for (size_t i = 0; i < n; i++) {
        const size_t k = (size_t)(t[i] / window_s);
        if (k < windows)
            count[k] += 1;
    }
    const double mean = (double)n / (double)windows;
    double var = 0;
    for (size_t k = 0; k < windows; k++)
        var += (count[k] - mean) * (count[k] - mean);
    gs_free(count);
    return mean > 0 ? var / (double)windows / mean : 0;
}

/* Runs what gs_process_write would write; times are cut to the trace's resolution. 0 if it ran away. */
static int run_trial(struct aim *aim, uint64_t seed)
{
    struct gs_buf text = {0};
    struct gs_arena arena = {0};
    struct gs_err err = {0};
    struct gs_arrivals *a = NULL;
    gs_process_write(aim->p, &text);
    const enum gs_rc rc = gs_arrivals_parse(gs_buf_cstr(&text), &arena, &a, &err);
    gs_buf_free(&text);
    gs_vec_clear(&aim->t);
    struct gs_arrival_run run;
    const double stop = aim->in->span_s;
    if (rc == GS_OK) {
        gs_arrival_start(&run, a, seed, 0, aim->in->clock_ns, stop);
        const double r = aim->in->resolution_s;
        double t = gs_arrival_next(&run);
        while (t < stop && aim->t.n < RUNAWAY * aim->in->n) {
            gs_vec_push(&aim->t, r > 0 ? floor(t / r) * r : t);
            t = gs_arrival_next(&run);
        }
    }
    gs_arena_release(&arena);
    aim->drawn += aim->t.n;
    return rc == GS_OK && aim->t.n > 1 && aim->t.n < RUNAWAY * aim->in->n;
}

/* The first point of the grid that is not below the gap; GRID = none. */
static int cell_of(double gap)
{
    int lo = 0;
    int hi = GRID;
    while (lo < hi) {
        const int mid = (lo + hi) / 2;
        if (grid[mid] < gap)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void count_gaps(const double *t, const double *w, size_t n, double out[GRID])
{
    double total = 0;
    memset(out, 0, GRID * sizeof *out);
    for (size_t i = 1; i < n; i++) {
        const double gap = t[i] - t[i - 1];
        const double weight = w ? w[i] : 1;
        const int k = cell_of(gap);
        if (k < GRID)
            out[k] += weight;
        total += weight;
    }
    for (int k = 0; k < GRID; k++)
        out[k] = (out[k] + (k ? out[k - 1] * total : 0)) / total;
}

static void from_vector(const gsl_vector *v, struct gs_process *p)
{
    p->rate = gs_exp(gsl_vector_get(v, 0));
    p->size_median = gs_exp(gsl_vector_get(v, 1));
    p->size_sigma = gs_exp(gsl_vector_get(v, 2));
    p->slow = 1 / (1 + gs_exp(-gsl_vector_get(v, 3)));
    for (size_t k = 0; k < 2; k++) {
        p->gap_median[k] = gs_exp(gsl_vector_get(v, 4 + 2 * k));
        p->gap_sigma[k] = gs_exp(gsl_vector_get(v, 5 + 2 * k));
    }
    p->single = 1 / (1 + gs_exp(-gsl_vector_get(v, 8)));
}

static void to_vector(const struct gs_process *p, gsl_vector *x)
{
    gsl_vector_set(x, 0, gs_log(p->rate));
    gsl_vector_set(x, 1, gs_log(p->size_median));
    gsl_vector_set(x, 2, gs_log(p->size_sigma));
    gsl_vector_set(x, 3, gs_log(p->slow / (1 - p->slow)));
    for (size_t k = 0; k < 2; k++) {
        gsl_vector_set(x, 4 + 2 * k, gs_log(p->gap_median[k]));
        gsl_vector_set(x, 5 + 2 * k, gs_log(p->gap_sigma[k]));
    }
    gsl_vector_set(x, 8, gs_log(p->single / (1 - p->single)));
}

static double miss(const gsl_vector *v, void *ctx)
{
    struct aim *aim = ctx;
    double mean[GRID] = {0};
    double dispersion = 0;
    double count = 0;
    from_vector(v, aim->p);
    for (uint64_t seed = SEEDS; seed > 0; seed--) { /* ends with the times of seed 1 */
        double at[GRID];
        if (!run_trial(aim, seed))
            return FAILED;
        count_gaps(aim->t.v, NULL, aim->t.n, at);
        for (int k = 0; k < GRID; k++)
            mean[k] += at[k] / SEEDS;
        const double d = gs_times_dispersion(aim->t.v, aim->t.n, aim->in->span_s, HOUR_S);
        dispersion += gs_log((d + EVEN) / (aim->dispersion + EVEN)) / SEEDS;
        count += gs_log((double)aim->t.n / aim->count) / SEEDS;
    }
    double sum = 0;
    for (int k = 0; k < GRID; k++)
        sum += (mean[k] - aim->target[k]) * (mean[k] - aim->target[k]);
    const double all =
        sum / GRID + DISPERSION_WEIGHT * dispersion * dispersion + COUNT_WEIGHT * count * count;
    return isfinite(all) ? all : FAILED;
}

static double distance(const struct aim *aim, const struct gs_sample *gaps)
{
    double *g = GS_NEW_N(double, aim->t.n);
    for (size_t i = 1; i < aim->t.n; i++)
        g[i - 1] = aim->t.v[i] - aim->t.v[i - 1];
    struct gs_sample s = gs_sample_of(g, NULL, aim->t.n - 1);
    const double d = gs_sample_distance(&s, gaps);
    gs_sample_free(&s);
    gs_free(g);
    return d;
}

static void show(const struct aim *aim, double done)
{
    const struct gs_times *in = aim->in;
    if (in->log)
        gs_progress(in->log, (double)aim->drawn / aim->count * in->span_s, done, aim->drawn,
                    aim->drawn);
}

/* The simulated distance is a rough surface, on which a simplex shrinks too early: it is spread out again from the best point. */
static void minimise(struct aim *aim)
{
    gsl_multimin_function f = {miss, NPARAMETERS, aim};
    gsl_vector *x = gsl_vector_alloc(NPARAMETERS);
    gsl_vector *step = gsl_vector_alloc(NPARAMETERS);
    gsl_multimin_fminimizer *m =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, NPARAMETERS);
    to_vector(aim->p, x);
    for (int round = 0; round < ROUNDS; round++) {
        gsl_vector_set_all(step, round % 2 ? -0.3 : 0.5);
        (void)gsl_multimin_fminimizer_set(m, &f, x, step);
        for (int i = 0; i < TRIALS && gsl_multimin_fminimizer_iterate(m) == 0; i++) {
            show(aim, (double)(round * TRIALS + i) / (ROUNDS * TRIALS));
            if (gsl_multimin_fminimizer_size(m) < 0.01)
                break;
        }
        (void)gsl_vector_memcpy(x, gsl_multimin_fminimizer_x(m));
    }
    (void)miss(x, aim); /* leaves the parameters and times of the best */
    gsl_multimin_fminimizer_free(m);
    gsl_vector_free(x);
    gsl_vector_free(step);
}

static struct gs_sample gaps_of(const struct gs_times *in)
{
    double *g = GS_NEW_N(double, in->n);
    for (size_t i = 1; i < in->n; i++)
        g[i - 1] = in->t[i] - in->t[i - 1];
    const struct gs_sample s = gs_sample_of(g, in->w + 1, in->n - 1);
    gs_free(g);
    return s;
}

struct gs_process gs_process_fit(const struct gs_times *in)
{
    gs_require(in->n > 2 && in->span_s > 0);
    struct gs_process p = {0};
    struct gs_sample gaps = gaps_of(in);
    p.timer = find_timer(&gaps, in->resolution_s > 0 ? in->resolution_s : 1);
    fit_week(in, &p);
    const double ticks = p.timer > 0 ? in->span_s / p.timer : 0;
    const double others = (double)in->n > 2 * ticks ? (double)in->n - ticks : (double)in->n / 2;
    p.single = 0.5;
    p.size_median = 10;
    p.size_sigma = 1.5;
    p.size_most = ceil((double)in->n * BURST_MOST);
    const double g = gs_sample_quantile(&gaps, 0.4);
    p.slow = 0.1;
    p.gap_median[0] = g > 0.5 ? g : 0.5;
    p.gap_median[1] = 20 * p.gap_median[0];
    p.gap_sigma[0] = 1.2;
    p.gap_sigma[1] = 0.8;
    p.rate = others / 10 / in->span_s;
    struct aim aim = {.in = in, .p = &p, .count = (double)in->n};
    count_gaps(in->t, in->w, in->n, aim.target);
    aim.dispersion = gs_times_dispersion(in->t, in->n, in->span_s, HOUR_S);
    minimise(&aim);
    p.distance = distance(&aim, &gaps);
    gs_vec_free(&aim.t);
    gs_sample_free(&gaps);
    return p;
}

void gs_process_write(const struct gs_process *p, struct gs_buf *out)
{
    static const char *const days[7] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
    gs_buf_fmt(out,
               "bursts %.6f/h\n    size=(mixture %.5f (constant 1) %.5f (lognormal median=%.4f "
               "sigma=%.4f) clip=..%.0f)\n",
               p->rate * HOUR_S, p->single, 1 - p->single, p->size_median, p->size_sigma,
               p->size_most);
    gs_buf_str(out, "    gap=(mixture");
    for (size_t k = 0; k < 2; k++)
        gs_buf_fmt(out, " %.5f (lognormal median=%.5fs sigma=%.5f)", k ? p->slow : 1 - p->slow,
                   p->gap_median[k], p->gap_sigma[k]);
    gs_buf_str(out, ")\n");
    if (p->timer > 0)
        gs_buf_fmt(out, "    timer=%.0fs\n", p->timer);
    for (int h = 0; h < 24; h++) /* in two words: a line of a scenario is at most 198 bytes long */
        gs_buf_fmt(out, "%s%d:%.3f",
                   h % 12 ? ","
                   : h    ? "\n    daily="
                          : "    daily=",
                   h, p->hour[h]);
    for (int d = 0; d < 7; d++)
        gs_buf_fmt(out, "%s%s:%.3f", d ? "," : "\n    weekly=", days[d], p->weekday[d]);
}

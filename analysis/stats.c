/* stats.c - t intervals of paired and of independent samples, effect sizes, Holm's adjustment.
 *
 * Paired: Student's t on the differences ("Student", 1908). Independent: Welch 1947, with Satterthwaite's degrees of freedom. Effect size: Cohen
 * 1988, d = mean / standard deviation. Many figures at once: Holm 1979, step-down. Sums are compensated and in the order given, quantiles are
 * those of sim/base/fmath, so that a table is the same everywhere; only the p-value is GSL's, and it is printed, never stored. */
#include "analysis/stats.h"

#include "sim/base/attr.h"
#include "sim/base/exact.h"
#include "sim/base/fmath.h"
#include "sim/base/mem.h"
#include "sim/base/sort.h"

#include <gsl/gsl_cdf.h>

#include <math.h>

#include "sim/base/banned.h"

struct moments {
    double mean, var; /* var: of the sample, n - 1; NaN where n < 2 */
};

/* Of a[i], or of b[i] - a[i] where there is a b. */
static struct moments moments_of(const double *a, const double *b, size_t n)
{
    struct gs_sum sum = {0}, sq = {0};
    struct moments m = {(double)NAN, (double)NAN};
    for (size_t i = 0; i < n; i++)
        gs_sum_add(&sum, b ? b[i] - a[i] : a[i]);
    if (n)
        m.mean = gs_sum_get(&sum) / (double)n;
    for (size_t i = 0; i < n; i++) {
        const double d = (b ? b[i] - a[i] : a[i]) - m.mean;
        gs_sum_add(&sq, d * d);
    }
    if (n > 1)
        m.var = gs_sum_get(&sq) / (double)(n - 1);
    return m;
}

static double half_width(double standard_error, uint32_t df, double level)
{
    return gs_t_inv(0.5 + level / 2, df) * standard_error;
}

static double half_of_mean(const struct moments *m, size_t n, double level)
{
    return n > 1 ? half_width(sqrt(m->var / (double)n), (uint32_t)(n - 1), level) : (double)NAN;
}

/* Interval and p of a difference with this standard error. Without any spread, a difference is certain. */
static void judge(struct gs_difference *out, double standard_error, double level)
{
    out->half = half_width(standard_error, out->df, level);
    if (out->equal)
        out->p = 1;
    else if (standard_error > 0)
        out->p = 2 * gsl_cdf_tdist_Q(fabs(out->diff) / standard_error, (double)out->df);
    else
        out->p = 0;
}

void gs_stats_paired(const double *a, const double *b, size_t n, double level,
                     struct gs_difference *out)
{
    const struct moments ma = moments_of(a, NULL, n), mb = moments_of(b, NULL, n);
    const struct moments d = moments_of(a, b, n);
    *out = (struct gs_difference){.na = n,
                                  .nb = n,
                                  .mean_a = ma.mean,
                                  .mean_b = mb.mean,
                                  .half_a = half_of_mean(&ma, n, level),
                                  .half_b = half_of_mean(&mb, n, level),
                                  .diff = d.mean,
                                  .half = (double)NAN,
                                  .p = (double)NAN,
                                  .effect = (double)NAN,
                                  .equal = 1};
    for (size_t i = 0; i < n; i++)
        out->equal &= !(b[i] < a[i]) && !(b[i] > a[i]);
    if (n < 2)
        return;
    out->df = (uint32_t)(n - 1);
    if (d.var > 0)
        out->effect = d.mean / sqrt(d.var);
    judge(out, sqrt(d.var / (double)n), level);
}

/* Satterthwaite's degrees of freedom, rounded down; at least 1. */
static uint32_t welch_df(double va, size_t na, double vb, size_t nb)
{
    const double top = (va + vb) * (va + vb);
    const double below = va * va / (double)(na - 1) + vb * vb / (double)(nb - 1);
    const double df = below > 0 ? top / below : (double)(na + nb - 2);
    return df < 1 ? 1 : (uint32_t)df;
}

static int all_same(const double *a, size_t na, const double *b, size_t nb)
{
    for (size_t i = 0; i < na; i++)
        if (a[i] < b[0] || a[i] > b[0])
            return 0;
    for (size_t i = 0; i < nb; i++)
        if (b[i] < a[0] || b[i] > a[0])
            return 0;
    return 1;
}

void gs_stats_welch(const double *a, size_t na, const double *b, size_t nb, double level,
                    struct gs_difference *out)
{
    const struct moments ma = moments_of(a, NULL, na), mb = moments_of(b, NULL, nb);
    *out = (struct gs_difference){.na = na,
                                  .nb = nb,
                                  .mean_a = ma.mean,
                                  .mean_b = mb.mean,
                                  .half_a = half_of_mean(&ma, na, level),
                                  .half_b = half_of_mean(&mb, nb, level),
                                  .diff = mb.mean - ma.mean,
                                  .half = (double)NAN,
                                  .p = (double)NAN,
                                  .effect = (double)NAN};
    out->equal = na && nb && all_same(a, na, b, nb);
    if (na < 2 || nb < 2)
        return;
    const double va = ma.var / (double)na, vb = mb.var / (double)nb;
    const double pooled =
        ((double)(na - 1) * ma.var + (double)(nb - 1) * mb.var) / (double)(na + nb - 2);
    out->df = welch_df(va, na, vb, nb);
    if (pooled > 0)
        out->effect = out->diff / sqrt(pooled);
    judge(out, sqrt(va + vb), level);
}

double gs_stats_detectable(const struct gs_difference *d, double level, double alpha, size_t n)
{
    if (n < 2 || !(d->half >= 0))
        return (double)NAN;
    const uint32_t df = (uint32_t)(n - 1);
    const double deviation = d->half / gs_t_inv(0.5 + level / 2, d->df) * sqrt((double)d->na);
    return (gs_t_inv(1 - alpha / 2, df) + gs_t_inv(0.8, df)) * deviation / sqrt((double)n);
}

size_t gs_stats_needed(const struct gs_difference *d, double level, double alpha, double size)
{
    size_t low = 1, high = 1000001; /* low is too few */
    while (high - low > 1) {
        const size_t mid = low + (high - low) / 2;
        *(gs_stats_detectable(d, level, alpha, mid) <= size ? &high : &low) = mid;
    }
    return high > 1000000 ? 0 : high;
}

static int by_p(const void *x, const void *y, const void *ctx)
{
    const double *p = ctx;
    const double a = p[*(const size_t *)x], b = p[*(const size_t *)y];
    return a < b ? -1 : a > b;
}

void gs_stats_holm(double *p, size_t n)
{
    size_t *at = GS_NEW_N(size_t, n + 1);
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(p[i]))
            at[m++] = i;
    gs_sort(at, m, sizeof *at, by_p, p);
    double least = 0; /* an adjusted p is never below that of a smaller one */
    for (size_t k = 0; k < m; k++) {
        double adjusted = p[at[k]] * (double)(m - k);
        adjusted = adjusted > 1 ? 1 : adjusted;
        least = adjusted > least ? adjusted : least;
        p[at[k]] = least;
    }
    gs_free(at);
}

/* dist.c - values and means of distributions, by inversion.
 *
 * A parsed distribution is a pure function from u in (0,1) to a value (its quantile function), so a draw costs exactly one random
 * number whatever the distribution: replacing a lognormal by a mixture leaves every other draw as it was. A mixture uses u
 * twice: its place in the table of weights chooses the part, and the rest of it, stretched to (0,1), is the part's own u.
 * clip is a clamp of the value, not a conditional distribution: mass beyond a bound sits on the bound.
 *
 * Means are closed forms; where clip leaves none, a fixed quadrature of the quantile function, refined towards both ends.
 * Cost of a draw: O(1); O(log n) for tables and samples; some microseconds for gamma. */
#include "traces/synth/dist.h"

#include "sim/base/fmath.h"

#include <math.h>

#include "sim/base/banned.h"

/* ---- Values ------------------------------------------------------------------------------------ */

static double clamp(const struct gs_dist *d, double x)
{
    if (x < d->lo)
        return d->lo;
    return x > d->hi ? d->hi : x;
}

/* The first i with u < upto[i]. */
static size_t place(const double *upto, size_t n, double u)
{
    size_t lo = 0;
    size_t hi = n - 1;
    while (lo < hi) {
        const size_t mid = (lo + hi) / 2;
        if (u < upto[mid])
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

static double between_samples(const struct gs_dist *d, double u)
{
    const double at = u * (double)(d->n - 1);
    size_t i = (size_t)at;
    if (i + 1 >= d->n)
        return d->value[d->n - 1];
    return d->value[i] + (at - (double)i) * (d->value[i + 1] - d->value[i]);
}

/* The quantile of anything but a mixture. */
static double quantile_of(const struct gs_dist *d, double u)
{
    switch (d->kind) {
    case GS_DIST_CONSTANT: return d->a;
    case GS_DIST_EXPONENTIAL: return -d->a * gs_log(1 - u);               /* mean */
    case GS_DIST_LOGNORMAL: return d->a * gs_exp(d->b * gs_norm_inv(u));  /* median, sigma */
    case GS_DIST_WEIBULL: return d->a * gs_pow(-gs_log(1 - u), 1 / d->b); /* scale, shape */
    case GS_DIST_GAMMA: return d->a * gs_gamma_quantile(&d->gamma, u);    /* scale */
    case GS_DIST_PARETO: return d->a * gs_exp(-gs_log(1 - u) / d->b);     /* min, alpha */
    case GS_DIST_UNIFORM: return d->a + u * (d->b - d->a);                /* from, to */
    case GS_DIST_TABLE: return d->value[place(d->upto, d->n, u)];
    case GS_DIST_SAMPLE: return between_samples(d, u);
    case GS_DIST_MIXTURE: break;
    }
    gs_panic(__FILE__, __LINE__, "verify", "a mixture inside a mixture");
}

static double quantile(const struct gs_dist *d, double u)
{
    if (d->kind != GS_DIST_MIXTURE)
        return clamp(d, quantile_of(d, u));
    const size_t i = place(d->upto, d->n, u);
    const double from = i ? d->upto[i - 1] : 0;
    double inner = (u - from) / (d->upto[i] - from);
    if (!(inner > 0x1p-60))
        inner = 0x1p-60;
    if (!(inner < 1 - 0x1p-53))
        inner = 1 - 0x1p-53;
    return clamp(d, clamp(&d->part[i], quantile_of(&d->part[i], inner)));
}

double gs_dist_draw(const struct gs_dist *d, struct gs_stream *s)
{
    return quantile(d, gs_open(s));
}

/* ---- Means ------------------------------------------------------------------------------------- */

static int is_clipped(const struct gs_dist *d)
{
    return d->lo > -(double)INFINITY || d->hi < (double)INFINITY;
}

/* The quantile function over [from, to], three-point Gauss-Legendre on 16 pieces. */
static double piece(const struct gs_dist *d, double from, double to)
{
    enum {
        PIECES = 16
    };

    const double x = 0.77459666924148337704;
    const double h = (to - from) / (2 * PIECES);
    double sum = 0;
    for (int i = 0; i < PIECES; i++) {
        const double mid = from + h * (2 * i + 1);
        sum += 5 * quantile(d, mid - x * h) + 8 * quantile(d, mid) + 5 * quantile(d, mid + x * h);
    }
    return sum * h / 9;
}

static double integrate(const struct gs_dist *d)
{
    double sum = 0;
    double edge = 0.5;
    for (int k = 0; k < 44; k++) { /* halves towards 0 and towards 1 */
        sum += piece(d, edge / 2, edge) + piece(d, 1 - edge, 1 - edge / 2);
        edge /= 2;
    }
    return sum + edge * (quantile(d, edge / 2) + quantile(d, 1 - edge / 2));
}

static double table_mean(const struct gs_dist *d)
{
    double sum = 0;
    for (size_t i = 0; i < d->n; i++)
        sum += clamp(d, d->value[i]) * (d->upto[i] - (i ? d->upto[i - 1] : 0));
    return sum;
}

static double sample_mean(const struct gs_dist *d)
{
    double sum = 0;
    for (size_t i = 0; i + 1 < d->n; i++)
        sum += (d->value[i] + d->value[i + 1]) / 2;
    return d->n > 1 ? sum / (double)(d->n - 1) : d->value[0];
}

/* Of anything but a mixture. */
static double mean_of(const struct gs_dist *d)
{
    if (d->kind == GS_DIST_TABLE)
        return table_mean(d);
    if (d->kind == GS_DIST_CONSTANT)
        return clamp(d, d->a);
    if (is_clipped(d))
        return d->kind == GS_DIST_PARETO && !(d->b > 1) && d->hi >= (double)INFINITY ? (double)NAN
                                                                                     : integrate(d);
    switch (d->kind) {
    case GS_DIST_EXPONENTIAL: return d->a;
    case GS_DIST_LOGNORMAL: return d->a * gs_exp(d->b * d->b / 2);
    case GS_DIST_WEIBULL: return d->a * gs_exp(gs_ln_gamma(1 + 1 / d->b));
    case GS_DIST_GAMMA: return d->a * d->gamma.shape;
    case GS_DIST_PARETO: return d->b > 1 ? d->a * d->b / (d->b - 1) : (double)NAN;
    case GS_DIST_UNIFORM: return (d->a + d->b) / 2;
    case GS_DIST_SAMPLE: return sample_mean(d);
    case GS_DIST_CONSTANT:
    case GS_DIST_TABLE:
    case GS_DIST_MIXTURE: break;
    }
    return (double)NAN;
}

double gs_dist_mean(const struct gs_dist *d)
{
    if (d->kind != GS_DIST_MIXTURE)
        return mean_of(d);
    double sum = 0;
    for (size_t i = 0; i < d->n; i++)
        sum += mean_of(&d->part[i]) * (d->upto[i] - (i ? d->upto[i - 1] : 0));
    if (!is_clipped(d) || (sum != sum && d->hi >= (double)INFINITY))
        return sum;
    return integrate(d);
}

/* lognormals.c - mixtures of lognormals: expectation and maximisation, then Nelder and Mead on the distribution function.
 *
 * Maximum likelihood (Dempster, Laird and Rubin, J. Royal Stat. Soc. B 39, 1977) finds the parts, from a few fixed starting points, of
 * which the one nearest to the sample is kept. Likelihood weighs a spike or the tail as its density has it; what a workload is
 * judged by is its distribution function and its mean (the load!). So GSL's simplex minimiser moves the parts until the mean
 * square difference of the distribution functions, plus the square of the logarithm of the means' ratio, is least.
 *
 * The sample is put into bins of 1/64 of a natural-logarithm unit, so a step costs O(bins x parts), whatever the number of
 * jobs: some hundred milliseconds a class. */
#include "traces/fit/lognormals.h"

#include "sim/base/fmath.h"
#include "sim/base/mem.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_multimin.h>

#include <math.h>

#include "sim/base/banned.h"

#define BINS_A_UNIT  64
#define EM_STEPS     400
#define NM_STEPS     600
#define SIGMA_LEAST  0.02
#define MEDIAN_LEAST 0.0001 /* seconds, as it is written */
#define NM_ROUNDS    2
#define MEAN_WEIGHT  1.0 /* a mean 1 % off weighs like distribution functions 0.01 apart */

struct bins {
    size_t n;
    double *x, *w,
        *upto;    /* middle, weight, and the sample's distribution function at the right edge */
    double *edge; /* right edge */
    double least, most, mean, sd; /* of the logarithms; mean of the values */
    double value_mean;
};

static struct bins make_bins(const struct gs_sample *s, double least)
{
    const double lo = gs_log(s->x[0] > least ? s->x[0] : least);
    const double top = s->x[s->n - 1];
    const double hi = gs_log(top > least ? top : least);
    struct bins b = {.least = lo, .most = hi};
    b.n = (size_t)((hi - lo) * BINS_A_UNIT) + 1;
    b.x = GS_NEW_N(double, b.n);
    b.w = GS_NEW_N(double, b.n);
    b.upto = GS_NEW_N(double, b.n);
    b.edge = GS_NEW_N(double, b.n);
    double before = 0;
    for (size_t i = 0; i < b.n; i++) {
        b.x[i] = lo + ((double)i + 0.5) / BINS_A_UNIT;
        b.edge[i] = lo + (double)(i + 1) / BINS_A_UNIT;
        b.upto[i] = i + 1 < b.n ? gs_sample_at(s, gs_exp(b.edge[i])) : 1;
        b.w[i] = b.upto[i] - before;
        before = b.upto[i];
        b.mean += b.w[i] * b.x[i];
    }
    for (size_t i = 0; i < b.n; i++)
        b.sd += b.w[i] * (b.x[i] - b.mean) * (b.x[i] - b.mean);
    b.sd = sqrt(b.sd);
    b.value_mean = s->mean;
    return b;
}

static void free_bins(struct bins *b)
{
    gs_free(b->x);
    gs_free(b->w);
    gs_free(b->upto);
    gs_free(b->edge);
}

/* ---- Parts ------------------------------------------------------------------------------------- */

/* In logarithms. */
struct parts {
    size_t n;
    double weight[GS_LOGNORMALS_MOST], mu[GS_LOGNORMALS_MOST], sigma[GS_LOGNORMALS_MOST];
};

static double cdf_of(const struct parts *p, double x)
{
    double sum = 0;
    for (size_t k = 0; k < p->n; k++)
        sum += p->weight[k] * gsl_cdf_ugaussian_P((x - p->mu[k]) / p->sigma[k]);
    return sum;
}

/* Mean of the values, clipped at the sample's largest. */
static double mean_of(const struct parts *p, double most)
{
    double sum = 0;
    for (size_t k = 0; k < p->n; k++) {
        const double m = p->mu[k];
        const double s = p->sigma[k];
        sum += p->weight[k] * (gs_exp(m + s * s / 2) * gsl_cdf_ugaussian_P((most - m - s * s) / s) +
                               gs_exp(most) * gsl_cdf_ugaussian_Q((most - m) / s));
    }
    return sum;
}

static double distance(const struct bins *b, const struct parts *p)
{
    double most = 0;
    for (size_t i = 0; i + 1 < b->n; i++) {
        const double off = fabs(cdf_of(p, b->edge[i]) - b->upto[i]);
        most = off > most ? off : most;
    }
    return most;
}

/* One step of expectation and maximisation. */
static void em_step(const struct bins *b, struct parts *p)
{
    double sum[GS_LOGNORMALS_MOST] = {0};
    double first[GS_LOGNORMALS_MOST] = {0};
    double second[GS_LOGNORMALS_MOST] = {0};
    for (size_t i = 0; i < b->n; i++) {
        if (!(b->w[i] > 0))
            continue;
        double density[GS_LOGNORMALS_MOST];
        double total = 1e-300;
        for (size_t k = 0; k < p->n; k++) {
            const double z = (b->x[i] - p->mu[k]) / p->sigma[k];
            density[k] = p->weight[k] / p->sigma[k] * gs_exp(-z * z / 2);
            total += density[k];
        }
        for (size_t k = 0; k < p->n; k++) {
            const double r = b->w[i] * density[k] / total;
            sum[k] += r;
            first[k] += r * b->x[i];
            second[k] += r * b->x[i] * b->x[i];
        }
    }
    for (size_t k = 0; k < p->n; k++) {
        p->weight[k] = sum[k];
        if (!(sum[k] > 1e-9))
            continue;
        p->mu[k] = first[k] / sum[k];
        const double var = second[k] / sum[k] - p->mu[k] * p->mu[k];
        p->sigma[k] = var > SIGMA_LEAST * SIGMA_LEAST ? sqrt(var) : SIGMA_LEAST;
    }
}

static double quantile(const struct bins *b, double q)
{
    size_t i = 0;
    while (i + 1 < b->n && b->upto[i] < q)
        i++;
    return b->x[i];
}

/* Starting points: where the parts' middles stand, as quantiles of the sample. */
static const double starts[][GS_LOGNORMALS_MOST] = {
    {0.17, 0.5, 0.83}, {0.1, 0.3, 0.8}, {0.3, 0.7, 0.95}, {0.5, 0.9, 0.99}};

static struct parts begin(const struct bins *b, size_t n, const double *at)
{
    struct parts p = {.n = n};
    gs_require(n >= 1 && n <= GS_LOGNORMALS_MOST);
    for (size_t k = 0; k < n; k++) {
        p.weight[k] = 1.0 / (double)n;
        p.mu[k] = n == 1 ? b->mean : quantile(b, at[k]);
        p.sigma[k] = b->sd / (double)n > SIGMA_LEAST ? b->sd / (double)n : SIGMA_LEAST;
    }
    return p;
}

/* ---- Refinement -------------------------------------------------------------------------------- */

/* Weights as logits against the first, sigmas as logarithms: every vector is a valid mixture. */
static void to_vector(const struct parts *p, gsl_vector *v)
{
    size_t at = 0;
    for (size_t k = 0; k < p->n; k++) {
        gsl_vector_set(v, at++, p->mu[k]);
        gsl_vector_set(v, at++, gs_log(p->sigma[k]));
    }
    const double first = p->weight[0] > 1e-6 ? p->weight[0] : 1e-6;
    for (size_t k = 1; k < p->n; k++)
        gsl_vector_set(v, at++, gs_log((p->weight[k] > 1e-6 ? p->weight[k] : 1e-6) / first));
}

static struct parts from_vector(const gsl_vector *v, size_t n)
{
    struct parts p = {.n = n};
    size_t at = 0;
    for (size_t k = 0; k < n; k++) {
        p.mu[k] = gsl_vector_get(v, at++);
        const double s = gs_exp(gsl_vector_get(v, at++));
        p.sigma[k] = s > SIGMA_LEAST ? s : SIGMA_LEAST;
    }
    double total = 1;
    p.weight[0] = 1;
    for (size_t k = 1; k < n; k++) {
        p.weight[k] = gs_exp(gsl_vector_get(v, at++));
        total += p.weight[k];
    }
    for (size_t k = 0; k < n; k++)
        p.weight[k] /= total;
    return p;
}

struct aim {
    const struct bins *b;
    size_t n;
};

static double miss(const gsl_vector *v, void *ctx)
{
    const struct aim *aim = ctx;
    const struct bins *b = aim->b;
    const struct parts p = from_vector(v, aim->n);
    double sum = 0;
    for (size_t i = 0; i + 1 < b->n; i++) {
        const double off = cdf_of(&p, b->edge[i]) - b->upto[i];
        sum += off * off * (b->w[i] + 0.5 / (double)b->n);
    }
    const double ratio = gs_log(mean_of(&p, b->most) / b->value_mean);
    const double all = sum + MEAN_WEIGHT * ratio * ratio;
    return isfinite(all) ? all : 1e9;
}

static struct parts refine(const struct bins *b, struct parts p)
{
    struct aim aim = {b, p.n};
    const size_t dim = 3 * p.n - 1;
    gsl_multimin_function f = {miss, dim, &aim};
    gsl_vector *x = gsl_vector_alloc(dim);
    gsl_vector *step = gsl_vector_alloc(dim);
    gsl_multimin_fminimizer *m =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, dim);
    to_vector(&p, x);
    for (int round = 0; round < NM_ROUNDS; round++) { /* spread out again from the best */
        gsl_vector_set_all(step, round % 2 ? -0.1 : 0.2);
        (void)gsl_multimin_fminimizer_set(m, &f, x, step);
        for (int i = 0; i < NM_STEPS && gsl_multimin_fminimizer_iterate(m) == 0; i++)
            if (gsl_multimin_fminimizer_size(m) < 1e-4)
                break;
        (void)gsl_vector_memcpy(x, gsl_multimin_fminimizer_x(m));
    }
    p = from_vector(gsl_multimin_fminimizer_x(m), p.n);
    gsl_multimin_fminimizer_free(m);
    gsl_vector_free(x);
    gsl_vector_free(step);
    return p;
}

struct gs_lognormals gs_lognormals_fit(const struct gs_sample *s, size_t parts, double least)
{
    struct bins b = make_bins(s, least);
    if (s->n < 4 * parts || !(b.sd > SIGMA_LEAST))
        parts = 1;
    struct parts best = {0};
    double nearest = 2;
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        struct parts p = begin(&b, parts, starts[i]);
        for (int k = 0; k < EM_STEPS; k++)
            em_step(&b, &p);
        if (b.sd > SIGMA_LEAST) /* else all values are the same: nothing to refine */
            p = refine(&b, p);
        const double off = distance(&b, &p);
        if (off < nearest) {
            nearest = off;
            best = p;
        }
    }
    struct gs_lognormals out = {.n = parts, .most = gs_exp(b.most), .distance = nearest};
    for (size_t k = 0; k < parts; k++) {
        out.weight[k] = best.weight[k];
        out.median[k] = gs_exp(best.mu[k]);
        out.sigma[k] = best.sigma[k];
    }
    free_bins(&b);
    return out;
}

void gs_lognormals_write(const struct gs_lognormals *m, struct gs_buf *out)
{
    if (m->n > 1)
        gs_buf_str(out, "mixture");
    for (size_t k = 0; k < m->n; k++) {
        if (m->n > 1)
            gs_buf_fmt(out, "\n    %.5f (", m->weight[k]);
        const double x = m->median[k] > MEDIAN_LEAST ? m->median[k] : MEDIAN_LEAST;
        gs_buf_fmt(out, x < 10 ? "lognormal median=%.4fs" : "lognormal median=%.1fs", x);
        gs_buf_fmt(out, " sigma=%.4f", m->sigma[k]);
        if (m->n > 1)
            gs_buf_str(out, ")");
    }
    gs_buf_fmt(out, "%sclip=..%.0fs", m->n > 1 ? "\n    " : " ", m->most < 1 ? 1 : m->most);
}

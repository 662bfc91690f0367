/* spread.c - percentiles of a stream: exact while it is short, by a histogram of equal ratios when it is long.
 *
 * The bin of a number is read off its representation: a positive double, taken as an integer, grows with its value, and its upper bits
 * are the exponent and the first bits of the mantissa. Cost: O(1) a number, O(n log n) once. */
#include "traces/spread.h"

#include "sim/base/sort.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

#define MANTISSA_BITS 7
#define SHIFT         (52 - MANTISSA_BITS)
#define BINS          ((size_t)1 << (11 + MANTISSA_BITS))

static size_t bin_of(double x)
{
    uint64_t bits = 0;
    memcpy(&bits, &x, sizeof bits);
    return (size_t)(bits >> SHIFT);
}

static double edge(size_t bin)
{
    const uint64_t bits = (uint64_t)bin << SHIFT;
    double x = 0;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void pour(struct gs_spread_of *s)
{
    s->bins = GS_NEW_N(uint64_t, BINS);
    for (size_t i = 0; i < s->kept.n; i++)
        s->bins[bin_of(s->kept.v[i])]++;
    gs_vec_free(&s->kept);
}

void gs_spread_add(struct gs_spread_of *s, double x)
{
    gs_require(x >= 0 && x <= 1e300);
    x += 0.0; /* no negative zero */
    s->min = s->n == 0 || x < s->min ? x : s->min;
    s->max = s->n == 0 || x > s->max ? x : s->max;
    s->n++;
    gs_sum_add(&s->sum, x);
    gs_sum_add(&s->squares, x * x);
    if (s->bins) {
        s->bins[bin_of(x)]++;
        return;
    }
    gs_vec_push(&s->kept, x);
    if (s->n >= GS_INFO_EXACT)
        pour(s);
}

/* The middle of the bin that holds the number of rank q, within the extremes. */
static double from_bins(const struct gs_spread_of *s, double q)
{
    const uint64_t rank = (uint64_t)(q * (double)(s->n - 1));
    uint64_t below = 0;
    size_t bin = 0;
    while ((below += s->bins[bin]) <= rank)
        bin++;
    const double x = (edge(bin) + edge(bin + 1)) / 2;
    return x < s->min ? s->min : x > s->max ? s->max : x;
}

struct gs_spread gs_spread_get(struct gs_spread_of *s)
{
    if (s->n == 0)
        return (struct gs_spread){0};
    struct gs_spread out = {.n = s->n, .min = s->min, .max = s->max};
    gs_sort_doubles(s->kept.v, s->kept.n);
    for (int i = 0; i <= 100; i++)
        out.at[i] =
            s->bins ? from_bins(s, i / 100.0) : gs_quantile(s->kept.v, s->kept.n, i / 100.0);
    const double n = (double)s->n;
    const double mean = gs_sum_get(&s->sum) / n;
    const double var = gs_sum_get(&s->squares) / n - mean * mean;
    out.mean = mean;
    out.cv = mean > 0 && var > 0 ? sqrt(var) / mean : 0;
    out.p5 = out.at[5];
    out.p25 = out.at[25];
    out.p50 = out.at[50];
    out.p75 = out.at[75];
    out.p90 = out.at[90];
    out.p95 = out.at[95];
    out.p99 = out.at[99];
    return out;
}

void gs_spread_free(struct gs_spread_of *s)
{
    gs_vec_free(&s->kept);
    gs_free(s->bins);
    s->bins = NULL;
}

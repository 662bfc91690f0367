/* sample.c - weighted samples as step functions. Building one is O(n log n), a look-up O(log n), a distance O(n + m). */
#include "traces/fit/sample.h"

#include "sim/base/mem.h"
#include "sim/base/sort.h"

#include <math.h>

#include "sim/base/banned.h"

struct pair {
    double x, w;
};

static int by_value(const void *a, const void *b, const void *ctx)
{
    const double x = ((const struct pair *)a)->x;
    const double y = ((const struct pair *)b)->x;
    (void)ctx;
    return (x > y) - (x < y);
}

/* Mean and coefficient of variation, in the order of the values. */
static void set_moments(struct gs_sample *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++)
        sum += s->x[i] * (s->upto[i] - (i ? s->upto[i - 1] : 0));
    s->mean = sum;
    double squares = 0;
    for (size_t i = 0; i < s->n; i++) {
        const double off = s->x[i] - sum;
        squares += off * off * (s->upto[i] - (i ? s->upto[i - 1] : 0));
    }
    s->cv = sum > 0 ? sqrt(squares) / sum : 0;
}

struct gs_sample gs_sample_of(const double *x, const double *w, size_t n)
{
    struct gs_sample s = {0};
    if (n == 0)
        return s;
    struct pair *p = GS_NEW_N(struct pair, n);
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        p[i] = (struct pair){x[i], w ? w[i] : 1};
        total += p[i].w;
    }
    gs_sort(p, n, sizeof *p, by_value, NULL);
    s.x = GS_NEW_N(double, n);
    s.upto = GS_NEW_N(double, n);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += p[i].w;
        if (s.n == 0 || p[i].x > s.x[s.n - 1])
            s.x[s.n++] = p[i].x;
        s.upto[s.n - 1] = sum / total;
    }
    s.upto[s.n - 1] = 1;
    gs_free(p);
    set_moments(&s);
    return s;
}

void gs_sample_free(struct gs_sample *s)
{
    gs_free(s->x);
    gs_free(s->upto);
    *s = (struct gs_sample){0};
}

/* How many values are <= x. */
static size_t count_to(const struct gs_sample *s, double x)
{
    size_t lo = 0;
    size_t hi = s->n;
    while (lo < hi) {
        const size_t mid = (lo + hi) / 2;
        if (s->x[mid] <= x)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

double gs_sample_at(const struct gs_sample *s, double x)
{
    const size_t k = count_to(s, x);
    return k ? s->upto[k - 1] : 0;
}

double gs_sample_quantile(const struct gs_sample *s, double q)
{
    size_t lo = 0;
    size_t hi = s->n - 1;
    while (lo < hi) {
        const size_t mid = (lo + hi) / 2;
        if (s->upto[mid] < q)
            lo = mid + 1;
        else
            hi = mid;
    }
    return s->x[lo];
}

double gs_sample_distance(const struct gs_sample *a, const struct gs_sample *b)
{
    size_t i = 0;
    size_t k = 0;
    double most = 0;
    while (i < a->n || k < b->n) {
        const double x = k == b->n || (i < a->n && a->x[i] <= b->x[k]) ? a->x[i] : b->x[k];
        i += i < a->n && a->x[i] <= x;
        k += k < b->n && b->x[k] <= x;
        const double off = fabs((i ? a->upto[i - 1] : 0) - (k ? b->upto[k - 1] : 0));
        most = off > most ? off : most;
    }
    return most;
}

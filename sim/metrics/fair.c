/* fair.c - two measures of fairness over queues: Jain's index, and the weighted max-min share.
 *
 * Jain's index (DEC-TR-301, 1984) of x_1..x_n is (sum x)^2 / (n sum x^2): 1 when all are equal, 1/n when one has everything. The weighted
 * max-min share fills all queues at rates proportional to their weights; a queue that has all it wants drops out and the rest
 * goes on, until the capacity is used up. Water-filling in order of demand/weight: O(n log n); ties end in the index. */
#include "sim/base/mem.h"
#include "sim/metrics/internal.h"

#include <math.h>

#include "sim/base/banned.h"

double gs_jain(const double *x, size_t n)
{
    struct gs_sum s = {0}, q = {0};
    for (size_t i = 0; i < n; i++) {
        gs_sum_add(&s, x[i]);
        gs_sum_add(&q, x[i] * x[i]);
    }
    const double sum = gs_sum_get(&s), squares = gs_sum_get(&q);
    return squares > 0 ? sum * sum / ((double)n * squares) : (double)NAN;
}

struct want {
    double demand, weight;
    double weights; /* of this one and all after it */
    size_t index;
};

static int by_fill(const void *a, const void *b, const void *ctx)
{
    const struct want *x = a, *y = b;
    (void)ctx;
    /* demand/weight without a division: weight 0 fills last */
    const double l = x->demand * y->weight, r = y->demand * x->weight;
    if (l < r || l > r)
        return l < r ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

void gs_max_min(const double *demand, const double *weight, size_t n, double capacity, double *out)
{
    struct want *w = GS_NEW_N(struct want, n);
    double weights = 0;
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        out[i] = 0;
        if (weight[i] > 0 && demand[i] > 0)
            w[k++] = (struct want){demand[i], weight[i], 0, i};
    }
    gs_sort(w, k, sizeof *w, by_fill, NULL);
    for (size_t i = k; i-- > 0;)
        w[i].weights = weights += w[i].weight;
    for (size_t i = 0; i < k && capacity > 0; i++) {
        const double share = capacity * (w[i].weight / w[i].weights);
        const double got = share < w[i].demand ? share : w[i].demand;
        out[w[i].index] = got;
        capacity -= got;
    }
    gs_free(w);
}

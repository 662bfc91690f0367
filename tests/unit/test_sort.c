/* test_sort.c - stable sorting, sorting of doubles, type-7 quantiles. */
#include "sim/base/rng.h"
#include "sim/base/sort.h"
#include "tests/unit/harness.h"

#include <math.h>

struct card {
    uint32_t key, place;
    unsigned char ballast[3];
};

static int by_key(const void *a, const void *b, const void *ctx)
{
    const struct card *x = a;
    const struct card *y = b;
    const int sign = *(const int *)ctx;
    return sign * ((x->key > y->key) - (x->key < y->key));
}

static void sorting_is_stable(void)
{
    static const size_t sizes[] = {0, 1, 2, 7, 8, 9, 16, 17, 100, 1000, 4097};
    static struct card v[4097];
    struct gs_stream s;
    gs_stream_init(&s, 1, GS_RNG_TEST, 0, 0);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            const size_t n = sizes[k];
            for (size_t i = 0; i < n; i++)
                v[i] = (struct card){(uint32_t)gs_below(&s, 10), (uint32_t)i, {1, 2, 3}};
            gs_sort(v, n, sizeof *v, by_key, &sign);
            for (size_t i = 1; i < n; i++) {
                const int c = by_key(&v[i - 1], &v[i], &sign);
                CU_ASSERT(c < 0 || (c == 0 && v[i - 1].place < v[i].place));
                GS_EQ_INT(v[i].ballast[2], 3);
            }
        }
    }
}

static int counting(const void *a, const void *b, const void *ctx)
{
    size_t *n = *(size_t *const *)ctx;
    ++*n;
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sorted_input_costs_linear_time(void)
{
    static uint32_t v[100000];
    for (uint32_t i = 0; i < 100000; i++)
        v[i] = i;
    size_t compared = 0;
    size_t *const counter = &compared;
    gs_sort(v, 100000, sizeof *v, counting, &counter);
    CU_ASSERT(compared < 120000);
    CU_ASSERT(v[99999] == 99999);
}

static void doubles_sort_by_value(void)
{
    double few[] = {3, -1, (double)INFINITY, 0, -2.5, 1e-310, -(double)INFINITY, 3};
    gs_sort_doubles(few, 8);
    const double want[] = {-(double)INFINITY, -2.5, -1, 0, 1e-310, 3, 3, (double)INFINITY};
    for (int i = 0; i < 8; i++)
        GS_EQ_BITS(few[i], want[i]);

    static double v[50000];
    struct gs_stream s;
    gs_stream_init(&s, 1, GS_RNG_TEST, 0, 1);
    double sum = 0;
    for (int i = 0; i < 50000; i++)
        sum += v[i] = (double)gs_below(&s, 1000000) - 500000;
    gs_sort_doubles(v, 50000);
    for (int i = 1; i < 50000; i++)
        CU_ASSERT(v[i - 1] <= v[i]);
    for (int i = 0; i < 50000; i++)
        sum -= v[i];
    GS_EQ_BITS(sum, 0); /* the same numbers: their sums are exact */
    gs_sort_doubles(v, 0);
}

static void quantiles_by_hand(void)
{
    const double v[] = {1, 2, 4, 8};

    static const struct {
        double q, want;
    } table[] = {{0, 1}, {1, 8}, {0.5, 3}, {0.25, 1.75}, {0.75, 5}, {1.0 / 3, 2}};

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        GS_NEAR(gs_quantile(v, 4, table[i].q), table[i].want, 1e-15);
    const double one = 7;
    GS_EQ_BITS(gs_quantile(&one, 1, 0.95), 7);
}

static void unfinished_jobs_make_upper_quantiles_infinite(void)
{
    const double inf = (double)INFINITY;
    const double v[] = {1, 2, 3, inf, inf};
    GS_EQ_BITS(gs_quantile(v, 5, 0.5), 3);
    GS_EQ_BITS(gs_quantile(v, 5, 0.51), inf);
    GS_EQ_BITS(gs_quantile(v, 5, 0.9), inf);
    GS_EQ_BITS(gs_quantile(v, 5, 1), inf);
}

static const struct gs_test tests[] = {
    {"stable", sorting_is_stable},
    {"sorted input", sorted_input_costs_linear_time},
    {"doubles", doubles_sort_by_value},
    {"quantiles by hand", quantiles_by_hand},
    {"infinite quantiles", unfinished_jobs_make_upper_quantiles_infinite},
};
GS_TEST_MAIN("base/sort", tests)

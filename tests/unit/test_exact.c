/* test_exact.c - integrals of step functions against brute force, compensated sums. */
#include "sim/base/attr.h"
#include "sim/base/exact.h"
#include "sim/base/rng.h"
#include "tests/unit/harness.h"

#include <math.h>

static void integral_equals_the_sum_over_every_instant(void)
{
    struct gs_stream s;
    gs_stream_init(&s, 9, GS_RNG_TEST, 0, 0);
    for (int round = 0; round < 200; round++) {
        const int64_t from = (int64_t)gs_below(&s, 200);
        const int64_t to = from + (int64_t)gs_below(&s, 300);
        struct gs_integral in;
        gs_integral_init(&in, from, to);
        int64_t t = 0;
        int64_t level = 0;
        int64_t brute = 0;
        while (t < 600) {
            const int64_t next = t + (int64_t)gs_below(&s, 40);
            for (; t < next; t++)
                brute += t >= from && t < to ? level : 0;
            level = (int64_t)gs_below(&s, 100) - 20;
            gs_integral_set(&in, t, level);
            GS_EQ_INT(gs_integral_at(&in, t), brute);
        }
        for (int64_t k = t; k < t + 50; k++)
            brute += k >= from && k < to ? level : 0;
        GS_EQ_INT(gs_integral_at(&in, t + 50), brute);
    }
}

static void integral_does_not_overflow_64_bits(void)
{
    struct gs_integral in;
    gs_integral_init(&in, 0, GS_NEVER);
    gs_integral_set(&in, 0, INT64_C(8000000)); /* 8,000 GPUs in milli-GPU */
    const int64_t years10 = INT64_C(315360000) * GS_SECOND;
    const gs_i128 sum = gs_integral_at(&in, years10);
    CU_ASSERT(sum == (gs_i128)8000000 * years10);
    GS_EQ_BITS(gs_i128_to_double(sum, 1e3 * 3600e9), 8000.0 * 87600);
}

static void a_window_that_is_empty_counts_nothing(void)
{
    struct gs_integral in;
    gs_integral_init(&in, 100, 100);
    gs_integral_set(&in, -5, 7);
    gs_integral_set(&in, 200, 0);
    GS_EQ_INT(gs_integral_at(&in, 300), 0);
}

static void neumaier_keeps_what_kahan_loses(void)
{
    struct gs_sum s = {0};
    gs_sum_add(&s, 1);
    gs_sum_add(&s, 1e100);
    gs_sum_add(&s, 1);
    gs_sum_add(&s, -1e100);
    GS_EQ_BITS(gs_sum_get(&s), 2);
    struct gs_sum tenth = {0};
    for (int i = 0; i < 1000000; i++)
        gs_sum_add(&tenth, 0.1);
    GS_NEAR(gs_sum_get(&tenth), 1000000 * 0.1, 1e-10);
}

static void an_infinite_term_stays_infinite(void)
{
    struct gs_sum s = {0};
    gs_sum_add(&s, 1);
    gs_sum_add(&s, (double)INFINITY);
    gs_sum_add(&s, 1);
    GS_EQ_BITS(gs_sum_get(&s), (double)INFINITY);
}

static const struct gs_test tests[] = {
    {"integral equals brute force", integral_equals_the_sum_over_every_instant},
    {"integral beyond 64 bits", integral_does_not_overflow_64_bits},
    {"empty window", a_window_that_is_empty_counts_nothing},
    {"compensated sum", neumaier_keeps_what_kahan_loses},
    {"infinite term", an_infinite_term_stays_infinite},
};
GS_TEST_MAIN("base/exact", tests)

/* Comparisons: paired t, Welch, Holm and effect sizes against values worked out by hand or with R. */
#include "analysis/job_test.h"
#include "analysis/stats.h"
#include "harness.h"

#include <math.h>

static void paired_by_hand(void)
{
    /* differences 1 3 2 4 0: mean 2, variance 2.5; t = 2 / sqrt(2.5 / 5) = 2.8284; t(0.975, 4) = 2.776445 */
    const double a[] = {10, 20, 30, 40, 50}, b[] = {11, 23, 32, 44, 50};
    struct gs_difference d;
    gs_stats_paired(a, b, 5, 0.95, &d);
    GS_EQ_INT(d.na, 5);
    GS_EQ_INT(d.df, 4);
    GS_EQ_INT(d.equal, 0);
    GS_NEAR(d.mean_a, 30, 1e-12);
    GS_NEAR(d.mean_b, 32, 1e-12);
    GS_NEAR(d.diff, 2, 1e-12);
    GS_NEAR(d.half, 2.7764451051977987 * sqrt(0.5), 1e-9);
    GS_NEAR(d.p, 0.04742065, 1e-7); /* R: t.test(b, a, paired = TRUE) */
    GS_NEAR(d.effect, 2 / sqrt(2.5), 1e-12);
    GS_NEAR(d.half_a, 2.7764451051977987 * sqrt(250.0 / 5), 1e-7);
}

static void paired_sees_what_independence_hides(void)
{
    /* runs differ by thousands, pairs by one each: only pairing tells */
    const double a[] = {1000, 5000, 9000, 3000}, b[] = {1001, 5001.1, 9000.9, 3001};
    struct gs_difference paired, welch;
    gs_stats_paired(a, b, 4, 0.95, &paired);
    gs_stats_welch(a, 4, b, 4, 0.95, &welch);
    CU_ASSERT(paired.p < 0.001);
    CU_ASSERT(welch.p > 0.9);
    GS_NEAR(paired.diff, welch.diff, 1e-9);
}

static void equal_runs(void)
{
    const double a[] = {1, 2, 3};
    struct gs_difference d;
    gs_stats_paired(a, a, 3, 0.95, &d);
    GS_EQ_INT(d.equal, 1);
    GS_NEAR(d.diff, 0, 0);
    GS_NEAR(d.half, 0, 0);
    GS_NEAR(d.p, 1, 0);
    CU_ASSERT(isnan(d.effect));
}

static void the_same_step_everywhere_is_certain(void)
{
    const double a[] = {1, 2, 3}, b[] = {2, 3, 4};
    struct gs_difference d;
    gs_stats_paired(a, b, 3, 0.95, &d);
    GS_EQ_INT(d.equal, 0);
    GS_NEAR(d.p, 0, 0);
    CU_ASSERT(isnan(d.effect)); /* no spread to measure it by */
}

static void one_pair_has_no_interval(void)
{
    const double a[] = {4}, b[] = {5};
    struct gs_difference d;
    gs_stats_paired(a, b, 1, 0.95, &d);
    GS_NEAR(d.diff, 1, 0);
    CU_ASSERT(isnan(d.half));
    CU_ASSERT(isnan(d.p));
    gs_stats_paired(a, b, 0, 0.95, &d);
    CU_ASSERT(isnan(d.mean_a));
    CU_ASSERT(isnan(d.diff));
}

static void welch_by_hand(void)
{
    /* variances 2.5 and 10 over 5 each: se = sqrt(2.5), df = 2.5^2 / (0.25/4 + 4/4) = 5.88 -> 5; t(0.975, 5) = 2.570582 */
    const double a[] = {1, 2, 3, 4, 5}, b[] = {2, 4, 6, 8, 10};
    struct gs_difference d;
    gs_stats_welch(a, 5, b, 5, 0.95, &d);
    GS_EQ_INT(d.df, 5);
    GS_NEAR(d.diff, 3, 1e-12);
    GS_NEAR(d.half, 2.570581835636314 * sqrt(2.5), 1e-8);
    GS_NEAR(d.effect, 3 / sqrt(6.25), 1e-12); /* pooled: (2.5 + 10) / 2 */
    CU_ASSERT(d.p > 0.1 && d.p < 0.13);
}

static void holm_by_hand(void)
{
    /* in order 0.01 0.02 0.03 0.04: x4 = 0.04, x3 = 0.06, x2 = 0.06, x1 = 0.04 raised to 0.06 */
    double p[] = {0.04, (double)NAN, 0.01, 0.03, 0.02};
    gs_stats_holm(p, 5);
    GS_NEAR(p[2], 0.04, 1e-15);
    GS_NEAR(p[4], 0.06, 1e-15);
    GS_NEAR(p[3], 0.06, 1e-15);
    GS_NEAR(p[0], 0.06, 1e-15);
    CU_ASSERT(isnan(p[1]));
    double q[] = {0.5, 0.9};
    gs_stats_holm(q, 2);
    GS_NEAR(q[0], 1, 0); /* never above 1 */
    GS_NEAR(q[1], 1, 0);
    gs_stats_holm(q, 0);
}

static void what_could_have_been_seen(void)
{
    /* differences 1 3 2 2: deviation sqrt(2/3); t(0.975, 3) = 3.18245, t(0.8, 3) = 0.97847 */
    const double a[] = {0, 0, 0, 0}, b[] = {1, 3, 2, 2};
    struct gs_difference d;
    gs_stats_paired(a, b, 4, 0.95, &d);
    const double seen = gs_stats_detectable(&d, 0.95, 0.05, 4);
    GS_NEAR(seen, (3.18245 + 0.97847) * 0.81650 / 2, 1e-4);
    GS_EQ_INT(gs_stats_needed(&d, 0.95, 0.05, seen * 1.0001), 4);
    const size_t n = gs_stats_needed(&d, 0.95, 0.05, 0.1);
    CU_ASSERT(gs_stats_detectable(&d, 0.95, 0.05, n) <= 0.1);
    CU_ASSERT(gs_stats_detectable(&d, 0.95, 0.05, n - 1) > 0.1);
    GS_EQ_INT(gs_stats_needed(&d, 0.95, 0.05, 1e-9), 0);
    gs_stats_paired(a, b, 1, 0.95, &d);
    CU_ASSERT(isnan(gs_stats_detectable(&d, 0.95, 0.05, 1)));
}

/* A seed is one observation, however many jobs it has. */
static void jobs_are_judged_by_seed(void)
{
    struct gs_job_test t;
    const struct gs_job_changes one[] = {{.gained = 100, .lost = 900, .median = 60}};
    gs_job_test(one, 1, 30, 0.05, &t);
    CU_ASSERT(t.worse && isnan(t.p));
    gs_job_test(one, 1, 90, 0.05, &t);
    CU_ASSERT(!t.worse); /* within the tolerance */
    const struct gs_job_changes unlike[] = {{.gained = 0, .lost = 1000, .median = 60},
                                            {.gained = 900, .lost = 100, .median = -5},
                                            {.gained = 100, .lost = 900, .median = 60}};
    gs_job_test(unlike, 3, 1, 0.05, &t);
    CU_ASSERT(!t.worse && t.p > 0.2); /* two thirds of 3,000 jobs, yet three seeds that disagree */
    GS_EQ_INT(t.longer, 2000);
    GS_NEAR(t.share, 2.0 / 3, 1e-12);
    const struct gs_job_changes alike[] = {{.gained = 20, .lost = 80, .median = 60},
                                           {.gained = 30, .lost = 70, .median = 40},
                                           {.gained = 25, .lost = 75, .median = 50}};
    gs_job_test(alike, 3, 1, 0.05, &t);
    CU_ASSERT(t.worse && t.p < 0.01);
    GS_NEAR(t.median, 50, 1e-12);
    const struct gs_job_changes none[] = {{.median = (double)NAN}, {.median = (double)NAN}};
    gs_job_test(none, 2, 1, 0.05, &t);
    CU_ASSERT(!t.worse && isnan(t.median));
}

static const struct gs_test tests[] = {
    {"what could have been seen", what_could_have_been_seen},
    {"jobs are judged by seed", jobs_are_judged_by_seed},
    {"paired t by hand", paired_by_hand},
    {"pairing sees what independence hides", paired_sees_what_independence_hides},
    {"equal runs", equal_runs},
    {"the same step everywhere", the_same_step_everywhere_is_certain},
    {"one pair has no interval", one_pair_has_no_interval},
    {"Welch by hand", welch_by_hand},
    {"Holm by hand", holm_by_hand},
};
GS_TEST_MAIN("analysis/stats", tests)

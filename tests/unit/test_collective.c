/* test_collective.c - collective times: exact laws, the measured curves, and how far either model is from them. */
#include "sim/network/measured.h"
#include "tests/unit/harness.h"

#include <math.h>

static struct gs_fabric hopper(uint32_t domains, uint32_t ranks)
{
    return (struct gs_fabric){.domains = domains,
                              .ranks = ranks,
                              .intra_gbs = 450,
                              .inter_gbs = 50,
                              .generation = GS_GEN_HOPPER,
                              .nvlink = 1,
                              .nvls = 1};
}

static void factors_are_those_of_nccl_tests(void)
{
    GS_NEAR(gs_collective_factor(GS_COLL_ALL_REDUCE, 8), 1.75, 1e-12);
    GS_NEAR(gs_collective_factor(GS_COLL_ALL_GATHER, 8), 0.875, 1e-12);
    GS_NEAR(gs_collective_factor(GS_COLL_BROADCAST, 8), 1, 0);
    GS_NEAR(gs_collective_factor(GS_COLL_ALL_REDUCE, 1), 0, 0);
}

static void one_rank_and_no_bytes_take_no_time(void)
{
    const struct gs_fabric one = hopper(1, 1), eight = hopper(1, 8);
    for (int op = 0; op < GS_COLL_COUNT; op++) {
        GS_NEAR(gs_collective_s(&one, (enum gs_collective)op, GS_ALGO_BEST, 1e9), 0, 0);
        GS_NEAR(gs_collective_s(&eight, (enum gs_collective)op, GS_ALGO_BEST, 0), 0, 0);
    }
}

static void more_bytes_or_a_slower_network_never_take_less(void)
{
    for (int op = 0; op < GS_COLL_COUNT; op++) {
        for (uint32_t k = 1; k <= 64; k *= 4) {
            double before = 0;
            for (double bytes = 1; bytes < 1e11; bytes *= 3) {
                struct gs_fabric f = hopper(k, 8);
                const double s = gs_collective_s(&f, (enum gs_collective)op, GS_ALGO_BEST, bytes);
                f.inter_gbs = 25;
                CU_ASSERT(gs_collective_s(&f, (enum gs_collective)op, GS_ALGO_BEST, bytes) >= s);
                CU_ASSERT(s >= before);
                before = s;
            }
        }
    }
}

static void large_messages_run_at_the_plateau(void)
{
    const struct gs_fabric f = hopper(1, 8);
    const double bytes = 17179869184.0;
    const double ring = gs_collective_model_s(&f, GS_COLL_ALL_REDUCE, GS_ALGO_RING, bytes);
    const double best = gs_collective_model_s(&f, GS_COLL_ALL_REDUCE, GS_ALGO_BEST, bytes);
    GS_NEAR(1.75 * bytes / ring / 1e9, 370.8, 4); /* measured 365 to 368 */
    GS_NEAR(1.75 * bytes / best / 1e9, 478.3, 4); /* measured 480 in the switch */
}

/* Between the time of the slower level and the sum of both: 4 nodes of 8 B200, 4 GiB, measured 22.05 ms. */
static void two_levels_lie_between_the_slower_and_the_sum(void)
{
    const struct gs_fabric f = {.domains = 4,
                                .ranks = 8,
                                .intra_gbs = 900,
                                .inter_gbs = 50,
                                .generation = GS_GEN_BLACKWELL,
                                .nvlink = 1,
                                .nvls = 1};
    const double s = gs_collective_s(&f, GS_COLL_ALL_REDUCE, GS_ALGO_BEST, 4294967296.0);
    CU_ASSERT(s > 16.1e-3 && s < 26.3e-3);
    GS_NEAR(s, 22.05e-3, 1.0e-3);
}

static void a_curve_meets_its_points_and_goes_on_beyond_them(void)
{
    static const struct gs_busbw_point points[] = {
        {1024, 1}, {4096, 3}, {65536, 20}, {1048576, 21}};
    const struct gs_busbw_curve c = {points, 4};
    struct gs_fabric f = hopper(1, 8);
    f.measured = &c;
    for (size_t i = 0; i < 4; i++) {
        GS_NEAR(gs_busbw_at(&c, points[i].bytes, SIZE_MAX), points[i].gbs, 1e-12 * points[i].gbs);
        GS_NEAR(gs_collective_s(&f, GS_COLL_ALL_REDUCE, GS_ALGO_BEST, points[i].bytes),
                1.75 * points[i].bytes / points[i].gbs / 1e9, 1e-15);
    }
    double before = 0; /* no overshoot between points */
    for (double bytes = 1024; bytes <= 1048576; bytes *= 1.1) {
        const double gbs = gs_busbw_at(&c, bytes, SIZE_MAX);
        CU_ASSERT(gbs >= before && gbs <= 21);
        before = gbs;
    }
    const double end = 1.75 * 1048576 / 21e9;
    GS_NEAR(gs_collective_s(&f, GS_COLL_ALL_REDUCE, GS_ALGO_BEST, 2 * 1048576.0), 2 * end, 1e-12);
    GS_NEAR(gs_collective_s(&f, GS_COLL_ALL_REDUCE, GS_ALGO_BEST, 1), 1.75 * 1024 / 1e9, 1e-15);
}

static void leaving_a_point_out_uses_its_neighbours_only(void)
{
    static const struct gs_busbw_point line[] = {{2, 2}, {4, 4}, {8, 8}, {16, 16}, {32, 32}};
    static const struct gs_busbw_point bent[] = {{2, 2}, {4, 4}, {8, 99}, {16, 16}, {32, 32}};
    const struct gs_busbw_curve a = {line, 5}, b = {bent, 5};
    for (size_t i = 1; i < 4; i++)
        GS_NEAR(gs_busbw_leave_one_out(&a, i), 0, 1e-12);
    GS_NEAR(gs_busbw_at(&b, 8, 2), 8, 1e-12);
}

/* The bar: median at most 3 %, 85 % of points within 10 %. */
static void leave_one_out_error_of_the_measured_curves(void)
{
    struct gs_catalog c = {0};
    struct gs_measurements m;
    struct gs_err err;
    CU_ASSERT_FATAL(gs_catalog_load(&c, NULL, &err) == GS_OK);
    gs_measurements_load(&m, &c);
    const struct gs_loo loo = gs_measurements_loo(&m);
    printf("  leave-one-out: %u points, median %.2f %%, %.1f %% within 10 %%\n", loo.points,
           100 * loo.median, 100.0 * loo.within_10 / loo.points);
    GS_EQ_INT(loo.points, 134);
    CU_ASSERT(loo.median <= 0.03);
    CU_ASSERT(loo.within_10 >= 0.85 * loo.points);
    gs_measurements_release(&m);
    gs_catalog_release(&c);
}

/* Alpha-beta where bandwidth rules: 1 GiB and more within a domain. */
static void alpha_beta_at_large_sizes(void)
{
    struct gs_catalog c = {0};
    struct gs_measurements m;
    struct gs_err err;
    unsigned points = 0;
    CU_ASSERT_FATAL(gs_catalog_load(&c, NULL, &err) == GS_OK);
    gs_measurements_load(&m, &c);
    for (size_t k = 0; k < m.curves.n; k++) {
        const struct gs_measured *x = &m.curves.v[k];
        CU_ASSERT((*x->gpu == '\0') == (isnan(x->model_rms_log) != 0));
        for (size_t i = 0; *x->gpu && i < x->curve.n; i++) {
            if (x->curve.point[i].bytes < 1073741824.0 || x->fabric.domains > 1)
                continue;
            points++;
            CU_ASSERT(fabs(x->point[i].model) < 0.20);
        }
    }
    CU_ASSERT(points > 30);
    CU_ASSERT_PTR_NOT_NULL(gs_measured_find(&m, "H100-SXM5-80GB", 1, 8));
    CU_ASSERT_PTR_NULL(gs_measured_find(&m, "H100-SXM5-80GB", 1, 5));
    gs_measurements_release(&m);
    gs_catalog_release(&c);
}

static const struct gs_test tests[] = {
    {"factors", factors_are_those_of_nccl_tests},
    {"nothing to do", one_rank_and_no_bytes_take_no_time},
    {"monotone", more_bytes_or_a_slower_network_never_take_less},
    {"plateaus", large_messages_run_at_the_plateau},
    {"two levels", two_levels_lie_between_the_slower_and_the_sum},
    {"curve", a_curve_meets_its_points_and_goes_on_beyond_them},
    {"left out", leaving_a_point_out_uses_its_neighbours_only},
    {"leave one out", leave_one_out_error_of_the_measured_curves},
    {"alpha-beta", alpha_beta_at_large_sizes},
};
GS_TEST_MAIN("network/collective", tests)

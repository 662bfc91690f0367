/* Scores of the placement parts, and taking a request from a node. */
#include "policies/lib/scores.h"
#include "tests/unit/cases.h"

static const struct gspl_norm norm = {128000, 8000};

static struct gspl_node node(int64_t cpus, uint32_t gpus, const uint32_t *free)
{
    struct gspl_node n = {.cpus_milli = cpus, .model = 0, .gpus = gpus};
    for (uint32_t i = 0; i < gpus; i++)
        n.free[i] = free[i];
    return n;
}

static struct gspl_request request(int64_t cpus, uint32_t gpus, uint32_t milli)
{
    return (struct gspl_request){.cpus_milli = cpus, .gpus = gpus, .milli = milli};
}

static void smallest_sufficient_devices_stable(void)
{
    struct gspl_node n = node(1000, 4, (const uint32_t[]){500, 300, 500, 1000});
    const struct gspl_request r = request(100, 3, 400);
    uint32_t pos[4];
    GS_EQ_INT(gspl_smallest_devices(&n, &r, pos), 3);
    GS_EQ_INT(pos[0], 0);
    GS_EQ_INT(pos[1], 2);
    GS_EQ_INT(pos[2], 3);
    CU_ASSERT(gspl_node_sub(&n, &r));
    GS_EQ_INT(n.free[0], 100);
    GS_EQ_INT(n.free[1], 300);
    GS_EQ_INT(n.free[3], 600);
    GS_EQ_INT(n.cpus_milli, 900);
    gspl_node_add(&n, &r, pos);
    GS_EQ_INT(gspl_gpu_left(&n), 2300);
    GS_EQ_INT(n.cpus_milli, 1000);
}

static void a_request_that_does_not_fit_changes_nothing(void)
{
    struct gspl_node n = node(1000, 2, (const uint32_t[]){500, 1000});
    const struct gspl_request gpus = request(100, 2, 600), cpus = request(1001, 1, 100);
    CU_ASSERT(!gspl_node_sub(&n, &gpus));
    CU_ASSERT(!gspl_node_sub(&n, &cpus));
    GS_EQ_INT(gspl_gpu_left(&n), 1500);
    GS_EQ_INT(n.cpus_milli, 1000);
}

static void models_are_a_mask(void)
{
    CU_ASSERT(gspl_model_allowed(0, 5));
    CU_ASSERT(gspl_model_allowed(1u << 5, 5));
    CU_ASSERT(!gspl_model_allowed(1u << 4, 5));
    CU_ASSERT(!gspl_model_allowed(1, GSP_NONE));
}

static void tightest_compares_gpus_before_cpus(void)
{
    const struct gspl_node small = node(900000, 2, (const uint32_t[]){1000, 1000});
    const struct gspl_node large = node(8000, 3, (const uint32_t[]){1000, 1000, 1000});
    const struct gspl_node busy = node(7000, 2, (const uint32_t[]){1000, 1000});
    const struct gspl_request r = request(1000, 1, 1000);
    CU_ASSERT(gspl_score_tightest(&small, &r) > gspl_score_tightest(&large, &r));
    CU_ASSERT(gspl_score_tightest(&busy, &r) > gspl_score_tightest(&small, &r));
    CU_ASSERT(gspl_score_emptiest(&large, &r) > gspl_score_emptiest(&small, &r));
    GS_EQ_INT(gspl_score_emptiest(&busy, &r), 1000 * 4294967296 + 6000);
}

static void bestfit_of_the_artifact(void)
{
    const struct gspl_node empty =
        node(128000, 8, (const uint32_t[]){1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000});
    const struct gspl_node exact = node(4000, 1, (const uint32_t[]){500});
    const struct gspl_request r = request(4000, 1, 500), nothing = request(0, 0, 0);
    GS_EQ_INT(gspl_score_bestfit(&empty, &nothing, &norm), 0);
    GS_EQ_INT(gspl_score_bestfit(&exact, &r, &norm), 100);
    GS_EQ_INT(gspl_score_bestfit(&empty, &r, &norm), 4); /* 1.5625 + 3.125 */
}

static void dotprod_of_the_artifact(void)
{
    const struct gspl_node half = node(64000, 4, (const uint32_t[]){1000, 1000, 1000, 1000});
    const struct gspl_request r = request(64000, 4, 1000), cpus = request(64000, 0, 0);
    GS_EQ_INT(gspl_score_dotprod(&half, &r, &norm), 75);
    GS_EQ_INT(gspl_score_dotprod(&half, &cpus, &norm), 87); /* 100 (1 - 1/8) = 87.5 */
}

static void packing_prefers_what_is_in_use(void)
{
    const struct gspl_node shared = node(1000, 2, (const uint32_t[]){400, 1000});
    const struct gspl_node used = node(1000, 2, (const uint32_t[]){100, 1000});
    const struct gspl_node idle = node(1000, 2, (const uint32_t[]){1000, 1000});
    const struct gspl_request r = request(0, 1, 300), cpus = request(10, 0, 0);
    GS_EQ_INT(gspl_score_packing(&shared, &r), 96);
    GS_EQ_INT(gspl_score_packing(&used, &r), 49);
    GS_EQ_INT(gspl_score_packing(&idle, &r), 31);
    GS_EQ_INT(gspl_score_packing(&idle, &cpus), 0);
}

static void clustering_prefers_its_own_kind(void)
{
    const struct gspl_node n = node(1000, 2, (const uint32_t[]){1000, 1000});
    const struct gspl_request share = request(0, 1, 300), two = request(0, 2, 1000),
                              cpus = request(10, 0, 0);
    const int64_t fill = 25 * 6000 / 8000;
    GS_EQ_INT(gspl_score_clustering(&n, &share, 1u << 0, &norm), fill + 75);
    GS_EQ_INT(gspl_score_clustering(&n, &share, 1u << 0 | 1u << 2, &norm), fill + 50);
    GS_EQ_INT(gspl_score_clustering(&n, &share, 0, &norm), fill + 25);
    GS_EQ_INT(gspl_score_clustering(&n, &share, 1u << 2, &norm), fill);
    GS_EQ_INT(gspl_score_clustering(&n, &two, 1u << 2, &norm), fill + 75);
    GS_EQ_INT(gspl_score_clustering(&n, &cpus, 1u << 2, &norm), 0);
}

/* ---- worked cases ---- */

static struct gspl_node read_node(const json_t *in)
{
    double left[GSPL_GPUS_MAX];
    struct gspl_node n = {.cpus_milli = gs_case_int(in, "cpu_milli_left")};
    n.gpus = (uint32_t)gs_case_numbers(json_object_get(in, "gpu_milli_left"), left, GSPL_GPUS_MAX);
    for (uint32_t i = 0; i < n.gpus; i++)
        n.free[i] = (uint32_t)left[i];
    return n;
}

static void check_node(const struct gspl_node *n, const json_t *expect)
{
    const struct gspl_node want = read_node(expect);
    GS_EQ_INT(n->cpus_milli, want.cpus_milli);
    CU_ASSERT(memcmp(n->free, want.free, sizeof want.free) == 0);
}

static struct gspl_request read_pod(const json_t *pod)
{
    return request(gs_case_int(pod, "cpu_milli"), (uint32_t)gs_case_int(pod, "gpu_num"),
                   (uint32_t)gs_case_int(pod, "gpu_milli"));
}

static void sub_case(const json_t *in, const json_t *expect, double tolerance)
{
    struct gspl_node n = read_node(in);
    const struct gspl_request r = read_pod(json_object_get(in, "pod"));
    (void)tolerance;
    CU_ASSERT(gspl_node_sub(&n, &r));
    check_node(&n, expect);
}

static void add_case(const json_t *in, const json_t *expect, double tolerance)
{
    struct gspl_node n = read_node(in);
    const struct gspl_request r = read_pod(json_object_get(in, "pod"));
    double at[GSPL_GPUS_MAX];
    uint32_t pos[GSPL_GPUS_MAX];
    const size_t k = gs_case_numbers(json_object_get(in, "devices"), at, GSPL_GPUS_MAX);
    (void)tolerance;
    for (size_t i = 0; i < k; i++)
        pos[i] = (uint32_t)at[i];
    gspl_node_add(&n, &r, pos);
    check_node(&n, expect);
}

static void packing_case(const json_t *in, const json_t *expect, double tolerance)
{
    const struct gspl_node n = read_node(in);
    const struct gspl_request r = request(0, (uint32_t)gs_case_int(in, "request_num"),
                                          (uint32_t)gs_case_int(in, "request_milli"));
    (void)tolerance;
    GS_EQ_INT(gspl_score_packing(&n, &r), gs_case_int(expect, "score"));
}

static void dot_case(const json_t *in, const json_t *expect, double tolerance)
{
    double a[8], b[8], m[8];
    const size_t n = gs_case_numbers(json_object_get(in, "node"), a, 8);
    (void)gs_case_numbers(json_object_get(in, "pod"), b, 8);
    (void)gs_case_numbers(json_object_get(in, "norm"), m, 8);
    GS_NEAR(gspl_dot(a, b, m, (uint32_t)n), gs_case_number(expect, "value"), tolerance);
}

static void cosine_case(const json_t *in, const json_t *expect, double tolerance)
{
    double a[8], b[8];
    const size_t n = gs_case_numbers(json_object_get(in, "a"), a, 8);
    (void)gs_case_numbers(json_object_get(in, "b"), b, 8);
    GS_NEAR(gspl_cosine(a, b, (uint32_t)n), gs_case_number(expect, "value"), tolerance);
}

static void cosine_by_hand(void)
{
    const double a[2] = {3, 4}, b[2] = {4, 3}, zero[2] = {0, 0};
    GS_NEAR(gspl_cosine(a, b, 2), 24.0 / 25.0, 1e-15);
    GS_NEAR(gspl_cosine(a, a, 2), 1.0, 1e-15);
    GS_EQ_BITS(gspl_cosine(a, zero, 2), 0.0);
}

static void worked_cases(void)
{
    (void)gs_cases("node_sub", sub_case);
    (void)gs_cases("node_add", add_case);
    (void)gs_cases("gpu_packing_score", packing_case);
    (void)gs_cases("dot_product", dot_case);
    (void)gs_cases("cosine", cosine_case);
}

static const struct gs_test tests[] = {
    {"smallest sufficient devices, stable", smallest_sufficient_devices_stable},
    {"a request that does not fit changes nothing", a_request_that_does_not_fit_changes_nothing},
    {"models are a mask", models_are_a_mask},
    {"tightest compares GPUs before CPUs", tightest_compares_gpus_before_cpus},
    {"best fit of the artifact", bestfit_of_the_artifact},
    {"dot product of the artifact", dotprod_of_the_artifact},
    {"packing prefers what is in use", packing_prefers_what_is_in_use},
    {"clustering prefers its own kind", clustering_prefers_its_own_kind},
    {"cosine by hand", cosine_by_hand},
    {"worked cases", worked_cases},
};
GS_TEST_MAIN("policies/scores", tests)

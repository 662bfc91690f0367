/* test_inside.c - servers from inside: the exact meshes, NVSwitch, NUMA nodes and NICs. */
#include "policies/lib/links.h"
#include "sim/network/inside.h"
#include "tests/unit/harness.h"

static struct gs_catalog catalog;

static struct gs_inside inside(const char *type)
{
    struct gs_inside in;
    struct gs_err err = {0};
    if (!catalog.servers)
        CU_ASSERT_EQUAL_FATAL(gs_catalog_load(&catalog, NULL, &err), GS_OK);
    const struct gs_server_model *s = gs_catalog_server(&catalog, type);
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    gs_inside_make(&in, &catalog, s, gs_catalog_gpu(&catalog, s->gpu), s->gpus);
    return in;
}

static void dgx1_has_six_links_a_gpu(void)
{
    const struct gs_inside in = inside("dgx-1-v100");
    static const uint8_t doubles[][2] = {{0, 3}, {0, 4}, {1, 2}, {1, 5},
                                         {2, 3}, {4, 7}, {5, 6}, {6, 7}};
    for (uint32_t g = 0; g < 8; g++)
        GS_EQ_INT(in.nvlinks[g], 6);
    for (size_t i = 0; i < 8; i++)
        GS_EQ_INT(in.pair[doubles[i][0]][doubles[i][1]], 2);
    GS_EQ_INT(in.pair[0][1], 1);
    GS_EQ_INT(in.pair[0][5], 0);
    GS_EQ_INT(gs_inside_score(&in, 0, 3), 230); /* two links and a host bridge */
    GS_EQ_INT(gs_inside_score(&in, 0, 7), 10);
    GS_EQ_INT(in.numa[3], 0);
    GS_EQ_INT(in.numa[4], 1);
    GS_EQ_INT(in.nic[7], 3);
    GS_EQ_INT(in.domain[7], 0);
    const struct gs_inside p100 = inside("dgx-1-p100");
    for (uint32_t g = 0; g < 8; g++)
        GS_EQ_INT(p100.nvlinks[g], 4);
}

static void best_sets_of_dgx1(void)
{
    const struct gs_inside in = inside("dgx-1-v100");
    static struct gspl_link_memo memo[2 << 8];
    int32_t score[64];
    const uint32_t all[] = {0, 1, 2, 3, 4, 5, 6, 7};
    uint32_t got[8];
    for (uint32_t a = 0; a < 8; a++)
        for (uint32_t b = 0; b < 8; b++)
            score[a * 8 + b] = gs_inside_score(&in, a, b);
    GS_EQ_INT(gspl_best_effort(score, 8, all, 8, NULL, 0, 4, memo, got), 4);
    for (uint32_t i = 0; i < 4; i++)
        GS_EQ_INT(got[i], i); /* a quad that leaves the other whole */
    const uint32_t line[] = {0, 3, 2, 1}, far[] = {0, 5}, quad[] = {0, 1, 4, 5};
    CU_ASSERT_TRUE(in.link_bytes_per_s > 0);
    GS_EQ_INT(gs_inside_ring_rate(&in, line, 4), in.link_bytes_per_s);    /* 0-1 closes it singly */
    GS_EQ_INT(gs_inside_ring_rate(&in, all, 8), 2 * in.link_bytes_per_s); /* 0 3 2 1 5 6 7 4 */
    GS_EQ_INT(gs_inside_ring_rate(&in, far, 2), in.pcie_bytes_per_s);
    GS_EQ_INT(gs_inside_ring_rate(&in, quad, 4), in.link_bytes_per_s);
    GS_EQ_INT(gs_inside_ring_rate(&in, all, 1), GS_NEVER);
}

static void a_switch_makes_all_alike(void)
{
    const struct gs_inside in = inside("dgx-h100");
    const uint32_t some[] = {1, 6, 3};
    GS_EQ_INT(in.pair[0][7], 18);
    GS_EQ_INT(gs_inside_ring_rate(&in, some, 3), 18 * in.link_bytes_per_s);
    GS_NEAR((double)in.link_bytes_per_s * 18, 450e9, 1e3);
    GS_EQ_INT(in.nic[5], 5);
    const struct gs_inside azure = inside("nd96asr-v4"); /* NUMA nodes hold 2,3 | 0,1 | 6,7 | 4,5 */
    GS_EQ_INT(azure.numa[0], 1);
    GS_EQ_INT(azure.numa[2], 0);
    GS_EQ_INT(azure.pcie[0][1], GS_PCIE_SINGLE_SWITCH);
}

static void pairs_and_none(void)
{
    const struct gs_inside pairs = inside("nc96ads-a100-v4"), none = inside("g5.48xlarge");
    GS_EQ_INT(pairs.pair[0][1], 12);
    GS_EQ_INT(pairs.pair[1][2], 0);
    GS_EQ_INT(pairs.domain[3], 2);
    GS_EQ_INT(none.domain[3], GS_INSIDE_UNKNOWN);
    GS_EQ_INT(gs_inside_score(&none, 0, 1), 20);
    GS_EQ_INT(gs_inside_score(&none, 0, 7), 10);
    struct gs_inside nothing;
    gs_inside_make(&nothing, &catalog, NULL, NULL, 4);
    GS_EQ_INT(gs_inside_pair_rate(&nothing, 0, 1), 0);
    gs_catalog_release(&catalog);
}

static const struct gs_test tests[] = {
    {"DGX-1 has six links a GPU", dgx1_has_six_links_a_gpu},
    {"best sets of DGX-1", best_sets_of_dgx1},
    {"a switch makes all alike", a_switch_makes_all_alike},
    {"pairs and none", pairs_and_none},
};
GS_TEST_MAIN("network/inside", tests)

/* test_pace.c - costs of placements by hand, and the links of a DGX-1. */
#include "sim/hardware/catalog.h"
#include "sim/network/inside.h"
#include "sim/network/pace.h"
#include "tests/unit/harness.h"

static void the_slower_of_inside_and_between_decides(void)
{
    struct gs_ring s = {.domains = 1, .gpus = 8, .inside = 450e9};
    GS_NEAR(gs_ring_cost(&s), 2.0 * 7 / 8 / 450e9, 1e-18);
    s = (struct gs_ring){.domains = 8, .gpus = 1, .streams = 1, .between = 50e9};
    GS_NEAR(gs_ring_cost(&s), 2.0 * 7 / 8 / 50e9, 1e-18);
    s = (struct gs_ring){.domains = 2, .gpus = 4, .streams = 4, .inside = 450e9, .between = 50e9};
    GS_NEAR(gs_ring_cost(&s), 1 / 200e9, 1e-18);
    s.between = 500e9;
    GS_NEAR(gs_ring_cost(&s), 1.5 / 450e9, 1e-18);
    s = (struct gs_ring){.domains = 1, .gpus = 1};
    GS_EQ_BITS(gs_ring_cost(&s), 0.0);
}

static void a_dgx_1_has_good_pairs_and_quads(void)
{
    struct gs_catalog c;
    struct gs_inside in;
    CU_ASSERT_EQUAL_FATAL(gs_catalog_load(&c, NULL, NULL), GS_OK);
    gs_inside_make(&in, &c, gs_catalog_server(&c, "dgx-1-v100"),
                   gs_catalog_gpu(&c, "V100-SXM2-16GB"), 8);
    GS_EQ_INT(gs_inside_rings(&in, 1u << 0 | 1u << 3), 2);
    GS_EQ_INT(gs_inside_rings(&in, 1u << 0 | 1u << 1), 1);
    GS_EQ_INT(gs_inside_rings(&in, 1u << 0 | 1u << 5), 0); /* over the CPUs */
    GS_EQ_INT(gs_inside_rings(&in, 1u << 4), 0);
    GS_EQ_INT(gs_inside_rings(&in, 0x0f), 4);
    GS_EQ_INT(gs_inside_rings(&in, 0xf0), 4);
    GS_EQ_INT(gs_inside_rings(&in, 0xff), 6);
    GS_EQ_INT(gs_inside_best_rings(&in, 2), 2);
    GS_EQ_INT(gs_inside_best_rings(&in, 4), 4);
    GS_EQ_INT(gs_inside_best_rings(&in, 8), 6);
    gs_catalog_release(&c);
}

static const struct gs_test tests[] = {
    {"the slower of inside and between decides", the_slower_of_inside_and_between_decides},
    {"a DGX-1 has good pairs and quads", a_dgx_1_has_good_pairs_and_quads},
};
GS_TEST_MAIN("network/pace", tests)

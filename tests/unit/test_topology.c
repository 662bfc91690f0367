/* test_topology.c - networks by rule: switches as published, ways, levels, what collectives put on links. */
#include "sim/base/rng.h"
#include "sim/network/topology.h"
#include "tests/unit/harness.h"

#define GBIT INT64_C(125000000) /* bytes/s */

struct made {
    struct gs_net_node *node;
    char (*name)[16];
    struct gs_topology *t;
    struct gs_err err;
};

static struct gs_net_rule rule_of(enum gs_topology_kind kind, uint32_t radix)
{
    struct gs_net_rule r = {.kind = kind, .radix = radix, .planes = 1, .pxn = 1};
    for (int i = 0; i < GS_TIERS_MAX; i++)
        r.latency_ns[i] = 500;
    return r;
}

static struct made make_sized(const struct gs_net_rule *r, uint32_t n, uint32_t rails,
                              uint32_t domain)
{
    struct made m = {.node = calloc(n, sizeof *m.node), .name = calloc(n, sizeof *m.name)};
    for (uint32_t i = 0; i < n; i++) {
        (void)snprintf(m.name[i], sizeof m.name[i], "n%u", i);
        m.node[i] = (struct gs_net_node){.name = m.name[i],
                                         .gpus = 8,
                                         .rails = rails,
                                         .rail_bytes_per_s = 400 * GBIT,
                                         .domain = domain ? i / domain : GS_NONE};
    }
    const enum gs_rc rc = gs_topology_build(&m.t, r, m.node, n, NULL, &m.err);
    CU_ASSERT_EQUAL(rc == GS_OK, m.t != NULL);
    return m;
}

static struct made make(const struct gs_net_rule *r, uint32_t n)
{
    return make_sized(r, n, 8, 0);
}

static void drop(struct made *m)
{
    gs_topology_free(m->t);
    free(m->node);
    free(m->name);
}

/* Published scalable units: nodes of 8 GPUs, a rail a GPU. Rows with confidence C are recalled, not read: UNVERIFIED. The B300 rows
 * fit 128-port switches in two planes (800 Gb/s as 2 x 400); that reading is ours, all five rows agree with it. */
static void switches_as_published(void)
{
    static const struct {
        const char *what;
        uint32_t nodes, radix, planes, unit, leaf, spine, core;
        char confidence;
    } row[] = {
        {"H100, 1 SU", 32, 64, 1, 0, 8, 4, 0, 'C'},
        {"H100, 4 SU", 128, 64, 1, 0, 32, 16, 0, 'B'},
        {"B200, 2 SU", 64, 64, 1, 0, 16, 8, 0, 'A'},
        {"B200, 4 SU", 128, 64, 1, 0, 32, 16, 0, 'A'},
        {"B200, 8 SU", 256, 64, 1, 0, 64, 32, 0, 'A'},
        {"B200, 16 SU", 512, 64, 1, 0, 128, 128, 64, 'A'},
        {"B200, 32 SU", 1024, 64, 1, 0, 256, 256, 128, 'A'},
        {"B200, 64 SU", 2048, 64, 1, 0, 512, 512, 256, 'A'},
        {"B300, 1 SU", 64, 128, 2, 0, 16, 8, 0, 'A'},
        {"B300, 2 SU", 128, 128, 2, 0, 32, 16, 0, 'A'},
        {"B300, 4 SU", 256, 128, 2, 0, 64, 32, 0, 'A'},
        {"B300, 8 SU", 512, 128, 2, 0, 128, 64, 0, 'A'},
        {"B300, 16 SU", 1024, 128, 2, 0, 256, 128, 0, 'A'},
        {"A100, 1 SU", 20, 40, 1, 20, 8, 4, 0, 'C'}, /* its spines are not given */
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct gs_net_rule r = rule_of(GS_TOPOLOGY_RAIL, row[i].radix);
        r.planes = row[i].planes;
        r.leaf_nodes = row[i].unit;
        struct made m = make(&r, row[i].nodes);
        CU_ASSERT_PTR_NOT_NULL_FATAL(m.t);
        const struct gs_net_counts *c = gs_topology_counts(m.t);
        GS_EQ_INT(c->leaves, row[i].leaf);
        GS_EQ_INT(c->spines, row[i].spine);
        GS_EQ_INT(c->cores, row[i].core);
        for (uint32_t k = 0; k < (row[i].core ? 3u : 2u); k++) /* as many cables as GPUs, a plane */
            GS_EQ_INT(c->cables[k], row[i].nodes * 8 * row[i].planes);
        if (row[i].confidence == 'C')
            printf("note: %s is a recalled row (UNVERIFIED)\n", row[i].what);
        drop(&m);
    }
}

static uint32_t switches_between(const struct made *m, uint32_t a, uint32_t ra, uint32_t b,
                                 uint32_t rb)
{
    uint32_t links[32], switches = 99;
    const uint32_t n = gs_topology_route(m->t, a, ra, b, rb, links, 32, &switches);
    return n == GS_NONE ? GS_NONE : switches;
}

static void hops_of_a_rail_network(void)
{
    struct gs_net_rule r = rule_of(GS_TOPOLOGY_RAIL, 64);
    struct made m = make(&r, 512); /* three tiers, pods of 4 SU */
    GS_EQ_INT(switches_between(&m, 0, 3, 31, 3), 1);
    GS_EQ_INT(switches_between(&m, 0, 3, 32, 3), 3);
    GS_EQ_INT(switches_between(&m, 0, 3, 127, 3), 3);
    GS_EQ_INT(switches_between(&m, 0, 3, 128, 3), 5);
    GS_EQ_INT(switches_between(&m, 0, 3, 31, 4), 1); /* PXN */
    GS_EQ_INT(switches_between(&m, 7, 0, 7, 5), 0);
    drop(&m);
    r.pxn = 0;
    m = make(&r, 512);
    GS_EQ_INT(switches_between(&m, 0, 3, 31, 4), 3);
    drop(&m);
    r = rule_of(GS_TOPOLOGY_FAT_TREE, 64); /* all rails on one leaf: 4 nodes a leaf */
    m = make(&r, 64);
    GS_EQ_INT(switches_between(&m, 0, 3, 3, 4), 1);
    GS_EQ_INT(switches_between(&m, 0, 3, 4, 3), 3);
    GS_EQ_STR(gs_topology_level_name(m.t, 0), "leaf");
    GS_EQ_STR(gs_topology_level_group(m.t, 0, 5), "leaf-1");
    drop(&m);
}

static void rails_without_spines(void)
{
    struct gs_net_rule r = rule_of(GS_TOPOLOGY_RAIL, 64);
    r.tiers = 1;
    r.pxn = 0;
    struct made m = make(&r, 16);
    CU_ASSERT_PTR_NOT_NULL_FATAL(m.t);
    GS_EQ_INT(switches_between(&m, 0, 1, 3, 1), 1);
    GS_EQ_INT(switches_between(&m, 0, 1, 3, 2), GS_NONE);
    GS_EQ_INT(gs_topology_counts(m.t)->spines, 0);
    drop(&m);
}

static void oversubscription_divides_uplinks(void)
{
    struct gs_net_rule r = rule_of(GS_TOPOLOGY_RAIL, 64);
    r.oversubscription[1] = 2000;
    struct made m = make(&r, 128);
    uint32_t up = 0, down = 0;
    CU_ASSERT_TRUE(gs_topology_trunk(m.t, gs_topology_vertex(m.t, "leaf-0"), &up, &down));
    GS_EQ_INT(gs_topology_link(m.t, up)->bytes_per_s, 16 * 400 * GBIT);
    GS_EQ_INT(gs_topology_counts(m.t)->cables[1], 512);
    GS_EQ_INT(gs_topology_counts(m.t)->spines, 8);
    drop(&m);
    r.oversubscription[1] = 1500;
    r.links[1] = 800 * GBIT;
    m = make(&r, 128);
    GS_EQ_INT(gs_topology_link(m.t, up)->bytes_per_s,
              INT64_C(2133300000000)); /* 21.333 cables, counted in thousandths */
    drop(&m);
}

static void what_cannot_be_built_is_said(void)
{
    struct gs_net_rule r = rule_of(GS_TOPOLOGY_FAT_TREE, 64);
    r.leaf_nodes = 7; /* 56 down, 56 up */
    struct made m = make(&r, 64);
    CU_ASSERT_PTR_NULL(m.t);
    GS_HAS(m.err.msg, "leaf_nodes");
    drop(&m);
    r = rule_of(GS_TOPOLOGY_FAT_TREE, 64);
    r.tiers = 2;
    m = make(&r, 1000);
    CU_ASSERT_PTR_NULL(m.t);
    GS_HAS(m.err.msg, "2 tiers of 64-port switches");
    drop(&m);
    r = rule_of(GS_TOPOLOGY_TORUS, 0);
    r.ndims = 2;
    r.dims[0] = 4;
    r.dims[1] = 5;
    m = make(&r, 16);
    CU_ASSERT_PTR_NULL(m.t);
    GS_HAS(m.err.msg, "20 places for 16 nodes");
    drop(&m);
}

static void torus_goes_the_shorter_way(void)
{
    struct gs_net_rule r = rule_of(GS_TOPOLOGY_TORUS, 0);
    r.ndims = 2;
    r.dims[0] = 5;
    r.dims[1] = 4;
    struct made m = make_sized(&r, 20, 1, 0);
    uint32_t way[8], passed = 0;
    GS_EQ_INT(gs_topology_route(m.t, 0, 0, 4, 0, way, 8, &passed), 1); /* round the edge */
    GS_EQ_INT(gs_topology_link(m.t, way[0])->to, 4);
    GS_EQ_INT(gs_topology_route(m.t, 0, 0, 12, 0, way, 8, &passed), 4); /* (2, 2) */
    GS_EQ_INT(gs_topology_link(m.t, way[1])->to, 2);                    /* x first, then y */
    GS_EQ_INT(gs_topology_link(m.t, way[2])->to, 7);
    struct gs_member all[20];
    for (uint32_t i = 0; i < 20; i++)
        all[i] = (struct gs_member){.node = i};
    const struct gs_group_load g = gs_topology_group(m.t, GS_PATTERN_CHAIN, all, 20);
    GS_EQ_INT(g.nlinks, 38); /* to and fro through neighbours, no link twice */
    GS_EQ_INT(g.alone, 400 * GBIT);
    drop(&m);
}

static void a_ring_enters_each_unit_once(void)
{
    struct gs_net_rule r = rule_of(GS_TOPOLOGY_RAIL, 64);
    r.oversubscription[1] = 4000;
    struct made m = make(&r, 128);
    struct gs_member in[96];
    for (uint32_t i = 0; i < 96; i++) /* three units, in a silly order */
        in[i] = (struct gs_member){.node = i * 35 % 96};
    const struct gs_group_load g = gs_topology_group(m.t, GS_PATTERN_RING, in, 96);
    GS_EQ_INT(g.streams, 8);
    GS_EQ_INT(g.switches, 3);
    GS_EQ_INT(g.latency_ns, 4 * 500);
    GS_EQ_INT(g.nlinks, 96 * 8 * 2 + 3 * 8 * 2);
    for (uint32_t i = 0; i < g.nlinks; i++)
        GS_EQ_INT(g.link[i].weight, 1);
    GS_EQ_INT(g.alone, 400 * GBIT);
    drop(&m);
}

static void all_to_all_counts_pairs(void)
{
    struct gs_net_rule r = rule_of(GS_TOPOLOGY_RAIL, 64);
    struct made m = make(&r, 64);
    struct gs_member in[5] = {{.node = 0}, {.node = 1}, {.node = 2}, {.node = 40}, {.node = 41}};
    const struct gs_group_load g = gs_topology_group(m.t, GS_PATTERN_ALL_TO_ALL, in, 5);
    uint32_t up = 0, down = 0, found = 0;
    CU_ASSERT_TRUE(gs_topology_trunk(m.t, gs_topology_leaf(m.t, 0, 2), &up, &down));
    for (uint32_t i = 0; i < g.nlinks; i++)
        if (g.link[i].link == up || g.link[i].link == down) {
            GS_EQ_INT(g.link[i].weight, 6);
            found++;
        }
    GS_EQ_INT(found, 2);
    GS_EQ_INT(g.units, 4);
    GS_EQ_INT(g.alone, 100 * GBIT);
    drop(&m);
}

static void nvlink_domains_stay_off_the_network(void)
{
    struct gs_net_rule r = rule_of(GS_TOPOLOGY_RAIL, 64);
    struct made m = make_sized(&r, 72, 4, 18);
    struct gs_member in[36];
    for (uint32_t i = 0; i < 36; i++)
        in[i] = (struct gs_member){.node = i};
    GS_EQ_INT(gs_topology_group(m.t, GS_PATTERN_RING, in, 18).alone, GS_NEVER);
    GS_EQ_INT(gs_topology_group(m.t, GS_PATTERN_ALL_TO_ALL, in, 18).nlinks, 0);
    GS_EQ_INT(gs_topology_group(m.t, GS_PATTERN_ALL_TO_ALL, in, 36).alone, 400 * GBIT / 18);
    GS_EQ_INT(gs_topology_group(m.t, GS_PATTERN_RING, in, 36).nlinks, 2 * 4 * 4); /* two edges */
    GS_EQ_STR(gs_topology_level_name(m.t, gs_topology_levels(m.t) - 1), "nvlink");
    GS_EQ_STR(gs_topology_level_group(m.t, 0, 17), "su-0"); /* a unit holds whole domains */
    GS_EQ_STR(gs_topology_level_group(m.t, 0, 18), "su-1");
    drop(&m);
}

static void span_is_the_level_that_holds_all(void)
{
    struct gs_net_rule r = rule_of(GS_TOPOLOGY_RAIL, 64);
    struct made m = make(&r, 512);
    const uint32_t one[] = {5, 5}, unit[] = {5, 9}, pod[] = {5, 40, 9}, all[] = {5, 400};
    GS_EQ_INT(gs_topology_levels(m.t), 2);
    GS_EQ_INT(gs_topology_span(m.t, one, 2), 0);
    GS_EQ_INT(gs_topology_span(m.t, unit, 2), 1);
    GS_EQ_INT(gs_topology_span(m.t, pod, 3), 2);
    GS_EQ_INT(gs_topology_span(m.t, all, 2), 3);
    drop(&m);
}

static void nearest_rails(void)
{
    struct gs_net_rule r = rule_of(GS_TOPOLOGY_FAT_TREE, 64);
    struct made m = make_sized(&r, 4, 4, 0); /* 8 GPUs, 4 NICs: two GPUs a NIC */
    for (uint32_t g = 0; g < 8; g++)
        GS_EQ_INT(gs_topology_rail_of(m.t, 0, g), g / 2);
    drop(&m);
}

/* Random trees from files: ways are connected, end where they should, and are as long back as there. */
static void random_trees(void)
{
    for (uint32_t round = 0; round < 200; round++) {
        struct gs_stream rng;
        gs_stream_init(&rng, round, GS_RNG_TEST, 0, 0);
        struct gs_net_group group[24];
        char gname[24][16], nname[40][16];
        struct gs_net_node node[40];
        uint32_t leaf[40];
        const uint32_t ng = 1 + (uint32_t)gs_below(&rng, 24);
        const uint32_t n = 1 + (uint32_t)gs_below(&rng, 40);
        for (uint32_t g = 0; g < ng; g++) { /* a parent before or after, never a cycle */
            (void)snprintf(gname[g], sizeof gname[g], "s%u", g);
            group[g].name = gname[g];
            group[g].parent = g == 0 ? GS_NONE : (uint32_t)gs_below(&rng, g < 4 ? g : 4);
        }
        for (uint32_t i = 0; i < n; i++) {
            (void)snprintf(nname[i], sizeof nname[i], "n%u", i);
            node[i] =
                (struct gs_net_node){nname[i], 8, 1 + (uint32_t)gs_below(&rng, 8), 1000, GS_NONE};
            leaf[i] = (uint32_t)gs_below(&rng, ng);
        }
        const struct gs_net_tree tree = {group, ng, leaf, NULL, 0};
        struct gs_net_rule r = rule_of(GS_TOPOLOGY_FILE, 64);
        struct gs_topology *t = NULL;
        struct gs_err err = {0};
        CU_ASSERT_EQUAL_FATAL(gs_topology_build(&t, &r, node, n, &tree, &err), GS_OK);
        for (uint32_t k = 0; k < 50; k++) {
            const uint32_t a = (uint32_t)gs_below(&rng, n), b = (uint32_t)gs_below(&rng, n);
            uint32_t there[32], back[32], s1 = 0, s2 = 0;
            const uint32_t n1 = gs_topology_route(t, a, 0, b, 0, there, 32, &s1);
            const uint32_t n2 = gs_topology_route(t, b, 0, a, 0, back, 32, &s2);
            CU_ASSERT_EQUAL_FATAL(n1, n2);
            CU_ASSERT_EQUAL(s1, s2);
            uint32_t at = gs_topology_port(t, a, 0);
            for (uint32_t i = 0; i < n1; i++) {
                CU_ASSERT_EQUAL(gs_topology_link(t, there[i])->from, at);
                at = gs_topology_link(t, there[i])->to;
            }
            CU_ASSERT_TRUE(a == b || at == gs_topology_port(t, b, 0));
        }
        gs_topology_free(t);
    }
}

static const struct gs_test tests[] = {
    {"switches as published", switches_as_published},
    {"hops of a rail network", hops_of_a_rail_network},
    {"rails without spines", rails_without_spines},
    {"oversubscription divides uplinks", oversubscription_divides_uplinks},
    {"what cannot be built is said", what_cannot_be_built_is_said},
    {"torus goes the shorter way", torus_goes_the_shorter_way},
    {"a ring enters each unit once", a_ring_enters_each_unit_once},
    {"all-to-all counts pairs", all_to_all_counts_pairs},
    {"NVLink domains stay off the network", nvlink_domains_stay_off_the_network},
    {"span is the level that holds all", span_is_the_level_that_holds_all},
    {"nearest rails", nearest_rails},
    {"random trees", random_trees},
};
GS_TEST_MAIN("network/topology", tests)

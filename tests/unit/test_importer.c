/* test_importer.c - topology files: Slurm's two, topograph's, labels; what is refused, and where. */
#include "sim/network/importer.h"
#include "tests/unit/harness.h"

enum {
    NODES = 8
};

struct got {
    struct gs_net_node node[NODES];
    struct gs_net_import in;
    struct gs_topology *t;
    struct gs_err err;
    enum gs_rc rc;
};

static void read_text(struct got *g, const char *format, const char *text)
{
    static const char *const name[NODES] = {"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"};
    const struct gs_net_rule rule = {.kind = GS_TOPOLOGY_FILE, .pxn = 1};
    memset(g, 0, sizeof *g);
    for (uint32_t i = 0; i < NODES; i++)
        g->node[i] = (struct gs_net_node){name[i], 8, 2, 1000000, GS_NONE};
    g->rc = gs_net_import_read(&g->in, "f", format, text, strlen(text), g->node, NODES, &g->err);
    if (g->rc == GS_OK)
        g->rc = gs_topology_build(&g->t, &rule, g->node, NODES, &g->in.tree, &g->err);
}

static void drop(struct got *g)
{
    gs_topology_free(g->t);
    gs_net_import_release(&g->in);
}

static const char *group(const struct got *g, uint32_t level, uint32_t node)
{
    return g->t && level < gs_topology_levels(g->t) ? gs_topology_level_group(g->t, level, node)
                                                    : "";
}

static void refused(const char *text, const char *why)
{
    struct got g;
    read_text(&g, NULL, text);
    CU_ASSERT_EQUAL(g.rc, GS_E_INPUT);
    GS_HAS(g.err.msg, why);
    drop(&g);
}

static void slurm_tree(void)
{
    struct got g;
    read_text(&g, NULL,
              "# two leaves\nSwitchName=s0 Nodes=n[1-3] LinkSpeed=100\r\n"
              "switchname=s1 NODES=n[4-6],n7,zz\nSwitchName=top \\\n  Switches=s[0-1]\n");
    CU_ASSERT_EQUAL_FATAL(g.rc, GS_OK);
    GS_EQ_STR(g.in.format, "slurm tree");
    GS_EQ_INT(g.in.absent, 1);
    GS_EQ_STR(g.in.first_absent, "n8");
    GS_EQ_INT(g.in.strange, 1);
    GS_EQ_STR(g.in.first_strange, "zz");
    GS_EQ_INT(gs_topology_levels(g.t), 1); /* a switch above all tells nothing */
    GS_EQ_STR(group(&g, 0, 2), "s0");
    GS_EQ_STR(group(&g, 0, 3), "s1");
    uint32_t links[8], switches = 0;
    GS_EQ_INT(gs_topology_route(g.t, 0, 0, 3, 1, links, 8, &switches), 4);
    GS_EQ_INT(switches, 3);
    GS_EQ_INT(gs_topology_route(g.t, 0, 0, 7, 0, links, 8, &switches), GS_NONE);
    drop(&g);
}

static void slurm_blocks(void)
{
    struct got g;
    read_text(&g, "slurm",
              "BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockName=b3 Nodes=n[5-6]\n"
              "BlockName=b4 Nodes=n[7-8]\nBlockSizes=2,4\n");
    CU_ASSERT_EQUAL_FATAL(g.rc, GS_OK);
    GS_EQ_INT(gs_topology_levels(g.t), 2);
    GS_EQ_STR(gs_topology_level_name(g.t, 1), "block");
    GS_EQ_STR(group(&g, 1, 2), "b2");
    GS_EQ_STR(group(&g, 0, 2), group(&g, 0, 1));
    CU_ASSERT_TRUE(strcmp(group(&g, 0, 4), group(&g, 0, 1)) != 0);
    const uint32_t near[] = {0, 3}, far[] = {0, 7};
    GS_EQ_INT(gs_topology_span(g.t, near, 2), 2);
    GS_EQ_INT(gs_topology_span(g.t, far, 2), 3);
    drop(&g);
}

static void slurm_yaml(void)
{
    struct got g;
    read_text(
        &g, NULL,
        "- topology: a\n  flat: true\n- topology: b\n  cluster_default: true\n  tree:\n"
        "    switches:\n      - switch: top\n        children: s[0-1]\n"
        "      - switch: s0\n        nodes: n[1-4]\n      - switch: s1\n        nodes: n[5-8]\n");
    CU_ASSERT_EQUAL_FATAL(g.rc, GS_OK);
    GS_EQ_STR(g.in.format, "slurm tree");
    GS_EQ_STR(group(&g, 0, 4), "s1");
    drop(&g);
    read_text(&g, "slurm",
              "- topology: b\n  block:\n    block_sizes: [4, 8]\n    blocks:\n"
              "      - block: x\n        nodes: n[1-4]\n      - block: y\n        nodes: n[5-8]\n");
    CU_ASSERT_EQUAL_FATAL(g.rc, GS_OK);
    GS_EQ_STR(g.in.format, "slurm block");
    GS_EQ_STR(group(&g, 0, 7), "y");
    drop(&g);
    read_text(&g, NULL, "- topology: a\n  flat: true\n");
    CU_ASSERT_EQUAL_FATAL(g.rc, GS_OK);
    GS_EQ_STR(group(&g, 0, 7), "flat");
    drop(&g);
    refused("- topology: a\n  torus3d: {}\n", "kind = torus");
    refused("- topology: a\n  tree:\n    switches:\n      - switch: s\n", "f:4: 's' needs nodes");
    refused("topology: [\n", "f:");
}

static void topograph_graph(void)
{
    struct got g;
    read_text(
        &g, NULL,
        "{\"instances\": [{\"id\": \"n1\", \"network_layers\": [\"l1\", \"s1\"], \"labels\": "
        "{\"nvidia.com/gpu.clique\": \"u.1\"}}, {\"id\": \"n2\", \"network_layers\": [\"l1\", "
        "\"s1\"], \"labels\": {\"nvidia.com/gpu.clique\": \"u.1\"}}, {\"id\": \"n3\", "
        "\"network_layers\": [\"l2\", \"s2\"]}]}");
    CU_ASSERT_EQUAL_FATAL(g.rc, GS_OK);
    GS_EQ_INT(gs_topology_domain(g.t, 0), gs_topology_domain(g.t, 1));
    GS_EQ_INT(gs_topology_domain(g.t, 2), GS_NONE);
    GS_EQ_STR(group(&g, 1, 0), "l1");
    GS_EQ_STR(group(&g, 0, 2), "s2");
    drop(&g);
    refused("{\"instances\": [{\"id\": \"n1\", \"network_layers\": [\"a\", \"b\"]}, "
            "{\"id\": \"n2\", \"network_layers\": [\"a\", \"c\"]}]}",
            "'a' hangs on 'b' and on 'c'");
    refused("{\"instances\": 3}", "not a list");
    refused("{\"instances\": [", "f:1:");
}

static void labels(void)
{
    struct got g;
    read_text(&g, "labels",
              "node,topology.k8s.aws/network-node-layer-1,topology.k8s.aws/network-node-layer-2,"
              "topology.k8s.aws/network-node-layer-3\nn1,a1,a2,a3\nn2,a1,a2,b3\nn3,a1,b2,c3\n");
    CU_ASSERT_EQUAL_FATAL(g.rc, GS_OK);
    GS_EQ_STR(g.in.format, "AWS labels");
    GS_EQ_STR(gs_topology_level_name(g.t, gs_topology_levels(g.t) - 1), "layer-3");
    GS_EQ_STR(group(&g, gs_topology_levels(g.t) - 1, 1), "b3");
    drop(&g);
    read_text(&g, NULL,
              "{\"items\": [{\"metadata\": {\"name\": \"n1\", \"labels\": "
              "{\"cloud.google.com/gce-topology-host\": \"h1\", "
              "\"cloud.google.com/gce-topology-subblock\": \"s1\"}}}]}");
    CU_ASSERT_EQUAL_FATAL(g.rc, GS_OK);
    GS_EQ_STR(g.in.format, "GCE labels");
    drop(&g);
    refused("{\"items\": [{\"metadata\": {\"name\": \"n1\"}}]}", "no node has a label");
    refused("a,b\n1,2\n", "no column `node`");
}

static void refusals_say_where(void)
{
    refused("SwitchName=s0 Nodes=n[1-3]\nSwitchName=s1 Nodes=n[3-5]\n",
            "f:2: node 'n3' is in 's0' and in 's1'");
    refused("SwitchName=s0 Switches=s1\nSwitchName=s1 Switches=s0\nSwitchName=s1 Nodes=n1\n",
            "above itself");
    refused("SwitchName=s0 Nodes=n[1-\n", "f:1:");
    refused("SwitchName=s0 Nodez=n1\n", "f:1: unknown key 'Nodez'");
    refused("SwitchName=s0\n", "f:1: 's0' needs Nodes or Switches");
    refused("SwitchName=s0 Nodes=n1\nBlockName=b Nodes=n2\n", "f:2: switches and blocks");
    refused("BlockName=b Nodes=n1\nBlockSizes=2,6\n", "f:2: BlockSizes: 6");
    refused("SwitchName=s0 Nodes=m[1-3]\n", "names none of the scenario's nodes");
    refused("", "no column");
}

/* The same nodes in another order stand in the same groups, and rings put the same weights on links between switches. */
static void order_of_nodes_does_not_matter(void)
{
    static const char *const name[2][NODES] = {{"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"},
                                               {"n5", "n8", "n1", "n3", "n2", "n7", "n6", "n4"}};
    static const char text[] = "SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n[4-6]\n"
                               "SwitchName=c Nodes=n[7-8]\nSwitchName=t Switches=a,b,c\n";
    const struct gs_net_rule rule = {.kind = GS_TOPOLOGY_FILE};
    uint64_t trunk[2][GS_PATTERN_COUNT] = {0};
    for (int k = 0; k < 2; k++) {
        struct gs_net_node node[NODES];
        struct gs_net_import in;
        struct gs_topology *t = NULL;
        struct gs_err err = {0};
        struct gs_member all[NODES];
        for (uint32_t i = 0; i < NODES; i++) {
            node[i] = (struct gs_net_node){name[k][i], 8, 2, 1000000, GS_NONE};
            all[i] = (struct gs_member){.node = i};
        }
        CU_ASSERT_EQUAL_FATAL(
            gs_net_import_read(&in, "f", NULL, text, strlen(text), node, NODES, &err), GS_OK);
        CU_ASSERT_EQUAL_FATAL(gs_topology_build(&t, &rule, node, NODES, &in.tree, &err), GS_OK);
        for (uint32_t i = 0; i < NODES; i++)
            GS_EQ_STR(gs_topology_level_group(t, 0, i), name[k][i][1] <= '3'   ? "a"
                                                        : name[k][i][1] <= '6' ? "b"
                                                                               : "c");
        for (int p = 0; p < GS_PATTERN_COUNT; p++) {
            const struct gs_group_load g = gs_topology_group(t, (enum gs_pattern)p, all, NODES);
            for (uint32_t i = 0; i < g.nlinks; i++) {
                const struct gs_net_link *l = gs_topology_link(t, g.link[i].link);
                char from[64], to[64];
                if (l->tier == 1)
                    trunk[k][p] += (uint64_t)g.link[i].weight *
                                   (1 + (uint64_t)gs_topology_vertex_name(t, l->from, from, 64)[0] +
                                    1000 * (uint64_t)gs_topology_vertex_name(t, l->to, to, 64)[0]);
            }
        }
        gs_topology_free(t);
        gs_net_import_release(&in);
    }
    for (int p = 0; p < GS_PATTERN_COUNT; p++) {
        CU_ASSERT_TRUE(trunk[0][p] > 0);
        GS_EQ_INT(trunk[0][p], trunk[1][p]);
    }
}

static const struct gs_test tests[] = {
    {"Slurm tree", slurm_tree},
    {"Slurm blocks", slurm_blocks},
    {"Slurm YAML", slurm_yaml},
    {"topograph graph", topograph_graph},
    {"labels", labels},
    {"refusals say where", refusals_say_where},
    {"order of nodes does not matter", order_of_nodes_does_not_matter},
};
GS_TEST_MAIN("network/importer", tests)

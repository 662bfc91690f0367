/* test_network.c - the network effect on runs that are filled by hand: links that fail, and jobs that stand still meanwhile. */
#include "sim/effects/network.h"
#include "sim/network/topology.h"
#include "tests/unit/run_rig.h"

/* 4 nodes of 8 GPUs and 8 NICs of 50 GB/s, two nodes a unit, trunks oversubscribed 4:1. */
static struct gs_rig *wired(void)
{
    struct gs_rig *k = gs_rig_init();
    struct gs_net_node node[4];
    static const char *const names[] = {"n0", "n1", "n2", "n3"};
    const struct gs_net_rule rule = {.kind = GS_TOPOLOGY_RAIL,
                                     .radix = 64,
                                     .leaf_nodes = 2,
                                     .tiers = 2,
                                     .planes = 1,
                                     .oversubscription = {0, 4000, 4000}};
    for (int i = 0; i < 4; i++) {
        (void)gs_rig_node(k, names[i], 8);
        node[i] = (struct gs_net_node){.name = names[i],
                                       .gpus = 8,
                                       .rails = 8,
                                       .rail_bytes_per_s = INT64_C(50000000000),
                                       .domain = GS_NONE};
    }
    CU_ASSERT_EQUAL_FATAL(gs_topology_build(&k->r.topology, &rule, node, 4, NULL, &k->err), GS_OK);
    return k;
}

static void communicating(struct gs_rig *k, int64_t run_s, uint32_t gpus)
{
    struct gs_job *j = gs_rig_job_s(k, 0, run_s, gpus);
    j->tasks = gpus / 8;
    j->task_gpus = 8;
    j->comm_q = GS_ONE / 2;
}

/* What an observer does at the passes of these times. */
struct plan {
    int64_t at_ns[5]; /* the last act is NULL */
    void (*act[5])(struct gs_run *r);
    int next;
};

static void observe(void *ctx, struct gs_run *r)
{
    struct plan *p = ctx;
    while (p->act[p->next] && r->eng.now_ns >= p->at_ns[p->next])
        p->act[p->next++](r);
}

static uint32_t first_nic(const struct gs_run *r)
{
    uint32_t up = 0, down = 0;
    CU_ASSERT(gs_topology_trunk(r->topology, gs_topology_port(r->topology, 0, 0), &up, &down));
    return up;
}

static void nic_down(struct gs_run *r)
{
    gs_network_link_up(r, first_nic(r), 0);
}

static void nic_up(struct gs_run *r)
{
    gs_network_link_up(r, first_nic(r), 1);
}

static void leaf_down(struct gs_run *r)
{
    gs_network_switch_up(r, gs_topology_leaf(r->topology, 0, 0), 0);
}

static void leaf_up(struct gs_run *r)
{
    gs_network_switch_up(r, gs_topology_leaf(r->topology, 0, 0), 1);
}

static void check_stalled(struct gs_run *r)
{
    CU_ASSERT(gs_network_stalled(r, r->slot_of[0]));
}

static void go(struct gs_rig *k, struct plan *p)
{
    for (int i = 0; i < 4 && p->act[i]; i++) /* a pass at each of its times */
        (void)gs_rig_job_s(k, p->at_ns[i] / GS_SECOND, 1, 1);
    k->r.observe = observe;
    k->r.observe_ctx = p;
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, "fifo", NULL, 0);
    gs_rig_role(k, GS_ROLE_PLACEMENT, "firstfit", NULL, 0);
    gs_rig_go(k);
}

/* 100 s of work, from 20 s to 50 s without one of its 16 NICs. */
static void a_job_whose_link_is_down_stands_still(void)
{
    struct gs_rig *k = wired();
    struct plan p = {
        {20 * GS_SECOND, 30 * GS_SECOND, 50 * GS_SECOND}, {nic_down, check_stalled, nic_up}, 0};
    communicating(k, 100, 16);
    go(k, &p);
    GS_EQ_INT(gs_rig_outcome(k, 0)->run_ns, 130 * GS_SECOND);
    GS_EQ_INT(gs_metrics_part_ns(k->r.m, 0, GS_TIME_COMMUNICATION), 80 * GS_SECOND);
    GS_EQ_INT(gs_metrics_part_ns(k->r.m, 0, GS_TIME_COMPUTE), 50 * GS_SECOND);
    gs_rig_free(k);
}

/* The switch fails on top of its NIC's link: it runs again when both are back. */
static void failures_of_a_link_add_up(void)
{
    struct gs_rig *k = wired();
    struct plan p = {{10 * GS_SECOND, 20 * GS_SECOND, 30 * GS_SECOND, 70 * GS_SECOND},
                     {nic_down, leaf_down, nic_up, leaf_up},
                     0};
    communicating(k, 100, 16);
    go(k, &p);
    GS_EQ_INT(gs_rig_outcome(k, 0)->run_ns, 160 * GS_SECOND);
    gs_rig_free(k);
}

/* In one node it does not care. */
static void a_job_of_one_node_does_not_care(void)
{
    struct gs_rig *k = wired();
    struct plan p = {{20 * GS_SECOND}, {leaf_down}, 0};
    communicating(k, 100, 16);
    communicating(k, 100, 8);
    k->r.w.jobs.v[0].tasks = 1;
    k->r.w.jobs.v[0].gpus = 8;
    go(k, &p);
    GS_EQ_INT(gs_rig_outcome(k, 0)->run_ns, 100 * GS_SECOND);
    GS_EQ_INT(gs_rig_outcome(k, 1)->run_ns, 100 * GS_SECOND);
    gs_rig_free(k);
}

static const struct gs_test tests[] = {
    {"a job whose link is down stands still", a_job_whose_link_is_down_stands_still},
    {"failures of a link add up", failures_of_a_link_add_up},
    {"a job of one node does not care", a_job_of_one_node_does_not_care},
};
GS_TEST_MAIN("effects/network", tests)

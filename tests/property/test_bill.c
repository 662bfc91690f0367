/* test_bill.c - the bill of random runs: lines sum to the cluster's cost to the last nano-USD, and energy to that of its units, whatever was
 * held, preempted or shared, whoever pays for what is idle. A failing seed is printed. */
#include "sim/base/rng.h"
#include "sim/effects/power.h"
#include "tests/unit/run_rig.h"

#include <math.h>

enum {
    SEEDS = 20,
    JOBS = 120
};

static void add_nodes(struct gs_rig *k, struct gs_stream *g)
{
    (void)gs_rig_node_of(k, "a", "x", 8, 64);
    (void)gs_rig_node_of(k, "b", "x", 3, 64);
    (void)gs_rig_node_of(k, "cpu", "", 0, 128);
    struct gs_power_state *p = k->r.power = GS_NEW(struct gs_power_state);
    const struct gs_gpu_model board = {.tdp_w = 700, .idle_w = 71};
    const struct gs_power_model model = {40000, 0.12, 1};
    p->node = GS_NEW_N(struct gs_power_node, 3);
    p->share_price = (enum gs_share_price)gs_below(g, 3);
    p->tariff = (struct gs_tariff){.idle_to = (enum gs_idle_to)gs_below(g, 4),
                                   .energy_price = (int64_t)gs_below(g, 300000000),
                                   .pue_milli = 1000 + (int64_t)gs_below(g, 500),
                                   .carbon_g = (double)NAN,
                                   .priced = 1,
                                   .powered = 1};
    for (uint32_t i = 0; i < 3; i++) {
        struct gs_power_gpu kind;
        CU_ASSERT_EQUAL(gs_power_gpu(&board, &model, i == 1 ? 500000 : 0, &kind, &k->err), GS_OK);
        gs_vec_push(&p->kind, kind);
        p->node[i] = (struct gs_power_node){.rate = (int64_t)gs_below(g, 99999999999),
                                            .host_mw = (int64_t)gs_below(g, 2000000),
                                            .kind = i < 2 ? i : GS_NONE};
    }
}

static void add_jobs(struct gs_rig *k, struct gs_stream *g)
{
    int64_t t = 0;
    for (int i = 0; i < JOBS; i++) {
        t += (int64_t)gs_below(g, 40 * (uint64_t)GS_SECOND);
        struct gs_job *j = gs_rig_job(k, t, 1 + (int64_t)gs_below(g, 900 * (uint64_t)GS_SECOND),
                                      (uint32_t)gs_below(g, 5));
        const uint64_t kind = gs_below(g, 3);
        if (kind == 0 && j->gpus) {
            j->gpus = j->task_gpus = 1;
            j->share_milli = 100 + (uint32_t)gs_below(g, 800);
            j->gpu_mem_mib = 1000 + (uint32_t)gs_below(g, 40000);
        }
        j->cpus_milli = 1 + (int64_t)gs_below(g, 8000);
        j->comm_q = (uint32_t)gs_below(g, GS_ONE / 2);
        j->priority = (int32_t)gs_below(g, 3);
        j->flags = GS_JOB_PREEMPTIBLE;
        j->queue = (uint32_t)gs_below(g, k->r.w.queues.n);
        j->user = gs_below(g, 4) ? (uint32_t)gs_below(g, k->r.w.users.n) : GS_NONE;
    }
}

static struct gs_rig *run(uint64_t seed)
{
    struct gs_rig *k = gs_rig_init();
    struct gs_stream g;
    gs_stream_init(&g, seed, GS_RNG_TEST, 71, 0);
    add_nodes(k, &g);
    k->r.w.queues.v[gs_workload_queue(&k->r.w, "q")].quota_milli = 5000;
    k->r.w.queues.v[gs_workload_queue(&k->r.w, "unused")].quota_milli = 3000;
    (void)gs_workload_user(&k->r.w, "ann");
    (void)gs_workload_user(&k->r.w, "bob");
    add_jobs(k, &g);
    if (seed % 3 == 0)
        k->r.horizon_ns = 700 * GS_SECOND; /* work is cut off */
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, "priority", NULL, NULL);
    gs_rig_role(k, GS_ROLE_PREEMPTION, "priority", NULL, NULL);
    gs_rig_go(k);
    return k;
}

/* nano-USD that the nodes cost in all, rounded half up: the naive way. */
static int64_t capacity_cost(const struct gs_rig *k)
{
    gs_i128 sum = 0;
    const gs_i128 hour = (gs_i128)3600 * GS_SECOND;
    for (uint32_t i = 0; i < k->r.cluster.nnodes; i++)
        sum += (gs_i128)k->r.power->node[i].rate * k->r.end_ns;
    return (int64_t)((2 * sum + hour) / (2 * hour));
}

static void lines_sum_to_the_cost(void)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct gs_rig *k = run(seed);
        const struct gs_bill *b = k->r.power->bill;
        int64_t total = 0, energy = 0;
        gs_i128 drawn = 0;
        uint64_t jobs = 0;
        for (uint32_t i = 0; i < b->nlines; i++) {
            const struct gs_bill_line *l = &b->line[i];
            total += gs_bill_line_total(l);
            energy += l->nano[GS_BILL_ENERGY] + l->nano[GS_BILL_IDLE_ENERGY];
            drawn += l->energy;
            jobs += l->jobs;
            for (int c = 0; c < GS_BILL_CELLS; c++)
                CU_ASSERT_TRUE(l->nano[c] >= 0);
        }
        const struct gs_charge all = gs_meter_total(b->meter);
        const bool good = total == b->total && total - energy == capacity_cost(k) &&
                          drawn == all.energy && jobs == JOBS;
        if (!good)
            printf("seed %" PRIu64 "\n", seed);
        CU_ASSERT_TRUE(good);
        const double kwh = gs_i128_to_double(all.energy, 3.6e21);
        CU_ASSERT_TRUE(fabs((double)energy - kwh * (double)b->tariff.pue_milli / 1000 *
                                                 (double)b->tariff.energy_price) < 1.0);
        GS_NEAR(gs_rig_metric(k, "cost.total"), (double)total / 1e9, 1e-12);
        CU_ASSERT_TRUE(gs_rig_metric(k, "power.peak") >= gs_rig_metric(k, "power.mean"));
        gs_rig_free(k);
    }
}

/* By the rule `none` idle is nobody's; by the others nothing is, where somebody has a weight. */
static void idle_goes_where_the_rule_says(void)
{
    int seen[4] = {0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct gs_rig *k = run(seed);
        const struct gs_bill *b = k->r.power->bill;
        const struct gs_bill_line *last = &b->line[b->nlines - 1];
        CU_ASSERT_EQUAL(last->queue, GS_NONE);
        const int64_t idle = last->nano[GS_BILL_IDLE] + last->nano[GS_BILL_IDLE_ENERGY];
        const int none = b->tariff.idle_to == GS_IDLE_NONE;
        CU_ASSERT_EQUAL(idle, gs_bill_line_total(last));
        CU_ASSERT_TRUE(none ? idle > 0 : idle == 0);
        seen[b->tariff.idle_to]++;
        gs_rig_free(k);
    }
    CU_ASSERT_TRUE(seen[0] && seen[1] && seen[2] && seen[3]);
}

/* A GPU under a cap that leaves half the active power computes half as fast; its energy is that of the cap. */
static void a_cap_slows_and_saves(void)
{
    struct gs_rig *k = gs_rig_init();
    struct gs_stream g;
    gs_stream_init(&g, 1, GS_RNG_TEST, 72, 0);
    add_nodes(k, &g);
    const struct gs_gpu_model board = {.tdp_w = 700, .idle_w = 70};
    const struct gs_power_model model = {40000, 0.12, 1};
    CU_ASSERT_EQUAL(gs_power_gpu(&board, &model, 405000, &k->r.power->kind.v[0], &k->err), GS_OK);
    (void)gs_rig_job_s(k, 0, 1000, 8);
    gs_rig_prepare(k);
    gs_rig_go(k);
    GS_EQ_INT(gs_rig_end_s(k, 0), 2000);
    GS_EQ_INT(gs_metrics_part_ns(k->r.m, 0, GS_TIME_THROTTLED), 1000 * GS_SECOND);
    const gs_i128 one = gs_meter_unit_energy(k->r.power->bill->meter, 0, k->r.end_ns);
    const int64_t host = k->r.power->node[0].host_mw / 8 + (k->r.power->node[0].host_mw % 8 > 0);
    CU_ASSERT_TRUE(one == (gs_i128)(405000 + host) * 2000 * GS_SECOND);
    gs_rig_free(k);
}

static const struct gs_test tests[] = {
    {"lines sum to the cost", lines_sum_to_the_cost},
    {"idle by rule", idle_goes_where_the_rule_says},
    {"a cap", a_cap_slows_and_saves},
};
GS_TEST_MAIN("the bill of random runs", tests)

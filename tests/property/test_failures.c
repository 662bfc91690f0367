/* Properties of runs in which everything fails: nodes, devices, groups, jobs by themselves, with spares, retries, checkpoints and preemption.
 * At every event the ledger recounts (a device is never held twice, nor held while it is out of order); at the end jobs in = done + running +
 * queued + rejected and the wait splits add up; the same seed gives the same run. A failing seed is printed. */
#include "sim/base/rng.h"
#include "sim/effects/data.h"
#include "sim/failures.h"
#include "sim/scenario/settings.h"
#include "tests/unit/run_rig.h"

enum {
    SEEDS = 20,
    JOBS = 120
};

struct watch {
    struct gs_rig *k;
    uint64_t looks;
    int wrong;
};

static void look(void *ctx, struct gs_run *r)
{
    struct watch *w = ctx;
    w->looks++;
    if (gs_ledger_audit(&r->cluster, &w->k->err) || w->wrong)
        return;
    printf("ledger at %lld ns: %s\n", (long long)r->eng.now_ns, w->k->err.msg);
    w->wrong = 1;
}

static void add_jobs(struct gs_rig *k, uint64_t seed)
{
    static const uint32_t sizes[] = {1, 2, 4, 4, 8, 16};
    struct gs_stream g;
    int64_t at = 0;
    gs_stream_init(&g, seed, GS_RNG_TEST, 40, 0);
    for (int i = 0; i < JOBS; i++) {
        at += (int64_t)gs_below(&g, 900);
        struct gs_job *j =
            gs_rig_job_s(k, at, 60 + (int64_t)gs_below(&g, 7200), sizes[gs_below(&g, 6)]);
        if (j->gpus > 4) {
            j->tasks = j->gpus / 4;
            j->task_gpus = 4;
        } else if (j->gpus == 1 && gs_below(&g, 2)) {
            j->share_milli = 250;
        }
        j->priority = (int32_t)gs_below(&g, 3);
        j->flags = GS_JOB_PREEMPTIBLE;
    }
}

static uint64_t run(uint64_t seed, uint64_t *failures)
{
    struct gs_rig *k = gs_rig_init();
    struct watch w = {.k = k};
    static const char *const rules[] = {"600s", "young", "daly", "none"};
    const struct gs_set_failures f = {.node = "exponential mean=4h",
                                      .node_repair = "lognormal median=20m sigma=1",
                                      .gpu = "weibull scale=10h shape=0.7",
                                      .gpu_repair = "constant 1h",
                                      .group = seed % 2 ? "exponential mean=9h" : NULL,
                                      .group_repair = "constant 30m",
                                      .level = "node",
                                      .restart = seed % 3 ? "uniform 0s 5m" : NULL,
                                      .gpu_hours_ns = INT64_C(40) * 3600 * GS_SECOND,
                                      .retries = (int64_t)(seed % 5) * 3 - 1,
                                      .spares = (int64_t)(seed % 3),
                                      .spare_delay_ns = (int64_t)(seed % 4) * 60 * GS_SECOND,
                                      .said = 1};
    const struct gs_set_data d = {.checkpoint = rules[seed % 4],
                                  .checkpoint_ns = 20 * GS_SECOND,
                                  .checkpoint_async = seed % 7 == 0};
    k->r.seed = seed;
    for (int i = 0; i < 8; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "n%d", i);
        (void)gs_rig_node(k, name, 4);
    }
    add_jobs(k, seed);
    (void)gs_rig_ok(k, gs_data_apply(&k->r, &d, 0, ".", &k->err));
    (void)gs_rig_ok(k, gs_failures_load(&k->r, &f, ".", &k->err));
    k->r.observe = look;
    k->r.observe_ctx = &w;
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, "priority", NULL, NULL);
    if (seed % 2)
        gs_rig_role(k, GS_ROLE_PREEMPTION, "priority", "mode",
                    seed % 4 == 1 ? "checkpoint" : "requeue");
    gs_rig_go(k);
    CU_ASSERT_TRUE(w.looks > JOBS && !w.wrong);
    double lost = 0, held = 0;
    for (uint32_t i = 0; i < JOBS; i++) {
        const struct gs_outcome *o = gs_rig_outcome(k, i);
        *failures += o->failures;
        lost += o->lost_gpu_s;
        held += (double)o->gpu_milli_ns / 1e12;
        CU_ASSERT_TRUE(o->end_ns >= 0 || o->state == GS_STATE_PENDING);
    }
    CU_ASSERT_TRUE(lost >= 0 && lost <= held);
    const double good = gs_rig_metric(k, "gpu.goodput");
    CU_ASSERT_TRUE(good >= 0 && good <= 1);
    const uint64_t digest = k->r.eng.digest;
    gs_rig_free(k);
    return digest;
}

static void everything_fails(void)
{
    uint64_t failures = 0, again = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        const unsigned before = CU_get_number_of_failures();
        const uint64_t first = run(seed, &failures);
        CU_ASSERT_EQUAL(first, run(seed, &again));
        if (CU_get_number_of_failures() > before)
            printf("seed %llu\n", (unsigned long long)seed);
    }
    printf("%llu failures of jobs\n", (unsigned long long)failures);
    CU_ASSERT_EQUAL(failures, again);
    CU_ASSERT_TRUE(failures > 1000);
}

static const struct gs_test tests[] = {
    {"everything fails", everything_fails},
};
GS_TEST_MAIN("property/failures", tests)

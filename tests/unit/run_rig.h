/* run_rig.h - a run that is filled by hand: a few nodes, a list of jobs, roles, and what became of each job.
 *
 * Used by the suites that drive the real engine, ledger, host and modules without a scenario (tests/theory, tests/property/test_run*.c,
 * test_host*.c, test_run*.c). Order of use: gs_rig_init; gs_rig_node, gs_rig_job; gs_rig_prepare; gs_rig_role; gs_rig_go; questions;
 * gs_rig_free. Times are nanoseconds unless the name says seconds. */
#ifndef GS_TESTS_RUN_RIG_H
#define GS_TESTS_RUN_RIG_H

#include "sim/run.h"
#include "tests/unit/harness.h"

struct gs_rig {
    struct gs_log log;
    struct gs_err err;
    struct gs_run r;
};

/* A run without samples: seed 1, queueing on, no horizon. Its fields may be changed until gs_rig_prepare. */
GS_TEST_HELPER struct gs_rig *gs_rig_init(void)
{
    struct gs_rig *k = GS_NEW(struct gs_rig);
    gs_log_init(&k->log, GS_LOG_QUIET, GS_COLOR_NEVER, 0);
    k->log.progress = 0;
    gs_run_init(&k->r, &k->log);
    k->r.series_ns = 0;
    return k;
}

GS_TEST_HELPER void gs_rig_free(struct gs_rig *k)
{
    gs_run_release(&k->r);
    gs_free(k);
}

/* A node with whole GPUs of the model (of 80 GiB each; "" and 0 = none), CPUs, and memory to spare. */
GS_TEST_HELPER uint32_t gs_rig_node_of(struct gs_rig *k, const char *name, const char *model,
                                       uint32_t gpus, int64_t cpus)
{
    uint32_t id = 0;
    struct gs_node_spec s = {.name = name,
                             .type = "rig",
                             .model = gpus ? model : "",
                             .gpus = gpus,
                             .gpu_mem_mib = gpus ? 81920 : 0,
                             .cpus_milli = cpus * 1000,
                             .mem_mib = 1 << 20,
                             .gpu_cap_milli = 1000};
    CU_ASSERT_EQUAL(gs_cluster_add_node(&k->r.cluster, &s, &id, &k->err), GS_OK);
    return id;
}

GS_TEST_HELPER uint32_t gs_rig_node(struct gs_rig *k, const char *name, uint32_t gpus)
{
    return gs_rig_node_of(k, name, "rig-gpu", gpus, 64);
}

/* One more job: whole GPUs in one task, exact estimate, of nobody, in the queue "default". The pointer is good until the next one. */
GS_TEST_HELPER struct gs_job *gs_rig_job(struct gs_rig *k, int64_t submit_ns, int64_t run_ns,
                                         uint32_t gpus)
{
    gs_vec_push(&k->r.w.jobs, (struct gs_job){.user = GS_NONE,
                                              .kind = GS_KIND_BATCH,
                                              .est_source = GS_EST_EXACT,
                                              .submit_ns = submit_ns,
                                              .run_ns = run_ns,
                                              .est_ns = run_ns,
                                              .tasks = 1,
                                              .gpus = gpus,
                                              .task_gpus = gpus,
                                              .share_milli = 1000,
                                              .row = (int64_t)k->r.w.jobs.n});
    return &gs_vec_last(&k->r.w.jobs);
}

/* The same in whole seconds. */
GS_TEST_HELPER struct gs_job *gs_rig_job_s(struct gs_rig *k, int64_t submit_s, int64_t run_s,
                                           uint32_t gpus)
{
    return gs_rig_job(k, submit_s * GS_SECOND, run_s * GS_SECOND, gpus);
}

GS_TEST_HELPER bool gs_rig_ok(struct gs_rig *k, enum gs_rc rc)
{
    if (rc)
        printf("%s\n", k->err.msg);
    CU_ASSERT_EQUAL(rc, GS_OK);
    return rc == GS_OK;
}

GS_TEST_HELPER void gs_rig_prepare(struct gs_rig *k)
{
    (void)gs_rig_ok(k, gs_run_prepare(&k->r, &k->err));
}

GS_TEST_HELPER const char *gs_rig_modules(void)
{
    return GSIM_POLICY_DIR ":" GSIM_TEST_MODULE_DIR;
}

/* Binds a bundled or toy module, with at most one parameter (key NULL = none). */
GS_TEST_HELPER enum gs_rc gs_rig_try_role(struct gs_rig *k, enum gs_role role, const char *module,
                                          const char *key, const char *value)
{
    const struct gs_setting s = {.key = key, .value = value, .where = "test"};
    return gs_run_role(&k->r, role, gs_rig_modules(), module, module, &s, key ? 1 : 0, &k->err);
}

GS_TEST_HELPER void gs_rig_role(struct gs_rig *k, enum gs_role role, const char *module,
                                const char *key, const char *value)
{
    (void)gs_rig_ok(k, gs_rig_try_role(k, role, module, key, value));
}

GS_TEST_HELPER const struct gs_outcome *gs_rig_outcome(struct gs_rig *k, uint32_t job)
{
    return gs_metrics_outcome(k->r.m, job);
}

/* The laws that hold at the end of every run: jobs in = done + running + queued + rejected; the ledger recounts; the wait split of each job is
 * its time in the system that it did not run; GPU time held by the jobs is what the cluster's integral says, and not above capacity x time. */
GS_TEST_HELPER void gs_rig_laws(struct gs_rig *k)
{
    struct gs_run *r = &k->r;
    uint64_t n[GS_STATE_COUNT] = {0}, split_wrong = 0;
    gs_i128 held = 0;
    for (uint32_t i = 0; i < r->w.jobs.n; i++) {
        const struct gs_outcome *o = gs_metrics_outcome(r->m, i);
        int64_t sum = 0;
        n[o->state]++;
        held += o->gpu_milli_ns;
        for (int c = 0; c < GS_WAIT_CAUSES; c++)
            sum += o->wait_ns[c];
        const int64_t to = o->end_ns >= 0 ? o->end_ns : r->end_ns;
        split_wrong += o->state != GS_STATE_NEW &&
                       sum != (to > o->submit_ns ? to - o->submit_ns : 0) - o->run_ns;
    }
    CU_ASSERT_EQUAL(n[GS_STATE_COMPLETED] + n[GS_STATE_FAILED] + n[GS_STATE_KILLED] +
                        n[GS_STATE_TIMEOUT] + n[GS_STATE_RUNNING] + n[GS_STATE_PENDING] +
                        n[GS_STATE_HELD] + n[GS_STATE_REJECTED] + n[GS_STATE_NEW],
                    r->w.jobs.n);
    GS_EQ_INT(split_wrong, 0);
    CU_ASSERT_TRUE(held <= (gs_i128)r->cluster.total_gpus * 1000 * r->end_ns);
    const bool sound = gs_ledger_audit(&r->cluster, &k->err);
    if (!sound)
        printf("ledger: %s\n", k->err.msg);
    CU_ASSERT_TRUE(sound);
}

GS_TEST_HELPER void gs_rig_go(struct gs_rig *k)
{
    if (gs_rig_ok(k, gs_run_go(&k->r, &k->err)))
        gs_rig_laws(k);
}

/* Seconds, rounded towards zero; -1 = never. */
GS_TEST_HELPER int64_t gs_rig_start_s(struct gs_rig *k, uint32_t job)
{
    const int64_t t = gs_rig_outcome(k, job)->first_start_ns;
    return t < 0 ? -1 : t / GS_SECOND;
}

GS_TEST_HELPER int64_t gs_rig_end_s(struct gs_rig *k, uint32_t job)
{
    const int64_t t = gs_rig_outcome(k, job)->end_ns;
    return t < 0 ? -1 : t / GS_SECOND;
}

GS_TEST_HELPER int64_t gs_rig_wait_s(struct gs_rig *k, uint32_t job, enum gs_cause cause)
{
    return gs_rig_outcome(k, job)->wait_ns[cause] / GS_SECOND;
}

GS_TEST_HELPER double gs_rig_metric(struct gs_rig *k, const char *name)
{
    struct gs_value_row row = {0};
    (void)gs_rig_ok(k, gs_metric_eval(k->r.m, name, &row, &k->err));
    return row.value;
}

#endif

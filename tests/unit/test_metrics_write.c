/* test_metrics_write.c - from the accumulators to the results file and back: columns, codes, NaN where nothing happened, groups. */
#include "sim/metrics/internal.h"
#include "tests/unit/metrics_rig.h"

#include <math.h>

/* Five jobs: done, done after a preemption, rejected, waiting, running. */
static void run(struct rig *r, gs_typical_vec *typical)
{
    rig_init(r, 4);
    const uint32_t a = gs_workload_queue(&r->w, "a"), ab = gs_workload_queue(&r->w, "a/b");
    r->w.queues.v[ab].parent = a;
    for (int i = 0; i < 5; i++)
        rig_job(r, i, i == 4 ? 100 : 10, i == 2 ? 99 : 2)->queue = i % 2 ? ab : a;
    r->w.jobs.v[1].name = gs_intern(&r->str, "named");
    r->w.jobs.v[1].user = gs_workload_user(&r->w, "ann");
    r->w.jobs.v[1].est_ns = rig_ns(12);
    r->w.jobs.v[1].est_source = GS_EST_USER;
    r->w.queues.v[a].limit_milli = 3000;
    gs_typical_build(typical, &r->w, NULL, NULL, 0.95);
    gs_workload_seal(&r->w);
    const struct gs_metrics_config cfg = {
        .cluster = &r->c, .w = &r->w, .str = &r->str, .window = {0, GS_NEVER}, .typical = typical};
    r->m = gs_metrics_new(&cfg);
    gs_metrics_capacity(r->m, 0, 4000);
    rig_submit(r, 0);
    rig_start(r, 0, 0);
    rig_submit(r, 1);
    rig_start(r, 1, 1);
    rig_submit(r, 2);
    gs_metrics_reject(r->m, rig_ns(2), 2, 99000);
    gs_metrics_outcome(r->m, 2)->reason = gs_intern(&r->str, "larger than the cluster");
    rig_submit(r, 3);
    const struct gs_sample s = {
        .time_ns = rig_ns(3.5), .gpus_total = 4, .gpus_allocated = 4, .fragmentation = 1000};
    gs_metrics_sample(r->m, &s);
    rig_stop(r, 4, 1, GS_STATE_PENDING);
    rig_submit(r, 4);
    rig_start(r, 4, 4);
    rig_stop(r, 10, 0, GS_STATE_COMPLETED);
    rig_start(r, 10, 1);
    rig_stop(r, 17, 1, GS_STATE_COMPLETED);
    gs_metrics_outcome(r->m, 1)->wait_ns[6] = rig_ns(6);
    gs_metrics_outcome(r->m, 3)->wait_ns[6] = rig_ns(17);
    gs_metrics_end(r->m, rig_ns(20));
}

static struct gs_h5_in *written(struct rig *r, const char *groups)
{
    char path[600];
    struct gs_err err = {0};
    struct gs_h5 *f = NULL;
    char digest[33];
    gs_test_tmp_file("metrics.h5", path, sizeof path);
    enum gs_rc rc = gs_h5_create(&f, path, 4, &err);
    if (rc == GS_OK)
        rc = gs_metrics_write(r->m, f, groups, &err);
    if (rc == GS_OK)
        rc = gs_cluster_write(&r->c, f, rig_ns(20), NULL, 0, &err);
    if (rc == GS_OK)
        rc = gs_h5_finish(f, digest, &err);
    if (rc)
        printf("%s\n", err.msg);
    CU_ASSERT_FATAL(rc == GS_OK);
    struct gs_h5_in *in = NULL;
    CU_ASSERT_FATAL(gs_h5_open(&in, path, &err) == GS_OK);
    return in;
}

/* Compares a column with n values. */
static void expect(struct gs_h5_in *in, const char *path, const double *want, size_t n)
{
    size_t have = 0;
    double *v = gs_h5_read_f64(in, path, &have);
    gs_test_eq_int((intmax_t)have, (intmax_t)n, path, __FILE__, __LINE__);
    for (size_t i = 0; i < n && i < have; i++)
        if (isnan(want[i]))
            gs_test_report(isnan(v[i]), path, __FILE__, __LINE__);
        else
            gs_test_near(v[i], want[i], 1e-9, path, __FILE__, __LINE__);
    gs_free(v);
}

static void jobs_as_columns(void)
{
    static const double nan = (double)NAN;

    const struct {
        const char *path;
        double want[5];
    } rows[] = {
        {"/jobs/id", {0, 1, 2, 3, 4}},
        {"/jobs/queue", {1, 2, 1, 2, 1}},
        {"/jobs/user", {-1, 0, -1, -1, -1}},
        {"/jobs/gpus_requested", {2, 2, 99, 2, 2}},
        {"/jobs/gpus_min", {2, 2, 99, 2, 2}},
        {"/jobs/share_milli", {1000, 1000, 1000, 1000, 1000}},
        {"/jobs/submit_s", {0, 1, 2, 3, 4}},
        {"/jobs/first_start_s", {0, 1, nan, nan, 4}},
        {"/jobs/end_s", {10, 17, 2, nan, nan}},
        {"/jobs/state",
         {GS_STATE_COMPLETED, GS_STATE_COMPLETED, GS_STATE_REJECTED, GS_STATE_PENDING,
          GS_STATE_RUNNING}},
        {"/jobs/counted", {1, 1, 1, 1, 1}},
        {"/jobs/wait_s", {0, 0, nan, nan, 0}},
        {"/jobs/queued_s", {0, 6, 0, 17, 0}},
        {"/jobs/run_s", {10, 10, 0, 0, 16}},
        {"/jobs/jct_s", {10, 16, nan, nan, nan}},
        {"/jobs/slowdown", {1, 1.6, nan, nan, nan}},
        {"/jobs/bounded_slowdown", {1, 1.6, nan, nan, nan}},
        {"/jobs/preemptions", {0, 1, 0, 0, 0}},
        {"/jobs/restarts", {0, 1, 0, 0, 0}},
        {"/jobs/gpu_s", {20, 20, 0, 0, 32}},
        {"/jobs/estimate_s", {nan, 12, nan, nan, nan}},
        {"/jobs/estimate_source",
         {GS_EST_NONE, GS_EST_USER, GS_EST_NONE, GS_EST_NONE, GS_EST_NONE}},
        {"/jobs/predicted_start_s", {nan, nan, nan, nan, nan}},
        {"/jobs/wait_capacity_s", {0, 6, 0, 17, 0}},
    };
    struct rig r;
    gs_typical_vec typical = {0};
    run(&r, &typical);
    struct gs_h5_in *in = written(&r, "queue, kind, size");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect(in, rows[i].path, rows[i].want, 5);
    size_t n = 0;
    char **names = gs_h5_read_str(in, "/jobs/name", &n),
         **why = gs_h5_read_str(in, "/jobs/reason", &n);
    char **states = gs_h5_read_flags(in, "/jobs/state", &n);
    GS_EQ_STR(names[0], "0");
    GS_EQ_STR(names[1], "named");
    GS_EQ_STR(why[2], "larger than the cluster");
    GS_EQ_STR(why[0], "");
    GS_EQ_STR(states[GS_STATE_REJECTED], "rejected");
    gs_free(names);
    gs_free(why);
    gs_free(states);
    gs_h5_close(in);
    gs_vec_free(&typical);
    rig_release(&r);
}

/* The nine causes add up to queued_s in every job. */
static void the_wait_split_adds_up(void)
{
    static const char *const causes[] = {"startup",     "held",          "quota",
                                         "reservation", "order",         "scheduler",
                                         "capacity",    "fragmentation", "topology"};
    struct rig r;
    gs_typical_vec typical = {0};
    run(&r, &typical);
    struct gs_h5_in *in = written(&r, "");
    double sum[5] = {0};
    size_t n = 0;
    for (size_t c = 0; c < GS_WAIT_CAUSES; c++) {
        char path[64];
        (void)snprintf(path, sizeof path, "/jobs/wait_%s_s", causes[c]);
        double *v = gs_h5_read_f64(in, path, &n);
        CU_ASSERT_FATAL(v && n == 5);
        for (size_t i = 0; i < n; i++)
            sum[i] += v[i];
        gs_free(v);
    }
    expect(in, "/jobs/queued_s", sum, 5);
    GS_NEAR(rig_value(&r, "wait.cause.capacity"), 23 / 4.0, 1e-12);
    gs_h5_close(in);
    gs_vec_free(&typical);
    rig_release(&r);
}

static void tenants_series_and_nodes(void)
{
    struct rig r;
    gs_typical_vec typical = {0};
    run(&r, &typical);
    struct gs_h5_in *in = written(&r, "queue, kind, size");
    expect(in, "/queues/parent", (const double[]){-1, -1, 1}, 3);
    expect(in, "/queues/limit", (const double[]){(double)NAN, 3, (double)NAN}, 3);
    expect(in, "/typical_tasks/gpus", (const double[]){2, 99}, 2);
    expect(in, "/typical_tasks/probability", (const double[]){0.8, 0.2}, 2);
    expect(in, "/series/cluster/time_s", (const double[]){3.5}, 1);
    expect(in, "/series/cluster/gpus_allocated", (const double[]){4}, 1);
    expect(in, "/series/cluster/fragmentation", (const double[]){0.25}, 1); /* of 4 GPUs */
    expect(in, "/series/cluster/jobs_running", (const double[]){2}, 1);
    expect(in, "/series/cluster/jobs_pending", (const double[]){1}, 1);
    expect(in, "/series/cluster/gpus_pending", (const double[]){2}, 1);
    expect(in, "/series/queues/a/allocated", (const double[]){4}, 1); /* with its child */
    expect(in, "/series/queues/a%2Fb/allocated", (const double[]){2}, 1);
    expect(in, "/series/queues/a%2Fb/pending", (const double[]){2}, 1);
    expect(in, "/cluster/nodes/gpus", (const double[]){4}, 1);
    expect(in, "/cluster/gpus/index", (const double[]){0, 1, 2, 3}, 4);
    expect(in, "/node_lives/down_s", (const double[]){20}, 1);
    gs_h5_close(in);
    gs_vec_free(&typical);
    rig_release(&r);
}

static void the_summary_holds_the_table(void)
{
    struct rig r;
    gs_typical_vec typical = {0};
    run(&r, &typical);
    struct gs_h5_in *in = written(&r, "queue, kind, size, user");
    size_t n = 0, count = 0;
    const struct gs_metric *t = gs_metric_table(&count);
    char **names = gs_h5_read_str(in, "/summary/name", &n);
    GS_EQ_INT(n, count);
    double *v = gs_h5_read_f64(in, "/summary/value", &n);
    for (size_t i = 0; i < count; i++) {
        GS_EQ_STR(names[i], t[i].name);
        gs_test_eq_bits(v[i], rig_value(&r, t[i].name), t[i].name, __FILE__, __LINE__);
    }
    gs_free(names);
    gs_free(v);
    /* by group: the sums of the parts are the whole */
    char **by = gs_h5_read_str(in, "/summary_by/by", &n),
         **metric = gs_h5_read_str(in, "/summary_by/name", &n);
    v = gs_h5_read_f64(in, "/summary_by/value", &n);
    double submitted = 0, ann = 0;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(metric[i], "jobs.submitted") != 0)
            continue;
        submitted += v[i];
        ann += strcmp(by[i], "user") == 0 ? v[i] : 0;
    }
    GS_NEAR(submitted, 5 * 3 + 1, 0); /* queue, kind, size; and the one job with a user */
    GS_NEAR(ann, 1, 0);
    gs_free(by);
    gs_free(metric);
    gs_free(v);
    gs_h5_close(in);
    gs_vec_free(&typical);
    rig_release(&r);
}

static void an_unknown_grouping_is_named(void)
{
    uint32_t mask = 0;
    struct gs_err err = {0};
    CU_ASSERT(gs_groups_check("queue, kind,size user", &mask, &err) == GS_OK);
    GS_EQ_INT(mask, 15);
    CU_ASSERT(gs_groups_check(NULL, &mask, &err) == GS_OK && mask == 0);
    CU_ASSERT(gs_groups_check("queue, sise", &mask, &err) == GS_E_INPUT);
    GS_HAS(err.msg, "cannot group by 'sise', did you mean 'size'?");
}

/* An intermediate state gives the same hash wherever it is computed, and another one gives another. */
static void the_state_can_be_hashed(void)
{
    uint64_t h[3];
    for (int i = 0; i < 3; i++) {
        struct rig r;
        gs_typical_vec typical = {0};
        run(&r, &typical);
        if (i == 2)
            gs_metrics_outcome(r.m, 3)->wait_ns[8]++;
        struct gs_visitor v = {.mode = GS_VISIT_HASH};
        gs_metrics_visit(r.m, &v);
        h[i] = v.hash;
        gs_vec_free(&typical);
        rig_release(&r);
    }
    CU_ASSERT(h[0] == h[1]);
    CU_ASSERT(h[0] != h[2]);
}

static const struct gs_test tests[] = {
    {"jobs as columns", jobs_as_columns},
    {"the wait split adds up", the_wait_split_adds_up},
    {"tenants, series and nodes", tenants_series_and_nodes},
    {"the summary holds the table", the_summary_holds_the_table},
    {"an unknown grouping is named", an_unknown_grouping_is_named},
    {"the state can be hashed", the_state_can_be_hashed},
};
GS_TEST_MAIN("metrics/write", tests)

/* test_metrics_select.c - names and selectors of metrics: what "jobs.wait.p95{queue=prod, gpus=8..64}" takes, and what is said when it is wrong. */
#include "sim/metrics/internal.h"
#include "tests/unit/metrics_rig.h"

#include <math.h>

/* Queues: prod with the child prod-night, and dev. Eight jobs, one an hour from 22:00. */
static void world(struct rig *r)
{
    static const struct {
        const char *queue, *user;
        enum gs_job_kind kind;
        uint32_t gpus;
        int32_t priority;
        const char *models;
    } rows[] = {
        {"prod", "ann", GS_KIND_TRAINING, 8, 5, "H100"},
        {"prod", "bob", GS_KIND_TRAINING, 64, 0, "A100|H100"},
        {"prod-night", "ann", GS_KIND_BATCH, 1, -3, NULL},
        {"dev", "bob", GS_KIND_INTERACTIVE, 1, 0, "A100"},
        {"dev", "", GS_KIND_FINETUNING, 4, 1, NULL},
        {"prod-night", "ann", GS_KIND_TRAINING, 16, 9, "H100"},
        {"default", "eve", GS_KIND_TRAINING, 2, 0, "H100-NVL"},
        {"prod", "ann", GS_KIND_REPLICA, 8, 0, NULL},
    };

    rig_init(r, 8);
    const uint32_t prod = gs_workload_queue(&r->w, "prod"),
                   night = gs_workload_queue(&r->w, "prod-night");
    r->w.queues.v[night].parent = prod;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint32_t q = gs_workload_queue(&r->w, rows[i].queue),
                       u = gs_workload_user(&r->w, rows[i].user);
        struct gs_job *j = rig_job(r, (double)i * 3600, 60, rows[i].gpus);
        j->queue = q;
        j->user = u;
        j->kind = (uint8_t)rows[i].kind;
        j->priority = rows[i].priority;
        j->models = rows[i].models ? gs_intern(&r->str, rows[i].models) : 0;
    }
    gs_workload_seal(&r->w);
    const struct gs_metrics_config cfg = {.cluster = &r->c,
                                          .w = &r->w,
                                          .str = &r->str,
                                          .window = {0, GS_NEVER},
                                          .origin_ns = INT64_C(1767218400) *
                                                       GS_SECOND}; /* some day, 22:00 */
    r->m = gs_metrics_new(&cfg);
    gs_metrics_capacity(r->m, 0, 8000);
    rig_fcfs(r, 1, rig_ns(6 * 3600 + 30),
             NULL); /* the seventh still runs, the replica never came */
}

static void which_jobs_a_selector_takes(void)
{
    static const struct {
        const char *selector;
        double jobs;
    } rows[] = {
        {"", 7},
        {"queue=prod", 4}, /* with its subtree */
        {"queue=prod-night", 2},
        {"queue=dev", 2},
        {"queue=nobody", 0},
        {"user=ann", 3},
        {"user=nobody", 0},
        {"kind=training", 4},
        {"kind = training , queue=prod", 3},
        {"gpus=8", 1},
        {"gpus=8..64", 3},
        {"gpus=..2", 3},
        {"gpus=16..", 2},
        {"priority=0", 3},
        {"priority=-5..-1", 1},
        {"priority=1..9", 3},
        {"gpu=H100", 3}, /* by name in the request, not by prefix */
        {"gpu=A100", 2},
        {"gpu=B200", 0},
        {"state=completed", 6},
        {"state=running", 1},
        {"hour=22", 1},
        {"hour=0..2", 3},
        {"hour=22..23, kind=training", 2},
    };
    struct rig r;
    world(&r);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char expr[128];
        (void)snprintf(expr, sizeof expr, "jobs.submitted{%s}", rows[i].selector);
        gs_test_near(rig_value(&r, expr), rows[i].jobs, 0, expr, __FILE__, __LINE__);
    }
    rig_release(&r);
}

/* A job that ran is judged by the model that it ran on. */
static void the_model_it_ran_on_counts(void)
{
    struct rig r;
    world(&r);
    gs_metrics_outcome(r.m, 2)->model = 1; /* the rig's only model, "G" */
    gs_metrics_outcome(r.m, 0)->model = 1;
    GS_NEAR(rig_value(&r, "jobs.submitted{gpu=G}"), 2, 0);
    GS_NEAR(rig_value(&r, "jobs.submitted{gpu=H100}"), 2, 0);
    rig_release(&r);
}

static void an_empty_selection_has_no_samples(void)
{
    struct rig r;
    world(&r);
    const struct gs_value_row row = rig_row(&r, "jobs.wait.p95{user=nobody}");
    GS_EQ_INT(row.samples, 0);
    CU_ASSERT(isnan(row.value));
    GS_EQ_STR(row.name, "jobs.wait.p95{user=nobody}");
    CU_ASSERT(isnan(rig_value(&r, "load.offered{queue=nobody}")));
    rig_release(&r);
}

/* The sample that is kept for the next figure must not be taken for another selection's. */
static void selections_do_not_mix(void)
{
    struct rig r;
    world(&r);
    for (int i = 0; i < 2; i++) {
        GS_EQ_INT(rig_row(&r, "jobs.jct.p50{queue=dev}").samples, 2);
        GS_EQ_INT(rig_row(&r, "jobs.jct.p50{queue=prod}").samples, 4);
        GS_EQ_INT(rig_row(&r, "jobs.jct.p50").samples, 7);
        GS_EQ_INT(rig_row(&r, "jobs.wait.p50").samples, 7);
    }
    rig_release(&r);
}

static void what_is_said_when_it_is_wrong(void)
{
    static const struct {
        const char *expr, *says;
    } rows[] = {
        {"jobs.wait.p59", "did you mean 'jobs.wait.p5"},
        {"gpu.alocation", "did you mean 'gpu.allocation'"},
        {"something else entirely", "unknown metric 'something else entirely' (gsim help metrics"},
        {"jobs.wait.p95{quue=prod}", "unknown selector key 'quue', did you mean 'queue'?"},
        {"jobs.wait.p95{kind=trainin}", "did you mean 'training'?"},
        {"jobs.wait.p95{state=done}", "unknown job state 'done'"},
        {"jobs.wait.p95{gpus=many}", "selector key 'gpus': "},
        {"jobs.wait.p95{gpus=9..8}", "the range 9..8 is empty"},
        {"jobs.wait.p95{hour=1..x}", "selector key 'hour': "},
        {"jobs.wait.p95{queue}", "write key=value"},
        {"jobs.wait.p95{queue=}", "write key=value"},
        {"jobs.wait.p95{queue=a,}", "ends in a comma"},
        {"jobs.wait.p95{queue=a, queue=b}", "stands twice"},
        {"jobs.wait.p95{queue=a", "must end in '}'"},
        {"jobs.wait.p95{queue=a} > 3", "must end in '}'"},
        {"verdict{queue=a}", "metric verdict takes no selector"},
        {"gpu.allocation{user=ann}", "takes only the selector key queue"},
    };
    struct rig r;
    world(&r);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gs_value_row row;
        struct gs_err err = {0};
        GS_EQ_INT(gs_metric_eval(r.m, rows[i].expr, &row, &err), GS_E_INPUT);
        GS_HAS(err.msg, rows[i].says);
    }
    rig_release(&r);
}

static void the_table_is_complete(void)
{
    static const char *const relied_on[] = {
        "gpu.allocated_gpu_s",
        "gpu.allocation",
        "gpu.utilization",
        "gpu.fragmentation",
        "jobs.wait.mean",
        "jobs.wait.p50",
        "jobs.wait.p95",
        "jobs.wait.p99",
        "jobs.jct.mean",
        "jobs.bounded_slowdown.p95",
        "jobs.submitted",
        "jobs.completed",
        "jobs.failed",
        "jobs.rejected",
        "jobs.unfinished",
        "load.offered",
        "verdict",
    };
    size_t n = 0;
    const struct gs_metric *t = gs_metric_table(&n);
    for (size_t i = 0; i < n; i++) {
        CU_ASSERT(t[i].units[0] && t[i].definition[0]);
        GS_EQ_INT(gs_metric_find(t[i].name, strlen(t[i].name)), i); /* no name twice */
    }
    for (size_t i = 0; i < sizeof relied_on / sizeof relied_on[0]; i++)
        CU_ASSERT(gs_metric_find(relied_on[i], strlen(relied_on[i])) < n);
}

static void help_tells_one_or_all(void)
{
    struct gs_buf b = {0};
    gs_metric_help("jobs.wait.p95", &b);
    GS_HAS(gs_buf_cstr(&b), "jobs.wait.p95 [s], lower is better, any selector");
    CU_ASSERT(strstr(gs_buf_cstr(&b), "p99") == NULL);
    gs_buf_clear(&b);
    gs_metric_help(NULL, &b);
    GS_HAS(gs_buf_cstr(&b), "verdict [1]");
    GS_HAS(gs_buf_cstr(&b), "jobs.wait.p95{queue=prod");
    gs_buf_clear(&b);
    gs_metric_help("jobs.wiat.p95", &b);
    GS_HAS(gs_buf_cstr(&b), "did you mean 'jobs.wait.p95'?");
    gs_buf_free(&b);
}

static const struct gs_test tests[] = {
    {"which jobs a selector takes", which_jobs_a_selector_takes},
    {"the model that a job ran on counts", the_model_it_ran_on_counts},
    {"an empty selection has no samples", an_empty_selection_has_no_samples},
    {"selections do not mix", selections_do_not_mix},
    {"what is said when it is wrong", what_is_said_when_it_is_wrong},
    {"the table is complete", the_table_is_complete},
    {"help tells one or all", help_tells_one_or_all},
};
GS_TEST_MAIN("metrics/select", tests)

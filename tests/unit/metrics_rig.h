/* metrics_rig.h - a small world for the tests of sim/metrics: jobs by hand, a machine that serves them in order, facts as a run tells them.
 *
 * Times are seconds. The server holds `gpus` devices and starts jobs strictly first come, first served; no engine, no ledger, no
 * policy: what a test expects can be worked out on paper. */
#ifndef GS_TESTS_METRICS_RIG_H
#define GS_TESTS_METRICS_RIG_H

#include "sim/base/mem.h"
#include "sim/base/rng.h"
#include "sim/metrics/metrics.h"
#include "tests/unit/harness.h"

struct rig {
    struct gs_intern str;
    struct gs_workload w;
    struct gs_cluster c;
    struct gs_metrics *m;
};

GS_TEST_HELPER int64_t rig_ns(double s)
{
    return (int64_t)(s * 1e9 + 0.5);
}

/* A cluster of one node with that many GPUs and 1000 CPUs. */
GS_TEST_HELPER void rig_init(struct rig *r, uint32_t gpus)
{
    *r = (struct rig){0};
    gs_intern_init(&r->str);
    gs_workload_init(&r->w, &r->str);
    gs_cluster_init(&r->c, &r->str);
    const struct gs_node_spec node = {.name = "n0",
                                      .type = "t",
                                      .model = gpus ? "G" : "",
                                      .gpus = gpus,
                                      .cpus_milli = 1000000,
                                      .mem_mib = 1 << 20,
                                      .gpu_mem_mib = 1 << 15,
                                      .gpu_cap_milli = 1000};
    uint32_t id = 0;
    CU_ASSERT_FATAL(gs_cluster_add_node(&r->c, &node, &id, NULL) == GS_OK);
}

GS_TEST_HELPER void rig_release(struct rig *r)
{
    gs_metrics_free(r->m);
    gs_cluster_release(&r->c);
    gs_workload_release(&r->w);
    gs_intern_release(&r->str);
}

/* A whole-GPU job; the pointer is good until the next one. */
GS_TEST_HELPER struct gs_job *rig_job(struct rig *r, double submit_s, double run_s, uint32_t gpus)
{
    const struct gs_job j = {.user = GS_NONE,
                             .submit_ns = rig_ns(submit_s),
                             .run_ns = rig_ns(run_s),
                             .est_ns = -1,
                             .tasks = 1,
                             .gpus = gpus,
                             .task_gpus = gpus,
                             .share_milli = 1000,
                             .cpus_milli = 1000,
                             .mem_mib = 1};
    gs_vec_push(&r->w.jobs, j);
    return &gs_vec_last(&r->w.jobs);
}

GS_TEST_HELPER void rig_begin(struct rig *r, double from_s, double to_s)
{
    gs_workload_seal(&r->w);
    const struct gs_metrics_config cfg = {
        .cluster = &r->c,
        .w = &r->w,
        .str = &r->str,
        .window = {rig_ns(from_s), to_s < 0 ? GS_NEVER : rig_ns(to_s)}};
    r->m = gs_metrics_new(&cfg);
    gs_metrics_capacity(r->m, 0, r->c.total_gpus * 1000);
}

GS_TEST_HELPER int64_t rig_ask(const struct rig *r, uint32_t job)
{
    return (int64_t)r->w.jobs.v[job].gpus * r->w.jobs.v[job].share_milli;
}

GS_TEST_HELPER void rig_submit(struct rig *r, uint32_t job)
{
    gs_metrics_submit(r->m, r->w.jobs.v[job].submit_ns, job, rig_ask(r, job));
}

GS_TEST_HELPER void rig_start(struct rig *r, double t, uint32_t job)
{
    gs_metrics_start(r->m, rig_ns(t), job, rig_ask(r, job));
}

GS_TEST_HELPER void rig_stop(struct rig *r, double t, uint32_t job, enum gs_job_state to)
{
    gs_metrics_stop(r->m, rig_ns(t), job, rig_ask(r, job), to);
}

/* Who is being served. */
struct rig_servers {
    struct {
        uint32_t job;
        int64_t end;
    } * busy;

    uint32_t n, running, next, head; /* next to arrive, next to start */
};

/* The server that is free first; 0 if all are idle. */
GS_TEST_HELPER uint32_t rig_first(const struct rig_servers *s)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < s->running; i++)
        if (s->busy[i].end < s->busy[first].end)
            first = i;
    return first;
}

GS_TEST_HELPER void rig_serve(struct rig *r, struct rig_servers *s, int64_t now,
                              int (*skip)(uint32_t job))
{
    while (s->running < s->n && s->head < s->next) {
        const uint32_t job = s->head++;
        if (skip && skip(job))
            continue;
        gs_metrics_start(r->m, now, job, rig_ask(r, job));
        s->busy[s->running].job = job;
        s->busy[s->running++].end = now + r->w.jobs.v[job].run_ns;
    }
}

/* Serves all jobs first come, first served on servers that take one job each, until `until_ns` or until all is done; then ends the run.
 * Jobs of which skip() is true never start. */
GS_TEST_HELPER void rig_fcfs(struct rig *r, uint32_t servers, int64_t until_ns,
                             int (*skip)(uint32_t job))
{
    struct rig_servers s = {.busy = gs_zalloc(servers, sizeof *s.busy), .n = servers};
    int64_t now = 0;
    for (;;) {
        const uint32_t first = rig_first(&s);
        const int64_t arrival = s.next < r->w.jobs.n ? r->w.jobs.v[s.next].submit_ns : GS_NEVER;
        const int64_t end = s.running ? s.busy[first].end : GS_NEVER;
        const int64_t t = end <= arrival ? end : arrival;
        if (t == GS_NEVER || t > until_ns)
            break;
        now = t;
        if (end <= arrival) {
            const uint32_t job = s.busy[first].job;
            gs_metrics_stop(r->m, now, job, rig_ask(r, job), GS_STATE_COMPLETED);
            s.busy[first] = s.busy[--s.running];
        } else {
            rig_submit(r, s.next++);
        }
        rig_serve(r, &s, now, skip);
    }
    gs_free(s.busy);
    gs_metrics_end(r->m, until_ns == GS_NEVER ? now : until_ns);
}

/* The value of a metric, which must exist. */
GS_TEST_HELPER struct gs_value_row rig_row(struct rig *r, const char *expr)
{
    struct gs_value_row row;
    struct gs_err err = {0};
    const enum gs_rc rc = gs_metric_eval(r->m, expr, &row, &err);
    if (rc)
        printf("%s: %s\n", expr, err.msg);
    CU_ASSERT_FATAL(rc == GS_OK);
    return row;
}

GS_TEST_HELPER double rig_value(struct rig *r, const char *expr)
{
    return rig_row(r, expr).value;
}

#endif

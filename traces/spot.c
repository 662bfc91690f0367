/* spot.c - Alibaba's trace of high-priority and spot jobs (cluster-trace-v2026-spot-gpu): jobs and nodes.
 *
 * Jobs (`job_info_df.csv`): job_name, organization, gpu_model, cpu_request, gpu_request, worker_num, submit_time, duration, job_type; seconds
 * from the first job; requests are of one worker, so a job is a gang of worker_num equal tasks. The organization is the queue;
 * gpu_model is a constraint; job_type is HP or Spot, and a Spot job may be preempted.
 * Nodes (`node_info_df.csv`): gpu_model, gpu_capacity_num, cpu_num, node_name, in any order; no memory. An inventory for [nodes], no jobs.
 * Known of the data: demand on A10 is above its capacity all the time (issue 260 of the repository).
 * Source: github.com/alibaba/clusterdata. */
#include "traces/inventory.h"

#include <string.h>

#include "sim/base/banned.h"

/* ---- Jobs -------------------------------------------------------------------------------------- */

enum {
    V_NAME,
    V_ORG,
    V_MODEL,
    V_CPU,
    V_GPU,
    V_WORKERS,
    V_SUBMIT,
    V_DURATION,
    V_TYPE
};

static const struct gs_field fields[] = {
    {"job_name", 0},    {"organization", 0}, {"gpu_model", 0},
    {"cpu_request", 0}, {"gpu_request", 0},  {"worker_num", 0},
    {"submit_time", 0}, {"duration", 0},     {"job_type", GS_FIELD_ATTR}};

static const struct gs_figure figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "sum_gpu", .op = GS_FIG_SUM_PRODUCT, .a = "gpu_request", .b = "worker_num"},
    {.quantity = "sum_duration", .op = GS_FIG_SUM, .a = "duration"},
    {.quantity = "first_submit", .op = GS_FIG_MIN, .a = "submit_time"},
    {.quantity = "last_submit", .op = GS_FIG_MAX, .a = "submit_time"},
    {.quantity = "organizations", .op = GS_FIG_DISTINCT, .a = "organization"},
    {.quantity = "job_types", .op = GS_FIG_TALLY, .a = "job_type"},
    {.quantity = "jobs_by_model", .op = GS_FIG_TALLY, .a = "gpu_model"},
    {.quantity = "out_of_order", .op = GS_FIG_OUT_OF_ORDER, .a = "submit_time"}};

static enum gs_rc decode(struct gs_row *r, const char *const *v, struct gs_job *j)
{
    int64_t gpus = 0;
    int64_t workers = 0;
    enum gs_rc rc = gs_row_int(r, "gpu_request", v[V_GPU], 1000, &gpus);
    if (rc == GS_OK)
        rc = gs_row_int(r, "worker_num", v[V_WORKERS], GS_TRACE_GPUS_MAX, &workers);
    if (rc == GS_OK)
        rc = gs_row_scaled(r, "cpu_request", v[V_CPU], 3, GS_TRACE_CPUS_MAX, &j->cpus_milli);
    if (rc == GS_OK)
        rc = gs_row_seconds(r, "submit_time", v[V_SUBMIT], &j->submit_ns);
    if (rc == GS_OK)
        rc = gs_row_seconds(r, "duration", v[V_DURATION], &j->run_ns);
    if (rc == GS_OK && gpus * workers > GS_TRACE_GPUS_MAX)
        rc = gs_row_bad(r, "absurdly large number", "worker_num", v[V_WORKERS],
                        "workers ask for over a million GPUs");
    j->tasks = (uint32_t)workers;
    j->task_gpus = (uint32_t)gpus;
    j->gpus = (uint32_t)(gpus * workers);
    return rc;
}

static enum gs_rc row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct gs_job j = gs_scan_new_job(s, r->line);
    enum gs_rc rc = decode(r, v, &j);
    if (rc == GS_OK) {
        j.name = gs_intern(s->str, v[V_NAME]);
        rc = gs_scan_unique(s, r, "job_name", j.name);
    }
    if (rc != GS_OK)
        return rc;
    if (j.tasks == 0 || (j.gpus == 0 && !s->o->cpu_jobs)) {
        gs_row_drop(r, j.tasks == 0 ? "no workers" : "asks for no GPU");
        return GS_OK;
    }
    j.kind = j.gpus ? GS_KIND_TRAINING : GS_KIND_BATCH;
    j.queue = gs_intern(s->str, v[V_ORG]);
    j.models = gs_intern(s->str, v[V_MODEL]);
    if (strcmp(v[V_TYPE], "Spot") == 0)
        j.flags |= GS_JOB_PREEMPTIBLE;
    j.mem_mib = s->o->mem_per_gpu_mib * j.task_gpus;
    return gs_scan_job(s, &j);
}

static const struct gs_table table = {GS_TABLE_FIELDS(fields), GS_TABLE_FIGURES(figures),
                                      .keep_unknown = 1, .row = row};

/* ---- Nodes ------------------------------------------------------------------------------------- */

enum {
    N_MODEL,
    N_GPUS,
    N_CPUS,
    N_NAME
};

static const struct gs_field node_fields[] = {
    {"gpu_model", 0}, {"gpu_capacity_num", 0}, {"cpu_num", 0}, {"node_name", 0}};

static const struct gs_figure node_figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "sum_gpu", .op = GS_FIG_SUM, .a = "gpu_capacity_num"},
    {.quantity = "sum_cpu", .op = GS_FIG_SUM, .a = "cpu_num"},
    {.quantity = "gpus_by_model",
     .op = GS_FIG_TALLY_SUM,
     .a = "gpu_model",
     .b = "gpu_capacity_num"}};

static enum gs_rc node_row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct gs_inventory_node node = {
        .line = r->line, .name = v[N_NAME], .model = v[N_MODEL], .mem_mib = 0};
    int64_t gpus = 0;
    enum gs_rc rc = gs_row_int(r, "gpu_capacity_num", v[N_GPUS], GS_NODE_GPUS_MAX, &gpus);
    if (rc == GS_OK)
        rc = gs_row_scaled(r, "cpu_num", v[N_CPUS], 3, GS_TRACE_CPUS_MAX, &node.cpus_milli);
    if (rc == GS_OK && gpus > 0 && !*node.model)
        rc = gs_row_bad(r, "GPUs without a model", "gpu_model", "", "is empty on a node with GPUs");
    node.gpus = (uint32_t)gpus;
    return rc == GS_OK ? gs_inventory_give(s, r, "node_name", &node) : rc;
}

const struct gs_table gs_spot_node_table = {GS_TABLE_FIELDS(node_fields),
                                            GS_TABLE_FIGURES(node_figures), .row = node_row};

static int guess_nodes(const struct gs_probe *p)
{
    return gs_table_fits(&gs_spot_node_table, p->head);
}

static enum gs_rc scan_nodes(struct gs_scan *s)
{
    return gs_inventory_count(s, &gs_spot_node_table);
}

const struct gs_reader gs_reader_spot = {
    .name = "spot",
    .what = "Alibaba 2026: high-priority and spot jobs",
    .units = "submit and run time s from the first job; whole GPUs and CPU cores of each worker",
    .flags = GS_READER_IDS,
    .table = &table,
};

const struct gs_reader gs_reader_spot_nodes = {
    .name = "spot-nodes",
    .what = "Alibaba 2026: nodes of the spot trace",
    .units = "whole GPUs, CPU cores",
    .flags = GS_READER_NO_RECORDS,
    .guess = guess_nodes,
    .scan = scan_nodes,
};

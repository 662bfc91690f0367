/* dlrm.c - Alibaba's trace of disaggregated recommendation models (cluster-trace-gpu-v2025): a row an instance.
 *
 * instance_sn, role (CN: CPU node, HN: GPU node), app_name, {cpu,gpu,rdma,memory,disk}_{request,limit}, max_instance_per_node, creation_time,
 * scheduled_time, deletion_time. Seconds from the trace's start; cores, whole GPUs, percent of a network card, GiB. rdma and
 * max_instance_per_node (at most so many of an application on a node, -1 = any) travel to policies; limits differ from requests for disks only.
 * A time is empty when it lies before the trace or behind it: an instance without creation is submitted at 0, one without deletion runs
 * until the end; both are counted. creation and scheduled are empty together. CN instances ask for no GPU: CPU jobs.
 * Source: Yang et al., "GPU-Disaggregated Serving for Deep Learning Recommendation Models at Scale" (NSDI'25);
 * github.com/alibaba/clusterdata. */
#include "traces/joblog.h"
#include "traces/table.h"

#include "sim/base/banned.h"

enum {
    V_SN,
    V_ROLE,
    V_APP,
    V_CPU,
    V_GPU,
    V_MEMORY,
    V_CREATED,
    V_SCHEDULED,
    V_DELETED
};

static const struct gs_field fields[] = {{"instance_sn", 0},
                                         {"role", GS_FIELD_ATTR},
                                         {"app_name", GS_FIELD_ATTR},
                                         {"cpu_request", 0},
                                         {"gpu_request", 0},
                                         {"memory_request", 0},
                                         {"creation_time", 0},
                                         {"scheduled_time", 0},
                                         {"deletion_time", 0},
                                         {"max_instance_per_node", GS_FIELD_ATTR},
                                         {"rdma_request", GS_FIELD_ATTR},
                                         {"disk_request", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
                                         {"cpu_limit", GS_FIELD_OPTIONAL},
                                         {"gpu_limit", GS_FIELD_OPTIONAL},
                                         {"rdma_limit", GS_FIELD_OPTIONAL},
                                         {"memory_limit", GS_FIELD_OPTIONAL},
                                         {"disk_limit", GS_FIELD_OPTIONAL | GS_FIELD_ATTR}};

static const struct gs_figure figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "roles", .op = GS_FIG_TALLY, .a = "role"},
    {.quantity = "apps", .op = GS_FIG_DISTINCT, .a = "app_name"},
    {.quantity = "sum_gpu_request", .op = GS_FIG_SUM, .a = "gpu_request"},
    {.quantity = "sum_cpu_request", .op = GS_FIG_SUM, .a = "cpu_request"},
    {.quantity = "null_creation_time", .op = GS_FIG_NULLS, .a = "creation_time"},
    {.quantity = "max_creation_time", .op = GS_FIG_MAX, .a = "creation_time", .places = 3},
    {.quantity = "min_creation_time", .op = GS_FIG_MIN, .a = "creation_time", .places = 3},
    {.quantity = "null_scheduled_time", .op = GS_FIG_NULLS, .a = "scheduled_time"},
    {.quantity = "max_scheduled_time", .op = GS_FIG_MAX, .a = "scheduled_time", .places = 3},
    {.quantity = "min_scheduled_time", .op = GS_FIG_MIN, .a = "scheduled_time", .places = 3},
    {.quantity = "null_deletion_time", .op = GS_FIG_NULLS, .a = "deletion_time"},
    {.quantity = "max_deletion_time", .op = GS_FIG_MAX, .a = "deletion_time", .places = 3},
    {.quantity = "min_deletion_time", .op = GS_FIG_MIN, .a = "deletion_time", .places = 3},
    {.quantity = "sum_rdma_request", .op = GS_FIG_SUM, .a = "rdma_request"},
    {.quantity = "density_limited", .op = GS_FIG_IS_NOT, .a = "max_instance_per_node", .is = "-1"}};

static enum gs_rc take_size(struct gs_row *r, const char *const *v, struct gs_job *j)
{
    int64_t gpus = 0;
    enum gs_rc rc = gs_row_int(r, "gpu_request", v[V_GPU], GS_TRACE_GPUS_MAX, &gpus);
    if (rc == GS_OK)
        rc = gs_row_scaled(r, "cpu_request", v[V_CPU], 3, GS_TRACE_CPUS_MAX, &j->cpus_milli);
    if (rc == GS_OK)
        rc = gs_log_gib(r, "memory_request", v[V_MEMORY], &j->mem_mib);
    j->gpus = j->task_gpus = (uint32_t)gpus;
    return rc;
}

/* A time that may be empty: then -1. */
static enum gs_rc take_time(struct gs_row *r, const char *column, const char *text, int64_t *out)
{
    *out = -1;
    return *text ? gs_row_seconds(r, column, text, out) : GS_OK;
}

static enum gs_rc take_times(struct gs_scan *s, struct gs_row *r, const char *const *v,
                             struct gs_job *j)
{
    int64_t started_ns = -1;
    int64_t deleted_ns = -1;
    enum gs_rc rc = take_time(r, "creation_time", v[V_CREATED], &j->submit_ns);
    if (rc == GS_OK)
        rc = take_time(r, "scheduled_time", v[V_SCHEDULED], &started_ns);
    if (rc == GS_OK)
        rc = take_time(r, "deletion_time", v[V_DELETED], &deleted_ns);
    if (rc != GS_OK)
        return rc;
    if (j->submit_ns < 0) {
        gs_count_assume(s->n, "created before the trace: submitted at its start", 1);
        j->submit_ns = 0;
    }
    if (started_ns >= 0)
        gs_log_start(s, j, started_ns);
    if (deleted_ns < 0) {
        gs_count_assume(s->n, "not deleted within the trace: runs until the end", 1);
        j->run_ns = GS_NEVER;
        j->duration_source = GS_DURATION_ENDLESS;
        return GS_OK;
    }
    j->run_ns = deleted_ns - (started_ns < 0 ? j->submit_ns : started_ns);
    if (j->run_ns < 0)
        return gs_row_bad(r, "deleted before it started", "deletion_time", v[V_DELETED],
                          "lies before the start");
    return GS_OK;
}

static enum gs_rc row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct gs_job j = gs_scan_new_job(s, r->line);
    enum gs_rc rc = take_size(r, v, &j);
    if (rc == GS_OK && j.gpus == 0 && !s->o->cpu_jobs) {
        gs_row_drop(r, "asks for no GPU");
        return GS_OK;
    }
    if (rc == GS_OK)
        rc = take_times(s, r, v, &j);
    if (rc != GS_OK)
        return rc;
    j.kind = GS_KIND_INTERACTIVE;
    j.name = gs_intern(s->str, v[V_SN]);
    rc = gs_scan_unique(s, r, "instance_sn", j.name);
    return rc == GS_OK ? gs_scan_job(s, &j) : rc;
}

static const struct gs_table table = {GS_TABLE_FIELDS(fields), GS_TABLE_FIGURES(figures),
                                      .keep_unknown = 1, .row = row};

const struct gs_reader gs_reader_dlrm = {
    .name = "dlrm",
    .what = "Alibaba 2025: instances of disaggregated recommendation models",
    .units = "s from the trace's start; whole GPUs, CPU cores, GiB, percent of a network card",
    .flags = GS_READER_IDS,
    .table = &table,
};

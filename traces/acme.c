/* acme.c - the Acme release (Shanghai AI Lab, 2023): job traces of Seren and Kalos, and the summary of five datacenters.
 *
 * Seren: job_id, user, node_num, gpu_num, cpu_num, type, state, submit_time, start_time, end_time, duration, queue, gpu_time. Kalos has
 * mem_per_pod_GB (taken as GiB) and shared_mem_per_pod besides, and fail_time, stop_time. Stamps carry an offset (+08:00 and +00:00), so no zone is
 * assumed. Kalos' `duration` is end - SUBMIT: the run time is taken from the stamps, of both. No tenants: all jobs stand in one queue.
 * type: Pretrain, SFT, MLLM, Eval, Debug, Other; it decides the kind and travels as an attribute. States as Helios.
 * Summary: a row a datacenter (Seren, Kalos, Philly, Helios, PAI); counts, run and queue times in s, shares. No jobs.
 * Source: Hu et al., "Characterization of Large Language Model Development in the Datacenter" (NSDI'24); github.com/InternLM/AcmeTrace. */
#include "traces/joblog.h"
#include "traces/table.h"

#include <string.h>

#include "sim/base/banned.h"

enum {
    V_ID,
    V_USER,
    V_NODES,
    V_GPUS,
    V_CPUS,
    V_TYPE,
    V_STATE,
    V_SUBMIT,
    V_START,
    V_END,
    V_MEM
};

static const struct gs_field fields[] = {{"job_id", 0},
                                         {"user", 0},
                                         {"node_num", 0},
                                         {"gpu_num", 0},
                                         {"cpu_num", 0},
                                         {"type", GS_FIELD_ATTR},
                                         {"state", 0},
                                         {"submit_time", 0},
                                         {"start_time", 0},
                                         {"end_time", 0},
                                         {"mem_per_pod_GB", GS_FIELD_OPTIONAL},
                                         {"shared_mem_per_pod", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
                                         {"fail_time", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
                                         {"stop_time", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
                                         {"duration", GS_FIELD_OPTIONAL},
                                         {"queue", GS_FIELD_OPTIONAL},
                                         {"gpu_time", 0}};

static const struct gs_figure figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "sum_gpu_num", .op = GS_FIG_SUM, .a = "gpu_num"},
    {.quantity = "sum_duration", .op = GS_FIG_SUM, .a = "duration", .places = 3},
    {.quantity = "sum_queue", .op = GS_FIG_SUM, .a = "queue", .places = 3},
    {.quantity = "gpu_time_sum", .op = GS_FIG_SUM, .a = "gpu_time", .places = 3},
    {.quantity = "first_submit", .op = GS_FIG_MIN_TEXT, .a = "submit_time"},
    {.quantity = "last_submit", .op = GS_FIG_MAX_TEXT, .a = "submit_time"},
    {.quantity = "zero_gpu_rows", .op = GS_FIG_ZEROS, .a = "gpu_num"},
    {.quantity = "null_start_time", .op = GS_FIG_NULLS, .a = "start_time"},
    {.quantity = "users", .op = GS_FIG_DISTINCT, .a = "user"},
    {.quantity = "types", .op = GS_FIG_TALLY, .a = "type"},
    {.quantity = "states", .op = GS_FIG_TALLY, .a = "state"},
    {.quantity = "rows_out_of_order", .op = GS_FIG_OUT_OF_ORDER, .a = "submit_time"},
    {.quantity = "gpu_histogram", .op = GS_FIG_TALLY, .a = "gpu_num"}};

static uint8_t kind(const char *type)
{
    if (strcmp(type, "SFT") == 0)
        return GS_KIND_FINETUNING;
    if (strcmp(type, "Debug") == 0)
        return GS_KIND_INTERACTIVE;
    return strcmp(type, "Pretrain") == 0 || strcmp(type, "MLLM") == 0 ? GS_KIND_TRAINING
                                                                      : GS_KIND_BATCH;
}

struct size {
    int64_t gpus, nodes, cpus_milli, pod_mib;
};

static enum gs_rc take_size(struct gs_row *r, const char *const *v, struct size *z)
{
    *z = (struct size){0};
    enum gs_rc rc = gs_row_int(r, "gpu_num", v[V_GPUS], GS_TRACE_GPUS_MAX, &z->gpus);
    if (rc == GS_OK)
        rc = gs_row_int(r, "node_num", v[V_NODES], GS_TRACE_GPUS_MAX, &z->nodes);
    if (rc == GS_OK && *v[V_CPUS])
        rc = gs_row_scaled(r, "cpu_num", v[V_CPUS], 3, GS_TRACE_CPUS_MAX, &z->cpus_milli);
    if (rc == GS_OK && *v[V_MEM])
        rc = gs_log_gib(r, "mem_per_pod_GB", v[V_MEM], &z->pod_mib);
    return rc;
}

static enum gs_rc row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct gs_job j = gs_scan_new_job(s, r->line);
    struct size z;
    enum gs_rc rc = take_size(r, v, &z);
    if (rc == GS_OK)
        rc = gs_row_clock(s, r, "submit_time", v[V_SUBMIT], &j.submit_ns);
    if (rc != GS_OK)
        return rc;
    const char *reason = NULL;
    if (z.gpus == 0 && !s->o->cpu_jobs)
        reason = "asks for no GPU";
    else if (gs_log_is_open(v[V_STATE]))
        reason = "not ended when the log was taken";
    if (reason) {
        gs_row_drop(r, reason);
        return GS_OK;
    }
    int kept = 0;
    rc = gs_log_times(s, r, &j, (const char *const[]){"start_time", "end_time"},
                      (const char *const[]){v[V_START], v[V_END]}, &kept);
    if (rc != GS_OK || !kept)
        return rc;
    j.kind = kind(v[V_TYPE]);
    j.end_state = gs_log_state(v[V_STATE]);
    j.name = gs_intern(s->str, v[V_ID]);
    j.user = gs_intern(s->str, v[V_USER]);
    j.gpus = (uint32_t)z.gpus;
    rc = gs_scan_unique(s, r, "job_id", j.name);
    if (rc != GS_OK)
        return rc;
    gs_log_gang(s, &j, z.nodes, 0, z.cpus_milli, 0);
    if (z.pod_mib)
        j.mem_mib = z.pod_mib;
    return gs_scan_job(s, &j);
}

static const struct gs_table table = {GS_TABLE_FIELDS(fields), GS_TABLE_FIGURES(figures),
                                      .keep_unknown = 1, .row = row};

/* ---- Summary ----------------------------------------------------------------------------------- */

enum {
    S_ID,
    S_JOBS
};

static const struct gs_field summary_fields[] = {
    {"id", 0}, {"job_num", 0}, {"cpu_job_num", 0}, {"gpu_job_num", 0}, {"avg_run_time_gpu", 0}};

static const struct gs_figure summary_figures[] = {{.quantity = "rows", .op = GS_FIG_ROWS}};

static enum gs_rc summary_row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    int64_t jobs = 0;
    const enum gs_rc rc = gs_row_int(r, "job_num", v[S_JOBS], INT64_MAX / 2, &jobs);
    s->n->emitted += rc == GS_OK;
    if (rc != GS_OK || !s->info)
        return rc;
    struct gs_buf name = {0};
    gs_buf_fmt(&name, "job_num_%s", v[S_ID]);
    gs_info_int(s->info, gs_buf_cstr(&name), jobs);
    gs_buf_free(&name);
    return GS_OK;
}

static const struct gs_table summary = {GS_TABLE_FIELDS(summary_fields),
                                        GS_TABLE_FIGURES(summary_figures), .row = summary_row};

static int guess_summary(const struct gs_probe *p)
{
    return p->head && gs_table_fits(&summary, p->head);
}

static enum gs_rc scan_summary(struct gs_scan *s)
{
    return gs_table_scan(s, &summary);
}

const struct gs_reader gs_reader_acme = {
    .name = "acme",
    .what = "Acme: job trace of Seren or Kalos",
    .units =
        "wall clock with offset, 1 s; run time = end - start; whole GPUs, CPU cores, GiB a pod",
    .flags = GS_READER_IDS,
    .table = &table,
};

const struct gs_reader gs_reader_acme_summary = {
    .name = "acme-summary",
    .what = "Acme: summary of five datacenters",
    .units = "counts; times s",
    .flags = GS_READER_NO_RECORDS,
    .guess = guess_summary,
    .scan = scan_summary,
};

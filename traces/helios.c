/* helios.c - `cluster_log.csv` of the Helios release (SenseTime, 2020): one row a job, for each of four clusters.
 *
 * job_id, user, vc, gpu_num, cpu_num, node_num, state, submit_time, start_time, end_time, duration, queue. Stamps are wall clock to
 * the second without a zone (China's clock is taken, which is not stated); duration = end - start and queue = start - submit, in
 * seconds, so the stamps are what is read. vc is the queue. cpu_num is of the whole job.
 * States: COMPLETED, CANCELLED, FAILED, TIMEOUT, NODE_FAIL; rows still RUNNING, PENDING or SUSPENDED have no end and are dropped. More
 * than half of the rows ask for no GPU: dropped and counted, unless CPU jobs are kept.
 * Source: Hu et al., "Characterization and Prediction of Deep Learning Workloads in Large-Scale GPU Datacenters" (SC'21);
 * github.com/S-Lab-System-Group/HeliosData. Its other files: helios_series.c. */
#include "traces/joblog.h"
#include "traces/table.h"

#include "sim/base/banned.h"

enum {
    V_ID,
    V_USER,
    V_VC,
    V_GPUS,
    V_CPUS,
    V_NODES,
    V_STATE,
    V_SUBMIT,
    V_START,
    V_END
};

static const struct gs_field fields[] = {{"job_id", 0},
                                         {"user", 0},
                                         {"vc", 0},
                                         {"gpu_num", 0},
                                         {"cpu_num", GS_FIELD_OPTIONAL},
                                         {"node_num", 0},
                                         {"state", 0},
                                         {"submit_time", 0},
                                         {"start_time", 0},
                                         {"end_time", 0},
                                         {"duration", GS_FIELD_OPTIONAL},
                                         {"queue", GS_FIELD_OPTIONAL}};

static const struct gs_figure figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "sum_gpu_num", .op = GS_FIG_SUM, .a = "gpu_num"},
    {.quantity = "gpu_seconds", .op = GS_FIG_SUM_PRODUCT, .a = "gpu_num", .b = "duration"},
    {.quantity = "sum_duration", .op = GS_FIG_SUM, .a = "duration"},
    {.quantity = "sum_queue", .op = GS_FIG_SUM, .a = "queue"},
    {.quantity = "first_submit", .op = GS_FIG_MIN_TEXT, .a = "submit_time"},
    {.quantity = "last_submit", .op = GS_FIG_MAX_TEXT, .a = "submit_time"},
    {.quantity = "zero_gpu_rows", .op = GS_FIG_ZEROS, .a = "gpu_num"},
    {.quantity = "vcs", .op = GS_FIG_DISTINCT, .a = "vc"},
    {.quantity = "users", .op = GS_FIG_DISTINCT, .a = "user"},
    {.quantity = "states", .op = GS_FIG_TALLY, .a = "state"},
    {.quantity = "rows_out_of_order", .op = GS_FIG_OUT_OF_ORDER, .a = "submit_time"},
    {.quantity = "gpu_histogram", .op = GS_FIG_TALLY, .a = "gpu_num"}};

/* CPUs of the whole job, milli; not recorded = 0. */
static enum gs_rc take_cpus(struct gs_row *r, const char *text, int64_t *out)
{
    *out = 0;
    return *text ? gs_row_scaled(r, "cpu_num", text, 3, GS_TRACE_CPUS_MAX, out) : GS_OK;
}

static enum gs_rc row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct gs_job j = gs_scan_new_job(s, r->line);
    int64_t gpus = 0;
    int64_t nodes = 0;
    int64_t cpus_milli = 0;
    enum gs_rc rc = gs_row_int(r, "gpu_num", v[V_GPUS], GS_TRACE_GPUS_MAX, &gpus);
    if (rc == GS_OK)
        rc = gs_row_int(r, "node_num", v[V_NODES], GS_TRACE_GPUS_MAX, &nodes);
    if (rc == GS_OK)
        rc = take_cpus(r, v[V_CPUS], &cpus_milli);
    if (rc == GS_OK)
        rc = gs_row_clock(s, r, "submit_time", v[V_SUBMIT], &j.submit_ns);
    if (rc != GS_OK)
        return rc;
    const char *reason = NULL;
    if (gpus == 0 && !s->o->cpu_jobs)
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
    j.kind = gpus ? GS_KIND_TRAINING : GS_KIND_BATCH;
    j.end_state = gs_log_state(v[V_STATE]);
    j.name = gs_intern(s->str, v[V_ID]);
    j.user = gs_intern(s->str, v[V_USER]);
    j.queue = gs_intern(s->str, v[V_VC]);
    j.gpus = (uint32_t)gpus;
    rc = gs_scan_unique(s, r, "job_id", j.name);
    if (rc != GS_OK)
        return rc;
    gs_log_gang(s, &j, nodes, 0, cpus_milli, 0);
    return gs_scan_job(s, &j);
}

static const struct gs_table table = {GS_TABLE_FIELDS(fields), GS_TABLE_FIGURES(figures),
                                      .keep_unknown = 1, .row = row};

const struct gs_reader gs_reader_helios = {
    .name = "helios",
    .what = "Helios: job log of a cluster",
    .units = "wall clock, 1 s (zone UNVERIFIED); run time = end - start; whole GPUs, CPU cores",
    .zone = "Asia/Shanghai",
    .flags = GS_READER_IDS,
    .table = &table,
};

/* genai.c - Alibaba's image generation of 2026: the list of requests, and series of one metric.
 *
 * genai: lora_request_trace.csv: gmt_create, predict_type, predict_status, exec_time_seconds, groupId and the shape of the request. A
 * request occupies a GPU for exec_time_seconds, so it is a job of one GPU; groupId is its user, the other columns travel as
 * attributes. gmt_create is a wall clock without zone, shifted by an unknown amount: read as Asia/Shanghai, which nobody states.
 * PENDING and PROCESSING requests were not done when the trace was cut: dropped.
 *
 * genai-metric: value, timestamp_anon, container_ip in any order, qps also request_type. Holds no jobs. Time is shifted and scaled to a
 * grid of 57 s; latencies are ms, a duty cycle percent, memory bytes. container_ip may be empty, None or NULL.
 * Source: github.com/alibaba/clusterdata, cluster-trace-v2026-GenAI. */
#include "sim/base/units.h"
#include "traces/reader.h"
#include "traces/table.h"

#include <string.h>

#include "sim/base/banned.h"

/* ---- genai ------------------------------------------------------------------------------------- */

enum {
    CREATED,
    TYPE,
    STATUS,
    EXEC,
    GROUP,
    PROMPT,
    NEGATIVE_PROMPT,
    IMAGES,
    STEPS,
    MODEL,
    LORAS
};

static const struct gs_field fields[] = {
    {"gmt_create", 0},
    {"predict_type", GS_FIELD_ATTR},
    {"predict_status", 0},
    {"exec_time_seconds", 0},
    {"groupId", GS_FIELD_OPTIONAL},
    {"prompt_length", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
    {"negative_prompt_length", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
    {"num_images_per_prompt", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
    {"num_inference_steps", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
    {"checkpoint_model_version_id", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
    {"num_lora", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
};

static const struct gs_figure figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "first", .op = GS_FIG_FIRST, .a = "gmt_create"},
    {.quantity = "last", .op = GS_FIG_LAST, .a = "gmt_create"},
    {.quantity = "null_exec", .op = GS_FIG_NULLS, .a = "exec_time_seconds"},
    {.quantity = "sum_exec_s", .op = GS_FIG_SUM, .a = "exec_time_seconds"},
    {.quantity = "status", .op = GS_FIG_TALLY, .a = "predict_status"},
    {.quantity = "types", .op = GS_FIG_TALLY, .a = "predict_type"},
    {.quantity = "groups", .op = GS_FIG_DISTINCT, .a = "groupId"},
    {.quantity = "models", .op = GS_FIG_DISTINCT, .a = "checkpoint_model_version_id"},
    {.quantity = "negative_exec", .op = GS_FIG_NEGATIVE, .a = "exec_time_seconds"},
};

static enum gs_rc row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct gs_job j = gs_scan_new_job(s, r->line);
    const int failed = strcmp(v[STATUS], "FAILED") == 0;
    if (!failed && strcmp(v[STATUS], "SUCCEED") != 0) {
        gs_row_drop(r, "not done when the trace was cut");
        return GS_OK;
    }
    enum gs_rc rc = gs_row_clock(s, r, "gmt_create", v[CREATED], &j.submit_ns);
    if (rc == GS_OK)
        rc = gs_row_seconds(r, "exec_time_seconds", v[EXEC], &j.run_ns);
    if (rc != GS_OK)
        return rc;
    j.kind = GS_KIND_INTERACTIVE;
    j.gpus = 1;
    j.end_state = failed ? GS_END_FAILED : GS_END_COMPLETED;
    j.user = gs_intern(s->str, v[GROUP]);
    gs_scan_split(s, &j);
    return gs_scan_job(s, &j);
}

static const struct gs_table table = {
    .fields = fields,
    .nfields = sizeof fields / sizeof *fields,
    .figures = figures,
    .nfigures = sizeof figures / sizeof *figures,
    .row = row,
};

/* ---- genai-metric ------------------------------------------------------------------------------ */

static const struct gs_field metric_fields[] = {
    {"value", 0},
    {"timestamp_anon", 0},
    {"container_ip", 0},
    {"request_type", GS_FIELD_OPTIONAL},
};

static const struct gs_figure metric_figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "sum_value", .op = GS_FIG_SUM, .a = "value", .places = 3},
    {.quantity = "first", .op = GS_FIG_MIN, .a = "timestamp_anon"},
    {.quantity = "last", .op = GS_FIG_MAX, .a = "timestamp_anon"},
    {.quantity = "containers", .op = GS_FIG_DISTINCT, .a = "container_ip"},
};

static const struct gs_table metric_table = {
    .fields = metric_fields,
    .nfields = sizeof metric_fields / sizeof *metric_fields,
    .figures = metric_figures,
    .nfigures = sizeof metric_figures / sizeof *metric_figures,
};

static int metric_guess(const struct gs_probe *p)
{
    return p->head && gs_table_fits(&metric_table, p->head);
}

static enum gs_rc metric_scan(struct gs_scan *s)
{
    return gs_table_scan(s, &metric_table);
}

const struct gs_reader gs_reader_genai = {
    .name = "genai",
    .what = "Alibaba GenAI 2026, image requests: gmt_create, predict_type, exec_time_seconds",
    .units = "submit by wall clock, execution s, one GPU a request",
    .zone = "Asia/Shanghai",
    .table = &table,
};

const struct gs_reader gs_reader_genai_metric = {
    .name = "genai-metric",
    .what = "Alibaba GenAI 2026, one metric: value, timestamp_anon, container_ip",
    .units = "shifted s on a grid of 57 s; ms, percent or bytes",
    .flags = GS_READER_NO_RECORDS,
    .guess = metric_guess,
    .scan = metric_scan,
};

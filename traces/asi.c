/* asi.c - Alibaba's trace of a shared inference and training fleet (cluster-trace-gpu-v2026): tables by day and hour. No jobs.
 *
 * Pods by hour (pod_id, workload_id, server_id, ..., gpu_request (fractional), used_gpu_hours, schedule_delay_sec, day, hour), servers by hour
 * (with asw_id, the switch of the rack: the only public GPU trace with a topology), network by hour, and execution summaries of
 * jobs (duration_hours, delays). There is no submit time (issue 257 of the repository) and most states of the first 100 days are Unknown
 * (258), so nothing is replayed. Columns that a release adds are named by `trace info`, not refused.
 * Source: github.com/alibaba/clusterdata. */
#include "traces/table.h"

#include "sim/base/banned.h"

#define DAYS                                                 \
    {.quantity = "first_day", .op = GS_FIG_MIN, .a = "day"}, \
    {                                                        \
        .quantity = "last_day", .op = GS_FIG_MAX, .a = "day" \
    }

static const struct gs_field pod_fields[] = {{"pod_id", 0},
                                             {"workload_id", 0},
                                             {"gpu_request", 0},
                                             {"server_id", GS_FIELD_OPTIONAL},
                                             {"cluster_id", GS_FIELD_OPTIONAL},
                                             {"state_public", GS_FIELD_OPTIONAL},
                                             {"gpu_spec_public", GS_FIELD_OPTIONAL},
                                             {"priority_class", GS_FIELD_OPTIONAL},
                                             {"job_type_public", GS_FIELD_OPTIONAL},
                                             {"used_gpu_hours", GS_FIELD_OPTIONAL},
                                             {"schedule_delay_sec", GS_FIELD_OPTIONAL},
                                             {"day", GS_FIELD_OPTIONAL},
                                             {"hour", GS_FIELD_OPTIONAL}};

static const struct gs_figure pod_figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "columns", .op = GS_FIG_COLUMNS},
    {.quantity = "pods", .op = GS_FIG_DISTINCT, .a = "pod_id"},
    {.quantity = "workloads", .op = GS_FIG_DISTINCT, .a = "workload_id"},
    {.quantity = "servers", .op = GS_FIG_DISTINCT, .a = "server_id"},
    {.quantity = "sum_gpu_request", .op = GS_FIG_SUM, .a = "gpu_request", .places = 6},
    {.quantity = "sum_used_gpu_hours", .op = GS_FIG_SUM, .a = "used_gpu_hours", .places = 6},
    {.quantity = "null_schedule_delay_sec", .op = GS_FIG_NULLS, .a = "schedule_delay_sec"},
    {.quantity = "priority_classes", .op = GS_FIG_TALLY, .a = "priority_class"},
    {.quantity = "job_types", .op = GS_FIG_TALLY, .a = "job_type_public"},
    {.quantity = "states", .op = GS_FIG_TALLY, .a = "state_public"},
    {.quantity = "gpu_specs", .op = GS_FIG_TALLY, .a = "gpu_spec_public"},
    DAYS};

static const struct gs_field server_fields[] = {{"server_id", 0},
                                                {"asw_id", 0},
                                                {"server_gpu_count", GS_FIELD_OPTIONAL},
                                                {"gpu_spec_public", GS_FIELD_OPTIONAL},
                                                {"day", GS_FIELD_OPTIONAL},
                                                {"hour", GS_FIELD_OPTIONAL}};

static const struct gs_figure server_figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "columns", .op = GS_FIG_COLUMNS},
    {.quantity = "servers", .op = GS_FIG_DISTINCT, .a = "server_id"},
    {.quantity = "switches", .op = GS_FIG_DISTINCT, .a = "asw_id"},
    {.quantity = "sum_server_gpu_count", .op = GS_FIG_SUM, .a = "server_gpu_count"},
    DAYS};

static const struct gs_field summary_fields[] = {{"duration_hours", 0},
                                                 {"workload_id", GS_FIELD_OPTIONAL},
                                                 {"pod_id", GS_FIELD_OPTIONAL},
                                                 {"schedule_delay_sec", GS_FIELD_OPTIONAL},
                                                 {"ready_delay_sec", GS_FIELD_OPTIONAL},
                                                 {"day", GS_FIELD_OPTIONAL},
                                                 {"hour", GS_FIELD_OPTIONAL}};

static const struct gs_figure summary_figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "columns", .op = GS_FIG_COLUMNS},
    {.quantity = "workloads", .op = GS_FIG_DISTINCT, .a = "workload_id"},
    {.quantity = "sum_duration_hours", .op = GS_FIG_SUM, .a = "duration_hours", .places = 6},
    {.quantity = "max_duration_hours", .op = GS_FIG_MAX, .a = "duration_hours", .places = 6},
    DAYS};

static const struct gs_field network_fields[] = {{"server_id", 0}, {"day", 0}, {"hour", 0}};

static const struct gs_figure network_figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "columns", .op = GS_FIG_COLUMNS},
    {.quantity = "servers", .op = GS_FIG_DISTINCT, .a = "server_id"},
    DAYS};

/* The first that fits: pods name their server too, and every table has its day and hour. */
static const struct gs_table tables[] = {
    {GS_TABLE_FIELDS(pod_fields), GS_TABLE_FIGURES(pod_figures)},
    {GS_TABLE_FIELDS(server_fields), GS_TABLE_FIGURES(server_figures)},
    {GS_TABLE_FIELDS(summary_fields), GS_TABLE_FIGURES(summary_figures)},
    {GS_TABLE_FIELDS(network_fields), GS_TABLE_FIGURES(network_figures)}};

static int guess(const struct gs_probe *p)
{
    return gs_table_which(tables, sizeof tables / sizeof tables[0], p->head) != NULL;
}

static enum gs_rc scan(struct gs_scan *s)
{
    return gs_table_scan_one(s, tables, sizeof tables / sizeof tables[0]);
}

const struct gs_reader gs_reader_asi = {
    .name = "asi",
    .what = "Alibaba gpu-v2026: pods, servers, network by hour; job summaries",
    .units = "days and hours; fractions of a GPU; GPU-hours",
    .flags = GS_READER_NO_RECORDS,
    .guess = guess,
    .scan = scan,
};

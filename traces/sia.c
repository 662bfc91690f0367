/* sia.c - workloads and profiles of the Sia (and Pollux) simulator.
 *
 * Workload: name, time, application, num_replicas, batch_size; time in s from the start; num_replicas is what the user would choose,
 * the size that policies without elasticity give. There is no run time: it follows from the application's profile and the training
 * goal, which the list does not hold. Such jobs are replayed without end, and that is counted.
 * Profiles: `placements-*` (placement: digits, the GPUs on each node, "44" = two nodes of 4) and `scalability-*` (num_nodes,
 * num_replicas); local_bsz, step_time and sync_time in s. The order of columns differs by file; the suffix names the GPU type. No jobs.
 * Source: Jayaram Subramanya et al., "Sia: Heterogeneity-aware, goodput-optimized ML-cluster scheduling" (SOSP'23). */
#include "traces/table.h"

#include "sim/base/banned.h"

/* ---- Workloads --------------------------------------------------------------------------------- */

enum {
    V_NAME,
    V_TIME,
    V_APPLICATION,
    V_REPLICAS,
    V_BATCH
};

static const struct gs_field fields[] = {{"name", 0},
                                         {"time", 0},
                                         {"application", GS_FIELD_ATTR},
                                         {"num_replicas", 0},
                                         {"batch_size", GS_FIELD_OPTIONAL | GS_FIELD_ATTR}};

static const struct gs_figure figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "sum_gpu", .op = GS_FIG_SUM, .a = "num_replicas"},
    {.quantity = "first_submit", .op = GS_FIG_MIN, .a = "time", .places = 3},
    {.quantity = "last_submit", .op = GS_FIG_MAX, .a = "time", .places = 3},
    {.quantity = "out_of_order", .op = GS_FIG_OUT_OF_ORDER, .a = "time"},
    {.quantity = "gpu_histogram", .op = GS_FIG_TALLY, .a = "num_replicas"},
    {.quantity = "applications", .op = GS_FIG_TALLY, .a = "application"}};

static enum gs_rc row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct gs_job j = gs_scan_new_job(s, r->line);
    int64_t gpus = 0;
    enum gs_rc rc = gs_row_seconds(r, "time", v[V_TIME], &j.submit_ns);
    if (rc == GS_OK)
        rc = gs_row_int(r, "num_replicas", v[V_REPLICAS], GS_TRACE_GPUS_MAX, &gpus);
    if (rc != GS_OK)
        return rc;
    j.name = gs_intern(s->str, v[V_NAME]);
    rc = gs_scan_unique(s, r, "name", j.name);
    if (rc != GS_OK)
        return rc;
    if (gpus == 0) {
        gs_row_drop(r, "no GPUs asked for");
        return GS_OK;
    }
    j.kind = GS_KIND_TRAINING;
    j.gpus = (uint32_t)gpus;
    j.run_ns = GS_NEVER;
    j.duration_source = GS_DURATION_ENDLESS;
    gs_count_assume(s->n, "no run time in this format: runs until the end", 1);
    gs_scan_split(s, &j);
    return gs_scan_job(s, &j);
}

static const struct gs_table table = {GS_TABLE_FIELDS(fields), GS_TABLE_FIGURES(figures),
                                      .keep_unknown = 1, .row = row};

/* ---- Profiles ---------------------------------------------------------------------------------- */

static const struct gs_field profile_fields[] = {{"local_bsz", 0},
                                                 {"step_time", 0},
                                                 {"sync_time", 0},
                                                 {"placement", GS_FIELD_OPTIONAL},
                                                 {"num_nodes", GS_FIELD_OPTIONAL},
                                                 {"num_replicas", GS_FIELD_OPTIONAL}};

static const struct gs_figure profile_figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "sum_step_time", .op = GS_FIG_SUM, .a = "step_time", .places = -6},
    {.quantity = "columns", .op = GS_FIG_COLUMN_NAMES},
    {.quantity = "placements", .op = GS_FIG_DISTINCT, .a = "placement"},
    {.quantity = "max_num_replicas", .op = GS_FIG_MAX, .a = "num_replicas"}};

static const struct gs_table profile = {GS_TABLE_FIELDS(profile_fields),
                                        GS_TABLE_FIGURES(profile_figures)};

static int guess_profile(const struct gs_probe *p)
{
    return p->head && gs_table_fits(&profile, p->head);
}

static enum gs_rc scan_profile(struct gs_scan *s)
{
    return gs_table_scan(s, &profile);
}

const struct gs_reader gs_reader_sia = {
    .name = "sia",
    .what = "Sia: workload (submit, application, GPUs; no run times)",
    .units = "submit s from the start; whole GPUs",
    .flags = GS_READER_IDS,
    .table = &table,
};

const struct gs_reader gs_reader_sia_profile = {
    .name = "sia-profile",
    .what = "Sia: step times by placement or scale",
    .units = "step and synchronisation time s",
    .flags = GS_READER_NO_RECORDS,
    .guess = guess_profile,
    .scan = scan_profile,
};

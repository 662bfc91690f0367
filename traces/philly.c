/* philly.c - the Philly job list: `timestamp,duration,num_gpus,gpu_time,cluster`, as scheduling simulators pass it on.
 *
 * It is derived from the log that Microsoft published with "Analysis of large-scale multi-tenant GPU clusters for DNN training
 * workloads" (ATC'19): one row a job, duration = the sum of its attempts' run times, cluster = the virtual cluster, which
 * becomes the queue. No user, no state, no estimate, no id: equal rows are data.
 *
 * Time stamps are local wall clock without a zone, newest first for the most part. They are taken as US Pacific time, as the
 * utilisation files of the same release say PDT and PST; so the clock change of 2017-11-05 is undone, and one local hour is ambiguous. That is an
 * assumption, and is counted as one. A gang is split into tasks of at most `task_gpus` GPUs, since the list only gives the total. */
#include "traces/table.h"

#include "sim/base/banned.h"

#define ZONE "America/Los_Angeles"

enum column {
    C_TIMESTAMP,
    C_DURATION,
    C_NUM_GPUS,
    C_CLUSTER,
    C_GPU_TIME,
    COLUMNS
};

static const struct gs_field fields[COLUMNS] = {{"timestamp", 0},
                                                {"duration", 0},
                                                {"num_gpus", 0},
                                                {"cluster", 0},
                                                {"gpu_time", GS_FIELD_OPTIONAL}};

struct own {
    gs_i128 gpu_ns;
    int64_t mismatch; /* rows whose gpu_time is not duration x num_gpus */
};

static enum gs_rc check_gpu_time(struct gs_scan *s, struct gs_row *r, const char *text,
                                 gs_i128 gpu_ns)
{
    struct own *own = s->own;
    int64_t ns = -1;
    const enum gs_rc rc = *text ? gs_row_scaled(r, "gpu_time", text, 9, INT64_MAX, &ns) : GS_OK;
    if (rc != GS_OK)
        return rc;
    own->gpu_ns += gpu_ns;
    own->mismatch += gpu_ns != ns;
    return GS_OK;
}

static enum gs_rc row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct gs_job j = gs_scan_new_job(s, r->line);
    int64_t gpus = 0;
    enum gs_rc rc = gs_row_clock(s, r, "timestamp", v[C_TIMESTAMP], &j.submit_ns);
    if (rc == GS_OK)
        rc = gs_row_seconds(r, "duration", v[C_DURATION], &j.run_ns);
    if (rc == GS_OK)
        rc = gs_row_int(r, "num_gpus", v[C_NUM_GPUS], GS_TRACE_GPUS_MAX, &gpus);
    if (rc == GS_OK && s->info)
        rc = check_gpu_time(s, r, v[C_GPU_TIME], (gs_i128)j.run_ns * gpus);
    if (rc != GS_OK)
        return rc;
    if (gpus == 0) {
        gs_row_drop(r, "no GPUs asked for");
        return GS_OK;
    }
    j.kind = GS_KIND_TRAINING;
    j.gpus = (uint32_t)gpus;
    j.queue = gs_intern(s->str, v[C_CLUSTER]);
    gs_scan_split(s, &j);
    return gs_scan_job(s, &j);
}

static const struct gs_figure figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "gpu_seconds", .op = GS_FIG_SUM_PRODUCT, .a = "duration", .b = "num_gpus"},
    {.quantity = "gpu_time_sum", .op = GS_FIG_SUM, .a = "gpu_time"},
    {.quantity = "first_submit", .op = GS_FIG_MIN_TEXT, .a = "timestamp"},
    {.quantity = "last_submit", .op = GS_FIG_MAX_TEXT, .a = "timestamp"},
    {.quantity = "vcs", .op = GS_FIG_DISTINCT, .a = "cluster"},
    {.quantity = "zero_gpu_rows", .op = GS_FIG_ZEROS, .a = "num_gpus"},
    {.quantity = "zero_duration_rows", .op = GS_FIG_NOT_POSITIVE, .a = "duration"},
    {.quantity = "rows_out_of_order", .op = GS_FIG_OUT_OF_ORDER, .a = "timestamp"},
    {.quantity = "max_num_gpus", .op = GS_FIG_MAX, .a = "num_gpus"},
    {.quantity = "duplicate_rows", .op = GS_FIG_DUPLICATES},
    {.quantity = "gpu_histogram", .op = GS_FIG_TALLY, .a = "num_gpus"},
    {.quantity = "rows_vc_", .op = GS_FIG_EACH, .a = "cluster"},
};

static void show(struct gs_scan *s, struct gs_info *f)
{
    const struct own *own = s->own;
    gs_info_fixed(f, "gpu_hours", own->gpu_ns * 10 / 36, 12, 3);
    gs_info_int(f, "gpu_time_mismatch_rows", own->mismatch);
}

static const struct gs_table table = {.fields = fields,
                                      .nfields = COLUMNS,
                                      .figures = figures,
                                      .nfigures = sizeof figures / sizeof figures[0],
                                      .row = row,
                                      .show = show};

static enum gs_rc scan(struct gs_scan *s)
{
    struct own own = {0};
    s->own = &own;
    const enum gs_rc rc = gs_table_scan(s, &table);
    if (rc != GS_OK)
        return rc;
    if (!s->o->zone)
        gs_count_assume(s->n, "time stamps without zone: taken as " ZONE, s->n->emitted);
    gs_count_assume(s->n, "no estimate in this format", s->n->emitted);
    if (s->o->cpus_per_gpu_milli == 0)
        gs_count_assume(s->n, "no CPUs in this format: none asked for", s->n->emitted);
    if (s->o->mem_per_gpu_mib == 0)
        gs_count_assume(s->n, "no memory in this format: none asked for", s->n->emitted);
    return GS_OK;
}

static int guess(const struct gs_probe *p)
{
    return gs_table_fits(&table, p->head);
}

const struct gs_reader gs_reader_philly = {
    .name = "philly",
    .what = "Microsoft Philly 2017, the job list: timestamp, duration, num_gpus, cluster",
    .units = "submit wall clock, run time s, whole GPUs",
    .zone = ZONE,
    .guess = guess,
    .scan = scan};

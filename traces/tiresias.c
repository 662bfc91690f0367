/* tiresias.c - the files of the Tiresias simulator: job lists, the cluster, durations.
 *
 * Job list: job_id, num_gpu, submit_time, iterations, model_name, duration, interval; seconds from the first job; interval is the gap to
 * the next one. Or with start_time, model_size, aggr_interval and model_scale (`tf_job`), whose two rows are the same job: a repeated
 * id is counted in the figures, and is a fault when the list is replayed.
 * Cluster: num_switch, num_node_p_switch, num_gpu_p_node, num_cpu_p_node, mem_p_node (GB, not stated): no jobs.
 * Durations (`yarn-gput*`): one column, seconds, no jobs.
 * Source: Gu et al., "Tiresias: A GPU Cluster Manager for Distributed Deep Learning" (NSDI'19); github.com/SymbioticLab/Tiresias. */
#include "traces/joblist.h"
#include "traces/joblog.h"

#include "sim/base/banned.h"

/* ---- Job lists --------------------------------------------------------------------------------- */

static const struct gs_field job_fields[] = {GS_LIST_FIELDS,
                                             {"model_name", GS_FIELD_ATTR},
                                             {"iterations", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
                                             {"interval", GS_FIELD_OPTIONAL},
                                             {"start_time", GS_FIELD_OPTIONAL},
                                             {"model_size", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
                                             {"model_scale", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
                                             {"aggr_interval", GS_FIELD_OPTIONAL | GS_FIELD_ATTR}};

enum {
    V_START = GS_LIST_OWN + 3
};

static const struct gs_figure job_figures[] = {
    GS_LIST_FIGURES, {.quantity = "distinct_job_ids", .op = GS_FIG_DISTINCT, .a = "job_id"}};

static enum gs_rc job_row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct gs_job j;
    int kept = 0;
    int64_t start_ns = -1;
    enum gs_rc rc = gs_list_job(s, r, v, GS_SECOND, &j, &kept);
    if (rc == GS_OK && kept && *v[V_START])
        rc = gs_row_seconds(r, "start_time", v[V_START], &start_ns);
    if (rc != GS_OK || !kept)
        return rc;
    if (start_ns >= 0)
        gs_log_start(s, &j, start_ns);
    return gs_scan_job(s, &j);
}

static const struct gs_table jobs = {GS_TABLE_FIELDS(job_fields), GS_TABLE_FIGURES(job_figures),
                                     .keep_unknown = 1, .row = job_row};

static int guess_jobs(const struct gs_probe *p)
{
    /* The lists that grew out of this one have columns that this one lacks. */
    return p->head && gs_table_fits(&jobs, p->head) &&
           gs_csv_find(p->head, "batch_size") == GS_CSV_NONE &&
           gs_csv_find(p->head, "expect_time_list") == GS_CSV_NONE &&
           gs_csv_find(p->head, "ddl") == GS_CSV_NONE;
}

static enum gs_rc scan_jobs(struct gs_scan *s)
{
    return gs_table_scan(s, &jobs);
}

/* ---- Cluster ----------------------------------------------------------------------------------- */

enum {
    C_SWITCH,
    C_NODES,
    C_GPUS,
    C_CPUS,
    C_MEM
};

static const struct gs_field cluster_fields[] = {{"num_switch", 0},
                                                 {"num_node_p_switch", 0},
                                                 {"num_gpu_p_node", 0},
                                                 {"num_cpu_p_node", GS_FIELD_OPTIONAL},
                                                 {"mem_p_node", GS_FIELD_OPTIONAL}};

struct cluster {
    int64_t nodes, gpus;
};

static enum gs_rc cluster_row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct cluster *c = s->own;
    int64_t switches = 0;
    int64_t nodes = 0;
    int64_t gpus = 0;
    enum gs_rc rc = gs_row_int(r, "num_switch", v[C_SWITCH], 10000, &switches);
    if (rc == GS_OK)
        rc = gs_row_int(r, "num_node_p_switch", v[C_NODES], 100000, &nodes);
    if (rc == GS_OK)
        rc = gs_row_int(r, "num_gpu_p_node", v[C_GPUS], 1000, &gpus);
    c->nodes += switches * nodes;
    c->gpus += switches * nodes * gpus;
    s->n->emitted += rc == GS_OK;
    return rc;
}

static void show_cluster(struct gs_scan *s, struct gs_info *f)
{
    const struct cluster *c = s->own;
    gs_info_int(f, "nodes", c->nodes);
    gs_info_int(f, "gpus", c->gpus);
}

static const struct gs_table cluster = {GS_TABLE_FIELDS(cluster_fields), .row = cluster_row,
                                        .show = show_cluster};

static int guess_cluster(const struct gs_probe *p)
{
    return p->head && gs_table_fits(&cluster, p->head);
}

static enum gs_rc scan_cluster(struct gs_scan *s)
{
    struct cluster c = {0};
    s->own = &c;
    const enum gs_rc rc = gs_table_scan(s, &cluster);
    s->own = NULL;
    return rc;
}

/* ---- Durations --------------------------------------------------------------------------------- */

static const struct gs_field duration_fields[] = {{"duration", 0}};

static const struct gs_figure duration_figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "sum_duration", .op = GS_FIG_SUM, .a = "duration"},
    {.quantity = "max_duration", .op = GS_FIG_MAX, .a = "duration"}};

static const struct gs_table durations = {GS_TABLE_FIELDS(duration_fields),
                                          GS_TABLE_FIGURES(duration_figures)};

static int guess_durations(const struct gs_probe *p)
{
    return p->head && gs_csv_columns(p->head) == 1 && gs_table_fits(&durations, p->head);
}

static enum gs_rc scan_durations(struct gs_scan *s)
{
    return gs_table_scan(s, &durations);
}

const struct gs_reader gs_reader_tiresias = {
    .name = "tiresias",
    .what = "Tiresias: job list",
    .units = "submit and run time s from the first job; whole GPUs",
    .flags = GS_READER_IDS,
    .guess = guess_jobs,
    .scan = scan_jobs,
};

const struct gs_reader gs_reader_tiresias_cluster = {
    .name = "tiresias-cluster",
    .what = "Tiresias: switches, nodes and GPUs of a cluster",
    .units = "counts; memory GB (not stated)",
    .flags = GS_READER_NO_RECORDS,
    .guess = guess_cluster,
    .scan = scan_cluster,
};

const struct gs_reader gs_reader_tiresias_durations = {
    .name = "tiresias-durations",
    .what = "Tiresias: run times without jobs (yarn-gput)",
    .units = "s",
    .flags = GS_READER_NO_RECORDS,
    .guess = guess_durations,
    .scan = scan_durations,
};

/* pai_tables.c - the tables of the Alibaba PAI trace that hold no replayable jobs, their `.header` files, and mini-batch times.
 *
 * The tables have no header line; the names stand in separate `.header` files of one line. A table is told by the number of columns and
 * the look of its first row (the status words, the device path, the GPU types), a header file by its names. inst_id is really the
 * job's. start_time of the job table is the SUBMIT of the job.
 * Mini-batch times (`mini-batch-time/job_<k>_norm.csv`): an unnamed index, worker, gpu, time, batch_time_norm.
 * Source: pai.c. */
#include "traces/decimal.h"
#include "traces/pai.h"

#include <string.h>

#include "sim/base/banned.h"

static const struct gs_field job_fields[] = {{"job_name", 0}, {"inst_id", 0},    {"user", 0},
                                             {"status", 0},   {"start_time", 0}, {"end_time", 0}};

static const struct gs_field instance_fields[] = {
    {"job_name", 0}, {"task_name", 0},  {"inst_name", 0}, {"worker_name", 0}, {"inst_id", 0},
    {"status", 0},   {"start_time", 0}, {"end_time", 0},  {"machine", 0}};

static const struct gs_field sensor_fields[] = {
    {"job_name", 0}, {"task_name", 0}, {"worker_name", 0},     {"inst_id", 0},
    {"machine", 0},  {"gpu_name", 0},  {"cpu_usage", 0},       {"gpu_wrk_util", 0},
    {"avg_mem", 0},  {"max_mem", 0},   {"avg_gpu_wrk_mem", 0}, {"max_gpu_wrk_mem", 0},
    {"read", 0},     {"write", 0},     {"read_count", 0},      {"write_count", 0}};

static const struct gs_field group_fields[] = {
    {"inst_id", 0}, {"user", 0}, {"gpu_type_spec", 0}, {"group", 0}, {"workload", 0}};

static const struct gs_field machine_fields[] = {
    {"machine", 0}, {"gpu_type", 0}, {"cap_cpu", 0}, {"cap_mem", 0}, {"cap_gpu", 0}};

static const struct gs_field metric_fields[] = {
    {"worker_name", 0},        {"machine", 0},
    {"start_time", 0},         {"end_time", 0},
    {"machine_cpu_iowait", 0}, {"machine_cpu_kernel", 0},
    {"machine_cpu_usr", 0},    {"machine_gpu", 0},
    {"machine_load_1", 0},     {"machine_net_receive", 0},
    {"machine_num_worker", 0}, {"machine_cpu", 0}};

#define COMMON                                     \
    {.quantity = "columns", .op = GS_FIG_COLUMNS}, \
    {                                              \
        .quantity = "rows", .op = GS_FIG_ROWS      \
    }

static const struct gs_figure job_figures[] = {
    COMMON,
    {.quantity = "jobs", .op = GS_FIG_DISTINCT, .a = "job_name"},
    {.quantity = "users", .op = GS_FIG_DISTINCT, .a = "user"},
    {.quantity = "status", .op = GS_FIG_TALLY, .a = "status"},
    {.quantity = "min_start_time", .op = GS_FIG_MIN, .a = "start_time"},
    {.quantity = "max_end_time", .op = GS_FIG_MAX, .a = "end_time"}};

static const struct gs_figure instance_figures[] = {
    COMMON,
    {.quantity = "status", .op = GS_FIG_TALLY, .a = "status"},
    {.quantity = "machines", .op = GS_FIG_DISTINCT, .a = "machine"},
    {.quantity = "min_start_time", .op = GS_FIG_MIN, .a = "start_time"},
    {.quantity = "max_end_time", .op = GS_FIG_MAX, .a = "end_time"}};

static const struct gs_figure sensor_figures[] = {
    COMMON,
    {.quantity = "machines", .op = GS_FIG_DISTINCT, .a = "machine"},
    {.quantity = "sum_gpu_wrk_util", .op = GS_FIG_SUM, .a = "gpu_wrk_util", .places = 3},
    {.quantity = "null_gpu_wrk_util", .op = GS_FIG_NULLS, .a = "gpu_wrk_util"}};

static const struct gs_figure group_figures[] = {
    COMMON,
    {.quantity = "users", .op = GS_FIG_DISTINCT, .a = "user"},
    {.quantity = "gpu_type_spec", .op = GS_FIG_TALLY, .a = "gpu_type_spec"},
    {.quantity = "workload_rows", .op = GS_FIG_FILLED, .a = "workload"}};

static const struct gs_figure machine_figures[] = {
    COMMON,
    {.quantity = "sum_cap_gpu", .op = GS_FIG_SUM, .a = "cap_gpu"},
    {.quantity = "sum_cap_cpu", .op = GS_FIG_SUM, .a = "cap_cpu"},
    {.quantity = "gpus_by_type", .op = GS_FIG_TALLY_SUM, .a = "gpu_type", .b = "cap_gpu"}};

static const struct gs_figure metric_figures[] = {
    COMMON,
    {.quantity = "machines", .op = GS_FIG_DISTINCT, .a = "machine"},
    {.quantity = "min_start_time", .op = GS_FIG_MIN, .a = "start_time"},
    {.quantity = "max_end_time", .op = GS_FIG_MAX, .a = "end_time"}};

/* ---- Which table? ------------------------------------------------------------------------------ */

static int is_number(const char *s)
{
    int64_t x = 0;
    return gs_decimal_read(s, 6, &x) <= GS_DECIMAL_INEXACT;
}

static int is_number_or_null(const char *s)
{
    return gs_is_null(s) || is_number(s);
}

static int is_gpu_type(const char *s)
{
    static const char *const types[] = {"CPU",  "T4",   "P100", "V100", "V100M32",
                                        "MISC", "K40m", "K80",  "M60"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(s, types[i]) == 0)
            return 1;
    }
    return 0;
}

static int is_job(const struct gs_pai_line *l)
{
    return gs_pai_is_status(l->field[3]) && is_number_or_null(l->field[4]) &&
           is_number_or_null(l->field[5]);
}

static int is_instance(const struct gs_pai_line *l)
{
    return gs_pai_is_status(l->field[5]) && is_number_or_null(l->field[6]) &&
           is_number_or_null(l->field[7]);
}

static int is_sensor(const struct gs_pai_line *l)
{
    int ok = gs_is_null(l->field[5]) || strncmp(l->field[5], "/dev/nvidia", 11) == 0;
    for (size_t i = 6; i < l->n; i++)
        ok = ok && is_number_or_null(l->field[i]);
    return ok && !is_number(l->field[0]) && !is_number(l->field[4]);
}

static int is_group(const struct gs_pai_line *l)
{
    return !is_number(l->field[0]) && !is_number(l->field[1]) && !is_number(l->field[3]) &&
           (is_gpu_type(l->field[2]) || (!*l->field[2] && strlen(l->field[0]) >= 8));
}

static int is_machine(const struct gs_pai_line *l)
{
    return is_gpu_type(l->field[1]) && is_number(l->field[2]) && is_number(l->field[3]) &&
           is_number(l->field[4]);
}

static int is_metric(const struct gs_pai_line *l)
{
    int ok = is_number(l->field[2]) && is_number(l->field[3]) && !is_number(l->field[0]) &&
             !is_number(l->field[1]);
    for (size_t i = 4; i < l->n; i++)
        ok = ok && is_number_or_null(l->field[i]);
    return ok;
}

#define TABLE(NAME)                                                                         \
    {                                                                                       \
        {GS_TABLE_FIELDS(NAME##_fields), GS_TABLE_FIGURES(NAME##_figures), .no_header = 1}, \
            is_##NAME                                                                       \
    }

static const struct {
    struct gs_table table;
    int (*looks_like)(const struct gs_pai_line *first); /* of table.nfields fields */
} tables[] = {TABLE(job),   TABLE(instance), TABLE(sensor),
              TABLE(group), TABLE(machine),  TABLE(metric)};

/* The table that the file is, with or without its header line; NULL if none. A header that stands alone may be the task table's. */
static const struct gs_table *table_of(const struct gs_pai_line *l, int *has_header)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const struct gs_table *t = &tables[i].table;
        *has_header = gs_pai_is_header(l, t);
        if (*has_header || (l->n == t->nfields && tables[i].looks_like(l)))
            return t;
    }
    *has_header = l->is_last && gs_pai_is_header(l, &gs_pai_tasks);
    return *has_header ? &gs_pai_tasks : NULL;
}

static int guess(const struct gs_probe *p)
{
    struct gs_pai_line l;
    int has_header = 0;
    gs_pai_first_line(p->text, p->n, &l);
    return table_of(&l, &has_header) != NULL;
}

static enum gs_rc scan(struct gs_scan *s)
{
    const enum gs_rc rc = gs_input_ahead(s->in, GS_PAI_TEXT_MAX, s->err);
    if (rc != GS_OK)
        return rc;
    struct gs_pai_line l;
    int has_header = 0;
    gs_pai_first_line(s->in->text + s->in->at, s->in->n - s->in->at, &l);
    const struct gs_table *known = table_of(&l, &has_header);
    if (!known)
        return gs_fail(s->err, GS_E_INPUT,
                       "%s:1: the first row is of none of the PAI tables (expected the columns of "
                       "pai_job, pai_instance, pai_sensor, pai_group_tag, pai_machine_spec or "
                       "pai_machine_metric)",
                       s->in->shown);
    struct gs_table t = *known;
    t.no_header = !has_header;
    return gs_table_scan(s, &t);
}

/* ---- Mini-batch times -------------------------------------------------------------------------- */

static const struct gs_field batch_fields[] = {
    {"", 0}, {"worker", 0}, {"gpu", 0}, {"time", 0}, {"batch_time_norm", 0}};

static const struct gs_figure batch_figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "sum_batch_time_norm", .op = GS_FIG_SUM, .a = "batch_time_norm"},
    {.quantity = "workers", .op = GS_FIG_DISTINCT, .a = "worker"}};

/* `lines` counts the header too, as `wc -l` does. */
static void show_batch(struct gs_scan *s, struct gs_info *f)
{
    gs_info_int(f, "lines", (int64_t)s->n->rows + 1);
}

static const struct gs_table batch = {GS_TABLE_FIELDS(batch_fields),
                                      GS_TABLE_FIGURES(batch_figures), .show = show_batch};

static int guess_batch(const struct gs_probe *p)
{
    return p->head && gs_table_fits(&batch, p->head);
}

static enum gs_rc scan_batch(struct gs_scan *s)
{
    return gs_table_scan(s, &batch);
}

const struct gs_reader gs_reader_pai_table = {
    .name = "pai-table",
    .what = "Alibaba PAI 2020: its other tables, and .header files",
    .units = "s, shifted; percent of a core or a GPU; GB; bytes",
    .flags = GS_READER_NO_RECORDS,
    .guess = guess,
    .scan = scan,
};

const struct gs_reader gs_reader_pai_batch = {
    .name = "pai-batch",
    .what = "Alibaba PAI 2020: mini-batch times",
    .units = "normalised times",
    .flags = GS_READER_NO_RECORDS,
    .guess = guess_batch,
    .scan = scan_batch,
};

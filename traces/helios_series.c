/* helios_series.c - the Helios files without jobs: quotas, throughput, the minute-by-minute state of a virtual cluster, its nodes.
 *
 * - `cluster_gpu_number.csv`: date, a column a virtual cluster with its GPUs that day, total. Quotas change and may be 0; 8 GPUs a node.
 * - `*_throughput.csv`: time (bins of 10 min), {submit,start,end}_{job_all,gpu_job,gpu_num}: events in [bin, bin + 10 min).
 * - `*_sequence_vc.csv`: a row a minute: total, running and pending jobs, GPU jobs and GPUs, idle GPUs, utilisation, and the
 *   same for jobs of 8 GPUs or more (`noless_8`) and of fewer.
 * - `*_vc_config.csv`: an unnamed column (the virtual cluster) and num, its nodes of 8 GPUs.
 * Wall clock without a zone. Source: helios.c. */
#include "traces/decimal.h"
#include "traces/table.h"

#include <string.h>

#include "sim/base/banned.h"

/* ---- Quotas by day ----------------------------------------------------------------------------- */

/* The virtual clusters are the columns, and their names are the cluster's own, so this one reads its rows itself. */

struct quota {
    struct gs_csv csv;
    size_t date, total;
    int64_t rows, mismatches, max_total;
    gs_i128 sum_total;
    char first[32], last[32];
};

static int guess_quota(const struct gs_probe *p)
{
    const size_t n = p->head ? gs_csv_columns(p->head) : 0;
    return n >= 3 && strcmp(gs_csv_name(p->head, 0), "date") == 0 &&
           strcmp(gs_csv_name(p->head, n - 1), "total") == 0 &&
           strncmp(gs_csv_name(p->head, 1), "vc", 2) == 0;
}

static void keep_date(struct quota *q, const char *date)
{
    if (!*q->first || strcmp(date, q->first) < 0)
        (void)gs_fmt(q->first, sizeof q->first, "%s", date);
    if (strcmp(date, q->last) > 0)
        (void)gs_fmt(q->last, sizeof q->last, "%s", date);
}

static enum gs_rc quota_row(struct gs_row *r, struct quota *q)
{
    if (gs_csv_fields(&q->csv) != gs_csv_columns(&q->csv))
        return gs_row_bad(r, "wrong number of fields", "total", "",
                          "is not where the header has it: the row has another width");
    int64_t total = 0;
    int64_t sum = 0;
    enum gs_rc rc = gs_row_int(r, "total", gs_csv_field(&q->csv, q->total), INT32_MAX, &total);
    for (size_t i = 0; rc == GS_OK && i < gs_csv_columns(&q->csv); i++) {
        int64_t x = 0;
        if (i == q->date || i == q->total)
            continue;
        rc = gs_row_int(r, gs_csv_name(&q->csv, i), gs_csv_field(&q->csv, i), INT32_MAX, &x);
        sum += x;
    }
    if (rc != GS_OK)
        return rc;
    q->rows++;
    q->mismatches += sum != total;
    q->sum_total += total;
    q->max_total = total > q->max_total ? total : q->max_total;
    keep_date(q, gs_csv_field(&q->csv, q->date));
    return GS_OK;
}

static void show_quota(struct gs_info *f, const struct quota *q)
{
    gs_info_int(f, "rows", q->rows);
    gs_info_text(f, "first", q->first);
    gs_info_text(f, "last", q->last);
    gs_info_int(f, "vcs", (int64_t)gs_csv_columns(&q->csv) - 2);
    gs_info_int(f, "max_total", q->max_total);
    gs_info_decimal(f, "sum_total", q->sum_total, 0);
    gs_info_int(f, "total_mismatch_rows", q->mismatches);
}

static enum gs_rc scan_quota(struct gs_scan *s)
{
    struct quota q = {.rows = 0};
    enum gs_rc rc = gs_csv_open(&q.csv, s->in, s->err);
    if (rc == GS_OK)
        rc = gs_csv_need(&q.csv, "date", &q.date, s->err);
    if (rc == GS_OK)
        rc = gs_csv_need(&q.csv, "total", &q.total, s->err);
    int more = 1;
    while (rc == GS_OK) {
        rc = gs_csv_next(&q.csv, &more, s->err);
        if (rc != GS_OK || !more)
            break;
        struct gs_row r = gs_scan_row(s, q.csv.line);
        rc = quota_row(&r, &q);
        s->n->emitted += rc == GS_OK;
        rc = gs_row_end(&r, rc);
    }
    if (rc == GS_OK && s->info)
        show_quota(s->info, &q);
    gs_csv_close(&q.csv);
    return rc;
}

/* ---- Throughput -------------------------------------------------------------------------------- */

static const struct gs_field throughput_fields[] = {
    {"time", 0},           {"submit_job_all", 0}, {"start_job_all", 0}, {"end_job_all", 0},
    {"submit_gpu_job", 0}, {"start_gpu_job", 0},  {"end_gpu_job", 0},   {"submit_gpu_num", 0},
    {"start_gpu_num", 0},  {"end_gpu_num", 0}};

static const struct gs_figure throughput_figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "first", .op = GS_FIG_MIN_TEXT, .a = "time"},
    {.quantity = "last", .op = GS_FIG_MAX_TEXT, .a = "time"},
    {.quantity = "sum_submit_job_all", .op = GS_FIG_SUM, .a = "submit_job_all"},
    {.quantity = "sum_start_job_all", .op = GS_FIG_SUM, .a = "start_job_all"},
    {.quantity = "sum_end_job_all", .op = GS_FIG_SUM, .a = "end_job_all"},
    {.quantity = "sum_submit_gpu_job", .op = GS_FIG_SUM, .a = "submit_gpu_job"},
    {.quantity = "sum_start_gpu_job", .op = GS_FIG_SUM, .a = "start_gpu_job"},
    {.quantity = "sum_end_gpu_job", .op = GS_FIG_SUM, .a = "end_gpu_job"},
    {.quantity = "sum_submit_gpu_num", .op = GS_FIG_SUM, .a = "submit_gpu_num"},
    {.quantity = "sum_start_gpu_num", .op = GS_FIG_SUM, .a = "start_gpu_num"},
    {.quantity = "sum_end_gpu_num", .op = GS_FIG_SUM, .a = "end_gpu_num"}};

static const struct gs_table throughput = {GS_TABLE_FIELDS(throughput_fields),
                                           GS_TABLE_FIGURES(throughput_figures)};

static int guess_throughput(const struct gs_probe *p)
{
    return p->head && gs_table_fits(&throughput, p->head);
}

static enum gs_rc scan_throughput(struct gs_scan *s)
{
    return gs_table_scan(s, &throughput);
}

/* ---- State of a virtual cluster, minute by minute ---------------------------------------------- */

static const struct gs_field sequence_fields[] = {{"time", 0},
                                                  {"total_gpujob_num", 0},
                                                  {"running_gpujob_num", 0},
                                                  {"pending_gpujob_num", 0},
                                                  {"total_gpu_num", 0},
                                                  {"running_gpu_num", 0},
                                                  {"pending_gpu_num", 0},
                                                  {"idle_gpu_num", 0}};

static const struct gs_figure sequence_figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "first", .op = GS_FIG_MIN_TEXT, .a = "time"},
    {.quantity = "last", .op = GS_FIG_MAX_TEXT, .a = "time"},
    {.quantity = "sum_running_gpu_num", .op = GS_FIG_SUM, .a = "running_gpu_num"},
    {.quantity = "sum_pending_gpu_num", .op = GS_FIG_SUM, .a = "pending_gpu_num"},
    {.quantity = "sum_total_gpu_num", .op = GS_FIG_SUM, .a = "total_gpu_num"},
    {.quantity = "sum_running_gpujob_num", .op = GS_FIG_SUM, .a = "running_gpujob_num"},
    {.quantity = "sum_pending_gpujob_num", .op = GS_FIG_SUM, .a = "pending_gpujob_num"}};

static const struct gs_table sequence = {GS_TABLE_FIELDS(sequence_fields),
                                         GS_TABLE_FIGURES(sequence_figures)};

static int guess_sequence(const struct gs_probe *p)
{
    return p->head && gs_table_fits(&sequence, p->head);
}

static enum gs_rc scan_sequence(struct gs_scan *s)
{
    return gs_table_scan(s, &sequence);
}

/* ---- Nodes of the virtual clusters ------------------------------------------------------------- */

static const struct gs_field vc_fields[] = {{"", 0}, {"num", 0}};

static const struct gs_figure vc_figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS}, {.quantity = "sum_num", .op = GS_FIG_SUM, .a = "num"}};

static const struct gs_table vc = {GS_TABLE_FIELDS(vc_fields), GS_TABLE_FIGURES(vc_figures)};

static int guess_vc(const struct gs_probe *p)
{
    return p->head && gs_csv_columns(p->head) == 2 && gs_table_fits(&vc, p->head);
}

static enum gs_rc scan_vc(struct gs_scan *s)
{
    return gs_table_scan(s, &vc);
}

const struct gs_reader gs_reader_helios_quota = {
    .name = "helios-quota",
    .what = "Helios: GPUs of each virtual cluster by day",
    .units = "days; whole GPUs",
    .flags = GS_READER_NO_RECORDS,
    .guess = guess_quota,
    .scan = scan_quota,
};

const struct gs_reader gs_reader_helios_throughput = {
    .name = "helios-throughput",
    .what = "Helios: submissions, starts and ends by 10 minutes",
    .units = "wall clock, bins of 10 min; counts of events",
    .zone = "Asia/Shanghai",
    .flags = GS_READER_NO_RECORDS,
    .guess = guess_throughput,
    .scan = scan_throughput,
};

const struct gs_reader gs_reader_helios_sequence = {
    .name = "helios-sequence",
    .what = "Helios: state of a virtual cluster by minutes",
    .units = "wall clock, 1 min; jobs and whole GPUs",
    .zone = "Asia/Shanghai",
    .flags = GS_READER_NO_RECORDS,
    .guess = guess_sequence,
    .scan = scan_sequence,
};

const struct gs_reader gs_reader_helios_vc = {
    .name = "helios-vc",
    .what = "Helios: nodes of each virtual cluster",
    .units = "nodes of 8 GPUs",
    .flags = GS_READER_NO_RECORDS,
    .guess = guess_vc,
    .scan = scan_vc,
};

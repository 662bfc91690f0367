/* philly.c - the Philly job list: `timestamp,duration,num_gpus,gpu_time,cluster`, as scheduling simulators pass it on.
 *
 * It is derived from the log that Microsoft published with "Analysis of large-scale multi-tenant GPU clusters for DNN training
 * workloads" (ATC'19): one row a job, duration = the sum of its attempts' run times, cluster = the virtual cluster, which
 * becomes the queue. No user, no state, no estimate, no id: equal rows are data.
 *
 * Time stamps are local wall clock without a zone, newest first for the most part. They are placed on one fixed offset (US
 * Pacific daylight time, -07:00, unless the scenario says another): the hour that the clock went back in November is not
 * undone, so stamps after it are read an hour too early relative to those before, and one hour overlaps. That is an
 * assumption, and is counted as one. A gang is split into tasks of at most `task_gpus` GPUs, since the list only gives the total. */
#include "sim/base/units.h"
#include "traces/decimal.h"
#include "traces/reader.h"

#include "sim/base/banned.h"

#define PACIFIC_DAYLIGHT_S (-7 * 3600)

struct columns {
    size_t timestamp, duration, num_gpus, gpu_time, cluster;
};

struct philly_row {
    int64_t submit_unix_ns, run_ns, gpus, gpu_time_ns;
    int has_gpu_time;
    const char *cluster; /* in the CSV row */
};

static int guess(const struct gs_input *in, const struct gs_csv *head)
{
    (void)in;
    return head && gs_csv_find(head, "timestamp") != GS_CSV_NONE &&
           gs_csv_find(head, "num_gpus") != GS_CSV_NONE &&
           gs_csv_find(head, "cluster") != GS_CSV_NONE;
}

static enum gs_rc find_columns(const struct gs_csv *c, struct columns *k, struct gs_err *err)
{
    enum gs_rc rc = gs_csv_need(c, "timestamp", &k->timestamp, err);
    if (rc == GS_OK)
        rc = gs_csv_need(c, "duration", &k->duration, err);
    if (rc == GS_OK)
        rc = gs_csv_need(c, "num_gpus", &k->num_gpus, err);
    if (rc == GS_OK)
        rc = gs_csv_need(c, "cluster", &k->cluster, err);
    k->gpu_time = gs_csv_find(c, "gpu_time");
    return rc;
}

static enum gs_rc decode(struct gs_row *r, const struct gs_csv *c, const struct columns *k,
                         int32_t offset_s, struct philly_row *out)
{
    *out = (struct philly_row){0};
    enum gs_rc rc = gs_row_width(r, c);
    if (rc != GS_OK)
        return rc;
    rc =
        gs_row_clock(r, "timestamp", gs_csv_field(c, k->timestamp), offset_s, &out->submit_unix_ns);
    if (rc == GS_OK)
        rc = gs_row_seconds(r, "duration", gs_csv_field(c, k->duration), &out->run_ns);
    if (rc == GS_OK)
        rc = gs_row_int(r, "num_gpus", gs_csv_field(c, k->num_gpus), GS_TRACE_GPUS_MAX, &out->gpus);
    if (rc != GS_OK)
        return rc;
    const char *gpu_time = gs_csv_field(c, k->gpu_time);
    out->has_gpu_time = !gs_is_null(gpu_time);
    if (out->has_gpu_time)
        rc = gs_row_scaled(r, "gpu_time", gpu_time, 9, INT64_MAX, &out->gpu_time_ns);
    out->cluster = gs_csv_field(c, k->cluster);
    return rc;
}

static void emit(struct gs_read *rd, int64_t line, const struct philly_row *p)
{
    if (p->gpus == 0) {
        gs_count_skip(rd->n, "no GPUs asked for");
        return;
    }
    struct gs_job j = gs_read_job(rd, line);
    j.kind = GS_KIND_TRAINING;
    j.submit_ns = p->submit_unix_ns;
    j.run_ns = p->run_ns;
    j.gpus = (uint32_t)p->gpus;
    j.queue = gs_intern(rd->w->str, p->cluster);
    gs_read_split(rd, &j);
    if (j.tasks > 1)
        gs_count_assume(rd->n, "gang split into tasks of at most task_gpus GPUs", 1);
    gs_read_emit(rd, &j);
}

static enum gs_rc read_rows(struct gs_read *rd, struct gs_csv *c)
{
    struct columns k;
    enum gs_rc rc = find_columns(c, &k, rd->err);
    const int32_t offset_s =
        rd->o->zone_offset_s == GS_NO_ZONE ? PACIFIC_DAYLIGHT_S : rd->o->zone_offset_s;
    for (int more = 1; rc == GS_OK;) {
        rc = gs_csv_next(c, &more, rd->err);
        if (rc != GS_OK || !more)
            break;
        rd->n->rows++;
        struct gs_row r = {rd->in, c->line, rd->o->bad_rows, rd->n, NULL, rd->err};
        struct philly_row p;
        rc = decode(&r, c, &k, offset_s, &p);
        if (rc == GS_OK)
            emit(rd, c->line, &p);
        rc = gs_row_end(&r, rc);
    }
    rd->n->origin_unix_ns = 0;
    rd->n->origin_offset_s = offset_s;
    if (rd->o->zone_offset_s == GS_NO_ZONE)
        gs_count_assume(rd->n, "time stamps without zone: taken as -07:00 throughout",
                        rd->n->emitted);
    gs_count_assume(rd->n, "no estimate in this format", rd->n->emitted);
    if (rd->o->cpus_per_gpu_milli == 0)
        gs_count_assume(rd->n, "no CPUs in this format: none asked for", rd->n->emitted);
    if (rd->o->mem_per_gpu_mib == 0)
        gs_count_assume(rd->n, "no memory in this format: none asked for", rd->n->emitted);
    return rc;
}

static enum gs_rc read_jobs(struct gs_read *rd)
{
    struct gs_csv c;
    enum gs_rc rc = gs_csv_open(&c, rd->in, rd->err);
    if (rc == GS_OK)
        rc = read_rows(rd, &c);
    gs_csv_close(&c);
    return rc;
}

/* ---- trace info -------------------------------------------------------------------------------- */

struct figures {
    gs_i128 gpu_ns, gpu_time_ns;
    int64_t mismatch, zero_gpu, zero_duration, out_of_order, max_gpus;
    int64_t first_ns, last_ns, before_ns;
    struct gs_tally sizes, clusters, rows;
};

static void add_row(struct figures *g, struct gs_info *f, const struct gs_csv *c,
                    const struct philly_row *p)
{
    const gs_i128 gpu_ns = (gs_i128)p->run_ns * p->gpus;
    g->gpu_ns += gpu_ns;
    g->gpu_time_ns += p->gpu_time_ns;
    g->mismatch += !p->has_gpu_time || gpu_ns != p->gpu_time_ns;
    g->zero_gpu += p->gpus == 0;
    g->zero_duration += p->run_ns == 0;
    g->out_of_order += p->submit_unix_ns < g->before_ns;
    g->before_ns = p->submit_unix_ns;
    g->first_ns = p->submit_unix_ns < g->first_ns ? p->submit_unix_ns : g->first_ns;
    g->last_ns = p->submit_unix_ns > g->last_ns ? p->submit_unix_ns : g->last_ns;
    g->max_gpus = p->gpus > g->max_gpus ? p->gpus : g->max_gpus;
    gs_tally_number(&g->sizes, p->gpus, 1);
    gs_tally_text(&g->clusters, p->cluster, 1);
    struct gs_buf whole = {0};
    for (size_t i = 0; i < gs_csv_fields(c); i++)
        gs_buf_fmt(&whole, "%s,", gs_csv_field(c, i));
    gs_tally_text(&g->rows, gs_buf_cstr(&whole), 1);
    gs_buf_free(&whole);
    gs_vec_push(&f->run_s, (double)p->run_ns / 1e9);
    gs_vec_push(&f->gpus, (double)p->gpus);
    f->n.emitted++;
}

static void show(struct figures *g, struct gs_info *f)
{
    gs_info_int(f, "rows", (int64_t)f->n.rows);
    gs_info_decimal(f, "gpu_seconds", g->gpu_ns, 9);
    /* GPU-hours to three places: 3600 s = 3.6e12 ns, half up */
    gs_info_decimal(f, "gpu_hours", (g->gpu_ns / 1800000000 + 1) / 2, 3);
    gs_info_decimal(f, "gpu_time_sum", g->gpu_time_ns, 9);
    gs_info_int(f, "gpu_time_mismatch_rows", g->mismatch);
    gs_info_clock(f, "first_submit", g->first_ns);
    gs_info_clock(f, "last_submit", g->last_ns);
    gs_info_int(f, "vcs", (int64_t)gs_tally_distinct(&g->clusters));
    gs_info_int(f, "zero_gpu_rows", g->zero_gpu);
    gs_info_int(f, "zero_duration_rows", g->zero_duration);
    gs_info_int(f, "rows_out_of_order", g->out_of_order);
    gs_info_int(f, "max_num_gpus", g->max_gpus);
    gs_info_int(f, "duplicate_rows", (int64_t)(f->n.emitted - gs_tally_distinct(&g->rows)));
    gs_info_tally(f, "gpu_histogram", &g->sizes, SIZE_MAX);
    gs_tally_sort(&g->clusters);
    for (size_t i = 0; i < g->clusters.rows.n; i++) {
        struct gs_buf name = {0};
        gs_buf_fmt(&name, "rows_vc_%s", g->clusters.rows.v[i].text);
        gs_info_int(f, gs_buf_cstr(&name), g->clusters.rows.v[i].count);
        gs_buf_free(&name);
    }
}

static enum gs_rc info_rows(struct gs_info *f, struct gs_csv *c, struct figures *g)
{
    struct columns k;
    enum gs_rc rc = find_columns(c, &k, f->err);
    for (int more = 1; rc == GS_OK;) {
        rc = gs_csv_next(c, &more, f->err);
        if (rc != GS_OK || !more)
            break;
        struct gs_row r = gs_info_row(f, c->line);
        struct philly_row p;
        rc = decode(&r, c, &k, 0, &p); /* offset 0: the clock is shown as written */
        if (rc == GS_OK)
            add_row(g, f, c, &p);
        rc = gs_row_end(&r, rc);
    }
    return rc;
}

static enum gs_rc info(struct gs_info *f)
{
    struct figures g = {.first_ns = GS_NEVER, .before_ns = INT64_MIN, .last_ns = INT64_MIN};
    struct gs_csv c;
    enum gs_rc rc = gs_csv_open(&c, f->in, f->err);
    if (rc == GS_OK)
        rc = info_rows(f, &c, &g);
    if (rc == GS_OK)
        show(&g, f);
    gs_csv_close(&c);
    gs_tally_free(&g.sizes);
    gs_tally_free(&g.clusters);
    gs_tally_free(&g.rows);
    return rc;
}

const struct gs_reader gs_reader_philly = {"philly", 0, guess, read_jobs, info};

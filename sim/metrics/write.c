/* write.c - the groups of the results file that this room knows: /typical_tasks, /queues, /users, /jobs, /series, /summary.
 *
 * Column by column: one buffer is filled from the records, handed over and reused, so that memory beyond the records is one column. What
 * a group holds is said by schema.c's tables. A group without rows is not made. */
#include "sim/base/mem.h"
#include "sim/metrics/internal.h"

#include <stddef.h>
#include <string.h>

#include "sim/base/banned.h"

#define ROW_NAME_BYTES 12 /* "4294967295" */

/* Puts integer x into element i of a buffer of the type. */
static void put_int(void *buf, enum gs_type type, size_t i, int64_t x)
{
    switch (type) {
    case GS_I64: ((int64_t *)buf)[i] = x; break;
    case GS_U64: ((uint64_t *)buf)[i] = (uint64_t)x; break;
    case GS_U32: ((uint32_t *)buf)[i] = (uint32_t)x; break;
    case GS_I32: ((int32_t *)buf)[i] = (int32_t)x; break;
    case GS_U16: ((uint16_t *)buf)[i] = (uint16_t)x; break;
    case GS_U8: ((uint8_t *)buf)[i] = (uint8_t)x; break;
    case GS_F64:
    case GS_STR: gs_panic(__FILE__, __LINE__, "verify", "an integer column");
    }
}

/* Fills buf; texts holds the row numbers that stand for missing names. */
static void fill(const struct gs_metrics *m, const struct gs_getter *g, size_t nrows, void *buf,
                 char **texts)
{
    if (g->f) {
        for (size_t i = 0; i < nrows; i++)
            ((double *)buf)[i] = g->f(m, (uint32_t)i, g->arg);
    } else if (g->i) {
        for (size_t i = 0; i < nrows; i++)
            put_int(buf, g->col.type, i, g->i(m, (uint32_t)i, g->arg));
    } else {
        const char **s = buf;
        for (size_t i = 0; i < nrows; i++) {
            s[i] = g->s(m, (uint32_t)i, g->arg);
            if (s[i])
                continue;
            if (!*texts)
                *texts = gs_zalloc(nrows, ROW_NAME_BYTES);
            gs_verify(gs_fmt(*texts + i * ROW_NAME_BYTES, ROW_NAME_BYTES, "%zu", i));
            s[i] = *texts + i * ROW_NAME_BYTES;
        }
    }
}

enum gs_rc gs_write_getters(const struct gs_metrics *m, struct gs_h5 *f, const char *group,
                            const struct gs_getter *g, size_t ngetters, size_t nrows,
                            struct gs_err *err)
{
    if (nrows == 0)
        return GS_OK;
    enum gs_rc rc = GS_OK;
    void *buf =
        gs_zalloc(nrows, sizeof(int64_t) > sizeof(char *) ? sizeof(int64_t) : sizeof(char *));
    for (size_t c = 0; c < ngetters && rc == GS_OK; c++) {
        char *texts = NULL;
        fill(m, &g[c], nrows, buf, &texts);
        rc = gs_h5_column(f, group, &g[c].col, buf, nrows, err);
        gs_free(texts);
    }
    gs_free(buf);
    return rc;
}

/* ---- series ---- */

/* clang-format off */
static const struct sample_column {
    struct gs_column col;
    size_t at; /* offset in struct gs_sample */
} sample_columns[] = {
#define S(name, what) {{#name, GS_F64, "1", what, "time: point", NULL}, offsetof(struct gs_sample, name)}
    S(gpus_total, "GPUs that are up"),
    S(gpus_allocated, "GPUs held, shares weighted"),
    S(jobs_running, "jobs that run"),
    S(jobs_pending, "jobs that wait"),
    S(gpus_pending, "GPUs that waiting jobs ask for"),
    S(fragmentation, "expected fragment as a share of all GPUs"),
    S(stranded_gpus, "idle GPUs that no pending or typical task could use"),
    S(largest_gang, "most whole GPUs that one gang could get now"),
    S(nodes_up, "nodes that are up"),
#undef S
    {{"power_w", GS_F64, "W", "power of nodes and GPUs by the power model", "time: point", NULL},
     offsetof(struct gs_sample, power_w)},
    {{"cost_per_h", GS_F64, "USD", "price of an hour of all nodes that are there", "time: point", NULL},
     offsetof(struct gs_sample, cost_per_h)},
};
/* clang-format on */
#define BILL_COLUMNS 2 /* the last ones: only where there is a bill */
static const struct gs_column time_column = {
    "time_s", GS_F64, "s", "time since the start of the run", NULL, NULL};

static enum gs_rc write_times(const struct gs_metrics *m, struct gs_h5 *f, const char *group,
                              double *buf, struct gs_err *err)
{
    for (size_t i = 0; i < m->samples.n; i++)
        buf[i] = gs_seconds(m->samples.v[i].time_ns);
    return gs_h5_column(f, group, &time_column, buf, m->samples.n, err);
}

static enum gs_rc write_cluster_series(const struct gs_metrics *m, struct gs_h5 *f, double *buf,
                                       struct gs_err *err)
{
    static const char group[] = "/series/cluster";
    enum gs_rc rc = write_times(m, f, group, buf, err);
    const size_t n =
        sizeof sample_columns / sizeof sample_columns[0] - (m->bill ? 0 : BILL_COLUMNS);
    for (size_t c = 0; c < n && rc == GS_OK; c++) {
        for (size_t i = 0; i < m->samples.n; i++)
            memcpy(&buf[i], (const char *)&m->samples.v[i] + sample_columns[c].at, sizeof buf[i]);
        rc = gs_h5_column(f, group, &sample_columns[c].col, buf, m->samples.n, err);
    }
    return rc;
}

/* A queue's name as one link name: '/' and a leading '.' are percent-encoded. */
static void queue_group(struct gs_buf *path, const char *name)
{
    gs_buf_clear(path);
    gs_buf_str(path, "/series/queues/");
    for (const char *p = name; *p; p++) {
        if (*p == '/' || *p == '%' || (*p == '.' && p == name))
            gs_buf_fmt(path, "%%%02X", (unsigned)(unsigned char)*p);
        else
            gs_buf_add(path, p, 1);
    }
}

static enum gs_rc write_queue_series(const struct gs_metrics *m, struct gs_h5 *f, double *buf,
                                     struct gs_err *err)
{
    static const struct gs_column cols[] = {
        {"allocated", GS_F64, "1", "GPUs held by the queue and its subtree", "time: point", NULL},
        {"pending", GS_F64, "1", "GPUs that its waiting jobs ask for", "time: point", NULL},
    };
    const size_t nq = m->cfg.w->queues.n;
    struct gs_buf path = {0};
    enum gs_rc rc = GS_OK;
    for (size_t q = 0; q < nq && rc == GS_OK; q++) {
        queue_group(&path, gs_intern_str(m->cfg.w->str, m->cfg.w->queues.v[q].name));
        rc = write_times(m, f, gs_buf_cstr(&path), buf, err);
        for (size_t c = 0; c < 2 && rc == GS_OK; c++) {
            for (size_t i = 0; i < m->samples.n; i++)
                buf[i] = (double)m->queue_samples.v[(2 * i + c) * nq + q] / 1000;
            rc = gs_h5_column(f, gs_buf_cstr(&path), &cols[c], buf, m->samples.n, err);
        }
    }
    gs_buf_free(&path);
    return rc;
}

static enum gs_rc write_series(const struct gs_metrics *m, struct gs_h5 *f, struct gs_err *err)
{
    if (m->samples.n == 0)
        return GS_OK;
    double *buf = GS_NEW_N(double, m->samples.n);
    enum gs_rc rc = write_cluster_series(m, f, buf, err);
    if (rc == GS_OK)
        rc = write_queue_series(m, f, buf, err);
    gs_free(buf);
    return rc;
}

/* ---- summary ---- */

static const char *const direction_flags[] = {"lower_is_better", "higher_is_better", "neutral",
                                              NULL};
static const char *const few_flags[] = {"no", "yes", NULL};

enum gs_rc gs_summary_write(struct gs_h5 *f, const struct gs_value_row *rows, size_t n,
                            struct gs_err *err)
{
    static const struct gs_column cols[] = {
        {"name", GS_STR, "1", "metric, with its selector", NULL, NULL},
        {"value", GS_F64, "1", "value in the row's units; NaN = no samples", NULL, NULL},
        {"units", GS_STR, "1", "units of the value", NULL, NULL},
        {"direction", GS_U8, "1", "which way is better", NULL, direction_flags},
        {"samples", GS_U64, "1", "samples that the value is made of", NULL, NULL},
        {"censored", GS_U64, "1", "samples that are only known to be larger", NULL, NULL},
        {"ci_low", GS_F64, "1",
         "lower end of the 95 % interval of the mean over replications, NaN = none", NULL, NULL},
        {"ci_high", GS_F64, "1", "upper end of the confidence interval, NaN = none", NULL, NULL},
        {"bound", GS_F64, "1", "lower bound of a censored value, else the value", NULL, NULL},
        {"few", GS_U8, "1", "a quantile with fewer than 10 samples beyond it", NULL, few_flags},
        {"pooled", GS_F64, "1",
         "a quantile over the samples of all replications together, NaN = none", NULL, NULL},
    };
    size_t nt = 0;
    const struct gs_metric *table = gs_metric_table(&nt);
    void *buf = gs_zalloc(n, 16);
    enum gs_rc rc = GS_OK;
    for (size_t c = 0; c < sizeof cols / sizeof cols[0] && rc == GS_OK; c++) {
        for (size_t i = 0; i < n; i++) {
            const struct gs_value_row *r = &rows[i];
            const size_t at = gs_metric_find(r->name, strcspn(r->name, "{"));
            gs_require(at < nt);
            switch (c) {
            case 0: ((const char **)buf)[i] = r->name; break;
            case 1: ((double *)buf)[i] = r->value; break;
            case 2: ((const char **)buf)[i] = table[at].units; break;
            case 3: ((uint8_t *)buf)[i] = (uint8_t)table[at].direction; break;
            case 4: ((uint64_t *)buf)[i] = r->samples; break;
            case 5: ((uint64_t *)buf)[i] = r->censored; break;
            case 6: ((double *)buf)[i] = r->ci_low; break;
            case 7: ((double *)buf)[i] = r->ci_high; break;
            case 8: ((double *)buf)[i] = r->bound; break;
            case 9: ((uint8_t *)buf)[i] = (uint8_t)(r->few != 0); break;
            default: ((double *)buf)[i] = r->pooled; break;
            }
        }
        rc = gs_h5_column(f, "/summary", &cols[c], buf, n, err);
    }
    gs_free(buf);
    return rc;
}

static enum gs_rc write_summary(struct gs_metrics *m, struct gs_h5 *f, struct gs_err *err)
{
    size_t n = 0;
    (void)gs_metric_table(&n);
    struct gs_value_row *rows = GS_NEW_N(struct gs_value_row, n);
    n = gs_metric_eval_all(m, rows, n);
    const enum gs_rc rc = gs_summary_write(f, rows, n, err);
    gs_free(rows);
    return rc;
}

enum gs_rc gs_metrics_write_parts(struct gs_metrics *m, struct gs_h5 *f, uint32_t parts,
                                  const char *groups, struct gs_err *err)
{
    gs_require(m->end_ns >= 0);

    const struct part {
        uint32_t bit;
        const char *group;
        const struct gs_getter *(*schema)(size_t *n);
        size_t rows;
    } tables[] = {
        {GS_WRITE_TENANTS, "/queues", gs_schema_queues, m->cfg.w->queues.n},
        {GS_WRITE_TENANTS, "/users", gs_schema_users, m->cfg.w->users.n},
        {GS_WRITE_TENANTS, "/typical_tasks", gs_schema_typical,
         m->cfg.typical ? m->cfg.typical->n : 0},
        {GS_WRITE_JOBS, "/jobs", gs_schema_jobs, m->njobs},
    };
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0] && rc == GS_OK; i++) {
        size_t n = 0;
        const struct gs_getter *g = tables[i].schema(&n);
        if (parts & tables[i].bit)
            rc = gs_write_getters(m, f, tables[i].group, g, n, tables[i].rows, err);
    }
    if (rc == GS_OK && m->bill && (parts & GS_WRITE_JOBS)) {
        size_t n = 0;
        const struct gs_getter *g = gs_schema_bill(&n);
        rc = gs_write_getters(m, f, "/jobs", g, n, m->njobs, err);
    }
    if (rc == GS_OK && m->bill && (parts & GS_WRITE_TENANTS))
        rc = gs_bill_write(m->bill, f, err);
    if (rc == GS_OK && (parts & GS_WRITE_SERIES))
        rc = write_series(m, f, err);
    if (rc == GS_OK && (parts & GS_WRITE_SUMMARY))
        rc = write_summary(m, f, err);
    if (rc == GS_OK && (parts & GS_WRITE_SUMMARY_BY))
        rc = gs_summary_by_write(m, f, groups, err);
    return rc;
}

enum gs_rc gs_metrics_write(struct gs_metrics *m, struct gs_h5 *f, const char *groups,
                            struct gs_err *err)
{
    return gs_metrics_write_parts(m, f, UINT32_MAX, groups, err);
}

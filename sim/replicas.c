/* replicas.c - intervals, pooled quantiles and /replications; and whether replications can differ at all. */
#include "sim/replicas.h"

#include "sim/base/fmath.h"
#include "sim/base/units.h"

#include <math.h>
#include <string.h>

static const struct gs_report *replica(const struct gs_replicas *p, int64_t k)
{
    return k ? &p->others[k - 1] : p->first;
}

void gs_replicas_interval(const struct gs_replicas *p, uint32_t i, struct gs_value_row *row)
{
    struct gs_sum sum = {0}, sq = {0};
    const int64_t n = p->n;
    for (int64_t k = 0; k < n; k++)
        gs_sum_add(&sum, replica(p, k)->value[i]);
    const double mean = gs_sum_get(&sum) / (double)n;
    for (int64_t k = 0; k < n; k++) {
        const double d = replica(p, k)->value[i] - mean;
        gs_sum_add(&sq, d * d);
    }
    const double half =
        gs_t_inv(0.975, (uint32_t)(n - 1)) * sqrt(gs_sum_get(&sq) / (double)(n - 1) / (double)n);
    row->ci_low = mean - half;
    row->ci_high = mean + half;
}

static enum gs_rc write_table(const struct gs_replicas *p, struct gs_run *r, struct gs_err *err)
{
    const size_t n = (size_t)p->n;
    size_t nm = 0;
    const struct gs_metric *table = gs_metric_table(&nm);
    double *v = GS_NEW_N(double, n);
    uint64_t *u = GS_NEW_N(uint64_t, n);
    const struct gs_column head[] = {
        {"index", GS_U64, "1", "number of the replication", NULL, NULL},
        {"seed", GS_U64, "1", "seed it ran with", NULL, NULL},
        {"digest", GS_U64, "1", "digest of its events and decisions", NULL, NULL}};
    enum gs_rc rc = GS_OK;
    for (int c = 0; c < 3 && !rc; c++) {
        for (size_t k = 0; k < n; k++) {
            const struct gs_report *q = replica(p, (int64_t)k);
            u[k] = c == 0 ? k : c == 1 ? q->seed : q->digest;
        }
        rc = gs_h5_column(r->out, "replications", &head[c], u, n, err);
    }
    for (uint32_t i = 0; i < p->first->nvalues && i < nm && !rc; i++) {
        struct gs_column col = {table[i].name,       GS_F64, table[i].units,
                                table[i].definition, NULL,   NULL};
        for (size_t k = 0; k < n; k++)
            v[k] = replica(p, (int64_t)k)->value[i];
        rc = gs_h5_column(r->out, "replications", &col, v, n, err);
    }
    gs_free(v);
    gs_free(u);
    return rc;
}

struct group_rows {
    size_t n;
    uint64_t *index;
    const char **text[3]; /* by, group, name */
    double *value;
};

/* One packed row; returns what follows it. */
static const char *unpack(const char *at, uint64_t index, struct group_rows *out)
{
    for (int k = 0; k < 3; k++) {
        if (out->index)
            out->text[k][out->n] = at;
        at += strlen(at) + 1;
    }
    if (out->index) {
        memcpy(&out->value[out->n], at, sizeof *out->value);
        out->index[out->n] = index;
    }
    out->n++;
    return at + sizeof *out->value;
}

static void unpack_all(const struct gs_replicas *p, struct group_rows *out)
{
    out->n = 0;
    for (int64_t k = 0; k < p->n; k++) {
        const struct gs_buf *b = &p->pool[k].groups;
        for (const char *at = b->s; b->n && at < b->s + b->n;)
            at = unpack(at, (uint64_t)k, out);
    }
}

/* /replications_by: the figures of /summary_by of each replication, one row each. */
static enum gs_rc write_groups(const struct gs_replicas *p, struct gs_run *r, struct gs_err *err)
{
    static const struct gs_column cols[] = {
        {"index", GS_U64, "1", "number of the replication", NULL, NULL},
        {"by", GS_STR, "1", "what the jobs are grouped by", NULL, NULL},
        {"group", GS_STR, "1", "the group", NULL, NULL},
        {"name", GS_STR, "1", "metric", NULL, NULL},
        {"value", GS_F64, "1", "value in the metric's units; NaN = no samples", NULL, NULL}};
    struct group_rows rows = {0};
    unpack_all(p, &rows); /* counts */
    if (!rows.n)
        return GS_OK;
    rows.index = GS_NEW_N(uint64_t, rows.n);
    rows.value = GS_NEW_N(double, rows.n);
    for (int k = 0; k < 3; k++)
        rows.text[k] = GS_NEW_N(const char *, rows.n);
    unpack_all(p, &rows);
    const void *data[] = {rows.index, rows.text[0], rows.text[1], rows.text[2], rows.value};
    enum gs_rc rc = GS_OK;
    for (size_t c = 0; c < sizeof cols / sizeof *cols && !rc; c++)
        rc = gs_h5_column(r->out, "replications_by", &cols[c], data[c], rows.n, err);
    gs_free(rows.index);
    gs_free(rows.value);
    for (int k = 0; k < 3; k++)
        gs_free(rows.text[k]);
    return rc;
}

enum gs_rc gs_replicas_write(const struct gs_replicas *p, struct gs_run *r, struct gs_err *err)
{
    static const uint32_t parts =
        GS_WRITE_TENANTS | GS_WRITE_JOBS | GS_WRITE_SERIES | GS_WRITE_SUMMARY_BY;
    struct gs_value_row row[GS_METRICS_MAX];
    const size_t n = gs_metric_eval_all(r->m, row, GS_METRICS_MAX);
    for (uint32_t i = 0; i < n; i++) {
        gs_replicas_interval(p, i, &row[i]);
        row[i].pooled = p->first->pooled[i];
    }
    enum gs_rc rc = gs_metrics_write_parts(r->m, r->out, parts, p->group, err);
    if (!rc)
        rc = gs_summary_write(r->out, row, n, err);
    if (!rc)
        rc = write_table(p, r, err);
    if (!rc)
        rc = write_groups(p, r, err);
    return rc;
}

void gs_replicas_conclude(const struct gs_replicas *p, struct gs_report *rep)
{
    for (uint32_t i = 0; i < rep->nvalues + rep->nasked; i++) {
        struct gs_value_row row = {0};
        gs_replicas_interval(p, i, &row);
        rep->ci_low[i] = row.ci_low;
        rep->ci_high[i] = row.ci_high;
        for (int64_t k = 1; k < p->n; k++) {
            rep->samples[i] += replica(p, k)->samples[i];
            rep->censored[i] += replica(p, k)->censored[i];
        }
    }
    for (uint32_t i = 0; i < rep->nvalues + rep->nasked; i++)
        rep->value[i] = (rep->ci_low[i] + rep->ci_high[i]) / 2;
}

/* Does an estimate of [trace] draw numbers? `exact`, `limit T`, `none` and a constant factor do not. */
static int estimate_draws(const char *spec)
{
    static const char *const steady[] = {"exact", "limit", "none"};
    double x = 0;
    for (size_t i = 0; i < sizeof steady / sizeof *steady; i++)
        if (strncmp(spec, steady[i], strlen(steady[i])) == 0)
            return 0;
    return strncmp(spec, "factor ", 7) != 0 || gs_parse_real(spec + 7, &x, NULL) != GS_OK;
}

int gs_replicas_vary(const struct gs_settings *s)
{
    int vary = s->workloads.n > 0;
    int64_t constant = 0;
    for (size_t i = 0; i < s->traces.n; i++) {
        const struct gs_set_trace *t = &s->traces.v[i];
        vary |= gs_shape_is_random(&t->shape) || (t->estimate && estimate_draws(t->estimate));
        vary |= t->duration && gs_parse_time(t->duration, &constant, NULL) != GS_OK;
    }
    return vary;
}

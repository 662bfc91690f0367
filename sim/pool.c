/* pool.c - quantiles over the samples of several runs. O(n log n) a family, one family in memory twice. */
#include "sim/pool.h"

#include "sim/base/mem.h"
#include "sim/base/sort.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

void gs_pool_read(struct gs_pool_run *p, struct gs_metrics *m)
{
    *p = (struct gs_pool_run){.known = 1};
    for (uint32_t f = 0; f < GS_SAMPLE_FAMILIES; f++) {
        const double *v = gs_metrics_sorted(m, f, &p->n[f]);
        p->v[f] = GS_NEW_N(double, p->n[f] + 1);
        if (p->n[f])
            memcpy(p->v[f], v, p->n[f] * sizeof *v);
    }
}

void gs_pool_release(struct gs_pool_run *p)
{
    for (int f = 0; f < GS_SAMPLE_FAMILIES; f++)
        gs_free(p->v[f]);
    gs_buf_free(&p->groups);
    *p = (struct gs_pool_run){0};
}

/* All runs' samples of one family, ascending; the caller frees it. */
static double *merged(const struct gs_pool_run *runs, size_t nruns, uint32_t family, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < nruns; i++)
        *n += runs[i].n[family];
    double *all = GS_NEW_N(double, *n + 1);
    size_t at = 0;
    for (size_t i = 0; i < nruns; i++) {
        if (runs[i].n[family])
            memcpy(all + at, runs[i].v[family], runs[i].n[family] * sizeof *all);
        at += runs[i].n[family];
    }
    gs_sort_doubles(all, *n);
    return all;
}

void gs_pool_quantiles(const struct gs_pool_run *runs, size_t nruns, double *out, size_t nout)
{
    int known = 1;
    for (size_t i = 0; i < nruns; i++)
        known &= runs[i].known;
    for (size_t i = 0; i < nout; i++)
        out[i] = (double)NAN;
    for (uint32_t f = 0; f < GS_SAMPLE_FAMILIES && known; f++) {
        size_t n = 0;
        double *all = merged(runs, nruns, f, &n);
        for (size_t i = 0; i < nout && n; i++) {
            uint32_t family = 0;
            double p = 0;
            if (gs_metric_quantile(i, &family, &p) && family == f)
                out[i] = gs_quantile(all, n, p / 100);
        }
        gs_free(all);
    }
}

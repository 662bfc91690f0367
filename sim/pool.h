/* pool.h - the samples of several runs of one scenario taken together: what a quantile is over all of them.
 *
 * An interval is over the runs' own quantiles; the pooled quantile stands beside it. Memory: 40 bytes a job and run, so only up to
 * GS_POOL_MOST jobs x runs. */
#ifndef GS_POOL_H
#define GS_POOL_H

#include "sim/metrics/metrics.h"

#include <stddef.h>
#include <stdint.h>

#define GS_POOL_MOST UINT64_C(5000000) /* jobs x runs; beyond it nothing is pooled */

/* One run's samples, each ascending; +inf = not known. */
struct gs_pool_run {
    int known; /* 0 = there were too many */
    size_t n[GS_SAMPLE_FAMILIES];
    double *v[GS_SAMPLE_FAMILIES];
    struct gs_buf groups; /* its figures by group, as gs_groups_pack leaves them */
};

void gs_pool_read(struct gs_pool_run *p, struct gs_metrics *m); /* after gs_metrics_end */
void gs_pool_release(struct gs_pool_run *p);
/* The pooled quantile of each row of the metric table; NaN where a row is none, or nothing is known. */
void gs_pool_quantiles(const struct gs_pool_run *runs, size_t nruns, double *out, size_t nout);

#endif

/* job_test.c - the share of losers over seeds, by Student's t on one number a seed (a run is a cluster of jobs that depend on each other). */
#include "analysis/job_test.h"

#include "sim/base/exact.h"
#include "sim/base/mem.h"

#include <math.h>

#include "sim/base/banned.h"

static double share_of(const struct gs_job_changes *j)
{
    const size_t moved = j->gained + j->lost;
    return moved ? (double)j->lost / (double)moved : 0.5;
}

/* The chance of such a share or a larger one, if jobs were as likely to lose as to gain. */
static double p_of(const struct gs_job_changes *j, size_t n, double level)
{
    double *half = GS_NEW_N(double, n), *share = GS_NEW_N(double, n);
    struct gs_difference d;
    for (size_t i = 0; i < n; i++) {
        half[i] = 0.5;
        share[i] = share_of(&j[i]);
    }
    gs_stats_paired(half, share, n, level, &d);
    gs_free(half);
    gs_free(share);
    return isnan(d.p) ? d.p : d.diff > 0 ? d.p / 2 : 1 - d.p / 2;
}

void gs_job_test(const struct gs_job_changes *j, size_t n, double room, double alpha,
                 struct gs_job_test *out)
{
    struct gs_sum shares = {0};
    double medians = 0; /* may be infinite: half of the jobs never start */
    size_t moved = 0;
    *out = (struct gs_job_test){.seeds = n};
    for (size_t i = 0; i < n; i++) {
        out->longer += j[i].lost;
        out->shorter += j[i].gained;
        gs_sum_add(&shares, share_of(&j[i]));
        if (!isnan(j[i].median)) {
            medians += j[i].median;
            moved++;
        }
    }
    out->share = n ? gs_sum_get(&shares) / (double)n : (double)NAN;
    out->median = moved ? medians / (double)moved : (double)NAN;
    out->p = p_of(j, n, 1 - alpha);
    out->worse = out->share > 0.5 && out->median > room && !(out->p > alpha);
}

/* job_test.h - do the jobs of one build wait longer than those of another? A paired test of the jobs, over all seeds.
 *
 * The jobs of a run queue behind each other, so that their waits are no independent samples: a run is one observation. Each seed gives the
 * share of losers among the jobs that moved (0.5 if none did) and the median change of those; shares are tested over the seeds (Student's t,
 * one-sided, against a half). Worse = the share is significantly above a half and the mean of the medians is above the tolerance.
 * With one seed there is nothing to test and nothing of chance: worse = more than a half and above the tolerance. */
#ifndef GS_ANALYSIS_JOB_TEST_H
#define GS_ANALYSIS_JOB_TEST_H

#include "analysis/compare.h"

struct gs_job_test {
    size_t seeds, longer, shorter; /* jobs over all seeds; those that did not move are in neither */
    double share;                  /* of losers among the moved, mean over seeds: 0..1 */
    double median; /* seconds, mean over the seeds in which a job moved; NaN = none moved */
    double p;      /* one-sided; NaN with one seed */
    int worse;
};

/* j[n]: the changes of each seed, all paired. room: seconds that a median may grow. O(n). */
void gs_job_test(const struct gs_job_changes *j, size_t n, double room, double alpha,
                 struct gs_job_test *out);

#endif

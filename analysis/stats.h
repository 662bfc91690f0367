/* stats.h - what two samples of a figure say about each other: difference, interval, p-value, effect size.
 *
 * Runs with the same seed share their random draws, so their figures are compared pair by pair; samples without a seed
 * in common are compared as independent ones. */
#ifndef GS_ANALYSIS_STATS_H
#define GS_ANALYSIS_STATS_H

#include <stddef.h>
#include <stdint.h>

/* b - a. Where n is too small for an interval, half and p are NaN; `equal` says that no pair differs (paired), or no value (Welch). */
struct gs_difference {
    size_t na, nb;         /* equal in a paired one */
    double mean_a, mean_b; /* NaN without values */
    double half_a, half_b; /* half widths of the intervals of the means, NaN where n < 2 */
    double diff, half;     /* mean_b - mean_a, and half the width of its interval */
    double p;              /* two-sided, that there is no difference; 1 where all are equal */
    double
        effect; /* Cohen's d: of the pairs' differences, or with the pooled deviation; NaN where there is no spread */
    uint32_t df;
    int equal;
};

/* n pairs; all finite. level: of the intervals, such as 0.95. O(n). */
void gs_stats_paired(const double *a, const double *b, size_t n, double level,
                     struct gs_difference *out);
/* Welch's test of two independent samples; degrees of freedom are rounded down, which errs on the wide side. */
void gs_stats_welch(const double *a, size_t na, const double *b, size_t nb, double level,
                    struct gs_difference *out);
/* The smallest true difference that a paired test at alpha (two-sided) of n pairs finds in four of five cases, where the pairs differ as
 * those of d do; NaN without an interval. level: that d was made with. */
double gs_stats_detectable(const struct gs_difference *d, double level, double alpha, size_t n);
/* The pairs that it takes to find a difference of this size; 0 = more than 1,000,000, or no interval to go by. */
size_t gs_stats_needed(const struct gs_difference *d, double level, double alpha, double size);
/* Holm's adjustment of n p-values in place: the chance of one false alarm among all of them stays below the level that a p is
 * compared with. NaN is left out and stays. O(n log n). */
void gs_stats_holm(double *p, size_t n);

#endif

/* sample.h - weighted samples as step functions: their distribution function, moments, quantiles, and the distance of two. */
#ifndef GS_TRACES_FIT_SAMPLE_H
#define GS_TRACES_FIT_SAMPLE_H

#include <stddef.h>

/* Distinct values in rising order, and the share of the weight at or below each; the last share is 1. n = 0: no sample. */
struct gs_sample {
    double *x, *upto;
    size_t n;
    double mean, cv; /* over the weights */
};

/* From n values and weights (NULL = 1 each); both are read only. */
struct gs_sample gs_sample_of(const double *x, const double *w, size_t n);
void gs_sample_free(struct gs_sample *s);
double gs_sample_at(const struct gs_sample *s, double x); /* share of the weight <= x */
double gs_sample_quantile(const struct gs_sample *s,
                          double q); /* the first value whose share reaches q */
/* Kolmogorov's distance: the largest difference of the two distribution functions. */
double gs_sample_distance(const struct gs_sample *a, const struct gs_sample *b);

#endif

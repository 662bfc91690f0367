/* process.h - an arrival process fitted to submit times: the burst process of synth/arrivals.c, its timer, its week. */
#ifndef GS_TRACES_FIT_PROCESS_H
#define GS_TRACES_FIT_PROCESS_H

#include "sim/base/buf.h"
#include "sim/base/log.h"
#include "traces/fit/sample.h"

#include <stdint.h>

/* Submit times of the part to be fitted, seconds since the first, rising; and the weight of each. */
struct gs_times {
    const double *t, *w;
    size_t n;
    int64_t clock_ns; /* local wall clock of t = 0, as gs_arrival_start takes it */
    double span_s, resolution_s;
    struct gs_log *log; /* for progress; NULL = silent */
};

struct gs_process {
    double rate; /* bursts a second, while none is under way */
    double single, size_median, size_sigma, size_most; /* single: share of bursts of one */
    double gap_median[2], gap_sigma[2],
        slow;                    /* quick and slow gaps of a burst; share of the slow */
    double timer;                /* seconds, 0 = none */
    double hour[24], weekday[7]; /* relative, mean 1 */
    double distance;             /* Kolmogorov's, of the gaps */
};

struct gs_process gs_process_fit(const struct gs_times *in);
/* As an arrival process: "bursts 4.1/h size=(...) gap=(...) timer=10m\n    daily=...\n    weekly=...". */
void gs_process_write(const struct gs_process *p, struct gs_buf *out);

/* Index of dispersion of counts: variance over mean of the arrivals a window of `window_s`, windows from the first time on. */
double gs_times_dispersion(const double *t, size_t n, double span_s, double window_s);

#endif

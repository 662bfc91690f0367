/* trace_plot.h - charts of a workload trace, from figures that the caller has: this room knows no traces. */
#ifndef GS_ANALYSIS_TRACE_PLOT_H
#define GS_ANALYSIS_TRACE_PLOT_H

#include "analysis/plot.h"

#include <stddef.h>
#include <stdint.h>

struct gs_trace_chart_size {
    const char *name; /* GPUs of a job, as text */
    double jobs, gpu_hours;
};

struct gs_trace_chart_curve {
    const char *what; /* "run time" */
    const double *at; /* percentiles 0 to 100 */
};

struct gs_trace_chart {
    const char *path, *about;                /* of the file; one line below the title */
    struct gs_trace_chart_curve times[2];    /* seconds */
    struct gs_trace_chart_curve lengths[2];  /* tokens */
    size_t ntimes, nlengths;                 /* 0 = no such chart */
    const struct gs_trace_chart_size *sizes; /* by size */
    size_t nsizes;                           /* 0 = no such chart */
    double jobs, gpu_hours;                  /* of all sizes, of which `sizes` may be a part */
    const uint64_t *by_hour,
        *by_weekday; /* arrivals, 24 and 7 (Monday first); NULL = no wall clock */
};

/* DIR/NAME.durations.FORMAT, .lengths., .sizes., .arrivals.: those that there are figures for; none is no fault. */
GS_NODISCARD enum gs_rc gs_trace_plot(const struct gs_trace_chart *c, const struct gs_plot_to *to,
                                      gs_path_vec *made, struct gs_err *err);

#endif

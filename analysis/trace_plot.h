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

struct gs_trace_chart {
    const char *path, *about; /* of the file; one line below the title */
    const double *duration_s,
        *gap_s; /* percentiles 0 to 100: of the run time (or latency-free tokens), between arrivals; NULL = none */
    const char *duration_what;               /* "run time", "output" */
    int duration_is_time;                    /* else tokens */
    const struct gs_trace_chart_size *sizes; /* by size */
    size_t nsizes;
    const uint64_t *by_hour,
        *by_weekday; /* arrivals, 24 and 7 (Monday first); NULL = no wall clock */
};

/* DIR/NAME.durations.FORMAT, NAME.sizes.FORMAT, NAME.arrivals.FORMAT: those that there are figures for. */
GS_NODISCARD enum gs_rc gs_trace_plot(const struct gs_trace_chart *c, const struct gs_plot_to *to,
                                      gs_path_vec *made, struct gs_err *err);

#endif

/* plotdata.h - a results file reduced to what its charts show. Private to the charts.
 *
 * Every array may be absent (n = 0): files of older schemas lack columns, runs without jobs lack rows. Numbers are those of the file;
 * nothing here decides anything. */
#ifndef GS_ANALYSIS_PLOTDATA_H
#define GS_ANALYSIS_PLOTDATA_H

#include "sim/base/err.h"
#include "sim/metrics/results.h"

#include <stddef.h>

#define GS_PLOT_CAUSES 9

struct gs_plot_series { /* /series/cluster: n samples; thinned to means */
    size_t n;
    double *time_s, *total, *allocated, *jobs_pending, *gpus_pending, *fragmentation, *stranded;
};

struct gs_plot_group { /* a queue, or all jobs */
    char *name;
    double *wait_s; /* [n] ascending; +inf: never started */
    size_t n, never;
    double cause_s[GS_PLOT_CAUSES]; /* summed over its n jobs */
};

struct gs_plot_map { /* GPUs held, rows of nodes by columns of time */
    size_t rows, cols, nodes, nodes_per_row;
    double *percent; /* [rows * cols], NaN: no GPU was up */
    double gpus, held_share;
};

struct gs_plot_run {
    char *title, *policy, *digest, *verdict;
    char *label; /* of the point of a sweep; "" if there is none */
    int complete;
    int replicated; /* what is drawn is replication 0 of several */
    double end_s;
    double from_s, to_s;              /* the measured window, inside 0 .. end_s */
    double allocation, fragmentation; /* the summary's shares over the window; NaN if unknown */
    struct gs_plot_series series;
    struct gs_plot_group *groups; /* [0] is all jobs, then the queues with jobs in order of id */
    size_t ngroups;
    struct gs_plot_map map;
};

extern const char
    *const gs_plot_causes[GS_PLOT_CAUSES]; /* "startup" .. "topology": order of the columns */

/* GS_PLOT_MAP also reads /allocations, the one large table; points: about how many samples to thin the series to. */
enum gs_plot_parts {
    GS_PLOT_LINES = 0,
    GS_PLOT_MAP = 1
};
GS_NODISCARD enum gs_rc gs_plot_load(struct gs_plot_run *r, const char *h5,
                                     enum gs_plot_parts parts, size_t points, struct gs_err *err);
void gs_plot_release(struct gs_plot_run *r);

#endif

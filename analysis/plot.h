/* plot.h - charts of a results file, drawn by gnuplot from one self-contained script.
 *
 * Reads results files only. The five charts of a run are utilisation and queue over time, the distribution of waits, waits by cause,
 * fragmentation over time, and GPUs held by node over time; of several runs, waits and utilisation with a line a run. A chart is written
 * beside its place and renamed when whole. */
#ifndef GS_ANALYSIS_PLOT_H
#define GS_ANALYSIS_PLOT_H

#include "sim/base/buf.h"
#include "sim/base/err.h"
#include "sim/base/vec.h"

typedef GS_VEC(char *) gs_path_vec; /* each from gs_alloc */
void gs_path_vec_free(gs_path_vec *v);

struct gs_plot_to {
    const char
        *dir; /* where charts go; NULL: beside the (first) results file; made if it is missing */
    const char *format; /* "svg", "png" or "pdf"; NULL: svg */
    const char *
        script; /* NULL: draw. Else: write the gnuplot script to this file and draw nothing (no gnuplot needed) */
};

/* Draws DIR/NAME.CHART.FORMAT for x/NAME.h5. made receives the paths written (charts, or the script). GS_E_INPUT: not a results file, or
 * an unknown format; GS_E_IO: gnuplot is missing or failed, or a file cannot be written. */
GS_NODISCARD enum gs_rc gs_plot(const char *h5, const struct gs_plot_to *to, gs_path_vec *made,
                                struct gs_err *err);

/* The points of a sweep, n >= 1 files with a label each, in one pair of charts: DIR/NAME.sweep-CHART.FORMAT, where NAME is what the
 * file names have in common, or else "a-vs-b". A label may be the path itself: then its line is named after the point. */
GS_NODISCARD enum gs_rc gs_plot_sweep(const char *const *h5, const char *const *labels, size_t n,
                                      const struct gs_plot_to *to, gs_path_vec *made,
                                      struct gs_err *err);

/* A chart whose gnuplot text is ready (data blocks and commands; see plotchart.h): DIR/NAME.CHART.FORMAT for x/NAME.h5. */
GS_NODISCARD enum gs_rc gs_plot_text(const char *h5, const char *chart, const struct gs_buf *text,
                                     const struct gs_plot_to *to, gs_path_vec *made,
                                     struct gs_err *err);

#endif

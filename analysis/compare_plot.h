/* compare_plot.h - a comparison drawn: differences with their intervals, and the sides' waits and utilisation. */
#ifndef GS_ANALYSIS_COMPARE_PLOT_H
#define GS_ANALYSIS_COMPARE_PLOT_H

#include "analysis/compare.h"
#include "analysis/plot.h"

/* DIR/BASE-vs-SIDE.compare-differences.FORMAT of each side against the base, then the charts of gs_plot_sweep over the sides' first files. */
GS_NODISCARD enum gs_rc gs_compare_plot(const struct gs_compare *c, size_t n,
                                        const struct gs_plot_to *to, gs_path_vec *made,
                                        struct gs_err *err);

#endif

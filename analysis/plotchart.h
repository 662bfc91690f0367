/* plotchart.h - the gnuplot text of each chart, and the pieces that they share. Private to the charts.
 *
 * A chart appends its data blocks and its commands; terminal, style and output are set around it (plot.c). */
#ifndef GS_ANALYSIS_PLOTCHART_H
#define GS_ANALYSIS_PLOTCHART_H

#include "analysis/plotdata.h"
#include "sim/base/buf.h"

/* runs: n of them, with their labels; the charts of one run take n = 1 and look at no label. */
typedef void gs_chart(struct gs_buf *out, const struct gs_plot_run *runs, const char *const *labels,
                      size_t n);

/* Over time (plottime.c). */
gs_chart gs_draw_usage, gs_draw_fragments, gs_draw_map, gs_draw_sweep_usage;
/* Waiting (plotwait.c). */
gs_chart gs_draw_waits, gs_draw_causes, gs_draw_sweep_waits;

/* ---- pieces (plotpart.c) ---- */

#define GS_CHART_LINES 7u /* lines that can be told apart in one chart */
extern const char *const gs_chart_lines[GS_CHART_LINES];

struct gs_chart_unit {
    double s;
    const char *name;
};

struct gs_chart_unit gs_chart_unit(double span_s); /* days, hours, minutes or seconds */
/* Label `number` at `where` (gnuplot's words). 1 and 2 are the title's. */
void gs_chart_label(struct gs_buf *out, int number, const char *text, const char *where);
/* At most `most_bytes` of text up to the end of its line, not cut inside a character; "…" marks a cut. */
void gs_chart_some(struct gs_buf *out, const char *text, size_t most_bytes);
void gs_chart_head(struct gs_buf *out, const struct gs_plot_run *r, const char *finding);
void gs_chart_sweep_head(struct gs_buf *out, const struct gs_plot_run *runs, size_t n, size_t shown,
                         const char *finding);
void gs_chart_nothing(struct gs_buf *out, const struct gs_plot_run *r, const char *title,
                      const char *why); /* an empty chart that says why */
void gs_chart_time_axis(struct gs_buf *out, double end_s, struct gs_chart_unit u);
/* Named lines where the measured window begins and ends inside the run. */
void gs_chart_window(struct gs_buf *out, const struct gs_plot_run *r, double axis_end_s,
                     struct gs_chart_unit u);
/* " while measured" where the window is not the whole run, else "". */
const char *gs_chart_while(const struct gs_plot_run *r);
/* A run's name in the key of several: at most `most_bytes` of the label, and what is wrong with the run. */
void gs_chart_run_name(struct gs_buf *out, const struct gs_plot_run *r, const char *label,
                       size_t most_bytes);
/* A key below the chart for n lines: two columns where the longest name (in characters) lets them fit, else one. title may be "". */
void gs_chart_key_below(struct gs_buf *out, size_t n, size_t longest, const char *title);
size_t gs_chart_letters(const char *text); /* characters, not bytes */
void gs_chart_row(struct gs_buf *out, const double *v, size_t n);

#endif

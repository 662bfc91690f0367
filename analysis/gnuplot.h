/* gnuplot.h - text for gnuplot, and gnuplot run on a script. */
#ifndef GS_ANALYSIS_GNUPLOT_H
#define GS_ANALYSIS_GNUPLOT_H

#include "sim/base/buf.h"
#include "sim/base/err.h"

/* 'text' as gnuplot reads it literally: quotes doubled, control characters made blanks, what is not UTF-8 made '?'. */
void gs_gnuplot_quote(struct gs_buf *out, const char *text);
/* A number as gnuplot reads it; NaN where it is not finite. */
void gs_gnuplot_number(struct gs_buf *out, double x);

/* Runs gnuplot (found on $PATH, without a shell) on the script. GS_E_IO with what it said, or how to get it. */
GS_NODISCARD enum gs_rc gs_gnuplot_run(const struct gs_buf *script, struct gs_err *err);

#endif

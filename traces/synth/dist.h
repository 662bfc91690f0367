/* dist.h - a parsed distribution, as dist_parse.c builds it and dist.c draws from it. Nobody else looks inside. */
#ifndef GS_TRACES_SYNTH_DIST_H
#define GS_TRACES_SYNTH_DIST_H

#include "traces/synth/gamma.h"
#include "traces/synth/synth.h"

enum gs_dist_kind {
    GS_DIST_CONSTANT,
    GS_DIST_EXPONENTIAL,
    GS_DIST_LOGNORMAL,
    GS_DIST_WEIBULL,
    GS_DIST_GAMMA,
    GS_DIST_PARETO,
    GS_DIST_UNIFORM,
    GS_DIST_TABLE,
    GS_DIST_SAMPLE,
    GS_DIST_MIXTURE
};

struct gs_dist {
    enum gs_dist_kind kind;
    double a, b;   /* the two parameters: see quantile_of */
    double lo, hi; /* clip; -inf, inf without */
    struct gs_gamma gamma;
    size_t n;             /* TABLE, SAMPLE, MIXTURE */
    double *value;        /* TABLE: values; SAMPLE: sorted values */
    double *upto;         /* TABLE, MIXTURE: cumulated weights, the last is 1 */
    struct gs_dist *part; /* MIXTURE */
};

#endif

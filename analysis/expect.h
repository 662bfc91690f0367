/* expect.h - one line of [expect]: "jobs.wait.p95{queue=prod} <= 30m", "digest = 0x1f", "verdict = stable", "allow = saturated". */
#ifndef GS_ANALYSIS_EXPECT_H
#define GS_ANALYSIS_EXPECT_H

#include "sim/base/err.h"
#include "sim/metrics/metrics.h"

enum gs_expect_kind {
    GS_EXPECT_METRIC,
    GS_EXPECT_DIGEST,
    GS_EXPECT_ALLOW /* no expectation: a saturated run does not fail the others */
};

enum gs_relation {
    GS_REL_LE,
    GS_REL_GE,
    GS_REL_LT,
    GS_REL_GT,
    GS_REL_EQ,
    GS_REL_NE
};

struct gs_expect {
    const char *line; /* as given; the caller's */
    enum gs_expect_kind kind;
    char expr[256];            /* metric with its selector */
    const struct gs_metric *m; /* NULL unless a metric */
    enum gs_relation rel;
    double limit; /* in the metric's units */
    uint64_t digest;
};

/* GS_E_INPUT: not an expression, an unknown metric (with the nearest), or a limit that is not of the metric's unit (a time needs one). */
GS_NODISCARD enum gs_rc gs_expect_parse(const char *line, struct gs_expect *out,
                                        struct gs_err *err);

/* The table's row of "name" or "name{selector}", NULL with an error that names the nearest one. */
const struct gs_metric *gs_metric_named(const char *expr, struct gs_err *err);

struct gs_expect_fact { /* what the run showed */
    double value, bound;
    uint64_t samples, censored;
    uint64_t digest;
    enum gs_verdict verdict;
    int allow_saturated;
};

/* Did it hold? why: one line in any case ("16.2 min", "no samples", "the run is saturated (...)"). */
int gs_expect_holds(const struct gs_expect *e, const struct gs_expect_fact *f, char *why,
                    size_t cap);

#endif

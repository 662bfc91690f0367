/* baseline.h - what a scenario showed when it was last blessed: a small text file that people review.
 *
 *     # comments and empty lines are kept by --bless
 *     gsim 0.1.0
 *     scenario 0f3c...                 digest of the settings in effect
 *     section 1f0c9a2b [nodes h100]    digest of the settings of a section: says where a stale one differs
 *     input data/jobs.csv 77ab...      one line a file that was read
 *     digest 0x1234...                 of events and decisions: equal = nothing changed at all
 *     jobs.wait.mean  123.4 s  ±1%  lower
 *     verdict         stable
 *
 * A figure's line: metric (with its selector), value in the metric's unit, tolerance (of the value, or absolute without '%'; none = 0; "+-1%" will
 * do), and which way is good: lower, higher, or fixed = no move is. Without the word it is the metric table's. Invariant: reading
 * what was written gives the same lines; values have nine digits. */
#ifndef GS_ANALYSIS_BASELINE_H
#define GS_ANALYSIS_BASELINE_H

#include "sim/base/buf.h"
#include "sim/base/err.h"
#include "sim/base/vec.h"
#include "sim/metrics/metrics.h"

enum gs_good {
    GS_GOOD_LOWER,
    GS_GOOD_HIGHER,
    GS_GOOD_FIXED
};

struct gs_baseline_figure {
    char *expr;
    const struct gs_metric *m;
    double value, tolerance;
    int relative; /* tolerance is a share of the value */
    enum gs_good good;
    uint32_t line;
};

struct gs_baseline_input {
    char *path, *digest;
};

/* Also what a run is held against: its own version, digests and inputs. */
struct gs_baseline {
    char *version, *scenario, *digest; /* NULL = not said */
    GS_VEC(struct gs_baseline_input) inputs;
    GS_VEC(struct gs_baseline_input) sections; /* path: the name, "[nodes a]" */
    GS_VEC(struct gs_baseline_figure) figures;
    char *text; /* the file as it was read */
};

/* text: the file's; path: for messages. GS_E_INPUT names the first bad line: "x.baseline:7: ...". b is released in any case. */
GS_NODISCARD enum gs_rc gs_baseline_parse(struct gs_baseline *b, const char *path, const char *text,
                                          struct gs_err *err);
/* Reads the file; *found = 0 if there is none (then b is empty and it is no error). */
GS_NODISCARD enum gs_rc gs_baseline_read(struct gs_baseline *b, const char *path, int *found,
                                         struct gs_err *err);
void gs_baseline_release(struct gs_baseline *b);
void gs_baseline_add_input(struct gs_baseline *b, const char *path, const char *digest);
void gs_baseline_add_section(struct gs_baseline *b, const char *name, const char *digest);

/* Why the baseline says nothing about a run with these facts: another scenario, other input files. 1 and a line in why, or 0. */
int gs_baseline_stale(const struct gs_baseline *b, const struct gs_baseline *now, char *why,
                      size_t cap);

enum gs_move {
    GS_MOVE_NONE,
    GS_MOVE_BETTER,
    GS_MOVE_WORSE
};

/* How the value moved: beyond the tolerance, for better or for worse. */
enum gs_move gs_baseline_judge(const struct gs_baseline_figure *f, double value);

/* The text of the file with these values, in the order of old's figures: its comments, blank lines, tolerances and words are kept. old empty: the
 * figures of a first baseline, with 1 %. values: one a figure of old, or of gs_baseline_first. */
void gs_baseline_write(const struct gs_baseline *old, const struct gs_baseline *now,
                       const double *values, const char *scenario_name, struct gs_buf *out);
/* The figures that a first baseline holds, from a run's table of values: those that have samples. */
void gs_baseline_first(struct gs_baseline *b, const double *table_values);

#endif

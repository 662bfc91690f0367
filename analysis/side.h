/* side.h - one side of a comparison: the runs of one or more results files, and the figures of each.
 *
 * A side is what is held against another: a replicated file brings all its replications, several files (joined by commas on the
 * command line) bring theirs. A run is known by its seed and its tie seed; runs that share a seed and differ in the tie seed
 * are one sample, whose spread says how much hangs on the order of events that share an instant. */
#ifndef GS_ANALYSIS_SIDE_H
#define GS_ANALYSIS_SIDE_H

#include "sim/base/err.h"
#include "sim/base/vec.h"
#include "sim/metrics/metrics.h"

struct gs_group_row { /* one row of /summary_by or /replications_by */
    size_t run;       /* number within its file */
    const char *by, *group, *name;
    double value;
};

struct gs_side_run {
    double seed; /* as a double: seeds above 2^53 lose low bits, too few to be mixed up */
    uint64_t tie_seed;
    double digest;
    size_t file, number; /* which file, and which of its runs */
};

struct gs_side_file {
    char *path, *scenario; /* created_from */
    char *digest, *verdict, *policy, *modules, *title;
    int complete;
    GS_VEC(struct gs_group_row) groups;
    void *blocks[3]; /* text that groups points into */
};

struct gs_side {
    char *label; /* what it is called in tables */
    GS_VEC(struct gs_side_file) files;
    GS_VEC(struct gs_side_run) runs;
    size_t nmetrics;       /* of the metric table */
    GS_VEC(double) values; /* [run * nmetrics + metric], NaN = no samples or not in the file */
    GS_VEC(double) bounds; /* of the first run alone, [metric]: what a censored value is at least */
};

/* Reads the files of a list "a.h5,b.h5". GS_E_INPUT: one is no results file, or holds no summary; or two runs are the same one twice. */
GS_NODISCARD enum gs_rc gs_side_load(struct gs_side *s, const char *list, struct gs_err *err);
void gs_side_release(struct gs_side *s);

/* One figure of a side, a value a seed (ascending), tie seeds averaged. Free with gs_sample_release. */
struct gs_sample_of {
    size_t n, ties; /* seeds; the largest number of tie seeds that one of them has */
    double *seed, *value;
    double spread;  /* largest difference between tie seeds of one seed; 0 with one tie seed */
    size_t missing; /* runs whose value is not finite, or that do not hold it: left out */
};

/* metric: row of the metric table; by and group NULL, or a group, which a file holds where [output] group asks. */
void gs_side_sample(const struct gs_side *s, size_t metric, const char *by, const char *group,
                    struct gs_sample_of *out);
void gs_sample_release(struct gs_sample_of *s);

#endif

/* compare.h - two sides held against each other: every figure with its difference, and what became of each job.
 *
 * Pairs: runs with the same seed shared their random draws, so they are compared one by one; seeds that only one side has are left out and
 * counted. Without a common seed the samples are taken as independent (Welch). One run a side gives a difference that is exact for this
 * input, without interval or p. Of several figures, p is Holm's, within the figures of all
 * jobs and within those of each grouping: to ask for groups changes nothing about the whole. A difference that is not larger than what another order of
 * simultaneous events (tie seeds) makes is an artefact of that order, and is treated as no difference. */
#ifndef GS_ANALYSIS_COMPARE_H
#define GS_ANALYSIS_COMPARE_H

#include "analysis/side.h"
#include "analysis/stats.h"
#include "sim/base/buf.h"

enum gs_outcome_of {
    GS_CMP_EQUAL,   /* in every run */
    GS_CMP_UNCLEAR, /* `~`: not distinguishable, or within the spread over tie seeds */
    GS_CMP_BETTER,
    GS_CMP_WORSE,
    GS_CMP_DIFFERENT, /* and neither way is better */
    GS_CMP_UNKNOWN    /* a side has no value */
};

enum gs_pairing {
    GS_PAIR_SEEDS,
    GS_PAIR_NONE,  /* independent samples */
    GS_PAIR_SINGLE /* one value a side */
};

struct gs_compare_row {
    const struct gs_metric *metric;
    const char *by, *group; /* NULL = all jobs */
    struct gs_difference d; /* p is the raw one */
    double p_holm, tie_spread, bound_a,
        bound_b;         /* bounds: of a value that is censored (infinite) */
    double inf_a, inf_b; /* +inf where the only value is; else 0 */
    enum gs_pairing pairing;
    enum gs_outcome_of outcome;
    int artefact;             /* a difference that is within tie_spread */
    size_t missing, unpaired; /* runs left out: without a finite value; with a seed of their own */
};

struct gs_job_group {
    const char *by;
    char *name;
    size_t n, gained, lost;
    double wait, jct; /* median change, b - a, over jobs that have both */
};

struct gs_job_move {
    char *name, *queue;
    uint32_t row, gpus;
    double wait_a, wait_b; /* NaN = never started */
    double share;          /* of the sum of all changes, by size: 0..1 */
};

#define GS_MOVES 5

struct gs_job_changes {
    const char *why_not; /* NULL, or why jobs cannot be paired */
    size_t n, gained, lost;
    double median; /* change of wait, over the jobs that waited longer or shorter; NaN = none did */
    GS_VEC(struct gs_job_group) groups; /* by queue, kind, size, user */
    struct gs_job_move moves[GS_MOVES]; /* largest change of wait first */
    size_t nmoves;
};

struct gs_compare_ask {
    double alpha;              /* 0.05 */
    const char *const *metric; /* names or families ("jobs.wait"), "all"; none = the usual ones */
    size_t nmetric;
    const char *by; /* "queue,kind,size" or NULL */
    int jobs;       /* pair jobs, too */
};

struct
    gs_family { /* figures that share one adjustment of p: those of all jobs, or those of one grouping */
    const char *by; /* NULL = all jobs; else the caller's text, len letters of it */
    size_t len, n;  /* n: of them that have a p */
};

struct gs_compare {
    const struct gs_side *a, *b;
    GS_VEC(struct gs_compare_row) rows;
    struct gs_job_changes jobs;
    GS_VEC(struct gs_family) families;
    size_t seeds_shared, only_a, only_b;
    struct gs_buf notes; /* a line each: what a reader must know */
    int same_digests;
    int usual; /* no metric was named */
};

/* a and b must live as long as the result. GS_E_INPUT: an unknown metric or grouping. */
GS_NODISCARD enum gs_rc gs_compare(const struct gs_side *a, const struct gs_side *b,
                                   const struct gs_compare_ask *ask, struct gs_compare *out,
                                   struct gs_err *err);
void gs_compare_release(struct gs_compare *c);

/* compare_jobs.c: the jobs of the first run of each side, paired by row; why_not where the two did not get the same jobs. groups: the
 * groupings wanted, as gs_compare_ask.by; NULL: queue, kind, size. */
GS_NODISCARD enum gs_rc gs_compare_jobs(const char *h5_a, const char *h5_b, const char *groups,
                                        struct gs_job_changes *out, struct gs_err *err);
/* The jobs of one run that waited longest: moves with wait_b, and their share of all waiting. */
GS_NODISCARD enum gs_rc gs_longest_waits(const char *h5, struct gs_job_changes *out,
                                         struct gs_err *err);
void gs_job_changes_release(struct gs_job_changes *j);

/* compare_show.c: c[0..n): the base against each other side. */
void gs_compare_print(const struct gs_compare *c, size_t n, double alpha, int color);
void gs_compare_json(const struct gs_compare *c, size_t n, double alpha);
/* One figure as people read it, by its units: "2.5 h", "81.3 %", "12,345". */
void gs_show_figure(const struct gs_metric *m, double x, char *buf, size_t cap);
const char *gs_outcome_word(enum gs_outcome_of o);

#endif

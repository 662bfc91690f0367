/* internal.h - what the files of this room share and nobody else includes: the accumulators, the backlog, samples of jobs.
 *
 * One file, one question: metrics.c what happened, backlog.c and verdict.c whether it keeps up, fair.c who got what, sample.c what a
 * figure is computed from, select.c which jobs, metric.c which figures, schema.c what they are called in the file, write*.c how they get there. */
#ifndef GS_METRICS_INTERNAL_H
#define GS_METRICS_INTERNAL_H

#include "sim/base/sort.h"
#include "sim/metrics/bill.h"
#include "sim/metrics/metrics.h"

/* ---- backlog (backlog.c): work in the system over the time in which jobs arrive ---- */
#define GS_BACKLOG_FINE    1024 /* batches kept while running */
#define GS_BACKLOG_BATCHES 64   /* batches that are judged */

/* One kind of work (GPU time, or CPU time of jobs without GPUs). Levels are milli x ns. */
struct gs_backlog {
    int64_t lo, width; /* batch i is [lo + i width, lo + (i + 1) width) */
    int64_t now;
    gs_i128 waiting, running; /* work left of pending and of running jobs */
    int64_t rate;             /* milli that run: running falls by this a ns */
    double batch_all[GS_BACKLOG_FINE],
        batch_waiting[GS_BACKLOG_FINE]; /* integrals, milli x ns x s */
    int waited;                         /* some work has waited for longer than no time at all */
};

void gs_backlog_init(struct gs_backlog *b, int64_t lo_ns, int64_t hi_ns);
void gs_backlog_advance(struct gs_backlog *b, int64_t now_ns);
void gs_backlog_visit(struct gs_backlog *b, struct gs_visitor *v);

/* ---- verdict (verdict.c) ---- */
#define GS_ENDLESS_WAIT 0.05 /* of the run: a job without end that waits longer, does so for good */

/* What is judged: batch means of the backlog, in seconds that the whole cluster would need to clear it. */
struct gs_backlog_batches {
    double all[GS_BACKLOG_BATCHES], waiting[GS_BACKLOG_BATCHES];
    size_t n;
    double span_s; /* of all n batches */
};
enum gs_verdict gs_verdict_of(const struct gs_backlog_batches *b);
/* The batches of [lo, end) from the fine ones; capacity in milli. */
void gs_verdict_batches(const struct gs_backlog *b, int64_t end_ns, double capacity_milli,
                        struct gs_backlog_batches *out);
/* Is the slope of v[0..n) over its index positive beyond its interval, and the rise over all n at least that much? */
int gs_verdict_rises(const double *v, size_t n, double least);

/* ---- fairness (fair.c) ---- */
double gs_jain(const double *x,
               size_t n); /* (sum x)^2 / (n sum x^2); NaN without samples or all zero */
/* Weighted max-min share: fills out[i] <= demand[i], the sum is min(capacity, sum demand). */
void gs_max_min(const double *demand, const double *weight, size_t n, double capacity, double *out);

/* ---- the accumulators (metrics.c) ---- */
struct gs_queue_acc {
    int64_t held_milli, pending_milli;
    struct gs_integral held, wanted; /* wanted = held + pending */
};

enum gs_family {
    GS_FAM_WAIT,
    GS_FAM_QUEUED,
    GS_FAM_JCT,
    GS_FAM_SLOWDOWN,
    GS_FAM_BOUNDED,
    GS_FAM_COUNT
};

_Static_assert(GS_FAM_COUNT == GS_SAMPLE_FAMILIES, "metrics.h tells how many families there are");

/* A sorted sample of one family over one selection; kept because five figures are made of it. */
struct gs_figures {
    int valid;
    enum gs_family family;
    uint64_t key;      /* of the selection */
    double *v, *bound; /* ascending; bound = v with censored samples at their time so far */
    size_t n, cap, censored;
    double mean, mean_bound; /* of the finite ones; of bound */
};

/* What the counting rows need of a set of jobs, from one look at each. Counted = in the window and not a replica. */
struct gs_tally {
    int valid;
    uint64_t key;
    uint64_t submitted, completed, failed, killed, rejected, censored, preemptions, restarts,
        failures;                 /* of counted jobs */
    uint64_t open;                /* counted, neither rejected nor ended */
    gs_i128 wait[GS_WAIT_CAUSES]; /* ns; of those not rejected */
    gs_i128 held, overhead;       /* milli x ns; overhead: start-up, gang wait, checkpoints */
    double lost_gpu_s;
};

struct gs_metrics {
    struct gs_metrics_config cfg;
    struct gs_window window; /* in effect after end */
    struct gs_outcome *out;  /* [jobs] */
    size_t njobs;
    int64_t end_ns; /* -1 until gs_metrics_end */
    /* levels now */
    int64_t held_milli, pending_milli, up_milli, pending_jobs, running_jobs;
    struct gs_integral held, up, owned, frag, stranded, queue, running, gpus_pending;
    struct gs_integral closed; /* free share that isolation keeps from other tenants, milli */
    struct gs_integral mig_free, mig_lost, mig_unreachable; /* memory slices, milli */
    struct gs_pace *part_ns;            /* [jobs] running time by part, ns; NULL = all computing */
    gs_i128 part_sum[GS_TIME_COUNT];    /* in the window, milli x ns */
    gs_i128 held_arrivals, up_arrivals; /* their sums at the last arrival in the window */
    struct gs_queue_acc *queue_acc;     /* [queues] */
    struct gs_backlog backlog[2];       /* GPU work; CPU work of jobs without GPUs */
    uint64_t completions;               /* in the window */
    uint64_t in, done, rejected, unsubmitted; /* all jobs; unsubmitted is known at the end */
    GS_VEC(struct gs_sample) samples;
    GS_VEC(int64_t)
    queue_samples; /* a row of 2 x queues a sample: held, pending milli, subtrees included */
    enum gs_verdict verdict;
    struct gs_figures figures;
    struct gs_tally tally;
    uint64_t serial;      /* of job sets: a set's key is used once */
    struct gs_bill *bill; /* NULL = neither prices nor power are known */
};

/* The time that a job has waited, all attempts, up to its end or the end of the run. */
int64_t gs_outcome_queued_ns(const struct gs_metrics *m, uint32_t job);

/* ---- parts (parts.c) ---- */
void gs_parts_visit(struct gs_metrics *m, struct gs_visitor *v);

/* ---- cost and energy (bill.c) ---- */
enum gs_cost_figure {
    GS_COST_TOTAL,
    GS_COST_HELD,
    GS_COST_USEFUL,
    GS_COST_KWH,
    GS_COST_CARBON,
    GS_COST_POWER,
    GS_COST_PEAK
};

struct gs_jobset;
void gs_cost_eval(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                  struct gs_value_row *out);

/* ---- selection (select.c) ---- */
#define GS_SELECTOR_KEYS(X) \
    X(QUEUE, queue)         \
    X(USER, user)           \
    X(KIND, kind) X(PRIORITY, priority) X(GPUS, gpus) X(GPU, gpu) X(STATE, state) X(HOUR, hour)

enum gs_selector_key {
#define X(U, l) GS_SEL_##U,
    GS_SELECTOR_KEYS(X)
#undef X
    GS_SEL_COUNT
};

struct gs_selector {
    uint32_t given; /* bit a key */
    int64_t lo[GS_SEL_COUNT],
        hi[GS_SEL_COUNT]; /* inclusive; names as indexes, lo > hi where there is no such name */
    char gpu[64];
};
/* Parses the inside of the braces. */
GS_NODISCARD enum gs_rc gs_selector_parse(const struct gs_metrics *m, const char *text, size_t len,
                                          struct gs_selector *s, struct gs_err *err);
int gs_selector_takes(const struct gs_metrics *m, const struct gs_selector *s, uint32_t job);
/* Is queue q inside the subtree of root? */
int gs_queue_within(const struct gs_workload *w, uint32_t q, uint32_t root);

/* A set of jobs: row numbers, ascending. key tells sets apart for the cache (0 = the set of all). */
struct gs_jobset {
    const uint32_t *v; /* NULL = all jobs */
    size_t n;
    uint64_t key;                  /* ++serial; 0 = all */
    const struct gs_selector *sel; /* NULL = none */
};

/* ---- figures (sample.c) ---- */
const struct gs_figures *gs_figures_of(struct gs_metrics *m, const struct gs_jobset *set,
                                       enum gs_family family);
const struct gs_tally *gs_tally_of(struct gs_metrics *m, const struct gs_jobset *set);
/* One job's value in seconds (or a ratio); +inf = censored, then *bound is its value so far; NaN = not a sample. */
double gs_percentile(const double *v, size_t n, double p); /* p in 0..100 */
double gs_family_value(const struct gs_metrics *m, uint32_t job, enum gs_family f, double *bound);

/* ---- the table (metric.c) ---- */
/* Evaluates row i of the table over a set of jobs. */
GS_NODISCARD enum gs_rc gs_metric_eval_row(struct gs_metrics *m, size_t i,
                                           const struct gs_jobset *set, struct gs_value_row *out,
                                           struct gs_err *err);
size_t gs_metric_find(const char *name, size_t len); /* SIZE_MAX if absent */

/* ---- the file (schema.c, write.c, write_by.c) ---- */
/* A column and how a row's value is got: exactly one of f, i, s is set. A string of NULL is shown as the row number. */
struct gs_getter {
    struct gs_column col;
    double (*f)(const struct gs_metrics *m, uint32_t row, int arg);
    int64_t (*i)(const struct gs_metrics *m, uint32_t row, int arg);
    const char *(*s)(const struct gs_metrics *m, uint32_t row, int arg);
    int arg;
};
const struct gs_getter *gs_schema_jobs(size_t *n);
const struct gs_getter *
gs_schema_bill(size_t *n); /* more columns of /jobs, where there is a bill */
const struct gs_getter *gs_schema_queues(size_t *n);
const struct gs_getter *gs_schema_users(size_t *n);
const struct gs_getter *gs_schema_typical(size_t *n);
GS_NODISCARD enum gs_rc gs_write_getters(const struct gs_metrics *m, struct gs_h5 *f,
                                         const char *group, const struct gs_getter *g,
                                         size_t ngetters, size_t nrows, struct gs_err *err);
GS_NODISCARD enum gs_rc gs_summary_by_write(struct gs_metrics *m, struct gs_h5 *f,
                                            const char *groups, struct gs_err *err);

#endif

/* points.h - one scenario as one or many simulations: sweep points and replications, each in a process of its own.
 *
 * Workers are forked, never threaded; a worker sends its report through a pipe. Order and bytes of everything that is written or
 * printed depend on the scenario alone, not on the number of workers. */
#ifndef GS_POINTS_H
#define GS_POINTS_H

#include "sim/run.h"

#define GS_METRICS_MAX 160

/* What is left of a simulation when it is over: plain data, so that it fits through a pipe. */
struct gs_report {
    char label[256]; /* sweep point, "" = none */
    char path[1024]; /* results file */
    enum gs_rc rc;
    char msg[1024];
    int complete;
    uint32_t nvalues, nasked; /* the table's metrics, and behind them the answers to gs_order.ask */
    double value[GS_METRICS_MAX], bound[GS_METRICS_MAX], ci_low[GS_METRICS_MAX],
        ci_high[GS_METRICS_MAX],
        pooled[GS_METRICS_MAX]; /* pooled: quantiles over all replications */
    uint64_t samples[GS_METRICS_MAX], censored[GS_METRICS_MAX];
    uint8_t few[GS_METRICS_MAX];
    uint64_t seed, digest, events, passes, jobs, oracle, unverified, skipped, assumed, starts,
        scores;
    char data_digest[33], policy[256];
    char rejects[512]; /* reasons with counts */
    int verdict;
    double end_s;
    int64_t wall_ns, module_ns, write_ns, read_ns;
    uint64_t peak_rss, module_calls;
    int64_t replications,
        asked; /* runs made; runs asked for, where fewer were made: nothing was random */
    uint64_t
        draws; /* random numbers that policy modules took, requests drawn from a trace of parameters */
};

struct gs_order { /* what to simulate */
    const char *scenario, *out, *policy_path, *history;
    const struct gs_override *over;
    size_t nover;
    uint32_t workers;
    uint64_t tie_seed;
    enum gs_bad_rows bad_rows;
    int no_file;            /* simulate only */
    const char *const *ask; /* further metric expressions, such as jobs.wait.p95{queue=prod} */
    size_t nask;            /* at most GS_METRICS_MAX less the table's */
    struct gs_log *log;
};

/* All points; *n of them, owned by the caller (gs_free). Returns the first failure; reports are filled as far as they go. */
GS_NODISCARD enum gs_rc gs_points_run(const struct gs_order *o, struct gs_report **reports,
                                      size_t *n, struct gs_err *err);

/* The seed of a replication; number 0 has the scenario's. Within what --seed takes, so that any can be run alone. */
uint64_t gs_replica_seed(uint64_t seed, uint64_t number);

void gs_problems_say(struct gs_log *log, const struct gs_settings *s, struct gs_err *err);

/* report.c: the summary, one column a point, at most 25 lines; and what goes to standard error. */
void gs_report_print(const struct gs_report *r, size_t n, int json, int color);
void gs_report_perf(struct gs_log *log, const struct gs_report *r, size_t n);
GS_NODISCARD enum gs_rc gs_report_perf_file(const char *path, const struct gs_report *r, size_t n,
                                            struct gs_err *err);

#endif

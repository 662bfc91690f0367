/* metrics.h - what a run measures: exact integrals at changes, one outcome a job, series samples, and the summary.
 *
 * The run (sim/run.c) tells it facts as they happen; it never asks the policies. All integrals are integers (milli-GPU x ns) over the
 * measured window [from, to). One table (metric.c) holds every metric with unit, direction and definition; it writes `gsim help metrics`,
 * /summary and long_name. Censoring: a counted job that never started (ended) enters percentiles as +infinity.
 * Invariant at the end: jobs in = done + running + queued + rejected, and the jobs of the input are those and the unsubmitted. Done is
 * completed, failed, killed or timed out. */
#ifndef GS_METRICS_METRICS_H
#define GS_METRICS_METRICS_H

#include "sim/base/buf.h"
#include "sim/base/err.h"
#include "sim/base/exact.h"
#include "sim/base/vec.h"
#include "sim/base/visit.h"
#include "sim/cluster/classes.h"
#include "sim/cluster/cluster.h"
#include "sim/metrics/results.h"
#include "sim/workload/job.h"
#include "sim/workload/pace.h"

#include <stdint.h>

#define GS_WAIT_CAUSES \
    9 /* startup held quota reservation order scheduler capacity fragmentation topology, in this order */

#define GS_JOB_STATES(X)    \
    X(NEW, new)             \
    X(PENDING, pending)     \
    X(RUNNING, running)     \
    X(COMPLETED, completed) \
    X(FAILED, failed)       \
    X(REJECTED, rejected)   \
    X(HELD, held)           \
    X(KILLED, killed)       \
    X(TIMEOUT, timeout)

enum gs_job_state {
#define X(U, l) GS_STATE_##U,
    GS_JOB_STATES(X)
#undef X
    GS_STATE_COUNT
};

/* The one way from ns to seconds: GS_NEVER and -1 (never, none) are NaN. */
double gs_seconds(int64_t ns);

/* What became of a job: one a record of the workload, in the same order. The facts below (submit, start, stop, reject, end) keep
 * state, the times, run_ns, gpu_milli_ns, preemptions, restarts and, from the window, counted. The run fills the
 * rest: wait_ns, lost_gpu_s, failures, predicted_start_ns, reason, nodes_used, model; and counted where `measure = jobs A..B`, any time after
 * gs_metrics_new. The sum of wait_ns must be the time from submit to end (or to the end of the run) that was not run_ns. */
struct gs_outcome {
    int64_t submit_ns; /* when it was submitted; of a job that waits for another, -1 until it is */
    int64_t first_start_ns, last_start_ns,
        end_ns;           /* -1 = never / not yet; a rejected job ends when it is rejected */
    int64_t run_ns;       /* time running, all attempts, up to end or the end of the run */
    gs_i128 gpu_milli_ns; /* GPU time held: milli-GPU x ns, exact */
    double lost_gpu_s;
    int64_t predicted_start_ns; /* of the last reservation, -1 = none */
    int64_t wait_ns[GS_WAIT_CAUSES];
    uint32_t preemptions, restarts, nodes_used;
    uint32_t failures; /* attempts that failed; of a trace's own only those that [failures] adds */
    uint32_t reason;   /* string id, 0 = none: why rejected or unfinished */
    uint32_t held_milli; /* GPU share held now */
    uint8_t state, counted;
    uint8_t
        model; /* 1 + index of the GPU model of its first start, 0 = none or not said; for the selector gpu= */
};

struct gs_window {
    int64_t from_ns, to_ns;
}; /* [from, to) */

/* One sample of /series/cluster. The three counts of jobs are filled in by gs_metrics_sample; fragmentation is the meter's value, milli-GPU
 * (stored as a share of gpus_total). */
struct gs_sample {
    int64_t time_ns;
    double gpus_total, gpus_allocated, jobs_running, jobs_pending, gpus_pending, fragmentation,
        stranded_gpus, largest_gang, nodes_up;
    double power_w, cost_per_h; /* written where there is a bill */
};

struct gs_typical_task { /* what fragmentation is measured against */
    int64_t cpus_milli, mem_mib;
    uint32_t gpus, share_milli;
    uint64_t models;
    uint32_t model_text; /* string id of "A|B" */
    double probability;
    uint64_t count;
};

typedef GS_VEC(struct gs_typical_task) gs_typical_vec;

/* Typical tasks of the whole input (fgd.md 2): key (cpu, gpu milli, gpus, types), by count descending then key descending, taken while the
 * cumulative count is below the coverage, renormalised. models: resolves a job's GPU constraint to a mask, UINT64_MAX = the cluster has none of
 * them (kept as the one bit 63, which no node has). */
void gs_typical_build(gs_typical_vec *out, const struct gs_workload *w,
                      uint64_t (*models)(void *ctx, uint32_t text), void *ctx, double coverage);

/* Fragment of one node / the cluster, milli-GPU, per class (q1 q2 q3 q4 xl xr na); the measured figure leaves q3 out. */
struct gs_frag {
    double cls[7];
};

double gs_frag_node(const struct gs_cluster *c, uint32_t node, const gs_typical_vec *t,
                    struct gs_frag *by_class);
/* The cluster's. A node's value is rounded to 10^-6 milli and summed as an integer, so the sum does not depend on the order of changes or on
 * class ids. value() syncs the classes and looks at each active class once (nothing if the cluster's epoch is unchanged). An owner that
 * marks every node whose free state it changed, from the beginning on, pays for the marked nodes only. A node that is down counts 0. */
struct gs_frag_meter;
struct gs_frag_meter *gs_frag_meter_new(struct gs_cluster *c, const gs_typical_vec *t);
void gs_frag_meter_free(struct gs_frag_meter *m);
void gs_frag_meter_mark(struct gs_frag_meter *m, uint32_t node);
/* From now on each node that changes its class is marked; m must outlive k, or k->moved be cleared. */
void gs_frag_meter_watch(struct gs_frag_meter *m, struct gs_classes *k);
double gs_frag_meter_value(struct gs_frag_meter *m, struct gs_classes *k); /* milli-GPU */
/* Idle GPUs on nodes where neither a typical task that asks for GPUs nor one of the pending requests fits now. Without pending requests it costs
 * what value() costs, and nothing after it; else O(active classes). */
uint64_t gs_frag_meter_stranded(struct gs_frag_meter *m, struct gs_classes *k,
                                const struct gs_request *pending, size_t npending);

struct gs_metrics;
struct gs_bill; /* bill.h */

struct gs_metrics_config {
    struct gs_cluster *cluster;
    struct gs_workload *w;
    struct gs_intern *str;
    struct gs_window window;
    const gs_typical_vec *typical;
    int64_t series_ns;
    int64_t bounded_tau_ns; /* 0 = 10 s */
    int64_t
        origin_ns; /* local wall clock of t = 0 (only its time of day matters), for the selector hour= */
};

struct gs_metrics *gs_metrics_new(const struct gs_metrics_config *cfg);
void gs_metrics_free(struct gs_metrics *m);
/* What the run costs is kept here, closed with it and freed with it. */
void gs_metrics_set_bill(struct gs_metrics *m, struct gs_bill *b);
struct gs_outcome *gs_metrics_outcome(struct gs_metrics *m, uint32_t job);

/* Facts. gpu_milli is what the job asks for / holds in total. */
void gs_metrics_submit(struct gs_metrics *m, int64_t now_ns, uint32_t job, int64_t gpu_milli);
void gs_metrics_start(struct gs_metrics *m, int64_t now_ns, uint32_t job, int64_t gpu_milli);
void gs_metrics_stop(struct gs_metrics *m, int64_t now_ns, uint32_t job, int64_t gpu_milli,
                     enum gs_job_state to); /* ended, or back to pending */
/* Back to pending, because an attempt failed and not because a policy took the devices: no preemption. */
void gs_metrics_retry(struct gs_metrics *m, int64_t now_ns, uint32_t job, int64_t gpu_milli);
/* From now on gs_metrics_parts tells how running time is divided; without it all of it is computing. */
void gs_metrics_split(struct gs_metrics *m);
/* The running time [from, to) of a job that holds its devices, in the proportions of p (any sum > 0). Segments of an attempt follow each
 * other without gaps, and all are told before the stop. */
void gs_metrics_parts(struct gs_metrics *m, uint32_t job, int64_t from_ns, int64_t to_ns,
                      const struct gs_pace *p);
int64_t gs_metrics_part_ns(const struct gs_metrics *m, uint32_t job,
                           enum gs_part part); /* of its running time */
gs_i128 gs_metrics_part_sum(const struct gs_metrics *m,
                            enum gs_part part); /* of the window's GPU time, milli x ns */
void gs_metrics_reject(struct gs_metrics *m, int64_t now_ns, uint32_t job, int64_t gpu_milli);
void gs_metrics_capacity(struct gs_metrics *m, int64_t now_ns,
                         int64_t up_gpu_milli); /* at start and at each change */
void gs_metrics_owned(struct gs_metrics *m, int64_t now_ns,
                      int64_t owned_gpu_milli); /* up or not; at start and at each change */
/* From here on a row every series_ns: rows taken at other times are dropped. */
void gs_metrics_thin_series(struct gs_metrics *m, int64_t series_ns);
void gs_metrics_sample(struct gs_metrics *m,
                       const struct gs_sample *s); /* at each sampling instant */
/* Free share of devices that only the tenant who is there may have. */
void gs_metrics_closed(struct gs_metrics *m, int64_t now_ns, int64_t closed_milli);
/* MIG memory slices in thousandths: those that nobody holds, those of them that the profiles asked for could not use, and those without
 * any legal start. */
void gs_metrics_mig(struct gs_metrics *m, int64_t now_ns, int64_t free_milli, int64_t lost_milli,
                    int64_t unreachable_milli);
void gs_metrics_frag(
    struct gs_metrics *m, int64_t now_ns, double frag_milli,
    double stranded_gpus); /* after each pass that changed capacity; integrated in rounded milli */
void gs_metrics_end(struct gs_metrics *m,
                    int64_t now_ns); /* closes integrals, decides the verdict */
void gs_metrics_visit(struct gs_metrics *m, struct gs_visitor *v);
struct gs_window gs_metrics_window(
    const struct gs_metrics *m); /* after end: the window in effect, cut at the end of the run */
int gs_metrics_counts(
    const struct gs_metrics *m,
    uint32_t job); /* counted, not rejected, not a replica: a sample of jobs.wait */

enum gs_verdict {
    GS_VERDICT_STABLE,
    GS_VERDICT_TRANSIENT,
    GS_VERDICT_SATURATED
};

const char *gs_verdict_str(enum gs_verdict v);
enum gs_verdict gs_metrics_verdict(const struct gs_metrics *m);

/* The metric table. */
enum gs_direction {
    GS_LOWER_BETTER,
    GS_HIGHER_BETTER,
    GS_NEUTRAL
};

struct gs_metric {
    const char *name, *units;
    enum gs_direction direction;
    const char *definition;
};
const struct gs_metric *gs_metric_table(size_t *n);

struct gs_value_row {
    const char *name; /* with its selector, if any */
    double
        value; /* NaN = no samples; +inf = a quantile that falls on a censored sample; a censored mean is the bound */
    uint64_t samples, censored;
    double
        bound; /* where censored > 0: the true value is at least this (censored jobs taken at their time so far); else value */
    int few;   /* a quantile with fewer than 10 samples beyond it */
    double ci_low, ci_high; /* NaN = none */
    double pooled; /* a quantile over the samples of all replications together; NaN = none */
};
/* Evaluates one metric, optionally with a selector: "jobs.wait.p95{queue=prod, kind=training, gpus=8..64}". Unknown metric or key is an error that
 * names the nearest one. */
GS_NODISCARD enum gs_rc gs_metric_eval(struct gs_metrics *m, const char *expr,
                                       struct gs_value_row *out, struct gs_err *err);
/* Every metric of the table in order; out has room for all. */
size_t gs_metric_eval_all(struct gs_metrics *m, struct gs_value_row *out, size_t max);
/* Samples that quantiles are taken of, for quantiles over several runs together. A family is wait, queued, ... */
#define GS_SAMPLE_FAMILIES 5
/* Is row i of the table a quantile? Then *family and *p (0..100) say of what and which. */
int gs_metric_quantile(size_t i, uint32_t *family, double *p);
/* The family's sample over all jobs, ascending, +inf where not known; valid until the next question. */
const double *gs_metrics_sorted(struct gs_metrics *m, uint32_t family, size_t *n);
void gs_metric_help(const char *name,
                    struct gs_buf *out); /* `gsim help metrics`, `gsim help METRIC` */

/* Are these words ("queue, kind, size", also user) that /summary_by can group by? *mask: for this room. */
GS_NODISCARD enum gs_rc gs_groups_check(const char *groups, uint32_t *mask, struct gs_err *err);
/* The rows of /summary_by as plain bytes, for a run whose metrics will be gone: by, group and name, each terminated, then the value (a double). */
void gs_groups_pack(struct gs_metrics *m, const char *groups, struct gs_buf *out);
/* Writes /typical_tasks, /queues, /users, /jobs, /series/cluster, /series/queues/NAME, /summary, /summary_by (groups: "queue, kind, size"). */
GS_NODISCARD enum gs_rc gs_metrics_write(struct gs_metrics *m, struct gs_h5 *f, const char *groups,
                                         struct gs_err *err);

/* The same in parts: a run with replications writes its own /summary, with intervals, through gs_summary_write. */
enum gs_write_parts {
    GS_WRITE_TENANTS = 1u << 0, /* /queues, /users, /typical_tasks */
    GS_WRITE_JOBS = 1u << 1,
    GS_WRITE_SERIES = 1u << 2,
    GS_WRITE_SUMMARY = 1u << 3,
    GS_WRITE_SUMMARY_BY = 1u << 4
};
GS_NODISCARD enum gs_rc gs_metrics_write_parts(struct gs_metrics *m, struct gs_h5 *f,
                                               uint32_t parts, const char *groups,
                                               struct gs_err *err);
GS_NODISCARD enum gs_rc gs_summary_write(struct gs_h5 *f, const struct gs_value_row *rows, size_t n,
                                         struct gs_err *err);

/* How an attempt ended: outcome of /attempts, end_reason of /allocations. Append only: the numbers stand in files. */
#define GS_ATTEMPT_ENDS(X)  \
    X(COMPLETED, completed) \
    X(PREEMPTED, preempted) \
    X(FAILED, failed)       \
    X(OPEN, open)           \
    X(KILLED, killed)       \
    X(TIMEOUT, timeout)

enum gs_attempt_end {
#define X(U, l) GS_ATTEMPT_##U,
    GS_ATTEMPT_ENDS(X)
#undef X
    GS_ATTEMPT_END_COUNT
};

/* One row of /allocations; the run writes them as claims end, in order of end (open ones last). */
struct gs_alloc_row {
    uint32_t job, task, node, share_milli;
    uint16_t mig_profile; /* 0 = not MIG: start and size are written as -1 */
    uint8_t mig_start, mig_size;
    int32_t gpu;              /* -1 none */
    int64_t start_ns, end_ns; /* end -1 = still held: NaN */
    uint32_t memory_mib;
    int64_t cpus_milli, node_memory_mib;
    uint8_t end_reason; /* enum gs_attempt_end */
};
/* profiles: names by number, from "none" on, ended by NULL. */
GS_NODISCARD enum gs_rc gs_alloc_table_open(struct gs_h5 *f, const char *const *profiles,
                                            struct gs_h5_table **t, struct gs_err *err);
GS_NODISCARD enum gs_rc gs_alloc_table_row(struct gs_h5_table *t, const struct gs_alloc_row *r,
                                           struct gs_err *err);

/* /cluster/nodes, /cluster/gpus, /node_lives */
struct gs_node_life { /* a stretch of time in which a node is up */
    uint32_t node;
    int64_t up_ns, down_ns;
};
/* lives: n rows; NULL = every node is up from 0 to end_ns. */
GS_NODISCARD enum gs_rc gs_cluster_write(const struct gs_cluster *c, struct gs_h5 *f,
                                         int64_t end_ns, const struct gs_node_life *lives, size_t n,
                                         struct gs_err *err);

#endif

/* synth.h - synthetic jobs: distributions and arrival processes by name, drawn from counter-based streams.
 *
 * Job i of section s draws its size, run time, owner, ... each from its own stream (purpose, s, i), so two policies and two
 * scenarios that share a section see the same jobs. Variates by inversion with fmath. */
#ifndef GS_TRACES_SYNTH_H
#define GS_TRACES_SYNTH_H

#include "sim/base/err.h"
#include "sim/base/rng.h"
#include "sim/workload/job.h"

#include <stddef.h>
#include <stdint.h>

enum gs_dim {
    GS_DIM_NONE,
    GS_DIM_TIME /* seconds */,
    GS_DIM_MEMORY /* MiB */,
    GS_DIM_SHARE /* milli */
};

/* A parsed distribution; opaque small tree in the arena. */
struct gs_dist;
/* "lognormal median=30m sigma=1.7 clip=1m..2d", "choice 1:0.7 2:0.1", "constant 5m", "mixture 0.8 (...) 0.2 (...)", "empirical f.csv col" ...
 * or a bare quantity = constant. dir is where relative file names start. */
GS_NODISCARD enum gs_rc gs_dist_parse(const char *text, enum gs_dim dim, const char *dir,
                                      struct gs_arena *a, struct gs_dist **out, struct gs_err *err);
double gs_dist_draw(const struct gs_dist *d, struct gs_stream *s);
double gs_dist_mean(const struct gs_dist *d); /* exact or by a fixed quadrature; NaN if infinite */

/* An example of each kind of distribution, and of each arrival process, for help; NULL behind the last. */
const char *gs_dist_example(size_t i);
const char *gs_arrivals_example(size_t i);

struct gs_arrivals;
/* "poisson 40/h daily=0:0.4,9:1.5 weekend=0.5", "gamma 40/h cv=3", "mmpp 10/h 100/h dwell=2h,10m", "hawkes base=.. branching=.. decay=.." ,
 * "constant 40/h" (evenly spaced), "batch" (all at once) */
GS_NODISCARD enum gs_rc gs_arrivals_parse(const char *text, struct gs_arena *a,
                                          struct gs_arrivals **out, struct gs_err *err);

double gs_arrivals_rate(
    const struct gs_arrivals *a); /* mean per second over a whole week; NaN for a batch */

/* Run time of jobs of certain sizes: the key duration.FROM..TO. */
struct gs_synth_class {
    uint32_t from, to; /* GPUs; to = UINT32_MAX without an upper end */
    const char *duration;
};

struct gs_synth {
    const char *name; /* section name, for errors */
    const char *dir;
    enum gs_job_kind kind;
    const char *arrivals;   /* text, or NULL = all at `from` */
    int64_t count;          /* -1 = until `to` */
    int64_t from_ns, to_ns; /* to = GS_NEVER when count bounds it */
    const char *gpus;       /* distribution, default "1" */
    const char *duration;   /* distribution of time */
    GS_VEC(struct gs_synth_class)
    classes;              /* instead of `duration`, where one holds the size; the first that does */
    const char *estimate; /* "none", "exact", "factor uniform 1 3", "limit 4h", "user bias=..." */
    const char *mig;      /* NULL, a MIG profile, or several with weights */
    const char *share;    /* NULL or distribution of shares (then gpus = 1) */
    uint32_t task_gpus;   /* largest task, default 8 */
    int64_t cpus_per_gpu_milli, mem_per_gpu_mib; /* used where cpus/memory are not given */
    const char *cpus, *memory;                   /* distributions per task, or NULL */
    uint32_t gpu_mem_mib;
    const char *gpu; /* "A100-SXM4-80GB|H100-SXM5-80GB" or NULL */
    const char *
        users; /* NULL, "0" = none; "50" = zipf n=50 s=1.1; or a distribution of numbers from 1, of users u0, u1, ... */
    const char *queues; /* the same of tenants q0, q1, ..., instead of `queue` */
    const char *queue;
    uint32_t
        clients; /* the arrivals are a sum of so many; 0 = 1. Without `users` a job's client is its user, c0, c1, ... */
    double clients_s; /* Zipf exponent of the clients' rates */
    double
        repeats; /* probability that a job is the one before once more: same size and owner, about the same run time */
    const char *
        failures; /* "P DISTRIBUTION": with P the job fails after that share of its run time; NULL = never */
    const char *kills; /* the same, killed by its user */
    const char *
        after; /* "NAME lag=5m": job i waits for the end of job i of that section, which must have been made before */
    int64_t run_ns;    /* of every job, in place of `duration`; 0 = drawn */
    uint32_t train;    /* row, plus 1, of the training run that each is; 0 = none is modelled */
    double comm, idle; /* parts of the run time that are communication, and that do nothing */
    int32_t priority;
    uint16_t flags; /* enum gs_job_flags */
    int64_t start_unix_ns;
    int32_t zone_offset_s; /* of t = 0, for daily/weekend; start GS_NEVER = Monday 00:00 */
};
/* Appends the section's jobs to w, unsealed; section_no keys the streams. Unbounded (count -1 and to GS_NEVER) is an input error. */
GS_NODISCARD enum gs_rc gs_synth_make(struct gs_workload *w, uint16_t source, uint32_t section_no,
                                      uint64_t seed, const struct gs_synth *s, struct gs_err *err);

/* The `duration` key of [trace]: run times, drawn from a distribution, for the jobs from from_job on that have none. */
GS_NODISCARD enum gs_rc gs_duration_apply(struct gs_workload *w, size_t from_job, const char *spec,
                                          uint64_t seed, const char *dir, struct gs_err *err);

/* The `estimate` key of [trace]: replaces the estimates of all jobs from from_job on (of one source) by the same words, "none"
 * included; so call it only where the scenario has the key. The source of each estimate is recorded in the job. */
GS_NODISCARD enum gs_rc gs_estimate_apply(struct gs_workload *w, size_t from_job, const char *spec,
                                          uint64_t seed, const char *dir, struct gs_err *err);

#endif

/* job.h - jobs as they are submitted: one record a job, in trace order; and the tenants they belong
 * to.
 *
 * A job is a gang of tasks. All tasks but the last are equal; the last may be smaller (a gang of 12
 * GPUs in tasks of 8 is 8 + 4). Records are immutable once the run starts; states and results live
 * in live.h (while a job is in the system) and in struct gs_outcome. */
#ifndef GS_WORKLOAD_JOB_H
#define GS_WORKLOAD_JOB_H

#include "sim/base/intern.h"
#include "sim/base/map.h"
#include "sim/base/vec.h"

#include <stddef.h>
#include <stdint.h>

#define GS_JOB_KINDS(X)         \
    X(TRAINING, training)       \
    X(FINETUNING, finetuning)   \
    X(BATCH, batch)             \
    X(INTERACTIVE, interactive) \
    X(REPLICA, replica)

enum gs_job_kind {
#define X(U, l) GS_KIND_##U,
    GS_JOB_KINDS(X)
#undef X
    GS_KIND_COUNT
};

/* Where a run-time estimate comes from. */
#define GS_EST_SOURCES(X) \
    X(NONE, none)         \
    X(USER, user)         \
    X(LIMIT, limit)       \
    X(MODEL, model)       \
    X(EXACT, exact)

enum gs_est_source {
#define X(U, l) GS_EST_##U,
    GS_EST_SOURCES(X)
#undef X
    GS_EST_COUNT
};

/* How a recorded job ended in its trace (replayed as such where it matters; carried to /jobs). */
#define GS_END_STATES(X)    \
    X(UNKNOWN, unknown)     \
    X(COMPLETED, completed) \
    X(FAILED, failed)       \
    X(KILLED, killed)       \
    X(TIMEOUT, timeout)

enum gs_end_state {
#define X(U, l) GS_END_##U,
    GS_END_STATES(X)
#undef X
    GS_END_COUNT
};

/* Where a run time comes from (flag_meanings of /jobs duration_source). */
#define GS_DURATION_SOURCES(X)                                                                 \
    X(TRACE, trace)           /* as recorded */                                                \
    X(SYNTHETIC, synthetic)   /* drawn */                                                      \
    X(ENDLESS, endless)       /* never ends */                                                 \
    X(NORMALISED, normalised) /* recorded, divided by a stated slow-down */                    \
    X(TOKENS, tokens)         /* a request's tokens over the rates that the scenario states */ \
    X(STEPS, steps)           /* steps over a measured throughput */                           \
    X(MODEL, model)           /* steps of a modelled training run */

enum gs_duration_source {
#define X(U, l) GS_DURATION_##U,
    GS_DURATION_SOURCES(X)
#undef X
    GS_DURATION_COUNT
};

#define GS_JOB_NO_PROFILE UINT16_MAX

struct gs_job {
    uint32_t name;  /* string id; 0 = none: shown as the row number */
    uint32_t queue; /* index into gs_workload.queues */
    uint32_t user;  /* index into gs_workload.users, GS_NONE = none */
    int32_t priority;
    uint8_t kind, est_source, end_state, duration_source; /* enum gs_duration_source */
    uint16_t flags;                                       /* enum gs_job_flags */
    uint16_t source;   /* which [trace]/[workload] section: index into gs_workload.sources */
    int64_t submit_ns; /* from the run's t = 0 */
    int64_t run_ns; /* work: run time on the reference placement; GS_NEVER = runs until the end */
    int64_t est_ns; /* -1 = none */
    uint32_t tasks; /* >= 1 */
    uint32_t gpus;  /* of the whole job; a share counts as 1 */
    uint32_t task_gpus;   /* of every task but the last */
    uint32_t share_milli; /* 1000 = whole */
    uint32_t gpu_mem_mib; /* per device, 0 = in proportion */
    uint32_t models;      /* string id of "A|B" as written, 0 = any GPU */
    uint32_t mig;     /* string id of a MIG profile: each task is one instance of it; 0 = none */
    uint16_t profile; /* its number (GS_JOB_NO_PROFILE: the cluster has none), once prepared */
    int64_t cpus_milli,
        mem_mib; /* per full task; the last task takes them in proportion to its GPUs, if fewer */
    int64_t row; /* line in the source file, or draw number */
    /* What a trace may tell besides; none of it is seen by the scheduler but `after`. */
    uint32_t after;   /* index in jobs, plus 1, of the job that this one waits for; 0 = none */
    int64_t think_ns; /* submitted so long after the end of `after`; with `after` only. submit_ns is
                         then the earliest time, unless the flag GS_JOB_FEEDBACK is set */
    int64_t start_ns; /* recorded start, in the clock of submit_ns; -1 = not recorded */
    uint32_t ran_on;  /* string id: GPU model it ran on, as recorded; 0 = not recorded */
    uint32_t nodes;   /* nodes it ran on, as recorded; 0 = not recorded */
    uint32_t attempt_first,
        attempts;               /* rows of gs_workload.attempts; 0 attempts = one, of run_ns */
    uint32_t attr_first, attrs; /* rows of gs_workload.attrs */
    /* Parts of run_ns, Q30 (pace.h), that are communication, and that do nothing; the rest computes. */
    uint32_t comm_q, idle_q;
    uint32_t train;       /* row, plus 1, of the training run that it is; 0 = none is modelled */
    uint32_t sensitivity; /* row, plus 1, of how distance slows it; 0 = not said */
    uint32_t
        owner; /* GS_OWNER of its shares, where some job of the run asks for isolation; else 0 */
    uint32_t data; /* row, plus 1, of what its section says of images and input; 0 = nothing */
};

/* One recorded attempt: run_ns is the sum of its job's. All but the last end in a failure or a kill, after which the job is queued again. */
struct gs_job_attempt {
    int64_t run_ns;
    uint8_t end_state; /* enum gs_end_state */
};

/* A column of the trace that gsim does not know: key and value as written; policies see it as an attribute of the job. */
struct gs_job_attr {
    uint32_t key, value; /* string ids */
};

enum gs_job_flags {
    GS_JOB_PREEMPTIBLE = 1u << 0,
    GS_JOB_CHECKPOINTS = 1u << 1,
    GS_JOB_FEEDBACK = 1u << 2 /* its user waited for `after` and would have come earlier, had it
                                 ended earlier: submit_ns is only what was recorded */
};

struct gs_queue_spec {
    uint32_t name;                    /* string id */
    uint32_t parent;                  /* index, GS_NONE = root */
    int64_t quota_milli, limit_milli; /* GPUs in milli; -1 = none */
    int64_t quota_cpus_milli, limit_cpus_milli;
    double weight;
    int32_t priority;
    uint8_t isolation; /* enum gs_isolation, at least, of its jobs and of those below it */
};

struct gs_workload {
    struct gs_intern *str;      /* shared, not owned */
    GS_VEC(struct gs_job) jobs; /* sorted by (submit, order of reading) after gs_workload_seal */
    GS_VEC(struct gs_queue_spec) queues;
    GS_VEC(struct gs_job_attempt) attempts;
    GS_VEC(struct gs_job_attr) attrs; /* of one job contiguous, in order of column */
    GS_VEC(uint32_t) users;           /* string ids */
    GS_VEC(uint32_t) sources;         /* string ids */
    uint64_t out_of_order;            /* rows that were earlier than the row before */
    struct gs_map queue_map, user_map;
};

void gs_workload_init(struct gs_workload *w, struct gs_intern *str); /* one queue, "default" */
void gs_workload_release(struct gs_workload *w);
uint32_t gs_workload_queue(struct gs_workload *w,
                           const char *name); /* finds or adds (weight 1, no limit) */
uint32_t gs_workload_user(struct gs_workload *w,
                          const char *name); /* finds or adds; "" = GS_NONE */
void gs_workload_seal(
    struct gs_workload *w); /* stable sort by submit; counts what was out of order */
/* A job that waits for itself, directly or through others; GS_NONE where there is none. O(jobs). */
uint32_t gs_workload_cycle(const struct gs_workload *w);

/* GPU share that the job asks for in all, milli. */
static inline int64_t gs_job_milli(const struct gs_job *j)
{
    return (int64_t)j->gpus * (j->share_milli ? j->share_milli : 1000);
}

/* The request of the job's task i: GPUs, CPUs and memory that it asks for. */
struct gs_task_ask {
    uint32_t gpus, share_milli, gpu_mem_mib;
    int64_t cpus_milli, mem_mib;
};
struct gs_task_ask gs_job_task(const struct gs_job *j, uint32_t i);

const char *gs_job_kind_str(enum gs_job_kind k);
const char *gs_est_source_str(enum gs_est_source s);
const char *gs_end_state_str(enum gs_end_state s);

#endif

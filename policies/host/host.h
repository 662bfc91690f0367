/* host.h - the policy host: loads modules, shows them the view, checks and applies their transactions.
 *
 * Used by the simulator and, later, by production bridges; it knows the ledger and the table of live jobs, not the event loop. Its
 * user (the "world") tells it facts (submitted, ended, ...), asks for a pass, and is told what was committed through gs_world_ops.
 * A proposal is applied to the ledger at once inside a ledger transaction, so that every later question in the same pass sees it; it
 * is taken back by rollback, and final after the check at commit. A module can therefore never double-book: the ledger refuses.
 *
 * The built-in composite scheduler (composite.c) joins parts: order, placement, backfill, preemption. Pending jobs stand in groups
 * (pending.c); equal requests are tried once; scores are computed once a (node class, request). */
#ifndef GS_HOST_HOST_H
#define GS_HOST_HOST_H

#include "gsim/policy.h"

#include "sim/base/err.h"
#include "sim/base/log.h"
#include "sim/cluster/classes.h"
#include "sim/cluster/cluster.h"
#include "sim/workload/live.h"

#include <stdint.h>

/* Why a waiting job waits; order of tests as in the results reference. */
#define GS_CAUSES(X)                \
    X(STARTUP, startup)             \
    X(HELD, held)                   \
    X(QUOTA, quota)                 \
    X(RESERVATION, reservation)     \
    X(ORDER, order)                 \
    X(SCHEDULER, scheduler)         \
    X(CAPACITY, capacity)           \
    X(FRAGMENTATION, fragmentation) \
    X(TOPOLOGY, topology)

enum gs_cause {
#define X(U, l) GS_CAUSE_##U,
    GS_CAUSES(X)
#undef X
    GS_CAUSE_COUNT
};

/* A cause and what stands behind it: a job's record number (GS_BLOCKER_JOB) or a queue's. */
enum gs_blocker {
    GS_BLOCKER_NONE,
    GS_BLOCKER_JOB,
    GS_BLOCKER_QUEUE,
    GS_BLOCKER_LEVEL,
    GS_BLOCKER_NODE
};

struct gs_wait_why {
    uint8_t cause, blocker_kind;
    uint32_t blocker;
};

/* One device held by a running job; a task without GPUs has one row with gpu = GS_NONE. */
struct gs_held {
    uint32_t task; /* number within the job */
    uint32_t node, gpu, milli, mem_mib;
    uint16_t profile; /* of a MIG instance, with its place; size 0 = not MIG */
    uint8_t mig_start, mig_size;
    int64_t cpus_milli, node_mem_mib; /* on the task's first row */
};

/* What a commit does to the world. Claims are already in the ledger (held) when start is called. */
struct gs_world_ops {
    void (*start)(
        void *world,
        uint32_t
            slot); /* job's tasks all placed: live.task_node / task_claim are set, state RUNNING */
    /* the job's devices are free again, it is PENDING afterwards; held: what it held until now */
    void (*evict)(void *world, uint32_t slot, int mode, const struct gs_held *held, uint32_t n);
    void (*reject)(void *world, uint32_t slot,
                   const char *why); /* the world removes the job with gs_host_remove */
    void (*reserved)(void *world, uint32_t slot, int64_t at_ns);
    void (*timer)(void *world, uint32_t instance, int64_t at_ns, uint64_t tag);
    void (*held)(void *world, uint32_t slot,
                 int64_t until_ns); /* the world calls gs_host_release at that time */
    /* a stretch of waiting with one cause is over; only called if the configuration wants it */
    void (*waited)(void *world, uint32_t slot, int64_t start_ns, int64_t end_ns,
                   const struct gs_wait_why *why);
    /* MIG, by a partitioner: an instance is being made (the world calls gs_host_mig_ready), is about to be gone, a device changes its
     * mode (gs_host_mig_mode_done). NULL where there is none. */
    void (*mig_created)(void *world, uint32_t part);
    void (*mig_gone)(void *world, uint32_t part);
    void (*mig_mode)(void *world, uint32_t gpu);
    /* Before history_until_ns the world decides, not the modules, which only see the facts: called once a pass. NULL where there is no
     * history. */
    void (*replay)(void *world, int64_t now_ns);
};

struct gs_queue_state { /* columns for the view, [n] */
    uint32_t n;
    uint32_t *name, *parent, *pending; /* parent GS_NONE = root */
    int64_t *quota_milli, *limit_milli, *used_milli, *quota_cpus_milli, *limit_cpus_milli,
        *used_cpus_milli, *gpu_ns;
    int64_t *since_ns; /* of gpu_ns */
    double *weight;
    int32_t *priority;
};

/* Rows of view->attrs, in its order; owned by the user of the host. */
struct gs_attr_table {
    uint32_t n;
    uint8_t *kind;
    uint32_t *subject, *key, *text;
    double *number;
};

struct gs_module;   /* a loaded .so */
struct gs_instance; /* a module with its parameters: one [policy NAME] section */

/* A key = value of an instance's section, as written. */
struct gs_setting {
    const char *key, *value, *where; /* where: "file:line", for messages */
};

enum gs_role {
    GS_ROLE_SCHEDULER,
    GS_ROLE_ORDER,
    GS_ROLE_PLACEMENT,
    GS_ROLE_BACKFILL,
    GS_ROLE_PREEMPTION,
    GS_ROLE_PARTITIONER, /* beside any scheduler */
    GS_ROLE_COUNT
};

const char *gs_role_str(enum gs_role r);

struct gs_host; /* opaque: host_internal.h */

struct gs_host_config {
    struct gs_cluster *cluster;
    struct gs_live *live;
    struct gs_intern *str;
    struct gs_queue_state *queues;
    uint32_t users;
    const struct gsp_typical *typical; /* may be empty */
    const struct gs_attr_table *attrs; /* NULL = none */
    const struct gs_world_ops *world_ops;
    void *world;
    struct gs_log *log;
    uint64_t seed;
    int has_estimates; /* every job has one */
    int drop_unplaced; /* [policy] queueing = no: a job that cannot start in the pass after its arrival is rejected (loss system) */
    uint64_t work_budget;     /* 0 = none */
    int want_waits;           /* ops->waited is called */
    int ignore_calendar;      /* jobs are placed although they would run into what is planned */
    int64_t history_until_ns; /* 0 = none: see world_ops->replay */
};

GS_NODISCARD enum gs_rc gs_host_new(struct gs_host **h, const struct gs_host_config *cfg,
                                    struct gs_err *err);
void gs_host_free(struct gs_host *h);

/* Search path, first wins: dirs is a ':'-separated list. id with a '/' is a file. */
GS_NODISCARD enum gs_rc gs_module_open(const char *path_list, const char *id, struct gs_module **m,
                                       struct gs_err *err);
/* The id that a module's file gives itself, whatever the file is called. */
GS_NODISCARD enum gs_rc gs_module_id(const char *path, char *id, size_t cap, struct gs_err *err);
void gs_module_close(struct gs_module *m);
const struct gsp_manifest *gs_module_manifest(const struct gs_module *m);
const char *gs_module_path(const struct gs_module *m);
/* Lists module files in path order: calls fn(ctx, path, id). */
void gs_module_scan(const char *path_list, void (*fn)(void *ctx, const char *path, const char *id),
                    void *ctx);
/* Checks settings against the module's parameter table; fills values (arena of the instance). Used by validate, too. */
GS_NODISCARD enum gs_rc gs_module_check(const struct gs_module *m, const struct gs_setting *s,
                                        uint32_t n, struct gs_err *err);

/* An instance; the host owns it and, on gs_host_free, destroys it. The module must outlive the host. */
GS_NODISCARD enum gs_rc gs_host_instance(struct gs_host *h, struct gs_module *m,
                                         const char *section, const struct gs_setting *s,
                                         uint32_t n, uint32_t *instance, struct gs_err *err);
/* Binds a role to an instance (or GS_NONE = default). SCHEDULER with a module that has `cycle`, or GS_NONE for the composite. Refuses a
 * module without the op that the role needs, or that needs what the host has not (estimates). */
GS_NODISCARD enum gs_rc gs_host_bind(struct gs_host *h, enum gs_role role, uint32_t instance,
                                     struct gs_err *err);
/* After all binds: builds indexes. */
GS_NODISCARD enum gs_rc gs_host_ready(struct gs_host *h, struct gs_err *err);
/* A table of another role from an instance's module, e.g. "gsim.echo/1", and its self; NULL if it has none. */
const void *gs_host_extension(struct gs_host *h, uint32_t instance, const char *ext_id,
                              void **self);
struct gsp_ctx *gs_host_ctx(struct gs_host *h, uint32_t instance, int64_t now_ns);

/* Facts. The world has already put the job in `live` (submit), or is about to take it out (remove). */
void gs_host_submit(struct gs_host *h, uint32_t slot, int64_t now_ns);
void gs_host_finish(struct gs_host *h, uint32_t slot,
                    int64_t now_ns); /* ended: claims freed by the host, then removed from live */
/* Its attempt is over and another is to follow: claims freed by the host, the job waits again. Modules see an eviction. */
void gs_host_retry(struct gs_host *h, uint32_t slot, int64_t now_ns);
void gs_host_remove(struct gs_host *h, uint32_t slot,
                    int64_t now_ns); /* rejected or cancelled while waiting */
void gs_host_release(struct gs_host *h, uint32_t slot, int64_t now_ns); /* held -> pending */
GS_NODISCARD enum gs_rc gs_host_timer(struct gs_host *h, uint32_t instance, uint64_t tag,
                                      int64_t now_ns, struct gs_err *err);
void gs_host_mig_ready(struct gs_host *h, uint32_t part, int64_t now_ns);
void gs_host_mig_mode_done(struct gs_host *h, uint32_t gpu, int64_t now_ns);
int gs_host_wants_pass(
    const struct gs_host *h); /* did something happen that a bound module's wake_mask names? */

/* A node (or a device of it) takes claims again, or does not any more; the ledger says so already. */
void gs_host_node(struct gs_host *h, uint32_t node, int up, int64_t now_ns);
/* What is planned, as modules see it; the arrays stay the world's. */
void gs_host_plans(struct gs_host *h, const struct gsp_plans *plans);
/* Fetch, without waiting, what the end of a running job will touch: its rows; then its claim. */
void gs_host_fetch_job(const struct gs_host *h, uint32_t slot);
void gs_host_fetch_claim(const struct gs_host *h, uint32_t slot);

/* One scheduling pass: events, decisions, commit. GS_E_MODULE when a module faulted (message names module, hook, cycle, cause). */
GS_NODISCARD enum gs_rc gs_host_pass(struct gs_host *h, int64_t now_ns, struct gs_err *err);

/* Inside world_ops->replay only: starts a waiting job on just these devices (rows by task, tasks in order), or evicts or rejects one, as
 * a module would have. Returns an enum gsp_reason; anything but GSP_OK means that nothing was done. */
int gs_host_replay_start(struct gs_host *h, uint32_t slot, const struct gs_held *rows, uint32_t n);
int gs_host_replay_evict(struct gs_host *h, uint32_t slot, int mode);
int gs_host_replay_reject(struct gs_host *h, uint32_t slot, const char *why);

/* Rows of a running job's devices; returns how many (<= max are written). */
uint32_t gs_host_held(const struct gs_host *h, uint32_t slot, struct gs_held *out, uint32_t max);

/* The wait split. cause[] in ns since submit, exact; for a job in live (waiting or running). */
void gs_host_waits(struct gs_host *h, uint32_t slot, int64_t now_ns, int64_t cause[GS_CAUSE_COUNT]);
/* At the end of a run: the waiting job's open stretch is told, too. */
void gs_host_waits_close(struct gs_host *h, uint32_t slot);
/* Distinct requests of waiting jobs (of their full tasks), in no particular order; at most max. */
uint32_t gs_host_waiting_requests(const struct gs_host *h, struct gs_request *out, uint32_t max);
/* Why the whole gang could never be placed on this cluster even if empty; NULL = it could. */
const char *gs_host_impossible(struct gs_host *h, uint32_t slot);

/* The module and hook that run now (NULL: none), for a signal handler that has to say where the program was. With the stop
 * signal the only state outside of a run. */
struct gs_whereabouts {
    const char *volatile module, *volatile hook;
};
extern struct gs_whereabouts gs_whereabouts;

struct gs_host_stats {
    uint64_t passes, module_calls, scores, starts, evictions, rejects, faults;
    uint64_t draws;    /* random numbers that modules took */
    int64_t module_ns; /* wall time inside modules: standard error only */
    uint32_t pending;
};
const struct gs_host_stats *gs_host_get_stats(const struct gs_host *h);
struct gs_classes *gs_host_classes(struct gs_host *h);
void gs_host_visit(struct gs_host *h, struct gs_visitor *v);

#endif

/* host_internal.h - what the files of the host share. Nobody outside policies/host includes it.
 *
 * module.c    opens a .so and checks its manifest; checks parameters against its table
 * instance.c  one [policy NAME] section: parameters, context, memory, and the host table's plain functions
 * view.c      points the columns of the view at the ledger's and the live table's
 * pending.c   waiting jobs in groups of equal requests, ordered; the frontier walk over them
 * place.c     best node class for a request (memoised scores), gangs task by task
 * txn.c       verbs, undo, commit
 * partition.c MIG instances in the view, and the role that changes them
 * composite.c the built-in scheduler that joins parts
 * waits.c     why each waiting job waits
 * host.c      life cycle, facts, the pass */
#ifndef GS_HOST_INTERNAL_H
#define GS_HOST_INTERNAL_H

#include "policies/host/host.h"
#include "sim/base/map.h"
#include "sim/base/rng.h"
#include "sim/base/vec.h"

#define GS_MEMO_SLOTS 512u         /* requests whose scores are remembered at once */
#define GS_HEAP_CAP   (256u << 20) /* bytes an instance may hold */

struct gs_module {
    void *dl;
    const struct gsp_manifest *m;
    char *path;
    uint32_t nparams;
};

struct gs_block { /* header of a module's heap block */
    struct gs_block *next, *prev;
    size_t bytes;
    size_t pad; /* keeps the payload 16-aligned */
};

struct gs_instance {
    struct gs_host *h;
    struct gs_module *m;
    uint32_t index;
    char *section;
    void *self;
    int created;
    struct gsp_value *values;
    struct gs_arena text, scratch;
    struct gsp_ctx ctx;
    struct gs_stream rng;
    struct gs_block heap; /* list head */
    size_t heap_bytes;
    char failed[256]; /* text of host->fail in this hook */
};

/* Order of two waiting jobs: (key, submit, id), all ascending. */
struct gs_pkey {
    int64_t key, submit;
    uint32_t id;
};

struct gs_pentry {
    struct gs_pkey k;
    uint32_t slot;
};

/* Waiting jobs that ask for the same and belong to the same queue (and, if the order needs it, the same owner). */
struct gs_wait_change {
    int64_t t;
    struct gs_wait_why why;
};

struct gs_wait_open { /* a job's stretch of waiting that goes on; cause GS_CAUSE_COUNT = none */
    int64_t start;
    struct gs_wait_why why;
};

struct gs_pgroup {
    uint32_t shape, queue, user;
    int32_t priority;
    GS_VEC(struct gs_pentry) list; /* ascending from `first` */
    uint32_t first;
    int64_t key;         /* added to every entry's key: an order by owner changes this alone */
    uint32_t heap_pos;   /* in the heap of groups, GS_NONE = empty group */
    uint64_t quota_gain; /* h->gain when its queue was found at its limit */
    /* wait split of all but the first job */
    int64_t cum[GS_CAUSE_COUNT], since;
    uint8_t cause, blocker_kind;
    uint32_t blocker;
    GS_VEC(struct gs_wait_change)
    log;           /* changes of cause since the group was made, only if rows are wanted */
    uint32_t head; /* slot that is tracked on its own, GS_NONE */
    uint32_t next_free;
    uint32_t gated; /* cycle in which what is planned kept a job of it out */
};

struct gs_frontier {
    struct gs_pkey k;
    uint32_t group, pos, tree; /* tree: heap index whose children follow, or GS_NONE */
};

/* Scores of one request by node class. */
struct gs_memo {
    uint32_t request;
    uint32_t n;
    int64_t *score;
    uint32_t *gen; /* generation of the class that the score was for; 0 = none */
};

enum gs_step_kind {
    GS_STEP_START,
    GS_STEP_EVICT,
    GS_STEP_REJECT,
    GS_STEP_RESERVE,
    GS_STEP_HOLD,
    GS_STEP_TIMER,
    GS_STEP_BLOCKED,
    GS_STEP_BLOCK_SHAPE,
    GS_STEP_BLOCK_QUOTA
};

struct gs_step {
    enum gs_step_kind kind;
    uint32_t slot; /* job; BLOCK_SHAPE: shape; BLOCK_QUOTA: group */
    int mode;
    int64_t at_ns;
    uint64_t tag;                /* TIMER; BLOCK_*: value before */
    const char *text;            /* REJECT */
    size_t ledger_mark;          /* of the ledger, before the step */
    uint32_t held_first, held_n; /* EVICT: rows in h->held */
    int64_t old_started;         /* EVICT: to undo */
    uint32_t claims_first;       /* EVICT: saved task_claim in h->saved */
};

struct gsp_txn {
    struct gs_host *h;
    struct gs_instance *in;
    struct gs_err err; /* a part that faulted inside a verb */
};

struct gs_caller { /* the hook that runs now */
    struct gs_instance *in;
    const char *hook;
    int verbs; /* it was handed the transaction */
};

struct gs_mark {
    size_t ledger;
    uint32_t steps;
};

/* Where a task of a shape was found to fit: waits.c. */
struct gs_fit_memo {
    uint32_t cls;      /* class that took it */
    uint64_t clear_at; /* 1 + the classes' clock when none did, 0 = one did */
};

/* partition.c: columns of view->instances and view->profiles, and the question to the partitioner. */
struct gsp_mig_columns {
    uint64_t epoch; /* 1 + mig_epoch of the instances, 0 = none yet */
    GS_VEC(uint32_t) gpu;
    GS_VEC(uint32_t) profile;
    GS_VEC(uint8_t) start;
    GS_VEC(uint8_t) size;
    GS_VEC(uint8_t) state;
    GS_VEC(uint8_t) draining;
    GS_VEC(uint32_t) p_model;
    GS_VEC(uint32_t) p_profile;
    GS_VEC(uint32_t) p_name;
    GS_VEC(uint32_t) p_starts;
    GS_VEC(uint32_t) p_mem;
    GS_VEC(uint8_t) p_compute;
    GS_VEC(uint8_t) p_size;
    GS_VEC(uint8_t) p_most;
    GS_VEC(uint32_t) device;
    GS_VEC(struct gsp_demand) demand;
    GS_VEC(struct gs_pkey) demand_key; /* the first job of each */
    uint32_t *node_first;              /* [nodes + 1] rows of a node's instances */
    GS_VEC(uint32_t) making;           /* partitions that are being made */
    GS_VEC(struct gsp_mig_change) change;
};

struct gs_host {
    struct gs_cluster *c;
    struct gs_live *l;
    struct gs_intern *str;
    struct gs_queue_state *q;
    const struct gs_attr_table *attrs;
    const struct gs_world_ops *ops;
    void *world;
    struct gs_log *log;
    uint64_t seed, work_budget;
    int has_estimates, drop_unplaced;
    int64_t history_until_ns;
    int ignore_calendar;
    struct gs_classes classes;
    struct gsp_view view;
    uint32_t view_caps[5]; /* capacities of the tables when the view was pointed at them */
    struct gsp_host table;
    GS_VEC(struct gs_instance *) inst;
    uint32_t role[GS_ROLE_COUNT];
    uint64_t wake_mask, woken; /* bits of event kinds */
    int any_events;
    GS_VEC(struct gsp_event) events;
    int64_t now;
    uint32_t cycle;
    uint64_t gain; /* rises when something may fit that did not before */
    /* pending.c */
    GS_VEC(struct gs_pgroup) groups;
    uint32_t group_free;
    struct gs_map group_map;
    GS_VEC(uint32_t) heap; /* group ids, by their first job */
    uint32_t npending;
    /* per live slot, grown together */
    uint32_t slots_cap;
    uint32_t *jgroup; /* group, GS_NONE = not waiting */
    struct gs_pkey *jkey;
    int64_t (*jwait)[GS_CAUSE_COUNT];
    int64_t *jsince;
    uint8_t *jcause; /* tracked on its own; GS_CAUSE_COUNT = with its group */
    int want_rows;   /* the world wants a row a stretch of waiting */
    struct gs_wait_open *jrow;
    uint32_t *jlog; /* entry of its group\'s log that it follows from */
    uint32_t *jrun; /* position in running */
    uint8_t *jflag; /* in this transaction: 1 started, 2 rejected or held */
    /* per shape */
    uint32_t shapes_cap;
    uint64_t *shape_blocked;   /* h->gain when it was found not to fit, 0 = not known */
    uint64_t *shape_fit_epoch; /* waits.c: cluster epoch of the answer below, +1 */
    uint8_t *shape_fit;
    struct gs_fit_memo *shape_memo;
    int order_static, order_owner;
    GS_VEC(uint32_t) fresh;   /* slots submitted since the last pass, not yet in a group */
    GS_VEC(uint32_t) arrived; /* those that joined their groups in this pass */
    struct gs_pkey walk_floor;
    int walk_floor_set;
    int walk_all; /* the walk also yields jobs that are known not to fit: a strict order stops at them */
    GS_VEC(struct gs_frontier) frontier;
    uint32_t walk_group, walk_pos; /* the job that next() gave last */
    gsp_job walk_job;
    GS_VEC(uint32_t) running; /* slots by start, GS_NONE = gone */
    uint32_t running_dead;
    /* place.c */
    struct gs_memo memo[GS_MEMO_SLOTS];
    uint32_t *cand; /* [classes] scratch */
    gsp_node *cand_node;
    int64_t *cand_score;
    uint8_t *cand_drop;
    uint32_t cand_cap;
    int gate_dropped; /* in this attempt to place: a node was passed over for what is planned for it */
    struct gs_instance *placer; /* whose filter/score/pick place() uses */
    /* txn.c */
    struct gsp_txn txn;
    struct gs_caller caller;
    int txn_open;
    GS_VEC(struct gs_step) steps;
    GS_VEC(struct gs_held) held;
    GS_VEC(uint32_t) saved; /* claims of evicted tasks */
    GS_VEC(struct gs_mark) marks;
    uint32_t reserved_slot; /* first job with a reservation in the last pass, GS_NONE */
    GS_VEC(uint32_t) opos;  /* slots in the order a whole-cycle module gave */
    uint32_t opos_cycle;
    /* partition.c */
    struct gsp_mig_columns mig_columns;
    uint8_t *mig_busy; /* [gpus] 1 goes into MIG mode, 2 out of it; NULL = no partitioner yet */
    /* waits.c */
    uint64_t mig_free_epoch; /* 1 + mig_epoch of the counts behind it, 0 = none */
    int64_t mig_free[GS_MODELS_MAX];
    int32_t *mig_node_free; /* [nodes] the part of each */
    uint64_t wait_epoch;    /* of the cluster at the last classification */
    uint64_t order_epoch, wait_order_epoch;
    struct gs_arena pass; /* scratch of the host, reset each pass */
    struct gs_host_stats stats;
};

/* The handle of a node or device: they are never reused, so all are of generation 1. */
static inline uint64_t gs_fixed_handle(uint32_t index)
{
    return UINT64_C(1) << 32 | index;
}

/* module.c */
GS_NODISCARD enum gs_rc gs_module_values(const struct gs_module *m, const char *section,
                                         const struct gs_setting *s, uint32_t n,
                                         struct gs_arena *text, struct gsp_value *out,
                                         struct gs_err *err);
/* instance.c */
void gs_host_table_init(struct gs_host *h);
struct gs_instance *gs_instance_of(struct gsp_ctx *c);
struct gsp_ctx *
gs_instance_enter(struct gs_instance *in); /* fresh scratch and ctx for one hook call */
void gs_instance_free(struct gs_instance *in);
GS_NODISCARD enum gs_rc gs_module_fault(struct gs_instance *in, const char *hook, int code,
                                        const char *cause, struct gs_err *err);
/* What came of a hook: a fault that a verb noted, else a negative return. */
GS_NODISCARD enum gs_rc gs_hook_result(struct gs_instance *in, const char *hook, int code,
                                       struct gs_err *err);
/* view.c */
void gs_view_refresh(struct gs_host *h);
/* partition.c */
void gs_view_mig(struct gs_host *h); /* view->instances, view->profiles */
GS_NODISCARD enum gs_rc gs_host_partition(struct gs_host *h, struct gs_err *err);
void gs_host_mig_changed(struct gs_host *h); /* something may fit that did not */
void gs_partition_release(struct gs_host *h);
extern const struct gsp_mig gs_mig_extension;
/* pending.c */
void gs_pending_reserve(struct gs_host *h, uint32_t slots);
void gs_pending_add(struct gs_host *h, uint32_t slot);
void gs_pending_remove(struct gs_host *h, uint32_t slot);
GS_NODISCARD enum gs_rc
gs_pending_order(struct gs_host *h, struct gs_err *err); /* asks the order part where it must */
void gs_walk_start(struct gs_host *h);
gsp_job gs_walk_next(struct gs_host *h, gsp_job after);
void gs_walk_skip_group(struct gs_host *h); /* no further job of the group that was given last */
int gs_pkey_before(const struct gs_pkey *a, const struct gs_pkey *b);
struct gs_pkey gs_group_key(const struct gs_pgroup *g, uint32_t pos);
void gs_pending_release(struct gs_host *h);
/* place.c */
int gs_gate_admits(const struct gs_host *h, uint32_t slot, uint32_t node);
enum gsp_reason gs_place_job(struct gs_host *h, uint32_t slot, struct gs_err *err);
enum gsp_reason gs_refusal_reason(enum gs_refusal r);
void gs_place_release(struct gs_host *h);
/* txn.c */
void gs_txn_table(struct gsp_host *t);
void gs_txn_open(struct gs_host *h, struct gs_instance *in);
void gs_txn_commit(struct gs_host *h);
void gs_running_remove(struct gs_host *h, uint32_t slot);
void gs_host_fact(struct gs_host *h, uint16_t kind, uint32_t slot);
void gs_txn_drop(struct gs_host *h);
struct gs_mark gs_txn_mark(const struct gs_host *h);
void gs_txn_rollback(struct gs_host *h, struct gs_mark m);
void gs_txn_block_shape(struct gs_host *h, uint32_t shape);
void gs_txn_block_quota(struct gs_host *h, uint32_t group);
void gs_txn_note_start_at(struct gs_host *h, uint32_t slot, size_t ledger_mark);
void gs_queue_use(struct gs_host *h, uint32_t queue, int64_t gpu_milli, int64_t cpus_milli);
void gs_queue_accrue(struct gs_host *h, uint32_t queue);         /* its GPU time up to now */
int gs_queue_over_limit(const struct gs_host *h, uint32_t slot); /* beside what runs now */
int gs_queue_never_fits(const struct gs_host *h, uint32_t slot); /* even beside nothing */
int64_t gs_slot_gpu_milli(const struct gs_host *h, uint32_t slot);
int64_t gs_slot_cpus_milli(const struct gs_host *h, uint32_t slot);
int gs_verb_reject(struct gs_host *h, uint32_t slot, const char *why);
int gs_verb_place(struct gsp_txn *t, gsp_job j);
/* composite.c */
GS_NODISCARD enum gs_rc gs_composite_cycle(struct gs_host *h, struct gs_err *err);
/* waits.c */
void gs_waits_begin(struct gs_host *h, uint32_t slot);   /* submitted, not yet in a group */
void gs_waits_join(struct gs_host *h, uint32_t slot);    /* became waiting, in its group */
void gs_waits_rehead(struct gs_host *h, uint32_t group); /* its first job may be another */
void gs_waits_leave(struct gs_host *h, uint32_t slot);   /* about to leave its group */
void gs_waits_hold(struct gs_host *h, uint32_t slot);
void gs_waits_classify(struct gs_host *h);

enum gs_fit {
    GS_FIT_YES,
    GS_FIT_CAPACITY,
    GS_FIT_FRAGMENTED
};
enum gs_fit gs_shape_fit(struct gs_host *h, uint32_t shape);

/* Calls into a module: times it, and opens the verbs only for a hook that was handed the transaction (any other hook that kept the pointer would
 * change the world behind the host's back). */
#define GS_CALL_(instance, hook_name, open, expr)                       \
    do {                                                                \
        struct gs_host *h_ = (instance)->h;                             \
        const struct gs_caller outer_ = h_->caller;                     \
        int64_t t0_ = gs_wall_ns();                                     \
        h_->caller = (struct gs_caller){instance, hook_name, open};     \
        gs_whereabouts.module = (instance)->m->m->id;                   \
        gs_whereabouts.hook = hook_name;                                \
        (expr);                                                         \
        h_->caller = outer_;                                            \
        gs_whereabouts.module = outer_.in ? outer_.in->m->m->id : NULL; \
        h_->stats.module_ns += gs_wall_ns() - t0_;                      \
        h_->stats.module_calls++;                                       \
    } while (0)
#define GS_CALL(instance, hook, expr)     GS_CALL_(instance, hook, 0, expr)
#define GS_CALL_TXN(instance, hook, expr) GS_CALL_(instance, hook, 1, expr)

#endif

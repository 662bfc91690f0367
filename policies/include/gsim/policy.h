/* policy.h - the gsim policy ABI, version 0.12: the only header that a scheduling policy needs.
 *
 * A policy is a shared library gsp_<id>.so that exports one function, gsp_query, and links nothing of its host: everything it may do is in the
 * table that it is handed. The same file runs in the simulator and in a production host. C11, C++-clean.
 *
 * Rules for a module
 *  - No clock but ctx->now_ns, no randomness but ctx->rng, no I/O, no threads, no writable globals, no malloc in hooks (host->scratch, host->mem_*).
 *  - Decisions from + - * / sqrt and gsp_log/gsp_exp/gsp_pow only: the same bits everywhere. libm is not allowed.
 *  - Everything handed to a hook belongs to the host and dies when the hook returns. Views are read-only.
 *  - Every op but create and destroy may be NULL: the default stands beside it in [brackets].
 * Rules of growth: fixed structs start with struct_size; fields are only ever added at the tail; a reader asks GSP_HAS. New event kinds may appear:
 * ignore what you do not know. 0.12 is guarded, not frozen: see policies/include/CHANGES.
 *
 * Thread tags: [query] before anything else, pure; [hook] by the thread that runs the instance. */
#ifndef GSIM_POLICY_H
#define GSIM_POLICY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GSP_MAGIC             0x31505347u /* 'GSP1', little endian */
#define GSP_ABI_MAJOR         0u
#define GSP_ABI_MINOR         12u
#define GSP_NONE              UINT32_MAX
#define GSP_NEVER             INT64_MAX
#define GSP_HAS(p, field)     (GSP_OFFSET_(p, field) + sizeof((p)->field) <= (p)->struct_size)
#define GSP_OFFSET_(p, field) ((size_t)((const char *)&(p)->field - (const char *)(p)))
#if defined(__GNUC__)
#define GSP_EXPORT __attribute__((visibility("default")))
#else
#define GSP_EXPORT
#endif

/* Handles: generation<<32 | index. GSP_INDEX indexes the columns directly; the generation catches reuse. 0 = none. */
typedef uint64_t gsp_job, gsp_task, gsp_node, gsp_gpu, gsp_queue;
#define GSP_INDEX(h) ((uint32_t)(h))

/* ---- the view: columns, read-only, one pointer a column; NULL where the host cannot know (its bit is absent from view->have) ---- */

struct gsp_nodes {
    uint32_t struct_size, count;
    const uint32_t *name, *type; /* string ids */
    const uint32_t *model;       /* GPU model index, GSP_NONE = no GPUs */
    const uint32_t *labels;      /* label set, 0 = none */
    const uint32_t *gpu_first, *gpu_count;
    const int64_t *cpus_milli, *mem_mib;           /* capacity */
    const int64_t *free_cpus_milli, *free_mem_mib; /* what this transaction has left */
    const uint32_t *free_gpus;                     /* devices without any claim */
    const uint32_t *free_share;                    /* largest share free on one device, milli */
    const uint32_t *task_kinds; /* bit 0: a share stands here; bit k: a task of k whole GPUs */
    const uint32_t *tasks;      /* tasks on the node */
    const uint8_t *up;
    const uint32_t *cls; /* node class: equal nodes have equal classes (valid during score) */
    const uint32_t *const
        *level; /* [levels][node] group of the node at each topology level, widest first */
    uint32_t levels, reserved;
    const double *price_per_h; /* USD, NaN = unknown */
    const uint32_t *taints;    /* taint set, 0 = none (NULL until a host has taints) */
};

struct gsp_gpus {
    uint32_t struct_size, count;
    const uint32_t *node;
    const uint8_t *index, *mode; /* index within the node; mode 0 whole, 1 shared, 2 MIG */
    const uint32_t *capacity_milli, *mem_mib;
    const uint32_t *free_milli, *free_mem_mib;
    const uint32_t *claims; /* live claims */
    const uint8_t *numa, *nic,
        *health; /* NULL where not modelled; numa, nic within the node, 255 = not known */
};

/* Health of a device, as DCGM's watches say it. */
enum {
    GSP_HEALTH_PASS = 0,
    GSP_HEALTH_WARN = 10,
    GSP_HEALTH_FAIL = 20
};

/* Job states */
enum {
    GSP_JOB_EMPTY,
    GSP_JOB_PENDING,
    GSP_JOB_HELD,
    GSP_JOB_RUNNING,
    GSP_JOB_DONE
};

/* Task states */
enum {
    GSP_TASK_EMPTY,
    GSP_TASK_PENDING,
    GSP_TASK_GATED,
    GSP_TASK_ON_RELEASING,
    GSP_TASK_BINDING,
    GSP_TASK_RUNNING,
    GSP_TASK_RELEASING,
    GSP_TASK_SUCCEEDED,
    GSP_TASK_FAILED
};

/* Rows of jobs in the system; a row with state EMPTY is unused. Indexed by GSP_INDEX(job). */
struct gsp_jobs {
    uint32_t struct_size, count;
    const uint32_t *generation;
    const uint32_t *id;           /* row number in the workload: the last tie-break everywhere */
    const uint32_t *queue, *user; /* user GSP_NONE = none */
    const int32_t *priority;
    const uint8_t *state, *kind, *preemptible;
    const uint8_t *estimate_source; /* 0 none 1 user 2 limit 3 model 4 exact */
    const int64_t *submit_ns;
    const int64_t *estimate_ns; /* run time expected, -1 = none */
    const int64_t *started_ns;  /* of the current attempt, -1 = not running */
    const int64_t *ran_ns;      /* run time of former attempts */
    const uint32_t *attempts;   /* starts so far */
    const uint32_t *gpus, *share_milli;
    const uint32_t *task_first, *task_count; /* its tasks, contiguous */
    const uint32_t *request;                 /* request of its full tasks */
    const uint32_t *shape;                   /* jobs of one shape ask for exactly the same */
    const int64_t *limit_ns;                 /* time limit, -1 = none (NULL where not modelled) */
    const int64_t *eligible_ns;
};

/* Rows of tasks that are not finished. */
struct gsp_tasks {
    uint32_t struct_size, count;
    const uint32_t *generation, *job, *group, *node, *request;
    const uint8_t *state;
    const int64_t *started_ns, *releasing_until_ns;
};

/* Distinct requests of one task. */
struct gsp_requests {
    uint32_t struct_size, count;
    const uint32_t *gpus, *share_milli, *gpu_mem_mib, *labels, *profile;
    const int64_t *cpus_milli, *mem_mib;
    const uint64_t *models; /* bit i = model index i allowed; 0 = any */
};

struct gsp_queues {
    uint32_t struct_size, count;
    const uint32_t *name, *parent;                         /* parent GSP_NONE = root */
    const int64_t *quota_milli, *limit_milli, *used_milli; /* GPUs in milli, -1 = none */
    const int64_t *quota_cpus_milli, *limit_cpus_milli, *used_cpus_milli;
    const double *weight;
    const int32_t *priority;
    const uint32_t *pending; /* jobs waiting */
    const int64_t *gpu_ns; /* GPU-nanoseconds in milli-GPU x ms consumed so far, exact up to now */
};

/* The tasks that fragmentation is measured against (most frequent requests covering 95 %), in order. */
struct gsp_typical {
    uint32_t struct_size, count;
    const int64_t *cpus_milli;
    const uint32_t *gpus, *share_milli;
    const uint64_t *models;
    const double *probability; /* sums to 1 */
};

/* What has no column: rows sorted by kind of subject, then subject, then key. A job's subject is its `id`, not its row. From 0.10. */
enum {
    GSP_SUBJECT_JOB = 1
};

struct gsp_attrs {
    uint32_t struct_size, count;
    const uint8_t *kind; /* GSP_SUBJECT_* */
    const uint32_t *subject;
    const uint32_t *key, *text; /* string ids; keys of a subject by string id */
    const double *number;       /* the text as a number, NaN where it is none */
};

/* What is planned, and what a plan does now: rows by node, then by from_ns. From 0.11: ask GSP_HAS(view, plans). A row stays until until_ns,
 * so that one with from_ns <= now tells when its node comes back. Where [policy] calendar = ignore, only those are there. */
enum {
    GSP_PLAN_DOWN = 1, /* what runs there is stopped */
    GSP_PLAN_DRAIN,    /* nothing new may start */
    GSP_PLAN_LEAVE,    /* it is not there: taken away for good, or not yet there */
    GSP_PLAN_RESERVE   /* only jobs of the queue, and of those below it, may start */
};

struct gsp_plans {
    uint32_t struct_size, count;
    const uint32_t *node;
    const uint8_t *kind;               /* GSP_PLAN_* */
    const int64_t *from_ns, *until_ns; /* until GSP_NEVER = not known */
    const uint32_t *queue;             /* of a reservation, else GSP_NONE */
};

/* MIG instances that exist, by device, then first memory slice. From 0.12. */
enum {
    GSP_INSTANCE_CREATING,
    GSP_INSTANCE_IDLE,
    GSP_INSTANCE_HELD,
    GSP_INSTANCE_DESTROYING
};

struct gsp_instances {
    uint32_t struct_size, count;
    const uint32_t *gpu;             /* index of the device */
    const uint32_t *profile;         /* as in requests.profile */
    const uint8_t *start, *size;     /* memory slices */
    const uint8_t *state, *draining; /* draining: nothing new lands on it */
};

/* What devices can be divided into: a row a GPU model and profile. From 0.12. */
struct gsp_profiles {
    uint32_t struct_size, count;
    const uint32_t *model, *profile, *name; /* name: string id */
    const uint32_t *starts;                 /* bit s: an instance may begin at slice s */
    const uint32_t *mem_mib;
    const uint8_t *compute, *size, *most; /* compute slices, memory slices, instances a device */
};

enum {
    GSP_HAVE_NODES = 1,
    GSP_HAVE_GPUS = 2,
    GSP_HAVE_ESTIMATES = 4,
    GSP_HAVE_TYPICAL = 8,
    GSP_HAVE_QUEUES = 16,
    GSP_HAVE_LEVELS = 32,
    GSP_HAVE_PRICES = 64,
    GSP_HAVE_ATTRS = 128,
    GSP_HAVE_MIG = 256
};

struct gsp_view {
    uint32_t struct_size, have; /* GSP_HAVE_* */
    uint64_t epoch;             /* rises with each change */
    struct gsp_nodes nodes;
    struct gsp_gpus gpus;
    struct gsp_jobs jobs;
    struct gsp_tasks tasks;
    struct gsp_requests requests;
    struct gsp_queues queues;
    struct gsp_typical typical;
    uint32_t users, models;     /* counts */
    const uint32_t *model_name; /* [models] string ids */
    struct gsp_attrs attrs;     /* from 0.10: ask GSP_HAS(view, attrs) */
    /* [node] how well links join two of its GPUs, [a * gpus + b]: 100 a NVLink, 10 .. 60 by PCIe; NULL = not known.
     * From 0.10: ask GSP_HAS(view, link_score) */
    const int32_t *const *link_score;
    struct gsp_plans plans;         /* from 0.11 */
    struct gsp_instances instances; /* from 0.12, as profiles: ask GSP_HAS */
    struct gsp_profiles profiles;
};

/* A fact, 48 bytes. subject and object are handles. */
enum {
    GSP_EV_SUBMIT = 1,
    GSP_EV_START = 2,
    GSP_EV_END = 3,
    GSP_EV_EVICT = 4,
    GSP_EV_RELEASED = 5,
    GSP_EV_NODE_UP = 6,
    GSP_EV_NODE_DOWN = 7,
    GSP_EV_REJECT = 8,
    GSP_EV_RESULT = 9,
    GSP_EV_TIMER = 10,
    GSP_EV_MIG = 11 /* instances or a mode have changed; no subject */
};

struct gsp_event {
    uint16_t size, kind;
    uint32_t a;
    uint64_t subject, object;
    int64_t b, now_ns;
    uint64_t epoch;
};

/* ---- the transaction ---- */

struct gsp_txn; /* opaque */

enum gsp_reason { /* what a verb answers; anything but OK means: nothing was added */
    GSP_OK = 0,
    GSP_BUSY,
    GSP_NO_CPU,
    GSP_NO_MEM,
    GSP_NO_GPU_MEM,
    GSP_QUOTA,
    GSP_TOPOLOGY,
    GSP_GANG,
    GSP_GEOMETRY,
    GSP_STALE,
    GSP_DOWN,
    GSP_NOT_PENDING,
    GSP_NOT_RUNNING,
    GSP_CAPACITY,
    GSP_FRAGMENTED,
    GSP_UNSUPPORTED,
    GSP_ISOLATION /* another tenant's share is there, and one of the two must be isolated */
};

enum {
    GSP_EVICT_REQUEUE,
    GSP_EVICT_CHECKPOINT,
    GSP_EVICT_KILL
};

enum {
    GSP_WHY_HELD = 2,
    GSP_WHY_QUOTA = 3,
    GSP_WHY_RESERVATION = 4,
    GSP_WHY_ORDER = 5,
    GSP_WHY_SCHEDULER = 6,
    GSP_WHY_CAPACITY = 7,
    GSP_WHY_FRAGMENTATION = 8,
    GSP_WHY_TOPOLOGY = 9
};

enum {
    GSP_ON_RELEASING = 1u
};

/* One device held by one task; a task without GPUs has one row with gpu = 0. */
struct gsp_alloc {
    gsp_task task;
    gsp_node node;
    gsp_gpu gpu;
    uint32_t share_milli; /* 1000 = whole */
    uint32_t gpu_mem_mib; /* 0 = in proportion to the share */
    uint16_t profile;
    uint8_t mig_start, mig_size;
    uint32_t flags;
};

struct gsp_sink { /* save, explain */
    uint32_t struct_size, reserved;
    void *ctx;
    int (*put)(void *ctx, uint32_t tag, const void *p, size_t n);
};

struct gsp_source {
    uint32_t struct_size, reserved;
    void *ctx;
    int (*get)(void *ctx, uint32_t tag, void *p, size_t n);
};

struct gsp_ctx;

/* What a module may do. Everything is [hook]; verbs work only in a hook that was handed the transaction. */
struct gsp_host {
    uint32_t struct_size;
    uint16_t abi_major, abi_minor;

    const char *(*str)(struct gsp_ctx *c, uint32_t id); /* the string of an id; "" if unknown */
    /* Records why a hook gives up; returns code, which must be negative: `return fail(...)`. */
    int (*fail)(struct gsp_ctx *c, int code, gsp_job job, const char *text);
    void (*log)(struct gsp_ctx *c, const char *text);
    /* Memory: scratch is zeroed and gone after the hook; mem_alloc is zeroed, the instance's own, and
     * capped (NULL beyond); the bytes that mem_resize adds are not zeroed. */
    void *(*scratch)(struct gsp_ctx *c, size_t bytes, size_t align);
    void *(*mem_alloc)(struct gsp_ctx *c, size_t bytes);
    void *(*mem_resize)(struct gsp_ctx *c, void *p, size_t bytes);
    void (*mem_free)(struct gsp_ctx *c, void *p);
    uint64_t (*random)(struct gsp_ctx *c); /* 64 bits of the instance's stream for this cycle */
    const void *(*ext)(struct gsp_ctx *c, const char *id); /* host extensions, NULL = absent */

    /* Waiting jobs in order: of the order part, else by priority (high first), submit time, id.
     * Running jobs by start. Both hold until the hook returns. */
    const gsp_job *(*pending)(struct gsp_ctx *c, uint32_t *n);
    const gsp_job *(*running)(struct gsp_ctx *c, uint32_t *n);
    /* The devices of a job: fills at most max rows, returns how many there are. */
    uint32_t (*held)(struct gsp_ctx *c, gsp_job j, struct gsp_alloc *out, uint32_t max);
    /* Would one task of the request fit on the node, as this transaction stands? */
    int (*fits)(struct gsp_ctx *c, uint32_t request, gsp_node n);

    /* Verbs. Each answers an enum gsp_reason; anything but GSP_OK means: nothing was added. */
    int (*start)(struct gsp_txn *t, const struct gsp_alloc *a, uint32_t n); /* a whole gang */
    /* The whole gang by this instance's filter, score and pick (in the composite: the placement
     * part's); without them the lowest node id and the tightest device. */
    int (*place)(struct gsp_txn *t, gsp_job j);
    int (*evict)(struct gsp_txn *t, gsp_job j, int mode, int64_t grace_ns); /* all its tasks */
    int (*reserve)(struct gsp_txn *t, gsp_job j, int64_t at_ns);
    int (*hold)(struct gsp_txn *t, gsp_job j, int64_t until_ns);
    int (*reject)(struct gsp_txn *t, gsp_job j, const char *why);
    int (*timer)(struct gsp_txn *t, int64_t at_ns, uint64_t tag);
    /* The order in which a whole-cycle module considered jobs; the wait split reads it. */
    int (*ordered)(struct gsp_txn *t, const gsp_job *j, uint32_t n);
    int (*blocked)(struct gsp_txn *t, gsp_job j, int why, uint64_t subject);
    int (*note)(struct gsp_txn *t, gsp_job j, const char *text);
    uint64_t (*mark)(struct gsp_txn *t); /* serves one rollback */
    void (*rollback)(struct gsp_txn *t, uint64_t mark);
    /* The next waiting job in order behind `after` (0: from the start) that is worth trying: jobs
     * whose request was found to fit nowhere since capacity last grew are passed over. */
    gsp_job (*next)(struct gsp_txn *t, gsp_job after);
    void (*spend)(struct gsp_ctx *c, uint64_t work); /* takes it from ctx->work_left */
    /* From 0.10: ask GSP_HAS(host, attr). The row of view->attrs that holds the subject's `key`, such as
     * a column of the trace that gsim does not know; GSP_NONE if it has none. O(log rows). */
    uint32_t (*attr)(struct gsp_ctx *c, uint32_t kind, uint32_t subject, const char *key);
};

struct gsp_ctx {
    uint32_t struct_size, cycle;
    int64_t now_ns;
    uint64_t epoch, work_left;
    const struct gsp_view *view;
    const struct gsp_host *host;
    void *opaque; /* the host's */
};

/* ---- the module ---- */

enum gsp_param_type {
    GSP_INT,
    GSP_REAL,
    GSP_BOOL,
    GSP_TIME /* ns */,
    GSP_MEMORY /* MiB */,
    GSP_WORD /* one of `words` */,
    GSP_TEXT,
    GSP_RATIO
};

struct gsp_param {
    const char *name; /* NULL ends the table */
    enum gsp_param_type type;
    const char *def, *min, *max; /* as written in a scenario; min, max may be NULL */
    const char *words;           /* "a|b|c" for GSP_WORD */
    const char *unit, *doc;
};

/* A value of the instance's section, checked and in the table's order. */
struct gsp_value {
    int64_t i; /* INT, BOOL, TIME, MEMORY; WORD: position in words */
    double f;  /* REAL, RATIO */
    const char *s;
};

struct gsp_config {
    uint32_t struct_size, count;
    const char *section;
    const struct gsp_value *value;
};

struct gsp_backfill_in {
    uint32_t struct_size, reserved;
    gsp_job head; /* the first job in order that did not fit */
};

/* The hooks. Arrays that a hook fills arrive with the default in [brackets], so a hook may stop early. */
struct gsp_ops {
    uint32_t struct_size, flags;
    /* required: 0 and *self (may stay NULL), or a negative code */
    int (*create)(struct gsp_ctx *c, const struct gsp_config *cfg, void **self);
    void (*destroy)(struct gsp_ctx *c, void *self); /* required */
    /* what has happened since the last call, in order */
    int (*on_events)(void *self, struct gsp_ctx *c, const struct gsp_event *ev, uint32_t n);
    /* new jobs, once: reject[i] = 1 refuses [0: accept] */
    int (*admit)(void *self, struct gsp_ctx *c, const gsp_job *job, uint32_t n, uint8_t *reject);
    /* keys of waiting jobs: low first, ties by submission, then id [submit time] */
    int (*order)(void *self, struct gsp_ctx *c, const gsp_job *job, uint32_t n, int64_t *key);
    /* of nodes on which one task fits: drop[i] = 1 forbids [0: keep] */
    int (*filter)(void *self, struct gsp_ctx *c, gsp_job j, uint32_t request, const gsp_node *nd,
                  uint32_t n, uint8_t *drop);
    /* one node a class: high wins, ties to the lowest node id [0] */
    int (*score)(void *self, struct gsp_ctx *c, gsp_job j, uint32_t request, const gsp_node *nd,
                 uint32_t n, int64_t *score);
    /* which k devices of the node [share: the tightest; whole: the first idle] */
    int (*pick)(void *self, struct gsp_ctx *c, gsp_job j, uint32_t request, gsp_node nd,
                gsp_gpu *out, uint32_t k);
    /* makes room for a job that does not fit, and places it: 0 = placed, 1 = no [never] */
    int (*preempt)(void *self, struct gsp_ctx *c, gsp_job j, struct gsp_txn *t);
    /* the first job in order does not fit: which others may start [none] */
    int (*backfill)(void *self, struct gsp_ctx *c, const struct gsp_backfill_in *in,
                    struct gsp_txn *t);
    /* a whole scheduler: admit .. backfill are then not called [the composite] */
    int (*cycle)(void *self, struct gsp_ctx *c, struct gsp_txn *t);
    int (*on_timer)(void *self, struct gsp_ctx *c, uint64_t tag, struct gsp_txn *t);
    /* state as tagged fields, and why a job waits, as text */
    int (*save)(void *self, struct gsp_ctx *c, const struct gsp_sink *out);
    int (*load)(void *self, struct gsp_ctx *c, const struct gsp_source *in, uint32_t state_version);
    int (*explain)(void *self, struct gsp_ctx *c, gsp_job j, const struct gsp_sink *text);
};

enum {
    GSP_DEFER = 1
};

enum { /* manifest.caps: what it does */
    GSP_CAP_STATE = 1 << 0,
    GSP_CAP_SCORE_LOCAL =
        1 << 1, /* score depends on nothing but the request and the node's class */
    GSP_CAP_SYMMETRIC = 1 << 2,
    GSP_CAP_PARTIAL_GANG = 1 << 3,
    GSP_CAP_ORDER_STATIC = 1 << 4, /* a job's key never changes while it waits */
    GSP_CAP_ORDER_OWNER = 1 << 5,  /* a job's key depends on its queue, user and priority only */
    GSP_CAP_RESERVES = 1 << 6,     /* it may leave a feasible job waiting for the sake of another */
    GSP_CAP_RANK =
        1
        << 7, /* score must see all nodes of one request at once (randomised or relative scores): never memoised */
    GSP_CAP_BACKFILL_ALL =
        1
        << 8 /* backfill is called with the first job that waits, before any is started, and starts them all itself */
};

enum { /* manifest.needs: what it must be given */
    GSP_NEED_ESTIMATES = 1 << 0,
    GSP_NEED_TASK_KINDS =
        1 << 1, /* node classes must tell apart what kinds of task stand on a node */
    GSP_NEED_TYPICAL = 1 << 2
};

struct gsp_manifest {
    uint32_t struct_size, magic;
    uint16_t abi_major, abi_minor; /* built against */
    uint16_t min_host_minor;
    uint16_t state_version, state_min, reserved;
    uint32_t layout; /* GSP_LAYOUT */
    uint64_t caps, needs;
    uint64_t wake_mask; /* bit GSP_EV_*: kinds that ask for a pass; 0 = every kind */
    uint32_t start_within, reserved2;
    const char *id, *name, *version, *license,
        *doc; /* id [a-z0-9-]{2,32} = the word in scenarios = the file gsp_<id>.so */
    const struct gsp_param *params;
    const struct gsp_ops *ops;
    const void *(*extension)(
        const char *ext_id); /* other roles by name, e.g. "gsim.router/1"; may be NULL */
};

#define GSP_LAYOUT                                                                                \
    ((uint32_t)(sizeof(void *) * 0x01000193u ^ sizeof(size_t) * 0x85ebca6bu ^                     \
                sizeof(struct gsp_alloc) * 0xc2b2ae35u ^ sizeof(struct gsp_event) * 0x27d4eb2fu ^ \
                sizeof(struct gsp_value) * 0x165667b1u ^ sizeof(struct gsp_param) * 0x9e3779b1u ^ \
                0x0102u))

/* The only export. [query] pure: no allocation, no I/O, the same answer each call; NULL = not for this host. */
GSP_EXPORT const struct gsp_manifest *gsp_query(uint32_t host_major, uint32_t host_minor);
typedef const struct gsp_manifest *gsp_query_fn(uint32_t host_major, uint32_t host_minor);

/* ---- gsim.partitioner/1: which MIG instances exist. From 0.12 ----
 *
 * Asked at the end of a pass, with what the scheduler left waiting. The devices shown are those that it may change: on nodes with
 * `mig = ...`, up, and not in a change of their mode; their instances are in view->instances. It answers changes, which are taken
 * in its order; one that is not possible is a fault. A destroyed instance is gone at once; a created one can be used after the node's
 * `mig_create`; a change of mode takes `mig_mode`. Whom to drain, and for whom, is its choice: nothing is stopped. */
#define GSP_PARTITIONER "gsim.partitioner/1"

enum {
    GSP_MIG_CREATE,  /* profile at start */
    GSP_MIG_DESTROY, /* the idle instance at start */
    GSP_MIG_DRAIN,   /* nothing new lands on the instance at start */
    GSP_MIG_UNDRAIN,
    GSP_MIG_ENABLE, /* MIG mode: of a device without claims */
    GSP_MIG_DISABLE /* and without instances */
};

struct
    gsp_demand { /* waiting tasks that ask for a profile, in the order in which their first jobs wait */
    uint32_t profile, tasks;
    int64_t oldest_ns; /* submission */
};

struct gsp_partitioner_in {
    uint32_t struct_size, devices;
    const uint32_t *device; /* ascending */
    uint32_t demands, reserved;
    const struct gsp_demand *demand;
};

struct gsp_mig_change {
    uint32_t gpu;
    uint16_t profile; /* of CREATE */
    uint8_t start, act;
};

struct gsp_partitioner_out {
    uint32_t struct_size, count; /* [0: nothing changes] */
    uint32_t room, reserved;     /* of change[] */
    struct gsp_mig_change *change;
};

struct gsp_partitioner {
    uint32_t struct_size, reserved;
    int (*layout)(void *self, struct gsp_ctx *c, const struct gsp_partitioner_in *in,
                  struct gsp_partitioner_out *out);
};

/* host->ext(c, GSP_MIG): the exact geometry. */
#define GSP_MIG            "gsim.mig/1"
#define GSP_MIG_PLACES_MAX 16 /* instances a device, at most */

struct gsp_mig_place {
    uint16_t profile;
    uint8_t start;
};

struct gsp_mig {
    uint32_t struct_size, reserved;
    /* Starts, as bits, at which one more instance of the profile may be made on the device if just these stood on it. 0 also where
     * they could not stand there together. */
    uint32_t (*starts)(struct gsp_ctx *c, uint32_t gpu, const struct gsp_mig_place *have,
                       uint32_t n, uint32_t profile);
};

/* A toy role, used to test the extension mechanism: table "gsim.echo/1". */
struct gsp_echo_in {
    uint32_t struct_size, n;
    const int64_t *value;
};

struct gsp_echo_out {
    uint32_t struct_size, n;
    int64_t *value;
};

struct gsp_echo {
    uint32_t struct_size, reserved;
    int (*echo)(void *self, struct gsp_ctx *c, const struct gsp_echo_in *in,
                struct gsp_echo_out *out);
};

#ifdef __cplusplus
}
#endif
#include "gsim/policy_math.h"
#endif

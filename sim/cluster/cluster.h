/* cluster.h - nodes, devices and the topology tree, as columns; and the ledger of who holds what.
 *
 * The columns below are the truth and also what policies see (the host's view points at them).
 * Fixed columns are set while the cluster is built; the free_* columns change only through the
 * ledger functions at the end. A node's GPUs are contiguous: gpu_first[n] ..
 * gpu_first[n]+gpu_count[n].
 *
 * The ledger. A device has a mode, a capacity (1000 milli times its over-subscription factor),
 * memory, and partitions. Whole and shared use are claims on the one partition that spans the
 * device; MIG has one partition an instance. A claim is (task, node, partition, milli, MiB, CPUs,
 * node memory), one row a device; the task's CPUs and node memory stand on its first row; a task
 * without GPUs has one row with gpu = GS_NONE.
 *
 *        reserve()            hold()              begin_release()            finish_release()
 *   free ---------> reserved --------> held -----------------> releasing -----------------> free
 *           (a reserved claim may sit on devices whose claims are releasing: a promise)
 *
 * Invariants, kept in every build: per partition, held + releasing <= capacity and held + reserved
 * <= capacity, in milli and in MiB; the same per node for CPUs and memory; a whole claim (1000
 * milli, whole = 1) shares its device with nobody but the claim that it is promised from. A request
 * that would break one is refused with a reason and changes nothing.
 *
 * How promises count. Write F = capacity - held - releasing and R = reserved. What an ordinary
 * query sees as free is max(0, F - R): a device in release looks occupied, and a promise eats what
 * is free before it eats what is being released. A reserved claim is granted while held + reserved
 * fits the capacity (so it overlaps claims in release, never held ones), a held one while
 * everything fits. The same holds for device memory, node CPUs and node memory. A whole claim
 * counts as the partition's full capacity, over-subscribed or not, and as its full memory.
 *
 * Modes. A device out of MIG is SHARED while a share stands on it, else WHOLE; so
 * gs_ledger_set_mode to either only means "not MIG". Partition p < ngpus spans device p; it is set
 * aside (and the device shows nothing free) while the device is in MIG mode, where instances are
 * partitions ngpus and up, in order of their first memory slice in the device's list. An instance
 * may be reserved while it is being created, and held from when it is ready.
 *
 * Transactions: between gs_ledger_begin and commit every change is undone by
 * gs_ledger_rollback(mark); O(changes). The log holds one record a primitive change, and rollback
 * applies the inverses backwards: every column, pool and free list returns byte for byte, except
 * epoch and gain_epoch, which rise (a memo made inside the transaction must not outlive it), and
 * the dirty list.
 *
 * Cost: each ledger call is O(rows of the claim + devices of the node); nothing allocates once the
 * pools have grown. */
#ifndef GS_CLUSTER_CLUSTER_H
#define GS_CLUSTER_CLUSTER_H

#include "sim/base/err.h"
#include "sim/base/intern.h"
#include "sim/base/visit.h"

#include <stddef.h>
#include <stdint.h>

#define GS_LEVELS_MAX        8
#define GS_MODELS_MAX        64
#define GS_GPUS_PER_NODE_MAX 64

enum gs_gpu_mode {
    GS_MODE_WHOLE,
    GS_MODE_SHARED,
    GS_MODE_MIG,
    GS_MODE_COUNT
};

/* A node that is absent is not owned (yet, or any more); one that drains is up, but nothing new starts on it. */
enum gs_node_state {
    GS_NODE_ABSENT,
    GS_NODE_DOWN,
    GS_NODE_DRAINING,
    GS_NODE_UP,
    GS_NODE_STATES
};

enum gs_part_state {
    GS_PART_CREATING,
    GS_PART_IDLE,
    GS_PART_HELD,
    GS_PART_DESTROYING,
    GS_PART_COUNT
};

enum gs_claim_state {
    GS_CLAIM_FREE,
    GS_CLAIM_RESERVED,
    GS_CLAIM_HELD,
    GS_CLAIM_RELEASING,
    GS_CLAIM_COUNT
};

/* Why the ledger refuses. Answers, not errors. */
enum gs_refusal {
    GS_GRANTED = 0,
    GS_REFUSE_STALE, /* no such node, device, partition or claim, or in another state */
    GS_REFUSE_DOWN,  /* node is not up, or device not healthy */
    GS_REFUSE_BUSY,  /* device has not that much share free, or is not idle */
    GS_REFUSE_GPU_MEM,
    GS_REFUSE_CPU,
    GS_REFUSE_MEM,
    GS_REFUSE_GEOMETRY, /* MIG: slices overlap, out of range, or device not in MIG mode */
    GS_REFUSE_MODE,     /* device is in another mode */
    GS_REFUSE_ISOLATION, /* a share of another tenant is there, and one of the two must be isolated */
    GS_REFUSE_COUNT
};

const char *gs_refusal_str(enum gs_refusal r);

/* Isolation. Who holds a share is one word: tenant + 1 and the level that its job asks for; 0 = nobody in particular.
 * Two claims of one tenant may always stand beside each other. Two of different tenants may where the higher of their
 * levels is at most what separates them:
 *
 *    what separates them                          memory protected   a fatal fault stays    level
 *    time-slice, or the same replica                     no                 no             NONE
 *    mps                                                yes                 no             NONE
 *    hami, and shares without a sharing mode            yes                yes             PROCESS
 *    another MIG instance, another device               yes                yes             HARDWARE
 *
 * So NONE stands beside anything, PROCESS beside other tenants' HAMi shares but not in their time slices nor under
 * their MPS daemon, and HARDWARE beside other tenants only in instances of its own. Only shares of a device that is
 * not in MIG mode are ever judged: a whole device has no neighbours. Claims that may be there at one time are judged,
 * as the capacity is: held with releasing, and held with reserved. */
enum gs_isolation {
    GS_ISOLATION_NONE,
    GS_ISOLATION_PROCESS,
    GS_ISOLATION_HARDWARE
};

#define GS_OWNER(tenant, level) (((uint32_t)(tenant) + 1) << 2 | (uint32_t)(level))
#define GS_OWNER_MIXED          (UINT32_MAX >> 2) /* several tenants, in a guard */

static inline int gs_owners_agree(uint32_t a, uint32_t b, uint32_t fence)
{
    const uint32_t higher = (a & 3) > (b & 3) ? a & 3 : b & 3;
    return higher <= fence || (a >> 2 == b >> 2 && a >> 2 != GS_OWNER_MIXED);
}

/* What stands for both against a third: their tenant if it is one, and the higher level. */
static inline uint32_t gs_owners_join(uint32_t a, uint32_t b)
{
    const uint32_t higher = (a & 3) > (b & 3) ? a & 3 : b & 3;
    return (a >> 2 == b >> 2 ? a >> 2 : GS_OWNER_MIXED) << 2 | higher;
}

struct gs_partition {
    uint32_t gpu;
    uint8_t state;                   /* enum gs_part_state */
    uint8_t slice_start, slice_size; /* memory slices; size 0 = the whole device */
    uint8_t compute_slices;
    uint16_t sms;
    uint16_t profile; /* 0 = none */
    uint8_t barred;   /* nothing new lands on it: it empties, or nobody may ask for it */
    /* MIG: floor(1000 x compute slices / the device's), so that a device's sum is <= 1000 */
    uint32_t cap_milli, cap_mem_mib;
    uint32_t held_milli, reserved_milli, releasing_milli;
    uint32_t held_mem, reserved_mem, releasing_mem;
    uint32_t next;   /* next partition of this device, GS_NONE ends */
    uint32_t shares; /* first row of the shares on it, plus 1; kept where `fenced` only */
};

struct gs_claim {
    uint32_t task;
    uint32_t node, gpu, partition; /* gpu, partition = GS_NONE: CPU only */
    uint32_t milli, mem_mib;
    int64_t cpus_milli, node_mem_mib;
    uint8_t state, whole;
    uint8_t head; /* 1 = first row of its task's claim */
    /* of the task, on the first row: bit number of task_kinds, GS_TASK_KIND_NONE = CPU only */
    uint8_t kind;
    uint32_t next;  /* next row of the same task's claim, GS_NONE ends; also the free list */
    uint32_t owner; /* GS_OWNER; 0 = nobody in particular */
    uint32_t on_next, on_prev; /* rows, plus 1, of the shares on the same device: see `fenced` */
};

enum {
    GS_TASK_KINDS = 16,
    GS_TASK_KIND_NONE = 255
}; /* 0 a share or an instance, k = k whole GPUs, 15 = 15 and more */

/* What a node's claims take, by state of the claim ([GS_CLAIM_FREE] stays 0). */
struct gs_node_use {
    int64_t cpus[GS_CLAIM_COUNT], mem[GS_CLAIM_COUNT];
};

/* One device of a claim that is asked for. */
struct gs_take {
    uint32_t gpu;       /* global device index */
    uint32_t partition; /* GS_NONE = the device's whole-device partition */
    uint32_t milli;     /* 1000 with whole = 1: an exclusive device */
    uint32_t mem_mib;
    uint32_t whole;
    uint32_t owner; /* GS_OWNER; 0 = nobody in particular */
};

/* When a node will be taken from whoever runs there, as is known beforehand. */
struct gs_gate {
    int64_t closes_ns; /* GS_NEVER = not planned */
    uint32_t queue; /* jobs of this queue and below it may stay: a reservation; GS_NONE = nobody */
};

struct gs_node_spec {
    const char *name, *type, *model; /* model "" = no GPUs */
    uint32_t gpus;
    int64_t cpus_milli, mem_mib;
    uint32_t gpu_mem_mib;
    uint32_t gpu_cap_milli;   /* 1000 unless over-subscribed */
    uint32_t gpu_mem_cap_mib; /* 0 = gpu_mem_mib */
    uint32_t mig_slices;      /* memory slices of a device in MIG mode, 0 = 8; at most 255 */
    uint32_t labels;          /* an interned label set, 0 = none; equal sets have equal ids */
    const char *level[GS_LEVELS_MAX]; /* group name at each level of the cluster, NULL = "" */
    double price_per_h;               /* NaN = unknown */
    int unverified;                   /* from an UNVERIFIED catalog row */
};

/* Who decides which instances the devices of a node have. */
enum gs_mig_use {
    GS_MIG_UNUSED, /* nobody can ask for one */
    GS_MIG_FIXED,  /* those that it began with */
    GS_MIG_DYNAMIC /* a partitioner */
};

enum {
    GS_MIG_LOG =
        256 /* changes that whoever keeps sums over divided devices may be behind, before all is counted anew */
};

struct gs_cluster {
    struct gs_intern *str;         /* shared, not owned */
    const struct gs_mig_book *mig; /* what devices can be divided into, NULL = not; not owned */
    uint32_t nnodes, ngpus, nmodels, nlevels;
    uint32_t model_name[GS_MODELS_MAX]; /* string ids */
    uint32_t level_name[GS_LEVELS_MAX]; /* string ids, widest (zone) first */
    /* nodes: fixed */
    uint32_t *node_name, *node_type, *node_model /* index or GS_NONE */, *node_labels, *gpu_first,
        *gpu_count;
    int64_t *cpus_milli, *mem_mib;
    uint32_t *level[GS_LEVELS_MAX]; /* string id of the group */
    double *price_per_h;
    /* scores of links between a node's GPUs, gpus x gpus, NULL = not known; not owned */
    const int32_t **node_links;
    uint8_t market; /* how nodes are paid for: a code of /node_lives */
    uint8_t *node_unverified;
    uint8_t *node_mig_use; /* enum gs_mig_use; set before the run */
    uint8_t *
        node_spread; /* 1 = by default a share goes to the GPU with most free, not least; set before the run */
    uint8_t *node_fence; /* enum gs_isolation between shares of a device; set before the run */
    int fenced; /* some job asks for isolation; set before the first claim, and all that follows costs nothing without */
    uint32_t nodes_cap, gpus_cap; /* room in the columns */
    /* nodes: changed by the ledger */
    int64_t *free_cpus_milli,
        *free_mem_mib;    /* capacity - held - reserved - releasing(not promised) */
    uint32_t *free_gpus;  /* devices without any claim */
    uint32_t *free_share; /* largest share free on one device, milli (1000 where one is idle) */
    uint32_t *task_kinds; /* bit 0 a share, bit k a task of k whole GPUs: what stands on the node */
    uint32_t *node_tasks; /* number of tasks */
    uint32_t *node_mig;   /* devices in MIG mode */
    uint8_t *node_up;     /* takes new claims: state is GS_NODE_UP */
    uint8_t *node_state;  /* enum gs_node_state */
    uint32_t *node_gate;  /* row of gate, 0 = open for good */
    /* [nnodes*16] tasks a kind, behind task_kinds (kinds over 15 are counted as 15) */
    uint16_t *kind_count;
    struct gs_node_use *use; /* behind free_cpus_milli and free_mem_mib */
    /* devices */
    uint32_t *gpu_node, *gpu_mem_mib, *gpu_cap_milli, *gpu_free_milli, *gpu_free_mem_mib,
        *gpu_part /* first partition */;
    uint32_t *gpu_claims; /* live claims on it */
    uint32_t *gpu_shares; /* live claims on it that are not whole: behind gpu_mode */
    uint32_t *gpu_guard;  /* fenced: the shares on it joined (gs_owners_join), 0 = none */
    uint8_t *gpu_up;      /* healthy; a device that is not shows nothing free */
    uint8_t *gpu_health;  /* GSP_HEALTH_*; of whoever models failures; NULL = not modelled */
    /* fixed; by the host's model of servers: 255 = not known, domain GS_NONE = no NVLink */
    uint8_t *gpu_numa, *gpu_nic;
    uint32_t *gpu_domain; /* GPUs of equal domain share NVLink */
    uint8_t *gpu_mode, *gpu_index /* within node */, *gpu_slices /* memory slices in MIG mode */;
    struct gs_gate *gate; /* distinct ones, row 0 = open for good */
    uint32_t ngates, gates_cap;
    /* partitions, claims, undo */
    struct gs_partition *part;
    uint32_t nparts, parts_cap, part_free;
    struct gs_claim *claim;
    uint32_t nclaims, claims_cap, claim_free;
    struct gs_undo *undo;
    size_t nundo, undo_cap;
    int in_txn;
    /* Totals, exact at all times. GPUs and CPUs that are there: healthy devices of nodes that are up or drain. Idle and free: of
     * nodes that take claims. Owned: of nodes that are not absent, healthy or not. Held includes releasing, not reserved; free is the
     * sum of gpu_free_milli. */
    int64_t total_gpus, idle_gpus, held_milli, free_milli_total, total_cpus_milli, held_cpus_milli;
    int64_t nodes_up, owned_gpus;
    int64_t
        closed_milli; /* part of the free share that isolation keeps for the tenants that are there */
    uint64_t epoch;   /* rises with each change */
    /* rises with each change of a mode, an instance, a claim on one, or a divided node's state */
    uint64_t mig_epoch;
    uint32_t mig_log[GS_MIG_LOG]; /* [epoch % GS_MIG_LOG] the node of the change after that epoch */
    /* epoch of the last change after which something may fit that did not before (rollback too) */
    uint64_t gain_epoch;
    /* nodes whose free state changed since the index last looked (classes.h); there is one index a
     * cluster */
    uint32_t *dirty;
    uint32_t ndirty;
    uint8_t *is_dirty;
};

void gs_cluster_init(struct gs_cluster *c, struct gs_intern *str);
void gs_cluster_release(struct gs_cluster *c);
/* A level below those that there are; nodes that are there already stand in its group "". Returns the
 * level's number, or GS_NONE when all GS_LEVELS_MAX are taken. */
uint32_t gs_cluster_add_level(struct gs_cluster *c, const char *name);
void gs_cluster_set_group(struct gs_cluster *c, uint32_t level, uint32_t node, const char *name);
/* Appends a node (id = order of addition) with its devices; all up, all free. Only before the first
 * MIG instance. Errors: too many models or GPUs a node, GPUs without a model, negative (unknown)
 * CPUs or memory, a capacity under the device's own. */
GS_NODISCARD enum gs_rc gs_cluster_add_node(struct gs_cluster *c, const struct gs_node_spec *s,
                                            uint32_t *id, struct gs_err *err);
uint32_t gs_cluster_model(const struct gs_cluster *c, const char *name); /* index or GS_NONE */
uint32_t gs_cluster_node(const struct gs_cluster *c,
                         const char *name); /* id or GS_NONE; O(nodes) */

/* ---- ledger ---- */
void gs_ledger_begin(struct gs_cluster *c);
size_t gs_ledger_mark(const struct gs_cluster *c);
void gs_ledger_rollback(struct gs_cluster *c, size_t mark); /* 0 = all since begin */
void gs_ledger_commit(struct gs_cluster *c);

/* A new reserved (or, with state HELD, directly held) claim of one task on one node. n takes, all
 * on this node; n = 0 is CPU only. With state RESERVED the devices may still be in release by
 * others (a promise). *first = first row. n <= GS_GPUS_PER_NODE_MAX. A refusal names the first
 * obstacle in the order of takes, then CPUs, then memory. */
enum gs_refusal gs_ledger_claim(struct gs_cluster *c, uint32_t task, uint32_t node,
                                const struct gs_take *take, uint32_t n, int64_t cpus_milli,
                                int64_t mem_mib, enum gs_claim_state state, uint32_t *first);
enum gs_refusal gs_ledger_hold(struct gs_cluster *c,
                               uint32_t first); /* reserved -> held; BUSY while others release */
enum gs_refusal gs_ledger_begin_release(struct gs_cluster *c,
                                        uint32_t first);              /* held -> releasing */
enum gs_refusal gs_ledger_free(struct gs_cluster *c, uint32_t first); /* any state -> free */
void gs_ledger_retask(struct gs_cluster *c, uint32_t first,
                      uint32_t task); /* the task's number changed, nothing else */

/* MIG through the ledger: instances exist apart from who holds them. */
enum gs_refusal gs_ledger_set_mode(struct gs_cluster *c, uint32_t gpu,
                                   enum gs_gpu_mode mode); /* idle device only */
enum gs_refusal gs_ledger_create_part(struct gs_cluster *c, const struct gs_partition *want,
                                      uint32_t *part);
enum gs_refusal gs_ledger_part_ready(struct gs_cluster *c, uint32_t part); /* creating -> idle */
enum gs_refusal gs_ledger_destroy_part(struct gs_cluster *c,
                                       uint32_t part);                    /* idle -> destroying */
enum gs_refusal gs_ledger_drop_part(struct gs_cluster *c, uint32_t part); /* destroying -> gone */
/* Nothing new lands on it any more (on = 1), or again; who holds it stays. */
enum gs_refusal gs_ledger_bar_part(struct gs_cluster *c, uint32_t part, int on);

/* Up and draining follow each other at any time; down and absent only where nothing is claimed (BUSY). */
enum gs_refusal gs_ledger_node_state(struct gs_cluster *c, uint32_t node, enum gs_node_state state);
/* Down: only where nothing is claimed. Instances of a device in MIG mode stay. */
enum gs_refusal gs_ledger_gpu_up(struct gs_cluster *c, uint32_t gpu, int up);

/* Recounts everything from the claims and compares with the columns: 1 if all agree. For tests and
 * debug runs; O(size). */
int gs_ledger_audit(const struct gs_cluster *c, struct gs_err *err);
/* Not a claim and not undone: what is planned is known to all alike. */
void gs_cluster_set_gate(struct gs_cluster *c, uint32_t node, struct gs_gate gate);
void gs_cluster_visit(struct gs_cluster *c, struct gs_visitor *v);

/* Something about MIG has changed on the node. */
static inline void gs_mig_touch(struct gs_cluster *c, uint32_t node)
{
    c->mig_log[c->mig_epoch++ % GS_MIG_LOG] = node;
}

#endif

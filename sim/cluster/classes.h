/* classes.h - node classes and the capacity index: nodes that no policy could tell apart are one
 * class.
 *
 * The key of a class is (shape, up, free whole devices, free CPUs, free memory, the free share and
 * free memory of each device that is partly taken, sorted) and, by option, what kinds of task stand
 * on the node; a further key is a further word. The shape stands for all that is fixed: type,
 * model, labels, number and size of devices, capacities, price. Devices wholly free or wholly taken
 * need no word of their own, since the count of the free ones says it all; so most keys are four
 * words. Largest free share follows from the key. A score or a fit test is computed once a class.
 * Cost follows change: only nodes that the ledger marked dirty are moved. Invariant: after
 * gs_classes_sync, node n is in class of[n], and two nodes share a class exactly if their keys are
 * equal. An emptied class stays findable, so a node that returns to a state finds its class and the
 * memos on it, until more than max(1024, 4 x nodes) classes exist; then all empty ones are dropped
 * at once, `gen` rises, and their ids are reused: a memo (id, gen) can tell. Nothing depends on
 * hash order: the lowest member decides every tie.
 *
 * MIG: behind the devices stands a word for each profile of which instances are idle, with their number.
 *
 * Isolation, where some job asks for it: behind the partly taken devices stand their guards, in the same order, and what
 * separates shares on the node is of its shape.
 *
 * Labels: a node fits a request without labels or with exactly its own label set; subsets are not
 * matched yet. Cost: sync O(key words + log members) a dirty node, no allocation once a state has
 * been seen; gs_class_lowest O(log members) amortised. */
#ifndef GS_CLUSTER_CLASSES_H
#define GS_CLUSTER_CLASSES_H

#include "sim/base/map.h"
#include "sim/cluster/cluster.h"

#include <stdint.h>

/* One task's request, as placement sees it. gpus whole devices, or one share (gpus = 1, share_milli
 * < 1000). */
struct gs_request {
    uint32_t gpus;
    uint32_t share_milli; /* 1000 = whole devices */
    uint32_t gpu_mem_mib; /* per device; 0 = in proportion to the share */
    uint16_t profile;     /* MIG profile, 0 = none */
    uint64_t models;      /* bit i: model index i is allowed; 0 = any */
    int64_t cpus_milli, mem_mib;
    uint32_t labels; /* required label set (string id of a canonical "k=v,k=v"), 0 = none */
    uint32_t owner;  /* of a share, where the cluster is fenced: GS_OWNER; 0 = nobody's */
};

enum {
    GS_WHOLE_HIST_ROW = GS_GPUS_PER_NODE_MAX + 1,
    GS_JOINED_KEPT = 4096 /* a power of two */
};

/* What is free on the up nodes of one GPU model. */
struct gs_free_sum {
    int64_t gpus, milli, cpus_milli;
};

enum gs_classes_flags {
    GS_CLASSES_TASK_KINDS = 1u << 0
};

struct gs_nclass {
    uint32_t members, gen;
    uint32_t model, labels, up, fence;
    uint32_t free_gpus, free_share, gpu_count;
    uint32_t gpu_mem_mib, gpu_mem_cap_mib, gpu_cap_milli; /* of one device */
    int64_t free_cpus_milli, free_mem_mib;
    int64_t free_milli; /* of all devices of one node */
    /* value of the classes' clock when it last gained a member; for "new since" questions */
    uint64_t born;
    uint32_t active_pos; /* in active[], GS_NONE when empty */
    /* member heap (node ids, lazily cleaned) and the key words: see classes.c */
    uint32_t *heap;
    uint32_t nheap, heap_cap;
    uint64_t *key;
    uint32_t nkey, key_cap, ninstances; /* the last so many words are profiles */
    uint32_t npartly; /* devices that are partly taken; where fenced, their guards follow them */
    uint64_t hash;
};

struct gs_classes {
    struct gs_cluster *c;
    uint32_t flags;
    struct gs_nclass *cls;
    uint32_t ncls, cap;
    uint32_t *of;     /* [nnodes] class of a node */
    uint32_t *active; /* ids of classes with members */
    uint32_t nactive;
    uint32_t *spare; /* dropped classes, to be reused; room for cap */
    uint32_t nspare;
    uint32_t nnodes;
    /* [nnodes] equal exactly for nodes that agree in all fixed columns but name and levels */
    uint32_t *shape;
    uint8_t *seen; /* [nnodes] scratch of heap compaction, all 0 */
    struct gs_map map;
    uint64_t clock;
    /* [GS_JOINED_KEPT] class that gained a member at clock t, at t % GS_JOINED_KEPT: who knows that
     * nothing fitted at a time looks at the classes since */
    uint32_t *joined;
    struct gs_free_sum *free_sum; /* [model+1], row 0 = no GPUs */
    /* [model+1][free whole devices]: up nodes with exactly that many idle, row 0 = no GPUs,
     * GS_WHOLE_HIST_ROW entries a row: refusal of large requests without a look at the classes */
    uint32_t *whole_hist;
    /* told of each node that changed its class; NULL = nobody */
    void (*moved)(void *ctx, uint32_t node);
    void *moved_ctx;
};

/* All nodes must have been added; c must outlive k. Takes over the cluster's dirty list. */
void gs_classes_init(struct gs_classes *k, struct gs_cluster *c, uint32_t flags);
void gs_classes_release(struct gs_classes *k);
void gs_classes_sync(struct gs_classes *k); /* O(dirty nodes) */
uint32_t gs_class_lowest(struct gs_classes *k,
                         uint32_t cls); /* lowest node id of a non-empty class */
/* Can one task of r be placed on a node of the class, now? */
int gs_class_fits(const struct gs_classes *k, uint32_t cls, const struct gs_request *r);
/* The same for one node, without classes. */
int gs_node_fits(const struct gs_cluster *c, uint32_t node, const struct gs_request *r);
/* How many tasks of r fit on the node at once. */
uint32_t gs_node_capacity(const struct gs_cluster *c, uint32_t node, const struct gs_request *r);
/* Could one task of r ever be placed on this node, were it empty? */
int gs_node_could_fit(const struct gs_cluster *c, uint32_t node, const struct gs_request *r);
/* Writes the active classes on which one task of r fits to out (room for nactive), in no particular
 * order; returns their number. */
uint32_t gs_classes_fitting(struct gs_classes *k, const struct gs_request *r, uint32_t *out);
/* Default choice of devices on a node: whole = first idle by index; share = tightest that fits,
 * lowest index on ties. Returns 0 if it does not fit, else fills take[0..gpus) and returns 1. */
int gs_pick_devices(const struct gs_cluster *c, uint32_t node, const struct gs_request *r,
                    struct gs_take *take);
/* ---- MIG instances (instances.c) ---- */

/* Idle instances of the profile that may be taken; O(instances of the node). */
uint32_t gs_node_instances(const struct gs_cluster *c, uint32_t node, uint16_t profile);
/* How many the node could offer, were it empty: those that it has, or as many as a partitioner could make. */
uint32_t gs_node_instances_most(const struct gs_cluster *c, uint32_t node, uint16_t profile);
/* The idle instance of the device that stands first, GS_NONE = it has none. */
uint32_t gs_instance_on(const struct gs_cluster *c, uint32_t gpu, uint16_t profile);
/* Default choice: on the device with the most slices held (then the lowest index), so that others empty. */
uint32_t gs_pick_instance(const struct gs_cluster *c, uint32_t node, uint16_t profile);
/* The instance of profile p of the geometry at a start, as the ledger wants it told. Memory that the catalog does not know is the
 * device's, by slices. */
struct gs_mig_geometry;
struct gs_partition gs_instance_at(const struct gs_cluster *c, const struct gs_mig_geometry *g,
                                   uint32_t gpu, uint32_t p, uint32_t start);
struct gs_take gs_take_instance(const struct gs_cluster *c, uint32_t part);

/* Device memory that r takes on this device, MiB: what it names, else its share of the device's,
 * rounded down; a whole device's memory in full (or what r names, if that is more: such a request
 * fits nowhere). 0 where the device's memory is not known. */
uint32_t gs_request_gpu_mem(const struct gs_cluster *c, uint32_t gpu, const struct gs_request *r);

#endif

/* node.h - a node and a request as plain values, and what taking a request does to a node.
 *
 * Policies reason about nodes that do not exist yet ("what if this task stood here"), so they copy a node's free amounts out of the
 * view into a struct and work on the copy. Devices keep their order: position i is the node's i-th device.
 * All functions are pure; cost is O(devices), the subtraction O(devices x devices taken). */
#ifndef GSP_LIB_NODE_H
#define GSP_LIB_NODE_H

#include "gsim/policy.h"

enum {
    GSPL_GPUS_MAX = 64, /* devices a node; more are ignored */
    GSPL_WHOLE = 1000   /* milli of one device */
};

struct gspl_node {
    int64_t cpus_milli;           /* free */
    uint32_t model;               /* GPU model index, GSP_NONE = no GPUs */
    uint32_t gpus;                /* devices */
    uint32_t free[GSPL_GPUS_MAX]; /* free milli of each device */
};

/* What one task asks of a node. */
struct gspl_request {
    int64_t cpus_milli, mem_mib;
    uint32_t gpus;        /* devices; 0 = CPUs only */
    uint32_t milli;       /* of each: GSPL_WHOLE, or less for a share of one device */
    uint32_t gpu_mem_mib; /* of each; 0 = in proportion to milli */
    uint64_t models;      /* bit i: model i allowed; 0 = any */
};

struct gspl_request gspl_request_of(const struct gsp_view *v, uint32_t request);
void gspl_node_of(const struct gsp_view *v, uint32_t node, struct gspl_node *out);

/* Sum of the free milli of all devices. */
int64_t gspl_gpu_left(const struct gspl_node *n);
/* Milli that the request takes in all. */
int64_t gspl_gpu_asked(const struct gspl_request *r);
int gspl_model_allowed(uint64_t models, uint32_t model);

/* The devices that a request takes when only amounts count: those with the least free milli that suffices, by (free, position).
 * Writes r->gpus positions; returns how many were found. */
uint32_t gspl_smallest_devices(const struct gspl_node *n, const struct gspl_request *r,
                               uint32_t *pos);
/* Subtracts the request from the CPUs and from the devices above; 0 if it does not fit (and n is unchanged). */
int gspl_node_sub(struct gspl_node *n, const struct gspl_request *r);
/* Gives a request back to the devices at pos[r->gpus]. */
void gspl_node_add(struct gspl_node *n, const struct gspl_request *r, const uint32_t *pos);

/* Handles. A node's devices have the generation of the node. */
gsp_gpu gspl_gpu_handle(gsp_node node, uint32_t gpu);
/* Device memory that the request takes on this device, MiB. */
uint32_t gspl_gpu_mem(const struct gsp_view *v, uint32_t gpu, const struct gspl_request *r);
/* Can device `gpu` (an index into the view) take one device's worth of the request now? A whole request needs an idle device. */
int gspl_device_fits(const struct gsp_view *v, uint32_t gpu, const struct gspl_request *r);
/* The default choice for whole devices: the first k idle ones of a node, by position. Returns how many were written. */
uint32_t gspl_first_idle(const struct gsp_view *v, gsp_node node, const struct gspl_request *r,
                         gsp_gpu *out, uint32_t k);

/* A value between lo and hi. */
static inline int64_t gspl_clamp(int64_t x, int64_t lo, int64_t hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

#endif

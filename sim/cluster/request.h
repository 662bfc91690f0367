/* request.h - what a request means, apart from any node: shared by fits.c (nodes) and classes.c
 * (classes). */
#ifndef GS_CLUSTER_REQUEST_H
#define GS_CLUSTER_REQUEST_H

#include "sim/base/attr.h"
#include "sim/cluster/classes.h"

#include <stdint.h>

/* One MIG instance of a profile. Asked before the two below: its share says what it counts for, not what it takes. */
static inline int gs_request_is_instance(const struct gs_request *r)
{
    return r->gpus > 0 && r->profile != 0;
}

/* A part of one device, as against whole ones. */
static inline int gs_request_is_share(const struct gs_request *r)
{
    return r->gpus == 1 && r->share_milli > 0 && r->share_milli < 1000;
}

/* Labels and model; the model only matters to a request for GPUs. An instance is one task's, alone: there is no
 * traffic between instances. */
static inline int gs_request_allows(const struct gs_request *r, uint32_t labels, uint32_t model)
{
    if ((r->labels && r->labels != labels) || (r->profile && r->gpus > 1))
        return 0;
    return r->gpus == 0 || r->models == 0 || (model < 64 && (r->models >> model & 1));
}

/* MiB taken on a device that has gpu_mem_mib (0 = not known): see gs_request_gpu_mem. */
static inline uint32_t gs_request_mem(const struct gs_request *r, uint32_t gpu_mem_mib)
{
    if (gpu_mem_mib == 0)
        return 0;
    if (!gs_request_is_share(r))
        return r->gpu_mem_mib > gpu_mem_mib ? r->gpu_mem_mib : gpu_mem_mib;
    return r->gpu_mem_mib ? r->gpu_mem_mib
                          : (uint32_t)((uint64_t)gpu_mem_mib * r->share_milli / 1000);
}

#endif

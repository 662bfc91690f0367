/* replicas.h - which GPUs give the replicas of one request, where each GPU is offered several times (time-slicing, MPS).
 *
 * The greedy choice of NVIDIA's device plugin: one replica after the other from the GPU with the fewest replicas out (distributed, the
 * default) or the most (packed); of equal ones from that which gave least to this request, then from the first. It only sees its own
 * node and never moves a replica, so that packed is not optimal and distributed is best effort. O(replicas x GPUs). */
#ifndef GSP_LIB_REPLICAS_H
#define GSP_LIB_REPLICAS_H

#include <stdint.h>

enum gspl_spread {
    GSPL_DISTRIBUTED,
    GSPL_PACKED
};

/* Takes `need` replicas, of which avail[g] are free on GPU g; all GPUs have equally many in all. picks[g] = how many of GPU g.
 * Returns need, or 0 and no picks if too few are free. */
uint32_t gspl_replicas(enum gspl_spread spread, const uint32_t *avail, uint32_t gpus, uint32_t need,
                       uint32_t *picks);

#endif

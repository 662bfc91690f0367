/* pace.h - how long a job's communication takes on the devices that it got, against those of its reference placement.
 *
 * Nothing is known of a job that is given by its run time but which part of it is communication. It is taken for a
 * hierarchical ring all-reduce of a large buffer over its GPUs: inside each domain (node, or nodes that NVLink joins) at the rate of its
 * NVLinks, between domains in as many rings side by side as there are NICs in use; the slower of the two decides (they overlap). Per byte
 * of buffer and GPU, from the standard cost of a ring (Thakur, Rabenseifner and Gropp, IJHPCA 2005):
 *
 *   inside   2 (g - 1) / g / rate of a GPU's links         between   2 (k - 1) / k / (streams x rate of a stream)
 *
 * for k domains of at most g GPUs. Only ratios of such costs are used, so what is common to both placements cancels; latency, algorithm
 * changes and the overlap of computing and communication do not scale like this and are left out: an error that was not
 * measured. A job that is given by its model is timed by sim/training instead. */
#ifndef GS_NETWORK_PACE_H
#define GS_NETWORK_PACE_H

#include <stdint.h>

struct gs_ring {
    uint32_t domains, gpus; /* k, and the most GPUs of one */
    uint32_t streams;       /* between domains */
    double inside;          /* bytes/s of a GPU's links, one direction */
    double between;         /* bytes/s of a stream; may be 0: it stands still */
};

/* Seconds a byte; 0 for one GPU. between must be > 0 where there are several domains. */
double gs_ring_cost(const struct gs_ring *s);

#endif

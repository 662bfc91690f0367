/* collective.h - how long a collective operation takes: from measured bus bandwidth where it was measured, else alpha-beta.
 *
 * A *fabric* is what the ranks of one communicator stand on: k domains (nodes, or racks that NVLink joins) of g ranks each,
 * and what one rank gets of the links inside and between them. Sizes are those of the full buffer, as nccl-tests counts them (of an
 * all-gather and a reduce-scatter the sum over ranks). Bus bandwidth = size x factor / time, factor 2(n-1)/n of an
 * all-reduce, (n-1)/n of reduce-scatter, all-gather and all-to-all, 1 of broadcast and point to point (nccl-tests, PERFORMANCE.md).
 *
 * Measured: bus bandwidth over size, both in logarithms, by a monotone cubic (Fritsch and Butland, 1984); beyond the ends of the table
 * alpha-beta that meets it there. It holds for the very shape that was measured, and all-reduce only.
 * Alpha-beta: the structure of NCCL's tuner (steps x latency of a hop + bytes / bandwidth, for ring, tree and in-switch reduction and
 * its three protocols, the fastest of them), whose constants are data in collective.c, and what plateaus the measurements have.
 * Its error against each measured point is part of the table (gsim catalog collectives). A few operations of double a call; no libm. */
#ifndef GS_NETWORK_COLLECTIVE_H
#define GS_NETWORK_COLLECTIVE_H

#include "sim/base/attr.h"

#include <stddef.h>
#include <stdint.h>

#define GS_COLLECTIVES(X)             \
    X(ALL_REDUCE, all_reduce)         \
    X(REDUCE_SCATTER, reduce_scatter) \
    X(ALL_GATHER, all_gather)         \
    X(ALL_TO_ALL, all_to_all)         \
    X(BROADCAST, broadcast)           \
    X(P2P, p2p)

enum gs_collective {
#define X(U, l) GS_COLL_##U,
    GS_COLLECTIVES(X)
#undef X
    GS_COLL_COUNT
};

enum gs_algorithm {
    GS_ALGO_BEST, /* the fastest of those that the fabric has */
    GS_ALGO_RING,
    GS_ALGO_TREE,  /* all-reduce only, else as ring */
    GS_ALGO_SWITCH /* NVLS, and SHARP between domains: all-reduce only, else as ring */
};

enum gs_gpu_generation {
    GS_GEN_VOLTA, /* and older */
    GS_GEN_AMPERE,
    GS_GEN_HOPPER,
    GS_GEN_BLACKWELL,
    GS_GEN_COUNT
};
/* By the architecture's name in the catalog; newer than known counts as the newest, anything else as Volta. */
enum gs_gpu_generation gs_gpu_generation(const char *arch);

struct gs_busbw_point {
    double bytes, gbs; /* GB/s = 1e9 bytes/s */
};

/* A measured curve: at least two points, sizes strictly growing, all figures > 0. */
struct gs_busbw_curve {
    const struct gs_busbw_point *point;
    size_t n;
};

struct gs_fabric {
    uint32_t domains, ranks; /* k domains of g ranks: k x g ranks in all, both >= 1 */
    double intra_gbs,
        inter_gbs; /* one direction of one rank's links inside, and of its NIC; nominal */
    enum gs_gpu_generation generation;
    int nvlink;                            /* inside a domain; else PCIe */
    int nvls;                              /* the switch inside a domain can reduce */
    int sharp;                             /* and so can those between */
    const struct gs_busbw_curve *measured; /* all-reduce of this very shape, or NULL */
};

/* bytes x factor = what crosses the busiest link at bus bandwidth; 0 for one rank. */
double gs_collective_factor(enum gs_collective op, uint32_t ranks);
/* Seconds; 0 for one rank or no bytes. */
double gs_collective_s(const struct gs_fabric *f, enum gs_collective op, enum gs_algorithm algo,
                       double bytes);
/* The same without the measured table. */
double gs_collective_model_s(const struct gs_fabric *f, enum gs_collective op,
                             enum gs_algorithm algo, double bytes);
/* Bus bandwidth of the curve at that size, GB/s. Within its ends only the neighbours' points count, `skip` (or SIZE_MAX) left out. */
double gs_busbw_at(const struct gs_busbw_curve *b, double bytes, size_t skip);
/* Relative error |interpolated / measured - 1| of an inner point of the curve, were it not there. */
double gs_busbw_leave_one_out(const struct gs_busbw_curve *b, size_t i);

const char *gs_collective_str(enum gs_collective op);

#endif

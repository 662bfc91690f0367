/* inside.h - a server from inside: what joins two of its GPUs, which NUMA node and NIC are near, how fast a set can go round.
 *
 * From the catalog: NVLinks of a pair by the matrix of its kind (DGX-1: exact, per pair), in pairs (0,1)(2,3).., or through NVSwitch, where every
 * pair has all links of a GPU and any set has full bandwidth per GPU. What joins a pair by PCIe is the matrix's where there is one; else
 * it is taken from NUMA nodes and NICs: GPUs that share a switch with a NIC share that switch; others of one NUMA node count as
 * one CPU; without NUMA facts nothing better than the CPU is assumed. So classes other than a matrix's are inferred.
 * A GPU's links between two partners are one pipe: a pair's rate is its links times the rate of one. */
#ifndef GS_NETWORK_INSIDE_H
#define GS_NETWORK_INSIDE_H

#include "sim/hardware/catalog.h"

enum {
    GS_INSIDE_MAX = 64,      /* GPUs */
    GS_INSIDE_UNKNOWN = 255, /* NUMA node, NIC */
    GS_INSIDE_RING_MAX = 16, /* GPUs of a set whose best ring is looked for */
    GS_INSIDE_CUT_MAX = 8    /* of a set whose rings are counted exactly */
};

enum gs_pcie_class { /* the closest thing that both hang on, by distance */
    GS_PCIE_CROSS_CPU,
    GS_PCIE_SAME_CPU,
    GS_PCIE_HOST_BRIDGE,
    GS_PCIE_MULTI_SWITCH,
    GS_PCIE_SINGLE_SWITCH,
    GS_PCIE_SAME_BOARD,
    GS_PCIE_COUNT
};

struct gs_inside {
    uint32_t gpus;
    int is_switched;                                 /* NVSwitch */
    uint32_t nvlinks[GS_INSIDE_MAX];                 /* of a GPU, all partners together */
    uint8_t pair[GS_INSIDE_MAX][GS_INSIDE_MAX];      /* NVLinks; with NVSwitch all of them */
    uint8_t pcie[GS_INSIDE_MAX][GS_INSIDE_MAX];      /* enum gs_pcie_class */
    uint8_t numa[GS_INSIDE_MAX], nic[GS_INSIDE_MAX]; /* nic: the first of its group */
    uint8_t domain
        [GS_INSIDE_MAX]; /* the lowest GPU that NVLinks lead to; GS_INSIDE_UNKNOWN = no NVLink */
    int64_t link_bytes_per_s; /* one NVLink, one direction; 0 = not known */
    int64_t pcie_bytes_per_s; /* one GPU's, one direction; 0 = not known */
};

/* type NULL: nothing is known but the number of GPUs. gpu: the model that is built in, may be NULL. */
void gs_inside_make(struct gs_inside *in, struct gs_catalog *c, const struct gs_server_model *type,
                    const struct gs_gpu_model *gpu, uint32_t gpus);
/* As go-gpuallocator adds up: 100 a NVLink and 10 .. 60 for the way by PCIe; 0 for a = b. */
int32_t gs_inside_score(const struct gs_inside *in, uint32_t a, uint32_t b);
/* Bytes/s of one direction between two GPUs; over PCIe where there is no NVLink; 0 = not known. */
int64_t gs_inside_pair_rate(const struct gs_inside *in, uint32_t a, uint32_t b);
/* The slowest edge of the best ring through all of a set, bytes/s; 0 = not known, GS_NEVER for one GPU. With more than
 * GS_INSIDE_RING_MAX GPUs and no NVSwitch: of the ring in the order given. O(2^n n). */
int64_t gs_inside_ring_rate(const struct gs_inside *in, const uint32_t *gpu, uint32_t n);
/* Directed rings through all GPUs of a set (bit a: GPU a) that NVLinks carry side by side, one link each: as many as links cross from any part
 * of the set to the rest (Edmonds' bound, 1973; more than GS_INSIDE_CUT_MAX GPUs: as the GPU with the fewest links in the set has, all
 * being joined). A ring all-reduce gets that many times the rate of a link. 0 = over PCIe. O(2^n n^2). */
uint32_t gs_inside_rings(const struct gs_inside *in, uint64_t set);
/* Of the best set of n GPUs. */
uint32_t gs_inside_best_rings(const struct gs_inside *in, uint32_t n);

#endif

/* place.h - where a job stands: its nodes and rails, domains that NVLink joins, the rate of the links inside; and the tightest placement
 * of as many GPUs in this cluster, which is the reference of a job that is given by its run time. For network.c. */
#ifndef GS_EFFECTS_PLACE_H
#define GS_EFFECTS_PLACE_H

#include "sim/network/inside.h"
#include "sim/network/pace.h"
#include "sim/network/topology.h"
#include "sim/run.h"

#include <stdint.h>

/* the best machine of a GPU model in this cluster: the largest domain, then the largest node. */
struct gs_place_machine {
    uint32_t node_gpus, domain_gpus, rails;
    int64_t rail_rate;
    double nvlink, pcie, link; /* bytes/s, one direction: all NVLinks of a GPU, PCIe, one NVLink */
    uint32_t inside;           /* row of `inside`, GS_NONE = any set of GPUs has the full rate */
};

struct gs_place_inside {
    uint32_t type, model;            /* of nodes; string id, index */
    uint8_t best[GS_INSIDE_MAX + 1]; /* rings of the best set of so many GPUs */
    struct gs_inside in;
};

struct gs_places {
    struct gs_place_machine *machine; /* [models] */

    GS_VEC(struct gs_place_inside) inside; /* servers where not all pairs of GPUs are alike */

    /* of the job that was looked at last */
    GS_VEC(struct gs_member) member; /* by node, each once */
    GS_VEC(uint64_t) gpus;           /* of each member: bit per GPU */
    GS_VEC(struct gs_held) sorted;
};

struct gs_place {
    struct gs_ring ring;        /* domains, most GPUs of one, the slowest links inside */
    uint32_t fewest, node_gpus; /* GPUs in the emptiest domain, on the fullest node */
};

struct gs_places *gs_places_new(struct gs_run *r);
void gs_places_free(struct gs_places *p); /* NULL is fine */
/* Members of what the job holds; 0 = no GPU. O(rows), O(nodes^2) of a job in several NVLink domains of many nodes. */
uint32_t gs_places_look(struct gs_places *p, const struct gs_run *r, const struct gs_held *held,
                        uint32_t n);
/* Of the members. */
struct gs_place gs_places_of(const struct gs_places *p, const struct gs_run *r);
/* The distance of the members: 0 = one node, 1 = one group of the innermost level, ..., levels + 1. */
uint32_t gs_places_span(const struct gs_places *p, const struct gs_run *r);
/* The tightest placement of so many GPUs of that model; if nodes > 0, on at least so many nodes. One domain where there is no network. */
struct gs_ring gs_places_tightest(const struct gs_places *p, uint32_t model, uint32_t gpus,
                                  uint32_t nodes);

#endif

/* topology_priv.h - what the files of the topology share: columns of vertices, links and nodes. For these files only.
 *
 * Vertices: the ports of node 0, of node 1, .., then switches. parent[] makes them a forest; up[v] is the link from v to
 * its parent, up[v] + 1 the one back. A torus has one vertex a node and its links at up[v] + 2 * dimension (+ side) and
 * + 1 (- side). */
#ifndef GS_NETWORK_TOPOLOGY_PRIV_H
#define GS_NETWORK_TOPOLOGY_PRIV_H

#include "sim/base/map.h"
#include "sim/base/vec.h"
#include "sim/network/topology.h"

struct gs_topology {
    struct gs_net_rule rule;
    struct gs_net_counts counts;
    struct gs_arena text;
    /* nodes */
    uint32_t nnodes;
    const char **node_name;
    uint32_t *node_gpus, *rails, *first_port, *order, *domain;
    int64_t *rail_rate;
    /* vertices */
    uint32_t nports, nvertices;
    uint32_t *parent, *depth, *up, *port_node;
    const char **name; /* of switches; NULL for ports */
    /* links */
    GS_VEC(struct gs_net_link) link;
    /* levels, widest first */
    uint32_t nlevels;
    const char *level_name[GS_NET_LEVELS_MAX];
    const char **level_group[GS_NET_LEVELS_MAX]; /* [nodes]; equal groups are equal pointers */
    /* scratch of gs_topology_group */
    uint64_t *weight, *below;
    GS_VEC(uint32_t) touched;
    GS_VEC(uint32_t) vertices;
    GS_VEC(uint32_t) way;
    GS_VEC(struct gs_member) member;
    GS_VEC(struct gs_link_weight) out;
};

/* build.c */
void gs_topo_link(struct gs_topology *t, uint32_t from, uint32_t to, uint32_t tier,
                  int64_t bytes_per_s);
/* Bytes/s of a cable of the tier that serves this node: as the rule says, else its rail's rate. */
int64_t gs_topo_cable(const struct gs_topology *t, uint32_t tier, int64_t rail_rate);

/* torus.c */
GS_NODISCARD enum gs_rc gs_torus_build(struct gs_topology *t, struct gs_err *err);
uint32_t gs_torus_route(const struct gs_topology *t, uint32_t from, uint32_t to, uint32_t *links,
                        uint32_t max, uint32_t *switches);

#endif

/* topology.h - how nodes are joined: ports, switches, trunks, the way between two GPUs' NICs, and what a
 * collective puts on each link.
 *
 * A node has `rails`: NICs, or all the NICs of one GPU taken together, one a rail. A rail is a port; a
 * port hangs on a leaf switch. Above the leaves stand groups of switches (a spine layer, a pod, a core), each one
 * vertex; a vertex is joined to the one above by a trunk, one link up and one down. So the network of a tree is
 * a tree, and there is one way between two ports.
 *
 *     core                     fat-tree: all rails of a node on one leaf
 *      | \                     rail:     rail i of every node of a unit (SU) on leaf i of the unit,
 *     pod pod                            so that equal rails meet in one switch
 *      | \                     torus:    no switches; nodes on a grid, a link a direction a dimension
 *    leaf leaf                 file:     the tree that a file gives
 *     | \
 *   port port
 *
 * Assumption, stated in the results: the parallel cables of a trunk share their load ideally (ECMP or adaptive
 * routing without collisions), and a spine layer is never the bottleneck of traffic that its trunks admit. Real ECMP
 * does worse. A torus is routed dimension by dimension, the shorter way round, ties to the + side; neighbours' NICs are
 * its links. No protocol, no queues: latency is a constant a link.
 *
 * Link ids are dense from 0 and never change. Capacity is bytes/s, an int64. All is fixed after building but the state
 * of links. Cost: building O(ports), a route O(its links), a group O(members x streams x depth). The scratch of
 * gs_topology_group belongs to the topology: one caller at a time. */
#ifndef GS_NETWORK_TOPOLOGY_H
#define GS_NETWORK_TOPOLOGY_H

#include "sim/base/err.h"
#include "sim/base/mem.h"

#include <stdint.h>

enum {
    GS_RAILS_MAX = 64, /* of a node */
    GS_TIERS_MAX = 8, /* trunks on the way up from a node: NIC, leaf to spine, spine to core, ... */
    GS_DIMENSIONS_MAX = 3, /* of a torus */
    GS_NET_LEVELS_MAX = 6
};

enum gs_topology_kind {
    GS_TOPOLOGY_NONE,
    GS_TOPOLOGY_FAT_TREE,
    GS_TOPOLOGY_RAIL,
    GS_TOPOLOGY_TORUS,
    GS_TOPOLOGY_FILE
};

/* A node as the network sees it. */
struct gs_net_node {
    const char *name;
    uint32_t gpus;
    uint32_t rails;           /* 1..GS_RAILS_MAX */
    int64_t rail_bytes_per_s; /* of one rail, > 0 */
    uint32_t domain; /* nodes of equal domain share NVLink; GS_NONE = it ends at the node */
};

/* What makes a network. Tier 0 is the NIC's link, tier 1 leaf to spine, and so on. */
struct gs_net_rule {
    enum gs_topology_kind kind;
    uint32_t radix;      /* ports of a switch */
    uint32_t leaf_nodes; /* nodes of a leaf (fat-tree) or of a unit (rail); 0 = half the radix */
    uint32_t tiers;      /* of switches, 1..3; 0 = as few as the radix allows */
    uint32_t planes;     /* parallel networks that share a rail's rate: only counts switches */
    int64_t links[GS_TIERS_MAX]; /* bytes/s of a cable of the tier; 0 = the rail's rate */
    uint32_t oversubscription[GS_TIERS_MAX]; /* thousandths, of tiers 1 and up; 0 = 1000 */
    int64_t latency_ns[GS_TIERS_MAX];        /* of a link of the tier */
    int pxn; /* traffic to another rail goes over NVLink to the GPU of that rail first */
    uint32_t dims[GS_DIMENSIONS_MAX], ndims;
};

/* A tree of groups as a file gives it (file.h); group 0.. in the order of the file. */
struct gs_net_group {
    const char *name;
    uint32_t parent; /* GS_NONE = outermost */
};

struct gs_net_tree {
    const struct gs_net_group *group;
    uint32_t ngroups;
    const uint32_t *node_group; /* [nodes] its leaf; GS_NONE = in none */
    const char *const *level;   /* names of heights, leaf first; NULL = leaf, spine, core, .. */
    uint32_t nlevels;
};

struct gs_net_link {
    uint32_t from, to; /* vertices */
    int64_t bytes_per_s;
    int64_t latency_ns;
    uint8_t tier;
};

/* Counts for people: by rule, what would have to be bought. */
struct gs_net_counts {
    uint32_t leaves, spines,
        cores; /* switches of the radix, all planes; 0 where a file says nothing */
    uint64_t cables[GS_TIERS_MAX]; /* of each tier, all planes */
    uint32_t tiers, ports, units, pods;
};

struct gs_topology;

/* The network of these nodes; tree only for GS_TOPOLOGY_FILE. Errors name the [network] key that is to blame: a torus that is
 * not filled, more leaves than the tiers can join, ... Nodes are placed in their order. */
GS_NODISCARD enum gs_rc gs_topology_build(struct gs_topology **t, const struct gs_net_rule *rule,
                                          const struct gs_net_node *node, uint32_t n,
                                          const struct gs_net_tree *tree, struct gs_err *err);
void gs_topology_free(struct gs_topology *t); /* NULL is fine */

enum gs_topology_kind gs_topology_kind(const struct gs_topology *t);
const struct gs_net_counts *gs_topology_counts(const struct gs_topology *t);
uint32_t gs_topology_nodes(const struct gs_topology *t);
uint32_t gs_topology_links(const struct gs_topology *t);
const struct gs_net_link *gs_topology_link(const struct gs_topology *t, uint32_t link);
/* "leaf-3", "n07/rail-2"; writes at most cap bytes and returns buf. */
const char *gs_topology_vertex_name(const struct gs_topology *t, uint32_t vertex, char *buf,
                                    size_t cap);
uint32_t gs_topology_vertex(const struct gs_topology *t,
                            const char *name); /* a switch; or GS_NONE */
/* The trunk of a vertex: *up leads out of it, *down into it; 0 = it has none (a root; a torus). */
int gs_topology_trunk(const struct gs_topology *t, uint32_t vertex, uint32_t *up, uint32_t *down);

uint32_t gs_topology_rails(const struct gs_topology *t, uint32_t node);
uint32_t gs_topology_rail_of(const struct gs_topology *t, uint32_t node,
                             uint32_t gpu);                              /* nearest NIC */
uint32_t gs_topology_domain(const struct gs_topology *t, uint32_t node); /* GS_NONE = its own */
uint32_t gs_topology_port(const struct gs_topology *t, uint32_t node, uint32_t rail); /* vertex */
uint32_t gs_topology_leaf(const struct gs_topology *t, uint32_t node, uint32_t rail); /* vertex */
int64_t gs_topology_rail_rate(const struct gs_topology *t, uint32_t node); /* bytes/s, up */

/* The links from a rail of a node to a rail of another, in order; none within a node. Returns their number (the first `max` are
 * written), GS_NONE if there is no way. *switches: 1 on one leaf, 3 by a spine, 5 by the core (torus: nodes passed). With PXN
 * the sender leaves by the receiver's rail, where it has one: one NVLink hop instead of a way by the spine. */
uint32_t gs_topology_route(const struct gs_topology *t, uint32_t from, uint32_t from_rail,
                           uint32_t to, uint32_t to_rail, uint32_t *links, uint32_t max,
                           uint32_t *switches);

/* ---- levels: groups of nodes, widest first ---- */
uint32_t gs_topology_levels(const struct gs_topology *t);
const char *gs_topology_level_name(const struct gs_topology *t, uint32_t level); /* "pod", "leaf" */
const char *gs_topology_level_group(const struct gs_topology *t, uint32_t level, uint32_t node);
/* How far a set of nodes reaches: 0 one node, 1 one group of the innermost level, .., levels + 1 across groups of the widest. */
uint32_t gs_topology_span(const struct gs_topology *t, const uint32_t *node, uint32_t n);

/* ---- what a group of nodes that communicates puts on links ---- */
enum gs_pattern {
    GS_PATTERN_RING, /* each sends to the next, in an order that enters each leaf, unit and pod once */
    GS_PATTERN_CHAIN,      /* the same without the edge that closes it, both ways: a pipeline */
    GS_PATTERN_TREE,       /* two binary trees, each with half the data, both ways */
    GS_PATTERN_ALL_TO_ALL, /* each sends to every other */
    GS_PATTERN_COUNT
};

struct gs_member {
    uint32_t node;
    uint64_t rails; /* bit r: it may use rail r; 0 = all */
};

struct gs_link_weight {
    uint32_t link, weight;
};

/* Nodes of one NVLink domain talk over NVLink: nothing of theirs is on links. The members send in `streams` streams side by side, one a rail: as many as the member with the fewest rails has, on rails that all
 * have where there are enough. A link of weight w carries w units; a stream that each member sends is `units` of them (ring 1,
 * chain 1, tree 2, all-to-all members - 1). alone: rate of a unit, bytes/s, with the network to itself. */
struct gs_group_load {
    const struct gs_link_weight *link; /* by link; valid until the next call */
    uint32_t nlinks;
    uint32_t streams, units;
    uint32_t switches;  /* on the longest edge */
    int64_t latency_ns; /* of the longest edge */
    int64_t alone;      /* GS_NEVER = no link is crossed: one node */
    int cut;            /* 1: some edge has no way */
};

/* Members in any order, each node once. Independent of their order. */
struct gs_group_load gs_topology_group(struct gs_topology *t, enum gs_pattern pattern,
                                       const struct gs_member *member, uint32_t n);

#endif

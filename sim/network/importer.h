/* importer.h - networks from files: Slurm's topology.conf and topology.yaml, topograph's output, node labels.
 *
 * What is read is a tree of groups of nodes and, where the file tells them, NVLink domains. Rates are not in these files (Slurm ignores
 * its LinkSpeed): they come from [network] and the servers. Nodes match by name, exactly. Nodes of the scenario that the file
 * lacks, and the reverse, are counted; a file that names none of the nodes is an error. Errors say NAME:line.
 *
 * Slurm, tree: `SwitchName=s Nodes=LIST` or `Switches=LIST`; block: `BlockName=b Nodes=LIST` and `BlockSizes=4,16`: blocks become
 * NVLink-less groups of one switch, sizes above the first aggregate consecutive blocks. Keys without regard to case, # comments,
 * a line that ends in \ goes on. YAML: the first document's list; of several topologies the one with cluster_default, else the first.
 * topograph: {"instances": [{"id", "network_layers": [leaf, spine, ...], "labels": {...}}]}, or its Slurm files.
 * Labels: JSON as `kubectl get nodes -o json` prints it, or CSV with a column `node` and one a label. */
#ifndef GS_NETWORK_IMPORTER_H
#define GS_NETWORK_IMPORTER_H

#include "sim/base/intern.h"
#include "sim/base/vec.h"
#include "sim/network/topology.h"

struct gs_net_import {
    struct gs_net_tree tree; /* points into what follows; for gs_topology_build */
    const char *format;      /* "slurm tree", "slurm block", "topograph", "labels" */
    uint32_t absent;         /* nodes of the scenario that the file does not place */
    uint32_t strange;        /* nodes of the file that are not in the scenario */
    const char *first_absent, *first_strange;
    /* what the readers fill */
    struct gs_intern str;
    const char *name; /* of the file, for messages */
    GS_VEC(struct gs_net_group) group;
    GS_VEC(uint32_t) node_group;
    GS_VEC(uint32_t) domain;   /* [nodes] string id, 0 = not told */
    GS_VEC(uint32_t) node_of;  /* by string id: node or GS_NONE */
    GS_VEC(uint32_t) group_of; /* by string id: group or GS_NONE */
    GS_VEC(const char *) level;
};

/* text: n bytes, any bytes, terminated. node[].domain is set where the file tells domains. *in is to be released in any case. */
GS_NODISCARD enum gs_rc gs_net_import_read(struct gs_net_import *in, const char *name,
                                           const char *format, const char *text, size_t n,
                                           struct gs_net_node *node, uint32_t nnodes,
                                           struct gs_err *err);
void gs_net_import_release(struct gs_net_import *in);

#endif

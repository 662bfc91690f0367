/* importer_priv.h - what the readers of topology files share. For these files only. */
#ifndef GS_NETWORK_IMPORTER_PRIV_H
#define GS_NETWORK_IMPORTER_PRIV_H

#include "sim/network/importer.h"

#include <jansson.h>

/* The group of a name, made when it is new. */
uint32_t gs_import_group(struct gs_net_import *in, const char *name);
/* line 0 = the message has no line. A group has one parent, a node one group. */
GS_NODISCARD enum gs_rc gs_import_child(struct gs_net_import *in, uint32_t parent,
                                        const char *child, unsigned line, struct gs_err *err);
GS_NODISCARD enum gs_rc gs_import_node(struct gs_net_import *in, uint32_t group, const char *node,
                                       unsigned line, struct gs_err *err);
/* Hostlists of them. */
GS_NODISCARD enum gs_rc gs_import_children(struct gs_net_import *in, uint32_t parent,
                                           const char *list, unsigned line, struct gs_err *err);
GS_NODISCARD enum gs_rc gs_import_nodes(struct gs_net_import *in, uint32_t group, const char *list,
                                        unsigned line, struct gs_err *err);
/* "NAME:line: ..." */
enum gs_rc gs_import_fail(const struct gs_net_import *in, unsigned line, struct gs_err *err,
                          const char *fmt, ...) GS_PRINTF(4, 5);
/* Block topology: groups 0.. in their order are blocks; sizes = numbers of nodes, base first. */
GS_NODISCARD enum gs_rc gs_import_blocks(struct gs_net_import *in, const uint64_t *size, uint32_t n,
                                         unsigned line, struct gs_err *err);

GS_NODISCARD enum gs_rc gs_import_slurm(struct gs_net_import *in, const char *text, size_t n,
                                        struct gs_err *err);
GS_NODISCARD enum gs_rc gs_import_yaml(struct gs_net_import *in, const char *text, size_t n,
                                       struct gs_err *err);
GS_NODISCARD enum gs_rc gs_import_topograph(struct gs_net_import *in, const char *text, size_t n,
                                            struct gs_err *err);
GS_NODISCARD enum gs_rc gs_import_labels(struct gs_net_import *in, const char *text, size_t n,
                                         struct gs_err *err);

/* A table of labels as {items: [{metadata: {name, labels}}]}; NULL: *err says why. */
json_t *gs_import_csv(const struct gs_net_import *in, const char *text, size_t n,
                      struct gs_err *err);

#endif

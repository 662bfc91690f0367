/* inventory.h - what the readers of node lists share. A list is a table; its `row` decodes a node and gives it to gs_inventory_give, which
 * hands it on where an inventory is wanted and else only counts it. */
#ifndef GS_TRACES_INVENTORY_H
#define GS_TRACES_INVENTORY_H

#include "traces/table.h"

#define GS_NODE_GPUS_MAX 4096

extern const struct gs_table gs_openb_node_table, gs_spot_node_table;

/* The end of a `row`: a name that is empty or stands twice is a fault of `column`. */
GS_NODISCARD enum gs_rc gs_inventory_give(struct gs_scan *s, struct gs_row *r, const char *column,
                                          const struct gs_inventory_node *node);

/* The scan of a reader of node lists: figures only. */
GS_NODISCARD enum gs_rc gs_inventory_count(struct gs_scan *s, const struct gs_table *t);

#endif

/* closing.h - when what is planned keeps a job off a node: maintenance, reservations of other queues, nodes that are not there yet.
 *
 * A job may be on a node at t if no row of view->plans that binds it overlaps [t, t + the time that it expects to run). A node that is not up
 * now may be used behind the rows that keep it so; one that no row explains (it has failed) may not. A job without an estimate
 * may start until the node closes, as the host has it.
 *
 * Memory is the caller's (gspl_closing_bytes); asking costs O(rows of the node). Without plans, a node is open if it is up. */
#ifndef GSP_LIB_CLOSING_H
#define GSP_LIB_CLOSING_H

#include "gsim/policy.h"

#include "sort.h"

#include <stddef.h>

struct gspl_closing {
    const struct gsp_view *v;
    uint32_t queue;    /* of the job */
    int64_t length_ns; /* that it expects to run, 0 = not known */
    int64_t now_ns;
    const struct gsp_plans *p; /* NULL = nothing is planned */
    uint32_t *first;           /* [nodes + 1] rows of p */
};

size_t gspl_closing_bytes(const struct gsp_view *v);
void gspl_closing_init(struct gspl_closing *x, const struct gsp_view *v, void *memory, gsp_job j,
                       int64_t now_ns);
/* May the job start on the node at that time, not before now? */
int gspl_closing_open(const struct gspl_closing *x, uint32_t node, int64_t at_ns);
/* The times after now at which an answer may change, as items (time, node), unordered: at most two a row. Returns how many. */
uint32_t gspl_closing_times(const struct gspl_closing *x, struct gspl_item *out);

#endif

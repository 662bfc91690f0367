/* room.h - a private copy of what is free on every node and device, to try out a future on.
 *
 * A backfill policy asks "when will this gang fit, if jobs end as estimated, and what is left then?". It copies the free columns of the
 * view (gspl_room_init), gives back what running jobs hold (gspl_room_give) and takes what others shall get
 * (gspl_room_take_rows, gspl_room_take_tasks), without touching the ledger. Devices keep their identity, so that "this job's
 * devices are not needed then" is answered device by device; CPUs and memory are counted a node.
 * Requests' models and labels are respected; nodes that are not open (at first: not up) have no capacity. MIG instances are those that exist: idle ones are free, held
 * ones are given back with their job unless they are draining, and ones that are being made do not count yet.
 *
 * Memory is the caller's (gspl_room_bytes). A copy costs O(nodes + devices); capacity O(1) for whole devices, O(devices of the
 * node) for shares, O(instances of the node) for profiles; give and take O(rows). */
#ifndef GSP_LIB_ROOM_H
#define GSP_LIB_ROOM_H

#include "gsim/policy.h"

#include "node.h"

#include <stddef.h>

struct gspl_room {
    const struct gsp_view *v;
    int64_t *cpus, *mem;      /* [nodes] */
    uint32_t *idle;           /* [nodes] devices with all of their milli free */
    uint32_t *milli, *gpumem; /* [devices] */
    uint32_t *inst_first; /* [devices + 1] rows of view->instances of a device; NULL = none exist */
    uint8_t *inst_free;   /* [instances] */
    uint8_t *open;        /* [nodes] may be used: who tries out another time writes here */
};

size_t gspl_room_bytes(const struct gsp_view *v);
void gspl_room_init(struct gspl_room *r, const struct gsp_view *v, void *memory);
/* Makes `to` (initialised for the same view) equal to `from`. */
void gspl_room_copy(struct gspl_room *to, const struct gspl_room *from);
/* How many tasks of a request fit on the node. */
uint32_t gspl_room_capacity(const struct gspl_room *r, uint32_t node, uint32_t request);
/* Gives back what a job holds (rows as host->held writes them). */
void gspl_room_give(struct gspl_room *r, const struct gsp_alloc *row, uint32_t n);
/* Takes exactly these rows; 0, and nothing taken, if one of them is not free. */
int gspl_room_take_rows(struct gspl_room *r, const struct gsp_alloc *row, uint32_t n);
/* Takes up to k tasks of a request on a node, devices that are in use now first (whatever is free now stays free for others as
 * long as possible), then from the highest number down. Returns how many were taken. */
uint32_t gspl_room_take_tasks(struct gspl_room *r, uint32_t node, uint32_t request, uint32_t k);

#endif

/* outage.h - nodes and devices that go and come: failures, planned changes, nodes that are not there yet.
 *
 * An outage is a stretch of time in which something keeps a node (or a device) from being used; several may overlap, and the node is as bad as
 * the worst of them says: absent > down > draining > up. When it goes down, what runs on it is stopped (gs_life_fail). Modules see nodes
 * come and go (GSP_EV_NODE_UP, _DOWN). Capacity is told to the metrics at each change. O(tasks in the system) for a node that goes
 * down, else O(1). */
#ifndef GS_OUTAGE_H
#define GS_OUTAGE_H

#include "sim/run.h"

#define GS_OUTAGE_KINDS(X)                               \
    X(NODE, node)       /* the node is down */           \
    X(GPU, gpu)         /* one device is out of order */ \
    X(DRAIN, drain)     /* nothing new starts */         \
    X(ABSENT, absent)   /* not owned then */             \
    X(RESERVE, reserve) /* for one queue only */         \
    X(LINK, link)       /* a link of the network is down */

enum gs_outage_kind {
#define X(U, l) GS_OUTAGE_##U,
    GS_OUTAGE_KINDS(X)
#undef X
    GS_OUTAGE_KIND_COUNT
};

/* Begins an outage now; returns its row. kind, planned, node, gpu (global index) and cause are taken from o. */
uint32_t gs_outage_begin(struct gs_run *r, struct gs_outage o);
void gs_outage_end(struct gs_run *r, uint32_t row);
/* The node's capacity changed by itself: tells metrics and modules. For the first instant, and for who changes states by hand. */
void gs_outage_tell_capacity(struct gs_run *r);
/* Stretches in which nodes were up, those that last closed at end_ns; NULL where nothing ever changed. In the order in which they ended. */
const struct gs_node_life *gs_outage_lives(struct gs_run *r, int64_t end_ns, size_t *n);
enum gs_rc gs_outage_write(struct gs_run *r, struct gs_err *err); /* /outages */
void gs_outage_release(struct gs_run *r);

/* Events that go on by themselves, whether or not there are jobs: failures, planned changes. The run is over when all jobs are, though such
 * events are pending. Each handler says gs_background_done first. */
uint64_t gs_background_at(struct gs_run *r, int64_t at_ns, uint16_t kind, uint32_t subject,
                          uint32_t object);
void gs_background_done(struct gs_run *r);
int gs_background_only(const struct gs_run *r); /* all jobs are done */

#endif

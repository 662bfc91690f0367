/* flows.h - who gets how much of links that are shared: max-min fair rates of coupled flow groups, in integers.
 *
 * A *link* is a number of bytes/s: a trunk of a switch, a file server, a registry. A *group* is all that one owner sends at one
 * pace: a set of flows, each with a route (links) and a weight (how many unit streams it stands for, 8 rails or 3 pairs of
 * nodes). The group has one rate r, bytes/s of a unit of weight; a link carries the sum of weight * r over the flows that cross it.
 * So a ring is as fast as its slowest edge, and the other edges leave to others what they cannot use. A group lasts until it is
 * removed, with a limit on r if it has one (its NIC, its demand), or it moves a number of bytes and is then done.
 *
 * Rates by progressive filling (Bertsekas and Gallager, Data Networks, 1987, 6.5.2), with this rule for what does not divide:
 *   ceiling(g) = the smaller of g's limit and floor(capacity / weight of g) of each link of g.
 *   Of groups without a rate and links that carry one, the least level goes next: a group's ceiling, or a link's capacity left /
 *   weight left (an exact fraction); ceilings before links, then the lower link id. A group at its ceiling gets it. The groups of a
 *   link get s = floor(level); then, in the order of their keys, one unit more each, where no link of the group is overrun
 *   when all groups still without a rate get s.
 * What follows, and what the property tests check, without any tolerance: no link carries more than its capacity; each group has
 * its ceiling, or else a link of its route that has less left than one unit for every group on it, on which no group is faster by more
 * than 1 byte/s per unit of weight; rates do not depend on the order in which groups came, only on their keys.
 *
 * Only what changed is solved: changes mark links, gs_flows_solve looks once at the components (groups joined by links) of what
 * was marked. A link that its groups cannot fill at their ceilings is *slack*: it cannot slow anybody and joins nobody, which in a
 * network that is not oversubscribed leaves components of one group. O(edges x log) of the component; nothing
 * allocates once arrays have grown.
 *
 * The model is greedy: every group sends all the time, as fast as it is let. That overstates contention between jobs
 * that communicate only now and then; give such a group a limit (see duty_cycle in the scenario). Ideal multipath: the parallel
 * cables of a trunk are one link. */
#ifndef GS_NETWORK_FLOWS_H
#define GS_NETWORK_FLOWS_H

#include "sim/base/attr.h"
#include "sim/base/visit.h"

#include <stdint.h>

#define GS_LINK_MAX  (INT64_C(1) << 53) /* bytes/s of a link; also the largest limit of a group */
#define GS_BYTES_MAX (INT64_C(1) << 54) /* of a transfer */

struct gs_flow {
    const uint32_t *links; /* its route; a link may occur twice and then carries it twice */
    uint32_t nlinks;
    uint32_t weight; /* >= 1 */
};

struct gs_flow_group {
    uint64_t key; /* the order among groups; unique among those that live */
    const struct gs_flow *flows;
    uint32_t nflows;
    int64_t limit;   /* of the rate of a unit of weight, bytes/s; GS_NEVER = none */
    int64_t bytes;   /* that a unit of weight carries, <= GS_BYTES_MAX; GS_NEVER = no end */
    uint32_t owner;  /* kept for the caller */
    uint32_t reason; /* kept for the caller */
};

/* What solving took, summed over the run. */
struct gs_flows_stats {
    uint64_t solves;  /* that had something to do */
    uint64_t groups;  /* looked at */
    uint64_t flows;   /* of those groups, as they were given */
    uint64_t links;   /* that could bind, of those groups */
    uint64_t edges;   /* (group, link) pairs of those groups */
    uint64_t rounds;  /* bottleneck links that were filled */
    uint64_t changed; /* rates that were not what they had been */
    uint32_t live_groups, live_flows, live_links;
};

struct gs_flows;

struct gs_flows *gs_flows_new(void);
void gs_flows_free(struct gs_flows *f); /* NULL is fine */

/* A new link; ids count from 0. 0 <= bytes_per_s <= GS_LINK_MAX. */
uint32_t gs_flows_link(struct gs_flows *f, int64_t bytes_per_s);
/* 0: the link is down, and whoever crosses it stands still. */
void gs_flows_set_capacity(struct gs_flows *f, uint32_t link, int64_t bytes_per_s);
int64_t gs_flows_capacity(const struct gs_flows *f, uint32_t link);
int64_t gs_flows_load(const struct gs_flows *f, uint32_t link);   /* bytes/s at the rates of now */
uint32_t gs_flows_users(const struct gs_flows *f, uint32_t link); /* groups that cross it */

/* A group begins; it has rate 0 until the next solve. Returns its id; ids of removed groups are used again. O(its edges). */
uint32_t gs_flows_add(struct gs_flows *f, int64_t now_ns, const struct gs_flow_group *spec);
void gs_flows_set_limit(struct gs_flows *f, uint32_t group, int64_t limit);
void gs_flows_remove(struct gs_flows *f, uint32_t group);

/* Is there anything to solve? */
int gs_flows_dirty(const struct gs_flows *f);
/* Solves what the changes since the last call have touched. Returns the groups whose rate is another now, in the order of
 * their keys; valid until the next call. A group that was added and gets rate 0 is not among them. */
const uint32_t *gs_flows_solve(struct gs_flows *f, int64_t now_ns, uint32_t *n);

int64_t gs_flows_rate(const struct gs_flows *f, uint32_t group); /* of a unit of weight, bytes/s */
int64_t gs_flows_ceiling(const struct gs_flows *f, uint32_t group); /* it would get alone */
uint32_t gs_flows_owner(const struct gs_flows *f, uint32_t group);
uint32_t gs_flows_reason(const struct gs_flows *f, uint32_t group);
/* Transfers: bytes of a unit of weight that are still to move, in 1/256 byte (rounded up to what has not wholly moved). */
int64_t gs_flows_left(const struct gs_flows *f, uint32_t group, int64_t now_ns);
/* When it will be done at its rate of now: the first ns at which nothing is left; GS_NEVER at rate 0 or without an end. */
int64_t gs_flows_finish_ns(const struct gs_flows *f, uint32_t group);

const struct gs_flows_stats *gs_flows_stats(const struct gs_flows *f);
void gs_flows_visit(struct gs_flows *f, struct gs_visitor *v);

#endif

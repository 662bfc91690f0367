/* network.h - the effect of distance and of shared links on jobs that communicate, and links that fail. */
#ifndef GS_EFFECTS_NETWORK_H
#define GS_EFFECTS_NETWORK_H

#include "sim/base/err.h"
#include "sim/cluster/cluster.h"

#include <stdint.h>

struct gs_run;

/* By how much the run time grows with distance, Q30: [0] in one node, [1] in one group of the innermost level, ..., [levels + 1] across
 * groups of the widest. */
struct gs_sensitivity {
    int64_t q[GS_LEVELS_MAX + 2];
};

/* "leaf:1.0 block:1.1 zone:1.3": the factor of a job whose nodes share a group of that level and none of a narrower one; `node` and
 * `cluster` name the ends. A level that is not named has the factor of the next narrower one that is, or 1. *row is what
 * gs_job.sensitivity is to be. */
GS_NODISCARD enum gs_rc gs_network_sensitivity(struct gs_run *r, const char *text, uint32_t *row,
                                               struct gs_err *err);

/* What a placement as it was recorded costs: run time on so many nodes / run time on the reference, for a job of so many GPUs of
 * which a part comm (0..1) of the reference's time is communication. 1 where the scenario has no network. */
double gs_network_slowdown(struct gs_run *r, uint32_t gpus, uint32_t nodes, double comm);

/* link: of the topology. Failures of one link add up: it is up again when each is undone. Down, who crosses it stands still: such a job
 * makes no progress, and its time is communication. Nothing happens in a run whose jobs do not communicate. */
void gs_network_link_up(struct gs_run *r, uint32_t link, int up);
/* A cable: the link that leads up and the one behind it, its way back. */
void gs_network_cable_up(struct gs_run *r, uint32_t up_link, int up);
/* All links of a switch (or of a node's port). */
void gs_network_switch_up(struct gs_run *r, uint32_t vertex, int up);
/* The job stands still, because a link on its way is down or there is no way. */
int gs_network_stalled(const struct gs_run *r, uint32_t slot);

/* Where the topology's links stand among the shared links of the run (links.h); GS_NONE = they are not among them. */
uint32_t gs_network_first_link(const struct gs_run *r);

#endif

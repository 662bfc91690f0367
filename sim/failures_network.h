/* failures_network.h - cables of NICs and leaf switches that fail; for failures.c. */
#ifndef GS_FAILURES_NETWORK_H
#define GS_FAILURES_NETWORK_H

#include "sim/run.h"

struct gs_failing_network {
    GS_VEC(uint32_t) cable; /* of a NIC: the link of the topology that leads out of it */
    GS_VEC(uint32_t) leaf;  /* vertices */
};

/* O(ports x leaves) at worst; ports of a leaf stand together. */
void gs_failing_network_find(struct gs_failing_network *f, const struct gs_run *r);
void gs_failing_network_release(struct gs_failing_network *f);
/* An outage of the cable; of each cable of the switch, their rows one after the other; and the end of those, the first being `row`. */
void gs_cable_fails(struct gs_run *r, uint32_t up, const char *cause);
void gs_switch_fails(struct gs_run *r, uint32_t vertex, const char *cause);
void gs_switch_returns(struct gs_run *r, uint32_t vertex, uint32_t row);

#endif

/* power.h - what nodes cost and draw: made from the scenario (world_cost.c), metered while jobs run (effects/power.c). */
#ifndef GS_EFFECTS_POWER_H
#define GS_EFFECTS_POWER_H

#include "sim/base/vec.h"
#include "sim/hardware/power.h"
#include "sim/metrics/bill.h"

struct gs_run;

enum gs_share_price { /* what a share or a slice of a device costs: its part of */
    GS_SHARE_MEMORY,
    GS_SHARE_COMPUTE,
    GS_SHARE_LARGER
};

struct gs_power_node {
    int64_t rate;    /* nano-USD an hour, -1 = not known */
    int64_t host_mw; /* the node without its GPUs */
    uint32_t kind;   /* of its GPUs; GS_NONE = none, or of unknown power */
    int bought;      /* the rate is capex: it costs while it is down, too */
};

struct gs_power_slot;

struct gs_power_state {
    struct gs_tariff tariff;
    enum gs_share_price share_price;
    struct gs_power_node *node; /* [nodes] */
    GS_VEC(struct gs_power_gpu) kind;
    uint64_t unpriced, unpowered, idle_assumed, host_assumed; /* nodes */
    const char *assumed;                                      /* the same in words, "" = nothing */
    struct gs_bill *bill;                                     /* the metrics own it */
    struct gs_power_slot *slot;
    uint32_t slots;
};

/* The node's state has changed. What is down draws nothing and costs nothing, unless it was bought; what is absent costs nothing. */
void gs_power_node_state(struct gs_run *r, uint32_t node);
/* All nodes now: watts, USD an hour; NaN where not known. */
double gs_power_watts(const struct gs_run *r);
double gs_power_usd_per_h(const struct gs_run *r);

#endif

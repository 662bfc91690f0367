/* plan.h - planned changes of the cluster, as a scenario or a CSV writes them ([calendar]).
 *
 *   NAME = ACTION NODES at WHEN [for TIME] [every TIME [until WHEN]] [rolling N] [notice TIME] [queue QUEUE] [reason WORDS]
 *
 *   add      the nodes are not there before           remove   they leave for good
 *   drain    what runs goes on, nothing new starts    down     what runs is stopped, the nodes are off
 *   up       ends drain, down or reserve early        reserve  only jobs of the queue may start
 *
 * NODES is a list of node names (n[001-016]), the name of a [nodes] section, or all. WHEN is a time from t = 0 or a wall clock (with
 * [scenario] start). rolling N: groups of N nodes, one after the other, each for the time. notice: drained so long before. A CSV has
 * the columns name, action, nodes, at, for, every, until, rolling, notice, queue, reason; the last seven may be empty or missing. */
#ifndef GS_SCENARIO_PLAN_H
#define GS_SCENARIO_PLAN_H

#include "sim/base/err.h"
#include "sim/base/mem.h"

#include <stdint.h>

#define GS_PLAN_ACTIONS(X) \
    X(ADD, add)            \
    X(REMOVE, remove)      \
    X(DRAIN, drain)        \
    X(DOWN, down)          \
    X(UP, up)              \
    X(RESERVE, reserve)

enum gs_plan_action {
#define X(U, l) GS_PLAN_##U,
    GS_PLAN_ACTIONS(X)
#undef X
    GS_PLAN_ACTION_COUNT
};

struct gs_set_plan {
    const char *name, *where; /* where: "file:line", for messages */
    enum gs_plan_action action;
    const char *nodes, *queue, *reason; /* queue, reason: "" = none */
    int64_t at_ns;
    int64_t for_ns;             /* GS_NEVER = until something else changes it */
    int64_t every_ns, until_ns; /* 0 = once; GS_NEVER = as long as the run */
    int64_t notice_ns, rolling; /* 0 = none; 0 = all at once */
};

/* start_unix_ns: wall clock of t = 0, GS_NEVER = not known; offset_s: of clocks that name no zone (GS_NO_ZONE: they must). Strings go to
 * a. Name and where are left to the caller. */
struct gs_plan_clock {
    int64_t start_unix_ns;
    int32_t offset_s;
};
/* "2d" or a wall clock, as ns from t = 0. */
GS_NODISCARD enum gs_rc gs_plan_when(const char *text, const struct gs_plan_clock *clock,
                                     int64_t *out, struct gs_err *err);
GS_NODISCARD enum gs_rc gs_plan_parse(const char *text, const struct gs_plan_clock *clock,
                                      struct gs_arena *a, struct gs_set_plan *out,
                                      struct gs_err *err);

#endif

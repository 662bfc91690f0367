/* effects.h - how a running job feels the machine room: each piece of hardware that can slow or stop a job is one effect, one file.
 *
 * The work of a job is counted in ns of run time on its reference placement. While it runs, a unit of work takes a pace: so much
 * computing, so much communication, so much waiting for input, ... (Q30: GS_ONE = one ns a ns of work). The sum of the pace is the
 * job's dilation; a plain job on undisturbed devices has {compute = GS_ONE} and runs exactly as long as its work. Or it does not get
 * on at all: an effect has it wait (images, weights, a checkpoint), and says to what its time goes. pace.c keeps the account:
 *
 *   start -> [waits: start-up, gang wait] -> runs at a pace <-> waits: checkpoint, input -> end
 *
 * Invariants: the parts of a job's time sum exactly to the time that it held its devices; work done is floor(time / dilation) with
 * nothing kept over, so the same changes at the same instants give the same end everywhere; a run without effects makes no events
 * and costs nothing. All changes of one instant are settled by one event (GS_EV_PACE, class network completion). */
#ifndef GS_EFFECTS_H
#define GS_EFFECTS_H

#include "sim/run.h"
#include "sim/workload/pace.h"

#include <stdint.h>

enum gs_effect_id { /* in this order pace() is asked, and of several waits the first one's split counts */
    GS_EFFECT_STARTUP, /* images, weights, restart, creation of MIG instances */
    GS_EFFECT_CHECKPOINT,
    GS_EFFECT_NETWORK,
    GS_EFFECT_INPUT, /* data sets, CPU cores for preprocessing */
    GS_EFFECT_SHARING,
    GS_EFFECT_POWER,
    GS_EFFECT_FAILURE, /* of a job by itself */
    GS_EFFECT_COUNT
};

struct gs_effect {
    const char *name;
    /* Once, before t = 0. Sets *on = 1 where the scenario uses it; else none of the others is called. */
    enum gs_rc (*prepare)(struct gs_run *r, int *on, struct gs_err *err);
    /* An attempt begins: the job holds these devices. May call gs_pace_wait, gs_pace_touch (also of other jobs). */
    void (*start)(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n);
    /* Its start-up is over, at once where there is none: work begins, and what the job then keeps sending and reading. */
    void (*begin)(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n);
    /* It is over (ended, evicted, failed); its devices are, or are about to be, free. What it does not undo, leaks. */
    void (*stop)(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n);
    /* What it adds to the pace of the job as it stands now. p comes with what the effects before it made of it (at first the job's own:
     * compute and communication on the reference placement); parts may be added to, and scaled. Pure: no side effects. */
    void (*pace)(struct gs_run *r, uint32_t slot, struct gs_pace *p);
    /* Once an instant before touched jobs are paced anew: shared links and the like are solved here. May touch further jobs. */
    void (*settle)(struct gs_run *r);
    /* A time that was asked for with gs_effect_at has come, the job's attempt still being the one that asked. */
    void (*event)(struct gs_run *r, uint32_t slot, uint32_t code);
    void (*release)(struct gs_run *r);
    void (*visit)(struct gs_run *r,
                  struct gs_visitor *v); /* state that must agree between equal runs; may be NULL */
    /* From now on the job's time is divided so, running or waiting. For what looks on, as power does. */
    void (*paced)(struct gs_run *r, uint32_t slot, const struct gs_pace *p);
};

extern const struct gs_effect *const gs_effects[GS_EFFECT_COUNT]; /* NULL = not built */
extern const struct gs_effect gs_effect_startup, gs_effect_checkpoint, gs_effect_network,
    gs_effect_input, gs_effect_sharing, gs_effect_failure, gs_effect_power;

/* ---- for effects ---- */

/* The job's pace may have changed: it is asked anew at the end of this instant. */
void gs_pace_touch(struct gs_run *r, uint32_t slot);
/* Something is to be settled at the end of this instant, whose jobs are not known yet. */
void gs_pace_want(struct gs_run *r);
/* The job does not get on until gs_pace_go of the same effect; its time goes to the parts of split. Calling it again changes the split. */
void gs_pace_wait(struct gs_run *r, uint32_t slot, enum gs_effect_id e,
                  const struct gs_pace *split);
void gs_pace_wait_part(struct gs_run *r, uint32_t slot, enum gs_effect_id e, enum gs_part part);
void gs_pace_go(struct gs_run *r, uint32_t slot, enum gs_effect_id e);
/* Calls the effect's event(slot, code) at at_ns >= now, unless the attempt is over by then. code < 256. Returns an id for gs_engine_cancel. */
uint64_t gs_effect_at(struct gs_run *r, enum gs_effect_id e, uint32_t slot, int64_t at_ns,
                      uint32_t code);
/* Brings the account of the job up to now, and returns the work that is left. */
int64_t gs_pace_left(struct gs_run *r, uint32_t slot);
/* Time of the attempt so far in which the job did not wait for an effect. */
int64_t gs_pace_busy(const struct gs_run *r, uint32_t slot);
/* Does that effect have it wait? */
int gs_pace_waits(const struct gs_run *r, uint32_t slot, enum gs_effect_id e);
/* The job's own pace on its reference placement: communication share, idle share. */
void gs_pace_reference(const struct gs_run *r, uint32_t slot, struct gs_pace *p);

/* ---- for life.c and run.c ---- */
enum gs_rc gs_pace_prepare(struct gs_run *r, struct gs_err *err);
void gs_pace_start(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n);
/* The attempt is over: everything is accounted up to now and left_ns is what is left of the work. Idempotent. */
void gs_pace_stop(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n);
void gs_pace_release(struct gs_run *r);
void gs_pace_visit(struct gs_run *r, struct gs_visitor *v);
gs_handler gs_pace_on_pace, gs_pace_on_effect;

#endif

/* life.h - the events of a job's life (life.c), as the loop of a run (run.c) needs them; and what they need of it. */
#ifndef GS_LIFE_H
#define GS_LIFE_H

#include "sim/run.h"

/* What the host calls back when it commits. */
extern const struct gs_world_ops gs_life_ops;

/* Handlers of GS_EV_ARRIVAL, GS_EV_JOB_END, GS_EV_RELEASE, GS_EV_TIMER. */
gs_handler gs_life_on_arrival, gs_life_on_end, gs_life_on_release, gs_life_on_timer;
/* A running job loses its devices: what it did since it was last safe is lost, and it waits again; planned: as if a policy had evicted it.
 * Otherwise it has failed, and after more failures than [failures] retries allows it ends so. */
void gs_life_fail(struct gs_run *r, uint32_t slot, uint32_t cause, int planned);
/* It fails, and would again: it is not tried another time. */
void gs_life_fail_for_good(struct gs_run *r, uint32_t slot, uint32_t cause);
/* Once after jobs ended or failed in an event: the policies look at what is free now. */
void gs_life_freed(struct gs_run *r);
/* Schedules the next job that waits for no other; the first call starts the chain. */
void gs_life_next_arrival(struct gs_run *r);
/* For gs_engine.ahead: asks for the memory of a job that is about to end. */
void gs_life_fetch_ahead(void *world, const struct gs_event *next, uint32_t n);
/* When the run is over: outcomes and open rows of jobs that wait, run, or were never submitted. */
void gs_life_close(struct gs_run *r);
/* Reads what a running job holds into r->held; returns how many rows that are. They are there until it is called again. */
uint32_t gs_life_held(struct gs_run *r, uint32_t slot);

/* run.c */
void gs_run_want_pass(struct gs_run *r); /* if the host wants one, at the next cycle */
void gs_run_measure_capacity(
    struct gs_run *r); /* free capacity changed: fragmentation, stranded GPUs */

#endif

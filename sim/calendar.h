/* calendar.h - planned changes as they come ([calendar], nodes from and until): outages with dates (outage.h).
 *
 * Each entry has groups of nodes (all of them, or so many at a time: rolling maintenance) and may repeat. What is to come is in the policies' view
 * before it begins (view->plans), and jobs with an estimate are not placed where they would run into it, unless [policy] says so. */
#ifndef GS_CALENDAR_H
#define GS_CALENDAR_H

#include "sim/run.h"

/* Resolves names to nodes; after they are there. */
GS_NODISCARD enum gs_rc gs_calendar_load(struct gs_run *r, const struct gs_settings *s,
                                         struct gs_err *err);
void gs_calendar_begin(struct gs_run *r); /* at t = 0 */
gs_handler gs_calendar_on_event;
void gs_calendar_release(struct gs_run *r);

#endif

/* failures.h - what breaks ([failures]): nodes, devices, whole groups of nodes, jobs by themselves; by distributions or as a log tells.
 *
 * Each node, device and group has lifetimes and repair times of its own stream, keyed by (seed, what, which, how often before), so two policies
 * see the same machine fail at the same times of its life. Failures and repairs are events of the background (outage.h). A job may also fail
 * by itself, the sooner the more devices it has. */
#ifndef GS_FAILURES_H
#define GS_FAILURES_H

#include "sim/run.h"

struct gs_listing_form;
struct gs_set_failures;

/* Reads the section: distributions, preset, log. After the nodes are there. */
GS_NODISCARD enum gs_rc gs_failures_load(struct gs_run *r, const struct gs_set_failures *s,
                                         const char *dir, struct gs_err *err);
void gs_failures_begin(struct gs_run *r); /* at t = 0 */
/* Mean time between failures of a job on so many nodes with so many devices, s; +inf where nothing fails. */
double gs_failures_mtbf_s(const struct gs_run *r, uint32_t nodes, uint32_t devices);
/* Time that a job needs to come back after a failure, s, drawn for this attempt; 0 = none is said. */
double gs_failures_restart_s(const struct gs_run *r, uint32_t job, uint32_t attempt);
int gs_failures_restarts(const struct gs_run *r); /* is there such a time? */
gs_handler gs_failures_on_event;
void gs_failures_release(struct gs_run *r);

/* ---- between failures.c and failures_log.c ---- */
struct gs_failure_row {
    int64_t at_ns, for_ns;
    uint32_t node, gpu; /* gpu GS_NONE = the whole node */
    uint32_t cause;     /* string id */
};

void gs_failures_add(struct gs_run *r, const struct gs_failure_row *row);
GS_NODISCARD enum gs_rc gs_failures_log(struct gs_run *r, const char *path, const char *shown,
                                        struct gs_err *err);

extern const struct gs_listing_form gs_failures_form; /* of the log */

#endif

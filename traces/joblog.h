/* joblog.h - what the readers of cluster logs share: stamps that follow each other, end states, gangs over recorded nodes.
 *
 * A cluster log tells when a job was submitted, started and ended by a wall clock. Where that clock goes back in autumn, an end may read
 * earlier than its start; it is then the later of the two instants. Recorded run times are differences of resolved stamps. */
#ifndef GS_TRACES_JOBLOG_H
#define GS_TRACES_JOBLOG_H

#include "traces/reader.h"

/* A wall clock that is known not to lie before `not_before_ns`: an ambiguous one takes the instant that obeys, if one does. */
GS_NODISCARD enum gs_rc gs_log_stamp(struct gs_scan *s, struct gs_row *r, const char *column,
                                     const char *text, int64_t not_before_ns, int64_t *out_unix_ns);

/* The recorded start, which is not before the submit: else it is taken as the submit, and counted. */
void gs_log_start(struct gs_scan *s, struct gs_job *j, int64_t start_ns);

/* Start, end and run time of j (whose submit_ns is set) from two stamps. Returns 0, with the row dropped and its reason counted, if the
 * job never started, was still running, or ends before it starts. A start before the submit is taken as the submit, and counted. */
GS_NODISCARD enum gs_rc gs_log_times(struct gs_scan *s, struct gs_row *r, struct gs_job *j,
                                     const char *const column[2], const char *const text[2],
                                     int *kept);

/* The states that Slurm names (COMPLETED, CANCELLED, FAILED, TIMEOUT, NODE_FAIL); anything else is unknown. */
uint8_t gs_log_state(const char *state);
/* RUNNING, PENDING, SUSPENDED: the end lies behind the end of the log. */
int gs_log_is_open(const char *state);

/* A gang of j->gpus that ran on `nodes` nodes, the fullest with `full` GPUs (0 = not told: equal ones): a task a node, the last may be
 * smaller; where that does not come out, tasks of at most task_gpus (gs_scan_split). cpus_milli and mem_mib are of the whole job, 0 = not
 * told. */
void gs_log_gang(struct gs_scan *s, struct gs_job *j, int64_t nodes, int64_t full,
                 int64_t cpus_milli, int64_t mem_mib);

/* GiB to MiB, rounded up: so much is asked for. */
GS_NODISCARD enum gs_rc gs_log_gib(struct gs_row *r, const char *column, const char *text,
                                   int64_t *mib);

#define GS_LOG_PROCS_MAX INT64_C(100000000)

/* Processors (at least 1): CPUs in equal tasks of at most `task_procs`, or GPUs by the stated ratio. A million GPUs are a fault of `column`. */
GS_NODISCARD enum gs_rc gs_log_procs(struct gs_scan *s, struct gs_row *r, const char *column,
                                     struct gs_job *j, int64_t procs);

/* ns as ms, rounded half to even: figures of seconds to three places. */
gs_i128 gs_log_millis(gs_i128 ns);

#endif

/* replicas.h - what is said of several runs of one scenario: intervals of means, pooled quantiles, and the groups of the results file for them.
 *
 * The results file's detailed groups and /summary values are those of replication 0, from which they can be recomputed; beside each value
 * stand the 95 % interval of the mean over replications and, for a quantile, that of all samples together. */
#ifndef GS_REPLICAS_H
#define GS_REPLICAS_H

#include "sim/points.h"
#include "sim/pool.h"

struct gs_replicas {
    const struct gs_report *first, *others; /* of replication 0 and of 1..n-1 */
    int64_t n;
    const struct gs_pool_run *pool; /* [n] */
    const char *group;              /* of /summary_by */
};

/* Fills the interval of value i: 95 %, Student's t, in replication order. */
void gs_replicas_interval(const struct gs_replicas *p, uint32_t i, struct gs_value_row *row);
/* Writes the groups of the metrics room for replication 0, with intervals and pooled quantiles, /replications and, with groups,
 * /replications_by. */
GS_NODISCARD enum gs_rc gs_replicas_write(const struct gs_replicas *p, struct gs_run *r,
                                          struct gs_err *err);
/* Makes the report of replication 0 that of all: intervals, counts, and the mean as what is printed. */
void gs_replicas_conclude(const struct gs_replicas *p, struct gs_report *rep);

/* Is there something in a scenario that differs between replications, whatever the policy draws: synthetic jobs, or a trace that is
 * resampled, jittered, thinned, or whose estimates are drawn? A tie seed is the same for all of them. */
int gs_replicas_vary(const struct gs_settings *s);

#endif

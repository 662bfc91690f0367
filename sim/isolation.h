/* isolation.h - who may share a GPU with whom.
 *
 * A job's tenant is the queue that it names: each [queue] is a tenant of its own, whatever stands above it. The level of its isolation is
 * the strongest of what its [trace] or [workload], its queue and the queues above say. The ledger judges (sim/cluster/cluster.h has the
 * table): no module can place a job where its level, or that of a neighbour, forbids it. */
#ifndef GS_ISOLATION_H
#define GS_ISOLATION_H

struct gs_run;

/* Once nodes, queues and all jobs are there. Nothing is done, and nothing costs later, where no job that shares a GPU asks for any. */
void gs_isolation_apply(struct gs_run *r);

#endif

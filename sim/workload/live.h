/* live.h - the jobs that are in the system now, as columns: submitted and not finished. The host's view points at them.
 *
 * A slot is one job; a slot's generation is odd while used. Its tasks are contiguous rows of the task table. Requests and shapes are
 * interned, so "asks for exactly the same" is an integer comparison: a request is what one task asks of a node, a shape is
 * (request of full tasks, request of the last task, number of tasks). Slots and task runs are reused; nothing allocates after warm-up.
 *
 *   job:   EMPTY -> PENDING <-> RUNNING -> EMPTY       task: PENDING -> RUNNING -> (RELEASING) -> PENDING / gone
 *            PENDING <-> HELD
 * Owner of a job in each state: PENDING/HELD the policy host, RUNNING the ledger (its claims), EMPTY nobody. */
#ifndef GS_WORKLOAD_LIVE_H
#define GS_WORKLOAD_LIVE_H

#include "sim/base/map.h"
#include "sim/base/vec.h"
#include "sim/base/visit.h"
#include "sim/cluster/classes.h"
#include "sim/workload/job.h"

#include <stdint.h>

struct gs_shape {
    uint32_t request, last_request, tasks; /* last_request == request when all are equal */
};

struct gs_live {
    /* jobs [njobs], capacity jobs_cap */
    uint32_t njobs, jobs_cap, job_free;
    uint32_t *generation, *id, *queue, *user, *attempts, *gpus, *share_milli, *task_first,
        *task_count, *request, *shape;
    int32_t *priority;
    uint8_t *state, *kind, *preemptible, *est_source;
    int64_t *submit_ns, *estimate_ns, *started_ns, *ran_ns, *eligible_ns;
    int64_t *left_ns;    /* work left, GS_NEVER = endless; not in the view */
    uint64_t *end_event; /* gs_event_id of its end while running; not in the view */
    uint32_t *next_free;
    uint32_t live; /* used slots */
    /* tasks [ntasks] */
    uint32_t ntasks, tasks_cap;
    uint32_t *task_generation, *task_job, *task_group, *task_node, *task_request,
        *task_claim /* first claim row or GS_NONE */;
    uint8_t *task_state;
    int64_t *task_started_ns, *task_releasing_until_ns;
    GS_VEC(uint32_t)
    run_free[65]; /* free runs of 1..64 tasks by length; longer ones by power of two in run_big */
    GS_VEC(uint32_t) run_big[32];
    /* requests, structure of arrays as the view shows them */
    uint32_t nrequests, requests_cap;
    uint32_t *rq_gpus, *rq_share_milli, *rq_gpu_mem_mib, *rq_labels, *rq_profile,
        *rq_owner; /* of shares, where some job asks for isolation; not in the view */
    int64_t *rq_cpus_milli, *rq_mem_mib;
    uint64_t *rq_models;
    struct gs_map rq_map;
    struct gs_shape *shapes;
    uint32_t nshapes, shapes_cap;
    struct gs_map shape_map;
};

void gs_live_init(struct gs_live *l);
void gs_live_release(struct gs_live *l);
uint32_t gs_live_request(struct gs_live *l, const struct gs_request *r); /* interns */
struct gs_request gs_live_get_request(const struct gs_live *l, uint32_t id);
/* Adds a job: id = its record number, models = resolved mask of its GPU constraint. Returns the slot; state PENDING. */
uint32_t gs_live_add(struct gs_live *l, uint32_t id, const struct gs_job *j, uint64_t models);
void gs_live_remove(struct gs_live *l, uint32_t slot);
uint64_t gs_live_handle(const struct gs_live *l, uint32_t slot); /* generation<<32 | slot */
uint32_t gs_live_slot(const struct gs_live *l, uint64_t handle); /* GS_NONE if stale */
void gs_live_visit(struct gs_live *l, struct gs_visitor *v);

#endif

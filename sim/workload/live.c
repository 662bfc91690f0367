/* live.c - slots, task runs, and the interning of requests and shapes. */
#include "sim/workload/live.h"

#include "gsim/policy.h"

#include "sim/base/attr.h"
#include "sim/base/mem.h"

#include <string.h>

/* Grows one column to cap elements, new ones zeroed. */
static void *grow(void *p, uint32_t old, uint32_t cap, size_t size)
{
    char *q = gs_resize(p, cap, size);
    memset(q + (size_t)old * size, 0, (size_t)(cap - old) * size);
    return q;
}

#define GROW(col, old, cap) ((col) = grow((col), (old), (cap), sizeof *(col)))

void gs_live_init(struct gs_live *l)
{
    memset(l, 0, sizeof *l);
    l->job_free = GS_NONE;
}

static void release_jobs(struct gs_live *l)
{
    void *col[] = {l->generation,  l->id,          l->queue,       l->user,       l->attempts,
                   l->gpus,        l->share_milli, l->task_first,  l->task_count, l->request,
                   l->shape,       l->priority,    l->state,       l->kind,       l->preemptible,
                   l->est_source,  l->submit_ns,   l->estimate_ns, l->started_ns, l->ran_ns,
                   l->eligible_ns, l->left_ns,     l->end_event,   l->next_free};
    for (size_t i = 0; i < sizeof col / sizeof *col; i++)
        gs_free(col[i]);
}

void gs_live_release(struct gs_live *l)
{
    release_jobs(l);
    void *col[] = {l->task_generation, l->task_job,        l->task_group,
                   l->task_node,       l->task_request,    l->task_claim,
                   l->task_state,      l->task_started_ns, l->task_releasing_until_ns,
                   l->rq_gpus,         l->rq_share_milli,  l->rq_gpu_mem_mib,
                   l->rq_labels,       l->rq_profile,      l->rq_cpus_milli,
                   l->rq_mem_mib,      l->rq_models,       l->rq_owner,
                   l->shapes};
    for (size_t i = 0; i < sizeof col / sizeof *col; i++)
        gs_free(col[i]);
    for (size_t i = 0; i < sizeof l->run_free / sizeof *l->run_free; i++)
        gs_vec_free(&l->run_free[i]);
    for (size_t i = 0; i < sizeof l->run_big / sizeof *l->run_big; i++)
        gs_vec_free(&l->run_big[i]);
    gs_map_release(&l->rq_map);
    gs_map_release(&l->shape_map);
    memset(l, 0, sizeof *l);
}

/* ---- requests and shapes ---- */

static int rq_eq(const void *ctx, uint32_t id, const void *key)
{
    const struct gs_live *l = ctx;
    const struct gs_request *r = key;
    return l->rq_gpus[id] == r->gpus && l->rq_share_milli[id] == r->share_milli &&
           l->rq_gpu_mem_mib[id] == r->gpu_mem_mib && l->rq_labels[id] == r->labels &&
           l->rq_profile[id] == r->profile && l->rq_cpus_milli[id] == r->cpus_milli &&
           l->rq_mem_mib[id] == r->mem_mib && l->rq_models[id] == r->models &&
           l->rq_owner[id] == r->owner;
}

static void grow_requests(struct gs_live *l)
{
    uint32_t old = l->requests_cap, cap = old ? old * 2 : 64;
    GROW(l->rq_gpus, old, cap);
    GROW(l->rq_share_milli, old, cap);
    GROW(l->rq_gpu_mem_mib, old, cap);
    GROW(l->rq_labels, old, cap);
    GROW(l->rq_profile, old, cap);
    GROW(l->rq_cpus_milli, old, cap);
    GROW(l->rq_mem_mib, old, cap);
    GROW(l->rq_models, old, cap);
    GROW(l->rq_owner, old, cap);
    l->requests_cap = cap;
}

uint32_t gs_live_request(struct gs_live *l, const struct gs_request *r)
{
    uint64_t h = gs_hash_mix(r->gpus, r->share_milli);
    h = gs_hash_mix(h, r->gpu_mem_mib);
    h = gs_hash_mix(h, (uint64_t)r->cpus_milli);
    h = gs_hash_mix(h, (uint64_t)r->mem_mib);
    h = gs_hash_mix(h, r->models);
    h = gs_hash_mix(h, ((uint64_t)r->labels << 32) | r->profile);
    if (r->owner)
        h = gs_hash_mix(h, r->owner);
    uint32_t id = gs_map_find(&l->rq_map, h, rq_eq, l, r);
    if (id != GS_NONE)
        return id;
    if (l->nrequests == l->requests_cap)
        grow_requests(l);
    id = l->nrequests++;
    l->rq_gpus[id] = r->gpus;
    l->rq_share_milli[id] = r->share_milli;
    l->rq_gpu_mem_mib[id] = r->gpu_mem_mib;
    l->rq_labels[id] = r->labels;
    l->rq_profile[id] = r->profile;
    l->rq_cpus_milli[id] = r->cpus_milli;
    l->rq_mem_mib[id] = r->mem_mib;
    l->rq_models[id] = r->models;
    l->rq_owner[id] = r->owner;
    gs_map_add(&l->rq_map, h, id);
    return id;
}

struct gs_request gs_live_get_request(const struct gs_live *l, uint32_t id)
{
    gs_assert(id < l->nrequests);
    return (struct gs_request){.gpus = l->rq_gpus[id],
                               .share_milli = l->rq_share_milli[id],
                               .gpu_mem_mib = l->rq_gpu_mem_mib[id],
                               .profile = (uint16_t)l->rq_profile[id],
                               .models = l->rq_models[id],
                               .cpus_milli = l->rq_cpus_milli[id],
                               .mem_mib = l->rq_mem_mib[id],
                               .labels = l->rq_labels[id],
                               .owner = l->rq_owner[id]};
}

static int shape_eq(const void *ctx, uint32_t id, const void *key)
{
    const struct gs_live *l = ctx;
    const struct gs_shape *a = &l->shapes[id], *b = key;
    return a->request == b->request && a->last_request == b->last_request && a->tasks == b->tasks;
}

static uint32_t intern_shape(struct gs_live *l, struct gs_shape s)
{
    uint64_t h = gs_hash_mix(((uint64_t)s.request << 32) | s.last_request, s.tasks);
    uint32_t id = gs_map_find(&l->shape_map, h, shape_eq, l, &s);
    if (id != GS_NONE)
        return id;
    if (l->nshapes == l->shapes_cap) {
        uint32_t cap = l->shapes_cap ? l->shapes_cap * 2 : 64;
        GROW(l->shapes, l->shapes_cap, cap);
        l->shapes_cap = cap;
    }
    id = l->nshapes++;
    l->shapes[id] = s;
    gs_map_add(&l->shape_map, h, id);
    return id;
}

static uint32_t request_of(struct gs_live *l, const struct gs_job *j, uint32_t task,
                           uint64_t models)
{
    struct gs_task_ask a = gs_job_task(j, task);
    struct gs_request r = {.gpus = a.gpus,
                           .share_milli = a.gpus ? a.share_milli : 1000,
                           .gpu_mem_mib = a.gpus && !j->profile ? a.gpu_mem_mib : 0,
                           .profile = a.gpus ? j->profile : 0,
                           .models = a.gpus ? models : 0,
                           .cpus_milli = a.cpus_milli,
                           .mem_mib = a.mem_mib};
    if (r.gpus && !r.profile && r.share_milli < 1000)
        r.owner = j->owner;
    return gs_live_request(l, &r);
}

/* ---- runs of tasks ---- */

static void grow_tasks(struct gs_live *l, uint32_t need)
{
    uint32_t old = l->tasks_cap, cap = old ? old : 256;
    while (cap < need)
        cap *= 2;
    if (cap == old)
        return;
    GROW(l->task_generation, old, cap);
    GROW(l->task_job, old, cap);
    GROW(l->task_group, old, cap);
    GROW(l->task_node, old, cap);
    GROW(l->task_request, old, cap);
    GROW(l->task_claim, old, cap);
    GROW(l->task_state, old, cap);
    GROW(l->task_started_ns, old, cap);
    GROW(l->task_releasing_until_ns, old, cap);
    l->tasks_cap = cap;
}

static uint32_t size_class(uint32_t n)
{
    uint32_t b = 0;
    while ((UINT32_C(1) << b) < n)
        b++;
    return b;
}

static uint32_t take_run(struct gs_live *l, uint32_t n)
{
    uint32_t first;
    if (n <= 64) {
        if (l->run_free[n].n)
            return gs_vec_pop(&l->run_free[n]);
        first = l->ntasks;
        l->ntasks += n;
    } else {
        uint32_t b = size_class(n);
        if (l->run_big[b].n)
            return gs_vec_pop(&l->run_big[b]);
        first = l->ntasks;
        l->ntasks += UINT32_C(1) << b;
    }
    grow_tasks(l, l->ntasks);
    return first;
}

static void give_run(struct gs_live *l, uint32_t first, uint32_t n)
{
    if (n <= 64)
        gs_vec_push(&l->run_free[n], first);
    else
        gs_vec_push(&l->run_big[size_class(n)], first);
}

/* ---- jobs ---- */

static void grow_jobs(struct gs_live *l)
{
    uint32_t old = l->jobs_cap, cap = old ? old * 2 : 256;
    GROW(l->generation, old, cap);
    GROW(l->id, old, cap);
    GROW(l->queue, old, cap);
    GROW(l->user, old, cap);
    GROW(l->attempts, old, cap);
    GROW(l->gpus, old, cap);
    GROW(l->share_milli, old, cap);
    GROW(l->task_first, old, cap);
    GROW(l->task_count, old, cap);
    GROW(l->request, old, cap);
    GROW(l->shape, old, cap);
    GROW(l->priority, old, cap);
    GROW(l->state, old, cap);
    GROW(l->kind, old, cap);
    GROW(l->preemptible, old, cap);
    GROW(l->est_source, old, cap);
    GROW(l->submit_ns, old, cap);
    GROW(l->estimate_ns, old, cap);
    GROW(l->started_ns, old, cap);
    GROW(l->ran_ns, old, cap);
    GROW(l->eligible_ns, old, cap);
    GROW(l->left_ns, old, cap);
    GROW(l->end_event, old, cap);
    GROW(l->next_free, old, cap);
    l->jobs_cap = cap;
}

static uint32_t take_slot(struct gs_live *l)
{
    uint32_t s = l->job_free;
    if (s != GS_NONE) {
        l->job_free = l->next_free[s];
        return s;
    }
    if (l->njobs == l->jobs_cap)
        grow_jobs(l);
    return l->njobs++;
}

static void init_tasks(struct gs_live *l, uint32_t slot, const struct gs_shape *sh)
{
    uint32_t first = take_run(l, sh->tasks);
    l->task_first[slot] = first;
    l->task_count[slot] = sh->tasks;
    for (uint32_t i = 0; i < sh->tasks; i++) {
        uint32_t t = first + i;
        l->task_generation[t]++;
        l->task_job[t] = slot;
        l->task_group[t] = 0;
        l->task_node[t] = GS_NONE;
        l->task_claim[t] = GS_NONE;
        l->task_request[t] = i + 1 == sh->tasks ? sh->last_request : sh->request;
        l->task_state[t] = GSP_TASK_PENDING;
        l->task_started_ns[t] = -1;
        l->task_releasing_until_ns[t] = -1;
    }
}

uint32_t gs_live_add(struct gs_live *l, uint32_t id, const struct gs_job *j, uint64_t models)
{
    gs_require(j->tasks >= 1);
    uint32_t s = take_slot(l);
    struct gs_shape sh = {.tasks = j->tasks};
    sh.last_request = request_of(l, j, j->tasks - 1, models);
    sh.request = j->tasks > 1 ? request_of(l, j, 0, models) : sh.last_request;
    l->generation[s]++;
    gs_verify(l->generation[s] & 1);
    l->id[s] = id;
    l->queue[s] = j->queue;
    l->user[s] = j->user;
    l->attempts[s] = 0;
    l->gpus[s] = j->gpus;
    l->share_milli[s] = j->share_milli;
    l->request[s] = sh.request;
    l->shape[s] = intern_shape(l, sh);
    l->priority[s] = j->priority;
    l->state[s] = GSP_JOB_PENDING;
    l->kind[s] = j->kind;
    l->preemptible[s] = (j->flags & GS_JOB_PREEMPTIBLE) != 0;
    l->est_source[s] = j->est_source;
    l->submit_ns[s] = j->submit_ns;
    l->estimate_ns[s] = j->est_ns;
    l->started_ns[s] = -1;
    l->ran_ns[s] = 0;
    l->eligible_ns[s] = j->submit_ns;
    l->left_ns[s] = j->run_ns;
    l->end_event[s] = 0;
    init_tasks(l, s, &sh);
    l->live++;
    return s;
}

void gs_live_remove(struct gs_live *l, uint32_t slot)
{
    gs_require(slot < l->njobs && (l->generation[slot] & 1));
    for (uint32_t i = 0; i < l->task_count[slot]; i++) {
        uint32_t t = l->task_first[slot] + i;
        gs_verify(l->task_claim[t] == GS_NONE);
        l->task_generation[t]++;
        l->task_state[t] = GSP_TASK_EMPTY;
    }
    give_run(l, l->task_first[slot], l->task_count[slot]);
    l->generation[slot]++;
    l->state[slot] = GSP_JOB_EMPTY;
    l->next_free[slot] = l->job_free;
    l->job_free = slot;
    l->live--;
}

uint64_t gs_live_handle(const struct gs_live *l, uint32_t slot)
{
    return (uint64_t)l->generation[slot] << 32 | slot;
}

uint32_t gs_live_slot(const struct gs_live *l, uint64_t handle)
{
    uint32_t s = (uint32_t)handle;
    if (s >= l->njobs || l->generation[s] != (uint32_t)(handle >> 32) || !(l->generation[s] & 1))
        return GS_NONE;
    return s;
}

void gs_live_visit(struct gs_live *l, struct gs_visitor *v)
{
    gs_visit_u32(v, GS_TAG('L', 'N', 'J', 'B'), &l->njobs, 1);
    gs_visit_u32(v, GS_TAG('L', 'G', 'E', 'N'), l->generation, l->njobs);
    gs_visit_u32(v, GS_TAG('L', 'I', 'D', ' '), l->id, l->njobs);
    gs_visit_u8(v, GS_TAG('L', 'S', 'T', 'A'), l->state, l->njobs);
    gs_visit_u32(v, GS_TAG('L', 'A', 'T', 'T'), l->attempts, l->njobs);
    gs_visit_u32(v, GS_TAG('L', 'T', 'F', 'I'), l->task_first, l->njobs);
    gs_visit_u32(v, GS_TAG('L', 'T', 'C', 'N'), l->task_count, l->njobs);
    gs_visit_i64(v, GS_TAG('L', 'S', 'T', 'R'), l->started_ns, l->njobs);
    gs_visit_i64(v, GS_TAG('L', 'R', 'A', 'N'), l->ran_ns, l->njobs);
    gs_visit_i64(v, GS_TAG('L', 'L', 'E', 'F'), l->left_ns, l->njobs);
    gs_visit_u32(v, GS_TAG('L', 'N', 'T', 'K'), &l->ntasks, 1);
    gs_visit_u32(v, GS_TAG('L', 'T', 'N', 'D'), l->task_node, l->ntasks);
    gs_visit_u32(v, GS_TAG('L', 'T', 'C', 'L'), l->task_claim, l->ntasks);
    gs_visit_u8(v, GS_TAG('L', 'T', 'S', 'T'), l->task_state, l->ntasks);
}

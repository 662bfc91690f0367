/* job.c - the container of jobs and tenants, and how a job divides into tasks.
 *
 * Queues and users are found by string id through a hash index; their numbers are in order of first
 * use. Sealing sorts by submission time, stably, so jobs of one instant keep the order of reading,
 * and names each job's predecessor by its new place. O(n) when the input is in order already, else
 * O(n log n). */
#include "sim/workload/job.h"

#include "sim/base/attr.h"
#include "sim/base/sort.h"

#include <string.h>

#include "sim/base/banned.h"

#define X(U, l) #l,
static const char *const kind_names[GS_KIND_COUNT] = {GS_JOB_KINDS(X)};
static const char *const est_names[GS_EST_COUNT] = {GS_EST_SOURCES(X)};
static const char *const end_names[GS_END_COUNT] = {GS_END_STATES(X)};
#undef X

const char *gs_job_kind_str(enum gs_job_kind k)
{
    gs_require((unsigned)k < GS_KIND_COUNT);
    return kind_names[k];
}

const char *gs_est_source_str(enum gs_est_source s)
{
    gs_require((unsigned)s < GS_EST_COUNT);
    return est_names[s];
}

const char *gs_end_state_str(enum gs_end_state s)
{
    gs_require((unsigned)s < GS_END_COUNT);
    return end_names[s];
}

/* ---- tenants ---- */

static int queue_is(const void *ctx, uint32_t id, const void *key)
{
    const struct gs_workload *w = ctx;
    return w->queues.v[id].name == *(const uint32_t *)key;
}

static int user_is(const void *ctx, uint32_t id, const void *key)
{
    const struct gs_workload *w = ctx;
    return w->users.v[id] == *(const uint32_t *)key;
}

uint32_t gs_workload_queue(struct gs_workload *w, const char *name)
{
    const uint32_t str = gs_intern(w->str, name);
    const uint64_t hash = gs_hash_mix(0, str);
    const uint32_t found = gs_map_find(&w->queue_map, hash, queue_is, w, &str);
    if (found != GS_NONE)
        return found;
    const uint32_t id = (uint32_t)w->queues.n;
    gs_vec_push(&w->queues, (struct gs_queue_spec){.name = str,
                                                   .parent = GS_NONE,
                                                   .quota_milli = -1,
                                                   .limit_milli = -1,
                                                   .quota_cpus_milli = -1,
                                                   .limit_cpus_milli = -1,
                                                   .weight = 1});
    gs_map_add(&w->queue_map, hash, id);
    return id;
}

uint32_t gs_workload_user(struct gs_workload *w, const char *name)
{
    if (!name[0])
        return GS_NONE;
    const uint32_t str = gs_intern(w->str, name);
    const uint64_t hash = gs_hash_mix(0, str);
    const uint32_t found = gs_map_find(&w->user_map, hash, user_is, w, &str);
    if (found != GS_NONE)
        return found;
    const uint32_t id = (uint32_t)w->users.n;
    gs_vec_push(&w->users, str);
    gs_map_add(&w->user_map, hash, id);
    return id;
}

/* ---- the container ---- */

void gs_workload_init(struct gs_workload *w, struct gs_intern *str)
{
    memset(w, 0, sizeof *w);
    w->str = str;
    (void)gs_workload_queue(w, "default");
}

void gs_workload_release(struct gs_workload *w)
{
    gs_vec_free(&w->jobs);
    gs_vec_free(&w->attempts);
    gs_vec_free(&w->attrs);
    gs_vec_free(&w->queues);
    gs_vec_free(&w->users);
    gs_vec_free(&w->sources);
    gs_map_release(&w->queue_map);
    gs_map_release(&w->user_map);
    memset(w, 0, sizeof *w);
}

static int by_submit(const void *a, const void *b, const void *ctx)
{
    const struct gs_job *jobs = ctx;
    const int64_t x = jobs[*(const uint32_t *)a].submit_ns;
    const int64_t y = jobs[*(const uint32_t *)b].submit_ns;
    return (x > y) - (x < y);
}

/* Puts the jobs in the order of their submission. Their numbers are sorted first, since a job may name another by its number. */
static void sort_jobs(struct gs_workload *w)
{
    const size_t n = w->jobs.n;
    uint32_t *order = GS_NEW_N(uint32_t, n);
    uint32_t *place = GS_NEW_N(uint32_t, n);
    struct gs_job *sorted = GS_NEW_N(struct gs_job, n);
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    gs_sort(order, n, sizeof *order, by_submit, w->jobs.v);
    for (size_t i = 0; i < n; i++) {
        sorted[i] = w->jobs.v[order[i]];
        place[order[i]] = (uint32_t)i;
    }
    for (size_t i = 0; i < n; i++) {
        gs_require(sorted[i].after <= n);
        if (sorted[i].after)
            sorted[i].after = place[sorted[i].after - 1] + 1;
    }
    gs_free(w->jobs.v);
    w->jobs.v = sorted;
    w->jobs.cap = n;
    gs_free(order);
    gs_free(place);
}

void gs_workload_seal(struct gs_workload *w)
{
    int sorted = 1;
    for (size_t i = 1; i < w->jobs.n; i++) {
        const struct gs_job *before = &w->jobs.v[i - 1];
        const struct gs_job *j = &w->jobs.v[i];
        if (j->submit_ns >= before->submit_ns)
            continue;
        sorted = 0;
        /* Where one source's rows end and another's begin there is no order to keep. */
        w->out_of_order += j->source == before->source;
    }
    if (!sorted)
        sort_jobs(w);
}

uint32_t gs_workload_cycle(const struct gs_workload *w)
{
    const size_t n = w->jobs.n;
    uint32_t found = GS_NONE;
    uint32_t *walk = GS_NEW_N(uint32_t, n); /* 1 + the job whose walk came by first; 0 = none */
    for (uint32_t i = 0; i < n && found == GS_NONE; i++) {
        uint32_t at = i;
        while (!walk[at]) {
            walk[at] = i + 1;
            if (!w->jobs.v[at].after)
                break;
            at = w->jobs.v[at].after - 1;
            if (walk[at] == i + 1)
                found = at;
        }
    }
    gs_free(walk);
    return found;
}

/* ---- tasks ---- */

/* floor(whole * part / of) without overflow, for part <= of. */
static int64_t in_proportion(int64_t whole, uint32_t part, uint32_t of)
{
    return whole / of * part + whole % of * part / of;
}

struct gs_task_ask gs_job_task(const struct gs_job *j, uint32_t i)
{
    gs_require(i < j->tasks);
    struct gs_task_ask a = {.gpus = j->task_gpus,
                            .share_milli = j->share_milli,
                            .gpu_mem_mib = j->gpu_mem_mib,
                            .cpus_milli = j->cpus_milli,
                            .mem_mib = j->mem_mib};
    if (i + 1 < j->tasks || j->task_gpus == 0)
        return a;
    const uint64_t before = (uint64_t)(j->tasks - 1) * j->task_gpus;
    gs_require(j->gpus > before && j->gpus - before <= j->task_gpus);
    a.gpus = (uint32_t)(j->gpus - before);
    if (a.gpus < j->task_gpus) {
        a.cpus_milli = in_proportion(j->cpus_milli, a.gpus, j->task_gpus);
        a.mem_mib = in_proportion(j->mem_mib, a.gpus, j->task_gpus);
    }
    return a;
}

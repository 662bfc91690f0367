/* room.c - see room.h. */
#include "room.h"

#include <string.h>

/* Rows of view->instances: none where the host is older than they. */
static uint32_t instances_of(const struct gsp_view *v)
{
    return GSP_HAS(v, instances) && v->have & GSP_HAVE_MIG ? v->instances.count : 0;
}

size_t gspl_room_bytes(const struct gsp_view *v)
{
    const size_t g = v->gpus.count, i = instances_of(v);
    return v->nodes.count * (2 * sizeof(int64_t) + sizeof(uint32_t)) + g * 2 * sizeof(uint32_t) +
           v->nodes.count + (i ? (g + 1) * sizeof(uint32_t) + i : 0);
}

static int is_free(const struct gsp_instances *x, uint32_t i)
{
    return x->state[i] == GSP_INSTANCE_IDLE && !x->draining[i];
}

static void init_instances(struct gspl_room *r, uint32_t n)
{
    const struct gsp_instances *x = &r->v->instances;
    const uint32_t gpus = r->v->gpus.count;
    r->inst_free = (uint8_t *)(r->inst_first + gpus + 1);
    for (uint32_t g = 0, i = 0; g <= gpus; g++) {
        while (i < n && x->gpu[i] < g)
            i++;
        r->inst_first[g] = i;
    }
    for (uint32_t i = 0; i < n; i++)
        r->inst_free[i] = (uint8_t)is_free(x, i);
}

void gspl_room_init(struct gspl_room *r, const struct gsp_view *v, void *memory)
{
    const uint32_t n = v->nodes.count, g = v->gpus.count, i = instances_of(v);
    r->v = v;
    r->cpus = memory;
    r->mem = r->cpus + n;
    r->idle = (uint32_t *)(r->mem + n);
    r->milli = r->idle + n;
    r->gpumem = r->milli + g;
    r->inst_first = i ? r->gpumem + g : NULL;
    r->inst_free = NULL;
    r->open = (uint8_t *)(r->gpumem + g + (i ? g + 1 : 0)) + i;
    if (n > 0) {
        memcpy(r->open, v->nodes.up, n);
        memcpy(r->cpus, v->nodes.free_cpus_milli, n * sizeof *r->cpus);
        memcpy(r->mem, v->nodes.free_mem_mib, n * sizeof *r->mem);
        memcpy(r->idle, v->nodes.free_gpus, n * sizeof *r->idle);
    }
    if (g > 0) {
        memcpy(r->milli, v->gpus.free_milli, g * sizeof *r->milli);
        memcpy(r->gpumem, v->gpus.free_mem_mib, g * sizeof *r->gpumem);
    }
    if (i > 0)
        init_instances(r, i);
}

void gspl_room_copy(struct gspl_room *to, const struct gspl_room *from)
{
    memcpy(to->cpus, from->cpus, gspl_room_bytes(from->v));
}

static int allowed(const struct gspl_room *r, uint32_t node, uint32_t request)
{
    const struct gsp_view *v = r->v;
    const struct gsp_requests *q = &v->requests;
    return r->open[node] &&
           (q->labels[request] == 0 || q->labels[request] == v->nodes.labels[node]) &&
           (q->gpus[request] == 0 || gspl_model_allowed(q->models[request], v->nodes.model[node]));
}

static uint32_t times(int64_t have, int64_t each, uint32_t most)
{
    if (each <= 0)
        return most;
    const int64_t k = have / each;
    return k < (int64_t)most ? (uint32_t)(k > 0 ? k : 0) : most;
}

static uint32_t share_capacity(const struct gspl_room *r, uint32_t node, uint32_t request,
                               uint32_t most)
{
    const struct gspl_request q = gspl_request_of(r->v, request);
    const uint32_t first = r->v->nodes.gpu_first[node];
    const uint32_t end = first + r->v->nodes.gpu_count[node];
    uint32_t sum = 0;
    for (uint32_t g = first; g < end && sum < most; g++) {
        const uint32_t k = times(r->milli[g], q.milli, most);
        sum += times(r->gpumem[g], gspl_gpu_mem(r->v, g, &q), k);
    }
    return sum < most ? sum : most;
}

/* ---- instances ---- */

/* The rows of view->instances on the node's devices: from *i to what it returns. */
static uint32_t instances_on(const struct gspl_room *r, uint32_t node, uint32_t *i)
{
    const uint32_t first = r->v->nodes.gpu_first[node];
    *i = r->inst_first ? r->inst_first[first] : 0;
    return r->inst_first ? r->inst_first[first + r->v->nodes.gpu_count[node]] : 0;
}

static uint32_t profile_capacity(const struct gspl_room *r, uint32_t node, uint32_t profile,
                                 uint32_t most)
{
    uint32_t i = 0, k = 0;
    for (const uint32_t end = instances_on(r, node, &i); i < end && k < most; i++)
        k += r->inst_free[i] && r->v->instances.profile[i] == profile;
    return k;
}

/* The row of the instance that a job's row stands on; GSP_NONE = it is not there. */
static uint32_t instance_of_row(const struct gspl_room *r, const struct gsp_alloc *row)
{
    const uint32_t gpu = GSP_INDEX(row->gpu);
    for (uint32_t i = r->inst_first ? r->inst_first[gpu] : 0;
         r->inst_first && i < r->inst_first[gpu + 1]; i++)
        if (r->v->instances.start[i] == row->mig_start)
            return i;
    return GSP_NONE;
}

/* The one that a gang should wait for: in use now, else free now; the last. */
static uint32_t last_instance(const struct gspl_room *r, uint32_t node, uint32_t profile)
{
    const struct gsp_instances *x = &r->v->instances;
    uint32_t first = 0, best = GSP_NONE;
    for (uint32_t i = instances_on(r, node, &first); i-- > first;) {
        if (!r->inst_free[i] || x->profile[i] != profile)
            continue;
        if (x->state[i] == GSP_INSTANCE_HELD)
            return i;
        best = best == GSP_NONE ? i : best;
    }
    return best;
}

uint32_t gspl_room_capacity(const struct gspl_room *r, uint32_t node, uint32_t request)
{
    const struct gsp_requests *q = &r->v->requests;
    if (!allowed(r, node, request))
        return 0;
    uint32_t k = times(r->cpus[node], q->cpus_milli[request], UINT32_MAX);
    k = times(r->mem[node], q->mem_mib[request], k);
    if (q->gpus[request] == 0 || k == 0)
        return k;
    if (q->profile[request])
        return q->gpus[request] == 1 ? profile_capacity(r, node, q->profile[request], k) : 0;
    if (q->share_milli[request] >= GSPL_WHOLE)
        return times(r->idle[node], q->gpus[request], k);
    return share_capacity(r, node, request, k);
}

/* Adds (sign 1) or takes (sign -1) the CPUs and memory of a task. */
static void host_part(struct gspl_room *r, uint32_t node, uint32_t request, int64_t sign)
{
    r->cpus[node] += sign * r->v->requests.cpus_milli[request];
    r->mem[node] += sign * r->v->requests.mem_mib[request];
}

static int is_idle(const struct gspl_room *r, uint32_t gpu)
{
    return r->milli[gpu] >= r->v->gpus.capacity_milli[gpu];
}

/* A whole device counts with all that it has, over-subscribed or not. */
static void device_part(struct gspl_room *r, const struct gsp_alloc *row, int give)
{
    const uint32_t gpu = GSP_INDEX(row->gpu), node = GSP_INDEX(row->node);
    if (row->profile) {
        const uint32_t i = instance_of_row(r, row);
        if (i != GSP_NONE)
            r->inst_free[i] = (uint8_t)(give && !r->v->instances.draining[i]);
        return;
    }
    const int whole = row->share_milli >= GSPL_WHOLE;
    const uint32_t milli = whole ? r->v->gpus.capacity_milli[gpu] : row->share_milli;
    const uint32_t mem = whole ? r->v->gpus.mem_mib[gpu] : row->gpu_mem_mib;
    const int before = is_idle(r, gpu);
    r->milli[gpu] = give ? r->milli[gpu] + milli : r->milli[gpu] - milli;
    r->gpumem[gpu] = give ? r->gpumem[gpu] + mem : r->gpumem[gpu] - mem;
    r->idle[node] += (uint32_t)(is_idle(r, gpu) - before);
}

static uint32_t request_of_row(const struct gspl_room *r, const struct gsp_alloc *row)
{
    return r->v->tasks.request[GSP_INDEX(row->task)];
}

/* Is row i the first of its task? A task's rows are neighbours. */
static int opens_task(const struct gsp_alloc *row, uint32_t i)
{
    return i == 0 || row[i].task != row[i - 1].task;
}

void gspl_room_give(struct gspl_room *r, const struct gsp_alloc *row, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (opens_task(row, i))
            host_part(r, GSP_INDEX(row[i].node), request_of_row(r, &row[i]), 1);
        if (row[i].gpu)
            device_part(r, &row[i], 1);
    }
}

static int row_is_free(const struct gspl_room *r, const struct gsp_alloc *row, int first)
{
    const uint32_t node = GSP_INDEX(row->node), request = request_of_row(r, row);
    if (first && (r->cpus[node] < r->v->requests.cpus_milli[request] ||
                  r->mem[node] < r->v->requests.mem_mib[request]))
        return 0;
    if (!row->gpu)
        return 1;
    const uint32_t gpu = GSP_INDEX(row->gpu);
    if (row->profile) {
        const uint32_t i = instance_of_row(r, row);
        return i != GSP_NONE && r->inst_free[i];
    }
    if (row->share_milli >= GSPL_WHOLE)
        return is_idle(r, gpu);
    return r->milli[gpu] >= row->share_milli && r->gpumem[gpu] >= row->gpu_mem_mib;
}

int gspl_room_take_rows(struct gspl_room *r, const struct gsp_alloc *row, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const int first = opens_task(row, i);
        if (!row_is_free(r, &row[i], first)) {
            gspl_room_give(r, row, i); /* rows 0..i-1 were taken */
            return 0;
        }
        if (first)
            host_part(r, GSP_INDEX(row[i].node), request_of_row(r, &row[i]), -1);
        if (row[i].gpu)
            device_part(r, &row[i], 0);
    }
    return 1;
}

/* The device that the next whole request of a gang should wait for: in use now, else free now; the highest number. */
static uint32_t last_idle(const struct gspl_room *r, uint32_t first, uint32_t count)
{
    uint32_t best = GSP_NONE;
    for (uint32_t i = count; i-- > 0;) {
        if (!is_idle(r, first + i))
            continue;
        if (r->v->gpus.claims[first + i] > 0)
            return first + i;
        best = best == GSP_NONE ? first + i : best;
    }
    return best;
}

static uint32_t tightest_share(const struct gspl_room *r, uint32_t first, uint32_t count,
                               const struct gspl_request *q)
{
    uint32_t best = GSP_NONE;
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t g = first + i;
        if (r->milli[g] >= q->milli && r->gpumem[g] >= gspl_gpu_mem(r->v, g, q) &&
            (best == GSP_NONE || r->milli[g] < r->milli[best]))
            best = g;
    }
    return best;
}

uint32_t gspl_room_take_tasks(struct gspl_room *r, uint32_t node, uint32_t request, uint32_t k)
{
    const struct gspl_request q = gspl_request_of(r->v, request);
    const uint32_t first = r->v->nodes.gpu_first[node], count = r->v->nodes.gpu_count[node];
    const uint32_t fit = gspl_room_capacity(r, node, request);
    const uint32_t n = k < fit ? k : fit;
    for (uint32_t t = 0; t < n; t++) {
        const uint32_t profile = r->v->requests.profile[request];
        host_part(r, node, request, -1);
        if (profile)
            r->inst_free[last_instance(r, node, profile)] = 0;
        for (uint32_t d = 0; d < q.gpus && !profile; d++) {
            const uint32_t g = q.milli >= GSPL_WHOLE ? last_idle(r, first, count)
                                                     : tightest_share(r, first, count, &q);
            struct gsp_alloc row = {.node = node, .gpu = g, .share_milli = q.milli};
            row.gpu_mem_mib = gspl_gpu_mem(r->v, g, &q);
            device_part(r, &row, 0);
        }
    }
    return n;
}

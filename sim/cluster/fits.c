/* fits.c - the question "can this task stand there?", for one node; and the default choice of
 * devices.
 *
 * The definitions here are the only ones: a class (classes.c) must answer as each of its members
 * does, which the tests check. What a query sees is the ledger's free_* columns, so devices in
 * release look occupied. Cost: O(1) for whole devices, O(devices of the node) for shares, O(instances of
 * the node) for instances. */
#include "sim/base/attr.h"
#include "sim/cluster/classes.h"
#include "sim/cluster/request.h"

#include "sim/base/banned.h"

static int labels_and_model(const struct gs_cluster *c, uint32_t node, const struct gs_request *r)
{
    return gs_request_allows(r, c->node_labels[node], c->node_model[node]);
}

/* A node's devices are all of one kind: the first stands for them. */
static uint32_t node_gpu_mem(const struct gs_cluster *c, uint32_t node)
{
    return c->gpu_count[node] ? c->gpu_mem_mib[c->gpu_first[node]] : 0;
}

uint32_t gs_request_gpu_mem(const struct gs_cluster *c, uint32_t gpu, const struct gs_request *r)
{
    return gs_request_mem(r, c->gpu_mem_mib[gpu]);
}

/* Do the tenants whose shares are on the device leave room for the request's? */
static int device_open(const struct gs_cluster *c, uint32_t g, const struct gs_request *r)
{
    return !c->fenced || !c->gpu_shares[g] ||
           gs_owners_agree(r->owner, c->gpu_guard[g], c->node_fence[c->gpu_node[g]]);
}

int gs_node_fits(const struct gs_cluster *c, uint32_t node, const struct gs_request *r)
{
    if (!c->node_up[node] || !labels_and_model(c, node, r) ||
        r->cpus_milli > c->free_cpus_milli[node] || r->mem_mib > c->free_mem_mib[node])
        return 0;
    if (r->gpus == 0)
        return 1;
    if (gs_request_is_instance(r))
        return gs_node_instances(c, node, r->profile) > 0;
    const uint32_t mem = gs_request_mem(r, node_gpu_mem(c, node));
    if (!gs_request_is_share(r))
        return c->free_gpus[node] >= r->gpus && mem <= node_gpu_mem(c, node);
    if (c->free_share[node] < r->share_milli || mem > node_gpu_mem(c, node))
        return 0;
    const uint32_t first = c->gpu_first[node];
    for (uint32_t g = first; g < first + c->gpu_count[node]; g++) {
        if (c->gpu_free_milli[g] >= r->share_milli && c->gpu_free_mem_mib[g] >= mem &&
            device_open(c, g, r))
            return 1;
    }
    return 0;
}

int gs_node_could_fit(const struct gs_cluster *c, uint32_t node, const struct gs_request *r)
{
    if (!labels_and_model(c, node, r) || r->cpus_milli > c->cpus_milli[node] ||
        r->mem_mib > c->mem_mib[node])
        return 0;
    if (r->gpus == 0)
        return 1;
    if (gs_request_is_instance(r))
        return gs_node_instances_most(c, node, r->profile) > 0;
    const uint32_t mem = gs_request_mem(r, node_gpu_mem(c, node));
    return c->gpu_count[node] >= r->gpus && mem <= node_gpu_mem(c, node);
}

static uint32_t times(int64_t have, int64_t each)
{
    if (each <= 0)
        return UINT32_MAX;
    const int64_t k = have / each;
    return k < UINT32_MAX ? (uint32_t)k : UINT32_MAX;
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t gs_node_capacity(const struct gs_cluster *c, uint32_t node, const struct gs_request *r)
{
    if (!gs_node_fits(c, node, r))
        return 0;
    const uint32_t host = min_u32(times(c->free_cpus_milli[node], r->cpus_milli),
                                  times(c->free_mem_mib[node], r->mem_mib));
    if (r->gpus == 0)
        return host;
    if (gs_request_is_instance(r))
        return min_u32(host, gs_node_instances(c, node, r->profile));
    if (!gs_request_is_share(r))
        return min_u32(host, c->free_gpus[node] / r->gpus);
    const uint32_t mem = gs_request_mem(r, node_gpu_mem(c, node));
    const uint32_t first = c->gpu_first[node];
    uint32_t sum = 0;
    for (uint32_t g = first; g < first + c->gpu_count[node]; g++) {
        if (device_open(c, g, r))
            sum +=
                min_u32(c->gpu_free_milli[g] / r->share_milli, times(c->gpu_free_mem_mib[g], mem));
    }
    return min_u32(host, sum);
}

static struct gs_take take_of(uint32_t gpu, uint32_t milli, uint32_t mem, uint32_t whole)
{
    return (struct gs_take){
        .gpu = gpu, .partition = GS_NONE, .milli = milli, .mem_mib = mem, .whole = whole};
}

int gs_pick_devices(const struct gs_cluster *c, uint32_t node, const struct gs_request *r,
                    struct gs_take *take)
{
    if (!gs_node_fits(c, node, r))
        return 0;
    const uint32_t first = c->gpu_first[node];
    const uint32_t end = first + c->gpu_count[node];
    if (gs_request_is_instance(r)) {
        take[0] = gs_take_instance(c, gs_pick_instance(c, node, r->profile));
        return 1;
    }
    const uint32_t mem = gs_request_mem(r, node_gpu_mem(c, node));
    if (!gs_request_is_share(r)) {
        uint32_t k = 0;
        for (uint32_t g = first; g < end && k < r->gpus; g++) {
            if (c->gpu_free_milli[g] == c->gpu_cap_milli[g])
                take[k++] = take_of(g, 1000, mem, 1);
        }
        gs_verify(k == r->gpus);
        return 1;
    }
    uint32_t best = GS_NONE;
    for (uint32_t g = first; g < end; g++) {
        if (c->gpu_free_milli[g] >= r->share_milli && c->gpu_free_mem_mib[g] >= mem &&
            device_open(c, g, r) &&
            (best == GS_NONE ||
             (c->node_spread[node] ? c->gpu_free_milli[g] > c->gpu_free_milli[best]
                                   : c->gpu_free_milli[g] < c->gpu_free_milli[best])))
            best = g;
    }
    gs_verify(best != GS_NONE);
    take[0] = take_of(best, r->share_milli, mem, 0);
    take[0].owner = r->owner;
    return 1;
}

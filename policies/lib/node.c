/* node.c - copying nodes out of the view, and taking requests from the copies.
 *
 * "Smallest sufficient, stable by position" is found by selection: for each device to take, the least free one that suffices and is
 * not taken yet. With at most 64 devices and requests of at most 64 this is cheaper than sorting, and it is stable by construction. */
#include "node.h"

struct gspl_request gspl_request_of(const struct gsp_view *v, uint32_t request)
{
    const struct gsp_requests *q = &v->requests;
    struct gspl_request r;
    r.cpus_milli = q->cpus_milli[request];
    r.mem_mib = q->mem_mib[request];
    r.gpus = q->gpus[request];
    r.milli = r.gpus ? q->share_milli[request] : 0;
    r.gpu_mem_mib = q->gpu_mem_mib[request];
    r.models = q->models[request];
    return r;
}

void gspl_node_of(const struct gsp_view *v, uint32_t node, struct gspl_node *out)
{
    const uint32_t first = v->nodes.gpu_first[node], n = v->nodes.gpu_count[node];
    out->cpus_milli = v->nodes.free_cpus_milli[node];
    out->model = v->nodes.model[node];
    out->gpus = n < GSPL_GPUS_MAX ? n : GSPL_GPUS_MAX;
    for (uint32_t i = 0; i < out->gpus; i++)
        out->free[i] = v->gpus.free_milli[first + i];
}

int64_t gspl_gpu_left(const struct gspl_node *n)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < n->gpus; i++)
        sum += n->free[i];
    return sum;
}

int64_t gspl_gpu_asked(const struct gspl_request *r)
{
    return (int64_t)r->gpus * r->milli;
}

int gspl_model_allowed(uint64_t models, uint32_t model)
{
    return models == 0 || (model < 64 && (models >> model & 1) != 0);
}

uint32_t gspl_smallest_devices(const struct gspl_node *n, const struct gspl_request *r,
                               uint32_t *pos)
{
    uint64_t taken = 0;
    for (uint32_t k = 0; k < r->gpus; k++) {
        uint32_t best = GSPL_GPUS_MAX;
        for (uint32_t i = 0; i < n->gpus; i++) {
            if (n->free[i] < r->milli || (taken >> i & 1) != 0)
                continue;
            if (best == GSPL_GPUS_MAX || n->free[i] < n->free[best])
                best = i;
        }
        if (best == GSPL_GPUS_MAX)
            return k;
        taken |= UINT64_C(1) << best;
        pos[k] = best;
    }
    return r->gpus;
}

int gspl_node_sub(struct gspl_node *n, const struct gspl_request *r)
{
    uint32_t pos[GSPL_GPUS_MAX];
    if (r->gpus > n->gpus || n->cpus_milli < r->cpus_milli ||
        gspl_smallest_devices(n, r, pos) < r->gpus)
        return 0;
    n->cpus_milli -= r->cpus_milli;
    for (uint32_t k = 0; k < r->gpus; k++)
        n->free[pos[k]] -= r->milli;
    return 1;
}

void gspl_node_add(struct gspl_node *n, const struct gspl_request *r, const uint32_t *pos)
{
    n->cpus_milli += r->cpus_milli;
    for (uint32_t k = 0; k < r->gpus; k++)
        n->free[pos[k]] += r->milli;
}

gsp_gpu gspl_gpu_handle(gsp_node node, uint32_t gpu)
{
    return (node & ~(gsp_node)UINT32_MAX) | gpu;
}

uint32_t gspl_gpu_mem(const struct gsp_view *v, uint32_t gpu, const struct gspl_request *r)
{
    const uint32_t all = v->gpus.mem_mib[gpu];
    if (r->milli >= GSPL_WHOLE)
        return all;
    return r->gpu_mem_mib ? r->gpu_mem_mib : (uint32_t)((uint64_t)all * r->milli / GSPL_WHOLE);
}

int gspl_device_fits(const struct gsp_view *v, uint32_t gpu, const struct gspl_request *r)
{
    if (v->gpus.mode[gpu] == 2)
        return 0;
    if (r->milli >= GSPL_WHOLE)
        return v->gpus.claims[gpu] == 0 && v->gpus.free_milli[gpu] >= GSPL_WHOLE;
    return v->gpus.free_milli[gpu] >= r->milli &&
           v->gpus.free_mem_mib[gpu] >= gspl_gpu_mem(v, gpu, r);
}

uint32_t gspl_first_idle(const struct gsp_view *v, gsp_node node, const struct gspl_request *r,
                         gsp_gpu *out, uint32_t k)
{
    const uint32_t first = v->nodes.gpu_first[GSP_INDEX(node)];
    const uint32_t count = v->nodes.gpu_count[GSP_INDEX(node)];
    uint32_t n = 0;
    for (uint32_t i = 0; i < count && n < k; i++) {
        if (gspl_device_fits(v, first + i, r))
            out[n++] = gspl_gpu_handle(node, first + i);
    }
    return n;
}

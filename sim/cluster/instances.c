/* instances.c - MIG instances as requests see them: how many are idle, how many there could be, which
 * one to take.
 *
 * An instance counts as idle when it is made, held by nobody and not barred, on a healthy device. O(instances of the node,
 * or of the device). */
#include "sim/base/attr.h"
#include "sim/cluster/classes.h"
#include "sim/hardware/mig.h"

#include "sim/base/banned.h"

static int is_idle(const struct gs_partition *p, uint16_t profile)
{
    return p->profile == profile && p->state == GS_PART_IDLE && !p->barred;
}

uint32_t gs_node_instances(const struct gs_cluster *c, uint32_t node, uint16_t profile)
{
    uint32_t n = 0;
    if (!c->node_mig[node])
        return 0;
    for (uint32_t g = c->gpu_first[node]; g < c->gpu_first[node] + c->gpu_count[node]; g++) {
        if (c->gpu_mode[g] != GS_MODE_MIG || !c->gpu_up[g])
            continue;
        for (uint32_t p = c->gpu_part[g]; p != GS_NONE; p = c->part[p].next)
            n += (uint32_t)is_idle(&c->part[p], profile);
    }
    return n;
}

/* Instances that it has, whoever holds them. */
static uint32_t existing(const struct gs_cluster *c, uint32_t node, uint16_t profile)
{
    uint32_t n = 0;
    for (uint32_t g = c->gpu_first[node]; g < c->gpu_first[node] + c->gpu_count[node]; g++) {
        if (c->gpu_mode[g] != GS_MODE_MIG)
            continue;
        for (uint32_t p = c->gpu_part[g]; p != GS_NONE; p = c->part[p].next)
            n += c->part[p].profile == profile && !c->part[p].barred;
    }
    return n;
}

uint32_t gs_node_instances_most(const struct gs_cluster *c, uint32_t node, uint16_t profile)
{
    if (c->node_mig_use[node] == GS_MIG_FIXED)
        return existing(c, node, profile);
    const struct gs_mig_geometry *g =
        c->node_mig_use[node] == GS_MIG_DYNAMIC ? c->mig->of[c->node_model[node]] : NULL;
    for (uint32_t i = 0; g && i < g->n; i++)
        if (g->p[i].id == profile)
            return gs_mig_placeable(g, &(struct gs_mig_set){0}, i) * c->gpu_count[node];
    return 0;
}

uint32_t gs_instance_on(const struct gs_cluster *c, uint32_t gpu, uint16_t profile)
{
    if (c->gpu_mode[gpu] != GS_MODE_MIG || !c->gpu_up[gpu])
        return GS_NONE;
    uint32_t p = c->gpu_part[gpu];
    while (p != GS_NONE && !is_idle(&c->part[p], profile))
        p = c->part[p].next;
    return p;
}

static uint32_t slices_held(const struct gs_cluster *c, uint32_t gpu)
{
    uint32_t n = 0;
    for (uint32_t p = c->gpu_part[gpu]; p != GS_NONE; p = c->part[p].next)
        n += c->part[p].state == GS_PART_HELD ? c->part[p].slice_size : 0;
    return n;
}

uint32_t gs_pick_instance(const struct gs_cluster *c, uint32_t node, uint16_t profile)
{
    uint32_t best = GS_NONE;
    uint32_t most = 0;
    for (uint32_t g = c->gpu_first[node]; g < c->gpu_first[node] + c->gpu_count[node]; g++) {
        const uint32_t p = gs_instance_on(c, g, profile);
        const uint32_t held = p == GS_NONE ? 0 : slices_held(c, g);
        if (p != GS_NONE && (best == GS_NONE || held > most)) {
            best = p;
            most = held;
        }
    }
    return best;
}

struct gs_take gs_take_instance(const struct gs_cluster *c, uint32_t part)
{
    gs_require(part != GS_NONE);
    const struct gs_partition *p = &c->part[part];
    return (struct gs_take){.gpu = p->gpu,
                            .partition = part,
                            .milli = p->cap_milli,
                            .mem_mib = p->cap_mem_mib,
                            .whole = 1};
}

struct gs_partition gs_instance_at(const struct gs_cluster *c, const struct gs_mig_geometry *g,
                                   uint32_t gpu, uint32_t p, uint32_t start)
{
    const struct gs_mig_shape *x = &g->p[p];
    const uint32_t by_slices = (uint32_t)((uint64_t)c->gpu_mem_mib[gpu] * x->size / g->slices);
    return (struct gs_partition){.gpu = gpu,
                                 .slice_start = (uint8_t)start,
                                 .slice_size = x->size,
                                 .compute_slices = x->compute,
                                 .sms = x->sms,
                                 .profile = x->id,
                                 .cap_milli = 1000u * x->compute / g->compute,
                                 .cap_mem_mib = x->mem_mib ? x->mem_mib : by_slices};
}

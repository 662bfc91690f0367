/* mig.c - MIG instances in the ledger: partitions that exist apart from who holds them.
 *
 *      create_part      part_ready         claim     free      destroy_part            drop_part
 *   none ---> creating ----------> idle <-------> held     idle ------------> destroying ---> none
 *             (a reserved claim may wait on it)
 *
 * A device in MIG mode has no spanning partition in its list, and shows nothing free to queries for
 * shares or whole devices. Instances of a device occupy disjoint ranges of its memory slices;
 * together they have at most 1000 thousandths and the device's memory. Which starts are legal for
 * which profile is the policy's and the catalog's knowledge, not the ledger's. O(instances of the
 * device).
 *
 * A barred instance takes no new claim, of any state; that it is barred is nobody's claim. */
#include "sim/base/attr.h"
#include "sim/cluster/ledger_priv.h"

#include <string.h>

#include "sim/base/banned.h"

void gs_mig_put_mode(struct gs_cluster *c, uint32_t gpu, enum gs_gpu_mode mode)
{
    const int was = c->gpu_mode[gpu] == GS_MODE_MIG;
    const int is = mode == GS_MODE_MIG;
    c->node_mig[c->gpu_node[gpu]] += (uint32_t)(is - was);
    gs_mig_touch(c, c->gpu_node[gpu]);
    c->gpu_mode[gpu] = (uint8_t)(mode == GS_MODE_MIG ? GS_MODE_MIG : GS_MODE_WHOLE);
    c->gpu_part[gpu] = mode == GS_MODE_MIG ? GS_NONE : gpu;
    struct gs_delta d = {0};
    gs_ledger_refresh_device(c, gpu, mode == GS_MODE_MIG, &d);
    gs_ledger_settle(c, c->gpu_node[gpu], &d);
}

enum gs_refusal gs_ledger_set_mode(struct gs_cluster *c, uint32_t gpu, enum gs_gpu_mode mode)
{
    gs_require((unsigned)mode < GS_MODE_COUNT);
    if (gpu >= c->ngpus)
        return GS_REFUSE_STALE;
    if (!c->node_up[c->gpu_node[gpu]] || !c->gpu_up[gpu])
        return GS_REFUSE_DOWN;
    const int in_mig = c->gpu_mode[gpu] == GS_MODE_MIG;
    if (c->gpu_claims[gpu] || (in_mig && c->gpu_part[gpu] != GS_NONE))
        return GS_REFUSE_BUSY;
    if (in_mig == (mode == GS_MODE_MIG))
        return GS_GRANTED;
    struct gs_undo *u = gs_undo_log(c, GS_UNDO_MODE, gpu);
    if (u)
        u->old = c->gpu_mode[gpu];
    gs_mig_put_mode(c, gpu, mode);
    gs_ledger_touch_gain(c, c->gpu_node[gpu]);
    return GS_GRANTED;
}

/* Links a partition into its device's list, which is in order of the first slice. */
void gs_mig_link(struct gs_cluster *c, uint32_t part)
{
    struct gs_partition *p = &c->part[part];
    uint32_t *at = &c->gpu_part[p->gpu];
    while (*at != GS_NONE && c->part[*at].slice_start < p->slice_start)
        at = &c->part[*at].next;
    p->next = *at;
    *at = part;
}

void gs_mig_unlink(struct gs_cluster *c, uint32_t part)
{
    uint32_t *at = &c->gpu_part[c->part[part].gpu];
    while (*at != part) {
        gs_verify(*at != GS_NONE);
        at = &c->part[*at].next;
    }
    *at = c->part[part].next;
}

/* A free partition record: only the link, and gpu = GS_NONE so that nothing can name it. */
void gs_mig_clear(struct gs_cluster *c, uint32_t part)
{
    memset(&c->part[part], 0, sizeof c->part[part]);
    c->part[part].gpu = GS_NONE;
    c->part[part].next = c->part_free;
    c->part_free = part;
}

static enum gs_refusal check_geometry(const struct gs_cluster *c, const struct gs_partition *w)
{
    const uint32_t end = (uint32_t)w->slice_start + w->slice_size;
    uint64_t milli = w->cap_milli;
    uint64_t mem = w->cap_mem_mib;
    if (w->slice_size == 0 || end > c->gpu_slices[w->gpu] || w->cap_milli == 0)
        return GS_REFUSE_GEOMETRY;
    for (uint32_t i = c->gpu_part[w->gpu]; i != GS_NONE; i = c->part[i].next) {
        const struct gs_partition *p = &c->part[i];
        if (p->slice_start < end && w->slice_start < p->slice_start + p->slice_size)
            return GS_REFUSE_GEOMETRY;
        milli += p->cap_milli;
        mem += p->cap_mem_mib;
    }
    return milli > 1000 || mem > c->gpu_mem_mib[w->gpu] ? GS_REFUSE_GEOMETRY : GS_GRANTED;
}

enum gs_refusal gs_ledger_create_part(struct gs_cluster *c, const struct gs_partition *want,
                                      uint32_t *part)
{
    if (want->gpu >= c->ngpus)
        return GS_REFUSE_STALE;
    const uint32_t node = c->gpu_node[want->gpu];
    if (!c->node_up[node])
        return GS_REFUSE_DOWN;
    if (!c->gpu_up[want->gpu])
        return GS_REFUSE_DOWN;
    if (c->gpu_mode[want->gpu] != GS_MODE_MIG)
        return GS_REFUSE_MODE;
    const enum gs_refusal r = check_geometry(c, want);
    if (r != GS_GRANTED)
        return r;
    uint32_t grown = 0;
    uint32_t id = c->part_free;
    if (id != GS_NONE) {
        c->part_free = c->part[id].next;
    } else {
        if (c->nparts == c->parts_cap) {
            c->parts_cap = c->parts_cap ? 2 * c->parts_cap : 64;
            c->part = gs_resize(c->part, c->parts_cap, sizeof *c->part);
        }
        id = c->nparts++;
        grown = 1;
    }
    struct gs_partition *p = &c->part[id];
    memset(p, 0, sizeof *p);
    p->gpu = want->gpu;
    p->state = GS_PART_CREATING;
    p->slice_start = want->slice_start;
    p->slice_size = want->slice_size;
    p->compute_slices = want->compute_slices;
    p->sms = want->sms;
    p->profile = want->profile;
    p->barred = want->barred;
    p->cap_milli = want->cap_milli;
    p->cap_mem_mib = want->cap_mem_mib;
    gs_mig_link(c, id);
    struct gs_undo *u = gs_undo_log(c, GS_UNDO_PART_NEW, id);
    if (u)
        u->aux = grown;
    gs_mig_touch(c, node);
    gs_ledger_touch_gain(c, node);
    *part = id;
    return GS_GRANTED;
}

/* Is it a MIG instance in this state? */
static int part_is(const struct gs_cluster *c, uint32_t part, enum gs_part_state state)
{
    return part >= c->ngpus && part < c->nparts && c->part[part].gpu != GS_NONE &&
           c->part[part].state == state;
}

static enum gs_refusal move_part(struct gs_cluster *c, uint32_t part, enum gs_part_state to)
{
    struct gs_undo *u = gs_undo_log(c, GS_UNDO_PART_STATE, part);
    if (u)
        u->old = c->part[part].state;
    c->part[part].state = (uint8_t)to;
    gs_mig_touch(c, c->gpu_node[c->part[part].gpu]);
    gs_ledger_touch_gain(c, c->gpu_node[c->part[part].gpu]);
    return GS_GRANTED;
}

enum gs_refusal gs_ledger_part_ready(struct gs_cluster *c, uint32_t part)
{
    if (!part_is(c, part, GS_PART_CREATING))
        return GS_REFUSE_STALE;
    return move_part(c, part, c->part[part].reserved_milli ? GS_PART_HELD : GS_PART_IDLE);
}

enum gs_refusal gs_ledger_destroy_part(struct gs_cluster *c, uint32_t part)
{
    if (part_is(c, part, GS_PART_HELD))
        return GS_REFUSE_BUSY;
    if (!part_is(c, part, GS_PART_IDLE))
        return GS_REFUSE_STALE;
    return move_part(c, part, GS_PART_DESTROYING);
}

enum gs_refusal gs_ledger_drop_part(struct gs_cluster *c, uint32_t part)
{
    if (!part_is(c, part, GS_PART_DESTROYING))
        return GS_REFUSE_STALE;
    const uint32_t node = c->gpu_node[c->part[part].gpu];
    struct gs_undo *u = gs_undo_log(c, GS_UNDO_PART_DROP, part);
    if (u)
        u->row.part = c->part[part];
    gs_mig_unlink(c, part);
    gs_mig_clear(c, part);
    gs_mig_touch(c, node);
    gs_ledger_touch_gain(c, node);
    return GS_GRANTED;
}

enum gs_refusal gs_ledger_bar_part(struct gs_cluster *c, uint32_t part, int on)
{
    if (part < c->ngpus || part >= c->nparts || c->part[part].gpu == GS_NONE)
        return GS_REFUSE_STALE;
    struct gs_partition *p = &c->part[part];
    if (p->barred == (on != 0))
        return GS_GRANTED;
    struct gs_undo *u = gs_undo_log(c, GS_UNDO_PART_BAR, part);
    if (u)
        u->old = p->barred;
    p->barred = (uint8_t)(on != 0);
    gs_mig_touch(c, c->gpu_node[p->gpu]);
    gs_ledger_touch_gain(c, c->gpu_node[p->gpu]);
    return GS_GRANTED;
}

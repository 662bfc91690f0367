/* partition.c - the host's side of the role partitioner: what it is shown, and what it may change.
 *
 * It is asked at the end of a pass, about what the scheduler left waiting, if a mode, an instance or the demand for profiles changed since
 * it was last asked. Its changes are taken in its order, each checked by the geometry of the device and by the ledger; one that is not possible
 * is a fault of the module, and none of them is kept. O(devices in MIG use + instances) a call. */
#include "policies/host/host_internal.h"
#include "sim/hardware/mig.h"

#include <string.h>

/* ---- columns of the view ---- */

/* view->profiles: fixed for a run. */
static void list_profiles(struct gs_host *h)
{
    struct gsp_mig_columns *k = &h->mig_columns;
    for (uint32_t m = 0; m < h->c->nmodels; m++) {
        const struct gs_mig_geometry *g = h->c->mig->of[m];
        for (uint32_t i = 0; g && i < g->n; i++) {
            const struct gs_mig_shape *p = &g->p[i];
            gs_vec_push(&k->p_model, m);
            gs_vec_push(&k->p_profile, p->id);
            gs_vec_push(&k->p_name, gs_intern(h->str, p->name));
            gs_vec_push(&k->p_starts, p->starts);
            gs_vec_push(&k->p_mem, p->mem_mib);
            gs_vec_push(&k->p_compute, p->compute);
            gs_vec_push(&k->p_size, p->size);
            gs_vec_push(&k->p_most, p->most);
        }
    }
    h->view.profiles = (struct gsp_profiles){.struct_size = (uint32_t)sizeof h->view.profiles,
                                             .count = (uint32_t)k->p_model.n,
                                             .model = k->p_model.v,
                                             .profile = k->p_profile.v,
                                             .name = k->p_name.v,
                                             .starts = k->p_starts.v,
                                             .mem_mib = k->p_mem.v,
                                             .compute = k->p_compute.v,
                                             .size = k->p_size.v,
                                             .most = k->p_most.v};
}

static void add_row(struct gsp_mig_columns *k)
{
    gs_vec_push(&k->gpu, 0);
    gs_vec_push(&k->profile, 0);
    gs_vec_push(&k->start, 0);
    gs_vec_push(&k->size, 0);
    gs_vec_push(&k->state, 0);
    gs_vec_push(&k->draining, 0);
}

/* Writes the rows of a node's instances from row `at` on; returns the row behind. Rows from the last on are new. */
static uint32_t list_node(struct gs_host *h, uint32_t node, uint32_t at)
{
    struct gsp_mig_columns *k = &h->mig_columns;
    const struct gs_cluster *c = h->c;
    for (uint32_t i = 0; c->node_mig[node] && i < c->gpu_count[node]; i++) {
        const uint32_t g = c->gpu_first[node] + i;
        uint32_t p = c->gpu_mode[g] == GS_MODE_MIG ? c->gpu_part[g] : GS_NONE;
        for (; p != GS_NONE; p = c->part[p].next, at++) {
            if (at == k->gpu.n)
                add_row(k);
            k->gpu.v[at] = g;
            k->profile.v[at] = c->part[p].profile;
            k->start.v[at] = c->part[p].slice_start;
            k->size.v[at] = c->part[p].slice_size;
            k->state.v[at] = c->part[p].state;
            k->draining.v[at] = c->part[p].barred;
        }
    }
    return at;
}

static uint32_t count_node(const struct gs_cluster *c, uint32_t node)
{
    uint32_t n = 0;
    for (uint32_t i = 0; c->node_mig[node] && i < c->gpu_count[node]; i++) {
        const uint32_t g = c->gpu_first[node] + i;
        uint32_t p = c->gpu_mode[g] == GS_MODE_MIG ? c->gpu_part[g] : GS_NONE;
        for (; p != GS_NONE; p = c->part[p].next)
            n++;
    }
    return n;
}

static void list_instances(struct gs_host *h)
{
    struct gsp_mig_columns *k = &h->mig_columns;
    uint32_t at = 0;
    if (!k->node_first)
        k->node_first = GS_NEW_N(uint32_t, h->c->nnodes + 1);
    gs_vec_clear(&k->gpu);
    gs_vec_clear(&k->profile);
    gs_vec_clear(&k->start);
    gs_vec_clear(&k->size);
    gs_vec_clear(&k->state);
    gs_vec_clear(&k->draining);
    for (uint32_t node = 0; node < h->c->nnodes; node++) {
        k->node_first[node] = at;
        at = list_node(h, node, at);
    }
    k->node_first[h->c->nnodes] = at;
    h->view.instances = (struct gsp_instances){.struct_size = (uint32_t)sizeof h->view.instances,
                                               .count = (uint32_t)k->gpu.n,
                                               .gpu = k->gpu.v,
                                               .profile = k->profile.v,
                                               .start = k->start.v,
                                               .size = k->size.v,
                                               .state = k->state.v,
                                               .draining = k->draining.v};
}

/* Where no node has more or fewer instances than before, the rows of those that changed are written again in their places; else all. */
static void update_instances(struct gs_host *h)
{
    struct gsp_mig_columns *k = &h->mig_columns;
    const struct gs_cluster *c = h->c;
    uint64_t t = k->epoch - 1;
    if (!k->epoch || c->mig_epoch - t > GS_MIG_LOG) {
        list_instances(h);
        return;
    }
    for (; t < c->mig_epoch; t++) {
        const uint32_t node = c->mig_log[t % GS_MIG_LOG];
        if (count_node(c, node) != k->node_first[node + 1] - k->node_first[node]) {
            list_instances(h);
            return;
        }
        (void)list_node(h, node, k->node_first[node]);
    }
}

void gs_view_mig(struct gs_host *h)
{
    if (!h->c->mig || h->mig_columns.epoch == h->c->mig_epoch + 1)
        return;
    if (!h->mig_columns.epoch)
        list_profiles(h);
    update_instances(h);
    h->mig_columns.epoch = h->c->mig_epoch + 1;
}

void gs_partition_release(struct gs_host *h)
{
    struct gsp_mig_columns *k = &h->mig_columns;
    gs_vec_free(&k->gpu);
    gs_vec_free(&k->profile);
    gs_vec_free(&k->start);
    gs_vec_free(&k->size);
    gs_vec_free(&k->state);
    gs_vec_free(&k->draining);
    gs_vec_free(&k->p_model);
    gs_vec_free(&k->p_profile);
    gs_vec_free(&k->p_name);
    gs_vec_free(&k->p_starts);
    gs_vec_free(&k->p_mem);
    gs_vec_free(&k->p_compute);
    gs_vec_free(&k->p_size);
    gs_vec_free(&k->p_most);
    gs_vec_free(&k->device);
    gs_vec_free(&k->demand);
    gs_vec_free(&k->demand_key);
    gs_vec_free(&k->making);
    gs_vec_free(&k->change);
    gs_free(h->mig_busy);
    gs_free(h->mig_node_free);
    gs_free(k->node_first);
}

/* ---- geometry, asked by modules ---- */

static const struct gs_mig_geometry *geometry_of(const struct gs_host *h, uint32_t gpu)
{
    const uint32_t model = h->c->node_model[h->c->gpu_node[gpu]];
    return h->c->mig && model != GS_NONE ? h->c->mig->of[model] : NULL;
}

static uint32_t find_id(const struct gs_mig_geometry *g, uint32_t id)
{
    uint32_t i = 0;
    while (i < g->n && g->p[i].id != id)
        i++;
    return i < g->n ? i : GS_MIG_NONE;
}

static uint32_t m_starts(struct gsp_ctx *c, uint32_t gpu, const struct gsp_mig_place *have,
                         uint32_t n, uint32_t profile)
{
    const struct gs_host *h = gs_instance_of(c)->h;
    const struct gs_mig_geometry *g = gpu < h->c->ngpus ? geometry_of(h, gpu) : NULL;
    struct gs_mig_set s = {0};
    const uint32_t what = g ? find_id(g, profile) : GS_MIG_NONE;
    if (what == GS_MIG_NONE)
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t p = find_id(g, have[i].profile);
        if (p == GS_MIG_NONE || !gs_mig_allows(g, &s, p, have[i].start))
            return 0;
        gs_mig_put(g, &s, p, have[i].start);
    }
    return gs_mig_starts(g, &s, what);
}

const struct gsp_mig gs_mig_extension = {.struct_size = (uint32_t)sizeof gs_mig_extension,
                                         .starts = m_starts};

/* ---- the question ---- */

static void list_devices(struct gs_host *h)
{
    const struct gs_cluster *c = h->c;
    gs_vec_clear(&h->mig_columns.device);
    for (uint32_t node = 0; node < c->nnodes; node++) {
        if (c->node_mig_use[node] != GS_MIG_DYNAMIC || !c->node_up[node])
            continue;
        for (uint32_t g = c->gpu_first[node]; g < c->gpu_first[node] + c->gpu_count[node]; g++)
            if (c->gpu_up[g] && !h->mig_busy[g])
                gs_vec_push(&h->mig_columns.device, g);
    }
}

/* The waiting tasks of a profile, added to its row; rows are kept in the order of their first job. */
static void add_demand(struct gs_host *h, const struct gsp_demand *d, struct gs_pkey key)
{
    struct gsp_mig_columns *k = &h->mig_columns;
    size_t i = 0;
    while (i < k->demand.n && k->demand.v[i].profile != d->profile)
        i++;
    if (i == k->demand.n) {
        gs_vec_push(&k->demand, *d);
        gs_vec_push(&k->demand_key, key);
    } else {
        k->demand.v[i].tasks += d->tasks;
        if (d->oldest_ns < k->demand.v[i].oldest_ns)
            k->demand.v[i].oldest_ns = d->oldest_ns;
        if (gs_pkey_before(&key, &k->demand_key.v[i]))
            k->demand_key.v[i] = key;
    }
    for (; i > 0 && gs_pkey_before(&k->demand_key.v[i], &k->demand_key.v[i - 1]); i--) {
        const struct gsp_demand row = k->demand.v[i];
        const struct gs_pkey at = k->demand_key.v[i];
        k->demand.v[i] = k->demand.v[i - 1];
        k->demand_key.v[i] = k->demand_key.v[i - 1];
        k->demand.v[i - 1] = row;
        k->demand_key.v[i - 1] = at;
    }
}

static void list_demand(struct gs_host *h)
{
    gs_vec_clear(&h->mig_columns.demand);
    gs_vec_clear(&h->mig_columns.demand_key);
    for (size_t i = 0; i < h->heap.n; i++) {
        const struct gs_pgroup *g = &h->groups.v[h->heap.v[i]];
        const struct gs_shape *s = &h->l->shapes[g->shape];
        const uint32_t profile = h->l->rq_profile[s->request];
        if (!profile || g->list.n == g->first)
            continue;
        add_demand(h,
                   &(struct gsp_demand){.profile = profile,
                                        .tasks = s->tasks * (uint32_t)(g->list.n - g->first),
                                        .oldest_ns = h->l->submit_ns[g->list.v[g->first].slot]},
                   gs_group_key(g, 0));
    }
}

/* ---- the answer ---- */

static uint32_t part_at(const struct gs_cluster *c, uint32_t gpu, uint32_t start)
{
    uint32_t p = c->gpu_mode[gpu] == GS_MODE_MIG ? c->gpu_part[gpu] : GS_NONE;
    while (p != GS_NONE && c->part[p].slice_start != start)
        p = c->part[p].next;
    return p;
}

/* The instances of a device, as the rules look at them. */
static struct gs_mig_set existing(const struct gs_cluster *c, const struct gs_mig_geometry *g,
                                  uint32_t gpu)
{
    struct gs_mig_set s = {0};
    for (uint32_t p = c->gpu_part[gpu]; p != GS_NONE; p = c->part[p].next)
        gs_mig_put(g, &s, find_id(g, c->part[p].profile), c->part[p].slice_start);
    return s;
}

static const char *create(struct gs_host *h, const struct gsp_mig_change *x, uint32_t *part)
{
    struct gs_cluster *c = h->c;
    const struct gs_mig_geometry *g = geometry_of(h, x->gpu);
    const uint32_t p = g ? find_id(g, x->profile) : GS_MIG_NONE;
    if (c->gpu_mode[x->gpu] != GS_MODE_MIG)
        return "it creates an instance on a device that is not in MIG mode";
    if (p == GS_MIG_NONE)
        return "it creates an instance of a profile that the device has not";
    const struct gs_mig_set s = existing(c, g, x->gpu);
    if (!gs_mig_allows(g, &s, p, x->start))
        return "it creates an instance where the geometry of the device does not allow it";
    const struct gs_partition want = gs_instance_at(c, g, x->gpu, p, x->start);
    return gs_ledger_create_part(c, &want, part) ? "the ledger refuses an instance that it creates"
                                                 : NULL;
}

/* On: of no use as a whole at once; off: when the time is over. Until then the device takes no other change. */
static const char *change_mode(struct gs_host *h, const struct gsp_mig_change *x)
{
    struct gs_cluster *c = h->c;
    const int in_mig = c->gpu_mode[x->gpu] == GS_MODE_MIG;
    if (in_mig == (x->act == GSP_MIG_ENABLE))
        return "it asks for the mode that a device has";
    if (c->gpu_claims[x->gpu] || (in_mig && c->gpu_part[x->gpu] != GS_NONE))
        return "it changes the mode of a device that is not idle";
    if (!in_mig && gs_ledger_set_mode(c, x->gpu, GS_MODE_MIG))
        return "the ledger refuses its change of a mode";
    h->mig_busy[x->gpu] = in_mig ? 2 : 1;
    return NULL;
}

static const char *apply(struct gs_host *h, const struct gsp_mig_change *x, uint32_t *part)
{
    struct gs_cluster *c = h->c;
    if (x->gpu >= c->ngpus || c->node_mig_use[c->gpu_node[x->gpu]] != GS_MIG_DYNAMIC ||
        !c->node_up[c->gpu_node[x->gpu]] || !c->gpu_up[x->gpu] || h->mig_busy[x->gpu])
        return "it changes a device that it was not shown, or whose mode it changes";
    *part = part_at(c, x->gpu, x->start);
    switch (x->act) {
    case GSP_MIG_CREATE: return create(h, x, part);
    case GSP_MIG_DESTROY:
        return *part == GS_NONE || gs_ledger_destroy_part(c, *part)
                   ? "it destroys an instance that is not there, or not idle"
                   : NULL;
    case GSP_MIG_DRAIN:
    case GSP_MIG_UNDRAIN:
        return *part == GS_NONE || gs_ledger_bar_part(c, *part, x->act == GSP_MIG_DRAIN)
                   ? "it drains an instance that is not there"
                   : NULL;
    case GSP_MIG_ENABLE:
    case GSP_MIG_DISABLE: *part = GS_NONE; return change_mode(h, x);
    default: return "it asks for a change of an unknown kind";
    }
}

/* The change is final: the world gives it its time. In order, since a created instance may have got the number of a destroyed one. */
static void settle(struct gs_host *h, const struct gsp_mig_change *x, uint32_t part)
{
    switch (x->act) {
    case GSP_MIG_CREATE:
        gs_vec_push(&h->mig_columns.making, part);
        h->ops->mig_created(h->world, part);
        break;
    case GSP_MIG_DESTROY: h->ops->mig_gone(h->world, part); break;
    case GSP_MIG_ENABLE:
    case GSP_MIG_DISABLE: h->ops->mig_mode(h->world, x->gpu); break;
    case GSP_MIG_UNDRAIN: gs_host_mig_changed(h); break;
    default: break;
    }
}

static enum gs_rc take_changes(struct gs_host *h, struct gs_instance *in,
                               const struct gsp_partitioner_out *out, struct gs_err *err)
{
    uint32_t *part = gs_arena_alloc(&h->pass, (out->count + 1u) * sizeof *part, 8);
    const char *why = NULL;
    gs_ledger_begin(h->c);
    for (uint32_t i = 0; i < out->count && !why; i++) {
        why = apply(h, &out->change[i], &part[i]);
        if (!why && out->change[i].act == GSP_MIG_DESTROY)
            gs_verify(gs_ledger_drop_part(h->c, part[i]) == GS_GRANTED);
    }
    if (why)
        gs_ledger_rollback(h->c, 0);
    gs_ledger_commit(h->c);
    if (why)
        return gs_module_fault(in, "layout", 0, why, err);
    for (uint32_t i = 0; i < out->count; i++)
        settle(h, &out->change[i], part[i]);
    return GS_OK;
}

enum gs_rc gs_host_partition(struct gs_host *h, struct gs_err *err)
{
    struct gsp_mig_columns *k = &h->mig_columns;
    if (h->role[GS_ROLE_PARTITIONER] == GS_NONE || !h->c->mig)
        return GS_OK;
    struct gs_instance *in = h->inst.v[h->role[GS_ROLE_PARTITIONER]];
    const struct gsp_partitioner *table = in->m->m->extension(GSP_PARTITIONER);
    if (!h->mig_busy)
        h->mig_busy = GS_NEW_N(uint8_t, h->c->ngpus);
    gs_view_refresh(h);
    gs_view_mig(h);
    list_devices(h);
    list_demand(h);
    /* a device can at most lose all of its instances, get others, be drained and change its mode */
    gs_vec_reserve(&k->change, k->device.n * (4 * GS_MIG_SLICES_MAX + 2) + 1);
    const struct gsp_partitioner_in q = {.struct_size = (uint32_t)sizeof q,
                                         .devices = (uint32_t)k->device.n,
                                         .device = k->device.v,
                                         .demands = (uint32_t)k->demand.n,
                                         .demand = k->demand.v};
    struct gsp_partitioner_out out = {.struct_size = (uint32_t)sizeof out,
                                      .room = (uint32_t)k->change.cap,
                                      .change = k->change.v};
    int code = 0;
    struct gsp_ctx *c = gs_instance_enter(in);
    GS_CALL(in, "layout", code = table->layout(in->self, c, &q, &out));
    enum gs_rc rc = gs_hook_result(in, "layout", code, err);
    if (!rc && (out.count > out.room || out.change != k->change.v))
        rc = gs_module_fault(in, "layout", code, "it answers more changes than there is room for",
                             err);
    return rc || !out.count ? rc : take_changes(h, in, &out, err);
}

void gs_host_mig_changed(struct gs_host *h)
{
    h->gain++;
    h->woken |= UINT64_C(1) << GSP_EV_RELEASED | UINT64_C(1) << GSP_EV_MIG;
}

void gs_host_mig_ready(struct gs_host *h, uint32_t part, int64_t now_ns)
{
    struct gsp_mig_columns *k = &h->mig_columns;
    size_t i = 0;
    while (k->making.v[i] != part)
        i++;
    k->making.v[i] = gs_vec_pop(&k->making);
    h->now = now_ns;
    gs_verify(gs_ledger_part_ready(h->c, part) == GS_GRANTED);
    gs_host_mig_changed(h);
}

void gs_host_mig_mode_done(struct gs_host *h, uint32_t gpu, int64_t now_ns)
{
    h->now = now_ns;
    if (h->mig_busy[gpu] == 2)
        (void)gs_ledger_set_mode(h->c, gpu, GS_MODE_WHOLE);
    h->mig_busy[gpu] = 0;
    gs_host_mig_changed(h);
}

/* host.c - the host's life, the facts that it is told, and the pass. */
#include "policies/host/host.h"

#include "policies/host/host_internal.h"

#include <string.h>

struct gs_whereabouts gs_whereabouts;

const char *gs_role_str(enum gs_role r)
{
    static const char *const name[] = {"scheduler", "order",      "placement",
                                       "backfill",  "preemption", "partitioner"};
    return r < GS_ROLE_COUNT ? name[r] : "?";
}

enum gs_rc gs_host_new(struct gs_host **out, const struct gs_host_config *cfg, struct gs_err *err)
{
    (void)err;
    struct gs_host *h = GS_NEW(struct gs_host);
    h->c = cfg->cluster;
    h->l = cfg->live;
    h->str = cfg->str;
    h->q = cfg->queues;
    h->attrs = cfg->attrs;
    h->ops = cfg->world_ops;
    h->world = cfg->world;
    h->log = cfg->log;
    h->seed = cfg->seed;
    h->work_budget = cfg->work_budget;
    h->has_estimates = cfg->has_estimates;
    h->drop_unplaced = cfg->drop_unplaced;
    h->want_rows = cfg->want_waits;
    h->history_until_ns = cfg->history_until_ns;
    h->ignore_calendar = cfg->ignore_calendar;
    h->gain = 1;
    h->group_free = GS_NONE;
    h->reserved_slot = GS_NONE;
    h->opos_cycle = GS_NONE;
    h->order_static = 1;
    h->walk_group = GS_NONE;
    for (int i = 0; i < GS_ROLE_COUNT; i++)
        h->role[i] = GS_NONE;
    for (uint32_t i = 0; i < GS_MEMO_SLOTS; i++)
        h->memo[i].request = GS_NONE;
    if (cfg->typical)
        h->view.typical = *cfg->typical;
    h->view.users = cfg->users;
    gs_host_table_init(h);
    *out = h;
    return GS_OK;
}

void gs_host_free(struct gs_host *h)
{
    if (!h)
        return;
    for (size_t i = 0; i < h->inst.n; i++)
        gs_instance_free(h->inst.v[i]);
    gs_vec_free(&h->inst);
    gs_classes_release(&h->classes);
    gs_pending_release(h);
    gs_place_release(h);
    gs_partition_release(h);
    gs_vec_free(&h->events);
    gs_vec_free(&h->steps);
    gs_vec_free(&h->held);
    gs_vec_free(&h->saved);
    gs_vec_free(&h->marks);
    gs_vec_free(&h->opos);
    gs_arena_release(&h->pass);
    gs_free(h);
}

/* ---- roles ---- */

static int has_partitioner(const struct gsp_manifest *m)
{
    const struct gsp_partitioner *t =
        GSP_HAS(m, extension) && m->extension ? m->extension(GSP_PARTITIONER) : NULL;
    return t && GSP_HAS(t, layout) && t->layout;
}

static int role_filled(const struct gsp_manifest *m, enum gs_role role)
{
    const struct gsp_ops *o = m->ops;
    switch (role) {
    case GS_ROLE_SCHEDULER: return o->cycle != NULL;
    case GS_ROLE_ORDER: return o->order != NULL;
    case GS_ROLE_PLACEMENT: return o->score != NULL || o->filter != NULL || o->pick != NULL;
    case GS_ROLE_BACKFILL: return o->backfill != NULL;
    case GS_ROLE_PREEMPTION: return o->preempt != NULL;
    case GS_ROLE_PARTITIONER: return has_partitioner(m);
    case GS_ROLE_COUNT: break;
    }
    return 0;
}

enum gs_rc gs_host_bind(struct gs_host *h, enum gs_role role, uint32_t instance, struct gs_err *err)
{
    h->role[role] = instance;
    if (instance == GS_NONE)
        return GS_OK;
    const struct gs_instance *in = h->inst.v[instance];
    const struct gsp_manifest *m = in->m->m;
    if (!role_filled(m, role))
        return gs_fail(err, GS_E_INPUT, "[policy] %s: module '%s' has no %s op", gs_role_str(role),
                       m->id, role == GS_ROLE_SCHEDULER ? "cycle" : gs_role_str(role));
    if ((m->needs & GSP_NEED_ESTIMATES) && !h->has_estimates)
        return gs_fail(
            err, GS_E_INPUT,
            "[policy] %s: module '%s' reads run-time estimates, but some jobs have none: say where they come from with 'estimate' in [trace] or [workload]",
            gs_role_str(role), m->id);
    return GS_OK;
}

static uint64_t mask_of(const struct gsp_manifest *m)
{
    return m->wake_mask ? m->wake_mask : UINT64_MAX;
}

enum gs_rc gs_host_ready(struct gs_host *h, struct gs_err *err)
{
    uint32_t flags = 0;
    (void)err;
    h->wake_mask = 1u << GSP_EV_SUBMIT | 1u << GSP_EV_END | 1u << GSP_EV_EVICT |
                   1u << GSP_EV_RELEASED | 1u << GSP_EV_NODE_UP | 1u << GSP_EV_NODE_DOWN |
                   1u << GSP_EV_TIMER;
    for (size_t i = 0; i < h->inst.n; i++) {
        const struct gsp_manifest *m = h->inst.v[i]->m->m;
        if (m->needs & GSP_NEED_TASK_KINDS)
            flags |= GS_CLASSES_TASK_KINDS;
        h->any_events |= m->ops->on_events != NULL;
    }
    if (h->role[GS_ROLE_SCHEDULER] != GS_NONE) {
        h->wake_mask = mask_of(h->inst.v[h->role[GS_ROLE_SCHEDULER]]->m->m);
    }
    if (h->role[GS_ROLE_ORDER] != GS_NONE) {
        uint64_t caps = h->inst.v[h->role[GS_ROLE_ORDER]]->m->m->caps;
        h->order_static = (caps & GSP_CAP_ORDER_STATIC) != 0;
        h->order_owner = !h->order_static && (caps & GSP_CAP_ORDER_OWNER);
    }
    if (h->c->mig)
        h->wake_mask |= 1u << GSP_EV_MIG; /* no module that is older than MIG knows to ask for it */
    uint32_t p = h->role[GS_ROLE_PLACEMENT];
    if (h->role[GS_ROLE_SCHEDULER] != GS_NONE)
        p = h->role[GS_ROLE_SCHEDULER];
    h->placer = p == GS_NONE ? NULL : h->inst.v[p];
    gs_classes_init(&h->classes, h->c, flags);
    gs_classes_sync(&h->classes);
    gs_view_refresh(h);
    return GS_OK;
}

const void *gs_host_extension(struct gs_host *h, uint32_t instance, const char *ext_id, void **self)
{
    struct gs_instance *in = h->inst.v[instance];
    *self = in->self;
    const struct gsp_manifest *m = in->m->m;
    return GSP_HAS(m, extension) && m->extension ? m->extension(ext_id) : NULL;
}

struct gsp_ctx *gs_host_ctx(struct gs_host *h, uint32_t instance, int64_t now_ns)
{
    h->now = now_ns;
    return gs_instance_enter(h->inst.v[instance]);
}

/* ---- facts ---- */

void gs_host_fact(struct gs_host *h, uint16_t kind, uint32_t slot)
{
    h->woken |= UINT64_C(1) << kind;
    if (!h->any_events)
        return;
    gs_vec_push(&h->events, (struct gsp_event){.size = (uint16_t)sizeof(struct gsp_event),
                                               .kind = kind,
                                               .subject = gs_live_handle(h->l, slot),
                                               .object = h->l->queue[slot],
                                               .now_ns = h->now,
                                               .epoch = h->c->epoch});
}

void gs_host_node(struct gs_host *h, uint32_t node, int up, int64_t now_ns)
{
    const uint16_t kind = up ? GSP_EV_NODE_UP : GSP_EV_NODE_DOWN;
    h->now = now_ns;
    h->woken |= UINT64_C(1) << kind;
    h->gain += up != 0;
    if (h->any_events)
        gs_vec_push(&h->events, (struct gsp_event){.size = (uint16_t)sizeof(struct gsp_event),
                                                   .kind = kind,
                                                   .subject = gs_fixed_handle(node),
                                                   .now_ns = now_ns,
                                                   .epoch = h->c->epoch});
}

void gs_host_plans(struct gs_host *h, const struct gsp_plans *plans)
{
    h->view.plans = *plans;
    h->view.plans.struct_size = (uint32_t)sizeof *plans;
}

static void reserve_shapes(struct gs_host *h)
{
    if (h->l->nshapes <= h->shapes_cap)
        return;
    uint32_t old = h->shapes_cap, cap = h->l->shapes_cap;
    h->shape_blocked = gs_resize(h->shape_blocked, cap, sizeof *h->shape_blocked);
    h->shape_fit_epoch = gs_resize(h->shape_fit_epoch, cap, sizeof *h->shape_fit_epoch);
    h->shape_fit = gs_resize(h->shape_fit, cap, sizeof *h->shape_fit);
    h->shape_memo = gs_resize(h->shape_memo, cap, sizeof *h->shape_memo);
    memset(h->shape_memo + old, 0, (cap - old) * sizeof *h->shape_memo);
    memset(h->shape_blocked + old, 0, (cap - old) * sizeof *h->shape_blocked);
    memset(h->shape_fit_epoch + old, 0, (cap - old) * sizeof *h->shape_fit_epoch);
    memset(h->shape_fit + old, 0, cap - old);
    h->shapes_cap = cap;
}

void gs_host_submit(struct gs_host *h, uint32_t slot, int64_t now_ns)
{
    h->now = now_ns;
    gs_pending_reserve(h, h->l->jobs_cap);
    reserve_shapes(h);
    h->jflag[slot] = 0;
    h->jrun[slot] = GS_NONE;
    h->jgroup[slot] = GS_NONE;
    gs_waits_begin(h, slot);
    gs_vec_push(&h->fresh, slot);
    gs_host_fact(h, GSP_EV_SUBMIT, slot);
}

void gs_running_remove(struct gs_host *h, uint32_t slot)
{
    h->running.v[h->jrun[slot]] = GS_NONE;
    h->jrun[slot] = GS_NONE;
    if (++h->running_dead <= h->running.n / 2 || h->running.n < 32)
        return;
    size_t k = 0;
    for (size_t i = 0; i < h->running.n; i++) {
        if (h->running.v[i] == GS_NONE)
            continue;
        h->jrun[h->running.v[i]] = (uint32_t)k;
        h->running.v[k++] = h->running.v[i];
    }
    h->running.n = k;
    h->running_dead = 0;
}

/* A running job gives back what it holds. */
static void free_devices(struct gs_host *h, uint32_t slot)
{
    for (uint32_t i = 0; i < h->l->task_count[slot]; i++) {
        uint32_t t = h->l->task_first[slot] + i;
        gs_verify(gs_ledger_free(h->c, h->l->task_claim[t]) == GS_GRANTED);
        h->l->task_claim[t] = GS_NONE;
    }
    gs_queue_use(h, h->l->queue[slot], -gs_slot_gpu_milli(h, slot), -gs_slot_cpus_milli(h, slot));
    gs_running_remove(h, slot);
    h->gain++;
}

void gs_host_finish(struct gs_host *h, uint32_t slot, int64_t now_ns)
{
    h->now = now_ns;
    gs_host_fact(h, GSP_EV_END, slot);
    free_devices(h, slot);
    h->l->state[slot] = GSP_JOB_DONE;
    gs_live_remove(h->l, slot);
}

void gs_host_retry(struct gs_host *h, uint32_t slot, int64_t now_ns)
{
    h->now = now_ns;
    free_devices(h, slot);
    for (uint32_t i = 0; i < h->l->task_count[slot]; i++) {
        const uint32_t t = h->l->task_first[slot] + i;
        h->l->task_state[t] = GSP_TASK_PENDING;
        h->l->task_node[t] = GS_NONE;
        h->l->task_started_ns[t] = -1;
    }
    h->l->state[slot] = GSP_JOB_PENDING;
    h->l->started_ns[slot] = -1;
    gs_pending_add(h, slot);
    gs_host_fact(h, GSP_EV_EVICT, slot);
}

void gs_host_remove(struct gs_host *h, uint32_t slot, int64_t now_ns)
{
    h->now = now_ns;
    gs_host_fact(h, GSP_EV_REJECT, slot);
    if (h->jgroup[slot] != GS_NONE) {
        gs_pending_remove(h, slot);
    } else {
        for (size_t i = 0; i < h->fresh.n; i++) {
            if (h->fresh.v[i] != slot)
                continue;
            memmove(&h->fresh.v[i], &h->fresh.v[i + 1], (h->fresh.n - i - 1) * sizeof *h->fresh.v);
            h->fresh.n--;
            break;
        }
    }
    gs_live_remove(h->l, slot);
}

void gs_host_release(struct gs_host *h, uint32_t slot, int64_t now_ns)
{
    h->now = now_ns;
    gs_require(h->l->state[slot] == GSP_JOB_HELD);
    h->l->state[slot] = GSP_JOB_PENDING;
    gs_pending_add(h, slot);
    gs_host_fact(h, GSP_EV_RELEASED, slot);
}

int gs_host_wants_pass(const struct gs_host *h)
{
    return (h->woken & h->wake_mask) != 0;
}

void gs_host_fetch_job(const struct gs_host *h, uint32_t slot)
{
    const struct gs_live *l = h->l;
    const void *const row[] = {&l->task_first[slot],  &l->task_count[slot], &l->started_ns[slot],
                               &l->attempts[slot],    &l->queue[slot],      &l->gpus[slot],
                               &l->share_milli[slot], &l->shape[slot],      &l->generation[slot],
                               &l->state[slot],       &l->next_free[slot],  &h->jwait[slot],
                               &h->jsince[slot],      &h->jcause[slot],     &h->jrun[slot]};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        GS_PREFETCH(row[i]);
}

void gs_host_fetch_claim(const struct gs_host *h, uint32_t slot)
{
    const uint32_t task = h->l->task_first[slot];
    if (h->l->task_claim[task] != GS_NONE)
        GS_PREFETCH(&h->c->claim[h->l->task_claim[task]]);
    GS_PREFETCH(&h->l->task_generation[task]);
    GS_PREFETCH(&h->l->task_state[task]);
    if (h->jrun[slot] != GS_NONE)
        GS_PREFETCH(&h->running.v[h->jrun[slot]]);
}

uint32_t gs_host_held(const struct gs_host *h, uint32_t slot, struct gs_held *out, uint32_t max)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < h->l->task_count[slot]; i++) {
        uint32_t t = h->l->task_first[slot] + i;
        for (uint32_t r = h->l->task_claim[t]; r != GS_NONE; r = h->c->claim[r].next, n++) {
            const struct gs_claim *k = &h->c->claim[r];
            const struct gs_partition *p = k->gpu == GS_NONE ? NULL : &h->c->part[k->partition];
            if (n < max)
                out[n] = (struct gs_held){.profile = p ? p->profile : 0,
                                          .mig_start = p ? p->slice_start : 0,
                                          .mig_size = p ? p->slice_size : 0,
                                          .task = i,
                                          .node = k->node,
                                          .gpu = k->gpu,
                                          .milli = k->milli,
                                          .mem_mib = k->mem_mib,
                                          .cpus_milli = k->cpus_milli,
                                          .node_mem_mib = k->node_mem_mib};
        }
    }
    return n;
}

/* How many tasks of r the node could hold, were it empty. */
static uint64_t could_hold(const struct gs_cluster *c, uint32_t node, const struct gs_request *r)
{
    if (!gs_node_could_fit(c, node, r))
        return 0;
    uint64_t n = UINT32_MAX;
    if (r->gpus && r->profile)
        n = gs_node_instances_most(c, node, r->profile);
    else if (r->gpus && r->share_milli == 1000)
        n = c->gpu_count[node] / r->gpus;
    else if (r->gpus)
        n = (uint64_t)c->gpu_count[node] * (c->gpu_cap_milli[c->gpu_first[node]] / r->share_milli);
    if (r->cpus_milli > 0 && (uint64_t)(c->cpus_milli[node] / r->cpus_milli) < n)
        n = (uint64_t)(c->cpus_milli[node] / r->cpus_milli);
    if (r->mem_mib > 0 && (uint64_t)(c->mem_mib[node] / r->mem_mib) < n)
        n = (uint64_t)(c->mem_mib[node] / r->mem_mib);
    return n;
}

/* Does `last` fit on the empty node beside as many tasks of r as it can hold? */
static int holds_besides(const struct gs_cluster *c, uint32_t node, const struct gs_request *r,
                         const struct gs_request *last)
{
    const int64_t n = (int64_t)could_hold(c, node, r);
    if (!gs_node_could_fit(c, node, last))
        return 0;
    return (int64_t)c->gpu_count[node] - n * r->gpus >= last->gpus &&
           c->cpus_milli[node] - n * r->cpus_milli >= last->cpus_milli &&
           c->mem_mib[node] - n * r->mem_mib >= last->mem_mib;
}

/* Room for the whole gang on the empty cluster. */
static int gang_could_fit(const struct gs_cluster *c, const struct gs_shape *s,
                          const struct gs_request *r, const struct gs_request *last)
{
    uint64_t room = 0;
    int beside = 0;
    for (uint32_t n = 0; n < c->nnodes && room < s->tasks; n++) {
        room += could_hold(c, n, r);
        beside |= s->request != s->last_request && holds_besides(c, n, r, last);
    }
    return room >= s->tasks || (room + 1 == s->tasks && beside);
}

/* Which wish, if it were dropped, would let the gang in: told to people, so that a rejected job needs no guess. */
static const char *why_too_large(const struct gs_cluster *c, const struct gs_shape *s,
                                 struct gs_request r, struct gs_request last)
{
    struct gs_request any_r = r, any_last = last;
    if (r.profile == GS_JOB_NO_PROFILE)
        return "asks for a MIG profile that no device of the cluster has";
    if (r.profile && r.gpus > 1)
        return "asks for a task of several MIG instances: there is no traffic between them";
    any_r.models = any_last.models = 0;
    if (gang_could_fit(c, s, &any_r, &any_last))
        return "larger than the part of the cluster with its GPU model";
    r.cpus_milli = last.cpus_milli = 0;
    if (gang_could_fit(c, s, &r, &last))
        return "asks for more CPUs than the nodes have beside its GPUs";
    r.mem_mib = last.mem_mib = 0;
    if (gang_could_fit(c, s, &r, &last))
        return "asks for more memory than the nodes have beside its GPUs";
    return "larger than the cluster";
}

const char *gs_host_impossible(struct gs_host *h, uint32_t slot)
{
    const uint32_t shape = h->l->shape[slot];
    const struct gs_shape *s = &h->l->shapes[shape];
    struct gs_request r = gs_live_get_request(h->l, s->request),
                      last = gs_live_get_request(h->l, s->last_request);
    reserve_shapes(h);
    if (gs_queue_never_fits(h, slot))
        return "larger than its queue's limit";
    if (h->shape_fit_epoch[shape]) /* it was judged before */
        return NULL;
    if (h->shape_blocked[shape] != UINT64_MAX && gang_could_fit(h->c, s, &r, &last)) {
        h->shape_fit_epoch[shape] = 1;
        return NULL;
    }
    h->shape_blocked[shape] = UINT64_MAX;
    return why_too_large(h->c, s, r, last);
}

/* ---- the pass ---- */

static enum gs_rc deliver(struct gs_host *h, struct gs_err *err)
{
    if (h->any_events && h->events.n) {
        for (size_t i = 0; i < h->inst.n; i++) {
            struct gs_instance *in = h->inst.v[i];
            if (!in->m->m->ops->on_events)
                continue;
            int code = 0;
            struct gsp_ctx *c = gs_instance_enter(in);
            GS_CALL(in, "on_events",
                    code =
                        in->m->m->ops->on_events(in->self, c, h->events.v, (uint32_t)h->events.n));
            enum gs_rc rc = gs_hook_result(in, "on_events", code, err);
            if (rc)
                return rc;
        }
    }
    gs_vec_clear(&h->events);
    return GS_OK;
}

static enum gs_rc whole_cycle(struct gs_host *h, struct gs_err *err)
{
    struct gs_instance *in = h->inst.v[h->role[GS_ROLE_SCHEDULER]];
    int code = 0;
    struct gsp_ctx *c = gs_instance_enter(in);
    GS_CALL_TXN(in, "cycle", code = in->m->m->ops->cycle(in->self, c, &h->txn));
    return gs_hook_result(in, "cycle", code, err);
}

/* A pass of the time before the warm start: what the world says is done, and the modules, which have seen the events, are not asked; but for a
 * partitioner: which instances it made is not in the file, and it makes them again. */
static enum gs_rc replay(struct gs_host *h, struct gs_err *err)
{
    gs_txn_open(h, NULL);
    h->caller = (struct gs_caller){NULL, "history", 1};
    h->ops->replay(h->world, h->now);
    h->caller = (struct gs_caller){0};
    gs_txn_commit(h);
    const enum gs_rc rc = gs_host_partition(h, err);
    gs_waits_classify(h);
    h->stats.pending = h->npending;
    return rc;
}

enum gs_rc gs_host_pass(struct gs_host *h, int64_t now_ns, struct gs_err *err)
{
    h->now = now_ns;
    h->cycle++;
    h->stats.passes++;
    h->woken = 0;
    h->walk_all = 0;
    gs_arena_reset(&h->pass);
    for (uint32_t q = 0; q < h->q->n; q++)
        gs_queue_accrue(h, q);
    gs_view_refresh(h);
    enum gs_rc rc = deliver(h, err);
    if (!rc)
        rc = gs_pending_order(h, err);
    if (rc)
        return rc;
    if (now_ns < h->history_until_ns)
        return replay(h, err);
    if (h->npending == 0 && h->role[GS_ROLE_SCHEDULER] == GS_NONE)
        return GS_OK;
    struct gs_instance *in =
        h->role[GS_ROLE_SCHEDULER] == GS_NONE ? NULL : h->inst.v[h->role[GS_ROLE_SCHEDULER]];
    gs_txn_open(h, in);
    rc = in ? whole_cycle(h, err) : gs_composite_cycle(h, err);
    if (rc) {
        gs_txn_drop(h);
        return rc;
    }
    gs_txn_commit(
        h); /* what it changed may ask for one more pass: an evicted job may fit elsewhere */
    rc = gs_host_partition(h, err);
    gs_waits_classify(h);
    h->stats.pending = h->npending;
    return rc;
}

enum gs_rc gs_host_timer(struct gs_host *h, uint32_t instance, uint64_t tag, int64_t now_ns,
                         struct gs_err *err)
{
    h->now = now_ns;
    h->woken |= UINT64_C(1) << GSP_EV_TIMER;
    if (instance >= h->inst.n || !h->inst.v[instance]->m->m->ops->on_timer)
        return GS_OK;
    struct gs_instance *in = h->inst.v[instance];
    gs_arena_reset(&h->pass);
    gs_view_refresh(h);
    h->cycle++;
    gs_txn_open(h, in);
    int code = 0;
    struct gsp_ctx *c = gs_instance_enter(in);
    GS_CALL_TXN(in, "on_timer", code = in->m->m->ops->on_timer(in->self, c, tag, &h->txn));
    enum gs_rc rc = gs_hook_result(in, "on_timer", code, err);
    if (rc)
        gs_txn_drop(h);
    else
        gs_txn_commit(h);
    return rc;
}

const struct gs_host_stats *gs_host_get_stats(const struct gs_host *h)
{
    return &h->stats;
}

struct gs_classes *gs_host_classes(struct gs_host *h)
{
    return &h->classes;
}

void gs_host_visit(struct gs_host *h, struct gs_visitor *v)
{
    gs_visit_u32(v, GS_TAG('H', 'C', 'Y', 'C'), &h->cycle, 1);
    gs_visit_u64(v, GS_TAG('H', 'G', 'A', 'I'), &h->gain, 1);
    gs_visit_u32(v, GS_TAG('H', 'P', 'E', 'N'), &h->npending, 1);
    gs_visit_u32(v, GS_TAG('H', 'R', 'U', 'N'), h->running.v, h->running.n);
    gs_visit_i64(v, GS_TAG('H', 'Q', 'U', 'S'), h->q->used_milli, h->q->n);
    gs_visit_i64(v, GS_TAG('H', 'Q', 'G', 'P'), h->q->gpu_ns, h->q->n);
    for (uint32_t s = 0; s < h->l->njobs; s++)
        if (h->l->state[s] != GSP_JOB_EMPTY)
            gs_visit_i64(v, GS_TAG('H', 'W', 'A', 'I'), h->jwait[s], GS_CAUSE_COUNT);
}

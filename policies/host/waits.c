/* waits.c - why each waiting job waits: one cause at a time, integrated exactly, at a cost of groups, not jobs.
 *
 * All jobs of a group (same request, same queue) share a cause, except perhaps the first in order: it alone may have nobody before it. So a group keeps one
 * running vector of nanoseconds a cause; a job that joins subtracts the vector, one that leaves adds it. The first job of each group is tracked on
 * its own. Causes are set by the host at the end of each pass, never by a module, and only when free capacity, a queue's use or the
 * order changed. Tests in the order of the results reference; "would fit" means the whole gang, in the ledger as it stands.
 *
 * Whether a task of a shape fits is remembered: a class that took it is asked again first, and while none takes it only classes that gained
 * a node since are looked at. What is free in all is kept by the classes. So an answer costs what changed, except for a gang of which
 * some tasks find room: O(active classes). */
#include "policies/host/host_internal.h"
#include "sim/hardware/mig.h"

#include <string.h>

#define NOT_WAITING 0xffu

static int64_t cum_at(const struct gs_host *h, const struct gs_pgroup *g, int cause)
{
    return g->cum[cause] + (g->cause == cause ? h->now - g->since : 0);
}

/* ---- rows: one a stretch of time with one cause, if the world wants them ---- */

/* Ends the job's open row, if it has one. */
static void flush_row(struct gs_host *h, uint32_t slot, int64_t end)
{
    struct gs_wait_open *o = &h->jrow[slot];
    if (o->why.cause < GS_CAUSE_COUNT && end > o->start)
        h->ops->waited(h->world, slot, o->start, end, &o->why);
    o->why.cause = GS_CAUSE_COUNT;
}

/* The job waits for `why` from `from` on. A row goes on while the cause stays; it keeps the blocker that it began with. */
static void note_row(struct gs_host *h, uint32_t slot, int64_t from, struct gs_wait_why why)
{
    struct gs_wait_open *o = &h->jrow[slot];
    if (o->why.cause == why.cause)
        return;
    flush_row(h, slot, from);
    *o = (struct gs_wait_open){.start = from, .why = why};
}

/* The rows of a job that followed its group since log entry `at`. */
static void note_followed(struct gs_host *h, const struct gs_pgroup *g, uint32_t slot)
{
    for (size_t i = h->jlog[slot]; i < g->log.n; i++) {
        const int64_t t = g->log.v[i].t;
        note_row(h, slot, t > h->jsince[slot] ? t : h->jsince[slot], g->log.v[i].why);
    }
}

/* ---- the sums ---- */

static void fold_own(struct gs_host *h, uint32_t slot)
{
    if (h->jcause[slot] < GS_CAUSE_COUNT)
        h->jwait[slot][h->jcause[slot]] += h->now - h->jsince[slot];
}

/* sign -1: the job now follows its group's vector; +1: it stops doing so. */
static void follow(struct gs_host *h, const struct gs_pgroup *g, uint32_t slot, int sign)
{
    for (int c = 0; c < GS_CAUSE_COUNT; c++)
        h->jwait[slot][c] += sign * cum_at(h, g, c);
    if (!h->want_rows)
        return;
    if (sign > 0) {
        note_followed(h, g, slot);
    } else {
        h->jlog[slot] = (uint32_t)g->log.n - 1;
        h->jsince[slot] = h->now;
    }
}

static void track_own(struct gs_host *h, uint32_t slot, struct gs_wait_why why)
{
    h->jcause[slot] = why.cause;
    h->jsince[slot] = h->now;
    if (h->want_rows)
        note_row(h, slot, h->now, why);
}

static struct gs_wait_why group_why(const struct gs_pgroup *g)
{
    return (struct gs_wait_why){
        .cause = g->cause, .blocker_kind = g->blocker_kind, .blocker = g->blocker};
}

/* The first job of the group is tracked on its own, all others follow. */
static void rehead(struct gs_host *h, uint32_t gi)
{
    struct gs_pgroup *g = &h->groups.v[gi];
    uint32_t first = g->list.v[g->first].slot;
    if (g->head == first)
        return;
    if (g->head != GS_NONE) {
        fold_own(h, g->head);
        h->jcause[g->head] = GS_CAUSE_COUNT;
        follow(h, g, g->head, -1);
    }
    follow(h, g, first, +1);
    track_own(h, first, group_why(g));
    g->head = first;
}

void gs_waits_join(struct gs_host *h, uint32_t slot)
{
    struct gs_pgroup *g = &h->groups.v[h->jgroup[slot]];
    fold_own(h, slot);
    h->jcause[slot] = GS_CAUSE_COUNT;
    follow(h, g, slot, -1);
    rehead(h, h->jgroup[slot]);
}

/* Before the job is taken out of its group. */
void gs_waits_leave(struct gs_host *h, uint32_t slot)
{
    struct gs_pgroup *g = &h->groups.v[h->jgroup[slot]];
    if (g->head == slot) {
        fold_own(h, slot);
        g->head = GS_NONE;
    } else {
        follow(h, g, slot, +1);
    }
    h->jcause[slot] = NOT_WAITING;
    if (h->want_rows)
        flush_row(h, slot, h->now);
}

void gs_host_waits_close(struct gs_host *h, uint32_t slot)
{
    if (!h->want_rows)
        return;
    if (h->jcause[slot] == GS_CAUSE_COUNT)
        note_followed(h, &h->groups.v[h->jgroup[slot]], slot);
    flush_row(h, slot, h->now);
}

void gs_waits_rehead(struct gs_host *h, uint32_t group)
{
    rehead(h, group);
}

void gs_waits_hold(struct gs_host *h, uint32_t slot)
{
    track_own(h, slot, (struct gs_wait_why){.cause = GS_CAUSE_HELD});
}

void gs_waits_begin(struct gs_host *h, uint32_t slot)
{
    memset(h->jwait[slot], 0, sizeof h->jwait[slot]);
    if (h->want_rows)
        h->jrow[slot].why.cause = GS_CAUSE_COUNT;
    track_own(h, slot, (struct gs_wait_why){.cause = GS_CAUSE_SCHEDULER});
}

void gs_host_waits(struct gs_host *h, uint32_t slot, int64_t now_ns, int64_t cause[GS_CAUSE_COUNT])
{
    if (now_ns > h->now)
        h->now = now_ns;
    memcpy(cause, h->jwait[slot], sizeof h->jwait[slot]);
    uint8_t own = h->jcause[slot];
    if (own < GS_CAUSE_COUNT)
        cause[own] += h->now - h->jsince[slot];
    else if (own == GS_CAUSE_COUNT)
        for (int c = 0; c < GS_CAUSE_COUNT; c++)
            cause[c] += cum_at(h, &h->groups.v[h->jgroup[slot]], c);
}

/* ---- does it fit ---- */

static void count_free_slices(struct gs_host *h, uint32_t node)
{
    const struct gs_cluster *c = h->c;
    int32_t n = 0;
    if (c->node_model[node] == GS_NONE)
        return;
    for (uint32_t i = 0; c->node_mig[node] && c->node_up[node] && i < c->gpu_count[node]; i++) {
        const uint32_t g = c->gpu_first[node] + i;
        if (c->gpu_mode[g] != GS_MODE_MIG || !c->gpu_up[g])
            continue;
        n += (int32_t)c->gpu_slices[g];
        for (uint32_t p = c->gpu_part[g]; p != GS_NONE; p = c->part[p].next)
            n -= c->part[p].state == GS_PART_HELD ? c->part[p].slice_size : 0;
    }
    h->mig_free[c->node_model[node]] += n - h->mig_node_free[node];
    h->mig_node_free[node] = n;
}

/* Memory slices of devices in MIG mode that nobody holds, by model; counted again on nodes where something has changed. */
static const int64_t *free_slices(struct gs_host *h)
{
    const struct gs_cluster *c = h->c;
    uint64_t t = h->mig_free_epoch - 1;
    if (!h->mig_node_free)
        h->mig_node_free = GS_NEW_N(int32_t, c->nnodes);
    if (!h->mig_free_epoch || c->mig_epoch - t > GS_MIG_LOG)
        for (uint32_t node = 0; node < c->nnodes; node++)
            count_free_slices(h, node);
    else
        for (; t < c->mig_epoch; t++)
            count_free_slices(h, c->mig_log[t % GS_MIG_LOG]);
    h->mig_free_epoch = c->mig_epoch + 1;
    return h->mig_free;
}

/* Tasks of an instance each that the free slices of fitting devices would hold, did they lie well. */
static int64_t instances_free(struct gs_host *h, const struct gs_request *r)
{
    const int64_t *slices = free_slices(h);
    int64_t n = 0;
    for (uint32_t m = 0; h->c->mig && m < h->c->nmodels; m++) {
        const struct gs_mig_geometry *g = h->c->mig->of[m];
        for (uint32_t i = 0; g && i < g->n; i++)
            if (g->p[i].id == r->profile && (r->models == 0 || (r->models >> m & 1)))
                n += slices[m] / g->p[i].size;
    }
    return n;
}

/* What is free on all up nodes whose model the request allows, in units of the request: devices, share milli, or CPU milli. */
static int64_t amount_free(const struct gs_host *h, const struct gs_request *r)
{
    int64_t sum = 0;
    for (uint32_t row = 0; row <= h->c->nmodels; row++) {
        const struct gs_free_sum *f = &h->classes.free_sum[row];
        if (r->gpus == 0)
            sum += f->cpus_milli;
        else if (row > 0 && (r->models == 0 || (r->models >> (row - 1) & 1)))
            sum += r->share_milli == 1000 ? f->gpus : f->milli;
    }
    return sum;
}

static int64_t amount_asked(const struct gs_request *r)
{
    if (r->gpus == 0)
        return r->cpus_milli;
    return r->share_milli == 1000 ? r->gpus : r->share_milli;
}

static int class_takes(const struct gs_host *h, uint32_t cls, const struct gs_request *r)
{
    return cls < h->classes.ncls && h->classes.cls[cls].members &&
           gs_class_fits(&h->classes, cls, r);
}

/* A class on which one task of the shape fits, or GS_NONE. The class that was found last is asked first. While none fits, only
 * classes that gained a node since are looked at: a class never changes, and one without nodes takes nothing. */
static uint32_t find_class(struct gs_host *h, uint32_t shape, const struct gs_request *r)
{
    const struct gs_classes *k = &h->classes;
    struct gs_fit_memo *m = &h->shape_memo[shape];
    const uint64_t from = m->clear_at;
    if (from == 0 && class_takes(h, m->cls, r))
        return m->cls;
    m->clear_at = 0;
    if (from && k->clock + 1 - from < GS_JOINED_KEPT) {
        for (uint64_t t = from; t <= k->clock; t++)
            if (class_takes(h, k->joined[t % GS_JOINED_KEPT], r))
                return m->cls = k->joined[t % GS_JOINED_KEPT];
    } else {
        for (uint32_t i = 0; i < k->nactive; i++)
            if (gs_class_fits(k, k->active[i], r))
                return m->cls = k->active[i];
    }
    m->clear_at = k->clock + 1;
    return GS_NONE;
}

/* Is there room for all tasks of a gang? */
static int gang_fits(struct gs_host *h, const struct gs_shape *s, const struct gs_request *r)
{
    uint64_t room = 0;
    for (uint32_t i = 0; i < h->classes.nactive && room < s->tasks; i++) {
        const uint32_t k = h->classes.active[i];
        if (gs_class_fits(&h->classes, k, r))
            room += (uint64_t)h->classes.cls[k].members *
                    gs_node_capacity(h->c, gs_class_lowest(&h->classes, k), r);
    }
    return room >= s->tasks;
}

static enum gs_fit evaluate(struct gs_host *h, uint32_t shape)
{
    const struct gs_shape *s = &h->l->shapes[shape];
    const struct gs_request r = gs_live_get_request(h->l, s->request),
                            last = gs_live_get_request(h->l, s->last_request);
    if (find_class(h, shape, &r) != GS_NONE && (s->tasks == 1 || gang_fits(h, s, &r)))
        return GS_FIT_YES;
    if (r.gpus && r.profile)
        return instances_free(h, &r) < s->tasks ? GS_FIT_CAPACITY : GS_FIT_FRAGMENTED;
    const int64_t asked = amount_asked(&r) * (int64_t)(s->tasks - 1) + amount_asked(&last);
    return amount_free(h, &r) < asked ? GS_FIT_CAPACITY : GS_FIT_FRAGMENTED;
}

enum gs_fit gs_shape_fit(struct gs_host *h, uint32_t shape)
{
    if (h->shape_fit_epoch[shape] == h->c->epoch + 1)
        return (enum gs_fit)h->shape_fit[shape];
    gs_classes_sync(&h->classes);
    enum gs_fit f = evaluate(h, shape);
    h->shape_fit_epoch[shape] = h->c->epoch + 1;
    h->shape_fit[shape] = (uint8_t)f;
    return f;
}

/* ---- classification ---- */

/* Position of each waiting job in the order that a whole-cycle module gave in this pass, or NULL. */
static uint32_t *module_order(struct gs_host *h)
{
    if (h->opos_cycle != h->cycle || h->opos.n == 0)
        return NULL;
    uint32_t *pos = gs_arena_alloc(&h->pass, h->slots_cap * sizeof *pos, 8);
    memset(pos, 0xff, h->slots_cap * sizeof *pos);
    for (uint32_t i = 0; i < h->opos.n; i++)
        pos[h->opos.v[i]] = i;
    return pos;
}

static int before(const struct gs_host *h, const uint32_t *pos, uint32_t a, uint32_t b)
{
    const struct gs_pgroup *x = &h->groups.v[a], *y = &h->groups.v[b];
    if (pos && pos[x->head] != pos[y->head])
        return pos[x->head] < pos[y->head];
    struct gs_pkey kx = gs_group_key(x, 0), ky = gs_group_key(y, 0);
    return gs_pkey_before(&kx, &ky);
}

static uint64_t reach(const struct gs_host *h, uint32_t group)
{
    uint64_t m = h->l->rq_models[h->l->shapes[h->groups.v[group].shape].request];
    return m ? m : UINT64_MAX;
}

/* Does some other waiting job stand before the group's first, in reach of the same nodes? */
static int somebody_before(const struct gs_host *h, const uint32_t *pos, uint32_t group,
                           uint32_t front)
{
    if (group == front)
        return 0;
    if (reach(h, group) & reach(h, front))
        return 1;
    for (size_t i = 0; i < h->heap.n; i++) {
        uint32_t o = h->heap.v[i];
        if (o != group && (reach(h, o) & reach(h, group)) && before(h, pos, o, group))
            return 1;
    }
    return 0;
}

static void set_group_why(struct gs_host *h, struct gs_pgroup *g, struct gs_wait_why why)
{
    if (g->cause == why.cause)
        return;
    g->cum[g->cause] += h->now - g->since;
    g->since = h->now;
    g->cause = why.cause;
    g->blocker_kind = why.blocker_kind;
    g->blocker = why.blocker;
    if (h->want_rows)
        gs_vec_push(&g->log, (struct gs_wait_change){h->now, why});
}

static void set_causes(struct gs_host *h, uint32_t gi, struct gs_wait_why head,
                       struct gs_wait_why rest)
{
    struct gs_pgroup *g = &h->groups.v[gi];
    set_group_why(h, g, rest);
    if (h->jcause[g->head] != head.cause) {
        fold_own(h, g->head);
        track_own(h, g->head, head);
    }
}

/* Instances that are being made of the profile that the shape asks for. */
static uint64_t instances_coming(const struct gs_host *h, uint32_t shape)
{
    const uint32_t profile = h->l->rq_profile[h->l->shapes[shape].request];
    const struct gsp_mig_columns *k = &h->mig_columns;
    uint64_t n = 0;
    for (size_t i = 0; profile && i < k->making.n; i++)
        n += h->c->part[k->making.v[i]].profile == profile;
    return n;
}

static void classify_group(struct gs_host *h, const uint32_t *pos, uint32_t gi, uint32_t front)
{
    struct gs_pgroup *g = &h->groups.v[gi];
    if (gs_queue_over_limit(h, g->head)) {
        const struct gs_wait_why quota = {GS_CAUSE_QUOTA, GS_BLOCKER_QUEUE, g->queue};
        set_causes(h, gi, quota, quota);
        return;
    }
    enum gs_fit f = gs_shape_fit(h, g->shape);
    if (f != GS_FIT_YES) {
        const struct gs_wait_why no = {
            f == GS_FIT_CAPACITY ? GS_CAUSE_CAPACITY : GS_CAUSE_FRAGMENTATION, GS_BLOCKER_NONE, 0};
        const struct gs_wait_why made = {GS_CAUSE_STARTUP, GS_BLOCKER_NONE, 0};
        const uint64_t coming = instances_coming(h, g->shape), one = h->l->shapes[g->shape].tasks;
        set_causes(h, gi, coming >= one && coming ? made : no,
                   coming >= one * (g->list.n - g->first) && coming ? made : no);
        return;
    }
    const uint32_t first = h->l->id[h->groups.v[front].head];
    struct gs_wait_why rest = {GS_CAUSE_ORDER, GS_BLOCKER_JOB, first}, head = rest;
    if (!somebody_before(h, pos, gi, front))
        head = (struct gs_wait_why){.cause = GS_CAUSE_SCHEDULER};
    if (g->gated == h->cycle) /* what is planned for the nodes on which it would fit keeps it out */
        rest = head = (struct gs_wait_why){.cause = GS_CAUSE_RESERVATION};
    if (h->reserved_slot != GS_NONE) {
        rest =
            (struct gs_wait_why){GS_CAUSE_RESERVATION, GS_BLOCKER_JOB, h->l->id[h->reserved_slot]};
        if (g->head != h->reserved_slot)
            head = rest;
    }
    set_causes(h, gi, head, rest);
}

void gs_waits_classify(struct gs_host *h)
{
    if (h->heap.n == 0 || (h->wait_epoch == h->c->epoch && h->wait_order_epoch == h->order_epoch))
        return;
    gs_classes_sync(&h->classes);
    const uint32_t *pos = module_order(h);
    uint32_t front = h->heap.v[0];
    if (pos)
        for (size_t i = 1; i < h->heap.n; i++)
            if (before(h, pos, h->heap.v[i], front))
                front = h->heap.v[i];
    for (size_t i = 0; i < h->heap.n; i++)
        classify_group(h, pos, h->heap.v[i], front);
    h->wait_epoch = h->c->epoch;
    h->wait_order_epoch = h->order_epoch;
}

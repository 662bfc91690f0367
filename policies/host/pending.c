/* pending.c - the jobs that wait, in groups of equal (shape, queue), each group sorted, the groups in a heap by their first job.
 *
 * The order of all jobs is (key, submit, id), where key comes from the order part. A part whose keys never change (ORDER_STATIC) is asked once a
 * job; one whose keys depend on the owner alone (ORDER_OWNER) once a group and pass; any other once a job and pass.
 * The walk yields jobs in order without sorting them: its frontier holds the next candidate of each group that it has
 * reached, and reaches a group's heap children only after the group itself; k jobs cost O(k log k), not O(waiting). Groups
 * whose shape is known not to fit yield nothing. Jobs started during a pass stay in their group until the commit. */
#include "policies/host/host_internal.h"
#include "sim/base/sort.h"

#include <string.h>

int gs_pkey_before(const struct gs_pkey *a, const struct gs_pkey *b)
{
    if (a->key != b->key)
        return a->key < b->key;
    if (a->submit != b->submit)
        return a->submit < b->submit;
    return a->id < b->id;
}

struct gs_pkey gs_group_key(const struct gs_pgroup *g, uint32_t pos)
{
    struct gs_pkey k = g->list.v[g->first + pos].k;
    k.key += g->key;
    return k;
}

static uint32_t group_len(const struct gs_pgroup *g)
{
    return (uint32_t)g->list.n - g->first;
}

/* ---- heap of groups ---- */

static int group_before(const struct gs_host *h, uint32_t a, uint32_t b)
{
    struct gs_pkey x = gs_group_key(&h->groups.v[a], 0), y = gs_group_key(&h->groups.v[b], 0);
    return gs_pkey_before(&x, &y);
}

static void heap_put(struct gs_host *h, size_t at, uint32_t g)
{
    h->heap.v[at] = g;
    h->groups.v[g].heap_pos = (uint32_t)at;
}

static void heap_up(struct gs_host *h, size_t at)
{
    uint32_t g = h->heap.v[at];
    while (at > 0 && group_before(h, g, h->heap.v[(at - 1) / 2])) {
        heap_put(h, at, h->heap.v[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    heap_put(h, at, g);
}

static void heap_down(struct gs_host *h, size_t at)
{
    uint32_t g = h->heap.v[at];
    for (;;) {
        size_t kid = 2 * at + 1;
        if (kid >= h->heap.n)
            break;
        if (kid + 1 < h->heap.n && group_before(h, h->heap.v[kid + 1], h->heap.v[kid]))
            kid++;
        if (!group_before(h, h->heap.v[kid], g))
            break;
        heap_put(h, at, h->heap.v[kid]);
        at = kid;
    }
    heap_put(h, at, g);
}

static void heap_remove(struct gs_host *h, uint32_t g)
{
    size_t at = h->groups.v[g].heap_pos;
    h->groups.v[g].heap_pos = GS_NONE;
    uint32_t last = gs_vec_pop(&h->heap);
    if (last == g)
        return;
    heap_put(h, at, last);
    heap_up(h, at);
    heap_down(h, h->groups.v[last].heap_pos);
}

/* A group's first job changed. */
static void heap_fix(struct gs_host *h, uint32_t g)
{
    if (h->groups.v[g].heap_pos == GS_NONE) {
        gs_vec_push(&h->heap, g);
        heap_up(h, h->heap.n - 1);
        return;
    }
    heap_up(h, h->groups.v[g].heap_pos);
    heap_down(h, h->groups.v[g].heap_pos);
}

/* ---- groups ---- */

struct group_key {
    uint32_t shape, queue, user;
    int32_t priority;
};

static int group_eq(const void *ctx, uint32_t id, const void *key)
{
    const struct gs_pgroup *g = &((const struct gs_host *)ctx)->groups.v[id];
    const struct group_key *k = key;
    return g->shape == k->shape && g->queue == k->queue && g->user == k->user &&
           g->priority == k->priority;
}

static uint64_t group_hash(const struct group_key *k)
{
    return gs_hash_mix(((uint64_t)k->shape << 32) | k->queue,
                       ((uint64_t)k->user << 32) | (uint32_t)k->priority);
}

static struct group_key key_of_slot(const struct gs_host *h, uint32_t slot)
{
    struct group_key k = {.shape = h->l->shape[slot], .queue = h->l->queue[slot]};
    if (h->order_owner) {
        k.user = h->l->user[slot];
        k.priority = h->l->priority[slot];
    }
    return k;
}

static uint32_t group_of(struct gs_host *h, uint32_t slot)
{
    struct group_key k = key_of_slot(h, slot);
    uint64_t hash = group_hash(&k);
    uint32_t g = gs_map_find(&h->group_map, hash, group_eq, h, &k);
    if (g != GS_NONE)
        return g;
    if (h->group_free != GS_NONE) {
        g = h->group_free;
        h->group_free = h->groups.v[g].next_free;
    } else {
        g = (uint32_t)h->groups.n;
        gs_vec_push(&h->groups, (struct gs_pgroup){0});
    }
    struct gs_pgroup *p = &h->groups.v[g];
    struct gs_pgroup blank = {.list = p->list, .log = p->log}; /* their memory is used again */
    gs_vec_clear(&blank.list);
    gs_vec_clear(&blank.log);
    *p = blank;
    p->shape = k.shape;
    p->queue = k.queue;
    p->user = k.user;
    p->priority = k.priority;
    p->heap_pos = GS_NONE;
    p->head = GS_NONE;
    p->cause = GS_CAUSE_SCHEDULER;
    p->since = h->now;
    if (h->want_rows)
        gs_vec_push(&p->log, (struct gs_wait_change){h->now, {.cause = GS_CAUSE_SCHEDULER}});
    gs_map_add(&h->group_map, hash, g);
    return g;
}

static void drop_group(struct gs_host *h, uint32_t g)
{
    struct gs_pgroup *p = &h->groups.v[g];
    struct group_key k = {p->shape, p->queue, p->user, p->priority};
    gs_map_remove(&h->group_map, group_hash(&k), g);
    p->next_free = h->group_free;
    h->group_free = g;
}

/* First position whose entry is not before k; entries compare without the group's own key. */
static uint32_t lower_bound(const struct gs_pgroup *g, const struct gs_pkey *k)
{
    uint32_t lo = g->first, hi = (uint32_t)g->list.n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (gs_pkey_before(&g->list.v[mid].k, k))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void insert_entry(struct gs_pgroup *g, struct gs_pentry e)
{
    uint32_t at = lower_bound(g, &e.k);
    if (g->first > 0 && at - g->first < (uint32_t)g->list.n - at) { /* nearer to the front */
        memmove(&g->list.v[g->first - 1], &g->list.v[g->first], (at - g->first) * sizeof e);
        g->first--;
        g->list.v[at - 1] = e;
        return;
    }
    gs_vec_push(&g->list, e);
    memmove(&g->list.v[at + 1], &g->list.v[at], (g->list.n - 1 - at) * sizeof e);
    g->list.v[at] = e;
}

static void erase_entry(struct gs_pgroup *g, uint32_t at)
{
    if (at - g->first < (uint32_t)g->list.n - at) {
        memmove(&g->list.v[g->first + 1], &g->list.v[g->first],
                (at - g->first) * sizeof *g->list.v);
        g->first++;
    } else {
        memmove(&g->list.v[at], &g->list.v[at + 1], (g->list.n - 1 - at) * sizeof *g->list.v);
        g->list.n--;
    }
    if (g->first == g->list.n) {
        g->first = 0;
        g->list.n = 0;
    }
}

void gs_pending_reserve(struct gs_host *h, uint32_t slots)
{
    if (slots <= h->slots_cap)
        return;
    uint32_t old = h->slots_cap, cap = old ? old : 256;
    while (cap < slots)
        cap *= 2;
    h->jgroup = gs_resize(h->jgroup, cap, sizeof *h->jgroup);
    h->jkey = gs_resize(h->jkey, cap, sizeof *h->jkey);
    h->jwait = gs_resize(h->jwait, cap, sizeof *h->jwait);
    h->jsince = gs_resize(h->jsince, cap, sizeof *h->jsince);
    h->jcause = gs_resize(h->jcause, cap, sizeof *h->jcause);
    h->jrun = gs_resize(h->jrun, cap, sizeof *h->jrun);
    h->jflag = gs_resize(h->jflag, cap, sizeof *h->jflag);
    if (h->want_rows) {
        h->jrow = gs_resize(h->jrow, cap, sizeof *h->jrow);
        h->jlog = gs_resize(h->jlog, cap, sizeof *h->jlog);
    }
    for (uint32_t i = old; i < cap; i++) {
        h->jgroup[i] = GS_NONE;
        h->jrun[i] = GS_NONE;
        h->jflag[i] = 0;
    }
    h->slots_cap = cap;
}

/* The key under which a job enters its group: asked for before (static order), by priority (whole-cycle scheduler), else 0. */
static int64_t entry_key(const struct gs_host *h, uint32_t slot)
{
    if (h->role[GS_ROLE_SCHEDULER] != GS_NONE)
        return -(int64_t)h->l->priority[slot];
    return h->order_static && h->role[GS_ROLE_ORDER] != GS_NONE ? h->jkey[slot].key : 0;
}

void gs_pending_add(struct gs_host *h, uint32_t slot)
{
    uint32_t gi = group_of(h, slot);
    struct gs_pkey k = {
        .key = entry_key(h, slot), .submit = h->l->submit_ns[slot], .id = h->l->id[slot]};
    h->jkey[slot] = k;
    h->jgroup[slot] = gi;
    struct gs_pgroup *g = &h->groups.v[gi];
    if (group_len(g) == 0)
        g->key = 0;
    insert_entry(g, (struct gs_pentry){.k = k, .slot = slot});
    heap_fix(h, gi);
    h->npending++;
    h->q->pending[h->l->queue[slot]]++;
    h->order_epoch++;
    gs_waits_join(h, slot);
}

void gs_pending_remove(struct gs_host *h, uint32_t slot)
{
    uint32_t gi = h->jgroup[slot];
    gs_require(gi != GS_NONE);
    gs_waits_leave(h, slot);
    struct gs_pgroup *g = &h->groups.v[gi];
    uint32_t at = lower_bound(g, &h->jkey[slot]);
    gs_verify(at < g->list.n && g->list.v[at].slot == slot);
    int was_first = at == g->first;
    if (was_first && group_len(g) == 1)
        heap_remove(h, gi); /* while its key can still be read */
    erase_entry(g, at);
    h->jgroup[slot] = GS_NONE;
    h->npending--;
    h->q->pending[h->l->queue[slot]]--;
    h->order_epoch++;
    if (group_len(g) == 0) {
        drop_group(h, gi);
        return;
    }
    if (was_first)
        heap_fix(h, gi);
    gs_waits_rehead(h, gi);
}

uint32_t gs_host_waiting_requests(const struct gs_host *h, struct gs_request *out, uint32_t max)
{
    uint32_t n = 0;
    for (size_t i = 0; i < h->heap.n && n < max; i++)
        out[n++] = gs_live_get_request(h->l, h->l->shapes[h->groups.v[h->heap.v[i]].shape].request);
    return n;
}

/* ---- order ---- */

static enum gs_rc ask_order(struct gs_host *h, const gsp_job *j, uint32_t n, int64_t *key,
                            struct gs_err *err)
{
    struct gs_instance *in = h->inst.v[h->role[GS_ROLE_ORDER]];
    for (uint32_t i = 0; i < n; i++)
        key[i] = h->l->submit_ns[GSP_INDEX(j[i])];
    int code = 0;
    gs_view_refresh(h);
    struct gsp_ctx *c = gs_instance_enter(in);
    GS_CALL(in, "order", code = in->m->m->ops->order(in->self, c, j, n, key));
    enum gs_rc rc = gs_hook_result(in, "order", code, err);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < n; i++)
        if (key[i] == INT64_MIN || key[i] == INT64_MAX)
            return gs_module_fault(in, "order", code, "a key at the end of the range", err);
    return GS_OK;
}

static enum gs_rc order_groups(struct gs_host *h, struct gs_err *err)
{
    uint32_t n = (uint32_t)h->heap.n;
    gsp_job *j = gs_arena_alloc(&h->pass, (n + 1u) * sizeof *j, 16);
    int64_t *key = gs_arena_alloc(&h->pass, (n + 1u) * sizeof *key, 16);
    for (uint32_t i = 0; i < n; i++) {
        const struct gs_pgroup *g = &h->groups.v[h->heap.v[i]];
        j[i] = gs_live_handle(h->l, g->list.v[g->first].slot);
    }
    enum gs_rc rc = ask_order(h, j, n, key, err);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < n; i++)
        h->groups.v[h->heap.v[i]].key = key[i];
    for (size_t i = n; i-- > 0;)
        heap_down(h, i);
    return GS_OK;
}

static int cmp_entry(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    const struct gs_pentry *x = a, *y = b;
    return gs_pkey_before(&x->k, &y->k) ? -1 : gs_pkey_before(&y->k, &x->k);
}

static enum gs_rc order_all(struct gs_host *h, struct gs_err *err)
{
    gsp_job *j = gs_arena_alloc(&h->pass, (h->npending + 1u) * sizeof *j, 16);
    int64_t *key = gs_arena_alloc(&h->pass, (h->npending + 1u) * sizeof *key, 16);
    uint32_t n = 0;
    for (size_t i = 0; i < h->heap.n; i++) {
        const struct gs_pgroup *g = &h->groups.v[h->heap.v[i]];
        for (size_t k = g->first; k < g->list.n; k++)
            j[n++] = gs_live_handle(h->l, g->list.v[k].slot);
    }
    enum gs_rc rc = ask_order(h, j, n, key, err);
    if (rc)
        return rc;
    n = 0;
    for (size_t i = 0; i < h->heap.n; i++) {
        struct gs_pgroup *g = &h->groups.v[h->heap.v[i]];
        uint32_t old_head = g->list.v[g->first].slot;
        for (size_t k = g->first; k < g->list.n; k++, n++) {
            g->list.v[k].k.key = key[n];
            h->jkey[g->list.v[k].slot].key = key[n];
        }
        gs_sort(&g->list.v[g->first], g->list.n - g->first, sizeof *g->list.v, cmp_entry, NULL);
        if (old_head != g->list.v[g->first].slot)
            gs_waits_rehead(h, h->heap.v[i]);
    }
    for (size_t i = h->heap.n; i-- > 0;)
        heap_down(h, i);
    return GS_OK;
}

/* Jobs that came since the last pass join their groups; a static order is asked for their keys, once. */
static enum gs_rc admit_fresh(struct gs_host *h, struct gs_err *err)
{
    uint32_t n = (uint32_t)h->fresh.n;
    if (h->role[GS_ROLE_ORDER] != GS_NONE && h->order_static && n) {
        gsp_job *j = gs_arena_alloc(&h->pass, n * sizeof *j, 16);
        int64_t *key = gs_arena_alloc(&h->pass, n * sizeof *key, 16);
        for (uint32_t i = 0; i < n; i++)
            j[i] = gs_live_handle(h->l, h->fresh.v[i]);
        enum gs_rc rc = ask_order(h, j, n, key, err);
        if (rc)
            return rc;
        for (uint32_t i = 0; i < n; i++)
            h->jkey[h->fresh.v[i]].key = key[i];
    }
    gs_vec_clear(&h->arrived);
    for (uint32_t i = 0; i < n; i++) {
        gs_pending_add(h, h->fresh.v[i]);
        gs_vec_push(&h->arrived, h->fresh.v[i]);
    }
    gs_vec_clear(&h->fresh);
    return GS_OK;
}

enum gs_rc gs_pending_order(struct gs_host *h, struct gs_err *err)
{
    enum gs_rc rc = admit_fresh(h, err);
    if (rc)
        return rc;
    if (h->role[GS_ROLE_ORDER] == GS_NONE || h->order_static || h->heap.n == 0)
        return GS_OK;
    h->order_epoch++;
    return h->order_owner ? order_groups(h, err) : order_all(h, err);
}

/* ---- walk ---- */

static void frontier_push(struct gs_host *h, struct gs_frontier f)
{
    gs_vec_push(&h->frontier, f);
    size_t at = h->frontier.n - 1;
    struct gs_frontier *v = h->frontier.v;
    while (at > 0 && gs_pkey_before(&f.k, &v[(at - 1) / 2].k)) {
        v[at] = v[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    v[at] = f;
}

static struct gs_frontier frontier_pop(struct gs_host *h)
{
    struct gs_frontier *v = h->frontier.v, top = v[0], last = v[--h->frontier.n];
    size_t n = h->frontier.n, at = 0;
    for (;;) {
        size_t kid = 2 * at + 1;
        if (kid >= n)
            break;
        if (kid + 1 < n && gs_pkey_before(&v[kid + 1].k, &v[kid].k))
            kid++;
        if (!gs_pkey_before(&v[kid].k, &last.k))
            break;
        v[at] = v[kid];
        at = kid;
    }
    if (n)
        v[at] = last;
    return top;
}

static void push_tree(struct gs_host *h, size_t at)
{
    if (at >= h->heap.n)
        return;
    uint32_t g = h->heap.v[at];
    frontier_push(
        h, (struct gs_frontier){
               .k = gs_group_key(&h->groups.v[g], 0), .group = g, .pos = 0, .tree = (uint32_t)at});
}

void gs_walk_start(struct gs_host *h)
{
    gs_vec_clear(&h->frontier);
    h->walk_group = GS_NONE;
    h->walk_job = 0;
    h->walk_floor_set = 0;
    push_tree(h, 0);
}

void gs_walk_skip_group(struct gs_host *h)
{
    h->walk_group = GS_NONE;
}

/* Nothing of the group is worth a try: its queue is full, or (unless the walk wants to see what blocks) its shape fits nowhere. */
static int group_hopeless(const struct gs_host *h, const struct gs_pgroup *g)
{
    return h->gain &&
           ((h->shape_blocked[g->shape] == h->gain && !h->walk_all) || g->quota_gain == h->gain);
}

/* The walk was disturbed since `after` was given: starts anew and passes over all that is not behind it. */
static void walk_resume(struct gs_host *h, gsp_job after)
{
    uint32_t s = gs_live_slot(h->l, after);
    gs_walk_start(h);
    h->walk_floor_set = s != GS_NONE && h->jgroup[s] != GS_NONE;
    if (h->walk_floor_set) {
        h->walk_floor = h->jkey[s];
        h->walk_floor.key += h->groups.v[h->jgroup[s]].key;
    }
}

gsp_job gs_walk_next(struct gs_host *h, gsp_job after)
{
    if (after == 0 || after != h->walk_job)
        walk_resume(h, after);
    for (;;) {
        if (h->walk_group != GS_NONE) { /* successor within the group that was given last */
            struct gs_pgroup *g = &h->groups.v[h->walk_group];
            uint32_t pos = h->walk_pos + 1;
            if (pos < group_len(g) && !group_hopeless(h, g))
                frontier_push(h, (struct gs_frontier){.k = gs_group_key(g, pos),
                                                      .group = h->walk_group,
                                                      .pos = pos,
                                                      .tree = GS_NONE});
            h->walk_group = GS_NONE;
        }
        if (h->frontier.n == 0)
            return h->walk_job = 0;
        struct gs_frontier f = frontier_pop(h);
        if (f.tree != GS_NONE) {
            push_tree(h, 2 * (size_t)f.tree + 1);
            push_tree(h, 2 * (size_t)f.tree + 2);
        }
        struct gs_pgroup *g = &h->groups.v[f.group];
        if (group_hopeless(h, g))
            continue;
        h->walk_group = f.group;
        h->walk_pos = f.pos;
        uint32_t slot = g->list.v[g->first + f.pos].slot;
        if (h->l->state[slot] != GSP_JOB_PENDING || h->jflag[slot])
            continue; /* started or rejected earlier in this pass */
        if (h->walk_floor_set && !gs_pkey_before(&h->walk_floor, &f.k))
            continue;
        return h->walk_job = gs_live_handle(h->l, slot);
    }
}

void gs_pending_release(struct gs_host *h)
{
    for (size_t i = 0; i < h->groups.n; i++) {
        gs_vec_free(&h->groups.v[i].list);
        gs_vec_free(&h->groups.v[i].log);
    }
    gs_vec_free(&h->groups);
    gs_map_release(&h->group_map);
    gs_vec_free(&h->heap);
    gs_vec_free(&h->frontier);
    gs_vec_free(&h->running);
    gs_vec_free(&h->fresh);
    gs_vec_free(&h->arrived);
    gs_free(h->jgroup);
    gs_free(h->jkey);
    gs_free(h->jwait);
    gs_free(h->jsince);
    gs_free(h->jcause);
    gs_free(h->jrun);
    gs_free(h->jrow);
    gs_free(h->jlog);
    gs_free(h->jflag);
    gs_free(h->shape_blocked);
    gs_free(h->shape_fit_epoch);
    gs_free(h->shape_fit);
    gs_free(h->shape_memo);
}

/* txn.c - the transaction: verbs that propose, marks that take back, the commit that makes it so.
 *
 * Every proposal is applied to the ledger, the live table and the queues at once and leaves a step; rollback undoes steps from the
 * last to the mark. So "view + earlier proposals" is simply the view, and the ledger's own checks are the feasibility test. A
 * verb that answers a reason has changed nothing. Invariant: outside a pass there are no steps and no open ledger transaction. */
#include "policies/host/host_internal.h"

#include <string.h>

int64_t gs_slot_gpu_milli(const struct gs_host *h, uint32_t slot)
{
    return (int64_t)h->l->gpus[slot] * (h->l->share_milli[slot] ? h->l->share_milli[slot] : 1000);
}

int64_t gs_slot_cpus_milli(const struct gs_host *h, uint32_t slot)
{
    const struct gs_shape *s = &h->l->shapes[h->l->shape[slot]];
    return h->l->rq_cpus_milli[s->request] * (int64_t)(s->tasks - 1) +
           h->l->rq_cpus_milli[s->last_request];
}

void gs_queue_accrue(struct gs_host *h, uint32_t queue)
{
    const int64_t ms = (h->now - h->q->since_ns[queue]) / 1000000;
    h->q->gpu_ns[queue] += h->q->used_milli[queue] * ms;
    h->q->since_ns[queue] += ms * 1000000;
}

void gs_queue_use(struct gs_host *h, uint32_t queue, int64_t gpu_milli, int64_t cpus_milli)
{
    for (uint32_t q = queue; q != GS_NONE; q = h->q->parent[q]) {
        gs_queue_accrue(h, q);
        h->q->used_milli[q] += gpu_milli;
        h->q->used_cpus_milli[q] += cpus_milli;
        gs_verify(h->q->used_milli[q] >= 0 && h->q->used_cpus_milli[q] >= 0);
    }
}

/* Would the job, beside what its queues use (in_use) or beside nothing, take one of them over a limit? */
static int over_limit(const struct gs_host *h, uint32_t slot, int in_use)
{
    const struct gs_queue_state *s = h->q;
    const int64_t g = gs_slot_gpu_milli(h, slot), c = gs_slot_cpus_milli(h, slot);
    for (uint32_t q = h->l->queue[slot]; q != GS_NONE; q = s->parent[q]) {
        if (s->limit_milli[q] >= 0 && (in_use ? s->used_milli[q] : 0) + g > s->limit_milli[q])
            return 1;
        if (s->limit_cpus_milli[q] >= 0 &&
            (in_use ? s->used_cpus_milli[q] : 0) + c > s->limit_cpus_milli[q])
            return 1;
    }
    return 0;
}

int gs_queue_over_limit(const struct gs_host *h, uint32_t slot)
{
    return over_limit(h, slot, 1);
}

int gs_queue_never_fits(const struct gs_host *h, uint32_t slot)
{
    return over_limit(h, slot, 0);
}

/* ---- steps ---- */

static struct gs_step *push_step(struct gs_host *h, enum gs_step_kind kind, uint32_t slot)
{
    gs_vec_push(&h->steps, (struct gs_step){.kind = kind, .slot = slot});
    struct gs_step *s = &gs_vec_last(&h->steps);
    s->ledger_mark = gs_ledger_mark(h->c);
    return s;
}

void gs_txn_note_start_at(struct gs_host *h, uint32_t slot, size_t ledger_mark)
{
    push_step(h, GS_STEP_START, slot)->ledger_mark = ledger_mark;
    h->jflag[slot] = 1;
    h->l->state[slot] = GSP_JOB_RUNNING;
    h->l->started_ns[slot] = h->now;
    for (uint32_t i = 0; i < h->l->task_count[slot]; i++) {
        uint32_t t = h->l->task_first[slot] + i;
        h->l->task_state[t] = GSP_TASK_RUNNING;
        h->l->task_started_ns[t] = h->now;
    }
    gs_queue_use(h, h->l->queue[slot], gs_slot_gpu_milli(h, slot), gs_slot_cpus_milli(h, slot));
}

static void set_tasks_pending(struct gs_host *h, uint32_t slot)
{
    for (uint32_t i = 0; i < h->l->task_count[slot]; i++) {
        uint32_t t = h->l->task_first[slot] + i;
        h->l->task_state[t] = GSP_TASK_PENDING;
        h->l->task_started_ns[t] = -1;
        h->l->task_node[t] = GS_NONE;
        h->l->task_claim[t] = GS_NONE;
    }
}

static void undo_start(struct gs_host *h, const struct gs_step *s)
{
    gs_queue_use(h, h->l->queue[s->slot], -gs_slot_gpu_milli(h, s->slot),
                 -gs_slot_cpus_milli(h, s->slot));
    set_tasks_pending(h, s->slot);
    h->l->state[s->slot] = GSP_JOB_PENDING;
    h->l->started_ns[s->slot] = -1;
    h->jflag[s->slot] = 0;
}

static void undo_evict(struct gs_host *h, const struct gs_step *s)
{
    uint32_t slot = s->slot;
    gs_queue_use(h, h->l->queue[slot], gs_slot_gpu_milli(h, slot), gs_slot_cpus_milli(h, slot));
    for (uint32_t i = 0; i < h->l->task_count[slot]; i++) {
        uint32_t t = h->l->task_first[slot] + i, claim = h->saved.v[s->claims_first + i];
        h->l->task_state[t] = GSP_TASK_RUNNING;
        h->l->task_started_ns[t] = s->old_started;
        h->l->task_claim[t] = claim;
    }
    h->l->state[slot] = GSP_JOB_RUNNING;
    h->l->started_ns[slot] = s->old_started;
    h->jflag[slot] = 0;
    h->saved.n = s->claims_first;
    h->held.n = s->held_first;
}

static void undo(struct gs_host *h, const struct gs_step *s)
{
    switch (s->kind) {
    case GS_STEP_START: undo_start(h, s); break;
    case GS_STEP_EVICT: undo_evict(h, s); break;
    case GS_STEP_REJECT:
    case GS_STEP_HOLD: h->jflag[s->slot] = 0; break;
    case GS_STEP_BLOCK_SHAPE: h->shape_blocked[s->slot] = s->tag; break;
    case GS_STEP_BLOCK_QUOTA: h->groups.v[s->slot].quota_gain = s->tag; break;
    case GS_STEP_RESERVE:
    case GS_STEP_TIMER:
    case GS_STEP_BLOCKED: break;
    }
}

struct gs_mark gs_txn_mark(const struct gs_host *h)
{
    return (struct gs_mark){.ledger = gs_ledger_mark(h->c), .steps = (uint32_t)h->steps.n};
}

/* Steps from the mark that stay true although the rest is taken back: what was found not to fit before anything was placed. */
static size_t keep_findings(struct gs_host *h, size_t from)
{
    size_t k = from;
    for (size_t i = from; i < h->steps.n; i++) {
        enum gs_step_kind kind = h->steps.v[i].kind;
        if (kind == GS_STEP_START || kind == GS_STEP_EVICT)
            break;
        if (kind != GS_STEP_BLOCK_SHAPE && kind != GS_STEP_BLOCK_QUOTA)
            continue;
        struct gs_step found = h->steps.v[i];
        memmove(&h->steps.v[k + 1], &h->steps.v[k], (i - k) * sizeof found);
        h->steps.v[k++] = found;
    }
    return k;
}

void gs_txn_rollback(struct gs_host *h, struct gs_mark m)
{
    size_t keep = keep_findings(h, m.steps);
    for (size_t i = h->steps.n; i-- > keep;)
        undo(h, &h->steps.v[i]);
    h->steps.n = keep;
    gs_ledger_rollback(h->c, m.ledger);
}

void gs_txn_block_shape(struct gs_host *h, uint32_t shape)
{
    push_step(h, GS_STEP_BLOCK_SHAPE, shape)->tag = h->shape_blocked[shape];
    h->shape_blocked[shape] = h->gain;
}

void gs_txn_block_quota(struct gs_host *h, uint32_t group)
{
    push_step(h, GS_STEP_BLOCK_QUOTA, group)->tag = h->groups.v[group].quota_gain;
    h->groups.v[group].quota_gain = h->gain;
}

/* ---- verbs ---- */

/* Notes a fault of the module whose hook runs; the hook's caller finds it (gs_hook_result). */
static int misuse(struct gs_host *h, const char *cause)
{
    enum gs_rc rc = h->txn.err.rc;
    if (!rc && h->caller.in)
        rc = gs_module_fault(h->caller.in, h->caller.hook, 0, cause, &h->txn.err);
    return rc ? GSP_STALE : GSP_OK;
}

/* May this hook use the transaction? */
static int verbs_closed(struct gs_host *h)
{
    return h->caller.verbs ? 0 : misuse(h, "it uses a transaction that it was not handed");
}

/* A handle that was never given out is a fault; one whose job is gone is an answer (stale). */
static void check_handle(struct gs_host *h, uint64_t handle, uint32_t count,
                         const uint32_t *generation)
{
    const uint32_t at = GSP_INDEX(handle), g = (uint32_t)(handle >> 32);
    if (at >= count || !(g & 1) || g > generation[at])
        (void)misuse(h, "it names a job or task that never existed");
}

/* A job as a verb's argument: its slot, or GS_NONE. */
static uint32_t job_slot(struct gs_host *h, gsp_job j)
{
    check_handle(h, j, h->l->njobs, h->l->generation);
    return gs_live_slot(h->l, j);
}

/* A waiting job of this transaction, or GS_NONE with the reason. */
static uint32_t find_waiting(struct gsp_txn *t, gsp_job j, int *why)
{
    uint32_t s = gs_live_slot(t->h->l, j);
    *why = s == GS_NONE ? GSP_STALE : GSP_NOT_PENDING;
    if (s == GS_NONE || t->h->l->state[s] != GSP_JOB_PENDING || t->h->jflag[s] ||
        t->h->jgroup[s] == GS_NONE)
        return GS_NONE;
    return s;
}

/* The same for a verb. */
static uint32_t waiting_slot(struct gsp_txn *t, gsp_job j, int *why)
{
    *why = verbs_closed(t->h);
    if (*why)
        return GS_NONE;
    (void)job_slot(t->h, j);
    return find_waiting(t, j, why);
}

/* The instance of the device that a row of an instance request means: the one at its place, or, without a place, the first idle. */
static uint32_t meant_instance(const struct gs_host *h, const struct gsp_alloc *a, uint16_t profile)
{
    const uint32_t gpu = GSP_INDEX(a->gpu);
    uint32_t p = h->c->gpu_mode[gpu] == GS_MODE_MIG ? h->c->gpu_part[gpu] : GS_NONE;
    if (!a->mig_size)
        return gs_instance_on(h->c, gpu, profile);
    while (p != GS_NONE &&
           (h->c->part[p].slice_start != a->mig_start || h->c->part[p].profile != profile))
        p = h->c->part[p].next;
    return p;
}

static enum gsp_reason take_row(struct gs_host *h, const struct gsp_alloc *a,
                                const struct gs_request *r, struct gs_take *take)
{
    const uint32_t g = GSP_INDEX(a->gpu);
    if (r->profile) {
        const uint32_t part = meant_instance(h, a, r->profile);
        if (part == GS_NONE)
            return GSP_GEOMETRY;
        *take = gs_take_instance(h->c, part);
        return GSP_OK;
    }
    *take = (struct gs_take){.gpu = g,
                             .partition = GS_NONE,
                             .milli = r->share_milli,
                             .mem_mib = gs_request_gpu_mem(h->c, g, r),
                             .whole = r->share_milli == 1000,
                             .owner = r->owner};
    return GSP_OK;
}

/* Claims the rows a[0..n) of one task. */
static int start_task(struct gs_host *h, uint32_t task, const struct gsp_alloc *a, uint32_t n)
{
    struct gs_request r = gs_live_get_request(h->l, h->l->task_request[task]);
    struct gs_take take[GS_GPUS_PER_NODE_MAX];
    uint32_t node = GSP_INDEX(a[0].node), first = GS_NONE;
    if (node >= h->c->nnodes)
        return misuse(h, "it names a node that never existed");
    if (n != (r.gpus ? r.gpus : 1))
        return GSP_GANG;
    if (r.models &&
        (h->c->node_model[node] == GS_NONE || !(r.models >> h->c->node_model[node] & 1)))
        return GSP_TOPOLOGY;
    if (!gs_gate_admits(h, h->l->task_job[task], node) &&
        h->now >= h->c->gate[h->c->node_gate[node]].closes_ns)
        return GSP_DOWN; /* a module may risk what is planned, not what has begun */
    for (uint32_t i = 0; i < r.gpus; i++) {
        uint32_t g = GSP_INDEX(a[i].gpu);
        if (GSP_INDEX(a[i].node) != node || g >= h->c->ngpus || h->c->gpu_node[g] != node)
            return misuse(h, "it starts a task on a device that is not on the node");
        const enum gsp_reason why = take_row(h, &a[i], &r, &take[i]);
        if (why)
            return (int)why;
    }
    enum gs_refusal no = gs_ledger_claim(h->c, task, node, take, r.gpus, r.cpus_milli, r.mem_mib,
                                         GS_CLAIM_HELD, &first);
    if (no)
        return (int)gs_refusal_reason(no);
    h->l->task_node[task] = node;
    h->l->task_claim[task] = first;
    return GSP_OK;
}

static int v_start(struct gsp_txn *t, const struct gsp_alloc *a, uint32_t n)
{
    struct gs_host *h = t->h;
    if (verbs_closed(h))
        return GSP_STALE;
    if (n)
        check_handle(h, a[0].task, h->l->ntasks, h->l->task_generation);
    uint32_t t0 = n ? GSP_INDEX(a[0].task) : GS_NONE;
    if (t0 >= h->l->ntasks || h->l->task_generation[t0] != (uint32_t)(a[0].task >> 32))
        return GSP_STALE;
    int why = GSP_OK;
    uint32_t slot = waiting_slot(t, gs_live_handle(h->l, h->l->task_job[t0]), &why);
    if (slot == GS_NONE)
        return why;
    if (gs_queue_over_limit(h, slot))
        return GSP_QUOTA;
    struct gs_mark m = gs_txn_mark(h);
    uint32_t row = 0, placed = 0;
    why = GSP_OK;
    while (row < n && !why) {
        uint32_t task = GSP_INDEX(a[row].task), k = row;
        while (k < n && a[k].task == a[row].task)
            k++;
        int ok = task < h->l->ntasks && h->l->task_job[task] == slot &&
                 h->l->task_generation[task] == (uint32_t)(a[row].task >> 32) &&
                 h->l->task_claim[task] == GS_NONE;
        why = ok ? start_task(h, task, &a[row], k - row) : GSP_STALE;
        placed += why == GSP_OK;
        row = k;
    }
    if (!why && placed != h->l->task_count[slot])
        why = GSP_GANG;
    if (why) {
        set_tasks_pending(h, slot);
        gs_ledger_rollback(h->c, m.ledger);
        return why;
    }
    gs_txn_note_start_at(h, slot, m.ledger);
    return GSP_OK;
}

int gs_host_replay_start(struct gs_host *h, uint32_t slot, const struct gs_held *rows, uint32_t n)
{
    struct gsp_alloc *a = gs_arena_alloc(&h->pass, (n + 1) * sizeof *a, 8);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t task = h->l->task_first[slot] + rows[i].task;
        if (rows[i].task >= h->l->task_count[slot] || rows[i].node >= h->c->nnodes ||
            (rows[i].gpu != GS_NONE && rows[i].gpu >= h->c->ngpus))
            return GSP_STALE;
        a[i] = (struct gsp_alloc){.task = (uint64_t)h->l->task_generation[task] << 32 | task,
                                  .node = gs_fixed_handle(rows[i].node),
                                  .gpu = rows[i].gpu == GS_NONE ? 0 : gs_fixed_handle(rows[i].gpu),
                                  .share_milli = rows[i].milli,
                                  .gpu_mem_mib = rows[i].mem_mib,
                                  .profile = rows[i].profile,
                                  .mig_start = rows[i].mig_start,
                                  .mig_size = rows[i].mig_size};
    }
    return v_start(&h->txn, a, n);
}

int gs_verb_place(struct gsp_txn *t, gsp_job j)
{
    struct gs_host *h = t->h;
    int why = GSP_OK;
    uint32_t slot = find_waiting(t, j, &why);
    if (slot == GS_NONE)
        return why;
    uint32_t shape = h->l->shape[slot];
    if (h->shape_blocked[shape] == h->gain)
        return GSP_CAPACITY;
    enum gsp_reason r = gs_place_job(h, slot, &t->err);
    if (r == GSP_QUOTA)
        gs_txn_block_quota(h, h->jgroup[slot]);
    else if (r != GSP_OK && h->gate_dropped && !t->err.rc)
        h->groups.v[h->jgroup[slot]].gated = h->cycle;
    else if (r != GSP_OK && !t->err.rc)
        gs_txn_block_shape(h, shape);
    return (int)r;
}

static int v_place(struct gsp_txn *t, gsp_job j)
{
    int why = GSP_OK;
    return waiting_slot(t, j, &why) == GS_NONE ? why : gs_verb_place(t, j);
}

static int v_evict(struct gsp_txn *t, gsp_job j, int mode, int64_t grace_ns)
{
    struct gs_host *h = t->h;
    if (verbs_closed(h))
        return GSP_STALE;
    uint32_t slot = job_slot(h, j);
    if (slot == GS_NONE)
        return GSP_STALE;
    if (h->l->state[slot] != GSP_JOB_RUNNING || h->jflag[slot])
        return GSP_NOT_RUNNING;
    if (grace_ns != 0 || mode < GSP_EVICT_REQUEUE || mode > GSP_EVICT_CHECKPOINT)
        return GSP_UNSUPPORTED;
    struct gs_step *s = push_step(h, GS_STEP_EVICT, slot);
    s->mode = mode;
    s->old_started = h->l->started_ns[slot];
    s->held_first = (uint32_t)h->held.n;
    s->claims_first = (uint32_t)h->saved.n;
    s->held_n = gs_host_held(h, slot, NULL, 0);
    gs_vec_reserve(&h->held, h->held.n + s->held_n);
    (void)gs_host_held(h, slot, &h->held.v[s->held_first], s->held_n);
    h->held.n += s->held_n;
    for (uint32_t i = 0; i < h->l->task_count[slot]; i++) {
        uint32_t task = h->l->task_first[slot] + i;
        gs_vec_push(&h->saved, h->l->task_claim[task]);
        gs_verify(gs_ledger_free(h->c, h->l->task_claim[task]) == GS_GRANTED);
        h->l->task_claim[task] = GS_NONE;
        h->l->task_state[task] = GSP_TASK_PENDING;
        h->l->task_started_ns[task] = -1;
    }
    gs_queue_use(h, h->l->queue[slot], -gs_slot_gpu_milli(h, slot), -gs_slot_cpus_milli(h, slot));
    h->l->state[slot] = GSP_JOB_PENDING;
    h->l->started_ns[slot] = -1;
    h->jflag[slot] = 2;
    h->gain++;
    return GSP_OK;
}

int gs_host_replay_evict(struct gs_host *h, uint32_t slot, int mode)
{
    return v_evict(&h->txn, gs_live_handle(h->l, slot), mode, 0);
}

static int v_reserve(struct gsp_txn *t, gsp_job j, int64_t at_ns)
{
    int why = GSP_OK;
    uint32_t slot = waiting_slot(t, j, &why);
    if (slot == GS_NONE)
        return why;
    push_step(t->h, GS_STEP_RESERVE, slot)->at_ns = at_ns;
    return GSP_OK;
}

static int v_hold(struct gsp_txn *t, gsp_job j, int64_t until_ns)
{
    int why = GSP_OK;
    uint32_t slot = waiting_slot(t, j, &why);
    if (slot == GS_NONE)
        return why;
    if (until_ns <= t->h->now)
        return GSP_UNSUPPORTED;
    push_step(t->h, GS_STEP_HOLD, slot)->at_ns = until_ns;
    t->h->jflag[slot] = 2;
    return GSP_OK;
}

int gs_verb_reject(struct gs_host *h, uint32_t slot, const char *why)
{
    push_step(h, GS_STEP_REJECT, slot)->text = gs_arena_str(&h->pass, why, strlen(why));
    h->jflag[slot] = 2;
    return GSP_OK;
}

static int v_reject(struct gsp_txn *t, gsp_job j, const char *text)
{
    int why = GSP_OK;
    uint32_t slot = waiting_slot(t, j, &why);
    return slot == GS_NONE ? why
                           : gs_verb_reject(t->h, slot, text ? text : "rejected by the policy");
}

int gs_host_replay_reject(struct gs_host *h, uint32_t slot, const char *why)
{
    return v_reject(&h->txn, gs_live_handle(h->l, slot), why);
}

static int v_timer(struct gsp_txn *t, int64_t at_ns, uint64_t tag)
{
    if (verbs_closed(t->h) || at_ns < t->h->now)
        return GSP_STALE;
    struct gs_step *s = push_step(t->h, GS_STEP_TIMER, t->in ? t->in->index : GS_NONE);
    s->at_ns = at_ns;
    s->tag = tag;
    return GSP_OK;
}

static int v_ordered(struct gsp_txn *t, const gsp_job *j, uint32_t n)
{
    struct gs_host *h = t->h;
    if (verbs_closed(h))
        return GSP_STALE;
    gs_vec_clear(&h->opos);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t s = job_slot(h, j[i]);
        if (s == GS_NONE)
            return GSP_STALE;
        gs_vec_push(&h->opos, s);
    }
    h->opos_cycle = h->cycle;
    h->order_epoch++;
    return GSP_OK;
}

static int v_blocked(struct gsp_txn *t, gsp_job j, int code, uint64_t subject)
{
    (void)subject;
    int why = GSP_OK;
    uint32_t slot = waiting_slot(t, j, &why);
    if (slot == GS_NONE)
        return why;
    push_step(t->h, GS_STEP_BLOCKED, slot)->mode = code;
    return GSP_OK;
}

static int v_note(struct gsp_txn *t, gsp_job j, const char *text)
{
    uint32_t s = verbs_closed(t->h) ? GS_NONE : job_slot(t->h, j);
    if (s == GS_NONE)
        return GSP_STALE;
    if (t->h->log)
        gs_detail(t->h->log, "[policy %s] job %u: %s", t->in ? t->in->section : "composite",
                  t->h->l->id[s], text ? text : "");
    return GSP_OK;
}

static uint64_t v_mark(struct gsp_txn *t)
{
    if (verbs_closed(t->h))
        return 0;
    gs_vec_push(&t->h->marks, gs_txn_mark(t->h));
    return t->h->marks.n;
}

static void v_rollback(struct gsp_txn *t, uint64_t mark)
{
    struct gs_host *h = t->h;
    if (verbs_closed(h) || mark == 0 || mark > h->marks.n)
        return; /* a mark that was rolled back already */
    struct gs_mark m = h->marks.v[mark - 1];
    h->marks.n = mark - 1;
    gs_txn_rollback(h, m);
}

static gsp_job v_next(struct gsp_txn *t, gsp_job after)
{
    return verbs_closed(t->h) ? 0 : gs_walk_next(t->h, after);
}

void gs_txn_table(struct gsp_host *t)
{
    t->start = v_start;
    t->place = v_place;
    t->evict = v_evict;
    t->reserve = v_reserve;
    t->hold = v_hold;
    t->reject = v_reject;
    t->timer = v_timer;
    t->ordered = v_ordered;
    t->blocked = v_blocked;
    t->note = v_note;
    t->mark = v_mark;
    t->rollback = v_rollback;
    t->next = v_next;
}

/* ---- life ---- */

void gs_txn_open(struct gs_host *h, struct gs_instance *in)
{
    gs_require(!h->txn_open);
    h->txn = (struct gsp_txn){.h = h, .in = in};
    h->txn_open = 1;
    gs_vec_clear(&h->steps);
    gs_vec_clear(&h->held);
    gs_vec_clear(&h->saved);
    gs_vec_clear(&h->marks);
    gs_ledger_begin(h->c);
}

void gs_txn_drop(struct gs_host *h)
{
    gs_txn_rollback(h, (struct gs_mark){0, 0});
    gs_vec_clear(&h->steps);
    gs_ledger_commit(h->c);
    h->txn_open = 0;
}

static void commit_start(struct gs_host *h, uint32_t slot)
{
    h->jflag[slot] = 0;
    gs_pending_remove(h, slot);
    h->l->attempts[slot]++;
    h->jrun[slot] = (uint32_t)h->running.n;
    gs_vec_push(&h->running, slot);
    h->stats.starts++;
    gs_host_fact(h, GSP_EV_START, slot);
    h->ops->start(h->world, slot);
}

static void commit_evict(struct gs_host *h, const struct gs_step *s)
{
    h->jflag[s->slot] = 0;
    gs_running_remove(h, s->slot);
    h->stats.evictions++;
    for (uint32_t i = 0; i < h->l->task_count[s->slot]; i++)
        h->l->task_node[h->l->task_first[s->slot] + i] = GS_NONE;
    h->ops->evict(h->world, s->slot, s->mode, &h->held.v[s->held_first], s->held_n);
    gs_pending_add(h, s->slot);
    gs_host_fact(h, GSP_EV_EVICT, s->slot);
}

static void commit_hold(struct gs_host *h, const struct gs_step *s)
{
    h->jflag[s->slot] = 0;
    gs_pending_remove(h, s->slot);
    h->l->state[s->slot] = GSP_JOB_HELD;
    h->l->eligible_ns[s->slot] = s->at_ns;
    gs_waits_hold(h, s->slot);
    h->ops->held(h->world, s->slot, s->at_ns);
}

static void commit_step(struct gs_host *h, const struct gs_step *s)
{
    switch (s->kind) {
    case GS_STEP_START: commit_start(h, s->slot); break;
    case GS_STEP_EVICT: commit_evict(h, s); break;
    case GS_STEP_REJECT:
        h->jflag[s->slot] = 0;
        h->stats.rejects++;
        h->ops->reject(h->world, s->slot, s->text);
        break;
    case GS_STEP_RESERVE:
        if (h->reserved_slot == GS_NONE)
            h->reserved_slot = s->slot;
        h->ops->reserved(h->world, s->slot, s->at_ns);
        break;
    case GS_STEP_HOLD: commit_hold(h, s); break;
    case GS_STEP_TIMER: h->ops->timer(h->world, s->slot, s->at_ns, s->tag); break;
    case GS_STEP_BLOCKED:
    case GS_STEP_BLOCK_SHAPE:
    case GS_STEP_BLOCK_QUOTA: break;
    }
}

void gs_txn_commit(struct gs_host *h)
{
    gs_ledger_commit(h->c);
    h->txn_open = 0;
    h->reserved_slot = GS_NONE;
    for (size_t i = 0; i < h->steps.n; i++)
        commit_step(h, &h->steps.v[i]);
    gs_vec_clear(&h->steps);
}

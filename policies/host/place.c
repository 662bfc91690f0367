/* place.c - where a job goes: for each task the node class with the best score, in it the lowest node, on it the devices that pick chooses.
 *
 * Scores are asked for once a (node class, request): a memo keeps them by class id and generation, so that a pass pays for classes that are new
 * since the request was last tried (parts with SCORE_LOCAL). A part that must see all nodes at once (RANK) gets every feasible
 * node in id order and is never remembered. Ties go to the lowest node id. A gang is placed task by task inside the ledger transaction, and
 * taken back whole if one task does not fit. Cost of one task: O(active classes), of a refusal: O(1) where the idle-device
 * histogram already says no. */
#include "policies/host/host_internal.h"

#include <string.h>

enum gsp_reason gs_refusal_reason(enum gs_refusal r)
{
    switch (r) {
    case GS_GRANTED: return GSP_OK;
    case GS_REFUSE_STALE: return GSP_STALE;
    case GS_REFUSE_DOWN: return GSP_DOWN;
    case GS_REFUSE_BUSY: return GSP_BUSY;
    case GS_REFUSE_GPU_MEM: return GSP_NO_GPU_MEM;
    case GS_REFUSE_CPU: return GSP_NO_CPU;
    case GS_REFUSE_MEM: return GSP_NO_MEM;
    case GS_REFUSE_GEOMETRY:
    case GS_REFUSE_MODE: return GSP_GEOMETRY;
    case GS_REFUSE_ISOLATION: return GSP_ISOLATION;
    case GS_REFUSE_COUNT: break;
    }
    return GSP_BUSY;
}

static void reserve_candidates(struct gs_host *h, uint32_t n)
{
    if (n <= h->cand_cap)
        return;
    uint32_t cap = h->cand_cap ? h->cand_cap : 64;
    while (cap < n)
        cap *= 2;
    h->cand = gs_resize(h->cand, cap, sizeof *h->cand);
    h->cand_node = gs_resize(h->cand_node, cap, sizeof *h->cand_node);
    h->cand_score = gs_resize(h->cand_score, cap, sizeof *h->cand_score);
    h->cand_drop = gs_resize(h->cand_drop, cap, sizeof *h->cand_drop);
    h->cand_cap = cap;
}

static struct gs_memo *memo_for(struct gs_host *h, uint32_t request)
{
    struct gs_memo *m = &h->memo[request % GS_MEMO_SLOTS];
    if (m->request != request) {
        m->request = request;
        if (m->n)
            memset(m->gen, 0, m->n * sizeof *m->gen);
    }
    if (m->n < h->classes.ncls) {
        uint32_t n = h->classes.cap > h->classes.ncls ? h->classes.cap : h->classes.ncls;
        m->score = gs_resize(m->score, n, sizeof *m->score);
        m->gen = gs_resize(m->gen, n, sizeof *m->gen);
        memset(m->gen + m->n, 0, (n - m->n) * sizeof *m->gen);
        m->n = n;
    }
    return m;
}

/* Class generations start at 0; a memo's 0 means "none", so it stores gen + 1. */
static int memo_has(const struct gs_memo *m, const struct gs_classes *k, uint32_t cls)
{
    return m->gen[cls] == k->cls[cls].gen + 1u;
}

static enum gs_rc call_score(struct gs_host *h, uint32_t slot, uint32_t request, uint32_t n,
                             struct gs_err *err)
{
    struct gs_instance *in = h->placer;
    int code = 0;
    memset(h->cand_score, 0, n * sizeof *h->cand_score);
    struct gsp_ctx *c = gs_instance_enter(in);
    GS_CALL(in, "score",
            code = in->m->m->ops->score(in->self, c, gs_live_handle(h->l, slot), request,
                                        h->cand_node, n, h->cand_score));
    h->stats.scores += n;
    return gs_hook_result(in, "score", code, err);
}

/* ---- what is planned ---- */

static int queue_within(const struct gs_host *h, uint32_t queue, uint32_t root)
{
    while (queue != GS_NONE && queue != root)
        queue = h->q->parent[queue];
    return queue == root;
}

/* May the job be on the node for as long as it expects to run? A job without an estimate may until the node closes. */
int gs_gate_admits(const struct gs_host *h, uint32_t slot, uint32_t node)
{
    if (!h->c->node_gate[node])
        return 1;
    const struct gs_gate *g = &h->c->gate[h->c->node_gate[node]];
    if (g->queue != GS_NONE && queue_within(h, h->l->queue[slot], g->queue))
        return 1;
    if (h->now >= g->closes_ns)
        return 0;
    const int64_t runs = h->l->estimate_ns[slot];
    return h->ignore_calendar || runs < 0 || runs <= g->closes_ns - h->now;
}

/* Passes over candidate classes (their nodes all have one gate) that do not admit the job. */
static uint32_t drop_closing(struct gs_host *h, uint32_t slot, uint32_t n)
{
    uint32_t k = 0;
    if (!h->c->ngates)
        return n;
    for (uint32_t i = 0; i < n; i++)
        if (gs_gate_admits(h, slot, gs_class_lowest(&h->classes, h->cand[i])))
            h->cand[k++] = h->cand[i];
    h->gate_dropped |= k < n;
    return k;
}

/* Drops candidates that the part's filter does not want. */
static enum gs_rc call_filter(struct gs_host *h, uint32_t slot, uint32_t request, uint32_t *n,
                              struct gs_err *err)
{
    struct gs_instance *in = h->placer;
    int code = 0;
    memset(h->cand_drop, 0, *n);
    struct gsp_ctx *c = gs_instance_enter(in);
    GS_CALL(in, "filter",
            code = in->m->m->ops->filter(in->self, c, gs_live_handle(h->l, slot), request,
                                         h->cand_node, *n, h->cand_drop));
    enum gs_rc rc = gs_hook_result(in, "filter", code, err);
    if (rc)
        return rc;
    uint32_t k = 0;
    for (uint32_t i = 0; i < *n; i++) {
        if (h->cand_drop[i])
            continue;
        h->cand[k] = h->cand[i];
        h->cand_node[k++] = h->cand_node[i];
    }
    *n = k;
    return GS_OK;
}

/* The best node among scored candidates (cand_node, cand_score). */
static uint32_t best_node(const struct gs_host *h, uint32_t n)
{
    uint32_t best = GS_NONE;
    int64_t score = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = GSP_INDEX(h->cand_node[i]);
        if (best == GS_NONE || h->cand_score[i] > score ||
            (h->cand_score[i] == score && node < best)) {
            best = node;
            score = h->cand_score[i];
        }
    }
    return best;
}

/* Parts that rank all nodes at once. */
static enum gs_rc choose_ranked(struct gs_host *h, uint32_t slot, uint32_t request,
                                const struct gs_request *r, uint32_t *node, struct gs_err *err)
{
    reserve_candidates(h, h->c->nnodes);
    uint32_t n = 0;
    for (uint32_t i = 0; i < h->c->nnodes; i++) {
        if (!gs_class_fits(&h->classes, h->classes.of[i], r))
            continue;
        if (gs_gate_admits(h, slot, i))
            h->cand_node[n++] = gs_fixed_handle(i);
        else
            h->gate_dropped = 1;
    }
    *node = GS_NONE;
    if (n && h->placer->m->m->ops->filter) {
        enum gs_rc rc = call_filter(h, slot, request, &n, err);
        if (rc)
            return rc;
    }
    if (!n)
        return GS_OK;
    enum gs_rc rc = n > 1 ? call_score(h, slot, request, n, err) : GS_OK;
    *node = best_node(h, n);
    return rc;
}

/* Asks for the scores that the memo lacks among the n classes in cand[]. */
static enum gs_rc fill_memo(struct gs_host *h, struct gs_memo *m, uint32_t slot, uint32_t request,
                            uint32_t n, struct gs_err *err)
{
    uint32_t k = 0;
    uint32_t *missing = gs_arena_alloc(&h->pass, n * sizeof *missing, 8);
    for (uint32_t i = 0; i < n; i++) {
        if (memo_has(m, &h->classes, h->cand[i]))
            continue;
        missing[k] = h->cand[i];
        h->cand_node[k++] = gs_fixed_handle(gs_class_lowest(&h->classes, h->cand[i]));
    }
    if (!k)
        return GS_OK;
    enum gs_rc rc = call_score(h, slot, request, k, err);
    for (uint32_t i = 0; i < k; i++) {
        m->score[missing[i]] = h->cand_score[i];
        m->gen[missing[i]] = h->classes.cls[missing[i]].gen + 1u;
    }
    return rc;
}

static uint32_t best_class(struct gs_host *h, const struct gs_memo *m, uint32_t n)
{
    uint32_t best = GS_NONE, best_node_id = GS_NONE;
    int64_t score = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = h->cand[i];
        int64_t s = m ? m->score[k] : 0;
        if (best != GS_NONE && s < score)
            continue;
        uint32_t node = gs_class_lowest(&h->classes, k);
        if (best == GS_NONE || s > score || node < best_node_id) {
            best = k;
            best_node_id = node;
            score = s;
        }
    }
    return best_node_id;
}

/* A node for one task of the request, GS_NONE if it fits nowhere. */
static enum gs_rc choose_node(struct gs_host *h, uint32_t slot, uint32_t request,
                              const struct gs_request *r, uint32_t *node, struct gs_err *err)
{
    const struct gsp_manifest *pm = h->placer ? h->placer->m->m : NULL;
    gs_classes_sync(&h->classes);
    if (pm && (pm->caps & GSP_CAP_RANK) && pm->ops->score)
        return choose_ranked(h, slot, request, r, node, err);
    reserve_candidates(h, h->classes.nactive);
    uint32_t n = drop_closing(h, slot, gs_classes_fitting(&h->classes, r, h->cand));
    *node = GS_NONE;
    if (!n)
        return GS_OK;
    if (pm && pm->ops->filter) {
        for (uint32_t i = 0; i < n; i++)
            h->cand_node[i] = gs_fixed_handle(gs_class_lowest(&h->classes, h->cand[i]));
        enum gs_rc rc = call_filter(h, slot, request, &n, err);
        if (rc || !n)
            return rc;
    }
    if (!pm || !pm->ops->score || n == 1) {
        *node = best_class(h, NULL, n);
        return GS_OK;
    }
    struct gs_memo *m = memo_for(h, request);
    if (!(pm->caps & GSP_CAP_SCORE_LOCAL))
        memset(m->gen, 0, m->n * sizeof *m->gen);
    enum gs_rc rc = fill_memo(h, m, slot, request, n, err);
    if (!rc)
        *node = best_class(h, m, n);
    return rc;
}

static enum gs_rc pick(struct gs_host *h, uint32_t slot, uint32_t request,
                       const struct gs_request *r, uint32_t node, struct gs_take *take,
                       struct gs_err *err)
{
    struct gs_instance *in = h->placer;
    if (!gs_pick_devices(h->c, node, r, take))
        return gs_fail(err, GS_E_MODULE, "node class and node disagree on what fits");
    if (!in || !in->m->m->ops->pick || r->gpus == 0)
        return GS_OK;
    gsp_gpu out[GS_GPUS_PER_NODE_MAX];
    for (uint32_t i = 0; i < r->gpus; i++)
        out[i] = gs_fixed_handle(take[i].gpu);
    int code = 0;
    struct gsp_ctx *c = gs_instance_enter(in);
    GS_CALL(in, "pick",
            code = in->m->m->ops->pick(in->self, c, gs_live_handle(h->l, slot), request,
                                       gs_fixed_handle(node), out, r->gpus));
    enum gs_rc rc = gs_hook_result(in, "pick", code, err);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < r->gpus; i++) {
        uint32_t g = GSP_INDEX(out[i]);
        if (g >= h->c->ngpus || h->c->gpu_node[g] != node)
            return gs_module_fault(in, "pick", code, "it chose a device that is not on the node",
                                   err);
        if (r->profile) {
            if (g != take[i].gpu && gs_instance_on(h->c, g, r->profile) == GS_NONE)
                return gs_module_fault(in, "pick", code,
                                       "it chose a device without an idle instance of the profile",
                                       err);
            if (g != take[i].gpu)
                take[i] = gs_take_instance(h->c, gs_instance_on(h->c, g, r->profile));
            continue;
        }
        take[i].gpu = g;
        take[i].mem_mib = gs_request_gpu_mem(h->c, g, r);
    }
    return GS_OK;
}

static enum gsp_reason place_task(struct gs_host *h, uint32_t slot, uint32_t task,
                                  struct gs_err *err)
{
    uint32_t request = h->l->task_request[task], node = GS_NONE;
    struct gs_request r = gs_live_get_request(h->l, request);
    enum gs_rc rc = choose_node(h, slot, request, &r, &node, err);
    if (rc || node == GS_NONE)
        return GSP_CAPACITY;
    struct gs_take take[GS_GPUS_PER_NODE_MAX];
    if (pick(h, slot, request, &r, node, take, err))
        return GSP_BUSY;
    uint32_t first = GS_NONE;
    enum gs_refusal no = gs_ledger_claim(h->c, task, node, take, r.gpus, r.cpus_milli, r.mem_mib,
                                         GS_CLAIM_HELD, &first);
    if (no) {
        if (h->placer)
            no = gs_module_fault(h->placer, "pick", (int)no, gs_refusal_str(no), err)
                     ? no
                     : GS_REFUSE_BUSY;
        return gs_refusal_reason(no);
    }
    h->l->task_node[task] = node;
    h->l->task_claim[task] = first;
    return GSP_OK;
}

/* A gang of many equal tasks that cannot fit is refused before anything is placed. */
static int gang_room(struct gs_host *h, uint32_t slot, const struct gs_shape *s)
{
    if (s->tasks == 1)
        return 1;
    struct gs_request r = gs_live_get_request(h->l, s->request);
    uint64_t room = 0, want = s->tasks - (s->last_request != s->request);
    gs_classes_sync(&h->classes);
    for (uint32_t i = 0; i < h->classes.nactive && room < want; i++) {
        uint32_t k = h->classes.active[i];
        if (!gs_class_fits(&h->classes, k, &r))
            continue;
        if (!gs_gate_admits(h, slot, gs_class_lowest(&h->classes, k)))
            h->gate_dropped = 1;
        else
            room += (uint64_t)h->classes.cls[k].members *
                    gs_node_capacity(h->c, gs_class_lowest(&h->classes, k), &r);
    }
    return room >= want;
}

/* Places the whole gang of a waiting job in the open transaction, or nothing of it. err is set (err->rc < 0) if a module faulted. */
enum gsp_reason gs_place_job(struct gs_host *h, uint32_t slot, struct gs_err *err)
{
    const struct gs_shape *s = &h->l->shapes[h->l->shape[slot]];
    if (gs_queue_over_limit(h, slot))
        return GSP_QUOTA;
    h->gate_dropped = 0;
    if (!gang_room(h, slot, s))
        return GSP_CAPACITY;
    struct gs_mark m = gs_txn_mark(h);
    for (uint32_t i = 0; i < s->tasks; i++) {
        enum gsp_reason why = place_task(h, slot, h->l->task_first[slot] + i, err);
        if (why == GSP_OK)
            continue;
        for (uint32_t k = 0; k < i; k++) {
            h->l->task_node[h->l->task_first[slot] + k] = GS_NONE;
            h->l->task_claim[h->l->task_first[slot] + k] = GS_NONE;
        }
        gs_ledger_rollback(h->c, m.ledger);
        return why;
    }
    gs_txn_note_start_at(h, slot, m.ledger);
    return GSP_OK;
}

void gs_place_release(struct gs_host *h)
{
    for (uint32_t i = 0; i < GS_MEMO_SLOTS; i++) {
        gs_free(h->memo[i].score);
        gs_free(h->memo[i].gen);
    }
    gs_free(h->cand);
    gs_free(h->cand_node);
    gs_free(h->cand_score);
    gs_free(h->cand_drop);
}

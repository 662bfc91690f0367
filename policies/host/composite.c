/* composite.c - the built-in scheduler: order, placement, backfill and preemption as parts that can be varied one at a time.
 *
 *   order all waiting jobs (the part's keys; default: submission)
 *   take them in order:   over its queue's limit -> passed over, blocks nobody
 *                         placed                 -> next
 *                         does not fit           -> preemption part; else backfill part, and the cycle ends
 * Without a backfill part the order is strict: the first job that does not fit blocks all behind it. With queueing off
 * (a loss system) what could not start is rejected at the end of the cycle. */
#include "policies/host/host_internal.h"

static struct gs_instance *part(struct gs_host *h, enum gs_role role)
{
    return h->role[role] == GS_NONE ? NULL : h->inst.v[h->role[role]];
}

/* 1 if the part placed the job. */
static enum gs_rc try_preempt(struct gs_host *h, gsp_job j, int *placed, struct gs_err *err)
{
    struct gs_instance *in = part(h, GS_ROLE_PREEMPTION);
    *placed = 0;
    if (!in)
        return GS_OK;
    int code = 0;
    struct gs_mark m = gs_txn_mark(h);
    struct gsp_ctx *c = gs_instance_enter(in);
    GS_CALL_TXN(in, "preempt", code = in->m->m->ops->preempt(in->self, c, j, &h->txn));
    enum gs_rc rc = gs_hook_result(in, "preempt", code, err);
    if (rc)
        return rc;
    uint32_t s = gs_live_slot(h->l, j);
    *placed = code == 0 && s != GS_NONE && h->jflag[s] == 1;
    if (!*placed)
        gs_txn_rollback(h, m); /* victims of a failed attempt live on */
    return GS_OK;
}

static enum gs_rc run_backfill(struct gs_host *h, gsp_job head, struct gs_err *err)
{
    struct gs_instance *in = part(h, GS_ROLE_BACKFILL);
    if (!in)
        return GS_OK;
    struct gsp_backfill_in arg = {.struct_size = (uint32_t)sizeof arg, .head = head};
    int code = 0;
    gs_view_mig(h); /* the pass may have started jobs on instances */
    struct gsp_ctx *c = gs_instance_enter(in);
    GS_CALL_TXN(in, "backfill", code = in->m->m->ops->backfill(in->self, c, &arg, &h->txn));
    return gs_hook_result(in, "backfill", code, err);
}

static void reject_rest(struct gs_host *h)
{
    for (gsp_job j = gs_walk_next(h, 0); j; j = gs_walk_next(h, j))
        (void)gs_verb_reject(h, GSP_INDEX(j), "no room at arrival (queueing = no)");
}

/* New jobs are shown once to each part that admits; what one refuses is rejected. */
static enum gs_rc admit(struct gs_host *h, struct gs_err *err)
{
    const uint32_t n = (uint32_t)h->arrived.n;
    for (size_t i = 0; i < h->inst.n && n; i++) {
        struct gs_instance *in = h->inst.v[i];
        if (!in->m->m->ops->admit)
            continue;
        gsp_job *job = gs_arena_alloc(&h->pass, n * sizeof *job, 16);
        uint8_t *refuse = gs_arena_alloc(&h->pass, n, 16);
        for (uint32_t k = 0; k < n; k++)
            job[k] = gs_live_handle(h->l, h->arrived.v[k]);
        int code = 0;
        struct gsp_ctx *c = gs_instance_enter(in);
        GS_CALL(in, "admit", code = in->m->m->ops->admit(in->self, c, job, n, refuse));
        if (code < 0)
            return gs_module_fault(in, "admit", code, "it reports an error", err);
        for (uint32_t k = 0; k < n; k++)
            if (refuse[k] && !h->jflag[h->arrived.v[k]])
                (void)gs_verb_reject(h, h->arrived.v[k], "refused at admission by the policy");
    }
    gs_vec_clear(&h->arrived);
    return GS_OK;
}

enum gs_rc gs_composite_cycle(struct gs_host *h, struct gs_err *err)
{
    enum gs_rc admitted = admit(h, err);
    if (admitted)
        return admitted;
    const struct gs_instance *backfill = part(h, GS_ROLE_BACKFILL);
    h->walk_all = 1;
    gsp_job j = gs_walk_next(h, 0);
    if (j && backfill && !h->drop_unplaced && (backfill->m->m->caps & GSP_CAP_BACKFILL_ALL)) {
        h->walk_all = 0;
        return run_backfill(
            h, j, err); /* it decides over all jobs: one that fits now may break a promise */
    }
    while (j) {
        int why = gs_verb_place(&h->txn, j), placed = 0;
        if (h->txn.err.rc)
            return gs_fail(err, h->txn.err.rc, "%s", h->txn.err.msg);
        if (why != GSP_OK && why != GSP_QUOTA) {
            enum gs_rc rc = try_preempt(h, j, &placed, err);
            if (rc)
                return rc;
            if (!placed && !h->drop_unplaced) {
                h->walk_all = 0; /* behind the head, what is known not to fit is passed over */
                rc = run_backfill(h, j, err);
                if (rc)
                    return rc;
                break;
            }
        }
        j = gs_walk_next(h, j);
    }
    if (h->drop_unplaced) {
        h->gain++; /* the walk below passes over nobody */
        reject_rest(h);
    }
    return GS_OK;
}

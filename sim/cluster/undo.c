/* undo.c - transactions: the log's inverses, applied backwards.
 *
 * A record names a primitive and what cannot be derived backwards: the row of a freed claim, the
 * record of a dropped partition. Because all primitives are undone in reverse order, the pools and
 * their free lists (last in, first out) return exactly as well, and so do all derived columns.
 * O(changes since the mark). */
#include "sim/base/attr.h"
#include "sim/cluster/ledger_priv.h"

#include "sim/base/banned.h"

void gs_ledger_begin(struct gs_cluster *c)
{
    gs_require(!c->in_txn);
    c->in_txn = 1;
    c->nundo = 0;
}

size_t gs_ledger_mark(const struct gs_cluster *c)
{
    return c->nundo;
}

void gs_ledger_commit(struct gs_cluster *c)
{
    gs_require(c->in_txn);
    c->in_txn = 0;
    c->nundo = 0;
}

/* ---- rollback: the inverse of each primitive ---- */

static uint32_t undo_claim(struct gs_cluster *c, uint32_t first, uint32_t grown)
{
    uint32_t rows[GS_GPUS_PER_NODE_MAX];
    uint32_t n = 0;
    struct gs_delta d = {0};
    const uint32_t node = c->claim[first].node;
    for (uint32_t row = first; row != GS_NONE; row = c->claim[row].next)
        rows[n++] = row;
    gs_ledger_count_task(c, node, c->claim[first].kind, -1);
    while (n-- > 0) {
        const uint32_t row = rows[n];
        gs_ledger_shift_row(c, row, GS_CLAIM_FREE, &d);
        if (grown) {
            grown--;
            c->nclaims--;
        } else {
            gs_ledger_clear_row(c, row, c->claim_free);
            c->claim_free = row;
        }
    }
    gs_ledger_settle(c, node, &d);
    return node;
}

static uint32_t undo_free(struct gs_cluster *c, uint32_t row, const struct gs_claim *was)
{
    gs_verify(c->claim_free == row);
    c->claim_free = c->claim[row].next;
    c->claim[row] = *was;
    c->claim[row].state = GS_CLAIM_FREE;
    struct gs_delta d = {0};
    gs_ledger_shift_row(c, row, (enum gs_claim_state)was->state, &d);
    gs_ledger_settle(c, was->node, &d);
    if (was->head)
        gs_ledger_count_task(c, was->node, was->kind, 1);
    return was->node;
}

static uint32_t undo_state(struct gs_cluster *c, uint32_t first, enum gs_claim_state old)
{
    struct gs_delta d = {0};
    for (uint32_t row = first; row != GS_NONE; row = c->claim[row].next)
        gs_ledger_shift_row(c, row, old, &d);
    gs_ledger_settle(c, c->claim[first].node, &d);
    return c->claim[first].node;
}

static uint32_t undo_part_new(struct gs_cluster *c, uint32_t part, uint32_t grown)
{
    const uint32_t node = c->gpu_node[c->part[part].gpu];
    gs_mig_unlink(c, part);
    if (grown)
        c->nparts--;
    else
        gs_mig_clear(c, part);
    return node;
}

static uint32_t undo_part_drop(struct gs_cluster *c, uint32_t part, const struct gs_partition *was)
{
    gs_verify(c->part_free == part);
    c->part_free = c->part[part].next;
    c->part[part] = *was;
    gs_mig_link(c, part);
    return c->gpu_node[was->gpu];
}

/* Returns the node that changed. */
static uint32_t undo_one(struct gs_cluster *c, const struct gs_undo *u)
{
    switch ((enum gs_undo_op)u->op) {
    case GS_UNDO_CLAIM: return undo_claim(c, u->id, u->aux);
    case GS_UNDO_FREE: return undo_free(c, u->id, &u->row.claim);
    case GS_UNDO_STATE: return undo_state(c, u->id, (enum gs_claim_state)u->old);
    case GS_UNDO_TASK: gs_ledger_put_task(c, u->id, u->aux); return c->claim[u->id].node;
    case GS_UNDO_MODE:
        gs_mig_put_mode(c, u->id, (enum gs_gpu_mode)u->old);
        return c->gpu_node[u->id];
    case GS_UNDO_NODE: gs_ledger_put_state(c, u->id, (enum gs_node_state)u->old); return u->id;
    case GS_UNDO_GPU: gs_ledger_put_gpu(c, u->id, u->old); return c->gpu_node[u->id];
    case GS_UNDO_PART_NEW: return undo_part_new(c, u->id, u->aux);
    case GS_UNDO_PART_STATE: c->part[u->id].state = u->old; return c->gpu_node[c->part[u->id].gpu];
    case GS_UNDO_PART_DROP: return undo_part_drop(c, u->id, &u->row.part);
    case GS_UNDO_PART_BAR: c->part[u->id].barred = u->old; return c->gpu_node[c->part[u->id].gpu];
    }
    gs_panic(__FILE__, __LINE__, "verify", "an undo record of a known kind");
}

void gs_ledger_rollback(struct gs_cluster *c, size_t mark)
{
    gs_require(c->in_txn && mark <= c->nundo);
    while (c->nundo > mark) {
        const uint32_t node = undo_one(c, &c->undo[--c->nundo]);
        if (c->node_mig[node] > 0 || c->undo[c->nundo].op == GS_UNDO_MODE)
            gs_mig_touch(c, node);
        gs_ledger_touch_gain(c, node);
    }
}

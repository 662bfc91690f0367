/* ledger_priv.h - what ledger.c, mig.c and undo.c share: the undo record, and the primitives that
 * are their own inverses. Nobody else includes it. */
#ifndef GS_CLUSTER_LEDGER_PRIV_H
#define GS_CLUSTER_LEDGER_PRIV_H

#include "sim/base/mem.h"
#include "sim/cluster/cluster.h"

#include <stddef.h>
#include <stdint.h>

enum gs_undo_op {
    GS_UNDO_CLAIM,
    GS_UNDO_FREE,
    GS_UNDO_STATE,
    GS_UNDO_TASK,
    GS_UNDO_MODE,
    GS_UNDO_NODE,
    GS_UNDO_GPU,
    GS_UNDO_PART_NEW,
    GS_UNDO_PART_STATE,
    GS_UNDO_PART_DROP,
    GS_UNDO_PART_BAR
};

struct gs_undo {
    uint8_t op;  /* enum gs_undo_op */
    uint8_t old; /* state or mode before */
    uint32_t id; /* first row, row, partition, device or node */
    /* GS_UNDO_CLAIM, GS_UNDO_PART_NEW: rows that are new to the pool; GS_UNDO_TASK: task before */
    uint32_t aux;

    union {
        struct gs_claim claim;
        struct gs_partition part;
    } row;
};

/* What a change of several devices of one node adds up to, settled at once. */
struct gs_delta {
    int64_t idle, free_milli, held_milli, closed;
};

/* A record to fill in, or NULL outside a transaction. */
static inline struct gs_undo *gs_undo_log(struct gs_cluster *c, enum gs_undo_op op, uint32_t id)
{
    if (!c->in_txn)
        return NULL;
    if (c->nundo == c->undo_cap) {
        c->undo_cap = c->undo_cap ? 2 * c->undo_cap : 256;
        c->undo = gs_resize(c->undo, c->undo_cap, sizeof *c->undo);
    }
    struct gs_undo *u = &c->undo[c->nundo++];
    u->op = (uint8_t)op;
    u->old = 0;
    u->id = id;
    u->aux = 0;
    return u;
}

static inline void gs_ledger_touch(struct gs_cluster *c, uint32_t node)
{
    c->epoch++;
    if (!c->is_dirty[node]) {
        c->is_dirty[node] = 1;
        c->dirty[c->ndirty++] = node;
    }
}

/* The same, after a change that can let something in. */
static inline void gs_ledger_touch_gain(struct gs_cluster *c, uint32_t node)
{
    gs_ledger_touch(c, node);
    c->gain_epoch = c->epoch;
}

/* ---- primitives of ledger.c ---- */

/* Free share and free memory of a device; what it adds to its node goes to *d. */
void gs_ledger_refresh_device(struct gs_cluster *c, uint32_t g, int in_mig, struct gs_delta *d);
/* Brings the node's columns and the totals up to date. */
void gs_ledger_settle(struct gs_cluster *c, uint32_t n, const struct gs_delta *d);
/* Moves one row of a claim to another state, FREE included; the caller settles the node. */
void gs_ledger_shift_row(struct gs_cluster *c, uint32_t row, enum gs_claim_state to,
                         struct gs_delta *d);
/* A task came to (+1) or left (-1) the node. */
void gs_ledger_count_task(struct gs_cluster *c, uint32_t node, uint32_t kind, int by);
void gs_ledger_clear_row(struct gs_cluster *c, uint32_t row, uint32_t next);
void gs_ledger_put_task(struct gs_cluster *c, uint32_t first, uint32_t task);
void gs_ledger_put_state(struct gs_cluster *c, uint32_t n, enum gs_node_state to);
void gs_ledger_put_gpu(struct gs_cluster *c, uint32_t g, int up);

/* ---- primitives of mig.c ---- */

void gs_mig_put_mode(struct gs_cluster *c, uint32_t gpu, enum gs_gpu_mode mode);
void gs_mig_link(struct gs_cluster *c, uint32_t part);
void gs_mig_unlink(struct gs_cluster *c, uint32_t part);
void gs_mig_clear(struct gs_cluster *c, uint32_t part);

#endif

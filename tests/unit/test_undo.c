/* test_undo.c - rollback byte for byte, reuse of rows, epochs and the dirty list, what the audit
 * sees, what a visitor sees. */
#include "sim/cluster/cluster.h"
#include "tests/unit/cluster_help.h"
#include "tests/unit/harness.h"

static void rollback_restores_every_byte(void)
{
    struct rig r;
    rig_up(&r, 3, 4);
    struct gs_cluster *c = &r.c;
    uint32_t a;
    uint32_t b;
    uint32_t p;
    uint32_t q;
    const struct gs_take pair[] = {whole(0), whole(1)};
    const struct gs_take s = share(2, 300, 500);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, pair, 2, 5000, 7, GS_CLAIM_HELD, &a), GS_GRANTED);
    GS_EQ_INT(gs_ledger_claim(c, 2, 0, &s, 1, 5000, 7, GS_CLAIM_RESERVED, &b), GS_GRANTED);
    GS_EQ_INT(gs_ledger_set_mode(c, 4, GS_MODE_MIG), GS_GRANTED);
    const struct gs_partition w = want(4, 0, 4, 3);
    GS_EQ_INT(gs_ledger_create_part(c, &w, &p), GS_GRANTED);
    GS_EQ_INT(gs_ledger_part_ready(c, p), GS_GRANTED);

    gs_ledger_begin(c);
    struct copy copies[12];
    size_t marks[12];
    uint32_t n = 0;
    uint32_t x;
    uint32_t y;
#define STEP(call)                      \
    do {                                \
        copies[n] = copy_of(c);         \
        marks[n++] = gs_ledger_mark(c); \
        GS_EQ_INT(call, GS_GRANTED);    \
        AUDIT(&r);                      \
    } while (0)
    const struct gs_take t = slice(4, p, 428, 0);
    const struct gs_take w8 = whole(8);
    const struct gs_partition w2 = want(4, 4, 2, 2);
    STEP(gs_ledger_begin_release(c, a));
    STEP(gs_ledger_claim(c, 3, 0, pair, 2, 100, 0, GS_CLAIM_RESERVED, &x));
    STEP(gs_ledger_free(c, a));
    STEP(gs_ledger_hold(c, x));
    STEP(gs_ledger_claim(c, 4, 1, &t, 1, 1, 1, GS_CLAIM_HELD, &y));
    STEP((gs_ledger_retask(c, y, 77), GS_GRANTED));
    STEP(gs_ledger_free(c, b));
    STEP(gs_ledger_free(c, y));
    STEP(gs_ledger_destroy_part(c, p));
    STEP(gs_ledger_drop_part(c, p));
    STEP(gs_ledger_create_part(c, &w2, &q));
    STEP(gs_ledger_claim(c, 5, 2, &w8, 1, 0, 0, GS_CLAIM_HELD, &y));
#undef STEP
    const uint64_t epoch = c->epoch;
    while (n-- > 0) {
        gs_ledger_rollback(c, marks[n]);
        CU_ASSERT(copy_matches(&copies[n], c));
        AUDIT(&r);
        gs_free(copies[n].bytes);
    }
    CU_ASSERT(c->epoch > epoch);
    GS_EQ_INT(c->gain_epoch, c->epoch);
    gs_ledger_commit(c);
    rig_down(&r);
}

static void commit_keeps_and_modes_and_nodes_roll_back(void)
{
    struct rig r;
    rig_up(&r, 2, 1);
    struct gs_cluster *c = &r.c;
    uint32_t a;
    uint32_t x;
    const struct gs_take t = share(0, 10, 0);
    struct copy before = copy_of(c);
    gs_ledger_begin(c);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, &t, 1, 0, 0, GS_CLAIM_HELD, &x), GS_GRANTED);
    GS_EQ_INT(gs_ledger_node_state(c, 1, GS_NODE_DOWN), GS_GRANTED);
    GS_EQ_INT(gs_ledger_node_state(c, 1, GS_NODE_UP), GS_GRANTED);
    GS_EQ_INT(gs_ledger_set_mode(c, 1, GS_MODE_MIG), GS_GRANTED);
    gs_ledger_rollback(c, 0);
    CU_ASSERT(copy_matches(&before, c));
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, &t, 1, 0, 0, GS_CLAIM_HELD, &a), GS_GRANTED);
    GS_EQ_INT(a, x); /* the pool is as it was, so the same row */
    gs_ledger_commit(c);
    GS_EQ_INT(gs_ledger_mark(c), 0);
    GS_EQ_INT(c->gpu_free_milli[0], 990);
    AUDIT(&r);
    gs_free(before.bytes);
    rig_down(&r);
}

static void rows_are_reused(void)
{
    struct rig r;
    rig_up(&r, 1, 8);
    struct gs_cluster *c = &r.c;
    struct gs_take t[8];
    for (uint32_t i = 0; i < 8; i++)
        t[i] = whole(i);
    uint32_t first;
    GS_EQ_INT(gs_ledger_claim(c, 0, 0, t, 8, 0, 0, GS_CLAIM_HELD, &first), GS_GRANTED);
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t again;
        GS_EQ_INT(gs_ledger_free(c, first), GS_GRANTED);
        GS_EQ_INT(gs_ledger_claim(c, i, 0, t, 8, 0, 0, GS_CLAIM_HELD, &again), GS_GRANTED);
        GS_EQ_INT(again, first);
    }
    GS_EQ_INT(c->nclaims, 8);
    rig_down(&r);
}

/* ---- epochs, dirty list, audit, visit ---- */

static void gains_and_dirt_are_noted(void)
{
    struct rig r;
    rig_up(&r, 3, 1);
    struct gs_cluster *c = &r.c;
    uint32_t a;
    const struct gs_take t = whole(1);
    const uint64_t gain = c->gain_epoch;
    GS_EQ_INT(gs_ledger_claim(c, 1, 1, &t, 1, 0, 0, GS_CLAIM_HELD, &a), GS_GRANTED);
    GS_EQ_INT(c->gain_epoch, gain); /* nothing came free */
    GS_EQ_INT(c->ndirty, 1);
    GS_EQ_INT(c->dirty[0], 1);
    GS_EQ_INT(gs_ledger_free(c, a), GS_GRANTED);
    GS_EQ_INT(c->gain_epoch, c->epoch);
    GS_EQ_INT(c->ndirty, 1); /* once */
    rig_down(&r);
}

static void the_audit_sees_a_wrong_column(void)
{
    struct rig r;
    struct gs_err err;
    rig_up(&r, 2, 2);
    struct gs_cluster *c = &r.c;
    uint32_t a;
    const struct gs_take t = share(1, 300, 50);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, &t, 1, 10, 10, GS_CLAIM_HELD, &a), GS_GRANTED);
    AUDIT(&r);
#define BREAK(place, says)                         \
    do {                                           \
        (place)++;                                 \
        CU_ASSERT_FALSE(gs_ledger_audit(c, &err)); \
        GS_HAS(err.msg, says);                     \
        (place)--;                                 \
    } while (0)
    BREAK(c->free_gpus[0], "idle devices of node 0");
    BREAK(c->free_share[0], "largest free share of node 0");
    BREAK(c->free_cpus_milli[1], "free CPUs of node 1");
    BREAK(c->free_mem_mib[1], "free memory of node 1");
    BREAK(c->node_tasks[0], "tasks of node 0");
    BREAK(c->kind_count[0], "tasks by kind of node 0");
    BREAK(c->gpu_free_milli[1], "free share of device 1");
    BREAK(c->gpu_free_mem_mib[1], "free memory of device 1");
    BREAK(c->gpu_claims[1], "claims of device 1");
    BREAK(c->part[1].held_milli, "held share of partition 1");
    BREAK(c->part[1].reserved_milli, "reserved share of partition 1");
    BREAK(c->part[1].releasing_milli, "releasing share of partition 1");
    BREAK(c->held_milli, "total of held share");
    BREAK(c->idle_gpus, "total of idle GPUs");
    BREAK(c->free_milli_total, "total of free share");
    BREAK(c->held_cpus_milli, "total of held CPUs");
    BREAK(c->use[0].cpus[GS_CLAIM_HELD], "use by state of node 0");
#undef BREAK
    c->gpu_mode[1] = GS_MODE_WHOLE;
    CU_ASSERT_FALSE(gs_ledger_audit(c, &err));
    GS_HAS(err.msg, "mode of device 1");
    c->gpu_mode[1] = GS_MODE_SHARED;
    AUDIT(&r);
    rig_down(&r);
}

static uint64_t hash_of(struct gs_cluster *c)
{
    struct gs_visitor v = {.mode = GS_VISIT_HASH};
    gs_cluster_visit(c, &v);
    return v.hash;
}

static void the_visited_state_tells_changes(void)
{
    struct rig r;
    struct rig s;
    rig_up(&r, 2, 2);
    rig_up(&s, 2, 2);
    uint32_t a;
    const struct gs_take t = share(1, 300, 50);
    const uint64_t empty = hash_of(&r.c);
    CU_ASSERT(empty == hash_of(&s.c));
    GS_EQ_INT(gs_ledger_claim(&r.c, 1, 0, &t, 1, 10, 10, GS_CLAIM_HELD, &a), GS_GRANTED);
    CU_ASSERT(empty != hash_of(&r.c));
    GS_EQ_INT(gs_ledger_claim(&s.c, 1, 0, &t, 1, 10, 10, GS_CLAIM_HELD, &a), GS_GRANTED);
    CU_ASSERT(hash_of(&r.c) == hash_of(&s.c));
    rig_down(&r);
    rig_down(&s);
}

static const struct gs_test tests[] = {
    {"rollback restores every byte", rollback_restores_every_byte},
    {"commit keeps; modes and nodes roll back", commit_keeps_and_modes_and_nodes_roll_back},
    {"rows are reused", rows_are_reused},
    {"gains and dirt are noted", gains_and_dirt_are_noted},
    {"the audit sees a wrong column", the_audit_sees_a_wrong_column},
    {"the visited state tells changes", the_visited_state_tells_changes},
};
GS_TEST_MAIN("cluster/undo", tests)

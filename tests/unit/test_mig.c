/* test_mig.c - instances through the ledger: their lives, their geometry, promises on them, and
 * modes that exclude each other. */
#include "sim/cluster/cluster.h"
#include "tests/unit/cluster_help.h"
#include "tests/unit/harness.h"

static void an_instance_lives_from_creation_to_drop(void)
{
    struct rig r;
    rig_up(&r, 1, 2);
    struct gs_cluster *c = &r.c;
    uint32_t p;
    uint32_t a;
    const struct gs_partition w = want(0, 0, 4, 3);
    GS_EQ_INT(gs_ledger_create_part(c, &w, &p), GS_REFUSE_MODE);
    GS_EQ_INT(gs_ledger_set_mode(c, 0, GS_MODE_MIG), GS_GRANTED);
    GS_EQ_INT(c->free_gpus[0], 1); /* no query for whole devices or shares sees it */
    GS_EQ_INT(c->gpu_free_milli[0], 0);
    GS_EQ_INT(c->gpu_part[0], GS_NONE);
    GS_EQ_INT(gs_ledger_create_part(c, &w, &p), GS_GRANTED);
    GS_EQ_INT(c->part[p].state, GS_PART_CREATING);
    GS_EQ_INT(c->gpu_part[0], p);
    GS_EQ_INT(c->part[p].sms, 42);
    const struct gs_take t = slice(0, p, 428, 19456);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, &t, 1, 0, 0, GS_CLAIM_HELD, &a), GS_REFUSE_STALE);
    GS_EQ_INT(gs_ledger_destroy_part(c, p), GS_REFUSE_STALE);
    GS_EQ_INT(gs_ledger_part_ready(c, p), GS_GRANTED);
    GS_EQ_INT(gs_ledger_part_ready(c, p), GS_REFUSE_STALE);
    GS_EQ_INT(c->part[p].state, GS_PART_IDLE);
    AUDIT(&r);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, &t, 1, 4000, 0, GS_CLAIM_HELD, &a), GS_GRANTED);
    GS_EQ_INT(c->part[p].state, GS_PART_HELD);
    GS_EQ_INT(c->held_milli, 428);
    GS_EQ_INT(c->task_kinds[0], 1u);
    GS_EQ_INT(gs_ledger_destroy_part(c, p), GS_REFUSE_BUSY);
    GS_EQ_INT(gs_ledger_set_mode(c, 0, GS_MODE_WHOLE), GS_REFUSE_BUSY);
    AUDIT(&r);
    GS_EQ_INT(gs_ledger_free(c, a), GS_GRANTED);
    GS_EQ_INT(c->part[p].state, GS_PART_IDLE);
    GS_EQ_INT(gs_ledger_set_mode(c, 0, GS_MODE_WHOLE), GS_REFUSE_BUSY); /* an instance is left */
    GS_EQ_INT(gs_ledger_drop_part(c, p), GS_REFUSE_STALE);
    GS_EQ_INT(gs_ledger_destroy_part(c, p), GS_GRANTED);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, &t, 1, 0, 0, GS_CLAIM_HELD, &a), GS_REFUSE_STALE);
    AUDIT(&r);
    GS_EQ_INT(gs_ledger_drop_part(c, p), GS_GRANTED);
    GS_EQ_INT(gs_ledger_drop_part(c, p), GS_REFUSE_STALE);
    GS_EQ_INT(gs_ledger_set_mode(c, 0, GS_MODE_WHOLE), GS_GRANTED);
    GS_EQ_INT(c->free_gpus[0], 2);
    GS_EQ_INT(c->gpu_part[0], 0);
    AUDIT(&r);
    rig_down(&r);
}

static void instances_do_not_overlap(void)
{
    struct rig r;
    rig_up(&r, 1, 1);
    struct gs_cluster *c = &r.c;
    uint32_t p[4];
    uint32_t x;
    GS_EQ_INT(gs_ledger_set_mode(c, 0, GS_MODE_MIG), GS_GRANTED);
    const struct gs_partition right = want(0, 4, 4, 3);
    const struct gs_partition left = want(0, 0, 2, 2);
    GS_EQ_INT(gs_ledger_create_part(c, &right, &p[0]), GS_GRANTED);
    GS_EQ_INT(gs_ledger_create_part(c, &left, &p[1]), GS_GRANTED);
    GS_EQ_INT(c->gpu_part[0], p[1]); /* in order of slices */
    GS_EQ_INT(c->part[p[1]].next, p[0]);
    const struct gs_partition bad[] = {
        want(0, 1, 2, 1), /* over the first */
        want(0, 3, 2, 1), /* into the second */
        want(0, 2, 0, 1), /* nothing */
        want(0, 7, 2, 1), /* beyond the device */
        want(0, 2, 2, 3), /* more compute than is left */
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        GS_EQ_INT(gs_ledger_create_part(c, &bad[i], &x), GS_REFUSE_GEOMETRY);
    struct gs_partition fat = want(0, 2, 2, 2);
    fat.cap_mem_mib = 40960 - 6 * 4864 + 1;
    GS_EQ_INT(gs_ledger_create_part(c, &fat, &x), GS_REFUSE_GEOMETRY);
    fat.gpu = 1;
    GS_EQ_INT(gs_ledger_create_part(c, &fat, &x), GS_REFUSE_STALE);
    const struct gs_partition middle = want(0, 2, 2, 2);
    GS_EQ_INT(gs_ledger_create_part(c, &middle, &p[2]), GS_GRANTED);
    AUDIT(&r);
    rig_down(&r);
}

static void an_instance_can_be_promised(void)
{
    struct rig r;
    rig_up(&r, 1, 1);
    struct gs_cluster *c = &r.c;
    uint32_t p;
    uint32_t a;
    uint32_t b;
    GS_EQ_INT(gs_ledger_set_mode(c, 0, GS_MODE_MIG), GS_GRANTED);
    const struct gs_partition w = want(0, 0, 4, 4);
    GS_EQ_INT(gs_ledger_create_part(c, &w, &p), GS_GRANTED);
    const struct gs_take t = slice(0, p, 571, 19456);
    const struct gs_take twice[] = {t, t};
    /* while it is being created */
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, twice, 2, 0, 0, GS_CLAIM_RESERVED, &a), GS_REFUSE_BUSY);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, &t, 1, 0, 0, GS_CLAIM_RESERVED, &a), GS_GRANTED);
    GS_EQ_INT(gs_ledger_hold(c, a), GS_REFUSE_BUSY);
    AUDIT(&r);
    GS_EQ_INT(gs_ledger_part_ready(c, p), GS_GRANTED);
    GS_EQ_INT(c->part[p].state, GS_PART_HELD);
    GS_EQ_INT(gs_ledger_hold(c, a), GS_GRANTED);
    /* and while another is leaving it */
    GS_EQ_INT(gs_ledger_begin_release(c, a), GS_GRANTED);
    GS_EQ_INT(gs_ledger_claim(c, 2, 0, &t, 1, 0, 0, GS_CLAIM_RESERVED, &b), GS_GRANTED);
    GS_EQ_INT(gs_ledger_hold(c, b), GS_REFUSE_BUSY);
    GS_EQ_INT(gs_ledger_free(c, a), GS_GRANTED);
    GS_EQ_INT(gs_ledger_hold(c, b), GS_GRANTED);
    AUDIT(&r);
    rig_down(&r);
}

static void modes_exclude_each_other(void)
{
    struct rig r;
    rig_up(&r, 1, 2);
    struct gs_cluster *c = &r.c;
    uint32_t a;
    uint32_t p;
    const struct gs_take x = share(0, 100, 0);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, &x, 1, 0, 0, GS_CLAIM_HELD, &a), GS_GRANTED);
    GS_EQ_INT(gs_ledger_set_mode(c, 0, GS_MODE_MIG), GS_REFUSE_BUSY);
    GS_EQ_INT(gs_ledger_free(c, a), GS_GRANTED);
    GS_EQ_INT(gs_ledger_set_mode(c, 0, GS_MODE_SHARED), GS_GRANTED); /* means: not MIG */
    GS_EQ_INT(gs_ledger_set_mode(c, 0, GS_MODE_MIG), GS_GRANTED);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, &x, 1, 0, 0, GS_CLAIM_HELD, &a), GS_REFUSE_MODE);
    const struct gs_partition w = want(0, 0, 8, 7);
    GS_EQ_INT(gs_ledger_create_part(c, &w, &p), GS_GRANTED);
    struct gs_take wrong = slice(1, p, 1000, 0);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, &wrong, 1, 0, 0, GS_CLAIM_HELD, &a), GS_REFUSE_STALE);
    AUDIT(&r);
    rig_down(&r);
}

static const struct gs_test tests[] = {
    {"an instance lives from creation to drop", an_instance_lives_from_creation_to_drop},
    {"instances do not overlap", instances_do_not_overlap},
    {"an instance can be promised", an_instance_can_be_promised},
    {"modes exclude each other", modes_exclude_each_other},
};
GS_TEST_MAIN("cluster/mig", tests)

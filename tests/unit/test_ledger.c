/* test_ledger.c - who holds what: whole devices and shares, promises, and every refusal. MIG is in
 * test_mig.c, rollback in test_undo.c. */
#include "sim/cluster/cluster.h"
#include "tests/unit/cluster_help.h"
#include "tests/unit/harness.h"

/* ---- building ---- */

static void a_cluster_is_columns(void)
{
    struct rig r;
    gs_intern_init(&r.str);
    gs_cluster_init(&r.c, &r.str);
    GS_EQ_INT(gs_cluster_add_level(&r.c, "zone"), 0);
    GS_EQ_INT(gs_cluster_add_level(&r.c, "rack"), 1);
    struct gs_node_spec s = spec("a", 8);
    s.level[0] = "z1";
    s.level[1] = "r7";
    GS_EQ_INT(add(&r, s), 0);
    s.model = "H100";
    s.gpus = 4;
    s.gpu_cap_milli = 1500;
    s.gpu_mem_cap_mib = 50000;
    GS_EQ_INT(add(&r, s), 1);
    GS_EQ_INT(add(&r, spec("cpu", 0)), 2);
    struct gs_cluster *c = &r.c;
    GS_EQ_INT(c->nnodes, 3);
    GS_EQ_INT(c->ngpus, 12);
    GS_EQ_INT(c->nmodels, 2);
    GS_EQ_INT(gs_cluster_model(c, "H100"), 1);
    GS_EQ_INT(gs_cluster_model(c, "B200"), GS_NONE);
    GS_EQ_INT(c->gpu_first[1], 8);
    GS_EQ_INT(c->gpu_node[11], 1);
    GS_EQ_INT(c->gpu_index[11], 3);
    GS_EQ_INT(c->node_model[2], GS_NONE);
    GS_EQ_STR(gs_intern_str(&r.str, c->level[1][0]), "r7");
    GS_EQ_STR(gs_intern_str(&r.str, c->level[0][2]), "");
    GS_EQ_INT(c->total_gpus, 12);
    GS_EQ_INT(c->idle_gpus, 12);
    GS_EQ_INT(c->free_milli_total, 8000 + 6000);
    GS_EQ_INT(c->gpu_free_mem_mib[8], 50000);
    GS_EQ_INT(c->free_share[1], 1000);
    GS_EQ_INT(c->free_share[2], 0);
    AUDIT(&r);
    rig_down(&r);
}

static void impossible_nodes_are_errors(void)
{
    struct rig r;
    rig_up(&r, 1, 8);

    struct {
        struct gs_node_spec s;
        const char *says;
    } bad[7];

    for (size_t i = 0; i < 7; i++)
        bad[i].s = spec("bad", 8);
    bad[0].s.gpus = 65;
    bad[0].says = "has 65 GPUs; at most 64";
    bad[1].s.model = "";
    bad[1].says = "of no model";
    bad[2].s.cpus_milli = -1;
    bad[2].says = "number of CPUs of type 'box' is not known";
    bad[3].s.mem_mib = -1;
    bad[3].says = "memory of type 'box' is not known";
    bad[4].s.gpu_cap_milli = 999;
    bad[4].says = "expected 1000 to";
    bad[5].s.gpu_mem_cap_mib = 1;
    bad[5].says = "less than the 40960 MiB";
    bad[6].s.mig_slices = 256;
    bad[6].says = "256 MIG slices";
    for (size_t i = 0; i < 7; i++) {
        struct gs_err err = {0};
        uint32_t id = 77;
        GS_EQ_INT(gs_cluster_add_node(&r.c, &bad[i].s, &id, &err), GS_E_INPUT);
        GS_HAS(err.msg, bad[i].says);
        GS_EQ_INT(id, 77);
    }
    GS_EQ_INT(r.c.nnodes, 1);
    char model[16];
    for (uint32_t m = 1; m < GS_MODELS_MAX; m++) {
        struct gs_node_spec s = spec("x", 1);
        (void)snprintf(model, sizeof model, "M%" PRIu32, m);
        s.model = model;
        (void)add(&r, s);
    }
    struct gs_node_spec s = spec("x", 1);
    struct gs_err err = {0};
    s.model = "one-too-many";
    GS_EQ_INT(gs_cluster_add_node(&r.c, &s, NULL, &err), GS_E_INPUT);
    GS_HAS(err.msg, "model number 65");
    rig_down(&r);
}

/* ---- whole and shared ---- */

static void whole_devices_are_exclusive(void)
{
    struct rig r;
    rig_up(&r, 2, 4);
    struct gs_cluster *c = &r.c;
    const struct gs_take two[] = {whole(1), whole(3)};
    uint32_t a;
    uint32_t b;
    GS_EQ_INT(gs_ledger_claim(c, 7, 0, two, 2, 16000, 1024, GS_CLAIM_HELD, &a), GS_GRANTED);
    GS_EQ_INT(c->claim[a].task, 7);
    GS_EQ_INT(c->claim[a].gpu, 1);
    GS_EQ_INT(c->claim[c->claim[a].next].gpu, 3);
    GS_EQ_INT(c->claim[c->claim[a].next].next, GS_NONE);
    GS_EQ_INT(c->free_gpus[0], 2);
    GS_EQ_INT(c->free_cpus_milli[0], 48000);
    GS_EQ_INT(c->gpu_free_mem_mib[1], 0); /* the memory in full */
    GS_EQ_INT(c->task_kinds[0], 1u << 2);
    GS_EQ_INT(c->node_tasks[0], 1);
    GS_EQ_INT(c->held_milli, 2000);
    GS_EQ_INT(c->held_cpus_milli, 16000);
    GS_EQ_INT(c->idle_gpus, 6);
    const struct gs_take again = share(3, 1, 0);
    GS_EQ_INT(gs_ledger_claim(c, 8, 0, &again, 1, 0, 0, GS_CLAIM_HELD, &b), GS_REFUSE_BUSY);
    const struct gs_take clash[] = {whole(0), whole(1)};
    GS_EQ_INT(gs_ledger_claim(c, 8, 0, clash, 2, 0, 0, GS_CLAIM_HELD, &b), GS_REFUSE_BUSY);
    AUDIT(&r);
    gs_ledger_retask(c, a, 99);
    GS_EQ_INT(c->claim[c->claim[a].next].task, 99);
    GS_EQ_INT(gs_ledger_free(c, a), GS_GRANTED);
    GS_EQ_INT(c->idle_gpus, 8);
    GS_EQ_INT(c->task_kinds[0], 0);
    GS_EQ_INT(c->free_cpus_milli[0], 64000);
    AUDIT(&r);
    rig_down(&r);
}

static void shares_fill_a_device(void)
{
    struct rig r;
    rig_up(&r, 1, 2);
    struct gs_cluster *c = &r.c;
    uint32_t a;
    uint32_t b;
    const struct gs_take x = share(0, 600, 30000);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, &x, 1, 1000, 0, GS_CLAIM_HELD, &a), GS_GRANTED);
    GS_EQ_INT(c->gpu_mode[0], GS_MODE_SHARED);
    GS_EQ_INT(c->gpu_free_milli[0], 400);
    GS_EQ_INT(c->gpu_free_mem_mib[0], 10960);
    GS_EQ_INT(c->free_gpus[0], 1);
    GS_EQ_INT(c->free_share[0], 1000);
    GS_EQ_INT(c->task_kinds[0], 1u);
    const struct gs_take much = share(0, 401, 0);
    const struct gs_take fat = share(0, 100, 10961);
    const struct gs_take all = whole(0);
    const struct gs_take fits = share(0, 400, 10960);
    const struct gs_take other = whole(1);
    GS_EQ_INT(gs_ledger_claim(c, 2, 0, &much, 1, 0, 0, GS_CLAIM_HELD, &b), GS_REFUSE_BUSY);
    GS_EQ_INT(gs_ledger_claim(c, 2, 0, &fat, 1, 0, 0, GS_CLAIM_HELD, &b), GS_REFUSE_GPU_MEM);
    GS_EQ_INT(gs_ledger_claim(c, 2, 0, &all, 1, 0, 0, GS_CLAIM_HELD, &b), GS_REFUSE_BUSY);
    GS_EQ_INT(gs_ledger_claim(c, 2, 0, &fits, 1, 0, 0, GS_CLAIM_HELD, &b), GS_GRANTED);
    GS_EQ_INT(gs_ledger_free(c, a), GS_GRANTED);
    GS_EQ_INT(c->gpu_mode[0], GS_MODE_SHARED);
    GS_EQ_INT(gs_ledger_claim(c, 3, 0, &other, 1, 0, 0, GS_CLAIM_HELD, &a), GS_GRANTED);
    GS_EQ_INT(c->free_share[0], 600);
    GS_EQ_INT(gs_ledger_free(c, b), GS_GRANTED);
    GS_EQ_INT(c->gpu_mode[0], GS_MODE_WHOLE); /* the last share left */
    GS_EQ_INT(c->gpu_mode[1], GS_MODE_WHOLE);
    AUDIT(&r);
    rig_down(&r);
}

static void over_subscribed_devices_offer_more(void)
{
    struct rig r;
    rig_up(&r, 0, 0);
    struct gs_node_spec s = spec("big", 1);
    s.gpu_cap_milli = 2000;
    s.gpu_mem_cap_mib = 60000;
    (void)add(&r, s);
    struct gs_cluster *c = &r.c;
    uint32_t id[4];
    const struct gs_take x = share(0, 700, 10000);
    GS_EQ_INT(gs_ledger_claim(c, 0, 0, &x, 1, 0, 0, GS_CLAIM_HELD, &id[0]), GS_GRANTED);
    GS_EQ_INT(c->free_share[0], 1000); /* 1300 are free, a share is at most a device */
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, &x, 1, 0, 0, GS_CLAIM_HELD, &id[1]), GS_GRANTED);
    GS_EQ_INT(gs_ledger_claim(c, 2, 0, &x, 1, 0, 0, GS_CLAIM_HELD, &id[2]), GS_REFUSE_BUSY);
    GS_EQ_INT(c->free_share[0], 600);
    GS_EQ_INT(c->held_milli, 1400);
    AUDIT(&r);
    GS_EQ_INT(gs_ledger_free(c, id[0]), GS_GRANTED);
    GS_EQ_INT(gs_ledger_free(c, id[1]), GS_GRANTED);
    const struct gs_take w = whole(0); /* whole means alone, over-subscribed or not */
    GS_EQ_INT(gs_ledger_claim(c, 3, 0, &w, 1, 0, 0, GS_CLAIM_HELD, &id[3]), GS_GRANTED);
    GS_EQ_INT(c->gpu_free_milli[0], 0);
    GS_EQ_INT(c->gpu_free_mem_mib[0], 0);
    GS_EQ_INT(c->held_milli, 1000);
    GS_EQ_INT(gs_ledger_claim(c, 4, 0, &x, 1, 0, 0, GS_CLAIM_HELD, &id[0]), GS_REFUSE_BUSY);
    AUDIT(&r);
    rig_down(&r);
}

static void a_task_without_gpus_has_one_row(void)
{
    struct rig r;
    rig_up(&r, 1, 0);
    struct gs_cluster *c = &r.c;
    uint32_t a;
    uint32_t b;
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, NULL, 0, 64000, 1, GS_CLAIM_HELD, &a), GS_GRANTED);
    GS_EQ_INT(c->claim[a].gpu, GS_NONE);
    GS_EQ_INT(c->claim[a].next, GS_NONE);
    GS_EQ_INT(c->node_tasks[0], 1);
    GS_EQ_INT(c->task_kinds[0], 0);
    GS_EQ_INT(gs_ledger_claim(c, 2, 0, NULL, 0, 1, 0, GS_CLAIM_HELD, &b), GS_REFUSE_CPU);
    GS_EQ_INT(gs_ledger_claim(c, 2, 0, NULL, 0, 0, 512 * 1024, GS_CLAIM_HELD, &b), GS_REFUSE_MEM);
    AUDIT(&r);
    rig_down(&r);
}

static void many_whole_devices_are_kind_15(void)
{
    struct rig r;
    rig_up(&r, 1, 64);
    struct gs_take t[64];
    for (uint32_t i = 0; i < 64; i++)
        t[i] = whole(i);
    uint32_t a;
    uint32_t b;
    GS_EQ_INT(gs_ledger_claim(&r.c, 0, 0, t, 15, 0, 0, GS_CLAIM_HELD, &a), GS_GRANTED);
    GS_EQ_INT(gs_ledger_claim(&r.c, 1, 0, t + 15, 49, 0, 0, GS_CLAIM_HELD, &b), GS_GRANTED);
    GS_EQ_INT(r.c.task_kinds[0], 1u << 15);
    GS_EQ_INT(r.c.kind_count[15], 2);
    AUDIT(&r);
    GS_EQ_INT(gs_ledger_free(&r.c, b), GS_GRANTED);
    GS_EQ_INT(r.c.task_kinds[0], 1u << 15);
    AUDIT(&r);
    rig_down(&r);
}

/* ---- promises ---- */

static void a_promise_waits_for_the_release(void)
{
    struct rig r;
    rig_up(&r, 1, 2);
    struct gs_cluster *c = &r.c;
    uint32_t old;
    uint32_t new;
    uint32_t more;
    const struct gs_take both[] = {whole(0), whole(1)};
    const struct gs_take one = whole(0);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, both, 2, 60000, 0, GS_CLAIM_HELD, &old), GS_GRANTED);
    GS_EQ_INT(gs_ledger_claim(c, 2, 0, &one, 1, 8000, 0, GS_CLAIM_RESERVED, &new), GS_REFUSE_BUSY);
    GS_EQ_INT(gs_ledger_begin_release(c, old), GS_GRANTED);
    GS_EQ_INT(c->free_gpus[0], 0); /* in release looks occupied */
    GS_EQ_INT(gs_ledger_claim(c, 2, 0, &one, 1, 8000, 0, GS_CLAIM_HELD, &new), GS_REFUSE_BUSY);
    GS_EQ_INT(gs_ledger_claim(c, 2, 0, &one, 1, 8000, 0, GS_CLAIM_RESERVED, &new), GS_GRANTED);
    GS_EQ_INT(c->gpu_claims[0], 2);
    GS_EQ_INT(c->node_tasks[0], 2);
    AUDIT(&r);
    /* promised once, not twice */
    GS_EQ_INT(gs_ledger_claim(c, 3, 0, &one, 1, 0, 0, GS_CLAIM_RESERVED, &more), GS_REFUSE_BUSY);
    GS_EQ_INT(gs_ledger_hold(c, new), GS_REFUSE_BUSY);
    GS_EQ_INT(gs_ledger_free(c, old), GS_GRANTED);
    GS_EQ_INT(c->free_gpus[0], 1);
    GS_EQ_INT(c->gpu_free_milli[0], 0);
    GS_EQ_INT(c->free_cpus_milli[0], 56000);
    GS_EQ_INT(gs_ledger_hold(c, new), GS_GRANTED);
    GS_EQ_INT(gs_ledger_hold(c, new), GS_REFUSE_STALE);
    GS_EQ_INT(c->held_milli, 1000);
    AUDIT(&r);
    rig_down(&r);
}

static void a_promise_eats_free_share_first(void)
{
    struct rig r;
    rig_up(&r, 1, 1);
    struct gs_cluster *c = &r.c;
    uint32_t a;
    uint32_t b;
    const struct gs_take x = share(0, 500, 1000);
    const struct gs_take y = share(0, 700, 1000);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, &x, 1, 0, 0, GS_CLAIM_HELD, &a), GS_GRANTED);
    GS_EQ_INT(gs_ledger_begin_release(c, a), GS_GRANTED);
    GS_EQ_INT(c->gpu_free_milli[0], 500);
    GS_EQ_INT(gs_ledger_claim(c, 2, 0, &y, 1, 0, 0, GS_CLAIM_RESERVED, &b), GS_GRANTED);
    GS_EQ_INT(c->gpu_free_milli[0], 0); /* 500 free and 200 of the release */
    AUDIT(&r);
    GS_EQ_INT(gs_ledger_free(c, a), GS_GRANTED);
    GS_EQ_INT(c->gpu_free_milli[0], 300);
    GS_EQ_INT(gs_ledger_hold(c, b), GS_GRANTED);
    AUDIT(&r);
    rig_down(&r);
}

static void cpus_and_memory_can_be_promised_too(void)
{
    struct rig r;
    rig_up(&r, 1, 0);
    struct gs_cluster *c = &r.c;
    uint32_t a;
    uint32_t b;
    uint32_t d;
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, NULL, 0, 64000, 1000, GS_CLAIM_HELD, &a), GS_GRANTED);
    GS_EQ_INT(gs_ledger_claim(c, 2, 0, NULL, 0, 1, 0, GS_CLAIM_RESERVED, &b), GS_REFUSE_CPU);
    GS_EQ_INT(gs_ledger_begin_release(c, a), GS_GRANTED);
    GS_EQ_INT(gs_ledger_claim(c, 2, 0, NULL, 0, 64000, 0, GS_CLAIM_RESERVED, &b), GS_GRANTED);
    GS_EQ_INT(gs_ledger_claim(c, 3, 0, NULL, 0, 1, 0, GS_CLAIM_RESERVED, &d), GS_REFUSE_CPU);
    GS_EQ_INT(gs_ledger_hold(c, b), GS_REFUSE_BUSY);
    GS_EQ_INT(c->free_cpus_milli[0], 0);
    GS_EQ_INT(gs_ledger_free(c, a), GS_GRANTED);
    GS_EQ_INT(c->free_cpus_milli[0], 0);
    GS_EQ_INT(gs_ledger_hold(c, b), GS_GRANTED);
    AUDIT(&r);
    rig_down(&r);
}

/* ---- refusals ---- */

static void stale_names_are_refused(void)
{
    struct rig r;
    rig_up(&r, 2, 2);
    struct gs_cluster *c = &r.c;
    uint32_t a;
    uint32_t x = 55;
    const struct gs_take mine = whole(0);
    const struct gs_take other_node = whole(2);
    const struct gs_take no_gpu = whole(99);
    struct gs_take no_part = whole(0);
    no_part.partition = 1; /* spans another device */
    struct gs_take far_part = whole(0);
    far_part.partition = 1000;
    const struct gs_take *bad[] = {&other_node, &no_gpu, &no_part, &far_part};
    for (size_t i = 0; i < 4; i++)
        GS_EQ_INT(gs_ledger_claim(c, 1, 0, bad[i], 1, 0, 0, GS_CLAIM_HELD, &x), GS_REFUSE_STALE);
    GS_EQ_INT(gs_ledger_claim(c, 1, 2, NULL, 0, 0, 0, GS_CLAIM_HELD, &x), GS_REFUSE_STALE);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, &mine, 65, 0, 0, GS_CLAIM_HELD, &x), GS_REFUSE_STALE);
    GS_EQ_INT(x, 55);
    const struct gs_take two[] = {whole(0), whole(1)};
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, two, 2, 0, 0, GS_CLAIM_HELD, &a), GS_GRANTED);
    const uint32_t second = c->claim[a].next;
    GS_EQ_INT(gs_ledger_free(c, second), GS_REFUSE_STALE); /* not a first row */
    GS_EQ_INT(gs_ledger_free(c, 12345), GS_REFUSE_STALE);
    GS_EQ_INT(gs_ledger_hold(c, a), GS_REFUSE_STALE); /* held already */
    GS_EQ_INT(gs_ledger_begin_release(c, a), GS_GRANTED);
    GS_EQ_INT(gs_ledger_begin_release(c, a), GS_REFUSE_STALE);
    GS_EQ_INT(gs_ledger_free(c, a), GS_GRANTED);
    GS_EQ_INT(gs_ledger_free(c, a), GS_REFUSE_STALE);
    GS_EQ_INT(gs_ledger_set_mode(c, 99, GS_MODE_MIG), GS_REFUSE_STALE);
    GS_EQ_INT(gs_ledger_part_ready(c, 0),
              GS_REFUSE_STALE); /* a spanning partition is no instance */
    GS_EQ_INT(gs_ledger_destroy_part(c, 0), GS_REFUSE_STALE);
    GS_EQ_INT(gs_ledger_drop_part(c, 9999), GS_REFUSE_STALE);
    GS_EQ_INT(gs_ledger_node_state(c, 2, GS_NODE_DOWN), GS_REFUSE_STALE);
    AUDIT(&r);
    rig_down(&r);
}

static void absurd_amounts_are_refused(void)
{
    struct rig r;
    rig_up(&r, 1, 2);
    struct gs_cluster *c = &r.c;
    uint32_t x;
    const struct gs_take none = share(0, 0, 0);
    const struct gs_take huge = share(0, UINT32_MAX, UINT32_MAX);
    const struct gs_take fat = share(0, 500, UINT32_MAX);
    struct gs_take fat_whole = whole(0);
    fat_whole.mem_mib = 40961;
    const struct gs_take twice[] = {share(0, 100, 0), share(0, 100, 0)};
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, &none, 1, 0, 0, GS_CLAIM_HELD, &x), GS_REFUSE_BUSY);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, &huge, 1, 0, 0, GS_CLAIM_HELD, &x), GS_REFUSE_BUSY);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, &fat, 1, 0, 0, GS_CLAIM_HELD, &x), GS_REFUSE_GPU_MEM);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, &fat_whole, 1, 0, 0, GS_CLAIM_HELD, &x), GS_REFUSE_GPU_MEM);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, twice, 2, 0, 0, GS_CLAIM_HELD, &x), GS_REFUSE_BUSY);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, NULL, 0, -1, 0, GS_CLAIM_HELD, &x), GS_REFUSE_CPU);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, NULL, 0, INT64_MAX, 0, GS_CLAIM_HELD, &x), GS_REFUSE_CPU);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, NULL, 0, 0, INT64_MIN, GS_CLAIM_HELD, &x), GS_REFUSE_MEM);
    AUDIT(&r);
    rig_down(&r);
}

static void down_nodes_take_nothing(void)
{
    struct rig r;
    rig_up(&r, 2, 4);
    struct gs_cluster *c = &r.c;
    uint32_t a;
    uint32_t x;
    const struct gs_take t = whole(0);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, &t, 1, 0, 0, GS_CLAIM_HELD, &a), GS_GRANTED);
    GS_EQ_INT(gs_ledger_node_state(c, 0, GS_NODE_DOWN), GS_REFUSE_BUSY);
    GS_EQ_INT(gs_ledger_free(c, a), GS_GRANTED);
    GS_EQ_INT(gs_ledger_node_state(c, 0, GS_NODE_DOWN), GS_GRANTED);
    GS_EQ_INT(gs_ledger_node_state(c, 0, GS_NODE_DOWN), GS_GRANTED); /* already */
    GS_EQ_INT(c->total_gpus, 4);
    GS_EQ_INT(c->idle_gpus, 4);
    GS_EQ_INT(c->free_milli_total, 4000);
    GS_EQ_INT(c->total_cpus_milli, 64000);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, &t, 1, 0, 0, GS_CLAIM_HELD, &x), GS_REFUSE_DOWN);
    GS_EQ_INT(gs_ledger_set_mode(c, 0, GS_MODE_MIG), GS_REFUSE_DOWN);
    AUDIT(&r);
    GS_EQ_INT(gs_ledger_node_state(c, 0, GS_NODE_UP), GS_GRANTED);
    GS_EQ_INT(c->total_gpus, 8);
    AUDIT(&r);
    rig_down(&r);
}

static void a_refusal_changes_nothing(void)
{
    struct rig r;
    rig_up(&r, 1, 4);
    struct gs_cluster *c = &r.c;
    uint32_t a;
    uint32_t x;
    const struct gs_take mine = whole(2);
    GS_EQ_INT(gs_ledger_claim(c, 1, 0, &mine, 1, 60000, 0, GS_CLAIM_HELD, &a), GS_GRANTED);
    struct copy before = copy_of(c);
    const uint64_t epoch = c->epoch;
    const struct gs_take last_clashes[] = {whole(0), whole(1), whole(2)};
    const struct gs_take good[] = {whole(0), whole(1)};
    GS_EQ_INT(gs_ledger_claim(c, 2, 0, last_clashes, 3, 0, 0, GS_CLAIM_HELD, &x), GS_REFUSE_BUSY);
    GS_EQ_INT(gs_ledger_claim(c, 2, 0, good, 2, 5000, 0, GS_CLAIM_HELD, &x), GS_REFUSE_CPU);
    CU_ASSERT(copy_matches(&before, c));
    GS_EQ_INT(c->epoch, epoch);
    gs_free(before.bytes);
    rig_down(&r);
}

static void every_refusal_has_words(void)
{
    for (int i = 0; i < GS_REFUSE_COUNT; i++)
        CU_ASSERT(gs_refusal_str((enum gs_refusal)i)[0] != '\0');
}

static const struct gs_test tests[] = {
    {"a cluster is columns", a_cluster_is_columns},
    {"impossible nodes are errors", impossible_nodes_are_errors},
    {"whole devices are exclusive", whole_devices_are_exclusive},
    {"shares fill a device", shares_fill_a_device},
    {"over-subscribed devices offer more", over_subscribed_devices_offer_more},
    {"a task without GPUs has one row", a_task_without_gpus_has_one_row},
    {"many whole devices are kind 15", many_whole_devices_are_kind_15},
    {"a promise waits for the release", a_promise_waits_for_the_release},
    {"a promise eats free share first", a_promise_eats_free_share_first},
    {"CPUs and memory can be promised too", cpus_and_memory_can_be_promised_too},
    {"stale names are refused", stale_names_are_refused},
    {"absurd amounts are refused", absurd_amounts_are_refused},
    {"down nodes take nothing", down_nodes_take_nothing},
    {"a refusal changes nothing", a_refusal_changes_nothing},
    {"every refusal has words", every_refusal_has_words},
};
GS_TEST_MAIN("cluster/ledger", tests)

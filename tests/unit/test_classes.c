/* test_classes.c - node classes: equal nodes share a class, a class answers as its members do, ties
 * go to the lowest node. */
#include "sim/base/rng.h"
#include "sim/cluster/classes.h"
#include "tests/unit/cluster_help.h"
#include "tests/unit/harness.h"

static struct gs_request ask(uint32_t gpus, uint32_t milli)
{
    return (struct gs_request){.gpus = gpus, .share_milli = milli};
}

/* One claim on node n of the given shape, on the devices that gs_pick_devices chooses. */
static uint32_t put(struct rig *r, uint32_t n, const struct gs_request *q)
{
    struct gs_take t[GS_GPUS_PER_NODE_MAX];
    uint32_t first = GS_NONE;
    if (!gs_pick_devices(&r->c, n, q, t))
        return GS_NONE;
    const enum gs_refusal why =
        gs_ledger_claim(&r->c, n, n, t, q->gpus, q->cpus_milli, q->mem_mib, GS_CLAIM_HELD, &first);
    GS_EQ_INT(why, GS_GRANTED); /* what fits is never refused */
    return first;
}

static void equal_nodes_are_one_class(void)
{
    struct rig r;
    struct gs_classes k;
    rig_up(&r, 5, 4);
    (void)add(&r, spec("cpu", 0));
    gs_classes_init(&k, &r.c, 0);
    GS_EQ_INT(k.nactive, 2);
    for (uint32_t n = 1; n < 5; n++)
        GS_EQ_INT(k.of[n], k.of[0]);
    CU_ASSERT(k.of[5] != k.of[0]);
    GS_EQ_INT(k.cls[k.of[0]].members, 5);
    GS_EQ_INT(k.cls[k.of[0]].free_gpus, 4);
    GS_EQ_INT(k.whole_hist[1 * GS_WHOLE_HIST_ROW + 4], 5);
    GS_EQ_INT(k.whole_hist[0], 1); /* row 0: nodes without GPUs */
    gs_classes_release(&k);
    rig_down(&r);
}

static void what_is_fixed_separates(void)
{
    struct rig r;
    struct gs_classes k;
    rig_up(&r, 1, 4);
    struct gs_node_spec s[8];
    for (size_t i = 0; i < 8; i++)
        s[i] = spec("x", 4);
    s[0].type = "other";
    s[1].model = "H100";
    s[2].labels = 9;
    s[3].gpus = 3;
    s[4].cpus_milli--;
    s[5].mem_mib++;
    s[6].gpu_mem_mib--;
    s[7].price_per_h = 1.25;
    for (size_t i = 0; i < 8; i++)
        (void)add(&r, s[i]);
    gs_classes_init(&k, &r.c, 0);
    GS_EQ_INT(k.nactive, 9);
    gs_classes_release(&k);
    rig_down(&r);
}

static void the_order_of_devices_does_not_separate(void)
{
    struct rig r;
    struct gs_classes k;
    rig_up(&r, 2, 4);
    gs_classes_init(&k, &r.c, 0);
    uint32_t x;
    const struct gs_take a[] = {share(0, 300, 10), share(1, 500, 20), whole(2)};
    const struct gs_take b[] = {share(7, 300, 10), share(5, 500, 20), whole(4)};
    for (size_t i = 0; i < 3; i++) {
        GS_EQ_INT(gs_ledger_claim(&r.c, 0, 0, &a[i], 1, 1, 1, GS_CLAIM_HELD, &x), GS_GRANTED);
        GS_EQ_INT(gs_ledger_claim(&r.c, 0, 1, &b[i], 1, 1, 1, GS_CLAIM_HELD, &x), GS_GRANTED);
    }
    gs_classes_sync(&k);
    GS_EQ_INT(k.of[0], k.of[1]);
    GS_EQ_INT(k.nactive, 1);
    gs_classes_release(&k);
    rig_down(&r);
}

static void task_kinds_separate_on_request(void)
{
    struct rig r;
    rig_up(&r, 2, 4);
    uint32_t x;
    const struct gs_take pair[] = {whole(0), whole(1)};
    const struct gs_take one = whole(4);
    const struct gs_take other = whole(5);
    GS_EQ_INT(gs_ledger_claim(&r.c, 0, 0, pair, 2, 0, 0, GS_CLAIM_HELD, &x), GS_GRANTED);
    GS_EQ_INT(gs_ledger_claim(&r.c, 0, 1, &one, 1, 0, 0, GS_CLAIM_HELD, &x), GS_GRANTED);
    GS_EQ_INT(gs_ledger_claim(&r.c, 0, 1, &other, 1, 0, 0, GS_CLAIM_HELD, &x), GS_GRANTED);
    struct gs_classes k;
    gs_classes_init(&k, &r.c, 0);
    GS_EQ_INT(k.of[0], k.of[1]);
    gs_classes_release(&k);
    gs_classes_init(&k, &r.c, GS_CLASSES_TASK_KINDS);
    CU_ASSERT(k.of[0] != k.of[1]);
    gs_classes_release(&k);
    rig_down(&r);
}

static void the_lowest_member_is_exact(void)
{
    struct rig r;
    struct gs_classes k;
    const struct gs_request q = ask(1, 1000);
    rig_up(&r, 64, 1);
    gs_classes_init(&k, &r.c, 0);
    const uint32_t idle = k.of[0];
    struct gs_stream s;
    uint32_t held[64];
    for (uint32_t n = 0; n < 64; n++)
        held[n] = GS_NONE;
    gs_stream_init(&s, 1, GS_RNG_TEST, 0, 0);
    for (uint32_t i = 0; i < 20000; i++) {
        const uint32_t n = (uint32_t)gs_below(&s, 64);
        if (held[n] == GS_NONE) {
            held[n] = put(&r, n, &q);
        } else {
            GS_EQ_INT(gs_ledger_free(&r.c, held[n]), GS_GRANTED);
            held[n] = GS_NONE;
        }
        gs_classes_sync(&k);
        uint32_t lowest = 0;
        while (lowest < 64 && held[lowest] != GS_NONE)
            lowest++;
        if (lowest < 64) {
            GS_EQ_INT(k.of[lowest], idle);
            GS_EQ_INT(gs_class_lowest(&k, idle), lowest);
        }
        CU_ASSERT(k.cls[idle].nheap <= 2 * 64 + 17); /* stale entries do not pile up */
    }
    GS_EQ_INT(k.ncls, 2);
    gs_classes_release(&k);
    rig_down(&r);
}

static void rollback_brings_nodes_back(void)
{
    struct rig r;
    struct gs_classes k;
    const struct gs_request q = ask(2, 1000);
    rig_up(&r, 3, 4);
    gs_classes_init(&k, &r.c, 0);
    const uint32_t idle = k.of[0];
    const uint32_t gen = k.cls[idle].gen;
    gs_ledger_begin(&r.c);
    for (uint32_t n = 0; n < 3; n++)
        (void)put(&r, n, &q);
    gs_classes_sync(&k);
    CU_ASSERT(k.of[0] != idle);
    GS_EQ_INT(k.cls[idle].members, 0);
    gs_ledger_rollback(&r.c, 0);
    gs_ledger_commit(&r.c);
    gs_classes_sync(&k);
    for (uint32_t n = 0; n < 3; n++)
        GS_EQ_INT(k.of[n], idle); /* found again, with its memos */
    GS_EQ_INT(k.cls[idle].gen, gen);
    GS_EQ_INT(gs_class_lowest(&k, idle), 0);
    gs_classes_release(&k);
    rig_down(&r);
}

static void the_clock_tells_what_is_new(void)
{
    struct rig r;
    struct gs_classes k;
    const struct gs_request q = ask(1, 1000);
    rig_up(&r, 2, 2);
    gs_classes_init(&k, &r.c, 0);
    const uint64_t seen = k.clock;
    const uint32_t idle = k.of[0];
    gs_classes_sync(&k);
    GS_EQ_INT(k.clock, seen); /* nothing was dirty */
    const uint32_t a = put(&r, 0, &q);
    gs_classes_sync(&k);
    CU_ASSERT(k.cls[k.of[0]].born > seen);
    CU_ASSERT(k.cls[idle].born <= seen); /* it only lost one */
    const uint64_t later = k.clock;
    GS_EQ_INT(gs_ledger_free(&r.c, a), GS_GRANTED);
    gs_classes_sync(&k);
    CU_ASSERT(k.cls[idle].born > later);
    gs_classes_release(&k);
    rig_down(&r);
}

/* A node visits more states than are kept; old ids come back with another gen, and the idle class
 * stays usable. */
static void emptied_classes_are_dropped_with_gen(void)
{
    struct rig r;
    struct gs_classes k;
    rig_up(&r, 2, 1);
    gs_classes_init(&k, &r.c, 0);
    const uint32_t idle = k.of[1];
    uint32_t reused = 0;

    struct {
        uint32_t cls, gen;
    } seen[3000];

    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t a;
        GS_EQ_INT(gs_ledger_claim(&r.c, 1, 0, NULL, 0, i + 1, 0, GS_CLAIM_HELD, &a), GS_GRANTED);
        gs_classes_sync(&k);
        seen[i].cls = k.of[0];
        seen[i].gen = k.cls[k.of[0]].gen;
        for (uint32_t j = 0; j < i; j++) {
            if (seen[j].cls != seen[i].cls)
                continue;
            CU_ASSERT(seen[j].gen < seen[i].gen); /* another key: a memo must not match */
            reused++;
        }
        GS_EQ_INT(gs_ledger_free(&r.c, a), GS_GRANTED);
    }
    gs_classes_sync(&k);
    CU_ASSERT(reused > 0);
    CU_ASSERT(k.ncls <= 1024);
    GS_EQ_INT(k.of[0], idle);
    GS_EQ_INT(k.cls[idle].gen, 0); /* it never was empty */
    GS_EQ_INT(k.nactive, 1);
    gs_classes_release(&k);
    rig_down(&r);
}

/* ---- does it fit? ---- */

static void whole_requests(void)
{
    struct rig r;
    rig_up(&r, 1, 4);
    struct gs_request q = ask(4, 1000);
    CU_ASSERT(gs_node_fits(&r.c, 0, &q));
    q.gpus = 5;
    CU_ASSERT_FALSE(gs_node_fits(&r.c, 0, &q));
    CU_ASSERT_FALSE(gs_node_could_fit(&r.c, 0, &q));
    q.gpus = 1;
    q.gpu_mem_mib = 40960;
    CU_ASSERT(gs_node_fits(&r.c, 0, &q));
    q.gpu_mem_mib = 40961;
    CU_ASSERT_FALSE(gs_node_fits(&r.c, 0, &q));
    CU_ASSERT_FALSE(gs_node_could_fit(&r.c, 0, &q));
    q = ask(2, 1000);
    GS_EQ_INT(gs_node_capacity(&r.c, 0, &q), 2);
    q.cpus_milli = 64000;
    GS_EQ_INT(gs_node_capacity(&r.c, 0, &q), 1);
    q.cpus_milli = 64001;
    GS_EQ_INT(gs_node_capacity(&r.c, 0, &q), 0);
    CU_ASSERT_FALSE(gs_node_could_fit(&r.c, 0, &q));
    rig_down(&r);
}

static void requests_by_model_and_labels(void)
{
    struct rig r;
    rig_up(&r, 1, 4);
    struct gs_node_spec s = spec("h", 4);
    s.model = "H100";
    s.labels = 5;
    (void)add(&r, s);
    (void)add(&r, spec("cpu", 0));
    struct gs_request q = ask(1, 1000);
    q.models = 1u << 1;
    CU_ASSERT_FALSE(gs_node_fits(&r.c, 0, &q));
    CU_ASSERT(gs_node_fits(&r.c, 1, &q));
    CU_ASSERT_FALSE(gs_node_fits(&r.c, 2, &q));
    q = ask(1, 1000);
    q.labels = 5;
    CU_ASSERT_FALSE(gs_node_fits(&r.c, 0, &q));
    CU_ASSERT(gs_node_fits(&r.c, 1, &q));
    q = ask(0, 1000);
    q.models = 1u << 1; /* without GPUs the model does not matter */
    CU_ASSERT(gs_node_fits(&r.c, 2, &q));
    q = ask(1, 1000);
    q.profile = 1;
    CU_ASSERT_FALSE(gs_node_fits(&r.c, 0, &q)); /* no instances yet */
    rig_down(&r);
}

static void shares_and_their_memory(void)
{
    struct rig r;
    rig_up(&r, 1, 2);
    struct gs_request q = ask(1, 333);
    GS_EQ_INT(gs_request_gpu_mem(&r.c, 0, &q), 13639); /* floor(40960 * 0.333) */
    GS_EQ_INT(gs_node_capacity(&r.c, 0, &q), 6);
    q.gpu_mem_mib = 40000;
    GS_EQ_INT(gs_request_gpu_mem(&r.c, 0, &q), 40000);
    GS_EQ_INT(gs_node_capacity(&r.c, 0, &q), 2); /* memory binds */
    q = ask(2, 1000);
    GS_EQ_INT(gs_request_gpu_mem(&r.c, 0, &q), 40960);
    struct gs_node_spec s = spec("unknown", 1);
    s.gpu_mem_mib = 0;
    const uint32_t n = add(&r, s);
    q = ask(1, 500);
    GS_EQ_INT(gs_request_gpu_mem(&r.c, 2, &q), 0); /* memory not known */
    CU_ASSERT(gs_node_fits(&r.c, n, &q));
    q = ask(1, 1000);
    CU_ASSERT(gs_node_fits(&r.c, n, &q));
    rig_down(&r);
}

static void the_default_devices(void)
{
    struct rig r;
    rig_up(&r, 1, 4);
    uint32_t x;
    struct gs_take t[4];
    const struct gs_take s0 = share(0, 300, 0);
    const struct gs_take s2 = share(2, 600, 0);
    const struct gs_take s3 = share(3, 600, 0);
    GS_EQ_INT(gs_ledger_claim(&r.c, 0, 0, &s0, 1, 0, 0, GS_CLAIM_HELD, &x), GS_GRANTED);
    GS_EQ_INT(gs_ledger_claim(&r.c, 0, 0, &s2, 1, 0, 0, GS_CLAIM_HELD, &x), GS_GRANTED);
    GS_EQ_INT(gs_ledger_claim(&r.c, 0, 0, &s3, 1, 0, 0, GS_CLAIM_HELD, &x), GS_GRANTED);
    struct gs_request q = ask(1, 400);
    GS_EQ_INT(gs_pick_devices(&r.c, 0, &q, t), 1);
    GS_EQ_INT(t[0].gpu, 2); /* the tightest, then the lowest */
    GS_EQ_INT(t[0].milli, 400);
    GS_EQ_INT(t[0].mem_mib, 16384);
    GS_EQ_INT(t[0].whole, 0);
    q.share_milli = 800;
    GS_EQ_INT(gs_pick_devices(&r.c, 0, &q, t), 1);
    GS_EQ_INT(t[0].gpu, 1);
    q = ask(1, 1000);
    GS_EQ_INT(gs_pick_devices(&r.c, 0, &q, t), 1);
    GS_EQ_INT(t[0].gpu, 1);
    GS_EQ_INT(t[0].whole, 1);
    q.gpus = 2;
    GS_EQ_INT(gs_pick_devices(&r.c, 0, &q, t), 0);
    rig_down(&r);
}

/* ---- against brute force ---- */

static struct gs_request random_request(struct gs_stream *s)
{
    static const uint32_t sizes[] = {0, 1, 1, 1, 2, 4, 8};
    struct gs_request q = ask(sizes[gs_below(s, 7)], 1000);
    if (q.gpus == 1 && gs_below(s, 2))
        q.share_milli = 100 * (1 + (uint32_t)gs_below(s, 9));
    const uint32_t tenant = (uint32_t)gs_below(s, 3);
    q.owner = GS_OWNER(tenant, gs_below(s, 3));
    if (gs_below(s, 4) == 0)
        q.gpu_mem_mib = (uint32_t)gs_below(s, 45000);
    if (gs_below(s, 3) == 0)
        q.models = 1 + gs_below(s, 3);
    if (gs_below(s, 8) == 0)
        q.labels = 5;
    q.cpus_milli = 1000 * (int64_t)gs_below(s, 20);
    q.mem_mib = 1024 * (int64_t)gs_below(s, 100);
    if (q.gpus == 1 && gs_below(s, 4) == 0)
        q.profile = (uint16_t)(1 + gs_below(s, 3));
    return q;
}

/* The key of a node, spelled out in full and without any shortening. */
struct long_key {
    uint32_t type, model, labels, up, idle, share;
    int64_t cpus, mem;
    uint64_t device[8]; /* free milli, free MiB, sorted */
    uint32_t guard[8];  /* of the partly taken ones, where fenced */
    uint32_t fence;
    uint32_t idle_of[4]; /* instances, by profile */
};

static struct long_key long_key_of(const struct gs_cluster *c, uint32_t n)
{
    struct long_key k;
    memset(&k, 0, sizeof k);
    k.type = c->node_type[n];
    k.model = c->node_model[n];
    k.labels = c->node_labels[n];
    k.up = c->node_up[n];
    k.idle = c->free_gpus[n];
    k.share = c->free_share[n];
    k.cpus = c->free_cpus_milli[n];
    k.mem = c->free_mem_mib[n];
    k.fence = c->fenced ? c->node_fence[n] : 0;
    for (uint32_t i = 0; i < c->gpu_count[n]; i++) {
        const uint32_t g = c->gpu_first[n] + i;
        const uint32_t guard = c->fenced && c->gpu_free_milli[g] ? c->gpu_guard[g] : 0;
        const uint64_t mem = c->gpu_free_milli[g] ? c->gpu_free_mem_mib[g] : 0;
        const uint64_t w = (uint64_t)c->gpu_free_milli[g] << 32 | mem;
        uint32_t j = i;
        for (; j && (k.device[j - 1] < w || (k.device[j - 1] == w && k.guard[j - 1] < guard));
             j--) {
            k.device[j] = k.device[j - 1];
            k.guard[j] = k.guard[j - 1];
        }
        k.device[j] = w;
        k.guard[j] = guard;
    }
    for (uint16_t p = 1; p < 4; p++)
        k.idle_of[p] = gs_node_instances(c, n, p);
    return k;
}

/* Makes, or takes away, an instance somewhere; changes the mode of a device that has none. */
static void change_instances(struct rig *r, struct gs_stream *s)
{
    struct gs_cluster *c = &r->c;
    const uint32_t g = (uint32_t)gs_below(s, c->ngpus);
    const uint32_t p = c->gpu_mode[g] == GS_MODE_MIG ? c->gpu_part[g] : GS_NONE;
    uint32_t part;
    if (c->gpu_mode[g] != GS_MODE_MIG || (p == GS_NONE && gs_below(s, 8) == 0)) {
        (void)gs_ledger_set_mode(c, g, c->gpu_mode[g] == GS_MODE_MIG ? GS_MODE_WHOLE : GS_MODE_MIG);
    } else if (p != GS_NONE && gs_below(s, 3) == 0) {
        if (gs_ledger_destroy_part(c, p) == GS_GRANTED)
            (void)gs_ledger_drop_part(c, p);
    } else if (p != GS_NONE && gs_below(s, 3) == 0) {
        (void)gs_ledger_bar_part(c, p, !c->part[p].barred);
    } else {
        struct gs_partition w = want(g, (uint8_t)(2 * gs_below(s, 4)), 2, 1);
        w.profile = (uint16_t)(1 + gs_below(s, 3));
        if (gs_ledger_create_part(c, &w, &part) == GS_GRANTED && gs_below(s, 4))
            (void)gs_ledger_part_ready(c, part);
    }
}

static void check_partition(const struct rig *r, struct gs_classes *k)
{
    const struct gs_cluster *c = &r->c;
    uint32_t members = 0;
    for (uint32_t n = 0; n < c->nnodes; n++) {
        const struct long_key a = long_key_of(c, n);
        for (uint32_t m = 0; m < n; m++) {
            const struct long_key b = long_key_of(c, m);
            const bool same = memcmp(&a, &b, sizeof a) == 0;
            CU_ASSERT(same == (k->of[n] == k->of[m]));
        }
    }
    for (uint32_t i = 0; i < k->nactive; i++) {
        const uint32_t cls = k->active[i];
        uint32_t lowest = 0;
        while (k->of[lowest] != cls)
            lowest++;
        GS_EQ_INT(gs_class_lowest(k, cls), lowest);
        GS_EQ_INT(k->cls[cls].active_pos, i);
        members += k->cls[cls].members;
    }
    GS_EQ_INT(members, c->nnodes);
}

static void check_fits(const struct rig *r, struct gs_classes *k, const struct gs_request *q)
{
    const struct gs_cluster *c = &r->c;
    uint32_t out[64];
    const uint32_t n = gs_classes_fitting(k, q, out);
    for (uint32_t node = 0; node < c->nnodes; node++) {
        const int fits = gs_node_fits(c, node, q);
        GS_EQ_INT(gs_class_fits(k, k->of[node], q), fits);
        CU_ASSERT(!fits || q->profile || gs_node_could_fit(c, node, q));
        CU_ASSERT((gs_node_capacity(c, node, q) > 0) == (fits != 0));
        bool listed = false;
        for (uint32_t i = 0; i < n; i++)
            listed = listed || out[i] == k->of[node];
        CU_ASSERT(listed == (fits != 0));
    }
}

/* With `fenced`, tenants keep apart on nodes of the types even and odd, each in its way. */
static void check_members(int fenced)
{
    enum {
        NODES = 24,
        LIVE = 60,
        STEPS = 4000
    };
    struct rig r;
    struct gs_classes k;
    struct gs_stream s;
    rig_up(&r, 8, 8);
    for (uint32_t i = 8; i < NODES; i++) {
        struct gs_node_spec x = spec("x", i % 4 == 3 ? 0 : 4);
        x.type = i % 4 == 3 ? "cpu" : i % 2 ? "odd" : "even";
        if (i % 4 == 1)
            x.model = "H100";
        x.labels = i % 4 == 2 ? 5 : 0;
        (void)add(&r, x);
    }
    r.c.fenced = fenced;
    for (uint32_t i = 0; i < NODES; i++)
        r.c.node_fence[i] = i % 4 == 1 ? GS_ISOLATION_PROCESS : GS_ISOLATION_NONE;
    gs_classes_init(&k, &r.c, 0);
    gs_stream_init(&s, 7, GS_RNG_TEST, 0, 0);
    uint32_t live[LIVE];
    for (uint32_t i = 0; i < LIVE; i++)
        live[i] = GS_NONE;
    for (uint32_t i = 0; i < STEPS; i++) {
        const uint32_t slot = (uint32_t)gs_below(&s, LIVE);
        const uint32_t n = (uint32_t)gs_below(&s, NODES);
        if (live[slot] != GS_NONE) {
            GS_EQ_INT(gs_ledger_free(&r.c, live[slot]), GS_GRANTED);
            live[slot] = GS_NONE;
        } else {
            const struct gs_request q = random_request(&s);
            live[slot] = put(&r, n, &q);
        }
        if (gs_below(&s, 3) == 0)
            change_instances(&r, &s);
        if (gs_below(&s, 40) == 0 && r.c.node_tasks[n] == 0)
            GS_EQ_INT(gs_ledger_node_state(&r.c, n, r.c.node_up[n] ? GS_NODE_DOWN : GS_NODE_UP),
                      GS_GRANTED);
        if (gs_below(&s, 3) == 0) {
            const struct gs_request q = random_request(&s);
            gs_classes_sync(&k);
            check_fits(&r, &k, &q);
        }
        if (i % 50 == 0) {
            gs_classes_sync(&k);
            check_partition(&r, &k);
        }
    }
    AUDIT(&r);
    gs_classes_release(&k);
    rig_down(&r);
}

static void classes_answer_as_their_members(void)
{
    check_members(0);
}

static void classes_answer_as_their_members_to_tenants(void)
{
    check_members(1);
}

static const struct gs_test tests[] = {
    {"classes answer as their members to tenants", classes_answer_as_their_members_to_tenants},
    {"equal nodes are one class", equal_nodes_are_one_class},
    {"what is fixed separates", what_is_fixed_separates},
    {"the order of devices does not separate", the_order_of_devices_does_not_separate},
    {"task kinds separate on request", task_kinds_separate_on_request},
    {"the lowest member is exact", the_lowest_member_is_exact},
    {"rollback brings nodes back", rollback_brings_nodes_back},
    {"the clock tells what is new", the_clock_tells_what_is_new},
    {"emptied classes are dropped with gen", emptied_classes_are_dropped_with_gen},
    {"whole requests", whole_requests},
    {"requests by model and labels", requests_by_model_and_labels},
    {"shares and their memory", shares_and_their_memory},
    {"the default devices", the_default_devices},
    {"classes answer as their members do", classes_answer_as_their_members},
};
GS_TEST_MAIN("cluster/classes", tests)

/* Properties of runs on divided GPUs: fixed layouts and a partitioner that drains and changes modes, with preemption, backfill and failures of
 * nodes and devices. At every event the ledger recounts (no slice is held twice, instances stand on legal starts); at the end nothing is held; the
 * same seed gives the same run, and names of nodes do not matter. A failing seed is printed. */
#include "sim/base/rng.h"
#include "sim/failures.h"
#include "sim/mig.h"
#include "sim/scenario/settings.h"
#include "tests/unit/run_rig.h"

enum {
    SEEDS = 24,
    JOBS = 150,
    NODES = 6
};

struct watch {
    struct gs_rig *k;
    uint64_t looks, instances;
    int wrong;
};

static const struct gs_mig_geometry *geometry_of(const struct gs_run *r, uint32_t gpu)
{
    return r->mig->book.of[r->cluster.node_model[r->cluster.gpu_node[gpu]]];
}

/* Do the instances of the device stand as its geometry allows, beside each other? */
static int legal(const struct gs_run *r, uint32_t gpu)
{
    const struct gs_cluster *c = &r->cluster;
    const struct gs_mig_geometry *g = geometry_of(r, gpu);
    struct gs_mig_set s = {0};
    for (uint32_t p = c->gpu_part[gpu]; p != GS_NONE; p = c->part[p].next) {
        uint32_t i = 0;
        while (i < g->n && g->p[i].id != c->part[p].profile)
            i++;
        if (i == g->n || !gs_mig_allows(g, &s, i, c->part[p].slice_start))
            return 0;
        gs_mig_put(g, &s, i, c->part[p].slice_start);
    }
    return 1;
}

static void look(void *ctx, struct gs_run *r)
{
    struct watch *w = ctx;
    const struct gs_cluster *c = &r->cluster;
    int fine = gs_ledger_audit(c, &w->k->err);
    w->looks++;
    for (uint32_t g = 0; fine && g < c->ngpus; g++)
        fine = c->gpu_mode[g] != GS_MODE_MIG || legal(r, g);
    if (fine || w->wrong)
        return;
    printf("at %lld ns: %s\n", (long long)r->eng.now_ns, w->k->err.msg);
    w->wrong = 1;
}

static void add_jobs(struct gs_rig *k, uint64_t seed)
{
    static const char *const profiles[] = {"1g.10gb", "1g.10gb", "1g.20gb", "2g.20gb",
                                           "3g.40gb", "4g.40gb", "7g.80gb"};
    struct gs_stream g;
    int64_t at = 0;
    gs_stream_init(&g, seed, GS_RNG_TEST, 41, 0);
    for (int i = 0; i < JOBS; i++) {
        at += (int64_t)gs_below(&g, 300);
        const uint32_t tasks = 1 + (uint32_t)gs_below(&g, 3);
        struct gs_job *j = gs_rig_job_s(k, at, 60 + (int64_t)gs_below(&g, 3600), tasks);
        j->tasks = tasks;
        j->task_gpus = 1;
        j->cpus_milli = 1000 * (int64_t)gs_below(&g, 3);
        /* the partitioner leaves no device whole for ever */
        if (gs_below(&g, 8) || seed % 3)
            j->mig = gs_intern(&k->r.str, profiles[gs_below(&g, 7)]);
        j->est_ns *= 1 + (int64_t)gs_below(&g, 2);
        j->priority = (int32_t)gs_below(&g, 3);
        j->flags = GS_JOB_PREEMPTIBLE;
    }
}

static void divide(struct gs_rig *k, uint64_t seed, struct gs_settings *s)
{
    static const char *const fixed[] = {
        "all-balanced / all-1g.10gb / 4g.40gb 2g.20gb / all-disabled",
        "all-3g.40gb / 7g.80gb / 1g.20gb:4 / all-disabled"};
    static const char *const made[] = {"all-disabled", "all-enabled / all-balanced"};
    const int dynamic = seed % 3 != 0;
    const uint32_t first[] = {0, NODES};
    gs_vec_push(&s->nodes,
                ((struct gs_set_nodes){.name = "a",
                                       .where = "test:1",
                                       .mig = dynamic ? made[seed / 3 % 2] : fixed[seed / 3 % 2],
                                       .mig_strategy = GS_MIG_MIXED,
                                       .mig_create_ns = (int64_t)(seed % 4) * GS_SECOND,
                                       .mig_mode_ns = (int64_t)(seed % 5) * 7 * GS_SECOND,
                                       .mig_reset_ns = 30 * GS_SECOND}));
    s->role[GS_ROLE_PARTITIONER] = dynamic ? "partition" : NULL;
    (void)gs_rig_ok(k, gs_catalog_load(&k->r.catalog, NULL, &k->err));
    (void)gs_rig_ok(k, gs_mig_build(&k->r, s, first, &k->err));
}

static void bind(struct gs_rig *k, uint64_t seed)
{
    static const char *const backfill[] = {"greedy", "easy", "conservative"};
    gs_rig_role(k, GS_ROLE_ORDER, seed % 2 ? "priority" : "fifo", NULL, NULL);
    if (seed % 4)
        gs_rig_role(k, GS_ROLE_BACKFILL, backfill[seed % 4 - 1], NULL, NULL);
    if (seed % 2)
        gs_rig_role(k, GS_ROLE_PREEMPTION, "priority", NULL, NULL);
    if (seed % 3)
        gs_rig_role(k, GS_ROLE_PARTITIONER, "partition", "drain", seed % 5 ? "yes" : "no");
}

static uint32_t held_at_end(const struct gs_run *r)
{
    uint32_t n = 0;
    for (uint32_t g = 0; g < r->cluster.ngpus; g++) {
        n += r->cluster.gpu_claims[g];
        for (uint32_t p = r->cluster.gpu_part[g];
             p != GS_NONE && r->cluster.gpu_mode[g] == GS_MODE_MIG; p = r->cluster.part[p].next)
            n += r->cluster.part[p].state == GS_PART_HELD;
    }
    return n;
}

static struct gs_rig *run(uint64_t seed, int renamed, struct watch *w)
{
    struct gs_rig *k = gs_rig_init();
    struct gs_settings s = {0};
    const struct gs_set_failures f = {.node = "exponential mean=9h",
                                      .node_repair = "constant 20m",
                                      .gpu = "exponential mean=30h",
                                      .gpu_repair = "constant 1h",
                                      .retries = -1,
                                      .said = 1};
    *w = (struct watch){.k = k};
    k->r.seed = seed;
    k->r.horizon_ns = INT64_C(4) * 86400 * GS_SECOND;
    for (int i = 0; i < NODES; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "%c%d", renamed ? 'z' : 'n', renamed ? NODES - i : i);
        (void)gs_rig_node_of(k, name, "A100-SXM4-80GB", 4, 16);
    }
    divide(k, seed, &s);
    add_jobs(k, seed);
    if (seed % 2 == 0)
        (void)gs_rig_ok(k, gs_failures_load(&k->r, &f, ".", &k->err));
    k->r.observe = look;
    k->r.observe_ctx = w;
    gs_rig_prepare(k);
    bind(k, seed);
    gs_rig_go(k);
    w->instances = k->r.mig->lives.n;
    CU_ASSERT_TRUE(w->looks > JOBS && !w->wrong);
    gs_vec_free(&s.nodes);
    return k;
}

static int differences(struct gs_rig *a, struct gs_rig *b)
{
    int n = 0;
    for (uint32_t i = 0; i < JOBS; i++) {
        const struct gs_outcome *x = gs_rig_outcome(a, i), *y = gs_rig_outcome(b, i);
        n += x->first_start_ns != y->first_start_ns || x->end_ns != y->end_ns;
    }
    return n;
}

static void random_runs(void)
{
    uint64_t instances = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct watch w, v;
        const unsigned before = CU_get_number_of_failures();
        struct gs_rig *a = run(seed, 0, &w), *b = run(seed, 0, &v), *c = run(seed, 1, &v);
        CU_ASSERT_EQUAL(a->r.eng.digest, b->r.eng.digest);
        CU_ASSERT_EQUAL(differences(a, b), 0);
        if (seed % 2) /* draws of failures are keyed by name */
            CU_ASSERT_EQUAL(differences(a, c), 0);
        const double left = gs_rig_metric(a, "jobs.unfinished");
        GS_EQ_INT(held_at_end(&a->r), 0);
        CU_ASSERT_EQUAL(left, 0);
        instances += w.instances;
        if (CU_get_number_of_failures() > before)
            printf("seed %llu\n", (unsigned long long)seed);
        gs_rig_free(a);
        gs_rig_free(b);
        gs_rig_free(c);
    }
    printf("%llu instances\n", (unsigned long long)instances);
    CU_ASSERT_TRUE(instances > 500);
}

static const struct gs_test tests[] = {
    {"random runs on divided GPUs", random_runs},
};
GS_TEST_MAIN("property/mig_runs", tests)

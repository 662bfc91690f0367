/* Properties of whole runs on random workloads (fixed seeds): what must hold whatever the jobs are. A failing seed is printed. */
#include "sim/base/rng.h"
#include "sim/run.h"
#include "tests/unit/run_rig.h"

#include <math.h>

enum {
    SEEDS = 20,
    JOBS = 250
};

/* What a workload is made of. */
struct shape {
    int gangs, shares, cpus; /* several nodes a job; fractions of a GPU; CPUs as a second bound */
    uint32_t over;           /* estimates are up to `over` times the run time; 1 = exact */
    int64_t scale;           /* of all times */
    int renamed;             /* nodes with other names */
    int one;                 /* one node of 16 GPUs */
};

static const struct shape PLAIN = {.over = 1, .scale = 1};
static const struct shape RICH = {.gangs = 1, .shares = 1, .cpus = 1, .over = 3, .scale = 1};

static void add_nodes(struct gs_rig *k, const struct shape *s)
{
    static const struct {
        const char *name, *other, *model;
        uint32_t gpus;
        int64_t cpus;
    } node[] = {{"a", "z9", "x", 8, 64},  {"b", "z8", "x", 8, 64}, {"c", "z7", "y", 4, 16},
                {"d", "z6", "y", 4, 16},  {"e", "z5", "y", 2, 8},  {"f", "z4", "x", 1, 64},
                {"cpu", "z3", "", 0, 128}};

    for (size_t i = 0; i < sizeof node / sizeof *node && !s->one; i++)
        (void)gs_rig_node_of(k, s->renamed ? node[i].other : node[i].name, node[i].model,
                             node[i].gpus, node[i].cpus);
    if (s->one)
        (void)gs_rig_node_of(k, "one", "x", 16, 64);
}

static void add_job(struct gs_rig *k, const struct shape *s, struct gs_stream *g, int64_t submit)
{
    static const uint32_t sizes[] = {1, 1, 1, 2, 2, 4, 8};
    const int64_t run = (1 + (int64_t)gs_below(g, 600)) * s->scale * GS_SECOND;
    const int64_t est = run * (1 + (int64_t)gs_below(g, s->over));
    struct gs_job *j = gs_rig_job(k, submit, run, sizes[gs_below(g, 7)]);
    j->est_ns = est;
    const uint64_t kind = gs_below(g, 10);
    if (s->shares && kind < 3) {
        j->gpus = j->task_gpus = 1;
        j->share_milli = 100 * (1 + (uint32_t)gs_below(g, 9));
    } else if (s->gangs && kind < 5) {
        j->tasks = 2 + (uint32_t)gs_below(g, 2);
        j->task_gpus = 4;
        j->gpus = (j->tasks - 1) * 4 + 1 + (uint32_t)gs_below(g, 4);
    }
    if (s->cpus)
        j->cpus_milli = 1000 * (int64_t)gs_below(g, 8);
    j->priority = (int32_t)gs_below(g, 3);
    j->flags = GS_JOB_PREEMPTIBLE;
}

/* A crowded week: most jobs wait. */
static struct gs_rig *workload(uint64_t seed, const struct shape *s)
{
    struct gs_rig *k = gs_rig_init();
    struct gs_stream g;
    int64_t t = 0;
    gs_stream_init(&g, seed, GS_RNG_TEST, 20, 0);
    add_nodes(k, s);
    for (int i = 0; i < JOBS; i++) {
        t += (int64_t)gs_below(&g, 60) * s->scale * GS_SECOND;
        add_job(k, s, &g, t);
    }
    gs_rig_prepare(k);
    return k;
}

struct parts {
    const char *scheduler, *order, *placement, *backfill, *preemption;
    const char *key, *value; /* of the scheduler */
};

static struct gs_rig *run(uint64_t seed, const struct shape *s, const struct parts *p)
{
    struct gs_rig *k = workload(seed, s);
    if (p->scheduler)
        gs_rig_role(k, GS_ROLE_SCHEDULER, p->scheduler, p->key, p->value);
    if (p->order)
        gs_rig_role(k, GS_ROLE_ORDER, p->order, NULL, NULL);
    if (p->placement)
        gs_rig_role(k, GS_ROLE_PLACEMENT, p->placement, NULL, NULL);
    if (p->backfill)
        gs_rig_role(k, GS_ROLE_BACKFILL, p->backfill, NULL, NULL);
    if (p->preemption)
        gs_rig_role(k, GS_ROLE_PREEMPTION, p->preemption, NULL, NULL);
    gs_rig_go(k);
    return k;
}

/* Jobs whose first start (times `factor`) or end differs between two runs of one workload. */
static int differences(struct gs_rig *a, struct gs_rig *b, int64_t factor)
{
    int n = 0;
    for (uint32_t i = 0; i < a->r.w.jobs.n; i++) {
        const struct gs_outcome *x = gs_rig_outcome(a, i), *y = gs_rig_outcome(b, i);
        n += x->first_start_ns * factor != y->first_start_ns || x->end_ns * factor != y->end_ns ||
             x->state != y->state;
    }
    return n;
}

static void same_schedule(const struct shape *s, const struct shape *other, const struct parts *p,
                          const struct parts *q, int64_t factor)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct gs_rig *a = run(seed, s, p), *b = run(seed, other, q);
        const int n = differences(a, b, factor);
        if (n)
            printf("seed %" PRIu64 ": %d jobs differ\n", seed, n);
        CU_ASSERT_EQUAL(n, 0);
        gs_rig_free(a);
        gs_rig_free(b);
    }
}

/* Both ways to write a scheduler, and verbs that take back what they did, give one schedule. */
static void whole_cycle_equals_composite(void)
{
    const struct parts composite = {.order = "fifo", .placement = "firstfit"};
    const struct parts whole = {.scheduler = "template"};
    const struct parts nested = {.scheduler = "verbs", .key = "how", .value = "nested"};
    const struct parts disturb = {.scheduler = "verbs", .key = "how", .value = "disturb"};
    struct shape flat = RICH;
    same_schedule(&flat, &flat, &composite, &whole, 1);
    const struct parts by_priority = {
        .order = "priority", .placement = "firstfit", .backfill = "greedy"};
    same_schedule(&flat, &flat, &by_priority, &nested, 1);
    same_schedule(&flat, &flat, &by_priority, &disturb, 1);
}

static const struct parts every[] = {
    {.order = "fifo", .placement = "firstfit"},
    {.order = "sjf", .placement = "bestfit"},
    {.order = "ljf", .placement = "worstfit"},
    {.order = "priority", .placement = "fgd", .preemption = "priority"},
    {.order = "fifo", .placement = "dotprod", .backfill = "easy"},
    {.order = "fifo", .placement = "gpupacking", .backfill = "conservative"},
    {.order = "fifo", .placement = "gpuclustering", .backfill = "greedy"},
    {.order = "fifo", .placement = "random"},
    {.scheduler = "drf"},
};

enum {
    EVERY = sizeof every / sizeof *every
};

static void double_times_double_waits(void)
{
    struct shape twice = RICH;
    twice.scale = 2;
    for (size_t i = 0; i < EVERY; i++)
        same_schedule(&RICH, &twice, &every[i], &every[i], 2);
}

static void names_do_not_matter(void)
{
    struct shape renamed = RICH;
    renamed.renamed = 1;
    for (size_t i = 0; i < EVERY; i++)
        same_schedule(&RICH, &renamed, &every[i], &every[i], 1);
}

/* An order without backfill starts nobody before a job that comes before him in it. */
static void strict_orders_are_strict(void)
{
    static const char *const placement[] = {"firstfit", "bestfit",    "worstfit",      "fgd",
                                            "dotprod",  "gpupacking", "gpuclustering", "random"};
    for (size_t i = 0; i < sizeof placement / sizeof *placement; i++)
        for (uint64_t seed = 1; seed <= SEEDS / 4; seed++) {
            struct gs_rig *k =
                run(seed, &RICH, &(struct parts){.order = "fifo", .placement = placement[i]});
            int passed = 0;
            for (uint32_t j = 1; j < k->r.w.jobs.n; j++)
                passed +=
                    gs_rig_outcome(k, j)->first_start_ns < gs_rig_outcome(k, j - 1)->first_start_ns;
            CU_ASSERT_EQUAL(passed, 0);
            gs_rig_free(k);
        }
}

/* Each job starts no later than it was promised first. Returns how many were promised. */
static size_t promises_kept(struct gs_rig *k, uint64_t seed)
{
    uint32_t last_of[JOBS];
    size_t late = 0, promised = 0;
    memset(last_of, 0, sizeof last_of);
    for (size_t i = 0; i < k->r.reservations.n; i++) {
        const struct gs_reservation *v = &k->r.reservations.v[i];
        if (last_of[v->job]++)
            continue;
        promised++;
        if (gs_rig_outcome(k, v->job)->first_start_ns > v->at_ns) {
            printf("seed %" PRIu64 ": job %u starts at %" PRId64 ", was promised %" PRId64 "\n",
                   seed, v->job, gs_rig_outcome(k, v->job)->first_start_ns, v->at_ns);
            late++;
        }
    }
    CU_ASSERT_EQUAL(late, 0);
    return promised;
}

static void keeps_promises(const char *backfill, const struct shape *s, const char *placement)
{
    size_t promised = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct gs_rig *k =
            run(seed, s,
                &(struct parts){.order = "fifo", .placement = placement, .backfill = backfill});
        promised += promises_kept(k, seed);
        gs_rig_free(k);
    }
    CU_ASSERT_TRUE(promised > SEEDS);
}

/* The head of EASY, and every job of conservative backfilling, with exact estimates and with estimates that are too long. */
static void easy_never_delays_the_head(void)
{
    struct shape over = PLAIN;
    over.over = 3;
    keeps_promises("easy", &PLAIN, "firstfit");
    keeps_promises("easy", &over, "bestfit");
    keeps_promises("easy", &RICH, "worstfit");
}

/* On one node: over several, the plan counts sums, and a promise is its bound, not a set of devices (see conservative.c). */
static void conservative_delays_nobody(void)
{
    struct shape one = PLAIN;
    one.one = 1;
    one.cpus = 1;
    keeps_promises("conservative", &one, "firstfit");
    one.over = 3;
    keeps_promises("conservative", &one, "firstfit");
}

/* Jobs that come one at a time wait for nobody. */
static void no_load_no_wait(void)
{
    for (size_t i = 0; i < EVERY; i++) {
        struct gs_rig *k = gs_rig_init();
        struct gs_stream g;
        gs_stream_init(&g, i, GS_RNG_TEST, 21, 0);
        add_nodes(k, &RICH);
        for (int64_t t = 0; t < 50; t++)
            add_job(k, &RICH, &g, t * 1000 * GS_SECOND);
        gs_rig_prepare(k);
        if (every[i].scheduler)
            gs_rig_role(k, GS_ROLE_SCHEDULER, every[i].scheduler, NULL, NULL);
        else
            gs_rig_role(k, GS_ROLE_PLACEMENT, every[i].placement, NULL, NULL);
        gs_rig_go(k);
        for (uint32_t j = 0; j < 50; j++) {
            const struct gs_outcome *o = gs_rig_outcome(k, j);
            GS_EQ_INT(o->first_start_ns, k->r.w.jobs.v[j].submit_ns);
            GS_EQ_INT(o->end_ns - o->first_start_ns, k->r.w.jobs.v[j].run_ns);
        }
        gs_rig_free(k);
    }
}

static int64_t makespan(uint64_t seed, uint32_t gpus)
{
    struct gs_rig *k = gs_rig_init();
    struct gs_stream g;
    int64_t t = 0, last = 0;
    gs_stream_init(&g, seed, GS_RNG_TEST, 22, 0);
    for (uint32_t i = 0; i < gpus; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "n%u", i);
        (void)gs_rig_node(k, name, 1);
    }
    for (int i = 0; i < 200; i++) {
        t += (int64_t)gs_below(&g, 20) * GS_SECOND;
        (void)gs_rig_job(k, t, (int64_t)(1 + gs_below(&g, 100)) * GS_SECOND, 1);
    }
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, "fifo", NULL, NULL);
    gs_rig_go(k);
    for (uint32_t i = 0; i < 200; i++)
        last = gs_rig_outcome(k, i)->end_ns > last ? gs_rig_outcome(k, i)->end_ns : last;
    gs_rig_free(k);
    return last;
}

/* Single-GPU jobs, first come first served: no anomaly (with gangs there may be one). */
static void more_gpus_never_take_longer(void)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (uint32_t gpus = 1; gpus < 9; gpus++)
            CU_ASSERT_TRUE(makespan(seed, gpus + 1) <= makespan(seed, gpus));
}

static size_t figures(uint64_t seed, const struct parts *p, int64_t horizon_ns,
                      struct gs_value_row *out, size_t max)
{
    struct gs_rig *k = gs_rig_init();
    struct gs_stream g;
    int64_t t = 0;
    gs_stream_init(&g, seed, GS_RNG_TEST, 20, 0);
    add_nodes(k, &RICH);
    for (int i = 0; i < JOBS; i++) {
        t += (int64_t)gs_below(&g, 60) * GS_SECOND;
        add_job(k, &RICH, &g, t);
    }
    k->r.measure = GS_MEASURE_RANGE;
    k->r.measure_from = 600 * GS_SECOND;
    k->r.measure_to = 3000 * GS_SECOND;
    k->r.horizon_ns = horizon_ns;
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, p->order, NULL, NULL);
    gs_rig_role(k, GS_ROLE_PLACEMENT, p->placement, NULL, NULL);
    gs_rig_go(k);
    GS_EQ_INT(gs_rig_metric(k, "jobs.unfinished"), 0);
    const size_t n = gs_metric_eval_all(k->r.m, out, max);
    gs_rig_free(k);
    return n;
}

/* Every figure but the verdict of the whole is about counted jobs or the window: the horizon behind them does not show. */
static void horizons_do_not_show(void)
{
    static struct gs_value_row a[256], b[256];
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        const size_t n = figures(seed, &every[0], 40000 * GS_SECOND, a, 256);
        const size_t m = figures(seed, &every[0], GS_NEVER, b, 256);
        GS_EQ_INT(n, m);
        for (size_t i = 0; i < n; i++) {
            const bool same = memcmp(&a[i].value, &b[i].value, sizeof a[i].value) == 0 &&
                              a[i].samples == b[i].samples;
            if (!same)
                printf("seed %" PRIu64 ": %s %g, %g\n", seed, a[i].name, a[i].value, b[i].value);
            CU_ASSERT_TRUE(same);
        }
    }
}

static const struct gs_test tests[] = {
    {"a whole-cycle module equals the composite", whole_cycle_equals_composite},
    {"double times, double waits", double_times_double_waits},
    {"names of nodes do not matter", names_do_not_matter},
    {"strict orders are strict", strict_orders_are_strict},
    {"EASY never delays the head", easy_never_delays_the_head},
    {"conservative backfilling delays nobody", conservative_delays_nobody},
    {"no load, no wait", no_load_no_wait},
    {"more GPUs never take longer", more_gpus_never_take_longer},
    {"horizons behind the last counted job do not show", horizons_do_not_show},
};
GS_TEST_MAIN("property/runs", tests)

/* test_frag.c - typical tasks, the fragment of a node by class, and the cluster's sum however it was reached. */
#include "sim/base/mem.h"
#include "sim/metrics/metrics.h"
#include "tests/unit/cases.h"
#include "tests/unit/harness.h"

enum {
    Q1,
    Q2,
    Q3,
    Q4,
    XL,
    XR,
    NA
};

struct world {
    struct gs_intern str;
    struct gs_cluster c;
    struct gs_workload w;
    gs_typical_vec typical;
};

static void world_init(struct world *x)
{
    *x = (struct world){0};
    gs_intern_init(&x->str);
    gs_cluster_init(&x->c, &x->str);
    gs_workload_init(&x->w, &x->str);
}

static void world_release(struct world *x)
{
    gs_vec_free(&x->typical);
    gs_workload_release(&x->w);
    gs_cluster_release(&x->c);
    gs_intern_release(&x->str);
}

static uint32_t world_node(struct world *x, const char *model, uint32_t gpus, int64_t cpus_milli)
{
    const struct gs_node_spec s = {.name = "n",
                                   .type = "t",
                                   .model = gpus ? model : "",
                                   .gpus = gpus,
                                   .cpus_milli = cpus_milli,
                                   .mem_mib = 1 << 20,
                                   .gpu_mem_mib = 1 << 14,
                                   .gpu_cap_milli = 1000};
    uint32_t id = 0;
    CU_ASSERT_FATAL(gs_cluster_add_node(&x->c, &s, &id, NULL) == GS_OK);
    return id;
}

/* Mask of "A|B" over the cluster's models. */
static uint64_t models_of(void *ctx, uint32_t text)
{
    struct world *x = ctx;
    char list[256];
    uint64_t mask = 0;
    if (strcmp(gs_intern_str(&x->str, text), "nowhere") == 0)
        return UINT64_MAX;
    (void)snprintf(list, sizeof list, "%s", gs_intern_str(&x->str, text));
    for (char *p = list; p;) {
        char *bar = strchr(p, '|');
        if (bar)
            *bar = '\0';
        const uint32_t m = gs_cluster_model(&x->c, p);
        mask |= m == GS_NONE ? 0 : UINT64_C(1) << m;
        p = bar ? bar + 1 : NULL;
    }
    return mask;
}

static void world_job(struct world *x, int64_t cpus, uint32_t gpus, uint32_t share,
                      const char *models)
{
    const struct gs_job j = {.tasks = 1,
                             .gpus = gpus,
                             .task_gpus = gpus,
                             .share_milli = share,
                             .cpus_milli = cpus,
                             .user = GS_NONE,
                             .models = models ? gs_intern(&x->str, models) : 0,
                             .mem_mib = 64 + gpus};
    gs_vec_push(&x->w.jobs, j);
}

static void build(struct world *x)
{
    gs_typical_build(&x->typical, &x->w, models_of, x, 0.95);
}

/* ---- typical tasks ---- */

static void most_frequent_first_until_covered(void)
{
    struct world x;
    world_init(&x);
    for (int i = 0; i < 3; i++)
        world_job(&x, 1000, 1, 1000, NULL);
    for (int i = 0; i < 90; i++)
        world_job(&x, 2000, 1, 500, NULL);
    for (int i = 0; i < 3; i++)
        world_job(&x, 4000, 0, 1000, NULL);
    for (int i = 0; i < 4; i++)
        world_job(&x, 3000, 2, 1000, "B|A");
    build(&x);
    /* 90 + 4 = 94 < 95, so one of the two with 3 is taken as well: the larger key */
    GS_EQ_INT(x.typical.n, 3);
    GS_EQ_INT(x.typical.v[0].count, 90);
    GS_EQ_INT(x.typical.v[0].share_milli, 500);
    GS_EQ_INT(x.typical.v[1].gpus, 2);
    GS_EQ_STR(gs_intern_str(&x.str, x.typical.v[1].model_text), "B|A");
    GS_EQ_INT(x.typical.v[2].cpus_milli, 4000);
    GS_EQ_INT(x.typical.v[2].gpus, 0);
    GS_NEAR(x.typical.v[0].probability, 90 / 97.0, 1e-15);
    world_release(&x);
}

static void a_gang_counts_its_tasks(void)
{
    struct world x;
    world_init(&x);
    world_job(&x, 8000, 20, 1000, NULL);
    gs_vec_last(&x.w.jobs).tasks = 3; /* 8 + 8 + 4 */
    gs_vec_last(&x.w.jobs).task_gpus = 8;
    gs_typical_build(&x.typical, &x.w, models_of, &x, 1);
    GS_EQ_INT(x.typical.n, 2);
    GS_EQ_INT(x.typical.v[0].gpus, 8);
    GS_EQ_INT(x.typical.v[0].count, 2);
    GS_EQ_INT(x.typical.v[1].gpus, 4);
    GS_EQ_INT(x.typical.v[1].cpus_milli, 4000);
    world_release(&x);
}

static void no_jobs_no_typical_tasks(void)
{
    struct world x;
    world_init(&x);
    build(&x);
    GS_EQ_INT(x.typical.n, 0);
    world_release(&x);
}

/* Column `i` of a CSV line, in buf. */
static const char *field(const char *line, int i, char *buf, size_t cap)
{
    while (i > 0 && *line)
        i -= *line++ == ',';
    const size_t n = strcspn(line, ",\r\n");
    (void)snprintf(buf, cap, "%.*s", (int)n, line);
    return buf;
}

static long number(const char *line, int i)
{
    char buf[64];
    return strtol(field(line, i, buf, sizeof buf), NULL, 10);
}

static void load_pods(struct world *x, const char *path)
{
    char line[512], spec[64];
    FILE *f = fopen(path, "r");
    CU_ASSERT_FATAL(f != NULL);
    CU_ASSERT_FATAL(fgets(line, sizeof line, f) != NULL);
    while (fgets(line, sizeof line, f)) {
        field(line, 5, spec, sizeof spec);
        world_job(x, number(line, 1), (uint32_t)number(line, 3), (uint32_t)number(line, 4),
                  spec[0] ? spec : NULL);
    }
    (void)fclose(f);
}

static void the_published_list(void)
{
    char pods[512], want[512], line[512], buf[64];
    if (!gs_test_shared_file("traces/openb/openb_pod_list_default.csv", pods, sizeof pods) ||
        !gs_test_shared_file("papers-data/fgd/typical_pods_default.csv", want, sizeof want))
        GS_SKIP("no shared material");
    struct world x;
    world_init(&x);
    load_pods(&x, pods);
    GS_EQ_INT(x.w.jobs.n, 8152);
    build(&x);
    GS_EQ_INT(x.typical.n, 35);
    FILE *f = fopen(want, "r");
    CU_ASSERT_FATAL(f != NULL && fgets(line, sizeof line, f) != NULL);
    uint64_t covered = 0;
    for (size_t i = 0; i < x.typical.n; i++) {
        const struct gs_typical_task *t = &x.typical.v[i];
        CU_ASSERT_FATAL(fgets(line, sizeof line, f) != NULL);
        GS_EQ_INT(t->cpus_milli, number(line, 1));
        GS_EQ_INT(t->gpus, number(line, 2));
        GS_EQ_INT(t->share_milli, number(line, 3));
        GS_EQ_STR(gs_intern_str(&x.str, t->model_text), field(line, 4, buf, sizeof buf));
        GS_NEAR(t->probability, strtod(field(line, 5, buf, sizeof buf), NULL), 1e-12);
        covered += t->count;
    }
    GS_NEAR((double)covered / (double)x.w.jobs.n, 0.95265, 5e-6);
    (void)fclose(f);
    world_release(&x);
}

/* ---- one node ---- */

static void type_of_case(struct world *x, const json_t *input)
{
    const json_t *pods = json_object_get(input, "typical_pods");
    for (size_t i = 0; i < json_array_size(pods); i++) {
        const json_t *p = json_array_get(pods, i);
        struct gs_typical_task t = {.cpus_milli = gs_case_int(p, "cpu_milli"),
                                    .gpus = (uint32_t)gs_case_int(p, "gpu_num"),
                                    .share_milli = (uint32_t)gs_case_int(p, "gpu_milli"),
                                    .probability = gs_case_number(p, "percent") / 100};
        t.model_text = gs_intern(&x->str, gs_case_text(p, "gpu_type"));
        t.models = t.model_text ? models_of(x, t.model_text) : 0;
        gs_vec_push(&x->typical, t);
    }
}

static void node_frag_case(const json_t *input, const json_t *expect, double tolerance)
{
    static const char *const names[] = {"q1", "q2", "q3", "q4", "xl", "xr", "na"};
    struct world x;
    world_init(&x);
    const json_t *node = json_object_get(input, "node");
    double left[GS_GPUS_PER_NODE_MAX];
    const size_t n =
        gs_case_numbers(json_object_get(node, "gpu_milli_left"), left, GS_GPUS_PER_NODE_MAX);
    const uint32_t id = world_node(&x, gs_case_text(node, "gpu_type"), (uint32_t)n, 128000);
    for (size_t g = 0; g < n; g++)
        x.c.gpu_free_milli[g] = (uint32_t)left[g];
    x.c.free_cpus_milli[id] = gs_case_int(node, "cpu_milli_left");
    type_of_case(&x, input);
    struct gs_frag by;
    const double f = gs_frag_node(&x.c, id, &x.typical, &by);
    GS_NEAR(f, gs_case_number(expect, "frag_milli"), tolerance);
    const json_t *classes = json_object_get(expect, "by_class");
    for (int k = 0; classes && k < 7; k++)
        GS_NEAR(by.cls[k], gs_case_number(classes, names[k]), tolerance);
    world_release(&x);
}

static void the_published_node_cases(void)
{
    (void)gs_cases("fgd_node_frag", node_frag_case);
}

static void typical_task(struct world *x, int64_t cpus, uint32_t gpus, uint32_t share,
                         const char *model, double p)
{
    struct gs_typical_task t = {
        .cpus_milli = cpus, .gpus = gpus, .share_milli = share, .probability = p};
    t.model_text = model ? gs_intern(&x->str, model) : 0;
    t.models = model ? models_of(x, t.model_text) : 0;
    gs_vec_push(&x->typical, t);
}

/* One row a class, on a node with devices of 300, 700 and 1000 milli and 4 CPUs left: T = 2000. */
static void each_class_by_its_own_task(void)
{
    static const struct {
        int64_t cpus;
        uint32_t gpus, share;
        const char *model;
        int cls;
        double in_class, in_q2, fragment;
    } rows[] = {
        {4000, 0, 0, NULL, XL, 2000, 0, 2000},
        {4001, 0, 0, NULL, XR, 2000, 0, 2000},
        {1000, 1, 100, "other", NA, 2000, 0, 2000},
        {4000, 1, 500, NULL, Q3, 1700, 300, 300},
        {4000, 1, 300, "here", Q3, 2000, 0, 0},
        {4000, 1, 1000, "other|here", Q3, 1000, 1000, 1000},
        {4001, 1, 500, NULL, Q4, 2000, 0, 2000},
        {4000, 2, 1000, NULL, Q2, 2000, 2000, 2000},
        {4001, 2, 1000, NULL, Q1, 2000, 0, 2000},
    };
    struct world x;
    world_init(&x);
    const uint32_t id = world_node(&x, "here", 3, 64000);
    (void)world_node(&x, "other", 1, 1000);
    x.c.gpu_free_milli[0] = 300;
    x.c.gpu_free_milli[1] = 700;
    x.c.free_cpus_milli[id] = 4000;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gs_vec_clear(&x.typical);
        typical_task(&x, rows[i].cpus, rows[i].gpus, rows[i].share, rows[i].model, 1);
        struct gs_frag by;
        GS_NEAR(gs_frag_node(&x.c, id, &x.typical, &by), rows[i].fragment, 0);
        GS_NEAR(by.cls[rows[i].cls], rows[i].in_class, 0);
        GS_NEAR(by.cls[Q2], rows[i].in_q2, 0);
    }
    world_release(&x);
}

/* A constraint that names no model of this cluster is met by no node; it does not mean "any". */
static void an_unknown_model_is_nowhere_allowed(void)
{
    struct world x;
    world_init(&x);
    const uint32_t id = world_node(&x, "here", 2, 64000);
    world_job(&x, 1, 1, 1000, "nowhere");
    build(&x);
    GS_EQ_INT(x.typical.n, 1);
    struct gs_frag by;
    GS_NEAR(gs_frag_node(&x.c, id, &x.typical, &by), 2000, 0);
    GS_NEAR(by.cls[NA], 2000, 0);
    struct gs_classes k;
    gs_classes_init(&k, &x.c, 0);
    struct gs_frag_meter *m = gs_frag_meter_new(&x.c, &x.typical);
    GS_EQ_INT(gs_frag_meter_stranded(m, &k, NULL, 0), 2);
    gs_frag_meter_free(m);
    gs_classes_release(&k);
    world_release(&x);
}

/* ---- the cluster ---- */

static double sum_of_nodes(struct world *x)
{
    double s = 0;
    for (uint32_t n = 0; n < x->c.nnodes; n++)
        s += gs_frag_node(&x->c, n, &x->typical, NULL);
    return s;
}

/* Puts one task on a node, a whole device or a share, or takes it away again. */
static void churn(struct world *x, uint32_t *first, uint32_t node, uint32_t step)
{
    if (*first != GS_NONE) {
        CU_ASSERT_FATAL(gs_ledger_free(&x->c, *first) == GS_GRANTED);
        *first = GS_NONE;
        return;
    }
    const struct gs_request r = {.gpus = 1,
                                 .share_milli = step % 3 ? 1000 : 100 + step % 7 * 100,
                                 .cpus_milli = 1000 + step % 5 * 500,
                                 .mem_mib = 16};
    struct gs_take take;
    if (gs_node_fits(&x->c, node, &r) && gs_pick_devices(&x->c, node, &r, &take))
        CU_ASSERT_FATAL(gs_ledger_claim(&x->c, step, node, &take, 1, r.cpus_milli, r.mem_mib,
                                        GS_CLAIM_HELD, first) == GS_GRANTED);
}

static void the_meter_agrees_with_a_recount(void)
{
    enum {
        NODES = 20
    };
    struct world x;
    world_init(&x);
    for (uint32_t n = 0; n < NODES; n++)
        (void)world_node(&x, n % 3 ? "A" : "B", n % 4 * 2, 8000 + n % 2 * 8000);
    typical_task(&x, 2000, 1, 1000, NULL, 0.4);
    typical_task(&x, 1500, 1, 350, "A", 0.3);
    typical_task(&x, 8000, 4, 1000, NULL, 0.2);
    typical_task(&x, 4000, 0, 0, NULL, 0.1);
    struct gs_classes k;
    gs_classes_init(&k, &x.c, 0);
    struct gs_frag_meter *scan = gs_frag_meter_new(&x.c, &x.typical),
                         *marked = gs_frag_meter_new(&x.c, &x.typical);
    uint32_t first[NODES];
    for (uint32_t n = 0; n < NODES; n++)
        first[n] = GS_NONE;
    GS_NEAR(gs_frag_meter_value(scan, &k), sum_of_nodes(&x), 1e-4);
    for (uint32_t step = 0; step < 400; step++) {
        const uint32_t node = step * 7 % NODES;
        churn(&x, &first[node], node, step);
        gs_frag_meter_mark(marked, node);
        const double a = gs_frag_meter_value(scan, &k), b = gs_frag_meter_value(marked, &k);
        GS_EQ_BITS(a, b); /* the sum does not depend on how it was reached */
        GS_EQ_INT(gs_frag_meter_stranded(scan, &k, NULL, 0),
                  gs_frag_meter_stranded(marked, &k, NULL, 0));
        GS_NEAR(a, sum_of_nodes(&x), 1e-4);
    }
    gs_frag_meter_free(scan);
    gs_frag_meter_free(marked);
    gs_classes_release(&k);
    world_release(&x);
}

static void idle_gpus_without_cpus_are_stranded(void)
{
    struct world x;
    world_init(&x);
    (void)world_node(&x, "A", 4, 8000);
    (void)world_node(&x, "A", 8, 1000); /* too few CPUs for the typical task */
    (void)world_node(&x, "A", 0, 500);
    typical_task(&x, 2000, 1, 1000, NULL, 0.9);
    typical_task(&x, 100, 0, 0, NULL, 0.1); /* needs no GPU: does not make one useful */
    struct gs_classes k;
    gs_classes_init(&k, &x.c, 0);
    struct gs_frag_meter *m = gs_frag_meter_new(&x.c, &x.typical);
    GS_EQ_INT(gs_frag_meter_stranded(m, &k, NULL, 0), 8);
    const struct gs_request pending[] = {{.gpus = 0, .cpus_milli = 1},
                                         {.gpus = 1, .share_milli = 500, .cpus_milli = 1000}};
    GS_EQ_INT(gs_frag_meter_stranded(m, &k, pending, 1), 8);
    GS_EQ_INT(gs_frag_meter_stranded(m, &k, pending, 2), 0);
    gs_frag_meter_free(m);
    gs_classes_release(&k);
    world_release(&x);
}

static void a_node_that_is_down_counts_nothing(void)
{
    struct world x;
    world_init(&x);
    const uint32_t id = world_node(&x, "A", 4, 100);
    typical_task(&x, 2000, 1, 1000, NULL, 1);
    struct gs_classes k;
    gs_classes_init(&k, &x.c, 0);
    struct gs_frag_meter *m = gs_frag_meter_new(&x.c, &x.typical);
    GS_NEAR(gs_frag_meter_value(m, &k), 4000, 0);
    CU_ASSERT(gs_ledger_node_state(&x.c, id, GS_NODE_DOWN) == GS_GRANTED);
    GS_NEAR(gs_frag_meter_value(m, &k), 0, 0);
    GS_EQ_INT(gs_frag_meter_stranded(m, &k, NULL, 0), 0);
    gs_frag_meter_free(m);
    gs_classes_release(&k);
    world_release(&x);
}

/* How many gangs of each size the free devices hold: through the same counts that placement uses. */
static void gang_case(const json_t *input, const json_t *expect, double tolerance)
{
    double free_gpus[16], gang[16];
    const size_t nodes =
        gs_case_numbers(json_object_get(input, "free_gpus_per_node"), free_gpus, 16);
    const size_t gangs = gs_case_numbers(json_object_get(input, "gang"), gang, 16);
    struct world x;
    world_init(&x);
    uint32_t largest = 0;
    for (size_t n = 0; n < nodes; n++) {
        const uint32_t id = world_node(&x, "A", (uint32_t)free_gpus[n], 1000);
        largest = x.c.free_gpus[id] > largest ? x.c.free_gpus[id] : largest;
    }
    for (size_t g = 0; g < gangs; g++) {
        const struct gs_request r = {.gpus = (uint32_t)gang[g], .share_milli = 1000};
        uint32_t instances = 0;
        for (uint32_t n = 0; n < x.c.nnodes; n++)
            instances += gs_node_capacity(&x.c, n, &r);
        GS_NEAR(instances,
                json_number_value(json_array_get(json_object_get(expect, "instances"), g)),
                tolerance);
    }
    GS_NEAR(largest, gs_case_number(expect, "largest_single_node"), tolerance);
    GS_NEAR(1 - (double)largest / (double)x.c.idle_gpus, gs_case_number(expect, "external_frag"),
            tolerance);
    world_release(&x);
}

static void the_gang_case(void)
{
    (void)gs_cases("gang_capacity", gang_case);
}

static const struct gs_test tests[] = {
    {"the most frequent requests come first, until 95 % are covered",
     most_frequent_first_until_covered},
    {"a gang counts once a task", a_gang_counts_its_tasks},
    {"without jobs there are no typical tasks", no_jobs_no_typical_tasks},
    {"the published list of openb's default trace", the_published_list},
    {"the published node cases", the_published_node_cases},
    {"each class by its own task", each_class_by_its_own_task},
    {"an unknown model is allowed nowhere", an_unknown_model_is_nowhere_allowed},
    {"the meter agrees with a recount, by scan and by marks", the_meter_agrees_with_a_recount},
    {"idle GPUs without CPUs are stranded", idle_gpus_without_cpus_are_stranded},
    {"a node that is down counts nothing", a_node_that_is_down_counts_nothing},
    {"gang capacity", the_gang_case},
};
GS_TEST_MAIN("metrics/frag", tests)

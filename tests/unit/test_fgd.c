/* Fragmentation: the classes by hand, the worked cases, and the properties that the fast evaluation must not lose. */
#include "policies/lib/frag.h"
#include "sim/base/rng.h"
#include "tests/unit/cases.h"

enum {
    TYPICAL_MAX = 256,
    MEMORY = 65536
};

/* Typical tasks with their columns and the memory of the prepared form. */
struct typical {
    struct gsp_typical t;
    int64_t cpus[TYPICAL_MAX];
    uint32_t gpus[TYPICAL_MAX], milli[TYPICAL_MAX];
    uint64_t models[TYPICAL_MAX];
    double p[TYPICAL_MAX];
    struct gspl_frag f;
    _Alignas(16) unsigned char memory[MEMORY];
};

static void add(struct typical *x, int64_t cpus, uint32_t gpus, uint32_t milli, uint64_t models,
                double p)
{
    const uint32_t i = x->t.count++;
    x->cpus[i] = cpus;
    x->gpus[i] = gpus;
    x->milli[i] = milli;
    x->models[i] = models;
    x->p[i] = p;
}

static void ready(struct typical *x)
{
    x->t.struct_size = (uint32_t)sizeof x->t;
    x->t.cpus_milli = x->cpus;
    x->t.gpus = x->gpus;
    x->t.share_milli = x->milli;
    x->t.models = x->models;
    x->t.probability = x->p;
    CU_ASSERT_FATAL(gspl_frag_bytes(x->t.count) <= sizeof x->memory);
    gspl_frag_build(&x->f, &x->t, x->memory);
}

static struct gspl_node node4(int64_t cpus, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return (struct gspl_node){.cpus_milli = cpus, .model = 0, .gpus = 4, .free = {a, b, c, d}};
}

static struct gspl_request request(int64_t cpus, uint32_t gpus, uint32_t milli)
{
    return (struct gspl_request){.cpus_milli = cpus, .gpus = gpus, .milli = milli};
}

static void seven_classes_by_hand(void)
{
    static struct typical x;
    x = (struct typical){0};
    add(&x, 2000, 2, 1000, 0, 0.1);      /* q1: one device is idle, and one CPU is free */
    add(&x, 1000, 2, 1000, 0, 0.1);      /* q2 */
    add(&x, 1000, 1, 600, 0, 0.2);       /* q3: 500 is below 600 */
    add(&x, 2000, 1, 600, 0, 0.1);       /* q4 */
    add(&x, 1000, 0, 0, 0, 0.1);         /* xl */
    add(&x, 2000, 0, 0, 0, 0.2);         /* xr */
    add(&x, 1000, 1, 600, 1u << 1, 0.2); /* na */
    ready(&x);
    const struct gspl_node n = node4(1000, 1000, 500, 0, 0);
    double c[GSPL_FRAG_CLASSES];
    const double f = gspl_frag_node(&x.f, &n, c);
    GS_NEAR(c[GSPL_Q1], 150, 1e-9);
    GS_NEAR(c[GSPL_Q2], 150 + 100, 1e-9);
    GS_NEAR(c[GSPL_Q3], 200, 1e-9);
    GS_NEAR(c[GSPL_Q4], 150, 1e-9);
    GS_NEAR(c[GSPL_XL], 150, 1e-9);
    GS_NEAR(c[GSPL_XR], 300, 1e-9);
    GS_NEAR(c[GSPL_NA], 300, 1e-9);
    GS_NEAR(f, 1300, 1e-9);
    GS_EQ_BITS(gspl_frag_node(&x.f, &n, NULL), f);
}

static void a_full_node_has_no_fragment(void)
{
    static struct typical x;
    x = (struct typical){0};
    add(&x, 1000, 1, 500, 0, 1.0);
    ready(&x);
    const struct gspl_node full = node4(64000, 0, 0, 0, 0);
    const struct gspl_node none = {.cpus_milli = 64000, .model = GSP_NONE};
    GS_EQ_BITS(gspl_frag_node(&x.f, &full, NULL), 0.0);
    GS_EQ_BITS(gspl_frag_node(&x.f, &none, NULL), 0.0);
}

static void no_change_scores_50(void)
{
    GS_EQ_INT(gspl_fgd_score(123.456, 123.456), 50);
    GS_EQ_INT(gspl_fgd_score(0, 1e9), 0);
    GS_EQ_INT(gspl_fgd_score(1e9, 0), 100);
    GS_EQ_INT(gspl_fgd_score(1000, 0), 73); /* 100 / (1 + 1/e) = 73.1 */
    GS_EQ_INT(gspl_fgd_score(0, 1000), 26);
}

static void a_share_takes_the_device_that_keeps_others_whole(void)
{
    static struct typical x;
    x = (struct typical){0};
    add(&x, 1000, 1, 1000, 0, 0.5);
    add(&x, 1000, 1, 500, 0, 0.5);
    ready(&x);
    const struct gspl_node n = node4(64000, 1000, 500, 1000, 500);
    const struct gspl_request r = request(1000, 1, 500);
    uint32_t pos = 99;
    CU_ASSERT(gspl_fgd_place(&x.f, &n, &r, &pos) > 50);
    GS_EQ_INT(pos, 1); /* the first of the two half-free ones */
    const struct gspl_request large = request(1000, 1, 1001);
    GS_EQ_INT(gspl_fgd_place(&x.f, &n, &large, &pos), -1);
    const struct gspl_request cpus = request(64001, 1, 500);
    GS_EQ_INT(gspl_fgd_place(&x.f, &n, &cpus, &pos), -1);
}

/* The definition, word by word: no tables, no sorting. */
static double slow_frag(const struct typical *x, const struct gspl_node *n)
{
    double c[GSPL_FRAG_CLASSES] = {0};
    const double left = (double)gspl_gpu_left(n);
    for (uint32_t i = 0; i < x->t.count; i++) {
        const int cpu = n->cpus_milli >= x->cpus[i];
        uint32_t fit = 0;
        for (uint32_t g = 0; g < n->gpus; g++)
            fit += n->free[g] >= x->milli[i];
        const int gpu = fit >= x->gpus[i];
        if (x->gpus[i] == 0)
            c[cpu ? GSPL_XL : GSPL_XR] += x->p[i] * left;
        else if (!gspl_model_allowed(x->models[i], n->model))
            c[GSPL_NA] += x->p[i] * left;
        else if (gpu && cpu)
            c[GSPL_Q2] += x->p[i] * (double)gspl_below(n, x->milli[i]);
        else
            c[gpu ? GSPL_Q4 : cpu ? GSPL_Q2 : GSPL_Q1] += x->p[i] * left;
    }
    return c[GSPL_Q1] + c[GSPL_Q2] + c[GSPL_Q4] + c[GSPL_XL] + c[GSPL_XR] + c[GSPL_NA];
}

static void fast_equals_the_definition_bit_for_bit(void)
{
    static struct typical x;
    struct gs_stream s;
    gs_stream_init(&s, 7, GS_RNG_TEST, 0, 0);
    x = (struct typical){0};
    for (uint32_t i = 0; i < 60; i++) {
        const uint32_t gpus = (uint32_t)gs_below(&s, 5);
        const uint32_t milli = gpus == 1 ? 50 * (1 + (uint32_t)gs_below(&s, 20)) : 1000;
        const uint64_t models = gs_below(&s, 3) ? 0 : 1 + gs_below(&s, 7);
        add(&x, (int64_t)gs_below(&s, 32000), gpus, gpus ? milli : 0, gpus ? models : 0,
            gs_unit(&s));
    }
    ready(&x);
    for (int k = 0; k < 20000; k++) {
        struct gspl_node n = {.cpus_milli = (int64_t)gs_below(&s, 40000),
                              .model = (uint32_t)gs_below(&s, 3),
                              .gpus = (uint32_t)gs_below(&s, 9)};
        for (uint32_t g = 0; g < n.gpus; g++)
            n.free[g] = 50 * (uint32_t)gs_below(&s, 21);
        GS_EQ_BITS(gspl_frag_node(&x.f, &n, NULL), slow_frag(&x, &n));
    }
}

/* ---- worked cases ---- */

/* "" or "A|B" to a mask, with the node's type as model 0 and every other as model 1. */
static uint64_t mask_of(const char *types, const char *own)
{
    char word[64];
    uint64_t mask = 0;
    while (*types) {
        const size_t n = strcspn(types, "|");
        (void)snprintf(word, sizeof word, "%.*s", (int)n, types);
        mask |= strcmp(word, own) == 0 ? 1u : 2u;
        types += n + (types[n] == '|');
    }
    return mask;
}

static void read_node(const json_t *node, struct gspl_node *n)
{
    const json_t *left = json_object_get(node, "gpu_milli_left");
    *n = (struct gspl_node){.cpus_milli = gs_case_int(node, "cpu_milli_left")};
    for (n->gpus = 0; n->gpus < json_array_size(left); n->gpus++)
        n->free[n->gpus] = (uint32_t)json_number_value(json_array_get(left, n->gpus));
}

static void frag_case(const json_t *in, const json_t *expect, double tolerance)
{
    static const char *const name[] = {"q1", "q2", "q3", "q4", "xl", "xr", "na"};
    static struct typical x;
    struct gspl_node n;
    double c[GSPL_FRAG_CLASSES];
    const json_t *node = json_object_get(in, "node"), *pods = json_object_get(in, "typical_pods");
    x = (struct typical){0};
    read_node(node, &n);
    for (size_t i = 0; i < json_array_size(pods); i++) {
        const json_t *p = json_array_get(pods, i);
        add(&x, gs_case_int(p, "cpu_milli"), (uint32_t)gs_case_int(p, "gpu_num"),
            (uint32_t)gs_case_int(p, "gpu_milli"),
            mask_of(gs_case_text(p, "gpu_type"), gs_case_text(node, "gpu_type")),
            gs_case_number(p, "percent") / 100);
    }
    ready(&x);
    GS_NEAR(gspl_frag_node(&x.f, &n, c), gs_case_number(expect, "frag_milli"), tolerance);
    for (int k = 0; k < GSPL_FRAG_CLASSES; k++)
        GS_NEAR(c[k], gs_case_number(json_object_get(expect, "by_class"), name[k]), tolerance);
}

static void worked_fragments(void)
{
    (void)gs_cases("fgd_node_frag", frag_case);
}

static void below_case(const json_t *in, const json_t *expect, double tolerance)
{
    struct gspl_node n;
    (void)tolerance;
    read_node(in, &n);
    GS_EQ_INT(gspl_below(&n, (uint32_t)gs_case_int(in, "request_milli")),
              gs_case_int(expect, "milli"));
}

static void worked_shares_below_the_request(void)
{
    (void)gs_cases("fgd_subrequest_milli", below_case);
}

/* Two nodes, three kinds of task, six arrivals: the whole policy on a cluster that fits on a page. */
static void run_case(const json_t *in, const json_t *expect, double tolerance)
{
    static struct typical x;
    static struct gspl_node node[16];
    const json_t *nodes = json_object_get(in, "nodes"), *pods = json_object_get(in, "typical_pods");
    const json_t *arrivals = json_object_get(in, "arrivals");
    x = (struct typical){0};
    memset(node, 0, sizeof node);
    for (size_t i = 0; i < json_array_size(pods); i++) {
        const json_t *p = json_array_get(pods, i);
        add(&x, gs_case_int(p, "cpu_milli"), (uint32_t)gs_case_int(p, "gpu_num"),
            (uint32_t)gs_case_int(p, "gpu_milli"), 0, 1.0 / (double)json_array_size(pods));
    }
    ready(&x);
    const size_t count = json_array_size(nodes); /* they stand in order of rank */
    for (size_t i = 0; i < count; i++) {
        node[i].cpus_milli = gs_case_int(json_array_get(nodes, i), "cpu_milli");
        for (; node[i].gpus < gs_case_int(json_array_get(nodes, i), "gpus"); node[i].gpus++)
            node[i].free[node[i].gpus] = GSPL_WHOLE;
    }
    int64_t used = 0;
    for (size_t a = 0; a < json_array_size(arrivals); a++) {
        const json_t *p = json_array_get(arrivals, a);
        const struct gspl_request r =
            request(gs_case_int(p, "cpu_milli"), (uint32_t)gs_case_int(p, "gpu_num"),
                    (uint32_t)gs_case_int(p, "gpu_milli"));
        size_t best = count;
        int64_t most = -1;
        double frag = 0;
        for (size_t i = 0; i < count; i++) {
            uint32_t pos;
            const int64_t s = gspl_fgd_place(&x.f, &node[i], &r, &pos);
            best = s > most ? i : best;
            most = s > most ? s : most;
        }
        CU_ASSERT_FATAL(best < count);
        CU_ASSERT(gspl_node_sub(&node[best], &r));
        used += gspl_gpu_asked(&r);
        for (size_t i = 0; i < count; i++)
            frag += gspl_frag_node(&x.f, &node[i], NULL);
        GS_EQ_STR(gs_case_text(json_array_get(nodes, best), "name"),
                  json_string_value(json_array_get(json_object_get(expect, "placed"), a)));
        GS_EQ_INT(used,
                  json_integer_value(json_array_get(json_object_get(expect, "used_gpu_milli"), a)));
        GS_NEAR(frag,
                json_number_value(json_array_get(json_object_get(expect, "frag_milli_after"), a)),
                tolerance);
    }
}

static void worked_run(void)
{
    (void)gs_cases("fgd_run", run_case);
}

static const struct gs_test tests[] = {
    {"seven classes by hand", seven_classes_by_hand},
    {"a full node has no fragment", a_full_node_has_no_fragment},
    {"no change scores 50", no_change_scores_50},
    {"a share takes the device that keeps others whole",
     a_share_takes_the_device_that_keeps_others_whole},
    {"fast equals the definition bit for bit", fast_equals_the_definition_bit_for_bit},
    {"worked fragments", worked_fragments},
    {"worked shares below the request", worked_shares_below_the_request},
    {"worked run", worked_run},
};
GS_TEST_MAIN("policies/fgd", tests)

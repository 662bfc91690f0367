/* test_training.c - operations, parameters, step time and memory of training runs: against shapes worked out by hand and published runs. */
#include "sim/base/sort.h"
#include "sim/training/published.h"
#include "sim/training/tables.h"
#include "tests/unit/harness.h"

#include <math.h>

struct facts {
    struct gs_catalog c;
    struct gs_measurements m;
    struct gs_published_runs p;
};

static void load(struct facts *f)
{
    struct gs_err err;
    f->c = (struct gs_catalog){0};
    CU_ASSERT_FATAL(gs_catalog_load(&f->c, NULL, &err) == GS_OK);
    gs_measurements_load(&f->m, &f->c);
    gs_published_load(&f->p, &f->c, &f->m);
}

static void release(struct facts *f)
{
    gs_published_release(&f->p);
    gs_measurements_release(&f->m);
    gs_catalog_release(&f->c);
}

static struct gs_lm model(struct facts *f, const char *name)
{
    const struct gs_llm *row = gs_catalog_model(&f->c, name);
    CU_ASSERT_FATAL(row != NULL);
    return gs_lm_of(row);
}

/* Parameters from shapes against those that were published, all models that publish any. */
static void parameters_follow_from_shapes(void)
{
    struct facts f;
    load(&f);
    for (size_t i = 0; i < f.c.nmodels; i++) {
        const struct gs_lm m = gs_lm_of(&f.c.models[i]);
        struct gs_lm once = m;
        once.mtp_layers = 0; /* published totals leave them out */
        const struct gs_lm_params p = gs_lm_params(&once, 2048);
        if (!isnan(m.params_e9))
            GS_NEAR(gs_lm_params_all(&p) / 1e9 / m.params_e9, 1, 0.02);
        if (!isnan(m.active_e9))
            GS_NEAR(p.active / 1e9 / m.active_e9, 1, 0.20); /* some leave out embeddings */
    }
    release(&f);
}

/* One layer, two heads: every term by hand. */
static void operations_by_hand(void)
{
    const struct gs_lm m = {.layers = 1,
                            .hidden = 4,
                            .q_heads = 2,
                            .kv_heads = 1,
                            .head_dim = 2,
                            .ffn = 8,
                            .vocab = 10,
                            .gated = 1};
    const struct gs_lm_flops f = gs_lm_forward(&m, 6, 1);
    GS_NEAR(f.linear, 2 * (4 * 4 + 2 * 4 * 2 + 4 * 4 + 3 * 4 * 8), 0);
    GS_NEAR(f.attention, 2 * 2 * (2 + 2) * 3, 0);
    GS_NEAR(f.logits, 2 * 4 * 10, 0);
    GS_NEAR(gs_lm_train_flops(&m, 6, GS_FLOPS_CAUSAL), 3 * (288 + 48 + 80), 0);
    GS_NEAR(gs_lm_train_flops(&m, 6, GS_FLOPS_FULL), 3 * (288 + 96 + 80), 0);
}

/* The bar: 1 % of what rate and throughput of a row come to. One row's own two figures do not go together, as its note says. */
static void operations_per_token_of_published_runs(void)
{
    struct facts f;
    unsigned both = 0, noted = 0;
    double worst = 0;
    load(&f);
    for (size_t i = 0; i < f.p.runs.n; i++) {
        const struct gs_published *r = &f.p.runs.v[i];
        if (isnan(r->stated_flops))
            continue;
        CU_ASSERT_FALSE(isnan(r->flops));
        both++;
        const double e = fabs(r->flops / r->stated_flops - 1);
        if (strstr(r->note, "do not go together"))
            noted++;
        else
            worst = e > worst ? e : worst;
    }
    printf(
        "  operations per token: %u runs state rate and throughput, worst error %.2f %%, %u left out\n",
        both, 100 * worst, noted);
    CU_ASSERT(both >= 231);
    GS_EQ_INT(noted, 1);
    CU_ASSERT(worst <= 0.01);
    release(&f);
}

/* The bar: median residual at most 15 %. All that were trained must also fit into memory. */
static void step_time_of_published_runs(void)
{
    struct facts f;
    uint32_t n = 0;
    load(&f);
    const double median = gs_published_median(&f.p, &n);
    printf("  step time: %u runs predicted, median residual %.1f %%\n", n, 100 * median);
    CU_ASSERT(n >= 230);
    CU_ASSERT(median <= 0.15);
    for (size_t i = 0; i < f.p.runs.n; i++) {
        const struct gs_published *r = &f.p.runs.v[i];
        if (r->lacks)
            continue;
        CU_ASSERT(r->fits);
        CU_ASSERT(fabs(r->residual) < 0.60);
        CU_ASSERT(r->step.compute_s > 0 && r->step.bubble_s >= 0 && r->step.exposed_s >= 0);
    }
    release(&f);
}

/* The default efficiency of each class is the median of what its runs need, and says of how many. */
static void default_efficiencies_are_medians(void)
{
    struct facts f;
    unsigned classes = 0;
    load(&f);
    for (int k = 0; k < GS_GEN_COUNT * GS_PREC_COUNT * 2; k++) {
        const int moe = k & 1, precision = k / 2 % GS_PREC_COUNT, gen = k / 2 / GS_PREC_COUNT;
        double need[400];
        size_t n = 0;
        for (size_t i = 0; i < f.p.runs.n && n < 400; i++) {
            const struct gs_published *r = &f.p.runs.v[i];
            if (r->lacks)
                continue;
            const struct gs_gpu_model *g = gs_catalog_gpu(&f.c, r->gpu);
            const int p =
                r->train.precision == GS_PREC_FP16 ? GS_PREC_BF16 : (int)r->train.precision;
            if ((int)gs_gpu_generation(g->arch) == gen && p == precision &&
                (r->train.lm.experts > 0) == moe)
                need[n++] = r->efficiency;
        }
        if (n == 0)
            continue;
        uint32_t rows;
        const double e = gs_train_efficiency((enum gs_gpu_generation)gen,
                                             (enum gs_precision)precision, moe, &rows);
        gs_sort_doubles(need, n);
        GS_EQ_INT(rows, n);
        GS_NEAR(e, (need[(n - 1) / 2] + need[n / 2]) / 2, 0.01);
        classes++;
    }
    GS_EQ_INT(classes, 6);
    release(&f);
}

static struct gs_train llama70(struct facts *f)
{
    return (struct gs_train){.lm = model(f, "Llama-3.1-70B"),
                             .batch = 512,
                             .sequence = 8192,
                             .tp = 8,
                             .pp = 4,
                             .cp = 1,
                             .dp = 16,
                             .ep = 1,
                             .zero = 1,
                             .recompute = GS_RECOMPUTE_SELECTIVE};
}

static void pace_is_one_on_the_tightest_placement(void)
{
    struct facts f;
    struct gs_err err;
    load(&f);
    const struct gs_train_gpu g =
        gs_train_gpu_of(&f.c, gs_catalog_gpu(&f.c, "H100-SXM5-80GB"), 8, 50, &f.m);
    struct gs_train t = llama70(&f);
    CU_ASSERT_FATAL(gs_train_complete(&t, &g, &err) == GS_OK);
    GS_EQ_INT(gs_train_gpus(&t), 512);
    struct gs_train_place place = gs_train_tightest(&t, &g);
    struct gs_train_pace p = gs_train_pace(&t, &g, &place);
    GS_EQ_INT(p.compute + p.communication, INT64_C(1) << 30);
    CU_ASSERT(p.communication > 0);
    int64_t before = p.communication;
    for (int i = 0; i < 6; i++) { /* a slower network only adds communication */
        place.inter_gbs /= 2;
        const struct gs_train_pace q = gs_train_pace(&t, &g, &place);
        GS_EQ_INT(q.compute, p.compute);
        CU_ASSERT(q.communication > before);
        before = q.communication;
    }
    place = gs_train_tightest(&t, &g);
    place.gpus_per_domain = 4; /* tensor ranks now talk over the network */
    const struct gs_train_pace spread = gs_train_pace(&t, &g, &place);
    CU_ASSERT(spread.communication > 2 * p.communication);
    release(&f);
}

/* Bytes that a GPU sends in a step, each kind alone, as the formulas of the field say. */
static void volumes_by_hand(void)
{
    struct facts f;
    struct gs_err err;
    struct gs_step step;
    load(&f);
    const struct gs_train_gpu g =
        gs_train_gpu_of(&f.c, gs_catalog_gpu(&f.c, "H100-SXM5-80GB"), 8, 50, &f.m);
    struct gs_train t =
        llama70(&f); /* tensor parallelism alone: 4 all-reduces a layer and microbatch */
    t.pp = t.dp = 1;
    t.batch = 4;
    t.microbatch = 2;
    t.recompute = GS_RECOMPUTE_NONE;
    CU_ASSERT_FATAL(gs_train_complete(&t, &g, &err) == GS_OK);
    struct gs_train_place place = gs_train_tightest(&t, &g);
    gs_train_step(&t, &g, &place, &step);
    GS_NEAR(step.intra_bytes, 4.0 * 80 * 2 * (2.0 * 7 / 8) * (2.0 * 8192 * 2 * 8192), 1);
    GS_NEAR(step.inter_bytes, 0, 0);
    GS_NEAR(step.bubble_s, 0, 0);
    GS_NEAR(step.exposed_s, step.tp_s, 1e-12);

    t.tp =
        1; /* data parallelism alone over 64 GPUs, 8 in a domain: gradients 4 bytes out, weights 2 back */
    t.dp = t.batch = 64;
    t.microbatch = 1;
    const struct gs_lm_params p = gs_lm_params(&t.lm, t.sequence);
    const double sent = 6 * gs_lm_params_all(&p) * 63 / 64;
    place = gs_train_tightest(&t, &g);
    gs_train_step(&t, &g, &place, &step);
    GS_NEAR(step.intra_bytes + step.inter_bytes, sent, 1e-9 * sent);
    GS_NEAR(step.inter_bytes, sent / 8, 1e-9 * sent);
    t.zero = 3; /* fully sharded: weights twice, gradients once, two bytes each */
    gs_train_step(&t, &g, &place, &step);
    GS_NEAR(step.intra_bytes + step.inter_bytes, sent, 1e-9 * sent);

    t = llama70(&f); /* pipeline: (p - 1) / (v m) of the stage's time */
    t.tp = t.dp = 1;
    t.batch = 16;
    t.microbatch = 1;
    t.interleave = 2;
    CU_ASSERT_FATAL(gs_train_complete(&t, &g, &err) == GS_OK);
    place = gs_train_tightest(&t, &g);
    gs_train_step(&t, &g, &place, &step);
    CU_ASSERT(step.bubble_s <= step.compute_s * 3 / (2 * 16));
    GS_NEAR(step.bubble_s / step.compute_s, 3.0 / (2 * 16), 0.01);
    GS_NEAR(step.intra_bytes, 2.0 * 2 * 16 * (2.0 * 8192 * 8192), 1);
    release(&f);
}

static void impossible_sizes_are_refused(void)
{
    struct facts f;
    struct gs_err err;
    load(&f);
    const struct gs_train_gpu g =
        gs_train_gpu_of(&f.c, gs_catalog_gpu(&f.c, "A100-SXM4-80GB"), 8, 25, NULL);

    static const struct {
        uint32_t batch, tp, pp, dp, ep, microbatch;
        enum gs_precision precision;
        const char *says;
    } bad[] = {{500, 8, 4, 16, 1, 0, GS_PREC_BF16, "does not divide among dp:16"},
               {512, 8, 4, 16, 1, 3, GS_PREC_BF16, "microbatch 3 does not divide"},
               {512, 128, 1, 1, 1, 0, GS_PREC_BF16, "64 attention heads"},
               {512, 8, 81, 1, 1, 0, GS_PREC_BF16, "80 layers"},
               {512, 8, 4, 16, 3, 0, GS_PREC_BF16, "ep:3 does not divide"},
               {512, 8, 4, 16, 4, 0, GS_PREC_BF16, "0 experts"},
               {512, 8, 4, 16, 1, 0, GS_PREC_FP8, "no fp8 rate"}};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct gs_train t = llama70(&f);
        t.batch = bad[i].batch;
        t.tp = bad[i].tp;
        t.pp = bad[i].pp;
        t.dp = bad[i].dp;
        t.ep = bad[i].ep;
        t.microbatch = bad[i].microbatch;
        t.precision = bad[i].precision;
        CU_ASSERT(gs_train_complete(&t, &g, &err) == GS_E_INPUT);
        GS_HAS(err.msg, bad[i].says);
    }
    release(&f);
}

/* 176e9 parameters of 18 bytes, and their checkpoint's 14, as published: weights and optimizer 2.3 to 2.5 TB. */
static void training_state_of_a_known_run(void)
{
    struct facts f;
    struct gs_memory mem;
    load(&f);
    struct gs_train t = {.lm = model(&f, "BLOOM-176B"),
                         .batch = 8,
                         .sequence = 2048,
                         .microbatch = 1,
                         .tp = 1,
                         .pp = 1,
                         .cp = 1,
                         .dp = 1,
                         .ep = 1};
    gs_memory_train(&t, 80, &mem, NULL);
    GS_NEAR((mem.weights + mem.optimizer) / 2.46e12, 1, 0.02);
    GS_NEAR((mem.weights + mem.gradients + mem.optimizer) / (18 * 176e9), 1, 0.02);
    CU_ASSERT_FALSE(mem.fits);
    release(&f);
}

static void memory_is_divided_as_it_should_be(void)
{
    struct facts f;
    struct gs_memory a, b;
    struct gs_buf text = {0};
    load(&f);
    struct gs_train t = llama70(&f);
    t.microbatch = 1;
    t.interleave = 1;
    gs_memory_train(&t, 80, &a, &text);
    GS_HAS(gs_buf_cstr(&text), "weights 2 B x 2.27B / 1 = 4.2 GiB + gradients 4 B");
    GS_HAS(gs_buf_cstr(&text), "<= 80 GiB");
    GS_NEAR(a.total, a.weights + a.gradients + a.optimizer + a.activations + a.logits, 1);
    t.zero = 3;
    gs_memory_train(&t, 80, &b, NULL);
    GS_NEAR(b.weights * 16, a.weights, 1);
    GS_NEAR(b.gradients * 16, a.gradients, 1);
    GS_NEAR(b.optimizer, a.optimizer, 1);
    GS_NEAR(b.activations, a.activations, 1);
    t.recompute = GS_RECOMPUTE_FULL;
    gs_memory_train(&t, 80, &b, NULL);
    CU_ASSERT(b.activations < a.activations / 3);
    gs_memory_train(&t, 1, &b, NULL);
    CU_ASSERT_FALSE(b.fits);
    gs_buf_free(&text);
    release(&f);
}

/* Llama 3.1 70B: 141 GB of weights, 320 KiB a token; on 8 GPUs 16.4 GiB each, as 2 bytes x 70.6e9 / 8. */
static void serving_memory(void)
{
    struct facts f;
    struct gs_memory mem;
    struct gs_buf text = {0};
    load(&f);
    const struct gs_lm lm = model(&f, "Llama-3.1-70B");
    struct gs_serving s = {&lm, 8, 1, 2, 2, 131072};
    gs_memory_serve(&s, 80, &mem, &text);
    GS_NEAR(mem.weights / 1073741824.0, 16.4, 0.1);
    GS_NEAR(mem.kv_cache, 327680.0 / 8 * 131072, 1);
    CU_ASSERT(mem.fits);
    GS_HAS(gs_buf_cstr(&text), "weights 2 B x 70.6B / 8 = 16.4 GiB + KV cache");
    s.tp = 1;
    gs_memory_serve(&s, 80, &mem, NULL);
    CU_ASSERT_FALSE(mem.fits);
    s.tp = 16; /* eight heads of keys: more ranks do not divide them further */
    gs_memory_serve(&s, 80, &mem, NULL);
    GS_NEAR(mem.kv_cache, 327680.0 / 8 * 131072, 1);
    gs_buf_free(&text);
    release(&f);
}

static void words_of_a_scenario(void)
{
    struct gs_train_degrees d;
    struct gs_err err;
    double steps, tokens;
    CU_ASSERT(gs_train_degrees_parse("tp:8, pp:4 dp:16", &d, &err) == GS_OK);
    CU_ASSERT(d.tp == 8 && d.pp == 4 && d.cp == 1 && d.dp == 16 && d.ep == 1);
    static const char *const bad[] = {"tp:0",
                                      "tp:8 tp:2",
                                      "xp:3",
                                      "tp:",
                                      "8",
                                      "tp:1048576 pp:2",
                                      "tp:99999999999999999999999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CU_ASSERT(gs_train_degrees_parse(bad[i], &d, &err) == GS_E_INPUT);
    CU_ASSERT(gs_train_work_parse("10000 steps", &steps, &tokens, &err) == GS_OK);
    GS_NEAR(steps, 10000, 0);
    CU_ASSERT(gs_train_work_parse("15e9 tokens", &steps, &tokens, &err) == GS_OK);
    CU_ASSERT(steps == 0 && tokens == 15e9);
    static const char *const none[] = {"10000",   "-1 steps",     "0 steps",
                                       "9 lives", "1 steps more", "nan steps"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        CU_ASSERT(gs_train_work_parse(none[i], &steps, &tokens, &err) == GS_E_INPUT);
}

static const struct gs_test tests[] = {
    {"parameters", parameters_follow_from_shapes},
    {"operations by hand", operations_by_hand},
    {"operations per token", operations_per_token_of_published_runs},
    {"step time", step_time_of_published_runs},
    {"efficiencies", default_efficiencies_are_medians},
    {"pace", pace_is_one_on_the_tightest_placement},
    {"volumes", volumes_by_hand},
    {"refused", impossible_sizes_are_refused},
    {"training state", training_state_of_a_known_run},
    {"memory", memory_is_divided_as_it_should_be},
    {"serving", serving_memory},
    {"words", words_of_a_scenario},
};
GS_TEST_MAIN("training", tests)

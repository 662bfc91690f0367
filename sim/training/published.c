/* published.c - one prediction a row of mfu.csv (published.h). */
#include "sim/training/published.h"

#include "sim/base/sort.h"
#include "sim/training/tables.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

static enum gs_flops_convention convention(const char *word)
{
    for (int i = 0; i < GS_FLOPS_COUNT; i++)
        if (strcmp(gs_flops_convention_str((enum gs_flops_convention)i), word) == 0)
            return (enum gs_flops_convention)i;
    return GS_FLOPS_CAUSAL;
}

static enum gs_precision precision(const char *word)
{
    if (strstr(word, "fp4"))
        return GS_PREC_FP4;
    if (strstr(word, "fp8"))
        return GS_PREC_FP8;
    return strstr(word, "fp16") ? GS_PREC_FP16 : GS_PREC_BF16;
}

static int counts_recomputation(const struct gs_training_run *r)
{
    return strstr(r->note, "counts recomputation") != NULL;
}

/* Tokens a second of a GPU as stated, else from its TFLOP/s by the row's own counting. */
static double throughput(const struct gs_training_run *r, double flops)
{
    if (!isnan(r->tokens_per_s))
        return r->tokens_per_s;
    return r->tflops * 1e12 / (flops * (counts_recomputation(r) ? 4.0 / 3 : 1));
}

static const char *lacking(const struct gs_training_run *r, const struct gs_published *p,
                           const struct gs_catalog *c)
{
    const struct {
        const char *name;
        int32_t is;
    } sizes[] = {{"gpus", r->gpus}, {"tp", r->tp},           {"pp", r->pp},
                 {"cp", r->cp},     {"seq_len", r->seq_len}, {"batch", r->batch}};

    if (!gs_catalog_gpu(c, r->gpu))
        return "a GPU of the catalog";
    if (!*r->lm)
        return "the shape of its model";
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].is <= 0)
            return sizes[i].name;
    return isnan(p->tokens_s) ? "throughput" : NULL;
}

static struct gs_train spec(const struct gs_training_run *r, const struct gs_lm *lm)
{
    struct gs_train t = {.lm = *lm,
                         .batch = (uint32_t)r->batch,
                         .sequence = (uint32_t)r->seq_len,
                         .tp = (uint32_t)r->tp,
                         .pp = (uint32_t)r->pp,
                         .cp = (uint32_t)r->cp,
                         .ep = r->ep > 0 ? (uint32_t)r->ep : 1,
                         .zero = r->zero > 0 ? (uint32_t)r->zero : 0,
                         .precision = precision(r->precision),
                         .recompute = GS_RECOMPUTE_SELECTIVE};
    t.dp = (uint32_t)r->gpus / (t.tp * t.pp * t.cp);
    if (r->hfu_pct > 1.2 * r->mfu_pct || counts_recomputation(r))
        t.recompute = GS_RECOMPUTE_FULL;
    return t;
}

/* The efficiency at which the model would meet the measured step: all but the products' time is what it is. */
static double needed_efficiency(const struct gs_published *p, const struct gs_train_gpu *g,
                                double measured_s)
{
    struct gs_train t = p->train;
    const struct gs_train_place place = gs_train_tightest(&t, g);
    double lo = 0.01, hi = 2;
    for (int i = 0; i < 50; i++) {
        struct gs_step step;
        t.efficiency = (lo + hi) / 2;
        gs_train_step(&t, g, &place, &step);
        if (step.step_s > measured_s)
            lo = t.efficiency;
        else
            hi = t.efficiency;
    }
    return (lo + hi) / 2;
}

static void predict(struct gs_published *p, const struct gs_catalog *c,
                    const struct gs_measurements *m)
{
    struct gs_err err = {0};
    const struct gs_train_gpu g = gs_train_gpu_of(c, gs_catalog_gpu(c, p->gpu), 0, 0, m);
    if (gs_train_complete(&p->train, &g, &err) != GS_OK) {
        p->lacks = "sizes that go together";
        return;
    }
    const struct gs_train *t = &p->train;
    const struct gs_train_place place = gs_train_tightest(t, &g);
    struct gs_memory memory;
    gs_train_step(t, &g, &place, &p->step);
    gs_memory_train(t, g.mem_gib, &memory, NULL);
    const double measured =
        (double)t->batch * t->sequence / (p->tokens_s * (double)gs_train_gpus(t));
    p->residual = p->step.step_s / measured - 1;
    p->efficiency = needed_efficiency(p, &g, measured);
    p->fits = memory.fits;
}

static void load_row(struct gs_published_runs *out, const struct gs_training_run *r,
                     const struct gs_catalog *c, const struct gs_measurements *m)
{
    struct gs_published p = {.run = r->run,
                             .model = r->model,
                             .gpu = r->gpu,
                             .note = r->note,
                             .year = r->year > 0 ? (uint32_t)r->year : 0,
                             .gpus = r->gpus > 0 ? (uint32_t)r->gpus : 0,
                             .counting = convention(r->counting),
                             .stated_flops = r->tflops * 1e12 / r->tokens_per_s,
                             .flops = (double)NAN,
                             .residual = (double)NAN,
                             .efficiency = (double)NAN};
    const struct gs_llm *row = *r->lm ? gs_catalog_model(c, r->lm) : NULL;
    const struct gs_lm lm = row ? gs_lm_of(row) : (struct gs_lm){0};
    if (row && r->seq_len > 0)
        p.flops = gs_lm_train_flops(&lm, (uint32_t)r->seq_len, p.counting);
    p.tokens_s = throughput(r, p.flops);
    p.lacks = lacking(r, &p, c);
    if (!p.lacks) {
        p.train = spec(r, &lm);
        predict(&p, c, m);
    }
    gs_vec_push(&out->runs, p);
}

void gs_published_load(struct gs_published_runs *p, struct gs_catalog *c,
                       const struct gs_measurements *m)
{
    *p = (struct gs_published_runs){0};
    gs_catalog_need(c, GS_CATALOG_MFU);
    gs_catalog_need(c, GS_CATALOG_MODELS);
    for (size_t i = 0; i < c->nmfu; i++)
        load_row(p, &c->mfu[i], c, m);
}

void gs_published_release(struct gs_published_runs *p)
{
    gs_vec_free(&p->runs);
    *p = (struct gs_published_runs){0};
}

double gs_published_median(const struct gs_published_runs *p, uint32_t *n)
{
    GS_VEC(double) errors = {0};
    for (size_t i = 0; i < p->runs.n; i++)
        if (!p->runs.v[i].lacks)
            gs_vec_push(&errors, fabs(p->runs.v[i].residual));
    *n = (uint32_t)errors.n;
    gs_sort_doubles(errors.v, errors.n);
    const double median =
        errors.n ? (errors.v[(errors.n - 1) / 2] + errors.v[errors.n / 2]) / 2 : (double)NAN;
    gs_vec_free(&errors);
    return median;
}

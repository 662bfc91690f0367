/* train.c - the step's time, as train.h says. Each kind of communication is one function that returns its volume and time. */
#include "sim/training/train.h"

#include "sim/base/fmath.h"

#include <math.h>

#include "sim/base/banned.h"

#define TRIAD_SHARE \
    0.83 /* achievable memory bandwidth: STREAM triad on A100 0.83, H100 0.89, H200 0.86 */
#define OPTIMIZER_BYTES \
    30.0                  /* read gradient, weight, two moments; write weight twice, two moments */
#define CHUNKS         4u /* interleave where nothing is said: published recipes use 4 to 8 */
#define MICROBATCH_MAX 32u
#define ASSUMED        0.40
/* Chosen once for all, on the 216 published runs of the MPT family, where they leave a median error of 4 %; so that error, and
 * efficiencies, are of the runs that they were taken from (gsim catalog steps). */
#define ATTENTION_SHARE 0.40 /* of the 16-bit rate of other products */
#define AGAIN           0.50 /* of a forward pass, that full recomputation adds */
#define CASTS           4.0  /* more in eight or four bits: read, and written twice, both ways */
#define PASSES \
    5.0 /* over what a layer keeps: written and read forward, read backward, its gradient written and read */

const char *gs_precision_str(enum gs_precision p)
{
    static const char *const names[] = {
#define X(U, l) #l,
        GS_PRECISIONS(X)
#undef X
    };
    return p < GS_PREC_COUNT ? names[p] : "?";
}

/* Median over the published runs of sim/hardware/mfu.csv of what the model needs to meet the measured step; a test keeps them so. */
static const struct {
    enum gs_gpu_generation generation;
    enum gs_precision precision;
    int moe;
    uint32_t rows;
    double efficiency;
} efficiencies[] = {
    {GS_GEN_AMPERE, GS_PREC_BF16, 0, 141, 0.65}, {GS_GEN_HOPPER, GS_PREC_BF16, 0, 73, 0.49},
    {GS_GEN_HOPPER, GS_PREC_FP8, 0, 12, 0.51},   {GS_GEN_BLACKWELL, GS_PREC_FP8, 0, 3, 0.65},
    {GS_GEN_BLACKWELL, GS_PREC_FP4, 0, 2, 0.55}, {GS_GEN_BLACKWELL, GS_PREC_FP8, 1, 5, 0.69},
};

double gs_train_efficiency(enum gs_gpu_generation g, enum gs_precision p, int moe, uint32_t *rows)
{
    if (p == GS_PREC_FP16)
        p = GS_PREC_BF16;
    for (size_t i = 0; i < sizeof efficiencies / sizeof *efficiencies; i++) {
        if (efficiencies[i].generation != g || efficiencies[i].precision != p ||
            efficiencies[i].moe != moe)
            continue;
        if (rows)
            *rows = efficiencies[i].rows;
        return efficiencies[i].efficiency;
    }
    if (rows)
        *rows = 0;
    return ASSUMED;
}

uint32_t gs_train_gpus(const struct gs_train *t)
{
    return t->tp * t->pp * t->cp * t->dp;
}

/* ---- defaults ---- */

/* Without pipeline stages as many sequences as fit, a divisor of what a rank gets; with them one, for the smallest bubble. */
static uint32_t default_microbatch(const struct gs_train *t, double mem_gib)
{
    const uint32_t mine = t->batch / t->dp;
    struct gs_train try = *t;
    uint32_t best = 1;
    for (uint32_t m = 2; t->pp == 1 && m <= mine && m <= MICROBATCH_MAX; m++) {
        struct gs_memory memory;
        try.microbatch = m;
        if (mine % m)
            continue;
        gs_memory_train(&try, mem_gib, &memory, NULL);
        if (memory.fits)
            best = m;
    }
    return best;
}

static enum gs_rc check_sizes(const struct gs_train *t, struct gs_err *err)
{
    if (t->batch % t->dp)
        return gs_fail(err, GS_E_INPUT, "a batch of %u sequences does not divide among dp:%u",
                       t->batch, t->dp);
    if (t->microbatch && t->batch / t->dp % t->microbatch)
        return gs_fail(err, GS_E_INPUT,
                       "microbatch %u does not divide the %u sequences of a data-parallel rank",
                       t->microbatch, t->batch / t->dp);
    if ((uint64_t)t->dp * t->cp % t->ep)
        return gs_fail(err, GS_E_INPUT, "ep:%u does not divide dp x cp = %u", t->ep, t->dp * t->cp);
    if (t->ep > 1 && t->ep > t->lm.experts)
        return gs_fail(err, GS_E_INPUT, "ep:%u, but %s has %u experts", t->ep, t->lm.name,
                       t->lm.experts);
    if (t->tp > t->lm.q_heads)
        return gs_fail(err, GS_E_INPUT, "tp:%u, but %s has %u attention heads", t->tp, t->lm.name,
                       t->lm.q_heads);
    if ((uint64_t)t->pp * (t->interleave ? t->interleave : 1) > t->lm.layers)
        return gs_fail(err, GS_E_INPUT, "pp:%u x interleave %u, but %s has %u layers", t->pp,
                       t->interleave ? t->interleave : 1, t->lm.name, t->lm.layers);
    if (t->cp > t->sequence)
        return gs_fail(err, GS_E_INPUT, "cp:%u is more than the sequence's %u tokens", t->cp,
                       t->sequence);
    return GS_OK;
}

enum gs_rc gs_train_complete(struct gs_train *t, const struct gs_train_gpu *g, struct gs_err *err)
{
    const struct gs_lm *m = &t->lm;
    if (!m->layers || !m->hidden || !m->q_heads || !m->kv_heads || !m->head_dim || !m->vocab ||
        !(m->ffn || m->moe_ffn) || (m->experts && !(m->topk && m->moe_ffn)))
        return gs_fail(err, GS_E_INPUT, "the catalog does not know the whole shape of %s", m->name);
    const enum gs_rc rc = check_sizes(t, err);
    if (rc != GS_OK)
        return rc;
    if (isnan(g->tflops[t->precision]))
        return gs_fail(err, GS_E_INPUT,
                       "the catalog knows no %s rate of %s (try another precision)",
                       gs_precision_str(t->precision), g->name);
    if (t->efficiency <= 0)
        t->efficiency = gs_train_efficiency(g->generation, t->precision, t->lm.experts > 0, NULL);
    if (t->interleave == 0) {
        const uint32_t most = t->lm.layers / t->pp;
        t->interleave = t->pp == 1 ? 1 : most < CHUNKS ? most : CHUNKS;
    }
    if (t->microbatch == 0)
        t->microbatch = default_microbatch(t, g->mem_gib);
    return GS_OK;
}

/* ---- communication ---- */

/* What a step's communication of one kind comes to. */
struct traffic {
    double s, intra, inter; /* seconds; bytes that a GPU sends */
    int crosses;
};

struct site {
    const struct gs_train *t;
    const struct gs_train_gpu *g;
    const struct gs_train_place *p;
    double tokens;       /* of a microbatch on a rank */
    double microbatches; /* of a step */
    double layers;       /* of a stage */
};

/* The fabric of a communicator of n ranks that lie `stride` apart. */
static struct gs_fabric fabric(const struct site *c, uint32_t n, uint64_t stride)
{
    const uint64_t domain = c->p->gpus_per_domain;
    struct gs_fabric f = {.intra_gbs = c->g->intra_gbs,
                          .inter_gbs = c->p->inter_gbs,
                          .generation = c->g->generation,
                          .nvlink = c->g->nvlink,
                          .nvls = c->g->nvls,
                          .sharp = c->g->sharp};
    gs_require(stride > 0);
    const uint64_t inside = stride < domain ? domain / stride : 1;
    f.ranks = inside < n ? (uint32_t)inside : n;
    f.domains = (n + f.ranks - 1) / f.ranks;
    if (f.domains == 1 && f.ranks == c->g->measured_ranks)
        f.measured = c->g->measured;
    return f;
}

static void add(struct traffic *sum, const struct gs_fabric *f, enum gs_collective op, double bytes,
                double times)
{
    const uint32_t n = f->domains * f->ranks;
    const double sent = times * bytes * gs_collective_factor(op, n);
    const double leave = f->domains == 1            ? 0
                         : op == GS_COLL_ALL_TO_ALL ? (double)(n - f->ranks) / (double)(n - 1)
                                                    : 1 / (double)f->ranks;
    sum->s += times * gs_collective_s(f, op, GS_ALGO_BEST, bytes);
    sum->inter += sent * leave;
    sum->intra += sent * (1 - leave);
    sum->crosses |= f->domains > 1;
}

static struct traffic tensor(const struct site *c)
{
    struct traffic sum = {0};
    const struct gs_fabric f = fabric(c, c->t->tp, 1);
    const double a_layer = c->t->recompute == GS_RECOMPUTE_FULL ? 6 : 4;
    if (c->t->tp > 1)
        add(&sum, &f, GS_COLL_ALL_REDUCE, 2 * c->tokens * c->t->lm.hidden,
            a_layer * c->layers * c->microbatches);
    return sum;
}

static struct traffic experts(const struct site *c)
{
    struct traffic sum = {0};
    const struct gs_lm *m = &c->t->lm;
    const struct gs_fabric f = fabric(c, c->t->ep, c->t->tp);
    const double share = (double)(m->layers - m->dense_layers) / m->layers;
    if (c->t->ep > 1)
        add(&sum, &f, GS_COLL_ALL_TO_ALL, 2 * c->tokens * m->topk * m->hidden / c->t->tp,
            4 * share * c->layers * c->microbatches);
    return sum;
}

/* Keys and values go round the ring, with their gradients once more and twice as much. */
static struct traffic context(const struct site *c)
{
    struct traffic sum = {0};
    const struct gs_lm *m = &c->t->lm;
    const struct gs_fabric f = fabric(c, c->t->cp, c->t->tp);
    const double width =
        m->kv_lora ? (double)m->q_heads * m->head_dim : (double)m->kv_heads * m->head_dim;
    if (c->t->cp > 1)
        add(&sum, &f, GS_COLL_P2P, 2 * 2 * c->tokens * width / c->t->tp,
            3 * (double)(c->t->cp - 1) * c->layers * c->microbatches);
    return sum;
}

static struct traffic pipeline(const struct site *c, double *fill_s)
{
    struct traffic sum = {0};
    const uint64_t stride = (uint64_t)c->t->tp * c->t->cp * c->t->dp;
    const struct gs_fabric f = {.domains = stride * 2 > c->p->gpus_per_domain ? 2 : 1,
                                .ranks = stride * 2 > c->p->gpus_per_domain ? 1 : 2,
                                .intra_gbs = c->g->intra_gbs,
                                .inter_gbs = c->p->inter_gbs,
                                .generation = c->g->generation,
                                .nvlink = c->g->nvlink};
    *fill_s = 0;
    if (c->t->pp == 1)
        return sum;
    const double bytes = 2 * c->tokens * c->t->lm.hidden / c->t->tp;
    *fill_s = 2 * (double)(c->t->pp - 1) * gs_collective_s(&f, GS_COLL_P2P, GS_ALGO_BEST, bytes);
    add(&sum, &f, GS_COLL_P2P, bytes, 2 * c->t->interleave * c->microbatches);
    return sum;
}

/* Gradients of n parameters over d ranks, and what sharding adds. */
static void reduce(struct traffic *sum, const struct site *c, const struct gs_fabric *f, double n)
{
    if (f->domains * f->ranks == 1)
        return;
    if (c->t->zero == 0) {
        add(sum, f, GS_COLL_ALL_REDUCE, 4 * n, 1);
    } else if (c->t->zero < 3) {
        add(sum, f, GS_COLL_REDUCE_SCATTER, 4 * n, 1);
        add(sum, f, GS_COLL_ALL_GATHER, 2 * n, 1);
    } else {
        add(sum, f, GS_COLL_ALL_GATHER, 2 * n, 2 * c->microbatches);
        add(sum, f, GS_COLL_REDUCE_SCATTER, 2 * n, c->microbatches);
    }
}

static struct traffic data(const struct site *c)
{
    struct traffic sum = {0};
    const struct gs_train *t = c->t;
    const struct gs_lm_params p = gs_lm_params(&t->lm, t->sequence);
    const uint32_t n = t->dp * t->cp;
    gs_require(t->ep > 0);
    const struct gs_fabric f = fabric(c, n, t->tp);
    const struct gs_fabric fe = fabric(c, n / t->ep, (uint64_t)t->tp * t->ep);
    reduce(&sum, c, &f, (p.dense + p.embedding) / ((double)t->tp * t->pp));
    if (p.experts > 0)
        reduce(&sum, c, &fe, p.experts / ((double)t->tp * t->pp * t->ep));
    return sum;
}

/* ---- the step ---- */

static double beyond(double s, double hidden)
{
    return s > hidden ? s - hidden : 0;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

static void put(struct gs_step *out, const struct traffic *x, double exposed)
{
    out->exposed_s += exposed;
    out->inter_exposed_s += x->crosses ? exposed : 0;
    out->intra_bytes += x->intra;
    out->inter_bytes += x->inter;
}

/* What the step computes: operations that count, seconds of its products, and seconds of attention's among them. */
struct work {
    double flops, products_s, attention_s;
};

static struct work products(const struct gs_train *t, const struct gs_train_gpu *g)
{
    const struct gs_lm_flops f = gs_lm_forward(&t->lm, t->sequence, 1);
    const double tokens = (double)t->batch * t->sequence;
    const double share = (double)gs_train_gpus(t) * 1e12 * t->efficiency;
    const double sixteen =
        isnan(g->tflops[GS_PREC_BF16]) ? g->tflops[GS_PREC_FP16] : g->tflops[GS_PREC_BF16];
    const double rate = share * g->tflops[t->precision], rate16 = share * sixteen;
    const double passes = 3 + (t->recompute == GS_RECOMPUTE_FULL ? AGAIN : 0);
    struct work w;
    w.flops = 3 * (f.linear + f.attention + f.logits) * tokens;
    w.attention_s = passes * f.attention * tokens / (rate16 * ATTENTION_SHARE);
    w.products_s =
        passes * f.linear * tokens / rate + 3 * f.logits * tokens / rate16 + w.attention_s;
    return w;
}

/* Traffic of activations and logits through the memory of one GPU. */
static double traffic_s(const struct gs_train *t, const struct gs_train_gpu *g)
{
    const double tokens = (double)t->batch * t->sequence / (double)gs_train_gpus(t);
    const int casts = t->precision == GS_PREC_FP8 || t->precision == GS_PREC_FP4;
    const double passes =
        PASSES + (casts ? CASTS : 0) + (t->recompute == GS_RECOMPUTE_FULL ? 2 * AGAIN : 0);
    const double layer = gs_lm_activation_bytes(&t->lm, GS_RECOMPUTE_NONE) * passes;
    const double logits = 6 * (double)t->lm.vocab * (1 + t->lm.mtp_layers) * 3;
    return isnan(g->mem_gbs)
               ? 0
               : tokens * (layer * t->lm.layers + logits) / (g->mem_gbs * TRIAD_SHARE * 1e9);
}

static double optimizer_s(const struct gs_train *t, const struct gs_train_gpu *g)
{
    const struct gs_lm_params p = gs_lm_params(&t->lm, t->sequence);
    double n = (p.dense + p.embedding) / ((double)t->tp * t->pp) +
               p.experts / ((double)t->tp * t->pp * t->ep);
    if (t->zero)
        n = (p.dense + p.embedding + p.experts) / (double)gs_train_gpus(t);
    return isnan(g->mem_gbs) ? 0 : OPTIMIZER_BYTES * n / (g->mem_gbs * TRIAD_SHARE * 1e9);
}

void gs_train_step(const struct gs_train *t, const struct gs_train_gpu *g,
                   const struct gs_train_place *p, struct gs_step *out)
{
    const double m = (double)t->batch / ((double)t->dp * t->microbatch);
    const struct site c = {.t = t,
                           .g = g,
                           .p = p,
                           .tokens = (double)t->microbatch * t->sequence / t->cp,
                           .microbatches = m,
                           .layers = (double)t->lm.layers / t->pp};
    double fill;
    *out = (struct gs_step){.microbatches = (uint32_t)m,
                            .microbatch = t->microbatch,
                            .interleave = t->interleave,
                            .efficiency = t->efficiency};
    const struct work w = products(t, g);
    const double busy = w.products_s + traffic_s(t, g);
    const struct traffic tp = tensor(&c), ep = experts(&c), cp = context(&c), dp = data(&c),
                         pp = pipeline(&c, &fill);
    const double inline_s = tp.s + ep.s + beyond(cp.s, w.attention_s);
    const double hides = t->zero < 3 ? busy * 2 / 3 / m : busy;
    put(out, &tp, tp.s);
    put(out, &ep, ep.s);
    put(out, &cp, beyond(cp.s, w.attention_s));
    put(out, &dp, greater(beyond(dp.s, hides), dp.s / c.layers));
    put(out, &pp, fill);
    out->tp_s = tp.s;
    out->ep_s = ep.s;
    out->cp_s = cp.s;
    out->dp_s = dp.s;
    out->pp_s = pp.s;
    out->flops = w.flops;
    out->compute_s = busy + optimizer_s(t, g);
    out->bubble_s = (busy + inline_s) * (double)(t->pp - 1) / ((double)t->interleave * m);
    out->step_s = out->compute_s + out->bubble_s + out->exposed_s;
}

struct gs_train_place gs_train_tightest(const struct gs_train *t, const struct gs_train_gpu *g)
{
    const uint32_t n = gs_train_gpus(t);
    return (struct gs_train_place){.gpus_per_domain = n < g->domain ? n : g->domain,
                                   .inter_gbs = g->inter_gbs};
}

struct gs_train_pace gs_train_pace(const struct gs_train *t, const struct gs_train_gpu *g,
                                   const struct gs_train_place *p)
{
    const struct gs_train_place tight = gs_train_tightest(t, g);
    struct gs_step reference, here;
    gs_train_step(t, g, &tight, &reference);
    gs_train_step(t, g, p, &here);
    const double one = 1073741824.0, unit = one / reference.step_s;
    const int64_t compute = (int64_t)gs_rint_even((here.compute_s + here.bubble_s) * unit);
    const int64_t sum = (int64_t)gs_rint_even(here.step_s * unit);
    return (struct gs_train_pace){compute, sum - compute};
}

/* memory.c - does it fit: bytes that one GPU holds, and the sum written out.
 *
 * Training state of mixed-precision Adam: weights 2 bytes a parameter, gradients 4, optimizer 12 (a copy of the weights and two moments,
 * all of four bytes); ZeRO (Rajbhandari et al., 2020) divides optimizer (1), gradients (2) and weights (3) by the data-parallel
 * ranks. Activations by layer and token (lm.h), divided by tensor ranks (sequence parallelism), times the microbatches in flight on the
 * first stage, a part more of them when interleaved (Narayanan et al., 2021). Not counted: the context of CUDA, communication
 * buffers, fragmentation. So "fits" is optimistic, and "does not fit" is sure as far as the shapes are. */
#include "sim/training/train.h"

#include <stdarg.h>
#include <stdio.h>

#include "sim/base/banned.h"

#define GIB 1073741824.0

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* Parameters of one GPU: of the matrices that every rank of a data-parallel group has, and of its experts. */
static void local_params(const struct gs_train *t, double *common, double *experts)
{
    const struct gs_lm_params p = gs_lm_params(&t->lm, t->sequence);
    const double cut = (double)t->tp * t->pp;
    *experts = p.experts / (cut * t->ep);
    *common = p.dense / cut + p.embedding / ((double)t->tp * (t->pp > 1 && !t->lm.tied ? 2 : 1));
}

static void show(struct gs_buf *b, const char *name, double bytes, const char *fmt, ...)
    GS_PRINTF(4, 5);

/* "name (how) = x GiB" */
static void show(struct gs_buf *b, const char *name, double bytes, const char *fmt, ...)
{
    char how[160];
    va_list ap;
    if (!b || bytes <= 0)
        return;
    va_start(ap, fmt);
    (void)vsnprintf(how, sizeof how, fmt, ap);
    va_end(ap);
    gs_buf_fmt(b, "%s%s %s = %.1f GiB", b->n && b->s[b->n - 1] != ' ' ? " + " : "", name, how,
               bytes / GIB);
}

static void finish(struct gs_memory *m, double capacity_gib, struct gs_buf *b)
{
    m->total = m->weights + m->gradients + m->optimizer + m->activations + m->logits + m->kv_cache;
    m->capacity = capacity_gib * GIB;
    m->fits = m->capacity <= 0 || m->total <= m->capacity; /* 0 = not known */
    if (b && m->capacity <= 0)
        gs_buf_fmt(b, "; in all %.1f GiB, and the memory of the GPU is not known", m->total / GIB);
    else if (b)
        gs_buf_fmt(b, "; in all %.1f GiB %s %g GiB", m->total / GIB, m->fits ? "<=" : ">",
                   capacity_gib);
}

/* Microbatches whose activations the first stage holds at once; fractions of one for part of its chunks. */
static double in_flight(const struct gs_train *t)
{
    const double p = t->pp, v = t->interleave ? t->interleave : 1;
    const double m = (double)t->batch / ((double)t->dp * t->microbatch);
    const double most = v > 1 ? p + (p - 1) / v : p;
    return least(most, m);
}

void gs_memory_train(const struct gs_train *t, double capacity_gib, struct gs_memory *out,
                     struct gs_buf *b)
{
    double common, experts;
    local_params(t, &common, &experts);
    const double all = common + experts, ranks = (double)t->dp * t->cp;
    /* what data-parallel ranks share is divided among those that have it: fewer have a given expert */
    const double shard = (common / ranks + experts * t->ep / ranks) / all;
    const double tokens = (double)t->microbatch * t->sequence / t->cp;
    const double flight = in_flight(t), layers = (double)t->lm.layers / t->pp;
    const double kept = gs_lm_activation_bytes(&t->lm, t->recompute) / t->tp;
    *out = (struct gs_memory){0};
    out->weights = 2 * all * (t->zero >= 3 ? shard : 1);
    out->gradients = 4 * all * (t->zero >= 2 ? shard : 1);
    out->optimizer = 12 * all * (t->zero >= 1 ? shard : 1);
    out->activations = tokens * kept * layers * flight;
    if (t->recompute == GS_RECOMPUTE_FULL)
        out->activations += tokens * gs_lm_activation_bytes(&t->lm, GS_RECOMPUTE_NONE) / t->tp;
    /* of one sequence at a time where it would be more: heads cut the loss into parts */
    out->logits = t->pp > 1 ? 0 : 6 * (double)t->sequence / t->cp * t->lm.vocab / t->tp;
    show(b, "weights", out->weights, "2 B x %.3gB / %.4g", all / 1e9, 2 * all / out->weights);
    show(b, "gradients", out->gradients, "4 B x %.3gB / %.4g", all / 1e9, 4 * all / out->gradients);
    show(b, "optimizer", out->optimizer, "12 B x %.3gB / %.4g", all / 1e9,
         12 * all / out->optimizer);
    show(b, "activations", out->activations, "%.3g kB x %g tokens x %.3g layers x %.3g in flight",
         kept / 1e3, tokens, layers, flight);
    show(b, "logits", out->logits, "6 B x %u x %u tokens", t->lm.vocab / t->tp,
         t->sequence / t->cp);
    finish(out, capacity_gib, b);
}

void gs_memory_serve(const struct gs_serving *s, double capacity_gib, struct gs_memory *out,
                     struct gs_buf *b)
{
    const struct gs_lm_params p = gs_lm_params(s->lm, 0);
    const double cut = (double)s->tp * s->pp, all = gs_lm_params_all(&p);
    /* heads are not cut below one: more ranks than heads hold the same ones */
    const double heads = s->lm->kv_lora ? 1 : s->lm->kv_heads;
    const double kv =
        s->lm->kv_bytes_per_token / 2 * s->kv_bytes / ((double)s->pp * least((double)s->tp, heads));
    *out = (struct gs_memory){0};
    out->weights = s->weight_bytes * all / cut;
    out->kv_cache = s->lm->kv_bytes_per_token > 0 ? kv * s->tokens : 0;
    show(b, "weights", out->weights, "%g B x %.3gB / %g", s->weight_bytes, all / 1e9, cut);
    show(b, "KV cache", out->kv_cache, "%.4g B x %.6g tokens", kv, s->tokens);
    finish(out, capacity_gib, b);
}

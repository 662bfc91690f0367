/* lm.c - sums over the shapes of a model (lm.h). Order of addition is fixed, so figures are equal everywhere. */
#include "sim/training/lm.h"

#include "sim/base/attr.h"

#include "sim/base/banned.h"

const char *gs_flops_convention_str(enum gs_flops_convention c)
{
    static const char *const names[] = {
#define X(U, l) #l,
        GS_FLOPS_CONVENTIONS(X)
#undef X
    };
    return c < GS_FLOPS_COUNT ? names[c] : "?";
}

/* Weights of attention's matrices, one layer. With latent attention head_dim is that of values and of the part of keys without position. */
static double attention_weights(const struct gs_lm *m)
{
    const double h = m->hidden, q = (double)m->q_heads * m->head_dim;
    if (m->kv_lora == 0)
        return h * q + 2 * h * m->kv_heads * m->head_dim + q * h;
    const double heads = m->q_heads, qk = (double)m->head_dim + m->rope_dim;
    const double query = m->q_lora ? h * m->q_lora + m->q_lora * heads * qk : h * heads * qk;
    return query + h * ((double)m->kv_lora + m->rope_dim) + m->kv_lora * heads * 2 * m->head_dim +
           heads * m->head_dim * h;
}

static double mlp_weights(const struct gs_lm *m, double width)
{
    return (m->gated ? 3 : 2) * (double)m->hidden * width;
}

static double moe_layers(const struct gs_lm *m)
{
    return m->experts ? (double)m->layers - m->dense_layers : 0;
}

/* What every token meets outside of the experts: of all layers, those that predict further tokens among them. */
static double every_token_weights(const struct gs_lm *m)
{
    const double h = m->hidden, moe = moe_layers(m), dense = (double)m->layers - moe;
    const double router = h * m->experts,
                 shared = mlp_weights(m, (double)m->moe_ffn) * m->shared_experts;
    double sum = (double)m->layers * attention_weights(m);
    sum += dense * mlp_weights(m, m->ffn) + moe * (router + shared);
    if (m->mtp_layers) /* joins two hidden states into one, then is a layer as the last */
        sum += (double)m->mtp_layers * (2 * h * h + attention_weights(m) +
                                        (m->experts ? router + shared : mlp_weights(m, m->ffn)));
    return sum;
}

struct gs_lm_params gs_lm_params(const struct gs_lm *m, uint32_t sequence)
{
    const double h = m->hidden, v = m->vocab;
    const double expert = m->experts ? mlp_weights(m, m->moe_ffn) : 0;
    const double moe = moe_layers(m) + (m->experts ? m->mtp_layers : 0);
    struct gs_lm_params p = {0};
    p.embedding = v * h * (m->tied ? 1 : 2) + (m->learned_positions ? h * sequence : 0);
    p.dense = every_token_weights(m) + (2 * (double)m->layers + 1) * h;
    p.experts = moe * m->experts * expert;
    p.active = p.embedding + p.dense + moe * m->topk * expert;
    return p;
}

double gs_lm_params_all(const struct gs_lm_params *p)
{
    return p->embedding + p->dense + p->experts;
}

/* Positions that a token looks at, on average over its sequence. */
static double span(double sequence, int causal, double window)
{
    const double all = causal ? sequence / 2 : sequence;
    return window > 0 && window < all ? window : all;
}

struct gs_lm_flops gs_lm_forward(const struct gs_lm *m, uint32_t sequence, int causal)
{
    const double heads = m->q_heads, v = m->head_dim;
    const double qk = m->kv_lora ? v + m->rope_dim : v;
    const double wide = (double)m->layers + m->mtp_layers - m->window_layers;
    struct gs_lm_flops f;
    f.linear =
        2 * (every_token_weights(m) + (moe_layers(m) + (m->experts ? m->mtp_layers : 0)) * m->topk *
                                          (m->experts ? mlp_weights(m, m->moe_ffn) : 0));
    f.attention =
        2 * heads * (qk + v) *
        (wide * span(sequence, causal, 0) + m->window_layers * span(sequence, causal, m->window));
    f.logits = 2 * (double)m->hidden * m->vocab * (1 + m->mtp_layers);
    return f;
}

double gs_lm_train_flops(const struct gs_lm *m, uint32_t sequence, enum gs_flops_convention c)
{
    const struct gs_lm_flops f = gs_lm_forward(m, sequence, c == GS_FLOPS_CAUSAL);
    if (c != GS_FLOPS_SIX_N)
        return 3 * (f.linear + f.attention + f.logits);
    const struct gs_lm_params p = gs_lm_params(m, sequence);
    return 6 * p.active + 3 * f.attention;
}

double gs_lm_activation_bytes(const struct gs_lm *m, enum gs_recompute r)
{
    const double h = m->hidden, q = (double)m->q_heads * m->head_dim;
    const double kv = m->kv_lora ? q : (double)m->kv_heads * m->head_dim;
    const double width = m->experts ? (double)m->moe_ffn * (m->topk + m->shared_experts) : m->ffn;
    if (r == GS_RECOMPUTE_FULL)
        return 2 * h;
    const int again = r == GS_RECOMPUTE_SELECTIVE;
    const double attention = 2 * h + 2 * (q + 2 * kv) + 2 * q;
    const double tokens_in = m->experts ? 2 * h * (m->topk + m->shared_experts) : 2 * h;
    const double middle = (m->gated ? (again ? 4 : 6) : (again ? 2 : 4)) * width;
    return attention + tokens_in + middle + (again ? 0 : 4 * h);
}

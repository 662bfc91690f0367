/* lm.h - a language model as shapes, and what follows from them: parameters, floating-point operations, bytes.
 *
 * Everything is per token and exact from the shapes; nothing here knows of GPUs. Counting follows Megatron-LM's (multiply and add are two;
 * matrix products only; backward = twice forward). A transformer layer has grouped-query attention or multi-head latent attention (DeepSeek-V2,
 * arXiv 2405.04434), then a feed-forward of two matrices, or three with a gate, dense or a mixture of experts. */
#ifndef GS_TRAINING_LM_H
#define GS_TRAINING_LM_H

#include <stdint.h>

struct gs_lm {
    const char *name;
    uint32_t layers, hidden, q_heads, kv_heads, head_dim, ffn, vocab;
    uint32_t experts, topk, shared_experts, moe_ffn; /* experts = 0: dense */
    uint32_t dense_layers;                           /* of a mixture: the first so many are dense */
    uint32_t window, window_layers;     /* so many layers look back at most so far; 0 = none */
    uint32_t mtp_layers;                /* that predict a further token: a layer and logits each */
    uint32_t q_lora, kv_lora, rope_dim; /* latent attention; kv_lora = 0: none */
    int gated;                          /* feed-forward of three matrices */
    int tied;                           /* one embedding at both ends */
    int learned_positions;              /* one more embedding, of sequence x hidden */
    double params_e9, active_e9;        /* as published; NaN = not known */
    double kv_bytes_per_token;          /* all layers, two bytes a value; NaN = not known */
    int unverified;
};

/* How a source counts attention, and what else. Sources of different years differ, so a figure names its convention. */
#define GS_FLOPS_CONVENTIONS(X)                                                         \
    X(CAUSAL, causal) /* matrix products, attention over the half that is not masked */ \
    X(FULL, full)     /* matrix products, attention as if nothing were masked */        \
    X(SIX_N, 6n)      /* 6 x all parameters, embeddings too, + full attention */

enum gs_flops_convention {
#define X(U, l) GS_FLOPS_##U,
    GS_FLOPS_CONVENTIONS(X)
#undef X
    GS_FLOPS_COUNT
};

/* Parameters by where they go: embeddings at either end; what a layer's tensor-parallel ranks divide; experts. */
struct gs_lm_params {
    double embedding; /* input, output (0 where tied) and positions */
    double dense;     /* attention, feed-forward that every token takes, norms */
    double experts;   /* all of them */
    double active;    /* that a token meets, of all three */
};
struct gs_lm_params gs_lm_params(const struct gs_lm *m, uint32_t sequence);
double gs_lm_params_all(const struct gs_lm_params *p);

/* Operations of one token forward; a token of a sequence of that length, on average. */
struct gs_lm_flops {
    double linear;    /* all matrices with parameters, but the logits */
    double attention; /* scores and what they weigh */
    double logits;
};
struct gs_lm_flops gs_lm_forward(const struct gs_lm *m, uint32_t sequence, int causal);
/* Forward and backward. */
double gs_lm_train_flops(const struct gs_lm *m, uint32_t sequence, enum gs_flops_convention c);

/* Bytes that a layer keeps of a token for its backward pass, two bytes a value, fused attention (Korthikanti et al., 2022, without dropout). */
enum gs_recompute {
    GS_RECOMPUTE_NONE,
    GS_RECOMPUTE_SELECTIVE, /* norms and the activation function are done again */
    GS_RECOMPUTE_FULL       /* each layer keeps its input only, and is done again */
};

double gs_lm_activation_bytes(const struct gs_lm *m, enum gs_recompute r);

const char *gs_flops_convention_str(enum gs_flops_convention c);

#endif

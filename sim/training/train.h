/* train.h - a training job as what is trained and how it is cut up, and the time that its step takes on the links it got.
 *
 * Ranks are laid out as Megatron-LM lays them: tensor-parallel ranks side by side, then context, data (experts within), pipeline stages
 * outermost. A communicator whose ranks fill no more than one NVLink domain stays inside; another crosses the network, each rank
 * by its own NIC (or its share of one). Tensor ranks divide experts as they divide the rest.
 *
 *   compute   operations / (GPUs x peak x efficiency) + the optimizer's memory traffic / memory bandwidth. Attention is counted causal; full
 *             recomputation adds a forward pass.
 *   bubble    (stages - 1) / (interleave x microbatches) of what a stage does.
 *   exposed   tensor: all, 4 all-reduces of tokens x hidden a layer and microbatch. Experts: all, 4 all-to-alls a layer. Data: what
 *             exceeds the backward pass of the last microbatch, and at least one layer's part (FSDP: what exceeds the whole step's computing).
 *             Context: what exceeds attention's computing. Pipeline: the sends of filling and draining.
 *
 * Left out: imbalance of stages and experts, stragglers, input, checkpoints (those are effects of a run). Step times of published runs:
 * `gsim catalog steps`. Doubles in a fixed order of operations, rounded to ns once at the end. */
#ifndef GS_TRAINING_TRAIN_H
#define GS_TRAINING_TRAIN_H

#include "sim/base/buf.h"
#include "sim/base/err.h"
#include "sim/network/collective.h"
#include "sim/training/lm.h"

#include <stdint.h>

#define GS_PRECISIONS(X) X(BF16, bf16) X(FP16, fp16) X(FP8, fp8) X(FP4, fp4)

enum gs_precision {
#define X(U, l) GS_PREC_##U,
    GS_PRECISIONS(X)
#undef X
    GS_PREC_COUNT
};

const char *gs_precision_str(enum gs_precision p);

struct gs_train {
    struct gs_lm lm;
    uint32_t batch, sequence,
        microbatch;              /* sequences a step; tokens; sequences; microbatch 0 = default */
    uint32_t tp, pp, cp, dp, ep; /* all >= 1; GPUs = tp pp cp dp; ep divides dp x cp */
    uint32_t interleave;         /* model chunks a stage; 0 = default */
    uint32_t zero;               /* 0..3 (3 = fully sharded) */
    enum gs_precision precision; /* of matrix products; weights are kept in two bytes */
    enum gs_recompute recompute;
    double efficiency; /* of the peak; 0 = the default of GPU, precision and kind of model */
};

/* Degrees of parallelism as a scenario writes them. */
struct gs_train_degrees {
    uint32_t tp, pp, cp, dp, ep;
};
/* "tp:8 pp:4 dp:16": each at most once, blanks or commas between; what is not named is 1. The product is at most 2^20 GPUs. */
GS_NODISCARD enum gs_rc gs_train_degrees_parse(const char *text, struct gs_train_degrees *out,
                                               struct gs_err *err);
/* "10000 steps", "15e9 tokens": sets the one and zeroes the other. */
GS_NODISCARD enum gs_rc gs_train_work_parse(const char *text, double *steps, double *tokens,
                                            struct gs_err *err);

/* What one GPU is, and its links, nominal, one direction. */
struct gs_train_gpu {
    const char *name;
    double tflops[GS_PREC_COUNT]; /* dense peak; NaN = not known */
    double mem_gbs, mem_gib;
    double intra_gbs, inter_gbs; /* NVLink or PCIe; network, per GPU */
    enum gs_gpu_generation generation;
    int nvlink, nvls, sharp;
    uint32_t domain;         /* GPUs that NVLink (else the node) joins */
    uint32_t measured_ranks; /* ranks of a domain whose all-reduce was measured; 0 = none */
    const struct gs_busbw_curve *measured;
};

/* Where the job stands: how many of its GPUs share a domain (the fewest, of domains that it spreads over), and what each gets
 * of the network. */
struct gs_train_place {
    uint32_t gpus_per_domain;
    double inter_gbs;
};

struct gs_step {
    double compute_s, bubble_s, exposed_s, step_s;
    double flops;                        /* of the whole step, recomputation not counted */
    double efficiency;                   /* that was used */
    double tp_s, pp_s, cp_s, dp_s, ep_s; /* communication, hidden or not */
    double intra_bytes,
        inter_bytes;        /* that a GPU sends in a step inside its domain and to the network */
    double inter_exposed_s; /* of exposed_s: by communicators that cross the network */
    uint32_t microbatches, microbatch, interleave;
};

/* Fills what is left to defaults (microbatch, interleave, efficiency), and refuses what cannot be: indivisible sizes, unknown peak. */
GS_NODISCARD enum gs_rc gs_train_complete(struct gs_train *t, const struct gs_train_gpu *g,
                                          struct gs_err *err);
/* The spec must be complete. */
void gs_train_step(const struct gs_train *t, const struct gs_train_gpu *g,
                   const struct gs_train_place *p, struct gs_step *out);
/* The tightest placement: whole domains, the network at its nominal rate. */
struct gs_train_place gs_train_tightest(const struct gs_train *t, const struct gs_train_gpu *g);
uint32_t gs_train_gpus(const struct gs_train *t);
/* The default efficiency; *rows = published runs that it is the median of, 0 = none, an assumption. */
double gs_train_efficiency(enum gs_gpu_generation g, enum gs_precision p, int moe, uint32_t *rows);

/* A placement's pace: Q30 (GS_ONE = 1 << 30) of computing (bubble included) and of exposed communication per unit of work, a
 * unit being a ns on the tightest placement. On that one they sum to GS_ONE. */
struct gs_train_pace {
    int64_t compute, communication;
};
struct gs_train_pace gs_train_pace(const struct gs_train *t, const struct gs_train_gpu *g,
                                   const struct gs_train_place *p);

/* ---- memory (memory.c) ---- */

struct gs_memory {
    double weights, gradients, optimizer, activations, logits, kv_cache; /* bytes of one GPU */
    double total, capacity;
    int fits;
};

/* One GPU of the first stage, which holds most microbatches. The arithmetic is added to b, if any. */
void gs_memory_train(const struct gs_train *t, double capacity_gib, struct gs_memory *out,
                     struct gs_buf *b);

/* Serving: weights of `weight_bytes` a parameter and the KV cache of so many tokens, over tp x pp GPUs. */
struct gs_serving {
    const struct gs_lm *lm;
    uint32_t tp, pp;
    double weight_bytes, kv_bytes; /* of a parameter, of a cached value */
    double tokens;                 /* held in the cache at once */
};

void gs_memory_serve(const struct gs_serving *s, double capacity_gib, struct gs_memory *out,
                     struct gs_buf *b);

#endif

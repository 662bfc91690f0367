/* published.h - the published training runs of sim/hardware/mfu.csv against this model: operations per token, and the time of a step.
 *
 * A run that states both TFLOP/s and tokens/s of a GPU tells how it counts operations; its table says which convention that is (by vintage,
 * not by row). A run whose model, GPU and parallelism are all known has its step time predicted with the default efficiency; its
 * residual is predicted / measured - 1. What lacks is named. Not stated by any of them, and so assumed: microbatch and interleave are the
 * defaults of train.h, links as of the catalog's first server with the GPU; recomputation is full where hardware FLOP exceed the model's by 4/3. */
#ifndef GS_TRAINING_PUBLISHED_H
#define GS_TRAINING_PUBLISHED_H

#include "sim/base/vec.h"
#include "sim/network/measured.h"
#include "sim/training/train.h"

struct gs_published {
    const char *run, *model, *gpu, *note;
    uint32_t year, gpus;
    enum gs_flops_convention counting;
    double stated_flops; /* per token, TFLOP/s / tokens/s; NaN = not both stated */
    double flops;        /* ours by the same convention; NaN = model not known */
    double tokens_s;     /* of a GPU, stated or from its TFLOP/s; NaN = neither */
    const char *lacks;   /* why there is no prediction, NULL = there is one */
    struct gs_train train;
    struct gs_step step;
    double residual;   /* of the step time */
    double efficiency; /* of the peak, that would meet the measured step */
    int fits;          /* memory, with this recomputation */
};

struct gs_published_runs {
    GS_VEC(struct gs_published) runs;
};

/* Text belongs to the catalog, which must outlive it. */
void gs_published_load(struct gs_published_runs *p, struct gs_catalog *c,
                       const struct gs_measurements *m);
void gs_published_release(struct gs_published_runs *p);
/* Median of |residual| over the predicted runs; *n = how many. */
double gs_published_median(const struct gs_published_runs *p, uint32_t *n);

#endif

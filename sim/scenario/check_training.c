/* check_training.c - a [workload] whose jobs are training runs: the keys that belong together, and how many GPUs they come to. */
#include "sim/base/units.h"
#include "sim/scenario/load.h"

#include <string.h>

#include "sim/base/banned.h"

#define KIND "workload"

static void check_model(struct gs_load *l, const struct gs_set_workload *w)
{
    struct gs_catalog c = {0};
    struct gs_err err = {0};
    if (gs_catalog_load(&c, l->s->catalog, &err) != GS_OK)
        return; /* check.c has said why */
    gs_catalog_need(&c, GS_CATALOG_MODELS);
    const char *near = gs_catalog_nearest_model(&c, w->t.model);
    if (!gs_catalog_model(&c, w->t.model))
        gs_blame(l, KIND, w->name, "model",
                 "'%s' is not in the catalog of models%s%s%s (gsim catalog models lists them)",
                 w->t.model, near ? ", the nearest is '" : "", near ? near : "", near ? "'" : "");
    gs_catalog_release(&c);
}

/* Keys that say nothing without a model, and those that a model takes the place of. */
static void check_company(struct gs_load *l, const struct gs_set_workload *w)
{
    static const char *const with[] = {"work",       "batch",      "sequence", "parallel",
                                       "precision",  "microbatch", "zero",     "recompute",
                                       "interleave", "efficiency"};
    static const char *const against[] = {"duration", "comm", "share"};
    for (size_t i = 0; !w->t.model && i < sizeof with / sizeof *with; i++)
        if (gs_load_said(l, KIND, w->name, with[i]))
            gs_blame(l, KIND, w->name, with[i],
                     "describes the training of a model, and no model is named");
    for (size_t i = 0; w->t.model && i < sizeof against / sizeof *against; i++)
        if (gs_load_said(l, KIND, w->name, against[i]))
            gs_blame(l, KIND, w->name, against[i], "does not go with model, which settles it");
    for (size_t i = 0; w->t.model && i < 3; i++)
        if (!gs_load_said(l, KIND, w->name, with[i]))
            gs_blame(l, KIND, w->name, NULL,
                     "a training run needs %s (with model: work, batch and sequence)", with[i]);
    if (w->t.model && w->s.classes.n)
        gs_blame(l, KIND, w->name, NULL, "duration.SIZES does not go with model, which settles it");
}

/* Degrees and gpus must tell the same number; either may be left out. */
static void settle_gpus(struct gs_load *l, struct gs_set_workload *w)
{
    struct gs_train_degrees *d = &w->t.degrees;
    struct gs_err err = {0};
    char text[32];
    int64_t gpus = 1;
    const int said = gs_load_said(l, KIND, w->name, "gpus");
    if (w->t.parallel && gs_train_degrees_parse(w->t.parallel, d, &err) != GS_OK) {
        gs_blame(l, KIND, w->name, "parallel", "%s", err.msg);
        return;
    }
    if (said && w->s.gpus && gs_parse_int(w->s.gpus, 1, 1 << 20, &gpus, NULL) != GS_OK) {
        gs_blame(l, KIND, w->name, "gpus",
                 "with a model, all jobs are of one size: a whole number");
        return;
    }
    if (!w->t.parallel)
        *d = (struct gs_train_degrees){1, 1, 1, (uint32_t)gpus, 1};
    const uint32_t product = d->tp * d->pp * d->cp * d->dp;
    if (said && w->s.gpus && product != (uint32_t)gpus)
        gs_blame(l, KIND, w->name, "gpus", "is %lld, but parallel comes to tp x pp x cp x dp = %u",
                 (long long)gpus, product);
    (void)gs_fmt(text, sizeof text, "%u", product);
    w->s.gpus = gs_arena_str(&l->s->text, text, strlen(text));
}

void gs_check_training(struct gs_load *l, struct gs_set_workload *w)
{
    struct gs_err err = {0};
    check_company(l, w);
    if (!w->t.model)
        return;
    check_model(l, w);
    settle_gpus(l, w);
    if (w->t.work && gs_train_work_parse(w->t.work, &w->t.steps, &w->t.tokens, &err) != GS_OK)
        gs_blame(l, KIND, w->name, "work", "%s", err.msg);
    if (!gs_load_said(l, KIND, w->name, "kind"))
        w->s.kind = GS_KIND_TRAINING;
}

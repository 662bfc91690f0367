/* data.c - from the keys of a section to its record: "cuda:9GiB + torch:6GiB + 500MiB" to layers. Run once a section. */
#include "sim/effects/data.h"

#include "sim/base/units.h"
#include "sim/run.h"
#include "sim/training_jobs.h"

#include <string.h>

/* "NAME:SIZE", or "SIZE" of a layer that nobody shares. */
static enum gs_rc add_layer(struct gs_run *r, const char *text, uint32_t own, struct gs_err *err)
{
    const char *colon = strchr(text, ':');
    struct gs_layer l = {.name = own};
    if (colon) {
        const char *name = gs_arena_str(&r->text, text, (size_t)(colon - text));
        l.name = gs_intern(&r->str, name);
        text = colon + 1;
    }
    const enum gs_rc rc = gs_parse_memory(text, &l.mib, err);
    if (rc)
        return gs_wrap(err, "image");
    for (size_t i = 0; i < r->layers.n; i++)
        if (r->layers.v[i].name == l.name && r->layers.v[i].mib != l.mib)
            return gs_fail(err, GS_E_INPUT,
                           "image: layer '%s' has %lld MiB here and %lld MiB in another section",
                           gs_intern_str(&r->str, l.name), (long long)l.mib,
                           (long long)r->layers.v[i].mib);
    gs_vec_push(&r->layers, l);
    return GS_OK;
}

/* Layers stand behind each other, parted by '+'. */
static enum gs_rc add_image(struct gs_run *r, const char *text, struct gs_data_spec *spec,
                            struct gs_err *err)
{
    char own[32];
    (void)gs_fmt(own, sizeof own, "own %zu", r->data.n);
    spec->layer_first = (uint32_t)r->layers.n;
    for (const char *s = text; s;) {
        const char *plus = strchr(s, '+');
        s += strspn(s, " \t");
        size_t n = plus && plus > s ? (size_t)(plus - s) : plus ? 0 : strlen(s);
        while (n && (s[n - 1] == ' ' || s[n - 1] == '\t'))
            n--;
        if (n == 0)
            return gs_fail(err, GS_E_INPUT, "image: '%s' has an empty layer", text);
        const enum gs_rc rc =
            add_layer(r, gs_arena_str(&r->text, s, n), gs_intern(&r->str, own), err);
        if (rc)
            return rc;
        s = plus ? plus + 1 : NULL;
    }
    spec->layers = (uint32_t)r->layers.n - spec->layer_first;
    return GS_OK;
}

/* Of a training run that says no size: two bytes of weight and twelve of optimizer state a parameter (BLOOM 176B: 2.46 TB by this, 2.3 TB reported). */
static int64_t state_of_model(const struct gs_run *r, size_t job)
{
    const struct gs_training_job *t =
        job < r->w.jobs.n ? gs_training_of(r, &r->w.jobs.v[job]) : NULL;
    if (!t)
        return 0;
    const struct gs_lm_params p = gs_lm_params(&t->train.lm, t->train.sequence);
    return (int64_t)(14 * gs_lm_params_all(&p) + 0.5);
}

static enum gs_rc read_checkpoint(const struct gs_set_data *d, struct gs_data_spec *spec,
                                  struct gs_err *err)
{
    spec->checkpoint = GS_CHECKPOINT_EVERY;
    if (d->checkpoint_mib)
        spec->checkpoint_bytes = d->checkpoint_mib << 20;
    spec->checkpoint_ns = d->checkpoint_ns;
    spec->checkpoint_async = d->checkpoint_async;
    if (strcmp(d->checkpoint, "none") == 0)
        spec->checkpoint = GS_CHECKPOINT_NEVER;
    else if (strcmp(d->checkpoint, "young") == 0)
        spec->checkpoint = GS_CHECKPOINT_YOUNG;
    else if (strcmp(d->checkpoint, "daly") == 0)
        spec->checkpoint = GS_CHECKPOINT_DALY;
    else if (gs_parse_time(d->checkpoint, &spec->checkpoint_interval_ns, NULL))
        return gs_fail(err, GS_E_INPUT,
                       "checkpoint: '%s' is neither a time (30m) nor young, daly or none",
                       d->checkpoint);
    if (spec->checkpoint == GS_CHECKPOINT_EVERY && spec->checkpoint_interval_ns < GS_SECOND)
        return gs_fail(err, GS_E_INPUT, "checkpoint: '%s' is less than a second", d->checkpoint);
    if (spec->checkpoint >= GS_CHECKPOINT_YOUNG && !spec->checkpoint_bytes && !spec->checkpoint_ns)
        return gs_fail(err, GS_E_INPUT,
                       "checkpoint: %s needs to know what a checkpoint costs: give checkpoint_size "
                       "or checkpoint_time",
                       d->checkpoint);
    return GS_OK;
}

enum gs_rc gs_data_apply(struct gs_run *r, const struct gs_set_data *d, size_t from_job,
                         const char *dir, struct gs_err *err)
{
    struct gs_data_spec spec = {0};
    enum gs_rc rc = GS_OK;
    if (d->sensitivity) {
        uint32_t row = 0;
        rc = gs_network_sensitivity(r, d->sensitivity, &row, err);
        for (size_t i = from_job; i < r->w.jobs.n; i++)
            r->w.jobs.v[i].sensitivity = row;
    }
    for (size_t i = from_job; d->isolation && i < r->w.jobs.n; i++)
        r->w.jobs.v[i].owner = (uint32_t)d->isolation; /* see isolation.c */
    const int shares = d->gpu_utilization > 0 && d->gpu_utilization < 1;
    if (!d->image && !d->startup && !d->weights_mib && !d->input && !d->preprocess_milli &&
        !d->checkpoint && !d->gpu_memory_used && !d->program && !shares)
        return rc;
    if (!rc && d->image)
        rc = add_image(r, d->image, &spec, err);
    if (!rc && d->startup)
        rc = gs_dist_parse(d->startup, GS_DIM_TIME, dir, &r->text, &spec.startup, err);
    if (!rc && d->gpu_memory_used)
        rc =
            gs_dist_parse(d->gpu_memory_used, GS_DIM_MEMORY, dir, &r->text, &spec.memory_used, err);
    if (!rc && d->checkpoint)
        spec.checkpoint_bytes = d->checkpoint_ns ? 0 : state_of_model(r, from_job);
    if (!rc && d->checkpoint)
        rc = read_checkpoint(d, &spec, err);
    if (rc)
        return rc;
    spec.weights_bytes = d->weights_mib << 20;
    spec.input_rate = (int64_t)((double)d->input * (1.0 - d->input_cache) + 0.5);
    spec.busy_milli = shares ? (uint32_t)(d->gpu_utilization * 1000.0 + 0.5) : 1000;
    spec.program = d->program ? gs_intern(&r->str, d->program) : 0;
    spec.memory_after_ns = d->gpu_memory_after_ns;
    spec.preprocess_milli = d->preprocess_milli;
    gs_vec_push(&r->data, spec);
    for (size_t i = from_job; i < r->w.jobs.n; i++)
        r->w.jobs.v[i].data = (uint32_t)r->data.n;
    return GS_OK;
}

const struct gs_data_spec *gs_data_of(const struct gs_run *r, uint32_t job)
{
    const uint32_t row = r->w.jobs.v[job].data;
    return row ? &r->data.v[row - 1] : NULL;
}

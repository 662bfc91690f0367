/* input.c - the effect of feeding: data sets over shared storage, and CPU cores that prepare them.
 *
 * At the pace of its reference a job takes in so many bytes/s a GPU, and keeps so many CPU cores a GPU busy. Input is fetched ahead, so a
 * unit of work takes the longest of three: working, reading at the rate that the links give, preparing with the cores that it has; what
 * the last two take longer is input wait. Reading begins when the start-up is over. What a node's own cache serves is left out of the stream (data.c). The stream is greedy up to
 * the rate of the reference, also where the job is slower than that for other reasons: that overstates what such a job takes from others.
 * Model: own (the bottleneck law of a pipeline); its error was not measured. */
#include "sim/effects/data.h"
#include "sim/effects/storage.h"

struct gs_input_state {
    struct feed {
        uint32_t group; /* GS_NONE = none */
        int64_t cpus_milli;
        uint32_t devices;
    } * feed; /* [slots] */

    uint32_t cap;
};

/* A stream that stands still for now: so many times slower than working. */
#define STANDSTILL (INT64_C(1) << 20)

static void start(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n)
{
    struct gs_input_state *s = r->input;
    const struct gs_data_spec *d = gs_data_of(r, r->live.id[slot]);
    if (slot >= s->cap) {
        s->feed = gs_resize(s->feed, r->live.jobs_cap, sizeof *s->feed);
        s->cap = r->live.jobs_cap;
    }
    struct feed *f = &s->feed[slot];
    *f = (struct feed){.group = GS_NONE};
    if (!d)
        return;
    for (uint32_t i = 0; i < n; i++) {
        f->cpus_milli += held[i].cpus_milli;
        f->devices += held[i].gpu != GS_NONE;
    }
}

static void begin(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n)
{
    struct feed *f = &r->input->feed[slot];
    const struct gs_data_spec *d = gs_data_of(r, r->live.id[slot]);
    if (!d || !d->input_rate || !f->devices)
        return;
    uint32_t nodes = 0;
    const struct gs_node_weight *w = gs_storage_nodes(r, held, n, &nodes);
    f->group = gs_storage_stream(r, GS_EFFECT_INPUT, slot, GS_SITE_READ, w, nodes, d->input_rate);
}

static void stop(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n)
{
    struct feed *f = &r->input->feed[slot];
    (void)held;
    (void)n;
    if (f->group != GS_NONE)
        gs_links_remove(r, f->group);
    f->group = GS_NONE;
}

/* Time a unit of work that something takes which does `have` of the `need` it does at the pace of the reference. */
static int64_t takes(int64_t need, int64_t have)
{
    return have > 0 ? (int64_t)((gs_i128)GS_ONE * need / have) : GS_ONE * STANDSTILL;
}

static void pace(struct gs_run *r, uint32_t slot, struct gs_pace *p)
{
    const struct feed *f = &r->input->feed[slot];
    const struct gs_data_spec *d = gs_data_of(r, r->live.id[slot]);
    if (!d || !f->devices)
        return;
    int64_t longest = gs_pace_sum(p);
    const int64_t works = longest;
    if (f->group != GS_NONE) {
        const int64_t t = takes(d->input_rate, gs_links_rate(r, f->group));
        longest = t > longest ? t : longest;
    }
    if (d->preprocess_milli) {
        const int64_t t = takes(d->preprocess_milli * f->devices, f->cpus_milli);
        longest = t > longest ? t : longest;
    }
    p->q[GS_TIME_INPUT] += longest - works;
}

static enum gs_rc prepare(struct gs_run *r, int *on, struct gs_err *err)
{
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < r->w.jobs.n && !rc; i++) {
        const struct gs_job *j = &r->w.jobs.v[i];
        const struct gs_data_spec *d = gs_data_of(r, (uint32_t)i);
        if (!d || (!d->input_rate && !d->preprocess_milli) || !j->gpus)
            continue;
        *on = 1;
        gs_storage_prepare(r);
        if (d->input_rate)
            rc = gs_storage_need(r, GS_SITE_READ, j, "input", err);
        if (!rc && d->preprocess_milli && !j->cpus_milli)
            rc = gs_fail(err, GS_E_INPUT,
                         "'preprocess' of the jobs of '%s' needs their CPUs: give cpus or "
                         "cpus_per_gpu",
                         gs_intern_str(&r->str, r->w.sources.v[j->source]));
    }
    if (*on && !rc)
        r->input = GS_NEW(struct gs_input_state);
    return rc;
}

static void release(struct gs_run *r)
{
    if (!r->input)
        return;
    gs_free(r->input->feed);
    gs_free(r->input);
    r->input = NULL;
}

const struct gs_effect gs_effect_input = {.name = "input",
                                          .prepare = prepare,
                                          .start = start,
                                          .begin = begin,
                                          .stop = stop,
                                          .pace = pace,
                                          .release = release};

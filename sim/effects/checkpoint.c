/* checkpoint.c - the effect of saving: every so often a job stops, writes its state to shared storage, and goes on.
 *
 *   start (after its start-up) --interval--> write (waits; or goes on, if asynchronous) --> safe: what was done before the write --interval--> ...
 *
 * A job that is stopped goes on where it was last safe, in this attempt or an earlier one. The write takes the time that the scenario says, or
 * moves the bytes that it says over the storage's links together with those of others. Intervals: a time; or Young's sqrt(2 C M) (CACM 17(9),
 * 1974), or Daly's higher-order estimate (FGCS 22, 2006), with C the write alone on the links and M the mean time between failures of the job's
 * nodes, devices and of itself ([failures]). O(nodes of the job) a checkpoint. */
#include "sim/effects/checkpoint.h"

#include "sim/effects/data.h"
#include "sim/effects/storage.h"
#include "sim/failures.h"
#include "sim/life.h"

#include <math.h>

enum {
    CODE_BEGIN,
    CODE_WRITTEN
};

struct gs_checkpoint_state {
    struct save {
        int64_t safe_left_ns,
            safe_busy_ns; /* where it goes on, and what the attempt had been busy */
        int64_t next_left_ns, next_busy_ns; /* the same of the write under way */
        int64_t interval_ns;                /* GS_NEVER = none */
        uint32_t group;                     /* transfer under way, GS_NONE */
        uint8_t on;
    } * save; /* [slots] */

    uint32_t cap;
};

static const struct gs_data_spec *spec_of(const struct gs_run *r, uint32_t slot)
{
    const struct gs_data_spec *d = gs_data_of(r, r->live.id[slot]);
    return d && d->checkpoint ? d : NULL;
}

/* ---- intervals ---- */

/* The write, alone on the links, s. */
static double write_s(const struct gs_run *r, const struct gs_data_spec *d, uint32_t nodes)
{
    if (d->checkpoint_ns)
        return (double)d->checkpoint_ns / 1e9;
    double rate = (double)r->storage_rate[GS_SITE_WRITE];
    if (r->storage_node_rate && (double)r->storage_node_rate * nodes < rate)
        rate = (double)r->storage_node_rate * nodes;
    return rate > 0 ? (double)d->checkpoint_bytes / rate : 0;
}

static double optimum_s(enum gs_checkpoint_rule rule, double c, double m)
{
    if (rule == GS_CHECKPOINT_YOUNG)
        return sqrt(2 * c * m);
    if (c >= 2 * m)
        return m;
    const double x = sqrt(c / (2 * m));
    return sqrt(2 * c * m) * (1 + x / 3 + x * x / 9) - c;
}

static int64_t interval_of(const struct gs_run *r, const struct gs_data_spec *d,
                           const struct gs_held *held, uint32_t n)
{
    if (d->checkpoint == GS_CHECKPOINT_EVERY)
        return d->checkpoint_interval_ns;
    uint32_t nodes = 0, devices = 0;
    for (uint32_t i = 0; i < n; i++) {
        nodes += i == 0 || held[i].node != held[i - 1].node;
        devices += held[i].gpu != GS_NONE;
    }
    const double m = gs_failures_mtbf_s(r, nodes, devices);
    const double s = optimum_s(d->checkpoint, write_s(r, d, nodes), m);
    return s < 1 ? GS_SECOND : s < 9e9 ? (int64_t)(s * 1e9 + 0.5) : GS_NEVER;
}

/* ---- the cycle ---- */

static void next_checkpoint(struct gs_run *r, uint32_t slot)
{
    const struct save *k = &r->checkpoint->save[slot];
    if (k->interval_ns < GS_NEVER - r->eng.now_ns)
        (void)gs_effect_at(r, GS_EFFECT_CHECKPOINT, slot, r->eng.now_ns + k->interval_ns,
                           CODE_BEGIN);
}

static void start(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n)
{
    struct gs_checkpoint_state *s = r->checkpoint;
    const struct gs_data_spec *d = spec_of(r, slot);
    if (slot >= s->cap) {
        s->save = gs_resize(s->save, r->live.jobs_cap, sizeof *s->save);
        s->cap = r->live.jobs_cap;
    }
    s->save[slot] =
        (struct save){.safe_left_ns = r->live.left_ns[slot], .group = GS_NONE, .on = d != NULL};
    if (!d)
        return;
    s->save[slot].interval_ns = interval_of(r, d, held, n);
}

static void begin(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n)
{
    (void)held;
    (void)n;
    if (r->checkpoint->save[slot].on)
        next_checkpoint(r, slot);
}

static void stop(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n)
{
    struct save *k = &r->checkpoint->save[slot];
    (void)held;
    (void)n;
    if (k->group != GS_NONE)
        gs_links_remove(r, k->group);
    k->group = GS_NONE;
}

static void written(struct gs_run *r, uint32_t slot)
{
    struct save *k = &r->checkpoint->save[slot];
    k->safe_left_ns = k->next_left_ns;
    k->safe_busy_ns = k->next_busy_ns;
    k->group = GS_NONE;
    gs_pace_go(r, slot, GS_EFFECT_CHECKPOINT);
    next_checkpoint(r, slot);
}

static void event(struct gs_run *r, uint32_t slot, uint32_t code)
{
    struct save *k = &r->checkpoint->save[slot];
    const struct gs_data_spec *d = spec_of(r, slot);
    if (code == CODE_WRITTEN) {
        written(r, slot);
        return;
    }
    k->next_left_ns = gs_pace_left(r, slot);
    k->next_busy_ns = gs_pace_busy(r, slot);
    if (!d->checkpoint_async)
        gs_pace_wait_part(r, slot, GS_EFFECT_CHECKPOINT, GS_TIME_CHECKPOINT);
    if (d->checkpoint_ns || !d->checkpoint_bytes) {
        (void)gs_effect_at(r, GS_EFFECT_CHECKPOINT, slot, r->eng.now_ns + d->checkpoint_ns,
                           CODE_WRITTEN);
        return;
    }
    const uint32_t n = gs_life_held(r, slot);
    uint32_t nodes = 0;
    const struct gs_node_weight *w = gs_storage_nodes(r, r->held.v, n, &nodes);
    const int64_t each = (d->checkpoint_bytes + n - 1) / n;
    k->group = gs_storage_transfer(r, GS_EFFECT_CHECKPOINT, slot, CODE_WRITTEN, GS_SITE_WRITE, w,
                                   nodes, each);
}

void gs_checkpoint_safe(struct gs_run *r, uint32_t slot, int64_t *left_ns, int64_t *busy_ns)
{
    if (!r->checkpoint || !r->checkpoint->save[slot].on)
        return;
    *left_ns = r->checkpoint->save[slot].safe_left_ns;
    *busy_ns = r->checkpoint->save[slot].safe_busy_ns;
}

/* ---- the run ---- */

static enum gs_rc check_job(struct gs_run *r, const struct gs_job *j, const struct gs_data_spec *d,
                            struct gs_err *err)
{
    if (d->checkpoint != GS_CHECKPOINT_EVERY && !(gs_failures_mtbf_s(r, 1, 1) < 1e300))
        return gs_fail(err, GS_E_INPUT,
                       "'checkpoint' of the jobs of '%s': an optimum needs to know how often they "
                       "fail: give [failures]",
                       gs_intern_str(&r->str, r->w.sources.v[j->source]));
    return d->checkpoint_bytes && !d->checkpoint_ns
               ? gs_storage_need(r, GS_SITE_WRITE, j, "checkpoint_size", err)
               : GS_OK;
}

static enum gs_rc prepare(struct gs_run *r, int *on, struct gs_err *err)
{
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < r->w.jobs.n && !rc; i++) {
        const struct gs_data_spec *d = gs_data_of(r, (uint32_t)i);
        if (!d || !d->checkpoint)
            continue;
        *on = 1;
        gs_storage_prepare(r);
        rc = check_job(r, &r->w.jobs.v[i], d, err);
    }
    if (*on && !rc)
        r->checkpoint = GS_NEW(struct gs_checkpoint_state);
    return rc;
}

static void release(struct gs_run *r)
{
    if (!r->checkpoint)
        return;
    gs_free(r->checkpoint->save);
    gs_free(r->checkpoint);
    r->checkpoint = NULL;
}

const struct gs_effect gs_effect_checkpoint = {.name = "checkpoint",
                                               .prepare = prepare,
                                               .start = start,
                                               .begin = begin,
                                               .stop = stop,
                                               .event = event,
                                               .release = release};

/* engine.c - the loop: pop, guard, handle, digest.
 *
 * One instant: all events of the same time in the order (class, sequence), then - because class
 * PASS comes late - one scheduling pass for however many events asked for it, then whatever the
 * pass caused, at the same time, and so on until nothing is left at that time. A chain of
 * zero-length steps could go on for ever; two counters per instant end it.
 *
 * Classes in the queue's key are those of enum gs_class, plus one. With `compat` on, for artifacts
 * that submit before they terminate and decide after every single change: ARRIVAL and RELEASE trade
 * places, and a pass takes the free key class 0, so the pass that an event wanted pops directly
 * after that event, before the rest of its instant.
 *
 * Digest: five words for each applied event, after its handler, so that the decisions that it took
 * (five words each, marked by kind >= 0x100) stand before it. The optional log writes the same
 * words in the same order; `seq` counts applied events. */
#include "sim/engine/engine.h"

#include "sim/base/attr.h"
#include "sim/base/mem.h"

#include <signal.h>
#include <string.h>

#include "sim/base/banned.h"

#define PASSES_MAX         1000u
#define INSTANT_EVENTS_MAX 1000000u
#define DECISION           0x100u

static uint8_t key_class(const struct gs_engine *e, enum gs_class cls)
{
    if (e->compat) {
        if (cls == GS_CLASS_PASS)
            return 0;
        if (cls == GS_CLASS_RELEASE)
            cls = GS_CLASS_ARRIVAL;
        else if (cls == GS_CLASS_ARRIVAL)
            cls = GS_CLASS_RELEASE;
    }
    return (uint8_t)((int)cls + 1);
}

void gs_engine_init(struct gs_engine *e, void *world, uint64_t tie_seed, int compat)
{
    *e = (struct gs_engine){.world = world,
                            .compat = compat != 0,
                            .digest = compat ? GS_DIGEST_SEED_COMPAT : GS_DIGEST_SEED,
                            .pass_kind = GS_KINDS_MAX};
    gs_evq_init(&e->q, tie_seed);
}

void gs_engine_release(struct gs_engine *e)
{
    gs_evq_release(&e->q);
    gs_free(e->ring);
    e->ring = NULL;
    e->nring = e->ring_cap = 0;
}

void gs_engine_kind(struct gs_engine *e, uint16_t kind, const char *name, enum gs_class cls,
                    gs_handler *fn)
{
    gs_require(kind < GS_KINDS_MAX && name && fn && cls < GS_CLASS_COUNT);
    gs_require(!e->kind[kind].fn);
    e->kind[kind] = (struct gs_kind){name, cls, fn};
    if (cls == GS_CLASS_PASS)
        e->pass_kind = kind;
}

gs_event_id gs_engine_at(struct gs_engine *e, int64_t time_ns, uint16_t kind, uint32_t subject,
                         uint32_t object)
{
    gs_require(time_ns >= e->now_ns);
    gs_require(kind < GS_KINDS_MAX && e->kind[kind].fn);
    return gs_evq_push(&e->q, (struct gs_event){.time_ns = time_ns,
                                                .cls = key_class(e, e->kind[kind].cls),
                                                .kind = kind,
                                                .subject = subject,
                                                .object = object});
}

int gs_engine_cancel(struct gs_engine *e, gs_event_id id)
{
    return gs_evq_cancel(&e->q, id);
}

void gs_engine_want_pass(struct gs_engine *e)
{
    if (e->pass_pending)
        return;
    (void)gs_engine_at(e, e->now_ns, e->pass_kind, 0, 0);
    e->pass_pending = 1;
}

static uint64_t fold(uint64_t h, uint64_t w)
{
    h = (h ^ w) * UINT64_C(0x100000001b3);
    return h << 29 | h >> 35;
}

/* Takes one event or decision into the digest and the log. */
static void apply(struct gs_engine *e, struct gs_logged row)
{
    uint64_t h = e->digest;
    h = fold(h, (uint64_t)row.time_ns);
    h = fold(h, row.cls_kind);
    h = fold(h, row.subject);
    h = fold(h, row.object);
    h = fold(h, row.result);
    e->digest = h;
    if (e->log) {
        row.digest = h;
        e->log(e->log_ctx, &row);
    }
}

void gs_engine_decision(struct gs_engine *e, uint16_t code, uint32_t subject, uint32_t object,
                        uint64_t result)
{
    const uint32_t kind = code < DECISION ? DECISION + code : code;
    apply(e, (struct gs_logged){.time_ns = e->now_ns,
                                .seq = e->events,
                                .cls_kind = (uint32_t)GS_CLASS_PASS | kind << 8,
                                .subject = subject,
                                .object = object,
                                .result = result});
}

void gs_engine_stop(struct gs_engine *e)
{
    e->stop_requested = 1;
}

/* Counts this event against its instant; an instant that does not end is an error. */
static enum gs_rc guard_instant(struct gs_engine *e, const struct gs_event *ev, int first,
                                struct gs_err *err)
{
    if (first) {
        e->instant_events = 0;
        e->instant_passes = 0;
        e->instant_pending = gs_evq_live(&e->q) + 1; /* ev itself is out already */
    }
    const struct gs_kind *k = &e->kind[ev->kind];
    e->instant_events++;
    e->instant_passes += k->cls == GS_CLASS_PASS;
    if (e->instant_passes > PASSES_MAX)
        return gs_fail(
            err, GS_E_MODULE,
            "more than %u passes ('%s') at t = %lld ns: each changes something that asks "
            "for another at the same instant (a zero-delay loop)",
            PASSES_MAX, k->name, (long long)ev->time_ns);
    if (e->instant_events > e->instant_pending + INSTANT_EVENTS_MAX)
        return gs_fail(
            err, GS_E_INPUT,
            "more than %u events beyond the %llu that were pending at t = %lld ns, the last a "
            "'%s' of %u: events of no length cause each other (a zero-delay loop)",
            INSTANT_EVENTS_MAX, (unsigned long long)e->instant_pending, (long long)ev->time_ns,
            k->name, ev->subject);
    return GS_OK;
}

static void close_block(struct gs_engine *e)
{
    if (e->nring == e->ring_cap) {
        e->ring_cap = e->ring_cap ? e->ring_cap * 2 : 64;
        e->ring = gs_resize(e->ring, e->ring_cap, sizeof *e->ring);
    }
    e->ring[e->nring++] = (struct gs_ring_row){e->events / GS_RING_BLOCK - 1, e->digest};
}

static enum gs_rc handle(struct gs_engine *e, struct gs_event *ev, struct gs_err *err)
{
    const struct gs_kind *k = &e->kind[ev->kind];
    gs_verify(ev->time_ns >= e->now_ns);
    const int first = e->events == 0 || ev->time_ns > e->now_ns;
    e->now_ns = ev->time_ns;
    ev->cls = (uint8_t)k->cls;
    enum gs_rc rc = guard_instant(e, ev, first, err);
    if (rc != GS_OK)
        return rc;
    if (k->cls == GS_CLASS_PASS) {
        e->passes++;
        e->pass_pending = 0; /* what the pass itself changes may ask for another */
    }
    uint64_t result = 0;
    rc = k->fn(e->world, ev, &result, err);
    if (rc != GS_OK)
        return rc;
    apply(e, (struct gs_logged){.time_ns = ev->time_ns,
                                .seq = e->events,
                                .cls_kind = (uint32_t)ev->cls | (uint32_t)ev->kind << 8,
                                .subject = ev->subject,
                                .object = ev->object,
                                .result = result});
    e->events++;
    if (e->events % GS_RING_BLOCK == 0)
        close_block(e);
    return GS_OK;
}

enum gs_rc gs_engine_step(struct gs_engine *e, uint64_t n, uint64_t *ran, struct gs_err *err)
{
    struct gs_event ev;
    *ran = 0;
    while (*ran < n && !e->stop_requested) {
        const int sig = e->stop ? *e->stop : 0;
        if (sig)
            return sig == SIGTERM ? gs_fail(err, GS_E_TERM, "stopped by SIGTERM")
                                  : gs_fail(err, GS_E_INT, "stopped by SIGINT");
        if (!gs_evq_pop(&e->q, &ev))
            break;
        if (e->ahead) {
            struct gs_event next[4];
            e->ahead(e->world, next, gs_evq_candidates(&e->q, next));
        }
        const enum gs_rc rc = handle(e, &ev, err);
        if (rc != GS_OK)
            return rc;
        (*ran)++;
    }
    return GS_OK;
}

enum gs_rc gs_engine_run(struct gs_engine *e, struct gs_err *err)
{
    uint64_t ran = 0;
    return gs_engine_step(e, UINT64_MAX, &ran, err);
}

void gs_engine_visit(struct gs_engine *e, struct gs_visitor *v)
{
    uint32_t flags[2] = {(uint32_t)e->pass_pending, (uint32_t)e->compat};
    uint64_t nring = e->nring;
    gs_visit_i64(v, GS_TAG('E', 'n', 'o', 'w'), &e->now_ns, 1);
    gs_visit_u64(v, GS_TAG('E', 'd', 'i', 'g'), &e->digest, 1);
    gs_visit_u64(v, GS_TAG('E', 'e', 'v', 's'), &e->events, 1);
    gs_visit_u64(v, GS_TAG('E', 'p', 'a', 's'), &e->passes, 1);
    gs_visit_u64(v, GS_TAG('E', 'i', 'e', 'v'), &e->instant_events, 1);
    gs_visit_u64(v, GS_TAG('E', 'i', 'p', 'a'), &e->instant_passes, 1);
    gs_visit_u64(v, GS_TAG('E', 'i', 'p', 'e'), &e->instant_pending, 1);
    gs_visit_u32(v, GS_TAG('E', 'f', 'l', 'g'), flags, 2);
    gs_visit_u64(v, GS_TAG('E', 'r', 'n', 'g'), &nring, 1);
    if (v->mode == GS_VISIT_LOAD) {
        e->pass_pending = (int)flags[0];
        e->compat = (int)flags[1];
        e->nring = e->ring_cap = (size_t)nring;
        e->ring = gs_resize(e->ring, e->ring_cap, sizeof *e->ring);
    }
    for (size_t i = 0; i < e->nring; i++) {
        gs_visit_u64(v, GS_TAG('E', 'r', 'n', 'b'), &e->ring[i].block, 1);
        gs_visit_u64(v, GS_TAG('E', 'r', 'n', 'd'), &e->ring[i].digest, 1);
    }
    gs_evq_visit(&e->q, v);
}

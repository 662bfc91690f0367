/* pace.c - the account of how running jobs get on: pace, waits, work left, and the event of the end.
 *
 * A job's time is a row of segments with one pace each. A segment ends when the pace changes, and only then is anything added
 * up, so that asking (gs_pace_left) never changes an answer. At its end the work of a segment is floor(time / dilation), its
 * time is divided in the proportions of its pace, rounded down, and what is over goes to the largest part. Changes of an instant are
 * collected: one event GS_EV_PACE lets the effects settle, then asks for the pace of the jobs that were touched, in the order in
 * which they were. O(touched jobs x effects); nothing allocates once the columns have grown. */
#include "sim/effects/effects.h"
#include "sim/effects/links.h"
#include "sim/effects/storage.h"
#include "sim/life.h"

#include <string.h>

struct gs_pace_slot {
    struct gs_pace now; /* of the open segment: a pace, or how a wait is divided */
    int64_t since_ns;   /* the segment's beginning */
    int64_t left_ns;    /* work left at that time; GS_NEVER = endless */
    int64_t dilation;   /* sum of now; 0 while the job waits */
    int64_t busy_ns;    /* of the attempt's closed segments, those in which it did not wait */
    uint32_t waits;     /* bit e: effect e has it wait */
    uint8_t active;     /* between gs_pace_start and gs_pace_stop */
    uint8_t touched;
    uint8_t fresh; /* its end was not scheduled yet */
    struct gs_pace split[GS_EFFECT_COUNT];
};

struct gs_pace_state {
    struct gs_pace_slot *slot;
    uint32_t cap;
    GS_VEC(uint32_t) touched;
    int due;      /* the event of this instant is scheduled */
    int starting; /* within gs_pace_start: effects after the start-up have not heard of the attempt */
    uint8_t on[GS_EFFECT_COUNT];
};

const struct gs_effect *const gs_effects[GS_EFFECT_COUNT] = {
    [GS_EFFECT_STARTUP] = &gs_effect_startup, [GS_EFFECT_CHECKPOINT] = &gs_effect_checkpoint,
    [GS_EFFECT_NETWORK] = &gs_effect_network, [GS_EFFECT_INPUT] = &gs_effect_input,
    [GS_EFFECT_SHARING] = &gs_effect_sharing, [GS_EFFECT_FAILURE] = &gs_effect_failure,
    [GS_EFFECT_POWER] = &gs_effect_power,
};

/* ---- the columns ---- */

static struct gs_pace_slot *slot_at(struct gs_run *r, uint32_t slot)
{
    struct gs_pace_state *s = r->pace;
    if (slot >= s->cap) {
        const uint32_t cap = r->live.jobs_cap;
        gs_require(slot < cap);
        s->slot = gs_resize(s->slot, cap, sizeof *s->slot);
        memset(s->slot + s->cap, 0, (size_t)(cap - s->cap) * sizeof *s->slot);
        s->cap = cap;
    }
    return &s->slot[slot];
}

void gs_pace_reference(const struct gs_run *r, uint32_t slot, struct gs_pace *p)
{
    const struct gs_job *j = &r->w.jobs.v[r->live.id[slot]];
    *p = (struct gs_pace){0};
    p->q[GS_TIME_COMMUNICATION] = j->comm_q;
    p->q[GS_TIME_IDLE] = j->idle_q;
    p->q[GS_TIME_COMPUTE] = GS_ONE - j->comm_q - j->idle_q;
}

/* ---- the account ---- */

/* Work done in dt at this dilation. */
static int64_t work_in(int64_t dt, int64_t dilation)
{
    return (int64_t)((gs_i128)dt * GS_ONE / dilation);
}

static int64_t left_at(const struct gs_pace_slot *s, int64_t now_ns)
{
    if (s->left_ns == GS_NEVER || !s->dilation)
        return s->left_ns;
    const int64_t done = work_in(now_ns - s->since_ns, s->dilation);
    return done < s->left_ns ? s->left_ns - done : 0;
}

int64_t gs_pace_left(struct gs_run *r, uint32_t slot)
{
    return left_at(slot_at(r, slot), r->eng.now_ns);
}

int64_t gs_pace_busy(const struct gs_run *r, uint32_t slot)
{
    const struct gs_pace_slot *s = &r->pace->slot[slot];
    return s->busy_ns + (s->dilation ? r->eng.now_ns - s->since_ns : 0);
}

/* Ends the open segment at this instant. */
static void close_segment(struct gs_run *r, uint32_t slot)
{
    struct gs_pace_slot *s = slot_at(r, slot);
    const int64_t now = r->eng.now_ns;
    if (now > s->since_ns)
        gs_metrics_parts(r->m, r->live.id[slot], s->since_ns, now, &s->now);
    s->left_ns = left_at(s, now);
    s->busy_ns += s->dilation ? now - s->since_ns : 0;
    s->since_ns = now;
}

/* ---- what effects ask for ---- */

void gs_pace_touch(struct gs_run *r, uint32_t slot)
{
    struct gs_pace_slot *s = slot_at(r, slot);
    if (!s->active || s->touched)
        return;
    s->touched = 1;
    gs_vec_push(&r->pace->touched, slot);
    gs_pace_want(r);
}

void gs_pace_want(struct gs_run *r)
{
    if (r->pace->due)
        return;
    r->pace->due = 1;
    (void)gs_engine_at(&r->eng, r->eng.now_ns, GS_EV_PACE, 0, 0);
}

void gs_pace_wait(struct gs_run *r, uint32_t slot, enum gs_effect_id e, const struct gs_pace *split)
{
    struct gs_pace_slot *s = slot_at(r, slot);
    gs_assert(s->active && gs_pace_sum(split) == GS_ONE);
    s->split[e] = *split;
    s->waits |= 1u << e;
    gs_pace_touch(r, slot);
}

void gs_pace_wait_part(struct gs_run *r, uint32_t slot, enum gs_effect_id e, enum gs_part part)
{
    struct gs_pace split = {0};
    split.q[part] = GS_ONE;
    gs_pace_wait(r, slot, e, &split);
}

static void begin_work(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n)
{
    for (int e = 0; e < GS_EFFECT_COUNT; e++)
        if (r->pace->on[e] && gs_effects[e]->begin)
            gs_effects[e]->begin(r, slot, held, n);
}

void gs_pace_go(struct gs_run *r, uint32_t slot, enum gs_effect_id e)
{
    struct gs_pace_slot *s = slot_at(r, slot);
    s->waits &= ~(1u << e);
    gs_pace_touch(r, slot);
    if (e == GS_EFFECT_STARTUP && !r->pace->starting) {
        const uint32_t n = gs_life_held(r, slot);
        begin_work(r, slot, r->held.v, n);
    }
}

int gs_pace_waits(const struct gs_run *r, uint32_t slot, enum gs_effect_id e)
{
    return (int)(r->pace->slot[slot].waits >> e & 1);
}

uint64_t gs_effect_at(struct gs_run *r, enum gs_effect_id e, uint32_t slot, int64_t at_ns,
                      uint32_t code)
{
    gs_require(code < 256);
    const uint32_t attempt = r->live.attempts[slot] & 0xffffu;
    return gs_engine_at(&r->eng, at_ns, GS_EV_EFFECT, r->live.id[slot],
                        (uint32_t)e << 24 | code << 16 | attempt);
}

enum gs_rc gs_pace_on_effect(void *world, const struct gs_event *ev, uint64_t *result,
                             struct gs_err *err)
{
    struct gs_run *r = world;
    const uint32_t slot = r->slot_of[ev->subject], e = ev->object >> 24;
    (void)result;
    (void)err;
    if (slot == GS_NONE || !slot_at(r, slot)->active ||
        (r->live.attempts[slot] & 0xffffu) != (ev->object & 0xffffu))
        return GS_OK; /* of an attempt that is over */
    gs_effects[e]->event(r, slot, ev->object >> 16 & 0xffu);
    return GS_OK;
}

/* ---- settling ---- */

static void ask_pace(struct gs_run *r, uint32_t slot, struct gs_pace *p)
{
    gs_pace_reference(r, slot, p);
    for (int e = 0; e < GS_EFFECT_COUNT; e++)
        if (r->pace->on[e] && gs_effects[e]->pace)
            gs_effects[e]->pace(r, slot, p);
}

static void schedule_end(struct gs_run *r, uint32_t slot)
{
    const struct gs_pace_slot *s = slot_at(r, slot);
    if (r->live.end_event[slot])
        (void)gs_engine_cancel(&r->eng, r->live.end_event[slot]);
    r->live.end_event[slot] = 0;
    if (!s->dilation || s->left_ns == GS_NEVER)
        return;
    const gs_i128 in = ((gs_i128)s->left_ns * s->dilation + GS_ONE - 1) / GS_ONE;
    if (in <= GS_NEVER - 1 - r->eng.now_ns)
        r->live.end_event[slot] = gs_engine_at(&r->eng, r->eng.now_ns + (int64_t)in, GS_EV_JOB_END,
                                               r->live.id[slot], r->live.attempts[slot]);
}

static void repace(struct gs_run *r, uint32_t slot)
{
    struct gs_pace_slot *s = slot_at(r, slot);
    struct gs_pace p;
    int64_t dilation = 0;
    s->touched = 0;
    if (!s->active)
        return;
    if (s->waits) {
        int e = 0;
        while (!(s->waits >> e & 1))
            e++;
        p = s->split[e];
    } else {
        ask_pace(r, slot, &p);
        dilation = gs_pace_sum(&p);
        gs_verify(dilation > 0);
    }
    const int same = dilation == s->dilation && memcmp(&p, &s->now, sizeof p) == 0;
    if (same && !s->fresh)
        return;
    if (!same)
        close_segment(r, slot);
    s->now = p;
    s->dilation = dilation;
    s->fresh = 0;
    for (int e = 0; e < GS_EFFECT_COUNT; e++)
        if (r->pace->on[e] && gs_effects[e]->paced)
            gs_effects[e]->paced(r, slot, &p);
    schedule_end(r, slot);
}

enum gs_rc gs_pace_on_pace(void *world, const struct gs_event *ev, uint64_t *result,
                           struct gs_err *err)
{
    struct gs_run *r = world;
    struct gs_pace_state *s = r->pace;
    (void)ev;
    (void)result;
    (void)err;
    gs_links_settle(r); /* so that effects see rates of now */
    for (int e = 0; e < GS_EFFECT_COUNT; e++)
        if (s->on[e] && gs_effects[e]->settle)
            gs_effects[e]->settle(r);
    gs_links_settle(r);
    for (size_t i = 0; i < s->touched.n; i++)
        repace(r, s->touched.v[i]);
    s->touched.n = 0;
    s->due = 0;
    return GS_OK;
}

/* ---- the attempt ---- */

void gs_pace_start(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n)
{
    struct gs_pace_slot *s = slot_at(r, slot);
    const uint8_t touched = s->touched; /* by the attempt that held the slot before, this instant */
    memset(s, 0, sizeof *s);
    s->touched = touched;
    s->active = s->fresh = 1;
    s->since_ns = r->eng.now_ns;
    s->left_ns = r->live.left_ns[slot];
    gs_pace_reference(r, slot, &s->now);
    s->dilation = GS_ONE;
    r->pace->starting = 1;
    for (int e = 0; e < GS_EFFECT_COUNT; e++)
        if (r->pace->on[e] && gs_effects[e]->start)
            gs_effects[e]->start(r, slot, held, n);
    r->pace->starting = 0;
    if (!gs_pace_waits(r, slot, GS_EFFECT_STARTUP))
        begin_work(r, slot, held, n);
    gs_pace_touch(r, slot);
}

void gs_pace_stop(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n)
{
    if (!r->pace || !slot_at(r, slot)->active)
        return;
    close_segment(r, slot);
    r->live.left_ns[slot] = slot_at(r, slot)->left_ns;
    for (int e = GS_EFFECT_COUNT; e-- > 0;)
        if (r->pace->on[e] && gs_effects[e]->stop)
            gs_effects[e]->stop(r, slot, held, n);
    slot_at(r, slot)->active = 0;
}

/* ---- the run ---- */

static int any_parts(const struct gs_run *r)
{
    for (size_t i = 0; i < r->w.jobs.n; i++)
        if (r->w.jobs.v[i].comm_q || r->w.jobs.v[i].idle_q)
            return 1;
    return 0;
}

enum gs_rc gs_pace_prepare(struct gs_run *r, struct gs_err *err)
{
    int any = any_parts(r);
    uint8_t on[GS_EFFECT_COUNT] = {0};
    for (int e = 0; e < GS_EFFECT_COUNT; e++) {
        int it = 0;
        const enum gs_rc rc = gs_effects[e] ? gs_effects[e]->prepare(r, &it, err) : GS_OK;
        if (rc)
            return rc;
        on[e] = it != 0;
        any |= it;
    }
    if (!any)
        return GS_OK;
    r->pace = GS_NEW(struct gs_pace_state);
    memcpy(r->pace->on, on, sizeof on);
    gs_metrics_split(r->m);
    return GS_OK;
}

void gs_pace_release(struct gs_run *r)
{
    for (int e = 0; e < GS_EFFECT_COUNT; e++)
        if (gs_effects[e] && gs_effects[e]->release)
            gs_effects[e]->release(r);
    gs_storage_release(r);
    gs_links_release(r);
    if (!r->pace)
        return;
    gs_vec_free(&r->pace->touched);
    gs_free(r->pace->slot);
    gs_free(r->pace);
    r->pace = NULL;
}

void gs_pace_visit(struct gs_run *r, struct gs_visitor *v)
{
    if (!r->pace)
        return;
    for (uint32_t i = 0; i < r->pace->cap; i++) {
        struct gs_pace_slot *s = &r->pace->slot[i];
        if (!s->active)
            continue;
        gs_visit_i64(v, GS_TAG('p', 'n', 'o', 'w'), s->now.q, GS_TIME_COUNT);
        gs_visit_i64(v, GS_TAG('p', 's', 'n', 'c'), &s->since_ns, 1);
        gs_visit_i64(v, GS_TAG('p', 'l', 'f', 't'), &s->left_ns, 1);
        gs_visit_i64(v, GS_TAG('p', 'b', 's', 'y'), &s->busy_ns, 1);
        gs_visit_u32(v, GS_TAG('p', 'w', 't', 's'), &s->waits, 1);
    }
    for (int e = 0; e < GS_EFFECT_COUNT; e++)
        if (r->pace->on[e] && gs_effects[e]->visit)
            gs_effects[e]->visit(r, v);
    gs_links_visit(r, v);
}

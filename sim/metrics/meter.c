/* meter.c - one account a unit, closed at each of its changes (meter.h). */
#include "sim/metrics/meter.h"

#include "sim/base/mem.h"
#include "sim/base/vec.h"

#include "sim/base/banned.h"

#define WHOLE 1000

struct claim {
    uint32_t unit, job, next, prev; /* next is also the free list */
    int64_t weight, mw;
};

struct unit {
    int64_t rate, base_mw, since_ns, weight, own_mw;
    uint32_t first; /* claim */
    gs_i128 energy; /* mW x ns up to since */
    struct gs_charge idle, all;
};

struct gs_meter {
    struct unit *unit;
    struct gs_charge *job;
    GS_VEC(struct claim) claim;
    uint32_t nunits, njobs, spare;
    int64_t power_mw, peak_mw, rate, changed_ns;
};

struct gs_meter *gs_meter_new(uint32_t units, uint32_t jobs)
{
    struct gs_meter *m = GS_NEW(struct gs_meter);
    m->unit = GS_NEW_N(struct unit, units ? units : 1);
    m->job = GS_NEW_N(struct gs_charge, jobs ? jobs : 1);
    m->nunits = units;
    m->njobs = jobs;
    m->spare = GS_NONE;
    for (uint32_t i = 0; i < units; i++)
        m->unit[i].first = GS_NONE;
    return m;
}

void gs_meter_free(struct gs_meter *m)
{
    if (!m)
        return;
    gs_free(m->unit);
    gs_free(m->job);
    gs_vec_free(&m->claim);
    gs_free(m);
}

/* a x b / c, rounded down; c x b fits. */
static gs_i128 part_of(gs_i128 a, int64_t b, int64_t c)
{
    return a / c * b + a % c * b / c;
}

/* Charges the time since the unit's last change to its claims; what is over (nobody's, or of rounding) is idle or the first claim's. */
static void settle(struct gs_meter *m, struct unit *u, int64_t now_ns)
{
    const int64_t dt = now_ns - u->since_ns;
    gs_require(dt >= 0);
    u->since_ns = now_ns;
    if (!dt || (!u->rate && !u->base_mw && !u->own_mw))
        return;
    const gs_i128 money = (gs_i128)u->rate * dt * WHOLE;
    const gs_i128 base = (gs_i128)u->base_mw * dt * WHOLE;
    const int64_t all = u->weight > WHOLE ? u->weight : WHOLE;
    gs_i128 money_left = money, base_left = base;
    for (uint32_t c = u->first; c != GS_NONE; c = m->claim.v[c].next) {
        const struct claim *k = &m->claim.v[c];
        const gs_i128 mine = part_of(money, k->weight, all), heat = part_of(base, k->weight, all);
        m->job[k->job].money += mine;
        m->job[k->job].energy += heat + (gs_i128)k->mw * dt * WHOLE;
        money_left -= mine;
        base_left -= heat;
    }
    struct gs_charge *rest = u->weight > WHOLE ? &m->job[m->claim.v[u->first].job] : &u->idle;
    rest->money += money_left;
    rest->energy += base_left;
    u->energy += (gs_i128)(u->base_mw + u->own_mw) * dt;
    u->all.money += money;
    u->all.energy += base + (gs_i128)u->own_mw * dt * WHOLE;
}

/* Levels are about to change: a level counts as a peak if it has lasted. */
static struct unit *touch(struct gs_meter *m, int64_t now_ns, uint32_t unit)
{
    gs_require(unit < m->nunits);
    if (now_ns > m->changed_ns && m->power_mw > m->peak_mw)
        m->peak_mw = m->power_mw;
    m->changed_ns = now_ns;
    settle(m, &m->unit[unit], now_ns);
    return &m->unit[unit];
}

void gs_meter_unit(struct gs_meter *m, int64_t now_ns, uint32_t unit, int64_t rate, int64_t base_mw)
{
    struct unit *u = touch(m, now_ns, unit);
    m->rate += rate - u->rate;
    m->power_mw += base_mw - u->base_mw;
    u->rate = rate;
    u->base_mw = base_mw;
}

uint32_t gs_meter_join(struct gs_meter *m, int64_t now_ns, uint32_t unit, uint32_t job,
                       uint32_t weight_milli)
{
    struct unit *u = touch(m, now_ns, unit);
    gs_require(job < m->njobs);
    uint32_t c = m->spare;
    if (c == GS_NONE) {
        c = (uint32_t)m->claim.n;
        gs_vec_push(&m->claim, (struct claim){0});
    } else {
        m->spare = m->claim.v[c].next;
    }
    m->claim.v[c] = (struct claim){
        .unit = unit, .job = job, .next = u->first, .prev = GS_NONE, .weight = weight_milli};
    if (u->first != GS_NONE)
        m->claim.v[u->first].prev = c;
    u->first = c;
    u->weight += weight_milli;
    return c;
}

void gs_meter_draw(struct gs_meter *m, int64_t now_ns, uint32_t claim, int64_t mw)
{
    struct claim *k = &m->claim.v[claim];
    if (k->mw == mw)
        return;
    touch(m, now_ns, k->unit)->own_mw += mw - k->mw;
    m->power_mw += mw - k->mw;
    k->mw = mw;
}

void gs_meter_leave(struct gs_meter *m, int64_t now_ns, uint32_t claim)
{
    gs_meter_draw(m, now_ns, claim, 0);
    struct claim *k = &m->claim.v[claim];
    struct unit *u = touch(m, now_ns, k->unit);
    u->weight -= k->weight;
    if (k->prev == GS_NONE)
        u->first = k->next;
    else
        m->claim.v[k->prev].next = k->next;
    if (k->next != GS_NONE)
        m->claim.v[k->next].prev = k->prev;
    k->next = m->spare;
    m->spare = claim;
}

void gs_meter_end(struct gs_meter *m, int64_t now_ns)
{
    for (uint32_t i = 0; i < m->nunits; i++)
        (void)touch(m, now_ns, i);
}

struct gs_charge gs_meter_job(const struct gs_meter *m, uint32_t job)
{
    return m->job[job];
}

static struct gs_charge sum(const struct gs_meter *m, int idle)
{
    struct gs_charge s = {0};
    for (uint32_t i = 0; i < m->nunits; i++) {
        const struct gs_charge *c = idle ? &m->unit[i].idle : &m->unit[i].all;
        s.money += c->money;
        s.energy += c->energy;
    }
    return s;
}

struct gs_charge gs_meter_idle(const struct gs_meter *m)
{
    return sum(m, 1);
}

struct gs_charge gs_meter_total(const struct gs_meter *m)
{
    return sum(m, 0);
}

gs_i128 gs_meter_unit_energy(const struct gs_meter *m, uint32_t unit, int64_t now_ns)
{
    const struct unit *u = &m->unit[unit];
    return u->energy + (gs_i128)(u->base_mw + u->own_mw) * (now_ns - u->since_ns);
}

int64_t gs_meter_power(const struct gs_meter *m)
{
    return m->power_mw;
}

int64_t gs_meter_peak(const struct gs_meter *m)
{
    return m->peak_mw;
}

int64_t gs_meter_rate(const struct gs_meter *m)
{
    return m->rate;
}

void gs_meter_visit(struct gs_meter *m, struct gs_visitor *v)
{
    gs_visit_i64(v, GS_TAG('m', 'p', 'o', 'w'), &m->power_mw, 1);
    for (uint32_t i = 0; i < m->njobs; i++) {
        gs_visit_i128(v, GS_TAG('m', 'm', 'o', 'n'), &m->job[i].money, 1);
        gs_visit_i128(v, GS_TAG('m', 'e', 'n', 'e'), &m->job[i].energy, 1);
    }
}

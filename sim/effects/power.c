/* power.c - the effect of power: jobs charge the meter for what they hold and draw, and a cap slows their computing.
 *
 * A GPU is a unit of the meter, so is a node without any; a node's price is divided evenly among its GPUs (nano-USD that are over go to the first
 * ones), and so is the power of its host. Jobs that only use the CPUs of a node with GPUs ride free: the price is the GPUs'. Kernels run while a
 * job computes, communicates or is throttled; that communication draws as much as computing overstates it. A job on several devices
 * computes at the speed of the slowest. Power changes only where a pace does, a job comes or goes, or a node changes its state. */
#include "sim/effects/power.h"

#include "sim/effects/effects.h"

#include <math.h>

struct row { /* a device of the job */
    uint32_t claim, kind, share_milli;
};

struct gs_power_slot {
    struct row *row;
    uint32_t n, cap;
    int64_t dilation; /* of computing, Q30 */
    int64_t milli;    /* GPU share held */
};

static struct gs_power_slot *slot_at(struct gs_run *r, uint32_t slot)
{
    struct gs_power_state *s = r->power;
    if (slot >= s->slots) {
        const uint32_t cap = r->live.jobs_cap;
        s->slot = gs_resize(s->slot, cap, sizeof *s->slot);
        for (uint32_t i = s->slots; i < cap; i++)
            s->slot[i] = (struct gs_power_slot){0};
        s->slots = cap;
    }
    return &s->slot[slot];
}

/* ---- nodes ---- */

/* Part i of x divided evenly into n. */
static int64_t even(int64_t x, uint32_t n, uint32_t i)
{
    return x / n + (i < (uint64_t)(x % n));
}

void gs_power_node_state(struct gs_run *r, uint32_t node)
{
    struct gs_power_state *s = r->power;
    const struct gs_cluster *c = &r->cluster;
    if (!s)
        return;
    const struct gs_power_node *p = &s->node[node];
    const int there = c->node_state[node] != GS_NODE_ABSENT && p->bought;
    const int up = c->node_state[node] == GS_NODE_UP || c->node_state[node] == GS_NODE_DRAINING;
    const int64_t rate = (up || there) && p->rate > 0 ? p->rate : 0, host = up ? p->host_mw : 0;
    const uint32_t n = c->gpu_count[node];
    const int64_t idle = up && p->kind != GS_NONE ? s->kind.v[p->kind].idle_mw : 0;
    for (uint32_t i = 0; i < n; i++)
        gs_meter_unit(s->bill->meter, r->eng.now_ns, c->gpu_first[node] + i, even(rate, n, i),
                      idle + even(host, n, i));
    if (n == 0)
        gs_meter_unit(s->bill->meter, r->eng.now_ns, c->ngpus + node, rate, host);
}

double gs_power_watts(const struct gs_run *r)
{
    return r->power && r->power->tariff.powered
               ? (double)gs_meter_power(r->power->bill->meter) / 1000
               : (double)NAN;
}

double gs_power_usd_per_h(const struct gs_run *r)
{
    return r->power && r->power->tariff.priced ? (double)gs_meter_rate(r->power->bill->meter) / 1e9
                                               : (double)NAN;
}

static enum gs_rc prepare(struct gs_run *r, int *on, struct gs_err *err)
{
    (void)err;
    if (!r->power)
        return GS_OK;
    const struct gs_cluster *c = &r->cluster;
    r->power->bill = gs_bill_new(&r->w, gs_meter_new(c->ngpus + c->nnodes, (uint32_t)r->w.jobs.n),
                                 &r->power->tariff);
    gs_metrics_set_bill(r->m, r->power->bill);
    for (uint32_t i = 0; i < c->nnodes; i++)
        gs_power_node_state(r, i);
    *on = 1;
    return GS_OK;
}

/* ---- jobs ---- */

static uint32_t weight_of(const struct gs_run *r, const struct gs_held *h)
{
    const uint32_t mib = r->cluster.gpu_mem_mib[h->gpu];
    const uint32_t memory = mib ? (uint32_t)((uint64_t)h->mem_mib * 1000 / mib) : h->milli;
    if (r->power->share_price == GS_SHARE_COMPUTE)
        return h->milli;
    if (r->power->share_price == GS_SHARE_LARGER)
        return h->milli > memory ? h->milli : memory;
    return memory;
}

static void add_row(struct gs_power_slot *s, const struct row *row)
{
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 8;
        s->row = gs_resize(s->row, s->cap, sizeof *s->row);
    }
    s->row[s->n++] = *row;
}

static void hold(struct gs_run *r, uint32_t slot, const struct gs_held *h)
{
    struct gs_power_slot *s = slot_at(r, slot);
    struct gs_meter *m = r->power->bill->meter;
    const struct gs_cluster *c = &r->cluster;
    const uint32_t id = r->live.id[slot], kind = r->power->node[h->node].kind;
    const int64_t now = r->eng.now_ns;
    if (h->gpu == GS_NONE) {
        const int64_t cpus = c->cpus_milli[h->node];
        if (c->gpu_count[h->node] || cpus <= 0)
            return;
        const uint32_t part = (uint32_t)((gs_i128)h->cpus_milli * 1000 / cpus);
        add_row(s, &(struct row){gs_meter_join(m, now, c->ngpus + h->node, id, part), GS_NONE, 0});
        return;
    }
    add_row(s, &(struct row){gs_meter_join(m, now, h->gpu, id, weight_of(r, h)), kind, h->milli});
    s->milli += h->milli;
    if (kind != GS_NONE) {
        const int64_t d = gs_power_dilation(&r->power->kind.v[kind]);
        s->dilation = d > s->dilation ? d : s->dilation;
    }
}

static void start(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n)
{
    struct gs_power_slot *s = slot_at(r, slot);
    s->n = 0;
    s->milli = 0;
    s->dilation = GS_ONE;
    for (uint32_t i = 0; i < n; i++)
        hold(r, slot, &held[i]);
    gs_bill_hold(r->power->bill, r->live.id[slot], s->milli);
}

static void stop(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n)
{
    struct gs_power_slot *s = slot_at(r, slot);
    (void)held;
    (void)n;
    for (uint32_t i = s->n; i-- > 0;)
        gs_meter_leave(r->power->bill->meter, r->eng.now_ns, s->row[i].claim);
    gs_bill_hold(r->power->bill, r->live.id[slot], -s->milli);
    s->n = 0;
}

static void pace(struct gs_run *r, uint32_t slot, struct gs_pace *p)
{
    const int64_t d = slot_at(r, slot)->dilation;
    if (d > GS_ONE)
        p->q[GS_TIME_THROTTLED] +=
            (int64_t)((gs_i128)p->q[GS_TIME_COMPUTE] * (d - GS_ONE) / GS_ONE);
}

/* Its time is divided so from now on: so much of it kernels run. */
static void paced(struct gs_run *r, uint32_t slot, const struct gs_pace *p)
{
    const struct gs_power_slot *s = slot_at(r, slot);
    const int64_t kernels =
        p->q[GS_TIME_COMPUTE] + p->q[GS_TIME_COMMUNICATION] + p->q[GS_TIME_THROTTLED];
    const int64_t busy = (int64_t)((gs_i128)kernels * GS_ONE / gs_pace_sum(p));
    for (uint32_t i = 0; i < s->n; i++)
        if (s->row[i].kind != GS_NONE)
            gs_meter_draw(
                r->power->bill->meter, r->eng.now_ns, s->row[i].claim,
                gs_power_draw(&r->power->kind.v[s->row[i].kind], s->row[i].share_milli, busy));
}

static void release(struct gs_run *r)
{
    struct gs_power_state *s = r->power;
    if (!s)
        return;
    for (uint32_t i = 0; i < s->slots; i++)
        gs_free(s->slot[i].row);
    gs_free(s->slot);
    gs_free(s->node);
    gs_vec_free(&s->kind);
    gs_free(s);
    r->power = NULL;
}

const struct gs_effect gs_effect_power = {.name = "power",
                                          .prepare = prepare,
                                          .start = start,
                                          .stop = stop,
                                          .pace = pace,
                                          .paced = paced,
                                          .release = release};

/* network.c - the effect of distance: what a job's placement makes of its communication, and what other jobs leave of the links.
 *
 * A job of several domains (nodes, or nodes that NVLink joins) is one group of the flow solver for as long as it runs: a ring through its
 * nodes on each rail that all of them have, summed to a weight a link. Its rate, against that of its reference placement, says
 * how long its communication takes (sim/network/pace.h); computing stays as it is. The reference is the tightest placement
 * of as many GPUs of the model that it got: the fewest domains, all on one leaf, alone.
 *
 * Greedy: every group sends all the time as fast as it is let, then the pace follows from the rate, without iterating. This overstates
 * contention for jobs that rarely communicate. With duty_cycle a group asks for no more than its rate alone x the share of its
 * time that it communicates when alone: the other extreme, in which bursts of different jobs never meet.
 *
 * A job with a sensitivity is slowed by a factor of the level that its nodes share instead, whoever else is there.
 * A group opens when the job's start-up is over. What goes beyond the reference is communication. O(links of the job) at its start and end. */
#include "sim/effects/network.h"

#include "sim/effects/links.h"
#include "sim/effects/place.h"
#include "sim/training_jobs.h"

#include "sim/base/banned.h"

#define SLOWEST 1e6 /* a pace is at most so many times slower */

struct use {                             /* a running job */
    struct gs_place place;               /* ring.between: of a stream, alone */
    const struct gs_training_job *train; /* NULL = given by its run time */
    double reference;                    /* cost of a ring on the reference placement; 0 = none */
    int64_t alone, demand;               /* bytes/s of a stream; what it asks for */
    int64_t factor_q;                    /* of its sensitivity; 0 = has none */
    uint32_t group;
    uint8_t stalled, cut;
};

struct gs_network_state {
    uint32_t first_link; /* of the topology, among the shared links */
    struct gs_places *places;
    struct use *use; /* [slots] */
    uint32_t cap;
    uint32_t *down; /* [links] failures */
    uint32_t ndown; /* links that are */
    int look;       /* a link failed or came back at this instant */
    struct gs_arena scratch;
    GS_VEC(struct gs_flow) flows;
};

/* ---- the pace ---- */

static int64_t scaled(int64_t q, double by)
{
    return (int64_t)((double)q * (by < SLOWEST ? by : SLOWEST) + 0.5);
}

/* What computing and communicating take where a stream gets `between` bytes/s. */
static void pace_at(const struct gs_run *r, uint32_t slot, const struct use *u, double between,
                    struct gs_pace *p)
{
    struct gs_ring now = u->place.ring;
    now.between = between;
    if (!u->train) {
        p->q[GS_TIME_COMMUNICATION] =
            scaled(p->q[GS_TIME_COMMUNICATION], gs_ring_cost(&now) / u->reference);
        return;
    }
    struct gs_train_place place = gs_train_tightest(&u->train->train, &u->train->gpu);
    struct gs_pace own;
    gs_pace_reference(r, slot, &own);
    if (now.domains > 1) {
        place.gpus_per_domain = u->place.fewest;
        place.inter_gbs = (double)now.streams * between / (double)u->place.node_gpus / 1e9;
    }
    const struct gs_train_pace t = gs_train_pace(&u->train->train, &u->train->gpu, &place);
    p->q[GS_TIME_COMPUTE] += t.compute - own.q[GS_TIME_COMPUTE];
    p->q[GS_TIME_COMMUNICATION] += t.communication - own.q[GS_TIME_COMMUNICATION];
}

/* A job that is not held up by others communicates for this part of its time. */
static double busy_share(const struct gs_run *r, uint32_t slot, const struct use *u)
{
    struct gs_pace p;
    gs_pace_reference(r, slot, &p);
    pace_at(r, slot, u, (double)u->alone, &p);
    return (double)p.q[GS_TIME_COMMUNICATION] / (double)gs_pace_sum(&p);
}

static void open_stream(struct gs_run *r, uint32_t slot, struct use *u)
{
    struct gs_network_state *s = r->network;
    const struct gs_group_load load = gs_topology_group(
        r->topology, GS_PATTERN_RING, s->places->member.v, (uint32_t)s->places->member.n);
    uint32_t *link = gs_arena_alloc(&s->scratch, load.nlinks * sizeof *link, sizeof *link);
    u->place.ring.streams = load.streams;
    u->alone = load.alone;
    u->cut = load.cut != 0;
    if (u->cut) {
        u->stalled = 1;
        gs_pace_wait_part(r, slot, GS_EFFECT_NETWORK, GS_TIME_COMMUNICATION);
        return;
    }
    u->place.ring.between = (double)u->alone;
    u->demand = u->alone;
    if (r->duty_cycle)
        u->demand = (int64_t)((double)u->alone * busy_share(r, slot, u));
    u->demand = u->demand > 0 ? u->demand : 1;
    s->flows.n = 0;
    for (uint32_t i = 0; i < load.nlinks; i++) {
        link[i] = s->first_link + load.link[i].link;
        gs_vec_push(&s->flows, ((struct gs_flow){
                                   .links = &link[i], .nlinks = 1, .weight = load.link[i].weight}));
    }
    u->group =
        gs_links_stream(r, GS_EFFECT_NETWORK, slot, s->flows.v, (uint32_t)s->flows.n, u->demand);
    gs_arena_reset(&s->scratch);
    s->look |= s->ndown > 0;
}

static void start(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n)
{
    struct gs_network_state *s = r->network;
    (void)held;
    (void)n;
    if (slot >= s->cap) {
        s->use = gs_resize(s->use, r->live.jobs_cap, sizeof *s->use);
        for (; s->cap < r->live.jobs_cap; s->cap++)
            s->use[s->cap] = (struct use){.group = GS_NONE};
    }
    s->use[slot] = (struct use){.group = GS_NONE};
}

static void begin(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n)
{
    struct gs_network_state *s = r->network;
    const struct gs_job *j = &r->w.jobs.v[r->live.id[slot]];
    struct use *u = &s->use[slot];
    if (!j->comm_q && !j->sensitivity)
        return;
    if (!gs_places_look(s->places, r, held, n))
        return;
    if (j->sensitivity)
        u->factor_q = r->sensitivities.v[j->sensitivity - 1].q[gs_places_span(s->places, r)];
    if (!j->comm_q || j->gpus < 2)
        return;
    const uint32_t model = r->cluster.node_model[s->places->member.v[0].node];
    const struct gs_ring best = gs_places_tightest(s->places, model, j->gpus, 0);
    u->train = gs_training_of(r, j);
    u->place = gs_places_of(s->places, r);
    u->reference = gs_ring_cost(&best);
    if (!r->topology)
        u->place.ring.domains = 1;
    if (u->reference > 0 && u->place.ring.domains > 1)
        open_stream(r, slot, u);
}

static void stop(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n)
{
    struct use *u = &r->network->use[slot];
    (void)held;
    (void)n;
    if (u->group != GS_NONE)
        gs_links_remove(r, u->group);
    *u = (struct use){.group = GS_NONE};
}

/* ---- the pace ---- */

static void pace(struct gs_run *r, uint32_t slot, struct gs_pace *p)
{
    const struct use *u = &r->network->use[slot];
    if (u->factor_q)
        p->q[GS_TIME_COMMUNICATION] +=
            (int64_t)((gs_i128)gs_pace_sum(p) * (u->factor_q - GS_ONE) / GS_ONE);
    if (!(u->reference > 0))
        return;
    double between = u->place.ring.between;
    if (u->group != GS_NONE) {
        const double rate = (double)gs_links_rate(r, u->group);
        between = (double)u->alone * (rate > 1 ? rate : 1) / (double)u->demand;
    }
    pace_at(r, slot, u, between, p);
}

/* ---- failures ---- */

static void settle(struct gs_run *r)
{
    struct gs_network_state *s = r->network;
    if (!s->look)
        return;
    s->look = 0;
    for (uint32_t slot = 0; slot < s->cap; slot++) {
        struct use *u = &s->use[slot];
        if (u->group == GS_NONE)
            continue;
        const int stalled = gs_links_rate(r, u->group) == 0;
        if (stalled == u->stalled)
            continue;
        u->stalled = stalled != 0;
        if (stalled)
            gs_pace_wait_part(r, slot, GS_EFFECT_NETWORK, GS_TIME_COMMUNICATION);
        else
            gs_pace_go(r, slot, GS_EFFECT_NETWORK);
    }
}

static void set_link(struct gs_run *r, uint32_t link)
{
    struct gs_network_state *s = r->network;
    const int64_t full = gs_topology_link(r->topology, link)->bytes_per_s;
    gs_links_set_capacity(r, s->first_link + link, s->down[link] ? 0 : full);
    s->look = 1;
}

void gs_network_link_up(struct gs_run *r, uint32_t link, int up)
{
    struct gs_network_state *s = r->network;
    if (!s || !s->down)
        return;
    gs_require(link < gs_topology_links(r->topology) && (!up || s->down[link]));
    s->down[link] += up ? UINT32_MAX : 1;
    s->ndown += up ? (s->down[link] ? 0 : UINT32_MAX) : s->down[link] == 1;
    set_link(r, link);
}

void gs_network_cable_up(struct gs_run *r, uint32_t up_link, int up)
{
    gs_network_link_up(r, up_link, up);
    gs_network_link_up(r, up_link + 1, up);
}

void gs_network_switch_up(struct gs_run *r, uint32_t vertex, int up)
{
    if (!r->network || !r->network->down)
        return;
    for (uint32_t l = 0; l < gs_topology_links(r->topology); l++) {
        const struct gs_net_link *link = gs_topology_link(r->topology, l);
        if (link->from == vertex || link->to == vertex)
            gs_network_link_up(r, l, up);
    }
}

int gs_network_stalled(const struct gs_run *r, uint32_t slot)
{
    return r->network && slot < r->network->cap && r->network->use[slot].stalled;
}

/* ---- the run ---- */

static const char *tier_name(const struct gs_topology *t, uint32_t tier)
{
    static const char *const names[] = {"nic", "leaf", "spine", "core"};
    if (gs_topology_kind(t) == GS_TOPOLOGY_TORUS)
        return "torus";
    return tier < sizeof names / sizeof *names ? names[tier] : "trunk";
}

static void add_links(struct gs_run *r)
{
    struct gs_network_state *s = r->network;
    const uint32_t n = gs_topology_links(r->topology);
    s->down = GS_NEW_N(uint32_t, n + 1);
    for (uint32_t l = 0; l < n; l++) {
        const struct gs_net_link *link = gs_topology_link(r->topology, l);
        char from[160], to[160];
        const uint32_t id = gs_links_add(
            r, &(struct gs_link_spec){
                   .from = gs_topology_vertex_name(r->topology, link->from, from, sizeof from),
                   .to = gs_topology_vertex_name(r->topology, link->to, to, sizeof to),
                   .level = tier_name(r->topology, link->tier),
                   .bytes_per_s = link->bytes_per_s});
        if (l == 0)
            s->first_link = id;
    }
}

uint32_t gs_network_first_link(const struct gs_run *r)
{
    return r->network && r->network->down ? r->network->first_link : GS_NONE;
}

static void set_up(struct gs_run *r)
{
    if (r->network)
        return;
    r->network = GS_NEW(struct gs_network_state);
    r->network->places = gs_places_new(r);
}

static enum gs_rc prepare(struct gs_run *r, int *on, struct gs_err *err)
{
    int comm = 0, sensitive = 0;
    for (size_t i = 0; i < r->w.jobs.n; i++) {
        const struct gs_job *j = &r->w.jobs.v[i];
        comm |= j->comm_q && j->gpus > 1;
        sensitive |= j->sensitivity != 0;
        if (j->comm_q && j->sensitivity)
            return gs_fail(err, GS_E_INPUT,
                           "the jobs of '%s' have both comm and a sensitivity: what distance does "
                           "to them is said twice",
                           gs_intern_str(&r->str, r->w.sources.v[j->source]));
    }
    if (!comm && !sensitive)
        return GS_OK;
    set_up(r);
    *on = sensitive || r->topology || r->network->places->inside.n;
    if (comm && r->topology)
        add_links(r);
    else if (comm && r->cluster.nnodes > 1)
        gs_note(r->log,
                "no [network]: communication between nodes takes what it takes on the tightest "
                "placement, wherever a job stands");
    return GS_OK;
}

double gs_network_slowdown(struct gs_run *r, uint32_t gpus, uint32_t nodes, double comm)
{
    const struct gs_cluster *c = &r->cluster;
    uint32_t best = 0;
    if (!r->topology || gpus < 2 || !c->nmodels)
        return 1;
    set_up(r);
    const struct gs_places *p = r->network->places;
    for (uint32_t m = 1; m < c->nmodels; m++)
        if (p->machine[m].domain_gpus > p->machine[best].domain_gpus)
            best = m;
    const struct gs_ring tight = gs_places_tightest(p, best, gpus, 0),
                         was = gs_places_tightest(p, best, gpus, nodes);
    return 1 - comm + comm * (gs_ring_cost(&was) / gs_ring_cost(&tight));
}

static void release(struct gs_run *r)
{
    struct gs_network_state *s = r->network;
    if (!s)
        return;
    gs_places_free(s->places);
    gs_free(s->use);
    gs_free(s->down);
    gs_vec_free(&s->flows);
    gs_arena_release(&s->scratch);
    gs_free(s);
    r->network = NULL;
}

static void visit(struct gs_run *r, struct gs_visitor *v)
{
    struct gs_network_state *s = r->network;
    for (uint32_t slot = 0; slot < s->cap; slot++) {
        gs_visit_u32(v, GS_TAG('n', 'g', 'r', 'p'), &s->use[slot].group, 1);
        gs_visit_i64(v, GS_TAG('n', 'd', 'e', 'm'), &s->use[slot].demand, 1);
        gs_visit_u8(v, GS_TAG('n', 's', 't', 'l'), &s->use[slot].stalled, 1);
    }
}

const struct gs_effect gs_effect_network = {.name = "network",
                                            .prepare = prepare,
                                            .start = start,
                                            .begin = begin,
                                            .stop = stop,
                                            .pace = pace,
                                            .settle = settle,
                                            .release = release,
                                            .visit = visit};

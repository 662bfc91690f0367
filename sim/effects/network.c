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
 * What goes beyond the reference is communication. O(links of the job) at its start and end. */
#include "sim/effects/network.h"

#include "sim/base/sort.h"
#include "sim/effects/links.h"
#include "sim/network/pace.h"
#include "sim/network/topology.h"
#include "sim/training_jobs.h"

#include <string.h>

#include "sim/base/banned.h"

#define PCIE_DEFAULT 25e9 /* bytes/s where the catalog has none: 16 lanes of generation 4, usable */
#define SLOWEST      1e6  /* a pace is at most so many times slower */

struct use {                             /* a running job */
    struct gs_ring spread;               /* between: of a stream, alone */
    uint32_t fewest, node_gpus;          /* GPUs in the emptiest domain, on the fullest node */
    const struct gs_training_job *train; /* NULL = given by its run time */
    double reference;                    /* cost on the reference placement */
    int64_t alone, demand;               /* bytes/s of a stream; what it asks for */
    int64_t factor_q;                    /* of its sensitivity; 0 = has none */
    uint32_t group;
    uint8_t stalled, cut;
};

struct kind { /* a model of GPU in this cluster: its best machine */
    uint32_t node_gpus, domain_gpus, rails;
    int64_t rail_rate;
    double nvlink, pcie, link; /* bytes/s, one direction: all NVLinks of a GPU, PCIe, one NVLink */
    uint32_t mesh;             /* of that machine, GS_NONE = all pairs are equal */
};

struct type { /* of server, with a mesh */
    uint32_t name;
    struct gs_mesh mesh;
};

struct gs_network_state {
    uint32_t first_link; /* of the topology, among the shared links */
    struct kind *kind;   /* [models] */
    GS_VEC(struct type) types;
    struct use *use; /* [slots] */
    uint32_t cap;
    uint32_t *down;  /* [links] failures */
    uint32_t *share; /* [links] thousandths that are left */
    uint32_t ndown;  /* links that are */
    int look;        /* a link failed or came back at this instant */
    GS_VEC(struct gs_member) members;
    GS_VEC(uint64_t) gpus; /* of each member: bit per GPU */
    struct gs_arena scratch;
    GS_VEC(struct gs_flow) flows;
};

/* ---- machines ---- */

static uint32_t mesh_of(const struct gs_run *r, uint32_t node)
{
    const struct gs_network_state *s = r->network;
    for (uint32_t i = 0; i < s->types.n; i++)
        if (s->types.v[i].name == r->cluster.node_type[node])
            return i;
    return GS_NONE;
}

static void add_mesh(struct gs_run *r, uint32_t type_name)
{
    struct gs_network_state *s = r->network;
    const struct gs_server_model *m =
        gs_catalog_server(&r->catalog, gs_intern_str(&r->str, type_name));
    if (!m || !m->link_matrix || !*m->link_matrix || m->gpus > GS_MESH_MAX)
        return;
    struct type t = {.name = type_name, .mesh.gpus = m->gpus};
    gs_catalog_need(&r->catalog, GS_CATALOG_LINKS);
    for (size_t i = 0; i < r->catalog.nlinks; i++) {
        const struct gs_gpu_link *l = &r->catalog.links[i];
        if (strcmp(l->matrix, m->link_matrix) == 0 && (uint32_t)l->a < m->gpus &&
            (uint32_t)l->b < m->gpus)
            t.mesh.links[l->a][l->b] = t.mesh.links[l->b][l->a] = (uint8_t)l->nvlinks;
    }
    gs_mesh_seal(&t.mesh);
    gs_vec_push(&s->types, t);
}

static void find_meshes(struct gs_run *r)
{
    uint32_t last = GS_NONE;
    for (uint32_t n = 0; n < r->cluster.nnodes; n++) {
        const uint32_t type = r->cluster.node_type[n];
        if (type == last || mesh_of(r, n) != GS_NONE)
            continue;
        last = type;
        add_mesh(r, type);
    }
}

static void rate_kind(struct gs_run *r, uint32_t model)
{
    struct kind *k = &r->network->kind[model];
    const struct gs_gpu_model *g =
        gs_catalog_gpu(&r->catalog, gs_intern_str(&r->str, r->cluster.model_name[model]));
    k->mesh = GS_NONE;
    k->pcie = g && g->pcie_gbs > 0 ? g->pcie_gbs * 1e9 : PCIE_DEFAULT;
    k->nvlink = g && g->nvlink_uni_gbs > 0 ? g->nvlink_uni_gbs * 1e9 : k->pcie;
    k->link = g && g->nvlink_links > 0 ? k->nvlink / (double)g->nvlink_links : k->nvlink;
}

/* GPUs that NVLink joins to those of the node, itself included. */
static uint32_t domain_gpus(const struct gs_run *r, const uint32_t *sum, uint32_t node)
{
    const uint32_t d = r->topology ? gs_topology_domain(r->topology, node) : GS_NONE;
    return d == GS_NONE ? r->cluster.gpu_count[node] : sum[d];
}

static void find_kinds(struct gs_run *r)
{
    struct gs_network_state *s = r->network;
    const struct gs_cluster *c = &r->cluster;
    uint32_t *sum = GS_NEW_N(uint32_t, c->nnodes + 1); /* domains are fewer than nodes */
    s->kind = GS_NEW_N(struct kind, c->nmodels + 1);
    for (uint32_t m = 0; m < c->nmodels; m++)
        rate_kind(r, m);
    for (uint32_t n = 0; r->topology && n < c->nnodes; n++)
        if (gs_topology_domain(r->topology, n) != GS_NONE)
            sum[gs_topology_domain(r->topology, n)] += c->gpu_count[n];
    for (uint32_t n = 0; n < c->nnodes; n++) {
        const uint32_t gpus = c->gpu_count[n], domain = domain_gpus(r, sum, n);
        struct kind *k = gpus ? &s->kind[c->node_model[n]] : NULL;
        if (!k || domain < k->domain_gpus || (domain == k->domain_gpus && gpus <= k->node_gpus))
            continue;
        k->domain_gpus = domain;
        k->node_gpus = gpus;
        k->mesh = mesh_of(r, n);
        if (!r->topology)
            continue;
        k->rails = gs_topology_rails(r->topology, n);
        k->rail_rate = gs_topology_rail_rate(r->topology, n);
    }
    gs_free(sum);
}

static double ring_rate(const struct kind *k, uint32_t rings)
{
    return rings ? (double)rings * k->link : k->pcie;
}

/* Bytes/s of a GPU's links to the others of this set on one node. */
static double inside_rate(const struct gs_run *r, const struct kind *k, uint32_t node,
                          uint64_t gpus)
{
    const uint32_t m = mesh_of(r, node);
    if (m == GS_NONE || __builtin_popcountll(gpus) < 2)
        return k->nvlink;
    return ring_rate(k, gs_mesh_rings(&r->network->types.v[m].mesh, (uint32_t)gpus));
}

/* The tightest placement on GPUs of this kind; if nodes > 0, on so many nodes. */
static struct gs_ring tightest(const struct gs_run *r, const struct kind *k, uint32_t gpus,
                               uint32_t nodes)
{
    const uint32_t whole = k->domain_gpus ? k->domain_gpus : 1;
    struct gs_ring s = {.domains = (gpus + whole - 1) / whole, .between = (double)k->rail_rate};
    if (nodes > s.domains)
        s.domains = nodes < gpus ? nodes : gpus;
    s.gpus = (gpus + s.domains - 1) / s.domains;
    const uint32_t used = s.gpus < k->node_gpus ? s.gpus : k->node_gpus;
    s.streams = used < k->rails ? used : k->rails;
    s.inside = k->nvlink;
    if (k->mesh != GS_NONE && s.gpus > 1 && s.gpus <= GS_MESH_MAX)
        s.inside = ring_rate(k, r->network->types.v[k->mesh].mesh.best[s.gpus]);
    if (s.domains > 1 && !(s.between > 0 && s.streams))
        s.domains = 1; /* no network: distance costs nothing */
    return s;
}

/* ---- a job's placement ---- */

static int by_node(const void *a, const void *b, const void *ctx)
{
    const uint32_t x = ((const struct gs_held *)a)->node, y = ((const struct gs_held *)b)->node;
    (void)ctx;
    return (x > y) - (x < y);
}

/* Members and their GPUs, each node once. */
static void find_members(struct gs_run *r, const struct gs_held *held, uint32_t n)
{
    struct gs_network_state *s = r->network;
    const struct gs_cluster *c = &r->cluster;
    int sorted = 1;
    for (uint32_t i = 1; i < n; i++)
        sorted &= held[i - 1].node <= held[i].node;
    struct gs_held *copy = NULL;
    if (!sorted) {
        copy = gs_resize(NULL, n, sizeof *copy);
        memcpy(copy, held, n * sizeof *copy);
        gs_sort(copy, n, sizeof *copy, by_node, NULL);
        held = copy;
    }
    s->members.n = s->gpus.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (held[i].gpu == GS_NONE)
            continue;
        const uint32_t node = held[i].node, gpu = c->gpu_index[held[i].gpu];
        if (!s->members.n || gs_vec_last(&s->members).node != node) {
            gs_vec_push(&s->members, ((struct gs_member){.node = node}));
            gs_vec_push(&s->gpus, 0);
        }
        gs_vec_last(&s->gpus) |= UINT64_C(1) << gpu % 64;
        if (r->topology)
            gs_vec_last(&s->members).rails |= UINT64_C(1)
                                              << gs_topology_rail_of(r->topology, node, gpu);
    }
    gs_free(copy);
}

/* Domains and the GPUs of the fullest; members of a domain are not far apart, but need not be neighbours. */
static void find_domains(struct gs_run *r, const struct kind *k, struct use *u)
{
    struct gs_network_state *s = r->network;
    struct gs_ring *out = &u->spread;
    out->inside = 0;
    for (size_t i = 0; i < s->members.n; i++) {
        const uint32_t node = s->members.v[i].node;
        const double inside = inside_rate(r, k, node, s->gpus.v[i]);
        const uint32_t d = r->topology ? gs_topology_domain(r->topology, node) : GS_NONE;
        uint32_t gpus = 0, first = 1;
        for (size_t j = 0; j < s->members.n; j++) {
            const int same = i == j || (d != GS_NONE &&
                                        gs_topology_domain(r->topology, s->members.v[j].node) == d);
            gpus += same ? (uint32_t)__builtin_popcountll(s->gpus.v[j]) : 0;
            first &= !(same && j < i);
            if (d == GS_NONE && j == i)
                break;
        }
        const uint32_t own = (uint32_t)__builtin_popcountll(s->gpus.v[i]);
        if (d == GS_NONE)
            gpus = own;
        u->node_gpus = own > u->node_gpus ? own : u->node_gpus;
        u->fewest = !u->fewest || gpus < u->fewest ? gpus : u->fewest;
        out->domains += first;
        out->gpus = gpus > out->gpus ? gpus : out->gpus;
        out->inside = out->inside == 0 || inside < out->inside ? inside : out->inside;
    }
}

/* The narrowest level at which all members stand in one group. */
static uint32_t span_of(const struct gs_run *r)
{
    const struct gs_network_state *s = r->network;
    const struct gs_cluster *c = &r->cluster;
    if (s->members.n < 2)
        return 0;
    for (uint32_t l = c->nlevels; l-- > 0;) {
        const uint32_t group = c->level[l][s->members.v[0].node];
        size_t i = 1;
        while (i < s->members.n && c->level[l][s->members.v[i].node] == group)
            i++;
        if (i == s->members.n)
            return c->nlevels - l;
    }
    return c->nlevels + 1;
}

static int64_t scaled(int64_t q, double by)
{
    return (int64_t)((double)q * (by < SLOWEST ? by : SLOWEST) + 0.5);
}

/* What computing and communicating take where a stream gets `between` bytes/s. */
static void pace_at(const struct gs_run *r, uint32_t slot, const struct use *u, double between,
                    struct gs_pace *p)
{
    struct gs_ring now = u->spread;
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
        place.gpus_per_domain = u->fewest;
        place.inter_gbs = (double)now.streams * between / (double)u->node_gpus / 1e9;
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
    const struct gs_group_load load =
        gs_topology_group(r->topology, GS_PATTERN_RING, s->members.v, (uint32_t)s->members.n);
    uint32_t *link = gs_arena_alloc(&s->scratch, load.nlinks * sizeof *link, sizeof *link);
    u->spread.streams = load.streams;
    u->alone = load.alone;
    u->cut = load.cut != 0;
    if (u->cut) {
        u->stalled = 1;
        gs_pace_wait_part(r, slot, GS_EFFECT_NETWORK, GS_TIME_COMMUNICATION);
        return;
    }
    u->spread.between = (double)u->alone;
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
    const struct gs_job *j = &r->w.jobs.v[r->live.id[slot]];
    if (slot >= s->cap) {
        s->use = gs_resize(s->use, r->live.jobs_cap, sizeof *s->use);
        for (; s->cap < r->live.jobs_cap; s->cap++)
            s->use[s->cap] = (struct use){.group = GS_NONE};
    }
    struct use *u = &s->use[slot];
    *u = (struct use){.group = GS_NONE};
    if (!j->comm_q && !j->sensitivity)
        return;
    find_members(r, held, n);
    if (!s->members.n)
        return;
    if (j->sensitivity)
        u->factor_q = r->sensitivities.v[j->sensitivity - 1].q[span_of(r)];
    if (!j->comm_q || j->gpus < 2)
        return;
    const struct kind *k = &s->kind[r->cluster.node_model[s->members.v[0].node]];
    u->train = gs_training_of(r, j);
    find_domains(r, k, u);
    const struct gs_ring best = tightest(r, k, j->gpus, 0);
    u->reference = gs_ring_cost(&best);
    if (!r->topology)
        u->spread.domains = 1;
    if (u->reference > 0 && u->spread.domains > 1)
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
    double between = u->spread.between;
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
    const int64_t rate = s->down[link] ? 0 : (int64_t)((gs_i128)full * s->share[link] / 1000);
    gs_links_set_capacity(r, s->first_link + link, rate);
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

void gs_network_link_share(struct gs_run *r, uint32_t link, uint32_t milli)
{
    if (!r->network || !r->network->share)
        return;
    gs_require(link < gs_topology_links(r->topology) && milli <= 1000);
    r->network->share[link] = milli;
    set_link(r, link);
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
    s->share = GS_NEW_N(uint32_t, n + 1);
    for (uint32_t l = 0; l < n; l++) {
        const struct gs_net_link *link = gs_topology_link(r->topology, l);
        char from[160], to[160];
        const uint32_t id = gs_links_add(
            r, &(struct gs_link_spec){
                   .from = gs_topology_vertex_name(r->topology, link->from, from, sizeof from),
                   .to = gs_topology_vertex_name(r->topology, link->to, to, sizeof to),
                   .level = tier_name(r->topology, link->tier),
                   .bytes_per_s = link->bytes_per_s});
        s->share[l] = 1000;
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
    r->network = GS_NEW(struct gs_network_state);
    find_meshes(r);
    find_kinds(r);
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
    if (comm && !r->network)
        set_up(r);
    if (!comm && !sensitive)
        return GS_OK;
    if (!r->network)
        r->network = GS_NEW(struct gs_network_state);
    *on = sensitive || r->topology || r->network->types.n;
    if (comm && r->topology)
        add_links(r);
    return GS_OK;
}

double gs_network_slowdown(struct gs_run *r, uint32_t gpus, uint32_t nodes, double comm)
{
    const struct gs_cluster *c = &r->cluster;
    const struct kind *most = NULL;
    if (!r->topology || gpus < 2 || !c->nmodels)
        return 1;
    if (!r->network)
        set_up(r);
    for (uint32_t m = 0; m < c->nmodels; m++)
        if (!most || r->network->kind[m].domain_gpus > most->domain_gpus)
            most = &r->network->kind[m];
    const struct gs_ring best = tightest(r, most, gpus, 0), was = tightest(r, most, gpus, nodes);
    return 1 - comm + comm * (gs_ring_cost(&was) / gs_ring_cost(&best));
}

static void release(struct gs_run *r)
{
    struct gs_network_state *s = r->network;
    if (!s)
        return;
    gs_free(s->kind);
    gs_free(s->use);
    gs_free(s->down);
    gs_free(s->share);
    gs_vec_free(&s->types);
    gs_vec_free(&s->members);
    gs_vec_free(&s->gpus);
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
                                            .stop = stop,
                                            .pace = pace,
                                            .settle = settle,
                                            .release = release,
                                            .visit = visit};

/* place.c - see place.h. Machines are looked at once, a job at each start; nothing allocates once the scratch has grown, but for jobs whose
 * rows do not come by node. */
#include "sim/effects/place.h"

#include "sim/base/sort.h"

#include <string.h>

#include "sim/base/banned.h"

#define PCIE_DEFAULT 25e9 /* bytes/s where the catalog has none: 16 lanes of generation 4, usable */

/* ---- machines ---- */

static uint32_t inside_row(const struct gs_places *p, const struct gs_cluster *c, uint32_t node)
{
    for (uint32_t i = 0; i < p->inside.n; i++)
        if (p->inside.v[i].type == c->node_type[node] &&
            p->inside.v[i].model == c->node_model[node])
            return i;
    return GS_NONE;
}

/* A type that the catalog does not know has all its GPUs alike. */
static void look_inside(struct gs_places *p, struct gs_run *r, uint32_t node)
{
    const struct gs_cluster *c = &r->cluster;
    const struct gs_server_model *type =
        gs_catalog_server(&r->catalog, gs_intern_str(&r->str, c->node_type[node]));
    const struct gs_gpu_model *gpu =
        gs_catalog_gpu(&r->catalog, gs_intern_str(&r->str, c->model_name[c->node_model[node]]));
    if (!type || !gpu || gpu->nvlink_links <= 0 || strcmp(type->nvlink, "nvswitch") == 0)
        return;
    gs_vec_push(&p->inside, ((struct gs_place_inside){.type = c->node_type[node],
                                                      .model = c->node_model[node]}));
    struct gs_place_inside *row = &gs_vec_last(&p->inside);
    gs_inside_make(&row->in, &r->catalog, type, gpu, c->gpu_count[node]);
    for (uint32_t n = 2; n <= row->in.gpus; n++)
        row->best[n] = (uint8_t)gs_inside_best_rings(&row->in, n);
}

static void find_insides(struct gs_places *p, struct gs_run *r)
{
    const struct gs_cluster *c = &r->cluster;
    uint32_t type = GS_NONE, model = GS_NONE;
    for (uint32_t n = 0; n < c->nnodes; n++) {
        if (!c->gpu_count[n] || (c->node_type[n] == type && c->node_model[n] == model))
            continue;
        type = c->node_type[n];
        model = c->node_model[n];
        if (inside_row(p, c, n) == GS_NONE)
            look_inside(p, r, n);
    }
}

static void rate_machine(struct gs_places *p, const struct gs_run *r, uint32_t model)
{
    struct gs_place_machine *m = &p->machine[model];
    const struct gs_gpu_model *g =
        gs_catalog_gpu(&r->catalog, gs_intern_str(&r->str, r->cluster.model_name[model]));
    m->inside = GS_NONE;
    m->pcie = g && g->pcie_gbs > 0 ? g->pcie_gbs * 1e9 : PCIE_DEFAULT;
    m->nvlink = g && g->nvlink_uni_gbs > 0 ? g->nvlink_uni_gbs * 1e9 : m->pcie;
    m->link = g && g->nvlink_links > 0 ? m->nvlink / (double)g->nvlink_links : m->nvlink;
}

static uint32_t domain_of(const struct gs_run *r, uint32_t node)
{
    return r->topology ? gs_topology_domain(r->topology, node) : GS_NONE;
}

static void find_machines(struct gs_places *p, const struct gs_run *r)
{
    const struct gs_cluster *c = &r->cluster;
    uint32_t *sum =
        GS_NEW_N(uint32_t, c->nnodes + 1); /* GPUs by domain; there are fewer than nodes */
    for (uint32_t n = 0; n < c->nnodes; n++)
        if (domain_of(r, n) != GS_NONE)
            sum[domain_of(r, n)] += c->gpu_count[n];
    for (uint32_t n = 0; n < c->nnodes; n++) {
        const uint32_t gpus = c->gpu_count[n], d = domain_of(r, n);
        const uint32_t domain = d == GS_NONE ? gpus : sum[d];
        struct gs_place_machine *m = gpus ? &p->machine[c->node_model[n]] : NULL;
        if (!m || domain < m->domain_gpus || (domain == m->domain_gpus && gpus <= m->node_gpus))
            continue;
        m->domain_gpus = domain;
        m->node_gpus = gpus;
        m->inside = inside_row(p, c, n);
        if (!r->topology)
            continue;
        m->rails = gs_topology_rails(r->topology, n);
        m->rail_rate = gs_topology_rail_rate(r->topology, n);
    }
    gs_free(sum);
}

struct gs_places *gs_places_new(struct gs_run *r)
{
    struct gs_places *p = GS_NEW(struct gs_places);
    p->machine = GS_NEW_N(struct gs_place_machine, r->cluster.nmodels + 1);
    for (uint32_t m = 0; m < r->cluster.nmodels; m++)
        rate_machine(p, r, m);
    find_insides(p, r);
    find_machines(p, r);
    return p;
}

void gs_places_free(struct gs_places *p)
{
    if (!p)
        return;
    gs_free(p->machine);
    gs_vec_free(&p->inside);
    gs_vec_free(&p->member);
    gs_vec_free(&p->gpus);
    gs_vec_free(&p->sorted);
    gs_free(p);
}

static double ring_rate(const struct gs_place_machine *m, uint32_t rings)
{
    return rings ? (double)rings * m->link : m->pcie;
}

struct gs_ring gs_places_tightest(const struct gs_places *p, uint32_t model, uint32_t gpus,
                                  uint32_t nodes)
{
    const struct gs_place_machine *m = &p->machine[model];
    const uint32_t whole = m->domain_gpus ? m->domain_gpus : 1;
    struct gs_ring s = {.domains = (gpus + whole - 1) / whole, .between = (double)m->rail_rate};
    if (nodes > s.domains)
        s.domains = nodes < gpus ? nodes : gpus;
    s.gpus = (gpus + s.domains - 1) / s.domains;
    const uint32_t used = s.gpus < m->node_gpus ? s.gpus : m->node_gpus;
    s.streams = used < m->rails ? used : m->rails;
    s.inside = m->nvlink;
    if (m->inside != GS_NONE && s.gpus > 1)
        s.inside = ring_rate(
            m, p->inside.v[m->inside].best[s.gpus < GS_INSIDE_MAX ? s.gpus : GS_INSIDE_MAX]);
    if (s.domains > 1 && !(m->rail_rate > 0 && s.streams))
        s.domains = 1; /* no network: distance costs nothing */
    return s;
}

/* ---- a job ---- */

static int by_node(const void *a, const void *b, const void *ctx)
{
    const uint32_t x = ((const struct gs_held *)a)->node, y = ((const struct gs_held *)b)->node;
    (void)ctx;
    return (x > y) - (x < y);
}

static const struct gs_held *in_order(struct gs_places *p, const struct gs_held *held, uint32_t n)
{
    uint32_t i = 1;
    while (i < n && held[i - 1].node <= held[i].node)
        i++;
    if (i >= n)
        return held;
    gs_vec_reserve(&p->sorted, n);
    memcpy(p->sorted.v, held, n * sizeof *held);
    gs_sort(p->sorted.v, n, sizeof *held, by_node, NULL);
    return p->sorted.v;
}

uint32_t gs_places_look(struct gs_places *p, const struct gs_run *r, const struct gs_held *held,
                        uint32_t n)
{
    held = in_order(p, held, n);
    p->member.n = p->gpus.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (held[i].gpu == GS_NONE)
            continue;
        const uint32_t node = held[i].node, gpu = r->cluster.gpu_index[held[i].gpu];
        if (!p->member.n || gs_vec_last(&p->member).node != node) {
            gs_vec_push(&p->member, ((struct gs_member){.node = node}));
            gs_vec_push(&p->gpus, 0);
        }
        gs_vec_last(&p->gpus) |= UINT64_C(1) << gpu % 64;
        if (r->topology)
            gs_vec_last(&p->member).rails |= UINT64_C(1)
                                             << gs_topology_rail_of(r->topology, node, gpu);
    }
    return (uint32_t)p->member.n;
}

static uint32_t gpus_of(const struct gs_places *p, size_t member)
{
    return (uint32_t)__builtin_popcountll(p->gpus.v[member]);
}

/* Bytes/s of a member's GPUs to each other. */
static double inside_rate(const struct gs_places *p, const struct gs_run *r, size_t member)
{
    const uint32_t node = p->member.v[member].node;
    const struct gs_place_machine *m = &p->machine[r->cluster.node_model[node]];
    const uint32_t row = inside_row(p, &r->cluster, node);
    if (row == GS_NONE || gpus_of(p, member) < 2)
        return m->nvlink;
    return ring_rate(m, gs_inside_rings(&p->inside.v[row].in, p->gpus.v[member]));
}

/* GPUs of the member's domain; 0 if a member before it stands in the same. */
static uint32_t domain_gpus(const struct gs_places *p, const struct gs_run *r, size_t member)
{
    const uint32_t d = domain_of(r, p->member.v[member].node);
    uint32_t gpus = gpus_of(p, member);
    for (size_t j = 0; d != GS_NONE && j < p->member.n; j++) {
        if (j == member || domain_of(r, p->member.v[j].node) != d)
            continue;
        if (j < member)
            return 0;
        gpus += gpus_of(p, j);
    }
    return gpus;
}

struct gs_place gs_places_of(const struct gs_places *p, const struct gs_run *r)
{
    struct gs_place out = {.fewest = UINT32_MAX};
    for (size_t i = 0; i < p->member.n; i++) {
        const uint32_t gpus = domain_gpus(p, r, i), own = gpus_of(p, i);
        const double inside = inside_rate(p, r, i);
        out.node_gpus = own > out.node_gpus ? own : out.node_gpus;
        out.ring.inside = i == 0 || inside < out.ring.inside ? inside : out.ring.inside;
        if (!gpus)
            continue;
        out.ring.domains++;
        out.ring.gpus = gpus > out.ring.gpus ? gpus : out.ring.gpus;
        out.fewest = gpus < out.fewest ? gpus : out.fewest;
    }
    return out;
}

uint32_t gs_places_span(const struct gs_places *p, const struct gs_run *r)
{
    const struct gs_cluster *c = &r->cluster;
    if (p->member.n < 2)
        return 0;
    for (uint32_t l = c->nlevels; l-- > 0;) {
        const uint32_t group = c->level[l][p->member.v[0].node];
        size_t i = 1;
        while (i < p->member.n && c->level[l][p->member.v[i].node] == group)
            i++;
        if (i == p->member.n)
            return c->nlevels - l;
    }
    return c->nlevels + 1;
}

/* torus.c - nodes on a 1, 2 or 3 dimensional grid whose rows are rings, joined directly.
 *
 * What it is: a grid of links with dimension-order routing (Dally and Seitz, IEEE ToC 1987), the shorter way round, equal ways to
 * the + side. A node forwards for others at no cost to itself. What it is not: no adaptive routing, no virtual channels, no
 * reconfiguration by optical switches, no twist; machines built as a torus do better than this under load. Node i stands at
 * i mod d0, i / d0 mod d1, ...: coordinates follow the order in which nodes are listed. */
#include "sim/network/topology_priv.h"

#include "sim/base/banned.h"

static uint32_t coordinate(const struct gs_net_rule *r, uint32_t node, uint32_t dim)
{
    for (uint32_t d = 0; d < dim; d++)
        node /= r->dims[d];
    return node % r->dims[dim];
}

static uint32_t stride(const struct gs_net_rule *r, uint32_t dim)
{
    uint32_t s = 1;
    for (uint32_t d = 0; d < dim; d++)
        s *= r->dims[d];
    return s;
}

/* The node one step away. */
static uint32_t step(const struct gs_net_rule *r, uint32_t node, uint32_t dim, int plus)
{
    const uint32_t size = r->dims[dim], x = coordinate(r, node, dim), s = stride(r, dim);
    const uint32_t to = plus ? (x + 1) % size : (x + size - 1) % size;
    return node - x * s + to * s;
}

/* Rows are walked to and fro, so that each node is next to the one before. */
static uint32_t snake(const struct gs_net_rule *r, uint32_t node)
{
    uint32_t at = 0;
    for (uint32_t d = r->ndims; d-- > 0;) {
        const uint32_t x = coordinate(r, node, d);
        at = at * r->dims[d] + (at % 2 ? r->dims[d] - 1 - x : x);
    }
    return at;
}

enum gs_rc gs_torus_build(struct gs_topology *t, struct gs_err *err)
{
    const struct gs_net_rule *r = &t->rule;
    uint64_t places = r->ndims ? 1 : 0;
    for (uint32_t d = 0; d < r->ndims; d++)
        places = r->dims[d] && places <= UINT32_MAX ? places * r->dims[d] : 0;
    if (places != t->nnodes)
        return gs_fail(err, GS_E_INPUT, "[network] dims: the torus has %llu places for %u nodes",
                       (unsigned long long)places, t->nnodes);
    t->counts.tiers = 0;
    for (uint32_t v = 0; v < t->nnodes; v++) {
        t->up[v] = (uint32_t)t->link.n;
        t->order[v] = snake(r, v);
        for (uint32_t d = 0; d < r->ndims; d++) {
            const int64_t rate = gs_topo_cable(t, d, t->rail_rate[v]);
            gs_topo_link(t, v, step(r, v, d, 1), d, rate);
            gs_topo_link(t, v, step(r, v, d, 0), d, rate);
            t->counts.cables[d] += r->dims[d] > 2 || (r->dims[d] == 2 && coordinate(r, v, d) == 0);
        }
    }
    return GS_OK;
}

uint32_t gs_torus_route(const struct gs_topology *t, uint32_t from, uint32_t to, uint32_t *links,
                        uint32_t max, uint32_t *switches)
{
    const struct gs_net_rule *r = &t->rule;
    uint32_t n = 0;
    for (uint32_t d = 0; d < r->ndims; d++) {
        const uint32_t size = r->dims[d];
        const uint32_t ahead = (coordinate(r, to, d) + size - coordinate(r, from, d)) % size;
        const int plus = ahead <= size - ahead;
        for (uint32_t i = plus ? ahead : size - ahead; i > 0; i--) {
            if (n < max)
                links[n] = t->up[from] + 2 * d + (plus ? 0 : 1);
            n++;
            from = step(r, from, d, plus);
        }
    }
    *switches = n ? n - 1 : 0;
    return n;
}

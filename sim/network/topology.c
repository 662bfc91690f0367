/* topology.c - asking a network: ports, ways, levels. It is built in build.c and torus.c.
 *
 * A way in a tree climbs from both ends until they meet. Depth tells which end climbs, so no mark is left and nothing is
 * searched. */
#include "sim/network/topology.h"

#include "sim/network/topology_priv.h"

#include <string.h>

#include "sim/base/banned.h"

enum gs_topology_kind gs_topology_kind(const struct gs_topology *t)
{
    return t->rule.kind;
}

const struct gs_net_counts *gs_topology_counts(const struct gs_topology *t)
{
    return &t->counts;
}

uint32_t gs_topology_nodes(const struct gs_topology *t)
{
    return t->nnodes;
}

uint32_t gs_topology_links(const struct gs_topology *t)
{
    return (uint32_t)t->link.n;
}

const struct gs_net_link *gs_topology_link(const struct gs_topology *t, uint32_t link)
{
    gs_require(link < t->link.n);
    return &t->link.v[link];
}

const char *gs_topology_vertex_name(const struct gs_topology *t, uint32_t vertex, char *buf,
                                    size_t cap)
{
    gs_require(vertex < t->nvertices);
    if (vertex >= t->nports) {
        (void)gs_fmt(buf, cap, "%s", t->name[vertex]);
        return buf;
    }
    const uint32_t node = t->port_node[vertex];
    if (t->rule.kind == GS_TOPOLOGY_TORUS)
        (void)gs_fmt(buf, cap, "%s", t->node_name[node]);
    else
        (void)gs_fmt(buf, cap, "%s/rail-%u", t->node_name[node], vertex - t->first_port[node]);
    return buf;
}

uint32_t gs_topology_vertex(const struct gs_topology *t, const char *name)
{
    for (uint32_t v = t->nports; v < t->nvertices; v++)
        if (strcmp(t->name[v], name) == 0)
            return v;
    return GS_NONE;
}

int gs_topology_trunk(const struct gs_topology *t, uint32_t vertex, uint32_t *up, uint32_t *down)
{
    gs_require(vertex < t->nvertices);
    if (t->rule.kind == GS_TOPOLOGY_TORUS || t->up[vertex] == GS_NONE)
        return 0;
    *up = t->up[vertex];
    *down = t->up[vertex] + 1;
    return 1;
}

/* ---- nodes ---- */

uint32_t gs_topology_rails(const struct gs_topology *t, uint32_t node)
{
    gs_require(node < t->nnodes);
    return t->rails[node];
}

int64_t gs_topology_rail_rate(const struct gs_topology *t, uint32_t node)
{
    gs_require(node < t->nnodes);
    return t->rail_rate[node];
}

uint32_t gs_topology_rail_of(const struct gs_topology *t, uint32_t node, uint32_t gpu)
{
    gs_require(node < t->nnodes);
    const uint32_t gpus = t->node_gpus[node], rails = t->rails[node];
    return gpus ? (uint32_t)((uint64_t)(gpu < gpus ? gpu : gpus - 1) * rails / gpus) : 0;
}

uint32_t gs_topology_domain(const struct gs_topology *t, uint32_t node)
{
    gs_require(node < t->nnodes);
    return t->domain[node];
}

uint32_t gs_topology_port(const struct gs_topology *t, uint32_t node, uint32_t rail)
{
    gs_require(node < t->nnodes && rail < t->rails[node]);
    return t->rule.kind == GS_TOPOLOGY_TORUS ? node : t->first_port[node] + rail;
}

uint32_t gs_topology_leaf(const struct gs_topology *t, uint32_t node, uint32_t rail)
{
    const uint32_t port = gs_topology_port(t, node, rail);
    return t->rule.kind == GS_TOPOLOGY_TORUS ? port : t->parent[port];
}

/* ---- ways ---- */

static uint32_t climb(const struct gs_topology *t, uint32_t a, uint32_t b, uint32_t *links,
                      uint32_t max, uint32_t *switches)
{
    uint32_t down[GS_TIERS_MAX * 2];
    uint32_t n = 0, ndown = 0;
    while (a != b) {
        const int first = t->depth[a] >= t->depth[b];
        uint32_t *const end = first ? &a : &b;
        if (t->up[*end] == GS_NONE)
            return GS_NONE;
        if (!first)
            down[ndown++] = t->up[*end] + 1;
        else if (n++ < max)
            links[n - 1] = t->up[*end];
        *end = t->parent[*end];
    }
    while (ndown > 0) {
        if (n < max)
            links[n] = down[ndown - 1];
        n++;
        ndown--;
    }
    *switches = n ? n - 1 : 0;
    return n;
}

/* NOLINTNEXTLINE(readability-function-size): two ends of two numbers each */
uint32_t gs_topology_route(const struct gs_topology *t, uint32_t from, uint32_t from_rail,
                           uint32_t to, uint32_t to_rail, uint32_t *links, uint32_t max,
                           uint32_t *switches)
{
    gs_require(from < t->nnodes && to < t->nnodes);
    uint32_t unused = 0;
    uint32_t *const passed = switches ? switches : &unused;
    *passed = 0;
    if (from == to)
        return 0;
    if (t->rule.kind == GS_TOPOLOGY_TORUS)
        return gs_torus_route(t, from, to, links, max, passed);
    if (t->rule.pxn && to_rail < t->rails[from])
        from_rail = to_rail;
    return climb(t, gs_topology_port(t, from, from_rail), gs_topology_port(t, to, to_rail), links,
                 max, passed);
}

/* ---- levels ---- */

uint32_t gs_topology_levels(const struct gs_topology *t)
{
    return t->nlevels;
}

const char *gs_topology_level_name(const struct gs_topology *t, uint32_t level)
{
    gs_require(level < t->nlevels);
    return t->level_name[level];
}

const char *gs_topology_level_group(const struct gs_topology *t, uint32_t level, uint32_t node)
{
    gs_require(level < t->nlevels && node < t->nnodes);
    return t->level_group[level][node];
}

uint32_t gs_topology_span(const struct gs_topology *t, const uint32_t *node, uint32_t n)
{
    uint32_t span = 0;
    for (uint32_t i = 1; i < n; i++) {
        if (node[i] == node[0])
            continue;
        uint32_t level = t->nlevels;
        while (level > 0 &&
               t->level_group[level - 1][node[i]] != t->level_group[level - 1][node[0]])
            level--;
        const uint32_t reach = t->nlevels - level + 1;
        span = reach > span ? reach : span;
    }
    return span;
}

void gs_topology_free(struct gs_topology *t)
{
    if (!t)
        return;
    for (uint32_t l = 0; l < GS_NET_LEVELS_MAX; l++)
        gs_free(t->level_group[l]);
    gs_free(t->node_name);
    gs_free(t->node_gpus);
    gs_free(t->rails);
    gs_free(t->first_port);
    gs_free(t->order);
    gs_free(t->domain);
    gs_free(t->rail_rate);
    gs_free(t->parent);
    gs_free(t->depth);
    gs_free(t->up);
    gs_free(t->port_node);
    gs_free(t->name);
    gs_free(t->weight);
    gs_free(t->below);
    gs_vec_free(&t->link);
    gs_vec_free(&t->touched);
    gs_vec_free(&t->vertices);
    gs_vec_free(&t->way);
    gs_vec_free(&t->member);
    gs_vec_free(&t->out);
    gs_arena_release(&t->text);
    gs_free(t);
}

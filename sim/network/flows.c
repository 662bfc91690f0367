/* flows.c - the groups, the links, and what is marked to be solved; the filling itself is in fill.c.
 *
 * A group's edges (link, weight) lie together in one pool; flows of a group that cross the same link are merged into one edge, so
 * that equal routes cost nothing. The edges of a link are a list through the same pool. Blocks of edges are powers of two, with a
 * list of free ones a size.
 *
 * Invariants: weight, demand and load of a link are the sums of weight, weight * ceiling and weight * rate over its edges; a link is
 * tight if demand > capacity; a link that was tight before or after a change, and a group whose ceiling changed or that is new, is
 * marked until the next solve. Where nothing is marked, rates are those of the rule in flows.h. */
#include "sim/base/mem.h"
#include "sim/network/flows_priv.h"

#include <string.h>

#include "sim/base/banned.h"

struct gs_flows *gs_flows_new(void)
{
    struct gs_flows *f = GS_NEW(struct gs_flows);
    for (int i = 0; i < GS_FLOW_SIZES; i++)
        f->free_block[i] = GS_NONE;
    f->free_group = GS_NONE;
    return f;
}

void gs_flows_free(struct gs_flows *f)
{
    if (!f)
        return;
    gs_vec_free(&f->links);
    gs_vec_free(&f->groups);
    gs_vec_free(&f->edges);
    gs_vec_free(&f->marked_links);
    gs_vec_free(&f->marked_groups);
    gs_vec_free(&f->merge);
    gs_fill_free(&f->fill);
    gs_free(f);
}

/* ---- marks ---- */

static void mark_group(struct gs_flows *f, uint32_t g)
{
    if (f->groups.v[g].marked)
        return;
    f->groups.v[g].marked = 1;
    gs_vec_push(&f->marked_groups, g);
}

/* Call before and after a change of what is demanded of the link or of what it can carry. */
static void mark_tight(struct gs_flows *f, uint32_t link)
{
    struct gs_flow_link *l = &f->links.v[link];
    if (l->marked || !gs_flow_tight(l))
        return;
    l->marked = 1;
    gs_vec_push(&f->marked_links, link);
}

int gs_flows_dirty(const struct gs_flows *f)
{
    return f->marked_links.n || f->marked_groups.n;
}

/* ---- links ---- */

uint32_t gs_flows_link(struct gs_flows *f, int64_t bytes_per_s)
{
    gs_require(bytes_per_s >= 0 && bytes_per_s <= GS_LINK_MAX && f->links.n < GS_NONE);
    const uint32_t id = (uint32_t)f->links.n;
    gs_vec_push(&f->links, (struct gs_flow_link){.capacity = bytes_per_s, .first = GS_NONE});
    return id;
}

int64_t gs_flows_capacity(const struct gs_flows *f, uint32_t link)
{
    gs_require(link < f->links.n);
    return f->links.v[link].capacity;
}

int64_t gs_flows_load(const struct gs_flows *f, uint32_t link)
{
    gs_require(link < f->links.n);
    return f->links.v[link].load;
}

uint32_t gs_flows_users(const struct gs_flows *f, uint32_t link)
{
    gs_require(link < f->links.n);
    return f->links.v[link].users;
}

static int64_t ceiling_of(const struct gs_flows *f, const struct gs_flow_state *g)
{
    int64_t least = g->limit;
    for (uint32_t e = g->first; e < g->first + g->nedges; e++) {
        const struct gs_flow_edge *edge = &f->edges.v[e];
        const int64_t alone = f->links.v[edge->link].capacity / edge->weight;
        least = alone < least ? alone : least;
    }
    return least;
}

/* The ceiling of a group may be another: its links learn it. */
static void raise_or_lower(struct gs_flows *f, uint32_t group)
{
    struct gs_flow_state *g = &f->groups.v[group];
    const int64_t ceiling = ceiling_of(f, g);
    if (ceiling == g->ceiling)
        return;
    for (uint32_t e = g->first; e < g->first + g->nedges; e++) {
        const struct gs_flow_edge *edge = &f->edges.v[e];
        mark_tight(f, edge->link);
        f->links.v[edge->link].demand += (gs_i128)edge->weight * (ceiling - g->ceiling);
        mark_tight(f, edge->link);
    }
    g->ceiling = ceiling;
    mark_group(f, group);
}

void gs_flows_set_capacity(struct gs_flows *f, uint32_t link, int64_t bytes_per_s)
{
    gs_require(link < f->links.n && bytes_per_s >= 0 && bytes_per_s <= GS_LINK_MAX);
    mark_tight(f, link);
    f->links.v[link].capacity = bytes_per_s;
    mark_tight(f, link);
    for (uint32_t e = f->links.v[link].first; e != GS_NONE; e = f->edges.v[e].next)
        raise_or_lower(f, f->edges.v[e].group);
}

/* ---- edges ---- */

static uint32_t size_class(uint32_t n)
{
    uint32_t k = 0;
    while ((UINT32_C(1) << k) < n)
        k++;
    return k;
}

static uint32_t take_block(struct gs_flows *f, uint32_t k)
{
    const uint32_t first = f->free_block[k];
    if (first != GS_NONE) {
        f->free_block[k] = f->edges.v[first].next;
        return first;
    }
    const size_t at = f->edges.n, size = (size_t)1 << k;
    gs_require(at + size < GS_NONE);
    gs_vec_reserve(&f->edges, at + size);
    f->edges.n = at + size;
    return (uint32_t)at;
}

static void give_block(struct gs_flows *f, uint32_t k, uint32_t first)
{
    f->edges.v[first].next = f->free_block[k];
    f->free_block[k] = first;
}

/* The entry of a link in f->merge, which it gets now if it has none. */
static struct gs_flow_edge *merged_edge(struct gs_flows *f, uint32_t link)
{
    gs_require(link < f->links.n);
    struct gs_flow_link *l = &f->links.v[link];
    if (l->stamp != f->stamp) {
        l->stamp = f->stamp;
        l->local = (uint32_t)f->merge.n;
        gs_vec_push(&f->merge, (struct gs_flow_edge){.link = link});
    }
    return &f->merge.v[l->local];
}

/* The flows of a group, one entry a link, into f->merge. */
static void merge_flows(struct gs_flows *f, const struct gs_flow_group *spec)
{
    f->merge.n = 0;
    f->stamp++;
    for (uint32_t i = 0; i < spec->nflows; i++) {
        const struct gs_flow *flow = &spec->flows[i];
        gs_require(flow->weight > 0);
        for (uint32_t k = 0; k < flow->nlinks; k++) {
            struct gs_flow_edge *e = merged_edge(f, flow->links[k]);
            gs_require(e->weight <= UINT32_MAX - flow->weight);
            e->weight += flow->weight;
        }
    }
}

static void hang_edge(struct gs_flows *f, uint32_t e, int64_t ceiling)
{
    struct gs_flow_edge *edge = &f->edges.v[e];
    struct gs_flow_link *l = &f->links.v[edge->link];
    mark_tight(f, edge->link);
    edge->prev = GS_NONE;
    edge->next = l->first;
    if (l->first != GS_NONE)
        f->edges.v[l->first].prev = e;
    l->first = e;
    f->stats.live_links += l->users == 0;
    l->users++;
    l->weight += edge->weight;
    l->demand += (gs_i128)edge->weight * ceiling;
    mark_tight(f, edge->link);
}

static void unhang_edge(struct gs_flows *f, uint32_t e, int64_t ceiling, int64_t rate)
{
    struct gs_flow_edge *edge = &f->edges.v[e];
    struct gs_flow_link *l = &f->links.v[edge->link];
    mark_tight(f, edge->link);
    if (edge->prev == GS_NONE)
        l->first = edge->next;
    else
        f->edges.v[edge->prev].next = edge->next;
    if (edge->next != GS_NONE)
        f->edges.v[edge->next].prev = edge->prev;
    l->users--;
    f->stats.live_links -= l->users == 0;
    l->weight -= edge->weight;
    l->demand -= (gs_i128)edge->weight * ceiling;
    l->load -= edge->weight * rate;
}

/* ---- groups ---- */

static uint32_t take_group(struct gs_flows *f)
{
    const uint32_t id = f->free_group;
    if (id != GS_NONE) {
        f->free_group = f->groups.v[id].next_free;
        return id;
    }
    gs_vec_push(&f->groups, (struct gs_flow_state){0});
    return (uint32_t)f->groups.n - 1;
}

uint32_t gs_flows_add(struct gs_flows *f, int64_t now_ns, const struct gs_flow_group *spec)
{
    gs_require(spec->limit >= 0 && (spec->limit <= GS_LINK_MAX || spec->limit == GS_NEVER));
    gs_require(spec->bytes >= 0 && (spec->bytes <= GS_BYTES_MAX || spec->bytes == GS_NEVER));
    merge_flows(f, spec);
    gs_require(f->merge.n > 0 || spec->limit <= GS_LINK_MAX); /* a rate without bound is none */
    const uint32_t id = take_group(f);
    struct gs_flow_state *g = &f->groups.v[id];
    *g = (struct gs_flow_state){.key = spec->key,
                                .limit = spec->limit,
                                .since_ns = now_ns,
                                .left = spec->bytes == GS_NEVER ? GS_NEVER : spec->bytes * 256,
                                .nedges = (uint32_t)f->merge.n,
                                .nflows = spec->nflows,
                                .owner = spec->owner,
                                .reason = spec->reason,
                                .marked = g->marked,
                                .live = 1};
    g->size = size_class(g->nedges);
    g->first = take_block(f, g->size);
    for (uint32_t i = 0; i < g->nedges; i++) {
        f->edges.v[g->first + i] = f->merge.v[i];
        f->edges.v[g->first + i].group = id;
    }
    g->ceiling = ceiling_of(f, g);
    for (uint32_t i = 0; i < g->nedges; i++)
        hang_edge(f, g->first + i, g->ceiling);
    f->stats.live_groups++;
    f->stats.live_flows += g->nflows;
    mark_group(f, id);
    return id;
}

static struct gs_flow_state *live_group(const struct gs_flows *f, uint32_t group)
{
    gs_require(group < f->groups.n && f->groups.v[group].live);
    return &f->groups.v[group];
}

void gs_flows_set_limit(struct gs_flows *f, uint32_t group, int64_t limit)
{
    struct gs_flow_state *g = live_group(f, group);
    gs_require(limit >= 0 && (limit <= GS_LINK_MAX || (limit == GS_NEVER && g->nedges)));
    g->limit = limit;
    raise_or_lower(f, group);
}

void gs_flows_remove(struct gs_flows *f, uint32_t group)
{
    struct gs_flow_state *g = live_group(f, group);
    for (uint32_t i = 0; i < g->nedges; i++)
        unhang_edge(f, g->first + i, g->ceiling, g->rate);
    give_block(f, g->size, g->first);
    f->stats.live_groups--;
    f->stats.live_flows -= g->nflows;
    g->live = 0;
    g->next_free = f->free_group;
    f->free_group = group;
}

int64_t gs_flows_rate(const struct gs_flows *f, uint32_t group)
{
    return live_group(f, group)->rate;
}

int64_t gs_flows_ceiling(const struct gs_flows *f, uint32_t group)
{
    return live_group(f, group)->ceiling;
}

uint32_t gs_flows_owner(const struct gs_flows *f, uint32_t group)
{
    return live_group(f, group)->owner;
}

uint32_t gs_flows_reason(const struct gs_flows *f, uint32_t group)
{
    return live_group(f, group)->reason;
}

/* ---- transfers ---- */

/* 1/256 bytes that move from since_ns to now_ns; *rest, in 1e-9 of them, goes on. */
static int64_t moved(const struct gs_flow_state *g, int64_t now_ns, int64_t *rest)
{
    gs_require(now_ns >= g->since_ns);
    const gs_i128 all = (gs_i128)g->rate * 256 * (now_ns - g->since_ns) + g->rest;
    *rest = (int64_t)(all % GS_SECOND);
    const gs_i128 whole = all / GS_SECOND;
    return whole < g->left ? (int64_t)whole : g->left;
}

void gs_flows_advance(struct gs_flow_state *g, int64_t now_ns)
{
    if (g->left == GS_NEVER)
        return;
    g->left -= moved(g, now_ns, &g->rest);
    g->since_ns = now_ns;
}

int64_t gs_flows_left(const struct gs_flows *f, uint32_t group, int64_t now_ns)
{
    const struct gs_flow_state *g = live_group(f, group);
    int64_t rest = 0;
    return g->left == GS_NEVER ? GS_NEVER : g->left - moved(g, now_ns, &rest);
}

int64_t gs_flows_finish_ns(const struct gs_flows *f, uint32_t group)
{
    const struct gs_flow_state *g = live_group(f, group);
    if (g->left == 0)
        return g->since_ns;
    if (g->left == GS_NEVER || g->rate == 0)
        return GS_NEVER;
    const gs_i128 speed = (gs_i128)g->rate * 256;
    const gs_i128 in = ((gs_i128)g->left * GS_SECOND - g->rest + speed - 1) / speed;
    return in < GS_NEVER - g->since_ns ? g->since_ns + (int64_t)in : GS_NEVER;
}

/* ---- the rest ---- */

const struct gs_flows_stats *gs_flows_stats(const struct gs_flows *f)
{
    return &f->stats;
}

void gs_flows_visit(struct gs_flows *f, struct gs_visitor *v)
{
    for (size_t i = 0; i < f->links.n; i++) {
        gs_visit_i64(v, GS_TAG('f', 'c', 'a', 'p'), &f->links.v[i].capacity, 1);
        gs_visit_i64(v, GS_TAG('f', 'l', 'd', ' '), &f->links.v[i].load, 1);
    }
    for (size_t i = 0; i < f->groups.n; i++) {
        struct gs_flow_state *g = &f->groups.v[i];
        if (!g->live)
            continue;
        gs_visit_u64(v, GS_TAG('f', 'k', 'e', 'y'), &g->key, 1);
        gs_visit_i64(v, GS_TAG('f', 'l', 'i', 'm'), &g->limit, 1);
        gs_visit_i64(v, GS_TAG('f', 'r', 'a', 't'), &g->rate, 1);
        gs_visit_i64(v, GS_TAG('f', 'l', 'f', 't'), &g->left, 1);
        gs_visit_i64(v, GS_TAG('f', 's', 'n', 'c'), &g->since_ns, 1);
        gs_visit_i64(v, GS_TAG('f', 'r', 's', 't'), &g->rest, 1);
    }
}

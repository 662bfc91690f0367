/* fill.c - progressive filling of the components that were marked (the rule is in flows.h).
 *
 * Groups and links of the component stand in one heap by level. A level never falls below floor(the level that was filled last),
 * so what is popped is the bottleneck. Links whose groups got a rate are stale until they are given their new level, once each: at
 * once after a link was filled (units left over can lower the level of another), and before a link is next popped after ceilings,
 * which are so taken in bulk (a group given a ceiling no higher than a link's level can only raise it: stale is too low, never too
 * high).
 *
 * The groups of a link are taken in the order of their keys by a bitmap over the component, whose groups are sorted once. */
#include "sim/network/flows_priv.h"

#include <string.h>

#include "sim/base/banned.h"

void gs_fill_free(struct gs_fill *s)
{
    gs_vec_free(&s->item);
    gs_vec_free(&s->rate);
    gs_vec_free(&s->group);
    gs_vec_free(&s->heap);
    gs_vec_free(&s->stale);
    gs_vec_free(&s->is_stale);
    gs_vec_free(&s->member);
    gs_vec_free(&s->changed);
}

/* ---- the component ---- */

static void reach_group(struct gs_flows *f, uint32_t group)
{
    struct gs_flow_state *g = &f->groups.v[group];
    if (g->stamp == f->stamp)
        return;
    g->stamp = f->stamp;
    gs_vec_push(&f->fill.group, group);
}

static void reach_users(struct gs_flows *f, uint32_t link)
{
    for (uint32_t e = f->links.v[link].first; e != GS_NONE; e = f->edges.v[e].next)
        reach_group(f, f->edges.v[e].group);
}

static struct gs_fill_item item_of(uint32_t id, int64_t left, int64_t weight)
{
    return (struct gs_fill_item){.left = left,
                                 .weight = weight,
                                 .key_left = left,
                                 .key_weight = weight,
                                 .level = left / weight,
                                 .id = id,
                                 .pos = GS_NONE};
}

static void add_link(struct gs_flows *f, uint32_t link)
{
    struct gs_flow_link *l = &f->links.v[link];
    l->stamp = f->stamp;
    l->local = (uint32_t)f->fill.item.n;
    gs_vec_push(&f->fill.item, item_of(link, l->capacity, l->weight));
    reach_users(f, link);
}

/* Everything that tight links join to what is marked: groups into fill.group, links into fill.item. */
static void find_component(struct gs_flows *f)
{
    struct gs_fill *s = &f->fill;
    s->group.n = s->item.n = 0;
    f->stamp++;
    for (size_t i = 0; i < f->marked_groups.n; i++) {
        const uint32_t g = f->marked_groups.v[i];
        f->groups.v[g].marked = 0;
        if (f->groups.v[g].live)
            reach_group(f, g);
    }
    for (size_t i = 0; i < f->marked_links.n; i++) {
        f->links.v[f->marked_links.v[i]].marked = 0;
        reach_users(f, f->marked_links.v[i]);
    }
    f->marked_groups.n = f->marked_links.n = 0;
    for (size_t i = 0; i < s->group.n; i++) {
        const struct gs_flow_state *g = &f->groups.v[s->group.v[i]];
        for (uint32_t e = g->first; e < g->first + g->nedges; e++) {
            const uint32_t link = f->edges.v[e].link;
            if (f->links.v[link].stamp != f->stamp && gs_flow_tight(&f->links.v[link]))
                add_link(f, link);
        }
    }
}

/* Shell's sort: in place, and no worse than a merge sort for the hundreds that there are. */
static void sort_by_key(const struct gs_flows *f, uint32_t *v, size_t n)
{
    static const size_t gaps[] = {29524, 9841, 3280, 1093, 364, 121, 40, 13, 4, 1};
    for (size_t k = 0; k < sizeof gaps / sizeof gaps[0]; k++) {
        const size_t gap = gaps[k];
        for (size_t i = gap; i < n; i++) {
            const uint32_t hold = v[i];
            const uint64_t key = f->groups.v[hold].key;
            size_t j = i;
            for (; j >= gap && f->groups.v[v[j - gap]].key > key; j -= gap)
                v[j] = v[j - gap];
            v[j] = hold;
        }
    }
}

/* ---- the heap ---- */

/* Exact; at equal levels groups go first, then the lower id. */
static int before(const struct gs_fill *s, uint32_t a, uint32_t b)
{
    const struct gs_fill_item *x = &s->item.v[a], *y = &s->item.v[b];
    if (x->level != y->level)
        return x->level < y->level;
    const gs_i128 left = (gs_i128)x->key_left * y->key_weight,
                  right = (gs_i128)y->key_left * x->key_weight;
    if (left != right)
        return left < right;
    const int group = a < s->ngroups;
    return group != (b < s->ngroups) ? group : x->id < y->id;
}

static void put(struct gs_fill *s, uint32_t pos, uint32_t item)
{
    s->heap.v[pos] = item;
    s->item.v[item].pos = pos;
}

static void sink(struct gs_fill *s, uint32_t pos)
{
    const uint32_t item = s->heap.v[pos], n = (uint32_t)s->heap.n;
    for (;;) {
        uint32_t child = 2 * pos + 1;
        if (child >= n)
            break;
        if (child + 1 < n && before(s, s->heap.v[child + 1], s->heap.v[child]))
            child++;
        if (!before(s, s->heap.v[child], item))
            break;
        put(s, pos, s->heap.v[child]);
        pos = child;
    }
    put(s, pos, item);
}

static void rise(struct gs_fill *s, uint32_t pos)
{
    const uint32_t item = s->heap.v[pos];
    while (pos > 0 && before(s, item, s->heap.v[(pos - 1) / 2])) {
        put(s, pos, s->heap.v[(pos - 1) / 2]);
        pos = (pos - 1) / 2;
    }
    put(s, pos, item);
}

static void drop(struct gs_fill *s, uint32_t pos)
{
    const uint32_t last = gs_vec_pop(&s->heap);
    s->item.v[s->heap.v[pos]].pos = GS_NONE;
    if (pos == s->heap.n)
        return;
    put(s, pos, last);
    rise(s, pos);
    sink(s, s->item.v[last].pos);
}

/* ---- the filling ---- */

static void refresh(struct gs_fill *s)
{
    for (size_t i = 0; i < s->stale.n; i++) {
        const uint32_t at = s->stale.v[i];
        struct gs_fill_item *item = &s->item.v[at];
        s->is_stale.v[at] = 0;
        if (item->pos == GS_NONE)
            continue;
        if (!item->weight) {
            drop(s, item->pos);
            continue;
        }
        item->key_left = item->left;
        item->key_weight = item->weight;
        item->level = item->left / item->weight;
        rise(s, item->pos);
        sink(s, item->pos);
    }
    s->stale.n = 0;
}

static void give(struct gs_flows *f, uint32_t local, int64_t rate)
{
    struct gs_fill *s = &f->fill;
    const struct gs_flow_state *g = &f->groups.v[s->group.v[local]];
    s->rate.v[local] = rate;
    s->open--;
    for (uint32_t e = g->first; e < g->first + g->nedges; e++) {
        const struct gs_flow_edge *edge = &f->edges.v[e];
        const struct gs_flow_link *l = &f->links.v[edge->link];
        if (l->stamp != f->stamp) /* slack */
            continue;
        s->item.v[l->local].left -= rate * edge->weight;
        s->item.v[l->local].weight -= edge->weight;
        if (s->is_stale.v[l->local])
            continue;
        s->is_stale.v[l->local] = 1;
        gs_vec_push(&s->stale, l->local);
    }
}

/* Is there a unit more for this group, if all without a rate get `share`? */
static int has_room(const struct gs_flows *f, uint32_t local, int64_t share)
{
    const struct gs_fill *s = &f->fill;
    const struct gs_flow_state *g = &f->groups.v[s->group.v[local]];
    for (uint32_t e = g->first; e < g->first + g->nedges; e++) {
        const struct gs_flow_edge *edge = &f->edges.v[e];
        const struct gs_flow_link *l = &f->links.v[edge->link];
        if (l->stamp != f->stamp)
            continue;
        const struct gs_fill_item *item = &s->item.v[l->local];
        if (item->left - share * item->weight < edge->weight)
            return 0;
    }
    return 1;
}

static void fill_link(struct gs_flows *f, uint32_t at)
{
    struct gs_fill *s = &f->fill;
    const int64_t share = s->item.v[at].level;
    size_t lo = s->member.n, hi = 0;
    for (uint32_t e = f->links.v[s->item.v[at].id].first; e != GS_NONE; e = f->edges.v[e].next) {
        const uint32_t local = f->groups.v[f->edges.v[e].group].local;
        const size_t word = local / 64;
        if (s->rate.v[local] >= 0)
            continue;
        s->member.v[word] |= UINT64_C(1) << local % 64;
        lo = word < lo ? word : lo;
        hi = word + 1 > hi ? word + 1 : hi;
    }
    for (size_t w = lo; w < hi; w++)
        while (s->member.v[w]) {
            const uint32_t local = (uint32_t)w * 64 + (uint32_t)__builtin_ctzll(s->member.v[w]);
            s->member.v[w] &= s->member.v[w] - 1;
            give(f, local, share + has_room(f, local, share));
        }
    f->stats.rounds++;
}

/* Groups by key in front, links behind them; every group with a tight link into the heap. */
static void set_up(struct gs_flows *f)
{
    struct gs_fill *s = &f->fill;
    const size_t n = s->group.n, links = s->item.n;
    sort_by_key(f, s->group.v, n);
    gs_vec_reserve(&s->item, n + links);
    memmove(s->item.v + n, s->item.v, links * sizeof *s->item.v);
    s->item.n = n + links;
    s->ngroups = (uint32_t)n;
    gs_vec_reserve(&s->rate, n);
    gs_vec_reserve(&s->member, n / 64 + 1);
    gs_vec_reserve(&s->heap, n + links);
    gs_vec_reserve(&s->is_stale, n + links);
    memset(s->is_stale.v, 0, n + links);
    memset(s->member.v, 0, (n / 64 + 1) * sizeof *s->member.v);
    s->member.n = n / 64 + 1;
    s->heap.n = s->stale.n = 0;
    s->open = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        struct gs_flow_state *g = &f->groups.v[s->group.v[i]];
        g->local = (uint32_t)i;
        s->rate.v[i] = -1;
        s->item.v[i] = item_of(s->group.v[i], g->ceiling, 1);
        f->stats.flows += g->nflows;
        f->stats.edges += g->nedges;
    }
    for (size_t i = n; i < n + links; i++)
        f->links.v[s->item.v[i].id].local = (uint32_t)i;
    for (size_t i = 0; i < n + links; i++) {
        s->item.v[i].pos = (uint32_t)i;
        s->heap.v[s->heap.n++] = (uint32_t)i;
    }
    for (uint32_t i = (uint32_t)(n + links) / 2; i-- > 0;)
        sink(s, i);
    f->stats.groups += n;
    f->stats.links += links;
}

static void fill(struct gs_flows *f)
{
    struct gs_fill *s = &f->fill;
    while (s->open) {
        if (s->heap.v[0] >= s->ngroups)
            refresh(s);
        const uint32_t at = s->heap.v[0];
        drop(s, 0);
        if (at >= s->ngroups) {
            fill_link(f, at);
            refresh(s);
        } else if (s->rate.v[at] < 0)
            give(f, at, s->item.v[at].level);
    }
}

static void set_rate(struct gs_flows *f, uint32_t group, int64_t rate, int64_t now_ns)
{
    struct gs_flow_state *g = &f->groups.v[group];
    if (rate == g->rate)
        return;
    gs_flows_advance(g, now_ns);
    for (uint32_t e = g->first; e < g->first + g->nedges; e++)
        f->links.v[f->edges.v[e].link].load += (rate - g->rate) * f->edges.v[e].weight;
    g->rate = rate;
    gs_vec_push(&f->fill.changed, group);
}

const uint32_t *gs_flows_solve(struct gs_flows *f, int64_t now_ns, uint32_t *n)
{
    struct gs_fill *s = &f->fill;
    s->changed.n = 0;
    *n = 0;
    if (!gs_flows_dirty(f))
        return s->changed.v;
    find_component(f);
    if (!s->group.n)
        return s->changed.v;
    set_up(f);
    fill(f);
    for (uint32_t i = 0; i < s->ngroups; i++)
        set_rate(f, s->group.v[i], s->rate.v[i], now_ns);
    f->stats.solves++;
    f->stats.changed += s->changed.n;
    *n = (uint32_t)s->changed.n;
    return s->changed.v;
}

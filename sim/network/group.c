/* group.c - what a set of nodes that communicates puts on each link.
 *
 * Rings and trees are walked edge by edge. All-to-all in a tree is counted, not walked: of N members k below a vertex send
 * k (N - k) units up its trunk and get as many down it; the same count over each NVLink domain's members is taken off
 * again, since they do not need the network. O(members x streams x depth) either way; on a torus all pairs are walked.
 * The two trees: Sanders, Speck and Traeff, Parallel Computing 2009 (an inner node of one is a leaf of the other). */
#include "sim/base/sort.h"
#include "sim/network/topology_priv.h"

#include "sim/base/banned.h"

struct walk {
    struct gs_topology *t;
    const struct gs_member *m;
    uint32_t n, streams;
    uint64_t common; /* rails that every member has */
    struct gs_group_load load;
};

/* The position of set bit number i. */
static uint32_t nth_bit(uint64_t x, uint32_t i)
{
    uint32_t pos = 0;
    while (i-- > 0)
        x &= x - 1;
    while (!(x >> pos & 1))
        pos++;
    return pos;
}

static uint64_t rails_of(const struct gs_topology *t, const struct gs_member *m)
{
    const uint32_t rails = t->rails[m->node];
    const uint64_t all = rails == 64 ? UINT64_MAX : (UINT64_C(1) << rails) - 1;
    return m->rails & all ? m->rails & all : all;
}

static int in_order(const void *a, const void *b, const void *ctx)
{
    const struct gs_topology *t = ctx;
    const uint32_t x = t->order[((const struct gs_member *)a)->node];
    const uint32_t y = t->order[((const struct gs_member *)b)->node];
    return (x > y) - (x < y);
}

static int by_domain(const void *a, const void *b, const void *ctx)
{
    const struct gs_topology *t = ctx;
    const uint32_t x = t->domain[((const struct gs_member *)a)->node];
    const uint32_t y = t->domain[((const struct gs_member *)b)->node];
    return (x > y) - (x < y);
}

static int by_link(const void *a, const void *b, const void *ctx)
{
    const uint32_t x = ((const struct gs_link_weight *)a)->link;
    const uint32_t y = ((const struct gs_link_weight *)b)->link;
    (void)ctx;
    return (x > y) - (x < y);
}

static int share_domain(const struct gs_topology *t, uint32_t a, uint32_t b)
{
    return t->domain[a] != GS_NONE && t->domain[a] == t->domain[b];
}

static uint32_t stream_rail(const struct walk *w, const struct gs_member *m, uint32_t stream)
{
    return nth_bit((uint32_t)__builtin_popcountll(w->common) >= w->streams ? w->common : m->rails,
                   stream);
}

static void put(struct gs_topology *t, uint32_t link, uint64_t weight)
{
    if (t->weight[link] == 0)
        gs_vec_push(&t->touched, link);
    t->weight[link] += weight;
}

/* The way of one stream of an edge, in t->way; returns its length. */
static uint32_t way_of(struct walk *w, uint32_t a, uint32_t b, uint32_t stream)
{
    struct gs_topology *t = w->t;
    uint32_t switches = 0;
    const struct gs_member *from = &w->m[a], *to = &w->m[b];
    for (;;) {
        const uint32_t n = gs_topology_route(t, from->node, stream_rail(w, from, stream), to->node,
                                             stream_rail(w, to, stream), t->way.v,
                                             (uint32_t)t->way.cap, &switches);
        if (n == GS_NONE) {
            w->load.cut = 1;
            return 0;
        }
        if (n > t->way.cap) {
            gs_vec_reserve(&t->way, n);
            continue;
        }
        int64_t latency = 0;
        for (uint32_t i = 0; i < n; i++)
            latency += t->link.v[t->way.v[i]].latency_ns;
        if (latency > w->load.latency_ns)
            w->load.latency_ns = latency;
        if (switches > w->load.switches)
            w->load.switches = switches;
        return n;
    }
}

static void edge(struct walk *w, uint32_t a, uint32_t b)
{
    if (share_domain(w->t, w->m[a].node, w->m[b].node))
        return;
    for (uint32_t s = 0; s < w->streams; s++) {
        const uint32_t n = way_of(w, a, b, s);
        for (uint32_t i = 0; i < n; i++)
            put(w->t, w->t->way.v[i], 1);
    }
}

static void ring(struct walk *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        edge(w, i, i + 1 < w->n ? i + 1 : 0);
}

static void chain(struct walk *w)
{
    for (uint32_t i = 0; i + 1 < w->n; i++) {
        edge(w, i, i + 1);
        edge(w, i + 1, i);
    }
}

/* In-order binary tree on 0..n-1 with root 0: the parent of i > 0. */
static uint32_t tree_parent(uint32_t i, uint32_t n)
{
    const uint32_t bit = i & (~i + 1);
    const uint32_t up = (i ^ bit) | bit << 1;
    return up >= n ? i ^ bit : up;
}

static void two_trees(struct walk *w)
{
    const uint32_t n = w->n;
    for (uint32_t i = 1; i < n; i++) {
        const uint32_t p = tree_parent(i, n);
        /* the second tree is the first mirrored, or moved by one where n is odd */
        const uint32_t j = n % 2 ? (i + 1) % n : n - 1 - i, q = n % 2 ? (p + 1) % n : n - 1 - p;
        edge(w, i, p);
        edge(w, p, i);
        edge(w, j, q);
        edge(w, q, j);
    }
}

/* Adds (or, with sign -1, takes off) all pairs among m[from..to). */
static void count_pairs(struct walk *w, const struct gs_member *m, uint32_t n, uint64_t sign)
{
    struct gs_topology *t = w->t;
    for (uint32_t s = 0; s < w->streams; s++) {
        gs_vec_clear(&t->vertices);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t v = gs_topology_port(t, m[i].node, stream_rail(w, &m[i], s));
            for (; v != GS_NONE; v = t->parent[v])
                if (t->below[v]++ == 0)
                    gs_vec_push(&t->vertices, v);
        }
        for (size_t i = 0; i < t->vertices.n; i++) {
            const uint32_t v = t->vertices.v[i];
            const uint64_t pairs = t->below[v] * (n - t->below[v]);
            t->below[v] = 0;
            if (pairs == 0 || t->up[v] == GS_NONE)
                continue;
            put(t, t->up[v], pairs * sign);
            put(t, t->up[v] + 1, pairs * sign);
        }
    }
}

/* The farthest member from this one; the load's latency and switches grow to fit. */
static uint32_t farthest(struct walk *w, uint32_t from)
{
    uint32_t at = from, most = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        const uint32_t n = i == from || share_domain(w->t, w->m[i].node, w->m[from].node)
                               ? 0
                               : way_of(w, from, i, 0);
        if (n > most) {
            most = n;
            at = i;
        }
    }
    return at;
}

static void all_pairs(struct walk *w)
{
    struct gs_topology *t = w->t;
    if (t->rule.kind == GS_TOPOLOGY_TORUS) {
        for (uint32_t i = 0; i < w->n; i++)
            for (uint32_t j = 0; j < w->n; j++)
                if (i != j)
                    edge(w, i, j);
        return;
    }
    (void)farthest(w, farthest(w, 0)); /* in a tree that is the longest way of all */
    count_pairs(w, w->m, w->n, 1);
    gs_sort(t->member.v, t->member.n, sizeof *t->member.v, by_domain, t);
    for (uint32_t i = 0; i < w->n;) {
        uint32_t end = i + 1;
        while (end < w->n && share_domain(t, t->member.v[i].node, t->member.v[end].node))
            end++;
        if (end - i > 1)
            count_pairs(w, &t->member.v[i], end - i, UINT64_MAX);
        i = end;
    }
}

static void finish(struct walk *w)
{
    struct gs_topology *t = w->t;
    gs_vec_clear(&t->out);
    w->load.alone = GS_NEVER;
    for (size_t i = 0; i < t->touched.n; i++) {
        const uint32_t link = t->touched.v[i];
        const uint64_t weight = t->weight[link];
        t->weight[link] = 0;
        if (weight == 0) /* taken off again, or seen before */
            continue;
        const uint32_t most = weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX;
        const struct gs_net_link *l = &t->link.v[link];
        const int64_t rate = l->bytes_per_s / most;
        gs_vec_push(&t->out, (struct gs_link_weight){link, most});
        w->load.alone = rate < w->load.alone ? rate : w->load.alone;
    }
    gs_sort(t->out.v, t->out.n, sizeof *t->out.v, by_link, NULL);
    w->load.link = t->out.v;
    w->load.nlinks = (uint32_t)t->out.n;
}

struct gs_group_load gs_topology_group(struct gs_topology *t, enum gs_pattern pattern,
                                       const struct gs_member *member, uint32_t n)
{
    struct walk w = {.t = t, .n = n, .streams = GS_RAILS_MAX, .common = UINT64_MAX};
    gs_vec_clear(&t->touched);
    gs_vec_clear(&t->member);
    for (uint32_t i = 0; i < n; i++) {
        struct gs_member m = member[i];
        gs_require(m.node < t->nnodes);
        m.rails = rails_of(t, &m);
        gs_vec_push(&t->member, m);
        w.common &= m.rails;
        const uint32_t rails = (uint32_t)__builtin_popcountll(m.rails);
        w.streams = rails < w.streams ? rails : w.streams;
    }
    gs_sort(t->member.v, t->member.n, sizeof *t->member.v, in_order, t);
    w.m = t->member.v;
    w.load.streams = n ? w.streams : 0;
    w.load.units = pattern == GS_PATTERN_TREE                  ? 2
                   : pattern == GS_PATTERN_ALL_TO_ALL && n > 1 ? n - 1
                                                               : 1;
    if (n > 1) {
        if (pattern == GS_PATTERN_RING)
            ring(&w);
        else if (pattern == GS_PATTERN_CHAIN)
            chain(&w);
        else if (pattern == GS_PATTERN_TREE)
            two_trees(&w);
        else
            all_pairs(&w);
    }
    finish(&w);
    return w.load;
}

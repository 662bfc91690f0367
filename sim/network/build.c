/* build.c - makes the network of a rule or a file: vertices, trunks, levels, and the switches that it takes.
 *
 * Sizing by rule, for switches of k ports without oversubscription (checked against published scalable units): a leaf has k/2 ports
 * down and k/2 up. Two tiers serve k leaves, their spines use all ports down: G/k of them for G ports. Three tiers: pods of
 * k/2 leaves and k/2 spines, k/2 down and k/2 up, and G/k cores. On every tier as many cables as ports. Oversubscription
 * o of a tier leaves 1/o of the cables up. A trunk is what the design has, also where the last leaf is not full of nodes.
 * Trees of k-port switches: Al-Fares, Loukissas and Vahdat, SIGCOMM 2008; rails: NVIDIA's scalable units. */
#include "sim/base/exact.h"
#include "sim/network/topology_priv.h"

#include <string.h>

#include "sim/base/banned.h"

enum {
    RADIX_DEFAULT = 64,
    DEPTH_MAX = GS_TIERS_MAX * 2 - 2
};

static const int64_t link_max = INT64_C(1) << 53;

static uint32_t at_least_1(uint32_t x)
{
    return x ? x : 1;
}

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static uint32_t oversubscription(const struct gs_topology *t, uint32_t tier)
{
    return t->rule.oversubscription[tier] ? t->rule.oversubscription[tier] : 1000;
}

int64_t gs_topo_cable(const struct gs_topology *t, uint32_t tier, int64_t rail_rate)
{
    return t->rule.links[tier] ? t->rule.links[tier] : rail_rate;
}

/* Thousandths of cables to bytes/s. */
static int64_t capacity(uint64_t milli, int64_t cable)
{
    const gs_i128 c = (gs_i128)milli * cable / 1000;
    return c > link_max ? link_max : c < 1 ? 1 : (int64_t)c;
}

void gs_topo_link(struct gs_topology *t, uint32_t from, uint32_t to, uint32_t tier,
                  int64_t bytes_per_s)
{
    gs_vec_push(&t->link, (struct gs_net_link){.from = from,
                                               .to = to,
                                               .bytes_per_s = bytes_per_s,
                                               .latency_ns = t->rule.latency_ns[tier],
                                               .tier = (uint8_t)tier});
}

/* ---- vertices ---- */

static void take_nodes(struct gs_topology *t, const struct gs_net_node *node, uint32_t n)
{
    t->nnodes = n;
    t->node_name = GS_NEW_N(const char *, n);
    t->node_gpus = GS_NEW_N(uint32_t, n);
    t->rails = GS_NEW_N(uint32_t, n);
    t->first_port = GS_NEW_N(uint32_t, n);
    t->order = GS_NEW_N(uint32_t, n);
    t->domain = GS_NEW_N(uint32_t, n);
    t->rail_rate = GS_NEW_N(int64_t, n);
    for (uint32_t i = 0; i < n; i++) {
        gs_require(node[i].rails >= 1 && node[i].rails <= GS_RAILS_MAX &&
                   node[i].rail_bytes_per_s > 0);
        t->node_name[i] = gs_arena_str(&t->text, node[i].name, strlen(node[i].name));
        t->node_gpus[i] = node[i].gpus;
        t->rails[i] = node[i].rails;
        t->rail_rate[i] = gs_topo_cable(t, 0, node[i].rail_bytes_per_s);
        t->domain[i] = node[i].domain;
        t->order[i] = i;
        t->first_port[i] = t->nports;
        t->nports += t->rule.kind == GS_TOPOLOGY_TORUS ? 1 : node[i].rails;
    }
    t->counts.ports = t->nports;
}

static void make_vertices(struct gs_topology *t, uint32_t switches)
{
    t->nvertices = t->nports + switches;
    t->parent = GS_NEW_N(uint32_t, t->nvertices);
    t->depth = GS_NEW_N(uint32_t, t->nvertices);
    t->up = GS_NEW_N(uint32_t, t->nvertices);
    t->name = GS_NEW_N(const char *, t->nvertices);
    t->port_node = GS_NEW_N(uint32_t, t->nports);
    for (uint32_t v = 0; v < t->nvertices; v++)
        t->parent[v] = t->up[v] = GS_NONE;
    for (uint32_t i = 0; i < t->nnodes; i++)
        for (uint32_t v = t->first_port[i];
             v < (i + 1 < t->nnodes ? t->first_port[i + 1] : t->nports); v++)
            t->port_node[v] = i;
}

static void trunk(struct gs_topology *t, uint32_t v, uint32_t parent, uint32_t tier, int64_t rate)
{
    t->parent[v] = parent;
    t->up[v] = (uint32_t)t->link.n;
    gs_topo_link(t, v, parent, tier, rate);
    gs_topo_link(t, parent, v, tier, rate);
}

/* Parents may have higher or lower numbers: each vertex counts its way to the root. */
static void set_depths(struct gs_topology *t)
{
    for (uint32_t v = 0; v < t->nvertices; v++)
        for (uint32_t p = t->parent[v]; p != GS_NONE; p = t->parent[p])
            t->depth[v]++;
}

static const char *numbered(struct gs_topology *t, const char *what, uint32_t i)
{
    char text[64];
    (void)gs_fmt(text, sizeof text, "%s-%u", what, i);
    return gs_arena_str(&t->text, text, strlen(text));
}

/* A level whose groups the caller fills in. */
static const char **new_level(struct gs_topology *t, const char *name)
{
    gs_require(t->nlevels < GS_NET_LEVELS_MAX);
    t->level_name[t->nlevels] = gs_arena_str(&t->text, name, strlen(name));
    t->level_group[t->nlevels] = GS_NEW_N(const char *, t->nnodes);
    return t->level_group[t->nlevels++];
}

/* Nodes that share NVLink are the innermost level, where there are any. */
static void add_domains(struct gs_topology *t)
{
    uint32_t most = 0;
    int any = 0;
    for (uint32_t i = 0; i < t->nnodes; i++) {
        if (t->domain[i] == GS_NONE)
            continue;
        any = 1;
        most = t->domain[i] > most ? t->domain[i] : most;
    }
    if (!any)
        return;
    const char **names = GS_NEW_N(const char *, (size_t)most + 1);
    const char **group = new_level(t, "nvlink");
    for (uint32_t i = 0; i < t->nnodes; i++) {
        const uint32_t d = t->domain[i];
        if (d != GS_NONE && !names[d])
            names[d] = numbered(t, "nvlink", d);
        group[i] = d == GS_NONE ? t->node_name[i] : names[d];
    }
    gs_free(names);
}

/* ---- by rule ---- */

struct plan {
    uint32_t rails;  /* of the node with most */
    uint32_t leaves; /* of a unit: 1, or one a rail */
    uint32_t down;   /* ports of a leaf to nodes */
    uint32_t units, pod_units, pods;
    int64_t rate;             /* of the fastest rail */
    uint64_t leaf_up, pod_up; /* cables up, thousandths */
};

static uint32_t largest_domain(const struct gs_topology *t)
{
    uint32_t run = 0, most = 1;
    for (uint32_t i = 0; i < t->nnodes; i++) {
        run = i && t->domain[i] != GS_NONE && t->domain[i] == t->domain[i - 1] ? run + 1 : 1;
        most = run > most ? run : most;
    }
    return most;
}

static void plan_units(struct gs_topology *t, struct plan *p)
{
    struct gs_net_rule *r = &t->rule;
    p->rails = 1;
    for (uint32_t i = 0; i < t->nnodes; i++) {
        p->rails = t->rails[i] > p->rails ? t->rails[i] : p->rails;
        p->rate = t->rail_rate[i] > p->rate ? t->rail_rate[i] : p->rate;
    }
    const int rail = r->kind == GS_TOPOLOGY_RAIL;
    p->leaves = rail ? p->rails : 1;
    if (!r->leaf_nodes && !rail && r->tiers < 2 && t->nports <= r->radix) { /* one switch does */
        r->tiers = 1;
        r->leaf_nodes = t->nnodes;
    }
    if (!r->leaf_nodes) {
        const uint32_t domain = largest_domain(t);
        const uint32_t most = at_least_1(r->radix / 2 / (rail ? 1 : p->rails));
        r->leaf_nodes = domain < most ? most / domain * domain : most; /* a domain stays whole */
    }
    p->down = r->leaf_nodes * (rail ? 1 : p->rails);
    p->units = (uint32_t)ceil_div(t->nnodes, r->leaf_nodes);
}

static enum gs_rc plan_tiers(struct gs_topology *t, struct plan *p, struct gs_err *err)
{
    struct gs_net_rule *r = &t->rule;
    const uint64_t leaves = (uint64_t)p->units * p->leaves; /* of a plane */
    p->leaf_up = (uint64_t)p->down * 1000000 / oversubscription(t, 1);
    p->pod_units = at_least_1(r->radix / 2 / p->leaves);
    if (!r->tiers)
        r->tiers = leaves <= r->radix ? 2 : 3;
    p->pods = r->tiers == 3 ? (uint32_t)ceil_div(p->units, p->pod_units) : 1;
    p->pod_up = (uint64_t)p->pod_units * p->leaves * p->leaf_up * 1000 / oversubscription(t, 2);
    if (r->tiers > 1 && p->down + ceil_div(p->leaf_up, 1000) > r->radix)
        return gs_fail(err, GS_E_INPUT,
                       "[network] leaf_nodes: %u ports down and %u up are more than the %u of a "
                       "switch (radix)",
                       p->down, (unsigned)ceil_div(p->leaf_up, 1000), r->radix);
    if (r->tiers == 1 && p->down > r->radix)
        return gs_fail(err, GS_E_INPUT, "[network] tiers: one switch of %u ports cannot take %u",
                       r->radix, p->down);
    if (r->tiers == 1 && p->units > 1)
        return gs_fail(err, GS_E_INPUT,
                       "[network] tiers: %u leaves need a tier of spines to join them", p->units);
    if ((r->tiers == 2 && leaves > r->radix) || p->pods > r->radix)
        return gs_fail(err, GS_E_INPUT,
                       "[network] %s: %llu leaves are more than %u tiers of %u-port switches join",
                       r->tiers == 2 ? "tiers" : "radix", (unsigned long long)leaves, r->tiers,
                       r->radix);
    return GS_OK;
}

static void count_switches(struct gs_topology *t, const struct plan *p)
{
    const struct gs_net_rule *r = &t->rule;
    struct gs_net_counts *c = &t->counts;
    const uint64_t leaves = (uint64_t)p->units * p->leaves * r->planes;
    const uint32_t spine_down = r->tiers == 3 ? r->radix / 2 : r->radix;
    c->tiers = r->tiers;
    c->units = p->units;
    c->pods = r->tiers == 3 ? p->pods : 0;
    c->leaves = (uint32_t)leaves;
    c->cables[0] = (uint64_t)t->nports * r->planes;
    if (r->tiers < 2)
        return;
    c->cables[1] = ceil_div(leaves * p->leaf_up, 1000);
    c->spines = (uint32_t)ceil_div(c->cables[1], at_least_1(spine_down));
    if (r->tiers < 3)
        return;
    c->cables[2] = ceil_div(leaves * p->leaf_up, oversubscription(t, 2));
    c->cores = (uint32_t)ceil_div(c->cables[2], r->radix);
}

/* Vertices after the ports: leaves of unit 0, of unit 1, ..; pods; the root. */
static void join_by_rule(struct gs_topology *t, const struct plan *p)
{
    const struct gs_net_rule *r = &t->rule;
    const uint32_t leaf0 = t->nports, pod0 = leaf0 + p->units * p->leaves;
    const uint32_t npods = r->tiers == 3 ? p->pods : 0, root = pod0 + npods;
    make_vertices(t, p->units * p->leaves + npods + (r->tiers > 1));
    for (uint32_t v = 0; v < t->nports; v++) {
        const uint32_t node = t->port_node[v], unit = node / r->leaf_nodes;
        const uint32_t rail = p->leaves > 1 ? v - t->first_port[node] : 0;
        trunk(t, v, leaf0 + unit * p->leaves + rail, 0, t->rail_rate[node]);
    }
    for (uint32_t l = 0; l < p->units * p->leaves; l++) {
        t->name[leaf0 + l] = numbered(t, "leaf", l);
        if (r->tiers > 1)
            trunk(t, leaf0 + l, npods ? pod0 + l / p->leaves / p->pod_units : root, 1,
                  capacity(p->leaf_up, gs_topo_cable(t, 1, p->rate)));
    }
    for (uint32_t i = 0; i < npods; i++) {
        t->name[pod0 + i] = numbered(t, "pod", i);
        trunk(t, pod0 + i, root, 2, capacity(p->pod_up, gs_topo_cable(t, 2, p->rate)));
    }
    if (r->tiers > 1)
        t->name[root] = r->tiers == 3 ? "core" : "spine";
}

static void level_by_rule(struct gs_topology *t, const char *what, uint32_t nodes)
{
    const char **group = new_level(t, what);
    for (uint32_t i = 0; i < t->nnodes; i++)
        group[i] = i % nodes ? group[i - 1] : numbered(t, what, i / nodes);
}

static enum gs_rc build_by_rule(struct gs_topology *t, struct gs_err *err)
{
    struct plan p = {0};
    plan_units(t, &p);
    const enum gs_rc rc = plan_tiers(t, &p, err);
    if (rc != GS_OK)
        return rc;
    count_switches(t, &p);
    join_by_rule(t, &p);
    if (t->rule.tiers == 3)
        level_by_rule(t, "pod", t->rule.leaf_nodes * p.pod_units);
    level_by_rule(t, t->rule.kind == GS_TOPOLOGY_RAIL ? "su" : "leaf", t->rule.leaf_nodes);
    return GS_OK;
}

/* ---- from a file ---- */

static enum gs_rc check_tree(const struct gs_net_tree *f, struct gs_err *err)
{
    for (uint32_t g = 0; g < f->ngroups; g++) {
        uint32_t depth = 0;
        for (uint32_t p = g; p != GS_NONE && depth <= DEPTH_MAX; p = f->group[p].parent)
            depth++;
        if (depth > DEPTH_MAX)
            return gs_fail(err, GS_E_INPUT,
                           "switch '%s' has more than %d switches above it, or is above itself",
                           f->group[g].name, DEPTH_MAX - 1);
    }
    return GS_OK;
}

/* What has come to each vertex from below. */
struct joined {
    uint64_t *cables; /* thousandths */
    int64_t *bytes;
    uint8_t *tier;
};

/* The link from v to its parent, which counts it. */
static void join_up(struct gs_topology *t, uint32_t v, struct joined *j)
{
    const int is_port = v < t->nports;
    const uint32_t p = t->parent[v], k = j->tier[v], o = is_port ? 1000 : oversubscription(t, k);
    const int64_t below = is_port ? t->rail_rate[t->port_node[v]] : j->bytes[v];
    const uint64_t milli = (is_port ? 1000 : j->cables[v]) * 1000 / o;
    const int64_t own = (int64_t)((gs_i128)below * 1000 / o);
    const int64_t rate = k && t->rule.links[k] ? capacity(milli, t->rule.links[k]) : own;
    trunk(t, v, p, k, rate < 1 ? 1 : rate > link_max ? link_max : rate);
    j->cables[p] += milli;
    j->bytes[p] = own > link_max - j->bytes[p] ? link_max : j->bytes[p] + own;
    j->tier[p] = (uint8_t)(k + 1 > j->tier[p] ? k + 1 : j->tier[p]);
    j->tier[p] = j->tier[p] < GS_TIERS_MAX ? j->tier[p] : GS_TIERS_MAX - 1;
}

/* Each vertex's cables and bytes/s come from those below it, so the deepest are joined first. */
static void join_tree(struct gs_topology *t, const struct gs_net_tree *f)
{
    const uint32_t first = t->nports;
    struct joined j = {.cables = GS_NEW_N(uint64_t, t->nvertices),
                       .bytes = GS_NEW_N(int64_t, t->nvertices),
                       .tier = GS_NEW_N(uint8_t, t->nvertices)};
    for (uint32_t v = 0; v < t->nvertices; v++) {
        const uint32_t g = v < first ? f->node_group[t->port_node[v]] : f->group[v - first].parent;
        t->parent[v] = g == GS_NONE ? GS_NONE : first + g;
    }
    set_depths(t);
    for (uint32_t d = DEPTH_MAX + 1; d-- > 0;)
        for (uint32_t v = 0; v < t->nvertices; v++)
            if (t->depth[v] == d && t->parent[v] != GS_NONE)
                join_up(t, v, &j);
    gs_free(j.cables);
    gs_free(j.bytes);
    gs_free(j.tier);
}

/* Groups in the order in which a walk of the tree meets them; ranks[g]. */
static uint32_t *walk_ranks(const struct gs_net_tree *f)
{
    uint32_t *const child = GS_NEW_N(uint32_t, f->ngroups), *const next =
                                                                GS_NEW_N(uint32_t, f->ngroups);
    uint32_t *const rank = GS_NEW_N(uint32_t, f->ngroups), *const stack =
                                                               GS_NEW_N(uint32_t, f->ngroups);
    uint32_t top = 0, seen = 0;
    for (uint32_t g = 0; g < f->ngroups; g++)
        child[g] = GS_NONE;
    for (uint32_t g = f->ngroups; g-- > 0;) { /* children stand in the order of the file */
        if (f->group[g].parent == GS_NONE)
            continue;
        next[g] = child[f->group[g].parent];
        child[f->group[g].parent] = g;
    }
    for (uint32_t g = 0; g < f->ngroups; g++) {
        if (f->group[g].parent != GS_NONE)
            continue;
        stack[top++] = g;
        while (top > 0) {
            const uint32_t x = stack[--top];
            rank[x] = seen++;
            if (f->group[x].parent != GS_NONE && next[x] != GS_NONE)
                stack[top++] = next[x];
            if (child[x] != GS_NONE)
                stack[top++] = child[x];
        }
    }
    gs_free(child);
    gs_free(next);
    gs_free(stack);
    return rank;
}

/* Places of nodes in the walk: a counting sort by the rank of their leaf, nodes of no leaf last. */
static void order_nodes(struct gs_topology *t, const struct gs_net_tree *f)
{
    uint32_t *const rank = walk_ranks(f), *const at = GS_NEW_N(uint32_t, (size_t)f->ngroups + 2);
    for (uint32_t i = 0; i < t->nnodes; i++)
        at[(f->node_group[i] == GS_NONE ? f->ngroups : rank[f->node_group[i]]) + 1]++;
    for (uint32_t g = 0; g <= f->ngroups; g++)
        at[g + 1] += at[g];
    for (uint32_t i = 0; i < t->nnodes; i++)
        t->order[i] = at[f->node_group[i] == GS_NONE ? f->ngroups : rank[f->node_group[i]]]++;
    gs_free(rank);
    gs_free(at);
}

/* The group h steps above the node's leaf, GS_NONE where the tree has ended. */
static uint32_t group_above(const struct gs_net_tree *f, uint32_t node, uint32_t h)
{
    uint32_t g = f->node_group[node];
    while (h-- > 0 && g != GS_NONE)
        g = f->group[g].parent;
    return g;
}

/* Levels by height above the node. One that holds every node says nothing, unless it is the only one. */
static void levels_of_tree(struct gs_topology *t, const struct gs_net_tree *f)
{
    static const char *const usual[] = {"leaf", "spine", "core"};
    const char *const *name = f->level ? f->level : usual;
    const uint32_t nnames = f->level ? f->nlevels : 3;
    uint32_t placed = 0;
    for (uint32_t i = 0; i < t->nnodes; i++)
        placed += f->node_group[i] != GS_NONE;
    for (uint32_t h = DEPTH_MAX; h-- > 0;) {
        uint32_t present = 0, same = 0, one = GS_NONE;
        for (uint32_t i = 0; i < t->nnodes; i++) {
            const uint32_t g = group_above(f, i, h);
            one = one == GS_NONE ? g : one;
            present += g != GS_NONE;
            same += g != GS_NONE && g == one;
        }
        if (!present || (h && same == placed) || t->nlevels + 2 > GS_NET_LEVELS_MAX)
            continue;
        const char **group = new_level(t, h < nnames ? name[h] : numbered(t, "tier", h + 1));
        for (uint32_t i = 0; i < t->nnodes; i++) {
            const uint32_t g = group_above(f, i, h);
            group[i] = g == GS_NONE ? "" : t->name[t->nports + g];
        }
    }
}

static enum gs_rc build_from_tree(struct gs_topology *t, const struct gs_net_tree *f,
                                  struct gs_err *err)
{
    const enum gs_rc rc = check_tree(f, err);
    if (rc != GS_OK)
        return rc;
    make_vertices(t, f->ngroups);
    for (uint32_t g = 0; g < f->ngroups; g++)
        t->name[t->nports + g] = gs_arena_str(&t->text, f->group[g].name, strlen(f->group[g].name));
    join_tree(t, f);
    memset(t->depth, 0, t->nvertices * sizeof *t->depth);
    order_nodes(t, f);
    levels_of_tree(t, f);
    for (uint32_t i = 0; i < t->nnodes; i++)
        t->counts.units += f->node_group[i] == GS_NONE;
    return GS_OK;
}

static void take_rule(struct gs_topology *t, const struct gs_net_rule *rule)
{
    t->rule = *rule;
    t->rule.radix = rule->radix ? rule->radix : RADIX_DEFAULT;
    t->rule.planes = at_least_1(rule->planes);
}

enum gs_rc gs_topology_build(struct gs_topology **out, const struct gs_net_rule *rule,
                             const struct gs_net_node *node, uint32_t n,
                             const struct gs_net_tree *tree, struct gs_err *err)
{
    struct gs_topology *t = GS_NEW(struct gs_topology);
    enum gs_rc rc = GS_OK;
    *out = NULL;
    gs_require(n > 0 && rule->kind != GS_TOPOLOGY_NONE);
    take_rule(t, rule);
    take_nodes(t, node, n);
    if (rule->kind == GS_TOPOLOGY_TORUS) {
        make_vertices(t, 0);
        rc = gs_torus_build(t, err);
    } else {
        rc = rule->kind == GS_TOPOLOGY_FILE ? build_from_tree(t, tree, err) : build_by_rule(t, err);
        if (rc == GS_OK)
            set_depths(t);
    }
    if (rc != GS_OK) {
        gs_topology_free(t);
        return rc;
    }
    add_domains(t);
    t->weight = GS_NEW_N(uint64_t, t->link.n);
    t->below = GS_NEW_N(uint64_t, t->nvertices);
    *out = t;
    return GS_OK;
}

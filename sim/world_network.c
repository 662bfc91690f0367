/* world_network.c - from [network] and the nodes of a scenario to a topology, and to the groups of its levels.
 *
 * A node has as many rails as NICs, or as GPUs if those are fewer: then the NICs of one GPU make one rail, with their rates
 * added. Nodes take their places in the order of the sections and of their numbers; a file places them by name. */
#include "sim/network/importer.h"
#include "sim/network/inside.h"
#include "sim/run.h"
#include "traces/input.h"

#include <string.h>

struct wiring {
    struct gs_run *r;
    const struct gs_settings *s;
    struct gs_net_node *node;
    uint32_t domains;     /* NVLink domains of several nodes so far */
    uint32_t gpu_domains; /* all NVLink domains */
};

/* ---- nodes ---- */

/* Nodes of one NVLink domain: 1 = it ends at the node. */
static uint32_t domain_nodes_of(const struct gs_server_model *type, uint32_t gpus)
{
    const uint32_t n = type && gpus ? type->nvlink_domain / gpus : 1;
    return n ? n : 1;
}

/* What the type tells of the GPUs of the section's nodes. */
static void fill_gpus(struct wiring *w, const struct gs_set_nodes *n, uint32_t from, uint32_t to)
{
    struct gs_cluster *c = &w->r->cluster;
    const struct gs_server_model *type =
        n->type ? gs_catalog_server(&w->r->catalog, n->type) : NULL;
    struct gs_inside in;
    if (!type || from == to)
        return;
    const uint32_t gpus = c->gpu_count[from], together = domain_nodes_of(type, gpus);
    const struct gs_gpu_model *gpu = gs_catalog_gpu(&w->r->catalog, n->gpu ? n->gpu : type->gpu);
    gs_inside_make(&in, &w->r->catalog, type, gpu, gpus);
    int32_t *const links = gs_arena_alloc(&w->r->text, sizeof *links * gpus * gpus, sizeof *links);
    for (uint32_t a = 0; a < in.gpus; a++)
        for (uint32_t b = 0; b < in.gpus; b++)
            links[a * gpus + b] = gs_inside_score(&in, a, b);
    for (uint32_t i = from; i < to; i++) {
        c->node_links[i] = links;
        for (uint32_t k = 0; k < gpus && k < in.gpus; k++) {
            const uint32_t g = c->gpu_first[i] + k;
            c->gpu_numa[g] = in.numa[k];
            c->gpu_nic[g] = in.nic[k];
            if (in.domain[k] == GS_INSIDE_UNKNOWN)
                continue;
            if (in.domain[k] < k)
                c->gpu_domain[g] = c->gpu_domain[c->gpu_first[i] + in.domain[k]];
            else if ((i - from) % together && k == 0)
                c->gpu_domain[g] = c->gpu_domain[c->gpu_first[i - 1]];
            else
                c->gpu_domain[g] = w->gpu_domains++;
        }
    }
}

/* NICs of a node: as said, else as its type has, else one to a GPU. */
static uint32_t nics_of(const struct gs_set_nodes *n, const struct gs_server_model *type,
                        uint32_t gpus)
{
    if (n->nics > 0)
        return (uint32_t)n->nics;
    if (type && type->nics)
        return type->nics;
    return gpus ? gpus : 1;
}

static enum gs_rc wire_section(struct wiring *w, const struct gs_set_nodes *n, uint32_t from,
                               uint32_t to, struct gs_err *err)
{
    const struct gs_cluster *c = &w->r->cluster;
    const struct gs_server_model *type =
        n->type ? gs_catalog_server(&w->r->catalog, n->type) : NULL;
    int64_t nic = w->s->network.links[0];
    if (!nic && type && type->nic_gbps > 0)
        nic = (int64_t)(type->nic_gbps * 125e6 + 0.5);
    if (nic <= 0)
        return gs_fail(err, GS_E_INPUT,
                       "%s: [nodes %s]: the rate of their NICs is not known: say it in [network] "
                       "links (links = 400Gb/s)",
                       n->where, n->name);
    for (uint32_t i = from; i < to; i++) {
        const uint32_t gpus = c->gpu_count[i];
        const uint32_t nics = nics_of(n, type, gpus);
        uint32_t rails = gpus == 0 ? 1 : nics < gpus ? nics : gpus;
        rails = rails < GS_RAILS_MAX ? rails : GS_RAILS_MAX;
        const uint32_t domain_nodes = domain_nodes_of(type, gpus);
        w->node[i] = (struct gs_net_node){
            .name = gs_intern_str(&w->r->str, c->node_name[i]),
            .gpus = gpus,
            .rails = rails,
            .rail_bytes_per_s = nic <= INT64_MAX / nics ? nic * nics / rails : nic,
            .domain = domain_nodes > 1 ? w->domains + (i - from) / domain_nodes : GS_NONE};
        if (i + 1 == to && domain_nodes > 1)
            w->domains += (to - from + domain_nodes - 1) / domain_nodes;
    }
    return GS_OK;
}

static struct gs_net_rule rule_of(const struct gs_set_network *n)
{
    struct gs_net_rule rule = {.kind = (enum gs_topology_kind)n->kind,
                               .radix = n->radix,
                               .leaf_nodes = n->leaf_nodes,
                               .tiers = n->tiers,
                               .planes = n->planes,
                               .pxn = n->pxn,
                               .ndims = n->ndims};
    for (size_t k = 0; k < GS_SET_TIERS; k++) {
        /* tier 0 is in the nodes' rails; the links of a torus are its tiers */
        rule.links[k] = k || rule.kind == GS_TOPOLOGY_TORUS ? n->links[k] : 0;
        rule.oversubscription[k] = n->oversubscription[k];
        rule.latency_ns[k] = n->latency_ns[k];
    }
    memcpy(rule.dims, n->dims, sizeof rule.dims);
    return rule;
}

/* ---- levels ---- */

static uint32_t cluster_level(const struct gs_run *r, const char *name)
{
    const uint32_t id = gs_intern_find(&r->str, name);
    for (uint32_t l = 0; id != GS_NONE && l < r->cluster.nlevels; l++)
        if (r->cluster.level_name[l] == id)
            return l;
    return GS_NONE;
}

static enum gs_rc fill_level(struct gs_run *r, uint32_t level, uint32_t of, struct gs_err *err)
{
    for (uint32_t i = 0; i < r->cluster.nnodes; i++) {
        if (r->cluster.level[level][i] != 0)
            return gs_fail(err, GS_E_INPUT,
                           "[network] levels: '%s' is a level of the network, which places the "
                           "nodes itself; node '%s' must not be given a place in it",
                           gs_intern_str(&r->str, r->cluster.level_name[level]),
                           gs_intern_str(&r->str, r->cluster.node_name[i]));
        gs_cluster_set_group(&r->cluster, level, i, gs_topology_level_group(r->topology, of, i));
    }
    return GS_OK;
}

/* The scenario's innermost names stand for the network's levels; without names the network's own do. */
static enum gs_rc name_levels(struct gs_run *r, uint32_t named, struct gs_err *err)
{
    const struct gs_topology *t = r->topology;
    const uint32_t n = gs_topology_levels(t);
    const uint32_t own = n && strcmp(gs_topology_level_name(t, n - 1), "nvlink") == 0 ? n - 1 : n;
    enum gs_rc rc = GS_OK;
    const uint32_t has_nvlink = cluster_level(r, "nvlink") != GS_NONE;
    const uint32_t names = named - has_nvlink;
    for (uint32_t k = 0; k < n && rc == GS_OK; k++) {
        uint32_t level = cluster_level(r, gs_topology_level_name(t, k));
        if (k < own && names > 0)
            level = own - k <= names ? names - (own - k) : GS_NONE;
        else if (level == GS_NONE)
            level = gs_cluster_add_level(&r->cluster, gs_topology_level_name(t, k));
        if (level != GS_NONE)
            rc = fill_level(r, level, k, err);
    }
    return rc;
}

/* ---- the file ---- */

static void note_input(struct wiring *w, const struct gs_input *in, const struct gs_net_import *im)
{
    struct gs_file_read row = {.path = w->s->network.topology_shown, .beside = 1};
    row.n.origin_unix_ns = GS_NEVER;
    row.n.bytes = in->stored;
    memcpy(row.n.digest, in->digest, sizeof row.n.digest);
    (void)gs_fmt(row.n.format, sizeof row.n.format, "%s", im->format);
    gs_vec_push(&w->r->inputs, row);
    if (im->absent)
        gs_warn(w->r->log,
                "%s: %u nodes of the scenario are not in it, '%s' first: no way leads to "
                "them",
                row.path, im->absent, im->first_absent);
    if (im->strange)
        gs_warn(w->r->log, "%s: %u of its nodes are not in the scenario, '%s' first", row.path,
                im->strange, im->first_strange);
}

/* Plain or gzip; its row of /inputs has the digest of what is stored. */
static enum gs_rc read_file(struct wiring *w, struct gs_net_import *im, struct gs_err *err)
{
    const struct gs_set_network *n = &w->s->network;
    struct gs_input in = {0};
    enum gs_rc rc = gs_input_open(&in, n->topology, n->topology_shown, err);
    if (rc == GS_OK)
        rc = gs_input_rest(&in, err);
    if (rc == GS_OK)
        rc = gs_net_import_read(im, n->topology_shown, n->format, in.text + in.at, in.n - in.at,
                                w->node, w->r->cluster.nnodes, err);
    if (rc == GS_OK)
        rc = gs_input_finish(&in, err);
    if (rc == GS_OK)
        note_input(w, &in, im);
    gs_input_close(&in);
    return rc;
}

enum gs_rc gs_world_network(struct gs_run *r, const struct gs_settings *s, const uint32_t *first,
                            struct gs_err *err)
{
    struct wiring w = {.r = r, .s = s};
    struct gs_net_import in = {0};
    const struct gs_net_rule rule = rule_of(&s->network);
    const uint32_t named = r->cluster.nlevels;
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < s->nodes.n; i++)
        fill_gpus(&w, &s->nodes.v[i], first[i], first[i + 1]);
    if (rule.kind == GS_TOPOLOGY_NONE || r->cluster.nnodes == 0)
        return GS_OK;
    w.node = GS_NEW_N(struct gs_net_node, r->cluster.nnodes);
    for (size_t i = 0; i < s->nodes.n && rc == GS_OK; i++)
        rc = wire_section(&w, &s->nodes.v[i], first[i], first[i + 1], err);
    if (rc == GS_OK && rule.kind == GS_TOPOLOGY_FILE)
        rc = read_file(&w, &in, err);
    if (rc == GS_OK) {
        rc = gs_topology_build(&r->topology, &rule, w.node, r->cluster.nnodes, &in.tree, err);
        if (rc != GS_OK && rule.kind == GS_TOPOLOGY_FILE)
            rc = gs_wrap(err, "%s", s->network.topology_shown);
    }
    if (rc == GS_OK)
        rc = name_levels(r, named, err);
    gs_net_import_release(&in);
    gs_free(w.node);
    return rc;
}

/* ---- for people ---- */

void gs_world_network_text(const struct gs_run *r, struct gs_buf *b)
{
    static const char *const kind[] = {"none", "fat-tree", "rail", "torus", "file"};
    const struct gs_topology *t = r->topology;
    if (!t)
        return;
    const struct gs_net_counts *c = gs_topology_counts(t);
    gs_buf_fmt(b, "%s", kind[gs_topology_kind(t)]);
    if (c->tiers) {
        gs_buf_fmt(b, ", %u tier%s of switches: %u leaves, %u spines, %u cores; cables", c->tiers,
                   c->tiers > 1 ? "s" : "", c->leaves, c->spines, c->cores);
        for (uint32_t k = 0; k < c->tiers; k++)
            gs_buf_fmt(b, "%s %llu", k ? "," : "", (unsigned long long)c->cables[k]);
    } else {
        gs_buf_fmt(b, ", %u ports, %u links", c->ports, gs_topology_links(t));
    }
}

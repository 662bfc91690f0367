/* storage.c - the sites' links, and flows between them and nodes. O(nodes of the job) a call. */
#include "sim/effects/storage.h"

struct gs_storage_state {
    uint32_t site[GS_SITE_COUNT]; /* link, GS_NONE = infinitely fast */
    uint32_t node_first;          /* link of node 0, GS_NONE = infinitely fast */
    GS_VEC(struct gs_node_weight) weights;
    GS_VEC(struct gs_flow) flows;
    GS_VEC(uint32_t) routes; /* two links a flow */
};

static const struct {
    const char *name, *key;
} sites[GS_SITE_COUNT] = {
    {"storage (read)", "read"}, {"storage (write)", "write"}, {"registry", "registry"}};

void gs_storage_prepare(struct gs_run *r)
{
    if (r->storage)
        return;
    struct gs_storage_state *s = GS_NEW(struct gs_storage_state);
    int any = 0;
    r->storage = s;
    for (int i = 0; i < GS_SITE_COUNT; i++) {
        const int64_t rate = r->storage_rate[i];
        s->site[i] = rate > 0 ? gs_links_add(r, &(struct gs_link_spec){.from = sites[i].name,
                                                                       .to = "front-end network",
                                                                       .level = "site",
                                                                       .bytes_per_s = rate})
                              : GS_NONE;
        any |= rate > 0;
    }
    s->node_first = GS_NONE;
    for (uint32_t n = 0; any && r->storage_node_rate > 0 && n < r->cluster.nnodes; n++) {
        const uint32_t link = gs_links_add(
            r, &(struct gs_link_spec){.from = "front-end network",
                                      .to = gs_intern_str(&r->str, r->cluster.node_name[n]),
                                      .level = "node",
                                      .bytes_per_s = r->storage_node_rate});
        if (n == 0)
            s->node_first = link;
    }
}

static int has(const struct gs_run *r, enum gs_site site)
{
    return r->storage && r->storage->site[site] != GS_NONE;
}

enum gs_rc gs_storage_need(struct gs_run *r, enum gs_site site, const struct gs_job *j,
                           const char *key, struct gs_err *err)
{
    if (has(r, site))
        return GS_OK;
    return gs_fail(err, GS_E_INPUT,
                   "'%s' of the jobs of '%s' needs [storage] %s: how fast is it? (%s = 100GB/s)",
                   key, gs_intern_str(&r->str, r->w.sources.v[j->source]), sites[site].key,
                   sites[site].key);
}

const struct gs_node_weight *gs_storage_nodes(struct gs_run *r, const struct gs_held *held,
                                              uint32_t nheld, uint32_t *n)
{
    struct gs_storage_state *s = r->storage;
    s->weights.n = 0;
    for (uint32_t i = 0; i < nheld; i++) {
        if (s->weights.n && gs_vec_last(&s->weights).node == held[i].node)
            gs_vec_last(&s->weights).weight++;
        else
            gs_vec_push(&s->weights, ((struct gs_node_weight){held[i].node, 1}));
    }
    *n = (uint32_t)s->weights.n;
    return s->weights.v;
}

/* A flow a node, over the node's link and the site's. */
static void make_flows(struct gs_run *r, enum gs_site site, const struct gs_node_weight *w,
                       uint32_t n)
{
    struct gs_storage_state *s = r->storage;
    const uint32_t hops = s->node_first == GS_NONE ? 1 : 2;
    s->flows.n = s->routes.n = 0;
    gs_vec_reserve(&s->routes, 2 * (size_t)n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *route = s->routes.v + s->routes.n;
        gs_vec_push(&s->routes, s->site[site]);
        if (hops == 2)
            gs_vec_push(&s->routes, s->node_first + w[i].node);
        gs_vec_push(&s->flows,
                    ((struct gs_flow){.links = route, .nlinks = hops, .weight = w[i].weight}));
    }
}

/* NOLINTNEXTLINE(readability-function-size): who, where to and how much, as gs_links_transfer takes them */
uint32_t gs_storage_transfer(struct gs_run *r, enum gs_effect_id e, uint32_t slot, uint32_t code,
                             enum gs_site site, const struct gs_node_weight *w, uint32_t n,
                             int64_t bytes)
{
    make_flows(r, site, w, n);
    return gs_links_transfer(r, e, slot, code, r->storage->flows.v, n, bytes);
}

uint32_t gs_storage_stream(struct gs_run *r, enum gs_effect_id e, uint32_t slot, enum gs_site site,
                           const struct gs_node_weight *w, uint32_t n, int64_t limit)
{
    make_flows(r, site, w, n);
    return gs_links_stream(r, e, slot, r->storage->flows.v, n, limit);
}

void gs_storage_release(struct gs_run *r)
{
    if (!r->storage)
        return;
    gs_vec_free(&r->storage->weights);
    gs_vec_free(&r->storage->flows);
    gs_vec_free(&r->storage->routes);
    gs_free(r->storage);
    r->storage = NULL;
}

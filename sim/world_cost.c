/* world_cost.c - [cost] and [power] become a price and a power of each node.
 *
 * Price of a node, the first that is there: [nodes] price; [cost] price.TYPE (server type, or name of the section); gpu.MODEL x its
 * GPUs; capex.TYPE x (1 - residual) / life; the catalog's, where `prices = catalog`. Nodes without any are counted and cost nothing. */
#include "sim/base/fmath.h"
#include "sim/base/units.h"
#include "sim/effects/power.h"
#include "sim/run.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define HOUR_NS (3600.0 * (double)GS_SECOND)

/* Without [power] host: an assumption, from vendors' maxima less the GPUs, of which a part. UNVERIFIED */
#define HOST_W     200.0
#define HOST_GPU_W 100.0

struct pricing {
    struct gs_run *r;
    const struct gs_settings *s;
    uint8_t *used; /* [prices]: some node has it */
    uint32_t node;
    const struct gs_set_nodes *section;
};

static const char *name_at(const struct gs_run *r, uint32_t id)
{
    return gs_intern_str(&r->str, id);
}

static const char *model_of(const struct gs_run *r, uint32_t node)
{
    const uint32_t m = r->cluster.node_model[node];
    return m == GS_NONE ? "" : name_at(r, r->cluster.model_name[m]);
}

/* The catalog's name of a GPU or a server, so that aliases and case do not matter. */
static int same_name(const struct pricing *p, enum gs_price_kind kind, const char *said,
                     const char *name)
{
    if (kind == GS_PRICE_GPU) {
        const struct gs_gpu_model *g = gs_catalog_gpu(&p->r->catalog, said);
        return strcasecmp(g ? g->name : said, name) == 0;
    }
    const struct gs_server_model *v = gs_catalog_server(&p->r->catalog, said);
    return strcasecmp(v ? v->name : said, name) == 0 || strcmp(said, p->section->name) == 0;
}

/* What [cost] says of the node; NaN = nothing. */
static double said_price(struct pricing *p, enum gs_price_kind kind, const char *name)
{
    double x = (double)NAN;
    for (size_t i = 0; i < p->s->cost.prices.n; i++) {
        const struct gs_set_price *q = &p->s->cost.prices.v[i];
        if (q->kind == kind && *name && same_name(p, kind, q->name, name)) {
            p->used[i] = 1;
            x = q->usd;
        }
    }
    return x;
}

/* The first row of the catalog for this server type that is offered so, in the region (or the list price without one); nano-USD/h, -1 = none. */
static int64_t catalog_price(struct pricing *p, const char *type)
{
    const struct gs_set_cost *c = &p->s->cost;
    gs_catalog_need(&p->r->catalog, GS_CATALOG_PRICES);
    for (size_t i = 0; i < p->r->catalog.nprices; i++) {
        const struct gs_price *q = &p->r->catalog.prices[i];
        const int64_t x = c->market == GS_MARKET_SPOT - 1 ? q->spot : q->on_demand;
        const size_t n = c->region ? strlen(c->region) : 0;
        const int here = n == 0 ? 1
                                : strncasecmp(q->region, c->region, n) == 0 &&
                                      (q->region[n] == '\0' || q->region[n] == '/');
        if (x >= 0 && here && strcasecmp(q->instance, type) == 0 &&
            (!c->cloud || strcasecmp(q->cloud, c->cloud) == 0))
            return x;
    }
    return -1;
}

static int64_t price_of(struct pricing *p, int *bought)
{
    const struct gs_set_cost *c = &p->s->cost;
    const char *type = name_at(p->r, p->r->cluster.node_type[p->node]);
    const double node = said_price(p, GS_PRICE_NODE, type);
    const double gpu =
        said_price(p, GS_PRICE_GPU, model_of(p->r, p->node)) * p->r->cluster.gpu_count[p->node];
    const double capex =
        said_price(p, GS_PRICE_CAPEX, type) * (1 - c->residual) / ((double)c->life_ns / HOUR_NS);
    const double own = p->r->cluster.price_per_h[p->node];
    const double usd = !isnan(own) ? own : !isnan(node) ? node : !isnan(gpu) ? gpu : capex;
    *bought = isnan(own) && isnan(node) && isnan(gpu) && !isnan(capex);
    if (!isnan(usd))
        return usd <= 1e7 ? (int64_t)gs_rint_even(usd * 1e9) : GS_METER_RATE_MAX;
    return c->prices_from ? catalog_price(p, type) : -1;
}

static enum gs_rc power_of(struct pricing *p, struct gs_power_node *n, struct gs_err *err)
{
    const struct gs_set_power *o = &p->s->power;
    struct gs_power_state *s = p->r->power;
    const uint32_t gpus = p->r->cluster.gpu_count[p->node];
    const struct gs_power_model model = {(int64_t)gs_rint_even(o->context_w * 1000), o->idle_share,
                                         o->gamma};
    const char *name = model_of(p->r, p->node);
    struct gs_power_gpu g;
    const double host = isnan(o->host_w) ? HOST_W + HOST_GPU_W * gpus : o->host_w;
    n->host_mw = (int64_t)gs_rint_even(host * 1000);
    n->kind = GS_NONE;
    if (gpus == 0)
        return GS_OK;
    const double cap = p->section->power_cap_w;
    const enum gs_rc rc = gs_power_gpu(gs_catalog_gpu(&p->r->catalog, name), &model,
                                       isnan(cap) ? 0 : (int64_t)gs_rint_even(cap * 1000), &g, err);
    if (rc && (!isnan(cap) || rc != GS_E_INPUT))
        return gs_wrap(err, "%s: [nodes %s] power_cap: %s", p->section->where, p->section->name,
                       name);
    if (rc)
        return GS_OK; /* counted by the caller: kind is GS_NONE */
    n->kind = (uint32_t)s->kind.n;
    gs_vec_push(&s->kind, g);
    return GS_OK;
}

/* Nodes of a section with equal type and model are equal here. */
static int like_before(const struct pricing *p, uint32_t first)
{
    const struct gs_cluster *c = &p->r->cluster;
    const uint32_t i = p->node;
    return i > first && c->node_type[i] == c->node_type[i - 1] &&
           c->node_model[i] == c->node_model[i - 1] && c->gpu_count[i] == c->gpu_count[i - 1];
}

static void count_node(struct pricing *p, const struct gs_power_node *n)
{
    struct gs_power_state *s = p->r->power;
    const uint32_t gpus = p->r->cluster.gpu_count[p->node];
    s->unpriced += n->rate < 0;
    s->tariff.priced |= n->rate >= 0;
    s->unpowered += gpus && n->kind == GS_NONE;
    s->tariff.powered |= n->kind != GS_NONE;
    s->idle_assumed += n->kind != GS_NONE && s->kind.v[n->kind].idle_assumed;
    s->host_assumed += isnan(p->s->power.host_w) != 0;
    if (n->rate >= 0)
        p->r->cluster.price_per_h[p->node] = (double)n->rate / 1e9;
}

static enum gs_rc price_nodes(struct pricing *p, const uint32_t *first, struct gs_err *err)
{
    struct gs_power_state *s = p->r->power;
    gs_i128 sum = 0;
    for (size_t i = 0; i < p->s->nodes.n; i++) {
        p->section = &p->s->nodes.v[i];
        for (p->node = first[i]; p->node < first[i + 1]; p->node++) {
            struct gs_power_node *n = &s->node[p->node];
            if (like_before(p, first[i])) {
                *n = n[-1];
            } else {
                n->rate = price_of(p, &n->bought);
                const enum gs_rc rc = power_of(p, n, err);
                if (rc)
                    return rc;
            }
            sum += n->rate > 0 ? n->rate : 0;
            if (sum > GS_METER_RATE_MAX)
                return gs_fail(err, GS_E_INPUT,
                               "[cost] the nodes cost more than ten million USD/h together");
            count_node(p, n);
        }
    }
    for (size_t i = 0; i < p->s->cost.prices.n; i++)
        if (!p->used[i])
            return gs_fail(err, GS_E_INPUT, "%s: [cost] %s: no node is of this type or model",
                           p->s->cost.prices.v[i].where, p->s->cost.prices.v[i].key);
    return GS_OK;
}

/* 350, or CLOUD:REGION of the catalog; grams a kWh. */
static enum gs_rc carbon_of(struct gs_run *r, const char *text, double *out, struct gs_err *err)
{
    *out = (double)NAN;
    if (!text)
        return GS_OK;
    const char *colon = strchr(text, ':');
    if (!colon) {
        const enum gs_rc rc = gs_parse_real(text, out, err);
        if (rc || !(*out >= 0 && *out <= 1e5))
            return gs_fail(err, GS_E_INPUT,
                           "[cost] carbon: '%s' is neither grams of CO2 a kWh nor CLOUD:REGION",
                           text);
        return GS_OK;
    }
    gs_catalog_need(&r->catalog, GS_CATALOG_CARBON);
    for (size_t i = 0; i < r->catalog.ncarbon; i++) {
        const struct gs_carbon *c = &r->catalog.carbon[i];
        if (strlen(c->cloud) == (size_t)(colon - text) &&
            strncasecmp(c->cloud, text, (size_t)(colon - text)) == 0 &&
            strcasecmp(c->region, colon + 1) == 0) {
            *out = c->g_per_kwh;
            return GS_OK;
        }
    }
    return gs_fail(err, GS_E_INPUT,
                   "[cost] carbon: no region '%s' (gsim catalog carbon lists them)", text);
}

/* What was taken for granted, with counts: an attribute of the results, and said. */
static void say_assumed(struct gs_run *r)
{
    struct gs_power_state *p = r->power;

    const struct {
        uint64_t n;
        const char *what;
    } said[] = {{p->tariff.priced ? p->unpriced : 0, "without a price, counted as free"},
                {p->unpowered, "of unknown GPU power, counted as none"},
                {p->idle_assumed, "with idle power assumed ([power] idle)"},
                {p->host_assumed, "with host power assumed (UNVERIFIED; [power] host sets it)"}};
    struct gs_buf b = {0};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (said[i].n)
            gs_buf_fmt(&b, "%s%llu %s", b.n ? "; " : "nodes: ", (unsigned long long)said[i].n,
                       said[i].what);
    p->assumed = gs_arena_str(&r->text, gs_buf_cstr(&b), b.n);
    if (b.n)
        gs_note(r->log, "cost and power: %s", p->assumed);
    gs_buf_free(&b);
}

enum gs_rc gs_world_cost(struct gs_run *r, const struct gs_settings *s, const uint32_t *first,
                         struct gs_err *err)
{
    int capped = 0;
    for (size_t i = 0; i < s->nodes.n; i++)
        capped |= !isnan(s->nodes.v[i].power_cap_w);
    if (!s->cost.said && !s->power.said && !capped)
        return GS_OK;
    struct gs_power_state *p = r->power = GS_NEW(struct gs_power_state);
    p->share_price = (enum gs_share_price)s->cost.share_price;
    p->tariff.idle_to = (enum gs_idle_to)s->cost.idle_to;
    p->tariff.pue_milli = s->cost.pue_milli;
    p->tariff.energy_price = (int64_t)gs_rint_even(s->cost.energy_usd * 1e9);
    p->node = GS_NEW_N(struct gs_power_node, r->cluster.nnodes ? r->cluster.nnodes : 1);
    r->cluster.market = s->cost.said ? (uint8_t)(s->cost.market + 1) : GS_MARKET_FIXED;
    struct pricing q = {.r = r, .s = s};
    q.used = gs_zalloc(s->cost.prices.n + 1, 1);
    enum gs_rc rc = carbon_of(r, s->cost.carbon, &p->tariff.carbon_g, err);
    if (!rc)
        rc = price_nodes(&q, first, err);
    gs_free(q.used);
    p->tariff.priced |= p->tariff.energy_price > 0;
    if (!rc)
        say_assumed(r);
    return rc;
}

/* links.c - streams and transfers of effects as groups of the flow solver, and the events of their ends.
 *
 * A transfer has one pending event at most, at the time at which it ends at its rate of now. The key of a group, which decides
 * who gets a byte/s that does not divide, is its job, then a number that counts up: it does not depend on slots or memory. */
#include "sim/effects/links.h"

struct gs_links_state {
    struct gs_flows *flows;
    GS_VEC(struct gs_link_spec) spec; /* [links] */

    struct group {
        uint64_t end_event;
        uint32_t slot, code;
        uint8_t effect, transfer;
    } * group; /* by id of the solver */

    uint32_t cap;
    uint32_t serial;
};

static struct gs_links_state *state_of(struct gs_run *r)
{
    if (!r->links) {
        r->links = GS_NEW(struct gs_links_state);
        r->links->flows = gs_flows_new();
    }
    return r->links;
}

uint32_t gs_links_add(struct gs_run *r, const struct gs_link_spec *l)
{
    struct gs_links_state *s = state_of(r);
    struct gs_link_spec kept = *l;
    kept.from = gs_intern_str(&r->str, gs_intern(&r->str, l->from));
    kept.to = gs_intern_str(&r->str, gs_intern(&r->str, l->to));
    kept.level = gs_intern_str(&r->str, gs_intern(&r->str, l->level));
    gs_vec_push(&s->spec, kept);
    return gs_flows_link(s->flows, l->bytes_per_s);
}

uint32_t gs_links_count(const struct gs_run *r)
{
    return r->links ? (uint32_t)r->links->spec.n : 0;
}

struct gs_link_spec gs_links_get(const struct gs_run *r, uint32_t link)
{
    return r->links->spec.v[link];
}

void gs_links_set_capacity(struct gs_run *r, uint32_t link, int64_t bytes_per_s)
{
    gs_flows_set_capacity(r->links->flows, link, bytes_per_s);
    gs_pace_want(r);
}

int64_t gs_links_load(const struct gs_run *r, uint32_t link)
{
    return gs_flows_load(r->links->flows, link);
}

static uint32_t open_group(struct gs_run *r, const struct gs_flow_group *g, struct group own)
{
    struct gs_links_state *s = r->links;
    const uint32_t id = gs_flows_add(s->flows, r->eng.now_ns, g);
    if (id >= s->cap) {
        const uint32_t cap = id < 32 ? 64 : 2 * id;
        s->group = gs_resize(s->group, cap, sizeof *s->group);
        s->cap = cap;
    }
    s->group[id] = own;
    gs_pace_want(r);
    return id;
}

static uint64_t next_key(struct gs_run *r, uint32_t slot)
{
    return (uint64_t)r->live.id[slot] << 32 | r->links->serial++;
}

uint32_t gs_links_stream(struct gs_run *r, enum gs_effect_id e, uint32_t slot,
                         const struct gs_flow *flows, uint32_t n, int64_t limit)
{
    const struct gs_flow_group g = {
        .key = next_key(r, slot), .flows = flows, .nflows = n, .limit = limit, .bytes = GS_NEVER};
    return open_group(r, &g, (struct group){.slot = slot, .effect = (uint8_t)e});
}

uint32_t gs_links_transfer(struct gs_run *r, enum gs_effect_id e, uint32_t slot, uint32_t code,
                           const struct gs_flow *flows, uint32_t n, int64_t bytes)
{
    gs_assert(bytes > 0);
    const struct gs_flow_group g = {.key = next_key(r, slot),
                                    .flows = flows,
                                    .nflows = n,
                                    .limit = GS_NEVER,
                                    .bytes = bytes < GS_BYTES_MAX ? bytes : GS_BYTES_MAX};
    return open_group(
        r, &g, (struct group){.slot = slot, .code = code, .effect = (uint8_t)e, .transfer = 1});
}

void gs_links_remove(struct gs_run *r, uint32_t group)
{
    struct group *g = &r->links->group[group];
    if (g->end_event)
        (void)gs_engine_cancel(&r->eng, g->end_event);
    g->end_event = 0;
    gs_flows_remove(r->links->flows, group);
    gs_pace_want(r);
}

int64_t gs_links_rate(const struct gs_run *r, uint32_t group)
{
    return gs_flows_rate(r->links->flows, group);
}

void gs_links_settle(struct gs_run *r)
{
    struct gs_links_state *s = r->links;
    uint32_t n = 0;
    if (!s || !gs_flows_dirty(s->flows))
        return;
    const uint32_t *changed = gs_flows_solve(s->flows, r->eng.now_ns, &n);
    for (uint32_t i = 0; i < n; i++) {
        struct group *g = &s->group[changed[i]];
        if (!g->transfer) {
            gs_pace_touch(r, g->slot);
            continue;
        }
        if (g->end_event)
            (void)gs_engine_cancel(&r->eng, g->end_event);
        const int64_t at = gs_flows_finish_ns(s->flows, changed[i]);
        g->end_event =
            at == GS_NEVER ? 0 : gs_engine_at(&r->eng, at, GS_EV_TRANSFER, changed[i], 0);
    }
}

enum gs_rc gs_links_on_done(void *world, const struct gs_event *ev, uint64_t *result,
                            struct gs_err *err)
{
    struct gs_run *r = world;
    (void)result;
    (void)err;
    const struct group g = r->links->group[ev->subject];
    gs_verify(gs_flows_left(r->links->flows, ev->subject, r->eng.now_ns) == 0);
    r->links->group[ev->subject].end_event = 0;
    gs_links_remove(r, ev->subject);
    gs_effects[g.effect]->event(r, g.slot, g.code);
    return GS_OK;
}

void gs_links_release(struct gs_run *r)
{
    if (!r->links)
        return;
    gs_flows_free(r->links->flows);
    gs_vec_free(&r->links->spec);
    gs_free(r->links->group);
    gs_free(r->links);
    r->links = NULL;
}

void gs_links_visit(struct gs_run *r, struct gs_visitor *v)
{
    if (r->links)
        gs_flows_visit(r->links->flows, v);
}

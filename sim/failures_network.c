/* failures_network.c - cables of NICs and leaf switches as things that fail: which there are, and their outages.
 *
 * Jobs that cross them stand still until the repair (sim/effects/network.h); that some would give up instead is not modelled. Cables between
 * switches are left out: others share their load. A cable is a row of /links and the one behind it, its way back; a switch that fails is an
 * outage of each of its cables. */
#include "sim/failures_network.h"

#include "sim/outage.h"

static void add_once(struct gs_failing_network *f, uint32_t vertex)
{
    for (size_t i = f->leaf.n; i-- > 0;)
        if (f->leaf.v[i] == vertex)
            return;
    gs_vec_push(&f->leaf, vertex);
}

void gs_failing_network_find(struct gs_failing_network *f, const struct gs_run *r)
{
    uint32_t up = 0, down = 0;
    for (uint32_t n = 0; n < gs_topology_nodes(r->topology); n++)
        for (uint32_t rail = 0; rail < gs_topology_rails(r->topology, n); rail++) {
            if (!gs_topology_trunk(r->topology, gs_topology_port(r->topology, n, rail), &up, &down))
                continue;
            gs_vec_push(&f->cable, up);
            add_once(f, gs_topology_leaf(r->topology, n, rail));
        }
}

void gs_failing_network_release(struct gs_failing_network *f)
{
    gs_vec_free(&f->cable);
    gs_vec_free(&f->leaf);
}

static uint32_t begin(struct gs_run *r, uint32_t up, const char *cause)
{
    return gs_outage_begin(r, (struct gs_outage){.kind = GS_OUTAGE_LINK,
                                                 .node = GS_NONE,
                                                 .gpu = GS_NONE,
                                                 .link = up,
                                                 .cause = gs_intern(&r->str, cause)});
}

void gs_cable_fails(struct gs_run *r, uint32_t up, const char *cause)
{
    (void)begin(r, up, cause);
}

/* Cables of a switch: those that lead up to it, and its own. */
static int is_cable_of(const struct gs_topology *t, uint32_t link, uint32_t vertex)
{
    const struct gs_net_link *l = gs_topology_link(t, link);
    uint32_t up = 0, down = 0;
    return (l->from == vertex || l->to == vertex) && gs_topology_trunk(t, l->from, &up, &down) &&
           up == link;
}

void gs_switch_fails(struct gs_run *r, uint32_t vertex, const char *cause)
{
    for (uint32_t l = 0; l < gs_topology_links(r->topology); l++)
        if (is_cable_of(r->topology, l, vertex))
            (void)begin(r, l, cause);
}

void gs_switch_returns(struct gs_run *r, uint32_t vertex, uint32_t row)
{
    for (uint32_t l = 0; l < gs_topology_links(r->topology); l++)
        if (is_cable_of(r->topology, l, vertex))
            gs_outage_end(r, row++);
}

/* closing.c - see closing.h. */
#include "closing.h"

#include "jobs.h"

/* Rows of view->plans: none where the host is older than they. */
static uint32_t rows_of(const struct gsp_view *v)
{
    return GSP_HAS(v, plans) ? v->plans.count : 0;
}

size_t gspl_closing_bytes(const struct gsp_view *v)
{
    return rows_of(v) ? (v->nodes.count + 1u) * sizeof(uint32_t) : 0;
}

void gspl_closing_init(struct gspl_closing *x, const struct gsp_view *v, void *memory, gsp_job j,
                       int64_t now_ns)
{
    const uint32_t rows = rows_of(v);
    const int64_t estimate = v->jobs.estimate_ns[GSP_INDEX(j)];
    x->v = v;
    x->queue = v->jobs.queue[GSP_INDEX(j)];
    x->length_ns = estimate < 0 ? 0 : estimate;
    x->now_ns = now_ns;
    x->p = rows ? &v->plans : NULL;
    x->first = memory;
    for (uint32_t n = 0, i = 0; rows && n <= v->nodes.count; n++) {
        while (i < rows && v->plans.node[i] < n)
            i++;
        x->first[n] = i;
    }
}

/* A reservation does not bind its own queue, nor those below it. */
static int binds(const struct gspl_closing *x, uint32_t row)
{
    uint32_t q = x->queue;
    if (x->p->kind[row] != GSP_PLAN_RESERVE)
        return 1;
    while (q != GSP_NONE && q != x->p->queue[row])
        q = x->v->queues.parent[q];
    return q == GSP_NONE;
}

int gspl_closing_open(const struct gspl_closing *x, uint32_t node, int64_t at_ns)
{
    int up = x->v->nodes.up[node];
    for (uint32_t i = x->p ? x->first[node] : 0; x->p && i < x->first[node + 1]; i++) {
        const int64_t from = x->p->from_ns[i];
        if (!binds(x, i))
            continue;
        if ((from <= at_ns || from < gspl_later(at_ns, x->length_ns)) && x->p->until_ns[i] > at_ns)
            return 0;
        up |= x->p->kind[i] != GSP_PLAN_RESERVE && from <= x->now_ns;
    }
    return up;
}

uint32_t gspl_closing_times(const struct gspl_closing *x, struct gspl_item *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; x->p && i < x->p->count; i++) {
        if (!binds(x, i))
            continue;
        if (x->p->from_ns[i] - x->length_ns >=
            x->now_ns) /* the last start that ends in time is past */
            out[n++] = (struct gspl_item){x->p->from_ns[i] - x->length_ns + 1, x->p->node[i]};
        if (x->p->until_ns[i] > x->now_ns && x->p->until_ns[i] < GSP_NEVER)
            out[n++] = (struct gspl_item){x->p->until_ns[i], x->p->node[i]};
    }
    return n;
}

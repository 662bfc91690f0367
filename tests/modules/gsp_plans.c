/* gsp_plans.c - placement part: only nodes for which nothing is planned, as view->plans tells. Checks on the way that its rows are sorted by node
 * and name nodes and times that can be. */
#include "gsim/policy.h"

#include "module.h"

static int rows_are_sound(const struct gsp_view *v)
{
    const struct gsp_plans *p = &v->plans;
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->node[i] >= v->nodes.count || (i && p->node[i] < p->node[i - 1]))
            return 0;
        if (p->kind[i] < GSP_PLAN_DOWN || p->kind[i] > GSP_PLAN_RESERVE ||
            (p->kind[i] == GSP_PLAN_RESERVE) != (p->queue[i] != GSP_NONE))
            return 0;
        if (p->from_ns[i] < 0 || p->until_ns[i] <= p->from_ns[i])
            return 0;
    }
    return 1;
}

static int is_planned(const struct gsp_plans *p, uint32_t node)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (p->node[i] == node)
            return 1;
    return 0;
}

static int filter(void *self, struct gsp_ctx *c, gsp_job j, uint32_t request, const gsp_node *nd,
                  uint32_t n, uint8_t *drop)
{
    (void)self;
    (void)j;
    (void)request;
    if (!GSP_HAS(c->view, plans) || !rows_are_sound(c->view))
        return c->host->fail(c, -1, 0, "the rows of plans are not sound");
    for (uint32_t i = 0; i < n; i++)
        drop[i] = (uint8_t)is_planned(&c->view->plans, GSP_INDEX(nd[i]));
    return 0;
}

static const struct gsp_ops ops = {
    GSPL_OPS_HEAD,
    .create = gspl_create_nothing,
    .destroy = gspl_destroy_nothing,
    .filter = filter,
};

static const struct gsp_manifest manifest = {
    .struct_size = (uint32_t)sizeof(struct gsp_manifest),
    .magic = GSP_MAGIC,
    .abi_major = GSP_ABI_MAJOR,
    .abi_minor = GSP_ABI_MINOR,
    .min_host_minor = 11,
    .layout = GSP_LAYOUT,
    .version = "0.1.0",
    .license = "none chosen",
    .id = "plans",
    .name = "round what is planned",
    .doc = "places jobs only where nothing is planned",
    .ops = &ops,
};

GSPL_QUERY(manifest)

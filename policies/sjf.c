/* sjf.c - order part: shortest job first, by estimated run time. Long jobs may wait for ever under load: that is the price of the
 * least mean wait. */
#include "gsim/policy.h"

#include "module.h"

static int order(void *self, struct gsp_ctx *c, const gsp_job *job, uint32_t n, int64_t *key)
{
    const struct gsp_jobs *jobs = &c->view->jobs;
    (void)self;
    for (uint32_t i = 0; i < n; i++)
        key[i] = jobs->estimate_ns[GSP_INDEX(job[i])];
    return 0;
}

static const struct gsp_ops ops = {
    GSPL_OPS_HEAD,
    .create = gspl_create_nothing,
    .destroy = gspl_destroy_nothing,
    .order = order,
};

static const struct gsp_manifest manifest = {
    GSPL_MANIFEST_HEAD,
    .caps = GSP_CAP_ORDER_STATIC | GSP_CAP_SYMMETRIC,
    .needs = GSP_NEED_ESTIMATES,
    .id = "sjf",
    .name = "shortest job first",
    .doc = "jobs by their estimated run time, the shortest first",
    .ops = &ops,
};

GSPL_QUERY(manifest)

/* fifo.c - order part: first in, first out. The key is the submit time, which never changes while a job waits. */
#include "gsim/policy.h"

#include "module.h"

static int order(void *self, struct gsp_ctx *c, const gsp_job *job, uint32_t n, int64_t *key)
{
    const struct gsp_jobs *jobs = &c->view->jobs;
    (void)self;
    for (uint32_t i = 0; i < n; i++)
        key[i] = jobs->submit_ns[GSP_INDEX(job[i])];
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
    .needs = 0,
    .id = "fifo",
    .name = "first in, first out",
    .doc = "jobs in the order of their submission",
    .ops = &ops,
};

GSPL_QUERY(manifest)

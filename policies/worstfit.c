/* worstfit.c - placement part: the node that has most left, free GPU milli first, then free CPUs. Spreads load, and breaks up
 * large free blocks. */
#include "gsim/policy.h"

#include "module.h"
#include "scores.h"

static int score(void *self, struct gsp_ctx *c, gsp_job j, uint32_t request, const gsp_node *nd,
                 uint32_t n, int64_t *out)
{
    (void)self;
    (void)j;
    gspl_score_nodes(c->view, request, nd, n, gspl_score_emptiest, out);
    return 0;
}

static const struct gsp_ops ops = {
    GSPL_OPS_HEAD,
    .create = gspl_create_nothing,
    .destroy = gspl_destroy_nothing,
    .score = score,
};

static const struct gsp_manifest manifest = {
    GSPL_MANIFEST_HEAD,
    .caps = GSP_CAP_SCORE_LOCAL | GSP_CAP_SYMMETRIC,
    .id = "worstfit",
    .name = "worst fit",
    .doc = "the node that has most left: most free GPUs, then most free CPUs",
    .ops = &ops,
};

GSPL_QUERY(manifest)

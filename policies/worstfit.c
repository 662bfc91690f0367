/* worstfit.c - placement part: the node that has most left, free GPU milli first, then free CPUs. Spreads load, and breaks up
 * large free blocks. */
#include "gsim/policy.h"

#include "module.h"
#include "scores.h"

static int score(void *self, struct gsp_ctx *c, gsp_job j, uint32_t request, const gsp_node *nd,
                 uint32_t n, int64_t *out)
{
    const struct gspl_request r = gspl_request_of(c->view, request);
    struct gspl_node node;
    (void)self;
    (void)j;
    for (uint32_t i = 0; i < n; i++) {
        gspl_node_of(c->view, GSP_INDEX(nd[i]), &node);
        out[i] = gspl_score_emptiest(&node, &r);
    }
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

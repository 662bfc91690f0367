/* gpupacking.c - placement part: use what is already in use, as in MLaaS in the Wild (NSDI 2022) and the FGD artifact (ATC 2023).
 *
 * Score bands: 50..100 the task fits on devices that are partly used (the less is left on them the better), 33..50 it opens idle
 * devices of a node in use (the fewer the better), below that it opens an idle node. A task without GPU scores 0 everywhere. */
#include "gsim/policy.h"

#include "module.h"
#include "scores.h"

static int score(void *self, struct gsp_ctx *c, gsp_job j, uint32_t request, const gsp_node *nd,
                 uint32_t n, int64_t *out)
{
    (void)self;
    (void)j;
    gspl_score_nodes(c->view, request, nd, n, gspl_score_packing, out);
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
    .id = "gpupacking",
    .name = "GPU packing",
    .doc = "devices in use first, then idle devices on nodes in use, then idle nodes",
    .ops = &ops,
};

GSPL_QUERY(manifest)

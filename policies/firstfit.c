/* firstfit.c - placement part: the first node, by number, on which the task fits. Every node scores 0 and ties go to the lowest. */
#include "gsim/policy.h"

#include "module.h"

#include <string.h>

static int score(void *self, struct gsp_ctx *c, gsp_job j, uint32_t request, const gsp_node *nd,
                 uint32_t n, int64_t *out)
{
    (void)self;
    (void)c;
    (void)j;
    (void)request;
    (void)nd;
    memset(out, 0, n * sizeof *out);
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
    .caps = GSP_CAP_SCORE_LOCAL,
    .id = "firstfit",
    .name = "first fit",
    .doc = "the first node, by number, on which the task fits",
    .ops = &ops,
};

GSPL_QUERY(manifest)

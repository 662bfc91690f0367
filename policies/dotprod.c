/* dotprod.c - placement part: the dot product baseline of the FGD artifact (USENIX ATC 2023), after Tetris (SIGCOMM 2014).
 *
 * CPUs and GPUs, free and asked for, are measured in units of the largest node. The score is 100 (1 - dot / 2), truncated: a node whose
 * free amounts align least with the request wins, and what aligns is kept for others. (Tetris itself prefers the largest product.) */
#include "gsim/policy.h"

#include "module.h"
#include "scores.h"

enum {
    P_NORM_CPUS,
    P_NORM_GPUS
};

static int create(struct gsp_ctx *c, const struct gsp_config *cfg, void **self)
{
    struct gspl_norm *norm = gspl_new(c, sizeof *norm);
    if (!norm)
        return -1;
    norm->cpus_milli = cfg->value[P_NORM_CPUS].i * 1000;
    norm->gpu_milli = cfg->value[P_NORM_GPUS].i * 1000;
    *self = norm;
    return 0;
}

static int score(void *self, struct gsp_ctx *c, gsp_job j, uint32_t request, const gsp_node *nd,
                 uint32_t n, int64_t *out)
{
    const struct gspl_norm *norm = self;
    const struct gspl_request r = gspl_request_of(c->view, request);
    struct gspl_node node;
    (void)j;
    for (uint32_t i = 0; i < n; i++) {
        gspl_node_of(c->view, GSP_INDEX(nd[i]), &node);
        out[i] = gspl_score_dotprod(&node, &r, norm);
    }
    return 0;
}

static const struct gsp_param params[] = {
    {"norm_cpus", GSP_INT, "128", "1", "1000000", NULL, "CPUs", "of the largest node"},
    {"norm_gpus", GSP_INT, "8", "1", "64", NULL, "GPUs", "of the largest node"},
    {NULL, GSP_INT, NULL, NULL, NULL, NULL, NULL, NULL},
};

static const struct gsp_ops ops = {
    GSPL_OPS_HEAD,
    .create = create,
    .destroy = gspl_destroy_plain,
    .score = score,
};

static const struct gsp_manifest manifest = {
    GSPL_MANIFEST_HEAD,
    .caps = GSP_CAP_SCORE_LOCAL | GSP_CAP_SYMMETRIC,
    .needs = 0,
    .id = "dotprod",
    .name = "dot product",
    .doc = "the node whose free amounts align least with the request, so that aligned room is kept",
    .params = params,
    .ops = &ops,
};

GSPL_QUERY(manifest)

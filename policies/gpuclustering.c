/* gpuclustering.c - placement part: like with like, as in Gandiva (OSDI 2018) and the FGD artifact (USENIX ATC 2023).
 *
 * Tasks are of one kind if they ask for a share, or for the same number of whole GPUs. Bands of 25 points: node with this kind only, with
 * this kind among others, empty, with other kinds only; inside a band the fuller node (in units of norm_gpus) wins. */
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
        out[i] =
            gspl_score_clustering(&node, &r, c->view->nodes.task_kinds[GSP_INDEX(nd[i])], norm);
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
    .needs = GSP_NEED_TASK_KINDS,
    .id = "gpuclustering",
    .name = "GPU clustering",
    .doc =
        "nodes that already hold tasks of the same kind (shares, or k whole GPUs), the fullest first",
    .params = params,
    .ops = &ops,
};

GSPL_QUERY(manifest)

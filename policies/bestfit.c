/* bestfit.c - placement part: the node that has least left after the task is placed.
 *
 * formula = tightest (default) compares exactly: free GPU milli left first, then free CPUs. formula = artifact is the baseline of the FGD
 * artifact (USENIX ATC 2023): the mean of the free shares of CPUs and GPUs, in units of the largest node (norm_cpus,
 * norm_gpus), as a whole number from 0 to 100; it is coarse, and most choices are ties. */
#include "gsim/policy.h"

#include "module.h"
#include "scores.h"

enum {
    P_FORMULA,
    P_NORM_CPUS,
    P_NORM_GPUS
};

struct state {
    int artifact;
    struct gspl_norm norm;
};

static int create(struct gsp_ctx *c, const struct gsp_config *cfg, void **self)
{
    struct state *s = gspl_new(c, sizeof *s);
    if (!s)
        return -1;
    s->artifact = cfg->value[P_FORMULA].i == 1;
    s->norm.cpus_milli = cfg->value[P_NORM_CPUS].i * 1000;
    s->norm.gpu_milli = cfg->value[P_NORM_GPUS].i * 1000;
    *self = s;
    return 0;
}

static int score(void *self, struct gsp_ctx *c, gsp_job j, uint32_t request, const gsp_node *nd,
                 uint32_t n, int64_t *out)
{
    const struct state *s = self;
    const struct gspl_request r = gspl_request_of(c->view, request);
    struct gspl_node node;
    (void)j;
    for (uint32_t i = 0; i < n; i++) {
        gspl_node_of(c->view, GSP_INDEX(nd[i]), &node);
        out[i] =
            s->artifact ? gspl_score_bestfit(&node, &r, &s->norm) : gspl_score_tightest(&node, &r);
    }
    return 0;
}

static const struct gsp_param params[] = {
    {"formula", GSP_WORD, "tightest", NULL, NULL, "tightest|artifact", "",
     "exact comparison of what is left, or the 0..100 score of the FGD artifact"},
    {"norm_cpus", GSP_INT, "128", "1", "1000000", NULL, "CPUs",
     "of the largest node (formula = artifact)"},
    {"norm_gpus", GSP_INT, "8", "1", "64", NULL, "GPUs",
     "of the largest node (formula = artifact)"},
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
    .id = "bestfit",
    .name = "best fit",
    .doc = "the node that has least left: fewest free GPUs, then fewest free CPUs",
    .params = params,
    .ops = &ops,
};

GSPL_QUERY(manifest)

/* bestlink.c - placement part: on the node that has least left, the GPUs that links join best.
 *
 * The choice of NVIDIA's device plugin for whole GPUs (lib/links.h): it leaves the best sets behind for others. Where the host does not
 * know links, for shares, and with more than 16 GPUs idle it takes the default. */
#include "gsim/policy.h"

#include "links.h"
#include "module.h"
#include "scores.h"

static int score(void *self, struct gsp_ctx *c, gsp_job j, uint32_t request, const gsp_node *nd,
                 uint32_t n, int64_t *out)
{
    (void)self;
    (void)j;
    gspl_score_nodes(c->view, request, nd, n, gspl_score_tightest, out);
    return 0;
}

static int pick(void *self, struct gsp_ctx *c, gsp_job j, uint32_t request, gsp_node nd,
                gsp_gpu *out, uint32_t k)
{
    const struct gsp_view *v = c->view;
    const struct gspl_request r = gspl_request_of(v, request);
    const uint32_t i = GSP_INDEX(nd), first = v->nodes.gpu_first[i], gpus = v->nodes.gpu_count[i];
    const int32_t *links = GSP_HAS(v, link_score) && v->link_score ? v->link_score[i] : NULL;
    uint32_t idle[GSPL_LINKS_MAX], got[GSPL_LINKS_MAX], n = 0;
    (void)self;
    if (r.milli < GSPL_WHOLE || k < 2 || !links)
        return 0; /* `out` holds the default */
    for (uint32_t g = 0; g < gpus; g++) {
        if (!gspl_device_fits(v, first + g, &r))
            continue;
        if (n == GSPL_LINKS_MAX)
            return 0;
        idle[n++] = g;
    }
    struct gspl_link_memo *memo =
        c->host->scratch(c, (sizeof *memo * 2) << n, _Alignof(struct gspl_link_memo));
    if (!memo || gspl_best_effort(links, gpus, idle, n, NULL, 0, k, memo, got) != k)
        return c->host->fail(c, -1, j, "no set of idle GPUs to pick");
    for (uint32_t g = 0; g < k; g++)
        out[g] = gspl_gpu_handle(nd, first + got[g]);
    return 0;
}

static const struct gsp_ops ops = {
    GSPL_OPS_HEAD, .create = gspl_create_nothing, .destroy = gspl_destroy_nothing, .score = score,
    .pick = pick,
};

static const struct gsp_manifest manifest = {
    GSPL_MANIFEST_HEAD,
    .caps = GSP_CAP_SCORE_LOCAL | GSP_CAP_SYMMETRIC,
    .id = "bestlink",
    .name = "best links",
    .doc =
        "the tightest node, and on it the GPUs that NVLink and PCIe join best, good sets left behind",
    .ops = &ops,
};

GSPL_QUERY(manifest)

/* random.c - placement part: a node drawn evenly among those on which the task fits, and on it a device drawn evenly.
 *
 * The yardstick of the FGD study: one node scores 100, the others 0. It must see all nodes of a request at once (GSP_CAP_RANK) and
 * is asked anew for each task. A draw maps 32 random bits to 0..n-1 by multiplication; the bias is below n / 2^32. */
#include "gsim/policy.h"

#include "module.h"
#include "node.h"

#include <string.h>

static uint32_t below(struct gsp_ctx *c, uint32_t n)
{
    return (uint32_t)((c->host->random(c) >> 32) * n >> 32);
}

static int score(void *self, struct gsp_ctx *c, gsp_job j, uint32_t request, const gsp_node *nd,
                 uint32_t n, int64_t *out)
{
    (void)self;
    (void)j;
    (void)request;
    (void)nd;
    memset(out, 0, n * sizeof *out);
    if (n > 0)
        out[below(c, n)] = 100;
    return 0;
}

static int pick(void *self, struct gsp_ctx *c, gsp_job j, uint32_t request, gsp_node nd,
                gsp_gpu *out, uint32_t k)
{
    const struct gspl_request r = gspl_request_of(c->view, request);
    const uint32_t first = c->view->nodes.gpu_first[GSP_INDEX(nd)];
    const uint32_t count = c->view->nodes.gpu_count[GSP_INDEX(nd)];
    uint32_t fit[GSPL_GPUS_MAX], n = 0;
    (void)self;
    if (r.milli >= GSPL_WHOLE)
        return gspl_first_idle(c->view, nd, &r, out, k) == k ? 0 : -1;
    for (uint32_t i = 0; i < count && n < GSPL_GPUS_MAX; i++) {
        if (gspl_device_fits(c->view, first + i, &r))
            fit[n++] = first + i;
    }
    if (n == 0)
        return c->host->fail(c, -1, j, "asked to pick a device on a node that has none");
    out[0] = gspl_gpu_handle(nd, fit[below(c, n)]);
    return 0;
}

static const struct gsp_ops ops = {
    GSPL_OPS_HEAD, .create = gspl_create_nothing, .destroy = gspl_destroy_nothing, .score = score,
    .pick = pick,
};

static const struct gsp_manifest manifest = {
    GSPL_MANIFEST_HEAD,
    .caps = GSP_CAP_RANK,
    .id = "random",
    .name = "random",
    .doc = "a node drawn evenly among those on which the task fits",
    .ops = &ops,
};

GSPL_QUERY(manifest)

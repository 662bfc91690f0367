/* fgd.c - placement part: fragmentation gradient descent, Weng et al., "Beware of Fragmentation" (USENIX ATC 2023).
 *
 * A node's fragment is the free GPU that the typical tasks of the workload could not use (lib/frag.h). The task goes where the
 * fragment grows least: score = trunc(100 / (1 + exp(-(F before - F after) / 1000))). A share takes the device that scores best on
 * its node, others the first idle devices. The typical tasks are the host's (view->typical), prepared at the first score.
 *
 * The score hangs on nothing but the request and the node's free state, so the host asks once a (node class, request). */
#include "gsim/policy.h"

#include "frag.h"
#include "module.h"

struct state {
    struct gspl_frag frag;
    void *memory; /* of frag; NULL = not prepared yet */
};

static int create(struct gsp_ctx *c, const struct gsp_config *cfg, void **self)
{
    (void)cfg;
    *self = gspl_new(c, sizeof(struct state));
    return *self ? 0 : -1;
}

static void destroy(struct gsp_ctx *c, void *self)
{
    struct state *s = self;
    c->host->mem_free(c, s->memory);
    c->host->mem_free(c, s);
}

static int prepare(struct state *s, struct gsp_ctx *c)
{
    const struct gsp_typical *t = &c->view->typical;
    if (s->memory)
        return 0;
    s->memory = gspl_new(c, gspl_frag_bytes(t->count));
    if (!s->memory)
        return -1;
    gspl_frag_build(&s->frag, t, s->memory);
    return 0;
}

static int score(void *self, struct gsp_ctx *c, gsp_job j, uint32_t request, const gsp_node *nd,
                 uint32_t n, int64_t *out)
{
    struct state *s = self;
    const struct gspl_request r = gspl_request_of(c->view, request);
    struct gspl_node node;
    uint32_t pos;
    (void)j;
    if (prepare(s, c) != 0)
        return -1;
    for (uint32_t i = 0; i < n; i++) {
        gspl_node_of(c->view, GSP_INDEX(nd[i]), &node);
        out[i] = gspl_fgd_place(&s->frag, &node, &r, &pos);
    }
    return 0;
}

/* A device whose memory does not suffice shows nothing free to the search. */
static void hide_short_of_memory(const struct gsp_view *v, uint32_t first,
                                 const struct gspl_request *r, struct gspl_node *node)
{
    for (uint32_t i = 0; i < node->gpus; i++) {
        if (!gspl_device_fits(v, first + i, r))
            node->free[i] = 0;
    }
}

static int pick(void *self, struct gsp_ctx *c, gsp_job j, uint32_t request, gsp_node nd,
                gsp_gpu *out, uint32_t k)
{
    struct state *s = self;
    const struct gspl_request r = gspl_request_of(c->view, request);
    const uint32_t first = c->view->nodes.gpu_first[GSP_INDEX(nd)];
    struct gspl_node node;
    uint32_t pos;
    if (r.milli >= GSPL_WHOLE)
        return gspl_first_idle(c->view, nd, &r, out, k) == k ? 0 : -1;
    if (prepare(s, c) != 0)
        return -1;
    gspl_node_of(c->view, GSP_INDEX(nd), &node);
    if (r.gpu_mem_mib)
        hide_short_of_memory(c->view, first, &r, &node);
    if (gspl_fgd_place(&s->frag, &node, &r, &pos) < 0)
        return c->host->fail(c, -1, j, "asked to pick a device on a node that has none");
    out[0] = gspl_gpu_handle(nd, first + pos);
    return 0;
}

static const struct gsp_ops ops = {
    GSPL_OPS_HEAD, .create = create, .destroy = destroy, .score = score, .pick = pick,
};

static const struct gsp_manifest manifest = {
    GSPL_MANIFEST_HEAD,
    .caps = GSP_CAP_SCORE_LOCAL | GSP_CAP_SYMMETRIC,
    .needs = GSP_NEED_TYPICAL,
    .id = "fgd",
    .name = "fragmentation gradient descent",
    .doc = "where the GPU that typical tasks cannot use grows least",
    .ops = &ops,
};

GSPL_QUERY(manifest)

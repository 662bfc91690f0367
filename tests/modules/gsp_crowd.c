/* gsp_crowd.c - a hostile whole-cycle module: it starts every job on the first GPU, whoever is there. The host must say GSP_ISOLATION exactly
 * where there is room and isolation forbids it; any other refusal of a job for which the GPU has room is a fault of the run. */
#include "gsim/policy.h"

#include "module.h"

static int start(struct gsp_ctx *c, struct gsp_txn *t, gsp_job j)
{
    const struct gsp_view *v = c->view;
    const uint32_t task = v->jobs.task_first[GSP_INDEX(j)];
    const uint32_t request = v->tasks.request[task];
    const struct gsp_alloc a = {.task = (gsp_task)v->tasks.generation[task] << 32 | task,
                                .node = UINT64_C(1) << 32,
                                .gpu = UINT64_C(1) << 32,
                                .share_milli = v->requests.share_milli[request]};
    const int room = v->gpus.free_milli[0] >= a.share_milli;
    const int why = c->host->start(t, &a, 1);
    if (why != GSP_OK && why != (room ? GSP_ISOLATION : GSP_BUSY))
        return c->host->fail(c, why, j, "the start was refused for another reason");
    return 0;
}

static int cycle(void *self, struct gsp_ctx *c, struct gsp_txn *t)
{
    (void)self;
    uint32_t n = 0;
    const gsp_job *job = c->host->pending(c, &n);
    gsp_job *q = c->host->scratch(c, (n + 1u) * sizeof *q, 16);
    for (uint32_t i = 0; i < n; i++)
        q[i] = job[i];
    for (uint32_t i = 0; i < n; i++) {
        const int rc = start(c, t, q[i]);
        if (rc)
            return rc;
    }
    return 0;
}

static const struct gsp_ops ops = {GSPL_OPS_HEAD, .create = gspl_create_nothing,
                                   .destroy = gspl_destroy_nothing, .cycle = cycle};

static const struct gsp_manifest manifest = {
    GSPL_MANIFEST_HEAD, .id = "crowd", .name = "crowd", .doc = "starts all on one GPU, for tests",
    .ops = &ops,
};

GSPL_QUERY(manifest)

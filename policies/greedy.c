/* greedy.c - backfill part: whatever fits may start, in order, and nobody is promised anything.
 *
 * Uses the machine best at each instant; a large job may starve behind a stream of small ones. The host passes over jobs whose
 * request was found not to fit, so a pass costs one placement a distinct request. */
#include "gsim/policy.h"

#include "module.h"

static int backfill(void *self, struct gsp_ctx *c, const struct gsp_backfill_in *in,
                    struct gsp_txn *t)
{
    (void)self;
    for (gsp_job j = c->host->next(t, in->head); j; j = c->host->next(t, j))
        (void)c->host->place(t, j);
    return 0;
}

static const struct gsp_ops ops = {
    GSPL_OPS_HEAD,
    .create = gspl_create_nothing,
    .destroy = gspl_destroy_nothing,
    .backfill = backfill,
};

static const struct gsp_manifest manifest = {
    GSPL_MANIFEST_HEAD,
    .id = "greedy",
    .name = "greedy backfilling",
    .doc = "any later job that fits may overtake; nothing is reserved",
    .ops = &ops,
};

GSPL_QUERY(manifest)

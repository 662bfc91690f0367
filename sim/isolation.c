/* isolation.c - tenants and levels of jobs, and what separates shares on each node, made ready for the ledger.
 *
 * Until gs_isolation_apply a job's `owner` is the level that its section says; after it, the ledger's word, or 0 in a run without isolation.
 * O(jobs + queues x their depth + nodes), once. */
#include "sim/isolation.h"

#include "sim/effects/sharing.h"
#include "sim/run.h"

#include "sim/base/banned.h"

/* What one process on a device has between itself and the next. */
static const uint8_t fence_of[] = {
    [GS_SHARING_NONE] = GS_ISOLATION_PROCESS,    /* undisturbed: limits and faults of its own */
    [GS_SHARING_TIME_SLICE] = GS_ISOLATION_NONE, /* no limit of memory, one fault domain */
    [GS_SHARING_MPS] = GS_ISOLATION_NONE,        /* a fatal fault ends all clients */
    [GS_SHARING_HAMI] = GS_ISOLATION_PROCESS,
};

static uint32_t level_of(const struct gs_run *r, const struct gs_job *j)
{
    uint32_t level = j->owner;
    for (uint32_t q = j->queue; q != GS_NONE; q = r->w.queues.v[q].parent)
        if (r->w.queues.v[q].isolation > level)
            level = r->w.queues.v[q].isolation;
    return level;
}

static int shares_a_gpu(const struct gs_job *j)
{
    return j->gpus && !j->mig && j->share_milli && j->share_milli < 1000;
}

void gs_isolation_apply(struct gs_run *r)
{
    for (size_t i = 0; i < r->w.jobs.n; i++) {
        struct gs_job *j = &r->w.jobs.v[i];
        const uint32_t level = level_of(r, j);
        r->cluster.fenced |= level && shares_a_gpu(j);
        j->owner = GS_OWNER(j->queue, level);
    }
    if (!r->cluster.fenced) {
        for (size_t i = 0; i < r->w.jobs.n; i++)
            r->w.jobs.v[i].owner = 0;
        return;
    }
    uint32_t node = 0;
    for (size_t i = 0; i < r->sharing_of.n; i++)
        for (; node < r->sharing_of.v[i].node_end; node++)
            r->cluster.node_fence[node] = fence_of[r->sharing_of.v[i].mode];
}

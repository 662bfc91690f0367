/* fairshare.c - order part: the queue that has used least of its share lately goes first.
 *
 * Usage u of a queue is its GPU time with exponential decay: at a pass dt after the last one,
 *     u := u 2^(-dt / half_life) + (GPU time since then).
 * What was used between two passes counts as if used at the later one, so decay is late by at most one gap between passes.
 * With U the sum of u and W the sum of weights over the queues that jobs can name (those that are no other's parent),
 *     factor = 2^(-(u / U) / (w / W)),       1 = has used nothing, 1/2 = exactly its share, -> 0 = far above it
 * as in the classic fair-share factor of Slurm (lib/share.h). The key rises as the factor falls; all jobs of a queue have the same,
 * ties go by submission. */
#include "gsim/policy.h"

#include "module.h"
#include "share.h"

enum {
    P_HALF_LIFE
};

enum {
    TAG_QUEUES = 1,
    TAG_UPDATED,
    TAG_USAGE,
    TAG_SEEN
};

struct state {
    int64_t half_life_ns;
    int64_t updated_ns;
    uint32_t queues;
    double *usage; /* [queues] decayed, milli-GPU x ms */
    int64_t *seen; /* [queues] gpu_ns of the view at the last update */
};

static int create(struct gsp_ctx *c, const struct gsp_config *cfg, void **self)
{
    struct state *s = gspl_new(c, sizeof *s);
    if (!s)
        return -1;
    s->half_life_ns = cfg->value[P_HALF_LIFE].i;
    *self = s;
    return 0;
}

static void destroy(struct gsp_ctx *c, void *self)
{
    struct state *s = self;
    c->host->mem_free(c, s->usage);
    c->host->mem_free(c, s->seen);
    c->host->mem_free(c, s);
}

static int set_queues(struct state *s, struct gsp_ctx *c, uint32_t n)
{
    if (s->queues == n)
        return 0;
    c->host->mem_free(c, s->usage);
    c->host->mem_free(c, s->seen);
    s->usage = gspl_new(c, n * sizeof *s->usage);
    s->seen = gspl_new(c, n * sizeof *s->seen);
    s->queues = s->usage && s->seen ? n : 0;
    return s->queues == n ? 0 : -1;
}

/* Brings usage up to now; a second call at the same time changes nothing. */
static int update(struct state *s, struct gsp_ctx *c)
{
    const struct gsp_queues *q = &c->view->queues;
    if (set_queues(s, c, q->count) < 0)
        return -1;
    const double kept = gspl_decay(c->now_ns - s->updated_ns, s->half_life_ns);
    for (uint32_t i = 0; i < q->count; i++) {
        s->usage[i] = s->usage[i] * kept + (double)(q->gpu_ns[i] - s->seen[i]);
        s->seen[i] = q->gpu_ns[i];
    }
    s->updated_ns = c->now_ns;
    return 0;
}

static int on_events(void *self, struct gsp_ctx *c, const struct gsp_event *ev, uint32_t n)
{
    (void)ev;
    (void)n;
    return update(self, c);
}

static int is_parent(const struct gsp_queues *q, uint32_t i)
{
    for (uint32_t k = 0; k < q->count; k++) {
        if (q->parent[k] == i)
            return 1;
    }
    return 0;
}

static int order(void *self, struct gsp_ctx *c, const gsp_job *job, uint32_t n, int64_t *key)
{
    struct state *s = self;
    const struct gsp_queues *q = &c->view->queues;
    double usage = 0, weight = 0;
    if (update(s, c) < 0)
        return -1;
    int64_t *of_queue = c->host->scratch(c, (q->count + 1u) * sizeof *of_queue, 16);
    for (uint32_t i = 0; i < q->count; i++) {
        if (!is_parent(q, i)) {
            usage += s->usage[i];
            weight += q->weight[i];
        }
    }
    for (uint32_t i = 0; i < q->count; i++)
        of_queue[i] = gspl_share_key(s->usage[i], usage, q->weight[i], weight);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = c->view->jobs.queue[GSP_INDEX(job[i])];
        key[i] = at < q->count ? of_queue[at] : 0;
    }
    return 0;
}

static int save(void *self, struct gsp_ctx *c, const struct gsp_sink *out)
{
    const struct state *s = self;
    (void)c;
    if (out->put(out->ctx, TAG_QUEUES, &s->queues, sizeof s->queues) < 0 ||
        out->put(out->ctx, TAG_UPDATED, &s->updated_ns, sizeof s->updated_ns) < 0)
        return -1;
    if (s->queues == 0)
        return 0;
    if (out->put(out->ctx, TAG_USAGE, s->usage, s->queues * sizeof *s->usage) < 0)
        return -1;
    return out->put(out->ctx, TAG_SEEN, s->seen, s->queues * sizeof *s->seen);
}

static int load(void *self, struct gsp_ctx *c, const struct gsp_source *in, uint32_t version)
{
    struct state *s = self;
    uint32_t n = 0;
    (void)version;
    if (in->get(in->ctx, TAG_QUEUES, &n, sizeof n) < 0 ||
        in->get(in->ctx, TAG_UPDATED, &s->updated_ns, sizeof s->updated_ns) < 0 ||
        set_queues(s, c, n) < 0)
        return -1;
    if (n == 0)
        return 0;
    if (in->get(in->ctx, TAG_USAGE, s->usage, n * sizeof *s->usage) < 0)
        return -1;
    return in->get(in->ctx, TAG_SEEN, s->seen, n * sizeof *s->seen);
}

static const struct gsp_param params[] = {
    {"half_life", GSP_TIME, "7d", "1s", NULL, NULL, "s",
     "time in which past usage loses half its weight"},
    {NULL, GSP_INT, NULL, NULL, NULL, NULL, NULL, NULL},
};

static const struct gsp_ops ops = {
    GSPL_OPS_HEAD,  .create = create, .destroy = destroy, .on_events = on_events,
    .order = order, .save = save,     .load = load,
};

static const struct gsp_manifest manifest = {
    GSPL_MANIFEST_HEAD,
    .state_version = 1,
    .state_min = 1,
    .caps = GSP_CAP_STATE | GSP_CAP_ORDER_OWNER | GSP_CAP_SYMMETRIC,
    .id = "fairshare",
    .name = "fair share",
    .doc = "queues by their decayed GPU time over their weight, the least served first",
    .params = params,
    .ops = &ops,
};

GSPL_QUERY(manifest)

/* gsp_example.c - order part: few GPUs first, but after `patience` a job of any size goes first. */
#include "gsim/policy.h"

static int create(struct gsp_ctx *c, const struct gsp_config *cfg, void **self)
{
    int64_t *patience = c->host->mem_alloc(c, sizeof *patience);
    if (!patience)
        return c->host->fail(c, -1, 0, "no memory");
    *patience = cfg->value[0].i; /* checked by the host, in the order of params[] */
    *self = patience;
    return 0;
}

static void destroy(struct gsp_ctx *c, void *self)
{
    c->host->mem_free(c, self);
}

static int order(void *self, struct gsp_ctx *c, const gsp_job *job, uint32_t n, int64_t *key)
{
    const struct gsp_jobs *jobs = &c->view->jobs;
    const int64_t patience = *(const int64_t *)self;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = GSP_INDEX(job[i]);
        const int64_t waited = c->now_ns - jobs->submit_ns[at];
        key[i] = waited > patience ? 0 : 1 + (int64_t)jobs->gpus[at];
    }
    return 0; /* low keys go first, ties by submission */
}

static const struct gsp_param params[] = {
    {"patience", GSP_TIME, "6h", "0s", NULL, NULL, "s", "wait after which size no longer counts"},
    {NULL, GSP_INT, NULL, NULL, NULL, NULL, NULL, NULL},
};
static const struct gsp_ops ops = {
    .struct_size = sizeof ops, .create = create, .destroy = destroy, .order = order};

static const struct gsp_manifest manifest = {
    .struct_size = sizeof manifest,
    .magic = GSP_MAGIC,
    .abi_major = GSP_ABI_MAJOR,
    .abi_minor = GSP_ABI_MINOR,
    .min_host_minor = 9,
    .layout = GSP_LAYOUT,
    .id = "example",
    .name = "small first, with patience",
    .version = "1.0",
    .license = "none chosen",
    .doc = "few GPUs first; who has waited long goes before all",
    .params = params,
    .ops = &ops,
};

const struct gsp_manifest *gsp_query(uint32_t host_major, uint32_t host_minor)
{
    (void)host_minor;
    return host_major == GSP_ABI_MAJOR ? &manifest : NULL;
}

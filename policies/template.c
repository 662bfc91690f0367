/* template.c - a module to copy: every hook with its default behaviour, from gsim/policy.h alone. Build:
 *     cc -std=c11 -O2 -fPIC -shared -fvisibility=hidden -I policies/include -o gsp_template.so template.c
 * As `scheduler = template` it is strict first in, first out (`cycle`); its other hooks are the parts' defaults, so it
 * serves as order, placement, backfill or preemption part as well. Delete what you do not need: a hook that is NULL
 * keeps its default. save, load, explain are NULL here (see fairshare.c). One-line hooks keep it on a page. */
#include "gsim/policy.h"

#include <string.h>

/* clang-format off */
/* Once for each [policy NAME] section. State comes from mem_alloc (zeroed) and goes into *self. */
static int create(struct gsp_ctx *c, const struct gsp_config *cfg, void **self)
{
    int64_t *limit = c->host->mem_alloc(c, sizeof *limit);
    if (!limit)
        return c->host->fail(c, -1, 0, "no memory"); /* negative = a fault: the run ends, the module is named */
    *limit = cfg->value[0].i; /* values are checked, in the order of params[] */
    *self = limit;
    return 0;
}

static void destroy(struct gsp_ctx *c, void *self) { c->host->mem_free(c, self); }

/* Facts since the last call, in time order. Ignore kinds that you do not know. [ignore] */
static int on_events(void *self, struct gsp_ctx *c, const struct gsp_event *ev, uint32_t n)
{ (void)self, (void)c, (void)ev, (void)n; return 0; }

/* May these new jobs wait? reject[] arrives zeroed. [accept] */
static int admit(void *self, struct gsp_ctx *c, const gsp_job *job, uint32_t n, uint8_t *reject)
{ (void)self, (void)c, (void)job, (void)n, (void)reject; return 0; }

/* Low keys first; ties by submit time, then id. [submit time] */
static int order(void *self, struct gsp_ctx *c, const gsp_job *job, uint32_t n, int64_t *key)
{
    (void)self;
    for (uint32_t i = 0; i < n; i++)
        key[i] = c->view->jobs.submit_ns[GSP_INDEX(job[i])];
    return 0;
}

/* Nodes nd[] fit the request; drop[i] = 1 forbids one. drop[] arrives zeroed. [keep] */
static int filter(void *self, struct gsp_ctx *c, gsp_job j, uint32_t req, const gsp_node *nd, uint32_t n, uint8_t *drop)
{ (void)self, (void)c, (void)j, (void)req, (void)nd, (void)n, (void)drop; return 0; }

/* High scores first; ties to the lowest node. [0] */
static int score(void *self, struct gsp_ctx *c, gsp_job j, uint32_t req, const gsp_node *nd, uint32_t n, int64_t *out)
{ (void)self, (void)c, (void)j, (void)req, (void)nd; memset(out, 0, n * sizeof *out); return 0; }

/* The k devices of the node: for a share the one with least left, for whole ones the first idle. [this] */
static int pick(void *self, struct gsp_ctx *c, gsp_job j, uint32_t req, gsp_node nd, gsp_gpu *out, uint32_t k)
{
    const struct gsp_gpus *g = &c->view->gpus;
    const uint32_t milli = c->view->requests.share_milli[req], mem = c->view->requests.gpu_mem_mib[req];
    const uint32_t first = c->view->nodes.gpu_first[GSP_INDEX(nd)], count = c->view->nodes.gpu_count[GSP_INDEX(nd)];
    uint32_t best = GSP_NONE, n = 0;
    (void)self;
    for (uint32_t i = first; i < first + count && n < k; i++) {
        const uint32_t need = mem ? mem : (uint32_t)((uint64_t)g->mem_mib[i] * milli / 1000);
        if (milli >= 1000 && g->claims[i] == 0)
            out[n++] = (nd >> 32 << 32) | i; /* a node's devices have its generation */
        if (milli < 1000 && g->free_milli[i] >= milli && g->free_mem_mib[i] >= need &&
            (best == GSP_NONE || g->free_milli[i] < g->free_milli[best]))
            best = i;
    }
    if (best != GSP_NONE)
        out[n++] = (nd >> 32 << 32) | best;
    return n == k ? 0 : c->host->fail(c, -1, j, "no device to pick");
}

/* Make room for j: evict, then place; 0 = placed, 1 = no. [never] */
static int preempt(void *self, struct gsp_ctx *c, gsp_job j, struct gsp_txn *t)
{ (void)self, (void)c, (void)j, (void)t; return 1; }

/* in->head does not fit: start others that come later, or do not. [none] */
static int backfill(void *self, struct gsp_ctx *c, const struct gsp_backfill_in *in, struct gsp_txn *t)
{ (void)self, (void)c, (void)in, (void)t; return 0; }

static int before(const struct gsp_jobs *j, gsp_job a, gsp_job b) /* by submission, then id */
{
    const uint32_t x = GSP_INDEX(a), y = GSP_INDEX(b);
    return j->submit_ns[x] != j->submit_ns[y] ? j->submit_ns[x] < j->submit_ns[y] : j->id[x] < j->id[y];
}

/* A whole scheduler in one hook: all waiting jobs, one transaction. Here: by submission, at most *self a pass. */
static int cycle(void *self, struct gsp_ctx *c, struct gsp_txn *t)
{
    uint32_t n = 0;
    const gsp_job *job = c->host->pending(c, &n); /* by priority, submission, id */
    gsp_job *q = c->host->scratch(c, (n + 1u) * sizeof *q, 16); /* zeroed; gone when the hook returns */
    for (uint32_t i = 0; i < n; i++) { /* insertion sort: the list is nearly sorted */
        uint32_t at = i;
        for (; at > 0 && before(&c->view->jobs, job[i], q[at - 1]); at--)
            q[at] = q[at - 1];
        q[at] = job[i];
    }
    (void)c->host->ordered(t, q, n);
    const int64_t limit = *(const int64_t *)self;
    for (uint32_t i = 0; i < n && (limit == 0 || (int64_t)i < limit); i++) {
        const int why = c->host->place(t, q[i]); /* a reason is an answer: nothing was added */
        if (why != GSP_OK && why != GSP_QUOTA)
            break; /* strict: who does not fit blocks all behind, who is over a limit does not */
    }
    return 0;
}

static int on_timer(void *self, struct gsp_ctx *c, uint64_t tag, struct gsp_txn *t)
{ (void)self, (void)c, (void)tag, (void)t; return 0; }

static const struct gsp_param params[] = {
    {"starts", GSP_INT, "0", "0", "1000000", NULL, "jobs", "started in one pass at most, 0 = all"}, {.name = NULL}};
static const struct gsp_ops ops = {.struct_size = sizeof ops, .create = create, .destroy = destroy,
    .on_events = on_events, .admit = admit, .order = order, .filter = filter, .score = score, .pick = pick,
    .preempt = preempt, .backfill = backfill, .cycle = cycle, .on_timer = on_timer};
static const struct gsp_manifest manifest = {.struct_size = sizeof manifest, .magic = GSP_MAGIC,
    .abi_major = GSP_ABI_MAJOR, .abi_minor = GSP_ABI_MINOR, .min_host_minor = 9, .layout = GSP_LAYOUT,
    .caps = GSP_CAP_SCORE_LOCAL, .id = "template", .name = "template", .version = "0.1.0", .license = "none chosen",
    .doc = "a module to copy: first in, first out, with every hook's default", .params = params, .ops = &ops};

const struct gsp_manifest *gsp_query(uint32_t host_major, uint32_t host_minor)
{ (void)host_minor; return host_major == GSP_ABI_MAJOR ? &manifest : NULL; }

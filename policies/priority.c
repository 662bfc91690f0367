/* priority.c - order part: highest priority first; and preemption part: evict running jobs of lower priority.
 *
 * Preemption. Victims are the running jobs that may be preempted and have strictly less priority than the job, the least
 * important first: by priority ascending, then started last first, then id descending. The job gets the
 * shortest prefix of that list whose eviction lets it be placed (found by doubling, then bisection: O(log n)
 * placements). Then victims that turn out not to be needed are given back: the more important first, each try being a rollback, an eviction
 * of the reduced set and a placement; chunks of halving size first, at most `tries` of them. What is left is evicted.
 *
 * Before any of this, a count: if the free GPUs and those of all victims together are too few, nothing is touched. */
#include "gsim/policy.h"

#include "jobs.h"
#include "module.h"
#include "sort.h"

enum {
    P_MODE,
    P_TRIES
};

struct state {
    int mode;
    uint32_t tries;
};

/* One attempt to make room. */
struct search {
    const struct state *s;
    struct gsp_ctx *c;
    struct gsp_txn *t;
    gsp_job job;
    const gsp_job *victim; /* in order of eviction */
    uint8_t *spared;
    uint64_t mark; /* of the clean slate; a mark serves one rollback */
};

static int create(struct gsp_ctx *c, const struct gsp_config *cfg, void **self)
{
    static const int modes[] = {GSP_EVICT_REQUEUE, GSP_EVICT_CHECKPOINT};
    struct state *s = gspl_new(c, sizeof *s);
    if (!s)
        return -1;
    s->mode = modes[cfg->value[P_MODE].i];
    s->tries = (uint32_t)cfg->value[P_TRIES].i;
    *self = s;
    return 0;
}

static int order(void *self, struct gsp_ctx *c, const gsp_job *job, uint32_t n, int64_t *key)
{
    (void)self;
    for (uint32_t i = 0; i < n; i++)
        key[i] = -(int64_t)c->view->jobs.priority[GSP_INDEX(job[i])];
    return 0;
}

/* Victims in order of eviction; *n of them. */
static const gsp_job *list_victims(struct gsp_ctx *c, gsp_job j, uint32_t *n)
{
    const struct gsp_jobs *jobs = &c->view->jobs;
    const int32_t own = jobs->priority[GSP_INDEX(j)];
    uint32_t nrun = 0, k = 0;
    const gsp_job *run = c->host->running(c, &nrun);
    struct gspl_item *item = c->host->scratch(c, ((size_t)nrun + 1) * 2 * sizeof *item, 16);
    gsp_job *out = c->host->scratch(c, (nrun + 1u) * sizeof *out, 16);
    /* `running` is by start, then id: from its end, and stable by priority */
    for (uint32_t i = nrun; i-- > 0;) {
        const uint32_t x = GSP_INDEX(run[i]);
        if (jobs->preemptible[x] && jobs->priority[x] < own && jobs->state[x] == GSP_JOB_RUNNING)
            item[k++] = (struct gspl_item){.key = jobs->priority[x], .value = run[i]};
    }
    gspl_sort(item, k, item + nrun + 1);
    for (uint32_t i = 0; i < k; i++)
        out[i] = item[i].value;
    *n = k;
    return out;
}

/* Could the GPUs suffice at all? */
static int enough(struct gsp_ctx *c, gsp_job j, const gsp_job *victim, uint32_t n)
{
    const struct gsp_view *v = c->view;
    const int64_t want = gspl_job_total(v, j).gpu_milli;
    int64_t have = 0;
    for (uint32_t g = 0; g < v->gpus.count && have < want; g++)
        have += v->gpus.free_milli[g];
    for (uint32_t i = 0; i < n && have < want; i++)
        have += gspl_job_total(v, victim[i]).gpu_milli;
    return have >= want;
}

/* From a clean slate: evicts the first n victims that are not spared and tries to place the job. */
static int attempt(struct search *a, uint32_t n)
{
    const struct gsp_host *h = a->c->host;
    h->rollback(a->t, a->mark);
    a->mark = h->mark(a->t);
    for (uint32_t i = 0; i < n; i++) {
        if (!a->spared[i])
            (void)h->evict(a->t, a->victim[i], a->s->mode, 0);
    }
    return h->place(a->t, a->job) == GSP_OK;
}

/* The shortest prefix of the n victims that makes room; 0 = none does. */
static uint32_t shortest_prefix(struct search *a, uint32_t n)
{
    uint32_t bad = 0, good = 1;
    while (!attempt(a, good)) {
        if (good == n)
            return 0;
        bad = good;
        good = good > n / 2 ? n : good * 2;
    }
    while (good - bad > 1) {
        const uint32_t mid = bad + (good - bad) / 2;
        if (attempt(a, mid))
            good = mid;
        else
            bad = mid;
    }
    return good;
}

/* Spares what need not be evicted. The last victim is needed, or the prefix would be shorter. */
static void give_back(struct search *a, uint32_t n)
{
    uint32_t left = a->s->tries;
    for (uint32_t chunk = n / 2; chunk > 0; chunk /= 2) {
        for (uint32_t end = n - 1; end > 0 && left > 0;) {
            const uint32_t from = end > chunk ? end - chunk : 0;
            uint32_t fresh = 0;
            for (uint32_t i = from; i < end; i++) {
                fresh += a->spared[i] == 0;
                a->spared[i] = a->spared[i] ? 1 : 2; /* 2: on trial */
            }
            const int keep = fresh > 0 && attempt(a, n);
            left -= fresh > 0;
            for (uint32_t i = from; i < end; i++)
                a->spared[i] = a->spared[i] == 2 ? (uint8_t)keep : a->spared[i];
            end = from;
        }
    }
}

static int preempt(void *self, struct gsp_ctx *c, gsp_job j, struct gsp_txn *t)
{
    uint32_t n = 0;
    const gsp_job *victim = list_victims(c, j, &n);
    if (n == 0 || !enough(c, j, victim, n))
        return 1;
    struct search a = {self, c, t, j, victim, c->host->scratch(c, n, 1), c->host->mark(t)};
    const uint32_t needed = shortest_prefix(&a, n);
    if (needed > 1)
        give_back(&a, needed);
    if (needed > 0 && attempt(&a, needed))
        return 0;
    c->host->rollback(t, a.mark);
    return 1;
}

static const struct gsp_param params[] = {
    {"mode", GSP_WORD, "requeue", NULL, NULL, "requeue|checkpoint", "",
     "what becomes of an evicted job: starts anew, or goes on from where it was"},
    {"tries", GSP_INT, "64", "0", "100000", NULL, "",
     "attempts to spare victims that are not needed"},
    {NULL, GSP_INT, NULL, NULL, NULL, NULL, NULL, NULL},
};

static const struct gsp_ops ops = {
    GSPL_OPS_HEAD,  .create = create,   .destroy = gspl_destroy_plain,
    .order = order, .preempt = preempt,
};

static const struct gsp_manifest manifest = {
    GSPL_MANIFEST_HEAD,
    .caps = GSP_CAP_ORDER_STATIC | GSP_CAP_SYMMETRIC,
    .id = "priority",
    .name = "priority",
    .doc =
        "jobs by priority, the highest first; as preemption part, evicts running jobs of lower priority",
    .params = params,
    .ops = &ops,
};

GSPL_QUERY(manifest)

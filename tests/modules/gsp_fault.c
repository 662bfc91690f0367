/* gsp_fault.c - a module that works as any other until pass `from`, and then does what a module must not do, or does something odd that it
 * may do: parameter `how`. The tests of the host say for each what must come of it. */
#include "gsim/policy.h"

#include "module.h"

enum how {
    NONE,
    IN_CREATE,
    IN_EVENTS,
    IN_ORDER,
    IN_FILTER,
    IN_SCORE,
    IN_PICK,
    IN_PREEMPT,
    IN_BACKFILL,
    IN_CYCLE,
    IN_TIMER,
    IN_ADMIT,
    KEY_RANGE,
    PICK_FOREIGN,
    PICK_NOWHERE,
    PICK_TWICE,
    PICK_TAKEN,
    KEPT_TXN,
    PLACE_IN_SCORE,
    NEVER_JOB,
    NEVER_NODE,
    FOREIGN_DEVICE,
    TIMER_NOW,
    /* not faults: the verb answers, or the value is one like any other */
    STALE_JOB,
    HALF_GANG,
    DOUBLE_BOOK,
    START_TWICE,
    EVICT_PENDING,
    PAST,
    GARBAGE_DROP,
    GARBAGE_SCORE,
    GARBAGE_MARK,
    DROP_ALL,
    REJECT_ODD
};

static const char words[] =
    "none|in-create|in-events|in-order|in-filter|in-score|in-pick|in-preempt|in-backfill|in-cycle|"
    "in-timer|in-admit|key-range|pick-foreign|pick-nowhere|pick-twice|pick-taken|kept-txn|"
    "place-in-score|never-job|never-node|foreign-device|timer-now|stale-job|half-gang|double-book|"
    "start-twice|evict-pending|past|garbage-drop|garbage-score|garbage-mark|drop-all|reject-odd";

enum {
    P_HOW,
    P_FROM
};

struct state {
    enum how how;
    uint32_t from;
    struct gsp_txn *kept;
    gsp_job first;  /* the first job that it ever saw */
    uint64_t wrong; /* answers of verbs that were not what they must be */
};

static int due(const struct state *s, const struct gsp_ctx *c, enum how how)
{
    return s->how == how && c->cycle >= s->from;
}

static int answer(struct gsp_ctx *c)
{
    return c->host->fail(c, -7, 0, "on purpose");
}

static int create(struct gsp_ctx *c, const struct gsp_config *cfg, void **self)
{
    struct state *s = gspl_new(c, sizeof *s);
    if (!s)
        return -1;
    s->how = (enum how)cfg->value[P_HOW].i;
    s->from = (uint32_t)cfg->value[P_FROM].i;
    *self = s;
    return s->how == IN_CREATE ? answer(c) : 0;
}

static int on_events(void *self, struct gsp_ctx *c, const struct gsp_event *ev, uint32_t n)
{
    struct state *s = self;
    if (n && !s->first)
        s->first = ev[0].subject;
    if (due(s, c, KEPT_TXN) && s->kept)
        (void)c->host->place(s->kept, ev[n - 1].subject);
    return due(s, c, IN_EVENTS) ? answer(c) : 0;
}

static int admit(void *self, struct gsp_ctx *c, const gsp_job *job, uint32_t n, uint8_t *reject)
{
    const struct state *s = self;
    for (uint32_t i = 0; i < n && s->how == REJECT_ODD; i++)
        reject[i] = c->view->jobs.id[GSP_INDEX(job[i])] % 2 ? 0xff : 0;
    return due(s, c, IN_ADMIT) ? answer(c) : 0;
}

static int order(void *self, struct gsp_ctx *c, const gsp_job *job, uint32_t n, int64_t *key)
{
    const struct state *s = self;
    for (uint32_t i = 0; i < n; i++)
        key[i] = c->view->jobs.submit_ns[GSP_INDEX(job[i])];
    if (due(s, c, KEY_RANGE) && n)
        key[n - 1] = INT64_MAX;
    return due(s, c, IN_ORDER) ? answer(c) : 0;
}

static int filter(void *self, struct gsp_ctx *c, gsp_job j, uint32_t request, const gsp_node *nd,
                  uint32_t n, uint8_t *drop)
{
    const struct state *s = self;
    (void)j, (void)request;
    for (uint32_t i = 0; i < n; i++) {
        if (s->how == GARBAGE_DROP)
            drop[i] = (uint8_t)(GSP_INDEX(nd[i]) % 2 ? 0xa5 : 0);
        if (s->how == DROP_ALL)
            drop[i] = 1;
    }
    return due(s, c, IN_FILTER) ? answer(c) : 0;
}

static int score(void *self, struct gsp_ctx *c, gsp_job j, uint32_t request, const gsp_node *nd,
                 uint32_t n, int64_t *out)
{
    struct state *s = self;
    (void)request, (void)nd;
    for (uint32_t i = 0; i < n && s->how == GARBAGE_SCORE; i++)
        out[i] = i % 2 ? INT64_MIN : INT64_MAX;
    if (due(s, c, PLACE_IN_SCORE) && s->kept)
        (void)c->host->place(s->kept, j);
    return due(s, c, IN_SCORE) ? answer(c) : 0;
}

static int pick(void *self, struct gsp_ctx *c, gsp_job j, uint32_t request, gsp_node nd,
                gsp_gpu *out, uint32_t k)
{
    const struct state *s = self;
    const struct gsp_view *v = c->view;
    const uint32_t first = v->nodes.gpu_first[GSP_INDEX(nd)];
    const uint32_t count = v->nodes.gpu_count[GSP_INDEX(nd)];
    (void)j, (void)request; /* out[] arrives with the host's own choice */
    if (due(s, c, PICK_FOREIGN))
        out[0] = nd >> 32 << 32 | (first ? first - 1 : first + count);
    if (due(s, c, PICK_NOWHERE))
        out[0] = UINT64_MAX;
    if (due(s, c, PICK_TWICE) && k > 1)
        out[1] = out[0];
    for (uint32_t i = first; i < first + count && due(s, c, PICK_TAKEN); i++)
        if (v->gpus.claims[i])
            out[0] = nd >> 32 << 32 | i;
    return due(s, c, IN_PICK) ? answer(c) : 0;
}

static int preempt(void *self, struct gsp_ctx *c, gsp_job j, struct gsp_txn *t)
{
    (void)j, (void)t;
    return due(self, c, IN_PREEMPT) ? answer(c) : 1;
}

static int backfill(void *self, struct gsp_ctx *c, const struct gsp_backfill_in *in,
                    struct gsp_txn *t)
{
    (void)in, (void)t;
    return due(self, c, IN_BACKFILL) ? answer(c) : 0;
}

/* A whole-cycle module's start by hand: one task of whole GPUs on the node, its devices from `from` on. */
static int start(struct gsp_ctx *c, struct gsp_txn *t, gsp_job j, uint32_t node, uint32_t from)
{
    const struct gsp_view *v = c->view;
    const uint32_t task = v->jobs.task_first[GSP_INDEX(j)];
    const uint32_t k = v->requests.gpus[v->jobs.request[GSP_INDEX(j)]];
    struct gsp_alloc *a = c->host->scratch(c, (k + 1u) * sizeof *a, 16);
    for (uint32_t i = 0; i < k; i++)
        a[i] = (struct gsp_alloc){.task = (uint64_t)v->tasks.generation[task] << 32 | task,
                                  .node = UINT64_C(1) << 32 | node,
                                  .gpu = UINT64_C(1) << 32 | (from + i),
                                  .share_milli = 1000};
    return c->host->start(t, a, k);
}

static void expect(struct state *s, int answered, int expected)
{
    s->wrong += answered != expected;
}

/* What a careless module might do with the first waiting job, before the cycle goes on as if nothing had been. */
static void odd(struct state *s, struct gsp_ctx *c, struct gsp_txn *t, gsp_job j)
{
    const struct gsp_host *h = c->host;
    const uint64_t clean = h->mark(t);
    switch ((int)s->how) {
    case STALE_JOB: /* the first job is gone by now */
        expect(s, h->place(t, s->first), GSP_STALE);
        expect(s, h->evict(t, s->first, GSP_EVICT_REQUEUE, 0), GSP_STALE);
        expect(s, h->hold(t, s->first, GSP_NEVER), GSP_STALE);
        break;
    case HALF_GANG: expect(s, start(c, t, j, 0, 0), GSP_GANG); break;
    case DOUBLE_BOOK:
        if (h->place(t, j) == GSP_OK) {
            const gsp_job next = h->next(t, j);
            struct gsp_alloc a;
            if (h->held(c, j, &a, 1) && next)
                expect(s, start(c, t, next, GSP_INDEX(a.node), GSP_INDEX(a.gpu)), GSP_BUSY);
        }
        break;
    case START_TWICE:
        if (h->place(t, j) == GSP_OK)
            expect(s, h->place(t, j), GSP_NOT_PENDING);
        break;
    case EVICT_PENDING:
        expect(s, h->evict(t, j, GSP_EVICT_REQUEUE, 0), GSP_NOT_RUNNING);
        if (h->place(t, j) == GSP_OK) /* nor is one that this transaction starts */
            expect(s, h->evict(t, j, GSP_EVICT_REQUEUE, 0), GSP_NOT_RUNNING);
        break;
    case PAST:
        expect(s, h->timer(t, c->now_ns - 1, 0), GSP_STALE);
        expect(s, h->hold(t, j, c->now_ns), GSP_UNSUPPORTED);
        break;
    case GARBAGE_MARK:
        h->rollback(t, 0);
        h->rollback(t, 12345);
        break;
    case NEVER_JOB: (void)h->place(t, UINT64_C(77) << 32 | 5); break;
    case NEVER_NODE: (void)start(c, t, j, 1u << 30, 0); break;
    case FOREIGN_DEVICE: (void)start(c, t, j, 0, c->view->nodes.gpu_count[0]); break;
    default: break;
    }
    h->rollback(t, clean);
}

static int cycle(void *self, struct gsp_ctx *c, struct gsp_txn *t)
{
    struct state *s = self;
    s->kept = t;
    if (c->cycle >= s->from) {
        const gsp_job j = c->host->next(t, 0);
        if (j)
            odd(s, c, t, j);
        if (s->how == IN_TIMER || s->how == TIMER_NOW)
            (void)c->host->timer(t, c->now_ns, 1);
    }
    for (gsp_job j = c->host->next(t, 0); j; j = c->host->next(t, j))
        if (c->host->place(t, j) != GSP_OK)
            break;
    if (s->wrong)
        return c->host->fail(c, -9, 0, "a verb answered something else than it must");
    return due(s, c, IN_CYCLE) ? answer(c) : 0;
}

static int on_timer(void *self, struct gsp_ctx *c, uint64_t tag, struct gsp_txn *t)
{
    (void)tag, (void)t;
    return due(self, c, IN_TIMER) ? answer(c) : 0;
}

static const struct gsp_param params[] = {
    {"how", GSP_WORD, "none", NULL, NULL, words, "", "what it does"},
    {"from", GSP_INT, "2", "0", "1000000", NULL, "passes", "from which pass on"},
    {NULL, GSP_INT, NULL, NULL, NULL, NULL, NULL, NULL},
};

static const struct gsp_ops ops = {
    GSPL_OPS_HEAD,          .create = create,     .destroy = gspl_destroy_plain,
    .on_events = on_events, .admit = admit,       .order = order,
    .filter = filter,       .score = score,       .pick = pick,
    .preempt = preempt,     .backfill = backfill, .cycle = cycle,
    .on_timer = on_timer,
};

static const struct gsp_manifest manifest = {
    GSPL_MANIFEST_HEAD, .id = "fault", .name = "fault", .doc = "faults on purpose, for tests",
    .params = params,   .ops = &ops,
};

GSPL_QUERY(manifest)

/* gsp_verbs.c - whole-cycle modules in small: each value of `how` uses the verbs in one way that the tests of the host look at. */
#include "gsim/policy.h"

#include "module.h"

enum how {
    LAZY,    /* starts nothing */
    HOLD,    /* holds each job when it sees it first, for `time`; then starts all that fit */
    RESERVE, /* promises the first job `time` after its submission and starts only that one, then; nobody passes */
    REVERSE, /* last in, first out, and says so */
    NESTED,  /* starts all that fit, after marks within marks were taken back */
    DISTURB, /* as NESTED, but evicts and takes back between two calls of next() */
    REJECT   /* rejects what does not fit at once */
};

enum {
    P_HOW,
    P_TIME
};

struct state {
    int64_t how, time;
};

static int create(struct gsp_ctx *c, const struct gsp_config *cfg, void **self)
{
    struct state *s = gspl_new(c, sizeof *s);
    if (!s)
        return -1;
    s->how = cfg->value[P_HOW].i;
    s->time = cfg->value[P_TIME].i;
    *self = s;
    return 0;
}

/* All that fit, in order: next() passes over what is known not to. */
static int list(struct gsp_ctx *c, struct gsp_txn *t)
{
    for (gsp_job j = c->host->next(t, 0); j; j = c->host->next(t, j))
        (void)c->host->place(t, j);
    return 0;
}

static void hold_new(const struct state *s, struct gsp_ctx *c, struct gsp_txn *t)
{
    for (gsp_job j = c->host->next(t, 0); j; j = c->host->next(t, j)) {
        const int64_t until = c->view->jobs.submit_ns[GSP_INDEX(j)] + s->time;
        if (until > c->now_ns)
            (void)c->host->hold(t, j, until);
    }
}

static void promise_first(const struct state *s, struct gsp_ctx *c, struct gsp_txn *t)
{
    const gsp_job j = c->host->next(t, 0);
    if (!j)
        return;
    const int64_t at = c->view->jobs.submit_ns[GSP_INDEX(j)] + s->time;
    if (at <= c->now_ns && c->host->place(t, j) == GSP_OK)
        return;
    (void)c->host->reserve(t, j, at);
    if (at > c->now_ns)
        (void)c->host->timer(t, at, 0);
}

static void reverse(struct gsp_ctx *c, struct gsp_txn *t)
{
    uint32_t n = 0;
    const gsp_job *job = c->host->pending(c, &n);
    gsp_job *q = c->host->scratch(c, (n + 1u) * sizeof *q, 16);
    for (uint32_t i = 0; i < n; i++)
        q[i] = job[n - 1 - i];
    (void)c->host->ordered(t, q, n);
    for (uint32_t i = 0; i < n && c->host->place(t, q[i]) == GSP_OK;)
        i++;
}

/* Places all that it can under one mark a job, and takes back from the outermost, from the middle, and once more. Wrong answers = -1. */
static int nested(struct gsp_ctx *c, struct gsp_txn *t)
{
    const struct gsp_host *h = c->host;
    const uint64_t outer = h->mark(t);
    const gsp_job a = h->next(t, 0);
    if (!a || h->place(t, a) != GSP_OK) {
        h->rollback(t, outer);
        return 0;
    }
    const uint64_t inner = h->mark(t);
    const gsp_job b = h->next(t, a);
    const int second = b ? h->place(t, b) : GSP_STALE;
    h->rollback(t, inner);
    if (h->place(t, a) != GSP_NOT_PENDING) /* a still stands */
        return h->fail(c, -1, a, "a rollback took too much");
    if (b && h->place(t, b) != second) /* b is where it was */
        return h->fail(c, -1, b, "a placement was not taken back whole");
    h->rollback(t, outer);
    h->rollback(t, inner); /* gone with the outer one */
    return h->next(t, 0) == a ? 0 : h->fail(c, -1, a, "the first job is another one");
}

/* Each job is taken from next() after the world was changed and put back: the walk goes on where it was. */
static int disturbed(struct gsp_ctx *c, struct gsp_txn *t)
{
    const struct gsp_host *h = c->host;
    for (gsp_job j = h->next(t, 0); j; j = h->next(t, j)) {
        uint32_t n = 0;
        const gsp_job *run = h->running(c, &n);
        const uint64_t m = h->mark(t);
        if (n)
            (void)h->evict(t, run[n - 1], GSP_EVICT_REQUEUE, 0);
        (void)h->place(t, j);
        const gsp_job other = h->next(t, 0);
        if (other == j && n == 0)
            return h->fail(c, -1, j, "the job that was placed is yielded again");
        h->rollback(t, m);
        (void)h->place(t, j);
    }
    return 0;
}

static int cycle(void *self, struct gsp_ctx *c, struct gsp_txn *t)
{
    const struct state *s = self;
    int rc = 0;
    switch (s->how) {
    case LAZY: return 0;
    case HOLD: hold_new(s, c, t); break;
    case RESERVE: promise_first(s, c, t); return 0;
    case REVERSE: reverse(c, t); return 0;
    case NESTED: rc = nested(c, t); break;
    case DISTURB: return disturbed(c, t);
    case REJECT:
        for (gsp_job j = c->host->next(t, 0); j; j = c->host->next(t, j))
            if (c->host->place(t, j) != GSP_OK)
                (void)c->host->reject(t, j, "no room for it");
        return 0;
    default: break;
    }
    return rc ? rc : list(c, t);
}

static const struct gsp_param params[] = {
    {"how", GSP_WORD, "lazy", NULL, NULL, "lazy|hold|reserve|reverse|nested|disturb|reject", "",
     "what it shows"},
    {"time", GSP_TIME, "30s", NULL, NULL, NULL, "s", "of hold and reserve"},
    {NULL, GSP_INT, NULL, NULL, NULL, NULL, NULL, NULL},
};

static const struct gsp_ops ops = {GSPL_OPS_HEAD, .create = create, .destroy = gspl_destroy_plain,
                                   .cycle = cycle};

static const struct gsp_manifest manifest = {
    GSPL_MANIFEST_HEAD, .id = "verbs", .name = "verbs", .doc = "uses the verbs, for tests",
    .params = params,   .ops = &ops,
};

GSPL_QUERY(manifest)

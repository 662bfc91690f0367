/* easy.c - backfill part: EASY (Lifka 1995; "aggressive" backfilling): the first job that does not fit gets a reservation, and a later
 * job may start now if it does not delay that one.
 *
 * Shadow time: on a private copy of the free amounts (lib/room.h), running jobs are given back in the order of their expected ends
 * (start + estimate; a job past its estimate is expected to end now) until the whole gang of the head fits. Extra: what is
 * then left after the head has taken its nodes; it takes what is in use now first, so that what is free now stays for others.
 * A later job, tried in order (scan = order) or by estimate, shortest first (scan = shortest: EASY-SJBF of Tsafrir et al. 2007), starts if
 *     now + estimate <= shadow, or
 *     all that it takes lies within extra; extra then shrinks by it.
 * What is planned counts (lib/closing.h): the head may not be on a node that closes before it would end, and may on one that has come back.
 * On one node with N CPUs this is the textbook rule with its two numbers. Estimates that end exactly at the shadow time are allowed.
 *
 * Cost a call: O(nodes + devices) for the copy, O(running + plans) for the heap, O(log of them) a job given back, and at most a few placements
 * a distinct request: once a gang of k equal tasks was refused, one of k or more will be refused too, since room only shrinks. */
#include "gsim/policy.h"

#include "closing.h"
#include "jobs.h"
#include "module.h"
#include "room.h"
#include "sort.h"

enum {
    P_SCAN,
    P_DEPTH
};

enum {
    SCAN_ORDER,
    SCAN_SHORTEST
};

enum {
    ROWS_AT_ONCE = 64
};

struct state {
    int scan;
    uint32_t depth; /* candidates a call, 0 = all */
};

/* The least that was refused of a request: gangs of that many tasks or more. Where something is planned, time and queue decide
 * as well, so it then holds for jobs of the queue that run for at least as long. */
struct refusal {
    uint32_t tasks, queue;
    int64_t estimate_ns;
};

/* One call of backfill. */
struct call {
    struct gsp_ctx *c;
    struct gsp_txn *t;
    gsp_job head;
    int64_t shadow_ns;
    struct gspl_closing closing; /* for the head */
    struct gspl_room extra;
    struct refusal *no_room;  /* [requests] does not fit now */
    struct refusal *too_long; /* [requests] fits, but not within extra */
    struct gsp_alloc *row;
    uint32_t row_cap;
};

static int create(struct gsp_ctx *c, const struct gsp_config *cfg, void **self)
{
    struct state *s = gspl_new(c, sizeof *s);
    if (!s)
        return -1;
    s->scan = (int)cfg->value[P_SCAN].i;
    s->depth = (uint32_t)cfg->value[P_DEPTH].i;
    *self = s;
    return 0;
}

/* The rows of a job, in b->row; returns their number. */
static uint32_t held_rows(struct call *b, gsp_job j)
{
    const struct gsp_host *h = b->c->host;
    uint32_t n = h->held(b->c, j, b->row, b->row_cap);
    if (n > b->row_cap) {
        b->row_cap = 2 * n;
        b->row = h->scratch(b->c, b->row_cap * sizeof *b->row, 16);
        n = h->held(b->c, j, b->row, b->row_cap);
    }
    return n;
}

/* ---- the head's reservation ---- */

/* The gang of the head: n tasks, of which the last may ask for something else. */
struct gang {
    uint32_t full, last, n;
};

static struct gang gang_of(const struct gsp_view *v, gsp_job j)
{
    const uint32_t x = GSP_INDEX(j), n = v->jobs.task_count[x];
    const struct gang g = {v->jobs.request[x], v->tasks.request[v->jobs.task_first[x] + n - 1], n};
    return g;
}

/* Where tasks of the head fit: now, and at the time looked at. */
struct capacity {
    uint32_t *now, *then;
    uint64_t total; /* of then */
};

static void capacity_at(struct capacity *k, const struct gspl_room *r, uint32_t node, uint32_t full)
{
    const uint32_t x = gspl_room_capacity(r, node, full);
    k->total += x;
    k->total -= k->then[node];
    k->then[node] = x;
}

/* Takes k tasks, first where more fit than now, then anywhere; returns how many are left over. */
static uint32_t take_gang(struct gspl_room *r, const struct capacity *k, uint32_t full, uint32_t n)
{
    const uint32_t nodes = r->v->nodes.count;
    for (uint32_t i = nodes; i-- > 0 && n > 0;) {
        const uint32_t gain = k->then[i] > k->now[i] ? k->then[i] - k->now[i] : 0;
        if (gain > 0)
            n -= gspl_room_take_tasks(r, i, full, n < gain ? n : gain);
    }
    for (uint32_t i = nodes; i-- > 0 && n > 0;) {
        if (k->then[i] > 0)
            n -= gspl_room_take_tasks(r, i, full, n);
    }
    return n;
}

static int take_last(struct gspl_room *r, uint32_t request)
{
    for (uint32_t i = r->v->nodes.count; i-- > 0;) {
        if (gspl_room_take_tasks(r, i, request, 1) == 1)
            return 1;
    }
    return 0;
}

/* Does the head fit? Exact if its tasks are equal; else the count that is necessary. */
static int may_fit(const struct gang *g, const struct capacity *k)
{
    return k->total >= (g->last == g->full ? g->n : g->n - 1);
}

/* Takes the head's gang from the room; 0 if it does not fit after all (the room is then spoilt). */
static int take_head(struct gspl_room *r, const struct gang *g, const struct capacity *k)
{
    if (g->last == g->full)
        return take_gang(r, k, g->full, g->n) == 0;
    return take_gang(r, k, g->full, g->n - 1) == 0 && take_last(r, g->last);
}

static void give_back(struct call *b, struct gspl_room *r, struct capacity *k, uint32_t full,
                      gsp_job j)
{
    const uint32_t n = held_rows(b, j);
    gspl_room_give(r, b->row, n);
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || b->row[i].node != b->row[i - 1].node)
            capacity_at(k, r, GSP_INDEX(b->row[i].node), full);
    }
}

/* What changes, as a heap by time: the expected ends of the running jobs, with those that this pass has started, as handles of jobs, and what
 * opens or closes nodes to the head, as numbers of nodes, which are less than any handle. Ties by that number. */
static struct gspl_item *changes(struct call *b, uint32_t *n)
{
    struct gsp_ctx *c = b->c;
    const struct gsp_jobs *jobs = &c->view->jobs;
    const size_t most = jobs->count + (b->closing.p ? 2 * (size_t)b->closing.p->count : 0);
    struct gspl_item *end = c->host->scratch(c, (most + 1) * sizeof *end, 16);
    uint32_t k = gspl_closing_times(&b->closing, end);
    for (uint32_t i = 0; i < jobs->count; i++) {
        if (jobs->state[i] != GSP_JOB_RUNNING)
            continue;
        const gsp_job j = gspl_job_handle(c->view, i);
        end[k].key = gspl_expected_end(c->view, j, c->now_ns);
        end[k++].value = j;
    }
    gspl_heapify(end, k);
    *n = k;
    return end;
}

static void apply_change(struct call *b, struct gspl_room *room, struct capacity *k, uint32_t full,
                         const struct gspl_item *x)
{
    if (x->value < b->c->view->nodes.count) {
        const uint32_t node = (uint32_t)x->value;
        room->open[node] = (uint8_t)gspl_closing_open(&b->closing, node, x->key);
        capacity_at(k, room, node, full);
    } else {
        give_back(b, room, k, full, x->value);
    }
}

/* Finds the shadow time; `room` becomes what is free then, before the head has taken its share. */
static void find_shadow(struct call *b, struct gspl_room *room, const struct gang *g,
                        struct capacity *k)
{
    uint32_t left = 0;
    struct gspl_item *change = changes(b, &left);
    b->shadow_ns = GSP_NEVER;
    while (left > 0) {
        const int64_t at = change[0].key;
        while (left > 0 && change[0].key == at) {
            const struct gspl_item x = gspl_heap_pop(change, &left);
            apply_change(b, room, k, g->full, &x);
        }
        if (!may_fit(g, k))
            continue;
        gspl_room_copy(&b->extra, room);
        if (take_head(&b->extra, g, k)) {
            b->shadow_ns = at;
            return;
        }
    }
}

static void reserve_head(struct call *b)
{
    struct gsp_ctx *c = b->c;
    const uint32_t nodes = c->view->nodes.count;
    const struct gang g = gang_of(c->view, b->head);
    struct capacity k = {0};
    struct gspl_room room;
    gspl_room_init(&room, c->view, c->host->scratch(c, gspl_room_bytes(c->view), 16));
    gspl_room_init(&b->extra, c->view, c->host->scratch(c, gspl_room_bytes(c->view), 16));
    k.now = c->host->scratch(c, (nodes + 1u) * sizeof *k.now, 16);
    k.then = c->host->scratch(c, (nodes + 1u) * sizeof *k.then, 16);
    const size_t closing = gspl_closing_bytes(c->view);
    gspl_closing_init(&b->closing, c->view, closing ? c->host->scratch(c, closing, 16) : NULL,
                      b->head, c->now_ns);
    for (uint32_t i = 0; i < nodes; i++) {
        room.open[i] = (uint8_t)gspl_closing_open(&b->closing, i, c->now_ns);
        capacity_at(&k, &room, i, g.full);
        k.now[i] = k.then[i];
    }
    find_shadow(b, &room, &g, &k);
    if (b->shadow_ns < GSP_NEVER - 1)
        (void)c->host->reserve(b->t, b->head, b->shadow_ns);
}

/* ---- the candidates ---- */

/* Equal tasks only: then "as many or more of the same" has a meaning. */
static int hopeless(const struct call *b, const struct refusal *refused, const struct gang *g,
                    gsp_job j)
{
    const struct gsp_jobs *jobs = &b->c->view->jobs;
    const struct refusal *r = &refused[g->full];
    return g->full == g->last && g->n >= r->tasks &&
           (!b->closing.p || (jobs->queue[GSP_INDEX(j)] == r->queue &&
                              jobs->estimate_ns[GSP_INDEX(j)] >= r->estimate_ns));
}

static void remember(const struct call *b, struct refusal *refused, const struct gang *g, gsp_job j)
{
    const struct gsp_jobs *jobs = &b->c->view->jobs;
    if (g->full == g->last && (g->n < refused[g->full].tasks || b->closing.p))
        refused[g->full] =
            (struct refusal){g->n, jobs->queue[GSP_INDEX(j)], jobs->estimate_ns[GSP_INDEX(j)]};
}

/* Starts a candidate if that does not delay the head. */
static void consider(struct call *b, gsp_job j)
{
    const struct gsp_host *h = b->c->host;
    const struct gsp_view *v = b->c->view;
    const int64_t end = gspl_later(b->c->now_ns, v->jobs.estimate_ns[GSP_INDEX(j)]);
    const int in_time = end <= b->shadow_ns;
    const struct gang g = gang_of(v, j);
    if (hopeless(b, b->no_room, &g, j))
        return;
    if (!in_time && hopeless(b, b->too_long, &g, j)) {
        (void)h->blocked(b->t, j, GSP_WHY_RESERVATION, b->head);
        return;
    }
    const uint64_t mark = h->mark(b->t);
    const int why = h->place(b->t, j);
    if (why != GSP_OK) {
        if (why != GSP_QUOTA) /* its queue's matter, not the request's */
            remember(b, b->no_room, &g, j);
        return;
    }
    if (in_time)
        return;
    const uint32_t n = held_rows(b, j);
    if (gspl_room_take_rows(&b->extra, b->row, n))
        return;
    h->rollback(b->t, mark);
    remember(b, b->too_long, &g, j);
    (void)h->blocked(b->t, j, GSP_WHY_RESERVATION, b->head);
}

static void scan_in_order(struct call *b, uint32_t depth)
{
    const struct gsp_host *h = b->c->host;
    uint32_t seen = 0;
    for (gsp_job j = h->next(b->t, b->head); j; j = h->next(b->t, j)) {
        if (j == b->head)
            continue;
        if (depth && seen++ == depth)
            break;
        consider(b, j);
    }
}

/* What is free on all nodes that are up. */
static struct gspl_total all_free(const struct gsp_view *v)
{
    struct gspl_total sum = {0, 0, 0};
    for (uint32_t i = 0; i < v->nodes.count; i++) {
        if (v->nodes.up[i]) {
            sum.cpus_milli += v->nodes.free_cpus_milli[i];
            sum.mem_mib += v->nodes.free_mem_mib[i];
        }
    }
    for (uint32_t g = 0; g < v->gpus.count; g++)
        sum.gpu_milli += v->gpus.free_milli[g];
    return sum;
}

static void scan_shortest(struct call *b, uint32_t depth)
{
    struct gsp_ctx *c = b->c;
    uint32_t n = 0, k = 0;
    const gsp_job *job = c->host->pending(c, &n);
    struct gspl_item *item = c->host->scratch(c, ((size_t)n + 1) * 2 * sizeof *item, 16);
    const struct gspl_total free = all_free(c->view);
    for (uint32_t i = 0; i < n; i++) {
        const struct gspl_total want = gspl_job_total(c->view, job[i]);
        /* what an instance counts for is not free as a share of a device */
        const int plain = !c->view->requests.profile[c->view->jobs.request[GSP_INDEX(job[i])]];
        if (job[i] == b->head || (plain && want.gpu_milli > free.gpu_milli) ||
            want.cpus_milli > free.cpus_milli || want.mem_mib > free.mem_mib)
            continue;
        item[k].key = gspl_later(0, c->view->jobs.estimate_ns[GSP_INDEX(job[i])]);
        item[k++].value = job[i];
    }
    gspl_sort(item, k, item + n + 1);
    for (uint32_t i = 0; i < k && (depth == 0 || i < depth); i++)
        consider(b, item[i].value);
}

static struct refusal *nothing_refused(struct gsp_ctx *c)
{
    const uint32_t n = c->view->requests.count;
    struct refusal *r = c->host->scratch(c, (n + 1u) * sizeof *r, 16);
    for (uint32_t i = 0; i < n; i++)
        r[i] = (struct refusal){UINT32_MAX, GSP_NONE, 0};
    return r;
}

static int backfill(void *self, struct gsp_ctx *c, const struct gsp_backfill_in *in,
                    struct gsp_txn *t)
{
    const struct state *s = self;
    struct call b = {.c = c, .t = t, .head = in->head, .row_cap = ROWS_AT_ONCE};
    b.row = c->host->scratch(c, b.row_cap * sizeof *b.row, 16);
    b.no_room = nothing_refused(c);
    b.too_long = nothing_refused(c);
    reserve_head(&b);
    if (s->scan == SCAN_SHORTEST)
        scan_shortest(&b, s->depth);
    else
        scan_in_order(&b, s->depth);
    return 0;
}

static const struct gsp_param params[] = {
    {"scan", GSP_WORD, "order", NULL, NULL, "order|shortest", "",
     "candidates in queue order, or by estimate, the shortest first (EASY-SJBF)"},
    {"depth", GSP_INT, "0", "0", "1000000000", NULL, "jobs",
     "candidates looked at in one pass, 0 = all"},
    {NULL, GSP_INT, NULL, NULL, NULL, NULL, NULL, NULL},
};

static const struct gsp_ops ops = {
    GSPL_OPS_HEAD,
    .create = create,
    .destroy = gspl_destroy_plain,
    .backfill = backfill,
};

static const struct gsp_manifest manifest = {
    GSPL_MANIFEST_HEAD,
    .caps = GSP_CAP_RESERVES,
    .needs = GSP_NEED_ESTIMATES,
    .id = "easy",
    .name = "EASY backfilling",
    .doc = "later jobs may overtake if they do not delay the first job that waits",
    .params = params,
    .ops = &ops,
};

GSPL_QUERY(manifest)

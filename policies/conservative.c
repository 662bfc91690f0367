/* conservative.c - backfill part: conservative backfilling (Feitelson & Weil 1998): every waiting job has a reservation, and a job may
 * overtake only where that delays nobody.
 *
 * The plan is a profile over time (lib/profile.h) of what will be free if jobs end as estimated: GPU milli in all and of each
 * model, CPUs, memory, MIG instances of each profile that exist, each summed over the cluster. A job has the earliest stretch in which enough is free for its estimate. Reservations are kept
 * from pass to pass; at each pass the waiting jobs are taken in order, and each may move to an earlier start while all others
 * keep theirs ("compression"), so none is ever later than promised. A job whose stretch begins now is placed exactly, on
 * nodes; if fragmentation forbids it, it is planned for the next time at which something changes. A promise that no longer fits (a job ran past
 * its estimate, a node went down) is made anew.
 *
 * What is planned for nodes (view->plans) is taken out of the profile while it lasts, and comes back with it; a reservation is not, since
 * the sums are of all queues: those whom it keeps out find that out when they are placed.
 *
 * On one node with N CPUs this is the textbook algorithm. On many nodes the sums are optimistic: a reservation is then a bound for
 * the plan, not a set of devices. A job that may use several models counts in the total only; a running one counts with its first
 * task's model.
 *
 * Cost a pass: O(running log running + waiting x points); points <= running + 4 waiting + 2 plans with times of their own. `depth` bounds the jobs that are
 * planned. */
#include "gsim/policy.h"

#include "jobs.h"
#include "module.h"
#include "node.h"
#include "profile.h"
#include "sort.h"

enum {
    P_DEPTH
};

enum {
    R_GPUS,
    R_CPUS,
    R_MEM,
    R_MODEL,
    PROFILES = 64, /* what asks for another one than the first so many is not planned */
    R_MAX = R_MODEL + 64 + PROFILES
};

enum {
    TAG_COUNT = 1,
    TAG_GENERATION,
    TAG_START
};

/* Promised starts by job slot; generation 0 = none. */
struct state {
    uint32_t depth;
    uint32_t cap;
    uint32_t *generation;
    int64_t *start_ns;
};

/* One pass. */
struct plan {
    struct state *s;
    struct gsp_ctx *c;
    struct gsp_txn *t;
    gsp_job head; /* for whose sake others wait */
    struct gspl_profile p;
    uint32_t nres, models;
    /* MIG profiles that instances have: the amount R_MODEL + models + i is of profile[i] */
    uint32_t profiles, profile[PROFILES];
};

/* A job as the plan sees it. */
#define NO_SUCH_THING INT64_MAX /* more than there ever is */

struct piece {
    gsp_job job;
    int64_t length;
    int64_t need[R_MAX];
};

static int create(struct gsp_ctx *c, const struct gsp_config *cfg, void **self)
{
    struct state *s = gspl_new(c, sizeof *s);
    if (!s)
        return -1;
    s->depth = (uint32_t)cfg->value[P_DEPTH].i;
    *self = s;
    return 0;
}

static void destroy(struct gsp_ctx *c, void *self)
{
    struct state *s = self;
    c->host->mem_free(c, s->generation);
    c->host->mem_free(c, s->start_ns);
    c->host->mem_free(c, s);
}

static int grow(struct state *s, struct gsp_ctx *c, uint32_t slots)
{
    if (slots <= s->cap)
        return 0;
    const uint32_t cap = slots < 64 ? 64 : slots + slots / 2;
    uint32_t *g = c->host->mem_resize(c, s->generation, cap * sizeof *g);
    if (!g)
        return c->host->fail(c, -1, 0, "out of memory for reservations");
    s->generation = g;
    int64_t *at = c->host->mem_resize(c, s->start_ns, cap * sizeof *at);
    if (!at)
        return c->host->fail(c, -1, 0, "out of memory for reservations");
    s->start_ns = at;
    for (uint32_t i = s->cap; i < cap; i++) {
        s->generation[i] = 0;
        s->start_ns[i] = 0;
    }
    s->cap = cap;
    return 0;
}

/* ---- promises ---- */

static int64_t promised(const struct state *s, gsp_job j)
{
    const uint32_t x = GSP_INDEX(j);
    return s->generation[x] == (uint32_t)(j >> 32) ? s->start_ns[x] : GSP_NEVER;
}

static void promise(struct state *s, gsp_job j, int64_t at)
{
    const uint32_t x = GSP_INDEX(j);
    s->generation[x] = at == GSP_NEVER ? 0 : (uint32_t)(j >> 32);
    s->start_ns[x] = at == GSP_NEVER ? 0 : at;
}

/* ---- what a job takes ---- */

/* Only model m in the mask? Its index, or GSP_NONE. */
static uint32_t only_model(uint64_t mask)
{
    if (mask == 0 || (mask & (mask - 1)) != 0)
        return GSP_NONE;
    uint32_t m = 0;
    while ((mask >> m & 1) == 0)
        m++;
    return m;
}

/* The amount of a MIG profile; GSP_NONE = no instance has it. */
static uint32_t amount_of(const struct plan *p, uint32_t profile)
{
    for (uint32_t i = 0; i < p->profiles; i++)
        if (p->profile[i] == profile)
            return R_MODEL + p->models + i;
    return GSP_NONE;
}

static void list_profiles(struct plan *p)
{
    const struct gsp_view *v = p->c->view;
    const uint32_t n = GSP_HAS(v, instances) && v->have & GSP_HAVE_MIG ? v->instances.count : 0;
    p->models = v->models < 64 ? v->models : 64;
    for (uint32_t i = 0; i < n && p->profiles < PROFILES; i++)
        if (amount_of(p, v->instances.profile[i]) == GSP_NONE)
            p->profile[p->profiles++] = v->instances.profile[i];
    p->nres = R_MODEL + p->models + p->profiles;
}

static void piece_of(const struct plan *p, gsp_job j, uint32_t model, struct piece *out)
{
    const struct gsp_view *v = p->c->view;
    const struct gspl_total sum = gspl_job_total(v, j);
    const int64_t estimate = v->jobs.estimate_ns[GSP_INDEX(j)];
    out->job = j;
    out->length = estimate < 0 ? GSP_NEVER : estimate;
    for (uint32_t r = 0; r < p->nres; r++)
        out->need[r] = 0;
    out->need[R_CPUS] = sum.cpus_milli;
    out->need[R_MEM] = sum.mem_mib;
    const uint32_t profile = v->requests.profile[v->jobs.request[GSP_INDEX(j)]];
    if (profile) {
        const uint32_t amount = amount_of(p, profile);
        if (amount != GSP_NONE)
            out->need[amount] = v->jobs.task_count[GSP_INDEX(j)];
        return;
    }
    out->need[R_GPUS] = sum.gpu_milli;
    if (model < v->models)
        out->need[R_MODEL + model] = sum.gpu_milli;
}

static void waiting_piece(const struct plan *p, gsp_job j, struct piece *out)
{
    const struct gsp_view *v = p->c->view;
    const uint32_t request = v->jobs.request[GSP_INDEX(j)], profile = v->requests.profile[request];
    piece_of(p, j, only_model(v->requests.models[request]), out);
    if (profile && amount_of(p, profile) == GSP_NONE)
        out->need[R_GPUS] = NO_SUCH_THING;
}

static void running_piece(const struct plan *p, gsp_job j, struct piece *out)
{
    const struct gsp_view *v = p->c->view;
    const uint32_t node = v->tasks.node[v->jobs.task_first[GSP_INDEX(j)]];
    piece_of(p, j, node < v->nodes.count ? v->nodes.model[node] : GSP_NONE, out);
}

/* ---- the profile ---- */

static void free_instances(const struct plan *p, int64_t *sum)
{
    const struct gsp_view *v = p->c->view;
    const struct gsp_instances *x = &v->instances;
    for (uint32_t i = 0; p->profiles && i < x->count; i++) {
        const uint32_t amount = amount_of(p, x->profile[i]);
        if (amount != GSP_NONE && x->state[i] == GSP_INSTANCE_IDLE && !x->draining[i] &&
            v->nodes.up[GSP_INDEX(v->gpus.node[x->gpu[i]])])
            sum[amount]++;
    }
}

static void free_now(const struct gsp_view *v, int64_t *sum)
{
    for (uint32_t n = 0; n < v->nodes.count; n++) {
        if (!v->nodes.up[n])
            continue;
        int64_t gpus = 0;
        for (uint32_t i = 0; i < v->nodes.gpu_count[n]; i++)
            gpus += v->gpus.free_milli[v->nodes.gpu_first[n] + i];
        sum[R_GPUS] += gpus;
        sum[R_CPUS] += v->nodes.free_cpus_milli[n];
        sum[R_MEM] += v->nodes.free_mem_mib[n];
        if (v->nodes.model[n] < v->models)
            sum[R_MODEL + v->nodes.model[n]] += gpus;
    }
}

/* ---- what is planned ---- */

/* The first row of view->instances on device g or behind it. */
static uint32_t instances_from(const struct gsp_view *v, uint32_t g)
{
    uint32_t lo = 0, hi = v->instances.count;
    while (lo < hi) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (v->instances.gpu[mid] < g)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Adds all of a node, or what is free of it. */
static void add_node(const struct plan *p, uint32_t node, int all, int64_t *sum)
{
    const struct gsp_view *v = p->c->view;
    const uint32_t first = v->nodes.gpu_first[node], end = first + v->nodes.gpu_count[node];
    int64_t gpus = 0;
    for (uint32_t g = first; g < end; g++)
        gpus += all ? v->gpus.capacity_milli[g] : v->gpus.free_milli[g];
    sum[R_GPUS] += gpus;
    sum[R_CPUS] += all ? v->nodes.cpus_milli[node] : v->nodes.free_cpus_milli[node];
    sum[R_MEM] += all ? v->nodes.mem_mib[node] : v->nodes.free_mem_mib[node];
    if (v->nodes.model[node] < p->models)
        sum[R_MODEL + v->nodes.model[node]] += gpus;
    if (!p->profiles)
        return;
    for (uint32_t i = instances_from(v, first); i < v->instances.count && v->instances.gpu[i] < end;
         i++) {
        const uint32_t amount = amount_of(p, v->instances.profile[i]);
        if (amount != GSP_NONE && (all || v->instances.state[i] == GSP_INSTANCE_IDLE))
            sum[amount]++;
    }
}

static uint32_t plan_rows(const struct gsp_view *v)
{
    return GSP_HAS(v, plans) ? v->plans.count : 0;
}

/* Nodes that will not be there are taken from the profile, those that are not now and come back are given to it. Rows of the same times,
 * which rolling maintenance has many of, are entered at once. */
static void enter_plans(struct plan *p)
{
    const struct gsp_view *v = p->c->view;
    const struct gsp_plans *x = &v->plans;
    const uint32_t rows = plan_rows(v);
    struct gspl_item *row = p->c->host->scratch(p->c, ((size_t)rows + 1) * 2 * sizeof *row, 16);
    uint32_t n = 0;
    for (uint32_t i = 0; i < rows; i++)
        if (x->kind[i] != GSP_PLAN_RESERVE)
            row[n++] = (struct gspl_item){x->from_ns[i], i};
    gspl_sort(row, n, row + rows + 1);
    for (uint32_t i = 0; i < n;) {
        int64_t whole[R_MAX] = {0}, back[R_MAX] = {0};
        const int64_t from = row[i].key, until = x->until_ns[row[i].value];
        for (; i < n && row[i].key == from && x->until_ns[row[i].value] == until; i++) {
            const uint32_t node = x->node[row[i].value];
            if (from > p->c->now_ns)
                add_node(p, node, 1, whole);
            else if (!v->nodes.up[node])
                add_node(p, node, 0, back);
        }
        if (from > p->c->now_ns)
            (void)gspl_profile_take(&p->p, from, until, whole);
        else if (until < GSP_NEVER)
            (void)gspl_profile_give(&p->p, until, GSPL_NEVER, back);
    }
}

/* What is free now, and what running jobs (with those that this pass has started) give back at their expected ends. */
static void build(struct plan *p, uint32_t waiting)
{
    struct gsp_ctx *c = p->c;
    const struct gsp_jobs *jobs = &c->view->jobs;
    int64_t sum[R_MAX] = {0};
    uint32_t n = 0;
    struct gspl_item *end = c->host->scratch(c, ((size_t)jobs->count + 1) * 2 * sizeof *end, 16);
    for (uint32_t i = 0; i < jobs->count; i++) {
        if (jobs->state[i] != GSP_JOB_RUNNING)
            continue;
        end[n].value = gspl_job_handle(c->view, i);
        end[n].key = gspl_expected_end(c->view, end[n].value, c->now_ns);
        n++;
    }
    gspl_sort(end, n, end + jobs->count + 1);
    /* a job enters at most two stretches, a plan one */
    const uint32_t points = n + 4 * waiting + 2 * plan_rows(c->view) + 8;
    void *memory = c->host->scratch(c, gspl_profile_bytes(points, p->nres), 16);
    free_now(c->view, sum);
    free_instances(p, sum);
    gspl_profile_init(&p->p, memory, points, p->nres, c->now_ns, sum);
    for (uint32_t i = 0; i < n; i++) {
        struct piece x;
        running_piece(p, end[i].value, &x);
        if (end[i].key < GSP_NEVER - 1)
            (void)gspl_profile_append(&p->p, end[i].key, x.need);
    }
    if (plan_rows(c->view))
        enter_plans(p);
}

static int64_t end_of(int64_t start, const struct piece *x)
{
    return x->length > GSP_NEVER - start ? GSP_NEVER : start + x->length;
}

/* Enters the promises that still hold, in order; those that do not are forgotten. */
static void keep_promises(struct plan *p, const gsp_job *job, uint32_t n)
{
    struct piece x;
    for (uint32_t i = 0; i < n; i++) {
        int64_t at = promised(p->s, job[i]);
        if (at == GSP_NEVER)
            continue;
        at = at > p->c->now_ns ? at : p->c->now_ns;
        waiting_piece(p, job[i], &x);
        if (gspl_profile_fits(&p->p, at, end_of(at, &x), x.need) &&
            gspl_profile_take(&p->p, at, end_of(at, &x), x.need))
            promise(p->s, job[i], at);
        else
            promise(p->s, job[i], GSP_NEVER);
    }
}

/* ---- planning one job ---- */

/* The earliest start after now: fragmentation, or the job's queue, forbids now. */
static int64_t not_now(const struct plan *p, const struct piece *x)
{
    if (p->p.n < 2)
        return GSP_NEVER;
    return gspl_profile_earliest(&p->p, p->p.at[1], x->length, x->need);
}

static void plan_job(struct plan *p, gsp_job j)
{
    const struct gsp_host *h = p->c->host;
    const int64_t now = p->c->now_ns, old = promised(p->s, j);
    struct piece x;
    waiting_piece(p, j, &x);
    if (old != GSP_NEVER)
        (void)gspl_profile_give(&p->p, old, end_of(old, &x), x.need);
    int64_t at = gspl_profile_earliest(&p->p, now, x.length, x.need);
    if (at == now && h->place(p->t, j) == GSP_OK) {
        (void)gspl_profile_take(&p->p, now, end_of(now, &x), x.need);
        promise(p->s, j, GSP_NEVER);
        return;
    }
    if (at == now)
        at = not_now(p, &x);
    else if (gspl_profile_fits(&p->p, now, now, x.need))
        (void)h->blocked(p->t, j, GSP_WHY_RESERVATION, p->head);
    promise(p->s, j, at);
    if (at == GSP_NEVER)
        return;
    (void)gspl_profile_take(&p->p, at, end_of(at, &x), x.need);
    (void)h->reserve(p->t, j, at);
}

static int backfill(void *self, struct gsp_ctx *c, const struct gsp_backfill_in *in,
                    struct gsp_txn *t)
{
    struct state *s = self;
    struct plan p = {.s = s, .c = c, .t = t, .head = in->head};
    uint32_t n = 0;
    if (grow(s, c, c->view->jobs.count) < 0)
        return -1;
    list_profiles(&p);
    const gsp_job *job = c->host->pending(c, &n);
    if (s->depth && n > s->depth)
        n = s->depth;
    build(&p, n);
    keep_promises(&p, job, n);
    for (uint32_t i = 0; i < n; i++)
        plan_job(&p, job[i]);
    return 0;
}

/* ---- state ---- */

static int save(void *self, struct gsp_ctx *c, const struct gsp_sink *out)
{
    const struct state *s = self;
    (void)c;
    if (out->put(out->ctx, TAG_COUNT, &s->cap, sizeof s->cap) < 0)
        return -1;
    if (s->cap == 0)
        return 0;
    if (out->put(out->ctx, TAG_GENERATION, s->generation, s->cap * sizeof *s->generation) < 0)
        return -1;
    return out->put(out->ctx, TAG_START, s->start_ns, s->cap * sizeof *s->start_ns);
}

static int load(void *self, struct gsp_ctx *c, const struct gsp_source *in, uint32_t version)
{
    struct state *s = self;
    uint32_t n = 0;
    (void)version;
    if (in->get(in->ctx, TAG_COUNT, &n, sizeof n) < 0 || n > UINT32_MAX / 2 || grow(s, c, n) < 0)
        return -1;
    if (n == 0)
        return 0;
    if (in->get(in->ctx, TAG_GENERATION, s->generation, n * sizeof *s->generation) < 0)
        return -1;
    return in->get(in->ctx, TAG_START, s->start_ns, n * sizeof *s->start_ns);
}

static const struct gsp_param params[] = {
    {"depth", GSP_INT, "0", "0", "1000000000", NULL, "jobs",
     "jobs that are given a reservation, from the first in order; 0 = all. The others wait"},
    {NULL, GSP_INT, NULL, NULL, NULL, NULL, NULL, NULL},
};

static const struct gsp_ops ops = {
    GSPL_OPS_HEAD,        .create = create, .destroy = destroy,
    .backfill = backfill, .save = save,     .load = load,
};

static const struct gsp_manifest manifest = {
    GSPL_MANIFEST_HEAD,
    .state_version = 1,
    .state_min = 1,
    .caps = GSP_CAP_STATE | GSP_CAP_RESERVES | GSP_CAP_BACKFILL_ALL,
    .needs = GSP_NEED_ESTIMATES,
    .id = "conservative",
    .name = "conservative backfilling",
    .doc = "later jobs may overtake if they delay no job that waits",
    .params = params,
    .ops = &ops,
};

GSPL_QUERY(manifest)

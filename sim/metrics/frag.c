/* frag.c - fragmentation: the free GPU share that the typical task could not use (FGD; Weng et al., ATC'23).
 *
 * Typical tasks: the distinct requests (CPU, share, GPUs, models) of the whole input, most frequent first, until 95 % of all requests
 * are covered; a gang of k tasks counts as k requests. For a node with T milli of GPU free, a typical task of probability p
 * falls into the first class whose test holds:
 *
 *      asks no GPU, CPU ok   xl  p T        | model not allowed here   na  p T        GPUs short, CPU ok     q2  p T
 *      asks no GPU, CPU short xr p T        | GPUs ok, CPU ok          q3  p (T - u)  GPUs short, CPU short  q1  p T
 *                                           | GPUs ok, CPU short       q4  p T
 *
 * where in q3 the free shares that are each too small for the task, u in all, are booked under q2. The fragment is the sum of
 * all but q3. The sums run over the typical tasks in list order and then over the classes q1 q2 q3 q4 xl xr na:
 * scores are truncated from these figures, so the last bit counts. O(typical x devices) a node.
 *
 * The meter keeps the cluster's sum as an integer of 10^-6 milli, one rounded value a node. */
#include "sim/base/fmath.h"
#include "sim/base/map.h"
#include "sim/base/mem.h"
#include "sim/base/sort.h"
#include "sim/metrics/metrics.h"

#include <string.h>

#include "sim/base/banned.h"

enum {
    Q1,
    Q2,
    Q3,
    Q4,
    XL,
    XR,
    NA
};

#define MICRO 1e6 /* meter units a milli */

/* ---- typical tasks ---- */

struct key_ctx {
    const gs_typical_vec *found;
    const struct gs_intern *str;
};

static int same_key(const void *ctx, uint32_t id, const void *key)
{
    const struct gs_typical_task *a = &((const struct key_ctx *)ctx)->found->v[id], *b = key;
    return a->cpus_milli == b->cpus_milli && a->share_milli == b->share_milli &&
           a->gpus == b->gpus && a->model_text == b->model_text;
}

/* Ascending in the key (CPU, share, GPUs, model text). */
static int compare_key(const struct gs_typical_task *a, const struct gs_typical_task *b,
                       const struct gs_intern *str)
{
    const int64_t x[] = {a->cpus_milli, a->share_milli, a->gpus},
                  y[] = {b->cpus_milli, b->share_milli, b->gpus};
    for (size_t i = 0; i < sizeof x / sizeof x[0]; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return strcmp(gs_intern_str(str, a->model_text), gs_intern_str(str, b->model_text));
}

static int most_frequent_first(const void *a, const void *b, const void *ctx)
{
    const struct gs_typical_task *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return -compare_key(x, y, ((const struct key_ctx *)ctx)->str);
}

static void count_request(gs_typical_vec *found, struct gs_map *map, const struct key_ctx *ctx,
                          struct gs_typical_task t)
{
    uint64_t h = gs_hash_mix((uint64_t)t.cpus_milli, (uint64_t)t.gpus << 32 | t.share_milli);
    h = gs_hash_mix(h, t.model_text);
    const uint32_t id = gs_map_find(map, h, same_key, ctx, &t);
    if (id == GS_NONE) {
        gs_map_add(map, h, (uint32_t)found->n);
        gs_vec_push(found, t);
        return;
    }
    found->v[id].count += t.count;
    if (t.mem_mib < found->v[id].mem_mib)
        found->v[id].mem_mib = t.mem_mib;
}

/* Counts `times` requests that are like task i of the job. */
static void count_tasks(gs_typical_vec *found, struct gs_map *map, const struct key_ctx *ctx,
                        const struct gs_job *j, uint32_t i, uint64_t times)
{
    const struct gs_task_ask a = gs_job_task(j, i);
    struct gs_typical_task t = {
        .cpus_milli = a.cpus_milli, .mem_mib = a.mem_mib, .gpus = a.gpus, .count = times};
    t.share_milli = a.gpus ? a.share_milli : 0;
    t.model_text = a.gpus ? j->models : 0;
    count_request(found, map, ctx, t);
}

void gs_typical_build(gs_typical_vec *out, const struct gs_workload *w,
                      uint64_t (*models)(void *ctx, uint32_t text), void *ctx, double coverage)
{
    gs_typical_vec found = {0};
    struct gs_map map = {0};
    const struct key_ctx kc = {&found, w->str};
    uint64_t total = 0, taken = 0;
    for (size_t i = 0; i < w->jobs.n; i++) {
        const struct gs_job *j = &w->jobs.v[i];
        if (j->profile) /* of MIG instances there is a measure of their own */
            continue;
        if (j->tasks > 1)
            count_tasks(&found, &map, &kc, j, 0, j->tasks - 1);
        count_tasks(&found, &map, &kc, j, j->tasks - 1, 1);
        total += j->tasks;
    }
    gs_map_release(&map);
    gs_sort(found.v, found.n, sizeof *found.v, most_frequent_first, &kc);
    gs_vec_clear(out);
    for (size_t i = 0; i < found.n && (double)taken < coverage * (double)total; i++) {
        struct gs_typical_task t = found.v[i];
        taken += t.count;
        t.models = t.model_text && models ? models(ctx, t.model_text) : 0;
        if (t.models == UINT64_MAX)
            t.models = UINT64_C(1) << (GS_MODELS_MAX - 1);
        gs_vec_push(out, t);
    }
    const double covered = total ? (double)taken / (double)total : 1;
    for (size_t i = 0; i < out->n; i++)
        out->v[i].probability = (double)out->v[i].count / (double)total / covered;
    gs_vec_free(&found);
}

/* ---- one node ---- */

static int model_allowed(const struct gs_cluster *c, uint32_t node, const struct gs_typical_task *t)
{
    if (t->model_text == 0 && t->models == 0)
        return 1;
    const uint32_t model = c->node_model[node];
    return model < GS_MODELS_MAX && (t->models >> model & 1);
}

/* Books task t on a node whose devices have free[0..n) milli, total in all. */
static void book(const struct gs_typical_task *t, const uint32_t *free_milli, uint32_t n,
                 double total, int cpu_ok, int allowed, double cls[7])
{
    const double all = t->probability * total;
    if (t->gpus == 0) {
        cls[cpu_ok ? XL : XR] += all;
        return;
    }
    if (!allowed) {
        cls[NA] += all;
        return;
    }
    uint32_t fitting = 0, small = 0;
    for (uint32_t g = 0; g < n; g++) {
        if (free_milli[g] >= t->share_milli)
            fitting++;
        else
            small += free_milli[g];
    }
    if (fitting < t->gpus) {
        cls[cpu_ok ? Q2 : Q1] += all;
    } else if (!cpu_ok) {
        cls[Q4] += all;
    } else {
        cls[Q2] += t->probability * (double)small;
        cls[Q3] += t->probability * (total - (double)small);
    }
}

double gs_frag_node(const struct gs_cluster *c, uint32_t node, const gs_typical_vec *t,
                    struct gs_frag *by_class)
{
    gs_require(node < c->nnodes);
    struct gs_frag f = {{0}};
    const uint32_t n = c->gpu_count[node];
    const uint32_t *free_milli = c->gpu_free_milli + c->gpu_first[node];
    uint64_t total = 0;
    for (uint32_t g = 0; g < n; g++)
        total += free_milli[g];
    if (c->node_up[node] && total > 0)
        for (size_t i = 0; i < t->n; i++)
            book(&t->v[i], free_milli, n, (double)total,
                 c->free_cpus_milli[node] >= t->v[i].cpus_milli, model_allowed(c, node, &t->v[i]),
                 f.cls);
    double sum = 0;
    for (int k = Q1; k <= NA; k++)
        sum += k == Q3 ? 0 : f.cls[k];
    if (by_class)
        *by_class = f;
    return sum;
}

/* ---- the cluster ---- */

struct memo {
    uint32_t gen;
    int known;
    uint32_t stranded; /* idle GPUs of one node, 0 if a typical task that asks for GPUs fits */
    int64_t value;     /* fragment of one node, micro-milli */
};

struct gs_frag_meter {
    struct gs_cluster *c;
    const gs_typical_vec *typical;
    struct memo *memo; /* by class id */
    uint32_t nmemo;
    int64_t sum, stranded;
    uint64_t epoch;
    int known;
    /* once a node was marked */
    int marking;
    int64_t *node_value; /* what the sums hold of each node */
    uint32_t *node_stranded;
    GS_VEC(uint32_t) marked;
    uint8_t *is_marked;
};

struct gs_frag_meter *gs_frag_meter_new(struct gs_cluster *c, const gs_typical_vec *t)
{
    struct gs_frag_meter *m = GS_NEW(struct gs_frag_meter);
    m->c = c;
    m->typical = t;
    return m;
}

void gs_frag_meter_free(struct gs_frag_meter *m)
{
    if (!m)
        return;
    gs_free(m->memo);
    gs_free(m->node_value);
    gs_free(m->node_stranded);
    gs_free(m->is_marked);
    gs_vec_free(&m->marked);
    gs_free(m);
}

static void mark(struct gs_frag_meter *m, uint32_t node)
{
    if (m->is_marked[node])
        return;
    m->is_marked[node] = 1;
    gs_vec_push(&m->marked, node);
}

/* From here on by node: all of them once. */
static void start_marking(struct gs_frag_meter *m)
{
    if (m->marking)
        return;
    m->marking = 1;
    m->node_value = GS_NEW_N(int64_t, m->c->nnodes);
    m->node_stranded = GS_NEW_N(uint32_t, m->c->nnodes);
    m->is_marked = GS_NEW_N(uint8_t, m->c->nnodes);
    m->sum = m->stranded = 0;
    for (uint32_t n = 0; n < m->c->nnodes; n++)
        mark(m, n);
}

void gs_frag_meter_mark(struct gs_frag_meter *m, uint32_t node)
{
    gs_require(node < m->c->nnodes);
    start_marking(m);
    mark(m, node);
}

static void mark_moved(void *ctx, uint32_t node)
{
    mark(ctx, node);
}

void gs_frag_meter_watch(struct gs_frag_meter *m, struct gs_classes *k)
{
    start_marking(m);
    k->moved = mark_moved;
    k->moved_ctx = m;
}

static int typical_fits(const struct gs_classes *k, uint32_t cls, const gs_typical_vec *typical)
{
    for (size_t i = 0; i < typical->n; i++) {
        const struct gs_typical_task *t = &typical->v[i];
        const struct gs_request r = {.gpus = t->gpus,
                                     .share_milli = t->share_milli,
                                     .models = t->models,
                                     .cpus_milli = t->cpus_milli,
                                     .mem_mib = t->mem_mib};
        if (t->gpus && (t->models || !t->model_text) && gs_class_fits(k, cls, &r))
            return 1;
    }
    return 0;
}

/* What is known of the class; computed once for each (class, generation). */
static const struct memo *class_memo(struct gs_frag_meter *m, struct gs_classes *k, uint32_t cls)
{
    if (cls >= m->nmemo) {
        m->memo = gs_resize(m->memo, k->cap, sizeof *m->memo);
        for (uint32_t i = m->nmemo; i < k->cap; i++)
            m->memo[i] = (struct memo){0};
        m->nmemo = k->cap;
    }
    struct memo *e = &m->memo[cls];
    if (!e->known || e->gen != k->cls[cls].gen) {
        const double f = gs_frag_node(m->c, gs_class_lowest(k, cls), m->typical, NULL);
        const struct gs_nclass *x = &k->cls[cls];
        *e = (struct memo){.gen = x->gen,
                           .known = 1,
                           .stranded = x->up && x->free_gpus && !typical_fits(k, cls, m->typical)
                                           ? x->free_gpus
                                           : 0,
                           .value = (int64_t)gs_rint_even(f * MICRO)};
    }
    return e;
}

static void scan_classes(struct gs_frag_meter *m, struct gs_classes *k)
{
    m->sum = m->stranded = 0;
    for (uint32_t i = 0; i < k->nactive; i++) {
        const int64_t members = k->cls[k->active[i]].members;
        const struct memo *e = class_memo(m, k, k->active[i]);
        m->sum += members * e->value;
        m->stranded += members * (int64_t)e->stranded;
    }
}

static void look_at_marked(struct gs_frag_meter *m, struct gs_classes *k)
{
    for (size_t i = 0; i < m->marked.n; i++) {
        const uint32_t n = m->marked.v[i];
        const struct memo *e = class_memo(m, k, k->of[n]);
        m->sum += e->value - m->node_value[n];
        m->stranded += (int64_t)e->stranded - (int64_t)m->node_stranded[n];
        m->node_value[n] = e->value;
        m->node_stranded[n] = e->stranded;
        m->is_marked[n] = 0;
    }
    gs_vec_clear(&m->marked);
}

double gs_frag_meter_value(struct gs_frag_meter *m, struct gs_classes *k)
{
    if (!m->known || m->epoch != m->c->epoch || m->marked.n) {
        gs_classes_sync(k);
        if (m->marking)
            look_at_marked(m, k);
        else
            scan_classes(m, k);
        m->epoch = m->c->epoch;
        m->known = 1;
    }
    return (double)m->sum / MICRO;
}

uint64_t gs_frag_meter_stranded(struct gs_frag_meter *m, struct gs_classes *k,
                                const struct gs_request *pending, size_t npending)
{
    (void)gs_frag_meter_value(m, k);
    int64_t stranded = m->stranded;
    for (uint32_t i = 0; npending && stranded && i < k->nactive; i++) {
        const struct memo *e = class_memo(m, k, k->active[i]);
        size_t p = 0;
        if (!e->stranded)
            continue;
        while (p < npending &&
               (pending[p].gpus == 0 || !gs_class_fits(k, k->active[i], &pending[p])))
            p++;
        if (p < npending)
            stranded -= (int64_t)k->cls[k->active[i]].members * (int64_t)e->stranded;
    }
    return (uint64_t)stranded;
}

/* check.c - what no single value can tell: references, things that exclude each other, bounds on time.
 *
 * Runs after all values are read. Each check blames the key that a reader would change. Chains of parents are followed with a
 * count instead of marks: a walk longer than there are queues has met a cycle. O(queues^2) at worst, and queues are few. */
#include "sim/base/units.h"
#include "sim/scenario/load.h"

#include <string.h>

#include "sim/base/banned.h"

enum {
    DEPTH_MAX = 64 /* levels of queues: every start and end of a job walks up to the root */
};

/* ---- nodes ---- */

/* c = NULL: it cannot be read, which is said already. */
static void check_type(struct gs_load *l, const struct gs_catalog *c, const struct gs_set_nodes *n)
{
    if (c && n->type && !gs_catalog_server(c, n->type)) {
        const char *near = gs_catalog_nearest_server(c, n->type);
        gs_blame(l, "nodes", n->name, "type",
                 "'%s' is not in the catalog of servers%s%s%s (gsim catalog servers lists them)",
                 n->type, near ? ", the nearest is '" : "", near ? near : "", near ? "'" : "");
    }
    if (c && n->gpu && !gs_catalog_gpu(c, n->gpu) && n->gpu_memory_mib < 0) {
        const char *near = gs_catalog_nearest_gpu(c, n->gpu);
        gs_blame(l, "nodes", n->name, "gpu",
                 "'%s' is not in the catalog of GPUs%s%s%s; a model of your own needs gpu_memory",
                 n->gpu, near ? ", the nearest is '" : "", near ? near : "", near ? "'" : "");
    }
}

/* Is word[0..n) one of the levels? */
static int is_level(const char *levels, const char *word, size_t n)
{
    for (const char *p = levels ? levels : ""; *p;) {
        p += strspn(p, " \t,");
        const size_t m = strcspn(p, " \t,");
        if (m == n && memcmp(p, word, n) == 0)
            return 1;
        p += m;
    }
    return 0;
}

static void check_place(struct gs_load *l, const struct gs_set_nodes *n)
{
    for (const char *p = n->place ? n->place : ""; *p;) {
        p += strspn(p, " \t,");
        const size_t m = strcspn(p, " \t,");
        const char *colon = memchr(p, ':', m);
        if (m && (!colon || colon == p || colon == p + m - 1))
            gs_blame(l, "nodes", n->name, "place", "'%.*s' is not LEVEL:NAME",
                     (int)(m > 60 ? 60 : m), p);
        else if (m && !is_level(l->s->levels, p, (size_t)(colon - p)))
            gs_blame(l, "nodes", n->name, "place", "'%.*s' is not among the levels of [network]",
                     (int)(colon - p > 60 ? 60 : colon - p), p);
        p += m;
    }
}

/* A section names a type, a file, or says itself what its machines are. */
static void check_source(struct gs_load *l, struct gs_set_nodes *n)
{
    static const char *const own[] = {"type",   "count", "gpus",      "cpus",
                                      "memory", "gpu",   "gpu_memory"};
    for (size_t i = 0; n->inventory && i < sizeof own / sizeof *own; i++)
        if (gs_load_said(l, "nodes", n->name, own[i]))
            gs_blame(l, "nodes", n->name, own[i],
                     "does not go with inventory, which says it for each node");
    if (n->inventory && !n->format)
        n->format = "openb";
    if (!n->inventory && n->format)
        gs_blame(l, "nodes", n->name, "format", "is the format of an inventory, and there is none");
    if (n->inventory || n->type || gs_load_said(l, "nodes", n->name, "inventory"))
        return;
    if (n->gpus < 0 && n->cpus_milli < 0 && !gs_load_said(l, "nodes", n->name, "gpus") &&
        !gs_load_said(l, "nodes", n->name, "cpus"))
        gs_blame(l, "nodes", n->name, NULL, "needs a type, an inventory, or gpus and cpus");
    if (n->gpus > 0 && !n->gpu)
        gs_blame(l, "nodes", n->name, "gpus", "needs the GPU's model (gpu = ...)");
    n->gpus = n->gpus < 0 ? 0 : n->gpus;
    n->cpus_milli = n->cpus_milli < 0 ? 0 : n->cpus_milli;
    n->memory_mib = n->memory_mib < 0 ? 0 : n->memory_mib;
}

static void check_nodes(struct gs_load *l)
{
    struct gs_catalog catalog = {0};
    struct gs_err err = {0};
    int asked = l->s->catalog != NULL, readable = 1;
    for (size_t i = 0; i < l->s->nodes.n; i++)
        asked |= l->s->nodes.v[i].type || l->s->nodes.v[i].gpu;
    if (asked && gs_catalog_load(&catalog, l->s->catalog, &err) != GS_OK) {
        gs_blame(l, "scenario", "", "catalog", "%s", err.msg);
        readable = 0;
    }
    for (size_t i = 0; i < l->s->nodes.n; i++) {
        struct gs_set_nodes *n = &l->s->nodes.v[i];
        check_source(l, n);
        check_type(l, readable ? &catalog : NULL, n);
        check_place(l, n);
    }
    if (l->s->nodes.n == 0 && !l->jobs_only && gs_ini_find(&l->ini, "nodes", "") == GS_NONE)
        gs_blame(l, "nodes", "", NULL,
                 "the cluster has no nodes: add a section [nodes NAME] with a type and a count");
    gs_catalog_release(&catalog);
}

/* ---- queues ---- */

static const struct gs_set_queue *find_queue(const struct gs_settings *s, const char *name)
{
    for (size_t i = 0; i < s->queues.n; i++)
        if (strcmp(s->queues.v[i].name, name) == 0)
            return &s->queues.v[i];
    return NULL;
}

static const char *nearest_queue(const struct gs_settings *s, const char *name)
{
    GS_VEC(const char *) names = {0};
    for (size_t i = 0; i < s->queues.n; i++)
        gs_vec_push(&names, s->queues.v[i].name);
    const char *near = gs_nearest(name, names.v, names.n);
    gs_vec_free(&names);
    return near;
}

static void blame_queue(struct gs_load *l, const char *kind, const char *name, const char *key,
                        const char *queue)
{
    const char *near = nearest_queue(l->s, queue);
    gs_blame(l, kind, name, key, "there is no [queue %s]%s%s%s", queue,
             near ? ", the nearest is [queue " : "", near ? near : "", near ? "]" : "");
}

/* Blames the queue at `start` if its chain of parents never ends, or is longer than what is walked at each event. */
static void check_chain(struct gs_load *l, const size_t *up, size_t start)
{
    const size_t n = l->s->queues.n;
    size_t steps = 0;
    for (size_t q = up[start]; q < n && steps <= n; q = up[q])
        steps++;
    if (steps > n)
        gs_blame(l, "queue", l->s->queues.v[start].name, "parent",
                 "the chain of parents comes back to itself");
    else if (steps == DEPTH_MAX) /* those below it would say the same once more */
        gs_blame(l, "queue", l->s->queues.v[start].name, "parent",
                 "is %d levels down: a tree of queues has at most %d", DEPTH_MAX + 1, DEPTH_MAX);
}

static void check_queues(struct gs_load *l)
{
    const size_t n = l->s->queues.n;
    size_t *up = GS_NEW_N(size_t, n + 1); /* n = no parent */
    for (size_t i = 0; i < n; i++) {
        const struct gs_set_queue *q = &l->s->queues.v[i];
        const struct gs_set_queue *parent = q->parent ? find_queue(l->s, q->parent) : NULL;
        up[i] = parent ? (size_t)(parent - l->s->queues.v) : n;
        if (q->parent && !parent)
            blame_queue(l, "queue", q->name, "parent", q->parent);
    }
    for (size_t i = 0; i < n; i++)
        check_chain(l, up, i);
    gs_free(up);
}

/* A queue that a workload names must be there, once the scenario has queues at all (otherwise it is made by its name). */
static void check_reference(struct gs_load *l, const char *kind, const char *name,
                            const char *queue)
{
    if (queue && l->s->queues.n && strcmp(queue, "default") != 0 && !find_queue(l->s, queue))
        blame_queue(l, kind, name, "queue", queue);
}

/* ---- jobs ---- */

static void check_traces(struct gs_load *l)
{
    for (size_t i = 0; i < l->s->traces.n; i++) {
        const struct gs_set_trace *t = &l->s->traces.v[i];
        if (!t->o.path && !gs_load_said(l, "trace", t->name, "file"))
            gs_blame(l, "trace", t->name, NULL, "needs a file");
        if (t->o.from_ns != GS_NEVER && t->o.to_ns != GS_NEVER && t->o.from_ns >= t->o.to_ns)
            gs_blame(l, "trace", t->name, "to", "is not after from");
        if (gs_load_said(l, "trace", t->name, "method") &&
            !gs_load_said(l, "trace", t->name, "load"))
            gs_blame(l, "trace", t->name, "method", "says how, but no load says how much");
        check_reference(l, "trace", t->name, t->o.queue);
    }
}

static int is_number(const char *text)
{
    return text[strspn(text, "0123456789")] == '\0';
}

static void check_workload(struct gs_load *l, struct gs_set_workload *w)
{
    struct gs_synth *s = &w->s;
    const int64_t horizon = l->s->horizon_ns;
    gs_check_training(l, w);
    if (!w->t.model && !s->duration && s->classes.n == 0 &&
        !gs_load_said(l, "workload", w->name, "duration"))
        gs_blame(l, "workload", w->name, NULL, "needs a duration");
    if (s->to_ns != GS_NEVER && s->from_ns >= s->to_ns)
        gs_blame(l, "workload", w->name, "to", "is not after from");
    if (s->share && s->gpus && strcmp(s->gpus, "1") != 0 && is_number(s->gpus))
        gs_blame(l, "workload", w->name, "share", "is a part of one GPU and does not go with gpus");
    if (!s->arrivals && !s->after && s->count < 0 &&
        !gs_load_said(l, "workload", w->name, "arrivals") &&
        !gs_load_said(l, "workload", w->name, "count"))
        gs_blame(l, "workload", w->name, NULL,
                 "needs arrivals, or a count of jobs that arrive at once");
    else if (s->arrivals && s->count < 0 && s->to_ns == GS_NEVER && horizon == GS_NEVER &&
             !gs_load_said(l, "workload", w->name, "to") &&
             !gs_load_said(l, "workload", w->name, "count") &&
             !gs_load_said(l, "scenario", "", "horizon"))
        gs_blame(
            l, "workload", w->name, "arrivals",
            "have neither count nor to, so a horizon is required (horizon = 7d in [scenario])");
    if (s->arrivals && (s->to_ns == GS_NEVER || s->to_ns > horizon))
        s->to_ns = horizon; /* arrivals stop there */
    check_reference(l, "workload", w->name, s->queue);
}

static void check_jobs(struct gs_load *l)
{
    check_traces(l);
    for (size_t i = 0; i < l->s->workloads.n; i++)
        check_workload(l, &l->s->workloads.v[i]);
    if (l->s->traces.n + l->s->workloads.n + l->s->calls.n == 0 && !l->s->state_from)
        gs_blame(l, "workload", "", NULL,
                 "there is nothing to run: add a section [trace NAME] or [workload NAME]");
}

/* ---- time, expectations ---- */

static void check_time(struct gs_load *l)
{
    const struct gs_settings *s = l->s;
    if (s->warmup_ns >= s->horizon_ns)
        gs_blame(l, "scenario", "", "warmup", "is not before the horizon");
    if (s->measure == GS_MEASURE_RANGE && s->measure_from >= s->horizon_ns)
        gs_blame(l, "scenario", "", "measure", "begins after the horizon");
}

static void check_expectations(struct gs_load *l)
{
    const uint32_t section = gs_ini_find(&l->ini, "expect", "");
    if (section == GS_NONE)
        return;
    gs_effective_section(l, "expect", "");
    for (uint32_t i = l->begin[section]; i < l->begin[section + 1]; i++) {
        const struct gs_ini_entry *e = &l->ini.entries.v[l->order[i]];
        const char *after = strrchr(e->value, '}'); /* a selector holds '=' of its own */
        after = after ? after : e->value;
        const char *sign = strpbrk(after, "<>=");
        if (!sign || sign == e->value || sign[1 + strspn(sign + 1, "= ")] == '\0')
            gs_problem(&l->problems, &e->at, 0,
                       "[expect] not an expression (write jobs.wait.p95 <= 30m)");
        gs_vec_push(&l->s->expect, e->value);
        gs_effective_entry(l, NULL, e);
    }
}

void gs_check_all(struct gs_load *l)
{
    check_nodes(l);
    check_queues(l);
    check_jobs(l);
    check_time(l);
    check_expectations(l);
}

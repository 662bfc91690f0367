/* failures.c - lifetimes and repairs as events; which nodes are spares; failures of jobs as an effect. O(1) a failure, besides the outage. */
#include "sim/failures.h"

#include "sim/base/rng.h"
#include "sim/effects/effects.h"
#include "sim/failures_network.h"
#include "sim/life.h"
#include "sim/outage.h"
#include "traces/synth/synth.h"

#include <math.h>
#include <string.h>

/* What fails: 2 s is the class of the stream of its lifetimes, and the event of a failure; 2 s + 1 that of repairs. Append only. */
enum subject {
    S_NODE,
    S_GPU,
    S_GROUP,
    S_CABLE,  /* of a NIC */
    S_SWITCH, /* a leaf */
    S_COUNT
};

/* Classes of streams, and events, of the other things. */
enum {
    S_JOB = 16,
    S_RESTART,
    S_SPARE,
    S_LOGGED,
    S_WHY
};

struct kind {
    struct gs_dist *life, *repair; /* s; NULL = never, at once */
};

struct logged { /* a row of a failure log */
    int64_t at_ns, for_ns;
    uint32_t node, gpu, cause;
};

struct weight {
    uint32_t cause; /* string id */
    double count;
};

struct gs_failures {
    struct kind kind[S_COUNT];
    struct gs_failing_network net;
    struct gs_dist *restart;
    double job_gpu_s;         /* mean GPU-seconds of a job between its own failures; 0 = none */
    uint32_t level;           /* of groups; GS_NONE = each node is one */
    GS_VEC(uint32_t) group;   /* string ids of the groups at that level, or nodes */
    uint32_t *times[S_COUNT]; /* [subjects] failures so far */
    uint32_t *row[S_COUNT];   /* [subjects] open outage, of a group its first */
    GS_VEC(struct logged) log;
    uint32_t *log_row; /* [log] */
    uint32_t spares;
    int64_t spare_delay_ns;
    GS_VEC(uint32_t) spare;    /* outage rows of nodes that are kept ready */
    GS_VEC(struct weight) why; /* causes of jobs' own failures, as often as a preset saw them */
    double why_sum;
};

static const char *const causes[S_COUNT] = {"node failure", "GPU failure", "failure of its group",
                                            "cable failure", "switch failure"};

/* ---- draws ---- */

static int64_t draw_ns(const struct gs_run *r, const struct gs_dist *d, uint32_t cls,
                       uint32_t entity, uint32_t times)
{
    struct gs_stream s;
    if (!d)
        return 0;
    gs_stream_init(&s, gs_mix64(r->seed, times), GS_RNG_FAILURE, cls, entity);
    const double x = gs_dist_draw(d, &s);
    return x <= 0 ? 0 : x < 9e9 ? (int64_t)(x * 1e9 + 0.5) : GS_NEVER;
}

static void schedule(struct gs_run *r, int64_t in_ns, uint32_t what, uint32_t id)
{
    if (in_ns < GS_NEVER - r->eng.now_ns)
        (void)gs_background_at(r, r->eng.now_ns + in_ns, GS_EV_FAILURE, id, what);
}

static uint32_t count_of(const struct gs_run *r, enum subject s)
{
    if (s == S_GROUP)
        return (uint32_t)r->failures->group.n;
    if (s == S_CABLE || s == S_SWITCH)
        return (uint32_t)(s == S_CABLE ? r->failures->net.cable.n : r->failures->net.leaf.n);
    return s == S_NODE ? r->cluster.nnodes : r->cluster.ngpus;
}

static void schedule_failure(struct gs_run *r, enum subject s, uint32_t id)
{
    const struct gs_failures *f = r->failures;
    schedule(r, draw_ns(r, f->kind[s].life, 2u * s, id, f->times[s][id]), 2u * s, id);
}

double gs_failures_mtbf_s(const struct gs_run *r, uint32_t nodes, uint32_t devices)
{
    const struct gs_failures *f = r->failures;
    double rate = 0;
    if (f && f->kind[S_NODE].life)
        rate += nodes / gs_dist_mean(f->kind[S_NODE].life);
    if (f && f->kind[S_GPU].life)
        rate += devices / gs_dist_mean(f->kind[S_GPU].life);
    if (f && f->kind[S_GROUP].life) /* as if all its nodes were in one */
        rate += 1 / gs_dist_mean(f->kind[S_GROUP].life);
    if (f && f->job_gpu_s > 0)
        rate += devices / f->job_gpu_s;
    return rate > 0 ? 1 / rate : (double)INFINITY;
}

double gs_failures_restart_s(const struct gs_run *r, uint32_t job, uint32_t attempt)
{
    if (!r->failures || !r->failures->restart || attempt < 2)
        return 0;
    return (double)draw_ns(r, r->failures->restart, S_RESTART, job, attempt) / 1e9;
}

int gs_failures_restarts(const struct gs_run *r)
{
    return r->failures && r->failures->restart;
}

/* ---- spares ---- */

static uint32_t keep_ready(struct gs_run *r, uint32_t node)
{
    return gs_outage_begin(r, (struct gs_outage){.kind = GS_OUTAGE_DRAIN,
                                                 .planned = 1,
                                                 .node = node,
                                                 .gpu = GS_NONE,
                                                 .link = GS_NONE,
                                                 .cause = gs_intern(&r->str, "spare")});
}

static int is_ready(const struct gs_run *r, uint32_t row)
{
    return r->cluster.node_state[r->outages.v[row].node] == GS_NODE_DRAINING;
}

static int is_spare(const struct gs_run *r, uint32_t node)
{
    const struct gs_failures *f = r->failures;
    for (size_t i = 0; i < f->spare.n; i++)
        if (r->outages.v[f->spare.v[i]].node == node)
            return 1;
    return 0;
}

/* A node has failed: the first spare that is not itself out takes its place after the delay. */
static void call_spare(struct gs_run *r)
{
    struct gs_failures *f = r->failures;
    size_t i = 0;
    while (i < f->spare.n && !is_ready(r, f->spare.v[i]))
        i++;
    if (i == f->spare.n)
        return;
    schedule(r, f->spare_delay_ns, 2 * S_SPARE, f->spare.v[i]);
    f->spare.n--;
    memmove(f->spare.v + i, f->spare.v + i + 1, (f->spare.n - i) * sizeof *f->spare.v);
}

/* A node is back: where spares are short of their number, it becomes one. O(spares). */
static void settle_spare(struct gs_run *r, uint32_t node)
{
    struct gs_failures *f = r->failures;
    if (f->spare.n < f->spares && !is_spare(r, node) && r->cluster.node_state[node] == GS_NODE_UP)
        gs_vec_push(&f->spare, keep_ready(r, node));
}

/* ---- outages ---- */

static struct gs_outage outage_of(struct gs_run *r, enum subject s, uint32_t node, uint32_t gpu)
{
    return (struct gs_outage){.kind = s == S_GPU ? GS_OUTAGE_GPU : GS_OUTAGE_NODE,
                              .node = node,
                              .gpu = gpu,
                              .link = GS_NONE,
                              .cause = gs_intern(&r->str, causes[s])};
}

static int in_group(const struct gs_run *r, uint32_t node, uint32_t group)
{
    const struct gs_failures *f = r->failures;
    const uint32_t of = f->level == GS_NONE ? node : r->cluster.level[f->level][node];
    return of == f->group.v[group];
}

static void node_fails(struct gs_run *r, enum subject s, uint32_t node)
{
    const int working = r->cluster.node_state[node] == GS_NODE_UP;
    (void)gs_outage_begin(r, outage_of(r, s, node, GS_NONE));
    if (working)
        call_spare(r);
}

static void fail(struct gs_run *r, enum subject s, uint32_t id)
{
    struct gs_failures *f = r->failures;
    const uint32_t times = f->times[s][id]++;
    f->row[s][id] = (uint32_t)r->outages.n;
    if (s == S_NODE) {
        node_fails(r, s, id);
    } else if (s == S_GPU) {
        (void)gs_outage_begin(r, outage_of(r, s, r->cluster.gpu_node[id], id));
    }
    for (uint32_t n = 0; s == S_GROUP && n < r->cluster.nnodes; n++)
        if (in_group(r, n, id))
            node_fails(r, s, n);
    schedule(r, draw_ns(r, f->kind[s].repair, 2u * s + 1, id, times), 2u * s + 1, id);
}

static void repair(struct gs_run *r, enum subject s, uint32_t id)
{
    uint32_t row = r->failures->row[s][id];
    if (s == S_GROUP) {
        for (uint32_t n = 0; n < r->cluster.nnodes; n++)
            if (in_group(r, n, id)) {
                gs_outage_end(r, row++);
                settle_spare(r, n);
            }
    } else {
        gs_outage_end(r, row);
    }
    if (s == S_NODE)
        settle_spare(r, id);
    schedule_failure(r, s, id);
}

static void logged(struct gs_run *r, uint32_t i, int over)
{
    struct gs_failures *f = r->failures;
    const struct logged *l = &f->log.v[i];
    if (over) {
        gs_outage_end(r, f->log_row[i]);
        if (l->gpu == GS_NONE)
            settle_spare(r, l->node);
        return;
    }
    const int working =
        l->gpu == GS_NONE && r->cluster.node_state[l->node] == GS_NODE_UP; /* before */
    f->log_row[i] = gs_outage_begin(
        r, (struct gs_outage){.kind = l->gpu == GS_NONE ? GS_OUTAGE_NODE : GS_OUTAGE_GPU,
                              .node = l->node,
                              .gpu = l->gpu,
                              .link = GS_NONE,
                              .cause = l->cause});
    schedule(r, l->for_ns, 2 * S_LOGGED + 1, i);
    if (working)
        call_spare(r);
}

/* A cable of a NIC or a leaf switch: jobs wait for it. */
static void network_event(struct gs_run *r, enum subject s, uint32_t id, int over)
{
    struct gs_failures *f = r->failures;
    if (over) {
        if (s == S_SWITCH)
            gs_switch_returns(r, f->net.leaf.v[id], f->row[s][id]);
        else
            gs_outage_end(r, f->row[s][id]);
        schedule_failure(r, s, id);
        return;
    }
    const uint32_t times = f->times[s][id]++;
    f->row[s][id] = (uint32_t)r->outages.n;
    if (s == S_SWITCH)
        gs_switch_fails(r, f->net.leaf.v[id], causes[s]);
    else
        gs_cable_fails(r, f->net.cable.v[id], causes[s]);
    schedule(r, draw_ns(r, f->kind[s].repair, 2u * s + 1, id, times), 2u * s + 1, id);
}

enum gs_rc gs_failures_on_event(void *world, const struct gs_event *ev, uint64_t *result,
                                struct gs_err *err)
{
    struct gs_run *r = world;
    const uint32_t s = ev->object / 2, over = ev->object % 2;
    (void)result;
    (void)err;
    gs_background_done(r);
    if (s == S_LOGGED)
        logged(r, ev->subject, (int)over);
    else if (s == S_SPARE)
        gs_outage_end(r, ev->subject);
    else if (s == S_CABLE || s == S_SWITCH)
        network_event(r, (enum subject)s, ev->subject, (int)over);
    else if (over)
        repair(r, (enum subject)s, ev->subject);
    else
        fail(r, (enum subject)s, ev->subject);
    return GS_OK;
}

void gs_failures_begin(struct gs_run *r)
{
    struct gs_failures *f = r->failures;
    if (!f)
        return;
    for (int s = 0; s < S_COUNT; s++)
        for (uint32_t i = 0; f->kind[s].life && i < count_of(r, (enum subject)s); i++)
            schedule_failure(r, (enum subject)s, i);
    for (uint32_t i = 0; i < f->log.n; i++)
        schedule(r, f->log.v[i].at_ns, 2 * S_LOGGED, i);
    for (uint32_t i = 0; i < f->spares; i++)
        gs_vec_push(&f->spare, keep_ready(r, r->cluster.nnodes - f->spares + i));
}

/* ---- reading ---- */

/* Published failures: where in the catalog's table they stand, and what they were counted over. */
static const struct preset {
    const char *name, *cluster, *item;
    double
        gpu_days; /* that the count is over: failures of jobs by device; 0 = a rate of nodes, per 1,000 node-days */
} presets[] = {
    {"llama3", "Llama 3 405B", "unexpected interruptions", 54.0 * 16384},
    {"rsc-1", "Meta RSC-1", "node failure rate", 0},
    {"rsc-2", "Meta RSC-2", "node failure rate", 0},
    {"lablup-b200", "Lablup B200", "failures", 55.0 * 504},
};

/* The row's causes, and whether all that is taken from the table was read in its source. */
static void take_causes(struct gs_run *r, const struct preset *p)
{
    static const char prefix[] = "cause: ";
    struct gs_failures *f = r->failures;
    for (size_t i = 0; i < r->catalog.nfailures; i++) {
        const struct gs_failure_fact *c = &r->catalog.failures[i];
        const int is_cause = strncmp(c->item, prefix, sizeof prefix - 1) == 0;
        if (strcmp(c->cluster, p->cluster) != 0 || (!is_cause && strcmp(c->item, p->item) != 0))
            continue;
        r->unverified_failures += c->confidence == 'C';
        if (!is_cause || !(c->value > 0))
            continue;
        gs_vec_push(&f->why,
                    ((struct weight){gs_intern(&r->str, c->item + sizeof prefix - 1), c->value}));
        f->why_sum += c->value;
    }
}

static enum gs_rc take_preset(struct gs_run *r, const char *name, struct gs_err *err)
{
    struct gs_failures *f = r->failures;
    const struct preset *p = NULL;
    double value = 0;
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (strcmp(presets[i].name, name) == 0)
            p = &presets[i];
    if (!p)
        return gs_fail(err, GS_E_INPUT,
                       "'%s' is not a preset (known: llama3, rsc-1, rsc-2, lablup-b200)", name);
    gs_catalog_need(&r->catalog, GS_CATALOG_FAILURES);
    for (size_t i = 0; i < r->catalog.nfailures; i++)
        if (strcmp(r->catalog.failures[i].cluster, p->cluster) == 0 &&
            strcmp(r->catalog.failures[i].item, p->item) == 0)
            value = r->catalog.failures[i].value;
    if (!(value > 0))
        return gs_fail(err, GS_E_INPUT, "preset: the catalog's failures have no '%s, %s'",
                       p->cluster, p->item);
    take_causes(r, p);
    if (r->unverified_failures)
        gs_note(r->log, "failures of %s: %llu figures of the catalog are UNVERIFIED", name,
                (unsigned long long)r->unverified_failures);
    if (p->gpu_days > 0) {
        f->job_gpu_s = f->job_gpu_s > 0 ? f->job_gpu_s : p->gpu_days * 86400 / value;
        return GS_OK;
    }
    char text[64];
    if (f->kind[S_NODE].life)
        return GS_OK;
    (void)gs_fmt(text, sizeof text, "exponential mean=%.0fs", 1000 * 86400 / value);
    return gs_dist_parse(text, GS_DIM_TIME, ".", &r->text, &f->kind[S_NODE].life, err);
}

static enum gs_rc take_groups(struct gs_run *r, const char *level, struct gs_err *err)
{
    struct gs_failures *f = r->failures;
    const struct gs_cluster *c = &r->cluster;
    f->level = GS_NONE;
    if (strcmp(level, "node") == 0) { /* each by itself */
        for (uint32_t n = 0; n < c->nnodes; n++)
            gs_vec_push(&f->group, n);
        return GS_OK;
    }
    for (f->level = 0; f->level < c->nlevels; f->level++)
        if (strcmp(gs_intern_str(&r->str, c->level_name[f->level]), level) == 0)
            break;
    if (f->level == c->nlevels)
        return gs_fail(err, GS_E_INPUT,
                       "level: '%s' is not node or a level of the topology ([network])", level);
    for (uint32_t n = 0; n < c->nnodes; n++) {
        const uint32_t g = c->level[f->level][n];
        size_t i = f->group.n; /* groups stand together: look from the end */
        while (i > 0 && f->group.v[i - 1] != g)
            i--;
        if (i == 0)
            gs_vec_push(&f->group, g);
    }
    return GS_OK;
}

static enum gs_rc parse(struct gs_run *r, const char *key, const char *text, const char *dir,
                        struct gs_dist **out, struct gs_err *err)
{
    if (!text)
        return GS_OK;
    return gs_dist_parse(text, GS_DIM_TIME, dir, &r->text, out, err) ? gs_wrap(err, "%s", key)
                                                                     : GS_OK;
}

static enum gs_rc take_network(struct gs_run *r, const struct gs_set_failures *s, const char *dir,
                               struct gs_err *err)
{
    struct gs_failures *f = r->failures;
    if (!s->link && !s->leaf_switch)
        return GS_OK;
    if (r->topology)
        gs_failing_network_find(&f->net, r);
    if (!f->net.cable.n)
        return gs_fail(err, GS_E_INPUT,
                       "link and switch need a network with switches: [network] kind");
    enum gs_rc rc = parse(r, "link", s->link, dir, &f->kind[S_CABLE].life, err);
    if (!rc)
        rc = parse(r, "link_repair", s->link_repair, dir, &f->kind[S_CABLE].repair, err);
    if (!rc)
        rc = parse(r, "switch", s->leaf_switch, dir, &f->kind[S_SWITCH].life, err);
    if (!rc)
        rc = parse(r, "switch_repair", s->switch_repair, dir, &f->kind[S_SWITCH].repair, err);
    return rc;
}

enum gs_rc gs_failures_load(struct gs_run *r, const struct gs_set_failures *s, const char *dir,
                            struct gs_err *err)
{
    if (!s->said)
        return GS_OK;
    struct gs_failures *f = GS_NEW(struct gs_failures);
    r->failures = f;
    r->cluster.gpu_health = gs_zalloc(r->cluster.ngpus + 1u, 1);
    f->spares = (uint32_t)s->spares;
    f->spare_delay_ns = s->spare_delay_ns;
    r->retries = s->retries;
    f->job_gpu_s = (double)s->gpu_hours_ns / 1e9;
    enum gs_rc rc = parse(r, "node", s->node, dir, &f->kind[S_NODE].life, err);
    if (!rc)
        rc = parse(r, "node_repair", s->node_repair, dir, &f->kind[S_NODE].repair, err);
    if (!rc)
        rc = parse(r, "gpu", s->gpu, dir, &f->kind[S_GPU].life, err);
    if (!rc)
        rc = parse(r, "gpu_repair", s->gpu_repair, dir, &f->kind[S_GPU].repair, err);
    if (!rc)
        rc = parse(r, "group", s->group, dir, &f->kind[S_GROUP].life, err);
    if (!rc)
        rc = parse(r, "group_repair", s->group_repair, dir, &f->kind[S_GROUP].repair, err);
    if (!rc)
        rc = take_network(r, s, dir, err);
    if (!rc)
        rc = parse(r, "restart", s->restart, dir, &f->restart, err);
    if (!rc && s->preset)
        rc = take_preset(r, s->preset, err);
    if (!rc && s->group)
        rc = take_groups(r, s->level ? s->level : "rack", err);
    if (!rc && s->log)
        rc = gs_failures_log(r, s->log, s->log_shown, err);
    if (!rc && f->spares >= r->cluster.nnodes)
        rc = gs_fail(err, GS_E_INPUT, "spares: %u of %u nodes would leave none to work", f->spares,
                     r->cluster.nnodes);
    for (int k = 0; k < S_COUNT && !rc; k++) {
        f->times[k] = GS_NEW_N(uint32_t, count_of(r, (enum subject)k) + 1u);
        f->row[k] = GS_NEW_N(uint32_t, count_of(r, (enum subject)k) + 1u);
    }
    f->log_row = GS_NEW_N(uint32_t, f->log.n + 1);
    return rc ? gs_wrap(err, "[failures]") : GS_OK;
}

void gs_failures_add(struct gs_run *r, const struct gs_failure_row *row)
{
    gs_vec_push(&r->failures->log,
                ((struct logged){row->at_ns, row->for_ns, row->node, row->gpu, row->cause}));
}

void gs_failures_release(struct gs_run *r)
{
    struct gs_failures *f = r->failures;
    if (!f)
        return;
    for (int k = 0; k < S_COUNT; k++) {
        gs_free(f->times[k]);
        gs_free(f->row[k]);
    }
    gs_vec_free(&f->group);
    gs_failing_network_release(&f->net);
    gs_vec_free(&f->log);
    gs_vec_free(&f->spare);
    gs_vec_free(&f->why);
    gs_free(f->log_row);
    gs_free(r->cluster.gpu_health);
    r->cluster.gpu_health = NULL;
    gs_free(f);
    r->failures = NULL;
}

/* ---- jobs that fail by themselves ---- */

static void job_starts(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n)
{
    const uint32_t job = r->live.id[slot];
    struct gs_stream s;
    uint32_t devices = 0;
    for (uint32_t i = 0; i < n; i++)
        devices += held[i].gpu != GS_NONE;
    if (!devices)
        return;
    gs_stream_init(&s, gs_mix64(r->seed, r->live.attempts[slot]), GS_RNG_FAILURE, S_JOB, job);
    const double x = gs_exponential(&s, r->failures->job_gpu_s / devices);
    if (x < 9e9)
        (void)gs_effect_at(r, GS_EFFECT_FAILURE, slot, r->eng.now_ns + (int64_t)(x * 1e9 + 0.5), 0);
}

static uint32_t draw_cause(struct gs_run *r, uint32_t slot)
{
    const struct gs_failures *f = r->failures;
    struct gs_stream s;
    if (!f->why.n)
        return gs_intern(&r->str, "failed by itself");
    gs_stream_init(&s, gs_mix64(r->seed, r->live.attempts[slot]), GS_RNG_FAILURE, S_WHY,
                   r->live.id[slot]);
    double x = gs_unit(&s) * f->why_sum;
    size_t i = 0;
    while (i + 1 < f->why.n && x >= f->why.v[i].count)
        x -= f->why.v[i++].count;
    return f->why.v[i].cause;
}

static void job_fails(struct gs_run *r, uint32_t slot, uint32_t code)
{
    (void)code;
    gs_sharing_fault(r, slot);
    gs_life_fail(r, slot, draw_cause(r, slot), 0);
    gs_life_freed(r);
}

static enum gs_rc prepare(struct gs_run *r, int *on, struct gs_err *err)
{
    (void)err;
    *on = r->failures && r->failures->job_gpu_s > 0;
    return GS_OK;
}

const struct gs_effect gs_effect_failure = {
    .name = "failure", .prepare = prepare, .start = job_starts, .event = job_fails};

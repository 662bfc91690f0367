/* outage.c - counts what keeps each node and device from being used, and makes the ledger say the same. */
#include "sim/outage.h"

#include "sim/effects/power.h"
#include "sim/life.h"

#include <string.h>

struct gs_outage_state {
    uint16_t (*node)[GS_OUTAGE_KIND_COUNT]; /* [nodes] open outages of each kind */
    uint16_t *gpu;                          /* [devices] */
    int64_t *up_since_ns;                   /* [nodes] -1 = not up */
    GS_VEC(struct gs_node_life) lives;      /* that are over */
    GS_VEC(uint32_t) hit;                   /* slots of jobs that an outage stops */
};

static struct gs_outage_state *state_of(struct gs_run *r)
{
    if (!r->outage_state) {
        struct gs_outage_state *s = GS_NEW(struct gs_outage_state);
        s->node = gs_zalloc(r->cluster.nnodes, sizeof *s->node);
        s->up_since_ns = GS_NEW_N(int64_t, r->cluster.nnodes + 1);
        s->gpu = gs_zalloc(r->cluster.ngpus ? r->cluster.ngpus : 1, sizeof *s->gpu);
        r->outage_state = s;
    }
    return r->outage_state;
}

void gs_outage_tell_capacity(struct gs_run *r)
{
    gs_metrics_capacity(r->m, r->eng.now_ns, r->cluster.total_gpus * 1000);
    gs_metrics_owned(r->m, r->eng.now_ns, r->cluster.owned_gpus * 1000);
}

/* ---- the jobs of a node, or of a device ---- */

static int holds(const struct gs_run *r, uint32_t task, uint32_t gpu)
{
    const uint32_t first = r->live.task_claim[task];
    for (uint32_t row = first; row != GS_NONE; row = r->cluster.claim[row].next)
        if (r->cluster.claim[row].gpu == gpu)
            return 1;
    return 0;
}

/* Slots of the jobs with a task on the node (gpu GS_NONE), or on that device of it; each once, in order of slots. */
static void find_jobs(struct gs_run *r, uint32_t node, uint32_t gpu)
{
    struct gs_outage_state *s = state_of(r);
    s->hit.n = 0;
    for (uint32_t slot = 0; slot < r->live.njobs; slot++) {
        if (r->live.state[slot] != GSP_JOB_RUNNING)
            continue;
        const uint32_t first = r->live.task_first[slot];
        for (uint32_t t = first; t < first + r->live.task_count[slot]; t++) {
            if (r->live.task_node[t] != node || (gpu != GS_NONE && !holds(r, t, gpu)))
                continue;
            gs_vec_push(&s->hit, slot);
            break;
        }
    }
}

static void stop_jobs(struct gs_run *r, const struct gs_outage *o)
{
    find_jobs(r, o->node, o->gpu);
    for (size_t i = 0; i < r->outage_state->hit.n; i++)
        gs_life_fail(r, r->outage_state->hit.v[i], o->cause, o->planned);
}

/* ---- states ---- */

static enum gs_node_state wanted(const struct gs_run *r, uint32_t node)
{
    const uint16_t *n = r->outage_state->node[node];
    if (n[GS_OUTAGE_ABSENT])
        return GS_NODE_ABSENT;
    if (n[GS_OUTAGE_NODE])
        return GS_NODE_DOWN;
    return n[GS_OUTAGE_DRAIN] ? GS_NODE_DRAINING : GS_NODE_UP;
}

static void note_life(struct gs_run *r, uint32_t node, int up)
{
    struct gs_outage_state *s = r->outage_state;
    int64_t *since = &s->up_since_ns[node];
    if (up == (*since >= 0))
        return;
    if (!up && *since < r->eng.now_ns)
        gs_vec_push(&s->lives, ((struct gs_node_life){node, *since, r->eng.now_ns}));
    *since = up ? r->eng.now_ns : -1;
}

const struct gs_node_life *gs_outage_lives(struct gs_run *r, int64_t end_ns, size_t *n)
{
    struct gs_outage_state *s = r->outage_state;
    *n = 0;
    if (!s)
        return NULL;
    for (uint32_t i = 0; i < r->cluster.nnodes; i++) {
        if (s->up_since_ns[i] >= 0)
            gs_vec_push(&s->lives, ((struct gs_node_life){i, s->up_since_ns[i], end_ns}));
        s->up_since_ns[i] = -1;
    }
    gs_vec_reserve(&s->lives, 1); /* not NULL */
    *n = s->lives.n;
    return s->lives.v;
}

static void apply(struct gs_run *r, uint32_t node, const struct gs_outage *why)
{
    const enum gs_node_state to = wanted(r, node);
    const enum gs_node_state from = (enum gs_node_state)r->cluster.node_state[node];
    if (to == from)
        return;
    if (to < GS_NODE_DRAINING)
        stop_jobs(r, why);
    gs_verify(gs_ledger_node_state(&r->cluster, node, to) == GS_GRANTED);
    note_life(r, node, to >= GS_NODE_DRAINING);
    gs_power_node_state(r, node);
    if (from == GS_NODE_UP || to == GS_NODE_UP)
        gs_host_node(r->host, node, to == GS_NODE_UP, r->eng.now_ns);
}

static void apply_gpu(struct gs_run *r, const struct gs_outage *o)
{
    const int up = r->outage_state->gpu[o->gpu] == 0;
    if (!up && r->cluster.gpu_up[o->gpu])
        stop_jobs(r, o);
    gs_verify(gs_ledger_gpu_up(&r->cluster, o->gpu, up) == GS_GRANTED);
    if (r->cluster.gpu_health)
        r->cluster.gpu_health[o->gpu] = up ? GSP_HEALTH_PASS : GSP_HEALTH_FAIL;
    gs_host_node(r->host, o->node, up, r->eng.now_ns);
}

static void change(struct gs_run *r, const struct gs_outage *o, int by)
{
    struct gs_outage_state *s = state_of(r);
    if (o->kind == GS_OUTAGE_LINK) { /* nobody's capacity */
        gs_network_cable_up(r, o->link, by < 0);
        return;
    }
    if (o->kind == GS_OUTAGE_GPU) {
        s->gpu[o->gpu] = (uint16_t)(s->gpu[o->gpu] + by);
        apply_gpu(r, o);
    } else if (o->node != GS_NONE) {
        s->node[o->node][o->kind] = (uint16_t)(s->node[o->node][o->kind] + by);
        apply(r, o->node, o);
    }
    gs_outage_tell_capacity(r);
    gs_run_want_pass(r);
    r->measure_due = r->eng.pass_pending;
    if (!r->measure_due)
        gs_run_measure_capacity(r);
}

uint32_t gs_outage_begin(struct gs_run *r, struct gs_outage o)
{
    o.start_ns = r->eng.now_ns;
    o.end_ns = -1;
    gs_vec_push(&r->outages, o);
    change(r, &o, 1);
    return (uint32_t)(r->outages.n - 1);
}

void gs_outage_end(struct gs_run *r, uint32_t row)
{
    struct gs_outage *o = &r->outages.v[row];
    gs_require(o->end_ns < 0);
    o->end_ns = r->eng.now_ns;
    const struct gs_outage was = *o;
    change(r, &was, -1);
}

void gs_outage_release(struct gs_run *r)
{
    gs_vec_free(&r->outages);
    gs_vec_free(&r->stops);
    if (!r->outage_state)
        return;
    gs_free(r->outage_state->node);
    gs_free(r->outage_state->gpu);
    gs_free(r->outage_state->up_since_ns);
    gs_vec_free(&r->outage_state->lives);
    gs_vec_free(&r->outage_state->hit);
    gs_free(r->outage_state);
    r->outage_state = NULL;
}

/* ---- the background ---- */

/* So many events of the background in a row, with jobs waiting and nothing else to come: nobody will ever start them. */
#define BACKGROUND_PATIENCE 100000

uint64_t gs_background_at(struct gs_run *r, int64_t at_ns, uint16_t kind, uint32_t subject,
                          uint32_t object)
{
    r->background++;
    return gs_engine_at(&r->eng, at_ns, kind, subject, object);
}

int gs_background_only(const struct gs_run *r)
{
    return r->jobs_done == r->w.jobs.n;
}

void gs_background_done(struct gs_run *r)
{
    gs_assert(r->background > 0);
    r->background--;
    const int alone = gs_evq_live(&r->eng.q) <= r->background + 1; /* 1: the next sample */
    r->background_alone = alone ? r->background_alone + 1 : 0;
    if (gs_background_only(r) || r->background_alone > BACKGROUND_PATIENCE)
        gs_engine_stop(&r->eng);
}

/* ---- the file ---- */

static const char *const kind_names[] = {
#define X(U, l) #l,
    GS_OUTAGE_KINDS(X)
#undef X
        NULL};
static const char *const yes_names[] = {"no", "yes", NULL};

static const struct gs_column numbers[] = {
    {"kind", GS_U8, "1", "what was out", NULL, kind_names},
    {"node", GS_I32, "1", "row of /cluster/nodes, -1 = none", NULL, NULL},
    {"gpu", GS_I32, "1", "row of /cluster/gpus, -1 = not of one device", NULL, NULL},
    {"link", GS_I32, "1", "row of /links, -1 = none", NULL, NULL},
    {"start_s", GS_F64, "s", "when it began", NULL, NULL},
    {"end_s", GS_F64, "s", "when it was over, NaN = not in this run", NULL, NULL},
    {"planned", GS_U8, "1", "on the calendar, or unforeseen", NULL, yes_names},
};
static const struct gs_column cause_column = {"cause", GS_STR, "1", "why", NULL, NULL};

static int32_t or_none(uint32_t id)
{
    return id == GS_NONE ? -1 : (int32_t)id;
}

static void fill(const struct gs_outage *o, size_t column, void *buf, size_t i)
{
    switch (column) {
    case 0: ((uint8_t *)buf)[i] = o->kind; break;
    case 1: ((int32_t *)buf)[i] = or_none(o->node); break;
    case 2: ((int32_t *)buf)[i] = or_none(o->gpu); break;
    case 3: ((int32_t *)buf)[i] = or_none(o->link); break;
    case 4: ((double *)buf)[i] = gs_seconds(o->start_ns); break;
    case 5: ((double *)buf)[i] = gs_seconds(o->end_ns); break;
    default: ((uint8_t *)buf)[i] = o->planned; break;
    }
}

/* /stop_causes: of attempts. */
static enum gs_rc write_stops(struct gs_run *r, struct gs_err *err)
{
    static const struct gs_column columns[] = {
        {"cause", GS_STR, "1", "why attempts were stopped", NULL, NULL},
        {"planned", GS_U8, "1", "on the calendar, or unforeseen", NULL, yes_names},
        {"attempts", GS_I64, "1", "attempts that it stopped", NULL, NULL},
        {"lost_gpu_s", GS_F64, "s", "GPU time of work that was lost with them", NULL, NULL},
    };
    const size_t n = r->stops.n;
    enum gs_rc rc = GS_OK;
    void *buf = gs_zalloc(n ? n : 1, sizeof(int64_t));
    for (size_t c = 0; c < sizeof columns / sizeof *columns && n && !rc; c++) {
        for (size_t i = 0; i < n; i++) {
            const struct gs_stop *s = &r->stops.v[i];
            switch (c) {
            case 0: ((const char **)buf)[i] = gs_intern_str(&r->str, s->cause); break;
            case 1: ((uint8_t *)buf)[i] = s->planned; break;
            case 2: ((int64_t *)buf)[i] = (int64_t)s->attempts; break;
            default: ((double *)buf)[i] = s->lost_gpu_s; break;
            }
        }
        rc = gs_h5_column(r->out, "stop_causes", &columns[c], buf, n, err);
    }
    gs_free(buf);
    return rc;
}

enum gs_rc gs_outage_write(struct gs_run *r, struct gs_err *err)
{
    const size_t n = r->outages.n;
    if (!n)
        return write_stops(r, err);
    void *buf = gs_zalloc(n, sizeof(double) > sizeof(char *) ? sizeof(double) : sizeof(char *));
    enum gs_rc rc = GS_OK;
    for (size_t c = 0; c < sizeof numbers / sizeof *numbers && !rc; c++) {
        for (size_t i = 0; i < n; i++)
            fill(&r->outages.v[i], c, buf, i);
        rc = gs_h5_column(r->out, "outages", &numbers[c], buf, n, err);
    }
    for (size_t i = 0; i < n; i++)
        ((const char **)buf)[i] = gs_intern_str(&r->str, r->outages.v[i].cause);
    if (!rc)
        rc = gs_h5_column(r->out, "outages", &cause_column, buf, n, err);
    gs_free(buf);
    return rc ? rc : write_stops(r, err);
}

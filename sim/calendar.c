/* calendar.c - entries to events. An occurrence of a group has up to three: notice (its nodes drain), begin, end; begin schedules the next one. Between
 * them the entry keeps the row of the outage that it opened on each of its nodes. O(nodes of the group) an event. */
#include "sim/calendar.h"

#include "sim/base/hostlist.h"
#include "sim/life.h"
#include "sim/outage.h"

#include <string.h>

enum phase {
    PHASE_NOTICE,
    PHASE_BEGIN,
    PHASE_END,
    PHASES
};

struct entry {
    const struct gs_set_plan *p;
    GS_VEC(uint32_t) node;
    uint32_t *row, *notice; /* [its nodes] outage that it opened there, GS_NONE */
    uint32_t groups, size;  /* rolling: so many groups of so many nodes */
    int64_t *begins_ns;     /* [groups] of the occurrence that is next; GS_NEVER = none */
    uint32_t *at;           /* [nodes of the cluster] its place in node, GS_NONE */
    uint32_t cause, queue;  /* queue: of a reservation, else GS_NONE */
};

struct gs_calendar {
    GS_VEC(struct entry) entry;
    /* view->plans */
    GS_VEC(uint32_t) node, queue;
    GS_VEC(uint8_t) kind;
    GS_VEC(int64_t) from_ns, until_ns;
};

static const char *const actions[] = {
#define X(U, l) #l,
    GS_PLAN_ACTIONS(X)
#undef X
};

/* ---- names to nodes ---- */

struct naming {
    struct gs_run *r;
    struct entry *e;
};

static enum gs_rc add_named(void *ctx, const char *name, struct gs_err *err)
{
    struct naming *x = ctx;
    const uint32_t n = gs_cluster_node(&x->r->cluster, name);
    if (n == GS_NONE)
        return gs_fail(err, GS_E_INPUT, "no node '%s' in this scenario, whose first is '%s'", name,
                       gs_intern_str(&x->r->str, x->r->cluster.node_name[0]));
    gs_vec_push(&x->e->node, n);
    return GS_OK;
}

/* Nodes that a [nodes] section made stand together, in section order. */
static int add_section(struct gs_run *r, struct entry *e, const char *name)
{
    for (size_t i = 0; i < r->node_sections.n; i++) {
        const struct gs_node_section *s = &r->node_sections.v[i];
        if (strcmp(s->name, name) != 0)
            continue;
        for (uint32_t n = s->first; n < s->first + s->count; n++)
            gs_vec_push(&e->node, n);
        return 1;
    }
    return 0;
}

static enum gs_rc resolve(struct gs_run *r, struct entry *e, struct gs_err *err)
{
    struct naming x = {r, e};
    if (strcmp(e->p->nodes, "all") == 0) {
        for (uint32_t n = 0; n < r->cluster.nnodes; n++)
            gs_vec_push(&e->node, n);
        return GS_OK;
    }
    return add_section(r, e, e->p->nodes) ? GS_OK
                                          : gs_hostlist_each(e->p->nodes, add_named, &x, err);
}

static enum gs_rc find_queue(struct gs_run *r, const char *name, uint32_t *out, struct gs_err *err)
{
    for (uint32_t q = 0; q < r->w.queues.n; q++) {
        if (strcmp(gs_intern_str(&r->str, r->w.queues.v[q].name), name) != 0)
            continue;
        *out = q;
        return GS_OK;
    }
    return gs_fail(err, GS_E_INPUT, "no queue '%s' in this scenario", name);
}

static void group_nodes(struct gs_run *r, struct entry *e)
{
    const uint32_t n = (uint32_t)e->node.n;
    e->size = e->p->rolling && e->p->rolling < n ? (uint32_t)e->p->rolling : n;
    e->groups = e->size ? (n + e->size - 1) / e->size : 0;
    e->row = GS_NEW_N(uint32_t, n + 1);
    e->notice = GS_NEW_N(uint32_t, n + 1);
    memset(e->row, 0xff, n * sizeof *e->row); /* GS_NONE */
    memset(e->notice, 0xff, n * sizeof *e->notice);
    e->at = GS_NEW_N(uint32_t, r->cluster.nnodes + 1);
    memset(e->at, 0xff, r->cluster.nnodes * sizeof *e->at);
    for (uint32_t i = 0; i < n; i++)
        e->at[e->node.v[i]] = i;
    e->begins_ns = GS_NEW_N(int64_t, e->groups + 1u);
    for (uint32_t g = 0; g < e->groups; g++)
        e->begins_ns[g] = e->p->at_ns + (g ? (int64_t)g * e->p->for_ns : 0);
}

static enum gs_rc add_entry(struct gs_run *r, const struct gs_set_plan *p, struct gs_err *err)
{
    struct entry e = {.p = p, .queue = GS_NONE};
    struct gs_buf cause = {0};
    enum gs_rc rc = resolve(r, &e, err);
    if (!rc && p->action == GS_PLAN_RESERVE)
        rc = find_queue(r, p->queue, &e.queue, err);
    gs_buf_fmt(&cause, "%s%s%s", p->name, *p->reason ? ": " : "", p->reason);
    e.cause = gs_intern(&r->str, gs_buf_cstr(&cause));
    gs_buf_free(&cause);
    group_nodes(r, &e);
    gs_vec_push(&r->calendar->entry, e);
    return rc ? gs_wrap(err, "%s: [calendar] %s", p->where, p->name) : GS_OK;
}

/* from and until of a section, as entries of their own. */
static enum gs_rc add_bounds(struct gs_run *r, const struct gs_set_nodes *n, struct gs_err *err)
{
    const int64_t at[2] = {n->from_ns, n->until_ns};
    for (int i = 0; i < 2; i++) {
        if (i == 0 ? at[i] == 0 : at[i] == GS_NEVER)
            continue;
        struct gs_set_plan *p = gs_arena_alloc(&r->text, sizeof *p, 8);
        *p = (struct gs_set_plan){.name = i ? "until" : "from",
                                  .where = n->where,
                                  .action = i ? GS_PLAN_REMOVE : GS_PLAN_ADD,
                                  .nodes = n->name,
                                  .queue = "",
                                  .reason = "",
                                  .at_ns = at[i],
                                  .for_ns = GS_NEVER,
                                  .until_ns = GS_NEVER};
        const enum gs_rc rc = add_entry(r, p, err);
        if (rc)
            return rc;
    }
    return n->from_ns >= n->until_ns
               ? gs_fail(err, GS_E_INPUT, "%s: [nodes %s] until: is not after from", n->where,
                         n->name)
               : GS_OK;
}

enum gs_rc gs_calendar_load(struct gs_run *r, const struct gs_settings *s, struct gs_err *err)
{
    enum gs_rc rc = GS_OK;
    r->calendar = GS_NEW(struct gs_calendar);
    for (size_t i = 0; i < s->nodes.n && !rc; i++)
        rc = add_bounds(r, &s->nodes.v[i], err);
    for (size_t i = 0; i < s->plans.n && !rc; i++)
        rc = add_entry(r, &s->plans.v[i], err);
    if (!r->calendar->entry.n)
        gs_calendar_release(r);
    return rc;
}

/* ---- what happens ---- */

static struct gs_outage outage_of(const struct entry *e, uint32_t node, enum gs_outage_kind kind)
{
    return (struct gs_outage){.kind = (uint8_t)kind,
                              .planned = 1,
                              .node = node,
                              .gpu = GS_NONE,
                              .link = GS_NONE,
                              .cause = e->cause};
}

static enum gs_outage_kind kind_of(enum gs_plan_action a)
{
    switch (a) {
    case GS_PLAN_ADD:
    case GS_PLAN_REMOVE: return GS_OUTAGE_ABSENT;
    case GS_PLAN_DOWN: return GS_OUTAGE_NODE;
    case GS_PLAN_RESERVE: return GS_OUTAGE_RESERVE;
    case GS_PLAN_DRAIN:
    case GS_PLAN_UP:
    case GS_PLAN_ACTION_COUNT: break;
    }
    return GS_OUTAGE_DRAIN;
}

static void open_row(struct gs_run *r, struct entry *e, uint32_t i, enum gs_outage_kind kind,
                     uint32_t *row)
{
    if (*row == GS_NONE)
        *row = gs_outage_begin(r, outage_of(e, e->node.v[i], kind));
}

static void close_row(struct gs_run *r, uint32_t *row)
{
    if (*row != GS_NONE)
        gs_outage_end(r, *row);
    *row = GS_NONE;
}

/* `up`: what other entries opened on the node ends, but that it is not there. */
static void end_all_of(struct gs_run *r, uint32_t node)
{
    for (size_t k = 0; k < r->calendar->entry.n; k++) {
        struct entry *e = &r->calendar->entry.v[k];
        const int absent = kind_of(e->p->action) == GS_OUTAGE_ABSENT;
        for (uint32_t i = 0; i < e->node.n; i++) {
            if (e->node.v[i] != node)
                continue;
            if (!absent)
                close_row(r, &e->row[i]);
            close_row(r, &e->notice[i]);
        }
    }
}

static void begin_node(struct gs_run *r, struct entry *e, uint32_t i)
{
    if (e->p->action == GS_PLAN_UP)
        end_all_of(r, e->node.v[i]);
    else if (e->p->action == GS_PLAN_ADD)
        close_row(r, &e->row[i]);
    else
        open_row(r, e, i, kind_of(e->p->action), &e->row[i]);
    close_row(r, &e->notice[i]);
}

static void schedule(struct gs_run *r, uint32_t entry, uint32_t group, enum phase phase, int64_t at)
{
    if (at < GS_NEVER)
        (void)gs_background_at(r, at, GS_EV_CALENDAR, entry, group * PHASES + phase);
}

static void schedule_occurrence(struct gs_run *r, uint32_t entry, uint32_t group)
{
    const struct entry *e = &r->calendar->entry.v[entry];
    const int64_t at = e->begins_ns[group];
    if (e->p->notice_ns)
        schedule(r, entry, group, PHASE_NOTICE, at - e->p->notice_ns);
    schedule(r, entry, group, PHASE_BEGIN, at);
}

/* What follows the beginning: its end, and the next occurrence. */
static void schedule_after(struct gs_run *r, uint32_t entry, uint32_t group)
{
    struct entry *e = &r->calendar->entry.v[entry];
    const int64_t now = r->eng.now_ns;
    if (e->p->for_ns < GS_NEVER - now)
        schedule(r, entry, group, PHASE_END, now + e->p->for_ns);
    const int again = e->p->every_ns && e->p->every_ns < GS_NEVER - now &&
                      e->begins_ns[group] + e->p->every_ns < e->p->until_ns;
    e->begins_ns[group] = again ? e->begins_ns[group] + e->p->every_ns : GS_NEVER;
    if (again)
        schedule_occurrence(r, entry, group);
}

/* ---- what is to come, for the host and the modules ---- */

static uint8_t plan_kind(enum gs_plan_action a)
{
    switch (a) {
    case GS_PLAN_REMOVE: return GSP_PLAN_LEAVE;
    case GS_PLAN_DOWN: return GSP_PLAN_DOWN;
    case GS_PLAN_DRAIN: return GSP_PLAN_DRAIN;
    case GS_PLAN_RESERVE: return GSP_PLAN_RESERVE;
    case GS_PLAN_ADD:
    case GS_PLAN_UP:
    case GS_PLAN_ACTION_COUNT: break;
    }
    return 0;
}

/* When the entry next closes its node i, or has closed it to others; GS_NEVER = not in sight. */
static int64_t closes(const struct gs_run *r, const struct entry *e, uint32_t i)
{
    if (e->p->action == GS_PLAN_RESERVE && e->row[i] != GS_NONE)
        return r->outages.v[e->row[i]].start_ns;
    const int64_t at = plan_kind(e->p->action) ? e->begins_ns[i / e->size] : GS_NEVER;
    return at == GS_NEVER ? at : at - e->p->notice_ns;
}

static void set_gate(struct gs_run *r, uint32_t node)
{
    struct gs_gate gate = {GS_NEVER, GS_NONE};
    for (size_t k = 0; k < r->calendar->entry.n; k++) {
        const struct entry *e = &r->calendar->entry.v[k];
        const int64_t at = e->at[node] == GS_NONE ? GS_NEVER : closes(r, e, e->at[node]);
        if (at < gate.closes_ns)
            gate = (struct gs_gate){at, e->queue};
    }
    gs_cluster_set_gate(&r->cluster, node, gate);
}

static int64_t later(int64_t at, int64_t by)
{
    return by < GS_NEVER - at ? at + by : GS_NEVER;
}

/* When an `up` next ends what has been planned for the node. */
static int64_t next_up(const struct gs_calendar *c, uint32_t node, int64_t after)
{
    int64_t at = GS_NEVER;
    for (size_t k = 0; k < c->entry.n; k++) {
        const struct entry *e = &c->entry.v[k];
        if (e->p->action != GS_PLAN_UP || e->at[node] == GS_NONE)
            continue;
        const int64_t begins = e->begins_ns[e->at[node] / e->size];
        if (begins > after && begins < at)
            at = begins;
    }
    return at;
}

/* A row of the node; the rows from `first` on are its rows so far, by time. */
static void show_row(struct gs_calendar *c, size_t first, uint32_t node, uint8_t kind,
                     uint32_t queue, int64_t from, int64_t until)
{
    const int64_t up = kind == GSP_PLAN_LEAVE ? GS_NEVER : next_up(c, node, from);
    size_t i = c->node.n;
    gs_vec_push(&c->node, node);
    gs_vec_push(&c->queue, queue);
    gs_vec_push(&c->kind, kind);
    gs_vec_push(&c->from_ns, from);
    gs_vec_push(&c->until_ns, until);
    for (; i > first && c->from_ns.v[i - 1] > from; i--) {
        c->queue.v[i] = c->queue.v[i - 1];
        c->kind.v[i] = c->kind.v[i - 1];
        c->from_ns.v[i] = c->from_ns.v[i - 1];
        c->until_ns.v[i] = c->until_ns.v[i - 1];
    }
    c->queue.v[i] = queue;
    c->kind.v[i] = kind;
    c->from_ns.v[i] = from;
    c->until_ns.v[i] = up < until ? up : until;
}

/* What entry e has done to its node i, and what it does next. */
static void show_entry(struct gs_run *r, const struct entry *e, uint32_t i, size_t first)
{
    struct gs_calendar *c = r->calendar;
    const uint32_t node = e->node.v[i];
    const int64_t begins = e->begins_ns[i / e->size], from = begins - e->p->notice_ns;
    const uint8_t kind = plan_kind(e->p->action);
    if (e->row[i] != GS_NONE) {
        const int64_t since = r->outages.v[e->row[i]].start_ns;
        if (e->p->action == GS_PLAN_ADD)
            show_row(c, first, node, GSP_PLAN_LEAVE, GS_NONE, since, begins);
        else
            show_row(c, first, node, kind, e->queue, since, later(since, e->p->for_ns));
    }
    if (kind && begins < GS_NEVER && (from <= r->eng.now_ns || !r->ignore_calendar))
        show_row(c, first, node, kind, e->queue, from, later(begins, e->p->for_ns));
}

/* view->plans anew: by node, then by time. */
static void show_plans(struct gs_run *r)
{
    struct gs_calendar *c = r->calendar;
    c->node.n = c->queue.n = c->kind.n = c->from_ns.n = c->until_ns.n = 0;
    for (uint32_t node = 0; node < r->cluster.nnodes; node++) {
        const size_t first = c->node.n;
        for (size_t k = 0; k < c->entry.n; k++)
            if (c->entry.v[k].at[node] != GS_NONE)
                show_entry(r, &c->entry.v[k], c->entry.v[k].at[node], first);
    }
    gs_host_plans(r->host, &(struct gsp_plans){.count = (uint32_t)c->node.n,
                                               .node = c->node.v,
                                               .kind = c->kind.v,
                                               .from_ns = c->from_ns.v,
                                               .until_ns = c->until_ns.v,
                                               .queue = c->queue.v});
}

enum gs_rc gs_calendar_on_event(void *world, const struct gs_event *ev, uint64_t *result,
                                struct gs_err *err)
{
    struct gs_run *r = world;
    struct entry *e = &r->calendar->entry.v[ev->subject];
    const uint32_t group = ev->object / PHASES, first = group * e->size;
    const enum phase phase = (enum phase)(ev->object % PHASES);
    (void)result;
    (void)err;
    gs_background_done(r);
    for (uint32_t i = first; i < first + e->size && i < e->node.n; i++) {
        if (phase == PHASE_NOTICE)
            open_row(r, e, i, GS_OUTAGE_DRAIN, &e->notice[i]);
        else if (phase == PHASE_BEGIN)
            begin_node(r, e, i);
        else
            close_row(r, &e->row[i]);
    }
    if (phase == PHASE_BEGIN)
        schedule_after(r, ev->subject, group);
    for (uint32_t i = first; i < first + e->size && i < e->node.n; i++) {
        set_gate(r, e->node.v[i]);
        if (e->p->action == GS_PLAN_RESERVE) /* others may start there again, or the queue now */
            gs_host_node(r->host, e->node.v[i], r->cluster.node_up[e->node.v[i]], r->eng.now_ns);
    }
    show_plans(r);
    gs_run_want_pass(r);
    gs_detail(r->log, "calendar: %s %s (%s)", actions[e->p->action], e->p->nodes, e->p->name);
    return GS_OK;
}

void gs_calendar_begin(struct gs_run *r)
{
    for (uint32_t k = 0; r->calendar && k < r->calendar->entry.n; k++) {
        struct entry *e = &r->calendar->entry.v[k];
        for (uint32_t i = 0; e->p->action == GS_PLAN_ADD && i < e->node.n; i++)
            open_row(r, e, i, GS_OUTAGE_ABSENT, &e->row[i]);
        for (uint32_t g = 0; g < e->groups; g++)
            schedule_occurrence(r, k, g);
    }
    for (uint32_t n = 0; r->calendar && n < r->cluster.nnodes; n++)
        set_gate(r, n);
    if (r->calendar)
        show_plans(r);
}

void gs_calendar_release(struct gs_run *r)
{
    if (!r->calendar)
        return;
    for (size_t k = 0; k < r->calendar->entry.n; k++) {
        struct entry *e = &r->calendar->entry.v[k];
        gs_vec_free(&e->node);
        gs_free(e->row);
        gs_free(e->notice);
        gs_free(e->begins_ns);
        gs_free(e->at);
    }
    gs_vec_free(&r->calendar->entry);
    gs_vec_free(&r->calendar->node);
    gs_vec_free(&r->calendar->queue);
    gs_vec_free(&r->calendar->kind);
    gs_vec_free(&r->calendar->from_ns);
    gs_vec_free(&r->calendar->until_ns);
    gs_free(r->calendar);
    r->calendar = NULL;
}

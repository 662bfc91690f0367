/* history.c - a results file as a script: reads what was done until T, and does it again, pass by pass. */
#include "sim/history.h"

#include "sim/base/sort.h"
#include "sim/base/units.h"
#include "sim/life.h"
#include "traces/input.h"

#include <math.h>
#include <string.h>

#define NEAR_NS 1000    /* how far from its instant a time of the file may be */
#define LATE_NS 1000000 /* after which nobody waits for an act to become possible */

int64_t gs_history_until(const struct gs_run *r)
{
    return r->history ? r->history->until_ns : 0;
}

static int64_t ns_of(double s)
{
    return isnan(s) || s >= 9e9 ? GS_NEVER : (int64_t)(s * 1e9 + 0.5);
}

/* ---- reading ---- */

enum {
    COLUMNS_MAX = 12
};

struct columns {
    double *v[COLUMNS_MAX];
    size_t n;
};

static void drop(struct columns *c)
{
    for (size_t i = 0; i < COLUMNS_MAX; i++)
        gs_free(c->v[i]);
}

/* Columns of one group; a group that is not there has no rows. */
static enum gs_rc read_columns(struct gs_h5_in *f, const char *group, const char *const *names,
                               struct columns *c, struct gs_err *err)
{
    for (size_t i = 0; names[i]; i++) {
        char path[128];
        size_t n = 0;
        (void)gs_fmt(path, sizeof path, "%s/%s", group, names[i]);
        c->v[i] = gs_h5_read_f64(f, path, &n);
        if ((i && n != c->n) || (n && !c->v[i])) {
            (void)gs_fail(err, GS_E_INPUT, "%s: it has %zu rows, and %s %zu: not a results file",
                          path, n, names[0], c->n);
            return GS_E_INPUT;
        }
        c->n = n;
    }
    return GS_OK;
}

static int by_act(const void *a, const void *b, const void *ctx)
{
    const struct gs_act *x = a;
    const struct gs_act *y = b;
    (void)ctx;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    if (x->kind != y->kind)
        return (int)x->kind - (int)y->kind;
    return (x->job > y->job) - (x->job < y->job);
}

struct alloc {
    int64_t start_ns;
    uint32_t job;
    struct gs_held row;
    size_t at;
};

static int by_alloc(const void *a, const void *b, const void *ctx)
{
    const struct alloc *x = a;
    const struct alloc *y = b;
    (void)ctx;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    if (x->row.task != y->row.task)
        return x->row.task < y->row.task ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Allocations that began before T, as acts of starting. */
static enum gs_rc read_starts(struct gs_h5_in *f, struct gs_history *h, struct gs_err *err)
{
    static const char *const names[] = {"job",         "task",       "node",    "gpu",
                                        "share_milli", "memory_mib", "start_s", "mig_profile",
                                        "mig_start",   "mig_size",   NULL};
    struct columns c = {0};
    enum gs_rc rc = read_columns(f, "/allocations", names, &c, err);
    struct alloc *a = GS_NEW_N(struct alloc, c.n + 1);
    size_t n = 0;
    for (size_t i = 0; !rc && i < c.n; i++) {
        const int64_t start = ns_of(c.v[6][i]);
        if (start >= h->until_ns)
            continue;
        a[n++] = (struct alloc){start,
                                (uint32_t)c.v[0][i],
                                {.task = (uint32_t)c.v[1][i],
                                 .node = (uint32_t)c.v[2][i],
                                 .gpu = c.v[3][i] < 0 ? GS_NONE : (uint32_t)c.v[3][i],
                                 .milli = (uint32_t)c.v[4][i],
                                 .mem_mib = (uint32_t)c.v[5][i],
                                 .profile = (uint16_t)c.v[7][i],
                                 .mig_start = (uint8_t)(c.v[8][i] < 0 ? 0 : c.v[8][i]),
                                 .mig_size = (uint8_t)(c.v[9][i] < 0 ? 0 : c.v[9][i])},
                                i};
    }
    gs_sort(a, n, sizeof *a, by_alloc, NULL);
    for (size_t i = 0; i < n; i++) {
        if (!i || a[i].job != a[i - 1].job || a[i].start_ns != a[i - 1].start_ns)
            gs_vec_push(&h->acts, ((struct gs_act){.time_ns = a[i].start_ns,
                                                   .job = a[i].job,
                                                   .first = (uint32_t)h->rows.n,
                                                   .kind = GS_ACT_START}));
        gs_vec_push(&h->rows, a[i].row);
        gs_vec_last(&h->acts).n++;
    }
    gs_free(a);
    drop(&c);
    return rc;
}

static enum gs_rc read_evictions(struct gs_h5_in *f, struct gs_history *h, struct gs_err *err)
{
    static const char *const names[] = {"job", "end_s", "outcome", "lost_gpu_s", "attempt", NULL};
    struct columns c = {0};
    const enum gs_rc rc = read_columns(f, "/attempts", names, &c, err);
    for (size_t i = 0; i < c.n && !rc; i++) {
        const int64_t end = ns_of(c.v[1][i]);
        if (end < h->until_ns && (int)c.v[2][i] == GS_ATTEMPT_PREEMPTED)
            gs_vec_push(&h->acts, ((struct gs_act){.time_ns = end,
                                                   .job = (uint32_t)c.v[0][i],
                                                   .first = (uint32_t)c.v[4][i],
                                                   .n = c.v[3][i] > 0 ? GSP_EVICT_REQUEUE
                                                                      : GSP_EVICT_CHECKPOINT,
                                                   .kind = GS_ACT_EVICT}));
    }
    drop(&c);
    return rc;
}

static enum gs_rc read_jobs(struct gs_run *r, struct gs_h5_in *f, struct gs_history *h,
                            struct gs_err *err)
{
    static const char *const names[] = {"submit_s", "gpus_requested", "state", "end_s", NULL};
    struct columns c = {0};
    size_t n = 0;
    const enum gs_rc rc = read_columns(f, "/jobs", names, &c, err);
    char **reason = gs_h5_read_str(f, "/jobs/reason", &n);
    h->names = gs_h5_read_str(f, "/jobs/name", &h->njobs);
    if (!rc && (h->njobs != c.n || n != c.n)) {
        gs_free(reason);
        drop(&c);
        return gs_fail(err, GS_E_INPUT, "/jobs: its columns differ in length");
    }
    for (size_t i = 0; i < c.n && !rc; i++) {
        if ((int)c.v[2][i] != GS_STATE_REJECTED || ns_of(c.v[3][i]) >= h->until_ns)
            continue;
        gs_vec_push(&h->acts,
                    ((struct gs_act){.time_ns = ns_of(c.v[3][i]),
                                     .job = (uint32_t)i,
                                     .why = gs_arena_str(&r->text, reason[i], strlen(reason[i])),
                                     .kind = GS_ACT_REJECT}));
    }
    h->submit_s = c.v[0];
    h->gpus = c.v[1];
    c.v[0] = c.v[1] = NULL;
    gs_free(reason);
    drop(&c);
    return rc;
}

/* The file's nodes must be the scenario's: rows of allocations are numbers. */
static enum gs_rc check_nodes(struct gs_run *r, struct gs_h5_in *f, struct gs_err *err)
{
    size_t n = 0, gpus = 0;
    char **name = gs_h5_read_str(f, "/cluster/nodes/name", &n);
    double *gpu = gs_h5_read_f64(f, "/cluster/gpus/node", &gpus);
    enum gs_rc rc = GS_OK;
    if (n != r->cluster.nnodes || gpus != r->cluster.ngpus)
        rc = gs_fail(err, GS_E_INPUT,
                     "it is of another cluster: %zu nodes and %zu GPUs, the scenario has %u and %u",
                     n, gpus, r->cluster.nnodes, r->cluster.ngpus);
    for (uint32_t i = 0; i < n && !rc; i++)
        if (strcmp(name[i], gs_intern_str(&r->str, r->cluster.node_name[i])) != 0)
            rc = gs_fail(err, GS_E_INPUT,
                         "it is of another cluster: node %u is '%s', in the scenario '%s'", i,
                         name[i], gs_intern_str(&r->str, r->cluster.node_name[i]));
    gs_free(name);
    gs_free(gpu);
    return rc;
}

static enum gs_rc read_file(struct gs_run *r, struct gs_history *h, const char *path,
                            struct gs_err *err)
{
    struct gs_h5_in *f = NULL;
    enum gs_rc rc = gs_h5_open(&f, path, err);
    if (rc)
        return rc;
    if (h->until_ns == GS_NEVER) {
        char *end = gs_h5_read_attr_str(f, "end_s");
        double s = 0;
        if (end && gs_parse_real(end, &s, NULL) == GS_OK)
            h->until_ns = ns_of(s);
        gs_free(end);
    }
    rc = check_nodes(r, f, err);
    if (!rc)
        rc = read_jobs(r, f, h, err);
    if (!rc)
        rc = read_starts(f, h, err);
    if (!rc)
        rc = read_evictions(f, h, err);
    gs_h5_close(f);
    for (size_t i = 0; i < h->acts.n && !rc; i++)
        if (h->acts.v[i].job >= h->njobs)
            rc = gs_fail(err, GS_E_INPUT, "it names job %u of %zu", h->acts.v[i].job, h->njobs);
    gs_sort(h->acts.v, h->acts.n, sizeof *h->acts.v, by_act, NULL);
    return rc;
}

/* Its bytes once more, for their digest. */
static enum gs_rc note_file(struct gs_run *r, const char *path, struct gs_err *err)
{
    struct gs_input in;
    enum gs_rc rc = gs_input_open(&in, path, r->history->path, err);
    if (!rc)
        rc = gs_input_finish(&in, err);
    if (!rc)
        gs_run_note_input(r, &in, r->history->path, "state", r->history->njobs);
    gs_input_close(&in);
    return rc;
}

enum gs_rc gs_history_load(struct gs_run *r, const char *from, const char *dir, struct gs_err *err)
{
    const char *at = strrchr(from, '@');
    const char *shown = gs_arena_str(&r->text, from, at ? (size_t)(at - from) : strlen(from));
    struct gs_history *h = GS_NEW(struct gs_history);
    struct gs_buf path = {0};
    enum gs_rc rc = GS_OK;
    r->history = h;
    h->path = shown;
    h->until_ns = GS_NEVER;
    gs_buf_fmt(&path, "%s%s%s", *shown == '/' ? "" : dir, *shown == '/' ? "" : "/", shown);
    const size_t n = strlen(shown);
    h->csv = n > 4 && strcmp(shown + n - 4, ".csv") == 0;
    if (at && h->csv)
        rc = gs_fail(err, GS_E_INPUT, "a list of jobs is of t = 0: '%s' cannot be asked for", at);
    else if (at)
        rc = gs_parse_time(at + 1, &h->until_ns, err);
    if (!rc)
        rc = h->csv ? gs_history_csv(r, h, gs_buf_cstr(&path), err)
                    : read_file(r, h, gs_buf_cstr(&path), err);
    if (!rc && !h->csv)
        rc = note_file(r, gs_buf_cstr(&path), err);
    gs_buf_free(&path);
    return rc ? gs_wrap(err, "[state] from = %s", from) : GS_OK;
}

/* ---- matching ---- */

/* A CSV's jobs are found by their row: sealing may have moved them. */
static enum gs_rc match_csv(struct gs_run *r, struct gs_history *h)
{
    uint32_t *row_of = GS_NEW_N(uint32_t, h->njobs + 1);
    for (uint32_t i = 0; i < r->w.jobs.n; i++)
        if (r->w.jobs.v[i].source == h->source)
            row_of[r->w.jobs.v[i].row - 1] = i;
    for (size_t i = 0; i < h->acts.n; i++)
        h->acts.v[i].job = row_of[h->acts.v[i].job];
    gs_free(row_of);
    gs_sort(h->acts.v, h->acts.n, sizeof *h->acts.v, by_act, NULL);
    return GS_OK;
}

enum gs_rc gs_history_match(struct gs_run *r, struct gs_err *err)
{
    struct gs_history *h = r->history;
    if (!h)
        return GS_OK;
    if (h->csv)
        return match_csv(r, h);
    for (size_t i = 0; i < h->njobs; i++) {
        if (!(h->submit_s[i] * 1e9 < (double)h->until_ns))
            continue; /* after T, or never: another workload may come then */
        const struct gs_job *j = i < r->w.jobs.n ? &r->w.jobs.v[i] : NULL;
        const char *name = j && j->name ? gs_intern_str(&r->str, j->name) : NULL;
        char number[24];
        (void)gs_fmt(number, sizeof number, "%zu", i);
        if (j && (double)j->gpus == h->gpus[i] &&
            (j->after || fabs(gs_seconds(j->submit_ns) - h->submit_s[i]) < 1e-6) &&
            strcmp(name ? name : number, h->names[i]) == 0)
            continue;
        return gs_fail(err, GS_E_INPUT,
                       "[state] from = %s: its job '%s' (row %zu, submitted at %.3f s, %g GPUs) is "
                       "not row %zu of this scenario's workload: until the time of the state the "
                       "workload must be the same",
                       h->path, h->names[i], i, h->submit_s[i], h->gpus[i], i);
    }
    return GS_OK;
}

/* ---- doing it again ---- */

static void schedule_next(struct gs_run *r)
{
    const struct gs_history *h = r->history;
    size_t i = h->next;
    while (i < h->acts.n && (h->acts.v[i].done || h->acts.v[i].time_ns <= r->eng.now_ns))
        i++;
    const int64_t at = i < h->acts.n ? h->acts.v[i].time_ns : h->until_ns;
    if (at > r->eng.now_ns || at == 0)
        (void)gs_engine_at(&r->eng, at, GS_EV_HISTORY, 0, 0);
}

void gs_history_begin(struct gs_run *r)
{
    if (r->history)
        (void)gs_engine_at(&r->eng, 0, GS_EV_HISTORY, 0, 0);
}

enum gs_rc gs_history_on_act(void *world, const struct gs_event *ev, uint64_t *result,
                             struct gs_err *err)
{
    struct gs_run *r = world;
    struct gs_history *h = r->history;
    (void)ev;
    (void)result;
    gs_engine_want_pass(&r->eng);
    if (r->eng.now_ns < h->until_ns) {
        schedule_next(r);
        return GS_OK;
    }
    for (size_t i = h->next; i < h->acts.n && !h->lost; i++)
        if (!h->acts.v[i].done && h->acts.v[i].kind == GS_ACT_START)
            h->lost = &h->acts.v[i];
    if (!h->lost)
        return GS_OK;
    if (h->csv)
        return gs_fail(
            err, GS_E_INPUT,
            "[state] from = %s: the job of row %lld cannot start at its places: they are "
            "down, held by another row, or not of the kind that it needs",
            h->path, (long long)r->w.jobs.v[h->lost->job].row);
    return gs_fail(err, GS_E_INPUT,
                   "[state] from = %s: the start of job %u at %.9g s cannot be repeated: "
                   "this scenario is not the one that the file was made from",
                   h->path, h->lost->job, (double)h->lost->time_ns / 1e9);
}

/* Stops the attempt that the file says was stopped, unless the calendar has done so: another one may run by now. */
static int try_evict(struct gs_run *r, uint32_t slot, const struct gs_act *a)
{
    const uint32_t attempt = r->live.attempts[slot];
    const int runs = r->live.state[slot] == GSP_JOB_RUNNING;
    if (attempt < a->first)
        return 0;
    if (attempt > a->first || !runs)
        return 1;
    return gs_host_replay_evict(r->host, slot, (int)a->n) == GSP_OK;
}

/* Does an act, if it can be done now. */
static int try_act(struct gs_run *r, const struct gs_act *a)
{
    const uint32_t slot = r->slot_of[a->job];
    if (slot == GS_NONE)
        return 0;
    switch ((enum gs_act_kind)a->kind) {
    case GS_ACT_EVICT: return try_evict(r, slot, a);
    case GS_ACT_REJECT: return gs_host_replay_reject(r->host, slot, a->why) == GSP_OK;
    case GS_ACT_START: break;
    }
    return gs_host_replay_start(r->host, slot, &r->history->rows.v[a->first], a->n) == GSP_OK;
}

/* Does an act, or gives it up when its time is long past: a job that was turned away on arrival is so again, without help. */
static void repeat(struct gs_run *r, struct gs_act *a)
{
    a->done = (uint8_t)try_act(r, a);
    if (a->done || a->time_ns + LATE_NS >= r->eng.now_ns)
        return;
    a->done = 1;
    if (a->kind == GS_ACT_START && !r->history->lost)
        r->history->lost = a;
}

void gs_history_replay(void *world, int64_t now_ns)
{
    struct gs_run *r = world;
    struct gs_history *h = r->history;
    for (size_t i = h->next; i < h->acts.n && h->acts.v[i].time_ns <= now_ns + NEAR_NS; i++)
        if (!h->acts.v[i].done)
            repeat(r, &h->acts.v[i]);
    while (h->next < h->acts.n && h->acts.v[h->next].done)
        h->next++;
}

void gs_history_release(struct gs_run *r)
{
    struct gs_history *h = r->history;
    if (!h)
        return;
    gs_vec_free(&h->acts);
    gs_vec_free(&h->rows);
    gs_free(h->submit_s);
    gs_free(h->gpus);
    gs_free(h->names);
    gs_free(h);
    r->history = NULL;
}

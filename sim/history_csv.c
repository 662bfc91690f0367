/* history_csv.c - a warm start from a list of jobs: what runs now and where, and what waits.
 *
 *   name,queue,user,priority,gpus,share,places,remaining,estimate
 *   llama,prod,ann,10,12,,n1:0-7 n2:0-3,86400,90000       runs on these devices of the nodes, so many seconds still
 *   small,research,,,1,,,3600,                            waits
 *
 * Only gpus and remaining must be there. A place is NODE:LIST (0-3, or 0,2,5); its devices are one task, and all places but the last have as
 * many as the first. remaining = inf runs to the end. A job of a share (0.5) has one place with one device. */
#include "sim/base/units.h"
#include "sim/history.h"
#include "traces/listing.h"

#include <string.h>

enum column {
    C_GPUS,
    C_REMAINING,
    C_NEEDED,
    C_NAME = C_NEEDED,
    C_QUEUE,
    C_USER,
    C_PRIORITY,
    C_SHARE,
    C_PLACES,
    C_ESTIMATE,
    C_COUNT
};

const struct gs_listing_form gs_history_form = {
    .section = "state",
    .key = "from",
    .n = C_COUNT,
    .needed = C_NEEDED,
    .column = {[C_GPUS] = {"gpus", "that the job holds, or asks for"},
               [C_REMAINING] = {"remaining", "s that it still runs; inf = to the end"},
               [C_NAME] = {"name", "of the job"},
               [C_QUEUE] = {"queue", "a queue of the scenario"},
               [C_USER] = {"user", "whose it is"},
               [C_PRIORITY] = {"priority", "a whole number; more goes first"},
               [C_SHARE] = {"share", "of one GPU, such as 0.5"},
               [C_PLACES] = {"places",
                             "where it runs: node:0-3 node:0,2; empty = it does not run yet"},
               [C_ESTIMATE] = {"estimate", "s that it is expected to run in all"}},
};

struct list {
    struct gs_run *r;
    struct gs_history *h;
    struct gs_listing file;
};

static const char *field(const struct list *l, enum column c)
{
    return gs_listing_field(&l->file, c);
}

static enum gs_rc bad(const struct list *l, enum column c, const char *expected)
{
    return gs_listing_bad(&l->file, c, expected);
}

/* Seconds, as a plain number; "" = otherwise, "inf" = GS_NEVER. */
static enum gs_rc read_seconds(struct list *l, enum column c, int64_t otherwise, int64_t *out)
{
    const char *s = field(l, c);
    *out = otherwise;
    if (!*s)
        return GS_OK;
    if (strcmp(s, "inf") == 0) {
        *out = GS_NEVER;
        return GS_OK;
    }
    return gs_parse_seconds(s, out, NULL) || *out < 0 ? bad(l, c, "seconds") : GS_OK;
}

/* ---- places ---- */

/* One number of a list, and behind it. */
static enum gs_rc number(struct list *l, const char **s, uint32_t *out)
{
    const size_t n = strspn(*s, "0123456789");
    char digits[8];
    int64_t x = 0;
    if (!n || n >= sizeof digits)
        return bad(l, C_PLACES, "NODE:LIST, as in n1:0-3");
    memcpy(digits, *s, n);
    digits[n] = '\0';
    if (gs_parse_int(digits, 0, GS_GPUS_PER_NODE_MAX - 1, &x, NULL))
        return bad(l, C_PLACES, "numbers of GPUs from 0");
    *out = (uint32_t)x;
    *s += n;
    return GS_OK;
}

/* "0-3,5" up to a blank: rows of one task. */
static enum gs_rc read_devices(struct list *l, const char **s, struct gs_held row)
{
    const struct gs_cluster *c = &l->r->cluster;
    for (;;) {
        uint32_t lo = 0, hi = 0;
        enum gs_rc rc = number(l, s, &lo);
        hi = lo;
        if (!rc && **s == '-') {
            ++*s;
            rc = number(l, s, &hi);
        }
        if (rc)
            return rc;
        if (hi < lo || hi >= c->gpu_count[row.node])
            return bad(l, C_PLACES, "GPUs that the node has");
        for (uint32_t g = lo; g <= hi; g++) {
            row.gpu = c->gpu_first[row.node] + g;
            gs_vec_push(&l->h->rows, row);
        }
        if (**s != ',')
            return **s && **s != ' ' ? bad(l, C_PLACES, "places parted by blanks") : GS_OK;
        ++*s;
    }
}

/* All places of a job: rows, and how they part it into tasks. */
static enum gs_rc read_places(struct list *l, struct gs_job *j, struct gs_act *act)
{
    struct gs_held row = {.milli = j->share_milli};
    act->first = (uint32_t)l->h->rows.n;
    j->tasks = 0;
    for (const char *s = field(l, C_PLACES); *s;) {
        s += strspn(s, " ");
        const size_t n = strcspn(s, ": ");
        if (!*s)
            break;
        row.node = gs_cluster_node(&l->r->cluster, gs_arena_str(&l->r->text, s, n));
        if (s[n] != ':')
            return bad(l, C_PLACES, "NODE:LIST, as in n1:0-3");
        if (row.node == GS_NONE)
            return bad(l, C_PLACES, "names of nodes of this scenario");
        s += n + 1;
        row.task = j->tasks++;
        const uint32_t before = (uint32_t)l->h->rows.n;
        const enum gs_rc rc = read_devices(l, &s, row);
        const uint32_t devices = (uint32_t)l->h->rows.n - before;
        if (rc)
            return rc;
        if (j->tasks == 1)
            j->task_gpus = devices;
        else if (devices > j->task_gpus || (*s && devices != j->task_gpus))
            return bad(l, C_PLACES, "places of equal size, of which only the last is smaller");
    }
    act->n = (uint32_t)l->h->rows.n - act->first;
    return act->n == j->gpus ? GS_OK : bad(l, C_PLACES, "as many devices as gpus says");
}

/* ---- rows ---- */

static enum gs_rc read_sizes(struct list *l, struct gs_job *j)
{
    int64_t x = 0;
    if (gs_parse_int(field(l, C_GPUS), 1, 1000000, &x, NULL))
        return bad(l, C_GPUS, "a number of GPUs");
    j->gpus = (uint32_t)x;
    j->share_milli = 1000;
    if (*field(l, C_SHARE) && gs_parse_share(field(l, C_SHARE), &j->share_milli, NULL))
        return bad(l, C_SHARE, "a share of one GPU (0.5, 250m)");
    if (j->share_milli < 1000 && j->gpus != 1)
        return bad(l, C_SHARE, "a share only beside gpus = 1");
    j->task_gpus = j->gpus < 8 ? j->gpus : 8;
    j->tasks = (j->gpus + j->task_gpus - 1) / j->task_gpus;
    if (*field(l, C_PRIORITY) && gs_parse_int(field(l, C_PRIORITY), INT32_MIN, INT32_MAX, &x, NULL))
        return bad(l, C_PRIORITY, "a whole number");
    j->priority = *field(l, C_PRIORITY) ? (int32_t)x : 0;
    return GS_OK;
}

static enum gs_rc add_row(struct list *l)
{
    struct gs_workload *w = &l->r->w;
    const char *queue = field(l, C_QUEUE);
    struct gs_job j = {.queue = gs_workload_queue(w, *queue ? queue : "default"),
                       .user = gs_workload_user(w, field(l, C_USER)),
                       .kind = GS_KIND_BATCH,
                       .flags = GS_JOB_PREEMPTIBLE,
                       .source = l->h->source,
                       .start_ns = -1,
                       .row = (int64_t)++l->h->njobs};
    struct gs_act act = {.job = (uint32_t)l->h->njobs - 1, .kind = GS_ACT_START};
    enum gs_rc rc = read_sizes(l, &j);
    if (!rc)
        rc = read_seconds(l, C_REMAINING, -1, &j.run_ns);
    if (!rc)
        rc = read_seconds(l, C_ESTIMATE, -1, &j.est_ns);
    if (!rc && j.run_ns < 0)
        rc = bad(l, C_REMAINING, "the seconds that are left to the job, or inf");
    if (!rc && *field(l, C_PLACES))
        rc = read_places(l, &j, &act);
    if (rc)
        return rc;
    j.est_source = j.est_ns >= 0 ? GS_EST_USER : GS_EST_NONE;
    j.duration_source = j.run_ns == GS_NEVER ? GS_DURATION_ENDLESS : GS_DURATION_TRACE;
    if (*field(l, C_NAME))
        j.name = gs_intern(&l->r->str, field(l, C_NAME));
    gs_vec_push(&w->jobs, j);
    if (act.n)
        gs_vec_push(&l->h->acts, act);
    return GS_OK;
}

enum gs_rc gs_history_csv(struct gs_run *r, struct gs_history *h, const char *path,
                          struct gs_err *err)
{
    struct list l = {.r = r, .h = h};
    int more = 1;
    h->until_ns = 1;
    h->source = (uint16_t)r->w.sources.n;
    gs_vec_push(&r->w.sources, gs_intern(&r->str, "state"));
    enum gs_rc rc = gs_listing_open(&l.file, path, h->path, &gs_history_form, err);
    while (!rc && more) {
        rc = gs_listing_next(&l.file, &more);
        if (!rc && more)
            rc = add_row(&l);
    }
    if (!rc)
        gs_run_note_input(r, &l.file.in, h->path, "state", h->njobs);
    gs_listing_close(&l.file);
    return rc;
}

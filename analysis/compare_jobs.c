/* compare_jobs.c - which jobs gained and which lost between two runs of the same work.
 *
 * Two runs had the same jobs if their /jobs agree row by row in name, time of submission, GPUs, kind and queue: that is what is tested,
 * rather than what the scenarios say. A job gained if it waited less (first start - submission), or started where it never did.
 * Counted jobs only. O(jobs log jobs) for the medians. */
#include "analysis/compare.h"
#include "sim/base/intern.h"
#include "sim/base/sort.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

#define COLUMNS(X)            \
    X(submit, "submit_s")     \
    X(wait, "wait_s")         \
    X(jct, "jct_s")           \
    X(gpus, "gpus_requested") \
    X(share, "share_milli")   \
    X(kind, "kind")           \
    X(queue, "queue")         \
    X(user, "user")           \
    X(counted, "counted")     \
    X(state, "state")

struct table { /* /jobs of one file, and the names that its codes stand for */
    size_t n;
#define X(field, column) double *field;
    COLUMNS(X)
#undef X
    char **name, **kinds, **queues, **users;
    size_t nkinds, nqueues, nusers;
    double rejected; /* code of that state */
};

static void release(struct table *t)
{
    void *all[] = {
#define X(field, column) t->field,
        COLUMNS(X)
#undef X
            t->name,
        t->kinds, t->queues, t->users};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gs_free(all[i]);
}

static enum gs_rc load(struct table *t, const char *h5, struct gs_err *err)
{
    struct gs_h5_in *in = NULL;
    size_t n = 0, nstates = 0;
    int whole = 1;
    *t = (struct table){.rejected = -1};
    const enum gs_rc rc = gs_h5_open(&in, h5, err);
    if (rc)
        return rc;
    t->name = gs_h5_read_str(in, "/jobs/name", &t->n);
#define X(field, column)                                \
    t->field = gs_h5_read_f64(in, "/jobs/" column, &n); \
    whole &= n == t->n;
    COLUMNS(X)
#undef X
    t->kinds = gs_h5_read_flags(in, "/jobs/kind", &t->nkinds);
    t->queues = gs_h5_read_str(in, "/queues/name", &t->nqueues);
    t->users = gs_h5_read_str(in, "/users/name", &t->nusers);
    char **states = gs_h5_read_flags(in, "/jobs/state", &nstates);
    for (size_t i = 0; i < nstates; i++)
        if (strcmp(states[i], "rejected") == 0)
            t->rejected = (double)i;
    gs_free(states);
    gs_h5_close(in);
    if (!whole)
        t->n = 0;
    return GS_OK;
}

/* ---- the same jobs? ---- */

static const char *word(char **list, size_t n, double code)
{
    return list && code >= 0 && code < (double)n ? list[(size_t)code] : "";
}

static const char *queue_word(const struct table *t, size_t i)
{
    return word(t->queues, t->nqueues, t->queue[i]);
}

static const char *kind_word(const struct table *t, size_t i)
{
    return word(t->kinds, t->nkinds, t->kind[i]);
}

static int differ(double a, double b)
{
    return a < b || a > b;
}

static const char *why_not_paired(const struct table *a, const struct table *b)
{
    if (!a->n || !b->n)
        return "a file has no jobs, or columns are missing";
    if (a->n != b->n)
        return "the runs had different numbers of jobs";
    for (size_t i = 0; i < a->n; i++) {
        if (strcmp(a->name[i], b->name[i]) != 0 || differ(a->submit[i], b->submit[i]) ||
            differ(a->gpus[i], b->gpus[i]) || differ(a->share[i], b->share[i]) ||
            strcmp(kind_word(a, i), kind_word(b, i)) != 0 ||
            strcmp(queue_word(a, i), queue_word(b, i)) != 0)
            return "the runs did not get the same jobs (another seed, trace or workload)";
    }
    return NULL;
}

/* ---- gains and losses ---- */

static int is_judged(const struct table *a, const struct table *b, size_t i)
{
    return a->counted[i] > 0 && b->counted[i] > 0 && differ(a->state[i], a->rejected) &&
           differ(b->state[i], b->rejected);
}

/* Change of the wait, b - a: infinite where a job starts on one side only; 0 where on neither. */
static double change(const struct table *a, const struct table *b, size_t i)
{
    const int never_a = isnan(a->wait[i]), never_b = isnan(b->wait[i]);
    if (never_a || never_b)
        return never_a && never_b ? 0 : never_b ? (double)INFINITY : -(double)INFINITY;
    return b->wait[i] - a->wait[i];
}

static const char *size_word(const struct table *t, size_t i)
{
    static const struct {
        double most;
        const char *name;
    } sizes[] = {{0, "cpu"}, {1, "1"},     {2, "2"},      {4, "3-4"},
                 {8, "5-8"}, {16, "9-16"}, {64, "17-64"}, {(double)INFINITY, "65+"}};

    size_t k = 0;
    if (t->gpus[i] > 0 && t->share[i] < 1000)
        return "share";
    while (t->gpus[i] > sizes[k].most)
        k++;
    return sizes[k].name;
}

static const char *user_word(const struct table *t, size_t i)
{
    return word(t->users, t->nusers, t->user[i]);
}

static const struct {
    const char *by;
    const char *(*of)(const struct table *t, size_t i);
} groupings[] = {
    {"queue", queue_word}, {"kind", kind_word}, {"size", size_word}, {"user", user_word}};

/* Sorts v. */
static double median(double *v, size_t n)
{
    gs_sort_doubles(v, n);
    return n ? gs_quantile(v, n, 0.5) : (double)NAN;
}

/* jobs[0..n) are the group's. wait and jct: scratch of n. */
static void fill_group(const struct table *a, const struct table *b, const uint32_t *jobs, size_t n,
                       double *scratch, struct gs_job_group *out)
{
    double *wait = scratch, *jct = scratch + n;
    size_t nw = 0, nj = 0;
    out->n = n;
    for (size_t k = 0; k < n; k++) {
        const size_t i = jobs[k];
        const double d = change(a, b, i), dj = b->jct[i] - a->jct[i];
        out->gained += d < 0;
        out->lost += d > 0;
        if (isfinite(d))
            wait[nw++] = d;
        if (isfinite(dj))
            jct[nj++] = dj;
    }
    out->wait = median(wait, nw);
    out->jct = median(jct, nj);
}

/* The jobs by group (id 1..ngroups of `of`, 0 = not judged), by a counting sort: group g is jobs[start[g]..start[g + 1]). */
static uint32_t *sort_by_group(const uint32_t *of, size_t n, size_t ngroups, size_t *start)
{
    uint32_t *jobs = GS_NEW_N(uint32_t, n + 1);
    size_t *next = GS_NEW_N(size_t, ngroups + 2);
    for (size_t i = 0; i < n; i++)
        next[of[i] + 1]++;
    for (size_t g = 0; g <= ngroups; g++)
        next[g + 1] += next[g];
    memcpy(start, next, (ngroups + 2) * sizeof *start);
    for (size_t i = 0; i < n; i++)
        jobs[next[of[i]]++] = (uint32_t)i;
    gs_free(next);
    return jobs;
}

/* Groups in order of their first job. */
static void add_groups(const struct table *a, const struct table *b, size_t grouping,
                       struct gs_job_changes *out)
{
    struct gs_intern names;
    uint32_t *of = GS_NEW_N(uint32_t, a->n);
    gs_intern_init(&names);
    for (size_t i = 0; i < a->n; i++) {
        if (!is_judged(a, b, i))
            continue;
        const char *w = groupings[grouping].of(a, i);
        of[i] = gs_intern(&names, *w ? w : "(none)");
    }
    const size_t ngroups = names.n - 1;
    size_t *start = GS_NEW_N(size_t, ngroups + 2);
    uint32_t *jobs = sort_by_group(of, a->n, ngroups, start);
    double *scratch = GS_NEW_N(double, 2 * a->n + 1);
    for (size_t g = 1; g <= ngroups; g++) {
        struct gs_job_group group = {.by = groupings[grouping].by,
                                     .name = gs_strdup(gs_intern_str(&names, (uint32_t)g))};
        fill_group(a, b, jobs + start[g], start[g + 1] - start[g], scratch, &group);
        gs_vec_push(&out->groups, group);
    }
    gs_free(scratch);
    gs_free(jobs);
    gs_free(start);
    gs_free(of);
    gs_intern_release(&names);
}

/* ---- who moved most ---- */

static void keep_move(const struct table *a, const struct table *b, size_t i, size_t top[GS_MOVES],
                      size_t *n)
{
    const double d = fabs(change(a, b, i));
    if (!(d > 0))
        return;
    size_t k = *n;
    while (k > 0 && fabs(change(a, b, top[k - 1])) < d)
        k--;
    if (k == GS_MOVES)
        return;
    *n += *n < GS_MOVES;
    for (size_t m = *n - 1; m > k; m--)
        top[m] = top[m - 1];
    top[k] = i;
}

static void add_moves(const struct table *a, const struct table *b, struct gs_job_changes *out)
{
    size_t top[GS_MOVES] = {0}, n = 0, moved = 0;
    double total = 0, *changes = GS_NEW_N(double, a->n + 1);
    for (size_t i = 0; i < a->n; i++) {
        if (!is_judged(a, b, i))
            continue;
        const double d = change(a, b, i);
        out->n++;
        out->gained += d < 0;
        out->lost += d > 0;
        total += isfinite(d) ? fabs(d) : 0;
        if (differ(d, 0))
            changes[moved++] = d;
        keep_move(a, b, i, top, &n);
    }
    out->median = median(changes, moved);
    gs_free(changes);
    for (size_t k = 0; k < n; k++) {
        const size_t i = top[k];
        const double d = fabs(change(a, b, i));
        out->moves[k] = (struct gs_job_move){.name = gs_strdup(a->name[i]),
                                             .queue = gs_strdup(queue_word(a, i)),
                                             .row = (uint32_t)i,
                                             .gpus = (uint32_t)a->gpus[i],
                                             .wait_a = a->wait[i],
                                             .wait_b = b->wait[i],
                                             .share = isfinite(d) && total > 0 ? d / total : 0};
    }
    out->nmoves = n;
}

static int is_wanted(const char *groups, const char *by)
{
    const size_t len = strlen(by);
    for (const char *p = groups ? groups : "queue, kind, size"; *p;) {
        p += strspn(p, ", ");
        const size_t n = strcspn(p, ", ");
        if (n == len && memcmp(p, by, n) == 0)
            return 1;
        p += n;
    }
    return 0;
}

enum gs_rc gs_compare_jobs(const char *h5_a, const char *h5_b, const char *groups,
                           struct gs_job_changes *out, struct gs_err *err)
{
    struct table a, b = {0};
    *out = (struct gs_job_changes){0};
    enum gs_rc rc = load(&a, h5_a, err);
    if (!rc)
        rc = load(&b, h5_b, err);
    if (!rc)
        out->why_not = why_not_paired(&a, &b);
    if (!rc && !out->why_not) {
        add_moves(&a, &b, out);
        for (size_t g = 0; g < sizeof groupings / sizeof *groupings; g++)
            if (is_wanted(groups, groupings[g].by))
                add_groups(&a, &b, g, out);
    }
    release(&a);
    release(&b);
    return rc;
}

/* The longest waits of one run: a table held against one in which nobody waits. */
enum gs_rc gs_longest_waits(const char *h5, struct gs_job_changes *out, struct gs_err *err)
{
    struct table t, none;
    *out = (struct gs_job_changes){0};
    const enum gs_rc rc = load(&t, h5, err);
    if (!rc && t.n) {
        none = t;
        none.wait = GS_NEW_N(double, t.n);
        add_moves(&none, &t, out);
        gs_free(none.wait);
    }
    release(&t);
    return rc;
}

void gs_job_changes_release(struct gs_job_changes *j)
{
    for (size_t i = 0; i < j->groups.n; i++)
        gs_free(j->groups.v[i].name);
    for (size_t i = 0; i < j->nmoves; i++) {
        gs_free(j->moves[i].name);
        gs_free(j->moves[i].queue);
    }
    gs_vec_free(&j->groups);
    *j = (struct gs_job_changes){0};
}

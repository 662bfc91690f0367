/* write_by.c - /summary_by: the main figures again for each queue, kind, size, user or hour.
 *
 * Jobs are put into groups by one counting sort a grouping, so the cost is that of the whole sample once a grouping and family, not
 * once a group. Rows are in order of grouping, group number, metric; groups without jobs are left out. */
#include "sim/base/mem.h"
#include "sim/base/units.h"
#include "sim/base/vec.h"
#include "sim/metrics/internal.h"

#include <string.h>

#include "sim/base/banned.h"

/* Sizes of jobs in GPUs: the upper end of each group. */
static const struct {
    uint32_t most;
    const char *name;
} sizes[] = {
    {0, "cpu"}, {1, "1"},     {2, "2"},      {4, "3-4"},
    {8, "5-8"}, {16, "9-16"}, {64, "17-64"}, {UINT32_MAX, "65+"},
};

enum {
    NSIZES = sizeof sizes / sizeof sizes[0] + 1 /* and the shares, first */
};

static uint32_t size_of(const struct gs_job *j)
{
    if (j->gpus > 0 && j->share_milli < 1000)
        return 0;
    uint32_t i = 0;
    while (j->gpus > sizes[i].most)
        i++;
    return i + 1;
}

struct by {
    const char *name;
    size_t (*groups)(const struct gs_metrics *m);
    uint32_t (*of)(const struct gs_metrics *m, uint32_t job); /* GS_NONE = in no group */
    const char *(*label)(const struct gs_metrics *m, uint32_t group);
};

static size_t queue_groups(const struct gs_metrics *m)
{
    return m->cfg.w->queues.n;
}

static uint32_t queue_of(const struct gs_metrics *m, uint32_t job)
{
    return m->cfg.w->jobs.v[job].queue;
}

static const char *queue_label(const struct gs_metrics *m, uint32_t g)
{
    return gs_intern_str(m->cfg.w->str, m->cfg.w->queues.v[g].name);
}

static size_t kind_groups(const struct gs_metrics *m)
{
    (void)m;
    return GS_KIND_COUNT;
}

static uint32_t kind_of(const struct gs_metrics *m, uint32_t job)
{
    return m->cfg.w->jobs.v[job].kind;
}

static const char *kind_label(const struct gs_metrics *m, uint32_t g)
{
    (void)m;
    return gs_job_kind_str((enum gs_job_kind)g);
}

static size_t size_groups(const struct gs_metrics *m)
{
    (void)m;
    return NSIZES;
}

static uint32_t size_group_of(const struct gs_metrics *m, uint32_t job)
{
    return size_of(&m->cfg.w->jobs.v[job]);
}

static const char *size_label(const struct gs_metrics *m, uint32_t g)
{
    (void)m;
    return g == 0 ? "share" : sizes[g - 1].name;
}

static size_t user_groups(const struct gs_metrics *m)
{
    return m->cfg.w->users.n;
}

static uint32_t user_of(const struct gs_metrics *m, uint32_t job)
{
    return m->cfg.w->jobs.v[job].user;
}

static const char *user_label(const struct gs_metrics *m, uint32_t g)
{
    return gs_intern_str(m->cfg.w->str, m->cfg.w->users.v[g]);
}

static const struct by groupings[] = {
    {"queue", queue_groups, queue_of, queue_label},
    {"kind", kind_groups, kind_of, kind_label},
    {"size", size_groups, size_group_of, size_label},
    {"user", user_groups, user_of, user_label},
};

enum {
    NGROUPINGS = sizeof groupings / sizeof groupings[0]
};

/* In an order that keeps the figures of one family together. */
static const char *const figures[] = {
    "jobs.submitted",
    "jobs.completed",
    "jobs.rejected",
    "jobs.unfinished",
    "jobs.preemptions",
    "jobs.wait.mean",
    "jobs.wait.p50",
    "jobs.wait.p95",
    "jobs.wait.p99",
    "jobs.jct.mean",
    "jobs.jct.p50",
    "jobs.jct.p95",
    "jobs.bounded_slowdown.mean",
    "jobs.bounded_slowdown.p95",
    "load.offered",
};

enum {
    NFIGURES = sizeof figures / sizeof figures[0]
};

struct by_row {
    const char *by, *group;
    struct gs_value_row v;
};

typedef GS_VEC(struct by_row) by_rows;

/* Jobs sorted by group, stably: start[g]..start[g + 1] of the returned array. */
static uint32_t *sort_by_group(const struct gs_metrics *m, const struct by *by, size_t n,
                               size_t *start)
{
    uint32_t *jobs = GS_NEW_N(uint32_t, m->njobs);
    size_t *next = GS_NEW_N(size_t, n + 1);
    for (size_t i = 0; i < m->njobs; i++) {
        const uint32_t g = by->of(m, (uint32_t)i);
        if (g < n)
            next[g + 1]++;
    }
    for (size_t g = 0; g < n; g++)
        next[g + 1] += next[g];
    memcpy(start, next, (n + 1) * sizeof *start);
    for (size_t i = 0; i < m->njobs; i++) {
        const uint32_t g = by->of(m, (uint32_t)i);
        if (g < n)
            jobs[next[g]++] = (uint32_t)i;
    }
    gs_free(next);
    return jobs;
}

static void add_rows(struct gs_metrics *m, const struct by *by, by_rows *rows)
{
    const size_t n = by->groups(m);
    size_t *start = GS_NEW_N(size_t, n + 1);
    uint32_t *jobs = sort_by_group(m, by, n, start);
    for (size_t g = 0; g < n; g++) {
        const struct gs_jobset set = {
            .v = jobs + start[g], .n = start[g + 1] - start[g], .key = ++m->serial};
        if (set.n == 0)
            continue;
        for (size_t i = 0; i < NFIGURES; i++) {
            struct by_row r = {.by = by->name, .group = by->label(m, (uint32_t)g)};
            const size_t at = gs_metric_find(figures[i], strlen(figures[i]));
            gs_verify(at != SIZE_MAX && gs_metric_eval_row(m, at, &set, &r.v, NULL) == GS_OK);
            gs_vec_push(rows, r);
        }
    }
    gs_free(jobs);
    gs_free(start);
}

static const char *units_of(const char *name)
{
    size_t n = 0;
    const struct gs_metric *table = gs_metric_table(&n);
    const size_t at = gs_metric_find(name, strlen(name));
    gs_require(at < n);
    return table[at].units;
}

static enum gs_rc write_rows(struct gs_h5 *f, const by_rows *rows, struct gs_err *err)
{
    static const struct gs_column cols[] = {
        {"by", GS_STR, "1", "what the jobs are grouped by", NULL, NULL},
        {"group", GS_STR, "1", "the group", NULL, NULL},
        {"name", GS_STR, "1", "metric", NULL, NULL},
        {"value", GS_F64, "1", "value in the row's units; NaN = no samples", NULL, NULL},
        {"units", GS_STR, "1", "units of the value", NULL, NULL},
        {"samples", GS_U64, "1", "samples that the value is made of", NULL, NULL},
        {"censored", GS_U64, "1", "samples that are only known to be larger", NULL, NULL},
        {"bound", GS_F64, "1", "lower bound of a censored value, else the value", NULL, NULL},
    };
    void *buf = gs_zalloc(rows->n, 16);
    enum gs_rc rc = GS_OK;
    for (size_t c = 0; c < sizeof cols / sizeof cols[0] && rc == GS_OK && rows->n; c++) {
        for (size_t i = 0; i < rows->n; i++) {
            const struct by_row *r = &rows->v[i];
            switch (c) {
            case 0: ((const char **)buf)[i] = r->by; break;
            case 1: ((const char **)buf)[i] = r->group; break;
            case 2: ((const char **)buf)[i] = r->v.name; break;
            case 3: ((double *)buf)[i] = r->v.value; break;
            case 4: ((const char **)buf)[i] = units_of(r->v.name); break;
            case 5: ((uint64_t *)buf)[i] = r->v.samples; break;
            case 6: ((uint64_t *)buf)[i] = r->v.censored; break;
            default: ((double *)buf)[i] = r->v.bound; break;
            }
        }
        rc = gs_h5_column(f, "/summary_by", &cols[c], buf, rows->n, err);
    }
    gs_free(buf);
    return rc;
}

enum gs_rc gs_groups_check(const char *groups, uint32_t *mask, struct gs_err *err)
{
    const char *names[NGROUPINGS];
    for (size_t i = 0; i < NGROUPINGS; i++)
        names[i] = groupings[i].name;
    *mask = 0;
    for (const char *p = groups ? groups : ""; *p;) {
        p += strspn(p, ", ");
        const size_t len = strcspn(p, ", ");
        size_t i = 0;
        while (i < NGROUPINGS && (strlen(names[i]) != len || memcmp(names[i], p, len) != 0))
            i++;
        if (len && i == NGROUPINGS) {
            char word[64];
            (void)gs_fmt(word, sizeof word, "%.*s", (int)(len < 60 ? len : 60), p);
            const char *near = gs_nearest(word, names, NGROUPINGS);
            return gs_fail(err, GS_E_INPUT,
                           "cannot group by '%s'%s%s%s (there are: queue, kind, size, user)", word,
                           near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
        }
        if (len)
            *mask |= 1u << i;
        p += len;
    }
    return GS_OK;
}

static enum gs_rc all_rows(struct gs_metrics *m, const char *groups, by_rows *rows,
                           struct gs_err *err)
{
    uint32_t mask = 0;
    if (gs_groups_check(groups, &mask, err))
        return GS_E_INPUT;
    for (size_t i = 0; i < NGROUPINGS; i++)
        if (mask >> i & 1)
            add_rows(m, &groupings[i], rows);
    return GS_OK;
}

void gs_groups_pack(struct gs_metrics *m, const char *groups, struct gs_buf *out)
{
    by_rows rows = {0};
    (void)!all_rows(m, groups, &rows, NULL); /* checked with the settings */
    for (size_t i = 0; i < rows.n; i++) {
        const struct by_row *r = &rows.v[i];
        gs_buf_add(out, r->by, strlen(r->by) + 1);
        gs_buf_add(out, r->group, strlen(r->group) + 1);
        gs_buf_add(out, r->v.name, strlen(r->v.name) + 1);
        gs_buf_add(out, (const char *)&r->v.value, sizeof r->v.value);
    }
    gs_vec_free(&rows);
}

enum gs_rc gs_summary_by_write(struct gs_metrics *m, struct gs_h5 *f, const char *groups,
                               struct gs_err *err)
{
    by_rows rows = {0};
    if (all_rows(m, groups, &rows, err))
        return GS_E_INPUT;
    const enum gs_rc rc = write_rows(f, &rows, err);
    gs_vec_free(&rows);
    return rc;
}

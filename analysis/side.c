/* side.c - reads the sides of a comparison from results files.
 *
 * The figures of a run are those of /summary; a replicated file has one row a replication in /replications, with the same names. Figures of
 * groups are those of /summary_by or /replications_by. Nothing is recomputed here. O(runs x metrics). */
#include "analysis/side.h"

#include "sim/base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/banned.h"

/* ---- one file ---- */

static char *attribute(struct gs_h5_in *in, const char *name)
{
    char *s = gs_h5_read_attr_str(in, name);
    return s ? s : gs_strdup("");
}

static double number(struct gs_h5_in *in, const char *name)
{
    char *text = gs_h5_read_attr_str(in, name);
    const double x = text ? strtod(text, NULL) : 0;
    gs_free(text);
    return x;
}

static void add_run(struct gs_side *s, struct gs_side_run run)
{
    gs_vec_push(&s->runs, run);
    for (size_t m = 0; m < s->nmetrics; m++)
        gs_vec_push(&s->values, (double)NAN);
}

/* /replications has a column a metric; those of an older file may lack some. */
static void read_replications(struct gs_side *s, struct gs_h5_in *in, size_t file, uint64_t tie)
{
    size_t n = 0, nd = 0, nm = 0;
    const size_t first = s->runs.n;
    const struct gs_metric *table = gs_metric_table(&nm);
    double *seed = gs_h5_read_f64(in, "/replications/seed", &n);
    double *digest = gs_h5_read_f64(in, "/replications/digest", &nd);
    for (size_t i = 0; i < n; i++)
        add_run(s, (struct gs_side_run){.seed = seed[i],
                                        .tie_seed = tie,
                                        .digest = digest && i < nd ? digest[i] : 0,
                                        .file = file,
                                        .number = i});
    for (size_t m = 0; m < nm && n; m++) {
        char path[160];
        size_t rows = 0;
        (void)gs_fmt(path, sizeof path, "/replications/%s", table[m].name);
        double *v = gs_h5_read_f64(in, path, &rows);
        for (size_t i = 0; i < rows && i < n; i++)
            s->values.v[(first + i) * s->nmetrics + m] = v[i];
        gs_free(v);
    }
    gs_free(seed);
    gs_free(digest);
}

/* /summary: the figures of a file with one run, and the bounds of the side's first one. */
static enum gs_rc read_summary(struct gs_side *s, struct gs_h5_in *in, size_t file, int one_run,
                               struct gs_err *err)
{
    size_t n = 0, nv = 0, nb = 0, nm = 0;
    const struct gs_metric *table = gs_metric_table(&nm);
    char **name = gs_h5_read_str(in, "/summary/name", &n);
    double *value = gs_h5_read_f64(in, "/summary/value", &nv);
    double *bound = gs_h5_read_f64(in, "/summary/bound", &nb);
    const int sound = name && value && n == nv;
    if (one_run && sound)
        add_run(s,
                (struct gs_side_run){.seed = number(in, "seed"),
                                     .tie_seed = (uint64_t)number(in, "tie_seed"),
                                     .digest = (double)strtoull(s->files.v[file].digest, NULL, 0),
                                     .file = file});
    for (size_t i = 0; sound && i < n; i++) {
        size_t m = 0;
        while (m < nm && strcmp(table[m].name, name[i]) != 0)
            m++;
        if (m == nm)
            continue; /* a metric of another version */
        if (one_run)
            s->values.v[(s->runs.n - 1) * s->nmetrics + m] = value[i];
        if (file == 0 && bound && i < nb)
            s->bounds.v[m] = bound[i];
    }
    gs_free(name);
    gs_free(value);
    gs_free(bound);
    return sound ? GS_OK
                 : gs_fail(err, GS_E_INPUT, "%s: holds no /summary: not a results file of gsim run",
                           s->files.v[file].path);
}

/* table: /replications_by, or, where a file has one run, /summary_by. */
static void read_groups(struct gs_side_file *f, struct gs_h5_in *in, const char *table)
{
    size_t n[4] = {0}, runs = 0;
    char path[4][64];
    static const char *const column[] = {"by", "group", "name", "value"};
    for (size_t k = 0; k < 4; k++)
        (void)gs_fmt(path[k], sizeof path[k], "/%s/%s", table, column[k]);
    char **by = gs_h5_read_str(in, path[0], &n[0]);
    char **group = gs_h5_read_str(in, path[1], &n[1]);
    char **name = gs_h5_read_str(in, path[2], &n[2]);
    double *value = gs_h5_read_f64(in, path[3], &n[3]);
    double *run = gs_h5_read_f64(in, "/replications_by/index", &runs);
    f->blocks[0] = by;
    f->blocks[1] = group;
    f->blocks[2] = name;
    for (size_t i = 0; i < n[0] && i < n[1] && i < n[2] && i < n[3]; i++)
        gs_vec_push(&f->groups, (struct gs_group_row){i < runs ? (size_t)run[i] : 0, by[i],
                                                      group[i], name[i], value[i]});
    gs_free(value);
    gs_free(run);
}

static enum gs_rc read_file(struct gs_side *s, const char *path, size_t len, struct gs_err *err)
{
    struct gs_h5_in *in = NULL;
    char *own = gs_strndup(path, len);
    const enum gs_rc opened = gs_h5_open(&in, own, err);
    if (opened) {
        gs_free(own);
        return opened;
    }
    struct gs_side_file f = {.path = own,
                             .scenario = attribute(in, "created_from"),
                             .digest = attribute(in, "digest"),
                             .verdict = attribute(in, "verdict"),
                             .policy = attribute(in, "policy"),
                             .modules = attribute(in, "policy_modules"),
                             .title = attribute(in, "title"),
                             .complete = number(in, "complete") > 0};
    size_t many = 0;
    gs_free(gs_h5_read_f64(in, "/replications_by/index", &many));
    read_groups(&f, in, many ? "replications_by" : "summary_by");
    const size_t file = s->files.n, before = s->runs.n;
    gs_vec_push(&s->files, f);
    read_replications(s, in, file, (uint64_t)number(in, "tie_seed"));
    const enum gs_rc rc = read_summary(s, in, file, s->runs.n == before, err);
    gs_h5_close(in);
    return rc;
}

/* ---- a side ---- */

/* "results/quickstart.h5" is called quickstart. */
static char *label_of(const char *list)
{
    const size_t len = strcspn(list, ",");
    size_t from = len, to = len;
    while (from > 0 && list[from - 1] != '/')
        from--;
    if (to - from > 3 && strncmp(list + to - 3, ".h5", 3) == 0)
        to -= 3;
    return gs_strndup(list + from, to - from);
}

static enum gs_rc refuse_repeats(const struct gs_side *s, struct gs_err *err)
{
    for (size_t i = 0; i < s->runs.n; i++) {
        for (size_t k = 0; k < i; k++) {
            const struct gs_side_run *a = &s->runs.v[i], *b = &s->runs.v[k];
            if (!(a->seed < b->seed) && !(a->seed > b->seed) && a->tie_seed == b->tie_seed)
                return gs_fail(err, GS_E_INPUT,
                               "%s: two of its runs have seed %.0f and tie seed %llu: one side "
                               "takes a run once",
                               s->label, a->seed, (unsigned long long)a->tie_seed);
        }
    }
    return GS_OK;
}

enum gs_rc gs_side_load(struct gs_side *s, const char *list, struct gs_err *err)
{
    *s = (struct gs_side){.label = label_of(list)};
    (void)gs_metric_table(&s->nmetrics);
    for (size_t m = 0; m < s->nmetrics; m++)
        gs_vec_push(&s->bounds, (double)NAN);
    for (const char *p = list; *p;) {
        const size_t len = strcspn(p, ",");
        const enum gs_rc rc = read_file(s, p, len, err);
        if (rc)
            return rc;
        p += len + (p[len] == ',');
    }
    if (!s->runs.n)
        return gs_fail(err, GS_E_INPUT, "'%s' names no results file", list);
    return refuse_repeats(s, err);
}

void gs_side_release(struct gs_side *s)
{
    for (size_t i = 0; i < s->files.n; i++) {
        struct gs_side_file *f = &s->files.v[i];
        void *all[] = {f->path,    f->scenario, f->digest,    f->verdict,   f->policy,
                       f->modules, f->title,    f->blocks[0], f->blocks[1], f->blocks[2]};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            gs_free(all[k]);
        gs_vec_free(&f->groups);
    }
    gs_vec_free(&s->files);
    gs_vec_free(&s->runs);
    gs_vec_free(&s->values);
    gs_vec_free(&s->bounds);
    gs_free(s->label);
    *s = (struct gs_side){0};
}

/* ---- one figure ---- */

static double group_value(const struct gs_side_file *f, size_t run, const char *name,
                          const char *by, const char *group)
{
    for (size_t i = 0; i < f->groups.n; i++) {
        const struct gs_group_row *r = &f->groups.v[i];
        if (r->run == run && strcmp(r->name, name) == 0 && strcmp(r->by, by) == 0 &&
            strcmp(r->group, group) == 0)
            return r->value;
    }
    return (double)NAN;
}

static double value_of(const struct gs_side *s, size_t run, size_t metric, const char *by,
                       const char *group)
{
    size_t n = 0;
    if (!by)
        return s->values.v[run * s->nmetrics + metric];
    const struct gs_side_run *r = &s->runs.v[run];
    return group_value(&s->files.v[r->file], r->number, gs_metric_table(&n)[metric].name, by,
                       group);
}

struct seen {
    double seed, value;
};

static int by_seed(const void *x, const void *y, const void *ctx)
{
    const struct seen *a = x, *b = y;
    (void)ctx;
    return a->seed < b->seed ? -1 : a->seed > b->seed;
}

/* v[0..n): the values of one seed. */
static void add_seed(struct gs_sample_of *out, const struct seen *v, size_t n)
{
    double sum = 0, least = v[0].value, most = least;
    for (size_t i = 0; i < n; i++) {
        sum += v[i].value;
        least = v[i].value < least ? v[i].value : least;
        most = v[i].value > most ? v[i].value : most;
    }
    out->seed[out->n] = v[0].seed;
    out->value[out->n++] = n > 1 ? sum / (double)n : v[0].value;
    out->spread = most - least > out->spread ? most - least : out->spread;
    out->ties = n > out->ties ? n : out->ties;
}

void gs_side_sample(const struct gs_side *s, size_t metric, const char *by, const char *group,
                    struct gs_sample_of *out)
{
    struct seen *v = GS_NEW_N(struct seen, s->runs.n);
    size_t n = 0;
    *out = (struct gs_sample_of){.seed = GS_NEW_N(double, s->runs.n),
                                 .value = GS_NEW_N(double, s->runs.n)};
    for (size_t i = 0; i < s->runs.n; i++) {
        const double x = value_of(s, i, metric, by, group);
        if (isfinite(x))
            v[n++] = (struct seen){s->runs.v[i].seed, x};
        else
            out->missing++;
    }
    gs_sort(v, n, sizeof *v, by_seed, NULL);
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        while (end < n && !(v[end].seed > v[i].seed))
            end++;
        add_seed(out, v + i, end - i);
        i = end;
    }
    gs_free(v);
}

void gs_sample_release(struct gs_sample_of *s)
{
    gs_free(s->seed);
    gs_free(s->value);
    *s = (struct gs_sample_of){0};
}

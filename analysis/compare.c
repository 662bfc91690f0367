/* compare.c - which figures differ between two sides, by how much, and whether that can be told from chance.
 *
 * Cost: a sample a figure and side, O(runs log runs); Holm over the figures shown. Which way is better is the metric table's. */
#include "analysis/compare.h"

#include "analysis/effective.h"
#include "analysis/expect.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

/* What is shown when nothing is asked for. */
static const char *const usual[] = {
    "gpu.allocation",   "gpu.fragmentation", "jobs.wait.mean",
    "jobs.wait.p50",    "jobs.wait.p95",     "jobs.wait.p99",
    "jobs.jct.mean",    "jobs.jct.p95",      "jobs.bounded_slowdown.mean",
    "jobs.unfinished",  "jobs.rejected",     "jobs.failed",
    "jobs.preemptions", "makespan",          "fairness.jain"};

typedef GS_VEC(size_t) metric_vec;

static int names_metric(const char *asked, const char *name)
{
    const size_t n = strlen(asked);
    return strcmp(asked, "all") == 0 || strcmp(asked, name) == 0 ||
           (strncmp(name, asked, n) == 0 && name[n] == '.');
}

static enum gs_rc pick_metrics(const struct gs_compare_ask *ask, metric_vec *out,
                               struct gs_err *err)
{
    size_t nm = 0;
    const struct gs_metric *table = gs_metric_table(&nm);
    const char *const *names = ask->nmetric ? ask->metric : usual;
    const size_t n = ask->nmetric ? ask->nmetric : sizeof usual / sizeof *usual;
    for (size_t k = 0; k < n; k++) {
        const size_t before = out->n;
        for (size_t m = 0; m < nm; m++)
            if (names_metric(names[k], table[m].name))
                gs_vec_push(out, m);
        if (out->n == before)
            return gs_metric_named(names[k], err) ? GS_OK : GS_E_INPUT;
    }
    return GS_OK;
}

/* ---- one figure ---- */

/* The values of seeds that both have; both samples are in order of seed. */
static size_t match_seeds(const struct gs_sample_of *a, const struct gs_sample_of *b, double *va,
                          double *vb)
{
    size_t n = 0;
    for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
        if (a->seed[i] < b->seed[k]) {
            i++;
        } else if (b->seed[k] < a->seed[i]) {
            k++;
        } else {
            va[n] = a->value[i++];
            vb[n++] = b->value[k++];
        }
    }
    return n;
}

static void measure(const struct gs_sample_of *a, const struct gs_sample_of *b, double level,
                    struct gs_compare_row *row)
{
    double *va = GS_NEW_N(double, a->n + 1), *vb = GS_NEW_N(double, b->n + 1);
    const size_t n = match_seeds(a, b, va, vb);
    if (a->n == 1 && n == 1 && b->n == 1) {
        row->pairing = GS_PAIR_SINGLE;
        gs_stats_paired(a->value, b->value, 1, level, &row->d);
    } else if (n) {
        row->pairing = GS_PAIR_SEEDS;
        row->unpaired = a->n + b->n - 2 * n;
        gs_stats_paired(va, vb, n, level, &row->d);
    } else {
        row->pairing = GS_PAIR_NONE;
        gs_stats_welch(a->value, a->n, b->value, b->n, level, &row->d);
    }
    gs_free(va);
    gs_free(vb);
}

static enum gs_outcome_of which_way(const struct gs_metric *m, double diff)
{
    if (m->direction == GS_NEUTRAL)
        return GS_CMP_DIFFERENT;
    return (diff < 0) == (m->direction == GS_LOWER_BETTER) ? GS_CMP_BETTER : GS_CMP_WORSE;
}

/* A side whose only value is +inf (a percentile that falls on a job that never started) has no mean, yet it can be told from a finite one. */
static enum gs_outcome_of judge_infinite(const struct gs_compare_row *r)
{
    if (r->inf_a > 0 && r->inf_b > 0)
        return r->bound_a < r->bound_b || r->bound_a > r->bound_b ? GS_CMP_UNCLEAR : GS_CMP_EQUAL;
    if (r->inf_b > 0 && r->d.na)
        return which_way(r->metric, 1);
    if (r->inf_a > 0 && r->d.nb)
        return which_way(r->metric, -1);
    return GS_CMP_UNKNOWN;
}

static void judge(struct gs_compare_row *r, double alpha)
{
    const struct gs_difference *d = &r->d;
    if (!d->na || !d->nb || isnan(d->diff)) {
        r->outcome = judge_infinite(r);
        return;
    }
    if (d->equal) {
        r->outcome = GS_CMP_EQUAL;
        return;
    }
    r->artefact = r->tie_spread > 0 && fabs(d->diff) <= r->tie_spread;
    if (r->artefact || (!isnan(r->p_holm) && r->p_holm > alpha) ||
        (isnan(r->p_holm) && r->pairing != GS_PAIR_SINGLE))
        r->outcome = GS_CMP_UNCLEAR;
    else
        r->outcome = which_way(r->metric, d->diff);
}

/* +inf if that is what the side's one value is. */
static double only_infinite(const struct gs_side *s, size_t metric, const struct gs_sample_of *v)
{
    if (v->n || s->runs.n != 1)
        return 0;
    const double x = s->values.v[metric];
    return isinf(x) ? x : 0;
}

static void add_row(struct gs_compare *c, size_t metric, const char *by, const char *group,
                    double alpha)
{
    size_t nm = 0;
    struct gs_sample_of a, b;
    struct gs_compare_row row = {
        .metric = &gs_metric_table(&nm)[metric], .by = by, .group = group, .p_holm = (double)NAN};
    gs_side_sample(c->a, metric, by, group, &a);
    gs_side_sample(c->b, metric, by, group, &b);
    measure(&a, &b, 1 - alpha, &row);
    row.missing = a.missing + b.missing;
    row.tie_spread = a.spread > b.spread ? a.spread : b.spread;
    if (!by) {
        row.inf_a = only_infinite(c->a, metric, &a);
        row.inf_b = only_infinite(c->b, metric, &b);
        row.bound_a = c->a->bounds.v[metric];
        row.bound_b = c->b->bounds.v[metric];
    }
    if (a.n || b.n || row.inf_a > 0 || row.inf_b > 0) /* else: no samples on either side */
        gs_vec_push(&c->rows, row);
    gs_sample_release(&a);
    gs_sample_release(&b);
}

/* Groups in the order of the base's file. */
static void add_group_rows(struct gs_compare *c, const metric_vec *m, const char *by, size_t len,
                           double alpha)
{
    size_t nm = 0;
    const struct gs_metric *table = gs_metric_table(&nm);
    const struct gs_side_file *f = &c->a->files.v[0];
    for (size_t i = 0; i < f->groups.n; i++) {
        const struct gs_group_row *g = &f->groups.v[i];
        if (g->run || strlen(g->by) != len || memcmp(g->by, by, len) != 0)
            continue;
        for (size_t k = 0; k < m->n; k++)
            if (strcmp(table[m->v[k]].name, g->name) == 0)
                add_row(c, m->v[k], g->by, g->group, alpha);
    }
}

static enum gs_rc check_by(const char *by, struct gs_err *err)
{
    uint32_t mask = 0;
    return gs_groups_check(by, &mask, err);
}

/* Rows [from, end) are a family: each p is adjusted for the others, then the row is judged. */
static void close_family(struct gs_compare *c, size_t from, const char *by, size_t len,
                         double alpha)
{
    const size_t n = c->rows.n - from;
    double *p = GS_NEW_N(double, n + 1);
    struct gs_family family = {by, len, 0};
    for (size_t i = 0; i < n; i++) {
        p[i] = c->rows.v[from + i].d.p;
        family.n += isnan(p[i]) ? 0 : 1;
    }
    gs_stats_holm(p, n);
    for (size_t i = 0; i < n; i++) {
        c->rows.v[from + i].p_holm = p[i];
        judge(&c->rows.v[from + i], alpha);
    }
    gs_vec_push(&c->families, family);
    gs_free(p);
}

static void add_rows(struct gs_compare *c, const struct gs_compare_ask *ask, const metric_vec *m)
{
    for (size_t k = 0; k < m->n; k++)
        add_row(c, m->v[k], NULL, NULL, ask->alpha);
    close_family(c, 0, NULL, 0, ask->alpha);
    for (const char *p = ask->by ? ask->by : ""; *p;) {
        p += strspn(p, ", ");
        const size_t len = strcspn(p, ", "), from = c->rows.n;
        if (len) {
            add_group_rows(c, m, p, len, ask->alpha);
            close_family(c, from, p, len, ask->alpha);
        }
        p += len;
    }
}

/* ---- what a reader must know ---- */

static int has_seed(const struct gs_side *s, double seed)
{
    for (size_t i = 0; i < s->runs.n; i++)
        if (!(s->runs.v[i].seed < seed) && !(s->runs.v[i].seed > seed))
            return 1;
    return 0;
}

/* Distinct seeds of a: how many b has, too, and how many not. */
static void count_seeds(const struct gs_side *a, const struct gs_side *b, size_t *shared,
                        size_t *own)
{
    for (size_t i = 0; i < a->runs.n; i++) {
        size_t first = 0;
        while (a->runs.v[first].seed < a->runs.v[i].seed ||
               a->runs.v[first].seed > a->runs.v[i].seed)
            first++;
        if (first == i)
            *(has_seed(b, a->runs.v[i].seed) ? shared : own) += 1;
    }
}

static void note_state(struct gs_compare *c, const struct gs_side *s)
{
    for (size_t i = 0; i < s->files.n; i++) {
        if (strcmp(s->files.v[i].verdict, "saturated") == 0)
            gs_buf_fmt(&c->notes, "%s is saturated: its waits grow with the length of the run\n",
                       s->files.v[i].path);
        if (!s->files.v[i].complete)
            gs_buf_fmt(&c->notes, "%s is INCOMPLETE\n", s->files.v[i].path);
    }
}

static void note_seeds(struct gs_compare *c)
{
    const struct gs_side *a = c->a, *b = c->b;
    size_t again = 0;
    count_seeds(a, b, &c->seeds_shared, &c->only_a);
    count_seeds(b, a, &again, &c->only_b);
    if (a->runs.n == 1 && b->runs.n == 1)
        gs_buf_str(&c->notes,
                   c->seeds_shared
                       ? "one run a side (n = 1): differences are exact for this input; what "
                         "chance does to them is not known\n"
                       : "one run a side (n = 1), and the seeds differ: nothing can be told from "
                         "chance\n");
    else if (!c->seeds_shared)
        gs_buf_str(&c->notes, "no seed in common: compared as independent samples (Welch)\n");
    else if (c->only_a || c->only_b)
        gs_buf_fmt(
            &c->notes,
            "paired by seed: %zu; left out, as only one side has the seed: %zu of %s, %zu of %s\n",
            c->seeds_shared, c->only_a, a->label, c->only_b, b->label);
}

/* Do all runs of the one have a run with the same digest in the other? */
static int digests_within(const struct gs_side *a, const struct gs_side *b)
{
    for (size_t i = 0; i < a->runs.n; i++) {
        size_t k = 0;
        while (k < b->runs.n && (b->runs.v[k].digest < a->runs.v[i].digest ||
                                 b->runs.v[k].digest > a->runs.v[i].digest))
            k++;
        if (k == b->runs.n)
            return 0;
    }
    return 1;
}

static void note_all(struct gs_compare *c, const struct gs_compare_ask *ask)
{
    struct gs_buf sections = {0};
    note_state(c, c->a);
    note_state(c, c->b);
    gs_effective_sections(c->a->files.v[0].scenario, c->b->files.v[0].scenario, &sections);
    if (sections.n)
        gs_buf_fmt(&c->notes, "the scenarios differ beyond the policy: %s\n", sections.s);
    gs_buf_free(&sections);
    note_seeds(c);
    c->same_digests = digests_within(c->a, c->b) && digests_within(c->b, c->a);
    if (c->same_digests)
        gs_buf_str(&c->notes, "the digests are equal: the same events and decisions\n");
    if (ask->by && !c->a->files.v[0].groups.n)
        gs_buf_fmt(&c->notes, "%s holds no groups: run with [output] group = queue, kind, size\n",
                   c->a->files.v[0].path);
    size_t artefacts = 0;
    for (size_t i = 0; i < c->rows.n; i++) {
        const struct gs_compare_row *r = &c->rows.v[i];
        artefacts += (size_t)r->artefact;
        if (r->missing && r->pairing != GS_PAIR_SINGLE)
            gs_buf_fmt(
                &c->notes,
                "%s%s%s%s%s%s: %zu runs left out: infinite (jobs never started) or no samples\n",
                r->metric->name, r->by ? "{" : "", r->by ? r->by : "", r->by ? "=" : "",
                r->by ? r->group : "", r->by ? "}" : "", r->missing);
    }
    if (artefacts)
        gs_buf_fmt(&c->notes,
                   "order artefacts: %zu differences are within the spread over tie seeds\n",
                   artefacts);
}

enum gs_rc gs_compare(const struct gs_side *a, const struct gs_side *b,
                      const struct gs_compare_ask *ask, struct gs_compare *out, struct gs_err *err)
{
    metric_vec metrics = {0};
    *out = (struct gs_compare){.a = a, .b = b, .usual = ask->nmetric == 0};
    enum gs_rc rc = check_by(ask->by, err);
    if (!rc)
        rc = pick_metrics(ask, &metrics, err);
    if (!rc) {
        add_rows(out, ask, &metrics);
        note_all(out, ask);
    }
    if (!rc && ask->jobs)
        rc = gs_compare_jobs(a->files.v[0].path, b->files.v[0].path, ask->by, &out->jobs, err);
    gs_vec_free(&metrics);
    return rc;
}

void gs_compare_release(struct gs_compare *c)
{
    gs_vec_free(&c->rows);
    gs_vec_free(&c->families);
    gs_job_changes_release(&c->jobs);
    gs_buf_free(&c->notes);
    *c = (struct gs_compare){0};
}

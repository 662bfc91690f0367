/* compare_show.c - a comparison as a table for people and as JSON for programs.
 *
 * The table is in the manner of benchstat: a figure of each side with half the width of its interval, then the relative difference, or `~`
 * where it cannot be told from chance, `=` where every run agrees. Each further side gets columns of its own. Equal inputs print equal bytes. */
#include "analysis/compare.h"
#include "sim/base/units.h"

#include <jansson.h>
#include <libsmartcols/libsmartcols.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/banned.h"

#define GROUPS_SHOWN 12

const char *gs_outcome_word(enum gs_outcome_of o)
{
    switch (o) {
    case GS_CMP_EQUAL: return "equal";
    case GS_CMP_UNCLEAR: return "not distinguishable";
    case GS_CMP_BETTER: return "better";
    case GS_CMP_WORSE: return "worse";
    case GS_CMP_DIFFERENT: return "different";
    case GS_CMP_UNKNOWN: break;
    }
    return "unknown";
}

/* Figures without a unit that are shares of something. */
static int is_share(const char *name)
{
    static const char *const shares[] = {"gpu.allocation", "gpu.utilization", "gpu.fragmentation",
                                         "load.offered"};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (strcmp(shares[i], name) == 0)
            return 1;
    return 0;
}

void gs_show_figure(const struct gs_metric *m, double x, char *buf, size_t cap)
{
    char t[64];
    if (isnan(x))
        (void)gs_fmt(buf, cap, "no samples");
    else if (strcmp(m->name, "verdict") == 0 && x >= 0 && x <= GS_VERDICT_SATURATED)
        (void)gs_fmt(buf, cap, "%s", gs_verdict_str((enum gs_verdict)(int)x));
    else if (strcmp(m->units, "s") == 0)
        (void)gs_fmt(buf, cap, "%s", gs_show_time(x, t, sizeof t));
    else if (is_share(m->name))
        (void)gs_fmt(buf, cap, "%.2f %%", x * 100);
    else if (fabs(x) < 1e15 && !(x < (double)(int64_t)x) && !(x > (double)(int64_t)x))
        (void)gs_fmt(buf, cap, "%s", gs_show_count((int64_t)x, t, sizeof t));
    else
        (void)gs_fmt(buf, cap, "%.4g", x);
}

/* "16.2 min +/- 40 s", "> 3 d". */
static void show_value(const struct gs_metric *m, double mean, double half, double inf,
                       double bound, char *buf, size_t cap)
{
    char v[64], h[64];
    gs_show_figure(m, inf > 0 ? bound : mean, v, sizeof v);
    if (isnan(mean) && !(inf > 0)) {
        (void)gs_fmt(buf, cap,
                     "not finite"); /* in every run: the notes say how many were left out */
    } else if (inf > 0) {
        (void)gs_fmt(buf, cap, "> %s", v);
    } else if (isfinite(half) && half > 0) {
        gs_show_figure(m, half, h, sizeof h);
        (void)gs_fmt(buf, cap, "%s +/- %s", v, h);
    } else {
        (void)gs_fmt(buf, cap, "%s", v);
    }
}

/* The relative difference and half its interval; absolute where the base is 0. */
static void show_delta(const struct gs_compare_row *r, char *buf, size_t cap)
{
    const struct gs_difference *d = &r->d;
    char v[64];
    switch (r->outcome) {
    case GS_CMP_EQUAL: (void)gs_fmt(buf, cap, "="); return;
    case GS_CMP_UNCLEAR: (void)gs_fmt(buf, cap, r->artefact ? "~ (order)" : "~"); return;
    case GS_CMP_UNKNOWN: (void)gs_fmt(buf, cap, "?"); return;
    case GS_CMP_BETTER:
    case GS_CMP_WORSE:
    case GS_CMP_DIFFERENT: break;
    }
    if (r->inf_a > 0 || r->inf_b > 0) {
        (void)gs_fmt(buf, cap, r->inf_b > 0 ? "never" : "ends now");
    } else if (fabs(d->mean_a) > 0) {
        const double base = fabs(d->mean_a) / 100;
        if (isfinite(d->half) && d->half > 0)
            (void)gs_fmt(buf, cap, "%+.2f %% +/- %.2f", d->diff / base, d->half / base);
        else
            (void)gs_fmt(buf, cap, "%+.2f %%", d->diff / base);
    } else {
        gs_show_figure(r->metric, d->diff, v, sizeof v);
        (void)gs_fmt(buf, cap, "%s%s", d->diff > 0 ? "+" : "", v);
    }
}

static void show_p(const struct gs_compare_row *r, char *buf, size_t cap)
{
    if (isnan(r->p_holm))
        (void)gs_fmt(buf, cap, "-");
    else if (r->p_holm < 0.0005)
        (void)gs_fmt(buf, cap, "<0.001");
    else
        (void)gs_fmt(buf, cap, "%.3f", r->p_holm);
}

static void show_n(const struct gs_compare_row *r, char *buf, size_t cap)
{
    if (r->pairing == GS_PAIR_NONE)
        (void)gs_fmt(buf, cap, "%zu+%zu", r->d.na, r->d.nb);
    else
        (void)gs_fmt(buf, cap, "%zu", r->d.na);
}

static void show_effect(const struct gs_compare_row *r, char *buf, size_t cap)
{
    if (isnan(r->d.effect))
        (void)gs_fmt(buf, cap, "-");
    else
        (void)gs_fmt(buf, cap, "%+.2f", r->d.effect);
}

static void row_name(const struct gs_compare_row *r, char *buf, size_t cap)
{
    if (r->by)
        (void)gs_fmt(buf, cap, "%s{%s=%s}", r->metric->name, r->by, r->group);
    else
        (void)gs_fmt(buf, cap, "%s", r->metric->name);
}

/* The row of another comparison with the same base that is about the same figure, or NULL. */
static const struct gs_compare_row *same_row(const struct gs_compare *c,
                                             const struct gs_compare_row *like)
{
    for (size_t i = 0; i < c->rows.n; i++) {
        const struct gs_compare_row *r = &c->rows.v[i];
        if (r->metric == like->metric && !r->by == !like->by &&
            (!r->by || (strcmp(r->by, like->by) == 0 && strcmp(r->group, like->group) == 0)))
            return r;
    }
    return NULL;
}

static const char *outcome_colour(enum gs_outcome_of o)
{
    return o == GS_CMP_WORSE ? "red" : o == GS_CMP_BETTER ? "green" : NULL;
}

enum {
    PER_SIDE = 6
}; /* value, delta, p, d, n, word */

static void fill_side(struct libscols_line *ln, size_t col, const struct gs_compare_row *r)
{
    char buf[PER_SIDE][160];
    show_value(r->metric, r->d.mean_b, r->d.half_b, r->inf_b, r->bound_b, buf[0], sizeof buf[0]);
    show_delta(r, buf[1], sizeof buf[1]);
    show_p(r, buf[2], sizeof buf[2]);
    show_effect(r, buf[3], sizeof buf[3]);
    show_n(r, buf[4], sizeof buf[4]);
    const int says =
        r->outcome == GS_CMP_BETTER || r->outcome == GS_CMP_WORSE || r->outcome == GS_CMP_DIFFERENT;
    (void)gs_fmt(buf[5], sizeof buf[5], "%s", says ? gs_outcome_word(r->outcome) : "");
    for (size_t k = 0; k < PER_SIDE; k++)
        (void)scols_line_set_data(ln, col + k, buf[k]);
    if (outcome_colour(r->outcome))
        (void)scols_cell_set_color(scols_line_get_cell(ln, col + 5), outcome_colour(r->outcome));
}

static struct libscols_table *new_table(int color)
{
    struct libscols_table *t = scols_new_table();
    if (!t)
        return NULL;
    (void)scols_table_set_termforce(t, SCOLS_TERMFORCE_NEVER);
    (void)scols_table_enable_nowrap(t, 1);
    (void)scols_table_enable_colors(t, color);
    return t;
}

static void print_and_drop(struct libscols_table *t)
{
    (void)fflush(stdout);
    (void)scols_print_table(t);
    scols_unref_table(t);
}

static int all_zero(const struct gs_compare *c, size_t n, const struct gs_compare_row *like)
{
    for (size_t k = 0; k < n; k++) {
        const struct gs_compare_row *r = same_row(&c[k], like);
        if (!r || r->outcome != GS_CMP_EQUAL || fabs(r->d.mean_a) > 0)
            return 0;
    }
    return 1;
}

static void print_figures(const struct gs_compare *c, size_t n, int color)
{
    static const char *const heads[] = {"", "delta", "p", "d", "n", ""};
    struct libscols_table *t = new_table(color);
    if (!t)
        return;
    (void)scols_table_new_column(t, "metric", 0, 0);
    (void)scols_table_new_column(t, c[0].a->label, 0, SCOLS_FL_RIGHT);
    for (size_t k = 0; k < n; k++)
        for (size_t h = 0; h < PER_SIDE; h++)
            (void)scols_table_new_column(t, h ? heads[h] : c[k].b->label, 0,
                                         h + 1 < PER_SIDE ? SCOLS_FL_RIGHT : 0);
    for (size_t i = 0; i < c[0].rows.n; i++) {
        const struct gs_compare_row *r = &c[0].rows.v[i];
        if (c[0].usual && all_zero(c, n, r))
            continue; /* such as rejected jobs, where there are none */
        struct libscols_line *ln = scols_table_new_line(t, NULL);
        char buf[200];
        row_name(r, buf, sizeof buf);
        (void)scols_line_set_data(ln, 0, buf);
        show_value(r->metric, r->d.mean_a, r->d.half_a, r->inf_a, r->bound_a, buf, sizeof buf);
        (void)scols_line_set_data(ln, 1, buf);
        for (size_t k = 0; k < n; k++) {
            const struct gs_compare_row *other = same_row(&c[k], r);
            if (other)
                fill_side(ln, 2 + k * PER_SIDE, other);
        }
    }
    print_and_drop(t);
}

/* ---- jobs ---- */

static void show_change(double s, char *buf, size_t cap)
{
    char t[64];
    if (isnan(s))
        (void)gs_fmt(buf, cap, "-");
    else
        (void)gs_fmt(buf, cap, "%s%s", s > 0 ? "+" : "", gs_show_time(s, t, sizeof t));
}

static void print_groups(const struct gs_job_changes *j, int color)
{
    static const char *const heads[] = {"jobs by",     "",          "jobs", "gained", "lost",
                                        "median wait", "median JCT"};
    struct libscols_table *t = new_table(color);
    if (!t)
        return;
    for (size_t h = 0; h < sizeof heads / sizeof *heads; h++)
        (void)scols_table_new_column(t, heads[h], 0, h < 2 ? 0 : SCOLS_FL_RIGHT);
    const char *by = "";
    size_t shown = 0;
    for (size_t i = 0; i < j->groups.n; i++) {
        const struct gs_job_group *g = &j->groups.v[i];
        shown = strcmp(by, g->by) == 0 ? shown + 1 : 0;
        by = g->by;
        if (shown >= GROUPS_SHOWN)
            continue;
        struct libscols_line *ln = scols_table_new_line(t, NULL);
        const size_t counts[] = {g->n, g->gained, g->lost};
        char buf[64];
        (void)scols_line_set_data(ln, 0, shown ? "" : g->by);
        (void)scols_line_set_data(ln, 1, g->name);
        for (size_t k = 0; k < 3; k++)
            (void)scols_line_set_data(ln, 2 + k,
                                      gs_show_count((int64_t)counts[k], buf, sizeof buf));
        show_change(g->wait, buf, sizeof buf);
        (void)scols_line_set_data(ln, 5, buf);
        show_change(g->jct, buf, sizeof buf);
        (void)scols_line_set_data(ln, 6, buf);
    }
    print_and_drop(t);
}

static const char *show_wait(double seconds, char *buf, size_t cap)
{
    return isnan(seconds) ? "never started" : gs_show_time(seconds, buf, cap);
}

static void print_jobs(const struct gs_compare *c, int color)
{
    const struct gs_job_changes *j = &c->jobs;
    char n[3][32];
    if (j->why_not) {
        (void)printf("jobs are not paired: %s\n", j->why_not);
        return;
    }
    (void)printf("\njobs of %s against %s: %s in both, %s waited less, %s waited longer\n",
                 c->b->label, c->a->label, gs_show_count((int64_t)j->n, n[0], sizeof n[0]),
                 gs_show_count((int64_t)j->gained, n[1], sizeof n[1]),
                 gs_show_count((int64_t)j->lost, n[2], sizeof n[2]));
    if (!j->gained && !j->lost)
        return;
    print_groups(j, color);
    for (size_t i = 0; i < j->nmoves; i++) {
        const struct gs_job_move *m = &j->moves[i];
        char a[64], b[64];
        (void)printf("moved most: job %s (%s, %u GPU%s): wait %s -> %s", m->name, m->queue, m->gpus,
                     m->gpus == 1 ? "" : "s", show_wait(m->wait_a, a, sizeof a),
                     show_wait(m->wait_b, b, sizeof b));
        if (isnan(m->wait_a) || isnan(m->wait_b))
            (void)printf("\n"); /* no amount of change: it is infinite */
        else
            (void)printf(", %.1f %% of all change\n", 100 * m->share);
    }
}

void gs_compare_print(const struct gs_compare *c, size_t n, double alpha, int color)
{
    print_figures(c, n, color);
    (void)printf("%s: the base. +/- and delta: %.4g %% intervals; p: Holm's, over ", c[0].a->label,
                 100 * (1 - alpha));
    for (size_t i = 0; i < c[0].families.n; i++) {
        const struct gs_family *f = &c[0].families.v[i];
        if (f->by)
            (void)printf(", over %zu by %.*s", f->n, (int)f->len, f->by);
        else
            (void)printf("%zu figures", f->n);
    }
    (void)printf("; d: Cohen's; ~: p > %.4g\n", alpha);
    for (size_t k = 0; k < n; k++) {
        const char *p = gs_buf_cstr(&c[k].notes);
        while (*p) {
            const size_t len = strcspn(p, "\n");
            (void)printf("%s%s%.*s\n", n > 1 ? c[k].b->label : "", n > 1 ? ": " : "", (int)len, p);
            p += len + (p[len] == '\n');
        }
    }
    for (size_t k = 0; k < n; k++)
        print_jobs(&c[k], color);
}

/* ---- JSON ---- */

static void put(json_t *o, const char *key, double x)
{
    (void)json_object_set_new(o, key, isfinite(x) ? json_real(x) : json_null());
}

static void put_n(json_t *o, const char *key, size_t n)
{
    (void)json_object_set_new(o, key, json_integer((json_int_t)n));
}

static void put_s(json_t *o, const char *key, const char *s)
{
    (void)json_object_set_new(o, key, json_string(s));
}

static json_t *row_json(const struct gs_compare_row *r)
{
    static const char *const pairing[] = {"seeds", "none", "single"};
    static const char *const better[] = {"lower", "higher", "neither"};
    json_t *o = json_object();
    char name[200];
    row_name(r, name, sizeof name);
    put_s(o, "metric", name);
    put_s(o, "units", r->metric->units);
    put_s(o, "better", better[r->metric->direction]);
    put(o, "a", r->d.mean_a);
    put(o, "a_half", r->d.half_a);
    put(o, "b", r->d.mean_b);
    put(o, "b_half", r->d.half_b);
    put(o, "difference", r->d.diff);
    put(o, "difference_half", r->d.half);
    put(o, "relative", fabs(r->d.mean_a) > 0 ? r->d.diff / fabs(r->d.mean_a) : (double)NAN);
    put(o, "p", r->d.p);
    put(o, "p_holm", r->p_holm);
    put(o, "effect", r->d.effect);
    put_n(o, "n_a", r->d.na);
    put_n(o, "n_b", r->d.nb);
    put_n(o, "left_out", r->missing);
    put_n(o, "unpaired", r->unpaired);
    put_s(o, "paired_by", pairing[r->pairing]);
    put(o, "tie_spread", r->tie_spread);
    (void)json_object_set_new(o, "order_artefact", json_boolean(r->artefact));
    put_s(o, "outcome", gs_outcome_word(r->outcome));
    return o;
}

static json_t *jobs_json(const struct gs_job_changes *j)
{
    json_t *o = json_object(), *groups = json_array(), *moves = json_array();
    (void)json_object_set_new(o, "paired", json_boolean(!j->why_not));
    if (j->why_not)
        put_s(o, "why", j->why_not);
    put_n(o, "jobs", j->n);
    put_n(o, "gained", j->gained);
    put_n(o, "lost", j->lost);
    for (size_t i = 0; i < j->groups.n; i++) {
        const struct gs_job_group *g = &j->groups.v[i];
        json_t *v = json_object();
        put_s(v, "by", g->by);
        put_s(v, "group", g->name);
        put_n(v, "jobs", g->n);
        put_n(v, "gained", g->gained);
        put_n(v, "lost", g->lost);
        put(v, "median_wait_change_s", g->wait);
        put(v, "median_jct_change_s", g->jct);
        (void)json_array_append_new(groups, v);
    }
    for (size_t i = 0; i < j->nmoves; i++) {
        const struct gs_job_move *m = &j->moves[i];
        json_t *v = json_object();
        put_s(v, "job", m->name);
        put_n(v, "row", m->row);
        put_s(v, "queue", m->queue);
        put_n(v, "gpus", m->gpus);
        put(v, "wait_a_s", m->wait_a);
        put(v, "wait_b_s", m->wait_b);
        put(v, "share_of_change", m->share);
        (void)json_array_append_new(moves, v);
    }
    (void)json_object_set_new(o, "groups", groups);
    (void)json_object_set_new(o, "moved_most", moves);
    return o;
}

static json_t *notes_json(const struct gs_buf *notes)
{
    json_t *a = json_array();
    for (const char *p = gs_buf_cstr(notes); *p;) {
        const size_t n = strcspn(p, "\n");
        (void)json_array_append_new(a, json_stringn(p, n));
        p += n + (p[n] == '\n');
    }
    return a;
}

void gs_compare_json(const struct gs_compare *c, size_t n, double alpha)
{
    json_t *all = json_object(), *list = json_array();
    put_s(all, "base", c[0].a->label);
    put(all, "alpha", alpha);
    for (size_t k = 0; k < n; k++) {
        json_t *o = json_object(), *rows = json_array();
        put_s(o, "side", c[k].b->label);
        (void)json_object_set_new(o, "same_digests", json_boolean(c[k].same_digests));
        put_n(o, "seeds_shared", c[k].seeds_shared);
        put_n(o, "seeds_only_base", c[k].only_a);
        put_n(o, "seeds_only_side", c[k].only_b);
        for (size_t i = 0; i < c[k].rows.n; i++)
            (void)json_array_append_new(rows, row_json(&c[k].rows.v[i]));
        (void)json_object_set_new(o, "metrics", rows);
        (void)json_object_set_new(o, "jobs", jobs_json(&c[k].jobs));
        (void)json_object_set_new(o, "notes", notes_json(&c[k].notes));
        (void)json_array_append_new(list, o);
    }
    (void)json_object_set_new(all, "comparisons", list);
    (void)json_dumpf(all, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17));
    (void)fputc('\n', stdout);
    json_decref(all);
}

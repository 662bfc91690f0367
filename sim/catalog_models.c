/* catalog_models.c - the errors of the two models, shown: every measured point of a collective, every published training run. */
#include "sim/catalog_models.h"

#include "sim/base/units.h"
#include "sim/network/measured.h"
#include "sim/training/published.h"

#include <jansson.h>
#include <libsmartcols/libsmartcols.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a listing of text cells ---- */

static struct libscols_table *listing(const char *const *heads, size_t n)
{
    struct libscols_table *out = scols_new_table();
    for (size_t i = 0; out && i < n; i++) /* a heading that starts with > is of numbers */
        (void)scols_table_new_column(out, heads[i] + (heads[i][0] == '>'), 0,
                                     heads[i][0] == '>' ? SCOLS_FL_RIGHT : 0);
    if (out) {
        (void)scols_table_set_termforce(out, SCOLS_TERMFORCE_NEVER);
        (void)scols_table_enable_nowrap(out, 1);
    }
    return out;
}

enum style {
    WHOLE,
    HUNDREDTH,
    THOUSANDTH,
    PERCENT, /* of a ratio */
    SIGNED   /* percent with its sign */
};

static void cell(struct libscols_line *line, size_t column, enum style style, double x)
{
    char text[40] = "-";
    switch (style) {
    case WHOLE: (void)gs_fmt(text, sizeof text, "%.0f", x); break;
    case HUNDREDTH: (void)gs_fmt(text, sizeof text, "%.2f", x); break;
    case THOUSANDTH: (void)gs_fmt(text, sizeof text, "%.3f", x); break;
    case PERCENT: (void)gs_fmt(text, sizeof text, "%.1f %%", 100 * x); break;
    case SIGNED: (void)gs_fmt(text, sizeof text, "%+.2f %%", 100 * x); break;
    }
    (void)scols_line_set_data(line, column, isnan(x) ? "-" : text);
}

static void print(struct libscols_table *out)
{
    (void)scols_print_table(out);
    (void)fputc('\n', stdout);
    scols_unref_table(out);
}

static json_t *number(double x)
{
    return isnan(x) ? json_null() : json_real(x);
}

static void print_json(json_t *a)
{
    (void)json_dumpf(a, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6));
    (void)fputc('\n', stdout);
    json_decref(a);
}

/* ---- collectives ---- */

static void list_curves(const struct gs_measurements *m)
{
    static const char *const heads[] = {"system", ">ranks", "collective", "algorithm",
                                        ">bytes", ">GB/s",  ">left out",  ">alpha-beta"};
    struct libscols_table *out = listing(heads, sizeof heads / sizeof *heads);
    for (size_t k = 0; out && k < m->curves.n; k++) {
        const struct gs_measured *x = &m->curves.v[k];
        for (size_t i = 0; i < x->curve.n; i++) {
            struct libscols_line *line = scols_table_new_line(out, NULL);
            (void)scols_line_set_data(line, 0, x->machine);
            cell(line, 1, WHOLE, x->ranks);
            (void)scols_line_set_data(line, 2, gs_collective_str(x->op));
            (void)scols_line_set_data(line, 3, x->algorithm);
            cell(line, 4, WHOLE, x->curve.point[i].bytes);
            cell(line, 5, HUNDREDTH, x->curve.point[i].gbs);
            cell(line, 6, PERCENT, x->point[i].leave_one_out);
            cell(line, 7, SIGNED, x->point[i].model);
        }
    }
    if (out)
        print(out);
}

static void list_systems(const struct gs_measurements *m)
{
    static const char *const heads[] = {"system",  ">ranks",         "collective", "algorithm",
                                        ">points", ">rms log error", ">worst"};
    struct libscols_table *out = listing(heads, sizeof heads / sizeof *heads);
    for (size_t k = 0; out && k < m->curves.n; k++) {
        const struct gs_measured *x = &m->curves.v[k];
        struct libscols_line *line = scols_table_new_line(out, NULL);
        (void)scols_line_set_data(line, 0, x->machine);
        cell(line, 1, WHOLE, x->ranks);
        (void)scols_line_set_data(line, 2, gs_collective_str(x->op));
        (void)scols_line_set_data(line, 3, x->algorithm);
        cell(line, 4, WHOLE, (double)x->curve.n);
        cell(line, 5, THOUSANDTH, x->model_rms_log);
        cell(line, 6, PERCENT, x->model_worst);
    }
    if (out)
        print(out);
}

static json_t *curves_json(const struct gs_measurements *m)
{
    json_t *a = json_array();
    for (size_t k = 0; k < m->curves.n; k++) {
        const struct gs_measured *x = &m->curves.v[k];
        json_t *o = json_object(), *points = json_array();
        (void)json_object_set_new(o, "system", json_string(x->machine));
        (void)json_object_set_new(o, "gpu", json_string(x->gpu));
        (void)json_object_set_new(o, "ranks", json_integer(x->ranks));
        (void)json_object_set_new(o, "collective", json_string(gs_collective_str(x->op)));
        (void)json_object_set_new(o, "algorithm", json_string(x->algorithm));
        (void)json_object_set_new(o, "model_rms_log", number(x->model_rms_log));
        (void)json_object_set_new(o, "model_worst", number(x->model_worst));
        for (size_t i = 0; i < x->curve.n; i++) {
            json_t *p = json_object();
            (void)json_object_set_new(p, "bytes",
                                      json_integer((json_int_t)x->curve.point[i].bytes));
            (void)json_object_set_new(p, "busbw_gbs", json_real(x->curve.point[i].gbs));
            (void)json_object_set_new(p, "left_out", number(x->point[i].leave_one_out));
            (void)json_object_set_new(p, "alpha_beta", number(x->point[i].model));
            (void)json_array_append_new(points, p);
        }
        (void)json_object_set_new(o, "points", points);
        (void)json_array_append_new(a, o);
    }
    return a;
}

static void show_collectives(struct gs_catalog *c, int json)
{
    struct gs_measurements m;
    gs_measurements_load(&m, c);
    const struct gs_loo loo = gs_measurements_loo(&m);
    if (json) {
        print_json(curves_json(&m));
    } else {
        list_curves(&m);
        (void)printf(
            "Alpha-beta model: time / measured time - 1, over each table; - = a machine that is not known.\n");
        list_systems(&m);
        (void)printf(
            "Interpolation of %u inner points, each left out: median error %.2f %%, %.1f %% of points within 10 %%.\n",
            loo.points, 100 * loo.median, 100.0 * loo.within_10 / loo.points);
    }
    gs_measurements_release(&m);
}

/* ---- steps ---- */

static void run_cells(struct libscols_line *line, const struct gs_published *r)
{
    char text[80];
    (void)scols_line_set_data(line, 0, r->model);
    cell(line, 1, WHOLE, r->year ? r->year : (double)NAN);
    (void)scols_line_set_data(line, 2, r->gpu);
    cell(line, 3, WHOLE, r->gpus ? r->gpus : (double)NAN);
    cell(line, 4, WHOLE, r->lacks ? (double)NAN : r->train.sequence);
    (void)scols_line_set_data(line, 5, r->lacks ? "-" : gs_precision_str(r->train.precision));
    cell(line, 6, SIGNED, r->flops / r->stated_flops - 1);
    cell(line, 7, HUNDREDTH, r->lacks ? (double)NAN : r->step.step_s);
    cell(line, 8, SIGNED, r->residual);
    cell(line, 9, HUNDREDTH, r->efficiency);
    (void)gs_fmt(text, sizeof text, "%s%s", r->lacks ? "not predicted: lacks " : "",
                 r->lacks ? r->lacks : "");
    (void)scols_line_set_data(line, 10, text);
}

static void list_runs(const struct gs_published_runs *p)
{
    static const char *const heads[] = {
        "model",       ">year",   "gpu",       ">gpus",  ">sequence", "precision",
        ">FLOP/token", ">step s", ">residual", ">needs", ""};
    struct libscols_table *out = listing(heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; out && i < p->runs.n; i++)
        run_cells(scols_table_new_line(out, NULL), &p->runs.v[i]);
    if (out)
        print(out);
}

/* The first run of this model, GPU, year and precision stands for all of them. */
static int same_group(const struct gs_published *a, const struct gs_published *b)
{
    return a->year == b->year && a->train.precision == b->train.precision &&
           strcmp(a->model, b->model) == 0 && strcmp(a->gpu, b->gpu) == 0;
}

static void list_groups(const struct gs_published_runs *p)
{
    static const char *const heads[] = {"model", ">year",          "gpu",   "precision",
                                        ">runs", ">mean residual", ">worst"};
    struct libscols_table *out = listing(heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; out && i < p->runs.n; i++) {
        const struct gs_published *r = &p->runs.v[i];
        double sum = 0, worst = 0;
        size_t n = 0, first = 0;
        while (p->runs.v[first].lacks || !same_group(&p->runs.v[first], r))
            if (++first == p->runs.n)
                break;
        if (r->lacks || first < i)
            continue;
        for (size_t k = i; k < p->runs.n; k++) {
            const struct gs_published *q = &p->runs.v[k];
            if (q->lacks || !same_group(q, r))
                continue;
            sum += q->residual;
            worst = fabs(q->residual) > fabs(worst) ? q->residual : worst;
            n++;
        }
        struct libscols_line *line = scols_table_new_line(out, NULL);
        (void)scols_line_set_data(line, 0, r->model);
        cell(line, 1, WHOLE, r->year);
        (void)scols_line_set_data(line, 2, r->gpu);
        (void)scols_line_set_data(line, 3, gs_precision_str(r->train.precision));
        cell(line, 4, WHOLE, (double)n);
        cell(line, 5, SIGNED, sum / (double)n);
        cell(line, 6, SIGNED, worst);
    }
    if (out)
        print(out);
}

static json_t *runs_json(const struct gs_published_runs *p)
{
    json_t *a = json_array();
    for (size_t i = 0; i < p->runs.n; i++) {
        const struct gs_published *r = &p->runs.v[i];
        json_t *o = json_object();
        (void)json_object_set_new(o, "run", json_string(r->run));
        (void)json_object_set_new(o, "model", json_string(r->model));
        (void)json_object_set_new(o, "year", json_integer(r->year));
        (void)json_object_set_new(o, "gpu", json_string(r->gpu));
        (void)json_object_set_new(o, "gpus", json_integer(r->gpus));
        (void)json_object_set_new(o, "counting", json_string(gs_flops_convention_str(r->counting)));
        (void)json_object_set_new(o, "flops_per_token", number(r->flops));
        (void)json_object_set_new(o, "stated_flops_per_token", number(r->stated_flops));
        (void)json_object_set_new(o, "residual", number(r->residual));
        (void)json_object_set_new(o, "needs_efficiency", number(r->efficiency));
        (void)json_object_set_new(o, "lacks", r->lacks ? json_string(r->lacks) : json_null());
        (void)json_object_set_new(o, "note", json_string(r->note));
        (void)json_array_append_new(a, o);
    }
    return a;
}

static void show_steps(struct gs_catalog *c, int json)
{
    struct gs_measurements m;
    struct gs_published_runs p;
    uint32_t n = 0, both = 0, close = 0;
    gs_measurements_load(&m, c);
    gs_published_load(&p, c, &m);
    const double median = gs_published_median(&p, &n);
    for (size_t i = 0; i < p.runs.n; i++) {
        both += isnan(p.runs.v[i].stated_flops) ? 0 : 1;
        close += fabs(p.runs.v[i].flops / p.runs.v[i].stated_flops - 1) <= 0.01 ? 1 : 0;
    }
    if (json) {
        print_json(runs_json(&p));
    } else {
        list_runs(&p);
        (void)printf(
            "FLOP/token: ours by the convention of the row's table / what its rate and throughput come to - 1.\n"
            "residual: step time with the default efficiency / measured - 1; needs: the efficiency at which it would be 0.\n\n");
        list_groups(&p);
        (void)printf(
            "FLOP per token: %u of the %u runs that state rate and throughput agree within 1 %%.\n",
            close, both);
        (void)printf(
            "Step time: %u runs predicted, median residual %.1f %%; %u lack something (named above).\n",
            n, 100 * median, (unsigned)p.runs.n - n);
    }
    gs_published_release(&p);
    gs_measurements_release(&m);
}

static const struct gs_catalog_view views[] = {
    {"collectives",
     "measured collectives, and the error of interpolation and of the alpha-beta model",
     show_collectives},
    {"steps", "published training runs, and the error of the modelled step", show_steps}};

const struct gs_catalog_view *gs_catalog_view(size_t i)
{
    return i < sizeof views / sizeof *views ? &views[i] : NULL;
}

const struct gs_catalog_view *gs_catalog_view_named(const char *name)
{
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (strcmp(views[i].name, name) == 0)
            return &views[i];
    return NULL;
}

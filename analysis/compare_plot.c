/* compare_plot.c - the chart of differences: a line a figure, the relative difference with its interval, and which way is better.
 *
 * What cannot be told from chance (p by Holm, within its family) is hollow, even where its own interval leaves zero out. A figure whose base is 0 is
 * left out: it has no relative difference. The title states the finding. */
#include "analysis/compare_plot.h"

#include "analysis/gnuplot.h"
#include "analysis/plotchart.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

#define MOST_LINES 24u

static const struct {
    enum gs_outcome_of outcome;
    const char *title, *style;
} classes[] = {
    {GS_CMP_BETTER, "better", "pt 7 ps 1.6 lw 2.5 lc rgb blue"},
    {GS_CMP_WORSE, "worse", "pt 9 ps 1.8 lw 2.5 lc rgb red"},
    {GS_CMP_DIFFERENT, "different", "pt 5 ps 1.5 lw 2.5 lc rgb pink"},
    {GS_CMP_UNCLEAR, "not distinguishable", "pt 6 ps 1.6 lw 2 lc rgb grey"},
    {GS_CMP_EQUAL, "equal", "pt 2 ps 1.2 lw 2 lc rgb grey"},
};

#define NCLASSES (sizeof classes / sizeof *classes)

/* Of a grouping with one group, the rows repeat those of all jobs. */
static int is_wanted(const struct gs_compare *c, const struct gs_compare_row *r)
{
    for (size_t i = 0; r->by && i < c->rows.n; i++) {
        const struct gs_compare_row *o = &c->rows.v[i];
        if (o->by && strcmp(o->by, r->by) == 0 && strcmp(o->group, r->group) != 0)
            return 1;
    }
    return !r->by;
}

static int has_place(const struct gs_compare *c, const struct gs_compare_row *r)
{
    return is_wanted(c, r) && r->outcome != GS_CMP_UNKNOWN && fabs(r->d.mean_a) > 0 &&
           isfinite(r->d.diff);
}

static size_t count(const struct gs_compare *c, enum gs_outcome_of o)
{
    size_t n = 0;
    for (size_t i = 0; i < c->rows.n; i++)
        n += c->rows.v[i].outcome == o;
    return n;
}

static void title(struct gs_buf *out, const struct gs_compare *c)
{
    struct gs_buf finding = {0}, below = {0};
    gs_chart_some(&finding, c->b->label, 40);
    gs_buf_fmt(&finding, " against ");
    gs_chart_some(&finding, c->a->label, 40);
    gs_buf_fmt(&finding, ": better in %zu, worse in %zu", count(c, GS_CMP_BETTER),
               count(c, GS_CMP_WORSE));
    if (c->seeds_shared && c->a->runs.n > 1)
        gs_buf_fmt(&below, "paired by seed, n = %zu · hollow: not distinguishable",
                   c->seeds_shared);
    else if (c->a->runs.n > 1 || c->b->runs.n > 1)
        gs_buf_fmt(&below, "independent samples, %zu and %zu runs · intervals of the difference",
                   c->a->runs.n, c->b->runs.n);
    else
        gs_buf_str(&below, "one run a side: exact for this input, no interval");
    size_t rows = 0, shown = 0;
    for (size_t i = 0; i < c->rows.n; i++)
        rows += is_wanted(c, &c->rows.v[i]) ? 1 : 0;
    for (size_t i = 0; i < c->rows.n; i++)
        shown += has_place(c, &c->rows.v[i]) ? 1 : 0;
    shown = shown > MOST_LINES ? MOST_LINES : shown;
    if (shown < rows)
        gs_buf_fmt(&below, " · %zu of %zu figures drawn", shown, rows);
    gs_chart_label(out, 1, gs_buf_cstr(&finding),
                   "at graph 0, graph 1 offset 0,3.3 left font TITLE");
    gs_chart_label(out, 2, gs_buf_cstr(&below),
                   "at graph 0, graph 1 offset 0,1.8 left textcolor rgb '#505050'");
    gs_buf_free(&finding);
    gs_buf_free(&below);
}

/* One block a class: percent, place from above, half of the interval in percent. */
static void blocks(struct gs_buf *out, const struct gs_compare *c)
{
    for (size_t k = 0; k < NCLASSES; k++) {
        size_t place = 0;
        gs_buf_fmt(out, "$class%zu << EOD\n", k);
        for (size_t i = 0; i < c->rows.n && place < MOST_LINES; i++) {
            const struct gs_compare_row *r = &c->rows.v[i];
            if (!has_place(c, r))
                continue;
            place++;
            if (r->outcome != classes[k].outcome)
                continue;
            const double base = fabs(r->d.mean_a) / 100;
            gs_buf_fmt(out, "%.10g -%zu %.10g\n", r->d.diff / base, place,
                       isfinite(r->d.half) ? r->d.half / base : 0.0);
        }
        gs_buf_str(out, "EOD\n");
    }
}

static void axes(struct gs_buf *out, const struct gs_compare *c)
{
    size_t place = 0, longest = 0;
    gs_buf_str(out, "unset ytics\nset ytics nomirror (");
    for (size_t i = 0; i < c->rows.n && place < MOST_LINES; i++) {
        const struct gs_compare_row *r = &c->rows.v[i];
        struct gs_buf name = {0};
        if (!has_place(c, r))
            continue;
        gs_buf_str(&name, r->metric->name);
        if (r->by)
            gs_buf_fmt(&name, " %s=%s", r->by, r->group);
        longest = gs_chart_letters(name.s) > longest ? gs_chart_letters(name.s) : longest;
        gs_buf_str(out, place++ ? ", " : "");
        gs_gnuplot_quote(out, name.s);
        gs_buf_fmt(out, " -%zu", place);
        gs_buf_free(&name);
    }
    gs_buf_fmt(out, ") noenhanced\nset yrange [-%zu.7:-0.3]\nset lmargin %zu\n", place,
               longest + 3);
    gs_buf_str(
        out,
        "set xlabel 'difference, % of the base'\nset xzeroaxis\n"
        "set arrow 1 from first 0, graph 0 to first 0, graph 1 nohead lw 1.5 lc rgb "
        "'#606060' back\nset bmargin 6.5\nset key at screen 0.5, screen 0.035 center center horizontal\n");
}

static void draw(struct gs_buf *out, const struct gs_compare *c)
{
    size_t drawn = 0;
    title(out, c);
    blocks(out, c);
    axes(out, c);
    gs_buf_str(out, "plot ");
    for (size_t k = 0; k < NCLASSES; k++) {
        int any = 0;
        for (size_t i = 0; i < c->rows.n; i++)
            any |= has_place(c, &c->rows.v[i]) && c->rows.v[i].outcome == classes[k].outcome;
        if (any)
            gs_buf_fmt(out, "%s$class%zu using 1:2:3 with xerrorbars %s title '%s'",
                       drawn++ ? ", " : "", k, classes[k].style, classes[k].title);
    }
    gs_buf_str(out, drawn ? "\n" : "NaN notitle\n");
}

enum gs_rc gs_compare_plot(const struct gs_compare *c, size_t n, const struct gs_plot_to *to,
                           gs_path_vec *made, struct gs_err *err)
{
    enum gs_rc rc = GS_OK;
    const char **h5 = GS_NEW_N(const char *, n + 1), **label = GS_NEW_N(const char *, n + 1);
    for (size_t k = 0; k < n && !rc; k++) {
        struct gs_buf text = {0}, name = {0};
        draw(&text, &c[k]);
        gs_buf_fmt(&name, "%s-vs-%s.h5", c[k].a->label, c[k].b->label);
        rc = gs_plot_text(name.s, "compare-differences", &text, to, made, err);
        gs_buf_free(&text);
        gs_buf_free(&name);
    }
    for (size_t k = 0; k <= n; k++) {
        const struct gs_side *s = k ? c[k - 1].b : c[0].a;
        h5[k] = s->files.v[0].path;
        label[k] = s->label;
    }
    if (!rc)
        rc = gs_plot_sweep(h5, label, n + 1, to, made, err);
    gs_free(h5);
    gs_free(label);
    return rc;
}

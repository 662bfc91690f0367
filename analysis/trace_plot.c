/* trace_plot.c - four charts of a trace: how long jobs run and how far apart they arrive, how many tokens requests have, how large jobs are,
 * when they arrive.
 *
 * Distributions are drawn as the share below a value, on a logarithmic axis, since run times span six decades. What lies below the axis (0 s,
 * in traces to the second) is put at its end and counts, and the end is labelled so. The title states the finding. */
#include "analysis/trace_plot.h"

#include "analysis/gnuplot.h"
#include "analysis/plotchart.h"
#include "sim/base/units.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

#define POINTS 101

static void heading(struct gs_buf *out, const struct gs_trace_chart *c, const char *finding)
{
    struct gs_buf below = {0};
    gs_chart_some(&below, c->about, 110);
    gs_chart_label(out, 1, finding, "at graph 0, graph 1 offset 0,3.3 left font TITLE");
    gs_chart_label(out, 2, gs_buf_cstr(&below),
                   "at graph 0, graph 1 offset 0,1.8 left textcolor rgb '#505050'");
    gs_buf_free(&below);
}

/* ---- Distributions ----------------------------------------------------------------------------- */

struct mark {
    double at;
    const char *name;
};

static const struct mark times[] = {
    {0.001, "1 ms"},  {0.01, "10 ms"},    {0.1, "0.1 s"}, {1, "1 s"},      {10, "10 s"},
    {60, "1 min"},    {600, "10 min"},    {3600, "1 h"},  {36000, "10 h"}, {86400, "1 d"},
    {864000, "10 d"}, {8640000, "100 d"}, {0, NULL}};
static const struct mark tokens[] = {{1, "1"},           {10, "10"},          {100, "100"},
                                     {1000, "1,000"},    {10000, "10,000"},   {100000, "100,000"},
                                     {1e6, "1 million"}, {1e7, "10 million"}, {0, NULL}};

struct span {
    double from, to; /* marks */
    int below;       /* some value lies below `from` */
};

/* The marks that enclose all values above 0; where they do not reach so far, the first and the last. */
static struct span span_of(const struct gs_trace_chart_curve *v, size_t n, const struct mark *marks)
{
    double least = HUGE_VAL;
    double most = 0;
    struct span s = {.from = marks[0].at};
    for (size_t k = 0; k < n; k++) {
        for (int i = 0; i < POINTS; i++)
            least = v[k].at[i] > 0 && v[k].at[i] < least ? v[k].at[i] : least;
        most = v[k].at[POINTS - 1] > most ? v[k].at[POINTS - 1] : most;
    }
    for (size_t i = 0; marks[i].name; i++) {
        s.from = marks[i].at <= least && marks[i].at < most ? marks[i].at : s.from;
        s.to = s.to < most || s.to <= s.from ? marks[i].at : s.to;
    }
    for (size_t k = 0; k < n; k++)
        s.below |= v[k].at[0] < s.from;
    return s;
}

static void axis(struct gs_buf *out, const struct mark *marks, const struct span *s)
{
    gs_buf_fmt(out,
               "set logscale x\nset xrange [%.8g:%.8g]\nset yrange [0:100]\n"
               "set ylabel 'share of all (%%)'\nset key bottom right\nset rmargin 6\nset xtics (",
               s->from, s->to > s->from ? s->to : 10 * s->from);
    const char *between = "";
    for (size_t i = 0; marks[i].name; i++) {
        if (marks[i].at < s->from || marks[i].at > s->to)
            continue;
        gs_buf_fmt(out, "%s'%s%s' %.8g", between, s->below && !*between ? "≤ " : "", marks[i].name,
                   marks[i].at);
        between = ", ";
    }
    gs_buf_str(out, ")\n");
}

static void draw_curves(struct gs_buf *out, const struct gs_trace_chart_curve *v, size_t n,
                        const struct mark *marks)
{
    const struct span s = span_of(v, n, marks);
    for (size_t k = 0; k < n; k++) {
        gs_buf_fmt(out, "$curve%zu << EOD\n", k);
        for (int i = 0; i < POINTS; i++)
            gs_buf_fmt(out, "%.8g %d\n", v[k].at[i] > s.from ? v[k].at[i] : s.from, i);
        gs_buf_str(out, "EOD\n");
    }
    axis(out, marks, &s);
    for (size_t k = 0; k < n; k++) {
        gs_buf_fmt(out, "%s$curve%zu using 1:2 with lines %s title ", k ? ", " : "plot ", k,
                   gs_chart_lines[k]);
        gs_gnuplot_quote(out, v[k].what);
    }
    gs_buf_str(out, "\n");
}

static void draw_times(struct gs_buf *out, const struct gs_trace_chart *c)
{
    char half[64], tenth[64];
    struct gs_buf finding = {0};
    const struct gs_trace_chart_curve *v = &c->times[0];
    gs_buf_fmt(&finding, "%s: half at most %s, a tenth above %s", v->what,
               gs_show_time(v->at[50], half, sizeof half),
               gs_show_time(v->at[90], tenth, sizeof tenth));
    heading(out, c, gs_buf_cstr(&finding));
    gs_buf_free(&finding);
    gs_buf_str(out, "set xlabel 'time (log scale)'\n");
    draw_curves(out, c->times, c->ntimes, times);
}

static void draw_lengths(struct gs_buf *out, const struct gs_trace_chart *c)
{
    struct gs_buf finding = {0};
    for (size_t k = 0; k < c->nlengths; k++)
        gs_buf_fmt(&finding, "%s%s: half at most %.6g%s", k ? ", " : "", c->lengths[k].what,
                   c->lengths[k].at[50], k ? "" : " tokens");
    heading(out, c, gs_buf_cstr(&finding));
    gs_buf_free(&finding);
    gs_buf_str(out, "set xlabel 'tokens (log scale)'\n");
    draw_curves(out, c->lengths, c->nlengths, tokens);
}

/* ---- Sizes ------------------------------------------------------------------------------------- */

#define LABELS_MAX 12 /* more names of sizes stand too close */

/* What a size is shown for: its share of the jobs or of the GPU time, whichever is larger. */
static double weight(const struct gs_trace_chart *c, size_t i)
{
    const double jobs = c->sizes[i].jobs / c->jobs;
    const double hours = c->gpu_hours > 0 ? c->sizes[i].gpu_hours / c->gpu_hours : 0;
    return jobs > hours ? jobs : hours;
}

/* How many sizes weigh more; equals count from the left, so that each size has its own rank. */
static size_t rank_of(const struct gs_trace_chart *c, size_t i)
{
    size_t rank = 0;
    for (size_t k = 0; k < c->nsizes; k++)
        rank += weight(c, k) > weight(c, i) || (k < i && weight(c, k) == weight(c, i));
    return rank;
}

/* Bars of the sizes that weigh most, by size, and one of all the others. */
static void size_bars(struct gs_buf *out, const struct gs_trace_chart *c)
{
    const int all = c->nsizes <= LABELS_MAX;
    double jobs = c->jobs;
    double hours = c->gpu_hours;
    gs_buf_str(out, "$sizes << EOD\n");
    for (size_t i = 0; i < c->nsizes; i++) {
        if (!all && rank_of(c, i) >= LABELS_MAX - 1)
            continue;
        gs_buf_fmt(out, "%s %.8g %.8g\n", c->sizes[i].name, 100 * c->sizes[i].jobs / c->jobs,
                   c->gpu_hours > 0 ? 100 * c->sizes[i].gpu_hours / c->gpu_hours : 0.0);
        jobs -= c->sizes[i].jobs;
        hours -= c->sizes[i].gpu_hours;
    }
    if (!all)
        gs_buf_fmt(out, "others %.8g %.8g\n", 100 * jobs / c->jobs,
                   c->gpu_hours > 0 ? 100 * hours / c->gpu_hours : 0.0);
    gs_buf_str(out, "EOD\n");
}

static void draw_sizes(struct gs_buf *out, const struct gs_trace_chart *c)
{
    const int timed = c->gpu_hours > 0;
    size_t most = 0;
    for (size_t i = 0; i < c->nsizes; i++) {
        const struct gs_trace_chart_size *a = &c->sizes[i];
        const struct gs_trace_chart_size *b = &c->sizes[most];
        most = (timed ? a->gpu_hours > b->gpu_hours : a->jobs > b->jobs) ? i : most;
    }
    struct gs_buf finding = {0};
    gs_buf_fmt(&finding, "%s-GPU jobs: %.0f %% of the jobs", c->sizes[most].name,
               100 * c->sizes[most].jobs / c->jobs);
    if (timed)
        gs_buf_fmt(&finding, ", %.0f %% of the GPU time",
                   100 * c->sizes[most].gpu_hours / c->gpu_hours);
    heading(out, c, gs_buf_cstr(&finding));
    gs_buf_free(&finding);
    size_bars(out, c);
    gs_buf_str(out, "set style data histograms\nset style histogram clustered gap 1\n"
                    "set yrange [0:*]\nset ylabel 'share (%)'\nset xlabel 'GPUs of a job'\n"
                    "unset grid\nset grid ytics linecolor rgb '#d0d0d0' linewidth 0.8\n"
                    "set key top right\nplot $sizes using 2:xtic(1) lc rgb sky title 'jobs'");
    gs_buf_str(out, timed ? ", '' using 3 lc rgb orange title 'GPU time'\n" : "\n");
}

/* ---- Arrivals ---------------------------------------------------------------------------------- */

/* Shares of v[n] as boxes between two places of the screen, with a line where all would be equal. */
static void panel(struct gs_buf *out, const char *name, const uint64_t *v, int n, double left,
                  double right)
{
    double total = 0;
    for (int i = 0; i < n; i++)
        total += (double)v[i];
    gs_buf_fmt(out, "$%s << EOD\n", name);
    for (int i = 0; i < n; i++)
        gs_buf_fmt(out, "%d %.8g\n", i, 100 * (double)v[i] / total);
    gs_buf_fmt(
        out,
        "EOD\nset lmargin at screen %g\nset rmargin at screen %g\nset xrange [-0.7:%g]\n"
        "plot $%s using 1:2 with boxes lc rgb sky, %.8g with lines lw 2 lc rgb red dt (12,4) "
        "title 'evenly'\nunset label\nunset ylabel\n",
        left, right, n - 0.3, name, 100.0 / n);
}

static void draw_arrivals(struct gs_buf *out, const struct gs_trace_chart *c)
{
    double total = 0;
    int busiest = 0;
    for (int i = 0; i < 24; i++) {
        total += (double)c->by_hour[i];
        busiest = c->by_hour[i] > c->by_hour[busiest] ? i : busiest;
    }
    struct gs_buf finding = {0};
    gs_buf_fmt(&finding, "most arrive from %02d to %02d o'clock: %.1f %% (evenly: 4.2 %%)", busiest,
               busiest + 1, 100 * (double)c->by_hour[busiest] / total);
    heading(out, c, gs_buf_cstr(&finding));
    gs_buf_free(&finding);
    gs_buf_str(
        out, "set multiplot\nset yrange [0:*]\nset ylabel 'share of arrivals (%)'\n"
             "set boxwidth 0.8\nunset grid\nset grid ytics linecolor rgb '#d0d0d0' linewidth 0.8\n"
             "set key top right\nset xlabel 'hour of the day, by the local clock'\n"
             "set xtics 0,3\n");
    panel(out, "hours", c->by_hour, 24, 0.08, 0.64);
    gs_buf_str(out, "set xlabel 'weekday'\nset xtics ('Mon' 0, 'Tue' 1, 'Wed' 2, 'Thu' 3, "
                    "'Fri' 4, 'Sat' 5, 'Sun' 6)\n");
    panel(out, "days", c->by_weekday, 7, 0.70, 0.97);
    gs_buf_str(out, "unset multiplot\n");
}

enum gs_rc gs_trace_plot(const struct gs_trace_chart *c, const struct gs_plot_to *to,
                         gs_path_vec *made, struct gs_err *err)
{
    const struct {
        const char *name;
        int wanted;
        void (*draw)(struct gs_buf *out, const struct gs_trace_chart *c);
    } charts[] = {{"durations", c->ntimes > 0, draw_times},
                  {"lengths", c->nlengths > 0, draw_lengths},
                  {"sizes", c->nsizes > 0, draw_sizes},
                  {"arrivals", c->by_hour != NULL, draw_arrivals}};
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < sizeof charts / sizeof charts[0] && rc == GS_OK; i++) {
        struct gs_buf text = {0};
        if (!charts[i].wanted)
            continue;
        charts[i].draw(&text, c);
        rc = gs_plot_text(c->path, charts[i].name, &text, to, made, err);
        gs_buf_free(&text);
    }
    return rc;
}

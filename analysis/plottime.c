/* plottime.c - the charts over time: utilisation and queue, fragmentation, GPUs held by node.
 *
 * State variables are drawn as steps: each state stands in the data twice, at its begin and at its end. Where there is nothing to draw the chart says so
 * instead of failing. Fragmentation is averaged to at most 240 states, since it jumps with every job. */
#include "analysis/gnuplot.h"
#include "analysis/plotchart.h"
#include "sim/base/units.h"

#include <math.h>

#include "sim/base/banned.h"

static double percent(double part, double of)
{
    return of > 0 ? 100 * part / of : (double)NAN;
}

/* ---- utilisation and queue ------------------------------------------------------------------ */

/* Mean of v[i..end), NaN without a column. */
static double mean_of(const double *v, size_t i, size_t end)
{
    double sum = v ? 0 : (double)NAN;
    for (size_t k = i; v && k < end; k++)
        sum += v[k];
    return sum / (double)(end - i);
}

/* One state for each `step` samples, their mean. */
static void series_block(struct gs_buf *out, const struct gs_plot_run *r, struct gs_chart_unit u,
                         size_t step)
{
    const struct gs_plot_series *s = &r->series;
    gs_buf_str(
        out,
        "# time, GPUs up, GPUs allocated, jobs waiting, GPUs they ask for, and in % of the GPUs up: "
        "fragments, stranded, not allocated;\n# each state twice, at its begin and at its end, so that lines are steps\n$series << EOD\n");
    for (size_t i = 0; i < s->n; i += step) {
        const size_t next = i + step < s->n ? i + step : s->n;
        const double begin = s->time_s[i];
        const double end = next < s->n ? s->time_s[next] : r->end_s > begin ? r->end_s : begin;
        const double up = mean_of(s->total, i, next), held = mean_of(s->allocated, i, next);
        double v[] = {begin / u.s,
                      up,
                      held,
                      mean_of(s->jobs_pending, i, next),
                      mean_of(s->gpus_pending, i, next),
                      100 * mean_of(s->fragmentation, i, next),
                      percent(mean_of(s->stranded, i, next), up),
                      100 - percent(held, up)};
        gs_chart_row(out, v, sizeof v / sizeof *v);
        v[0] = end / u.s;
        gs_chart_row(out, v, sizeof v / sizeof *v);
    }
    gs_buf_str(out, "EOD\n");
}

static double most(const double *v, size_t n)
{
    double m = 0;
    for (size_t i = 0; v && i < n; i++)
        m = v[i] > m ? v[i] : m;
    return m;
}

void gs_draw_usage(struct gs_buf *out, const struct gs_plot_run *r, const char *const *labels,
                   size_t n)
{
    (void)labels;
    (void)n;
    const struct gs_plot_series *s = &r->series;
    if (s->n == 0 || r->groups[0].n == 0) {
        gs_chart_nothing(out, r, "GPUs and queue over time",
                         r->groups[0].n ? "no samples" : "no jobs");
        return;
    }
    const struct gs_chart_unit u = gs_chart_unit(r->end_s);
    const double gpus = most(s->total, s->n);
    char finding[160], a[32], b[32];
    gs_fmt(finding, sizeof finding,
           "%.0f %% of %s GPUs allocated on average; up to %s jobs waiting", 100 * r->allocation,
           gs_show_count((int64_t)gpus, a, sizeof a),
           gs_show_count((int64_t)r->peak_pending, b, sizeof b));
    series_block(out, r, u, 1);
    gs_buf_str(out, "set multiplot\nset tmargin at screen 0.84\nset bmargin at screen 0.50\n");
    gs_chart_head(out, r, finding);
    gs_buf_str(out, "set label 1 offset 0,3.9\nset label 2 offset 0,2.5\n");
    gs_chart_time_axis(out, r->end_s, u);
    gs_buf_fmt(out, "unset xlabel\nset format x ''\nset ylabel 'GPUs'\nset yrange [0:%.8g]\n",
               gpus > 0 ? 1.02 * gpus : 1);
    gs_buf_str(out,
               "set key horizontal maxrows 1 right at graph 1, graph 1.1\n"
               "plot $series using 1:3 with filledcurves y1=0 fc rgb sky title 'allocated', \\\n"
               "     '' using 1:2 with lines lw 2 lc rgb black title 'up'\n"
               "unset label\nset format x '%g'\n"
               "set tmargin at screen 0.43\nset bmargin at screen 0.10\n");
    gs_chart_time_axis(out, r->end_s, u);
    gs_buf_str(
        out,
        "set ylabel 'waiting (jobs, GPUs)'\nset yrange [0:*]\n"
        "plot $series using 1:5 with lines lw 2 lc rgb red dt (12,4) title 'GPUs asked for by waiting jobs', \\\n"
        "     '' using 1:4 with lines lw 2 lc rgb blue title 'jobs waiting'\n"
        "unset multiplot\n");
}

/* ---- fragmentation -------------------------------------------------------------------------- */

void gs_draw_fragments(struct gs_buf *out, const struct gs_plot_run *r, const char *const *labels,
                       size_t n)
{
    (void)labels;
    (void)n;
    const struct gs_plot_series *s = &r->series;
    if (s->n == 0 || !s->fragmentation || r->groups[0].n == 0) {
        gs_chart_nothing(out, r, "Fragmentation over time",
                         r->groups[0].n ? "no samples" : "no jobs");
        return;
    }
    const struct gs_chart_unit u = gs_chart_unit(r->end_s);
    double mean = 0;
    for (size_t i = 0; i < s->n; i++)
        mean += s->fragmentation[i] / (double)s->n;
    char finding[160];
    gs_fmt(finding, sizeof finding,
           "%.1f %% of the GPUs are fragments on average (at most %.1f %%)", 100 * mean,
           100 * r->peak_fragmentation);
    series_block(out, r, u, s->n / 240 + 1);
    gs_chart_head(out, r, finding);
    gs_chart_time_axis(out, r->end_s, u);
    gs_buf_str(
        out,
        "set ylabel 'GPUs (% of those up)'\nset yrange [0:5<*<100]\nset bmargin 6\nset key below\n"
        "plot $series using 1:6 with lines lw 2 lc rgb red title 'fragments', \\\n"
        "     '' using 1:7 with lines lw 2 lc rgb blue dt (6,2) title 'stranded'\n");
}

/* ---- the map of nodes ----------------------------------------------------------------------- */

/* Few rows are repeated, `times` each: programs that show an image larger than it is blur its edges. */
static void map_block(struct gs_buf *out, const struct gs_plot_map *m, size_t times)
{
    gs_buf_fmt(
        out,
        "# GPUs held in %% of those up; a row a node or %zu, %zu times; a column an interval\n"
        "$map << EOD\n",
        m->nodes_per_row, times);
    for (size_t i = 0; i < m->rows * times; i++) {
        const double *v = m->percent + i / times * m->cols;
        for (size_t k = 0; k < m->cols; k++) {
            if (isnan(v[k]))
                gs_buf_str(out, "NaN");
            else
                gs_buf_fmt(out, "%.3g", v[k]);
            gs_buf_str(out, k + 1 < m->cols ? " " : "\n");
        }
    }
    gs_buf_str(out, "EOD\n");
}

void gs_draw_map(struct gs_buf *out, const struct gs_plot_run *r, const char *const *labels,
                 size_t n)
{
    (void)labels;
    (void)n;
    const struct gs_plot_map *m = &r->map;
    if (m->rows == 0 || r->groups[0].n == 0) {
        gs_chart_nothing(out, r, "GPUs held by node over time",
                         r->groups[0].n ? "no GPUs" : "no jobs");
        return;
    }
    const struct gs_chart_unit u = gs_chart_unit(r->end_s);
    const double dx = r->end_s / u.s / (double)m->cols;
    const size_t times = m->rows < 100 ? 200 / m->rows : 1;
    const double dy = (double)m->nodes_per_row / (double)times;
    char finding[160], a[32], b[32];
    gs_fmt(finding, sizeof finding, "%s GPUs on %s nodes are held %.0f %% of the time",
           gs_show_count((int64_t)m->gpus, a, sizeof a),
           gs_show_count((int64_t)m->nodes, b, sizeof b), 100 * m->held_share);
    map_block(out, m, times);
    gs_chart_head(out, r, finding);
    gs_chart_time_axis(out, r->end_s, u);
    gs_buf_fmt(
        out,
        "set ylabel 'node with GPUs, in order of id%s'\nset yrange [%.8g:-0.5]\n"
        "set cbrange [0:100]\nset cblabel 'GPUs held (%% of the GPUs up; grey: node down)'\n"
        "unset grid\nset border 15\nset rmargin at screen 0.87\nset colorbox user origin screen 0.885, graph 0 size screen 0.018, graph 1\nset tics out\n"
        "set object 1 rectangle from graph 0, graph 0 to graph 1, graph 1 behind fc rgb '#bbbbbb' "
        "fs solid noborder\n"
        "plot $map matrix using (($1 + 0.5) * %.10g):(($2 + 0.5) * %.10g - 0.5):3 with image notitle\n",
        m->nodes_per_row > 1 ? " (a row is the mean of several)" : "",
        (double)(m->rows * m->nodes_per_row) - 0.5, dx, dy);
}

/* ---- several runs --------------------------------------------------------------------------- */

void gs_draw_sweep_usage(struct gs_buf *out, const struct gs_plot_run *runs,
                         const char *const *labels, size_t n)
{
    const size_t shown = n < GS_CHART_LINES ? n : GS_CHART_LINES;
    double end = 0, top = -1;
    size_t best = shown;
    for (size_t i = 0; i < shown; i++) {
        end = runs[i].end_s > end ? runs[i].end_s : end;
        if (runs[i].allocation > top) {
            top = runs[i].allocation;
            best = i;
        }
    }
    const struct gs_chart_unit u = gs_chart_unit(end);
    char finding[200] = "GPUs allocated by run";
    if (best < shown)
        gs_fmt(finding, sizeof finding, "%.60s allocates most: %.1f %% of the GPUs on average",
               labels[best], 100 * top);
    for (size_t i = 0; i < shown; i++) {
        const struct gs_plot_series *s = &runs[i].series;
        gs_buf_fmt(out, "$usage%zu << EOD\n", i);
        for (size_t k = 0; k < s->n; k++)
            gs_chart_row(
                out, (const double[]){s->time_s[k] / u.s, percent(s->allocated[k], s->total[k])},
                2);
        gs_buf_str(out, "EOD\n");
    }
    gs_chart_sweep_head(out, runs, n, shown, finding);
    gs_chart_time_axis(out, end, u);
    gs_buf_fmt(out,
               "set yrange [0:102]\nset ylabel 'GPUs allocated (%% of those up)'\n"
               "set bmargin %zu\nset key below maxcols 2 width KEYWIDTH\n",
               6 + shown / 2);
    size_t drawn = 0;
    for (size_t i = 0; i < shown; i++) {
        char text[120];
        if (runs[i].series.n == 0)
            continue;
        gs_fmt(text, sizeof text, "%.60s: mean %.1f %%", labels[i], 100 * runs[i].allocation);
        gs_buf_fmt(out, "%s$usage%zu using 1:2 with steps %s title ",
                   drawn++ ? ", \\\n     " : "plot ", i, gs_chart_lines[i]);
        gs_gnuplot_quote(out, text);
    }
    gs_buf_str(out, drawn ? "\n"
                          : "set label 3 'no samples' at graph 0.5, graph 0.5 center\nplot NaN\n");
}

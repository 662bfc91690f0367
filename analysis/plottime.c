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

/* Mean of v[i] / of[i] over the measured window, for files whose summary lacks the figure; of may be NULL. */
static double window_mean(const struct gs_plot_run *r, const double *v, const double *of)
{
    const struct gs_plot_series *s = &r->series;
    double sum = 0, weight = 0;
    for (size_t i = 0; v && i < s->n; i++) {
        if (s->time_s[i] < r->from_s || s->time_s[i] >= r->to_s)
            continue;
        sum += v[i];
        weight += of ? of[i] : 1;
    }
    return weight > 0 ? sum / weight : (double)NAN;
}

static double allocation(const struct gs_plot_run *r)
{
    return isfinite(r->allocation) ? r->allocation
                                   : window_mean(r, r->series.allocated, r->series.total);
}

/* One state for each `step` samples, their mean. The largest share of fragments among the states is what the curve peaks at. */
static double series_block(struct gs_buf *out, const struct gs_plot_run *r, struct gs_chart_unit u,
                           size_t step)
{
    const struct gs_plot_series *s = &r->series;
    double peak = 0;
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
        peak = v[5] > peak ? v[5] : peak;
    }
    gs_buf_str(out, "EOD\n");
    return peak;
}

static double most(const double *v, size_t n)
{
    double m = 0;
    for (size_t i = 0; v && i < n; i++)
        m = v[i] > m ? v[i] : m;
    return m;
}

/* How many jobs waited at the worst time, as the curve shows it. */
static void queue_in_words(const struct gs_plot_run *r, char *out, size_t cap)
{
    char count[32];
    const double peak = most(r->series.jobs_pending, r->series.n);
    const struct gs_plot_group *all = &r->groups[0];
    if (peak >= 0.5)
        gs_fmt(out, cap, "up to %s job%s waiting",
               gs_show_count((int64_t)(peak + 0.5), count, sizeof count), peak < 1.5 ? "" : "s");
    else if (peak > 0 || (all->n > 0 && all->wait_s[all->n - 1] > 0))
        gs_fmt(out, cap, "hardly a job ever waited");
    else
        gs_fmt(out, cap, "no job ever waited");
}

/* The next panel of a chart of several, between two heights of the screen. */
static void panel(struct gs_buf *out, double top, double bottom, const char *y_label)
{
    gs_buf_fmt(out, "set tmargin at screen %.3g\nset bmargin at screen %.3g\nset ylabel '%s'\n",
               top, bottom, y_label);
}

/* The y axis of a low panel: from 0 to beyond `peak`, with at most six round marks. */
static void few_marks(struct gs_buf *out, double peak)
{
    static const double round[] = {1, 2, 5, 10};
    const double top = peak > 1 ? 1.05 * peak : 1;
    double step = 1;
    size_t i = 0;
    while (6 * step * round[i] < top) {
        i++;
        if (i == sizeof round / sizeof *round) {
            i = 1;
            step *= 10;
        }
    }
    gs_buf_fmt(out, "set yrange [0:%.8g]\nset ytics 0, %.8g\n", top, step * round[i]);
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
    char finding[200], a[32], queue[64];
    queue_in_words(r, queue, sizeof queue);
    gs_fmt(finding, sizeof finding, "%.1f %% of %s GPUs allocated on average%s; %s",
           100 * allocation(r), gs_show_count((int64_t)gpus, a, sizeof a), gs_chart_while(r),
           queue);
    (void)series_block(out, r, u, 1);
    gs_buf_str(out, "set multiplot\n");
    panel(out, 0.815, 0.53, "GPUs");
    gs_chart_head(out, r, finding);
    gs_chart_window(out, r, r->end_s, u);
    gs_buf_str(out, "set label 1 offset 0,5.5\nset label 2 offset 0,4.0\n");
    gs_chart_time_axis(out, r->end_s, u);
    gs_buf_fmt(out, "unset xlabel\nset format x ''\nset yrange [0:%.8g]\n",
               gpus > 0 ? 1.02 * gpus : 1);
    gs_buf_str(out,
               "set key horizontal maxrows 1 left at graph 0, graph 1.22\n"
               "plot $series using 1:3 with filledcurves y1=0 fc rgb sky title 'allocated', \\\n"
               "     '' using 1:2 with lines lw 2 lc rgb black title 'up'\n"
               "unset label\nset key at graph 0, graph 1.2\n");
    panel(out, 0.465, 0.315, "jobs");
    few_marks(out, most(s->jobs_pending, s->n));
    gs_buf_str(
        out,
        "plot $series using 1:4 with lines lw 2 lc rgb blue title 'jobs waiting'\nset format x '%g'\n");
    gs_chart_time_axis(out, r->end_s, u);
    panel(out, 0.25, 0.10, "GPUs");
    few_marks(out, most(s->gpus_pending, s->n));
    gs_buf_str(
        out,
        "plot $series using 1:5 with lines lw 2 lc rgb red dt (12,4) title 'GPUs asked for by the waiting jobs'\n"
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
    const double mean =
        isfinite(r->fragmentation) ? r->fragmentation : window_mean(r, s->fragmentation, NULL);
    const double peak = series_block(out, r, u, s->n / 240 + 1);
    char finding[160];
    if (mean > 0 || peak > 0)
        gs_fmt(finding, sizeof finding,
               "%.2f %% of the GPUs are fragments on average%s; the curve peaks at %.1f %%",
               100 * mean, gs_chart_while(r), peak);
    else
        gs_fmt(finding, sizeof finding, "No GPU was ever a fragment");
    gs_chart_head(out, r, finding);
    gs_chart_window(out, r, r->end_s, u);
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
    gs_fmt(finding, sizeof finding, "%s GPUs on %s node%s are held %.1f %% of the time%s",
           gs_show_count((int64_t)m->gpus, a, sizeof a),
           gs_show_count((int64_t)m->nodes, b, sizeof b), m->nodes == 1 ? "" : "s",
           100 * (isfinite(r->allocation) ? r->allocation : m->held_share),
           isfinite(r->allocation) ? gs_chart_while(r) : "");
    map_block(out, m, times);
    gs_chart_head(out, r, finding);
    gs_chart_window(out, r, r->end_s, u);
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

/* The shares of one run, as steps. */
static void usage_block(struct gs_buf *out, const struct gs_plot_run *r, size_t number,
                        struct gs_chart_unit u)
{
    const struct gs_plot_series *s = &r->series;
    gs_buf_fmt(out, "$usage%zu << EOD\n", number);
    for (size_t k = 0; k < s->n; k++) {
        const double begin = s->time_s[k];
        const double end = k + 1 < s->n ? s->time_s[k + 1] : r->end_s > begin ? r->end_s : begin;
        const double held = percent(s->allocated[k], s->total[k]);
        gs_chart_row(out, (const double[]){begin / u.s, held}, 2);
        gs_chart_row(out, (const double[]){end / u.s, held}, 2);
    }
    gs_buf_str(out, "EOD\n");
}

/* One window for all runs, else their lines would be too many. */
static int same_window(const struct gs_plot_run *runs, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (fabs(runs[i].from_s - runs[0].from_s) > 1 || fabs(runs[i].to_s - runs[0].to_s) > 1)
            return 0;
    }
    return 1;
}

/* The run whose end is the axis', so that a window that ends before it is seen to. */
static size_t longest_run(const struct gs_plot_run *runs, size_t n)
{
    size_t at = 0;
    for (size_t i = 1; i < n; i++)
        at = runs[i].end_s > runs[at].end_s ? i : at;
    return at;
}

static void usage_lines(struct gs_buf *out, const struct gs_plot_run *runs,
                        const char *const *labels, size_t shown)
{
    struct gs_buf text[GS_CHART_LINES] = {0};
    size_t drawn = 0, longest = 0;
    for (size_t i = 0; i < shown; i++) {
        gs_chart_run_name(&text[i], &runs[i], labels[i], 60);
        gs_buf_fmt(&text[i], ": mean %.1f %%", 100 * allocation(&runs[i]));
        const size_t letters = gs_chart_letters(gs_buf_cstr(&text[i]));
        longest = letters > longest ? letters : longest;
    }
    gs_chart_key_below(out, shown, longest, "");
    for (size_t i = 0; i < shown; i++) {
        if (runs[i].series.n > 0) {
            gs_buf_fmt(out, "%s$usage%zu using 1:2 with lines %s title ",
                       drawn++ ? ", \\\n     " : "plot ", i, gs_chart_lines[i]);
            gs_gnuplot_quote(out, gs_buf_cstr(&text[i]));
        }
        gs_buf_free(&text[i]);
    }
    gs_buf_str(out, drawn ? "\n"
                          : "set label 3 'no samples' at graph 0.5, graph 0.5 center\nplot NaN\n");
}

void gs_draw_sweep_usage(struct gs_buf *out, const struct gs_plot_run *runs,
                         const char *const *labels, size_t n)
{
    const size_t shown = n < GS_CHART_LINES ? n : GS_CHART_LINES;
    const struct gs_plot_run *last = &runs[longest_run(runs, shown)];
    double top = -1;
    size_t best = shown;
    for (size_t i = 0; i < shown; i++) {
        if (allocation(&runs[i]) > top) {
            top = allocation(&runs[i]);
            best = i;
        }
    }
    const struct gs_chart_unit u = gs_chart_unit(last->end_s);
    struct gs_buf finding = {0};
    if (best < shown) {
        gs_chart_some(&finding, labels[best], 34); /* the title is one line */
        gs_buf_fmt(&finding, " allocates most: %.1f %% of the GPUs on average%s", 100 * top,
                   gs_chart_while(&runs[best]));
    }
    for (size_t i = 0; i < shown; i++)
        usage_block(out, &runs[i], i, u);
    gs_chart_sweep_head(out, runs, n, shown,
                        best < shown ? gs_buf_cstr(&finding) : "GPUs allocated by run");
    if (same_window(runs, shown))
        gs_chart_window(out, last, last->end_s, u);
    gs_chart_time_axis(out, last->end_s, u);
    gs_buf_str(out, "set yrange [0:102]\nset ylabel 'GPUs allocated (% of those up)'\n");
    usage_lines(out, runs, labels, shown);
    gs_buf_free(&finding);
}

/* trace_plot.c - three charts of a trace: how long jobs run and how far apart they arrive, how large they are, when they arrive.
 *
 * Distributions are drawn as the share below a value, on a logarithmic axis, since run times span six decades; a value of 0 is put at the
 * axis' end and counts. The title states the finding. */
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

static void block(struct gs_buf *out, const char *name, const double *at, double least)
{
    gs_buf_fmt(out, "$%s << EOD\n", name);
    for (int i = 0; at && i < POINTS; i++)
        gs_buf_fmt(out, "%.8g %d\n", at[i] > least ? at[i] : least, i);
    gs_buf_str(out, "EOD\n");
}

/* The least value above 0, so that a logarithmic axis has an end. */
static double least_above_0(const double *at, double otherwise)
{
    for (int i = 0; at && i < POINTS; i++) {
        if (at[i] > 0)
            return at[i] < otherwise ? at[i] : otherwise;
    }
    return otherwise;
}

static void draw_distributions(struct gs_buf *out, const struct gs_trace_chart *c)
{
    char a[64];
    struct gs_buf finding = {0};
    const double *d = c->duration_s ? c->duration_s : c->gap_s;
    const char *what = c->duration_s ? c->duration_what : "time between arrivals";
    const int is_time = !c->duration_s || c->duration_is_time;
    if (is_time)
        gs_buf_fmt(&finding, "%s: half below %s", what, gs_show_time(d[50], a, sizeof a));
    else
        gs_buf_fmt(&finding, "%s: half below %.4g tokens", what, d[50]);
    if (is_time)
        gs_buf_fmt(&finding, ", a tenth above %s", gs_show_time(d[90], a, sizeof a));
    else
        gs_buf_fmt(&finding, ", a tenth above %.4g", d[90]);
    heading(out, c, gs_buf_cstr(&finding));
    gs_buf_free(&finding);
    const double *gap = is_time ? c->gap_s : NULL;
    double least = least_above_0(c->duration_s, 1);
    least = least_above_0(gap, least);
    block(out, "duration", c->duration_s, least);
    block(out, "gap", gap, least);
    gs_buf_fmt(out,
               "set logscale x\nset yrange [0:100]\nset ylabel 'share of all (%%)'\n"
               "set key bottom right\nset xlabel %s\n",
               is_time ? "'time'" : "'tokens'");
    if (is_time)
        gs_buf_str(out, "set xtics ('1 ms' 0.001, '10 ms' 0.01, '0.1 s' 0.1, '1 s' 1, '10 s' 10, "
                        "'1 min' 60, '10 min' 600, '1 h' 3600, '10 h' 36000, '1 d' 86400, '10 d' "
                        "864000, '100 d' 8640000)\n");
    gs_buf_str(out, "plot ");
    if (c->duration_s) {
        gs_buf_str(out, "$duration using 1:2 with lines lw 3 lc rgb blue title ");
        gs_gnuplot_quote(out, c->duration_what);
    }
    if (gap)
        gs_buf_fmt(out, "%s$gap using 1:2 with lines lw 3 dt 2 lc rgb red title 'between arrivals'",
                   c->duration_s ? ", " : "");
    gs_buf_str(out, "\n");
}

/* ---- Sizes ------------------------------------------------------------------------------------- */

static void draw_sizes(struct gs_buf *out, const struct gs_trace_chart *c)
{
    double jobs = 0;
    double hours = 0;
    size_t most = 0;
    for (size_t i = 0; i < c->nsizes; i++) {
        jobs += c->sizes[i].jobs;
        hours += c->sizes[i].gpu_hours;
        most = c->sizes[i].gpu_hours > c->sizes[most].gpu_hours ? i : most;
    }
    struct gs_buf finding = {0};
    gs_buf_fmt(&finding, "%s-GPU jobs: %.0f %% of the jobs", c->sizes[most].name,
               100 * c->sizes[most].jobs / jobs);
    if (hours > 0)
        gs_buf_fmt(&finding, ", %.0f %% of the GPU time", 100 * c->sizes[most].gpu_hours / hours);
    heading(out, c, gs_buf_cstr(&finding));
    gs_buf_free(&finding);
    gs_buf_str(out, "$sizes << EOD\n");
    for (size_t i = 0; i < c->nsizes; i++)
        gs_buf_fmt(out, "%s %.8g %.8g\n", c->sizes[i].name, 100 * c->sizes[i].jobs / jobs,
                   hours > 0 ? 100 * c->sizes[i].gpu_hours / hours : 0.0);
    gs_buf_str(out, "EOD\nset style data histograms\nset style histogram clustered gap 1\n"
                    "set yrange [0:*]\nset ylabel 'share (%)'\nset xlabel 'GPUs of a job'\n"
                    "unset grid\nset grid ytics linecolor rgb '#d0d0d0' linewidth 0.8\n"
                    "set key top right\nplot $sizes using 2:xtic(1) lc rgb sky title 'jobs'");
    gs_buf_str(out, hours > 0 ? ", '' using 3 lc rgb orange title 'GPU time'\n" : "\n");
}

/* ---- Arrivals ---------------------------------------------------------------------------------- */

static void draw_arrivals(struct gs_buf *out, const struct gs_trace_chart *c)
{
    static const char *const days[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
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
    gs_buf_str(out, "$hours << EOD\n");
    for (int i = 0; i < 24; i++)
        gs_buf_fmt(out, "%02d %.8g\n", i, 100 * (double)c->by_hour[i] / total);
    gs_buf_str(out, "EOD\n$days << EOD\n");
    for (int i = 0; i < 7; i++)
        gs_buf_fmt(out, "%d %.8g %s\n", 26 + 2 * i, 100 * (double)c->by_weekday[i] / total,
                   days[i]);
    gs_buf_str(
        out, "EOD\nset yrange [0:*]\nset ylabel 'share of arrivals (%)'\nset xrange [-1:39.5]\n"
             "set boxwidth 0.8\nunset grid\nset grid ytics linecolor rgb '#d0d0d0' linewidth 0.8\n"
             "set xlabel 'hour of the day, and weekday, by the local clock'\nset xtics ('0' 0, "
             "'6' 6, '12' 12, '18' 18");
    for (int i = 0; i < 7; i++)
        gs_buf_fmt(out, ", '%s' %d", days[i], 26 + 2 * i);
    gs_buf_str(out, ")\nplot $hours using ($0):2 with boxes lc rgb sky title 'an hour of the day', "
                    "$days using 1:2:(1.6) with boxes lc rgb orange title 'a weekday'\n");
}

enum gs_rc gs_trace_plot(const struct gs_trace_chart *c, const struct gs_plot_to *to,
                         gs_path_vec *made, struct gs_err *err)
{
    const struct {
        const char *name;
        int wanted;
        void (*draw)(struct gs_buf *out, const struct gs_trace_chart *c);
    } charts[] = {{"durations", c->duration_s || c->gap_s, draw_distributions},
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

/* plotwait.c - the charts of waiting: the distribution of waits, and what jobs waited for.
 *
 * Waits are drawn as an empirical distribution on a log axis with human marks; a job that never started keeps its curve below 100 %, and a wait
 * shorter than the left end of the axis is drawn there. Causes are stacked in test order, mean time a counted job, so that bars of
 * different queues compare. Queues are the largest ones when there are more than a chart can hold. */
#include "analysis/gnuplot.h"
#include "analysis/plotchart.h"
#include "sim/base/mem.h"
#include "sim/base/sort.h"
#include "sim/base/units.h"

#include <math.h>

#include "sim/base/banned.h"

#define ECDF_POINTS 300u
#define MOST_BARS   12u /* queues side by side */

static const char *const cause_colours[GS_PLOT_CAUSES] = {
    "grey", "black", "orange", "sky", "green", "yellow", "blue", "red", "pink"};

/* ---- distribution of waits ------------------------------------------------------------------ */

/* The left end of the axis: the largest mark below which hardly a job waits. */
static double first_mark(const struct gs_plot_group *g, double at_most)
{
    static const double marks[] = {600, 60, 10, 1};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const size_t k = g->n / 100; /* the wait that 1 % of the jobs stay below */
        if (marks[i] <= at_most && (g->n == 0 || g->wait_s[k] >= marks[i]))
            return marks[i];
    }
    return 1;
}

/* The distribution as points of steps, from `begin` to `end`: one in so many values, and both edges of whatever gap the eye could see on a
 * log axis. */
static void ecdf_block(struct gs_buf *out, const struct gs_plot_group *g, size_t number,
                       double begin, double end)
{
    const size_t ended = g->n - g->never;
    const size_t step = ended / ECDF_POINTS + 1;
    size_t drawn = 0; /* values up to the last point */
    double y = 0;
    gs_buf_fmt(out, "$ecdf%zu << EOD\n", number);
    gs_chart_row(out, (const double[]){begin, 0}, 2);
    for (size_t i = 0; i < ended; i++) {
        const double x = g->wait_s[i] > begin ? g->wait_s[i] : begin;
        const double next = i + 1 < ended ? g->wait_s[i + 1] : (double)INFINITY;
        if (!(next > g->wait_s[i]) || (i + 1 - drawn < step && next < 1.03 * x))
            continue;
        drawn = i + 1;
        y = 100 * (double)drawn / (double)g->n;
        gs_chart_row(out, (const double[]){x, y}, 2);
    }
    gs_chart_row(out, (const double[]){end, y}, 2);
    gs_buf_str(out, "EOD\n");
}

static const char *show_wait(double s, char *buf, size_t cap)
{
    if (isinf(s))
        gs_fmt(buf, cap, "never");
    else
        gs_show_time(s, buf, cap);
    return buf;
}

static void wait_axes(struct gs_buf *out, double begin, double end)
{
    static const struct {
        double s;
        const char *name;
    } marks[] = {{1, "1 s"},         {10, "10 s"},         {60, "1 min"},       {600, "10 min"},
                 {3600, "1 h"},      {21600, "6 h"},       {86400, "1 day"},    {259200, "3 days"},
                 {604800, "1 week"}, {2592000, "30 days"}, {31536000, "1 year"}};

    gs_buf_fmt(out, "set logscale x\nset xrange [%.8g:%.8g]\nset yrange [0:100]\nset xtics (",
               begin, end);
    const char *before = "";
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (marks[i].s < begin || marks[i].s > end)
            continue;
        gs_buf_fmt(out, "%s'%s%s' %.8g", before, *before ? "" : "≤ ", marks[i].name, marks[i].s);
        before = ", ";
    }
    gs_buf_str(out, ")\nset xlabel 'wait from submission to first start (log scale)'\n"
                    "set ylabel 'jobs that had started by then (%)'\n");
}

/* One line: a sample of waits, its name, and how it is drawn. */
static void ecdf_line(struct gs_buf *out, const struct gs_plot_group *g, const char *name,
                      size_t number, const char *style)
{
    char median[32], count[32];
    struct gs_buf text = {0};
    gs_chart_some(&text, name, 22);
    gs_buf_fmt(&text, ": %s jobs, median %s", gs_show_count((int64_t)g->n, count, sizeof count),
               show_wait(gs_quantile(g->wait_s, g->n, 0.5), median, sizeof median));
    gs_buf_fmt(out, "%s$ecdf%zu using 1:2 with steps %s title ", number ? ", \\\n     " : "plot ",
               number, style);
    gs_gnuplot_quote(out, gs_buf_cstr(&text));
    gs_buf_free(&text);
}

static double last_wait(const struct gs_plot_group *g)
{
    return g->n > g->never ? g->wait_s[g->n - g->never - 1] : 0;
}

static void wait_finding(const struct gs_plot_group *g, char *out, size_t cap)
{
    char a[32], b[32];
    const double p50 = gs_quantile(g->wait_s, g->n, 0.5), p95 = gs_quantile(g->wait_s, g->n, 0.95);
    if (isinf(p50))
        gs_fmt(out, cap, "Less than half of the jobs ever started");
    else if (isinf(p95))
        gs_fmt(out, cap, "Half of the jobs wait at most %s; %.1f %% never started",
               gs_show_time(p50, a, sizeof a), 100 * (double)g->never / (double)g->n);
    else if (!(p50 > 0))
        gs_fmt(out, cap, "Half of the jobs start at once, 95 %% within %s%s",
               gs_show_time(p95, b, sizeof b), g->never ? "; some never started" : "");
    else
        gs_fmt(out, cap, "Half of the jobs wait at most %s, 95 %% at most %s%s",
               gs_show_time(p50, a, sizeof a), gs_show_time(p95, b, sizeof b),
               g->never ? "; some never started" : "");
}

static int by_size(const void *a, const void *b, const void *ctx)
{
    const struct gs_plot_group *g = ctx;
    const size_t x = g[*(const size_t *)a].n, y = g[*(const size_t *)b].n;
    return x < y ? 1 : x > y ? -1 : 0;
}

static int by_index(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x > y ? 1 : x < y ? -1 : 0;
}

/* The at most `limit` queues with most jobs, as indexes into groups in order of id. */
static size_t largest_queues(const struct gs_plot_run *r, size_t *pick, size_t limit)
{
    const size_t n = r->ngroups - 1;
    size_t *all = GS_NEW_N(size_t, n + 1);
    for (size_t i = 0; i < n; i++)
        all[i] = i + 1;
    gs_sort(all, n, sizeof *all, by_size, r->groups);
    const size_t kept = n < limit ? n : limit;
    gs_sort(all, kept, sizeof *all, by_index, NULL);
    for (size_t i = 0; i < kept; i++)
        pick[i] = all[i];
    gs_free(all);
    return kept;
}

void gs_draw_waits(struct gs_buf *out, const struct gs_plot_run *r, const char *const *labels,
                   size_t n)
{
    (void)labels;
    (void)n;
    const struct gs_plot_group *all = &r->groups[0];
    if (all->n == 0) {
        gs_chart_nothing(out, r, "Waits", "no jobs");
        return;
    }
    size_t pick[GS_CHART_LINES];
    const size_t lines = largest_queues(r, pick, GS_CHART_LINES);
    const double begin = first_mark(all, 600);
    const double end = last_wait(all) > 60 * begin ? 1.1 * last_wait(all) : 66 * begin;
    char finding[160];
    wait_finding(all, finding, sizeof finding);
    ecdf_block(out, all, 0, begin, end);
    for (size_t i = 0; i < lines; i++)
        ecdf_block(out, &r->groups[pick[i]], i + 1, begin, end);
    gs_chart_head(out, r, finding);
    wait_axes(out, begin, end);
    gs_buf_fmt(out, "set bmargin %zu\nset key below maxcols 2 width KEYWIDTH\n",
               6 + (lines + 1) / 2);
    ecdf_line(out, all, all->name, 0, "lw 3.5 lc rgb black");
    for (size_t i = 0; i < lines; i++)
        ecdf_line(out, &r->groups[pick[i]], r->groups[pick[i]].name, i + 1, gs_chart_lines[i]);
    gs_buf_str(out, "\n");
}

/* ---- waits by cause ------------------------------------------------------------------------- */

static double queued(const struct gs_plot_group *g)
{
    double sum = 0;
    for (size_t k = 0; k < GS_PLOT_CAUSES; k++)
        sum += g->cause_s[k];
    return sum;
}

static void cause_block(struct gs_buf *out, const struct gs_plot_run *r, const size_t *pick,
                        size_t bars, struct gs_chart_unit u)
{
    gs_buf_str(out, "# mean time in each cause, a row a bar\n$causes << EOD\n");
    for (size_t b = 0; b < bars; b++) {
        const struct gs_plot_group *g = &r->groups[pick[b]];
        double v[GS_PLOT_CAUSES];
        for (size_t k = 0; k < GS_PLOT_CAUSES; k++)
            v[k] = g->cause_s[k] / (double)g->n / u.s;
        gs_chart_row(out, v, GS_PLOT_CAUSES);
    }
    gs_buf_str(out, "EOD\n");
}

/* Names below and totals above the bars; many bars have short ones. */
static void cause_axes(struct gs_buf *out, const struct gs_plot_run *r, const size_t *pick,
                       size_t bars, struct gs_chart_unit u)
{
    const int narrow = bars > 7;
    double tallest = 0;
    for (size_t b = 0; b < bars; b++) {
        char text[32], where[80];
        const double mean = queued(&r->groups[pick[b]]) / (double)r->groups[pick[b]].n;
        tallest = mean > tallest ? mean : tallest;
        gs_show_time(mean, text, sizeof text);
        if (narrow)
            gs_fmt(text, sizeof text, "%.3g", mean / u.s);
        gs_fmt(where, sizeof where, "at first %zu, first %.8g center offset 0,0.7", b, mean / u.s);
        gs_chart_label(out, (int)(10 + b), text, where);
    }
    gs_buf_str(out, "set xtics (");
    for (size_t b = 0; b < bars; b++) {
        struct gs_buf name = {0};
        gs_chart_some(&name, r->groups[pick[b]].name, narrow ? 15 : 18);
        gs_buf_str(out, b ? ", " : "");
        gs_gnuplot_quote(out, gs_buf_cstr(&name));
        gs_buf_fmt(out, " %zu", b);
        gs_buf_free(&name);
    }
    gs_buf_fmt(out, ") noenhanced%s\n", narrow ? " rotate by -30 left\nset bmargin 6" : "");
    gs_buf_fmt(
        out,
        "set xrange [-0.6:%.8g]\nset yrange [0:%.8g]\nset ylabel 'mean time queued a job (%s)'\n"
        "unset grid\nset grid ytics\n",
        (double)bars - 0.4, tallest > 0 ? 1.12 * tallest / u.s : 1, u.name);
}

void gs_draw_causes(struct gs_buf *out, const struct gs_plot_run *r, const char *const *labels,
                    size_t n)
{
    (void)labels;
    (void)n;
    const struct gs_plot_group *all = &r->groups[0];
    if (all->n == 0) {
        gs_chart_nothing(out, r, "Waits by cause", "no jobs");
        return;
    }
    size_t pick[MOST_BARS + 1] = {0}, worst = 0;
    const size_t bars = 1 + largest_queues(r, pick + 1, MOST_BARS);
    const double total = queued(all);
    double tallest = 0;
    for (size_t b = 0; b < bars; b++) {
        const struct gs_plot_group *g = &r->groups[pick[b]];
        tallest = queued(g) / (double)g->n > tallest ? queued(g) / (double)g->n : tallest;
    }
    for (size_t k = 0; k < GS_PLOT_CAUSES; k++)
        worst = all->cause_s[k] > all->cause_s[worst] ? k : worst;
    const struct gs_chart_unit u = gs_chart_unit(tallest);
    char finding[160], mean[32];
    gs_show_time(total / (double)all->n, mean, sizeof mean);
    if (total > 0)
        gs_fmt(finding, sizeof finding, "A job is queued for %s on average, %.0f %% of it for %s",
               mean, 100 * all->cause_s[worst] / total, gs_plot_causes[worst]);
    else
        gs_fmt(finding, sizeof finding, "No job was queued");
    cause_block(out, r, pick, bars, u);
    gs_chart_head(out, r, finding);
    cause_axes(out, r, pick, bars, u);
    gs_buf_str(
        out,
        "set style data histograms\nset style histogram rowstacked\nset boxwidth 0.7\n"
        "set style fill solid 0.9 border rgb '#ffffff'\n"
        "set rmargin 30\nset key outside right center vertical invert title 'cause, % of time queued' left\n");
    for (size_t k = 0; k < GS_PLOT_CAUSES; k++) {
        gs_buf_fmt(out, "%s$causes using %zu lc rgb %s title '%s  %.1f %%'",
                   k ? ", \\\n     " : "plot ", k + 1, cause_colours[k], gs_plot_causes[k],
                   total > 0 ? 100 * all->cause_s[k] / total : 0.0);
    }
    gs_buf_str(out, "\n");
}

/* ---- several runs --------------------------------------------------------------------------- */

void gs_draw_sweep_waits(struct gs_buf *out, const struct gs_plot_run *runs,
                         const char *const *labels, size_t n)
{
    const size_t shown = n < GS_CHART_LINES ? n : GS_CHART_LINES;
    size_t best = shown;
    double begin = 600, end = 60, least = (double)INFINITY;
    for (size_t i = 0; i < shown; i++) {
        const struct gs_plot_group *g = &runs[i].groups[0];
        begin = first_mark(g, begin);
        end = last_wait(g) > end ? last_wait(g) : end;
        const double p95 = g->n ? gs_quantile(g->wait_s, g->n, 0.95) : (double)INFINITY;
        if (p95 < least) {
            least = p95;
            best = i;
        }
    }
    end = end > 60 * begin ? 1.1 * end : 66 * begin;
    char finding[200] = "Waits by run", a[32];
    if (best < shown)
        gs_fmt(finding, sizeof finding, "%.60s has the shortest 95th percentile of wait: %s",
               labels[best], gs_show_time(least, a, sizeof a));
    for (size_t i = 0; i < shown; i++)
        ecdf_block(out, &runs[i].groups[0], i, begin, end);
    gs_chart_sweep_head(out, runs, n, shown, finding);
    wait_axes(out, begin, end);
    gs_buf_fmt(out, "set bmargin %zu\nset key below maxcols 2 width KEYWIDTH\n", 6 + shown / 2);
    size_t drawn = 0;
    for (size_t i = 0; i < shown; i++) {
        if (runs[i].groups[0].n > 0)
            ecdf_line(out, &runs[i].groups[0], labels[i], drawn++, gs_chart_lines[i]);
    }
    gs_buf_str(out,
               drawn ? "\n" : "set label 3 'no jobs' at graph 0.5, graph 0.5 center\nplot NaN\n");
}

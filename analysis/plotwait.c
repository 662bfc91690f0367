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

#define ECDF_POINTS 200u /* values a curve, and as many gaps at most */
#define ECDF_GAP    1.09 /* ratio of waits that the eye sees as a gap */
#define MOST_BARS   12u  /* queues side by side */

static const char *const cause_colours[GS_PLOT_CAUSES] = {
    "grey", "black", "orange", "sky", "green", "yellow", "blue", "red", "pink"};

/* What a job in each cause does: "94 % of it ..." */
static const char *const cause_words[GS_PLOT_CAUSES] = {"starting up",
                                                        "not yet allowed to start",
                                                        "held back by a queue's limit",
                                                        "behind another job's reservation",
                                                        "behind other jobs in the policy's order",
                                                        "fitting, but not chosen by the policy",
                                                        "short of free GPUs",
                                                        "with enough GPUs free, but too scattered",
                                                        "with GPUs free, but too far apart"};

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

/* The distribution as steps, from `begin` to `end`: one in so many values, and both edges of whatever gap the eye could see on a
 * log axis. Each step is a corner and a point, so that one line joins all and dashes run on along it. */
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
        if (!(next > g->wait_s[i]) || (i + 1 - drawn < step && next < ECDF_GAP * x))
            continue;
        gs_chart_row(out, (const double[]){x, y}, 2);
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

/* The key's text of one line; returns its length in characters. */
static size_t ecdf_name(struct gs_buf *text, const struct gs_plot_group *g, const char *name)
{
    char median[32], count[32];
    gs_chart_some(text, name, 76);
    gs_buf_fmt(text, ": %s job%s, median %s", gs_show_count((int64_t)g->n, count, sizeof count),
               g->n == 1 ? "" : "s",
               show_wait(gs_quantile(g->wait_s, g->n, 0.5), median, sizeof median));
    return gs_chart_letters(gs_buf_cstr(text));
}

static void ecdf_line(struct gs_buf *out, size_t drawn, size_t number, const char *style,
                      struct gs_buf *text)
{
    gs_buf_fmt(out, "%s$ecdf%zu using 1:2 with lines %s title ", drawn ? ", \\\n     " : "plot ",
               number, style);
    gs_gnuplot_quote(out, gs_buf_cstr(text));
    gs_buf_free(text);
}

static double last_wait(const struct gs_plot_group *g)
{
    return g->n > g->never ? g->wait_s[g->n - g->never - 1] : 0;
}

static void wait_finding(const struct gs_plot_group *g, char *out, size_t cap)
{
    char a[32], b[32];
    const double p50 = gs_quantile(g->wait_s, g->n, 0.5), p95 = gs_quantile(g->wait_s, g->n, 0.95);
    const char *rest = g->never ? "; some never started" : "";
    if (isinf(p50))
        gs_fmt(out, cap, "Less than half of the jobs ever started");
    else if (isinf(p95))
        gs_fmt(out, cap, "Half of the jobs wait at most %s; %.1f %% never started",
               gs_show_time(p50, a, sizeof a), 100 * (double)g->never / (double)g->n);
    else if (!(g->wait_s[g->n - 1] > 0))
        gs_fmt(out, cap, "No job ever waited: each started at once");
    else if (!(p95 > 0))
        gs_fmt(out, cap, "95 %% of the jobs start at once%s", rest);
    else if (!(p50 > 0))
        gs_fmt(out, cap, "Half of the jobs start at once, 95 %% within %s%s",
               gs_show_time(p95, b, sizeof b), rest);
    else
        gs_fmt(out, cap, "Half of the jobs wait at most %s, 95 %% at most %s%s",
               gs_show_time(p50, a, sizeof a), gs_show_time(p95, b, sizeof b), rest);
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

/* "the 7 largest of 15 queues", or "" where all are shown. */
static void queues_left_out(const struct gs_plot_run *r, size_t shown, const char *before,
                            char *out, size_t cap)
{
    out[0] = '\0';
    if (shown < r->ngroups - 1)
        gs_fmt(out, cap, "%sthe %zu largest of %zu queues", before, shown, r->ngroups - 1);
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
    char finding[160], note[64];
    wait_finding(all, finding, sizeof finding);
    queues_left_out(r, lines, "all jobs, and ", note, sizeof note);
    struct gs_buf text[GS_CHART_LINES + 1] = {0};
    size_t longest = ecdf_name(&text[0], all, all->name);
    ecdf_block(out, all, 0, begin, end);
    for (size_t i = 0; i < lines; i++) {
        const struct gs_plot_group *g = &r->groups[pick[i]];
        const size_t letters = ecdf_name(&text[i + 1], g, g->name);
        longest = letters > longest ? letters : longest;
        ecdf_block(out, g, i + 1, begin, end);
    }
    gs_chart_head(out, r, finding);
    wait_axes(out, begin, end);
    gs_chart_key_below(out, lines + 1, longest, note);
    ecdf_line(out, 0, 0, "lw 3.5 lc rgb black", &text[0]);
    for (size_t i = 0; i < lines; i++)
        ecdf_line(out, i + 1, i + 1, gs_chart_lines[i], &text[i + 1]);
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

/* A name in at most 16 characters; a longer one keeps both ends, since names often differ in the last letters only. */
static void squeeze(struct gs_buf *out, const char *name)
{
    const size_t letters = gs_chart_letters(name);
    const char *tail = name;
    if (letters <= 16) {
        gs_buf_str(out, name);
        return;
    }
    for (size_t skip = letters - 7; skip > 0; skip--) {
        do
            tail++;
        while (((unsigned char)*tail & 0xc0) == 0x80);
    }
    gs_chart_some(out, name, 8);
    gs_buf_str(out, tail);
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
        squeeze(&name, r->groups[pick[b]].name);
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

/* The bars of all causes. The key leaves out those that are nothing overall (0.0 %) and show in no bar. */
static void cause_bars(struct gs_buf *out, const struct gs_plot_run *r, const size_t *pick,
                       size_t bars, double tallest)
{
    const struct gs_plot_group *all = &r->groups[0];
    const double total = queued(all);
    for (size_t k = 0; k < GS_PLOT_CAUSES; k++) {
        int seen = all->cause_s[k] >= 0.0005 * total;
        for (size_t b = 0; b < bars; b++) {
            const struct gs_plot_group *g = &r->groups[pick[b]];
            seen = seen || g->cause_s[k] / (double)g->n >= 0.004 * tallest;
        }
        gs_buf_fmt(out, "%s$causes using %zu lc rgb %s ", k ? ", \\\n     " : "plot ", k + 1,
                   cause_colours[k]);
        if (seen && total > 0)
            gs_buf_fmt(out, "title '%s  %.1f %%'", gs_plot_causes[k],
                       100 * all->cause_s[k] / total);
        else
            gs_buf_str(out, "notitle");
    }
    gs_buf_str(out, "\n");
}

static void cause_finding(const struct gs_plot_group *all, char *out, size_t cap)
{
    const double total = queued(all);
    size_t worst = 0;
    char mean[32];
    for (size_t k = 0; k < GS_PLOT_CAUSES; k++)
        worst = all->cause_s[k] > all->cause_s[worst] ? k : worst;
    if (total > 0)
        gs_fmt(out, cap, "A job is queued for %s on average, %.0f %% of it %s",
               gs_show_time(total / (double)all->n, mean, sizeof mean),
               100 * all->cause_s[worst] / total, cause_words[worst]);
    else
        gs_fmt(out, cap, "No job ever waited");
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
    size_t pick[MOST_BARS + 1] = {0};
    const size_t bars = 1 + largest_queues(r, pick + 1, MOST_BARS);
    double tallest = 0;
    for (size_t b = 0; b < bars; b++) {
        const struct gs_plot_group *g = &r->groups[pick[b]];
        tallest = queued(g) / (double)g->n > tallest ? queued(g) / (double)g->n : tallest;
    }
    const struct gs_chart_unit u = gs_chart_unit(tallest);
    char finding[160], note[64];
    cause_finding(all, finding, sizeof finding);
    queues_left_out(r, bars - 1, "", note, sizeof note);
    cause_block(out, r, pick, bars, u);
    gs_chart_head(out, r, finding);
    gs_chart_label(out, 3, note, "at graph 1, graph 1 offset 3.5,-0.5 left");
    cause_axes(out, r, pick, bars, u);
    gs_buf_fmt(out,
               "set style data histograms\nset style histogram rowstacked\nset boxwidth 0.7\n"
               "set style fill solid 0.9 border rgb '#ffffff'\n"
               "set rmargin 30\nset key outside right center vertical invert title '%s' left\n",
               tallest > 0 ? "cause, % of time queued" : "");
    cause_bars(out, r, pick, bars, tallest);
}

/* ---- several runs --------------------------------------------------------------------------- */

/* Which of the runs waits least at the 95th percentile; ties are not hidden. */
static void sweep_finding(struct gs_buf *out, const struct gs_plot_run *runs,
                          const char *const *labels, size_t shown)
{
    double least = (double)INFINITY;
    size_t best = shown, at_once = 0;
    char time[32];
    for (size_t i = 0; i < shown; i++) {
        const struct gs_plot_group *g = &runs[i].groups[0];
        const double p95 = g->n ? gs_quantile(g->wait_s, g->n, 0.95) : (double)INFINITY;
        at_once += !(p95 > 0);
        if (p95 < least) {
            least = p95;
            best = i;
        }
    }
    if (at_once > 1 && at_once == shown) {
        gs_buf_str(out, "In every run 95 % of the jobs start at once");
    } else if (at_once > 1) {
        gs_buf_fmt(out, "In %zu of %zu runs 95 %% of the jobs start at once", at_once, shown);
    } else if (best < shown) {
        gs_chart_some(out, labels[best], 40); /* the title is one line */
        if (at_once)
            gs_buf_str(out, " starts 95 % of the jobs at once");
        else
            gs_buf_fmt(out, " has the shortest 95th percentile of wait: %s",
                       gs_show_time(least, time, sizeof time));
    } else {
        gs_buf_str(out, "Waits by run");
    }
}

void gs_draw_sweep_waits(struct gs_buf *out, const struct gs_plot_run *runs,
                         const char *const *labels, size_t n)
{
    const size_t shown = n < GS_CHART_LINES ? n : GS_CHART_LINES;
    double begin = 600, end = 60;
    for (size_t i = 0; i < shown; i++) {
        const struct gs_plot_group *g = &runs[i].groups[0];
        begin = first_mark(g, begin);
        end = last_wait(g) > end ? last_wait(g) : end;
    }
    end = end > 60 * begin ? 1.1 * end : 66 * begin;
    struct gs_buf finding = {0}, text[GS_CHART_LINES] = {0};
    size_t longest = 0, drawn = 0;
    sweep_finding(&finding, runs, labels, shown);
    for (size_t i = 0; i < shown; i++) {
        const struct gs_plot_group *g = &runs[i].groups[0];
        struct gs_buf name = {0};
        gs_chart_run_name(&name, &runs[i], labels[i], 52);
        const size_t letters = g->n > 0 ? ecdf_name(&text[i], g, gs_buf_cstr(&name)) : 0;
        longest = letters > longest ? letters : longest;
        gs_buf_free(&name);
        ecdf_block(out, g, i, begin, end);
    }
    gs_chart_sweep_head(out, runs, n, shown, gs_buf_cstr(&finding));
    wait_axes(out, begin, end);
    gs_chart_key_below(out, shown, longest, "");
    for (size_t i = 0; i < shown; i++) {
        if (runs[i].groups[0].n > 0)
            ecdf_line(out, drawn++, i, gs_chart_lines[i], &text[i]);
        gs_buf_free(&text[i]);
    }
    gs_buf_str(out,
               drawn ? "\n" : "set label 3 'no jobs' at graph 0.5, graph 0.5 center\nplot NaN\n");
    gs_buf_free(&finding);
}

/* plotpart.c - what all charts have in common: title, axes of time, line styles, rows of data.
 *
 * Every chart has a title that states its finding, and below it a line that names the scenario, the policy and the digest; a run that was cut
 * short or whose queue kept growing is marked there. Figures in titles are the summary's, over the measured window; charts show the
 * whole run, with lines where that window begins and ends. Time is in the largest unit that gives at least three. Text from files is
 * quoted, shortened between characters, and never enhanced, so that an underscore in a name stays one. */
#include "analysis/gnuplot.h"
#include "analysis/plotchart.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

#define ROOM_BELOW 126u /* bytes that fit below the title */

struct gs_chart_unit gs_chart_unit(double span_s)
{
    static const struct gs_chart_unit units[] = {{86400, "days"}, {3600, "hours"}, {60, "minutes"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (span_s >= 3 * units[i].s)
            return units[i];
    }
    return (struct gs_chart_unit){1, "seconds"};
}

/* Lines are told apart by colour and by dashes. */
const char *const gs_chart_lines[GS_CHART_LINES] = {
    "lw 2.5 lc rgb blue dt solid",  "lw 2.5 lc rgb red dt (12,4)",
    "lw 2.5 lc rgb green dt (4,4)", "lw 2.5 lc rgb orange dt (14,4,3,4)",
    "lw 2.5 lc rgb pink dt (20,5)", "lw 2.5 lc rgb sky dt (8,3,2,3,2,3)",
    "lw 2.5 lc rgb grey dt (2,3)"};

void gs_chart_label(struct gs_buf *out, int number, const char *text, const char *where)
{
    gs_buf_fmt(out, "set label %d ", number);
    gs_gnuplot_quote(out, text);
    gs_buf_fmt(out, " noenhanced %s\n", where);
}

static void heading(struct gs_buf *out, const char *finding, const char *below)
{
    gs_chart_label(out, 1, finding, "at graph 0, graph 1 offset 0,3.3 left font TITLE");
    gs_chart_label(out, 2, below, "at graph 0, graph 1 offset 0,1.8 left textcolor rgb '#505050'");
}

void gs_chart_some(struct gs_buf *out, const char *text, size_t most_bytes)
{
    size_t n = strcspn(text, "\r\n");
    if (n > most_bytes) {
        n = most_bytes;
        while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
            n--;
    }
    gs_buf_add(out, text, n);
    if (text[n] != '\0')
        gs_buf_str(out, "…");
}

/* "composite order=fifo backfill=easy" in short: "fifo + easy". */
static void policy_in_short(struct gs_buf *out, const char *policy)
{
    static const char composite[] = "composite ";
    const size_t skip = sizeof composite - 1;
    const char *p = strncmp(policy, composite, skip) == 0 ? policy + skip : policy;
    const char *between = "";
    for (p += strspn(p, " "); *p; p += strspn(p, " ")) {
        const size_t word = strcspn(p, " ");
        const size_t key = strcspn(p, "=");
        const size_t from = key < word ? key + 1 : 0;
        gs_buf_str(out, between);
        gs_buf_add(out, p + from, word - from);
        between = key < word ? " + " : " ";
        p += word;
    }
}

/* What a reader must know before trusting the figures. */
static void marks(struct gs_buf *out, const struct gs_plot_run *r, const char *before)
{
    if (!r->complete)
        gs_buf_fmt(out, "%sINCOMPLETE", before);
    if (strcmp(r->verdict, "saturated") == 0)
        gs_buf_fmt(out, "%sSATURATED", before);
}

/* "title · policy P · digest D · MARKS"; the policy gets what room the others leave. */
static void about(struct gs_buf *out, const struct gs_plot_run *r)
{
    struct gs_buf after = {0};
    if (*r->digest)
        gs_buf_fmt(&after, " · digest %.18s", r->digest);
    if (r->replicated)
        gs_buf_str(&after, " · replication 0");
    marks(&after, r, " · ");
    gs_chart_some(out, *r->title ? r->title : "untitled scenario", 36);
    if (*r->policy) {
        struct gs_buf policy = {0};
        policy_in_short(&policy, r->policy);
        gs_buf_str(out, " · policy ");
        gs_chart_some(out, gs_buf_cstr(&policy), ROOM_BELOW - out->n - after.n);
        gs_buf_free(&policy);
    }
    gs_buf_str(out, gs_buf_cstr(&after));
    gs_buf_free(&after);
}

void gs_chart_head(struct gs_buf *out, const struct gs_plot_run *r, const char *finding)
{
    struct gs_buf below = {0};
    about(&below, r);
    heading(out, finding, gs_buf_cstr(&below));
    gs_buf_free(&below);
}

void gs_chart_nothing(struct gs_buf *out, const struct gs_plot_run *r, const char *title,
                      const char *why)
{
    gs_chart_head(out, r, title);
    gs_chart_label(out, 3, why,
                   "at graph 0.5, graph 0.5 center font LARGE textcolor rgb '#505050'");
    gs_buf_str(out, "unset tics\nunset grid\nset border 0\nplot [0:1] [0:1] NaN notitle\n");
}

void gs_chart_time_axis(struct gs_buf *out, double end_s, struct gs_chart_unit u)
{
    gs_buf_fmt(out, "set xrange [0:%.8g]\nset xlabel 'time since the start (%s)'\n",
               end_s > 0 ? end_s / u.s : 1, u.name);
}

static int starts_late(const struct gs_plot_run *r)
{
    return r->from_s > 1e-6 * r->end_s;
}

static int ends_early(const struct gs_plot_run *r)
{
    return r->to_s < (1 - 1e-6) * r->end_s;
}

const char *gs_chart_while(const struct gs_plot_run *r)
{
    return starts_late(r) || ends_early(r) ? " while measured" : "";
}

/* A dashed line at `at`; its name, if any, above the chart and to one side. */
static void window_line(struct gs_buf *out, int number, double at, const char *name, int to_left)
{
    gs_buf_fmt(
        out,
        "set arrow %d from first %.8g, graph 0 to first %.8g, graph 1 nohead front lw 1.3 lc rgb '#808080' dt (8,5)\n",
        number, at, at);
    char where[120];
    gs_fmt(where, sizeof where, "at first %.8g, graph 1 offset 0,0.7 %s textcolor rgb '#707070'",
           at, to_left ? "right" : "left");
    if (*name)
        gs_chart_label(out, number, name, where);
}

void gs_chart_window(struct gs_buf *out, const struct gs_plot_run *r, double axis_end_s,
                     struct gs_chart_unit u)
{
    /* Names stand outside the window, except where the edge of the chart is near. */
    const int early = r->from_s<0.16 * axis_end_s, late = r->to_s> 0.84 * axis_end_s;
    const int both = starts_late(r) && ends_early(r) && early && !late &&
                     r->to_s - r->from_s < 0.16 * axis_end_s;
    if (starts_late(r))
        window_line(out, 4, r->from_s / u.s, both ? "" : "measured from here", !early);
    if (ends_early(r))
        window_line(out, 5, r->to_s / u.s,
                    both ? "measured between the lines" : "measured until here", late);
}

void gs_chart_row(struct gs_buf *out, const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        gs_gnuplot_number(out, v[i]);
    gs_buf_str(out, "\n");
}

size_t gs_chart_letters(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

void gs_chart_key_below(struct gs_buf *out, size_t n, size_t longest, const char *title)
{
    const size_t columns = longest <= 40 && n > 1 ? 2 : 1;
    const size_t rows = (n + columns - 1) / columns + (*title ? 1 : 0);
    gs_buf_fmt(out, "set bmargin %zu\nset key below maxcols %zu title '%s' left\n",
               5 + rows * 5 / 4, columns, title);
}

void gs_chart_run_name(struct gs_buf *out, const struct gs_plot_run *r, const char *label,
                       size_t most_bytes)
{
    gs_chart_some(out, label, most_bytes);
    marks(out, r, ", ");
}

void gs_chart_sweep_head(struct gs_buf *out, const struct gs_plot_run *runs, size_t n, size_t shown,
                         const char *finding)
{
    struct gs_buf below = {0};
    size_t incomplete = 0;
    int replicated = 0;
    for (size_t i = 0; i < n; i++)
        incomplete += !runs[i].complete;
    for (size_t i = 0; i < n; i++)
        replicated |= runs[i].replicated;
    gs_chart_some(&below, *runs[0].title ? runs[0].title : "untitled scenario", 80);
    gs_buf_fmt(&below, " · %zu run%s", n, n > 1 ? "s" : "");
    if (shown < n)
        gs_buf_fmt(&below, ", the first %zu shown", shown);
    if (replicated)
        gs_buf_str(&below, " · replication 0 of each");
    if (incomplete)
        gs_buf_fmt(&below, " · %zu of them INCOMPLETE", incomplete);
    heading(out, finding, gs_buf_cstr(&below));
    gs_buf_free(&below);
}

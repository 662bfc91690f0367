/* plotpart.c - what all charts have in common: title, axes of time, line styles, rows of data.
 *
 * Every chart has a title that states its finding, and below it a line that names the scenario, the policy and the digest; a run whose queue kept
 * growing is marked there. Time is in the largest unit that gives at least three. Text from files is quoted, shortened
 * between characters, and never enhanced, so that an underscore in a name stays one. */
#include "analysis/gnuplot.h"
#include "analysis/plotchart.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

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
    gs_chart_label(out, 1, finding, "at graph 0, graph 1 offset 0,2.7 left font TITLE");
    gs_chart_label(out, 2, below, "at graph 0, graph 1 offset 0,1.2 left textcolor rgb '#505050'");
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

/* "title · policy P · digest D" */
static void about(struct gs_buf *out, const struct gs_plot_run *r)
{
    gs_chart_some(out, *r->title ? r->title : "untitled scenario", 40);
    if (*r->policy) {
        struct gs_buf policy = {0};
        policy_in_short(&policy, r->policy);
        gs_buf_str(out, " · policy ");
        gs_chart_some(out, gs_buf_cstr(&policy), 52);
        gs_buf_free(&policy);
    }
    if (*r->digest)
        gs_buf_fmt(out, " · digest %.18s", r->digest);
    if (strcmp(r->verdict, "saturated") == 0)
        gs_buf_str(out, " · SATURATED");
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

void gs_chart_row(struct gs_buf *out, const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        gs_gnuplot_number(out, v[i]);
    gs_buf_str(out, "\n");
}

void gs_chart_sweep_head(struct gs_buf *out, const struct gs_plot_run *runs, size_t n, size_t shown,
                         const char *finding)
{
    struct gs_buf below = {0};
    gs_buf_fmt(&below, "%s · %zu runs", *runs[0].title ? runs[0].title : "untitled scenario", n);
    if (shown < n)
        gs_buf_fmt(&below, ", the first %zu shown", shown);
    heading(out, finding, gs_buf_cstr(&below));
    gs_buf_free(&below);
}

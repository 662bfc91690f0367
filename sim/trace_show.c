/* trace_show.c - `gsim trace info` on one screen.
 *
 * Names come out of files of any origin, so nothing is printed that is no text (utf8.h). Lines that do not apply are left out: a list of
 * requests has no GPU-hours, a log in seconds no weekdays. */
#include "sim/trace_show.h"

#include "sim/base/units.h"
#include "sim/base/utf8.h"

#include <string.h>

#include "sim/base/banned.h"

#define SHOWN_PARTS 6

static const char *const days[7] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

static void label(struct gs_buf *b, const char *name)
{
    gs_buf_fmt(b, "  %-16s", name);
}

static const char *count(uint64_t n)
{
    static char text[4][32]; /* several in one line */
    static unsigned turn;
    char *t = text[turn++ % 4];
    return gs_show_count((int64_t)n, t, sizeof text[0]);
}

/* ---- What it is -------------------------------------------------------------------------------- */

static void add_kind(const struct gs_trace_shown *t, struct gs_buf *b)
{
    const struct gs_trace_summary *s = t->s;
    char bytes[64];
    gs_utf8_clean(b, t->path);
    gs_buf_fmt(b, ": %s (%s), %s\n", s->n.format,
               t->guessed ? "guessed from the content" : "as given", s->format_what);
    label(b, "file");
    gs_buf_fmt(b, "%s, xxh128 %s\n", gs_show_bytes((double)s->n.bytes, bytes, sizeof bytes),
               s->n.digest);
    if (s->units) {
        label(b, "units");
        gs_buf_fmt(b, "%s\n", s->units);
    }
    if (s->n.zone[0]) {
        label(b, "zone");
        gs_buf_fmt(b, "%s", s->n.zone);
        if (s->n.ambiguous_local || s->n.missing_local)
            gs_buf_fmt(b, "; %s local times happen twice, %s never", count(s->n.ambiguous_local),
                       count(s->n.missing_local));
        gs_buf_str(b, "\n");
    }
}

static void add_rows(const struct gs_trace_summary *s, struct gs_buf *b)
{
    char span[64];
    label(b, "rows");
    gs_buf_fmt(b, "%s read, %s skipped", count(s->n.rows), count(s->n.skipped));
    if (s->n.duplicates)
        gs_buf_fmt(b, "; %s repeat an id: a replay refuses them", count(s->n.duplicates));
    gs_buf_str(b, "\n");
    if (!s->jobs && !s->calls)
        return;
    label(b, "span");
    gs_buf_fmt(b, "%s", gs_show_time(s->span_s, span, sizeof span));
    if (s->n.sorted)
        gs_buf_str(b, ", in order of time\n");
    else
        gs_buf_fmt(b, "; %s rows are earlier than the row before: a replay sorts in memory\n",
                   count(s->n.out_of_order));
    label(b, s->jobs ? "jobs" : "requests");
    gs_buf_str(b, count(s->jobs ? s->jobs : s->calls));
    if (s->jobs && s->calls)
        gs_buf_fmt(b, ", %s requests", count(s->calls));
    if (s->gpu_hours >= 1000)
        gs_buf_fmt(b, ", %s GPU-hours", count((uint64_t)(s->gpu_hours + 0.5)));
    else if (s->gpu_hours > 0)
        gs_buf_fmt(b, ", %.6g GPU-hours", s->gpu_hours);
    if (s->tenants)
        gs_buf_fmt(b, ", %s tenants", count(s->tenants));
    if (s->users)
        gs_buf_fmt(b, ", %s %s", count(s->users), s->jobs ? "users" : "sessions");
    gs_buf_str(b, "\n");
}

/* GPUs and tokens are whole numbers more often than not: a percentile that is known within 0.4 % is shown as the whole number that lies
 * within that. */
static double whole(const struct gs_trace_summary *s, double x)
{
    const double near = (double)(int64_t)(x + 0.5);
    return !s->exact && near - x <= 0.004 * x && x - near <= 0.004 * x ? near : x;
}

/* "median job  runs 30.2 min on 1 GPU" */
static void add_median(const struct gs_trace_summary *s, struct gs_buf *b)
{
    char time[64];
    if (s->run_s.n) {
        label(b, "median job");
        gs_buf_fmt(b, "runs %s", gs_show_time(s->run_s.p50, time, sizeof time));
        if (s->gpus.p50 > 0)
            gs_buf_fmt(b, " on %g GPU%s", whole(s, s->gpus.p50),
                       whole(s, s->gpus.p50) > 1 ? "s" : "");
        gs_buf_fmt(b, "; the longest %s\n", gs_show_time(s->run_s.max, time, sizeof time));
    }
    if (s->input.n) {
        label(b, "median call");
        gs_buf_fmt(b, "%.6g tokens in", whole(s, s->input.p50));
        if (s->output.n)
            gs_buf_fmt(b, ", %.6g out", whole(s, s->output.p50));
        gs_buf_str(b, "\n");
    }
    if (s->warning[0]) {
        label(b, "WARNING");
        gs_buf_fmt(b, "%s\n", s->warning);
    }
}

/* ---- Spreads ----------------------------------------------------------------------------------- */

static void add_cell(struct gs_buf *b, double x, int is_time)
{
    char text[64];
    if (is_time)
        (void)gs_show_time(x, text, sizeof text);
    else
        (void)gs_fmt(text, sizeof text, "%.6g", x);
    gs_buf_fmt(b, " %9s", text);
}

static void add_spread(struct gs_buf *b, const struct gs_trace_summary *s, const char *name,
                       const struct gs_spread *p, int is_time)
{
    if (p->n == 0)
        return;
    const double v[] = {p->mean, p->p5, p->p50, p->p90, p->p99, p->max};
    label(b, name);
    for (size_t i = 0; i < sizeof v / sizeof v[0]; i++)
        add_cell(b, is_time || i == 0 ? v[i] : whole(s, v[i]), is_time); /* means are exact */
    gs_buf_fmt(b, " %6.2f\n", p->cv);
}

static void add_spreads(const struct gs_trace_summary *s, struct gs_buf *b)
{
    if (!s->run_s.n && !s->gpus.n && !s->input.n)
        return;
    label(b, s->exact ? "" : "(about)");
    gs_buf_fmt(b, " %9s %9s %9s %9s %9s %9s %6s\n", "mean", "p5", "p50", "p90", "p99", "max", "CV");
    add_spread(b, s, "run time", &s->run_s, 1);
    if (s->gpus.max > 0)
        add_spread(b, s, "GPUs", &s->gpus, 0);
    add_spread(b, s, "between arrivals", &s->gap_s, 1);
    if (!s->gap_s.n && !s->n.sorted) {
        label(b, "between arrivals");
        gs_buf_fmt(b, "      not told: more than %s records out of order of time\n",
                   count(GS_INFO_EXACT));
    }
    add_spread(b, s, "input", &s->input, 0);
    add_spread(b, s, "output", &s->output, 0);
    if (!s->exact) {
        label(b, "");
        gs_buf_fmt(b, " more than %s records: percentiles are within 0.4 %%\n",
                   count(GS_INFO_EXACT));
    }
}

/* ---- Shares ------------------------------------------------------------------------------------ */

static void add_parts(struct gs_buf *b, const char *name, const struct gs_share_of *v, size_t n,
                      double total)
{
    if (n == 0)
        return;
    label(b, name);
    for (size_t i = 0; i < n && i < SHOWN_PARTS; i++) {
        gs_buf_str(b, i ? ", " : "");
        gs_utf8_clean(b, *v[i].name ? v[i].name : "(none)");
        gs_buf_fmt(b, ": %s (%.1f %%)", count(v[i].n), 100 * (double)v[i].n / total);
    }
    gs_buf_str(b, n > SHOWN_PARTS ? ", ...\n" : "\n");
}

static void add_ends(const struct gs_trace_summary *s, struct gs_buf *b)
{
    int any = 0;
    for (int i = 0; i < GS_END_COUNT; i++)
        any |= i != GS_END_UNKNOWN && s->end_state[i];
    if (!any)
        return;
    label(b, "ended");
    const char *between = "";
    for (int i = 0; i < GS_END_COUNT; i++) {
        if (!s->end_state[i])
            continue;
        gs_buf_fmt(b, "%s%s %s", between, gs_end_state_str((enum gs_end_state)i),
                   count(s->end_state[i]));
        between = ", ";
    }
    gs_buf_str(b, "\n");
}

/* Eighths of a block, the largest whole. */
static void add_bars(struct gs_buf *b, const uint64_t *v, size_t n, size_t width)
{
    static const char *const bars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    uint64_t most = 1;
    for (size_t i = 0; i < n; i++)
        most = v[i] > most ? v[i] : most;
    for (size_t i = 0; i < n; i++) {
        const double share = (double)v[i] / (double)most;
        const size_t eighths = v[i] ? 1 + (size_t)(share * 7 + 0.5) : 0;
        for (size_t k = 0; k < width; k++)
            gs_buf_str(b, bars[eighths]);
    }
}

static void add_arrivals(const struct gs_trace_summary *s, struct gs_buf *b)
{
    if (!s->has_clock)
        return;
    label(b, "by hour");
    gs_buf_str(b, "0 ");
    add_bars(b, s->by_hour, 24, 1);
    gs_buf_str(b, " 23   Mon ");
    add_bars(b, s->by_weekday, 7, 2);
    gs_buf_str(b, " Sun\n");
}

static void add_counts(const struct gs_trace_counts *n, struct gs_buf *b)
{
    for (uint32_t i = 0; i < n->nwhy; i++) {
        label(b, i ? "" : "skipped");
        gs_buf_fmt(b, "%s, ", count(n->why[i].n));
        gs_utf8_clean(b, n->why[i].reason);
        gs_buf_str(b, "\n");
    }
    for (uint32_t i = 0; i < n->nassumed; i++) {
        label(b, i ? "" : "assumed");
        gs_buf_fmt(b, "%s, ", count(n->assumed[i].n));
        gs_utf8_clean(b, n->assumed[i].what);
        gs_buf_str(b, "\n");
    }
}

static void add_figures(const struct gs_trace_summary *s, struct gs_buf *b)
{
    size_t widest = 0;
    for (size_t i = 0; i < s->figures.n; i++) {
        const size_t n = strlen(s->figures.v[i].name);
        widest = n > widest && n < 40 ? n : widest;
    }
    gs_buf_str(b, s->figures.n ? "\n" : "");
    for (size_t i = 0; i < s->figures.n; i++) {
        gs_buf_str(b, "  ");
        gs_utf8_clean(b, s->figures.v[i].name);
        for (size_t n = strlen(s->figures.v[i].name); n < widest; n++)
            gs_buf_str(b, " ");
        gs_buf_str(b, *s->figures.v[i].value ? "  " : "");
        gs_utf8_clean(b, s->figures.v[i].value);
        gs_buf_str(b, "\n");
    }
}

void gs_trace_show_text(const struct gs_trace_shown *t, struct gs_buf *out)
{
    const struct gs_trace_summary *s = t->s;
    add_kind(t, out);
    add_rows(s, out);
    add_median(s, out);
    add_spreads(s, out);
    if (s->gpus.max > 0)
        add_parts(out, "sizes", s->sizes.v, s->sizes.n, (double)s->jobs);
    add_parts(out, "tenants", s->tenant_rows.v, s->tenant_rows.n, (double)(s->jobs + s->calls));
    add_ends(s, out);
    add_arrivals(s, out);
    add_counts(&s->n, out);
    add_figures(s, out);
}

/* ---- JSON -------------------------------------------------------------------------------------- */

static json_t *text(const char *s)
{
    struct gs_buf b = {0};
    gs_utf8_clean(&b, s);
    json_t *j = json_string(gs_buf_cstr(&b));
    gs_buf_free(&b);
    return j;
}

static void put(json_t *object, const char *key, json_t *value)
{
    struct gs_buf b = {0};
    gs_utf8_clean(&b, key);
    (void)json_object_set_new(object, gs_buf_cstr(&b), value);
    gs_buf_free(&b);
}

static json_t *number(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static void put_spread(json_t *trace, const char *key, const struct gs_spread *p)
{
    if (p->n == 0)
        return;

    const struct {
        const char *key;
        double x;
    } v[] = {{"mean", p->mean}, {"min", p->min}, {"p5", p->p5},   {"p25", p->p25},
             {"p50", p->p50},   {"p75", p->p75}, {"p90", p->p90}, {"p95", p->p95},
             {"p99", p->p99},   {"max", p->max}, {"cv", p->cv}};

    json_t *o = json_object();
    put(o, "n", number(p->n));
    for (size_t i = 0; i < sizeof v / sizeof v[0]; i++)
        put(o, v[i].key, json_real(v[i].x));
    put(trace, key, o);
}

static void put_numbers(json_t *trace, const char *key, const uint64_t *v, size_t n)
{
    json_t *a = json_array();
    for (size_t i = 0; i < n; i++)
        (void)json_array_append_new(a, number(v[i]));
    put(trace, key, a);
}

static void put_parts(json_t *trace, const char *key, const struct gs_share_of *v, size_t n)
{
    json_t *a = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *o = json_object();
        put(o, "name", text(v[i].name));
        put(o, "n", number(v[i].n));
        put(o, "gpu_hours", json_real(v[i].gpu_hours));
        (void)json_array_append_new(a, o);
    }
    put(trace, key, a);
}

static void put_counts(json_t *trace, const struct gs_trace_counts *n)
{
    json_t *skipped = json_object();
    json_t *assumed = json_object();
    for (uint32_t i = 0; i < n->nwhy; i++)
        put(skipped, n->why[i].reason, number(n->why[i].n));
    for (uint32_t i = 0; i < n->nassumed; i++)
        put(assumed, n->assumed[i].what, number(n->assumed[i].n));
    put(trace, "rows", number(n->rows));
    put(trace, "emitted", number(n->emitted));
    put(trace, "skipped", number(n->skipped));
    put(trace, "skipped_why", skipped);
    put(trace, "assumed", assumed);
    put(trace, "repeated_ids", number(n->duplicates));
    put(trace, "out_of_order", number(n->out_of_order));
    put(trace, "sorted", json_boolean(n->sorted));
    put(trace, "ambiguous_local_times", number(n->ambiguous_local));
    put(trace, "missing_local_times", number(n->missing_local));
}

static void put_arrivals(json_t *trace, const struct gs_trace_summary *s)
{
    if (!s->has_clock)
        return;
    json_t *names = json_array();
    for (int i = 0; i < 7; i++)
        (void)json_array_append_new(names, json_string(days[i]));
    put_numbers(trace, "by_hour", s->by_hour, 24);
    put_numbers(trace, "by_weekday", s->by_weekday, 7);
    put(trace, "weekdays", names);
}

static json_t *trace_object(const struct gs_trace_shown *t)
{
    const struct gs_trace_summary *s = t->s;
    json_t *trace = json_object();
    put(trace, "file", text(t->path));
    put(trace, "format", text(s->n.format));
    put(trace, "format_guessed", json_boolean(t->guessed));
    put(trace, "what", text(s->format_what));
    put(trace, "units", s->units ? text(s->units) : json_null());
    put(trace, "zone", s->n.zone[0] ? text(s->n.zone) : json_null());
    put(trace, "bytes", number(s->n.bytes));
    put(trace, "xxh128", text(s->n.digest));
    put_counts(trace, &s->n);
    put(trace, "jobs", number(s->jobs));
    put(trace, "requests", number(s->calls));
    put(trace, "span_s", json_real(s->span_s));
    put(trace, "gpu_hours", json_real(s->gpu_hours));
    put(trace, "tenants", number(s->tenants));
    put(trace, "users", number(s->users));
    put(trace, "percentiles_exact", json_boolean(s->exact));
    put_spread(trace, "run_s", &s->run_s);
    put_spread(trace, "gpus", &s->gpus);
    put_spread(trace, "between_arrivals_s", &s->gap_s);
    put_spread(trace, "input_tokens", &s->input);
    put_spread(trace, "output_tokens", &s->output);
    put_parts(trace, "sizes", s->sizes.v, s->sizes.n);
    put_parts(trace, "by_tenant", s->tenant_rows.v, s->tenant_rows.n);
    json_t *ends = json_object();
    for (int i = 0; i < GS_END_COUNT; i++)
        put(ends, gs_end_state_str((enum gs_end_state)i), number(s->end_state[i]));
    put(trace, "end_states", ends);
    put_arrivals(trace, s);
    put(trace, "warning", s->warning[0] ? text(s->warning) : json_null());
    return trace;
}

json_t *gs_trace_show_json(const struct gs_trace_shown *t)
{
    json_t *o = json_object();
    for (size_t i = 0; i < t->s->figures.n; i++)
        put(o, t->s->figures.v[i].name, text(t->s->figures.v[i].value));
    put(o, "trace", trace_object(t));
    return o;
}

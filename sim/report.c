/* report.c - the summary of one or several simulations: a table on standard output with a column a point, the unpleasant first.
 *
 * Rows are data (below): each names metrics of the one metric table. At most 25 lines. Equal runs print equal bytes: nothing that the machine
 * or the clock decides is here; those figures go to standard error (gs_report_perf) or to a JSON file (--perf). */
#include "sim/base/units.h"
#include "sim/points.h"

#include <jansson.h>
#include <libsmartcols/libsmartcols.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum show {
    SHOW_COUNT,
    SHOW_TIME,
    SHOW_RATIO,
    SHOW_NUMBER,
    SHOW_AMOUNT, /* with two decimals */
    SHOW_PARTS   /* of the allocated time: those of gpu.time.* that are not 0 */
};

static const struct row {
    const char *label, *metric;
    enum show show;
    int always; /* 0: only where some point has a value that is not 0; 2: only where one differs by over 0.01 from `than` */
    const char *than;
} rows[] = {
    {"unfinished jobs", "jobs.unfinished", SHOW_COUNT, 0, NULL},
    {"never started", "jobs.censored", SHOW_COUNT, 0, NULL},
    {"rejected jobs", "jobs.rejected", SHOW_COUNT, 0, NULL},
    {"failed jobs", "jobs.failed", SHOW_COUNT, 0, NULL},
    {"killed jobs", "jobs.killed", SHOW_COUNT, 0, NULL},
    {"not submitted", "jobs.unsubmitted", SHOW_COUNT, 0, NULL},
    {"jobs counted", "jobs.submitted", SHOW_COUNT, 1, NULL},
    {"offered load", "load.offered", SHOW_RATIO, 1, NULL},
    {"GPU allocation", "gpu.allocation", SHOW_RATIO, 1, NULL},
    {"  until last arrival", "gpu.allocation_arrivals", SHOW_RATIO, 2, "gpu.allocation"},
    {"GPU utilization", "gpu.utilization", SHOW_RATIO, 2, "gpu.allocation"},
    {"  allocated time", "gpu.utilization", SHOW_PARTS, 2, "gpu.allocation"},
    {"fragmentation", "gpu.fragmentation", SHOW_RATIO, 1, NULL},
    {"stranded GPUs", "gpu.stranded", SHOW_NUMBER, 0, NULL},
    {"wait mean", "jobs.wait.mean", SHOW_TIME, 1, NULL},
    {"wait p50", "jobs.wait.p50", SHOW_TIME, 1, NULL},
    {"wait p95", "jobs.wait.p95", SHOW_TIME, 1, NULL},
    {"wait p99", "jobs.wait.p99", SHOW_TIME, 1, NULL},
    {"completion mean", "jobs.jct.mean", SHOW_TIME, 1, NULL},
    {"completion p95", "jobs.jct.p95", SHOW_TIME, 1, NULL},
    {"bounded slowdown mean", "jobs.bounded_slowdown.mean", SHOW_NUMBER, 1, NULL},
    {"preemptions", "jobs.preemptions", SHOW_COUNT, 0, NULL},
    {"fairness (Jain)", "fairness.jain", SHOW_NUMBER, 1, NULL},
    {"cost, USD", "cost.total", SHOW_AMOUNT, 0, NULL},
    {"  a useful GPU-hour", "cost.per_useful_gpu_h", SHOW_AMOUNT, 0, NULL},
    {"energy, kWh", "energy.kwh", SHOW_AMOUNT, 0, NULL},
    {"carbon, kg", "carbon.kg", SHOW_AMOUNT, 0, NULL},
    {"power peak, W", "power.peak", SHOW_AMOUNT, 0, NULL},
};

#define NROWS (sizeof rows / sizeof *rows)

static uint32_t metric_index(const char *name)
{
    size_t n = 0;
    const struct gs_metric *t = gs_metric_table(&n);
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(t[i].name, name) == 0)
            return i;
    return GS_NONE;
}

static void show_plain(enum show how, double x, char *buf, size_t cap)
{
    char t[64];
    if (isnan(x))
        (void)gs_fmt(buf, cap, "no samples");
    else if (how == SHOW_TIME)
        (void)gs_fmt(buf, cap, "%s", gs_show_time(x, t, sizeof t));
    else if (how == SHOW_RATIO)
        (void)gs_fmt(buf, cap, "%.2f %%", x * 100.0);
    else if (how == SHOW_COUNT && x < 9e15 && x == (double)(int64_t)x)
        (void)gs_fmt(buf, cap, "%s", gs_show_count((int64_t)x, t, sizeof t));
    else if (how == SHOW_AMOUNT)
        (void)gs_fmt(buf, cap, "%.2f", x);
    else
        (void)gs_fmt(buf, cap, "%.4g", x);
}

/* "compute 70 %, communication 25 %, idle 5 %" */
static void show_parts(const struct gs_report *r, char *buf, size_t cap)
{
    static const char *const names[] = {
#define X(U, l, d) #l,
        GS_PARTS(X)
#undef X
    };
    struct gs_buf b = {0};
    for (size_t i = 0; i < GS_TIME_COUNT; i++) {
        char metric[64];
        (void)gs_fmt(metric, sizeof metric, "gpu.time.%s", names[i]);
        const double x = r->value[metric_index(metric)];
        if (!(x > 0))
            continue;
        gs_buf_str(&b, b.n ? ", " : "");
        for (const char *p = names[i]; *p; p++)
            gs_buf_fmt(&b, "%c", *p == '_' ? ' ' : *p);
        gs_buf_fmt(&b, " %.1f %%", 100 * x);
    }
    (void)gs_fmt(buf, cap, "%s", gs_buf_cstr(&b));
    gs_buf_free(&b);
}

/* Value i of a report as a cell: "> 3 d" where it is censored, "+- 2 min" where replications give an interval, "(few)" where samples lack. */
static void show_cell(const struct gs_report *r, uint32_t i, enum show how, char *buf, size_t cap)
{
    char v[64], h[64];
    const char *before = "", *few = r->few[i] ? " (few)" : "";
    double x = r->value[i];
    if (how == SHOW_PARTS) {
        show_parts(r, buf, cap);
        return;
    }
    if (isinf(x)) {
        before = "> ";
        x = r->bound[i];
    } else if (r->censored[i] && how != SHOW_COUNT) {
        before = ">= ";
    }
    show_plain(how, x, v, sizeof v);
    if (r->replications > 1 && !isnan(r->ci_low[i]) && r->ci_high[i] > r->ci_low[i]) {
        show_plain(how, (r->ci_high[i] - r->ci_low[i]) / 2, h, sizeof h);
        if (r->ci_low[i] < 0) { /* no quantity here can be: the interval ends at 0 */
            show_plain(how, r->ci_high[i], h, sizeof h);
            (void)gs_fmt(buf, cap, "%s%s [0, %s]%s", before, v, h, few);
        } else {
            (void)gs_fmt(buf, cap, "%s%s +/- %s%s", before, v, h, few);
        }
        if (isfinite(
                r->pooled[i])) { /* a quantile: over all replications together, beside their mean */
            const size_t n = strlen(buf);
            show_plain(how, r->pooled[i], v, sizeof v);
            (void)gs_fmt(buf + n, cap - n, ", pooled %s", v);
        }
        return;
    }
    (void)gs_fmt(buf, cap, "%s%s%s", before, v, few);
}

static int row_wanted(const struct row *w, uint32_t i, const struct gs_report *r, size_t n)
{
    int known = 0;
    for (size_t k = 0; k < n && i != GS_NONE; k++)
        known |= !isnan(r[k].value[i]);
    if (!known)
        return 0; /* such as GPUs on a machine without any */
    if (w->always == 2) {
        const uint32_t other = metric_index(w->than);
        int differs = 0;
        for (size_t k = 0; k < n; k++)
            differs |= fabs(r[k].value[i] - r[k].value[other]) > 0.01;
        return differs;
    }
    for (size_t k = 0; k < n; k++)
        if (w->always || (r[k].value[i] != 0 && !isnan(r[k].value[i])))
            return 1;
    return 0;
}

typedef void cell_fn(const struct gs_report *r, char *buf, size_t cap);

static void cell_verdict(const struct gs_report *r, char *buf, size_t cap)
{
    (void)gs_fmt(buf, cap, "%s%s", gs_verdict_str((enum gs_verdict)r->verdict),
                 r->complete ? "" : ", INCOMPLETE");
}

static void cell_policy(const struct gs_report *r, char *buf, size_t cap)
{
    (void)gs_fmt(buf, cap, "%s", r->policy);
}

static void cell_oracle(const struct gs_report *r, char *buf, size_t cap)
{
    (void)gs_fmt(buf, cap, "%llu of %llu jobs", (unsigned long long)r->oracle,
                 (unsigned long long)r->jobs);
}

static void cell_unverified(const struct gs_report *r, char *buf, size_t cap)
{
    (void)gs_fmt(buf, cap, "%llu nodes", (unsigned long long)r->unverified);
}

static void cell_skipped(const struct gs_report *r, char *buf, size_t cap)
{
    (void)gs_fmt(buf, cap, "%llu rows", (unsigned long long)r->skipped);
}

static void cell_replications(const struct gs_report *r, char *buf, size_t cap)
{
    (void)gs_fmt(buf, cap, "%lld of %lld: nothing is random", (long long)r->replications,
                 (long long)r->asked);
}

static void cell_digest(const struct gs_report *r, char *buf, size_t cap)
{
    (void)gs_fmt(buf, cap, "0x%016llx", (unsigned long long)r->digest);
}

static void cell_data_digest(const struct gs_report *r, char *buf, size_t cap)
{
    (void)gs_fmt(buf, cap, "%s", r->data_digest);
}

static struct libscols_line *add_line(struct libscols_table *t, const char *label)
{
    struct libscols_line *ln = scols_table_new_line(t, NULL);
    (void)scols_line_set_data(ln, 0, label);
    return ln;
}

/* Red for what must not be overlooked, green for a healthy run; never colour alone: the word stands there. */
static const char *verdict_color(const struct gs_report *r)
{
    if (!r->complete || r->verdict == GS_VERDICT_SATURATED)
        return "red";
    return r->verdict == GS_VERDICT_STABLE ? "green" : "brown";
}

static void add_special(struct libscols_table *t, const char *label, cell_fn *fn,
                        const struct gs_report *r, size_t n)
{
    struct libscols_line *ln = add_line(t, label);
    for (size_t k = 0; k < n; k++) {
        char buf[512];
        fn(&r[k], buf, sizeof buf);
        (void)scols_line_set_data(ln, k + 1, buf);
        if (fn == cell_verdict)
            (void)scols_cell_set_color(scols_line_get_cell(ln, k + 1), verdict_color(&r[k]));
    }
}

static int any_oracle(const struct gs_report *r, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (r[k].oracle)
            return 1;
    return 0;
}

static void fill_table(struct libscols_table *t, const struct gs_report *r, size_t n)
{
    add_special(t, "policy", cell_policy, r, n);
    add_special(t, "verdict", cell_verdict, r, n);
    if (r[0].replications < r[0].asked)
        add_special(t, "replications", cell_replications, r, n);
    if (any_oracle(r, n))
        add_special(t, "oracle estimates", cell_oracle, r, n);
    if (r[0].unverified)
        add_special(t, "unverified hardware", cell_unverified, r, n);
    if (r[0].skipped)
        add_special(t, "trace rows skipped", cell_skipped, r, n);
    for (size_t w = 0; w < NROWS; w++) {
        uint32_t i = metric_index(rows[w].metric);
        if (!row_wanted(&rows[w], i, r, n))
            continue;
        struct libscols_line *ln = add_line(t, rows[w].label);
        for (size_t k = 0; k < n; k++) {
            char buf[256];
            show_cell(&r[k], i, rows[w].show, buf, sizeof buf);
            (void)scols_line_set_data(ln, k + 1, buf);
        }
    }
    add_special(t, "digest", cell_digest, r, n);
    if (r[0].data_digest[0])
        add_special(t, "data_digest", cell_data_digest, r, n);
}

static void print_table(const struct gs_report *r, size_t n, int color)
{
    struct libscols_table *t = scols_new_table();
    if (!t)
        return;
    (void)scols_table_new_column(t, n > 1 ? "point" : "", 0, 0);
    for (size_t k = 0; k < n; k++)
        (void)scols_table_new_column(t, r[k].label[0] ? r[k].label : "", 0, 0);
    (void)scols_table_enable_noheadings(t, n == 1 && !r[0].label[0]);
    (void)scols_table_set_termforce(t, SCOLS_TERMFORCE_NEVER);
    (void)scols_table_enable_nowrap(t, 1);
    (void)scols_table_enable_colors(t, color);
    fill_table(t, r, n);
    char *text = NULL;
    if (scols_print_table_to_string(t, &text) == 0 && text)
        (void)fputs(text, stdout);
    free(text); /* libsmartcols gave it: not ours */
    (void)fputc('\n', stdout);
    if (r[0].replications > 1)
        (void)printf(
            "+/- or [low, high]: 95 %% interval of the mean over %lld replications; pooled: "
            "over all their jobs\n",
            (long long)r[0].replications);
    scols_unref_table(t);
}

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *report_json(const struct gs_report *r)
{
    size_t nm = 0;
    const struct gs_metric *t = gs_metric_table(&nm);
    json_t *o = json_object(), *m = json_object();
    char hex[32];
    cell_digest(r, hex, sizeof hex);
    (void)json_object_set_new(o, "point", json_string(r->label));
    (void)json_object_set_new(o, "policy", json_string(r->policy));
    (void)json_object_set_new(o, "verdict",
                              json_string(gs_verdict_str((enum gs_verdict)r->verdict)));
    (void)json_object_set_new(o, "complete", json_boolean(r->complete));
    (void)json_object_set_new(o, "digest", json_string(hex));
    (void)json_object_set_new(o, "data_digest", json_string(r->data_digest));
    (void)json_object_set_new(o, "replications", json_integer((json_int_t)r->replications));
    (void)json_object_set_new(o, "replications_asked", json_integer((json_int_t)r->asked));
    (void)json_object_set_new(o, "oracle_jobs", json_integer((json_int_t)r->oracle));
    (void)json_object_set_new(o, "unverified_nodes", json_integer((json_int_t)r->unverified));
    (void)json_object_set_new(o, "rows_skipped", json_integer((json_int_t)r->skipped));
    for (uint32_t i = 0; i < r->nvalues && i < nm; i++) {
        json_t *v = json_object();
        (void)json_object_set_new(v, "value", number(r->value[i]));
        (void)json_object_set_new(v, "units", json_string(t[i].units));
        (void)json_object_set_new(v, "samples", json_integer((json_int_t)r->samples[i]));
        if (r->censored[i]) {
            (void)json_object_set_new(v, "censored", json_integer((json_int_t)r->censored[i]));
            (void)json_object_set_new(v, "bound", number(r->bound[i]));
        }
        if (!isnan(r->ci_low[i])) {
            (void)json_object_set_new(v, "ci_low", number(r->ci_low[i]));
            (void)json_object_set_new(v, "ci_high", number(r->ci_high[i]));
            if (!isnan(r->pooled[i]))
                (void)json_object_set_new(v, "pooled", number(r->pooled[i]));
        }
        (void)json_object_set_new(m, t[i].name, v);
    }
    (void)json_object_set_new(o, "metrics", m);
    return o;
}

void gs_report_print(const struct gs_report *r, size_t n, int json, int color)
{
    if (!json) {
        print_table(r, n, color);
        return;
    }
    json_t *a = json_array();
    for (size_t k = 0; k < n; k++)
        (void)json_array_append_new(a, report_json(&r[k]));
    (void)json_dumpf(a, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17));
    (void)fputc('\n', stdout);
    json_decref(a);
}

void gs_report_perf(struct gs_log *log, const struct gs_report *r, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        char ev[64], mem[64];
        double sim = (double)r[k].wall_ns / 1e9, mod = (double)r[k].module_ns / 1e9;
        if (!r[k].nvalues)
            continue;
        gs_note(
            log,
            "%s%s%s events in %.3f s (%.0f events/s): %.3f s inside modules (%llu calls), %.3f s outside; reading %.3f s, writing %.3f s; peak memory %s",
            r[k].label, r[k].label[0] ? ": " : "",
            gs_show_count((int64_t)r[k].events, ev, sizeof ev), sim,
            sim > 0 ? (double)r[k].events / sim : 0, mod, (unsigned long long)r[k].module_calls,
            sim - mod, (double)r[k].read_ns / 1e9, (double)r[k].write_ns / 1e9,
            gs_show_bytes((double)r[k].peak_rss, mem, sizeof mem));
        if (r[k].rejects[0])
            gs_note(log, "rejected jobs: %s", r[k].rejects);
        if (r[k].path[0] && r[k].data_digest[0])
            gs_note(log, "results: %s", r[k].path);
    }
}

enum gs_rc gs_report_perf_file(const char *path, const struct gs_report *r, size_t n,
                               struct gs_err *err)
{
    json_t *a = json_array();
    for (size_t k = 0; k < n; k++) {
        json_t *o = json_object();
        (void)json_object_set_new(o, "point", json_string(r[k].label));
        (void)json_object_set_new(o, "events", json_integer((json_int_t)r[k].events));
        (void)json_object_set_new(o, "passes", json_integer((json_int_t)r[k].passes));
        (void)json_object_set_new(o, "scores", json_integer((json_int_t)r[k].scores));
        (void)json_object_set_new(o, "simulate_s", json_real((double)r[k].wall_ns / 1e9));
        (void)json_object_set_new(o, "module_s", json_real((double)r[k].module_ns / 1e9));
        (void)json_object_set_new(o, "read_s", json_real((double)r[k].read_ns / 1e9));
        (void)json_object_set_new(o, "write_s", json_real((double)r[k].write_ns / 1e9));
        (void)json_object_set_new(o, "peak_bytes", json_integer((json_int_t)r[k].peak_rss));
        (void)json_array_append_new(a, o);
    }
    errno = 0;
    int bad = json_dump_file(a, path, JSON_INDENT(2)), why = errno;
    struct stat st;
    json_decref(a);
    if (bad && stat(path, &st) == 0 && S_ISREG(st.st_mode))
        (void)unlink(path); /* half of it says nothing */
    return bad ? gs_fail(err, GS_E_IO, "%s: cannot be written: %s", path,
                         why ? strerror(why) : "the disk is full")
               : GS_OK;
}

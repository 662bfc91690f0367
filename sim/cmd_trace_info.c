/* cmd_trace_info.c - `gsim trace info FILE...`: what a workload trace holds, on one screen, as JSON, as charts. */
#include "analysis/trace_plot.h"
#include "sim/base/sort.h"
#include "sim/base/units.h"
#include "sim/base/utf8.h"
#include "sim/cli.h"
#include "sim/trace_show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_FORMAT = GS_OPT_OWN,
    OPT_ZONE,
    OPT_AMBIGUOUS,
    OPT_BAD_ROWS,
    OPT_PLOT,
    OPT_PLOT_FORMAT
};

struct args {
    struct gs_cli *cli;
    struct gs_trace_options file; /* for all of them; path is set for each */
    struct gs_plot_to plot;       /* dir NULL = none */
    GS_VEC(const char *) files;
    size_t told; /* of them */
};

static const struct argp_option options[] = {
    {"format", OPT_FORMAT, "F", 0, "the files' format; guessed from the content without it", 1},
    {"zone", OPT_ZONE, "Z", 0, "of their wall clocks without one; the format's own without it", 1},
    {"ambiguous", OPT_AMBIGUOUS, "HOW", 0,
     "local times that happen twice or never: earlier (default), later or error", 1},
    {"bad-rows", OPT_BAD_ROWS, "HOW", 0, "error (default) or skip", 1},
    {"plot", OPT_PLOT, "DIR", 0, "draw run times, lengths, sizes and arrivals into this folder", 2},
    {"plot-format", OPT_PLOT_FORMAT, "F", 0, "svg (default), png or pdf", 2},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = a->cli; break;
    case OPT_FORMAT: a->file.format = arg; break;
    case OPT_ZONE: a->file.zone = arg; break;
    case OPT_AMBIGUOUS: a->file.ambiguous = gs_cli_ambiguous(state, arg); break;
    case OPT_BAD_ROWS: a->file.bad_rows = gs_cli_bad_rows(state, arg); break;
    case OPT_PLOT: a->plot.dir = arg; break;
    case OPT_PLOT_FORMAT: a->plot.format = arg; break;
    case ARGP_KEY_ARG: gs_vec_push(&a->files, arg); break;
    case ARGP_KEY_END:
        if (!a->files.n)
            argp_error(state, "which trace?");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {{&gs_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp program = {
    options,
    parse,
    "FILE...",
    "Tells what a workload trace holds. Of several files, one that cannot be read does not keep the others from being told.\v"
    "FILE is plain, gzip, or a tar archive of one file; FILE:MEMBER names one of several. Formats: gsim help formats.\n\n"
    "Example: gsim trace info traces/samples/jobs.swf",
    children,
    NULL,
    NULL};

/* ---- Charts ------------------------------------------------------------------------------------ */

static int by_gpus(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    const double x = strtod(((const struct gs_trace_chart_size *)a)->name, NULL);
    const double y = strtod(((const struct gs_trace_chart_size *)b)->name, NULL);
    return x < y ? -1 : x > y;
}

static void add_curve(struct gs_trace_chart_curve *v, size_t *n, const char *what,
                      const struct gs_spread *p)
{
    if (p->n)
        v[(*n)++] = (struct gs_trace_chart_curve){what, p->at};
}

static enum gs_rc draw(const struct args *a, const struct gs_trace_shown *t, struct gs_err *err)
{
    const struct gs_trace_summary *s = t->s;
    struct gs_trace_chart_size sizes[32];
    size_t n = 0;
    for (size_t i = 0; i < s->sizes.n && s->gpus.max > 0; i++)
        sizes[n++] = (struct gs_trace_chart_size){s->sizes.v[i].name, (double)s->sizes.v[i].n,
                                                  s->sizes.v[i].gpu_hours};
    gs_sort(sizes, n, sizeof *sizes, by_gpus, NULL);
    struct gs_buf about = {0};
    const char *slash = strrchr(t->path, '/');
    char count[32];
    gs_utf8_clean(&about, slash ? slash + 1 : t->path);
    gs_buf_fmt(&about, " · %s · %s %s", s->n.format,
               gs_show_count((int64_t)(s->jobs ? s->jobs : s->calls), count, sizeof count),
               s->jobs ? "jobs" : "requests");
    if (s->n.zone[0])
        gs_buf_fmt(&about, " · %s", s->n.zone);
    struct gs_trace_chart c = {.path = t->path,
                               .about = gs_buf_cstr(&about),
                               .sizes = sizes,
                               .nsizes = n,
                               .jobs = (double)s->jobs,
                               .gpu_hours = s->gpu_hours,
                               .by_hour = s->has_clock ? s->by_hour : NULL,
                               .by_weekday = s->by_weekday};
    add_curve(c.times, &c.ntimes, "run time", &s->run_s);
    add_curve(c.times, &c.ntimes, "between arrivals", &s->gap_s);
    add_curve(c.lengths, &c.nlengths, "input", &s->input);
    add_curve(c.lengths, &c.nlengths, "output", &s->output);
    gs_path_vec made = {0};
    const enum gs_rc rc = gs_trace_plot(&c, &a->plot, &made, err);
    for (size_t i = 0; i < made.n; i++)
        gs_note(&a->cli->log, "chart: %s", made.v[i]);
    if (rc == GS_OK && !made.n)
        gs_note(&a->cli->log, "%s: nothing to draw: it holds neither jobs nor requests", t->path);
    gs_path_vec_free(&made);
    gs_buf_free(&about);
    return rc;
}

/* ---- The command ------------------------------------------------------------------------------- */

/* One file; its object goes to the array if there is one. */
static enum gs_rc tell(struct args *a, size_t i, json_t *all, struct gs_err *err)
{
    struct gs_trace_summary s;
    struct gs_trace_options o = a->file;
    o.path = a->files.v[i];
    enum gs_rc rc = gs_trace_info(&o, &s, err);
    if (rc != GS_OK)
        return rc;
    const struct gs_trace_shown t = {&s, o.path, o.format == NULL};
    if (all) {
        (void)json_array_append_new(all, gs_trace_show_json(&t));
    } else {
        struct gs_buf out = {0};
        gs_buf_str(&out, a->told ? "\n" : "");
        gs_trace_show_text(&t, &out);
        (void)fputs(gs_buf_cstr(&out), stdout);
        gs_buf_free(&out);
    }
    a->told++;
    if (a->plot.dir)
        rc = draw(a, &t, err);
    gs_trace_summary_release(&s);
    return rc;
}

int gs_cmd_trace_info(struct gs_cli *cli, int argc, char **argv)
{
    struct args a = {.cli = cli};
    gs_trace_options_init(&a.file);
    if (argp_parse(&program, argc, argv, 0, NULL, &a))
        return 2;
    gs_cli_begin(cli);
    json_t *all = cli->json ? json_array() : NULL;
    int status = 0;
    for (size_t i = 0; i < a.files.n; i++) {
        struct gs_err err = {0};
        const enum gs_rc rc = tell(&a, i, all, &err);
        const int failed = rc ? gs_cli_fail(cli, rc, &err) : 0;
        status = status ? status : failed; /* the first fault decides; the other files are told */
        if (rc == GS_E_INT || rc == GS_E_TERM)
            break;
    }
    if (all && (a.told || a.files.n > 1)) {
        const json_t *shown = a.files.n == 1 ? json_array_get(all, 0) : all;
        (void)json_dumpf(shown, stdout, JSON_INDENT(2));
        (void)fputs("\n", stdout);
    }
    json_decref(all);
    gs_vec_free(&a.files);
    return status;
}

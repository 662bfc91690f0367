/* cmd_trace_fit.c - `gsim trace fit FILE`: a [workload] section whose synthetic jobs look like the trace, and the judgement.
 *
 * By default the last third of the jobs is kept to judge the fit by; for more of the same, --train 1 fits all of them. A target
 * that is missed is said and leaves the exit status alone, unless --check asks for it.
 *
 * With -o the section goes there and the table to standard output; without it both go to standard output, the table as comments,
 * so that what is printed is a scenario either way. */
#include "sim/base/units.h"
#include "sim/cli.h"
#include "sim/textfile.h"
#include "traces/fit/fit.h"

#include <stdio.h>
#include <string.h>

enum {
    OPT_FORMAT = GS_OPT_OWN,
    OPT_ZONE,
    OPT_BAD_ROWS,
    OPT_GPUS_PER_PROC,
    OPT_TRAIN,
    OPT_FLURRIES,
    OPT_CHECK,
    OPT_NAME
};

struct args {
    struct gs_cli *cli;
    const char *out, *name;
    double train;
    int check;
    int flurries; /* 0 as the rest of the jobs says, 1 keep, 2 damp */
    struct gs_trace_options file;
};

static const struct argp_option options[] = {
    {"output", 'o', "OUT", 0, "the scenario to write; without it standard output", 1},
    {"name", OPT_NAME, "NAME", 0, "of the section (default fitted)", 1},
    {"train", OPT_TRAIN, "SHARE", 0,
     "how much of the jobs, by submission, is fitted to: 1 fits everything, for use; 2/3 (default), 80%: the rest only "
     "judges",
     1},
    {"check", OPT_CHECK, NULL, 0,
     "exit status 1 if a target is missed on the whole, or by jobs and GPU-hours on the part fitted to",
     1},
    {"flurries", OPT_FLURRIES, "HOW", 0,
     "damp: no day counts for more than the median day (default where a rest is to be foretold); keep: every job "
     "counts as it is (default with --train 1)",
     1},
    {"format", OPT_FORMAT, "F", 0, "the file's format; guessed from the content without it", 2},
    {"zone", OPT_ZONE, "Z", 0, "of its wall clocks without one; the format's own without it", 2},
    {"gpus-per-proc", OPT_GPUS_PER_PROC, "N", 0,
     "swf: GPUs that a processor stands for; 0 (default) = processors are CPUs", 2},
    {"bad-rows", OPT_BAD_ROWS, "HOW", 0, "error (default) or skip", 2},
    {0}};

/* "2/3", "0.8", "80%" */
static double share(struct argp_state *state, const char *arg)
{
    double x = 0;
    double over = 1;
    struct gs_err err;
    char part[32];
    const char *slash = strchr(arg, '/');
    const size_t n = slash ? (size_t)(slash - arg) : strlen(arg);
    (void)gs_fmt(part, sizeof part, "%.*s", (int)(n < sizeof part ? n : sizeof part - 1), arg);
    const int good = gs_parse_ratio(part, &x, &err) == GS_OK &&
                     (!slash || gs_parse_real(slash + 1, &over, &err) == GS_OK) && over > 0;
    if (!good || !(x / over > 0 && x / over <= 1))
        argp_error(state, "--train: '%s' is not a share above 0 and at most 1 (2/3, 80%%)", arg);
    return x / over;
}

static uint32_t gpus_per_proc(struct argp_state *state, const char *arg)
{
    double x = 0;
    struct gs_err err;
    if (gs_parse_real(arg, &x, &err) != GS_OK || x < 0 || x > 1024)
        argp_error(state, "--gpus-per-proc: '%s' is not a number from 0 to 1024", arg);
    return (uint32_t)(x * 1000 + 0.5);
}

/* The name becomes a section's: no brackets, blanks or quotes. */
static const char *section_name(struct argp_state *state, const char *arg)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    if (!*arg || arg[strspn(arg, good)] || strlen(arg) > 32)
        argp_error(state, "--name: '%s' is not a name of letters, digits, '-', '_' and '.'", arg);
    return arg;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = a->cli; break;
    case 'o': a->out = arg; break;
    case OPT_NAME: a->name = section_name(state, arg); break;
    case OPT_TRAIN: a->train = share(state, arg); break;
    case OPT_FLURRIES:
        a->flurries = strcmp(arg, "keep") == 0 ? 1 : strcmp(arg, "damp") == 0 ? 2 : 0;
        if (!a->flurries)
            argp_error(state, "--flurries: '%s' is neither damp nor keep", arg);
        break;
    case OPT_CHECK: a->check = 1; break;
    case OPT_FORMAT: a->file.format = arg; break;
    case OPT_ZONE: a->file.zone = arg; break;
    case OPT_GPUS_PER_PROC: a->file.gpus_per_proc_milli = gpus_per_proc(state, arg); break;
    case OPT_BAD_ROWS: a->file.bad_rows = gs_cli_bad_rows(state, arg); break;
    case ARGP_KEY_ARG:
        if (a->file.path)
            argp_error(state, "one trace at a time");
        a->file.path = arg;
        break;
    case ARGP_KEY_NO_ARGS: argp_error(state, "which trace?"); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {{&gs_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp program = {
    options,
    parse,
    "FILE [-o OUT]",
    "Writes a [workload] section whose synthetic jobs look like those of a trace, and says how much: "
    "fitted to the first part of the jobs, judged on the rest and on all.\v"
    "For more of the same, fit everything: --train 1. The default, 2/3, judges: how well does what was seen "
    "foretell what comes? Its section is of the first two thirds only, load included.\n\n"
    "Example: gsim trace fit jobs.csv --train 1 -o like_it.ini",
    children,
    NULL,
    NULL};

/* ---- The table --------------------------------------------------------------------------------- */

static const char *const sets[GS_FIT_SETS] = {"train", "rest", "whole", "synthetic"};

static void add_number(struct gs_buf *out, double x)
{
    if (x != x)
        gs_buf_fmt(out, " %11s", "-");
    else
        gs_buf_fmt(out, x < 10 ? " %11.4f" : x < 10000 ? " %11.2f" : " %11.0f", x);
}

static void add_verdict(struct gs_buf *out, const char *set, int met)
{
    if (met >= 0)
        gs_buf_fmt(out, " %s %s", set, met ? "met" : "MISSED");
}

static void write_table(const struct gs_fit *f, const char *lead, struct gs_buf *out)
{
    gs_buf_fmt(out, "%s%-26s", lead, "");
    for (int k = 0; k < GS_FIT_SETS; k++)
        gs_buf_fmt(out, " %11s", sets[k]);
    gs_buf_str(out, "   target\n");
    for (size_t i = 0; i < f->rows.n; i++) {
        const struct gs_fit_row *r = &f->rows.v[i];
        gs_buf_fmt(out, "%s%-26s", lead, r->name);
        for (int k = 0; k < GS_FIT_SETS; k++)
            add_number(out, r->v[k]);
        if (r->target == r->target)
            gs_buf_fmt(out, "   %g:", r->target);
        add_verdict(out, "train", r->met_train);
        if (r->ratio_train == r->ratio_train)
            gs_buf_fmt(out, ", x %.2f; whole x %.2f", r->ratio_train, r->ratio_whole);
        add_verdict(out, "whole", r->met_whole);
        add_verdict(out, "rest", r->met_test);
        gs_buf_str(out, "\n");
    }
    gs_buf_fmt(out,
               "%sdistance: Kolmogorov's, of the synthetic jobs from each set; distance_of_train: "
               "that of the\n%sfirst part itself, which no fit to it can be expected to beat. "
               "Targets: distances at most,\n%sshares within so many points, dispersion within the "
               "factor. Jobs and %s: off by at most\n%sso much of the train's, over its span; x = "
               "synthetic over the trace's.\n",
               lead, lead, lead, f->has_gpus ? "GPU-hours" : "CPU-hours", lead);
}

static void write_met(const char *key, int met, struct gs_buf *out)
{
    if (met >= 0)
        gs_buf_fmt(out, ", \"%s\": %s", key, met ? "true" : "false");
}

static void write_json(const struct gs_fit *f, struct gs_buf *out)
{
    gs_buf_fmt(out, "{\n  \"jobs\": %zu,\n  \"train_jobs\": %zu,\n  \"rows\": [", f->jobs,
               f->train_jobs);
    for (size_t i = 0; i < f->rows.n; i++) {
        const struct gs_fit_row *r = &f->rows.v[i];
        gs_buf_fmt(out, "%s\n    {\"name\": \"%s\"", i ? "," : "", r->name);
        for (int k = 0; k < GS_FIT_SETS; k++)
            if (r->v[k] == r->v[k])
                gs_buf_fmt(out, ", \"%s\": %.10g", sets[k], r->v[k]);
        if (r->target == r->target)
            gs_buf_fmt(out, ", \"target\": %g", r->target);
        if (r->ratio_train == r->ratio_train)
            gs_buf_fmt(out, ", \"ratio_train\": %.10g, \"ratio_whole\": %.10g", r->ratio_train,
                       r->ratio_whole);
        write_met("met_train", r->met_train, out);
        write_met("met_whole", r->met_whole, out);
        write_met("met_rest", r->met_test, out);
        gs_buf_str(out, "}");
    }
    gs_buf_str(out, "\n  ]\n}\n");
}

/* ---- At work ----------------------------------------------------------------------------------- */

static enum gs_rc write_to(const char *path, const struct gs_buf *b, struct gs_err *err)
{
    struct gs_textfile f = {0};
    enum gs_rc rc = gs_textfile_open(&f, path, err);
    if (rc == GS_OK)
        rc = gs_textfile_put(&f, gs_buf_cstr(b), b->n, err);
    return gs_textfile_close(&f, rc, err);
}

static enum gs_rc tell(const struct args *a, const struct gs_fit *f, struct gs_err *err)
{
    struct gs_buf table = {0};
    const int to_file = a->out && strcmp(a->out, "-") != 0;
    enum gs_rc rc = GS_OK;
    if (a->cli->json)
        write_json(f, &table);
    else
        write_table(f, to_file ? "" : "; ", &table);
    if (!to_file && !a->cli->json)
        gs_buf_fmt(&table, "\n%s", gs_buf_cstr(&f->section));
    if (to_file)
        rc = write_to(a->out, &f->section, err);
    if (rc == GS_OK)
        rc = write_to("-", &table, err);
    gs_buf_free(&table);
    return rc;
}

/* What whoever uses the section should know without reading the table. */
static void warn(const struct args *a, const struct gs_fit *f)
{
    struct gs_log *log = &a->cli->log;
    const struct gs_fit_row *jobs = gs_fit_row(f, "jobs");
    const struct gs_fit_row *work = gs_fit_row(f, f->has_gpus ? "GPU-hours" : "CPU-hours");
    if (f->train_jobs < f->jobs)
        gs_warn(
            log,
            "%s: the section is of the first %zu of %zu jobs; over the whole span it makes "
            "%.2f times the jobs and %.2f times the %s of the trace (--train 1 fits everything)",
            a->file.path, f->train_jobs, f->jobs, jobs->ratio_whole, work->ratio_whole, work->name);
    for (size_t i = 0; i < f->rows.n; i++) {
        const struct gs_fit_row *r = &f->rows.v[i];
        struct gs_buf line = {0};
        if ((r->met_train == 0 || r->met_whole == 0) && gs_fit_verdict(r, &line))
            gs_warn(log, "%s: %s", a->file.path, gs_buf_cstr(&line));
        gs_buf_free(&line);
    }
}

static enum gs_rc fit(const struct args *a, int *missed, struct gs_err *err)
{
    struct gs_intern str;
    struct gs_workload w;
    struct gs_trace_counts n = {0};
    struct gs_fit f = {0};
    gs_intern_init(&str);
    gs_workload_init(&w, &str);
    gs_vec_push(&w.sources, gs_intern(&str, a->file.path));
    enum gs_rc rc = gs_trace_read(&w, 0, &a->file, &n, err);
    if (rc == GS_OK) {
        const struct gs_fit_options o = {.name = a->name,
                                         .shown = a->file.path,
                                         .train = a->train,
                                         .keep_flurries =
                                             a->flurries ? a->flurries == 1 : a->train >= 1,
                                         .origin_unix_ns = n.origin_unix_ns,
                                         .origin_offset_s = n.origin_offset_s,
                                         .zone = n.zone,
                                         .log = &a->cli->log};
        gs_workload_seal(&w);
        rc = gs_fit_workload(&w, &o, &f, err);
        gs_progress_end(&a->cli->log);
    }
    if (rc == GS_OK)
        rc = tell(a, &f, err);
    if (rc == GS_OK) {
        warn(a, &f);
        *missed = gs_fit_missed(&f);
    }
    if (rc == GS_OK && n.skipped)
        gs_note(&a->cli->log, "%s: %llu of %llu rows were skipped (gsim trace info says why)",
                a->file.path, (unsigned long long)n.skipped, (unsigned long long)n.rows);
    gs_fit_release(&f);
    gs_workload_release(&w);
    gs_intern_release(&str);
    return rc;
}

int gs_cmd_trace_fit(struct gs_cli *cli, int argc, char **argv)
{
    struct args a = {.cli = cli, .name = "fitted", .train = 2.0 / 3};
    struct gs_err err = {0};
    gs_trace_options_init(&a.file);
    if (argp_parse(&program, argc, argv, 0, NULL, &a))
        return 2;
    gs_cli_begin(cli);
    int missed = 0;
    const enum gs_rc rc = fit(&a, &missed, &err);
    return rc ? gs_cli_fail(cli, rc, &err) : gs_cli_finish(cli, a.check && missed);
}

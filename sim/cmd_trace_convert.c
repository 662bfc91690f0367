/* cmd_trace_convert.c - `gsim trace convert FILE... -o OUT`: a trace in another format; standard error says what was lost. */
#include "sim/base/units.h"
#include "sim/cli.h"
#include "sim/textfile.h"
#include "traces/convert.h"

#include <stdio.h>
#include <string.h>

enum {
    OPT_TO = GS_OPT_OWN,
    OPT_FORMAT,
    OPT_ZONE,
    OPT_AMBIGUOUS,
    OPT_BAD_ROWS,
    OPT_CLOCK,
    OPT_GPUS_PER_PROC,
    OPT_THROUGHPUTS,
    OPT_THROUGHPUT_GPU
};

struct args {
    struct gs_cli *cli;
    const char *out, *to;
    int clock;
    struct gs_trace_options file; /* for all of them; path is set for each */
    GS_VEC(const char *) files;
};

static const struct argp_option options[] = {
    {"output", 'o', "OUT", 0, "the file to write; - is standard output", 1},
    {"to", OPT_TO, "F", 0,
     "its format; without it by the ending of OUT: .swf, .jsonl (mooncake), all others gsim's own CSV",
     1},
    {"clock", OPT_CLOCK, NULL, 0, "times as wall clocks, not seconds from the first record", 1},
    {"format", OPT_FORMAT, "F", 0, "the files' format; guessed from the content without it", 2},
    {"zone", OPT_ZONE, "Z", 0, "of their wall clocks without one; the format's own without it", 2},
    {"ambiguous", OPT_AMBIGUOUS, "HOW", 0,
     "local times that happen twice or never: earlier (default), later or error", 2},
    {"gpus-per-proc", OPT_GPUS_PER_PROC, "N", 0,
     "swf: GPUs that a processor stands for; 0 (default) = processors are CPUs", 2},
    {"throughputs", OPT_THROUGHPUTS, "JSON", 0,
     "gavel: measured steps a second, for lists whose run time is a number of steps", 2},
    {"throughput-gpu", OPT_THROUGHPUT_GPU, "TYPE", 0, "gavel: the GPU type of them (v100)", 2},
    {"bad-rows", OPT_BAD_ROWS, "HOW", 0, "error (default) or skip", 2},
    {0}};

static uint32_t gpus_per_proc(struct argp_state *state, const char *arg)
{
    double x = 0;
    struct gs_err err;
    if (gs_parse_real(arg, &x, &err) != GS_OK || x < 0 || x > 1024)
        argp_error(state, "--gpus-per-proc: '%s' is not a number from 0 to 1024", arg);
    return (uint32_t)(x * 1000 + 0.5);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = a->cli; break;
    case 'o': a->out = arg; break;
    case OPT_TO: a->to = arg; break;
    case OPT_CLOCK: a->clock = 1; break;
    case OPT_FORMAT: a->file.format = arg; break;
    case OPT_ZONE: a->file.zone = arg; break;
    case OPT_AMBIGUOUS: a->file.ambiguous = gs_cli_ambiguous(state, arg); break;
    case OPT_GPUS_PER_PROC: a->file.gpus_per_proc_milli = gpus_per_proc(state, arg); break;
    case OPT_THROUGHPUTS: a->file.throughputs = arg; break;
    case OPT_THROUGHPUT_GPU: a->file.throughput_gpu = arg; break;
    case OPT_BAD_ROWS: a->file.bad_rows = gs_cli_bad_rows(state, arg); break;
    case ARGP_KEY_ARG: gs_vec_push(&a->files, arg); break;
    case ARGP_KEY_END:
        if (!a->files.n)
            argp_error(state, "which trace?");
        if (!a->out)
            argp_error(state, "where to? say -o OUT (-o - is standard output)");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* The targets belong to the help text, from their own table. */
static char *filter(int key, const char *text, void *input)
{
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        /* NOLINTNEXTLINE(performance-no-int-to-ptr): argp wants its own text back */
        return (char *)(uintptr_t)text;
    struct gs_buf b = {0};
    gs_buf_str(&b, "Formats to convert to:");
    for (const struct gs_convert_target *t = gs_convert_targets(); t->name; t++)
        gs_buf_fmt(&b, "\n  %-11s %-6s %s", t->name, t->ending, t->what);
    gs_buf_str(&b, "\n\nWhat the target cannot hold is counted on standard error.\n\nExample: gsim "
                   "trace convert traces/samples/jobs.csv -o jobs.swf");
    return b.s;
}

static const struct argp_child children[] = {{&gs_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp program = {
    options, parse, "FILE... -o OUT", "Writes a workload trace in another format.\v ", children,
    filter,  NULL};

/* ---- What is said ------------------------------------------------------------------------------ */

static void say_source(struct gs_log *log, const char *path, const struct gs_trace_counts *n)
{
    char rows[32], emitted[32], times[32];
    gs_note(log, "%s: %s%s%s, %s rows, %s records%s", path, n->format,
            n->zone[0] ? ", wall clocks in " : "", n->zone,
            gs_show_count((int64_t)n->rows, rows, sizeof rows),
            gs_show_count((int64_t)(n->records ? n->records : n->emitted), emitted, sizeof emitted),
            n->records ? " drawn" : "");
    for (uint32_t i = 0; i < n->nwhy; i++)
        gs_note(log, "  skipped: %s x %s", gs_show_count((int64_t)n->why[i].n, times, sizeof times),
                n->why[i].reason);
    for (uint32_t i = 0; i < n->nassumed; i++)
        gs_note(log, "  assumed: %s x %s",
                gs_show_count((int64_t)n->assumed[i].n, times, sizeof times), n->assumed[i].what);
}

static void say(struct gs_log *log, const struct args *a, const struct gs_convert_report *r)
{
    char times[32];
    for (size_t i = 0; i < r->read.n; i++)
        say_source(log, a->files.v[i], &r->read.v[i]);
    gs_note(log, "%s: %s records as %s", strcmp(a->out, "-") == 0 ? "standard output" : a->out,
            gs_show_count((int64_t)r->written, times, sizeof times), r->to);
    if (r->odd_ending)
        gs_note(log, "  the name ends as files of another format do: --to said %s", r->to);
    if (r->held)
        gs_note(log, "  not in order of time, which %s must be: all records were held in memory",
                r->to);
    for (size_t i = 0; i < r->lost.n; i++)
        gs_note(log, "  lost: %s x %s", gs_show_count((int64_t)r->lost.v[i].n, times, sizeof times),
                r->lost.v[i].what);
    if (!r->lost.n)
        gs_note(log, "  nothing was lost");
}

static enum gs_rc convert(const struct args *a, struct gs_convert_report *report,
                          struct gs_err *err)
{
    struct gs_trace_options *files = GS_NEW_N(struct gs_trace_options, a->files.n);
    for (size_t i = 0; i < a->files.n; i++) {
        files[i] = a->file;
        files[i].path = a->files.v[i];
    }
    struct gs_textfile out = {0};
    const struct gs_convert_options o = {.files = files,
                                         .nfiles = a->files.n,
                                         .to = a->to,
                                         .out = a->out,
                                         .clock = a->clock,
                                         .put = gs_textfile_put,
                                         .ctx = &out};
    enum gs_rc rc = gs_textfile_open(&out, a->out, err);
    if (rc == GS_OK)
        rc = gs_trace_convert(&o, report, err);
    rc = gs_textfile_close(&out, rc, err);
    gs_free(files);
    return rc;
}

int gs_cmd_trace_convert(struct gs_cli *cli, int argc, char **argv)
{
    struct args a = {.cli = cli};
    struct gs_err err = {0};
    gs_trace_options_init(&a.file);
    a.file.cpu_jobs = 1; /* a conversion keeps all jobs */
    if (argp_parse(&program, argc, argv, 0, NULL, &a))
        return 2;
    gs_cli_begin(cli);
    struct gs_convert_report report = {0};
    const enum gs_rc rc = convert(&a, &report, &err);
    if (rc == GS_OK)
        say(&cli->log, &a, &report);
    gs_convert_release(&report);
    gs_vec_free(&a.files);
    return rc ? gs_cli_fail(cli, rc, &err) : 0;
}

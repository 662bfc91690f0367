/* cmd_trace.c - `gsim trace info FILE...`: what a workload trace holds, as `quantity<TAB>value` lines. */
#include "sim/cli.h"

#include <stdio.h>
#include <string.h>

enum {
    OPT_FORMAT = GS_OPT_OWN,
    OPT_BAD_ROWS
};

struct args {
    struct gs_cli *cli;
    const char *verb, *format;
    enum gs_bad_rows bad;
    GS_VEC(const char *) files;
};

static const struct argp_option options[] = {
    {"format", OPT_FORMAT, "F", 0, "the file's format; guessed from the content without it", 1},
    {"bad-rows", OPT_BAD_ROWS, "HOW", 0, "error (default) or skip", 1},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = a->cli; break;
    case OPT_FORMAT: a->format = arg; break;
    case OPT_BAD_ROWS: a->bad = gs_cli_bad_rows(state, arg); break;
    case ARGP_KEY_ARG:
        if (!a->verb)
            a->verb = arg;
        else
            gs_vec_push(&a->files, arg);
        break;
    case ARGP_KEY_END:
        if (!a->verb || strcmp(a->verb, "info") != 0)
            argp_error(state, "'%s' is not a trace command: try gsim trace info FILE",
                       a->verb ? a->verb : "");
        if (!a->files.n)
            argp_error(state, "which trace?");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* The formats belong to the help text, from the readers' own table. */
static char *filter(int key, const char *text, void *input)
{
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        /* NOLINTNEXTLINE(performance-no-int-to-ptr): argp wants its own text back */
        return (char *)(uintptr_t)text;
    struct gs_buf b = {0};
    gs_buf_str(&b, "Formats:");
    for (const struct gs_trace_format *f = gs_trace_formats(); f->name; f++)
        gs_buf_fmt(&b, "\n  %-8s %s", f->name, f->what);
    gs_buf_str(&b, "\n\nExample: gsim trace info traces/samples/jobs.swf");
    return b.s;
}

static const struct argp_child children[] = {{&gs_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp program = {
    options, parse, "info FILE...", "Tells what a workload trace holds.\v ", children,
    filter,  NULL};

int gs_cmd_trace(struct gs_cli *cli, int argc, char **argv)
{
    struct args a = {.cli = cli};
    struct gs_err err = {0};
    if (argp_parse(&program, argc, argv, 0, NULL, &a))
        return 2;
    gs_cli_begin(cli);
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < a.files.n && !rc; i++) {
        struct gs_buf out = {0};
        rc = gs_trace_info(a.files.v[i], a.format, a.bad, &out, &err);
        if (!rc && a.files.n > 1)
            (void)printf("# %s\n", a.files.v[i]);
        if (!rc)
            (void)fputs(gs_buf_cstr(&out), stdout);
        gs_buf_free(&out);
    }
    gs_vec_free(&a.files);
    return rc ? gs_cli_fail(cli, rc, &err) : 0;
}

/* cmd_plot.c - `gsim plot OUT.h5 ...`: charts through gnuplot. */
#include "analysis/plot.h"
#include "sim/cli.h"

#include <string.h>

enum {
    OPT_FORMAT = GS_OPT_OWN,
    OPT_SCRIPT
};

struct args {
    struct gs_cli *cli;
    struct gs_plot_to to;
    GS_VEC(const char *) files;
};

static const struct argp_option options[] = {
    {"output", 'o', "DIR", 0, "folder of the charts (default: beside the file)", 1},
    {"format", OPT_FORMAT, "F", 0, "svg (default), png or pdf", 1},
    {"script", OPT_SCRIPT, "FILE", 0, "write one self-contained gnuplot script instead", 1},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = a->cli; break;
    case 'o': a->to.dir = arg; break;
    case OPT_FORMAT: a->to.format = arg; break;
    case OPT_SCRIPT: a->to.script = arg; break;
    case ARGP_KEY_ARG: gs_vec_push(&a->files, arg); break;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which results file? for example: gsim plot results/quickstart.h5");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {{&gs_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp program = {
    options,
    parse,
    "OUT.h5...",
    "Draws utilisation and queue, waits, waits by cause, fragmentation and GPUs by node; several files are compared in one chart.\v"
    "Example: gsim plot results/quickstart.h5 -o charts --format png",
    children,
    NULL,
    NULL};

static void tell(struct gs_cli *cli, gs_path_vec *made)
{
    for (size_t i = 0; i < made->n; i++)
        gs_note(&cli->log, "chart: %s", made->v[i]);
    gs_path_vec_free(made);
}

enum gs_rc gs_cmd_plot_files(struct gs_cli *cli, const char *const *h5, const char *const *labels,
                             size_t n, const struct gs_plot_to *to, struct gs_err *err)
{
    gs_path_vec made = {0};
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < n && !rc; i++)
        rc = n > 1 && to->script ? GS_OK : gs_plot(h5[i], to, &made, err);
    if (!rc && n > 1)
        rc = gs_plot_sweep(h5, labels, n, to, &made, err);
    tell(cli, &made);
    return rc;
}

int gs_cmd_plot(struct gs_cli *cli, int argc, char **argv)
{
    struct args a = {.cli = cli};
    struct gs_err err = {0};
    if (argp_parse(&program, argc, argv, 0, NULL, &a))
        return 2;
    gs_cli_begin(cli);
    enum gs_rc rc = gs_cmd_plot_files(cli, a.files.v, a.files.v, a.files.n, &a.to, &err);
    gs_vec_free(&a.files);
    return rc ? gs_cli_fail(cli, rc, &err) : 0;
}

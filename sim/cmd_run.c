/* cmd_run.c - `gsim run FILE...`: every point of each scenario, one results file each, one table. */
#include "analysis/plot.h"
#include "sim/cli.h"
#include "sim/points.h"

#include <stdlib.h>
#include <string.h>

enum {
    OPT_SET = GS_OPT_OWN,
    OPT_SEED,
    OPT_REPLICATIONS,
    OPT_PERF,
    OPT_TIE_SEED,
    OPT_BAD_ROWS,
    OPT_PLOT,
    OPT_NO_FILE
};

struct args {
    struct gs_cli *cli;
    struct gs_order o;
    GS_VEC(const char *) files;
    GS_VEC(struct gs_override) over;
    const char *perf, *seed, *replications;
    int plot;
};

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0,
     "results file (default results/NAME.h5); a sweep makes FILE.POINT.h5", 1},
    {"set", OPT_SET, "KEY=VALUE", 0, "overrides a key: kind.key or kind.name.key; may be repeated",
     1},
    {"seed", OPT_SEED, "N", 0, "seed of all random streams", 1},
    {"replications", OPT_REPLICATIONS, "N", 0, "runs N seeds; intervals in the summary", 1},
    {"jobs", 'j', "N", 0, "worker processes (default 1)", 1},
    {"tie-seed", OPT_TIE_SEED, "N", 0, "another order of events that share time and class", 1},
    {"bad-rows", OPT_BAD_ROWS, "HOW", 0, "error (default) or skip: count bad trace rows and go on",
     1},
    {"perf", OPT_PERF, "FILE", 0, "times and memory as JSON", 1},
    {"plot", OPT_PLOT, NULL, 0, "charts beside the results", 1},
    {"no-file", OPT_NO_FILE, NULL, 0, "simulate and print, write no results", 1},
    {0}};

static int64_t whole(struct argp_state *state, const char *what, const char *text, int64_t min,
                     int64_t max)
{
    char *end = NULL;
    long long v = strtoll(text, &end, 10);
    if (end == text || *end || v < min || v > max)
        argp_error(state, "%s: '%s' is not a whole number from %lld to %lld", what, text,
                   (long long)min, (long long)max);
    return v;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = a->cli; break;
    case 'o': a->o.out = arg; break;
    case 'j': a->o.workers = (uint32_t)whole(state, "-j", arg, 1, 1024); break;
    case OPT_SET: gs_vec_push(&a->over, gs_cli_set(state, arg)); break;
    case OPT_SEED:
        (void)whole(state, "--seed", arg, 0, INT64_MAX);
        a->seed = arg;
        break;
    case OPT_REPLICATIONS:
        (void)whole(state, "--replications", arg, 1, 100000);
        a->replications = arg;
        break;
    case OPT_TIE_SEED:
        a->o.tie_seed = (uint64_t)whole(state, "--tie-seed", arg, 0, INT64_MAX);
        break;
    case OPT_PERF: a->perf = arg; break;
    case OPT_PLOT: a->plot = 1; break;
    case OPT_NO_FILE: a->o.no_file = 1; break;
    case OPT_BAD_ROWS: a->o.bad_rows = gs_cli_bad_rows(state, arg); break;
    case ARGP_KEY_ARG: gs_vec_push(&a->files, arg); break;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which scenario? for example: gsim run scenarios/quickstart.ini");
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
    "Simulates a scenario ('-' reads standard input), writes HDF5 and prints a summary.\v"
    "Example: gsim run scenarios/quickstart.ini --set policy.backfill=easy --seed 7",
    children,
    NULL,
    NULL};

static enum gs_rc draw(struct args *a, const struct gs_report *r, size_t n, struct gs_err *err)
{
    const char **path = GS_NEW_N(const char *, n + 1), **label = GS_NEW_N(const char *, n + 1);
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        if (!r[i].data_digest[0])
            continue;
        path[k] = r[i].path;
        label[k++] = r[i].label;
    }
    enum gs_rc rc =
        gs_cmd_plot_files(a->cli, path, label, k, &(struct gs_plot_to){.format = "png"}, err);
    gs_free(path);
    gs_free(label);
    return rc;
}

static int run_file(struct args *a, const char *file)
{
    struct gs_report *r = NULL;
    struct gs_err err = {0};
    size_t n = 0;
    a->o.scenario = file;
    enum gs_rc rc = gs_points_run(&a->o, &r, &n, &err);
    size_t shown = 0;
    for (size_t i = 0; r && i < n; i++)
        if (r[i].nvalues)
            r[shown++] = r[i]; /* points that failed have no figures */
    if (shown) {
        gs_report_print(r, shown, a->cli->json, a->cli->log.color_out);
        gs_report_perf(&a->cli->log, r, shown);
    }
    if (a->perf && shown) {
        struct gs_err e = {0};
        enum gs_rc prc = gs_report_perf_file(a->perf, r, shown, &e);
        if (prc && !rc) {
            rc = prc;
            err = e;
        }
    }
    if (!rc && a->plot && !a->o.no_file)
        rc = draw(a, r, shown, &err);
    gs_free(r);
    if (rc == GS_E_INT || rc == GS_E_TERM) {
        gs_complain(&a->cli->log,
                    "interrupted: the results so far are in a file marked complete = 0");
        return gs_exit_status(rc);
    }
    return rc ? gs_cli_fail(a->cli, rc, &err) : 0;
}

/* --seed and --replications are overrides, so that a results file tells them. */
static void as_overrides(struct args *a)
{
    if (a->seed)
        gs_vec_push(&a->over, (struct gs_override){
                                  .key = "scenario.seed", .value = a->seed, .where = "--seed"});
    if (a->replications)
        gs_vec_push(&a->over, (struct gs_override){.key = "scenario.replications",
                                                   .value = a->replications,
                                                   .where = "--replications"});
}

int gs_cmd_run(struct gs_cli *cli, int argc, char **argv)
{
    struct args a = {.cli = cli, .o = {.workers = 1}};
    if (argp_parse(&program, argc, argv, 0, NULL, &a))
        return 2;
    gs_cli_begin(cli);
    a.o.policy_path = cli->policy_path;
    a.o.history = cli->history;
    a.o.log = &cli->log;
    as_overrides(&a);
    a.o.over = a.over.v;
    a.o.nover = a.over.n;
    int status = 0;
    for (size_t i = 0; i < a.files.n && !status; i++)
        status = run_file(&a, a.files.v[i]);
    gs_vec_free(&a.files);
    gs_vec_free(&a.over);
    return status;
}

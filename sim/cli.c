/* cli.c - the common options, the table of commands, and how a command ends. */
#include "sim/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct gs_command commands[] = {
    {"run", "FILE...", "simulate a scenario, write HDF5, print a summary", gs_cmd_run},
    {"validate", "FILE", "check a scenario without running it", gs_cmd_validate},
    {"compare", "A.h5 B.h5...",
     "two or more runs side by side: differences, and who gained and lost", gs_cmd_compare},
    {"check", "FILE|FOLDER...", "run scenarios and judge them: [expect], a baseline, another build",
     gs_cmd_check},
    {"plot", "OUT.h5...", "charts of a results file through gnuplot", gs_cmd_plot},
    {"trace", "info|convert|generate|fit",
     "workload traces: what one holds, in another format, more like it", gs_cmd_trace},
    {"policy", "list|show NAME", "the policy modules found, their parameters", gs_cmd_policy},
    {"catalog", "[TABLE [WORD...]]", "the hardware tables: GPUs, servers, MIG, models, prices, ...",
     gs_cmd_catalog},
    {"reproduce", "NAME --data DIR", "a published result replayed beside the published figures",
     gs_cmd_reproduce},
    {"help", "[COMMAND|KEY|METRIC|formats]", "help from the tables that the program itself uses",
     gs_cmd_help},
};

const struct gs_command *gs_commands(size_t *n)
{
    *n = sizeof commands / sizeof *commands;
    return commands;
}

static const struct argp_option options[] = {
    {"quiet", 'q', NULL, 0, "only errors and results", 90},
    {"verbose", 'v', NULL, 0, "more detail on standard error", 90},
    {"color", GS_OPT_COLOR, "WHEN", 0, "auto, always or never (NO_COLOR is honoured)", 90},
    {"json", GS_OPT_JSON, NULL, 0, "tables as JSON", 90},
    {"policy-path", GS_OPT_POLICY_PATH, "DIRS", 0,
     "folders with policy modules, parted by ':'; before $GSIM_POLICY_PATH and the program's own",
     90},
    {"progress", GS_OPT_PROGRESS, "HOW", 0,
     "plain: a line every 10 s, for logs; terminal: only on a terminal (default)", 90},
    {0}};

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
    struct gs_cli *c = state->input;
    switch (key) {
    case 'q': c->level = GS_LOG_QUIET; break;
    case 'v': c->level = GS_LOG_VERBOSE; break;
    case GS_OPT_JSON: c->json = 1; break;
    case GS_OPT_POLICY_PATH: c->policy_path = arg; break;
    case GS_OPT_PROGRESS:
        if (strcmp(arg, "plain") != 0 && strcmp(arg, "terminal") != 0)
            argp_error(state, "--progress: '%s' is not one of plain, terminal", arg);
        c->plain_progress = strcmp(arg, "plain") == 0;
        break;
    case GS_OPT_COLOR:
        if (strcmp(arg, "always") == 0)
            c->color = GS_COLOR_ALWAYS;
        else if (strcmp(arg, "never") == 0)
            c->color = GS_COLOR_NEVER;
        else if (strcmp(arg, "auto") != 0)
            argp_error(state, "--color: '%s' is not one of auto, always, never", arg);
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp gs_common_argp = {.options = options, .parser = parse_common};

enum gs_bad_rows gs_cli_bad_rows(struct argp_state *state, const char *arg)
{
    const int skip = strcmp(arg, "skip") == 0;
    if (!skip && strcmp(arg, "error") != 0)
        argp_error(state, "--bad-rows: '%s' is not one of error, skip", arg);
    return skip ? GS_BAD_ROWS_SKIP : GS_BAD_ROWS_ERROR;
}

enum gs_ambiguous gs_cli_ambiguous(struct argp_state *state, const char *arg)
{
    static const char *const words[] = {"earlier", "later", "error"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(arg, words[i]) == 0)
            return (enum gs_ambiguous)i;
    }
    argp_error(state, "--ambiguous: '%s' is not one of earlier, later, error", arg);
    return GS_AMBIGUOUS_EARLIER;
}

struct gs_override gs_cli_set(struct argp_state *state, char *arg)
{
    char *eq = strchr(arg, '=');
    if (!eq) {
        argp_error(state, "--set: '%s' is not KEY=VALUE", arg);
        return (struct gs_override){0};
    }
    *eq = '\0';
    return (struct gs_override){.key = arg, .value = eq + 1, .where = "--set"};
}

void gs_cli_begin(struct gs_cli *cli)
{
    const char *env = getenv("GSIM_POLICY_PATH");
    gs_buf_fmt(&cli->path_buf, "%s%s%s%s%s", cli->policy_path ? cli->policy_path : "",
               cli->policy_path ? ":" : "", env ? env : "", env && *env ? ":" : "",
               GSIM_POLICY_DIR);
    cli->policy_path = gs_buf_cstr(&cli->path_buf);
    gs_log_init(&cli->log, cli->level, cli->color, cli->plain_progress);
}

void gs_cli_end(struct gs_cli *cli)
{
    gs_buf_free(&cli->history_buf);
    gs_buf_free(&cli->path_buf);
}

int gs_cli_fail(struct gs_cli *cli, enum gs_rc rc, const struct gs_err *err)
{
    gs_progress_end(&cli->log);
    if (err->msg[0])
        gs_complain(&cli->log, "%s", err->msg);
    return gs_exit_status(rc);
}

int gs_cli_finish(struct gs_cli *cli, int status)
{
    int bad = fflush(stdout) != 0 || ferror(stdout);
    if (bad && errno == EPIPE)
        return status;
    if (bad) {
        gs_complain(&cli->log, "cannot write to standard output: %s", strerror(errno));
        return 4;
    }
    return status;
}

const char *gs_share_dir(void)
{
    return GSIM_SHARE_DIR;
}

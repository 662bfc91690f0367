/* cmd_reproduce.c - `gsim reproduce NAME --data DIR`: a published result replayed beside the published figures. */
#include "sim/cli.h"
#include "sim/reproduce.h"

#include <stdlib.h>
#include <string.h>

enum {
    OPT_DATA = GS_OPT_OWN,
    OPT_TRACE,
    OPT_POLICY,
    OPT_SEED
};

struct args {
    struct gs_cli *cli;
    const char *name;
    struct gs_reproduce r;
};

static const struct argp_option options[] = {
    {"data", OPT_DATA, "DIR", 0, "folder that holds papers-data/, traces/ and cases/ (required)",
     1},
    {"trace", OPT_TRACE, "NAME", 0, "fgd: only this pod list, e.g. default", 1},
    {"policy", OPT_POLICY, "NAME", 0, "only this policy", 1},
    {"seed", OPT_SEED, "N|all", 0, "fgd: only this seed, 42..51 (default 42)", 1},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    char *end = NULL;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = a->cli; break;
    case OPT_DATA: a->r.data = arg; break;
    case OPT_TRACE: a->r.trace = arg; break;
    case OPT_POLICY: a->r.policy = arg; break;
    case OPT_SEED:
        a->r.seed = strcmp(arg, "all") == 0 ? -1 : strtol(arg, &end, 10);
        if (end && (*end || a->r.seed < 42 || a->r.seed > 51))
            argp_error(state, "--seed: '%s' is not one of 42..51, all", arg);
        break;
    case ARGP_KEY_ARG: a->name = arg; break;
    case ARGP_KEY_END:
        if (!a->name || (strcmp(a->name, "fgd") != 0 && strcmp(a->name, "backfill") != 0))
            argp_error(state, "'%s' cannot be reproduced: try fgd or backfill",
                       a->name ? a->name : "");
        else if (!a->r.data)
            argp_error(state, "--data is required");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {{&gs_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp program = {
    options,
    parse,
    "fgd|backfill",
    "Replays a published result through the ordinary engine, ledger and modules, beside the published figures; exit status 1 outside the "
    "tolerance.\vExample: gsim reproduce fgd --data ../shared --seed all",
    children,
    NULL,
    NULL};

int gs_cmd_reproduce(struct gs_cli *cli, int argc, char **argv)
{
    struct args a = {.cli = cli, .r = {.seed = 42}};
    struct gs_err err = {0};
    if (argp_parse(&program, argc, argv, 0, NULL, &a))
        return 2;
    gs_cli_begin(cli);
    a.r.log = &cli->log;
    a.r.policy_path = cli->policy_path;
    enum gs_rc rc = strcmp(a.name, "fgd") == 0 ? gs_reproduce_fgd(&a.r, &err)
                                               : gs_reproduce_backfill(&a.r, &err);
    return rc ? gs_cli_fail(cli, rc, &err) : 0;
}

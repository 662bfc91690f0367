/* cmd_compare.c - `gsim compare A.h5 B.h5 ...`: the first side is the base, each other one is held against it. */
#include "analysis/compare.h"
#include "analysis/compare_plot.h"
#include "analysis/plot.h"
#include "sim/cli.h"

#include <stdlib.h>
#include <string.h>

enum {
    OPT_FAIL = GS_OPT_OWN,
    OPT_METRIC,
    OPT_BY,
    OPT_PLOT,
    OPT_ALPHA,
    OPT_FORMAT
};

struct args {
    struct gs_cli *cli;
    GS_VEC(const char *) sides;
    GS_VEC(const char *) metrics;
    struct gs_compare_ask ask;
    struct gs_plot_to to;
    int fail_on_difference;
};

static const struct argp_option options[] = {
    {"metric", OPT_METRIC, "NAME", 0,
     "a metric, a family (jobs.wait) or all; may be repeated (default: the main ones)", 1},
    {"by", OPT_BY, "KEYS", 0, "figures of groups as well: queue, kind, size, user", 1},
    {"alpha", OPT_ALPHA, "P", 0, "chance of a false alarm (default 0.05)", 1},
    {"fail-on-difference", OPT_FAIL, NULL, 0, "exit 1 if runs or figures differ", 1},
    {"plot", OPT_PLOT, "DIR", 0, "charts of the differences and of the sides", 1},
    {"format", OPT_FORMAT, "F", 0, "of the charts: svg (default), png or pdf", 1},
    {0}};

static double alpha_of(struct argp_state *state, const char *text)
{
    char *end = NULL;
    const double x = strtod(text, &end);
    if (end == text || *end || !(x >= 1e-6 && x <= 0.5))
        argp_error(state, "--alpha: '%s' is not a number from 0.000001 to 0.5", text);
    return x;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = a->cli; break;
    case OPT_METRIC: gs_vec_push(&a->metrics, arg); break;
    case OPT_BY: a->ask.by = arg; break;
    case OPT_ALPHA: a->ask.alpha = alpha_of(state, arg); break;
    case OPT_FAIL: a->fail_on_difference = 1; break;
    case OPT_PLOT: a->to.dir = arg; break;
    case OPT_FORMAT: a->to.format = arg; break;
    case ARGP_KEY_ARG: gs_vec_push(&a->sides, arg); break;
    case ARGP_KEY_END:
        if (a->sides.n < 2)
            argp_error(state, "which results files? for example: gsim compare old.h5 new.h5");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {{&gs_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp program = {
    options,
    parse,
    "A.h5 B.h5...",
    "Compares results: the first is the base. Runs are paired by seed; files joined by commas (a.h5,b.h5) are one side, its runs under "
    "several seeds or tie seeds.\v"
    "Example: gsim compare old.h5 new.h5 --by queue --fail-on-difference",
    children,
    NULL,
    NULL};

static int differs(const struct gs_compare *c, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (!c[k].same_digests)
            return 1;
        for (size_t i = 0; i < c[k].rows.n; i++) {
            const enum gs_outcome_of o = c[k].rows.v[i].outcome;
            if (o != GS_CMP_EQUAL && o != GS_CMP_UNKNOWN)
                return 1;
        }
    }
    return 0;
}

static enum gs_rc compare_all(struct args *a, const struct gs_side *side, struct gs_compare *c,
                              struct gs_err *err)
{
    const size_t n = a->sides.n - 1;
    enum gs_rc rc = GS_OK;
    for (size_t k = 0; k < n && !rc; k++)
        rc = gs_compare(&side[0], &side[k + 1], &a->ask, &c[k], err);
    if (rc)
        return rc;
    if (a->cli->json)
        gs_compare_json(c, n, a->ask.alpha);
    else
        gs_compare_print(c, n, a->ask.alpha, a->cli->log.color_out);
    if (a->to.dir) {
        gs_path_vec made = {0};
        rc = gs_compare_plot(c, n, &a->to, &made, err);
        for (size_t i = 0; i < made.n; i++)
            gs_note(&a->cli->log, "chart: %s", made.v[i]);
        gs_path_vec_free(&made);
    }
    if (!rc && a->fail_on_difference && differs(c, n))
        rc = gs_fail(err, GS_E_FAILED, "the runs differ");
    return rc;
}

int gs_cmd_compare(struct gs_cli *cli, int argc, char **argv)
{
    struct args a = {.cli = cli, .ask = {.alpha = 0.05, .jobs = 1}};
    struct gs_err err = {0};
    if (argp_parse(&program, argc, argv, 0, NULL, &a))
        return 2;
    gs_cli_begin(cli);
    a.ask.metric = a.metrics.v;
    a.ask.nmetric = a.metrics.n;
    struct gs_side *side = GS_NEW_N(struct gs_side, a.sides.n);
    struct gs_compare *c = GS_NEW_N(struct gs_compare, a.sides.n);
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < a.sides.n && !rc; i++)
        rc = gs_side_load(&side[i], a.sides.v[i], &err);
    if (!rc)
        rc = compare_all(&a, side, c, &err);
    for (size_t i = 0; i < a.sides.n; i++) {
        gs_compare_release(&c[i]);
        gs_side_release(&side[i]);
    }
    gs_free(c);
    gs_free(side);
    gs_vec_free(&a.sides);
    gs_vec_free(&a.metrics);
    return rc ? gs_cli_fail(cli, rc, &err) : 0;
}

/* cmd_check.c - `gsim check FILE...`: runs scenarios and judges them, for CI and for `git bisect run`. */
#include "sim/base/sort.h"
#include "sim/check.h"
#include "sim/cli.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    OPT_BASELINE = GS_OPT_OWN,
    OPT_BLESS,
    OPT_FORCE,
    OPT_STRICT,
    OPT_AGAINST,
    OPT_JUNIT,
    OPT_MARKDOWN,
    OPT_SET,
    OPT_METRIC,
    OPT_ALPHA,
    OPT_TOLERANCE,
    OPT_TIE_SEEDS
};

struct args {
    struct gs_cli *cli;
    struct gs_check_ask ask;
    GS_VEC(const char *) named;
    GS_VEC(char *) files;
    GS_VEC(struct gs_override) over;
    GS_VEC(const char *) metrics;
    const char *junit, *markdown;
};

static const struct argp_option options[] = {
    {"baseline", OPT_BASELINE, "B", 0,
     "baseline file, or a folder of them (default: NAME.baseline beside each scenario)", 1},
    {"bless", OPT_BLESS, NULL, 0, "write what the runs show as the baseline; keeps comments", 1},
    {"force", OPT_FORCE, NULL, 0,
     "with --bless: also a run that fails its [expect] or is saturated", 1},
    {"strict", OPT_STRICT, NULL, 0, "exit 125 where a change could not have been seen", 1},
    {"against", OPT_AGAINST, "OLD.so NEW.so", 0,
     "two builds of a module on the same draws, without a baseline: fails where the new one is worse",
     1},
    {"metric", OPT_METRIC, "NAME", 0,
     "with --against: a metric or family to judge; may be repeated (default: the main ones)", 1},
    {"tolerance", OPT_TOLERANCE, "SHARE", 0, "with --against: what is no change (default 1%)", 1},
    {"alpha", OPT_ALPHA, "P", 0, "with --against: chance of a false alarm (default 0.05)", 1},
    {"tie-seeds", OPT_TIE_SEEDS, "N", 0,
     "with --against: N orders of simultaneous events a side; smaller differences do not count", 1},
    {"junit", OPT_JUNIT, "F", 0, "the verdicts as JUnit XML", 1},
    {"markdown", OPT_MARKDOWN, "F", 0, "the verdicts for a pull request: only what moved", 1},
    {"set", OPT_SET, "KEY=VALUE", 0, "overrides a key in every scenario; may be repeated", 1},
    {"jobs", 'j', "N", 0, "worker processes (default 1)", 1},
    {0}};

/* A number in (0, most], also written in percent. */
static double share(struct argp_state *state, const char *what, const char *text, double most)
{
    char *end = NULL;
    double x = strtod(text, &end);
    if (end != text && *end == '%') {
        x /= 100;
        end++;
    }
    if (end == text || *end || !(x >= 0 && x <= most))
        argp_error(state, "%s: '%s' is not a number from 0 to %g", what, text, most);
    return x;
}

static uint32_t count(struct argp_state *state, const char *what, const char *text, long most)
{
    char *end = NULL;
    const long n = strtol(text, &end, 10);
    if (end == text || *end || n < 1 || n > most)
        argp_error(state, "%s: '%s' is not a whole number from 1 to %ld", what, text, most);
    return (uint32_t)n;
}

/* Two words follow the option; argp takes one. */
static void take_against(struct args *a, struct argp_state *state, const char *arg)
{
    if (state->next >= state->argc || state->argv[state->next][0] == '-') {
        argp_error(state, "--against takes two modules: --against old.so new.so");
        return;
    }
    a->ask.old_module = arg;
    a->ask.new_module = state->argv[state->next++];
}

static void check_mix(const struct args *a, struct argp_state *state)
{
    if (!a->named.n)
        argp_error(state, "which scenario? for example: gsim check scenarios/suite");
    if (a->ask.old_module && (a->ask.bless || a->ask.baseline))
        argp_error(state, "--against judges without a baseline");
    if (a->ask.force && !a->ask.bless)
        argp_error(state, "--force goes with --bless");
    if (!a->ask.old_module && (a->metrics.n || a->ask.tie_seeds > 1))
        argp_error(state, "--metric and --tie-seeds go with --against");
}

/* --against and what goes with it. */
static error_t parse_against(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case OPT_AGAINST: take_against(a, state, arg); break;
    case OPT_METRIC: gs_vec_push(&a->metrics, arg); break;
    case OPT_TOLERANCE: a->ask.tolerance = share(state, "--tolerance", arg, 1); break;
    case OPT_ALPHA: a->ask.compare.alpha = share(state, "--alpha", arg, 0.5); break;
    case OPT_TIE_SEEDS: a->ask.tie_seeds = count(state, "--tie-seeds", arg, 1000); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = a->cli; break;
    case OPT_BASELINE: a->ask.baseline = arg; break;
    case OPT_BLESS: a->ask.bless = 1; break;
    case OPT_FORCE: a->ask.force = 1; break;
    case OPT_STRICT: a->ask.strict = 1; break;
    case OPT_JUNIT: a->junit = arg; break;
    case OPT_MARKDOWN: a->markdown = arg; break;
    case OPT_SET: gs_vec_push(&a->over, gs_cli_set(state, arg)); break;
    case 'j': a->ask.workers = count(state, "-j", arg, 1024); break;
    case ARGP_KEY_ARG: gs_vec_push(&a->named, arg); break;
    case ARGP_KEY_END: check_mix(a, state); break;
    default: return parse_against(key, arg, state);
    }
    return 0;
}

static const struct argp_child children[] = {{&gs_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp program = {
    options,
    parse,
    "FILE|FOLDER...",
    "Runs scenarios (a folder: all *.ini in it), each point of a [sweep] as one, and judges them by [expect] and by a baseline. Exit status: 0 all hold, 1 one fails, 2 bad "
    "input, 3 a module faulted, 125 cannot be judged (for git bisect run).\v"
    "Examples: gsim check scenarios/suite --junit out.xml\n"
    "  gsim check night.ini --bless\n"
    "  gsim check scenarios/suite --against old/gsp_easy.so new/gsp_easy.so",
    children,
    NULL,
    NULL};

static int by_name(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int is_ini(const char *name)
{
    const size_t n = strlen(name);
    return n > 4 && name[0] != '.' && strcmp(name + n - 4, ".ini") == 0;
}

static enum gs_rc add_folder(struct args *a, const char *dir, struct gs_err *err)
{
    const size_t before = a->files.n;
    size_t len = strlen(dir);
    DIR *d = opendir(dir);
    if (!d)
        return gs_fail(err, GS_E_INPUT, "%s: cannot be read: %s", dir, strerror(errno));
    while (len > 1 && dir[len - 1] == '/')
        len--;
    for (const struct dirent *e = readdir(d); e; e = readdir(d)) {
        struct gs_buf path = {0};
        if (!is_ini(e->d_name))
            continue;
        gs_buf_fmt(&path, "%.*s/%s", (int)len, dir, e->d_name);
        gs_vec_push(&a->files, path.s);
    }
    (void)closedir(d);
    if (a->files.n == before)
        return gs_fail(err, GS_E_INPUT, "%s: holds no scenario (*.ini)", dir);
    gs_sort(a->files.v + before, a->files.n - before, sizeof *a->files.v, by_name, NULL);
    return GS_OK;
}

static enum gs_rc expand(struct args *a, struct gs_err *err)
{
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < a->named.n && !rc; i++) {
        struct stat st;
        const int dir = stat(a->named.v[i], &st) == 0 && S_ISDIR(st.st_mode);
        if (dir)
            rc = add_folder(a, a->named.v[i], err);
        else
            gs_vec_push(&a->files, gs_strdup(a->named.v[i]));
    }
    struct stat st;
    if (!rc && a->ask.baseline && a->files.n > 1 &&
        (stat(a->ask.baseline, &st) != 0 || !S_ISDIR(st.st_mode)))
        rc = gs_fail(err, GS_E_INPUT,
                     "--baseline %s: %zu scenarios need a folder of baselines, not one file",
                     a->ask.baseline, a->files.n);
    return rc;
}

typedef void tell_fn(const struct gs_checked *c, size_t n, struct gs_buf *out);

static enum gs_rc tell_file(const char *path, tell_fn *tell, const struct gs_checked *c, size_t n,
                            struct gs_err *err)
{
    struct gs_buf text = {0};
    if (!path)
        return GS_OK;
    tell(c, n, &text);
    const enum gs_rc rc = gs_check_write(path, &text, err);
    gs_buf_free(&text);
    return rc;
}

static int tell(struct args *a, const struct gs_checked *c, size_t n, struct gs_err *err)
{
    struct gs_buf text = {0};
    if (a->cli->json)
        gs_checked_json(c, n, &text);
    else
        gs_checked_text(c, n, &text);
    (void)fputs(gs_buf_cstr(&text), stdout);
    gs_buf_free(&text);
    enum gs_rc rc = tell_file(a->junit, gs_checked_junit, c, n, err);
    if (!rc)
        rc = tell_file(a->markdown, gs_checked_markdown, c, n, err);
    return rc ? gs_cli_fail(a->cli, rc, err) : gs_checked_exit(c, n);
}

static void fill_ask(struct args *a)
{
    a->ask.scenario = (const char *const *)a->files.v;
    a->ask.nscenarios = a->files.n;
    a->ask.policy_path = a->cli->policy_path;
    a->ask.history = a->cli->history;
    a->ask.over = a->over.v;
    a->ask.nover = a->over.n;
    a->ask.compare.metric = a->metrics.v;
    a->ask.compare.nmetric = a->metrics.n;
    a->ask.log = &a->cli->log;
}

int gs_cmd_check(struct gs_cli *cli, int argc, char **argv)
{
    struct args a = {
        .cli = cli,
        .ask = {.workers = 1, .tie_seeds = 1, .tolerance = 0.01, .compare = {.alpha = 0.05}}};
    struct gs_err err = {0};
    struct gs_checked *c = NULL;
    size_t n = 0;
    if (argp_parse(&program, argc, argv, 0, NULL, &a))
        return 2;
    gs_cli_begin(cli);
    enum gs_rc rc = expand(&a, &err);
    fill_ask(&a);
    if (!rc)
        rc = gs_check(&a.ask, &c, &n, &err);
    const int status = rc ? gs_cli_fail(cli, rc, &err) : tell(&a, c, n, &err);
    for (size_t i = 0; i < n; i++)
        gs_checked_release(&c[i]);
    for (size_t i = 0; i < a.files.n; i++)
        gs_free(a.files.v[i]);
    gs_free(c);
    gs_vec_free(&a.files);
    gs_vec_free(&a.named);
    gs_vec_free(&a.over);
    gs_vec_free(&a.metrics);
    return status;
}

/* cmd_trace_generate.c - `gsim trace generate FILE -o OUT`: the synthetic jobs, or calls, of a scenario as a trace.
 *
 * The jobs are those that `gsim run` would simulate with the same seed. Neither nodes nor policies need to stand in the file. */
#include "sim/base/units.h"
#include "sim/cli.h"
#include "sim/points.h"
#include "sim/textfile.h"
#include "traces/synth/calls.h"

#include <stdio.h>
#include <string.h>

enum {
    OPT_SET = GS_OPT_OWN,
    OPT_SEED
};

struct args {
    struct gs_cli *cli;
    const char *file, *out;
    GS_VEC(struct gs_override) over;
};

static const struct argp_option options[] = {
    {"output", 'o', "OUT", 0, "the file to write; without it standard output", 1},
    {"seed", OPT_SEED, "N", 0, "seed of all random streams", 1},
    {"set", OPT_SET, "KEY=VALUE", 0, "overrides a key: kind.key or kind.name.key; may be repeated",
     1},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = a->cli; break;
    case 'o': a->out = arg; break;
    case OPT_SET: gs_vec_push(&a->over, gs_cli_set(state, arg)); break;
    case OPT_SEED:
        gs_vec_push(&a->over,
                    (struct gs_override){.key = "scenario.seed", .value = arg, .where = "--seed"});
        break;
    case ARGP_KEY_ARG:
        if (a->file)
            argp_error(state, "one scenario at a time");
        a->file = arg;
        break;
    case ARGP_KEY_NO_ARGS:
        argp_error(state,
                   "which scenario? for example: gsim trace generate scenarios/quickstart.ini");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {{&gs_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp program = {
    options,
    parse,
    "FILE [-o OUT]",
    "Writes the synthetic workload of a scenario as a trace: the jobs of its [workload] sections, or "
    "the calls of its [service] and [agents] sections, as gsim's own CSV.\v"
    "`gsim trace convert` makes other formats of it.\n\n"
    "Example: gsim trace generate scenarios/quickstart.ini --seed 7 -o jobs.csv",
    children,
    NULL,
    NULL};

/* ---- Jobs -------------------------------------------------------------------------------------- */

/* A job that another waits for needs a name in a file. */
static void name_jobs(struct gs_workload *w)
{
    int wanted = 0;
    for (size_t i = 0; i < w->jobs.n; i++)
        wanted |= w->jobs.v[i].after != 0;
    for (size_t i = 0; wanted && i < w->jobs.n; i++) {
        char name[160];
        struct gs_job *j = &w->jobs.v[i];
        (void)gs_fmt(name, sizeof name, "%.100s-%lld",
                     gs_intern_str(w->str, w->sources.v[j->source]), (long long)j->row);
        j->name = gs_intern(w->str, name);
    }
}

static enum gs_rc make_jobs(const struct gs_settings *s, struct gs_workload *w, struct gs_buf *out,
                            struct gs_err *err)
{
    for (size_t i = 0; i < s->workloads.n; i++) {
        const struct gs_set_workload *section = &s->workloads.v[i];
        if (section->t.model)
            return gs_fail(
                err, GS_E_INPUT,
                "%s: [workload %s] model: how long its jobs run depends on a cluster, so a trace cannot be made of them without one",
                section->where, section->name);
        gs_vec_push(&w->sources, gs_intern(w->str, section->name));
        const enum gs_rc rc =
            gs_synth_make(w, (uint16_t)(w->sources.n - 1), (uint32_t)i, s->seed, &section->s, err);
        if (rc)
            return gs_wrap(err, "%s", section->where);
    }
    name_jobs(w);
    gs_workload_seal(w);
    gs_trace_write_csv(w, 0, out);
    return GS_OK;
}

/* ---- Calls ------------------------------------------------------------------------------------- */

static enum gs_rc make_calls(const struct gs_settings *s, struct gs_calls *c, struct gs_buf *out,
                             struct gs_err *err)
{
    for (size_t i = 0; i < s->calls.n; i++) {
        const enum gs_rc rc = gs_synth_calls_make(c, (uint32_t)i, s->seed, &s->calls.v[i].s, err);
        if (rc)
            return gs_wrap(err, "%s", s->calls.v[i].where);
    }
    gs_calls_seal(c);
    gs_calls_write_csv(c, out);
    return GS_OK;
}

static enum gs_rc make(const struct gs_settings *s, struct gs_buf *out, size_t *n,
                       struct gs_err *err)
{
    if (s->workloads.n && s->calls.n)
        return gs_fail(
            err, GS_E_INPUT,
            "%s: has [workload] sections, which make jobs, and [%s %s], which makes calls: "
            "one file holds one or the other, so put them into two scenarios",
            s->calls.v[0].where, s->calls.v[0].s.kind, s->calls.v[0].name);
    if (!s->workloads.n && !s->calls.n)
        return gs_fail(err, GS_E_INPUT,
                       "%s: nothing to generate: add a section [workload NAME], [service NAME] or "
                       "[agents NAME]",
                       s->path);
    struct gs_intern str;
    struct gs_workload w;
    struct gs_calls c = {.str = &str};
    gs_intern_init(&str);
    gs_workload_init(&w, &str);
    const enum gs_rc rc = s->calls.n ? make_calls(s, &c, out, err) : make_jobs(s, &w, out, err);
    *n = s->calls.n ? c.v.n : w.jobs.n;
    gs_calls_free(&c);
    gs_workload_release(&w);
    gs_intern_release(&str);
    return rc;
}

static enum gs_rc write_out(const char *path, const struct gs_buf *b, struct gs_err *err)
{
    struct gs_textfile f = {0};
    enum gs_rc rc = gs_textfile_open(&f, path, err);
    if (rc == GS_OK)
        rc = gs_textfile_put(&f, gs_buf_cstr(b), b->n, err);
    return gs_textfile_close(&f, rc, err);
}

int gs_cmd_trace_generate(struct gs_cli *cli, int argc, char **argv)
{
    struct args a = {.cli = cli};
    struct gs_settings s = {0};
    struct gs_err err = {0};
    struct gs_buf out = {0};
    size_t n = 0;
    if (argp_parse(&program, argc, argv, 0, NULL, &a))
        return 2;
    gs_cli_begin(cli);
    enum gs_rc rc = gs_settings_load_jobs(&s, a.file, a.over.v, a.over.n, &err);
    if (rc)
        gs_problems_say(&cli->log, &s, &err);
    else
        rc = make(&s, &out, &n, &err);
    if (!rc)
        rc = write_out(a.out ? a.out : "-", &out, &err);
    if (!rc) {
        char count[32];
        gs_note(&cli->log, "%s: %s %s",
                a.out && strcmp(a.out, "-") != 0 ? a.out : "standard output",
                gs_show_count((int64_t)n, count, sizeof count), s.calls.n ? "calls" : "jobs");
        if (s.traces.n)
            gs_note(&cli->log, "%zu [trace] sections are not synthetic and were left out",
                    s.traces.n);
    }
    gs_buf_free(&out);
    gs_settings_release(&s);
    gs_vec_free(&a.over);
    return rc ? gs_cli_fail(cli, rc, &err) : 0;
}

/* cmd_validate.c - `gsim validate FILE`: everything that can be said of a scenario without running it. */
#include "sim/base/units.h"
#include "sim/cli.h"
#include "sim/points.h"
#include "sim/run.h"
#include "sim/training_jobs.h"

#include <stdio.h>
#include <string.h>

enum {
    OPT_SHOW = GS_OPT_OWN,
    OPT_SET
};

struct args {
    struct gs_cli *cli;
    const char *file;
    int show;
    GS_VEC(struct gs_override) over;
};

static const struct argp_option options[] = {
    {"show", OPT_SHOW, NULL, 0, "every key in effect and where it comes from", 1},
    {"set", OPT_SET, "KEY=VALUE", 0, "overrides a key", 1},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = a->cli; break;
    case OPT_SHOW: a->show = 1; break;
    case OPT_SET: gs_vec_push(&a->over, gs_cli_set(state, arg)); break;
    case ARGP_KEY_ARG:
        if (a->file)
            argp_error(state, "one scenario at a time");
        a->file = arg;
        break;
    case ARGP_KEY_NO_ARGS: argp_error(state, "which scenario?"); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {{&gs_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp program = {
    options,
    parse,
    "FILE",
    "Checks a scenario and tells what it holds: the cluster, the offered load, the largest gang, the horizon.\v"
    "Example: gsim validate scenarios/quickstart.ini --show",
    children,
    NULL,
    NULL};

/* GPU-seconds asked for, and what no node or cluster could ever hold. */
static void tell_load(const struct gs_run *r)
{
    double demand = 0, largest = 0;
    int64_t last = 0, endless = 0;
    char t[64];
    for (size_t i = 0; i < r->w.jobs.n; i++) {
        const struct gs_job *j = &r->w.jobs.v[i];
        double gpus = (double)j->gpus * (double)j->share_milli / 1000.0;
        if (j->run_ns == GS_NEVER)
            endless++;
        else
            demand += gpus * (double)j->run_ns / 1e9;
        largest = gpus > largest ? gpus : largest;
        last = j->submit_ns > last ? j->submit_ns : last;
    }
    (void)printf("jobs            %zu, the last submitted after %s\n", r->w.jobs.n,
                 gs_show_time((double)last / 1e9, t, sizeof t));
    if (endless)
        (void)printf("endless jobs    %lld: they run until the end\n", (long long)endless);
    (void)printf("largest gang    %g GPUs\n", largest);
    double capacity = (double)r->cluster.total_gpus * (double)last / 1e9;
    if (capacity > 0)
        (void)printf("offered load    %.1f %% of the GPUs over the time of arrivals\n",
                     100.0 * demand / capacity);
}

/* What was done to the jobs of a trace: the load that came of it, what it distorts. */
static void tell_shapes(const struct gs_run *r)
{
    for (size_t i = 0; i < r->inputs.n; i++) {
        const struct gs_file_read *in = &r->inputs.v[i];
        if (in->shaped.said[0])
            (void)printf("shaped          %s: %llu jobs of %llu\n", in->path,
                         (unsigned long long)in->shaped.jobs_after,
                         (unsigned long long)in->shaped.jobs_before);
        for (const char *s = in->shaped.said; *s; s += *s == '\n') {
            const size_t n = strcspn(s, "\n");
            (void)printf("                %.*s\n", (int)n, s);
            s += n;
        }
    }
}

/* What each modelled training run comes to: its step on the reference placement, and its memory. */
static void tell_training(const struct gs_run *r)
{
    char t[64], whole[64];
    for (size_t i = 0; i < gs_training_jobs(r); i++) {
        const struct gs_training_job *x = gs_training_job(r, i);
        const double gpus = (double)gs_train_gpus(&x->train), step = x->step.step_s;
        (void)printf("training        %s: %s on %g %s: %.6g steps of %s = %s\n", x->section,
                     x->train.lm.name, gpus, x->gpu.name, x->steps, gs_show_time(step, t, sizeof t),
                     gs_show_time((double)x->run_ns / 1e9, whole, sizeof whole));
        (void)printf(
            "  step          %.1f %% computes (%.0f TFLOP/s a GPU), %.1f %% pipeline bubble, %.1f %% communication not hidden\n",
            100 * x->step.compute_s / step, x->step.flops / (step * gpus * 1e12),
            100 * x->step.bubble_s / step, 100 * x->step.exposed_s / step);
        (void)printf("  memory        %s: %s\n",
                     x->memory.fits ? "fits" : "DOES NOT FIT, its jobs are rejected",
                     x->arithmetic);
    }
}

static void tell(const struct gs_run *r, const struct gs_settings *s, size_t points)
{
    char t[64];
    (void)printf("cluster         %u nodes, %lld GPUs of %u models, %lld CPUs\n", r->cluster.nnodes,
                 (long long)r->cluster.total_gpus, r->cluster.nmodels,
                 (long long)(r->cluster.total_cpus_milli / 1000));
    if (r->unverified_nodes)
        (void)printf("unverified      %llu nodes stand on catalog rows marked UNVERIFIED\n",
                     (unsigned long long)r->unverified_nodes);
    struct gs_buf network = {0};
    gs_world_network_text(r, &network);
    if (network.n)
        (void)printf("network         %s\n", gs_buf_cstr(&network));
    gs_buf_free(&network);
    tell_load(r);
    tell_shapes(r);
    tell_training(r);
    (void)printf("queues          %zu\n", r->w.queues.n);
    (void)printf("horizon         %s\n",
                 s->horizon_ns == GS_NEVER
                     ? "none: until every counted job has ended"
                     : gs_show_time((double)s->horizon_ns / 1e9, t, sizeof t));
    if (points > 1)
        (void)printf("sweep           %zu points\n", points);
    (void)printf("valid\n");
}

int gs_cmd_validate(struct gs_cli *cli, int argc, char **argv)
{
    struct args a = {.cli = cli};
    struct gs_settings s = {0};
    struct gs_err err = {0};
    if (argp_parse(&program, argc, argv, 0, NULL, &a))
        return 2;
    gs_cli_begin(cli);
    struct gs_run *r = GS_NEW(struct gs_run);
    gs_run_init(r, &cli->log);
    enum gs_rc rc = gs_settings_load(&s, a.file, a.over.v, a.over.n, cli->policy_path, &err);
    if (rc)
        gs_problems_say(&cli->log, &s, &err);
    if (!rc) {
        r->seed = s.seed;
        rc = gs_world_build(r, &s, &err);
    }
    if (!rc)
        rc = gs_run_prepare(r, &err);
    if (!rc)
        rc = gs_world_policies(r, &s, cli->policy_path, &err);
    if (!rc && a.show)
        (void)fputs(gs_buf_cstr(&s.effective), stdout);
    else if (!rc)
        tell(r, &s, gs_sweep_points(&s));
    gs_run_release(r);
    gs_free(r);
    gs_settings_release(&s);
    gs_vec_free(&a.over);
    return rc ? gs_cli_fail(cli, rc, &err) : 0;
}

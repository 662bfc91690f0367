/* The worked cases of the shared folder: the closed forms of model.c against the queueing kinds (the simulations of test_queues.c are
 * against those closed forms), and small schedules replayed exactly (lpt, little, drf). Kinds that this version
 * cannot simulate are named. Skipped without the folder. */
#include "tests/theory/model.h"
#include "tests/unit/cases.h"
#include "tests/unit/run_rig.h"

#include <math.h>

/* Equal to a key of `expect`, if the case has it. */
static void expect_key(const json_t *expect, const char *key, double value, double tol)
{
    if (json_object_get(expect, key))
        GS_NEAR(value, gs_case_number(expect, key), tol * (1 + fabs(value)));
}

static void mmc_case(const json_t *in, const json_t *expect, double tol)
{
    const double lam = gs_case_number(in, "lam"), mu = gs_case_number(in, "mu");
    const uint32_t c = json_object_get(in, "c") ? (uint32_t)gs_case_int(in, "c") : 1;
    const double wait = gs_wait_mmc(c, lam, mu);
    expect_key(expect, "Wq", wait, tol);
    expect_key(expect, "W", wait + 1 / mu, tol);
    expect_key(expect, "Lq", wait * lam, tol);
    expect_key(expect, "L", (wait + 1 / mu) * lam, tol);
    expect_key(expect, "util", lam / (mu * c), tol);
    expect_key(expect, "erlang_c", gs_erlang_c(c, lam / mu), tol);
}

static void mmcc_case(const json_t *in, const json_t *expect, double tol)
{
    expect_key(expect, "block",
               gs_erlang_b((uint32_t)gs_case_int(in, "c"), gs_case_number(in, "a")), tol);
}

static struct gs_model_class class_of(const json_t *in)
{
    struct gs_model_class c = {.lam = gs_case_number(in, "lam")};
    const json_t *s = json_object_get(in, "service");
    const json_t *hyper = json_object_get(s, "hyperexp");
    c.s.d = gs_case_number(s, "deterministic");
    for (size_t i = 0; i < json_array_size(hyper) && i < 2; i++) {
        c.s.p[i] = json_number_value(json_array_get(json_array_get(hyper, i), 0));
        c.s.m[i] = json_number_value(json_array_get(json_array_get(hyper, i), 1));
    }
    return c;
}

static void mg1_case(const json_t *in, const json_t *expect, double tol)
{
    const struct gs_model_class c = class_of(in);
    expect_key(expect, "ES", gs_service_moment(&c.s, 1), tol);
    expect_key(expect, "ES2", gs_service_moment(&c.s, 2), tol);
    expect_key(expect, "Wq", gs_wait_mg1(&c), tol);
    expect_key(expect, "W", gs_wait_mg1(&c) + gs_service_moment(&c.s, 1), tol);
}

static struct gs_model classes_of(const json_t *in)
{
    struct gs_model m = {.servers = 1};
    size_t i;
    const json_t *c;
    json_array_foreach(json_object_get(in, "classes"), i, c)
    {
        if (i == GS_MODEL_CLASSES)
            break;
        m.cls[i].lam = gs_case_number(c, "lam");
        m.cls[i].s = (struct gs_service){.p = {1}, .m = {gs_case_number(c, "exp_mean")}};
        m.classes++;
    }
    return m;
}

static void np_case(const json_t *in, const json_t *expect, double tol)
{
    const struct gs_model m = classes_of(in);
    expect_key(expect, "Wq1", gs_wait_priority(&m, 0), tol);
    expect_key(expect, "Wq2", gs_wait_priority(&m, 1), tol);
}

static void pr_case(const json_t *in, const json_t *expect, double tol)
{
    const struct gs_model m = classes_of(in);
    expect_key(expect, "T1", gs_time_preemptive(&m, 0), tol);
    expect_key(expect, "T2", gs_time_preemptive(&m, 1), tol);
}

static void sjf_case(const json_t *in, const json_t *expect, double tol)
{
    expect_key(expect, "Wq",
               gs_wait_sjf_exponential(gs_case_number(in, "lam"), gs_case_number(in, "mu")), tol);
}

/* Longest first on m machines is list scheduling by the ljf part. */
static void lpt_case(const json_t *in, const json_t *expect, double tol)
{
    double p[64];
    const size_t n = gs_case_numbers(json_object_get(in, "p"), p, 64);
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "machines", (uint32_t)gs_case_int(in, "m"));
    for (size_t i = 0; i < n; i++)
        (void)gs_rig_job(k, 0, (int64_t)(p[i] * 1e9 + 0.5), 1);
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, "ljf", NULL, NULL);
    gs_rig_go(k);
    expect_key(expect, "lpt", gs_rig_metric(k, "makespan"), tol);
    gs_rig_free(k);
}

/* Whatever the order, the makespan of first come first served is not below the bound. */
static void bound_case(const json_t *in, const json_t *expect, double tol)
{
    static const char *const order[] = {"fifo", "sjf", "ljf"};
    for (size_t o = 0; o < sizeof order / sizeof *order; o++) {
        struct gs_rig *k = gs_rig_init();
        size_t i;
        const json_t *j;
        (void)gs_rig_node(k, "machine", (uint32_t)gs_case_int(in, "gpus"));
        json_array_foreach(json_object_get(in, "jobs"), i, j)(void) gs_rig_job(
            k, 0, (int64_t)(gs_case_number(j, "t") * 1e9 + 0.5), (uint32_t)gs_case_int(j, "g"));
        gs_rig_prepare(k);
        gs_rig_role(k, GS_ROLE_ORDER, order[o], NULL, NULL);
        gs_rig_go(k);
        CU_ASSERT_TRUE(gs_rig_metric(k, "makespan") >= gs_case_number(expect, "lb") - tol);
        gs_rig_free(k);
    }
}

/* Three jobs on as many machines, none waits: L of the horizon is the mean number running. */
static void little_case(const json_t *in, const json_t *expect, double tol)
{
    struct gs_rig *k = gs_rig_init();
    size_t i;
    const json_t *j;
    const json_t *jobs = json_object_get(in, "jobs");
    const double horizon = gs_case_number(in, "horizon");
    (void)gs_rig_node(k, "machines", (uint32_t)json_array_size(jobs));
    json_array_foreach(jobs, i, j)
    {
        const double from = json_number_value(json_array_get(j, 0));
        (void)gs_rig_job(k, (int64_t)(from * 1e9),
                         (int64_t)((json_number_value(json_array_get(j, 1)) - from) * 1e9), 1);
    }
    k->r.horizon_ns = (int64_t)(horizon * 1e9);
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, "fifo", NULL, NULL);
    gs_rig_go(k);
    expect_key(expect, "L", gs_rig_metric(k, "jobs.running") + gs_rig_metric(k, "queue.length"),
               tol);
    expect_key(expect, "W", gs_rig_metric(k, "jobs.jct.mean"), tol);
    expect_key(expect, "lam", gs_rig_metric(k, "jobs.submitted") / horizon, tol);
    gs_rig_free(k);
}

static void all_kinds(void)
{
    static const struct {
        const char *kind;
        gs_case_fn *fn;
    } kind[] = {{"mm1", mmc_case},
                {"mmc", mmc_case},
                {"mmcc", mmcc_case},
                {"mg1", mg1_case},
                {"mg1_priority_np", np_case},
                {"mg1_priority_pr", pr_case},
                {"sjf_np_mm1", sjf_case},
                {"lpt", lpt_case},
                {"makespan_lb", bound_case},
                {"little", little_case}};

    static const char *const later[] = {"mmck (no bound on waiting jobs)",
                                        "mg1_ps (no processor sharing)",
                                        "srpt_mm1, srpt_offline (no such order)",
                                        "wspt (no weights of jobs)",
                                        "mcnaughton (no job moves while it runs)",
                                        "jackson (no routing)",
                                        "forkjoin, forkjoin_approx (tasks of a job end together)",
                                        "gg1_bound (a bound, the law is not given)"};
    if (!gs_test_shared())
        GS_SKIP_ALL("no shared material");
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
        CU_ASSERT_TRUE(gs_cases(kind[i].kind, kind[i].fn) > 0);
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        printf("SKIP: %s\n", later[i]);
}

static const struct gs_test tests[] = {
    {"closed forms and schedules of the worked cases", all_kinds},
};
GS_TEST_MAIN("theory/cases", tests)

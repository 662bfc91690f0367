/* Failures and checkpoints against closed forms: availability M / (M + R); the time of a job that loses its work since the last checkpoint
 * at exponential failures, segment by segment (e^(L/M) - 1) (M + R); and Young's interval lies at the minimum. Through the real engine, ledger
 * and host; one node, jobs one after another, 20 replications with fixed seeds, 99.9 % intervals. Release builds only. */
#include "sim/effects/data.h"
#include "sim/failures.h"
#include "sim/scenario/settings.h"
#include "tests/unit/run_rig.h"

#include <math.h>

#ifdef NDEBUG
#define ONLY_RELEASE() ((void)0)
#else
#define ONLY_RELEASE() GS_SKIP_ALL("100,000 failures a case: release builds only")
#endif

enum {
    REPLICATIONS = 20,
    JOBS = 500
};

/* t-quantile of 0.9995 with 19 degrees of freedom. */
static const double T_999_19 = 3.8834;

struct wear {
    const char *node, *repair; /* distributions */
    const char *checkpoint;    /* NULL = none */
    int64_t checkpoint_s, work_s;
};

static void run(const struct wear *w, uint64_t seed, double *job_s, double *available)
{
    struct gs_rig *k = gs_rig_init();
    const struct gs_set_failures f = {
        .node = w->node, .node_repair = w->repair, .retries = -1, .said = 1};
    const struct gs_set_data d = {.checkpoint = w->checkpoint,
                                  .checkpoint_ns = w->checkpoint_s * GS_SECOND};
    k->r.seed = seed;
    (void)gs_rig_node(k, "node", 1);
    for (int i = 0; i < JOBS; i++)
        (void)gs_rig_job_s(k, 0, w->work_s, 1);
    (void)gs_rig_ok(k, gs_data_apply(&k->r, &d, 0, ".", &k->err));
    (void)gs_rig_ok(k, gs_failures_load(&k->r, &f, ".", &k->err));
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, "fifo", NULL, NULL);
    gs_rig_go(k);
    *job_s = gs_rig_metric(k, "makespan") / JOBS;
    *available = gs_rig_metric(k, "gpu.availability");
    gs_rig_free(k);
}

/* The 99.9 % interval of x contains the value, and its half-width is below 4 % of it. */
static void contains(const char *what, const double *x, double value)
{
    double mean = 0, square = 0;
    for (int i = 0; i < REPLICATIONS; i++)
        mean += x[i] / REPLICATIONS;
    for (int i = 0; i < REPLICATIONS; i++)
        square += (x[i] - mean) * (x[i] - mean);
    const double half = T_999_19 * sqrt(square / (REPLICATIONS - 1) / REPLICATIONS);
    printf("%-30s %.6f +- %.6f (%.2f %%), theory %.6f\n", what, mean, half, 100 * half / value,
           value);
    CU_ASSERT_TRUE(fabs(mean - value) <= half);
    CU_ASSERT_TRUE(half < 0.04 * value);
}

static void check(const char *what, const struct wear *w, double job_s, double available)
{
    double t[REPLICATIONS], a[REPLICATIONS];
    for (uint64_t i = 0; i < REPLICATIONS; i++)
        run(w, i + 1, &t[i], &a[i]);
    if (job_s > 0)
        contains(what, t, job_s);
    contains("  availability", a, available);
}

/* Expected time to get through a stretch of l s without a failure: each takes the node away for r s, and the stretch begins again. */
static double stretch_s(double l, double mtbf, double r)
{
    return (exp(l / mtbf) - 1) * (mtbf + r);
}

static void no_checkpoints(void)
{
    ONLY_RELEASE();
    const struct wear w = {"exponential mean=10000s", "constant 1000s", NULL, 0, 8000};
    check("no checkpoints", &w, stretch_s(8000, 10000, 1000), 10000.0 / 11000);
}

/* 9 segments of 1,000 s, each with a write, and 500 s at the end without one. */
static void checkpoints(void)
{
    ONLY_RELEASE();
    const struct wear w = {"exponential mean=5000s", "exponential mean=600s", "1000s", 100, 9500};
    check("checkpoints", &w, 9 * stretch_s(1100, 5000, 600) + stretch_s(500, 5000, 600),
          5000.0 / 5600);
}

/* Whatever the distributions, the long-run share is that of the means. Mean of weibull(10,000 s, 0.5) = 20,000 s. */
static void availability_of_weibull(void)
{
    ONLY_RELEASE();
    const struct wear w = {"weibull scale=10000s shape=0.5", "uniform 500s 1500s", "1000s", 10,
                           40000};
    check("weibull", &w, 0, 20000.0 / 21000);
}

/* Mean time of a job over the replications: the same failures whatever the interval. */
static double mean_job_s(const char *rule)
{
    const struct wear w = {"exponential mean=36000s", "constant 0s", rule, 60, 86400};
    double sum = 0;
    for (uint64_t i = 0; i < REPLICATIONS; i++) {
        double t = 0, a = 0;
        run(&w, i + 1, &t, &a);
        sum += t / REPLICATIONS;
    }
    printf("%-6s %.1f s a job\n", rule, sum);
    return sum;
}

/* sqrt(2 x 60 s x 36,000 s) = 2,078 s. Each is better than a half and a double of it by what the cost predicts, and both are alike. */
static void young_is_best(void)
{
    ONLY_RELEASE();
    const double young = mean_job_s("young"), daly = mean_job_s("daly");
    const double half = mean_job_s("1039s"), twice = mean_job_s("4157s");
    CU_ASSERT_TRUE(young < half && young < twice && daly < half && daly < twice);
    CU_ASSERT_TRUE(mean_job_s("520s") > half && mean_job_s("8314s") > twice);
    CU_ASSERT_TRUE(fabs(young - daly) < 0.005 * young);
    const double n = 86400.0 / 2078.46;
    printf("theory %.1f s\n", n * stretch_s(2138.46, 36000, 0));
    CU_ASSERT_TRUE(fabs(young - n * stretch_s(2138.46, 36000, 0)) < 0.01 * young);
}

static const struct gs_test tests[] = {
    {"time of a job that loses all at a failure", no_checkpoints},
    {"time of a job with checkpoints", checkpoints},
    {"availability of other distributions", availability_of_weibull},
    {"Young's interval is near the minimum", young_is_best},
};
GS_TEST_MAIN("theory/failures", tests)

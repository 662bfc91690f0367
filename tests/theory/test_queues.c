/* Queues whose answer is known in closed form, through the real engine, ledger, host and modules: M/M/1, M/M/c, M/D/1, M/G/1, M/M/c/c,
 * priorities with and without preemption, shortest job first. Release builds only (2 million jobs a model). */
#include "tests/theory/model.h"
#include "tests/unit/harness.h"

#ifdef NDEBUG
#define ONLY_RELEASE() ((void)0)
#else
#define ONLY_RELEASE() GS_SKIP_ALL("2 million jobs a model: release builds only")
#endif

#define EXPONENTIAL(mean)       \
    {                           \
        .p = {1}, .m = { mean } \
    }
#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static void mm1(void)
{
    ONLY_RELEASE();
    const struct gs_model m = {"M/M/1 0.8", 1, 1, {{0.8, EXPONENTIAL(1)}}, NULL, NULL, 0, 0};
    const struct gs_figure f[] = {
        {"jobs.wait.mean", gs_wait_mmc(1, 0.8, 1), 0},
        {"jobs.jct.mean", 1 / (1 - 0.8), 0},
        {"queue.length", 0.8 * 0.8 / (1 - 0.8), 0},
        {"jobs.jct.p95", 14.978661367769954, 0}}; /* -ln(0.05) / (mu - lam) */
    gs_model_check(&m, f, COUNT(f));
}

static void mmc_8(void)
{
    ONLY_RELEASE();
    const struct gs_model m = {"M/M/8 0.8", 8, 1, {{6.4, EXPONENTIAL(1)}}, NULL, NULL, 0, 260000};
    const double wait = gs_wait_mmc(8, 6.4, 1);
    const struct gs_figure f[] = {{"jobs.wait.mean", wait, 0},
                                  {"jobs.jct.mean", wait + 1, 0},
                                  {"queue.length", wait * 6.4, 0},
                                  {"gpu.allocation", 0.8, 0}};
    gs_model_check(&m, f, COUNT(f));
}

/* At load 0.9 few jobs wait, for long: the mean wait is noisy. */
static void mmc_64(void)
{
    ONLY_RELEASE();
    const struct gs_model m = {"M/M/64 0.9", 64, 1, {{57.6, EXPONENTIAL(1)}}, NULL, NULL, 0, 0};
    const double wait = gs_wait_mmc(64, 57.6, 1);
    const struct gs_figure f[] = {
        {"jobs.jct.mean", wait + 1, 0}, {"gpu.allocation", 0.9, 0}, {"jobs.wait.mean", wait, 0.15}};
    gs_model_check(&m, f, COUNT(f));
}

static void md1(void)
{
    ONLY_RELEASE();
    const struct gs_model m = {"M/D/1 0.8", 1, 1, {{0.8, {.d = 1}}}, NULL, NULL, 0, 0};
    const struct gs_figure f[] = {{"jobs.wait.mean", gs_wait_mg1(&m.cls[0]), 0},
                                  {"jobs.jct.mean", gs_wait_mg1(&m.cls[0]) + 1, 0}};
    GS_NEAR(f[0].value, 2.0, 1e-12); /* half of the exponential's */
    gs_model_check(&m, f, COUNT(f));
}

static void mg1(void)
{
    ONLY_RELEASE();
    const struct gs_model m = {"M/H2/1 0.6", 1,    1, {{0.6, {.p = {0.9, 0.1}, .m = {0.5, 5.5}}}},
                               NULL,         NULL, 0, 160000};
    const struct gs_figure f[] = {{"jobs.wait.mean", gs_wait_mg1(&m.cls[0]), 0},
                                  {"jobs.jct.mean", gs_wait_mg1(&m.cls[0]) + 1, 0}};
    gs_model_check(&m, f, COUNT(f));
}

static void mmcc(void)
{
    ONLY_RELEASE();
    const struct gs_model m = {"M/M/10/10 a=8", 10, 1, {{8, EXPONENTIAL(1)}}, NULL, NULL, 1, 0};
    const double lost = gs_erlang_b(10, 8);
    const struct gs_figure f[] = {{"jobs.rejected", lost, 0},
                                  {"gpu.allocation", 0.8 * (1 - lost), 0},
                                  {"jobs.jct.mean", 1, 0}};
    gs_model_check(&m, f, COUNT(f));
}

static void priority(void)
{
    ONLY_RELEASE();
    const struct gs_model m = {"M/G/1 two priorities",
                               1,
                               2,
                               {{0.3, EXPONENTIAL(0.5)}, {0.3, EXPONENTIAL(1.5)}},
                               "priority",
                               NULL,
                               0,
                               0};
    const struct gs_figure f[] = {{"jobs.wait.mean{queue=first}", gs_wait_priority(&m, 0), 0},
                                  {"jobs.wait.mean{queue=second}", gs_wait_priority(&m, 1), 0}};
    gs_model_check(&m, f, COUNT(f));
}

static void preemptive(void)
{
    ONLY_RELEASE();
    const struct gs_model m = {
        "M/G/1 preemptive", 1,          2, {{0.3, EXPONENTIAL(0.5)}, {0.3, EXPONENTIAL(1.5)}},
        "priority",         "priority", 0, 0};
    const struct gs_figure f[] = {{"jobs.jct.mean{queue=first}", gs_time_preemptive(&m, 0), 0},
                                  {"jobs.jct.mean{queue=second}", gs_time_preemptive(&m, 1), 0}};
    gs_model_check(&m, f, COUNT(f));
}

static void shortest_first(void)
{
    ONLY_RELEASE();
    const struct gs_model m = {"M/M/1 SJF 0.8", 1, 1, {{0.8, EXPONENTIAL(1)}}, "sjf", NULL, 0, 0};
    const struct gs_figure f[] = {{"jobs.wait.mean", gs_wait_sjf_exponential(0.8, 1), 0}};
    gs_model_check(&m, f, COUNT(f));
}

static const struct gs_test tests[] = {
    {"M/M/1", mm1},
    {"M/M/c, 8 servers", mmc_8},
    {"M/M/c, 64 servers", mmc_64},
    {"M/D/1", md1},
    {"M/G/1", mg1},
    {"M/M/c/c", mmcc},
    {"priorities", priority},
    {"preemptive resume", preemptive},
    {"shortest job first", shortest_first},
};
GS_TEST_MAIN("theory/queues", tests)

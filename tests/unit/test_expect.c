/* [expect] lines: what parses, what is refused, what holds - above all where a figure is only known to be larger. */
#include "analysis/expect.h"
#include "harness.h"

#include <math.h>

static void parses(void)
{
    struct gs_expect e;
    CU_ASSERT_EQUAL(gs_expect_parse("jobs.wait.p95{queue=prod, gpus=8..64} <= 30m", &e, NULL),
                    GS_OK);
    GS_EQ_STR(e.expr, "jobs.wait.p95{queue=prod, gpus=8..64}");
    GS_EQ_INT(e.rel, GS_REL_LE);
    GS_NEAR(e.limit, 1800, 0);
    CU_ASSERT_EQUAL(gs_expect_parse("gpu.utilization>=70%", &e, NULL), GS_OK);
    GS_NEAR(e.limit, 0.7, 1e-15);
    CU_ASSERT_EQUAL(gs_expect_parse("jobs.rejected = 0", &e, NULL), GS_OK);
    GS_EQ_INT(e.rel, GS_REL_EQ);
    CU_ASSERT_EQUAL(gs_expect_parse("jobs.failed != 3", &e, NULL), GS_OK);
    GS_EQ_INT(e.rel, GS_REL_NE);
    CU_ASSERT_EQUAL(gs_expect_parse("digest = 0x1f", &e, NULL), GS_OK);
    GS_EQ_INT(e.digest, 31);
    CU_ASSERT_EQUAL(gs_expect_parse("verdict = stable", &e, NULL), GS_OK);
    GS_NEAR(e.limit, GS_VERDICT_STABLE, 0);
    CU_ASSERT_EQUAL(gs_expect_parse("allow = saturated", &e, NULL), GS_OK);
    GS_EQ_INT(e.kind, GS_EXPECT_ALLOW);
}

static void refuses(void)
{
    static const char *const bad[][2] = {
        {"jobs.wait.p95", "is not an expression"}, {"jobs.wait.p59 <= 3m", "did you mean"},
        {"jobs.wait.p95 <= 30", "is not a time"},  {"jobs.rejected <= few", "is not a number"},
        {"verdict = fine", "is not a verdict"},    {"digest = abc", "is not a number"},
        {"digest >= 0x1f", "takes only '='"},      {"allow = everything", "is not 'saturated'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct gs_expect e;
        struct gs_err err = {0};
        CU_ASSERT_EQUAL(gs_expect_parse(bad[i][0], &e, &err), GS_E_INPUT);
        GS_HAS(err.msg, bad[i][1]);
    }
}

static int holds(const char *line, const struct gs_expect_fact *f, const char *says)
{
    struct gs_expect e;
    char why[200] = "";
    CU_ASSERT_EQUAL(gs_expect_parse(line, &e, NULL), GS_OK);
    const int ok = gs_expect_holds(&e, f, why, sizeof why);
    GS_HAS(why, says);
    return ok;
}

static void judges(void)
{
    const struct gs_expect_fact f = {.value = 100, .bound = 100, .samples = 9, .digest = 31};
    GS_EQ_INT(holds("jobs.wait.p95 <= 100s", &f, "100 s"), 1);
    GS_EQ_INT(holds("jobs.wait.p95 < 100s", &f, "100 s"), 0);
    GS_EQ_INT(holds("jobs.wait.p95 > 99s", &f, ""), 1);
    GS_EQ_INT(holds("jobs.completed = 100", &f, "100"), 1);
    GS_EQ_INT(holds("jobs.completed != 100", &f, "100"), 0);
    GS_EQ_INT(holds("digest = 31", &f, "0x000000000000001f"), 1);
    GS_EQ_INT(holds("digest = 32", &f, "0x000000000000001f"), 0);
}

static void what_is_only_known_to_be_larger(void)
{
    const struct gs_expect_fact none = {.value = (double)NAN, .bound = (double)NAN};
    GS_EQ_INT(holds("jobs.wait.p95 <= 1h", &none, "no samples"), 0);
    GS_EQ_INT(holds("jobs.wait.p95 >= 0s", &none, "no samples"), 0);
    const struct gs_expect_fact inf = {
        .value = (double)INFINITY, .bound = 60, .samples = 9, .censored = 2};
    GS_EQ_INT(holds("jobs.wait.p95 <= 30d", &inf, "> 60 s"), 0);
    const struct gs_expect_fact mean = {.value = 60, .bound = 60, .samples = 9, .censored = 2};
    GS_EQ_INT(holds("jobs.wait.mean <= 1h", &mean, "only known to be larger"), 0);
    GS_EQ_INT(holds("jobs.wait.mean >= 30s", &mean, ">= 60 s"), 1);
    GS_EQ_INT(holds("jobs.bounded_slowdown.mean <= 100", &mean, "only known to be larger"), 0);
    GS_EQ_INT(holds("jobs.wait.p50 <= 1h", &mean, "60 s"), 1); /* a finite quantile is exact */
}

static void a_saturated_run_misses(void)
{
    struct gs_expect_fact f = {
        .value = 1, .bound = 1, .samples = 9, .verdict = GS_VERDICT_SATURATED};
    GS_EQ_INT(holds("jobs.wait.p95 <= 1h", &f, "the run is saturated"), 0);
    f.allow_saturated = 1;
    GS_EQ_INT(holds("jobs.wait.p95 <= 1h", &f, "1 s"), 1);
    f.allow_saturated = 0;
    f.value = GS_VERDICT_SATURATED;
    GS_EQ_INT(holds("verdict = saturated", &f, "saturated"), 1);
    GS_EQ_INT(holds("verdict <= transient", &f, "saturated"), 0);
}

static const struct gs_test tests[] = {
    {"parses", parses},
    {"refuses", refuses},
    {"judges", judges},
    {"what is only known to be larger", what_is_only_known_to_be_larger},
    {"a saturated run misses", a_saturated_run_misses},
};
GS_TEST_MAIN("analysis/expect", tests)

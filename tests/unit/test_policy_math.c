/* The modules' log, exp and pow: below one ulp of the truth, and equal to the simulator's own bit for bit. */
#include "gsim/policy.h"

#include "sim/base/fmath.h"
#include "sim/base/rng.h"
#include "tests/unit/harness.h"

#include <float.h>
#include <math.h>

#define INF          ((double)INFINITY)
#define NOT_A_NUMBER ((double)NAN)

enum {
    POINTS = 1000000
};

/* A number in [0, 1), the same for the same i. */
static double draw(uint32_t i)
{
    return (double)(gs_mix64(i, 77) >> 11) * 0x1p-53;
}

/* |got - want| in units of the last place of the double nearest to want. */
static double ulps(double got, long double want)
{
    const double near = (double)want;
    const double ulp = nextafter(fabs(near), INF) - fabs(near);
    return (double)(fabsl((long double)got - want) / (long double)ulp);
}

static void log_is_within_one_ulp(void)
{
    double worst = 0;
    for (uint32_t i = 0; i < POINTS; i++) {
        const double x = ldexp(1.0 + draw(i), (int)(i % 2000) - 1000);
        const double e = ulps(gsp_log(x), logl((long double)x));
        worst = e > worst ? e : worst;
    }
    GS_NEAR(worst, 0.0, 1.0);
}

static void exp_is_within_one_ulp(void)
{
    double worst = 0;
    for (uint32_t i = 0; i < POINTS; i++) {
        const double x = 1400.0 * draw(i) - 700.0;
        const double e = ulps(gsp_exp(x), expl((long double)x));
        worst = e > worst ? e : worst;
    }
    GS_NEAR(worst, 0.0, 1.0);
}

static void error_of_pow_grows_with_its_exponent(void)
{
    /* exp(y log x): the errors of log and product are multiplied by |y log x|, and an ulp may be half as large relatively */
    double worst = 0;
    for (uint32_t i = 0; i < POINTS; i++) {
        const double x = 0.01 + 100.0 * draw(i);
        const double y = 20.0 * draw(i + POINTS) - 10.0;
        const long double truth = powl((long double)x, (long double)y);
        const double e = ulps(gsp_pow(x, y), truth) / (2.0 + 3.0 * fabs(y * log(x)));
        worst = e > worst ? e : worst;
    }
    GS_NEAR(worst, 0.0, 1.0);
}

static void equal_to_the_simulator(void)
{
    static const double edge[] = {0.0,
                                  -0.0,
                                  1.0,
                                  -1.0,
                                  0.5,
                                  DBL_MAX,
                                  DBL_MIN,
                                  DBL_TRUE_MIN,
                                  709.78271,
                                  709.7828,
                                  -708.4,
                                  -745.13,
                                  -745.2,
                                  -746.0,
                                  1e-300,
                                  INF,
                                  -INF,
                                  1e300,
                                  0x1.6a09e667f3bcdp0,
                                  0x1.6a09e667f3bccp0};
    uint32_t differ = 0;
    for (size_t i = 0; i < sizeof edge / sizeof edge[0]; i++) {
        GS_EQ_BITS(gsp_log(edge[i]), gs_log(edge[i]));
        GS_EQ_BITS(gsp_exp(edge[i]), gs_exp(edge[i]));
        GS_EQ_BITS(gsp_pow(edge[i], 2.5), gs_pow(edge[i], 2.5));
        GS_EQ_BITS(gsp_pow(1.5, edge[i]), gs_pow(1.5, edge[i]));
    }
    for (uint32_t i = 0; i < POINTS; i++) {
        const double u = draw(i), x = ldexp(1.0 + u, (int)(i % 2100) - 1050);
        const double y = 1500.0 * u - 750.0;
        const double a[3] = {gsp_log(x), gsp_exp(y), gsp_pow(x, u)};
        const double b[3] = {gs_log(x), gs_exp(y), gs_pow(x, u)};
        differ += memcmp(a, b, sizeof a) != 0;
    }
    GS_EQ_INT(differ, 0);
}

static void special_values(void)
{
    CU_ASSERT(isnan(gsp_log(-1)));
    CU_ASSERT(isnan(gsp_log(NOT_A_NUMBER)));
    CU_ASSERT(isnan(gsp_exp(NOT_A_NUMBER)));
    GS_EQ_BITS(gsp_log(0), -INF);
    GS_EQ_BITS(gsp_log(1), 0.0);
    GS_EQ_BITS(gsp_exp(0), 1.0);
    GS_EQ_BITS(gsp_exp(1000), INF);
    GS_EQ_BITS(gsp_exp(-1000), 0.0);
    GS_EQ_BITS(gsp_exp2(0), 1.0);
    GS_EQ_BITS(gsp_pow(0, 0), 1.0);
    GS_EQ_BITS(gsp_pow(0, 2), 0.0);
    GS_EQ_BITS(gsp_pow(0, -2), INF);
    GS_NEAR(gsp_exp2(-1), 0.5, 1e-16);
}

static const struct gs_test tests[] = {
    {"log is within one ulp", log_is_within_one_ulp},
    {"exp is within one ulp", exp_is_within_one_ulp},
    {"error of pow grows with its exponent", error_of_pow_grows_with_its_exponent},
    {"equal to the simulator bit for bit", equal_to_the_simulator},
    {"special values", special_values},
};
GS_TEST_MAIN("policies/policy_math", tests)

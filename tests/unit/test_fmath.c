/* test_fmath.c - own elementary functions: accuracy against long double libm and GSL, and fixed
 * bits.
 *
 * The tables of bits are what makes a miscompiled or contracted build show: they hold for every
 * compiler and option. */
#include "sim/base/attr.h"
#include "sim/base/fmath.h"
#include "sim/base/rng.h"
#include "tests/unit/harness.h"

#include <gsl/gsl_cdf.h>

#include <math.h>

static double ulps(double got, long double want)
{
    int e = 0;
    (void)frexpl(want, &e);
    return (double)fabsl(((long double)got - want) / ldexpl(1, e - 53));
}

static void log_is_within_one_ulp(void)
{
    struct gs_stream s;
    gs_stream_init(&s, 1, GS_RNG_TEST, 0, 1);
    double worst = 0;
    for (int i = 0; i < 400000; i++) {
        const double u = gs_open(&s);
        const double x = i % 2 ? u * 4 : ldexp(u, (int)gs_below(&s, 2000) - 1000);
        worst = fmax(worst, ulps(gs_log(x), logl((long double)x)));
    }
    CU_ASSERT(worst < 1);
}

static void exp_is_within_one_ulp(void)
{
    struct gs_stream s;
    gs_stream_init(&s, 1, GS_RNG_TEST, 0, 2);
    double worst = 0;
    for (int i = 0; i < 400000; i++) {
        const double u = gs_open(&s) - 0.5;
        const double x = i % 2 ? u * 2 : u * 1400;
        worst = fmax(worst, ulps(gs_exp(x), expl((long double)x)));
    }
    CU_ASSERT(worst < 1);
}

static void the_bits_are_fixed(void)
{
    static const struct {
        double (*f)(double);
        double x, y;
    } table[] = {
        {gs_log, 0.1, -0x1.26bb1bbb55515p+1},
        {gs_log, 0.75, -0x1.269621134db92p-2},
        {gs_log, 2, 0x1.62e42fefa39efp-1},
        {gs_log, 10, 0x1.26bb1bbb55516p+1},
        {gs_log, 1e-310, -0x1.64e69394d9508p+9},
        {gs_log, 123456.789, 0x1.77281cad8a844p+3},
        {gs_log, 1e300, 0x1.5963447f87fb5p+9},
        {gs_log, 1, 0},
        {gs_exp, -1, 0x1.78b56362cef38p-2},
        {gs_exp, 0, 1},
        {gs_exp, 0.5, 0x1.a61298e1e069cp+0},
        {gs_exp, 1, 0x1.5bf0a8b14576ap+1},
        {gs_exp, 20.25, 0x1.290d76d1966a9p+29},
        {gs_exp, -700, 0x1.14f2b0fb9307fp-1010},
        {gs_exp, 709.5, 0x1.81e9b4b52d0c9p+1023},
        {gs_exp, -740, 0x0.0000000000055p-1022},
        {gs_exp, 1e-5, 0x1.0000a7c5e340ep+0},
        {gs_norm_inv, 1e-10, -0x1.97203597a2154p+2},
        {gs_norm_inv, 0.025, -0x1.f5c0331eeff83p+0},
        {gs_norm_inv, 0.3, -0x1.0c7e39582c5fap-1},
        {gs_norm_inv, 0.5, 0},
        {gs_norm_inv, 0.975, 0x1.f5c0331eeff82p+0},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        GS_EQ_BITS(table[i].f(table[i].x), table[i].y);
    GS_EQ_BITS(gs_pow(2, 0.5), 0x1.6a09e667f3bccp+0);
    GS_EQ_BITS(gs_pow(10, -3), 0x1.0624dd2f1a9f9p-10);
    GS_EQ_BITS(gs_pow(1.7, 33), 0x1.331e108e32e36p+25);
    GS_EQ_BITS(gs_t_inv(0.975, 1), 0x1.96993aacc4d2p+3);
    GS_EQ_BITS(gs_t_inv(0.975, 9), 0x1.218e5dac50b23p+1);
    GS_EQ_BITS(gs_t_inv(0.9995, 19), 0x1.f1137166fd35ap+1);
}

static void ends_of_the_ranges(void)
{
    const double inf = (double)INFINITY;
    GS_EQ_BITS(gs_log(0), -inf);
    GS_EQ_BITS(gs_log(inf), inf);
    CU_ASSERT(isnan(gs_log(-1)) && isnan(gs_log((double)NAN)));
    GS_EQ_BITS(gs_exp(710), inf);
    GS_EQ_BITS(gs_exp(inf), inf);
    GS_EQ_BITS(gs_exp(-746), 0);
    GS_EQ_BITS(gs_exp(-inf), 0);
    CU_ASSERT(isnan(gs_exp((double)NAN)));
    GS_EQ_BITS(gs_pow(0, 0), 1);
    GS_EQ_BITS(gs_pow(0, 2), 0);
    GS_EQ_BITS(gs_pow(0, -2), inf);
    GS_EQ_BITS(gs_pow(1, 1e300), 1);
    GS_EQ_BITS(gs_pow(7, 0), 1);
    CU_ASSERT(isnan(gs_pow(-1, 2)));
    GS_EQ_BITS(gs_norm_inv(0), -inf);
    GS_EQ_BITS(gs_norm_inv(1), inf);
    CU_ASSERT(isnan(gs_norm_inv(1.5)));
    GS_EQ_BITS(gs_t_inv(0.5, 3), 0);
    GS_EQ_BITS(gs_t_inv(1, 3), inf);
    GS_EQ_BITS(gs_t_inv(0, 3), -inf);
    CU_ASSERT(isnan(gs_t_inv(-0.1, 3)));
    CU_ASSERT(isfinite(gs_t_inv(1e-300, 1)));
}

static void normal_quantiles_agree_with_gsl(void)
{
    struct gs_stream s;
    gs_stream_init(&s, 1, GS_RNG_TEST, 0, 3);
    for (int i = 0; i < 20000; i++) {
        const double p = i % 2 ? gs_open(&s) : ldexp(gs_open(&s), -(int)gs_below(&s, 900));
        const double want = gsl_cdf_ugaussian_Pinv(p);
        GS_NEAR(gs_norm_inv(p), want, 1e-14 + fabs(want) * 3e-15);
    }
}

static void t_quantiles_agree_with_gsl(void)
{
    static const uint32_t dfs[] = {1,  2,  3,  4,   5,    9,      10,     19,      31,
                                   63, 64, 65, 199, 1000, 100000, 100001, 10000000};
    static const double ps[] = {1e-6, 0.0005, 0.005, 0.025, 0.1,   0.24, 0.26,  0.4,   0.4999,
                                0.6,  0.75,   0.9,   0.95,  0.975, 0.99, 0.995, 0.9995};
    for (size_t i = 0; i < sizeof dfs / sizeof *dfs; i++) {
        for (size_t k = 0; k < sizeof ps / sizeof *ps; k++) {
            const double want = gsl_cdf_tdist_Pinv(ps[k], dfs[i]);
            GS_NEAR(gs_t_inv(ps[k], dfs[i]), want, fabs(want) * 1e-9);
        }
    }
    GS_NEAR(gs_t_inv(0.975, UINT32_MAX), gs_norm_inv(0.975), 1e-8);
}

static void floor_and_rint(void)
{
    static const struct {
        double x, down, even;
    } table[] = {{0, 0, 0},
                 {0.5, 0, 0},
                 {1.5, 1, 2},
                 {2.5, 2, 2},
                 {-0.5, -1, 0},
                 {-1.5, -2, -2},
                 {-2.25, -3, -2},
                 {7, 7, 7},
                 {0x1p52, 0x1p52, 0x1p52},
                 {0x1.8p60, 0x1.8p60, 0x1.8p60},
                 {4503599627370495.5, 4503599627370495.0, 4503599627370496.0}};

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        GS_EQ_BITS(gs_floor(table[i].x), table[i].down);
        GS_EQ_BITS(gs_rint_even(table[i].x), table[i].even);
    }
}

static void seconds_to_nanoseconds(void)
{
    static const struct {
        double s;
        int64_t ns;
    } table[] = {{0, 0},
                 {1, GS_SECOND},
                 {1e-10, 1}, /* work that is not zero takes time */
                 {1.5e-9, 2},
                 {2.5e-9, 2},
                 {-2, -2 * GS_SECOND},
                 {1e300, INT64_MAX},
                 {-1e300, INT64_MIN},
                 {9223372036.0, INT64_C(9223372036000000000)}};

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        GS_EQ_INT(gs_ns(table[i].s), table[i].ns);
}

static const struct gs_test tests[] = {
    {"log accuracy", log_is_within_one_ulp},
    {"exp accuracy", exp_is_within_one_ulp},
    {"fixed bits", the_bits_are_fixed},
    {"ends of the ranges", ends_of_the_ranges},
    {"normal quantiles", normal_quantiles_agree_with_gsl},
    {"t quantiles", t_quantiles_agree_with_gsl},
    {"floor and rint", floor_and_rint},
    {"seconds to ns", seconds_to_nanoseconds},
};
GS_TEST_MAIN("base/fmath", tests)

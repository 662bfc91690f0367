/* policy_math.h - log, exp, pow for modules, from + - x / only: the same bits on every machine. Inline; included by policy.h.
 *
 * The twins of gs_log, gs_exp and gs_pow (sim/base/fmath), equal to them bit for bit (tests/unit/test_policy_math); a module may not link those.
 *   log  x = m 2^e with m in [sqrt(1/2), sqrt 2); f = m - 1, s = f / (2 + f); log m = f - s (f - r), r = sum over k = 1..12 of 2/(2k+1) s^2k.
 *   exp  x = k ln 2 + r, |r| <= ln 2 / 2, a Taylor polynomial of degree 14 in r, then 2^k through the exponent bits.
 * ln 2 is split in two, so that k times its high part is exact. Errors stay below 1 ulp. */
#ifndef GSIM_POLICY_MATH_H
#define GSIM_POLICY_MATH_H

#include <stdint.h>

union gsp_bits_ {
    double d;
    uint64_t u;
};

#define GSP_LN2_HI_ 0x1.62e42feep-1
#define GSP_LN2_LO_ 0x1.a39ef35793c76p-33

static inline double gsp_from_bits_(uint64_t u)
{
    union gsp_bits_ b;
    b.u = u;
    return b.d;
}

static inline double gsp_inf_(void)
{
    return gsp_from_bits_(UINT64_C(0x7ff0000000000000));
}

static inline double gsp_nan_(void)
{
    return gsp_from_bits_(UINT64_C(0x7ff8000000000000));
}

static inline double gsp_pow2_(int e) /* 2^e, -1022 <= e <= 1023 */
{
    return gsp_from_bits_((uint64_t)(e + 1023) << 52);
}

/* sum over i of c[i] x^i */
static inline double gsp_polynomial_(const double *c, int degree, double x)
{
    double p = c[degree];
    int i;
    for (i = degree - 1; i >= 0; i--)
        p = p * x + c[i];
    return p;
}

/* log 0 = -inf, log of a negative number = NaN. */
static inline double gsp_log(double x)
{
    static const double c[12] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13,
                                 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23, 2.0 / 25};
    union gsp_bits_ b;
    double m, f, s, z, r;
    int e = 0;
    if (!(x > 0))
        return x < 0 || x != x ? gsp_nan_() : -gsp_inf_();
    if (x - x != 0) /* infinite */
        return x;
    if (x < 0x1p-1022) { /* subnormal */
        x *= 0x1p54;
        e = -54;
    }
    b.d = x;
    e += (int)(b.u >> 52) - 1023;
    m = gsp_from_bits_((b.u & UINT64_C(0xfffffffffffff)) | UINT64_C(1023) << 52);
    if (m >= 0x1.6a09e667f3bcdp0) { /* sqrt 2 */
        m *= 0.5;
        e++;
    }
    f = m - 1;
    s = f / (2 + f);
    z = s * s;
    r = z * gsp_polynomial_(c, 11, z);
    return e * GSP_LN2_HI_ - ((s * (f - r) - e * GSP_LN2_LO_) - f);
}

/* Overflow = +inf, underflow = 0. */
static inline double gsp_exp(double x)
{
    static const double c[13] = {
        1.0 / 2,         1.0 / 6,          1.0 / 24,         1.0 / 120,     1.0 / 720,
        1.0 / 5040,      1.0 / 40320,      1.0 / 362880,     1.0 / 3628800, 1.0 / 39916800,
        1.0 / 479001600, 1.0 / 6227020800, 1.0 / 87178291200};
    double t, k, hi, lo, r, p;
    int n;
    if (x != x)
        return x;
    if (x > 0x1.62e42fefa39efp9)
        return gsp_inf_();
    if (x < -745.2)
        return 0;
    t = x * 0x1.71547652b82fep0 + 0.5; /* k = floor t; |t| < 1076 */
    n = (int)t;
    if ((double)n > t)
        n--;
    k = n;
    hi = x - k * GSP_LN2_HI_;
    lo = k * GSP_LN2_LO_;
    r = hi - lo;
    /* 1 + r + r^2 (...), the small terms first: the last addition rounds nearly alone */
    p = 1 + (hi + (r * r * gsp_polynomial_(c, 12, r) - lo));
    if (n > 1023)
        return p * gsp_pow2_(1023) * 2;
    if (n < -1022)
        return p * gsp_pow2_(n + 60) * 0x1p-60; /* one rounding, in the last step */
    return p * gsp_pow2_(n);
}

/* x >= 0; pow(x, 0) = 1. The relative error grows with |y log x|. */
static inline double gsp_pow(double x, double y)
{
    if (x != x || y != y || x < 0)
        return gsp_nan_();
    if (!(y > 0) && !(y < 0))
        return 1;
    if (!(x < 1) && !(x > 1))
        return 1;
    if (!(x > 0))
        return y > 0 ? 0 : gsp_inf_();
    return gsp_exp(y * gsp_log(x));
}

static inline double gsp_exp2(double x)
{
    return gsp_exp(x * 0x1.62e42fefa39efp-1);
}

#endif

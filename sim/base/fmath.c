/* fmath.c - elementary functions whose bits are the same everywhere.
 *
 * Every operation used here (+ - x / sqrt, conversions, bit patterns) is exact or correctly rounded
 * by IEEE 754, so the result depends on the order of operations in this file and on nothing else.
 * Build without contraction and fast-math.
 *
 * log    x = m 2^e with m in [sqrt(1/2), sqrt 2). With f = m-1 and s = f/(2+f), log m = 2 atanh s
 *        = f - s (f - r), r = sum over k=1..12 of 2/(2k+1) s^2k. ln 2 is split so that e times its
 *        high part is exact.
 * exp    x = k ln 2 + r, |r| <= ln 2 / 2; a degree-14 Taylor polynomial in r, then 2^k through the
 *        exponent bits.
 * normal quantile: Wichura's algorithm AS 241 (Applied Statistics 37, 1988), routine PPND16, about
 *        1e-16 relative.
 * t quantile: Newton on the logarithm of the tail (or of the mass around 0) in log t; both are
 *        concave there, so it converges from the normal quantile without brackets. The incomplete
 *        beta function is the continued fraction DLMF 8.17.22 by Lentz's method, the quotient
 *        Gamma(v/2+1/2)/Gamma(v/2) its asymptotic series (DLMF 5.11.13) after raising v. Beyond 10^5
 *        degrees, where the fraction cancels, the expansion around the normal quantile (Abramowitz
 *        and Stegun 26.7.5) takes over. */
#include "sim/base/fmath.h"

#include "sim/base/attr.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

#define LN2_HI 0x1.62e42feep-1
#define LN2_LO 0x1.a39ef35793c76p-33
#define TWO52  0x1p52

/* The smallest tail told apart: t is then 3e99 with one degree of freedom, its square a double. */
#define T_TAIL_MIN 1e-100

static uint64_t bits_of(double x)
{
    uint64_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

static double from_bits(uint64_t b)
{
    double x;
    memcpy(&x, &b, sizeof x);
    return x;
}

/* 2^k for -1022 <= k <= 1023. */
static double power_of_two(int k)
{
    return from_bits((uint64_t)(1023 + k) << 52);
}

static double polynomial(const double *c, int degree, double x)
{
    double p = c[degree];
    for (int i = degree - 1; i >= 0; i--)
        p = p * x + c[i];
    return p;
}

double gs_log(double x)
{
    static const double c[12] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13,
                                 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23, 2.0 / 25};
    if (!(x > 0))
        return x < 0 || x != x ? (double)NAN : -(double)INFINITY;
    if (x - x != 0)
        return x;
    int e = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        e = -54;
    }
    uint64_t b = bits_of(x);
    e += (int)(b >> 52) - 1023;
    b = (b & UINT64_C(0xfffffffffffff)) | UINT64_C(1023) << 52;
    double m = from_bits(b);
    if (m >= 0x1.6a09e667f3bcdp0) { /* sqrt 2 */
        m *= 0.5;
        e++;
    }
    const double f = m - 1;
    const double s = f / (2 + f);
    const double z = s * s;
    const double r = z * polynomial(c, 11, z);
    return e * LN2_HI - ((s * (f - r) - e * LN2_LO) - f);
}

double gs_exp(double x)
{
    static const double c[13] = {
        1.0 / 2,         1.0 / 6,          1.0 / 24,         1.0 / 120,     1.0 / 720,
        1.0 / 5040,      1.0 / 40320,      1.0 / 362880,     1.0 / 3628800, 1.0 / 39916800,
        1.0 / 479001600, 1.0 / 6227020800, 1.0 / 87178291200};
    if (x != x)
        return x;
    if (x > 0x1.62e42fefa39efp9)
        return (double)INFINITY;
    if (x < -745.2)
        return 0;
    const double k = gs_floor(x * 0x1.71547652b82fep0 + 0.5);
    const double hi = x - k * LN2_HI;
    const double lo = k * LN2_LO;
    const double r = hi - lo;
    /* 1 + r + r^2 (...) with the small terms added first: the last addition rounds nearly alone */
    const double p = 1 + (hi + (r * r * polynomial(c, 12, r) - lo));
    const int n = (int)k;
    if (n > 1023)
        return p * power_of_two(1023) * 2;
    if (n < -1022)
        return p * power_of_two(n + 60) * 0x1p-60; /* one rounding, in the last step */
    return p * power_of_two(n);
}

double gs_pow(double x, double y)
{
    if (x != x || y != y || x < 0)
        return (double)NAN;
    if (!(y > 0) && !(y < 0))
        return 1;
    if (!(x < 1) && !(x > 1))
        return 1;
    if (!(x > 0))
        return y > 0 ? 0 : (double)INFINITY;
    return gs_exp(y * gs_log(x));
}

/* The three pairs of rational approximations of AS 241: centre, middle, far tail. */
static const double ppnd_num[3][8] = {
    {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
     1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
     3.3430575583588128105e4, 2.5090809287301226727e3},
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
     3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
     2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7}};
static const double ppnd_den[3][8] = {
    {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
     2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
     5.2264952788528545610e3},
    {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15}};

static double ppnd(int piece, double r)
{
    return polynomial(ppnd_num[piece], 7, r) / polynomial(ppnd_den[piece], 7, r);
}

double gs_norm_inv(double p)
{
    if (!(p >= 0 && p <= 1))
        return (double)NAN;
    const double q = p - 0.5;
    if (q >= -0.425 && q <= 0.425)
        return q * ppnd(0, 0.180625 - q * q);
    const double tail = q < 0 ? p : 1 - p;
    if (!(tail > 0))
        return q < 0 ? -(double)INFINITY : (double)INFINITY;
    const double r = sqrt(-gs_log(tail));
    const double x = r <= 5 ? ppnd(1, r - 1.6) : ppnd(2, r - 5);
    return q < 0 ? -x : x;
}

/* log(1+x) for x > -1 without losing small x: the error of 1+x is undone by the quotient. */
static double log_1p(double x)
{
    const double u = 1 + x;
    if (!(u > 1) && !(u < 1))
        return x;
    if (u - u != 0)
        return u;
    return gs_log(u) * (x / (u - 1));
}

/* Gamma(v/2 + 1/2) / (Gamma(v/2) sqrt(pi)): 1/B(v/2, 1/2). */
static double inverse_beta_half(double v)
{
    double lowered = 1;
    while (v < 64) { /* g(v) = g(v+2) v/(v+1) */
        lowered *= v / (v + 1);
        v += 2;
    }
    static const double c[8] = {
        1.0,           -1.0 / 8,        1.0 / 128,       5.0 / 1024,
        -21.0 / 32768, -399.0 / 262144, 869.0 / 4194304, 39325.0 / 33554432};
    const double z = v / 2;
    return lowered * sqrt(z) * polynomial(c, 7, 1 / z) * 0.564189583547756286948;
}

/* The continued fraction of the incomplete beta function: I_x(a,b) = x^a (1-x)^b / (a B(a,b)) times
 * this. Converges fast for x < (a+1)/(a+b+2). */
static double beta_fraction(double x, double a, double b)
{
    double c = 1;
    double d = 1 / (1 - (a + b) * x / (a + 1));
    double h = d;
    for (int m = 1; m <= 20000; m++) {
        const double am = a + 2 * m;
        const double even = m * (b - m) * x / ((am - 1) * am);
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        h *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / (am * (am + 1));
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        const double change = d * c;
        h *= change;
        if (change > 1 - 1e-15 && change < 1 + 1e-15)
            break;
    }
    return h;
}

struct t_law {
    double v;        /* degrees of freedom */
    double inv_beta; /* 1 / B(v/2, 1/2) */
};

/* (1 + t^2/v)^-((v+1)/2) / B(1/2, v/2) = density(t) sqrt(v) */
static double t_kernel(const struct t_law *law, double t)
{
    return gs_exp(-(law->v + 1) / 2 * log_1p(t * t / law->v)) * law->inv_beta;
}

/* P(0 < T < t), for t not far out. */
static double t_centre(const struct t_law *law, double t)
{
    const double v = law->v;
    const double y = t * t / (v + t * t);
    /* y^(1/2) (1-y)^(v/2) / (1/2 B) / 2, with (1-y)^(v/2) = kernel / (1-y)^(1/2) */
    return t_kernel(law, t) * (t / sqrt(v)) * beta_fraction(y, 0.5, v / 2);
}

/* P(T > t), t > 0. */
static double t_tail(const struct t_law *law, double t)
{
    const double v = law->v;
    const double ratio = t * t / v;
    const double x = 1 / (1 + ratio);
    if (x >= (v / 2 + 1) / (v / 2 + 2.5))
        return 0.5 - t_centre(law, t);
    /* x^(v/2) (1-x)^(1/2) / (v/2 B) / 2, with x^(v/2) (1-x)^(1/2) = kernel t / sqrt v */
    return t_kernel(law, t) * (t / sqrt(v)) * beta_fraction(x, v / 2, 0.5) / v;
}

/* The t quantile for many degrees of freedom from the normal one. */
static double t_from_normal(double z, double v)
{
    const double y = z * z;
    const double g1 = (y + 1) * z / 4;
    const double g2 = ((5 * y + 16) * y + 3) * z / 96;
    const double g3 = (((3 * y + 19) * y + 17) * y - 15) * z / 384;
    return z + ((g3 / v + g2) / v + g1) / v;
}

double gs_t_inv(double p, uint32_t df)
{
    gs_require(df >= 1);
    if (!(p > 0 && p < 1)) {
        if (p != p || p < 0 || p > 1)
            return (double)NAN;
        return p > 0.5 ? (double)INFINITY : -(double)INFINITY;
    }
    const double from_middle = p < 0.5 ? 0.5 - p : p - 0.5;
    double tail = p < 0.5 ? p : 1 - p;
    if (!(from_middle > 0))
        return 0;
    if (tail < T_TAIL_MIN)
        tail = T_TAIL_MIN;
    if (df > 100000)
        return t_from_normal(gs_norm_inv(p), df);
    const struct t_law law = {df, inverse_beta_half(df)};
    const int centre = from_middle < 0.25;
    const double target = centre ? from_middle : tail;
    double t = gs_norm_inv(1 - tail > 0.999 ? 0.999 : 0.5 + from_middle);
    for (int i = 0; i < 200; i++) {
        const double got = centre ? t_centre(&law, t) : t_tail(&law, t);
        const double slope = t * t_kernel(&law, t) / (sqrt(law.v) * got); /* of log got in log t */
        const double step = gs_log(target / got) / (centre ? slope : -slope);
        t *= gs_exp(step);
        if (step > -1e-14 && step < 1e-14)
            break;
    }
    return p < 0.5 ? -t : t;
}

double gs_floor(double x)
{
    if (!(x > -TWO52 && x < TWO52))
        return x;
    const double whole = (double)(int64_t)x; /* towards zero */
    return whole > x ? whole - 1 : whole;
}

double gs_rint_even(double x)
{
    if (!(x > -TWO52 && x < TWO52))
        return x;
    /* at 2^52 the last bit is worth 1, so the addition itself rounds half to even */
    return x < 0 ? (x - TWO52) + TWO52 : (x + TWO52) - TWO52;
}

int64_t gs_ns(double seconds)
{
    gs_require(seconds == seconds);
    if (seconds > 0 && seconds < 1e-9)
        return 1;
    const double ns = gs_rint_even(seconds * 1e9);
    if (ns >= 0x1p63)
        return INT64_MAX;
    if (ns < -0x1p63)
        return INT64_MIN;
    return (int64_t)ns;
}

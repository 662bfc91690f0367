/* fmath.h - log, exp, pow and friends from + - x / sqrt only, so that every compiler, option and CPU gives the same bits
 * (glibc picks other kernels on other CPUs). log: atanh series, error < 1 ulp; exp: degree-14 polynomial, < 1 ulp.
 * Anything that decides an event time, a decision or a stored figure uses these, never libm. */
#ifndef GS_BASE_FMATH_H
#define GS_BASE_FMATH_H

#include <stdint.h>

double gs_log(double x);           /* x > 0; log 0 = -inf, x < 0 or NaN = NaN */
double gs_exp(double x);           /* overflow = +inf, underflow = 0 */
double gs_pow(double x, double y); /* exp(y log x), x >= 0; pow(0,0) = 1 */
double gs_norm_inv(double p); /* standard normal quantile, 0 < p < 1: Wichura's AS 241 (PPND16) */
double gs_t_inv(
    double p,
    uint32_t
        df); /* Student t quantile, 0 < p < 1, df >= 1; relative error < 1e-9; tails count as >= 1e-100 */
double gs_floor(double x);
double gs_rint_even(double x); /* round half to even, |x| < 2^62 */
int64_t
gs_ns(double seconds); /* round half even to ns, saturating; 0 < s < 1e-9 is lifted to 1 ns */

#endif

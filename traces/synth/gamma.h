/* gamma.h - the gamma function and the gamma distribution's quantile, from fmath only. */
#ifndef GS_TRACES_SYNTH_GAMMA_H
#define GS_TRACES_SYNTH_GAMMA_H

double gs_ln_gamma(double a); /* a > 0; relative error about 1e-15 */

/* Gamma(shape, scale 1). */
struct gs_gamma {
    double shape, ln_gamma;
};
struct gs_gamma gs_gamma_of(double shape); /* gs_require(shape > 0) */
/* The regularized lower incomplete gamma function P(shape, x), x >= 0. */
double gs_gamma_cdf(const struct gs_gamma *g, double x);
/* x with P(shape, x) = u, 0 < u < 1; relative error about 1e-12, up to 1e-9 for a shape of 10^6. */
double gs_gamma_quantile(const struct gs_gamma *g, double u);

#endif

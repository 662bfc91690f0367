/* exact.h - sums that do not depend on luck: 128-bit integers for integrals, Neumaier for doubles in a stated order. */
#ifndef GS_BASE_EXACT_H
#define GS_BASE_EXACT_H

#include <stdint.h>

__extension__ typedef __int128 gs_i128;

/* value * dt summed exactly; units are the caller's (milli-GPU x ns, jobs x ns, ...). */
struct gs_integral {
    gs_i128 sum;      /* up to `since` */
    int64_t value;    /* current level */
    int64_t since;    /* ns */
    int64_t from, to; /* window: only [from, to) counts */
};

void gs_integral_init(struct gs_integral *i, int64_t from_ns, int64_t to_ns);
void gs_integral_set(struct gs_integral *i, int64_t now_ns,
                     int64_t value);                                 /* time never goes back */
gs_i128 gs_integral_at(const struct gs_integral *i, int64_t now_ns); /* the sum up to now */
double gs_i128_to_double(gs_i128 x, double divisor); /* correctly rounded enough: hi, lo parts */

struct gs_sum {
    double s, c;
};

void gs_sum_add(struct gs_sum *s, double x);
double gs_sum_get(const struct gs_sum *s);

#endif

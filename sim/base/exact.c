/* exact.c - integrals of step functions in 128-bit integers, and compensated sums of doubles.
 *
 * An integral is a sum of level x duration; with levels below 2^63 and times below 2^63 ns it stays
 * below 2^127, so nothing is ever rounded and the result does not depend on how often the level was
 * written. The double sum is Neumaier's variant of Kahan's: it also keeps the low part when the new
 * term is the larger one (ZAMM 54, 1974). */
#include "sim/base/exact.h"

#include "sim/base/attr.h"

#include "sim/base/banned.h"

/* Length of [a, b) inside the window. */
static int64_t counted_ns(const struct gs_integral *i, int64_t a, int64_t b)
{
    const int64_t lo = a > i->from ? a : i->from;
    const int64_t hi = b < i->to ? b : i->to;
    return hi > lo ? hi - lo : 0;
}

void gs_integral_init(struct gs_integral *i, int64_t from_ns, int64_t to_ns)
{
    *i = (struct gs_integral){.since = INT64_MIN, .from = from_ns, .to = to_ns};
}

void gs_integral_set(struct gs_integral *i, int64_t now_ns, int64_t value)
{
    i->sum = gs_integral_at(i, now_ns);
    i->since = now_ns;
    i->value = value;
}

gs_i128 gs_integral_at(const struct gs_integral *i, int64_t now_ns)
{
    gs_require(now_ns >= i->since);
    if (i->value == 0)
        return i->sum;
    return i->sum + (gs_i128)i->value * counted_ns(i, i->since, now_ns);
}

double gs_i128_to_double(gs_i128 x, double divisor)
{
    /* one rounding to the nearest double, one of the division: within 1 ulp of the true quotient */
    return (double)x / divisor;
}

static double magnitude(double x)
{
    return x < 0 ? -x : x;
}

void gs_sum_add(struct gs_sum *s, double x)
{
    const double t = s->s + x;
    if (t - t != 0) { /* infinite: a compensation of inf - inf would make it NaN */
        s->s = t;
        return;
    }
    if (magnitude(s->s) >= magnitude(x))
        s->c += (s->s - t) + x;
    else
        s->c += (x - t) + s->s;
    s->s = t;
}

double gs_sum_get(const struct gs_sum *s)
{
    return s->s + s->c;
}

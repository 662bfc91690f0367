/* spread.h - mean, extremes and percentiles of a stream of numbers from 0 on, in bounded memory.
 *
 * Up to GS_INFO_EXACT numbers are kept and the percentiles are exact; from then on they are counted in bins of equal ratio
 * (the exponent and the first seven bits of the mantissa), whose middle is off by at most 0.4 %. */
#ifndef GS_TRACES_SPREAD_H
#define GS_TRACES_SPREAD_H

#include "sim/base/exact.h"
#include "sim/base/vec.h"
#include "traces/trace.h"

struct gs_spread_of {
    GS_VEC(double) kept;
    uint64_t *bins; /* NULL while all numbers are kept */
    uint64_t n;
    double min, max;
    struct gs_sum sum, squares;
};

void gs_spread_add(struct gs_spread_of *s, double x);
/* Zero if there was no number. Ends the adding. */
struct gs_spread gs_spread_get(struct gs_spread_of *s);
void gs_spread_free(struct gs_spread_of *s);

#endif

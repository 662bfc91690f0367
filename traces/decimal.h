/* decimal.h - decimal text to scaled integers and back, exactly: "18.0" is the integer 18, "0.25" is 250 milli, "5683.069696" is
 * 5,683,069,696,000 ns. No binary floating point on the way, so a written time is read back as it was. */
#ifndef GS_TRACES_DECIMAL_H
#define GS_TRACES_DECIMAL_H

#include "sim/base/buf.h"
#include "sim/base/exact.h"

#include <stdint.h>

enum gs_decimal {
    GS_DECIMAL_OK,
    GS_DECIMAL_INEXACT, /* *out is rounded half to even */
    GS_DECIMAL_TOO_BIG, /* outside int64; *out is not set */
    GS_DECIMAL_NOT_A_NUMBER
};

/* [+-]digits[.digits][e[+-]digits] x 10^scale, 0 <= scale <= 18. */
enum gs_decimal gs_decimal_read(const char *s, int scale, int64_t *out);

/* x / 10^scale, without trailing zeros behind the point: "2.5", "3521082502". */
void gs_decimal_add(struct gs_buf *b, gs_i128 x, int scale);

/* The same with `places` digits behind the point, zeros too: "2.500". x is rounded half to even first. */
void gs_decimal_add_fixed(struct gs_buf *b, gs_i128 x, int scale, int places);
/* x / 10^(from - to), rounded half to even; from >= to. */
gs_i128 gs_decimal_round(gs_i128 x, int from, int to);

/* A number as it is written: *m / 10^*places, 0 <= *places <= 18. Digits that do not fit are cut (INEXACT). */
enum gs_decimal gs_decimal_split(const char *s, int64_t *m, int *places);

#endif

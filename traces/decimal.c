/* decimal.c - decimal text to scaled integers and back.
 *
 * A number is read as m x 10^e with m of at most 19 digits; digits beyond them only matter for rounding, and for that
 * it is enough to know whether one of them is not zero ("sticky", as in floating-point hardware). Then m is multiplied or
 * divided by a power of ten, once. Cost: O(length). */
#include "traces/decimal.h"

#include "sim/base/banned.h"

#define DIGITS_MAX   19 /* 10^19 - 1 fits 64 bits */
#define POWER_MAX    18
#define EXPONENT_MAX 10000 /* larger ones are clamped: the result is 0 or too big all the same */

static const uint64_t power[POWER_MAX + 1] = {UINT64_C(1),
                                              UINT64_C(10),
                                              UINT64_C(100),
                                              UINT64_C(1000),
                                              UINT64_C(10000),
                                              UINT64_C(100000),
                                              UINT64_C(1000000),
                                              UINT64_C(10000000),
                                              UINT64_C(100000000),
                                              UINT64_C(1000000000),
                                              UINT64_C(10000000000),
                                              UINT64_C(100000000000),
                                              UINT64_C(1000000000000),
                                              UINT64_C(10000000000000),
                                              UINT64_C(100000000000000),
                                              UINT64_C(1000000000000000),
                                              UINT64_C(10000000000000000),
                                              UINT64_C(100000000000000000),
                                              UINT64_C(1000000000000000000)};

struct digits {
    uint64_t m;
    int64_t exponent; /* of the last digit in m */
    int kept;         /* digits in m, leading zeros not counted */
    int any, sticky;
};

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *take_digits(const char *s, struct digits *d, int behind_point)
{
    for (; is_digit(*s); s++) {
        d->any = 1;
        if (d->kept == DIGITS_MAX) {
            d->sticky |= *s != '0';
            d->exponent += !behind_point;
            continue;
        }
        d->m = d->m * 10 + (uint64_t)(*s - '0');
        d->kept += d->m > 0;
        d->exponent -= behind_point;
    }
    return s;
}

static const char *take_exponent(const char *s, struct digits *d)
{
    const int negative = *s == '-';
    if (*s == '-' || *s == '+')
        s++;
    int64_t e = 0;
    if (!is_digit(*s))
        return NULL;
    for (; is_digit(*s); s++)
        e = e < EXPONENT_MAX ? e * 10 + (*s - '0') : e;
    d->exponent += negative ? -e : e;
    return s;
}

static enum gs_decimal scale_up(const struct digits *d, int64_t by, int64_t *out)
{
    if (d->m == 0) { /* then no digit was dropped */
        *out = 0;
        return GS_DECIMAL_OK;
    }
    if (by > POWER_MAX || d->m > INT64_MAX / power[by])
        return GS_DECIMAL_TOO_BIG;
    *out = (int64_t)(d->m * power[by]);
    return d->sticky ? GS_DECIMAL_INEXACT : GS_DECIMAL_OK;
}

static enum gs_decimal scale_down(const struct digits *d, int64_t by, int64_t *out)
{
    if (by > POWER_MAX + 1) { /* below half of the last place */
        *out = 0;
        return d->m || d->sticky ? GS_DECIMAL_INEXACT : GS_DECIMAL_OK;
    }
    const uint64_t p = by > POWER_MAX ? 10 * power[POWER_MAX] : power[by];
    const uint64_t rest = d->m % p;
    uint64_t q = d->m / p;
    const int exact = rest == 0 && !d->sticky;
    if (!exact && (rest > p / 2 || (rest == p / 2 && (d->sticky || (q & 1)))))
        q++;
    if (q > INT64_MAX)
        return GS_DECIMAL_TOO_BIG;
    *out = (int64_t)q;
    return exact ? GS_DECIMAL_OK : GS_DECIMAL_INEXACT;
}

enum gs_decimal gs_decimal_read(const char *s, int scale, int64_t *out)
{
    gs_require(scale >= 0 && scale <= 18);
    const int negative = *s == '-';
    if (*s == '-' || *s == '+')
        s++;
    struct digits d = {0};
    s = take_digits(s, &d, 0);
    if (*s == '.')
        s = take_digits(s + 1, &d, 1);
    if (!d.any)
        return GS_DECIMAL_NOT_A_NUMBER;
    if (*s == 'e' || *s == 'E')
        s = take_exponent(s + 1, &d);
    if (!s || *s)
        return GS_DECIMAL_NOT_A_NUMBER;
    const int64_t by = d.exponent + scale;
    const enum gs_decimal rc = by >= 0 ? scale_up(&d, by, out) : scale_down(&d, -by, out);
    if (rc <= GS_DECIMAL_INEXACT && negative)
        *out = -*out;
    return rc;
}

void gs_decimal_add(struct gs_buf *b, gs_i128 x, int scale)
{
    gs_require(scale >= 0 && scale <= 18);
    char text[64];
    size_t at = sizeof text;
    const int negative = x < 0;
    __extension__ unsigned __int128 u = negative ? -(unsigned __int128)x : (unsigned __int128)x;
    int shown = 0; /* a digit behind the point that is not a trailing zero was written */
    for (int place = 0; place <= scale || u > 0; place++) {
        if (place == scale && shown)
            text[--at] = '.';
        const char digit = (char)('0' + (int)(u % 10));
        u /= 10;
        shown |= digit != '0';
        if (place >= scale || shown)
            text[--at] = digit;
    }
    if (negative)
        text[--at] = '-';
    gs_buf_add(b, text + at, sizeof text - at);
}

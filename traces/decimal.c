/* decimal.c - decimal text to scaled integers and back.
 *
 * A number is read as m x 10^e with m of at most 19 digits; digits beyond them only matter for rounding, and for that
 * it is enough to know whether one of them is not zero ("sticky", as in floating-point hardware). Then m is multiplied or
 * divided by a power of ten, once. Cost: O(length). */
#include "traces/decimal.h"

#include <string.h>

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

/* Reads the whole text; NULL behind a fault. */
static const char *take_all(const char *s, struct digits *d, int *negative)
{
    *negative = *s == '-';
    if (*s == '-' || *s == '+')
        s++;
    s = take_digits(s, d, 0);
    if (*s == '.')
        s = take_digits(s + 1, d, 1);
    if (!d->any)
        return NULL;
    if (*s == 'e' || *s == 'E')
        s = take_exponent(s + 1, d);
    return s && !*s ? s : NULL;
}

/* Up to 18 digits without sign, exponent or more places than `scale`: nearly all numbers of traces. 0 = not one of these. */
static int read_plain(const char *s, int scale, int64_t *out)
{
    const char *start = s;
    uint64_t x = 0; /* wraps if there are more digits, and is then not used */
    for (; is_digit(*s); s++)
        x = x * 10 + (uint64_t)(*s - '0');
    if (s == start)
        return 0;
    int places = 0;
    if (*s == '.') {
        for (s++; is_digit(*s) && places < scale; s++, places++)
            x = x * 10 + (uint64_t)(*s - '0');
        while (*s == '0')
            s++;
    }
    if (*s || s - start + scale - places > POWER_MAX)
        return 0;
    *out = (int64_t)(x * (uint64_t)power[scale - places]);
    return 1;
}

enum gs_decimal gs_decimal_read(const char *s, int scale, int64_t *out)
{
    gs_require(scale >= 0 && scale <= 18);
    if (read_plain(s, scale, out))
        return GS_DECIMAL_OK;
    int negative = 0;
    struct digits d = {0};
    if (!take_all(s, &d, &negative))
        return GS_DECIMAL_NOT_A_NUMBER;
    const int64_t by = d.exponent + scale;
    const enum gs_decimal rc = by >= 0 ? scale_up(&d, by, out) : scale_down(&d, -by, out);
    if (rc <= GS_DECIMAL_INEXACT && negative)
        *out = -*out;
    return rc;
}

enum gs_decimal gs_decimal_split(const char *s, int64_t *m, int *places)
{
    int negative = 0;
    struct digits d = {0};
    if (!take_all(s, &d, &negative))
        return GS_DECIMAL_NOT_A_NUMBER;
    *places = 0;
    enum gs_decimal rc = d.sticky ? GS_DECIMAL_INEXACT : GS_DECIMAL_OK;
    if (d.exponent >= 0) {
        rc = scale_up(&d, d.exponent, m);
    } else {
        while (d.exponent < -POWER_MAX || (d.m > INT64_MAX && d.exponent < 0)) {
            rc = d.m % 10 ? GS_DECIMAL_INEXACT : rc;
            d.m /= 10;
            d.exponent = d.m ? d.exponent + 1 : 0;
        }
        if (d.m > INT64_MAX)
            return GS_DECIMAL_TOO_BIG;
        *places = (int)-d.exponent;
        *m = (int64_t)d.m;
    }
    if (rc <= GS_DECIMAL_INEXACT && negative)
        *m = -*m;
    return rc;
}

gs_i128 gs_decimal_round(gs_i128 x, int from, int to)
{
    gs_require(from >= to && from - to <= 2 * POWER_MAX);
    int by = from - to;
    const gs_i128 unit = (gs_i128)power[by > POWER_MAX ? POWER_MAX : by] *
                         (gs_i128)power[by > POWER_MAX ? by - POWER_MAX : 0];
    const gs_i128 half = x < 0 ? -x : x;
    gs_i128 q = half / unit;
    const gs_i128 rest = half % unit;
    if (rest > unit - rest || (rest == unit - rest && (q & 1)))
        q++;
    return x < 0 ? -q : q;
}

void gs_decimal_add_fixed(struct gs_buf *b, gs_i128 x, int scale, int places)
{
    gs_require(scale >= places && places >= 0 && scale <= 36);
    const gs_i128 rounded = gs_decimal_round(x, scale, places);
    const size_t from = b->n;
    gs_decimal_add(b, rounded, places);
    const char *point = memchr(b->s + from, '.', b->n - from);
    int have = point ? (int)(b->s + b->n - point) - 1 : 0;
    if (places && !point)
        gs_buf_str(b, ".");
    for (; have < places; have++)
        gs_buf_str(b, "0");
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

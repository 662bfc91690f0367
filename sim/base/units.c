/* units.c - reading quantities exactly, writing them for people.
 *
 * A number with a unit is read as an integer of up to 22 digits and a power of ten, and multiplied
 * by the unit as integers: 0.1s is 100000000 ns and not a double near it; what is finer than the
 * resolution is rounded half to even. Only dimensions that models use as doubles (rates, ratios,
 * money, power, bandwidth) go through strtod, which glibc rounds correctly. Messages quote what
 * stood there and list what would be accepted. The calendar is proleptic Gregorian: days are
 * counted in years that start in March, so that the leap day comes last. */
#include "sim/base/units.h"

#include "sim/base/attr.h"
#include "sim/base/exact.h"
#include "sim/base/fmath.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/banned.h"

#define DIGITS_MAX 22 /* times the largest unit still fits 127 bits */
#define MINUTE     (60 * GS_SECOND)
#define HOUR       (60 * MINUTE)
#define DAY        (24 * HOUR)
#define WEEK       (7 * DAY)

struct unit {
    const char *name;
    int64_t size;
};

static const struct unit time_units[] = {
    {"ns", 1},       {"us", 1000}, {"ms", 1000000}, {"s", GS_SECOND}, {"m", MINUTE},
    {"min", MINUTE}, {"h", HOUR},  {"d", DAY},      {"w", WEEK},      {NULL, 0}};
static const struct unit memory_units[] = {
    {"MiB", 1}, {"GiB", 1024}, {"TiB", INT64_C(1) << 20}, {"PiB", INT64_C(1) << 30}, {NULL, 0}};
static const struct unit power_units[] = {{"W", 1}, {"kW", 1000}, {"MW", 1000000}, {NULL, 0}};
static const struct unit bandwidth_units[] = {/* bits per second, so that all are whole */
                                              {"Mb/s", INT64_C(1000000)},
                                              {"Gb/s", INT64_C(1000000000)},
                                              {"Tb/s", INT64_C(1000000000000)},
                                              {"MB/s", INT64_C(8000000)},
                                              {"GB/s", INT64_C(8000000000)},
                                              {"TB/s", INT64_C(8000000000000)},
                                              {NULL, 0}};

#define TIME_HELP "write 90s, 15m, 2h, 30d, 1w, 250ms, 2d 03:15 or 2-03:15:00"

/* A decimal as people write it: sign * digits / 10^scale. */
struct decimal {
    gs_i128 digits;
    int scale;
    int negative;
    int sloppy; /* digits beyond the 22nd were not all zero: the value is cut */
};

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static const char *skip_blanks(const char *s)
{
    while (*s == ' ' || *s == '\t')
        s++;
    return s;
}

/* Reads an unsigned decimal; returns where it ends, or NULL if there is none or its whole part is
 * over 22 digits. */
static const char *read_decimal(const char *s, struct decimal *d)
{
    *d = (struct decimal){0};
    int seen = 0;
    int point = 0;
    int kept = 0;
    for (;; s++) {
        if (*s == '.' && !point) {
            point = 1;
            continue;
        }
        if (!is_digit(*s))
            break;
        seen++;
        if (kept < DIGITS_MAX) {
            d->digits = d->digits * 10 + (*s - '0');
            d->scale += point;
            kept += d->digits != 0;
        } else if (!point) {
            return NULL;
        } else {
            d->sloppy |= *s != '0';
        }
    }
    return seen ? s : NULL;
}

/* *out = d * size, rounded half to even; 0 if it does not fit. */
static int scale_decimal(const struct decimal *d, int64_t size, int64_t *out)
{
    const gs_i128 x = d->digits * size;
    int scale = d->scale;
    gs_i128 divisor = 1;
    for (; scale > 0 && divisor < (gs_i128)1 << 120; scale--)
        divisor *= 10;
    if (scale > 0) { /* below 10^-36 of a unit */
        *out = 0;
        return 1;
    }
    gs_i128 whole = x / divisor;
    const gs_i128 twice = (x % divisor) * 2;
    if (twice > divisor || (twice == divisor && (d->sloppy || (whole & 1))))
        whole++;
    if (whole > INT64_MAX)
        return 0;
    *out = d->negative ? -(int64_t)whole : (int64_t)whole;
    return 1;
}

/* The unit that s starts with (the longest that matches and is not followed by a letter), or NULL.
 * */
static const struct unit *read_unit(const struct unit *units, const char **s)
{
    size_t n = 0;
    while (((*s)[n] >= 'a' && (*s)[n] <= 'z') || ((*s)[n] >= 'A' && (*s)[n] <= 'Z') ||
           (*s)[n] == '/')
        n++;
    for (const struct unit *u = units; u->name; u++) {
        if (strlen(u->name) == n && memcmp(u->name, *s, n) == 0) {
            *s += n;
            return u;
        }
    }
    return NULL;
}

static enum gs_rc refuse(const char *s, const char *what, struct gs_err *err)
{
    return gs_fail(err, GS_E_INPUT, "'%s' is not %s", s, what);
}

enum gs_rc gs_parse_int(const char *s, int64_t min, int64_t max, int64_t *out, struct gs_err *err)
{
    const char *p = s;
    const int negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    if (!is_digit(*p))
        return refuse(s, "a whole number", err);
    gs_i128 x = 0;
    for (; is_digit(*p); p++)
        if (x <= INT64_MAX)
            x = x * 10 + (*p - '0');
    if (*p)
        return refuse(s, "a whole number", err);
    if (negative)
        x = -x;
    if (x < min)
        return gs_fail(err, GS_E_INPUT, "'%s' is too small (at least %lld)", s, (long long)min);
    if (x > max)
        return gs_fail(err, GS_E_INPUT, "'%s' is too large (at most %lld)", s, (long long)max);
    *out = (int64_t)x;
    return GS_OK;
}

/* A real number at s in plain or scientific notation, nothing else that strtod takes (hex, inf,
 * nan, blanks). */
static const char *read_real(const char *s, double *out)
{
    const char *p = s + (*s == '-' || *s == '+');
    if (!is_digit(*p) && !(*p == '.' && is_digit(p[1])))
        return NULL;
    if (p[0] == '0' && lower(p[1]) == 'x')
        return NULL;
    char *end = NULL;
    const double x = strtod(s, &end);
    if (x - x != 0)
        return NULL;
    *out = x;
    return end;
}

enum gs_rc gs_parse_real(const char *s, double *out, struct gs_err *err)
{
    double x = 0;
    const char *end = read_real(s, &x);
    if (!end || *end)
        return refuse(s, "a number", err);
    *out = x;
    return GS_OK;
}

/* Exactly two digits below `limit`. */
static int two_digits(const char *s, int limit, int64_t *out)
{
    if (!is_digit(s[0]) || !is_digit(s[1]) || is_digit(s[2]))
        return 0;
    *out = (s[0] - '0') * 10 + (s[1] - '0');
    return *out < limit;
}

/* hh[:mm[:ss]] to ns, with at least `least` parts, up to the end of s. */
static int read_hms(const char *s, int least, int64_t *ns)
{
    static const int64_t size[3] = {HOUR, MINUTE, GS_SECOND};
    static const int limit[3] = {24, 60, 60};
    int64_t sum = 0;
    for (int part = 0; part < 3; part++) {
        int64_t x = 0;
        if (!two_digits(s, limit[part], &x))
            return 0;
        sum += x * size[part];
        s += 2;
        if (*s == '\0') {
            *ns = sum;
            return part + 1 >= least;
        }
        if (*s++ != ':')
            return 0;
    }
    return 0;
}

/* Slurm's days-hours[:minutes[:seconds]]: 1 if it is that, with the sum in *ns (-1: too long). */
static int read_slurm_time(const char *s, int64_t *ns)
{
    int64_t days = 0;
    const char *p = s;
    while (is_digit(*p) && p - s < 7)
        days = days * 10 + (*p++ - '0');
    int64_t rest = 0;
    if (p == s || *p != '-' || !read_hms(p + 1, 1, &rest))
        return 0;
    *ns = days > INT64_MAX / DAY - 1 ? -1 : days * DAY + rest;
    return 1;
}

static enum gs_rc too_long(const char *s, struct gs_err *err)
{
    return gs_fail(err, GS_E_INPUT, "'%s' is too long a time (at most 292 years)", s);
}

/* One "2h" or, first or after days, one "03:15" at p, with a unit below `previous`. Returns where
 * it ends or NULL; *ns = -1 when it is too long. */
static const char *read_time_part(const char *p, int first, int64_t *previous, int64_t *ns)
{
    if (*previous >= DAY && read_hms(p, first ? 3 : 2, ns))
        return p + strlen(p);
    struct decimal d;
    p = read_decimal(p, &d);
    const struct unit *u = p ? read_unit(time_units, &p) : NULL;
    if (!u || u->size >= *previous)
        return NULL;
    *previous = u->size;
    if (!scale_decimal(&d, u->size, ns))
        *ns = -1;
    else if (*ns == 0 && (d.digits || d.sloppy))
        *ns = 1; /* work that is not zero never becomes zero */
    return p;
}

enum gs_rc gs_parse_time(const char *s, int64_t *out_ns, struct gs_err *err)
{
    int64_t sum = 0;
    if (read_slurm_time(s, &sum)) {
        if (sum < 0)
            return too_long(s, err);
        *out_ns = sum;
        return GS_OK;
    }
    int64_t previous = INT64_MAX; /* units go down: "2h 1d" is more likely a slip than a wish */
    const char *p = s;
    do {
        int64_t part = 0;
        p = read_time_part(p, p == s, &previous, &part);
        if (!p)
            return refuse(s, "a time (" TIME_HELP ")", err);
        if (part < 0 || part > INT64_MAX - 1 - sum)
            return too_long(s, err);
        sum += part;
        p = skip_blanks(p);
    } while (*p);
    *out_ns = sum;
    return GS_OK;
}

enum gs_rc gs_parse_rate(const char *s, double *out_per_s, struct gs_err *err)
{
    double n = 0;
    const char *p = read_real(s, &n);
    if (p && *p == '/') {
        p++;
        const struct unit *u = read_unit(time_units, &p);
        if (u && *p == '\0' && n >= 0) {
            const int64_t per_second = GS_SECOND / u->size; /* of units below a second */
            const int64_t seconds = u->size / GS_SECOND;    /* of the others */
            *out_per_s = seconds ? n / (double)seconds : n * (double)per_second;
            return GS_OK;
        }
    }
    return refuse(s, "a rate (write 2/s, 30/m, 40/h or 100/d)", err);
}

enum gs_rc gs_parse_memory(const char *s, int64_t *out_mib, struct gs_err *err)
{
    struct decimal d;
    const char *p = read_decimal(s, &d);
    const struct unit *u = NULL;
    if (strcmp(s, "0") == 0) { /* none, in any unit */
        *out_mib = 0;
        return GS_OK;
    }
    if (p) {
        p = skip_blanks(p);
        u = read_unit(memory_units, &p);
    }
    if (!u || *p)
        return refuse(s, "an amount of memory (write 512MiB, 80GiB or 1.5TiB)", err);
    int64_t mib = 0;
    if (d.sloppy || !scale_decimal(&d, u->size, &mib))
        return gs_fail(err, GS_E_INPUT, "'%s' is too much memory or has too many digits", s);
    const struct decimal fine = {.digits = d.digits, .scale = d.scale};
    int64_t micro = 0; /* whole MiB only: anything finer would be lost without a word */
    if (scale_decimal(&fine, u->size * 1000000, &micro) && micro != mib * 1000000)
        return gs_fail(err, GS_E_INPUT, "'%s' is not a whole number of MiB", s);
    *out_mib = mib;
    return GS_OK;
}

enum gs_rc gs_parse_share(const char *s, uint32_t *out_milli, struct gs_err *err)
{
    struct decimal d;
    const char *p = read_decimal(s, &d);
    const int milli = p && *p == 'm';
    if (!p || p[milli])
        return refuse(s, "a share of a GPU (write 0.25 or 250m)", err);
    int64_t x = 0;
    int64_t fine = 0;
    const int64_t size = milli ? 1 : 1000;
    if (!scale_decimal(&d, size, &x) || x > 1000)
        return gs_fail(err, GS_E_INPUT, "'%s' is more than one GPU (a share is 1m to 1)", s);
    if (d.sloppy || !scale_decimal(&d, size * 1000000, &fine) || fine != x * 1000000)
        return gs_fail(err, GS_E_INPUT, "'%s' is finer than a thousandth of a GPU", s);
    if (x < 1)
        return gs_fail(err, GS_E_INPUT, "'%s' is no GPU at all (a share is 1m to 1)", s);
    *out_milli = (uint32_t)x;
    return GS_OK;
}

enum gs_rc gs_parse_ratio(const char *s, double *out, struct gs_err *err)
{
    double x = 0;
    const char *p = read_real(s, &x);
    const int percent = p && *p == '%';
    if (!p || p[percent] || x < 0)
        return refuse(s, "a ratio (write 80% or 0.8)", err);
    *out = percent ? x / 100 : x;
    return GS_OK;
}

enum gs_rc gs_parse_money(const char *s, double *out_usd_per_h, struct gs_err *err)
{
    double x = 0;
    const char *p = read_real(s, &x);
    if (!p || x < 0 || strcmp(skip_blanks(p), "USD/h") != 0)
        return refuse(s, "a price (write 2.10USD/h)", err);
    *out_usd_per_h = x;
    return GS_OK;
}

/* A real number >= 0 and one of the units. */
static int read_with_unit(const char *s, const struct unit *units, double *out)
{
    double x = 0;
    const char *p = read_real(s, &x);
    if (!p || x < 0)
        return 0;
    p = skip_blanks(p);
    const struct unit *u = read_unit(units, &p);
    if (!u || *p)
        return 0;
    *out = x * (double)u->size;
    return 1;
}

enum gs_rc gs_parse_power(const char *s, double *out_w, struct gs_err *err)
{
    if (!read_with_unit(s, power_units, out_w))
        return refuse(s, "a power (write 700W or 10.2kW)", err);
    return GS_OK;
}

enum gs_rc gs_parse_bandwidth(const char *s, double *out_bytes_per_s, struct gs_err *err)
{
    double bits = 0;
    if (!read_with_unit(s, bandwidth_units, &bits))
        return refuse(s, "a bandwidth (write 400Gb/s or 900GB/s)", err);
    *out_bytes_per_s = bits / 8;
    return GS_OK;
}

enum gs_rc gs_parse_bool(const char *s, int *out, struct gs_err *err)
{
    static const char *const words[2][4] = {{"no", "false", "off", "0"},
                                            {"yes", "true", "on", "1"}};
    for (int value = 0; value < 2; value++) {
        for (int i = 0; i < 4; i++) {
            if (strcmp(s, words[value][i]) == 0) {
                *out = value;
                return GS_OK;
            }
        }
    }
    return refuse(s, "yes or no (also true, false, on, off, 1, 0)", err);
}

enum gs_rc gs_parse_seconds(const char *s, int64_t *out_ns, struct gs_err *err)
{
    const int sign = *s == '-' || *s == '+';
    struct decimal d;
    const char *p = read_decimal(s + sign, &d);
    if (!p || *p)
        return refuse(s, "a number of seconds", err);
    d.negative = *s == '-';
    int64_t ns = 0;
    if (!scale_decimal(&d, GS_SECOND, &ns))
        return gs_fail(err, GS_E_INPUT, "'%s' seconds is beyond 292 years", s);
    *out_ns = ns;
    return GS_OK;
}

/* clock.c - civil time to and from nanoseconds since 1970-01-01T00:00:00Z, without the C library's
 * time zones.
 *
 * The proleptic Gregorian calendar repeats every 400 years = 146,097 days. Counting years from
 * March puts the leap day last, so that the day of the year follows from the month by (153 m + 2) /
 * 5 and the leap years are y/4 - y/100 + y/400. A wall clock needs an offset: without one the same
 * line would mean another instant on another machine. Times representable in 64 bits of ns are
 * 1677-09-21 to 2262-04-11. Leap seconds do not exist, as in POSIX. */
#include "sim/base/attr.h"
#include "sim/base/exact.h"
#include "sim/base/units.h"

#include <string.h>

#include "sim/base/banned.h"

#define CLOCK_HELP "a wall clock time (write 2026-01-05T00:00:00Z, or with +08:00)"
#define DAY_S      INT64_C(86400)
#define ERA_DAYS   INT64_C(146097)
/* from 0000-03-01 to 1970-01-01 */
#define EPOCH_DAYS INT64_C(719468)

/* Days since 1970-01-01 of a date from year 1 on. */
int64_t gs_days_from_date(int64_t y, int64_t m, int64_t d)
{
    y -= m <= 2;
    const int64_t month_from_march = (m + 9) % 12;
    const int64_t day_of_year = (153 * month_from_march + 2) / 5 + d - 1;
    return y * 365 + y / 4 - y / 100 + y / 400 + day_of_year - EPOCH_DAYS;
}

void gs_date_from_days(int64_t days, int64_t *y, int64_t *m, int64_t *d)
{
    const int64_t z = days + EPOCH_DAYS; /* > 0 for all times that fit 64 bits */
    const int64_t era = z / ERA_DAYS;
    const int64_t in_era = z % ERA_DAYS;
    /* undo the leap days before: one every 4 years, not every 100, but every 400 */
    const int64_t year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    const int64_t day_of_year = in_era - (365 * year + year / 4 - year / 100);
    const int64_t month_from_march = (5 * day_of_year + 2) / 153;
    *d = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    *m = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    *y = era * 400 + year + (*m <= 2);
}

static int64_t days_in_month(int64_t y, int64_t m)
{
    return gs_days_from_date(m == 12 ? y + 1 : y, m == 12 ? 1 : m + 1, 1) -
           gs_days_from_date(y, m, 1);
}

/* `width` digits at *s, then `after` unless that is 0. */
static int digits(const char **s, int width, char after, int64_t *out)
{
    int64_t x = 0;
    const char *p = *s;
    for (int i = 0; i < width; i++, p++) {
        if (*p < '0' || *p > '9')
            return 0;
        x = x * 10 + (*p - '0');
    }
    if (after && *p++ != after)
        return 0;
    *s = p;
    *out = x;
    return 1;
}

/* .123456789 after the seconds, 1 to 9 digits, to ns. */
static int fraction(const char **s, int64_t *ns)
{
    *ns = 0;
    if (**s != '.')
        return 1;
    int n = 0;
    for ((*s)++; **s >= '0' && **s <= '9' && n < 10; (*s)++, n++)
        *ns = *ns * 10 + (**s - '0');
    if (n < 1 || n > 9)
        return 0;
    for (; n < 9; n++)
        *ns *= 10;
    return 1;
}

/* Z, +hh:mm, +hhmm or nothing, to the end of the text: 1 read, 0 malformed, -1 absent. */
static int zone(const char *s, int64_t *offset_s)
{
    *offset_s = 0;
    if (*s == '\0')
        return -1;
    if (strcmp(s, "Z") == 0)
        return 1;
    const int64_t sign = *s == '-' ? -1 : 1;
    if (*s != '+' && *s != '-')
        return 0;
    s++;
    int64_t h = 0;
    int64_t m = 0;
    if (!digits(&s, 2, 0, &h))
        return 0;
    s += *s == ':';
    if (!digits(&s, 2, 0, &m) || *s || h > 15 || m > 59)
        return 0;
    *offset_s = sign * (h * 3600 + m * 60);
    return 1;
}

enum gs_rc gs_parse_local_clock(const char *s, int64_t *out_local_ns, int32_t *out_offset_s,
                                struct gs_err *err)
{
    int64_t y = 0;
    int64_t mon = 0;
    int64_t d = 0;
    int64_t h = 0;
    int64_t min = 0;
    int64_t sec = 0;
    int64_t ns = 0;
    const char *p = s;
    if (!digits(&p, 4, '-', &y) || !digits(&p, 2, '-', &mon) || !digits(&p, 2, 0, &d) ||
        (*p != 'T' && *p != ' '))
        return gs_fail(err, GS_E_INPUT, "'%s' is not " CLOCK_HELP, s);
    p++;
    if (!digits(&p, 2, ':', &h) || !digits(&p, 2, ':', &min) || !digits(&p, 2, 0, &sec) ||
        !fraction(&p, &ns))
        return gs_fail(err, GS_E_INPUT, "'%s' is not " CLOCK_HELP, s);
    if (y < 1678 || y > 2261)
        return gs_fail(err, GS_E_INPUT, "'%s': the year is outside 1678 to 2261", s);
    if (mon < 1 || mon > 12 || d < 1 || d > days_in_month(y, mon) || h > 23 || min > 59 || sec > 59)
        return gs_fail(err, GS_E_INPUT, "'%s': there is no such date or time of day", s);
    int64_t offset_s = 0;
    const int have = zone(p, &offset_s);
    if (have == 0)
        return gs_fail(err, GS_E_INPUT, "'%s': '%s' is not a zone (write Z or +08:00)", s, p);
    *out_offset_s = have < 0 ? GS_NO_ZONE : (int32_t)offset_s;
    const int64_t local_s = gs_days_from_date(y, mon, d) * DAY_S + h * 3600 + min * 60 + sec;
    *out_local_ns = local_s * GS_SECOND + ns;
    return GS_OK;
}

enum gs_rc gs_parse_clock(const char *s, int32_t default_offset_s, int64_t *out_ns,
                          struct gs_err *err)
{
    int64_t local_ns = 0;
    int32_t offset_s = 0;
    const enum gs_rc rc = gs_parse_local_clock(s, &local_ns, &offset_s, err);
    if (rc != GS_OK)
        return rc;
    if (offset_s == GS_NO_ZONE)
        offset_s = default_offset_s;
    if (offset_s == GS_NO_ZONE)
        return gs_fail(err, GS_E_INPUT, "'%s' has no zone (add Z or +08:00, or set zone)", s);
    *out_ns = local_ns - offset_s * GS_SECOND;
    return GS_OK;
}

const char *gs_show_clock(int64_t unix_ns, int32_t offset_s, char *buf, size_t cap)
{
    int64_t s = unix_ns / GS_SECOND;
    int64_t ns = unix_ns % GS_SECOND;
    if (ns < 0) {
        ns += GS_SECOND;
        s--;
    }
    s += offset_s;
    int64_t days = s / DAY_S;
    int64_t of_day = s % DAY_S;
    if (of_day < 0) {
        of_day += DAY_S;
        days--;
    }
    int64_t y = 0;
    int64_t m = 0;
    int64_t d = 0;
    gs_date_from_days(days, &y, &m, &d);
    char frac[12] = "";
    if (ns) {
        gs_fmt(frac, sizeof frac, ".%09d", (int)ns);
        size_t end = strlen(frac);
        while (frac[end - 1] == '0')
            frac[--end] = '\0';
    }
    char off[8] = "Z";
    const int32_t away = offset_s < 0 ? -offset_s : offset_s;
    if (offset_s)
        gs_fmt(off, sizeof off, "%c%02d:%02d", offset_s < 0 ? '-' : '+', (int)(away / 3600 % 100),
               (int)(away / 60 % 60));
    gs_fmt(buf, cap, "%04d-%02d-%02dT%02d:%02d:%02d%s%s", (int)y, (int)m, (int)d,
           (int)(of_day / 3600), (int)(of_day / 60 % 60), (int)(of_day % 60), frac, off);
    return buf;
}

/* zone.c - time zones by rule.
 *
 * All zones in use today follow one of three shapes: a fixed offset; summer time between two changes of the same year
 * (north); or winter time between them (south). A POSIX rule says exactly that, so a named zone is a row of a table: name, rule,
 * and the first year that the rule describes. Earlier years had other rules, which are not kept: traces of clusters with GPUs begin in
 * 2017, and the archive's oldest logs carry seconds, not wall clocks.
 *
 * A local time is placed by trying both offsets and asking each resulting instant which offset holds there: one agrees =
 * plain, both = it happens twice, none = it never happens. Cost: O(1), a few dates. Rule: POSIX.1-2017, 8.3 (TZ); years: IANA tz database. */
#include "sim/base/zone.h"

#include "sim/base/buf.h"
#include "sim/base/units.h"

#include <string.h>

#include "sim/base/banned.h"

#define DAY_S INT64_C(86400)
#define US    ",M3.2.0,M11.1.0"
#define EU0   ",M3.5.0/1,M10.5.0"
#define EU1   ",M3.5.0,M10.5.0/3"
#define EU2   ",M3.5.0/3,M10.5.0/4"

static const struct named {
    const char *name, *rule;
    int16_t since_year;
} named[] = {
    {"UTC", "UTC0", 0},
    {"Etc/UTC", "UTC0", 0},
    {"GMT", "GMT0", 0},
    {"America/Los_Angeles", "PST8PDT" US, 2007},
    {"America/Denver", "MST7MDT" US, 2007},
    {"America/Phoenix", "MST7", 1969},
    {"America/Chicago", "CST6CDT" US, 2007},
    {"America/New_York", "EST5EDT" US, 2007},
    {"America/Toronto", "EST5EDT" US, 2007},
    {"America/Vancouver", "PST8PDT" US, 2007},
    {"America/Halifax", "AST4ADT" US, 2007},
    {"America/St_Johns", "NST3:30NDT" US, 2012},
    {"America/Sao_Paulo", "<-03>3", 2020},
    {"America/Argentina/Buenos_Aires", "<-03>3", 2010},
    {"America/Bogota", "<-05>5", 1994},
    {"Europe/London", "GMT0BST" EU0, 1996},
    {"Europe/Dublin", "GMT0IST" EU0, 1996},
    {"Europe/Lisbon", "WET0WEST" EU0, 1996},
    {"Europe/Paris", "CET-1CEST" EU1, 1996},
    {"Europe/Berlin", "CET-1CEST" EU1, 1996},
    {"Europe/Madrid", "CET-1CEST" EU1, 1996},
    {"Europe/Rome", "CET-1CEST" EU1, 1996},
    {"Europe/Amsterdam", "CET-1CEST" EU1, 1996},
    {"Europe/Brussels", "CET-1CEST" EU1, 1996},
    {"Europe/Zurich", "CET-1CEST" EU1, 1996},
    {"Europe/Vienna", "CET-1CEST" EU1, 1996},
    {"Europe/Warsaw", "CET-1CEST" EU1, 1996},
    {"Europe/Stockholm", "CET-1CEST" EU1, 1996},
    {"Europe/Oslo", "CET-1CEST" EU1, 1996},
    {"Europe/Copenhagen", "CET-1CEST" EU1, 1996},
    {"Europe/Prague", "CET-1CEST" EU1, 1996},
    {"Europe/Helsinki", "EET-2EEST" EU2, 1996},
    {"Europe/Athens", "EET-2EEST" EU2, 1996},
    {"Europe/Moscow", "MSK-3", 2015},
    {"Europe/Istanbul", "<+03>-3", 2017},
    {"Africa/Johannesburg", "SAST-2", 0},
    {"Africa/Nairobi", "EAT-3", 0},
    {"Asia/Dubai", "<+04>-4", 0},
    {"Asia/Kolkata", "IST-5:30", 0},
    {"Asia/Kathmandu", "<+0545>-5:45", 1986},
    {"Asia/Bangkok", "<+07>-7", 0},
    {"Asia/Shanghai", "CST-8", 1992},
    {"Asia/Hong_Kong", "HKT-8", 1980},
    {"Asia/Taipei", "CST-8", 1980},
    {"Asia/Singapore", "<+08>-8", 1982},
    {"Asia/Seoul", "KST-9", 1989},
    {"Asia/Tokyo", "JST-9", 0},
    {"Australia/Perth", "AWST-8", 2010},
    {"Australia/Brisbane", "AEST-10", 1993},
    {"Australia/Adelaide", "ACST-9:30ACDT,M10.1.0,M4.1.0/3", 2008},
    {"Australia/Sydney", "AEST-10AEDT,M10.1.0,M4.1.0/3", 2008},
    {"Australia/Melbourne", "AEST-10AEDT,M10.1.0,M4.1.0/3", 2008},
    {"Pacific/Auckland", "NZST-12NZDT,M9.5.0,M4.1.0/3", 2008},
    {"Pacific/Honolulu", "HST10", 0},
};

enum {
    NAMED = sizeof named / sizeof named[0]
};

/* ---- Reading rules ----------------------------------------------------------------------------- */

static int take_number(const char **s, int max, int *out)
{
    int x = 0;
    const char *p = *s;
    for (; *p >= '0' && *p <= '9' && x <= max; p++)
        x = x * 10 + (*p - '0');
    if (p == *s || x > max)
        return 0;
    *s = p;
    *out = x;
    return 1;
}

/* [+-]hh[:mm[:ss]] in seconds; hours up to 167, as POSIX allows for the time of a change. */
static int take_hms(const char **s, int hours_max, int32_t *out)
{
    const int negative = **s == '-';
    if (**s == '-' || **s == '+')
        (*s)++;
    int part[3] = {0};
    for (int i = 0; i < 3; i++) {
        if (i > 0 && **s != ':')
            break;
        *s += i > 0;
        if (!take_number(s, i ? 59 : hours_max, &part[i]))
            return 0;
    }
    const int32_t x = part[0] * 3600 + part[1] * 60 + part[2];
    *out = negative ? -x : x;
    return 1;
}

/* A name of three or more letters, or anything of digits and signs in <>. */
static int take_name(const char **s)
{
    const char *p = *s;
    if (*p == '<') {
        p += strcspn(p, ">");
        if (!*p)
            return 0;
        *s = p + 1;
        return 1;
    }
    while ((*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z'))
        p++;
    const int ok = p - *s >= 3;
    *s = p;
    return ok;
}

/* ,Mm.w.d[/time] */
static int take_change(const char **s, struct gs_zone_change *c)
{
    int m = 0;
    int w = 0;
    int d = 0;
    if (strncmp(*s, ",M", 2) != 0)
        return 0;
    *s += 2;
    if (!take_number(s, 12, &m) || *(*s)++ != '.' || !take_number(s, 5, &w) || *(*s)++ != '.' ||
        !take_number(s, 6, &d) || m < 1 || w < 1)
        return 0;
    *c = (struct gs_zone_change){(int8_t)m, (int8_t)w, (int8_t)d, 2 * 3600};
    if (**s != '/')
        return 1;
    (*s)++;
    return take_hms(s, 167, &c->at_s);
}

/* std offset [dst [offset] ,change,change] */
static int parse_rule(const char *s, struct gs_zone *z)
{
    int32_t west = 0;
    if (!take_name(&s) || !take_hms(&s, 24, &west))
        return 0;
    z->std_s = z->dst_s = -west;
    if (!*s)
        return 1;
    if (!take_name(&s))
        return 0;
    z->dst_s = z->std_s + 3600;
    if (*s != ',') {
        if (!take_hms(&s, 24, &west))
            return 0;
        z->dst_s = -west;
    }
    return take_change(&s, &z->to_dst) && take_change(&s, &z->to_std) && *s == '\0' &&
           z->dst_s > z->std_s;
}

/* +hh:mm, -hhmm, Z */
static int parse_offset(const char *s, struct gs_zone *z)
{
    int h = 0;
    int m = 0;
    const int negative = *s == '-';
    if (strcmp(s, "Z") == 0)
        return 1;
    if (*s++ != '+' && !negative)
        return 0;
    for (int i = 0; i < 2; i++, s++) {
        if (*s < '0' || *s > '9')
            return 0;
        h = h * 10 + (*s - '0');
    }
    s += *s == ':';
    if (*s && (!take_number(&s, 59, &m) || s[-1] == ':' || *s))
        return 0;
    z->std_s = z->dst_s = (negative ? -1 : 1) * (h * 3600 + m * 60);
    return h <= 15;
}

enum gs_rc gs_zone_parse(const char *text, struct gs_zone *out, struct gs_err *err)
{
    gs_require(text && out);
    *out = (struct gs_zone){0};
    const char *rule = text;
    const char *names[NAMED];
    for (size_t i = 0; i < NAMED; i++) {
        names[i] = named[i].name;
        if (strcmp(named[i].name, text) == 0) {
            rule = named[i].rule;
            out->since_year = named[i].since_year;
        }
    }
    if (strlen(text) < sizeof out->name && (parse_offset(rule, out) || parse_rule(rule, out))) {
        (void)gs_fmt(out->name, sizeof out->name, "%s", text);
        return GS_OK;
    }
    *out = (struct gs_zone){0};
    const char *near = gs_nearest(text, names, NAMED);
    return gs_fail(
        err, GS_E_INPUT,
        "'%.80s' is not a time zone (write UTC, an offset such as +08:00, a name such as "
        "America/Los_Angeles, or a rule such as PST8PDT,M3.2.0,M11.1.0)%s%s%s",
        text, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

struct gs_zone gs_zone_fixed(int32_t offset_s)
{
    gs_require(offset_s > -DAY_S && offset_s < DAY_S);
    struct gs_zone z = {.std_s = offset_s, .dst_s = offset_s};
    const int32_t away = offset_s < 0 ? -offset_s : offset_s;
    if (offset_s)
        (void)gs_fmt(z.name, sizeof z.name, "%c%02d:%02d", offset_s < 0 ? '-' : '+', away / 3600,
                     away / 60 % 60);
    else
        (void)gs_fmt(z.name, sizeof z.name, "UTC");
    return z;
}

const char *gs_zone_names(void)
{
    static char text[NAMED * 32];
    if (!text[0]) {
        size_t n = 0;
        for (size_t i = 0; i < NAMED; i++) {
            (void)gs_fmt(text + n, sizeof text - n, "%s%s", i ? ", " : "", named[i].name);
            n += strlen(text + n);
        }
    }
    return text;
}

/* ---- Placing times ----------------------------------------------------------------------------- */

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int64_t year_of(int64_t local_s)
{
    int64_t y = 0;
    int64_t m = 0;
    int64_t d = 0;
    gs_date_from_days(floor_div(local_s, DAY_S), &y, &m, &d);
    return y;
}

/* Local second of the change in a year. */
static int64_t change_at(const struct gs_zone_change *c, int64_t year)
{
    const int64_t first = gs_days_from_date(year, c->month, 1);
    const int64_t weekday = (first % 7 + 11) % 7; /* 1970-01-01 was a Thursday */
    int64_t day = first + (c->day - weekday + 7) % 7 + INT64_C(7) * (c->week - 1);
    const int64_t next = c->month == 12 ? gs_days_from_date(year + 1, 1, 1)
                                        : gs_days_from_date(year, c->month + 1, 1);
    while (day >= next) /* week 5 = the last one */
        day -= 7;
    return day * DAY_S + c->at_s;
}

static int32_t offset_at(const struct gs_zone *z, int64_t unix_s)
{
    if (z->std_s == z->dst_s)
        return z->std_s;
    const int64_t year = year_of(unix_s + z->std_s);
    const int64_t on = change_at(&z->to_dst, year) - z->std_s;
    const int64_t off = change_at(&z->to_std, year) - z->dst_s;
    const int summer = on < off ? unix_s >= on && unix_s < off : !(unix_s >= off && unix_s < on);
    return summer ? z->dst_s : z->std_s;
}

int32_t gs_zone_offset(const struct gs_zone *z, int64_t unix_ns)
{
    return offset_at(z, floor_div(unix_ns, GS_SECOND));
}

int64_t gs_zone_local(const struct gs_zone *z, int64_t unix_ns)
{
    return unix_ns + gs_zone_offset(z, unix_ns) * GS_SECOND;
}

int64_t gs_zone_unix(const struct gs_zone *z, int64_t local_ns, enum gs_ambiguous how,
                     enum gs_local_kind *kind)
{
    *kind = GS_LOCAL_PLAIN;
    const int64_t by_std = local_ns - z->std_s * GS_SECOND;
    if (z->std_s == z->dst_s)
        return by_std;
    const int64_t by_dst = local_ns - z->dst_s * GS_SECOND;
    const int std_holds = gs_zone_offset(z, by_std) == z->std_s;
    const int dst_holds = gs_zone_offset(z, by_dst) == z->dst_s;
    if (std_holds && dst_holds) {
        *kind = GS_LOCAL_AMBIGUOUS;
        return how == GS_AMBIGUOUS_LATER ? by_std : by_dst;
    }
    if (!std_holds && !dst_holds)
        *kind = GS_LOCAL_MISSING; /* the clock jumped over it, ahead: standard time held before */
    return dst_holds ? by_dst : by_std;
}

/* The stretch of one offset around a plain local time: up to a day from the changes of its year, or the year's ends. */
static struct gs_zone_stretch stretch_around(const struct gs_zone *z, int64_t local_ns,
                                             int32_t offset_s)
{
    const int64_t local_s = floor_div(local_ns, GS_SECOND);
    const int64_t year = year_of(local_s);
    int64_t from = gs_days_from_date(year, 1, 1) * DAY_S;
    int64_t to = gs_days_from_date(year + 1, 1, 1) * DAY_S;
    const int64_t change[2] = {change_at(&z->to_dst, year), change_at(&z->to_std, year)};
    for (int i = 0; i < 2; i++) {
        if (local_s < change[i] && change[i] - DAY_S < to)
            to = change[i] - DAY_S;
        if (local_s >= change[i] && change[i] + DAY_S > from)
            from = change[i] + DAY_S;
    }
    return (struct gs_zone_stretch){from * GS_SECOND, to * GS_SECOND, offset_s};
}

int64_t gs_zone_unix_near(const struct gs_zone *z, struct gs_zone_stretch *near, int64_t local_ns,
                          enum gs_ambiguous how, enum gs_local_kind *kind)
{
    *kind = GS_LOCAL_PLAIN;
    if (local_ns >= near->from_ns && local_ns < near->to_ns)
        return local_ns - near->offset_s * GS_SECOND;
    const int64_t unix_ns = gs_zone_unix(z, local_ns, how, kind);
    if (*kind == GS_LOCAL_PLAIN && z->std_s != z->dst_s)
        *near = stretch_around(z, local_ns, (int32_t)((local_ns - unix_ns) / GS_SECOND));
    return unix_ns;
}

int64_t gs_zone_rule_from(const struct gs_zone *z)
{
    return z->since_year ? gs_days_from_date(z->since_year, 1, 1) * DAY_S * GS_SECOND : INT64_MIN;
}

/* show.c - quantities for people, and the nearest word for "did you mean".
 *
 * What is printed here is rounded to about three digits and is never read back: files and
 * comparisons use the exact figures. The distance of words is Damerau's with adjacent exchanges
 * only (optimal string alignment), by rows of the usual table, O(|a| |b|); words over 63 letters
 * are not looked at. */
#include "sim/base/attr.h"
#include "sim/base/fmath.h"
#include "sim/base/units.h"

#include <string.h>

#include "sim/base/banned.h"

#define WORD_MAX 64

const char *gs_show_time(double seconds, char *buf, size_t cap)
{
    static const struct {
        double below, unit;
        const char *name;
    } steps[] = {{1e-6, 1e-9, "ns"}, {1e-3, 1e-6, "us"}, {1, 1e-3, "ms"},
                 {120, 1, "s"},      {7200, 60, "min"},  {172800, 3600, "h"}};

    const double x = seconds < 0 ? -seconds : seconds;
    const char *sign = seconds < 0 ? "-" : "";
    if (x != x || x - x != 0) {
        gs_fmt(buf, cap, "%s", x != x ? "unknown" : "never");
        return buf;
    }
    if (!(x > 0)) {
        gs_fmt(buf, cap, "0 s");
        return buf;
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (x < steps[i].below) {
            gs_fmt(buf, cap, "%s%.3g %s", sign, x / steps[i].unit, steps[i].name);
            return buf;
        }
    }
    const double hours = gs_rint_even(x / 3600);
    const double days = gs_floor(hours / 24);
    const double left = hours - days * 24;
    if (days < 100 && left > 0)
        gs_fmt(buf, cap, "%s%.0f d %.0f h", sign, days, left);
    else
        gs_fmt(buf, cap, "%s%.0f d", sign, days < 100 ? days : gs_rint_even(x / 86400));
    return buf;
}

const char *gs_show_count(int64_t n, char *buf, size_t cap)
{
    char plain[24];
    gs_fmt(plain, sizeof plain, "%lld", (long long)n);
    const size_t len = strlen(plain);
    char text[32];
    size_t out = 0;
    for (size_t i = 0; i < len; i++) {
        if (i > (size_t)(n < 0) && (len - i) % 3 == 0)
            text[out++] = ',';
        text[out++] = plain[i];
    }
    text[out] = '\0';
    gs_fmt(buf, cap, "%s", text);
    return buf;
}

const char *gs_show_bytes(double bytes, char *buf, size_t cap)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t i = 0;
    while (i + 1 < sizeof names / sizeof *names && (bytes >= 1024 || bytes <= -1024)) {
        bytes /= 1024;
        i++;
    }
    gs_fmt(buf, cap, bytes >= 1000 ? "%.4g %s" : "%.3g %s", bytes, names[i]);
    return buf;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edit distance without regard to case. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t rows[3][WORD_MAX + 1];
    size_t *before = rows[0];
    size_t *above = rows[1];
    size_t *row = rows[2];
    for (size_t j = 0; j <= nb; j++)
        above[j] = before[j] = j;
    for (size_t i = 1; i <= na; i++) {
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            const size_t differ = lower(a[i - 1]) != lower(b[j - 1]);
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + differ);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[nb];
}

const char *gs_nearest(const char *s, const char *const *words, size_t n)
{
    const size_t len = strlen(s);
    if (len == 0 || len >= WORD_MAX)
        return NULL;
    const char *best = NULL;
    size_t best_distance =
        len < 3 ? 2 : len / 3 + 2; /* at most a third of the letters may be wrong, and one more */
    for (size_t i = 0; i < n; i++) {
        const size_t m = strlen(words[i]);
        if (m >= WORD_MAX || m > len + best_distance || len > m + best_distance)
            continue;
        const size_t d = distance(s, len, words[i], m);
        if (d < best_distance && d < least(len, m)) { /* ties: the first word wins */
            best_distance = d;
            best = words[i];
        }
    }
    return best;
}

/* table.c - one field of a catalog record: unknown, read, shown; and a table's rows in the catalog.
 *
 * Records are reached by offset and written by memcpy, so nothing here knows a record's type. Costs are
 * O(length of the value); a new record is O(1) amortised. */
#include "sim/hardware/table.h"

#include "sim/base/units.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "sim/base/banned.h"

#define WHOLE "a whole number that is not negative, or nothing"
#define REAL  "a number that is not negative, or nothing"

/* ---- tables ---- */

const struct gs_table *gs_table_named(const char *name, const char **near)
{
    const char *names[GS_CATALOG_COUNT];
    for (size_t t = 0; t < GS_CATALOG_COUNT; t++) {
        names[t] = gs_tables[t].name;
        if (strcmp(name, names[t]) == 0)
            return &gs_tables[t];
    }
    if (near)
        *near = gs_nearest(name, names, GS_CATALOG_COUNT);
    return NULL;
}

size_t gs_table_rows(const struct gs_table *t, const struct gs_catalog *c)
{
    size_t n;
    memcpy(&n, (const char *)c + t->count, sizeof n);
    return n;
}

const void *gs_table_row(const struct gs_table *t, const struct gs_catalog *c, size_t i)
{
    const char *rows;
    memcpy(&rows, (const char *)c + t->rows, sizeof rows);
    return rows + i * t->record_size;
}

int gs_table_given(const struct gs_table *t, const void *record)
{
    int32_t given;
    memcpy(&given, (const char *)record + t->given, sizeof given);
    return given;
}

void *gs_table_add(const struct gs_table *t, struct gs_catalog *c)
{
    char *rows;
    const size_t n = gs_table_rows(t, c);
    memcpy(&rows, (char *)c + t->rows, sizeof rows);
    if ((n & (n - 1)) == 0) /* full at every power of two: doubles */
        rows = gs_resize(rows, n ? 2 * n : 1, t->record_size);
    memcpy((char *)c + t->rows, &rows, sizeof rows);
    memcpy((char *)c + t->count, &(size_t){n + 1}, sizeof n);
    void *record = rows + n * t->record_size;
    memset(record, 0, t->record_size);
    for (size_t i = 0; i < t->nfields; i++)
        gs_field_clear(&t->fields[i], record);
    return record;
}

void *gs_table_record(const struct gs_table *t, struct gs_catalog *c, size_t i)
{
    char *rows;
    memcpy(&rows, (char *)c + t->rows, sizeof rows);
    return rows + i * t->record_size;
}

/* What is dropped is kept in memory: only the count goes down, and gs_table_add may make room again. */
void gs_table_drop_last(const struct gs_table *t, struct gs_catalog *c)
{
    const size_t n = gs_table_rows(t, c) - 1;
    memcpy((char *)c + t->count, &n, sizeof n);
}

/* ---- unknown ---- */

size_t gs_field_size(const struct gs_field *f)
{
    switch (f->kind) {
    case GS_FIELD_TEXT:
    case GS_FIELD_LIST: return sizeof(const char *);
    case GS_FIELD_REAL: return sizeof(double);
    case GS_FIELD_GIB:
    case GS_FIELD_MILLI:
    case GS_FIELD_NANO:
    case GS_FIELD_BIG: return sizeof(int64_t);
    case GS_FIELD_COUNT:
    case GS_FIELD_NUMBER:
    case GS_FIELD_STARTS:
    case GS_FIELD_MARK: return sizeof(int32_t);
    case GS_FIELD_LETTER: return 1;
    }
    return 0;
}

void gs_field_clear(const struct gs_field *f, void *record)
{
    void *at = (char *)record + f->offset;
    switch (f->kind) {
    case GS_FIELD_TEXT:
    case GS_FIELD_LIST: memcpy(at, &(const char *){""}, sizeof(const char *)); break;
    case GS_FIELD_REAL: memcpy(at, &(double){(double)NAN}, sizeof(double)); break;
    case GS_FIELD_GIB:
    case GS_FIELD_MILLI:
    case GS_FIELD_NANO:
    case GS_FIELD_BIG: memcpy(at, &(int64_t){-1}, sizeof(int64_t)); break;
    case GS_FIELD_COUNT: memcpy(at, &(int32_t){-1}, sizeof(int32_t)); break;
    case GS_FIELD_NUMBER:
    case GS_FIELD_STARTS:
    case GS_FIELD_MARK: memset(at, 0, sizeof(uint32_t)); break;
    case GS_FIELD_LETTER: *(char *)at = '?'; break;
    }
}

/* ---- reading ---- */

static const char *set_real(void *at, const char *value)
{
    double x;
    if (gs_parse_real(value, &x, NULL) != GS_OK || x < 0)
        return REAL;
    memcpy(at, &x, sizeof x);
    return NULL;
}

static const char *set_scaled(void *at, const char *value, double scale)
{
    double x;
    if (gs_parse_real(value, &x, NULL) != GS_OK || x < 0 || x * scale > (double)(INT64_C(1) << 40))
        return REAL;
    memcpy(at, &(int64_t){(int64_t)(x * scale + 0.5)}, sizeof(int64_t));
    return NULL;
}

static const char *set_nano(void *at, const char *value)
{
    int64_t x; /* seconds to nanoseconds is the same exact reading */
    if (gs_parse_seconds(value, &x, NULL) != GS_OK || x < 0)
        return "a decimal that is not negative, or nothing";
    memcpy(at, &x, sizeof x);
    return NULL;
}

static const char *set_whole(enum gs_field_kind kind, void *at, const char *value)
{
    int64_t x;
    if (gs_parse_int(value, 0, kind == GS_FIELD_BIG ? INT64_MAX : INT32_MAX, &x, NULL) != GS_OK)
        return WHOLE;
    if (kind == GS_FIELD_BIG)
        memcpy(at, &x, sizeof x);
    else if (kind == GS_FIELD_COUNT)
        memcpy(at, &(int32_t){(int32_t)x}, sizeof(int32_t));
    else
        memcpy(at, &(uint32_t){(uint32_t)x}, sizeof(uint32_t));
    return NULL;
}

static const char *set_starts(void *at, const char *value)
{
    uint32_t bits = 0;
    for (const char *s = value; *s; s += *s == ' ') {
        uint32_t slice = 0;
        const char *from = s;
        while (*s >= '0' && *s <= '9' && slice < 32)
            slice = slice * 10 + (uint32_t)(*s++ - '0');
        if (s == from || slice > 31 || (*s && *s != ' '))
            return "slice numbers up to 31 with blanks between, or nothing";
        bits |= UINT32_C(1) << slice;
    }
    memcpy(at, &bits, sizeof bits);
    return NULL;
}

static const char *set_mark(void *at, const char *value)
{
    if (strcasecmp(value, "UNVERIFIED") != 0)
        return "UNVERIFIED or nothing";
    memcpy(at, &(int32_t){1}, sizeof(int32_t));
    return NULL;
}

static const char *set_letter(void *at, const char *value)
{
    if (!strchr("ABC?", value[0]) || value[1])
        return "A, B, C, ? or nothing";
    *(char *)at = value[0];
    return NULL;
}

const char *gs_field_set(const struct gs_field *f, void *record, const char *value,
                         struct gs_catalog *c)
{
    void *at = (char *)record + f->offset;
    switch (f->kind) {
    case GS_FIELD_TEXT:
    case GS_FIELD_LIST:
        memcpy(at, &(const char *){gs_arena_str(&c->text, value, strlen(value))},
               sizeof(const char *));
        return NULL;
    case GS_FIELD_REAL: return set_real(at, value);
    case GS_FIELD_GIB: return set_scaled(at, value, 1024);
    case GS_FIELD_MILLI: return set_scaled(at, value, 1000);
    case GS_FIELD_NANO: return set_nano(at, value);
    case GS_FIELD_BIG:
    case GS_FIELD_COUNT:
    case GS_FIELD_NUMBER: return set_whole(f->kind, at, value);
    case GS_FIELD_STARTS: return set_starts(at, value);
    case GS_FIELD_LETTER: return set_letter(at, value);
    case GS_FIELD_MARK: return set_mark(at, value);
    }
    return NULL;
}

/* ---- showing ---- */

/* Of a kind that is kept as an integer. */
static int64_t whole(const struct gs_field *f, const void *record)
{
    const void *at = (const char *)record + f->offset;
    int64_t x;
    int32_t narrow;
    if (gs_field_size(f) == sizeof x) {
        memcpy(&x, at, sizeof x);
        return x;
    }
    memcpy(&narrow, at, sizeof narrow);
    return f->kind == GS_FIELD_NUMBER ? (int64_t)(uint32_t)narrow : narrow;
}

/* x / unit as a decimal of at most `digits` digits after the point, without trailing zeros. */
static void show_scaled(int64_t x, int64_t unit, int digits, struct gs_buf *out)
{
    int64_t rest = x % unit, scale = unit;
    gs_buf_fmt(out, "%lld", (long long)(x / unit));
    for (int d = 0; d < digits && rest; d++) {
        if (d == 0)
            gs_buf_str(out, ".");
        scale /= 10; /* a power of ten, with as many digits at least */
        /* cppcheck-suppress zerodivcond */
        gs_buf_fmt(out, "%lld", (long long)(rest / scale));
        rest %= scale;
    }
}

static void show_starts(uint32_t bits, struct gs_buf *out)
{
    const char *blank = "";
    for (unsigned i = 0; i < 32; i++) {
        if (bits >> i & 1) {
            gs_buf_fmt(out, "%s%u", blank, i);
            blank = " ";
        }
    }
}

static void show_text(const void *at, struct gs_buf *out)
{
    const char *text;
    memcpy(&text, at, sizeof text);
    gs_buf_str(out, text);
}

static void show_real(const void *at, struct gs_buf *out)
{
    double x;
    memcpy(&x, at, sizeof x);
    if (!isnan(x))
        gs_buf_fmt(out, "%.15g", x);
}

void gs_field_show(const struct gs_field *f, const void *record, struct gs_buf *out)
{
    const void *at = (const char *)record + f->offset;
    const int64_t n = gs_field_size(f) == 1 ? 0 : whole(f, record);
    const int known = n >= 0;
    switch (f->kind) {
    case GS_FIELD_TEXT:
    case GS_FIELD_LIST: show_text(at, out); break;
    case GS_FIELD_REAL: show_real(at, out); break;
    case GS_FIELD_LETTER: gs_buf_add(out, at, 1); break;
    case GS_FIELD_MARK: gs_buf_str(out, n ? "UNVERIFIED" : ""); break;
    case GS_FIELD_STARTS: show_starts((uint32_t)n, out); break;
    case GS_FIELD_NANO:
        if (known)
            show_scaled(n, 1000000000, 9, out);
        break;
    case GS_FIELD_MILLI:
        if (known)
            show_scaled(n, 1000, 3, out);
        break;
    case GS_FIELD_GIB: /* two digits, as the sources print it */
        if (known)
            show_scaled((n * 100 + 512) / 1024, 100, 2, out);
        break;
    case GS_FIELD_BIG:
    case GS_FIELD_COUNT:
    case GS_FIELD_NUMBER:
        if (known)
            gs_buf_fmt(out, "%lld", (long long)n);
        break;
    }
}

int gs_field_is_number(const struct gs_field *f)
{
    return f->kind >= GS_FIELD_REAL && f->kind <= GS_FIELD_NUMBER;
}

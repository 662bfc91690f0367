/* table.h - a catalog table as data: which column goes where in a record, and how it is read and shown.
 *
 * One description serves the reader, the listing and JSON, so a new column is one line in tables.c. */
#ifndef GS_HARDWARE_TABLE_H
#define GS_HARDWARE_TABLE_H

#include "sim/base/buf.h"
#include "sim/hardware/catalog.h"

enum gs_field_kind {
    GS_FIELD_TEXT,
    GS_FIELD_LIST,   /* text, "|"-separated */
    GS_FIELD_REAL,   /* NaN where empty */
    GS_FIELD_GIB,    /* GiB kept as int64 MiB, -1 where empty */
    GS_FIELD_MILLI,  /* kept as int64 thousandths, -1 where empty */
    GS_FIELD_NANO,   /* a decimal kept as int64 times 10^9, exact, -1 where empty */
    GS_FIELD_BIG,    /* int64, -1 where empty */
    GS_FIELD_COUNT,  /* int32, -1 where empty */
    GS_FIELD_NUMBER, /* uint32, 0 where empty */
    GS_FIELD_STARTS, /* slice numbers 0..31 with blanks between, kept as bits of a uint32 */
    GS_FIELD_LETTER, /* A, B, C or ?, which also stands for an empty field */
    GS_FIELD_MARK    /* int32: empty = 0, UNVERIFIED = 1 */
};

struct gs_field {
    const char *column;
    enum gs_field_kind kind;
    int wide; /* 1: too wide or too special for the aligned listing; --json and --csv show it */
    size_t offset;
};

struct gs_table {
    const char *name;              /* "gpus": of the file and on the command line */
    const char *doc;               /* what the rows are, for people */
    const struct gs_field *fields; /* the first names the table in a header row */
    size_t nfields;
    size_t nkey; /* rows that agree in so many first fields are the same; 0: none are */
    size_t record_size, given; /* offset of the record's `given` */
    size_t rows, count;        /* offsets in struct gs_catalog */
    const char *text;          /* the built-in CSV */
    const size_t *len;
};

extern const struct gs_table gs_tables[GS_CATALOG_COUNT];

/* The table of that name, or the nearest name in *near (may be NULL). */
const struct gs_table *gs_table_named(const char *name, const char **near);
size_t gs_table_rows(const struct gs_table *t, const struct gs_catalog *c);
const void *gs_table_row(const struct gs_table *t, const struct gs_catalog *c, size_t i);
int gs_table_given(const struct gs_table *t, const void *record);

/* A new record at the end, everything unknown. Records move. */
void *gs_table_add(const struct gs_table *t, struct gs_catalog *c);
void *gs_table_record(const struct gs_table *t, struct gs_catalog *c, size_t i);
void gs_table_drop_last(const struct gs_table *t, struct gs_catalog *c);
/* Bytes of the member. */
size_t gs_field_size(const struct gs_field *f);
/* Makes the value unknown. */
void gs_field_clear(const struct gs_field *f, void *record);
/* Reads value (not empty; text is kept in the catalog's arena); NULL, or what was expected. */
const char *gs_field_set(const struct gs_field *f, void *record, const char *value,
                         struct gs_catalog *c);
/* Appends the value as the CSV writes it; nothing where it is unknown. */
void gs_field_show(const struct gs_field *f, const void *record, struct gs_buf *out);
/* Is the kind a number (right-aligned, a JSON number)? */
int gs_field_is_number(const struct gs_field *f);

/* Reads one CSV text: the rows of any tables. given = 1: a user's, whose rows may replace. */
GS_NODISCARD enum gs_rc gs_catalog_read(struct gs_catalog *c, const char *path, const char *text,
                                        size_t len, int given, struct gs_err *err);

#endif

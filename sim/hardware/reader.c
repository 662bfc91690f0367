/* reader.c - reads catalog CSV (libcsv) into records, the compiled-in text and a user's file alike.
 *
 * A row is read into a new record at the table's end; where a user's row agrees in the key with an older
 * one, the columns that it gives move there and the new record is dropped. Built-in rows are distinct (a
 * test looks), so they are not compared: reading is O(bytes), of a user's file O(its rows x the table's).
 * All text lives in the catalog's arena. */
#include "sim/hardware/table.h"

#include <csv.h>

#include <string.h>
#include <strings.h>

#include "sim/base/banned.h"

enum {
    COLUMNS_MAX = 48
};

/* The state of one file being read. libcsv cannot be stopped, so after an error the rest is passed
 * over. */
struct reader {
    struct gs_catalog *c;
    const char *path;
    struct gs_err *err;
    enum gs_rc rc;
    int given;
    uint64_t line; /* of the field at hand */
    int after_cr;  /* the last line ended in CR: a LF that follows is no line of its own */
    const struct gs_table *table;               /* NULL before the first header */
    const struct gs_field *column[COLUMNS_MAX]; /* what each column of the table is */
    size_t ncolumns;
    size_t at; /* index of the next field in the row */

    enum {
        ROW_NEW,
        ROW_DATA,
        ROW_HEADER,
        ROW_COMMENT
    } row;

    void *record;
};

static void complain(struct reader *r, const char *column, const char *value, const char *expected)
{
    if (r->rc == GS_OK)
        r->rc = gs_fail(r->err, GS_E_INPUT, "%s:%llu: column '%s': found '%s', expected %s",
                        r->path, (unsigned long long)r->line, column, value, expected);
}

/* ---- rows that replace ---- */

static int same_field(const struct gs_field *f, const void *a, const void *b)
{
    const void *x = (const char *)a + f->offset, *y = (const char *)b + f->offset;
    if (f->kind != GS_FIELD_TEXT && f->kind != GS_FIELD_LIST)
        return memcmp(x, y, gs_field_size(f)) == 0;
    const char *s, *t;
    memcpy(&s, x, sizeof s);
    memcpy(&t, y, sizeof t);
    return strcasecmp(s, t) == 0;
}

static int same_key(const struct gs_table *t, const void *a, const void *b)
{
    size_t i = 0;
    while (i < t->nkey && same_field(&t->fields[i], a, b))
        i++;
    return i == t->nkey;
}

/* The row just read into the last record is a user's. */
static void place_given(struct reader *r)
{
    const struct gs_table *t = r->table;
    const size_t last = gs_table_rows(t, r->c) - 1;
    size_t i = 0;
    while (i < last && (t->nkey == 0 || !same_key(t, gs_table_row(t, r->c, i), r->record)))
        i++;
    void *to = gs_table_record(t, r->c, i);
    for (size_t k = 0; k < r->ncolumns && i < last; k++) {
        const struct gs_field *f = r->column[k];
        if (f >= t->fields + t->nkey) /* the key keeps its spelling */
            memcpy((char *)to + f->offset, (char *)r->record + f->offset, gs_field_size(f));
    }
    memcpy((char *)to + t->given, &(int32_t){1}, sizeof(int32_t));
    if (i < last)
        gs_table_drop_last(t, r->c);
}

/* ---- fields ---- */

static void set_field(struct reader *r, const struct gs_field *f, const char *value)
{
    const char *expected = value[0] ? gs_field_set(f, r->record, value, r->c) : NULL;
    if (expected)
        complain(r, f->column, value, expected);
}

static void header_field(struct reader *r, const char *value)
{
    if (r->at == COLUMNS_MAX) {
        complain(r, value, value, "no more columns");
        return;
    }
    for (size_t i = 0; i < r->table->nfields; i++) {
        if (strcmp(r->table->fields[i].column, value) != 0)
            continue;
        for (size_t k = 0; k < r->at; k++) {
            if (r->column[k] == &r->table->fields[i])
                complain(r, value, value, "each column once");
        }
        r->column[r->at] = &r->table->fields[i];
        r->ncolumns = r->at + 1;
        return;
    }
    char expected[160];
    (void)gs_fmt(expected, sizeof expected,
                 "a column of the table %s (gsim catalog %s --csv shows them)", r->table->name,
                 r->table->name);
    complain(r, value, value, expected);
}

static void start_table(struct reader *r, size_t t, const char *value)
{
    r->row = ROW_HEADER;
    r->table = &gs_tables[t];
    r->ncolumns = 0;
    if (r->given)
        gs_catalog_need(r->c, (enum gs_catalog_table)t);
    header_field(r, value);
}

/* The first field says what the row is: a comment, a header, or a record. */
static void first_field(struct reader *r, const char *value)
{
    if (value[0] == '#') {
        r->row = ROW_COMMENT;
        return;
    }
    for (size_t t = 0; t < GS_CATALOG_COUNT; t++) {
        if (strcmp(gs_tables[t].fields[0].column, value) == 0) {
            start_table(r, t, value);
            return;
        }
    }
    if (!r->table) {
        complain(r, "1", value,
                 "a header row that starts with a table's word, as 'gpu' or 'server'");
    } else if (!value[0]) {
        complain(r, r->table->fields[0].column, value, "a name");
    } else {
        r->row = ROW_DATA;
        r->record = gs_table_add(r->table, r->c);
        set_field(r, r->column[0], value);
    }
}

static void on_field(void *field, size_t len, void *ctx)
{
    struct reader *r = ctx;
    const char *value = field ? field : "";
    if (r->rc != GS_OK)
        return;
    if (strlen(value) != len)
        complain(r, "?", value, "text without a zero byte");
    else if (r->at == 0)
        first_field(r, value);
    else if (r->row == ROW_HEADER)
        header_field(r, value);
    else if (r->row == ROW_DATA && r->at >= r->ncolumns)
        complain(r, "?", value, "no more fields than the header has");
    else if (r->row == ROW_DATA)
        set_field(r, r->column[r->at], value);
    r->at++;
    for (const char *s = value; *s; s++)
        r->line += *s == '\n';
}

static void end_header(struct reader *r)
{
    for (size_t i = 0; i < r->table->nkey; i++) {
        size_t k = 0;
        while (k < r->ncolumns && r->column[k] != &r->table->fields[i])
            k++;
        if (k == r->ncolumns)
            complain(r, r->table->fields[i].column, "", "this column too: it tells rows apart");
    }
}

static void end_data(struct reader *r)
{
    if (r->at != r->ncolumns)
        r->rc =
            gs_fail(r->err, GS_E_INPUT, "%s:%llu: found %zu fields, expected %zu as in the header",
                    r->path, (unsigned long long)r->line, r->at, r->ncolumns);
    else if (r->given)
        place_given(r);
}

/* End of a row; also called for each empty line (CSV_REPALL_NL), with c = the character that ended
 * it, -1 at the end of the file. */
static void on_row(int c, void *ctx)
{
    struct reader *r = ctx;
    const int second_half = r->after_cr && c == '\n' && r->at == 0;
    r->after_cr = c == '\r';
    if (r->rc == GS_OK && r->row == ROW_DATA)
        end_data(r);
    else if (r->rc == GS_OK && r->row == ROW_HEADER)
        end_header(r);
    if (!second_half)
        r->line++;
    r->at = 0;
    r->row = ROW_NEW;
}

enum gs_rc gs_catalog_read(struct gs_catalog *c, const char *path, const char *text, size_t len,
                           int given, struct gs_err *err)
{
    struct reader r = {.c = c, .path = path, .err = err, .rc = GS_OK, .line = 1, .given = given};
    struct csv_parser p;
    if (csv_init(&p, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL | CSV_REPALL_NL) != 0)
        return gs_fail(err, GS_E_IO, "cannot start the CSV reader");
    if (csv_parse(&p, text, len, on_field, on_row, &r) != len ||
        csv_fini(&p, on_field, on_row, &r) != 0) {
        if (r.rc == GS_OK)
            r.rc = gs_fail(err, GS_E_INPUT, "%s:%llu: not CSV: %s", path,
                           (unsigned long long)r.line, csv_strerror(csv_error(&p)));
    }
    csv_free(&p);
    if (r.rc == GS_OK && !r.table)
        r.rc = gs_fail(err, GS_E_INPUT,
                       "%s: no header row; expected one that starts with a table's word, as 'gpu' "
                       "or 'server'",
                       path);
    return r.rc;
}

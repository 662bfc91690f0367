/* csv.h - CSV with a header line, row by row, columns by name. A thin layer over libcsv that adds what messages need: line
 * numbers (also behind quoted line ends), the number of fields, the name of a missing column. */
#ifndef GS_TRACES_CSV_H
#define GS_TRACES_CSV_H

#include "sim/base/err.h"
#include "sim/base/vec.h"
#include "traces/input.h"

#include <csv.h>

#include <stddef.h>
#include <stdint.h>

struct gs_near; /* table.h */

struct gs_csv {
    struct csv_parser parser;
    struct gs_input *in;
    int64_t next_line;  /* the line that the next byte stands in, from 1 */
    int64_t line;       /* where the current row starts */
    GS_VEC(char) text;  /* fields of the current row, each terminated */
    GS_VEC(size_t) off; /* their starts in text */
    GS_VEC(char) names; /* the header's fields, kept */
    GS_VEC(size_t) name_off;
    char delimiter;
    int row_done, has_nul, open;
    struct gs_near
        *near; /* where guesses note how nearly a table fits the header; NULL = not wanted */
};

/* Reads the header line of `in` (which must outlive c). An empty header, or a name that stands twice, is GS_E_INPUT. An unnamed first column
 * (a data frame's index) is legal and is named "". */
GS_NODISCARD enum gs_rc gs_csv_open(struct gs_csv *c, struct gs_input *in, struct gs_err *err);
/* Another delimiter (TAB) or no header line: then columns have no names, and all rows are data. */
GS_NODISCARD enum gs_rc gs_csv_open_as(struct gs_csv *c, struct gs_input *in, char delimiter,
                                       int header, struct gs_err *err);
void gs_csv_close(struct gs_csv *c);

/* The next row that is not blank: *more = 0 at the end. Errors are of the quoting, and nothing can be read after one.
 * The width is the caller's to check (gs_csv_width), so that it can skip the row. */
GS_NODISCARD enum gs_rc gs_csv_next(struct gs_csv *c, int *more, struct gs_err *err);

size_t gs_csv_columns(const struct gs_csv *c);                  /* of the header */
const char *gs_csv_name(const struct gs_csv *c, size_t column); /* gs_require(column < columns) */
size_t gs_csv_fields(const struct gs_csv *c);                   /* of the current row */
/* Field `column` of the current row; "" for GS_CSV_NONE. gs_require(column < fields). */
const char *gs_csv_field(const struct gs_csv *c, size_t column);

#define GS_CSV_NONE SIZE_MAX
size_t gs_csv_find(const struct gs_csv *c, const char *name); /* GS_CSV_NONE if absent */
/* The same, but a missing column is an error that lists the columns found. */
GS_NODISCARD enum gs_rc gs_csv_need(const struct gs_csv *c, const char *name, size_t *column,
                                    struct gs_err *err);

#endif

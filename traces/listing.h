/* listing.h - small tables that stand beside a scenario: running jobs, planned changes, failures. CSV with a header, columns by name.
 *
 * A thin layer over csv.h for readers that know their columns: which must be there, a row's width, and messages that name file, line and column. */
#ifndef GS_TRACES_LISTING_H
#define GS_TRACES_LISTING_H

#include "sim/base/buf.h"
#include "traces/csv.h"

#define GS_LISTING_COLUMNS 16

/* What a list has: a column that it has not is an error, so that a slip in a name is not a column left empty. */
struct gs_listing_form {
    const char *section, *key; /* of the scenario: where the file is named */
    size_t n, needed;          /* columns; the first so many must be there */

    struct {
        const char *name, *what;
    } column[GS_LISTING_COLUMNS];
};

struct gs_listing {
    struct gs_input in;
    struct gs_csv csv;
    const struct gs_listing_form *form;
    size_t column[GS_LISTING_COLUMNS]; /* where they stand, GS_CSV_NONE */
    uint64_t rows;
    struct gs_err *err; /* where messages go */
};

/* Opens the file and reads its header. gs_listing_close in any case. */
GS_NODISCARD enum gs_rc gs_listing_open(struct gs_listing *l, const char *path, const char *shown,
                                        const struct gs_listing_form *form, struct gs_err *err);
/* The next row, which has as many fields as the header; *more = 0 behind the last, and the file's digest is then known. */
GS_NODISCARD enum gs_rc gs_listing_next(struct gs_listing *l, int *more);
const char *gs_listing_field(const struct gs_listing *l, size_t column); /* "" if not there */
/* "FILE:LINE: column 'NAME': found 'x', expected ..." */
enum gs_rc gs_listing_bad(const struct gs_listing *l, size_t column, const char *expected);
void gs_listing_close(struct gs_listing *l);
/* What a user should know of the form, as gsim help shows it. */
void gs_listing_help(const struct gs_listing_form *form, struct gs_buf *out);

#endif

/* listing.c - see listing.h. O(bytes). */
#include "traces/listing.h"

#include "sim/base/banned.h"

enum gs_rc gs_listing_open(struct gs_listing *l, const char *path, const char *shown,
                           const char *const *names, size_t n, size_t needed, struct gs_err *err)
{
    gs_require(n <= GS_LISTING_COLUMNS);
    *l = (struct gs_listing){.names = names, .err = err};
    enum gs_rc rc = gs_input_open(&l->in, path, shown, err);
    if (!rc)
        rc = gs_csv_open(&l->csv, &l->in, err);
    for (size_t i = 0; i < n && !rc; i++) {
        l->column[i] = gs_csv_find(&l->csv, names[i]);
        if (i < needed && l->column[i] == GS_CSV_NONE)
            rc = gs_csv_need(&l->csv, names[i], &l->column[i], err);
    }
    return rc;
}

enum gs_rc gs_listing_next(struct gs_listing *l, int *more)
{
    const enum gs_rc rc = gs_csv_next(&l->csv, more, l->err);
    if (rc)
        return rc;
    if (!*more)
        return gs_input_finish(&l->in, l->err);
    l->rows++;
    if (gs_csv_fields(&l->csv) == gs_csv_columns(&l->csv))
        return GS_OK;
    return gs_fail(l->err, GS_E_INPUT, "%s:%lld: %zu fields, the header has %zu", l->in.shown,
                   (long long)l->csv.line, gs_csv_fields(&l->csv), gs_csv_columns(&l->csv));
}

const char *gs_listing_field(const struct gs_listing *l, size_t column)
{
    return gs_csv_field(&l->csv, l->column[column]);
}

enum gs_rc gs_listing_bad(const struct gs_listing *l, size_t column, const char *expected)
{
    return gs_fail(l->err, GS_E_INPUT, "%s:%lld: column '%s': found '%s', expected %s", l->in.shown,
                   (long long)l->csv.line, l->names[column], gs_listing_field(l, column), expected);
}

void gs_listing_close(struct gs_listing *l)
{
    gs_csv_close(&l->csv);
    gs_input_close(&l->in);
}

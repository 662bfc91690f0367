/* listing.c - see listing.h. O(bytes). */
#include "traces/listing.h"

#include "sim/base/units.h"

#include <string.h>

#include "sim/base/banned.h"

static enum gs_rc refuse_unknown(const struct gs_listing *l)
{
    for (size_t i = 0; i < gs_csv_columns(&l->csv); i++) {
        const char *name = gs_csv_name(&l->csv, i), *known[GS_LISTING_COLUMNS];
        size_t k = 0;
        for (; k < l->form->n && strcmp(l->form->column[k].name, name) != 0; k++)
            known[k] = l->form->column[k].name;
        if (k < l->form->n)
            continue;
        const char *near = gs_nearest(name, known, k);
        return gs_fail(l->err, GS_E_INPUT,
                       "%s: unknown column '%s'%s%s%s (gsim help %s lists those of this file)",
                       l->in.shown, name, near ? ", did you mean '" : "", near ? near : "",
                       near ? "'?" : "", l->form->section);
    }
    return GS_OK;
}

enum gs_rc gs_listing_open(struct gs_listing *l, const char *path, const char *shown,
                           const struct gs_listing_form *form, struct gs_err *err)
{
    *l = (struct gs_listing){.form = form, .err = err};
    enum gs_rc rc = gs_input_open(&l->in, path, shown, err);
    if (!rc)
        rc = gs_csv_open(&l->csv, &l->in, err);
    for (size_t i = 0; i < form->n && !rc; i++) {
        l->column[i] = gs_csv_find(&l->csv, form->column[i].name);
        if (i < form->needed && l->column[i] == GS_CSV_NONE)
            rc = gs_csv_need(&l->csv, form->column[i].name, &l->column[i], err);
    }
    return rc ? rc : refuse_unknown(l);
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
                   (long long)l->csv.line, l->form->column[column].name,
                   gs_listing_field(l, column), expected);
}

void gs_listing_close(struct gs_listing *l)
{
    gs_csv_close(&l->csv);
    gs_input_close(&l->in);
}

void gs_listing_help(const struct gs_listing_form *form, struct gs_buf *out)
{
    gs_buf_fmt(
        out,
        "The list of [%s] %s: a CSV file whose header names its columns, in any order; * must be there.\n",
        form->section, form->key);
    for (size_t i = 0; i < form->n; i++)
        gs_buf_fmt(out, "  %c %-10s %s\n", i < form->needed ? '*' : ' ', form->column[i].name,
                   form->column[i].what);
}

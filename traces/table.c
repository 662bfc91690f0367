/* table.c - one pass over a file that is a table, driven by struct gs_table.
 *
 * For each row: width, the numbers of the figures, the format's own `row`, and only when all of that is right the figures are
 * added; so a row that is skipped is in no figure. Cost: O(bytes + rows x figures). */
#include "traces/table.h"

#include "sim/base/buf.h"
#include "traces/gsim_csv.h"

#include <string.h>

#include "sim/base/banned.h"

struct scan {
    const struct gs_table *t;
    struct gs_csv csv;
    size_t at[GS_TABLE_FIELDS_MAX]; /* column of each field */
    const char *v[GS_TABLE_FIELDS_MAX];
    size_t least;           /* fields that each row must have, without a header */
    GS_VEC(size_t) unknown; /* columns without a field */
    struct gs_figures *figures;
};

static size_t field_of(const struct gs_table *t, const char *column)
{
    for (size_t i = 0; i < t->nfields; i++) {
        if (strcmp(t->fields[i].name, column) == 0)
            return i;
    }
    return SIZE_MAX;
}

/* The larger share of the needed columns is nearer, then the larger number; the first of equals stays. */
static void note_near(struct gs_near *best, const struct gs_near *now)
{
    const size_t a = now->found * best->needed;
    const size_t b = best->found * now->needed;
    if (now->found && (!best->table || a > b || (a == b && now->found > best->found)))
        *best = *now;
}

int gs_table_fits(const struct gs_table *t, const struct gs_csv *head)
{
    if (!head)
        return 0;
    struct gs_near now = {.table = t};
    for (size_t i = 0; i < t->nfields; i++) {
        if (t->fields[i].flags & GS_FIELD_OPTIONAL)
            continue;
        now.needed++;
        now.found += gs_csv_find(head, t->fields[i].name) != GS_CSV_NONE;
    }
    if (head->near && now.found < now.needed)
        note_near(head->near, &now);
    return now.found == now.needed;
}

/* Where each field stands. Without a header: at its own position. */
static enum gs_rc find_columns(struct scan *k, struct gs_err *err)
{
    const struct gs_table *t = k->t;
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < t->nfields && rc == GS_OK; i++) {
        const int optional = t->fields[i].flags & GS_FIELD_OPTIONAL;
        if (t->no_header) {
            k->at[i] = i;
            k->least = optional ? k->least : i + 1;
        } else if (optional) {
            k->at[i] = gs_csv_find(&k->csv, t->fields[i].name);
        } else {
            rc = gs_csv_need(&k->csv, t->fields[i].name, &k->at[i], err);
        }
    }
    for (size_t c = 0; c < gs_csv_columns(&k->csv); c++) {
        if (field_of(t, gs_csv_name(&k->csv, c)) == SIZE_MAX)
            gs_vec_push(&k->unknown, c);
    }
    return rc;
}

static enum gs_rc check_width(struct scan *k, struct gs_row *r)
{
    const size_t found = gs_csv_fields(&k->csv);
    const size_t most = k->t->no_header ? k->t->nfields : gs_csv_columns(&k->csv);
    const size_t least = k->t->no_header ? k->least : most;
    if (found >= least && found <= most)
        return GS_OK;
    if (k->t->trailing_comma && found == most + 1 && !*gs_csv_field(&k->csv, most))
        return GS_OK;
    r->why = "wrong number of fields";
    if (!k->t->no_header)
        return gs_fail(r->err, GS_E_INPUT,
                       "%s:%lld: %zu fields, the header has %zu (skip bad rows with "
                       "--bad-rows=skip)",
                       r->in->shown, (long long)r->line, found, most);
    return gs_fail(r->err, GS_E_INPUT,
                   "%s:%lld: %zu fields, expected %zu to %zu (skip bad rows with --bad-rows=skip)",
                   r->in->shown, (long long)r->line, found, least, most);
}

/* A column whose name is also a field's was written with this in front (gsim_csv.h). */
static const char *attr_key(const char *column)
{
    const size_t n = sizeof GS_ATTR_PREFIX - 1;
    return strncmp(column, GS_ATTR_PREFIX, n) == 0 ? column + n : column;
}

static void take_fields(struct scan *k, struct gs_scan *s)
{
    const size_t width = gs_csv_fields(&k->csv);
    for (size_t i = 0; i < k->t->nfields; i++) {
        const char *text = k->at[i] < width ? gs_csv_field(&k->csv, k->at[i]) : "";
        k->v[i] = gs_is_null(text) ? "" : text;
        if (k->t->fields[i].flags & GS_FIELD_ATTR)
            gs_scan_attr(s, k->t->fields[i].name, k->v[i]);
    }
    for (size_t i = 0; i < k->unknown.n && k->t->keep_unknown; i++)
        gs_scan_attr(s, attr_key(gs_csv_name(&k->csv, k->unknown.v[i])),
                     gs_csv_field(&k->csv, k->unknown.v[i]));
}

static enum gs_rc take_row(struct scan *k, struct gs_scan *s, struct gs_row *r)
{
    enum gs_rc rc = check_width(k, r);
    if (rc != GS_OK)
        return rc;
    take_fields(k, s);
    if (k->figures)
        rc = gs_figures_take(k->figures, r, k->v);
    if (rc == GS_OK && k->t->row)
        rc = k->t->row(s, r, k->v);
    else
        s->n->emitted += rc == GS_OK;
    if (rc == GS_OK && k->figures)
        gs_figures_add(k->figures, &k->csv, k->v);
    gs_vec_clear(&s->attrs); /* of rows that became no record */
    gs_vec_clear(&s->attempts);
    return rc;
}

/* Columns that are not known: one of them may be a misspelling. */
static void count_unknown(struct scan *k, struct gs_scan *s)
{
    if (k->unknown.n == 0)
        return;
    struct gs_buf text = {0};
    gs_buf_fmt(&text, "column%s not known, %s:", k->unknown.n > 1 ? "s" : "",
               k->t->keep_unknown ? "carried as attributes" : "not used");
    for (size_t i = 0; i < k->unknown.n && text.n < 200; i++)
        gs_buf_fmt(&text, "%s '%.40s'", i ? "," : "", gs_csv_name(&k->csv, k->unknown.v[i]));
    /* the counts keep the pointer: the strings of the scan live as long as they are shown */
    gs_count_assume(s->n, gs_intern_str(s->str, gs_intern(s->str, gs_buf_cstr(&text))),
                    s->n->emitted);
    gs_buf_free(&text);
}

static enum gs_rc scan_rows(struct scan *k, struct gs_scan *s)
{
    enum gs_rc rc = find_columns(k, s->err);
    s->table = &k->csv;
    if (rc == GS_OK && s->info)
        k->figures = gs_figures_new(k->t, k->at);
    for (int more = 1; rc == GS_OK;) {
        rc = gs_csv_next(&k->csv, &more, s->err);
        if (rc != GS_OK || !more)
            break;
        struct gs_row r = gs_scan_row(s, k->csv.line);
        rc = gs_row_end(&r, take_row(k, s, &r));
    }
    if (rc != GS_OK)
        return rc;
    count_unknown(k, s);
    if (k->figures && gs_figures_show(k->figures, &k->csv, s->info))
        gs_count_assume(s->n, "too many different values to count the distinct or repeated ones",
                        s->n->emitted);
    if (s->info && k->t->show)
        k->t->show(s, s->info);
    return GS_OK;
}

const struct gs_table *gs_table_which(const struct gs_table *t, size_t n, const struct gs_csv *head)
{
    for (size_t i = 0; i < n; i++) {
        if (gs_table_fits(&t[i], head))
            return &t[i];
    }
    return NULL;
}

enum gs_rc gs_table_scan_one(struct gs_scan *s, const struct gs_table *t, size_t n)
{
    struct scan k = {.t = t};
    enum gs_rc rc =
        gs_csv_open_as(&k.csv, s->in, t->delimiter ? t->delimiter : ',', !t->no_header, s->err);
    const struct gs_table *fits = rc == GS_OK && n > 1 ? gs_table_which(t, n, &k.csv) : NULL;
    k.t = fits ? fits : t;
    gs_require(k.t->nfields <= GS_TABLE_FIELDS_MAX);
    if (rc == GS_OK)
        rc = scan_rows(&k, s);
    s->table = NULL;
    gs_figures_free(k.figures);
    gs_vec_free(&k.unknown);
    gs_csv_close(&k.csv);
    return rc;
}

enum gs_rc gs_table_scan(struct gs_scan *s, const struct gs_table *t)
{
    return gs_table_scan_one(s, t, 1);
}

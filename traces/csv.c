/* csv.c - CSV rows over libcsv.
 *
 * libcsv pushes: it is given bytes and calls back at each field and row. Readers want to pull, so gs_csv_next feeds one line
 * at a time until a row is complete: a row inside quotes may take several lines, a blank line completes none. Both CR LF
 * and a lone CR end a line, as libcsv has it. Quoting faults are fatal: behind a stray quote nothing can be trusted.
 *
 * Invariant: off.n == number of fields of the current row; each field is terminated in `text`.
 * Cost: O(bytes), one copy a field. Grammar: RFC 4180; blanks around an unquoted field are dropped (libcsv). */
#include "traces/csv.h"

#include "sim/base/buf.h"

#include <string.h>

enum {
    COLUMNS_MAX = 4096
};

static void *csv_resize(void *p, size_t n)
{
    return gs_resize(p, n, 1);
}

static void on_field(void *s, size_t n, void *ctx)
{
    struct gs_csv *c = ctx;
    gs_vec_push(&c->off, c->text.n);
    gs_vec_reserve(&c->text, c->text.n + n + 1);
    if (n)
        memcpy(c->text.v + c->text.n, s, n);
    c->text.v[c->text.n + n] = '\0';
    if (n && memchr(s, 0, n))
        c->has_nul = 1;
    c->text.n += n + 1;
}

static void on_row(int end, void *ctx)
{
    (void)end;
    struct gs_csv *c = ctx;
    c->row_done = 1;
}

/* The end of the line that starts at `at`: behind LF or a lone CR, or the end of the text. */
static size_t line_end(const struct gs_input *in, size_t at)
{
    const char *lf = memchr(in->text + at, '\n', in->n - at);
    const size_t stop = lf ? (size_t)(lf - in->text) : in->n;
    const char *cr = memchr(in->text + at, '\r', stop - at);
    if (cr && (!lf || cr + 1 != lf))
        return (size_t)(cr - in->text) + 1;
    return lf ? stop + 1 : stop;
}

static enum gs_rc quoting(const struct gs_csv *c, struct gs_err *err)
{
    return gs_fail(err, GS_E_INPUT,
                   "%s:%lld: a quote where none may stand, or one that is never closed (write a "
                   "quote inside a quoted field twice)",
                   c->in->shown, (long long)c->line);
}

enum gs_rc gs_csv_next(struct gs_csv *c, int *more, struct gs_err *err)
{
    gs_vec_clear(&c->text);
    gs_vec_clear(&c->off);
    c->row_done = c->has_nul = 0;
    *more = 0;
    int started = 0;
    while (!c->row_done && c->at < c->in->n) {
        const size_t end = line_end(c->in, c->at);
        const size_t n = end - c->at;
        if (!started)
            c->line = c->next_line;
        if (csv_parse(&c->parser, c->in->text + c->at, n, on_field, on_row, c) != n)
            return quoting(c, err);
        c->at = end;
        c->next_line++;
        started = c->off.n > 0 || c->parser.pstate != 0;
    }
    if (!c->row_done && csv_fini(&c->parser, on_field, on_row, c) != 0)
        return quoting(c, err);
    if (c->has_nul)
        return gs_fail(err, GS_E_INPUT, "%s:%lld: a zero byte: this is not a text file",
                       c->in->shown, (long long)c->line);
    *more = c->row_done;
    return GS_OK;
}

static enum gs_rc keep_header(struct gs_csv *c, struct gs_err *err)
{
    if (c->off.n > COLUMNS_MAX) /* names are compared with each other */
        return gs_fail(err, GS_E_INPUT, "%s:%lld: %zu columns, at most %d are read", c->in->shown,
                       (long long)c->line, c->off.n, COLUMNS_MAX);
    for (size_t i = 0; i < c->off.n; i++) {
        const char *name = gs_csv_field(c, i);
        if (gs_csv_find(c, name) != GS_CSV_NONE)
            return gs_fail(err, GS_E_INPUT, "%s:%lld: column '%s' stands twice in the header",
                           c->in->shown, (long long)c->line, name);
        const size_t n = strlen(name) + 1;
        gs_vec_push(&c->name_off, c->names.n);
        gs_vec_reserve(&c->names, c->names.n + n);
        memcpy(c->names.v + c->names.n, name, n);
        c->names.n += n;
    }
    return GS_OK;
}

enum gs_rc gs_csv_open(struct gs_csv *c, const struct gs_input *in, struct gs_err *err)
{
    *c = (struct gs_csv){.in = in, .next_line = 1, .line = 1};
    gs_verify(csv_init(&c->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL) == 0);
    csv_set_realloc_func(&c->parser, csv_resize);
    csv_set_free_func(&c->parser, gs_free);
    csv_set_blk_size(&c->parser, 1 << 16); /* a long field grows in few steps */
    c->open = 1;
    int more = 0;
    const enum gs_rc rc = gs_csv_next(c, &more, err);
    if (rc != GS_OK)
        return rc;
    if (!more)
        return gs_fail(err, GS_E_INPUT, "%s: no header line: the file holds only blank lines",
                       in->shown);
    return keep_header(c, err);
}

void gs_csv_close(struct gs_csv *c)
{
    if (c->open)
        csv_free(&c->parser);
    gs_vec_free(&c->text);
    gs_vec_free(&c->off);
    gs_vec_free(&c->names);
    gs_vec_free(&c->name_off);
    c->open = 0;
}

size_t gs_csv_columns(const struct gs_csv *c)
{
    return c->name_off.n;
}

const char *gs_csv_name(const struct gs_csv *c, size_t column)
{
    gs_require(column < c->name_off.n);
    return c->names.v + c->name_off.v[column];
}

size_t gs_csv_fields(const struct gs_csv *c)
{
    return c->off.n;
}

const char *gs_csv_field(const struct gs_csv *c, size_t column)
{
    if (column == GS_CSV_NONE)
        return "";
    gs_require(column < c->off.n);
    return c->text.v + c->off.v[column];
}

size_t gs_csv_find(const struct gs_csv *c, const char *name)
{
    for (size_t i = 0; i < c->name_off.n; i++) {
        if (strcmp(c->names.v + c->name_off.v[i], name) == 0)
            return i;
    }
    return GS_CSV_NONE;
}

enum gs_rc gs_csv_need(const struct gs_csv *c, const char *name, size_t *column, struct gs_err *err)
{
    *column = gs_csv_find(c, name);
    if (*column != GS_CSV_NONE)
        return GS_OK;
    struct gs_buf found = {0};
    for (size_t i = 0; i < c->name_off.n && i < 32; i++)
        gs_buf_fmt(&found, "%s%s", i ? ", " : "", gs_csv_name(c, i));
    const enum gs_rc rc = gs_fail(err, GS_E_INPUT, "%s:1: no column '%s' in the header (found: %s)",
                                  c->in->shown, name, gs_buf_cstr(&found));
    gs_buf_free(&found);
    return rc;
}

/* csv.c - CSV rows: lines without a quote are split here, those with one by libcsv.
 *
 * libcsv pushes: it is given bytes and calls back at each field and row. Readers want to pull, so gs_csv_next feeds one line
 * at a time until a row is complete: a row inside quotes may take several lines, a blank line completes none. Both CR LF
 * and a lone CR end a line, as libcsv has it. Quoting faults are fatal: behind a stray quote nothing can be trusted.
 * Nearly all lines of traces have no quote, and those need no state machine: one copy of the line, the delimiters overwritten by
 * terminators. Both ways give the same fields.
 *
 * Invariant: off.n == number of fields of the current row; each field is terminated in `text`.
 * Between TABs a quote is a character like others: commands hold them.
 * Cost: O(bytes), one copy a line. Grammar: RFC 4180; blanks around an unquoted field are dropped (libcsv). */
#include "traces/csv.h"

#include "sim/base/buf.h"

#include <string.h>

enum {
    COLUMNS_MAX = 4096,
    ROW_MAX = 64 << 20
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

static enum gs_rc quoting(const struct gs_csv *c, struct gs_err *err)
{
    return gs_fail(err, GS_E_INPUT,
                   "%s:%lld: a quote where none may stand, or one that is never closed (write a "
                   "quote inside a quoted field twice)",
                   c->in->shown, (long long)c->line);
}

static int is_blank(char ch, char delimiter)
{
    return (ch == ' ' || ch == '\t') && ch != delimiter;
}

/* Field [from, to) of c->text: blanks around it go. */
static void cut_field(struct gs_csv *c, size_t from, size_t to)
{
    char *s = c->text.v;
    while (from < to && is_blank(s[from], c->delimiter))
        from++;
    while (to > from && is_blank(s[to - 1], c->delimiter))
        to--;
    s[to] = '\0';
    gs_vec_push(&c->off, from);
}

/* A line without quotes: no row if it is blank. */
static void split_line(struct gs_csv *c, const char *line, size_t n)
{
    gs_vec_reserve(&c->text, n + 1);
    memcpy(c->text.v, line, n);
    c->text.n = n;
    size_t from = 0;
    while (from < n && is_blank(c->text.v[from], c->delimiter))
        from++;
    if (from == n)
        return;
    for (from = 0;;) {
        const char *next = memchr(c->text.v + from, c->delimiter, n - from);
        const size_t to = next ? (size_t)(next - c->text.v) : n;
        cut_field(c, from, to);
        if (!next)
            break;
        from = to + 1;
    }
    c->row_done = 1;
}

/* A line through libcsv, which may want more of them; *started = it does. */
static enum gs_rc parse_line(struct gs_csv *c, const char *line, size_t n, int *started,
                             struct gs_err *err)
{
    if (csv_parse(&c->parser, line, n, on_field, on_row, c) != n)
        return quoting(c, err);
    *started = c->off.n > 0 || c->parser.pstate != 0;
    return GS_OK;
}

static size_t without_end(const char *line, size_t n)
{
    if (n && line[n - 1] == '\n')
        n--;
    return n && line[n - 1] == '\r' ? n - 1 : n;
}

enum gs_rc gs_csv_next(struct gs_csv *c, int *more, struct gs_err *err)
{
    gs_vec_clear(&c->text);
    gs_vec_clear(&c->off);
    c->row_done = c->has_nul = 0;
    *more = 0;
    int started = 0;
    while (!c->row_done) {
        const char *line = NULL;
        size_t n = 0;
        enum gs_rc rc = gs_input_line(c->in, &line, &n, err);
        if (rc != GS_OK)
            return rc;
        if (n == 0)
            break;
        if (!started)
            c->line = c->next_line;
        c->next_line++;
        c->has_nul |= memchr(line, '\0', n) != NULL;
        if (c->delimiter == '\t' || (!started && !memchr(line, '"', n)))
            split_line(c, line, without_end(line, n));
        else
            rc = parse_line(c, line, n, &started, err);
        if (rc != GS_OK)
            return rc;
        if (c->text.n > ROW_MAX)
            return gs_fail(err, GS_E_INPUT,
                           "%s:%lld: a row of over %d MiB: is a quote never closed?", c->in->shown,
                           (long long)c->line, ROW_MAX >> 20);
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

enum gs_rc gs_csv_open(struct gs_csv *c, struct gs_input *in, struct gs_err *err)
{
    return gs_csv_open_as(c, in, ',', 1, err);
}

enum gs_rc gs_csv_open_as(struct gs_csv *c, struct gs_input *in, char delimiter, int header,
                          struct gs_err *err)
{
    *c = (struct gs_csv){.in = in, .next_line = 1, .line = 1, .delimiter = delimiter};
    gs_verify(csv_init(&c->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL) == 0);
    csv_set_delim(&c->parser, (unsigned char)delimiter);
    csv_set_realloc_func(&c->parser, csv_resize);
    csv_set_free_func(&c->parser, gs_free);
    csv_set_blk_size(&c->parser, 1 << 16); /* a long field grows in few steps */
    c->open = 1;
    if (!header)
        return GS_OK;
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

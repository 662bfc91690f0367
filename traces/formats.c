/* formats.c - which reader a file is for: the registry, a name, a look at the first bytes.
 *
 * A name that is none is told with the nearest one; a table that no format takes, with the format that it lacks the fewest columns of.
 * Cost: the first 64 KiB, once for each format. */
#include "traces/formats.h"

#include "sim/base/buf.h"
#include "sim/base/units.h"
#include "traces/reader.h"
#include "traces/table.h"

#include <string.h>

#include "sim/base/banned.h"

#define PROBE ((size_t)64 << 10)

static const struct gs_reader *const readers[] = {
#define X(NAME) &gs_reader_##NAME,
    GS_READERS(X)
#undef X
};

enum {
    READERS = sizeof readers / sizeof readers[0]
};

const struct gs_trace_format *gs_trace_formats(void)
{
    static struct gs_trace_format formats[READERS + 1];
    for (size_t i = 0; i < READERS; i++) {
        const struct gs_reader *r = readers[i];
        formats[i] = (struct gs_trace_format){r->name,
                                              r->what,
                                              r->units,
                                              r->zone,
                                              (r->flags & GS_READER_ESTIMATE) != 0,
                                              (r->flags & GS_READER_NO_RECORDS) != 0,
                                              (r->flags & GS_READER_CALLS) != 0};
    }
    return formats;
}

enum gs_rc gs_trace_format_check(const char *name, struct gs_err *err)
{
    const char *names[READERS];
    for (size_t i = 0; i < READERS; i++) {
        names[i] = readers[i]->name;
        if (strcmp(name, names[i]) == 0)
            return GS_OK;
    }
    const char *near = gs_nearest(name, names, READERS);
    return gs_fail(
        err, GS_E_INPUT, "'%s' is not a trace format%s%s%s (gsim help formats lists all %d)", name,
        near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "", (int)READERS);
}

static enum gs_rc by_name(const char *name, const struct gs_reader **out, struct gs_err *err)
{
    for (size_t i = 0; i < READERS; i++) {
        if (strcmp(name, readers[i]->name) == 0)
            *out = readers[i];
    }
    return gs_trace_format_check(name, err);
}

/* ---- By content -------------------------------------------------------------------------------- */

/* "nearest is gsim: no column 'duration'", from the tables that the header was held against. Fewer than half of the columns are
 * no resemblance. */
static void say_near(struct gs_buf *out, const char *name, const struct gs_near *near,
                     const struct gs_csv *head)
{
    if (!near->table || 2 * near->found < near->needed)
        return;
    gs_buf_fmt(out, " (nearest is %s: no column%s", name,
               near->needed - near->found > 1 ? "s" : "");
    const char *before = " '";
    for (size_t i = 0; i < near->table->nfields; i++) {
        const struct gs_field *f = &near->table->fields[i];
        if ((f->flags & GS_FIELD_OPTIONAL) || gs_csv_find(head, f->name) != GS_CSV_NONE)
            continue;
        gs_buf_fmt(out, "%s%s'", before, f->name);
        before = ", '";
    }
    gs_buf_str(out, ")");
}

/* How a JSON document begins; "{" may also begin a table's header, but none that is known. */
static int begins_json(const struct gs_input *in)
{
    const char *s = in->text + in->at;
    s += strspn(s, " \t\r\n");
    return *s == '{' || *s == '[';
}

static int is_of(const struct gs_reader *r, const struct gs_probe *p)
{
    if (r->guess)
        return r->guess(p);
    return r->table && p->head && gs_table_fits(r->table, p->head);
}

/* Asks each format whether these first bytes are of its file; if none says yes, `near` gets what came nearest. The header line is read
 * from a copy, so that nothing is consumed. */
static enum gs_rc ask(const struct gs_input *in, const struct gs_reader **out, struct gs_buf *near,
                      struct gs_err *err)
{
    const size_t have = in->n - in->at;
    const size_t n = have < PROBE ? have : PROBE;
    struct gs_input copy = {.shown = in->shown,
                            .text = gs_strndup(in->text + in->at, n),
                            .n = strlen(in->text + in->at) < n ? strlen(in->text + in->at) : n,
                            .at_end = 1};
    struct gs_csv head;
    const enum gs_rc csv = gs_csv_open(&head, &copy, err);
    copy.at = 0;
    struct gs_near best = {0};
    const char *best_name = NULL;
    head.near = &best;
    const struct gs_probe p = {
        .text = copy.text, .n = copy.n, .head = csv == GS_OK ? &head : NULL, .name = in->shown};
    for (size_t i = 0; i < READERS && !*out; i++) {
        const struct gs_table *before = best.table;
        if (is_of(readers[i], &p))
            *out = readers[i];
        if (best.table != before)
            best_name = readers[i]->name;
    }
    if (csv == GS_OK && !*out)
        say_near(near, best_name, &best, &head);
    gs_csv_close(&head);
    gs_free(copy.text);
    return csv;
}

static enum gs_rc by_content(struct gs_input *in, const struct gs_reader **out, struct gs_err *err)
{
    enum gs_rc rc = gs_input_ahead(in, PROBE, err);
    if (rc != GS_OK)
        return rc;
    struct gs_buf near = {0};
    const int json = begins_json(in);
    const enum gs_rc csv = ask(in, out, &near, err);
    if (*out) {
        if (err)
            *err = (struct gs_err){0};
        return GS_OK;
    }
    if (csv != GS_OK && !json) {
        /* said of the copy, which may be cut: ask the file itself, which is refused anyway */
        struct gs_csv head;
        rc = gs_csv_open(&head, in, err);
        gs_csv_close(&head);
    }
    if (rc == GS_OK)
        rc = gs_fail(err, GS_E_INPUT,
                     "%s: this is %s%s; if it is one, say which: "
                     "--format=NAME, in a scenario format = NAME (gsim help formats lists them)",
                     in->shown, json ? "JSON of no known format" : "none of the known formats",
                     gs_buf_cstr(&near));
    gs_buf_free(&near);
    return rc;
}

enum gs_rc gs_reader_find(const char *format, struct gs_input *in, const struct gs_reader **out,
                          struct gs_err *err)
{
    *out = NULL;
    return format ? by_name(format, out, err) : by_content(in, out, err);
}

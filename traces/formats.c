/* formats.c - which reader a file is for: the registry, a name, a look at the first bytes. */
#include "traces/formats.h"

#include "sim/base/buf.h"
#include "sim/base/units.h"
#include "traces/reader.h"

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
                                              (r->flags & GS_READER_NO_RECORDS) != 0};
    }
    return formats;
}

static enum gs_rc by_name(const char *name, const struct gs_reader **out, struct gs_err *err)
{
    const char *names[READERS];
    struct gs_buf known = {0};
    for (size_t i = 0; i < READERS; i++) {
        names[i] = readers[i]->name;
        gs_buf_fmt(&known, "%s%s", i ? ", " : "", names[i]);
        if (strcmp(name, names[i]) == 0)
            *out = readers[i];
    }
    enum gs_rc rc = GS_OK;
    if (!*out) {
        const char *near = gs_nearest(name, names, READERS);
        rc = gs_fail(err, GS_E_INPUT, "'%s' is not a trace format (known: %s)%s%s%s", name,
                     gs_buf_cstr(&known), near ? "; did you mean '" : "", near ? near : "",
                     near ? "'?" : "");
    }
    gs_buf_free(&known);
    return rc;
}

/* Asks each format whether these first bytes are of its file. The header line is read from a copy, so that nothing is consumed. */
static enum gs_rc ask(const struct gs_input *in, const struct gs_reader **out, struct gs_err *err)
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
    const struct gs_probe p = {
        .text = copy.text, .n = copy.n, .head = csv == GS_OK ? &head : NULL, .name = in->shown};
    for (size_t i = 0; i < READERS && !*out; i++) {
        if (readers[i]->guess && readers[i]->guess(&p))
            *out = readers[i];
    }
    gs_csv_close(&head);
    gs_free(copy.text);
    return csv;
}

static enum gs_rc by_content(struct gs_input *in, const struct gs_reader **out, struct gs_err *err)
{
    const enum gs_rc rc = gs_input_ahead(in, PROBE, err);
    if (rc != GS_OK)
        return rc;
    const enum gs_rc csv = ask(in, out, err);
    if (*out) {
        if (err)
            *err = (struct gs_err){0};
        return GS_OK;
    }
    if (csv !=
        GS_OK) { /* said of the copy, which may be cut: ask the file itself, which is refused anyway */
        struct gs_csv head;
        const enum gs_rc whole = gs_csv_open(&head, in, err);
        gs_csv_close(&head);
        if (whole != GS_OK)
            return whole;
    }
    struct gs_buf known = {0};
    for (size_t i = 0; i < READERS; i++)
        gs_buf_fmt(&known, "%s%s", i ? ", " : "", readers[i]->name);
    const enum gs_rc none = gs_fail(
        err, GS_E_INPUT, "%s: this is none of the known formats (%s); say which with format = NAME",
        in->shown, gs_buf_cstr(&known));
    gs_buf_free(&known);
    return none;
}

enum gs_rc gs_reader_find(const char *format, struct gs_input *in, const struct gs_reader **out,
                          struct gs_err *err)
{
    *out = NULL;
    return format ? by_name(format, out, err) : by_content(in, out, err);
}

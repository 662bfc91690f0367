/* json.c - JSON traces over jansson: arrays element by element, a document a line, or one document.
 *
 * jansson parses a value that is whole in memory. An array of records may be larger than that, so its elements are cut out here
 * first: only strings and brackets matter for where one ends. Each element is then parsed by itself, so memory is that of
 * one record and line numbers are right. Everything is read with JSON_REJECT_DUPLICATES.
 * Cost: O(bytes), each looked at twice. Format: RFC 8259. */
#include "sim/base/buf.h"
#include "traces/decimal.h"
#include "traces/reader.h"

#include <string.h>

#include "sim/base/banned.h"

#define ELEMENT_MAX ((size_t)64 << 20)
#define LOAD_FLAGS  (JSON_REJECT_DUPLICATES | JSON_DECODE_ANY)

static enum gs_rc parse(const struct gs_input *in, const char *text, size_t n, int64_t line,
                        json_t **out, struct gs_err *err)
{
    json_error_t why;
    *out = json_loadb(text, n, LOAD_FLAGS, &why);
    if (*out)
        return GS_OK;
    const int64_t at = why.line > 0 ? line + why.line - 1 : line;
    return gs_fail(err, GS_E_INPUT, "%s:%lld: not JSON: %s", in->shown, (long long)at, why.text);
}

enum gs_rc gs_json_line(struct gs_input *in, json_t **out, int64_t *line, struct gs_err *err)
{
    *out = NULL;
    for (;;) {
        const char *s = NULL;
        size_t n = 0;
        const enum gs_rc rc = gs_input_line(in, &s, &n, err);
        if (rc != GS_OK || n == 0)
            return rc;
        *line = ++in->line;
        size_t blanks = 0;
        while (blanks < n && strchr(" \t\r\n", s[blanks]) && s[blanks])
            blanks++;
        if (blanks < n)
            return parse(in, s, n, *line, out, err);
    }
}

enum gs_rc gs_json_document(struct gs_input *in, json_t **out, struct gs_err *err)
{
    *out = NULL;
    const enum gs_rc rc = gs_input_rest(in, err);
    if (rc != GS_OK)
        return rc;
    const char *s = in->text + in->at;
    const size_t n = in->n - in->at;
    in->at = in->n;
    return parse(in, s, n, 1, out, err);
}

/* ---- Elements ---------------------------------------------------------------------------------- */

/* Stands at the next byte that is not blank; 0 = the end. */
static enum gs_rc skip_blanks(struct gs_input *in, char *next, struct gs_err *err)
{
    for (;;) {
        const enum gs_rc rc = gs_input_ahead(in, 1, err);
        *next = in->n > in->at ? in->text[in->at] : '\0';
        if (rc != GS_OK || *next == '\0' || !strchr(" \t\r\n", *next))
            return rc;
        in->line += *next == '\n';
        in->at++;
    }
}

struct cut {
    size_t n; /* bytes looked at */
    int depth, in_string, escaped;
};

/* Looks at one more byte: 1 = the element ends behind it, -1 = before it. */
static int cut_byte(struct cut *c, char ch)
{
    if (c->in_string) {
        c->in_string = c->escaped || ch != '"';
        c->escaped = !c->escaped && ch == '\\';
        return c->depth == 0 && !c->in_string;
    }
    if (ch == '"') {
        c->in_string = 1;
    } else if (ch == '{' || ch == '[') {
        c->depth++;
    } else if (ch == '}' || ch == ']') {
        return c->depth == 0 ? -1 : --c->depth == 0;
    } else if (c->depth == 0 &&
               (ch == ',' || ch == ' ' || ch == '\n' || ch == '\r' || ch == '\t')) {
        return -1;
    }
    return 0;
}

/* The length of the value that starts at in->at; 0 if the file ends inside it. */
static enum gs_rc value_length(struct gs_input *in, size_t *len, struct gs_err *err)
{
    struct cut c = {0};
    *len = 0;
    for (;;) {
        for (; c.n < in->n - in->at; c.n++) {
            const int end = cut_byte(&c, in->text[in->at + c.n]);
            if (end) {
                *len = c.n + (end > 0);
                return GS_OK;
            }
        }
        if (in->at_end)
            return GS_OK;
        if (c.n > ELEMENT_MAX)
            return gs_fail(err, GS_E_INPUT, "%s: a JSON value of over %zu MiB", in->shown,
                           ELEMENT_MAX >> 20);
        const enum gs_rc rc = gs_input_ahead(in, c.n + 1, err);
        if (rc != GS_OK)
            return rc;
    }
}

static int64_t count_lines(const char *s, size_t n)
{
    int64_t lines = 0;
    for (const char *lf = memchr(s, '\n', n); lf;
         lf = memchr(lf + 1, '\n', n - (size_t)(lf + 1 - s)))
        lines++;
    return lines;
}

static enum gs_rc broken(const struct gs_input *in, const char *what, struct gs_err *err)
{
    return gs_fail(err, GS_E_INPUT, "%s:%lld: not JSON: %s", in->shown, (long long)in->line, what);
}

/* Behind the `[` or the `,` that comes before an element, or behind the `]` (*end = 1). */
static enum gs_rc next_element(struct gs_input *in, int *end, struct gs_err *err)
{
    const int first = in->line == 0;
    in->line += first;
    char next = 0;
    enum gs_rc rc = skip_blanks(in, &next, err);
    if (rc != GS_OK)
        return rc;
    if (!first && next != ',' && next != ']')
        return broken(in, next ? "expected , or ]" : "the file ends inside the array", err);
    const int mark = next == (first ? '[' : ',');
    in->at += (size_t)mark;
    if (mark)
        rc = skip_blanks(in, &next, err);
    *end = next == ']' && (first || !mark);
    if (rc == GS_OK && *end) {
        in->at++;
        rc = skip_blanks(in, &next, err);
        if (rc == GS_OK && next)
            rc = broken(in, "something else stands behind the array", err);
    }
    return rc;
}

enum gs_rc gs_json_element(struct gs_input *in, json_t **out, int64_t *line, struct gs_err *err)
{
    *out = NULL;
    int end = 0;
    enum gs_rc rc = next_element(in, &end, err);
    if (rc != GS_OK || end)
        return rc;
    *line = in->line;
    size_t n = 0;
    rc = value_length(in, &n, err);
    if (rc != GS_OK)
        return rc;
    if (n == 0)
        return broken(in, "the file ends inside the array", err);
    rc = parse(in, in->text + in->at, n, *line, out, err);
    in->line += count_lines(in->text + in->at, n);
    in->at += n;
    return rc;
}

const char *gs_json_text(const json_t *object, const char *key, char *buf, size_t n)
{
    const json_t *v = json_object_get(object, key);
    if (json_is_string(v))
        return json_string_value(v);
    if (json_is_integer(v)) {
        (void)gs_fmt(buf, n, "%lld", (long long)json_integer_value(v));
    } else if (json_is_real(v)) {
        (void)gs_fmt(buf, n, "%.17g", json_real_value(v));
        double back = 0; /* the shortest text that reads back the same */
        for (int digits = 1; digits < 17; digits++) {
            char shorter[64];
            (void)gs_fmt(shorter, sizeof shorter, "%.*g", digits, json_real_value(v));
            /* NOLINTNEXTLINE(cert-err34-c): our own text of a finite number */
            if (sscanf(shorter, "%lf", &back) == 1 && !(back < json_real_value(v)) &&
                !(back > json_real_value(v))) {
                (void)gs_fmt(buf, n, "%s", shorter);
                break;
            }
        }
    } else if (json_is_true(v) || json_is_false(v)) {
        return json_is_true(v) ? "true" : "false";
    } else {
        return "";
    }
    return buf;
}

/* input.c - the window over an input: lines, a look ahead, or all that is left.
 *
 * Invariant: text is terminated by a 0 that n does not count, so that a scan over digits needs no bounds check; [at, lf) holds
 * no LF, so that a file with lone CRs does not cost a search of the whole window a line.
 * Cost: O(bytes); the window is a block, or as much as the longest line or document. */
#include "traces/input.h"

#include "sim/base/mem.h"
#include "traces/source.h"

#include <string.h>

#include "sim/base/banned.h"

#define CHUNK    ((size_t)1 << 17)
#define LINE_MAX ((size_t)64 << 20)
#define REST_MAX ((size_t)2 << 30)

/* More text behind the window, what is consumed before it thrown away. */
static enum gs_rc fill(struct gs_input *in, struct gs_err *err)
{
    if (in->at > 0) {
        memmove(in->text, in->text + in->at, in->n - in->at);
        in->n -= in->at;
        in->lf -= in->at;
        in->at = 0;
    }
    if (in->cap - in->n < CHUNK + 1) {
        in->cap = in->cap ? in->cap * 2 : 2 * CHUNK;
        in->text = gs_resize(in->text, in->cap, 1);
    }
    size_t got = 0;
    const enum gs_rc rc =
        in->source ? gs_source_read(in->source, in->text + in->n, in->cap - in->n - 1, &got, err)
                   : GS_OK;
    in->at_end = got == 0;
    in->n += got;
    in->text[in->n] = '\0';
    return rc;
}

/* The lf of the window: to be called when the one before is consumed. */
static void find_lf(struct gs_input *in, size_t from)
{
    const char *lf = memchr(in->text + from, '\n', in->n - from);
    in->lf = lf ? (size_t)(lf - in->text) : in->n;
}

enum gs_rc gs_input_ahead(struct gs_input *in, size_t want, struct gs_err *err)
{
    enum gs_rc rc = GS_OK;
    while (rc == GS_OK && in->n - in->at < want && !in->at_end)
        rc = fill(in, err);
    return rc;
}

/* Where the line that starts at `at` ends, or 0 if the window does not tell. */
static size_t line_end(struct gs_input *in)
{
    if (in->lf < in->at || (in->lf < in->n && in->text[in->lf] != '\n'))
        find_lf(in, in->lf < in->at ? in->at : in->lf);
    const char *s = in->text + in->at;
    const char *cr = memchr(s, '\r', in->lf - in->at);
    const size_t behind = cr ? (size_t)(cr - in->text) + 1 : 0;
    if (cr && behind < in->n)
        return behind == in->lf ? behind + 1 : behind;
    if (in->lf < in->n)
        return in->lf + 1;
    return in->at_end ? in->n : 0;
}

enum gs_rc gs_input_line(struct gs_input *in, const char **line, size_t *len, struct gs_err *err)
{
    *len = 0;
    size_t end = line_end(in);
    while (end == 0) {
        if (in->n - in->at > LINE_MAX)
            return gs_fail(err, GS_E_INPUT, "%s: a line of over %zu MiB: this is not a table",
                           in->shown, LINE_MAX >> 20);
        const enum gs_rc rc = fill(in, err);
        if (rc != GS_OK)
            return rc;
        if (in->n == 0)
            break;
        end = line_end(in);
    }
    *line = in->text + in->at;
    *len = end > in->at ? end - in->at : 0;
    in->at += *len;
    return GS_OK;
}

enum gs_rc gs_input_rest(struct gs_input *in, struct gs_err *err)
{
    enum gs_rc rc = GS_OK;
    while (rc == GS_OK && !in->at_end) {
        rc = fill(in, err);
        if (rc == GS_OK && in->n > REST_MAX)
            rc = gs_fail(err, GS_E_INPUT, "%s: one document of over 2 GiB", in->shown);
    }
    return rc;
}

enum gs_rc gs_input_finish(struct gs_input *in, struct gs_err *err)
{
    in->at = in->n = in->lf = 0;
    in->at_end = 1;
    return in->source ? gs_source_finish(in->source, &in->stored, in->digest, err) : GS_OK;
}

/* The first window: what cannot be text is told here. */
static enum gs_rc begin(struct gs_input *in, struct gs_err *err)
{
    const enum gs_rc rc = gs_input_ahead(in, 4, err);
    if (rc != GS_OK)
        return rc;
    const unsigned char *p = (const unsigned char *)in->text;
    if (in->n >= 2 && ((p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0xfe && p[1] == 0xff)))
        return gs_fail(err, GS_E_INPUT, "%s: this is UTF-16: save it as UTF-8 (iconv -f UTF-16)",
                       in->shown);
    if (in->n >= 3 && p[0] == 0xef && p[1] == 0xbb && p[2] == 0xbf)
        in->at = in->lf = 3;
    return GS_OK;
}

enum gs_rc gs_input_open(struct gs_input *in, const char *path, const char *shown,
                         struct gs_err *err)
{
    gs_require(in && path);
    *in = (struct gs_input){.shown = shown ? shown : path};
    enum gs_rc rc = gs_source_open(&in->source, path, in->shown, err);
    if (rc == GS_OK)
        rc = begin(in, err);
    if (rc != GS_OK)
        gs_input_close(in);
    return rc;
}

enum gs_rc gs_input_from(struct gs_input *in, const void *bytes, size_t n, const char *shown,
                         struct gs_err *err)
{
    gs_require(in && shown && (bytes || n == 0));
    *in = (struct gs_input){.shown = shown};
    enum gs_rc rc = gs_source_from(&in->source, bytes, n, in->shown, err);
    if (rc == GS_OK)
        rc = begin(in, err);
    if (rc != GS_OK)
        gs_input_close(in);
    return rc;
}

void gs_input_close(struct gs_input *in)
{
    gs_source_close(in->source);
    gs_free(in->text);
    *in = (struct gs_input){0};
}

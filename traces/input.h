/* input.h - an input file read front to back, in a window: plain, gzip, or a member of a tar archive (told by the first bytes,
 * not by the name), with the digest of the bytes as stored. Memory is bounded by the longest line.
 *
 * `a.tar.gz` means its only regular file (names that start with "._" are not counted); `a.tar.gz:MEMBER` names one.
 * Faults (truncated or damaged gzip, something behind it, a line over 64 MiB, a read error) surface at the call that meets them. */
#ifndef GS_TRACES_INPUT_H
#define GS_TRACES_INPUT_H

#include "sim/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct gs_input_source; /* how bytes come: opaque (source.h) */

struct gs_input {
    const char *shown; /* the name for messages; not owned */
    char *text;        /* window: text[at..n) is not consumed yet; text[n] is 0 */
    size_t at, n, cap;
    size_t lf;    /* no LF stands in text[at..lf); text[lf] is one if lf < n */
    int at_end;   /* nothing behind the window */
    int64_t line; /* json.c: where `at` stands, 0 = not begun */
    struct gs_input_source *source;
    uint64_t stored; /* bytes of the file; valid after gs_input_finish */
    char digest
        [33]; /* xxh128 of the stored bytes, hex (as `xxhsum -H2` prints it); valid after gs_input_finish */
};

/* Opens `path`; `shown` (NULL = path) names it in messages and must outlive the input. A missing file, a directory, a device, an empty
 * file are GS_E_INPUT; a read error is GS_E_IO. A UTF-8 byte-order mark is passed over. On failure *in is empty. */
GS_NODISCARD enum gs_rc gs_input_open(struct gs_input *in, const char *path, const char *shown,
                                      struct gs_err *err);
/* The same from bytes in memory (copied). */
GS_NODISCARD enum gs_rc gs_input_from(struct gs_input *in, const void *bytes, size_t n,
                                      const char *shown, struct gs_err *err);
void gs_input_close(struct gs_input *in);

/* At least `want` bytes in the window if the file has them: in->text + in->at, in->n - in->at of them. Consumes nothing. */
GS_NODISCARD enum gs_rc gs_input_ahead(struct gs_input *in, size_t want, struct gs_err *err);
/* The next line with its end (LF, CR LF or lone CR; none behind the last), valid until the next call. *len = 0 at the end of the file. */
GS_NODISCARD enum gs_rc gs_input_line(struct gs_input *in, const char **line, size_t *len,
                                      struct gs_err *err);
/* Everything that is left, in the window: for formats that are one document. At most 2 GiB. */
GS_NODISCARD enum gs_rc gs_input_rest(struct gs_input *in, struct gs_err *err);
/* Passes over what is left, so that the digest is that of the whole file. */
GS_NODISCARD enum gs_rc gs_input_finish(struct gs_input *in, struct gs_err *err);

#endif

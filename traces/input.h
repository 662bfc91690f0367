/* input.h - a whole input file in memory: plain or gzip (told by its first bytes, not by its name), with the digest of
 * the bytes as stored. Every trace reader and the empirical distributions start here. */
#ifndef GS_TRACES_INPUT_H
#define GS_TRACES_INPUT_H

#include "sim/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct gs_input {
    const char *shown; /* the name for messages; not owned */
    char *text;        /* unpacked, without a UTF-8 byte-order mark; text[n] is 0 */
    size_t n;
    uint64_t stored; /* bytes of the file */
    char digest[33]; /* xxh128 of the stored bytes, hex (as `xxhsum -H2` prints it) */
};

/* Reads `path`; `shown` (NULL = path) names it in messages and must outlive the input. A missing file, a directory, an empty
 * file, a truncated or damaged gzip are GS_E_INPUT; a read error is GS_E_IO. On failure *in is empty. */
GS_NODISCARD enum gs_rc gs_input_read(struct gs_input *in, const char *path, const char *shown,
                                      struct gs_err *err);
/* The same from bytes in memory (copied). */
GS_NODISCARD enum gs_rc gs_input_from(struct gs_input *in, const void *bytes, size_t n,
                                      const char *shown, struct gs_err *err);
void gs_input_release(struct gs_input *in);

#endif

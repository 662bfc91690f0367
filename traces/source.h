/* source.h - the bytes behind an input: a file or memory, unpacked (gzip) and taken out of its archive (tar) on the way.
 *
 * Seen by input.c only. One block is held, whatever the file's size; the digest is that of the bytes as stored. */
#ifndef GS_TRACES_SOURCE_H
#define GS_TRACES_SOURCE_H

#include "sim/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct gs_input_source;

/* `path` may be FILE:MEMBER. */
GS_NODISCARD enum gs_rc gs_source_open(struct gs_input_source **out, const char *path,
                                       const char *shown, struct gs_err *err);
GS_NODISCARD enum gs_rc gs_source_from(struct gs_input_source **out, const void *bytes, size_t n,
                                       const char *shown, struct gs_err *err);
void gs_source_close(struct gs_input_source *s);

/* Up to cap bytes; *got = 0 at the end only. */
GS_NODISCARD enum gs_rc gs_source_read(struct gs_input_source *s, void *buf, size_t cap,
                                       size_t *got, struct gs_err *err);
/* Passes over what is left and says what was stored. */
GS_NODISCARD enum gs_rc gs_source_finish(struct gs_input_source *s, uint64_t *stored,
                                         char digest[33], struct gs_err *err);

#endif

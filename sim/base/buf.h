/* buf.h - a growing text buffer (messages, scripts, JSON). Zero-initialised is valid; text is always terminated. */
#ifndef GS_BASE_BUF_H
#define GS_BASE_BUF_H

#include "sim/base/attr.h"

#include <stddef.h>

struct gs_buf {
    char *s; /* NULL while empty */
    size_t n, cap;
};

void gs_buf_add(struct gs_buf *b, const char *s, size_t n);
void gs_buf_str(struct gs_buf *b, const char *s);
void gs_buf_fmt(struct gs_buf *b, const char *fmt, ...) GS_PRINTF(2, 3);
void gs_buf_clear(struct gs_buf *b);
void gs_buf_free(struct gs_buf *b);
const char *gs_buf_cstr(const struct gs_buf *b); /* "" while empty */

#endif

/* utf8.h - what is text and what is not: UTF-8 as RFC 3629 has it. */
#ifndef GS_BASE_UTF8_H
#define GS_BASE_UTF8_H

#include "sim/base/buf.h"

/* Length of the sequence at s[0..n), n >= 1; 0 if there is none. */
size_t gs_utf8_length(const unsigned char *s, size_t n);
/* Appends text as it may be shown: a byte that is not UTF-8, and a control character, becomes '?'. */
void gs_utf8_clean(struct gs_buf *out, const char *text);
/* The same where the reader should see what stood there: each such byte becomes \xNN. Line ends and tabs stay: messages have them. */
void gs_utf8_escape(struct gs_buf *out, const char *text);

#endif

/* buf.c - a growing text buffer.
 *
 * Capacity doubles, so appending n bytes in any pieces is O(n). Invariant: s == NULL, or n < cap
 * and s[n] == '\0'. */
#include "sim/base/buf.h"

#include "sim/base/mem.h"
#include "sim/base/vec.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/banned.h"

/* Room for n more bytes and the terminator. */
static void make_room(struct gs_buf *b, size_t n)
{
    gs_require(n < SIZE_MAX / 4 && b->n < SIZE_MAX / 4);
    const size_t need = b->n + n + 1;
    if (need <= b->cap)
        return;
    b->cap = gs_vec_room(b->cap ? b->cap : 64, need);
    b->s = gs_resize(b->s, b->cap, 1);
}

void gs_buf_add(struct gs_buf *b, const char *s, size_t n)
{
    make_room(b, n);
    if (n)
        memcpy(b->s + b->n, s, n);
    b->n += n;
    b->s[b->n] = '\0';
}

void gs_buf_str(struct gs_buf *b, const char *s)
{
    gs_buf_add(b, s, strlen(s));
}

void gs_buf_fmt(struct gs_buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    va_list again;
    va_copy(again, ap);
    make_room(b, 0);
    const size_t room = b->cap - b->n;
    const int wanted = vsnprintf(b->s + b->n, room, fmt, ap);
    va_end(ap);
    gs_require(wanted >= 0);
    if ((size_t)wanted >= room) {
        make_room(b, (size_t)wanted);
        vsnprintf(b->s + b->n, (size_t)wanted + 1, fmt, again);
    }
    va_end(again);
    b->n += (size_t)wanted;
}

void gs_buf_clear(struct gs_buf *b)
{
    b->n = 0;
    if (b->s)
        b->s[0] = '\0';
}

void gs_buf_free(struct gs_buf *b)
{
    gs_free(b->s);
    *b = (struct gs_buf){0};
}

const char *gs_buf_cstr(const struct gs_buf *b)
{
    return b->s ? b->s : "";
}

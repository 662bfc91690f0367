/* utf8.c - UTF-8: the length of a sequence, and text that may be shown on a terminal or written as JSON. */
#include "sim/base/utf8.h"

#include <string.h>

#include "sim/base/banned.h"

/* The second byte's range rules out overlong forms and surrogates. */
size_t gs_utf8_length(const unsigned char *s, size_t n)
{
    static const struct {
        unsigned char first, last, low, high; /* of the first byte; of the second */
        size_t length;
    } forms[] = {
        {0x00, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};

    size_t f = 0;
    while (f < sizeof forms / sizeof *forms && (s[0] < forms[f].first || s[0] > forms[f].last))
        f++;
    if (f == sizeof forms / sizeof *forms || forms[f].length > n)
        return 0;
    if (forms[f].length > 1 && (s[1] < forms[f].low || s[1] > forms[f].high))
        return 0;
    for (size_t i = 2; i < forms[f].length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return forms[f].length;
}

/* Length of what may be shown of s[0..n); 0 for a byte that is no text or a control character. U+0080 .. U+009F are such: some
 * terminals obey them as they do ESC. */
static size_t shown_length(const char *s, size_t n)
{
    const unsigned char *u = (const unsigned char *)s;
    const int control = u[0] < 0x20 || u[0] == 0x7f || (u[0] == 0xc2 && n > 1 && u[1] < 0xa0);
    return control ? 0 : gs_utf8_length(u, n);
}

void gs_utf8_clean(struct gs_buf *out, const char *text)
{
    for (size_t n = strlen(text); n;) {
        const size_t length = shown_length(text, n);
        if (length)
            gs_buf_add(out, text, length);
        else
            gs_buf_str(out, "?");
        text += length ? length : 1;
        n -= length ? length : 1;
    }
}

void gs_utf8_escape(struct gs_buf *out, const char *text)
{
    for (size_t n = strlen(text); n;) {
        size_t length = shown_length(text, n);
        if (!length && (*text == '\n' || *text == '\t'))
            length = 1;
        if (length)
            gs_buf_add(out, text, length);
        else
            gs_buf_fmt(out, "\\x%02x", (unsigned char)*text);
        text += length ? length : 1;
        n -= length ? length : 1;
    }
}

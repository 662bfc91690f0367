/* words.c - splits the text of a distribution or an arrival process into words.
 *
 * A blank separates words unless it stands inside parentheses; a word with '=' before any parenthesis is key=value. Each word
 * is handed out once: what is left over at the end was not understood, and is reported rather than ignored.
 * Cost: O(length), and O(words) a look-up. */
#include "traces/synth/words.h"

#include <string.h>

#include "sim/base/banned.h"

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The end of the word at s; NULL if parentheses do not match. */
static const char *word_end(const char *s)
{
    int depth = 0;
    for (; *s && (depth > 0 || !is_blank(*s)); s++) {
        depth += *s == '(';
        depth -= *s == ')';
        if (depth < 0)
            return NULL;
    }
    return depth ? NULL : s;
}

static struct gs_word make_word(const char *s, size_t n, struct gs_arena *a)
{
    struct gs_word w = {0};
    if (s[0] == '(' && s[n - 1] == ')') {
        w.is_group = 1;
        w.value = gs_arena_str(a, s + 1, n - 2);
        return w;
    }
    const char *equals = memchr(s, '=', n);
    if (equals && equals > s) {
        const size_t k = (size_t)(equals - s);
        w.key = gs_arena_str(a, s, k);
        w.value = gs_arena_str(a, equals + 1, n - k - 1);
    } else {
        w.value = gs_arena_str(a, s, n);
    }
    return w;
}

enum gs_rc gs_words_split(const char *text, struct gs_arena *a, struct gs_words *out,
                          struct gs_err *err)
{
    *out = (struct gs_words){0};
    out->v = gs_arena_alloc(a, GS_WORDS_MAX * sizeof *out->v, sizeof(void *));
    for (const char *s = text;;) {
        while (is_blank(*s))
            s++;
        if (!*s)
            return GS_OK;
        const char *end = word_end(s);
        if (!end)
            return gs_fail(err, GS_E_INPUT, "'%s': the parentheses do not match", text);
        if (out->n == GS_WORDS_MAX)
            return gs_fail(err, GS_E_INPUT,
                           "over %d words (put long tables into a file: empirical "
                           "FILE COLUMN)",
                           GS_WORDS_MAX);
        out->v[out->n++] = make_word(s, (size_t)(end - s), a);
        s = end;
    }
}

const char *gs_words_key(struct gs_words *w, const char *key)
{
    for (size_t i = 0; i < w->n; i++) {
        if (w->v[i].key && !w->v[i].used && strcmp(w->v[i].key, key) == 0) {
            w->v[i].used = 1;
            return w->v[i].value;
        }
    }
    return NULL;
}

struct gs_word *gs_words_plain(struct gs_words *w)
{
    for (size_t i = 0; i < w->n; i++) {
        if (!w->v[i].key && !w->v[i].used) {
            w->v[i].used = 1;
            return &w->v[i];
        }
    }
    return NULL;
}

enum gs_rc gs_words_done(const struct gs_words *w, struct gs_err *err)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct gs_word *x = &w->v[i];
        if (!x->used)
            return gs_fail(err, GS_E_INPUT, "'%s%s%s' is not understood here", x->key ? x->key : "",
                           x->key ? "=" : "", x->value);
    }
    return GS_OK;
}

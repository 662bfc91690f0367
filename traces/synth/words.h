/* words.h - the words of a value such as `lognormal median=30m sigma=1.7 clip=1m..2d`: blank separated, (…) kept together,
 * key=value told from plain words. */
#ifndef GS_TRACES_SYNTH_WORDS_H
#define GS_TRACES_SYNTH_WORDS_H

#include "sim/base/err.h"
#include "sim/base/mem.h"

#include <stddef.h>

struct gs_word {
    const char *key;   /* NULL for a plain word */
    const char *value; /* of a group: its inside */
    int is_group, used;
};

#define GS_WORDS_MAX 256

struct gs_words {
    struct gs_word *v; /* in the arena */
    size_t n;
};

/* Parentheses that do not match, and more than GS_WORDS_MAX words, are GS_E_INPUT. */
GS_NODISCARD enum gs_rc gs_words_split(const char *text, struct gs_arena *a, struct gs_words *out,
                                       struct gs_err *err);
/* The value of `key`, marked as used; NULL if absent. */
const char *gs_words_key(struct gs_words *w, const char *key);
/* The next unused plain word, marked as used; NULL if there is none. */
struct gs_word *gs_words_plain(struct gs_words *w);
/* A word that nobody used is an error that names it. */
GS_NODISCARD enum gs_rc gs_words_done(const struct gs_words *w, struct gs_err *err);

#endif

/* intern.c - one copy of each string, numbered in order of first use.
 *
 * Texts live in an arena and never move; an open-addressing table of id+1 finds them by hash, with
 * linear probing and at most half full. Nothing walks the table, so ids depend on the order of
 * insertion alone. */
#include "sim/base/intern.h"

#include "sim/base/attr.h"
#include "sim/base/map.h"

#include <string.h>

#include "sim/base/banned.h"

#define FIRST_SLOTS 64u

/* The slot that holds s[0..len), or the free one where it belongs. */
static uint32_t find_slot(const struct gs_intern *t, const char *s, size_t len)
{
    const uint32_t mask = t->nslots - 1;
    uint32_t i = (uint32_t)gs_hash_bytes(s, len) & mask;
    for (; t->slots[i]; i = (i + 1) & mask) {
        const char *known = t->str[t->slots[i] - 1];
        if (strncmp(known, s, len) == 0 && known[len] == '\0')
            break;
    }
    return i;
}

static void rehash(struct gs_intern *t, uint32_t nslots)
{
    gs_free(t->slots);
    t->slots = GS_NEW_N(uint32_t, nslots);
    t->nslots = nslots;
    for (uint32_t id = 0; id < t->n; id++)
        t->slots[find_slot(t, t->str[id], strlen(t->str[id]))] = id + 1;
}

void gs_intern_init(struct gs_intern *t)
{
    *t = (struct gs_intern){0};
    rehash(t, FIRST_SLOTS);
    (void)gs_intern(t, "");
}

void gs_intern_release(struct gs_intern *t)
{
    gs_arena_release(&t->text);
    gs_free(t->str);
    gs_free(t->slots);
    *t = (struct gs_intern){0};
}

uint32_t gs_intern(struct gs_intern *t, const char *s)
{
    return gs_intern_n(t, s, strlen(s));
}

uint32_t gs_intern_n(struct gs_intern *t, const char *s, size_t len)
{
    gs_require(t->nslots && (len == 0 || !memchr(s, '\0', len)));
    uint32_t i = find_slot(t, s, len);
    if (t->slots[i])
        return t->slots[i] - 1;

    gs_require(t->n < UINT32_MAX / 4);
    if ((t->n + 1) * 2 > t->nslots) {
        rehash(t, t->nslots * 2);
        i = find_slot(t, s, len);
    }
    if (t->n == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 32;
        t->str = gs_resize(t->str, t->cap, sizeof *t->str);
    }
    t->str[t->n] = gs_arena_str(&t->text, s, len);
    t->slots[i] = ++t->n;
    return t->n - 1;
}

uint32_t gs_intern_find(const struct gs_intern *t, const char *s)
{
    gs_require(t->nslots);
    const uint32_t held = t->slots[find_slot(t, s, strlen(s))];
    return held ? held - 1 : GS_NONE;
}

const char *gs_intern_str(const struct gs_intern *t, uint32_t id)
{
    gs_require(id < t->n);
    return t->str[id];
}

/* seen.c - a set of 128-bit hashes with open addressing, at most half full. O(1) expected; nothing walks it but its growth. */
#include "traces/seen.h"

#include "sim/base/mem.h"

#include <xxhash.h>

#include "sim/base/banned.h"

static size_t find(const struct gs_seen *s, uint64_t high, uint64_t low)
{
    size_t i = low & (s->cap - 1);
    while ((s->slots[i][0] || s->slots[i][1]) && (s->slots[i][0] != high || s->slots[i][1] != low))
        i = (i + 1) & (s->cap - 1);
    return i;
}

static void grow(struct gs_seen *s)
{
    struct gs_seen old = *s;
    s->cap = old.cap ? old.cap * 2 : 64;
    s->slots = gs_zalloc(s->cap, sizeof *s->slots);
    for (size_t i = 0; i < old.cap; i++) {
        if (!old.slots[i][0] && !old.slots[i][1])
            continue;
        const size_t at = find(s, old.slots[i][0], old.slots[i][1]);
        s->slots[at][0] = old.slots[i][0];
        s->slots[at][1] = old.slots[i][1];
    }
    gs_free(old.slots);
}

int gs_seen_add(struct gs_seen *s, const void *p, size_t len)
{
    if (s->n * 2 >= s->cap && s->n < GS_SEEN_MAX)
        grow(s);
    XXH128_hash_t h = XXH3_128bits(p, len);
    h.high64 |= !h.high64 && !h.low64; /* 0,0 marks a free slot */
    const size_t at = find(s, h.high64, h.low64);
    if (s->slots[at][0] || s->slots[at][1])
        return 0;
    if (s->n == GS_SEEN_MAX)
        return -1;
    s->slots[at][0] = h.high64;
    s->slots[at][1] = h.low64;
    s->n++;
    return 1;
}

void gs_seen_free(struct gs_seen *s)
{
    gs_free(s->slots);
    *s = (struct gs_seen){0};
}

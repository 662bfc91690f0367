/* map.c - open addressing with linear probing over (hash, id) pairs.
 *
 * The table keeps the full 64-bit hash, so a probe compares records only when all 64 bits agree,
 * and growing needs no help from the caller. Removing leaves a mark that probes walk over; marks
 * vanish at the next rebuild, which comes when live entries and marks together fill three quarters
 * of the table. Invariant: live <= used <= 3/4 cap, cap a power of two or 0. The byte hash is XXH3
 * (Collet), 64-bit variant, seed 0. */
#include "sim/base/map.h"

#include "sim/base/attr.h"
#include "sim/base/mem.h"

#include <xxhash.h>

#include "sim/base/banned.h"

#define FREE_ID    GS_NONE
#define REMOVED_ID (GS_NONE - 1)

uint64_t gs_hash_bytes(const void *p, size_t n)
{
    return XXH3_64bits(p, n);
}

uint64_t gs_hash_mix(uint64_t h, uint64_t w)
{
    /* the finaliser of splitmix64 over a combination that is not symmetric in h and w */
    uint64_t x = (h ^ (h >> 29)) * UINT64_C(0x9e3779b97f4a7c15) + w;
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint32_t home(const struct gs_map *m, uint64_t hash)
{
    return (uint32_t)(hash ^ hash >> 32) & (m->cap - 1);
}

static void rebuild(struct gs_map *m, uint32_t cap)
{
    const struct gs_map old = *m;
    m->hash = GS_NEW_N(uint64_t, cap);
    m->id = gs_resize(NULL, cap, sizeof *m->id);
    m->cap = cap;
    m->used = m->live = 0;
    for (uint32_t i = 0; i < cap; i++)
        m->id[i] = FREE_ID;
    for (uint32_t i = 0; i < old.cap; i++)
        if (old.id[i] < REMOVED_ID)
            gs_map_add(m, old.hash[i], old.id[i]);
    gs_free(old.hash);
    gs_free(old.id);
}

uint32_t gs_map_find(const struct gs_map *m, uint64_t hash, gs_map_eq *eq, const void *ctx,
                     const void *key)
{
    if (!m->cap)
        return GS_NONE;
    for (uint32_t i = home(m, hash); m->id[i] != FREE_ID; i = (i + 1) & (m->cap - 1))
        if (m->hash[i] == hash && m->id[i] != REMOVED_ID && eq(ctx, m->id[i], key))
            return m->id[i];
    return GS_NONE;
}

void gs_map_add(struct gs_map *m, uint64_t hash, uint32_t id)
{
    gs_require(id < REMOVED_ID);
    if (m->used >= m->cap / 4 * 3) {
        gs_require(m->live < UINT32_MAX / 8);
        uint32_t cap = 16;
        while (cap / 2 < m->live + 1)
            cap *= 2;
        rebuild(m, cap);
    }
    uint32_t i = home(m, hash);
    while (m->id[i] < REMOVED_ID)
        i = (i + 1) & (m->cap - 1);
    m->used += m->id[i] == FREE_ID; /* a mark that is written over was counted before */
    m->live++;
    m->hash[i] = hash;
    m->id[i] = id;
}

void gs_map_remove(struct gs_map *m, uint64_t hash, uint32_t id)
{
    if (!m->cap)
        return;
    for (uint32_t i = home(m, hash); m->id[i] != FREE_ID; i = (i + 1) & (m->cap - 1)) {
        if (m->id[i] == id && m->hash[i] == hash) {
            m->id[i] = REMOVED_ID;
            m->live--;
            return;
        }
    }
}

void gs_map_release(struct gs_map *m)
{
    gs_free(m->hash);
    gs_free(m->id);
    *m = (struct gs_map){0};
}

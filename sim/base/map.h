/* map.h - a hash index over records that live elsewhere: hash -> record number.
 *
 * The caller keeps the records and compares; the map stores (hash, id) with open addressing. For lookup only: nothing
 * iterates over it, so no result depends on hash order. Insert, find, remove are O(1) expected. */
#ifndef GS_BASE_MAP_H
#define GS_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct gs_map {
    uint64_t *hash;
    uint32_t *id; /* GS_NONE = free, GS_NONE-1 = removed */
    uint32_t cap, live, used;
};

/* Does record id equal the key that is looked for? */
typedef int gs_map_eq(const void *ctx, uint32_t id, const void *key);

uint64_t gs_hash_bytes(const void *p, size_t n); /* xxh3-64 */
uint64_t gs_hash_mix(uint64_t h, uint64_t w);    /* cheap combiner for small integer keys */

uint32_t gs_map_find(const struct gs_map *m, uint64_t hash, gs_map_eq *eq, const void *ctx,
                     const void *key);
void gs_map_add(struct gs_map *m, uint64_t hash, uint32_t id); /* the key must be absent */
void gs_map_remove(struct gs_map *m, uint64_t hash, uint32_t id);
void gs_map_release(struct gs_map *m);

#endif

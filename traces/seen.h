/* seen.h - which values have been seen, by a 128-bit hash (xxh128) instead of the value: 16 bytes a distinct value.
 *
 * Two different values are taken for one with a chance of n^2 / 2^129: 10^-20 for a billion of them. */
#ifndef GS_TRACES_SEEN_H
#define GS_TRACES_SEEN_H

#include <stddef.h>
#include <stdint.h>

struct gs_seen {
    uint64_t (*slots)[2]; /* 0,0 = free */
    size_t n, cap;
};

/* Distinct values that a set holds at most: 128 MiB. A file may have more rows than that, and is still read in bounded memory. */
#define GS_SEEN_MAX ((size_t)1 << 22)

/* 1 = it is new, 0 = seen before, -1 = new, but the set is full. */
int gs_seen_add(struct gs_seen *s, const void *p, size_t len);
void gs_seen_free(struct gs_seen *s);

#endif

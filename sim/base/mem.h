/* mem.h - memory: the only place that calls malloc.
 *
 * Three lifetimes: process (gs_alloc/gs_free), run (an arena of the run) and event (an arena reset after each
 * pass). Running out of memory is not an error that anybody could handle: the program says so and exits
 * with status 4; results are still in their .part file, so nothing half-written is left under the final name. */
#ifndef GS_BASE_MEM_H
#define GS_BASE_MEM_H

#include "sim/base/attr.h"

#include <stddef.h>

void *gs_alloc(size_t bytes);                    /* never NULL; uninitialised; bytes may be 0 */
void *gs_zalloc(size_t n, size_t size);          /* zeroed, overflow-checked n*size */
void *gs_resize(void *p, size_t n, size_t size); /* realloc, overflow-checked n*size */
void gs_free(void *p);                           /* NULL is fine */
char *gs_strdup(const char *s);
char *gs_strndup(const char *s, size_t n);

#define GS_NEW(T)      ((T *)gs_zalloc(1, sizeof(T)))
#define GS_NEW_N(T, n) ((T *)gs_zalloc((n), sizeof(T)))

/* Bump arena: a list of blocks; reset keeps the largest, release frees all. Zero-initialised is valid and empty. */
struct gs_arena {
    struct gs_arena_block *head;
    size_t used;  /* in head */
    size_t total; /* bytes asked for since the last reset */
};

void *gs_arena_alloc(struct gs_arena *a, size_t bytes, size_t align); /* zeroed */
char *gs_arena_str(struct gs_arena *a, const char *s, size_t len);    /* copies and terminates */
void gs_arena_reset(struct gs_arena *a);
void gs_arena_release(struct gs_arena *a);

/* Peak resident memory of this process in bytes, 0 where the system does not tell. */
size_t gs_peak_rss(void);

#endif

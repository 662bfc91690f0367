/* mem.c - malloc behind a door, and bump arenas.
 *
 * An arena is a list of blocks, newest first; allocation bumps `used` in the newest and opens a
 * block twice as large when it is full, so n bytes cost O(log n) calls of malloc and at most as
 * much again in unused tails. Reset frees all blocks but the largest: a scratch arena that is reset
 * after each pass soon stops calling malloc at all. Invariant: head == NULL or used <= head->cap.
 * Memory is handed out zeroed, so nothing read from an arena can depend on what stood there before.
 * */
#include "sim/base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define ARENA_FIRST ((size_t)4096)

struct gs_arena_block {
    struct gs_arena_block *next;
    size_t cap;
    max_align_t data[]; /* cap bytes */
};

GS_NORETURN static void out_of_memory(size_t bytes)
{
    fprintf(stderr, "gsim: out of memory (asked for %zu bytes)\n", bytes);
    exit(4);
}

static size_t product(size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        out_of_memory(SIZE_MAX);
    return n * size;
}

void *gs_alloc(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p)
        out_of_memory(bytes);
    return p;
}

void *gs_zalloc(size_t n, size_t size)
{
    const size_t bytes = product(n, size);
    void *p = calloc(bytes ? bytes : 1, 1);
    if (!p)
        out_of_memory(bytes);
    return p;
}

void *gs_resize(void *p, size_t n, size_t size)
{
    const size_t bytes = product(n, size);
    void *q = realloc(p, bytes ? bytes : 1);
    if (!q)
        out_of_memory(bytes);
    return q;
}

void gs_free(void *p)
{
    free(p);
}

char *gs_strdup(const char *s)
{
    return gs_strndup(s, strlen(s));
}

char *gs_strndup(const char *s, size_t n)
{
    const char *end = memchr(s, '\0', n);
    const size_t len = end ? (size_t)(end - s) : n;
    char *copy = gs_alloc(len + 1);
    memcpy(copy, s, len);
    copy[len] = '\0';
    return copy;
}

static void open_block(struct gs_arena *a, size_t least)
{
    size_t cap = a->head ? a->head->cap : ARENA_FIRST / 2;
    do {
        if (cap > SIZE_MAX / 4)
            out_of_memory(least);
        cap *= 2;
    } while (cap < least);
    struct gs_arena_block *b = gs_alloc(sizeof *b + cap);
    b->next = a->head;
    b->cap = cap;
    a->head = b;
    a->used = 0;
}

void *gs_arena_alloc(struct gs_arena *a, size_t bytes, size_t align)
{
    gs_require(align && (align & (align - 1)) == 0 && align <= sizeof(max_align_t));
    /* blocks start at the strictest alignment, so aligning the offset aligns the address */
    size_t at = (a->used + align - 1) & ~(align - 1);
    if (!a->head || at > a->head->cap || bytes > a->head->cap - at) {
        open_block(a, bytes);
        at = 0;
    }
    char *p = (char *)a->head->data + at;
    a->used = at + bytes;
    a->total += bytes;
    memset(p, 0, bytes);
    return p;
}

char *gs_arena_str(struct gs_arena *a, const char *s, size_t len)
{
    char *copy = gs_arena_alloc(a, len + 1, 1);
    if (len)
        memcpy(copy, s, len);
    return copy;
}

void gs_arena_reset(struct gs_arena *a)
{
    struct gs_arena_block *largest = a->head; /* blocks only grow, so the newest is the largest */
    if (largest) {
        struct gs_arena_block *b = largest->next;
        while (b) {
            struct gs_arena_block *next = b->next;
            gs_free(b);
            b = next;
        }
        largest->next = NULL;
    }
    a->used = 0;
    a->total = 0;
}

void gs_arena_release(struct gs_arena *a)
{
    gs_arena_reset(a);
    gs_free(a->head);
    a->head = NULL;
}

size_t gs_peak_rss(void)
{
    struct rusage u;
    if (getrusage(RUSAGE_SELF, &u) != 0 || u.ru_maxrss < 0)
        return 0;
    return (size_t)u.ru_maxrss * 1024; /* Linux counts in KiB */
}

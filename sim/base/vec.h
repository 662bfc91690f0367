/* vec.h - typed growing arrays.   GS_VEC(uint32_t) ids = {0};  gs_vec_push(&ids, 7);  ids.v[i], ids.n
 *
 * Zero-initialised is valid and empty. Growth doubles (amortised O(1)); elements move, so keep indexes, not pointers. */
#ifndef GS_BASE_VEC_H
#define GS_BASE_VEC_H

#include "sim/base/mem.h"

#include <stddef.h>

#define GS_VEC(T)      \
    struct {           \
        T *v;          \
        size_t n, cap; \
    }

static inline size_t gs_vec_room(size_t cap, size_t need)
{
    size_t c = cap ? cap : 8;
    while (c < need)
        c *= 2;
    return c;
}

#define gs_vec_reserve(p, need)                                   \
    do {                                                          \
        if ((need) > (p)->cap) {                                  \
            (p)->cap = gs_vec_room((p)->cap, (need));             \
            (p)->v = gs_resize((p)->v, (p)->cap, sizeof *(p)->v); \
        }                                                         \
    } while (0)
#define gs_vec_push(p, ...)               \
    do {                                  \
        gs_vec_reserve((p), (p)->n + 1);  \
        (p)->v[(p)->n++] = (__VA_ARGS__); \
    } while (0)
#define gs_vec_last(p)  ((p)->v[(p)->n - 1])
#define gs_vec_pop(p)   ((p)->v[--(p)->n])
#define gs_vec_clear(p) ((p)->n = 0)
#define gs_vec_free(p)         \
    do {                       \
        gs_free((p)->v);       \
        (p)->v = NULL;         \
        (p)->n = (p)->cap = 0; \
    } while (0)

#endif

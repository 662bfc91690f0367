/* sort.c - see sort.h. */
#include "sort.h"

#include <string.h>

enum {
    RUN = 16
};

static void insertion(struct gspl_item *v, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        const struct gspl_item x = v[i];
        uint32_t at = i;
        for (; at > 0 && v[at - 1].key > x.key; at--)
            v[at] = v[at - 1];
        v[at] = x;
    }
}

/* Merges a[0..n) and a[n..n+m) into out; the left one first on ties. */
static void merge(const struct gspl_item *a, uint32_t n, uint32_t m, struct gspl_item *out)
{
    const struct gspl_item *l = a, *r = a + n, *const lend = a + n, *const rend = a + n + m;
    while (l < lend && r < rend)
        *out++ = r->key < l->key ? *r++ : *l++;
    while (l < lend)
        *out++ = *l++;
    while (r < rend)
        *out++ = *r++;
}

static uint32_t at_most(uint32_t x, uint32_t limit)
{
    return x < limit ? x : limit;
}

void gspl_sort(struct gspl_item *item, uint32_t n, struct gspl_item *spare)
{
    struct gspl_item *from = item, *to = spare;
    for (uint32_t i = 0; i < n; i += RUN)
        insertion(item + i, at_most(RUN, n - i));
    for (uint64_t width = RUN; width < n; width *= 2) {
        for (uint64_t i = 0; i < n; i += 2 * width) {
            const uint32_t rest = n - (uint32_t)i;
            const uint32_t left = at_most((uint32_t)width, rest);
            merge(from + i, left, at_most((uint32_t)width, rest - left), to + i);
        }
        struct gspl_item *const swap = from;
        from = to;
        to = swap;
    }
    if (from != item && n > 0)
        memcpy(item, from, n * sizeof *item);
}

static int before(const struct gspl_item *a, const struct gspl_item *b)
{
    return a->key != b->key ? a->key < b->key : a->value < b->value;
}

static void sift_down(struct gspl_item *v, uint32_t n, uint32_t at)
{
    const struct gspl_item x = v[at];
    for (;;) {
        uint32_t kid = 2 * at + 1;
        if (kid >= n)
            break;
        if (kid + 1 < n && before(&v[kid + 1], &v[kid]))
            kid++;
        if (!before(&v[kid], &x))
            break;
        v[at] = v[kid];
        at = kid;
    }
    v[at] = x;
}

void gspl_heapify(struct gspl_item *item, uint32_t n)
{
    for (uint32_t i = n / 2; i-- > 0;)
        sift_down(item, n, i);
}

struct gspl_item gspl_heap_pop(struct gspl_item *item, uint32_t *n)
{
    const struct gspl_item top = item[0];
    item[0] = item[--*n];
    if (*n > 0)
        sift_down(item, *n, 0);
    return top;
}

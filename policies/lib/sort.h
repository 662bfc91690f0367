/* sort.h - the sort of the modules: stable, no allocation, no recursion.
 *
 * Items carry a 64-bit key and a 64-bit value; equal keys stay in the order in which they came, so that the caller decides ties by
 * the order in which it lists. Bottom-up merge sort, O(n log n), with insertion runs of 16; the caller gives room for n more items. */
#ifndef GSP_LIB_SORT_H
#define GSP_LIB_SORT_H

#include <stdint.h>

struct gspl_item {
    int64_t key;
    uint64_t value;
};

/* Sorts ascending by key. `spare` has room for n items and does not overlap. */
void gspl_sort(struct gspl_item *item, uint32_t n, struct gspl_item *spare);

/* The same items as a binary heap: the least (key, value) on top. heapify O(n), pop O(log n); n > 0 for pop. */
void gspl_heapify(struct gspl_item *item, uint32_t n);
struct gspl_item gspl_heap_pop(struct gspl_item *item, uint32_t *n);

#endif

/* sort.c - stable sorting and quantiles.
 *
 * gs_sort is a bottom-up merge sort: insertion sort makes runs of 8, then pairs of runs are merged
 * back and forth between the array and one buffer of the same size. O(n log n) comparisons, O(n)
 * when sorted already (a pair of runs in order is copied), no recursion, equal elements keep their
 * order. gs_sort_doubles maps a double to an unsigned integer of the same order (flip all bits of
 * negatives, the sign bit of others) and sorts by its eight bytes from the low end, leaving out
 * bytes that are the same everywhere: O(n). */
#include "sim/base/sort.h"

#include "sim/base/attr.h"
#include "sim/base/fmath.h"
#include "sim/base/mem.h"

#include <stdint.h>
#include <string.h>

#include "sim/base/banned.h"

#define RUN ((size_t)8)

struct order {
    size_t size;
    gs_cmp *cmp;
    const void *ctx;
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void insertion(char *v, size_t n, const struct order *o, char *hold)
{
    for (size_t i = 1; i < n; i++) {
        size_t j = i;
        while (j > 0 && o->cmp(v + (j - 1) * o->size, v + i * o->size, o->ctx) > 0)
            j--;
        if (j == i)
            continue;
        memcpy(hold, v + i * o->size, o->size);
        memmove(v + (j + 1) * o->size, v + j * o->size, (i - j) * o->size);
        memcpy(v + j * o->size, hold, o->size);
    }
}

/* Merges a[0..mid) and a[mid..n) into out; of equal elements the left one goes first. */
static void merge(const char *a, size_t mid, size_t n, char *out, const struct order *o)
{
    const size_t z = o->size;
    if (mid >= n || o->cmp(a + (mid - 1) * z, a + mid * z, o->ctx) <= 0) {
        memcpy(out, a, n * z);
        return;
    }
    size_t i = 0;
    size_t j = mid;
    while (i < mid && j < n) {
        const int right = o->cmp(a + i * z, a + j * z, o->ctx) > 0;
        memcpy(out, a + (right ? j : i) * z, z);
        out += z;
        if (right)
            j++;
        else
            i++;
    }
    memcpy(out, a + i * z, (mid - i) * z);
    out += (mid - i) * z;
    memcpy(out, a + j * z, (n - j) * z);
}

void gs_sort(void *base, size_t n, size_t size, gs_cmp *cmp, const void *ctx)
{
    if (n < 2)
        return;
    gs_require(base && size && cmp);
    const struct order o = {size, cmp, ctx};
    char *other = gs_resize(NULL, n, size);
    char *from = base;
    for (size_t i = 0; i < n; i += RUN)
        insertion(from + i * size, least(RUN, n - i), &o, other);
    char *to = other;
    for (size_t run = RUN; run < n; run *= 2) {
        for (size_t i = 0; i < n; i += 2 * run)
            merge(from + i * size, least(run, n - i), least(2 * run, n - i), to + i * size, &o);
        char *swap = from;
        from = to;
        to = swap;
    }
    if (from != base)
        memcpy(base, from, n * size);
    gs_free(other);
}

static uint64_t ordered_bits(double x)
{
    uint64_t b;
    memcpy(&b, &x, sizeof b);
    return b >> 63 ? ~b : b | UINT64_C(1) << 63;
}

static double from_ordered_bits(uint64_t b)
{
    b = b >> 63 ? b & ~(UINT64_C(1) << 63) : ~b;
    double x;
    memcpy(&x, &b, sizeof x);
    return x;
}

/* One pass of the radix sort by the byte at `shift`; returns 0 if that byte is the same in all
 * keys. */
static int radix_pass(const uint64_t *from, uint64_t *to, size_t n, unsigned shift)
{
    size_t at[256] = {0};
    for (size_t i = 0; i < n; i++)
        at[from[i] >> shift & 255]++;
    if (at[from[0] >> shift & 255] == n)
        return 0;
    size_t start = 0;
    for (size_t b = 0; b < 256; b++) {
        const size_t count = at[b];
        at[b] = start;
        start += count;
    }
    for (size_t i = 0; i < n; i++)
        to[at[from[i] >> shift & 255]++] = from[i];
    return 1;
}

void gs_sort_doubles(double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        gs_require(v[i] == v[i]);
    if (n < 2)
        return;
    uint64_t *from = gs_resize(NULL, n, sizeof *from);
    uint64_t *to = gs_resize(NULL, n, sizeof *to);
    for (size_t i = 0; i < n; i++)
        from[i] = ordered_bits(v[i]);
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (!radix_pass(from, to, n, shift))
            continue;
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    for (size_t i = 0; i < n; i++)
        v[i] = from_ordered_bits(from[i]);
    gs_free(from);
    gs_free(to);
}

double gs_quantile(const double *v, size_t n, double q)
{
    gs_require(n >= 1 && q >= 0 && q <= 1);
    const double rank = (double)(n - 1) * q;
    const double whole = gs_floor(rank);
    const size_t lo = (size_t)whole;
    const double part = rank - whole;
    if (lo + 1 >= n || !(part > 0) || !(v[lo] < v[lo + 1]))
        return v[lo < n ? lo : n - 1];
    const double step = v[lo + 1] - v[lo];
    if (step - step != 0) /* one end is infinite: so is all between */
        return v[lo] < -1.7976931348623157e308 ? v[lo] : v[lo + 1];
    /* from the nearer end, as NumPy does, so that the figure can be checked bit by bit */
    return part < 0.5 ? v[lo] + step * part : v[lo + 1] - step * (1 - part);
}

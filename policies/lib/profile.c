/* profile.c - see profile.h. Points are found by bisection; equal neighbours are left as they are, since planning soon splits them again. */
#include "profile.h"

#include <string.h>

size_t gspl_profile_bytes(uint32_t points, uint32_t nres)
{
    return (size_t)points * (1 + (size_t)nres) * sizeof(int64_t);
}

static int64_t *amounts(const struct gspl_profile *p, uint32_t i)
{
    return p->free + (size_t)i * p->nres;
}

void gspl_profile_init(struct gspl_profile *p, void *memory, uint32_t cap, uint32_t nres, int64_t t,
                       const int64_t *amount)
{
    p->nres = nres;
    p->n = 1;
    p->cap = cap;
    p->at = memory;
    p->free = p->at + cap;
    p->at[0] = t;
    memcpy(p->free, amount, nres * sizeof *amount);
}

/* The last point at or before t; 0 if t lies before all. */
static uint32_t find(const struct gspl_profile *p, int64_t t)
{
    uint32_t lo = 0, hi = p->n;
    while (hi - lo > 1) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (p->at[mid] <= t)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* Makes t a point, and returns its position. There must be room. */
static uint32_t split(struct gspl_profile *p, int64_t t)
{
    const uint32_t i = find(p, t);
    if (p->at[i] == t)
        return i;
    const uint32_t tail = p->n - (i + 1);
    memmove(p->at + i + 2, p->at + i + 1, tail * sizeof *p->at);
    memmove(amounts(p, i + 2), amounts(p, i + 1), (size_t)tail * p->nres * sizeof *p->free);
    p->at[i + 1] = t;
    memcpy(amounts(p, i + 1), amounts(p, i), p->nres * sizeof *p->free);
    p->n++;
    return i + 1;
}

int gspl_profile_append(struct gspl_profile *p, int64_t t, const int64_t *amount)
{
    uint32_t last = p->n - 1;
    if (t > p->at[last]) {
        if (p->n == p->cap)
            return 0;
        last = p->n++;
        p->at[last] = t;
        memcpy(amounts(p, last), amounts(p, last - 1), p->nres * sizeof *p->free);
    }
    for (uint32_t r = 0; r < p->nres; r++)
        amounts(p, last)[r] += amount[r];
    return 1;
}

static int change(struct gspl_profile *p, int64_t from, int64_t to, const int64_t *amount,
                  int64_t sign)
{
    if (from >= to)
        return 1;
    if (p->cap - p->n < 2)
        return 0;
    const uint32_t a = split(p, from);
    const uint32_t b = to == GSPL_NEVER ? p->n : split(p, to);
    for (uint32_t i = a; i < b; i++) {
        for (uint32_t r = 0; r < p->nres; r++)
            amounts(p, i)[r] += sign * amount[r];
    }
    return 1;
}

int gspl_profile_take(struct gspl_profile *p, int64_t from, int64_t to, const int64_t *amount)
{
    return change(p, from, to, amount, -1);
}

int gspl_profile_give(struct gspl_profile *p, int64_t from, int64_t to, const int64_t *amount)
{
    return change(p, from, to, amount, 1);
}

static int enough(const struct gspl_profile *p, uint32_t i, const int64_t *amount)
{
    const int64_t *have = amounts(p, i);
    for (uint32_t r = 0; r < p->nres; r++) {
        if (amount[r] > 0 && have[r] < amount[r])
            return 0;
    }
    return 1;
}

int gspl_profile_fits(const struct gspl_profile *p, int64_t from, int64_t to, const int64_t *amount)
{
    for (uint32_t i = find(p, from); i < p->n && (p->at[i] < to || p->at[i] <= from); i++) {
        if (!enough(p, i, amount))
            return 0;
    }
    return 1;
}

int64_t gspl_profile_earliest(const struct gspl_profile *p, int64_t from, int64_t length,
                              const int64_t *amount)
{
    int64_t start = from > p->at[0] ? from : p->at[0];
    for (uint32_t i = find(p, start); i < p->n; i++) {
        const int64_t end = length > GSPL_NEVER - start ? GSPL_NEVER : start + length;
        if (p->at[i] > start && p->at[i] >= end)
            return start;
        if (!enough(p, i, amount)) {
            if (i + 1 == p->n)
                return GSPL_NEVER;
            start = p->at[i + 1];
        }
    }
    return start;
}

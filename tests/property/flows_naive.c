/* flows_naive.c - see flows_naive.h. */
#include "tests/property/flows_naive.h"

#include "sim/base/exact.h"
#include "sim/base/mem.h"

#include <string.h>

void naive_init(struct naive *n, uint32_t nlinks, const int64_t *capacity)
{
    memset(n, 0, sizeof *n);
    n->nlinks = nlinks;
    n->left = gs_zalloc(nlinks, sizeof *n->left);
    n->weight = gs_zalloc(nlinks, sizeof *n->weight);
    n->capacity = gs_zalloc(nlinks, sizeof *n->capacity);
    memcpy(n->capacity, capacity, nlinks * sizeof *capacity);
}

void naive_release(struct naive *n)
{
    gs_free(n->left);
    gs_free(n->weight);
    gs_free(n->capacity);
    gs_free(n->w);
    gs_free(n->row);
    gs_free(n->key);
    gs_free(n->limit);
    gs_free(n->ceiling);
    gs_free(n->done);
    gs_free(n->rate);
}

static void grow(struct naive *n)
{
    if (n->ngroups < n->cap)
        return;
    n->cap = n->cap ? 2 * n->cap : 32;
    n->w = gs_resize(n->w, (size_t)n->cap * n->nlinks, sizeof *n->w);
    n->row = gs_resize(n->row, n->cap, sizeof *n->row);
    n->key = gs_resize(n->key, n->cap, sizeof *n->key);
    n->limit = gs_resize(n->limit, n->cap, sizeof *n->limit);
    n->ceiling = gs_resize(n->ceiling, n->cap, sizeof *n->ceiling);
    n->done = gs_resize(n->done, n->cap, sizeof *n->done);
}

void naive_add(struct naive *n, uint32_t name, const struct gs_flow_group *g)
{
    grow(n);
    uint32_t at = n->ngroups++;
    for (; at > 0 && n->key[at - 1] > g->key; at--) {
        n->key[at] = n->key[at - 1];
        n->row[at] = n->row[at - 1];
        n->limit[at] = n->limit[at - 1];
        memcpy(&n->w[(size_t)at * n->nlinks], &n->w[(size_t)(at - 1) * n->nlinks],
               n->nlinks * sizeof *n->w);
    }
    n->key[at] = g->key;
    n->row[at] = name;
    n->limit[at] = g->limit;
    memset(&n->w[(size_t)at * n->nlinks], 0, n->nlinks * sizeof *n->w);
    for (uint32_t f = 0; f < g->nflows; f++)
        for (uint32_t k = 0; k < g->flows[f].nlinks; k++)
            n->w[(size_t)at * n->nlinks + g->flows[f].links[k]] += g->flows[f].weight;
    if (name >= n->names) {
        n->rate = gs_resize(n->rate, name + 1, sizeof *n->rate);
        n->names = name + 1;
    }
}

static int64_t w_of(const struct naive *n, uint32_t g, uint32_t l)
{
    return n->w[(size_t)g * n->nlinks + l];
}

static void start(struct naive *n)
{
    for (uint32_t l = 0; l < n->nlinks; l++) {
        n->left[l] = n->capacity[l];
        n->weight[l] = 0;
    }
    for (uint32_t g = 0; g < n->ngroups; g++) {
        n->done[g] = 0;
        n->ceiling[g] = n->limit[g];
        for (uint32_t l = 0; l < n->nlinks; l++) {
            const int64_t w = w_of(n, g, l);
            n->weight[l] += w;
            if (w && n->capacity[l] / w < n->ceiling[g])
                n->ceiling[g] = n->capacity[l] / w;
        }
    }
}

static void give(struct naive *n, uint32_t g, int64_t rate)
{
    n->done[g] = 1;
    n->rate[n->row[g]] = rate;
    for (uint32_t l = 0; l < n->nlinks; l++) {
        n->left[l] -= w_of(n, g, l) * rate;
        n->weight[l] -= w_of(n, g, l);
    }
}

static int has_room(const struct naive *n, uint32_t g, int64_t share)
{
    for (uint32_t l = 0; l < n->nlinks; l++)
        if (w_of(n, g, l) && n->left[l] - share * n->weight[l] < w_of(n, g, l))
            return 0;
    return 1;
}

/* The link of the least left / weight, the lowest id of equals; GS_NONE = none carries anybody. */
static uint32_t bottleneck(const struct naive *n)
{
    uint32_t best = GS_NONE;
    for (uint32_t l = 0; l < n->nlinks; l++)
        if (n->weight[l] && (best == GS_NONE || (gs_i128)n->left[l] * n->weight[best] <
                                                    (gs_i128)n->left[best] * n->weight[l]))
            best = l;
    return best;
}

void naive_solve(struct naive *n)
{
    start(n);
    for (;;) {
        uint32_t low = GS_NONE;
        for (uint32_t g = 0; g < n->ngroups; g++)
            if (!n->done[g] && (low == GS_NONE || n->ceiling[g] < n->ceiling[low]))
                low = g;
        if (low == GS_NONE)
            return;
        const uint32_t l = bottleneck(n);
        if (l == GS_NONE || (gs_i128)n->ceiling[low] * n->weight[l] <= n->left[l]) {
            give(n, low, n->ceiling[low]);
            continue;
        }
        const int64_t share = n->left[l] / n->weight[l];
        for (uint32_t g = 0; g < n->ngroups; g++)
            if (!n->done[g] && w_of(n, g, l))
                give(n, g, share + has_room(n, g, share));
    }
}

/* ---- exact ---- */

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        const int64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

/* Everything in units of 1 / *scale: multiplies it all so that `by` divides. */
static int scale_up(struct naive *n, int64_t *scale, int64_t by)
{
    if (by > 1000000 || *scale > INT64_C(1000000000) / by)
        return 0;
    *scale *= by;
    for (uint32_t l = 0; l < n->nlinks; l++)
        n->left[l] *= by;
    for (uint32_t g = 0; g < n->ngroups; g++)
        if (n->done[g])
            n->rate[n->row[g]] *= by;
    return 1;
}

/* A limit is not rounded, and no group has another ceiling: one alone on its links meets them as bottlenecks. */
int64_t naive_exact(struct naive *n)
{
    int64_t scale = 1;
    start(n);
    for (;;) {
        uint32_t low = GS_NONE;
        int open = 0;
        for (uint32_t g = 0; g < n->ngroups; g++) {
            open |= !n->done[g];
            if (!n->done[g] && n->limit[g] != GS_NEVER &&
                (low == GS_NONE || n->limit[g] < n->limit[low]))
                low = g;
        }
        if (!open)
            return scale;
        const uint32_t l = bottleneck(n);
        if (low != GS_NONE && (gs_i128)n->limit[low] * scale * n->weight[l] <= n->left[l]) {
            give(n, low, n->limit[low] * scale);
            continue;
        }
        if (!scale_up(n, &scale, n->weight[l] / gcd(n->left[l], n->weight[l])))
            return 0;
        const int64_t share = n->left[l] / n->weight[l];
        for (uint32_t g = 0; g < n->ngroups; g++)
            if (!n->done[g] && w_of(n, g, l))
                give(n, g, share);
    }
}

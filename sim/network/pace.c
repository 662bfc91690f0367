/* pace.c - costs of a ring, and rings in a mesh of links by its smallest cut. O(2^GPUs) for a set of at most 8. */
#include "sim/network/pace.h"

#include "sim/base/attr.h"

#include "sim/base/banned.h"

double gs_ring_cost(const struct gs_ring *s)
{
    double inside = 0, between = 0;
    if (s->gpus > 1)
        inside = 2 * (double)(s->gpus - 1) / (double)s->gpus / s->inside;
    if (s->domains > 1) {
        gs_require(s->between > 0 && s->streams > 0);
        between =
            2 * (double)(s->domains - 1) / (double)s->domains / ((double)s->streams * s->between);
    }
    return inside > between ? inside : between;
}

static uint32_t across(const struct gs_mesh *m, uint32_t part, uint32_t rest)
{
    uint32_t n = 0;
    for (uint32_t a = 0; a < m->gpus; a++)
        for (uint32_t b = 0; b < m->gpus; b++)
            if (part >> a & 1 && rest >> b & 1)
                n += m->links[a][b];
    return n;
}

uint32_t gs_mesh_rings(const struct gs_mesh *m, uint32_t set)
{
    uint32_t least = UINT32_MAX;
    set &= (UINT32_C(1) << m->gpus) - 1;
    for (uint32_t part = (set - 1) & set; part; part = (part - 1) & set) {
        const uint32_t n = across(m, part, set & ~part);
        least = n < least ? n : least;
    }
    return least == UINT32_MAX ? 0 : least;
}

void gs_mesh_seal(struct gs_mesh *m)
{
    gs_require(m->gpus <= GS_MESH_MAX);
    for (uint32_t set = 1; set < UINT32_C(1) << m->gpus; set++) {
        const uint32_t n = (uint32_t)__builtin_popcount(set), rings = gs_mesh_rings(m, set);
        if (rings > m->best[n])
            m->best[n] = (uint8_t)rings;
    }
}

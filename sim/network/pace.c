/* pace.c - costs of a ring. */
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

/* replicas.c - the greedy choice, one replica at a time. */
#include "replicas.h"

/* Is GPU a a better source of the next replica than b? Equal ones: no. */
static int better(enum gspl_spread spread, const uint32_t *avail, const uint32_t *picks, uint32_t a,
                  uint32_t b)
{
    const uint32_t left_a = avail[a] - picks[a], left_b = avail[b] - picks[b];
    if (left_a != left_b)
        return spread == GSPL_PACKED ? left_a < left_b : left_a > left_b;
    return picks[a] < picks[b];
}

uint32_t gspl_replicas(enum gspl_spread spread, const uint32_t *avail, uint32_t gpus, uint32_t need,
                       uint32_t *picks)
{
    uint64_t sum = 0;
    for (uint32_t g = 0; g < gpus; g++) {
        sum += avail[g];
        picks[g] = 0;
    }
    if (sum < need)
        return 0;
    for (uint32_t k = 0; k < need; k++) {
        uint32_t best = gpus;
        for (uint32_t g = 0; g < gpus; g++)
            if (picks[g] < avail[g] && (best == gpus || better(spread, avail, picks, g, best)))
                best = g;
        picks[best]++;
    }
    return need;
}

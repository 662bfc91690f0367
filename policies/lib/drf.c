/* drf.c - see drf.h. Shares are quotients of integers, so they are the same bits everywhere. */
#include "drf.h"

#define LEAST_WEIGHT 1e-9

double gspl_dominant_share(const int64_t *use, const int64_t *capacity, uint32_t nres,
                           double weight)
{
    double most = 0;
    for (uint32_t r = 0; r < nres; r++) {
        const double share = capacity[r] > 0 ? (double)use[r] / (double)capacity[r] : 0;
        most = share > most ? share : most;
    }
    return most / (weight > LEAST_WEIGHT ? weight : LEAST_WEIGHT);
}

uint32_t gspl_drf_next(const double *share, const uint8_t *out, uint32_t n)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        if (!out[i] && (best == UINT32_MAX || share[i] < share[best]))
            best = i;
    }
    return best;
}

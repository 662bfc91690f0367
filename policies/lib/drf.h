/* drf.h - dominant resource fairness: Ghodsi et al., "Dominant Resource Fairness" (NSDI 2011).
 *
 * A user's share of a resource is what it uses of the capacity, its dominant share the largest of them, over its weight. Serving
 * always the user with the smallest dominant share equalises dominant shares (max-min) as far as demands allow. */
#ifndef GSP_LIB_DRF_H
#define GSP_LIB_DRF_H

#include <stdint.h>

/* max over r of use_r / capacity_r, over the weight. Resources of which there is none do not count; weight <= 0 counts as tiny. */
double gspl_dominant_share(const int64_t *use, const int64_t *capacity, uint32_t nres,
                           double weight);
/* The user with the smallest share among those that are not out, the lowest number on ties; UINT32_MAX if all are out. */
uint32_t gspl_drf_next(const double *share, const uint8_t *out, uint32_t n);

#endif

/* links.h - which GPUs of a node belong together: scores of links, and the set that leaves the best sets behind.
 *
 * The score of a pair adds up what joins it: NVLinks 100 each; the closest way by PCIe 10 (across CPUs) to 60 (one board). The score
 * of a set is the sum over its pairs. The best-effort choice of go-gpuallocator (the default of NVIDIA's device plugin for whole
 * GPUs) does not take the best set but a set of the best partition of all free GPUs into sets of the asked size, so that
 * those who come after find good sets too. Here by dynamic programming over subsets, which gives the same set as trying all
 * partitions in order and keeping the first of the best: O(2^n C(n, size)) at worst instead of n! / (size!^k k!). */
#ifndef GSP_LIB_LINKS_H
#define GSP_LIB_LINKS_H

#include <stdint.h>

enum {
    GSPL_LINK_CROSS_CPU = 10,
    GSPL_LINK_SAME_CPU = 20,
    GSPL_LINK_HOST_BRIDGE = 30,
    GSPL_LINK_MULTI_SWITCH = 40,
    GSPL_LINK_SINGLE_SWITCH = 50,
    GSPL_LINK_SAME_BOARD = 60,
    GSPL_LINK_NVLINK = 100, /* each */
    GSPL_LINKS_MAX = 16     /* GPUs that may be free, for the best-effort choice */
};

struct gspl_link_memo {
    int64_t best; /* of the partitions of a subset; negative = there is none */
    uint32_t set; /* that stands first in it, bits by place in the list of free GPUs */
};

/* Score of a set of n devices; score[a * gpus + b], symmetric. */
int64_t gspl_link_score(const int32_t *score, uint32_t gpus, const uint32_t *set, uint32_t n);

/* Chooses `size` of the n free devices (n <= GSPL_LINKS_MAX), among them all `required`. memo has room for 2 << n. Writes the set
 * in ascending places of the list; returns size, or 0 if there is no such set. */
uint32_t gspl_best_effort(const int32_t *score, uint32_t gpus, const uint32_t *available,
                          uint32_t n, const uint32_t *required, uint32_t nrequired, uint32_t size,
                          struct gspl_link_memo *memo, uint32_t *out);

#endif

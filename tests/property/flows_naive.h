/* flows_naive.h - the rule of sim/network/flows.h done the plain way: all links, all groups, a scan for every step. And the same in
 * exact fractions, without a rule for what does not divide. Shares no code with the solver; slow, and meant to be read. */
#ifndef GS_TESTS_FLOWS_NAIVE_H
#define GS_TESTS_FLOWS_NAIVE_H

#include "sim/network/flows.h"

struct naive {
    uint32_t nlinks, ngroups; /* groups in the order of their keys */
    int64_t *left, *weight;   /* [nlinks] */
    int64_t *capacity;        /* [nlinks] */
    int64_t *w;               /* [group * nlinks + link] */
    uint32_t *row;            /* the caller's name of a group, for rate */
    uint64_t *key;
    int64_t *limit, *ceiling;
    int *done;
    int64_t *rate; /* by the caller's name */
    uint32_t cap, names;
};

void naive_init(struct naive *n, uint32_t nlinks, const int64_t *capacity);
void naive_release(struct naive *n);
void naive_add(struct naive *n, uint32_t name, const struct gs_flow_group *g);
void naive_solve(struct naive *n);
/* Max-min fair rates as fractions: rate[] is numerators over one denominator, which is returned; 0 = too large to hold. */
int64_t naive_exact(struct naive *n);

#endif

/* interference.h - how much slower processes run that share a GPU, as published models say it.
 *
 * A slow-down is the time of a unit of computing beside the neighbours over its time alone, Q16 (65536 = undisturbed), never below 1.
 *
 *   none   1. They do not disturb each other.
 *   equal  Turns of equal length for each of k processes, of which a share c is lost to switching: k / (1 - c); 1 where k = 1. What
 *          the documentation of time-slicing says of its scheduler; no published measurement of c is known, so it is 0 unless given.
 *   lucid  From the sum of the GPU utilisations that the processes have alone, piecewise linear through the means of the bins of the 1388
 *          pairs of small and medium training jobs that Lucid measured (the GPU is recalled to be an RTX 3090: UNVERIFIED). 80 % of
 *          the pairs of a bin lie within 0.05 of its mean speed where the sum is 20 %, 0.09 at 110 %, 0.12 at 170 %. Beyond the last
 *          bin, and so for more than some two processes, a saturated GPU shares out what it had: an extrapolation of ours.
 *   pairs  As measured for the two programs on that GPU (gsim catalog pairs: Gavel's 1053 pairs, and your own); of more than two, the
 *          product over the neighbours, an assumption of ours. Pairs that did not fit into the GPU's memory run out of it.
 */
#ifndef GS_HARDWARE_INTERFERENCE_H
#define GS_HARDWARE_INTERFERENCE_H

#include "sim/hardware/catalog.h"

#include <stddef.h>
#include <stdint.h>

#define GS_INTERFERENCES(X) \
    X(NONE, none)           \
    X(EQUAL, equal)         \
    X(LUCID, lucid)         \
    X(PAIRS, pairs)

enum gs_interference {
#define X(U, l) GS_INTERFERE_##U,
    GS_INTERFERENCES(X)
#undef X
    GS_INTERFERENCE_COUNT
};

#define GS_UNDISTURBED (INT64_C(1) << 16)

/* The state of one device, as the models see it. */
struct gs_neighbours {
    uint32_t processes;    /* on the device, with the one that is asked about: >= 1 */
    uint32_t busy_milli;   /* sum of their utilisations alone */
    uint32_t switch_milli; /* c, of a turn; < 1000 */
};

/* The measured pairs of some GPU models and programs. */
struct gs_pairs {
    uint32_t models, programs;
    int64_t *slowdown; /* [model][program][neighbour], Q16; 0 = not measured */
};

enum {
    GS_PAIR_MISFIT = -1 /* a slow-down: they do not fit together */
};

/* gpu[model] and program[program] are names; free slowdown with gs_free. O(rows of the catalog x models x programs). */
void gs_pairs_make(struct gs_pairs *p, struct gs_catalog *c, const char *const *gpu,
                   const char *const *program);

static inline int64_t gs_pairs_of(const struct gs_pairs *p, uint32_t model, uint32_t program,
                                  uint32_t neighbour)
{
    return p->slowdown[((size_t)model * p->programs + program) * p->programs + neighbour];
}

/* Of every model but pairs. */
int64_t gs_interference(enum gs_interference model, const struct gs_neighbours *n);
const char *gs_interference_str(enum gs_interference model);

#endif

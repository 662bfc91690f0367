/* frag.h - how much of a node's free GPU is of no use to the tasks that usually come: the fragmentation measure of
 * Weng et al., "Beware of Fragmentation" (USENIX ATC 2023).
 *
 * A typical task m (CPUs, k devices, d milli of each, models, probability p) meets a node with T milli free over its devices. Its
 * p T falls into one of seven classes, tested in this order:
 *     xl  m asks for no GPU and the CPUs suffice          xr  m asks for no GPU and the CPUs do not suffice
 *     na  the node's model is not among m's
 *     q3  k devices with >= d free, and the CPUs suffice: only what lies on devices with less than d free is a fragment (booked
 *         under q2), the rest is usable
 *     q4  devices suffice, CPUs do not                    q2  CPUs suffice, devices do not               q1  neither
 * The node's fragment is the sum of all classes but q3. Sums are doubles, added in the order of the task list inside a class, then
 * q1 q2 q3 q4 xl xr na: scores are truncated, so the last bit may decide a tie.
 *
 * Only (T, CPUs, and for each distinct d: how many devices have d free, how much lies on the others) matters, so the typical tasks are
 * prepared once: the distinct d, sorted, and for each task the class of each outcome. Evaluating a node is then
 * O(devices log devices + sizes + tasks) without a branch in the loop over tasks. */
#ifndef GSP_LIB_FRAG_H
#define GSP_LIB_FRAG_H

#include "gsim/policy.h"

#include "node.h"

#include <stddef.h>

enum gspl_frag_class {
    GSPL_Q1,
    GSPL_Q2,
    GSPL_Q3,
    GSPL_Q4,
    GSPL_XL,
    GSPL_XR,
    GSPL_NA,
    GSPL_FRAG_CLASSES
};

struct gspl_frag_task;
struct gspl_frag_offer;

struct gspl_frag {
    const struct gspl_frag_task *task;
    struct gspl_frag_offer *offer; /* [nsizes] working space: one evaluation at a time */
    const uint32_t *size; /* distinct d, ascending; size[0] = 0 stands for tasks without GPU */
    uint32_t ntasks, nsizes;
};

/* Bytes of memory that gspl_frag_build wants for n typical tasks; aligned as for any object. */
size_t gspl_frag_bytes(uint32_t n);
/* Prepares; `memory` must stay as long as f is used. */
void gspl_frag_build(struct gspl_frag *f, const struct gsp_typical *t, void *memory);
/* The fragment of a node in milli; by_class may be NULL. */
double gspl_frag_node(const struct gspl_frag *f, const struct gspl_node *n,
                      double by_class[GSPL_FRAG_CLASSES]);
/* Sum of the free shares that are smaller than milli. */
int64_t gspl_below(const struct gspl_node *n, uint32_t milli);

/* FGD score: trunc(100 / (1 + exp(-(before - after) / 1000))), 0..100; 50 = no change. */
int64_t gspl_fgd_score(double before, double after);
/* The best score of placing r on n. For a share every device with enough left is tried: the best score, first device on ties (*pos);
 * for others the smallest sufficient devices are assumed and *pos is 0. Returns -1 if r does not fit. */
int64_t gspl_fgd_place(const struct gspl_frag *f, const struct gspl_node *n,
                       const struct gspl_request *r, uint32_t *pos);

#endif

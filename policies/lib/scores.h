/* scores.h - integer scores of placing one task on one node; higher is better.
 *
 * The 0..100 scores are those of the baselines in the FGD artifact (USENIX ATC 2023): computed in doubles in a fixed order and
 * truncated toward zero, relative to the largest node of the cluster (norm: CPU milli and GPU milli; 128,000 and 8,000 there). They tell
 * apart only 101 levels; the lexicographic ones (tightest, emptiest) lose nothing.
 * All take the node before the task is placed, and expect that it fits. */
#ifndef GSP_LIB_SCORES_H
#define GSP_LIB_SCORES_H

#include "node.h"

struct gspl_norm {
    int64_t cpus_milli, gpu_milli; /* of the largest node; > 0 */
};

/* Less GPU left after placing wins, then less CPU left. */
int64_t gspl_score_tightest(const struct gspl_node *n, const struct gspl_request *r);
/* The opposite: more GPU left wins, then more CPU left. */
int64_t gspl_score_emptiest(const struct gspl_node *n, const struct gspl_request *r);
/* trunc(100 (1 - ((cpu left after) / norm / 2 + (GPU left after) / norm / 2))) */
int64_t gspl_score_bestfit(const struct gspl_node *n, const struct gspl_request *r,
                           const struct gspl_norm *norm);
/* trunc(100 (1 - dot / 2)), dot of what is free and what is asked for, both over norm: what does not align is kept for others. */
int64_t gspl_score_dotprod(const struct gspl_node *n, const struct gspl_request *r,
                           const struct gspl_norm *norm);
/* Prefer devices in use to idle devices on used nodes to idle nodes; 0 for a task without GPU. */
int64_t gspl_score_packing(const struct gspl_node *n, const struct gspl_request *r);
/* Prefer nodes that hold tasks of the same kind only, then among others too, then none; `kinds` as in the view. */
int64_t gspl_score_clustering(const struct gspl_node *n, const struct gspl_request *r,
                              uint32_t kinds, const struct gspl_norm *norm);

/* What a placement without parameters scores: out[i] = of(node i, request). */
typedef int64_t gspl_score_fn(const struct gspl_node *n, const struct gspl_request *r);
void gspl_score_nodes(const struct gsp_view *v, uint32_t request, const gsp_node *nd, uint32_t n,
                      gspl_score_fn *of, int64_t *out);

/* sum over i of (a_i / norm_i) (b_i / norm_i) */
double gspl_dot(const double *a, const double *b, const double *norm, uint32_t n);
/* a.b / (|a| |b|); 0 if either is 0. */
double gspl_cosine(const double *a, const double *b, uint32_t n);

#endif

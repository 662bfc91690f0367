/* share.h - the classic fair-share factor: how far a queue is from its share, with old usage forgotten exponentially.
 *
 * factor = 2^(-(u / U) / (w / W)), u of U the queue's part of all usage, w of W its part of all weights: 1 = has used nothing, 1/2 =
 * exactly its share, toward 0 = far above it. As a key (low first) it is the fixed-point number 2^40 (1 - factor), truncated. */
#ifndef GSP_LIB_SHARE_H
#define GSP_LIB_SHARE_H

#include <stdint.h>

/* What is left of usage after dt: 2^(-dt / half_life). */
double gspl_decay(int64_t dt_ns, int64_t half_life_ns);
/* 0 .. 2^40; 0 for a queue that has used nothing, 2^40 for one that has, with a weight of 0. */
int64_t gspl_share_key(double usage, double all_usage, double weight, double all_weight);

#endif

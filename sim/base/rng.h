/* rng.h - counter-based random numbers: Philox4x32-10 (Salmon et al., SC'11), known-answer tested.
 *
 * A draw is a pure function of (seed, purpose, entity, draw number), so two policies see the same workload, adding an
 * entity shifts nobody, and a checkpoint needs no generator state beyond the draw counter. Variates are by
 * inversion, one draw each, with fmath's functions: the same bits on every machine. */
#ifndef GS_BASE_RNG_H
#define GS_BASE_RNG_H

#include <stdint.h>

/* Purposes: the high half of the last counter word. Append only, a change shifts every workload. */
enum gs_purpose {
    GS_RNG_ARRIVAL = 1,
    GS_RNG_SIZE = 2,
    GS_RNG_SERVICE = 3,
    GS_RNG_FAILURE = 4,
    GS_RNG_TIE = 5,
    GS_RNG_POLICY = 6,
    GS_RNG_OWNER = 7,
    GS_RNG_ESTIMATE = 8,
    GS_RNG_SAMPLE = 9,
    GS_RNG_TEST = 10,
    GS_RNG_JITTER = 11,
    GS_RNG_RESAMPLE = 12,
    GS_RNG_LOAD = 13,
    GS_RNG_TRACE = 14,
    GS_RNG_STARTUP = 15,
    GS_RNG_SHARING = 21
};

struct gs_stream {
    uint32_t key[2];
    uint32_t entity;
    uint32_t purpose; /* purpose<<16 | class */
    uint64_t draw;    /* next draw number */
};

void gs_philox(const uint32_t ctr[4], const uint32_t key[2], uint32_t out[4]);
uint64_t gs_mix64(uint64_t a, uint64_t b); /* (seed, replication) -> key */

void gs_stream_init(struct gs_stream *s, uint64_t seed, enum gs_purpose purpose, uint32_t cls,
                    uint32_t entity);
uint64_t gs_u64(struct gs_stream *s);
uint64_t gs_below(struct gs_stream *s,
                  uint64_t n);       /* 0..n-1, unbiased to 2^-64 (multiply-high); n > 0 */
double gs_unit(struct gs_stream *s); /* [0,1): (u64>>11) 2^-53 */
double gs_open(struct gs_stream *s); /* (0,1): ((u64>>12)+0.5) 2^-52 */
double gs_exponential(struct gs_stream *s, double mean);
double gs_normal(struct gs_stream *s); /* inverse normal of one draw */

#endif

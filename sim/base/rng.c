/* rng.c - Philox4x32 with ten rounds, streams over it, and variates by inversion.
 *
 * Philox is a keyed bijection of 128-bit counters: each round multiplies two of the four words by
 * constants, exchanges high and low halves and adds in a round key that steps by a Weyl sequence.
 * Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11. The
 * counter of a draw is (draw lo, draw hi, entity, purpose<<16 | class): no state but the draw
 * number, and each draw spends a whole block of which 64 bits are used. */
#include "sim/base/rng.h"

#include "sim/base/attr.h"
#include "sim/base/fmath.h"

#include "sim/base/banned.h"

__extension__ typedef unsigned __int128 u128;

#define ROUNDS 10

void gs_philox(const uint32_t ctr[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c0 = ctr[0];
    uint32_t c1 = ctr[1];
    uint32_t c2 = ctr[2];
    uint32_t c3 = ctr[3];
    uint32_t k0 = key[0];
    uint32_t k1 = key[1];
    for (int r = 0; r < ROUNDS; r++) {
        const uint64_t p0 = UINT64_C(0xD2511F53) * c0;
        const uint64_t p1 = UINT64_C(0xCD9E8D57) * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        k0 += UINT32_C(0x9E3779B9);
        k1 += UINT32_C(0xBB67AE85);
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014): a bijection with good avalanche. */
static uint64_t avalanche(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t gs_mix64(uint64_t a, uint64_t b)
{
    const uint64_t weyl = UINT64_C(0x9e3779b97f4a7c15);
    return avalanche(avalanche(a + weyl) + (b + 1) * weyl);
}

void gs_stream_init(struct gs_stream *s, uint64_t seed, enum gs_purpose purpose, uint32_t cls,
                    uint32_t entity)
{
    gs_require(cls < 65536);
    *s = (struct gs_stream){.key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
                            .entity = entity,
                            .purpose = (uint32_t)purpose << 16 | cls};
}

uint64_t gs_u64(struct gs_stream *s)
{
    const uint32_t ctr[4] = {(uint32_t)s->draw, (uint32_t)(s->draw >> 32), s->entity, s->purpose};
    uint32_t out[4];
    gs_philox(ctr, s->key, out);
    s->draw++;
    return (uint64_t)out[1] << 32 | out[0];
}

uint64_t gs_below(struct gs_stream *s, uint64_t n)
{
    gs_require(n > 0);
    return (uint64_t)((u128)gs_u64(s) * n >> 64);
}

double gs_unit(struct gs_stream *s)
{
    return (double)(gs_u64(s) >> 11) * 0x1p-53;
}

double gs_open(struct gs_stream *s)
{
    return ((double)(gs_u64(s) >> 12) + 0.5) * 0x1p-52;
}

double gs_exponential(struct gs_stream *s, double mean)
{
    return -mean * gs_log(gs_open(s));
}

double gs_normal(struct gs_stream *s)
{
    return gs_norm_inv(gs_open(s));
}

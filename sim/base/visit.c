/* visit.c - the one walk over a room's state that hashing, saving and loading share.
 *
 * HASH folds tag, count and the bytes of each field into one word: a field left out, moved, or put
 * under another tag changes it. SAVE and LOAD pass each field to the visitor's callbacks; numbers
 * travel as they stand in memory, which the assertion below pins to little-endian two's complement.
 * */
#include "sim/base/visit.h"

#include "sim/base/attr.h"
#include "sim/base/exact.h"
#include "sim/base/map.h"

#include "sim/base/banned.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "saved state is little-endian: visit.c needs byte swaps on this machine"
#endif

static void field(struct gs_visitor *v, uint32_t tag, void *p, size_t bytes)
{
    switch (v->mode) {
    case GS_VISIT_HASH:
        v->hash = gs_hash_mix(v->hash, (uint64_t)tag << 32 ^ bytes);
        v->hash = gs_hash_mix(v->hash, gs_hash_bytes(p, bytes));
        return;
    case GS_VISIT_SAVE:
        gs_require(v->put);
        v->put(v, tag, p, bytes);
        return;
    case GS_VISIT_LOAD:
        gs_require(v->get);
        (void)v->get(v, tag, p,
                     bytes); /* the visitor keeps the first failure, its owner asks at the end */
        return;
    }
}

void gs_visit_u8(struct gs_visitor *v, uint32_t tag, uint8_t *p, size_t n)
{
    field(v, tag, p, n);
}

void gs_visit_u32(struct gs_visitor *v, uint32_t tag, uint32_t *p, size_t n)
{
    field(v, tag, p, n * sizeof *p);
}

void gs_visit_u64(struct gs_visitor *v, uint32_t tag, uint64_t *p, size_t n)
{
    field(v, tag, p, n * sizeof *p);
}

void gs_visit_i64(struct gs_visitor *v, uint32_t tag, int64_t *p, size_t n)
{
    field(v, tag, p, n * sizeof *p);
}

void gs_visit_f64(struct gs_visitor *v, uint32_t tag, double *p, size_t n)
{
    field(v, tag, p, n * sizeof *p);
}

void gs_visit_i128(struct gs_visitor *v, uint32_t tag, void *p, size_t n)
{
    field(v, tag, p, n * sizeof(gs_i128));
}

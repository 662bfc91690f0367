/* visit.h - one function a room names its state by tag; save, load and hash all go through it.
 *
 * A stateful room has `void gs_X_visit(struct gs_X *x, struct gs_visitor *v)` that calls gs_visit_* for each field, in a fixed order, with a
 * four-letter tag. The visitor's mode decides what happens: now only HASH (a debug run hashes the state every 2^16
 * events); SAVE and LOAD arrive with checkpoints and need no change in the rooms. No pointers, no padding. */
#ifndef GS_BASE_VISIT_H
#define GS_BASE_VISIT_H

#include <stddef.h>
#include <stdint.h>

enum gs_visit_mode {
    GS_VISIT_HASH,
    GS_VISIT_SAVE,
    GS_VISIT_LOAD
};

struct gs_visitor {
    enum gs_visit_mode mode;
    uint64_t hash;
    /* SAVE appends little-endian to out, LOAD consumes in; both unused by HASH */
    void (*put)(struct gs_visitor *v, uint32_t tag, const void *p, size_t n);
    int (*get)(struct gs_visitor *v, uint32_t tag, void *p, size_t n);
    void *ctx;
};

#define GS_TAG(a, b, c, d) \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

void gs_visit_u8(struct gs_visitor *v, uint32_t tag, uint8_t *p, size_t n);
void gs_visit_u32(struct gs_visitor *v, uint32_t tag, uint32_t *p, size_t n);
void gs_visit_u64(struct gs_visitor *v, uint32_t tag, uint64_t *p, size_t n);
void gs_visit_i64(struct gs_visitor *v, uint32_t tag, int64_t *p, size_t n);
void gs_visit_f64(struct gs_visitor *v, uint32_t tag, double *p, size_t n);
void gs_visit_i128(struct gs_visitor *v, uint32_t tag, void *p, size_t n);

#endif

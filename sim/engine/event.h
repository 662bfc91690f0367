/* event.h - the event queue: an implicit 4-ary heap of 24-byte entries, total order (time, class, sequence).
 *
 * What an event is: a time, a class (ties: low first), a kind, and two 32-bit words that mean what the kind says.
 * Order of ties: class, then the order of scheduling; with a tie seed, a bijection of the sequence inside a class.
 * Cancellation is lazy: a slot table holds a generation, a stale entry is dropped when it surfaces, and the heap is
 * compacted when more than half of it is dead. push and pop are O(log n), cancel O(1), nothing allocates after warm-up.
 * Invariant: popped (time, class, seq) never decreases among events pending at the same moment. */
#ifndef GS_ENGINE_EVENT_H
#define GS_ENGINE_EVENT_H

#include "sim/base/visit.h"

#include <stddef.h>
#include <stdint.h>

struct gs_event {
    int64_t time_ns;
    uint8_t cls;
    uint16_t kind;
    uint32_t subject, object;
};

typedef uint64_t gs_event_id; /* generation<<32 | slot; 0 is never a valid id */

struct gs_evq_entry {
    uint64_t time, key; /* key = class<<56 | seq (or its bijection) */
    uint32_t slot, kind;
};

struct gs_evq_slot {
    uint32_t gen; /* odd while pending */
    uint32_t subject, object, next_free;
};

struct gs_evq {
    struct gs_evq_entry
        *heap; /* inside block, placed so that the four children of a node lie in two cache lines */
    void *block;
    struct gs_evq_slot *slots;
    size_t n, cap; /* heap entries, live and dead */
    size_t live;
    int hole; /* heap[0] was popped and not replaced yet: a push fills it, anything else settles it first */
    uint32_t nslots, slots_cap, free_slot;
    uint64_t seq;      /* of the next push */
    uint64_t tie_seed; /* 0 = plain sequence */
};

void gs_evq_init(struct gs_evq *q, uint64_t tie_seed);
void gs_evq_release(struct gs_evq *q);
gs_event_id gs_evq_push(struct gs_evq *q, struct gs_event ev); /* gs_require: time_ns >= 0 */
int gs_evq_cancel(struct gs_evq *q,
                  gs_event_id id); /* 1 if it was pending, 0 if fired or cancelled before */
int gs_evq_pending(const struct gs_evq *q, gs_event_id id);
int gs_evq_peek(struct gs_evq *q, struct gs_event *out); /* 0 when empty */
int gs_evq_pop(struct gs_evq *q, struct gs_event *out);  /* 0 when empty */
/* Up to four events of which one is likely to be popped next, the earliest first. A guess: some may
 * be cancelled, and it says nothing of what will be pushed. For fetching memory ahead. */
uint32_t gs_evq_candidates(const struct gs_evq *q, struct gs_event out[4]);
size_t gs_evq_live(const struct gs_evq *q);
void gs_evq_visit(
    struct gs_evq *q,
    struct gs_visitor *v); /* live entries in key order: bytes do not depend on heap shape */

#endif

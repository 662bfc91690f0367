/* engine.h - the clock and the loop: pops events in order, hands each to its kind's handler, digests what was applied.
 *
 * The engine knows nothing of clusters: kinds are small numbers that the owner registers with a name, a class and a handler. A
 * scheduling pass is one coalesced event of class GS_CLASS_PASS: many requests at one instant give one pass, after everything
 * else that is pending at that instant (or after each change with coalescing off, for artifacts). Zero-delay loops (more
 * than 1,000 passes, or 10^6 events beyond those pending at its first event, at one instant) are an error that names the kind.
 * Digest: h = rotl64((h xor w) * 0x100000001b3, 29) over (time, class|kind<<8, subject, object, result) of each
 * applied event and each decision noted with gs_engine_decision. */
#ifndef GS_ENGINE_ENGINE_H
#define GS_ENGINE_ENGINE_H

#include "sim/base/err.h"
#include "sim/engine/event.h"

#include <stdint.h>

enum gs_class {
    GS_CLASS_RELEASE = 0,
    GS_CLASS_FAILURE = 1,
    GS_CLASS_NETWORK = 2,
    GS_CLASS_ARRIVAL = 3,
    GS_CLASS_AUTOSCALE = 4,
    GS_CLASS_TIMER = 5,
    GS_CLASS_PASS = 6,
    GS_CLASS_SAMPLE = 7,
    GS_CLASS_END = 8,
    GS_CLASS_COUNT
};

#define GS_KINDS_MAX          32
#define GS_DIGEST_SEED        UINT64_C(0xcbf29ce484222325)
#define GS_DIGEST_SEED_COMPAT UINT64_C(0x84222325cbf29ce4)
#define GS_RING_BLOCK         65536u /* events a digest block */

/* Returns GS_OK, or an error that ends the run. *result is a word for the digest (0 by default). */
typedef enum gs_rc gs_handler(void *world, const struct gs_event *ev, uint64_t *result,
                              struct gs_err *err);

struct gs_kind {
    const char *name;
    enum gs_class cls;
    gs_handler *fn;
};

struct gs_ring_row {
    uint64_t block, digest;
};

/* One record of the optional event log: 48 bytes. Decisions have kind >= 0x100. */
struct gs_logged {
    int64_t time_ns;
    uint64_t seq;
    uint32_t cls_kind, subject, object, pad;
    uint64_t result, digest;
};

struct gs_engine {
    struct gs_evq q;
    int64_t now_ns;
    uint64_t digest, events, passes;
    uint64_t instant_events, instant_passes, instant_pending; /* guards against zero-delay loops */
    int pass_pending,
        compat; /* compat: classes RELEASE and ARRIVAL swapped, passes not coalesced across events */
    uint16_t pass_kind;
    struct gs_kind kind[GS_KINDS_MAX];
    void *world;
    struct gs_ring_row *ring; /* one row every GS_RING_BLOCK events */
    size_t nring, ring_cap;
    void (*log)(void *ctx, const struct gs_logged *row); /* NULL = no event log */
    void *log_ctx;
    /* told, before an event is handled, what may come after it (gs_evq_candidates), so that memory can
     * be fetched ahead; must change nothing. NULL = nobody */
    void (*ahead)(void *world, const struct gs_event *next, uint32_t n);
    const volatile int *stop; /* set by a signal handler: the loop returns GS_E_INT / GS_E_TERM */
    int stop_requested; /* set by a handler through gs_engine_stop: the loop ends with GS_OK */
};

void gs_engine_init(struct gs_engine *e, void *world, uint64_t tie_seed, int compat);
void gs_engine_release(struct gs_engine *e);
void gs_engine_kind(struct gs_engine *e, uint16_t kind, const char *name, enum gs_class cls,
                    gs_handler *fn);

/* Schedules at time_ns >= now. The class is the kind's. */
gs_event_id gs_engine_at(struct gs_engine *e, int64_t time_ns, uint16_t kind, uint32_t subject,
                         uint32_t object);
int gs_engine_cancel(struct gs_engine *e, gs_event_id id);
void gs_engine_want_pass(
    struct gs_engine *e); /* one pass at this instant, after what else is pending */
void gs_engine_decision(struct gs_engine *e, uint16_t code, uint32_t subject, uint32_t object,
                        uint64_t result);
void gs_engine_stop(struct gs_engine *e);

/* Runs until the queue is empty, a handler fails or stops it, or a signal came. */
GS_NODISCARD enum gs_rc gs_engine_run(struct gs_engine *e, struct gs_err *err);
/* Runs at most n events; *ran tells how many. Used by tests, progress and the bench. */
GS_NODISCARD enum gs_rc gs_engine_step(struct gs_engine *e, uint64_t n, uint64_t *ran,
                                       struct gs_err *err);
void gs_engine_visit(struct gs_engine *e, struct gs_visitor *v);

#endif

/* event.c - an implicit 4-ary heap with lazy cancellation.
 *
 * Children of entry i are 4i+1 .. 4i+4: half the levels of a binary heap, and the four are 96 bytes
 * that lie in two cache lines, because of where the array starts (see grow_heap). Entries are
 * ordered as one 128-bit number (time, class, sequence); all keys differ, so the order of pops is a
 * function of what was pushed and not of the heap's shape. Removal is bottom-up (Wegener 1993): the
 * hole sinks to a leaf along the smallest children without looking at the entry that will fill it,
 * which came from a leaf and seldom climbs far again. While the hole passes a node its
 * grandchildren, adjacent in memory, are prefetched. A pop leaves its hole at the top open: most
 * handlers schedule something, and that push sinks the hole for both; any other call settles it.
 *
 * Slots carry what an event is about, so that entries stay small. A slot's generation is odd while
 * its event is pending. Cancel makes it even and leaves the entry behind, dead; the slot is free
 * again only when the entry has left the heap (it surfaced, or the heap was compacted), so an entry
 * never meets a successor's generation. An id is generation<<32 | slot: a stale one no longer
 * matches, until a slot was used 2^31 times in between.
 *
 * Invariants (no hole open): heap[(i-1)/4] < heap[i]; heap[n..cap) is void, larger than any entry;
 * live = entries whose slot is odd; dead <= live + COMPACT_LEAST. */
#include "sim/engine/event.h"

#include "sim/base/attr.h"
#include "sim/base/mem.h"
#include "sim/base/rng.h"
#include "sim/base/sort.h"

#include <string.h>

#include "sim/base/banned.h"

__extension__ typedef unsigned __int128 u128;

#define SEQ_BITS       56
#define SEQ_MAX        ((UINT64_C(1) << SEQ_BITS) - 1)
#define HALF_BITS      28
#define HALF_MASK      ((UINT32_C(1) << HALF_BITS) - 1)
#define FEISTEL_ROUNDS 4
#define FIRST_CAP      ((size_t)64)
#define COMPACT_LEAST  ((size_t)64)
#define VOID           ((size_t)4) /* room behind the last entry: the next and three void */
#define SIZE           sizeof(struct gs_evq_entry)
#define LINE           ((size_t)64)
#define NO_SLOT        UINT32_MAX

static u128 order_of(const struct gs_evq_entry *e)
{
    return (u128)e->time << 64 | e->key;
}

/* A bijection of 56-bit numbers: a balanced Feistel network is one for any round function. */
static uint64_t shuffle_seq(uint64_t seq, uint64_t seed)
{
    uint32_t left = (uint32_t)(seq >> HALF_BITS);
    uint32_t right = (uint32_t)seq & HALF_MASK;
    for (uint64_t round = 0; round < FEISTEL_ROUNDS; round++) {
        const uint64_t f = gs_mix64(seed, round << HALF_BITS | right);
        const uint32_t next = (left ^ (uint32_t)f) & HALF_MASK;
        left = right;
        right = next;
    }
    return (uint64_t)left << HALF_BITS | right;
}

/* ------------------------------------------------------------------ heap */

/* Entries that no time reaches: the rest of the array, so that sinking needs no special case at its
 * end. */
static void make_void(struct gs_evq_entry *e, size_t n)
{
    for (size_t i = 0; i < n; i++)
        e[i] = (struct gs_evq_entry){.time = UINT64_MAX, .key = UINT64_MAX};
}

static void grow_heap(struct gs_evq *q)
{
    const size_t cap = q->cap ? q->cap * 2 : FIRST_CAP;
    char *block = gs_resize(NULL, cap * SIZE + 2 * LINE, 1);
    /* heap + 5, the first child of entry 1, starts a cache line: the 16 grandchildren of any entry
     * then fill six lines, and its four children lie in two */
    char *line = block + (LINE - (uintptr_t)block % LINE);
    struct gs_evq_entry *heap = (void *)(line + 2 * LINE - 5 * SIZE);
    if (q->n)
        memcpy(heap, q->heap, q->n * sizeof *heap);
    make_void(heap + q->n, cap - q->n);
    gs_free(q->block);
    q->block = block;
    q->heap = heap;
    q->cap = cap;
}

/* Puts e at i or above, moving larger ancestors down into the hole. */
static void sift_up(struct gs_evq_entry *h, size_t i, struct gs_evq_entry e)
{
    const u128 key = order_of(&e);
    while (i > 0) {
        const size_t parent = (i - 1) / 4;
        if (order_of(&h[parent]) < key)
            break;
        h[i] = h[parent];
        i = parent;
    }
    h[i] = e;
}

/* Which of four children is the smallest, when some of their times are equal. */
static size_t least_of_tied(const struct gs_evq_entry *c)
{
    const size_t low = order_of(&c[1]) < order_of(&c[0]);
    const size_t high = 2 + (size_t)(order_of(&c[3]) < order_of(&c[2]));
    return order_of(&c[high]) < order_of(&c[low]) ? high : low;
}

static struct gs_evq_entry *entry_at(char *base, size_t offset)
{
    return (void *)(base + offset);
}

/* Moves the hole at i down to a leaf along the smallest children; returns where it ends. Most of a
 * pop's time is spent here, hence: positions are byte offsets (first child of o: 4 o + SIZE), the
 * smallest of four times is found without a branch, classes and sequences are looked at only when
 * times tie, the next level is prefetched, and a last group that is not full is made up by void
 * entries (see make_void). */
static size_t sink_hole(struct gs_evq_entry *h, size_t n, size_t i)
{
    char *base = (void *)h;
    const size_t end = n * SIZE;
    size_t hole = i * SIZE;
    for (size_t first = 4 * hole + SIZE; first < end; first = 4 * hole + SIZE) {
        const size_t grand = 4 * first + SIZE;
        if (grand + 16 * SIZE <= end)
            for (size_t line = 0; line < 16 * SIZE; line += LINE)
                GS_PREFETCH(base + grand + line);
        const struct gs_evq_entry *c = entry_at(base, first);
        const uint64_t low_time = c[1].time < c[0].time ? c[1].time : c[0].time;
        const uint64_t high_time = c[3].time < c[2].time ? c[3].time : c[2].time;
        const size_t low = c[1].time < c[0].time ? first + SIZE : first;
        const size_t high = c[3].time < c[2].time ? first + 3 * SIZE : first + 2 * SIZE;
        const int tie =
            (c[0].time == c[1].time) | (c[2].time == c[3].time) | (low_time == high_time);
        size_t best = high_time < low_time ? high : low;
        if (GS_UNLIKELY(tie))
            best = first + least_of_tied(c) * SIZE;
        *entry_at(base, hole) = *entry_at(base, best);
        hole = best;
    }
    return hole / SIZE;
}

/* Is e before all that is pending? Asked with the hole at the top. */
static int comes_next(const struct gs_evq *q, const struct gs_evq_entry *e)
{
    for (size_t i = 1; i <= 4 && i < q->n; i++) {
        if (order_of(&q->heap[i]) < order_of(e))
            return 0;
    }
    return 1;
}

/* Puts e where the hole at the top sinks to. What happens at the instant of the event that was
 * popped last (it still stands in the hole), as a scheduling pass does, mostly comes next: it is
 * spared the way down and up again. */
static void fill_top(struct gs_evq *q, struct gs_evq_entry e)
{
    q->hole = 0;
    if (e.time == q->heap[0].time && comes_next(q, &e)) {
        q->heap[0] = e;
        return;
    }
    sift_up(q->heap, sink_hole(q->heap, q->n, 0), e);
}

/* Fills the hole that a pop left with the last entry, as no push came to do it. */
static void settle(struct gs_evq *q)
{
    if (!q->hole)
        return;
    const struct gs_evq_entry last = q->heap[--q->n];
    make_void(&q->heap[q->n], 1);
    if (q->n > 0)
        fill_top(q, last);
    q->hole = 0;
}

/* ------------------------------------------------------------------ slots */

static uint32_t take_slot(struct gs_evq *q)
{
    if (q->free_slot != NO_SLOT) {
        const uint32_t slot = q->free_slot;
        q->free_slot = q->slots[slot].next_free;
        return slot;
    }
    if (q->nslots == q->slots_cap) {
        gs_verify(q->slots_cap < UINT32_MAX / 4);
        q->slots_cap = q->slots_cap ? q->slots_cap * 2 : (uint32_t)FIRST_CAP;
        q->slots = gs_resize(q->slots, q->slots_cap, sizeof *q->slots);
    }
    q->slots[q->nslots] = (struct gs_evq_slot){0};
    return q->nslots++;
}

static void free_slot(struct gs_evq *q, uint32_t slot)
{
    q->slots[slot].next_free = q->free_slot;
    q->free_slot = slot;
}

static int is_dead(const struct gs_evq *q, const struct gs_evq_entry *e)
{
    return (q->slots[e->slot].gen & 1) == 0;
}

/* Dead entries at the top go, so that heap[0] is live or the heap empty. */
static void drop_dead(struct gs_evq *q)
{
    settle(q);
    while (q->n > 0 && is_dead(q, &q->heap[0])) {
        free_slot(q, q->heap[0].slot);
        q->hole = 1;
        settle(q);
    }
}

/* Throws out all dead entries and builds the heap anew from the last parent up: O(n), paid by as
 * many cancels. */
static void compact(struct gs_evq *q)
{
    settle(q);
    size_t kept = 0;
    for (size_t i = 0; i < q->n; i++) {
        if (is_dead(q, &q->heap[i]))
            free_slot(q, q->heap[i].slot);
        else
            q->heap[kept++] = q->heap[i];
    }
    make_void(q->heap + kept, q->n - kept);
    q->n = kept;
    for (size_t i = kept < 2 ? 0 : (kept - 2) / 4 + 1; i-- > 0;) {
        /* the hole's path from i to a leaf, then up again no higher than i */
        const struct gs_evq_entry e = q->heap[i];
        size_t hole = sink_hole(q->heap, kept, i);
        while (hole > i && order_of(&q->heap[(hole - 1) / 4]) > order_of(&e)) {
            q->heap[hole] = q->heap[(hole - 1) / 4];
            hole = (hole - 1) / 4;
        }
        q->heap[hole] = e;
    }
}

/* ------------------------------------------------------------------ public */

void gs_evq_init(struct gs_evq *q, uint64_t tie_seed)
{
    *q = (struct gs_evq){.free_slot = NO_SLOT, .tie_seed = tie_seed};
}

void gs_evq_release(struct gs_evq *q)
{
    gs_free(q->block);
    gs_free(q->slots);
    *q = (struct gs_evq){.free_slot = NO_SLOT};
}

gs_event_id gs_evq_push(struct gs_evq *q, struct gs_event ev)
{
    gs_require(ev.time_ns >= 0);
    gs_verify(q->seq <= SEQ_MAX);
    const uint32_t slot = take_slot(q);
    struct gs_evq_slot *s = &q->slots[slot];
    s->gen++;
    s->subject = ev.subject;
    s->object = ev.object;

    const uint64_t seq = q->seq++;
    const struct gs_evq_entry e = {.time = (uint64_t)ev.time_ns,
                                   .key = (uint64_t)ev.cls << SEQ_BITS |
                                          (q->tie_seed ? shuffle_seq(seq, q->tie_seed) : seq),
                                   .slot = slot,
                                   .kind = ev.kind};
    if (q->hole) {
        fill_top(q, e);
    } else {
        if (q->n + VOID > q->cap)
            grow_heap(q);
        sift_up(q->heap, q->n++, e);
    }
    q->live++;
    return (gs_event_id)s->gen << 32 | slot;
}

int gs_evq_pending(const struct gs_evq *q, gs_event_id id)
{
    const uint32_t slot = (uint32_t)id;
    const uint32_t gen = (uint32_t)(id >> 32);
    return (gen & 1) && slot < q->nslots && q->slots[slot].gen == gen;
}

int gs_evq_cancel(struct gs_evq *q, gs_event_id id)
{
    if (!gs_evq_pending(q, id))
        return 0;
    q->slots[(uint32_t)id].gen++;
    q->live--;
    if (q->n - q->live > q->live + COMPACT_LEAST)
        compact(q);
    return 1;
}

static void describe(const struct gs_evq *q, const struct gs_evq_entry *e, struct gs_event *out)
{
    const struct gs_evq_slot *s = &q->slots[e->slot];
    *out = (struct gs_event){.time_ns = (int64_t)e->time,
                             .cls = (uint8_t)(e->key >> SEQ_BITS),
                             .kind = (uint16_t)e->kind,
                             .subject = s->subject,
                             .object = s->object};
}

int gs_evq_peek(struct gs_evq *q, struct gs_event *out)
{
    drop_dead(q);
    if (q->n == 0)
        return 0;
    describe(q, &q->heap[0], out);
    return 1;
}

int gs_evq_pop(struct gs_evq *q, struct gs_event *out)
{
    drop_dead(q);
    if (q->n == 0)
        return 0;
    const uint32_t slot = q->heap[0].slot;
    describe(q, &q->heap[0], out);
    q->slots[slot].gen++;
    free_slot(q, slot);
    q->live--;
    q->hole = 1;
    for (size_t i = 1; i <= 4 && i < q->n; i++) /* one of these is next */
        GS_PREFETCH(&q->slots[q->heap[i].slot]);
    return 1;
}

uint32_t gs_evq_candidates(const struct gs_evq *q, struct gs_event out[4])
{
    uint32_t n = 0;
    for (size_t i = 1; i <= 4 && i < q->n; i++) {
        describe(q, &q->heap[i], &out[n++]);
        if (out[n - 1].time_ns < out[0].time_ns) {
            const struct gs_event first = out[n - 1];
            out[n - 1] = out[0];
            out[0] = first;
        }
    }
    return n;
}

size_t gs_evq_live(const struct gs_evq *q)
{
    return q->live;
}

static int by_order(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    const u128 x = order_of(a);
    const u128 y = order_of(b);
    return (x > y) - (x < y);
}

/* What the queue holds, less what a reload makes anew: the entries (sorted: a sorted array is a
 * heap) and the slots. */
void gs_evq_visit(struct gs_evq *q, struct gs_visitor *v)
{
    if (v->mode != GS_VISIT_LOAD) {
        compact(q);
        gs_sort(q->heap, q->n, sizeof *q->heap, by_order, NULL);
    }
    uint64_t n = q->n;
    gs_visit_u64(v, GS_TAG('Q', 's', 'e', 'q'), &q->seq, 1);
    gs_visit_u64(v, GS_TAG('Q', 't', 'i', 'e'), &q->tie_seed, 1);
    gs_visit_u64(v, GS_TAG('Q', 'n', 'e', 'v'), &n, 1);
    gs_visit_u32(v, GS_TAG('Q', 'n', 's', 'l'), &q->nslots, 1);
    gs_visit_u32(v, GS_TAG('Q', 'f', 'r', 'e'), &q->free_slot, 1);
    if (v->mode == GS_VISIT_LOAD) {
        while (q->cap < n + VOID)
            grow_heap(q);
        q->n = q->live = (size_t)n;
        q->hole = 0;
        make_void(q->heap + q->n, q->cap - q->n);
        q->slots = gs_resize(q->slots, q->nslots, sizeof *q->slots);
        q->slots_cap = q->nslots;
    }
    for (size_t i = 0; i < q->n; i++) {
        struct gs_evq_entry *e = &q->heap[i];
        gs_visit_u64(v, GS_TAG('Q', 't', 'i', 'm'), &e->time, 1);
        gs_visit_u64(v, GS_TAG('Q', 'k', 'e', 'y'), &e->key, 1);
        gs_visit_u32(v, GS_TAG('Q', 's', 'l', 'o'), &e->slot, 1);
        gs_visit_u32(v, GS_TAG('Q', 'k', 'i', 'n'), &e->kind, 1);
    }
    for (size_t i = 0; i < q->nslots; i++) {
        struct gs_evq_slot *s = &q->slots[i];
        gs_visit_u32(v, GS_TAG('Q', 'g', 'e', 'n'), &s->gen, 1);
        gs_visit_u32(v, GS_TAG('Q', 's', 'u', 'b'), &s->subject, 1);
        gs_visit_u32(v, GS_TAG('Q', 'o', 'b', 'j'), &s->object, 1);
        gs_visit_u32(v, GS_TAG('Q', 'n', 'x', 't'), &s->next_free, 1);
    }
}

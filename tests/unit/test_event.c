/* test_event.c - the event queue against a sorted reference, under pushes, pops, cancels and heavy
 * ties. */
#include "sim/base/attr.h"
#include "sim/base/mem.h"
#include "sim/base/rng.h"
#include "sim/base/vec.h"
#include "sim/engine/event.h"
#include "tests/unit/harness.h"

static struct gs_event at(int64_t t, uint8_t cls, uint32_t subject)
{
    return (struct gs_event){
        .time_ns = t, .cls = cls, .kind = 7, .subject = subject, .object = ~subject};
}

static void ties_go_by_class_then_by_order_of_scheduling(void)
{
    struct gs_evq q;
    gs_evq_init(&q, 0);
    (void)gs_evq_push(&q, at(5, 3, 0));
    (void)gs_evq_push(&q, at(5, 0, 1));
    (void)gs_evq_push(&q, at(4, 8, 2));
    (void)gs_evq_push(&q, at(5, 3, 3));
    (void)gs_evq_push(&q, at(5, 0, 4));
    static const uint32_t want[] = {2, 1, 4, 0, 3};
    struct gs_event ev;
    for (int i = 0; i < 5; i++) {
        CU_ASSERT(gs_evq_peek(&q, &ev) && ev.subject == want[i]);
        CU_ASSERT(gs_evq_pop(&q, &ev));
        GS_EQ_INT(ev.subject, want[i]);
        GS_EQ_INT(ev.object, ~want[i]);
        GS_EQ_INT(ev.kind, 7);
    }
    CU_ASSERT(!gs_evq_peek(&q, &ev) && !gs_evq_pop(&q, &ev));
    gs_evq_release(&q);
}

/* The reference: a list of what is pending; the next is found by looking at all. */
struct pending {
    gs_event_id id;
    int64_t time;
    uint32_t subject;
    uint8_t cls;
};

struct model {
    GS_VEC(struct pending) v;
};

static size_t earliest(const struct model *m)
{
    size_t best = 0;
    for (size_t i = 1; i < m->v.n; i++) {
        const struct pending *a = &m->v.v[i];
        const struct pending *b = &m->v.v[best];
        /* subjects count pushes, so they stand for the sequence */
        if (a->time != b->time ? a->time < b->time
                               : (a->cls != b->cls ? a->cls < b->cls : a->subject < b->subject))
            best = i;
    }
    return best;
}

static void forget(struct model *m, size_t i)
{
    m->v.v[i] = m->v.v[m->v.n - 1];
    m->v.n--;
}

static void pop_and_compare(struct gs_evq *q, struct model *m)
{
    struct gs_event ev = {0};
    const int got = gs_evq_pop(q, &ev);
    CU_ASSERT_FATAL(got == (m->v.n > 0));
    if (!got)
        return;
    const size_t i = earliest(m);
    CU_ASSERT(ev.time_ns == m->v.v[i].time && ev.subject == m->v.v[i].subject &&
              ev.cls == m->v.v[i].cls);
    CU_ASSERT(!gs_evq_pending(q, m->v.v[i].id));
    CU_ASSERT(!gs_evq_cancel(q, m->v.v[i].id));
    forget(m, i);
}

/* One run of 10^5 random operations. `times` different times: few make heavy ties. */
static void random_operations(uint64_t seed, uint64_t times, uint64_t target)
{
    struct gs_evq q;
    struct model m = {0};
    struct gs_stream s;
    gs_evq_init(&q, 0);
    gs_stream_init(&s, seed, GS_RNG_TEST, 0, 0);
    uint32_t pushed = 0;
    for (int step = 0; step < 100000; step++) {
        const uint64_t what = gs_below(&s, 100);
        if (what < (m.v.n < target ? 50u : 25u)) {
            const struct gs_event ev =
                at((int64_t)gs_below(&s, times), (uint8_t)gs_below(&s, 9), pushed++);
            const gs_event_id id = gs_evq_push(&q, ev);
            gs_vec_push(&m.v, (struct pending){id, ev.time_ns, ev.subject, ev.cls});
        } else if (what < 60) {
            pop_and_compare(&q, &m);
        } else if (m.v.n > 0) {
            const size_t i = (size_t)gs_below(&s, m.v.n);
            CU_ASSERT(gs_evq_pending(&q, m.v.v[i].id));
            CU_ASSERT(gs_evq_cancel(&q, m.v.v[i].id));
            CU_ASSERT(!gs_evq_cancel(&q, m.v.v[i].id)); /* once only */
            forget(&m, i);
        }
        CU_ASSERT(gs_evq_live(&q) == m.v.n);
    }
    while (m.v.n > 0)
        pop_and_compare(&q, &m);
    pop_and_compare(&q, &m); /* empty */
    gs_vec_free(&m.v);
    gs_evq_release(&q);
}

static void queue_agrees_with_a_sorted_list(void)
{
    static const struct {
        uint64_t times, target;
    } table[] = {{1, 100}, {3, 40}, {20, 300}, {1000, 60}, {UINT64_C(1) << 62, 200}, {5, 2}};

    for (uint64_t i = 0; i < sizeof table / sizeof *table; i++)
        random_operations(100 + i, table[i].times, table[i].target);
}

static void large_queue_pops_in_order(void)
{
    enum {
        N = 100000
    };
    struct gs_evq q;
    struct gs_stream s;
    gs_evq_init(&q, 0);
    gs_stream_init(&s, 8, GS_RNG_TEST, 0, 0);
    for (uint32_t i = 0; i < N; i++)
        (void)gs_evq_push(&q, at((int64_t)gs_below(&s, N / 10), (uint8_t)gs_below(&s, 3), i));
    struct gs_event last = {.time_ns = -1};
    for (int i = 0; i < N; i++) {
        struct gs_event ev;
        CU_ASSERT_FATAL(gs_evq_pop(&q, &ev));
        CU_ASSERT(last.time_ns < ev.time_ns ||
                  (last.time_ns == ev.time_ns &&
                   (last.cls < ev.cls || (last.cls == ev.cls && last.subject < ev.subject))));
        last = ev;
        if (i % 4 == 0 && i < N / 2) { /* pushes right after a pop take another way in */
            (void)gs_evq_push(&q,
                              at(ev.time_ns + 1 + (int64_t)gs_below(&s, 1000), 0, N + (uint32_t)i));
            struct gs_event next;
            CU_ASSERT(gs_evq_peek(&q, &next));
        }
    }
    GS_EQ_INT(gs_evq_live(&q), N / 8);
    gs_evq_release(&q);
}

static void a_stale_id_does_not_hit_its_successor(void)
{
    struct gs_evq q;
    gs_evq_init(&q, 0);
    struct gs_event ev;
    const gs_event_id a = gs_evq_push(&q, at(1, 0, 1));
    CU_ASSERT(a != 0);
    CU_ASSERT(gs_evq_pop(&q, &ev));
    const gs_event_id b = gs_evq_push(&q, at(2, 0, 2));
    GS_EQ_INT((uint32_t)a, (uint32_t)b); /* the slot was used again */
    CU_ASSERT(a != b && !gs_evq_pending(&q, a) && !gs_evq_cancel(&q, a));
    CU_ASSERT(gs_evq_cancel(&q, b));
    const gs_event_id c = gs_evq_push(&q, at(2, 0, 3));
    CU_ASSERT(!gs_evq_cancel(&q, b) && gs_evq_pending(&q, c));
    CU_ASSERT(!gs_evq_cancel(&q, 0) && !gs_evq_cancel(&q, UINT64_MAX));
    CU_ASSERT(gs_evq_pop(&q, &ev) && ev.subject == 3);
    gs_evq_release(&q);
}

static void cancelled_entries_do_not_pile_up(void)
{
    struct gs_evq q;
    gs_evq_init(&q, 0);
    for (uint32_t i = 0; i < 10; i++)
        (void)gs_evq_push(&q, at(1000 + i, 0, i));
    for (uint32_t i = 0; i < 100000; i++) { /* a completion that is moved again and again */
        const gs_event_id id = gs_evq_push(&q, at(500000 - i, 0, 99));
        CU_ASSERT(gs_evq_cancel(&q, id));
        CU_ASSERT(q.n <= 2 * gs_evq_live(&q) + 80);
    }
    CU_ASSERT(q.cap <= 256 && q.nslots <= 256);
    for (uint32_t i = 0; i < 10; i++) {
        struct gs_event ev;
        CU_ASSERT(gs_evq_pop(&q, &ev) && ev.subject == i);
    }
    gs_evq_release(&q);
}

/* Keys of the first n pushes, sequence only. */
static void sequences(uint64_t tie_seed, uint32_t n, uint64_t *order)
{
    struct gs_evq q;
    gs_evq_init(&q, tie_seed);
    for (uint32_t i = 0; i < n; i++)
        (void)gs_evq_push(&q, at(0, (uint8_t)(i % 2), i));
    for (uint32_t i = 0; i < n; i++) {
        struct gs_event ev = {0};
        CU_ASSERT(gs_evq_pop(&q, &ev));
        order[i] = ev.subject;
    }
    gs_evq_release(&q);
}

static void a_tie_seed_shuffles_inside_a_class_only(void)
{
    enum {
        N = 20000
    };

    static uint64_t plain[N];
    static uint64_t one[N];
    static uint64_t again[N];
    static uint64_t two[N];
    static unsigned char seen[N];
    sequences(0, N, plain);
    sequences(1, N, one);
    sequences(1, N, again);
    sequences(2, N, two);
    CU_ASSERT(memcmp(one, again, sizeof one) == 0);
    CU_ASSERT(memcmp(one, two, sizeof one) != 0);
    uint32_t moved = 0;
    for (uint32_t i = 0; i < N; i++) {
        CU_ASSERT(plain[i] == (i < N / 2 ? 2 * i : 2 * (i - N / 2) + 1));
        CU_ASSERT(one[i] % 2 == (i >= N / 2)); /* classes stay apart */
        CU_ASSERT(!seen[one[i]]);              /* each once: a bijection */
        seen[one[i]] = 1;
        moved += one[i] != plain[i];
    }
    CU_ASSERT(moved > N * 9 / 10);
}

static void shuffled_sequences_are_all_different(void)
{
    enum {
        N = 200000
    };
    struct gs_evq q;
    gs_evq_init(&q, 12345);
    for (uint32_t i = 0; i < N; i++)
        (void)gs_evq_push(&q, at(0, 0, i));
    struct gs_visitor v = {.mode = GS_VISIT_HASH};
    gs_evq_visit(&q, &v); /* sorts the entries by key */
    for (uint32_t i = 1; i < N; i++)
        CU_ASSERT(q.heap[i - 1].key < q.heap[i].key && q.heap[i].key >> 56 == 0);
    gs_evq_release(&q);
}

static uint64_t hash_of(struct gs_evq *q)
{
    struct gs_visitor v = {.mode = GS_VISIT_HASH};
    gs_evq_visit(q, &v);
    return v.hash;
}

static void the_hash_of_a_queue_shows_what_is_pending(void)
{
    struct gs_evq a;
    struct gs_evq b;
    gs_evq_init(&a, 0);
    gs_evq_init(&b, 0);
    for (uint32_t i = 0; i < 100; i++) {
        (void)gs_evq_push(&a, at(i * 37 % 50, 0, i));
        (void)gs_evq_push(&b, at(i * 37 % 50, 0, i));
    }
    CU_ASSERT(hash_of(&a) == hash_of(&b));
    CU_ASSERT(hash_of(&a) == hash_of(&b)); /* looking changes nothing */
    (void)gs_evq_push(&b, at(7, 0, 100));
    CU_ASSERT(hash_of(&a) != hash_of(&b));
    (void)gs_evq_push(&a, at(7, 0, 101));
    CU_ASSERT(hash_of(&a) != hash_of(&b)); /* another subject */
    struct gs_event ev;
    int64_t last = 0;
    for (int i = 0; i < 101; i++) {
        CU_ASSERT(gs_evq_pop(&a, &ev) && ev.time_ns >= last);
        last = ev.time_ns;
    }
    gs_evq_release(&a);
    gs_evq_release(&b);
}

struct tape {
    GS_VEC(unsigned char) v;
    size_t at;
};

static void put(struct gs_visitor *v, uint32_t tag, const void *p, size_t n)
{
    struct tape *t = v->ctx;
    (void)tag;
    for (size_t i = 0; i < n; i++)
        gs_vec_push(&t->v, ((const unsigned char *)p)[i]);
}

static int get(struct gs_visitor *v, uint32_t tag, void *p, size_t n)
{
    struct tape *t = v->ctx;
    (void)tag;
    memcpy(p, t->v.v + t->at, n);
    t->at += n;
    return 0;
}

static void a_saved_queue_goes_on_where_it_was(void)
{
    struct gs_evq a;
    struct gs_evq b;
    struct tape t = {0};
    gs_evq_init(&a, 3);
    gs_evq_init(&b, 0);
    (void)gs_evq_push(&b, at(1, 1, 1)); /* loading replaces what was there */
    gs_event_id held = 0;
    for (uint32_t i = 0; i < 300; i++) {
        const gs_event_id id = gs_evq_push(&a, at(i % 7, 0, i));
        if (i == 250)
            held = id;
        else if (i % 3 == 0)
            (void)gs_evq_cancel(&a, id);
    }
    struct gs_event x = {0};
    struct gs_event y = {0};
    (void)gs_evq_pop(&a, &x);
    struct gs_visitor save = {.mode = GS_VISIT_SAVE, .put = put, .ctx = &t};
    gs_evq_visit(&a, &save);
    struct gs_visitor load = {.mode = GS_VISIT_LOAD, .get = get, .ctx = &t};
    gs_evq_visit(&b, &load);
    GS_EQ_INT(t.at, t.v.n);
    GS_EQ_INT(gs_evq_cancel(&a, held), gs_evq_cancel(&b, held));
    (void)gs_evq_push(&a, at(3, 0, 1000));
    (void)gs_evq_push(&b, at(3, 0, 1000));
    while (gs_evq_pop(&a, &x)) {
        CU_ASSERT_FATAL(gs_evq_pop(&b, &y));
        CU_ASSERT(x.subject == y.subject && x.time_ns == y.time_ns);
    }
    CU_ASSERT(!gs_evq_pop(&b, &y));
    gs_vec_free(&t.v);
    gs_evq_release(&a);
    gs_evq_release(&b);
}

static const struct gs_test tests[] = {
    {"ties by class then order", ties_go_by_class_then_by_order_of_scheduling},
    {"agrees with a sorted list", queue_agrees_with_a_sorted_list},
    {"large queue", large_queue_pops_in_order},
    {"stale ids", a_stale_id_does_not_hit_its_successor},
    {"compaction", cancelled_entries_do_not_pile_up},
    {"tie seed", a_tie_seed_shuffles_inside_a_class_only},
    {"tie seed is a bijection", shuffled_sequences_are_all_different},
    {"hash of a queue", the_hash_of_a_queue_shows_what_is_pending},
    {"save and load", a_saved_queue_goes_on_where_it_was},
};
GS_TEST_MAIN("engine/event", tests)

/* hold.c - how long does a pop and a push take with n events pending?
 *
 * The hold model (Jones, CACM 29, 1986): pop the earliest event, push one an exponential increment
 * later, n stays the same. The yardstick is the binary heap of the textbooks: 24-byte entries in
 * one array, two comparisons and a swap a level on the way down, no cancellation, no slots. Both
 * get the same pushes, both must pop the same sequence (hashed), and the rounds are interleaved, so
 * that what else the machine does hits both; the median ratio of the rounds is printed. Increments
 * come from a table that is read in order, so that neither pays for logarithms. */
#include "tests/bench/hold.h"

#include "sim/base/map.h"
#include "sim/base/mem.h"
#include "sim/base/rng.h"
#include "sim/base/sort.h"
#include "sim/engine/event.h"

#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define ROUNDS     5
#define HOLDS      1000000u
#define INCREMENTS 65536u

struct plain_entry {
    uint64_t time, key;
    uint32_t subject, kind;
};

struct plain {
    struct plain_entry *v;
    size_t n;
    uint64_t seq;
};

static int before(const struct plain_entry *a, const struct plain_entry *b)
{
    return a->time != b->time ? a->time < b->time : a->key < b->key;
}

static void swap(struct plain_entry *a, struct plain_entry *b)
{
    const struct plain_entry t = *a;
    *a = *b;
    *b = t;
}

static void plain_push(struct plain *h, uint64_t time, uint32_t subject)
{
    size_t i = h->n++;
    h->v[i] = (struct plain_entry){.time = time, .key = h->seq++, .subject = subject};
    while (i > 0 && before(&h->v[i], &h->v[(i - 1) / 2])) {
        swap(&h->v[i], &h->v[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
}

static struct plain_entry plain_pop(struct plain *h)
{
    const struct plain_entry top = h->v[0];
    h->v[0] = h->v[--h->n];
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t c = 2 * i + 1; c <= 2 * i + 2 && c < h->n; c++)
            if (before(&h->v[c], &h->v[least]))
                least = c;
        if (least == i)
            return top;
        swap(&h->v[i], &h->v[least]);
        i = least;
    }
}

struct pair {
    struct gs_evq q;
    struct plain h;
    uint64_t hash_q, hash_h;
    size_t next_q, next_h; /* in the table of increments */
    uint64_t *increment;
};

/* Processor time of this process: what else runs counts less than with a wall clock. */
static int64_t cpu_ns(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) == 0
               ? (int64_t)t.tv_sec * GS_SECOND + t.tv_nsec
               : 0;
}

static int64_t hold_evq(struct pair *p)
{
    const int64_t start = cpu_ns();
    for (uint32_t i = 0; i < HOLDS; i++) {
        struct gs_event ev = {0};
        (void)gs_evq_pop(&p->q, &ev);
        p->hash_q = gs_hash_mix(p->hash_q, (uint64_t)ev.time_ns ^ (uint64_t)ev.subject << 32);
        ev.time_ns += (int64_t)p->increment[p->next_q++ % INCREMENTS];
        (void)gs_evq_push(&p->q, ev);
    }
    return cpu_ns() - start;
}

static int64_t hold_plain(struct pair *p)
{
    const int64_t start = cpu_ns();
    for (uint32_t i = 0; i < HOLDS; i++) {
        const struct plain_entry e = plain_pop(&p->h);
        p->hash_h = gs_hash_mix(p->hash_h, e.time ^ (uint64_t)e.subject << 32);
        plain_push(&p->h, e.time + p->increment[p->next_h++ % INCREMENTS], e.subject);
    }
    return cpu_ns() - start;
}

static void fill(struct pair *p, uint32_t live)
{
    *p = (struct pair){.increment = GS_NEW_N(uint64_t, INCREMENTS)};
    struct gs_stream s;
    gs_stream_init(&s, 1, GS_RNG_TEST, 0, live);
    for (uint32_t i = 0; i < INCREMENTS; i++)
        p->increment[i] = (uint64_t)gs_exponential(&s, 1e9);
    gs_evq_init(&p->q, 0);
    p->h.v = GS_NEW_N(struct plain_entry, live);
    for (uint32_t i = 0; i < live; i++) {
        const uint64_t t = (uint64_t)gs_exponential(&s, 1e9);
        (void)gs_evq_push(&p->q, (struct gs_event){.time_ns = (int64_t)t, .subject = i});
        plain_push(&p->h, t, i);
    }
}

static void release(struct pair *p)
{
    gs_evq_release(&p->q);
    gs_free(p->h.v);
    gs_free(p->increment);
}

/* One number of live events; returns 1 if the sequences differ. */
static int bench_one(uint32_t live, double target)
{
    struct pair p;
    double ratio[ROUNDS];
    double evq_ns[ROUNDS];
    double plain_ns[ROUNDS];
    fill(&p, live);
    (void)hold_evq(&p); /* warm up */
    (void)hold_plain(&p);
    for (int r = 0; r < ROUNDS; r++) {
        evq_ns[r] = (double)hold_evq(&p) / HOLDS;
        plain_ns[r] = (double)hold_plain(&p) / HOLDS;
        ratio[r] = evq_ns[r] / plain_ns[r];
    }
    gs_sort_doubles(ratio, ROUNDS);
    gs_sort_doubles(evq_ns, ROUNDS);
    gs_sort_doubles(plain_ns, ROUNDS);
    const int same = p.hash_q == p.hash_h;
    printf(
        "hold %8u live: queue %6.1f ns, plain binary heap %6.1f ns, ratio %.2f (at most %.2f), %s\n",
        live, evq_ns[ROUNDS / 2], plain_ns[ROUNDS / 2], ratio[ROUNDS / 2], target,
        same ? "same pop sequence" : "POP SEQUENCES DIFFER");
    release(&p);
    return !same;
}

int bench_hold(void)
{
    int differ = bench_one(1000, 1.0);
    differ |= bench_one(100000, 1.0);
    differ |= bench_one(1000000, 0.75);
    return differ;
}

#ifdef BENCH_HOLD_MAIN
int main(void)
{
    return bench_hold();
}
#endif

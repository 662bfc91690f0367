/* The time profile: taking, giving, searching; against a table that lists every instant; and whole schedules from the literature
 * planned with it (first come first served, EASY, EASY by shortest job, conservative). Also the sort and heap that planners use. */
#include "policies/lib/profile.h"
#include "policies/lib/sort.h"
#include "sim/base/rng.h"
#include "tests/unit/cases.h"

enum {
    POINTS = 4096
};

static int64_t *memory(void)
{
    static int64_t m[POINTS * 3];
    CU_ASSERT_FATAL(gspl_profile_bytes(POINTS, 2) <= sizeof m);
    return m;
}

static struct gspl_profile profile_of(int64_t t, int64_t free)
{
    struct gspl_profile p;
    gspl_profile_init(&p, memory(), POINTS, 1, t, &free);
    return p;
}

static int take(struct gspl_profile *p, int64_t from, int64_t to, int64_t x)
{
    return gspl_profile_take(p, from, to, &x);
}

static int64_t earliest(const struct gspl_profile *p, int64_t from, int64_t length, int64_t x)
{
    return gspl_profile_earliest(p, from, length, &x);
}

static void earliest_finds_the_first_hole_that_is_long_enough(void)
{
    struct gspl_profile p = profile_of(10, 100);
    CU_ASSERT(take(&p, 10, 20, 70));
    CU_ASSERT(take(&p, 30, 40, 50));
    GS_EQ_INT(earliest(&p, 0, 5, 30), 10);
    GS_EQ_INT(earliest(&p, 0, 5, 31), 20);
    GS_EQ_INT(earliest(&p, 0, 10, 60), 20); /* ends when the next one begins */
    GS_EQ_INT(earliest(&p, 0, 11, 60), 40);
    GS_EQ_INT(earliest(&p, 25, 10, 60), 40);
    GS_EQ_INT(earliest(&p, 22, 8, 60), 22);
    GS_EQ_INT(earliest(&p, 0, GSPL_NEVER, 100), 40);
    GS_EQ_INT(earliest(&p, 0, 1, 101), GSPL_NEVER);
    GS_EQ_INT(earliest(&p, 15, 0, 100), 20);
}

static void take_and_give_cancel(void)
{
    struct gspl_profile p = profile_of(0, 100);
    const int64_t x = 60;
    CU_ASSERT(take(&p, 5, GSPL_NEVER, 60));
    GS_EQ_INT(earliest(&p, 0, 6, 50), GSPL_NEVER);
    CU_ASSERT(gspl_profile_give(&p, 5, GSPL_NEVER, &x));
    GS_EQ_INT(earliest(&p, 0, 6, 100), 0);
    CU_ASSERT(take(&p, 7, 7, 60)); /* an empty stretch changes nothing */
    CU_ASSERT(gspl_profile_fits(&p, 7, 8, &(int64_t){100}));
}

static void append_builds_in_order(void)
{
    struct gspl_profile p = profile_of(0, 10);
    const int64_t five = 5;
    CU_ASSERT(gspl_profile_append(&p, 0, &five));
    CU_ASSERT(gspl_profile_append(&p, 3, &five));
    CU_ASSERT(gspl_profile_append(&p, 3, &five));
    GS_EQ_INT(p.n, 2);
    GS_EQ_INT(earliest(&p, 0, 1, 15), 0);
    GS_EQ_INT(earliest(&p, 0, 1, 25), 3);
}

static void a_full_memory_refuses(void)
{
    struct gspl_profile p;
    int64_t m[8], ten = 10;
    gspl_profile_init(&p, m, 3, 1, 0, &ten);
    CU_ASSERT(take(&p, 1, 2, 5));
    CU_ASSERT(!take(&p, 4, 5, 5));
    CU_ASSERT(!gspl_profile_append(&p, 9, &ten));
    GS_EQ_INT(p.n, 3);
    GS_EQ_INT(earliest(&p, 0, 9, 6), 2);
}

static void two_resources_must_both_fit(void)
{
    struct gspl_profile p;
    const int64_t all[2] = {10, 4}, a[2] = {8, 0}, b[2] = {0, 3}, want[2] = {4, 2};
    gspl_profile_init(&p, memory(), POINTS, 2, 0, all);
    CU_ASSERT(gspl_profile_take(&p, 0, 10, a));
    CU_ASSERT(gspl_profile_take(&p, 12, 20, b));
    GS_EQ_INT(gspl_profile_earliest(&p, 0, 2, want), 10);
    GS_EQ_INT(gspl_profile_earliest(&p, 0, 3, want), 20);
}

/* Against a table of every instant. */
static void agrees_with_a_table(void)
{
    enum {
        SPAN = 300
    };
    struct gs_stream s;
    gs_stream_init(&s, 3, GS_RNG_TEST, 0, 0);
    for (int round = 0; round < 50; round++) {
        int64_t table[SPAN];
        struct gspl_profile p = profile_of(0, 50);
        for (int i = 0; i < SPAN; i++)
            table[i] = 50;
        for (int k = 0; k < 40; k++) {
            const int64_t x = 1 + (int64_t)gs_below(&s, 30), length = 1 + (int64_t)gs_below(&s, 20);
            const int64_t from = (int64_t)gs_below(&s, 60);
            int64_t at = from;
            for (int64_t i = from; i < at + length; i++)
                at = table[i] < x ? i + 1 : at;
            GS_EQ_INT(earliest(&p, from, length, x), at);
            if (at + length >= SPAN - 60)
                break;
            CU_ASSERT(take(&p, at, at + length, x));
            for (int64_t i = at; i < at + length; i++)
                table[i] -= x;
        }
    }
}

static void sort_is_stable_and_heap_agrees(void)
{
    enum {
        N = 1000
    };
    static struct gspl_item a[N], b[N], spare[N];
    struct gs_stream s;
    gs_stream_init(&s, 5, GS_RNG_TEST, 0, 0);
    for (uint32_t n = 0; n < N; n = n * 2 + 1) {
        for (uint32_t i = 0; i < n; i++)
            a[i] = b[i] = (struct gspl_item){(int64_t)gs_below(&s, 50) - 25, i};
        gspl_sort(a, n, spare);
        gspl_heapify(b, n);
        uint32_t left = n;
        for (uint32_t i = 0; i < n; i++) {
            CU_ASSERT(i == 0 || a[i - 1].key < a[i].key ||
                      (a[i - 1].key == a[i].key && a[i - 1].value < a[i].value));
            const struct gspl_item x = gspl_heap_pop(b, &left);
            CU_ASSERT(x.key == a[i].key && x.value == a[i].value);
        }
        GS_EQ_INT(left, 0);
    }
}

/* ---- whole schedules on one machine ---- */

enum {
    JOBS = 64
};

struct job {
    int64_t submit, procs, runtime, estimate, start, reserved;
};

struct machine {
    struct job job[JOBS];
    int64_t procs, now;
    uint32_t n;
};

static int waits(const struct machine *m, const struct job *j)
{
    return j->submit <= m->now && j->start < 0;
}

/* What will be free, by estimates; a job past its estimate is expected to end now. */
static struct gspl_profile plan(const struct machine *m)
{
    struct gspl_profile p = profile_of(m->now, m->procs);
    for (uint32_t i = 0; i < m->n; i++) {
        const struct job *j = &m->job[i];
        if (j->start >= 0 && j->start + j->runtime > m->now)
            take(&p, m->now, j->start + j->estimate, j->procs);
    }
    return p;
}

static void start(struct machine *m, struct gspl_profile *p, struct job *j)
{
    take(p, m->now, m->now + j->estimate, j->procs);
    j->start = m->now;
}

static int starts_now(const struct machine *m, const struct gspl_profile *p, const struct job *j)
{
    return earliest(p, m->now, j->estimate, j->procs) == m->now;
}

/* In order until one does not fit; returns its position, or n. */
static uint32_t fcfs(struct machine *m, struct gspl_profile *p)
{
    for (uint32_t i = 0; i < m->n; i++) {
        if (!waits(m, &m->job[i]))
            continue;
        if (!starts_now(m, p, &m->job[i]))
            return i;
        start(m, p, &m->job[i]);
    }
    return m->n;
}

/* The head keeps its earliest stretch; others start where the profile has room. */
static void easy(struct machine *m, int shortest)
{
    struct gspl_profile p = plan(m);
    struct gspl_item item[JOBS], spare[JOBS];
    const uint32_t head = fcfs(m, &p);
    uint32_t k = 0;
    if (head == m->n)
        return;
    const struct job *h = &m->job[head];
    const int64_t shadow = earliest(&p, m->now, h->estimate, h->procs);
    take(&p, shadow, GSPL_NEVER, h->procs);
    for (uint32_t i = head + 1; i < m->n; i++) {
        if (waits(m, &m->job[i]))
            item[k++] = (struct gspl_item){shortest ? m->job[i].estimate : 0, i};
    }
    gspl_sort(item, k, spare);
    for (uint32_t i = 0; i < k; i++) {
        if (starts_now(m, &p, &m->job[item[i].value]))
            start(m, &p, &m->job[item[i].value]);
    }
}

static void conservative(struct machine *m)
{
    struct gspl_profile p = plan(m);
    for (uint32_t i = 0; i < m->n; i++) {
        struct job *j = &m->job[i];
        if (waits(m, j) && j->reserved >= 0)
            take(&p, j->reserved > m->now ? j->reserved : m->now,
                 (j->reserved > m->now ? j->reserved : m->now) + j->estimate, j->procs);
    }
    for (uint32_t i = 0; i < m->n; i++) {
        struct job *j = &m->job[i];
        if (!waits(m, j))
            continue;
        if (j->reserved >= 0)
            gspl_profile_give(&p, j->reserved > m->now ? j->reserved : m->now,
                              (j->reserved > m->now ? j->reserved : m->now) + j->estimate,
                              &j->procs);
        j->reserved = earliest(&p, m->now, j->estimate, j->procs);
        take(&p, j->reserved, j->reserved + j->estimate, j->procs);
        if (j->reserved == m->now)
            j->start = m->now;
    }
}

/* Time goes from one submission or termination to the next. */
static int advance(struct machine *m)
{
    int64_t next = INT64_MAX;
    for (uint32_t i = 0; i < m->n; i++) {
        const struct job *j = &m->job[i];
        const int64_t at = j->start >= 0 ? j->start + j->runtime : j->submit;
        next = at > m->now && at < next ? at : next;
    }
    m->now = next;
    return next < INT64_MAX;
}

static void schedule(struct machine *m, const char *policy)
{
    for (uint32_t i = 0; i < m->n; i++)
        m->job[i].start = m->job[i].reserved = -1;
    m->now = -1;
    while (advance(m)) {
        if (strcmp(policy, "fcfs") == 0) {
            struct gspl_profile p = plan(m);
            (void)fcfs(m, &p);
        } else if (strcmp(policy, "conservative") == 0) {
            conservative(m);
        } else {
            easy(m, strcmp(policy, "easy-sjbf") == 0);
        }
    }
}

static void schedule_case(const json_t *in, const json_t *expect, double tolerance)
{
    const json_t *jobs = json_object_get(in, "jobs"), *policies = json_object_get(in, "policies");
    const json_t *finish = json_object_get(expect, "finish");
    struct machine m = {.procs = gs_case_int(in, "processors"),
                        .n = (uint32_t)json_array_size(jobs)};
    CU_ASSERT_FATAL(m.n <= JOBS);
    (void)tolerance;
    for (size_t k = 0; k < json_array_size(policies); k++) {
        for (uint32_t i = 0; i < m.n; i++) {
            const json_t *j = json_array_get(jobs, i);
            m.job[i] = (struct job){gs_case_int(j, "submit"),
                                    gs_case_int(j, "procs"),
                                    gs_case_int(j, "runtime"),
                                    gs_case_int(j, "estimate"),
                                    -1,
                                    -1};
        }
        schedule(&m, json_string_value(json_array_get(policies, k)));
        for (uint32_t i = 0; i < m.n; i++)
            GS_EQ_INT(m.job[i].start + m.job[i].runtime,
                      json_integer_value(json_array_get(finish, i)));
    }
}

static void worked_schedules(void)
{
    (void)gs_cases("batch_schedule", schedule_case);
}

static void easy_by_hand(void)
{
    /* 10 processors: the third job fits beside the head's reservation, the fourth would delay it */
    struct machine m = {.procs = 10,
                        .n = 4,
                        .job = {{0, 6, 10, 10, -1, -1},
                                {1, 8, 5, 5, -1, -1},
                                {2, 2, 50, 50, -1, -1},
                                {3, 2, 50, 50, -1, -1}}};
    schedule(&m, "easy");
    GS_EQ_INT(m.job[1].start, 10);
    GS_EQ_INT(m.job[2].start, 2);
    GS_EQ_INT(m.job[3].start, 15);
    schedule(&m, "fcfs");
    GS_EQ_INT(m.job[2].start, 10);
}

static const struct gs_test tests[] = {
    {"earliest finds the first hole that is long enough",
     earliest_finds_the_first_hole_that_is_long_enough},
    {"take and give cancel", take_and_give_cancel},
    {"append builds in order", append_builds_in_order},
    {"a full memory refuses", a_full_memory_refuses},
    {"two resources must both fit", two_resources_must_both_fit},
    {"agrees with a table", agrees_with_a_table},
    {"sort is stable and heap agrees", sort_is_stable_and_heap_agrees},
    {"EASY by hand", easy_by_hand},
    {"worked schedules", worked_schedules},
};
GS_TEST_MAIN("policies/profile", tests)

/* test_flows.c - shared links in cases small enough to be worked out by hand. */
#include "sim/network/flows.h"
#include "tests/unit/harness.h"

static uint32_t stream(struct gs_flows *f, uint64_t key, const uint32_t *links, uint32_t n,
                       uint32_t weight, int64_t limit)
{
    const struct gs_flow flow = {.links = links, .nlinks = n, .weight = weight};
    return gs_flows_add(f, 0,
                        &(struct gs_flow_group){.key = key,
                                                .flows = &flow,
                                                .nflows = 1,
                                                .limit = limit,
                                                .bytes = GS_NEVER,
                                                .owner = (uint32_t)key + 100,
                                                .reason = 7});
}

static uint32_t transfer(struct gs_flows *f, uint64_t key, int64_t now_ns, uint32_t link,
                         int64_t bytes)
{
    const struct gs_flow flow = {.links = &link, .nlinks = 1, .weight = 1};
    return gs_flows_add(
        f, now_ns,
        &(struct gs_flow_group){
            .key = key, .flows = &flow, .nflows = 1, .limit = GS_NEVER, .bytes = bytes});
}

static uint32_t solve(struct gs_flows *f, int64_t now_ns)
{
    uint32_t n = 0;
    (void)gs_flows_solve(f, now_ns, &n);
    return n;
}

/* The textbook's line of two links: the long way gets half of the narrow one, the neighbour what is left of the wide one. */
static void what_one_cannot_use_another_gets(void)
{
    struct gs_flows *f = gs_flows_new();
    const uint32_t narrow = gs_flows_link(f, 10), wide = gs_flows_link(f, 30);
    const uint32_t both[] = {narrow, wide};
    const uint32_t a = stream(f, 1, both, 2, 1, GS_NEVER);
    const uint32_t b = stream(f, 2, &narrow, 1, 1, GS_NEVER);
    const uint32_t c = stream(f, 3, &wide, 1, 1, GS_NEVER);
    CU_ASSERT(gs_flows_dirty(f));
    GS_EQ_INT(solve(f, 0), 3);
    CU_ASSERT_FALSE(gs_flows_dirty(f));
    GS_EQ_INT(gs_flows_rate(f, a), 5);
    GS_EQ_INT(gs_flows_rate(f, b), 5);
    GS_EQ_INT(gs_flows_rate(f, c), 25);
    GS_EQ_INT(gs_flows_load(f, narrow), 10);
    GS_EQ_INT(gs_flows_load(f, wide), 30);
    GS_EQ_INT(gs_flows_owner(f, b), 102);
    GS_EQ_INT(gs_flows_reason(f, b), 7);
    gs_flows_remove(f, b);
    GS_EQ_INT(solve(f, 0), 2);
    GS_EQ_INT(gs_flows_rate(f, a), 10);
    GS_EQ_INT(gs_flows_rate(f, c), 20);
    gs_flows_free(f);
}

/* Two flows of a group, one over the narrow link: the other leaves to its neighbour what it may not use. */
static void a_group_is_as_fast_as_its_slowest_edge(void)
{
    struct gs_flows *f = gs_flows_new();
    const uint32_t x = gs_flows_link(f, 8), y = gs_flows_link(f, 100);
    const struct gs_flow ring[] = {{&x, 1, 2}, {&y, 1, 1}, {&y, 1, 2}};
    const uint32_t a = gs_flows_add(
        f, 0,
        &(struct gs_flow_group){
            .key = 1, .flows = ring, .nflows = 3, .limit = GS_NEVER, .bytes = GS_NEVER});
    const uint32_t b = stream(f, 2, &y, 1, 1, GS_NEVER);
    (void)solve(f, 0);
    GS_EQ_INT(gs_flows_rate(f, a), 4);
    GS_EQ_INT(gs_flows_load(f, x), 8);
    GS_EQ_INT(gs_flows_rate(f, b), 100 - 3 * 4);
    GS_EQ_INT(gs_flows_users(f, y), 2);
    gs_flows_free(f);
}

static void what_does_not_divide_goes_by_key(void)
{
    struct gs_flows *f = gs_flows_new();
    const uint32_t l = gs_flows_link(f, 11);
    const uint32_t a = stream(f, 30, &l, 1, 1, GS_NEVER);
    const uint32_t b = stream(f, 10, &l, 1, 1, GS_NEVER);
    const uint32_t c = stream(f, 20, &l, 1, 1, GS_NEVER);
    (void)solve(f, 0);
    GS_EQ_INT(gs_flows_rate(f, b), 4);
    GS_EQ_INT(gs_flows_rate(f, c), 4);
    GS_EQ_INT(gs_flows_rate(f, a), 3);
    gs_flows_free(f);
}

static void limits_and_links_that_fail(void)
{
    struct gs_flows *f = gs_flows_new();
    const uint32_t l = gs_flows_link(f, 90), m = gs_flows_link(f, 1000);
    const uint32_t both[] = {l, m};
    const uint32_t a = stream(f, 1, &l, 1, 1, 10);
    const uint32_t b = stream(f, 2, both, 2, 1, GS_NEVER);
    (void)solve(f, 0);
    GS_EQ_INT(gs_flows_rate(f, a), 10);
    GS_EQ_INT(gs_flows_rate(f, b), 80);
    gs_flows_set_limit(f, a, GS_NEVER);
    (void)solve(f, 0);
    GS_EQ_INT(gs_flows_rate(f, a), 45);
    gs_flows_set_capacity(f, m, 0);
    GS_EQ_INT(solve(f, 0), 2);
    GS_EQ_INT(gs_flows_rate(f, a), 90);
    GS_EQ_INT(gs_flows_rate(f, b), 0);
    GS_EQ_INT(gs_flows_finish_ns(f, b), GS_NEVER);
    gs_flows_set_capacity(f, m, 1000);
    (void)solve(f, 0);
    GS_EQ_INT(gs_flows_rate(f, b), 45);
    gs_flows_free(f);
}

/* A change is felt where links are short, and solving looks no farther. */
static void only_what_is_joined_is_solved(void)
{
    struct gs_flows *f = gs_flows_new();
    const uint32_t x = gs_flows_link(f, 10), y = gs_flows_link(f, 10), slack = gs_flows_link(f, 50);
    const uint32_t xs[] = {x, slack}, ys[] = {y, slack};
    (void)stream(f, 1, xs, 2, 1, GS_NEVER);
    (void)stream(f, 2, xs, 2, 1, GS_NEVER);
    (void)stream(f, 3, ys, 2, 1, GS_NEVER);
    (void)solve(f, 0);
    const uint64_t before = gs_flows_stats(f)->groups;
    (void)stream(f, 4, ys, 2, 1, GS_NEVER);
    GS_EQ_INT(solve(f, 0), 2);
    GS_EQ_INT(gs_flows_stats(f)->groups - before, 2); /* 40 of 50 at most on the slack link */
    gs_flows_set_capacity(f, slack, 18);
    (void)solve(f, 0);
    GS_EQ_INT(gs_flows_load(f, slack), 18);
    GS_EQ_INT(gs_flows_stats(f)->groups - before, 6); /* now it joins them */
    gs_flows_free(f);
}

/* 1,000 bytes at 100/s; after 4 s somebody else takes half of the link, and leaves 6 s later. */
static void a_transfer_ends_when_its_bytes_have_moved(void)
{
    struct gs_flows *f = gs_flows_new();
    const uint32_t l = gs_flows_link(f, 100);
    const uint32_t a = transfer(f, 1, 0, l, 1000);
    (void)solve(f, 0);
    GS_EQ_INT(gs_flows_finish_ns(f, a), 10 * GS_SECOND);
    const uint32_t b = transfer(f, 2, 4 * GS_SECOND, l, 300);
    (void)solve(f, 4 * GS_SECOND);
    GS_EQ_INT(gs_flows_left(f, a, 4 * GS_SECOND), 600 * 256);
    GS_EQ_INT(gs_flows_finish_ns(f, a), 16 * GS_SECOND);
    GS_EQ_INT(gs_flows_finish_ns(f, b), 10 * GS_SECOND);
    gs_flows_remove(f, b);
    (void)solve(f, 10 * GS_SECOND);
    GS_EQ_INT(gs_flows_finish_ns(f, a), 13 * GS_SECOND);
    GS_EQ_INT(gs_flows_left(f, a, 13 * GS_SECOND - 1), 1);
    GS_EQ_INT(gs_flows_left(f, a, 13 * GS_SECOND), 0);
    gs_flows_free(f);
}

static void a_time_that_is_not_whole_is_rounded_up(void)
{
    struct gs_flows *f = gs_flows_new();
    const uint32_t l = gs_flows_link(f, 3);
    const uint32_t a = transfer(f, 1, 0, l, 1);
    (void)solve(f, 0);
    GS_EQ_INT(gs_flows_finish_ns(f, a), 333333334);
    CU_ASSERT(gs_flows_left(f, a, 333333333) > 0);
    GS_EQ_INT(gs_flows_left(f, a, 333333334), 0);
    gs_flows_free(f);
}

static const struct gs_test tests[] = {
    {"what one cannot use another gets", what_one_cannot_use_another_gets},
    {"a group is as fast as its slowest edge", a_group_is_as_fast_as_its_slowest_edge},
    {"what does not divide goes by key", what_does_not_divide_goes_by_key},
    {"limits and links that fail", limits_and_links_that_fail},
    {"only what is joined is solved", only_what_is_joined_is_solved},
    {"a transfer ends when its bytes have moved", a_transfer_ends_when_its_bytes_have_moved},
    {"a time that is not whole is rounded up", a_time_that_is_not_whole_is_rounded_up},
};
GS_TEST_MAIN("network/flows by hand", tests)

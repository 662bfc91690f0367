/* test_mig_geometry.c - the census of valid sets against published counts, the rules one by one, the search for a placement, and layouts by
 * name. */
#include "sim/hardware/mig.h"
#include "tests/unit/harness.h"
#include "tests/unit/mig_help.h"

static void check_counts(const struct gs_mig_geometry *g, uint32_t only, struct gs_mig_counts want)
{
    const struct gs_mig_counts n = gs_mig_count(g, only);
    GS_EQ_INT(n.sets, want.sets);
    GS_EQ_INT(n.maximal, want.maximal);
    GS_EQ_INT(n.multisets, want.multisets);
    GS_EQ_INT(n.maximal_multisets, want.maximal_multisets);
}

static void the_census_agrees_with_the_guide(void)
{
    struct gs_mig_geometry old = a7;
    old.old_driver = 1;
    check_counts(&a7, A7_CORE, (struct gs_mig_counts){297, 19, 37, 14});
    check_counts(&old, A7_CORE, (struct gs_mig_counts){296, 18, 36, 13});
    check_counts(&a7, A7_CORE | 1 << A7_1G_DOUBLE, (struct gs_mig_counts){722, 78, 77, 38});
    check_counts(&a7, A7_ALL, (struct gs_mig_counts){2318, 239, 127, 64});
    check_counts(&a4, 7, (struct gs_mig_counts){25, 5, 9, 4});
    check_counts(&rtx, 7, (struct gs_mig_counts){25, 5, 9, 4});
}

/* The case `mig_placeable`: slices 0, 4 and 5 are taken. */
static void starts_that_are_left(void)
{
    struct gs_mig_set s = {0};
    gs_mig_put(&a7, &s, A7_1G, 0);
    gs_mig_put(&a7, &s, A7_2G, 4);
    GS_EQ_INT(s.occupied, 1 << 0 | 1 << 4 | 1 << 5);
    GS_EQ_INT(gs_mig_starts(&a7, &s, A7_1G), 1 << 1 | 1 << 2 | 1 << 3 | 1 << 6);
    GS_EQ_INT(gs_mig_starts(&a7, &s, A7_2G), 1 << 2);
    GS_EQ_INT(gs_mig_starts(&a7, &s, A7_3G), 0);
    GS_EQ_INT(gs_mig_starts(&a7, &s, A7_4G), 0);
    GS_EQ_INT(gs_mig_starts(&a7, &s, A7_7G), 0);
    GS_EQ_INT(gs_mig_placeable(&a7, &s, A7_1G), 4);
    GS_EQ_INT(gs_mig_placeable(&a7, &s, A7_2G), 1);
    GS_EQ_INT(gs_mig_unreachable(&a7, &s), 0); /* 1g of double memory reaches slice 7 */
    gs_mig_take(&a7, &s, A7_1G, 0);
    gs_mig_take(&a7, &s, A7_2G, 4);
    GS_EQ_INT(s.occupied, 0);
    GS_EQ_INT(s.total, 0);
    for (uint32_t i = 0; i < 7; i++)
        gs_mig_put(&a7, &s, A7_1G, i);
    GS_EQ_INT(gs_mig_unreachable(&a7, &s), 1);
    CU_ASSERT_TRUE(!gs_mig_allows(&a7, &s, A7_1G, 7));
    CU_ASSERT_TRUE(!gs_mig_allows(&a7, &s, 99, 0));
    CU_ASSERT_TRUE(!gs_mig_allows(&a7, &s, A7_1G, 99));
}

static void media_are_given_once(void)
{
    struct gs_mig_set s = {0};
    gs_mig_put(&rtx, &s, 3, 0); /* +me */
    CU_ASSERT_TRUE(!gs_mig_allows(&rtx, &s, 3, 3));
    CU_ASSERT_TRUE(!gs_mig_allows(&rtx, &s, 4, 3)); /* +me.all beside +me */
    CU_ASSERT_TRUE(gs_mig_allows(&rtx, &s, 0, 3));
    CU_ASSERT_TRUE(gs_mig_allows(&rtx, &s, 5, 3));
    gs_mig_take(&rtx, &s, 3, 0);
    gs_mig_put(&rtx, &s, 4, 0); /* +me.all */
    CU_ASSERT_TRUE(!gs_mig_allows(&rtx, &s, 0, 3));
    CU_ASSERT_TRUE(!gs_mig_allows(&rtx, &s, 3, 3));
    CU_ASSERT_TRUE(gs_mig_allows(&rtx, &s, 5, 3));
    gs_mig_put(&rtx, &s, 5, 3); /* -me joins it, and it joins -me */
    gs_mig_take(&rtx, &s, 4, 0);
    CU_ASSERT_TRUE(gs_mig_allows(&rtx, &s, 4, 0));
}

static void high_starts_for_1g_and_3g(void)
{
    const struct gs_mig_set s = {0};
    GS_EQ_INT(gs_mig_choose(&a7, &s, A7_1G), 6);
    GS_EQ_INT(gs_mig_choose(&a7, &s, A7_3G), 4);
    GS_EQ_INT(gs_mig_choose(&a7, &s, A7_2G), 0);
    GS_EQ_INT(gs_mig_choose(&a7, &s, A7_7G), 0);
    struct gs_mig_set full = {0};
    gs_mig_put(&a7, &full, A7_7G, 0);
    GS_EQ_INT(gs_mig_choose(&a7, &full, A7_1G), GS_MIG_NONE);
}

static void a_set_is_found_where_greed_fails(void)
{
    struct gs_mig_place out[GS_MIG_SLICES_MAX];
    uint32_t n = 0;
    const struct gs_mig_set none = {0};
    const uint8_t mixed[GS_MIG_PROFILES_MAX] = {[A7_1G] = 1, [A7_2G] = 1, [A7_3G] = 1};
    CU_ASSERT_TRUE(gs_mig_fit(&a7, &none, mixed, out, &n));
    GS_EQ_INT(n, 3);
    GS_EQ_INT(out[0].profile, A7_3G);
    const uint8_t full[GS_MIG_PROFILES_MAX] = {[A7_2G] = 3, [A7_1G] = 1};
    CU_ASSERT_TRUE(gs_mig_fit(&a7, &none, full, out, &n));
    const uint8_t much[GS_MIG_PROFILES_MAX] = {[A7_2G] = 3, [A7_3G] = 1};
    CU_ASSERT_TRUE(!gs_mig_fit(&a7, &none, much, out, &n));
    const uint8_t many[GS_MIG_PROFILES_MAX] = {[A7_1G] = 200};
    CU_ASSERT_TRUE(!gs_mig_fit(&a7, &none, many, out, &n));
    struct gs_mig_set beside = {0};
    gs_mig_put(&a7, &beside, A7_4G, 0);
    const uint8_t three[GS_MIG_PROFILES_MAX] = {[A7_3G] = 1};
    CU_ASSERT_TRUE(gs_mig_fit(&a7, &beside, three, out, &n));
    GS_EQ_INT(out[0].start, 4);
}

static uint32_t layout(const struct gs_mig_geometry *g, const char *text, uint32_t *mask)
{
    struct gs_mig_place out[GS_MIG_SLICES_MAX];
    struct gs_err err = {0};
    uint32_t n = 0;
    int mode = 0;
    if (gs_mig_layout(g, text, out, &n, &mode, &err))
        return UINT32_MAX;
    *mask = 0;
    for (uint32_t i = 0; i < n; i++)
        *mask |= gs_mig_mask(&g->p[out[i].profile], out[i].start);
    return mode ? n : 1000;
}

static void layouts_by_name(void)
{
    uint32_t mask = 0;
    GS_EQ_INT(layout(&a7, "all-1g.5gb", &mask), 7);
    GS_EQ_INT(mask, 0x7f);
    GS_EQ_INT(layout(&a7, "all-1g.10gb", &mask), 4);
    GS_EQ_INT(layout(&a7, "all-1g.5gb.me", &mask), 1);
    GS_EQ_INT(layout(&a7, "all-balanced", &mask), 4);
    GS_EQ_INT(layout(&a4, "all-balanced", &mask), 3);
    GS_EQ_INT(layout(&rtx, "all-balanced", &mask), 3);
    GS_EQ_INT(mask, 0xfff);
    GS_EQ_INT(layout(&a7, "all-enabled", &mask), 0);
    GS_EQ_INT(layout(&a7, "all-disabled", &mask), 1000);
    GS_EQ_INT(layout(&a7, "3g.20gb:1 2g.10gb 1g.5gb:2 / rest", &mask), 4);
    GS_EQ_INT(layout(&a7, "1g.5gb:3, 1g.5gb:4", &mask), 7);
    static const char *const bad[] = {"",
                                      "all-",
                                      "all-9g.1gb",
                                      "1g.5gb:8",
                                      "1g.5gb:0",
                                      "1g.5gb:",
                                      "1g.5gb:1x",
                                      "1g.5gb:99999999999",
                                      "3g.20gb:3",
                                      ":",
                                      "2g.10gb:1.5",
                                      "1g.5gb/x:",
                                      "7g.40gb 1g.5gb",
                                      "all-enabledx",
                                      "4g.20gb:2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const uint32_t n = layout(&a7, bad[i], &mask);
        if (i == 11)
            GS_EQ_INT(n, 1); /* only what stands before the slash is the layout */
        else
            GS_EQ_INT(n, UINT32_MAX);
    }
}

/* Random additions and removals: the set's bookkeeping is that of the instances, and what is allowed is exactly what the rules say. */
static void a_random_walk_keeps_the_books(void)
{
    struct gs_mig_set s = {0};
    struct gs_mig_place have[GS_MIG_SLICES_MAX];
    uint32_t n = 0;
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < 200000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        const uint32_t p = (uint32_t)(x >> 8) % a7.n;
        const uint32_t at = (uint32_t)(x >> 24) % a7.slices;
        if (x & 1 && n) {
            const uint32_t k = (uint32_t)(x >> 32) % n;
            gs_mig_take(&a7, &s, have[k].profile, have[k].start);
            have[k] = have[--n];
        } else if (gs_mig_allows(&a7, &s, p, at)) {
            gs_mig_put(&a7, &s, p, at);
            have[n++] = (struct gs_mig_place){(uint8_t)p, (uint8_t)at};
        } else {
            uint32_t mask = 0;
            for (uint32_t k = 0; k < n; k++)
                mask |= gs_mig_mask(&a7.p[have[k].profile], have[k].start);
            const int overlaps = (mask & gs_mig_mask(&a7.p[p], at)) != 0;
            const int illegal = !(a7.p[p].starts >> at & 1);
            if (!overlaps && !illegal && s.n[p] < a7.p[p].most)
                CU_ASSERT_TRUE(p == A7_1G_ME || s.compute + a7.p[p].compute > 7);
        }
        uint32_t mask = 0;
        uint32_t compute = 0;
        for (uint32_t k = 0; k < n; k++) {
            mask |= gs_mig_mask(&a7.p[have[k].profile], have[k].start);
            compute += a7.p[have[k].profile].compute;
        }
        if (mask != s.occupied || compute != s.compute || n != s.total || compute > 7)
            CU_FAIL_FATAL("the set and its instances differ");
    }
}

static const struct gs_test tests[] = {
    {"the census agrees with the guide", the_census_agrees_with_the_guide},
    {"starts that are left", starts_that_are_left},
    {"media are given once", media_are_given_once},
    {"high starts for 1g and 3g", high_starts_for_1g_and_3g},
    {"a set is found where greed fails", a_set_is_found_where_greed_fails},
    {"layouts by name", layouts_by_name},
    {"a random walk keeps the books", a_random_walk_keeps_the_books},
};
GS_TEST_MAIN("hardware/mig", tests)

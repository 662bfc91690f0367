/* Fairness over queues: the decayed fair-share key, and dominant resource fairness. */
#include "policies/lib/drf.h"
#include "policies/lib/share.h"
#include "tests/unit/cases.h"

#define HOUR INT64_C(3600000000000)

static void usage_halves_in_a_half_life(void)
{
    GS_EQ_BITS(gspl_decay(0, HOUR), 1.0);
    GS_NEAR(gspl_decay(HOUR, HOUR), 0.5, 1e-16);
    GS_NEAR(gspl_decay(3 * HOUR, HOUR), 0.125, 1e-16);
    GS_NEAR(gspl_decay(HOUR / 2, HOUR) * gspl_decay(HOUR / 2, HOUR), 0.5, 1e-15);
    GS_EQ_BITS(gspl_decay(INT64_MAX, 1), 0.0);
}

static void key_is_one_minus_the_factor(void)
{
    const double one = 0x1p40;
    GS_EQ_INT(gspl_share_key(0, 100, 1, 2), 0);
    GS_EQ_INT(gspl_share_key(0, 0, 1, 2), 0);
    GS_NEAR((double)gspl_share_key(50, 100, 1, 2), 0.5 * one, 1); /* exactly its share */
    GS_NEAR((double)gspl_share_key(100, 100, 1, 2), 0.75 * one, 1);
    GS_NEAR((double)gspl_share_key(25, 100, 1, 2), (1 - 0.70710678118654752) * one, 1);
    GS_EQ_INT(gspl_share_key(1, 100, 0, 2), (int64_t)one);
}

static void key_grows_with_usage_and_falls_with_weight(void)
{
    for (int u = 1; u < 100; u++) {
        CU_ASSERT(gspl_share_key(u, 100, 1, 4) < gspl_share_key(u + 1, 100, 1, 4));
        CU_ASSERT(gspl_share_key(u, 100, 2, 4) < gspl_share_key(u, 100, 1, 4));
    }
}

static void dominant_share_is_the_largest(void)
{
    const int64_t capacity[3] = {10, 100, 0};
    GS_EQ_BITS(gspl_dominant_share((const int64_t[]){1, 20, 5}, capacity, 3, 1), 0.2);
    GS_EQ_BITS(gspl_dominant_share((const int64_t[]){3, 20, 5}, capacity, 3, 1), 0.3);
    GS_EQ_BITS(gspl_dominant_share((const int64_t[]){3, 20, 5}, capacity, 3, 2), 0.15);
    CU_ASSERT(gspl_dominant_share((const int64_t[]){3, 20, 5}, capacity, 3, 0) > 1e6);
}

static void next_is_the_least_served_that_is_in(void)
{
    const double share[4] = {0.5, 0.25, 0.25, 0.1};
    GS_EQ_INT(gspl_drf_next(share, (const uint8_t[]){0, 0, 0, 1}, 4), 1);
    GS_EQ_INT(gspl_drf_next(share, (const uint8_t[]){0, 1, 0, 1}, 4), 2);
    GS_EQ_INT(gspl_drf_next(share, (const uint8_t[]){1, 1, 1, 1}, 4), UINT32_MAX);
    GS_EQ_INT(gspl_drf_next(share, NULL, 0), UINT32_MAX);
}

/* ---- worked cases: one task at a time to the smallest dominant share ---- */

enum {
    USERS = 16,
    RESOURCES = 8
};

struct drf {
    int64_t capacity[RESOURCES], demand[USERS][RESOURCES], use[USERS][RESOURCES], left[RESOURCES];
    int64_t tasks[USERS];
    double share[USERS];
    uint8_t out[USERS];
    uint32_t nres, n;
};

/* Resources are counted in thousandths, so that fractional demands stay whole numbers. */
static void read_drf(const json_t *in, struct drf *d)
{
    const char *name;
    json_t *value;
    json_t *capacity = json_object_get(in, "capacity"), *users = json_object_get(in, "users");
    *d = (struct drf){.n = (uint32_t)json_array_size(users)};
    json_object_foreach(capacity, name, value)
    {
        d->capacity[d->nres] = d->left[d->nres] = (int64_t)(json_number_value(value) * 1000 + 0.5);
        for (uint32_t i = 0; i < d->n; i++)
            d->demand[i][d->nres] =
                (int64_t)(gs_case_number(json_object_get(json_array_get(users, i), "demand"),
                                         name) *
                              1000 +
                          0.5);
        d->nres++;
    }
}

static void give(struct drf *d, uint32_t u)
{
    for (uint32_t r = 0; r < d->nres; r++)
        d->out[u] |= d->demand[u][r] > d->left[r];
    if (d->out[u])
        return;
    for (uint32_t r = 0; r < d->nres; r++) {
        d->left[r] -= d->demand[u][r];
        d->use[u][r] += d->demand[u][r];
    }
    d->tasks[u]++;
    d->share[u] = gspl_dominant_share(d->use[u], d->capacity, d->nres, 1);
}

static void drf_case(const json_t *in, const json_t *expect, double tolerance)
{
    struct drf d;
    read_drf(in, &d);
    for (uint32_t u = gspl_drf_next(d.share, d.out, d.n); u != UINT32_MAX;
         u = gspl_drf_next(d.share, d.out, d.n))
        give(&d, u);
    for (uint32_t i = 0; i < d.n; i++) {
        const char *name = gs_case_text(json_array_get(json_object_get(in, "users"), i), "name");
        GS_EQ_INT(d.tasks[i], gs_case_int(json_object_get(expect, "tasks"), name));
        GS_NEAR(d.share[i], gs_case_number(json_object_get(expect, "dominant_share"), name),
                tolerance);
    }
}

static void worked_drf(void)
{
    (void)gs_cases("drf", drf_case);
}

static const struct gs_test tests[] = {
    {"usage halves in a half-life", usage_halves_in_a_half_life},
    {"key is one minus the factor", key_is_one_minus_the_factor},
    {"key grows with usage and falls with weight", key_grows_with_usage_and_falls_with_weight},
    {"dominant share is the largest", dominant_share_is_the_largest},
    {"next is the least served that is in", next_is_the_least_served_that_is_in},
    {"worked DRF", worked_drf},
};
GS_TEST_MAIN("policies/fairshare", tests)

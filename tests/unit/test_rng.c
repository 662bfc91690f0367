/* test_rng.c - Philox against its published answers; streams; uniforms and variates. */
#include "sim/base/fmath.h"
#include "sim/base/rng.h"
#include "tests/unit/harness.h"

static void philox_known_answers(void)
{
    static const struct {
        uint32_t ctr[4], key[2], out[4];
    } table[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        uint32_t out[4];
        gs_philox(table[i].ctr, table[i].key, out);
        for (int k = 0; k < 4; k++)
            GS_EQ_INT(out[k], table[i].out[k]);
    }
}

static void a_draw_depends_on_its_place_alone(void)
{
    struct gs_stream a;
    struct gs_stream b;
    gs_stream_init(&a, 42, GS_RNG_SIZE, 3, 17);
    gs_stream_init(&b, 42, GS_RNG_SIZE, 3, 17);
    uint64_t drawn[10];
    for (int i = 0; i < 10; i++)
        drawn[i] = gs_u64(&a);
    b.draw = 7; /* a checkpoint restores nothing else */
    CU_ASSERT(gs_u64(&b) == drawn[7]);
    CU_ASSERT(gs_u64(&b) == drawn[8]);
}

static void streams_differ_in_every_coordinate(void)
{
    static const struct {
        uint64_t seed;
        enum gs_purpose purpose;
        uint32_t cls, entity;
    } table[] = {{1, GS_RNG_ARRIVAL, 0, 0}, {2, GS_RNG_ARRIVAL, 0, 0},
                 {1, GS_RNG_SIZE, 0, 0},    {1, GS_RNG_ARRIVAL, 1, 0},
                 {1, GS_RNG_ARRIVAL, 0, 1}, {UINT64_C(1) << 32, GS_RNG_ARRIVAL, 0, 0}};

    uint64_t first[6];
    for (size_t i = 0; i < 6; i++) {
        struct gs_stream s;
        gs_stream_init(&s, table[i].seed, table[i].purpose, table[i].cls, table[i].entity);
        first[i] = gs_u64(&s);
        for (size_t k = 0; k < i; k++)
            CU_ASSERT(first[k] != first[i]);
    }
    CU_ASSERT(gs_mix64(1, 2) != gs_mix64(2, 1));
    CU_ASSERT(gs_mix64(0, 0) != 0);
}

static void uniforms_stay_in_their_ranges(void)
{
    struct gs_stream s;
    gs_stream_init(&s, 5, GS_RNG_TEST, 0, 0);
    uint32_t count[7] = {0};
    double sum = 0;
    for (int i = 0; i < 70000; i++) {
        const double u = gs_unit(&s);
        const double o = gs_open(&s);
        CU_ASSERT(u >= 0 && u < 1 && o > 0 && o < 1);
        sum += u;
        const uint64_t k = gs_below(&s, 7);
        CU_ASSERT_FATAL(k < 7);
        count[k]++;
    }
    GS_NEAR(sum / 70000, 0.5, 0.005);
    for (int k = 0; k < 7; k++)
        GS_NEAR(count[k], 10000, 400);
    GS_EQ_INT(gs_below(&s, 1), 0);
}

static void variates_have_their_moments(void)
{
    struct gs_stream s;
    gs_stream_init(&s, 6, GS_RNG_TEST, 0, 0);
    const int n = 200000;
    double mean = 0;
    double m1 = 0;
    double m2 = 0;
    for (int i = 0; i < n; i++) {
        const double x = gs_exponential(&s, 20);
        CU_ASSERT(x > 0);
        mean += x / n;
        const double z = gs_normal(&s);
        m1 += z / n;
        m2 += z * z / n;
    }
    GS_NEAR(mean, 20, 0.2);
    GS_NEAR(m1, 0, 0.01);
    GS_NEAR(m2, 1, 0.015);
    GS_EQ_INT(s.draw, 2 * n); /* one draw each */
}

static void streams_of_neighbours_do_not_correlate(void)
{
    struct gs_stream a;
    struct gs_stream b;
    gs_stream_init(&a, 1, GS_RNG_SIZE, 0, 100);
    gs_stream_init(&b, 1, GS_RNG_SIZE, 0, 101);
    double sum = 0;
    for (int i = 0; i < 100000; i++)
        sum += (gs_unit(&a) - 0.5) * (gs_unit(&b) - 0.5) * 12 / 100000;
    GS_NEAR(sum, 0, 0.013);
}

static const struct gs_test tests[] = {
    {"philox known answers", philox_known_answers},
    {"a draw depends on its place alone", a_draw_depends_on_its_place_alone},
    {"streams differ", streams_differ_in_every_coordinate},
    {"uniforms", uniforms_stay_in_their_ranges},
    {"variates", variates_have_their_moments},
    {"neighbours", streams_of_neighbours_do_not_correlate},
};
GS_TEST_MAIN("base/rng", tests)

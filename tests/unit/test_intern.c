/* test_intern.c - strings as dense ids, and the hash index under other tables. */
#include "sim/base/intern.h"
#include "sim/base/map.h"
#include "sim/base/rng.h"
#include "tests/unit/harness.h"

static void ids_follow_first_use(void)
{
    struct gs_intern t;
    gs_intern_init(&t);
    GS_EQ_INT(gs_intern(&t, ""), 0);
    GS_EQ_INT(gs_intern(&t, "prod"), 1);
    GS_EQ_INT(gs_intern(&t, "dev"), 2);
    GS_EQ_INT(gs_intern(&t, "prod"), 1);
    GS_EQ_INT(gs_intern_n(&t, "production", 4), 1);
    GS_EQ_INT(gs_intern_n(&t, "production", 10), 3);
    GS_EQ_INT(gs_intern_find(&t, "dev"), 2);
    GS_EQ_INT(gs_intern_find(&t, "de"), GS_NONE);
    GS_EQ_STR(gs_intern_str(&t, 3), "production");
    gs_intern_release(&t);
}

static void a_hundred_thousand_strings(void)
{
    struct gs_intern t;
    gs_intern_init(&t);
    char name[32];
    for (uint32_t i = 1; i <= 100000; i++) {
        (void)snprintf(name, sizeof name, "user-%u", i * 7919u);
        CU_ASSERT(gs_intern(&t, name) == i);
    }
    for (uint32_t i = 1; i <= 100000; i++) {
        (void)snprintf(name, sizeof name, "user-%u", i * 7919u);
        CU_ASSERT(gs_intern_find(&t, name) == i);
        CU_ASSERT(strcmp(gs_intern_str(&t, i), name) == 0);
    }
    gs_intern_release(&t);
}

static int same_key(const void *ctx, uint32_t id, const void *key)
{
    const uint64_t *keys = ctx;
    return keys[id] == *(const uint64_t *)key;
}

static void map_agrees_with_a_plain_table(void)
{
    enum {
        KEYS = 500,
        STEPS = 100000
    };

    static uint64_t keys[KEYS];
    static unsigned char in[KEYS];
    struct gs_map m = {0};
    struct gs_stream s;
    gs_stream_init(&s, 3, GS_RNG_TEST, 1, 0);
    for (int i = 0; i < KEYS; i++)
        keys[i] = (uint64_t)i;
    for (int step = 0; step < STEPS; step++) {
        const uint32_t i = (uint32_t)gs_below(&s, KEYS);
        const uint64_t hash = keys[i] % 31; /* bad on purpose: many records share a hash */
        const uint32_t found = gs_map_find(&m, hash, same_key, keys, &keys[i]);
        CU_ASSERT(found == (in[i] ? i : GS_NONE));
        if (in[i])
            gs_map_remove(&m, hash, i);
        else
            gs_map_add(&m, hash, i);
        in[i] = !in[i];
    }
    uint32_t live = 0;
    for (int i = 0; i < KEYS; i++)
        live += in[i];
    GS_EQ_INT(m.live, live);
    CU_ASSERT(m.cap <= 4096); /* marks of removed records do not make it grow */
    gs_map_release(&m);
}

static void an_empty_map_finds_nothing(void)
{
    struct gs_map m = {0};
    const uint64_t key = 1;
    GS_EQ_INT(gs_map_find(&m, 1, same_key, &key, &key), GS_NONE);
    gs_map_remove(&m, 1, 0);
    gs_map_release(&m);
}

static void hashes_are_the_published_ones(void)
{
    /* XXH3-64 of nothing, seed 0 */
    CU_ASSERT(gs_hash_bytes("", 0) == UINT64_C(0x2d06800538d394c2));
    CU_ASSERT(gs_hash_bytes("a", 1) != gs_hash_bytes("b", 1));
    CU_ASSERT(gs_hash_mix(1, 2) != gs_hash_mix(2, 1));
    CU_ASSERT(gs_hash_mix(0, 0) != gs_hash_mix(0, 1));
}

static const struct gs_test tests[] = {
    {"ids follow first use", ids_follow_first_use},
    {"a hundred thousand strings", a_hundred_thousand_strings},
    {"map agrees with a plain table", map_agrees_with_a_plain_table},
    {"an empty map", an_empty_map_finds_nothing},
    {"hashes", hashes_are_the_published_ones},
};
GS_TEST_MAIN("base/intern and map", tests)

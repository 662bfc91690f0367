/* test_visit.c - one walk names a room's state: the hash depends on every field, saving and loading
 * see the same bytes. */
#include "sim/base/visit.h"
#include "tests/unit/harness.h"

struct room {
    uint8_t flags[2];
    uint32_t count;
    uint64_t seq;
    int64_t now_ns;
    double rate;
    uint64_t sum[2]; /* a 128-bit integral */
};

static void visit(struct room *r, struct gs_visitor *v)
{
    gs_visit_u8(v, GS_TAG('f', 'l', 'a', 'g'), r->flags, 2);
    gs_visit_u32(v, GS_TAG('c', 'o', 'u', 'n'), &r->count, 1);
    gs_visit_u64(v, GS_TAG('s', 'e', 'q', ' '), &r->seq, 1);
    gs_visit_i64(v, GS_TAG('n', 'o', 'w', ' '), &r->now_ns, 1);
    gs_visit_f64(v, GS_TAG('r', 'a', 't', 'e'), &r->rate, 1);
    gs_visit_i128(v, GS_TAG('s', 'u', 'm', ' '), r->sum, 1);
}

static uint64_t hash(struct room r)
{
    struct gs_visitor v = {.mode = GS_VISIT_HASH};
    visit(&r, &v);
    return v.hash;
}

static void the_hash_changes_with_each_field(void)
{
    const struct room base = {{1, 2}, 3, 4, 5, 0.5, {6, 7}};
    struct room v[8];
    for (int i = 0; i < 8; i++)
        v[i] = base;
    v[0].flags[0] ^= 1;
    v[1].flags[1] ^= 1;
    v[2].count++;
    v[3].seq++;
    v[4].now_ns = -5;
    v[5].rate = 0.25;
    v[6].sum[0]++;
    v[7].sum[1]++;
    CU_ASSERT(hash(base) == hash(base));
    for (int i = 0; i < 8; i++) {
        CU_ASSERT(hash(v[i]) != hash(base));
        for (int k = 0; k < i; k++)
            CU_ASSERT(hash(v[i]) != hash(v[k]));
    }
}

static void tag_count_and_order_count(void)
{
    uint32_t x[2] = {0, 0};
    struct gs_visitor a = {.mode = GS_VISIT_HASH};
    struct gs_visitor b = {.mode = GS_VISIT_HASH};
    struct gs_visitor c = {.mode = GS_VISIT_HASH};
    struct gs_visitor d = {.mode = GS_VISIT_HASH};
    gs_visit_u32(&a, GS_TAG('a', 'a', 'a', 'a'), x, 2);
    gs_visit_u32(&b, GS_TAG('b', 'b', 'b', 'b'), x, 2);
    gs_visit_u32(&c, GS_TAG('a', 'a', 'a', 'a'), x, 1);
    gs_visit_u32(&d, GS_TAG('a', 'a', 'a', 'a'), x, 0);
    CU_ASSERT(a.hash != b.hash && a.hash != c.hash && c.hash != d.hash);
}

struct tape {
    unsigned char bytes[512];
    uint32_t tags[16];
    size_t n, at, fields, field;
};

static void put(struct gs_visitor *v, uint32_t tag, const void *p, size_t n)
{
    struct tape *t = v->ctx;
    t->tags[t->fields++] = tag;
    memcpy(t->bytes + t->n, p, n);
    t->n += n;
}

static int get(struct gs_visitor *v, uint32_t tag, void *p, size_t n)
{
    struct tape *t = v->ctx;
    CU_ASSERT(t->tags[t->field++] == tag);
    memcpy(p, t->bytes + t->at, n);
    t->at += n;
    return 0;
}

static void what_is_saved_loads(void)
{
    struct room r = {{1, 2}, 3, 4, -5, 0.1, {6, 7}};
    struct tape t = {0};
    struct gs_visitor save = {.mode = GS_VISIT_SAVE, .put = put, .ctx = &t};
    visit(&r, &save);
    GS_EQ_INT(t.n, 2 + 4 + 8 + 8 + 8 + 16);
    struct room back = {0};
    struct gs_visitor load = {.mode = GS_VISIT_LOAD, .get = get, .ctx = &t};
    visit(&back, &load);
    CU_ASSERT(hash(back) == hash(r));
    GS_EQ_INT(back.now_ns, -5);
}

static const struct gs_test tests[] = {
    {"each field", the_hash_changes_with_each_field},
    {"tag, count and order", tag_count_and_order_count},
    {"save and load", what_is_saved_loads},
};
GS_TEST_MAIN("base/visit", tests)

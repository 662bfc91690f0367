/* test_mem.c - memory, arenas, growing arrays and buffers. */
#include "sim/base/buf.h"
#include "sim/base/mem.h"
#include "sim/base/vec.h"
#include "tests/unit/harness.h"

#include <sys/wait.h>

static void zalloc_is_zeroed_and_resize_keeps(void)
{
    unsigned char *p = gs_zalloc(100, 3);
    for (int i = 0; i < 300; i++)
        GS_EQ_INT(p[i], 0);
    p[299] = 7;
    p = gs_resize(p, 1000, 3);
    GS_EQ_INT(p[299], 7);
    gs_free(p);
    gs_free(NULL);
    gs_free(gs_alloc(0));
}

/* Runs f in a child and returns its exit status. */
static int status_of(void (*f)(void))
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        fclose(stderr);
        f();
        _exit(0);
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void too_many_zeroed(void)
{
    gs_free(gs_zalloc(SIZE_MAX / 2, 3));
}

static void too_many_resized(void)
{
    gs_free(gs_resize(NULL, SIZE_MAX / 2, 3));
}

static void a_product_that_overflows_is_out_of_memory(void)
{
    GS_EQ_INT(status_of(too_many_zeroed), 4);
    GS_EQ_INT(status_of(too_many_resized), 4);
}

static void strndup_stops_at_the_end_of_the_text(void)
{
    char *a = gs_strndup("abcdef", 3);
    char *b = gs_strndup("abc", 100);
    char *c = gs_strdup("");
    GS_EQ_STR(a, "abc");
    GS_EQ_STR(b, "abc");
    GS_EQ_STR(c, "");
    gs_free(a);
    gs_free(b);
    gs_free(c);
}

static void arena_memory_is_aligned_zeroed_and_apart(void)
{
    struct gs_arena a = {0};
    char *before = NULL;
    for (size_t i = 0; i < 2000; i++) {
        const size_t align = (size_t)1 << (i % 5);
        const size_t bytes = i % 97;
        char *p = gs_arena_alloc(&a, bytes, align);
        CU_ASSERT((uintptr_t)p % align == 0);
        for (size_t k = 0; k < bytes; k++)
            CU_ASSERT(p[k] == 0);
        memset(p, 0x5a, bytes); /* the next one must not see this */
        if (before && i % 97 > 1)
            GS_EQ_INT(*before, 0x5a);
        before = bytes ? p : NULL;
    }
    gs_arena_release(&a);
    CU_ASSERT(a.head == NULL);
}

static void arena_reset_reuses_its_largest_block(void)
{
    struct gs_arena a = {0};
    (void)gs_arena_alloc(&a, 100, 1);
    (void)gs_arena_alloc(&a, 1000000, 1);
    GS_EQ_INT(a.total, 1000100);
    gs_arena_reset(&a);
    GS_EQ_INT(a.total, 0);
    struct gs_arena_block *kept = a.head;
    char *p = gs_arena_alloc(&a, 900000, 16);
    CU_ASSERT(a.head == kept);
    GS_EQ_INT(p[899999], 0);
    gs_arena_release(&a);
    gs_arena_reset(&a); /* of nothing */
    gs_arena_release(&a);
}

static void arena_strings_are_terminated(void)
{
    struct gs_arena a = {0};
    GS_EQ_STR(gs_arena_str(&a, "queue=prod", 5), "queue");
    GS_EQ_STR(gs_arena_str(&a, NULL, 0), "");
    gs_arena_release(&a);
}

static void vectors_grow(void)
{
    GS_VEC(uint32_t) v = {0};
    for (uint32_t i = 0; i < 1000; i++)
        gs_vec_push(&v, i * i);
    GS_EQ_INT(v.n, 1000);
    for (uint32_t i = 0; i < 1000; i++)
        GS_EQ_INT(v.v[i], i * i);
    GS_EQ_INT(gs_vec_last(&v), 999 * 999);
    GS_EQ_INT(gs_vec_pop(&v), 999 * 999);
    GS_EQ_INT(v.n, 999);
    gs_vec_clear(&v);
    GS_EQ_INT(v.n, 0);
    gs_vec_free(&v);
    CU_ASSERT(v.v == NULL && v.cap == 0);
}

static void buffers_are_always_text(void)
{
    struct gs_buf b = {0};
    GS_EQ_STR(gs_buf_cstr(&b), "");
    gs_buf_clear(&b);
    gs_buf_str(&b, "a");
    gs_buf_add(&b, "bcd", 2);
    gs_buf_add(&b, NULL, 0);
    gs_buf_fmt(&b, "-%d", 7);
    GS_EQ_STR(gs_buf_cstr(&b), "abc-7");
    GS_EQ_INT(b.n, 5);
    for (int i = 0; i < 500; i++)
        gs_buf_fmt(&b, "%s%0*d", "x", i % 90, i);
    GS_EQ_INT(strlen(gs_buf_cstr(&b)), b.n);
    gs_buf_clear(&b);
    GS_EQ_STR(gs_buf_cstr(&b), "");
    gs_buf_free(&b);
    GS_EQ_STR(gs_buf_cstr(&b), "");
}

static void peak_memory_is_plausible(void)
{
    const size_t peak = gs_peak_rss();
    CU_ASSERT(peak == 0 || peak > 100 * 1024);
}

static const struct gs_test tests[] = {
    {"zalloc zeroes, resize keeps", zalloc_is_zeroed_and_resize_keeps},
    {"overflow is out of memory", a_product_that_overflows_is_out_of_memory},
    {"strndup", strndup_stops_at_the_end_of_the_text},
    {"arena memory", arena_memory_is_aligned_zeroed_and_apart},
    {"arena reset", arena_reset_reuses_its_largest_block},
    {"arena strings", arena_strings_are_terminated},
    {"vectors grow", vectors_grow},
    {"buffers are text", buffers_are_always_text},
    {"peak memory", peak_memory_is_plausible},
};
GS_TEST_MAIN("base/mem", tests)

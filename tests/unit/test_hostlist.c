/* test_hostlist.c - lists of node names: ranges, zeros in front, products, and what is no list. */
#include "sim/base/buf.h"
#include "sim/base/hostlist.h"
#include "tests/unit/harness.h"

static enum gs_rc append(void *ctx, const char *name, struct gs_err *err)
{
    struct gs_buf *b = ctx;
    (void)err;
    gs_buf_fmt(b, "%s%s", b->n ? " " : "", name);
    return GS_OK;
}

static void lists_are_expanded_in_order(void)
{
    static const struct {
        const char *text, *names;
    } cases[] = {
        {"a", "a"},
        {"a,b-1,c.d", "a b-1 c.d"},
        {"n[1-3]", "n1 n2 n3"},
        {"n[08-11]", "n08 n09 n10 n11"},
        {"n[001-002,7,9-10]x", "n001x n002x n7x n9x n10x"},
        {"r[1-2]n[1-2],z", "r1n1 r1n2 r2n1 r2n2 z"},
        {"[1-2]", "1 2"},
        {"n[5]", "n5"},
        {"n[1,1]", "n1 n1"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gs_buf b = {0};
        struct gs_err err = {0};
        CU_ASSERT_EQUAL(gs_hostlist_each(cases[i].text, append, &b, &err), GS_OK);
        GS_EQ_STR(gs_buf_cstr(&b), cases[i].names);
        gs_buf_free(&b);
    }
}

static void what_is_no_list_is_refused(void)
{
    static const char *const cases[] = {"",
                                        ",",
                                        "a,",
                                        "a,,b",
                                        "n[",
                                        "n[1",
                                        "n[1-",
                                        "n[1-2",
                                        "n[]",
                                        "n[a]",
                                        "n[3-1]",
                                        "n]",
                                        "n[1]]",
                                        "n[1;2]",
                                        "n[1-99999999]",
                                        "n[1-9999]m[1-9999]",
                                        "n[1234567890123456789]"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gs_err err = {0};
        struct gs_buf b = {0};
        CU_ASSERT_EQUAL(gs_hostlist_each(cases[i], append, &b, &err), GS_E_INPUT);
        CU_ASSERT_TRUE(strstr(err.msg, "list of nodes") != NULL);
        gs_buf_free(&b);
    }
}

static enum gs_rc stop_at_third(void *ctx, const char *name, struct gs_err *err)
{
    (void)name;
    return ++*(int *)ctx == 3 ? gs_fail(err, GS_E_INPUT, "enough") : GS_OK;
}

static void the_callers_error_ends_it(void)
{
    struct gs_err err = {0};
    int n = 0;
    CU_ASSERT_EQUAL(gs_hostlist_each("n[1-9]", stop_at_third, &n, &err), GS_E_INPUT);
    GS_EQ_STR(err.msg, "enough");
    GS_EQ_INT(n, 3);
}

static const struct gs_test tests[] = {{"lists are expanded in order", lists_are_expanded_in_order},
                                       {"what is no list is refused", what_is_no_list_is_refused},
                                       {"the caller's error ends it", the_callers_error_ends_it}};
GS_TEST_MAIN("base/hostlist", tests)

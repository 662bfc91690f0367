/* harness.h - what every test program shares: a table of tests, a main, a temporary folder, the shared material.
 *
 * A suite is one file:
 *
 *     static void heap_pops_in_key_order(void) { ... CU_ASSERT_EQUAL(a, b); ... }
 *     static const struct gs_test tests[] = {
 *         {"pops in key order", heap_pops_in_key_order},
 *     };
 *     GS_TEST_MAIN("engine/queue", tests)
 *
 * The program prints failed assertions and one line of counts. It exits with 0, with 1 if an assertion failed, or
 * with 77 ("skipped" to ctest) if GS_SKIP_ALL was called and nothing failed. CU_ASSERT_* go on after a failure,
 * CU_ASSERT_*_FATAL leave the test (by longjmp: nothing in between is released). One argument, a word: only the
 * tests whose name contains it. */
#ifndef GS_TESTS_HARNESS_H
#define GS_TESTS_HARNESS_H

#include <CUnit/Basic.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct gs_test {
    const char *name;
    void (*run)(void);
};

enum {
    GS_TEST_SKIPPED = 77
};

/* Not every suite uses every helper. */
#define GS_TEST_HELPER static inline __attribute__((unused))

/* The state of the one test program that includes this header. */
struct gs_test_state {
    bool skipped;
    char tmp[512];
};
static struct gs_test_state gs_test_state;

/* Leaves the test and marks the program as skipped: something that the machine lacks, said in `why`. */
#define GS_SKIP_ALL(why)              \
    do {                              \
        printf("SKIP: %s\n", (why));  \
        gs_test_state.skipped = true; \
        return;                       \
    } while (0)

/* Like GS_SKIP_ALL, but the other tests of the program still count: says so and leaves this test. */
#define GS_SKIP(why)                 \
    do {                             \
        printf("SKIP: %s\n", (why)); \
        return;                      \
    } while (0)

/* As CU_ASSERT, printing both values when they differ. */
#define GS_EQ_INT(actual, expected) \
    gs_test_eq_int((intmax_t)(actual), (intmax_t)(expected), #actual, __FILE__, __LINE__)
#define GS_EQ_STR(actual, expected) \
    gs_test_eq_str((actual), (expected), #actual, __FILE__, __LINE__)
/* The same double, bit for bit (so that nan equals nan and 0 differs from -0). */
#define GS_EQ_BITS(actual, expected) \
    gs_test_eq_bits((actual), (expected), #actual, __FILE__, __LINE__)
/* |actual - expected| <= tol. */
#define GS_NEAR(actual, expected, tol) \
    gs_test_near((actual), (expected), (tol), #actual, __FILE__, __LINE__)
/* `part` occurs in `text`: for messages. */
#define GS_HAS(text, part) gs_test_has((text), (part), __FILE__, __LINE__)

GS_TEST_HELPER void gs_test_report(bool ok, const char *what, const char *file, int line)
{
    CU_assertImplementation(ok ? CU_TRUE : CU_FALSE, (unsigned)line, what, file, "", CU_FALSE);
}

GS_TEST_HELPER void gs_test_eq_int(intmax_t a, intmax_t e, const char *what, const char *file,
                                   int line)
{
    char text[512];
    (void)snprintf(text, sizeof text, "%s is %" PRIdMAX ", expected %" PRIdMAX, what, a, e);
    gs_test_report(a == e, text, file, line);
}

GS_TEST_HELPER void gs_test_eq_str(const char *a, const char *e, const char *what, const char *file,
                                   int line)
{
    char text[2048];
    const bool ok = a && e ? strcmp(a, e) == 0 : a == e;
    (void)snprintf(text, sizeof text, "%.200s is '%.800s', expected '%.800s'", what,
                   a ? a : "(null)", e ? e : "(null)");
    gs_test_report(ok, text, file, line);
}

GS_TEST_HELPER void gs_test_eq_bits(double a, double e, const char *what, const char *file,
                                    int line)
{
    char text[512];
    (void)snprintf(text, sizeof text, "%s is %.17g (%a), expected %.17g (%a)", what, a, a, e, e);
    gs_test_report(memcmp(&a, &e, sizeof a) == 0, text, file, line);
}

GS_TEST_HELPER void gs_test_near(double a, double e, double tol, const char *what, const char *file,
                                 int line)
{
    char text[512];
    (void)snprintf(text, sizeof text, "%s is %.17g, expected %.17g within %g", what, a, e, tol);
    const double d = a > e ? a - e : e - a;
    gs_test_report(d <= tol, text, file, line);
}

GS_TEST_HELPER void gs_test_has(const char *text, const char *part, const char *file, int line)
{
    char what[2048];
    (void)snprintf(what, sizeof what, "'%.400s' occurs in '%.1500s'", part, text ? text : "(null)");
    gs_test_report(text && strstr(text, part), what, file, line);
}

GS_TEST_HELPER bool gs_test_is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The folder of shared material (traces, published figures): $GSIM_SHARED, else ../shared beside the repository, else NULL.
 * A test that gets NULL says GS_SKIP("no shared material"). */
GS_TEST_HELPER const char *gs_test_shared(void)
{
    const char *env = getenv("GSIM_SHARED");
    if (env)
        return gs_test_is_dir(env) ? env : NULL;
    return gs_test_is_dir(GSIM_SOURCE_DIR "/../shared") ? GSIM_SOURCE_DIR "/../shared" : NULL;
}

/* "dir/name" in buf; a buffer that is too short ends the program. */
GS_TEST_HELPER const char *gs_test_path(char *buf, size_t cap, const char *dir, const char *name)
{
    const int n = snprintf(buf, cap, "%s/%s", dir, name);
    if (n < 0 || (size_t)n >= cap) {
        (void)fprintf(stderr, "test path too long: %s/%s\n", dir, name);
        exit(1);
    }
    return buf;
}

/* `name` inside the shared folder, in buf; NULL when there is no such file. */
GS_TEST_HELPER const char *gs_test_shared_file(const char *name, char *buf, size_t cap)
{
    const char *dir = gs_test_shared();
    if (!dir)
        return NULL;
    return access(gs_test_path(buf, cap, dir, name), R_OK) == 0 ? buf : NULL;
}

/* A folder that exists for this program only; removed at its end. */
GS_TEST_HELPER const char *gs_test_tmp(void)
{
    struct gs_test_state *s = &gs_test_state;
    if (s->tmp[0] == '\0') {
        const char *base = getenv("TMPDIR");
        gs_test_path(s->tmp, sizeof s->tmp, base && *base ? base : "/tmp", "gsim-test-XXXXXX");
        if (!mkdtemp(s->tmp)) {
            perror(s->tmp);
            exit(1);
        }
    }
    return s->tmp;
}

/* `name` inside the temporary folder, in buf. */
GS_TEST_HELPER const char *gs_test_tmp_file(const char *name, char *buf, size_t cap)
{
    return gs_test_path(buf, cap, gs_test_tmp(), name);
}

/* Writes `text` (n bytes; strlen when n is SIZE_MAX) to `name` in the temporary folder; returns its path in buf. */
GS_TEST_HELPER const char *gs_test_write(const char *name, const char *text, size_t n, char *buf,
                                         size_t cap)
{
    gs_test_tmp_file(name, buf, cap);
    FILE *f = fopen(buf, "wb");
    const size_t len = n == SIZE_MAX ? strlen(text) : n;
    if (!f || fwrite(text, 1, len, f) != len || fclose(f) != 0) {
        perror(buf);
        exit(1);
    }
    return buf;
}

GS_TEST_HELPER void gs_test_remove_tmp(void)
{
    char command[600];
    if (gs_test_state.tmp[0] == '\0')
        return;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", gs_test_state.tmp);
    if (system(command) != 0)
        (void)fprintf(stderr, "cannot remove %s\n", gs_test_state.tmp);
}

GS_TEST_HELPER int gs_test_main(const char *suite, const struct gs_test *tests, size_t n, int argc,
                                char **argv)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 1;
    CU_pSuite s = CU_add_suite(suite, NULL, NULL);
    for (size_t i = 0; s && i < n; i++) {
        if ((argc < 2 || strstr(tests[i].name, argv[1])) &&
            !CU_add_test(s, tests[i].name, tests[i].run))
            return 1;
    }
    CU_basic_set_mode(CU_BRM_SILENT);
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    CU_basic_run_tests();
    const unsigned failed = CU_get_number_of_failures();
    if (failed) {
        printf("%s:\n", suite);
        CU_basic_show_failures(CU_get_failure_list());
        printf("\n");
    }
    printf("%s: %u tests, %u assertions, %u failed\n", suite, CU_get_number_of_tests_run(),
           CU_get_number_of_asserts(), failed);
    CU_cleanup_registry();
    gs_test_remove_tmp();
    if (failed)
        return 1;
    return gs_test_state.skipped ? GS_TEST_SKIPPED : 0;
}

#define GS_TEST_MAIN(suite, table)                                                             \
    int main(int argc, char **argv)                                                            \
    {                                                                                          \
        return gs_test_main((suite), (table), sizeof(table) / sizeof((table)[0]), argc, argv); \
    }

#endif

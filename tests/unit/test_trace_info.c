/* test_trace_info.c - `gsim trace info`: the control figures of the public traces, to the character, and those of the small
 * samples; exact decimals, on which they rest. */
#include "tests/unit/harness.h"
#include "traces/decimal.h"
#include "traces/trace.h"

#define SAMPLES GSIM_SOURCE_DIR "/traces/samples/"

/* ---- Decimals ---------------------------------------------------------------------------------- */

static void decimals_are_exact(void)
{
    static const struct {
        const char *text;
        int scale;
        enum gs_decimal rc;
        int64_t value;
    } cases[] = {
        {"18", 0, GS_DECIMAL_OK, 18},
        {"18.0", 0, GS_DECIMAL_OK, 18},
        {"18.5", 0, GS_DECIMAL_INEXACT, 18}, /* half to even */
        {"19.5", 0, GS_DECIMAL_INEXACT, 20},
        {"18.50000000000000000000001", 0, GS_DECIMAL_INEXACT, 19},
        {"0.25", 3, GS_DECIMAL_OK, 250},
        {".5", 3, GS_DECIMAL_OK, 500},
        {"5.", 3, GS_DECIMAL_OK, 5000},
        {"-0.0", 9, GS_DECIMAL_OK, 0},
        {"-12.75", 2, GS_DECIMAL_OK, -1275},
        {"5683.069696", 9, GS_DECIMAL_OK, 5683069696000},
        {"0.1234567885", 9, GS_DECIMAL_INEXACT, 123456788},
        {"0.1234567895", 9, GS_DECIMAL_INEXACT, 123456790},
        {"1e3", 0, GS_DECIMAL_OK, 1000},
        {"1.5E-3", 9, GS_DECIMAL_OK, 1500000},
        {"12345e-2", 2, GS_DECIMAL_OK, 12345},
        {"1e-400", 9, GS_DECIMAL_INEXACT, 0},
        {"0e99999999999999", 9, GS_DECIMAL_OK, 0},
        {"00000000000000000000000000000001", 0, GS_DECIMAL_OK, 1},
        {"9223372036", 9, GS_DECIMAL_OK, INT64_C(9223372036000000000)},
        {"9223372036.854775807", 9, GS_DECIMAL_OK, INT64_MAX},
        {"9223372036.854775808", 9, GS_DECIMAL_TOO_BIG, 0},
        {"9999999999999999999", 0, GS_DECIMAL_TOO_BIG, 0},
        {"9999999999999999999e-19", 0, GS_DECIMAL_INEXACT, 1},
        {"4999999999999999999e-19", 0, GS_DECIMAL_INEXACT, 0},
        {"9223372037", 9, GS_DECIMAL_TOO_BIG, 0},
        {"1e400", 0, GS_DECIMAL_TOO_BIG, 0},
        {"99999999999999999999", 0, GS_DECIMAL_TOO_BIG, 0},
        {"", 0, GS_DECIMAL_NOT_A_NUMBER, 0},
        {".", 0, GS_DECIMAL_NOT_A_NUMBER, 0},
        {"-", 0, GS_DECIMAL_NOT_A_NUMBER, 0},
        {"1e", 0, GS_DECIMAL_NOT_A_NUMBER, 0},
        {"1 ", 0, GS_DECIMAL_NOT_A_NUMBER, 0},
        {"0x10", 0, GS_DECIMAL_NOT_A_NUMBER, 0},
        {"nan", 0, GS_DECIMAL_NOT_A_NUMBER, 0},
        {"1.2.3", 0, GS_DECIMAL_NOT_A_NUMBER, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t got = 0;
        GS_EQ_INT(gs_decimal_read(cases[i].text, cases[i].scale, &got), cases[i].rc);
        GS_EQ_INT(got, cases[i].value);
    }
}

static void decimals_are_written_short(void)
{
    static const struct {
        int64_t value;
        int scale;
        const char *text;
    } cases[] = {
        {0, 9, "0"},
        {2500000000, 9, "2.5"},
        {-2500000000, 9, "-2.5"},
        {1, 9, "0.000000001"},
        {1000, 0, "1000"},
        {10, 1, "1"},
        {INT64_MAX, 9, "9223372036.854775807"},
        {INT64_MIN, 0, "-9223372036854775808"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gs_buf b = {0};
        gs_decimal_add(&b, cases[i].value, cases[i].scale);
        GS_EQ_STR(gs_buf_cstr(&b), cases[i].text);
        int64_t back = 0;
        GS_EQ_INT(gs_decimal_read(gs_buf_cstr(&b), cases[i].scale, &back),
                  cases[i].value == INT64_MIN ? GS_DECIMAL_TOO_BIG : GS_DECIMAL_OK);
        gs_buf_free(&b);
    }
    struct gs_buf b = {0};
    gs_decimal_add(&b, (gs_i128)INT64_MAX * 1000000, 6);
    GS_EQ_STR(gs_buf_cstr(&b), "9223372036854775807");
    gs_buf_free(&b);
}

/* ---- Control figures --------------------------------------------------------------------------- */

/* The control table has all files; these are read by the formats that are built. */
static int is_ours(const char *set, const char *file)
{
    if (strcmp(set, "philly") == 0)
        return strcmp(file, "philly.csv") == 0;
    if (strcmp(set, "swf") == 0)
        return strstr(file, ".machines") == NULL;
    return strcmp(set, "openb") == 0;
}

/* Cuts s at the next TAB or line end; returns what is behind it. */
static char *cut(char *s)
{
    s += strcspn(s, "\t\r\n");
    if (*s)
        *s++ = '\0';
    return s;
}

struct control {
    char set[64], file[128];
    struct gs_buf expected, got; /* lines quantity<TAB>value */
    unsigned files;
};

/* The file's expected lines are complete: compare them with what trace info prints. */
static void compare(struct control *c)
{
    char name[256];
    char path[1024];
    if (c->expected.n == 0)
        return;
    (void)snprintf(name, sizeof name, "traces/%s/%s", c->set, c->file);
    if (!gs_test_shared_file(name, path, sizeof path)) {
        printf("SKIP: no %s\n", name);
        gs_buf_clear(&c->expected);
        return;
    }
    struct gs_err err = {0};
    gs_buf_clear(&c->got);
    const enum gs_rc rc = gs_trace_info(path, NULL, GS_BAD_ROWS_ERROR, &c->got, &err);
    GS_EQ_STR(err.msg, "");
    GS_EQ_INT(rc, GS_OK);
    /* the part for people starts with the first comment */
    const char *text = gs_buf_cstr(&c->got);
    const char *comment = strstr(text, "\n# ");
    const size_t n = comment ? (size_t)(comment - text) + 1 : c->got.n;
    const int same = n == c->expected.n && memcmp(text, c->expected.s, n) == 0;
    if (!same)
        printf("%s: expected\n%s\ngot\n%.*s\n", name, c->expected.s, (int)n, text);
    CU_ASSERT_TRUE(same);
    c->files++;
    gs_buf_clear(&c->expected);
}

static void info_prints_the_control_figures(void)
{
    char path[1024];
    if (!gs_test_shared_file("traces/CONTROL.tsv", path, sizeof path))
        GS_SKIP("no shared material");
    FILE *f = fopen(path, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    struct control c = {0};
    char line[4096];
    while (fgets(line, sizeof line, f)) {
        char *file = cut(line);
        char *quantity = cut(file);
        char *value = cut(quantity);
        (void)cut(value);
        if (!is_ours(line, file) || strchr(file, '.') == NULL)
            continue;
        if (strcmp(c.set, line) != 0 || strcmp(c.file, file) != 0) {
            compare(&c);
            (void)snprintf(c.set, sizeof c.set, "%.*s", (int)sizeof c.set - 1, line);
            (void)snprintf(c.file, sizeof c.file, "%.*s", (int)sizeof c.file - 1, file);
        }
        gs_buf_fmt(&c.expected, "%s\t%s\n", quantity, value);
    }
    compare(&c);
    (void)fclose(f);
    GS_EQ_INT(c.files, 13);
    gs_buf_free(&c.expected);
    gs_buf_free(&c.got);
}

static void info_tells_what_a_sample_holds(void)
{
    static const struct {
        const char *file, *line;
    } cases[] = {
        {SAMPLES "jobs.csv", "\ngpu_histogram\t1:30;2:6;4:2;8:1;16:1\n"},
        {SAMPLES "jobs.csv.gz", "\nqueues\tspeech:16;vision:24\n"},
        {SAMPLES "jobs.csv",
         "# median job: runs 30.2 min on 1 GPU; the longest 6.47 h, the largest 16\n"},
        {SAMPLES "philly.csv", "\nduplicate_rows\t1\n"},
        {SAMPLES "philly.csv", "\nfirst_submit\t2017-11-04 22:15:00\n"},
        {SAMPLES "openb_pods.csv", "\nspecs\tG2|T4|T4:5;T4:4;V100M16|V100M32:5\n"},
        {SAMPLES "openb_pods_static.csv", "\ncolumns\t5\n"},
        {SAMPLES "openb_nodes.csv",
         "\ngpus_by_model\t:0;G2:16;G3:16;P100:4;T4:4;V100M16:8;V100M32:16\n"},
        {SAMPLES "jobs.swf", "\nstatus\t0:4;1:31;3:1;5:4\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gs_buf out = {0};
        struct gs_err err = {0};
        CU_ASSERT_EQUAL(gs_trace_info(cases[i].file, NULL, GS_BAD_ROWS_ERROR, &out, &err), GS_OK);
        GS_HAS(gs_buf_cstr(&out), cases[i].line);
        gs_buf_free(&out);
    }
}

static void info_of_bad_rows(void)
{
    char path[512];
    struct gs_buf out = {0};
    struct gs_err err = {0};
    gs_test_write("b.csv", "submit,duration,gpus\n0,1,1\n1,x,1\n", SIZE_MAX, path, sizeof path);
    GS_EQ_INT(gs_trace_info(path, NULL, GS_BAD_ROWS_ERROR, &out, &err), GS_E_INPUT);
    GS_HAS(err.msg, "b.csv:3: column 'duration': 'x'");
    GS_EQ_INT(out.n, 0); /* all or nothing */
    GS_EQ_INT(gs_trace_info(path, NULL, GS_BAD_ROWS_SKIP, &out, &err), GS_OK);
    GS_HAS(gs_buf_cstr(&out), "# skipped: 1, not a number\n");
    gs_buf_clear(&out);
    gs_test_write("b.csv", "submit,duration,gpus\n", SIZE_MAX, path, sizeof path);
    GS_EQ_INT(gs_trace_info(path, NULL, GS_BAD_ROWS_SKIP, &out, &err), GS_E_INPUT);
    GS_HAS(err.msg, "no rows behind the header");
    gs_buf_free(&out);
}

static const struct gs_test tests[] = {
    {"decimals are exact", decimals_are_exact},
    {"decimals are written short", decimals_are_written_short},
    {"control figures of the public traces", info_prints_the_control_figures},
    {"figures of the samples", info_tells_what_a_sample_holds},
    {"bad rows", info_of_bad_rows},
};
GS_TEST_MAIN("traces/info", tests)

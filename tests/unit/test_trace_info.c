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

/* ---- trace info -------------------------------------------------------------------------------- */

static enum gs_rc info_of(const char *path, enum gs_bad_rows bad, struct gs_trace_summary *out,
                          struct gs_err *err)
{
    struct gs_trace_options o;
    gs_trace_options_init(&o);
    o.path = path;
    o.bad_rows = bad;
    return gs_trace_info(&o, out, err);
}

static const char *figure(const struct gs_trace_summary *s, const char *quantity)
{
    for (size_t i = 0; i < s->figures.n; i++) {
        if (strcmp(s->figures.v[i].name, quantity) == 0)
            return s->figures.v[i].value;
    }
    return "(none)";
}

static void info_tells_what_a_sample_holds(void)
{
    static const struct {
        const char *file, *quantity, *value;
    } cases[] = {
        {SAMPLES "jobs.csv", "gpu_histogram", "1:30;2:6;4:2;8:1;16:1"},
        {SAMPLES "jobs.csv.gz", "queues", "speech:16;vision:24"},
        {SAMPLES "philly.csv", "duplicate_rows", "1"},
        {SAMPLES "philly.csv", "first_submit", "2017-11-04 22:15:00"},
        {SAMPLES "openb_pods.csv", "specs", "G2|T4|T4:5;T4:4;V100M16|V100M32:5"},
        {SAMPLES "openb_pods_static.csv", "columns", "5"},
        {SAMPLES "openb_nodes.csv", "gpus_by_model",
         ":0;G2:16;G3:16;P100:4;T4:4;V100M16:8;V100M32:16"},
        {SAMPLES "jobs.swf", "status", "0:4;1:31;3:1;5:4"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gs_trace_summary s;
        struct gs_err err = {0};
        CU_ASSERT_EQUAL(info_of(cases[i].file, GS_BAD_ROWS_ERROR, &s, &err), GS_OK);
        GS_EQ_STR(err.msg, "");
        GS_EQ_STR(figure(&s, cases[i].quantity), cases[i].value);
        gs_trace_summary_release(&s);
    }
}

static void info_summarises_the_jobs(void)
{
    struct gs_trace_summary s;
    struct gs_err err = {0};
    CU_ASSERT_EQUAL_FATAL(info_of(SAMPLES "jobs.csv", GS_BAD_ROWS_ERROR, &s, &err), GS_OK);
    GS_EQ_INT(s.jobs, 40);
    GS_EQ_INT(s.calls, 0);
    GS_EQ_INT(s.run_s.n, 40);
    CU_ASSERT_TRUE(s.exact);
    CU_ASSERT_DOUBLE_EQUAL(s.run_s.p50 / 60, 30.2, 0.05);
    CU_ASSERT_DOUBLE_EQUAL(s.run_s.max / 3600, 6.47, 0.005);
    CU_ASSERT_DOUBLE_EQUAL(s.gpus.max, 16, 0);
    GS_EQ_INT(s.tenants, 2);
    GS_EQ_STR(s.tenant_rows.v[0].name, "vision");
    GS_EQ_INT(s.tenant_rows.v[0].n, 24);
    GS_EQ_STR(s.sizes.v[0].name, "1");
    GS_EQ_INT(s.sizes.v[0].n, 14);
    GS_EQ_STR(s.warning, "");
    gs_trace_summary_release(&s);
}

static void info_of_bad_rows(void)
{
    char path[512];
    struct gs_trace_summary s;
    struct gs_err err = {0};
    gs_test_write("b.csv", "submit,duration,gpus\n0,1,1\n1,x,1\n", SIZE_MAX, path, sizeof path);
    GS_EQ_INT(info_of(path, GS_BAD_ROWS_ERROR, &s, &err), GS_E_INPUT);
    GS_HAS(err.msg, "b.csv:3: column 'duration': 'x'");
    GS_EQ_INT(s.figures.n, 0); /* all or nothing */
    GS_EQ_INT(info_of(path, GS_BAD_ROWS_SKIP, &s, &err), GS_OK);
    GS_EQ_INT(s.n.skipped, 1);
    GS_EQ_STR(s.n.why[0].reason, "not a number");
    gs_trace_summary_release(&s);
    gs_test_write("b.csv", "submit,duration,gpus\n", SIZE_MAX, path, sizeof path);
    GS_EQ_INT(info_of(path, GS_BAD_ROWS_SKIP, &s, &err), GS_E_INPUT);
    GS_HAS(err.msg, "no rows behind the header");
}

static void info_warns_of_units(void)
{
    char path[512];
    struct gs_trace_summary s;
    struct gs_err err = {0};
    gs_test_write("ms.csv", "submit,duration,gpus\n0,3600000,1\n1,7200000,1\n2,9000000,1\n",
                  SIZE_MAX, path, sizeof path);
    CU_ASSERT_EQUAL_FATAL(info_of(path, GS_BAD_ROWS_ERROR, &s, &err), GS_OK);
    GS_HAS(s.warning, "outside 1 s .. 30 d");
    gs_trace_summary_release(&s);
}

static const struct gs_test tests[] = {
    {"decimals are exact", decimals_are_exact},
    {"decimals are written short", decimals_are_written_short},
    {"figures of the samples", info_tells_what_a_sample_holds},
    {"jobs in words", info_summarises_the_jobs},
    {"units that slip", info_warns_of_units},
    {"bad rows", info_of_bad_rows},
};
GS_TEST_MAIN("traces/info", tests)

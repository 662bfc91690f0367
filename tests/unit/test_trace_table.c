/* test_trace_table.c - what formats are made of: CSV rows, tables with their figures, JSON records; and the Philly list across a
 * change of the clocks. */
#include "sim/base/buf.h"
#include "sim/base/units.h"
#include "tests/unit/harness.h"
#include "traces/decimal.h"
#include "traces/formats.h"
#include "traces/table.h"

/* ---- CSV --------------------------------------------------------------------------------------- */

/* The rows of some text: fields in [], rows parted by '/'; or the error. */
static void rows_are(const char *text, char delimiter, int header, const char *expected)
{
    struct gs_input in;
    struct gs_csv c = {0};
    struct gs_err err = {0};
    struct gs_buf got = {0};
    int more = 0;
    enum gs_rc rc = gs_input_from(&in, text, strlen(text), "t", &err);
    CU_ASSERT_EQUAL_FATAL(rc, GS_OK);
    rc = gs_csv_open_as(&c, &in, delimiter, header, &err);
    for (rc = rc ? rc : gs_csv_next(&c, &more, &err); !rc && more;
         rc = gs_csv_next(&c, &more, &err)) {
        gs_buf_fmt(&got, "%s%lld", got.n ? "/" : "", (long long)c.line);
        for (size_t i = 0; i < gs_csv_fields(&c); i++)
            gs_buf_fmt(&got, "[%s]", gs_csv_field(&c, i));
    }
    GS_EQ_STR(rc ? err.msg : gs_buf_cstr(&got), expected);
    gs_csv_close(&c);
    gs_input_close(&in);
    gs_buf_free(&got);
}

static void rows_with_and_without_quotes_are_alike(void)
{
    rows_are("a,b\n1,2\n\n 3 ,\t4\t\n", ',', 1, "2[1][2]/4[3][4]");
    rows_are("a,b\n\"1\",\"2\"\n\n\"3\" , \"4\"\n", ',', 1, "2[1][2]/4[3][4]");
    rows_are("a,b\r\n1,2\r\n,\r\n", ',', 1, "2[1][2]/3[][]");
    rows_are("a,b\r1,2\r3,4", ',', 1, "2[1][2]/3[3][4]");
    rows_are("a,b\n\"x\ny\",2\n3,4\n", ',', 1, "2[x\ny][2]/4[3][4]");
    rows_are("a,b\n\"p\"\"q\",\" r \"\n", ',', 1, "2[p\"q][ r ]");
    rows_are("1\t2 3\t\n\t\n", '\t', 0, "1[1][2 3][]/2[][]");
    rows_are("1,2\n3", ',', 0, "1[1][2]/2[3]");
    rows_are(",a\n0,1\n", ',', 1, "2[0][1]"); /* a data frame's index */
    rows_are("a,a\n", ',', 1, "t:1: column 'a' stands twice in the header");
    rows_are(
        "a,b\n1,2\"3\n", ',', 1,
        "t:2: a quote where none may stand, or one that is never closed (write a quote inside a "
        "quoted field twice)");
    rows_are(
        "a,b\n1,\"2\n", ',', 1,
        "t:2: a quote where none may stand, or one that is never closed (write a quote inside a "
        "quoted field twice)");
}

/* ---- Decimals ---------------------------------------------------------------------------------- */

static void decimals_are_split_and_rounded(void)
{
    static const struct {
        const char *text;
        int64_t m;
        int places;
    } cases[] = {{"12.50", 1250, 2}, {"-3", -3, 0},   {"1e3", 1000, 0},
                 {"2.5e-3", 25, 4},  {"0.000", 0, 3}, {"9223372036854775807", INT64_MAX, 0},
                 {"+7.", 7, 0},      {"1.5e1", 15, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t m = -99;
        int places = -1;
        GS_EQ_INT(gs_decimal_split(cases[i].text, &m, &places), GS_DECIMAL_OK);
        GS_EQ_INT(m, cases[i].m);
        GS_EQ_INT(places, cases[i].places);
    }
    int64_t m = 0;
    int places = 0;
    GS_EQ_INT(gs_decimal_split("0.1000000000000000055511151231257827", &m, &places),
              GS_DECIMAL_INEXACT);
    GS_EQ_INT(gs_decimal_split("99999999999999999999", &m, &places), GS_DECIMAL_TOO_BIG);
    GS_EQ_INT(gs_decimal_split("x", &m, &places), GS_DECIMAL_NOT_A_NUMBER);
    CU_ASSERT_TRUE(gs_decimal_round(25, 1, 0) == 2); /* half to even */
    CU_ASSERT_TRUE(gs_decimal_round(35, 1, 0) == 4);
    CU_ASSERT_TRUE(gs_decimal_round(-35, 1, 0) == -4);
    struct gs_buf b = {0};
    gs_decimal_add_fixed(&b, 1120343470, 6, 6);
    gs_buf_str(&b, " ");
    gs_decimal_add_fixed(&b, 5, 0, 0);
    gs_buf_str(&b, " ");
    gs_decimal_add_fixed(&b, 2500, 3, 2);
    GS_EQ_STR(gs_buf_cstr(&b), "1120.343470 5 2.50");
    gs_buf_free(&b);
}

/* ---- Figures ----------------------------------------------------------------------------------- */

static const struct gs_field fields[] = {
    {"t", 0}, {"x", 0}, {"y", 0}, {"who", 0}, {"z", GS_FIELD_OPTIONAL}};

static const struct gs_figure figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "columns", .op = GS_FIG_COLUMNS},
    {.quantity = "names", .op = GS_FIG_COLUMN_NAMES},
    {.quantity = "sum", .op = GS_FIG_SUM, .a = "x"},
    {.quantity = "sum_of_a", .op = GS_FIG_SUM, .a = "x", .where = "who", .where_is = "a"},
    {.quantity = "sum_1", .op = GS_FIG_SUM, .a = "x", .places = 1},
    {.quantity = "sum_kept", .op = GS_FIG_SUM, .a = "x", .places = -3},
    {.quantity = "product", .op = GS_FIG_SUM_PRODUCT, .a = "x", .b = "y"},
    {.quantity = "span", .op = GS_FIG_SUM_SPAN, .a = "y", .b = "x"},
    {.quantity = "product_span", .op = GS_FIG_SUM_PRODUCT_SPAN, .a = "y", .b = "x", .c = "y"},
    {.quantity = "min", .op = GS_FIG_MIN, .a = "x"},
    {.quantity = "max", .op = GS_FIG_MAX, .a = "x"},
    {.quantity = "min_text", .op = GS_FIG_MIN_TEXT, .a = "t"},
    {.quantity = "max_text", .op = GS_FIG_MAX_TEXT, .a = "t"},
    {.quantity = "first", .op = GS_FIG_FIRST, .a = "t"},
    {.quantity = "last", .op = GS_FIG_LAST, .a = "t"},
    {.quantity = "nulls", .op = GS_FIG_NULLS, .a = "x"},
    {.quantity = "filled", .op = GS_FIG_FILLED, .a = "x"},
    {.quantity = "zeros", .op = GS_FIG_ZEROS, .a = "y"},
    {.quantity = "not_positive", .op = GS_FIG_NOT_POSITIVE, .a = "y"},
    {.quantity = "negative", .op = GS_FIG_NEGATIVE, .a = "y"},
    {.quantity = "is_a", .op = GS_FIG_IS, .a = "who", .is = "a"},
    {.quantity = "is_not_a", .op = GS_FIG_IS_NOT, .a = "who", .is = "a"},
    {.quantity = "distinct", .op = GS_FIG_DISTINCT, .a = "who"},
    {.quantity = "tally", .op = GS_FIG_TALLY, .a = "who", .is = "nobody"},
    {.quantity = "tally_x", .op = GS_FIG_TALLY, .a = "x"},
    {.quantity = "tally_filled", .op = GS_FIG_TALLY_FILLED, .a = "who"},
    {.quantity = "tally_sum", .op = GS_FIG_TALLY_SUM, .a = "who", .b = "y"},
    {.quantity = "of_", .op = GS_FIG_EACH, .a = "who"},
    {.quantity = "out_of_order", .op = GS_FIG_OUT_OF_ORDER, .a = "t"},
    {.quantity = "same", .op = GS_FIG_SAME_AS_BEFORE, .a = "t"},
    {.quantity = "duplicates", .op = GS_FIG_DUPLICATES},
    {.quantity = "left_out", .op = GS_FIG_SUM, .a = "z"},
};

static enum gs_rc no_evil(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    if (strcmp(v[3], "evil") == 0)
        return gs_row_bad(r, "evil", "who", v[3], "is evil");
    s->n->emitted++;
    return GS_OK;
}

static const struct gs_table table = {GS_TABLE_FIELDS(fields), GS_TABLE_FIGURES(figures),
                                      .row = no_evil};

static enum gs_rc scan_table(struct gs_scan *s)
{
    return gs_table_scan(s, &table);
}

static const struct gs_reader reader = {.name = "test", .what = "a table", .scan = scan_table};

/* What the table says of a text. */
static enum gs_rc figures_of(const char *text, enum gs_bad_rows bad, struct gs_buf *out,
                             struct gs_err *err)
{
    struct gs_input in;
    struct gs_trace_options o;
    struct gs_trace_summary sum;
    gs_trace_options_init(&o);
    o.bad_rows = bad;
    CU_ASSERT_EQUAL_FATAL(gs_input_from(&in, text, strlen(text), "t", err), GS_OK);
    const enum gs_rc rc = gs_trace_info_by(&reader, &in, &o, &sum, err);
    for (size_t i = 0; rc == GS_OK && i < sum.figures.n; i++)
        gs_buf_fmt(out, "%s=%s\n", sum.figures.v[i].name, sum.figures.v[i].value);
    gs_trace_summary_release(&sum);
    gs_input_close(&in);
    return rc;
}

static void every_figure_is_right(void)
{
    struct gs_buf out = {0};
    struct gs_err err = {0};
    const char *text = "t,x,y,who\n"
                       "2020-01-01 00:00:02,1.25,2,a\n"
                       "2020-01-01 00:00:01,,0,b\n"
                       "2020-01-01 00:00:01,10.50,-4,a\n"
                       "2020-01-01 00:00:03,1.25,2,\n"
                       "2020-01-01 00:00:03,7,8,evil\n"
                       "2020-01-01 00:00:02,1.25,2,a\n";
    GS_EQ_INT(figures_of(text, GS_BAD_ROWS_ERROR, &out, &err), GS_E_INPUT);
    GS_HAS(err.msg, "t:6: column 'who': 'evil' is evil");
    CU_ASSERT_EQUAL_FATAL(figures_of(text, GS_BAD_ROWS_SKIP, &out, &err), GS_OK);
    GS_EQ_STR(gs_buf_cstr(&out), "rows=5\n"
                                 "columns=4\n"
                                 "names=t,x,y,who\n"
                                 "sum=14.25\n"
                                 "sum_of_a=13\n"
                                 "sum_1=14.2\n"
                                 "sum_kept=14.250\n"
                                 "product=-34.5\n"
                                 "span=-12.25\n"
                                 "product_span=62.5\n"
                                 "min=1.25\n"
                                 "max=10.5\n"
                                 "min_text=2020-01-01 00:00:01\n"
                                 "max_text=2020-01-01 00:00:03\n"
                                 "first=2020-01-01 00:00:02\n"
                                 "last=2020-01-01 00:00:02\n"
                                 "nulls=1\n"
                                 "filled=4\n"
                                 "zeros=1\n"
                                 "not_positive=2\n"
                                 "negative=1\n"
                                 "is_a=3\n"
                                 "is_not_a=1\n"
                                 "distinct=3\n"
                                 "tally=a:3;b:1;nobody:1\n"
                                 "tally_x=:1;1.25:3;10.5:1\n"
                                 "tally_filled=a:3;b:1\n"
                                 "tally_sum=:2;a:0;b:0\n"
                                 "of_a=3\nof_b=1\n"
                                 "out_of_order=2\n"
                                 "same=1\n"
                                 "duplicates=1\n");
    gs_buf_free(&out);
}

static void a_figure_needs_its_numbers(void)
{
    struct gs_buf out = {0};
    struct gs_err err = {0};
    GS_EQ_INT(figures_of("t,x,y,who\n1,oops,1,a\n", GS_BAD_ROWS_ERROR, &out, &err), GS_E_INPUT);
    GS_HAS(err.msg, "t:2: column 'x': 'oops' is not a number");
    GS_EQ_INT(figures_of("t,x,y,who\n1,9e18,9e18,a\n", GS_BAD_ROWS_ERROR, &out, &err), GS_E_INPUT);
    GS_HAS(err.msg, "overflow");
    GS_EQ_INT(figures_of("t,x,y,who\n1,1,1\n", GS_BAD_ROWS_ERROR, &out, &err), GS_E_INPUT);
    GS_HAS(err.msg, "t:2: 3 fields, the header has 4");
    GS_EQ_INT(figures_of("t,x,who\n1,1,1\n", GS_BAD_ROWS_ERROR, &out, &err), GS_E_INPUT);
    GS_HAS(err.msg, "no column 'y' in the header (found: t, x, who)");
    gs_buf_free(&out);
}

/* ---- JSON -------------------------------------------------------------------------------------- */

/* The elements: "line:compact text" parted by '/'; or the error. */
static void elements_are(const char *text, const char *expected)
{
    struct gs_input in;
    struct gs_err err = {0};
    struct gs_buf got = {0};
    CU_ASSERT_EQUAL_FATAL(gs_input_from(&in, text, strlen(text), "t", &err), GS_OK);
    enum gs_rc rc = GS_OK;
    for (json_t *j = NULL;;) {
        int64_t line = 0;
        rc = gs_json_element(&in, &j, &line, &err);
        if (rc != GS_OK || !j)
            break;
        char *s = json_dumps(j, JSON_COMPACT | JSON_ENCODE_ANY);
        gs_buf_fmt(&got, "%s%lld:%s", got.n ? "/" : "", (long long)line, s);
        free(s);
        json_decref(j);
    }
    GS_HAS(rc ? err.msg : gs_buf_cstr(&got), expected);
    GS_EQ_INT(rc == GS_OK || rc == GS_E_INPUT, 1);
    gs_input_close(&in);
    gs_buf_free(&got);
}

static void elements_come_one_by_one(void)
{
    elements_are("[]", "");
    elements_are("[1, \"a,]\\\"\" ,\n{\"k\":[1,{}]}\n]\n", "1:1/1:\"a,]\\\"\"/2:{\"k\":[1,{}]}");
    elements_are(" [\n\n {\"a\": 1},\n {\n\"b\":2},3]", "3:{\"a\":1}/4:{\"b\":2}/5:3");
    elements_are("[1, 2", "the file ends inside the array");
    elements_are("[1, {\"a\": ", "the file ends inside the array");
    elements_are("[1 2]", "expected , or ]");
    elements_are("[1,\n2,]", "t:2: not JSON");
    elements_are("[{\"a\":1,\"a\":2}]", "duplicate");
    elements_are("[1] x", "something else stands behind the array");
    elements_are("[tru]", "t:1: not JSON");
    struct gs_buf deep = {0};
    for (int i = 0; i < 100000; i++)
        gs_buf_str(&deep, "[");
    elements_are(gs_buf_cstr(&deep), "the file ends inside the array");
    for (int i = 0; i < 100000; i++)
        gs_buf_str(&deep, "]");
    elements_are(gs_buf_cstr(&deep), "maximum parsing depth");
    gs_buf_free(&deep);
}

static void members_are_texts(void)
{
    json_t *o =
        json_loads("{\"s\":\"x\",\"i\":12,\"r\":0.1,\"big\":1e300,\"n\":null,\"t\":true}", 0, NULL);
    char buf[64];
    GS_EQ_STR(gs_json_text(o, "s", buf, sizeof buf), "x");
    GS_EQ_STR(gs_json_text(o, "i", buf, sizeof buf), "12");
    GS_EQ_STR(gs_json_text(o, "r", buf, sizeof buf), "0.1");
    GS_EQ_STR(gs_json_text(o, "big", buf, sizeof buf), "1e+300");
    GS_EQ_STR(gs_json_text(o, "n", buf, sizeof buf), "");
    GS_EQ_STR(gs_json_text(o, "absent", buf, sizeof buf), "");
    GS_EQ_STR(gs_json_text(o, "t", buf, sizeof buf), "true");
    json_decref(o);
}

/* ---- Philly across the change of the clocks ---------------------------------------------------- */

/* A job each ten minutes of real time from 2017-11-04 20:00 to 2017-11-05 08:00 in Los Angeles, each with its own run time. The clock shows one
 * hour twice, so its jobs are told apart by nothing: the earlier is taken, and each of the later hour falls on one of the earlier. */
static void no_hour_is_lost_and_no_time_goes_back(void)
{
    struct gs_zone z;
    struct gs_buf text = {0};
    CU_ASSERT_EQUAL_FATAL(gs_zone_parse("America/Los_Angeles", &z, NULL), GS_OK);
    int64_t from = 0;
    CU_ASSERT_EQUAL_FATAL(gs_parse_clock("2017-11-04T20:00:00-07:00", 0, &from, NULL), GS_OK);
    gs_buf_str(&text, "timestamp,duration,num_gpus,gpu_time,cluster\n");

    enum {
        JOBS = 13 * 6 + 1
    };

    for (int i = 0; i < JOBS; i++) {
        char clock[64];
        (void)gs_show_clock(gs_zone_local(&z, from + i * 600 * GS_SECOND), 0, clock, sizeof clock);
        clock[10] = ' ';
        clock[19] = '\0';
        gs_buf_fmt(&text, "%s,%d,1,%d,vc\n", clock, i + 1, i + 1);
    }
    for (int later = 0; later < 2; later++) {
        struct gs_input in;
        struct gs_err err = {0};
        struct gs_intern str;
        struct gs_workload w;
        struct gs_trace_options o;
        struct gs_trace_counts n;
        gs_intern_init(&str);
        gs_workload_init(&w, &str);
        gs_trace_options_init(&o);
        o.ambiguous = later ? GS_AMBIGUOUS_LATER : GS_AMBIGUOUS_EARLIER;
        CU_ASSERT_EQUAL_FATAL(gs_input_from(&in, text.s, text.n, "t", &err), GS_OK);
        CU_ASSERT_EQUAL_FATAL(gs_trace_read_input(&w, 0, &o, &in, &n, &err), GS_OK);
        GS_EQ_STR(n.zone, "America/Los_Angeles");
        GS_EQ_INT(n.emitted, JOBS);
        GS_EQ_INT(n.ambiguous_local, 12);
        GS_EQ_INT(n.missing_local, 0);
        GS_EQ_INT(n.origin_unix_ns, from);
        GS_EQ_INT(n.origin_offset_s, -7 * 3600);
        for (size_t i = 0; i < w.jobs.n; i++) {
            const int64_t real = (int64_t)i * 600 * GS_SECOND;
            const int64_t hour = 3600 * GS_SECOND;
            const int first = i >= 30 && i < 36;  /* 01:00 to 01:59, daylight time */
            const int second = i >= 36 && i < 42; /* the same, standard time */
            const int64_t expected = second && !later ? real - hour
                                     : first && later ? real + hour
                                                      : real;
            CU_ASSERT_TRUE(w.jobs.v[i].submit_ns >= 0);
            GS_EQ_INT(w.jobs.v[i].submit_ns, expected);
        }
        GS_EQ_INT(w.jobs.v[JOBS - 1].submit_ns,
                  13 * INT64_C(3600) * GS_SECOND); /* 13 h, shown as 12 */
        gs_workload_release(&w);
        gs_intern_release(&str);
        gs_input_close(&in);
    }
    gs_buf_free(&text);
}

static const struct gs_test tests[] = {
    {"CSV rows", rows_with_and_without_quotes_are_alike},
    {"decimals", decimals_are_split_and_rounded},
    {"figures", every_figure_is_right},
    {"faults of figures", a_figure_needs_its_numbers},
    {"JSON elements", elements_come_one_by_one},
    {"JSON members", members_are_texts},
    {"Philly across the change of the clocks", no_hour_is_lost_and_no_time_goes_back},
};
GS_TEST_MAIN("traces/table", tests)

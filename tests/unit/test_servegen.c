/* test_servegen.c - requests drawn from a ServeGen client's parameters: how many, how far apart, how long; and what is refused. */
#include "sim/base/units.h"
#include "tests/unit/harness.h"
#include "traces/reader.h"

#include <math.h>

#define WINDOW_NS (600 * GS_SECOND)

static const char two_windows[] = "0,0.01,1,Gamma,1,100\n600,0.02,1,Gamma,1,50\n";
static const char lengths[] = "{\"0\": {\"input_tokens\": \"{10: 0.5, 20: 0.5}\","
                              "\"output_tokens\": \"{7: 1.0}\", \"reason_ratio\": \"{0.5: 1}\"}}";

struct got {
    struct gs_intern str;
    struct gs_trace_options o;
    struct gs_trace_counts n;
    struct gs_err err;
    struct gs_workload w;
    GS_VEC(struct gs_call) calls;
    char path[512];
};

static enum gs_rc keep(void *ctx, const struct gs_call *c, const uint64_t *blocks,
                       struct gs_err *err)
{
    (void)blocks;
    (void)err;
    gs_vec_push(&((struct got *)ctx)->calls, *c);
    return GS_OK;
}

static void begin(struct got *g)
{
    memset(g, 0, sizeof *g);
    gs_intern_init(&g->str);
    gs_workload_init(&g->w, &g->str);
    gs_trace_options_init(&g->o);
    g->o.prefill_rate = g->o.decode_rate = 100;
}

static void end(struct got *g)
{
    gs_vec_free(&g->calls);
    gs_workload_release(&g->w);
    gs_intern_release(&g->str);
}

/* Writes NAME-trace.csv and, unless NULL, the data set beside it. */
static void put(struct got *g, const char *name, const char *trace, const char *set)
{
    char file[64];
    (void)snprintf(file, sizeof file, "%s-dataset.json", name);
    if (set)
        (void)gs_test_write(file, set, strlen(set), g->path, sizeof g->path);
    (void)snprintf(file, sizeof file, "%s-trace.csv", name);
    g->o.path = gs_test_write(file, trace, strlen(trace), g->path, sizeof g->path);
}

static enum gs_rc scan(struct got *g)
{
    const struct gs_sink sink = {.ctx = g, .call = keep};
    gs_vec_clear(&g->calls);
    const enum gs_rc rc = gs_trace_scan(&g->o, &g->str, &sink, &g->n, &g->err);
    CU_ASSERT_TRUE(rc != GS_OK || g->n.rows == g->n.emitted + g->n.skipped);
    CU_ASSERT_TRUE(rc != GS_OK || g->n.records == g->calls.n);
    return rc;
}

/* ---- Arrivals ---------------------------------------------------------------------------------- */

struct gaps {
    double n, sum, squares;
};

/* The gaps inside windows of `each` requests. */
static struct gaps measure(const struct got *g, size_t each)
{
    struct gaps m = {0};
    for (size_t i = 0; i < g->calls.n; i++) {
        const struct gs_call *c = &g->calls.v[i];
        const int64_t start = (int64_t)(i / each) * WINDOW_NS;
        CU_ASSERT_TRUE(c->arrival_ns >= start && c->arrival_ns <= start + WINDOW_NS);
        if (i % each == 0)
            continue;
        const double x = (double)(c->arrival_ns - g->calls.v[i - 1].arrival_ns) / 1e9;
        m.n++;
        m.sum += x;
        m.squares += x * x;
    }
    return m;
}

/* 300 windows of 300 requests: the count is exact, the gaps have the law's mean and coefficient of variation. */
static void gaps_follow_the_row(void)
{
    static const struct {
        const char *family;
        double shape, scale, cv;
    } laws[] = {
        {"Gamma", 4, 0.5, 0.5}, {"Gamma", 0.5, 4, 1.41421356},
        {"Weibull", 1, 2, 1},   {"Weibull", 2, 2.25675833, 0.52272320},
        {"", 0, 0, 1},
    };

    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        struct gs_buf text = {0};
        for (int k = 0; k < 300; k++)
            gs_buf_fmt(&text, "%d,0.5,%g,%s,%.9g,%.9g\r\n", k * 600, laws[i].cv, laws[i].family,
                       laws[i].shape, laws[i].scale);
        struct got g;
        begin(&g);
        put(&g, "law", gs_buf_cstr(&text), NULL);
        CU_ASSERT_EQUAL_FATAL(scan(&g), GS_OK);
        GS_EQ_INT(g.calls.n, 300 * 300);
        GS_EQ_INT(g.n.rows, 300);
        GS_EQ_INT(g.n.emitted, 300);
        GS_EQ_INT(g.n.out_of_order, 0);
        const struct gaps m = measure(&g, 300);
        const double mean = m.sum / m.n;
        const double cv = sqrt(m.squares / m.n - mean * mean) / mean;
        CU_ASSERT_DOUBLE_EQUAL(mean, 2,
                               0.08); /* windows that overran are squeezed, others not stretched */
        CU_ASSERT_DOUBLE_EQUAL(cv, laws[i].cv, 0.02 * laws[i].cv);
        end(&g);
        gs_buf_free(&text);
    }
}

static void longer_gaps_are_squeezed_and_shorter_ones_leave_silence(void)
{
    struct got g;
    begin(&g);
    put(&g, "fit", "0,0.5,0.1,Gamma,100,0.2\n600,0.5,0.1,Gamma,100,0.002\n1200,0,0,,0,0\n", NULL);
    CU_ASSERT_EQUAL_FATAL(scan(&g), GS_OK);
    GS_EQ_INT(g.calls.n, 600);
    CU_ASSERT_TRUE(g.calls.v[299].arrival_ns > 590 * GS_SECOND); /* 6000 s in 600 */
    CU_ASSERT_TRUE(g.calls.v[299].arrival_ns < 600 * GS_SECOND);
    CU_ASSERT_TRUE(g.calls.v[599].arrival_ns < 665 * GS_SECOND); /* 300 gaps of 0.2 s */
    GS_EQ_INT(g.n.emitted, 3);
    GS_EQ_STR(g.n.assumed[0].what,
              "window whose gaps are longer than its rate allows: squeezed into it");
    GS_EQ_INT(g.n.assumed[0].n, 1);
    end(&g);
}

static void draws_depend_on_seed_and_row_alone(void)
{
    struct got a;
    struct got b;
    begin(&a);
    begin(&b);
    put(&a, "one", two_windows, lengths);
    put(&b, "two", strchr(two_windows, '\n') + 1,
        lengths); /* another name, the second window only */
    CU_ASSERT_EQUAL_FATAL(scan(&a), GS_OK);
    CU_ASSERT_EQUAL_FATAL(scan(&b), GS_OK);
    GS_EQ_INT(a.calls.n, 18);
    GS_EQ_INT(b.calls.n, 12);
    for (size_t i = 0; i < b.calls.n; i++) {
        GS_EQ_INT(a.calls.v[6 + i].arrival_ns, b.calls.v[i].arrival_ns);
        GS_EQ_INT(a.calls.v[6 + i].input, b.calls.v[i].input);
    }
    b.o.seed = 2;
    CU_ASSERT_EQUAL_FATAL(scan(&b), GS_OK);
    CU_ASSERT_NOT_EQUAL(a.calls.v[6].arrival_ns, b.calls.v[0].arrival_ns);
    end(&a);
    end(&b);
}

static void odd_parameters_are_told(void)
{
    static const struct {
        const char *row, *says;
    } bad[] = {
        {"0,0.5,1,Gamma,-1,2\n", "column 'shape': '-1' is negative"},
        {"0,1e9,1,Gamma,1,2\n", "column 'rate': '1e9' is absurdly large"},
        {"0,0.5,1,Wei,1,2\n", "column 'family': 'Wei' is not a known family"},
        {"0,0.5,1,Gamma,1\n", "5 fields"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct got g;
        begin(&g);
        g.o.format = "servegen";
        put(&g, "bad", bad[i].row, NULL);
        CU_ASSERT_EQUAL(scan(&g), GS_E_INPUT);
        CU_ASSERT_PTR_NOT_NULL(strstr(g.err.msg, bad[i].says));
        end(&g);
    }
    static const char *const extreme[] = {
        "0,0.5,1,Gamma,1e-9,1e200\n", "0,0.5,1,Gamma,1e6,1e-200\n", "0,0.5,1,Weibull,1e-9,1e-200\n",
        "0,0.5,1,Weibull,1e300,1e300\n", "0,0.5,nan,Gamma,nan,0\n"};
    for (size_t i = 0; i < sizeof extreme / sizeof *extreme; i++) {
        struct got g;
        begin(&g);
        g.o.format = "servegen";
        put(&g, "extreme", extreme[i], NULL);
        CU_ASSERT_EQUAL_FATAL(scan(&g), GS_OK);
        GS_EQ_INT(g.calls.n, 300);
        (void)measure(&g, 300);
        end(&g);
    }
}

/* ---- Lengths ----------------------------------------------------------------------------------- */

/* Windows of six hours: the first is empty and takes the second's, the third takes the second's too. */
static void lengths_come_from_the_window(void)
{
    static const char set[] =
        "{\"0\": {}, \"43200\": {},"
        "\"21600\": {\"input_tokens\": \"{10: 0.25, 30: 0.75}\", \"output_tokens\": \"{5: 1.0}\"},"
        "\"64800\": {\"text_tokens\": \"{100: 1.0}\", \"image_tokens\": \"{0: 0.5, 1000: 0.5}\","
        " \"image_count\": \"{1: 1.0}\", \"output_tokens\": \"{6: 8.1e-05, 7: 0.999919}\"}}";
    static const int64_t starts[] = {0, 21600, 43200, 64800, 86400};
    struct gs_buf text = {0};
    for (size_t i = 0; i < 5; i++)
        gs_buf_fmt(&text, "%lld,2,1,Gamma,1,0.5\n", (long long)starts[i]);
    struct got g;
    begin(&g);
    put(&g, "mm", gs_buf_cstr(&text), set);
    CU_ASSERT_EQUAL_FATAL(scan(&g), GS_OK);
    GS_EQ_INT(g.calls.n, 6000);
    int at_30 = 0;
    int with_image = 0;
    for (size_t i = 0; i < g.calls.n; i++) {
        const struct gs_call *c = &g.calls.v[i];
        if (i < 3600) {
            CU_ASSERT_TRUE((c->input == 10 || c->input == 30) && c->output == 5);
            at_30 += c->input == 30;
        } else {
            CU_ASSERT_TRUE((c->input == 100 || c->input == 1100) && c->output >= 6 &&
                           c->output <= 7);
            with_image += c->input == 1100;
        }
    }
    CU_ASSERT_DOUBLE_EQUAL(at_30 / 3600.0, 0.75, 0.03);
    CU_ASSERT_DOUBLE_EQUAL(with_image / 2400.0, 0.5, 0.04);
    GS_EQ_INT(g.n.nassumed >= 2, 1);
    GS_EQ_INT(g.n.assumed[g.n.nassumed - 2].n, 2400); /* borrowed: the first and the third window */
    GS_EQ_INT(g.n.assumed[g.n.nassumed - 1].n, 2400); /* summed: the last two */
    end(&g);
    gs_buf_free(&text);
}

static void damaged_sets_are_refused(void)
{
    static const char *const sets[] = {"[1]",
                                       "{\"x\": {}}",
                                       "{\"0\": 1}",
                                       "{\"0\": {\"input_tokens\": 3}}",
                                       "{\"0\": {\"input_tokens\": \"10: 1\"}}",
                                       "{\"0\": {\"input_tokens\": \"{10: 1\"}}",
                                       "{\"0\": {\"input_tokens\": \"{10: -1}\"}}",
                                       "{\"0\": {\"input_tokens\": \"{10: 9}\"}}",
                                       "{\"0\": {\"input_tokens\": \"{10, 11}\"}}",
                                       "{\"0\": {\"input_tokens\": \"{:}\"}}",
                                       "{\"0\": {\"input_tokens\": \"{10: 1} x\"}}",
                                       "{\"0\": {\"output_tokens\": \"{99999999999: 1}\"}}"};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct got g;
        begin(&g);
        put(&g, "damaged", two_windows, sets[i]);
        CU_ASSERT_EQUAL(scan(&g), GS_E_INPUT);
        CU_ASSERT_PTR_NOT_NULL(strstr(g.err.msg, "damaged-dataset.json"));
        end(&g);
    }
}

/* ---- As jobs ----------------------------------------------------------------------------------- */

static void jobs_need_lengths(void)
{
    struct got g;
    begin(&g);
    put(&g, "alone", two_windows, NULL);
    CU_ASSERT_EQUAL_FATAL(scan(&g), GS_OK);
    GS_EQ_INT(g.calls.v[0].input, -1);
    GS_EQ_INT(g.calls.v[0].output, -1);
    CU_ASSERT_PTR_NOT_NULL(strstr(g.n.assumed[g.n.nassumed - 1].what, "alone-dataset.json"));
    CU_ASSERT_EQUAL(gs_trace_read(&g.w, 0, &g.o, &g.n, &g.err), GS_E_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(g.err.msg, "there is no "));
    CU_ASSERT_PTR_NOT_NULL(strstr(g.err.msg, "alone-dataset.json or .json.gz"));
    put(&g, "alone", two_windows, "{\"0\": {}}");
    CU_ASSERT_EQUAL(gs_trace_read(&g.w, 0, &g.o, &g.n, &g.err), GS_E_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(g.err.msg, "alone-dataset.json holds none"));
    put(&g, "alone", two_windows, lengths);
    CU_ASSERT_EQUAL_FATAL(gs_trace_read(&g.w, 0, &g.o, &g.n, &g.err), GS_OK);
    GS_EQ_INT(g.w.jobs.n, 18);
    GS_EQ_INT(g.n.records, 18);
    for (size_t i = 0; i < g.w.jobs.n; i++) {
        const int64_t run = g.w.jobs.v[i].run_ns;
        CU_ASSERT_TRUE(run == 170000000 || run == 270000000); /* 10 or 20 and 7 tokens at 100/s */
    }
    end(&g);
}

/* A client of 72 million requests a day and more is no list of jobs; its begin is, and only that is drawn. */
static void what_is_not_asked_for_is_not_drawn(void)
{
    struct gs_buf text = {0};
    for (int k = 0; k < 2016; k++)
        gs_buf_fmt(&text, "%d,900,1,Gamma,1,%.9g\n", 600 * k, 1.0 / 900);
    struct got g;
    begin(&g);
    put(&g, "huge", gs_buf_cstr(&text), lengths);
    CU_ASSERT_EQUAL(gs_trace_read(&g.w, 0, &g.o, &g.n, &g.err), GS_E_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(g.err.msg, "stands for 1088640000 requests"));
    CU_ASSERT_PTR_NOT_NULL(strstr(g.err.msg, "first = N or to = TIME"));
    g.o.first = 100;
    CU_ASSERT_EQUAL_FATAL(gs_trace_read(&g.w, 0, &g.o, &g.n, &g.err), GS_OK);
    GS_EQ_INT(g.w.jobs.n, 100);
    GS_EQ_INT(g.n.rows, 2016);
    GS_EQ_INT(g.n.emitted, 1);
    GS_EQ_INT(g.n.records, 100);
    g.o.first = 0;
    g.o.to_ns = GS_SECOND;
    CU_ASSERT_EQUAL_FATAL(gs_trace_read(&g.w, 0, &g.o, &g.n, &g.err), GS_OK);
    GS_EQ_INT(g.n.emitted, 1);
    CU_ASSERT_TRUE(g.n.records > 780 && g.n.records < 1020);
    g.o.from_ns = GS_SECOND / 2; /* what comes before it is drawn and left out */
    CU_ASSERT_EQUAL_FATAL(gs_trace_read(&g.w, 0, &g.o, &g.n, &g.err), GS_OK);
    CU_ASSERT_TRUE(g.n.records > 370 && g.n.records < 530);
    GS_EQ_STR(g.n.assumed[g.n.nassumed - 1].what, "before 'from'");
    end(&g);
    gs_buf_free(&text);
}

static void info_draws_nothing(void)
{
    struct got g;
    begin(&g);
    put(&g, "info", two_windows, NULL);
    struct gs_trace_summary s;
    CU_ASSERT_EQUAL_FATAL(gs_trace_info(&g.o, &s, &g.err), GS_OK);
    GS_EQ_INT(s.calls, 0);
    GS_EQ_INT(s.n.records, 0);
    GS_EQ_INT(s.n.emitted, 2);
    GS_EQ_STR(s.figures.v[s.figures.n - 1].name, "requests");
    GS_EQ_STR(s.figures.v[s.figures.n - 1].value, "18");
    gs_trace_summary_release(&s);
    end(&g);
}

static const struct gs_test tests[] = {
    {"gaps follow the row", gaps_follow_the_row},
    {"longer gaps are squeezed", longer_gaps_are_squeezed_and_shorter_ones_leave_silence},
    {"seed and row alone", draws_depend_on_seed_and_row_alone},
    {"odd parameters", odd_parameters_are_told},
    {"lengths come from the window", lengths_come_from_the_window},
    {"damaged sets", damaged_sets_are_refused},
    {"jobs need lengths", jobs_need_lengths},
    {"not asked for, not drawn", what_is_not_asked_for_is_not_drawn},
    {"info draws nothing", info_draws_nothing},
};

GS_TEST_MAIN("traces/servegen", tests)

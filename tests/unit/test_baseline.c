/* Baselines: what is read, what is refused and where, what counts as a move, and what --bless keeps. */
#include "analysis/baseline.h"
#include "analysis/expect.h"
#include "harness.h"

#include <math.h>

static const char good[] = "# nightly\n"
                           "gsim 0.1.0\n"
                           "scenario 00ff\n"
                           "input a/jobs.csv 77ab\n"
                           "digest 0x1\n"
                           "\n"
                           "jobs.wait.mean 123.4 s ±1% lower\n"
                           "gpu.allocation 0.7 +-0.05   # of all\n"
                           "jobs.wait.p95{queue=prod, kind=training}\t60 s +/-10% fixed\n"
                           "verdict stable\n"
                           "jobs.rejected 0\n";

static void reads_all_forms(void)
{
    struct gs_baseline b;
    CU_ASSERT_EQUAL_FATAL(gs_baseline_parse(&b, "x.baseline", good, NULL), GS_OK);
    GS_EQ_STR(b.version, "0.1.0");
    GS_EQ_STR(b.scenario, "00ff");
    GS_EQ_STR(b.digest, "0x1");
    GS_EQ_INT(b.inputs.n, 1);
    GS_EQ_INT(b.figures.n, 5);
    const struct gs_baseline_figure *f = b.figures.v;
    GS_NEAR(f[0].value, 123.4, 0);
    GS_NEAR(f[0].tolerance, 0.01, 1e-15);
    GS_EQ_INT(f[0].relative, 1);
    GS_EQ_INT(f[0].good, GS_GOOD_LOWER);
    GS_EQ_INT(f[1].good, GS_GOOD_HIGHER); /* the metric table's word */
    GS_EQ_INT(f[1].relative, 0);
    GS_NEAR(f[1].tolerance, 0.05, 1e-15);
    GS_EQ_STR(f[2].expr, "jobs.wait.p95{queue=prod, kind=training}");
    GS_EQ_INT(f[2].good, GS_GOOD_FIXED);
    GS_NEAR(f[3].value, GS_VERDICT_STABLE, 0);
    GS_EQ_INT(f[4].line, 11);
    gs_baseline_release(&b);
}

static void refuses_with_the_line(void)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"# ok\njobs.wait.meen 3 s\n",
         "x.baseline:2: unknown metric 'jobs.wait.meen', did you mean"},
        {"\n\njobs.wait.mean 3\n",
         "x.baseline:3: jobs.wait.mean: the value must be followed by its unit, 's'"},
        {"jobs.wait.mean fast s\n", "x.baseline:1: jobs.wait.mean: 'fast' is not a value"},
        {"jobs.wait.mean\n", "x.baseline:1: jobs.wait.mean: '' is not a value"},
        {"jobs.rejected 1 2\n", "'2' is neither a tolerance"},
        {"jobs.rejected 1 ±-1%\n", "is neither a tolerance"},
        {"jobs.rejected 1 ±1% upward\n", "'upward' is neither a tolerance"},
        {"jobs.rejected 1\njobs.rejected 1\n",
         "x.baseline:2: jobs.rejected stands twice, first in line 1"},
        {"verdict good\n", "verdict: 'good' is not a value"},
        {"a b c d e f g h i\n", "x.baseline:1: too long a line, or too many words"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct gs_baseline b;
        struct gs_err err = {0};
        CU_ASSERT_EQUAL(gs_baseline_parse(&b, "x.baseline", bad[i].text, &err), GS_E_INPUT);
        GS_HAS(err.msg, bad[i].says);
        gs_baseline_release(&b);
    }
}

static enum gs_move move(double was, double tolerance, int relative, enum gs_good way, double now)
{
    const struct gs_baseline_figure f = {
        .value = was, .tolerance = tolerance, .relative = relative, .good = way};
    return gs_baseline_judge(&f, now);
}

static void judges_moves(void)
{
    GS_EQ_INT(move(100, 0.01, 1, GS_GOOD_LOWER, 100.9), GS_MOVE_NONE);
    GS_EQ_INT(move(100, 0.01, 1, GS_GOOD_LOWER, 101.1), GS_MOVE_WORSE);
    GS_EQ_INT(move(100, 0.01, 1, GS_GOOD_LOWER, 98), GS_MOVE_BETTER);
    GS_EQ_INT(move(100, 0.01, 1, GS_GOOD_HIGHER, 98), GS_MOVE_WORSE);
    GS_EQ_INT(move(100, 0.01, 1, GS_GOOD_FIXED, 98), GS_MOVE_WORSE);
    GS_EQ_INT(move(100, 5, 0, GS_GOOD_LOWER, 104), GS_MOVE_NONE);
    GS_EQ_INT(move(0, 0.01, 1, GS_GOOD_LOWER, 1),
              GS_MOVE_WORSE); /* one per cent of nothing is nothing */
    GS_EQ_INT(move(1.0 / 3, 0, 1, GS_GOOD_LOWER, 0.333333333), GS_MOVE_NONE); /* nine digits */
    GS_EQ_INT(move(100, 0.01, 1, GS_GOOD_LOWER, (double)NAN), GS_MOVE_WORSE);
    GS_EQ_INT(move((double)NAN, 0.01, 1, GS_GOOD_LOWER, (double)NAN), GS_MOVE_NONE);
    GS_EQ_INT(move(100, 0.01, 1, GS_GOOD_LOWER, (double)INFINITY), GS_MOVE_WORSE);
    GS_EQ_INT(move((double)INFINITY, 0, 1, GS_GOOD_LOWER, (double)INFINITY), GS_MOVE_NONE);
    GS_EQ_INT(move((double)INFINITY, 0.01, 1, GS_GOOD_LOWER, 7), GS_MOVE_BETTER);
}

static void facts(struct gs_baseline *now, const char *scenario, const char *input)
{
    *now = (struct gs_baseline){
        .version = gs_strdup("9.9.9"), .scenario = gs_strdup(scenario), .digest = gs_strdup("0x2")};
    gs_baseline_add_input(now, "a/jobs.csv", input);
}

static void says_when_stale(void)
{
    struct gs_baseline b, now;
    char why[200] = "";
    CU_ASSERT_EQUAL_FATAL(gs_baseline_parse(&b, "x", good, NULL), GS_OK);
    facts(&now, "00ff", "77ab");
    GS_EQ_INT(gs_baseline_stale(&b, &now, why, sizeof why), 0); /* another version is no reason */
    gs_baseline_release(&now);
    facts(&now, "00fe", "77ab");
    GS_EQ_INT(gs_baseline_stale(&b, &now, why, sizeof why), 1);
    GS_HAS(why, "scenario has changed");
    gs_baseline_release(&now);
    facts(&now, "00ff", "77ac");
    GS_EQ_INT(gs_baseline_stale(&b, &now, why, sizeof why), 1);
    GS_HAS(why, "a/jobs.csv has changed");
    gs_baseline_release(&now);
    gs_baseline_release(&b);
}

static void bless_keeps_what_people_wrote(void)
{
    struct gs_baseline b, now, again;
    struct gs_buf text = {0}, twice = {0};
    const double values[] = {200, 0.5, 61, GS_VERDICT_SATURATED, 3};
    CU_ASSERT_EQUAL_FATAL(gs_baseline_parse(&b, "x", good, NULL), GS_OK);
    facts(&now, "1234", "beef");
    gs_baseline_write(&b, &now, values, "x.ini", &text);
    GS_HAS(text.s, "# nightly\ngsim 9.9.9\nscenario 1234\ninput a/jobs.csv beef\ndigest 0x2\n\n");
    GS_HAS(text.s, "# of all\n");
    CU_ASSERT_EQUAL_FATAL(gs_baseline_parse(&again, "x", text.s, NULL), GS_OK);
    GS_EQ_INT(again.figures.n, 5);
    for (size_t i = 0; i < again.figures.n; i++) {
        GS_EQ_STR(again.figures.v[i].expr, b.figures.v[i].expr);
        GS_NEAR(again.figures.v[i].value, values[i], 0);
        GS_NEAR(again.figures.v[i].tolerance, b.figures.v[i].tolerance, 1e-12);
        GS_EQ_INT(again.figures.v[i].good, b.figures.v[i].good);
    }
    gs_baseline_write(&again, &now, values, "x.ini", &twice);
    GS_EQ_STR(twice.s, text.s); /* once is enough */
    gs_buf_free(&text);
    gs_buf_free(&twice);
    gs_baseline_release(&again);
    gs_baseline_release(&now);
    gs_baseline_release(&b);
}

static void a_first_baseline_reads_back(void)
{
    struct gs_baseline b = {0}, now, again;
    struct gs_buf text = {0};
    size_t nm = 0;
    (void)gs_metric_table(&nm);
    double *table = GS_NEW_N(double, nm), v[64];
    for (size_t i = 0; i < nm; i++)
        table[i] = i % 5 ? 1 + (double)i / 7 : (double)NAN;
    table[gs_metric_named("verdict", NULL) - gs_metric_table(&nm)] = GS_VERDICT_TRANSIENT;
    gs_baseline_first(&b, table);
    CU_ASSERT(b.figures.n > 5 && b.figures.n < 20);
    for (size_t i = 0; i < b.figures.n; i++)
        v[i] = b.figures.v[i].value;
    facts(&now, "1", "2");
    gs_baseline_write(&b, &now, v, "x.ini", &text);
    CU_ASSERT_EQUAL(gs_baseline_parse(&again, "x", text.s, NULL), GS_OK);
    GS_EQ_INT(again.figures.n, b.figures.n);
    for (size_t i = 0; i < again.figures.n; i++)
        GS_EQ_INT(gs_baseline_judge(&again.figures.v[i], v[i]), GS_MOVE_NONE);
    gs_free(table);
    gs_buf_free(&text);
    gs_baseline_release(&again);
    gs_baseline_release(&now);
    gs_baseline_release(&b);
}

static void a_stale_one_names_the_sections(void)
{
    static const char was[] =
        "scenario 00ff\nsection 0a0a0a0a [scenario]\nsection 0b0b0b0b [nodes a]\n"
        "section 0c0c0c0c [workload gone]\njobs.rejected 0\n";
    struct gs_baseline b, now = {0}, again;
    struct gs_buf text = {0};
    const double zero[] = {0};
    char why[200];
    CU_ASSERT_EQUAL_FATAL(gs_baseline_parse(&b, "x.baseline", was, NULL), GS_OK);
    GS_EQ_INT(b.sections.n, 3);
    now.version = gs_strdup("0.1.0");
    now.scenario = gs_strdup("0100");
    now.digest = gs_strdup("0x1");
    gs_baseline_add_section(&now, "[scenario]", "0a0a0a0a");
    gs_baseline_add_section(&now, "[nodes a]", "0d0d0d0d");
    GS_EQ_INT(gs_baseline_stale(&b, &now, why, sizeof why), 1);
    GS_EQ_STR(why, "the scenario has changed since it was blessed, in [nodes a], [workload gone]");
    gs_baseline_write(&b, &now, zero, "x.ini", &text); /* blessed: no longer stale */
    CU_ASSERT_EQUAL_FATAL(gs_baseline_parse(&again, "x.baseline", text.s, NULL), GS_OK);
    GS_EQ_INT(again.sections.n, 2);
    GS_EQ_INT(gs_baseline_stale(&again, &now, why, sizeof why), 0);
    gs_buf_free(&text);
    gs_baseline_release(&again);
    gs_baseline_release(&b);
    gs_baseline_release(&now);
}

static const struct gs_test tests[] = {
    {"a stale one names the sections", a_stale_one_names_the_sections},
    {"reads all forms", reads_all_forms},
    {"refuses with the line", refuses_with_the_line},
    {"judges moves", judges_moves},
    {"says when stale", says_when_stale},
    {"bless keeps what people wrote", bless_keeps_what_people_wrote},
    {"a first baseline reads back", a_first_baseline_reads_back},
};
GS_TEST_MAIN("analysis/baseline", tests)

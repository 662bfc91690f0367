/* What a check tells: exit statuses in order of gravity, XML that any text survives; and what makes a scenario another one. */
#include "analysis/effective.h"
#include "analysis/verdicts.h"
#include "harness.h"

static int exit_of(int a, int b)
{
    const struct gs_checked c[2] = {{.exit_status = a}, {.exit_status = b}};
    return gs_checked_exit(c, 2);
}

static void the_gravest_status_wins(void)
{
    GS_EQ_INT(exit_of(0, 0), 0);
    GS_EQ_INT(exit_of(0, 125), 125);
    GS_EQ_INT(exit_of(125, 1), 1); /* a failure is certain */
    GS_EQ_INT(exit_of(1, 3), 3);
    GS_EQ_INT(exit_of(3, 4), 4);
    GS_EQ_INT(exit_of(4, 2), 2);
    GS_EQ_INT(exit_of(2, 130), 130);
}

static void any_text_survives(void)
{
    struct gs_checked c = {.scenario = gs_strdup("a<b>&\"c\".ini"), .exit_status = 1};
    struct gs_buf xml = {0}, md = {0};
    gs_checked_add(&c, &(struct gs_case){.status = GS_CASE_FAIL,
                                         .kind = "expect",
                                         .name = "jobs.wait.p95{queue=a|b} <= 3s",
                                         .now = "4 s\n\x01\xf6\x7f\xc3\xb6 `&"});
    gs_checked_junit(&c, 1, &xml);
    GS_HAS(xml.s, "a&lt;b&gt;&amp;&quot;c&quot;.ini");
    GS_HAS(xml.s, "{queue=a|b} &lt;= 3s");
    GS_HAS(xml.s, "message=\"4 s&#10;???\xc3\xb6 `&amp;\"");
    gs_checked_markdown(&c, 1, &md);
    GS_HAS(md.s, "queue=a\\|b}");
    GS_HAS(md.s, "4 s ???\xc3\xb6 \\`\\&");
    gs_buf_free(&xml);
    gs_buf_free(&md);
    gs_checked_release(&c);
}

static void what_could_not_be_told_is_no_pass(void)
{
    struct gs_checked c = {.scenario = gs_strdup("x.ini"), .blind = gs_strdup("replications = 2")};
    struct gs_buf text = {0}, xml = {0};
    gs_checked_add(&c, &(struct gs_case){.status = GS_CASE_PASS, .kind = "against", .name = "a"});
    gs_checked_add(&c, &(struct gs_case){.status = GS_CASE_UNTOLD, .kind = "against", .name = "b"});
    gs_checked_text(&c, 1, &text);
    GS_HAS(text.s, "x.ini: ok, 1 hold, 1 could not be told (replications = 2)");
    gs_checked_add(&c, &(struct gs_case){.status = GS_CASE_UNJUDGED, .kind = "run", .name = "c"});
    gs_checked_junit(&c, 1, &xml); /* a stale baseline must not look green */
    GS_HAS(xml.s, "tests=\"3\" failures=\"0\" errors=\"1\" skipped=\"1\"");
    gs_buf_free(&text);
    gs_buf_free(&xml);
    gs_checked_release(&c);
}

static const char one[] =
    "[scenario]\nname = x ; a.ini:2\nseed = 1 ; a.ini:3\nwarmup = 0s ; default\n\n"
    "[nodes n]\ncount = 2 ; a.ini:5\nlabels.long = a b\n    c d ; a.ini:6\n\n"
    "[output]\nseries = 60s ; a.ini:9\n";

static void origins_defaults_and_names_do_not_count(void)
{
    static const char two[] =
        "[scenario]\nname = other ; b.ini:12\nseed = 1 ; --set\nnew_key = 7 ; default\n\n"
        "[nodes n]\ncount = 2 ; b.ini:15\nlabels.long = a b c d ; b.ini:16\n\n"
        "[output]\nseries = 5s ; b.ini:19\n\n[expect]\njobs.rejected = 0 ; b.ini:21\n";
    struct gs_buf lines = {0};
    char a[33], b[33];
    gs_effective_lines(one, &lines);
    GS_EQ_STR(lines.s,
              "[scenario] seed = 1\n[nodes n] count = 2\n[nodes n] labels.long = a b c d\n");
    gs_effective_digest(one, a);
    gs_effective_digest(two, b);
    GS_EQ_STR(a, b);
    gs_buf_free(&lines);
}

static void what_differs_is_named(void)
{
    static const char two[] = "[scenario]\nseed = 2 ; b.ini:1\n[nodes n]\ncount = 3 ; b.ini:5\n"
                              "labels.long = a b c d ; b.ini:6\n[policy]\norder = sjf ; b.ini:8\n"
                              "[workload w]\ncount = 1 ; b.ini:9\n";
    struct gs_buf out = {0};
    char a[33], b[33];
    gs_effective_sections(one, two, &out);
    GS_EQ_STR(out.s, "[nodes n], [workload w]"); /* seeds and policies are what one compares */
    gs_effective_digest(one, a);
    gs_effective_digest(two, b);
    CU_ASSERT(strcmp(a, b) != 0);
    gs_buf_free(&out);
    gs_effective_sections(one, one, &out);
    GS_EQ_STR(gs_buf_cstr(&out), "");
    gs_buf_free(&out);
}

static const struct gs_test tests[] = {
    {"the gravest status wins", the_gravest_status_wins},
    {"any text survives", any_text_survives},
    {"what could not be told is no pass", what_could_not_be_told_is_no_pass},
    {"origins, defaults and names do not count", origins_defaults_and_names_do_not_count},
    {"what differs is named", what_differs_is_named},
};
GS_TEST_MAIN("analysis/verdicts", tests)

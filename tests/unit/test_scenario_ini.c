/* test_scenario_ini.c - the grammar of scenario files: what the line source in front of inih lets through, and what it refuses. */
#include "tests/unit/scenario_help.h"

#define X10  "xxxxxxxxxx"
#define X100 X10 X10 X10 X10 X10 X10 X10 X10 X10 X10

/* A text that is refused, and all that is said of it. */
struct refusal {
    const char *what, *text, *heads;
};

static void check_refusals(const struct refusal *r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct gs_settings s;
        char heads[4096];
        GS_EQ_INT(load(&s, r[i].text), GS_E_INPUT);
        only_heads(gs_buf_cstr(&s.problems), heads, sizeof heads);
        gs_test_eq_str(heads, r[i].heads, r[i].what, __FILE__, __LINE__);
        gs_settings_release(&s);
    }
}

static void refuses_what_inih_would_cut_or_bend(void)
{
    static const struct refusal refusals[] = {
        {"a long line", LEAST "[scenario]\nname = " X100 X10 X10 X10 X10 X10 X10 X10 X10 X10 "xx\n",
         "s.ini:9: a line of 199 bytes (at most 198: continue it, an indented line adds to the value above)\n"},
        {"a long header", LEAST "[queue " X10 X10 X10 X10 "xxx]\n",
         "s.ini:8: a section header of 49 bytes (at most 48)\n"},
        {"a key with a colon", LEAST "[scenario]\na:b = 3\n", "s.ini:9: a key cannot hold ':'\n"},
        {"a colon for '='", LEAST "[scenario]\nseed: 3\n", "s.ini:9: expected 'key = value'\n"},
        {"no '='", LEAST "[scenario]\nseed\n", "s.ini:9: expected 'key = value'\n"},
        {"'=' in the comment", LEAST "[scenario]\nseed ; = 3\n",
         "s.ini:9: expected 'key = value'\n"},
        {"no key", LEAST "[scenario]\n= 3\n", "s.ini:9: a value without a key\n"},
        {"no value", LEAST "[scenario]\nseed =\n",
         "s.ini:9: [scenario] seed: has no value, expected a whole number\n"},
        {"no ']'", LEAST "[scenario\n", "s.ini:8: a section header without its ']'\n"},
        {"text after ']'", LEAST "[scenario] seed = 3\n",
         "s.ini:8: text after the section header\n"},
        {"an empty header", LEAST "[]\n",
         "s.ini:8: a section header is [kind] or [kind name], the name without blanks and quotes\n"},
        {"two names", LEAST "[queue a b]\n",
         "s.ini:8: a section header is [kind] or [kind name], the name without blanks and quotes\n"},
        {"a second section", LEAST "[nodes a]\n",
         "s.ini:8: a second section [nodes a] (the first is in line 1)\n"},
        {"a second key", LEAST "[scenario]\nseed = 1\nseed = 1\n",
         "s.ini:10: a second 'seed' in this section (the first is in line 9)\n"},
        {"a key before sections", "seed = 1\n" LEAST,
         "s.ini:1: a key before the first [section]\n"},
        {"an indented first key", LEAST "[scenario]\n  seed = 1\n",
         "s.ini:9: an indented line adds to the value above, and there is none (keys start in the first column)\n"},
    };
    check_refusals(refusals, sizeof refusals / sizeof *refusals);
}

static void a_line_may_have_198_bytes(void)
{
    struct gs_settings s;
    char line[400];
    (void)snprintf(line, sizeof line, "%s[scenario]\nname=%s%s\n", LEAST, X100,
                   X10 X10 X10 X10 X10 X10 X10 X10 X10 "xxx");
    if (load_good(&s, line))
        GS_EQ_INT(strlen(s.name), 193);
    gs_settings_release(&s);
}

static void values_end_at_comments_and_blanks(void)
{
    struct gs_settings s;
    if (load_good(&s,
                  "# a comment\n  ; another\n" LEAST
                  "[scenario] ; the run\nname =  a;b #c   ; a comment\r\ndescription=x=y:z\n")) {
        GS_EQ_STR(s.name, "a;b #c");
        GS_EQ_STR(s.description, "x=y:z");
    }
    gs_settings_release(&s);
}

static void indented_lines_add_to_the_value_above(void)
{
    struct gs_settings s;
    if (load_good(
            &s, LEAST
            "[scenario]\nname = one ; 1\n\n  two ; 2\n\t; only a comment\n   three=3\ndescription =\n  later\n")) {
        GS_EQ_STR(s.name, "one two three=3");
        GS_EQ_STR(s.description, "later");
    }
    gs_settings_release(&s);
}

static void a_last_line_needs_no_end(void)
{
    struct gs_settings s;
    if (load_good(&s, LEAST "[scenario]\nseed = 7"))
        GS_EQ_INT(s.seed, 7);
    gs_settings_release(&s);
}

static void a_byte_order_mark_is_skipped(void)
{
    struct gs_settings s;
    (void)load_good(&s, "\xef\xbb\xbf" LEAST);
    GS_EQ_INT(s.nodes.n, 1);
    gs_settings_release(&s);
}

static void files_that_are_no_text_are_refused_once(void)
{
    static const struct {
        const char *text;
        size_t n;
        const char *heads;
    } files[] = {
        {"", 0, "s.ini: is empty, expected a scenario\n"},
        {"[scenario]\nname = a\0b\n", 22,
         "s.ini:2: byte 0x00: this is not a text file (UTF-8 without control characters)\n"},
        {"\x89HDF\r\n\x1a\n", 8,
         "s.ini:1: byte 0x89: this is not a text file (UTF-8 without control characters)\n"},
        {"[a]\n\n\x1b[31m", 10,
         "s.ini:3: byte 0x1b: this is not a text file (UTF-8 without control characters)\n"},
        {"x = \xc0\xaf\n", 7,
         "s.ini:1: byte 0xc0: this is not a text file (UTF-8 without control characters)\n"},
    };

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct gs_settings s;
        char heads[1024];
        GS_EQ_INT(load_n(&s, files[i].text, files[i].n, NULL, 0), GS_E_INPUT);
        only_heads(gs_buf_cstr(&s.problems), heads, sizeof heads);
        GS_EQ_STR(heads, files[i].heads);
        gs_settings_release(&s);
    }
}

static void a_file_of_blanks_has_no_nodes_and_no_jobs(void)
{
    struct gs_settings s;
    char heads[1024];
    GS_EQ_INT(load(&s, "\n\n ; nothing\n"), GS_E_INPUT);
    only_heads(gs_buf_cstr(&s.problems), heads, sizeof heads);
    GS_EQ_STR(
        heads,
        "s.ini: the cluster has no nodes: add a section [nodes NAME] with a type and a count\n"
        "s.ini: there is nothing to run: add a section [trace NAME] or [workload NAME]\n");
    gs_settings_release(&s);
}

/* ---- files ---- */

static void expect_load_error(const char *path, const char *part)
{
    struct gs_settings s;
    struct gs_err err = {0};
    GS_EQ_INT(gs_settings_load(&s, path, NULL, 0, NULL, &err), GS_E_INPUT);
    GS_HAS(err.msg, part);
    gs_settings_release(&s);
}

static void missing_files_and_folders_are_told_apart(void)
{
    char path[600];
    expect_load_error(gs_test_tmp_file("nowhere.ini", path, sizeof path), "no such file");
    expect_load_error(gs_test_tmp(), "is a directory");
    expect_load_error("/dev/zero", "larger than 1 MiB");
}

static void later_values_win_over_included_ones(void)
{
    char path[600];
    struct gs_settings s;
    struct gs_err err = {0};
    (void)mkdir(gs_test_tmp_file("common", path, sizeof path), 0700);
    gs_test_write("common/deep.ini",
                  NODES "[queue q]\nweight = 2\nlimit = 5\n[nodes z]\ncpus = 1\n", SIZE_MAX, path,
                  sizeof path);
    gs_test_write("common/base.ini",
                  "[scenario]\ninclude = deep.ini\nseed = 4\nname = base\n[queue q]\nweight = 3\n",
                  SIZE_MAX, path, sizeof path);
    gs_test_write(
        "main.ini",
        WORK
        "[scenario]\ninclude = common/base.ini\nseed = 5\n[nodes b]\ncpus = 1\n[nodes a]\ncpus = 9\n",
        SIZE_MAX, path, sizeof path);
    const enum gs_rc rc = gs_settings_load(&s, path, NULL, 0, NULL, &err);
    GS_EQ_STR(err.msg, "");
    GS_EQ_INT(rc, GS_OK);
    if (rc == GS_OK) {
        GS_EQ_INT(s.seed, 5);
        GS_EQ_STR(s.name, "base");
        GS_NEAR(s.queues.v[0].weight, 3, 0);
        GS_NEAR(s.queues.v[0].limit, 5, 0);
        GS_EQ_INT(s.nodes.n, 3); /* the included file's sections come first */
        GS_EQ_STR(s.nodes.v[0].name, "a");
        GS_EQ_INT(s.nodes.v[0].cpus_milli, 9000);
        GS_EQ_STR(s.nodes.v[2].name, "b");
    }
    gs_settings_release(&s);
}

static void includes_that_lead_nowhere_are_refused(void)
{
    char path[600];
    gs_test_write("loop.ini", LEAST "[scenario]\ninclude = loop.ini\n", SIZE_MAX, path,
                  sizeof path);
    expect_load_error(path, "includes itself");
    gs_test_write("lost.ini", LEAST "[scenario]\ninclude = none.ini\n", SIZE_MAX, path,
                  sizeof path);
    expect_load_error(path, "no such file");
    gs_test_write("device.ini", LEAST "[scenario]\ninclude = /dev/zero\n", SIZE_MAX, path,
                  sizeof path);
    expect_load_error(path, "is not a regular file");
}

static void errors_of_an_included_file_name_it(void)
{
    char path[600];
    gs_test_write("inner.ini", "[scenario]\nsede = 1\n", SIZE_MAX, path, sizeof path);
    gs_test_write("outer.ini", LEAST "[scenario]\ninclude = inner.ini\n", SIZE_MAX, path,
                  sizeof path);
    expect_load_error(path,
                      "inner.ini:2: [scenario] sede: unknown key, the nearest known is 'seed'");
}

static const struct gs_test tests[] = {
    {"refuses what inih would cut or bend", refuses_what_inih_would_cut_or_bend},
    {"a line may have 198 bytes", a_line_may_have_198_bytes},
    {"values end at comments and blanks", values_end_at_comments_and_blanks},
    {"indented lines add to the value above", indented_lines_add_to_the_value_above},
    {"a last line needs no end", a_last_line_needs_no_end},
    {"a byte order mark is skipped", a_byte_order_mark_is_skipped},
    {"files that are no text are refused once", files_that_are_no_text_are_refused_once},
    {"a file of blanks has no nodes and no jobs", a_file_of_blanks_has_no_nodes_and_no_jobs},
    {"missing files and folders are told apart", missing_files_and_folders_are_told_apart},
    {"later values win over included ones", later_values_win_over_included_ones},
    {"includes that lead nowhere are refused", includes_that_lead_nowhere_are_refused},
    {"errors of an included file name it", errors_of_an_included_file_name_it},
};
GS_TEST_MAIN("scenario/ini", tests)

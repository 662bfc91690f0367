/* test_log.c - what reaches standard error at which level, and when progress shows. */
#include "sim/base/log.h"
#include "tests/unit/harness.h"

/* Runs f with standard error going to a file, and returns what it wrote. */
static const char *stderr_of(void (*f)(struct gs_log *l), struct gs_log *l)
{
    static char text[8192];
    char path[600];
    gs_test_tmp_file("stderr", path, sizeof path);
    fflush(stderr);
    const int saved = dup(STDERR_FILENO);
    FILE *file = fopen(path, "w+");
    CU_ASSERT_FATAL(saved >= 0 && file != NULL);
    CU_ASSERT_FATAL(dup2(fileno(file), STDERR_FILENO) >= 0);
    f(l);
    fflush(stderr);
    (void)dup2(saved, STDERR_FILENO);
    (void)close(saved);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    return text;
}

static void say_everything(struct gs_log *l)
{
    gs_note(l, "note %d", 1);
    gs_detail(l, "detail %d", 2);
    gs_warn(l, "warn %d", 3);
    gs_complain(l, "complain %d", 4);
}

static void levels(void)
{
    struct gs_log l;
    gs_log_init(&l, GS_LOG_QUIET, GS_COLOR_NEVER, 1);
    GS_EQ_INT(l.progress, 0);
    GS_EQ_STR(stderr_of(say_everything, &l), "gsim: warning: warn 3\ngsim: complain 4\n");
    gs_log_init(&l, GS_LOG_NORMAL, GS_COLOR_NEVER, 0);
    GS_EQ_STR(stderr_of(say_everything, &l),
              "gsim: note 1\ngsim: warning: warn 3\ngsim: complain 4\n");
    gs_log_init(&l, GS_LOG_VERBOSE, GS_COLOR_NEVER, 0);
    GS_EQ_STR(stderr_of(say_everything, &l),
              "gsim: note 1\ngsim: detail 2\ngsim: warning: warn 3\ngsim: complain 4\n");
}

static void say_again(struct gs_log *l)
{
    for (int i = 0; i < 3; i++)
        gs_note(l, "note %d", i == 1);
}

/* What was said is not said again. */
static void notes_are_said_once(void)
{
    struct gs_log l;
    gs_log_init(&l, GS_LOG_NORMAL, GS_COLOR_NEVER, 0);
    GS_EQ_STR(stderr_of(say_again, &l), "gsim: note 0\ngsim: note 1\n");
    GS_EQ_STR(stderr_of(say_again, &l), "");
}

static void say_hostile(struct gs_log *l)
{
    gs_complain(l, "%s",
                "a\x1b[2J\x07\x7f \xc2\x9b"
                "1m \x9b \xc3\xa4\tb\nc\r");
}

/* File names and fields of traces are quoted in messages: none of them speaks to the terminal. */
static void control_characters_are_escaped(void)
{
    struct gs_log l;
    gs_log_init(&l, GS_LOG_NORMAL, GS_COLOR_NEVER, 0);
    const char *text = stderr_of(say_hostile, &l);
    GS_HAS(text, "gsim: a\\x1b[2J\\x07\\x7f \\xc2\\x9b"
                 "1m \\x9b \xc3\xa4\tb\nc\\x0d\n");
}

/* Longer than the room on the stack. */
static void say_long(struct gs_log *l)
{
    char text[4400];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    gs_warn(l, "%s", text);
}

static void long_messages_are_whole(void)
{
    struct gs_log l;
    gs_log_init(&l, GS_LOG_NORMAL, GS_COLOR_NEVER, 0);
    GS_EQ_INT(strlen(stderr_of(say_long, &l)), strlen("gsim: warning: ") + 4399 + 1);
}

static void colours(void)
{
    struct gs_log l;
    (void)setenv("NO_COLOR", "1", 1);
    gs_log_init(&l, GS_LOG_NORMAL, GS_COLOR_AUTO, 0);
    CU_ASSERT(!l.color && !l.color_out);
    gs_log_init(&l, GS_LOG_NORMAL, GS_COLOR_ALWAYS,
                0); /* said outright: stronger than the variable */
    CU_ASSERT(l.color && l.color_out);
    GS_HAS(stderr_of(say_everything, &l), "gsim: \x1b[33mwarning: \x1b[0mwarn 3\n");
    gs_log_init(&l, GS_LOG_NORMAL, GS_COLOR_NEVER, 0);
    CU_ASSERT(!l.color && !l.color_out);
    (void)unsetenv("NO_COLOR");
}

static void progress_once(struct gs_log *l)
{
    gs_progress(l, 9000, 0.25, 12345, 1000000);
    gs_progress_end(l);
}

static void progress_after_a_second_only(void)
{
    struct gs_log l;
    gs_log_init(&l, GS_LOG_NORMAL, GS_COLOR_NEVER, 1);
    GS_EQ_STR(stderr_of(progress_once, &l), "");
    l.start_ms -= 20000; /* as if it had started long ago */
    l.last_ms -= 20000;
    const char *text = stderr_of(progress_once, &l);
    GS_HAS(text, "gsim: 2.5 h simulated, 12,345 jobs done, ");
    GS_HAS(text, "25 % done, 60 s left\n");
    GS_EQ_STR(stderr_of(progress_once, &l), ""); /* not again within 10 s */
}

static void terminal_progress_is_one_line(void)
{
    struct gs_log l;
    gs_log_init(&l, GS_LOG_NORMAL, GS_COLOR_NEVER, 0);
    l.progress = 1; /* as on a terminal */
    l.start_ms -= 20000;
    l.last_ms -= 20000;
    const char *text = stderr_of(progress_once, &l);
    CU_ASSERT(text[0] == '\r' && strchr(text, '\n') == NULL);
    GS_HAS(text, "\x1b[K\r\x1b[K"); /* and cleared at the end */
}

static void no_progress_in_a_pipe(void)
{
    struct gs_log l;
    gs_log_init(&l, GS_LOG_NORMAL, GS_COLOR_NEVER, 0);
    l.progress = 0;
    l.start_ms -= 20000;
    l.last_ms -= 20000;
    GS_EQ_STR(stderr_of(progress_once, &l), "");
}

static void wall_time_advances(void)
{
    const int64_t a = gs_wall_ns();
    const int64_t b = gs_wall_ns();
    CU_ASSERT(a > 0 && b >= a);
    CU_ASSERT(gs_wall_ms() >= a / 1000000);
}

static const struct gs_test tests[] = {
    {"levels", levels},
    {"notes are said once", notes_are_said_once},
    {"control characters are escaped", control_characters_are_escaped},
    {"long messages are whole", long_messages_are_whole},
    {"colours", colours},
    {"progress after a second only", progress_after_a_second_only},
    {"terminal progress", terminal_progress_is_one_line},
    {"no progress in a pipe", no_progress_in_a_pipe},
    {"wall time", wall_time_advances},
};
GS_TEST_MAIN("base/log", tests)

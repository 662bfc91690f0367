/* test_err.c - errors carry a code and a message that gains context on its way up. */
#include "sim/base/err.h"
#include "tests/unit/harness.h"

#include <signal.h>
#include <sys/wait.h>

static void fail_sets_code_and_message(void)
{
    struct gs_err err = {0};
    GS_EQ_INT(gs_fail(&err, GS_E_INPUT, "column '%s': %d is negative", "gpu_num", -3), GS_E_INPUT);
    GS_EQ_INT(err.rc, GS_E_INPUT);
    GS_EQ_STR(err.msg, "column 'gpu_num': -3 is negative");
}

static void fail_without_a_place_for_the_message_still_returns_the_code(void)
{
    GS_EQ_INT(gs_fail(NULL, GS_E_IO, "unseen %d", 1), GS_E_IO);
}

static void wrap_puts_context_in_front(void)
{
    struct gs_err err = {0};
    (void)gs_fail(&err, GS_E_INPUT, "'twelve' is not a whole number");
    GS_EQ_INT(gs_wrap(&err, "[nodes %s] count", "h100"), GS_E_INPUT);
    GS_EQ_INT(gs_wrap(&err, "scenario.ini:%d", 12), GS_E_INPUT);
    GS_EQ_STR(err.msg, "scenario.ini:12: [nodes h100] count: 'twelve' is not a whole number");
    GS_EQ_INT(gs_wrap(NULL, "x"), GS_E_FAILED);
}

static void long_messages_are_cut_at_the_end(void)
{
    char longer[3000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    struct gs_err err = {0};
    (void)gs_fail(&err, GS_E_IO, "%s", longer);
    GS_EQ_INT(strlen(err.msg), sizeof err.msg - 1);
    GS_EQ_STR(err.msg + sizeof err.msg - 4, "...");
    (void)gs_wrap(&err, "where to look");
    CU_ASSERT(strncmp(err.msg, "where to look: xxx", 18) == 0);
    GS_EQ_STR(err.msg + sizeof err.msg - 4, "...");
}

static void exit_statuses_are_those_of_the_manual(void)
{
    static const struct {
        enum gs_rc rc;
        int status;
    } table[] = {{GS_OK, 0},   {GS_E_FAILED, 1}, {GS_E_INPUT, 2}, {GS_E_MODULE, 3},
                 {GS_E_IO, 4}, {GS_E_INT, 130},  {GS_E_TERM, 143}};

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        GS_EQ_INT(gs_exit_status(table[i].rc), table[i].status);
}

static void fmt_tells_whether_it_fitted(void)
{
    char buf[6];
    CU_ASSERT(gs_fmt(buf, sizeof buf, "%d", 12345));
    GS_EQ_STR(buf, "12345");
    CU_ASSERT(!gs_fmt(buf, sizeof buf, "%d", 123456));
    GS_EQ_STR(buf, "12345");
}

static void require_aborts_in_every_build(void)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        fclose(stderr);
        gs_require(1 + 1 == 3);
        _exit(0);
    }
    int status = 0;
    CU_ASSERT_FATAL(waitpid(child, &status, 0) == child);
    CU_ASSERT(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static const struct gs_test tests[] = {
    {"fail sets code and message", fail_sets_code_and_message},
    {"fail without a place", fail_without_a_place_for_the_message_still_returns_the_code},
    {"wrap puts context in front", wrap_puts_context_in_front},
    {"long messages are cut", long_messages_are_cut_at_the_end},
    {"exit statuses", exit_statuses_are_those_of_the_manual},
    {"fmt tells whether it fitted", fmt_tells_whether_it_fitted},
    {"require aborts", require_aborts_in_every_build},
};
GS_TEST_MAIN("base/err", tests)

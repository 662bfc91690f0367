/* main.c - the program: finds the command, sets up what is process-wide (signals, libraries' error handlers), and leaves. */
#include "sim/cli.h"
#include "sim/run.h"

#include <gsl/gsl_errno.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *argp_program_version = "gsim " GSIM_VERSION;

/* ---- signals: only what is safe in a handler ---- */

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* nobody is left to tell */
}

static void leave_nothing(void)
{
    const char *part = gs_part_path;
    if (part)
        (void)unlink(part);
}

/* A module may never come back to the loop that looks at the signal. */
static void on_alarm(int sig)
{
    (void)sig;
    const char *module = gs_whereabouts.module;
    if (!module)
        return; /* it did: the results are being written */
    say("gsim: policy module '");
    say(module);
    say("' does not return from ");
    say(gs_whereabouts.hook);
    say(": ended without results\n");
    leave_nothing();
    _exit(gs_stop_signal == SIGTERM ? 143 : 130);
}

static void on_end(int sig)
{
    leave_nothing();
    (void)signal(sig, SIG_DFL);
    (void)raise(sig);
}

/* A second one ends at once. timeout(1) and a shell's process group send the same one twice: what comes within the same second, or the
 * next, is no second wish. */
static void on_signal(int sig)
{
    static volatile int64_t first_ns;
    const int64_t now_ns = gs_wall_ns();
    if (gs_stop_signal && now_ns - first_ns > 2 * GS_SECOND) {
        on_end(sig);
        return;
    }
    if (!gs_stop_signal) {
        first_ns = now_ns;
        (void)alarm(5);
    }
    gs_stop_signal = sig; /* the loop looks at it between events */
}

#ifdef NDEBUG /* debug and sanitizer builds show where instead */
static void on_crash(int sig)
{
    const char *module = gs_whereabouts.module;
    if (module) {
        say("gsim: policy module '");
        say(module);
        say("' crashed in ");
        say(gs_whereabouts.hook);
        say(": ended without results\n");
        leave_nothing();
        _exit(3);
    }
    say("gsim: internal error, please report it\n");
    leave_nothing();
    (void)signal(sig, SIG_DFL);
    (void)raise(sig);
}

static void catch_crashes(void)
{
    static char stack[32768]; /* a module that overflows the stack leaves no room on it */
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction a = {0};
    a.sa_handler = on_crash;
    a.sa_flags = SA_ONSTACK;
    if (sigaltstack(&other, NULL) != 0)
        return;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        (void)sigaction(signals[i], &a, NULL);
}
#endif

/* A run has something to bring home, and a check workers and a folder to put away; other commands end at once, as any program does,
 * without a half-written file. */
static void set_signals(gs_command_fn *fn)
{
    struct sigaction a = {0};
    a.sa_handler = fn == gs_cmd_run || fn == gs_cmd_check ? on_signal : on_end;
    (void)sigaction(SIGINT, &a, NULL);
    (void)sigaction(SIGTERM, &a, NULL);
    a.sa_handler = on_alarm;
    (void)sigaction(SIGALRM, &a, NULL);
    a.sa_handler = SIG_IGN;
    (void)sigaction(SIGPIPE, &a, NULL);
#ifdef NDEBUG
    catch_crashes();
#endif
}

static const struct gs_command *find_command(const char *name)
{
    size_t n = 0;
    const struct gs_command *t = gs_commands(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(t[i].name, name) == 0)
            return &t[i];
    return NULL;
}

/* The command line as it is stored: without what must not change a results file (-o, -j, colours, verbosity). */
static void note_history(struct gs_cli *c, int argc, char **argv)
{
    static const char *const plain[] = {"-q", "-v", "--quiet", "--verbose", "--json", "--plot"};
    static const char *const valued[] = {"-o",      "-j",         "--output", "--jobs",
                                         "--color", "--progress", "--perf",   "--policy-path"};
    gs_buf_str(&c->history_buf, "gsim");
    for (int i = 1; i < argc; i++) {
        int skip = 0;
        for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
            skip |= strcmp(argv[i], plain[k]) == 0;
        for (size_t k = 0; k < sizeof valued / sizeof *valued && !skip; k++) {
            size_t len = strlen(valued[k]);
            if (strncmp(argv[i], valued[k], len) != 0)
                continue;
            const char after = argv[i][len];
            skip = after == '\0' || after == '=' || len == 2;
            i += after == '\0'; /* its value is the next word */
        }
        if (!skip && i < argc)
            gs_buf_fmt(&c->history_buf, " %s", argv[i]);
    }
    c->history = gs_buf_cstr(&c->history_buf);
}

int main(int argc, char **argv)
{
    struct gs_cli cli = {.level = GS_LOG_NORMAL, .color = GS_COLOR_AUTO};
    gsl_set_error_handler_off();
    argp_err_exit_status = 2;
    note_history(&cli, argc, argv);
    gs_command_fn *fn = gs_cmd_help;
    if (argc > 1) {
        const struct gs_command *c = find_command(argv[1]);
        int file = !c && (strcmp(argv[1], "-") == 0 || strpbrk(argv[1], "./") != NULL) &&
                   argv[1][0] != '-';
        if (strcmp(argv[1], "-") == 0)
            file = 1;
        if (c) {
            char name[64];
            (void)gs_fmt(name, sizeof name, "gsim %s", c->name);
            argv[1] = name;
            fn = c->fn;
            set_signals(fn);
            int status = fn(&cli, argc - 1, argv + 1);
            gs_cli_end(&cli);
            return gs_cli_finish(&cli, status);
        }
        if (file)
            fn = gs_cmd_run;
    }
    set_signals(fn);
    int status = fn(&cli, argc, argv);
    gs_cli_end(&cli);
    return gs_cli_finish(&cli, status);
}

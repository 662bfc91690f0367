/* gnuplot.c - one gnuplot process for one script.
 *
 * The script goes in through a nameless temporary file as standard input and what gnuplot says comes back through another, so neither
 * side can wait for the other, and no name or quote of ours passes a shell. gnuplot stops at the first error when its input is
 * not a terminal, and exits with a status other than 0. */
#include "analysis/gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "sim/base/banned.h"

extern char **environ;

/* Length of the character of UTF-8 that begins at p, 0 if there is none. */
static size_t character(const unsigned char *p)
{
    const size_t n = p[0] < 0x80                   ? 1
                     : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
                     : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
                     : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
                                                   : 0;
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    }
    return n;
}

void gs_gnuplot_quote(struct gs_buf *out, const char *text)
{
    gs_buf_str(out, "'");
    for (const char *p = text; *p;) {
        const size_t n = character((const unsigned char *)p);
        if (*p == '\'')
            gs_buf_str(out, "''");
        else if ((unsigned char)*p < 0x20 || *p == 0x7f)
            gs_buf_str(out, " ");
        else if (n == 0)
            gs_buf_str(out, "?");
        else
            gs_buf_add(out, p, n);
        p += n ? n : 1;
    }
    gs_buf_str(out, "'");
}

void gs_gnuplot_number(struct gs_buf *out, double x)
{
    if (x - x != 0) /* NaN or infinite */
        gs_buf_str(out, " NaN");
    else
        gs_buf_fmt(out, " %.8g", x);
}

/* Starts gnuplot with its three streams; returns 0 or an errno. */
static int start(pid_t *pid, FILE *in, FILE *said)
{
    char name[] = "gnuplot";
    char *argv[] = {name, NULL};
    posix_spawn_file_actions_t io;
    int rc = posix_spawn_file_actions_init(&io);
    if (rc != 0)
        return rc;
    rc = posix_spawn_file_actions_adddup2(&io, fileno(in), 0);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(&io, fileno(said), 1);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(&io, fileno(said), 2);
    if (rc == 0)
        rc = posix_spawnp(pid, name, &io, NULL, argv, environ);
    (void)posix_spawn_file_actions_destroy(&io);
    return rc;
}

static int wait_for(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The last line with text that is not a warning, which is where gnuplot puts the reason. */
static void last_line(FILE *f, char *line, size_t cap)
{
    char buf[512];
    line[0] = '\0';
    rewind(f);
    while (fgets(buf, sizeof buf, f)) {
        const size_t blank = strspn(buf, " \t");
        buf[strcspn(buf, "\r\n")] = '\0';
        if (blank < strlen(buf) && !strstr(buf, "warning:"))
            gs_fmt(line, cap, "%s", buf + blank);
    }
}

static enum gs_rc run(const struct gs_buf *script, FILE *in, FILE *said, struct gs_err *err)
{
    if (fwrite(gs_buf_cstr(script), 1, script->n, in) != script->n || fflush(in) != 0)
        return gs_fail(err, GS_E_IO, "cannot write the gnuplot script to a temporary file: %s",
                       strerror(errno));
    rewind(in);
    pid_t pid = 0;
    const int why = start(&pid, in, said);
    if (why == ENOENT)
        return gs_fail(err, GS_E_IO,
                       "charts need gnuplot, which is not on the PATH (install it, on Debian: "
                       "apt-get install gnuplot-nox; or keep the script with --script FILE)");
    if (why != 0)
        return gs_fail(err, GS_E_IO, "gnuplot cannot be started: %s", strerror(why));
    const int status = wait_for(pid);
    if (status == 0)
        return GS_OK;
    char line[512];
    last_line(said, line, sizeof line);
    if (status == 127 && line[0] == '\0')
        return gs_fail(err, GS_E_IO, "gnuplot cannot be started (install gnuplot-nox)");
    return gs_fail(err, GS_E_IO,
                   "gnuplot failed (exit status %d): %s (version 5.4 with cairo is expected; on "
                   "Debian: apt-get install gnuplot-nox)",
                   status, line[0] ? line : "it said nothing");
}

enum gs_rc gs_gnuplot_run(const struct gs_buf *script, struct gs_err *err)
{
    FILE *in = tmpfile();
    FILE *said = tmpfile();
    enum gs_rc rc =
        in && said ? run(script, in, said, err)
                   : gs_fail(err, GS_E_IO, "cannot make a temporary file: %s", strerror(errno));
    if (in)
        (void)fclose(in);
    if (said)
        (void)fclose(said);
    return rc;
}

/* workers.c - forked workers, awaited in order of items; each sends its result through a pipe.
 *
 * Invariant: no worker outlives its parent. A parent that is asked to end (gs_stop_signal) passes that on, starts no more, and awaits
 * those that run; if it is killed, the system tells them. */
#include "sim/workers.h"

#include "sim/base/mem.h"
#include "sim/run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

struct worker {
    pid_t pid;
    int fd;
};

static void write_all(int fd, const char *s, size_t n)
{
    while (n) {
        const ssize_t k = write(fd, s, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return;
        s += k;
        n -= (size_t)k;
    }
}

/* A worker that never writes must hear of a signal that the parent alone was sent. */
static int read_all(const struct worker *w, char *s, size_t n)
{
    while (n) {
        if (gs_stop_signal)
            (void)kill(w->pid, SIGTERM);
        const ssize_t k = read(w->fd, s, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return 0;
        s += k;
        n -= (size_t)k;
    }
    return 1;
}

static enum gs_rc start(const struct gs_workers *w, size_t item, struct worker *out,
                        struct gs_err *err)
{
    int fd[2];
    if (pipe(fd))
        return gs_fail(err, GS_E_IO, "cannot make a pipe for a worker: %s", strerror(errno));
    (void)fflush(NULL);
    const pid_t parent = getpid(), pid = fork();
    if (pid < 0) {
        (void)close(fd[0]);
        (void)close(fd[1]);
        return gs_fail(err, GS_E_IO, "cannot start a worker: %s", strerror(errno));
    }
    if (pid == 0) {
        char *result = (char *)w->results + item * w->size;
        (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent)
            _exit(1); /* it was gone before that */
        (void)close(fd[0]);
        w->work(w->ctx, item, result);
        write_all(fd[1], result, w->size);
        _exit(0);
    }
    (void)close(fd[1]);
    *out = (struct worker){pid, fd[0]};
    return GS_OK;
}

static void await(const struct gs_workers *w, size_t item, const struct worker *k)
{
    char *result = (char *)w->results + item * w->size;
    int status = 0;
    const int whole = read_all(k, result, w->size);
    (void)close(k->fd);
    while (waitpid(k->pid, &status, 0) < 0 && errno == EINTR)
        ;
    w->died[item] = whole ? 0 : status ? status : -1;
    if (!whole)
        memset(result, 0, w->size);
}

enum gs_rc gs_workers_run(const struct gs_workers *w, struct gs_err *err)
{
    const size_t slots = w->at_once ? w->at_once : 1;
    struct worker *k = GS_NEW_N(struct worker, slots);
    enum gs_rc rc = GS_OK;
    size_t started = 0;
    for (size_t done = 0; done < w->n && !(rc && started == done); done++) {
        while (started < w->n && started - done < slots && !rc && !gs_stop_signal) {
            rc = start(w, started, &k[started % slots], err);
            started += rc == GS_OK;
        }
        if (started > done)
            await(w, done, &k[done % slots]);
        else
            w->died[done] = -1; /* never began */
    }
    gs_free(k);
    return rc;
}

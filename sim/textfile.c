/* textfile.c - a text file that appears whole or not at all.
 *
 * Invariant: under PATH there is either what was there before or a whole new text. Each writer has a temporary of its own beside it, so
 * that two writers of one PATH never mix their bytes: of two the later one wins. No lock, unlike a results file
 * (sim/metrics/results.c): a text is written in one go. */
#include "sim/textfile.h"

#include "sim/base/buf.h"
#include "sim/base/mem.h"
#include "sim/run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/banned.h"

static enum gs_rc system_error(struct gs_err *err, const char *path, const char *what)
{
    return gs_fail(err, GS_E_IO, "%s: cannot %s: %s", path, what, strerror(errno));
}

/* Creates the temporary, with the rights that a new file has, and tells the signal handler of it before a signal can come. */
static FILE *open_part(char *name)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, &before);
    const int fd = mkstemp(name);
    if (fd >= 0)
        gs_part_path = name;
    const int why = errno;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    errno = why;
    if (fd < 0)
        return NULL;
    const mode_t mask = umask(0);
    (void)umask(mask);
    (void)fchmod(fd, 0666 & ~mask); /* a file system without rights refuses: then there are none */
    FILE *to = fdopen(fd, "w");
    if (!to) {
        (void)close(fd);
        (void)unlink(name);
        gs_part_path = NULL;
    }
    return to;
}

enum gs_rc gs_textfile_open(struct gs_textfile *f, const char *path, struct gs_err *err)
{
    *f = (struct gs_textfile){.path = gs_strdup(path)};
    if (strcmp(path, "-") == 0) {
        f->to = stdout;
        return GS_OK;
    }
    struct stat there;
    if (lstat(path, &there) != 0 || S_ISREG(there.st_mode)) {
        struct gs_buf part = {0};
        gs_buf_fmt(&part, "%s.part.XXXXXX", path);
        f->part = part.s;
    }
    f->to = f->part ? open_part(f->part) : fopen(path, "w");
    if (f->to)
        return GS_OK;
    const enum gs_rc rc = system_error(err, path, "create");
    gs_free(f->part);
    gs_free(f->path);
    *f = (struct gs_textfile){0};
    return rc;
}

enum gs_rc gs_textfile_put(void *ctx, const char *bytes, size_t n, struct gs_err *err)
{
    const struct gs_textfile *f = ctx;
    return fwrite(bytes, 1, n, f->to) == n ? GS_OK : system_error(err, f->path, "write");
}

enum gs_rc gs_textfile_close(struct gs_textfile *f, enum gs_rc rc, struct gs_err *err)
{
    if (!f->to)
        return rc;
    if (fflush(f->to) != 0 && rc == GS_OK)
        rc = system_error(err, f->path, "write");
    if (f->part && rc == GS_OK && fsync(fileno(f->to)) != 0)
        rc = system_error(err, f->path, "write to disk");
    if (f->to != stdout && fclose(f->to) != 0 && rc == GS_OK)
        rc = system_error(err, f->path, "write");
    if (f->part && rc == GS_OK && rename(f->part, f->path) != 0)
        rc = system_error(err, f->path, "put the finished file in place");
    if (f->part && rc != GS_OK)
        (void)unlink(f->part);
    gs_part_path = NULL;
    gs_free(f->part);
    gs_free(f->path);
    *f = (struct gs_textfile){0};
    return rc;
}

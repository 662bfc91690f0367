/* textfile.c - a text file that appears whole or not at all. The same steps as for a results file (sim/metrics/results.c), without its lock: a
 * text is written in one go, and of two writers the later one wins. */
#include "sim/textfile.h"

#include "sim/base/buf.h"
#include "sim/base/mem.h"
#include "sim/run.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/banned.h"

static enum gs_rc system_error(struct gs_err *err, const char *path, const char *what)
{
    return gs_fail(err, GS_E_IO, "%s: cannot %s: %s", path, what, strerror(errno));
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
        gs_buf_fmt(&part, "%s.part", path);
        f->part = part.s;
    }
    f->to = fopen(f->part ? f->part : path, "w");
    if (f->to) {
        gs_part_path = f->part;
        return GS_OK;
    }
    const enum gs_rc rc = system_error(err, f->part ? f->part : path, "create");
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

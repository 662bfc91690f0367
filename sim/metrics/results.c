/* results.c - the life of a results file: opened as NAME.part, given its root attributes, digested, closed, synced, renamed.
 *
 * Invariant: under the final name there is either what was there before or a whole new file. Whatever fails, the .part is
 * removed; a full disk shows at the latest when the file is synced, which is before it is renamed.
 *
 * Equal runs write equal bytes: the format's bounds are fixed (1.8, which every reader in use understands), objects
 * carry no times, and links and attributes keep the order of their creation.
 *
 * data_digest is xxh128 over one record a dataset, in byte order of the paths:
 *     path NUL type NUL rows(u64) xxh128(values)       (integers and digests little-endian, low half first)
 * where values are the dataset's raw little-endian bytes, strings padded with NUL to the column's length. The inner digest is fed while
 * values are written, so nothing is read back. Attributes are not part of it.
 *
 * HDF5 keeps a stack of errors of which the innermost is the interesting one; where it quotes the system's message, that is
 * what the user reads. Its own printing is off, and so is its exit handler: after a failed write it would try again. */
#include "sim/metrics/results.h"

#include "sim/base/buf.h"
#include "sim/base/mem.h"
#include "sim/base/sort.h"
#include "sim/metrics/h5.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/banned.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "results files are little-endian and are written without conversion");

/* ---- errors --------------------------------------------------------------------------------- */

struct cause {
    char text[256];
    int from_system; /* text is the system's own message */
};

/* Called from the innermost entry outwards. */
static herr_t note_cause(unsigned n, const H5E_error2_t *e, void *data)
{
    struct cause *c = data;
    static const char mark[] = "error message = '";
    const char *said = e->desc ? strstr(e->desc, mark) : NULL;
    if (said && !c->from_system) {
        said += sizeof mark - 1;
        const char *end = strchr(said, '\'');
        gs_fmt(c->text, sizeof c->text, "%.*s", (int)(end ? (size_t)(end - said) : strlen(said)),
               said);
        c->from_system = 1;
    } else if (n == 0 && e->desc) {
        gs_fmt(c->text, sizeof c->text, "%s", e->desc);
    }
    return 0;
}

enum gs_rc gs_h5_error(struct gs_err *err, const char *path, const char *doing, const char *object)
{
    struct cause c = {.text = "unknown cause"};
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_cause, &c);
    (void)H5Eclear2(H5E_DEFAULT);
    return gs_fail(err, GS_E_IO, "%s: cannot %s%s%s: %s", path, doing, *object ? " " : "", object,
                   c.text);
}

void gs_h5_drop(hid_t id)
{
    if (id < 0)
        return;
    const hid_t kept = H5Eget_current_stack();
    (void)H5Idec_ref(id);
    (void)H5Eset_current_stack(kept); /* closes kept */
}

static enum gs_rc system_error(struct gs_err *err, const char *path, const char *doing)
{
    return gs_fail(err, GS_E_IO, "%s: cannot %s: %s", path, doing, strerror(errno));
}

/* ---- types and attributes ------------------------------------------------------------------- */

size_t gs_h5_type_size(enum gs_type type)
{
    switch (type) {
    case GS_F64:
    case GS_I64:
    case GS_U64: return 8;
    case GS_U32:
    case GS_I32: return 4;
    case GS_U16: return 2;
    case GS_U8: return 1;
    case GS_STR: break;
    }
    return 0;
}

hid_t gs_h5_string_type(size_t size)
{
    const hid_t t = H5Tcopy(H5T_C_S1);
    if (H5Tset_size(t, size ? size : 1) < 0 || H5Tset_strpad(t, H5T_STR_NULLPAD) < 0 ||
        H5Tset_cset(t, H5T_CSET_UTF8) < 0)
        return -1;
    return t;
}

hid_t gs_h5_type(enum gs_type type, size_t size)
{
    switch (type) {
    case GS_F64: return H5Tcopy(H5T_IEEE_F64LE);
    case GS_I64: return H5Tcopy(H5T_STD_I64LE);
    case GS_U64: return H5Tcopy(H5T_STD_U64LE);
    case GS_U32: return H5Tcopy(H5T_STD_U32LE);
    case GS_I32: return H5Tcopy(H5T_STD_I32LE);
    case GS_U16: return H5Tcopy(H5T_STD_U16LE);
    case GS_U8: return H5Tcopy(H5T_STD_U8LE);
    case GS_STR: break;
    }
    return gs_h5_string_type(size);
}

herr_t gs_h5_put_attr(hid_t object, const char *name, hid_t type, hsize_t n, const void *value)
{
    const htri_t there = H5Aexists(object, name);
    if (there < 0 || (there > 0 && H5Adelete(object, name) < 0))
        return -1;
    const hid_t space = n ? H5Screate_simple(1, &n, NULL) : H5Screate(H5S_SCALAR);
    const hid_t a = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    herr_t rc = a < 0 ? -1 : H5Awrite(a, type, value);
    if (rc >= 0)
        rc = H5Aclose(a);
    else
        gs_h5_drop(a);
    gs_h5_drop(space);
    return rc;
}

herr_t gs_h5_put_str(hid_t object, const char *name, const char *value)
{
    const hid_t t = gs_h5_string_type(strlen(value));
    const herr_t rc = t < 0 ? -1 : gs_h5_put_attr(object, name, t, 0, value);
    gs_h5_drop(t);
    return rc;
}

enum gs_rc gs_h5_attr_str(struct gs_h5 *f, const char *name, const char *value, struct gs_err *err)
{
    return gs_h5_put_str(f->file, name, value) < 0
               ? gs_h5_error(err, f->path, "write attribute", name)
               : GS_OK;
}

static enum gs_rc number_attr(struct gs_h5 *f, const char *name, hid_t type, const void *value,
                              struct gs_err *err)
{
    return gs_h5_put_attr(f->file, name, type, 0, value) < 0
               ? gs_h5_error(err, f->path, "write attribute", name)
               : GS_OK;
}

enum gs_rc gs_h5_attr_f64(struct gs_h5 *f, const char *name, double value, struct gs_err *err)
{
    return number_attr(f, name, H5T_IEEE_F64LE, &value, err);
}

enum gs_rc gs_h5_attr_u64(struct gs_h5 *f, const char *name, uint64_t value, struct gs_err *err)
{
    return number_attr(f, name, H5T_STD_U64LE, &value, err);
}

enum gs_rc gs_h5_attr_i64(struct gs_h5 *f, const char *name, int64_t value, struct gs_err *err)
{
    return number_attr(f, name, H5T_STD_I64LE, &value, err);
}

/* ---- opening -------------------------------------------------------------------------------- */

/* The folder that path lies in; gs_free. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return gs_strdup(".");
    return slash == path ? gs_strdup("/") : gs_strndup(path, (size_t)(slash - path));
}

/* A file that cannot be read counts as one: what it is cannot be told. */
static int is_results_file(const char *path)
{
    static const unsigned char magic[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char head[sizeof magic];
    FILE *f = fopen(path, "rb");
    if (!f)
        return 1;
    const size_t n = fread(head, 1, sizeof head, f);
    (void)fclose(f);
    return n == sizeof head && memcmp(head, magic, sizeof head) == 0;
}

/* A slip of -o must not cost a scenario or a trace: only results files (and empty ones) are replaced. */
enum gs_rc gs_h5_probe(const char *path, struct gs_err *err)
{
    struct stat st;
    if (*path == '\0')
        return gs_fail(err, GS_E_INPUT, "the results file has an empty name (-o FILE)");
    const int there = stat(path, &st) == 0;
    if (there && !S_ISREG(st.st_mode))
        return gs_fail(err, GS_E_IO, "%s: cannot be replaced by a results file: it is %s", path,
                       S_ISDIR(st.st_mode) ? "a directory" : "not a regular file");
    if (there && st.st_size > 0 && !is_results_file(path))
        return gs_fail(err, GS_E_INPUT,
                       "%s: is there and no results file, so it is not replaced (remove it, or "
                       "choose another name with -o)",
                       path);
    char *folder = folder_of(path);
    enum gs_rc rc = GS_OK;
    if (stat(folder, &st) != 0 || access(folder, W_OK | X_OK) != 0)
        rc = gs_fail(err, GS_E_IO, "%s: cannot write into folder '%s': %s (choose another with -o)",
                     path, folder, strerror(errno));
    else if (!S_ISDIR(st.st_mode))
        rc = gs_fail(err, GS_E_IO, "%s: '%s' is not a folder", path, folder);
    gs_free(folder);
    return rc;
}

/* Opens NAME.part for this run alone; *fd holds the lock until the file has its final name. HDF5's own locks cannot do that: it
 * empties a file before it locks it, and lets go when it closes, before the file is renamed. A .part without an owner (of a
 * killed run) is taken over. Where the file system knows no locks, there is none. */
static enum gs_rc take_part(const char *part, int *fd, struct gs_err *err)
{
    for (;;) {
        *fd = open(part, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (*fd < 0)
            return system_error(err, part, "create");
        const int busy = flock(*fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (busy) {
            (void)close(*fd);
            return gs_fail(err, GS_E_IO,
                           "%s: another run is writing it (choose another name with -o)", part);
        }
        struct stat mine, there;
        if (fstat(*fd, &mine) == 0 && stat(part, &there) == 0 && mine.st_ino == there.st_ino &&
            mine.st_dev == there.st_dev)
            return GS_OK;
        (void)close(*fd); /* its owner has just given it the final name: once more */
    }
}

static void leave_part(struct gs_h5 *f)
{
    (void)flock(f->lock, LOCK_UN); /* workers may hold copies of the descriptor */
    (void)close(f->lock);
}

/* Bounds of the format, no times, creation order kept, no locks (take_part has it). The ids are closed by the caller. */
static herr_t file_properties(hid_t fcpl, hid_t fapl)
{
    const unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
    if (H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_V18) < 0 ||
        H5Pset_fclose_degree(fapl, H5F_CLOSE_STRONG) < 0 || H5Pset_file_locking(fapl, 0, 1) < 0)
        return -1;
    if (H5Pset_obj_track_times(fcpl, 0) < 0 || H5Pset_link_creation_order(fcpl, order) < 0)
        return -1;
    return H5Pset_attr_creation_order(fcpl, order);
}

enum gs_rc gs_h5_create(struct gs_h5 **f, const char *path, int compress, struct gs_err *err)
{
    gs_require(compress >= 0 && compress <= 9);
    *f = NULL;
    const enum gs_rc usable = gs_h5_probe(path, err);
    if (usable != GS_OK)
        return usable;
    (void)H5dont_atexit();
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    struct gs_h5 *h = GS_NEW(struct gs_h5);
    struct gs_buf name = {0};
    gs_buf_fmt(&name, "%s.part", path);
    h->path = gs_strdup(path);
    h->part = name.s;
    h->compress = compress;
    const enum gs_rc mine = take_part(h->part, &h->lock, err);
    if (mine != GS_OK) {
        gs_free(h->path);
        gs_free(h->part);
        gs_free(h);
        return mine;
    }
    const hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    h->file = file_properties(fcpl, fapl) < 0 ? GS_H5_CLOSED
                                              : H5Fcreate(h->part, H5F_ACC_TRUNC, fcpl, fapl);
    gs_h5_drop(fcpl);
    gs_h5_drop(fapl);
    if (h->file < 0) {
        const enum gs_rc rc = gs_h5_error(err, h->part, "create", "");
        (void)unlink(h->part);
        leave_part(h);
        gs_free(h->path);
        gs_free(h->part);
        gs_free(h);
        return rc;
    }
    *f = h;
    return GS_OK;
}

/* ---- closing -------------------------------------------------------------------------------- */

static int by_path(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    const struct gs_h5_digest *x = a, *y = b;
    return strcmp(x->path, y->path);
}

static void combine_digests(struct gs_h5 *f, char out[33])
{
    gs_sort(f->done.v, f->done.n, sizeof *f->done.v, by_path, NULL);
    struct gs_buf text = {0};
    for (size_t i = 0; i < f->done.n; i++) {
        const struct gs_h5_digest *d = &f->done.v[i];
        const uint64_t words[3] = {d->rows, d->values.low64, d->values.high64};
        gs_buf_add(&text, d->path, strlen(d->path) + 1);
        gs_buf_add(&text, d->type, strlen(d->type) + 1);
        gs_buf_add(&text, (const char *)words, sizeof words);
    }
    const XXH128_hash_t h = XXH3_128bits(text.s ? text.s : "", text.n);
    gs_buf_free(&text);
    gs_fmt(out, 33, "%016llx%016llx", (unsigned long long)h.high64, (unsigned long long)h.low64);
}

static void release(struct gs_h5 *f)
{
    gs_h5_tables_drop(f);
    for (size_t i = 0; i < f->groups.n; i++) {
        gs_free(f->groups.v[i].path);
        gs_free(f->groups.v[i].scale_path);
        gs_vec_free(&f->groups.v[i].users);
    }
    gs_vec_free(&f->groups);
    for (size_t i = 0; i < f->done.n; i++)
        gs_free(f->done.v[i].path);
    gs_vec_free(&f->done);
    leave_part(f);
    gs_free(f->shuffled);
    gs_free(f->packed);
    gs_free(f->path);
    gs_free(f->part);
    gs_free(f);
}

void gs_h5_abandon(struct gs_h5 *f)
{
    if (!f)
        return;
    if (f->file >= 0) {
        /* HDF5 writes what it still holds when it closes; on a full disk that works once the space is given back. */
        (void)!truncate(f->part, 0);
        (void)H5Fclose(f->file);
        (void)H5Eclear2(H5E_DEFAULT);
    }
    (void)unlink(f->part);
    release(f);
}

/* Syncs a file or a folder. Folders that cannot be synced (some network file systems) are let be. */
static int sync_path(const char *path, int flags)
{
    const int fd = open(path, flags | O_CLOEXEC);
    if (fd < 0)
        return -1;
    const int rc = fsync(fd);
    const int why = errno;
    const int closed = close(fd);
    if (rc != 0)
        errno = why;
    return rc != 0 ? rc : closed;
}

static enum gs_rc publish(struct gs_h5 *f, struct gs_err *err)
{
    if (sync_path(f->part, O_RDWR) != 0)
        return system_error(err, f->part, "write to disk");
    if (rename(f->part, f->path) != 0)
        return system_error(err, f->path, "put the finished file in place");
    char *folder = folder_of(f->path);
    (void)sync_path(folder, O_RDONLY);
    gs_free(folder);
    return GS_OK;
}

enum gs_rc gs_h5_finish(struct gs_h5 *f, char data_digest[33], struct gs_err *err)
{
    gs_require(!f->tables); /* every table was closed */
    combine_digests(f, data_digest);
    enum gs_rc rc = gs_h5_attr_str(f, "data_digest", data_digest, err);
    if (rc == GS_OK && gs_h5_link_scales(f) < 0)
        rc = gs_h5_error(err, f->path, "link", "dimension scales");
    if (rc == GS_OK && H5Fflush(f->file, H5F_SCOPE_GLOBAL) < 0)
        rc = gs_h5_error(err, f->path, "write", "");
    if (rc == GS_OK) {
        const herr_t closed = H5Fclose(f->file);
        f->file = GS_H5_CLOSED;
        rc = closed < 0 ? gs_h5_error(err, f->path, "close", "") : publish(f, err);
    }
    if (rc != GS_OK) {
        gs_h5_abandon(f);
        return rc;
    }
    release(f);
    return GS_OK;
}

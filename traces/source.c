/* source.c - three layers that each hand bytes up: what is stored (file or memory, digested), gzip, tar.
 *
 * gzip allows several members one after the other (what `cat a.gz b.gz` makes) and zero bytes as padding at the end (tapes);
 * both are accepted, anything else behind a member is an error, because a trace that silently ends early gives wrong
 * results. A truncated file is an error for the same reason. zlib does gzip; libarchive does tar, over our own unpacked
 * bytes, so that there is one way to unpack. An archive whose member is not named is gone through twice: first to see that it
 * holds one file only.
 *
 * Invariant: stored and digest cover exactly the bytes that were taken from the file since it was last rewound.
 * Cost: O(bytes), one block of each layer. Formats: RFC 1952 (gzip), POSIX pax and ustar (tar). */
#include "traces/source.h"

#include "sim/base/buf.h"
#include "sim/base/mem.h"

#include <xxhash.h>
#include <zlib.h>

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define BLOCK         ((size_t)1 << 17)
#define TAR_HEADER    512
#define TAR_MAGIC     257 /* where "ustar" stands */
#define MEMBERS_MAX   100000
#define MEMBERS_SHOWN 20

struct gs_input_source {
    const char *shown;
    char *path, *member; /* member: NULL = the only one */
    /* stored */
    FILE *file;
    unsigned char *memory;
    size_t memory_n, memory_at;
    XXH3_state_t *hash;
    uint64_t stored;
    unsigned char *raw; /* [BLOCK] */
    size_t raw_at, raw_n;
    /* gzip */
    z_stream z;
    int gzip, in_member, padded;
    uint64_t unpacked;
    /* tar */
    struct archive *tar;
    unsigned char *block; /* [BLOCK] unpacked: what was looked at, then what libarchive reads */
    size_t block_n, block_at;
    struct gs_err fault; /* met below libarchive */
};

/* ---- What is stored ---------------------------------------------------------------------------- */

/* The next stored bytes into raw, behind those that are not taken yet; raw_n == raw_at after it: the end. */
static enum gs_rc fill_raw(struct gs_input_source *s, struct gs_err *err)
{
    const size_t left = s->raw_n - s->raw_at;
    if (left)
        memmove(s->raw, s->raw + s->raw_at, left);
    s->raw_at = 0;
    size_t got = BLOCK - left;
    if (s->file) {
        errno = 0;
        got = fread(s->raw + left, 1, got, s->file);
        if (ferror(s->file))
            return gs_fail(err, GS_E_IO, "%s: cannot read: %s", s->shown, strerror(errno));
    } else {
        const size_t have = s->memory_n - s->memory_at;
        got = got < have ? got : have;
        if (got)
            memcpy(s->raw + left, s->memory + s->memory_at, got);
        s->memory_at += got;
    }
    s->raw_n = left + got;
    s->stored += got;
    (void)XXH3_128bits_update(s->hash, s->raw + left, got);
    return GS_OK;
}

static enum gs_rc need_raw(struct gs_input_source *s, size_t want, struct gs_err *err)
{
    return s->raw_n - s->raw_at >= want ? GS_OK : fill_raw(s, err);
}

static size_t raw_left(const struct gs_input_source *s)
{
    return s->raw_n - s->raw_at;
}

static int at_gzip(const struct gs_input_source *s)
{
    const unsigned char *p = s->raw + s->raw_at;
    return raw_left(s) >= 2 && p[0] == 0x1f && p[1] == 0x8b;
}

/* From the first byte again: 0 if the file cannot (a pipe). */
static int rewind_source(struct gs_input_source *s)
{
    if (s->file && fseek(s->file, 0, SEEK_SET) != 0)
        return 0;
    s->memory_at = s->raw_at = s->raw_n = s->block_at = s->block_n = 0;
    s->stored = s->unpacked = 0;
    s->in_member = s->padded = 0;
    (void)XXH3_128bits_reset(s->hash);
    return 1;
}

/* ---- gzip -------------------------------------------------------------------------------------- */

/* Stands at a member, or at the end (*end = 1). */
static enum gs_rc next_member(struct gs_input_source *s, int *end, struct gs_err *err)
{
    for (;;) {
        const enum gs_rc rc = need_raw(s, 2, err);
        if (rc != GS_OK)
            return rc;
        *end = raw_left(s) == 0;
        if (*end)
            return GS_OK;
        if (s->raw[s->raw_at] != 0 || s->unpacked == 0)
            break;
        s->padded = 1;
        s->raw_at++;
    }
    if (s->padded || !at_gzip(s))
        return gs_fail(err, GS_E_INPUT, "%s: there is something else after the gzip data",
                       s->shown);
    (void)inflateReset(&s->z);
    s->in_member = 1;
    return GS_OK;
}

static enum gs_rc inflate_some(struct gs_input_source *s, unsigned char *buf, size_t cap,
                               size_t *got, struct gs_err *err)
{
    const enum gs_rc rc = need_raw(s, 1, err);
    if (rc != GS_OK)
        return rc;
    s->z.next_in = s->raw + s->raw_at;
    s->z.avail_in = (uInt)raw_left(s);
    s->z.next_out = buf;
    s->z.avail_out = (uInt)(cap < BLOCK ? cap : BLOCK);
    const uInt before = s->z.avail_out;
    const int zrc = inflate(&s->z, Z_NO_FLUSH);
    s->raw_at = s->raw_n - s->z.avail_in;
    *got = before - s->z.avail_out;
    s->unpacked += *got;
    if (zrc == Z_STREAM_END) {
        s->in_member = 0;
        return GS_OK;
    }
    if (zrc == Z_MEM_ERROR)
        return gs_fail(err, GS_E_IO, "%s: out of memory while unpacking", s->shown);
    if (zrc != Z_OK && zrc != Z_BUF_ERROR)
        return gs_fail(err, GS_E_INPUT, "%s: the gzip file is damaged: %s", s->shown,
                       s->z.msg ? s->z.msg : "unknown fault");
    if (*got || raw_left(s))
        return GS_OK;
    const enum gs_rc io = need_raw(s, 1, err);
    if (io != GS_OK || raw_left(s))
        return io;
    return gs_fail(err, GS_E_INPUT, "%s: the gzip file is truncated (%llu bytes unpacked)",
                   s->shown, (unsigned long long)s->unpacked);
}

/* ---- Unpacked bytes ---------------------------------------------------------------------------- */

static enum gs_rc read_unpacked(struct gs_input_source *s, unsigned char *buf, size_t cap,
                                size_t *got, struct gs_err *err)
{
    *got = 0;
    if (!s->gzip) {
        const enum gs_rc rc = need_raw(s, 1, err);
        const size_t left = raw_left(s);
        *got = left < cap ? left : cap;
        memcpy(buf, s->raw + s->raw_at, *got);
        s->raw_at += *got;
        return rc;
    }
    enum gs_rc rc = GS_OK;
    for (int end = 0; rc == GS_OK && *got == 0 && !end;) {
        if (!s->in_member)
            rc = next_member(s, &end, err);
        if (rc == GS_OK && !end)
            rc = inflate_some(s, buf, cap, got, err);
    }
    return rc;
}

/* The first bytes of the text into block, to see what it is. */
static enum gs_rc look(struct gs_input_source *s, struct gs_err *err)
{
    enum gs_rc rc = need_raw(s, 2, err);
    if (rc != GS_OK)
        return rc;
    if (raw_left(s) == 0)
        return gs_fail(err, GS_E_INPUT, "%s: the file is empty", s->shown);
    s->gzip = at_gzip(s);
    for (size_t got = 1; rc == GS_OK && got && s->block_n < TAR_HEADER; s->block_n += got)
        rc = read_unpacked(s, s->block + s->block_n, BLOCK - s->block_n, &got, err);
    if (rc == GS_OK && s->block_n == 0)
        rc = gs_fail(err, GS_E_INPUT, "%s: the gzip file holds nothing", s->shown);
    return rc;
}

/* ---- tar --------------------------------------------------------------------------------------- */

static la_ssize_t give_block(struct archive *a, void *ctx, const void **bytes)
{
    struct gs_input_source *s = ctx;
    size_t got = s->block_n - s->block_at;
    *bytes = s->block + s->block_at;
    s->block_at = s->block_n;
    if (got == 0) {
        *bytes = s->block;
        if (read_unpacked(s, s->block, BLOCK, &got, &s->fault) != GS_OK) {
            archive_set_error(a, EIO, "%s", s->fault.msg);
            return -1;
        }
    }
    return (la_ssize_t)got;
}

static enum gs_rc tar_fault(const struct gs_input_source *s, struct gs_err *err)
{
    if (s->fault.msg[0])
        return gs_fail(err, s->fault.rc, "%s", s->fault.msg);
    const char *why = archive_error_string(s->tar);
    return gs_fail(err, GS_E_INPUT, "%s: the tar archive is damaged or truncated: %s", s->shown,
                   why ? why : "unknown fault");
}

static enum gs_rc open_tar(struct gs_input_source *s, struct gs_err *err)
{
    s->tar = archive_read_new();
    if (!s->tar)
        return gs_fail(err, GS_E_IO, "%s: out of memory while unpacking", s->shown);
    if (archive_read_support_format_tar(s->tar) != ARCHIVE_OK ||
        archive_read_open(s->tar, s, NULL, give_block, NULL) != ARCHIVE_OK)
        return tar_fault(s, err);
    return GS_OK;
}

static const char *without_dot(const char *name)
{
    return strncmp(name, "./", 2) == 0 ? name + 2 : name;
}

/* A file that holds data; those named ._x hold what macOS knows about x. */
static int is_counted(struct archive_entry *e, const char *name)
{
    const char *slash = strrchr(name, '/');
    return archive_entry_filetype(e) == AE_IFREG && strncmp(slash ? slash + 1 : name, "._", 2) != 0;
}

/* The next regular file; *name = NULL at the end. */
static enum gs_rc next_file(struct gs_input_source *s, const char **name, struct gs_err *err)
{
    *name = NULL;
    for (;;) {
        struct archive_entry *e = NULL;
        const int rc = archive_read_next_header(s->tar, &e);
        if (rc == ARCHIVE_EOF)
            return GS_OK;
        if (rc < ARCHIVE_WARN)
            return tar_fault(s, err);
        const char *path = archive_entry_pathname(e);
        if (!path || !is_counted(e, path))
            continue;
        *name = without_dot(path);
        return GS_OK;
    }
}

/* Stands at the member's data; without one, lists the files. `files` counts them. */
static enum gs_rc seek_member(struct gs_input_source *s, const char *member, struct gs_buf *list,
                              size_t *files, int *found, struct gs_err *err)
{
    const char *name = NULL;
    enum gs_rc rc = next_file(s, &name, err);
    *found = 0;
    for (*files = 0; rc == GS_OK && name; rc = next_file(s, &name, err)) {
        if (member && strcmp(name, without_dot(member)) == 0) {
            *found = 1;
            return GS_OK;
        }
        if (++*files > MEMBERS_MAX)
            return gs_fail(err, GS_E_INPUT, "%s: over %d files in this archive", s->shown,
                           MEMBERS_MAX);
        if (*files <= MEMBERS_SHOWN)
            gs_buf_fmt(list, "%s%s", *files > 1 ? ", " : "", name);
    }
    if (rc == GS_OK && *files > MEMBERS_SHOWN)
        gs_buf_fmt(list, " and %zu more", *files - MEMBERS_SHOWN);
    return rc;
}

/* Closes the archive and stands at the file's first byte again. */
static enum gs_rc start_again(struct gs_input_source *s, struct gs_err *err)
{
    (void)archive_read_free(s->tar);
    s->tar = NULL;
    if (!rewind_source(s))
        return gs_fail(err, GS_E_INPUT,
                       "%s: a tar archive through a pipe: name the member (FILE:MEMBER), or save "
                       "it first",
                       s->shown);
    return look(s, err);
}

/* Without a name, there must be one file: its name is kept. */
static enum gs_rc choose_member(struct gs_input_source *s, struct gs_err *err)
{
    struct gs_buf list = {0};
    size_t files = 0;
    int found = 0;
    enum gs_rc rc = open_tar(s, err);
    if (rc == GS_OK)
        rc = seek_member(s, NULL, &list, &files, &found, err);
    if (rc == GS_OK && files != 1)
        rc = files ? gs_fail(err, GS_E_INPUT,
                             "%s: this archive holds %zu files, say which: %s:MEMBER (%s)",
                             s->shown, files, s->shown, gs_buf_cstr(&list))
                   : gs_fail(err, GS_E_INPUT, "%s: this archive holds no file", s->shown);
    if (rc == GS_OK) {
        s->member = gs_strdup(gs_buf_cstr(&list));
        rc = start_again(s, err);
    }
    gs_buf_free(&list);
    return rc;
}

static enum gs_rc enter_tar(struct gs_input_source *s, struct gs_err *err)
{
    enum gs_rc rc = s->member ? GS_OK : choose_member(s, err);
    if (rc == GS_OK)
        rc = open_tar(s, err);
    struct gs_buf list = {0};
    size_t files = 0;
    int found = 0;
    if (rc == GS_OK)
        rc = seek_member(s, s->member, &list, &files, &found, err);
    if (rc == GS_OK && !found)
        rc = gs_fail(err, GS_E_INPUT, "%s: no file '%s' in this archive (it holds: %s)", s->path,
                     s->member, gs_buf_cstr(&list));
    gs_buf_free(&list);
    return rc;
}

/* ---- Together ---------------------------------------------------------------------------------- */

static enum gs_rc open_file(struct gs_input_source *s, struct gs_err *err)
{
    struct stat st;
    if (stat(s->path, &st) != 0)
        return gs_fail(err, GS_E_INPUT, "%s: %s", s->shown,
                       errno == ENOENT ? "no such file" : strerror(errno));
    if (S_ISDIR(st.st_mode))
        return gs_fail(err, GS_E_INPUT, "%s: is a directory, expected a file", s->shown);
    if (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)) /* some never end; pipes do */
        return gs_fail(err, GS_E_INPUT, "%s: is a device, expected a file", s->shown);
    s->file = fopen(s->path, "rb");
    if (!s->file)
        return gs_fail(err, GS_E_INPUT, "%s: cannot open: %s", s->shown, strerror(errno));
    return GS_OK;
}

/* FILE:MEMBER, where FILE exists and the whole does not. */
static void split_member(struct gs_input_source *s)
{
    struct stat st;
    if (stat(s->path, &st) == 0)
        return;
    for (char *colon = strchr(s->path, ':'); colon; colon = strchr(colon + 1, ':')) {
        *colon = '\0';
        if (colon[1] && stat(s->path, &st) == 0 && S_ISREG(st.st_mode)) {
            s->member = gs_strdup(colon + 1);
            return;
        }
        *colon = ':';
    }
}

static enum gs_rc begin(struct gs_input_source *s, struct gs_err *err)
{
    enum gs_rc rc = look(s, err);
    if (rc != GS_OK)
        return rc;
    if (s->block_n >= TAR_HEADER && memcmp(s->block + TAR_MAGIC, "ustar", 5) == 0)
        return enter_tar(s, err);
    if (s->member)
        rc = gs_fail(err, GS_E_INPUT, "%s: is no tar archive, so it has no member '%s'", s->path,
                     s->member);
    return rc;
}

static struct gs_input_source *new_source(const char *shown)
{
    struct gs_input_source *s = GS_NEW(struct gs_input_source);
    s->shown = shown;
    s->raw = gs_alloc(BLOCK);
    s->block = gs_alloc(BLOCK);
    s->hash = XXH3_createState();
    gs_verify(s->hash && XXH3_128bits_reset(s->hash) == XXH_OK);
    gs_verify(inflateInit2(&s->z, 15 + 16) == Z_OK);
    return s;
}

enum gs_rc gs_source_open(struct gs_input_source **out, const char *path, const char *shown,
                          struct gs_err *err)
{
    struct gs_input_source *s = new_source(shown);
    s->path = gs_strdup(path);
    split_member(s);
    enum gs_rc rc = open_file(s, err);
    if (rc == GS_OK)
        rc = begin(s, err);
    if (rc != GS_OK)
        gs_source_close(s);
    *out = rc == GS_OK ? s : NULL;
    return rc;
}

enum gs_rc gs_source_from(struct gs_input_source **out, const void *bytes, size_t n,
                          const char *shown, struct gs_err *err)
{
    struct gs_input_source *s = new_source(shown);
    s->path = gs_strdup(shown);
    s->memory = gs_alloc(n + 1);
    s->memory_n = n;
    if (n)
        memcpy(s->memory, bytes, n);
    const enum gs_rc rc = begin(s, err);
    if (rc != GS_OK)
        gs_source_close(s);
    *out = rc == GS_OK ? s : NULL;
    return rc;
}

void gs_source_close(struct gs_input_source *s)
{
    if (!s)
        return;
    if (s->tar)
        (void)archive_read_free(s->tar);
    (void)inflateEnd(&s->z);
    (void)XXH3_freeState(s->hash);
    if (s->file)
        (void)fclose(s->file);
    gs_free(s->memory);
    gs_free(s->raw);
    gs_free(s->block);
    gs_free(s->path);
    gs_free(s->member);
    gs_free(s);
}

enum gs_rc gs_source_read(struct gs_input_source *s, void *buf, size_t cap, size_t *got,
                          struct gs_err *err)
{
    *got = 0;
    if (s->tar) {
        const la_ssize_t n = archive_read_data(s->tar, buf, cap);
        if (n < 0)
            return tar_fault(s, err);
        *got = (size_t)n;
        return GS_OK;
    }
    const size_t left = s->block_n - s->block_at;
    if (left == 0)
        return read_unpacked(s, buf, cap, got, err);
    *got = left < cap ? left : cap;
    memcpy(buf, s->block + s->block_at, *got);
    s->block_at += *got;
    return GS_OK;
}

enum gs_rc gs_source_finish(struct gs_input_source *s, uint64_t *stored, char digest[33],
                            struct gs_err *err)
{
    enum gs_rc rc = GS_OK;
    for (size_t got = 1; rc == GS_OK && got;)
        rc = read_unpacked(s, s->block, BLOCK, &got, err);
    for (size_t n = 1; rc == GS_OK && n; n = raw_left(s)) {
        s->raw_at = s->raw_n;
        rc = fill_raw(s, err);
    }
    XXH128_canonical_t c;
    XXH128_canonicalFromHash(&c, XXH3_128bits_digest(s->hash));
    for (size_t i = 0; i < sizeof c.digest; i++)
        (void)gs_fmt(digest + 2 * i, 3, "%02x", (unsigned)c.digest[i]);
    *stored = s->stored;
    return rc;
}

/* input.c - a whole input file in memory.
 *
 * Traces are at most some hundred megabytes and are read once, so the file is read whole, digested as stored, and
 * unpacked if it starts with gzip's two magic bytes. gzip allows several members one after the other (what `cat a.gz b.gz`
 * makes) and zero bytes as padding at the end (tapes); both are accepted, anything else behind a member is an error, because a
 * trace that silently ends early gives wrong results. A truncated file is an error for the same reason.
 *
 * Invariant: text is terminated by a 0 that n does not count, so that a scan over digits needs no bounds check.
 * Cost: O(bytes); the unpacked text and, until it is unpacked, the stored bytes are held at once.
 * Formats: RFC 1952 (gzip). */
#include "traces/input.h"

#include "sim/base/mem.h"

#include <xxhash.h>
#include <zlib.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define TEXT_MAX ((size_t)8 << 30) /* unpacked; more is a bomb, not a trace */
#define CHUNK    ((size_t)1 << 20)

struct bytes {
    unsigned char *v;
    size_t n, cap;
};

static void make_room(struct bytes *b, size_t more)
{
    if (b->cap - b->n >= more)
        return;
    size_t cap = b->cap ? b->cap : CHUNK;
    while (cap - b->n < more)
        cap *= 2;
    b->v = gs_resize(b->v, cap, 1);
    b->cap = cap;
}

static enum gs_rc read_stream(FILE *f, struct bytes *b, const char *shown, struct gs_err *err)
{
    for (;;) {
        make_room(b, CHUNK);
        errno = 0;
        const size_t got = fread(b->v + b->n, 1, b->cap - b->n - 1, f);
        b->n += got;
        if (ferror(f))
            return gs_fail(err, GS_E_IO, "%s: cannot read: %s", shown, strerror(errno));
        if (got == 0)
            return GS_OK;
        if (b->n > TEXT_MAX)
            return gs_fail(err, GS_E_INPUT, "%s: over %zu bytes", shown, TEXT_MAX);
    }
}

static enum gs_rc read_stored(const char *path, const char *shown, struct bytes *b,
                              struct gs_err *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return gs_fail(err, GS_E_INPUT, "%s: %s", shown,
                       errno == ENOENT ? "no such file" : strerror(errno));
    if (S_ISDIR(st.st_mode))
        return gs_fail(err, GS_E_INPUT, "%s: is a directory, expected a file", shown);
    if (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)) /* some never end; pipes do */
        return gs_fail(err, GS_E_INPUT, "%s: is a device, expected a file", shown);
    FILE *f = fopen(path, "rb");
    if (!f)
        return gs_fail(err, GS_E_INPUT, "%s: cannot open: %s", shown, strerror(errno));
    const enum gs_rc rc = read_stream(f, b, shown, err);
    (void)fclose(f);
    return rc;
}

/* One gzip member from z's position; its text is appended to out. */
static enum gs_rc inflate_member(z_stream *z, struct bytes *out, const char *shown,
                                 struct gs_err *err)
{
    for (;;) {
        make_room(out, CHUNK);
        const size_t room = out->cap - out->n - 1;
        z->next_out = out->v + out->n;
        z->avail_out = room < CHUNK ? (uInt)room : (uInt)CHUNK;
        const uInt before = z->avail_out;
        const int rc = inflate(z, Z_NO_FLUSH);
        out->n += before - z->avail_out;
        if (rc == Z_STREAM_END)
            return GS_OK;
        if (rc == Z_MEM_ERROR)
            return gs_fail(err, GS_E_IO, "%s: out of memory while unpacking", shown);
        if (rc == Z_BUF_ERROR || (rc == Z_OK && z->avail_in == 0 && z->avail_out > 0))
            return gs_fail(err, GS_E_INPUT, "%s: the gzip file is truncated (%zu bytes unpacked)",
                           shown, out->n);
        if (rc != Z_OK)
            return gs_fail(err, GS_E_INPUT, "%s: the gzip file is damaged: %s", shown,
                           z->msg ? z->msg : "unknown fault");
        if (out->n > TEXT_MAX)
            return gs_fail(err, GS_E_INPUT, "%s: unpacks to over %zu bytes", shown, TEXT_MAX);
    }
}

static int is_gzip(const unsigned char *p, size_t n)
{
    return n >= 2 && p[0] == 0x1f && p[1] == 0x8b;
}

static int is_padding(const unsigned char *p, size_t n)
{
    size_t i = 0;
    while (i < n && p[i] == 0)
        i++;
    return i == n;
}

static enum gs_rc unpack(unsigned char *p, size_t n, struct bytes *out, const char *shown,
                         struct gs_err *err)
{
    z_stream z = {0};
    if (inflateInit2(&z, 15 + 16) != Z_OK)
        return gs_fail(err, GS_E_IO, "%s: out of memory while unpacking", shown);
    enum gs_rc rc = GS_OK;
    size_t at = 0;
    while (rc == GS_OK && at < n && !is_padding(p + at, n - at)) {
        if (!is_gzip(p + at, n - at)) {
            rc = gs_fail(err, GS_E_INPUT, "%s: %zu bytes of something else after the gzip data",
                         shown, n - at);
            break;
        }
        /* zlib counts in 32 bits; adopt() has refused longer files */
        z.next_in = p + at;
        z.avail_in = (uInt)(n - at);
        rc = inflate_member(&z, out, shown, err);
        at = n - z.avail_in;
        (void)inflateReset(&z);
    }
    (void)inflateEnd(&z);
    return rc;
}

static void digest_of(const void *p, size_t n, char hex[33])
{
    XXH128_canonical_t c;
    XXH128_canonicalFromHash(&c, XXH3_128bits(p, n));
    for (size_t i = 0; i < sizeof c.digest; i++)
        (void)gs_fmt(hex + 2 * i, 3, "%02x", (unsigned)c.digest[i]);
}

/* Takes over the stored bytes in b. */
static enum gs_rc adopt(struct gs_input *in, struct bytes *b, struct gs_err *err)
{
    in->stored = b->n;
    digest_of(b->v, b->n, in->digest);
    if (b->n == 0)
        return gs_fail(err, GS_E_INPUT, "%s: the file is empty", in->shown);
    if (is_gzip(b->v, b->n)) {
        struct bytes text = {0};
        enum gs_rc rc = GS_OK;
        if (b->n > UINT32_MAX)
            rc = gs_fail(err, GS_E_INPUT, "%s: gzip files over 4 GiB are not read", in->shown);
        else
            rc = unpack(b->v, b->n, &text, in->shown, err);
        gs_free(b->v);
        *b = text;
        if (rc != GS_OK)
            return rc;
        if (b->n == 0)
            return gs_fail(err, GS_E_INPUT, "%s: the gzip file holds nothing", in->shown);
    }
    static const unsigned char mark[3] = {0xef, 0xbb, 0xbf};
    if (b->n >= sizeof mark && memcmp(b->v, mark, sizeof mark) == 0) {
        memmove(b->v, b->v + sizeof mark, b->n - sizeof mark);
        b->n -= sizeof mark;
    }
    b->v[b->n] = 0;
    in->text = (char *)b->v;
    in->n = b->n;
    *b = (struct bytes){0};
    return GS_OK;
}

enum gs_rc gs_input_read(struct gs_input *in, const char *path, const char *shown,
                         struct gs_err *err)
{
    gs_require(in && path);
    *in = (struct gs_input){.shown = shown ? shown : path};
    struct bytes b = {0};
    enum gs_rc rc = read_stored(path, in->shown, &b, err);
    if (rc == GS_OK)
        rc = adopt(in, &b, err);
    gs_free(b.v);
    return rc;
}

enum gs_rc gs_input_from(struct gs_input *in, const void *bytes, size_t n, const char *shown,
                         struct gs_err *err)
{
    gs_require(in && shown && (bytes || n == 0));
    *in = (struct gs_input){.shown = shown};
    struct bytes b = {0};
    make_room(&b, n + 1);
    gs_verify(b.v);
    if (n)
        memcpy(b.v, bytes, n);
    b.n = n;
    const enum gs_rc rc = adopt(in, &b, err);
    gs_free(b.v);
    return rc;
}

void gs_input_release(struct gs_input *in)
{
    gs_free(in->text);
    *in = (struct gs_input){0};
}

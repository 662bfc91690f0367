/* test_trace_input.c - input files: how bytes become lines, packed or not, whole or torn; and that memory does not grow with them. */
#include "sim/base/buf.h"
#include "sim/base/mem.h"
#include "sim/base/units.h"
#include "tests/unit/harness.h"
#include "traces/reader.h"

#include <zlib.h>

#include <archive.h>
#include <archive_entry.h>
#include <sys/wait.h>

/* The lines of some bytes, joined by '|', CR as r and LF as n; or the error. */
static void lines_are(const void *bytes, size_t n, const char *expected)
{
    struct gs_input in;
    struct gs_err err = {0};
    struct gs_buf got = {0};
    enum gs_rc rc = gs_input_from(&in, bytes, n, "t", &err);
    for (size_t len = 1; rc == GS_OK && len;) {
        const char *line = NULL;
        rc = gs_input_line(&in, &line, &len, &err);
        for (size_t i = 0; rc == GS_OK && i < len; i++)
            gs_buf_fmt(&got, "%c", line[i] == '\r' ? 'r' : line[i] == '\n' ? 'n' : line[i]);
        if (rc == GS_OK && len)
            gs_buf_str(&got, "|");
    }
    if (rc != GS_OK) {
        gs_buf_clear(&got);
        gs_buf_str(&got, err.msg);
    }
    GS_HAS(gs_buf_cstr(&got), expected);
    gs_input_close(&in);
    gs_buf_free(&got);
}

static void lines_end_in_three_ways(void)
{
    static const struct {
        const char *text, *lines;
    } cases[] = {
        {"a\nb\n", "an|bn|"},
        {"a\r\nb", "arn|b|"},
        {"a\rb\rc\r", "ar|br|cr|"},
        {"a\r\rb\n\n", "ar|r|bn|n|"},
        {"\n", "n|"},
        {"a\r", "ar|"},
        {"\xef\xbb\xbf"
         "a\nb",
         "an|b|"},
        {"\xff\xfe"
         "a",
         "UTF-16"},
        {"", "the file is empty"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        lines_are(cases[i].text, strlen(cases[i].text), cases[i].lines);
}

static void lines_are_whole_across_windows(void)
{
    struct gs_buf text = {0};
    for (int i = 0; i < 200000; i++)
        gs_buf_fmt(&text, "%d,%0*d%s", i, i % 97 + 1, i,
                   i % 3 == 0   ? "\n"
                   : i % 3 == 1 ? "\r\n"
                                : "\r");
    struct gs_input in;
    struct gs_err err = {0};
    CU_ASSERT_EQUAL_FATAL(gs_input_from(&in, text.s, text.n, "t", &err), GS_OK);
    size_t at = 0;
    int lines = 0;
    for (size_t len = 1; len; lines++) {
        const char *line = NULL;
        CU_ASSERT_EQUAL_FATAL(gs_input_line(&in, &line, &len, &err), GS_OK);
        CU_ASSERT_TRUE_FATAL(at + len <= text.n && memcmp(text.s + at, line, len) == 0);
        at += len;
    }
    GS_EQ_INT(lines - 1, 200000);
    GS_EQ_INT(at, text.n);
    CU_ASSERT_TRUE(in.cap < (size_t)2 << 20); /* the window, not the file */
    gs_input_close(&in);
    gs_buf_free(&text);
}

static void a_line_without_end_is_refused(void)
{
    const size_t n = (size_t)65 << 20;
    char *text = gs_alloc(n);
    memset(text, 'x', n);
    lines_are(text, n, "a line of over 64 MiB");
    gs_free(text);
}

/* ---- gzip -------------------------------------------------------------------------------------- */

static size_t pack(const void *text, size_t n, unsigned char *out, size_t cap)
{
    z_stream z = {0};
    CU_ASSERT_EQUAL_FATAL(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)text;
    z.avail_in = (uInt)n;
    z.next_out = out;
    z.avail_out = (uInt)cap;
    CU_ASSERT_EQUAL_FATAL(deflate(&z, Z_FINISH), Z_STREAM_END);
    (void)deflateEnd(&z);
    return cap - z.avail_out;
}

static void packed_text_is_the_same_text(void)
{
    unsigned char gz[4096];
    size_t n = pack("a\nb\n", 4, gz, sizeof gz);
    lines_are(gz, n, "an|bn|");
    const size_t one = n;
    n += pack("c\n", 2, gz + n, sizeof gz - n); /* two members */
    lines_are(gz, n, "an|bn|cn|");
    memset(gz + n, 0, 600); /* padding, then something behind it */
    lines_are(gz, n + 600, "an|bn|cn|");
    gz[n + 600] = 'x';
    lines_are(gz, n + 601, "something else after the gzip data");
    for (size_t cut = 3; cut < one; cut++)
        lines_are(gz, cut, "truncated");
    gz[one - 6] ^= 1; /* the checksum */
    lines_are(gz, one, "damaged");
    n = pack("", 0, gz, sizeof gz);
    lines_are(gz, n, "holds nothing");
}

/* ---- tar --------------------------------------------------------------------------------------- */

struct member {
    const char *name, *text;
};

/* a.tar.gz, or a.tar, in the test's folder. */
static const char *archive_of(const char *name, const struct member *m, size_t n, char *path,
                              size_t cap)
{
    struct archive *a = archive_write_new();
    (void)gs_test_write(name, "", 0, path, cap);
    CU_ASSERT_EQUAL_FATAL(archive_write_set_format_ustar(a), ARCHIVE_OK);
    if (strstr(name, ".gz"))
        CU_ASSERT_EQUAL_FATAL(archive_write_add_filter_gzip(a), ARCHIVE_OK);
    CU_ASSERT_EQUAL_FATAL(archive_write_open_filename(a, path), ARCHIVE_OK);
    for (size_t i = 0; i < n; i++) {
        struct archive_entry *e = archive_entry_new();
        archive_entry_set_pathname(e, m[i].name);
        archive_entry_set_perm(e, 0644);
        archive_entry_set_filetype(e, m[i].text ? AE_IFREG : AE_IFDIR);
        archive_entry_set_size(e, m[i].text ? (la_int64_t)strlen(m[i].text) : 0);
        CU_ASSERT_EQUAL_FATAL(archive_write_header(a, e), ARCHIVE_OK);
        if (m[i].text)
            (void)archive_write_data(a, m[i].text, strlen(m[i].text));
        archive_entry_free(e);
    }
    CU_ASSERT_EQUAL_FATAL(archive_write_close(a), ARCHIVE_OK);
    (void)archive_write_free(a);
    return path;
}

/* Opens, reads all; the text or the error holds `expected`. */
static void file_is(const char *path, const char *expected)
{
    struct gs_input in;
    struct gs_err err = {0};
    enum gs_rc rc = gs_input_open(&in, path, NULL, &err);
    if (rc == GS_OK)
        rc = gs_input_rest(&in, &err);
    GS_HAS(rc == GS_OK ? in.text + in.at : err.msg, expected);
    if (rc == GS_OK) {
        struct stat st;
        CU_ASSERT_EQUAL(gs_input_finish(&in, &err), GS_OK);
        if (stat(path, &st) == 0)
            GS_EQ_INT(in.stored, st.st_size); /* of the archive, not of the member */
        GS_EQ_INT(strlen(in.digest), 32);
    }
    gs_input_close(&in);
}

static void an_archive_of_one_file_is_that_file(void)
{
    static const struct member one[] = {
        {"d/", NULL}, {"d/._jobs.csv", "junk"}, {"d/jobs.csv", "a,b\n1,2\n"}};
    static const struct member two[] = {{"./x.csv", "x"}, {"y.csv", "y"}, {"._y.csv", "junk"}};
    char path[600];
    char named[700];
    file_is(archive_of("one.tar.gz", one, 3, path, sizeof path), "a,b\n1,2\n");
    file_is(archive_of("one.tar", one, 3, path, sizeof path), "a,b\n1,2\n");
    (void)archive_of("two.tar.gz", two, 3, path, sizeof path);
    file_is(path, "holds 2 files, say which: ");
    file_is(path, "(x.csv, y.csv)");
    (void)snprintf(named, sizeof named, "%s:x.csv", path);
    file_is(named, "x");
    (void)snprintf(named, sizeof named, "%s:y.csv", path);
    file_is(named, "y");
    (void)snprintf(named, sizeof named, "%s:z.csv", path);
    file_is(named, "no file 'z.csv' in this archive (it holds: x.csv, y.csv)");
    file_is(archive_of("none.tar", one, 1, path, sizeof path), "holds no file");
    (void)snprintf(named, sizeof named, "%s:m",
                   gs_test_write("plain.csv", "a\n", SIZE_MAX, path, sizeof path));
    file_is(named, "is no tar archive");
}

static void a_torn_archive_is_refused(void)
{
    static const struct member one[] = {{"jobs.csv", "a,b\n1,2\n3,4\n5,6\n"}};
    char path[600];
    char bytes[20000];
    FILE *f = fopen(archive_of("torn.tar", one, 1, path, sizeof path), "rb");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT_TRUE(fread(bytes, 1, sizeof bytes, f) >= 1024);
    (void)fclose(f);
    file_is(gs_test_write("torn.tar", bytes, 518, path, sizeof path), "damaged or truncated");
    file_is(gs_test_write("torn.tar", bytes, 512, path, sizeof path), "damaged or truncated");
    memset(bytes + 100, 0xff, 100);
    file_is(gs_test_write("bad.tar", bytes, 10240, path, sizeof path), "damaged or truncated");
}

static void what_is_no_file_is_refused(void)
{
    file_is("/dev/zero", "is a device");
    file_is("/", "is a directory");
    file_is("/nowhere/x.csv", "no such file");
    file_is("/nowhere/x.tar:y", "no such file");
}

/* ---- Memory ------------------------------------------------------------------------------------ */

#if defined(__SANITIZE_ADDRESS__)
#define PEAK_MAX ((size_t)1 << 30) /* the sanitizer keeps what is freed */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PEAK_MAX ((size_t)1 << 30)
#endif
#endif
#ifndef PEAK_MAX
#define PEAK_MAX ((size_t)64 << 20)
#endif

/* A gzip of `mib` MiB of rows of the Philly list, a few different ones, the digest of which does not matter. */
static void write_large(const char *path, unsigned mib)
{
    gzFile f = gzopen(path, "wb1");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    struct gs_buf block = {0};
    for (unsigned i = 0; block.n < (size_t)1 << 20; i++)
        gs_buf_fmt(&block, "2017-11-%02u 10:%02u:00,%u.0,%u,%u.0,vc%u,%0500u\n", i % 28 + 1, i % 60,
                   60 + i % 7, 1 + i % 8, (60 + i % 7) * (1 + i % 8), i % 15, i % 100);
    (void)gzputs(f, "timestamp,duration,num_gpus,gpu_time,cluster,note\n");
    for (unsigned i = 0; i < mib; i++)
        (void)gzwrite(f, block.s, (unsigned)block.n);
    gs_buf_free(&block);
    CU_ASSERT_EQUAL_FATAL(gzclose(f), Z_OK);
}

static enum gs_rc count_job(void *ctx, const struct gs_job *j,
                            const struct gs_job_attempt *attempts, const struct gs_job_attr *attrs,
                            struct gs_err *err)
{
    (void)attempts;
    (void)attrs;
    (void)err;
    *(uint64_t *)ctx += j->gpus > 0;
    return GS_OK;
}

/* In a child, whose peak is its own: info, then a scan. The exit status says what was wrong. */
static int child(const char *path)
{
    struct gs_trace_options o;
    struct gs_trace_summary s;
    struct gs_trace_counts n;
    struct gs_err err = {0};
    gs_trace_options_init(&o);
    o.path = path;
    if (gs_trace_info(&o, &s, &err) != GS_OK)
        return 1;
    const uint64_t rows = s.n.rows;
    gs_trace_summary_release(&s);
    struct gs_intern str;
    uint64_t jobs = 0;
    const struct gs_sink sink = {.ctx = &jobs, .job = count_job};
    gs_intern_init(&str);
    if (gs_trace_scan(&o, &str, &sink, &n, &err) != GS_OK || jobs != rows || rows < 500000)
        return 2;
    gs_intern_release(&str);
    return gs_peak_rss() < PEAK_MAX ? 0 : 3;
}

static void memory_does_not_grow_with_the_file(void)
{
    char path[600];
    (void)gs_test_write("large.csv.gz", "", 0, path, sizeof path);
    write_large(path, 320);
    (void)fflush(stdout);
    const pid_t pid = fork();
    CU_ASSERT_TRUE_FATAL(pid >= 0);
    if (pid == 0)
        _exit(child(path));
    int status = -1;
    CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
    CU_ASSERT_TRUE(WIFEXITED(status));
    GS_EQ_INT(WEXITSTATUS(status), 0);
    (void)remove(path);
}

static const struct gs_test tests[] = {
    {"lines end in three ways", lines_end_in_three_ways},
    {"memory does not grow with the file",
     memory_does_not_grow_with_the_file}, /* before others fill it */
    {"lines across windows", lines_are_whole_across_windows},
    {"a line without end", a_line_without_end_is_refused},
    {"gzip", packed_text_is_the_same_text},
    {"tar", an_archive_of_one_file_is_that_file},
    {"torn tar", a_torn_archive_is_refused},
    {"no file", what_is_no_file_is_refused},
};
GS_TEST_MAIN("traces/input", tests)

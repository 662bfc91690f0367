/* The results file: what is written can be read back, equal runs give equal bytes, and a failure leaves nothing behind. */
#include "sim/base/mem.h"
#include "sim/metrics/results.h"
#include "tests/unit/harness.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const char *const state_names[] = {"pending", "running", "completed", NULL};

static const struct gs_column id_column = {"id", GS_U32, "1", "row number", NULL, NULL};
static const struct gs_column name_column = {"name", GS_STR, "1", "name", NULL, NULL};
static const struct gs_column time_column = {"time_s", GS_F64, "s", "time", "time: point", NULL};
static const struct gs_column state_column = {"state", GS_U8, "1", "state", NULL, state_names};

static const struct gs_column table_columns[] = {
    {"job", GS_U32, "1", "job", NULL, NULL},      {"start_s", GS_F64, "s", "start", NULL, NULL},
    {"gpu", GS_I32, "1", "GPU", NULL, NULL},      {"seed", GS_U64, "1", "seed", NULL, NULL},
    {"level", GS_U16, "1", "level", NULL, NULL},  {"cpus", GS_I64, "1", "CPUs", NULL, NULL},
    {"reason", GS_U8, "1", "reason", NULL, NULL},
};

enum {
    TABLE_COLUMNS = sizeof table_columns / sizeof *table_columns
};

static struct gs_h5 *create(const char *path, int compress)
{
    struct gs_err err;
    struct gs_h5 *f = NULL;
    if (gs_h5_create(&f, path, compress, &err) != GS_OK) {
        printf("%s\n", err.msg);
        CU_FAIL_FATAL("cannot create");
    }
    return f;
}

static struct gs_h5_in *reopen(const char *path)
{
    struct gs_err err;
    struct gs_h5_in *in = NULL;
    if (gs_h5_open(&in, path, &err) != GS_OK) {
        printf("%s\n", err.msg);
        CU_FAIL_FATAL("cannot open");
    }
    return in;
}

static enum gs_rc add_rows(struct gs_h5 *f, uint32_t n, struct gs_err *err)
{
    struct gs_h5_table *t = NULL;
    enum gs_rc rc = gs_h5_table_open(f, "allocations", table_columns, TABLE_COLUMNS, &t, err);
    for (uint32_t i = 0; rc == GS_OK && i < n; i++) {
        const double start = i % 7 ? (double)i * 0.25 : (double)NAN;
        const int32_t gpu = (int32_t)(i % 9) - 1;
        const uint64_t seed = UINT64_C(0x9e3779b97f4a7c15) * (i + 1);
        const uint16_t level = (uint16_t)(i % 1000);
        const int64_t cpus = -(int64_t)i;
        const uint8_t reason = (uint8_t)(i % 3);
        const void *const row[TABLE_COLUMNS] = {&i, &start, &gpu, &seed, &level, &cpus, &reason};
        rc = gs_h5_table_row(t, row, err);
    }
    return rc == GS_OK ? gs_h5_table_close(t, err) : rc;
}

/* A small file of everything. */
static void write_sample(const char *path, int compress, uint32_t rows, char digest[33])
{
    struct gs_h5 *f = create(path, compress);
    struct gs_err err;
    const uint32_t ids[] = {0, 1, 2};
    const char *const names[] = {"a", "größer", ""};
    const double times[] = {0, 1.5, (double)NAN};
    const uint8_t states[] = {2, 0, 1};
    CU_ASSERT_EQUAL(gs_h5_attr_str(f, "schema", "gsim/1.0", &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_attr_u64(f, "seed", UINT64_MAX, &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_attr_i64(f, "complete", -1, &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_attr_f64(f, "end_s", 0.1, &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_column(f, "/jobs", &id_column, ids, 3, &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_column(f, "/jobs", &name_column, names, 3, &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_column(f, "jobs", &time_column, times, 3, &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_column(f, "jobs", &state_column, states, 3, &err), GS_OK);
    CU_ASSERT_EQUAL(add_rows(f, rows, &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_column(f, "/series/queues/a", &id_column, ids, 2, &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_finish(f, digest, &err), GS_OK);
}

static void columns_come_back(void)
{
    char path[600], digest[33];
    size_t n;
    write_sample(gs_test_tmp_file("a.h5", path, sizeof path), 4, 10, digest);
    struct gs_h5_in *in = reopen(path);
    double *t = gs_h5_read_f64(in, "/jobs/time_s", &n);
    GS_EQ_INT(n, 3);
    GS_EQ_BITS(t[1], 1.5);
    CU_ASSERT(isnan(t[2]));
    gs_free(t);
    char **s = gs_h5_read_str(in, "jobs/name", &n);
    GS_EQ_INT(n, 3);
    GS_EQ_STR(s[1], "größer");
    GS_EQ_STR(s[2], "");
    gs_free(s);
    s = gs_h5_read_flags(in, "jobs/state", &n);
    GS_EQ_INT(n, 3);
    GS_EQ_STR(s[2], "completed");
    gs_free(s);
    gs_h5_close(in);
}

static void attributes_come_back(void)
{
    static const char *const expected[][2] = {{"schema", "gsim/1.0"},
                                              {"seed", "18446744073709551615"},
                                              {"complete", "-1"},
                                              {"end_s", "0.10000000000000001"}};
    char path[600], digest[33];
    write_sample(gs_test_tmp_file("attr.h5", path, sizeof path), 4, 10, digest);
    struct gs_h5_in *in = reopen(path);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char *s = gs_h5_read_attr_str(in, expected[i][0]);
        GS_EQ_STR(s, expected[i][1]);
        gs_free(s);
    }
    char *stored = gs_h5_read_attr_str(in, "data_digest");
    GS_EQ_STR(stored, digest);
    gs_free(stored);
    CU_ASSERT_PTR_NULL(gs_h5_read_attr_str(in, "no such"));
    gs_h5_close(in);
}

static void attributes_may_be_long_and_set_twice(void)
{
    char path[600], digest[33];
    struct gs_err err;
    struct gs_h5 *f = create(gs_test_tmp_file("long.h5", path, sizeof path), 4);
    const size_t len = 300000;
    char *text = gs_zalloc(len + 1, 1);
    memset(text, 'x', len);
    for (int i = 0; i < 20; i++) { /* enough to leave the compact form of attributes */
        char name[16];
        (void)snprintf(name, sizeof name, "a%d", i);
        CU_ASSERT_EQUAL(gs_h5_attr_u64(f, name, (uint64_t)i, &err), GS_OK);
    }
    CU_ASSERT_EQUAL(gs_h5_attr_str(f, "created_from", "short", &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_attr_str(f, "created_from", text, &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_finish(f, digest, &err), GS_OK);
    struct gs_h5_in *in = reopen(path);
    char *back = gs_h5_read_attr_str(in, "created_from");
    GS_EQ_STR(back, text);
    gs_free(back);
    gs_free(text);
    gs_h5_close(in);
}

static void groups_list_their_columns_in_order(void)
{
    char path[600], digest[33], **names;
    write_sample(gs_test_tmp_file("order.h5", path, sizeof path), 4, 10, digest);
    struct gs_h5_in *in = reopen(path);
    GS_EQ_INT(gs_h5_children(in, "/jobs", &names), 4);
    GS_EQ_STR(names[0], "id");
    GS_EQ_STR(names[3], "state");
    gs_free(names);
    GS_EQ_INT(gs_h5_children(in, "/", &names), 3);
    GS_EQ_STR(names[1], "allocations");
    gs_free(names);
    GS_EQ_INT(gs_h5_children(in, "/nowhere", &names), 0);
    CU_ASSERT_PTR_NULL(names);
    gs_h5_close(in);
}

static void what_is_absent_is_null(void)
{
    char path[600], digest[33];
    size_t n = 7;
    write_sample(gs_test_tmp_file("absent.h5", path, sizeof path), 4, 10, digest);
    struct gs_h5_in *in = reopen(path);
    CU_ASSERT_PTR_NULL(gs_h5_read_f64(in, "/jobs/gone", &n));
    GS_EQ_INT(n, 0);
    CU_ASSERT_PTR_NULL(gs_h5_read_f64(in, "/jobs/name", &n)); /* not a number */
    CU_ASSERT_PTR_NULL(gs_h5_read_str(in, "/jobs/id", &n));   /* not a string */
    CU_ASSERT_PTR_NULL(gs_h5_read_flags(in, "/jobs/id", &n)); /* not a code */
    CU_ASSERT_PTR_NULL(gs_h5_read_f64(in, "/jobs", &n));      /* not a column */
    gs_h5_close(in);
}

/* Lengths below, at and above a whole number of chunks of the widest column (16384 rows). */
static void tables_of_any_length_come_back(void)
{
    static const uint32_t lengths[] = {1, 16383, 16384, 16385, 32768, 140000};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        char path[600], digest[33];
        size_t n, wrong = 0;
        write_sample(gs_test_tmp_file("table.h5", path, sizeof path), k % 2 ? 4 : 0, lengths[k],
                     digest);
        struct gs_h5_in *in = reopen(path);
        double *start = gs_h5_read_f64(in, "/allocations/start_s", &n);
        GS_EQ_INT(n, lengths[k]);
        double *cpus = gs_h5_read_f64(in, "/allocations/cpus", &n);
        GS_EQ_INT(n, lengths[k]);
        double *reason = gs_h5_read_f64(in, "/allocations/reason", &n);
        GS_EQ_INT(n, lengths[k]);
        for (size_t i = 0; i < n; i++) {
            const int gap = i % 7 == 0;
            if (gap ? !isnan(start[i]) : (int64_t)(4 * start[i]) != (int64_t)i)
                wrong++;
            if ((int64_t)cpus[i] != -(int64_t)i || (size_t)reason[i] != i % 3)
                wrong++;
        }
        GS_EQ_INT(wrong, 0);
        gs_free(start);
        gs_free(cpus);
        gs_free(reason);
        gs_h5_close(in);
    }
}

static void a_table_without_rows_makes_no_group(void)
{
    char path[600], digest[33], **names;
    write_sample(gs_test_tmp_file("norows.h5", path, sizeof path), 4, 0, digest);
    struct gs_h5_in *in = reopen(path);
    GS_EQ_INT(gs_h5_children(in, "/allocations", &names), 0);
    GS_EQ_INT(gs_h5_children(in, "/", &names), 2);
    gs_free(names);
    gs_h5_close(in);
}

static void a_column_without_rows_is_there_and_empty(void)
{
    char path[600], digest[33], **names;
    struct gs_err err;
    size_t n = 1;
    struct gs_h5 *f = create(gs_test_tmp_file("empty.h5", path, sizeof path), 4);
    CU_ASSERT_EQUAL(gs_h5_column(f, "jobs", &id_column, NULL, 0, &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_column(f, "jobs", &name_column, NULL, 0, &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_finish(f, digest, &err), GS_OK);
    struct gs_h5_in *in = reopen(path);
    GS_EQ_INT(gs_h5_children(in, "/jobs", &names), 2);
    gs_free(names);
    double *v = gs_h5_read_f64(in, "/jobs/id", &n);
    CU_ASSERT_PTR_NOT_NULL(v);
    GS_EQ_INT(n, 0);
    gs_free(v);
    gs_h5_close(in);
}

static int same_bytes(const char *a, const char *b)
{
    FILE *x = fopen(a, "rb"), *y = fopen(b, "rb");
    int same = x && y, c = 0;
    while (same && c != EOF) {
        c = getc(x);
        same = getc(y) == c;
    }
    if (x)
        (void)fclose(x);
    if (y)
        (void)fclose(y);
    return same;
}

static void equal_runs_write_equal_bytes(void)
{
    char a[600], b[600], da[33], db[33];
    write_sample(gs_test_tmp_file("same1.h5", a, sizeof a), 4, 40000, da);
    write_sample(gs_test_tmp_file("same2.h5", b, sizeof b), 4, 40000, db);
    GS_EQ_STR(da, db);
    CU_ASSERT(same_bytes(a, b));
}

static void the_digest_is_of_data_not_of_storage(void)
{
    char path[600], deflated[33], plain[33], longer[33];
    gs_test_tmp_file("digest.h5", path, sizeof path);
    write_sample(path, 9, 40000, deflated);
    write_sample(path, 0, 40000, plain);
    write_sample(path, 4, 40001, longer);
    GS_EQ_STR(deflated, plain);
    CU_ASSERT_STRING_NOT_EQUAL(deflated, longer);
    GS_EQ_INT(strlen(deflated), 32);
}

/* The same columns in another order of writing are the same data; another type or name is not. */
static void digest_of(const struct gs_column *cols, size_t n, char digest[33])
{
    char path[600];
    struct gs_err err;
    const uint32_t v[] = {1, 2};
    struct gs_h5 *f = create(gs_test_tmp_file("d.h5", path, sizeof path), 4);
    for (size_t i = 0; i < n; i++)
        CU_ASSERT_EQUAL(gs_h5_column(f, "g", &cols[i], v, 2, &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_finish(f, digest, &err), GS_OK);
}

static void the_digest_follows_names_and_types_not_order_or_attributes(void)
{
    const struct gs_column a = {"a", GS_U32, "1", "", NULL, NULL},
                           b = {"b", GS_U32, "s", "", NULL, NULL};
    const struct gs_column b2 = {"b", GS_I32, "s", "", NULL, NULL},
                           c = {"c", GS_U32, "s", "", NULL, NULL};
    const struct gs_column bu = {"b", GS_U32, "h", "other", NULL, NULL};
    char ab[33], ba[33], ab2[33], ac[33], abu[33];
    digest_of((const struct gs_column[]){a, b}, 2, ab);
    digest_of((const struct gs_column[]){b, a}, 2, ba);
    digest_of((const struct gs_column[]){a, b2}, 2, ab2);
    digest_of((const struct gs_column[]){a, c}, 2, ac);
    digest_of((const struct gs_column[]){a, bu}, 2, abu);
    GS_EQ_STR(ba, ab);
    GS_EQ_STR(abu, ab);
    CU_ASSERT_STRING_NOT_EQUAL(ab2, ab);
    CU_ASSERT_STRING_NOT_EQUAL(ac, ab);
}

static void every_nan_is_the_same_nan(void)
{
    static const uint64_t bits[] = {UINT64_C(0x7ff8000000000000), UINT64_C(0xfff8000000000000),
                                    UINT64_C(0x7ff8000000000001)};
    char digest[3][33];
    for (size_t i = 0; i < 3; i++) {
        char path[600];
        struct gs_err err;
        double v[2] = {-0.0, 0};
        memcpy(&v[1], &bits[i], 8);
        struct gs_h5 *f = create(gs_test_tmp_file("nan.h5", path, sizeof path), 4);
        CU_ASSERT_EQUAL(gs_h5_column(f, "g", &time_column, v, 2, &err), GS_OK);
        CU_ASSERT_EQUAL(gs_h5_finish(f, digest[i], &err), GS_OK);
    }
    GS_EQ_STR(digest[1], digest[0]);
    GS_EQ_STR(digest[2], digest[0]);
}

static void nothing_stands_under_the_name_before_the_end(void)
{
    char path[600], part[600], digest[33];
    struct gs_err err;
    struct gs_h5 *f = create(gs_test_tmp_file("late.h5", path, sizeof path), 4);
    gs_test_tmp_file("late.h5.part", part, sizeof part);
    CU_ASSERT_EQUAL(access(path, F_OK), -1);
    CU_ASSERT_EQUAL(access(part, F_OK), 0);
    CU_ASSERT_EQUAL(gs_h5_finish(f, digest, &err), GS_OK);
    CU_ASSERT_EQUAL(access(path, F_OK), 0);
    CU_ASSERT_EQUAL(access(part, F_OK), -1);
}

static void an_abandoned_file_leaves_nothing(void)
{
    char path[600], part[600];
    struct gs_err err;
    struct gs_h5_table *t;
    const uint32_t v[] = {1, 2};
    struct gs_h5 *f = create(gs_test_tmp_file("gone.h5", path, sizeof path), 4);
    gs_test_tmp_file("gone.h5.part", part, sizeof part);
    CU_ASSERT_EQUAL(gs_h5_column(f, "g", &id_column, v, 2, &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_table_open(f, "t", table_columns, TABLE_COLUMNS, &t, &err), GS_OK);
    gs_h5_abandon(f); /* the open table goes with it */
    gs_h5_abandon(NULL);
    CU_ASSERT_EQUAL(access(path, F_OK), -1);
    CU_ASSERT_EQUAL(access(part, F_OK), -1);
}

/* In a child, since what HDF5 holds of a file that it cannot close stays allocated. Writes the message to `to`. */
static int fill_disk(const char *path, rlim_t limit, int compress, uint32_t rows, int to)
{
    char digest[33];
    struct gs_err err = {0};
    struct gs_h5 *f = NULL;
    const struct rlimit low = {.rlim_cur = limit, .rlim_max = limit};
    (void)signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &low) != 0)
        return 99;
    enum gs_rc rc = gs_h5_create(&f, path, compress, &err);
    if (rc == GS_OK)
        rc = add_rows(f, rows, &err);
    if (rc == GS_OK)
        rc = gs_h5_finish(f, digest, &err);
    else
        gs_h5_abandon(f);
    return write(to, err.msg, sizeof err.msg) == sizeof err.msg ? gs_exit_status(rc) : 98;
}

/* A limit of the size of files stands for a full disk: the system refuses to write on. */
static void write_until_full(rlim_t limit, int compress, uint32_t rows)
{
    char path[600], part[600], msg[sizeof((struct gs_err *)0)->msg] = "";
    int ends[2], status = 0;
    gs_test_tmp_file("full.h5", path, sizeof path);
    gs_test_tmp_file("full.h5.part", part, sizeof part);
    CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0)
        _exit(fill_disk(path, limit, compress, rows, ends[1]));
    CU_ASSERT_EQUAL(read(ends[0], msg, sizeof msg), (ssize_t)sizeof msg);
    CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
    (void)close(ends[0]);
    (void)close(ends[1]);
    GS_EQ_INT(WEXITSTATUS(status), 4);
    GS_HAS(msg, "full.h5");
    GS_HAS(msg, "File too large");
    CU_ASSERT_EQUAL(access(path, F_OK), -1);
    CU_ASSERT_EQUAL(access(part, F_OK), -1);
}

static void a_full_disk_is_an_error_and_leaves_nothing(void)
{
    static const rlim_t limits[] = {0, 1024, 4096, 20000, 100000};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        write_until_full(limits[i], 4, 200000);
        write_until_full(limits[i], 0, 200000);
    }
    write_until_full(1024, 4, 10); /* seen at the end only */
}

static void bad_places_are_refused_before_the_run(void)
{
    char path[700], dir[600];
    struct gs_err err;
    struct gs_h5 *f;
    GS_EQ_INT(gs_h5_probe("/no/such/folder/x.h5", &err), GS_E_IO);
    GS_HAS(err.msg, "No such file or directory");
    GS_EQ_INT(gs_h5_probe(gs_test_tmp(), &err), GS_E_IO);
    GS_HAS(err.msg, "it is a directory");
    GS_EQ_INT(gs_h5_probe("/dev/null", &err), GS_E_IO);
    GS_HAS(err.msg, "not a regular file");
    GS_EQ_INT(gs_h5_create(&f, "/dev/null", 4, &err), GS_E_IO);
    CU_ASSERT_PTR_NULL(f);
    GS_EQ_INT(gs_h5_probe(gs_test_tmp_file("fine.h5", path, sizeof path), &err), GS_OK);
    gs_test_write("plain", "x", 1, dir, sizeof dir);
    (void)snprintf(path, sizeof path, "%s/x.h5", dir);
    GS_EQ_INT(gs_h5_probe(path, &err), GS_E_IO);
    if (geteuid() != 0) { /* root may write anywhere */
        gs_test_tmp_file("readonly", dir, sizeof dir);
        CU_ASSERT_EQUAL(mkdir(dir, 0555), 0);
        (void)snprintf(path, sizeof path, "%s/x.h5", dir);
        GS_EQ_INT(gs_h5_probe(path, &err), GS_E_IO);
        GS_HAS(err.msg, "Permission denied");
    }
}

static void what_is_not_a_results_file_is_said(void)
{
    char path[600];
    struct gs_err err;
    struct gs_h5_in *in;
    GS_EQ_INT(gs_h5_open(&in, "/no/such.h5", &err), GS_E_INPUT);
    GS_HAS(err.msg, "No such file");
    GS_EQ_INT(gs_h5_open(&in, gs_test_tmp(), &err), GS_E_INPUT);
    GS_HAS(err.msg, "is a directory");
    GS_EQ_INT(gs_h5_open(&in, gs_test_write("x.ini", "[a]\n", SIZE_MAX, path, sizeof path), &err),
              GS_E_INPUT);
    GS_HAS(err.msg, "not an HDF5 file");
    GS_EQ_INT(gs_h5_open(&in, gs_test_write("e.h5", "", 0, path, sizeof path), &err), GS_E_INPUT);
    GS_EQ_INT(
        gs_h5_open(&in, gs_test_write("cut.h5", "\211HDF\r\n\032\n", 8, path, sizeof path), &err),
        GS_E_INPUT);
    gs_h5_close(NULL);
}

static const struct gs_test tests[] = {
    {"columns come back", columns_come_back},
    {"attributes come back", attributes_come_back},
    {"attributes may be long and set twice", attributes_may_be_long_and_set_twice},
    {"groups list their columns in order", groups_list_their_columns_in_order},
    {"what is absent is NULL", what_is_absent_is_null},
    {"tables of any length come back", tables_of_any_length_come_back},
    {"a table without rows makes no group", a_table_without_rows_makes_no_group},
    {"a column without rows is there and empty", a_column_without_rows_is_there_and_empty},
    {"equal runs write equal bytes", equal_runs_write_equal_bytes},
    {"the digest is of data, not of storage", the_digest_is_of_data_not_of_storage},
    {"the digest follows names and types",
     the_digest_follows_names_and_types_not_order_or_attributes},
    {"every NaN is the same NaN", every_nan_is_the_same_nan},
    {"nothing stands under the name before the end", nothing_stands_under_the_name_before_the_end},
    {"an abandoned file leaves nothing", an_abandoned_file_leaves_nothing},
    {"a full disk is an error and leaves nothing", a_full_disk_is_an_error_and_leaves_nothing},
    {"bad places are refused before the run", bad_places_are_refused_before_the_run},
    {"what is not a results file is said", what_is_not_a_results_file_is_said},
};

GS_TEST_MAIN("metrics/results", tests)

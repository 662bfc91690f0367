/* h5read.c - a results file read back: columns as doubles or strings, attributes as text.
 *
 * Anything that is absent, or is not of a kind that can be had as asked, is NULL with a count of 0: files of older schemas lack
 * columns, and a chart or a table then leaves something out instead of failing. What is a numeric column is converted by
 * HDF5; integers above 2^53 lose their low bits, which only matters for seeds (those are attributes, printed whole).
 *
 * Lists of strings are one block: the pointers first, the text behind them, so that one gs_free frees both. Reading costs O(bytes). */
#include "sim/base/buf.h"
#include "sim/base/mem.h"
#include "sim/metrics/h5.h"
#include "sim/metrics/results.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/banned.h"

struct gs_h5_in {
    hid_t file;
};

enum gs_rc gs_h5_open(struct gs_h5_in **f, const char *path, struct gs_err *err)
{
    struct stat st;
    *f = NULL;
    if (stat(path, &st) != 0)
        return gs_fail(err, GS_E_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return gs_fail(err, GS_E_INPUT, "%s: is a directory, expected a results file (.h5)", path);
    (void)H5dont_atexit();
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const htri_t is_hdf5 = H5Fis_hdf5(path);
    if (is_hdf5 == 0)
        return gs_fail(err, GS_E_INPUT, "%s: is not an HDF5 file (gsim run writes one with -o)",
                       path);
    const hid_t file = is_hdf5 < 0 ? -1 : H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) { /* what is wrong with a file that is read is bad input, as it is with a trace */
        (void)gs_h5_error(err, path, "be read", "");
        return GS_E_INPUT;
    }
    *f = GS_NEW(struct gs_h5_in);
    (*f)->file = file;
    return GS_OK;
}

void gs_h5_close(struct gs_h5_in *f)
{
    if (!f)
        return;
    (void)H5Fclose(f->file);
    gs_free(f);
}

/* Opens a dataset without leaving an error behind when it is not there. */
static hid_t open_dataset(const struct gs_h5_in *f, const char *path)
{
    const hid_t d = H5Dopen2(f->file, path, H5P_DEFAULT);
    if (d < 0)
        (void)H5Eclear2(H5E_DEFAULT);
    return d;
}

static H5T_class_t class_of(hid_t type)
{
    const H5T_class_t c = H5Tget_class(type);
    return c == H5T_ENUM ? H5T_INTEGER : c;
}

static size_t count_of(hid_t dataset)
{
    const hid_t space = H5Dget_space(dataset);
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    return n > 0 ? (size_t)n : 0;
}

double *gs_h5_read_f64(struct gs_h5_in *f, const char *path, size_t *n)
{
    *n = 0;
    const hid_t d = open_dataset(f, path);
    if (d < 0)
        return NULL;
    const hid_t type = H5Dget_type(d);
    const H5T_class_t kind = class_of(type);
    double *v = NULL;
    if (kind == H5T_INTEGER || kind == H5T_FLOAT) {
        const size_t count = count_of(d);
        v = GS_NEW_N(double, count ? count : 1);
        if (H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) >= 0) {
            *n = count;
        } else {
            gs_free(v);
            v = NULL;
        }
    }
    H5Tclose(type);
    H5Dclose(d);
    return v;
}

/* ---- strings -------------------------------------------------------------------------------- */

/* A list as one block from n texts of at most `width` bytes, not necessarily terminated, at text + i * width. */
static char **list_of_fixed(const char *text, size_t n, size_t width)
{
    char **list = gs_alloc((n + 1) * sizeof *list + n * (width + 1));
    char *to = (char *)(list + n + 1);
    for (size_t i = 0; i < n; i++) {
        const char *from = text + i * width;
        const char *nul = memchr(from, '\0', width);
        const size_t len = nul ? (size_t)(nul - from) : width;
        memcpy(to, from, len);
        to[len] = '\0';
        list[i] = to;
        to += len + 1;
    }
    list[n] = NULL;
    return list;
}

char **gs_h5_read_str(struct gs_h5_in *f, const char *path, size_t *n)
{
    *n = 0;
    const hid_t d = open_dataset(f, path);
    if (d < 0)
        return NULL;
    const hid_t type = H5Dget_type(d);
    char **list = NULL;
    if (class_of(type) == H5T_STRING && H5Tis_variable_str(type) == 0) {
        const size_t width = H5Tget_size(type), count = count_of(d);
        char *text = gs_zalloc(count ? count : 1, width);
        if (H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0) {
            list = list_of_fixed(text, count, width);
            *n = count;
        }
        gs_free(text);
    }
    H5Tclose(type);
    H5Dclose(d);
    return list;
}

/* ---- attributes ----------------------------------------------------------------------------- */

static char *string_value(hid_t a, hid_t type)
{
    char *s = NULL;
    if (H5Tis_variable_str(type) > 0) {
        char *theirs = NULL;
        if (H5Aread(a, type, &theirs) >= 0 && theirs) {
            s = gs_strdup(theirs);
            (void)H5free_memory(theirs);
        }
    } else {
        s = gs_zalloc(H5Tget_size(type) + 1, 1);
        if (H5Aread(a, type, s) < 0) {
            gs_free(s);
            s = NULL;
        }
    }
    return s;
}

static char *integer_value(hid_t a, hid_t type)
{
    struct gs_buf b = {0};
    if (H5Tget_sign(type) == H5T_SGN_NONE) {
        uint64_t u;
        if (H5Aread(a, H5T_NATIVE_UINT64, &u) >= 0)
            gs_buf_fmt(&b, "%llu", (unsigned long long)u);
    } else {
        int64_t i;
        if (H5Aread(a, H5T_NATIVE_INT64, &i) >= 0)
            gs_buf_fmt(&b, "%lld", (long long)i);
    }
    return b.s;
}

static char *attr_text(hid_t object, const char *name)
{
    if (H5Aexists(object, name) <= 0)
        return NULL;
    const hid_t a = H5Aopen(object, name, H5P_DEFAULT);
    if (a < 0)
        return NULL;
    const hid_t type = H5Aget_type(a);
    const hid_t space = H5Aget_space(a);
    char *s = NULL;
    if (H5Sget_simple_extent_npoints(space) == 1) {
        const H5T_class_t kind = class_of(type);
        double x;
        struct gs_buf b = {0};
        if (kind == H5T_STRING) {
            s = string_value(a, type);
        } else if (kind == H5T_INTEGER) {
            s = integer_value(a, type);
        } else if (kind == H5T_FLOAT && H5Aread(a, H5T_NATIVE_DOUBLE, &x) >= 0) {
            gs_buf_fmt(&b, "%.17g", x);
            s = b.s;
        }
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(a);
    return s;
}

char *gs_h5_read_attr_str(struct gs_h5_in *f, const char *name)
{
    return attr_text(f->file, name);
}

char **gs_h5_read_flags(struct gs_h5_in *f, const char *path, size_t *n)
{
    *n = 0;
    const hid_t d = open_dataset(f, path);
    if (d < 0)
        return NULL;
    char *text = attr_text(d, "flag_meanings");
    H5Dclose(d);
    if (!text)
        return NULL;
    size_t words = 0;
    for (const char *p = text; *p; p += strspn(p, " ")) {
        p += strcspn(p, " ");
        words++;
    }
    const size_t len = strlen(text);
    char **list = gs_alloc((words + 1) * sizeof *list + len + 1);
    char *to = (char *)(list + words + 1);
    memcpy(to, text, len + 1);
    gs_free(text);
    while (*to) {
        list[(*n)++] = to;
        to += strcspn(to, " ");
        while (*to == ' ')
            *to++ = '\0';
    }
    list[*n] = NULL;
    return list;
}

/* ---- groups --------------------------------------------------------------------------------- */

struct names {
    GS_VEC(char *) v;
};

static herr_t note_name(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    (void)group;
    (void)info;
    struct names *names = data;
    gs_vec_push(&names->v, gs_strdup(name));
    return 0;
}

size_t gs_h5_children(struct gs_h5_in *f, const char *group, char ***names)
{
    struct names found = {{0}};
    *names = NULL;
    const hid_t g = H5Gopen2(f->file, group, H5P_DEFAULT);
    if (g >= 0) {
        hsize_t at = 0;
        if (H5Literate(g, H5_INDEX_CRT_ORDER, H5_ITER_INC, &at, note_name, &found) < 0) {
            at = 0; /* a file of somebody else's: no creation order */
            (void)H5Literate(g, H5_INDEX_NAME, H5_ITER_INC, &at, note_name, &found);
        }
        H5Gclose(g);
    }
    (void)H5Eclear2(H5E_DEFAULT);
    size_t width = 0;
    for (size_t i = 0; i < found.v.n; i++)
        width = strlen(found.v.v[i]) > width ? strlen(found.v.v[i]) : width;
    const size_t n = found.v.n;
    char *text = gs_zalloc(n + 1, width + 1);
    for (size_t i = 0; i < n; i++) {
        memcpy(text + i * (width + 1), found.v.v[i], strlen(found.v.v[i]));
        gs_free(found.v.v[i]);
    }
    if (n)
        *names = list_of_fixed(text, n, width + 1);
    gs_free(text);
    gs_vec_free(&found.v);
    return n;
}

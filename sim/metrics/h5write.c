/* h5write.c - columns into datasets: whole ones, and tables that grow row by row.
 *
 * Every column, of either kind, goes through one buffer of a chunk: values are copied in, NaNs are given one bit pattern (which NaN
 * an operation yields differs between compilers and CPUs), the buffer feeds the column's digest and then the file. A table
 * therefore holds 128 KiB a column however long it gets, and its datasets grow by the chunk.
 *
 * Chunks are shuffled (byte k of every element together, so that slowly changing high bytes become runs), deflated
 * and handed to HDF5 ready made: the filters that HDF5 would run, without its chunk cache and its copies. A chunk that deflate
 * would make longer is stored shuffled only; the bit of the skipped filter says so. Where no compression is asked for,
 * whole columns are contiguous and tables are plain chunks.
 *
 * The first column of a group is its dimension scale (HDF5's convention, as netCDF-4 and xarray read it): CLASS and NAME on the scale, DIMENSION_LIST on
 * each other column, and REFERENCE_LIST on the scale when the file is finished. Written here by hand, since the
 * high-level library would rewrite the last one for every column.
 *
 * Cost: O(bytes); deflate is nearly all of it. */
#include "sim/base/attr.h"
#include "sim/base/buf.h"
#include "sim/base/mem.h"
#include "sim/metrics/h5.h"
#include "sim/metrics/results.h"

#include <zlib.h>

#include <string.h>

#include "sim/base/banned.h"

#define DEFLATE_SKIPPED 0x2u /* bit of the second filter of the pipeline */

struct column {
    struct gs_column spec;
    char *path;
    hid_t dset;
    size_t size;       /* bytes of an element */
    size_t chunk_rows; /* also the buffer's */
    int chunked, deflated;
    unsigned char *buf;
    size_t used;      /* rows in buf */
    uint64_t flushed; /* rows in the file */
    XXH3_state_t *hash;
};

struct gs_h5_table {
    struct gs_h5 *f;
    struct gs_h5_table *next; /* in f->tables */
    char *group;
    struct column *cols;
    size_t ncols;
    uint64_t rows;
    int made;   /* the datasets exist */
    int always; /* also without rows */
};

/* ---- groups and scales ---------------------------------------------------------------------- */

static struct gs_h5_group *find_group(struct gs_h5 *f, const char *path)
{
    for (size_t i = f->groups.n; i-- > 0;) {
        if (strcmp(f->groups.v[i].path, path) == 0)
            return &f->groups.v[i];
    }
    return NULL;
}

/* Makes the group and those above it, as far as they are missing. */
static herr_t make_groups(struct gs_h5 *f, const char *path)
{
    const hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE);
    const unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
    herr_t rc = gcpl < 0 ? -1 : 0;
    if (rc >= 0 &&
        (H5Pset_obj_track_times(gcpl, 0) < 0 || H5Pset_link_creation_order(gcpl, order) < 0 ||
         H5Pset_attr_creation_order(gcpl, order) < 0))
        rc = -1;
    for (const char *p = path; rc >= 0 && *p;) {
        const char *end = strchr(p + 1, '/');
        const size_t len = end ? (size_t)(end - path) : strlen(path);
        char *prefix = gs_strndup(path, len);
        const htri_t there = H5Lexists(f->file, prefix, H5P_DEFAULT);
        if (there == 0) {
            const hid_t g = H5Gcreate2(f->file, prefix, H5P_DEFAULT, gcpl, H5P_DEFAULT);
            rc = g < 0 ? -1 : H5Gclose(g);
        } else if (there < 0) {
            rc = -1;
        }
        gs_free(prefix);
        p = path + len;
    }
    gs_h5_drop(gcpl);
    return rc;
}

/* Names the dimension of a column after the group's scale. */
static herr_t use_scale(hid_t dset, hobj_ref_t scale)
{
    const hid_t type = H5Tvlen_create(H5T_STD_REF_OBJ);
    hvl_t list = {.len = 1, .p = &scale};
    const herr_t rc = type < 0 ? -1 : gs_h5_put_attr(dset, "DIMENSION_LIST", type, 1, &list);
    gs_h5_drop(type);
    return rc;
}

/* The convention wants its own two attributes terminated, not padded; readers check that. */
static herr_t put_terminated(hid_t dset, const char *name, const char *value)
{
    const hid_t t = H5Tcopy(H5T_C_S1);
    const herr_t rc = t < 0 || H5Tset_size(t, strlen(value) + 1) < 0
                          ? -1
                          : gs_h5_put_attr(dset, name, t, 0, value);
    gs_h5_drop(t);
    return rc;
}

/* Puts a fresh dataset under its group's dimension: as the scale if it is the first, else as its user. */
static herr_t join_dimension(struct gs_h5 *f, const char *group, const struct column *c,
                             uint64_t rows)
{
    hobj_ref_t me = 0;
    if (H5Rcreate(&me, f->file, c->path, H5R_OBJECT, -1) < 0)
        return -1;
    struct gs_h5_group *g = find_group(f, group);
    if (g) {
        gs_require(g->rows == rows); /* the columns of a group are equally long */
        gs_vec_push(&g->users, me);
        return use_scale(c->dset, g->scale);
    }
    gs_vec_push(&f->groups, (struct gs_h5_group){.path = gs_strdup(group),
                                                 .scale_path = gs_strdup(c->path),
                                                 .scale = me,
                                                 .rows = rows});
    if (put_terminated(c->dset, "CLASS", "DIMENSION_SCALE") < 0)
        return -1;
    return put_terminated(c->dset, "NAME", c->spec.name);
}

struct back_reference {
    hobj_ref_t dataset;
    int32_t dimension;
};

static hid_t back_reference_type(void)
{
    const hid_t t = H5Tcreate(H5T_COMPOUND, sizeof(struct back_reference));
    if (t >= 0 &&
        (H5Tinsert(t, "dataset", HOFFSET(struct back_reference, dataset), H5T_STD_REF_OBJ) < 0 ||
         H5Tinsert(t, "dimension", HOFFSET(struct back_reference, dimension), H5T_STD_I32LE) < 0))
        return -1;
    return t;
}

static herr_t link_scale(struct gs_h5 *f, const struct gs_h5_group *g, hid_t type)
{
    struct back_reference *list = GS_NEW_N(struct back_reference, g->users.n);
    for (size_t i = 0; i < g->users.n; i++)
        list[i].dataset = g->users.v[i];
    const hid_t d = H5Dopen2(f->file, g->scale_path, H5P_DEFAULT);
    const herr_t rc = d < 0 ? -1 : gs_h5_put_attr(d, "REFERENCE_LIST", type, g->users.n, list);
    gs_h5_drop(d);
    gs_free(list);
    return rc;
}

herr_t gs_h5_link_scales(struct gs_h5 *f)
{
    const hid_t type = back_reference_type();
    herr_t rc = type < 0 ? -1 : 0;
    for (size_t i = 0; rc >= 0 && i < f->groups.n; i++) {
        if (f->groups.v[i].users.n)
            rc = link_scale(f, &f->groups.v[i], type);
    }
    gs_h5_drop(type);
    return rc;
}

/* ---- making a dataset ----------------------------------------------------------------------- */

/* CF: the values of a code and their names. */
static herr_t put_flags(const struct column *c)
{
    struct gs_buf names = {0};
    GS_VEC(unsigned char) values = {0};
    hsize_t n = 0;
    for (; c->spec.flags[n]; n++) {
        gs_buf_fmt(&names, "%s%s", n ? " " : "", c->spec.flags[n]);
        gs_vec_reserve(&values, (size_t)(n + 1) * c->size);
        for (size_t k = 0; k < c->size; k++) /* n as a little-endian integer of the column's size */
            values.v[values.n++] = (unsigned char)(k < 8 ? (uint64_t)n >> (8 * k) : 0);
    }
    const hid_t t = gs_h5_type(c->spec.type, c->size);
    herr_t rc = n ? gs_h5_put_attr(c->dset, "flag_values", t, n, values.v) : 0;
    if (rc >= 0)
        rc = gs_h5_put_str(c->dset, "flag_meanings", gs_buf_cstr(&names));
    gs_h5_drop(t);
    gs_vec_free(&values);
    gs_buf_free(&names);
    return rc;
}

static herr_t describe(const struct column *c)
{
    const struct gs_column *s = &c->spec;
    if (gs_h5_put_str(c->dset, "units", s->units ? s->units : "1") < 0 ||
        gs_h5_put_str(c->dset, "long_name", s->long_name ? s->long_name : s->name) < 0)
        return -1;
    if (s->cell_methods && gs_h5_put_str(c->dset, "cell_methods", s->cell_methods) < 0)
        return -1;
    return s->flags ? put_flags(c) : 0;
}

static herr_t layout(hid_t dcpl, const struct column *c, int compress)
{
    const unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
    if (H5Pset_obj_track_times(dcpl, 0) < 0 || H5Pset_attr_creation_order(dcpl, order) < 0)
        return -1;
    if (!c->chunked)
        return 0;
    const hsize_t chunk = c->chunk_rows;
    if (H5Pset_chunk(dcpl, 1, &chunk) < 0)
        return -1;
    if (c->deflated && (H5Pset_shuffle(dcpl) < 0 || H5Pset_deflate(dcpl, (unsigned)compress) < 0))
        return -1;
    return 0;
}

/* growing: the dataset begins empty and may grow; else it has n rows. rows: what the whole group will count. */
static herr_t make_dataset(struct gs_h5 *f, const char *group, struct column *c, uint64_t rows,
                           int growing)
{
    c->chunked = growing || (f->compress > 0 && rows > 0);
    c->deflated = c->chunked && f->compress > 0;
    const hsize_t now = growing ? 0 : rows;
    const hsize_t most = growing ? H5S_UNLIMITED : rows;
    const hid_t space = H5Screate_simple(1, &now, &most);
    const hid_t type = gs_h5_type(c->spec.type, c->size);
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    herr_t rc = layout(dcpl, c, f->compress);
    if (rc >= 0)
        c->dset = H5Dcreate2(f->file, c->path, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    if (rc >= 0)
        rc = c->dset < 0 ? -1 : describe(c);
    if (rc >= 0)
        rc = join_dimension(f, group, c, rows);
    gs_h5_drop(dcpl);
    gs_h5_drop(type);
    gs_h5_drop(space);
    return rc;
}

/* ---- one chunk ------------------------------------------------------------------------------ */

static void one_nan(unsigned char *buf, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t u;
        memcpy(&u, buf + 8 * i, 8);
        if ((u & UINT64_C(0x7fffffffffffffff)) > UINT64_C(0x7ff0000000000000)) {
            u = UINT64_C(0x7ff8000000000000);
            memcpy(buf + 8 * i, &u, 8);
        }
    }
}

static void shuffle(const unsigned char *in, unsigned char *out, size_t n, size_t size)
{
    for (size_t k = 0; k < size; k++) {
        for (size_t i = 0; i < n; i++)
            out[k * n + i] = in[i * size + k];
    }
}

/* Room for a chunk on its way; returns what deflate may need at most. */
static size_t make_scratch(struct gs_h5 *f, size_t bytes)
{
    if (bytes > f->scratch) {
        f->shuffled = gs_resize(f->shuffled, bytes, 1);
        f->packed = gs_resize(f->packed, compressBound(bytes), 1);
        f->scratch = bytes;
    }
    return compressBound(bytes);
}

/* Hands the buffer, padded with zeros to a whole chunk, to HDF5. */
static herr_t put_chunk(struct gs_h5 *f, struct column *c)
{
    const size_t bytes = c->chunk_rows * c->size;
    const hsize_t at = c->flushed;
    memset(c->buf + c->used * c->size, 0, bytes - c->used * c->size);
    if (!c->deflated)
        return H5Dwrite_chunk(c->dset, H5P_DEFAULT, 0, &at, bytes, c->buf);
    const size_t room = make_scratch(f, bytes);
    const unsigned char *plain = c->buf;
    if (c->size > 1) {
        shuffle(c->buf, f->shuffled, c->chunk_rows, c->size);
        plain = f->shuffled;
    }
    uLongf packed = room;
    const int rc = compress2(f->packed, &packed, plain, bytes, f->compress);
    if (rc == Z_OK && packed < bytes)
        return H5Dwrite_chunk(c->dset, H5P_DEFAULT, 0, &at, packed, f->packed);
    return H5Dwrite_chunk(c->dset, H5P_DEFAULT, DEFLATE_SKIPPED, &at, bytes, plain);
}

static herr_t put_contiguous(const struct column *c)
{
    const hsize_t at = c->flushed, n = c->used;
    const hid_t file = H5Dget_space(c->dset);
    const hid_t mem = H5Screate_simple(1, &n, NULL);
    const hid_t type = H5Dget_type(c->dset);
    herr_t rc = H5Sselect_hyperslab(file, H5S_SELECT_SET, &at, NULL, &n, NULL);
    if (rc >= 0)
        rc = H5Dwrite(c->dset, type, mem, file, H5P_DEFAULT, c->buf);
    gs_h5_drop(type);
    gs_h5_drop(mem);
    gs_h5_drop(file);
    return rc;
}

/* Writes the rows in the buffer. The dataset must exist; growing ones are made longer first. */
static herr_t flush_rows(struct gs_h5 *f, struct column *c, int growing)
{
    if (c->used == 0)
        return 0;
    if (c->spec.type == GS_F64)
        one_nan(c->buf, c->used);
    XXH3_128bits_update(c->hash, c->buf, c->used * c->size);
    const hsize_t extent = c->flushed + c->used;
    if (growing && H5Dset_extent(c->dset, &extent) < 0)
        return -1;
    const herr_t rc = c->chunked ? put_chunk(f, c) : put_contiguous(c);
    c->flushed += c->used;
    c->used = 0;
    return rc;
}

/* ---- columns -------------------------------------------------------------------------------- */

static void column_init(struct column *c, const char *group, const struct gs_column *spec,
                        size_t size)
{
    struct gs_buf path = {0};
    gs_buf_fmt(&path, "%s%s/%s", group[0] == '/' ? "" : "/", group, spec->name);
    *c = (struct column){.spec = *spec, .path = path.s, .dset = GS_H5_CLOSED, .size = size};
    c->chunk_rows = size < GS_H5_CHUNK_BYTES ? GS_H5_CHUNK_BYTES / size : 1;
    c->hash = XXH3_createState();
    gs_verify(c->hash != NULL);
    XXH3_128bits_reset(c->hash);
}

static void column_release(struct column *c)
{
    gs_h5_drop(c->dset);
    XXH3_freeState(c->hash);
    gs_free(c->buf);
    gs_free(c->path);
}

/* Closes the dataset and remembers its digest. */
static herr_t column_done(struct gs_h5 *f, struct column *c)
{
    static const char *const names[] = {
        [GS_F64] = "f64", [GS_I64] = "i64", [GS_U64] = "u64", [GS_U32] = "u32",
        [GS_I32] = "i32", [GS_U16] = "u16", [GS_U8] = "u8",   [GS_STR] = "str"};
    struct gs_h5_digest d = {
        .path = gs_strdup(c->path), .rows = c->flushed, .values = XXH3_128bits_digest(c->hash)};
    if (c->spec.type == GS_STR)
        gs_fmt(d.type, sizeof d.type, "str%zu", c->size);
    else
        gs_fmt(d.type, sizeof d.type, "%s", names[c->spec.type]);
    gs_vec_push(&f->done, d);
    const herr_t rc = H5Dclose(c->dset);
    c->dset = GS_H5_CLOSED;
    return rc;
}

/* "/jobs" of "jobs": groups are looked up by one spelling. */
static char *absolute(const char *group)
{
    struct gs_buf b = {0};
    gs_buf_fmt(&b, "%s%s", group[0] == '/' ? "" : "/", group);
    return b.s;
}

static size_t longest(const char *const *s, size_t n)
{
    size_t most = 1;
    for (size_t i = 0; i < n; i++) {
        const size_t len = strlen(s[i]);
        most = len > most ? len : most;
    }
    return most;
}

/* Copies rows [from, from + n) of the caller's data into the buffer. */
static void fill(struct column *c, const void *data, size_t from, size_t n)
{
    if (c->spec.type != GS_STR) {
        memcpy(c->buf, (const unsigned char *)data + from * c->size, n * c->size);
    } else {
        const char *const *s = data;
        memset(c->buf, 0, n * c->size);
        for (size_t i = 0; i < n; i++)
            memcpy(c->buf + i * c->size, s[from + i], strlen(s[from + i]));
    }
    c->used = n;
}

static herr_t write_column(struct gs_h5 *f, const char *group, struct column *c, const void *data,
                           size_t n)
{
    if (n > 0 && n < c->chunk_rows)
        c->chunk_rows = n;
    if (!find_group(f, group) && make_groups(f, group) < 0)
        return -1;
    if (make_dataset(f, group, c, n, 0) < 0)
        return -1;
    c->buf = gs_alloc(c->chunk_rows * c->size);
    for (size_t i = 0; i < n; i += c->chunk_rows) {
        fill(c, data, i, n - i < c->chunk_rows ? n - i : c->chunk_rows);
        if (flush_rows(f, c, 0) < 0)
            return -1;
    }
    return column_done(f, c);
}

enum gs_rc gs_h5_column(struct gs_h5 *f, const char *group, const struct gs_column *spec,
                        const void *data, size_t n, struct gs_err *err)
{
    gs_require(data || n == 0);
    char *g = absolute(group);
    struct column c;
    column_init(&c, g, spec, spec->type == GS_STR ? longest(data, n) : gs_h5_type_size(spec->type));
    const enum gs_rc rc = write_column(f, g, &c, data, n) < 0
                              ? gs_h5_error(err, f->path, "write dataset", c.path)
                              : GS_OK;
    column_release(&c);
    gs_free(g);
    return rc;
}

/* ---- growing tables ------------------------------------------------------------------------- */

enum gs_rc gs_h5_table_open(struct gs_h5 *f, const char *group, const struct gs_column *cols,
                            size_t ncols, struct gs_h5_table **table, struct gs_err *err)
{
    (void)err; /* nothing is written before the first chunk */
    gs_require(ncols > 0);
    struct gs_h5_table *t = GS_NEW(struct gs_h5_table);
    t->f = f;
    t->group = absolute(group);
    t->ncols = ncols;
    t->cols = GS_NEW_N(struct column, ncols);
    for (size_t i = 0; i < ncols; i++) {
        struct column *c = &t->cols[i];
        gs_require(cols[i].type != GS_STR); /* its length would not be known before the end */
        column_init(c, t->group, &cols[i], gs_h5_type_size(cols[i].type));
        c->buf = gs_alloc(c->chunk_rows * c->size);
    }
    t->next = f->tables;
    f->tables = t;
    *table = t;
    return GS_OK;
}

/* All datasets at once, so that their order is that of the columns. */
static herr_t make_table(struct gs_h5_table *t)
{
    if (!find_group(t->f, t->group) && make_groups(t->f, t->group) < 0)
        return -1;
    for (size_t i = 0; i < t->ncols; i++) {
        struct column *c = &t->cols[i];
        /* Equal for all columns; how long the table gets is not known yet. */
        if (make_dataset(t->f, t->group, c, UINT64_MAX, 1) < 0)
            return -1;
    }
    t->made = 1;
    return 0;
}

static herr_t flush_column(struct gs_h5_table *t, struct column *c)
{
    if (!t->made && make_table(t) < 0)
        return -1;
    return flush_rows(t->f, c, 1);
}

enum gs_rc gs_h5_table_row(struct gs_h5_table *t, const void *const *row, struct gs_err *err)
{
    for (size_t i = 0; i < t->ncols; i++) {
        struct column *c = &t->cols[i];
        unsigned char *to = c->buf + c->used * c->size;
        switch (c->size) { /* constant sizes: a move each, no call */
        case 8: memcpy(to, row[i], 8); break;
        case 4: memcpy(to, row[i], 4); break;
        case 2: memcpy(to, row[i], 2); break;
        default: *to = *(const unsigned char *)row[i]; break;
        }
        if (++c->used == c->chunk_rows && flush_column(t, c) < 0)
            return gs_h5_error(err, t->f->path, "write dataset", c->path);
    }
    t->rows++;
    return GS_OK;
}

static void drop(struct gs_h5_table *t)
{
    for (size_t i = 0; i < t->ncols; i++)
        column_release(&t->cols[i]);
    gs_free(t->cols);
    gs_free(t->group);
    gs_free(t);
}

void gs_h5_tables_drop(struct gs_h5 *f)
{
    while (f->tables) {
        struct gs_h5_table *t = f->tables;
        f->tables = t->next;
        drop(t);
    }
}

/* Takes t out of the open tables of its file. */
static void forget_table(struct gs_h5_table *t)
{
    struct gs_h5_table **link = &t->f->tables;
    while (*link != t)
        link = &(*link)->next;
    *link = t->next;
}

void gs_h5_table_always(struct gs_h5_table *t)
{
    t->always = 1;
}

enum gs_rc gs_h5_table_close(struct gs_h5_table *t, struct gs_err *err)
{
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < t->ncols && t->rows > 0 && !t->made; i++) {
        if (t->rows < t->cols[i].chunk_rows)
            t->cols[i].chunk_rows = (size_t)t->rows;
    }
    const int wanted = t->rows > 0 || t->always;
    for (size_t i = 0; i < t->ncols && wanted && rc == GS_OK; i++) {
        struct column *c = &t->cols[i];
        if (flush_column(t, c) < 0 || column_done(t->f, c) < 0)
            rc = gs_h5_error(err, t->f->path, "write dataset", c->path);
    }
    forget_table(t);
    drop(t);
    return rc;
}

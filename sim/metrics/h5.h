/* h5.h - what the three files behind results.h share: HDF5's types for ours, property lists, and its errors in our words.
 *
 * Private to sim/metrics: nobody else includes it. */
#ifndef GS_METRICS_H5_H
#define GS_METRICS_H5_H

#include "sim/base/vec.h"
#include "sim/metrics/results.h"

#include <hdf5.h>
#include <xxhash.h>

#define GS_H5_CHUNK_BYTES ((size_t)128 * 1024)
#define GS_H5_CLOSED      ((hid_t)-1) /* no object */

/* The rows of a group, and who uses its dimension scale. */
struct gs_h5_group {
    char *path;       /* "/jobs" */
    char *scale_path; /* its first column, "/jobs/id" */
    hobj_ref_t scale;
    uint64_t rows;
    GS_VEC(hobj_ref_t) users; /* the other columns */
};

/* A dataset that is whole: what data_digest needs of it. */
struct gs_h5_digest {
    char *path;
    char type[24];
    uint64_t rows;
    XXH128_hash_t values;
};

struct gs_h5 {
    hid_t file;
    char *path, *part;
    int lock; /* descriptor that holds the lock on part, -1 = none */
    int compress;
    GS_VEC(struct gs_h5_group) groups;
    GS_VEC(struct gs_h5_digest) done;
    struct gs_h5_table *tables;       /* open ones, the last opened first; owned */
    unsigned char *shuffled, *packed; /* scratch of one chunk */
    size_t scratch;                   /* bytes of a chunk that they are made for; 0 at first */
};

/* GS_E_IO: "PATH: cannot DOING OBJECT: CAUSE", with the operating system's reason where HDF5 knows it. object may be "". */
enum gs_rc gs_h5_error(struct gs_err *err, const char *path, const char *doing, const char *object);

/* Closes an id of any kind and leaves HDF5's error stack as it is: every other call of HDF5 empties it. */
void gs_h5_drop(hid_t id);

/* Our type in the file; size is used by GS_STR only. Close it with gs_h5_drop. */
hid_t gs_h5_type(enum gs_type type, size_t size);
size_t gs_h5_type_size(enum gs_type type); /* 0 for GS_STR */
hid_t gs_h5_string_type(size_t size);      /* fixed-length UTF-8, padded with NUL */

/* Attributes of any object; 0, or negative with HDF5's error stack filled. A previous value is replaced. */
herr_t gs_h5_put_attr(hid_t object, const char *name, hid_t type, hsize_t n, const void *value);
herr_t gs_h5_put_str(hid_t object, const char *name, const char *value);

void gs_h5_tables_drop(struct gs_h5 *f);   /* frees open tables without writing */
herr_t gs_h5_link_scales(struct gs_h5 *f); /* REFERENCE_LIST of every group's scale */

#endif

/* results.h - the results file: one HDF5 file a run, one dataset a column, the schema a table.
 *
 * Writer: opened under NAME.h5.part, filled group by group, closed, synced and renamed; nothing appears under the final name before it is
 * whole. Every dataset gets units and long_name (and flag_values / flag_meanings on codes); fixed-length UTF-8 strings, little-endian
 * types, 128 KiB chunks, shuffle + deflate, no object times, creation order tracked. data_digest = xxh128 over every dataset's path, type, shape and raw values
 * in path order, without attributes. HDF5's own error printing is off; messages are ours.
 *
 * Ownership: gs_h5_finish and gs_h5_abandon both take f, whatever they return. After a failed column, row, close or attribute the only
 * thing left to do is gs_h5_abandon(f), which also frees tables that are still open. gs_h5_table_close always frees its table. */
#ifndef GS_METRICS_RESULTS_H
#define GS_METRICS_RESULTS_H

#include "sim/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct gs_h5; /* an open file */

enum gs_type {
    GS_F64,
    GS_I64,
    GS_U64,
    GS_U32,
    GS_I32,
    GS_U16,
    GS_U8,
    GS_STR
};

/* A column's description: one table a group in schema.c. */
struct gs_column {
    const char *name;
    enum gs_type type;
    const char *units, *long_name;
    const char *cell_methods; /* NULL or "time: mean" / "time: point" */
    const char *const *flags; /* NULL, or the code's names, NULL-terminated */
};

GS_NODISCARD enum gs_rc gs_h5_create(struct gs_h5 **f, const char *path, int compress,
                                     struct gs_err *err); /* opens PATH.part */
/* One whole column; the columns of a group are equally long (gs_require). data: n elements of the type; GS_STR: const char *const *. The first column written to a group is its dimension scale. */
GS_NODISCARD enum gs_rc gs_h5_column(struct gs_h5 *f, const char *group, const struct gs_column *c,
                                     const void *data, size_t n, struct gs_err *err);
/* A growing table: rows are buffered by column, full chunks leave memory. */
struct gs_h5_table;
GS_NODISCARD enum gs_rc gs_h5_table_open(struct gs_h5 *f, const char *group,
                                         const struct gs_column *cols, size_t ncols,
                                         struct gs_h5_table **t, struct gs_err *err);
void gs_h5_table_always(struct gs_h5_table *t); /* is made though it has no rows */
/* row: one pointer a column to its value (GS_STR not allowed in growing tables). */
GS_NODISCARD enum gs_rc gs_h5_table_row(struct gs_h5_table *t, const void *const *row,
                                        struct gs_err *err);
GS_NODISCARD enum gs_rc gs_h5_table_close(struct gs_h5_table *t,
                                          struct gs_err *err); /* no rows: the group is not made */
/* Attributes of the root. */
GS_NODISCARD enum gs_rc gs_h5_attr_str(struct gs_h5 *f, const char *name, const char *value,
                                       struct gs_err *err);
GS_NODISCARD enum gs_rc gs_h5_attr_f64(struct gs_h5 *f, const char *name, double value,
                                       struct gs_err *err);
GS_NODISCARD enum gs_rc gs_h5_attr_u64(struct gs_h5 *f, const char *name, uint64_t value,
                                       struct gs_err *err);
GS_NODISCARD enum gs_rc gs_h5_attr_i64(struct gs_h5 *f, const char *name, int64_t value,
                                       struct gs_err *err);
/* Finishes: data_digest (32 hex digits) computed and stored as attribute, file closed, synced, renamed. f is gone afterwards; on failure so is
 * the .part. Every table must have been closed. */
GS_NODISCARD enum gs_rc gs_h5_finish(struct gs_h5 *f, char data_digest[33], struct gs_err *err);
void gs_h5_abandon(struct gs_h5 *f); /* closes and removes the .part; NULL is fine */
/* 1 if the folder of path exists and takes files; else err says why (checked before a long run). */
GS_NODISCARD enum gs_rc gs_h5_probe(const char *path, struct gs_err *err);

/* ---- reading (plot, tests, later compare) ---- */
struct gs_h5_in;
GS_NODISCARD enum gs_rc gs_h5_open(struct gs_h5_in **f, const char *path, struct gs_err *err);
void gs_h5_close(struct gs_h5_in *f);
/* Column as doubles (any numeric type), NULL with *n = 0 if absent. Free with gs_free. */
double *gs_h5_read_f64(struct gs_h5_in *f, const char *path, size_t *n);
char **gs_h5_read_str(struct gs_h5_in *f, const char *path,
                      size_t *n); /* one block: free with gs_free */
char *gs_h5_read_attr_str(struct gs_h5_in *f,
                          const char *name); /* gs_free; NULL if absent; numbers are printed */
/* flag_meanings of a code column, index = value; one block, gs_free; *n entries. */
char **gs_h5_read_flags(struct gs_h5_in *f, const char *path, size_t *n);
size_t gs_h5_children(struct gs_h5_in *f, const char *group,
                      char ***names); /* in creation order; gs_free */

#endif

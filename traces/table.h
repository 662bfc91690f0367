/* table.h - formats that are tables, as data: the columns that a reader looks at, what it makes of a row, the figures of the file.
 *
 * gs_table_scan goes through the file once: finds the columns by name (or by position, where the format has no header), checks
 * each row's width, feeds the figures, and hands the fields to `row`, which emits a job, a call or a node, or nothing. */
#ifndef GS_TRACES_TABLE_H
#define GS_TRACES_TABLE_H

#include "traces/figures.h"
#include "traces/reader.h"

enum {
    GS_FIELD_OPTIONAL = 1, /* the file may lack the column */
    GS_FIELD_ATTR = 2      /* besides, it travels as an attribute of the job */
};

struct gs_field {
    const char *name;
    int flags;
};

struct gs_table {
    const struct gs_field *fields;
    size_t nfields; /* at most GS_TABLE_FIELDS_MAX */
    char delimiter; /* 0 = comma */
    int no_header; /* fields stand at their positions; the file may have fewer only of optional ones at the end */
    int keep_unknown; /* columns without a field travel as attributes of the job, counted as assumed otherwise */
    int trailing_comma; /* rows may end with a comma that the header lacks */
    const struct gs_figure *figures;
    size_t nfigures;
    /* v[i]: text of fields[i], "" where absent or null. NULL = the file holds no jobs. Messages by gs_row_bad. */
    enum gs_rc (*row)(struct gs_scan *s, struct gs_row *r, const char *const *v);
    void (*show)(struct gs_scan *s,
                 struct gs_info *f); /* further figures, from s->own; may be NULL */
};

#define GS_TABLE_FIELDS_MAX 64

/* Initialisers of the two lists: {GS_TABLE_FIELDS(fields), GS_TABLE_FIGURES(figures), .row = row}. */
#define GS_TABLE_FIELDS(F)  .fields = (F), .nfields = sizeof(F) / sizeof((F)[0])
#define GS_TABLE_FIGURES(G) .figures = (G), .nfigures = sizeof(G) / sizeof((G)[0])

GS_NODISCARD enum gs_rc gs_table_scan(struct gs_scan *s, const struct gs_table *t);
/* The same for a format with several tables: the first of t[0..n) that fits the header, else t[0], whose missing column is then told. All have
 * a header and the same delimiter. */
GS_NODISCARD enum gs_rc gs_table_scan_one(struct gs_scan *s, const struct gs_table *t, size_t n);
const struct gs_table *gs_table_which(const struct gs_table *t, size_t n,
                                      const struct gs_csv *head); /* NULL if none fits */

/* The table that a header came nearest to without fitting, of those that it was held against (csv.h: near). */
struct gs_near {
    const struct gs_table *table; /* NULL = none yet */
    size_t found, needed;         /* of its fields that are not optional */
};

/* Does the header have all fields that are not optional? For guess functions. */
int gs_table_fits(const struct gs_table *t, const struct gs_csv *head);

#endif

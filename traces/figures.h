/* figures.h - control figures as data: what `gsim trace info` computes over the rows of a table, exactly.
 *
 * A format lists its figures in a table of struct gs_figure; the engine here takes each row's texts and keeps the sums. Sums are
 * exact decimals (18 places, 128 bits), so two tools can be compared character by character. What no operation covers, a format adds
 * itself in its `show` function with gs_info_*.
 * A figure over a column that the file has not is left out. Null fields (reader.h) take no part unless the operation says so. */
#ifndef GS_TRACES_FIGURES_H
#define GS_TRACES_FIGURES_H

#include "sim/base/err.h"

#include <stddef.h>
#include <stdint.h>

enum gs_figure_op {
    GS_FIG_ROWS,             /* data rows */
    GS_FIG_COLUMNS,          /* columns of the header (or of the first row, where there is none) */
    GS_FIG_COLUMN_NAMES,     /* "a,b,c" in file order */
    GS_FIG_SUM,              /* a */
    GS_FIG_SUM_PRODUCT,      /* a * b */
    GS_FIG_SUM_SPAN,         /* (a - b), rows where both are known */
    GS_FIG_SUM_PRODUCT_SPAN, /* c * (a - b) */
    GS_FIG_MIN,
    GS_FIG_MAX, /* a as a number */
    GS_FIG_MIN_TEXT,
    GS_FIG_MAX_TEXT, /* a as text: wall clocks of one spelling; shown as written */
    GS_FIG_FIRST,
    GS_FIG_LAST,         /* a of the first and of the last row, as written */
    GS_FIG_NULLS,        /* rows where a is null */
    GS_FIG_FILLED,       /* rows where a is not null */
    GS_FIG_ZEROS,        /* rows where a = 0 */
    GS_FIG_NOT_POSITIVE, /* rows where a <= 0 */
    GS_FIG_NEGATIVE,     /* rows where a < 0 */
    GS_FIG_IS,           /* rows where a is the text `is` */
    GS_FIG_IS_NOT,       /* rows where a is not the text `is` */
    GS_FIG_DISTINCT,     /* distinct values of a, nulls counted once together */
    GS_FIG_TALLY, /* "v:rows;w:rows" by number if all are numbers, else by text; nulls under `is` ("" if NULL) */
    GS_FIG_TALLY_FILLED, /* the same without the nulls */
    GS_FIG_TALLY_SUM,    /* "v:sum of b" */
    GS_FIG_EACH, /* one figure a value of a: quantity is a prefix, rows_vc_ -> rows_vc_6214e9 */
    GS_FIG_OUT_OF_ORDER,   /* rows whose a is below the row before; as text if not numbers */
    GS_FIG_SAME_AS_BEFORE, /* rows whose a equals the row before */
    GS_FIG_DUPLICATES      /* rows that repeat an earlier row exactly */
};

struct gs_figure {
    const char *quantity; /* as CONTROL.tsv writes it */
    enum gs_figure_op op;
    const char *a, *b, *c; /* column names (as in the table's fields) */
    int8_t
        places; /* decimals shown: 0 = whole as exact as it is, without trailing zeros; n > 0 = rounded half even to n, zeros trimmed; -n = n kept with zeros */
    const char *is;
    const char *where, *where_is; /* only rows whose column `where` is this text; NULL = all */
};

/* ---- the engine, for table.c ---- */

struct gs_table;
struct gs_csv;
struct gs_row;
struct gs_scan;
struct gs_info;
struct gs_figures;

/* at[i]: the file's column of the table's field i, SIZE_MAX = the file has none. */
struct gs_figures *gs_figures_new(const struct gs_table *t, const size_t *at);
void gs_figures_free(struct gs_figures *g);
/* Reads the row's numbers: a fault where a figure needs one and the text is none. Adds nothing yet. */
enum gs_rc gs_figures_take(struct gs_figures *g, struct gs_row *r, const char *const *v);
/* Adds the row taken last. */
void gs_figures_add(struct gs_figures *g, const struct gs_csv *c, const char *const *v);
/* Returns how many figures are missing since there are too many distinct values (seen.h). */
int gs_figures_show(struct gs_figures *g, const struct gs_csv *c, struct gs_info *f);

#endif

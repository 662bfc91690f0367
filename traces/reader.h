/* reader.h - what the readers of traces/ share and nobody else sees: a row under the reader's eye, its faults, the counts.
 *
 * A reader goes through its rows with a struct gs_row. Each gs_row_* function reads one field, and on a fault writes the whole
 * message (file, line, column, value, what to do) and returns GS_E_INPUT; the reader gives that to gs_row_end, which
 * either passes the error on or, under --bad-rows=skip, counts it and goes on. */
#ifndef GS_TRACES_READER_H
#define GS_TRACES_READER_H

#include "sim/base/exact.h"
#include "traces/csv.h"
#include "traces/input.h"
#include "traces/trace.h"

#include <stdint.h>

/* 100 years: longer times are taken for a mistake of the unit, and sums of two still fit 64 bits of ns. */
#define GS_TRACE_TIME_MAX   (INT64_C(36525) * 86400 * GS_SECOND)
#define GS_TRACE_GPUS_MAX   INT64_C(1000000)
#define GS_TRACE_CPUS_MAX   INT64_C(1000000000)    /* milli */
#define GS_TRACE_MEMORY_MAX INT64_C(1000000000000) /* MiB */

/* One read of one file: what the job readers get. */
struct gs_read {
    struct gs_workload *w;
    size_t first_job; /* jobs before it are others' */
    uint16_t source;
    const struct gs_trace_options *o;
    struct gs_trace_counts *n;
    const struct gs_input *in;
    struct gs_err *err;
    /* line + 1 of the job that has string id i as its name; grown on demand */
    GS_VEC(int64_t) name_line;
};

struct gs_row {
    const struct gs_input *in;
    int64_t line;
    enum gs_bad_rows bad_rows;
    struct gs_trace_counts *n;
    const char *why; /* static reason of the last fault */
    struct gs_err *err;
};

/* Field readers. `column` names the field in messages. Nulls ("", None, NULL, NA, nan) are "not a number" here: ask gs_is_null first
 * where a column may be empty. */
int gs_is_null(const char *s);
GS_NODISCARD enum gs_rc gs_row_int(struct gs_row *r, const char *column, const char *s, int64_t max,
                                   int64_t *out); /* 0..max; "18.0" is 18 */
GS_NODISCARD enum gs_rc gs_row_scaled(struct gs_row *r, const char *column, const char *s,
                                      int scale, int64_t max,
                                      int64_t *out); /* 0..max, x 10^scale */
GS_NODISCARD enum gs_rc gs_row_seconds(struct gs_row *r, const char *column, const char *s,
                                       int64_t *out_ns); /* 0..GS_TRACE_TIME_MAX */
GS_NODISCARD enum gs_rc gs_row_clock(struct gs_row *r, const char *column, const char *s,
                                     int32_t offset_s, int64_t *out_unix_ns);
/* A fault of the reader's own: "file:line: column 'x': 'v' <text> (hint)". */
enum gs_rc gs_row_bad(struct gs_row *r, const char *why, const char *column, const char *value,
                      const char *text);
GS_NODISCARD enum gs_rc gs_row_width(struct gs_row *r, const struct gs_csv *c);

/* The row is done with rc: passes faults on or counts them as skipped (then returns GS_OK). */
GS_NODISCARD enum gs_rc gs_row_end(struct gs_row *r, enum gs_rc rc);

void gs_count_skip(struct gs_trace_counts *n, const char *reason);
void gs_count_assume(struct gs_trace_counts *n, const char *what, uint64_t times);

/* Called by a reader with each job; submit_ns in the file's own clock, queue and user as string ids (0 = none), name interned.
 * trace.c turns them into indexes once it knows which jobs stay. */
void gs_read_emit(struct gs_read *rd, const struct gs_job *j);
/* Has this name been emitted before? Then a fault (duplicate id). `name` is a string id, 0 is never one. */
GS_NODISCARD enum gs_rc gs_read_unique(struct gs_read *rd, struct gs_row *r, const char *column,
                                       uint32_t name);
/* A record with everything unknown or default. */
struct gs_job gs_read_job(const struct gs_read *rd, int64_t line);
/* A gang of j->gpus in tasks of at most o->task_gpus, with CPUs and memory by o->..._per_gpu. */
void gs_read_split(const struct gs_read *rd, struct gs_job *j);

/* Distinct values with their counts: the histograms of `trace info`. A tally holds texts or numbers, not both. */
struct gs_tally {
    struct gs_intern ids;
    GS_VEC(struct gs_tally_row) rows; /* rows.v[id] */
    int open;
};

struct gs_tally_row {
    const char *text;
    int64_t number, count;
    int64_t seen; /* calls; 0 only for "", which is there from the start */
};

void gs_tally_text(struct gs_tally *t, const char *s, int64_t count);
void gs_tally_number(struct gs_tally *t, int64_t x, int64_t count);
size_t gs_tally_distinct(const struct gs_tally *t);
void gs_tally_sort(struct gs_tally *t); /* by number, then text: ends the counting */
void gs_tally_free(struct gs_tally *t);

/* `trace info` of one file: what a reader's info function gets. */
struct gs_info {
    const struct gs_input *in;
    enum gs_bad_rows bad_rows;
    struct gs_trace_counts n;
    struct gs_buf *out;
    struct gs_err *err;
    GS_VEC(double) run_s;
    GS_VEC(double) gpus;
    const char *size_unit; /* what `gpus` counts: "GPU" (default) or "processor" */
};

void gs_info_int(struct gs_info *f, const char *quantity, int64_t x);
void gs_info_decimal(struct gs_info *f, const char *quantity, gs_i128 x, int scale);
void gs_info_text(struct gs_info *f, const char *quantity, const char *s);
/* "a:1;b:2", the first `most` in order. */
void gs_info_tally(struct gs_info *f, const char *quantity, struct gs_tally *t, size_t most);
/* Wall clock to the second, without zone. */
void gs_info_clock(struct gs_info *f, const char *quantity, int64_t unix_ns);
/* Opens a row for the current line of c (or for `line` of a format that is not CSV) and counts it. */
struct gs_row gs_info_row(struct gs_info *f, int64_t line);

/* One format. Its line for people stands in gs_trace_formats. */
struct gs_reader {
    const char *name;
    int has_ids; /* rows have ids: repeats are errors, not data */
    int (*guess)(const struct gs_input *in, const struct gs_csv *head); /* head: NULL if not CSV */
    enum gs_rc (*read)(struct gs_read *rd);
    enum gs_rc (*info)(struct gs_info *f);
};
extern const struct gs_reader gs_reader_openb, gs_reader_philly, gs_reader_swf, gs_reader_gsim;
/* By name, or by content if format is NULL. */
GS_NODISCARD enum gs_rc gs_reader_find(const char *format, const struct gs_input *in,
                                       const struct gs_reader **out, struct gs_err *err);

/* openb has two kinds of file. */
int gs_openb_is_node_list(const struct gs_csv *head);
GS_NODISCARD enum gs_rc gs_openb_info_nodes(struct gs_info *f, struct gs_csv *c);

/* The public calls of trace.h on bytes already in memory. */
GS_NODISCARD enum gs_rc gs_trace_read_input(struct gs_workload *w, uint16_t source,
                                            const struct gs_trace_options *o,
                                            const struct gs_input *in, struct gs_trace_counts *n,
                                            struct gs_err *err);
GS_NODISCARD enum gs_rc gs_inventory_read_input(const struct gs_input *in, enum gs_bad_rows bad,
                                                gs_inventory_fn *add, void *ctx,
                                                struct gs_trace_counts *n, struct gs_err *err);
GS_NODISCARD enum gs_rc gs_trace_info_input(const struct gs_input *in, const char *format,
                                            enum gs_bad_rows bad, struct gs_buf *out,
                                            struct gs_err *err);

#endif

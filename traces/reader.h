/* reader.h - what the readers of traces/ share and nobody else sees: a format, one pass over a file, a row and its faults.
 *
 * A format is one struct gs_reader in one small file, listed in formats.h. Its `scan` goes through the file once, from front to
 * back, and gives each record to the scan (gs_scan_job, gs_scan_call); figures and the words of `trace info` are gathered in the
 * same pass. A scan holds no more than a record, so a file may be larger than memory.
 *
 * Field readers (gs_row_*) read one field; on a fault they write the whole message (file, line, column, value, what to do) and return
 * GS_E_INPUT; gs_row_end passes it on or, under --bad-rows=skip, counts it. Law: rows read = records emitted + rows skipped. */
#ifndef GS_TRACES_READER_H
#define GS_TRACES_READER_H

#include "sim/base/exact.h"
#include "sim/base/zone.h"
#include "traces/csv.h"
#include "traces/input.h"
#include "traces/trace.h"

#include <jansson.h>

#include <stdint.h>

/* 100 years: longer times are taken for a mistake of the unit, and sums of two still fit 64 bits of ns. */
#define GS_TRACE_TIME_MAX   (INT64_C(36525) * 86400 * GS_SECOND)
#define GS_TRACE_GPUS_MAX   INT64_C(1000000)
#define GS_TRACE_CPUS_MAX   INT64_C(1000000000)    /* milli */
#define GS_TRACE_MEMORY_MAX INT64_C(1000000000000) /* MiB */
#define GS_TRACE_TOKENS_MAX INT64_C(1000000000)

struct gs_table;   /* table.h */
struct gs_figures; /* figures.c: sums under way; NULL = not wanted */
struct gs_info;    /* info.c */

/* One pass over one file. */
struct gs_scan {
    struct gs_input *in;
    const struct gs_trace_options *o;
    int64_t rule_from_ns;        /* the zone's rule holds from here on */
    struct gs_zone_stretch near; /* of the clock read last */
    struct gs_zone zone;         /* of wall clocks without one: the option's, else the format's */
    struct gs_trace_counts *n;
    struct gs_intern *str; /* for the texts of records */
    const struct gs_sink *sink;
    struct gs_figures *figures;
    struct gs_info *info;       /* NULL = not `trace info` */
    const struct gs_csv *table; /* the table under way, for its header; NULL elsewhere */
    void *own;                  /* the format's, allocated and freed by its scan */
    struct gs_err *err;
    /* of the record under way: given before gs_scan_job, cleared by it */
    GS_VEC(struct gs_job_attempt) attempts;
    GS_VEC(struct gs_job_attr) attrs;
    GS_VEC(int64_t) name_line; /* by string id: where the name stood first, 0 = nowhere */
    int drawn; /* a row stands for several records: the reader counts the rows, n->records the records */
    int64_t records;
    int64_t before_ns; /* submit or arrival of the record before */
    enum gs_rc stop;   /* the sink's fault: no bad row, whatever its code */
};

/* Where records go. A record is the sink's to copy; times are in the file's own clock (wall clocks: ns since 1970 UTC), queue and user are string
 * ids (0 = none). */
struct gs_sink {
    void *ctx;
    enum gs_rc (*job)(void *ctx, const struct gs_job *j, const struct gs_job_attempt *attempts,
                      const struct gs_job_attr *attrs, struct gs_err *err);
    enum gs_rc (*call)(void *ctx, const struct gs_call *c, const uint64_t *blocks,
                       struct gs_err *err);
    int as_jobs; /* calls become jobs: a format that draws them says first whether that can be */
};

struct gs_row {
    const struct gs_input *in;
    int64_t line;
    enum gs_bad_rows bad_rows;
    struct gs_trace_counts *n;
    const char *why;        /* static reason of the last fault */
    const enum gs_rc *stop; /* of the scan */
    struct gs_err *err;
};

/* A row of the file begins: counts it. */
struct gs_row gs_scan_row(struct gs_scan *s, int64_t line);

/* Field readers. `column` names the field in messages. Nulls ("", None, NULL, NA, nan) are "not a number" here: ask gs_is_null first
 * where a column may be empty. */
int gs_is_null(const char *s);
GS_NODISCARD enum gs_rc gs_row_int(struct gs_row *r, const char *column, const char *s, int64_t max,
                                   int64_t *out); /* 0..max; "18.0" is 18 */
GS_NODISCARD enum gs_rc gs_row_scaled(struct gs_row *r, const char *column, const char *s,
                                      int scale, int64_t max,
                                      int64_t *out); /* 0..max, x 10^scale */
/* 0..GS_TRACE_TIME_MAX, in units of unit_ns: GS_SECOND, 1000000 (ms), 60 * GS_SECOND; a fraction down to a ns, then rounded half even. */
GS_NODISCARD enum gs_rc gs_row_time(struct gs_row *r, const char *column, const char *s,
                                    int64_t unit_ns, int64_t *out_ns);
GS_NODISCARD enum gs_rc gs_row_seconds(struct gs_row *r, const char *column, const char *s,
                                       int64_t *out_ns); /* gs_row_time with GS_SECOND */
/* Wall clock to ns since 1970 UTC: `2017-11-05 01:30:00[.fraction][Z|+hh:mm]`, also with T, 0 to 9 digits; without an offset by s->zone.
 * Ambiguous and missing local times are counted as assumed, or a fault under ambiguous = error. */
GS_NODISCARD enum gs_rc gs_row_clock(struct gs_scan *s, struct gs_row *r, const char *column,
                                     const char *text, int64_t *out_unix_ns);
/* The same, or *out = -1 if null. */
GS_NODISCARD enum gs_rc gs_row_clock_or_null(struct gs_scan *s, struct gs_row *r,
                                             const char *column, const char *text,
                                             int64_t *out_unix_ns);
/* A fault of the reader's own: "file:line: column 'x': 'v' <text> (hint)". `why` is static text. */
enum gs_rc gs_row_bad(struct gs_row *r, const char *why, const char *column, const char *value,
                      const char *text);
/* The row makes sense but is no record: counted as skipped with its reason (static text). */
void gs_row_drop(struct gs_row *r, const char *reason);
/* The row is done with rc: passes faults on or counts them as skipped (then returns GS_OK). */
GS_NODISCARD enum gs_rc gs_row_end(struct gs_row *r, enum gs_rc rc);

void gs_count_skip(struct gs_trace_counts *n, const char *reason);
void gs_count_assume(struct gs_trace_counts *n, const char *what, uint64_t times);
/* Reads to the end of `in` and notes it as the file beside the trace. */
GS_NODISCARD enum gs_rc gs_count_beside(struct gs_trace_counts *n, struct gs_input *in,
                                        struct gs_err *err);
/* A record that was emitted does not stay: its row is skipped instead, or it is one drawn record less. */
void gs_count_left_out(struct gs_trace_counts *n, const char *reason);

/* Records with everything unknown or default. */
struct gs_job gs_scan_new_job(const struct gs_scan *s, int64_t line);
struct gs_call gs_scan_new_call(int64_t line);
/* A gang of j->gpus in tasks of at most o->task_gpus, with CPUs and memory by o->..._per_gpu; counts the assumption. */
void gs_scan_split(struct gs_scan *s, struct gs_job *j);
/* A name that stands twice is a fault. `name` is a string id, 0 is never one. */
GS_NODISCARD enum gs_rc gs_scan_unique(struct gs_scan *s, struct gs_row *r, const char *column,
                                       uint32_t name);
void gs_scan_attr(struct gs_scan *s, const char *key,
                  const char *value); /* null values are left out */
void gs_scan_attempt(struct gs_scan *s, int64_t run_ns, enum gs_end_state end);
/* Gives the record to the sink and to the words of `trace info`. Queue, user and name are string ids. */
GS_NODISCARD enum gs_rc gs_scan_job(struct gs_scan *s, const struct gs_job *j);
GS_NODISCARD enum gs_rc gs_scan_call(struct gs_scan *s, const struct gs_call *c,
                                     const uint64_t *blocks);

/* ---- JSON (json.c), over jansson ---- */

/* The next element of the JSON array that the input is (or stands in), bounded by one element: *out = NULL at the end. `line` = where it starts. */
GS_NODISCARD enum gs_rc gs_json_element(struct gs_input *in, json_t **out, int64_t *line,
                                        struct gs_err *err);
/* One document a line (JSON lines); blank lines are passed over. */
GS_NODISCARD enum gs_rc gs_json_line(struct gs_input *in, json_t **out, int64_t *line,
                                     struct gs_err *err);
/* The whole input as one document. */
GS_NODISCARD enum gs_rc gs_json_document(struct gs_input *in, json_t **out, struct gs_err *err);
/* Member of an object as the text that a table would hold: "" if absent or null; numbers exactly as far as jansson keeps them. */
const char *gs_json_text(const json_t *object, const char *key, char *buf, size_t n);

/* ---- trace info (info.c, figures.c) ---- */

struct gs_tally_row {
    const char *text;
    int64_t number, count;
    int64_t seen; /* calls; 0 only for "", which is there from the start */
};

/* Distinct values with their counts. A tally holds texts or numbers, not both. */
struct gs_tally {
    struct gs_intern ids;
    GS_VEC(struct gs_tally_row) rows; /* rows.v[id] */
    int open;
};

void gs_tally_text(struct gs_tally *t, const char *s, int64_t count);
void gs_tally_number(struct gs_tally *t, int64_t x, int64_t count);
size_t gs_tally_distinct(const struct gs_tally *t);
void gs_tally_sort(struct gs_tally *t); /* by number, then text: ends the counting */
void gs_tally_free(struct gs_tally *t);

/* Figures that a format adds itself. Quantities are named as CONTROL.tsv names them. */
void gs_info_int(struct gs_info *f, const char *quantity, int64_t x);
void gs_info_decimal(struct gs_info *f, const char *quantity, gs_i128 x,
                     int scale); /* trailing zeros trimmed */
void gs_info_fixed(struct gs_info *f, const char *quantity, gs_i128 x, int scale,
                   int places); /* rounded half even; places kept */
void gs_info_text(struct gs_info *f, const char *quantity, const char *s);
void gs_info_tally(struct gs_info *f, const char *quantity, struct gs_tally *t,
                   size_t most); /* "a:1;b:2", the first `most` in order */
void gs_info_clock(struct gs_info *f, const char *quantity,
                   int64_t unix_ns); /* to the second, without zone */

/* ---- a format ---- */

/* What `guess` sees: the first bytes of the text (at most 64 KiB, terminated) and, if they are CSV, the header line. */
struct gs_probe {
    const char *text;
    size_t n;
    const struct gs_csv *head; /* comma-separated header; NULL if the first line is none */
    const char *
        name; /* of the file, for formats that nothing else tells (ServeGen chunks); only a tie-break */
};

enum {
    GS_READER_IDS = 1,        /* records have ids: repeats are errors, not data */
    GS_READER_ESTIMATE = 2,   /* carries a user's run-time estimate */
    GS_READER_NO_RECORDS = 4, /* headers, inventories, profiles: `trace info` only */
    GS_READER_COLUMNS = 8,    /* its columns may have other names in the file: column.KEY = NAME */
    GS_READER_CALLS = 16,     /* its records are calls, else jobs */
    GS_READER_PROCS = 32,     /* counts processors: gpus_per_proc, task_procs */
    GS_READER_STEPS = 64      /* may hold steps: throughputs */
};

struct gs_reader {
    const char *name;
    const char *what;  /* one line for people */
    const char *units; /* "submit s from the first job, run time s, whole GPUs" */
    const char *zone;  /* of wall clocks without one; NULL = the format has none. printed */
    int flags;
    /* A format that is one table names it and leaves guess and scan out: it is told by the table's columns and read row by row. */
    const struct gs_table *table;
    int (*guess)(const struct gs_probe *p);
    enum gs_rc (*scan)(struct gs_scan *s);
};

struct gs_reader;

/* One pass over an opened input: everything that gs_trace_scan does behind the opening. */
GS_NODISCARD enum gs_rc gs_scan_input(struct gs_input *in, const struct gs_trace_options *o,
                                      struct gs_intern *str, const struct gs_sink *sink,
                                      struct gs_trace_counts *n, struct gs_err *err);
/* The same by this reader; info: NULL or where figures go. */
GS_NODISCARD enum gs_rc gs_scan_by(const struct gs_reader *reader, struct gs_input *in,
                                   const struct gs_trace_options *o, struct gs_intern *str,
                                   const struct gs_sink *sink, struct gs_info *info,
                                   struct gs_trace_counts *n, struct gs_err *err);
/* gs_trace_read, gs_trace_info and gs_inventory_read of an opened input. */
GS_NODISCARD enum gs_rc gs_trace_read_input(struct gs_workload *w, uint16_t source,
                                            const struct gs_trace_options *o, struct gs_input *in,
                                            struct gs_trace_counts *n, struct gs_err *err);
GS_NODISCARD enum gs_rc gs_trace_info_input(struct gs_input *in, const struct gs_trace_options *o,
                                            struct gs_trace_summary *out, struct gs_err *err);
GS_NODISCARD enum gs_rc gs_trace_info_by(const struct gs_reader *reader, struct gs_input *in,
                                         const struct gs_trace_options *o,
                                         struct gs_trace_summary *out, struct gs_err *err);
GS_NODISCARD enum gs_rc gs_inventory_read_input(struct gs_input *in, enum gs_bad_rows bad,
                                                gs_inventory_fn *add, void *ctx,
                                                struct gs_trace_counts *n, struct gs_err *err);

/* What info.c learns of each record. */
void gs_info_job(struct gs_scan *s, const struct gs_job *j);
void gs_info_call(struct gs_scan *s, const struct gs_call *c);

/* By name, or by content if format is NULL. */
GS_NODISCARD enum gs_rc gs_reader_find(const char *format, struct gs_input *in,
                                       const struct gs_reader **out, struct gs_err *err);

#endif

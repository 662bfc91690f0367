/* trace.h - one interface to every workload trace: a reader a format, chosen by name or guessed from the content.
 *
 * A reader turns a file into job records (or nodes) and counts what it saw. Rules for all: columns by header name, LF and CR LF,
 * blank lines are neither rows nor dropped rows, exact repeats are data, sorting is stable by submit. rows read = rows emitted + rows skipped,
 * each skip with a reason. Plain or gzip (by content, not by name). A bad row is an error `file:line: column 'x': 'v' ...`;
 * with bad_rows_skip it is counted instead. */
#ifndef GS_TRACES_TRACE_H
#define GS_TRACES_TRACE_H

#include "sim/base/buf.h"
#include "sim/base/err.h"
#include "sim/base/vec.h"
#include "sim/base/zone.h"
#include "sim/workload/call.h"
#include "sim/workload/job.h"

#include <stdint.h>

enum gs_bad_rows {
    GS_BAD_ROWS_ERROR,
    GS_BAD_ROWS_SKIP
};

/* What [trace] says. Zero-initialised plus the defaults of gs_trace_options_init. */
struct gs_trace_options {
    const char *path;   /* as opened */
    const char *shown;  /* as the scenario writes it, for messages and /inputs; NULL = path */
    const char *format; /* a name of gs_trace_formats, or NULL = guess */
    enum gs_bad_rows bad_rows;
    const char
        *zone; /* of wall-clock stamps without one (sim/base/zone.h); NULL = the format's default */
    enum gs_ambiguous ambiguous;
    int64_t first; /* keep the first n jobs after sorting, 0 = all */
    int64_t from_ns,
        to_ns; /* keep jobs with from <= submit < to (trace time, from its first job); GS_NEVER = no bound */
    const char *queue; /* queue for jobs without tenant; NULL = "default" */
    int32_t priority;
    uint32_t
        task_gpus; /* largest task of a gang, GPUs (formats that give only a total); 0 = never split; default 8 */
    uint32_t
        gpus_per_proc_milli; /* swf: 0 = processors are CPUs (default), else GPUs a processor x 1000 */
    uint32_t task_procs; /* swf as CPUs: processors a task, default 1, 0 = the job is one task */
    int64_t cpus_per_gpu_milli,
        mem_per_gpu_mib; /* for formats without CPUs and memory; default 0 */
    int keep_gpu_spec;   /* openb: honour gpu_spec, default 1 */
    int static_list; /* openb: ignore the times: every pod (Pending ones too) arrives in file order, a second apart, and
                            * never ends; lists without times are read so anyway. default 0 */
    int cpu_jobs; /* keep jobs that ask for no GPU, default 0 where the format mixes both: they are counted */
    const char *
        throughputs; /* gavel: file of measured steps/s; without it lists whose run time is a number of steps are refused */
    const char *throughput_gpu; /* gavel: the GPU type of that file, default v100 */
    /* Request traces as jobs: a call runs input / prefill + output / decode, tokens a second, on `call_gpus` GPUs. 0 = refused */
    double prefill_rate, decode_rate;
    uint32_t call_gpus;        /* default 1 */
    uint32_t call_share_milli; /* with call_gpus 1; default 1000 */
    uint64_t seed;             /* servegen: of the requests that are drawn; default 1 */
    /* gsim: header names that stand for its columns, as pairs KEY, NAME */
    const char *const *columns;
    size_t ncolumns; /* texts: twice the pairs */
};

/* The header name that stands for gsim's column KEY: as the scenario maps it, else KEY itself. */
const char *gs_trace_column(const struct gs_trace_options *o, const char *key);

void gs_trace_options_init(struct gs_trace_options *o);

/* A file that a reader needed beside the trace (throughputs, lengths): a row of /inputs of its own. */
struct gs_trace_beside {
    char path[256]; /* without its folder */
    char digest[33];
    uint64_t bytes;
};

/* What a reader counted. Everything here is shown. */
#define GS_TRACE_REASONS_MAX 16

struct gs_trace_counts {
    char format[24];
    char zone[48]; /* that wall clocks were read in, "" = the file has offsets or seconds */
    uint64_t ambiguous_local, missing_local; /* local times that happen twice, never */
    int sorted;      /* by submit, so that one pass with bounded memory does */
    uint64_t bytes;  /* of the file as stored */
    char digest[33]; /* xxh128 of the stored bytes, hex */
    uint64_t rows, emitted, skipped, out_of_order, duplicates;
    uint64_t left_out; /* of those skipped: because from, to or first ask for it */
    uint64_t
        records; /* drawn, where rows are parameters (servegen); 0 elsewhere: a row emitted is a record */

    struct {
        const char *reason; /* static text */
        uint64_t n;
        int asked; /* by from, to or first: left out, not skipped */
    } why[GS_TRACE_REASONS_MAX];

    uint32_t nwhy;

    struct {
        const char *what; /* static text: "estimate missing", "memory missing: 0 assumed" ... */
        uint64_t n;
    } assumed[GS_TRACE_REASONS_MAX];

    uint32_t nassumed;
    struct gs_trace_beside beside; /* path "" = none */
    int64_t origin_unix_ns;        /* wall clock of the trace's time zero, GS_NEVER if not known */
    int32_t origin_offset_s;
};

/* Appends the file's jobs to w (source number `source`), unsealed. */
GS_NODISCARD enum gs_rc gs_trace_read(struct gs_workload *w, uint16_t source,
                                      const struct gs_trace_options *o, struct gs_trace_counts *n,
                                      struct gs_err *err);

/* Records as they stand in the file, in file order and one pass, for converters: calls back through `sink` (reader.h). Texts go to `str`. */
struct gs_sink;
GS_NODISCARD enum gs_rc gs_trace_scan(const struct gs_trace_options *o, struct gs_intern *str,
                                      const struct gs_sink *sink, struct gs_trace_counts *n,
                                      struct gs_err *err);

/* The jobs of w from first_job on as gsim's own CSV (traces/README.md), appended to out. Reading that gives the same jobs, with times from
 * the first submit. */
void gs_trace_write_csv(const struct gs_workload *w, size_t first_job, struct gs_buf *out);

/* Node inventories (openb node list; later slurm, kubernetes). Calls add for each row in file order. */
struct gs_inventory_node {
    const char *name, *model;
    uint32_t gpus;
    int64_t cpus_milli, mem_mib;
    int64_t line;
};
typedef enum gs_rc gs_inventory_fn(void *ctx, const struct gs_inventory_node *n,
                                   struct gs_err *err);
GS_NODISCARD enum gs_rc gs_inventory_read(const char *path, const char *format,
                                          enum gs_bad_rows bad, gs_inventory_fn *add, void *ctx,
                                          struct gs_trace_counts *n, struct gs_err *err);

/* `gsim trace info`, as data: what a file holds. Filled in one pass with bounded memory (percentiles over more than GS_INFO_EXACT records
 * come from a logarithmic histogram of 0.4 % relative error, and that is said). */
#define GS_INFO_EXACT 1000000

struct gs_spread { /* of one quantity over the records */
    uint64_t n;
    double mean, min, p5, p25, p50, p75, p90, p95, p99, max, cv;
    double at[101]; /* percentiles 0 to 100, for charts */
};

struct gs_quantity {
    const char *name, *value;
};

struct gs_share_of {
    const char *name;
    uint64_t n;
    double gpu_hours;
};

struct gs_trace_summary {
    struct gs_trace_counts n;
    const char *format_what, *units; /* of the format, static */
    uint64_t jobs, calls;
    double span_s, gpu_hours;
    int exact; /* percentiles are */
    int has_clock;
    struct gs_spread run_s, gpus, gap_s, input, output; /* n = 0 where the format has none */
    uint64_t by_hour[24],
        by_weekday[7]; /* arrivals, local clock of the zone; Monday first. Only with has_clock */
    uint64_t tenants, users;
    uint64_t end_state[GS_END_COUNT];
    char warning[160]; /* the median job is outside 1 s .. 30 d: a unit slip? "" = none */
    GS_VEC(struct gs_quantity) figures; /* in the order of CONTROL.tsv; texts owned by `text` */
    struct gs_arena text;
    GS_VEC(struct gs_share_of) sizes, tenant_rows; /* most frequent first, at most 32 */
};

GS_NODISCARD enum gs_rc gs_trace_info(const struct gs_trace_options *o,
                                      struct gs_trace_summary *out, struct gs_err *err);
void gs_trace_summary_release(struct gs_trace_summary *s);

/* The formats, for help and errors: name, one line each; ends with name == NULL. */
struct gs_trace_format {
    const char *name, *what, *units, *zone; /* zone: NULL = none */
    int has_user_estimate;                  /* the format carries a user's run-time estimate */
    int no_records;                         /* `trace info` only */
    int calls;                              /* requests, else jobs */
};
const struct gs_trace_format *gs_trace_formats(void);
/* GS_E_INPUT with the nearest name if there is no such format. */
GS_NODISCARD enum gs_rc gs_trace_format_check(const char *name, struct gs_err *err);

#endif

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
    const char *format; /* "openb", "philly", "swf", "gsim", or NULL = guess */
    enum gs_bad_rows bad_rows;
    int32_t
        zone_offset_s; /* of wall-clock stamps without zone; GS_NO_ZONE = the format's default (Philly: see README) */
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
};

void gs_trace_options_init(struct gs_trace_options *o);

/* What a reader counted. Everything here is shown. */
#define GS_TRACE_REASONS_MAX 16

struct gs_trace_counts {
    char format[16];
    uint64_t bytes;  /* of the file as stored */
    char digest[33]; /* xxh128 of the stored bytes, hex */
    uint64_t rows, emitted, skipped, out_of_order, duplicates;

    struct {
        const char *reason; /* static text */
        uint64_t n;
    } why[GS_TRACE_REASONS_MAX];

    uint32_t nwhy;

    struct {
        const char *what; /* static text: "estimate missing", "memory missing: 0 assumed" ... */
        uint64_t n;
    } assumed[GS_TRACE_REASONS_MAX];

    uint32_t nassumed;
    int64_t origin_unix_ns; /* wall clock of the trace's time zero, GS_NEVER if not known */
    int32_t origin_offset_s;
};

/* Appends the file's jobs to w (source number `source`), unsealed. */
GS_NODISCARD enum gs_rc gs_trace_read(struct gs_workload *w, uint16_t source,
                                      const struct gs_trace_options *o, struct gs_trace_counts *n,
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

/* `gsim trace info`: lines "quantity<TAB>value" - the control figures of the format, then the median job in human units - to out. */
GS_NODISCARD enum gs_rc gs_trace_info(const char *path, const char *format, enum gs_bad_rows bad,
                                      struct gs_buf *out, struct gs_err *err);

/* The formats, for help and errors: name, one line each; ends with name == NULL. */
struct gs_trace_format {
    const char *name, *what;
    int has_user_estimate; /* the format carries a user's run-time estimate */
};
const struct gs_trace_format *gs_trace_formats(void);

#endif

/* fuzz_traces.c - any bytes as a trace: every reader must answer with records, figures or a message, never with a crash.
 *
 * An input whose first byte is below 128 is the file itself, and its format is guessed: so the samples are seeds as they are. From 128 on,
 * the first byte picks the reader (or the guess), the second what happens to bad rows and other options; the rest is the file. What holds for
 * every input is checked here: rows = emitted + skipped, a refused file leaves nothing, and what our own writer makes of the jobs is
 * read back as the same number of jobs. */
#include "sim/base/attr.h"
#include "traces/formats.h"
#include "traces/reader.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A small gzip may hold gigabytes of zeros. */
#define UNPACKED_MAX ((size_t)1 << 20)

enum {
    SKIP_BAD_ROWS = 1,
    STATIC_LIST = 2,
    GPUS_PER_PROC = 4,
    CPU_JOBS = 8,
    TOKEN_RATES = 16,
    LATER = 32,
    ZONE = 64
};

static void check_job(const struct gs_workload *w, const struct gs_job *j)
{
    gs_verify(j->submit_ns >= 0 && j->run_ns >= 0 && j->est_ns >= -1);
    gs_verify(j->tasks >= 1 && j->share_milli >= 1 && j->share_milli <= 1000);
    gs_verify(j->gpus == 0 || (j->task_gpus >= 1 && j->task_gpus <= j->gpus));
    gs_verify(j->gpus == 0 || (uint64_t)(j->tasks - 1) * j->task_gpus < j->gpus);
    gs_verify(j->cpus_milli >= 0 && j->mem_mib >= 0);
    gs_verify(j->queue < w->queues.n && (j->user == GS_NONE || j->user < w->users.n));
    gs_verify((size_t)j->attempt_first + j->attempts <= w->attempts.n || j->attempts == 0);
    gs_verify((size_t)j->attr_first + j->attrs <= w->attrs.n || j->attrs == 0);
    gs_verify(j->after <= w->jobs.n);
    gs_verify(j->kind < GS_KIND_COUNT && j->end_state < GS_END_COUNT &&
              j->duration_source < GS_DURATION_COUNT && j->est_source < GS_EST_COUNT);
}

static enum gs_rc open_bytes(struct gs_input *in, const void *bytes, size_t n, const char *shown,
                             struct gs_err *err)
{
    enum gs_rc rc = gs_input_from(in, bytes, n, shown, err);
    if (rc == GS_OK)
        rc = gs_input_ahead(in, UNPACKED_MAX + 1, err);
    if (rc == GS_OK && in->n > UNPACKED_MAX)
        rc = gs_fail(err, GS_E_INPUT, "unpacks to too much for a fuzzer");
    if (rc != GS_OK) {
        gs_input_close(in);
        gs_verify(err->msg[0]);
    }
    return rc;
}

/* Jobs -> our CSV -> jobs: nothing is lost. */
static void read_back(const struct gs_workload *w)
{
    struct gs_buf text = {0};
    gs_trace_write_csv(w, 0, &text);
    struct gs_input in;
    struct gs_err err;
    gs_verify(gs_input_from(&in, text.s, text.n, "written", &err) == GS_OK);
    struct gs_intern str;
    struct gs_workload again;
    gs_intern_init(&str);
    gs_workload_init(&again, &str);
    struct gs_trace_options o;
    struct gs_trace_counts n;
    gs_trace_options_init(&o);
    o.format = "gsim";
    if (gs_trace_read_input(&again, 0, &o, &in, &n, &err) != GS_OK) {
        (void)fprintf(stderr, "%s\n%.2000s\n", err.msg, text.s);
        gs_panic(__FILE__, __LINE__, "verify", "what was written can be read");
    }
    gs_verify(again.jobs.n == w->jobs.n);
    gs_workload_release(&again);
    gs_intern_release(&str);
    gs_input_close(&in);
    gs_buf_free(&text);
}

static void read_as_jobs(const uint8_t *data, size_t size, const struct gs_trace_options *o)
{
    struct gs_input in;
    struct gs_err err = {0};
    if (open_bytes(&in, data, size, "fuzz", &err) != GS_OK)
        return;
    struct gs_intern str;
    struct gs_workload w;
    gs_intern_init(&str);
    gs_workload_init(&w, &str);
    struct gs_trace_counts n;
    const enum gs_rc rc = gs_trace_read_input(&w, 0, o, &in, &n, &err);
    gs_verify(rc == GS_OK ? n.rows == n.emitted + n.skipped && w.jobs.n == n.emitted
                          : w.jobs.n == 0 && err.msg[0]);
    for (size_t i = 0; i < w.jobs.n; i++)
        check_job(&w, &w.jobs.v[i]);
    if (rc == GS_OK)
        read_back(&w);
    gs_workload_release(&w);
    gs_intern_release(&str);
    gs_input_close(&in);
}

static enum gs_rc count_node(void *ctx, const struct gs_inventory_node *node, struct gs_err *err)
{
    (void)err;
    gs_verify(node->name[0] && node->cpus_milli >= 0 && node->mem_mib >= 0);
    ++*(uint64_t *)ctx;
    return GS_OK;
}

static void read_as_nodes(const uint8_t *data, size_t size, enum gs_bad_rows bad)
{
    struct gs_input in;
    struct gs_err err = {0};
    struct gs_trace_counts n;
    uint64_t nodes = 0;
    if (open_bytes(&in, data, size, "fuzz", &err) != GS_OK)
        return;
    if (gs_inventory_read_input(&in, bad, count_node, &nodes, &n, &err) == GS_OK)
        gs_verify(nodes == n.emitted && n.rows == n.emitted + n.skipped);
    gs_input_close(&in);
}

static void tell(const uint8_t *data, size_t size, const struct gs_trace_options *o)
{
    struct gs_input in;
    struct gs_err err = {0};
    struct gs_trace_summary s;
    if (open_bytes(&in, data, size, "fuzz", &err) != GS_OK)
        return;
    if (gs_trace_info_input(&in, o, &s, &err) == GS_OK)
        gs_verify(s.n.rows == s.n.emitted + s.n.skipped);
    else
        gs_verify(err.msg[0] && s.figures.n == 0);
    gs_trace_summary_release(&s);
    gs_input_close(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *formats[256] = {NULL}; /* [0] = guess */
    static size_t nformats = 1;
    for (const struct gs_trace_format *f = gs_trace_formats(); nformats == 1 && f->name; f++)
        formats[nformats++] = f->name;
    struct gs_trace_options o;
    gs_trace_options_init(&o);
    if (size >= 2 && data[0] >= 128) {
        const uint8_t flags = data[1];
        o.format = formats[(data[0] - 128u) % nformats];
        o.bad_rows = flags & SKIP_BAD_ROWS ? GS_BAD_ROWS_SKIP : GS_BAD_ROWS_ERROR;
        o.static_list = (flags & STATIC_LIST) != 0;
        const char *format = o.format ? o.format : "";
        if (strcmp(format, "swf") == 0 || strcmp(format, "batsim") == 0) /* others refuse it */
            o.gpus_per_proc_milli = flags & GPUS_PER_PROC ? 500 : 0;
        o.cpu_jobs = (flags & CPU_JOBS) != 0;
        o.prefill_rate = o.decode_rate = flags & TOKEN_RATES ? 100 : 0;
        o.ambiguous = flags & LATER ? GS_AMBIGUOUS_LATER : GS_AMBIGUOUS_EARLIER;
        o.zone = flags & ZONE ? "Australia/Sydney" : NULL;
        data += 2;
        size -= 2;
    }
    read_as_jobs(data, size, &o);
    tell(data, size, &o);
    read_as_nodes(data, size, o.bad_rows);
    return 0;
}

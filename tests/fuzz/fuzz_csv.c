/* fuzz_csv.c - any bytes as a trace: the readers must answer with jobs or a message, never with a crash.
 *
 * The first byte chooses the format (or none: guess) and what happens to bad rows; the rest is the file. What holds for every
 * input is checked here: rows = emitted + skipped, a refused file leaves no jobs, and what our own writer makes of the jobs
 * is read back as the same number of jobs. */
#include "sim/base/attr.h"
#include "traces/reader.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_job(const struct gs_job *j)
{
    gs_verify(j->submit_ns >= 0 && j->run_ns >= 0 && j->est_ns >= -1);
    gs_verify(j->tasks >= 1 && j->share_milli >= 1 && j->share_milli <= 1000);
    gs_verify(j->gpus == 0 || (j->task_gpus >= 1 && j->task_gpus <= j->gpus));
    gs_verify(j->gpus == 0 || (uint64_t)(j->tasks - 1) * j->task_gpus < j->gpus);
    gs_verify(j->cpus_milli >= 0 && j->mem_mib >= 0);
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
    gs_verify(gs_trace_read_input(&again, 0, &o, &in, &n, &err) == GS_OK);
    gs_verify(again.jobs.n == w->jobs.n);
    gs_workload_release(&again);
    gs_intern_release(&str);
    gs_input_release(&in);
    gs_buf_free(&text);
}

static void read_as_jobs(const struct gs_input *in, const char *format, enum gs_bad_rows bad)
{
    struct gs_intern str;
    struct gs_workload w;
    gs_intern_init(&str);
    gs_workload_init(&w, &str);
    struct gs_trace_options o;
    struct gs_trace_counts n;
    struct gs_err err = {0};
    gs_trace_options_init(&o);
    o.format = format;
    o.bad_rows = bad;
    const enum gs_rc rc = gs_trace_read_input(&w, 0, &o, in, &n, &err);
    gs_verify(rc == GS_OK ? n.rows == n.emitted + n.skipped && w.jobs.n == n.emitted
                          : w.jobs.n == 0 && err.msg[0]);
    for (size_t i = 0; i < w.jobs.n; i++)
        check_job(&w.jobs.v[i]);
    if (rc == GS_OK)
        read_back(&w);
    gs_workload_release(&w);
    gs_intern_release(&str);
}

static enum gs_rc count_node(void *ctx, const struct gs_inventory_node *node, struct gs_err *err)
{
    (void)err;
    gs_verify(node->name[0] && node->cpus_milli >= 0 && node->mem_mib >= 0);
    ++*(uint64_t *)ctx;
    return GS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {NULL, "gsim", "openb", "philly", "swf"};
    if (size < 1)
        return 0;
    const char *format = formats[data[0] % 5];
    const enum gs_bad_rows bad = data[0] & 64 ? GS_BAD_ROWS_SKIP : GS_BAD_ROWS_ERROR;
    struct gs_input in;
    struct gs_err err = {0};
    if (gs_input_from(&in, data + 1, size - 1, "fuzz", &err) != GS_OK) {
        gs_verify(err.msg[0]);
        return 0;
    }
    if (in.n <= (size_t)1 << 20) { /* a small gzip may hold gigabytes of zeros */
        read_as_jobs(&in, format, bad);
        struct gs_trace_counts n;
        uint64_t nodes = 0;
        if (gs_inventory_read_input(&in, bad, count_node, &nodes, &n, &err) == GS_OK)
            gs_verify(nodes == n.emitted && n.rows == n.emitted + n.skipped);
        struct gs_buf text = {0};
        if (gs_trace_info_input(&in, format, bad, &text, &err) != GS_OK)
            gs_verify(text.n == 0);
        gs_buf_free(&text);
    }
    gs_input_release(&in);
    return 0;
}

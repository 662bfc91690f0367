/* joblog.c - stamps, states and gangs of cluster logs (joblog.h).
 *
 * Invariant: submit <= start <= end for every job that is kept, so that no wait and no run time is negative.
 * Cost: O(1) a job. */
#include "traces/joblog.h"

#include <string.h>

#include "sim/base/banned.h"

enum gs_rc gs_log_stamp(struct gs_scan *s, struct gs_row *r, const char *column, const char *text,
                        int64_t not_before_ns, int64_t *out_unix_ns)
{
    const enum gs_rc rc = gs_row_clock(s, r, column, text, out_unix_ns);
    if (rc != GS_OK || *out_unix_ns >= not_before_ns)
        return rc;
    enum gs_local_kind kind = GS_LOCAL_PLAIN;
    const int64_t local_ns = gs_zone_local(&s->zone, *out_unix_ns);
    const int64_t later_ns = gs_zone_unix(&s->zone, local_ns, GS_AMBIGUOUS_LATER, &kind);
    if (kind == GS_LOCAL_AMBIGUOUS && later_ns >= not_before_ns)
        *out_unix_ns = later_ns;
    return GS_OK;
}

void gs_log_start(struct gs_scan *s, struct gs_job *j, int64_t start_ns)
{
    j->start_ns = start_ns;
    if (start_ns < j->submit_ns) {
        gs_count_assume(s->n, "starts before its submit: wait taken as 0", 1);
        j->start_ns = j->submit_ns;
    }
}

enum gs_rc gs_log_times(struct gs_scan *s, struct gs_row *r, struct gs_job *j,
                        const char *const column[2], const char *const text[2], int *kept)
{
    *kept = 0;
    if (gs_is_null(text[0]) || gs_is_null(text[1])) {
        gs_row_drop(r, gs_is_null(text[0]) ? "never started" : "no end recorded");
        return GS_OK;
    }
    int64_t start_ns = 0;
    int64_t end_ns = 0;
    enum gs_rc rc = gs_log_stamp(s, r, column[0], text[0], j->submit_ns, &start_ns);
    if (rc == GS_OK)
        rc = gs_log_stamp(s, r, column[1], text[1], start_ns, &end_ns);
    if (rc != GS_OK)
        return rc;
    if (end_ns < start_ns) {
        gs_row_drop(r, "ends before it starts");
        return GS_OK;
    }
    j->run_ns = end_ns - start_ns;
    gs_log_start(s, j, start_ns);
    *kept = 1;
    return GS_OK;
}

uint8_t gs_log_state(const char *state)
{
    static const struct {
        const char *name;
        enum gs_end_state state;
    } states[] = {{"COMPLETED", GS_END_COMPLETED},
                  {"CANCELLED", GS_END_KILLED},
                  {"FAILED", GS_END_FAILED},
                  {"NODE_FAIL", GS_END_FAILED},
                  {"TIMEOUT", GS_END_TIMEOUT}};

    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        if (strcmp(state, states[i].name) == 0)
            return (uint8_t)states[i].state;
    }
    return GS_END_UNKNOWN;
}

int gs_log_is_open(const char *state)
{
    return strcmp(state, "RUNNING") == 0 || strcmp(state, "PENDING") == 0 ||
           strcmp(state, "SUSPENDED") == 0;
}

void gs_log_gang(struct gs_scan *s, struct gs_job *j, int64_t nodes, int64_t full,
                 int64_t cpus_milli, int64_t mem_mib)
{
    const int64_t each = full || nodes == 0 ? full : (j->gpus + nodes - 1) / nodes;
    j->nodes = (uint32_t)nodes;
    if (nodes > 0 && (j->gpus == 0 || ((nodes - 1) * each < j->gpus && j->gpus <= nodes * each))) {
        j->tasks = j->nodes;
        j->task_gpus = (uint32_t)each;
        j->cpus_milli = s->o->cpus_per_gpu_milli * each;
        j->mem_mib = s->o->mem_per_gpu_mib * each;
    } else {
        gs_scan_split(s, j);
    }
    if (cpus_milli > 0)
        j->cpus_milli = cpus_milli / j->tasks;
    if (mem_mib > 0)
        j->mem_mib = mem_mib / j->tasks;
}

enum gs_rc gs_log_gib(struct gs_row *r, const char *column, const char *text, int64_t *mib)
{
    int64_t micro = 0; /* GiB x 10^6: "29.296875" is 30,000 MiB */
    const enum gs_rc rc = gs_row_scaled(r, column, text, 6, GS_TRACE_MEMORY_MAX, &micro);
    *mib = (micro * 1024 + 999999) / 1000000;
    return rc;
}

/* Equal tasks whose sum is exact: the largest divisor of procs that task_procs allows. */
static void split_cpus(const struct gs_trace_options *o, int64_t procs, struct gs_job *j)
{
    int64_t each = o->task_procs && o->task_procs < procs ? o->task_procs : procs;
    while (procs % each != 0)
        each--;
    j->tasks = (uint32_t)(procs / each);
    j->cpus_milli = each * 1000;
}

enum gs_rc gs_log_procs(struct gs_scan *s, struct gs_row *r, const char *column, struct gs_job *j,
                        int64_t procs)
{
    if (!s->o->gpus_per_proc_milli) {
        split_cpus(s->o, procs, j);
        return GS_OK;
    }
    if (procs > GS_TRACE_GPUS_MAX * 1000 / s->o->gpus_per_proc_milli) {
        char text[32];
        (void)gs_fmt(text, sizeof text, "%lld", (long long)procs);
        return gs_row_bad(r, "absurdly large number", column, text,
                          "is absurd: over a million GPUs");
    }
    const int64_t milli = procs * s->o->gpus_per_proc_milli;
    j->gpus = (uint32_t)((milli + 999) / 1000);
    if (milli % 1000)
        gs_count_assume(s->n, "processors are no whole number of GPUs: rounded up", 1);
    gs_scan_split(s, j);
    return GS_OK;
}

gs_i128 gs_log_millis(gs_i128 ns)
{
    const gs_i128 whole = ns / 1000000;
    const gs_i128 twice = 2 * (ns % 1000000);
    return whole + (twice > 1000000 || (twice == 1000000 && whole % 2 != 0));
}

/* timed.h - one timed simulation in a process of its own, and the median of several. */
#ifndef GS_BENCH_TIMED_H
#define GS_BENCH_TIMED_H

#include "sim/run.h"

#include <stdint.h>

enum bench_phase {
    BENCH_READ,     /* traces, synthetic jobs, cluster, modules */
    BENCH_SIMULATE, /* the event loop, without a results file */
    BENCH_WRITE,    /* all that a results file costs */
    BENCH_PHASES
};

struct bench_time {
    double cpu_s, wall_s;
};

struct bench_figures {
    struct bench_time phase[BENCH_PHASES], all;
    uint64_t jobs, nodes, gpus, events, passes, starts, scores, module_calls, pushes, digest;
    uint64_t finished;
    double module_s;         /* inside policy modules, wall */
    double end_s, allocated; /* simulated end; mean share of the GPUs that was held */
    uint64_t peak_bytes;
    int failed;
    char msg[512];
};

struct bench_case {
    const char *scenario; /* text of an INI file; NULL = fill() makes cluster, jobs and roles */
    enum gs_rc (*fill)(struct gs_run *r, void *ctx, struct gs_err *err);
    void *ctx;
    int write; /* also with a results file */
};

/* The median of `rounds` rounds, phase by phase; each simulation is a child process, so that memory
 * and caches start afresh. Returns 0, or 1 with a line on standard error. */
int bench_measure(const struct bench_case *c, int rounds, struct bench_figures *out);

void bench_print(const char *name, const struct bench_figures *f, int wrote);

#endif

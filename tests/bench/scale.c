/* scale.c - a table of whole runs: how speed and memory grow with the cluster, and what each part of the machine room costs.
 *
 * A month of jobs on 1,000, 20,000 and 100,000 GPUs, at one offered load: plain, and with the network, failures, MIG, and all of them.
 * Every row is one scenario; the parts are lines that are added to it. Figures are of one run each, in a process of its own. */
#include "sim/base/buf.h"
#include "tests/bench/runs.h"
#include "tests/bench/timed.h"

#include <stdio.h>

#define LOAD      0.8
#define MEAN_GPUS 4.4
#define MEAN_H    6.0
#define MONTH_H   720.0

static const unsigned sizes[] = {1000, 20000, 100000}; /* GPUs, rounded to nodes of 8 */

static const struct part {
    const char *name;
    const char *nodes, *workload; /* lines of those sections */
    const char *sections;
} parts[] = {
    {"none", "", "", ""},
    {"network", "", "comm = 20%\n", "[network]\nkind = rail\n"},
    {"failures", "", "checkpoint = 1h\n",
     "[failures]\nnode = exponential mean=60d\nnode_repair = constant 4h\n"},
    {"mig", "mig = all-balanced\nmig_strategy = mixed\n", "", ""},
    {"all", "", "comm = 20%\ncheckpoint = 1h\n",
     "[network]\nkind = rail\n"
     "[failures]\nnode = exponential mean=60d\nnode_repair = constant 4h\n"},
};

enum {
    NSIZES = sizeof sizes / sizeof *sizes,
    NPARTS = sizeof parts / sizeof *parts
};

/* Where instances are asked for, an eighth of the nodes has them, and jobs of one GPU more take one. */
static void scenario(unsigned gpus, const struct part *p, struct gs_buf *ini)
{
    const unsigned nodes = gpus / 8;
    const int mig = p->nodes[0] != '\0' || p == &parts[NPARTS - 1];
    const unsigned sliced = mig ? nodes / 8 : 0;
    const double per_hour = LOAD * gpus / MEAN_GPUS / MEAN_H;
    gs_buf_fmt(ini,
               "[scenario]\nname = scale\nseed = 1\nhorizon = 30d\n"
               "[nodes n]\ntype = dgx-h100\ncount = %u\n",
               nodes - sliced);
    if (mig)
        gs_buf_fmt(ini, "[nodes m]\ntype = dgx-h100\ncount = %u\n%s", sliced, parts[3].nodes);
    gs_buf_fmt(ini,
               "[workload w]\nkind = training\narrivals = poisson %.1f/h\n"
               "gpus = choice 1:0.5 2:0.15 4:0.12 8:0.18 32:0.05\n"
               "duration = exponential mean=%.0fh\n%s",
               per_hour, MEAN_H, p->workload);
    if (mig)
        gs_buf_fmt(ini,
                   "[workload s]\nkind = interactive\narrivals = poisson %.1f/h\nmig = 1g.10gb\n"
                   "duration = exponential mean=2h\n",
                   LOAD * sliced * 8 * 2 / 2.0);
    gs_buf_fmt(ini, "%s[policy]\norder = fifo\nplacement = bestfit\nbackfill = none\n",
               p->sections);
}

int bench_scale(int rounds, unsigned most_jobs)
{
    const int full = most_jobs >= 1000000;
    int failed = 0;
    printf("scale: a month at load %.1f%s\n", LOAD, full ? "" : ", the smallest size only");
    printf("  %8s %-9s %9s %11s %9s %8s %7s %9s\n", "GPUs", "with", "jobs", "events", "events/s",
           "policy", "MiB", "B a job");
    for (int s = 0; s < (full ? NSIZES : 1); s++) {
        for (int p = 0; p < NPARTS; p++) {
            struct gs_buf ini = {0};
            struct bench_figures f;
            scenario(sizes[s], &parts[p], &ini);
            const struct bench_case c = {.scenario = gs_buf_cstr(&ini)};
            if (bench_measure(&c, rounds, &f)) {
                failed = 1;
            } else {
                const double t = f.phase[BENCH_SIMULATE].cpu_s;
                printf("  %8llu %-9s %9llu %11llu %9.0f %6.1f %% %7.1f %9.0f\n",
                       (unsigned long long)f.gpus, parts[p].name, (unsigned long long)f.finished,
                       (unsigned long long)f.events, (double)f.events / t, 100 * f.module_s / t,
                       (double)f.peak_bytes / 1048576.0, (double)f.peak_bytes / (double)f.finished);
            }
            (void)fflush(stdout);
            gs_buf_free(&ini);
        }
    }
    return failed;
}

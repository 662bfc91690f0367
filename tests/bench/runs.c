/* runs.c - the simulations whose speed gsim promises: a real list, and synthetic jobs on large
 * clusters.
 *
 * philly   82,247 jobs of the 2017 Philly list, FIFO with best fit, on 231 nodes of 8 GPUs and 321
 *          of 2 (2,490 in all; totals as recalled from the 2019 study, UNVERIFIED)
 * million  Poisson arrivals, 1, 2, 4 or 8 GPUs (mean 2), run times exponential, offered load 0.9 of
 *          12,500 nodes with 8 GPUs each
 * length   the same cluster and load with a tenth of the jobs: a shorter stretch of the same world.
 *          The mean run time is short against both stretches, so that both are mostly spent at the
 *          load that is asked for and not in filling up
 * nodes    the same jobs on ten times the nodes */
#include "tests/bench/runs.h"

#include "sim/base/buf.h"
#include "sim/base/fmath.h"
#include "sim/base/mem.h"
#include "tests/bench/shared.h"
#include "tests/bench/timed.h"

#include <stdio.h>

#define LOAD   0.9
#define MEAN_S 360.0 /* run time; 45,000 jobs run at once, a million come in 2.2 h */

int bench_philly(int rounds)
{
    char path[1024];
    struct gs_buf ini = {0};
    struct bench_figures f;
    if (!bench_shared(path, sizeof path, "traces/philly/philly.csv")) {
        printf("philly: skipped, %s is not here (set GSIM_SHARED)\n", path);
        return 0;
    }
    gs_buf_fmt(&ini,
               "[scenario]\nname = philly\n"
               "[nodes eight]\ncount = 231\ngpus = 8\ngpu = P100-PCIE-16GB\ngpu_memory = 16GiB\n"
               "cpus = 64\nmemory = 512GiB\n"
               "[nodes two]\ncount = 321\ngpus = 2\ngpu = P100-PCIE-16GB\ngpu_memory = 16GiB\n"
               "cpus = 64\nmemory = 512GiB\n"
               "[trace philly]\nfile = %s\nformat = philly\n"
               "[policy]\norder = fifo\nplacement = bestfit\n",
               path);
    const int failed =
        bench_measure(&(struct bench_case){.scenario = ini.s, .write = 1}, rounds, &f);
    gs_buf_free(&ini);
    if (failed)
        return 1;
    bench_print("philly", &f, 1);
    const double io = f.phase[BENCH_READ].cpu_s + f.phase[BENCH_WRITE].cpu_s;
    printf("  simulating / (reading + writing) = %.2f (at most 1); all %.2f s (at most 2)\n",
           f.phase[BENCH_SIMULATE].cpu_s / io, f.all.cpu_s);
    return 0;
}

/* The cluster of so many jobs: a million are for 12,500 nodes; a smaller bench is a smaller world. */
static unsigned nodes_for(unsigned jobs)
{
    return jobs / 80;
}

/* So many jobs at the load that base_nodes are to bear, on `nodes`. */
static int synthetic(unsigned jobs, unsigned base_nodes, unsigned nodes, int write, int rounds,
                     struct bench_figures *f)
{
    struct gs_buf ini = {0};
    const double per_hour = LOAD * base_nodes * 8 / 2 / MEAN_S * 3600;
    gs_buf_fmt(&ini,
               "[scenario]\nname = synthetic\nseed = 1\n"
               "[nodes n]\ncount = %u\ngpus = 8\ngpu = A100-SXM4-80GB\ncpus = 128\nmemory = 1TiB\n"
               "[workload w]\narrivals = poisson %.1f/h\ncount = %u\n"
               "gpus = choice 1:0.6 2:0.24 4:0.09 8:0.07\nduration = exponential mean=%.0fs\n"
               "[policy]\norder = fifo\nplacement = bestfit\n",
               nodes, per_hour, jobs, MEAN_S);
    const struct bench_case c = {.scenario = ini.s, .write = write};
    const int failed = bench_measure(&c, rounds, f);
    gs_buf_free(&ini);
    return failed;
}

int bench_million(int rounds, unsigned jobs)
{
    struct bench_figures f;
    if (synthetic(jobs, nodes_for(jobs), nodes_for(jobs), 1, rounds, &f))
        return 1;
    bench_print("million", &f, 1);
    printf("  generating + simulating %.2f s (a million: at most 6); writing %.2f s (at most 12); "
           "peak %.2f GiB (at most 1.5)\n",
           f.phase[BENCH_READ].cpu_s + f.phase[BENCH_SIMULATE].cpu_s, f.phase[BENCH_WRITE].cpu_s,
           (double)f.peak_bytes / 1073741824.0);
    return 0;
}

int bench_length(int rounds, unsigned most_jobs)
{
    struct bench_figures few;
    struct bench_figures many;
    const unsigned nodes = nodes_for(most_jobs);
    if (synthetic(most_jobs / 10, nodes, nodes, 0, rounds, &few) ||
        synthetic(most_jobs, nodes, nodes, 0, rounds, &many))
        return 1;
    const double a = few.phase[BENCH_SIMULATE].cpu_s;
    const double b = many.phase[BENCH_SIMULATE].cpu_s;
    printf("length: simulating %u jobs %.3f s, %u jobs %.3f s: exponent %.3f (at most 1.1)\n",
           most_jobs / 10, a, most_jobs, b, gs_log(b / a) / gs_log(10));
    printf("  events a job %.3f and %.3f, scores a job %.3f and %.3f\n",
           (double)few.events / (double)few.jobs, (double)many.events / (double)many.jobs,
           (double)few.scores / (double)few.jobs, (double)many.scores / (double)many.jobs);
    return 0;
}

int bench_nodes(int rounds, unsigned jobs)
{
    struct bench_figures small;
    struct bench_figures large;
    const unsigned nodes = nodes_for(jobs);
    if (synthetic(jobs, nodes, nodes, 0, rounds, &small) ||
        synthetic(jobs, nodes, 10 * nodes, 0, rounds, &large))
        return 1;
    const double a = small.phase[BENCH_SIMULATE].cpu_s;
    const double b = large.phase[BENCH_SIMULATE].cpu_s;
    printf("nodes: simulating %u jobs on %u nodes %.3f s, on %u nodes %.3f s: ratio %.2f (at most "
           "1.5)\n",
           jobs, nodes, a, 10 * nodes, b, b / a);
    printf("  scores %llu and %llu, passes %llu and %llu\n", (unsigned long long)small.scores,
           (unsigned long long)large.scores, (unsigned long long)small.passes,
           (unsigned long long)large.passes);
    return 0;
}

/* intervals.c - the coverage of comparisons: 800 jobs on 8 GPUs, a policy held against itself.
 *
 * Each case draws 20 fresh seeds, ten a side, and asks gs_stats_paired (side by side, as runs that share a seed are) and gs_stats_welch (as runs
 * without a common seed are) for the 95 % interval of the difference. The truth is zero. */
#include "tests/bench/intervals.h"

#include "analysis/stats.h"
#include "sim/base/rng.h"
#include "sim/run.h"

#include <stdio.h>
#include <string.h>

#define RUNS 10u

static const char scenario[] =
    "[scenario]\nname = intervals\n"
    "[nodes n]\ncount = 1\ngpus = 8\ngpu = A100-SXM4-80GB\ncpus = 128\nmemory = 1TiB\n"
    "[workload w]\narrivals = poisson 9/h\ncount = 800\n"
    "gpus = choice 1:0.6 2:0.25 4:0.15\nduration = exponential mean=20m\n"
    "[policy]\norder = fifo\nplacement = bestfit\n"
    "[output]\nseries = 30d\n";

/* The first four are means, of which the claim is made. A mean slowdown is not one of them: exponential run times give it no variance. */
static const char *const figures[] = {"jobs.wait.mean", "jobs.jct.mean", "gpu.allocation",
                                      "queue.length",   "jobs.wait.p95", "makespan"};

enum {
    NFIGURES = sizeof figures / sizeof *figures,
    MEANS = 4
};

static enum gs_rc simulate(const struct gs_settings *set, uint64_t seed, double out[NFIGURES],
                           struct gs_err *err)
{
    struct gs_log log;
    struct gs_run *r = GS_NEW(struct gs_run);
    gs_log_init(&log, GS_LOG_QUIET, GS_COLOR_NEVER, 0);
    log.progress = 0;
    gs_run_init(r, &log);
    r->seed = seed;
    enum gs_rc rc = gs_world_build(r, set, err);
    if (!rc)
        rc = gs_run_prepare(r, err);
    if (!rc)
        rc = gs_world_policies(r, set, GSIM_POLICY_DIR, err);
    if (!rc)
        rc = gs_run_go(r, err);
    for (size_t k = 0; k < NFIGURES && !rc; k++) {
        struct gs_value_row row;
        rc = gs_metric_eval(r->m, figures[k], &row, err);
        out[k] = row.value;
    }
    gs_run_release(r);
    gs_free(r);
    return rc;
}

struct tally {
    unsigned paired[NFIGURES], welch[NFIGURES];
};

static int holds_zero(const struct gs_difference *d)
{
    return d->diff - d->half <= 0 && d->diff + d->half >= 0;
}

static enum gs_rc one_case(const struct gs_settings *set, uint64_t number, struct tally *t,
                           struct gs_err *err)
{
    double v[NFIGURES][2][RUNS], x[NFIGURES];
    for (uint64_t i = 0; i < 2 * RUNS; i++) {
        const uint64_t seed = gs_mix64(number, i) & INT64_MAX;
        const enum gs_rc rc = simulate(set, seed, x, err);
        if (rc)
            return rc;
        for (size_t k = 0; k < NFIGURES; k++)
            v[k][i / RUNS][i % RUNS] = x[k];
    }
    for (size_t k = 0; k < NFIGURES; k++) {
        struct gs_difference d;
        gs_stats_paired(v[k][0], v[k][1], RUNS, 0.95, &d);
        t->paired[k] += (unsigned)holds_zero(&d);
        gs_stats_welch(v[k][0], RUNS, v[k][1], RUNS, 0.95, &d);
        t->welch[k] += (unsigned)holds_zero(&d);
    }
    return GS_OK;
}

static int report(const struct tally *t, unsigned cases)
{
    int bad = 0;
    printf(
        "compare: a policy against itself, %u cases of %u + %u runs: intervals of 95 %% that hold "
        "zero\n",
        cases, RUNS, RUNS);
    for (size_t k = 0; k < NFIGURES; k++) {
        const double p = 100.0 * t->paired[k] / cases, w = 100.0 * t->welch[k] / cases;
        printf("  %-20s paired %5.1f %%, Welch %5.1f %%%s\n", figures[k], p, w,
               k < MEANS ? " (93 to 97)" : "");
        if (k < MEANS && cases >= 1000)
            bad |= p < 93 || p > 97 || w < 93 || w > 97;
    }
    return bad;
}

int bench_intervals(unsigned cases)
{
    struct gs_settings set;
    struct gs_err err = {0};
    struct tally t = {{0}, {0}};
    const struct gs_settings_text src = {"intervals.ini", scenario, strlen(scenario)};
    enum gs_rc rc = gs_settings_load_text(&set, &src, NULL, 0, GSIM_POLICY_DIR, &err);
    for (unsigned c = 0; c < cases && !rc; c++)
        rc = one_case(&set, c, &t, &err);
    if (rc)
        (void)fprintf(stderr, "compare: %s\n", err.msg);
    gs_settings_release(&set);
    return rc ? 1 : report(&t, cases);
}

/* main.c - gsim-bench: what gsim promises about its speed, as ratios and counts. Never a timed test.
 *
 * gsim-bench [NAME...] [--rounds N]      NAME: hold, philly, fgd, million, length, nodes, scale, compare, csv, network, all
 *
 * Without a name all benches run once with fewer jobs (below a minute). `all` is the full size; the
 * figures in the documentation are medians of five rounds: gsim-bench all --rounds 5. Only programs
 * that could not run, or orders of events that differ, make the exit status 1. */
#include "tests/bench/csv.h"
#include "tests/bench/hold.h"
#include "tests/bench/intervals.h"
#include "tests/bench/network.h"
#include "tests/bench/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MILLION 1000000u

static int hold(int rounds, unsigned jobs)
{
    (void)rounds;
    (void)jobs;
    return bench_hold();
}

static int philly(int rounds, unsigned jobs)
{
    (void)jobs;
    return bench_philly(rounds);
}

static int fgd(int rounds, unsigned jobs)
{
    (void)jobs;
    return bench_fgd(rounds);
}

static int network(int rounds, unsigned jobs)
{
    (void)jobs;
    return bench_network(rounds);
}

/* A thousand cases by name or in `all`, a hundred else. */
static int compare(int rounds, unsigned jobs)
{
    (void)rounds;
    return bench_intervals(jobs / 1000);
}

static const struct {
    const char *name;
    int (*run)(int rounds, unsigned jobs);
} benches[] = {{"hold", hold},
               {"philly", philly},
               {"fgd", fgd},
               {"million", bench_million},
               {"length", bench_length},
               {"nodes", bench_nodes},
               {"scale", bench_scale},
               {"compare", compare},
               {"csv", bench_csv},
               {"network", network}};

enum {
    NBENCHES = sizeof benches / sizeof benches[0]
};

static int usage(void)
{
    (void)fprintf(
        stderr,
        "usage: gsim-bench [hold|philly|fgd|million|length|nodes|scale|compare|csv|network|all]... "
        "[--rounds N]\n");
    return 2;
}

int main(int argc, char **argv)
{
    int wanted[NBENCHES] = {0};
    int named = 0;
    int rounds = 1;
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc) {
            rounds = (int)strtol(argv[++i], NULL, 10);
            continue;
        }
        int known = 0;
        for (int b = 0; b < NBENCHES; b++) {
            const int this = strcmp(argv[i], "all") == 0 || strcmp(argv[i], benches[b].name) == 0;
            wanted[b] |= this;
            known |= this;
        }
        if (!known)
            return usage();
        named = 1;
    }
    for (int b = 0; b < NBENCHES; b++) {
        if (named && !wanted[b])
            continue;
        failed |= benches[b].run(rounds, named ? MILLION : MILLION / 10);
        (void)fflush(stdout);
    }
    return failed;
}

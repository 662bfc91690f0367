/* runs.h - whole simulations that are timed: each prints its figures and ratios, and returns 0, or 1
 * if it could not run. What needs data that is not there says so and returns 0. */
#ifndef GS_BENCH_RUNS_H
#define GS_BENCH_RUNS_H

int bench_philly(int rounds);
int bench_fgd(int rounds);
/* Synthetic jobs; a million of them are for 100,000 GPUs. */
int bench_million(int rounds, unsigned jobs);
int bench_length(int rounds, unsigned most_jobs);
int bench_nodes(int rounds, unsigned jobs);
/* The table of scale.c; a million jobs stand for all sizes. */
int bench_scale(int rounds, unsigned most_jobs);

#endif

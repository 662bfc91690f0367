/* intervals.h - are the intervals of `gsim compare` as sure as they say? A statistical bench: counts, no clock. */
#ifndef GS_BENCH_INTERVALS_H
#define GS_BENCH_INTERVALS_H

/* A policy against itself under other seeds, 10 replications a side, `cases` times: prints the share of 95 % intervals of the difference
 * of means that hold zero. 0, or 1 if it could not run or a share of means is outside 93..97 % (of 1,000 cases or more). */
int bench_intervals(unsigned cases);

#endif

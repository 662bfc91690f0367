/* network.h - how long does it take to share links anew when a job starts or ends? */
#ifndef GS_BENCH_NETWORK_H
#define GS_BENCH_NETWORK_H

/* 4,096 GPUs in a three-tier rail-optimised fat tree, 300 jobs that communicate, starts and ends at random; with trunks that are
 * oversubscribed (one component) and that are not (small ones). 0, or 1 if the naive solver gets other rates. */
int bench_network(int rounds);

#endif

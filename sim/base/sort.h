/* sort.h - a stable merge sort and the statistics of sorted samples. qsort is banned: not stable, differs by libc. */
#ifndef GS_BASE_SORT_H
#define GS_BASE_SORT_H

#include <stddef.h>

typedef int gs_cmp(const void *a, const void *b, const void *ctx); /* <0, 0, >0 */
void gs_sort(void *base, size_t n, size_t size, gs_cmp *cmp, const void *ctx);
void gs_sort_doubles(double *v, size_t n); /* ascending; +inf allowed, NaN gs_require()d absent */

/* Type-7 quantile (NumPy's default: linear between closest ranks), q in 0..1, n >= 1, v sorted. inf stays inf. */
double gs_quantile(const double *v, size_t n, double q);

#endif

/* shared.h - where data lie that are not in the repository. */
#ifndef GS_BENCH_SHARED_H
#define GS_BENCH_SHARED_H

#include <stddef.h>

/* Path of a file of the shared data ($GSIM_SHARED, else ../shared beside the repository); 1 if it
 * can be read. */
int bench_shared(char *path, size_t size, const char *file);

#endif

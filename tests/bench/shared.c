/* shared.c - see shared.h. */
#include "tests/bench/shared.h"

#include "sim/base/attr.h"
#include "sim/base/err.h"

#include <stdlib.h>
#include <unistd.h>

int bench_shared(char *path, size_t size, const char *file)
{
    const char *dir = getenv("GSIM_SHARED");
    if (dir && *dir)
        (void)gs_fmt(path, size, "%s/%s", dir, file);
    else
        (void)gs_fmt(path, size, "%s/../shared/%s", GSIM_SOURCE_DIR, file);
    return access(path, R_OK) == 0;
}

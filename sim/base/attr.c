/* attr.c - the end of a run whose own assumptions do not hold.
 *
 * There is nothing to unwind: the results are in a .part file that the next run overwrites, so the
 * most useful thing is to say where, and to stop at once with a core that shows the state. */
#include "sim/base/attr.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/base/banned.h"

void gs_panic(const char *file, int line, const char *tier, const char *what)
{
    fprintf(stderr, "gsim: fault in gsim itself: %s:%d: %s failed: %s\n", file, line, tier, what);
    (void)fflush(stderr);
    abort();
}

/* workers.h - the same work on many items, each in a process of its own; results come back as plain data, in order of items.
 *
 * A module that crashes takes its own item down and no other. What is returned does not depend on the number of workers. */
#ifndef GS_WORKERS_H
#define GS_WORKERS_H

#include "sim/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct gs_workers {
    size_t n;
    uint32_t at_once;                                   /* 0 counts as 1 */
    void (*work)(void *ctx, size_t item, void *result); /* in the worker; result is zeroed */
    void *ctx;
    void *results; /* [n] of size bytes, plain data */
    size_t size;
    int *died; /* [n] 0, or what waitpid said of a worker that sent no result */
};

/* GS_E_IO: a worker could not be started, and no further ones were. */
GS_NODISCARD enum gs_rc gs_workers_run(const struct gs_workers *w, struct gs_err *err);

#endif

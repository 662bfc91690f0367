/* hostlist.h - sets of node names as cluster people write them: n[001-128,200], rack[1-2]n[1-8], a,b,c.
 *
 * Commas outside brackets part names; a bracket holds numbers and ranges, whose zeros in front are kept (n[08-11] is n08 n09 n10 n11);
 * several brackets in one name are a product, the last one fastest. As Slurm reads it (scontrol show hostnames). */
#ifndef GS_BASE_HOSTLIST_H
#define GS_BASE_HOSTLIST_H

#include "sim/base/err.h"

#include <stddef.h>

#define GS_HOSTLIST_MAX 1000000 /* names of one list: more is a slip */

/* Calls fn(ctx, name) for each name in order; stops at the first that does not return GS_OK. Errors of the text itself say what is
 * wrong and where. The name passed dies with the call. O(names). */
GS_NODISCARD enum gs_rc gs_hostlist_each(const char *text,
                                         enum gs_rc (*fn)(void *ctx, const char *name,
                                                          struct gs_err *err),
                                         void *ctx, struct gs_err *err);

#endif

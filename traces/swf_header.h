/* swf_header.h - what the header comments of a SWF file (`; Name: value`) say, as far as gsim acts on it.
 *
 * UnixStartTime holds in every file. Legends of queues and users, and that a processor is a GPU, are only believed of a file that gsim wrote
 * (`; Conversion: gsim trace convert`, write_swf.c): elsewhere such lines are free text. */
#ifndef GS_TRACES_SWF_HEADER_H
#define GS_TRACES_SWF_HEADER_H

#include "sim/base/mem.h"
#include "sim/base/vec.h"

#include <stddef.h>
#include <stdint.h>

#define GS_SWF_CONVERSION "gsim trace convert"
#define GS_SWF_GPUS       "a processor is a GPU"

struct gs_swf_legend {
    GS_VEC(const char *) names; /* by number; NULL = none */
};

struct gs_swf_header {
    int64_t unix_start_s; /* -1 = not said */
    int ours, procs_are_gpus;
    struct gs_swf_legend queues, users;
    struct gs_arena text;
};

/* A comment line, [s, end), with its ';'. */
void gs_swf_header_line(struct gs_swf_header *h, const char *s, const char *end);
/* The name that a number stands for, NULL if none is known. */
const char *gs_swf_name(const struct gs_swf_legend *l, const char *number);
void gs_swf_header_free(struct gs_swf_header *h);

#endif

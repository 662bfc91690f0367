/* convert.h - a trace from one format to another, and what was lost on the way. */
#ifndef GS_TRACES_CONVERT_H
#define GS_TRACES_CONVERT_H

#include "sim/base/err.h"
#include "sim/base/vec.h"
#include "traces/trace.h"

#include <stddef.h>
#include <stdint.h>

struct gs_convert_loss {
    const char *what; /* static text */
    uint64_t n;       /* records */
};

struct gs_convert_report {
    const char *to;   /* the target's name, static */
    uint64_t written; /* records */
    int odd_ending;   /* the output's name ends as files of another target do */
    int held;         /* the sources were not in order of time: all of them were held in memory */
    GS_VEC(struct gs_trace_counts) read; /* by source */
    GS_VEC(struct gs_convert_loss) lost; /* in order of first occurrence */
    struct gs_intern str;                /* texts of `read` */
};

/* Where the bytes go. */
typedef enum gs_rc gs_put_fn(void *ctx, const char *bytes, size_t n, struct gs_err *err);

struct gs_convert_options {
    const struct gs_trace_options
        *files; /* several are written one after the other, on one clock as they stand */
    size_t nfiles;
    const char *to;  /* a name of gs_convert_targets; NULL = by the ending of `out` */
    const char *out; /* the file's name; without a known ending (NULL too) gsim's own CSV of what
                      * the sources hold */
    int clock;       /* times as wall clocks; the sources must have them */
    gs_put_fn *put;
    void *ctx;
};

/* *report is valid after success and failure, and released by gs_convert_release. */
GS_NODISCARD enum gs_rc gs_trace_convert(const struct gs_convert_options *o,
                                         struct gs_convert_report *report, struct gs_err *err);
void gs_convert_release(struct gs_convert_report *report);

struct gs_convert_target {
    const char *name, *what, *ending; /* ending: of its files' names, with the dot */
};
const struct gs_convert_target *gs_convert_targets(void); /* ends with name == NULL */

#endif

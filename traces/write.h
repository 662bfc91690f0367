/* write.h - the formats that traces are written in: one small file a target, as a reader has one. Shared by convert.c and the targets only.
 *
 * A conversion goes through its sources twice: a survey, which finds what a header needs and what a target has to know before its
 * first line, then the writing, record by record. So a sorted trace of any length is converted in memory that does not grow
 * with it; only a target that must be in order of time holds a trace that is not. What the target cannot hold is counted, by
 * gs_lost, never dropped silently. */
#ifndef GS_TRACES_WRITE_H
#define GS_TRACES_WRITE_H

#include "sim/base/buf.h"
#include "sim/base/vec.h"
#include "sim/base/zone.h"
#include "traces/convert.h"

#include <stddef.h>
#include <stdint.h>

/* Distinct string ids in order of first use, each with its place from 1. */
struct gs_legend {
    GS_VEC(uint32_t) ids;
    GS_VEC(uint32_t) place; /* by string id; 0 = not in it */
};

uint32_t gs_legend_add(struct gs_legend *l, uint32_t id); /* its place */
void gs_legend_free(struct gs_legend *l);

/* What the first pass found. */
struct gs_survey {
    uint64_t jobs, gpu_jobs, calls;
    int64_t earliest_ns, before_ns; /* submit or arrival */
    int sorted, has_after;
    int64_t largest_gpus, largest_cpus_milli;    /* of one job */
    uint32_t job_columns, call_columns;          /* bits of the columns in use */
    struct gs_legend queues, users, names, keys; /* keys: of attributes */
    int names_are_numbers; /* every job has one, all different, none with a leading zero: SWF can keep them */
    int users_are_numbers; /* every user is u and such a number, as the SWF reader names them */
    int64_t unix_ns;       /* wall clock of the sources' time zero, GS_NEVER = not known */
    struct gs_zone zone;
};

struct gs_writing {
    const struct gs_intern *str;
    const struct gs_survey *seen;
    int clock;         /* times as wall clocks */
    struct gs_buf out; /* bytes that were not given on yet */
    GS_VEC(uint32_t)
    names; /* by place in the sources: names of the jobs; kept only where jobs name others */
    GS_VEC(uint32_t) position; /* by place in the sources: place in the output; empty = the same */
    struct gs_convert_report *report;
};

/* One more record of which `what` (static text) is not in the output. */
void gs_lost(struct gs_writing *w, const char *what);

/* A job as it stands in the sources: times in their clock, queue and user string ids; `place` counts from 0. */
struct gs_written_job {
    const struct gs_job *j;
    const struct gs_job_attempt *attempts; /* [j->attempts] */
    const struct gs_job_attr *attrs;       /* [j->attrs] */
    uint64_t place;
};

struct gs_target {
    const char *name, *what;
    const char *ending; /* of its files' names, with the dot */
    int takes_calls;    /* else jobs */
    int in_order;       /* records must come by time */
    int can_clock;      /* times may be wall clocks */
    int has_zero;       /* otherwise it still says where time zero stands on the wall clock */
    void (*begin)(struct gs_writing *w);
    int (*job)(struct gs_writing *w,
               const struct gs_written_job *j); /* 0 = left out, and counted as lost */
    int (*call)(struct gs_writing *w, const struct gs_call *c, const uint64_t *blocks);
};

extern const struct gs_target gs_target_gsim, gs_target_swf, gs_target_gsim_calls,
    gs_target_mooncake;

/* ---- Pieces of text (write_gsim.c) ---- */

void gs_write_field(struct gs_buf *out, const char *s); /* of CSV, quoted where it must be */
/* ns of the sources' clock: seconds from the first record, or a wall clock. */
void gs_write_time(struct gs_writing *w, int64_t ns);
uint32_t gs_job_columns(const struct gs_job *j); /* bits of enum gs_job_column that say something */
uint32_t gs_call_columns(const struct gs_call *c);

#endif

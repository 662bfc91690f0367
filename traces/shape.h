/* shape.h - what is done to a trace's jobs after they are read and before they run: load, feedback, normalisation, resampling,
 * jitter, repetition. Each works on the jobs of one source in a workload that is not sealed yet, says what it distorts, and reports what
 * it did, so that nothing about a replayed trace is silent.
 *
 * Order of application: normalise, repeat, resample, jitter, load, feedback. All draws are keyed by (seed, purpose, job), so that two
 * policies see the same jobs. Cost: O(jobs log jobs) for each step that is asked for. */
#ifndef GS_TRACES_SHAPE_H
#define GS_TRACES_SHAPE_H

#include "sim/base/err.h"
#include "sim/workload/job.h"

#include <stddef.h>
#include <stdint.h>

enum gs_load_method {
    GS_LOAD_USERS,    /* whole users kept or repeated */
    GS_LOAD_THIN,     /* single jobs kept or repeated at random */
    GS_LOAD_COMPRESS, /* the time between submissions scaled */
    GS_LOAD_SIZE      /* the run times scaled */
};

enum gs_session_by {
    GS_SESSION_USER,
    GS_SESSION_QUEUE /* of traces that name no users: a tenant's jobs are taken as one user's */
};

enum gs_normalise {
    GS_NORMALISE_NONE,
    GS_NORMALISE_PLACEMENT, /* recorded spread over nodes */
    GS_NORMALISE_GPU        /* recorded GPU type */
};

struct gs_shape_options {
    enum gs_normalise normalise;
    const char *
        speeds; /* CSV model,speed[,source] in place of the built-in table (shape_speed.c); NULL = that */
    const char
        *reference; /* GPU model whose run time is the work; NULL = the fastest of the table */
    double
        default_speed; /* of a model (a spread) that the table lacks, and of jobs without a record. 0 = a model that
                            * it lacks is an error, and jobs without a record keep their run time; both are counted */
    uint32_t repeat; /* the whole trace N times, one after the other; 0 and 1 = once */
    int64_t
        resample_block_ns; /* moving blocks of whole days drawn with replacement, weekdays kept; 0 = none */
    int64_t jitter_ns; /* each submit moved by a uniform draw in [-jitter, jitter]; 0 = none */
    double load;       /* of the capacity, 0 = as recorded */
    enum gs_load_method method;
    int64_t
        session_gap_ns; /* feedback = session: a user's next job within the gap after the end of one waits for it; 0 = open */
    enum gs_session_by session_by;
};

/* Where the trace is to run, and when. */
struct gs_shape_site {
    int64_t
        gpu_milli; /* capacity: GPUs x 1000; 0 = load is CPU time, as on a cluster without GPUs */
    int64_t cpus_milli; /* CPUs x 1000 */
    int64_t
        local_origin_ns; /* wall clock of t = 0 (its time of day matters); GS_NEVER = not known: days begin at t = 0 */
    /* Of jobs as they were placed, by the network of the scenario: run time / run time on the tightest placement. NULL = by the table. */
    double (*slowdown)(void *ctx, const struct gs_job *j);
    void *slowdown_ctx;
};

struct gs_shape_report {
    double factor_mean, factor_p50,
        factor_p95; /* of normalise: the slow-down that run times were divided by; 0 = none was */
    uint64_t normalised, without_data, defaulted; /* jobs */
    double load_before,
        load_after; /* offered load, as a share of the capacity between first and last submission */
    uint64_t jobs_before, jobs_after, dependent;
    char said
        [1024]; /* what was done and distorted, for people: lines without an end, one a step; "" = nothing */
};

/* Does it do anything? */
int gs_shape_wanted(const struct gs_shape_options *o);
/* Does it draw random numbers? Then replications of the trace differ. */
int gs_shape_is_random(const struct gs_shape_options *o);

GS_NODISCARD enum gs_rc gs_shape_apply(struct gs_workload *w, size_t first_job,
                                       const struct gs_shape_options *o,
                                       const struct gs_shape_site *site, uint64_t seed,
                                       struct gs_shape_report *out, struct gs_err *err);

/* The compound values of a scenario, into *o; texts stay the caller's. Errors say how to write it.
 *   normalise  none | gpu [reference=MODEL] [default=SPEED] [table=FILE] | placement [default=SPEED]
 *   resample   days [block=1d]
 *   feedback   open | session [gap=20m] [by=user|queue] */
struct gs_arena;
GS_NODISCARD enum gs_rc gs_shape_parse_normalise(const char *text, struct gs_arena *a,
                                                 struct gs_shape_options *o, struct gs_err *err);
GS_NODISCARD enum gs_rc gs_shape_parse_resample(const char *text, struct gs_arena *a,
                                                struct gs_shape_options *o, struct gs_err *err);
GS_NODISCARD enum gs_rc gs_shape_parse_feedback(const char *text, struct gs_arena *a,
                                                struct gs_shape_options *o, struct gs_err *err);

#endif

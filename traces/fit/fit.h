/* fit.h - a [workload] section whose synthetic jobs look like those of a trace, and how well they do.
 *
 * Fitted to the first part of the jobs, judged on the rest and on all of them: the report puts the four side by side, and the
 * verdicts stand at the head of the section. It holds no samples: at most 12 numbers for the arrivals beside the rates by hour and weekday, at most 9 for the run times of a size
 * class. Deterministic on one machine: fixed starting points and random numbers; the same jobs give the same section. */
#ifndef GS_TRACES_FIT_FIT_H
#define GS_TRACES_FIT_FIT_H

#include "sim/base/buf.h"
#include "sim/base/log.h"
#include "sim/workload/job.h"
#include "traces/fit/lognormals.h"
#include "traces/fit/process.h"
#include "traces/synth/synth.h"

#define GS_FIT_JOBS_LEAST 100 /* in the first part */

struct gs_fit_options {
    const char *name;  /* of the section */
    const char *shown; /* of the trace, for the comment at its head */
    double train;      /* share of the jobs, by submission, that is fitted to: above 0, at most 1 */
    int keep_flurries; /* every job counts as it is: see fit.c */
    int64_t origin_unix_ns;  /* wall clock of the jobs' time zero, GS_NEVER = not known */
    int32_t origin_offset_s; /* its offset from UTC; hours and weekdays are taken by it all along */
    const char *zone;   /* that the trace was read in, for [scenario]; NULL or "" = the offset */
    struct gs_log *log; /* for progress; NULL = silent */
};

enum {
    GS_FIT_TRAIN, /* the first part */
    GS_FIT_TEST,  /* the rest */
    GS_FIT_WHOLE,
    GS_FIT_MADE, /* the synthetic jobs, over the span of the whole */
    GS_FIT_SETS
};

/* One line of the report: a quantity of each set; NaN = none. Totals (jobs, GPU-hours) are judged by their ratio: the synthetic
 * jobs over the span of a part to that part. Everything else is judged on the rest and on the whole. */
struct gs_fit_row {
    char name[48];
    double v[GS_FIT_SETS];
    double
        target; /* NaN = none. A distance: at most; shares: points from the whole's; dispersion: factor; totals: off by so much */
    double ratio_train, ratio_whole;    /* of totals; else NaN */
    int met_train, met_test, met_whole; /* -1 = not judged */
};

struct gs_fit_class {
    uint32_t from, to; /* GPUs; to = UINT32_MAX: no upper end */
    uint64_t jobs;
    struct gs_lognormals run;
};

struct gs_fit {
    size_t jobs, train_jobs;
    uint64_t cpu_jobs, endless; /* left out */
    int64_t first_ns; /* submission of the first job that is used, in the workload's clock */
    double span_s, resolution_s;
    int has_gpus; /* else sizes are CPUs, and "work" below is CPU-hours */
    uint64_t kinds[GS_KIND_COUNT];
    uint32_t largest_train, largest,
        largest_cpus; /* of a job: GPUs in the first part, in all; CPUs */
    struct gs_process process;
    GS_VEC(struct gs_fit_class) classes;
    struct gs_buf arrivals, gpus, share, cpus, queues,
        users;                  /* values as the section has them; empty = no such key */
    struct gs_buf queue;        /* the name of the only tenant, where it is fit for a scenario */
    struct gs_buf legend;       /* comment: which tenants q0, q1, ... stand for */
    GS_VEC(struct gs_buf) runs; /* of each class */
    struct gs_buf section;
    GS_VEC(struct gs_fit_row) rows;
};

/* The jobs of w, sealed. Too few, or all at one instant, are GS_E_INPUT. *out is valid after success and failure. */
GS_NODISCARD enum gs_rc gs_fit_workload(const struct gs_workload *w, const struct gs_fit_options *o,
                                        struct gs_fit *out, struct gs_err *err);
void gs_fit_release(struct gs_fit *f);

/* One line, without an end: "MISSED GPU-hours: 1.27 of the whole's ..."; 0 if the row is not judged. */
int gs_fit_verdict(const struct gs_fit_row *r, struct gs_buf *out);
/* Whether one of the targets is missed on the whole or, of totals, on the part that was fitted to. */
int gs_fit_missed(const struct gs_fit *f);
/* The row of that name; NULL = none. */
const struct gs_fit_row *gs_fit_row(const struct gs_fit *f, const char *name);

/* ---- Between fit.c, judge.c and section.c ---- */

/* What is looked at of the jobs, in order of submission; t in seconds from the first. */
struct gs_fit_jobs {
    size_t n;
    double *t, *run, *w; /* w: weights, see fit.c */
    double *size;        /* GPUs with their share; CPUs where no job has GPUs */
    uint32_t *gpus, *queue, *user;
    uint32_t *part; /* thousandths of a GPU; CPUs of the job where no job has GPUs */
};

int64_t gs_fit_clock(const struct gs_fit *f, const struct gs_fit_options *o);
/* Writes f->section: after the judgement, which stands at its head. */
void gs_fit_write_section(struct gs_fit *f, const struct gs_fit_options *o);
/* Fills f->rows. */
GS_NODISCARD enum gs_rc gs_fit_judge(struct gs_fit *f, const struct gs_fit_jobs *jobs,
                                     const struct gs_fit_options *o, struct gs_err *err);

#endif

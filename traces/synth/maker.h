/* maker.h - a [workload] section at work: what make.c parses and draw.c draws from. Nobody else looks inside. */
#ifndef GS_TRACES_SYNTH_MAKER_H
#define GS_TRACES_SYNTH_MAKER_H

#include "traces/synth/arrivals.h"
#include "traces/synth/synth.h"

/* An early end: with probability p, after a share of the run time. */
struct gs_early_end {
    double p;
    struct gs_dist *share;
};

/* A MIG profile, drawn where u < end. */
struct gs_mig_choice {
    uint32_t profile; /* string id, 0 = none */
    double end;
};

struct gs_maker {
    struct gs_workload *w;
    const struct gs_synth *s;
    uint64_t seed;
    uint32_t section;
    struct gs_arena arena;
    struct gs_err *err;
    struct gs_arrivals *arrivals;
    struct gs_dist *gpus, *duration, *share, *cpus, *memory, *users, *queues;
    struct gs_dist **class_duration; /* [s->classes.n] */
    struct gs_early_end failures, kills;
    struct gs_mig_choice *mig; /* [nmig], ends ascending to 1 */
    size_t nmig;
    size_t after_first, after_n; /* jobs that this section's wait for; n = 0: none */
    int64_t after_lag_ns;
    int has_ends;         /* so every job has an end state */
    struct gs_job model;  /* what all jobs of the section share */
    struct gs_job before; /* the job before this one */
};

/* Job i of the section, from its own streams. The client is its user where the section names none. */
GS_NODISCARD enum gs_rc gs_maker_draw(struct gs_maker *m, int64_t i, uint32_t client,
                                      int64_t submit_ns, struct gs_job *j);
/* Cuts the job short if it fails or is killed. After estimates, which are of the whole run time. */
void gs_maker_end(const struct gs_maker *m, struct gs_job *j);
enum gs_rc gs_maker_fault(struct gs_maker *m, const char *key, int64_t i, double value,
                          const char *text);

#endif

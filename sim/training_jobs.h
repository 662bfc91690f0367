/* training_jobs.h - the training runs of a simulation: what each [workload] with a model comes to on its reference placement.
 *
 * The reference is the tightest placement on the first GPU that the workload accepts and the cluster has, in that GPU's machine. A job's
 * work is its steps x the step time there; jobs point to their run by gs_job.train. */
#ifndef GS_TRAINING_JOBS_H
#define GS_TRAINING_JOBS_H

#include "sim/run.h"
#include "sim/training/train.h"

struct gs_training_job {
    const char *section; /* [workload NAME] */
    struct gs_train train;
    struct gs_train_gpu gpu;
    struct gs_step step; /* on the reference placement */
    struct gs_memory memory;
    const char *arithmetic, *misfit; /* of memory, as text; why it is rejected if it does not fit */
    double steps;
    int64_t run_ns;
};

/* If the workload names a model: adds its run, and has synth make jobs of its size and run time. */
GS_NODISCARD enum gs_rc gs_training_add(struct gs_run *r, const struct gs_settings *s,
                                        const struct gs_set_workload *w, struct gs_synth *synth,
                                        struct gs_err *err);
/* NULL = the job is given by its duration. */
const struct gs_training_job *gs_training_of(const struct gs_run *r, const struct gs_job *j);
/* Why the job can never run, if it does not fit into the memory of its GPUs; else NULL. */
const char *gs_training_misfit(const struct gs_run *r, const struct gs_job *j);
size_t gs_training_jobs(const struct gs_run *r);
const struct gs_training_job *gs_training_job(const struct gs_run *r, size_t i);
void gs_training_release(struct gs_run *r);

#endif

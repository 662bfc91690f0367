/* data.h - what the jobs of a section need besides devices: an image, weights, a data set, CPU cores to prepare it.
 *
 * One record a section, named by its jobs (gs_job.data - 1). Where the scenario says nothing, a job has none of it and starts at once. */
#ifndef GS_EFFECTS_DATA_H
#define GS_EFFECTS_DATA_H

#include "sim/base/err.h"
#include "traces/synth/synth.h"

#include <stddef.h>
#include <stdint.h>

struct gs_run;
struct gs_set_data;

struct gs_layer {  /* of an image: equal names are one layer, which a node keeps once */
    uint32_t name; /* string id */
    int64_t mib;
};

enum gs_checkpoint_rule {
    GS_CHECKPOINT_NEVER,
    GS_CHECKPOINT_EVERY,
    GS_CHECKPOINT_YOUNG,
    GS_CHECKPOINT_DALY
};

struct gs_data_spec {
    uint32_t layer_first, layers; /* rows of gs_run.layers */
    struct gs_dist *startup;      /* s, drawn an attempt; NULL = none */
    int64_t weights_bytes;        /* that each node of the job reads before it begins */
    int64_t
        input_rate; /* bytes/s that a GPU takes in at the pace of the reference, from shared storage; 0 = none */
    enum gs_checkpoint_rule checkpoint;
    int64_t checkpoint_interval_ns; /* of EVERY */
    int64_t checkpoint_bytes;       /* of the whole job, written to shared storage; or */
    int64_t checkpoint_ns;          /* how long a write takes, 0 = as long as the bytes need */
    int checkpoint_async;           /* work goes on meanwhile */
    uint32_t busy_milli;            /* of a GPU's time in which it is busy with the job alone */
    uint32_t program;               /* string id; 0 = not said */
    struct gs_dist *memory_used;    /* MiB on each GPU, drawn a job; NULL = what it may */
    int64_t memory_after_ns;        /* from the start until it has taken them */
    int64_t preprocess_milli;       /* CPU thousandths a GPU that keep up with it; 0 = no need */
};

/* Makes the record of a section's jobs, those from from_job on; nothing if the section says nothing. */
GS_NODISCARD enum gs_rc gs_data_apply(struct gs_run *r, const struct gs_set_data *d,
                                      size_t from_job, const char *dir, struct gs_err *err);
/* The job's record, NULL = none. */
const struct gs_data_spec *gs_data_of(const struct gs_run *r, uint32_t job);

#endif

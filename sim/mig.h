/* mig.h - MIG in a run: which instances the devices begin with, what jobs may ask for, what a partitioner changes on the way.
 *
 * mig.c      [nodes] mig = LAYOUT -> instances in the ledger; profiles of jobs
 * mig_run.c  instances and modes that change while the run goes on; what existed when (/mig_instances)
 *
 * A job that names a profile is a gang of tasks of one instance each: there is no traffic between instances. What it counts for is
 * its share of the device's compute slices; that it runs as fast as `duration` says is the scenario's word, whatever the
 * instance. Strategies are the device plugin's: `none` shows no instances, so that a device in MIG mode is of no use; `single`
 * serves requests for one GPU with an instance, for which all nodes of the scenario must have one and the same profile
 * (else a plain request would mean two things); `mixed` serves profiles by name. */
#ifndef GS_MIG_H
#define GS_MIG_H

#include "sim/hardware/mig.h"
#include "sim/run.h"

/* What a [nodes] section says. */
struct gs_mig_spec {
    int64_t create_ns, mode_ns; /* mode_ns with the reset, where the GPU needs one */
    uint8_t strategy;           /* enum gs_mig_strategy */
    uint8_t said;               /* it has a layout */
};

/* A row of /mig_instances; to -1 = it still exists. */
struct gs_mig_life {
    uint32_t gpu;
    uint16_t profile;
    uint8_t start, size;
    int64_t from_ns, to_ns;
};

/* Memory slices of devices in MIG mode, in thousandths. */
struct gs_mig_slices {
    int64_t free, lost, unreachable;
};

struct gs_mig_state {
    struct gs_mig_book book;
    const char **names; /* of profiles by number, from "none" on; NULL ends */
    GS_VEC(struct gs_mig_spec) spec;
    uint16_t *spec_of; /* [nodes] */
    GS_VEC(struct gs_mig_life) lives;
    GS_VEC(uint32_t) life_of; /* by partition: its open row */
    double *asked; /* [profiles + 1] share of the tasks that ask for it; sums to 1 where any does */
    struct gs_mig_slices *node, all; /* [nodes] as measured last; their sum */
    uint64_t measured;               /* 1 + mig_epoch of the last measurement */
    uint16_t single;                 /* the profile that plain requests get, 0 = none */
};

/* After the nodes were added (first[i]: the first of [nodes] section i, and one more): modes and instances as the layouts say. Leaves r->mig
 * NULL where the scenario does not speak of MIG. */
GS_NODISCARD enum gs_rc gs_mig_build(struct gs_run *r, const struct gs_settings *s,
                                     const uint32_t *first, struct gs_err *err);
/* After the jobs were read: numbers and shares of their profiles. */
GS_NODISCARD enum gs_rc gs_mig_jobs(struct gs_run *r, struct gs_err *err);
/* Why the memory that a job asks for does not fit into an instance of its profile, with the arithmetic; NULL = it does. */
const char *gs_mig_misfit(struct gs_run *r, const struct gs_job *j);
void gs_mig_release(struct gs_run *r);
const char *const *gs_mig_names(const struct gs_run *r);

/* gs_world_ops of a partitioner's changes, and the event that ends one. */
void gs_mig_created(void *world, uint32_t part);
void gs_mig_gone(void *world, uint32_t part);
void gs_mig_mode(void *world, uint32_t gpu);
gs_handler gs_mig_on_done;
/* /mig_instances */
GS_NODISCARD enum gs_rc gs_mig_write(struct gs_run *r, struct gs_h5 *f, struct gs_err *err);
/* Fragmentation of the devices in MIG mode, to the metrics, where something there has changed. */
void gs_mig_measure(struct gs_run *r);
/* An instance exists from now on, or no more. */
void gs_mig_note_born(struct gs_run *r, uint32_t part);
void gs_mig_note_gone(struct gs_run *r, uint32_t part);

#endif

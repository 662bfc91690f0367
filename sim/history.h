/* history.h - a warm start ([state]): the run begins with what was there, as a results file or a list of jobs tells it.
 *
 * From a results file: the same workload is simulated from t = 0, and until the time T that is asked for what the file recorded is done
 * (starts on the same devices, evictions, rejections) while modules see every event but are not asked; from T on they decide. So the cluster, the
 * queue, decayed usage, image caches and all else are at T just as they were, and the same policy goes on with the same starts.
 * From a CSV: each row is a job that runs at t = 0 on the devices named (or waits), with the time that is left to it.
 *
 * Times of a file are seconds as doubles, exact to some ns; an act is done in the first pass that comes near its time and finds it possible. What
 * cannot be repeated is an error, since the state would be another one. */
#ifndef GS_HISTORY_H
#define GS_HISTORY_H

#include "sim/run.h"

/* [state] from: reads the file; adds jobs of a CSV. After the nodes and the workload of the scenario are there, before it is sealed. */
GS_NODISCARD enum gs_rc gs_history_load(struct gs_run *r, const char *from, const char *dir,
                                        struct gs_err *err);
/* After sealing: finds the jobs of the file in the workload. */
GS_NODISCARD enum gs_rc gs_history_match(struct gs_run *r, struct gs_err *err);
void gs_history_begin(struct gs_run *r);          /* schedules the first act */
int64_t gs_history_until(const struct gs_run *r); /* T; 0 = no history */
void gs_history_replay(void *world, int64_t now_ns);
gs_handler gs_history_on_act;
void gs_history_release(struct gs_run *r);

/* ---- between history.c and history_csv.c ---- */
enum gs_act_kind { /* in this order at one time */
    GS_ACT_EVICT,
    GS_ACT_REJECT,
    GS_ACT_START
};

struct gs_listing_form;

struct gs_act {
    int64_t time_ns;
    uint32_t job;      /* row of the file, or of the workload before it is sealed */
    uint32_t first, n; /* START: rows; EVICT: the attempt, n = mode */
    const char *why;   /* REJECT */
    uint8_t kind, done;
};

struct gs_history {
    const char *path; /* as the scenario writes it */
    int64_t until_ns;
    GS_VEC(struct gs_act) acts; /* by time, kind, job */
    GS_VEC(struct gs_held) rows;
    size_t next;               /* first act that is neither done nor given up */
    const struct gs_act *lost; /* the first start that could not be repeated */
    /* of the file's jobs, to find them in the workload; NULL for a CSV */
    double *submit_s, *gpus;
    char **names;
    size_t njobs;
    uint16_t source; /* of a CSV's jobs: job = row - 1 of that source */
    int csv;
};

GS_NODISCARD enum gs_rc gs_history_csv(struct gs_run *r, struct gs_history *h, const char *path,
                                       struct gs_err *err);

extern const struct gs_listing_form gs_history_form; /* of a list of jobs */

#endif

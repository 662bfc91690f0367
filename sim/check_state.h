/* check_state.h - what the two halves of a check share: scenarios and their runs on the way to a verdict. Private to check*.c.
 *
 * check.c prepares and runs; check_judge.c judges. A scenario that was given up has an exit status already and is not looked at again. */
#ifndef GS_CHECK_STATE_H
#define GS_CHECK_STATE_H

#include "analysis/baseline.h"
#include "analysis/expect.h"
#include "sim/check.h"

#define GS_CANNOT_JUDGE 125

enum gs_check_stage {
    GS_STAGE_MODULES = 1, /* the modules of the scenario could not be loaded */
    GS_STAGE_RUN
};

struct gs_check_done { /* what a worker sends */
    enum gs_check_stage stage;
    enum gs_rc rc;
    char msg[1024];
    struct gs_report rep;
};

struct gs_check_item { /* a scenario, or a point of its [sweep] */
    const char *path;
    struct gs_buf label;             /* of the point; empty = it has no sweep */
    GS_VEC(struct gs_override) over; /* those of the check, then those of the point */
    struct gs_settings set;
    GS_VEC(struct gs_expect) expect;
    struct gs_baseline base;
    struct gs_buf base_path;
    int has_base;
    GS_VEC(const char *) asked; /* expressions with a selector, each once */
    struct gs_checked *out;
};

struct gs_check_state {
    const struct gs_check_ask *ask;
    GS_VEC(struct gs_check_item) item;
    GS_VEC(struct gs_settings *)
    sweeps; /* scenarios with a [sweep]: they hold the values of the points */
    struct gs_check_done *done;
    int *died;
    size_t sides, ties;    /* runs a scenario: sides x ties */
    char folder[64];       /* of the results files */
    struct gs_buf path[2]; /* policy path of each side */
    struct gs_buf link[2]; /* the links that stand for the builds */
    char id[64];           /* of the module that is compared */
};

/* Number of a run, and the results file that it leaves. */
size_t gs_check_run(const struct gs_check_state *c, size_t item, size_t side, size_t tie);
void gs_check_h5(const struct gs_check_state *c, size_t run, struct gs_buf *out);
/* A case that is one line of text; and one that ends the judging of its scenario. */
void gs_check_case(struct gs_check_item *it, enum gs_case_status status, const char *kind,
                   const char *name, const char *message);
void gs_check_give_up(struct gs_check_item *it, int exit_status, const char *message);

/* The results file of one replication of a run alone, number 1.. (0 has the run's own), where two builds are compared. */
void gs_check_replica_h5(const struct gs_check_state *c, size_t run, size_t replica,
                         struct gs_buf *out);
/* check_against.c: the new build against the old one. */
GS_NODISCARD enum gs_rc gs_check_against(const struct gs_check_state *c, size_t item,
                                         struct gs_err *err);
/* check_judge.c: fills item->out, cases and exit status. */
void gs_check_judge(const struct gs_check_state *c, size_t item);

#endif

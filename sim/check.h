/* check.h - runs scenarios and judges them: [expect], a baseline, or one build of a module against another.
 *
 * A scenario is judged on its own, each point of a [sweep] as one: its expectations, then its baseline or the comparison; what cannot be judged (a module that does not load, a
 * stale baseline) is 125, which `git bisect run` skips. No wall clock enters a verdict. */
#ifndef GS_CHECK_H
#define GS_CHECK_H

#include "analysis/verdicts.h"
#include "sim/points.h"

struct gs_check_ask {
    const char *const *scenario;
    size_t nscenarios;
    const char *policy_path, *history;
    const struct gs_override *over;
    size_t nover;
    uint32_t workers;
    const char *baseline; /* file (one scenario) or folder; NULL = beside each scenario */
    int bless, force;     /* force: also what fails, or is saturated */
    int strict;           /* what could not be told is 125 */
    const char *old_module, *new_module; /* both or neither */
    uint32_t tie_seeds; /* runs of each side of a comparison under so many orders of events; >= 1 */
    double tolerance;   /* of a comparison: a figure that is worse by a smaller share passes */
    struct gs_compare_ask compare; /* metrics and alpha of a comparison */
    struct gs_log *log;
};

/* One struct gs_checked a scenario or point, in order, *n of them; owned by the caller (release each, then gs_free). Only what concerns all of
 * them is an error here: no folder for the runs, two modules that are not builds of one. */
GS_NODISCARD enum gs_rc gs_check(const struct gs_check_ask *ask, struct gs_checked **out, size_t *n,
                                 struct gs_err *err);
/* A whole text file; `-` is standard output (textfile.h). */
GS_NODISCARD enum gs_rc gs_check_write(const char *path, const struct gs_buf *text,
                                       struct gs_err *err);

#endif

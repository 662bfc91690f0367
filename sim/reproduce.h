/* reproduce.h - published results replayed beside the published figures.
 *
 * Each prints, per policy, the largest difference, and returns GS_E_FAILED where one is outside its tolerance. Runs go through the ordinary engine,
 * ledger and modules; only cluster and workload are filled from the artifact's files instead of a scenario. */
#ifndef GS_REPRODUCE_H
#define GS_REPRODUCE_H

#include "sim/base/err.h"
#include "sim/base/log.h"

struct gs_reproduce {
    const char *data, *trace, *policy, *policy_path;
    long seed; /* 42..51, -1 = all */
    struct gs_log *log;
};

GS_NODISCARD enum gs_rc gs_reproduce_fgd(const struct gs_reproduce *r, struct gs_err *err);
GS_NODISCARD enum gs_rc gs_reproduce_backfill(const struct gs_reproduce *r, struct gs_err *err);

#endif

/* estimate.h - run-time estimates made from true run times (the public call is in synth.h). */
#ifndef GS_TRACES_SYNTH_ESTIMATE_H
#define GS_TRACES_SYNTH_ESTIMATE_H

#include "traces/synth/synth.h"

/* As gs_estimate_apply; cls keys the streams, entity = the job's row. */
GS_NODISCARD enum gs_rc gs_estimate_range(struct gs_workload *w, size_t from_job, const char *spec,
                                          uint64_t seed, uint32_t cls, const char *dir,
                                          struct gs_err *err);

#endif

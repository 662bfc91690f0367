/* jobs.h - what a whole job asks for, when a job is expected to end.
 *
 * A gang's tasks ask for the same but for the last, which may ask for less; so totals cost O(1). */
#ifndef GSP_LIB_JOBS_H
#define GSP_LIB_JOBS_H

#include "gsim/policy.h"

struct gspl_total {
    int64_t gpu_milli, cpus_milli, mem_mib;
};

gsp_job gspl_job_handle(const struct gsp_view *v, uint32_t slot);
struct gspl_total gspl_job_total(const struct gsp_view *v, gsp_job j);
/* Expected end of a running job: start + estimate of its attempt, but not before now. */
int64_t gspl_expected_end(const struct gsp_view *v, gsp_job j, int64_t now_ns);
/* a + b, at most GSP_NEVER - 1; b < 0 (no estimate) counts as never. */
int64_t gspl_later(int64_t a, int64_t b);

#endif

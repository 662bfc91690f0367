/* joblist.c - a row of a simulator's job list (joblist.h). O(1) a row. */
#include "traces/joblist.h"

#include "sim/base/banned.h"

enum gs_rc gs_list_job(struct gs_scan *s, struct gs_row *r, const char *const *v, int64_t unit_ns,
                       struct gs_job *j, int *kept)
{
    *kept = 0;
    *j = gs_scan_new_job(s, r->line);
    int64_t gpus = 0;
    enum gs_rc rc = gs_row_int(r, "num_gpu", v[GS_LIST_GPUS], GS_TRACE_GPUS_MAX, &gpus);
    if (rc == GS_OK)
        rc = gs_row_time(r, "submit_time", v[GS_LIST_SUBMIT], unit_ns, &j->submit_ns);
    if (rc == GS_OK)
        rc = gs_row_time(r, "duration", v[GS_LIST_DURATION], unit_ns, &j->run_ns);
    if (rc != GS_OK)
        return rc;
    j->name = gs_intern(s->str, v[GS_LIST_ID]);
    rc = gs_scan_unique(s, r, "job_id", j->name);
    if (rc != GS_OK)
        return rc;
    if (gpus == 0) {
        gs_row_drop(r, "no GPUs asked for");
        return GS_OK;
    }
    j->kind = GS_KIND_TRAINING;
    j->gpus = (uint32_t)gpus;
    gs_scan_split(s, j);
    *kept = 1;
    return GS_OK;
}

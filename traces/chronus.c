/* chronus.c - the Philly jobs with deadlines that the Chronus simulator uses (`trace_job_Philly_SLO`).
 *
 * job_id, user, num_gpu, submit_time, iterations, model_name, duration, interval, expect_time_list, expect_value_list, best_effort,
 * job_type. Times are taken as MINUTES: the last submit, 20,151, is then 14.0 days. Nobody states the unit, so it is counted as
 * an assumption. `user` is `vc_` and the virtual cluster: it is the queue. Rows are not in order of submit. The expect_* lists (joined by
 * '-': deadline after the submit, value), best_effort and job_type (strict, soft) are synthetic and travel as attributes.
 * Source: Gao et al., "Chronus: A Novel Deadline-aware Scheduler for Deep Learning Training Jobs" (SoCC'21). */
#include "traces/joblist.h"

#include "sim/base/banned.h"

#define MINUTE (60 * GS_SECOND)

enum {
    V_USER = GS_LIST_OWN
};

static const struct gs_field fields[] = {GS_LIST_FIELDS,
                                         {"user", 0},
                                         {"expect_time_list", GS_FIELD_ATTR},
                                         {"expect_value_list", GS_FIELD_ATTR},
                                         {"job_type", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
                                         {"best_effort", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
                                         {"model_name", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
                                         {"iterations", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
                                         {"interval", GS_FIELD_OPTIONAL}};

static const struct gs_figure figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "gpu_duration_sum", .op = GS_FIG_SUM_PRODUCT, .a = "num_gpu", .b = "duration"},
    {.quantity = "max_submit", .op = GS_FIG_MAX, .a = "submit_time"},
    {.quantity = "users", .op = GS_FIG_DISTINCT, .a = "user"},
    {.quantity = "job_types", .op = GS_FIG_TALLY, .a = "job_type"},
    {.quantity = "out_of_order", .op = GS_FIG_OUT_OF_ORDER, .a = "submit_time"},
    {.quantity = "gpu_histogram", .op = GS_FIG_TALLY, .a = "num_gpu"}};

static enum gs_rc row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct gs_job j;
    int kept = 0;
    const enum gs_rc rc = gs_list_job(s, r, v, MINUTE, &j, &kept);
    if (rc != GS_OK || !kept)
        return rc;
    gs_count_assume(s->n, "times taken as minutes: the format does not say", 1);
    j.queue = gs_intern(s->str, v[V_USER]);
    return gs_scan_job(s, &j);
}

static const struct gs_table table = {GS_TABLE_FIELDS(fields), GS_TABLE_FIGURES(figures),
                                      .keep_unknown = 1, .row = row};

const struct gs_reader gs_reader_chronus = {
    .name = "chronus",
    .what = "Chronus: Philly jobs with deadlines",
    .units = "submit and run time minutes (UNVERIFIED: not stated by the authors); whole GPUs",
    .flags = GS_READER_IDS,
    .table = &table,
};

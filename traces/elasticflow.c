/* elasticflow.c - job lists of the ElasticFlow simulator: Tiresias' columns with a deadline.
 *
 * Two layouts, told by nothing but their columns: job_id, submit_time, real_iteration, model_name, ddl, batch_size, num_gpu, real_duration,
 * duration, iteration; or without the real_ columns, in some lists with best_effort. Seconds. `ddl` is the absolute deadline, always
 * behind the submit: policies see it as written. The run time is `duration` (real_duration is equal in the published lists). Not all
 * lists are in order of submit.
 * Source: Gu et al., "ElasticFlow: An Elastic Serverless Training Platform for Distributed Deep Learning" (ASPLOS'23). */
#include "traces/joblist.h"

#include "sim/base/banned.h"

static const struct gs_field fields[] = {GS_LIST_FIELDS,
                                         {"ddl", GS_FIELD_ATTR},
                                         {"iteration", GS_FIELD_ATTR},
                                         {"model_name", GS_FIELD_ATTR},
                                         {"batch_size", GS_FIELD_ATTR},
                                         {"real_iteration", GS_FIELD_OPTIONAL},
                                         {"real_duration", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
                                         {"best_effort", GS_FIELD_OPTIONAL | GS_FIELD_ATTR}};

static const struct gs_figure figures[] = {GS_LIST_FIGURES};

static enum gs_rc row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct gs_job j;
    int kept = 0;
    const enum gs_rc rc = gs_list_job(s, r, v, GS_SECOND, &j, &kept);
    return rc == GS_OK && kept ? gs_scan_job(s, &j) : rc;
}

static const struct gs_table table = {GS_TABLE_FIELDS(fields), GS_TABLE_FIGURES(figures),
                                      .keep_unknown = 1, .row = row};

const struct gs_reader gs_reader_elasticflow = {
    .name = "elasticflow",
    .what = "ElasticFlow: job list with deadlines",
    .units = "submit, deadline and run time s; whole GPUs",
    .flags = GS_READER_IDS,
    .table = &table,
};

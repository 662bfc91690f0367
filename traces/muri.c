/* muri.c - job lists of the Muri simulator: Tiresias' columns with batch size, iteration time, resource times and priority.
 *
 * Times are in MILLISECONDS (the simulator divides by 1000), CR LF ends the lines, and the `_pr` lists are the same jobs with submit 0.
 * resource_time_k is the part of an iteration that needs resource k (GPU, storage or CPU, network), in ms; it travels to policies, as do
 * the model and `priority`, whose meaning is the simulator's own.
 * Source: Zhao et al., "Multi-Resource Interleaving for Deep Learning Training" (SIGCOMM'22); github.com/Rivendile/Muri. */
#include "traces/joblist.h"

#include "sim/base/banned.h"

#define MILLISECOND (GS_SECOND / 1000)

static const struct gs_field fields[] = {GS_LIST_FIELDS,
                                         {"model_name", GS_FIELD_ATTR},
                                         {"batch_size", GS_FIELD_ATTR},
                                         {"iteration_time", GS_FIELD_ATTR},
                                         {"resource_time_0", GS_FIELD_ATTR},
                                         {"resource_time_1", GS_FIELD_ATTR},
                                         {"resource_time_2", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
                                         {"iterations", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
                                         {"priority", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
                                         {"interval", GS_FIELD_OPTIONAL}};

static const struct gs_figure figures[] = {GS_LIST_FIGURES};

static enum gs_rc row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct gs_job j;
    int kept = 0;
    const enum gs_rc rc = gs_list_job(s, r, v, MILLISECOND, &j, &kept);
    return rc == GS_OK && kept ? gs_scan_job(s, &j) : rc;
}

static const struct gs_table table = {GS_TABLE_FIELDS(fields), GS_TABLE_FIGURES(figures),
                                      .keep_unknown = 1, .row = row};

const struct gs_reader gs_reader_muri = {
    .name = "muri",
    .what = "Muri: job list with resource times",
    .units = "submit and run time ms from the first job; whole GPUs",
    .flags = GS_READER_IDS,
    .table = &table,
};

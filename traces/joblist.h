/* joblist.h - what the job lists of scheduling simulators share: an id, GPUs, a submit time and a run time in one unit.
 *
 * Tiresias wrote the first such list; Muri, Chronus and ElasticFlow carry on its columns in another order, with columns of their own. A
 * reader puts these four first in its table and names the unit; its other columns travel as attributes. */
#ifndef GS_TRACES_JOBLIST_H
#define GS_TRACES_JOBLIST_H

#include "traces/table.h"

enum gs_list_column {
    GS_LIST_ID,
    GS_LIST_GPUS,
    GS_LIST_SUBMIT,
    GS_LIST_DURATION,
    GS_LIST_OWN
};

/* clang-format off */
#define GS_LIST_FIELDS {"job_id", 0}, {"num_gpu", 0}, {"submit_time", 0}, {"duration", 0}
#define GS_LIST_FIGURES                                                                 \
    {.quantity = "rows", .op = GS_FIG_ROWS},                                            \
    {.quantity = "sum_gpu", .op = GS_FIG_SUM, .a = "num_gpu"},                          \
    {.quantity = "sum_duration", .op = GS_FIG_SUM, .a = "duration"},                    \
    {.quantity = "gpu_duration", .op = GS_FIG_SUM_PRODUCT, .a = "num_gpu", .b = "duration"}, \
    {.quantity = "first_submit", .op = GS_FIG_MIN, .a = "submit_time"},                 \
    {.quantity = "last_submit", .op = GS_FIG_MAX, .a = "submit_time"},                  \
    {.quantity = "out_of_order", .op = GS_FIG_OUT_OF_ORDER, .a = "submit_time"},        \
    {.quantity = "gpu_histogram", .op = GS_FIG_TALLY, .a = "num_gpu"}
/* clang-format on */

/* The job of the first four fields: training, whole GPUs, split by task_gpus. *kept = 0: it asks for no GPU; dropped and counted. */
GS_NODISCARD enum gs_rc gs_list_job(struct gs_scan *s, struct gs_row *r, const char *const *v,
                                    int64_t unit_ns, struct gs_job *j, int *kept);

#endif

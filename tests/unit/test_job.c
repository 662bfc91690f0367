/* test_job.c - the workload container: tenants by number, stable sealing, and how a gang divides
 * into tasks. */
#include "sim/workload/job.h"
#include "tests/unit/harness.h"

static struct gs_job job_at(int64_t submit, int64_t row, uint16_t source)
{
    return (struct gs_job){.submit_ns = submit, .row = row, .source = source, .tasks = 1};
}

static void a_new_workload_has_the_default_queue(void)
{
    struct gs_intern str;
    struct gs_workload w;
    gs_intern_init(&str);
    gs_workload_init(&w, &str);
    GS_EQ_INT(w.queues.n, 1);
    GS_EQ_STR(gs_intern_str(&str, w.queues.v[0].name), "default");
    GS_EQ_INT(w.queues.v[0].parent, GS_NONE);
    GS_EQ_INT(w.queues.v[0].limit_milli, -1);
    GS_NEAR(w.queues.v[0].weight, 1, 0);
    GS_EQ_INT(gs_workload_queue(&w, "default"), 0);
    gs_workload_release(&w);
    gs_intern_release(&str);
}

static void tenants_are_numbered_by_first_use(void)
{
    struct gs_intern str;
    struct gs_workload w;
    gs_intern_init(&str);
    gs_workload_init(&w, &str);
    GS_EQ_INT(gs_workload_queue(&w, "prod"), 1);
    GS_EQ_INT(gs_workload_queue(&w, "dev"), 2);
    GS_EQ_INT(gs_workload_queue(&w, "prod"), 1);
    GS_EQ_INT(gs_workload_user(&w, ""), GS_NONE);
    GS_EQ_INT(gs_workload_user(&w, "dev"), 0); /* users and queues do not mix */
    char name[16];
    for (uint32_t i = 1; i < 1000; i++) {
        (void)snprintf(name, sizeof name, "u%" PRIu32, i);
        GS_EQ_INT(gs_workload_user(&w, name), i);
    }
    GS_EQ_INT(gs_workload_user(&w, "u500"), 500);
    GS_EQ_INT(w.users.n, 1000);
    gs_workload_release(&w);
    gs_intern_release(&str);
}

static void sealing_is_stable_and_counts(void)
{
    struct gs_intern str;
    struct gs_workload w;
    gs_intern_init(&str);
    gs_workload_init(&w, &str);
    const int64_t submit[] = {5, 3, 3, 9, 5, 9, 0};
    const int64_t row_after[] = {6, 1, 2, 0, 4, 3, 5};
    for (size_t i = 0; i < 7; i++)
        gs_vec_push(&w.jobs, job_at(submit[i], (int64_t)i, 0));
    gs_workload_seal(&w);
    GS_EQ_INT(w.out_of_order, 3); /* rows 1, 4 and 6 are earlier than the row before */
    for (size_t i = 0; i < 7; i++)
        GS_EQ_INT(w.jobs.v[i].row, row_after[i]);
    gs_workload_seal(&w); /* again: nothing changes */
    GS_EQ_INT(w.out_of_order, 3);
    GS_EQ_INT(w.jobs.v[6].row, 5); /* the two of instant 9 keep their order */
    gs_workload_release(&w);
    gs_intern_release(&str);
}

static void a_second_source_is_not_out_of_order(void)
{
    struct gs_intern str;
    struct gs_workload w;
    gs_intern_init(&str);
    gs_workload_init(&w, &str);
    gs_vec_push(&w.jobs, job_at(10, 0, 0));
    gs_vec_push(&w.jobs, job_at(5, 1, 1));
    gs_workload_seal(&w);
    GS_EQ_INT(w.out_of_order, 0);
    GS_EQ_INT(w.jobs.v[0].row, 1);
    gs_workload_release(&w);
    gs_intern_release(&str);
}

static void the_last_task_takes_what_is_left(void)
{
    const struct gs_job j = {.tasks = 2,
                             .gpus = 12,
                             .task_gpus = 8,
                             .share_milli = 1000,
                             .gpu_mem_mib = 7,
                             .cpus_milli = 96001,
                             .mem_mib = 1001};
    const struct gs_task_ask a = gs_job_task(&j, 0);
    const struct gs_task_ask b = gs_job_task(&j, 1);
    GS_EQ_INT(a.gpus, 8);
    GS_EQ_INT(a.cpus_milli, 96001);
    GS_EQ_INT(a.mem_mib, 1001);
    GS_EQ_INT(a.gpu_mem_mib, 7);
    GS_EQ_INT(b.gpus, 4);
    GS_EQ_INT(b.cpus_milli, 48000); /* rounded down */
    GS_EQ_INT(b.mem_mib, 500);
    GS_EQ_INT(b.share_milli, 1000);
}

static void equal_tasks_are_equal(void)
{
    const struct gs_job whole = {
        .tasks = 3, .gpus = 24, .task_gpus = 8, .share_milli = 1000, .cpus_milli = 5};
    const struct gs_job cpu = {.tasks = 4, .share_milli = 1000, .cpus_milli = 2000, .mem_mib = 3};
    const struct gs_job share = {
        .tasks = 1, .gpus = 1, .task_gpus = 1, .share_milli = 250, .cpus_milli = 9};
    GS_EQ_INT(gs_job_task(&whole, 2).gpus, 8);
    GS_EQ_INT(gs_job_task(&whole, 2).cpus_milli, 5);
    GS_EQ_INT(gs_job_task(&cpu, 3).gpus, 0);
    GS_EQ_INT(gs_job_task(&cpu, 3).mem_mib, 3);
    GS_EQ_INT(gs_job_task(&share, 0).share_milli, 250);
    GS_EQ_INT(gs_job_task(&share, 0).cpus_milli, 9);
}

static void large_amounts_do_not_overflow(void)
{
    const int64_t big = INT64_C(1) << 50;
    const struct gs_job j = {.tasks = 2,
                             .gpus = 60000 + 59999,
                             .task_gpus = 60000,
                             .share_milli = 1000,
                             .cpus_milli = big,
                             .mem_mib = big};
    GS_EQ_INT(gs_job_task(&j, 1).cpus_milli,
              INT64_C(1125881141844176)); /* floor(2^50 * 59999 / 60000) */
}

static void codes_have_names(void)
{
    GS_EQ_STR(gs_job_kind_str(GS_KIND_FINETUNING), "finetuning");
    GS_EQ_STR(gs_est_source_str(GS_EST_EXACT), "exact");
    GS_EQ_STR(gs_end_state_str(GS_END_TIMEOUT), "timeout");
}

static void sealing_keeps_who_waits_for_whom(void)
{
    static const int64_t submit[] = {30, 10, 20, 10};
    static const uint32_t after[] = {3, 1, 0, 2}; /* rows, plus 1 */
    struct gs_intern str;
    struct gs_workload w;
    gs_intern_init(&str);
    gs_workload_init(&w, &str);
    for (uint32_t i = 0; i < 4; i++) {
        struct gs_job j = job_at(submit[i], i, 0);
        j.after = after[i];
        gs_vec_push(&w.jobs, j);
    }
    gs_workload_seal(&w);
    for (uint32_t i = 0; i < 4; i++) {
        const struct gs_job *j = &w.jobs.v[i];
        const uint32_t was = after[j->row];
        GS_EQ_INT(j->after ? w.jobs.v[j->after - 1].row + 1 : 0, was);
    }
    GS_EQ_INT(gs_workload_cycle(&w), GS_NONE);
    w.jobs.v[2].after =
        1; /* row 2 now waits for row 1, which waits for row 0, which waits for row 2 */
    CU_ASSERT_NOT_EQUAL(gs_workload_cycle(&w), GS_NONE);
    w.jobs.v[2].after = 3;
    GS_EQ_INT(gs_workload_cycle(&w), 2);
    gs_workload_release(&w);
    gs_intern_release(&str);
}

static const struct gs_test tests[] = {
    {"sealing keeps who waits for whom", sealing_keeps_who_waits_for_whom},
    {"a new workload has the default queue", a_new_workload_has_the_default_queue},
    {"tenants are numbered by first use", tenants_are_numbered_by_first_use},
    {"sealing is stable and counts", sealing_is_stable_and_counts},
    {"a second source is not out of order", a_second_source_is_not_out_of_order},
    {"the last task takes what is left", the_last_task_takes_what_is_left},
    {"equal tasks are equal", equal_tasks_are_equal},
    {"large amounts do not overflow", large_amounts_do_not_overflow},
    {"codes have names", codes_have_names},
};
GS_TEST_MAIN("workload/job", tests)

/* test_run_trace.c - what a replayed trace does inside a run: recorded attempts, recorded ends, jobs that wait for other jobs, attributes
 * that reach a policy. */
#include "sim/metrics/internal.h"
#include "tests/unit/run_rig.h"

static void add_attempt(struct gs_rig *k, int64_t run_s, enum gs_end_state end)
{
    gs_vec_push(&k->r.w.attempts,
                (struct gs_job_attempt){.run_ns = run_s * GS_SECOND, .end_state = (uint8_t)end});
}

/* A job of three attempts, 10, 20 and 30 s: it fails, is killed, and then ends as told. */
static struct gs_job *add_tried(struct gs_rig *k, int64_t submit_s, enum gs_end_state end)
{
    struct gs_job *j = gs_rig_job_s(k, submit_s, 60, 1);
    j->attempt_first = (uint32_t)k->r.w.attempts.n;
    j->attempts = 3;
    j->end_state = (uint8_t)end;
    add_attempt(k, 10, GS_END_FAILED);
    add_attempt(k, 20, GS_END_KILLED);
    add_attempt(k, 30, end);
    return j;
}

static void fifo(struct gs_rig *k)
{
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, "fifo", NULL, NULL);
    gs_rig_role(k, GS_ROLE_PLACEMENT, "firstfit", NULL, NULL);
    gs_rig_go(k);
}

/* ---- attempts ---- */

static void attempts_follow_each_other(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "n", 1);
    (void)add_tried(k, 0, GS_END_COMPLETED);
    (void)gs_rig_job_s(
        k, 5, 7,
        1); /* comes later: it waits behind all attempts of the first, whose time of submission stays */
    fifo(k);
    const struct gs_outcome *o = gs_rig_outcome(k, 0);
    GS_EQ_INT(gs_rig_start_s(k, 0), 0);
    GS_EQ_INT(gs_rig_end_s(k, 0), 60);
    GS_EQ_INT(o->run_ns, 60 * GS_SECOND);
    GS_EQ_INT(o->restarts, 2);
    GS_EQ_INT(o->preemptions, 0);
    GS_EQ_INT(o->state, GS_STATE_COMPLETED);
    GS_NEAR(o->lost_gpu_s, 0, 0);
    GS_EQ_INT(gs_rig_start_s(k, 1), 60);
    gs_rig_free(k);
}

/* While a job waits for its next attempt its devices are anybody's. */
static void devices_are_free_between_attempts(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "n", 1);
    (void)add_tried(k, 0, GS_END_COMPLETED);
    gs_rig_job_s(k, 5, 7, 1)->priority = 1; /* goes first once it may */
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, "priority", NULL, NULL);
    gs_rig_role(k, GS_ROLE_PLACEMENT, "firstfit", NULL, NULL);
    gs_rig_go(k);
    GS_EQ_INT(gs_rig_start_s(k, 1), 10);
    GS_EQ_INT(gs_rig_end_s(k, 0), 67);
    GS_EQ_INT(gs_rig_outcome(k, 0)->run_ns, 60 * GS_SECOND);
    gs_rig_free(k);
}

static void the_last_attempt_says_how_it_ended(void)
{
    static const struct {
        enum gs_end_state trace;
        enum gs_job_state state;
    } ends[] = {{GS_END_UNKNOWN, GS_STATE_COMPLETED},
                {GS_END_COMPLETED, GS_STATE_COMPLETED},
                {GS_END_FAILED, GS_STATE_FAILED},
                {GS_END_KILLED, GS_STATE_KILLED},
                {GS_END_TIMEOUT, GS_STATE_TIMEOUT}};

    const uint32_t n = sizeof ends / sizeof *ends;
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "n", 2 * n);
    for (uint32_t i = 0; i < n; i++) {
        (void)add_tried(k, 0, ends[i].trace);
        gs_rig_job_s(k, 0, 5, 1)->end_state = (uint8_t)ends[i].trace;
    }
    fifo(k);
    for (uint32_t i = 0; i < n; i++) {
        GS_EQ_INT(gs_rig_outcome(k, 2 * i)->state, ends[i].state);
        GS_EQ_INT(gs_rig_outcome(k, 2 * i + 1)->state, ends[i].state);
    }
    GS_NEAR(gs_rig_metric(k, "jobs.completed"), 4, 0);
    GS_NEAR(gs_rig_metric(k, "jobs.failed"), 2, 0);
    GS_NEAR(gs_rig_metric(k, "jobs.killed"), 4, 0);
    gs_rig_free(k);
}

/* A preempted attempt is tried again; those before it are not. */
static void preemption_costs_the_running_attempt_only(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "n", 1);
    add_tried(k, 0, GS_END_COMPLETED)->flags |= GS_JOB_PREEMPTIBLE;
    gs_rig_job_s(k, 15, 100, 1)->priority = 1; /* 5 s into the second attempt */
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, "priority", NULL, NULL);
    gs_rig_role(k, GS_ROLE_PLACEMENT, "firstfit", NULL, NULL);
    gs_rig_role(k, GS_ROLE_PREEMPTION, "priority", NULL, NULL);
    gs_rig_go(k);
    const struct gs_outcome *o = gs_rig_outcome(k, 0);
    GS_EQ_INT(gs_rig_start_s(k, 1), 15);
    GS_EQ_INT(o->preemptions, 1);
    GS_EQ_INT(o->restarts, 3);
    GS_EQ_INT(o->run_ns, 65 * GS_SECOND);
    GS_NEAR(o->lost_gpu_s, 5, 1e-9);
    GS_EQ_INT(gs_rig_end_s(k, 0), 165);
    gs_rig_free(k);
}

/* ---- jobs that wait for jobs ---- */

static struct gs_job *add_after(struct gs_rig *k, int64_t submit_s, uint32_t after, int64_t think_s)
{
    struct gs_job *j = gs_rig_job_s(k, submit_s, 10, 1);
    j->after = after + 1;
    j->think_ns = think_s * GS_SECOND;
    return j;
}

static void a_job_comes_its_think_time_after_the_end(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "n", 4);
    (void)gs_rig_job_s(k, 0, 100, 1);
    (void)add_after(k, 3, 0, 20);
    (void)add_after(k, 500, 0, 20);                     /* not before its own time */
    add_after(k, 700, 0, 30)->flags |= GS_JOB_FEEDBACK; /* but for one whose user waited */
    fifo(k);
    static const int64_t submit_s[] = {0, 120, 500, 130};
    for (uint32_t i = 0; i < 4; i++) {
        GS_EQ_INT(gs_rig_outcome(k, i)->submit_ns, submit_s[i] * GS_SECOND);
        GS_EQ_INT(gs_rig_start_s(k, i), submit_s[i]);
        CU_ASSERT_TRUE(gs_rig_outcome(k, i)->counted);
    }
    gs_rig_free(k);
}

/* Sealing sorts: who waits for whom stays. A chain goes on from link to link. */
static void chains_survive_sorting(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "n", 4);
    (void)add_after(k, 9, 2, 1); /* the row behind is its predecessor */
    (void)add_after(k, 1, 0, 2);
    (void)gs_rig_job_s(k, 4, 50, 1);
    fifo(k);
    /* by submission: the second row, the third, the first */
    GS_EQ_INT(gs_rig_start_s(k, 1), 4);
    GS_EQ_INT(gs_rig_start_s(k, 2), 55);
    GS_EQ_INT(gs_rig_start_s(k, 0), 67);
    gs_rig_free(k);
}

static void a_rejected_job_is_waited_for_no_longer(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "n", 4);
    (void)gs_rig_job_s(k, 10, 100, 64); /* larger than the cluster */
    (void)add_after(k, 0, 0, 5);
    fifo(k);
    GS_EQ_INT(gs_rig_outcome(k, 1)->state, GS_STATE_REJECTED);
    GS_EQ_INT(gs_rig_start_s(k, 0), 15);
    gs_rig_free(k);
}

static void a_job_whose_predecessor_never_ends_is_not_submitted(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "n", 4);
    k->r.horizon_ns = 1000 * GS_SECOND;
    gs_rig_job_s(k, 0, 1, 1)->run_ns = GS_NEVER;
    (void)add_after(k, 10, 0, 0);
    (void)gs_rig_job_s(k, 20, 1, 1);
    fifo(k);
    GS_EQ_INT(gs_rig_outcome(k, 1)->state, GS_STATE_NEW);
    GS_EQ_INT(gs_rig_outcome(k, 1)->submit_ns, -1);
    CU_ASSERT_FALSE(gs_rig_outcome(k, 1)->counted);
    GS_NEAR(gs_rig_metric(k, "jobs.unsubmitted"), 1, 0);
    GS_NEAR(gs_rig_metric(k, "jobs.submitted"), 2, 0);
    GS_HAS(gs_intern_str(&k->r.str, gs_rig_outcome(k, 1)->reason), "waits for another job");
    gs_rig_free(k);
}

static void the_window_counts_by_the_time_of_submission(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "n", 4);
    k->r.measure = GS_MEASURE_RANGE;
    k->r.measure_from = 0;
    k->r.measure_to = 100 * GS_SECOND;
    (void)gs_rig_job_s(k, 0, 50, 1);
    (void)add_after(k, 0, 0, 10);  /* at 60: inside */
    (void)add_after(k, 0, 0, 150); /* at 200: outside */
    (void)gs_rig_job_s(k, 300, 5, 1);
    fifo(k);
    CU_ASSERT_TRUE(gs_rig_outcome(k, 1)->counted);
    CU_ASSERT_FALSE(gs_rig_outcome(k, 2)->counted);
    GS_NEAR(gs_rig_metric(k, "jobs.submitted"), 2, 0);
    gs_rig_free(k);
}

static void a_circle_is_an_error(void)
{
    for (uint32_t n = 1; n <= 3; n++) {
        struct gs_rig *k = gs_rig_init();
        (void)gs_rig_node(k, "n", 4);
        (void)gs_rig_job_s(k, 0, 10, 1);
        for (uint32_t i = 0; i < n; i++)
            (void)add_after(k, 10, 1 + (i + 1) % n, 0);
        CU_ASSERT_EQUAL(gs_run_prepare(&k->r, &k->err), GS_E_INPUT);
        GS_HAS(k->err.msg, n == 1 ? "waits for itself" : "circle");
        gs_rig_free(k);
    }
}

/* ---- attributes ---- */

static void a_policy_reads_unknown_columns(void)
{
    static const char *const urgency[] = {"3", "10", NULL, "often", "7.5"};
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "n", 1);
    const uint32_t key = gs_intern(&k->r.str, "urgency"), other = gs_intern(&k->r.str, "colour");
    for (uint32_t i = 0; i < 5; i++) {
        struct gs_job *j = gs_rig_job_s(k, 0, 10, 1);
        j->attr_first = (uint32_t)k->r.w.attrs.n;
        j->attrs = urgency[i] ? 2 : 0;
        if (!urgency[i])
            continue;
        /* as in the file: not in the order of keys */
        gs_vec_push(&k->r.w.attrs,
                    (struct gs_job_attr){other, gs_intern(&k->r.str, i % 2 ? "red" : "")});
        gs_vec_push(&k->r.w.attrs, (struct gs_job_attr){key, gs_intern(&k->r.str, urgency[i])});
    }
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, "attrs", NULL, NULL);
    gs_rig_role(k, GS_ROLE_PLACEMENT, "firstfit", NULL, NULL);
    gs_rig_go(k);
    static const int64_t start_s[] = {20, 0, 30, 40, 10};
    for (uint32_t i = 0; i < 5; i++)
        GS_EQ_INT(gs_rig_start_s(k, i), start_s[i]);
    gs_rig_free(k);
}

/* ---- what is said of a long or an endless replay ---- */

/* A job without end leaves no backlog that could be measured: one that was never started must not be called stable. */
static void a_job_without_end_that_never_starts_is_no_stable_run(void)
{
    for (int waits = 0; waits < 2; waits++) {
        struct gs_rig *k = gs_rig_init();
        (void)gs_rig_node(k, "n", 4);
        k->r.horizon_ns = 1000 * GS_SECOND;
        gs_rig_job_s(k, 0, 1, 3)->run_ns = GS_NEVER;
        gs_rig_job_s(k, 10, 1, waits ? 2 : 1)->run_ns = GS_NEVER;
        fifo(k);
        GS_EQ_STR(gs_verdict_str(k->r.verdict), waits ? "saturated" : "stable");
        GS_NEAR(gs_rig_metric(k, "jobs.censored"), waits, 0);
        gs_rig_free(k);
    }
}

static void only_a_default_interval_gives_way(void)
{
    for (int adapts = 0; adapts < 2; adapts++) {
        struct gs_rig *k = gs_rig_init();
        (void)gs_rig_node(k, "n", 4);
        k->r.series_ns = 60 * GS_SECOND;
        k->r.series_adapts = adapts;
        (void)gs_rig_job_s(k, 0, 1, 1);
        (void)gs_rig_job_s(k, INT64_C(60) * 365 * 86400, 1, 1);
        GS_EQ_INT(gs_run_prepare(&k->r, &k->err), adapts ? GS_OK : GS_E_INPUT);
        if (adapts)
            GS_EQ_INT(k->r.series_ns, 3600 * GS_SECOND);
        else
            GS_HAS(k->err.msg, "[output] series");
        gs_rig_free(k);
    }
}

/* Rows that were taken before the interval became longer: those of the longer one stay. */
static void a_longer_interval_keeps_every_nth_row(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "n", 4);
    k->r.series_ns = 60 * GS_SECOND;
    (void)gs_rig_job_s(k, 0, 1000, 1);
    (void)gs_rig_job_s(k, 100, 30, 2);
    fifo(k);
    GS_EQ_INT(k->r.m->samples.n, 18); /* the last one after the end */
    const size_t width = k->r.m->queue_samples.n / k->r.m->samples.n;
    gs_metrics_thin_series(k->r.m, 300 * GS_SECOND);
    GS_EQ_INT(k->r.m->samples.n, 4);
    GS_EQ_INT(k->r.m->queue_samples.n, 4 * width);
    for (size_t i = 0; i < k->r.m->samples.n; i++)
        GS_EQ_INT(k->r.m->samples.v[i].time_ns, (int64_t)i * 300 * GS_SECOND);
    gs_rig_free(k);
}

/* The last arrival at 100: 1 of 4 GPUs until then, 1 of 4 in all. The drain of the second is not in it. */
static void allocation_until_the_last_arrival(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "n", 4);
    (void)gs_rig_job_s(k, 0, 50, 4);
    (void)gs_rig_job_s(k, 100, 900, 1);
    fifo(k);
    GS_NEAR(gs_rig_metric(k, "gpu.allocation_arrivals"), 0.5, 1e-12);
    GS_NEAR(gs_rig_metric(k, "gpu.allocation"), 1100.0 / 4000, 1e-12);
    gs_rig_free(k);
}

static const struct gs_test tests[] = {
    {"attempts follow each other", attempts_follow_each_other},
    {"devices are free between attempts", devices_are_free_between_attempts},
    {"the last attempt says how it ended", the_last_attempt_says_how_it_ended},
    {"preemption costs the running attempt only", preemption_costs_the_running_attempt_only},
    {"a job comes its think time after the end", a_job_comes_its_think_time_after_the_end},
    {"chains survive sorting", chains_survive_sorting},
    {"a rejected job is waited for no longer", a_rejected_job_is_waited_for_no_longer},
    {"a job whose predecessor never ends is not submitted",
     a_job_whose_predecessor_never_ends_is_not_submitted},
    {"the window counts by the time of submission", the_window_counts_by_the_time_of_submission},
    {"a circle is an error", a_circle_is_an_error},
    {"a policy reads unknown columns", a_policy_reads_unknown_columns},
    {"a job without end that never starts is no stable run",
     a_job_without_end_that_never_starts_is_no_stable_run},
    {"only a default interval gives way", only_a_default_interval_gives_way},
    {"a longer interval keeps every nth row", a_longer_interval_keeps_every_nth_row},
    {"allocation until the last arrival", allocation_until_the_last_arrival},
};
GS_TEST_MAIN("run/trace", tests)

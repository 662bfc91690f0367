/* test_verdict.c - stable, transient, saturated: on single-server queues whose answer is known, 20 fixed seeds each. */
#include "sim/metrics/internal.h"
#include "tests/unit/metrics_rig.h"

#define JOBS  20000u
#define SEEDS 20u
#define BURST 1000u

/* M/M/1 with service mean 1 s; `burst` further jobs at once when `burst_at` jobs have arrived. */
static void mm1(struct rig *r, double load, uint64_t seed, uint32_t burst, uint32_t burst_at)
{
    struct gs_stream arrivals, service;
    gs_stream_init(&arrivals, seed, GS_RNG_ARRIVAL, 0, 0);
    gs_stream_init(&service, seed, GS_RNG_SERVICE, 0, 0);
    rig_init(r, 1);
    double t = 0;
    for (uint32_t i = 0; i < JOBS; i++) {
        t += gs_exponential(&arrivals, 1 / load);
        const uint32_t n = burst && i == burst_at ? 1 + burst : 1;
        for (uint32_t k = 0; k < n; k++)
            rig_job(r, t, gs_exponential(&service, 1), 1);
    }
    rig_begin(r, 0, -1);
}

static enum gs_verdict mm1_verdict(double load, uint64_t seed, uint32_t burst, uint32_t burst_at)
{
    struct rig r;
    mm1(&r, load, seed, burst, burst_at);
    rig_fcfs(&r, 1, GS_NEVER, NULL);
    const enum gs_verdict v = gs_metrics_verdict(r.m);
    CU_ASSERT(rig_value(&r, "verdict") == (double)v);
    rig_release(&r);
    return v;
}

static void load_07_is_stable(void)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        GS_EQ_STR(gs_verdict_str(mm1_verdict(0.7, seed, 0, 0)), "stable");
}

/* Everything drains after the last arrival: that must not hide it. */
static void load_13_is_saturated(void)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        GS_EQ_STR(gs_verdict_str(mm1_verdict(1.3, seed, 0, 0)), "saturated");
}

static void cut_off_at_the_last_arrival_it_is_the_same(void)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const double loads[] = {0.7, 1.3};
        for (size_t i = 0; i < 2; i++) {
            struct rig r;
            mm1(&r, loads[i], seed, 0, 0);
            rig_fcfs(&r, 1, gs_vec_last(&r.w.jobs).submit_ns, NULL);
            GS_EQ_STR(gs_verdict_str(gs_metrics_verdict(r.m)), i ? "saturated" : "stable");
            rig_release(&r);
        }
    }
}

static void one_burst_that_drains_is_transient(void)
{
    const uint32_t at[] = {0, JOBS / 10, JOBS / 2, JOBS * 7 / 10};
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        GS_EQ_STR(gs_verdict_str(mm1_verdict(0.7, seed, BURST, at[seed % 4])), "transient");
}

/* A cluster that fills up while nobody waits is no sign of saturation, although the work in it rises. */
static void filling_without_waiting_is_stable(void)
{
    struct rig r;
    rig_init(&r, 8);
    for (uint32_t i = 0; i < 500; i++)
        rig_job(&r, i, 10000, 1);
    rig_begin(&r, 0, -1);
    rig_fcfs(&r, 500, GS_NEVER, NULL);
    GS_EQ_STR(gs_verdict_str(gs_metrics_verdict(r.m)), "stable");
    rig_release(&r);
}

/* All jobs at once: there is nothing to regress; it drains. */
static void all_at_once_is_transient(void)
{
    struct rig r;
    rig_init(&r, 1);
    for (uint32_t i = 0; i < 100; i++)
        rig_job(&r, 0, 10, 1);
    rig_begin(&r, 0, -1);
    rig_fcfs(&r, 1, GS_NEVER, NULL);
    GS_EQ_STR(gs_verdict_str(gs_metrics_verdict(r.m)), "transient");
    rig_release(&r);

    rig_init(&r, 1);
    for (uint32_t i = 0; i < 100; i++)
        rig_job(&r, 0, 10, 1);
    rig_begin(&r, 0, -1);
    rig_fcfs(&r, 1, rig_ns(500), NULL);
    GS_EQ_STR(gs_verdict_str(gs_metrics_verdict(r.m)), "saturated");
    rig_release(&r);
}

/* Too few jobs for a trend: 40 that arrive faster than they are served, and are all served in the end. */
static void few_jobs_are_judged_by_the_end(void)
{
    for (int cut = 0; cut < 2; cut++) {
        struct rig r;
        rig_init(&r, 1);
        for (uint32_t i = 0; i < 40; i++)
            rig_job(&r, i, 2, 1);
        rig_begin(&r, 0, -1);
        rig_fcfs(&r, 1, cut ? rig_ns(60) : GS_NEVER, NULL);
        GS_EQ_STR(gs_verdict_str(gs_metrics_verdict(r.m)), cut ? "saturated" : "transient");
        rig_release(&r);
    }
}

static void a_single_job_is_stable(void)
{
    struct rig r;
    rig_init(&r, 1);
    rig_job(&r, 5, 10, 1);
    rig_begin(&r, 0, -1);
    rig_fcfs(&r, 1, GS_NEVER, NULL);
    GS_EQ_STR(gs_verdict_str(gs_metrics_verdict(r.m)), "stable");
    rig_release(&r);
}

/* Jobs without GPUs are judged by their CPU time. */
static void cpu_only_work_counts(void)
{
    struct rig r;
    rig_init(&r, 0);
    for (uint32_t i = 0; i < 2000; i++)
        rig_job(&r, i, 1.5, 0)->cpus_milli = 1000000;
    rig_begin(&r, 0, -1);
    rig_fcfs(&r, 1, GS_NEVER, NULL);
    GS_EQ_STR(gs_verdict_str(gs_metrics_verdict(r.m)), "saturated");
    rig_release(&r);
}

/* Never started work counts: a policy that forgets every 4th job is saturated however idle the server is. */
static int every_fourth(uint32_t job)
{
    return job % 4 == 3;
}

static void work_that_never_starts_counts(void)
{
    struct rig r;
    mm1(&r, 0.5, 3, 0, 0);
    rig_fcfs(&r, 1, GS_NEVER, every_fourth);
    GS_EQ_STR(gs_verdict_str(gs_metrics_verdict(r.m)), "saturated");
    rig_release(&r);
}

/* ---- the rule itself, on made-up batches ---- */

static void a_rise_needs_to_be_beyond_its_interval(void)
{
    double v[32];
    for (int i = 0; i < 32; i++)
        v[i] = i;
    CU_ASSERT(gs_verdict_rises(v, 32, 0));
    CU_ASSERT(gs_verdict_rises(v, 32, 31));
    CU_ASSERT(!gs_verdict_rises(v, 32, 33)); /* it rises by 32 */
    for (int i = 0; i < 32; i++)
        v[i] = 31 - i;
    CU_ASSERT(!gs_verdict_rises(v, 32, 0));
    for (int i = 0; i < 32; i++)
        v[i] = 5;
    CU_ASSERT(!gs_verdict_rises(v, 32, 0));
    for (int i = 0; i < 32; i++)
        v[i] = i + (i / 4 % 2 ? 30 : -30); /* the same rise in loud noise */
    CU_ASSERT(!gs_verdict_rises(v, 32, 0));
}

static void a_peak_that_stands_at_the_end_is_no_transient(void)
{
    struct gs_backlog_batches b = {.n = GS_BACKLOG_BATCHES, .span_s = 6400};
    for (size_t i = 0; i < b.n; i++)
        b.all[i] = b.waiting[i] = i >= 30 && i < 40 ? 500 : 1;
    CU_ASSERT(gs_verdict_of(&b) == GS_VERDICT_TRANSIENT);
    for (size_t i = 0; i < b.n; i++)
        b.all[i] = b.waiting[i] = i >= 54 ? 500 : 1;
    CU_ASSERT(gs_verdict_of(&b) == GS_VERDICT_SATURATED);
    for (size_t i = 0; i < b.n; i++)
        b.all[i] = b.waiting[i] = i == 30 ? 20 : 1; /* cleared within 0.3 % of the span */
    CU_ASSERT(gs_verdict_of(&b) == GS_VERDICT_STABLE);
}

/* Batch means are exact: one job of 100 s, alone, its work falls from 100 to 0. */
static void batches_are_exact_integrals(void)
{
    struct gs_backlog b;
    gs_backlog_init(&b, 0, 1024 * GS_SECOND);
    b.waiting = (gs_i128)1000 * 100 * GS_SECOND;
    gs_backlog_advance(&b, 10 * GS_SECOND);
    b.running = b.waiting;
    b.waiting = 0;
    b.rate = 1000;
    gs_backlog_advance(&b, 110 * GS_SECOND);
    CU_ASSERT(b.running == 0);
    b.rate = 0;
    gs_backlog_advance(&b, 2048 * GS_SECOND);
    struct gs_backlog_batches out;
    gs_verdict_batches(&b, 1024 * GS_SECOND, 1000, &out);
    GS_EQ_INT(out.n, GS_BACKLOG_BATCHES);
    GS_NEAR(out.span_s, 1024, 1e-9);
    GS_NEAR(out.waiting[0], 100 * 10 / 16.0, 1e-9);
    double all = 0;
    for (size_t i = 0; i < out.n; i++)
        all += out.all[i] * 16;
    GS_NEAR(all, 100 * 10 + 100 * 100 / 2.0, 1e-6);
}

static const struct gs_test tests[] = {
    {"M/M/1 at load 0.7 is stable", load_07_is_stable},
    {"M/M/1 at load 1.3 is saturated", load_13_is_saturated},
    {"a run cut off at the last arrival is judged the same",
     cut_off_at_the_last_arrival_it_is_the_same},
    {"one burst that drains is transient", one_burst_that_drains_is_transient},
    {"filling up without waiting is stable", filling_without_waiting_is_stable},
    {"all at once is transient, unless it does not drain", all_at_once_is_transient},
    {"few jobs are judged by the end", few_jobs_are_judged_by_the_end},
    {"a single job is stable", a_single_job_is_stable},
    {"CPU-only work counts", cpu_only_work_counts},
    {"work that never starts counts", work_that_never_starts_counts},
    {"a rise must be beyond its interval", a_rise_needs_to_be_beyond_its_interval},
    {"a peak that stands at the end is no transient",
     a_peak_that_stands_at_the_end_is_no_transient},
    {"batches are exact integrals", batches_are_exact_integrals},
};
GS_TEST_MAIN("metrics/verdict", tests)

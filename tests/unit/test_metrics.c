/* test_metrics.c - what a run measures: integrals, censoring, quantiles, counts, fairness; on paper, by brute force and from worked cases. */
#include "sim/metrics/internal.h"
#include "tests/unit/cases.h"
#include "tests/unit/metrics_rig.h"

#include <math.h>

/* ---- facts to figures ---- */

/* Two GPUs; jobs of 1, 2 and 1 GPUs at 0, 2 and 4 s, run 10, 5 and 1 s; served in order: starts 0, 10, 15. */
static void three_jobs(struct rig *r, double from, double to)
{
    rig_init(r, 2);
    rig_job(r, 0, 10, 1);
    rig_job(r, 2, 5, 2);
    rig_job(r, 4, 1, 1);
    rig_begin(r, from, to);
    rig_submit(r, 0);
    rig_start(r, 0, 0);
    rig_submit(r, 1);
    rig_submit(r, 2);
    rig_stop(r, 10, 0, GS_STATE_COMPLETED);
    rig_start(r, 10, 1);
    rig_stop(r, 15, 1, GS_STATE_COMPLETED);
    rig_start(r, 15, 2);
    rig_stop(r, 16, 2, GS_STATE_FAILED);
    gs_metrics_end(r->m, rig_ns(16));
}

static void three_jobs_by_hand(void)
{
    static const struct {
        const char *metric;
        double value;
    } rows[] = {
        {"gpu.allocated_gpu_s", 10 + 10 + 1},
        {"gpu.capacity_gpu_s", 32},
        {"gpu.allocation", 21 / 32.0},
        {"gpu.utilization", 21 / 32.0},
        {"jobs.submitted", 3},
        {"jobs.completed", 2},
        {"jobs.failed", 1},
        {"jobs.rejected", 0},
        {"jobs.unfinished", 0},
        {"jobs.censored", 0},
        {"jobs.wait.mean", 19 / 3.0},
        {"jobs.wait.p50", 8},
        {"jobs.wait.p95", 10.7},
        {"jobs.wait.max", 11},
        {"jobs.queued.mean", 19 / 3.0},
        {"jobs.jct.mean", 35 / 3.0},
        {"jobs.jct.max", 13},
        {"jobs.slowdown.max", 12},
        {"jobs.slowdown.p50", 2.6},
        {"jobs.bounded_slowdown.max", 1.3},
        {"queue.length", 19 / 16.0},
        {"queue.gpus", (8 * 2 + 11) / 16.0},
        {"jobs.running", 1},
        {"load.offered", 21 / (2 * 4.0)}, /* the last arrival is at 4 s */
        {"makespan", 16},
        {"jobs.per_hour", 3 * 3600 / 16.0},
        {"fairness.jain", 1},
        {"fairness.share_error", 0},
    };
    struct rig r;
    three_jobs(&r, 0, -1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        gs_test_near(rig_value(&r, rows[i].metric), rows[i].value, 1e-12, rows[i].metric, __FILE__,
                     __LINE__);
    const struct gs_outcome *o = gs_metrics_outcome(r.m, 1);
    GS_EQ_INT(o->first_start_ns, 10 * GS_SECOND);
    GS_EQ_INT(o->run_ns, 5 * GS_SECOND);
    CU_ASSERT(o->gpu_milli_ns == (gs_i128)2000 * 5 * GS_SECOND);
    rig_release(&r);
}

/* Window [3, 12): only job 2 counts; integrals are cut at both ends. */
static void a_window_cuts_integrals_and_selects_jobs(void)
{
    struct rig r;
    three_jobs(&r, 3, 12);
    GS_NEAR(rig_value(&r, "gpu.allocated_gpu_s"), 7 + 2 * 2, 1e-12);
    GS_NEAR(rig_value(&r, "gpu.capacity_gpu_s"), 18, 1e-12);
    GS_NEAR(rig_value(&r, "jobs.submitted"), 1, 0);
    GS_NEAR(rig_value(&r, "jobs.wait.mean"), 11, 1e-12);
    GS_NEAR(rig_value(&r, "queue.length"), (1 * 1 + 6 * 2 + 2 * 1) / 9.0, 1e-12);
    GS_NEAR(rig_value(&r, "load.offered"), 1 / 18.0, 1e-12);
    GS_EQ_INT(gs_metrics_window(r.m).to_ns, 12 * GS_SECOND);
    rig_release(&r);
}

static void a_window_without_end_ends_with_the_run(void)
{
    struct rig r;
    three_jobs(&r, 0, -1);
    GS_EQ_INT(gs_metrics_window(r.m).to_ns, 16 * GS_SECOND);
    rig_release(&r);
}

static void a_preempted_job_waits_and_runs_again(void)
{
    struct rig r;
    rig_init(&r, 2);
    rig_job(&r, 1, 10, 2);
    rig_begin(&r, 0, -1);
    rig_submit(&r, 0);
    rig_start(&r, 2, 0);
    rig_stop(&r, 6, 0, GS_STATE_PENDING);
    rig_start(&r, 9, 0);
    gs_metrics_outcome(r.m, 0)->lost_gpu_s = 2;
    rig_stop(&r, 16, 0, GS_STATE_COMPLETED);
    gs_metrics_end(r.m, rig_ns(20));
    GS_NEAR(rig_value(&r, "jobs.wait.max"), 1, 0);
    GS_NEAR(rig_value(&r, "jobs.queued.max"), 1 + 3, 0);
    GS_NEAR(rig_value(&r, "jobs.preemptions"), 1, 0);
    GS_NEAR(rig_value(&r, "jobs.restarts"), 1, 0);
    GS_NEAR(rig_value(&r, "gpu.lost_gpu_s"), 2, 0);
    GS_NEAR(rig_value(&r, "gpu.allocated_gpu_s"), 2 * 11, 1e-12);
    rig_release(&r);
}

static void rejected_jobs_count_apart(void)
{
    struct rig r;
    rig_init(&r, 2);
    rig_job(&r, 0, 10, 2);
    rig_job(&r, 0, 10, 64);
    rig_job(&r, 1, 10, 64);
    rig_begin(&r, 0, -1);
    rig_submit(&r, 0);
    rig_start(&r, 0, 0);
    rig_submit(&r, 1);
    gs_metrics_reject(r.m, 0, 1, 64000);
    gs_metrics_reject(r.m, GS_SECOND, 2, 64000); /* refused on arrival, never queued */
    rig_stop(&r, 10, 0, GS_STATE_COMPLETED);
    gs_metrics_end(r.m, rig_ns(10));
    GS_NEAR(rig_value(&r, "jobs.submitted"), 3, 0);
    GS_NEAR(rig_value(&r, "jobs.rejected"), 2, 0);
    GS_NEAR(rig_value(&r, "jobs.wait.p99"), 0, 0); /* left out of percentiles */
    GS_EQ_INT(rig_row(&r, "jobs.wait.p99").samples, 1);
    GS_NEAR(rig_value(&r, "load.offered"), 10, 1e-12); /* 20 GPU-s, 2 GPUs, 1 s of arrivals */
    GS_NEAR(rig_value(&r, "queue.length"), 0, 0);
    rig_release(&r);
}

/* What a loss system turns away was offered to it. */
static void refused_demand_was_offered(void)
{
    struct rig r;
    rig_init(&r, 2);
    rig_job(&r, 0, 10, 2);
    rig_job(&r, 1, 10, 1);
    rig_begin(&r, 0, -1);
    rig_submit(&r, 0);
    rig_start(&r, 0, 0);
    gs_metrics_reject(r.m, GS_SECOND, 1, 1000);
    rig_stop(&r, 10, 0, GS_STATE_COMPLETED);
    gs_metrics_end(r.m, rig_ns(10));
    GS_NEAR(rig_value(&r, "load.offered"), 15, 1e-12); /* 30 GPU-s, 2 GPUs, 1 s of arrivals */
    GS_NEAR(rig_value(&r, "gpu.allocation"), 1, 1e-12);
    rig_release(&r);
}

static void replicas_are_left_out(void)
{
    struct rig r;
    rig_init(&r, 2);
    rig_job(&r, 0, 1, 1);
    rig_job(&r, 0, 1, 1)->kind = GS_KIND_REPLICA;
    rig_begin(&r, 0, -1);
    rig_fcfs(&r, 1, GS_NEVER, NULL);
    GS_NEAR(rig_value(&r, "jobs.submitted"), 1, 0);
    GS_NEAR(rig_value(&r, "jobs.wait.max"), 0, 0);
    rig_release(&r);
}

static void fragmentation_is_a_share_of_all_gpus(void)
{
    struct rig r;
    rig_init(&r, 4);
    rig_begin(&r, 0, -1);
    gs_metrics_frag(r.m, 0, 1000, 2);
    gs_metrics_frag(r.m, rig_ns(6), 3000.4, 0);
    gs_metrics_end(r.m, rig_ns(10));
    GS_NEAR(rig_value(&r, "gpu.fragmentation"), (6 * 1 + 4 * 3) / 40.0, 1e-12);
    GS_NEAR(rig_value(&r, "gpu.stranded"), 1.2, 1e-12);
    rig_release(&r);
}

/* ---- censoring ---- */

static int six_in_a_hundred(uint32_t job)
{
    return job % 50 % 17 == 3 && job % 50 < 40; /* 3, 20, 37 of 50 */
}

/* Jobs never started are infinitely late: 6 % of them make the p95 infinite, but not the p50. */
static void six_percent_never_started(void)
{
    struct rig r;
    rig_init(&r, 1);
    for (uint32_t i = 0; i < 1000; i++)
        rig_job(&r, i, 0.5, 1);
    rig_begin(&r, 0, -1);
    rig_fcfs(&r, 1, GS_NEVER, six_in_a_hundred);
    const struct gs_value_row p95 = rig_row(&r, "jobs.wait.p95"),
                              p50 = rig_row(&r, "jobs.wait.p50");
    CU_ASSERT(isinf(p95.value));
    GS_EQ_INT(p95.censored, 60);
    CU_ASSERT(p95.bound > 0 && isfinite(p95.bound));
    GS_NEAR(p50.value, 0, 0);
    CU_ASSERT(isinf(rig_value(&r, "jobs.jct.p95")));
    CU_ASSERT(isinf(rig_value(&r, "jobs.bounded_slowdown.p95")));
    CU_ASSERT(isinf(rig_value(&r, "jobs.queued.p95")));
    GS_NEAR(rig_value(&r, "jobs.censored"), 60, 0);
    GS_NEAR(rig_value(&r, "jobs.unfinished"), 60, 0);
    /* the mean is a bound: the 60 at their time so far */
    double so_far = 0;
    for (uint32_t i = 0; i < 1000; i++)
        so_far += six_in_a_hundred(i) ? 999.5 - i : 0;
    GS_NEAR(rig_value(&r, "jobs.wait.mean"), so_far / 1000, 1e-9);
    CU_ASSERT(rig_value(&r, "wait.cause.capacity") == 0.0);
    rig_release(&r);
}

/* The horizon must not matter once all counted jobs have ended. */
static void two_horizons_give_equal_figures(void)
{
    double v[2][128] = {{0}};
    size_t n = 0;
    for (int h = 0; h < 2; h++) {
        struct rig r;
        struct gs_stream s;
        gs_stream_init(&s, 7, GS_RNG_TEST, 0, 0);
        rig_init(&r, 1);
        double t = 0;
        while (t < 3000) {
            rig_job(&r, t, gs_exponential(&s, 1), 1);
            t += gs_exponential(&s, 1.3);
        }
        rig_begin(&r, 200, 1500);
        rig_fcfs(&r, 1, rig_ns(h ? 2900 : 2000), NULL);
        GS_NEAR(rig_value(&r, "jobs.unfinished"), 0, 0);
        struct gs_value_row rows[128];
        n = gs_metric_eval_all(r.m, rows, 128);
        for (size_t i = 0; i < n; i++)
            v[h][i] = rows[i].value;
        rig_release(&r);
    }
    size_t count = 0;
    const struct gs_metric *table = gs_metric_table(&count);
    GS_EQ_INT(n, count);
    for (size_t i = 0; i < n; i++)
        if (strcmp(table[i].name, "jobs.unsubmitted") !=
            0) /* of all that comes, not of what counts */
            gs_test_eq_bits(v[1][i], v[0][i], table[i].name, __FILE__, __LINE__);
}

static void jobs_that_never_came_do_not_count(void)
{
    struct rig r;
    rig_init(&r, 1);
    rig_job(&r, 0, 1, 1);
    rig_job(&r, 100, 1, 1);
    rig_begin(&r, 0, -1);
    rig_fcfs(&r, 1, rig_ns(50), NULL);
    GS_NEAR(rig_value(&r, "jobs.submitted"), 1, 0);
    GS_NEAR(rig_value(&r, "jobs.unfinished"), 0, 0);
    rig_release(&r);
}

static void an_empty_run_has_no_samples(void)
{
    struct rig r;
    rig_init(&r, 1);
    rig_begin(&r, 0, -1);
    gs_metrics_end(r.m, 0);
    const struct gs_value_row row = rig_row(&r, "jobs.wait.p95");
    CU_ASSERT(isnan(row.value));
    GS_EQ_INT(row.samples, 0);
    CU_ASSERT(isnan(rig_value(&r, "gpu.allocation")));
    GS_NEAR(rig_value(&r, "jobs.submitted"), 0, 0);
    GS_NEAR(rig_value(&r, "verdict"), 0, 0);
    rig_release(&r);
}

static void an_endless_job_is_censored_and_has_no_backlog(void)
{
    struct rig r;
    rig_init(&r, 1);
    rig_job(&r, 0, 1, 1)->run_ns = GS_NEVER;
    rig_begin(&r, 0, 100);
    rig_submit(&r, 0);
    rig_start(&r, 0, 0);
    gs_metrics_end(r.m, rig_ns(100));
    CU_ASSERT(isinf(rig_value(&r, "jobs.jct.p50")));
    GS_NEAR(rig_value(&r, "jobs.wait.p50"), 0, 0);
    GS_NEAR(rig_value(&r, "load.offered"), 1, 1e-12);
    GS_EQ_STR(gs_verdict_str(gs_metrics_verdict(r.m)), "stable");
    rig_release(&r);
}

/* ---- integrals against brute force ---- */

struct interval {
    double from, to;
    uint32_t gpus;
};

static double overlap(struct interval i, double from, double to)
{
    const double a = i.from > from ? i.from : from, b = i.to < to ? i.to : to;
    return b > a ? (b - a) * i.gpus : 0;
}

/* Unordered attempts on a grid of seconds; the sum is over what was said, not over what the accumulators think. */
static void integrals_by_brute_force(void)
{
    enum {
        N = 200
    };
    static struct interval running[N], waiting[N];
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct gs_stream s;
        gs_stream_init(&s, seed, GS_RNG_TEST, 1, 0);
        struct rig r;
        rig_init(&r, 64);
        for (int i = 0; i < N; i++)
            rig_job(&r, (double)gs_below(&s, 500), 1, 1 + (uint32_t)gs_below(&s, 8));
        rig_begin(&r, 100, 400);
        double held = 0, queued = 0;
        for (int i = 0; i < N; i++) {
            const double submit = gs_seconds(r.w.jobs.v[i].submit_ns),
                         wait = (double)gs_below(&s, 100), run = (double)gs_below(&s, 200);
            waiting[i] = (struct interval){submit, submit + wait, 1};
            running[i] = (struct interval){submit + wait, submit + wait + run, r.w.jobs.v[i].gpus};
            held += overlap(running[i], 100, 400);
            queued += overlap(waiting[i], 100, 400);
        }
        for (int t = 0; t <= 800; t++) {
            for (uint32_t i = 0; i < N; i++) {
                if (waiting[i].from == t)
                    rig_submit(&r, i);
                if (waiting[i].to == t)
                    rig_start(&r, t, i);
                if (running[i].to == t)
                    rig_stop(&r, t, i, GS_STATE_COMPLETED);
            }
        }
        gs_metrics_end(r.m, rig_ns(800));
        GS_NEAR(rig_value(&r, "gpu.allocated_gpu_s"), held, 1e-9);
        GS_NEAR(rig_value(&r, "queue.length"), queued / 300, 1e-9);
        rig_release(&r);
    }
}

/* L = lambda W over a run that starts and ends empty: exactly, whatever the order of service. */
static void littles_law(void)
{
    struct rig r;
    struct gs_stream s;
    gs_stream_init(&s, 11, GS_RNG_TEST, 2, 0);
    rig_init(&r, 2);
    double t = 0;
    for (int i = 0; i < 500; i++)
        rig_job(&r, t += gs_exponential(&s, 1), gs_exponential(&s, 1.6), 1);
    rig_begin(&r, 0, -1);
    rig_fcfs(&r, 2, GS_NEVER, NULL);
    const double span = gs_seconds(gs_metrics_window(r.m).to_ns), lambda = 500 / span;
    GS_NEAR(rig_value(&r, "queue.length"), lambda * rig_value(&r, "jobs.wait.mean"), 1e-9);
    GS_NEAR(rig_value(&r, "queue.length") + rig_value(&r, "jobs.running"),
            lambda * rig_value(&r, "jobs.jct.mean"), 1e-9);
    rig_release(&r);
}

static void little_case(const json_t *input, const json_t *expect, double tolerance)
{
    struct rig r;
    rig_init(&r, 8);
    const json_t *jobs = json_object_get(input, "jobs");
    for (size_t i = 0; i < json_array_size(jobs); i++) {
        double span[2] = {0, 0};
        (void)gs_case_numbers(json_array_get(jobs, i), span, 2);
        rig_job(&r, span[0], span[1] - span[0], 1);
    }
    const double horizon = gs_case_number(input, "horizon");
    rig_begin(&r, 0, horizon);
    rig_fcfs(&r, 8, rig_ns(horizon), NULL);
    GS_NEAR(rig_value(&r, "queue.length") + rig_value(&r, "jobs.running"),
            gs_case_number(expect, "L"), tolerance);
    GS_NEAR(rig_value(&r, "jobs.jct.mean"), gs_case_number(expect, "W"), tolerance);
    GS_NEAR(rig_value(&r, "jobs.submitted") / horizon, gs_case_number(expect, "lam"), tolerance);
    rig_release(&r);
}

static void the_little_case(void)
{
    (void)gs_cases("little", little_case);
}

/* ---- quantiles ---- */

static void quantiles_by_hand(void)
{
    static const double v[] = {15, 20, 35, 40, 50};
    GS_NEAR(gs_percentile(v, 5, 0), 15, 0);
    GS_NEAR(gs_percentile(v, 5, 40), 29, 1e-12);
    GS_NEAR(gs_percentile(v, 5, 50), 35, 0);
    GS_NEAR(gs_percentile(v, 5, 100), 50, 0);
    GS_NEAR(gs_percentile(v, 1, 99), 15, 0);
    const double late[] = {1, 2, 3, (double)INFINITY, (double)INFINITY};
    GS_NEAR(gs_percentile(late, 5, 50), 3, 0);
    CU_ASSERT(isinf(gs_percentile(late, 5, 51)));
    CU_ASSERT(isinf(gs_percentile(late, 5, 90)));
    /* 95 % of 100 steps is rank 95 exactly: rounding must not reach for the next sample */
    double many[101];
    for (int i = 0; i < 101; i++)
        many[i] = i <= 95 ? (double)i : (double)INFINITY;
    GS_NEAR(gs_percentile(many, 101, 95), 95, 0);
}

static void percentile_case(const json_t *input, const json_t *expect, double tolerance)
{
    double v[64], q[64], want[64];
    const size_t n = gs_case_numbers(json_object_get(input, "values"), v, 64);
    const size_t k = gs_case_numbers(json_object_get(input, "q"), q, 64);
    GS_EQ_INT(gs_case_numbers(json_object_get(expect, "linear_type7"), want, 64), k);
    for (size_t i = 0; i < k; i++)
        GS_NEAR(gs_percentile(v, n, q[i]), want[i], tolerance);
}

static void the_percentile_case(void)
{
    (void)gs_cases("percentile", percentile_case);
}

static void few_samples_beyond_are_marked(void)
{
    static const struct {
        uint32_t jobs;
        const char *metric;
        int few;
    } rows[] = {
        {200, "jobs.wait.p95", 1},  {201, "jobs.wait.p95", 0}, {1000, "jobs.wait.p99", 1},
        {1001, "jobs.wait.p99", 0}, {20, "jobs.wait.p50", 1},  {21, "jobs.wait.p50", 0},
        {3, "jobs.wait.max", 0},    {3, "jobs.wait.mean", 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig r;
        rig_init(&r, 1);
        for (uint32_t k = 0; k < rows[i].jobs; k++)
            rig_job(&r, k, 0.5, 1);
        rig_begin(&r, 0, -1);
        rig_fcfs(&r, 1, GS_NEVER, NULL);
        gs_test_eq_int(rig_row(&r, rows[i].metric).few, rows[i].few, rows[i].metric, __FILE__,
                       __LINE__);
        rig_release(&r);
    }
}

/* ---- slowdown ---- */

static void slowdown_case(const json_t *input, const json_t *expect, double tolerance)
{
    const json_t *jobs = json_object_get(input, "jobs");
    double want[64], plain[64];
    const size_t n = gs_case_numbers(json_object_get(expect, "values"), want, 64);
    GS_EQ_INT(gs_case_numbers(json_object_get(expect, "slowdown"), plain, 64), n);
    struct rig r;
    rig_init(&r, 8);
    for (size_t i = 0; i < n; i++)
        rig_job(&r, 0, gs_case_number(json_array_get(jobs, i), "run"), 1);
    gs_workload_seal(&r.w);
    const struct gs_metrics_config cfg = {.cluster = &r.c,
                                          .w = &r.w,
                                          .str = &r.str,
                                          .window = {0, GS_NEVER},
                                          .bounded_tau_ns = rig_ns(gs_case_number(input, "tau"))};
    r.m = gs_metrics_new(&cfg);
    double end = 0;
    for (uint32_t i = 0; i < n; i++)
        rig_submit(&r, i);
    /* facts come in time order a job at least; integrals are not looked at here */
    for (int t = 0; t <= 10000; t++) {
        for (uint32_t i = 0; i < n; i++) {
            const double wait = gs_case_number(json_array_get(jobs, i), "wait"),
                         run = gs_case_number(json_array_get(jobs, i), "run");
            if (t == (int)wait)
                rig_start(&r, wait, i);
            if (t == (int)(wait + run))
                rig_stop(&r, wait + run, i, GS_STATE_COMPLETED);
            end = wait + run > end ? wait + run : end;
        }
    }
    gs_metrics_end(r.m, rig_ns(end));
    double bound = 0;
    for (uint32_t i = 0; i < n; i++) {
        GS_NEAR(gs_family_value(r.m, i, GS_FAM_BOUNDED, &bound), want[i], tolerance);
        GS_NEAR(gs_family_value(r.m, i, GS_FAM_SLOWDOWN, &bound), plain[i], tolerance);
    }
    GS_NEAR(rig_value(&r, "jobs.bounded_slowdown.mean"), gs_case_number(expect, "mean"), tolerance);
    rig_release(&r);
}

static void the_slowdown_case(void)
{
    (void)gs_cases("bounded_slowdown", slowdown_case);
}

static void work_of_no_length_has_no_slowdown(void)
{
    struct rig r;
    rig_init(&r, 1);
    rig_job(&r, 0, 0, 1);
    rig_job(&r, 0, 20, 1);
    rig_begin(&r, 0, -1);
    rig_fcfs(&r, 1, GS_NEVER, NULL);
    GS_EQ_INT(rig_row(&r, "jobs.slowdown.p50").samples, 1);
    GS_EQ_INT(rig_row(&r, "jobs.bounded_slowdown.p50").samples, 2);
    GS_NEAR(rig_value(&r, "jobs.bounded_slowdown.max"), 1, 0);
    rig_release(&r);
}

/* ---- fairness ---- */

static void jain_by_hand(void)
{
    const double x[] = {1, 2, 3, 4}, one[] = {5, 0, 0, 0}, none[] = {0, 0};
    GS_NEAR(gs_jain(x, 4), 100 / (4 * 30.0), 1e-15);
    GS_NEAR(gs_jain(one, 4), 0.25, 0);
    CU_ASSERT(isnan(gs_jain(none, 2)));
    CU_ASSERT(isnan(gs_jain(none, 0)));
}

static void jain_case(const json_t *input, const json_t *expect, double tolerance)
{
    double v[64];
    const size_t n = gs_case_numbers(json_object_get(input, "values"), v, 64);
    GS_NEAR(gs_jain(v, n), gs_case_number(expect, "value"), tolerance);
}

static void the_jain_case(void)
{
    (void)gs_cases("jain", jain_case);
}

static void max_min_by_hand(void)
{
    static const struct {
        double demand[4], weight[4], capacity, want[4];
    } rows[] = {
        {{2, 8, 10, 0}, {1, 1, 1, 1}, 12, {2, 5, 5, 0}},
        {{2, 2, 2, 2}, {1, 1, 1, 1}, 100, {2, 2, 2, 2}},
        {{9, 9, 9, 9}, {1, 2, 3, 4}, 10, {1, 2, 3, 4}},
        {{9, 1, 9, 9}, {1, 7, 1, 0}, 9, {4, 1, 4, 0}},
        {{1, 1, 1, 1}, {1, 1, 1, 1}, 0, {0, 0, 0, 0}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double got[4];
        gs_max_min(rows[i].demand, rows[i].weight, 4, rows[i].capacity, got);
        for (int k = 0; k < 4; k++)
            GS_NEAR(got[k], rows[i].want[k], 1e-12);
    }
}

/* Two queues of weight 1 that both want everything; one gets three quarters. */
static void an_unfair_split_shows(void)
{
    struct rig r;
    rig_init(&r, 4);
    const uint32_t a = gs_workload_queue(&r.w, "a"), b = gs_workload_queue(&r.w, "b");
    for (int i = 0; i < 8; i++)
        rig_job(&r, 0, 100, 1)->queue = i < 4 ? a : b;
    rig_begin(&r, 0, 100);
    for (uint32_t i = 0; i < 8; i++)
        rig_submit(&r, i);
    for (uint32_t i = 0; i < 5; i++)
        if (i != 3)
            rig_start(&r, 0, i);
    for (uint32_t i = 0; i < 5; i++)
        if (i != 3)
            rig_stop(&r, 100, i, GS_STATE_COMPLETED);
    gs_metrics_end(r.m, rig_ns(100));
    GS_NEAR(rig_value(&r, "fairness.share_error"), 0.25, 1e-12);
    GS_NEAR(rig_value(&r, "fairness.jain"), 16 / (2.0 * (9 + 1)), 1e-12);
    GS_NEAR(rig_value(&r, "gpu.allocation{queue=a}"), 0.75, 1e-12);
    GS_NEAR(rig_value(&r, "gpu.allocated_gpu_s{queue=b}"), 100, 1e-9);
    rig_release(&r);
}

static const struct gs_test tests[] = {
    {"three jobs, every figure by hand", three_jobs_by_hand},
    {"a window cuts integrals and selects jobs", a_window_cuts_integrals_and_selects_jobs},
    {"a window without end ends with the run", a_window_without_end_ends_with_the_run},
    {"a preempted job waits and runs again", a_preempted_job_waits_and_runs_again},
    {"rejected jobs count apart", rejected_jobs_count_apart},
    {"refused demand was offered", refused_demand_was_offered},
    {"replicas are left out", replicas_are_left_out},
    {"fragmentation is a share of all GPUs", fragmentation_is_a_share_of_all_gpus},
    {"6 % that never start make the p95 infinite", six_percent_never_started},
    {"two horizons give equal figures", two_horizons_give_equal_figures},
    {"jobs that never came do not count", jobs_that_never_came_do_not_count},
    {"an empty run has no samples", an_empty_run_has_no_samples},
    {"an endless job is censored and has no backlog",
     an_endless_job_is_censored_and_has_no_backlog},
    {"integrals agree with brute force", integrals_by_brute_force},
    {"Little's law holds exactly", littles_law},
    {"the worked case of Little's law", the_little_case},
    {"quantiles by hand", quantiles_by_hand},
    {"the worked case of percentiles", the_percentile_case},
    {"quantiles with few samples beyond are marked", few_samples_beyond_are_marked},
    {"the worked case of bounded slowdown", the_slowdown_case},
    {"work of no length has no slowdown", work_of_no_length_has_no_slowdown},
    {"Jain's index by hand", jain_by_hand},
    {"the worked case of Jain's index", the_jain_case},
    {"weighted max-min by hand", max_min_by_hand},
    {"an unfair split shows", an_unfair_split_shows},
};
GS_TEST_MAIN("metrics/metrics", tests)

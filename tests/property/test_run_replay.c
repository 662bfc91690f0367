/* Replayed attempts and dependencies against a simulator of a few lines: jobs of one GPU on one node, first come first served. Every start, end
 * and submission must be the same, on random workloads (fixed seeds); and what must hold whatever the policy. */
#include "sim/base/rng.h"
#include "sim/run.h"
#include "tests/unit/run_rig.h"

enum {
    SEEDS = 40,
    JOBS = 200,
    GPUS = 6
};

/* ---- the workload ---- */

static void add_attempts(struct gs_rig *k, struct gs_job *j, struct gs_stream *g)
{
    const uint32_t n = 1 + (uint32_t)gs_below(g, 4);
    j->attempt_first = (uint32_t)k->r.w.attempts.n;
    j->attempts = n;
    j->run_ns = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct gs_job_attempt a = {
            .run_ns = (1 + (int64_t)gs_below(g, 90)) * GS_SECOND,
            .end_state = (uint8_t)(i + 1 < n ? GS_END_FAILED + gs_below(g, 2) : GS_END_COMPLETED)};
        gs_vec_push(&k->r.w.attempts, a);
        j->run_ns += a.run_ns;
    }
    j->est_ns = j->run_ns;
}

/* With a horizon, one of them is larger than the node. */
static struct gs_rig *make_until(uint64_t seed, const char *order, const char *backfill,
                                 int64_t horizon_ns)
{
    struct gs_rig *k = gs_rig_init();
    k->r.horizon_ns = horizon_ns;
    struct gs_stream g;
    gs_stream_init(&g, seed, GS_RNG_TEST, 3, 0);
    (void)gs_rig_node(k, "n", GPUS);
    int64_t t = 0;
    for (uint32_t i = 0; i < JOBS; i++) {
        t += (int64_t)gs_below(&g, 30);
        struct gs_job *j = gs_rig_job_s(k, t, 1 + (int64_t)gs_below(&g, 200), 1);
        if (gs_below(&g, 3) == 0)
            add_attempts(k, j, &g);
        if (i && gs_below(&g, 3) == 0) {
            j->after = 1 + (uint32_t)gs_below(&g, i);
            j->think_ns = (int64_t)gs_below(&g, 60) * GS_SECOND;
            j->flags |= gs_below(&g, 2) ? GS_JOB_FEEDBACK : 0;
        }
    }
    if (horizon_ns != GS_NEVER)
        k->r.w.jobs.v[7].gpus = k->r.w.jobs.v[7].task_gpus = GPUS + 1;
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, order, NULL, NULL);
    gs_rig_role(k, GS_ROLE_PLACEMENT, "firstfit", NULL, NULL);
    if (backfill)
        gs_rig_role(k, GS_ROLE_BACKFILL, backfill, NULL, NULL);
    return k;
}

static struct gs_rig *make(uint64_t seed, const char *order, const char *backfill)
{
    return make_until(seed, order, backfill, GS_NEVER);
}

/* ---- the few lines ---- */

struct naive {
    int64_t submit, first, end, until; /* until: end of the attempt that runs */
    uint32_t part;

    enum {
        NOT_YET,
        WAITS,
        RUNS,
        OVER
    } state;
};

static int64_t part_of(const struct gs_rig *k, uint32_t i, uint32_t part)
{
    const struct gs_job *j = &k->r.w.jobs.v[i];
    return j->attempts ? k->r.w.attempts.v[j->attempt_first + part].run_ns : j->run_ns;
}

/* Attempts that end now; then whoever waited for a job that is over learns its time. */
static void naive_ends(const struct gs_rig *k, struct naive *v, int64_t now)
{
    for (uint32_t i = 0; i < JOBS; i++) {
        if (v[i].state != RUNS || v[i].until != now)
            continue;
        const uint32_t parts = k->r.w.jobs.v[i].attempts;
        v[i].state = parts && ++v[i].part < parts ? WAITS : OVER;
        v[i].end = now;
        for (uint32_t d = 0; d < JOBS && v[i].state == OVER; d++) {
            const struct gs_job *j = &k->r.w.jobs.v[d];
            if (j->after != i + 1)
                continue;
            v[d].submit = now + j->think_ns;
            if (!(j->flags & GS_JOB_FEEDBACK) && v[d].submit < j->submit_ns)
                v[d].submit = j->submit_ns;
        }
    }
}

/* The longest waiting of those that wait, by (submission, number); JOBS if none. */
static uint32_t naive_next(const struct naive *v)
{
    uint32_t best = JOBS;
    for (uint32_t i = 0; i < JOBS; i++)
        if (v[i].state == WAITS && (best == JOBS || v[i].submit < v[best].submit))
            best = i;
    return best;
}

static int64_t naive_step(const struct gs_rig *k, struct naive *v, int64_t now)
{
    int64_t next = GS_NEVER;
    uint32_t busy = 0;
    naive_ends(k, v, now);
    for (uint32_t i = 0; i < JOBS; i++) {
        v[i].state = v[i].state == NOT_YET && v[i].submit == now ? WAITS : v[i].state;
        busy += v[i].state == RUNS;
    }
    for (uint32_t i = naive_next(v); i < JOBS && busy < GPUS; i = naive_next(v), busy++) {
        v[i].state = RUNS;
        v[i].first = v[i].first < 0 ? now : v[i].first;
        v[i].until = now + part_of(k, i, v[i].part);
    }
    for (uint32_t i = 0; i < JOBS; i++) {
        const int64_t t = v[i].state == RUNS      ? v[i].until
                          : v[i].state == NOT_YET ? v[i].submit
                                                  : GS_NEVER;
        next = t < next ? t : next;
    }
    return next;
}

static void replays_like_a_few_lines(void)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct gs_rig *k = make(seed, "fifo", NULL);
        struct naive v[JOBS] = {0};
        for (uint32_t i = 0; i < JOBS; i++) {
            v[i].submit = k->r.w.jobs.v[i].after ? GS_NEVER : k->r.w.jobs.v[i].submit_ns;
            v[i].first = -1;
        }
        for (int64_t now = 0; now != GS_NEVER;)
            now = naive_step(k, v, now);
        gs_rig_go(k);
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < JOBS; i++) {
            const struct gs_outcome *o = gs_rig_outcome(k, i);
            wrong += o->submit_ns != v[i].submit || o->first_start_ns != v[i].first ||
                     o->end_ns != v[i].end;
        }
        if (wrong)
            printf("seed %d: %u jobs differ\n", (int)seed, wrong);
        GS_EQ_INT(wrong, 0);
        gs_rig_free(k);
    }
}

/* ---- whatever the policy ---- */

static void all_recorded_work_is_run_once(void)
{
    static const struct {
        const char *order, *backfill;
    } policies[] = {{"fifo", NULL},       {"sjf", NULL},   {"priority", NULL},
                    {"fifo", "easy"},     {"ljf", "easy"}, {"fifo", "conservative"},
                    {"fairshare", "easy"}};

    for (uint64_t seed = 1; seed <= SEEDS / 4; seed++) {
        for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
            struct gs_rig *k = make(seed, policies[p].order, policies[p].backfill);
            gs_rig_go(k);
            for (uint32_t i = 0; i < JOBS; i++) {
                const struct gs_outcome *o = gs_rig_outcome(k, i);
                const struct gs_job *j = &k->r.w.jobs.v[i];
                GS_EQ_INT(o->state, GS_STATE_COMPLETED);
                GS_EQ_INT(o->run_ns, j->run_ns);
                GS_EQ_INT(o->preemptions, 0);
                GS_EQ_INT(o->restarts, j->attempts ? j->attempts - 1 : 0);
                CU_ASSERT_TRUE(o->gpu_milli_ns == (gs_i128)j->run_ns * 1000);
                CU_ASSERT_TRUE(j->after == 0 ||
                               o->submit_ns >=
                                   gs_rig_outcome(k, j->after - 1)->end_ns + j->think_ns);
            }
            gs_rig_free(k);
        }
    }
}

/* Cut off in the middle, with jobs that can never run and jobs that wait for others: every job of the input is in one place. */
static void every_job_is_somewhere(void)
{
    static const char *const ended[] = {"jobs.completed", "jobs.failed", "jobs.killed",
                                        "jobs.rejected", "jobs.unfinished"};
    double cut_off = 0, not_submitted = 0;
    for (uint64_t seed = 1; seed <= SEEDS / 4; seed++) {
        for (int64_t until_s = 500; until_s <= 8000; until_s *= 4) {
            struct gs_rig *k = make_until(seed, "fifo", "easy", until_s * GS_SECOND);
            gs_rig_go(k);
            double sum = 0;
            for (size_t i = 0; i < sizeof ended / sizeof *ended; i++)
                sum += gs_rig_metric(k, ended[i]);
            GS_NEAR(sum, gs_rig_metric(k, "jobs.submitted"), 0);
            GS_NEAR(sum + gs_rig_metric(k, "jobs.unsubmitted"), JOBS, 0);
            cut_off += gs_rig_metric(k, "jobs.unfinished");
            not_submitted += gs_rig_metric(k, "jobs.unsubmitted");
            gs_rig_free(k);
        }
    }
    CU_ASSERT_TRUE(cut_off > 0 && not_submitted > 0);
}

static const struct gs_test tests[] = {
    {"replays like a few lines", replays_like_a_few_lines},
    {"all recorded work is run once", all_recorded_work_is_run_once},
    {"every job is somewhere", every_job_is_somewhere},
};
GS_TEST_MAIN("property/run-replay", tests)

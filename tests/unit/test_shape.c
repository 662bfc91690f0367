/* test_shape.c - a trace made to fit: each way to change its load meets the load and leaves alone what it says it leaves alone; feedback,
 * resampling, jitter, repetition and normalisation do what they say, and the same for the same seed. */
#include "sim/base/mem.h"
#include "sim/base/rng.h"
#include "tests/unit/harness.h"
#include "traces/shape.h"

#include <math.h>

#define DAY  (INT64_C(86400) * GS_SECOND)
#define HOUR (INT64_C(3600) * GS_SECOND)

struct rig {
    struct gs_intern str;
    struct gs_workload w;
    struct gs_shape_report out;
    struct gs_err err;
};

static const struct gs_shape_site SITE = {
    .gpu_milli = 64000, .cpus_milli = 640000, .local_origin_ns = GS_NEVER};

static struct rig *rig_new(void)
{
    struct rig *k = GS_NEW(struct rig);
    gs_intern_init(&k->str);
    gs_workload_init(&k->w, &k->str);
    return k;
}

static void rig_free(struct rig *k)
{
    gs_workload_release(&k->w);
    gs_intern_release(&k->str);
    gs_free(k);
}

static struct gs_job *add(struct rig *k, int64_t submit, int64_t run, uint32_t gpus,
                          const char *user)
{
    const int64_t row = (int64_t)k->w.jobs.n;
    gs_vec_push(&k->w.jobs, (struct gs_job){.user = gs_workload_user(&k->w, user),
                                            .submit_ns = submit,
                                            .run_ns = run,
                                            .est_ns = run,
                                            .tasks = 1,
                                            .gpus = gpus,
                                            .task_gpus = gpus,
                                            .share_milli = 1000,
                                            .start_ns = -1,
                                            .row = row});
    return &gs_vec_last(&k->w.jobs);
}

/* n jobs of 40 users over some days, run times over four orders of magnitude. */
static struct rig *some_trace(uint32_t n, uint32_t days)
{
    struct rig *k = rig_new();
    struct gs_stream g;
    gs_stream_init(&g, 7, GS_RNG_TEST, 1, 0);
    for (uint32_t i = 0; i < n; i++) {
        char user[16];
        (void)gs_fmt(user, sizeof user, "u%u", (uint32_t)gs_below(&g, 40));
        const int64_t day = (int64_t)gs_below(&g, days), hour = 6 + (int64_t)gs_below(&g, 12);
        const int64_t run = (int64_t)(gs_exponential(&g, 1) * gs_exponential(&g, 1) * 14400e9) + 1;
        (void)add(k, day * DAY + hour * HOUR + (int64_t)gs_below(&g, 3600) * GS_SECOND, run,
                  1u << gs_below(&g, 4), user);
    }
    return k;
}

static bool shape(struct rig *k, const struct gs_shape_options *o, uint64_t seed)
{
    const enum gs_rc rc = gs_shape_apply(&k->w, 0, o, &SITE, seed, &k->out, &k->err);
    if (rc)
        printf("%s\n", k->err.msg);
    CU_ASSERT_EQUAL(rc, GS_OK);
    return rc == GS_OK;
}

/* ---- load ---- */

/* Each job is one of the original's but for what the method may change. */
static void check_kept(const struct rig *k, const struct rig *original, enum gs_load_method m)
{
    for (size_t i = 0; i < k->w.jobs.n; i++) {
        const struct gs_job *j = &k->w.jobs.v[i];
        const struct gs_job *from = &original->w.jobs.v[j->row];
        CU_ASSERT_EQUAL(j->gpus, from->gpus);
        if (m != GS_LOAD_SIZE)
            CU_ASSERT_EQUAL(j->run_ns, from->run_ns);
        if (m == GS_LOAD_SIZE)
            CU_ASSERT_EQUAL(j->submit_ns, from->submit_ns);
        if (m == GS_LOAD_USERS && j->user == from->user)
            CU_ASSERT_EQUAL(j->submit_ns, from->submit_ns);
    }
    if (m == GS_LOAD_COMPRESS || m == GS_LOAD_SIZE)
        CU_ASSERT_EQUAL(k->w.jobs.n, original->w.jobs.n);
}

static void each_method_meets_the_load(void)
{
    static const double wanted[] = {0.2, 0.5, 0.95, 1.5, 4.25};
    struct rig *original = some_trace(3000, 21);
    for (int m = GS_LOAD_USERS; m <= GS_LOAD_SIZE; m++) {
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
            struct rig *k = some_trace(3000, 21);
            const struct gs_shape_options o = {.load = wanted[i], .method = (enum gs_load_method)m};
            CU_ASSERT_TRUE(shape(k, &o, 1));
            GS_NEAR(k->out.load_after / wanted[i], 1, 0.01);
            GS_HAS(k->out.said, "asked for");
            check_kept(k, original, (enum gs_load_method)m);
            rig_free(k);
        }
    }
    rig_free(original);
}

static void users_are_kept_whole(void)
{
    struct rig *original = some_trace(3000, 21), *k = some_trace(3000, 21);
    const struct gs_shape_options o = {.load = 0.4, .method = GS_LOAD_USERS};
    CU_ASSERT_TRUE(shape(k, &o, 3));
    size_t before[40] = {0}, after[40] = {0}, gone = 0;
    for (size_t i = 0; i < original->w.jobs.n; i++)
        before[original->w.jobs.v[i].user]++;
    for (size_t i = 0; i < k->w.jobs.n; i++)
        after[k->w.jobs.v[i].user]++;
    for (int u = 0; u < 40; u++) {
        CU_ASSERT_TRUE(after[u] == 0 || after[u] == before[u]);
        gone += after[u] == 0;
    }
    CU_ASSERT_TRUE(gone > 0 && gone < 40);
    rig_free(original);
    rig_free(k);
}

/* Jobs that differ between the two, by the fields that shaping may change or must keep (padding is not compared). */
static size_t jobs_that_differ(const struct rig *a, const struct rig *b, size_t n)
{
    size_t differ = 0;
    for (size_t i = 0; i < n; i++) {
        const struct gs_job *x = &a->w.jobs.v[i], *y = &b->w.jobs.v[i];
        differ += x->submit_ns != y->submit_ns || x->run_ns != y->run_ns || x->gpus != y->gpus ||
                  x->tasks != y->tasks || x->user != y->user || x->queue != y->queue ||
                  x->row != y->row || x->after != y->after || x->think_ns != y->think_ns ||
                  x->flags != y->flags || x->duration_source != y->duration_source;
    }
    return differ;
}

static void equal_seeds_give_equal_jobs(void)
{
    const struct gs_shape_options o = {
        .load = 0.4, .method = GS_LOAD_THIN, .jitter_ns = HOUR, .resample_block_ns = DAY};
    struct rig *a = some_trace(1500, 30), *b = some_trace(1500, 30), *c = some_trace(1500, 30);
    CU_ASSERT_TRUE(shape(a, &o, 1) && shape(b, &o, 1) && shape(c, &o, 2));
    CU_ASSERT_EQUAL_FATAL(a->w.jobs.n, b->w.jobs.n);
    CU_ASSERT_EQUAL(jobs_that_differ(a, b, a->w.jobs.n), 0);
    const size_t n = a->w.jobs.n < c->w.jobs.n ? a->w.jobs.n : c->w.jobs.n;
    CU_ASSERT_NOT_EQUAL(jobs_that_differ(a, c, n), 0);
    rig_free(a);
    rig_free(b);
    rig_free(c);
}

static void size_scales_attempts_and_keeps_their_sum(void)
{
    struct rig *k = rig_new();
    struct gs_job *j = add(k, 0, 60 * GS_SECOND, 64, "a");
    j->attempts = 3;
    for (int i = 0; i < 3; i++)
        gs_vec_push(&k->w.attempts, (struct gs_job_attempt){.run_ns = (10 + 10 * i) * GS_SECOND});
    (void)add(k, 100 * GS_SECOND, 0, 1, "b");
    const struct gs_shape_options o = {.load = 0.3, .method = GS_LOAD_SIZE};
    CU_ASSERT_TRUE(shape(k, &o, 1));
    GS_NEAR(k->out.load_before, 0.6, 1e-9);
    j = &k->w.jobs.v[0];
    GS_EQ_INT(j->run_ns, 30 * GS_SECOND);
    int64_t sum = 0;
    for (uint32_t i = 0; i < j->attempts; i++)
        sum += k->w.attempts.v[j->attempt_first + i].run_ns;
    GS_EQ_INT(sum, j->run_ns);
    GS_EQ_INT(k->w.attempts.v[j->attempt_first].run_ns, 5 * GS_SECOND);
    rig_free(k);
}

static void a_load_that_cannot_be_is_refused(void)
{
    struct rig *k = rig_new();
    (void)add(k, 0, HOUR, 1, "");
    (void)add(k, 0, HOUR, 1, "");
    struct gs_shape_options o = {.load = 0.5, .method = GS_LOAD_SIZE};
    CU_ASSERT_EQUAL(gs_shape_apply(&k->w, 0, &o, &SITE, 1, &k->out, &k->err), GS_E_INPUT);
    GS_HAS(k->err.msg, "one instant");
    (void)add(k, HOUR, HOUR, 1, "");
    o.method = GS_LOAD_USERS;
    CU_ASSERT_EQUAL(gs_shape_apply(&k->w, 0, &o, &SITE, 1, &k->out, &k->err), GS_E_INPUT);
    GS_HAS(k->err.msg, "names no users");
    rig_free(k);
}

/* ---- time ---- */

static void repetition_keeps_each_copy(void)
{
    struct rig *k = some_trace(500, 3), *original = some_trace(500, 3);
    const struct gs_shape_options o = {.repeat = 3};
    k->w.jobs.v[9].after = original->w.jobs.v[9].after = 8; /* index 7 */
    CU_ASSERT_TRUE(shape(k, &o, 1));
    CU_ASSERT_EQUAL_FATAL(k->w.jobs.n, 1500);
    const int64_t period = k->w.jobs.v[500].submit_ns - k->w.jobs.v[0].submit_ns;
    CU_ASSERT_TRUE(period > 0);
    for (size_t i = 0; i < 500; i++)
        for (size_t c = 0; c < 3; c++) {
            GS_EQ_INT(k->w.jobs.v[500 * c + i].submit_ns - original->w.jobs.v[i].submit_ns,
                      (int64_t)c * period);
            GS_EQ_INT(k->w.jobs.v[500 * c + i].row, (int64_t)i);
        }
    GS_EQ_INT(k->w.jobs.v[1009].after, 1008);
    rig_free(k);
    rig_free(original);
}

static void days_are_drawn_by_weekday(void)
{
    struct rig *k = some_trace(4000, 30), *original = some_trace(4000, 30);
    const struct gs_shape_options o = {.resample_block_ns = 2 * DAY};
    size_t moved = 0;
    CU_ASSERT_TRUE(shape(k, &o, 5));
    for (size_t i = 0; i < k->w.jobs.n; i++) {
        const struct gs_job *j = &k->w.jobs.v[i];
        const int64_t from = original->w.jobs.v[j->row].submit_ns;
        const int64_t by = j->submit_ns - from;
        /* the second day of a block replaces the second day: both move by whole weeks */
        GS_EQ_INT(by % (7 * DAY), 0);
        CU_ASSERT_TRUE(j->submit_ns >= 0 && j->submit_ns < 30 * DAY);
        if (j->submit_ns / DAY == 0 || j->submit_ns / DAY == 29)
            GS_EQ_INT(by, 0);
        moved += by != 0;
    }
    CU_ASSERT_TRUE(moved > k->w.jobs.n / 4);
    rig_free(k);
    rig_free(original);
}

static void too_few_days_to_draw_from_are_an_error(void)
{
    struct rig *k = some_trace(400, 8);
    const struct gs_shape_options o = {.resample_block_ns = DAY};
    CU_ASSERT_EQUAL(gs_shape_apply(&k->w, 0, &o, &SITE, 1, &k->out, &k->err), GS_E_INPUT);
    GS_HAS(k->err.msg, "8 days");
    rig_free(k);
}

static void jitter_stays_within_its_bound(void)
{
    struct rig *k = some_trace(2000, 5), *original = some_trace(2000, 5);
    const struct gs_shape_options o = {.jitter_ns = 5 * 60 * GS_SECOND};
    double sum = 0, most = 0;
    CU_ASSERT_TRUE(shape(k, &o, 1));
    for (size_t i = 0; i < 2000; i++) {
        const double by =
            (double)(k->w.jobs.v[i].submit_ns - original->w.jobs.v[i].submit_ns) / 300e9;
        CU_ASSERT_TRUE(k->w.jobs.v[i].submit_ns >= 0);
        most = fabs(by) > most ? fabs(by) : most;
        sum += by;
    }
    CU_ASSERT_TRUE(most > 0.99 && most <= 1);
    CU_ASSERT_TRUE(fabs(sum / 2000) < 0.05); /* 4 standard errors of a uniform on [-1, 1] */
    rig_free(k);
    rig_free(original);
}

/* ---- feedback ---- */

static void a_user_waits_for_the_job_before(void)
{
    struct rig *k = rig_new();
    const struct gs_shape_options o = {.session_gap_ns = 20 * 60 * GS_SECOND};
    (void)add(k, 0, 600 * GS_SECOND, 1, "a");                /* 0: ends at 600 */
    (void)add(k, 700 * GS_SECOND, 50 * GS_SECOND, 1, "a");   /* 1: 100 s after 0 */
    (void)add(k, 720 * GS_SECOND, 50 * GS_SECOND, 1, "a");   /* 2: while 1 runs */
    (void)add(k, 730 * GS_SECOND, 50 * GS_SECOND, 1, "b");   /* 3: another user */
    (void)add(k, 9000 * GS_SECOND, 50 * GS_SECOND, 1, "a");  /* 4: after a long pause */
    (void)add(k, 9100 * GS_SECOND, 50 * GS_SECOND, 1, "");   /* 5: nobody's */
    (void)add(k, 10000 * GS_SECOND, 50 * GS_SECOND, 1, "b"); /* 6: 3 began late, see below */
    k->w.jobs.v[3].start_ns = 9500 * GS_SECOND;              /* ended at 9550 */
    CU_ASSERT_TRUE(shape(k, &o, 1));

    static const struct {
        uint32_t after;
        int64_t think_s;
    } want[] = {{0, 0}, {1, 100}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {4, 450}};

    for (size_t i = 0; i < 7; i++) {
        GS_EQ_INT(k->w.jobs.v[i].after, want[i].after);
        GS_EQ_INT(k->w.jobs.v[i].think_ns, want[i].think_s * GS_SECOND);
        CU_ASSERT_EQUAL((k->w.jobs.v[i].flags & GS_JOB_FEEDBACK) != 0, want[i].after != 0);
    }
    GS_EQ_INT(k->out.dependent, 2);
    GS_HAS(k->out.said, "1 of those with its end assumed");
    rig_free(k);
}

/* Nobody is known to wait: refused, not passed over. A queue may stand in for the user. */
static void sessions_need_users_or_a_queue(void)
{
    struct rig *k = rig_new();
    struct gs_shape_options o = {.session_gap_ns = HOUR};
    (void)add(k, 0, 1000 * GS_SECOND, 1, "");
    (void)add(k, 1100 * GS_SECOND, 10 * GS_SECOND, 1, "");
    (void)add(k, 1200 * GS_SECOND, 10 * GS_SECOND, 1, "");
    k->w.jobs.v[0].queue = k->w.jobs.v[2].queue = gs_workload_queue(&k->w, "vc1");
    k->w.jobs.v[1].queue = gs_workload_queue(&k->w, "vc2");
    CU_ASSERT_EQUAL(gs_shape_apply(&k->w, 0, &o, &SITE, 1, &k->out, &k->err), GS_E_INPUT);
    GS_HAS(k->err.msg, "names no users");
    GS_HAS(k->err.msg, "by=queue");
    o.session_by = GS_SESSION_QUEUE;
    CU_ASSERT_TRUE(shape(k, &o, 1));
    GS_EQ_INT(k->w.jobs.v[1].after, 0);
    GS_EQ_INT(k->w.jobs.v[2].after, 1);
    GS_EQ_INT(k->w.jobs.v[2].think_ns, 200 * GS_SECOND);
    GS_HAS(k->out.said, "1 jobs wait for their queue's job before");
    rig_free(k);
}

static void feedback_is_of_the_recorded_run_times(void)
{
    struct rig *k = rig_new();
    const struct gs_shape_options o = {.session_gap_ns = HOUR, .load = 0.5, .method = GS_LOAD_SIZE};
    (void)add(k, 0, 1000 * GS_SECOND, 32, "a");
    (void)add(k, 1100 * GS_SECOND, 10 * GS_SECOND, 32, "a");
    CU_ASSERT_TRUE(shape(k, &o, 1));
    CU_ASSERT_TRUE(k->w.jobs.v[0].run_ns > 1000 * GS_SECOND);
    GS_EQ_INT(k->w.jobs.v[1].after, 1);
    GS_EQ_INT(k->w.jobs.v[1].think_ns, 100 * GS_SECOND);
    rig_free(k);
}

/* ---- normalise ---- */

static void run_time_is_divided_by_the_slowdown(void)
{
    struct rig *k = rig_new();
    struct gs_shape_options o = {.normalise = GS_NORMALISE_GPU};
    (void)add(k, 0, 1000 * GS_SECOND, 1, "a");
    (void)add(k, 10, 1000 * GS_SECOND, 1, "a");
    (void)add(k, 20, 1000 * GS_SECOND, 1, "a");
    (void)add(k, 30, 1000 * GS_SECOND, 1, "a");
    k->w.jobs.v[0].ran_on = gs_intern(&k->str, "V100");
    k->w.jobs.v[1].ran_on = gs_intern(&k->str, "k80");
    k->w.jobs.v[2].ran_on = gs_intern(&k->str, "P100");
    CU_ASSERT_TRUE(shape(k, &o, 1));
    GS_EQ_INT(k->w.jobs.v[0].run_ns, 1000 * GS_SECOND);
    GS_NEAR((double)k->w.jobs.v[1].run_ns / 1e9, 297.191, 0.001);
    GS_NEAR((double)k->w.jobs.v[2].run_ns / 1e9, 942.976, 0.001);
    GS_EQ_INT(k->w.jobs.v[3].run_ns, 1000 * GS_SECOND);
    GS_EQ_INT(k->w.jobs.v[2].duration_source, GS_DURATION_NORMALISED);
    GS_EQ_INT(k->w.jobs.v[3].duration_source, GS_DURATION_TRACE);
    GS_EQ_INT(k->out.normalised, 3);
    GS_EQ_INT(k->out.without_data, 1);
    GS_NEAR(k->out.factor_p50, 1 / 0.942976, 1e-9);
    GS_HAS(k->out.said, "25 % of the jobs have no record");
    rig_free(k);
}

static void a_model_that_is_not_in_the_table_needs_a_default(void)
{
    struct rig *k = rig_new();
    struct gs_shape_options o = {.normalise = GS_NORMALISE_GPU};
    (void)add(k, 0, 1000 * GS_SECOND, 1, "a");
    k->w.jobs.v[0].ran_on = gs_intern(&k->str, "T4");
    CU_ASSERT_EQUAL(gs_shape_apply(&k->w, 0, &o, &SITE, 1, &k->out, &k->err), GS_E_INPUT);
    CU_ASSERT_TRUE(strstr(k->err.msg, "'T4'") && strstr(k->err.msg, "default="));
    o.default_speed = 0.5;
    CU_ASSERT_TRUE(shape(k, &o, 1));
    GS_EQ_INT(k->w.jobs.v[0].run_ns, 500 * GS_SECOND);
    GS_EQ_INT(k->out.defaulted, 1);
    rig_free(k);
}

static void a_table_of_the_users_own(void)
{
    struct rig *k = rig_new();
    char path[600];
    static const char table[] = "model,speed,source\nT4,0.5,mine\nH100,4,mine\n";
    struct gs_shape_options o = {
        .normalise = GS_NORMALISE_GPU,
        .speeds = gs_test_write("speeds.csv", table, strlen(table), path, sizeof path)};
    (void)add(k, 0, 1000 * GS_SECOND, 1, "a");
    k->w.jobs.v[0].ran_on = gs_intern(&k->str, "T4");
    CU_ASSERT_TRUE(shape(k, &o, 1));
    GS_EQ_INT(k->w.jobs.v[0].run_ns, 125 * GS_SECOND); /* against the fastest */
    o.reference = "T4";
    CU_ASSERT_TRUE(shape(k, &o, 1));
    GS_EQ_INT(k->w.jobs.v[0].run_ns, 125 * GS_SECOND);
    o.reference = "A100";
    CU_ASSERT_EQUAL(gs_shape_apply(&k->w, 0, &o, &SITE, 1, &k->out, &k->err), GS_E_INPUT);
    rig_free(k);
}

static void a_spread_gang_ran_slower(void)
{
    struct rig *k = rig_new();
    struct gs_shape_options o = {.normalise = GS_NORMALISE_PLACEMENT};
    for (int i = 0; i < 4; i++)
        (void)add(k, i, 1000 * GS_SECOND, 8, "a");
    k->w.jobs.v[0].nodes = 1;
    k->w.jobs.v[1].nodes = 2;
    k->w.jobs.v[2].nodes = 2;
    k->w.jobs.v[2].ran_on = gs_intern(&k->str, "P100");
    CU_ASSERT_TRUE(shape(k, &o, 1));
    GS_EQ_INT(k->w.jobs.v[0].run_ns, 1000 * GS_SECOND);
    GS_NEAR((double)k->w.jobs.v[1].run_ns / 1e9, 609.551, 0.001);
    GS_NEAR((double)k->w.jobs.v[2].run_ns / 1e9, 709.276, 0.001);
    GS_EQ_INT(k->w.jobs.v[3].run_ns, 1000 * GS_SECOND);
    GS_EQ_INT(k->out.without_data, 1);
    rig_free(k);
}

/* ---- values of a scenario ---- */

static void compound_values_are_read(void)
{
    struct gs_arena a = {0};
    struct gs_err err = {0};
    struct gs_shape_options o = {0};
    CU_ASSERT_EQUAL(gs_shape_parse_feedback("session gap=30m", &a, &o, &err), GS_OK);
    GS_EQ_INT(o.session_gap_ns, 1800 * GS_SECOND);
    CU_ASSERT_EQUAL(gs_shape_parse_feedback("session", &a, &o, &err), GS_OK);
    GS_EQ_INT(o.session_gap_ns, 1200 * GS_SECOND);
    CU_ASSERT_EQUAL(gs_shape_parse_feedback("open", &a, &o, &err), GS_OK);
    GS_EQ_INT(o.session_gap_ns, 0);
    CU_ASSERT_EQUAL(gs_shape_parse_resample("days block=3d", &a, &o, &err), GS_OK);
    GS_EQ_INT(o.resample_block_ns, 3 * DAY);
    CU_ASSERT_EQUAL(gs_shape_parse_normalise("gpu reference=P100 default=0.25", &a, &o, &err),
                    GS_OK);
    GS_EQ_STR(o.reference, "P100");
    GS_NEAR(o.default_speed, 0.25, 0);
    gs_arena_release(&a);
}

static void compound_values_are_refused_with_a_hint(void)
{
    typedef enum gs_rc parse(const char *, struct gs_arena *, struct gs_shape_options *,
                             struct gs_err *);

    static const struct {
        parse *fn;
        const char *text, *says;
    } bad[] = {{gs_shape_parse_feedback, "sessions", "session gap=20m"},
               {gs_shape_parse_feedback, "session gap=20", "gap"},
               {gs_shape_parse_feedback, "session gap=0s", "above 0"},
               {gs_shape_parse_feedback, "session gap=20m more", "more"},
               {gs_shape_parse_feedback, "session by=org", "user, queue"},
               {gs_shape_parse_feedback, "open by=queue", "by"},
               {gs_shape_parse_resample, "weeks", "days block=1d"},
               {gs_shape_parse_resample, "days block=36h", "whole days"},
               {gs_shape_parse_normalise, "gpus", "none, placement, gpu"},
               {gs_shape_parse_normalise, "gpu default=fast", "default"},
               {gs_shape_parse_normalise, "none default=1", "default"}};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct gs_arena a = {0};
        struct gs_err err = {0};
        struct gs_shape_options o = {0};
        CU_ASSERT_EQUAL(bad[i].fn(bad[i].text, &a, &o, &err), GS_E_INPUT);
        GS_HAS(err.msg, bad[i].says);
        gs_arena_release(&a);
    }
}

static const struct gs_test tests[] = {
    {"each method meets the load", each_method_meets_the_load},
    {"users are kept whole", users_are_kept_whole},
    {"equal seeds give equal jobs", equal_seeds_give_equal_jobs},
    {"size scales attempts and keeps their sum", size_scales_attempts_and_keeps_their_sum},
    {"a load that cannot be is refused", a_load_that_cannot_be_is_refused},
    {"repetition keeps each copy", repetition_keeps_each_copy},
    {"days are drawn by weekday", days_are_drawn_by_weekday},
    {"too few days to draw from are an error", too_few_days_to_draw_from_are_an_error},
    {"jitter stays within its bound", jitter_stays_within_its_bound},
    {"a user waits for the job before", a_user_waits_for_the_job_before},
    {"sessions need users or a queue", sessions_need_users_or_a_queue},
    {"feedback is of the recorded run times", feedback_is_of_the_recorded_run_times},
    {"run time is divided by the slow-down", run_time_is_divided_by_the_slowdown},
    {"a model that is not in the table needs a default",
     a_model_that_is_not_in_the_table_needs_a_default},
    {"a table of the user's own", a_table_of_the_users_own},
    {"a spread gang ran slower", a_spread_gang_ran_slower},
    {"compound values are read", compound_values_are_read},
    {"compound values are refused with a hint", compound_values_are_refused_with_a_hint},
};
GS_TEST_MAIN("traces/shape", tests)

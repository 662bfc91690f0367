/* test_synth_jobs.c - what a [workload] section says of its jobs besides size and arrival: classes of run times, owners, repeats, early
 * ends, estimates in round figures, jobs that wait for others. */
#include "sim/base/units.h"
#include "tests/unit/harness.h"
#include "traces/synth/synth.h"

#include <math.h>

struct made {
    struct gs_intern str;
    struct gs_workload w;
    struct gs_err err;
};

static void made_init(struct made *m)
{
    memset(m, 0, sizeof *m);
    gs_intern_init(&m->str);
    gs_workload_init(&m->w, &m->str);
}

static void made_release(struct made *m)
{
    gs_workload_release(&m->w);
    gs_intern_release(&m->str);
}

static struct gs_synth section(void)
{
    return (struct gs_synth){.name = "jobs",
                             .arrivals = "poisson 60/h",
                             .count = 2000,
                             .to_ns = GS_NEVER,
                             .gpus = "choice 1:0.5 4:0.3 16:0.2",
                             .duration = "constant 1m",
                             .start_unix_ns = GS_NEVER};
}

static void make(struct made *m, const struct gs_synth *s)
{
    made_init(m);
    const enum gs_rc rc = gs_synth_make(&m->w, 0, 1, 7, s, &m->err);
    if (rc != GS_OK)
        printf("%s\n", m->err.msg);
    CU_ASSERT_EQUAL_FATAL(rc, GS_OK);
}

static void run_times_follow_the_size(void)
{
    struct made m;
    struct gs_synth s = section();
    const struct gs_synth_class classes[] = {{2, 4, "constant 1h"},
                                             {16, UINT32_MAX, "constant 1d"}};
    gs_vec_push(&s.classes, classes[0]);
    gs_vec_push(&s.classes, classes[1]);
    make(&m, &s);
    for (size_t i = 0; i < m.w.jobs.n; i++) {
        const struct gs_job *j = &m.w.jobs.v[i];
        GS_EQ_INT(j->run_ns / GS_SECOND, j->gpus == 1 ? 60 : j->gpus == 4 ? 3600 : 86400);
    }
    made_release(&m);
    /* a size that nothing stands for */
    s.duration = NULL;
    made_init(&m);
    CU_ASSERT_EQUAL(gs_synth_make(&m.w, 0, 1, 7, &s, &m.err), GS_E_INPUT);
    GS_HAS(m.err.msg, "no duration.SIZES stands");
    GS_EQ_INT(m.w.jobs.n, 0);
    made_release(&m);
    gs_vec_free(&s.classes);
}

static void owners_follow_their_law(void)
{
    struct made m;
    struct gs_synth s = section();
    s.users = "zipf n=20 s=2";
    s.queues = "choice 1:0.75 2:0.25";
    make(&m, &s);
    int first = 0;
    int q0 = 0;
    for (size_t i = 0; i < m.w.jobs.n; i++) {
        const struct gs_job *j = &m.w.jobs.v[i];
        first += strcmp(gs_intern_str(&m.str, m.w.users.v[j->user]), "u0") == 0;
        q0 += strcmp(gs_intern_str(&m.str, m.w.queues.v[j->queue].name), "q0") == 0;
    }
    GS_NEAR(first / 2000.0, 1 / 1.5962, 0.06); /* 1 over the sum of k^-2, k to 20 */
    GS_NEAR(q0 / 2000.0, 0.75, 0.05);
    made_release(&m);
    s.users = NULL; /* a job's client is its user */
    s.clients = 3;
    s.clients_s = 0;
    make(&m, &s);
    GS_EQ_INT(m.w.users.n, 3);
    made_release(&m);
}

static void repeats_keep_size_and_owner(void)
{
    struct made m;
    struct made plain;
    struct gs_synth s = section();
    s.duration = "lognormal median=1h sigma=2";
    s.users = "50";
    make(&plain, &s);
    s.repeats = 0.5;
    make(&m, &s);
    int alike = 0;
    int moved = 0;
    for (size_t i = 1; i < m.w.jobs.n; i++) {
        const struct gs_job *a = &m.w.jobs.v[i - 1];
        const struct gs_job *b = &m.w.jobs.v[i];
        GS_EQ_INT(b->submit_ns, plain.w.jobs.v[i].submit_ns); /* arrivals are not touched */
        const int near = fabs(log((double)b->run_ns / (double)a->run_ns)) < 1;
        alike += a->gpus == b->gpus && a->user == b->user && near;
        moved += b->run_ns != plain.w.jobs.v[i].run_ns;
    }
    CU_ASSERT_TRUE(alike > 950 && alike < 1150);
    GS_NEAR(moved, 1000, 120); /* what does not repeat is as it was */
    made_release(&m);
    made_release(&plain);
}

static void some_end_early_and_estimates_do_not_know(void)
{
    struct made m;
    struct gs_synth s = section();
    s.estimate = "exact";
    s.failures = "20% constant 0.5";
    s.kills = "0.25 uniform 0 1";
    make(&m, &s);
    int n[GS_END_COUNT] = {0};
    for (size_t i = 0; i < m.w.jobs.n; i++) {
        const struct gs_job *j = &m.w.jobs.v[i];
        n[j->end_state]++;
        GS_EQ_INT(j->est_ns, 60 * GS_SECOND);
        if (j->end_state == GS_END_FAILED)
            GS_EQ_INT(j->run_ns, 30 * GS_SECOND);
        if (j->end_state == GS_END_KILLED)
            CU_ASSERT_TRUE(j->run_ns > 0 && j->run_ns < 60 * GS_SECOND);
        if (j->end_state == GS_END_COMPLETED)
            GS_EQ_INT(j->run_ns, 60 * GS_SECOND);
    }
    GS_NEAR(n[GS_END_FAILED], 400, 90);
    GS_NEAR(n[GS_END_KILLED], 400, 90); /* a quarter of the rest */
    GS_EQ_INT(n[GS_END_UNKNOWN], 0);
    made_release(&m);
    s.failures = "2 uniform 0 1";
    made_init(&m);
    CU_ASSERT_EQUAL(gs_synth_make(&m.w, 0, 1, 7, &s, &m.err), GS_E_INPUT);
    GS_HAS(m.err.msg, "[workload jobs] failures");
    made_release(&m);
}

static void people_write_round_figures(void)
{
    struct made m;
    struct gs_synth s = section();
    s.duration = "lognormal median=2h sigma=1.5";
    s.estimate = "user bias=2 sigma=0.5 round=popular";
    make(&m, &s);
    static const int64_t round[] = {5,    10,   15,   20,   30,   45,   60,   90,   120,
                                    180,  240,  300,  360,  480,  600,  720,  1080, 1440,
                                    2160, 2880, 4320, 5760, 7200, 8640, 10080};
    for (size_t i = 0; i < m.w.jobs.n; i++) {
        const struct gs_job *j = &m.w.jobs.v[i];
        const int64_t minutes = j->est_ns / (60 * GS_SECOND);
        int known = minutes > 10080 && minutes % 1440 == 0;
        for (size_t k = 0; k < sizeof round / sizeof *round; k++)
            known |= minutes == round[k];
        CU_ASSERT_TRUE(known && j->est_ns >= j->run_ns);
    }
    made_release(&m);
}

static void a_pipeline_waits_job_by_job(void)
{
    struct made m;
    struct gs_synth s = section();
    s.count = 50;
    made_init(&m);
    gs_vec_push(&m.w.sources, gs_intern(&m.str, "other"));
    gs_vec_push(&m.w.sources, gs_intern(&m.str, "train"));
    gs_vec_push(&m.w.sources, gs_intern(&m.str, "evaluate"));
    s.name = "other";
    CU_ASSERT_EQUAL_FATAL(gs_synth_make(&m.w, 0, 0, 7, &s, &m.err), GS_OK);
    s.name = "train";
    CU_ASSERT_EQUAL_FATAL(gs_synth_make(&m.w, 1, 1, 7, &s, &m.err), GS_OK);
    struct gs_synth after = section();
    after.name = "evaluate";
    after.arrivals = NULL;
    after.count = -1;
    after.after = "train lag=5m";
    CU_ASSERT_EQUAL_FATAL(gs_synth_make(&m.w, 2, 2, 7, &after, &m.err), GS_OK);
    GS_EQ_INT(m.w.jobs.n, 150);
    gs_workload_seal(&m.w);
    int followers = 0;
    for (size_t i = 0; i < m.w.jobs.n; i++) {
        const struct gs_job *j = &m.w.jobs.v[i];
        if (j->source != 2) {
            GS_EQ_INT(j->after, 0);
            continue;
        }
        followers++;
        CU_ASSERT_TRUE_FATAL(j->after > 0);
        const struct gs_job *first = &m.w.jobs.v[j->after - 1];
        GS_EQ_INT(first->source, 1);
        GS_EQ_INT(first->row, j->row);
        GS_EQ_INT(j->think_ns, 300 * GS_SECOND);
        GS_EQ_INT(j->submit_ns, first->submit_ns);
    }
    GS_EQ_INT(followers, 50);
    after.after = "nobody";
    CU_ASSERT_EQUAL(gs_synth_make(&m.w, 2, 2, 7, &after, &m.err), GS_E_INPUT);
    GS_HAS(m.err.msg, "no jobs of a section 'nobody'");
    made_release(&m);
}

static const struct gs_test tests[] = {
    {"run times follow the size", run_times_follow_the_size},
    {"owners follow their law", owners_follow_their_law},
    {"repeats keep size and owner", repeats_keep_size_and_owner},
    {"some end early", some_end_early_and_estimates_do_not_know},
    {"people write round figures", people_write_round_figures},
    {"a pipeline waits job by job", a_pipeline_waits_job_by_job},
};
GS_TEST_MAIN("traces/synth/jobs", tests)

/* The verdict on 20 fixed seeds, through the real engine: M/M/1 at load 0.7 is stable, at 1.3 saturated; a burst that drains is transient. */
#include "sim/base/rng.h"
#include "tests/unit/run_rig.h"

enum {
    SEEDS = 20,
    JOBS = 4000
};

/* Jobs of mean 60 s at the load, and `burst` more of them at once in the middle. */
static void add_jobs(struct gs_rig *k, uint64_t seed, double load, int burst)
{
    struct gs_stream arrival, size;
    double t = 0;
    gs_stream_init(&arrival, seed, GS_RNG_TEST, 10, 0);
    gs_stream_init(&size, seed, GS_RNG_TEST, 11, 0);
    for (int i = 0; i < JOBS; i++) {
        t += gs_exponential(&arrival, 60 / load);
        (void)gs_rig_job(k, (int64_t)(t * 1e9), (int64_t)(gs_exponential(&size, 60) * 1e9), 1);
        for (int b = 0; i == JOBS / 2 && b < burst; b++)
            (void)gs_rig_job(k, (int64_t)(t * 1e9), (int64_t)(gs_exponential(&size, 60) * 1e9), 1);
    }
    k->r.horizon_ns = (int64_t)(t * 1e9); /* no drain of the empty system behind the last arrival */
}

static void verdicts(double load, int burst, enum gs_verdict expected)
{
    int wrong = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct gs_rig *k = gs_rig_init();
        (void)gs_rig_node(k, "server", 1);
        add_jobs(k, seed, load, burst);
        gs_rig_prepare(k);
        gs_rig_role(k, GS_ROLE_ORDER, "fifo", NULL, NULL);
        gs_rig_go(k);
        if (k->r.verdict != expected)
            printf("load %g, burst %d, seed %llu: %s\n", load, burst, (unsigned long long)seed,
                   gs_verdict_str(k->r.verdict));
        wrong += k->r.verdict != expected;
        gs_rig_free(k);
    }
    GS_EQ_INT(wrong, 0);
}

static void stable(void)
{
    verdicts(0.7, 0, GS_VERDICT_STABLE);
}

static void saturated(void)
{
    verdicts(1.3, 0, GS_VERDICT_SATURATED);
}

static void transient(void)
{
    verdicts(0.5, 400, GS_VERDICT_TRANSIENT);
}

static const struct gs_test tests[] = {
    {"load 0.7 is stable", stable},
    {"load 1.3 is saturated", saturated},
    {"a burst that drains is transient", transient},
};
GS_TEST_MAIN("theory/verdict_runs", tests)

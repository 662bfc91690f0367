/* test_interference.c - slow-downs of neighbours: arithmetic of turns, and the bins of the measured pairs. */
#include "sim/hardware/interference.h"
#include "tests/unit/harness.h"

static double slow(enum gs_interference model, uint32_t processes, uint32_t busy, uint32_t lost)
{
    const struct gs_neighbours n = {processes, busy, lost};
    return (double)gs_interference(model, &n) / (double)GS_UNDISTURBED;
}

static void turns(void)
{
    GS_NEAR(slow(GS_INTERFERE_EQUAL, 1, 1000, 500), 1, 0);
    GS_NEAR(slow(GS_INTERFERE_EQUAL, 4, 4000, 0), 4, 0);
    GS_NEAR(slow(GS_INTERFERE_EQUAL, 2, 2000, 200), 2.5, 0);
    GS_NEAR(slow(GS_INTERFERE_NONE, 9, 9000, 200), 1, 0);
}

static void it_never_speeds_up_and_never_falls(void)
{
    double before = 1;
    for (uint32_t busy = 0; busy < 10000; busy++) {
        const double now = slow(GS_INTERFERE_LUCID, 2, busy, 0);
        CU_ASSERT_TRUE(now >= before - 1e-4);
        CU_ASSERT_TRUE(now <= before * 1.01); /* and has no steps */
        before = now;
    }
    GS_NEAR(slow(GS_INTERFERE_LUCID, 1, 10000, 0), 1, 0);
}

/* The means of the bins, from the file of the facts; the last bin has one pair and is left out of the model. */
static void bins(void)
{
    char path[512], line[256];
    int n = 0;
    if (!gs_test_shared_file("facts/colocation_lucid_summary.csv", path, sizeof path))
        GS_SKIP("no facts");
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        const char *quote = strncmp(line, "\"sum of", 7) == 0 ? strrchr(line, '"') : NULL;
        if (!quote)
            continue;
        char *at = NULL;
        const long start = strtol(quote + 2, &at, 10);
        (void)strtol(at + 1, &at, 10); /* samples */
        const double mean = strtod(at + 1, NULL);
        if (start >= 200)
            continue;
        const double model = 1 / slow(GS_INTERFERE_LUCID, 2, (uint32_t)start * 10 + 100, 0);
        GS_NEAR(model, start < 80 ? 1 : mean, 1e-4);
        CU_ASSERT_TRUE(fabs(model - mean) <= 0.026); /* where the model says undisturbed */
        n++;
    }
    if (f)
        (void)fclose(f);
    GS_EQ_INT(n, 10);
}

static const struct gs_test tests[] = {
    {"turns", turns},
    {"it never speeds up and never falls", it_never_speeds_up_and_never_falls},
    {"bins", bins},
};
GS_TEST_MAIN("hardware/interference", tests)

/* test_replicas.c - which GPUs give replicas: the worked cases of the device plugin, and by hand. */
#include "policies/lib/replicas.h"
#include "tests/unit/harness.h"

#include <dirent.h>

enum {
    GPUS = 16
};

static long number_of(const char *eq)
{
    return strtol(eq + 1, NULL, 10);
}

static void run_case(const char *path)
{
    char line[256], expect[8][256];
    enum gspl_spread spread = GSPL_DISTRIBUTED;
    uint32_t gpus = 0, replicas = 0, size = 0, n = 0, avail[GPUS], picks[GPUS];
    FILE *f = fopen(path, "r");
    CU_ASSERT_TRUE_FATAL(f != NULL);
    for (int judged = 0; fgets(line, sizeof line, f);) {
        const char *eq = strchr(line, '=');
        if (strncmp(line, "[expect]", 8) == 0)
            judged = 1;
        else if (eq && judged && n < 8)
            (void)snprintf(expect[n++], sizeof expect[0], "%s", line);
        else if (eq && strncmp(line, "policy", 6) == 0)
            spread = strstr(eq, "packed") ? GSPL_PACKED : GSPL_DISTRIBUTED;
        else if (eq && strncmp(line, "gpus", 4) == 0)
            gpus = (uint32_t)number_of(eq);
        else if (eq && strncmp(line, "replicas", 8) == 0)
            replicas = (uint32_t)number_of(eq);
        else if (eq && strncmp(line, "size", 4) == 0)
            size = (uint32_t)number_of(eq);
        else if (eq && strncmp(line, "available", 9) == 0)
            CU_ASSERT_TRUE(strstr(eq, "all") != NULL); /* the only form there is */
    }
    (void)fclose(f);
    CU_ASSERT_TRUE_FATAL(gpus > 0 && gpus <= GPUS && n > 0);
    for (uint32_t g = 0; g < gpus; g++)
        avail[g] = replicas;
    const uint32_t got = gspl_replicas(spread, avail, gpus, size, picks);
    long used = 0, most = 0, least = GPUS;
    for (uint32_t g = 0; g < gpus; g++) {
        used += picks[g] > 0;
        most = picks[g] > most ? (long)picks[g] : most;
        least = picks[g] && picks[g] < least ? (long)picks[g] : least;
    }
    for (uint32_t i = 0; i < n; i++) {
        const long want = number_of(strchr(expect[i], '='));
        if (strncmp(expect[i], "error", 5) == 0)
            GS_EQ_INT(got, 0);
        else if (strncmp(expect[i], "per_gpu.", 8) == 0)
            GS_EQ_INT(picks[strtol(expect[i] + 8, NULL, 10)], want);
        else if (strncmp(expect[i], "gpus_used", 9) == 0)
            GS_EQ_INT(used, want);
        else if (strncmp(expect[i], "max_per_gpu", 11) == 0)
            GS_EQ_INT(most, want);
        else if (strncmp(expect[i], "min_per_used_gpu", 16) == 0)
            GS_EQ_INT(least, want);
        else
            CU_FAIL("an expectation that this test does not know");
    }
}

static void worked_cases(void)
{
    char dir[512], path[1024];
    int n = 0;
    if (!gs_test_shared_file("cases/gpu-schedulers", dir, sizeof dir))
        GS_SKIP("no worked cases of schedulers");
    DIR *d = opendir(dir);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        if (strncmp(e->d_name, "dp-shared-", 10) == 0) {
            run_case(gs_test_path(path, sizeof path, dir, e->d_name));
            n++;
        }
    if (d)
        (void)closedir(d);
    printf("%d worked cases\n", n);
    CU_ASSERT_TRUE(n >= 7);
}

static void what_is_out_decides(void)
{
    const uint32_t avail[] = {4, 1, 2};
    uint32_t picks[3];
    GS_EQ_INT(gspl_replicas(GSPL_DISTRIBUTED, avail, 3, 3, picks), 3);
    GS_EQ_INT(picks[0] * 100 + picks[1] * 10 + picks[2],
              201); /* 4, 3, then 2 = 2: GPU 2 gave none */
    GS_EQ_INT(gspl_replicas(GSPL_PACKED, avail, 3, 4, picks), 4);
    GS_EQ_INT(picks[0] * 100 + picks[1] * 10 + picks[2], 112);
    GS_EQ_INT(gspl_replicas(GSPL_PACKED, avail, 3, 8, picks), 0);
    GS_EQ_INT(picks[0] + picks[1] + picks[2], 0);
}

static const struct gs_test tests[] = {
    {"worked cases", worked_cases},
    {"what is out decides", what_is_out_decides},
};
GS_TEST_MAIN("policies/replicas", tests)

/* fuzz_lists.c - libFuzzer target: any bytes as a CSV of running jobs ([state] from) and as a log of failures ([failures] log).
 *
 * Whatever the bytes, reading ends well or with a message and leaks nothing; a job that was read holds as many devices as it says, all of
 * them the cluster's. The readers take a path, so the bytes stand in an unnamed file. */
#include "sim/failures.h"
#include "sim/history.h"
#include "sim/scenario/settings.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bench {
    struct gs_log log;
    struct gs_err err;
    struct gs_run r;
};

static void add_node(struct bench *b, const char *name, uint32_t gpus)
{
    uint32_t id = 0;
    const struct gs_node_spec s = {.name = name,
                                   .type = "fuzz",
                                   .model = gpus ? "fuzz-gpu" : "",
                                   .gpus = gpus,
                                   .gpu_mem_mib = gpus ? 81920 : 0,
                                   .cpus_milli = 64000,
                                   .mem_mib = 1 << 20,
                                   .gpu_cap_milli = 1000};
    if (gs_cluster_add_node(&b->r.cluster, &s, &id, &b->err) != GS_OK)
        abort();
}

static void begin(struct bench *b)
{
    *b = (struct bench){0};
    gs_log_init(&b->log, GS_LOG_QUIET, GS_COLOR_NEVER, 0);
    gs_run_init(&b->r, &b->log);
    add_node(b, "n1", 8);
    add_node(b, "n2", 4);
    add_node(b, "cpu", 0);
}

static void end(struct bench *b, enum gs_rc rc)
{
    if (rc != GS_OK && !b->err.msg[0])
        abort();
    gs_run_release(&b->r);
}

/* Does each start hold devices of the cluster, as many as its job wants? */
static void check_starts(const struct gs_run *r, const struct gs_history *h)
{
    for (size_t i = 0; i < h->acts.n; i++) {
        const struct gs_act *a = &h->acts.v[i];
        if (a->n != r->w.jobs.v[a->job].gpus)
            abort();
        for (uint32_t e = a->first; e < a->first + a->n; e++)
            if (h->rows.v[e].gpu >= r->cluster.ngpus)
                abort();
    }
}

static void as_jobs(const char *path)
{
    static struct bench b;
    struct gs_history h = {.path = "jobs.csv", .csv = 1};
    begin(&b);
    const enum gs_rc rc = gs_history_csv(&b.r, &h, path, &b.err);
    if (rc == GS_OK)
        check_starts(&b.r, &h);
    gs_vec_free(&h.acts);
    gs_vec_free(&h.rows);
    end(&b, rc);
}

static void as_log(const char *path)
{
    static struct bench b;
    const struct gs_set_failures s = {.log = path, .log_shown = "log.csv", .said = 1};
    begin(&b);
    end(&b, gs_failures_load(&b.r, &s, "", &b.err));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[32];
    FILE *f = tmpfile();
    if (!f)
        return 0;
    if (fwrite(data, 1, size, f) != size || fflush(f))
        abort();
    (void)gs_fmt(path, sizeof path, "/proc/self/fd/%d", fileno(f));
    as_jobs(path);
    as_log(path);
    (void)fclose(f);
    return 0;
}

/* timed.c - runs a case in a child process and takes the time of its phases.
 *
 * A results file is written while the simulation runs (rows of allocations and attempts leave
 * memory by chunk), so what it costs cannot be read off one run: each round simulates once without
 * a file and once with one, and "writing" is the difference of the two, file opened to file closed.
 * Processor time is what is compared; the wall clock is printed beside it, since it also counts
 * what other programs do. Peak memory is that of the run with the file. */
#include "tests/bench/timed.h"

#include "sim/base/mem.h"
#include "sim/base/sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS_MAX 9

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    return clock_gettime(clock, &t) == 0 ? (double)t.tv_sec + (double)t.tv_nsec / 1e9 : 0;
}

static struct bench_time now(void)
{
    return (struct bench_time){seconds_of(CLOCK_PROCESS_CPUTIME_ID), seconds_of(CLOCK_MONOTONIC)};
}

static struct bench_time since(struct bench_time t)
{
    const struct bench_time n = now();
    return (struct bench_time){n.cpu_s - t.cpu_s, n.wall_s - t.wall_s};
}

/* ---- in the child ---- */

static enum gs_rc build(struct gs_run *r, const struct bench_case *c, struct gs_settings *set,
                        struct gs_err *err)
{
    if (!c->scenario)
        return c->fill(r, c->ctx, err);
    const struct gs_settings_text text = {
        .path = "bench.ini", .text = c->scenario, .n = strlen(c->scenario)};
    enum gs_rc rc = gs_settings_load_text(set, &text, NULL, 0, GSIM_POLICY_DIR, err);
    if (!rc)
        rc = gs_world_build(r, set, err);
    if (!rc)
        rc = gs_run_prepare(r, err);
    return rc ? rc : gs_world_policies(r, set, GSIM_POLICY_DIR, err);
}

static void count(struct gs_run *r, struct bench_figures *f)
{
    const struct gs_host_stats *s = gs_host_get_stats(r->host);
    f->jobs = r->w.jobs.n;
    f->nodes = r->cluster.nnodes;
    f->gpus = r->cluster.ngpus;
    f->events = r->eng.events;
    f->passes = s->passes;
    f->starts = s->starts;
    f->scores = s->scores;
    f->module_calls = s->module_calls;
    f->module_s = (double)s->module_ns / 1e9;
    f->finished = r->jobs_done;
    f->pushes = r->eng.q.seq;
    f->digest = r->eng.digest;
    f->end_s = (double)r->end_ns / 1e9;
    double held = 0;
    for (uint32_t i = 0; i < r->w.jobs.n; i++)
        held += (double)gs_metrics_outcome(r->m, i)->gpu_milli_ns / 1e12;
    f->allocated = r->end_ns > 0 ? held / (double)r->cluster.ngpus / f->end_s : 0;
}

static enum gs_rc simulate(const struct bench_case *c, const char *file, struct bench_figures *f,
                           struct gs_err *err)
{
    struct gs_log log;
    struct gs_settings *set = GS_NEW(struct gs_settings);
    struct gs_run *r = GS_NEW(struct gs_run);
    struct gs_outfile of = {.path = file, .set = c->scenario ? set : NULL, .compress = 1};
    gs_log_init(&log, GS_LOG_QUIET, GS_COLOR_NEVER, 0);
    log.progress = 0;
    gs_run_init(r, &log);
    struct bench_time t = now();
    enum gs_rc rc = build(r, c, set, err);
    f->phase[BENCH_READ] = since(t);
    t = now();
    if (!rc && file) {
        of.compress = c->scenario ? set->compress : 1;
        of.group = c->scenario ? set->group : NULL;
        rc = gs_outfile_open(r, &of, err);
    }
    if (!rc)
        rc = gs_run_go(r, err);
    if (!rc && !file)
        f->phase[BENCH_SIMULATE] = since(t);
    if (!rc)
        count(r, f);
    of.complete = 1;
    if (!rc && file)
        rc = gs_outfile_finish(r, &of, err);
    if (file)
        f->phase[BENCH_WRITE] = since(t);
    f->peak_bytes = gs_peak_rss();
    gs_run_release(r);
    gs_settings_release(set);
    gs_free(r);
    gs_free(set);
    return rc;
}

static int send(int fd, const void *p, size_t n)
{
    const char *s = p;
    while (n > 0) {
        const ssize_t k = write(fd, s, n);
        if (k <= 0)
            return 0;
        s += k;
        n -= (size_t)k;
    }
    return 1;
}

static int receive(int fd, void *p, size_t n)
{
    char *s = p;
    while (n > 0) {
        const ssize_t k = read(fd, s, n);
        if (k <= 0)
            return 0;
        s += k;
        n -= (size_t)k;
    }
    return 1;
}

/* ---- in the parent ---- */

/* One simulation; with a file if its name is given. */
static int one(const struct bench_case *c, const char *file, struct bench_figures *f)
{
    int fd[2];
    memset(f, 0, sizeof *f);
    (void)fflush(NULL);
    if (pipe(fd) != 0)
        return 1;
    const pid_t pid = fork();
    if (pid == 0) {
        struct gs_err err = {0};
        f->failed = simulate(c, file, f, &err) != GS_OK;
        (void)gs_fmt(f->msg, sizeof f->msg, "%s", err.msg);
        _exit(!send(fd[1], f, sizeof *f));
    }
    (void)close(fd[1]);
    if (pid < 0 || !receive(fd[0], f, sizeof *f)) {
        f->failed = 1;
        (void)gs_fmt(f->msg, sizeof f->msg, "the child process gave no answer");
    }
    (void)close(fd[0]);
    if (pid > 0)
        (void)waitpid(pid, NULL, 0);
    if (f->failed)
        (void)fprintf(stderr, "gsim-bench: %s\n", f->msg);
    return f->failed;
}

static double at_least_0(double x)
{
    return x > 0 ? x : 0;
}

/* Both simulations of a round as one set of figures. */
static int one_round(const struct bench_case *c, struct bench_figures *f)
{
    struct bench_figures with;
    char dir[] = "/tmp/gsim-bench-XXXXXX";
    char file[64];
    if (one(c, NULL, f))
        return 1;
    if (c->write) {
        if (!mkdtemp(dir))
            return 1;
        (void)gs_fmt(file, sizeof file, "%s/run.h5", dir);
        const int failed = one(c, file, &with);
        (void)unlink(file);
        (void)rmdir(dir);
        if (failed)
            return 1;
        const struct bench_time *w = &with.phase[BENCH_WRITE];
        const struct bench_time *s = &f->phase[BENCH_SIMULATE];
        f->phase[BENCH_WRITE] =
            (struct bench_time){at_least_0(w->cpu_s - s->cpu_s), at_least_0(w->wall_s - s->wall_s)};
        f->peak_bytes = with.peak_bytes;
    }
    for (int p = 0; p < BENCH_PHASES; p++) {
        f->all.cpu_s += f->phase[p].cpu_s;
        f->all.wall_s += f->phase[p].wall_s;
    }
    return 0;
}

static double median(double *v, int n)
{
    gs_sort_doubles(v, (size_t)n);
    return v[n / 2];
}

int bench_measure(const struct bench_case *c, int rounds, struct bench_figures *out)
{
    struct bench_figures f[ROUNDS_MAX];
    double cpu[ROUNDS_MAX];
    double wall[ROUNDS_MAX];
    const int n = rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
    for (int r = 0; r < n; r++) {
        if (one_round(c, &f[r]))
            return 1;
    }
    *out = f[0];
    for (int p = 0; p <= BENCH_PHASES; p++) {
        for (int r = 0; r < n; r++) {
            const struct bench_time *t = p == BENCH_PHASES ? &f[r].all : &f[r].phase[p];
            cpu[r] = t->cpu_s;
            wall[r] = t->wall_s;
        }
        struct bench_time *to = p == BENCH_PHASES ? &out->all : &out->phase[p];
        *to = (struct bench_time){median(cpu, n), median(wall, n)};
    }
    return 0;
}

void bench_print(const char *name, const struct bench_figures *f, int wrote)
{
    static const char *const phase[] = {"reading", "simulating", "writing"};
    printf("%s: %llu jobs, %llu nodes, %llu GPUs, %.1f %% allocated over %.0f h simulated\n", name,
           (unsigned long long)f->jobs, (unsigned long long)f->nodes, (unsigned long long)f->gpus,
           100 * f->allocated, f->end_s / 3600);
    for (int p = 0; p < (wrote ? BENCH_PHASES : BENCH_WRITE); p++)
        printf("  %-10s %7.3f s processor, %7.3f s wall\n", phase[p], f->phase[p].cpu_s,
               f->phase[p].wall_s);
    printf("  %-10s %7.3f s processor, %7.3f s wall; peak memory %.0f MiB\n", "all", f->all.cpu_s,
           f->all.wall_s, (double)f->peak_bytes / 1048576.0);
    printf("  events %llu, heap pushes %llu, passes %llu, starts %llu, scores %llu, module calls "
           "%llu; digest 0x%016llx\n",
           (unsigned long long)f->events, (unsigned long long)f->pushes,
           (unsigned long long)f->passes, (unsigned long long)f->starts,
           (unsigned long long)f->scores, (unsigned long long)f->module_calls,
           (unsigned long long)f->digest);
}

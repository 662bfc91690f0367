/* reproduce_backfill.c - the schedules of the batch cases: FCFS, EASY, EASY-SJBF and conservative backfilling on one machine.
 *
 * Each case is a list of jobs and the finish time of each; the machine is one node of N CPUs, and at equal times submissions come before
 * terminations (compat = pyss). Tolerance: none, to the nanosecond. */
#include "sim/base/sort.h"
#include "sim/reproduce.h"
#include "sim/run.h"

#include <jansson.h>

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static const struct policy {
    const char *name, *backfill, *scan; /* as the cases write it; the module and its parameter */
} policies[] = {{"fcfs", NULL, NULL},
                {"easy", "easy", "order"},
                {"easy-sjbf", "easy", "shortest"},
                {"conservative", "conservative", NULL}};

static int64_t number(const json_t *job, const char *key)
{
    return (int64_t)(json_number_value(json_object_get(job, key)) * 1e9 + 0.5);
}

static void add_jobs(struct gs_run *r, const json_t *jobs)
{
    size_t i;
    const json_t *j;
    json_array_foreach(jobs, i, j)
    {
        struct gs_job job = {.user = GS_NONE,
                             .kind = GS_KIND_BATCH,
                             .tasks = 1,
                             .share_milli = 1000,
                             .est_source = GS_EST_USER,
                             .row = (int64_t)i};
        job.submit_ns = number(j, "submit");
        job.run_ns = number(j, "runtime");
        job.est_ns = number(j, "estimate");
        job.cpus_milli = json_integer_value(json_object_get(j, "procs")) * 1000;
        gs_vec_push(&r->w.jobs, job);
    }
}

static enum gs_rc bind(struct gs_run *r, const struct gs_reproduce *o, const struct policy *p,
                       struct gs_err *err)
{
    const struct gs_setting scan = {.key = "scan", .value = p->scan, .where = "reproduce"};
    enum gs_rc rc = gs_run_role(r, GS_ROLE_ORDER, o->policy_path, "fifo", "fifo", NULL, 0, err);
    if (!rc && p->backfill)
        rc = gs_run_role(r, GS_ROLE_BACKFILL, o->policy_path, p->backfill, p->backfill, &scan,
                         p->scan ? 1 : 0, err);
    return rc;
}

/* Largest difference to the expected finish times, in seconds. */
static double difference(struct gs_run *r, const json_t *finish)
{
    double worst = 0;
    for (uint32_t id = 0; id < r->w.jobs.n; id++) {
        const struct gs_outcome *o = gs_metrics_outcome(r->m, id);
        double want = json_number_value(json_array_get(finish, (size_t)r->w.jobs.v[id].row));
        double d = o->end_ns < 0 ? 1e18 : (double)o->end_ns / 1e9 - want;
        d = d < 0 ? -d : d;
        worst = d > worst ? d : worst;
    }
    return worst;
}

static enum gs_rc run_case(const struct gs_reproduce *o, const json_t *c, const struct policy *p,
                           double *worst, struct gs_err *err)
{
    const json_t *in = json_object_get(c, "input");
    struct gs_run *r = GS_NEW(struct gs_run);
    uint32_t node = 0;
    gs_run_init(r, o->log);
    r->compat = 1;
    r->series_ns = 0;
    struct gs_node_spec spec = {.name = "machine",
                                .type = "machine",
                                .model = "",
                                .cpus_milli =
                                    json_integer_value(json_object_get(in, "processors")) * 1000,
                                .gpu_cap_milli = 1000};
    enum gs_rc rc = gs_cluster_add_node(&r->cluster, &spec, &node, err);
    add_jobs(r, json_object_get(in, "jobs"));
    if (!rc)
        rc = gs_run_prepare(r, err);
    if (!rc)
        rc = bind(r, o, p, err);
    if (!rc)
        rc = gs_run_go(r, err);
    if (!rc)
        *worst = difference(r, json_object_get(json_object_get(c, "expect"), "finish"));
    gs_run_release(r);
    gs_free(r);
    return rc;
}

static const struct policy *policy_of(const char *name)
{
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        if (name && strcmp(policies[i].name, name) == 0)
            return &policies[i];
    return NULL;
}

static enum gs_rc run_file(const struct gs_reproduce *o, const char *path, int *failed, int *ran,
                           struct gs_err *err)
{
    json_error_t je;
    json_t *c = json_load_file(path, 0, &je);
    enum gs_rc rc = GS_OK;
    size_t i;
    const json_t *name;
    if (!c)
        return gs_fail(err, GS_E_INPUT, "%s:%d: %s", path, je.line, je.text);
    json_array_foreach(json_object_get(json_object_get(c, "input"), "policies"), i, name)
    {
        const struct policy *p = policy_of(json_string_value(name));
        double worst = 0;
        if (!p || (o->policy && strcmp(o->policy, p->name) != 0))
            continue;
        rc = run_case(o, c, p, &worst, err);
        if (rc)
            break;
        (void)printf("%-4s %-24s %-13s largest difference %g s\n", worst == 0 ? "ok" : "FAIL",
                     json_string_value(json_object_get(c, "id")), p->name, worst);
        *failed += worst != 0;
        ++*ran;
    }
    json_decref(c);
    return rc;
}

static int cmp_name(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum gs_rc gs_reproduce_backfill(const struct gs_reproduce *o, struct gs_err *err)
{
    char dir[2048];
    GS_VEC(char *) names = {0};
    (void)gs_fmt(dir, sizeof dir, "%s/cases/theory", o->data);
    DIR *d = opendir(dir);
    if (!d)
        return gs_fail(err, GS_E_INPUT, "no folder '%s': --data must hold cases/theory", dir);
    for (struct dirent *e = readdir(d); e; e = readdir(d))
        if (strncmp(e->d_name, "batch_", 6) == 0)
            gs_vec_push(&names, gs_strdup(e->d_name));
    (void)closedir(d);
    gs_sort(names.v, names.n, sizeof *names.v, cmp_name, NULL);
    int failed = 0, ran = 0;
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < names.n; i++) {
        char path[4096];
        (void)gs_fmt(path, sizeof path, "%s/%s", dir, names.v[i]);
        if (!rc)
            rc = run_file(o, path, &failed, &ran, err);
        gs_free(names.v[i]);
    }
    gs_vec_free(&names);
    if (rc)
        return rc;
    (void)printf("%d schedules, %d differ\n", ran, failed);
    if (!ran)
        return gs_fail(err, GS_E_INPUT, "no case in '%s'%s", dir,
                       o->policy ? " for this policy" : "");
    return failed ? gs_fail(err, GS_E_FAILED, "%d of %d schedules differ", failed, ran) : GS_OK;
}

/* batsim.c - workloads of the Batsim simulator: one JSON document.
 *
 *     {"nb_res": 32, "jobs": [{"id": 0, "subtime": 4.7, "walltime": 149, "res": 2, "profile": "p"}], "profiles": {"p": {"type": ...}}}
 *
 * Seconds; res = resources, which are CPUs in tasks of `task_procs`, or GPUs by a stated ratio, as in SWF. walltime is the limit at which
 * Batsim kills a job, and the user's estimate. Only a profile with a `delay` has a run time: what the others compute and send takes a time
 * that depends on the platform, so their jobs are dropped and counted (walltime is no run time).
 * Memory is that of the document. Source: Dutot et al., "Batsim: a Realistic Language-Independent Resources and Jobs Management Systems
 * Simulator" (JSSPP'16); batsim.readthedocs.io. */
#include "traces/joblog.h"

#include <string.h>

#include "sim/base/banned.h"

enum {
    TEXT_MAX = 64
};

struct sums {
    int64_t jobs, res, last_ns;
};

static int guess(const struct gs_probe *p)
{
    const char *s = p->text + strspn(p->text, " \t\r\n");
    return *s == '{' && strstr(s, "\"jobs\"") && strstr(s, "\"subtime\"") && strstr(s, "\"res\"");
}

/* Run time and end of a job from its profile; a reason if it has none. */
static enum gs_rc take_run(struct gs_scan *s, struct gs_row *r, const json_t *profiles,
                           const json_t *job, struct gs_job *j, const char **reason)
{
    char buf[TEXT_MAX], name_buf[TEXT_MAX];
    const char *name = gs_json_text(job, "profile", name_buf, sizeof name_buf);
    const json_t *profile = json_object_get(profiles, name);
    const char *delay = gs_json_text(profile, "delay", buf, sizeof buf);
    *reason = NULL;
    if (!profile)
        return gs_row_bad(r, "no such profile", "profile", name, "is not among the profiles");
    if (!*delay) {
        *reason = "profile is no delay: its run time depends on the platform";
        return GS_OK;
    }
    const enum gs_rc rc = gs_row_seconds(r, "delay", delay, &j->run_ns);
    if (rc == GS_OK && j->est_ns > 0 && j->run_ns > j->est_ns) {
        gs_count_assume(s->n, "runs longer than its walltime: killed there", 1);
        j->run_ns = j->est_ns;
        j->end_state = GS_END_TIMEOUT;
    }
    return rc;
}

static enum gs_rc decode(struct gs_row *r, const json_t *o, struct gs_job *j, int64_t *res)
{
    char buf[TEXT_MAX];
    enum gs_rc rc =
        gs_row_seconds(r, "subtime", gs_json_text(o, "subtime", buf, sizeof buf), &j->submit_ns);
    if (rc == GS_OK)
        rc = gs_row_int(r, "res", gs_json_text(o, "res", buf, sizeof buf), GS_LOG_PROCS_MAX, res);
    const char *wall = gs_json_text(o, "walltime", buf, sizeof buf);
    if (rc != GS_OK || !*wall || *wall == '-') /* -1 = no limit */
        return rc;
    j->est_source = GS_EST_USER;
    return gs_row_seconds(r, "walltime", wall, &j->est_ns);
}

static enum gs_rc take_job(struct gs_scan *s, struct gs_row *r, const json_t *o,
                           const json_t *profiles, struct sums *t)
{
    char buf[TEXT_MAX];
    struct gs_job j = gs_scan_new_job(s, r->line);
    int64_t res = 0;
    const char *reason = NULL;
    enum gs_rc rc = decode(r, o, &j, &res);
    if (rc == GS_OK)
        rc = take_run(s, r, profiles, o, &j, &reason);
    if (rc != GS_OK)
        return rc;
    j.name = gs_intern(s->str, gs_json_text(o, "id", buf, sizeof buf));
    rc = gs_scan_unique(s, r, "id", j.name);
    if (rc != GS_OK)
        return rc;
    t->jobs++;
    t->res += res;
    t->last_ns = j.submit_ns > t->last_ns ? j.submit_ns : t->last_ns;
    if (!reason && res == 0)
        reason = "asks for no resources";
    if (reason) {
        gs_row_drop(r, reason);
        return GS_OK;
    }
    if (!s->o->gpus_per_proc_milli)
        gs_count_assume(s->n, "resources taken as CPUs, no GPUs", 1);
    rc = gs_log_procs(s, r, "res", &j, res);
    return rc == GS_OK ? gs_scan_job(s, &j) : rc;
}

static void show(struct gs_info *f, const json_t *document, const struct sums *t)
{
    char buf[TEXT_MAX];
    gs_info_int(f, "jobs", t->jobs);
    gs_info_int(f, "profiles", (int64_t)json_object_size(json_object_get(document, "profiles")));
    gs_info_text(f, "nb_res", gs_json_text(document, "nb_res", buf, sizeof buf));
    gs_info_int(f, "sum_res", t->res);
    gs_info_decimal(f, "last_subtime", gs_log_millis(t->last_ns), 3);
}

static enum gs_rc scan_jobs(struct gs_scan *s, const json_t *document)
{
    const json_t *jobs = json_object_get(document, "jobs");
    const json_t *profiles = json_object_get(document, "profiles");
    struct sums t = {0};
    if (!json_is_array(jobs) || !json_is_object(profiles))
        return gs_fail(s->err, GS_E_INPUT,
                       "%s: expected an object with an array `jobs` and an object `profiles`",
                       s->in->shown);
    const json_t *resources = json_object_get(document, "nb_res");
    if (resources && (!json_is_integer(resources) || json_integer_value(resources) < 0))
        return gs_fail(s->err, GS_E_INPUT,
                       "%s: nb_res is no count of resources (expected a whole number from 0)",
                       s->in->shown);
    for (size_t i = 0; i < json_array_size(jobs); i++) {
        struct gs_row r = gs_scan_row(s, (int64_t)i + 1); /* numbered by job: lines are not kept */
        const enum gs_rc rc =
            gs_row_end(&r, take_job(s, &r, json_array_get(jobs, i), profiles, &t));
        if (rc != GS_OK)
            return rc;
    }
    if (s->info)
        show(s->info, document, &t);
    return GS_OK;
}

static enum gs_rc scan(struct gs_scan *s)
{
    json_t *document = NULL;
    enum gs_rc rc = gs_json_document(s->in, &document, s->err);
    if (rc == GS_OK)
        rc = scan_jobs(s, document);
    json_decref(document);
    return rc;
}

const struct gs_reader gs_reader_batsim = {
    .name = "batsim",
    .what = "Batsim: workload (JSON)",
    .units = "submit, run time and limit s; resources",
    .flags = GS_READER_IDS | GS_READER_ESTIMATE | GS_READER_PROCS,
    .guess = guess,
    .scan = scan,
};

/* philly_log.c - the raw Philly job log: `cluster_job_log`, one JSON array of jobs with all their attempts.
 *
 *     {"status": "Pass", "vc": "ee9e8c", "jobid": "application_1506638472019_14199", "submitted_time": "2017-10-07 01:11:39",
 *      "user": "ce2f4c", "attempts": [{"start_time": ..., "end_time": ..., "detail": [{"ip": "m47", "gpus": ["gpu0", ...]}]}]}
 *
 * Stamps are local wall clock to the second without a zone; the utilisation files of the same release say PDT and PST, so US Pacific is
 * taken (not stated by the authors). The clock went back on 2017-11-05: a start or end that would lie before what precedes it is the
 * later of its two instants.
 * GPUs are those of the first attempt, nodes its distinct machines. An attempt that another one follows was started again, so it
 * failed; the last ends as `status` says. Run time = the attempts' run times together, as in the derived list. A job without attempts
 * never ran; one of which an attempt lacks its start or end was still running (or lost): both are dropped, each with its reason.
 * Memory is bounded by the longest job. Source: Jeon et al., "Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training
 * Workloads" (ATC'19); github.com/msr-fiddle/philly-traces. */
#include "traces/joblog.h"

#include <string.h>

#include "sim/base/banned.h"

enum {
    TEXT_MAX = 128 /* of a stamp or a name; longer ones are faults or cut */
};

struct sums {
    int64_t jobs, attempts, gpus;
    gs_i128 run_ns, span_ns; /* of the jobs that are kept */
};

static int guess(const struct gs_probe *p)
{
    const char *s = p->text + strspn(p->text, " \t\r\n");
    return *s == '[' && strstr(s, "\"attempts\"") && strstr(s, "\"submitted_time\"");
}

static uint8_t end_state(const char *status)
{
    if (strcmp(status, "Pass") == 0)
        return GS_END_COMPLETED;
    if (strcmp(status, "Killed") == 0)
        return GS_END_KILLED;
    return strcmp(status, "Failed") == 0 ? GS_END_FAILED : GS_END_UNKNOWN;
}

/* GPUs of one attempt, its distinct machines, the GPUs of the fullest. */
static void count_gpus(const json_t *attempt, int64_t *gpus, uint32_t *nodes, int64_t *full)
{
    const json_t *detail = json_object_get(attempt, "detail");
    struct gs_intern ips;
    gs_intern_init(&ips);
    *gpus = *full = 0;
    for (size_t i = 0; i < json_array_size(detail); i++) {
        const json_t *machine = json_array_get(detail, i);
        const char *ip = json_string_value(json_object_get(machine, "ip"));
        const int64_t here = (int64_t)json_array_size(json_object_get(machine, "gpus"));
        *gpus += here;
        *full = here > *full ? here : *full;
        (void)gs_intern(&ips, ip ? ip : "");
    }
    *nodes = ips.n - 1;
    gs_intern_release(&ips);
}

/* Why the job cannot be replayed, or NULL. */
static const char *unusable(const json_t *attempts)
{
    char buf[TEXT_MAX];
    if (json_array_size(attempts) == 0)
        return "no attempts: never ran";
    for (size_t i = 0; i < json_array_size(attempts); i++) {
        const json_t *a = json_array_get(attempts, i);
        if (gs_is_null(gs_json_text(a, "start_time", buf, sizeof buf)))
            return "an attempt without a start";
        if (gs_is_null(gs_json_text(a, "end_time", buf, sizeof buf)))
            return i + 1 == json_array_size(attempts) ? "still running when the log was taken"
                                                      : "an attempt without an end";
    }
    return NULL;
}

/* One attempt that starts after `*clock_ns`, which moves on to its end. *kept = 0: it ends before it starts. */
static enum gs_rc take_attempt(struct gs_scan *s, struct gs_row *r, const json_t *attempt,
                               int64_t *clock_ns, int64_t *start_ns, int *kept)
{
    char buf[TEXT_MAX];
    enum gs_rc rc =
        gs_log_stamp(s, r, "start_time", gs_json_text(attempt, "start_time", buf, sizeof buf),
                     *clock_ns, start_ns);
    if (rc == GS_OK)
        rc = gs_log_stamp(s, r, "end_time", gs_json_text(attempt, "end_time", buf, sizeof buf),
                          *start_ns, clock_ns);
    *kept = *clock_ns >= *start_ns;
    return rc;
}

static enum gs_rc take_attempts(struct gs_scan *s, struct gs_row *r, const json_t *attempts,
                                uint8_t last, struct gs_job *j, int64_t *span_ns, int *kept)
{
    const size_t n = json_array_size(attempts);
    int64_t first_ns = 0;
    int64_t clock_ns = j->submit_ns;
    *kept = 1;
    gs_vec_clear(&s->attempts);
    for (size_t i = 0; i < n && *kept; i++) {
        int64_t start_ns = 0;
        const enum gs_rc rc =
            take_attempt(s, r, json_array_get(attempts, i), &clock_ns, &start_ns, kept);
        if (rc != GS_OK)
            return rc;
        if (i == 0)
            first_ns = start_ns;
        j->run_ns += clock_ns - start_ns;
        gs_scan_attempt(s, clock_ns - start_ns, i + 1 < n ? GS_END_FAILED : last);
    }
    if (!*kept) {
        gs_vec_clear(&s->attempts);
        gs_row_drop(r, "ends before it starts");
    } else {
        gs_log_start(s, j, first_ns);
    }
    *span_ns = clock_ns - first_ns;
    return GS_OK;
}

static enum gs_rc take_size(struct gs_row *r, const json_t *attempts, struct gs_job *j,
                            int64_t *full, struct sums *t)
{
    int64_t gpus = 0;
    count_gpus(json_array_get(attempts, 0), &gpus, &j->nodes, full);
    if (gpus > GS_TRACE_GPUS_MAX)
        return gs_row_bad(r, "absurdly large number", "gpus", "", "is absurd: over a million GPUs");
    j->gpus = (uint32_t)gpus;
    t->gpus += gpus;
    return GS_OK;
}

static enum gs_rc take_job(struct gs_scan *s, struct gs_row *r, const json_t *o, struct sums *t)
{
    char buf[TEXT_MAX];
    const json_t *attempts = json_object_get(o, "attempts");
    if (!json_is_array(attempts))
        return gs_row_bad(r, "not a job", "attempts", "", "is missing: this is no Philly job");
    struct gs_job j = gs_scan_new_job(s, r->line);
    t->attempts += (int64_t)json_array_size(attempts);
    int64_t full = 0;
    enum gs_rc rc = take_size(r, attempts, &j, &full, t);
    if (rc == GS_OK)
        rc = gs_row_clock(s, r, "submitted_time",
                          gs_json_text(o, "submitted_time", buf, sizeof buf), &j.submit_ns);
    if (rc != GS_OK)
        return rc;
    const char *reason = unusable(attempts);
    if (!reason && j.gpus == 0)
        reason = "no GPUs in the first attempt";
    if (reason) {
        gs_row_drop(r, reason);
        return GS_OK;
    }
    j.kind = GS_KIND_TRAINING;
    j.end_state = end_state(gs_json_text(o, "status", buf, sizeof buf));
    j.queue = gs_intern(s->str, gs_json_text(o, "vc", buf, sizeof buf));
    j.user = gs_intern(s->str, gs_json_text(o, "user", buf, sizeof buf));
    j.name = gs_intern(s->str, gs_json_text(o, "jobid", buf, sizeof buf));
    rc = gs_scan_unique(s, r, "jobid", j.name);
    int64_t span_ns = 0;
    int kept = 0;
    if (rc == GS_OK)
        rc = take_attempts(s, r, attempts, j.end_state, &j, &span_ns, &kept);
    if (rc != GS_OK || !kept)
        return rc;
    t->run_ns += j.run_ns;
    t->span_ns += span_ns;
    gs_log_gang(s, &j, j.nodes, full, 0, 0);
    return gs_scan_job(s, &j);
}

static void show(struct gs_info *f, const struct sums *t)
{
    gs_info_int(f, "jobs", t->jobs);
    gs_info_int(f, "attempts", t->attempts);
    gs_info_int(f, "gpus", t->gpus);
    gs_info_decimal(f, "run_seconds_sum_of_attempts", t->run_ns, 9);
    gs_info_decimal(f, "run_seconds_first_start_to_last_end", t->span_ns, 9);
}

static enum gs_rc scan(struct gs_scan *s)
{
    struct sums t = {0};
    for (;;) {
        json_t *o = NULL;
        int64_t line = 0;
        enum gs_rc rc = gs_json_element(s->in, &o, &line, s->err);
        if (rc != GS_OK)
            return rc;
        if (!o)
            break;
        struct gs_row r = gs_scan_row(s, line);
        t.jobs++;
        rc = gs_row_end(&r, take_job(s, &r, o, &t));
        json_decref(o);
        if (rc != GS_OK)
            return rc;
    }
    if (s->info)
        show(s->info, &t);
    return GS_OK;
}

const struct gs_reader gs_reader_philly_log = {
    .name = "philly-log",
    .what = "Philly: the raw job log with all attempts (JSON)",
    .units = "wall clock, 1 s; run time = sum of the attempts; whole GPUs of the first attempt",
    .zone = "America/Los_Angeles",
    .flags = GS_READER_IDS,
    .guess = guess,
    .scan = scan,
};

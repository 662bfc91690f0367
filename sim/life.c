/* life.c - the life of a job in a run: it arrives, starts, is evicted or tried again, ends, and lets go those that waited for it.
 *
 * arrival -> live table -> host; the host's commit calls back (start, evict, reject, ...), which schedules the ends; end -> ledger freed,
 * outcome written, jobs that waited for it scheduled. Recorded attempts and ends of a trace are replayed here. Cost of an event is O(what it
 * touches). Invariant: slot_of[job] is its live slot from arrival to end or rejection, and GS_NONE before and after. */
#include "sim/life.h"

#include "sim/effects/checkpoint.h"
#include "sim/effects/effects.h"
#include "sim/history.h"
#include "sim/mig.h"
#include "sim/outage.h"
#include "sim/training_jobs.h"

/* ---- small questions ---- */

static const struct gs_job *job_of(const struct gs_run *r, uint32_t id)
{
    return &r->w.jobs.v[id];
}

/* Work of the recorded attempt that the job is in; all of it where none is recorded. */
static int64_t part_ns(const struct gs_run *r, uint32_t id)
{
    const struct gs_job *j = job_of(r, id);
    return j->attempts ? r->w.attempts.v[j->attempt_first + r->part[id]].run_ns : j->run_ns;
}

static enum gs_end_state part_end(const struct gs_run *r, uint32_t id)
{
    const struct gs_job *j = job_of(r, id);
    const uint8_t end =
        j->attempts ? r->w.attempts.v[j->attempt_first + r->part[id]].end_state : GS_END_UNKNOWN;
    return end == GS_END_UNKNOWN ? j->end_state : end;
}

/* The end of a job or of an attempt, from what the trace says of it; a trace that says nothing means a good one. */
static const struct end_as {
    enum gs_job_state state;
    enum gs_attempt_end attempt;
} end_as[GS_END_COUNT] = {
    [GS_END_UNKNOWN] = {GS_STATE_COMPLETED, GS_ATTEMPT_COMPLETED},
    [GS_END_COMPLETED] = {GS_STATE_COMPLETED, GS_ATTEMPT_COMPLETED},
    [GS_END_FAILED] = {GS_STATE_FAILED, GS_ATTEMPT_FAILED},
    [GS_END_KILLED] = {GS_STATE_KILLED, GS_ATTEMPT_KILLED},
    [GS_END_TIMEOUT] = {GS_STATE_TIMEOUT, GS_ATTEMPT_TIMEOUT},
};

/* ---- arrivals ---- */

/* Job id has ended: those that waited for it arrive after their think times. */
static void release_waiters(struct gs_run *r, uint32_t id)
{
    if (!r->waiter)
        return;
    for (uint32_t next = r->waiter[id]; next != GS_NONE; next = r->next_waiter[next]) {
        const struct gs_job *j = job_of(r, next);
        const int64_t think = j->think_ns > 0 ? j->think_ns : 0;
        if (think > GS_NEVER - 1 - r->eng.now_ns)
            continue; /* past the end of time */
        const int64_t at = r->eng.now_ns + think;
        const int early = at < j->submit_ns && !(j->flags & GS_JOB_FEEDBACK);
        (void)gs_engine_at(&r->eng, early ? j->submit_ns : at, GS_EV_ARRIVAL, next, 0);
    }
}

static void reject(struct gs_run *r, uint32_t id, const char *why)
{
    struct gs_outcome *o = gs_metrics_outcome(r->m, id);
    gs_metrics_reject(r->m, r->eng.now_ns, id, gs_job_milli(job_of(r, id)));
    o->reason = gs_intern(&r->str, why);
    r->slot_of[id] = GS_NONE;
    r->jobs_done++;
    if (o->counted)
        r->counted_left--;
    gs_engine_decision(&r->eng, GS_DECIDE_REJECT, id, 0, 0);
    release_waiters(r, id);
}

void gs_life_next_arrival(struct gs_run *r)
{
    while (r->next_arrival < r->w.jobs.n && job_of(r, r->next_arrival)->after)
        r->next_arrival++; /* another job's end brings it */
    if (r->next_arrival >= r->w.jobs.n)
        return;
    int64_t at = job_of(r, r->next_arrival)->submit_ns;
    (void)gs_engine_at(&r->eng, at < 0 ? 0 : at, GS_EV_ARRIVAL, r->next_arrival, 0);
    r->next_arrival++;
}

/* What is only known of a job that waited for another once it comes: its time, and whether it counts. */
static void note_late_submit(struct gs_run *r, uint32_t id)
{
    const int64_t now = r->eng.now_ns;
    if (r->measure == GS_MEASURE_JOBS || now < r->window.from_ns || now >= r->window.to_ns)
        return;
    gs_metrics_outcome(r->m, id)->counted = 1;
    r->counted_left++;
}

enum gs_rc gs_life_on_arrival(void *world, const struct gs_event *ev, uint64_t *result,
                              struct gs_err *err)
{
    struct gs_run *r = world;
    uint32_t id = ev->subject;
    const struct gs_job *j = job_of(r, id);
    (void)result;
    (void)err;
    gs_metrics_submit(r->m, r->eng.now_ns, id, gs_job_milli(j));
    if (j->after)
        note_late_submit(r, id);
    uint64_t models = gs_run_models(r, j->models);
    uint32_t slot = gs_live_add(&r->live, id, j, models == UINT64_MAX ? 0 : models);
    r->live.left_ns[slot] = part_ns(r, id);
    if (j->after)
        r->live.submit_ns[slot] = r->live.eligible_ns[slot] = r->eng.now_ns;
    const char *why = models == UINT64_MAX ? "asks for a GPU model that the cluster has not"
                                           : gs_host_impossible(r->host, slot);
    if (!why)
        why = gs_training_misfit(r, j);
    if (!why)
        why = gs_mig_misfit(r, j);
    if (why) {
        gs_live_remove(&r->live, slot);
        reject(r, id, why);
        if (!j->after)
            gs_life_next_arrival(r);
        if (r->observe)
            r->observe(r->observe_ctx, r);
        return GS_OK;
    }
    r->slot_of[id] = slot;
    gs_host_submit(r->host, slot, r->eng.now_ns);
    gs_run_want_pass(r);
    if (!j->after)
        gs_life_next_arrival(r); /* after the pass, which then takes the place of this event */
    return GS_OK;
}

/* ---- running ---- */

uint32_t gs_life_held(struct gs_run *r, uint32_t slot)
{
    uint32_t n = gs_host_held(r->host, slot, r->held.v, (uint32_t)r->held.cap);
    if (n > r->held.cap) {
        gs_vec_reserve(&r->held, n);
        n = gs_host_held(r->host, slot, r->held.v, (uint32_t)r->held.cap);
    }
    r->held.n = n;
    return n;
}

/* Distinct nodes among the rows, by a stamp a node. */
static uint32_t count_nodes(struct gs_run *r, const struct gs_held *h, uint32_t n)
{
    uint32_t nodes = 0;
    r->node_stamp++;
    for (uint32_t i = 0; i < n; i++) {
        nodes += r->node_seen[h[i].node] != r->node_stamp;
        r->node_seen[h[i].node] = r->node_stamp;
    }
    return nodes;
}

static void w_start(void *world, uint32_t slot)
{
    struct gs_run *r = world;
    uint32_t id = r->live.id[slot], n = gs_life_held(r, slot);
    struct gs_outcome *o = gs_metrics_outcome(r->m, id);
    uint64_t where = GS_DIGEST_SEED;
    for (uint32_t i = 0; i < n; i++)
        where = (where ^ ((uint64_t)r->held.v[i].node << 32 | r->held.v[i].gpu)) *
                UINT64_C(0x100000001b3);
    for (uint32_t i = 0; i < n; i++)
        if (r->held.v[i].profile)
            where = (where ^ r->held.v[i].mig_start) * UINT64_C(0x100000001b3);
    gs_engine_decision(&r->eng, GS_DECIDE_START, id, n ? r->held.v[0].node : GS_NONE, where);
    if (o->first_start_ns < 0) {
        o->nodes_used = count_nodes(r, r->held.v, n);
        uint32_t model = n ? r->cluster.node_model[r->held.v[0].node] : GS_NONE;
        o->model = model == GS_NONE || !r->live.gpus[slot] ? 0 : (uint8_t)(model + 1);
    }
    if (r->reservation_of && r->reservation_of[id]) {
        struct gs_reservation *v = &r->reservations.v[r->reservation_of[id] - 1];
        v->fate = r->eng.now_ns <= v->at_ns ? 0 : 2;
        r->reservation_of[id] = 0;
    }
    gs_metrics_start(r->m, r->eng.now_ns, id, gs_job_milli(job_of(r, id)));
    if (r->pace)
        gs_pace_start(r, slot, r->held.v, n);
    else if (r->live.left_ns[slot] != GS_NEVER && r->live.left_ns[slot] <= GS_NEVER - r->eng.now_ns)
        r->live.end_event[slot] = gs_engine_at(&r->eng, r->eng.now_ns + r->live.left_ns[slot],
                                               GS_EV_JOB_END, id, r->live.attempts[slot]);
}

static void write_allocations(struct gs_run *r, uint32_t id, const struct gs_held *h, uint32_t n,
                              int64_t start_ns, int64_t end_ns, uint8_t reason)
{
    struct gs_err err = {0};
    if (!r->alloc || r->io_rc)
        return;
    for (uint32_t i = 0; i < n; i++) {
        struct gs_alloc_row row = {.job = id,
                                   .task = h[i].task,
                                   .node = h[i].node,
                                   .share_milli = h[i].gpu == GS_NONE ? 0 : h[i].milli,
                                   .gpu = h[i].gpu == GS_NONE ? -1 : (int32_t)h[i].gpu,
                                   .start_ns = start_ns,
                                   .end_ns = end_ns,
                                   .memory_mib = h[i].mem_mib,
                                   .cpus_milli = h[i].cpus_milli,
                                   .node_memory_mib = h[i].node_mem_mib,
                                   .end_reason = reason,
                                   .mig_profile = h[i].profile,
                                   .mig_start = h[i].mig_start,
                                   .mig_size = h[i].mig_size};
        gs_run_note_io(r, gs_alloc_table_row(r->alloc, &row, &err), &err);
    }
}

/* The rows of an attempt that is over now. */
static void write_attempt(struct gs_run *r, uint32_t slot, enum gs_attempt_end end,
                          double lost_gpu_s)
{
    const uint32_t id = r->live.id[slot], n = gs_life_held(r, slot);
    gs_pace_stop(r, slot, r->held.v, n);
    write_allocations(r, id, r->held.v, n, r->live.started_ns[slot], r->eng.now_ns, (uint8_t)end);
    const struct gs_attempt a = {.job = id,
                                 .number = r->live.attempts[slot],
                                 .node = n ? r->held.v[0].node : GS_NONE,
                                 .start_ns = r->live.started_ns[slot],
                                 .end_ns = r->eng.now_ns,
                                 .lost_gpu_s = lost_gpu_s,
                                 .outcome = (uint8_t)end};
    gs_outfile_attempt(r, &a);
}

/* Where the job stands if it is stopped now: at its last checkpoint, or where its attempt began. */
struct safe {
    int64_t left_ns; /* work left there */
    int64_t lost_ns; /* time at work since, waits for start-up and checkpoints left out */
};

static double gpu_s(const struct gs_run *r, uint32_t id, int64_t ns)
{
    return (double)ns / 1e9 * ((double)gs_job_milli(job_of(r, id)) / 1000.0);
}

static struct safe safe_of(struct gs_run *r, uint32_t slot)
{
    const uint32_t id = r->live.id[slot];
    struct safe s = {part_ns(r, id), 0};
    int64_t safe_busy_ns = 0;
    gs_checkpoint_safe(r, slot, &s.left_ns, &safe_busy_ns);
    s.lost_ns = r->pace ? gs_pace_busy(r, slot) - safe_busy_ns
                        : r->eng.now_ns - gs_metrics_outcome(r->m, id)->last_start_ns;
    return s;
}

/* A recorded attempt but the last: the job waits again, with the next attempt's work. What it lost is not told by the trace: 0. */
static void retry(struct gs_run *r, uint32_t slot)
{
    const uint32_t id = r->live.id[slot];
    const enum gs_attempt_end end = end_as[part_end(r, id)].attempt;
    write_attempt(r, slot, end == GS_ATTEMPT_COMPLETED ? GS_ATTEMPT_FAILED : end, 0);
    r->live.ran_ns[slot] += r->eng.now_ns - r->live.started_ns[slot];
    r->live.end_event[slot] = 0;
    gs_metrics_retry(r->m, r->eng.now_ns, id, gs_job_milli(job_of(r, id)));
    gs_host_retry(r->host, slot, r->eng.now_ns);
    r->part[id]++;
    r->live.left_ns[slot] = part_ns(r, id);
}

static void end_job(struct gs_run *r, uint32_t slot, struct end_as as, double lost_gpu_s)
{
    const uint32_t id = r->live.id[slot];
    struct gs_outcome *o = gs_metrics_outcome(r->m, id);
    write_attempt(r, slot, as.attempt, lost_gpu_s);
    gs_host_waits(r->host, slot, r->eng.now_ns, o->wait_ns);
    gs_metrics_stop(r->m, r->eng.now_ns, id, gs_job_milli(job_of(r, id)), as.state);
    gs_host_finish(r->host, slot, r->eng.now_ns);
    r->slot_of[id] = GS_NONE;
    r->jobs_done++;
    if (o->counted)
        r->counted_left--;
    release_waiters(r, id);
    if (r->background && gs_background_only(r))
        gs_engine_stop(&r->eng);
}

/* Another attempt that was stopped for this cause. Causes are few. */
static void note_stop(struct gs_run *r, uint32_t cause, int planned, double lost_gpu_s)
{
    size_t i = 0;
    while (i < r->stops.n && (r->stops.v[i].cause != cause || r->stops.v[i].planned != planned))
        i++;
    if (i == r->stops.n)
        gs_vec_push(&r->stops, ((struct gs_stop){.cause = cause, .planned = (uint8_t)planned}));
    r->stops.v[i].attempts++;
    r->stops.v[i].lost_gpu_s += lost_gpu_s;
}

static void fail(struct gs_run *r, uint32_t slot, uint32_t cause, int planned, int for_good)
{
    const uint32_t id = r->live.id[slot];
    struct gs_outcome *o = gs_metrics_outcome(r->m, id);
    const int64_t milli = gs_job_milli(job_of(r, id));
    (void)gs_engine_cancel(&r->eng, r->live.end_event[slot]);
    r->live.end_event[slot] = 0;
    const struct safe safe = safe_of(r, slot);
    const double lost = gpu_s(r, id, safe.lost_ns);
    o->lost_gpu_s += lost;
    o->failures += !planned;
    note_stop(r, cause, planned, lost);
    gs_engine_decision(&r->eng, GS_DECIDE_FAIL, id, (uint32_t)planned, 0);
    if (for_good || (!planned && r->retries >= 0 && o->failures > r->retries)) {
        o->reason = cause;
        end_job(r, slot, end_as[GS_END_FAILED], lost);
        return;
    }
    write_attempt(r, slot, planned ? GS_ATTEMPT_PREEMPTED : GS_ATTEMPT_FAILED, lost);
    r->live.ran_ns[slot] += r->eng.now_ns - r->live.started_ns[slot];
    if (planned)
        gs_metrics_stop(r->m, r->eng.now_ns, id, milli, GS_STATE_PENDING);
    else
        gs_metrics_retry(r->m, r->eng.now_ns, id, milli);
    gs_host_retry(r->host, slot, r->eng.now_ns);
    r->live.left_ns[slot] = safe.left_ns;
}

void gs_life_fail(struct gs_run *r, uint32_t slot, uint32_t cause, int planned)
{
    fail(r, slot, cause, planned, 0);
}

void gs_life_fail_for_good(struct gs_run *r, uint32_t slot, uint32_t cause)
{
    fail(r, slot, cause, 0, 1);
}

void gs_life_freed(struct gs_run *r)
{
    gs_run_want_pass(r);
    r->measure_due = r->eng.pass_pending; /* until it, no time goes by */
    if (!r->measure_due)
        gs_run_measure_capacity(r);
}

enum gs_rc gs_life_on_end(void *world, const struct gs_event *ev, uint64_t *result,
                          struct gs_err *err)
{
    struct gs_run *r = world;
    uint32_t id = ev->subject, slot = r->slot_of[id];
    const struct gs_job *j = job_of(r, id);
    (void)result;
    (void)err;
    gs_verify(slot != GS_NONE && gs_metrics_outcome(r->m, id)->state == GS_STATE_RUNNING);
    if (part_end(r, id) == GS_END_FAILED)
        gs_sharing_fault(r, slot);
    if (j->attempts && r->part[id] + 1 < j->attempts)
        retry(r, slot);
    else
        end_job(r, slot, end_as[part_end(r, id)], 0);
    gs_life_freed(r);
    if (r->counted_left == 0 && r->window.to_ns != GS_NEVER && r->eng.now_ns >= r->window.to_ns)
        gs_engine_stop(&r->eng);
    return GS_OK;
}

static void w_evict(void *world, uint32_t slot, int mode, const struct gs_held *held, uint32_t n)
{
    struct gs_run *r = world;
    uint32_t id = r->live.id[slot];
    const struct gs_job *j = job_of(r, id);
    struct gs_outcome *o = gs_metrics_outcome(r->m, id);
    int64_t ran = r->eng.now_ns - o->last_start_ns;
    const struct safe safe = safe_of(r, slot);
    const double lost = mode == GSP_EVICT_CHECKPOINT ? 0 : gpu_s(r, id, safe.lost_ns);
    (void)gs_engine_cancel(&r->eng, r->live.end_event[slot]);
    r->live.end_event[slot] = 0;
    gs_pace_stop(r, slot, held, n);
    write_allocations(r, id, held, n, o->last_start_ns, r->eng.now_ns, 1);
    r->live.ran_ns[slot] += ran;
    if (mode == GSP_EVICT_CHECKPOINT) {
        if (r->live.left_ns[slot] != GS_NEVER && !r->pace)
            r->live.left_ns[slot] -= ran;
    } else {
        o->lost_gpu_s += lost;
        r->live.left_ns[slot] = safe.left_ns;
    }
    struct gs_attempt a = {id,
                           r->live.attempts[slot],
                           n ? held[0].node : GS_NONE,
                           o->last_start_ns,
                           r->eng.now_ns,
                           lost,
                           1};
    gs_outfile_attempt(r, &a);
    gs_metrics_stop(r->m, r->eng.now_ns, id, gs_job_milli(j), GS_STATE_PENDING);
    gs_engine_decision(&r->eng, GS_DECIDE_EVICT, id, n ? held[0].node : GS_NONE, (uint64_t)mode);
}

static void w_reject(void *world, uint32_t slot, const char *why)
{
    struct gs_run *r = world;
    uint32_t id = r->live.id[slot];
    gs_host_waits(r->host, slot, r->eng.now_ns, gs_metrics_outcome(r->m, id)->wait_ns);
    gs_host_remove(r->host, slot, r->eng.now_ns);
    reject(r, id, why);
}

/* A reservation is a row; one that is made again with the same start is the same row. */
static void note_reservation(struct gs_run *r, uint32_t id, int64_t at_ns)
{
    if (!r->reservation_of)
        r->reservation_of = GS_NEW_N(uint32_t, r->w.jobs.n);
    uint32_t row = r->reservation_of[id];
    if (row && r->reservations.v[row - 1].at_ns == at_ns)
        return;
    if (row)
        r->reservations.v[row - 1].fate = 1;
    gs_vec_push(
        &r->reservations,
        (struct gs_reservation){.job = id, .fate = 2, .made_ns = r->eng.now_ns, .at_ns = at_ns});
    r->reservation_of[id] = (uint32_t)r->reservations.n;
}

static void w_reserved(void *world, uint32_t slot, int64_t at_ns)
{
    struct gs_run *r = world;
    gs_metrics_outcome(r->m, r->live.id[slot])->predicted_start_ns = at_ns;
    note_reservation(r, r->live.id[slot], at_ns);
    gs_engine_decision(&r->eng, GS_DECIDE_RESERVE, r->live.id[slot], 0, (uint64_t)at_ns);
}

static void w_timer(void *world, uint32_t instance, int64_t at_ns, uint64_t tag)
{
    struct gs_run *r = world;
    gs_vec_push(&r->timer_tags, tag);
    (void)gs_engine_at(&r->eng, at_ns, GS_EV_TIMER, instance, (uint32_t)(r->timer_tags.n - 1));
}

static void w_held(void *world, uint32_t slot, int64_t until_ns)
{
    struct gs_run *r = world;
    uint32_t id = r->live.id[slot];
    gs_engine_decision(&r->eng, GS_DECIDE_HOLD, id, 0, (uint64_t)until_ns);
    gs_metrics_outcome(r->m, id)->state = GS_STATE_HELD;
    if (until_ns != GS_NEVER)
        (void)gs_engine_at(&r->eng, until_ns, GS_EV_RELEASE, id, 0);
}

static void w_waited(void *world, uint32_t slot, int64_t start_ns, int64_t end_ns,
                     const struct gs_wait_why *why)
{
    struct gs_run *r = world;
    gs_outfile_wait(r, r->live.id[slot], start_ns, end_ns, why);
}

enum gs_rc gs_life_on_release(void *world, const struct gs_event *ev, uint64_t *result,
                              struct gs_err *err)
{
    struct gs_run *r = world;
    (void)result;
    (void)err;
    gs_metrics_outcome(r->m, ev->subject)->state = GS_STATE_PENDING;
    gs_host_release(r->host, r->slot_of[ev->subject], r->eng.now_ns);
    gs_run_want_pass(r);
    return GS_OK;
}

enum gs_rc gs_life_on_timer(void *world, const struct gs_event *ev, uint64_t *result,
                            struct gs_err *err)
{
    struct gs_run *r = world;
    (void)result;
    enum gs_rc rc =
        gs_host_timer(r->host, ev->subject, r->timer_tags.v[ev->object], r->eng.now_ns, err);
    if (!rc)
        gs_run_want_pass(r);
    return rc;
}

/* ---- fetching ahead ---- */

static void fetch_lines(const void *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 64)
        GS_PREFETCH((const char *)p + i);
}

/* A job that ends is found again after a long time, its rows all over the tables: they are asked
 * for while the events before it are handled. First where it is, then its rows, then its claim. */
void gs_life_fetch_ahead(void *world, const struct gs_event *next, uint32_t n)
{
    struct gs_run *r = world;
    for (uint32_t i = 1; i < n; i++)
        if (next[i].kind == GS_EV_JOB_END)
            GS_PREFETCH(&r->slot_of[next[i].subject]);
    if (n == 0 || next[0].kind != GS_EV_JOB_END)
        return;
    const uint32_t id = next[0].subject, slot = r->slot_of[id];
    if (slot == GS_NONE)
        return;
    if (r->ahead == id) {
        gs_host_fetch_claim(r->host, slot);
        return;
    }
    r->ahead = id;
    fetch_lines(&r->w.jobs.v[id], sizeof *r->w.jobs.v);
    fetch_lines(gs_metrics_outcome(r->m, id), sizeof(struct gs_outcome));
    gs_host_fetch_job(r->host, slot);
}

/* ---- the end of the run ---- */

void gs_life_close(struct gs_run *r)
{
    for (uint32_t id = 0; id < r->w.jobs.n; id++) {
        uint32_t slot = r->slot_of[id];
        struct gs_outcome *o = gs_metrics_outcome(r->m, id);
        if (slot == GS_NONE) {
            if (o->state == GS_STATE_NEW)
                o->reason = gs_intern(
                    &r->str, job_of(r, id)->after ? "not submitted: it waits for another job"
                                                  : "not submitted: later than the end of the run");
            continue;
        }
        gs_host_waits(r->host, slot, r->end_ns, o->wait_ns);
        if (o->state != GS_STATE_RUNNING) {
            gs_host_waits_close(r->host, slot);
            o->reason = gs_intern(&r->str, "still waiting at the end");
            continue;
        }
        uint32_t n = gs_life_held(r, slot);
        gs_pace_stop(r, slot, r->held.v, n);
        write_allocations(r, id, r->held.v, n, r->live.started_ns[slot], -1, 3);
        struct gs_attempt a = {id,
                               r->live.attempts[slot],
                               n ? r->held.v[0].node : GS_NONE,
                               r->live.started_ns[slot],
                               -1,
                               0,
                               3};
        gs_outfile_attempt(r, &a);
        o->reason = gs_intern(&r->str, "still running at the end");
    }
}

const struct gs_world_ops gs_life_ops = {.start = w_start,
                                         .evict = w_evict,
                                         .reject = w_reject,
                                         .reserved = w_reserved,
                                         .timer = w_timer,
                                         .held = w_held,
                                         .waited = w_waited,
                                         .mig_created = gs_mig_created,
                                         .mig_gone = gs_mig_gone,
                                         .mig_mode = gs_mig_mode,
                                         .replay = gs_history_replay};

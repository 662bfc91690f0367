/* run.c - the event handlers and the loop of one simulation.
 *
 * arrival -> live table -> host; pass -> host decides, its commit calls back (start, evict, reject, ...), which schedules the ends; end -> ledger freed,
 * outcome written. Cost of an event is O(what it touches). Law kept at the end: jobs in = done + running + waiting + rejected. */
#include "sim/run.h"

#include <string.h>

volatile int gs_stop_signal;

/* ---- small questions ---- */

static const struct gs_job *job_of(const struct gs_run *r, uint32_t id)
{
    return &r->w.jobs.v[id];
}

void gs_run_note_io(struct gs_run *r, enum gs_rc rc, const struct gs_err *err)
{
    if (rc && !r->io_rc) {
        r->io_rc = rc;
        r->io_err = *err;
    }
}

/* ---- passes ---- */

static void want_pass(struct gs_run *r)
{
    if (!gs_host_wants_pass(r->host))
        return;
    if (r->cycle_interval_ns == 0) {
        gs_engine_want_pass(&r->eng);
        return;
    }
    if (r->next_cycle_ns > r->eng.now_ns)
        return; /* one is on its way */
    int64_t at = (r->eng.now_ns / r->cycle_interval_ns + 1) * r->cycle_interval_ns;
    r->next_cycle_ns = at;
    (void)gs_engine_at(&r->eng, at, GS_EV_PASS, 0, 0);
}

/* Idle GPUs that no typical and no waiting task could use. */
static double stranded_gpus(struct gs_run *r)
{
    struct gs_request waiting[64];
    struct gs_classes *k = gs_host_classes(r->host);
    uint64_t n = gs_frag_meter_stranded(r->frag, k, NULL, 0);
    if (n)
        n = gs_frag_meter_stranded(r->frag, k, waiting,
                                   gs_host_waiting_requests(r->host, waiting, 64));
    return (double)n;
}

static void measure_capacity(struct gs_run *r)
{
    gs_classes_sync(gs_host_classes(r->host));
    gs_metrics_frag(r->m, r->eng.now_ns, gs_frag_meter_value(r->frag, gs_host_classes(r->host)),
                    stranded_gpus(r));
}

static enum gs_rc on_pass(void *world, const struct gs_event *ev, uint64_t *result,
                          struct gs_err *err)
{
    struct gs_run *r = world;
    (void)ev;
    (void)result;
    uint64_t epoch = r->cluster.epoch;
    enum gs_rc rc = gs_host_pass(r->host, r->eng.now_ns, err);
    if (rc)
        return rc;
    if (r->measure_due || epoch != r->cluster.epoch)
        measure_capacity(r);
    r->measure_due = 0;
    if (r->observe)
        r->observe(r->observe_ctx, r);
    want_pass(r);
    return r->io_rc ? gs_fail(err, r->io_rc, "%s", r->io_err.msg) : GS_OK;
}

/* ---- arrivals ---- */

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
}

static void schedule_next_arrival(struct gs_run *r)
{
    if (r->next_arrival >= r->w.jobs.n)
        return;
    int64_t at = job_of(r, r->next_arrival)->submit_ns;
    (void)gs_engine_at(&r->eng, at < 0 ? 0 : at, GS_EV_ARRIVAL, r->next_arrival, 0);
    r->next_arrival++;
}

static enum gs_rc on_arrival(void *world, const struct gs_event *ev, uint64_t *result,
                             struct gs_err *err)
{
    struct gs_run *r = world;
    uint32_t id = ev->subject;
    const struct gs_job *j = job_of(r, id);
    (void)result;
    (void)err;
    gs_metrics_submit(r->m, r->eng.now_ns, id, gs_job_milli(j));
    uint64_t models = gs_run_models(r, j->models);
    uint32_t slot = gs_live_add(&r->live, id, j, models == UINT64_MAX ? 0 : models);
    const char *why = models == UINT64_MAX ? "asks for a GPU model that the cluster has not"
                                           : gs_host_impossible(r->host, slot);
    if (why) {
        gs_live_remove(&r->live, slot);
        reject(r, id, why);
        schedule_next_arrival(r);
        if (r->observe)
            r->observe(r->observe_ctx, r);
        return GS_OK;
    }
    r->slot_of[id] = slot;
    gs_host_submit(r->host, slot, r->eng.now_ns);
    want_pass(r);
    schedule_next_arrival(r); /* after the pass, which then takes the place of this event */
    return GS_OK;
}

/* ---- running ---- */

static uint32_t read_held(struct gs_run *r, uint32_t slot)
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
    uint32_t id = r->live.id[slot], n = read_held(r, slot);
    struct gs_outcome *o = gs_metrics_outcome(r->m, id);
    uint64_t where = GS_DIGEST_SEED;
    for (uint32_t i = 0; i < n; i++)
        where = (where ^ ((uint64_t)r->held.v[i].node << 32 | r->held.v[i].gpu)) *
                UINT64_C(0x100000001b3);
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
    if (r->live.left_ns[slot] != GS_NEVER && r->live.left_ns[slot] <= GS_NEVER - r->eng.now_ns)
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
                                   .end_reason = reason};
        gs_run_note_io(r, gs_alloc_table_row(r->alloc, &row, &err), &err);
    }
}

static enum gs_rc on_job_end(void *world, const struct gs_event *ev, uint64_t *result,
                             struct gs_err *err)
{
    struct gs_run *r = world;
    uint32_t id = ev->subject, slot = r->slot_of[id];
    const struct gs_job *j = job_of(r, id);
    (void)result;
    (void)err;
    struct gs_outcome *o = gs_metrics_outcome(r->m, id);
    gs_verify(slot != GS_NONE && o->state == GS_STATE_RUNNING);
    uint32_t n = read_held(r, slot);
    write_allocations(r, id, r->held.v, n, r->live.started_ns[slot], r->eng.now_ns, 0);
    struct gs_attempt a = {id,
                           r->live.attempts[slot],
                           n ? r->held.v[0].node : GS_NONE,
                           r->live.started_ns[slot],
                           r->eng.now_ns,
                           0,
                           j->end_state == GS_END_FAILED ? 2 : 0};
    gs_outfile_attempt(r, &a);
    gs_host_waits(r->host, slot, r->eng.now_ns, o->wait_ns);
    enum gs_job_state to = j->end_state == GS_END_FAILED ? GS_STATE_FAILED : GS_STATE_COMPLETED;
    gs_metrics_stop(r->m, r->eng.now_ns, id, gs_job_milli(j), to);
    gs_host_finish(r->host, slot, r->eng.now_ns);
    r->slot_of[id] = GS_NONE;
    r->jobs_done++;
    if (o->counted)
        r->counted_left--;
    want_pass(r);
    r->measure_due = r->eng.pass_pending; /* until it, no time goes by */
    if (!r->measure_due)
        measure_capacity(r);
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
    double lost =
        mode == GSP_EVICT_CHECKPOINT ? 0 : (double)ran / 1e9 * ((double)gs_job_milli(j) / 1000.0);
    (void)gs_engine_cancel(&r->eng, r->live.end_event[slot]);
    r->live.end_event[slot] = 0;
    write_allocations(r, id, held, n, o->last_start_ns, r->eng.now_ns, 1);
    r->live.ran_ns[slot] += ran;
    if (mode == GSP_EVICT_CHECKPOINT) {
        if (r->live.left_ns[slot] != GS_NEVER)
            r->live.left_ns[slot] -= ran;
    } else {
        o->lost_gpu_s += lost;
        r->live.left_ns[slot] = j->run_ns;
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

static enum gs_rc on_release(void *world, const struct gs_event *ev, uint64_t *result,
                             struct gs_err *err)
{
    struct gs_run *r = world;
    (void)result;
    (void)err;
    gs_metrics_outcome(r->m, ev->subject)->state = GS_STATE_PENDING;
    gs_host_release(r->host, r->slot_of[ev->subject], r->eng.now_ns);
    want_pass(r);
    return GS_OK;
}

static enum gs_rc on_timer(void *world, const struct gs_event *ev, uint64_t *result,
                           struct gs_err *err)
{
    struct gs_run *r = world;
    (void)result;
    enum gs_rc rc =
        gs_host_timer(r->host, ev->subject, r->timer_tags.v[ev->object], r->eng.now_ns, err);
    if (!rc)
        want_pass(r);
    return rc;
}

/* ---- sampling ---- */

/* The time series are held until the end; a slip of units (a job of 90 years) would fill the memory with them. */
#define SERIES_BYTES_MAX (UINT64_C(1) << 30)

static enum gs_rc check_series(const struct gs_run *r, int64_t until_ns, struct gs_err *err)
{
    const uint64_t row = sizeof(struct gs_sample) + 2 * sizeof(int64_t) * r->w.queues.n;
    const uint64_t most = SERIES_BYTES_MAX / row;
    if (r->series_ns <= 0 || until_ns < 0 || (uint64_t)(until_ns / r->series_ns) < most)
        return GS_OK;
    return gs_fail(err, GS_E_INPUT,
                   "[output] series: %g days at a row every %g s are over %llu rows: give a longer "
                   "interval, or an earlier [scenario] horizon",
                   (double)until_ns / 86400e9, (double)r->series_ns / 1e9,
                   (unsigned long long)most);
}

static uint32_t largest_gang(const struct gs_run *r)
{
    return (uint32_t)(r->cluster.idle_gpus < 0 ? 0 : r->cluster.idle_gpus);
}

static void sample(struct gs_run *r)
{
    const struct gs_cluster *c = &r->cluster;
    gs_classes_sync(gs_host_classes(r->host));
    struct gs_sample s = {.time_ns = r->eng.now_ns,
                          .gpus_total = (double)c->total_gpus,
                          .gpus_allocated = (double)c->held_milli / 1000.0,
                          .fragmentation = gs_frag_meter_value(
                              r->frag, gs_host_classes(r->host)), /* milli; stored as a share */
                          .stranded_gpus = stranded_gpus(r),
                          .largest_gang = largest_gang(r)};
    s.nodes_up = (double)c->nodes_up;
    gs_metrics_sample(r->m, &s);
}

static enum gs_rc on_sample(void *world, const struct gs_event *ev, uint64_t *result,
                            struct gs_err *err)
{
    struct gs_run *r = world;
    (void)ev;
    (void)result;
    const enum gs_rc rc = check_series(r, r->eng.now_ns, err);
    if (rc)
        return rc;
    sample(r);
    if (gs_evq_live(&r->eng.q) > 0 && r->series_ns > 0 && r->eng.now_ns <= GS_NEVER - r->series_ns)
        (void)gs_engine_at(&r->eng, r->eng.now_ns + r->series_ns, GS_EV_SAMPLE, 0, 0);
    return GS_OK;
}

static enum gs_rc on_end(void *world, const struct gs_event *ev, uint64_t *result,
                         struct gs_err *err)
{
    struct gs_run *r = world;
    (void)ev;
    (void)result;
    (void)err;
    gs_engine_stop(&r->eng);
    return GS_OK;
}

/* ---- preparation ---- */

static void fetch_lines(const void *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 64)
        GS_PREFETCH((const char *)p + i);
}

/* A job that ends is found again after a long time, its rows all over the tables: they are asked
 * for while the events before it are handled. First where it is, then its rows, then its claim. */
static void fetch_ahead(void *world, const struct gs_event *next, uint32_t n)
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

static void register_kinds(struct gs_run *r)
{
    gs_engine_kind(&r->eng, GS_EV_JOB_END, "job end", GS_CLASS_RELEASE, on_job_end);
    gs_engine_kind(&r->eng, GS_EV_ARRIVAL, "arrival", GS_CLASS_ARRIVAL, on_arrival);
    gs_engine_kind(&r->eng, GS_EV_RELEASE, "release of a held job", GS_CLASS_TIMER, on_release);
    gs_engine_kind(&r->eng, GS_EV_TIMER, "timer", GS_CLASS_TIMER, on_timer);
    gs_engine_kind(&r->eng, GS_EV_PASS, "scheduling pass", GS_CLASS_PASS, on_pass);
    gs_engine_kind(&r->eng, GS_EV_SAMPLE, "sample", GS_CLASS_SAMPLE, on_sample);
    gs_engine_kind(&r->eng, GS_EV_END, "end", GS_CLASS_END, on_end);
}

static const struct gs_world_ops world_ops = {.start = w_start,
                                              .evict = w_evict,
                                              .reject = w_reject,
                                              .reserved = w_reserved,
                                              .timer = w_timer,
                                              .held = w_held,
                                              .waited = w_waited};

enum gs_rc gs_run_prepare(struct gs_run *r, struct gs_err *err)
{
    enum gs_rc rc = gs_prepare_world(r, err);
    const int64_t last_ns = r->w.jobs.n ? gs_vec_last(&r->w.jobs).submit_ns : 0;
    if (!rc)
        rc = check_series(r, last_ns < r->horizon_ns ? last_ns : r->horizon_ns, err);
    if (rc)
        return rc;
    r->m = gs_metrics_new(&(struct gs_metrics_config){.cluster = &r->cluster,
                                                      .w = &r->w,
                                                      .str = &r->str,
                                                      .window = r->window,
                                                      .typical = &r->typical,
                                                      .series_ns = r->series_ns,
                                                      .bounded_tau_ns = 10 * GS_SECOND,
                                                      .origin_ns = r->origin_ns});
    r->frag = gs_frag_meter_new(&r->cluster, &r->typical);
    gs_prepare_jobs(r);
    gs_engine_init(&r->eng, r, r->tie_seed, r->compat);
    r->eng.pass_kind = GS_EV_PASS;
    r->eng.ahead = fetch_ahead;
    r->eng.stop = &gs_stop_signal;
    register_kinds(r);
    return gs_host_new(&r->host,
                       &(struct gs_host_config){.cluster = &r->cluster,
                                                .live = &r->live,
                                                .str = &r->str,
                                                .queues = &r->queues,
                                                .users = (uint32_t)r->w.users.n,
                                                .typical = &r->typical_view,
                                                .world_ops = &world_ops,
                                                .world = r,
                                                .log = r->log,
                                                .seed = r->seed,
                                                .has_estimates = r->has_estimates,
                                                .drop_unplaced = !r->queueing,
                                                .want_waits = r->want_waits},
                       err);
}

/* NOLINTNEXTLINE(readability-function-size): a section of a scenario has that many parts */
enum gs_rc gs_run_role(struct gs_run *r, enum gs_role role, const char *policy_path,
                       const char *module, const char *section, const struct gs_setting *set,
                       uint32_t n, struct gs_err *err)
{
    struct gs_module *m = NULL;
    enum gs_rc rc = gs_module_open(policy_path, module, &m, err);
    if (rc)
        return rc;
    gs_vec_push(&r->modules, m); /* NOLINT(bugprone-sizeof-expression): a vector of pointers */
    rc = gs_host_instance(r->host, m, section, set, n, &r->role[role], err);
    return rc ? rc : gs_host_bind(r->host, role, r->role[role], err);
}

/* ---- the run ---- */

static void close_open_jobs(struct gs_run *r)
{
    for (uint32_t id = 0; id < r->w.jobs.n; id++) {
        uint32_t slot = r->slot_of[id];
        if (slot == GS_NONE)
            continue;
        struct gs_outcome *o = gs_metrics_outcome(r->m, id);
        gs_host_waits(r->host, slot, r->end_ns, o->wait_ns);
        if (o->state != GS_STATE_RUNNING) {
            gs_host_waits_close(r->host, slot);
            o->reason = gs_intern(&r->str, "still waiting at the end");
            continue;
        }
        uint32_t n = read_held(r, slot);
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

static void check_state(struct gs_run *r)
{
#ifndef NDEBUG
    struct gs_visitor v = {.mode = GS_VISIT_HASH, .hash = GS_DIGEST_SEED};
    struct gs_err err = {0};
    gs_run_visit(r, &v);
    r->visited_hash = v.hash;
    if (!gs_ledger_audit(&r->cluster, &err))
        gs_panic(__FILE__, __LINE__, "ledger", err.msg);
#else
    (void)r;
#endif
}

static enum gs_rc loop(struct gs_run *r, struct gs_err *err)
{
    uint64_t ran = 0;
    int64_t span = r->horizon_ns != GS_NEVER ? r->horizon_ns
                   : r->w.jobs.n             ? gs_vec_last(&r->w.jobs).submit_ns
                                             : 1;
    do {
        enum gs_rc rc = gs_engine_step(&r->eng, GS_RING_BLOCK, &ran, err);
        if (rc)
            return rc;
        check_state(r);
        double by_jobs = r->w.jobs.n ? (double)r->jobs_done / (double)r->w.jobs.n : 0,
               by_time = span > 0 ? (double)r->eng.now_ns / (double)span : 0;
        gs_progress(r->log, (double)r->eng.now_ns / 1e9,
                    r->horizon_ns != GS_NEVER && by_time > by_jobs ? by_time : by_jobs,
                    r->jobs_done, r->eng.events);
    } while (ran == GS_RING_BLOCK && !r->eng.stop_requested);
    return GS_OK;
}

/* The engine's errors name the kind of an event: a loop of passes is the modules' doing. */
static void name_pass(struct gs_run *r)
{
    struct gs_buf b = {0};
    gs_buf_fmt(&b, "scheduling pass");
    for (size_t i = 0; i < r->modules.n; i++)
        gs_buf_fmt(&b, "%s%s", i ? ", " : " of ", gs_module_manifest(r->modules.v[i])->id);
    r->eng.kind[GS_EV_PASS].name = gs_arena_str(&r->text, gs_buf_cstr(&b), b.n);
    gs_buf_free(&b);
}

enum gs_rc gs_run_go(struct gs_run *r, struct gs_err *err)
{
    enum gs_rc rc = gs_host_ready(r->host, err);
    if (rc)
        return rc;
    name_pass(r);
    int64_t t0 = gs_wall_ns();
    gs_metrics_capacity(r->m, 0, r->cluster.total_gpus * 1000);
    gs_frag_meter_watch(r->frag, gs_host_classes(r->host));
    measure_capacity(r);
    schedule_next_arrival(r);
    if (r->horizon_ns != GS_NEVER)
        (void)gs_engine_at(&r->eng, r->horizon_ns, GS_EV_END, 0, 0);
    if (r->series_ns > 0)
        (void)gs_engine_at(&r->eng, 0, GS_EV_SAMPLE, 0, 0);
    rc = loop(r, err);
    gs_progress_end(r->log);
    if (rc == GS_E_INT || rc == GS_E_TERM)
        r->interrupted = -(int)rc;
    if (rc && rc != GS_E_MODULE && !r->interrupted)
        return rc;
    r->end_ns = r->eng.now_ns;
    close_open_jobs(r);
    gs_metrics_end(r->m, r->end_ns);
    r->verdict = gs_metrics_verdict(r->m);
    r->wall_ns = gs_wall_ns() - t0;
    if (r->io_rc)
        return gs_fail(err, r->io_rc, "%s", r->io_err.msg);
    return rc;
}

void gs_run_visit(struct gs_run *r, struct gs_visitor *v)
{
    gs_engine_visit(&r->eng, v);
    gs_cluster_visit(&r->cluster, v);
    gs_live_visit(&r->live, v);
    gs_host_visit(r->host, v);
    gs_metrics_visit(r->m, v);
    gs_visit_u32(v, GS_TAG('R', 'N', 'X', 'T'), &r->next_arrival, 1);
    gs_visit_u32(v, GS_TAG('R', 'S', 'L', 'O'), r->slot_of, r->w.jobs.n);
    gs_visit_u64(v, GS_TAG('R', 'C', 'N', 'T'), &r->counted_left, 1);
    gs_visit_u64(v, GS_TAG('R', 'T', 'T', 'G'), r->timer_tags.v, r->timer_tags.n);
}

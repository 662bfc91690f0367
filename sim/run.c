/* run.c - the loop of one simulation: passes, samples, what stands before the first event and behind the last.
 *
 * What happens to a job is in life.c. A pass is asked for by whatever changes the state and comes once an instant; capacity is measured
 * when it has changed. Law kept at the end: jobs in = done + running + waiting + rejected. */
#include "sim/run.h"

#include "sim/calendar.h"
#include "sim/effects/effects.h"
#include "sim/effects/links.h"
#include "sim/effects/power.h"
#include "sim/failures.h"
#include "sim/history.h"
#include "sim/life.h"
#include "sim/mig.h"
#include "sim/outage.h"
#include "sim/outlinks.h"

#include <string.h>

volatile int gs_stop_signal;

void gs_run_note_io(struct gs_run *r, enum gs_rc rc, const struct gs_err *err)
{
    if (rc && !r->io_rc) {
        r->io_rc = rc;
        r->io_err = *err;
    }
}

/* ---- passes ---- */

void gs_run_want_pass(struct gs_run *r)
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

void gs_run_measure_capacity(struct gs_run *r)
{
    gs_classes_sync(gs_host_classes(r->host));
    gs_mig_measure(r);
    if (r->cluster.fenced)
        gs_metrics_closed(r->m, r->eng.now_ns, r->cluster.closed_milli);
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
        gs_run_measure_capacity(r);
    r->measure_due = 0;
    if (r->observe)
        r->observe(r->observe_ctx, r);
    gs_run_want_pass(r);
    return r->io_rc ? gs_fail(err, r->io_rc, "%s", r->io_err.msg) : GS_OK;
}

/* ---- sampling ---- */

/* The time series are held until the end; a slip of units (a job of 90 years) would fill the memory with them. */
#define SERIES_BYTES_MAX (UINT64_C(1) << 30)

/* The intervals that a default gives way to: each a multiple of the one before, so that rows kept so far fit the longer one. */
static const int64_t longer_s[] = {60, 300, 900, 3600, 21600, 86400, 604800};

/* The next of them; 0 = there is none. */
static int64_t longer_series(int64_t ns)
{
    for (size_t i = 0; i < sizeof longer_s / sizeof *longer_s; i++)
        if (longer_s[i] * GS_SECOND > ns)
            return longer_s[i] * GS_SECOND;
    return 0;
}

static enum gs_rc check_series(struct gs_run *r, int64_t until_ns, struct gs_err *err)
{
    const uint64_t row = sizeof(struct gs_sample) + 2 * sizeof(int64_t) * r->w.queues.n;
    const uint64_t most = SERIES_BYTES_MAX / row;
    if (r->series_ns <= 0 || until_ns < 0 || (uint64_t)(until_ns / r->series_ns) < most)
        return GS_OK;
    int64_t ns = r->series_adapts ? longer_series(r->series_ns) : 0;
    while (ns && (uint64_t)(until_ns / ns) >= most / 8) /* room to go on */
        ns = longer_series(ns);
    if (ns) {
        r->series_ns = ns;
        if (r->m)
            gs_metrics_thin_series(r->m, ns);
        return GS_OK;
    }
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
    s.power_w = gs_power_watts(r);
    s.cost_per_h = gs_power_usd_per_h(r);
    gs_metrics_sample(r->m, &s);
    gs_outfile_link_sample(r);
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
    const int64_t past = r->series_ns > 0 ? r->eng.now_ns % r->series_ns : 0;
    if (past == 0) /* else the interval has just become a longer one */
        sample(r);
    if (gs_evq_live(&r->eng.q) > 0 && r->series_ns > 0 && r->eng.now_ns <= GS_NEVER - r->series_ns)
        (void)gs_engine_at(&r->eng, r->eng.now_ns - past + r->series_ns, GS_EV_SAMPLE, 0, 0);
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

static void register_kinds(struct gs_run *r)
{
    gs_engine_kind(&r->eng, GS_EV_JOB_END, "job end", GS_CLASS_RELEASE, gs_life_on_end);
    gs_engine_kind(&r->eng, GS_EV_ARRIVAL, "arrival", GS_CLASS_ARRIVAL, gs_life_on_arrival);
    gs_engine_kind(&r->eng, GS_EV_RELEASE, "release of a held job", GS_CLASS_TIMER,
                   gs_life_on_release);
    gs_engine_kind(&r->eng, GS_EV_TIMER, "timer", GS_CLASS_TIMER, gs_life_on_timer);
    gs_engine_kind(&r->eng, GS_EV_PASS, "scheduling pass", GS_CLASS_PASS, on_pass);
    gs_engine_kind(&r->eng, GS_EV_SAMPLE, "sample", GS_CLASS_SAMPLE, on_sample);
    gs_engine_kind(&r->eng, GS_EV_END, "end", GS_CLASS_END, on_end);
    gs_engine_kind(&r->eng, GS_EV_PACE, "paces", GS_CLASS_NETWORK, gs_pace_on_pace);
    gs_engine_kind(&r->eng, GS_EV_CALENDAR, "calendar", GS_CLASS_FAILURE, gs_calendar_on_event);
    gs_engine_kind(&r->eng, GS_EV_FAILURE, "failure", GS_CLASS_FAILURE, gs_failures_on_event);
    gs_engine_kind(&r->eng, GS_EV_HISTORY, "history", GS_CLASS_TIMER, gs_history_on_act);
    gs_engine_kind(&r->eng, GS_EV_TRANSFER, "transfer", GS_CLASS_NETWORK, gs_links_on_done);
    gs_engine_kind(&r->eng, GS_EV_MIG, "MIG change", GS_CLASS_TIMER, gs_mig_on_done);
    gs_engine_kind(&r->eng, GS_EV_EFFECT, "effect", GS_CLASS_NETWORK, gs_pace_on_effect);
}

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
    r->eng.ahead = gs_life_fetch_ahead;
    r->eng.stop = &gs_stop_signal;
    register_kinds(r);
    rc = gs_pace_prepare(r, err);
    if (rc)
        return rc;
    return gs_host_new(&r->host,
                       &(struct gs_host_config){.cluster = &r->cluster,
                                                .live = &r->live,
                                                .str = &r->str,
                                                .queues = &r->queues,
                                                .users = (uint32_t)r->w.users.n,
                                                .typical = &r->typical_view,
                                                .attrs = &r->attrs,
                                                .world_ops = &gs_life_ops,
                                                .world = r,
                                                .log = r->log,
                                                .seed = r->seed,
                                                .has_estimates = r->has_estimates,
                                                .ignore_calendar = r->ignore_calendar,
                                                .history_until_ns = gs_history_until(r),
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
    gs_outage_tell_capacity(r);
    gs_frag_meter_watch(r->frag, gs_host_classes(r->host));
    gs_run_measure_capacity(r);
    gs_history_begin(r);
    gs_calendar_begin(r);
    gs_failures_begin(r);
    gs_life_next_arrival(r);
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
    gs_life_close(r);
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
    gs_pace_visit(r, v);
    gs_visit_u32(v, GS_TAG('R', 'N', 'X', 'T'), &r->next_arrival, 1);
    gs_visit_u32(v, GS_TAG('R', 'S', 'L', 'O'), r->slot_of, r->w.jobs.n);
    gs_visit_u64(v, GS_TAG('R', 'C', 'N', 'T'), &r->counted_left, 1);
    gs_visit_u64(v, GS_TAG('R', 'T', 'T', 'G'), r->timer_tags.v, r->timer_tags.n);
}

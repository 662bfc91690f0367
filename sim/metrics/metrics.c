/* metrics.c - the accumulators: what the run tells, as exact integrals and one outcome a job.
 *
 * Every level (GPU share held, share up, jobs waiting, ...) is a step function of time; its integral over the measured window is
 * a 128-bit sum of level x duration, so it does not depend on how many events there were or in which order equal instants
 * were told. Each fact is O(1). A job is in exactly one state; the facts move it:
 *
 *      new --submit--> pending --start--> running --stop--> completed | failed | killed | timeout
 *                        |  ^                |
 *                     reject '--stop(pending|held), retry
 *
 * Invariant, checked at the end: jobs in = done + running + queued + rejected. A job that is still new then was not submitted. */
#include "sim/metrics/metrics.h"

#include "sim/base/mem.h"
#include "sim/metrics/internal.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

#define TAU_DEFAULT_NS (10 * GS_SECOND)

static void outcomes_init(struct gs_metrics *m)
{
    for (size_t i = 0; i < m->njobs; i++) {
        const struct gs_job *j = &m->cfg.w->jobs.v[i];
        const int64_t t = j->after ? -1 : j->submit_ns;
        struct gs_outcome *o = &m->out[i];
        o->submit_ns = t;
        o->first_start_ns = o->last_start_ns = o->end_ns = o->predicted_start_ns = -1;
        o->counted = t >= m->window.from_ns && t < m->window.to_ns;
    }
}

struct gs_metrics *gs_metrics_new(const struct gs_metrics_config *cfg)
{
    gs_require(cfg->w && cfg->window.from_ns <= cfg->window.to_ns);
    struct gs_metrics *m = GS_NEW(struct gs_metrics);
    m->cfg = *cfg;
    if (m->cfg.bounded_tau_ns <= 0)
        m->cfg.bounded_tau_ns = TAU_DEFAULT_NS;
    m->window = cfg->window;
    m->end_ns = -1;
    m->njobs = cfg->w->jobs.n;
    m->out = GS_NEW_N(struct gs_outcome, m->njobs);
    outcomes_init(m);
    struct gs_integral *all[] = {&m->held,     &m->up,       &m->owned,           &m->frag,
                                 &m->stranded, &m->queue,    &m->running,         &m->gpus_pending,
                                 &m->mig_free, &m->mig_lost, &m->mig_unreachable, &m->closed};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        gs_integral_init(all[i], m->window.from_ns, m->window.to_ns);
    m->queue_acc = GS_NEW_N(struct gs_queue_acc, cfg->w->queues.n);
    for (size_t q = 0; q < cfg->w->queues.n; q++) {
        gs_integral_init(&m->queue_acc[q].held, m->window.from_ns, m->window.to_ns);
        gs_integral_init(&m->queue_acc[q].wanted, m->window.from_ns, m->window.to_ns);
    }
    int64_t lo = m->njobs ? cfg->w->jobs.v[0].submit_ns : 0;
    int64_t hi = m->njobs ? cfg->w->jobs.v[m->njobs - 1].submit_ns : 0;
    if (m->window.from_ns > lo && m->window.from_ns < hi)
        lo = m->window.from_ns;
    if (m->window.to_ns < hi && m->window.to_ns > lo)
        hi = m->window.to_ns;
    for (int k = 0; k < 2; k++)
        gs_backlog_init(&m->backlog[k], lo, hi);
    return m;
}

void gs_metrics_free(struct gs_metrics *m)
{
    if (!m)
        return;
    gs_bill_free(m->bill);
    gs_free(m->out);
    gs_free(m->part_ns);
    gs_free(m->queue_acc);
    gs_vec_free(&m->samples);
    gs_vec_free(&m->queue_samples);
    gs_free(m->figures.v);
    gs_free(m->figures.bound);
    gs_free(m);
}

void gs_metrics_set_bill(struct gs_metrics *m, struct gs_bill *b)
{
    m->bill = b;
}

struct gs_outcome *gs_metrics_outcome(struct gs_metrics *m, uint32_t job)
{
    gs_require(job < m->njobs);
    return &m->out[job];
}

double gs_seconds(int64_t ns)
{
    return ns == GS_NEVER || ns < 0 ? (double)NAN : (double)ns / 1e9;
}

int64_t gs_outcome_queued_ns(const struct gs_metrics *m, uint32_t job)
{
    const struct gs_outcome *o = &m->out[job];
    if (o->state == GS_STATE_NEW)
        return 0;
    const int64_t until = o->end_ns >= 0 ? o->end_ns : m->end_ns;
    return until - o->submit_ns - o->run_ns;
}

struct gs_window gs_metrics_window(const struct gs_metrics *m)
{
    return m->window;
}

int gs_metrics_counts(const struct gs_metrics *m, uint32_t job)
{
    const struct gs_outcome *o = &m->out[job];
    return o->counted && o->state != GS_STATE_REJECTED &&
           m->cfg.w->jobs.v[job].kind != GS_KIND_REPLICA;
}

/* ---- levels ---- */

static void queue_levels(struct gs_metrics *m, int64_t now_ns, uint32_t queue)
{
    struct gs_queue_acc *q = &m->queue_acc[queue];
    gs_integral_set(&q->held, now_ns, q->held_milli);
    gs_integral_set(&q->wanted, now_ns, q->held_milli + q->pending_milli);
}

/* Moves a job into (sign 1) or out of (-1) the queue. */
static void pending_by(struct gs_metrics *m, int64_t now_ns, uint32_t job, int sign)
{
    const uint32_t q = m->cfg.w->jobs.v[job].queue;
    const int64_t milli = gs_job_milli(&m->cfg.w->jobs.v[job]);
    m->pending_jobs += sign;
    m->pending_milli += sign * milli;
    m->queue_acc[q].pending_milli += sign * milli;
    gs_assert(m->pending_jobs >= 0 && m->pending_milli >= 0);
    gs_integral_set(&m->queue, now_ns, m->pending_jobs);
    gs_integral_set(&m->gpus_pending, now_ns, m->pending_milli);
    queue_levels(m, now_ns, q);
}

static void running_by(struct gs_metrics *m, int64_t now_ns, uint32_t job, int64_t milli, int sign)
{
    const uint32_t q = m->cfg.w->jobs.v[job].queue;
    m->running_jobs += sign;
    m->held_milli += sign * milli;
    m->queue_acc[q].held_milli += sign * milli;
    gs_assert(m->running_jobs >= 0 && m->held_milli >= 0);
    gs_integral_set(&m->running, now_ns, m->running_jobs);
    gs_integral_set(&m->held, now_ns, m->held_milli);
    queue_levels(m, now_ns, q);
}

/* A job's part in the backlog: which kind of work, how wide it runs, how much is left. NULL for endless jobs. */
static struct gs_backlog *job_work(struct gs_metrics *m, uint32_t job, int64_t *width,
                                   gs_i128 *left)
{
    const struct gs_job *j = &m->cfg.w->jobs.v[job];
    if (j->run_ns == GS_NEVER)
        return NULL;
    const int cpu_only = j->gpus == 0;
    *width = cpu_only ? (int64_t)j->tasks * j->cpus_milli : gs_job_milli(j);
    *left = (gs_i128)*width * (j->run_ns - m->out[job].run_ns);
    return &m->backlog[cpu_only];
}

/* A job that ran longer than its work, because some was lost, has no less than nothing left. */
static gs_i128 at_least_0(gs_i128 left)
{
    return left > 0 ? left : 0;
}

/* ---- facts ---- */

void gs_metrics_submit(struct gs_metrics *m, int64_t now_ns, uint32_t job, int64_t gpu_milli)
{
    struct gs_outcome *o = gs_metrics_outcome(m, job);
    gs_require(o->state == GS_STATE_NEW);
    gs_assert(gpu_milli == gs_job_milli(&m->cfg.w->jobs.v[job]));
    (void)gpu_milli;
    o->state = GS_STATE_PENDING;
    o->submit_ns = now_ns;
    m->in++;
    if (now_ns < m->window.to_ns) { /* until the last arrival: the last one to come by */
        gs_integral_set(&m->held, now_ns, m->held.value);
        gs_integral_set(&m->up, now_ns, m->up.value);
        m->held_arrivals = m->held.sum;
        m->up_arrivals = m->up.sum;
    }
    pending_by(m, now_ns, job, 1);
    int64_t width;
    gs_i128 left;
    struct gs_backlog *b = job_work(m, job, &width, &left);
    if (b) {
        gs_backlog_advance(b, now_ns);
        b->waiting += left;
    }
}

void gs_metrics_start(struct gs_metrics *m, int64_t now_ns, uint32_t job, int64_t gpu_milli)
{
    struct gs_outcome *o = gs_metrics_outcome(m, job);
    gs_require(o->state == GS_STATE_PENDING || o->state == GS_STATE_HELD);
    gs_require(gpu_milli >= 0 && gpu_milli <= UINT32_MAX);
    if (o->first_start_ns < 0)
        o->first_start_ns = now_ns;
    else
        o->restarts++;
    o->last_start_ns = now_ns;
    o->state = GS_STATE_RUNNING;
    o->held_milli = (uint32_t)gpu_milli;
    pending_by(m, now_ns, job, -1);
    running_by(m, now_ns, job, gpu_milli, 1);
    int64_t width;
    gs_i128 left;
    struct gs_backlog *b = job_work(m, job, &width, &left);
    if (b) {
        gs_backlog_advance(b, now_ns);
        b->waiting -= at_least_0(left);
        b->running += left;
        b->rate += width;
    }
}

/* Adds the attempt that runs since last_start_ns to the job's sums. */
static void attempt_ran(struct gs_outcome *o, int64_t now_ns)
{
    const int64_t dt = now_ns - o->last_start_ns;
    o->run_ns += dt;
    o->gpu_milli_ns += (gs_i128)o->held_milli * dt;
}

static int ends(enum gs_job_state s)
{
    return s == GS_STATE_COMPLETED || s == GS_STATE_FAILED || s == GS_STATE_KILLED ||
           s == GS_STATE_TIMEOUT;
}

static void leave_devices(struct gs_metrics *m, int64_t now_ns, uint32_t job, int64_t gpu_milli,
                          enum gs_job_state to)
{
    struct gs_outcome *o = gs_metrics_outcome(m, job);
    gs_require(o->state == GS_STATE_RUNNING && gpu_milli == o->held_milli);
    gs_require(ends(to) || to == GS_STATE_PENDING || to == GS_STATE_HELD);
    attempt_ran(o, now_ns);
    o->held_milli = 0;
    o->state = (uint8_t)to;
    running_by(m, now_ns, job, gpu_milli, -1);
    const int again = !ends(to);
    if (again) {
        pending_by(m, now_ns, job, 1);
    } else {
        o->end_ns = now_ns;
        m->done++;
        m->completions += now_ns >= m->window.from_ns && now_ns < m->window.to_ns;
    }
    int64_t width;
    gs_i128 left;
    struct gs_backlog *b = job_work(m, job, &width, &left);
    if (b) {
        gs_backlog_advance(b, now_ns);
        b->rate -= width;
        b->running -= left;
        if (again)
            b->waiting += at_least_0(left);
    }
}

void gs_metrics_stop(struct gs_metrics *m, int64_t now_ns, uint32_t job, int64_t gpu_milli,
                     enum gs_job_state to)
{
    leave_devices(m, now_ns, job, gpu_milli, to);
    m->out[job].preemptions += !ends(to);
}

void gs_metrics_retry(struct gs_metrics *m, int64_t now_ns, uint32_t job, int64_t gpu_milli)
{
    leave_devices(m, now_ns, job, gpu_milli, GS_STATE_PENDING);
}

void gs_metrics_reject(struct gs_metrics *m, int64_t now_ns, uint32_t job, int64_t gpu_milli)
{
    struct gs_outcome *o = gs_metrics_outcome(m, job);
    gs_require(o->state == GS_STATE_NEW || o->state == GS_STATE_PENDING ||
               o->state == GS_STATE_HELD);
    gs_assert(gpu_milli == gs_job_milli(&m->cfg.w->jobs.v[job]));
    (void)gpu_milli;
    if (o->state == GS_STATE_NEW) {
        m->in++;
        o->submit_ns = now_ns;
    } else {
        pending_by(m, now_ns, job, -1);
        int64_t width;
        gs_i128 left;
        struct gs_backlog *b = job_work(m, job, &width, &left);
        if (b) {
            gs_backlog_advance(b, now_ns);
            b->waiting -= at_least_0(left);
        }
    }
    o->state = GS_STATE_REJECTED;
    o->end_ns = now_ns;
    m->rejected++;
}

void gs_metrics_capacity(struct gs_metrics *m, int64_t now_ns, int64_t up_gpu_milli)
{
    m->up_milli = up_gpu_milli;
    gs_integral_set(&m->up, now_ns, up_gpu_milli);
}

void gs_metrics_owned(struct gs_metrics *m, int64_t now_ns, int64_t owned_gpu_milli)
{
    gs_integral_set(&m->owned, now_ns, owned_gpu_milli);
}

void gs_metrics_closed(struct gs_metrics *m, int64_t now_ns, int64_t closed_milli)
{
    gs_integral_set(&m->closed, now_ns, closed_milli);
}

void gs_metrics_mig(struct gs_metrics *m, int64_t now_ns, int64_t free_milli, int64_t lost_milli,
                    int64_t unreachable_milli)
{
    gs_integral_set(&m->mig_free, now_ns, free_milli);
    gs_integral_set(&m->mig_lost, now_ns, lost_milli);
    gs_integral_set(&m->mig_unreachable, now_ns, unreachable_milli);
}

void gs_metrics_frag(struct gs_metrics *m, int64_t now_ns, double frag_milli, double stranded_gpus)
{
    gs_require(frag_milli >= 0 && stranded_gpus >= 0);
    gs_integral_set(&m->frag, now_ns, (int64_t)(frag_milli + 0.5));
    gs_integral_set(&m->stranded, now_ns, (int64_t)(stranded_gpus * 1000 + 0.5));
}

void gs_metrics_sample(struct gs_metrics *m, const struct gs_sample *s)
{
    const struct gs_workload *w = m->cfg.w;
    const size_t nq = w->queues.n;
    struct gs_sample known = *s;
    known.jobs_running = (double)m->running_jobs;
    known.jobs_pending = (double)m->pending_jobs;
    known.gpus_pending = (double)m->pending_milli / 1000;
    known.fragmentation = s->gpus_total > 0 ? s->fragmentation / (s->gpus_total * 1000) : 0;
    gs_vec_push(&m->samples, known);
    const size_t at = m->queue_samples.n;
    gs_vec_reserve(&m->queue_samples, at + 2 * nq);
    m->queue_samples.n = at + 2 * nq;
    int64_t *row = m->queue_samples.v + at;
    for (size_t q = 0; q < 2 * nq; q++)
        row[q] = 0;
    for (size_t q = 0; q < nq; q++) {
        uint32_t up = (uint32_t)q;
        for (size_t depth = 0; up != GS_NONE && depth < nq; depth++) {
            row[up] += m->queue_acc[q].held_milli;
            row[nq + up] += m->queue_acc[q].pending_milli;
            up = w->queues.v[up].parent;
        }
    }
}

void gs_metrics_thin_series(struct gs_metrics *m, int64_t series_ns)
{
    const size_t width = 2 * m->cfg.w->queues.n;
    size_t kept = 0;
    gs_require(series_ns > 0);
    m->cfg.series_ns = series_ns;
    for (size_t i = 0; i < m->samples.n; i++) {
        if (m->samples.v[i].time_ns % series_ns)
            continue;
        m->samples.v[kept] = m->samples.v[i];
        if (width)
            memmove(m->queue_samples.v + kept * width, m->queue_samples.v + i * width,
                    width * sizeof *m->queue_samples.v);
        kept++;
    }
    m->samples.n = kept;
    m->queue_samples.n = kept * width;
}

/* ---- end ---- */

/* Work without an end is in no backlog (job_work). A job of that kind that waits when the run is over, and has for a while, says as much:
 * what is there does not do, and nothing promises that it ever will. */
static int endless_job_waits(const struct gs_metrics *m)
{
    const double least = GS_ENDLESS_WAIT * (double)m->end_ns;
    for (size_t i = 0; i < m->njobs; i++) {
        const struct gs_outcome *o = &m->out[i];
        if (m->cfg.w->jobs.v[i].run_ns == GS_NEVER && o->first_start_ns < 0 &&
            (o->state == GS_STATE_PENDING || o->state == GS_STATE_HELD) &&
            (double)(m->end_ns - o->submit_ns) > least)
            return 1;
    }
    return 0;
}

static void judge(struct gs_metrics *m)
{
    const int64_t end = m->end_ns < m->window.to_ns ? m->end_ns : m->window.to_ns;
    m->verdict = GS_VERDICT_STABLE;
    for (int k = 0; k < 2; k++) {
        struct gs_backlog *b = &m->backlog[k];
        gs_backlog_advance(b, m->end_ns);
        double capacity = (double)m->up_milli;
        if (k == 1)
            capacity = m->cfg.cluster ? (double)m->cfg.cluster->total_cpus_milli : 1000;
        struct gs_backlog_batches batches;
        gs_verdict_batches(b, end, capacity, &batches);
        enum gs_verdict v = gs_verdict_of(&batches);
        if (batches.n == 0 || m->in < GS_BACKLOG_BATCHES) { /* all at once, or too few to regress */
            const int drained = b->waiting == 0 && b->rate == 0;
            v = drained ? GS_VERDICT_TRANSIENT : GS_VERDICT_SATURATED;
            v = b->waited ? v : GS_VERDICT_STABLE;
        }
        if (v > m->verdict)
            m->verdict = v;
    }
    if (endless_job_waits(m))
        m->verdict = GS_VERDICT_SATURATED;
}

void gs_metrics_end(struct gs_metrics *m, int64_t now_ns)
{
    gs_require(m->end_ns < 0 && now_ns >= 0);
    m->end_ns = now_ns;
    if (m->window.to_ns > now_ns)
        m->window.to_ns = now_ns > m->window.from_ns ? now_ns : m->window.from_ns;
    uint64_t queued = 0, running = 0;
    for (size_t i = 0; i < m->njobs; i++) {
        struct gs_outcome *o = &m->out[i];
        if (o->state == GS_STATE_RUNNING) {
            attempt_ran(o, now_ns);
            running++;
        }
        queued += o->state == GS_STATE_PENDING || o->state == GS_STATE_HELD;
        if (o->state == GS_STATE_NEW) {
            o->counted = 0; /* never submitted: the run was over before */
            m->unsubmitted++;
        }
    }
    gs_verify(m->in == m->done + m->rejected + running + queued);
    gs_verify(m->njobs == m->in + m->unsubmitted);
    struct gs_integral *all[] = {&m->held,     &m->up,       &m->owned,           &m->frag,
                                 &m->stranded, &m->queue,    &m->running,         &m->gpus_pending,
                                 &m->mig_free, &m->mig_lost, &m->mig_unreachable, &m->closed};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        gs_integral_set(all[i], now_ns, all[i]->value);
    for (size_t q = 0; q < m->cfg.w->queues.n; q++)
        queue_levels(m, now_ns, (uint32_t)q);
    if (m->bill)
        gs_bill_close(m->bill, m, now_ns);
    judge(m);
}

enum gs_verdict gs_metrics_verdict(const struct gs_metrics *m)
{
    return m->verdict;
}

/* ---- state ---- */

static void visit_integral(struct gs_visitor *v, struct gs_integral *i)
{
    gs_visit_i128(v, GS_TAG('i', 's', 'u', 'm'), &i->sum, 1);
    gs_visit_i64(v, GS_TAG('i', 'v', 'a', 'l'), &i->value, 1);
    gs_visit_i64(v, GS_TAG('i', 's', 'n', 'c'), &i->since, 1);
}

static void visit_outcome(struct gs_visitor *v, struct gs_outcome *o)
{
    gs_visit_i64(v, GS_TAG('o', 's', 'u', 'b'), &o->submit_ns, 1);
    gs_visit_i64(v, GS_TAG('o', 'f', 's', 't'), &o->first_start_ns, 1);
    gs_visit_i64(v, GS_TAG('o', 'l', 's', 't'), &o->last_start_ns, 1);
    gs_visit_i64(v, GS_TAG('o', 'e', 'n', 'd'), &o->end_ns, 1);
    gs_visit_i64(v, GS_TAG('o', 'r', 'u', 'n'), &o->run_ns, 1);
    gs_visit_i128(v, GS_TAG('o', 'g', 'p', 'u'), &o->gpu_milli_ns, 1);
    gs_visit_f64(v, GS_TAG('o', 'l', 'o', 's'), &o->lost_gpu_s, 1);
    gs_visit_i64(v, GS_TAG('o', 'p', 'r', 'e'), &o->predicted_start_ns, 1);
    gs_visit_i64(v, GS_TAG('o', 'w', 't', 's'), o->wait_ns, GS_WAIT_CAUSES);
    uint32_t *u[] = {&o->preemptions, &o->restarts, &o->failures,
                     &o->nodes_used,  &o->reason,   &o->held_milli};
    for (size_t i = 0; i < sizeof u / sizeof u[0]; i++)
        gs_visit_u32(v, GS_TAG('o', 'u', '3', '2'), u[i], 1);
    uint8_t *b[] = {&o->state, &o->counted, &o->model};
    for (size_t i = 0; i < sizeof b / sizeof b[0]; i++)
        gs_visit_u8(v, GS_TAG('o', 'u', '8', '_'), b[i], 1);
}

void gs_metrics_visit(struct gs_metrics *m, struct gs_visitor *v)
{
    int64_t *levels[] = {&m->held_milli, &m->pending_milli, &m->up_milli, &m->pending_jobs,
                         &m->running_jobs};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        gs_visit_i64(v, GS_TAG('m', 'l', 'e', 'v'), levels[i], 1);
    uint64_t *counts[] = {&m->completions, &m->in, &m->done, &m->rejected};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        gs_visit_u64(v, GS_TAG('m', 'c', 'n', 't'), counts[i], 1);
    struct gs_integral *all[] = {&m->held,     &m->up,       &m->owned,           &m->frag,
                                 &m->stranded, &m->queue,    &m->running,         &m->gpus_pending,
                                 &m->mig_free, &m->mig_lost, &m->mig_unreachable, &m->closed};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        visit_integral(v, all[i]);
    gs_visit_i128(v, GS_TAG('m', 'h', 'a', 'r'), &m->held_arrivals, 1);
    gs_visit_i128(v, GS_TAG('m', 'u', 'a', 'r'), &m->up_arrivals, 1);
    for (size_t q = 0; q < m->cfg.w->queues.n; q++) {
        gs_visit_i64(v, GS_TAG('q', 'h', 'l', 'd'), &m->queue_acc[q].held_milli, 1);
        gs_visit_i64(v, GS_TAG('q', 'p', 'n', 'd'), &m->queue_acc[q].pending_milli, 1);
        visit_integral(v, &m->queue_acc[q].held);
        visit_integral(v, &m->queue_acc[q].wanted);
    }
    for (int k = 0; k < 2; k++)
        gs_backlog_visit(&m->backlog[k], v);
    for (size_t i = 0; i < m->njobs; i++)
        visit_outcome(v, &m->out[i]);
    gs_parts_visit(m, v);
    if (m->bill)
        gs_meter_visit(m->bill->meter, v);
    gs_visit_i64(v, GS_TAG('m', 'q', 's', 'm'), m->queue_samples.v, m->queue_samples.n);
}

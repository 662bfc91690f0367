/* prepare.c - what stands between a filled world and its first event: constraints as masks, queues, typical tasks, the measured window.
 *
 * Everything here runs once, before t = 0, and depends on the input alone. Order matters: the jobs are sealed (sorted) first,
 * then typical tasks and the window may look at them. */
#include "sim/base/sort.h"
#include "sim/base/units.h"
#include "sim/calendar.h"
#include "sim/effects/effects.h"
#include "sim/failures.h"
#include "sim/history.h"
#include "sim/mig.h"
#include "sim/outage.h"
#include "sim/run.h"
#include "sim/training_jobs.h"
#include "traces/input.h"

#include <math.h>
#include <string.h>

static const struct gs_job *job_of(const struct gs_run *r, uint32_t id)
{
    return &r->w.jobs.v[id];
}

uint64_t gs_run_models(struct gs_run *r, uint32_t text)
{
    const uint64_t unknown = UINT64_MAX - 1;
    if (text == 0)
        return 0;
    while (r->model_masks.n <= text)
        gs_vec_push(&r->model_masks, unknown);
    if (r->model_masks.v[text] != unknown)
        return r->model_masks.v[text];
    uint64_t mask = 0;
    for (const char *s = gs_intern_str(&r->str, text); *s;) {
        char name[128];
        size_t n = strcspn(s, "|");
        if (n && n < sizeof name) {
            memcpy(name, s, n);
            name[n] = '\0';
            uint32_t m = gs_cluster_model(&r->cluster, name);
            if (m != GS_NONE)
                mask |= UINT64_C(1) << m;
        }
        s += n + (s[n] == '|');
    }
    r->model_masks.v[text] = mask ? mask : UINT64_MAX;
    return r->model_masks.v[text];
}

static uint64_t typical_models(void *ctx, uint32_t text)
{
    return gs_run_models(ctx, text);
}

void gs_run_init(struct gs_run *r, struct gs_log *log)
{
    memset(r, 0, sizeof *r);
    r->log = log;
    r->seed = 1;
    r->queueing = 1;
    r->retries = -1;
    r->interference = -1;
    r->horizon_ns = GS_NEVER;
    r->measure_to = GS_NEVER;
    r->series_ns = 60 * GS_SECOND;
    gs_intern_init(&r->str);
    gs_cluster_init(&r->cluster, &r->str);
    gs_workload_init(&r->w, &r->str);
    gs_live_init(&r->live);
    for (int i = 0; i < GS_ROLE_COUNT; i++)
        r->role[i] = GS_NONE;
}

void gs_run_note_input(struct gs_run *r, const struct gs_input *in, const char *shown,
                       const char *format, uint64_t rows)
{
    struct gs_file_read f = {.path = shown};
    f.n.origin_unix_ns = GS_NEVER;
    f.n.rows = f.n.emitted = rows;
    f.n.bytes = in->stored;
    memcpy(f.n.digest, in->digest, sizeof f.n.digest);
    (void)gs_fmt(f.n.format, sizeof f.n.format, "%s", format);
    gs_vec_push(&r->inputs, f);
}

static void make_queues(struct gs_run *r)
{
    struct gs_queue_state *q = &r->queues;
    uint32_t n = (uint32_t)r->w.queues.n;
    q->n = n;
    q->name = GS_NEW_N(uint32_t, n);
    q->parent = GS_NEW_N(uint32_t, n);
    q->pending = GS_NEW_N(uint32_t, n);
    q->quota_milli = GS_NEW_N(int64_t, n);
    q->limit_milli = GS_NEW_N(int64_t, n);
    q->used_milli = GS_NEW_N(int64_t, n);
    q->quota_cpus_milli = GS_NEW_N(int64_t, n);
    q->limit_cpus_milli = GS_NEW_N(int64_t, n);
    q->used_cpus_milli = GS_NEW_N(int64_t, n);
    q->gpu_ns = GS_NEW_N(int64_t, n);
    q->since_ns = GS_NEW_N(int64_t, n);
    q->weight = GS_NEW_N(double, n);
    q->priority = GS_NEW_N(int32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct gs_queue_spec *s = &r->w.queues.v[i];
        q->name[i] = s->name;
        q->parent[i] = s->parent;
        q->quota_milli[i] = s->quota_milli;
        q->limit_milli[i] = s->limit_milli;
        q->quota_cpus_milli[i] = s->quota_cpus_milli;
        q->limit_cpus_milli[i] = s->limit_cpus_milli;
        q->weight[i] = s->weight;
        q->priority[i] = s->priority;
    }
}

static void release_queues(struct gs_queue_state *q)
{
    void *col[] = {
        q->name,       q->parent,           q->pending,          q->quota_milli,     q->limit_milli,
        q->used_milli, q->quota_cpus_milli, q->limit_cpus_milli, q->used_cpus_milli, q->gpu_ns,
        q->since_ns,   q->weight,           q->priority};
    for (size_t i = 0; i < sizeof col / sizeof *col; i++)
        gs_free(col[i]);
}

static void make_typical(struct gs_run *r)
{
    gs_typical_build(&r->typical, r->typical_source ? r->typical_source : &r->w, typical_models, r,
                     0.95);
    uint32_t n = (uint32_t)r->typical.n;
    int64_t *cpus = gs_arena_alloc(&r->text, (n + 1u) * sizeof *cpus, 8);
    uint32_t *gpus = gs_arena_alloc(&r->text, (n + 1u) * sizeof *gpus, 8),
             *share = gs_arena_alloc(&r->text, (n + 1u) * sizeof *share, 8);
    uint64_t *models = gs_arena_alloc(&r->text, (n + 1u) * sizeof *models, 8);
    double *p = gs_arena_alloc(&r->text, (n + 1u) * sizeof *p, 8);
    for (uint32_t i = 0; i < n; i++) {
        const struct gs_typical_task *t = &r->typical.v[i];
        cpus[i] = t->cpus_milli;
        gpus[i] = t->gpus;
        share[i] = t->share_milli;
        models[i] = t->models;
        p[i] = t->probability;
    }
    r->typical_view = (struct gsp_typical){.struct_size = (uint32_t)sizeof r->typical_view,
                                           .count = n,
                                           .cpus_milli = cpus,
                                           .gpus = gpus,
                                           .share_milli = share,
                                           .models = models,
                                           .probability = p};
}

static int by_key(const void *a, const void *b, const void *ctx)
{
    const struct gs_job_attr *x = a;
    const struct gs_job_attr *y = b;
    (void)ctx;
    return (x->key > y->key) - (x->key < y->key);
}

/* Attributes of the jobs as the view shows them: by job, then key. A repetition of a job has the rows of the original once more. */
static void make_attrs(struct gs_run *r)
{
    struct gs_attr_table *t = &r->attrs;
    size_t n = 0;
    for (size_t i = 0; i < r->w.jobs.n; i++)
        n += r->w.jobs.v[i].attrs;
    gs_require(n < UINT32_MAX);
    t->kind = gs_arena_alloc(&r->text, n + 1, 1);
    t->subject = gs_arena_alloc(&r->text, (n + 1) * sizeof *t->subject, 8);
    t->key = gs_arena_alloc(&r->text, (n + 1) * sizeof *t->key, 8);
    t->text = gs_arena_alloc(&r->text, (n + 1) * sizeof *t->text, 8);
    t->number = gs_arena_alloc(&r->text, (n + 1) * sizeof *t->number, 8);
    for (uint32_t i = 0; i < r->w.jobs.n; i++) {
        const struct gs_job *j = job_of(r, i);
        struct gs_job_attr *a = j->attrs ? &r->w.attrs.v[j->attr_first] : NULL;
        gs_sort(a, j->attrs, sizeof *a, by_key, NULL);
        for (uint32_t k = 0; k < j->attrs; k++, t->n++) {
            t->kind[t->n] = GSP_SUBJECT_JOB;
            t->subject[t->n] = i;
            t->key[t->n] = a[k].key;
            t->text[t->n] = a[k].value;
            if (gs_parse_real(gs_intern_str(&r->str, a[k].value), &t->number[t->n], NULL))
                t->number[t->n] = (double)NAN;
        }
    }
}

static enum gs_rc make_window(struct gs_run *r, struct gs_err *err)
{
    const int64_t warm_ns = gs_history_until(r) > 1 ? gs_history_until(r) : 0;
    if (r->warmup_ns < warm_ns) /* what was before is not this run's doing */
        r->warmup_ns = warm_ns;
    r->window = (struct gs_window){.from_ns = r->warmup_ns, .to_ns = GS_NEVER};
    switch (r->measure) {
    case GS_MEASURE_ALL: break;
    case GS_MEASURE_LENGTH:
        if (r->measure_to < GS_NEVER - r->warmup_ns)
            r->window.to_ns = r->warmup_ns + r->measure_to;
        break;
    case GS_MEASURE_RANGE:
        r->window.from_ns = r->measure_from;
        r->window.to_ns = r->measure_to;
        break;
    case GS_MEASURE_JOBS:
        if (r->measure_from >= (int64_t)r->w.jobs.n)
            return gs_fail(err, GS_E_INPUT,
                           "[scenario] measure: job %lld is past the last of %zu jobs",
                           (long long)r->measure_from, r->w.jobs.n);
        r->window.from_ns = r->w.jobs.v[r->measure_from].submit_ns;
        if (r->measure_to < (int64_t)r->w.jobs.n)
            r->window.to_ns = r->w.jobs.v[r->measure_to].submit_ns;
        break;
    }
    if (r->window.from_ns >= r->window.to_ns)
        return gs_fail(err, GS_E_INPUT, "[scenario] measure: the measured window is empty");
    if (r->horizon_ns != GS_NEVER && r->window.from_ns >= r->horizon_ns)
        return gs_fail(
            err, GS_E_INPUT,
            "[scenario] warmup: the horizon is reached before the measured window begins");
    return GS_OK;
}

/* Lists of who waits for whom, in the order of the jobs; and where each job stands in its recorded attempts. */
static void link_jobs(struct gs_run *r)
{
    const uint32_t n = (uint32_t)r->w.jobs.n;
    int any = 0;
    if (r->w.attempts.n)
        r->part = GS_NEW_N(uint32_t, n + 1u);
    for (uint32_t i = 0; i < n && !any; i++)
        any = job_of(r, i)->after != 0;
    if (!any)
        return;
    r->waiter = GS_NEW_N(uint32_t, n);
    r->next_waiter = GS_NEW_N(uint32_t, n);
    memset(r->waiter, 0xff, n * sizeof *r->waiter); /* GS_NONE */
    for (uint32_t i = n; i-- > 0;) {
        const uint32_t after = job_of(r, i)->after;
        r->next_waiter[i] = GS_NONE;
        if (!after)
            continue;
        r->next_waiter[i] = r->waiter[after - 1];
        r->waiter[after - 1] = i;
    }
}

static enum gs_rc refuse_cycle(struct gs_run *r, struct gs_err *err)
{
    const uint32_t id = gs_workload_cycle(&r->w);
    if (id == GS_NONE)
        return GS_OK;
    const struct gs_job *j = job_of(r, id);
    return gs_fail(
        err, GS_E_INPUT,
        "%s: job '%s' (row %lld) waits for %s: no job of such a circle could ever be submitted",
        gs_intern_str(&r->str, r->w.sources.n ? r->w.sources.v[j->source] : 0),
        gs_intern_str(&r->str, j->name), (long long)j->row,
        j->after - 1 == id ? "itself" : "one that waits for it");
}

static void count_jobs(struct gs_run *r)
{
    uint32_t n = (uint32_t)r->w.jobs.n;
    r->slot_of = GS_NEW_N(uint32_t, n + 1u);
    r->node_seen = GS_NEW_N(uint32_t, r->cluster.nnodes);
    for (uint32_t i = 0; i < n; i++) {
        const struct gs_job *j = job_of(r, i);
        struct gs_outcome *o = gs_metrics_outcome(r->m, i);
        r->slot_of[i] = GS_NONE;
        if (r->measure == GS_MEASURE_JOBS)
            o->counted = i >= r->measure_from && i < r->measure_to;
        else if (j->after)
            o->counted = 0; /* not known before it is submitted */
        r->counted_left += o->counted;
        r->oracle += j->est_source == GS_EST_EXACT;
    }
}

static int all_have_estimates(const struct gs_run *r)
{
    for (size_t i = 0; i < r->w.jobs.n; i++)
        if (r->w.jobs.v[i].est_ns < 0)
            return 0;
    return 1;
}

enum gs_rc gs_prepare_world(struct gs_run *r, struct gs_err *err)
{
    if (r->cluster.nnodes == 0)
        return gs_fail(err, GS_E_INPUT, "the cluster has no nodes: add a [nodes NAME] section");
    gs_workload_seal(&r->w);
    enum gs_rc rc = refuse_cycle(r, err);
    if (!rc)
        rc = gs_history_match(r, err);
    if (!rc)
        rc = make_window(r, err);
    if (!rc)
        rc = gs_mig_jobs(r, err);
    if (rc)
        return rc;
    make_queues(r);
    make_typical(r);
    make_attrs(r);
    return GS_OK;
}

void gs_prepare_jobs(struct gs_run *r)
{
    count_jobs(r);
    link_jobs(r);
    r->has_estimates = all_have_estimates(r);
}

/* What is kept by job. */
static void release_links(struct gs_run *r)
{
    gs_free(r->reservation_of);
    gs_free(r->slot_of);
    gs_free(r->part);
    gs_free(r->waiter);
    gs_free(r->next_waiter);
}

void gs_run_release(struct gs_run *r)
{
    gs_host_free(r->host);
    for (size_t i = 0; i < r->modules.n; i++)
        gs_module_close(r->modules.v[i]);
    gs_vec_free(&r->modules);
    gs_pace_release(r);
    gs_history_release(r);
    gs_outage_release(r);
    gs_failures_release(r);
    gs_calendar_release(r);
    gs_vec_free(&r->node_sections);
    gs_vec_free(&r->sharing_of);
    gs_frag_meter_free(r->frag);
    gs_metrics_free(r->m);
    gs_engine_release(&r->eng);
    gs_live_release(&r->live);
    gs_workload_release(&r->w);
    gs_topology_free(r->topology);
    gs_mig_release(r);
    gs_cluster_release(&r->cluster);
    gs_catalog_release(&r->catalog);
    release_queues(&r->queues);
    gs_vec_free(&r->typical);
    gs_vec_free(&r->inputs);
    gs_vec_free(&r->model_masks);
    gs_training_release(r);
    gs_vec_free(&r->data);
    gs_vec_free(&r->layers);
    gs_vec_free(&r->sensitivities);
    gs_vec_free(&r->held);
    gs_vec_free(&r->timer_tags);
    gs_vec_free(&r->reservations);
    release_links(r);
    gs_free(r->node_seen);
    if (r->out)
        gs_part_path = NULL;
    gs_h5_abandon(r->out);
    gs_arena_release(&r->text);
    gs_intern_release(&r->str);
    memset(r, 0, sizeof *r);
}

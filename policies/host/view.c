/* view.c - the view: the host's columns are the ledger's and the live table's own arrays, nothing is copied.
 *
 * The arrays move only when a table grows, which never happens inside a pass; so once a pass is asked whether one grew, and
 * the view is pointed at them anew only then. */
#include "policies/host/host_internal.h"

#include <string.h>

static int any_known(const uint8_t *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (v[i] != UINT8_MAX)
            return 1;
    return 0;
}

static void point_cluster(struct gsp_view *v, struct gs_cluster *c, const struct gs_classes *k)
{
    struct gsp_nodes *n = &v->nodes;
    n->struct_size = (uint32_t)sizeof *n;
    n->count = c->nnodes;
    n->name = c->node_name;
    n->type = c->node_type;
    n->model = c->node_model;
    n->labels = c->node_labels;
    n->gpu_first = c->gpu_first;
    n->gpu_count = c->gpu_count;
    n->cpus_milli = c->cpus_milli;
    n->mem_mib = c->mem_mib;
    n->free_cpus_milli = c->free_cpus_milli;
    n->free_mem_mib = c->free_mem_mib;
    n->free_gpus = c->free_gpus;
    n->free_share = c->free_share;
    n->task_kinds = c->task_kinds;
    n->tasks = c->node_tasks;
    n->up = c->node_up;
    n->cls = k->of;
    n->level = (const uint32_t *const *)(const void *)c->level;
    n->levels = c->nlevels;
    n->price_per_h = c->price_per_h;
    struct gsp_gpus *g = &v->gpus;
    g->struct_size = (uint32_t)sizeof *g;
    g->count = c->ngpus;
    g->node = c->gpu_node;
    g->index = c->gpu_index;
    g->mode = c->gpu_mode;
    g->capacity_milli = c->gpu_cap_milli;
    g->mem_mib = c->gpu_mem_mib;
    g->free_milli = c->gpu_free_milli;
    g->free_mem_mib = c->gpu_free_mem_mib;
    g->claims = c->gpu_claims;
    g->health = c->gpu_health;
    g->numa = any_known(c->gpu_numa, c->ngpus) ? c->gpu_numa : NULL;
    g->nic = any_known(c->gpu_nic, c->ngpus) ? c->gpu_nic : NULL;
    v->link_score = c->node_links;
    v->models = c->nmodels;
    v->model_name = c->model_name;
}

static void point_jobs(struct gsp_view *v, struct gs_live *l)
{
    struct gsp_jobs *j = &v->jobs;
    j->struct_size = (uint32_t)sizeof *j;
    j->count = l->njobs;
    j->generation = l->generation;
    j->id = l->id;
    j->queue = l->queue;
    j->user = l->user;
    j->priority = l->priority;
    j->state = l->state;
    j->kind = l->kind;
    j->preemptible = l->preemptible;
    j->estimate_source = l->est_source;
    j->submit_ns = l->submit_ns;
    j->estimate_ns = l->estimate_ns;
    j->started_ns = l->started_ns;
    j->ran_ns = l->ran_ns;
    j->attempts = l->attempts;
    j->gpus = l->gpus;
    j->share_milli = l->share_milli;
    j->task_first = l->task_first;
    j->task_count = l->task_count;
    j->request = l->request;
    j->shape = l->shape;
    j->eligible_ns = l->eligible_ns;
    struct gsp_tasks *t = &v->tasks;
    t->struct_size = (uint32_t)sizeof *t;
    t->count = l->ntasks;
    t->generation = l->task_generation;
    t->job = l->task_job;
    t->group = l->task_group;
    t->node = l->task_node;
    t->request = l->task_request;
    t->state = l->task_state;
    t->started_ns = l->task_started_ns;
    t->releasing_until_ns = l->task_releasing_until_ns;
}

static void point_requests(struct gsp_view *v, struct gs_live *l)
{
    struct gsp_requests *r = &v->requests;
    r->struct_size = (uint32_t)sizeof *r;
    r->count = l->nrequests;
    r->gpus = l->rq_gpus;
    r->share_milli = l->rq_share_milli;
    r->gpu_mem_mib = l->rq_gpu_mem_mib;
    r->labels = l->rq_labels;
    r->profile = l->rq_profile;
    r->cpus_milli = l->rq_cpus_milli;
    r->mem_mib = l->rq_mem_mib;
    r->models = l->rq_models;
}

static void point_queues(struct gsp_view *v, struct gs_queue_state *q)
{
    struct gsp_queues *s = &v->queues;
    s->struct_size = (uint32_t)sizeof *s;
    s->count = q->n;
    s->name = q->name;
    s->parent = q->parent;
    s->quota_milli = q->quota_milli;
    s->limit_milli = q->limit_milli;
    s->used_milli = q->used_milli;
    s->quota_cpus_milli = q->quota_cpus_milli;
    s->limit_cpus_milli = q->limit_cpus_milli;
    s->used_cpus_milli = q->used_cpus_milli;
    s->weight = q->weight;
    s->priority = q->priority;
    s->pending = q->pending;
    s->gpu_ns = q->gpu_ns;
}

static void point_attrs(struct gsp_view *v, const struct gs_attr_table *t)
{
    struct gsp_attrs *a = &v->attrs;
    a->struct_size = (uint32_t)sizeof *a;
    if (!t)
        return;
    a->count = t->n;
    a->kind = t->kind;
    a->subject = t->subject;
    a->key = t->key;
    a->text = t->text;
    a->number = t->number;
}

/* The arrays move when a table grows: are the capacities what they were? */
static int same_arrays(struct gs_host *h)
{
    const uint32_t now[] = {h->l->jobs_cap, h->l->tasks_cap, h->l->requests_cap, h->c->nodes_cap,
                            h->classes.nnodes};
    if (memcmp(h->view_caps, now, sizeof now) == 0)
        return 1;
    memcpy(h->view_caps, now, sizeof now);
    return 0;
}

void gs_view_refresh(struct gs_host *h)
{
    struct gsp_view *v = &h->view;
    if (v->struct_size && same_arrays(h)) {
        gs_view_mig(h);
        v->epoch = h->c->epoch;
        v->jobs.count = h->l->njobs;
        v->tasks.count = h->l->ntasks;
        v->requests.count = h->l->nrequests;
        return;
    }
    v->struct_size = (uint32_t)sizeof *v;
    v->have = GSP_HAVE_NODES | GSP_HAVE_GPUS | GSP_HAVE_QUEUES | GSP_HAVE_PRICES |
              (h->has_estimates ? GSP_HAVE_ESTIMATES : 0u) |
              (v->typical.count ? GSP_HAVE_TYPICAL : 0u) | (h->c->nlevels ? GSP_HAVE_LEVELS : 0u) |
              (h->attrs && h->attrs->n ? GSP_HAVE_ATTRS : 0u) |
              (h->c->mig ? (uint32_t)GSP_HAVE_MIG : 0u);
    v->epoch = h->c->epoch;
    point_cluster(v, h->c, &h->classes);
    point_jobs(v, h->l);
    point_requests(v, h->l);
    point_queues(v, h->q);
    point_attrs(v, h->attrs);
    gs_view_mig(h);
}

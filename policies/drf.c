/* drf.c - a whole scheduler: dominant resource fairness over queues (Ghodsi et al., NSDI 2011), with weights.
 *
 * Each pass: the queue with the smallest dominant share (GPUs, CPUs, memory; lib/drf.h) starts its first waiting job, again
 * and again. A queue whose first job does not fit, or that is at its limit, is out for this pass: nobody overtakes inside a
 * queue, and no queue waits for another. Ties go to the queue with the lowest number.
 *
 * Jobs of a queue stand in the host's order (priority, submission, id). The order in which they were considered is reported, the rest
 * behind in the host's order. Cost: O(jobs + queues x starts) and a placement a start or queue. */
#include "drf.h"

#include "gsim/policy.h"

#include "jobs.h"
#include "module.h"

enum {
    R_GPUS,
    R_CPUS,
    R_MEM,
    R_COUNT
};

struct pass {
    struct gsp_ctx *c;
    struct gsp_txn *t;
    uint32_t n; /* waiting jobs */
    const gsp_job *job;
    uint32_t *next;          /* [n] the next job of the same queue, GSP_NONE = last */
    uint32_t *first;         /* [queues] */
    uint8_t *out;            /* [queues] */
    double *share;           /* [queues] */
    int64_t (*use)[R_COUNT]; /* [queues] */
    int64_t capacity[R_COUNT];
    gsp_job *ordered; /* [n] */
    uint32_t nordered;
};

static void add_use(int64_t use[R_COUNT], const struct gspl_total *x)
{
    use[R_GPUS] += x->gpu_milli;
    use[R_CPUS] += x->cpus_milli;
    use[R_MEM] += x->mem_mib;
}

static void set_share(struct pass *p, uint32_t queue)
{
    p->share[queue] =
        gspl_dominant_share(p->use[queue], p->capacity, R_COUNT, p->c->view->queues.weight[queue]);
}

static void measure(struct pass *p)
{
    const struct gsp_view *v = p->c->view;
    for (uint32_t i = 0; i < v->nodes.count; i++) {
        if (!v->nodes.up[i])
            continue;
        p->capacity[R_GPUS] += (int64_t)v->nodes.gpu_count[i] * 1000;
        p->capacity[R_CPUS] += v->nodes.cpus_milli[i];
        p->capacity[R_MEM] += v->nodes.mem_mib[i];
    }
    for (uint32_t i = 0; i < v->jobs.count; i++) {
        if (v->jobs.state[i] != GSP_JOB_RUNNING)
            continue;
        const struct gspl_total x = gspl_job_total(v, gspl_job_handle(v, i));
        add_use(p->use[v->jobs.queue[i]], &x);
    }
    for (uint32_t q = 0; q < v->queues.count; q++)
        set_share(p, q);
}

/* Threads the waiting jobs by queue, from the last to the first, so that each queue's chain is in order. */
static void line_up(struct pass *p)
{
    const struct gsp_view *v = p->c->view;
    for (uint32_t q = 0; q < v->queues.count; q++)
        p->first[q] = GSP_NONE;
    for (uint32_t i = p->n; i-- > 0;) {
        const uint32_t q = v->jobs.queue[GSP_INDEX(p->job[i])];
        p->next[i] = p->first[q];
        p->first[q] = i;
    }
    for (uint32_t q = 0; q < v->queues.count; q++)
        p->out[q] = p->first[q] == GSP_NONE;
}

static void serve(struct pass *p, uint32_t queue)
{
    const uint32_t i = p->first[queue];
    p->ordered[p->nordered++] = p->job[i];
    if (p->c->host->place(p->t, p->job[i]) != GSP_OK) {
        p->out[queue] = 1;
        return;
    }
    const struct gspl_total x = gspl_job_total(p->c->view, p->job[i]);
    add_use(p->use[queue], &x);
    set_share(p, queue);
    p->first[queue] = p->next[i];
    p->out[queue] = p->first[queue] == GSP_NONE;
}

/* Appends what was not considered: jobs still behind the first of their queue. */
static void append_rest(struct pass *p)
{
    const struct gsp_view *v = p->c->view;
    for (uint32_t i = 0; i < p->n; i++) {
        const uint32_t x = GSP_INDEX(p->job[i]);
        if (v->jobs.state[x] == GSP_JOB_PENDING && p->first[v->jobs.queue[x]] != i)
            p->ordered[p->nordered++] = p->job[i];
    }
}

static int cycle(void *self, struct gsp_ctx *c, struct gsp_txn *t)
{
    const struct gsp_host *h = c->host;
    const uint32_t nq = c->view->queues.count;
    struct pass p = {.c = c, .t = t};
    (void)self;
    p.job = h->pending(c, &p.n);
    p.next = h->scratch(c, (p.n + 1u) * sizeof *p.next, 16);
    p.ordered = h->scratch(c, (p.n + 1u) * sizeof *p.ordered, 16);
    p.first = h->scratch(c, (nq + 1u) * sizeof *p.first, 16);
    p.out = h->scratch(c, nq + 1u, 16);
    p.share = h->scratch(c, (nq + 1u) * sizeof *p.share, 16);
    p.use = h->scratch(c, (nq + 1u) * sizeof *p.use, 16);
    measure(&p);
    line_up(&p);
    for (uint32_t q = gspl_drf_next(p.share, p.out, nq); q != UINT32_MAX;
         q = gspl_drf_next(p.share, p.out, nq))
        serve(&p, q);
    append_rest(&p);
    (void)h->ordered(t, p.ordered, p.nordered);
    return 0;
}

static const struct gsp_ops ops = {
    GSPL_OPS_HEAD,
    .create = gspl_create_nothing,
    .destroy = gspl_destroy_nothing,
    .cycle = cycle,
};

static const struct gsp_manifest manifest = {
    GSPL_MANIFEST_HEAD,
    .caps = GSP_CAP_SYMMETRIC,
    .id = "drf",
    .name = "dominant resource fairness",
    .doc =
        "a whole scheduler: the queue with the smallest weighted dominant share starts its first job",
    .ops = &ops,
};

GSPL_QUERY(manifest)

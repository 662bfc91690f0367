/* instance.c - one [policy NAME] section: its parameters, its context, its memory; and the host table's plain functions.
 *
 * A module's heap blocks hang on its instance, are capped, and go with it. Scratch is an arena reset at each hook. Its random stream is keyed by (run
 * seed, instance, cycle), so that draws in one cycle never shift another. */
#include "policies/host/host_internal.h"

#include <string.h>

struct gs_instance *gs_instance_of(struct gsp_ctx *c)
{
    gs_require(c && c->opaque);
    return c->opaque;
}

struct gsp_ctx *gs_instance_enter(struct gs_instance *in)
{
    struct gs_host *h = in->h;
    gs_arena_reset(&in->scratch);
    in->failed[0] = '\0';
    in->ctx.struct_size = (uint32_t)sizeof in->ctx;
    in->ctx.now_ns = h->now;
    in->ctx.epoch = h->c->epoch;
    in->ctx.view = &h->view;
    in->ctx.host = &h->table;
    in->ctx.opaque = in;
    if (in->ctx.cycle != h->cycle) {
        in->ctx.cycle = h->cycle;
        in->ctx.work_left = h->work_budget ? h->work_budget : UINT64_MAX;
        gs_stream_init(&in->rng, h->seed, GS_RNG_POLICY, in->index, h->cycle);
    }
    return &in->ctx;
}

enum gs_rc gs_module_fault(struct gs_instance *in, const char *hook, int code, const char *cause,
                           struct gs_err *err)
{
    in->h->stats.faults++;
    return gs_fail(err, GS_E_MODULE,
                   "policy module '%s' ([policy %s]) faulted in %s, cycle %u: %s%s%s (code %d)",
                   in->m->m->id, in->section, hook, in->h->cycle, cause, in->failed[0] ? ": " : "",
                   in->failed, code);
}

enum gs_rc gs_hook_result(struct gs_instance *in, const char *hook, int code, struct gs_err *err)
{
    const struct gs_err *noted = &in->h->txn.err;
    if (noted->rc)
        return err == noted ? noted->rc : gs_fail(err, noted->rc, "%s", noted->msg);
    return code < 0 ? gs_module_fault(in, hook, code, "it reports an error", err) : GS_OK;
}

/* ---- the table ---- */

static const char *t_str(struct gsp_ctx *c, uint32_t id)
{
    struct gs_host *h = gs_instance_of(c)->h;
    return id < h->str->n ? gs_intern_str(h->str, id) : "";
}

static int t_fail(struct gsp_ctx *c, int code, gsp_job job, const char *text)
{
    struct gs_instance *in = gs_instance_of(c);
    uint32_t s = gs_live_slot(in->h->l, job);
    if (s == GS_NONE)
        (void)gs_fmt(in->failed, sizeof in->failed, "%s", text ? text : "");
    else
        (void)gs_fmt(in->failed, sizeof in->failed, "%s (job %u)", text ? text : "",
                     in->h->l->id[s]);
    return code < 0 ? code : -1;
}

static void t_log(struct gsp_ctx *c, const char *text)
{
    struct gs_instance *in = gs_instance_of(c);
    if (in->h->log)
        gs_detail(in->h->log, "[policy %s] %s", in->section, text ? text : "");
}

static void *t_scratch(struct gsp_ctx *c, size_t bytes, size_t align)
{
    return gs_arena_alloc(&gs_instance_of(c)->scratch, bytes, align ? align : 16);
}

static void link_block(struct gs_instance *in, struct gs_block *b)
{
    b->next = in->heap.next;
    b->prev = &in->heap;
    if (b->next)
        b->next->prev = b;
    in->heap.next = b;
    in->heap_bytes += b->bytes;
}

static void unlink_block(struct gs_instance *in, struct gs_block *b)
{
    b->prev->next = b->next;
    if (b->next)
        b->next->prev = b->prev;
    in->heap_bytes -= b->bytes;
}

static void *t_mem_alloc(struct gsp_ctx *c, size_t bytes)
{
    struct gs_instance *in = gs_instance_of(c);
    if (bytes > GS_HEAP_CAP || in->heap_bytes + bytes > GS_HEAP_CAP)
        return NULL;
    struct gs_block *b = gs_zalloc(1, sizeof *b + bytes);
    b->bytes = bytes;
    link_block(in, b);
    return b + 1;
}

static void *t_mem_resize(struct gsp_ctx *c, void *p, size_t bytes)
{
    struct gs_instance *in = gs_instance_of(c);
    if (!p)
        return t_mem_alloc(c, bytes);
    struct gs_block *b = (struct gs_block *)p - 1;
    if (bytes > GS_HEAP_CAP || in->heap_bytes - b->bytes + bytes > GS_HEAP_CAP)
        return NULL;
    unlink_block(in, b);
    b = gs_resize(b, 1, sizeof *b + bytes);
    b->bytes = bytes;
    link_block(in, b);
    return b + 1;
}

static void t_mem_free(struct gsp_ctx *c, void *p)
{
    if (!p)
        return;
    struct gs_block *b = (struct gs_block *)p - 1;
    unlink_block(gs_instance_of(c), b);
    gs_free(b);
}

static uint64_t t_random(struct gsp_ctx *c)
{
    struct gs_instance *in = gs_instance_of(c);
    in->h->stats.draws++;
    return gs_u64(&in->rng);
}

static const void *t_ext(struct gsp_ctx *c, const char *id)
{
    if (strcmp(id, GSP_MIG) == 0)
        return gs_instance_of(c)->h->c->mig ? &gs_mig_extension : NULL;
    (void)c;
    (void)id;
    return NULL; /* no host extension yet; the solver is a later one */
}

/* Every waiting job in order, by a walk over all groups that ignores what is known not to fit. */
static const gsp_job *t_pending(struct gsp_ctx *c, uint32_t *n)
{
    struct gs_instance *in = gs_instance_of(c);
    struct gs_host *h = in->h;
    gsp_job *out = gs_arena_alloc(&in->scratch, (h->npending + 1u) * sizeof *out, 16);
    uint64_t gain = h->gain;
    h->gain = 0; /* nothing is marked with gain 0: the walk skips nobody */
    uint32_t k = 0;
    for (gsp_job j = gs_walk_next(h, 0); j; j = gs_walk_next(h, j))
        out[k++] = j;
    h->gain = gain;
    gs_verify(k <= h->npending);
    *n = k;
    return out;
}

static const gsp_job *t_running(struct gsp_ctx *c, uint32_t *n)
{
    struct gs_instance *in = gs_instance_of(c);
    struct gs_host *h = in->h;
    gsp_job *out = gs_arena_alloc(&in->scratch, (h->running.n + 1u) * sizeof *out, 16);
    uint32_t k = 0;
    for (size_t i = 0; i < h->running.n; i++)
        if (h->running.v[i] != GS_NONE)
            out[k++] = gs_live_handle(h->l, h->running.v[i]);
    *n = k;
    return out;
}

static struct gsp_alloc held_by(const struct gs_host *h, uint32_t task, const struct gs_claim *k)
{
    const struct gs_partition *p = k->gpu == GS_NONE ? NULL : &h->c->part[k->partition];
    return (struct gsp_alloc){.task = (uint64_t)h->l->task_generation[task] << 32 | task,
                              .node = gs_fixed_handle(k->node),
                              .gpu = k->gpu == GS_NONE ? 0 : gs_fixed_handle(k->gpu),
                              .share_milli = k->milli,
                              .profile = p ? p->profile : 0,
                              .mig_start = p ? p->slice_start : 0,
                              .mig_size = p ? p->slice_size : 0,
                              .gpu_mem_mib = k->mem_mib};
}

static uint32_t t_held(struct gsp_ctx *c, gsp_job j, struct gsp_alloc *out, uint32_t max)
{
    const struct gs_host *h = gs_instance_of(c)->h;
    uint32_t s = gs_live_slot(h->l, j), n = 0;
    if (s == GS_NONE)
        return 0;
    for (uint32_t i = 0; i < h->l->task_count[s]; i++) {
        uint32_t t = h->l->task_first[s] + i;
        for (uint32_t r = h->l->task_claim[t]; r != GS_NONE; r = h->c->claim[r].next) {
            if (n < max)
                out[n] = held_by(h, t, &h->c->claim[r]);
            n++;
        }
    }
    return n;
}

static int t_fits(struct gsp_ctx *c, uint32_t request, gsp_node n)
{
    struct gs_host *h = gs_instance_of(c)->h;
    if (request >= h->l->nrequests || GSP_INDEX(n) >= h->c->nnodes)
        return 0;
    struct gs_request r = gs_live_get_request(h->l, request);
    return gs_node_fits(h->c, GSP_INDEX(n), &r);
}

static void t_spend(struct gsp_ctx *c, uint64_t work)
{
    c->work_left = c->work_left > work ? c->work_left - work : 0;
}

/* Is row i of the table before (kind, subject, key)? */
static int attr_before(const struct gs_attr_table *t, uint32_t i, uint32_t kind, uint32_t subject,
                       uint32_t key)
{
    if (t->kind[i] != kind)
        return t->kind[i] < kind;
    return t->subject[i] != subject ? t->subject[i] < subject : t->key[i] < key;
}

static uint32_t t_attr(struct gsp_ctx *c, uint32_t kind, uint32_t subject, const char *key)
{
    const struct gs_host *h = gs_instance_of(c)->h;
    const struct gs_attr_table *t = h->attrs;
    const uint32_t id = key && t ? gs_intern_find(h->str, key) : GS_NONE;
    if (id == GS_NONE)
        return GSP_NONE;
    uint32_t lo = 0, hi = t->n;
    while (lo < hi) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (attr_before(t, mid, kind, subject, id))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < t->n && t->kind[lo] == kind && t->subject[lo] == subject && t->key[lo] == id
               ? lo
               : GSP_NONE;
}

void gs_host_table_init(struct gs_host *h)
{
    struct gsp_host *t = &h->table;
    memset(t, 0, sizeof *t);
    t->struct_size = (uint32_t)sizeof *t;
    t->abi_major = (uint16_t)GSP_ABI_MAJOR;
    t->abi_minor = (uint16_t)GSP_ABI_MINOR;
    t->str = t_str;
    t->fail = t_fail;
    t->log = t_log;
    t->scratch = t_scratch;
    t->mem_alloc = t_mem_alloc;
    t->mem_resize = t_mem_resize;
    t->mem_free = t_mem_free;
    t->random = t_random;
    t->ext = t_ext;
    t->pending = t_pending;
    t->running = t_running;
    t->held = t_held;
    t->fits = t_fits;
    t->spend = t_spend;
    t->attr = t_attr;
    gs_txn_table(t);
}

/* ---- life ---- */

static void free_heap(struct gs_instance *in)
{
    struct gs_block *b = in->heap.next;
    while (b) {
        struct gs_block *next = b->next;
        gs_free(b);
        b = next;
    }
    in->heap.next = NULL;
    in->heap_bytes = 0;
}

void gs_instance_free(struct gs_instance *in)
{
    if (!in)
        return;
    if (in->created)
        in->m->m->ops->destroy(gs_instance_enter(in), in->self);
    free_heap(in);
    gs_arena_release(&in->text);
    gs_arena_release(&in->scratch);
    gs_free(in->values);
    gs_free(in->section);
    gs_free(in);
}

enum gs_rc gs_host_instance(struct gs_host *h, struct gs_module *m, const char *section,
                            const struct gs_setting *s, uint32_t n, uint32_t *instance,
                            struct gs_err *err)
{
    struct gs_instance *in = GS_NEW(struct gs_instance);
    in->h = h;
    in->m = m;
    in->index = (uint32_t)h->inst.n;
    in->section = gs_strdup(section);
    in->values = GS_NEW_N(struct gsp_value, m->nparams + 1);
    in->ctx.cycle = GSP_NONE;
    enum gs_rc rc = gs_module_values(m, section, s, n, &in->text, in->values, err);
    if (rc) {
        gs_instance_free(in);
        return rc;
    }
    gs_view_refresh(h);
    struct gsp_config cfg = {.struct_size = (uint32_t)sizeof cfg,
                             .count = m->nparams,
                             .section = in->section,
                             .value = in->values};
    int code = m->m->ops->create(gs_instance_enter(in), &cfg, &in->self);
    if (code) {
        rc = gs_module_fault(in, "create", code, "create failed", err);
        gs_instance_free(in);
        return rc;
    }
    in->created = 1; /* self may be NULL: a module without state */
    *instance = in->index;
    gs_vec_push(&h->inst, in); /* NOLINT(bugprone-sizeof-expression): a vector of pointers */
    return GS_OK;
}

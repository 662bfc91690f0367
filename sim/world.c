/* world.c - a checked scenario becomes a world: nodes, queues, jobs, and the policy modules that are bound to roles.
 *
 * Nodes stand in section and index order, jobs in the order of their sections, so that ids depend on the scenario alone. */
#include "sim/calendar.h"
#include "sim/failures.h"
#include "sim/history.h"
#include "sim/isolation.h"
#include "sim/mig.h"
#include "sim/run.h"
#include "sim/training_jobs.h"
#include "traces/input.h"

#include <math.h>
#include <string.h>

/* ---- nodes ---- */

struct node_source {
    struct gs_run *r;
    const struct gs_set_nodes *n;
    uint32_t labels;
    struct gs_sharing how;
};

/* "k=v,k=v" in sorted order as one string id. */
static uint32_t label_set(struct gs_run *r, const struct gs_set_nodes *n)
{
    struct gs_buf b = {0};
    for (size_t i = 0; i < n->labels.n; i++)
        gs_buf_fmt(&b, "%s%s", i ? "," : "", n->labels.v[i]);
    uint32_t id = b.n ? gs_intern(&r->str, gs_buf_cstr(&b)) : 0;
    gs_buf_free(&b);
    return id;
}

/* "zone:z1 rack:r2" -> the groups of a node; every level must be a known one. */
static enum gs_rc place_node(struct gs_run *r, const struct gs_set_nodes *n,
                             struct gs_node_spec *spec, struct gs_err *err)
{
    for (const char *s = n->place ? n->place : ""; *s;) {
        s += strspn(s, " \t");
        size_t len = strcspn(s, " \t"), colon = strcspn(s, ":");
        if (!len)
            break;
        if (colon >= len)
            return gs_fail(err, GS_E_INPUT, "%s: [nodes %s] place: '%.*s' is not LEVEL:NAME",
                           n->where, n->name, (int)len, s);
        uint32_t lv = 0;
        while (lv < r->cluster.nlevels &&
               (strlen(gs_intern_str(&r->str, r->cluster.level_name[lv])) != colon ||
                strncmp(gs_intern_str(&r->str, r->cluster.level_name[lv]), s, colon) != 0))
            lv++;
        if (lv == r->cluster.nlevels)
            return gs_fail(err, GS_E_INPUT,
                           "%s: [nodes %s] place: '%.*s' is not a level of [network] levels",
                           n->where, n->name, (int)colon, s);
        spec->level[lv] = gs_arena_str(&r->text, s + colon + 1, len - colon - 1);
        s += len;
    }
    return GS_OK;
}

static enum gs_rc gpu_of(struct gs_run *r, const struct gs_set_nodes *n, const char *name,
                         struct gs_node_spec *spec, struct gs_err *err)
{
    const struct gs_gpu_model *g = gs_catalog_gpu(&r->catalog, name);
    spec->model = name;
    if (g) {
        spec->model = g->name;
        spec->gpu_mem_mib = g->memory_mib < 0 ? 0 : (uint32_t)g->memory_mib;
        spec->unverified |= g->unverified;
        return GS_OK;
    }
    if (n->gpu_memory_mib >= 0)
        return GS_OK; /* a model of the user's own, with its memory said */
    const char *near = gs_catalog_nearest_gpu(&r->catalog, name);
    return gs_fail(err, GS_E_INPUT,
                   "%s: [nodes %s] gpu: no GPU '%s' in the catalog%s%s%s (or give gpu_memory)",
                   n->where, n->name, name, near ? " (did you mean '" : "", near ? near : "",
                   near ? "'?)" : "");
}

/* What the catalog knows of the type; *gpu is the type's model unless the section names one. */
static enum gs_rc take_server(struct gs_run *r, const struct gs_set_nodes *n,
                              struct gs_node_spec *spec, const char **gpu, struct gs_err *err)
{
    const struct gs_server_model *s = gs_catalog_server(&r->catalog, n->type);
    if (!s) {
        const char *near = gs_catalog_nearest_server(&r->catalog, n->type);
        return gs_fail(
            err, GS_E_INPUT,
            "%s: [nodes %s] type: no server '%s' in the catalog%s%s%s (see gsim catalog servers)",
            n->where, n->name, n->type, near ? " (did you mean '" : "", near ? near : "",
            near ? "'?)" : "");
    }
    spec->type = s->name;
    spec->gpus = s->gpus;
    spec->cpus_milli = s->cpus_milli;
    spec->mem_mib = s->memory_mib;
    spec->unverified = s->unverified;
    if (!*gpu && s->gpus)
        *gpu = s->gpu;
    return GS_OK;
}

static enum gs_rc spec_of_type(struct gs_run *r, const struct gs_set_nodes *n,
                               struct gs_node_spec *spec, struct gs_err *err)
{
    const char *gpu = n->gpu;
    spec->type = n->name;
    spec->cpus_milli = spec->mem_mib = -1;
    const enum gs_rc rc = n->type ? take_server(r, n, spec, &gpu, err) : GS_OK;
    if (rc)
        return rc;
    if (n->gpus >= 0)
        spec->gpus = (uint32_t)n->gpus;
    if (n->cpus_milli >= 0)
        spec->cpus_milli = n->cpus_milli;
    if (n->memory_mib >= 0)
        spec->mem_mib = n->memory_mib;
    if (spec->cpus_milli < 0 || spec->mem_mib < 0)
        return gs_fail(err, GS_E_INPUT,
                       "%s: [nodes %s] %s: not known for this type: give it a value", n->where,
                       n->name, spec->cpus_milli < 0 ? "cpus" : "memory");
    if (spec->gpus && !gpu)
        return gs_fail(err, GS_E_INPUT, "%s: [nodes %s] gpu: %u GPUs of which model?", n->where,
                       n->name, spec->gpus);
    return spec->gpus ? gpu_of(r, n, gpu, spec, err) : GS_OK;
}

static void finish_spec(const struct gs_set_nodes *n, const struct gs_sharing *how,
                        struct gs_node_spec *spec)
{
    if (n->gpu_memory_mib >= 0)
        spec->gpu_mem_mib = (uint32_t)n->gpu_memory_mib;
    spec->gpu_cap_milli = (uint32_t)(1000.0 * n->oversubscribe_gpu + 0.5);
    spec->gpu_mem_cap_mib = (uint32_t)((double)spec->gpu_mem_mib * n->oversubscribe_memory + 0.5);
    spec->price_per_h = n->price_per_h;
    if (how->mode == GS_SHARING_TIME_SLICE) /* nobody keeps a process from the memory of others */
        spec->gpu_mem_cap_mib = spec->gpu_mem_mib * how->replicas;
}

/* The largest over-subscription that the scenario allows is an attribute of the results. */
static void note_oversubscription(struct gs_run *r, const struct gs_set_nodes *n)
{
    uint32_t milli = (uint32_t)(1000.0 * n->oversubscribe_memory + 0.5);
    if (milli > 1000 && milli > r->memory_oversubscription_milli)
        r->memory_oversubscription_milli = milli;
}

static enum gs_rc add_typed(struct node_source *src, struct gs_err *err)
{
    struct gs_run *r = src->r;
    const struct gs_set_nodes *n = src->n;
    struct gs_node_spec spec = {.model = "", .labels = src->labels};
    enum gs_rc rc = spec_of_type(r, n, &spec, err);
    if (!rc)
        rc = place_node(r, n, &spec, err);
    if (rc)
        return rc;
    finish_spec(n, &src->how, &spec);
    int width = 1;
    for (int64_t c = n->count; c >= 10; c /= 10)
        width++;
    for (int64_t i = 0; i < n->count && !rc; i++) {
        char name[128];
        uint32_t id = 0;
        (void)gs_fmt(name, sizeof name, "%s-%0*lld", n->name, width, (long long)i);
        spec.name = name;
        r->unverified_nodes += spec.unverified != 0;
        rc = gs_cluster_add_node(&r->cluster, &spec, &id, err);
    }
    return rc ? gs_wrap(err, "%s: [nodes %s]", n->where, n->name) : GS_OK;
}

static enum gs_rc add_inventory_node(void *ctx, const struct gs_inventory_node *row,
                                     struct gs_err *err)
{
    struct node_source *src = ctx;
    const struct gs_gpu_model *g = row->gpus ? gs_catalog_gpu(&src->r->catalog, row->model) : NULL;
    struct gs_node_spec spec = {.name = row->name,
                                .type = src->n->name,
                                .model = row->model ? row->model : "",
                                .gpus = row->gpus,
                                .cpus_milli = row->cpus_milli,
                                .mem_mib = row->mem_mib,
                                .gpu_mem_mib = g && g->memory_mib > 0 ? (uint32_t)g->memory_mib : 0,
                                .labels = src->labels};
    uint32_t id = 0;
    enum gs_rc rc = place_node(src->r, src->n, &spec, err);
    if (rc)
        return rc;
    finish_spec(src->n, &src->how, &spec);
    src->r->unverified_nodes += g && g->unverified;
    return gs_cluster_add_node(&src->r->cluster, &spec, &id, err);
}

static enum gs_rc add_levels(struct gs_run *r, const char *levels, struct gs_err *err)
{
    for (const char *s = levels ? levels : ""; *s;) {
        s += strspn(s, " \t,");
        size_t n = strcspn(s, " \t,");
        if (!n)
            break;
        if (r->cluster.nlevels == GS_LEVELS_MAX)
            return gs_fail(err, GS_E_INPUT, "[network] levels: more than %d levels", GS_LEVELS_MAX);
        (void)gs_cluster_add_level(&r->cluster, gs_arena_str(&r->text, s, n));
        s += n;
    }
    return GS_OK;
}

static enum gs_rc build_nodes(struct gs_run *r, const struct gs_settings *s, struct gs_err *err)
{
    uint32_t *const first = GS_NEW_N(uint32_t, s->nodes.n + 1);
    enum gs_rc rc = add_levels(r, s->levels, err);
    for (size_t i = 0; i < s->nodes.n && !rc; i++) {
        first[i] = r->cluster.nnodes;
        note_oversubscription(r, &s->nodes.v[i]);
        struct node_source src = {
            .r = r, .n = &s->nodes.v[i], .labels = label_set(r, &s->nodes.v[i])};
        rc = gs_sharing_parse(src.n, &src.how, err);
        if (rc)
            break;
        if (src.n->inventory) {
            struct gs_file_read in = {.path = src.n->inventory_shown};
            rc = gs_inventory_read(src.n->inventory, src.n->format, r->bad_rows, add_inventory_node,
                                   &src, &in.n, err);
            gs_vec_push(&r->inputs, in);
        } else {
            rc = add_typed(&src, err);
        }
        src.how.node_end = r->cluster.nnodes;
        for (uint32_t n = first[i]; n < r->cluster.nnodes; n++)
            r->cluster.node_spread[n] = (uint8_t)src.n->spread;
        gs_vec_push(&r->sharing_of, src.how);
    }
    first[s->nodes.n] = r->cluster.nnodes;
    for (size_t i = 0; i < s->nodes.n && !rc; i++)
        gs_vec_push(&r->node_sections, ((struct gs_node_section){s->nodes.v[i].name, first[i],
                                                                 first[i + 1] - first[i]}));
    if (!rc)
        rc = gs_world_network(r, s, first, err);
    if (!rc)
        rc = gs_mig_build(r, s, first, err);
    if (!rc)
        rc = gs_world_cost(r, s, first, err);
    gs_free(first);
    return rc;
}

/* ---- queues and jobs ---- */

static int64_t milli_or_none(double x)
{
    return x < 0 ? -1 : (int64_t)(x * 1000.0 + 0.5);
}

static void build_queues(struct gs_run *r, const struct gs_settings *s)
{
    for (size_t i = 0; i < s->queues.n; i++)
        (void)gs_workload_queue(&r->w, s->queues.v[i].name);
    for (size_t i = 0; i < s->queues.n; i++) {
        const struct gs_set_queue *q = &s->queues.v[i];
        uint32_t parent = q->parent && *q->parent ? gs_workload_queue(&r->w, q->parent) : GS_NONE;
        struct gs_queue_spec *spec = &r->w.queues.v[gs_workload_queue(&r->w, q->name)];
        spec->parent = parent;
        spec->quota_milli = milli_or_none(q->quota);
        spec->limit_milli = milli_or_none(q->limit);
        spec->quota_cpus_milli = milli_or_none(q->quota_cpus);
        spec->limit_cpus_milli = milli_or_none(q->limit_cpus);
        spec->weight = q->weight;
        spec->priority = q->priority;
        spec->isolation = (uint8_t)q->isolation;
    }
}

static uint16_t new_source(struct gs_run *r, const char *name)
{
    gs_vec_push(&r->w.sources, gs_intern(&r->str, name));
    return (uint16_t)(r->w.sources.n - 1);
}

/* Local wall clock of a trace's time zero; GS_NEVER = not known. */
static int64_t local_origin(const struct gs_trace_counts *n)
{
    return n->origin_unix_ns == GS_NEVER ? GS_NEVER
                                         : n->origin_unix_ns + n->origin_offset_s * GS_SECOND;
}

/* Load, feedback and the like, on the jobs that the trace has just given; its own days, where it tells them. */
static double recorded_slowdown(void *ctx, const struct gs_job *j)
{
    return gs_network_slowdown(ctx, j->gpus, j->nodes, (double)j->comm_q / (double)GS_ONE);
}

/* Jobs of a trace that communicate: those of several GPUs. */
static void set_comm(struct gs_run *r, size_t from, double comm)
{
    for (size_t i = from; comm > 0 && i < r->w.jobs.n; i++)
        if (r->w.jobs.v[i].gpus > 1)
            r->w.jobs.v[i].comm_q = (uint32_t)(comm * (double)GS_ONE + 0.5);
}

static enum gs_rc shape_trace(struct gs_run *r, const struct gs_set_trace *t, size_t before,
                              struct gs_file_read *in, struct gs_err *err)
{
    const int64_t own = local_origin(&in->n), all = r->origin_ns ? r->origin_ns : GS_NEVER;
    const struct gs_shape_site site = {.gpu_milli = r->cluster.total_gpus * 1000,
                                       .cpus_milli = r->cluster.total_cpus_milli,
                                       .local_origin_ns = own == GS_NEVER ? all : own,
                                       .slowdown =
                                           r->topology && t->comm > 0 ? recorded_slowdown : NULL,
                                       .slowdown_ctx = r};
    if (!gs_shape_wanted(&t->shape))
        return GS_OK;
    return gs_shape_apply(&r->w, before, &t->shape, &site, r->seed, &in->shaped, err)
               ? gs_wrap(err, "%s: [trace %s]", t->where, t->name)
               : GS_OK;
}

/* What a reader looked up in another file decides run times as the trace does: a row of /inputs, without rows of its own. */
static void note_beside(struct gs_run *r, const struct gs_trace_beside *b)
{
    if (!b->path[0])
        return;
    struct gs_file_read in = {.path = gs_arena_str(&r->text, b->path, strlen(b->path)),
                              .beside = 1};
    in.n.origin_unix_ns = GS_NEVER;
    in.n.bytes = b->bytes;
    memcpy(in.n.digest, b->digest, sizeof in.n.digest);
    (void)gs_fmt(in.n.format, sizeof in.n.format, "beside");
    gs_vec_push(&r->inputs, in);
}

static enum gs_rc read_trace(struct gs_run *r, const struct gs_settings *s,
                             const struct gs_set_trace *t, struct gs_err *err)
{
    struct gs_trace_options o = t->o;
    struct gs_file_read in = {.path = o.shown ? o.shown : o.path};
    const size_t before = r->w.jobs.n;
    if (r->bad_rows == GS_BAD_ROWS_SKIP)
        o.bad_rows = GS_BAD_ROWS_SKIP;
    const uint16_t source = new_source(r, t->name);
    o.seed =
        gs_mix64(r->seed, source); /* two traces of the same numbers are not the same requests */
    enum gs_rc rc = gs_trace_read(&r->w, source, &o, &in.n, err);
    if (rc == GS_E_INPUT)
        return gs_wrap(err, "%s: [trace %s]", t->where, t->name);
    if (!rc) {
        set_comm(r, before, t->comm);
        rc = shape_trace(r, t, before, &in, err);
    }
    if (!rc && t->duration)
        rc = gs_duration_apply(&r->w, before, t->duration, r->seed, s->dir, err)
                 ? gs_wrap(err, "%s: [trace %s] duration", t->where, t->name)
                 : GS_OK;
    if (!rc && t->estimate)
        rc = gs_estimate_apply(&r->w, before, t->estimate, r->seed, s->dir, err)
                 ? gs_wrap(err, "%s: [trace %s] estimate", t->where, t->name)
                 : GS_OK;
    if (!rc)
        rc = gs_data_apply(r, &t->d, before, s->dir, err)
                 ? gs_wrap(err, "%s: [trace %s]", t->where, t->name)
                 : GS_OK;
    if (rc)
        return rc;
    if (!r->origin_ns && local_origin(&in.n) != GS_NEVER)
        r->origin_ns = local_origin(&in.n);
    gs_vec_push(&r->inputs, in);
    note_beside(r, &in.n.beside);
    return GS_OK;
}

static enum gs_rc read_traces(struct gs_run *r, const struct gs_settings *s, struct gs_err *err)
{
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < s->traces.n && !rc; i++)
        rc = read_trace(r, s, &s->traces.v[i], err);
    return rc;
}

/* Calls can be made, not yet answered. */
static enum gs_rc refuse_calls(const struct gs_settings *s, struct gs_err *err)
{
    if (s->calls.n == 0)
        return GS_OK;
    const struct gs_set_calls *c = &s->calls.v[0];
    return gs_fail(err, GS_E_INPUT,
                   "%s: [%s %s]: running it is known to the format but not yet supported by this "
                   "version (gsim trace generate writes its calls as a trace)",
                   c->where, c->s.kind, c->name);
}

static enum gs_rc make_jobs(struct gs_run *r, const struct gs_settings *s, struct gs_err *err)
{
    for (size_t i = 0; i < s->workloads.n; i++) {
        const struct gs_set_workload *w = &s->workloads.v[i];
        const size_t before = r->w.jobs.n;
        struct gs_synth synth = w->s;
        enum gs_rc rc = gs_training_add(r, s, w, &synth, err);
        if (!rc)
            rc = gs_synth_make(&r->w, new_source(r, w->name), (uint32_t)i, r->seed, &synth, err);
        if (rc)
            return gs_wrap(err, "%s", w->where);
        rc = gs_data_apply(r, &w->d, before, s->dir, err);
        if (rc)
            return gs_wrap(err, "%s: [workload %s]", w->where, w->name);
    }
    return GS_OK;
}

/* A user's own is one of /inputs: its bytes once more, for their digest. */
static enum gs_rc load_catalog(struct gs_run *r, const struct gs_settings *s, struct gs_err *err)
{
    enum gs_rc rc = gs_catalog_load(&r->catalog, s->catalog, err);
    if (rc || !s->catalog)
        return rc;
    struct gs_input in;
    struct gs_file_read f = {.path = s->catalog_shown};
    rc = gs_input_open(&in, s->catalog, s->catalog_shown, err);
    if (!rc)
        rc = gs_input_finish(&in, err);
    if (!rc) {
        f.n.origin_unix_ns = GS_NEVER;
        f.n.rows = f.n.emitted = gs_catalog_given(&r->catalog);
        f.n.bytes = in.stored;
        memcpy(f.n.digest, in.digest, sizeof f.n.digest);
        (void)gs_fmt(f.n.format, sizeof f.n.format, "catalog");
        gs_vec_push(&r->inputs, f);
    }
    gs_input_close(&in);
    return rc;
}

enum gs_rc gs_world_build(struct gs_run *r, const struct gs_settings *s, struct gs_err *err)
{
    r->horizon_ns = s->horizon_ns;
    r->cycle_interval_ns = s->cycle_interval_ns;
    r->series_ns = s->series_ns;
    r->duty_cycle = s->network.duty_cycle;
    r->series_adapts = !s->series_said;
    r->measure = s->measure;
    r->measure_from = s->measure_from;
    r->measure_to = s->measure_to;
    r->warmup_ns = s->warmup_ns == GS_NEVER || s->warmup_ns < 0 ? 0 : s->warmup_ns;
    r->compat = s->compat_pyss;
    r->interference = s->interference - 1;
    r->queueing = s->queueing;
    r->ignore_calendar = s->ignore_calendar;
    memcpy(r->storage_rate, s->storage_rate, sizeof r->storage_rate);
    r->storage_node_rate = s->storage_node_rate;
    r->image_cache_mib = s->image_cache_mib;
    enum gs_rc rc = refuse_calls(s, err);
    if (!rc)
        rc = load_catalog(r, s, err);
    if (!rc)
        rc = build_nodes(r, s, err);
    if (rc)
        return rc;
    build_queues(r, s);
    if (s->start_unix_ns != GS_NEVER)
        r->origin_ns = s->start_unix_ns + s->zone_offset_s * GS_SECOND;
    rc = read_traces(r, s, err);
    if (!rc)
        rc = make_jobs(r, s, err);
    if (!rc)
        rc = gs_failures_load(r, &s->failures, s->dir, err);
    if (!rc)
        rc = gs_calendar_load(r, s, err);
    if (!rc && s->state_from)
        rc = gs_history_load(r, s->state_from, s->dir, err);
    if (!rc)
        gs_isolation_apply(r);
    return rc;
}

/* ---- policies ---- */

static const struct gs_set_policy *section_of(const struct gs_settings *s, const char *name)
{
    for (size_t i = 0; i < s->policies.n; i++)
        if (strcmp(s->policies.v[i].name, name) == 0)
            return &s->policies.v[i];
    return NULL;
}

/* Was the module that was opened last refused for want of estimates? */
static int lacks_estimates(const struct gs_run *r)
{
    const struct gsp_manifest *m =
        r->modules.n ? gs_module_manifest(gs_vec_last(&r->modules)) : NULL;
    return m && (m->needs & GSP_NEED_ESTIMATES) && !r->has_estimates;
}

/* The section whose jobs have no estimate is where the repair goes: sources stand in the order of traces, then workloads. */
static enum gs_rc blame_jobs(const struct gs_run *r, const struct gs_settings *s,
                             struct gs_err *err)
{
    size_t i = 0;
    while (i < r->w.jobs.n && r->w.jobs.v[i].est_ns >= 0)
        i++;
    const size_t source = i < r->w.jobs.n ? r->w.jobs.v[i].source : SIZE_MAX;
    if (source < s->traces.n)
        return gs_wrap(err, "%s: [trace %s]", s->traces.v[source].where, s->traces.v[source].name);
    if (source - s->traces.n < s->workloads.n) {
        const struct gs_set_workload *w = &s->workloads.v[source - s->traces.n];
        return gs_wrap(err, "%s: [workload %s]", w->where, w->name);
    }
    return GS_E_INPUT;
}

/* One section = one instance: a section that an earlier role named is shared. */
static enum gs_rc bind_role(struct gs_run *r, const struct gs_settings *s, enum gs_role role,
                            const char *name, const char *policy_path, struct gs_err *err)
{
    const struct gs_set_policy *p = section_of(s, name);
    r->role_text[role] = name;
    for (int k = 0; k < GS_ROLE_COUNT; k++) {
        if (k != (int)role && r->role_text[k] && r->role[k] != GS_NONE &&
            strcmp(r->role_text[k], name) == 0) {
            r->role[role] = r->role[k];
            return gs_host_bind(r->host, role, r->role[k], err);
        }
    }
    const char *module = p && p->module ? p->module : name;
    const enum gs_rc rc = gs_run_role(r, role, policy_path, module, name, p ? p->set.v : NULL,
                                      p ? (uint32_t)p->set.n : 0, err);
    return rc && lacks_estimates(r) ? blame_jobs(r, s, err) : rc;
}

enum gs_rc gs_world_policies(struct gs_run *r, const struct gs_settings *s, const char *policy_path,
                             struct gs_err *err)
{
    const char *partitioner = s->role[GS_ROLE_PARTITIONER];
    if (partitioner && strcmp(partitioner, "none") != 0) {
        const enum gs_rc rc = bind_role(r, s, GS_ROLE_PARTITIONER, partitioner, policy_path, err);
        if (rc)
            return rc;
    }
    if (s->scheduler && strcmp(s->scheduler, "composite") != 0)
        return bind_role(r, s, GS_ROLE_SCHEDULER, s->scheduler, policy_path, err);
    for (int role = GS_ROLE_ORDER; role < GS_ROLE_PARTITIONER; role++) {
        const char *name = s->role[role];
        if (!name || strcmp(name, "none") == 0)
            continue;
        enum gs_rc rc = bind_role(r, s, (enum gs_role)role, name, policy_path, err);
        if (rc)
            return rc;
    }
    return GS_OK;
}

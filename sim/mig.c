/* mig.c - layouts become instances, and names of profiles become numbers.
 *
 * Layouts are checked by the geometry of the device and then created through the ledger, which checks that slices do not overlap
 * and that compute and memory suffice. O(devices + jobs). */
#include "sim/mig.h"

#include "sim/base/units.h"

#include <string.h>

/* ---- layouts ---- */

static const struct gs_mig_geometry *geometry_of(const struct gs_run *r, uint32_t gpu)
{
    return r->mig->book.of[r->cluster.node_model[r->cluster.gpu_node[gpu]]];
}

/* What the section says of its layouts, NULL = nothing; `sharing = mig` is MIG mode without instances. */
static const char *layouts(const struct gs_set_nodes *n)
{
    if (!n->mig && n->sharing && strcmp(n->sharing, "mig") == 0)
        return "all-enabled";
    return n->mig;
}

/* The layout of the device with this number in its node: the last one repeats. */
static const char *layout_of(const char *text, uint32_t index)
{
    for (const char *next; index && (next = strchr(text, '/')) != NULL; index--)
        text = next + 1;
    return text;
}

static enum gs_rc lay_out(struct gs_run *r, const struct gs_set_nodes *n, uint32_t gpu,
                          struct gs_err *err)
{
    struct gs_mig_place place[GS_MIG_SLICES_MAX];
    const struct gs_mig_geometry *g = geometry_of(r, gpu);
    uint32_t count = 0, part = GS_NONE;
    int mode = 0;
    if (gs_mig_layout(g, layout_of(layouts(n), r->cluster.gpu_index[gpu]), place, &count, &mode,
                      err))
        return gs_wrap(err, "%s: [nodes %s] mig", n->where, n->name);
    r->cluster.gpu_slices[gpu] = g->slices;
    if (!mode)
        return GS_OK;
    gs_verify(gs_ledger_set_mode(&r->cluster, gpu, GS_MODE_MIG) == GS_GRANTED);
    for (uint32_t i = 0; i < count; i++) {
        struct gs_partition want =
            gs_instance_at(&r->cluster, g, gpu, place[i].profile, place[i].start);
        want.barred = n->mig_strategy == GS_MIG_NONE_SHOWN;
        if (gs_ledger_create_part(&r->cluster, &want, &part))
            return gs_fail(
                err, GS_E_INPUT,
                "%s: [nodes %s] mig: instances of %s need more memory than the GPU's %u MiB",
                n->where, n->name, g->name, r->cluster.gpu_mem_mib[gpu]);
        gs_verify(gs_ledger_part_ready(&r->cluster, part) == GS_GRANTED);
        gs_mig_note_born(r, part);
    }
    return GS_OK;
}

/* All devices of the section's nodes; they may be of several models, where they come from an inventory. */
static enum gs_rc lay_out_section(struct gs_run *r, const struct gs_set_nodes *n, uint32_t from,
                                  uint32_t to, int dynamic, struct gs_err *err)
{
    struct gs_cluster *c = &r->cluster;
    const int use = n->mig_strategy == GS_MIG_NONE_SHOWN ? GS_MIG_UNUSED
                    : dynamic                            ? GS_MIG_DYNAMIC
                                                         : GS_MIG_FIXED;
    for (uint32_t node = from; node < to; node++) {
        if (!c->gpu_count[node])
            continue;
        const uint32_t model = c->node_model[node];
        const char *name = gs_intern_str(&r->str, c->model_name[model]);
        enum gs_rc rc = gs_mig_book_model(&r->mig->book, &r->catalog, model, name, err);
        if (!rc && !r->mig->book.of[model])
            rc = gs_fail(err, GS_E_INPUT,
                         "%s: [nodes %s] mig: the catalog has no MIG geometry of '%s'", n->where,
                         n->name, name);
        c->node_mig_use[node] = (uint8_t)use;
        for (uint32_t i = 0; i < c->gpu_count[node] && !rc; i++)
            rc = lay_out(r, n, c->gpu_first[node] + i, err);
        if (rc)
            return rc;
    }
    return GS_OK;
}

static int needs_reset(const struct gs_run *r, uint32_t node)
{
    const uint32_t model = r->cluster.node_model[node];
    const struct gs_gpu_model *g =
        model == GS_NONE
            ? NULL
            : gs_catalog_gpu(&r->catalog, gs_intern_str(&r->str, r->cluster.model_name[model]));
    return g && strcmp(g->arch, "Ampere") == 0;
}

static void note_spec(struct gs_run *r, const struct gs_set_nodes *n, uint32_t from, uint32_t to)
{
    const int reset = from < to && needs_reset(r, from);
    for (uint32_t node = from; node < to; node++)
        r->mig->spec_of[node] = (uint16_t)r->mig->spec.n;
    gs_vec_push(&r->mig->spec,
                (struct gs_mig_spec){.create_ns = n->mig_create_ns,
                                     .mode_ns = n->mig_mode_ns + (reset ? n->mig_reset_ns : 0),
                                     .strategy = (uint8_t)n->mig_strategy,
                                     .said = layouts(n) != NULL});
}

/* ---- the single strategy ---- */

/* The one profile of all instances of a node; 0 if it has another, or a device without. */
static uint16_t only_profile(const struct gs_cluster *c, uint32_t node)
{
    uint16_t profile = 0;
    for (uint32_t g = c->gpu_first[node]; g < c->gpu_first[node] + c->gpu_count[node]; g++) {
        if (c->gpu_mode[g] != GS_MODE_MIG || c->gpu_part[g] == GS_NONE)
            return 0;
        for (uint32_t p = c->gpu_part[g]; p != GS_NONE; p = c->part[p].next) {
            if (profile && c->part[p].profile != profile)
                return 0;
            profile = c->part[p].profile;
        }
    }
    return profile;
}

static enum gs_rc find_single(struct gs_run *r, const struct gs_settings *s, struct gs_err *err)
{
    const struct gs_cluster *c = &r->cluster;
    const struct gs_set_nodes *who = NULL;
    for (size_t i = 0; i < s->nodes.n && !who; i++)
        if (layouts(&s->nodes.v[i]) && s->nodes.v[i].mig_strategy == GS_MIG_SINGLE)
            who = &s->nodes.v[i];
    for (uint32_t node = 0; who && node < c->nnodes; node++) {
        if (!c->gpu_count[node])
            continue;
        const uint16_t p = only_profile(c, node);
        const int single = r->mig->spec.v[r->mig->spec_of[node]].strategy == GS_MIG_SINGLE;
        if (!p || !single || (r->mig->single && r->mig->single != p))
            return gs_fail(err, GS_E_INPUT,
                           "%s: [nodes %s] mig_strategy = single: node '%s' has not the same one "
                           "profile on all its GPUs as the other nodes: a request for a GPU would "
                           "mean different things (use mixed, and [workload] mig = PROFILE)",
                           who->where, who->name, gs_intern_str(&r->str, c->node_name[node]));
        r->mig->single = p;
    }
    return GS_OK;
}

/* ---- building ---- */

static int speaks_of_mig(const struct gs_settings *s)
{
    for (size_t i = 0; i < s->nodes.n; i++)
        if (layouts(&s->nodes.v[i]))
            return 1;
    for (size_t i = 0; i < s->workloads.n; i++)
        if (s->workloads.v[i].s.mig)
            return 1;
    return 0;
}

static void name_profiles(struct gs_mig_state *m)
{
    m->names = gs_zalloc(m->book.n + 2, sizeof *m->names);
    m->names[0] = "none";
    for (uint32_t i = 1; i <= m->book.n; i++)
        m->names[i] = m->book.name[i];
}

enum gs_rc gs_mig_build(struct gs_run *r, const struct gs_settings *s, const uint32_t *first,
                        struct gs_err *err)
{
    const char *partitioner = s->role[GS_ROLE_PARTITIONER];
    const int dynamic = partitioner && strcmp(partitioner, "none") != 0;
    if (!speaks_of_mig(s))
        return GS_OK;
    r->mig = GS_NEW(struct gs_mig_state);
    gs_mig_book_init(&r->mig->book, &r->catalog);
    name_profiles(r->mig);
    r->cluster.mig = &r->mig->book;
    r->mig->spec_of = GS_NEW_N(uint16_t, r->cluster.nnodes);
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < s->nodes.n && !rc; i++) {
        const uint32_t from = first[i], to = first[i + 1];
        note_spec(r, &s->nodes.v[i], from, to);
        if (layouts(&s->nodes.v[i]))
            rc = lay_out_section(r, &s->nodes.v[i], from, to, dynamic, err);
    }
    return rc ? rc : find_single(r, s, err);
}

void gs_mig_release(struct gs_run *r)
{
    struct gs_mig_state *m = r->mig;
    if (!m)
        return;
    gs_mig_book_release(&m->book);
    gs_free(m->names);
    gs_vec_free(&m->spec);
    gs_free(m->spec_of);
    gs_free(m->asked);
    gs_free(m->node);
    gs_vec_free(&m->lives);
    gs_vec_free(&m->life_of);
    gs_free(m);
    r->mig = NULL;
}

const char *const *gs_mig_names(const struct gs_run *r)
{
    static const char *const none[] = {"none", NULL};
    return r->mig ? r->mig->names : none;
}

/* ---- jobs ---- */

/* What an instance of the profile counts for, in thousandths of a device; 0 = no device of the cluster that the job may use has it,
 * UINT32_MAX = devices differ. */
static uint32_t share_of(const struct gs_run *r, uint16_t profile, uint64_t models)
{
    uint32_t share = 0;
    for (uint32_t m = 0; m < r->cluster.nmodels; m++) {
        const struct gs_mig_geometry *g = r->mig->book.of[m];
        if (!g || (models && !(models >> m & 1)))
            continue;
        for (uint32_t i = 0; i < g->n; i++) {
            const uint32_t milli = 1000u * g->p[i].compute / g->compute;
            if (g->p[i].id != profile)
                continue;
            if (share && share != milli)
                return UINT32_MAX;
            share = milli;
        }
    }
    return share;
}

static enum gs_rc unknown_profile(const struct gs_run *r, const struct gs_job *j,
                                  struct gs_err *err)
{
    const char *name = gs_intern_str(&r->str, j->mig);
    const char *near = gs_nearest(name, r->mig->book.name + 1, r->mig->book.n);
    return gs_fail(err, GS_E_INPUT, "[%s] mig: no MIG profile '%s' in the catalog%s%s%s",
                   gs_intern_str(&r->str, r->w.sources.v[j->source]), name,
                   near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

static enum gs_rc set_profile(struct gs_run *r, struct gs_job *j, uint16_t profile,
                              struct gs_err *err)
{
    const uint64_t models = gs_run_models(r, j->models);
    const uint32_t share = models == UINT64_MAX ? 0 : share_of(r, profile, models);
    j->profile = share ? profile : GS_JOB_NO_PROFILE;
    if (share == UINT32_MAX)
        return gs_fail(
            err, GS_E_INPUT,
            "[%s] mig: %s is another part of the GPU on one model of the cluster than on "
            "another: say which with gpu = MODEL",
            gs_intern_str(&r->str, r->w.sources.v[j->source]), r->mig->book.name[profile]);
    j->share_milli = share ? share : 1000;
    j->mig = gs_intern(&r->str, r->mig->book.name[profile]);
    return GS_OK;
}

static enum gs_rc job_profile(struct gs_run *r, struct gs_job *j, struct gs_err *err)
{
    if (!j->gpus)
        return GS_OK;
    if (r->mig->single && j->mig)
        return gs_fail(
            err, GS_E_INPUT,
            "[%s] mig: with mig_strategy = single instances are had as plain GPUs, not by "
            "profile",
            gs_intern_str(&r->str, r->w.sources.v[j->source]));
    if (r->mig->single)
        return j->share_milli == 1000 ? set_profile(r, j, r->mig->single, err) : GS_OK;
    if (!j->mig)
        return GS_OK;
    const uint16_t profile = gs_mig_book_id(&r->mig->book, gs_intern_str(&r->str, j->mig));
    return profile ? set_profile(r, j, profile, err) : unknown_profile(r, j, err);
}

/* Memory of an instance of the profile on the cluster's model m, MiB; 0 = it has none. */
static uint32_t instance_mem(const struct gs_run *r, uint32_t m, uint16_t profile)
{
    const struct gs_mig_geometry *g = r->mig->book.of[m];
    const struct gs_cluster *c = &r->cluster;
    uint32_t node = 0, i = 0;
    while (g && i < g->n && g->p[i].id != profile)
        i++;
    while (node < c->nnodes && (c->node_model[node] != m || !c->gpu_count[node]))
        node++;
    if (!g || i == g->n || node == c->nnodes)
        return 0;
    return gs_instance_at(c, g, c->gpu_first[node], i, 0).cap_mem_mib;
}

const char *gs_mig_misfit(struct gs_run *r, const struct gs_job *j)
{
    const uint64_t models = gs_run_models(r, j->models);
    uint32_t most = 0;
    if (!r->mig || !j->profile || j->profile == GS_JOB_NO_PROFILE || !j->gpu_mem_mib)
        return NULL;
    for (uint32_t m = 0; m < r->cluster.nmodels; m++) {
        const uint32_t mem = !models || models >> m & 1 ? instance_mem(r, m, j->profile) : 0;
        most = mem > most ? mem : most;
    }
    if (j->gpu_mem_mib <= most)
        return NULL;
    struct gs_buf b = {0};
    gs_buf_fmt(&b, "does not fit into its MIG instance: gpu_memory is %u MiB, a %s has %u MiB",
               j->gpu_mem_mib, r->mig->book.name[j->profile], most);
    const char *why = gs_arena_str(&r->text, gs_buf_cstr(&b), b.n);
    gs_buf_free(&b);
    return why;
}

/* By which profiles fragmentation is measured: those asked for, by number of tasks. */
static void share_profiles(struct gs_run *r)
{
    struct gs_mig_state *m = r->mig;
    uint64_t all = 0;
    m->asked = GS_NEW_N(double, m->book.n + 1);
    for (size_t i = 0; i < r->w.jobs.n; i++) {
        const struct gs_job *j = &r->w.jobs.v[i];
        if (!j->profile || j->profile == GS_JOB_NO_PROFILE)
            continue;
        m->asked[j->profile] += j->tasks;
        all += j->tasks;
    }
    for (uint32_t p = 1; all && p <= m->book.n; p++)
        m->asked[p] /= (double)all;
}

enum gs_rc gs_mig_jobs(struct gs_run *r, struct gs_err *err)
{
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < r->w.jobs.n && !rc; i++) {
        struct gs_job *j = &r->w.jobs.v[i];
        if (r->mig)
            rc = job_profile(r, j, err);
        else if (j->mig && j->gpus) /* of a trace: no node has a layout */
            j->profile = GS_JOB_NO_PROFILE;
    }
    if (r->mig && !rc)
        share_profiles(r);
    return rc;
}

/* cluster_write.c - /allocations as a growing table, and what the cluster was: /cluster/nodes, /cluster/gpus, /node_lives.
 *
 * /allocations is the ground truth that everything else can be recomputed from: one row an interval on one device, in order of
 * end, rows that are still held last. A task's CPUs and node memory stand on its first row, so sums over rows are right. */
#include "sim/base/mem.h"
#include "sim/metrics/internal.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

static const char *const end_flags[] = {
#define X(U, l) #l,
    GS_ATTEMPT_ENDS(X)
#undef X
        NULL};

static const struct gs_column alloc_columns[] = {
    {"job", GS_U32, "1", "row of /jobs", NULL, NULL},
    {"task", GS_U32, "1", "number of the task within its job", NULL, NULL},
    {"node", GS_U32, "1", "row of /cluster/nodes", NULL, NULL},
    {"gpu", GS_I32, "1", "row of /cluster/gpus, -1 = none", NULL, NULL},
    {"start_s", GS_F64, "s", "start of the interval", NULL, NULL},
    {"end_s", GS_F64, "s", "end of the interval, NaN = still held", NULL, NULL},
    {"share_milli", GS_U32, "1", "thousandths of the device held", NULL, NULL},
    {"memory_mib", GS_U32, "MiB", "device memory held", NULL, NULL},
    {"cpus_milli", GS_I64, "1", "CPUs of the task, thousandths, on its first row", NULL, NULL},
    {"node_memory_mib", GS_I64, "MiB", "node memory of the task, on its first row", NULL, NULL},
    {"end_reason", GS_U8, "1", "why the interval ended", NULL, end_flags},
    {"mig_profile", GS_U16, "1", "profile of the MIG instance held", NULL, NULL},
    {"mig_start", GS_I32, "1", "its first memory slice, -1 = not MIG", NULL, NULL},
    {"mig_size", GS_I32, "1", "its memory slices, -1 = not MIG", NULL, NULL},
};

enum {
    ALLOC_COLUMNS = sizeof alloc_columns / sizeof *alloc_columns,
    ALLOC_PROFILE = ALLOC_COLUMNS - 3
};

enum gs_rc gs_alloc_table_open(struct gs_h5 *f, const char *const *profiles, struct gs_h5_table **t,
                               struct gs_err *err)
{
    struct gs_column columns[ALLOC_COLUMNS];
    memcpy(columns, alloc_columns, sizeof columns);
    columns[ALLOC_PROFILE].flags = profiles;
    const enum gs_rc rc = gs_h5_table_open(f, "/allocations", columns, ALLOC_COLUMNS, t, err);
    if (!rc)
        gs_h5_table_always(*t);
    return rc;
}

enum gs_rc gs_alloc_table_row(struct gs_h5_table *t, const struct gs_alloc_row *r,
                              struct gs_err *err)
{
    const double start = gs_seconds(r->start_ns), end = gs_seconds(r->end_ns);
    const int32_t mig_start = r->mig_profile ? r->mig_start : -1;
    const int32_t mig_size = r->mig_profile ? r->mig_size : -1;
    const void *row[] = {
        &r->job,        &r->task,        &r->node,       &r->gpu,        &start,
        &end,           &r->share_milli, &r->memory_mib, &r->cpus_milli, &r->node_memory_mib,
        &r->end_reason, &r->mig_profile, &mig_start,     &mig_size};
    return gs_h5_table_row(t, row, err);
}

/* ---- nodes ---- */

/* One buffer for a column of nodes or devices. */
struct out {
    const struct gs_cluster *c;
    struct gs_h5 *f;
    struct gs_err *err;
    void *buf;
    enum gs_rc rc;
};

static void column(struct out *o, const char *group, const struct gs_column *col, size_t n)
{
    if (o->rc == GS_OK) /* without devices the group is there, empty: readers need not ask */
        o->rc = gs_h5_column(o->f, group, col, o->buf, n, o->err);
}

static const char *model_of(const struct gs_cluster *c, uint32_t node)
{
    const uint32_t m = c->node_model[node];
    return m < c->nmodels ? gs_intern_str(c->str, c->model_name[m]) : "";
}

static void ids(struct out *o, const char *group, size_t n, const char *what)
{
    const struct gs_column col = {"id", GS_U32, "1", what, NULL, NULL};
    for (size_t i = 0; i < n; i++)
        ((uint32_t *)o->buf)[i] = (uint32_t)i;
    column(o, group, &col, n);
}

static void node_text(struct out *o, const struct gs_column *col, const uint32_t *id)
{
    for (uint32_t i = 0; i < o->c->nnodes; i++)
        ((const char **)o->buf)[i] = id ? gs_intern_str(o->c->str, id[i]) : model_of(o->c, i);
    column(o, "/cluster/nodes", col, o->c->nnodes);
}

static void node_i64(struct out *o, const struct gs_column *col, const int64_t *v)
{
    for (uint32_t i = 0; i < o->c->nnodes; i++)
        ((int64_t *)o->buf)[i] = v[i];
    column(o, "/cluster/nodes", col, o->c->nnodes);
}

static void write_nodes(struct out *o)
{
    static const struct gs_column name = {"name", GS_STR, "1", "name of the node", NULL, NULL};
    static const struct gs_column type = {"type", GS_STR, "1", "server type", NULL, NULL};
    static const struct gs_column model = {"gpu_model", GS_STR, "1", "GPU model, empty = none",
                                           NULL,        NULL};
    static const struct gs_column gpus = {"gpus", GS_U32, "1", "GPUs of the node", NULL, NULL};
    static const struct gs_column cpus = {
        "cpus_milli", GS_I64, "1", "CPUs of the node, thousandths", NULL, NULL};
    static const struct gs_column mem = {"memory_mib",         GS_I64, "MiB",
                                         "memory of the node", NULL,   NULL};
    const struct gs_cluster *c = o->c;
    ids(o, "/cluster/nodes", c->nnodes, "row number of the node");
    node_text(o, &name, c->node_name);
    node_text(o, &type, c->node_type);
    node_text(o, &model, NULL);
    for (uint32_t i = 0; i < c->nnodes; i++)
        ((uint32_t *)o->buf)[i] = c->gpu_count[i];
    column(o, "/cluster/nodes", &gpus, c->nnodes);
    node_i64(o, &cpus, c->cpus_milli);
    node_i64(o, &mem, c->mem_mib);
    for (uint32_t l = 0; l < c->nlevels; l++) {
        const struct gs_column level = {gs_intern_str(c->str, c->level_name[l]), GS_STR, "1",
                                        "group at this topology level",          NULL,   NULL};
        node_text(o, &level, c->level[l]);
    }
}

static void gpu_u32(struct out *o, const char *name, const char *units, const char *what,
                    const uint32_t *v)
{
    const struct gs_column col = {name, GS_U32, units, what, NULL, NULL};
    for (uint32_t i = 0; i < o->c->ngpus; i++)
        ((uint32_t *)o->buf)[i] = v ? v[i] : o->c->gpu_index[i];
    column(o, "/cluster/gpus", &col, o->c->ngpus);
}

static void write_gpus(struct out *o)
{
    static const struct gs_column model = {"model", GS_STR, "1", "GPU model", NULL, NULL};
    static const struct gs_column domain = {"nvlink_domain",
                                            GS_I32,
                                            "1",
                                            "GPUs of one number share NVLink, -1 = none is known",
                                            NULL,
                                            NULL};
    const struct gs_cluster *c = o->c;
    ids(o, "/cluster/gpus", c->ngpus, "row number of the device");
    gpu_u32(o, "node", "1", "row of /cluster/nodes", c->gpu_node);
    gpu_u32(o, "index", "1", "number within its node", NULL);
    for (uint32_t i = 0; i < c->ngpus; i++)
        ((const char **)o->buf)[i] = model_of(c, c->gpu_node[i]);
    column(o, "/cluster/gpus", &model, c->ngpus);
    gpu_u32(o, "memory_mib", "MiB", "memory of the device", c->gpu_mem_mib);
    static const struct gs_column capable = {
        "mig_capable", GS_U8, "1", "its node offers MIG instances, or a partitioner may make some",
        NULL,          NULL};
    for (uint32_t i = 0; i < c->ngpus; i++)
        ((uint8_t *)o->buf)[i] = c->node_mig_use[c->gpu_node[i]] != GS_MIG_UNUSED;
    column(o, "/cluster/gpus", &capable, c->ngpus);
    for (uint32_t i = 0; i < c->ngpus; i++)
        ((int32_t *)o->buf)[i] = c->gpu_domain[i] == GS_NONE ? -1 : (int32_t)c->gpu_domain[i];
    column(o, "/cluster/gpus", &domain, c->ngpus);
}

static void write_lives(struct out *o, const struct gs_node_life *lives, size_t n)
{
    static const char *const market_flags[] = {"fixed", "on_demand", "spot", "reserved", NULL};
    static const char group[] = "/node_lives";
    static const struct gs_column node = {"node", GS_U32, "1", "row of /cluster/nodes", NULL, NULL};
    static const struct gs_column up = {"up_s", GS_F64, "s", "time from which the node was up",
                                        NULL,   NULL};
    static const struct gs_column down = {"down_s", GS_F64, "s", "time until which it was up",
                                          NULL,     NULL};
    static const struct gs_column price = {
        "price_per_h", GS_F64, "USD", "price of one hour, NaN = not known", NULL, NULL};
    static const struct gs_column market = {"market", GS_U8,       "1", "how it is paid for",
                                            NULL,     market_flags};
    for (size_t i = 0; i < n; i++)
        ((uint32_t *)o->buf)[i] = lives[i].node;
    column(o, group, &node, n);
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < n; i++)
            ((double *)o->buf)[i] = gs_seconds(k ? lives[i].down_ns : lives[i].up_ns);
        column(o, group, k ? &down : &up, n);
    }
    for (size_t i = 0; i < n; i++)
        ((double *)o->buf)[i] = o->c->price_per_h[lives[i].node];
    column(o, group, &price, n);
    for (size_t i = o->c->market; i < n; i++)
        ((uint8_t *)o->buf)[i] = o->c->market;
    column(o, group, &market, n);
}

/* Every node, from the start to the end of the run. */
static struct gs_node_life *fixed_lives(const struct gs_cluster *c, int64_t end_ns)
{
    struct gs_node_life *l = GS_NEW_N(struct gs_node_life, c->nnodes + 1);
    for (uint32_t i = 0; i < c->nnodes; i++)
        l[i] = (struct gs_node_life){i, 0, end_ns};
    return l;
}

enum gs_rc gs_cluster_write(const struct gs_cluster *c, struct gs_h5 *f, int64_t end_ns,
                            const struct gs_node_life *lives, size_t n, struct gs_err *err)
{
    struct gs_node_life *fixed = lives ? NULL : fixed_lives(c, end_ns);
    const size_t nlives = lives ? n : c->nnodes;
    size_t most = c->ngpus > c->nnodes ? c->ngpus : c->nnodes;
    most = nlives > most ? nlives : most;
    struct out o = {c, f, err, gs_zalloc(most ? most : 1, 8), GS_OK};
    write_nodes(&o);
    write_gpus(&o);
    write_lives(&o, lives ? lives : fixed, nlives);
    gs_free(fixed);
    gs_free(o.buf);
    return o.rc;
}

/* cluster.c - building the cluster's columns, releasing them, and naming them to a visitor.
 *
 * Every column is listed once, in the tables below, with the visitor's call and tag; growth,
 * release and visit walk the tables, so that a new column cannot be forgotten in one of them. Fixed
 * columns are not visited: a checkpoint is loaded into a cluster that was built from the same
 * scenario.
 *
 * Partition p spans device p for every p < ngpus (see ledger.c), which is why nodes can only be
 * added before the first MIG instance. Adding a node is O(its devices) amortised. */
#include "sim/cluster/cluster.h"

#include "sim/base/attr.h"
#include "sim/base/mem.h"
#include "sim/cluster/ledger_priv.h"

#include <string.h>

#include "sim/base/banned.h"

// clang-format off
#define FIXED_NODE_COLUMNS(X)                                                                      \
    X(node_name) X(node_type) X(node_model) X(node_labels) X(gpu_first) X(gpu_count) X(cpus_milli) \
    X(mem_mib) X(price_per_h) X(node_unverified) X(node_links) X(dirty) X(is_dirty)                \
    X(node_mig_use) X(node_fence) X(node_spread)
/* X(column, visitor call, tag) */
#define STATE_NODE_COLUMNS(X)                                                                      \
    X(free_cpus_milli, i64, GS_TAG('N', 'C', 'P', 'U'))                                            \
    X(free_mem_mib, i64, GS_TAG('N', 'M', 'E', 'M'))                                               \
    X(free_gpus, u32, GS_TAG('N', 'G', 'P', 'U'))                                                  \
    X(free_share, u32, GS_TAG('N', 'S', 'H', 'R'))                                                 \
    X(task_kinds, u32, GS_TAG('N', 'K', 'N', 'D'))                                                 \
    X(node_tasks, u32, GS_TAG('N', 'T', 'S', 'K'))                                                 \
    X(node_mig, u32, GS_TAG('N', 'M', 'I', 'G'))                                                   \
    X(node_up, u8, GS_TAG('N', 'U', 'P', ' '))                                                     \
    X(node_state, u8, GS_TAG('N', 'S', 'T', 'A'))                                                  \
    X(node_gate, u32, GS_TAG('N', 'G', 'A', 'T'))
#define FIXED_GPU_COLUMNS(X)                                                                       \
    X(gpu_numa) X(gpu_nic) X(gpu_domain) X(gpu_node) X(gpu_mem_mib) X(gpu_cap_milli) X(gpu_index) X(gpu_slices)
#define STATE_GPU_COLUMNS(X)                                                                       \
    X(gpu_free_milli, u32, GS_TAG('G', 'M', 'I', 'L'))                                             \
    X(gpu_free_mem_mib, u32, GS_TAG('G', 'M', 'E', 'M'))                                           \
    X(gpu_part, u32, GS_TAG('G', 'P', 'R', 'T'))                                                   \
    X(gpu_claims, u32, GS_TAG('G', 'C', 'L', 'M'))                                                 \
    X(gpu_shares, u32, GS_TAG('G', 'S', 'H', 'R'))                                                 \
    X(gpu_guard, u32, GS_TAG('G', 'G', 'R', 'D'))                                                  \
    X(gpu_up, u8, GS_TAG('G', 'U', 'P', ' '))                                                      \
    X(gpu_mode, u8, GS_TAG('G', 'M', 'O', 'D'))
#define TOTALS(X)                                                                                  \
    X(total_gpus) X(idle_gpus) X(held_milli) X(free_milli_total) X(total_cpus_milli)              \
    X(held_cpus_milli) X(nodes_up) X(owned_gpus) X(closed_milli)
#define POOL_COUNTS(X) X(nparts) X(part_free) X(nclaims) X(claim_free)
// clang-format on

#define RESIZE(f)             c->f = gs_resize(c->f, cap, sizeof *c->f);
#define RESIZE3(f, call, tag) RESIZE(f)
#define FREE(f)               gs_free(c->f);
#define FREE3(f, call, tag)   FREE(f)

void gs_cluster_init(struct gs_cluster *c, struct gs_intern *str)
{
    memset(c, 0, sizeof *c);
    c->str = str;
    c->part_free = GS_NONE;
    c->claim_free = GS_NONE;
}

void gs_cluster_release(struct gs_cluster *c)
{
    FIXED_NODE_COLUMNS(FREE)
    STATE_NODE_COLUMNS(FREE3)
    FIXED_GPU_COLUMNS(FREE)
    STATE_GPU_COLUMNS(FREE3)
    for (uint32_t l = 0; l < GS_LEVELS_MAX; l++)
        gs_free(c->level[l]);
    gs_free(c->kind_count);
    gs_free(c->use);
    gs_free(c->part);
    gs_free(c->claim);
    gs_free(c->undo);
    gs_free(c->gate);
    memset(c, 0, sizeof *c);
}

uint32_t gs_cluster_add_level(struct gs_cluster *c, const char *name)
{
    if (c->nlevels == GS_LEVELS_MAX)
        return GS_NONE;
    c->level[c->nlevels] = GS_NEW_N(uint32_t, c->nodes_cap);
    c->level_name[c->nlevels] = gs_intern(c->str, name);
    return c->nlevels++;
}

void gs_cluster_set_group(struct gs_cluster *c, uint32_t level, uint32_t node, const char *name)
{
    gs_require(level < c->nlevels && node < c->nnodes);
    c->level[level][node] = gs_intern(c->str, name);
}

uint32_t gs_cluster_model(const struct gs_cluster *c, const char *name)
{
    const uint32_t id = gs_intern_find(c->str, name);
    for (uint32_t m = 0; id != GS_NONE && m < c->nmodels; m++) {
        if (c->model_name[m] == id)
            return m;
    }
    return GS_NONE;
}

uint32_t gs_cluster_node(const struct gs_cluster *c, const char *name)
{
    const uint32_t id = gs_intern_find(c->str, name);
    for (uint32_t n = 0; id != GS_NONE && n < c->nnodes; n++)
        if (c->node_name[n] == id)
            return n;
    return GS_NONE;
}

static uint32_t room(uint32_t cap, uint64_t need)
{
    uint64_t r = cap ? cap : 64;
    while (r < need)
        r *= 2;
    return r < GS_NONE ? (uint32_t)r : GS_NONE;
}

static void grow_nodes(struct gs_cluster *c)
{
    if (c->nnodes < c->nodes_cap)
        return;
    const uint32_t cap = room(c->nodes_cap, (uint64_t)c->nnodes + 1);
    FIXED_NODE_COLUMNS(RESIZE)
    STATE_NODE_COLUMNS(RESIZE3)
    RESIZE(use)
    for (uint32_t l = 0; l < c->nlevels; l++)
        RESIZE(level[l])
    c->kind_count = gs_resize(c->kind_count, (size_t)cap * GS_TASK_KINDS, sizeof *c->kind_count);
    c->nodes_cap = cap;
}

static void grow_gpus(struct gs_cluster *c, uint32_t more)
{
    const uint64_t need = (uint64_t)c->ngpus + more;
    if (need > c->gpus_cap) {
        const uint32_t cap = room(c->gpus_cap, need);
        FIXED_GPU_COLUMNS(RESIZE)
        STATE_GPU_COLUMNS(RESIZE3)
        c->gpus_cap = cap;
    }
    if (need > c->parts_cap) {
        c->parts_cap = room(c->parts_cap, need);
        c->part = gs_resize(c->part, c->parts_cap, sizeof *c->part);
    }
}

static enum gs_rc check_spec(const struct gs_cluster *c, const struct gs_node_spec *s,
                             struct gs_err *err)
{
    if (s->gpus > GS_GPUS_PER_NODE_MAX)
        return gs_fail(err, GS_E_INPUT, "node '%s' has %u GPUs; at most %d are possible", s->name,
                       s->gpus, GS_GPUS_PER_NODE_MAX);
    if (s->gpus && !s->model[0])
        return gs_fail(err, GS_E_INPUT, "node '%s' has %u GPUs of no model; name their model",
                       s->name, s->gpus);
    if (s->cpus_milli < 0)
        return gs_fail(err, GS_E_INPUT,
                       "node '%s': the number of CPUs of type '%s' is not known; give it", s->name,
                       s->type);
    if (s->mem_mib < 0)
        return gs_fail(err, GS_E_INPUT, "node '%s': the memory of type '%s' is not known; give it",
                       s->name, s->type);
    if (s->gpus && (s->gpu_cap_milli < 1000 || s->gpu_cap_milli > 1000000))
        return gs_fail(err, GS_E_INPUT,
                       "node '%s': a GPU offers %u thousandths; expected 1000 to 1000000", s->name,
                       s->gpu_cap_milli);
    if (s->gpu_mem_cap_mib && s->gpu_mem_cap_mib < s->gpu_mem_mib)
        return gs_fail(err, GS_E_INPUT,
                       "node '%s': a GPU offers %u MiB, less than the %u MiB that it has", s->name,
                       s->gpu_mem_cap_mib, s->gpu_mem_mib);
    if (s->mig_slices > UINT8_MAX)
        return gs_fail(err, GS_E_INPUT, "node '%s': %u MIG slices; at most %d are possible",
                       s->name, s->mig_slices, UINT8_MAX);
    if (c->nnodes >= GS_NONE - 1 || (uint64_t)c->ngpus + s->gpus >= GS_NONE - 1)
        return gs_fail(err, GS_E_INPUT, "node '%s': more nodes or GPUs than 32-bit ids can name",
                       s->name);
    return GS_OK;
}

/* The model's index, added if new; GS_NONE if there is no room. */
static uint32_t find_model(struct gs_cluster *c, const char *name)
{
    const uint32_t m = gs_cluster_model(c, name);
    if (m != GS_NONE || c->nmodels == GS_MODELS_MAX)
        return m;
    c->model_name[c->nmodels] = gs_intern(c->str, name);
    return c->nmodels++;
}

static void add_device(struct gs_cluster *c, const struct gs_node_spec *s, uint32_t node,
                       uint32_t index)
{
    const uint32_t g = c->ngpus++;
    const uint32_t mem = s->gpu_mem_cap_mib ? s->gpu_mem_cap_mib : s->gpu_mem_mib;
    c->gpu_node[g] = node;
    c->gpu_numa[g] = c->gpu_nic[g] = UINT8_MAX;
    c->gpu_domain[g] = GS_NONE;
    c->gpu_index[g] = (uint8_t)index;
    c->gpu_mem_mib[g] = s->gpu_mem_mib;
    c->gpu_cap_milli[g] = s->gpu_cap_milli;
    c->gpu_slices[g] = (uint8_t)(s->mig_slices ? s->mig_slices : 8);
    c->gpu_free_milli[g] = s->gpu_cap_milli;
    c->gpu_free_mem_mib[g] = mem;
    c->gpu_claims[g] = 0;
    c->gpu_shares[g] = 0;
    c->gpu_guard[g] = 0;
    c->gpu_up[g] = 1;
    c->gpu_mode[g] = GS_MODE_WHOLE;
    c->gpu_part[g] = g;
    struct gs_partition *p = &c->part[c->nparts++];
    memset(p, 0, sizeof *p);
    p->gpu = g;
    p->state = GS_PART_IDLE;
    p->cap_milli = s->gpu_cap_milli;
    p->cap_mem_mib = mem;
    p->next = GS_NONE;
}

static void set_node(struct gs_cluster *c, const struct gs_node_spec *s, uint32_t n, uint32_t model)
{
    c->node_name[n] = gs_intern(c->str, s->name);
    c->node_type[n] = gs_intern(c->str, s->type);
    c->node_model[n] = model;
    c->node_labels[n] = s->labels;
    c->gpu_first[n] = c->ngpus;
    c->gpu_count[n] = s->gpus;
    c->cpus_milli[n] = s->cpus_milli;
    c->mem_mib[n] = s->mem_mib;
    c->price_per_h[n] = s->price_per_h;
    c->node_unverified[n] = (uint8_t)(s->unverified != 0);
    for (uint32_t l = 0; l < c->nlevels; l++)
        c->level[l][n] = gs_intern(c->str, s->level[l] ? s->level[l] : "");
    c->free_cpus_milli[n] = s->cpus_milli;
    c->free_mem_mib[n] = s->mem_mib;
    c->free_gpus[n] = s->gpus;
    c->free_share[n] = s->gpus ? 1000 : 0;
    c->task_kinds[n] = 0;
    c->node_tasks[n] = 0;
    c->node_mig[n] = 0;
    c->node_mig_use[n] = GS_MIG_UNUSED;
    c->node_spread[n] = 0;
    c->node_fence[n] = GS_ISOLATION_PROCESS;
    c->node_up[n] = 1;
    c->node_state[n] = GS_NODE_UP;
    c->node_gate[n] = 0;
    c->nodes_up++;
    c->node_links[n] = NULL;
    c->is_dirty[n] = 0;
    memset(&c->use[n], 0, sizeof c->use[n]);
    memset(&c->kind_count[(size_t)n * GS_TASK_KINDS], 0, GS_TASK_KINDS * sizeof *c->kind_count);
}

enum gs_rc gs_cluster_add_node(struct gs_cluster *c, const struct gs_node_spec *s, uint32_t *id,
                               struct gs_err *err)
{
    gs_require(c->nparts == c->ngpus && !c->in_txn);
    const enum gs_rc rc = check_spec(c, s, err);
    if (rc != GS_OK)
        return rc;
    const uint32_t model = s->gpus ? find_model(c, s->model) : GS_NONE;
    if (s->gpus && model == GS_NONE)
        return gs_fail(err, GS_E_INPUT, "node '%s': '%s' would be GPU model number %d; at most %d",
                       s->name, s->model, GS_MODELS_MAX + 1, GS_MODELS_MAX);
    grow_nodes(c);
    grow_gpus(c, s->gpus);
    const uint32_t n = c->nnodes++;
    set_node(c, s, n, model);
    for (uint32_t i = 0; i < s->gpus; i++)
        add_device(c, s, n, i);
    c->total_gpus += s->gpus;
    c->idle_gpus += s->gpus;
    c->owned_gpus += s->gpus;
    c->free_milli_total += (int64_t)s->gpus * s->gpu_cap_milli;
    c->total_cpus_milli += s->cpus_milli;
    c->gain_epoch = ++c->epoch;
    if (id)
        *id = n;
    return GS_OK;
}

/* ---- gates ---- */

/* Rows are few and come in the order of time: the same one was most likely asked for a short while ago. */
static uint32_t gate_row(struct gs_cluster *c, struct gs_gate g)
{
    if (g.closes_ns == GS_NEVER)
        return 0;
    for (uint32_t i = c->ngates; i-- > 1 && c->ngates - i < 256;)
        if (c->gate[i].closes_ns == g.closes_ns && c->gate[i].queue == g.queue)
            return i;
    if (c->ngates >= c->gates_cap) {
        c->gates_cap = c->gates_cap ? 2 * c->gates_cap : 16;
        c->gate = gs_resize(c->gate, c->gates_cap, sizeof *c->gate);
    }
    if (c->ngates == 0)
        c->gate[c->ngates++] = (struct gs_gate){GS_NEVER, GS_NONE};
    c->gate[c->ngates] = g;
    return c->ngates++;
}

void gs_cluster_set_gate(struct gs_cluster *c, uint32_t node, struct gs_gate gate)
{
    const uint32_t row = gate_row(c, gate);
    if (c->node_gate[node] == row)
        return;
    c->node_gate[node] = row;
    gs_ledger_touch_gain(c, node);
}

/* ---- visit ---- */

/* One row as plain words, both ways, so that no padding is hashed or saved. */
static void visit_part(struct gs_partition *p, struct gs_visitor *v)
{
    uint32_t w[] = {p->gpu,        p->state,          p->slice_start,
                    p->slice_size, p->compute_slices, p->sms,
                    p->profile,    p->cap_milli,      p->cap_mem_mib,
                    p->held_milli, p->reserved_milli, p->releasing_milli,
                    p->held_mem,   p->reserved_mem,   p->releasing_mem,
                    p->next,       p->barred,         p->shares};
    gs_visit_u32(v, GS_TAG('P', 'A', 'R', 'T'), w, sizeof w / sizeof w[0]);
    if (v->mode != GS_VISIT_LOAD)
        return;
    *p = (struct gs_partition){.gpu = w[0],
                               .state = (uint8_t)w[1],
                               .slice_start = (uint8_t)w[2],
                               .slice_size = (uint8_t)w[3],
                               .compute_slices = (uint8_t)w[4],
                               .sms = (uint16_t)w[5],
                               .profile = (uint16_t)w[6],
                               .cap_milli = w[7],
                               .cap_mem_mib = w[8],
                               .held_milli = w[9],
                               .reserved_milli = w[10],
                               .releasing_milli = w[11],
                               .held_mem = w[12],
                               .reserved_mem = w[13],
                               .releasing_mem = w[14],
                               .next = w[15],
                               .barred = (uint8_t)w[16],
                               .shares = w[17]};
}

static void visit_claim(struct gs_claim *m, struct gs_visitor *v)
{
    uint32_t w[] = {m->task,  m->node, m->gpu,  m->partition, m->milli, m->mem_mib, m->state,
                    m->whole, m->head, m->kind, m->next,      m->owner, m->on_next, m->on_prev};
    int64_t x[] = {m->cpus_milli, m->node_mem_mib};
    gs_visit_u32(v, GS_TAG('C', 'L', 'M', 'U'), w, sizeof w / sizeof w[0]);
    gs_visit_i64(v, GS_TAG('C', 'L', 'M', 'I'), x, sizeof x / sizeof x[0]);
    if (v->mode != GS_VISIT_LOAD)
        return;
    *m = (struct gs_claim){.task = w[0],
                           .node = w[1],
                           .gpu = w[2],
                           .partition = w[3],
                           .milli = w[4],
                           .mem_mib = w[5],
                           .state = (uint8_t)w[6],
                           .whole = (uint8_t)w[7],
                           .head = (uint8_t)w[8],
                           .kind = (uint8_t)w[9],
                           .next = w[10],
                           .owner = w[11],
                           .on_next = w[12],
                           .on_prev = w[13],
                           .cpus_milli = x[0],
                           .node_mem_mib = x[1]};
}

static void visit_pools(struct gs_cluster *c, struct gs_visitor *v)
{
#define X(f) gs_visit_u32(v, GS_TAG('P', 'O', 'O', 'L'), &c->f, 1);
    POOL_COUNTS(X)
#undef X
    if (c->nparts > c->parts_cap) {
        c->parts_cap = c->nparts;
        c->part = gs_resize(c->part, c->parts_cap, sizeof *c->part);
    }
    if (c->nclaims > c->claims_cap) {
        c->claims_cap = c->nclaims;
        c->claim = gs_resize(c->claim, c->claims_cap, sizeof *c->claim);
    }
    for (uint32_t p = 0; p < c->nparts; p++)
        visit_part(&c->part[p], v);
    for (uint32_t m = 0; m < c->nclaims; m++)
        visit_claim(&c->claim[m], v);
}

void gs_cluster_visit(struct gs_cluster *c, struct gs_visitor *v)
{
    gs_require(!c->in_txn);
    /* Kinds are bits of counts; counts are visited in words of 32 bits. */
    for (uint32_t n = 0; n < c->nnodes; n++) {
        uint32_t w[GS_TASK_KINDS];
        uint16_t *count = &c->kind_count[(size_t)n * GS_TASK_KINDS];
        for (uint32_t i = 0; i < GS_TASK_KINDS; i++)
            w[i] = count[i];
        gs_visit_u32(v, GS_TAG('N', 'K', 'C', 'T'), w, GS_TASK_KINDS);
        for (uint32_t i = 0; i < GS_TASK_KINDS; i++)
            count[i] = (uint16_t)w[i];
        gs_visit_i64(v, GS_TAG('N', 'U', 'S', 'C'), c->use[n].cpus, GS_CLAIM_COUNT);
        gs_visit_i64(v, GS_TAG('N', 'U', 'S', 'M'), c->use[n].mem, GS_CLAIM_COUNT);
    }
#define X(f, call, tag) gs_visit_##call(v, tag, c->f, c->nnodes);
    STATE_NODE_COLUMNS(X)
#undef X
#define X(f, call, tag) gs_visit_##call(v, tag, c->f, c->ngpus);
    STATE_GPU_COLUMNS(X)
#undef X
    visit_pools(c, v);
#define X(f) gs_visit_i64(v, GS_TAG('T', 'O', 'T', 'L'), &c->f, 1);
    TOTALS(X)
#undef X
    gs_visit_u64(v, GS_TAG('E', 'P', 'O', 'C'), &c->epoch, 1);
    gs_visit_u64(v, GS_TAG('G', 'A', 'I', 'N'), &c->gain_epoch, 1);
}

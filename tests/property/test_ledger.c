/* test_ledger.c - property test of the ledger: 100,000 random operations against a model that is
 * too simple to be wrong.
 *
 * The model keeps a plain list of claims and instances and answers every question by adding up all
 * of it. After each operation the ledger's answer must be the model's, reason included; every 100
 * operations all free columns are compared with the model's sums, every 1,000 the ledger audits
 * itself. Transactions are rolled back to random marks, together with a saved copy of the model. */
#include "sim/base/rng.h"
#include "sim/cluster/cluster.h"
#include "tests/unit/cluster_help.h"
#include "tests/unit/harness.h"

enum {
    NODES = 6,
    GPUS = 4,
    TASKS = 96,
    PARTS = 64,
    TAKES = GPUS,
    CPUS = 16000,
    MEM = 4096,
    GMEM = 1000
};

struct m_claim {
    enum gs_claim_state state; /* FREE = no such claim */
    uint32_t row, task, node, n;
    struct gs_take take[TAKES]; /* partition = model index of an instance, GS_NONE = spanning */
    int64_t cpus, mem;
};

/* What separates shares on a node: level 0 on every other one, 1 between. */
static uint32_t fence(uint32_t gpu)
{
    return gpu / GPUS % 2;
}

struct m_part {
    uint32_t live, id, gpu, start, size, milli, mem;
    enum gs_part_state state; /* IDLE stands for IDLE and HELD */
};

struct model {
    struct m_claim claim[TASKS];
    struct m_part part[PARTS];
    uint8_t mig[NODES * GPUS], dead[NODES * GPUS];
    uint8_t state[NODES]; /* enum gs_node_state */
    uint32_t cap[NODES * GPUS];
};

/* Sums over the model's claims, by state. */
struct sums {
    int64_t milli[GS_CLAIM_COUNT], mem[GS_CLAIM_COUNT];
    uint32_t claims, shares;
};

static int64_t left(int64_t cap, const int64_t *a)
{
    const int64_t x = cap - a[GS_CLAIM_HELD] - a[GS_CLAIM_RESERVED] - a[GS_CLAIM_RELEASING];
    return x > 0 ? x : 0;
}

static int64_t cap_milli(const struct model *m, uint32_t gpu, uint32_t part)
{
    return part == GS_NONE ? m->cap[gpu] : m->part[part].milli;
}

static int64_t cap_mem(const struct model *m, uint32_t part)
{
    return part == GS_NONE ? GMEM : m->part[part].mem;
}

static struct sums sum_device(const struct model *m, uint32_t gpu, uint32_t part)
{
    struct sums s = {0};
    for (uint32_t i = 0; i < TASKS; i++) {
        const struct m_claim *c = &m->claim[i];
        for (uint32_t k = 0; c->state != GS_CLAIM_FREE && k < c->n; k++) {
            const struct gs_take *t = &c->take[k];
            if (t->gpu != gpu || t->partition != part)
                continue;
            s.milli[c->state] += t->whole ? cap_milli(m, gpu, part) : t->milli;
            s.mem[c->state] += t->whole ? cap_mem(m, part) : t->mem_mib;
            s.claims++;
            s.shares += !t->whole;
        }
    }
    return s;
}

static struct sums sum_node(const struct model *m, uint32_t node)
{
    struct sums s = {0};
    for (uint32_t i = 0; i < TASKS; i++) {
        const struct m_claim *c = &m->claim[i];
        if (c->state == GS_CLAIM_FREE || c->node != node)
            continue;
        s.milli[c->state] += c->cpus;
        s.mem[c->state] += c->mem;
        s.claims++;
    }
    return s;
}

static bool over(const int64_t *a, int64_t x, int64_t cap, bool promise)
{
    return a[GS_CLAIM_HELD] + a[GS_CLAIM_RESERVED] + (promise ? 0 : a[GS_CLAIM_RELEASING]) + x >
           cap;
}

/* Is a share of another tenant there, in one of two states, that it may not stand beside? */
static bool m_strangers(const struct model *m, const struct gs_take *t, enum gs_claim_state a,
                        enum gs_claim_state b, const struct m_claim *but)
{
    for (uint32_t i = 0; i < TASKS; i++) {
        const struct m_claim *c = &m->claim[i];
        if (c == but || (c->state != a && c->state != b))
            continue;
        for (uint32_t k = 0; k < c->n; k++) {
            const struct gs_take *o = &c->take[k];
            if (o->gpu == t->gpu && o->partition == GS_NONE && !o->whole &&
                o->owner / 4 != t->owner / 4 &&
                (o->owner % 4 > fence(t->gpu) || t->owner % 4 > fence(t->gpu)))
                return true;
        }
    }
    return false;
}

static enum gs_refusal m_take(const struct model *m, const struct gs_take *t, bool promise)
{
    const bool instance = t->partition != GS_NONE;
    if (m->dead[t->gpu])
        return GS_REFUSE_DOWN;
    if (instance != (m->mig[t->gpu] != 0))
        return GS_REFUSE_MODE;
    if (instance && (m->part[t->partition].state == GS_PART_DESTROYING ||
                     (m->part[t->partition].state == GS_PART_CREATING && !promise)))
        return GS_REFUSE_STALE;
    const struct sums s = sum_device(m, t->gpu, t->partition);
    const int64_t cap = cap_milli(m, t->gpu, t->partition);
    const int64_t mem = cap_mem(m, t->partition);
    if (over(s.milli, t->whole ? cap : t->milli, cap, promise))
        return GS_REFUSE_BUSY;
    if (over(s.mem, t->whole ? mem : t->mem_mib, mem, promise))
        return GS_REFUSE_GPU_MEM;
    const bool stranger =
        !instance && !t->whole &&
        (m_strangers(m, t, GS_CLAIM_HELD, GS_CLAIM_RESERVED, NULL) ||
         (!promise && m_strangers(m, t, GS_CLAIM_RELEASING, GS_CLAIM_RELEASING, NULL)));
    return stranger ? GS_REFUSE_ISOLATION : GS_GRANTED;
}

static enum gs_refusal m_claim(const struct model *m, const struct m_claim *c)
{
    const bool promise = c->state == GS_CLAIM_RESERVED;
    if (m->state[c->node] != GS_NODE_UP)
        return GS_REFUSE_DOWN;
    for (uint32_t k = 0; k < c->n; k++) {
        const enum gs_refusal r = m_take(m, &c->take[k], promise);
        if (r != GS_GRANTED)
            return r;
    }
    const struct sums s = sum_node(m, c->node);
    if (over(s.milli, c->cpus, CPUS, promise))
        return GS_REFUSE_CPU;
    return over(s.mem, c->mem, MEM, promise) ? GS_REFUSE_MEM : GS_GRANTED;
}

static enum gs_refusal m_hold(const struct model *m, const struct m_claim *c)
{
    if (c->state != GS_CLAIM_RESERVED)
        return GS_REFUSE_STALE;
    for (uint32_t k = 0; k < c->n; k++) {
        const struct gs_take *t = &c->take[k];
        struct sums s = sum_device(m, t->gpu, t->partition);
        const int64_t cap = cap_milli(m, t->gpu, t->partition);
        const int64_t mem = cap_mem(m, t->partition);
        s.milli[GS_CLAIM_RESERVED] = s.mem[GS_CLAIM_RESERVED] = 0;
        if (t->partition != GS_NONE && m->part[t->partition].state == GS_PART_CREATING)
            return GS_REFUSE_BUSY;
        if (over(s.milli, t->whole ? cap : t->milli, cap, false) ||
            over(s.mem, t->whole ? mem : t->mem_mib, mem, false))
            return GS_REFUSE_BUSY;
        if (t->partition == GS_NONE && !t->whole &&
            m_strangers(m, t, GS_CLAIM_HELD, GS_CLAIM_RELEASING, c))
            return GS_REFUSE_BUSY;
    }
    struct sums s = sum_node(m, c->node);
    s.milli[GS_CLAIM_RESERVED] = s.mem[GS_CLAIM_RESERVED] = 0;
    return over(s.milli, c->cpus, CPUS, false) || over(s.mem, c->mem, MEM, false) ? GS_REFUSE_BUSY
                                                                                  : GS_GRANTED;
}

/* ---- columns ---- */

static uint32_t claims_of(const struct model *m, uint32_t g)
{
    uint32_t claims = sum_device(m, g, GS_NONE).claims;
    for (uint32_t p = 0; p < PARTS; p++)
        if (m->part[p].live && m->part[p].gpu == g)
            claims += sum_device(m, g, p).claims;
    return claims;
}

static void compare_device(const struct model *m, const struct gs_cluster *c, uint32_t g)
{
    const struct sums s = sum_device(m, g, GS_NONE);
    const int64_t milli = m->mig[g] || m->dead[g] ? 0 : left(m->cap[g], s.milli);
    GS_EQ_INT(c->gpu_free_milli[g], milli);
    GS_EQ_INT(c->gpu_free_mem_mib[g], m->mig[g] || m->dead[g] ? 0 : left(GMEM, s.mem));
    GS_EQ_INT(c->gpu_claims[g], claims_of(m, g));
    GS_EQ_INT(c->gpu_mode[g], m->mig[g] ? GS_MODE_MIG : s.shares ? GS_MODE_SHARED : GS_MODE_WHOLE);
}

static void compare(const struct model *m, const struct gs_cluster *c)
{
    int64_t idle_up = 0;
    int64_t healthy = 0;
    int64_t owned = 0;
    for (uint32_t n = 0; n < NODES; n++) {
        const struct sums s = sum_node(m, n);
        int64_t idle = 0;
        for (uint32_t g = n * GPUS; g < (n + 1) * GPUS; g++) {
            compare_device(m, c, g);
            healthy += m->state[n] >= GS_NODE_DRAINING && !m->dead[g];
            idle += !m->mig[g] && !m->dead[g] && sum_device(m, g, GS_NONE).claims == 0;
        }
        GS_EQ_INT(c->free_cpus_milli[n], left(CPUS, s.milli));
        GS_EQ_INT(c->free_mem_mib[n], left(MEM, s.mem));
        GS_EQ_INT(c->node_tasks[n], s.claims);
        GS_EQ_INT(c->free_gpus[n], idle);
        idle_up += m->state[n] == GS_NODE_UP ? idle : 0;
        owned += m->state[n] == GS_NODE_ABSENT ? 0 : GPUS;
    }
    GS_EQ_INT(c->total_gpus, healthy);
    GS_EQ_INT(c->owned_gpus, owned);
    GS_EQ_INT(c->idle_gpus, idle_up);
}

/* ---- operations ---- */

struct world {
    struct rig r;
    struct model m;
    struct gs_stream s;
    uint64_t granted, refused[GS_REFUSE_COUNT];
};

static uint32_t below(struct world *w, uint32_t n)
{
    return (uint32_t)gs_below(&w->s, n);
}

/* Do ledger and model agree? */
static bool agree(struct world *w, enum gs_refusal ledger, enum gs_refusal model)
{
    GS_EQ_INT(ledger, model);
    w->refused[ledger]++;
    return ledger == GS_GRANTED;
}

static void random_takes(struct world *w, struct m_claim *c)
{
    const uint32_t first = c->node * GPUS;
    const uint32_t kind = below(w, 5);
    c->n = 0;
    if (kind == 0 || kind == 4) { /* a share; small ones have neighbours */
        const uint32_t gpu = first + below(w, GPUS);
        const uint32_t most = kind == 0 && below(w, 2) ? 1000 : 100;
        const uint32_t milli = 1 + below(w, most);
        const uint32_t tenant = below(w, 3);
        c->take[c->n] = share(gpu, milli, below(w, kind == 0 ? GMEM : 100));
        c->take[c->n++].owner = GS_OWNER(tenant, below(w, 3));
    } else if (kind == 1) { /* an instance */
        const uint32_t p = below(w, PARTS);
        if (!w->m.part[p].live || w->m.part[p].gpu / GPUS != c->node)
            return;
        c->take[c->n++] = slice(w->m.part[p].gpu, p, w->m.part[p].milli, 0);
    } else if (kind == 2) { /* some whole devices, in order */
        const uint32_t from = below(w, GPUS);
        for (uint32_t g = from; g < GPUS && g <= from + below(w, 3); g++)
            c->take[c->n++] = whole(first + g);
    }
}

static void op_claim(struct world *w, struct m_claim *slot)
{
    /* one draw a statement: the order within an initialiser is the compiler's choice */
    struct m_claim c = {.state = GS_CLAIM_HELD};
    if (below(w, 2))
        c.state = GS_CLAIM_RESERVED;
    c.node = below(w, NODES);
    c.task = below(w, 1000);
    c.cpus = below(w, CPUS / 3);
    c.mem = below(w, MEM / 3);
    random_takes(w, &c);
    struct gs_take real[TAKES];
    for (uint32_t k = 0; k < c.n; k++) {
        real[k] = c.take[k];
        if (real[k].partition != GS_NONE)
            real[k].partition = w->m.part[real[k].partition].id;
    }
    const enum gs_refusal r =
        gs_ledger_claim(&w->r.c, c.task, c.node, real, c.n, c.cpus, c.mem, c.state, &c.row);
    if (agree(w, r, m_claim(&w->m, &c)))
        *slot = c;
}

static void op_move(struct world *w, struct m_claim *slot)
{
    struct gs_cluster *c = &w->r.c;
    switch (below(w, 4)) {
    case 0:
        if (agree(w, gs_ledger_hold(c, slot->row), m_hold(&w->m, slot)))
            slot->state = GS_CLAIM_HELD;
        break;
    case 1:
        if (agree(w, gs_ledger_begin_release(c, slot->row),
                  slot->state == GS_CLAIM_HELD ? GS_GRANTED : GS_REFUSE_STALE))
            slot->state = GS_CLAIM_RELEASING;
        break;
    case 2: gs_ledger_retask(c, slot->row, ++slot->task); break;
    default:
        if (agree(w, gs_ledger_free(c, slot->row), GS_GRANTED))
            slot->state = GS_CLAIM_FREE;
        break;
    }
}

static bool has_part(const struct model *m, uint32_t gpu)
{
    for (uint32_t p = 0; p < PARTS; p++) {
        if (m->part[p].live && m->part[p].gpu == gpu)
            return true;
    }
    return false;
}

static void op_mode(struct world *w)
{
    const uint32_t g = below(w, NODES * GPUS);
    const bool to_mig = below(w, 2);
    bool claimed = sum_device(&w->m, g, GS_NONE).claims > 0;
    for (uint32_t p = 0; p < PARTS; p++)
        claimed = claimed || (w->m.part[p].live && w->m.part[p].gpu == g);
    const bool off = w->m.state[g / GPUS] != GS_NODE_UP || w->m.dead[g];
    const enum gs_refusal expected = off                             ? GS_REFUSE_DOWN
                                     : claimed || has_part(&w->m, g) ? GS_REFUSE_BUSY
                                                                     : GS_GRANTED;
    if (agree(w, gs_ledger_set_mode(&w->r.c, g, to_mig ? GS_MODE_MIG : GS_MODE_WHOLE), expected))
        w->m.mig[g] = to_mig;
}

static enum gs_refusal m_create(const struct model *m, const struct m_part *x)
{
    int64_t milli = x->milli;
    int64_t mem = x->mem;
    if (m->state[x->gpu / GPUS] != GS_NODE_UP || m->dead[x->gpu])
        return GS_REFUSE_DOWN;
    if (!m->mig[x->gpu])
        return GS_REFUSE_MODE;
    for (uint32_t p = 0; p < PARTS; p++) {
        const struct m_part *y = &m->part[p];
        if (!y->live || y->gpu != x->gpu)
            continue;
        if (x->start < y->start + y->size && y->start < x->start + x->size)
            return GS_REFUSE_GEOMETRY;
        milli += y->milli;
        mem += y->mem;
    }
    return x->start + x->size > 8 || milli > 1000 || mem > GMEM ? GS_REFUSE_GEOMETRY : GS_GRANTED;
}

static void op_create(struct world *w, struct m_part *slot)
{
    const uint32_t size = 1u << below(w, 4);
    const uint32_t start = below(w, 8);
    struct m_part x = {.live = 1,
                       .gpu = below(w, NODES * GPUS),
                       .start = start,
                       .size = size,
                       .milli = 142 * (size < 7 ? size : 7),
                       .mem = GMEM / 8 * size,
                       .state = GS_PART_CREATING};
    for (uint32_t k = 0; k < 4 && !w->m.mig[x.gpu]; k++)
        x.gpu = below(w, NODES * GPUS);
    const struct gs_partition want = {.gpu = x.gpu,
                                      .slice_start = (uint8_t)x.start,
                                      .slice_size = (uint8_t)x.size,
                                      .cap_milli = x.milli,
                                      .cap_mem_mib = x.mem};
    if (agree(w, gs_ledger_create_part(&w->r.c, &want, &x.id), m_create(&w->m, &x)))
        *slot = x;
}

static void op_part(struct world *w)
{
    const uint32_t p = below(w, PARTS);
    struct m_part *x = &w->m.part[p];
    struct gs_cluster *c = &w->r.c;
    if (!x->live) {
        op_create(w, x);
        return;
    }
    const uint32_t claims = sum_device(&w->m, x->gpu, p).claims;
    switch (below(w, 3)) {
    case 0:
        if (agree(w, gs_ledger_part_ready(c, x->id),
                  x->state == GS_PART_CREATING ? GS_GRANTED : GS_REFUSE_STALE))
            x->state = GS_PART_IDLE;
        break;
    case 1:
        if (agree(w, gs_ledger_destroy_part(c, x->id),
                  x->state != GS_PART_IDLE ? GS_REFUSE_STALE
                  : claims                 ? GS_REFUSE_BUSY
                                           : GS_GRANTED))
            x->state = GS_PART_DESTROYING;
        break;
    default:
        if (agree(w, gs_ledger_drop_part(c, x->id),
                  x->state == GS_PART_DESTROYING ? GS_GRANTED : GS_REFUSE_STALE))
            x->live = 0;
        break;
    }
}

static void drain(struct world *w, uint32_t node)
{
    for (uint32_t i = 0; i < TASKS; i++) {
        struct m_claim *c = &w->m.claim[i];
        if (c->state == GS_CLAIM_FREE || c->node != node)
            continue;
        if (agree(w, gs_ledger_free(&w->r.c, c->row), GS_GRANTED))
            c->state = GS_CLAIM_FREE;
    }
}

static void op_node(struct world *w)
{
    static const uint8_t to[] = {GS_NODE_UP,       GS_NODE_UP,   GS_NODE_UP,
                                 GS_NODE_DRAINING, GS_NODE_DOWN, GS_NODE_ABSENT};
    const uint32_t n = below(w, NODES);
    const uint8_t state = to[below(w, sizeof to)];
    const bool off = state < GS_NODE_DRAINING;
    if (off && below(w, 2))
        drain(w, n);
    const bool busy = w->m.state[n] != state && off && sum_node(&w->m, n).claims > 0;
    if (agree(w, gs_ledger_node_state(&w->r.c, n, (enum gs_node_state)state),
              busy ? GS_REFUSE_BUSY : GS_GRANTED))
        w->m.state[n] = state;
}

static void op_gpu(struct world *w)
{
    const uint32_t g = below(w, NODES * GPUS);
    const bool up = below(w, 3) > 0;
    const bool busy = !w->m.dead[g] && !up && claims_of(&w->m, g) > 0;
    if (agree(w, gs_ledger_gpu_up(&w->r.c, g, up), busy ? GS_REFUSE_BUSY : GS_GRANTED))
        w->m.dead[g] = !up;
}

static void op(struct world *w)
{
    const uint32_t dice = below(w, 100);
    struct m_claim *slot = &w->m.claim[below(w, TASKS)];
    if (dice < 70) {
        if (slot->state == GS_CLAIM_FREE)
            op_claim(w, slot);
        else
            op_move(w, slot);
    } else if (dice < 90) {
        op_part(w);
    } else if (dice < 97) {
        op_mode(w);
    } else if (dice < 99) {
        op_node(w);
    } else {
        op_gpu(w);
    }
}

static void world_init(struct world *w, uint32_t seed)
{
    memset(w, 0, sizeof *w);
    rig_up(&w->r, 0, 0);
    for (uint32_t n = 0; n < NODES; n++) {
        struct gs_node_spec s = spec("n", GPUS);
        s.cpus_milli = CPUS;
        s.mem_mib = MEM;
        s.gpu_mem_mib = GMEM;
        s.gpu_cap_milli = n == NODES - 1 ? 1700 : 1000;
        (void)add(&w->r, s);
        w->m.state[n] = GS_NODE_UP;
        w->r.c.node_fence[n] = (uint8_t)fence(n * GPUS);
        for (uint32_t g = n * GPUS; g < (n + 1) * GPUS; g++)
            w->m.cap[g] = s.gpu_cap_milli;
    }
    w->r.c.fenced = 1;
    gs_stream_init(&w->s, seed, GS_RNG_TEST, 0, 0);
}

/* A hundred thousand; GSIM_LEDGER_OPS says how many else. */
static uint32_t operations(void)
{
    const char *s = getenv("GSIM_LEDGER_OPS");
    const long n = s ? strtol(s, NULL, 10) : 0;
    return n > 0 && n < UINT32_MAX ? (uint32_t)n : 100000;
}

/* Everything given back: the cluster is what it was when it was built. */
static void return_to_empty(struct world *w)
{
    struct gs_cluster *c = &w->r.c;
    for (uint32_t n = 0; n < NODES; n++) {
        drain(w, n);
        GS_EQ_INT(gs_ledger_node_state(c, n, GS_NODE_UP), GS_GRANTED);
        w->m.state[n] = GS_NODE_UP;
    }
    for (uint32_t p = 0; p < PARTS; p++) {
        struct m_part *x = &w->m.part[p];
        if (!x->live)
            continue;
        (void)gs_ledger_part_ready(c, x->id);
        (void)gs_ledger_destroy_part(c, x->id);
        GS_EQ_INT(gs_ledger_drop_part(c, x->id), GS_GRANTED);
        x->live = 0;
    }
    for (uint32_t g = 0; g < NODES * GPUS; g++) {
        GS_EQ_INT(gs_ledger_gpu_up(c, g, 1), GS_GRANTED);
        w->m.dead[g] = 0;
        GS_EQ_INT(gs_ledger_set_mode(c, g, GS_MODE_WHOLE), GS_GRANTED);
        w->m.mig[g] = 0;
        GS_EQ_INT(c->gpu_free_milli[g], c->gpu_cap_milli[g]);
    }
    compare(&w->m, c);
    AUDIT(&w->r);
    GS_EQ_INT(c->held_milli, 0);
    GS_EQ_INT(c->held_cpus_milli, 0);
    GS_EQ_INT(c->idle_gpus, (int64_t)NODES * GPUS);
}

static void ledger_agrees_with_the_model(void)
{
    static struct world w;
    world_init(&w, 11);
    const uint32_t ops = operations();
    for (uint32_t i = 1; i <= ops; i++) {
        op(&w);
        if (i % 100 == 0)
            compare(&w.m, &w.r.c);
        if (i % 1000 == 0)
            AUDIT(&w.r);
    }
    return_to_empty(&w);
    /* the run means something only if every answer occurred, often */
    for (uint32_t r = 0; r < GS_REFUSE_COUNT; r++)
        CU_ASSERT(w.refused[r] > 100);
    rig_down(&w.r);
}

static void rollback_is_exact_at_random_marks(void)
{
    enum {
        MARKS = 16
    };
    static struct world w;
    static struct model saved[MARKS];
    struct copy copies[MARKS];
    size_t mark[MARKS];
    world_init(&w, 12);
    for (uint32_t round = 0; round < 600; round++) {
        for (uint32_t i = below(&w, 30); i > 0; i--)
            op(&w); /* committed work in between */
        gs_ledger_begin(&w.r.c);
        uint32_t n = 0;
        for (; n < MARKS; n++) {
            saved[n] = w.m;
            copies[n] = copy_of(&w.r.c);
            mark[n] = gs_ledger_mark(&w.r.c);
            for (uint32_t i = below(&w, 6); i > 0; i--)
                op(&w);
        }
        const uint32_t to = below(&w, MARKS + 1);
        while (n-- > 0) {
            if (n == to || (n > to && below(&w, 2))) {
                gs_ledger_rollback(&w.r.c, mark[n]);
                w.m = saved[n];
                CU_ASSERT(copy_matches(&copies[n], &w.r.c));
            }
            gs_free(copies[n].bytes);
        }
        gs_ledger_commit(&w.r.c);
        if (round % 50 == 0) {
            compare(&w.m, &w.r.c);
            AUDIT(&w.r);
        }
    }
    rig_down(&w.r);
}

static const struct gs_test tests[] = {
    {"ledger agrees with the model", ledger_agrees_with_the_model},
    {"rollback is exact at random marks", rollback_is_exact_at_random_marks},
};
GS_TEST_MAIN("property/ledger", tests)

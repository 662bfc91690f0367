/* ledger.c - who holds what: claims and their states.
 *
 * Each change goes through one of a few primitives that are their own inverses (shift a claim
 * between states; an up flag, a task number; in mig.c link or unlink a partition, set a mode).
 * undo.c logs and replays them.
 *
 * Amounts per state live in the partitions and in gs_node_use; free_*, kinds, modes and totals are
 * derived from them by gs_ledger_refresh_device and gs_ledger_settle, and hold after every call. A
 * device is idle exactly if gpu_free_milli equals its capacity: every claim takes at least one
 * thousandth.
 *
 * A request is checked whole before anything is changed, so a refusal needs no clean-up. Cost:
 * O(rows of the claim + devices of the node) a call. */
#include "sim/base/attr.h"
#include "sim/cluster/ledger_priv.h"

#include <string.h>

#include "sim/base/banned.h"

static const char *const refusal_names[GS_REFUSE_COUNT] = {
    [GS_GRANTED] = "granted",
    [GS_REFUSE_STALE] = "no such node, device, partition or claim, or in another state",
    [GS_REFUSE_DOWN] = "node or device is down",
    [GS_REFUSE_BUSY] = "device has not that much free",
    [GS_REFUSE_GPU_MEM] = "not enough GPU memory",
    [GS_REFUSE_CPU] = "not enough CPUs",
    [GS_REFUSE_MEM] = "not enough memory",
    [GS_REFUSE_GEOMETRY] = "MIG slices overlap or do not exist",
    [GS_REFUSE_MODE] = "device is in another mode",
    [GS_REFUSE_ISOLATION] = "another tenant's share is there, and one of the two is to be isolated",
};

const char *gs_refusal_str(enum gs_refusal r)
{
    gs_require((unsigned)r < GS_REFUSE_COUNT);
    return refusal_names[r];
}

/* ---- derived columns ---- */

static uint32_t left(uint32_t cap, uint32_t held, uint32_t reserved, uint32_t releasing)
{
    const uint64_t taken = (uint64_t)held + reserved + releasing;
    return taken < cap ? cap - (uint32_t)taken : 0;
}

static int64_t node_left(int64_t cap, const int64_t by_state[GS_CLAIM_COUNT])
{
    const int64_t taken =
        by_state[GS_CLAIM_HELD] + by_state[GS_CLAIM_RESERVED] + by_state[GS_CLAIM_RELEASING];
    return taken < cap ? cap - taken : 0;
}

/* What of the device's free share only the tenant that is there may have. */
static int64_t closed_of(const struct gs_cluster *c, uint32_t g)
{
    return (c->gpu_guard[g] & 3) > c->node_fence[c->gpu_node[g]] ? c->gpu_free_milli[g] : 0;
}

static uint32_t guard_of(const struct gs_cluster *c, uint32_t g)
{
    uint32_t row = c->part[g].shares;
    uint32_t guard = row ? c->claim[row - 1].owner : 0;
    for (; row; row = c->claim[row - 1].on_next)
        guard = gs_owners_join(guard, c->claim[row - 1].owner);
    return guard;
}

/* Free share and free memory of a device, and whether it became or ceased to be idle. */
void gs_ledger_refresh_device(struct gs_cluster *c, uint32_t g, int in_mig, struct gs_delta *d)
{
    const struct gs_partition *p = &c->part[g];
    const uint32_t before = c->gpu_free_milli[g];
    uint32_t milli = 0;
    uint32_t mem = 0;
    if (!in_mig && c->gpu_up[g]) {
        milli = left(p->cap_milli, p->held_milli, p->reserved_milli, p->releasing_milli);
        mem = left(p->cap_mem_mib, p->held_mem, p->reserved_mem, p->releasing_mem);
    }
    if (c->fenced)
        d->closed -= closed_of(c, g);
    c->gpu_free_milli[g] = milli;
    c->gpu_free_mem_mib[g] = mem;
    d->idle += (milli == p->cap_milli) - (before == p->cap_milli);
    d->free_milli += (int64_t)milli - (int64_t)before;
    if (c->fenced) {
        c->gpu_guard[g] = guard_of(c, g);
        d->closed += closed_of(c, g);
    }
}

/* Brings the node's columns and the totals up to date. */
void gs_ledger_settle(struct gs_cluster *c, uint32_t n, const struct gs_delta *d)
{
    c->free_cpus_milli[n] = node_left(c->cpus_milli[n], c->use[n].cpus);
    c->free_mem_mib[n] = node_left(c->mem_mib[n], c->use[n].mem);
    c->free_gpus[n] = (uint32_t)(c->free_gpus[n] + d->idle);
    c->held_milli += d->held_milli;
    if (c->node_up[n]) {
        c->idle_gpus += d->idle;
        c->free_milli_total += d->free_milli;
        c->closed_milli += d->closed;
    }
    uint32_t best = 0;
    if (c->free_gpus[n]) {
        best = 1000;
    } else if (c->gpu_count[n]) {
        const uint32_t *f = &c->gpu_free_milli[c->gpu_first[n]];
        for (uint32_t i = 0; i < c->gpu_count[n]; i++)
            best = f[i] > best ? f[i] : best;
        best = best < 1000 ? best : 1000;
    }
    c->free_share[n] = best;
}

/* ---- claims: the primitive is a shift between two states, FREE being one ---- */

static uint32_t *milli_in(struct gs_partition *p, enum gs_claim_state s)
{
    return s == GS_CLAIM_HELD       ? &p->held_milli
           : s == GS_CLAIM_RESERVED ? &p->reserved_milli
                                    : &p->releasing_milli;
}

static uint32_t *mem_in(struct gs_partition *p, enum gs_claim_state s)
{
    return s == GS_CLAIM_HELD       ? &p->held_mem
           : s == GS_CLAIM_RESERVED ? &p->reserved_mem
                                    : &p->releasing_mem;
}

static int occupies(enum gs_claim_state s)
{
    return s == GS_CLAIM_HELD || s == GS_CLAIM_RELEASING;
}

/* A share (or a claim on an instance) came to (+1) or left (-1) the device. */
static void count_share(struct gs_cluster *c, uint32_t g, int by)
{
    c->gpu_shares[g] += (uint32_t)by;
    if (c->gpu_mode[g] != GS_MODE_MIG)
        c->gpu_mode[g] = c->gpu_shares[g] ? GS_MODE_SHARED : GS_MODE_WHOLE;
}

/* The list of a device's shares. A row goes where its own links say, so that undoing a removal puts it back between
 * the same two. */
static void link_share(struct gs_cluster *c, uint32_t row)
{
    const struct gs_claim *m = &c->claim[row];
    *(m->on_prev ? &c->claim[m->on_prev - 1].on_next : &c->part[m->partition].shares) = row + 1;
    if (m->on_next)
        c->claim[m->on_next - 1].on_prev = row + 1;
}

static void unlink_share(struct gs_cluster *c, uint32_t row)
{
    const struct gs_claim *m = &c->claim[row];
    *(m->on_prev ? &c->claim[m->on_prev - 1].on_next : &c->part[m->partition].shares) = m->on_next;
    if (m->on_next)
        c->claim[m->on_next - 1].on_prev = m->on_prev;
}

static void shift_device(struct gs_cluster *c, const struct gs_claim *m, enum gs_claim_state from,
                         enum gs_claim_state to, struct gs_delta *d)
{
    struct gs_partition *p = &c->part[m->partition];
    const uint32_t g = m->gpu;
    const uint32_t milli = m->whole ? p->cap_milli : m->milli;
    const uint32_t mem = m->whole ? p->cap_mem_mib : m->mem_mib;
    const int by = (from == GS_CLAIM_FREE) - (to == GS_CLAIM_FREE);
    if (from != GS_CLAIM_FREE) {
        *milli_in(p, from) -= milli;
        *mem_in(p, from) -= mem;
    }
    if (to != GS_CLAIM_FREE) {
        *milli_in(p, to) += milli;
        *mem_in(p, to) += mem;
    }
    c->gpu_claims[g] += (uint32_t)by;
    if (by && !m->whole)
        count_share(c, g, by);
    d->held_milli += (int64_t)m->milli * (occupies(to) - occupies(from));
    if (p->state == GS_PART_IDLE || p->state == GS_PART_HELD)
        p->state =
            p->held_milli || p->reserved_milli || p->releasing_milli ? GS_PART_HELD : GS_PART_IDLE;
    if (m->partition == g) /* an instance changes nothing that a query for shares or wholes sees */
        gs_ledger_refresh_device(c, g, 0, d);
    else
        gs_mig_touch(c, c->gpu_node[g]);
}

void gs_ledger_shift_row(struct gs_cluster *c, uint32_t row, enum gs_claim_state to,
                         struct gs_delta *d)
{
    struct gs_claim *m = &c->claim[row];
    const enum gs_claim_state from = (enum gs_claim_state)m->state;
    if (c->fenced && m->gpu == m->partition && m->gpu != GS_NONE && !m->whole) {
        if (from == GS_CLAIM_FREE)
            link_share(c, row);
        else if (to == GS_CLAIM_FREE)
            unlink_share(c, row);
    }
    if (m->gpu != GS_NONE)
        shift_device(c, m, from, to, d);
    if (m->head) {
        struct gs_node_use *u = &c->use[m->node];
        u->cpus[from] -= m->cpus_milli;
        u->mem[from] -= m->node_mem_mib;
        u->cpus[to] += m->cpus_milli;
        u->mem[to] += m->node_mem_mib;
        u->cpus[GS_CLAIM_FREE] = u->mem[GS_CLAIM_FREE] = 0;
        c->held_cpus_milli += m->cpus_milli * (occupies(to) - occupies(from));
    }
    m->state = (uint8_t)to;
}

/* A task came to (+1) or left (-1) the node. */
void gs_ledger_count_task(struct gs_cluster *c, uint32_t node, uint32_t kind, int by)
{
    c->node_tasks[node] += (uint32_t)by;
    if (kind == GS_TASK_KIND_NONE)
        return;
    uint16_t *n = &c->kind_count[(size_t)node * GS_TASK_KINDS + kind];
    *n = (uint16_t)(*n + by);
    if (*n)
        c->task_kinds[node] |= 1u << kind;
    else
        c->task_kinds[node] &= ~(1u << kind);
}

static uint32_t new_row(struct gs_cluster *c, uint32_t *grown)
{
    const uint32_t row = c->claim_free;
    if (row != GS_NONE) {
        c->claim_free = c->claim[row].next;
        return row;
    }
    if (c->nclaims == c->claims_cap) {
        c->claims_cap = c->claims_cap ? 2 * c->claims_cap : 1024;
        c->claim = gs_resize(c->claim, c->claims_cap, sizeof *c->claim);
    }
    ++*grown;
    return c->nclaims++;
}

/* A free row holds nothing but its link. */
void gs_ledger_clear_row(struct gs_cluster *c, uint32_t row, uint32_t next)
{
    memset(&c->claim[row], 0, sizeof c->claim[row]);
    c->claim[row].next = next;
}

/* ---- claiming ---- */

/* Is there room for `milli` and `mem` in a partition? As a promise, room in release counts. */
static enum gs_refusal part_room(const struct gs_partition *p, uint32_t milli, uint32_t mem,
                                 int promise)
{
    const uint64_t wait_milli = promise ? 0 : p->releasing_milli;
    const uint64_t wait_mem = promise ? 0 : p->releasing_mem;
    if (p->held_milli + (uint64_t)p->reserved_milli + wait_milli + milli > p->cap_milli)
        return GS_REFUSE_BUSY;
    if (p->held_mem + (uint64_t)p->reserved_mem + wait_mem + mem > p->cap_mem_mib)
        return GS_REFUSE_GPU_MEM;
    return GS_GRANTED;
}

/* May a share of `owner` stand on device g beside those there in any state of the set (bits)? */
static int neighbours_agree(const struct gs_cluster *c, uint32_t g, uint32_t owner, uint32_t states)
{
    const uint32_t fence = c->node_fence[c->gpu_node[g]];
    for (uint32_t row = c->part[g].shares; row; row = c->claim[row - 1].on_next) {
        const struct gs_claim *m = &c->claim[row - 1];
        if ((states >> m->state & 1) && !gs_owners_agree(owner, m->owner, fence))
            return 0;
    }
    return 1;
}

enum {
    PRESENT = 1 << GS_CLAIM_HELD | 1 << GS_CLAIM_RELEASING,
    PROMISED = 1 << GS_CLAIM_HELD | 1 << GS_CLAIM_RESERVED
};

/* The partition that a take means: the named one, else the one that spans the device. */
static uint32_t part_of(const struct gs_take *t)
{
    return t->partition == GS_NONE ? t->gpu : t->partition;
}

static int device_exists(const struct gs_cluster *c, uint32_t node, const struct gs_take *t)
{
    return t->gpu - c->gpu_first[node] < c->gpu_count[node] &&
           (t->partition == GS_NONE ||
            (t->partition < c->nparts && c->part[t->partition].gpu == t->gpu));
}

static enum gs_refusal check_take(const struct gs_cluster *c, uint32_t node,
                                  const struct gs_take *t, int promise)
{
    if (!device_exists(c, node, t))
        return GS_REFUSE_STALE;
    if (!c->gpu_up[t->gpu])
        return GS_REFUSE_DOWN;
    const uint32_t part = part_of(t);
    const struct gs_partition *p = &c->part[part];
    if ((part < c->ngpus) == (c->gpu_mode[t->gpu] == GS_MODE_MIG))
        return GS_REFUSE_MODE;
    if (p->state == GS_PART_DESTROYING || (p->state == GS_PART_CREATING && !promise))
        return GS_REFUSE_STALE;
    if (t->milli == 0 || t->milli > 1000 || p->barred)
        return GS_REFUSE_BUSY;
    if (part == t->gpu && !t->whole && t->mem_mib > c->gpu_mem_mib[part])
        return GS_REFUSE_GPU_MEM; /* whatever more its sharing admits is for several */
    if (t->whole && t->mem_mib > p->cap_mem_mib)
        return GS_REFUSE_GPU_MEM;
    const enum gs_refusal r = part_room(p, t->whole ? p->cap_milli : t->milli,
                                        t->whole ? p->cap_mem_mib : t->mem_mib, promise);
    if (r == GS_GRANTED && c->fenced && part == t->gpu && !t->whole &&
        !neighbours_agree(c, t->gpu, t->owner, promise ? PROMISED : PROMISED | PRESENT))
        return GS_REFUSE_ISOLATION;
    return r;
}

/* Does an earlier take of the list name the same partition? `seen` has a bit for each device whose
 * spanning partition was named, which spares the search to all but instances. */
static int taken_twice(const struct gs_cluster *c, uint32_t node, const struct gs_take *take,
                       uint32_t i, uint64_t *seen)
{
    const uint32_t part = part_of(&take[i]);
    if (part == take[i].gpu) {
        const uint64_t bit = UINT64_C(1) << (part - c->gpu_first[node]);
        const int twice = (*seen & bit) != 0;
        *seen |= bit;
        return twice;
    }
    for (uint32_t k = 0; k < i; k++) {
        if (take[k].partition == part)
            return 1;
    }
    return 0;
}

/* One amount of a node: does x more fit? */
static int node_room(int64_t cap, const int64_t by_state[GS_CLAIM_COUNT], int64_t x, int promise)
{
    const int64_t taken = by_state[GS_CLAIM_HELD] + by_state[GS_CLAIM_RESERVED] +
                          (promise ? 0 : by_state[GS_CLAIM_RELEASING]);
    return x >= 0 && x <= cap - taken;
}

struct claim_ask {
    uint32_t task, node, n;
    const struct gs_take *take;
    int64_t cpus_milli, mem_mib;
    enum gs_claim_state state;
};

static enum gs_refusal check_claim(const struct gs_cluster *c, const struct claim_ask *a)
{
    const int promise = a->state == GS_CLAIM_RESERVED;
    if (a->node >= c->nnodes || a->n > GS_GPUS_PER_NODE_MAX)
        return GS_REFUSE_STALE;
    if (!c->node_up[a->node])
        return GS_REFUSE_DOWN;
    if (c->node_tasks[a->node] == UINT16_MAX) /* kind_count could not count it */
        return GS_REFUSE_BUSY;
    uint64_t seen = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        const enum gs_refusal r = check_take(c, a->node, &a->take[i], promise);
        if (r != GS_GRANTED)
            return r;
        if (taken_twice(c, a->node, a->take, i, &seen))
            return GS_REFUSE_BUSY;
    }
    if (!node_room(c->cpus_milli[a->node], c->use[a->node].cpus, a->cpus_milli, promise))
        return GS_REFUSE_CPU;
    if (!node_room(c->mem_mib[a->node], c->use[a->node].mem, a->mem_mib, promise))
        return GS_REFUSE_MEM;
    return GS_GRANTED;
}

static uint32_t kind_of(const struct gs_cluster *c, const struct claim_ask *a)
{
    if (a->n == 0)
        return GS_TASK_KIND_NONE;
    for (uint32_t i = 0; i < a->n; i++) {
        if (!a->take[i].whole || part_of(&a->take[i]) >= c->ngpus)
            return 0;
    }
    return a->n < GS_TASK_KINDS ? a->n : GS_TASK_KINDS - 1;
}

/* Row i of the claim; the first carries what belongs to the task. */
static void fill_row(struct gs_claim *m, const struct claim_ask *a, uint32_t i)
{
    *m = (struct gs_claim){.task = a->task,
                           .node = a->node,
                           .gpu = GS_NONE,
                           .partition = GS_NONE,
                           .kind = GS_TASK_KIND_NONE,
                           .next = GS_NONE};
    if (i < a->n) {
        m->gpu = a->take[i].gpu;
        m->partition = part_of(&a->take[i]);
        m->milli = a->take[i].milli;
        m->mem_mib = a->take[i].mem_mib;
        m->whole = a->take[i].whole != 0;
        m->owner = a->take[i].owner;
    }
}

/* One parameter an amount: a struct would only be filled and read once. */
// NOLINTNEXTLINE(readability-function-size)
enum gs_refusal gs_ledger_claim(struct gs_cluster *c, uint32_t task, uint32_t node,
                                const struct gs_take *take, uint32_t n, int64_t cpus_milli,
                                int64_t mem_mib, enum gs_claim_state state, uint32_t *first)
{
    gs_require(state == GS_CLAIM_RESERVED || state == GS_CLAIM_HELD);
    const struct claim_ask a = {task, node, n, take, cpus_milli, mem_mib, state};
    const enum gs_refusal r = check_claim(c, &a);
    if (r != GS_GRANTED)
        return r;
    struct gs_delta d = {0};
    uint32_t head = GS_NONE;
    uint32_t last = GS_NONE;
    uint32_t grown = 0;
    for (uint32_t i = 0; i == 0 || i < n; i++) {
        const uint32_t row = new_row(c, &grown);
        struct gs_claim *m = &c->claim[row];
        fill_row(m, &a, i);
        if (c->fenced && n && m->gpu == m->partition && !m->whole)
            m->on_next = c->part[m->gpu].shares;
        if (i == 0) {
            head = row;
            m->head = 1;
            m->kind = (uint8_t)kind_of(c, &a);
            m->cpus_milli = cpus_milli;
            m->node_mem_mib = mem_mib;
        } else {
            c->claim[last].next = row;
        }
        gs_ledger_shift_row(c, row, state, &d);
        last = row;
    }
    gs_ledger_count_task(c, node, c->claim[head].kind, 1);
    gs_ledger_settle(c, node, &d);
    gs_ledger_touch(c, node);
    struct gs_undo *u = gs_undo_log(c, GS_UNDO_CLAIM, head);
    if (u)
        u->aux = grown;
    *first = head;
    return GS_GRANTED;
}

/* ---- from state to state ---- */

static int is_head(const struct gs_cluster *c, uint32_t first)
{
    return first < c->nclaims && c->claim[first].state != GS_CLAIM_FREE && c->claim[first].head;
}

static void shift_claim(struct gs_cluster *c, uint32_t first, enum gs_claim_state to)
{
    const uint32_t node = c->claim[first].node;
    struct gs_delta d = {0};
    struct gs_undo *u = gs_undo_log(c, GS_UNDO_STATE, first);
    if (u)
        u->old = c->claim[first].state;
    for (uint32_t row = first; row != GS_NONE; row = c->claim[row].next)
        gs_ledger_shift_row(c, row, to, &d);
    gs_ledger_settle(c, node, &d);
}

/* Can a reserved row be held now: is everything that it was promised out of release? */
static enum gs_refusal check_hold(const struct gs_cluster *c, const struct gs_claim *m)
{
    if (m->gpu == GS_NONE)
        return GS_GRANTED;
    const struct gs_partition *p = &c->part[m->partition];
    const uint64_t milli = m->whole ? p->cap_milli : m->milli;
    const uint64_t mem = m->whole ? p->cap_mem_mib : m->mem_mib;
    if (p->state == GS_PART_CREATING ||
        p->held_milli + (uint64_t)p->releasing_milli + milli > p->cap_milli ||
        p->held_mem + (uint64_t)p->releasing_mem + mem > p->cap_mem_mib)
        return GS_REFUSE_BUSY;
    if (c->fenced && m->partition == m->gpu && !m->whole &&
        !neighbours_agree(c, m->gpu, m->owner, PRESENT))
        return GS_REFUSE_BUSY;
    return GS_GRANTED;
}

enum gs_refusal gs_ledger_hold(struct gs_cluster *c, uint32_t first)
{
    if (!is_head(c, first) || c->claim[first].state != GS_CLAIM_RESERVED)
        return GS_REFUSE_STALE;
    const struct gs_claim *h = &c->claim[first];
    const struct gs_node_use *u = &c->use[h->node];
    for (uint32_t row = first; row != GS_NONE; row = c->claim[row].next) {
        const enum gs_refusal r = check_hold(c, &c->claim[row]);
        if (r != GS_GRANTED)
            return r;
    }
    if (u->cpus[GS_CLAIM_HELD] + u->cpus[GS_CLAIM_RELEASING] + h->cpus_milli >
            c->cpus_milli[h->node] ||
        u->mem[GS_CLAIM_HELD] + u->mem[GS_CLAIM_RELEASING] + h->node_mem_mib > c->mem_mib[h->node])
        return GS_REFUSE_BUSY;
    shift_claim(c, first, GS_CLAIM_HELD);
    gs_ledger_touch(c, c->claim[first].node);
    return GS_GRANTED;
}

enum gs_refusal gs_ledger_begin_release(struct gs_cluster *c, uint32_t first)
{
    if (!is_head(c, first) || c->claim[first].state != GS_CLAIM_HELD)
        return GS_REFUSE_STALE;
    shift_claim(c, first, GS_CLAIM_RELEASING);
    gs_ledger_touch_gain(c, c->claim[first].node); /* a promise can be made now */
    return GS_GRANTED;
}

enum gs_refusal gs_ledger_free(struct gs_cluster *c, uint32_t first)
{
    if (!is_head(c, first))
        return GS_REFUSE_STALE;
    uint32_t rows[GS_GPUS_PER_NODE_MAX];
    uint32_t n = 0;
    struct gs_delta d = {0};
    const uint32_t node = c->claim[first].node;
    for (uint32_t row = first; row != GS_NONE; row = c->claim[row].next) {
        gs_verify(n < GS_GPUS_PER_NODE_MAX);
        rows[n++] = row;
    }
    gs_ledger_count_task(c, node, c->claim[first].kind, -1);
    /* Backwards, so that the next claim of this size gets the same rows in the same order. */
    while (n-- > 0) {
        const uint32_t row = rows[n];
        struct gs_undo *u = gs_undo_log(c, GS_UNDO_FREE, row);
        if (u)
            u->row.claim = c->claim[row];
        gs_ledger_shift_row(c, row, GS_CLAIM_FREE, &d);
        gs_ledger_clear_row(c, row, c->claim_free);
        c->claim_free = row;
    }
    gs_ledger_settle(c, node, &d);
    gs_ledger_touch_gain(c, node);
    return GS_GRANTED;
}

void gs_ledger_put_task(struct gs_cluster *c, uint32_t first, uint32_t task)
{
    for (uint32_t row = first; row != GS_NONE; row = c->claim[row].next)
        c->claim[row].task = task;
}

void gs_ledger_retask(struct gs_cluster *c, uint32_t first, uint32_t task)
{
    gs_require(is_head(c, first));
    struct gs_undo *u = gs_undo_log(c, GS_UNDO_TASK, first);
    if (u)
        u->aux = c->claim[first].task;
    gs_ledger_put_task(c, first, task);
    c->epoch++;
}

/* ---- nodes and devices: what is there ---- */

static int is_on(enum gs_node_state s)
{
    return s >= GS_NODE_DRAINING;
}

void gs_ledger_put_state(struct gs_cluster *c, uint32_t n, enum gs_node_state to)
{
    const enum gs_node_state from = (enum gs_node_state)c->node_state[n];
    const int on = is_on(to) - is_on(from);
    const int open = (to == GS_NODE_UP) - (from == GS_NODE_UP);
    const int owned = (to != GS_NODE_ABSENT) - (from != GS_NODE_ABSENT);
    int64_t milli = 0;
    int64_t closed = 0;
    int64_t healthy = 0;
    for (uint32_t g = c->gpu_first[n]; g < c->gpu_first[n] + c->gpu_count[n]; g++) {
        milli += c->gpu_free_milli[g];
        healthy += c->gpu_up[g];
        closed += c->fenced ? closed_of(c, g) : 0;
    }
    c->node_state[n] = (uint8_t)to;
    c->node_up[n] = to == GS_NODE_UP;
    if (c->node_mig[n])
        gs_mig_touch(c, n);
    c->nodes_up += on;
    c->total_gpus += on * healthy;
    c->total_cpus_milli += on * c->cpus_milli[n];
    c->owned_gpus += owned * (int64_t)c->gpu_count[n];
    c->idle_gpus += open * (int64_t)c->free_gpus[n];
    c->free_milli_total += open * milli;
    c->closed_milli += open * closed;
}

enum gs_refusal gs_ledger_node_state(struct gs_cluster *c, uint32_t node, enum gs_node_state state)
{
    gs_require((unsigned)state < GS_NODE_STATES);
    if (node >= c->nnodes)
        return GS_REFUSE_STALE;
    if (c->node_state[node] == state)
        return GS_GRANTED;
    if (!is_on(state) && c->node_tasks[node])
        return GS_REFUSE_BUSY;
    struct gs_undo *u = gs_undo_log(c, GS_UNDO_NODE, node);
    if (u)
        u->old = c->node_state[node];
    gs_ledger_put_state(c, node, state);
    if (state == GS_NODE_UP)
        gs_ledger_touch_gain(c, node);
    else
        gs_ledger_touch(c, node);
    return GS_GRANTED;
}

void gs_ledger_put_gpu(struct gs_cluster *c, uint32_t g, int up)
{
    const uint32_t n = c->gpu_node[g];
    struct gs_delta d = {0};
    if (is_on((enum gs_node_state)c->node_state[n]))
        c->total_gpus += up ? 1 : -1;
    c->gpu_up[g] = up != 0;
    if (c->node_mig[c->gpu_node[g]])
        gs_mig_touch(c, c->gpu_node[g]);
    gs_ledger_refresh_device(c, g, c->gpu_mode[g] == GS_MODE_MIG, &d);
    gs_ledger_settle(c, n, &d);
}

enum gs_refusal gs_ledger_gpu_up(struct gs_cluster *c, uint32_t gpu, int up)
{
    if (gpu >= c->ngpus)
        return GS_REFUSE_STALE;
    if (!c->gpu_up[gpu] == !up)
        return GS_GRANTED;
    if (!up && c->gpu_claims[gpu])
        return GS_REFUSE_BUSY;
    struct gs_undo *u = gs_undo_log(c, GS_UNDO_GPU, gpu);
    if (u)
        u->old = c->gpu_up[gpu];
    gs_ledger_put_gpu(c, gpu, up);
    if (up)
        gs_ledger_touch_gain(c, c->gpu_node[gpu]);
    else
        gs_ledger_touch(c, c->gpu_node[gpu]);
    return GS_GRANTED;
}

/* audit.c - an independent recount: every column and total is computed again from the claims and
 * partitions and compared.
 *
 * It shares no code with ledger.c on purpose, and only reads. Tests and debug runs call it; O(size
 * of the cluster). */
#include "sim/base/attr.h"
#include "sim/base/mem.h"
#include "sim/cluster/cluster.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/banned.h"

/* The recount. Per partition and per node the sums by state of claim; per device and node what is
 * counted. */
struct recount {
    struct gs_node_use *use;                                   /* [nnodes] */
    uint64_t (*milli)[GS_CLAIM_COUNT], (*mem)[GS_CLAIM_COUNT]; /* [nparts] */
    uint32_t *claims, *shares;                                 /* [ngpus] */
    uint32_t *tasks;                                           /* [nnodes] */
    uint16_t *kinds;                                           /* [nnodes * GS_TASK_KINDS] */
    uint8_t *seen;                                             /* [nclaims] */
    int64_t held_milli, held_cpus;
};

static void recount_init(struct recount *r, const struct gs_cluster *c)
{
    memset(r, 0, sizeof *r);
    r->use = gs_zalloc(c->nnodes, sizeof *r->use);
    r->milli = gs_zalloc(c->nparts, sizeof *r->milli);
    r->mem = gs_zalloc(c->nparts, sizeof *r->mem);
    r->claims = GS_NEW_N(uint32_t, c->ngpus);
    r->shares = GS_NEW_N(uint32_t, c->ngpus);
    r->tasks = GS_NEW_N(uint32_t, c->nnodes);
    r->kinds = gs_zalloc((size_t)c->nnodes * GS_TASK_KINDS, sizeof *r->kinds);
    r->seen = GS_NEW_N(uint8_t, c->nclaims);
}

static void recount_release(struct recount *r)
{
    gs_free(r->use);
    gs_free(r->milli);
    gs_free(r->mem);
    gs_free(r->claims);
    gs_free(r->shares);
    gs_free(r->tasks);
    gs_free(r->kinds);
    gs_free(r->seen);
}

static int bad(struct gs_err *err, const char *what, uint32_t id, int64_t stored, int64_t counted)
{
    (void)gs_fail(err, GS_E_FAILED,
                  "ledger audit: %s %" PRIu32 " is %" PRId64 ", recounted %" PRId64, what, id,
                  stored, counted);
    return 0;
}

/* One row of a claim. */
static int count_row(struct recount *r, const struct gs_cluster *c, uint32_t row,
                     struct gs_err *err)
{
    const struct gs_claim *m = &c->claim[row];
    if (m->state == GS_CLAIM_HELD || m->state == GS_CLAIM_RELEASING) {
        r->held_milli += m->milli;
        r->held_cpus += m->cpus_milli;
    }
    if (m->gpu == GS_NONE)
        return 1;
    if (m->partition >= c->nparts || c->part[m->partition].gpu != m->gpu)
        return bad(err, "device of claim row", row, m->gpu, c->part[m->partition].gpu);
    if (c->gpu_node[m->gpu] != m->node)
        return bad(err, "node of claim row", row, m->node, c->gpu_node[m->gpu]);
    const struct gs_partition *p = &c->part[m->partition];
    r->milli[m->partition][m->state] += m->whole ? p->cap_milli : m->milli;
    r->mem[m->partition][m->state] += m->whole ? p->cap_mem_mib : m->mem_mib;
    r->claims[m->gpu]++;
    r->shares[m->gpu] += m->whole ? 0 : 1;
    return 1;
}

/* A task's whole chain, from its first row. */
static int count_chain(struct recount *r, const struct gs_cluster *c, uint32_t head,
                       struct gs_err *err)
{
    const struct gs_claim *h = &c->claim[head];
    uint32_t n = 0;
    int whole = 1;
    for (uint32_t row = head; row != GS_NONE; row = c->claim[row].next) {
        const struct gs_claim *m = &c->claim[row];
        if (row >= c->nclaims || r->seen[row]++)
            return bad(err, "chain through claim row", row, 2, 1);
        if (m->state != h->state || m->task != h->task || m->node != h->node ||
            m->head != (row == head))
            return bad(err, "state of claim row", row, m->state, h->state);
        if (!count_row(r, c, row, err))
            return 0;
        n += m->gpu != GS_NONE;
        whole = whole && m->whole && m->partition < c->ngpus;
    }
    r->use[h->node].cpus[h->state] += h->cpus_milli;
    r->use[h->node].mem[h->state] += h->node_mem_mib;
    r->tasks[h->node]++;
    const uint32_t kind = n == 0 ? GS_TASK_KIND_NONE : !whole ? 0 : n < 15 ? n : 15;
    if (kind != h->kind)
        return bad(err, "kind of claim", head, h->kind, kind);
    if (kind != GS_TASK_KIND_NONE)
        r->kinds[(size_t)h->node * GS_TASK_KINDS + kind]++;
    return 1;
}

static int count_claims(struct recount *r, const struct gs_cluster *c, struct gs_err *err)
{
    for (uint32_t row = 0; row < c->nclaims; row++) {
        if (c->claim[row].state != GS_CLAIM_FREE && c->claim[row].head &&
            !count_chain(r, c, row, err))
            return 0;
    }

    for (uint32_t row = c->claim_free; row != GS_NONE; row = c->claim[row].next) {
        if (row >= c->nclaims || c->claim[row].state != GS_CLAIM_FREE || r->seen[row]++)
            return bad(err, "free list at claim row", row, 1, 0);
    }
    for (uint32_t row = 0; row < c->nclaims; row++) {
        if (!r->seen[row])
            return bad(err, "claim row in no chain and no free list: row", row, 0, 1);
    }
    return 1;
}

static int check_part(const struct recount *r, const struct gs_cluster *c, uint32_t i,
                      struct gs_err *err)
{
    const struct gs_partition *p = &c->part[i];
    const uint64_t *a = r->milli[i];
    const uint64_t *b = r->mem[i];
    if (p->held_milli != a[GS_CLAIM_HELD] || p->held_mem != b[GS_CLAIM_HELD])
        return bad(err, "held share of partition", i, p->held_milli, (int64_t)a[GS_CLAIM_HELD]);
    if (p->reserved_milli != a[GS_CLAIM_RESERVED] || p->reserved_mem != b[GS_CLAIM_RESERVED])
        return bad(err, "reserved share of partition", i, p->reserved_milli,
                   (int64_t)a[GS_CLAIM_RESERVED]);
    if (p->releasing_milli != a[GS_CLAIM_RELEASING] || p->releasing_mem != b[GS_CLAIM_RELEASING])
        return bad(err, "releasing share of partition", i, p->releasing_milli,
                   (int64_t)a[GS_CLAIM_RELEASING]);
    if (a[GS_CLAIM_HELD] + a[GS_CLAIM_RELEASING] > p->cap_milli ||
        a[GS_CLAIM_HELD] + a[GS_CLAIM_RESERVED] > p->cap_milli)
        return bad(err, "over-booked capacity of partition", i, p->cap_milli,
                   (int64_t)a[GS_CLAIM_HELD]);
    if (b[GS_CLAIM_HELD] + b[GS_CLAIM_RELEASING] > p->cap_mem_mib ||
        b[GS_CLAIM_HELD] + b[GS_CLAIM_RESERVED] > p->cap_mem_mib)
        return bad(err, "over-booked memory of partition", i, p->cap_mem_mib,
                   (int64_t)b[GS_CLAIM_HELD]);
    const int used = a[GS_CLAIM_HELD] + a[GS_CLAIM_RESERVED] + a[GS_CLAIM_RELEASING] > 0;
    const int ok = p->state == GS_PART_HELD ? used : !used || p->state == GS_PART_CREATING;
    return ok ? 1 : bad(err, "state of partition", i, p->state, used);
}

/* The device's list of partitions: the spanning one alone, or instances in order that do not
 * overlap. */
static int check_geometry(const struct gs_cluster *c, uint32_t g, struct gs_err *err)
{
    if (c->gpu_mode[g] != GS_MODE_MIG)
        return c->gpu_part[g] == g && c->part[g].next == GS_NONE
                   ? 1
                   : bad(err, "partition list of device", g, c->gpu_part[g], g);
    uint32_t end = 0;
    for (uint32_t i = c->gpu_part[g]; i != GS_NONE; i = c->part[i].next) {
        const struct gs_partition *p = &c->part[i];
        if (p->gpu != g || p->slice_start < end || p->slice_size == 0)
            return bad(err, "slice of partition", i, p->slice_start, end);
        end = (uint32_t)p->slice_start + p->slice_size;
    }
    return end <= c->gpu_slices[g] ? 1 : bad(err, "MIG slices of device", g, end, c->gpu_slices[g]);
}

static int64_t floor0(int64_t x)
{
    return x > 0 ? x : 0;
}

static int64_t sum3(const uint64_t *a)
{
    return (int64_t)(a[GS_CLAIM_HELD] + a[GS_CLAIM_RESERVED] + a[GS_CLAIM_RELEASING]);
}

static int both_there(const struct gs_claim *a, const struct gs_claim *b)
{
    return a->state == GS_CLAIM_HELD || b->state == GS_CLAIM_HELD || a->state == b->state;
}

/* The list of a device's shares, and that no two of different tenants stand where one is to be isolated. */
static int check_tenants(const struct recount *r, const struct gs_cluster *c, uint32_t g,
                         struct gs_err *err)
{
    uint32_t n = 0;
    uint32_t level = 0;
    uint32_t before = 0;
    for (uint32_t i = c->part[g].shares; i; before = i, i = c->claim[i - 1].on_next) {
        const struct gs_claim *a = &c->claim[i - 1];
        if (n++ >= r->shares[g] || a->state == GS_CLAIM_FREE || a->partition != g || a->whole ||
            a->on_prev != before)
            return bad(err, "list of shares of device", g, n, r->shares[g]);
        level = (a->owner & 3) > level ? a->owner & 3 : level;
        for (uint32_t k = a->on_next; k; k = c->claim[k - 1].on_next) {
            const struct gs_claim *b = &c->claim[k - 1];
            if (both_there(a, b) && a->owner >> 2 != b->owner >> 2 &&
                ((a->owner & 3) > c->node_fence[a->node] ||
                 (b->owner & 3) > c->node_fence[a->node]))
                return bad(err, "tenants on device", g, a->owner >> 2, b->owner >> 2);
        }
    }
    if (c->gpu_mode[g] != GS_MODE_MIG && n != r->shares[g])
        return bad(err, "shares listed of device", g, n, r->shares[g]);
    return (c->gpu_guard[g] & 3) == level ? 1
                                          : bad(err, "guard of device", g, c->gpu_guard[g], level);
}

static int check_device(const struct recount *r, const struct gs_cluster *c, uint32_t g,
                        struct gs_err *err)
{
    const int mig = c->gpu_mode[g] == GS_MODE_MIG;
    const int off = mig || !c->gpu_up[g];
    const int64_t milli = off ? 0 : floor0((int64_t)c->part[g].cap_milli - sum3(r->milli[g]));
    const int64_t mem = off ? 0 : floor0((int64_t)c->part[g].cap_mem_mib - sum3(r->mem[g]));
    const int mode = mig ? GS_MODE_MIG : r->shares[g] ? GS_MODE_SHARED : GS_MODE_WHOLE;
    if (c->gpu_free_milli[g] != milli)
        return bad(err, "free share of device", g, c->gpu_free_milli[g], milli);
    if (c->gpu_free_mem_mib[g] != mem)
        return bad(err, "free memory of device", g, c->gpu_free_mem_mib[g], mem);
    if (!c->gpu_up[g] && r->claims[g])
        return bad(err, "claims of the dead device", g, c->gpu_claims[g], 0);
    if (c->gpu_claims[g] != r->claims[g])
        return bad(err, "claims of device", g, c->gpu_claims[g], r->claims[g]);
    if (c->gpu_shares[g] != r->shares[g])
        return bad(err, "shares of device", g, c->gpu_shares[g], r->shares[g]);
    if (c->gpu_mode[g] != mode)
        return bad(err, "mode of device", g, c->gpu_mode[g], mode);
    if (c->fenced && !check_tenants(r, c, g, err))
        return 0;
    return check_geometry(c, g, err);
}

static int64_t node_free(int64_t cap, const int64_t *a)
{
    return floor0(cap - a[GS_CLAIM_HELD] - a[GS_CLAIM_RESERVED] - a[GS_CLAIM_RELEASING]);
}

static int over(int64_t cap, const int64_t *a)
{
    return a[GS_CLAIM_HELD] + a[GS_CLAIM_RELEASING] > cap ||
           a[GS_CLAIM_HELD] + a[GS_CLAIM_RESERVED] > cap;
}

static int check_node(const struct recount *r, const struct gs_cluster *c, uint32_t n,
                      struct gs_err *err)
{
    const struct gs_node_use *u = &r->use[n];
    uint32_t idle = 0;
    uint32_t share = 0;
    for (uint32_t g = c->gpu_first[n]; g < c->gpu_first[n] + c->gpu_count[n]; g++) {
        const uint32_t f = c->gpu_free_milli[g] < 1000 ? c->gpu_free_milli[g] : 1000;
        idle += c->gpu_claims[g] == 0 && c->gpu_mode[g] != GS_MODE_MIG && c->gpu_up[g];
        share = f > share ? f : share;
    }
    if (over(c->cpus_milli[n], u->cpus) || over(c->mem_mib[n], u->mem))
        return bad(err, "over-booked CPUs or memory of node", n, 1, 0);
    if (memcmp(u, &c->use[n], sizeof *u) != 0)
        return bad(err, "use by state of node", n, c->use[n].cpus[GS_CLAIM_HELD],
                   u->cpus[GS_CLAIM_HELD]);
    if (c->free_cpus_milli[n] != node_free(c->cpus_milli[n], u->cpus))
        return bad(err, "free CPUs of node", n, c->free_cpus_milli[n],
                   node_free(c->cpus_milli[n], u->cpus));
    if (c->free_mem_mib[n] != node_free(c->mem_mib[n], u->mem))
        return bad(err, "free memory of node", n, c->free_mem_mib[n],
                   node_free(c->mem_mib[n], u->mem));
    if (c->free_gpus[n] != idle)
        return bad(err, "idle devices of node", n, c->free_gpus[n], idle);
    if (c->free_share[n] != share)
        return bad(err, "largest free share of node", n, c->free_share[n], share);
    uint32_t mig = 0;
    for (uint32_t i = 0; i < c->gpu_count[n]; i++)
        mig += c->gpu_mode[c->gpu_first[n] + i] == GS_MODE_MIG;
    if (c->node_mig[n] != mig)
        return bad(err, "devices in MIG mode of node", n, c->node_mig[n], mig);
    if (c->node_tasks[n] != r->tasks[n])
        return bad(err, "tasks of node", n, c->node_tasks[n], r->tasks[n]);
    if (c->node_up[n] != (c->node_state[n] == GS_NODE_UP))
        return bad(err, "up flag of node", n, c->node_up[n], c->node_state[n]);
    if (c->node_state[n] < GS_NODE_DRAINING && r->tasks[n])
        return bad(err, "tasks of the down node", n, r->tasks[n], 0);
    for (uint32_t k = 0; k < GS_TASK_KINDS; k++) {
        const uint16_t count = r->kinds[(size_t)n * GS_TASK_KINDS + k];
        if (c->kind_count[(size_t)n * GS_TASK_KINDS + k] != count ||
            (c->task_kinds[n] >> k & 1u) != (count > 0))
            return bad(err, "tasks by kind of node", n,
                       c->kind_count[(size_t)n * GS_TASK_KINDS + k], count);
    }
    return 1;
}

static int check_totals(const struct recount *r, const struct gs_cluster *c, struct gs_err *err)
{
    int64_t up = 0;
    int64_t owned = 0;
    int64_t gpus = 0;
    int64_t idle = 0;
    int64_t milli = 0;
    int64_t cpus = 0;
    int64_t closed = 0;
    for (uint32_t n = 0; n < c->nnodes; n++) {
        owned += c->node_state[n] == GS_NODE_ABSENT ? 0 : c->gpu_count[n];
        if (c->node_state[n] < GS_NODE_DRAINING)
            continue;
        const int open = c->node_state[n] == GS_NODE_UP;
        up++;
        cpus += c->cpus_milli[n];
        idle += open ? c->free_gpus[n] : 0;
        for (uint32_t g = c->gpu_first[n]; g < c->gpu_first[n] + c->gpu_count[n]; g++) {
            gpus += c->gpu_up[g];
            milli += open ? c->gpu_free_milli[g] : 0;
            closed += open && (c->gpu_guard[g] & 3) > c->node_fence[n] ? c->gpu_free_milli[g] : 0;
        }
    }
    if (c->owned_gpus != owned)
        return bad(err, "total of owned GPUs", 0, c->owned_gpus, owned);
    if (c->nodes_up != up)
        return bad(err, "number of nodes up", 0, c->nodes_up, up);
    if (c->total_gpus != gpus)
        return bad(err, "total of GPUs", 0, c->total_gpus, gpus);
    if (c->idle_gpus != idle)
        return bad(err, "total of idle GPUs", 0, c->idle_gpus, idle);
    if (c->free_milli_total != milli)
        return bad(err, "total of free share", 0, c->free_milli_total, milli);
    if (c->closed_milli != closed)
        return bad(err, "total of free share that is closed", 0, c->closed_milli, closed);
    if (c->total_cpus_milli != cpus)
        return bad(err, "total of CPUs", 0, c->total_cpus_milli, cpus);
    if (c->held_milli != r->held_milli)
        return bad(err, "total of held share", 0, c->held_milli, r->held_milli);
    if (c->held_cpus_milli != r->held_cpus)
        return bad(err, "total of held CPUs", 0, c->held_cpus_milli, r->held_cpus);
    return 1;
}

int gs_ledger_audit(const struct gs_cluster *c, struct gs_err *err)
{
    struct recount r;
    recount_init(&r, c);
    int ok = count_claims(&r, c, err);
    for (uint32_t i = 0; ok && i < c->nparts; i++)
        ok = c->part[i].gpu == GS_NONE || check_part(&r, c, i, err);
    for (uint32_t g = 0; ok && g < c->ngpus; g++)
        ok = check_device(&r, c, g, err);
    for (uint32_t n = 0; ok && n < c->nnodes; n++)
        ok = check_node(&r, c, n, err);
    ok = ok && check_totals(&r, c, err);
    recount_release(&r);
    return ok;
}

/* classes.c - node classes: equal nodes are kept together, and only dirty nodes are looked at
 * again.
 *
 * Key words (see classes.h)
 *    0    shape | up << 32
 *    1    free whole devices | kinds of task << 32 (0 without GS_CLASSES_TASK_KINDS)
 *    2    free CPUs
 *    3    free memory
 *    4..  free milli << 32 | free MiB of each partly taken device, descending
 *   then  the guard of each of them, in this order, where the cluster is fenced
 *   then  1 << 63 | profile << 32 | idle instances of it, ascending
 *
 * A device with no free thousandth is wholly taken whatever memory it has left, because no request
 * can use that memory.
 *
 * Members. A class keeps a binary min-heap of node ids that were put in when they joined. An entry
 * counts while of[node] is the class; others are stale and removed when they reach the top. A node
 * that left and came back may stand in it twice, which changes no answer. The heap is rebuilt
 * without stale entries when it has more than twice the members (and 16), which at least as many
 * pushes paid for: O(log members) amortised a join, and never an allocation once it has grown. */
#include "sim/cluster/classes.h"

#include "sim/base/attr.h"
#include "sim/base/mem.h"
#include "sim/cluster/request.h"

#include <string.h>

#include "sim/base/banned.h"

enum {
    KEY_FIXED = 4,
    PROFILES = 16, /* of one node, which is of one GPU model: GS_MIG_PROFILES_MAX */
    KEY_MAX = KEY_FIXED + 2 * GS_GPUS_PER_NODE_MAX + PROFILES
};

#define INSTANCE (UINT64_C(1) << 63)

struct key {
    uint64_t w[KEY_MAX];
    uint32_t n, partly, instances;
    uint64_t hash;
};

/* ---- keys ---- */

static uint64_t hash_words(const uint64_t *w, uint32_t n)
{
    uint64_t h = n;
    for (uint32_t i = 0; i < n; i++)
        h = gs_hash_mix(h, w[i]);
    return h;
}

/* Counts the node's idle instances by profile; words from `at` on. Returns their end. */
static uint32_t count_instances(const struct gs_cluster *c, uint32_t n, uint64_t *w, uint32_t at)
{
    const uint32_t from = at;
    for (uint32_t g = c->gpu_first[n]; g < c->gpu_first[n] + c->gpu_count[n]; g++) {
        if (c->gpu_mode[g] != GS_MODE_MIG || !c->gpu_up[g])
            continue;
        for (uint32_t p = c->gpu_part[g]; p != GS_NONE; p = c->part[p].next) {
            if (c->part[p].state != GS_PART_IDLE || c->part[p].barred)
                continue;
            const uint64_t word = INSTANCE | (uint64_t)c->part[p].profile << 32;
            uint32_t i = at;
            while (i > from && w[i - 1] >= word)
                i--;
            if (i == at || w[i] >> 32 != word >> 32) {
                gs_verify(at < KEY_MAX);
                memmove(&w[i + 1], &w[i], (at++ - i) * sizeof *w);
                w[i] = word;
            }
            w[i]++;
        }
    }
    return at;
}

/* A partly taken device's word comes to the sorted ones, and its guard to the same place of theirs. */
static void insert_device(struct key *key, uint32_t *guard, uint64_t word, uint32_t own)
{
    uint32_t i = key->partly++;
    uint64_t *w = &key->w[KEY_FIXED];
    for (; i > 0 && (w[i - 1] < word || (w[i - 1] == word && guard[i - 1] < own)); i--) {
        w[i] = w[i - 1];
        guard[i] = guard[i - 1];
    }
    w[i] = word;
    guard[i] = own;
}

static void make_key(const struct gs_classes *k, uint32_t n, struct key *key)
{
    const struct gs_cluster *c = k->c;
    const uint64_t kinds = k->flags & GS_CLASSES_TASK_KINDS ? c->task_kinds[n] : 0;
    key->w[0] = k->shape[n] | (uint64_t)c->node_up[n] << 32 | (uint64_t)c->node_gate[n] << 33;
    key->w[1] = c->free_gpus[n] | kinds << 32;
    key->w[2] = (uint64_t)c->free_cpus_milli[n];
    key->w[3] = (uint64_t)c->free_mem_mib[n];
    uint32_t guard[GS_GPUS_PER_NODE_MAX];
    key->partly = 0;
    const uint32_t first = c->gpu_first[n];
    const uint32_t end = c->free_gpus[n] == c->gpu_count[n] ? first : first + c->gpu_count[n];
    for (uint32_t g = first; g < end; g++) {
        const uint32_t milli = c->gpu_free_milli[g];
        if (milli == 0 || milli == c->gpu_cap_milli[g])
            continue;
        insert_device(key, guard, (uint64_t)milli << 32 | c->gpu_free_mem_mib[g],
                      c->fenced ? c->gpu_guard[g] : 0);
    }
    uint32_t at = KEY_FIXED + key->partly;
    for (uint32_t i = 0; c->fenced && i < key->partly; i++)
        key->w[at++] = guard[i];
    key->n = c->node_mig[n] ? count_instances(c, n, key->w, at) : at;
    key->instances = key->n - at;
    key->hash = hash_words(key->w, key->n);
}

static int same_key(const struct gs_nclass *x, const struct key *key)
{
    return x->hash == key->hash && x->nkey == key->n &&
           memcmp(x->key, key->w, key->n * sizeof key->w[0]) == 0;
}

static int class_is(const void *ctx, uint32_t id, const void *key)
{
    const struct gs_classes *k = ctx;
    return same_key(&k->cls[id], key);
}

/* ---- shapes: nodes that agree in all that is fixed ---- */

static void shape_words(const struct gs_cluster *c, uint32_t n, uint64_t w[8])
{
    const uint32_t g = c->gpu_first[n];
    const int has = c->gpu_count[n] > 0;
    w[0] = c->node_type[n] | (uint64_t)c->node_model[n] << 32;
    w[1] = c->node_labels[n] | (uint64_t)c->gpu_count[n] << 32;
    w[2] = (uint64_t)c->cpus_milli[n];
    w[3] = (uint64_t)c->mem_mib[n];
    w[4] = has ? c->gpu_mem_mib[g] | (uint64_t)c->gpu_cap_milli[g] << 32 : 0;
    w[5] = has ? c->part[g].cap_mem_mib | (uint64_t)c->gpu_slices[g] << 32 : 0;
    memcpy(&w[6], &c->price_per_h[n], sizeof w[6]);
    w[7] = c->node_unverified[n] | (c->fenced ? (uint64_t)c->node_fence[n] << 8 : 0);
}

static int shape_is(const void *ctx, uint32_t node, const void *key)
{
    uint64_t w[8];
    shape_words(ctx, node, w);
    return memcmp(w, key, sizeof w) == 0;
}

/* The number of a shape is the lowest node that has it. */
static void find_shapes(struct gs_classes *k)
{
    struct gs_map map = {0};
    for (uint32_t n = 0; n < k->nnodes; n++) {
        uint64_t w[8];
        shape_words(k->c, n, w);
        const uint64_t hash = hash_words(w, 8);
        const uint32_t found = gs_map_find(&map, hash, shape_is, k->c, w);
        k->shape[n] = found == GS_NONE ? n : found;
        if (found == GS_NONE)
            gs_map_add(&map, hash, n);
    }
    gs_map_release(&map);
}

/* ---- making and dropping classes ---- */

/* Forgets all empty classes; their ids go to spare, in order. */
static void drop_empty(struct gs_classes *k)
{
    k->nspare = 0;
    for (uint32_t i = k->ncls; i-- > 0;) {
        struct gs_nclass *x = &k->cls[i];
        if (x->members)
            continue;
        if (x->nkey)
            gs_map_remove(&k->map, x->hash, i);
        x->nkey = 0; /* not findable */
        x->gen++;
        k->spare[k->nspare++] = i;
    }
}

static uint32_t new_id(struct gs_classes *k)
{
    const uint64_t limit = 4 * (uint64_t)k->nnodes > 1024 ? 4 * (uint64_t)k->nnodes : 1024;
    if (k->nspare == 0 && k->ncls >= limit)
        drop_empty(k);
    if (k->nspare)
        return k->spare[--k->nspare];
    if (k->ncls == k->cap) {
        k->cap = k->cap ? 2 * k->cap : 64;
        k->cls = gs_resize(k->cls, k->cap, sizeof *k->cls);
        k->spare = gs_resize(k->spare, k->cap, sizeof *k->spare);
        k->active = gs_resize(k->active, k->cap, sizeof *k->active);
    }
    memset(&k->cls[k->ncls], 0, sizeof k->cls[k->ncls]);
    return k->ncls++;
}

/* A class for the key of node n. */
static uint32_t new_class(struct gs_classes *k, uint32_t n, const struct key *key)
{
    const struct gs_cluster *c = k->c;
    const uint32_t id = new_id(k);
    struct gs_nclass *x = &k->cls[id];
    if (x->key_cap < key->n) {
        x->key_cap = key->n <= 8 ? 8 : c->fenced ? KEY_MAX : KEY_MAX - GS_GPUS_PER_NODE_MAX;
        x->key = gs_resize(x->key, x->key_cap, sizeof *x->key);
    }
    memcpy(x->key, key->w, key->n * sizeof key->w[0]);
    x->nkey = key->n;
    x->ninstances = key->instances;
    x->npartly = key->partly;
    x->hash = key->hash;
    x->model = c->node_model[n];
    x->labels = c->node_labels[n];
    x->up = c->node_up[n];
    x->fence = c->node_fence[n];
    x->free_gpus = c->free_gpus[n];
    x->free_share = c->free_share[n];
    x->gpu_count = c->gpu_count[n];
    const uint32_t g = c->gpu_first[n];
    x->gpu_mem_mib = x->gpu_count ? c->gpu_mem_mib[g] : 0;
    x->gpu_mem_cap_mib = x->gpu_count ? c->part[g].cap_mem_mib : 0;
    x->gpu_cap_milli = x->gpu_count ? c->gpu_cap_milli[g] : 0;
    x->free_cpus_milli = c->free_cpus_milli[n];
    x->free_mem_mib = c->free_mem_mib[n];
    x->free_milli = 0;
    for (uint32_t i = 0; i < x->gpu_count; i++)
        x->free_milli += c->gpu_free_milli[g + i];
    x->active_pos = GS_NONE;
    x->nheap = 0;
    gs_map_add(&k->map, key->hash, id);
    return id;
}

/* ---- members ---- */

static void sift_up(uint32_t *h, uint32_t i)
{
    const uint32_t x = h[i];
    while (i && h[(i - 1) / 2] > x) {
        h[i] = h[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h[i] = x;
}

static void sift_down(uint32_t *h, uint32_t n, uint32_t i)
{
    const uint32_t x = h[i];
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= n)
            break;
        if (child + 1 < n && h[child + 1] < h[child])
            child++;
        if (h[child] >= x)
            break;
        h[i] = h[child];
        i = child;
    }
    h[i] = x;
}

/* Keeps each member once and makes a heap of them again; O(entries). */
static void compact(struct gs_classes *k, uint32_t cls)
{
    struct gs_nclass *x = &k->cls[cls];
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->nheap; i++) {
        const uint32_t node = x->heap[i];
        if (k->of[node] != cls || k->seen[node])
            continue;
        k->seen[node] = 1;
        x->heap[n++] = node;
    }
    for (uint32_t i = 0; i < n; i++)
        k->seen[x->heap[i]] = 0;
    gs_verify(n == x->members);
    x->nheap = n;
    for (uint32_t i = n / 2; i-- > 0;)
        sift_down(x->heap, n, i);
}

static uint32_t *hist_cell(struct gs_classes *k, const struct gs_nclass *x)
{
    const uint32_t row = x->model + 1; /* GS_NONE + 1 = 0 */
    return &k->whole_hist[(size_t)row * GS_WHOLE_HIST_ROW + x->free_gpus];
}

/* A node of the class came to (+1) or left (-1) what is free. */
static void count_free(struct gs_classes *k, const struct gs_nclass *x, int by)
{
    struct gs_free_sum *s = &k->free_sum[x->model + 1]; /* GS_NONE + 1 = 0 */
    *hist_cell(k, x) += (uint32_t)by;
    s->gpus += by * (int64_t)x->free_gpus;
    s->milli += by * x->free_milli;
    s->cpus_milli += by * x->free_cpus_milli;
}

static void leave(struct gs_classes *k, uint32_t n)
{
    struct gs_nclass *x = &k->cls[k->of[n]];
    k->of[n] = GS_NONE;
    if (x->up)
        count_free(k, x, -1);
    if (--x->members)
        return;
    const uint32_t last = k->active[--k->nactive];
    k->active[x->active_pos] = last;
    k->cls[last].active_pos = x->active_pos;
    x->active_pos = GS_NONE;
    x->nheap = 0;
}

static void join(struct gs_classes *k, uint32_t n, uint32_t cls)
{
    struct gs_nclass *x = &k->cls[cls];
    k->of[n] = cls;
    if (x->members++ == 0) {
        x->active_pos = k->nactive;
        k->active[k->nactive++] = cls;
    }
    if (x->up)
        count_free(k, x, 1);
    x->born = ++k->clock;
    k->joined[k->clock % GS_JOINED_KEPT] = cls;
    if (x->nheap == x->heap_cap) {
        x->heap_cap = x->heap_cap ? 2 * x->heap_cap : 4;
        x->heap = gs_resize(x->heap, x->heap_cap, sizeof *x->heap);
    }
    x->heap[x->nheap++] = n;
    sift_up(x->heap, x->nheap - 1);
    if (x->nheap > 2 * x->members + 16)
        compact(k, cls);
}

/* Puts a node where its key says. */
static void place(struct gs_classes *k, uint32_t n)
{
    struct key key;
    make_key(k, n, &key);
    const uint32_t now = k->of[n];
    if (now != GS_NONE) {
        if (same_key(&k->cls[now], &key))
            return;
        leave(k, n);
    }
    uint32_t cls = gs_map_find(&k->map, key.hash, class_is, k, &key);
    if (cls == GS_NONE)
        cls = new_class(k, n, &key);
    join(k, n, cls);
    if (k->moved)
        k->moved(k->moved_ctx, n);
}

/* ---- public ---- */

void gs_classes_init(struct gs_classes *k, struct gs_cluster *c, uint32_t flags)
{
    memset(k, 0, sizeof *k);
    k->c = c;
    k->flags = flags;
    k->nnodes = c->nnodes;
    k->of = GS_NEW_N(uint32_t, c->nnodes);
    k->shape = GS_NEW_N(uint32_t, c->nnodes);
    k->seen = GS_NEW_N(uint8_t, c->nnodes);
    k->whole_hist = gs_zalloc((size_t)(c->nmodels + 1) * GS_WHOLE_HIST_ROW, sizeof *k->whole_hist);
    k->free_sum = GS_NEW_N(struct gs_free_sum, c->nmodels + 1);
    k->joined = GS_NEW_N(uint32_t, GS_JOINED_KEPT);
    find_shapes(k);
    for (uint32_t n = 0; n < c->nnodes; n++) {
        k->of[n] = GS_NONE;
        c->is_dirty[n] = 0;
    }
    c->ndirty = 0;
    for (uint32_t n = 0; n < c->nnodes; n++)
        place(k, n);
}

void gs_classes_release(struct gs_classes *k)
{
    for (uint32_t i = 0; i < k->ncls; i++) {
        gs_free(k->cls[i].heap);
        gs_free(k->cls[i].key);
    }
    gs_free(k->cls);
    gs_free(k->of);
    gs_free(k->active);
    gs_free(k->spare);
    gs_free(k->shape);
    gs_free(k->seen);
    gs_free(k->whole_hist);
    gs_free(k->free_sum);
    gs_free(k->joined);
    gs_map_release(&k->map);
    memset(k, 0, sizeof *k);
}

void gs_classes_sync(struct gs_classes *k)
{
    struct gs_cluster *c = k->c;
    gs_require(c->nnodes == k->nnodes);
    for (uint32_t i = 0; i < c->ndirty; i++) {
        const uint32_t n = c->dirty[i];
        c->is_dirty[n] = 0;
        place(k, n);
    }
    c->ndirty = 0;
}

uint32_t gs_class_lowest(struct gs_classes *k, uint32_t cls)
{
    gs_require(cls < k->ncls && k->cls[cls].members);
    struct gs_nclass *x = &k->cls[cls];
    while (k->of[x->heap[0]] != cls) {
        x->heap[0] = x->heap[--x->nheap];
        gs_verify(x->nheap);
        sift_down(x->heap, x->nheap, 0);
    }
    return x->heap[0];
}

/* Has a device of the class room for a share? The partly taken ones are key words, the idle ones
 * are all alike. */
static int share_fits(const struct gs_nclass *x, const struct gs_request *r, int fenced)
{
    const uint32_t milli = r->share_milli;
    const uint32_t mem = gs_request_mem(r, x->gpu_mem_mib);
    if (mem > x->gpu_mem_mib)
        return 0;
    if (x->free_gpus && milli <= x->gpu_cap_milli && mem <= x->gpu_mem_cap_mib)
        return 1;
    for (uint32_t i = KEY_FIXED; i < KEY_FIXED + x->npartly; i++) {
        if (x->key[i] >> 32 >= milli && (x->key[i] & UINT32_MAX) >= mem &&
            (!fenced || gs_owners_agree(r->owner, (uint32_t)x->key[i + x->npartly], x->fence)))
            return 1;
    }
    return 0;
}

static int instance_fits(const struct gs_nclass *x, uint16_t profile)
{
    for (uint32_t i = x->nkey - x->ninstances; i < x->nkey; i++)
        if ((x->key[i] & ~INSTANCE) >> 32 == profile)
            return 1;
    return 0;
}

int gs_class_fits(const struct gs_classes *k, uint32_t cls, const struct gs_request *r)
{
    const struct gs_nclass *x = &k->cls[cls];
    if (!x->up || r->cpus_milli > x->free_cpus_milli || r->mem_mib > x->free_mem_mib ||
        !gs_request_allows(r, x->labels, x->model))
        return 0;
    if (r->gpus == 0)
        return 1;
    if (gs_request_is_instance(r))
        return instance_fits(x, r->profile);
    const uint32_t mem = gs_request_mem(r, x->gpu_mem_mib);
    if (gs_request_is_share(r))
        return share_fits(x, r, k->c->fenced);
    return x->free_gpus >= r->gpus && mem <= x->gpu_mem_mib;
}

/* Is there any up node of an allowed model with so many idle devices? */
static int whole_anywhere(const struct gs_classes *k, const struct gs_request *r)
{
    for (uint32_t m = 0; m < k->c->nmodels; m++) {
        if (r->models && !(r->models >> m & 1))
            continue;
        const uint32_t *row = &k->whole_hist[(size_t)(m + 1) * GS_WHOLE_HIST_ROW];
        for (uint32_t idle = r->gpus; idle < GS_WHOLE_HIST_ROW; idle++) {
            if (row[idle])
                return 1;
        }
    }
    return 0;
}

uint32_t gs_classes_fitting(struct gs_classes *k, const struct gs_request *r, uint32_t *out)
{
    if (r->gpus && !gs_request_is_instance(r) && !gs_request_is_share(r) && !whole_anywhere(k, r))
        return 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->nactive; i++) {
        if (gs_class_fits(k, k->active[i], r))
            out[n++] = k->active[i];
    }
    return n;
}

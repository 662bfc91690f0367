/* frag.c - the fragmentation measure and the score built on it; see frag.h for definitions.
 *
 * The loop over typical tasks dominates a run of the FGD policy (some 10^5 scores x 35 tasks x devices tried), so what a task
 * contributes is looked up: outcome bit 0 = CPUs suffice, bit 1 = devices suffice. A task without GPU has size 0 and "k = 0", so its
 * devices always suffice and its classes are xl, xr in the columns of outcome 3 and 2. */
#include "frag.h"

#include <string.h>

struct gspl_frag_task {
    double p;
    int64_t cpus_milli;
    uint64_t models;
    uint32_t gpus;
    uint16_t size; /* position in sizes */
    uint8_t cls[4];
    uint8_t satisfied[4]; /* 1: q3, only what lies below d counts */
};

/* What a node offers to each distinct size. */
struct gspl_frag_offer {
    uint32_t devices; /* with at least that much free */
    int64_t below;    /* free milli on the others */
};

size_t gspl_frag_bytes(uint32_t n)
{
    return (size_t)n * sizeof(struct gspl_frag_task) +
           ((size_t)n + 1) * (sizeof(struct gspl_frag_offer) + sizeof(uint32_t));
}

static uint32_t task_milli(const struct gsp_typical *t, uint32_t i)
{
    if (t->gpus[i] == 0)
        return 0;
    return t->share_milli[i] < GSPL_WHOLE ? t->share_milli[i] : GSPL_WHOLE;
}

/* Inserts x into the ascending list of n distinct values; returns the new length. */
static uint32_t insert_size(uint32_t *size, uint32_t n, uint32_t x)
{
    uint32_t at = n;
    while (at > 0 && size[at - 1] >= x)
        at--;
    if (at < n && size[at] == x)
        return n;
    memmove(size + at + 1, size + at, (n - at) * sizeof *size);
    size[at] = x;
    return n + 1;
}

static uint16_t find_size(const uint32_t *size, uint32_t x)
{
    uint16_t i = 0;
    while (size[i] != x)
        i++;
    return i;
}

void gspl_frag_build(struct gspl_frag *f, const struct gsp_typical *t, void *memory)
{
    static const uint8_t with_gpu[4] = {GSPL_Q1, GSPL_Q2, GSPL_Q4, GSPL_Q2};
    static const uint8_t without[4] = {GSPL_XR, GSPL_XL, GSPL_XR, GSPL_XL};
    struct gspl_frag_task *task = memory;
    struct gspl_frag_offer *offer = (struct gspl_frag_offer *)(task + t->count);
    uint32_t *size = (uint32_t *)(offer + t->count + 1);
    uint32_t nsizes = 1;
    size[0] = 0;
    for (uint32_t i = 0; i < t->count; i++)
        nsizes = insert_size(size, nsizes, task_milli(t, i));
    for (uint32_t i = 0; i < t->count; i++) {
        const int gpu = t->gpus[i] != 0;
        task[i].p = t->probability[i];
        task[i].cpus_milli = t->cpus_milli[i];
        task[i].models = gpu ? t->models[i] : 0;
        task[i].gpus = t->gpus[i];
        task[i].size = find_size(size, task_milli(t, i));
        memcpy(task[i].cls, gpu ? with_gpu : without, sizeof task[i].cls);
        memset(task[i].satisfied, 0, sizeof task[i].satisfied);
        task[i].satisfied[3] = (uint8_t)gpu;
    }
    f->task = task;
    f->offer = offer;
    f->size = size;
    f->ntasks = t->count;
    f->nsizes = nsizes;
}

/* Fills offer[] for every size; returns the node's free milli. */
static int64_t offers(const struct gspl_frag *f, const struct gspl_node *n)
{
    struct gspl_frag_offer *o = f->offer;
    uint32_t sorted[GSPL_GPUS_MAX];
    int64_t total = 0;
    for (uint32_t i = 0; i < n->gpus; i++) {
        const uint32_t x = n->free[i];
        uint32_t at = i;
        for (; at > 0 && sorted[at - 1] > x; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = x;
        total += x;
    }
    int64_t below = 0;
    uint32_t i = 0;
    for (uint32_t s = 0; s < f->nsizes; s++) {
        for (; i < n->gpus && sorted[i] < f->size[s]; i++)
            below += sorted[i];
        o[s].devices = n->gpus - i;
        o[s].below = below;
    }
    return total;
}

double gspl_frag_node(const struct gspl_frag *f, const struct gspl_node *n,
                      double by_class[GSPL_FRAG_CLASSES])
{
    double sum[GSPL_FRAG_CLASSES] = {0};
    double usable = 0;
    const int64_t total = offers(f, n);
    for (uint32_t i = 0; i < f->ntasks && total > 0; i++) {
        const struct gspl_frag_task *t = &f->task[i];
        const struct gspl_frag_offer *of = &f->offer[t->size];
        const unsigned outcome =
            (unsigned)(n->cpus_milli >= t->cpus_milli) | (unsigned)(of->devices >= t->gpus) << 1;
        const int allowed = gspl_model_allowed(t->models, n->model);
        const int satisfied = allowed & t->satisfied[outcome];
        const unsigned cls = allowed ? t->cls[outcome] : GSPL_NA;
        sum[cls] += t->p * (double)(satisfied ? of->below : total);
        if (by_class)
            usable += satisfied ? t->p * (double)(total - of->below) : 0;
    }
    if (by_class) {
        memcpy(by_class, sum, sizeof sum);
        by_class[GSPL_Q3] = usable;
    }
    return sum[GSPL_Q1] + sum[GSPL_Q2] + sum[GSPL_Q4] + sum[GSPL_XL] + sum[GSPL_XR] + sum[GSPL_NA];
}

int64_t gspl_below(const struct gspl_node *n, uint32_t milli)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < n->gpus; i++)
        sum += n->free[i] < milli ? n->free[i] : 0;
    return sum;
}

int64_t gspl_fgd_score(double before, double after)
{
    return (int64_t)(1.0 / (1.0 + gsp_exp(-((before - after) / 1000))) * 100.0);
}

/* A share: devices that have the same amount left give the same score, so each amount is tried once. */
static int64_t place_share(const struct gspl_frag *f, const struct gspl_node *n,
                           const struct gspl_request *r, uint32_t *pos)
{
    const double before = gspl_frag_node(f, n, NULL);
    struct gspl_node after = *n;
    int64_t best = -1;
    after.cpus_milli -= r->cpus_milli;
    for (uint32_t i = 0; i < n->gpus; i++) {
        uint32_t twin = 0;
        while (n->free[twin] != n->free[i])
            twin++;
        if (n->free[i] < r->milli || twin < i)
            continue;
        after.free[i] -= r->milli;
        const int64_t s = gspl_fgd_score(before, gspl_frag_node(f, &after, NULL));
        after.free[i] += r->milli;
        if (s > best) {
            best = s;
            *pos = i;
        }
    }
    return best;
}

int64_t gspl_fgd_place(const struct gspl_frag *f, const struct gspl_node *n,
                       const struct gspl_request *r, uint32_t *pos)
{
    *pos = 0;
    if (r->gpus == 1 && r->milli < GSPL_WHOLE)
        return n->cpus_milli >= r->cpus_milli ? place_share(f, n, r, pos) : -1;
    struct gspl_node after = *n;
    if (!gspl_node_sub(&after, r))
        return -1;
    return gspl_fgd_score(gspl_frag_node(f, n, NULL), gspl_frag_node(f, &after, NULL));
}

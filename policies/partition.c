/* partition.c - partitioner: makes the instances that waiting jobs ask for, the first in order first, and takes back those that nobody uses.
 *
 * For each profile that is asked for and not on its way: a free place on a device in MIG mode; else one that idle instances stand on, which
 * are destroyed; else, with `mode = yes`, an idle device is put into MIG mode; else, with `drain = yes` and where no instance of the profile exists, the device where the fewest slices are
 * held is emptied at one place: nothing new lands there until it can be had. Idle instances of a profile that an earlier demand asks for stay.
 * Places are chosen high for profiles of 1 and 3 compute slices and low for others, which keeps halves whole; devices that hold most are filled first. One drain at a time. */
#include "gsim/policy.h"

#include "module.h"

#include <string.h>

struct self {
    int64_t drain, mode;
    /* the place that is being emptied, and for which profile; profile 0 = none */
    uint32_t profile, gpu, start, size;
};

/* One device's instances, as they will be after what is proposed. */
struct device {
    uint32_t gpu, n;
    struct gsp_mig_place at[GSP_MIG_PLACES_MAX];
    uint8_t idle[GSP_MIG_PLACES_MAX], size[GSP_MIG_PLACES_MAX], held[GSP_MIG_PLACES_MAX];
    uint32_t slices_held;
};

struct plan {
    struct gsp_ctx *c;
    const struct gsp_mig *mig;
    const struct gsp_partitioner_in *in;
    struct gsp_partitioner_out *out;
    struct device *device;
    struct self *self;
};

static int create(struct gsp_ctx *c, const struct gsp_config *cfg, void **self)
{
    struct self *s = gspl_new(c, sizeof *s);
    if (!s)
        return -1;
    s->drain = cfg->value[0].i;
    s->mode = cfg->value[1].i;
    *self = s;
    return 0;
}

static void propose(struct plan *p, uint8_t act, uint32_t gpu, uint32_t profile, uint32_t start)
{
    if (p->out->count < p->out->room)
        p->out->change[p->out->count++] = (struct gsp_mig_change){
            .gpu = gpu, .profile = (uint16_t)profile, .start = (uint8_t)start, .act = act};
}

/* The row of view->profiles of a profile on a device; GSP_NONE = it has none. */
static uint32_t row_of(const struct plan *p, uint32_t gpu, uint32_t profile)
{
    const struct gsp_view *v = p->c->view;
    const uint32_t model = v->nodes.model[GSP_INDEX(v->gpus.node[gpu])];
    for (uint32_t i = 0; i < v->profiles.count; i++)
        if (v->profiles.model[i] == model && v->profiles.profile[i] == profile)
            return i;
    return GSP_NONE;
}

static void read_devices(struct plan *p)
{
    const struct gsp_instances *x = &p->c->view->instances;
    uint32_t i = 0;
    for (uint32_t d = 0; d < p->in->devices; d++) {
        struct device *v = &p->device[d];
        v->gpu = p->in->device[d];
        while (i < x->count && x->gpu[i] < v->gpu)
            i++;
        for (; i < x->count && x->gpu[i] == v->gpu && v->n < GSP_MIG_PLACES_MAX; i++, v->n++) {
            v->at[v->n] = (struct gsp_mig_place){(uint16_t)x->profile[i], x->start[i]};
            v->size[v->n] = x->size[i];
            v->idle[v->n] = x->state[i] == GSP_INSTANCE_IDLE;
            v->held[v->n] = x->state[i] == GSP_INSTANCE_HELD;
            v->slices_held += v->held[v->n] ? x->size[i] : 0;
        }
    }
}

static uint32_t pick_start(const struct plan *p, uint32_t gpu, uint32_t profile, uint32_t starts)
{
    const uint32_t row = row_of(p, gpu, profile);
    const uint32_t compute = row == GSP_NONE ? 0 : p->c->view->profiles.compute[row];
    uint32_t s = 0;
    if (compute == 1 || compute == 3)
        for (s = 31; !(starts >> s & 1);)
            s--;
    else
        while (!(starts >> s & 1))
            s++;
    return s;
}

static void add(struct device *v, uint32_t profile, uint32_t start, uint32_t size)
{
    if (v->n == GSP_MIG_PLACES_MAX)
        return;
    v->at[v->n] = (struct gsp_mig_place){(uint16_t)profile, (uint8_t)start};
    v->size[v->n] = (uint8_t)size;
    v->idle[v->n] = v->held[v->n] = 0;
    v->n++;
}

static void drop(struct device *v, uint32_t k)
{
    v->n--;
    v->at[k] = v->at[v->n];
    v->idle[k] = v->idle[v->n];
    v->held[k] = v->held[v->n];
    v->size[k] = v->size[v->n];
}

/* Starts that would be legal were the idle instances (and, with `held`, those in use) not there. */
static uint32_t starts_without(const struct plan *p, const struct device *v, uint32_t profile,
                               int held)
{
    struct gsp_mig_place keep[GSP_MIG_PLACES_MAX];
    uint32_t n = 0;
    for (uint32_t k = 0; k < v->n; k++)
        if (!v->idle[k] && !(held && v->held[k]))
            keep[n++] = v->at[k];
    return p->mig->starts(p->c, v->gpu, keep, n, profile);
}

/* Starts without those that reach into the place that is being emptied for another profile. */
static uint32_t not_promised(const struct plan *p, const struct device *v, uint32_t profile,
                             uint32_t starts)
{
    const struct self *s = p->self;
    if (!s->profile || s->profile == profile || s->gpu != v->gpu)
        return starts;
    const uint32_t size = p->c->view->profiles.size[row_of(p, v->gpu, profile)];
    for (uint32_t at = 0; at < 32; at++)
        if (at < s->start + s->size && s->start < at + size)
            starts &= ~(UINT32_C(1) << at);
    return starts;
}

/* The device of most slices held that offers a start, by one of the two questions. */
static struct device *best_device(const struct plan *p, uint32_t profile, int reclaim,
                                  uint32_t *starts)
{
    struct device *best = NULL;
    for (uint32_t d = 0; d < p->in->devices; d++) {
        struct device *v = &p->device[d];
        if (p->c->view->gpus.mode[v->gpu] != 2 || (best && best->slices_held >= v->slices_held))
            continue;
        const uint32_t all = reclaim ? starts_without(p, v, profile, 0)
                                     : p->mig->starts(p->c, v->gpu, v->at, v->n, profile);
        const uint32_t s = all ? not_promised(p, v, profile, all) : 0;
        if (!s)
            continue;
        best = v;
        *starts = s;
    }
    return best;
}

/* Takes away the idle instances that stand in the way, and as many more idle ones as a rule that is not about places asks for. */
static void clear_way(struct plan *p, struct device *v, uint32_t profile, uint32_t start,
                      uint32_t size)
{
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t k = v->n; k-- > 0;) {
            const int overlaps =
                v->at[k].start < start + size && start < (uint32_t)v->at[k].start + v->size[k];
            const int wanted =
                pass ? !(p->mig->starts(p->c, v->gpu, v->at, v->n, profile) >> start & 1)
                     : overlaps;
            if (!v->idle[k] || !wanted)
                continue;
            propose(p, GSP_MIG_DESTROY, v->gpu, v->at[k].profile, v->at[k].start);
            drop(v, k);
        }
    }
}

static int make_one(struct plan *p, uint32_t profile)
{
    uint32_t starts = 0;
    struct device *v = best_device(p, profile, 0, &starts);
    const int reclaim = !v;
    if (reclaim)
        v = best_device(p, profile, 1, &starts);
    if (!v)
        return 0;
    const uint32_t start = pick_start(p, v->gpu, profile, starts);
    const uint32_t size = p->c->view->profiles.size[row_of(p, v->gpu, profile)];
    if (reclaim)
        clear_way(p, v, profile, start, size);
    if (profile == p->self->profile)
        p->self->profile = 0;
    propose(p, GSP_MIG_CREATE, v->gpu, profile, start);
    add(v, profile, start, size);
    return 1;
}

/* An idle device that is not in MIG mode, and has the profile. */
static int enable_one(struct plan *p, uint32_t profile)
{
    const struct gsp_gpus *g = &p->c->view->gpus;
    for (uint32_t d = 0; d < p->in->devices; d++) {
        struct device *v = &p->device[d];
        if (g->mode[v->gpu] == 2 || g->claims[v->gpu] || v->n ||
            row_of(p, v->gpu, profile) == GSP_NONE)
            continue;
        propose(p, GSP_MIG_ENABLE, v->gpu, 0, 0);
        add(v, profile, 0, 0); /* not asked twice */
        return 1;
    }
    return 0;
}

/* Slices in use where the profile would stand. */
static uint32_t in_the_way(const struct device *v, uint32_t start, uint32_t size)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < v->n; k++)
        if (v->at[k].start < start + size && start < (uint32_t)v->at[k].start + v->size[k])
            n += v->held[k] ? v->size[k] : 0;
    return n;
}

static void drain_one(struct plan *p, uint32_t profile)
{
    struct device *best = NULL;
    uint32_t best_start = 0, least = GSP_NONE, size = 0;
    for (uint32_t d = 0; d < p->in->devices; d++) {
        struct device *v = &p->device[d];
        const uint32_t row = row_of(p, v->gpu, profile);
        if (p->c->view->gpus.mode[v->gpu] != 2 || row == GSP_NONE)
            continue;
        const uint32_t starts = starts_without(p, v, profile, 1);
        for (uint32_t s = 0; s < 32; s++) {
            const uint32_t n = in_the_way(v, s, p->c->view->profiles.size[row]);
            if (!(starts >> s & 1) || n >= least)
                continue;
            best = v;
            best_start = s;
            least = n;
            size = p->c->view->profiles.size[row];
        }
    }
    for (uint32_t k = 0; best && k < best->n; k++)
        if (best->at[k].start < best_start + size &&
            best_start < (uint32_t)best->at[k].start + best->size[k])
            propose(p, GSP_MIG_DRAIN, best->gpu, best->at[k].profile, best->at[k].start);
    if (best) {
        p->self->profile = profile;
        p->self->gpu = best->gpu;
        p->self->start = best_start;
        p->self->size = size;
    }
}

/* Instances of the profile that are idle or on their way: they will serve waiting tasks without our doing. */
static uint32_t coming(const struct gsp_instances *x, uint32_t profile)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->count; i++)
        n += x->profile[i] == profile && !x->draining[i] &&
             (x->state[i] == GSP_INSTANCE_IDLE || x->state[i] == GSP_INSTANCE_CREATING);
    return n;
}

/* One that is held comes free by itself: it is no reason to empty another place. */
static int exists(const struct gsp_instances *x, uint32_t profile)
{
    for (uint32_t i = 0; i < x->count; i++)
        if (x->profile[i] == profile)
            return 1;
    return 0;
}

/* The profile that a place was emptied for is asked for no more: others may land there again. */
static void forget_promise(struct plan *p)
{
    const struct gsp_instances *x = &p->c->view->instances;
    uint32_t d = 0;
    while (d < p->in->demands && p->in->demand[d].profile != p->self->profile)
        d++;
    if (!p->self->profile || d < p->in->demands)
        return;
    for (uint32_t i = 0; i < x->count; i++)
        for (uint32_t k = 0; x->draining[i] && k < p->in->devices; k++)
            if (p->in->device[k] == x->gpu[i])
                propose(p, GSP_MIG_UNDRAIN, x->gpu[i], x->profile[i], x->start[i]);
    p->self->profile = 0;
}

/* Idle instances of a profile that is asked for are for those who ask, even if they cannot be had at once (a strict order, a gang): later
 * demands do not take them, or two profiles would make and unmake each other's for ever. */
static void keep(struct plan *p, uint32_t profile)
{
    for (uint32_t d = 0; d < p->in->devices; d++)
        for (uint32_t k = 0; k < p->device[d].n; k++)
            p->device[d].idle[k] &= p->device[d].at[k].profile != profile;
}

static int layout(void *self, struct gsp_ctx *c, const struct gsp_partitioner_in *in,
                  struct gsp_partitioner_out *out)
{
    struct self *s = self;
    struct plan p = {.c = c, .mig = c->host->ext(c, GSP_MIG), .in = in, .out = out, .self = s};
    if (!p.mig || (!in->demands && !s->profile))
        return 0;
    forget_promise(&p);
    p.device = c->host->scratch(c, (in->devices + 1u) * sizeof *p.device, 8);
    read_devices(&p);
    for (uint32_t i = 0; i < in->demands; i++) {
        const struct gsp_demand *d = &in->demand[i];
        uint32_t have = coming(&c->view->instances, d->profile);
        keep(&p, d->profile);
        for (; have < d->tasks; have++)
            if (!make_one(&p, d->profile) && !(s->mode && enable_one(&p, d->profile)))
                break;
        if (have < d->tasks && s->drain && !s->profile && !exists(&c->view->instances, d->profile))
            drain_one(&p, d->profile);
    }
    return 0;
}

static const struct gsp_param params[] = {
    {.name = "drain",
     .type = GSP_BOOL,
     .def = "no",
     .doc =
         "empty a place for a profile that has none, instead of waiting until one is free by chance"},
    {.name = "mode",
     .type = GSP_BOOL,
     .def = "yes",
     .doc = "put idle whole GPUs into MIG mode for waiting profiles"},
    {0}};

static const struct gsp_ops ops = {GSPL_OPS_HEAD, .create = create, .destroy = gspl_destroy_plain};

static const void *extension(const char *id)
{
    static const struct gsp_partitioner table = {.struct_size = (uint32_t)sizeof table,
                                                 .layout = layout};
    return strcmp(id, GSP_PARTITIONER) == 0 ? &table : NULL;
}

static const struct gsp_manifest manifest = {
    GSPL_MANIFEST_HEAD,
    .id = "partition",
    .name = "instances on demand",
    .doc = "partitioner: MIG instances for waiting profiles, in order; reclaims idle ones",
    .params = params,
    .ops = &ops,
    .extension = extension};
GSPL_QUERY(manifest)

/* sharing.c - the effect of neighbours on the same GPU: pace, memory, faults.
 *
 * A process is one device of a job that holds a part of it. The processes of a device are a list in order of arrival; when one comes or
 * goes, only the jobs of its device are touched: O(processes of the device). A job of several processes runs at the slowest of them.
 * Only computing is slowed; what it takes longer is throttled time. Modes as in sharing.h:
 *
 *   limit      u = utilisation of the process alone, s = its share of the SMs: computing takes max(1, u / s) as long (linear in SMs)
 *   hami:soft  what the devices' processes together leave idle goes to those that want more than s, in proportion to s
 *   memory     what a job uses is drawn once a job and taken gpu_memory_after its start; the process that takes it last fails
 *
 * Own approximations, not measured: the linear law, and HAMi's token bucket as its average. */
#include "sim/effects/sharing.h"

#include "sim/effects/effects.h"
#include "sim/hardware/interference.h"
#include "sim/life.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/banned.h"

struct process {
    uint32_t program; /* of the pairs; with that model only */
    uint32_t slot, gpu, milli, limit_mib, busy_milli;
    uint32_t used_mib;   /* taken until now */
    uint32_t prev, next; /* of the device, in order of arrival; next also of those that are free */
    uint32_t sibling;    /* next of the job */
};

struct gs_sharing_state {
    GS_VEC(struct process) p;
    uint32_t spare;         /* rows that are free */
    uint32_t *first, *last; /* [ngpus] */
    uint32_t *of;           /* [slots] first process of the job */
    uint32_t cap;
    GS_VEC(uint32_t) hit; /* jobs of a fault domain */
    struct gs_pairs pairs;
    uint32_t *program; /* [rows of r->data] program of the pairs */
};

enum gs_rc gs_sharing_parse(const struct gs_set_nodes *n, struct gs_sharing *out,
                            struct gs_err *err)
{
    static const struct {
        const char *word;
        enum gs_sharing_mode mode;
    } modes[] = {{"none", GS_SHARING_NONE},
                 {"time-slice", GS_SHARING_TIME_SLICE},
                 {"mps", GS_SHARING_MPS},
                 {"hami", GS_SHARING_HAMI}};

    /* the word for MIG mode without instances, which mig.c sees to */
    const char *text = !n->sharing || strcmp(n->sharing, "mig") == 0 ? "none" : n->sharing,
               *colon = strchr(text, ':');
    const size_t len = colon ? (size_t)(colon - text) : strlen(text);
    *out = (struct gs_sharing){.switch_milli = (uint32_t)(n->switch_cost * 1000.0 + 0.5)};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (strlen(modes[i].word) != len || strncmp(modes[i].word, text, len) != 0)
            continue;
        out->mode = modes[i].mode;
        out->soft = out->mode == GS_SHARING_HAMI && colon && strcmp(colon, ":soft") == 0;
        const int counts = out->mode == GS_SHARING_TIME_SLICE || out->mode == GS_SHARING_MPS;
        const int most = out->mode == GS_SHARING_MPS ? GS_MPS_CLIENTS : GS_REPLICAS_MAX;
        if (colon && counts) {
            char *end = NULL;
            const long v = strtol(colon + 1, &end, 10);
            if (end == colon + 1 || *end || v < 1 || v > most)
                return gs_fail(err, GS_E_INPUT,
                               "%s: [nodes %s] sharing: '%s': the number of replicas is 1 to %d",
                               n->where, n->name, text, most);
            out->replicas = (uint32_t)v;
        } else if ((colon && !out->soft) || out->mode == GS_SHARING_TIME_SLICE) {
            break;
        }
        return GS_OK;
    }
    return gs_fail(err, GS_E_INPUT,
                   "%s: [nodes %s] sharing: '%s' is not none, time-slice:N, mps, mps:N, hami, "
                   "hami:soft or mig",
                   n->where, n->name, text);
}

static const struct gs_sharing *sharing_of(const struct gs_run *r, uint32_t gpu)
{
    const uint32_t node = r->cluster.gpu_node[gpu];
    size_t i = 0;
    while (i + 1 < r->sharing_of.n && node >= r->sharing_of.v[i].node_end)
        i++;
    return &r->sharing_of.v[i];
}

/* ---- who is where ---- */

static void touch_device(struct gs_run *r, uint32_t gpu)
{
    const struct gs_sharing_state *s = r->sharing;
    for (uint32_t i = s->first[gpu]; i != GS_NONE; i = s->p.v[i].next)
        gs_pace_touch(r, s->p.v[i].slot);
}

static uint32_t add_process(struct gs_run *r, const struct process *what)
{
    struct gs_sharing_state *s = r->sharing;
    uint32_t i = s->spare;
    if (i == GS_NONE) {
        gs_vec_push(&s->p, *what);
        i = (uint32_t)s->p.n - 1;
    } else {
        s->spare = s->p.v[i].next;
        s->p.v[i] = *what;
    }
    struct process *p = &s->p.v[i];
    p->prev = s->last[p->gpu];
    p->next = GS_NONE;
    *(p->prev == GS_NONE ? &s->first[p->gpu] : &s->p.v[p->prev].next) = i;
    s->last[p->gpu] = i;
    return i;
}

static void drop_process(struct gs_run *r, uint32_t i)
{
    struct gs_sharing_state *s = r->sharing;
    struct process *p = &s->p.v[i];
    *(p->prev == GS_NONE ? &s->first[p->gpu] : &s->p.v[p->prev].next) = p->next;
    *(p->next == GS_NONE ? &s->last[p->gpu] : &s->p.v[p->next].prev) = p->prev;
    p->next = s->spare;
    s->spare = i;
}

static void start(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n)
{
    struct gs_sharing_state *s = r->sharing;
    const struct gs_data_spec *d = gs_data_of(r, r->live.id[slot]);
    if (slot >= s->cap) {
        s->of = gs_resize(s->of, r->live.jobs_cap, sizeof *s->of);
        s->cap = r->live.jobs_cap;
    }
    s->of[slot] = GS_NONE;
    for (uint32_t i = n; i-- > 0;) {
        if (held[i].gpu == GS_NONE || held[i].milli >= 1000 ||
            r->cluster.gpu_mode[held[i].gpu] == GS_MODE_MIG || /* instances are apart */
            sharing_of(r, held[i].gpu)->mode == GS_SHARING_NONE)
            continue;
        s->of[slot] = add_process(
            r, &(struct process){
                   .slot = slot,
                   .gpu = held[i].gpu,
                   .milli = held[i].milli,
                   .limit_mib = held[i].mem_mib,
                   .busy_milli = d ? d->busy_milli : 1000,
                   .program = s->program ? s->program[r->w.jobs.v[r->live.id[slot]].data] : 0,
                   .sibling = s->of[slot]});
        touch_device(r, held[i].gpu);
    }
    if (s->of[slot] != GS_NONE && d && (d->memory_used || s->program))
        (void)gs_effect_at(r, GS_EFFECT_SHARING, slot, r->eng.now_ns + d->memory_after_ns, 0);
}

static void stop(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n)
{
    struct gs_sharing_state *s = r->sharing;
    (void)held;
    (void)n;
    for (uint32_t i = s->of[slot]; i != GS_NONE; i = s->p.v[i].sibling) {
        const uint32_t gpu = s->p.v[i].gpu;
        drop_process(r, i);
        touch_device(r, gpu);
    }
    s->of[slot] = GS_NONE;
}

/* ---- pace ---- */

/* What the process may use of the SMs, milli. */
static uint32_t allowed(const struct gs_sharing_state *s, const struct process *p, int soft)
{
    uint32_t used = 0, wanting = 0;
    if (!soft || p->busy_milli <= p->milli)
        return p->milli;
    for (uint32_t i = s->first[p->gpu]; i != GS_NONE; i = s->p.v[i].next) {
        const struct process *q = &s->p.v[i];
        used += q->busy_milli < q->milli ? q->busy_milli : q->milli;
        wanting += q->busy_milli > q->milli ? q->milli : 0;
    }
    gs_require(wanting > 0); /* p itself wants */
    const uint32_t idle = used < 1000 ? 1000 - used : 0;
    return p->milli + (uint32_t)((uint64_t)idle * p->milli / wanting);
}

/* The model of pairs: the product over the neighbours. Those that do not fit are not slowed: one of them is about to fail. */
static int64_t beside(const struct gs_run *r, const struct process *p)
{
    const struct gs_sharing_state *s = r->sharing;
    const uint32_t model = r->cluster.node_model[r->cluster.gpu_node[p->gpu]];
    int64_t q = GS_UNDISTURBED;
    for (uint32_t i = s->first[p->gpu]; i != GS_NONE; i = s->p.v[i].next) {
        const int64_t by =
            &s->p.v[i] == p ? 0 : gs_pairs_of(&s->pairs, model, p->program, s->p.v[i].program);
        if (by > 0 && q < (INT64_C(1) << 32))
            q = q * by / GS_UNDISTURBED;
    }
    return q;
}

/* Has the process come beside one with which it does not fit? */
static int misfits(const struct gs_run *r, const struct process *p)
{
    const struct gs_sharing_state *s = r->sharing;
    const uint32_t model = r->cluster.node_model[r->cluster.gpu_node[p->gpu]];
    for (uint32_t i = p->prev; s->pairs.slowdown && i != GS_NONE; i = s->p.v[i].prev)
        if (gs_pairs_of(&s->pairs, model, p->program, s->p.v[i].program) == GS_PAIR_MISFIT)
            return 1;
    return 0;
}

static int64_t slowdown(const struct gs_run *r, const struct process *p)
{
    const struct gs_sharing_state *s = r->sharing;
    const struct gs_sharing *how = sharing_of(r, p->gpu);
    struct gs_neighbours n = {.switch_milli = how->switch_milli};
    for (uint32_t i = s->first[p->gpu]; i != GS_NONE; i = s->p.v[i].next) {
        n.processes++;
        n.busy_milli += s->p.v[i].busy_milli;
    }
    const int sliced = how->mode == GS_SHARING_TIME_SLICE;
    const enum gs_interference model = r->interference >= 0 ? (enum gs_interference)r->interference
                                       : sliced             ? GS_INTERFERE_EQUAL
                                                            : GS_INTERFERE_NONE;
    int64_t q = model == GS_INTERFERE_PAIRS ? beside(r, p) : gs_interference(model, &n);
    if (!sliced) {
        const uint32_t may = allowed(s, p, how->soft);
        if (p->busy_milli > may)
            q = q * p->busy_milli / may;
    }
    return q;
}

static void pace(struct gs_run *r, uint32_t slot, struct gs_pace *p)
{
    const struct gs_sharing_state *s = r->sharing;
    int64_t worst = GS_UNDISTURBED;
    for (uint32_t i = s->of[slot]; i != GS_NONE; i = s->p.v[i].sibling) {
        const int64_t q = slowdown(r, &s->p.v[i]);
        worst = q > worst ? q : worst;
    }
    p->q[GS_TIME_THROTTLED] += p->q[GS_TIME_COMPUTE] * (worst - GS_UNDISTURBED) / GS_UNDISTURBED;
}

/* ---- memory ---- */

enum fits {
    FITS,
    FULL, /* neighbours hold too much */
    NEVER /* more than its own limit */
};

static enum fits take_memory(struct gs_run *r, struct process *p, uint32_t mib)
{
    const struct gs_sharing_state *s = r->sharing;
    const uint32_t there = r->cluster.gpu_mem_mib[p->gpu];
    const int sliced = sharing_of(r, p->gpu)->mode == GS_SHARING_TIME_SLICE;
    uint64_t sum = mib;
    if (there && mib > (sliced ? there : p->limit_mib))
        return NEVER;
    for (uint32_t i = s->first[p->gpu]; i != GS_NONE; i = s->p.v[i].next)
        sum += s->p.v[i].used_mib;
    if (there && sliced && sum > there)
        return FULL;
    p->used_mib = mib;
    return FITS;
}

/* MiB that the job takes on each GPU, the same in every attempt; 0 = not said. */
static uint32_t memory_used(const struct gs_run *r, uint32_t id)
{
    const struct gs_data_spec *d = gs_data_of(r, id);
    struct gs_stream stream;
    if (!d->memory_used)
        return 0;
    gs_stream_init(&stream, r->seed, GS_RNG_SHARING, 0, id);
    const double mib = gs_dist_draw(d->memory_used, &stream);
    return mib < 1 ? 1 : mib > 4e9 ? UINT32_MAX : (uint32_t)mib;
}

static void event(struct gs_run *r, uint32_t slot, uint32_t code)
{
    struct gs_sharing_state *s = r->sharing;
    const uint32_t id = r->live.id[slot];
    const uint32_t used = memory_used(r, id);
    enum fits worst = FITS;
    (void)code;
    for (uint32_t i = s->of[slot]; i != GS_NONE; i = s->p.v[i].sibling) {
        enum fits f = used ? take_memory(r, &s->p.v[i], used) : FITS;
        if (f == FITS && misfits(r, &s->p.v[i]))
            f = FULL;
        worst = f > worst ? f : worst;
    }
    if (worst == FITS)
        return;
    if (worst == NEVER)
        gs_life_fail_for_good(r, slot, gs_intern(&r->str, "oom: uses more GPU memory than it may"));
    else
        gs_life_fail(r, slot, gs_intern(&r->str, "oom: no GPU memory left beside its neighbours"),
                     0);
    gs_life_freed(r);
}

/* ---- faults ---- */

void gs_sharing_fault(struct gs_run *r, uint32_t slot)
{
    struct gs_sharing_state *s = r->sharing;
    if (!s || slot >= s->cap)
        return;
    s->hit.n = 0;
    for (uint32_t i = s->of[slot]; i != GS_NONE; i = s->p.v[i].sibling) {
        const enum gs_sharing_mode mode = sharing_of(r, s->p.v[i].gpu)->mode;
        if (mode != GS_SHARING_TIME_SLICE && mode != GS_SHARING_MPS)
            continue;
        for (uint32_t q = s->first[s->p.v[i].gpu]; q != GS_NONE; q = s->p.v[q].next) {
            int seen = s->p.v[q].slot == slot;
            for (size_t h = 0; h < s->hit.n; h++)
                seen |= s->hit.v[h] == s->p.v[q].slot;
            if (!seen)
                gs_vec_push(&s->hit, s->p.v[q].slot);
        }
    }
    const uint32_t cause = gs_intern(&r->str, "a fault of a neighbour on the GPU");
    for (size_t h = 0; h < s->hit.n; h++)
        gs_life_fail(r, s->hit.v[h], cause, 0);
}

/* ---- the run ---- */

/* A share must be whole replicas of a node that only has replicas. */
static enum gs_rc check_share(const struct gs_run *r, const struct gs_job *j, struct gs_err *err)
{
    for (size_t i = 0; i < r->sharing_of.n; i++) {
        const struct gs_sharing *how = &r->sharing_of.v[i];
        const uint32_t unit = how->replicas ? 1000 / how->replicas : 1;
        const uint32_t least =
            how->mode == GS_SHARING_MPS ? (1000 + GS_MPS_CLIENTS - 1) / GS_MPS_CLIENTS : 1;
        if (j->share_milli % unit)
            return gs_fail(err, GS_E_INPUT,
                           "a job of '%s' asks for %u thousandths of a GPU, and nodes with %u "
                           "replicas a GPU have multiples of %u: change share or sharing",
                           gs_intern_str(&r->str, r->w.sources.v[j->source]), j->share_milli,
                           how->replicas, unit);
        if (!how->replicas && j->share_milli < least)
            return gs_fail(err, GS_E_INPUT,
                           "a job of '%s' asks for %u thousandths of a GPU: MPS has at most %d "
                           "clients, so at least %u",
                           gs_intern_str(&r->str, r->w.sources.v[j->source]), j->share_milli,
                           GS_MPS_CLIENTS, least);
    }
    return GS_OK;
}

/* Every program must have been measured on every GPU model that is shared. */
static enum gs_rc check_pairs(const struct gs_run *r, const char *const *gpu,
                              const char *const *program, struct gs_err *err)
{
    const struct gs_pairs *p = &r->sharing->pairs;
    for (uint32_t node = 0; node < r->cluster.nnodes; node++) {
        const uint32_t model = r->cluster.node_model[node];
        if (model == GS_NONE || sharing_of(r, r->cluster.gpu_first[node])->mode == GS_SHARING_NONE)
            continue;
        for (uint32_t a = 0; a < p->programs; a++)
            for (uint32_t b = 0; b < p->programs; b++)
                if (!gs_pairs_of(p, model, a, b))
                    return gs_fail(err, GS_E_INPUT,
                                   "interference = pairs: '%s' beside '%s' was not measured on %s "
                                   "(gsim catalog pairs; add rows of your own with [scenario] "
                                   "catalog)",
                                   program[a], program[b], gpu[model]);
    }
    return GS_OK;
}

static enum gs_rc make_pairs(struct gs_run *r, struct gs_err *err)
{
    struct gs_sharing_state *s = r->sharing;
    const char *gpu[GS_MODELS_MAX], **program = GS_NEW_N(const char *, r->data.n + 1);
    s->program = GS_NEW_N(uint32_t, r->data.n + 1);
    s->pairs.models = r->cluster.nmodels;
    for (uint32_t m = 0; m < r->cluster.nmodels; m++)
        gpu[m] = gs_intern_str(&r->str, r->cluster.model_name[m]);
    for (size_t i = 0; i < r->data.n; i++) {
        const char *name = gs_intern_str(&r->str, r->data.v[i].program);
        uint32_t at = 0;
        while (at < s->pairs.programs && strcmp(program[at], name) != 0)
            at++;
        if (at == s->pairs.programs && *name)
            program[s->pairs.programs++] = name;
        s->program[i + 1] = at;
    }
    gs_pairs_make(&s->pairs, &r->catalog, gpu, program);
    const enum gs_rc rc = check_pairs(r, gpu, program, err);
    gs_free(program);
    return rc;
}

static enum gs_rc prepare(struct gs_run *r, int *on, struct gs_err *err)
{
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < r->sharing_of.n; i++)
        *on |= r->sharing_of.v[i].mode != GS_SHARING_NONE;
    if (!*on)
        return GS_OK;
    for (size_t i = 0; i < r->w.jobs.n && !rc; i++) {
        const struct gs_job *j = &r->w.jobs.v[i];
        if (j->gpus != 1 || !j->share_milli || j->share_milli >= 1000)
            continue;
        rc = check_share(r, j, err);
        const struct gs_data_spec *d = gs_data_of(r, (uint32_t)i);
        if (!rc && r->interference == GS_INTERFERE_PAIRS && (!d || !d->program))
            rc = gs_fail(err, GS_E_INPUT,
                         "interference = pairs: the jobs of '%s' share GPUs and have no program",
                         gs_intern_str(&r->str, r->w.sources.v[j->source]));
    }
    if (rc)
        return rc;
    struct gs_sharing_state *s = GS_NEW(struct gs_sharing_state);
    r->sharing = s;
    s->spare = GS_NONE;
    s->first = GS_NEW_N(uint32_t, r->cluster.ngpus + 1);
    s->last = GS_NEW_N(uint32_t, r->cluster.ngpus + 1);
    for (uint32_t g = 0; g < r->cluster.ngpus; g++)
        s->first[g] = s->last[g] = GS_NONE;
    return r->interference == GS_INTERFERE_PAIRS ? make_pairs(r, err) : GS_OK;
}

static void release(struct gs_run *r)
{
    if (!r->sharing)
        return;
    gs_vec_free(&r->sharing->p);
    gs_vec_free(&r->sharing->hit);
    gs_free(r->sharing->first);
    gs_free(r->sharing->last);
    gs_free(r->sharing->of);
    gs_free(r->sharing->pairs.slowdown);
    gs_free(r->sharing->program);
    gs_free(r->sharing);
    r->sharing = NULL;
}

const struct gs_effect gs_effect_sharing = {.name = "sharing",
                                            .prepare = prepare,
                                            .start = start,
                                            .stop = stop,
                                            .pace = pace,
                                            .event = event,
                                            .release = release};

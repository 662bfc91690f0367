/* startup.c - the effect of coming up: each node of a job pulls what it lacks of the image, reads the weights, and then all begin.
 *
 *   image layers that the node has not (registry)  ->  weights (storage)  ->  ready     ... all nodes ready -> start-up time -> go
 *
 * A device's time is start-up until its node is ready and gang wait until the last node is; the drawn start-up time (container,
 * processes, communicators) is the same for all. A node keeps pulled layers as far as its image cache goes, the least recently used leave
 * first. Two jobs that pull a layer to one node at the same time both pull it. O(nodes of the job x layers) a start.
 * Model: own; no source was found for restart times, so they are the scenario's to say. */
#include "sim/base/rng.h"
#include "sim/effects/data.h"
#include "sim/effects/storage.h"
#include "sim/failures.h"

#include <math.h>
#include <string.h>

/* Codes of events: the drawn time is over; or a transfer is, of the node in row code - CODE_ROW of coming. */
enum {
    CODE_BEGUN,
    CODE_ROW
};

enum stage {
    STAGE_PULL,
    STAGE_WEIGHTS,
    STAGE_READY
};

struct coming { /* a node of a job that comes up */
    uint32_t node, devices, group, next;
    uint8_t stage;
};

struct kept { /* a layer on a node */
    uint32_t name;
    int64_t mib, used_ns;
};

struct gs_startup_state {
    GS_VEC(struct coming) coming;
    uint32_t free_row;

    struct up {
        uint32_t first, nodes_left, devices, ready;
    } * up; /* [slots] */

    uint32_t cap;
    GS_VEC(struct kept) * cache; /* [nodes] */
};

static struct up *up_at(struct gs_run *r, uint32_t slot)
{
    struct gs_startup_state *s = r->startup;
    if (slot >= s->cap) {
        s->up = gs_resize(s->up, r->live.jobs_cap, sizeof *s->up);
        s->cap = r->live.jobs_cap;
    }
    return &s->up[slot];
}

/* ---- the image cache of a node ---- */

static struct kept *find_layer(struct gs_run *r, uint32_t node, uint32_t name)
{
    for (size_t i = 0; i < r->startup->cache[node].n; i++)
        if (r->startup->cache[node].v[i].name == name)
            return &r->startup->cache[node].v[i];
    return NULL;
}

/* What of the image is to be pulled; layers that are there are used now. */
static int64_t missing_mib(struct gs_run *r, const struct gs_data_spec *d, uint32_t node)
{
    int64_t mib = 0;
    for (uint32_t i = 0; i < d->layers; i++) {
        const struct gs_layer *l = &r->layers.v[d->layer_first + i];
        struct kept *k = find_layer(r, node, l->name);
        if (k)
            k->used_ns = r->eng.now_ns;
        else
            mib += l->mib;
    }
    return mib;
}

static void evict_layers(struct gs_run *r, uint32_t node)
{
    const int64_t room = r->image_cache_mib;
    for (;;) {
        int64_t sum = 0;
        size_t oldest = 0;
        for (size_t i = 0; i < r->startup->cache[node].n; i++) {
            sum += r->startup->cache[node].v[i].mib;
            if (r->startup->cache[node].v[i].used_ns < r->startup->cache[node].v[oldest].used_ns)
                oldest = i;
        }
        if (sum <= room)
            return;
        struct kept *v = r->startup->cache[node].v;
        const size_t n = --r->startup->cache[node].n;
        memmove(v + oldest, v + oldest + 1, (n - oldest) * sizeof *v);
    }
}

static void keep_layers(struct gs_run *r, const struct gs_data_spec *d, uint32_t node)
{
    for (uint32_t i = 0; i < d->layers; i++) {
        const struct gs_layer *l = &r->layers.v[d->layer_first + i];
        if (!find_layer(r, node, l->name))
            gs_vec_push(&r->startup->cache[node], ((struct kept){l->name, l->mib, r->eng.now_ns}));
    }
    evict_layers(r, node);
}

/* ---- coming up ---- */

static void show_split(struct gs_run *r, uint32_t slot)
{
    const struct up *u = up_at(r, slot);
    struct gs_pace split = {0};
    split.q[GS_TIME_GANG_WAIT] = u->nodes_left ? GS_ONE * u->ready / u->devices : 0;
    split.q[GS_TIME_STARTUP] = GS_ONE - split.q[GS_TIME_GANG_WAIT];
    gs_pace_wait(r, slot, GS_EFFECT_STARTUP, &split);
}

/* The nodes are ready: the drawn time, then work. */
static void begin(struct gs_run *r, uint32_t slot)
{
    const struct gs_data_spec *d = gs_data_of(r, r->live.id[slot]);
    double s = gs_failures_restart_s(r, r->live.id[slot], r->live.attempts[slot]);
    if (d && d->startup) {
        struct gs_stream stream;
        gs_stream_init(&stream, r->seed, GS_RNG_STARTUP, r->live.attempts[slot] & 0xffffu,
                       r->live.id[slot]);
        s += gs_dist_draw(d->startup, &stream);
    }
    if (!(s > 0)) {
        gs_pace_go(r, slot, GS_EFFECT_STARTUP);
        return;
    }
    const double most = 1e8; /* three years; a draw beyond is not a start */
    const int64_t ns = (int64_t)((s < most ? s : most) * 1e9 + 0.5);
    (void)gs_effect_at(r, GS_EFFECT_STARTUP, slot, r->eng.now_ns + ns, CODE_BEGUN);
}

/* Moves a node to its next stage that takes time. */
static void advance(struct gs_run *r, uint32_t slot, uint32_t row)
{
    const struct gs_data_spec *d = gs_data_of(r, r->live.id[slot]);
    struct up *u = up_at(r, slot);
    struct coming *c = &r->startup->coming.v[row];
    const struct gs_node_weight w = {c->node, 1};
    if (c->stage == STAGE_PULL) {
        const int64_t mib = missing_mib(r, d, c->node);
        if (mib) {
            c->group = gs_storage_transfer(r, GS_EFFECT_STARTUP, slot, CODE_ROW + row,
                                           GS_SITE_REGISTRY, &w, 1, mib << 20);
            return;
        }
        c->stage = STAGE_WEIGHTS;
    }
    if (c->stage == STAGE_WEIGHTS && d->weights_bytes) {
        c->group = gs_storage_transfer(r, GS_EFFECT_STARTUP, slot, CODE_ROW + row, GS_SITE_READ, &w,
                                       1, d->weights_bytes);
        return;
    }
    c->stage = STAGE_READY;
    c->group = GS_NONE;
    u->ready += c->devices;
    u->nodes_left--;
}

static uint32_t new_row(struct gs_startup_state *s)
{
    if (s->free_row != GS_NONE) {
        const uint32_t row = s->free_row;
        s->free_row = s->coming.v[row].next;
        return row;
    }
    gs_vec_push(&s->coming, ((struct coming){0}));
    return (uint32_t)(s->coming.n - 1);
}

static void start(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n)
{
    struct up *u = up_at(r, slot);
    *u = (struct up){.first = GS_NONE};
    if (!gs_data_of(r, r->live.id[slot])) {
        if (gs_failures_restart_s(r, r->live.id[slot], r->live.attempts[slot]) > 0) {
            gs_pace_wait_part(r, slot, GS_EFFECT_STARTUP, GS_TIME_STARTUP);
            begin(r, slot);
        }
        return;
    }
    uint32_t nodes = 0;
    const struct gs_node_weight *w = gs_storage_nodes(r, held, n, &nodes);
    for (uint32_t i = 0; i < nodes; i++) {
        const uint32_t row = new_row(r->startup);
        r->startup->coming.v[row] = (struct coming){
            .node = w[i].node, .devices = w[i].weight, .group = GS_NONE, .next = u->first};
        u->first = row;
        u->devices += w[i].weight;
        u->nodes_left++;
    }
    for (uint32_t row = u->first; row != GS_NONE; row = r->startup->coming.v[row].next)
        advance(r, slot, row);
    show_split(r, slot);
    if (!u->nodes_left)
        begin(r, slot);
}

static void event(struct gs_run *r, uint32_t slot, uint32_t code)
{
    if (code == CODE_BEGUN) {
        gs_pace_go(r, slot, GS_EFFECT_STARTUP);
        return;
    }
    const uint32_t row = code - CODE_ROW;
    struct coming *c = &r->startup->coming.v[row];
    if (c->stage == STAGE_PULL)
        keep_layers(r, gs_data_of(r, r->live.id[slot]), c->node);
    c->stage++;
    advance(r, slot, row);
    show_split(r, slot);
    if (!up_at(r, slot)->nodes_left)
        begin(r, slot);
}

static void stop(struct gs_run *r, uint32_t slot, const struct gs_held *held, uint32_t n)
{
    struct gs_startup_state *s = r->startup;
    struct up *u = up_at(r, slot);
    (void)held;
    (void)n;
    while (u->first != GS_NONE) {
        const uint32_t row = u->first;
        if (s->coming.v[row].group != GS_NONE)
            gs_links_remove(r, s->coming.v[row].group);
        u->first = s->coming.v[row].next;
        s->coming.v[row].next = s->free_row;
        s->free_row = row;
    }
}

static enum gs_rc prepare(struct gs_run *r, int *on, struct gs_err *err)
{
    enum gs_rc rc = GS_OK;
    *on = gs_failures_restarts(r);
    if (*on)
        gs_storage_prepare(r);
    for (size_t i = 0; i < r->w.jobs.n && !rc; i++) {
        const struct gs_job *j = &r->w.jobs.v[i];
        const struct gs_data_spec *d = gs_data_of(r, (uint32_t)i);
        if (!d || (!d->layers && !d->weights_bytes && !d->startup))
            continue;
        *on = 1;
        gs_storage_prepare(r);
        if (d->layers)
            rc = gs_storage_need(r, GS_SITE_REGISTRY, j, "image", err);
        if (!rc && d->weights_bytes)
            rc = gs_storage_need(r, GS_SITE_READ, j, "weights", err);
    }
    if (*on && !rc) {
        r->startup = GS_NEW(struct gs_startup_state);
        r->startup->free_row = GS_NONE;
        r->startup->cache = gs_zalloc(r->cluster.nnodes, sizeof *r->startup->cache);
    }
    return rc;
}

static void release(struct gs_run *r)
{
    struct gs_startup_state *s = r->startup;
    if (!s)
        return;
    for (uint32_t i = 0; i < r->cluster.nnodes; i++)
        gs_vec_free(&s->cache[i]);
    gs_free(s->cache);
    gs_free(s->up);
    gs_vec_free(&s->coming);
    gs_free(s);
    r->startup = NULL;
}

const struct gs_effect gs_effect_startup = {.name = "startup",
                                            .prepare = prepare,
                                            .start = start,
                                            .stop = stop,
                                            .event = event,
                                            .release = release};

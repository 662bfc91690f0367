/* mig_run.c - instances and modes while the run goes on, and the record of what existed when. */
#include "sim/life.h"
#include "sim/mig.h"

static const struct gs_mig_spec *spec_of(const struct gs_run *r, uint32_t gpu)
{
    return &r->mig->spec.v[r->mig->spec_of[r->cluster.gpu_node[gpu]]];
}

static void done_after(struct gs_run *r, int64_t ns, uint32_t subject, uint32_t mode)
{
    (void)gs_engine_at(&r->eng, r->eng.now_ns + ns, GS_EV_MIG, subject, mode);
}

void gs_mig_created(void *world, uint32_t part)
{
    struct gs_run *r = world;
    gs_mig_note_born(r, part);
    done_after(r, spec_of(r, r->cluster.part[part].gpu)->create_ns, part, 0);
}

void gs_mig_gone(void *world, uint32_t part)
{
    gs_mig_note_gone(world, part);
}

void gs_mig_mode(void *world, uint32_t gpu)
{
    struct gs_run *r = world;
    done_after(r, spec_of(r, gpu)->mode_ns, gpu, 1);
}

enum gs_rc gs_mig_on_done(void *world, const struct gs_event *ev, uint64_t *result,
                          struct gs_err *err)
{
    struct gs_run *r = world;
    (void)result;
    (void)err;
    if (ev->object)
        gs_host_mig_mode_done(r->host, ev->subject, r->eng.now_ns);
    else
        gs_host_mig_ready(r->host, ev->subject, r->eng.now_ns);
    gs_run_want_pass(r);
    return GS_OK;
}

/* ---- fragmentation ---- */

/* One device: what is free is what nobody holds; an idle instance serves its own profile alone, slices without an instance any that
 * finds a legal start among all instances. */
static void measure_device(const struct gs_run *r, uint32_t gpu, struct gs_mig_slices *sum)
{
    const struct gs_cluster *c = &r->cluster;
    const struct gs_mig_geometry *g = r->mig->book.of[c->node_model[c->gpu_node[gpu]]];
    uint32_t idle[GS_MIG_PROFILES_MAX] = {0};
    struct gs_mig_set s = {0};
    uint32_t left = g->slices;
    double lost = 0, asked = 0;
    for (uint32_t p = c->gpu_part[gpu]; p != GS_NONE; p = c->part[p].next) {
        uint32_t i = 0;
        while (g->p[i].id != c->part[p].profile)
            i++;
        gs_mig_put(g, &s, i, c->part[p].slice_start);
        idle[i] += c->part[p].state == GS_PART_IDLE && !c->part[p].barred;
        left -= c->part[p].state == GS_PART_HELD ? c->part[p].slice_size : 0;
    }
    for (uint32_t i = 0; i < g->n && left; i++) {
        const double share = r->mig->asked ? r->mig->asked[g->p[i].id] : 0;
        const double used =
            share > 0 ? (double)((idle[i] + gs_mig_placeable(g, &s, i)) * g->p[i].size) : 0;
        lost += share * (1 - used / left > 0 ? 1 - used / left : 0);
        asked += share;
    }
    sum->free += 1000 * (int64_t)left;
    sum->lost += asked > 0 ? (int64_t)(1000 * left * (lost / asked) + 0.5) : 0;
    sum->unreachable += 1000 * (int64_t)gs_mig_unreachable(g, &s);
}

static void measure_node(struct gs_run *r, uint32_t node)
{
    const struct gs_cluster *c = &r->cluster;
    struct gs_mig_slices now = {0}, *was = &r->mig->node[node], *all = &r->mig->all;
    for (uint32_t i = 0; c->node_mig[node] && c->node_up[node] && i < c->gpu_count[node]; i++) {
        const uint32_t g = c->gpu_first[node] + i;
        if (c->gpu_mode[g] == GS_MODE_MIG && c->gpu_up[g])
            measure_device(r, g, &now);
    }
    all->free += now.free - was->free;
    all->lost += now.lost - was->lost;
    all->unreachable += now.unreachable - was->unreachable;
    *was = now;
}

/* Only nodes on which something has changed since are measured again. */
void gs_mig_measure(struct gs_run *r)
{
    const struct gs_cluster *c = &r->cluster;
    struct gs_mig_state *m = r->mig;
    if (!m || m->measured == c->mig_epoch + 1)
        return;
    if (!m->node)
        m->node = GS_NEW_N(struct gs_mig_slices, c->nnodes);
    uint64_t t = m->measured - 1;
    if (!m->measured || c->mig_epoch - t > GS_MIG_LOG)
        for (uint32_t n = 0; n < c->nnodes; n++)
            measure_node(r, n);
    else
        for (; t < c->mig_epoch; t++)
            measure_node(r, c->mig_log[t % GS_MIG_LOG]);
    m->measured = c->mig_epoch + 1;
    gs_metrics_mig(r->m, r->eng.now_ns, m->all.free, m->all.lost, m->all.unreachable);
}

/* ---- what existed when ---- */

void gs_mig_note_born(struct gs_run *r, uint32_t part)
{
    struct gs_mig_state *m = r->mig;
    const struct gs_partition *p = &r->cluster.part[part];
    while (m->life_of.n <= part)
        gs_vec_push(&m->life_of, GS_NONE);
    m->life_of.v[part] = (uint32_t)m->lives.n;
    gs_vec_push(&m->lives, (struct gs_mig_life){.gpu = p->gpu,
                                                .profile = p->profile,
                                                .start = p->slice_start,
                                                .size = p->slice_size,
                                                .from_ns = r->eng.now_ns,
                                                .to_ns = -1});
}

void gs_mig_note_gone(struct gs_run *r, uint32_t part)
{
    r->mig->lives.v[r->mig->life_of.v[part]].to_ns = r->eng.now_ns;
}

enum gs_rc gs_mig_write(struct gs_run *r, struct gs_h5 *f, struct gs_err *err)
{
    const struct gs_column columns[] = {
        {"gpu", GS_U32, "1", "row of /cluster/gpus", NULL, NULL},
        {"profile", GS_U16, "1", "MIG profile", NULL, gs_mig_names(r)},
        {"start", GS_U8, "1", "first memory slice", NULL, NULL},
        {"size", GS_U8, "1", "memory slices", NULL, NULL},
        {"from_s", GS_F64, "s", "time from which the instance existed, held or not", NULL, NULL},
        {"to_s", GS_F64, "s", "time until which it existed, NaN = at the end of the run", NULL,
         NULL},
    };
    struct gs_h5_table *t = NULL;
    if (!r->mig)
        return GS_OK;
    enum gs_rc rc =
        gs_h5_table_open(f, "/mig_instances", columns, sizeof columns / sizeof *columns, &t, err);
    for (size_t i = 0; i < r->mig->lives.n && !rc; i++) {
        const struct gs_mig_life *x = &r->mig->lives.v[i];
        const double from = gs_seconds(x->from_ns), to = gs_seconds(x->to_ns);
        const void *row[] = {&x->gpu, &x->profile, &x->start, &x->size, &from, &to};
        rc = gs_h5_table_row(t, row, err);
    }
    const enum gs_rc close = t ? gs_h5_table_close(t, rc ? NULL : err) : GS_OK;
    return rc ? rc : close;
}

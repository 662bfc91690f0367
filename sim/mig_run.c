/* mig_run.c - instances and modes while the run goes on, and the record of what existed when. */
#include "sim/mig.h"

struct gs_mig_set gs_mig_existing(const struct gs_run *r, uint32_t gpu)
{
    const struct gs_cluster *c = &r->cluster;
    const struct gs_mig_geometry *g = r->mig->book.of[c->node_model[c->gpu_node[gpu]]];
    struct gs_mig_set s = {0};
    if (c->gpu_mode[gpu] != GS_MODE_MIG)
        return s;
    for (uint32_t p = c->gpu_part[gpu]; p != GS_NONE; p = c->part[p].next)
        for (uint32_t i = 0; i < g->n; i++)
            if (g->p[i].id == c->part[p].profile)
                gs_mig_put(g, &s, i, c->part[p].slice_start);
    return s;
}

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

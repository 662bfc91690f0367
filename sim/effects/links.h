/* links.h - the links that the jobs of a run share, all in one solver: network, storage, registry.
 *
 * An effect opens a stream (as long as it lasts, its job is touched when the rate changes) or a transfer (a number of bytes,
 * then the effect's event). Changes of an instant are solved together, by the event that settles paces (effects.h); then ends of
 * transfers are scheduled anew where their rate changed. A group belongs to one attempt of a job: who opens it, closes it. */
#ifndef GS_EFFECTS_LINKS_H
#define GS_EFFECTS_LINKS_H

#include "sim/effects/effects.h"
#include "sim/network/flows.h"

#include <stdint.h>

/* A link by its name and the level that it stands at; only while effects are prepared. Returns its id, which counts from 0.
 * from and to: what it connects, for the table /links. */
struct gs_link_spec {
    const char *from, *to, *level;
    int64_t bytes_per_s;
};

uint32_t gs_links_add(struct gs_run *r, const struct gs_link_spec *l);
uint32_t gs_links_count(const struct gs_run *r);
struct gs_link_spec gs_links_get(const struct gs_run *r, uint32_t link);
/* 0 = down: streams over it stand still. */
void gs_links_set_capacity(struct gs_run *r, uint32_t link, int64_t bytes_per_s);
int64_t gs_links_load(const struct gs_run *r, uint32_t link); /* bytes/s now */

/* Returns the group's id, for gs_links_remove. limit: bytes/s of a unit of weight, GS_NEVER = none. */
uint32_t gs_links_stream(struct gs_run *r, enum gs_effect_id e, uint32_t slot,
                         const struct gs_flow *flows, uint32_t n, int64_t limit);
/* bytes (> 0) over each unit of weight; then the effect's event(slot, code), the group being gone. */
uint32_t gs_links_transfer(struct gs_run *r, enum gs_effect_id e, uint32_t slot, uint32_t code,
                           const struct gs_flow *flows, uint32_t n, int64_t bytes);
void gs_links_remove(struct gs_run *r, uint32_t group);
int64_t gs_links_rate(const struct gs_run *r, uint32_t group); /* of a unit of weight, bytes/s */

/* ---- for pace.c, run.c, outfile.c ---- */
void gs_links_settle(struct gs_run *r);
void gs_links_release(struct gs_run *r);
void gs_links_visit(struct gs_run *r, struct gs_visitor *v);
gs_handler gs_links_on_done;

#endif

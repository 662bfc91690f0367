/* storage.h - shared storage and the image registry, as links that jobs share ([storage]).
 *
 * Each site is one link (its aggregate bandwidth), and each node has one to reach them all (its front-end network, apart from the NICs of the
 * compute fabric). A site that the scenario does not give is infinitely fast, and what needs it is refused before the run. */
#ifndef GS_EFFECTS_STORAGE_H
#define GS_EFFECTS_STORAGE_H

#include "sim/effects/links.h"

enum gs_site {
    GS_SITE_READ,
    GS_SITE_WRITE,
    GS_SITE_REGISTRY,
    GS_SITE_COUNT
};

/* Makes the links on the first call; effects call it from prepare, in whatever order. */
void gs_storage_prepare(struct gs_run *r);
/* The scenario lacks the site that `key` of the job's section needs: the error says so. */
enum gs_rc gs_storage_need(struct gs_run *r, enum gs_site site, const struct gs_job *j,
                           const char *key, struct gs_err *err);

/* A node's part of something, with its weight (devices, or 1). */
struct gs_node_weight {
    uint32_t node, weight;
};

/* bytes for each unit of weight, all nodes at one rate; the effect's event(slot, code) when all are there. The site must be had. */
uint32_t gs_storage_transfer(struct gs_run *r, enum gs_effect_id e, uint32_t slot, uint32_t code,
                             enum gs_site site, const struct gs_node_weight *w, uint32_t n,
                             int64_t bytes);
uint32_t gs_storage_stream(struct gs_run *r, enum gs_effect_id e, uint32_t slot, enum gs_site site,
                           const struct gs_node_weight *w, uint32_t n, int64_t limit);
/* Devices of a job by node, in the order of its rows: the weights, valid until the next call. *n nodes. */
const struct gs_node_weight *gs_storage_nodes(struct gs_run *r, const struct gs_held *held,
                                              uint32_t nheld, uint32_t *n);
void gs_storage_release(struct gs_run *r);

#endif

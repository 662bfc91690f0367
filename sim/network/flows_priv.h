/* flows_priv.h - what flows.c keeps and fill.c fills. For these two files only. */
#ifndef GS_NETWORK_FLOWS_PRIV_H
#define GS_NETWORK_FLOWS_PRIV_H

#include "sim/base/exact.h"
#include "sim/base/vec.h"
#include "sim/network/flows.h"

enum {
    GS_FLOW_SIZES = 32 /* blocks of edges: 1, 2, 4, ... */
};

struct gs_flow_edge {
    uint32_t link, weight;
    uint32_t group;
    uint32_t next, prev; /* of the same link */
};

struct gs_flow_link {
    int64_t capacity;
    int64_t weight; /* of its edges */
    int64_t load;
    gs_i128 demand; /* at the ceilings */
    uint32_t first; /* edge */
    uint32_t users;
    uint32_t local; /* its place in what is being solved or merged; valid if stamp is of now */
    uint32_t marked;
    uint64_t stamp;
};

struct gs_flow_state {
    uint64_t key;
    int64_t limit, ceiling, rate;
    int64_t left, rest, since_ns; /* of a transfer: 1/256 bytes, 1e-9 of them, time of both */
    uint32_t first, nedges, size; /* edges; size: class of the block */
    uint32_t nflows, owner, reason;
    uint32_t next_free;
    uint32_t local; /* its place among the groups that are being solved */
    uint8_t live, marked;
    uint64_t stamp;
};

/* What has a level: a group (its ceiling, weight 1) or a link. */
struct gs_fill_item {
    int64_t left, weight;         /* bytes/s without an owner, weight without a rate */
    int64_t key_left, key_weight; /* the same, as the heap knows them */
    int64_t level;                /* floor(key_left / key_weight) */
    uint32_t id;                  /* of the group or link */
    uint32_t pos;                 /* in the heap; GS_NONE = not there */
};

/* One solve. Items 0..ngroups are the component's groups by key, then its links. */
struct gs_fill {
    uint32_t ngroups;
    GS_VEC(struct gs_fill_item) item;
    GS_VEC(int64_t) rate;   /* of a group; -1 = none yet */
    GS_VEC(uint32_t) group; /* ids */
    GS_VEC(uint32_t) heap;  /* items, least level first */
    GS_VEC(uint32_t) stale; /* links whose level is to be computed again */
    GS_VEC(uint8_t) is_stale;
    GS_VEC(uint64_t) member; /* bits: groups of the link that is filled */
    GS_VEC(uint32_t) changed;
    uint32_t open; /* groups without a rate */
};

struct gs_flows {
    GS_VEC(struct gs_flow_link) links;
    GS_VEC(struct gs_flow_state) groups;
    GS_VEC(struct gs_flow_edge) edges;
    uint32_t free_block[GS_FLOW_SIZES], free_group;
    GS_VEC(uint32_t) marked_links, marked_groups;
    GS_VEC(struct gs_flow_edge) merge;
    uint64_t stamp;
    struct gs_fill fill;
    struct gs_flows_stats stats;
};

static inline int gs_flow_tight(const struct gs_flow_link *l)
{
    return l->demand > l->capacity;
}

/* Brings a transfer's bytes up to now, at its rate so far. */
void gs_flows_advance(struct gs_flow_state *g, int64_t now_ns);
void gs_fill_free(struct gs_fill *s);

#endif

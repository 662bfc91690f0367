/* network.c - one solve, coalesced over an instant at which a job ends and another starts.
 *
 * 512 nodes of 8 GPUs and 8 NICs (50 GB/s each); 16 units of 32 nodes, rail i of a unit on its leaf i; the leaves of rail i in a pod
 * of 4 units under one spine group, the 4 spine groups of a rail under the core. A job holds half of the rails (4) of 2 to 4 nodes
 * anywhere, so that 300 jobs fill the cluster, and sends a ring over the nodes on each rail: a flow an edge, from NIC to NIC.
 *
 * Goals: a solve takes below 2 ms on average when all jobs share one component, and below 50 us when its component has at most 20
 * flows. The yardstick is the same rule done naively (all links that are used, all jobs, a scan a step), whose rates
 * must be equal; it solves a few of the same instants. Processor time; what is timed is removing, adding and solving. */
#include "tests/bench/network.h"

#include "sim/base/mem.h"
#include "sim/base/rng.h"
#include "sim/network/flows.h"
#include "tests/property/flows_naive.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    NODES = 512,
    RAILS = 8,
    UNIT = 32, /* nodes */
    UNITS = NODES / UNIT,
    POD = 4, /* units */
    PODS = UNITS / POD,
    HALVES = NODES * 2, /* what jobs hold: four rails of a node */
    JOBS = 300,
    MOST_NODES = 4,
    MOST_FLOWS = MOST_NODES * RAILS / 2,
    STEPS = 20000,
    NAIVE_EVERY = 4000
};

static const int64_t nic_rate = INT64_C(50000000000);

struct job {
    uint32_t nodes, half[MOST_NODES]; /* node * 2 + which rails */
    uint32_t group;
    uint32_t route[MOST_FLOWS][6];
    struct gs_flow flow[MOST_FLOWS];
    struct gs_flow_group spec;
};

struct plant {
    struct gs_flows *f;
    struct gs_stream rng;
    uint32_t nic, leaf, spine, nlinks; /* first link of each tier; up, then down */
    uint32_t idle[HALVES], nidle;
    struct job job[JOBS];
    uint64_t key;
};

static int64_t cpu_ns(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) == 0
               ? (int64_t)t.tv_sec * GS_SECOND + t.tv_nsec
               : 0;
}

static uint32_t tier(struct plant *p, uint32_t trunks, int64_t rate)
{
    const uint32_t first = p->nlinks;
    for (uint32_t i = 0; i < 2 * trunks; i++)
        p->nlinks = gs_flows_link(p->f, rate) + 1;
    return first;
}

static void build(struct plant *p, uint32_t oversubscription)
{
    memset(p, 0, sizeof *p);
    p->f = gs_flows_new();
    gs_stream_init(&p->rng, 1, GS_RNG_TEST, 2, 0);
    p->nic = tier(p, NODES * RAILS, nic_rate);
    p->leaf = tier(p, UNITS * RAILS, UNIT * nic_rate / oversubscription);
    p->spine = tier(p, PODS * RAILS, POD * UNIT * nic_rate / oversubscription / oversubscription);
    for (uint32_t i = 0; i < HALVES; i++)
        p->idle[p->nidle++] = i;
}

/* Up to where the two ways meet, and down. */
static uint32_t route(const struct plant *p, uint32_t from, uint32_t to, uint32_t rail,
                      uint32_t *links)
{
    const uint32_t a = from / UNIT, b = to / UNIT;
    uint32_t n = 0;
    links[n++] = p->nic + 2 * (from * RAILS + rail);
    if (a != b)
        links[n++] = p->leaf + 2 * (a * RAILS + rail);
    if (a / POD != b / POD) {
        links[n++] = p->spine + 2 * (a / POD * RAILS + rail);
        links[n++] = p->spine + 2 * (b / POD * RAILS + rail) + 1;
    }
    if (a != b)
        links[n++] = p->leaf + 2 * (b * RAILS + rail) + 1;
    links[n++] = p->nic + 2 * (to * RAILS + rail) + 1;
    return n;
}

/* The nodes of a job in order, so that its ring enters each unit once. */
static void take_nodes(struct plant *p, struct job *j)
{
    j->nodes = 2 + (uint32_t)gs_below(&p->rng, MOST_NODES - 1);
    for (uint32_t i = 0; i < j->nodes; i++) {
        const uint32_t k = (uint32_t)gs_below(&p->rng, p->nidle), half = p->idle[k];
        p->idle[k] = p->idle[--p->nidle];
        uint32_t at = i;
        for (; at > 0 && j->half[at - 1] > half; at--)
            j->half[at] = j->half[at - 1];
        j->half[at] = half;
    }
}

/* Rings of the two halves of a node's rails stay apart; a member holds the rails of the first, as PXN would have it. */
static void make_job(struct plant *p, struct job *j)
{
    take_nodes(p, j);
    uint32_t n = 0;
    for (uint32_t rail = 0; rail < RAILS / 2; rail++)
        for (uint32_t i = 0; i < j->nodes; i++, n++) {
            const uint32_t from = j->half[i] / 2, to = j->half[(i + 1) % j->nodes] / 2;
            const uint32_t hops =
                route(p, from, to, j->half[i] % 2 * RAILS / 2 + rail, j->route[n]);
            j->flow[n] = (struct gs_flow){.links = j->route[n], .nlinks = hops, .weight = 1};
        }
    j->spec = (struct gs_flow_group){
        .key = p->key++, .flows = j->flow, .nflows = n, .limit = GS_NEVER, .bytes = GS_NEVER};
}

static void drop_job(struct plant *p, struct job *j)
{
    gs_flows_remove(p->f, j->group);
    for (uint32_t i = 0; i < j->nodes; i++)
        p->idle[p->nidle++] = j->half[i];
}

struct took {
    double ns;
    uint64_t solves;
};

/* Solves the instant naively; returns 0 if the rates are others. */
static int naive_too(const struct plant *p, struct took *t)
{
    struct naive n;
    int64_t *capacity = GS_NEW_N(int64_t, p->nlinks);
    uint32_t *local = GS_NEW_N(uint32_t, p->nlinks), used = 0;
    static uint32_t routes[JOBS][MOST_FLOWS][6];
    for (uint32_t l = 0; l < p->nlinks; l++)
        if (gs_flows_users(p->f, l)) {
            local[l] = used;
            capacity[used++] = gs_flows_capacity(p->f, l);
        }
    naive_init(&n, used, capacity);
    for (uint32_t i = 0; i < JOBS; i++) {
        struct gs_flow flow[MOST_FLOWS];
        struct gs_flow_group spec = p->job[i].spec;
        for (uint32_t k = 0; k < spec.nflows; k++) {
            flow[k] = p->job[i].flow[k];
            for (uint32_t h = 0; h < flow[k].nlinks; h++)
                routes[i][k][h] = local[p->job[i].route[k][h]];
            flow[k].links = routes[i][k];
        }
        spec.flows = flow;
        naive_add(&n, i, &spec);
    }
    const int64_t from = cpu_ns();
    naive_solve(&n);
    t->ns += (double)(cpu_ns() - from);
    t->solves++;
    int same = 1;
    for (uint32_t i = 0; i < JOBS; i++)
        same &= n.rate[i] == gs_flows_rate(p->f, p->job[i].group);
    naive_release(&n);
    gs_free(capacity);
    gs_free(local);
    return same;
}

static void print(const char *what, const struct took *t, const struct gs_flows_stats *s)
{
    const double n = t->solves ? (double)t->solves : 1;
    (void)printf("  %-34s %6llu solves, each: %7.1f us, %6.1f jobs, %7.1f flows, %6.1f tight "
                 "links, %6.1f rates changed\n",
                 what, (unsigned long long)t->solves, t->ns / n / 1000, (double)s->groups / n,
                 (double)s->flows / n, (double)s->links / n, (double)s->changed / n);
}

static void count(struct gs_flows_stats *sum, const struct gs_flows_stats *from,
                  const struct gs_flows_stats *to)
{
    sum->groups += to->groups - from->groups;
    sum->flows += to->flows - from->flows;
    sum->links += to->links - from->links;
    sum->changed += to->changed - from->changed;
}

static int run(uint32_t oversubscription)
{
    static struct plant p;
    struct took all = {0}, small = {0}, naive = {0};
    struct gs_flows_stats in_all = {0}, in_small = {0};
    uint32_t n = 0;
    int same = 1;
    build(&p, oversubscription);
    for (uint32_t i = 0; i < JOBS; i++) {
        make_job(&p, &p.job[i]);
        p.job[i].group = gs_flows_add(p.f, 0, &p.job[i].spec);
    }
    (void)gs_flows_solve(p.f, 0, &n);
    for (uint32_t k = 0; k < STEPS; k++) {
        struct job *j = &p.job[gs_below(&p.rng, JOBS)];
        const struct gs_flows_stats before = *gs_flows_stats(p.f);
        drop_job(&p, j);
        make_job(&p, j);
        const int64_t from = cpu_ns();
        j->group = gs_flows_add(p.f, 0, &j->spec);
        (void)gs_flows_solve(p.f, 0, &n);
        const double took = (double)(cpu_ns() - from);
        const struct gs_flows_stats *after = gs_flows_stats(p.f);
        const int is_small = after->flows - before.flows <= 20;
        struct took *t = is_small ? &small : &all;
        count(is_small ? &in_small : &in_all, &before, after);
        t->ns += took;
        t->solves++;
        if (k % NAIVE_EVERY == 0)
            same &= naive_too(&p, &naive);
    }
    const struct gs_flows_stats *s = gs_flows_stats(p.f);
    (void)printf(" trunks %u:1 at each tier; %u jobs, %u flows, %u links in use\n",
                 (unsigned)oversubscription, (unsigned)s->live_groups, (unsigned)s->live_flows,
                 (unsigned)s->live_links);
    if (all.solves)
        print("components of more than 20 flows", &all, &in_all);
    if (small.solves)
        print("components of at most 20 flows", &small, &in_small);
    const double mean = (all.ns + small.ns) / (double)(all.solves + small.solves);
    (void)printf("  the naive solver: %.1f us, %.0f times as long; rates %s\n",
                 naive.ns / (double)naive.solves / 1000, naive.ns / (double)naive.solves / mean,
                 same ? "equal" : "DIFFER");
    gs_flows_free(p.f);
    return !same;
}

int bench_network(int rounds)
{
    int failed = 0;
    (void)printf("network: %d GPUs, a job ends and another starts\n", NODES * RAILS);
    for (int i = 0; i < rounds; i++)
        failed |= run(4) | run(2) | run(1);
    return failed;
}

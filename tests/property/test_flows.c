/* test_flows.c - shared links on random graphs: the certificates of sim/network/flows.h, exactly; a naive solver of the same rule;
 * exact fractions; the order of arrival; and bytes that are neither lost nor made. */
#include "sim/base/exact.h"
#include "sim/base/mem.h"
#include "sim/base/rng.h"
#include "sim/network/flows.h"
#include "tests/property/flows_naive.h"
#include "tests/unit/harness.h"

enum {
    MAX_LINKS = 24,
    MAX_GROUPS = 24,
    MAX_FLOWS = 4,
    MAX_ROUTE = 4
};

struct drawn {
    uint32_t route[MAX_FLOWS][MAX_ROUTE];
    struct gs_flow flow[MAX_FLOWS];
    struct gs_flow_group spec;
};

struct graph {
    struct gs_stream rng;
    uint32_t nlinks, ngroups;
    int64_t capacity[MAX_LINKS];
    struct drawn group[MAX_GROUPS];
    int alive[MAX_GROUPS];
    uint32_t id[MAX_GROUPS];
    int64_t was[MAX_GROUPS]; /* rates before the changes of a step */
};

static uint32_t below(struct graph *g, uint32_t n)
{
    return (uint32_t)gs_below(&g->rng, n);
}

static int64_t draw_capacity(struct graph *g, uint32_t scale)
{
    return below(g, 20) == 0 ? 0 : 1 + (int64_t)gs_below(&g->rng, scale);
}

/* Small capacities make remainders count; large ones are what networks have. */
static uint32_t draw_scale(struct graph *g)
{
    static const uint32_t scales[] = {12, 100, 5000, 4000000000u};
    return scales[below(g, 4)];
}

static void draw_group(struct graph *g, uint32_t i, uint32_t scale)
{
    struct drawn *d = &g->group[i];
    const uint32_t nflows = 1 + below(g, MAX_FLOWS);
    for (uint32_t f = 0; f < nflows; f++) {
        const uint32_t n = 1 + below(g, MAX_ROUTE);
        for (uint32_t k = 0; k < n; k++)
            d->route[f][k] = below(g, g->nlinks);
        d->flow[f] = (struct gs_flow){.links = d->route[f], .nlinks = n, .weight = 1 + below(g, 3)};
    }
    d->spec = (struct gs_flow_group){.key = (uint64_t)i * 7919 % 101 + 1,
                                     .flows = d->flow,
                                     .nflows = nflows,
                                     .limit = below(g, 3) ? GS_NEVER : draw_capacity(g, scale),
                                     .bytes = GS_NEVER};
}

static void draw_graph(struct graph *g, uint32_t seed)
{
    memset(g, 0, sizeof *g);
    gs_stream_init(&g->rng, 4711, GS_RNG_TEST, 1, seed);
    const uint32_t scale = draw_scale(g);
    g->nlinks = 1 + below(g, MAX_LINKS);
    g->ngroups = 1 + below(g, MAX_GROUPS);
    for (uint32_t l = 0; l < g->nlinks; l++)
        g->capacity[l] = draw_capacity(g, scale);
    for (uint32_t i = 0; i < g->ngroups; i++)
        draw_group(g, i, scale);
}

static struct gs_flows *with_links(const struct graph *g)
{
    struct gs_flows *f = gs_flows_new();
    for (uint32_t l = 0; l < g->nlinks; l++)
        (void)gs_flows_link(f, g->capacity[l]);
    return f;
}

static void add(struct graph *g, struct gs_flows *f, uint32_t i)
{
    g->id[i] = gs_flows_add(f, 0, &g->group[i].spec);
    g->alive[i] = 1;
    g->was[i] = 0;
}

static int64_t weight_on(const struct graph *g, uint32_t i, uint32_t link)
{
    int64_t sum = 0;
    for (uint32_t f = 0; f < g->group[i].spec.nflows; f++)
        for (uint32_t k = 0; k < g->group[i].flow[f].nlinks; k++)
            sum += g->group[i].flow[f].links[k] == link ? g->group[i].flow[f].weight : 0;
    return sum;
}

static void to_naive(const struct graph *g, struct naive *n)
{
    naive_init(n, g->nlinks, g->capacity);
    for (uint32_t i = 0; i < g->ngroups; i++)
        if (g->alive[i])
            naive_add(n, i, &g->group[i].spec);
}

/* ---- the certificate ---- */

static int64_t ceiling(const struct graph *g, uint32_t i)
{
    int64_t least = g->group[i].spec.limit;
    for (uint32_t l = 0; l < g->nlinks; l++) {
        const int64_t w = weight_on(g, i, l);
        if (w && g->capacity[l] / w < least)
            least = g->capacity[l] / w;
    }
    return least;
}

/* A link of i that has less left than a unit for everyone on it, and nobody faster by more than 1. */
static int is_bound(const struct graph *g, const struct gs_flows *f, uint32_t i, uint32_t link)
{
    int64_t load = 0, weight = 0, fastest = 0;
    for (uint32_t k = 0; k < g->ngroups; k++) {
        const int64_t w = g->alive[k] ? weight_on(g, k, link) : 0;
        if (!w)
            continue;
        const int64_t rate = gs_flows_rate(f, g->id[k]);
        load += w * rate;
        weight += w;
        fastest = rate > fastest ? rate : fastest;
    }
    return weight_on(g, i, link) && g->capacity[link] - load < weight &&
           fastest <= gs_flows_rate(f, g->id[i]) + 1;
}

static int certified(const struct graph *g, const struct gs_flows *f)
{
    for (uint32_t l = 0; l < g->nlinks; l++) {
        int64_t load = 0;
        for (uint32_t i = 0; i < g->ngroups; i++)
            load += g->alive[i] ? weight_on(g, i, l) * gs_flows_rate(f, g->id[i]) : 0;
        if (load > g->capacity[l] || load != gs_flows_load(f, l))
            return 0;
    }
    for (uint32_t i = 0; i < g->ngroups; i++) {
        if (!g->alive[i])
            continue;
        const int64_t rate = gs_flows_rate(f, g->id[i]), most = ceiling(g, i);
        int bound = rate == most && most == gs_flows_ceiling(f, g->id[i]);
        for (uint32_t l = 0; l < g->nlinks && !bound; l++)
            bound = is_bound(g, f, i, l);
        if (!bound || rate > most || rate < 0)
            return 0;
    }
    return 1;
}

static int same_as_naive(const struct graph *g, const struct gs_flows *f)
{
    struct naive n;
    to_naive(g, &n);
    naive_solve(&n);
    int same = 1;
    for (uint32_t i = 0; i < g->ngroups; i++)
        same &= !g->alive[i] || gs_flows_rate(f, g->id[i]) == n.rate[i];
    naive_release(&n);
    return same;
}

/* ---- the tests ---- */

static void random_graphs_are_certified_and_equal_the_naive_solver(void)
{
    int wrong = 0;
    for (uint32_t seed = 0; seed < 20000 && !wrong; seed++) {
        struct graph g;
        uint32_t n = 0;
        draw_graph(&g, seed);
        struct gs_flows *f = with_links(&g);
        for (uint32_t i = 0; i < g.ngroups; i++)
            add(&g, f, i);
        (void)gs_flows_solve(f, 0, &n);
        if (!certified(&g, f) || !same_as_naive(&g, f))
            wrong = printf("seed %" PRIu32 "\n", seed);
        gs_flows_free(f);
    }
    CU_ASSERT_FALSE(wrong);
}

static void change(struct graph *g, struct gs_flows *f, uint32_t scale)
{
    const uint32_t i = below(g, g->ngroups);
    switch (below(g, 5)) {
    case 0: {
        const uint32_t l = below(g, g->nlinks);
        g->capacity[l] = draw_capacity(g, scale);
        gs_flows_set_capacity(f, l, g->capacity[l]);
        break;
    }
    case 1:
        g->group[i].spec.limit = below(g, 2) ? GS_NEVER : draw_capacity(g, scale);
        if (g->alive[i])
            gs_flows_set_limit(f, g->id[i], g->group[i].spec.limit);
        break;
    default:
        if (!g->alive[i]) {
            draw_group(g, i, scale);
            add(g, f, i);
            break;
        }
        gs_flows_remove(f, g->id[i]);
        g->alive[i] = 0;
    }
}

/* Solving only what was touched gives what solving everything gives, after any changes. */
static void changes_solved_bit_by_bit_equal_solving_from_nothing(void)
{
    int wrong = 0;
    for (uint32_t seed = 0; seed < 400 && !wrong; seed++) {
        struct graph g;
        draw_graph(&g, seed);
        const uint32_t scale = draw_scale(&g);
        struct gs_flows *f = with_links(&g);
        for (uint32_t step = 0; step < 100 && !wrong; step++) {
            uint32_t n = 0;
            for (uint32_t i = 0; i < g.ngroups; i++)
                g.was[i] = g.alive[i] ? gs_flows_rate(f, g.id[i]) : 0;
            for (uint32_t k = 1 + below(&g, 3); k > 0; k--)
                change(&g, f, scale);
            const uint32_t *changed = gs_flows_solve(f, step, &n);
            uint64_t told = 0;
            for (uint32_t k = 0; k < n; k++)
                told |= UINT64_C(1) << changed[k] % 64;
            for (uint32_t i = 0; i < g.ngroups; i++)
                if (g.alive[i] && gs_flows_rate(f, g.id[i]) != g.was[i] &&
                    !(told >> g.id[i] % 64 & 1))
                    wrong = 1;
            if (!certified(&g, f) || !same_as_naive(&g, f))
                wrong = printf("seed %" PRIu32 " step %" PRIu32 "\n", seed, step);
        }
        gs_flows_free(f);
    }
    CU_ASSERT_FALSE(wrong);
}

static void the_order_of_arrival_does_not_matter(void)
{
    for (uint32_t seed = 0; seed < 2000; seed++) {
        struct graph g;
        uint32_t n = 0, order[MAX_GROUPS];
        int64_t rate[MAX_GROUPS];
        draw_graph(&g, seed);
        struct gs_flows *f = with_links(&g);
        for (uint32_t i = 0; i < g.ngroups; i++) {
            add(&g, f, i);
            order[i] = i;
        }
        (void)gs_flows_solve(f, 0, &n);
        for (uint32_t i = 0; i < g.ngroups; i++)
            rate[i] = gs_flows_rate(f, g.id[i]);
        gs_flows_free(f);
        f = with_links(&g);
        for (uint32_t i = g.ngroups; i > 1; i--) {
            const uint32_t k = below(&g, i), hold = order[i - 1];
            order[i - 1] = order[k];
            order[k] = hold;
        }
        for (uint32_t i = 0; i < g.ngroups; i++) {
            add(&g, f, order[i]);
            if (below(&g, 4) == 0)
                (void)gs_flows_solve(f, 0, &n);
        }
        (void)gs_flows_solve(f, 0, &n);
        for (uint32_t i = 0; i < g.ngroups; i++)
            GS_EQ_INT(gs_flows_rate(f, g.id[i]), rate[i]);
        gs_flows_free(f);
    }
}

/* Where all levels are whole numbers, the rates are the exact ones of max-min fairness. */
static void where_everything_divides_rates_are_exact(void)
{
    uint32_t checked = 0;
    int wrong = 0;
    for (uint32_t seed = 0; seed < 8000 && !wrong; seed++) {
        struct graph g;
        uint32_t n = 0;
        draw_graph(&g, seed);
        g.nlinks = g.nlinks > 6 ? 6 : g.nlinks;
        g.ngroups = g.ngroups > 6 ? 6 : g.ngroups;
        for (uint32_t l = 0; l < g.nlinks; l++)
            g.capacity[l] = 1 + below(&g, 9);
        for (uint32_t i = 0; i < g.ngroups; i++) {
            draw_group(&g, i, 9);
            g.alive[i] = 1;
        }
        struct naive exact;
        to_naive(&g, &exact);
        const int64_t scale = naive_exact(&exact);
        if (scale) {
            for (uint32_t l = 0; l < g.nlinks; l++)
                g.capacity[l] *= scale;
            for (uint32_t i = 0; i < g.ngroups; i++)
                if (g.group[i].spec.limit != GS_NEVER)
                    g.group[i].spec.limit *= scale;
            struct gs_flows *f = with_links(&g);
            for (uint32_t i = 0; i < g.ngroups; i++)
                add(&g, f, i);
            (void)gs_flows_solve(f, 0, &n);
            for (uint32_t i = 0; i < g.ngroups; i++)
                wrong |= gs_flows_rate(f, g.id[i]) != exact.rate[i];
            gs_flows_free(f);
            checked++;
        }
        naive_release(&exact);
        if (wrong)
            (void)printf("seed %" PRIu32 "\n", seed);
    }
    CU_ASSERT_FALSE(wrong);
    CU_ASSERT(checked > 7000);
}

/* Transfers come and go on shared links; each is done at the very ns that was said, having moved all its bytes, no more. */
static void transfers_move_every_byte_once(void)
{
    for (uint32_t seed = 0; seed < 300; seed++) {
        struct graph g;
        draw_graph(&g, seed);
        for (uint32_t l = 0; l < g.nlinks; l++)
            g.capacity[l] = 1 + (int64_t)gs_below(&g.rng, 4000000000u);
        struct gs_flows *f = with_links(&g);
        int64_t now = 0, left[MAX_GROUPS];
        for (uint32_t i = 0; i < g.ngroups; i++) {
            g.group[i].spec.limit = GS_NEVER;
            g.group[i].spec.bytes = 1 + (int64_t)gs_below(&g.rng, UINT64_C(1) << 40);
            left[i] = g.group[i].spec.bytes * 256;
            g.id[i] = gs_flows_add(f, now, &g.group[i].spec);
            g.alive[i] = 1;
        }
        for (uint32_t live = g.ngroups; live > 0;) {
            uint32_t n = 0, next = GS_NONE;
            (void)gs_flows_solve(f, now, &n);
            int64_t at = GS_NEVER;
            for (uint32_t i = 0; i < g.ngroups; i++)
                if (g.alive[i] && gs_flows_finish_ns(f, g.id[i]) < at) {
                    at = gs_flows_finish_ns(f, g.id[i]);
                    next = i;
                }
            if (next == GS_NONE) {
                CU_FAIL("all stand still");
                break;
            }
            CU_ASSERT(at == now || gs_flows_left(f, g.id[next], at - 1) > 0);
            for (uint32_t i = 0; i < g.ngroups;
                 i++) { /* what left a sender is what crossed: never more than its rate */
                if (!g.alive[i])
                    continue;
                const int64_t l = gs_flows_left(f, g.id[i], at);
                const gs_i128 most = (gs_i128)gs_flows_rate(f, g.id[i]) * 256 * (at - now);
                CU_ASSERT(l >= 0 && l <= left[i]);
                CU_ASSERT((gs_i128)(left[i] - l) * GS_SECOND <= most + GS_SECOND);
                left[i] = l;
            }
            now = at;
            GS_EQ_INT(left[next], 0);
            gs_flows_remove(f, g.id[next]);
            g.alive[next] = 0;
            live--;
        }
        for (uint32_t l = 0; l < g.nlinks; l++)
            GS_EQ_INT(gs_flows_load(f, l), 0);
        gs_flows_free(f);
    }
}

static const struct gs_test tests[] = {
    {"random graphs are certified and equal the naive solver",
     random_graphs_are_certified_and_equal_the_naive_solver},
    {"changes solved bit by bit equal solving from nothing",
     changes_solved_bit_by_bit_equal_solving_from_nothing},
    {"the order of arrival does not matter", the_order_of_arrival_does_not_matter},
    {"where everything divides rates are exact", where_everything_divides_rates_are_exact},
    {"transfers move every byte once", transfers_move_every_byte_once},
};
GS_TEST_MAIN("network/flows", tests)

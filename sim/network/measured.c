/* measured.c - groups rows into curves, joins them with systems.csv and the catalog of GPUs, and takes the errors (measured.h). */
#include "sim/network/measured.h"

#include "sim/base/fmath.h"
#include "sim/base/sort.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

enum {
    CURVE_MIN = 5 /* points of a curve whose leave-one-out error is counted */
};

static enum gs_collective op_of(const char *name)
{
    for (int op = 0; op < GS_COLL_COUNT; op++)
        if (strcmp(gs_collective_str((enum gs_collective)op), name) == 0)
            return (enum gs_collective)op;
    return GS_COLL_COUNT;
}

static int same_curve(const struct gs_busbw *a, const struct gs_busbw *b)
{
    return a->ranks == b->ranks && strcmp(a->machine, b->machine) == 0 &&
           strcmp(a->collective, b->collective) == 0 && strcmp(a->algorithm, b->algorithm) == 0;
}

static int usable(const struct gs_busbw *p)
{
    return p->bytes > 0 && p->busbw_gbs > 0 && p->ranks > 1 &&
           op_of(p->collective) != GS_COLL_COUNT;
}

static int by_size(const void *a, const void *b, const void *ctx)
{
    const double x = ((const struct gs_busbw_point *)a)->bytes;
    const double y = ((const struct gs_busbw_point *)b)->bytes;
    (void)ctx;
    return (x > y) - (x < y);
}

/* Points of the curve of row `first`, sorted; of two of one size the first counts. */
static void collect(struct gs_measurements *m, const struct gs_catalog *c, size_t first,
                    struct gs_busbw_curve *out)
{
    GS_VEC(struct gs_busbw_point) points = {0};
    for (size_t i = first; i < c->nbusbw; i++)
        if (usable(&c->busbw[i]) && same_curve(&c->busbw[i], &c->busbw[first]))
            gs_vec_push(&points,
                        (struct gs_busbw_point){(double)c->busbw[i].bytes, c->busbw[i].busbw_gbs});
    gs_sort(points.v, points.n, sizeof *points.v, by_size, NULL);
    struct gs_busbw_point *kept =
        gs_arena_alloc(&m->arena, points.n * sizeof *kept, sizeof(double));
    size_t n = 0;
    for (size_t i = 0; i < points.n; i++)
        if (n == 0 || points.v[i].bytes > kept[n - 1].bytes)
            kept[n++] = points.v[i];
    gs_vec_free(&points);
    *out = (struct gs_busbw_curve){kept, n};
}

static enum gs_algorithm algorithm(const char *name)
{
    if (strncmp(name, "Ring", 4) == 0)
        return GS_ALGO_RING;
    return strncmp(name, "NVLS", 4) == 0 ? GS_ALGO_SWITCH : GS_ALGO_BEST;
}

/* What the alpha-beta model needs to know of the machine, if we know it. */
static void join_machine(const struct gs_catalog *c, struct gs_measured *x)
{
    size_t row = 0;
    while (row < c->nsystems && strcmp(c->systems[row].name, x->machine) != 0)
        row++;
    const struct gs_machine *s = row < c->nsystems ? &c->systems[row] : NULL;
    const struct gs_gpu_model *g = s && s->domain > 0 ? gs_catalog_gpu(c, s->gpu) : NULL;
    x->gpu = "";
    if (!g)
        return;
    const uint32_t domain = (uint32_t)s->domain;
    x->gpu = g->name;
    x->fabric = (struct gs_fabric){.ranks = x->ranks < domain ? x->ranks : domain,
                                   .intra_gbs = g->nvlink_uni_gbs,
                                   .inter_gbs = s->nic_gbs,
                                   .generation = gs_gpu_generation(g->arch),
                                   .nvlink = 1,
                                   .nvls = 1,
                                   .sharp = strcmp(s->sharp, "yes") == 0};
    x->fabric.domains = x->ranks / x->fabric.ranks;
}

static void take_errors(struct gs_measurements *m, struct gs_measured *x)
{
    const double factor = gs_collective_factor(x->op, x->ranks);
    double squares = 0;
    x->point = gs_arena_alloc(&m->arena, x->curve.n * sizeof *x->point, sizeof(double));
    x->model_worst = 0;
    for (size_t i = 0; i < x->curve.n; i++) {
        const struct gs_busbw_point *p = &x->curve.point[i];
        struct gs_measured_point *e = &x->point[i];
        e->leave_one_out =
            i > 0 && i + 1 < x->curve.n ? gs_busbw_leave_one_out(&x->curve, i) : (double)NAN;
        e->model = (double)NAN;
        if (!*x->gpu)
            continue;
        const double s = gs_collective_model_s(&x->fabric, x->op, x->algo, p->bytes);
        const double ratio = s * p->gbs * 1e9 / (factor * p->bytes);
        e->model = ratio - 1;
        squares += gs_log(ratio) * gs_log(ratio);
        if (fabs(e->model) > x->model_worst)
            x->model_worst = fabs(e->model);
    }
    x->model_rms_log = *x->gpu ? sqrt(squares / (double)x->curve.n) : (double)NAN;
    if (!*x->gpu)
        x->model_worst = (double)NAN;
}

void gs_measurements_load(struct gs_measurements *m, struct gs_catalog *c)
{
    *m = (struct gs_measurements){0};
    gs_catalog_need(c, GS_CATALOG_BUSBW);
    gs_catalog_need(c, GS_CATALOG_SYSTEMS);
    for (size_t i = 0; i < c->nbusbw; i++) {
        const struct gs_busbw *p = &c->busbw[i];
        size_t first = 0;
        while (first < i && !(usable(&c->busbw[first]) && same_curve(&c->busbw[first], p)))
            first++;
        if (first < i || !usable(p))
            continue;
        struct gs_measured x = {.machine = p->machine,
                                .algorithm = p->algorithm,
                                .ranks = (uint32_t)p->ranks,
                                .nodes = p->nodes > 0 ? (uint32_t)p->nodes : 0,
                                .op = op_of(p->collective),
                                .algo = algorithm(p->algorithm)};
        collect(m, c, i, &x.curve);
        join_machine(c, &x);
        take_errors(m, &x);
        gs_vec_push(&m->curves, x);
    }
}

void gs_measurements_release(struct gs_measurements *m)
{
    gs_vec_free(&m->curves);
    gs_arena_release(&m->arena);
    *m = (struct gs_measurements){0};
}

struct gs_loo gs_measurements_loo(const struct gs_measurements *m)
{
    GS_VEC(double) errors = {0};
    struct gs_loo out = {.median = (double)NAN};
    for (size_t k = 0; k < m->curves.n; k++) {
        const struct gs_measured *x = &m->curves.v[k];
        for (size_t i = 1; x->curve.n >= CURVE_MIN && i + 1 < x->curve.n; i++) {
            gs_vec_push(&errors, x->point[i].leave_one_out);
            out.within_10 += x->point[i].leave_one_out <= 0.10;
        }
    }
    out.points = (uint32_t)errors.n;
    gs_sort_doubles(errors.v, errors.n);
    if (errors.n)
        out.median = (errors.v[(errors.n - 1) / 2] + errors.v[errors.n / 2]) / 2;
    gs_vec_free(&errors);
    return out;
}

const struct gs_measured *gs_measured_find(const struct gs_measurements *m, const char *gpu,
                                           uint32_t domains, uint32_t ranks)
{
    const struct gs_measured *best = NULL;
    for (size_t i = 0; i < m->curves.n; i++) {
        const struct gs_measured *x = &m->curves.v[i];
        if (x->op == GS_COLL_ALL_REDUCE && x->algo == GS_ALGO_BEST && x->curve.n >= CURVE_MIN &&
            strcmp(x->gpu, gpu) == 0 && x->fabric.domains == domains && x->fabric.ranks == ranks &&
            (!best || x->curve.n > best->curve.n))
            best = x;
    }
    return best;
}

/* scores.c - see scores.h. The order of the operations in doubles is part of the definition: a score on the edge between two
 * integers must fall to the same side as in the artifact. */
#include "scores.h"

enum {
    SCORE_MAX = 100
};

int64_t gspl_score_tightest(const struct gspl_node *n, const struct gspl_request *r)
{
    const int64_t gpu = gspl_gpu_left(n) - gspl_gpu_asked(r);
    const int64_t cpu = gspl_clamp(n->cpus_milli - r->cpus_milli, 0, UINT32_MAX);
    return -(gpu * ((int64_t)UINT32_MAX + 1) + cpu);
}

int64_t gspl_score_emptiest(const struct gspl_node *n, const struct gspl_request *r)
{
    return -gspl_score_tightest(n, r);
}

int64_t gspl_score_bestfit(const struct gspl_node *n, const struct gspl_request *r,
                           const struct gspl_norm *norm)
{
    const double cpu = (double)(n->cpus_milli - r->cpus_milli);
    const double gpu = (double)(gspl_gpu_left(n) - gspl_gpu_asked(r));
    double left = cpu / (double)norm->cpus_milli * 0.5;
    left += gpu / (double)norm->gpu_milli * 0.5;
    return (int64_t)((1.0 - left) * SCORE_MAX);
}

int64_t gspl_score_dotprod(const struct gspl_node *n, const struct gspl_request *r,
                           const struct gspl_norm *norm)
{
    const double have[2] = {(double)n->cpus_milli, (double)gspl_gpu_left(n)};
    const double ask[2] = {(double)r->cpus_milli, (double)gspl_gpu_asked(r)};
    const double largest[2] = {(double)norm->cpus_milli, (double)norm->gpu_milli};
    return (int64_t)(SCORE_MAX * (1.0 - gspl_dot(have, ask, largest, 2) / 2));
}

int64_t gspl_score_packing(const struct gspl_node *n, const struct gspl_request *r)
{
    enum {
        ON_USED_DEVICES = 100,
        ON_IDLE_DEVICES = 50,
        ON_IDLE_NODE = 33
    };

    uint32_t pos[GSPL_GPUS_MAX];
    int64_t idle = 0, waste = 0, opened = 0;
    if (r->gpus == 0)
        return 0;
    for (uint32_t i = 0; i < n->gpus; i++)
        idle += n->free[i] >= GSPL_WHOLE;
    if (idle == n->gpus)
        return ON_IDLE_NODE - idle > idle ? ON_IDLE_NODE - idle : idle;
    const uint32_t got = gspl_smallest_devices(n, r, pos);
    for (uint32_t k = 0; k < got; k++) {
        opened += n->free[pos[k]] >= GSPL_WHOLE;
        waste += (int64_t)n->free[pos[k]] * SCORE_MAX / GSPL_WHOLE;
    }
    if (opened > 0)
        return gspl_clamp(ON_IDLE_DEVICES - opened, ON_IDLE_NODE, ON_IDLE_DEVICES);
    return gspl_clamp(ON_USED_DEVICES - waste / 10, ON_IDLE_DEVICES, ON_USED_DEVICES);
}

int64_t gspl_score_clustering(const struct gspl_node *n, const struct gspl_request *r,
                              uint32_t kinds, const struct gspl_norm *norm)
{
    enum {
        QUARTER = SCORE_MAX / 4,
        KINDS_LAST = 15
    };

    if (r->gpus == 0)
        return 0;
    const uint32_t bit = r->milli < GSPL_WHOLE ? 0 : r->gpus < KINDS_LAST ? r->gpus : KINDS_LAST;
    const uint32_t own = UINT32_C(1) << bit;
    const int64_t fill = QUARTER * (norm->gpu_milli - gspl_gpu_left(n)) / norm->gpu_milli;
    if (kinds == own)
        return fill + INT64_C(3) * QUARTER;
    if (kinds & own)
        return fill + INT64_C(2) * QUARTER;
    return kinds == 0 ? fill + QUARTER : fill;
}

void gspl_score_nodes(const struct gsp_view *v, uint32_t request, const gsp_node *nd, uint32_t n,
                      gspl_score_fn *of, int64_t *out)
{
    const struct gspl_request r = gspl_request_of(v, request);
    struct gspl_node node;
    for (uint32_t i = 0; i < n; i++) {
        gspl_node_of(v, GSP_INDEX(nd[i]), &node);
        out[i] = of(&node, &r);
    }
}

double gspl_dot(const double *a, const double *b, const double *norm, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += (a[i] / norm[i]) * (b[i] / norm[i]);
    return sum;
}

/* Newton's iteration from above; at most 64 steps settle any double. Modules may not link libm's sqrt. */
static double square_root(double x)
{
    double y = x > 1 ? x : 1;
    if (!(x > 0))
        return 0;
    for (int i = 0; i < 1100; i++) {
        const double z = 0.5 * (y + x / y);
        if (!(z < y))
            return y;
        y = z;
    }
    return y;
}

double gspl_cosine(const double *a, const double *b, uint32_t n)
{
    double ab = 0, aa = 0, bb = 0;
    for (uint32_t i = 0; i < n; i++) {
        ab += a[i] * b[i];
        aa += a[i] * a[i];
        bb += b[i] * b[i];
    }
    const double length = square_root(aa) * square_root(bb);
    return length > 0 ? ab / length : 0;
}

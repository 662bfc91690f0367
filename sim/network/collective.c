/* collective.c - the two models of collective.h.
 *
 * Constants: NCCL 5067397, src/graph/tuning.cc and topo.h (latencies, LL ceilings, effective NVLink share), nccl-tests issue 290 (46..48 of
 * 50 GB/s a NIC), and the plateaus of sim/hardware/busbw.csv for in-switch reduction, which NCCL's own efficiencies (0.85, 0.74)
 * overstate by a fifth. */
#include "sim/network/collective.h"

#include "sim/base/fmath.h"

#include <string.h>

#include "sim/base/banned.h"

enum protocol {
    LL,
    LL128,
    SIMPLE,
    PROTOCOLS
};

/* Microseconds. */
static const double ring_base_us[PROTOCOLS] = {6.6, 14.0, 8.4};
static const double tree_base_us[PROTOCOLS] = {6.8, 14.0, 8.4};
static const double ring_nvlink_us[PROTOCOLS] = {0.6, 1.9, 3.4};
static const double ring_pcie_us[PROTOCOLS] = {1.0, 2.5, 5.7};
static const double ring_net_us[PROTOCOLS] = {2.7, 4.0, 14.0};
static const double tree_nvlink_us[PROTOCOLS] = {0.6, 1.25, 4.0};
static const double tree_pcie_us[PROTOCOLS] = {1.0, 1.9, 4.0};
static const double tree_net_us[PROTOCOLS] = {5.0, 8.5, 14.0};
/* What a small all-reduce takes beyond the tuner's figures: 10 to 33 us on the four 8-GPU nodes of busbw.csv. */
static const double launch_us = 20.0;
static const double switch_us = 25.0, switch_net_us = 20.9;

/* GB/s: one domain, two, more. */
static const double ll_max_gbs[GS_GEN_COUNT][3] = {
    {39.0, 39.0, 20.4}, {87.7, 22.5, 19.0}, {141.0, 45.0, 35.0}, {282.0, 90.0, 70.0}};
/* What collectives get of nominal NVLink: 20 of 25, 20 of 25, 20.6 of 25, 40.1 of 50 GB/s a link. */
static const double nvlink_share[GS_GEN_COUNT] = {0.80, 0.80, 0.824, 0.802};
/* 20 GB/s measured between A100-PCIe, of 31.5. */
static const double pcie_share = 0.635;
static const double nic_share = 0.94;
static const double tree_share = 0.92; /* of the ring's bus bandwidth; so LL128 */
/* In-switch reduction over the ring's bus bandwidth: 480 / 370.8 and 842 / 721.8 measured. */
static const double nvls_gain[GS_GEN_COUNT] = {0.0, 0.0, 1.29, 1.17};
/* 386 GB/s of 64 H100 in 8 nodes, of 478 in one. */
static const double sharp_share = 0.8;

enum gs_gpu_generation gs_gpu_generation(const char *arch)
{
    static const struct {
        const char *name;
        enum gs_gpu_generation generation;
    } names[] = {{"Ampere", GS_GEN_AMPERE},
                 {"Ada", GS_GEN_AMPERE},
                 {"Hopper", GS_GEN_HOPPER},
                 {"Blackwell", GS_GEN_BLACKWELL},
                 {"Rubin", GS_GEN_BLACKWELL}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(arch, names[i].name, strlen(names[i].name)) == 0)
            return names[i].generation;
    return GS_GEN_VOLTA;
}

const char *gs_collective_str(enum gs_collective op)
{
    static const char *const names[] = {
#define X(U, l) #l,
        GS_COLLECTIVES(X)
#undef X
    };
    return op < GS_COLL_COUNT ? names[op] : "?";
}

double gs_collective_factor(enum gs_collective op, uint32_t ranks)
{
    if (ranks <= 1)
        return 0;
    const double n = (double)ranks;
    switch (op) {
    case GS_COLL_ALL_REDUCE: return 2 * (n - 1) / n;
    case GS_COLL_REDUCE_SCATTER:
    case GS_COLL_ALL_GATHER:
    case GS_COLL_ALL_TO_ALL: return (n - 1) / n;
    case GS_COLL_BROADCAST:
    case GS_COLL_P2P:
    case GS_COLL_COUNT: break;
    }
    return 1;
}

/* ---- measured ---- */

/* Slope at y1 of three points by Fritsch and Butland's weighted harmonic mean: 0 where the curve turns. */
static double slope(double h0, double d0, double h1, double d1)
{
    if (d0 * d1 <= 0)
        return 0;
    const double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
    return (w0 + w1) / (w0 / d0 + w1 / d1);
}

/* The index that stands k points before (k < 0) or after i, `skip` left out; SIZE_MAX beyond the ends. */
static size_t beside(const struct gs_busbw_curve *b, size_t i, int step, size_t skip)
{
    for (;;) {
        if (step < 0 ? i == 0 : i + 1 >= b->n)
            return SIZE_MAX;
        i = step < 0 ? i - 1 : i + 1;
        if (i != skip)
            return i;
    }
}

/* Slope of the log-log curve at point i, whose neighbour on the one side is j; at the ends that of the chord. */
static double slope_at(const struct gs_busbw_curve *b, size_t i, size_t j, size_t skip)
{
    const size_t before = j < i ? j : beside(b, i, -1, skip);
    const size_t after = j > i ? j : beside(b, i, 1, skip);
    const double x = gs_log(b->point[i].bytes), y = gs_log(b->point[i].gbs);
    double h[2] = {0, 0}, d[2] = {0, 0};
    if (before != SIZE_MAX) {
        h[0] = x - gs_log(b->point[before].bytes);
        d[0] = (y - gs_log(b->point[before].gbs)) / h[0];
    }
    if (after != SIZE_MAX) {
        h[1] = gs_log(b->point[after].bytes) - x;
        d[1] = (gs_log(b->point[after].gbs) - y) / h[1];
    }
    if (before == SIZE_MAX || after == SIZE_MAX)
        return before == SIZE_MAX ? d[1] : d[0];
    return slope(h[0], d[0], h[1], d[1]);
}

double gs_busbw_at(const struct gs_busbw_curve *b, double bytes, size_t skip)
{
    size_t lo = skip == 0 ? 1 : 0;
    for (size_t i = lo + 1; i < b->n && b->point[i].bytes <= bytes; i++)
        lo = i == skip ? lo : i;
    const size_t hi = beside(b, lo, 1, skip);
    if (hi == SIZE_MAX || bytes <= b->point[lo].bytes)
        return b->point[lo].gbs;
    const double x0 = gs_log(b->point[lo].bytes), h = gs_log(b->point[hi].bytes) - x0;
    const double y0 = gs_log(b->point[lo].gbs), y1 = gs_log(b->point[hi].gbs);
    const double m0 = h * slope_at(b, lo, hi, skip), m1 = h * slope_at(b, hi, lo, skip);
    const double t = (gs_log(bytes) - x0) / h, u = 1 - t;
    return gs_exp(y0 * u * u * (1 + 2 * t) + m0 * t * u * u + y1 * t * t * (3 - 2 * t) -
                  m1 * t * t * u);
}

double gs_busbw_leave_one_out(const struct gs_busbw_curve *b, size_t i)
{
    const double e = gs_busbw_at(b, b->point[i].bytes, i) / b->point[i].gbs - 1;
    return e < 0 ? -e : e;
}

/* Beyond the ends the time goes on as alpha-beta: a byte less or more counts at the bandwidth of the last point. Below
 * the first one, where latency rules, that bandwidth says little: there the time stays. */
static double measured_s(const struct gs_busbw_curve *b, double factor, double bytes)
{
    const struct gs_busbw_point *first = b->point, *last = &b->point[b->n - 1];
    const double at = bytes < first->bytes  ? first->bytes
                      : bytes > last->bytes ? last->bytes
                                            : bytes;
    const double s = factor * at / (gs_busbw_at(b, at, SIZE_MAX) * 1e9);
    return bytes > last->bytes ? s + factor * (bytes - last->bytes) / (last->gbs * 1e9) : s;
}

/* ---- alpha-beta ---- */

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static double intra(const struct gs_fabric *f)
{
    return f->intra_gbs * (f->nvlink ? nvlink_share[f->generation] : pcie_share);
}

/* Bus bandwidth of a ring: each of the g ranks of a domain lends its NIC to a ring of its own. */
static double ring_gbs(const struct gs_fabric *f)
{
    const double between = f->inter_gbs * nic_share * (double)f->ranks;
    if (f->domains == 1)
        return intra(f);
    return f->ranks == 1 ? between : lesser(intra(f), between);
}

static double protocol_gbs(const struct gs_fabric *f, int p, double gbs)
{
    const uint32_t k = f->domains > 2 ? 2 : f->domains - 1;
    if (p == LL)
        return lesser(ll_max_gbs[f->generation][k], 0.5 * gbs);
    return p == LL128 ? tree_share * gbs : gbs;
}

static double ring_s(const struct gs_fabric *f, enum gs_collective op, double bytes, int p)
{
    const double n = (double)f->domains * (double)f->ranks, k = (double)f->domains;
    const double rounds = op == GS_COLL_ALL_REDUCE ? 2 : 1;
    const double steps = op == GS_COLL_P2P ? 1 : rounds * (n - 1);
    const double crossing = f->domains == 1 ? 0 : op == GS_COLL_P2P ? 1 : rounds * (k - 1);
    const double hop = f->nvlink ? ring_nvlink_us[p] : ring_pcie_us[p];
    const double us =
        launch_us + ring_base_us[p] + (steps - crossing) * hop + crossing * ring_net_us[p];
    double gbs = ring_gbs(f);
    if (op == GS_COLL_P2P && f->domains > 1)
        gbs = f->inter_gbs * nic_share; /* one pair has one NIC */
    const double factor = gs_collective_factor(op, f->domains * f->ranks);
    return us * 1e-6 + factor * bytes / (protocol_gbs(f, p, gbs) * 1e9);
}

/* Each rank sends to each other: what stays in the domain and what leaves it go at once. */
static double all_to_all_s(const struct gs_fabric *f, double bytes, int p)
{
    const double n = (double)f->domains * (double)f->ranks, g = (double)f->ranks;
    const double hop = f->nvlink ? ring_nvlink_us[p] : ring_pcie_us[p];
    const double us =
        launch_us + ring_base_us[p] + (g - 1) * hop + (n - g > 0 ? (n - g) * ring_net_us[LL] : 0);
    const double in = (g - 1) / n * bytes / (protocol_gbs(f, p, intra(f)) * 1e9);
    const double out = f->domains == 1 ? 0 : (n - g) / n * bytes / (f->inter_gbs * nic_share * 1e9);
    return us * 1e-6 + (in > out ? in : out);
}

static double tree_s(const struct gs_fabric *f, double bytes, int p)
{
    double levels = 0;
    for (uint32_t k = f->domains; k > 1; k /= 2)
        levels += 1;
    const double hop = f->nvlink ? tree_nvlink_us[p] : tree_pcie_us[p];
    const double us =
        launch_us + tree_base_us[p] + 2 * ((double)(f->ranks - 1) * hop + levels * tree_net_us[p]);
    return us * 1e-6 + 2 * bytes / (protocol_gbs(f, p, tree_share * ring_gbs(f)) * 1e9);
}

/* Reduction in the switch: inside a domain at the measured gain over a ring; between domains each NIC carries 1/g of the buffer
 * once each way instead of twice. */
static double switch_s(const struct gs_fabric *f, double bytes)
{
    double gbs = intra(f) * nvls_gain[f->generation], us = launch_us + switch_us;
    for (uint32_t k = f->domains; k > 1; k /= 2)
        us += 2 * switch_net_us;
    if (f->domains > 1)
        gbs = sharp_share * lesser(gbs, 2 * f->inter_gbs * nic_share * (double)f->ranks);
    return us * 1e-6 +
           gs_collective_factor(GS_COLL_ALL_REDUCE, f->domains * f->ranks) * bytes / (gbs * 1e9);
}

static int has_switch(const struct gs_fabric *f)
{
    return f->nvls && f->ranks > 1 && nvls_gain[f->generation] > 0 && (f->domains == 1 || f->sharp);
}

double gs_collective_model_s(const struct gs_fabric *f, enum gs_collective op,
                             enum gs_algorithm algo, double bytes)
{
    if (f->domains * f->ranks <= 1 || bytes <= 0)
        return 0;
    const int reduces = op == GS_COLL_ALL_REDUCE;
    double best = -1;
    for (int p = 0; p < PROTOCOLS; p++) {
        double s = op == GS_COLL_ALL_TO_ALL ? all_to_all_s(f, bytes, p) : ring_s(f, op, bytes, p);
        if (reduces && algo == GS_ALGO_TREE)
            s = tree_s(f, bytes, p);
        else if (reduces && algo == GS_ALGO_BEST && f->domains > 1)
            s = lesser(s, tree_s(f, bytes, p));
        best = best < 0 ? s : lesser(best, s);
    }
    if (reduces && algo == GS_ALGO_SWITCH && has_switch(f))
        return switch_s(f, bytes);
    if (reduces && algo == GS_ALGO_BEST && has_switch(f))
        best = lesser(best, switch_s(f, bytes));
    return best;
}

double gs_collective_s(const struct gs_fabric *f, enum gs_collective op, enum gs_algorithm algo,
                       double bytes)
{
    if (f->domains * f->ranks <= 1 || bytes <= 0)
        return 0;
    if (f->measured && op == GS_COLL_ALL_REDUCE && algo == GS_ALGO_BEST)
        return measured_s(f->measured, gs_collective_factor(op, f->domains * f->ranks), bytes);
    return gs_collective_model_s(f, op, algo, bytes);
}

/* measured.h - the measured bus bandwidths of sim/hardware/busbw.csv as curves, each with the machine that it was measured on, and how
 * far both models of collective.h are from it.
 *
 * A curve is the rows of one (system, ranks, collective, algorithm) that give a size and a figure, by size; single points are curves of
 * one. Points that say "large messages" instead of a size are left out (busbw.csv lists them). */
#ifndef GS_NETWORK_MEASURED_H
#define GS_NETWORK_MEASURED_H

#include "sim/base/vec.h"
#include "sim/hardware/catalog.h"
#include "sim/network/collective.h"

struct gs_measured_point {
    double leave_one_out; /* relative error of the interpolation; NaN at the ends */
    double model; /* alpha-beta time / measured time - 1; NaN where the machine is not known */
};

struct gs_measured {
    const char *machine, *algorithm, *gpu; /* gpu "" = machine not known */
    uint32_t ranks, nodes;
    enum gs_collective op;
    enum gs_algorithm algo; /* what the model is asked for */
    struct gs_fabric fabric;
    struct gs_busbw_curve curve;
    struct gs_measured_point *point; /* [curve.n] */
    double model_rms_log,
        model_worst; /* of the alpha-beta model over the curve; NaN = no machine */
};

struct gs_measurements {
    GS_VEC(struct gs_measured) curves;
    struct gs_arena arena;
};

/* Leave-one-out error over all inner points of curves of at least five. */
struct gs_loo {
    uint32_t points, within_10;
    double median;
};

/* Text belongs to the catalog, which must outlive it. */
void gs_measurements_load(struct gs_measurements *m, struct gs_catalog *c);
void gs_measurements_release(struct gs_measurements *m);
struct gs_loo gs_measurements_loo(const struct gs_measurements *m);
/* The curve of that all-reduce on that GPU with its default algorithm, for `domains` x `ranks`; NULL = not measured. */
const struct gs_measured *gs_measured_find(const struct gs_measurements *m, const char *gpu,
                                           uint32_t domains, uint32_t ranks);

#endif

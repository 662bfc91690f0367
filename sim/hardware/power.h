/* power.h - how much a GPU draws, and how much a cap on it slows computing.
 *
 *   P = idle                                                  no context on it
 *   P = idle + context + (full - idle - context) u^gamma      u: share of the time in which kernels run
 *
 * full is the board's limit: the TDP, or a cap below it. gamma = 1 is the usual assumption. Under a cap, computing goes at
 *
 *   s = ((cap - idle - context) / (TDP - idle - context))^(1/gamma)
 *
 * of its speed, which is what the same curve says of a device that is u = s busy; for gamma = 1 that is pessimistic (frequency
 * falls with about the cube root of power near the top), and gamma = 2..3 tells of that. Idle figures are those of public nvidia-smi
 * logs where the catalog has one; sensors that sample a part of the time (arXiv 2312.02741) carry an error that was not measured here.
 * Integers, milliwatts; pure. */
#ifndef GS_HARDWARE_POWER_H
#define GS_HARDWARE_POWER_H

#include "sim/base/err.h"
#include "sim/base/exact.h"
#include "sim/hardware/catalog.h"

#include <stdint.h>

struct gs_power_model { /* what holds for every device */
    int64_t context_mw; /* that a context adds */
    double idle_share;  /* of the TDP, where the catalog has no idle figure */
    double gamma;
};

struct gs_power_gpu {
    int64_t idle_mw, context_mw, tdp_mw, full_mw; /* full: TDP or cap */
    double gamma;
    int idle_assumed; /* by idle_share */
};

/* cap_mw <= 0: none. GS_E_INPUT if the TDP is not known, or the cap leaves nothing to compute with. */
GS_NODISCARD enum gs_rc gs_power_gpu(const struct gs_gpu_model *g, const struct gs_power_model *m,
                                     int64_t cap_mw, struct gs_power_gpu *out, struct gs_err *err);
/* What a context draws beyond the idle device: share_milli of it, kernels running busy (Q30) of the time. */
int64_t gs_power_draw(const struct gs_power_gpu *p, uint32_t share_milli, int64_t busy);
/* Time that computing takes under the cap, Q30: GS_ONE without one. */
int64_t gs_power_dilation(const struct gs_power_gpu *p);

#endif

/* power.c - three states of a GPU: no context, a context, kernels (power.h). O(1). */
#include "sim/hardware/power.h"

#include "sim/base/fmath.h"

#include <math.h>

#include "sim/base/banned.h"

#define ONE (INT64_C(1) << 30) /* Q30 */

static int64_t milli(double watts)
{
    return (int64_t)gs_rint_even(watts * 1000);
}

enum gs_rc gs_power_gpu(const struct gs_gpu_model *g, const struct gs_power_model *m,
                        int64_t cap_mw, struct gs_power_gpu *out, struct gs_err *err)
{
    *out = (struct gs_power_gpu){.gamma = m->gamma, .context_mw = m->context_mw};
    if (!g || !(g->tdp_w > 0))
        return gs_fail(err, GS_E_INPUT, "the catalog knows no TDP of it");
    out->tdp_mw = milli(g->tdp_w);
    out->idle_assumed = !(g->idle_w >= 0);
    out->idle_mw = milli(out->idle_assumed ? g->tdp_w * m->idle_share : g->idle_w);
    if (out->idle_mw > out->tdp_mw)
        out->idle_mw = out->tdp_mw;
    if (out->context_mw > out->tdp_mw - out->idle_mw)
        out->context_mw = out->tdp_mw - out->idle_mw;
    out->full_mw = cap_mw > 0 && cap_mw < out->tdp_mw ? cap_mw : out->tdp_mw;
    if (out->full_mw < out->tdp_mw && out->full_mw <= out->idle_mw + out->context_mw)
        return gs_fail(err, GS_E_INPUT,
                       "a cap of %.4g W is no more than it draws without computing (%.4g W)",
                       (double)cap_mw / 1000, (double)(out->idle_mw + out->context_mw) / 1000);
    return GS_OK;
}

int64_t gs_power_draw(const struct gs_power_gpu *p, uint32_t share_milli, int64_t busy)
{
    int64_t u = busy < 0 ? 0 : busy > ONE ? ONE : busy;
    if (p->gamma != 1 && u > 0 && u < ONE)
        u = (int64_t)gs_rint_even(gs_pow((double)u / (double)ONE, p->gamma) * (double)ONE);
    const int64_t range = p->full_mw - p->idle_mw - p->context_mw;
    const int64_t whole = p->context_mw + (int64_t)((gs_i128)range * u / ONE);
    return whole * share_milli / 1000;
}

int64_t gs_power_dilation(const struct gs_power_gpu *p)
{
    const int64_t base = p->idle_mw + p->context_mw;
    if (p->full_mw >= p->tdp_mw)
        return ONE;
    if (p->gamma == 1)
        return (int64_t)((gs_i128)ONE * (p->tdp_mw - base) / (p->full_mw - base));
    const double s = (double)(p->full_mw - base) / (double)(p->tdp_mw - base);
    return (int64_t)gs_rint_even((double)ONE / gs_pow(s, 1 / p->gamma));
}

/* verdict.c - does the cluster keep up with what arrives? stable, transient or saturated.
 *
 * Judged on the backlog (backlog.c) between the first and the last submission inside the measured window. What happens after the
 * last arrival is no evidence: any cluster drains once nothing arrives. The span is cut into 64 equal batches, each with the exact mean of
 * the backlog, in seconds that the whole cluster would need to clear it; "waiting" is the part that is not running.
 *
 *   saturated  in the last half (32 batches, taken in 8 groups of 4 so that neighbours are nearly independent) the least-squares slope
 *              of the backlog AND of its waiting part is above zero by more than t(99.9 %, 6 degrees) standard errors, and the waiting part grows by at
 *              least 0.1 % of what the cluster can do in that time. That waiting work must grow keeps out a cluster that merely
 *              fills up while nobody waits.
 *              Also: the backlog peaked (below) and has not drained at the end.
 *   transient  the waiting backlog peaked and has drained: its largest batch takes 1 % of the span to clear and is 10 times the
 *              median batch, or takes 5 % of the span; and the last eighth has a mean of at most a quarter of that peak.
 *   stable     else.
 *
 * Constants: M/M/1 with 2,000 and 20,000 jobs at loads 0.5 to 1.3, 60 to 200 seeds. At 20,000 jobs no false alarm up to load 0.95, and
 * saturation seen in 95 % of runs at load 1.05, all from 1.1 on. Fewer than 64 jobs or no span at all (all at once): nothing to regress;
 * then a backlog that is gone at the end of the run was transient, one that is not is saturated. Jobs that never end are in no backlog; where one
 * has never started at the end of the run, after at least 5 % of it, the run is saturated. Output-analysis background: batch means. */
#include "sim/base/fmath.h"
#include "sim/metrics/internal.h"

#include "sim/base/banned.h"

enum {
    GROUPS = 8
};

#define RISE_CONFIDENCE 0.999
#define RISE_LEAST      0.001 /* of the time that it takes */
#define PEAK_CLEAR      0.01  /* of the span */
#define PEAK_RATIO      10.0  /* times the median */
#define PEAK_LARGE      0.05  /* of the span, whatever the median */
#define DRAINED         0.25  /* of the peak */

void gs_verdict_batches(const struct gs_backlog *b, int64_t end_ns, double capacity_milli,
                        struct gs_backlog_batches *out)
{
    *out = (struct gs_backlog_batches){0};
    if (b->width == 0 || end_ns <= b->lo || capacity_milli <= 0)
        return;
    int64_t fine = (end_ns - b->lo) / b->width;
    if (fine > GS_BACKLOG_FINE)
        fine = GS_BACKLOG_FINE;
    const int64_t group = fine / GS_BACKLOG_BATCHES;
    if (group == 0)
        return;
    out->n = GS_BACKLOG_BATCHES;
    const int64_t first = fine - group * GS_BACKLOG_BATCHES;
    const double batch_s = (double)group * (double)b->width / 1e9;
    for (size_t i = 0; i < out->n; i++) {
        for (int64_t k = 0; k < group; k++) {
            const int64_t at = first + (int64_t)i * group + k;
            out->all[i] += b->batch_all[at];
            out->waiting[i] += b->batch_waiting[at];
        }
        out->all[i] /= batch_s * capacity_milli * 1e9;
        out->waiting[i] /= batch_s * capacity_milli * 1e9;
    }
    out->span_s = batch_s * GS_BACKLOG_BATCHES;
}

static double mean(const double *v, size_t n)
{
    double s = 0;
    for (size_t i = 0; i < n; i++)
        s += v[i];
    return s / (double)n;
}

int gs_verdict_rises(const double *v, size_t n, double least)
{
    gs_require(n >= GROUPS && n % GROUPS == 0);
    const size_t per = n / GROUPS;
    double y[GROUPS];
    for (size_t g = 0; g < GROUPS; g++)
        y[g] = mean(v + g * per, per);
    const double ybar = mean(y, GROUPS);
    const double xbar = (GROUPS - 1) / 2.0;
    double sxx = 0, sxy = 0;
    for (size_t g = 0; g < GROUPS; g++) {
        const double x = (double)g - xbar;
        sxx += x * x;
        sxy += x * (y[g] - ybar);
    }
    const double slope = sxy / sxx;
    double sse = 0;
    for (size_t g = 0; g < GROUPS; g++) {
        const double r = y[g] - ybar - slope * ((double)g - xbar);
        sse += r * r;
    }
    /* slope > t se, without a root: slope^2 > t^2 sse / (df sxx) */
    const double t = gs_t_inv(RISE_CONFIDENCE, GROUPS - 2);
    return slope > 0 && slope * GROUPS >= least && slope * slope * (GROUPS - 2) * sxx > t * t * sse;
}

enum gs_verdict gs_verdict_of(const struct gs_backlog_batches *b)
{
    if (b->n == 0)
        return GS_VERDICT_STABLE;
    const size_t half = b->n / 2;
    const double least = RISE_LEAST * b->span_s / 2;
    if (gs_verdict_rises(b->all + half, half, 0) &&
        gs_verdict_rises(b->waiting + half, half, least))
        return GS_VERDICT_SATURATED;
    double sorted[GS_BACKLOG_BATCHES];
    for (size_t i = 0; i < b->n; i++)
        sorted[i] = b->waiting[i];
    gs_sort_doubles(sorted, b->n);
    const double peak = sorted[b->n - 1];
    const double median = gs_quantile(sorted, b->n, 0.5);
    const int peaked = peak >= PEAK_LARGE * b->span_s ||
                       (peak >= PEAK_CLEAR * b->span_s && peak >= PEAK_RATIO * median);
    if (!peaked)
        return GS_VERDICT_STABLE;
    const size_t tail = b->n / 8;
    return mean(b->waiting + b->n - tail, tail) <= DRAINED * peak ? GS_VERDICT_TRANSIENT
                                                                  : GS_VERDICT_SATURATED;
}

const char *gs_verdict_str(enum gs_verdict v)
{
    switch (v) {
    case GS_VERDICT_STABLE: return "stable";
    case GS_VERDICT_TRANSIENT: return "transient";
    case GS_VERDICT_SATURATED: return "saturated";
    }
    return "?";
}

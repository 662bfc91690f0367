/* parts.c - into which parts the allocated GPU time falls: compute, communication, input wait, ... (workload/pace.h).
 *
 * The run tells segments of a job's running time with their proportions. A segment is divided in whole ns, each part rounded down; what is
 * over goes to the largest part, so the parts of a job sum to its running time exactly, and those of the window to the GPU time held in it.
 * A run that never tells any (every job at the pace of its reference) counts all of it as computing. O(parts) a segment. */
#include "sim/base/mem.h"
#include "sim/metrics/internal.h"

#include <math.h>

#include "sim/base/banned.h"

void gs_metrics_split(struct gs_metrics *m)
{
    if (!m->part_ns)
        m->part_ns = gs_zalloc(m->njobs ? m->njobs : 1, sizeof *m->part_ns);
}

/* Divides dt in the proportions of the pace. */
static void divide(int64_t dt, const struct gs_pace *p, int64_t out[GS_TIME_COUNT])
{
    const int64_t sum = gs_pace_sum(p);
    int64_t left = dt;
    int largest = 0;
    for (int i = 0; i < GS_TIME_COUNT; i++) {
        out[i] = (int64_t)((gs_i128)dt * p->q[i] / sum);
        left -= out[i];
        if (p->q[i] > p->q[largest])
            largest = i;
    }
    out[largest] += left;
}

void gs_metrics_parts(struct gs_metrics *m, uint32_t job, int64_t from_ns, int64_t to_ns,
                      const struct gs_pace *p)
{
    int64_t part[GS_TIME_COUNT];
    gs_require(m->part_ns && job < m->njobs && from_ns <= to_ns);
    divide(to_ns - from_ns, p, part);
    for (int i = 0; i < GS_TIME_COUNT; i++)
        m->part_ns[job].q[i] += part[i];
    const int64_t lo = from_ns > m->window.from_ns ? from_ns : m->window.from_ns;
    const int64_t hi = to_ns < m->window.to_ns ? to_ns : m->window.to_ns;
    if (lo >= hi)
        return;
    if (lo != from_ns || hi != to_ns)
        divide(hi - lo, p, part);
    for (int i = 0; i < GS_TIME_COUNT; i++)
        m->part_sum[i] += (gs_i128)m->out[job].held_milli * part[i];
}

int64_t gs_metrics_part_ns(const struct gs_metrics *m, uint32_t job, enum gs_part part)
{
    if (m->part_ns)
        return m->part_ns[job].q[part];
    return part == GS_TIME_COMPUTE ? m->out[job].run_ns : 0;
}

gs_i128 gs_metrics_part_sum(const struct gs_metrics *m, enum gs_part part)
{
    if (m->part_ns)
        return m->part_sum[part];
    return part == GS_TIME_COMPUTE ? m->held.sum : 0;
}

void gs_parts_visit(struct gs_metrics *m, struct gs_visitor *v)
{
    gs_visit_i128(v, GS_TAG('p', 's', 'u', 'm'), m->part_sum, GS_TIME_COUNT);
    for (size_t i = 0; m->part_ns && i < m->njobs; i++)
        gs_visit_i64(v, GS_TAG('p', 'j', 'o', 'b'), m->part_ns[i].q, GS_TIME_COUNT);
}

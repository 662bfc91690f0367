/* endless.c - the `duration` key of [trace]: run times for jobs of a trace that records none.
 *
 * Some public lists say when a job came and what it asked for, not how long it ran (Sia, lists of pods without times). Such jobs run until the
 * end, unless the scenario states a distribution. A drawn run time is marked as synthetic, so that nobody takes it for a record.
 * Draws are keyed by (seed, source, row), so that two policies see the same jobs. */
#include "sim/base/fmath.h"
#include "traces/synth/synth.h"

#include "sim/base/banned.h"

#define TRACES        0x8000u /* classes of [workload] sections are below */
#define RUN_LONGEST_S 3155760000.0

enum gs_rc gs_duration_apply(struct gs_workload *w, size_t from_job, const char *spec,
                             uint64_t seed, const char *dir, struct gs_err *err)
{
    gs_require(w && spec && from_job <= w->jobs.n);
    struct gs_arena arena = {0};
    struct gs_dist *dist = NULL;
    enum gs_rc rc = gs_dist_parse(spec, GS_DIM_TIME, dir, &arena, &dist, err);
    for (size_t i = from_job; i < w->jobs.n && rc == GS_OK; i++) {
        struct gs_job *j = &w->jobs.v[i];
        if (j->run_ns != GS_NEVER)
            continue;
        struct gs_stream s;
        gs_stream_init(&s, seed, GS_RNG_SERVICE, TRACES | j->source, (uint32_t)j->row);
        const double run_s = gs_dist_draw(dist, &s);
        if (!(run_s <= RUN_LONGEST_S))
            rc = gs_fail(err, GS_E_INPUT, "drew %g s: over 100 years (add clip=..MAX)", run_s);
        else
            j->run_ns = gs_ns(run_s);
        j->duration_source = GS_DURATION_SYNTHETIC;
    }
    gs_arena_release(&arena);
    return rc;
}

/* arrivals.h - one arrival process at work: the stream of arrival times that a parsed process gives. */
#ifndef GS_TRACES_SYNTH_ARRIVALS_H
#define GS_TRACES_SYNTH_ARRIVALS_H

#include "sim/base/rng.h"
#include "traces/synth/synth.h"

#include <stdint.h>

struct gs_arrival_run {
    const struct gs_arrivals *a;
    struct gs_stream gaps, states;
    int64_t clock_ns; /* wall clock of t = 0 in local time, ns since 1970 */
    double t, stop_s; /* seconds since t = 0; arrivals at or behind stop are not wanted */
    int64_t hour;     /* local hour that t lies in, since 1970 */
    double hour_end;
    uint32_t state; /* mmpp */
    double state_end;
    double excitement; /* hawkes: arrivals/s above the base, at t */
    uint64_t made;
};

/* local_clock_ns: wall clock of t = 0 plus the zone's offset. */
void gs_arrival_start(struct gs_arrival_run *r, const struct gs_arrivals *a, uint64_t seed,
                      uint32_t section, int64_t local_clock_ns, double stop_s);
/* Seconds since t = 0, never decreasing; at or above stop_s when there is nothing more before it. */
double gs_arrival_next(struct gs_arrival_run *r);

int gs_arrivals_are_batch(const struct gs_arrivals *a);

#endif

/* arrivals.h - one arrival process at work: the stream of arrival times that a parsed process gives; and several at once. */
#ifndef GS_TRACES_SYNTH_ARRIVALS_H
#define GS_TRACES_SYNTH_ARRIVALS_H

#include "sim/base/rng.h"
#include "traces/synth/gamma.h"
#include "traces/synth/synth.h"

#include <stdint.h>

#define GS_ARRIVAL_STATES 8
#define GS_HOURS_A_WEEK   168

enum gs_arrival_kind {
    GS_EVEN,
    GS_POISSON,
    GS_RENEWAL,
    GS_MMPP,
    GS_HAWKES,
    GS_BURSTS,
    GS_BATCH
};

/* A parsed process: arrivals_parse.c builds it, arrivals.c runs it, nobody else looks inside. */
struct gs_arrivals {
    enum gs_arrival_kind process;
    uint32_t states;
    double rate
        [GS_ARRIVAL_STATES]; /* per second; Hawkes: rate[0] = base; bursts: rate[0] of bursts, between them */
    double dwell[GS_ARRIVAL_STATES]; /* mean, seconds */
    struct gs_gamma gamma;           /* RENEWAL: shape = 1/cv^2 */
    double branching, decay;         /* HAWKES */
    struct gs_dist *size, *gap;      /* BURSTS: arrivals a burst, seconds between them */
    double timer;                    /* seconds between the ticks of a superposed timer, 0 = none */
    int is_shaped;
    double hour[GS_HOURS_A_WEEK]; /* relative rate, from Monday 00:00 */
    double hour_max;
};

struct gs_arrival_run {
    const struct gs_arrivals *a;
    struct gs_stream gaps, states;
    double share;     /* of the process's rate: 1, or a client's part */
    int64_t clock_ns; /* wall clock of t = 0 in local time, ns since 1970 */
    double t, stop_s; /* seconds since t = 0; arrivals at or behind stop are not wanted */
    int64_t hour;     /* local hour that t lies in, since 1970 */
    double hour_end;
    uint32_t state; /* mmpp */
    double state_end;
    double excitement; /* hawkes: arrivals/s above the base, at t */
    uint64_t left;     /* bursts: arrivals of the burst still to come */
    uint64_t made;
    double phase; /* of the timer */
    uint64_t ticks;
    double pending; /* arrival drawn ahead of the timer's next tick; < 0 = none */
};

/* local_clock_ns: wall clock of t = 0 plus the zone's offset. */
void gs_arrival_start(struct gs_arrival_run *r, const struct gs_arrivals *a, uint64_t seed,
                      uint32_t section, int64_t local_clock_ns, double stop_s);
/* Seconds since t = 0, never decreasing; at or above stop_s when there is nothing more before it. */
double gs_arrival_next(struct gs_arrival_run *r);

/* The superposition of `n` independent clients whose shares of the rate follow Zipf's law with exponent s: client k has its own
 * streams. n = 1 is gs_arrival_start. The runs live in the arena. Cost of an arrival: O(log n). */
struct gs_clients {
    uint32_t n;
    struct gs_arrival_run *run;
    struct gs_client_next *heap; /* earliest first */
};

struct gs_client_next {
    double t;
    uint32_t client;
};

void gs_clients_start(struct gs_clients *c, const struct gs_arrival_run *model, uint64_t seed,
                      uint32_t section, uint32_t n, double s, struct gs_arena *arena);
double gs_clients_next(struct gs_clients *c, uint32_t *client);

/* Local wall clock of t = 0, ns since 1970: what daily, weekly and weekend go by. Without a start, Monday 00:00. */
int64_t gs_arrival_clock(int64_t start_unix_ns, int32_t zone_offset_s);

int gs_arrivals_are_batch(const struct gs_arrivals *a);

#endif

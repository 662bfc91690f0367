/* arrivals.c - arrival processes at work: constant, Poisson, gamma renewal, Markov-modulated Poisson, Hawkes, bursts; each with a daily
 * and weekly shape, and a timer beside it.
 *
 * All but Hawkes and bursts are one process with different parts. Let lambda(t) = (rate of the state) x (relative rate of the hour), which is
 * constant between changes. The next arrival is where the integral of lambda has grown by e, with e exponential of mean 1
 * (Poisson, mmpp), gamma of mean 1 (renewal with the given coefficient of variation) or 1 (evenly spaced): time rescaling, as
 * in Daley and Vere-Jones, "An Introduction to the Theory of Point Processes". So the daily shape stretches gaps and leaves their
 * kind as it is; the dwell times of mmpp are exponential in real time, its first state is drawn by the shares of time.
 *
 * Hawkes: lambda(t) = base x relative(t) + sum over past arrivals of branching/decay exp(-(t - t_i)/decay), by Ogata's thinning
 * (IEEE Trans. Inf. Theory 27, 1981): candidates at the bound base x max relative + present excitement, which only
 * falls until the next arrival. Its mean rate is base/(1 - branching).
 *
 * Bursts: a semi-Markov process (Cox and Lewis, "The Statistical Analysis of Series of Events", 1966, after Lewis's branching
 * process of computer failures). While no burst is under way, one begins at rate(t), as a Poisson process; it brings a drawn
 * number of arrivals, a drawn gap apart, which the daily shape does not stretch: a sweep of hyperparameters, submitted by a script.
 *
 * The timer ticks at a fixed period from a drawn phase, whatever the rest does: a monitor's test job, a nightly build.
 * Clients: independent copies with a part of the rate each. A sum of many is smoother than one, as users of a service are
 * (ServeGen, arXiv 2505.09999).
 *
 * Relative rates are not normalised: 1 is the rate as written. Cost of an arrival: O(1) and one draw (Hawkes: two a candidate) plus the hours passed over. */
#include "traces/synth/arrivals.h"

#include "sim/base/fmath.h"
#include "sim/base/units.h"
#include "traces/synth/dist.h"

#include <math.h>

#include "sim/base/banned.h"

#define HOUR_NS        (INT64_C(3600) * GS_SECOND)
#define MONDAY_1970_NS (INT64_C(4) * 86400 * GS_SECOND)
#define SIZE_MOST      1e9 /* arrivals a burst */

/* ---- At work ----------------------------------------------------------------------------------- */

static int64_t floor_div(int64_t a, int64_t b)
{
    const int64_t q = a / b;
    return q - (a % b < 0);
}

/* 1970-01-01 was a Thursday: 72 hours into the week. */
static double relative_at(const struct gs_arrivals *a, int64_t hour)
{
    const int64_t in_week = (hour + 72) % GS_HOURS_A_WEEK;
    return a->hour[in_week < 0 ? in_week + GS_HOURS_A_WEEK : in_week];
}

static void enter_hour(struct gs_arrival_run *r, int64_t hour)
{
    r->hour = hour;
    r->hour_end =
        r->a->is_shaped ? (double)((hour + 1) * HOUR_NS - r->clock_ns) / 1e9 : (double)INFINITY;
}

static void enter_state(struct gs_arrival_run *r, uint32_t state, double from)
{
    const struct gs_arrivals *a = r->a;
    r->state = state;
    r->state_end =
        a->states > 1 ? from - a->dwell[state] * gs_log(gs_open(&r->states)) : (double)INFINITY;
}

/* By the shares of time that the states have in the long run. */
static uint32_t first_state(struct gs_arrival_run *r)
{
    const struct gs_arrivals *a = r->a;
    if (a->states < 2)
        return 0;
    double total = 0;
    for (uint32_t i = 0; i < a->states; i++)
        total += a->dwell[i];
    double u = gs_open(&r->states) * total;
    uint32_t i = 0;
    while (i + 1 < a->states && u >= a->dwell[i])
        u -= a->dwell[i++];
    return i;
}

/* Catches up with a t that did not come from advance; behind the stop, which may be far, no hour matters. */
static void pass_hours(struct gs_arrival_run *r)
{
    while (r->t >= r->hour_end && r->hour_end < r->stop_s)
        enter_hour(r, r->hour + 1);
}

static void start_client(struct gs_arrival_run *r, uint64_t seed, uint32_t section, uint32_t client)
{
    gs_stream_init(&r->gaps, seed, GS_RNG_ARRIVAL, section, 2 * client);
    gs_stream_init(&r->states, seed, GS_RNG_ARRIVAL, section, 2 * client + 1);
    enter_hour(r, floor_div(r->clock_ns, HOUR_NS));
    enter_state(r, first_state(r), 0);
}

void gs_arrival_start(struct gs_arrival_run *r, const struct gs_arrivals *a, uint64_t seed,
                      uint32_t section, int64_t local_clock_ns, double stop_s)
{
    *r = (struct gs_arrival_run){
        .a = a, .clock_ns = local_clock_ns, .stop_s = stop_s, .share = 1, .pending = -1};
    start_client(r, seed, section, 0);
    struct gs_stream s;
    gs_stream_init(&s, seed, GS_RNG_ARRIVAL, section, UINT32_MAX);
    r->phase = a->timer * gs_open(&s);
}

/* Moves t to where the integral of lambda has grown by e, or to the stop. */
static double advance(struct gs_arrival_run *r, double e)
{
    const struct gs_arrivals *a = r->a;
    while (r->t < r->stop_s) {
        const double rate =
            r->share * a->rate[r->state] * (a->is_shaped ? relative_at(a, r->hour) : 1);
        const double end = r->hour_end < r->state_end ? r->hour_end : r->state_end;
        const double grows = rate > 0 ? rate * (end - r->t) : 0;
        if (rate > 0 && e <= grows) {
            r->t += e / rate;
            return r->t;
        }
        e -= grows;
        r->t = end;
        if (!(r->hour_end > end))
            enter_hour(r, r->hour + 1);
        if (!(r->state_end > end))
            enter_state(r, (r->state + 1) % a->states, end);
    }
    return r->t;
}

static double next_hawkes(struct gs_arrival_run *r)
{
    const struct gs_arrivals *a = r->a;
    while (r->t < r->stop_s) {
        const double bound = r->share * a->rate[0] * a->hour_max + r->excitement;
        const double gap = -gs_log(gs_open(&r->gaps)) / bound;
        r->t += gap;
        r->excitement *= gs_exp(-gap / a->decay);
        pass_hours(r);
        const double base = r->share * a->rate[0] * (a->is_shaped ? relative_at(a, r->hour) : 1);
        if (gs_unit(&r->gaps) * bound < base + r->excitement) {
            r->excitement += a->branching / a->decay;
            return r->t;
        }
    }
    return r->t;
}

static double next_of_bursts(struct gs_arrival_run *r)
{
    const struct gs_arrivals *a = r->a;
    if (r->left > 0) {
        r->left--;
        r->t += gs_dist_draw(a->gap, &r->states);
        pass_hours(r);
        return r->t;
    }
    (void)advance(r, -gs_log(gs_open(&r->gaps)));
    r->states.draw =
        r->gaps.draw << 32; /* each burst has its own draws: a longer one shifts nobody */
    const double size = gs_rint_even(gs_dist_draw(a->size, &r->states));
    r->left = size > 1 ? (uint64_t)(size < SIZE_MOST ? size : SIZE_MOST) - 1 : 0;
    return r->t;
}

static double next_of_process(struct gs_arrival_run *r)
{
    const uint64_t i = r->made++;
    switch (r->a->process) {
    case GS_BATCH: return 0;
    case GS_EVEN: /* n/h gives n in the first hour; clients tick out of step */
        if (i == 0)
            return r->share < 1 ? advance(r, gs_open(&r->gaps)) : 0;
        return advance(r, 1);
    case GS_POISSON:
    case GS_MMPP: return advance(r, -gs_log(gs_open(&r->gaps)));
    case GS_RENEWAL: {
        const struct gs_gamma *g = &r->a->gamma;
        return advance(r, gs_gamma_quantile(g, gs_open(&r->gaps)) / g->shape);
    }
    case GS_HAWKES: return next_hawkes(r);
    case GS_BURSTS: return next_of_bursts(r);
    }
    return r->stop_s;
}

double gs_arrival_next(struct gs_arrival_run *r)
{
    const double period = r->a->timer;
    if (!(period > 0))
        return next_of_process(r);
    if (r->pending < 0)
        r->pending = next_of_process(r);
    const double tick = r->phase + period * (double)r->ticks;
    if (tick <= r->pending) {
        r->ticks++;
        return tick;
    }
    const double t = r->pending;
    r->pending = -1;
    return t;
}

/* ---- Clients ----------------------------------------------------------------------------------- */

static int is_before(const struct gs_client_next *a, const struct gs_client_next *b)
{
    return a->t < b->t || (!(b->t < a->t) && a->client < b->client);
}

static void sift_down(struct gs_clients *c, uint32_t i)
{
    const struct gs_client_next x = c->heap[i];
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= c->n)
            break;
        child += child + 1 < c->n && is_before(&c->heap[child + 1], &c->heap[child]);
        if (!is_before(&c->heap[child], &x))
            break;
        c->heap[i] = c->heap[child];
        i = child;
    }
    c->heap[i] = x;
}

void gs_clients_start(struct gs_clients *c, const struct gs_arrival_run *model, uint64_t seed,
                      uint32_t section, uint32_t n, double s, struct gs_arena *arena)
{
    gs_require(n > 0);
    c->n = n;
    c->run = gs_arena_alloc(arena, n * sizeof *c->run, sizeof(void *));
    c->heap = gs_arena_alloc(arena, n * sizeof *c->heap, sizeof(void *));
    double total = 0;
    for (uint32_t k = 0; k < n; k++)
        total += gs_pow(k + 1, -s);
    for (uint32_t k = 0; k < n; k++) {
        c->run[k] = *model;
        c->run[k].share = gs_pow(k + 1, -s) / total;
        start_client(&c->run[k], seed, section, k);
        if (k > 0)
            c->run[k].phase = (double)INFINITY; /* the timer is one client's */
        c->heap[k] = (struct gs_client_next){gs_arrival_next(&c->run[k]), k};
    }
    for (uint32_t i = n / 2; i-- > 0;)
        sift_down(c, i);
}

double gs_clients_next(struct gs_clients *c, uint32_t *client)
{
    const struct gs_client_next next = c->heap[0];
    *client = next.client;
    c->heap[0].t = gs_arrival_next(&c->run[next.client]);
    sift_down(c, 0);
    return next.t;
}

/* ---- Means ------------------------------------------------------------------------------------- */

int64_t gs_arrival_clock(int64_t start_unix_ns, int32_t zone_offset_s)
{
    if (start_unix_ns == GS_NEVER)
        return MONDAY_1970_NS;
    return start_unix_ns + (zone_offset_s == GS_NO_ZONE ? 0 : zone_offset_s) * GS_SECOND;
}

int gs_arrivals_are_batch(const struct gs_arrivals *a)
{
    return a->process == GS_BATCH;
}

/* Arrivals a second while the relative rate is `relative`. */
static double rate_at(const struct gs_arrivals *a, double relative)
{
    double rate = a->rate[0] * relative;
    if (a->process == GS_HAWKES)
        rate /= 1 - a->branching;
    if (a->process == GS_MMPP) {
        double arrivals = 0;
        double time = 0;
        for (uint32_t i = 0; i < a->states; i++) {
            arrivals += a->rate[i] * a->dwell[i];
            time += a->dwell[i];
        }
        rate = relative * arrivals / time;
    }
    if (a->process == GS_BURSTS && rate > 0) { /* arrivals of a cycle over its length */
        const double mean = gs_dist_mean(a->size);
        const double size = mean > 1 ? mean : 1;
        rate = size / (1 / rate + (size - 1) * gs_dist_mean(a->gap));
    }
    return rate;
}

double gs_arrivals_rate(const struct gs_arrivals *a)
{
    if (a->process == GS_BATCH)
        return (double)NAN;
    double week = 0;
    for (int i = 0; i < GS_HOURS_A_WEEK; i++)
        week += rate_at(a, a->hour[i]);
    return week / GS_HOURS_A_WEEK + (a->timer > 0 ? 1 / a->timer : 0);
}

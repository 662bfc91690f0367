/* arrivals.c - arrival processes: constant, Poisson, gamma renewal, Markov-modulated Poisson, Hawkes; each with a daily and weekly shape.
 *
 * All but Hawkes are one process with different parts. Let lambda(t) = (rate of the state) x (relative rate of the hour), which is
 * constant between changes. The next arrival is where the integral of lambda has grown by e, with e exponential of mean 1
 * (Poisson, mmpp), gamma of mean 1 (renewal with the given coefficient of variation) or 1 (evenly spaced): time rescaling, as
 * in Daley and Vere-Jones, "An Introduction to the Theory of Point Processes". So the daily shape stretches gaps and leaves their
 * kind as it is; the dwell times of mmpp are exponential in real time, its first state is drawn by the shares of time.
 *
 * Hawkes: lambda(t) = base x relative(t) + sum over past arrivals of branching/decay exp(-(t - t_i)/decay), by Ogata's thinning
 * (IEEE Trans. Inf. Theory 27, 1981): candidates at the bound base x max relative + present excitement, which only
 * falls until the next arrival. Its mean rate is base/(1 - branching).
 *
 * The daily shape holds from each named hour until the next, the last one past midnight. Relative rates are not normalised: 1 is the
 * rate as written. Cost of an arrival: O(1) and one draw (Hawkes: two a candidate) plus the hours passed over. */
#include "traces/synth/arrivals.h"

#include "sim/base/buf.h"
#include "sim/base/fmath.h"
#include "sim/base/units.h"
#include "traces/synth/gamma.h"
#include "traces/synth/words.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

#define STATES_MAX 8
#define HOUR_NS    (INT64_C(3600) * GS_SECOND)
#define HOURS_WEEK 168

enum process {
    EVEN,
    POISSON,
    RENEWAL,
    MMPP,
    HAWKES,
    BATCH
};

struct gs_arrivals {
    enum process process;
    uint32_t states;
    double rate[STATES_MAX];  /* per second; Hawkes: rate[0] = base */
    double dwell[STATES_MAX]; /* mean, seconds */
    struct gs_gamma gamma;    /* RENEWAL: shape = 1/cv^2 */
    double branching, decay;  /* HAWKES */
    int is_shaped;
    double hour[HOURS_WEEK]; /* relative rate, from Monday 00:00 */
    double hour_max;
};

/* ---- At work ----------------------------------------------------------------------------------- */

static int64_t floor_div(int64_t a, int64_t b)
{
    const int64_t q = a / b;
    return q - (a % b < 0);
}

/* 1970-01-01 was a Thursday: 72 hours into the week. */
static double relative_at(const struct gs_arrivals *a, int64_t hour)
{
    const int64_t in_week = (hour + 72) % HOURS_WEEK;
    return a->hour[in_week < 0 ? in_week + HOURS_WEEK : in_week];
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

void gs_arrival_start(struct gs_arrival_run *r, const struct gs_arrivals *a, uint64_t seed,
                      uint32_t section, int64_t local_clock_ns, double stop_s)
{
    *r = (struct gs_arrival_run){.a = a, .clock_ns = local_clock_ns, .stop_s = stop_s};
    gs_stream_init(&r->gaps, seed, GS_RNG_ARRIVAL, section, 0);
    gs_stream_init(&r->states, seed, GS_RNG_ARRIVAL, section, 1);
    enter_hour(r, floor_div(local_clock_ns, HOUR_NS));
    enter_state(r, first_state(r), 0);
}

/* Moves t to where the integral of lambda has grown by e, or to the stop. */
static double advance(struct gs_arrival_run *r, double e)
{
    const struct gs_arrivals *a = r->a;
    while (r->t < r->stop_s) {
        const double rate = a->rate[r->state] * (a->is_shaped ? relative_at(a, r->hour) : 1);
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
        const double bound = a->rate[0] * a->hour_max + r->excitement;
        const double gap = -gs_log(gs_open(&r->gaps)) / bound;
        r->t += gap;
        r->excitement *= gs_exp(-gap / a->decay);
        while (r->t >= r->hour_end)
            enter_hour(r, r->hour + 1);
        const double base = a->rate[0] * (a->is_shaped ? relative_at(a, r->hour) : 1);
        if (gs_unit(&r->gaps) * bound < base + r->excitement) {
            r->excitement += a->branching / a->decay;
            return r->t;
        }
    }
    return r->t;
}

double gs_arrival_next(struct gs_arrival_run *r)
{
    const uint64_t i = r->made++;
    switch (r->a->process) {
    case BATCH: return 0;
    case EVEN: return i == 0 ? 0 : advance(r, 1); /* n/h gives n in the first hour */
    case POISSON:
    case MMPP: return advance(r, -gs_log(gs_open(&r->gaps)));
    case RENEWAL: {
        const struct gs_gamma *g = &r->a->gamma;
        return advance(r, gs_gamma_quantile(g, gs_open(&r->gaps)) / g->shape);
    }
    case HAWKES: return next_hawkes(r);
    }
    return r->stop_s;
}

int gs_arrivals_are_batch(const struct gs_arrivals *a)
{
    return a->process == BATCH;
}

double gs_arrivals_rate(const struct gs_arrivals *a)
{
    if (a->process == BATCH)
        return (double)NAN;
    double rate = a->rate[0];
    if (a->process == HAWKES)
        rate /= 1 - a->branching;
    if (a->process == MMPP) {
        double arrivals = 0;
        double time = 0;
        for (uint32_t i = 0; i < a->states; i++) {
            arrivals += a->rate[i] * a->dwell[i];
            time += a->dwell[i];
        }
        rate = arrivals / time;
    }
    double week = 0;
    for (int i = 0; i < HOURS_WEEK; i++)
        week += a->hour[i];
    return rate * week / HOURS_WEEK;
}

/* ---- Parsing ----------------------------------------------------------------------------------- */

struct parse {
    struct gs_words words;
    struct gs_arrivals *a;
    struct gs_arena *arena;
    struct gs_err *err;
    const char *example;
};

static enum gs_rc incomplete(const struct parse *p, const char *what)
{
    return gs_fail(p->err, GS_E_INPUT, "needs %s (%s)", what, p->example);
}

static enum gs_rc take_rate(struct parse *p, const char *text)
{
    struct gs_arrivals *a = p->a;
    if (a->states == STATES_MAX)
        return gs_fail(p->err, GS_E_INPUT, "over %d states", STATES_MAX);
    return gs_parse_rate(text, &a->rate[a->states++], p->err);
}

static enum gs_rc one_rate(struct parse *p)
{
    const struct gs_word *w = gs_words_plain(&p->words);
    return w ? take_rate(p, w->value) : incomplete(p, "a rate");
}

static enum gs_rc take_number(struct parse *p, const char *key, double least, double most,
                              double *out)
{
    const char *s = gs_words_key(&p->words, key);
    if (!s)
        return incomplete(p, key);
    const enum gs_rc rc = gs_parse_real(s, out, p->err);
    if (rc != GS_OK)
        return gs_wrap(p->err, "%s", key);
    if (!(*out >= least && *out <= most))
        return gs_fail(p->err, GS_E_INPUT, "%s: '%s' is not within %g to %g", key, s, least, most);
    return GS_OK;
}

static enum gs_rc parse_even(struct parse *p)
{
    p->a->process = EVEN;
    return one_rate(p);
}

static enum gs_rc parse_poisson(struct parse *p)
{
    p->a->process = POISSON;
    return one_rate(p);
}

static enum gs_rc parse_renewal(struct parse *p)
{
    p->a->process = RENEWAL;
    double cv = 1;
    enum gs_rc rc = one_rate(p);
    if (rc == GS_OK)
        rc = take_number(p, "cv", 0.001, 100, &cv);
    p->a->gamma = gs_gamma_of(1 / (cv * cv));
    return rc;
}

/* The next item of a comma-separated list, in the arena; NULL at the end. */
static const char *item(struct parse *p, const char **at)
{
    if (!**at)
        return NULL;
    const size_t n = strcspn(*at, ",");
    const char *s = gs_arena_str(p->arena, *at, n);
    *at += n + ((*at)[n] == ',');
    return s;
}

static enum gs_rc parse_mmpp(struct parse *p)
{
    struct gs_arrivals *a = p->a;
    a->process = MMPP;
    enum gs_rc rc = GS_OK;
    for (struct gs_word *w = gs_words_plain(&p->words); w && rc == GS_OK;
         w = gs_words_plain(&p->words))
        rc = take_rate(p, w->value);
    const char *at = gs_words_key(&p->words, "dwell");
    if (rc != GS_OK)
        return rc;
    if (a->states < 2 || !at)
        return incomplete(p, "two rates or more, and dwell=");
    uint32_t n = 0;
    for (const char *s = item(p, &at); s; s = item(p, &at), n++) {
        int64_t ns = 0;
        rc = n < a->states ? gs_parse_time(s, &ns, p->err) : GS_OK;
        if (rc == GS_OK && n < a->states && ns == 0)
            rc = gs_fail(p->err, GS_E_INPUT, "'%s' must be above 0", s);
        if (rc != GS_OK)
            return gs_wrap(p->err, "dwell");
        if (n < a->states)
            a->dwell[n] = (double)ns / 1e9;
    }
    if (n != a->states)
        return gs_fail(p->err, GS_E_INPUT, "dwell: %u times for %u rates", n, a->states);
    double expected = 0; /* arrivals in a round of all states; changes of state cost time, too */
    for (uint32_t i = 0; i < n; i++)
        expected += a->rate[i] * a->dwell[i];
    if (expected < 1e-3)
        return gs_fail(p->err, GS_E_INPUT,
                       "dwell: %g arrivals are expected in one round of the states; give longer "
                       "times, or poisson with the mean of the rates",
                       expected);
    return GS_OK;
}

static enum gs_rc parse_hawkes(struct parse *p)
{
    struct gs_arrivals *a = p->a;
    a->process = HAWKES;
    const char *base = gs_words_key(&p->words, "base");
    const char *decay = gs_words_key(&p->words, "decay");
    if (!base || !decay)
        return incomplete(p, "base= and decay=");
    int64_t ns = 0;
    enum gs_rc rc = take_rate(p, base);
    if (rc == GS_OK)
        rc = gs_parse_time(decay, &ns, p->err);
    if (rc == GS_OK && ns == 0)
        rc = gs_fail(p->err, GS_E_INPUT, "decay: '%s' must be above 0", decay);
    if (rc == GS_OK)
        rc = take_number(p, "branching", 0, 0.99, &a->branching);
    a->decay = (double)ns / 1e9;
    return rc;
}

static enum gs_rc parse_batch(struct parse *p)
{
    p->a->process = BATCH;
    p->a->states = 1;
    p->a->rate[0] = 1;
    return GS_OK;
}

static const struct {
    const char *name, *example;
    enum gs_rc (*parse)(struct parse *p);
} processes[] = {
    {"constant", "constant 40/h", parse_even},
    {"poisson", "poisson 40/h", parse_poisson},
    {"gamma", "gamma 40/h cv=3", parse_renewal},
    {"mmpp", "mmpp 10/h 100/h dwell=2h,10m", parse_mmpp},
    {"hawkes", "hawkes base=20/h branching=0.5 decay=1m", parse_hawkes},
    {"batch", "batch", parse_batch},
};

enum {
    PROCESSES = sizeof processes / sizeof processes[0]
};

const char *gs_arrivals_example(size_t i)
{
    return i < PROCESSES ? processes[i].example : NULL;
}

/* One HOUR:RATE of daily=; hours must rise. */
static enum gs_rc take_hour(struct parse *p, const char *s, int64_t *hour, double *rate)
{
    const char *colon = strchr(s, ':');
    if (!colon)
        return gs_fail(p->err, GS_E_INPUT, "daily: '%s' is not HOUR:RATE", s);
    const int64_t before = *hour;
    const char *text = gs_arena_str(p->arena, s, (size_t)(colon - s));
    enum gs_rc rc = gs_parse_int(text, 0, 23, hour, p->err);
    if (rc == GS_OK)
        rc = gs_parse_real(colon + 1, rate, p->err);
    if (rc != GS_OK)
        return gs_wrap(p->err, "daily");
    if (*hour <= before)
        return gs_fail(p->err, GS_E_INPUT, "daily: hour %s does not rise", text);
    return *rate >= 0 && *rate <= 1e6
               ? GS_OK
               : gs_fail(p->err, GS_E_INPUT, "daily: rate '%s' is not within 0 to 1e6", colon + 1);
}

/* daily=0:0.4,9:1.5,18:1.0 to the rate of each hour of a day */
static enum gs_rc read_daily(struct parse *p, double day[24])
{
    for (int h = 0; h < 24; h++)
        day[h] = 1;
    const char *at = gs_words_key(&p->words, "daily");
    if (!at)
        return GS_OK;
    p->a->is_shaped = 1;
    int64_t first = -1;
    int64_t hour = -1;
    double rate = 0;
    for (const char *s = item(p, &at); s; s = item(p, &at)) {
        const enum gs_rc rc = take_hour(p, s, &hour, &rate);
        if (rc != GS_OK)
            return rc;
        first = first < 0 ? hour : first;
        for (int64_t h = hour; h < 24; h++)
            day[h] = rate;
    }
    for (int64_t h = 0; h < first; h++)
        day[h] = rate; /* the last one lasts past midnight */
    return first < 0 ? gs_fail(p->err, GS_E_INPUT, "daily: is empty (daily=0:0.4,9:1.5,18:1.0)")
                     : GS_OK;
}

static enum gs_rc read_shape(struct parse *p)
{
    struct gs_arrivals *a = p->a;
    double day[24];
    double weekend = 1;
    enum gs_rc rc = read_daily(p, day);
    const char *s = gs_words_key(&p->words, "weekend");
    if (rc == GS_OK && s) {
        a->is_shaped = 1;
        rc = gs_parse_real(s, &weekend, p->err);
        if (rc == GS_OK && !(weekend >= 0 && weekend <= 1e6))
            rc = gs_fail(p->err, GS_E_INPUT, "weekend: '%s' is not within 0 to 1e6", s);
    }
    for (int h = 0; h < HOURS_WEEK; h++) {
        a->hour[h] = day[h % 24] * (h >= 120 ? weekend : 1); /* Saturday is hour 120 on */
        a->hour_max = a->hour[h] > a->hour_max ? a->hour[h] : a->hour_max;
    }
    if (rc == GS_OK && !(a->hour_max > 0))
        rc = gs_fail(p->err, GS_E_INPUT, "the rate is 0 at every hour");
    return rc;
}

static enum gs_rc check_rates(const struct parse *p)
{
    double most = 0;
    for (uint32_t i = 0; i < p->a->states; i++)
        most = p->a->rate[i] > most ? p->a->rate[i] : most;
    if (!(most > 0) || !(most <= 1e9))
        return gs_fail(p->err, GS_E_INPUT, "the rate is not above 0 and at most 1e9 a second");
    return GS_OK;
}

static enum gs_rc unknown(const char *name, struct gs_err *err)
{
    const char *names[PROCESSES];
    for (size_t i = 0; i < PROCESSES; i++)
        names[i] = processes[i].name;
    const char *near = gs_nearest(name, names, PROCESSES);
    return gs_fail(err, GS_E_INPUT, "'%s' is not an arrival process%s%s%s", name,
                   near ? "; did you mean '"
                        : " (constant, poisson, gamma, mmpp, hawkes, batch: 'poisson 40/h')",
                   near ? near : "", near ? "'?" : "");
}

enum gs_rc gs_arrivals_parse(const char *text, struct gs_arena *arena, struct gs_arrivals **out,
                             struct gs_err *err)
{
    gs_require(text && arena && out);
    struct parse p = {.arena = arena, .err = err};
    p.a = gs_arena_alloc(arena, sizeof *p.a, sizeof(void *));
    enum gs_rc rc = gs_words_split(text, arena, &p.words, err);
    if (rc != GS_OK)
        return rc;
    const struct gs_word *first = gs_words_plain(&p.words);
    if (!first)
        return gs_fail(err, GS_E_INPUT, "names no arrival process (write 'poisson 40/h')");
    size_t k = 0;
    while (k < PROCESSES && strcmp(first->value, processes[k].name) != 0)
        k++;
    if (k == PROCESSES)
        return unknown(first->value, err);
    p.example = processes[k].example;
    rc = processes[k].parse(&p);
    if (rc == GS_OK)
        rc = read_shape(&p);
    if (rc == GS_OK)
        rc = check_rates(&p);
    if (rc == GS_OK)
        rc = gs_words_done(&p.words, err);
    if (rc != GS_OK)
        return gs_wrap(err, "%s", first->value);
    *out = p.a;
    return GS_OK;
}

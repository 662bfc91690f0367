/* arrivals_parse.c - arrival processes by name: `mmpp 10/h 100/h dwell=2h,10m daily=0:0.4,9:1.5 weekend=0.5`.
 *
 * The processes are a table of name, example and reader; every one takes the same words for its shape and its timer. A word that nobody
 * took is an error. daily holds from each named hour until the next, the last one past midnight; weekly does the same with days.
 * Relative rates multiply: daily x weekly x weekend. */
#include "sim/base/buf.h"
#include "sim/base/fmath.h"
#include "sim/base/units.h"
#include "traces/synth/arrivals.h"
#include "traces/synth/words.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

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
    if (a->states == GS_ARRIVAL_STATES)
        return gs_fail(p->err, GS_E_INPUT, "over %d states", GS_ARRIVAL_STATES);
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
    p->a->process = GS_EVEN;
    return one_rate(p);
}

static enum gs_rc parse_poisson(struct parse *p)
{
    p->a->process = GS_POISSON;
    return one_rate(p);
}

static enum gs_rc parse_renewal(struct parse *p)
{
    p->a->process = GS_RENEWAL;
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
    a->process = GS_MMPP;
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
    a->process = GS_HAWKES;
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

/* size=(DISTRIBUTION): the value of `key`, without its parentheses. */
static enum gs_rc take_dist(struct parse *p, const char *key, enum gs_dim dim, struct gs_dist **out)
{
    const char *s = gs_words_key(&p->words, key);
    if (!s)
        return incomplete(p, key);
    const size_t n = strlen(s);
    if (n > 2 && s[0] == '(' && s[n - 1] == ')')
        s = gs_arena_str(p->arena, s + 1, n - 2);
    const enum gs_rc rc = gs_dist_parse(s, dim, NULL, p->arena, out, p->err);
    return rc == GS_OK ? rc : gs_wrap(p->err, "%s", key);
}

static enum gs_rc parse_bursts(struct parse *p)
{
    struct gs_arrivals *a = p->a;
    a->process = GS_BURSTS;
    enum gs_rc rc = one_rate(p);
    if (rc == GS_OK)
        rc = take_dist(p, "size", GS_DIM_NONE, &a->size);
    if (rc == GS_OK)
        rc = take_dist(p, "gap", GS_DIM_TIME, &a->gap);
    if (rc == GS_OK && !(gs_dist_mean(a->size) < 1e9))
        rc = gs_fail(p->err, GS_E_INPUT, "size: the mean is not finite (add clip=..MAX)");
    return rc;
}

static enum gs_rc parse_batch(struct parse *p)
{
    p->a->process = GS_BATCH;
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
    {"bursts", "bursts 12/h size=(lognormal median=3 sigma=1.2) gap=(exponential mean=5s)",
     parse_bursts},
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

/* daily=0:0.4,9:1.5,18:1.0 to the rate of each hour of a day; a long list may be parted into several daily= */
static enum gs_rc read_daily(struct parse *p, double day[24])
{
    for (int h = 0; h < 24; h++)
        day[h] = 1;
    int said = 0;
    int64_t first = -1;
    int64_t hour = -1;
    double rate = 0;
    for (const char *at = gs_words_key(&p->words, "daily"); at;
         at = gs_words_key(&p->words, "daily")) {
        said = 1;
        for (const char *s = item(p, &at); s; s = item(p, &at)) {
            const enum gs_rc rc = take_hour(p, s, &hour, &rate);
            if (rc != GS_OK)
                return rc;
            first = first < 0 ? hour : first;
            for (int64_t h = hour; h < 24; h++)
                day[h] = rate;
        }
    }
    if (!said)
        return GS_OK;
    p->a->is_shaped = 1;
    for (int64_t h = 0; h < first; h++)
        day[h] = rate; /* the last one lasts past midnight */
    return first < 0 ? gs_fail(p->err, GS_E_INPUT, "daily: is empty (daily=0:0.4,9:1.5,18:1.0)")
                     : GS_OK;
}

/* weekly=mon:1,fri:0.8,sat:0.3 to the rate of each day of a week */
static enum gs_rc read_weekly(struct parse *p, double week[7])
{
    static const char days[7][4] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
    for (int d = 0; d < 7; d++)
        week[d] = 1;
    const char *at = gs_words_key(&p->words, "weekly");
    if (!at)
        return GS_OK;
    p->a->is_shaped = 1;
    int first = -1;
    int day = -1;
    double rate = 0;
    for (const char *s = item(p, &at); s; s = item(p, &at)) {
        int d = 0;
        while (d < 7 && (strncmp(s, days[d], 3) != 0 || s[3] != ':'))
            d++;
        if (d == 7 || d <= day)
            return gs_fail(p->err, GS_E_INPUT,
                           "weekly: '%s' is not DAY:RATE, days from mon to sun in their order", s);
        enum gs_rc rc = gs_parse_real(s + 4, &rate, p->err);
        if (rc == GS_OK && !(rate >= 0 && rate <= 1e6))
            rc = gs_fail(p->err, GS_E_INPUT, "rate '%s' is not within 0 to 1e6", s + 4);
        if (rc != GS_OK)
            return gs_wrap(p->err, "weekly");
        first = first < 0 ? d : first;
        day = d;
        for (; d < 7; d++)
            week[d] = rate;
    }
    for (int d = 0; d < first; d++)
        week[d] = rate;
    return first < 0 ? gs_fail(p->err, GS_E_INPUT, "weekly: is empty (weekly=mon:1,sat:0.3)")
                     : GS_OK;
}

static enum gs_rc read_weekend(struct parse *p, double *weekend)
{
    *weekend = 1;
    const char *s = gs_words_key(&p->words, "weekend");
    if (!s)
        return GS_OK;
    p->a->is_shaped = 1;
    const enum gs_rc rc = gs_parse_real(s, weekend, p->err);
    if (rc == GS_OK && !(*weekend >= 0 && *weekend <= 1e6))
        return gs_fail(p->err, GS_E_INPUT, "weekend: '%s' is not within 0 to 1e6", s);
    return rc;
}

static enum gs_rc read_timer(struct parse *p)
{
    const char *s = gs_words_key(&p->words, "timer");
    int64_t ns = 0;
    if (!s)
        return GS_OK;
    const enum gs_rc rc = gs_parse_time(s, &ns, p->err);
    if (rc != GS_OK)
        return gs_wrap(p->err, "timer");
    if (ns == 0 || p->a->process == GS_BATCH)
        return gs_fail(p->err, GS_E_INPUT, "timer: '%s' %s", s,
                       ns ? "does not go with a batch" : "must be above 0");
    p->a->timer = (double)ns / 1e9;
    return GS_OK;
}

static enum gs_rc read_shape(struct parse *p)
{
    struct gs_arrivals *a = p->a;
    double day[24];
    double week[7];
    double weekend = 1;
    enum gs_rc rc = read_daily(p, day);
    if (rc == GS_OK)
        rc = read_weekly(p, week);
    if (rc == GS_OK)
        rc = read_weekend(p, &weekend);
    if (rc == GS_OK)
        rc = read_timer(p);
    if (rc != GS_OK)
        return rc;
    for (int h = 0; h < GS_HOURS_A_WEEK; h++) { /* Saturday is hour 120 on */
        a->hour[h] = day[h % 24] * week[h / 24] * (h >= 120 ? weekend : 1);
        a->hour_max = a->hour[h] > a->hour_max ? a->hour[h] : a->hour_max;
    }
    return a->hour_max > 0 ? GS_OK : gs_fail(p->err, GS_E_INPUT, "the rate is 0 at every hour");
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
                   near
                       ? "; did you mean '"
                       : " (constant, poisson, gamma, mmpp, hawkes, bursts, batch: 'poisson 40/h')",
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

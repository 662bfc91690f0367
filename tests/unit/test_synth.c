/* test_synth.c - synthetic workloads: distributions against closed forms, arrival processes against their rates and
 * variances, streams that do not disturb each other, and the messages of what is refused.
 *
 * A statistical check compares a mean of N draws with the closed form within 5 standard errors, for a fixed seed: a right
 * program passes always, and a wrong one by as little as 2 % of a standard deviation fails (5/sqrt(10^5) = 0.016). */
#include "sim/base/log.h"
#include "sim/base/units.h"
#include "tests/unit/harness.h"
#include "traces/synth/arrivals.h"
#include "traces/synth/gamma.h"
#include "traces/synth/synth.h"

#include <math.h>

enum {
    DRAWS = 100000
};

static struct gs_arena arena;

static struct gs_dist *dist(const char *text, enum gs_dim dim)
{
    struct gs_dist *d = NULL;
    struct gs_err err = {0};
    const enum gs_rc rc = gs_dist_parse(text, dim, NULL, &arena, &d, &err);
    if (rc != GS_OK)
        printf("%s: %s\n", text, err.msg);
    CU_ASSERT_EQUAL_FATAL(rc, GS_OK);
    return d;
}

static const char *refused(const char *text, enum gs_dim dim)
{
    static struct gs_err err;
    struct gs_dist *d = NULL;
    err.msg[0] = '\0';
    CU_ASSERT_EQUAL(gs_dist_parse(text, dim, NULL, &arena, &d, &err), GS_E_INPUT);
    return err.msg;
}

/* ---- Distributions ----------------------------------------------------------------------------- */

/* Mean and standard deviation in closed form (worked out by hand, not by the code under test). */
static const struct {
    const char *text;
    enum gs_dim dim;
    double mean, sd;
} closed_forms[] = {
    {"constant 5m", GS_DIM_TIME, 300, 0},
    {"90s", GS_DIM_TIME, 90, 0},
    {"exponential mean=20m", GS_DIM_TIME, 1200, 1200},
    /* mean = median exp(sigma^2/2); sd = mean sqrt(exp(sigma^2) - 1) */
    {"lognormal median=30m sigma=0.5", GS_DIM_TIME, 2039.6673554807, 1087.0229},
    {"lognormal mean=1h cv=2", GS_DIM_TIME, 3600, 7200},
    /* mean = scale Gamma(1 + 1/shape): Gamma(3) = 2, Gamma(1.5) = sqrt(pi)/2 */
    {"weibull scale=1h shape=0.5", GS_DIM_TIME, 7200, 16099.6894},
    {"weibull scale=10s shape=2", GS_DIM_TIME, 8.86226925452758, 4.63251375},
    {"gamma mean=1h cv=2", GS_DIM_TIME, 3600, 7200},
    {"gamma mean=1h cv=0.5", GS_DIM_TIME, 3600, 1800},
    {"gamma mean=8 cv=1", GS_DIM_NONE, 8, 8},
    /* mean = alpha min/(alpha-1); sd = min sqrt(alpha/((alpha-1)^2 (alpha-2))) */
    {"pareto min=1m alpha=3", GS_DIM_TIME, 90, 51.9615},
    {"uniform 1m 10m", GS_DIM_TIME, 330, 155.8846},
    {"choice 1:0.7 2:0.1 8:0.2", GS_DIM_NONE, 2.5, 2.76586334},
    {"zipf n=3 s=1", GS_DIM_NONE, 18.0 / 11, 0.7713892},
    {"mixture 0.8 (exponential mean=5m) 0.2 (constant 2h)", GS_DIM_TIME, 1680, 2772.98},
    {"choice 250m:1 0.5:1", GS_DIM_SHARE, 375, 125},
    {"choice 8GiB:1 24GiB:3", GS_DIM_MEMORY, 20480, 7094.48},
    /* clamped exponential: mean (1 - e^-1) */
    {"exponential mean=1h clip=0s..1h", GS_DIM_TIME, 2275.63401, 1363.0},
};

static void draws_have_the_mean_of_the_closed_form(void)
{
    for (size_t k = 0; k < sizeof closed_forms / sizeof closed_forms[0]; k++) {
        const struct gs_dist *d = dist(closed_forms[k].text, closed_forms[k].dim);
        struct gs_stream s;
        gs_stream_init(&s, 20260105, GS_RNG_TEST, 1, 0);
        double sum = 0;
        double squares = 0;
        for (int i = 0; i < DRAWS; i++) {
            const double x = gs_dist_draw(d, &s);
            const double off = x - closed_forms[k].mean;
            sum += off;
            squares += off * off;
        }
        const double error = 5 * closed_forms[k].sd / sqrt(DRAWS);
        GS_NEAR(sum / DRAWS, 0, error + 1e-9);
        GS_EQ_INT(s.draw, DRAWS); /* one draw a value, whatever the distribution */
        if (closed_forms[k].sd > 0 && closed_forms[k].sd < 2 * closed_forms[k].mean)
            GS_NEAR(sqrt(squares / DRAWS) / closed_forms[k].sd, 1, 0.08);
        GS_NEAR(gs_dist_mean(d) / closed_forms[k].mean, 1, 1e-5);
    }
}

static void clip_is_a_clamp(void)
{
    const struct gs_dist *d = dist("lognormal median=30m sigma=2 clip=10m..1h", GS_DIM_TIME);
    struct gs_stream s;
    gs_stream_init(&s, 7, GS_RNG_TEST, 1, 0);
    int low = 0;
    int high = 0;
    for (int i = 0; i < 10000; i++) {
        const double x = gs_dist_draw(d, &s);
        CU_ASSERT_TRUE(x >= 600 && x <= 3600);
        low += !(x > 600);
        high += !(x < 3600);
    }
    /* P(X < 10m) = Phi(-ln 3 / 2) = 0.2914, P(X > 1h) = Phi(-ln 2 / 2) = 0.3645 */
    GS_NEAR(low / 10000.0, 0.2914, 0.025);
    GS_NEAR(high / 10000.0, 0.3645, 0.025);
    GS_NEAR(gs_dist_mean(dist("pareto min=1m alpha=0.5 clip=..4m", GS_DIM_TIME)), 180, 0.01);
    /* a mixture is clamped as a whole, also where a part has no mean of its own */
    GS_NEAR(gs_dist_mean(
                dist("mixture 1 (constant 1m) 1 (pareto min=1m alpha=0.5) clip=..4m", GS_DIM_TIME)),
            120, 0.01);
}

static void an_infinite_mean_is_not_a_number(void)
{
    CU_ASSERT_TRUE(isnan(gs_dist_mean(dist("pareto min=1m alpha=1", GS_DIM_TIME))));
    CU_ASSERT_TRUE(isnan(gs_dist_mean(dist("pareto min=1m alpha=1 clip=2m..", GS_DIM_TIME))));
    CU_ASSERT_TRUE(isnan(gs_dist_mean(
        dist("mixture 0.9 (constant 1m) 0.1 (pareto min=1m alpha=0.9)", GS_DIM_TIME))));
}

static void gamma_quantile_is_the_inverse_of_the_distribution(void)
{
    /* P(1, x) = 1 - e^-x; P(1/2, x) = erf(sqrt x); P(2, x) = 1 - (1 + x) e^-x */
    const struct gs_gamma one = gs_gamma_of(1);
    const struct gs_gamma half = gs_gamma_of(0.5);
    const struct gs_gamma two = gs_gamma_of(2);
    for (double x = 0.01; x < 20; x *= 1.7) {
        GS_NEAR(gs_gamma_cdf(&one, x), 1 - exp(-x), 1e-14);
        GS_NEAR(gs_gamma_cdf(&half, x), erf(sqrt(x)), 1e-14);
        GS_NEAR(gs_gamma_cdf(&two, x), 1 - (1 + x) * exp(-x), 1e-14);
    }
    static const double shapes[] = {0.01, 0.1111, 0.5, 1, 1.5, 4, 100, 1e6};
    static const double us[] = {1e-12, 1e-3, 0.1, 0.5, 0.9, 0.999, 1 - 1e-12};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const struct gs_gamma g = gs_gamma_of(shapes[i]);
        double before = 0;
        for (size_t k = 0; k < sizeof us / sizeof us[0]; k++) {
            const double x = gs_gamma_quantile(&g, us[k]);
            CU_ASSERT_TRUE(x >= before);
            before = x;
            if (x > 1e-280)
                GS_NEAR(gs_gamma_cdf(&g, x), us[k], shapes[i] > 1e4 ? 1e-9 : 1e-11);
        }
    }
    GS_NEAR(gs_ln_gamma(0.5), 0.5723649429247001, 1e-14);
    GS_NEAR(gs_ln_gamma(11), 15.104412573075516, 1e-13);
}

static void an_empirical_distribution_interpolates_its_samples(void)
{
    char path[512];
    gs_test_write("sample.csv", "id,seconds\na,10\nb,40\nc,20\n", SIZE_MAX, path, sizeof path);
    struct gs_dist *d = NULL;
    struct gs_err err = {0};
    CU_ASSERT_EQUAL_FATAL(
        gs_dist_parse("empirical sample.csv seconds", GS_DIM_TIME, gs_test_tmp(), &arena, &d, &err),
        GS_OK);
    GS_NEAR(gs_dist_mean(d), 22.5, 1e-12); /* 10..20 and 20..40, half the time each */
    struct gs_stream s;
    gs_stream_init(&s, 3, GS_RNG_TEST, 0, 0);
    double sum = 0;
    for (int i = 0; i < DRAWS; i++) {
        const double x = gs_dist_draw(d, &s);
        CU_ASSERT_TRUE(x >= 10 && x <= 40);
        sum += x;
    }
    GS_NEAR(sum / DRAWS, 22.5, 0.15);
    CU_ASSERT_EQUAL(
        gs_dist_parse("empirical sample.csv wait", GS_DIM_TIME, gs_test_tmp(), &arena, &d, &err),
        GS_E_INPUT);
    GS_HAS(err.msg, "no column 'wait'");
    CU_ASSERT_EQUAL(
        gs_dist_parse("empirical gone.csv wait", GS_DIM_TIME, gs_test_tmp(), &arena, &d, &err),
        GS_E_INPUT);
    GS_HAS(err.msg, "gone.csv: no such file");
    CU_ASSERT_EQUAL(
        gs_dist_parse("empirical sample.csv id", GS_DIM_TIME, gs_test_tmp(), &arena, &d, &err),
        GS_E_INPUT);
    GS_HAS(err.msg, "sample.csv:2: column 'id': 'a'");
}

static void what_is_not_a_distribution_is_refused_in_words(void)
{
    GS_HAS(refused("lognrmal median=3m sigma=1", GS_DIM_TIME), "did you mean 'lognormal'");
    GS_HAS(refused("lognormal median=3m", GS_DIM_TIME), "needs sigma");
    GS_HAS(refused("lognormal median=3 sigma=1", GS_DIM_TIME), "'3'");
    GS_HAS(refused("exponential mean=3m rate=4", GS_DIM_TIME), "'rate=4' is not understood");
    GS_HAS(refused("exponential mean=0s", GS_DIM_TIME), "above 0");
    GS_HAS(refused("choice 1:0.5 2", GS_DIM_NONE), "VALUE:WEIGHT");
    GS_HAS(refused("choice 1:0 2:0", GS_DIM_NONE), "all 0");
    GS_HAS(refused("choice 1:-1 2:2", GS_DIM_NONE), "negative");
    GS_HAS(refused("choice", GS_DIM_NONE), "needs values");
    GS_HAS(refused("uniform 10m 1m", GS_DIM_TIME), "below the lower");
    GS_HAS(refused("zipf n=0.5 s=1", GS_DIM_NONE), "whole number");
    GS_HAS(refused("zipf n=1e9 s=1", GS_DIM_NONE), "whole number");
    GS_HAS(refused("gamma mean=1h cv=1000", GS_DIM_TIME), "cv");
    GS_HAS(refused("mixture 0.5 (constant 1m", GS_DIM_TIME), "parentheses");
    GS_HAS(refused("mixture 0.5 constant 1m", GS_DIM_TIME), "pairs");
    GS_HAS(refused("mixture 1 (mixture 1 (constant 1m))", GS_DIM_TIME), "outer one");
    GS_HAS(refused("exponential mean=1m clip=5m..1m", GS_DIM_TIME), "exchanged");
    GS_HAS(refused("exponential mean=1m clip=5m", GS_DIM_TIME), "MIN..MAX");
    GS_HAS(refused("", GS_DIM_TIME), "empty");
    GS_HAS(refused("-3", GS_DIM_NONE), "negative");
    GS_HAS(refused("1.5", GS_DIM_SHARE), "1.5");
}

/* ---- Arrivals ---------------------------------------------------------------------------------- */

static struct gs_arrivals *arrivals(const char *text)
{
    struct gs_arrivals *a = NULL;
    struct gs_err err = {0};
    const enum gs_rc rc = gs_arrivals_parse(text, &arena, &a, &err);
    if (rc != GS_OK)
        printf("%s: %s\n", text, err.msg);
    CU_ASSERT_EQUAL_FATAL(rc, GS_OK);
    return a;
}

static const int64_t monday = INT64_C(4) * 86400 * GS_SECOND;

/* Arrivals in [0, days), and the variance of hourly counts over their mean. */
static double count_in(const char *text, int days, double *dispersion)
{
    const double stop = 86400.0 * days;
    struct gs_arrival_run r;
    gs_arrival_start(&r, arrivals(text), 42, 3, monday, stop);
    double n = 0;
    double in_hour = 0;
    double squares = 0;
    double hour = 3600;
    double before = 0;
    for (double t = gs_arrival_next(&r); t < stop; t = gs_arrival_next(&r)) {
        CU_ASSERT_TRUE(t >= before);
        before = t;
        for (; t >= hour; hour += 3600) {
            squares += in_hour * in_hour;
            in_hour = 0;
        }
        in_hour++;
        n++;
    }
    const double hours = 24.0 * days;
    const double mean = n / hours;
    if (dispersion)
        *dispersion = (squares / hours - mean * mean) / mean;
    return n;
}

static void arrival_processes_have_their_rate(void)
{
    double dispersion = 0;
    GS_EQ_INT(count_in("constant 40/h", 2, NULL), 1920); /* n/h gives exactly n in an hour */
    GS_NEAR(count_in("poisson 40/h", 100, &dispersion), 96000, 5 * 310);
    GS_NEAR(dispersion, 1, 0.12); /* Poisson: variance = mean */
    GS_NEAR(count_in("gamma 40/h cv=3", 100, &dispersion), 96000, 5 * 930);
    CU_ASSERT_TRUE(dispersion > 5 && dispersion < 9.5); /* towards cv^2 = 9 for long windows */
    GS_NEAR(count_in("gamma 40/h cv=0.5", 100, &dispersion), 96000, 5 * 155);
    GS_NEAR(dispersion, 0.25, 0.08);
    /* 2 h at 10/h, 10 min at 100/h: (20 + 16.67)/(2.1667) = 16.92/h */
    GS_NEAR(gs_arrivals_rate(arrivals("mmpp 10/h 100/h dwell=2h,10m")) * 3600, 16.923, 0.001);
    GS_NEAR(count_in("mmpp 10/h 100/h dwell=2h,10m", 200, &dispersion), 81231, 4000);
    CU_ASSERT_TRUE(dispersion > 4);
    GS_NEAR(gs_arrivals_rate(arrivals("hawkes base=20/h branching=0.5 decay=1m")) * 3600, 40, 1e-9);
    /* variance / mean of long windows = 1/(1-branching)^2 = 4 */
    GS_NEAR(count_in("hawkes base=20/h branching=0.5 decay=1m", 100, &dispersion), 96000, 5 * 620);
    GS_NEAR(dispersion, 4, 0.6);
}

static void bursts_come_in_runs_beside_a_timer(void)
{
    double dispersion = 0;
    /* a cycle: 1/2 h of waiting, then 10 jobs 36 s apart: 10 jobs in 0.59 h */
    const char *text = "bursts 2/h size=(constant 10) gap=(constant 36s)";
    GS_NEAR(gs_arrivals_rate(arrivals(text)) * 3600, 10 / 0.59, 1e-9);
    GS_NEAR(count_in(text, 400, &dispersion), 9600 * 10 / 0.59, 5000);
    CU_ASSERT_TRUE(dispersion > 3 && dispersion < 10);
    /* the timer alone: its ticks stand a period apart, 144 a day */
    const char *timed = "poisson 0.001/h timer=10m";
    GS_NEAR(gs_arrivals_rate(arrivals(timed)) * 3600, 6.001, 1e-9);
    GS_NEAR(count_in(timed, 100, NULL), 14400, 10);
    struct gs_arrival_run r;
    gs_arrival_start(&r, arrivals(timed), 5, 0, monday, 1e6);
    const double first = gs_arrival_next(&r);
    CU_ASSERT_TRUE(first > 0 && first < 600);
    GS_NEAR(gs_arrival_next(&r) - first, 600, 1e-9);
    /* a longer burst shifts no other: the first arrivals of all bursts but their number are the same */
    struct gs_arrival_run b;
    gs_arrival_start(&r, arrivals("bursts 2/h size=(constant 1) gap=(constant 1s)"), 5, 0, monday,
                     1e6);
    gs_arrival_start(&b, arrivals("bursts 2/h size=(constant 3) gap=(constant 0s)"), 5, 0, monday,
                     1e6);
    for (int i = 0; i < 20; i++) {
        const double t = gs_arrival_next(&r);
        for (int k = 0; k < 3; k++)
            GS_NEAR(gs_arrival_next(&b), t, 1e-9);
    }
}

/* A gap that reaches far behind the stop does not walk there hour by hour. */
static void a_gap_without_end_ends(void)
{
    struct gs_arrival_run r;
    gs_arrival_start(
        &r,
        arrivals(
            "bursts 60/h size=(constant 2) gap=(lognormal median=1w sigma=0.1 clip=10000w..) daily=0:1"),
        1, 0, monday, 86400);
    CU_ASSERT_TRUE(gs_arrival_next(&r) < 86400);
    CU_ASSERT_TRUE(gs_arrival_next(&r) >= 86400);
}

static void days_of_the_week_have_rates(void)
{
    const double stop = 7 * 86400.0 * 40;
    struct gs_arrival_run r;
    gs_arrival_start(&r, arrivals("poisson 60/h daily=0:2 daily=12:1 weekly=tue:1,sat:0.5"), 1, 0,
                     monday, stop);
    double by_day[7] = {0};
    for (double t = gs_arrival_next(&r); t < stop; t = gs_arrival_next(&r))
        by_day[(int)(t / 86400) % 7]++;
    for (int d = 0; d < 7; d++) /* 24 x 90 on a weekday; Monday is as the day before it, Sunday */
        GS_NEAR(by_day[d] / 40, d == 0 || d > 4 ? 1080 : 2160, 60);
}

/* Clients: their sum has the rate of the whole, the first has the largest part, and many are smoother than one. */
static void clients_share_the_rate(void)
{
    const double stop = 86400.0 * 50;
    const char *text = "gamma 40/h cv=4";
    double counts[2] = {0};
    double dispersion[2] = {0};
    double part[3] = {0};
    for (int many = 0; many < 2; many++) {
        struct gs_arrival_run model;
        struct gs_clients c;
        double hours[1200] = {0};
        gs_arrival_start(&model, arrivals(text), 9, 1, monday, stop);
        gs_clients_start(&c, &model, 9, 1, many ? 50 : 1, 1, &arena);
        uint32_t client = 0;
        double before = 0;
        for (double t = gs_clients_next(&c, &client); t < stop; t = gs_clients_next(&c, &client)) {
            CU_ASSERT_TRUE(t >= before);
            before = t;
            counts[many]++;
            hours[(int)(t / 3600)]++;
            if (many && client < 3)
                part[client]++;
        }
        for (int h = 0; h < 1200; h++)
            dispersion[many] += (hours[h] - 40) * (hours[h] - 40) / 40 / 1200;
        GS_NEAR(counts[many], 48000, 4800);
    }
    CU_ASSERT_TRUE(dispersion[1] < 0.85 * dispersion[0]);
    GS_NEAR(part[0] / counts[1], 1 / 4.4992, 0.04); /* 1 over the sum of 1/k, k to 50 */
    GS_NEAR(part[0] / part[1], 2, 0.5);
}

static void the_day_has_its_shape_and_the_week_its_end(void)
{
    const char *text = "poisson 60/h daily=6:2,12:0 weekend=0.25";
    const double stop = 7 * 86400.0 * 20;
    struct gs_arrival_run r;
    gs_arrival_start(&r, arrivals(text), 1, 0, monday, stop);
    double by_hour[24] = {0};
    double by_day[7] = {0};
    for (double t = gs_arrival_next(&r); t < stop; t = gs_arrival_next(&r)) {
        by_hour[(int)(t / 3600) % 24]++;
        by_day[(int)(t / 86400) % 7]++;
    }
    for (int h = 0; h < 24; h++) {
        /* 6 to 12 at twice the rate, else nothing: 5.5 weekdays' worth, 20 weeks */
        if (h < 6 || h >= 12)
            GS_EQ_INT(by_hour[h], 0);
        else
            GS_NEAR(by_hour[h], 120 * 5.5 * 20, 5 * 115);
    }
    for (int d = 0; d < 7; d++)
        GS_NEAR(by_day[d], d < 5 ? 14400 : 3600, 600);
    GS_NEAR(gs_arrivals_rate(arrivals(text)) * 3600 * 168, 60 * 12 * 5.5, 1e-6);
    /* Hawkes: the base has the shape, echoes may fall behind it */
    gs_arrival_start(&r, arrivals("hawkes base=60/h branching=0.2 decay=10s daily=6:2,12:0"), 1, 0,
                     monday, stop);
    double in = 0;
    double out = 0;
    for (double t = gs_arrival_next(&r); t < stop; t = gs_arrival_next(&r)) {
        const int h = (int)(t / 3600) % 24;
        in += h >= 6 && h < 12;
        out += h < 6 || h > 12;
    }
    GS_NEAR(in, 120 * 6 * 140 / 0.8, 2000);
    GS_EQ_INT(out, 0);
}

static void the_zone_moves_the_day(void)
{
    /* t = 0 is 05:30 local time: the first half hour is quiet */
    struct gs_arrival_run r;
    gs_arrival_start(&r, arrivals("constant 60/h daily=6:1,12:0"), 1, 0, monday + 19800 * GS_SECOND,
                     86400.0 * 30);
    GS_NEAR(gs_arrival_next(&r), 0, 0); /* evenly spaced: the first stands at the start */
    GS_NEAR(gs_arrival_next(&r), 1800 + 60, 1e-6);
}

static void what_is_not_an_arrival_process_is_refused_in_words(void)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"poison 40/h", "did you mean 'poisson'"},
        {"poisson", "needs a rate"},
        {"poisson 40", "40"},
        {"poisson 0/h", "not above 0"},
        {"poisson 40/h cv=2", "'cv=2' is not understood"},
        {"gamma 40/h", "needs cv"},
        {"mmpp 10/h dwell=2h", "two rates"},
        {"mmpp 10/h 20/h dwell=2h", "1 times for 2 rates"},
        {"mmpp 10/h 20/h dwell=2h,0s", "above 0"},
        {"hawkes base=1/h branching=1 decay=1m", "branching"},
        {"poisson 1/h daily=0:0", "0 at every hour"},
        {"poisson 1/h daily=9:1,8:1", "does not rise"},
        {"poisson 1/h daily=25:1", "25"},
        {"poisson 1/h daily=", "daily"},
        {"poisson 1/h weekend=-1", "weekend"},
        {"", "no arrival process"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct gs_arrivals *a = NULL;
        struct gs_err err = {0};
        CU_ASSERT_EQUAL(gs_arrivals_parse(bad[i].text, &arena, &a, &err), GS_E_INPUT);
        GS_HAS(err.msg, bad[i].says);
    }
}

/* ---- Sections ---------------------------------------------------------------------------------- */

struct made {
    struct gs_intern str;
    struct gs_workload w;
    struct gs_err err;
};

static void made_init(struct made *m)
{
    memset(m, 0, sizeof *m);
    gs_intern_init(&m->str);
    gs_workload_init(&m->w, &m->str);
}

static void made_release(struct made *m)
{
    gs_workload_release(&m->w);
    gs_intern_release(&m->str);
}

static struct gs_synth section(void)
{
    return (struct gs_synth){.name = "research",
                             .kind = GS_KIND_TRAINING,
                             .arrivals = "poisson 100/h",
                             .count = 1000,
                             .to_ns = GS_NEVER,
                             .gpus = "choice 1:0.5 2:0.2 12:0.3",
                             .duration = "lognormal median=30m sigma=1",
                             .users = "10",
                             .cpus_per_gpu_milli = 4000,
                             .mem_per_gpu_mib = 1024,
                             .start_unix_ns = GS_NEVER};
}

static void a_section_makes_whole_jobs(void)
{
    struct made m;
    made_init(&m);
    const struct gs_synth s = section();
    CU_ASSERT_EQUAL_FATAL(gs_synth_make(&m.w, 0, 1, 99, &s, &m.err), GS_OK);
    GS_EQ_INT(m.w.jobs.n, 1000);
    int64_t before = 0;
    double gpus = 0;
    for (size_t i = 0; i < m.w.jobs.n; i++) {
        const struct gs_job *j = &m.w.jobs.v[i];
        CU_ASSERT_TRUE(j->submit_ns >= before);
        before = j->submit_ns;
        gpus += j->gpus;
        CU_ASSERT_TRUE(j->run_ns > 0);
        CU_ASSERT_TRUE(j->user < m.w.users.n);
        GS_EQ_INT(j->duration_source, 1);
        if (j->gpus == 12) { /* a gang of 8 + 4 */
            GS_EQ_INT(j->tasks, 2);
            GS_EQ_INT(j->task_gpus, 8);
            GS_EQ_INT(j->cpus_milli, 32000);
            GS_EQ_INT(j->mem_mib, 8192);
        } else {
            GS_EQ_INT(j->tasks, 1);
            GS_EQ_INT(j->task_gpus, j->gpus);
        }
    }
    GS_NEAR(gpus / 1000, 4.5, 5 * 5.0 / sqrt(1000));
    GS_NEAR((double)before / 3.6e12, 10, 1.6);
    GS_EQ_INT(m.w.users.n, 10);
    made_release(&m);
}

static void a_section_is_the_same_beside_others_and_when_it_grows(void)
{
    struct made a;
    struct made b;
    made_init(&a);
    made_init(&b);
    struct gs_synth s = section();
    CU_ASSERT_EQUAL_FATAL(gs_synth_make(&a.w, 0, 4, 5, &s, &a.err), GS_OK);
    struct gs_synth other = section();
    other.name = "other";
    other.duration = "gamma mean=1h cv=2";
    CU_ASSERT_EQUAL_FATAL(gs_synth_make(&b.w, 0, 3, 5, &other, &b.err), GS_OK);
    const size_t first = b.w.jobs.n;
    s.count = 1500;
    s.gpus = "1"; /* another size moves neither arrivals nor run times */
    CU_ASSERT_EQUAL_FATAL(gs_synth_make(&b.w, 1, 4, 5, &s, &b.err), GS_OK);
    for (size_t i = 0; i < a.w.jobs.n; i++) {
        CU_ASSERT_EQUAL(a.w.jobs.v[i].submit_ns, b.w.jobs.v[first + i].submit_ns);
        CU_ASSERT_EQUAL(a.w.jobs.v[i].run_ns, b.w.jobs.v[first + i].run_ns);
    }
    /* another seed, another section: other jobs */
    CU_ASSERT_NOT_EQUAL(b.w.jobs.v[0].submit_ns, b.w.jobs.v[first].submit_ns);
    made_release(&a);
    made_release(&b);
}

static void a_window_bounds_the_arrivals(void)
{
    struct made m;
    made_init(&m);
    struct gs_synth s = section();
    s.count = -1;
    s.from_ns = 3600 * GS_SECOND;
    s.to_ns = 7200 * GS_SECOND;
    s.arrivals = "constant 60/h";
    CU_ASSERT_EQUAL_FATAL(gs_synth_make(&m.w, 0, 0, 1, &s, &m.err), GS_OK);
    GS_EQ_INT(m.w.jobs.n, 60);
    GS_EQ_INT(m.w.jobs.v[0].submit_ns, 3600 * GS_SECOND);
    GS_EQ_INT(m.w.jobs.v[59].submit_ns, (3600 + 59 * 60) * GS_SECOND);
    s.arrivals = NULL; /* all at once */
    s.count = 5;
    CU_ASSERT_EQUAL_FATAL(gs_synth_make(&m.w, 0, 0, 1, &s, &m.err), GS_OK);
    GS_EQ_INT(m.w.jobs.n, 65);
    GS_EQ_INT(m.w.jobs.v[64].submit_ns, 3600 * GS_SECOND);
    made_release(&m);
}

static void the_day_goes_by_the_scenarios_clock(void)
{
    struct made m;
    made_init(&m);
    struct gs_synth s = section();
    s.start_unix_ns = INT64_C(1767571200) * GS_SECOND; /* 2026-01-05T00:00:00Z, a Monday */
    s.zone_offset_s = 8 * 3600;                        /* 08:00 local time */
    s.arrivals = "poisson 100/h daily=0:0,9:1";
    s.count = 50;
    CU_ASSERT_EQUAL_FATAL(gs_synth_make(&m.w, 0, 0, 1, &s, &m.err), GS_OK);
    CU_ASSERT_TRUE(m.w.jobs.v[0].submit_ns > 3600 * GS_SECOND);
    CU_ASSERT_TRUE(m.w.jobs.v[0].submit_ns < 2 * 3600 * GS_SECOND);
    made_release(&m);
}

static void shares_cpu_jobs_and_memory(void)
{
    struct made m;
    made_init(&m);
    struct gs_synth s = section();
    s.gpus = "1"; /* a share is of jobs on one GPU */
    s.share = "choice 0.25:1 500m:1";
    s.memory = "choice 8GiB:1 16GiB:1";
    s.cpus = "uniform 1 4";
    s.gpu = "A100-SXM4-80GB";
    CU_ASSERT_EQUAL_FATAL(gs_synth_make(&m.w, 0, 0, 1, &s, &m.err), GS_OK);
    for (size_t i = 0; i < m.w.jobs.n; i++) {
        const struct gs_job *j = &m.w.jobs.v[i];
        GS_EQ_INT(j->gpus, 1);
        CU_ASSERT_TRUE(j->share_milli == 250 || j->share_milli == 500);
        CU_ASSERT_TRUE(j->mem_mib == 8192 || j->mem_mib == 16384);
        CU_ASSERT_TRUE(j->cpus_milli >= 1000 && j->cpus_milli <= 4000);
        GS_EQ_STR(gs_intern_str(&m.str, j->models), "A100-SXM4-80GB");
    }
    s = section();
    s.gpus = "0";
    CU_ASSERT_EQUAL(gs_synth_make(&m.w, 0, 0, 1, &s, &m.err), GS_E_INPUT);
    GS_HAS(m.err.msg, "a job without GPUs needs 'cpus'");
    s.cpus = "2";
    CU_ASSERT_EQUAL(gs_synth_make(&m.w, 0, 0, 1, &s, &m.err), GS_OK);
    GS_EQ_INT(m.w.jobs.v[m.w.jobs.n - 1].cpus_milli, 2000);
    made_release(&m);
}

static void a_section_that_cannot_be_made_says_why_and_leaves_nothing(void)
{
    struct made m;
    made_init(&m);
    struct gs_synth s = section();
    s.count = -1;
    CU_ASSERT_EQUAL(gs_synth_make(&m.w, 0, 0, 1, &s, &m.err), GS_E_INPUT);
    GS_HAS(m.err.msg, "[workload research]: nothing ends the arrivals");
    s.arrivals = NULL;
    CU_ASSERT_EQUAL(gs_synth_make(&m.w, 0, 0, 1, &s, &m.err), GS_E_INPUT);
    GS_HAS(m.err.msg, "needs 'count'");
    s = section();
    s.duration = "exponential mean=twelve";
    CU_ASSERT_EQUAL(gs_synth_make(&m.w, 0, 0, 1, &s, &m.err), GS_E_INPUT);
    GS_HAS(m.err.msg, "[workload research] duration: ");
    s.duration = NULL;
    CU_ASSERT_EQUAL(gs_synth_make(&m.w, 0, 0, 1, &s, &m.err), GS_E_INPUT);
    GS_HAS(m.err.msg, "'duration' is missing");
    s = section();
    s.duration = "pareto min=1h alpha=0.01";
    CU_ASSERT_EQUAL(gs_synth_make(&m.w, 0, 0, 1, &s, &m.err), GS_E_INPUT);
    GS_HAS(m.err.msg, "over 100 years");
    s = section();
    s.arrivals = "poisson 1e-9/h";
    CU_ASSERT_EQUAL(gs_synth_make(&m.w, 0, 0, 1, &s, &m.err), GS_E_INPUT);
    GS_HAS(m.err.msg, "over 100 years");
    s = section();
    s.gpus = "1e7";
    CU_ASSERT_EQUAL(gs_synth_make(&m.w, 0, 0, 1, &s, &m.err), GS_E_INPUT);
    GS_HAS(m.err.msg, "[workload research] gpus: job 0 drew 1e+07: over a million");
    s = section();
    s.arrivals = "poisson";
    CU_ASSERT_EQUAL(gs_synth_make(&m.w, 0, 0, 1, &s, &m.err), GS_E_INPUT);
    GS_HAS(m.err.msg, "[workload research] arrivals: poisson: needs a rate");
    s = section();
    s.count = INT64_C(1000000000);
    CU_ASSERT_EQUAL(gs_synth_make(&m.w, 0, 0, 1, &s, &m.err), GS_E_INPUT);
    GS_HAS(m.err.msg, "count: 1000000000 is over");
    s = section();
    s.users = "2000000";
    CU_ASSERT_EQUAL(gs_synth_make(&m.w, 0, 0, 1, &s, &m.err), GS_E_INPUT);
    GS_HAS(m.err.msg, "users: '2000000' is too large");
    s = section();
    s.estimate = "guess";
    CU_ASSERT_EQUAL(gs_synth_make(&m.w, 0, 0, 1, &s, &m.err), GS_E_INPUT);
    GS_HAS(m.err.msg, "[workload research] estimate: 'guess' is not an estimate");
    GS_EQ_INT(m.w.jobs.n, 0);
    made_release(&m);
}

/* ---- Estimates --------------------------------------------------------------------------------- */

static void estimates_follow_their_word(void)
{
    struct made m;
    made_init(&m);
    const struct gs_synth s = section();
    CU_ASSERT_EQUAL_FATAL(gs_synth_make(&m.w, 0, 0, 1, &s, &m.err), GS_OK);

    static const struct {
        const char *spec;
        enum gs_est_source source;
        double least, most; /* estimate / run time */
    } words[] = {
        {"exact", GS_EST_EXACT, 1, 1},
        {"factor uniform 1 3", GS_EST_MODEL, 1 - 1e-9, 3},
        {"factor 0.5", GS_EST_MODEL, 0.5 - 1e-9, 0.5 + 1e-9},
        {"user bias=2 sigma=0.1", GS_EST_USER, 1, 1e9},
        {"limit 2d 03:15", GS_EST_LIMIT, 0, 1e18},
    };

    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        CU_ASSERT_EQUAL_FATAL(gs_estimate_apply(&m.w, 0, words[k].spec, 1, NULL, &m.err), GS_OK);
        double sum = 0;
        for (size_t i = 0; i < m.w.jobs.n; i++) {
            const struct gs_job *j = &m.w.jobs.v[i];
            const double ratio = (double)j->est_ns / (double)j->run_ns;
            sum += ratio;
            GS_EQ_INT(j->est_source, words[k].source);
            CU_ASSERT_TRUE(ratio >= words[k].least && ratio <= words[k].most);
            if (words[k].source == GS_EST_USER)
                GS_EQ_INT(j->est_ns % (60 * GS_SECOND), 0);
        }
        if (k == 1)
            GS_NEAR(sum / 1000, 2, 0.1);
    }
    GS_EQ_INT(m.w.jobs.v[0].est_ns, (51 * 3600 + 900) * GS_SECOND);
    m.w.jobs.v[0].run_ns = GS_NEVER; /* nobody can guess the length of what never ends */
    CU_ASSERT_EQUAL(gs_estimate_apply(&m.w, 0, "exact", 1, NULL, &m.err), GS_OK);
    GS_EQ_INT(m.w.jobs.v[0].est_ns, -1);
    CU_ASSERT_EQUAL(gs_estimate_apply(&m.w, 0, "none", 1, NULL, &m.err), GS_OK);
    GS_EQ_INT(m.w.jobs.v[1].est_ns, -1);
    GS_EQ_INT(m.w.jobs.v[1].est_source, GS_EST_NONE);
    static const char *const bad[] = {
        "", "factor", "limit", "limit 0s", "user bias=0", "exact please", "user kind=x"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        CU_ASSERT_EQUAL(gs_estimate_apply(&m.w, 0, bad[k], 1, NULL, &m.err), GS_E_INPUT);
    made_release(&m);
}

/* Draws decide events, so their bits may not depend on compiler, optimisation or C library: FNV-1a over the bytes of values of every
 * kind. A change of this number is a change of every synthetic workload, and needs a reason. */
static void fold(uint64_t *h, const void *p, size_t n)
{
    const unsigned char *b = p;
    for (size_t i = 0; i < n; i++)
        *h = (*h ^ b[i]) * UINT64_C(1099511628211);
}

static void the_same_bits_everywhere(void)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t k = 0; k < sizeof closed_forms / sizeof closed_forms[0]; k++) {
        const struct gs_dist *d = dist(closed_forms[k].text, closed_forms[k].dim);
        struct gs_stream s;
        gs_stream_init(&s, 1, GS_RNG_TEST, 2, 3);
        for (int i = 0; i < 1000; i++) {
            const double x = gs_dist_draw(d, &s);
            fold(&h, &x, sizeof x);
        }
        const double mean = gs_dist_mean(d);
        fold(&h, &mean, sizeof mean);
    }
    static const char *const processes[] = {
        "constant 7/h", "poisson 40/h daily=0:0.4,9:1.5,18:1.0 weekend=0.5", "gamma 40/h cv=3",
        "mmpp 10/h 100/h dwell=2h,10m", "hawkes base=20/h branching=0.5 decay=1m daily=8:2,20:0.5"};
    for (size_t k = 0; k < sizeof processes / sizeof processes[0]; k++) {
        struct gs_arrival_run r;
        gs_arrival_start(&r, arrivals(processes[k]), 1, 0, monday, 1e9);
        for (int i = 0; i < 1000; i++) {
            const double t = gs_arrival_next(&r);
            fold(&h, &t, sizeof t);
        }
    }
    char text[32];
    (void)snprintf(text, sizeof text, "%016" PRIx64, h);
    GS_EQ_STR(text, "6cddce810c1165fe");
}

/* Printed, not judged: machines differ. */
static void a_million_jobs(void)
{
    struct made m;
    made_init(&m);
    struct gs_synth s = section();
    s.count = 1000000;
    s.duration = "exponential mean=1h";
    const int64_t t = gs_wall_ns();
    CU_ASSERT_EQUAL(gs_synth_make(&m.w, 0, 0, 1, &s, &m.err), GS_OK);
    printf("1,000,000 jobs made in %.2f s\n", (double)(gs_wall_ns() - t) / 1e9);
    GS_EQ_INT(m.w.jobs.n, 1000000);
    made_release(&m);
}

static const struct gs_test tests[] = {
    {"draws have the mean of the closed form", draws_have_the_mean_of_the_closed_form},
    {"clip is a clamp", clip_is_a_clamp},
    {"an infinite mean is not a number", an_infinite_mean_is_not_a_number},
    {"gamma quantile is the inverse", gamma_quantile_is_the_inverse_of_the_distribution},
    {"an empirical distribution interpolates", an_empirical_distribution_interpolates_its_samples},
    {"bad distributions are refused in words", what_is_not_a_distribution_is_refused_in_words},
    {"arrival processes have their rate", arrival_processes_have_their_rate},
    {"bursts and a timer", bursts_come_in_runs_beside_a_timer},
    {"a gap without end ends", a_gap_without_end_ends},
    {"days of the week have rates", days_of_the_week_have_rates},
    {"clients share the rate", clients_share_the_rate},
    {"the day and the week have a shape", the_day_has_its_shape_and_the_week_its_end},
    {"the zone moves the day", the_zone_moves_the_day},
    {"bad arrivals are refused in words", what_is_not_an_arrival_process_is_refused_in_words},
    {"a section makes whole jobs", a_section_makes_whole_jobs},
    {"a section does not depend on others", a_section_is_the_same_beside_others_and_when_it_grows},
    {"a window bounds the arrivals", a_window_bounds_the_arrivals},
    {"the day goes by the clock", the_day_goes_by_the_scenarios_clock},
    {"shares, CPU jobs and memory", shares_cpu_jobs_and_memory},
    {"bad sections say why", a_section_that_cannot_be_made_says_why_and_leaves_nothing},
    {"estimates follow their word", estimates_follow_their_word},
    {"the same bits everywhere", the_same_bits_everywhere},
    {"a million jobs", a_million_jobs},
};

int main(int argc, char **argv)
{
    const int status =
        gs_test_main("traces/synth", tests, sizeof tests / sizeof tests[0], argc, argv);
    gs_arena_release(&arena);
    return status;
}

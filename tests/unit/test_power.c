/* test_power.c - the power model against its formula, the meter against a sum over every instant, rounding of the bill. */
#include "sim/base/fmath.h"
#include "sim/base/mem.h"
#include "sim/base/rng.h"
#include "sim/hardware/power.h"
#include "sim/metrics/bill.h"
#include "tests/unit/harness.h"

#include <math.h>

static const struct gs_power_model model = {40000, 0.12, 1};
static const struct gs_gpu_model board = {.name = "board", .tdp_w = 700, .idle_w = 70};

static void three_states_of_a_device(void)
{
    struct gs_power_gpu p;
    struct gs_err err;
    CU_ASSERT_EQUAL_FATAL(gs_power_gpu(&board, &model, 0, &p, &err), GS_OK);
    GS_EQ_INT(p.idle_mw, 70000);
    GS_EQ_INT(gs_power_draw(&p, 1000, 0), 40000);
    GS_EQ_INT(gs_power_draw(&p, 1000, INT64_C(1) << 30), 630000);
    GS_EQ_INT(gs_power_draw(&p, 1000, INT64_C(1) << 29), 40000 + 590000 / 2);
    GS_EQ_INT(gs_power_draw(&p, 250, INT64_C(1) << 30), 157500);
    GS_EQ_INT(gs_power_draw(&p, 1000, INT64_MAX), 630000); /* clipped at the board's limit */
    GS_EQ_INT(gs_power_dilation(&p), INT64_C(1) << 30);
    CU_ASSERT_FALSE(p.idle_assumed);
}

static void a_cap_slows_by_the_same_curve(void)
{
    struct gs_power_gpu p;
    struct gs_power_model cubic = model;
    struct gs_err err;
    CU_ASSERT_EQUAL_FATAL(gs_power_gpu(&board, &model, 405000, &p, &err), GS_OK);
    GS_EQ_INT(gs_power_dilation(&p), INT64_C(2) << 30); /* (700 - 110) / (405 - 110) */
    GS_EQ_INT(p.idle_mw + gs_power_draw(&p, 1000, INT64_C(1) << 30), 405000);
    cubic.gamma = 3;
    CU_ASSERT_EQUAL_FATAL(gs_power_gpu(&board, &cubic, 405000, &p, &err), GS_OK);
    const double d = (double)gs_power_dilation(&p) / (double)(INT64_C(1) << 30);
    CU_ASSERT_DOUBLE_EQUAL(d, cbrt(2), 1e-6);
    CU_ASSERT_EQUAL(gs_power_gpu(&board, &model, 110000, &p, &err), GS_E_INPUT);
    CU_ASSERT_EQUAL(gs_power_gpu(&board, &model, 900000, &p, &err), GS_OK); /* above the TDP */
    GS_EQ_INT(p.full_mw, 700000);
}

static void what_the_catalog_does_not_know(void)
{
    const struct gs_gpu_model none = {.name = "x", .tdp_w = (double)NAN, .idle_w = (double)NAN};
    const struct gs_gpu_model some = {.name = "y", .tdp_w = 300, .idle_w = (double)NAN};
    struct gs_power_gpu p;
    struct gs_err err;
    CU_ASSERT_EQUAL(gs_power_gpu(&none, &model, 0, &p, &err), GS_E_INPUT);
    CU_ASSERT_EQUAL(gs_power_gpu(NULL, &model, 0, &p, &err), GS_E_INPUT);
    CU_ASSERT_EQUAL(gs_power_gpu(&some, &model, 0, &p, &err), GS_OK);
    GS_EQ_INT(p.idle_mw, 36000);
    CU_ASSERT_TRUE(p.idle_assumed);
}

/* ---- the meter ---- */

#define UNITS  3
#define JOBS   5
#define CLAIMS 12

struct naive {
    int64_t rate[UNITS], base[UNITS];

    struct {
        uint32_t id, unit, job;
        int64_t weight, mw;
        int on;
    } claim[CLAIMS];

    double money[JOBS], energy[JOBS], idle_money, idle_energy;
    gs_i128 all_money, all_energy;
};

/* One nanosecond of it. */
static void tick(struct naive *k)
{
    for (uint32_t u = 0; u < UNITS; u++) {
        int64_t sum = 0;
        for (int c = 0; c < CLAIMS; c++)
            sum += k->claim[c].on && k->claim[c].unit == u ? k->claim[c].weight : 0;
        const double all = sum > 1000 ? (double)sum : 1000;
        k->all_money += (gs_i128)k->rate[u] * 1000;
        k->all_energy += (gs_i128)k->base[u] * 1000;
        for (int c = 0; c < CLAIMS; c++) {
            if (!k->claim[c].on || k->claim[c].unit != u)
                continue;
            const double share = (double)k->claim[c].weight / all;
            k->money[k->claim[c].job] += (double)k->rate[u] * 1000 * share;
            k->energy[k->claim[c].job] +=
                (double)k->base[u] * 1000 * share + (double)k->claim[c].mw * 1000;
            k->all_energy += (gs_i128)k->claim[c].mw * 1000;
        }
        const double free = sum < 1000 ? (double)(1000 - sum) / 1000 : 0;
        k->idle_money += (double)k->rate[u] * 1000 * free;
        k->idle_energy += (double)k->base[u] * 1000 * free;
    }
}

static void act(struct gs_meter *m, struct naive *k, struct gs_stream *s, int64_t now)
{
    const uint32_t c = (uint32_t)gs_below(s, CLAIMS), u = (uint32_t)gs_below(s, UNITS);
    if (gs_below(s, 5) == 0) {
        k->rate[u] = (int64_t)gs_below(s, 1000000);
        k->base[u] = (int64_t)gs_below(s, 100000);
        gs_meter_unit(m, now, u, k->rate[u], k->base[u]);
    } else if (!k->claim[c].on) {
        k->claim[c].on = 1;
        k->claim[c].unit = u;
        k->claim[c].job = (uint32_t)gs_below(s, JOBS);
        k->claim[c].weight = (int64_t)gs_below(s, 700) + 1;
        k->claim[c].mw = 0;
        k->claim[c].id = gs_meter_join(m, now, u, k->claim[c].job, (uint32_t)k->claim[c].weight);
    } else if (gs_below(s, 2) == 0) {
        k->claim[c].on = 0;
        gs_meter_leave(m, now, k->claim[c].id);
    } else {
        k->claim[c].mw = (int64_t)gs_below(s, 500000);
        gs_meter_draw(m, now, k->claim[c].id, k->claim[c].mw);
    }
}

/* Where weights sum to more than the unit, each change rounds each claim to one of 10^-3 nano-USD/h x ns. */
static int near(gs_i128 exact, double naive)
{
    return fabs(gs_i128_to_double(exact, 1) - naive) <= 200 * CLAIMS;
}

static void meter_equals_the_sum_over_every_instant(void)
{
    struct gs_stream s;
    gs_stream_init(&s, 4, GS_RNG_TEST, 0, 0);
    for (int round = 0; round < 50; round++) {
        struct gs_meter *m = gs_meter_new(UNITS, JOBS);
        struct naive k = {0};
        int64_t now = 0;
        for (int i = 0; i < 200; i++) {
            act(m, &k, &s, now);
            for (uint64_t dt = gs_below(&s, 6); dt > 0; dt--, now++)
                tick(&k);
        }
        gs_meter_end(m, now);
        struct gs_charge sum = gs_meter_idle(m);
        CU_ASSERT_TRUE(near(sum.money, k.idle_money));
        CU_ASSERT_TRUE(near(sum.energy, k.idle_energy));
        for (uint32_t j = 0; j < JOBS; j++) {
            const struct gs_charge c = gs_meter_job(m, j);
            CU_ASSERT_TRUE(near(c.money, k.money[j]));
            CU_ASSERT_TRUE(near(c.energy, k.energy[j]));
            sum.money += c.money;
            sum.energy += c.energy;
        }
        const struct gs_charge all = gs_meter_total(m);
        CU_ASSERT_TRUE(sum.money == k.all_money && all.money == k.all_money);
        CU_ASSERT_TRUE(sum.energy == k.all_energy && all.energy == k.all_energy);
        gs_meter_free(m);
    }
}

static void a_peak_is_what_lasted(void)
{
    struct gs_meter *m = gs_meter_new(1, 1);
    gs_meter_unit(m, 0, 0, 0, 100);
    const uint32_t c = gs_meter_join(m, 5, 0, 0, 1000);
    gs_meter_draw(m, 5, c, 900); /* and at the same instant no more */
    gs_meter_draw(m, 5, c, 50);
    gs_meter_leave(m, 9, c);
    gs_meter_end(m, 20);
    GS_EQ_INT(gs_meter_peak(m), 150);
    CU_ASSERT_TRUE(gs_meter_unit_energy(m, 0, 20) == 100 * 20 + 50 * 4);
    gs_meter_free(m);
}

static void cells_sum_to_the_rounded_total(void)
{
    struct gs_stream s;
    gs_stream_init(&s, 8, GS_RNG_TEST, 0, 0);
    for (int round = 0; round < 2000; round++) {
        gs_i128 x[9], all = 0;
        int64_t out[9], sum = 0;
        const size_t n = gs_below(&s, 9) + 1;
        const gs_i128 per = (gs_i128)gs_below(&s, UINT64_C(1) << 40) * 1000003 + 1;
        for (size_t i = 0; i < n; i++) {
            x[i] = (gs_i128)gs_below(&s, UINT64_C(1) << 60) * (int64_t)gs_below(&s, 1 << 20);
            all += x[i];
        }
        const int64_t total = gs_bill_round(x, n, per, out);
        for (size_t i = 0; i < n; i++) {
            CU_ASSERT_TRUE(out[i] == x[i] / per || out[i] == x[i] / per + 1);
            sum += out[i];
        }
        CU_ASSERT_EQUAL(sum, total);
        CU_ASSERT_EQUAL(total, (int64_t)((2 * all + per) / (2 * per)));
    }
}

static const struct gs_test tests[] = {
    {"three states", three_states_of_a_device},
    {"a cap", a_cap_slows_by_the_same_curve},
    {"unknown figures", what_the_catalog_does_not_know},
    {"meter equals brute force", meter_equals_the_sum_over_every_instant},
    {"peak", a_peak_is_what_lasted},
    {"rounding", cells_sum_to_the_rounded_total},
};
GS_TEST_MAIN("power and bill", tests)

/* bill.c - from what the meter charged to lines in whole nano-USD (bill.h). */
#include "sim/metrics/bill.h"

#include "sim/base/mem.h"
#include "sim/base/sort.h"
#include "sim/metrics/internal.h"

#include <math.h>

#include "sim/base/banned.h"

#define HOUR_MILLI  ((gs_i128)3600 * GS_SECOND * 1000) /* meter units of money in a nano-USD */
#define KWH_MILLI   ((gs_i128)3600000000 * GS_SECOND * 1000) /* of energy in a kWh: 3.6e9 mW s */
#define JOULE_MILLI 1e15

/* ---- lines ---- */

static int by_value(const void *a, const void *b, const void *ctx)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    (void)ctx;
    return (x > y) - (x < y);
}

/* Nobody sorts before the users. */
static uint64_t key_of(const struct gs_job *j)
{
    return (uint64_t)j->queue << 32 | (uint32_t)(j->user + 1);
}

static uint32_t find_line(const uint64_t *key, uint32_t n, uint64_t k)
{
    uint32_t lo = 0;
    while (n > 1) {
        const uint32_t half = n / 2;
        if (key[lo + half] <= k)
            lo += half;
        n -= half;
    }
    return lo;
}

struct gs_bill *gs_bill_new(const struct gs_workload *w, struct gs_meter *meter,
                            const struct gs_tariff *t)
{
    struct gs_bill *b = GS_NEW(struct gs_bill);
    const size_t njobs = w->jobs.n, nq = w->queues.n;
    uint64_t *key = GS_NEW_N(uint64_t, njobs + nq + 1);
    size_t n = 0;
    for (size_t i = 0; i < njobs; i++)
        key[n++] = key_of(&w->jobs.v[i]);
    for (size_t q = 0; q < nq; q++) /* a quota is paid for, used or not */
        if (w->queues.v[q].quota_milli > 0)
            key[n++] = (uint64_t)q << 32;
    gs_sort(key, n, sizeof *key, by_value, NULL);
    uint32_t lines = 0;
    for (size_t i = 0; i < n; i++)
        if (lines == 0 || key[i] != key[lines - 1])
            key[lines++] = key[i];
    b->meter = meter;
    b->tariff = *t;
    b->nlines = lines + 1;
    b->line = GS_NEW_N(struct gs_bill_line, b->nlines);
    b->line_of = GS_NEW_N(uint32_t, njobs ? njobs : 1);
    for (uint32_t i = 0; i < lines; i++) {
        b->line[i].queue = (uint32_t)(key[i] >> 32);
        b->line[i].user = (uint32_t)key[i] - 1;
    }
    b->line[lines].queue = b->line[lines].user = GS_NONE;
    for (size_t i = 0; i < njobs; i++)
        b->line_of[i] = find_line(key, lines, key_of(&w->jobs.v[i]));
    gs_free(key);
    return b;
}

void gs_bill_free(struct gs_bill *b)
{
    if (!b)
        return;
    gs_meter_free(b->meter);
    gs_free(b->line);
    gs_free(b->line_of);
    gs_free(b);
}

void gs_bill_hold(struct gs_bill *b, uint32_t job, int64_t milli)
{
    struct gs_bill_line *l = &b->line[b->line_of[job]];
    l->held_milli += milli;
    if (l->held_milli > l->peak_milli)
        l->peak_milli = l->held_milli;
}

int64_t gs_bill_line_total(const struct gs_bill_line *l)
{
    int64_t sum = 0;
    for (int c = 0; c < GS_BILL_CELLS; c++)
        sum += l->nano[c];
    return sum;
}

double gs_bill_job_usd(const struct gs_bill *b, uint32_t job)
{
    if (!b->tariff.priced)
        return (double)NAN;
    return gs_i128_to_double(gs_meter_job(b->meter, job).money, 3600e21);
}

double gs_bill_job_joule(const struct gs_bill *b, uint32_t job)
{
    if (!b->tariff.powered)
        return (double)NAN;
    return gs_i128_to_double(gs_meter_job(b->meter, job).energy, JOULE_MILLI);
}

/* ---- rounding ---- */

struct remainder {
    gs_i128 left;
    size_t cell;
};

static int largest_first(const void *a, const void *b, const void *ctx)
{
    const struct remainder *x = a, *y = b;
    (void)ctx;
    if (x->left != y->left)
        return x->left > y->left ? -1 : 1;
    return (x->cell > y->cell) - (x->cell < y->cell);
}

int64_t gs_bill_round(const gs_i128 *x, size_t n, gs_i128 per, int64_t *out)
{
    struct remainder *r = GS_NEW_N(struct remainder, n ? n : 1);
    gs_i128 whole = 0, left = 0;
    for (size_t i = 0; i < n; i++) {
        out[i] = (int64_t)(x[i] / per);
        r[i] = (struct remainder){x[i] % per, i};
        whole += out[i];
        left += r[i].left;
        if (left >= per) { /* kept below `per`, so that it cannot overflow */
            left -= per;
            whole++;
        }
    }
    whole += left >= per - left;
    gs_i128 over = whole;
    for (size_t i = 0; i < n; i++)
        over -= out[i];
    gs_sort(r, n, sizeof *r, largest_first, NULL);
    for (size_t i = 0; i < n && over > 0; i++, over--)
        out[r[i].cell]++;
    gs_free(r);
    return (int64_t)whole;
}

/* ---- closing ---- */

/* x b / c rounded down, for b, c < 2^63 */
static gs_i128 part_of(gs_i128 x, int64_t b, int64_t c)
{
    return c > 0 ? x / c * b + x % c * b / c : 0;
}

/* A job's money by how its time went. Lost work is taken from its computing. */
static void add_job(struct gs_bill *b, const struct gs_metrics *m, uint32_t id)
{
    struct gs_bill_line *l = &b->line[b->line_of[id]];
    const struct gs_outcome *o = &m->out[id];
    const struct gs_charge c = gs_meter_job(b->meter, id);
    const double lost_share =
        o->gpu_milli_ns > 0 ? o->lost_gpu_s / gs_i128_to_double(o->gpu_milli_ns, 1e12) : 0;
    const int64_t compute = gs_metrics_part_ns(m, id, GS_TIME_COMPUTE);
    int64_t lost = (int64_t)((double)o->run_ns * (lost_share < 1 ? lost_share : 1));
    lost = lost < compute ? lost : compute;
    const int64_t extra = gs_metrics_part_ns(m, id, GS_TIME_STARTUP) +
                          gs_metrics_part_ns(m, id, GS_TIME_CHECKPOINT) +
                          gs_metrics_part_ns(m, id, GS_TIME_GANG_WAIT) + lost;
    const gs_i128 used = part_of(c.money, compute - lost, o->run_ns);
    const gs_i128 overhead = part_of(c.money, extra, o->run_ns);
    l->jobs++;
    l->gpu_milli_ns += o->gpu_milli_ns;
    l->exact[GS_BILL_USED] += used;
    l->exact[GS_BILL_OVERHEAD] += overhead;
    l->exact[GS_BILL_WAITING] += c.money - used - overhead;
    l->exact[GS_BILL_ENERGY] += c.energy;
    b->held += o->gpu_milli_ns;
    b->useful += part_of(o->gpu_milli_ns, compute - lost, o->run_ns);
}

static gs_i128 money_of(const struct gs_bill_line *l)
{
    return l->exact[GS_BILL_USED] + l->exact[GS_BILL_WAITING] + l->exact[GS_BILL_OVERHEAD];
}

/* Weights of the lines by the rule, below 2^41 each; the last line has none. Within a queue a quota is divided by use; unused, it falls to
 * the queue's first line. */
static void weigh(const struct gs_bill *b, const struct gs_workload *w, int64_t *weight)
{
    const uint32_t n = b->nlines - 1;
    int64_t *queue_use = GS_NEW_N(int64_t, w->queues.n + 1);
    gs_i128 all = 0;
    for (uint32_t i = 0; i < n; i++)
        all += money_of(&b->line[i]);
    const gs_i128 unit = all / ((gs_i128)1 << 40) + 1;
    for (uint32_t i = 0; i < n; i++)
        queue_use[b->line[i].queue] += (int64_t)(money_of(&b->line[i]) / unit);
    for (uint32_t i = 0; i < n; i++) {
        const struct gs_bill_line *l = &b->line[i];
        const int64_t use = (int64_t)(money_of(l) / unit),
                      quota = w->queues.v[l->queue].quota_milli;
        const int first = i == 0 || b->line[i - 1].queue != l->queue;
        if (b->tariff.idle_to == GS_IDLE_USE)
            weight[i] = use;
        else if (b->tariff.idle_to == GS_IDLE_PEAK)
            weight[i] = l->peak_milli;
        else if (b->tariff.idle_to == GS_IDLE_QUOTA && quota > 0 && queue_use[l->queue] > 0)
            weight[i] = (int64_t)((gs_i128)quota * 1000 * use / queue_use[l->queue]);
        else if (b->tariff.idle_to == GS_IDLE_QUOTA && quota > 0 && first)
            weight[i] = quota * 1000;
    }
    gs_free(queue_use);
}

/* Idle money and energy to lines; what rounding leaves, and all of it without a rule, to the last. */
static void spread_idle(struct gs_bill *b, const struct gs_workload *w)
{
    const struct gs_charge idle = gs_meter_idle(b->meter);
    int64_t *weight = GS_NEW_N(int64_t, b->nlines);
    struct gs_charge left = idle;
    int64_t sum = 0;
    weigh(b, w, weight);
    for (uint32_t i = 0; i < b->nlines; i++)
        sum += weight[i];
    uint32_t last = b->nlines - 1;
    for (uint32_t i = 0; i + 1 < b->nlines; i++) {
        struct gs_bill_line *l = &b->line[i];
        l->exact[GS_BILL_IDLE] = part_of(idle.money, weight[i], sum);
        l->exact[GS_BILL_IDLE_ENERGY] = part_of(idle.energy, weight[i], sum);
        left.money -= l->exact[GS_BILL_IDLE];
        left.energy -= l->exact[GS_BILL_IDLE_ENERGY];
        if (weight[i] > 0)
            last = i;
    }
    b->line[last].exact[GS_BILL_IDLE] += left.money;
    b->line[last].exact[GS_BILL_IDLE_ENERGY] += left.energy;
    gs_free(weight);
}

/* One kind of cells of all lines, rounded together. Energy: kWh x PUE x price, in units that keep 128 bits. */
static int64_t round_cells(struct gs_bill *b, int from, int to)
{
    const size_t width = (size_t)(to - from), n = b->nlines * width;
    gs_i128 *x = GS_NEW_N(gs_i128, n);
    int64_t *out = GS_NEW_N(int64_t, n), *base = GS_NEW_N(int64_t, n), sum = 0;
    const int energy = from == GS_BILL_ENERGY;
    const gs_i128 kwh = KWH_MILLI * 1000; /* of energy x PUE in thousandths */
    for (size_t i = 0; i < n; i++) {
        const gs_i128 e = b->line[i / width].exact[from + (int)(i % width)];
        x[i] = e;
        if (energy) {
            const gs_i128 drawn = e * b->tariff.pue_milli;
            base[i] = (int64_t)(drawn / kwh) * b->tariff.energy_price;
            x[i] = drawn % kwh * b->tariff.energy_price;
        }
    }
    sum = gs_bill_round(x, n, energy ? kwh : HOUR_MILLI, out);
    for (size_t i = 0; i < n; i++) {
        b->line[i / width].nano[from + (int)(i % width)] = base[i] + out[i];
        sum += base[i];
    }
    gs_free(x);
    gs_free(out);
    gs_free(base);
    return sum;
}

void gs_bill_close(struct gs_bill *b, const struct gs_metrics *m, int64_t end_ns)
{
    gs_meter_end(b->meter, end_ns);
    b->end_ns = end_ns;
    for (uint32_t i = 0; i < m->njobs; i++)
        add_job(b, m, i);
    spread_idle(b, m->cfg.w);
    for (uint32_t i = 0; i < b->nlines; i++)
        b->line[i].energy =
            b->line[i].exact[GS_BILL_ENERGY] + b->line[i].exact[GS_BILL_IDLE_ENERGY];
    b->total = round_cells(b, GS_BILL_USED, GS_BILL_ENERGY);
    b->total += round_cells(b, GS_BILL_ENERGY, GS_BILL_CELLS);
    b->energy = gs_meter_total(b->meter).energy / 1000;
}

/* ---- figures ---- */

void gs_cost_eval(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                  struct gs_value_row *out)
{
    const struct gs_bill *b = m->bill;
    (void)set;
    if (!b)
        return;
    const double usd = (double)b->total / 1e9, run_s = gs_seconds(b->end_ns);
    const double kwh = gs_i128_to_double(b->energy, 3.6e18) * (double)b->tariff.pue_milli / 1000;
    const double held_h = gs_i128_to_double(b->held, 3600e12);
    const double useful_h = gs_i128_to_double(b->useful, 3600e12);
    const int money = b->tariff.priced, power = b->tariff.powered;
    double x = (double)NAN;
    switch ((enum gs_cost_figure)arg) {
    case GS_COST_TOTAL: x = money ? usd : x; break;
    case GS_COST_HELD: x = money && held_h > 0 ? usd / held_h : x; break;
    case GS_COST_USEFUL: x = money && useful_h > 0 ? usd / useful_h : x; break;
    case GS_COST_KWH: x = power ? kwh : x; break;
    case GS_COST_CARBON: x = power ? kwh * b->tariff.carbon_g / 1000 : x; break;
    case GS_COST_POWER:
        x = power && run_s > 0 ? gs_i128_to_double(b->energy, 1e12) / run_s : x;
        break;
    case GS_COST_PEAK: x = power ? (double)gs_meter_peak(b->meter) / 1000 : x; break;
    }
    out->value = x;
    out->samples = isnan(x) ? 0U : 1U;
}

/* ---- the table ---- */

static int64_t whole(const struct gs_bill *b, uint32_t row, int c)
{
    const struct gs_bill_line *l = &b->line[row];
    switch (c) {
    case 0: return row;
    case 1: return l->queue == GS_NONE ? -1 : (int64_t)l->queue;
    case 2: return l->user == GS_NONE ? -1 : (int64_t)l->user;
    case 3: return (int64_t)l->jobs;
    case 10: return gs_bill_line_total(l);
    case 11: return l->nano[GS_BILL_USED] + l->nano[GS_BILL_WAITING] + l->nano[GS_BILL_OVERHEAD];
    default: return l->nano[c - 4];
    }
}

static double real(const struct gs_bill *b, uint32_t row, int c)
{
    const struct gs_bill_line *l = &b->line[row];
    const double kwh =
        gs_i128_to_double(l->energy, JOULE_MILLI * 3.6e6) * ((double)b->tariff.pue_milli / 1000);
    switch (c) {
    case 0: return gs_i128_to_double(l->gpu_milli_ns, 1e12);
    case 1: return (double)l->peak_milli / 1000;
    case 2: return b->tariff.powered ? gs_i128_to_double(l->energy, JOULE_MILLI) : (double)NAN;
    default: return b->tariff.powered ? kwh * b->tariff.carbon_g / 1000 : (double)NAN;
    }
}

enum gs_rc gs_bill_write(const struct gs_bill *b, struct gs_h5 *f, struct gs_err *err)
{
    /* clang-format off */
    static const struct gs_column wholes[] = {
        {"id", GS_U32, "1", "row number of the line", NULL, NULL},
        {"queue", GS_I32, "1", "row of /queues, -1 = nobody's", NULL, NULL},
        {"user", GS_I32, "1", "row of /users, -1 = none", NULL, NULL},
        {"jobs", GS_U64, "1", "jobs of the line", NULL, NULL},
        {"used", GS_I64, "1e-9 USD", "capacity held while computing, work that was lost left out", NULL, NULL},
        {"waiting", GS_I64, "1e-9 USD", "capacity held in communication, input wait, throttled or idle", NULL, NULL},
        {"overhead", GS_I64, "1e-9 USD", "capacity held in start-up, checkpoints, gang wait, and for work that was lost", NULL, NULL},
        {"idle", GS_I64, "1e-9 USD", "part of the capacity that nobody held, by the rule idle_to", NULL, NULL},
        {"energy", GS_I64, "1e-9 USD", "energy of its jobs, with PUE", NULL, NULL},
        {"idle_energy", GS_I64, "1e-9 USD", "part of the energy of capacity that nobody held", NULL, NULL},
        {"total", GS_I64, "1e-9 USD", "sum of the line", NULL, NULL},
        {"allocated", GS_I64, "1e-9 USD", "capacity held: used + waiting + overhead", NULL, NULL},
    };
    static const struct gs_column reals[] = {
        {"gpu_s", GS_F64, "s", "GPU time held, shares weighted", NULL, NULL},
        {"peak_gpus", GS_F64, "1", "most GPUs held at one time", NULL, NULL},
        {"energy_j", GS_F64, "J", "energy with its part of what nobody held, without PUE; NaN = not known", NULL, NULL},
        {"carbon_kg", GS_F64, "kg", "CO2 of that energy with PUE, NaN = not known", NULL, NULL},
    };
    /* clang-format on */
    void *buf = gs_zalloc(b->nlines, 8);
    enum gs_rc rc = GS_OK;
    for (size_t c = 0; c < sizeof wholes / sizeof *wholes && !rc; c++) {
        for (uint32_t i = 0; i < b->nlines; i++) {
            const int64_t x = whole(b, i, (int)c);
            if (wholes[c].type == GS_I64 || wholes[c].type == GS_U64)
                ((int64_t *)buf)[i] = x;
            else
                ((int32_t *)buf)[i] = (int32_t)x;
        }
        rc = gs_h5_column(f, "/bill", &wholes[c], buf, b->nlines, err);
    }
    for (size_t c = 0; c < sizeof reals / sizeof *reals && !rc; c++) {
        for (uint32_t i = 0; i < b->nlines; i++)
            ((double *)buf)[i] = real(b, i, (int)c);
        rc = gs_h5_column(f, "/bill", &reals[c], buf, b->nlines, err);
    }
    gs_free(buf);
    return rc;
}

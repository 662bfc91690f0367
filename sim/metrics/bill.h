/* bill.h - the bill of a run: what each queue and user held, used, lost, and its part of what nobody held; in whole nano-USD.
 *
 * A line is a (queue, user) that has jobs; one line more, without a queue, takes what no rule gives to anybody. The cost of capacity is
 * price x time of all nodes while they are there; a line's part of it is what the meter charged its jobs (meter.h), divided by how
 * their time went: used (computing), waiting (communication, input, throttled, idle held), overhead (start-up, checkpoints, gang wait, work
 * that was lost). Idle capacity is added by a rule; energy, where it has a price, likewise.
 *
 * Rounding: the cost of capacity, and of energy, is rounded half up once; every cell of the bill is rounded down, and the nano-USD that
 * are over go one each to the cells with the largest remainders, the earlier line first. So cells sum to lines, lines to the total, to
 * the last unit. The bill is of the whole run, warm-up included. O(jobs + lines log lines). */
#ifndef GS_METRICS_BILL_H
#define GS_METRICS_BILL_H

#include "sim/metrics/meter.h"
#include "sim/metrics/metrics.h"

#include <stdint.h>

enum gs_idle_to { /* who pays for capacity that nobody holds */
    GS_IDLE_NONE,
    GS_IDLE_QUOTA, /* queues, by their quota; within a queue by use */
    GS_IDLE_USE,   /* by what was held, in money */
    GS_IDLE_PEAK   /* by the most GPUs held at one time */
};

enum gs_market {
    GS_MARKET_FIXED,
    GS_MARKET_ON_DEMAND,
    GS_MARKET_SPOT,
    GS_MARKET_RESERVED
};

struct gs_tariff {
    enum gs_idle_to idle_to;
    int64_t energy_price; /* nano-USD a kWh, 0 = in the price of capacity */
    int64_t pue_milli;    /* >= 1000 */
    double carbon_g;      /* a kWh, NaN = not known */
    int priced, powered;  /* some node has a price; a power */
};

enum gs_bill_cell {
    GS_BILL_USED,
    GS_BILL_WAITING,
    GS_BILL_OVERHEAD,
    GS_BILL_IDLE,
    GS_BILL_ENERGY,
    GS_BILL_IDLE_ENERGY,
    GS_BILL_CELLS
};

struct gs_bill_line {
    uint32_t queue, user; /* GS_NONE = nobody */
    uint64_t jobs;
    int64_t held_milli, peak_milli;
    gs_i128 gpu_milli_ns, energy; /* held; mW x ns / 1000, its part of idle included */
    gs_i128 exact[GS_BILL_CELLS]; /* before rounding: nano-USD/h x ns / 1000, or mW x ns / 1000 */
    int64_t nano[GS_BILL_CELLS];
};

struct gs_bill {
    struct gs_meter *meter;
    struct gs_tariff tariff;
    uint32_t *line_of; /* [jobs] */
    struct gs_bill_line *line;
    uint32_t nlines;
    int64_t total;        /* nano-USD; after gs_bill_close */
    gs_i128 energy;       /* of all units, mW x ns */
    gs_i128 held, useful; /* GPU time, milli x ns */
    int64_t end_ns;
};

/* Lines for the workload, which is sealed; the bill owns the meter. */
struct gs_bill *gs_bill_new(const struct gs_workload *w, struct gs_meter *meter,
                            const struct gs_tariff *t);
void gs_bill_free(struct gs_bill *b);
/* The job holds so much more (or less), milli: for peaks. */
void gs_bill_hold(struct gs_bill *b, uint32_t job, int64_t milli);
/* Once, when everything is known. */
void gs_bill_close(struct gs_bill *b, const struct gs_metrics *m, int64_t end_ns);
int64_t gs_bill_line_total(const struct gs_bill_line *l);
/* The cost of a job's capacity, and its energy, as they stand. */
double gs_bill_job_usd(const struct gs_bill *b, uint32_t job);
double gs_bill_job_joule(const struct gs_bill *b, uint32_t job);
/* /bill */
GS_NODISCARD enum gs_rc gs_bill_write(const struct gs_bill *b, struct gs_h5 *f, struct gs_err *err);

/* Rounds cells so that they sum to round-half-up(sum of x / per): floors, then largest remainders, earlier cells first. Returns the sum. */
int64_t gs_bill_round(const gs_i128 *x, size_t n, gs_i128 per, int64_t *out);

#endif

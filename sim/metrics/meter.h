/* meter.h - who is behind the money and the energy: exact integrals of price and power, divided among those that hold.
 *
 * A unit is what is priced and powered: a GPU, or a node without any. It has a rate (nano-USD an hour) and a base power (what it draws
 * whoever is on it); claims stand on it with a weight (thousandths of it), and draw power of their own. While nothing changes, each claim is
 * charged its weight of rate and base power and all of its own; what no claim holds is idle. Where weights sum to more than the unit
 * (shares priced by the larger of two resources, over-subscription), each claim pays its part of the sum, and nothing is idle.
 *
 * Invariant: charged to jobs + idle = sum over units of rate x time, exactly, in units of nano-USD/h x ns / 1000, and the same of energy in
 * mW x ns / 1000. Rounding happens once, in the bill. A change costs O(claims on its unit); nothing allocates once the pool has grown. */
#ifndef GS_METRICS_METER_H
#define GS_METRICS_METER_H

#include "sim/base/exact.h"
#include "sim/base/visit.h"

#include <stdint.h>

#define GS_METER_RATE_MAX \
    INT64_C(10000000000000000) /* of all units together, nano-USD/h: sums then fit for 292 years */

struct gs_charge {
    gs_i128 money, energy; /* nano-USD/h x ns / 1000; mW x ns / 1000 */
};

struct gs_meter;

struct gs_meter *gs_meter_new(uint32_t units, uint32_t jobs);
void gs_meter_free(struct gs_meter *m);
void gs_meter_unit(struct gs_meter *m, int64_t now_ns, uint32_t unit, int64_t rate,
                   int64_t base_mw);
uint32_t gs_meter_join(struct gs_meter *m, int64_t now_ns, uint32_t unit, uint32_t job,
                       uint32_t weight_milli); /* the claim */
void gs_meter_draw(struct gs_meter *m, int64_t now_ns, uint32_t claim, int64_t mw);
void gs_meter_leave(struct gs_meter *m, int64_t now_ns, uint32_t claim);
void gs_meter_end(struct gs_meter *m, int64_t now_ns); /* brings all sums up to now */

struct gs_charge gs_meter_job(const struct gs_meter *m, uint32_t job);
struct gs_charge gs_meter_idle(const struct gs_meter *m);
struct gs_charge gs_meter_total(const struct gs_meter *m); /* of all units; after gs_meter_end */
gs_i128 gs_meter_unit_energy(const struct gs_meter *m, uint32_t unit,
                             int64_t now_ns);     /* mW x ns, exact */
int64_t gs_meter_power(const struct gs_meter *m); /* of all, now, mW */
int64_t gs_meter_peak(const struct gs_meter *m);  /* largest that lasted for any time */
int64_t gs_meter_rate(const struct gs_meter *m);  /* of all, now, nano-USD/h */
void gs_meter_visit(struct gs_meter *m, struct gs_visitor *v);

#endif

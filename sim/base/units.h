/* units.h - quantities as people write them, and back. Everything with a dimension is refused without its unit.
 *
 * Accepted spellings are those of the scenario reference: time `90s 15m 2h 30d 1w 250ms 2d 03:15 2-03:15:00`, rate `40/h`,
 * memory `80GiB 512MiB`, share `0.25 250m`, ratio `80% 0.8`, money `2.10USD/h`, power `700W`, bandwidth `400Gb/s 900GB/s`,
 * wall clock `2026-01-05T00:00:00Z` or with `+08:00`. Integers may carry no unit. All arithmetic is checked. */
#ifndef GS_BASE_UNITS_H
#define GS_BASE_UNITS_H

#include "sim/base/err.h"

#include <stddef.h>
#include <stdint.h>

/* Each returns GS_OK and sets *out, or GS_E_INPUT with "'x' is not a time (write 90s, 15m, 2h, 30d)". */
GS_NODISCARD enum gs_rc gs_parse_int(const char *s, int64_t min, int64_t max, int64_t *out,
                                     struct gs_err *err);
GS_NODISCARD enum gs_rc gs_parse_real(const char *s, double *out, struct gs_err *err); /* finite */
GS_NODISCARD enum gs_rc gs_parse_time(const char *s, int64_t *out_ns,
                                      struct gs_err *err); /* >= 0 */
GS_NODISCARD enum gs_rc gs_parse_rate(const char *s, double *out_per_s, struct gs_err *err);
GS_NODISCARD enum gs_rc gs_parse_memory(const char *s, int64_t *out_mib, struct gs_err *err);
GS_NODISCARD enum gs_rc gs_parse_share(const char *s, uint32_t *out_milli,
                                       struct gs_err *err); /* 1..1000 */
GS_NODISCARD enum gs_rc gs_parse_ratio(const char *s, double *out, struct gs_err *err);
GS_NODISCARD enum gs_rc gs_parse_money(const char *s, double *out_usd_per_h, struct gs_err *err);
GS_NODISCARD enum gs_rc gs_parse_power(const char *s, double *out_w,
                                       struct gs_err *err); /* W kW MW */
GS_NODISCARD enum gs_rc gs_parse_bandwidth(const char *s, double *out_bytes_per_s,
                                           struct gs_err *err);
GS_NODISCARD enum gs_rc gs_parse_bool(const char *s, int *out,
                                      struct gs_err *err); /* yes no true false on off 1 0 */
/* Civil time to ns since 1970 UTC; a zone (Z, +hh:mm) is required unless default_offset_s is not GS_NO_ZONE. Accepts
 * 'T' or blank between date and time, and 0..9 fraction digits. */
#define GS_NO_ZONE INT32_MIN
GS_NODISCARD enum gs_rc gs_parse_clock(const char *s, int32_t default_offset_s, int64_t *out_ns,
                                       struct gs_err *err);

/* The same, but the wall clock as it stands and what is said about its zone apart: *offset_s = GS_NO_ZONE if nothing is. */
GS_NODISCARD enum gs_rc gs_parse_local_clock(const char *s, int64_t *out_local_ns,
                                             int32_t *offset_s, struct gs_err *err);
/* Days since 1970-01-01 of a date of the Gregorian calendar, from year 1 on, and back. */
int64_t gs_days_from_date(int64_t y, int64_t m, int64_t d);
void gs_date_from_days(int64_t days, int64_t *y, int64_t *m, int64_t *d);

/* Strict decimal seconds ("5683.069696", up to 9 significant fraction digits, more are rounded half even) to ns, exactly. */
GS_NODISCARD enum gs_rc gs_parse_seconds(const char *s, int64_t *out_ns,
                                         struct gs_err *err); /* may be negative */

/* For people: "2.5 h", "17 s", "3 d 4 h"; bytes "1.5 GiB"; counts "12,345". Return buf. */
const char *gs_show_time(double seconds, char *buf, size_t cap);
const char *gs_show_count(int64_t n, char *buf, size_t cap);
const char *gs_show_bytes(double bytes, char *buf, size_t cap);
const char *gs_show_clock(int64_t unix_ns, int32_t offset_s, char *buf,
                          size_t cap); /* ISO 8601 with offset */

/* The nearest of n words to s by edit distance, or NULL if none is near (for "did you mean"). */
const char *gs_nearest(const char *s, const char *const *words, size_t n);

#endif

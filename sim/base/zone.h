/* zone.h - time zones: local wall clock to the second's offset from UTC, by rules that are compiled in.
 *
 * A zone is `UTC`, a fixed offset (`+08:00`), a name of the table in zone.c (`America/Los_Angeles`) or a POSIX rule (`PST8PDT,M3.2.0,M11.1.0`). The
 * system's zone files are never read: two machines would give two results. Each named zone says since which year its rule
 * holds; earlier times are placed by the same rule, and the caller counts them as assumed (gs_zone_rule_from).
 * Invariant: gs_zone_local and gs_zone_unix are inverse to each other but for missing and ambiguous local times. */
#ifndef GS_BASE_ZONE_H
#define GS_BASE_ZONE_H

#include "sim/base/err.h"

#include <stdint.h>

struct
    gs_zone_change { /* "Mm.w.d/time": day d (0 = Sunday) of week w (5 = the last) of month m, at local second */
    int8_t month, week, day;
    int32_t at_s;
};

struct gs_zone {
    char name[48];        /* as written */
    int32_t std_s, dst_s; /* offsets from UTC; equal = no daylight time */
    struct gs_zone_change to_dst, to_std;
    int16_t since_year; /* the rule holds from then on; 0 = always */
};

enum gs_ambiguous {
    GS_AMBIGUOUS_EARLIER, /* the first of the two instants; a missing time is read with the offset before the jump */
    GS_AMBIGUOUS_LATER,
    GS_AMBIGUOUS_ERROR
};

enum gs_local_kind {
    GS_LOCAL_PLAIN,
    GS_LOCAL_AMBIGUOUS, /* happens twice */
    GS_LOCAL_MISSING    /* happens never */
};

GS_NODISCARD enum gs_rc gs_zone_parse(const char *text, struct gs_zone *out, struct gs_err *err);
struct gs_zone gs_zone_fixed(int32_t offset_s);
/* Instant of a local wall clock (ns since 1970 as if UTC). *kind says whether it was plain. With GS_AMBIGUOUS_ERROR the instant is that of
 * EARLIER, and refusing it is the caller's. */
int64_t gs_zone_unix(const struct gs_zone *z, int64_t local_ns, enum gs_ambiguous how,
                     enum gs_local_kind *kind);

/* The same for many times that lie near each other: *near is a stretch of plain local time found before; starts zeroed. */
struct gs_zone_stretch {
    int64_t from_ns, to_ns; /* local; empty = none known */
    int32_t offset_s;
};

int64_t gs_zone_unix_near(const struct gs_zone *z, struct gs_zone_stretch *near, int64_t local_ns,
                          enum gs_ambiguous how, enum gs_local_kind *kind);
int32_t gs_zone_offset(const struct gs_zone *z, int64_t unix_ns); /* seconds east of UTC then */
int64_t gs_zone_local(const struct gs_zone *z, int64_t unix_ns);
int64_t gs_zone_rule_from(
    const struct gs_zone *z);    /* instant from which the rule is right; INT64_MIN = always */
const char *gs_zone_names(void); /* "UTC, America/Los_Angeles, ..." for help and errors */

#endif

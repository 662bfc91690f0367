/* profile.h - how much is free from when: a step function of time, for planning.
 *
 * The profile is a list of breakpoints in ascending time; from point i to the next one, free[i] (a vector of nres amounts)
 * is free, from the last one on for ever. Planning a job takes amounts from a stretch of it; finding a place for one is the search for the earliest
 * stretch in which enough is free throughout. Amounts may be negative where more was promised than there is.
 *
 * Memory is the caller's (gspl_profile_bytes); each take or give adds at most two breakpoints, append one. take, give and earliest are O(points).
 * An operation for which the memory does not suffice changes nothing and answers 0. */
#ifndef GSP_LIB_PROFILE_H
#define GSP_LIB_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#define GSPL_NEVER INT64_MAX

struct gspl_profile {
    uint32_t nres, n, cap;
    int64_t *at;   /* [n] */
    int64_t *free; /* [n][nres] */
};

size_t gspl_profile_bytes(uint32_t points, uint32_t nres);
/* One point: `amount` is free from t on. cap >= 1. */
void gspl_profile_init(struct gspl_profile *p, void *memory, uint32_t cap, uint32_t nres, int64_t t,
                       const int64_t *amount);
/* From t on, `amount` more is free. t must not lie before the last point: O(nres), for building in time order. */
int gspl_profile_append(struct gspl_profile *p, int64_t t, const int64_t *amount);
/* Takes the amount in [from, to); to = GSPL_NEVER: for ever. from must not lie before the first point. */
int gspl_profile_take(struct gspl_profile *p, int64_t from, int64_t to, const int64_t *amount);
int gspl_profile_give(struct gspl_profile *p, int64_t from, int64_t to, const int64_t *amount);
/* Is the amount free throughout [from, to)? */
int gspl_profile_fits(const struct gspl_profile *p, int64_t from, int64_t to,
                      const int64_t *amount);
/* The earliest t >= from such that the amount is free in [t, t + length); GSPL_NEVER if there is none. length >= 0; of a stretch of
 * length 0, its instant must have room. */
int64_t gspl_profile_earliest(const struct gspl_profile *p, int64_t from, int64_t length,
                              const int64_t *amount);

#endif

/* attr.h - compiler attributes and the three tiers of assertion.
 *
 * gs_assert   our own faults on the hot path; costs nothing in release (NDEBUG)
 * gs_require  preconditions of a public function; checked in every build
 * gs_verify   anything that would corrupt results if false; checked in every build
 * None of them is for input: bad input is an enum gs_rc (err.h). */
#ifndef GS_BASE_ATTR_H
#define GS_BASE_ATTR_H

#include <stdint.h>

#if defined(__GNUC__)
#define GS_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define GS_NODISCARD          __attribute__((warn_unused_result))
#define GS_NORETURN           __attribute__((noreturn))
#define GS_LIKELY(x)          __builtin_expect(!!(x), 1)
#define GS_UNLIKELY(x)        __builtin_expect(!!(x), 0)
#define GS_PREFETCH(p)        __builtin_prefetch(p)
#else
#define GS_PRINTF(fmt, first)
#define GS_NODISCARD
#define GS_NORETURN
#define GS_LIKELY(x)   (x)
#define GS_UNLIKELY(x) (x)
#define GS_PREFETCH(p) ((void)0)
#endif

#define GS_NONE   UINT32_MAX          /* "no such id" in every u32 id column */
#define GS_NEVER  INT64_MAX           /* "no such time" in every _ns column */
#define GS_SECOND INT64_C(1000000000) /* nanoseconds */

/* Prints where and what, then aborts. The file of a run is still its .part: nobody reads half of it. */
GS_NORETURN void gs_panic(const char *file, int line, const char *tier, const char *what);

#define GS_CHECK_(tier, x) ((x) ? (void)0 : gs_panic(__FILE__, __LINE__, tier, #x))
#define gs_require(x)      GS_CHECK_("require", x)
#define gs_verify(x)       GS_CHECK_("verify", x)
#ifdef NDEBUG
#define gs_assert(x) ((void)sizeof(!!(x)))
#else
#define gs_assert(x) GS_CHECK_("assert", x)
#endif

#endif

/* err.h - how errors travel: a negative return code, and a message that gains context on its way up.
 *
 * A function that can fail for a reason that its caller can do something about returns enum gs_rc and takes a
 * struct gs_err * (may be NULL) as its last parameter. Messages are lower case, without a full stop, and
 * say what was expected, what was found and where (file:line for input). */
#ifndef GS_BASE_ERR_H
#define GS_BASE_ERR_H

#include "sim/base/attr.h"

#include <stddef.h>

enum gs_rc {
    GS_OK = 0,
    GS_E_FAILED = -1, /* an expectation, comparison or reproduction failed  -> exit 1 */
    GS_E_INPUT = -2,  /* bad input or usage                                 -> exit 2 */
    GS_E_MODULE = -3, /* a policy module faulted                            -> exit 3 */
    GS_E_IO = -4,     /* reading or writing failed (disk full, permission)  -> exit 4 */
    GS_E_INT = -130,  /* stopped by SIGINT                                  -> exit 130 */
    GS_E_TERM = -143  /* stopped by SIGTERM                                 -> exit 143 */
};

struct gs_err {
    enum gs_rc rc;
    char msg[1024]; /* always terminated; cut with "..." when too long */
};

/* Sets *err (if not NULL) and returns rc, so that `return gs_fail(err, GS_E_INPUT, ...)` reads well. */
enum gs_rc gs_fail(struct gs_err *err, enum gs_rc rc, const char *fmt, ...) GS_PRINTF(3, 4);

/* Puts "context: " before the message already in *err; returns err->rc (GS_E_FAILED if err is NULL). */
enum gs_rc gs_wrap(struct gs_err *err, const char *fmt, ...) GS_PRINTF(2, 3);

/* The process exit status for rc. */
int gs_exit_status(enum gs_rc rc);

/* snprintf that gs_require()s a sane buffer and returns whether everything fitted. */
int gs_fmt(char *buf, size_t cap, const char *fmt, ...) GS_PRINTF(3, 4);

#endif

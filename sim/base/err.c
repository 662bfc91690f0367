/* err.c - building messages from the inside out.
 *
 * The innermost function knows what was wrong, its callers know where: gs_fail writes the cause,
 * each gs_wrap puts its context in front. A message that does not fit is cut at the end with "...",
 * so the outermost context, which tells the reader where to look, always survives. */
#include "sim/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/banned.h"

/* Marks text that vsnprintf cut short. */
static void mark_cut(char *buf, size_t cap, int wanted)
{
    if (wanted >= 0 && (size_t)wanted >= cap && cap > 4)
        memcpy(buf + cap - 4, "...", 4);
}

enum gs_rc gs_fail(struct gs_err *err, enum gs_rc rc, const char *fmt, ...)
{
    if (!err)
        return rc;
    err->rc = rc;
    va_list ap;
    va_start(ap, fmt);
    mark_cut(err->msg, sizeof err->msg, vsnprintf(err->msg, sizeof err->msg, fmt, ap));
    va_end(ap);
    return rc;
}

enum gs_rc gs_wrap(struct gs_err *err, const char *fmt, ...)
{
    if (!err)
        return GS_E_FAILED;
    char context[sizeof err->msg];
    va_list ap;
    va_start(ap, fmt);
    mark_cut(context, sizeof context, vsnprintf(context, sizeof context, fmt, ap));
    va_end(ap);

    char cause[sizeof err->msg];
    memcpy(cause, err->msg, sizeof cause);
    cause[sizeof cause - 1] = '\0';
    mark_cut(err->msg, sizeof err->msg,
             snprintf(err->msg, sizeof err->msg, "%s: %s", context, cause));
    return err->rc;
}

int gs_exit_status(enum gs_rc rc)
{
    return -(int)rc;
}

int gs_fmt(char *buf, size_t cap, const char *fmt, ...)
{
    gs_require(buf && cap > 0);
    va_list ap;
    va_start(ap, fmt);
    const int wanted = vsnprintf(buf, cap, fmt, ap);
    va_end(ap);
    if (wanted < 0)
        buf[0] = '\0';
    return wanted >= 0 && (size_t)wanted < cap;
}

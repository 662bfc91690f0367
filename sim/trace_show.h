/* trace_show.h - what `gsim trace info` found, for people and for programs. */
#ifndef GS_SIM_TRACE_SHOW_H
#define GS_SIM_TRACE_SHOW_H

#include "sim/base/buf.h"
#include "traces/trace.h"

#include <jansson.h>

struct gs_trace_shown {
    const struct gs_trace_summary *s;
    const char *path;
    int guessed; /* the format */
};

/* One screen: what it is, spreads, arrivals, what was assumed; then the control figures, a line each. */
void gs_trace_show_text(const struct gs_trace_shown *t, struct gs_buf *out);
/* The control figures as strings, and all else under "trace". The caller's reference. */
json_t *gs_trace_show_json(const struct gs_trace_shown *t);

#endif

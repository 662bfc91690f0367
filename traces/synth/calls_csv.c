/* calls_csv.c - made calls as gsim's own CSV of calls, through the very target that conversions use. */
#include "traces/synth/calls.h"
#include "traces/write.h"

#include "sim/base/banned.h"

void gs_calls_write_csv(const struct gs_calls *c, struct gs_buf *out)
{
    struct gs_survey seen = {.unix_ns = GS_NEVER}; /* times as they are, from zero */
    struct gs_writing w = {.str = c->str, .seen = &seen, .out = *out};
    for (size_t i = 0; i < c->v.n; i++)
        seen.call_columns |= gs_call_columns(&c->v.v[i]);
    gs_target_gsim_calls.begin(&w);
    for (size_t i = 0; i < c->v.n; i++)
        (void)gs_target_gsim_calls.call(&w, &c->v.v[i], c->blocks.v + c->first.v[i]);
    *out = w.out;
}

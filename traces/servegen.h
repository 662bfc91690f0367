/* servegen.h - lengths of a ServeGen client's requests, from the chunk-N-dataset.json beside its chunk-N-trace.csv.
 *
 * The data set tells one distribution a field and window, nothing of how fields go together: they are drawn independently. */
#ifndef GS_TRACES_SERVEGEN_H
#define GS_TRACES_SERVEGEN_H

#include "sim/base/buf.h"
#include "sim/base/rng.h"
#include "traces/reader.h"

#include <stdint.h>

struct gs_servegen_lengths;

/* Of the trace file at `path` (NULL = it is no file). *out is NULL and *why says where was looked if there is no such file, or no
 * window of it holds lengths; a damaged one is an error. Released by gs_servegen_lengths_free, which takes NULL. */
GS_NODISCARD enum gs_rc gs_servegen_lengths_load(struct gs_servegen_lengths **out, const char *path,
                                                 struct gs_trace_counts *n, struct gs_buf *why,
                                                 struct gs_err *err);
void gs_servegen_lengths_free(struct gs_servegen_lengths *l);

/* Input and output of request number `no` of the stream, which arrives at at_ns: a pure function of both. */
void gs_servegen_lengths_draw(struct gs_servegen_lengths *l, struct gs_stream *s, uint64_t no,
                              int64_t at_ns, struct gs_call *c);
/* What the draws assumed. */
void gs_servegen_lengths_count(const struct gs_servegen_lengths *l, struct gs_trace_counts *n);

#endif

/* shape_parts.h - what the files of shape.h share: the picks that a source is rebuilt from, its offered load, the words of `said`.
 *
 * While shaping, think_ns of a job without a predecessor holds its recorded response time (submission to end), so that feedback
 * can be taken from what was recorded although the run times have been changed by then. gs_shape_apply clears it. */
#ifndef GS_TRACES_SHAPE_PARTS_H
#define GS_TRACES_SHAPE_PARTS_H

#include "sim/base/buf.h"
#include "sim/base/exact.h"
#include "traces/shape.h"

struct gs_shaping {
    struct gs_workload *w;
    size_t first; /* jobs first .. w->jobs.n are the source's */
    const struct gs_shape_options *o;
    const struct gs_shape_site *site;
    uint64_t seed;
    struct gs_shape_report *out;
    struct gs_buf said;
};

/* One job of the new list: job `from` (counted from `first`) of the old one, moved by shift. Picks of one copy stand together; a
 * predecessor is looked for among the picks of the same copy. */
struct gs_pick {
    uint32_t from, copy;
    int64_t shift_ns;
};

/* Rebuilds the source from the picks. Returns how many jobs lost their predecessor: they are then submitted at their own time. */
uint64_t gs_shape_take(struct gs_shaping *s, const struct gs_pick *pick, size_t n);

struct gs_shape_span {
    int64_t first_ns, last_ns; /* submissions */
};
struct gs_shape_span gs_shape_span_of(const struct gs_shaping *s);

/* Milli x ns that a job asks for until it ends, an endless one until last_ns; 0 if it is larger than the capacity. */
gs_i128 gs_shape_demand(const struct gs_shaping *s, const struct gs_job *j, int64_t last_ns);
/* Demand over capacity between first and last submission: what load.offered shows of this trace alone. 0 where there is no span. */
double gs_shape_load(const struct gs_shaping *s);
/* Multiplies the work of a job and its attempts; an estimate keeps its proportion if asked. At least 1 ns is left of what was more. */
void gs_shape_scale_work(struct gs_shaping *s, struct gs_job *j, double by, int estimates);

/* shape_speed.c */
GS_NODISCARD enum gs_rc gs_shape_normalise(struct gs_shaping *s, struct gs_err *err);
/* shape_resample.c */
GS_NODISCARD enum gs_rc gs_shape_resample(struct gs_shaping *s, struct gs_err *err);
/* shape_load.c */
GS_NODISCARD enum gs_rc gs_shape_set_load(struct gs_shaping *s, struct gs_err *err);
/* shape_feedback.c */
void gs_shape_note_responses(struct gs_shaping *s); /* before run times change */
GS_NODISCARD enum gs_rc gs_shape_feedback(struct gs_shaping *s, struct gs_err *err);

#endif

/* lognormals.h - a mixture of lognormals fitted to a weighted sample of positive values. */
#ifndef GS_TRACES_FIT_LOGNORMALS_H
#define GS_TRACES_FIT_LOGNORMALS_H

#include "sim/base/buf.h"
#include "traces/fit/sample.h"

enum {
    GS_LOGNORMALS_MOST = 3
};

struct gs_lognormals {
    size_t n; /* parts */
    double weight[GS_LOGNORMALS_MOST], median[GS_LOGNORMALS_MOST], sigma[GS_LOGNORMALS_MOST];
    double most;     /* values are clipped here: the sample's largest */
    double distance; /* Kolmogorov's, from the sample */
};

/* The mean of the clipped mixture is s->mean, as near as the sample's shape allows: a caller may set another than the sample's own.
 * With at most `parts` parts (1 to 3): fewer where the sample is small or of few values. Needs a sample with one value above 0;
 * values below `least` count as `least` (the clock's resolution). Deterministic. */
struct gs_lognormals gs_lognormals_fit(const struct gs_sample *s, size_t parts, double least);
/* As a distribution of time: "mixture 0.6 (lognormal median=62s sigma=0.3) ... clip=..7d". */
void gs_lognormals_write(const struct gs_lognormals *m, struct gs_buf *out);

#endif

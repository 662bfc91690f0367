/* outlinks.h - the table /links of a results file. */
#ifndef GS_OUTLINKS_H
#define GS_OUTLINKS_H

#include "sim/run.h"

/* Nothing is written where there are no links. */
GS_NODISCARD enum gs_rc gs_outfile_links(struct gs_run *r, struct gs_err *err);

#endif

/* outlinks.h - the table /links of a results file. */
#ifndef GS_OUTLINKS_H
#define GS_OUTLINKS_H

#include "sim/run.h"

/* Nothing is written where there are no links. */
GS_NODISCARD enum gs_rc gs_outfile_links(struct gs_run *r, struct gs_err *err);
/* [output] per_link: /series/links, a row a sample and link that carries something, so that it follows the traffic and not the size of
 * the network. A sample is O(links); it does nothing where the table is not open. */
GS_NODISCARD enum gs_rc gs_outfile_link_series(struct gs_run *r, struct gs_err *err);
void gs_outfile_link_sample(struct gs_run *r);

#endif

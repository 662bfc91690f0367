/* checkpoint.h - what life.c asks of checkpoints. */
#ifndef GS_EFFECTS_CHECKPOINT_H
#define GS_EFFECTS_CHECKPOINT_H

#include "sim/run.h"

/* Where the running job would go on if it were stopped now: the work left at its last checkpoint, and what the attempt had been busy (gs_pace_busy) by then. Leaves both alone where the
 * job has none in this attempt and none from before. */
void gs_checkpoint_safe(struct gs_run *r, uint32_t slot, int64_t *left_ns, int64_t *busy_ns);

#endif

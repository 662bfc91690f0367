/* hold.h - the hold model: the event queue against a textbook binary heap, in one program. */
#ifndef GS_BENCH_HOLD_H
#define GS_BENCH_HOLD_H

/* Prints one line per number of live events; returns 0, or 1 if the two did not pop the same
 * sequence. */
int bench_hold(void);

#endif

/* pace.h - into which parts the time of a running job falls.
 *
 * The work of a job is counted in ns of run time on its reference placement. Its pace is the time that each part takes a unit
 * of work, Q30 (GS_ONE = one ns a ns of work); the sum is its dilation. Of a job that does not get on, the same struct
 * says how its time is divided, and sums to GS_ONE. */
#ifndef GS_WORKLOAD_PACE_H
#define GS_WORKLOAD_PACE_H

#include <stdint.h>

#define GS_ONE (INT64_C(1) << 30)

/* X(enum, column and metric, definition) */
#define GS_PARTS(X)                                                                                \
    X(COMPUTE, compute, "the devices compute")                                                     \
    X(COMMUNICATION, communication, "they exchange data, and computing does not hide it")          \
    X(INPUT, input_wait, "they wait for data or for its preprocessing")                            \
    X(CHECKPOINT, checkpoint, "a checkpoint is written")                                           \
    X(STARTUP, startup, "images, weights, instances and restarts")                                 \
    X(GANG_WAIT, gang_wait, "ready, while other tasks of the gang are not")                        \
    X(THROTTLED, throttled, "what computing takes longer under a power cap or beside a neighbour") \
    X(IDLE, idle, "held by a job that does nothing with them")

enum gs_part {
#define X(U, l, d) GS_TIME_##U,
    GS_PARTS(X)
#undef X
    GS_TIME_COUNT
};

struct gs_pace {
    int64_t q[GS_TIME_COUNT];
};

static inline int64_t gs_pace_sum(const struct gs_pace *p)
{
    int64_t sum = 0;
    for (int i = 0; i < GS_TIME_COUNT; i++)
        sum += p->q[i];
    return sum;
}

#endif

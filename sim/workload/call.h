/* call.h - inference requests and agent steps as traces record them: one record a call.
 *
 * Not scheduled by themselves: a service answers them (its own room), or a trace is replayed as jobs when the scenario states
 * token rates. Recorded latencies are carried for comparison and are never taken for a model's output.
 * Invariant: a session's calls stand in the order of their steps. */
#ifndef GS_WORKLOAD_CALL_H
#define GS_WORKLOAD_CALL_H

#include <stdint.h>

#define GS_CALL_KINDS(X) \
    X(LLM, llm)          \
    X(TOOL, tool)        \
    X(IMAGE, image)

enum gs_call_kind {
#define X(U, l) GS_CALL_##U,
    GS_CALL_KINDS(X)
#undef X
    GS_CALL_KIND_COUNT
};

#define GS_CALL_OUTCOMES(X) \
    X(UNKNOWN, unknown)     \
    X(OK, ok)               \
    X(FAILED, failed)       \
    X(OPEN, open) /* not finished when the trace was cut */

enum gs_call_outcome {
#define X(U, l) GS_CALL_##U,
    GS_CALL_OUTCOMES(X)
#undef X
    GS_CALL_OUTCOME_COUNT
};

struct gs_call {
    uint32_t name;    /* string id; 0 = none */
    uint32_t session; /* string id; 0 = a session of its own */
    uint32_t parent;  /* string id of the call before it in its conversation; 0 = root */
    uint32_t service; /* string id: model, application or client; 0 = not told */
    uint8_t kind, outcome;
    uint8_t unit;          /* of input and output: 0 tokens, 1 characters */
    int64_t arrival_ns;    /* in the file's own clock */
    int64_t input, output; /* -1 = not recorded */
    int64_t
        cached; /* part of input that is known to be repeated from the step before; -1 = not recorded */
    int64_t took_ns;       /* recorded: a tool's run time, a request's latency; -1 = not recorded */
    int64_t row;           /* line in the file */
    uint32_t nblocks;      /* prefix blocks, given beside the record */
    uint32_t block_tokens; /* tokens a block; 0 = no blocks */
};

#endif

/* calls.h - synthetic inference requests and agent steps: the calls of [service] and [agents] sections.
 *
 * A section makes sessions: conversations of several turns, or programs of agents. Session i draws everything from streams keyed
 * by (purpose, section, i), so another section, a longer run or another key moves nothing of it. No latency of a model is invented:
 * without `answer` a call takes no time in the trace and its `took` is empty. */
#ifndef GS_TRACES_SYNTH_CALLS_H
#define GS_TRACES_SYNTH_CALLS_H

#include "sim/base/buf.h"
#include "sim/base/err.h"
#include "sim/base/intern.h"
#include "sim/base/vec.h"
#include "sim/workload/call.h"

#include <stdint.h>

enum gs_program {
    GS_PROGRAM_CHAT, /* [service]: the user speaks, `think` after each answer; the whole conversation is sent again each time */
    GS_PROGRAM_LOOP, /* a model and its tools by turns, the context growing by each answer and each tool's result */
    GS_PROGRAM_CHAIN, /* stages, each with a prompt of its own and the answer of the one before */
    GS_PROGRAM_FANOUT /* a planner, `width` workers at the same time, and a call that joins their answers */
};

struct gs_synth_calls {
    const char *kind, *name; /* of the section, for errors and as the calls' service */
    const char *dir;
    int program;            /* enum gs_program */
    const char *arrivals;   /* of sessions; NULL = all at `from` */
    int64_t count;          /* sessions; -1 = until `to` */
    int64_t from_ns, to_ns; /* no session starts at or after `to`; its calls may be later */
    uint32_t clients;       /* as for jobs; a client is the service */
    double clients_s;
    const char *prompt, *output; /* tokens of a turn; distributions */
    const char *prefix;          /* tokens that all sessions of a client begin with; NULL = 0 */
    const char *steps;           /* turns, steps or stages of a session; NULL = 1 */
    const char *think;           /* chat: time from an answer to the next turn; NULL = 0 */
    const char *answer; /* time that a model's answer takes, as recorded; NULL = not recorded */
    const char *tool, *result; /* loop: time of a tool, tokens that it adds; NULL = no tools */
    const char *width;         /* fan-out: workers; NULL = 4 */
    int64_t context_max;   /* tokens: longer inputs are cut to the latest so many; 0 = no bound */
    uint32_t block_tokens; /* prefix blocks of so many tokens; 0 = none are written */
    int64_t start_unix_ns;
    int32_t zone_offset_s;
};

struct gs_calls {
    struct gs_intern *str; /* not owned */
    GS_VEC(struct gs_call) v;
    GS_VEC(uint64_t) blocks;
    GS_VEC(size_t) first; /* v[i]'s blocks begin at blocks.v[first.v[i]] */
};

/* Appends the section's calls, by time within a session; seal puts all of them in order of arrival. */
GS_NODISCARD enum gs_rc gs_synth_calls_make(struct gs_calls *out, uint32_t section_no,
                                            uint64_t seed, const struct gs_synth_calls *s,
                                            struct gs_err *err);
void gs_calls_seal(struct gs_calls *c); /* stable; rows are numbered from 1 */
/* As gsim's own CSV (traces/README.md), appended to out. */
void gs_calls_write_csv(const struct gs_calls *c, struct gs_buf *out);
void gs_calls_free(struct gs_calls *c);

#endif

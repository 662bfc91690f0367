/* formats.h - every format, one line each: the C name of its `const struct gs_reader gs_reader_NAME`.
 *
 * Order is the order of guessing: a format that is told by a header stands before one that is told by its looks. */
#ifndef GS_TRACES_FORMATS_H
#define GS_TRACES_FORMATS_H

#include "traces/reader.h"

#define GS_READERS(X)     \
    X(gsim)               \
    X(openb)              \
    X(openb_nodes)        \
    X(philly)             \
    X(philly_util)        \
    X(asi)                \
    X(philly_log)         \
    X(philly_nodes)       \
    X(philly_runtimes)    \
    X(chronus)            \
    X(helios)             \
    X(helios_quota)       \
    X(helios_throughput)  \
    X(helios_sequence)    \
    X(helios_vc)          \
    X(pai_list)           \
    X(pai_batch)          \
    X(dlrm)               \
    X(spot)               \
    X(spot_nodes)         \
    X(acme)               \
    X(acme_summary)       \
    X(tiresias)           \
    X(tiresias_cluster)   \
    X(tiresias_durations) \
    X(muri)               \
    X(elasticflow)        \
    X(sia)                \
    X(sia_profile)        \
    X(batsim)             \
    X(throughputs)        \
    X(gsim_calls)         \
    X(azure_llm)          \
    X(burstgpt)           \
    X(vidur)              \
    X(genai)              \
    X(genai_metric)       \
    X(coding_agent)       \
    X(lmcache_agent)      \
    X(mooncake)           \
    X(qwen)               \
    X(servegen)           \
    X(swf_machines)       \
    X(gavel)              \
    X(pai_table)          \
    X(pai)                \
    X(swf)

#define X(NAME) extern const struct gs_reader gs_reader_##NAME;
GS_READERS(X)
#undef X

#endif

/* gsim_csv.h - the columns of gsim's two CSVs, which reader (gsim.c, gsim_calls.c) and writer (write_gsim.c, write_calls.c) share.
 * traces/README.md says what each holds. */
#ifndef GS_TRACES_GSIM_CSV_H
#define GS_TRACES_GSIM_CSV_H

/* Jobs. The first three are required; those from START on are written only where a job has something to say there. */
#define GS_JOB_COLUMNS(X)               \
    X(SUBMIT, submit)                   \
    X(DURATION, duration)               \
    X(GPUS, gpus)                       \
    X(NAME, name)                       \
    X(QUEUE, queue)                     \
    X(USER, user)                       \
    X(KIND, kind)                       \
    X(PRIORITY, priority)               \
    X(TASKS, tasks)                     \
    X(TASK_GPUS, task_gpus)             \
    X(SHARE, share)                     \
    X(GPU_MEMORY, gpu_memory)           \
    X(CPUS, cpus)                       \
    X(MEMORY, memory)                   \
    X(GPU, gpu)                         \
    X(ESTIMATE, estimate)               \
    X(STATE, state)                     \
    X(PREEMPTIBLE, preemptible)         \
    X(START, start)                     \
    X(ATTEMPTS, attempts)               \
    X(NODES, nodes)                     \
    X(RAN_ON, ran_on)                   \
    X(AFTER, after)                     \
    X(THINK, think)                     \
    X(CHECKPOINTS, checkpoints)         \
    X(ESTIMATE_SOURCE, estimate_source) \
    X(DURATION_SOURCE, duration_source) \
    X(MIG, mig)

enum gs_job_column {
#define X(U, l) GS_COL_##U,
    GS_JOB_COLUMNS(X)
#undef X
    GS_COL_COUNT
};

#define GS_COL_REQUIRED GS_COL_NAME
#define GS_COL_EXTRAS   GS_COL_START

/* Any other column is an attribute of the job. One whose key is also a column's name is written with this in front. */
#define GS_ATTR_PREFIX "attr:"

/* A run time without end. */
#define GS_NEVER_ENDS "never"

/* Calls. The first three are required, the others as above. */
#define GS_CALL_COLUMNS(X)        \
    X(ARRIVAL, arrival)           \
    X(INPUT, input_tokens)        \
    X(OUTPUT, output_tokens)      \
    X(SESSION, session)           \
    X(PARENT, parent)             \
    X(NAME, name)                 \
    X(SERVICE, service)           \
    X(KIND, kind)                 \
    X(OUTCOME, outcome)           \
    X(CACHED, cached_tokens)      \
    X(TOOK, took)                 \
    X(UNIT, unit)                 \
    X(BLOCK_TOKENS, block_tokens) \
    X(BLOCKS, blocks)

enum gs_call_column {
#define X(U, l) GS_CALL_COL_##U,
    GS_CALL_COLUMNS(X)
#undef X
    GS_CALL_COL_COUNT
};

#define GS_CALL_COL_EXTRAS GS_CALL_COL_SESSION
#define GS_BLOCKS_BY       '-' /* between ids */

#endif

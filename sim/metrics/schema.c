/* schema.c - the columns of /jobs, /queues, /users and /typical_tasks: name, type, unit, meaning, and how a row's value is got.
 *
 * One table a group; write.c turns a table into datasets, so a new column is a new line here. Times are seconds as double, made from ns
 * in one place (gs_seconds); what is not known or has not happened is NaN; codes carry their names as flags. */
#include "sim/metrics/internal.h"

#include <math.h>
#include <stddef.h>

#include "sim/base/banned.h"

/* clang-format off */
static const char *const kind_flags[] = {
#define X(U, l) #l,
    GS_JOB_KINDS(X)
#undef X
    NULL};
static const char *const state_flags[] = {
#define X(U, l) #l,
    GS_JOB_STATES(X)
#undef X
    NULL};
static const char *const estimate_flags[] = {
#define X(U, l) #l,
    GS_EST_SOURCES(X)
#undef X
    NULL};
static const char *const duration_flags[] = {
#define X(U, l) #l,
    GS_DURATION_SOURCES(X)
#undef X
    NULL};
static const char *const end_flags[] = {
#define X(U, l) #l,
    GS_END_STATES(X)
#undef X
    NULL};
/* clang-format on */
static const char *const yes_flags[] = {"no", "yes", NULL};

/* ---- jobs ---- */

static const struct gs_job *job(const struct gs_metrics *m, uint32_t row)
{
    return &m->cfg.w->jobs.v[row];
}

/* Integer fields of the record, by number: one getter for all. */
enum job_int {
    JOB_ID,
    JOB_KIND,
    JOB_QUEUE,
    JOB_USER,
    JOB_PRIORITY,
    JOB_GPUS,
    JOB_ELASTIC,
    JOB_SHARE,
    JOB_STATE,
    JOB_COUNTED,
    JOB_PREEMPTIONS,
    JOB_RESTARTS,
    JOB_FAILURES,
    JOB_NODES,
    JOB_ESTIMATE_SOURCE,
    JOB_DURATION_SOURCE,
    JOB_TRACE_STATE,
    JOB_TRACE_NODES,
    JOB_TRACE_ATTEMPTS,
    JOB_AFTER,
    JOB_TASKS,
    JOB_CPUS,
    JOB_MEMORY,
    JOB_GPU_MEMORY
};

/* CPUs (milli) or memory (MiB) of all tasks; the last may be smaller. */
static int64_t total(const struct gs_job *j, int memory)
{
    const struct gs_task_ask first = gs_job_task(j, 0);
    const struct gs_task_ask last = gs_job_task(j, j->tasks - 1);
    const int64_t full = (int64_t)j->tasks - 1;
    return memory ? full * first.mem_mib + last.mem_mib : full * first.cpus_milli + last.cpus_milli;
}

static int64_t job_int(const struct gs_metrics *m, uint32_t row, int arg)
{
    const struct gs_job *j = job(m, row);
    const struct gs_outcome *o = &m->out[row];
    switch ((enum job_int)arg) {
    case JOB_ID: return row;
    case JOB_KIND: return j->kind;
    case JOB_QUEUE: return j->queue;
    case JOB_USER: return j->user == GS_NONE ? -1 : (int64_t)j->user;
    case JOB_PRIORITY: return j->priority;
    case JOB_GPUS: return j->gpus;
    case JOB_ELASTIC: return 0;
    case JOB_SHARE: return j->share_milli ? j->share_milli : 1000;
    case JOB_STATE: return o->state;
    case JOB_COUNTED: return o->counted;
    case JOB_PREEMPTIONS: return o->preemptions;
    case JOB_RESTARTS: return o->restarts;
    case JOB_FAILURES: return o->failures;
    case JOB_NODES: return o->nodes_used;
    case JOB_ESTIMATE_SOURCE: return j->est_source;
    case JOB_DURATION_SOURCE: return j->duration_source;
    case JOB_TRACE_STATE: return j->end_state;
    case JOB_TRACE_NODES: return j->nodes;
    case JOB_TRACE_ATTEMPTS: return j->attempts;
    case JOB_AFTER: return (int64_t)j->after - 1;
    case JOB_TASKS: return j->tasks;
    case JOB_CPUS: return total(j, 0);
    case JOB_MEMORY: return total(j, 1);
    case JOB_GPU_MEMORY: return j->gpu_mem_mib;
    }
    return 0;
}

enum job_time {
    JOB_SUBMIT,
    JOB_FIRST_START,
    JOB_END,
    JOB_WAIT,
    JOB_QUEUED,
    JOB_RUN,
    JOB_JCT,
    JOB_ESTIMATE,
    JOB_PREDICTED,
    JOB_TRACE_START,
    JOB_THINK
};

/* A rejected job left without having run: it has an end, but no completion time. */
static int completed(const struct gs_outcome *o)
{
    return o->end_ns >= 0 && o->state != GS_STATE_REJECTED;
}

static double job_time(const struct gs_metrics *m, uint32_t row, int arg)
{
    const struct gs_job *j = job(m, row);
    const struct gs_outcome *o = &m->out[row];
    switch ((enum job_time)arg) {
    case JOB_SUBMIT: return gs_seconds(o->submit_ns);
    case JOB_FIRST_START: return gs_seconds(o->first_start_ns);
    case JOB_END: return gs_seconds(o->end_ns);
    case JOB_WAIT:
        return o->first_start_ns < 0 ? (double)NAN : gs_seconds(o->first_start_ns - o->submit_ns);
    case JOB_QUEUED: return gs_seconds(gs_outcome_queued_ns(m, row));
    case JOB_RUN: return gs_seconds(o->run_ns);
    case JOB_JCT: return completed(o) ? gs_seconds(o->end_ns - o->submit_ns) : (double)NAN;
    case JOB_ESTIMATE: return gs_seconds(j->est_ns);
    case JOB_PREDICTED: return gs_seconds(o->predicted_start_ns);
    case JOB_TRACE_START: return gs_seconds(j->start_ns < j->submit_ns ? -1 : j->start_ns);
    case JOB_THINK: return gs_seconds(j->after ? j->think_ns : -1);
    }
    return (double)NAN;
}

static double job_ratio(const struct gs_metrics *m, uint32_t row, int family)
{
    double bound = 0;
    return completed(&m->out[row]) ? gs_family_value(m, row, (enum gs_family)family, &bound)
                                   : (double)NAN;
}

static double job_gpu_s(const struct gs_metrics *m, uint32_t row, int arg)
{
    (void)arg;
    return gs_i128_to_double(m->out[row].gpu_milli_ns, 1e12);
}

static double job_lost(const struct gs_metrics *m, uint32_t row, int arg)
{
    (void)arg;
    return m->out[row].lost_gpu_s;
}

static double job_cause(const struct gs_metrics *m, uint32_t row, int arg)
{
    return gs_seconds(m->out[row].wait_ns[arg]);
}

static double job_part(const struct gs_metrics *m, uint32_t row, int arg)
{
    return gs_seconds(gs_metrics_part_ns(m, row, (enum gs_part)arg));
}

/* Of its running time; NaN before there is any. */
static double job_comm_fraction(const struct gs_metrics *m, uint32_t row, int arg)
{
    (void)arg;
    const int64_t run = m->out[row].run_ns;
    return run > 0 ? (double)gs_metrics_part_ns(m, row, GS_TIME_COMMUNICATION) / (double)run
                   : (double)NAN;
}

static const char *job_name(const struct gs_metrics *m, uint32_t row, int arg)
{
    (void)arg;
    const uint32_t name = job(m, row)->name;
    return name ? gs_intern_str(m->cfg.w->str, name) : NULL;
}

static const char *job_mig(const struct gs_metrics *m, uint32_t row, int arg)
{
    (void)arg;
    return gs_intern_str(m->cfg.w->str, job(m, row)->mig);
}

/* As asked for, or (arg 1) as it ran on in the trace. */
static const char *job_model(const struct gs_metrics *m, uint32_t row, int arg)
{
    return gs_intern_str(m->cfg.w->str, arg ? job(m, row)->ran_on : job(m, row)->models);
}

static const char *job_reason(const struct gs_metrics *m, uint32_t row, int arg)
{
    (void)arg;
    return gs_intern_str(m->cfg.w->str, m->out[row].reason);
}

/* clang-format off */
#define INT(name, type, what, flags, arg) {{name, type, "1", what, NULL, flags}, NULL, job_int, NULL, arg}
#define TIME(name, what, arg) {{name, GS_F64, "s", what, NULL, NULL}, job_time, NULL, NULL, arg}
#define CAUSE(name, what, arg) {{"wait_" name "_s", GS_F64, "s", "time waited: " what, NULL, NULL}, job_cause, NULL, NULL, arg}
/* clang-format on */

#define PART(U, l, what) \
    {{#l "_s", GS_F64, "s", "part of run_s: " what, NULL, NULL}, job_part, NULL, NULL, GS_TIME_##U},

static const struct gs_getter jobs[] = {
    INT("id", GS_U32, "row number of the job", NULL, JOB_ID),
    {{"name", GS_STR, "1", "name in the trace, or the row number", NULL, NULL},
     NULL,
     NULL,
     job_name,
     0},
    INT("kind", GS_U8, "kind of job", kind_flags, JOB_KIND),
    INT("queue", GS_U32, "row of /queues", NULL, JOB_QUEUE),
    INT("user", GS_I32, "row of /users, -1 = none", NULL, JOB_USER),
    INT("priority", GS_I32, "priority, higher first", NULL, JOB_PRIORITY),
    INT("gpus_requested", GS_U32, "GPUs asked for by the whole gang; a share counts as 1", NULL,
        JOB_GPUS),
    INT("gpus_min", GS_U32, "fewest GPUs that it can run on", NULL, JOB_GPUS),
    INT("elastic", GS_U8, "can it run on fewer GPUs than it asks for", yes_flags, JOB_ELASTIC),
    INT("share_milli", GS_U32, "thousandths of each GPU asked for, 1000 = whole", NULL, JOB_SHARE),
    {{"mig_profile", GS_STR, "1", "MIG profile of each of its tasks, empty = none", NULL, NULL},
     NULL,
     NULL,
     job_mig,
     0},
    TIME("submit_s", "time of submission", JOB_SUBMIT),
    TIME("first_start_s", "time of the first start, NaN = never", JOB_FIRST_START),
    TIME("end_s", "time of the end or the rejection, NaN = not yet", JOB_END),
    INT("state", GS_U8, "state at the end of the run", state_flags, JOB_STATE),
    INT("counted", GS_U8, "submitted in the measured window", yes_flags, JOB_COUNTED),
    TIME("wait_s", "first start - submission", JOB_WAIT),
    TIME("queued_s", "time not running between submission and end (or the end of the run)",
         JOB_QUEUED),
    TIME("run_s", "time running, all attempts", JOB_RUN),
    TIME("jct_s", "job completion time: end - submission", JOB_JCT),
    {{"slowdown", GS_F64, "1", "completion time / run time on the reference placement", NULL, NULL},
     job_ratio,
     NULL,
     NULL,
     GS_FAM_SLOWDOWN},
    {{"bounded_slowdown", GS_F64, "1", "max(1, completion time / max(reference run time, 10 s))",
      NULL, NULL},
     job_ratio,
     NULL,
     NULL,
     GS_FAM_BOUNDED},
    INT("preemptions", GS_U32, "times that it lost its devices", NULL, JOB_PREEMPTIONS),
    INT("restarts", GS_U32, "starts after the first", NULL, JOB_RESTARTS),
    INT("failures", GS_U32, "times that a failure stopped it", NULL, JOB_FAILURES),
    {{"lost_gpu_s", GS_F64, "s",
      "GPU time of work lost to preemptions and failures; one that the trace records counts 0, since it does not tell",
      NULL, NULL},
     job_lost,
     NULL,
     NULL,
     0},
    {{"gpu_s", GS_F64, "s", "GPU time held, shares weighted", NULL, NULL},
     job_gpu_s,
     NULL,
     NULL,
     0},
    INT("nodes_used", GS_U32, "nodes of the last placement", NULL, JOB_NODES),
    TIME("estimate_s", "run-time estimate that policies saw, NaN = none", JOB_ESTIMATE),
    INT("estimate_source", GS_U8, "where the estimate comes from", estimate_flags,
        JOB_ESTIMATE_SOURCE),
    INT("duration_source", GS_U8, "where the run time comes from", duration_flags,
        JOB_DURATION_SOURCE),
    TIME("predicted_start_s", "start that the policy's last reservation promised, NaN = none",
         JOB_PREDICTED),
    INT("trace_state", GS_U8, "how it ended in the trace", end_flags, JOB_TRACE_STATE),
    TIME("trace_start_s", "start in the trace, NaN = not recorded", JOB_TRACE_START),
    INT("trace_nodes", GS_U32, "nodes that it ran on in the trace, 0 = not recorded", NULL,
        JOB_TRACE_NODES),
    INT("trace_attempts", GS_U32, "attempts recorded in the trace, 0 = not recorded", NULL,
        JOB_TRACE_ATTEMPTS),
    {{"trace_gpu_model", GS_STR, "1", "GPU model that it ran on in the trace, empty = not recorded",
      NULL, NULL},
     NULL,
     NULL,
     job_model,
     1},
    {{"gpu_model", GS_STR, "1", "GPU models asked for, A|B, empty = any", NULL, NULL},
     NULL,
     NULL,
     job_model,
     0},
    INT("tasks", GS_U32, "tasks of the gang", NULL, JOB_TASKS),
    INT("cpus_milli", GS_I64, "CPUs asked for by all tasks, thousandths", NULL, JOB_CPUS),
    {{"memory_mib", GS_I64, "MiB", "memory asked for by all tasks", NULL, NULL},
     NULL,
     job_int,
     NULL,
     JOB_MEMORY},
    {{"gpu_memory_mib", GS_U32, "MiB",
      "memory asked for on each GPU, 0 = in proportion to the share", NULL, NULL},
     NULL,
     job_int,
     NULL,
     JOB_GPU_MEMORY},
    INT("after", GS_I32, "row of the job whose end it waits for to be submitted, -1 = none", NULL,
        JOB_AFTER),
    TIME("think_s", "time from that end to its submission, NaN = none", JOB_THINK),
    {{"reason", GS_STR, "1", "why it was rejected, is unfinished or was not submitted", NULL, NULL},
     NULL,
     NULL,
     job_reason,
     0},
    GS_PARTS(PART){{"comm_fraction", GS_F64, "1", "communication_s / run_s", NULL, NULL},
                   job_comm_fraction,
                   NULL,
                   NULL,
                   0},
    CAUSE("startup", "placed, not yet running", 0),
    CAUSE("held", "not eligible", 1),
    CAUSE("quota", "its queue is at a limit", 2),
    CAUSE("reservation", "it fits, another job's reservation keeps it out", 3),
    CAUSE("order", "it fits, a job before it in the policy's order waits too", 4),
    CAUSE("scheduler", "it fits and the policy did not start it", 5),
    CAUSE("capacity", "too few usable devices are free in all", 6),
    CAUSE("fragmentation", "enough devices are free in sum, but in no legal placement", 7),
    CAUSE("topology", "no placement within the level asked for", 8),
};

const struct gs_getter *gs_schema_jobs(size_t *n)
{
    *n = sizeof jobs / sizeof jobs[0];
    return jobs;
}

static double job_bill(const struct gs_metrics *m, uint32_t row, int energy)
{
    return energy ? gs_bill_job_joule(m->bill, row) : gs_bill_job_usd(m->bill, row);
}

static const struct gs_getter bill[] = {
    {{"energy_j", GS_F64, "J", "energy of the job: its part of devices and hosts, without PUE",
      NULL, NULL},
     job_bill,
     NULL,
     NULL,
     1},
    {{"cost", GS_F64, "USD", "price x time of what the job held; NaN = no price is known", NULL,
      NULL},
     job_bill,
     NULL,
     NULL,
     0},
};

const struct gs_getter *gs_schema_bill(size_t *n)
{
    *n = sizeof bill / sizeof bill[0];
    return bill;
}

/* ---- tenants ---- */

static int64_t row_number(const struct gs_metrics *m, uint32_t row, int arg)
{
    (void)m;
    (void)arg;
    return row;
}

static const char *queue_name(const struct gs_metrics *m, uint32_t row, int arg)
{
    (void)arg;
    return gs_intern_str(m->cfg.w->str, m->cfg.w->queues.v[row].name);
}

static int64_t queue_int(const struct gs_metrics *m, uint32_t row, int arg)
{
    const struct gs_queue_spec *q = &m->cfg.w->queues.v[row];
    if (arg)
        return q->priority;
    return q->parent == GS_NONE ? -1 : (int64_t)q->parent;
}

enum queue_real {
    QUEUE_QUOTA,
    QUEUE_LIMIT,
    QUEUE_WEIGHT
};

static double queue_real(const struct gs_metrics *m, uint32_t row, int arg)
{
    const struct gs_queue_spec *q = &m->cfg.w->queues.v[row];
    switch ((enum queue_real)arg) {
    case QUEUE_QUOTA: return q->quota_milli < 0 ? (double)NAN : (double)q->quota_milli / 1000;
    case QUEUE_LIMIT: return q->limit_milli < 0 ? (double)NAN : (double)q->limit_milli / 1000;
    case QUEUE_WEIGHT: return q->weight;
    }
    return (double)NAN;
}

static const struct gs_getter queues[] = {
    {{"id", GS_U32, "1", "row number of the queue", NULL, NULL}, NULL, row_number, NULL, 0},
    {{"name", GS_STR, "1", "name of the queue", NULL, NULL}, NULL, NULL, queue_name, 0},
    {{"parent", GS_I32, "1", "row of the parent, -1 = none", NULL, NULL}, NULL, queue_int, NULL, 0},
    {{"quota", GS_F64, "1", "GPUs guaranteed, NaN = none", NULL, NULL},
     queue_real,
     NULL,
     NULL,
     QUEUE_QUOTA},
    {{"limit", GS_F64, "1", "most GPUs, NaN = none", NULL, NULL},
     queue_real,
     NULL,
     NULL,
     QUEUE_LIMIT},
    {{"weight", GS_F64, "1", "weight in fair sharing", NULL, NULL},
     queue_real,
     NULL,
     NULL,
     QUEUE_WEIGHT},
    {{"priority", GS_I32, "1", "priority of the queue", NULL, NULL}, NULL, queue_int, NULL, 1},
};

const struct gs_getter *gs_schema_queues(size_t *n)
{
    *n = sizeof queues / sizeof queues[0];
    return queues;
}

static const char *user_name(const struct gs_metrics *m, uint32_t row, int arg)
{
    (void)arg;
    return gs_intern_str(m->cfg.w->str, m->cfg.w->users.v[row]);
}

static const struct gs_getter users[] = {
    {{"id", GS_U32, "1", "row number of the user", NULL, NULL}, NULL, row_number, NULL, 0},
    {{"name", GS_STR, "1", "name of the user", NULL, NULL}, NULL, NULL, user_name, 0},
};

const struct gs_getter *gs_schema_users(size_t *n)
{
    *n = sizeof users / sizeof users[0];
    return users;
}

/* ---- typical tasks ---- */

enum typical_int {
    TYPICAL_CPUS,
    TYPICAL_MEMORY,
    TYPICAL_GPUS,
    TYPICAL_SHARE,
    TYPICAL_COUNT
};

static int64_t typical_int(const struct gs_metrics *m, uint32_t row, int arg)
{
    const struct gs_typical_task *t = &m->cfg.typical->v[row];
    switch ((enum typical_int)arg) {
    case TYPICAL_CPUS: return t->cpus_milli;
    case TYPICAL_MEMORY: return t->mem_mib;
    case TYPICAL_GPUS: return t->gpus;
    case TYPICAL_SHARE: return t->share_milli;
    case TYPICAL_COUNT: return (int64_t)t->count;
    }
    return 0;
}

static const char *typical_models(const struct gs_metrics *m, uint32_t row, int arg)
{
    (void)arg;
    return gs_intern_str(m->cfg.w->str, m->cfg.typical->v[row].model_text);
}

static double typical_probability(const struct gs_metrics *m, uint32_t row, int arg)
{
    (void)arg;
    return m->cfg.typical->v[row].probability;
}

static const struct gs_getter typical[] = {
    {{"id", GS_U32, "1", "row number of the typical task, most frequent first", NULL, NULL},
     NULL,
     row_number,
     NULL,
     0},
    {{"cpus_milli", GS_I64, "1", "CPUs of one task, thousandths", NULL, NULL},
     NULL,
     typical_int,
     NULL,
     TYPICAL_CPUS},
    {{"memory_mib", GS_I64, "MiB", "least memory among the tasks counted here", NULL, NULL},
     NULL,
     typical_int,
     NULL,
     TYPICAL_MEMORY},
    {{"gpus", GS_U32, "1", "GPUs of one task; a share counts as 1", NULL, NULL},
     NULL,
     typical_int,
     NULL,
     TYPICAL_GPUS},
    {{"share_milli", GS_U32, "1", "thousandths of each GPU", NULL, NULL},
     NULL,
     typical_int,
     NULL,
     TYPICAL_SHARE},
    {{"models", GS_STR, "1", "GPU models allowed, empty = any", NULL, NULL},
     NULL,
     NULL,
     typical_models,
     0},
    {{"count", GS_U64, "1", "tasks of the whole input that are like this", NULL, NULL},
     NULL,
     typical_int,
     NULL,
     TYPICAL_COUNT},
    {{"probability", GS_F64, "1", "share among the typical tasks", NULL, NULL},
     typical_probability,
     NULL,
     NULL,
     0},
};

const struct gs_getter *gs_schema_typical(size_t *n)
{
    *n = sizeof typical / sizeof typical[0];
    return typical;
}

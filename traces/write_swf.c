/* write_swf.c - jobs in the Standard Workload Format 2.2: 18 blank-separated numbers a job, -1 = unknown, behind header comments.
 *
 * A processor is a GPU; of a trace without any GPU, a CPU. Queues and users are numbers with a legend in the header (`; Queue: 1 name`), names
 * of jobs survive if all are numbers. Times keep their fractions, which the definition allows. MaxProcs is the largest job: the size of
 * the machine is not known. What does not fit is counted: SWF has no shares, types of GPU, tasks, attempts, kinds, attributes.
 * Definition: D. Feitelson, "The Standard Workload Format", Parallel Workloads Archive. */
#include "sim/base/units.h"
#include "traces/decimal.h"
#include "traces/swf_header.h"
#include "traces/write.h"

#include <string.h>

#include "sim/base/banned.h"

#define TASK_GPUS 8 /* how the reader cuts a gang, unless told otherwise */
#define UNKNOWN   (-1)

static int procs_are_gpus(const struct gs_writing *w)
{
    return w->seen->gpu_jobs > 0;
}

/* Whole Unix second at or before the earliest submission, in the sources' clock: SWF's time zero. */
static int64_t zero_ns(const struct gs_survey *seen)
{
    if (seen->unix_ns == GS_NEVER)
        return seen->earliest_ns;
    int64_t into = (seen->unix_ns + seen->earliest_ns) % GS_SECOND;
    into += into < 0 ? GS_SECOND : 0;
    return seen->earliest_ns - into;
}

/* ---- The header -------------------------------------------------------------------------------- */

/* `; Queue: 1 name`, in one line whatever the name. */
static void add_legend(struct gs_writing *w, const char *what, const struct gs_legend *l)
{
    for (size_t i = 0; i < l->ids.n; i++) {
        gs_buf_fmt(&w->out, "; %s: %zu ", what, i + 1);
        for (const char *s = gs_intern_str(w->str, l->ids.v[i]); *s; s++)
            gs_buf_add(&w->out, (unsigned char)*s < ' ' ? "?" : s, 1);
        gs_buf_str(&w->out, "\n");
    }
}

static void begin(struct gs_writing *w)
{
    const struct gs_survey *seen = w->seen;
    const int gpus = procs_are_gpus(w);
    const uint64_t jobs = gpus ? seen->gpu_jobs : seen->jobs;
    gs_buf_fmt(&w->out,
               "; Version: 2.2\n; Conversion: " GS_SWF_CONVERSION "\n; MaxJobs: %llu\n"
               "; MaxRecords: %llu\n",
               (unsigned long long)jobs, (unsigned long long)jobs);
    if (seen->unix_ns != GS_NEVER)
        gs_buf_fmt(&w->out, "; UnixStartTime: %lld\n; TimeZoneString: %s\n",
                   (long long)((zero_ns(seen) + seen->unix_ns) / GS_SECOND), seen->zone.name);
    gs_buf_fmt(&w->out, "; MaxProcs: %lld\n",
               (long long)(gpus ? seen->largest_gpus : (seen->largest_cpus_milli + 999) / 1000));
    gs_buf_fmt(&w->out,
               "; Note: %s\n; Note: MaxProcs is the largest job, the machine is not known\n",
               gpus ? GS_SWF_GPUS : "a processor is a CPU");
    add_legend(w, "Queue", &seen->queues);
    if (!seen->users_are_numbers)
        add_legend(w, "User", &seen->users);
}

/* ---- A row ------------------------------------------------------------------------------------- */

/* What of a job has no place, as a table: one line a thing. */
static void count_losses(struct gs_writing *w, const struct gs_job *j)
{
    const int gpus = procs_are_gpus(w);
    const uint32_t usual_task = j->gpus > TASK_GPUS ? TASK_GPUS : j->gpus;

    const struct {
        int on;
        const char *what;
    } losses[] = {
        {j->name && !w->seen->names_are_numbers, "the name: numbered in the order of the file"},
        {j->gpus && j->share_milli && j->share_milli < 1000,
         "a share of a GPU: written as a whole one"},
        {j->models != 0, "the GPU types asked for"},
        {j->gpu_mem_mib != 0, "the GPU memory asked for"},
        {gpus && j->cpus_milli != 0, "CPUs"},
        {!gpus && j->cpus_milli * j->tasks % 1000 != 0, "parts of a CPU: rounded up"},
        {j->mem_mib != 0, "memory"},
        {gpus && j->task_gpus != usual_task, "tasks: gangs are read back in tasks of 8"},
        {j->ran_on != 0, "the GPU type that it ran on"},
        {j->nodes != 0, "the nodes that it ran on"},
        {j->attempts > 0, "attempts"},
        {j->attrs > 0, "attributes"},
        {j->kind != GS_KIND_BATCH, "the kind of job"},
        {j->priority != 0, "the priority"},
        {(j->flags & GS_JOB_PREEMPTIBLE) != 0, "that it may be preempted"},
        {(j->flags & GS_JOB_CHECKPOINTS) != 0, "that it writes checkpoints"},
        {j->end_state == GS_END_TIMEOUT, "the end by time limit: written as failed"},
        {j->run_ns == GS_NEVER, "a run time without end: written as unknown"},
        {j->est_ns >= 0 && j->est_source != GS_EST_USER, "where the estimate comes from"},
        {j->duration_source != GS_DURATION_TRACE && j->duration_source != GS_DURATION_ENDLESS,
         "where the run time comes from"},
        {j->start_ns >= 0 && j->start_ns < j->submit_ns, "a start before the submission"},
    };

    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        if (losses[i].on)
            gs_lost(w, losses[i].what);
    }
}

static int status(enum gs_end_state s)
{
    switch (s) {
    case GS_END_COMPLETED: return 1;
    case GS_END_FAILED:
    case GS_END_TIMEOUT: return 0;
    case GS_END_KILLED: return 5;
    case GS_END_UNKNOWN:
    case GS_END_COUNT: break;
    }
    return UNKNOWN;
}

static void add_ns(struct gs_writing *w, int64_t ns)
{
    gs_buf_str(&w->out, " ");
    if (ns < 0 || ns == GS_NEVER)
        gs_buf_fmt(&w->out, "%d", UNKNOWN);
    else
        gs_decimal_add(&w->out, ns, 9);
}

static void add_number(struct gs_writing *w, int64_t x)
{
    gs_buf_fmt(&w->out, " %lld", (long long)x);
}

/* The number of the job that stands at `place` in the sources. */
static void add_job_number(struct gs_writing *w, uint64_t place, uint32_t name)
{
    if (w->seen->names_are_numbers)
        gs_buf_str(&w->out, gs_intern_str(w->str, name));
    else
        gs_buf_fmt(&w->out, "%llu",
                   (unsigned long long)(w->position.n ? w->position.v[place] : place) + 1);
}

static void add_after(struct gs_writing *w, const struct gs_job *j)
{
    gs_buf_str(&w->out, " ");
    if (j->after && j->after <= w->names.n)
        add_job_number(w, j->after - 1, w->names.v[j->after - 1]);
    else
        gs_buf_fmt(&w->out, "%d", UNKNOWN);
    add_ns(w, j->after ? j->think_ns : UNKNOWN);
}

static int64_t legend_number(const struct gs_legend *l, uint32_t id)
{
    return id && id < l->place.n && l->place.v[id] ? (int64_t)l->place.v[id] : UNKNOWN;
}

static void add_user(struct gs_writing *w, uint32_t user)
{
    if (user && w->seen->users_are_numbers)
        gs_buf_fmt(&w->out, " %s", gs_intern_str(w->str, user) + 1); /* behind the u */
    else
        add_number(w, legend_number(&w->seen->users, user));
}

static int64_t processors(const struct gs_writing *w, const struct gs_job *j)
{
    if (procs_are_gpus(w))
        return j->gpus;
    const int64_t cpus = (j->cpus_milli * j->tasks + 999) / 1000;
    return cpus ? cpus : UNKNOWN;
}

static int add_job(struct gs_writing *w, const struct gs_written_job *row)
{
    const struct gs_job *j = row->j;
    if (procs_are_gpus(w) && !j->gpus) {
        gs_lost(w, "jobs without a GPU: left out");
        return 0;
    }
    count_losses(w, j);
    const int64_t procs = processors(w, j);
    add_job_number(w, row->place, j->name);
    add_ns(w, j->submit_ns - zero_ns(w->seen));
    add_ns(w, j->start_ns >= j->submit_ns ? j->start_ns - j->submit_ns : UNKNOWN);
    add_ns(w, j->run_ns);
    add_number(w, procs);
    add_number(w, UNKNOWN); /* CPU time */
    add_number(w, UNKNOWN); /* memory */
    add_number(w, procs);
    add_ns(w, j->est_ns);
    add_number(w, UNKNOWN); /* memory asked for */
    add_number(w, status((enum gs_end_state)j->end_state));
    add_user(w, j->user);
    add_number(w, UNKNOWN); /* group */
    add_number(w, UNKNOWN); /* executable */
    add_number(w, legend_number(&w->seen->queues, j->queue));
    add_number(w, UNKNOWN); /* partition */
    add_after(w, j);
    gs_buf_str(&w->out, "\n");
    return 1;
}

const struct gs_target gs_target_swf = {.name = "swf",
                                        .what = "Standard Workload Format 2.2",
                                        .ending = ".swf",
                                        .in_order = 1,
                                        .has_zero = 1,
                                        .begin = begin,
                                        .job = add_job};

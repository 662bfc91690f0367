/* metric.c - the one table of metrics: name, unit, direction, definition; how each is evaluated; and what `gsim help metrics` says.
 *
 * A metric is a pure function of the accumulators after gs_metrics_end and of a set of jobs (select.c). Rows that
 * describe the machine rather than jobs take no selector, rows of GPU time take only queue=. Samples, censoring and bounds are those of
 * sample.c. Without samples a value is NaN; a count over no jobs is 0. */
#include "sim/base/mem.h"
#include "sim/base/units.h"
#include "sim/metrics/internal.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

enum takes {
    TAKES_NONE,
    TAKES_QUEUE,
    TAKES_ANY
};

/* Statistics of a family: percentiles are 0..100. */
enum {
    STAT_MEAN = -1
};

/* What the jobs_count row counts. */
enum count {
    COUNT_SUBMITTED,
    COUNT_COMPLETED,
    COUNT_FAILED,
    COUNT_KILLED,
    COUNT_REJECTED,
    COUNT_UNFINISHED,
    COUNT_CENSORED,
    COUNT_PREEMPTIONS,
    COUNT_RESTARTS,
    COUNT_FAILURES
};

enum average {
    AVERAGE_QUEUE,
    AVERAGE_RUNNING,
    AVERAGE_PENDING_GPUS,
    AVERAGE_STRANDED,
    AVERAGE_MIG_FREE,
    AVERAGE_MIG_UNREACHABLE
};

typedef void evaluate(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                      struct gs_value_row *out);

static evaluate gpu_owned, gpu_goodput, gpu_between_failures, unsubmitted, gpu_time, gpu_capacity,
    stranded_isolation, gpu_allocation, gpu_busy, gpu_part, arrivals_allocation, gpu_fragmentation,
    time_average, mig_fragmentation, jobs_count, lost_gpu_time, jobs_per_hour, figure, wait_cause,
    load, makespan, jain, share_error, verdict;

/* clang-format off */
#define FAMILY(X, prefix, unit, FAM, what)                                                                                             \
    X(prefix ".mean", unit, GS_LOWER_BETTER, TAKES_ANY, figure, (FAM) * 1000 + 999, "mean " what "; with unfinished jobs a lower bound") \
    X(prefix ".p50", unit, GS_LOWER_BETTER, TAKES_ANY, figure, (FAM) * 1000 + 50, "median " what)                                        \
    X(prefix ".p95", unit, GS_LOWER_BETTER, TAKES_ANY, figure, (FAM) * 1000 + 95, "95th percentile of the " what)                        \
    X(prefix ".p99", unit, GS_LOWER_BETTER, TAKES_ANY, figure, (FAM) * 1000 + 99, "99th percentile of the " what)                        \
    X(prefix ".max", unit, GS_LOWER_BETTER, TAKES_ANY, figure, (FAM) * 1000 + 100, "largest " what)

#define CAUSE(X, i, name, what) \
    X("wait.cause." name, "s", GS_LOWER_BETTER, TAKES_ANY, wait_cause, i, "mean time that a counted job waited because " what "; the nine add up to jobs.queued.mean")

#define PART(U, l, what) \
    X("gpu.time." #l, "1", GS_NEUTRAL, TAKES_NONE, gpu_part, GS_TIME_##U, "share of the allocated GPU time in which " what)

#define METRICS(X)                                                                                                                     \
    X("gpu.allocated_gpu_s", "s", GS_HIGHER_BETTER, TAKES_QUEUE, gpu_time, 0, "GPU time held in the measured window, shares weighted: an exact integral") \
    X("gpu.capacity_gpu_s", "s", GS_NEUTRAL, TAKES_NONE, gpu_capacity, 0, "GPU time that was up in the measured window")               \
    X("gpu.allocation", "1", GS_HIGHER_BETTER, TAKES_QUEUE, gpu_allocation, 0, "GPU share held / share that is up, over the measured window") \
    X("gpu.allocation_arrivals", "1", GS_HIGHER_BETTER, TAKES_NONE, arrivals_allocation, 0, "GPU share held / share that is up, from the beginning of the measured window to its last arrival: without the time in which what is left drains") \
    X("gpu.utilization", "1", GS_HIGHER_BETTER, TAKES_NONE, gpu_busy, 0, "GPU time that computes / GPU time that is up; equals gpu.allocation where nothing of the run slows or stops jobs") \
    X("gpu.allocation_owned", "1", GS_HIGHER_BETTER, TAKES_NONE, gpu_owned, 0, "GPU share held / share that is owned, up or not, over the measured window") \
    X("gpu.utilization_owned", "1", GS_HIGHER_BETTER, TAKES_NONE, gpu_owned, 1, "GPU time that computes / GPU time that is owned, up or not") \
    X("gpu.availability", "1", GS_HIGHER_BETTER, TAKES_NONE, gpu_owned, 2, "GPU time that is up / GPU time that is owned") \
    X("gpu.busy", "1", GS_NEUTRAL, TAKES_NONE, gpu_busy, 1, "GPU time in which kernels run, useful or not (compute, communication, throttled) / GPU time that is up: what a utilisation counter shows") \
    GS_PARTS(PART) \
    X("gpu.fragmentation", "1", GS_LOWER_BETTER, TAKES_NONE, gpu_fragmentation, 0, "time mean of the free GPU share that the typical task could not use (FGD's expected fragment), as a share of all GPUs") \
    X("gpu.stranded", "1", GS_LOWER_BETTER, TAKES_NONE, time_average, AVERAGE_STRANDED, "time mean of the idle GPUs that no pending or typical task could use") \
    X("gpu.stranded_isolation", "1", GS_LOWER_BETTER, TAKES_NONE, stranded_isolation, 0, "time mean of the free share of GPUs on which a tenant demands more isolation than shares there have, so that nobody but this tenant may use it, as a share of all GPUs") \
    X("mig.fragmentation", "1", GS_LOWER_BETTER, TAKES_NONE, mig_fragmentation, 0, "free MIG memory slices that the profiles asked for could not use / free ones: 1 - placeable x size / free, by the shares of the profiles, over time and devices") \
    X("mig.free_slices", "1", GS_NEUTRAL, TAKES_NONE, time_average, AVERAGE_MIG_FREE, "time mean of the memory slices of GPUs in MIG mode that nobody holds") \
    X("mig.unreachable_slices", "1", GS_LOWER_BETTER, TAKES_NONE, time_average, AVERAGE_MIG_UNREACHABLE, "time mean of the free ones on which no legal start is left") \
    X("gpu.lost_gpu_s", "s", GS_LOWER_BETTER, TAKES_ANY, lost_gpu_time, 0, "GPU time of counted jobs whose work was lost to preemptions and failures") \
    X("gpu.goodput", "1", GS_HIGHER_BETTER, TAKES_ANY, gpu_goodput, 0, "GPU time of counted jobs at work that was kept / GPU time that they held: what start-ups, checkpoints and lost work leave") \
    X("gpu.between_failures", "h", GS_HIGHER_BETTER, TAKES_ANY, gpu_between_failures, 0, "GPU-hours that counted jobs held for each of their failures") \
    X("jobs.submitted", "1", GS_NEUTRAL, TAKES_ANY, jobs_count, COUNT_SUBMITTED, "counted jobs: submitted in the measured window, serving replicas left out") \
    X("jobs.completed", "1", GS_HIGHER_BETTER, TAKES_ANY, jobs_count, COUNT_COMPLETED, "counted jobs that ended well")                 \
    X("jobs.failed", "1", GS_LOWER_BETTER, TAKES_ANY, jobs_count, COUNT_FAILED, "counted jobs that ended in a failure")                \
    X("jobs.killed", "1", GS_NEUTRAL, TAKES_ANY, jobs_count, COUNT_KILLED, "counted jobs that were killed or ran into their time limit, as the trace says") \
    X("jobs.unsubmitted", "1", GS_LOWER_BETTER, TAKES_NONE, unsubmitted, 0, "jobs of the input that were not submitted: later than the end of the run, or waiting for a job that did not end") \
    X("jobs.rejected", "1", GS_LOWER_BETTER, TAKES_ANY, jobs_count, COUNT_REJECTED, "counted jobs that were refused, because they can never fit or queueing is off") \
    X("jobs.unfinished", "1", GS_LOWER_BETTER, TAKES_ANY, jobs_count, COUNT_UNFINISHED, "counted jobs that wait or run at the end of the run") \
    X("jobs.censored", "1", GS_LOWER_BETTER, TAKES_ANY, jobs_count, COUNT_CENSORED, "counted jobs that never started: they enter percentiles of the wait as +infinity") \
    X("jobs.preemptions", "1", GS_LOWER_BETTER, TAKES_ANY, jobs_count, COUNT_PREEMPTIONS, "times that counted jobs lost their devices") \
    X("jobs.restarts", "1", GS_LOWER_BETTER, TAKES_ANY, jobs_count, COUNT_RESTARTS, "starts of counted jobs after their first")        \
    X("jobs.failures", "1", GS_LOWER_BETTER, TAKES_ANY, jobs_count, COUNT_FAILURES, "times that failures stopped counted jobs") \
    X("jobs.per_hour", "h-1", GS_HIGHER_BETTER, TAKES_NONE, jobs_per_hour, 0, "jobs that ended in the measured window, an hour of it") \
    X("jobs.running", "1", GS_NEUTRAL, TAKES_NONE, time_average, AVERAGE_RUNNING, "time mean of the jobs that run")                    \
    FAMILY(X, "jobs.wait", "s", GS_FAM_WAIT, "time from submission to first start")                                                    \
    FAMILY(X, "jobs.queued", "s", GS_FAM_QUEUED, "time not running between submission and end, all waits")                             \
    FAMILY(X, "jobs.jct", "s", GS_FAM_JCT, "job completion time, from submission to end")                                              \
    FAMILY(X, "jobs.slowdown", "1", GS_FAM_SLOWDOWN, "completion time / run time on the reference placement")                          \
    FAMILY(X, "jobs.bounded_slowdown", "1", GS_FAM_BOUNDED, "bounded slowdown, max(1, completion time / max(reference run time, 10 s))") \
    CAUSE(X, 0, "startup", "it was placed and not yet running (binding, image, weights)")                                              \
    CAUSE(X, 1, "held", "it was not eligible (dependency, begin time, hold, back-off, suspended)")                                     \
    CAUSE(X, 2, "quota", "its queue was at a limit")                                                                                   \
    CAUSE(X, 3, "reservation", "it fitted, but another job's reservation kept it out")                                                 \
    CAUSE(X, 4, "order", "it fitted, but a job before it in the policy's order waited too")                                            \
    CAUSE(X, 5, "scheduler", "it fitted and the policy did not start it")                                                              \
    CAUSE(X, 6, "capacity", "too few usable devices were free in all")                                                                 \
    CAUSE(X, 7, "fragmentation", "enough devices were free in sum, but in no legal placement")                                         \
    CAUSE(X, 8, "topology", "no placement was within the topology level that it asks for")                                             \
    X("queue.length", "1", GS_LOWER_BETTER, TAKES_NONE, time_average, AVERAGE_QUEUE, "time mean of the jobs that wait")                \
    X("queue.gpus", "1", GS_LOWER_BETTER, TAKES_NONE, time_average, AVERAGE_PENDING_GPUS, "time mean of the GPUs that waiting jobs ask for") \
    X("load.offered", "1", GS_NEUTRAL, TAKES_ANY, load, 0, "demand / capacity: GPU time asked for by jobs submitted in the measured window (not those that are larger than the cluster), over GPU time that was up; CPU time on a cluster without GPUs; with gpu= over that model's devices") \
    X("makespan", "s", GS_LOWER_BETTER, TAKES_NONE, makespan, 0, "first submission to last end of the counted jobs")                   \
    X("fairness.jain", "1", GS_HIGHER_BETTER, TAKES_NONE, jain, 0, "Jain's index over the queues' GPU time per weight; queues that wanted none are left out") \
    X("fairness.share_error", "1", GS_LOWER_BETTER, TAKES_NONE, share_error, 0, "half the sum over queues of |share of GPU time received - share under weighted max-min|, both over the whole window: 0 = exactly fair, 1 = all went to the wrong queues") \
    X("cost.total", "USD", GS_LOWER_BETTER, TAKES_NONE, gs_cost_eval, GS_COST_TOTAL, "price x time of all nodes while they are there, and of energy where it has a price; of the whole run, warm-up included, as all figures of cost, energy and power")  \
    X("cost.per_gpu_h", "USD", GS_LOWER_BETTER, TAKES_NONE, gs_cost_eval, GS_COST_HELD, "cost.total / GPU-hours held") \
    X("cost.per_useful_gpu_h", "USD", GS_LOWER_BETTER, TAKES_NONE, gs_cost_eval, GS_COST_USEFUL, "cost.total / GPU-hours that computed, and whose work was not lost") \
    X("energy.kwh", "kWh", GS_LOWER_BETTER, TAKES_NONE, gs_cost_eval, GS_COST_KWH, "energy of nodes and GPUs by the power model, times PUE") \
    X("carbon.kg", "kg", GS_LOWER_BETTER, TAKES_NONE, gs_cost_eval, GS_COST_CARBON, "energy.kwh times the carbon intensity of the grid") \
    X("power.mean", "W", GS_LOWER_BETTER, TAKES_NONE, gs_cost_eval, GS_COST_POWER, "time mean of the power of nodes and GPUs, without PUE") \
    X("power.peak", "W", GS_LOWER_BETTER, TAKES_NONE, gs_cost_eval, GS_COST_PEAK, "largest power of nodes and GPUs that lasted for any time, without PUE") \
    X("verdict", "1", GS_LOWER_BETTER, TAKES_NONE, verdict, 0, "does the cluster keep up: 0 stable, 1 transient (the backlog rose and drained), 2 saturated (it keeps rising while jobs arrive)")
/* clang-format on */

static const struct gs_metric table[] = {
#define X(name, units, direction, takes, fn, arg, doc) {name, units, direction, doc},
    METRICS(X)
#undef X
};

static const struct rule {
    enum takes takes;
    evaluate *fn;
    int arg;
} rules[] = {

#define X(name, units, direction, takes, fn, arg, doc) {takes, fn, arg},
    METRICS(X)
#undef X
};

#define NMETRICS (sizeof table / sizeof table[0])

/* ---- evaluation ---- */

static double window_s(const struct gs_metrics *m)
{
    return gs_seconds(m->window.to_ns - m->window.from_ns);
}

/* GPU-seconds of an integral of milli. */
static double gpu_seconds(gs_i128 milli_ns)
{
    return gs_i128_to_double(milli_ns, 1e12);
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : (double)NAN;
}

static gs_i128 held_by(const struct gs_metrics *m, const struct gs_jobset *set)
{
    if (!set->sel || !(set->sel->given >> GS_SEL_QUEUE & 1))
        return m->held.sum;
    gs_i128 sum = 0;
    const int64_t root = set->sel->lo[GS_SEL_QUEUE];
    const int any = root <= set->sel->hi[GS_SEL_QUEUE];
    for (size_t q = 0; any && q < m->cfg.w->queues.n; q++)
        if (gs_queue_within(m->cfg.w, (uint32_t)q, (uint32_t)root))
            sum += m->queue_acc[q].held.sum;
    return sum;
}

static void gpu_time(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                     struct gs_value_row *out)
{
    (void)arg;
    out->value = gpu_seconds(held_by(m, set));
    out->samples = 1;
}

static void gpu_capacity(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                         struct gs_value_row *out)
{
    (void)set;
    (void)arg;
    out->value = gpu_seconds(m->up.sum);
    out->samples = 1;
}

static void gpu_allocation(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                           struct gs_value_row *out)
{
    (void)arg;
    out->value = ratio(gpu_seconds(held_by(m, set)), gpu_seconds(m->up.sum));
    out->samples = m->up.sum > 0;
}

/* arg 1: kernels of any kind */
static void gpu_busy(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                     struct gs_value_row *out)
{
    (void)set;
    gs_i128 sum = gs_metrics_part_sum(m, GS_TIME_COMPUTE);
    if (arg)
        sum += gs_metrics_part_sum(m, GS_TIME_COMMUNICATION) +
               gs_metrics_part_sum(m, GS_TIME_THROTTLED);
    out->value = ratio(gpu_seconds(sum), gpu_seconds(m->up.sum));
    out->samples = m->up.sum > 0;
}

/* arg: what is set against what is owned: 0 held, 1 computing, 2 up */
static void gpu_owned(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                      struct gs_value_row *out)
{
    (void)set;
    const gs_i128 what = arg == 0   ? m->held.sum
                         : arg == 1 ? gs_metrics_part_sum(m, GS_TIME_COMPUTE)
                                    : m->up.sum;
    out->value = ratio(gpu_seconds(what), gpu_seconds(m->owned.sum));
    out->samples = m->owned.sum > 0;
}

static void gpu_part(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                     struct gs_value_row *out)
{
    (void)set;
    out->value =
        ratio(gpu_seconds(gs_metrics_part_sum(m, (enum gs_part)arg)), gpu_seconds(m->held.sum));
    out->samples = m->held.sum > 0;
}

static void arrivals_allocation(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                                struct gs_value_row *out)
{
    (void)set;
    (void)arg;
    out->value = ratio(gpu_seconds(m->held_arrivals), gpu_seconds(m->up_arrivals));
    out->samples = m->up_arrivals > 0;
}

static void gpu_fragmentation(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                              struct gs_value_row *out)
{
    (void)set;
    (void)arg;
    out->value = ratio(gpu_seconds(m->frag.sum), gpu_seconds(m->up.sum));
    out->samples = m->up.sum > 0;
}

static void stranded_isolation(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                               struct gs_value_row *out)
{
    (void)set;
    (void)arg;
    out->value = ratio(gpu_seconds(m->closed.sum), gpu_seconds(m->up.sum));
    out->samples = m->up.sum > 0;
}

static void time_average(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                         struct gs_value_row *out)
{
    (void)set;
    const struct gs_integral *i = &m->queue;
    double unit = 1e9;
    switch ((enum average)arg) {
    case AVERAGE_QUEUE: break;
    case AVERAGE_RUNNING: i = &m->running; break;
    case AVERAGE_PENDING_GPUS:
        i = &m->gpus_pending;
        unit = 1e12;
        break;
    case AVERAGE_STRANDED:
        i = &m->stranded;
        unit = 1e12;
        break;
    case AVERAGE_MIG_FREE:
        i = &m->mig_free;
        unit = 1e12;
        break;
    case AVERAGE_MIG_UNREACHABLE:
        i = &m->mig_unreachable;
        unit = 1e12;
        break;
    }
    out->value = ratio(gs_i128_to_double(i->sum, unit), window_s(m));
    out->samples = window_s(m) > 0;
}

static void mig_fragmentation(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                              struct gs_value_row *out)
{
    (void)set;
    (void)arg;
    const double left = gs_i128_to_double(m->mig_free.sum, 1e12);
    out->value = ratio(gs_i128_to_double(m->mig_lost.sum, 1e12), left);
    out->samples = left > 0;
}

static uint32_t job_at(const struct gs_jobset *set, size_t i)
{
    return set->v ? set->v[i] : (uint32_t)i;
}

static void jobs_count(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                       struct gs_value_row *out)
{
    const struct gs_tally *t = gs_tally_of(m, set);
    uint64_t n = 0;
    switch ((enum count)arg) {
    case COUNT_SUBMITTED: n = t->submitted; break;
    case COUNT_COMPLETED: n = t->completed; break;
    case COUNT_FAILED: n = t->failed; break;
    case COUNT_KILLED: n = t->killed; break;
    case COUNT_REJECTED: n = t->rejected; break;
    case COUNT_UNFINISHED: n = t->open; break;
    case COUNT_CENSORED: n = t->censored; break;
    case COUNT_PREEMPTIONS: n = t->preemptions; break;
    case COUNT_RESTARTS: n = t->restarts; break;
    case COUNT_FAILURES: n = t->failures; break;
    }
    out->value = (double)n;
    out->samples = t->submitted;
}

static void unsubmitted(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                        struct gs_value_row *out)
{
    (void)set;
    (void)arg;
    out->value = (double)m->unsubmitted;
    out->samples = m->njobs;
}

static void lost_gpu_time(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                          struct gs_value_row *out)
{
    (void)arg;
    const struct gs_tally *t = gs_tally_of(m, set);
    out->value = t->lost_gpu_s;
    out->samples = t->submitted - t->rejected;
}

static void gpu_goodput(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                        struct gs_value_row *out)
{
    (void)arg;
    const struct gs_tally *t = gs_tally_of(m, set);
    out->value = ratio(gpu_seconds(t->held - t->overhead) - t->lost_gpu_s, gpu_seconds(t->held));
    out->samples = t->held > 0 ? t->submitted - t->rejected : 0;
}

static void gpu_between_failures(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                                 struct gs_value_row *out)
{
    (void)arg;
    const struct gs_tally *t = gs_tally_of(m, set);
    out->value = ratio(gpu_seconds(t->held) / 3600, (double)t->failures);
    out->samples = t->failures;
}

static void jobs_per_hour(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                          struct gs_value_row *out)
{
    (void)set;
    (void)arg;
    out->value = ratio((double)m->completions * 3600, window_s(m));
    out->samples = m->completions;
}

static void figure(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                   struct gs_value_row *out)
{
    const struct gs_figures *f = gs_figures_of(m, set, (enum gs_family)(arg / 1000));
    const int p = arg % 1000;
    out->samples = f->n;
    out->censored = f->censored;
    if (f->n == 0)
        return;
    if (p == 999) {
        out->value = f->censored ? f->mean_bound : f->mean;
        return;
    }
    out->value = gs_percentile(f->v, f->n, p);
    out->bound = f->censored ? gs_percentile(f->bound, f->n, p) : out->value;
    out->few = p < 100 && (double)(f->n - 1) * (100 - p) < 1000; /* fewer than 10 samples beyond */
}

static void wait_cause(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                       struct gs_value_row *out)
{
    const struct gs_tally *t = gs_tally_of(m, set);
    out->samples = t->submitted - t->rejected;
    out->censored = t->open;
    if (out->samples)
        out->value = gs_i128_to_double(t->wait[arg], 1e9) / (double)out->samples;
}

/* Milli-GPU (milli-CPU if cpu) x ns that the job asks for; an endless one until the end of the window. */
static gs_i128 demand_of(const struct gs_metrics *m, uint32_t job, int cpu)
{
    const struct gs_job *j = &m->cfg.w->jobs.v[job];
    const int64_t width = cpu ? (int64_t)j->tasks * j->cpus_milli : gs_job_milli(j);
    return (gs_i128)width *
           (j->run_ns == GS_NEVER ? m->window.to_ns - m->out[job].submit_ns : j->run_ns);
}

static double capacity_of(const struct gs_metrics *m, const struct gs_jobset *set, int cpu)
{
    const struct gs_cluster *c = m->cfg.cluster;
    if (cpu)
        return c ? (double)c->total_cpus_milli * window_s(m) / 1000 : 0;
    if (!set->sel || !(set->sel->given >> GS_SEL_GPU & 1))
        return gpu_seconds(m->up.sum);
    uint64_t gpus = 0;
    const uint32_t model = c ? gs_cluster_model(c, set->sel->gpu) : GS_NONE;
    for (uint32_t n = 0; model != GS_NONE && n < c->nnodes; n++)
        gpus += c->node_model[n] == model ? c->gpu_count[n] : 0;
    return (double)gpus * window_s(m);
}

/* The part of an open-ended window in which jobs arrive: a cluster that drains behind the last arrival is no capacity that could
 * have been asked for. 1 where the scenario says what is measured, and where all jobs come at once. */
static double arrival_share(const struct gs_metrics *m)
{
    const int64_t window = m->window.to_ns - m->window.from_ns;
    if (m->cfg.window.to_ns != GS_NEVER)
        return 1;
    int64_t last = m->window.from_ns;
    for (size_t i = 0; i < m->njobs; i++) {
        const int64_t t = m->out[i].submit_ns;
        if (t > last && t < m->window.to_ns)
            last = t;
    }
    return last > m->window.from_ns && window > 0
               ? (double)(last - m->window.from_ns) / (double)window
               : 1;
}

static void load(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                 struct gs_value_row *out)
{
    (void)arg;
    const int cpu = m->up.sum == 0;
    gs_i128 sum = 0;
    for (size_t i = 0; i < set->n; i++) {
        const uint32_t job = job_at(set, i);
        const int64_t t = m->out[job].submit_ns;
        const uint8_t state = m->out[job].state;
        const int never_fits =
            state == GS_STATE_REJECTED && gs_job_milli(&m->cfg.w->jobs.v[job]) > m->up_milli;
        if (state == GS_STATE_NEW || never_fits || t < m->window.from_ns || t >= m->window.to_ns)
            continue;
        out->samples++;
        sum += demand_of(m, job, cpu);
    }
    if (out->samples)
        out->value = ratio(gpu_seconds(sum), capacity_of(m, set, cpu) * arrival_share(m));
}

static void makespan(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                     struct gs_value_row *out)
{
    (void)arg;
    int64_t first = INT64_MAX, last = 0;
    for (size_t i = 0; i < set->n; i++) {
        const uint32_t job = job_at(set, i);
        if (!gs_metrics_counts(m, job))
            continue;
        const struct gs_outcome *o = &m->out[job];
        const int64_t submit = o->submit_ns;
        const int64_t end = o->end_ns < 0 ? m->end_ns : o->end_ns;
        out->samples++;
        out->censored += o->end_ns < 0;
        first = submit < first ? submit : first;
        last = end > last ? end : last;
    }
    if (out->samples)
        out->value = gs_seconds(last - first);
}

/* ---- fairness ---- */

struct shares {
    double *got, *wanted, *weight, *fair;
    size_t n;
};

/* GPU-seconds by queue, of the queues that wanted any. */
static struct shares shares_of(const struct gs_metrics *m)
{
    const size_t nq = m->cfg.w->queues.n;
    struct shares s = {GS_NEW_N(double, nq), GS_NEW_N(double, nq), GS_NEW_N(double, nq),
                       GS_NEW_N(double, nq), 0};
    for (size_t q = 0; q < nq; q++) {
        if (m->queue_acc[q].wanted.sum == 0)
            continue;
        s.got[s.n] = gpu_seconds(m->queue_acc[q].held.sum);
        s.wanted[s.n] = gpu_seconds(m->queue_acc[q].wanted.sum);
        s.weight[s.n++] = m->cfg.w->queues.v[q].weight;
    }
    return s;
}

static void shares_free(struct shares *s)
{
    gs_free(s->got);
    gs_free(s->wanted);
    gs_free(s->weight);
    gs_free(s->fair);
}

static void jain(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                 struct gs_value_row *out)
{
    (void)set;
    (void)arg;
    struct shares s = shares_of(m);
    size_t n = 0;
    for (size_t q = 0; q < s.n; q++)
        if (s.weight[q] > 0)
            s.fair[n++] = s.got[q] / s.weight[q];
    out->samples = n;
    if (n)
        out->value = gs_jain(s.fair, n);
    shares_free(&s);
}

static void share_error(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                        struct gs_value_row *out)
{
    (void)set;
    (void)arg;
    struct shares s = shares_of(m);
    struct gs_sum got = {0}, fair = {0}, error = {0};
    gs_max_min(s.wanted, s.weight, s.n, gpu_seconds(m->up.sum), s.fair);
    for (size_t q = 0; q < s.n; q++) {
        gs_sum_add(&got, s.got[q]);
        gs_sum_add(&fair, s.fair[q]);
    }
    const double g = gs_sum_get(&got), f = gs_sum_get(&fair);
    for (size_t q = 0; g > 0 && f > 0 && q < s.n; q++) {
        const double d = s.got[q] / g - s.fair[q] / f;
        gs_sum_add(&error, d < 0 ? -d : d);
    }
    out->samples = s.n;
    if (g > 0 && f > 0)
        out->value = gs_sum_get(&error) / 2;
    shares_free(&s);
}

static void verdict(struct gs_metrics *m, const struct gs_jobset *set, int arg,
                    struct gs_value_row *out)
{
    (void)set;
    (void)arg;
    out->value = (double)m->verdict;
    out->samples = 1;
}

/* ---- the public side ---- */

const struct gs_metric *gs_metric_table(size_t *n)
{
    *n = NMETRICS;
    return table;
}

size_t gs_metric_find(const char *name, size_t len)
{
    for (size_t i = 0; i < NMETRICS; i++)
        if (strlen(table[i].name) == len && memcmp(table[i].name, name, len) == 0)
            return i;
    return SIZE_MAX;
}

static const char *nearest_metric(const char *name)
{
    const char *names[NMETRICS];
    for (size_t i = 0; i < NMETRICS; i++)
        names[i] = table[i].name;
    return gs_nearest(name, names, NMETRICS);
}

enum gs_rc gs_metric_eval_row(struct gs_metrics *m, size_t i, const struct gs_jobset *set,
                              struct gs_value_row *out, struct gs_err *err)
{
    gs_require(i < NMETRICS && m->end_ns >= 0);
    const uint32_t given = set->sel ? set->sel->given : 0;
    if (given && rules[i].takes == TAKES_NONE)
        return gs_fail(err, GS_E_INPUT, "metric %s takes no selector", table[i].name);
    if ((given & ~(1u << GS_SEL_QUEUE)) && rules[i].takes == TAKES_QUEUE)
        return gs_fail(err, GS_E_INPUT, "metric %s takes only the selector key queue",
                       table[i].name);
    *out = (struct gs_value_row){.name = table[i].name,
                                 .value = (double)NAN,
                                 .bound = (double)NAN,
                                 .ci_low = (double)NAN,
                                 .ci_high = (double)NAN,
                                 .pooled = (double)NAN};
    rules[i].fn(m, set, rules[i].arg, out);
    if (isnan(out->bound))
        out->bound = out->value;
    return GS_OK;
}

/* The jobs that the selector takes, in a new array. */
static uint32_t *select_jobs(const struct gs_metrics *m, const struct gs_selector *sel, size_t *n)
{
    uint32_t *v = GS_NEW_N(uint32_t, m->njobs);
    *n = 0;
    for (uint32_t i = 0; i < m->njobs; i++)
        if (gs_selector_takes(m, sel, i))
            v[(*n)++] = i;
    return v;
}

enum gs_rc gs_metric_eval(struct gs_metrics *m, const char *expr, struct gs_value_row *out,
                          struct gs_err *err)
{
    size_t len = strcspn(expr, "{");
    const char *brace = expr[len] ? expr + len : NULL;
    while (len > 0 && expr[len - 1] == ' ')
        len--;
    const size_t i = gs_metric_find(expr, len);
    if (i == SIZE_MAX) {
        char name[128];
        (void)gs_fmt(name, sizeof name, "%.*s", (int)(len < 100 ? len : 100), expr);
        const char *near = nearest_metric(name);
        return near ? gs_fail(
                          err, GS_E_INPUT,
                          "unknown metric '%s', did you mean '%s'? (gsim help metrics lists them)",
                          name, near)
                    : gs_fail(err, GS_E_INPUT, "unknown metric '%s' (gsim help metrics lists them)",
                              name);
    }
    struct gs_jobset set = {.n = m->njobs};
    enum gs_rc rc;
    if (!brace) {
        rc = gs_metric_eval_row(m, i, &set, out, err);
    } else {
        const char *close = strchr(brace, '}');
        if (!close || close[1] != '\0')
            return gs_fail(err, GS_E_INPUT,
                           "metric '%s': the selector must end in '}', and nothing may follow",
                           expr);
        struct gs_selector sel;
        if (gs_selector_parse(m, brace + 1, (size_t)(close - brace - 1), &sel, err))
            return gs_wrap(err, "metric '%s'", expr);
        uint32_t *jobs = select_jobs(m, &sel, &set.n);
        set.v = jobs;
        set.sel = &sel;
        set.key = ++m->serial;
        rc = gs_metric_eval_row(m, i, &set, out, err);
        gs_free(jobs);
    }
    if (rc == GS_OK)
        out->name = expr;
    return rc;
}

int gs_metric_quantile(size_t i, uint32_t *family, double *p)
{
    gs_require(i < NMETRICS);
    *family = (uint32_t)rules[i].arg / 1000;
    *p = rules[i].arg % 1000;
    return rules[i].fn == figure && *p <= 100;
}

const double *gs_metrics_sorted(struct gs_metrics *m, uint32_t family, size_t *n)
{
    const struct gs_jobset all = {.n = m->njobs};
    gs_require(family < GS_FAM_COUNT);
    const struct gs_figures *f = gs_figures_of(m, &all, (enum gs_family)family);
    *n = f->n;
    return f->v;
}

size_t gs_metric_eval_all(struct gs_metrics *m, struct gs_value_row *out, size_t max)
{
    const struct gs_jobset all = {.n = m->njobs};
    size_t n = 0;
    for (; n < NMETRICS && n < max; n++)
        gs_verify(gs_metric_eval_row(m, n, &all, &out[n], NULL) == GS_OK);
    return n;
}

static void help_one(const struct gs_metric *g, enum takes takes, struct gs_buf *out)
{
    static const char *const better[] = {"lower is better", "higher is better",
                                         "neither is better"};
    static const char *const selectors[] = {"no selector", "selector: queue", "any selector"};
    gs_buf_fmt(out, "%s [%s], %s, %s\n    %s\n", g->name, g->units, better[g->direction],
               selectors[takes], g->definition);
}

/* A family's name ("jobs.wait") stands for all of its figures. */
static int help_family(const char *name, struct gs_buf *out)
{
    const size_t n = strlen(name);
    int found = 0;
    for (size_t i = 0; i < NMETRICS; i++) {
        if (strncmp(table[i].name, name, n) != 0 || table[i].name[n] != '.')
            continue;
        help_one(&table[i], rules[i].takes, out);
        found = 1;
    }
    return found;
}

void gs_metric_help(const char *name, struct gs_buf *out)
{
    if (name && help_family(name, out))
        return;
    if (name) {
        const size_t i = gs_metric_find(name, strcspn(name, "{"));
        if (i != SIZE_MAX) {
            help_one(&table[i], rules[i].takes, out);
            return;
        }
        const char *near = nearest_metric(name);
        gs_buf_fmt(out, "no metric '%s'%s%s%s\n", name, near ? ", did you mean '" : "",
                   near ? near : "", near ? "'?" : "");
        return;
    }
    for (size_t i = 0; i < NMETRICS; i++)
        help_one(&table[i], rules[i].takes, out);
    gs_buf_str(
        out,
        "\nA selector narrows the jobs: jobs.wait.p95{queue=prod, kind=training, gpus=8..64}.\n"
        "Keys: queue (with its subtree), user, kind, priority, gpus, gpu (model), state, hour (of the day of submission).\n"
        "Over replications +/- and [low, high] are the 95 % interval of the mean; 'pooled' is the quantile of all\n"
        "replications' jobs taken together, which the mean of their quantiles need not be.\n"
        "A job that has not started or ended counts as +infinity in percentiles and at its time so far in means.\n"
        "Finish-time fairness is not among them: it needs a run of each job alone.\n");
}

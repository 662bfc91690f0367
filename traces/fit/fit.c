/* fit.c - from jobs to a [workload] section: what is counted, what is fitted, and the text.
 *
 * Weights. A few days of a trace can hold most of its jobs: a sweep of some thousand, submitted by one script. Such flurries are real
 * but not representative, and what is fitted to them fits nothing else (Tsafrir and Feitelson, "Instability in Parallel Job
 * Scheduling Simulation: the Role of Workload Flurries", IPDPS 2006). So no day counts for more than the median day: a job weighs
 * min(1, median / jobs of its day) wherever a shape is fitted - distributions of gaps and run times, shares of sizes and owners,
 * the week. Totals stay what they are: number of jobs, dispersion, and the GPU-hours of a class, for the load is what a cluster
 * feels: the mean run time that its mixture is held to is the one at which the jobs that the section makes of the class
 * ask for the hours that the trace's did (see mean_for). Of a class of one size, every job counted, that is the plain mean.
 *
 * Sizes get a class of run times of their own where there are enough jobs of them, else with their neighbours. Owners follow Zipf's law, the
 * exponent by maximum likelihood. CPUs, memory, priorities and dependences are not fitted. */
#include "traces/fit/fit.h"

#include "sim/base/fmath.h"
#include "sim/base/mem.h"
#include "sim/base/sort.h"
#include "sim/base/units.h"
#include "traces/synth/arrivals.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

#define DAY_S       86400.0
#define DAYS_LEAST  5   /* fewer days: every job counts as it is */
#define CLASS_LEAST 150 /* jobs of a class of run times */
#define SIZES_MOST  60  /* in `gpus` and `share`; those of least weight are taken for the nearest */
#define MEAN_FACTOR \
    1.5                /* the mean that a class is held to, over its jobs' own: at most, at least */
#define NAMES_SHOWN 40 /* of tenants */

/* ---- Jobs -------------------------------------------------------------------------------------- */

static double round_to(double x, double resolution)
{
    return resolution > 0 ? floor(x / resolution + 0.5) * resolution : x;
}

static int is_whole_second(int64_t ns)
{
    return ns % GS_SECOND == 0;
}

static uint32_t cpus_of(const struct gs_job *j)
{
    const int64_t cpus = (j->cpus_milli * j->tasks + 999) / 1000;
    return cpus < 1 ? 1 : cpus > 1000000 ? 1000000 : (uint32_t)cpus;
}

/* Jobs with GPUs and an end. A trace without GPUs is taken with its CPU jobs, as one size. */
static struct gs_fit_jobs collect(const struct gs_workload *w, struct gs_fit *f)
{
    struct gs_fit_jobs j = {0};
    const size_t n = w->jobs.n;
    int has_gpus = 0;
    int whole = 1;
    for (size_t i = 0; i < n; i++) {
        has_gpus |= w->jobs.v[i].gpus > 0;
        whole &= is_whole_second(w->jobs.v[i].submit_ns);
    }
    j.t = GS_NEW_N(double, n);
    j.run = GS_NEW_N(double, n);
    j.w = GS_NEW_N(double, n);
    j.gpus = GS_NEW_N(uint32_t, n);
    j.part = GS_NEW_N(uint32_t, n);
    j.queue = GS_NEW_N(uint32_t, n);
    j.user = GS_NEW_N(uint32_t, n);
    j.size = GS_NEW_N(double, n);
    f->resolution_s = whole ? 1 : 0;
    f->has_gpus = has_gpus;
    for (size_t i = 0; i < n; i++) {
        const struct gs_job *job = &w->jobs.v[i];
        f->endless += job->run_ns == GS_NEVER;
        f->cpu_jobs += job->run_ns != GS_NEVER && has_gpus && job->gpus == 0;
        if (job->run_ns == GS_NEVER || (has_gpus && job->gpus == 0))
            continue;
        f->first_ns = j.n ? f->first_ns : job->submit_ns;
        j.t[j.n] = (double)(job->submit_ns - f->first_ns) / 1e9;
        j.run[j.n] = round_to((double)job->run_ns / 1e9, f->resolution_s);
        j.gpus[j.n] = job->gpus;
        j.part[j.n] = has_gpus ? (job->share_milli ? job->share_milli : 1000) : cpus_of(job);
        j.size[j.n] = (job->gpus ? job->gpus / 1000.0 : 1) * j.part[j.n];
        f->kinds[job->kind]++;
        f->largest = job->gpus > f->largest ? job->gpus : f->largest;
        if (!has_gpus && j.part[j.n] > f->largest_cpus)
            f->largest_cpus = j.part[j.n];
        j.queue[j.n] = job->queue;
        j.user[j.n++] = job->user;
    }
    return j;
}

static void free_jobs(struct gs_fit_jobs *j)
{
    void *all[] = {j->t, j->run, j->w, j->size, j->gpus, j->part, j->queue, j->user};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        gs_free(all[i]);
}

/* See the head of the file. Days are those of the local clock. */
static void weigh(struct gs_fit_jobs *j, size_t n, int64_t clock_ns, size_t days_least)
{
    const int64_t clock_s = clock_ns / GS_SECOND;
    const double shift = fmod((double)clock_s, DAY_S);
    const size_t days = (size_t)((j->t[n - 1] + shift) / DAY_S) + 1;
    double *count = GS_NEW_N(double, days);
    double *busy = GS_NEW_N(double, days);
    size_t nbusy = 0;
    for (size_t i = 0; i < n; i++)
        count[(size_t)((j->t[i] + shift) / DAY_S)] += 1;
    for (size_t d = 0; d < days; d++)
        if (count[d] > 0)
            busy[nbusy++] = count[d];
    gs_sort_doubles(busy, nbusy);
    const double median = gs_quantile(busy, nbusy, 0.5);
    for (size_t i = 0; i < n; i++) {
        const double c = count[(size_t)((j->t[i] + shift) / DAY_S)];
        j->w[i] = nbusy >= days_least && c > median ? median / c : 1;
    }
    gs_free(count);
    gs_free(busy);
}

/* ---- Counted values ---------------------------------------------------------------------------- */

struct tally {
    uint32_t value;
    uint64_t n;
    double w;
};

typedef GS_VEC(struct tally) tallies;

static int by_value(const void *a, const void *b, const void *ctx)
{
    const uint32_t x = ((const struct tally *)a)->value;
    const uint32_t y = ((const struct tally *)b)->value;
    (void)ctx;
    return (x > y) - (x < y);
}

static int by_weight(const void *a, const void *b, const void *ctx)
{
    const struct tally *x = a;
    const struct tally *y = b;
    (void)ctx;
    return x->w > y->w ? -1 : x->w < y->w ? 1 : (x->value > y->value) - (x->value < y->value);
}

static int by_demand(const void *a, const void *b, const void *ctx)
{
    const struct tally *x = a;
    const struct tally *y = b;
    const double p = x->w * x->value;
    const double q = y->w * y->value;
    (void)ctx;
    return p > q ? -1 : p < q ? 1 : (x->value > y->value) - (x->value < y->value);
}

/* Distinct values in rising order. */
static void tally_of(const uint32_t *v, const double *w, size_t n, tallies *out)
{
    struct tally *all = GS_NEW_N(struct tally, n);
    for (size_t i = 0; i < n; i++)
        all[i] = (struct tally){v[i], 1, w[i]};
    gs_sort(all, n, sizeof *all, by_value, NULL);
    for (size_t i = 0; i < n; i++) {
        if (out->n == 0 || gs_vec_last(out).value != all[i].value) {
            gs_vec_push(out, all[i]);
            continue;
        }
        gs_vec_last(out).n++;
        gs_vec_last(out).w += all[i].w;
    }
    gs_free(all);
}

/* Keeps the SIZES_MOST heaviest, by what the jobs ask for: a few large jobs are much of the load. The weight of the others goes
 * to the nearest kept. */
static void thin_out(tallies *t)
{
    if (t->n <= SIZES_MOST)
        return;
    gs_sort(t->v, t->n, sizeof *t->v, by_demand, NULL);
    for (size_t i = SIZES_MOST; i < t->n; i++) {
        size_t near = 0;
        for (size_t k = 1; k < SIZES_MOST; k++) {
            const double d = fabs((double)t->v[k].value - (double)t->v[i].value);
            near = d < fabs((double)t->v[near].value - (double)t->v[i].value) ? k : near;
        }
        t->v[near].w += t->v[i].w;
        t->v[near].n += t->v[i].n;
    }
    t->n = SIZES_MOST;
    gs_sort(t->v, t->n, sizeof *t->v, by_value, NULL);
}

/* "choice 1:0.93 2:0.02", six values a line. */
static void write_choice(const tallies *t, const char *unit, struct gs_buf *out)
{
    double total = 0;
    for (size_t i = 0; i < t->n; i++)
        total += t->v[i].w;
    gs_buf_str(out, "choice");
    for (size_t i = 0; i < t->n; i++)
        gs_buf_fmt(out, "%s%u%s:%.6f", i % 6 || i == 0 ? " " : "\n    ", t->v[i].value, unit,
                   t->v[i].w / total);
}

/* Zipf's exponent by maximum likelihood: the mean of ln rank under the law equals that of the sample. Bisection, both are monotone. */
static double zipf_exponent(const tallies *ranked)
{
    double total = 0;
    double mean = 0;
    for (size_t k = 0; k < ranked->n; k++) {
        total += ranked->v[k].w;
        mean += ranked->v[k].w * gs_log((double)k + 1);
    }
    mean /= total;
    double lo = 0.01;
    double hi = 6;
    for (int i = 0; i < 50; i++) {
        const double s = (lo + hi) / 2;
        double norm = 0;
        double sum = 0;
        for (size_t k = 0; k < ranked->n; k++) {
            const double p = gs_exp(-s * gs_log((double)k + 1));
            norm += p;
            sum += p * gs_log((double)k + 1);
        }
        if (sum / norm > mean)
            lo = s; /* too flat */
        else
            hi = s;
    }
    return (lo + hi) / 2;
}

/* A name is a text of the trace: it goes into a comment, so that a line end in it would be one of the scenario. */
static void write_name(const char *name, struct gs_buf *out)
{
    char shown[32];
    size_t n = 0;
    for (; name[n] && n + 1 < sizeof shown; n++)
        shown[n] = name[n];
    while (n > 0 && name[n] && ((unsigned char)name[n] & 0xc0) == 0x80)
        n--; /* cut between characters */
    for (size_t i = 0; i < n; i++)
        shown[i] = (unsigned char)shown[i] < ' ' || shown[i] == 127 ? '?' : shown[i];
    shown[n] = 0;
    gs_buf_str(out, shown);
}

/* ";   q0 vc1, q1 vc2, ...", four a line: a line of a scenario is at most 198 bytes long. */
static void write_legend(const struct gs_workload *w, const tallies *ranked, struct gs_buf *out)
{
    for (size_t i = 0; i < ranked->n && i < NAMES_SHOWN; i++) {
        gs_buf_fmt(out, "%sq%zu ", i == 0 ? ";   " : i % 4 ? ", " : ",\n;   ", i);
        write_name(gs_intern_str(w->str, w->queues.v[ranked->v[i].value].name), out);
    }
    gs_buf_str(out, ranked->n > NAMES_SHOWN ? ", ...\n" : "\n");
}

/* Heaviest first. */
static void rank_owners(const uint32_t *v, const double *w, size_t n, tallies *out)
{
    tally_of(v, w, n, out);
    gs_sort(out->v, out->n, sizeof *out->v, by_weight, NULL);
}

static void write_zipf(const tallies *ranked, struct gs_buf *out)
{
    if (ranked->n > 1)
        gs_buf_fmt(out, "zipf n=%zu s=%.3f", ranked->n, zipf_exponent(ranked));
}

static void fit_users(struct gs_fit *f, const struct gs_fit_jobs *j)
{
    tallies t = {0};
    rank_owners(j->user, j->w, f->train_jobs, &t);
    write_zipf(&t, &f->users);
    gs_vec_free(&t);
}

/* A single tenant keeps its name, if that is a plain one. */
static void fit_queues(struct gs_fit *f, const struct gs_fit_jobs *j, const struct gs_workload *w)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    tallies t = {0};
    rank_owners(j->queue, j->w, f->train_jobs, &t);
    write_zipf(&t, &f->queues);
    if (t.n > 1) {
        write_legend(w, &t, &f->legend);
    } else {
        const char *name = gs_intern_str(w->str, w->queues.v[t.v[0].value].name);
        if (*name && !name[strspn(name, plain)] && strlen(name) < 64 &&
            strcmp(name, "default") != 0)
            gs_buf_str(&f->queue, name);
    }
    gs_vec_free(&t);
}

/* ---- Run times --------------------------------------------------------------------------------- */

/* What a job of the size asks for, at its mean over the jobs: shares of a GPU, and CPUs, are drawn apart from the run time. */
static double mean_demand(const struct gs_fit_jobs *j, size_t n, uint32_t gpus)
{
    if (gpus > 1)
        return gpus;
    double sum = 0;
    double weight = 0;
    for (size_t i = 0; i < n; i++) {
        if (j->gpus[i] != gpus)
            continue;
        sum += j->w[i] * j->size[i];
        weight += j->w[i];
    }
    return weight > 0 ? sum / weight : 1;
}

/* The mean run time of sizes from..to at which n jobs of the sizes that the section draws ask for `hours`; own where it draws none.
 * In bounds: where run times go with shares or CPUs, which the section does not know of, the shape comes first. */
static double mean_for(const struct gs_fit_jobs *j, size_t n, const tallies *drawn,
                       const struct gs_fit_class *c, double hours, double own)
{
    double total = 0;
    double demand = 0;
    for (size_t i = 0; i < drawn->n; i++) {
        const struct tally *t = &drawn->v[i];
        total += t->w;
        if (t->value >= c->from && t->value <= c->to)
            demand += t->w * mean_demand(j, n, t->value);
    }
    if (!(demand > 0))
        return own;
    const double mean = hours / ((double)n * demand / total);
    return fmin(fmax(mean, own / MEAN_FACTOR), own * MEAN_FACTOR);
}

static void fit_class(struct gs_fit *f, const struct gs_fit_jobs *j, const tallies *drawn,
                      uint32_t from, uint32_t to)
{
    struct gs_fit_class c = {.from = from, .to = to};
    double *run = GS_NEW_N(double, f->train_jobs);
    double *w = GS_NEW_N(double, f->train_jobs);
    double sum = 0;
    double hours = 0;
    for (size_t i = 0; i < f->train_jobs; i++) {
        if (j->gpus[i] < from || j->gpus[i] > to)
            continue;
        sum += j->run[i];
        hours += j->run[i] * j->size[i];
        run[c.jobs] = j->run[i];
        w[c.jobs++] = j->w[i];
    }
    struct gs_sample s = gs_sample_of(run, w, c.jobs);
    s.mean = mean_for(j, f->train_jobs, drawn, &c, hours, sum / (double)c.jobs);
    c.run = gs_lognormals_fit(&s, GS_LOGNORMALS_MOST, f->resolution_s > 0 ? f->resolution_s : 1e-3);
    gs_sample_free(&s);
    gs_free(run);
    gs_free(w);
    struct gs_buf text = {0};
    gs_lognormals_write(&c.run, &text);
    gs_vec_push(&f->classes, c);
    gs_vec_push(&f->runs, text);
}

/* Classes from the smallest size up: each takes sizes until it has jobs enough, the last is open. */
static void fit_runs(struct gs_fit *f, const struct gs_fit_jobs *j, const tallies *sizes,
                     const tallies *drawn)
{
    uint32_t from = 0;
    uint64_t n = 0;
    uint64_t left = f->train_jobs;
    for (size_t i = 0; i < sizes->n; i++) {
        n += sizes->v[i].n;
        left -= sizes->v[i].n;
        if (n < CLASS_LEAST || left < CLASS_LEAST)
            continue;
        fit_class(f, j, drawn, from, sizes->v[i].value);
        from = sizes->v[i].value + 1;
        n = 0;
    }
    fit_class(f, j, drawn, from, UINT32_MAX);
}

/* ---- All --------------------------------------------------------------------------------------- */

/* Local wall clock of the first job. */
int64_t gs_fit_clock(const struct gs_fit *f, const struct gs_fit_options *o)
{
    return gs_arrival_clock(o->origin_unix_ns, o->origin_offset_s) + f->first_ns;
}

/* Parts of a GPU, of the jobs on one; or CPUs, where no job has GPUs. */
static void fit_parts(struct gs_fit *f, const struct gs_fit_jobs *j, uint32_t gpus,
                      struct gs_buf *out)
{
    tallies parts = {0};
    uint32_t *v = GS_NEW_N(uint32_t, f->train_jobs);
    double *w = GS_NEW_N(double, f->train_jobs);
    size_t n = 0;
    int worth = gpus == 0;
    for (size_t i = 0; i < f->train_jobs; i++) {
        if (j->gpus[i] != gpus)
            continue;
        worth |= j->part[i] < 1000;
        v[n] = j->part[i];
        w[n++] = j->w[i];
    }
    tally_of(v, w, n, &parts);
    thin_out(&parts);
    if (worth && n)
        write_choice(&parts, gpus ? "m" : "", out);
    gs_vec_free(&parts);
    gs_free(v);
    gs_free(w);
}

static void fit_sizes(struct gs_fit *f, const struct gs_fit_jobs *j)
{
    tallies sizes = {0};
    tallies drawn = {0};
    tally_of(j->gpus, j->w, f->train_jobs, &sizes);
    tally_of(j->gpus, j->w, f->train_jobs, &drawn);
    f->largest_train = gs_vec_last(&sizes).value;
    thin_out(&drawn);
    fit_runs(f, j, &sizes, &drawn);
    write_choice(&drawn, "", &f->gpus);
    fit_parts(f, j, 1, &f->share);
    fit_parts(f, j, 0, &f->cpus);
    gs_vec_free(&sizes);
    gs_vec_free(&drawn);
}

static void fit_all(struct gs_fit *f, struct gs_fit_jobs *j, const struct gs_workload *w,
                    const struct gs_fit_options *o)
{
    const struct gs_times times = {.t = j->t,
                                   .w = j->w,
                                   .n = f->train_jobs,
                                   .clock_ns = gs_fit_clock(f, o),
                                   .span_s = j->t[f->train_jobs - 1],
                                   .resolution_s = f->resolution_s,
                                   .log = o->log};
    weigh(j, f->train_jobs, times.clock_ns, o->keep_flurries ? SIZE_MAX : DAYS_LEAST);
    f->process = gs_process_fit(&times);
    gs_process_write(&f->process, &f->arrivals);
    fit_sizes(f, j);
    fit_queues(f, j, w);
    fit_users(f, j);
}

enum gs_rc gs_fit_workload(const struct gs_workload *w, const struct gs_fit_options *o,
                           struct gs_fit *out, struct gs_err *err)
{
    gs_require(o->name && o->shown && o->train > 0 && o->train <= 1);
    *out = (struct gs_fit){0};
    struct gs_fit_jobs j = collect(w, out);
    out->jobs = j.n;
    out->train_jobs = (size_t)floor((double)j.n * o->train + 1e-9);
    enum gs_rc rc = GS_OK;
    if (out->train_jobs < GS_FIT_JOBS_LEAST)
        rc = gs_fail(err, GS_E_INPUT,
                     "%s: %zu jobs to fit to (of %zu that can be used; %llu have no end, %llu no "
                     "GPUs), and a fit needs at least %d",
                     o->shown, out->train_jobs, j.n, (unsigned long long)out->endless,
                     (unsigned long long)out->cpu_jobs, GS_FIT_JOBS_LEAST);
    else if (!(j.t[out->train_jobs - 1] > 0))
        rc = gs_fail(
            err, GS_E_INPUT,
            "%s: all jobs to fit to are submitted at one instant, so there are no arrivals to "
            "fit (a [workload] section without arrivals has count = N)",
            o->shown);
    if (rc == GS_OK) {
        out->span_s = j.t[j.n - 1];
        fit_all(out, &j, w, o);
        rc = gs_fit_judge(out, &j, o, err);
    }
    if (rc == GS_OK)
        gs_fit_write_section(out, o);
    free_jobs(&j);
    return rc;
}

void gs_fit_release(struct gs_fit *f)
{
    struct gs_buf *texts[] = {&f->arrivals, &f->gpus,  &f->share,  &f->cpus,   &f->queues,
                              &f->users,    &f->queue, &f->legend, &f->section};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        gs_buf_free(texts[i]);
    for (size_t i = 0; i < f->runs.n; i++)
        gs_buf_free(&f->runs.v[i]);
    gs_vec_free(&f->runs);
    gs_vec_free(&f->classes);
    gs_vec_free(&f->rows);
}

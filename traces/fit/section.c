/* section.c - the text of a fit: a head of comments that says what it is worth, [scenario], [workload], and an example to run it.
 *
 * Whoever finds the file without the report still reads in it what was met and what was missed, what was left out and what the
 * names of the trace have become. The example is commented out, and is a whole scenario once it is not: as many nodes as hold
 * the largest job, and LOAD of what they could do is what the trace asked for. */
#include "sim/base/units.h"
#include "traces/fit/fit.h"

#include <math.h>

#include "sim/base/banned.h"

#define LOAD       0.7
#define NODE_TYPE  "dgx-1-v100" /* of the catalog */
#define NODE_GPUS  8            /* that it has */
#define NODE_CPUS  64
#define NODES_MOST 10000000

static void write_verdicts(const struct gs_fit *f, struct gs_buf *out)
{
    for (size_t i = 0; i < f->rows.n; i++) {
        struct gs_buf line = {0};
        if (gs_fit_verdict(&f->rows.v[i], &line))
            gs_buf_fmt(out, ";   %s\n", gs_buf_cstr(&line));
        gs_buf_free(&line);
    }
}

static enum gs_job_kind main_kind(const struct gs_fit *f)
{
    enum gs_job_kind k = 0;
    for (int i = 1; i < GS_KIND_COUNT; i++)
        k = f->kinds[i] > f->kinds[k] ? (enum gs_job_kind)i : k;
    return k;
}

/* What the section has not of the trace. */
static void write_losses(const struct gs_fit *f, struct gs_buf *out)
{
    const enum gs_job_kind kind = main_kind(f);
    if (f->cpu_jobs)
        gs_buf_fmt(out, "; Left out: %llu jobs without GPUs.\n", (unsigned long long)f->cpu_jobs);
    if (f->endless)
        gs_buf_fmt(out, "; Left out: %llu jobs without an end.\n", (unsigned long long)f->endless);
    if (f->kinds[kind] < f->jobs)
        gs_buf_fmt(out, "; All are of kind %s, as %.1f %% of the trace's are.\n",
                   gs_job_kind_str(kind), 100 * (double)f->kinds[kind] / (double)f->jobs);
    if (f->largest > f->largest_train)
        gs_buf_fmt(
            out,
            "; Sizes above %u GPUs (up to %u) came after the jobs fitted to: there are none.\n",
            f->largest_train, f->largest);
    gs_buf_str(out, "; CPUs, memory, estimates and priorities are not fitted.\n");
    if (f->users.n)
        gs_buf_str(out, "; Users have numbers for names (u0 has most jobs).\n");
    if (f->legend.n)
        gs_buf_fmt(out, "; Tenants have numbers for names, by their share of the jobs:\n%s",
                   gs_buf_cstr(&f->legend));
}

static void write_scenario(struct gs_fit *f, const struct gs_fit_options *o)
{
    struct gs_buf *out = &f->section;
    char clock[64];
    if (o->origin_unix_ns == GS_NEVER)
        return;
    const int32_t offset = o->origin_offset_s;
    const int32_t size = offset < 0 ? -offset : offset;
    gs_buf_fmt(out, "[scenario]\nstart = %s\n",
               gs_show_clock(o->origin_unix_ns + f->first_ns, offset, clock, sizeof clock));
    if (o->zone && *o->zone)
        gs_buf_fmt(out, "zone = %s\n\n", o->zone);
    else
        gs_buf_fmt(out, "zone = %c%02d:%02d\n\n", offset < 0 ? '-' : '+', size / 3600,
                   size / 60 % 60);
}

static void write_key(struct gs_buf *out, const char *key, const struct gs_buf *value)
{
    if (value->n)
        gs_buf_fmt(out, "%s = %s\n", key, gs_buf_cstr(value));
}

static void write_runs(const struct gs_fit *f, struct gs_buf *out)
{
    for (size_t i = 0; i < f->classes.n; i++) {
        const struct gs_fit_class *c = &f->classes.v[i];
        if (f->classes.n == 1)
            gs_buf_str(out, "duration = ");
        else if (c->to == UINT32_MAX)
            gs_buf_fmt(out, "duration.%u.. = ", c->from);
        else if (c->from == c->to)
            gs_buf_fmt(out, "duration.%u = ", c->from);
        else
            gs_buf_fmt(out, "duration.%u..%u = ", c->from, c->to);
        gs_buf_fmt(out, "%s\n", gs_buf_cstr(&f->runs.v[i]));
    }
}

/* Nodes for `asked` device-hours over the span, and for one job of the largest size. */
static double nodes_for(const struct gs_fit *f, double asked, double largest, double devices)
{
    const double by_load = ceil(asked / (f->span_s / 3600) / LOAD / devices);
    const double most = fmax(fmax(by_load, ceil(largest / devices)), 1);
    return most < NODES_MOST ? most : NODES_MOST;
}

static void write_example(const struct gs_fit *f, struct gs_buf *out)
{
    const struct gs_fit_row *work = gs_fit_row(f, f->has_gpus ? "GPU-hours" : "CPU-hours");
    const double asked = work ? work->v[GS_FIT_MADE] : 0;
    const double cpus = fmax(NODE_CPUS, f->largest_cpus); /* a job without GPUs is one task */
    gs_buf_fmt(out,
               "\n; To run it, add [nodes] and [policy]: these, without their semicolons, on which "
               "it is about\n; %.0f %% of the load, or your own.\n; [nodes cluster]\n",
               100 * LOAD);
    if (f->has_gpus)
        gs_buf_fmt(out, "; type = " NODE_TYPE "\n; count = %.0f\n",
                   nodes_for(f, asked, f->largest_train, NODE_GPUS));
    else
        gs_buf_fmt(out, "; gpus = 0\n; cpus = %.0f\n; count = %.0f\n", cpus,
                   nodes_for(f, asked, cpus, cpus));
    gs_buf_str(out, "; [policy]\n; order = fifo\n; placement = bestfit\n; backfill = none\n");
}

void gs_fit_write_section(struct gs_fit *f, const struct gs_fit_options *o)
{
    struct gs_buf *out = &f->section;
    const enum gs_job_kind kind = main_kind(f);
    gs_buf_fmt(out, "; Fitted by gsim trace fit to the first %zu of %zu jobs of %s%s.\n",
               f->train_jobs, f->jobs, o->shown,
               o->keep_flurries ? "" : ";\n; no day counts for more than the median day");
    if (f->train_jobs < f->jobs)
        gs_buf_str(out, "; The rest of the jobs was kept to judge it. For use, fit all of them: "
                        "--train 1.\n");
    gs_buf_str(out, "; Its synthetic jobs (seed 1) beside the trace's:\n");
    write_verdicts(f, out);
    write_losses(f, out);
    gs_buf_str(out, "\n");
    write_scenario(f, o);
    gs_buf_fmt(out, "[workload %s]\n", o->name);
    if (kind != GS_KIND_BATCH && kind != GS_KIND_REPLICA)
        gs_buf_fmt(out, "kind = %s\n", gs_job_kind_str(kind));
    gs_buf_fmt(out, "to = %.0fs\n", ceil(f->span_s) + 1);
    write_key(out, "arrivals", &f->arrivals);
    write_key(out, "gpus", &f->gpus);
    write_key(out, "share", &f->share);
    write_key(out, "cpus", &f->cpus);
    write_key(out, "queue", &f->queue);
    write_key(out, "queues", &f->queues);
    write_key(out, "users", &f->users);
    write_runs(f, out);
    write_example(f, out);
}

/* make.c - the jobs of a [workload] section: reads its words, runs its arrivals, and gives each job its place.
 *
 * Arrivals come from sequential streams of the section, everything else about job i from streams of the job (draw.c). So a change of
 * the size distribution moves no run time, more jobs leave the first ones alone, and another section changes nothing here.
 *
 * Invariant: jobs are appended in order of arrival (a section with `after` and no arrivals: in the order of what it waits for).
 * Cost: O(jobs), about 0.3 microseconds a job for simple distributions. */
#include "sim/base/fmath.h"
#include "sim/base/units.h"
#include "sim/base/vec.h"
#include "sim/workload/pace.h"
#include "traces/synth/arrivals.h"
#include "traces/synth/estimate.h"
#include "traces/synth/maker.h"
#include "traces/synth/synth.h"
#include "traces/synth/words.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

#define JOBS_MAX    INT64_C(100000000)
#define STOP_S      3155760000.0 /* 100 years */
#define OWNERS_MAX  1000000
#define CLIENTS_MAX 100000

static enum gs_rc parse_dist(struct gs_maker *m, const char *key, const char *text, enum gs_dim dim,
                             struct gs_dist **out)
{
    if (!text)
        return GS_OK;
    const enum gs_rc rc = gs_dist_parse(text, dim, m->s->dir, &m->arena, out, m->err);
    return rc == GS_OK ? rc : gs_wrap(m->err, "[workload %s] %s", m->s->name, key);
}

/* "50" is short for "zipf n=50 s=1.1": few users submit most jobs. */
static enum gs_rc parse_owners(struct gs_maker *m, const char *key, const char *text,
                               struct gs_dist **out)
{
    char zipf[64];
    int64_t n = 0;
    if (!text)
        return GS_OK;
    if (text[0] >= '0' && text[0] <= '9') {
        const enum gs_rc rc = gs_parse_int(text, 0, OWNERS_MAX, &n, m->err);
        if (rc != GS_OK)
            return gs_wrap(m->err, "[workload %s] %s", m->s->name, key);
        if (n == 0)
            return GS_OK;
        (void)gs_fmt(zipf, sizeof zipf, "zipf n=%lld s=1.1", (long long)n);
        text = zipf;
    }
    return parse_dist(m, key, text, GS_DIM_NONE, out);
}

/* "0.1 uniform 0 1", "5%": the share of the run time is uniform where nothing is said. */
static enum gs_rc parse_early(struct gs_maker *m, const char *key, const char *text,
                              struct gs_early_end *out)
{
    if (!text)
        return GS_OK;
    const size_t n = strcspn(text, " \t\n");
    const char *rest = text + n + strspn(text + n, " \t\n");
    const enum gs_rc rc = gs_parse_ratio(gs_arena_str(&m->arena, text, n), &out->p, m->err);
    if (rc != GS_OK)
        return gs_wrap(m->err, "[workload %s] %s", m->s->name, key);
    if (!(out->p >= 0 && out->p <= 1))
        return gs_fail(m->err, GS_E_INPUT, "[workload %s] %s: %g is not a probability", m->s->name,
                       key, out->p);
    m->has_ends = 1;
    return parse_dist(m, key, *rest ? rest : "uniform 0 1", GS_DIM_NONE, &out->share);
}

/* Where the jobs of section `name` stand in the workload. */
static enum gs_rc find_section(struct gs_maker *m, const char *name)
{
    const struct gs_workload *w = m->w;
    const uint32_t id = gs_intern_find(w->str, name);
    uint32_t source = 0;
    while (source < w->sources.n && w->sources.v[source] != id)
        source++;
    size_t i = 0;
    while (i < w->jobs.n && w->jobs.v[i].source != source)
        i++;
    m->after_first = i;
    while (i < w->jobs.n && w->jobs.v[i].source == source)
        i++;
    m->after_n = i - m->after_first;
    return m->after_n
               ? GS_OK
               : gs_fail(m->err, GS_E_INPUT,
                         "[workload %s] after: no jobs of a section '%s' stand before this one",
                         m->s->name, name);
}

/* "NAME lag=5m" */
static enum gs_rc parse_after(struct gs_maker *m)
{
    struct gs_words words;
    enum gs_rc rc = gs_words_split(m->s->after, &m->arena, &words, m->err);
    if (rc != GS_OK)
        return rc;
    const struct gs_word *name = gs_words_plain(&words);
    const char *lag = gs_words_key(&words, "lag");
    if (!name)
        rc = gs_fail(m->err, GS_E_INPUT, "names no section (write 'after = NAME lag=5m')");
    if (rc == GS_OK && lag)
        rc = gs_parse_time(lag, &m->after_lag_ns, m->err);
    if (rc == GS_OK)
        rc = gs_words_done(&words, m->err);
    if (rc != GS_OK)
        return gs_wrap(m->err, "[workload %s] after", m->s->name);
    gs_require(name);
    return find_section(m, name->value);
}

static enum gs_rc parse_classes(struct gs_maker *m)
{
    const size_t n = m->s->classes.n;
    m->class_duration = /* NOLINTNEXTLINE(bugprone-sizeof-expression): a vector of pointers */
        gs_arena_alloc(&m->arena, (n + 1) * sizeof *m->class_duration, sizeof(void *));
    enum gs_rc rc = GS_OK;
    for (size_t k = 0; k < n && rc == GS_OK; k++)
        rc = parse_dist(m, "duration.SIZES", m->s->classes.v[k].duration, GS_DIM_TIME,
                        &m->class_duration[k]);
    return rc;
}

static int is_driven(const struct gs_maker *m) /* by the section that it waits for */
{
    return m->after_n > 0 && !m->s->arrivals;
}

static enum gs_rc parse_arrivals(struct gs_maker *m)
{
    const struct gs_synth *s = m->s;
    enum gs_rc rc =
        gs_arrivals_parse(s->arrivals ? s->arrivals : "batch", &m->arena, &m->arrivals, m->err);
    if (rc != GS_OK)
        return gs_wrap(m->err, "[workload %s] arrivals", s->name);
    if (s->clients > 1 && gs_arrivals_are_batch(m->arrivals))
        return gs_fail(m->err, GS_E_INPUT, "[workload %s] clients: a batch has none", s->name);
    if (s->clients > CLIENTS_MAX)
        return gs_fail(m->err, GS_E_INPUT, "[workload %s] clients: %u is over %d", s->name,
                       s->clients, CLIENTS_MAX);
    if (is_driven(m))
        return GS_OK;
    if (s->count < 0 && gs_arrivals_are_batch(m->arrivals))
        return gs_fail(m->err, GS_E_INPUT,
                       "[workload %s] arrivals: a batch needs 'count' (or give 'arrivals' a rate)",
                       s->name);
    if (s->count < 0 && s->to_ns == GS_NEVER)
        return gs_fail(m->err, GS_E_INPUT,
                       "[workload %s]: nothing ends the arrivals (set count, to, or the horizon of "
                       "[scenario])",
                       s->name);
    if (s->count > JOBS_MAX)
        return gs_fail(m->err, GS_E_INPUT, "[workload %s] count: %lld is over %lld", s->name,
                       (long long)s->count, (long long)JOBS_MAX);
    return GS_OK;
}

/* "1g.10gb" or "1g.10gb:0.7 2g.20gb:0.2 none:0.1"; which profiles there are is known when the cluster is. */
static enum gs_rc parse_mig(struct gs_maker *m)
{
    struct gs_words words;
    double sum = 0;
    if (!m->s->mig)
        return GS_OK;
    const enum gs_rc rc = gs_words_split(m->s->mig, &m->arena, &words, m->err);
    if (rc != GS_OK || words.n == 0)
        return gs_fail(m->err, GS_E_INPUT, "[workload %s] mig: '%s' names no profile", m->s->name,
                       m->s->mig);
    m->mig = gs_arena_alloc(&m->arena, words.n * sizeof *m->mig, 8);
    for (struct gs_word *w; (w = gs_words_plain(&words)) != NULL;) {
        const char *colon = strchr(w->value, ':');
        const size_t n = colon ? (size_t)(colon - w->value) : strlen(w->value);
        double weight = 1;
        if (n == 0 || w->is_group || (colon && gs_parse_real(colon + 1, &weight, m->err)) ||
            !(weight >= 0 && weight < 1e9))
            return gs_fail(m->err, GS_E_INPUT,
                           "[workload %s] mig: '%s' is not a profile, or PROFILE:WEIGHT",
                           m->s->name, w->value);
        const char *name = gs_arena_str(&m->arena, w->value, n);
        sum += weight;
        m->mig[m->nmig++] =
            (struct gs_mig_choice){strcmp(name, "none") == 0 ? 0 : gs_intern(m->w->str, name), sum};
    }
    for (size_t i = 0; i < m->nmig; i++)
        m->mig[i].end /= sum;
    return sum > 0
               ? gs_words_done(&words, m->err)
               : gs_fail(m->err, GS_E_INPUT, "[workload %s] mig: all weights are 0", m->s->name);
}

static enum gs_rc parse_all(struct gs_maker *m)
{
    const struct gs_synth *s = m->s;
    if (!s->duration && s->classes.n == 0 && !s->run_ns)
        return gs_fail(m->err, GS_E_INPUT, "[workload %s]: 'duration' is missing", s->name);
    if (s->comm + s->idle > 1)
        return gs_fail(m->err, GS_E_INPUT,
                       "[workload %s]: comm %g and idle %g together are more than the run time",
                       s->name, s->comm, s->idle);
    enum gs_rc rc = s->after ? parse_after(m) : GS_OK;
    if (rc == GS_OK)
        rc = parse_arrivals(m);
    if (rc == GS_OK)
        rc = parse_dist(m, "gpus", s->gpus ? s->gpus : "1", GS_DIM_NONE, &m->gpus);
    if (rc == GS_OK)
        rc = parse_dist(m, "duration", s->duration, GS_DIM_TIME, &m->duration);
    if (rc == GS_OK)
        rc = parse_dist(m, "share", s->share, GS_DIM_SHARE, &m->share);
    if (rc == GS_OK)
        rc = parse_mig(m);
    if (rc == GS_OK)
        rc = parse_dist(m, "cpus", s->cpus, GS_DIM_NONE, &m->cpus);
    if (rc == GS_OK)
        rc = parse_dist(m, "memory", s->memory, GS_DIM_MEMORY, &m->memory);
    if (rc == GS_OK)
        rc = parse_classes(m);
    if (rc == GS_OK)
        rc = parse_owners(m, "users", s->users, &m->users);
    if (rc == GS_OK)
        rc = parse_owners(m, "queues", s->queues, &m->queues);
    if (rc == GS_OK)
        rc = parse_early(m, "failures", s->failures, &m->failures);
    if (rc == GS_OK)
        rc = parse_early(m, "kills", s->kills, &m->kills);
    return rc;
}

static void set_model(struct gs_maker *m, uint16_t source)
{
    const struct gs_synth *s = m->s;
    m->model =
        (struct gs_job){.queue = gs_workload_queue(m->w, s->queue ? s->queue : "default"),
                        .user = GS_NONE,
                        .priority = s->priority,
                        .kind = (uint8_t)s->kind,
                        .est_source = GS_EST_NONE,
                        .end_state = m->has_ends ? GS_END_COMPLETED : GS_END_UNKNOWN,
                        .duration_source = s->run_ns ? GS_DURATION_MODEL : GS_DURATION_SYNTHETIC,
                        .train = s->train,
                        .flags = s->flags,
                        .source = source,
                        .est_ns = -1,
                        .start_ns = -1,
                        .gpu_mem_mib = s->gpu_mem_mib,
                        .comm_q = (uint32_t)(s->comm * (double)GS_ONE + 0.5),
                        .idle_q = (uint32_t)(s->idle * (double)GS_ONE + 0.5),
                        .models = s->gpu ? gs_intern(m->w->str, s->gpu) : 0};
}

enum gs_rc gs_maker_fault(struct gs_maker *m, const char *key, int64_t i, double value,
                          const char *text)
{
    return gs_fail(m->err, GS_E_INPUT, "[workload %s] %s: job %lld drew %g: %s", m->s->name, key,
                   (long long)i, value, text);
}

static enum gs_rc add_job(struct gs_maker *m, int64_t i, uint32_t client, int64_t submit_ns)
{
    struct gs_job j;
    if (i == JOBS_MAX)
        return gs_fail(m->err, GS_E_INPUT, "[workload %s]: over %lld jobs before 'to'", m->s->name,
                       (long long)JOBS_MAX);
    const enum gs_rc rc = gs_maker_draw(m, i, client, submit_ns, &j);
    if (rc == GS_OK)
        gs_vec_push(&m->w->jobs, j);
    return rc;
}

/* How many jobs at most: as written, and one for each job that is waited for. */
static int64_t most_jobs(const struct gs_maker *m)
{
    const int64_t n = m->s->count < 0 ? INT64_MAX : m->s->count;
    return m->after_n && (int64_t)m->after_n < n ? (int64_t)m->after_n : n;
}

/* A job for each job that is waited for, submitted with it at the earliest. */
static enum gs_rc draw_followers(struct gs_maker *m)
{
    enum gs_rc rc = GS_OK;
    for (int64_t i = 0; rc == GS_OK && i < most_jobs(m); i++) {
        const int64_t submit_ns = m->w->jobs.v[m->after_first + (size_t)i].submit_ns;
        rc = add_job(m, i, 0, submit_ns > m->s->from_ns ? submit_ns : m->s->from_ns);
    }
    return rc;
}

static enum gs_rc draw_jobs(struct gs_maker *m)
{
    const struct gs_synth *s = m->s;
    const double to_s =
        s->to_ns == GS_NEVER ? (double)INFINITY : (double)(s->to_ns - s->from_ns) / 1e9;
    const double stop_s = to_s < STOP_S ? to_s : STOP_S;
    struct gs_arrival_run run;
    struct gs_clients clients;
    gs_arrival_start(&run, m->arrivals, m->seed, m->section,
                     gs_arrival_clock(s->start_unix_ns, s->zone_offset_s) + s->from_ns, stop_s);
    gs_clients_start(&clients, &run, m->seed, m->section, s->clients ? s->clients : 1, s->clients_s,
                     &m->arena);
    enum gs_rc rc = GS_OK;
    for (int64_t i = 0; rc == GS_OK && i < most_jobs(m); i++) {
        uint32_t client = 0;
        const double t = gs_clients_next(&clients, &client);
        if (!(t < stop_s))
            return to_s < STOP_S ? GS_OK
                                 : gs_maker_fault(m, "arrivals", i, t, "seconds, over 100 years");
        const int64_t submit_ns = s->from_ns + gs_ns(t);
        if (submit_ns >= s->to_ns)
            return GS_OK;
        rc = add_job(m, i, client, submit_ns);
    }
    return rc;
}

enum gs_rc gs_synth_make(struct gs_workload *w, uint16_t source, uint32_t section_no, uint64_t seed,
                         const struct gs_synth *s, struct gs_err *err)
{
    gs_require(w && s && s->name && s->from_ns >= 0 && section_no < 0x4000);
    struct gs_maker m = {.w = w, .s = s, .seed = seed, .section = section_no, .err = err};
    const size_t first = w->jobs.n;
    enum gs_rc rc = parse_all(&m);
    if (rc == GS_OK) {
        set_model(&m, source);
        rc = is_driven(&m) ? draw_followers(&m) : draw_jobs(&m);
    }
    if (rc == GS_OK && s->estimate) {
        rc = gs_estimate_range(w, first, s->estimate, seed, section_no, s->dir, err);
        if (rc != GS_OK)
            rc = gs_wrap(err, "[workload %s] estimate", s->name);
    }
    for (size_t i = first; rc == GS_OK && m.has_ends && i < w->jobs.n; i++)
        gs_maker_end(&m, &w->jobs.v[i]);
    if (rc != GS_OK)
        w->jobs.n = first;
    gs_arena_release(&m.arena);
    return rc;
}

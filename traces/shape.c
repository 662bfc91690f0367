/* shape.c - the order in which a trace is shaped, and what the steps share: rebuilding a list of jobs, offered load, repetition, jitter.
 *
 * Invariant: jobs before `first` (other sources) are not touched, and a job's predecessor is a job of the same source. */
#include "traces/shape.h"

#include "sim/base/fmath.h"
#include "sim/base/mem.h"
#include "sim/base/rng.h"
#include "sim/base/units.h"
#include "traces/shape_parts.h"

#include <string.h>

#include "sim/base/banned.h"

#define LONGEST (INT64_MAX / 4)

int gs_shape_is_random(const struct gs_shape_options *o)
{
    return o->resample_block_ns > 0 || o->jitter_ns > 0 ||
           (o->load > 0 && (o->method == GS_LOAD_USERS || o->method == GS_LOAD_THIN));
}

int gs_shape_wanted(const struct gs_shape_options *o)
{
    return o->normalise != GS_NORMALISE_NONE || o->repeat > 1 || o->load > 0 ||
           o->session_gap_ns > 0 || gs_shape_is_random(o);
}

/* ---- rebuilding ---- */

/* The job of a pick; its predecessor becomes the one in `place`, 1 + its index, or none. */
static struct gs_job picked(const struct gs_shaping *s, const struct gs_job *from,
                            const uint32_t *place, const struct gs_pick *p)
{
    struct gs_job j = from[p->from];
    j.submit_ns += p->shift_ns;
    j.start_ns += j.start_ns < 0 ? 0 : p->shift_ns;
    if (!j.after)
        return j;
    j.after = place[j.after - 1 - s->first];
    j.think_ns = j.after ? j.think_ns : 0;
    return j;
}

uint64_t gs_shape_take(struct gs_shaping *s, const struct gs_pick *pick, size_t n)
{
    struct gs_workload *w = s->w;
    const size_t old = w->jobs.n - s->first;
    struct gs_job *from = GS_NEW_N(struct gs_job, old + 1);
    uint32_t *place = GS_NEW_N(uint32_t, old + 1); /* in this copy; 0 = not there */
    uint64_t cut = 0;
    memcpy(from, w->jobs.v + s->first, old * sizeof *from);
    w->jobs.n = s->first;
    gs_vec_reserve(&w->jobs, s->first + n);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && pick[end].copy == pick[i].copy; end++)
            place[pick[end].from] = (uint32_t)(s->first + end + 1);
        for (size_t k = i; k < end; k++) {
            const struct gs_job j = picked(s, from, place, &pick[k]);
            cut += from[pick[k].from].after && !j.after;
            gs_vec_push(&w->jobs, j);
        }
        for (size_t k = i; k < end; k++)
            place[pick[k].from] = 0;
    }
    gs_free(place);
    gs_free(from);
    return cut;
}

/* ---- load ---- */

struct gs_shape_span gs_shape_span_of(const struct gs_shaping *s)
{
    struct gs_shape_span span = {INT64_MAX, INT64_MIN};
    for (size_t i = s->first; i < s->w->jobs.n; i++) {
        const int64_t t = s->w->jobs.v[i].submit_ns;
        span.first_ns = t < span.first_ns ? t : span.first_ns;
        span.last_ns = t > span.last_ns ? t : span.last_ns;
    }
    return span;
}

gs_i128 gs_shape_demand(const struct gs_shaping *s, const struct gs_job *j, int64_t last_ns)
{
    const int cpu = s->site->gpu_milli == 0;
    const int64_t width = cpu ? (int64_t)j->tasks * j->cpus_milli : gs_job_milli(j);
    if (width > (cpu ? s->site->cpus_milli : s->site->gpu_milli))
        return 0;
    return (gs_i128)width * (j->run_ns == GS_NEVER ? last_ns - j->submit_ns : j->run_ns);
}

double gs_shape_load(const struct gs_shaping *s)
{
    const struct gs_shape_span span = gs_shape_span_of(s);
    const int64_t capacity = s->site->gpu_milli ? s->site->gpu_milli : s->site->cpus_milli;
    gs_i128 sum = 0;
    if (span.last_ns <= span.first_ns || capacity <= 0)
        return 0;
    for (size_t i = s->first; i < s->w->jobs.n; i++)
        sum += gs_shape_demand(s, &s->w->jobs.v[i], span.last_ns);
    return gs_i128_to_double(sum, 1e12) /
           ((double)capacity / 1e3 * ((double)(span.last_ns - span.first_ns) / 1e9));
}

static int64_t scaled(int64_t ns, double by)
{
    const double x = (double)ns * by;
    if (ns <= 0)
        return ns;
    return x >= (double)LONGEST ? LONGEST : x < 1 ? 1 : (int64_t)gs_rint_even(x);
}

void gs_shape_scale_work(struct gs_shaping *s, struct gs_job *j, double by, int estimates)
{
    if (j->run_ns == GS_NEVER)
        return;
    if (estimates && j->est_ns > 0)
        j->est_ns = scaled(j->est_ns, by);
    if (j->attempts == 0) {
        j->run_ns = scaled(j->run_ns, by);
        return;
    }
    /* A row of attempts may be shared with a repetition of the job: it gets rows of its own. */
    const uint32_t first = (uint32_t)s->w->attempts.n;
    j->run_ns = 0;
    for (uint32_t i = 0; i < j->attempts; i++) {
        struct gs_job_attempt a = s->w->attempts.v[j->attempt_first + i];
        a.run_ns = scaled(a.run_ns, by);
        j->run_ns += a.run_ns;
        gs_vec_push(&s->w->attempts, a);
    }
    j->attempt_first = first;
}

/* ---- repetition and jitter ---- */

/* Each copy begins a mean gap after the last submission of the one before. */
static enum gs_rc repeat(struct gs_shaping *s, struct gs_err *err)
{
    const size_t n = s->w->jobs.n - s->first;
    const struct gs_shape_span span = gs_shape_span_of(s);
    const uint32_t times = s->o->repeat;
    const int64_t length = span.last_ns - span.first_ns;
    const int64_t period = length + (n > 1 ? length / (int64_t)(n - 1) : 0);
    if (n == 0)
        return GS_OK;
    if ((uint64_t)n * times > UINT32_MAX / 2 || period > LONGEST / times)
        return gs_fail(err, GS_E_INPUT, "repeat: %zu jobs, %u times, are too many", n, times);
    struct gs_pick *pick = GS_NEW_N(struct gs_pick, n * times);
    for (uint32_t c = 0; c < times; c++)
        for (size_t i = 0; i < n; i++)
            pick[c * n + i] = (struct gs_pick){(uint32_t)i, c, c * period};
    (void)gs_shape_take(s, pick, n * times);
    gs_free(pick);
    char t[64];
    gs_buf_fmt(&s->said, "repeated %u times, every %s (hours of the day are not kept in step)\n",
               times, gs_show_time((double)period / 1e9, t, sizeof t));
    return GS_OK;
}

static void jitter(struct gs_shaping *s)
{
    uint64_t held = 0;
    const int64_t most = s->o->jitter_ns;
    for (size_t i = s->first; i < s->w->jobs.n; i++) {
        struct gs_job *j = &s->w->jobs.v[i];
        struct gs_stream g;
        gs_stream_init(&g, s->seed, GS_RNG_JITTER, j->source, (uint32_t)(i - s->first));
        int64_t by = (int64_t)gs_below(&g, 2 * (uint64_t)most + 1) - most;
        held += by < -j->submit_ns;
        by = by < -j->submit_ns ? -j->submit_ns : by;
        j->submit_ns += by;
        j->start_ns += j->start_ns < 0 ? 0 : by;
    }
    char t[64];
    gs_buf_fmt(&s->said, "submissions moved by up to %s at random (held at t = 0: %llu)\n",
               gs_show_time((double)most / 1e9, t, sizeof t), (unsigned long long)held);
}

/* ---- all of it ---- */

static enum gs_rc apply(struct gs_shaping *s, struct gs_err *err)
{
    const struct gs_shape_options *o = s->o;
    enum gs_rc rc = GS_OK;
    gs_shape_note_responses(s);
    if (o->normalise != GS_NORMALISE_NONE)
        rc = gs_shape_normalise(s, err);
    if (!rc && o->repeat > 1)
        rc = repeat(s, err);
    if (!rc && o->resample_block_ns > 0)
        rc = gs_shape_resample(s, err);
    if (!rc && o->jitter_ns > 0)
        jitter(s);
    if (!rc && o->load > 0)
        rc = gs_shape_set_load(s, err);
    if (rc)
        return rc;
    if (o->session_gap_ns > 0)
        rc = gs_shape_feedback(s, err);
    if (rc)
        return rc;
    for (size_t i = s->first; i < s->w->jobs.n; i++)
        if (!s->w->jobs.v[i].after)
            s->w->jobs.v[i].think_ns = 0; /* the response times */
    return GS_OK;
}

enum gs_rc gs_shape_apply(struct gs_workload *w, size_t first_job, const struct gs_shape_options *o,
                          const struct gs_shape_site *site, uint64_t seed,
                          struct gs_shape_report *out, struct gs_err *err)
{
    struct gs_shaping s = {
        .w = w, .first = first_job, .o = o, .site = site, .seed = seed, .out = out};
    *out = (struct gs_shape_report){0};
    out->jobs_before = w->jobs.n - first_job;
    out->load_before = gs_shape_load(&s);
    const enum gs_rc rc = gs_shape_wanted(o) ? apply(&s, err) : GS_OK;
    out->jobs_after = w->jobs.n - first_job;
    out->load_after = gs_shape_load(&s);
    if (s.said.n > 0)
        s.said.n--; /* the last line's end */
    (void)gs_fmt(out->said, sizeof out->said, "%.*s", (int)s.said.n, gs_buf_cstr(&s.said));
    gs_buf_free(&s.said);
    return rc;
}

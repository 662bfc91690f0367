/* shape_resample.c - `resample = days block=1d`: other weeks that look like the trace, for intervals over replications.
 *
 * A moving block bootstrap over days (Kuensch, Annals of Statistics 17, 1989): the days of the trace are filled, block by block, with
 * days of the trace drawn with replacement. A block begins on the weekday that it replaces, so the week keeps its shape; days
 * within a block keep their order, so what lasts longer than a day survives in longer blocks. Days are local, midnight to midnight. The first
 * and the last day are as a rule cut off, so they are neither drawn nor replaced. Jobs keep their time of day and all their
 * properties. A dependency on a job of another block is cut, and counted. */
#include "sim/base/mem.h"
#include "sim/base/rng.h"
#include "traces/shape_parts.h"

#include "sim/base/banned.h"

#define DAY_NS (INT64_C(86400) * GS_SECOND)

struct calendar {
    int64_t since_midnight; /* local time of day of t = 0 */
    int64_t first_day;      /* of the trace, counted from the day of t = 0 */
    uint32_t days;
    uint32_t *day_of; /* [jobs] */
    uint32_t *begin;  /* [days + 1] into jobs, ... */
    uint32_t *jobs;   /* ... jobs by day, in the order of the source */
};

static int64_t floor_day(int64_t ns)
{
    return ns >= 0 ? ns / DAY_NS : -((-ns + DAY_NS - 1) / DAY_NS);
}

static void calendar_make(struct calendar *c, const struct gs_shaping *s)
{
    const size_t n = s->w->jobs.n - s->first;
    const struct gs_job *j = s->w->jobs.v + s->first;
    const struct gs_shape_span span = gs_shape_span_of(s);
    const int64_t origin = s->site->local_origin_ns == GS_NEVER ? 0 : s->site->local_origin_ns;
    c->since_midnight = (origin % DAY_NS + DAY_NS) % DAY_NS;
    c->first_day = floor_day(span.first_ns + c->since_midnight);
    c->days = (uint32_t)(floor_day(span.last_ns + c->since_midnight) - c->first_day + 1);
    c->day_of = GS_NEW_N(uint32_t, n);
    c->jobs = GS_NEW_N(uint32_t, n);
    c->begin = GS_NEW_N(uint32_t, c->days + 2u);
    for (size_t i = 0; i < n; i++) {
        c->day_of[i] = (uint32_t)(floor_day(j[i].submit_ns + c->since_midnight) - c->first_day);
        c->begin[c->day_of[i] + 2]++;
    }
    for (uint32_t d = 2; d <= c->days + 1; d++)
        c->begin[d] += c->begin[d - 1];
    for (size_t i = 0; i < n; i++)
        c->jobs[c->begin[c->day_of[i] + 1]++] = (uint32_t)i;
}

static void calendar_free(struct calendar *c)
{
    gs_free(c->day_of);
    gs_free(c->begin);
    gs_free(c->jobs);
}

/* Days on which a block of that length that replaces day d may begin: same weekday, nothing of the first and last day. */
static uint32_t choices(const struct calendar *c, uint32_t d, uint32_t length, uint32_t *first)
{
    const uint32_t last = c->days - 1 - length; /* the latest beginning */
    *first = d % 7 ? d % 7 : 7;
    return *first > last ? 0 : (last - *first) / 7 + 1;
}

/* Puts the jobs of days from .. from + length at day d. */
static size_t put_days(const struct calendar *c, struct gs_pick *pick, size_t n, uint32_t d,
                       uint32_t from, uint32_t length, uint32_t copy)
{
    const int64_t shift = ((int64_t)d - from) * DAY_NS;
    for (uint32_t k = c->begin[from]; k < c->begin[from + length]; k++)
        pick[n++] = (struct gs_pick){c->jobs[k], copy, shift};
    return n;
}

struct draw {
    uint32_t d, from, length;
};

typedef GS_VEC(struct draw) draws_vec;

/* The day that block number `no`, at day d, is taken from; d itself where there is no other. */
static uint32_t draw_day(const struct gs_shaping *s, const struct calendar *c, uint32_t d,
                         uint32_t length, uint32_t no)
{
    uint32_t first = 0;
    const uint32_t n = choices(c, d, length, &first);
    struct gs_stream g;
    gs_stream_init(&g, s->seed, GS_RNG_RESAMPLE, s->w->jobs.v[s->first].source, no);
    return n > 1 ? first + 7 * (uint32_t)gs_below(&g, n) : d;
}

/* What stands where; returns the number of blocks that had a choice. */
static uint32_t draw_blocks(const struct gs_shaping *s, const struct calendar *c, draws_vec *out)
{
    const uint32_t block = (uint32_t)(s->o->resample_block_ns / DAY_NS);
    uint32_t chosen = 0, no = 0;
    gs_vec_push(out, (struct draw){0, 0, 1});
    for (uint32_t d = 1; d + 1 < c->days; no++) {
        const uint32_t left = c->days - 1 - d, length = block < left ? block : left;
        uint32_t first = 0;
        chosen += choices(c, d, length, &first) > 1;
        gs_vec_push(out, (struct draw){d, draw_day(s, c, d, length, no), length});
        d += length;
    }
    if (c->days > 1)
        gs_vec_push(out, (struct draw){c->days - 1, c->days - 1, 1});
    return chosen;
}

enum gs_rc gs_shape_resample(struct gs_shaping *s, struct gs_err *err)
{
    struct calendar c = {0};
    draws_vec draws = {0};
    if (s->w->jobs.n == s->first)
        return GS_OK;
    calendar_make(&c, s);
    const uint32_t chosen = draw_blocks(s, &c, &draws);
    size_t n = 0;
    for (size_t i = 0; i < draws.n; i++)
        n += c.begin[draws.v[i].from + draws.v[i].length] - c.begin[draws.v[i].from];
    enum gs_rc rc = GS_OK;
    if (!chosen)
        rc = gs_fail(err, GS_E_INPUT,
                     "resample: the trace has %u days: with weekdays kept there is no other day to "
                     "draw in place of any (that takes two weeks and two days at least)",
                     c.days);
    if (!rc) {
        struct gs_pick *pick = GS_NEW_N(struct gs_pick, n + 1);
        size_t at = 0;
        for (size_t i = 0; i < draws.n; i++)
            at = put_days(&c, pick, at, draws.v[i].d, draws.v[i].from, draws.v[i].length,
                          (uint32_t)i);
        const uint64_t cut = gs_shape_take(s, pick, n);
        gs_free(pick);
        gs_buf_fmt(
            &s->said,
            "%u days resampled in blocks of %lld, weekdays kept (%u of %zu blocks had a choice; "
            "dependencies cut: %llu)\n",
            c.days, (long long)(s->o->resample_block_ns / DAY_NS), chosen, draws.n - 2,
            (unsigned long long)cut);
    }
    gs_vec_free(&draws);
    calendar_free(&c);
    return rc;
}

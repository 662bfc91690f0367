/* shape_load.c - `load = X%`: the same trace on a cluster that it loads more, or less.
 *
 * Load is demand over capacity between the first and the last submission. Each way to change it distorts something, and says so:
 *   users     whole users are taken, in random order, until the load is reached: each user's behaviour stays, the mix of tenants changes
 *   thin      single jobs are, likewise: sizes and hours stay, what a user's jobs have to do with each other is lost
 *   compress  the time between submissions is scaled: jobs stay, hours of the day and think times do not
 *   size      run times are scaled: submissions stay, the distribution of run times does not
 *
 * More than there is: users and jobs are repeated. A repeated user is a new one whose submissions are moved around the trace by whole days
 * (whole weeks where there are two); a repeated job comes when some other job does. The units are taken in an order of keyed draws, and
 * one is taken if that brings the load closer; of up to 256 orders the first that comes within 0.2 % is used, else the closest: users are
 * few and large. What came of it is in the report. That scaling a trace distorts it is a known trap (Frachtenberg and Feitelson,
 * "Pitfalls in parallel job scheduling evaluation", JSSPP 2005). O(n log n) an order. */
#include "sim/base/fmath.h"
#include "sim/base/mem.h"
#include "sim/base/rng.h"
#include "sim/base/sort.h"
#include "traces/shape_parts.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

#define DAY_NS       (INT64_C(86400) * GS_SECOND)
#define TRIES        256
#define CLOSE_ENOUGH 0.002

static const char *const distorts[] = {
    [GS_LOAD_USERS] = "users: the mix of tenants is another",
    [GS_LOAD_THIN] = "thin: what the jobs of one user have to do with each other is lost",
    [GS_LOAD_COMPRESS] = "compress: hours of the day and think times are not the recorded ones",
    [GS_LOAD_SIZE] = "size: the run times are not the recorded ones",
};

/* ---- a random choice of units: jobs or users ---- */

struct unit {
    gs_i128 demand;
    uint64_t key;
    uint32_t id;
};

static int by_key(const void *a, const void *b, const void *ctx)
{
    const struct unit *x = a;
    const struct unit *y = b;
    (void)ctx;
    return (x->key > y->key) - (x->key < y->key);
}

static gs_i128 magnitude(gs_i128 x)
{
    return x < 0 ? -x : x;
}

/* How often each unit is taken, by id, so that their demand is about total x ratio: a unit is taken if that brings it closer. Units without demand are taken in proportion.
 * Returns how far off it is, as a share of total x ratio. */
static double choose(struct unit *u, size_t n, gs_i128 total, double ratio, uint32_t *times)
{
    const uint32_t whole = (uint32_t)ratio;
    const double part = ratio - whole;
    const gs_i128 room = (gs_i128)(part * (double)total);
    const uint64_t key_most =
        (uint64_t)(part * 18446744073709549568.0); /* the largest double below 2^64 */
    gs_i128 sum = 0;
    gs_sort(u, n, sizeof *u, by_key, NULL);
    for (size_t i = 0; i < n; i++) {
        const int more = u[i].demand ? magnitude(room - sum - u[i].demand) < magnitude(room - sum)
                                     : u[i].key < key_most;
        sum += more ? u[i].demand : 0;
        times[u[i].id] = whole + (uint32_t)more;
    }
    return (double)magnitude(room - sum) / ((double)total * ratio);
}

/* A new order: a key each. Units of key 0 stay first. */
static void draw_order(const struct gs_shaping *s, struct unit *u, size_t n, uint32_t try)
{
    for (size_t i = 0; i < n; i++) {
        struct gs_stream g;
        gs_stream_init(&g, gs_mix64(s->seed, UINT64_C(1) << 32 | try), GS_RNG_LOAD,
                       s->w->jobs.v[s->first].source, u[i].id);
        u[i].key = u[i].key ? gs_u64(&g) | 1 : 0;
    }
}

/* The first order that comes close enough, or else the closest. */
static void choose_best(const struct gs_shaping *s, struct unit *u, size_t n, gs_i128 total,
                        double ratio, uint32_t *times)
{
    uint32_t *tried = GS_NEW_N(uint32_t, n);
    double best = (double)INFINITY;
    for (uint32_t try = 0; try < TRIES && best > CLOSE_ENOUGH; try++) {
        draw_order(s, u, n, try);
        const double off = choose(u, n, total, ratio, tried);
        if (off >= best)
            continue;
        best = off;
        memcpy(times, tried, n * sizeof *times);
    }
    gs_free(tried);
}

/* The units of a source, and their demand. Where some are left out, the first and the last submission are pinned, so that the span stays. */

/* ---- thin ---- */

/* One more time at which a job comes: when some other one does. */
static int64_t other_time(const struct gs_shaping *s, uint32_t job, uint32_t copy)
{
    struct gs_stream g;
    gs_stream_init(&g, gs_mix64(s->seed, copy), GS_RNG_LOAD, s->w->jobs.v[s->first].source, job);
    return s->w->jobs.v[s->first + gs_below(&g, s->w->jobs.n - s->first)].submit_ns;
}

static gs_i128 job_units(const struct gs_shaping *s, int pinned, struct unit *u)
{
    const struct gs_shape_span span = gs_shape_span_of(s);
    gs_i128 total = 0;
    for (size_t i = 0; i < s->w->jobs.n - s->first; i++) {
        const struct gs_job *j = &s->w->jobs.v[s->first + i];
        const int edge = j->submit_ns == span.first_ns || j->submit_ns == span.last_ns;
        u[i] = (struct unit){.demand = gs_shape_demand(s, j, span.last_ns),
                             .key = !(pinned && edge),
                             .id = (uint32_t)i};
        total += u[i].demand;
    }
    return total;
}

/* ---- users ---- */

/* Jobs without a user are one user's, number users.n. */
static uint32_t user_of(const struct gs_shaping *s, uint32_t job)
{
    const uint32_t user = s->w->jobs.v[s->first + job].user;
    return user == GS_NONE ? (uint32_t)s->w->users.n : user;
}

static gs_i128 user_units(const struct gs_shaping *s, int pinned, struct unit *u)
{
    const struct gs_shape_span span = gs_shape_span_of(s);
    gs_i128 total = 0;
    for (uint32_t i = 0; i <= s->w->users.n; i++)
        u[i] = (struct unit){.key = 1, .id = i};
    for (uint32_t i = 0; i < s->w->jobs.n - s->first; i++) {
        const struct gs_job *j = &s->w->jobs.v[s->first + i];
        const gs_i128 demand = gs_shape_demand(s, j, span.last_ns);
        u[user_of(s, i)].demand += demand;
        total += demand;
        if (pinned && (j->submit_ns == span.first_ns || j->submit_ns == span.last_ns))
            u[user_of(s, i)].key = 0;
    }
    return total;
}

/* By how much a repeated user's submissions are moved around the trace. */
static int64_t user_shift(const struct gs_shaping *s, uint32_t user, uint32_t copy,
                          struct gs_shape_span span)
{
    const int64_t length = span.last_ns - span.first_ns;
    const int64_t unit = length >= 14 * DAY_NS ? 7 * DAY_NS : length >= 2 * DAY_NS ? DAY_NS : 1;
    struct gs_stream g;
    gs_stream_init(&g, gs_mix64(s->seed, copy), GS_RNG_LOAD, s->w->jobs.v[s->first].source, user);
    return length / unit > 1 ? (1 + (int64_t)gs_below(&g, (uint64_t)(length / unit) - 1)) * unit
                             : 0;
}

/* The user who is copy number `copy` (from 1) of this one: NAME~2, ... */
static uint32_t copied_user(struct gs_workload *w, uint32_t user, uint32_t copy)
{
    struct gs_buf b = {0};
    if (user == GS_NONE)
        return GS_NONE;
    gs_buf_fmt(&b, "%s~%u", gs_intern_str(w->str, w->users.v[user]), copy + 1);
    const uint32_t id = gs_workload_user(w, gs_buf_cstr(&b));
    gs_buf_free(&b);
    return id;
}

/* ---- both ---- */

/* Copies one after the other; within a copy the order of the source. */
static size_t pick_copies(const struct gs_shaping *s, const uint32_t *times, struct gs_pick *pick)
{
    const int users = s->o->method == GS_LOAD_USERS;
    const struct gs_shape_span span = gs_shape_span_of(s);
    const int64_t length = span.last_ns - span.first_ns + 1;
    const uint32_t n = (uint32_t)(s->w->jobs.n - s->first);
    size_t k = 0;
    for (uint32_t copy = 0, more = 1; more; copy++) {
        more = 0;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t want = times[users ? user_of(s, i) : i];
            const int64_t t = s->w->jobs.v[s->first + i].submit_ns;
            int64_t to = t;
            if (want <= copy)
                continue;
            more |= want > copy + 1;
            if (copy && users)
                to = span.first_ns +
                     (t - span.first_ns + user_shift(s, user_of(s, i), copy, span)) % length;
            else if (copy)
                to = other_time(s, i, copy);
            pick[k++] = (struct gs_pick){i, copy, to - t};
        }
    }
    return k;
}

static enum gs_rc take_units(struct gs_shaping *s, double ratio, struct gs_err *err)
{
    const int users = s->o->method == GS_LOAD_USERS;
    const size_t n = s->w->jobs.n - s->first, units = users ? s->w->users.n + 1 : n;
    if (users && s->w->users.n == 0)
        return gs_fail(err, GS_E_INPUT,
                       "load: the trace names no users, and method = users takes whole users: "
                       "use method = thin, compress or size");
    if (ratio * (double)n > 1e8 || ratio >= 1e6)
        return gs_fail(err, GS_E_INPUT, "load: the trace would have to be repeated %.4g times",
                       ratio);
    struct unit *u = GS_NEW_N(struct unit, units);
    uint32_t *times = GS_NEW_N(uint32_t, units);
    const gs_i128 total = users ? user_units(s, ratio < 1, u) : job_units(s, ratio < 1, u);
    choose_best(s, u, units, total, ratio, times);
    size_t most = 0;
    for (uint32_t i = 0; i < n; i++)
        most += times[users ? user_of(s, i) : i];
    struct gs_pick *pick = GS_NEW_N(struct gs_pick, most + 1);
    const size_t k = pick_copies(s, times, pick);
    const uint64_t cut = gs_shape_take(s, pick, k);
    for (size_t i = 0; i < k && users; i++) {
        struct gs_job *j = &s->w->jobs.v[s->first + i];
        if (pick[i].copy)
            j->user = copied_user(s->w, j->user, pick[i].copy);
    }
    if (cut)
        gs_buf_fmt(&s->said, "dependencies cut by load: %llu\n", (unsigned long long)cut);
    gs_free(pick);
    gs_free(times);
    gs_free(u);
    return GS_OK;
}

/* ---- time ---- */

static int64_t times_ns(int64_t ns, double by)
{
    return (int64_t)gs_rint_even((double)ns * by);
}

/* Submissions are drawn together or apart. Together, what was recorded of starts and ends is too, so that who waited for whom stays. */
static void scale_gaps(struct gs_shaping *s, double by)
{
    const double shrink = by < 1 ? by : 1;
    const struct gs_shape_span span = gs_shape_span_of(s);
    for (size_t i = s->first; i < s->w->jobs.n; i++) {
        struct gs_job *j = &s->w->jobs.v[i];
        const int64_t to = span.first_ns + times_ns(j->submit_ns - span.first_ns, by);
        if (j->start_ns >= j->submit_ns)
            j->start_ns = to + times_ns(j->start_ns - j->submit_ns, shrink);
        j->submit_ns = to;
        j->think_ns = times_ns(j->think_ns, shrink);
    }
}

/* The part of the load that run times and gaps have no say in: jobs that never end. */
static double endless_load(const struct gs_shaping *s)
{
    const struct gs_shape_span span = gs_shape_span_of(s);
    const int64_t capacity = s->site->gpu_milli ? s->site->gpu_milli : s->site->cpus_milli;
    gs_i128 sum = 0;
    for (size_t i = s->first; i < s->w->jobs.n; i++)
        if (s->w->jobs.v[i].run_ns == GS_NEVER)
            sum += gs_shape_demand(s, &s->w->jobs.v[i], span.last_ns);
    return gs_i128_to_double(sum, 1e12) /
           ((double)capacity / 1e3 * ((double)(span.last_ns - span.first_ns) / 1e9));
}

static enum gs_rc scale_time(struct gs_shaping *s, double now, struct gs_err *err)
{
    const double endless = endless_load(s), by = (s->o->load - endless) / (now - endless);
    const struct gs_shape_span span = gs_shape_span_of(s);
    if (!(by > 0) || now <= endless)
        return gs_fail(err, GS_E_INPUT,
                       "load: jobs that never end are a load of %.4g alone, whatever is scaled",
                       endless);
    if (by < 1e-6 || by > 1e6 ||
        (double)(span.last_ns - span.first_ns) / by > (double)(INT64_MAX / 8))
        return gs_fail(err, GS_E_INPUT, "load: a scale of %.4g is out of reach", by);
    if (s->o->method == GS_LOAD_COMPRESS) {
        scale_gaps(s, 1 / by);
        return GS_OK;
    }
    for (size_t i = s->first; i < s->w->jobs.n; i++)
        gs_shape_scale_work(s, &s->w->jobs.v[i], by, 1);
    return GS_OK;
}

enum gs_rc gs_shape_set_load(struct gs_shaping *s, struct gs_err *err)
{
    const double now = gs_shape_load(s);
    if (!(now > 0))
        return gs_fail(
            err, GS_E_INPUT,
            "load: the trace has no load that could be scaled (all at one instant, or no "
            "job that the cluster could hold)");
    const int timed = s->o->method == GS_LOAD_COMPRESS || s->o->method == GS_LOAD_SIZE;
    const enum gs_rc rc = timed ? scale_time(s, now, err) : take_units(s, s->o->load / now, err);
    if (!rc)
        gs_buf_fmt(&s->said, "load %.4g %% -> %.4g %% (asked for %.4g %%; %s)\n", 100 * now,
                   100 * gs_shape_load(s), 100 * s->o->load, distorts[s->o->method]);
    return rc;
}

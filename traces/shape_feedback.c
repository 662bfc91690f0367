/* shape_feedback.c - `feedback = session`: whom a user had waited for, taken from the recorded times.
 *
 * A user who submits a job soon after the end of the one before has waited for it: were that one slower, the next would come later.
 * So a job that was submitted within the gap after the recorded end of its user's job before it depends on that job, with the recorded
 * think time, and arrives so long after its end in the run, be that earlier or later than recorded (Zakay and Feitelson, "Preserving user
 * behavior characteristics in trace-based simulation of parallel job scheduling", MASCOTS 2014, after Feitelson's user-centred
 * models). A job that was submitted while the one before still ran, or after a longer pause, keeps its recorded time. Jobs without a user do,
 * too, and so do jobs of which the trace itself names a predecessor. With by=queue a queue stands in for the user, for traces that name
 * none: that makes one queue's jobs wait for each other although several people may have sent them. O(n log n). */
#include "sim/base/mem.h"
#include "sim/base/sort.h"
#include "sim/base/units.h"
#include "traces/shape_parts.h"

#include "sim/base/banned.h"

static int has_start(const struct gs_job *j)
{
    return j->start_ns >= 0 && j->start_ns >= j->submit_ns;
}

/* Of an endless job: longer than any gap. */
void gs_shape_note_responses(struct gs_shaping *s)
{
    for (size_t i = s->first; i < s->w->jobs.n; i++) {
        struct gs_job *j = &s->w->jobs.v[i];
        if (j->after)
            continue;
        const int64_t waited = has_start(j) ? j->start_ns - j->submit_ns : 0;
        j->think_ns = j->run_ns >= INT64_MAX / 4 - waited ? INT64_MAX / 4 : waited + j->run_ns;
    }
}

static int by_time(const void *a, const void *b, const void *ctx)
{
    const struct gs_job *jobs = ctx;
    const int64_t x = jobs[*(const uint32_t *)a].submit_ns;
    const int64_t y = jobs[*(const uint32_t *)b].submit_ns;
    return (x > y) - (x < y);
}

struct link {
    uint32_t prior; /* index of the job that is waited for, plus 1; 0 = none */
    int64_t think_ns;
};

/* Whom job `at` waited for, if its user's job before it is `prior` (plus 1). */
static struct link link_of(const struct gs_shaping *s, uint32_t at, uint32_t prior)
{
    const struct gs_job *j = &s->w->jobs.v[at];
    const struct gs_job *p = prior ? &s->w->jobs.v[prior - 1] : NULL;
    if (!p || j->after || p->after)
        return (struct link){0, 0};
    const int64_t since = j->submit_ns - (p->submit_ns + p->think_ns);
    return since < 0 || since > s->o->session_gap_ns ? (struct link){0, 0}
                                                     : (struct link){prior, since};
}

/* Whose job it is, counted from 0; GS_NONE = nobody's. */
static uint32_t owner_of(const struct gs_shaping *s, const struct gs_job *j)
{
    return s->o->session_by == GS_SESSION_QUEUE ? j->queue : j->user;
}

/* The link of every job of the source, by its place in it: all are found before the first is made. */
static void find_links(const struct gs_shaping *s, struct link *links)
{
    const struct gs_workload *w = s->w;
    const size_t n = w->jobs.n - s->first;
    uint32_t *order = GS_NEW_N(uint32_t, n + 1);
    uint32_t *last = /* each owner's job before, plus 1 */
        GS_NEW_N(uint32_t, (w->users.n > w->queues.n ? w->users.n : w->queues.n) + 1);
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)(s->first + i);
    gs_sort(order, n, sizeof *order, by_time, w->jobs.v);
    for (size_t k = 0; k < n; k++) {
        const uint32_t at = order[k], owner = owner_of(s, &w->jobs.v[at]);
        if (owner == GS_NONE)
            continue;
        links[at - s->first] = link_of(s, at, last[owner]);
        last[owner] = at + 1;
    }
    gs_free(last);
    gs_free(order);
}

static int any_owner(const struct gs_shaping *s)
{
    for (size_t i = s->first; i < s->w->jobs.n; i++)
        if (owner_of(s, &s->w->jobs.v[i]) != GS_NONE)
            return 1;
    return 0;
}

enum gs_rc gs_shape_feedback(struct gs_shaping *s, struct gs_err *err)
{
    struct gs_workload *w = s->w;
    const size_t n = w->jobs.n - s->first;
    uint64_t assumed = 0;
    char t[64];
    if (!any_owner(s))
        return gs_fail(err, GS_E_INPUT,
                       "feedback: the trace names no users, so nobody is known to wait for "
                       "anything: write session by=queue, which takes the jobs of a queue as one "
                       "user's, or feedback = open");
    struct link *links = GS_NEW_N(struct link, n + 1);
    find_links(s, links);
    for (size_t i = 0; i < n; i++) {
        struct gs_job *j = &w->jobs.v[s->first + i];
        if (!links[i].prior)
            continue;
        assumed += !has_start(&w->jobs.v[links[i].prior - 1]);
        j->after = links[i].prior;
        j->think_ns = links[i].think_ns;
        j->flags |= GS_JOB_FEEDBACK;
        s->out->dependent++;
    }
    gs_free(links);
    gs_buf_fmt(&s->said,
               "feedback: %llu jobs wait for their %s's job before (gap %s; %llu of those with "
               "its end assumed at submission + run time)\n",
               (unsigned long long)s->out->dependent,
               s->o->session_by == GS_SESSION_QUEUE ? "queue" : "user",
               gs_show_time((double)s->o->session_gap_ns / 1e9, t, sizeof t),
               (unsigned long long)assumed);
    return GS_OK;
}

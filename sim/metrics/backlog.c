/* backlog.c - the work that is in the system, over the time in which jobs arrive: what the verdict is judged on.
 *
 * Work is width x time: milli-GPU x ns (milli-CPU x ns for jobs without GPUs). A pending job contributes what is left of its work, a
 * running job the same, falling by its width a nanosecond; endless jobs contribute nothing. Levels are 128-bit integers; the integral
 * over a batch is a double, summed in time order, so it is the same on every machine. A job that lost work to a preemption, or that
 * runs slower than on the reference placement, counts as further on than it is until it ends, when the level corrects itself.
 *
 * The span [lo, hi) is cut into equal fine batches; O(1) amortised a fact. */
#include "sim/metrics/internal.h"

#include "sim/base/banned.h"

void gs_backlog_init(struct gs_backlog *b, int64_t lo_ns, int64_t hi_ns)
{
    gs_require(lo_ns <= hi_ns);
    *b = (struct gs_backlog){.lo = lo_ns, .now = lo_ns};
    b->width = (hi_ns - lo_ns) / GS_BACKLOG_FINE; /* 0 = too short to be judged by its trend */
}

/* Adds the levels of [now, until), all inside batch i. */
static void add_segment(struct gs_backlog *b, int64_t i, int64_t until)
{
    const int64_t dt_ns = until - b->now;
    const double dt = (double)dt_ns / 1e9;
    const double waiting = (double)b->waiting;
    const double all = (double)(b->waiting + b->running) - 0.5 * (double)b->rate * (double)dt_ns;
    b->batch_waiting[i] += waiting * dt;
    b->batch_all[i] += all * dt;
    b->running -= (gs_i128)b->rate * dt_ns;
    b->now = until;
}

void gs_backlog_advance(struct gs_backlog *b, int64_t now_ns)
{
    if (now_ns <= b->now)
        return;
    if (b->waiting > 0)
        b->waited = 1;
    while (b->width && b->now < now_ns) {
        const int64_t i = (b->now - b->lo) / b->width;
        if (i >= GS_BACKLOG_FINE)
            break;
        const int64_t edge = b->lo + (i + 1) * b->width;
        add_segment(b, i, edge < now_ns ? edge : now_ns);
    }
    b->running -= (gs_i128)b->rate * (now_ns - b->now);
    b->now = now_ns;
}

void gs_backlog_visit(struct gs_backlog *b, struct gs_visitor *v)
{
    gs_visit_i64(v, GS_TAG('b', 'n', 'o', 'w'), &b->now, 1);
    gs_visit_i64(v, GS_TAG('b', 'r', 'a', 't'), &b->rate, 1);
    gs_visit_i128(v, GS_TAG('b', 'w', 'a', 't'), &b->waiting, 1);
    gs_visit_i128(v, GS_TAG('b', 'r', 'u', 'n'), &b->running, 1);
    gs_visit_f64(v, GS_TAG('b', 'a', 'l', 'l'), b->batch_all, GS_BACKLOG_FINE);
    gs_visit_f64(v, GS_TAG('b', 'w', 'b', 't'), b->batch_waiting, GS_BACKLOG_FINE);
}

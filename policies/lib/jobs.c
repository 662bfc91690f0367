/* jobs.c - see jobs.h. The estimate covers a job's whole run time; what former attempts have done (and kept) is not taken off, since
 * the view does not tell kept work from lost work. */
#include "jobs.h"

static void add_request(struct gspl_total *sum, const struct gsp_requests *q, uint32_t r,
                        int64_t times)
{
    sum->gpu_milli += times * q->gpus[r] * (q->gpus[r] ? q->share_milli[r] : 0);
    sum->cpus_milli += times * q->cpus_milli[r];
    sum->mem_mib += times * q->mem_mib[r];
}

gsp_job gspl_job_handle(const struct gsp_view *v, uint32_t slot)
{
    return (gsp_job)v->jobs.generation[slot] << 32 | slot;
}

struct gspl_total gspl_job_total(const struct gsp_view *v, gsp_job j)
{
    const uint32_t x = GSP_INDEX(j), n = v->jobs.task_count[x];
    struct gspl_total sum = {0, 0, 0};
    if (n > 0) {
        add_request(&sum, &v->requests, v->jobs.request[x], (int64_t)n - 1);
        add_request(&sum, &v->requests, v->tasks.request[v->jobs.task_first[x] + n - 1], 1);
    }
    return sum;
}

int64_t gspl_later(int64_t a, int64_t b)
{
    const int64_t limit = GSP_NEVER - 1;
    return b < 0 || a > limit - b ? limit : a + b;
}

int64_t gspl_expected_end(const struct gsp_view *v, gsp_job j, int64_t now_ns)
{
    const uint32_t x = GSP_INDEX(j);
    const int64_t start = v->jobs.started_ns[x] < 0 ? now_ns : v->jobs.started_ns[x];
    const int64_t end = gspl_later(start, v->jobs.estimate_ns[x]);
    return end > now_ns ? end : now_ns;
}

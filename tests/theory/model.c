/* model.c - simulates a queueing model through the real engine, ledger, host and modules. */
#include "tests/theory/model.h"

#include "sim/base/rng.h"
#include "tests/unit/run_rig.h"

#include <math.h>

/* t-quantile of 0.9995 with 19 degrees of freedom: the 99.9 % interval of 20 replications. */
static const double T_999_19 = 3.8834, NARROW = 0.04;

double gs_service_moment(const struct gs_service *s, int k)
{
    if (s->d > 0)
        return k == 1 ? s->d : s->d * s->d;
    double sum = 0;
    for (int i = 0; i < 2; i++)
        sum += s->p[i] * (k == 1 ? s->m[i] : 2 * s->m[i] * s->m[i]);
    return sum;
}

double gs_erlang_b(uint32_t servers, double a)
{
    double b = 1;
    for (uint32_t k = 1; k <= servers; k++)
        b = a * b / (k + a * b);
    return b;
}

double gs_erlang_c(uint32_t servers, double a)
{
    const double b = gs_erlang_b(servers, a);
    return b / (1 - a / servers * (1 - b));
}

double gs_wait_mmc(uint32_t servers, double lam, double mu)
{
    return gs_erlang_c(servers, lam / mu) / (servers * mu - lam);
}

double gs_wait_mg1(const struct gs_model_class *c)
{
    return c->lam * gs_service_moment(&c->s, 2) / 2 / (1 - c->lam * gs_service_moment(&c->s, 1));
}

/* Load of the classes before `cls`, and half the rate times the second moment of the classes up to `last`. */
static double load_before(const struct gs_model *m, uint32_t cls)
{
    double sum = 0;
    for (uint32_t i = 0; i < cls; i++)
        sum += m->cls[i].lam * gs_service_moment(&m->cls[i].s, 1);
    return sum;
}

static double residual(const struct gs_model *m, uint32_t last)
{
    double sum = 0;
    for (uint32_t i = 0; i <= last; i++)
        sum += m->cls[i].lam * gs_service_moment(&m->cls[i].s, 2) / 2;
    return sum;
}

double gs_wait_priority(const struct gs_model *m, uint32_t cls)
{
    return residual(m, m->classes - 1) /
           ((1 - load_before(m, cls)) * (1 - load_before(m, cls + 1)));
}

double gs_time_preemptive(const struct gs_model *m, uint32_t cls)
{
    const double before = 1 - load_before(m, cls);
    return gs_service_moment(&m->cls[cls].s, 1) / before +
           residual(m, cls) / (before * (1 - load_before(m, cls + 1)));
}

/* Wq = lam E[S^2] / 2 * integral of f(x) / (1 - rho_x)^2, by Simpson's rule: the integrand decays as exp(-mu x). */
double gs_wait_sjf_exponential(double lam, double mu)
{
    const int steps = 40000;
    const double h = 60 / mu / steps;
    double sum = 0;
    for (int i = 0; i <= steps; i++) {
        const double x = i * h, e = exp(-mu * x), rho = lam / mu * (1 - (1 + mu * x) * e);
        const double w = i == 0 || i == steps ? 1 : i % 2 ? 4 : 2;
        sum += w * mu * e / ((1 - rho) * (1 - rho));
    }
    return lam / (mu * mu) * sum * h / 3;
}

/* ---- simulation ---- */

static int64_t to_ns(double s)
{
    return (int64_t)(s * 1e9 + 0.5);
}

static double draw_service(const struct gs_service *s, struct gs_stream *pick,
                           struct gs_stream *size)
{
    if (s->d > 0)
        return s->d;
    const int i = s->p[0] < 1 && gs_unit(pick) >= s->p[0];
    return gs_exponential(size, s->m[i]);
}

static uint32_t jobs_of(const struct gs_model *m)
{
    return m->jobs ? m->jobs : GS_MODEL_JOBS;
}

/* The jobs of all classes in order of arrival. */
static void add_jobs(struct gs_rig *k, const struct gs_model *m, uint32_t replication)
{
    static const char *const queue[GS_MODEL_CLASSES] = {"first", "second"};
    struct gs_stream arrival[GS_MODEL_CLASSES], size[GS_MODEL_CLASSES], pick[GS_MODEL_CLASSES];
    double next[GS_MODEL_CLASSES];
    uint32_t id[GS_MODEL_CLASSES];
    for (uint32_t c = 0; c < m->classes; c++) {
        gs_stream_init(&arrival[c], replication, GS_RNG_TEST, 0, c);
        gs_stream_init(&size[c], replication, GS_RNG_TEST, 1, c);
        gs_stream_init(&pick[c], replication, GS_RNG_TEST, 2, c);
        next[c] = gs_exponential(&arrival[c], 1 / m->cls[c].lam);
        id[c] = gs_workload_queue(&k->r.w, queue[c]);
    }
    for (uint32_t i = 0; i < jobs_of(m); i++) {
        const uint32_t c = m->classes > 1 && next[1] < next[0];
        struct gs_job *j =
            gs_rig_job(k, to_ns(next[c]), to_ns(draw_service(&m->cls[c].s, &pick[c], &size[c])), 1);
        j->queue = id[c];
        j->priority = (int32_t)(m->classes - c);
        j->flags = GS_JOB_PREEMPTIBLE;
        next[c] += gs_exponential(&arrival[c], 1 / m->cls[c].lam);
    }
}

static void add_servers(struct gs_rig *k, uint32_t servers)
{
    for (uint32_t left = servers; left > 0;) {
        char name[32];
        const uint32_t n = left < 8 ? left : 8;
        (void)snprintf(name, sizeof name, "node-%u", left);
        (void)gs_rig_node(k, name, n);
        left -= n;
    }
}

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (fabs(b) + 1);
}

static double overlap_s(int64_t from, int64_t to, int64_t since)
{
    from = from > since ? from : since;
    return to > from ? (double)(to - from) / 1e9 : 0;
}

/* Little's law and the conservation of GPU time over the measured window, from the jobs' own times; no job of it was evicted. */
static void check_window(struct gs_rig *k)
{
    const struct gs_window w = gs_metrics_window(k->r.m);
    const double length = (double)(w.to_ns - w.from_ns) / 1e9;
    double waited = 0, ran = 0;
    for (uint32_t i = 0; i < k->r.w.jobs.n; i++) {
        const struct gs_outcome *o = gs_rig_outcome(k, i);
        if (o->state == GS_STATE_REJECTED)
            continue;
        const int64_t start = o->first_start_ns < 0 ? k->r.end_ns : o->first_start_ns;
        const int64_t end = o->end_ns < 0 ? k->r.end_ns : o->end_ns;
        waited += overlap_s(k->r.w.jobs.v[i].submit_ns, start, w.from_ns);
        ran += overlap_s(start, end, w.from_ns);
    }
    CU_ASSERT_TRUE(close_to(gs_rig_metric(k, "queue.length") * length, waited));
    CU_ASSERT_TRUE(close_to(gs_rig_metric(k, "jobs.running") * length, ran));
    CU_ASSERT_TRUE(close_to(gs_rig_metric(k, "gpu.allocated_gpu_s"), ran));
    CU_ASSERT_TRUE(
        close_to(gs_rig_metric(k, "gpu.capacity_gpu_s"), length * (double)k->r.cluster.total_gpus));
}

static void replicate(const struct gs_model *m, uint32_t replication, const struct gs_figure *f,
                      size_t n, double *out)
{
    struct gs_rig *k = gs_rig_init();
    add_servers(k, m->servers);
    add_jobs(k, m, replication);
    k->r.queueing = !m->loss;
    k->r.measure = GS_MEASURE_JOBS;
    k->r.measure_from = jobs_of(m) / 10;
    k->r.measure_to = jobs_of(m);
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, m->order ? m->order : "fifo", NULL, NULL);
    if (m->preemption)
        gs_rig_role(k, GS_ROLE_PREEMPTION, m->preemption, "mode", "checkpoint");
    gs_rig_go(k);
    if (!m->preemption)
        check_window(k);
    for (size_t i = 0; i < n; i++)
        out[i] = gs_rig_metric(k, f[i].metric);
    if (m->loss) /* the metric counts, the figure is a share */
        out[0] /= gs_rig_metric(k, "jobs.submitted");
    gs_rig_free(k);
}

void gs_model_check(const struct gs_model *m, const struct gs_figure *f, size_t n)
{
    double x[GS_MODEL_REPLICATIONS][GS_MODEL_FIGURES];
    const int64_t t0 = gs_wall_ms();
    for (uint32_t i = 0; i < GS_MODEL_REPLICATIONS; i++)
        replicate(m, i + 1, f, n, x[i]);
    for (size_t k = 0; k < n; k++) {
        double mean = 0, square = 0;
        for (int i = 0; i < GS_MODEL_REPLICATIONS; i++)
            mean += x[i][k] / GS_MODEL_REPLICATIONS;
        for (int i = 0; i < GS_MODEL_REPLICATIONS; i++)
            square += (x[i][k] - mean) * (x[i][k] - mean);
        const double half =
            T_999_19 * sqrt(square / (GS_MODEL_REPLICATIONS - 1) / GS_MODEL_REPLICATIONS);
        printf("%-22s %-28s %.6f +- %.6f (%.2f %%), theory %.6f\n", m->name, f[k].metric, mean,
               half, 100 * half / f[k].value, f[k].value);
        CU_ASSERT_TRUE(fabs(mean - f[k].value) <= half);
        CU_ASSERT_TRUE(half < (f[k].width > 0 ? f[k].width : NARROW) * f[k].value);
    }
    printf("%-22s %.1f s\n", m->name, (double)(gs_wall_ms() - t0) / 1e3);
}

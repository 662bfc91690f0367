/* A second simulator, written as plainly as can be (every job against every node, no memory of earlier answers), against the real one: each
 * job must start and end at the same nanosecond, on random workloads of gangs, GPU models and CPUs. What the host is clever about
 * (groups of equal jobs, node classes, remembered scores and refusals) must not show.
 *
 * Its rules: at each instant, ends, then arrivals, then one pass: waiting jobs by (key, submit, id), each gang task by task on the node
 * with the best score (free GPUs left, then free CPUs left; ties to the first), nothing of it if one task finds no node. The first that does not fit
 * ends the pass, or is passed over (greedy). */
#include "sim/base/rng.h"
#include "sim/run.h"
#include "tests/unit/run_rig.h"

enum {
    SEEDS = 60,
    JOBS = 300,
    NODES = 9
};

enum fit {
    FIRST,
    BEST,
    WORST
};

static const char *const ORDER[] = {"fifo", "sjf", "ljf", "priority"};
static const char *const PLACEMENT[] = {"firstfit", "bestfit", "worstfit"};
static const uint32_t GPUS[NODES] = {8, 8, 8, 4, 4, 2, 2, 1, 0};
static const int64_t CPUS[NODES] = {64, 64, 32, 32, 32, 16, 8, 8, 64};
static const char *const MODEL[NODES] = {"x", "x", "y", "y", "x", "x", "y", "x", ""};

struct naive {
    const struct gs_workload *w;
    int order, fit, greedy;
    int64_t free_gpus[NODES], free_cpus[NODES];
    int64_t start[JOBS], end[JOBS];
    uint32_t task_node[JOBS][4];
    int waiting[JOBS], running[JOBS];
};

static struct gs_rig *workload(uint64_t seed)
{
    static const uint32_t sizes[] = {0, 1, 1, 2, 2, 4, 8};
    static const char *const models[] = {"", "", "x", "y", "x|y"};
    struct gs_rig *k = gs_rig_init();
    struct gs_stream g;
    int64_t t = 0;
    gs_stream_init(&g, seed, GS_RNG_TEST, 30, 0);
    for (size_t i = 0; i < NODES; i++) {
        char name[8];
        (void)snprintf(name, sizeof name, "n%zu", i);
        (void)gs_rig_node_of(k, name, MODEL[i], GPUS[i], CPUS[i]);
    }
    for (int i = 0; i < JOBS; i++) {
        t += gs_below(&g, 3) ? (int64_t)gs_below(&g, 90) * GS_SECOND : 0;
        struct gs_job *j =
            gs_rig_job(k, t, (int64_t)gs_below(&g, 900) * GS_SECOND, sizes[gs_below(&g, 7)]);
        if (j->gpus == 4 && gs_below(&g, 2)) { /* 3 + 3 + 1, or as much in other sizes */
            j->tasks = 2 + (uint32_t)gs_below(&g, 2);
            j->task_gpus = 1 + (uint32_t)gs_below(&g, 4);
            j->gpus = (j->tasks - 1) * j->task_gpus + 1 + (uint32_t)gs_below(&g, j->task_gpus);
        }
        j->cpus_milli = 1000 * (int64_t)(gs_below(&g, 9) + (j->gpus == 0));
        j->models = gs_intern(&k->r.str, j->gpus ? models[gs_below(&g, 5)] : "");
        j->priority = (int32_t)gs_below(&g, 3);
    }
    return k;
}

static int64_t key_of(const struct naive *s, uint32_t j)
{
    const struct gs_job *x = &s->w->jobs.v[j];
    switch (s->order) {
    case 0: return 0;
    case 1: return x->est_ns;
    case 2: return -x->est_ns;
    default: return -(int64_t)x->priority;
    }
}

static int fits(const struct naive *s, const char *models, const struct gs_task_ask *a, int node)
{
    const int allowed = a->gpus == 0 || !*models || (*MODEL[node] && strstr(models, MODEL[node]));
    return allowed && s->free_gpus[node] >= (int64_t)a->gpus && s->free_cpus[node] >= a->cpus_milli;
}

static int choose(const struct naive *s, const char *models, const struct gs_task_ask *a)
{
    int best = -1;
    for (int n = 0; n < NODES; n++) {
        if (!fits(s, models, a, n))
            continue;
        if (best < 0) {
            best = n;
            continue;
        }
        const int64_t more = s->free_gpus[n] != s->free_gpus[best]
                                 ? s->free_gpus[n] - s->free_gpus[best]
                                 : s->free_cpus[n] - s->free_cpus[best];
        if ((s->fit == BEST && more < 0) || (s->fit == WORST && more > 0))
            best = n;
    }
    return best;
}

static void take(struct naive *s, uint32_t j, uint32_t tasks, int sign)
{
    for (uint32_t i = 0; i < tasks; i++) {
        const struct gs_task_ask a = gs_job_task(&s->w->jobs.v[j], i);
        s->free_gpus[s->task_node[j][i]] -= sign * (int64_t)a.gpus;
        s->free_cpus[s->task_node[j][i]] -= sign * a.cpus_milli;
    }
}

static int place(struct naive *s, uint32_t j)
{
    const struct gs_job *x = &s->w->jobs.v[j];
    for (uint32_t i = 0; i < x->tasks; i++) {
        const struct gs_task_ask a = gs_job_task(x, i);
        const int n = choose(s, gs_intern_str(s->w->str, x->models), &a);
        if (n < 0) {
            take(s, j, i, -1);
            return 0;
        }
        s->task_node[j][i] = (uint32_t)n;
        s->free_gpus[n] -= a.gpus;
        s->free_cpus[n] -= a.cpus_milli;
    }
    return 1;
}

/* The first waiting job that is not in `tried`; ids are in order of submission. */
static int first_waiting(const struct naive *s, const int *tried)
{
    int best = -1;
    for (int j = 0; j < JOBS; j++)
        if (s->waiting[j] && !tried[j] &&
            (best < 0 || key_of(s, (uint32_t)j) < key_of(s, (uint32_t)best)))
            best = j;
    return best;
}

static void pass(struct naive *s, int64_t now)
{
    int tried[JOBS] = {0};
    for (int j = first_waiting(s, tried); j >= 0; j = first_waiting(s, tried)) {
        tried[j] = 1;
        if (place(s, (uint32_t)j)) {
            s->waiting[j] = 0;
            s->running[j] = 1;
            s->start[j] = now;
            s->end[j] = now + s->w->jobs.v[j].run_ns;
        } else if (!s->greedy) {
            return;
        }
    }
}

/* The next instant at which a job ends or arrives. */
static int64_t next_instant(const struct naive *s, uint32_t arrived)
{
    int64_t at = arrived < JOBS ? s->w->jobs.v[arrived].submit_ns : INT64_MAX;
    for (int j = 0; j < JOBS; j++)
        if (s->running[j] && s->end[j] < at)
            at = s->end[j];
    return at;
}

static void simulate(struct naive *s)
{
    uint32_t arrived = 0;
    for (int64_t now = next_instant(s, arrived); now < INT64_MAX; now = next_instant(s, arrived)) {
        for (uint32_t j = 0; j < JOBS; j++)
            if (s->running[j] && s->end[j] == now) {
                take(s, j, s->w->jobs.v[j].tasks, -1);
                s->running[j] = 0;
            }
        while (arrived < JOBS && s->w->jobs.v[arrived].submit_ns == now)
            s->waiting[arrived++] = 1;
        pass(s, now);
    }
}

static void compare(uint64_t seed, int order, int fit, int greedy)
{
    struct gs_rig *k = workload(seed);
    struct naive *s = GS_NEW(struct naive);
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, ORDER[order], NULL, NULL);
    gs_rig_role(k, GS_ROLE_PLACEMENT, PLACEMENT[fit], NULL, NULL);
    if (greedy)
        gs_rig_role(k, GS_ROLE_BACKFILL, "greedy", NULL, NULL);
    gs_rig_go(k);
    s->w = &k->r.w;
    s->order = order;
    s->fit = fit;
    s->greedy = greedy;
    for (int n = 0; n < NODES; n++) {
        s->free_gpus[n] = GPUS[n];
        s->free_cpus[n] = CPUS[n] * 1000;
    }
    for (int j = 0; j < JOBS; j++)
        s->start[j] = s->end[j] = -1;
    simulate(s);
    int differ = 0;
    for (uint32_t j = 0; j < JOBS; j++) {
        const struct gs_outcome *o = gs_rig_outcome(k, j);
        if (o->first_start_ns != s->start[j] || o->end_ns != s->end[j]) {
            if (!differ++)
                printf("seed %" PRIu64 ", %s, %s%s: job %u starts at %" PRId64 ", not at %" PRId64
                       "\n",
                       seed, ORDER[order], PLACEMENT[fit], greedy ? ", greedy" : "", j,
                       o->first_start_ns, s->start[j]);
        }
    }
    CU_ASSERT_EQUAL(differ, 0);
    gs_free(s);
    gs_rig_free(k);
}

static void strict(void)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        compare(seed, (int)(seed % 4), (int)(seed % 3), 0);
}

static void greedy(void)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        compare(100 + seed, (int)(seed % 4), (int)(seed % 3), 1);
}

static const struct gs_test tests[] = {
    {"strict orders", strict},
    {"greedy backfilling", greedy},
};
GS_TEST_MAIN("property/run_naive", tests)

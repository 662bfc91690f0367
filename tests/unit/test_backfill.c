/* The backfill, preemption and whole-cycle modules through the real host, on a world of a few lines: jobs arrive, run for their run
 * time, leave. On one node the schedules must equal those of a textbook implementation written here over a table of every
 * instant; on many nodes, properties must hold: a head that was promised a start gets it when estimates are exact, nobody starves. */
#include "policies/host/host.h"
#include "sim/base/rng.h"
#include "sim/base/units.h"
#include "tests/unit/cases.h"

enum {
    JOBS = 400,
    SPAN = 40000
};

#define NEVER INT64_MAX

struct job {
    int64_t submit, run, estimate, cpus, gpus;
    int32_t priority;
    uint32_t queue, preemptible, share; /* share: milli of one device, 0 = whole */
    int64_t start, end, promised;       /* out; promised: the first reservation */
    uint32_t evictions;
};

/* A cluster, its host, and the jobs. Time counts in whole units of 1 ns. */
struct world {
    struct gs_intern str;
    struct gs_cluster c;
    struct gs_live l;
    struct gs_queue_state q;
    struct gs_host *h;
    struct gs_module *module[8];
    uint32_t nmodules;
    struct job *job;
    uint32_t n;
    uint32_t slot[JOBS];
    int64_t now;
};

static struct gs_world_ops ops;

static uint32_t job_of(struct world *w, uint32_t slot)
{
    return w->l.id[slot];
}

static void on_start(void *world, uint32_t slot)
{
    struct world *w = world;
    struct job *j = &w->job[job_of(w, slot)];
    j->start = w->now;
    j->end = w->now + j->run;
}

static void on_evict(void *world, uint32_t slot, int mode, const struct gs_held *held, uint32_t n)
{
    struct world *w = world;
    (void)mode;
    (void)held;
    (void)n;
    w->job[job_of(w, slot)].evictions++;
    w->job[job_of(w, slot)].start = w->job[job_of(w, slot)].end = -1;
}

static void on_reject(void *world, uint32_t slot, const char *why)
{
    (void)world;
    (void)slot;
    CU_FAIL("a job was rejected");
    (void)why;
}

static void on_reserved(void *world, uint32_t slot, int64_t at_ns)
{
    struct job *j = &((struct world *)world)->job[job_of(world, slot)];
    if (j->promised < 0 || at_ns < j->promised)
        j->promised = at_ns;
}

static void on_timer(void *world, uint32_t instance, int64_t at_ns, uint64_t tag)
{
    (void)world;
    (void)instance;
    (void)at_ns;
    (void)tag;
}

static void on_held(void *world, uint32_t slot, int64_t until_ns)
{
    (void)world;
    (void)slot;
    (void)until_ns;
}

static void *zeroes(size_t n, size_t size)
{
    void *p = calloc(n, size);
    CU_ASSERT_FATAL(p != NULL);
    return p;
}

static void open_queues(struct gs_queue_state *q, uint32_t n)
{
    q->n = n;
    uint32_t **const u32[] = {&q->name, &q->parent, &q->pending};
    int64_t **const i64[] = {&q->quota_milli,      &q->limit_milli,      &q->used_milli,
                             &q->quota_cpus_milli, &q->limit_cpus_milli, &q->used_cpus_milli,
                             &q->gpu_ns,           &q->since_ns};
    for (size_t i = 0; i < sizeof u32 / sizeof u32[0]; i++)
        *u32[i] = zeroes(n, sizeof **u32[i]);
    for (size_t i = 0; i < sizeof i64 / sizeof i64[0]; i++)
        *i64[i] = zeroes(n, sizeof **i64[i]);
    q->weight = zeroes(n, sizeof *q->weight);
    q->priority = zeroes(n, sizeof *q->priority);
    for (uint32_t i = 0; i < n; i++) {
        q->parent[i] = GS_NONE;
        q->quota_milli[i] = q->limit_milli[i] = q->quota_cpus_milli[i] = q->limit_cpus_milli[i] =
            -1;
        q->weight[i] = 1;
    }
}

static void close_queues(struct gs_queue_state *q)
{
    void *const p[] = {
        q->name,       q->parent,           q->pending,          q->quota_milli,     q->limit_milli,
        q->used_milli, q->quota_cpus_milli, q->limit_cpus_milli, q->used_cpus_milli, q->gpu_ns,
        q->since_ns,   q->weight,           q->priority};
    for (size_t i = 0; i < sizeof p / sizeof p[0]; i++)
        free(p[i]);
}

static void open_world(struct world *w, uint32_t nodes, uint32_t gpus, int64_t cpus,
                       struct job *job, uint32_t n)
{
    struct gs_err err = {0};
    *w = (struct world){.job = job, .n = n};
    ops = (struct gs_world_ops){.start = on_start,
                                .evict = on_evict,
                                .reject = on_reject,
                                .reserved = on_reserved,
                                .timer = on_timer,
                                .held = on_held};
    gs_intern_init(&w->str);
    gs_cluster_init(&w->c, &w->str);
    gs_live_init(&w->l);
    open_queues(&w->q, 4);
    for (uint32_t i = 0; i < nodes; i++) {
        char name[16];
        uint32_t id;
        (void)snprintf(name, sizeof name, "n%u", i);
        const struct gs_node_spec s = {.name = name,
                                       .type = "t",
                                       .model = gpus ? "A100" : "",
                                       .gpus = gpus,
                                       .cpus_milli = cpus * 1000,
                                       .mem_mib = 1 << 20,
                                       .gpu_mem_mib = 40960,
                                       .gpu_cap_milli = 1000,
                                       .price_per_h = 1};
        CU_ASSERT_FATAL(gs_cluster_add_node(&w->c, &s, &id, &err) == GS_OK);
    }
    static const int64_t cpus_of[] = {1000, 1000, 2000};
    static const uint32_t gpus_of[] = {1, 1, 2}, milli_of[] = {500, 1000, 1000};
    static const uint64_t models_of[] = {0, 0, 0};
    static const double p_of[] = {0.5, 0.25, 0.25};
    const struct gsp_typical typical = {sizeof typical, 3,         cpus_of, gpus_of,
                                        milli_of,       models_of, p_of};
    const struct gs_host_config cfg = {.typical = &typical,
                                       .cluster = &w->c,
                                       .live = &w->l,
                                       .str = &w->str,
                                       .queues = &w->q,
                                       .world_ops = &ops,
                                       .world = w,
                                       .seed = 1,
                                       .has_estimates = 1};
    CU_ASSERT_FATAL(gs_host_new(&w->h, &cfg, &err) == GS_OK);
}

/* Binds a module of a folder to a role; GS_ROLE_COUNT: to none. Returns the instance. */
static uint32_t use_from(const char *dir, struct world *w, enum gs_role role, const char *id,
                         const char *key, const char *value)
{
    struct gs_err err = {0};
    uint32_t instance = GS_NONE;
    const struct gs_setting s = {key, value, "test"};
    struct gs_module **m = &w->module[w->nmodules++];
    if (gs_module_open(dir, id, m, &err) != GS_OK ||
        gs_host_instance(w->h, *m, id, &s, key ? 1 : 0, &instance, &err) != GS_OK ||
        (role != GS_ROLE_COUNT && gs_host_bind(w->h, role, instance, &err) != GS_OK))
        CU_FAIL_FATAL(err.msg);
    return instance;
}

static void use(struct world *w, enum gs_role role, const char *id, const char *key,
                const char *value)
{
    (void)use_from(GSIM_POLICY_DIR, w, role, id, key, value);
}

static void close_world(struct world *w)
{
    gs_host_free(w->h);
    for (uint32_t i = 0; i < w->nmodules; i++)
        gs_module_close(w->module[i]);
    gs_live_release(&w->l);
    gs_cluster_release(&w->c);
    gs_intern_release(&w->str);
    close_queues(&w->q);
}

static void submit(struct world *w, uint32_t i)
{
    const struct job *j = &w->job[i];
    const uint32_t tasks = j->gpus > 8 ? (uint32_t)((j->gpus + 7) / 8) : 1;
    const struct gs_job g = {.queue = j->queue,
                             .user = GS_NONE,
                             .priority = j->priority,
                             .est_source = GS_EST_USER,
                             .flags = j->preemptible ? GS_JOB_PREEMPTIBLE : 0,
                             .submit_ns = j->submit,
                             .run_ns = j->run,
                             .est_ns = j->estimate,
                             .tasks = tasks,
                             .gpus = (uint32_t)j->gpus,
                             .task_gpus = j->gpus > 8 ? 8 : (uint32_t)j->gpus,
                             .share_milli = j->share ? j->share : 1000,
                             .cpus_milli = j->cpus * 1000,
                             .mem_mib = 1};
    w->slot[i] = gs_live_add(&w->l, i, &g, 0);
    gs_host_submit(w->h, w->slot[i], w->now);
}

/* All that happens at the present instant: terminations, submissions, passes. */
static void instant(struct world *w)
{
    struct gs_err err = {0};
    for (uint32_t i = 0; i < w->n; i++) {
        if (w->job[i].start >= 0 && w->job[i].end == w->now)
            gs_host_finish(w->h, w->slot[i], w->now);
    }
    for (uint32_t i = 0; i < w->n; i++) {
        if (w->job[i].submit == w->now)
            submit(w, i);
    }
    for (int k = 0; k < 10 && gs_host_wants_pass(w->h); k++) {
        if (gs_host_pass(w->h, w->now, &err) != GS_OK)
            CU_FAIL_FATAL(err.msg);
    }
    CU_ASSERT(gs_ledger_audit(&w->c, &err));
}

static void run(struct world *w)
{
    struct gs_err err = {0};
    CU_ASSERT_FATAL(gs_host_ready(w->h, &err) == GS_OK);
    for (uint32_t i = 0; i < w->n; i++) {
        w->job[i].start = w->job[i].end = w->job[i].promised = -1;
        w->job[i].evictions = 0;
    }
    w->now = -1;
    for (;;) {
        int64_t next = NEVER;
        for (uint32_t i = 0; i < w->n; i++) {
            const struct job *j = &w->job[i];
            const int64_t at[2] = {j->submit, j->start >= 0 ? j->end : -1};
            for (int k = 0; k < 2; k++)
                next = at[k] > w->now && at[k] < next ? at[k] : next;
        }
        if (next == NEVER)
            return;
        w->now = next;
        instant(w);
    }
}

/* One run with a backfill module on a fresh world. */
static void run_backfill(uint32_t nodes, uint32_t gpus, int64_t cpus, struct job *job, uint32_t n,
                         const char *id, const char *scan)
{
    static struct world w;
    open_world(&w, nodes, gpus, cpus, job, n);
    use(&w, GS_ROLE_ORDER, "fifo", NULL, NULL);
    use(&w, GS_ROLE_PLACEMENT, "bestfit", NULL, NULL);
    if (strcmp(id, "none") != 0)
        use(&w, GS_ROLE_BACKFILL, id, scan ? "scan" : NULL, scan);
    run(&w);
    close_world(&w);
}

/* ---- the textbook, on a table of every instant ---- */

struct book {
    struct job *job;
    uint32_t n;
    int64_t procs, now;
    int64_t free[SPAN];
};

static void take(struct book *b, int64_t from, int64_t length, int64_t x)
{
    for (int64_t t = from; t < from + length && t < SPAN; t++)
        b->free[t] -= x;
}

static int room(const struct book *b, int64_t from, int64_t length, int64_t x)
{
    for (int64_t t = from; t < from + length && t < SPAN; t++) {
        if (b->free[t] < x)
            return 0;
    }
    return 1;
}

static int64_t hole(const struct book *b, int64_t length, int64_t x)
{
    int64_t at = b->now;
    while (!room(b, at, length, x))
        at++;
    return at;
}

static int waits(const struct book *b, const struct job *j)
{
    return j->submit <= b->now && j->start < 0;
}

static void plan(struct book *b)
{
    for (int64_t t = 0; t < SPAN; t++)
        b->free[t] = b->procs;
    for (uint32_t i = 0; i < b->n; i++) {
        const struct job *j = &b->job[i];
        if (j->start >= 0 && j->end > b->now)
            take(b, b->now, j->start + j->estimate - b->now, j->cpus);
    }
}

static void begin(struct book *b, struct job *j)
{
    take(b, b->now, j->estimate, j->cpus);
    j->start = b->now;
    j->end = b->now + j->run;
}

/* The candidate to try next: in order, or the shortest. */
static struct job *candidate(struct book *b, uint8_t *tried, int shortest)
{
    struct job *best = NULL;
    for (uint32_t i = 0; i < b->n; i++) {
        struct job *j = &b->job[i];
        if (tried[i] || !waits(b, j))
            continue;
        if (!best || (shortest && j->estimate < best->estimate))
            best = j;
    }
    if (best)
        tried[best - b->job] = 1;
    return best;
}

static void book_easy(struct book *b, int shortest)
{
    uint8_t tried[JOBS] = {0};
    struct job *head;
    plan(b);
    while ((head = candidate(b, tried, 0)) && room(b, b->now, head->estimate, head->cpus))
        begin(b, head);
    if (!head)
        return;
    take(b, hole(b, head->estimate, head->cpus), SPAN, head->cpus);
    for (struct job *j = candidate(b, tried, shortest); j; j = candidate(b, tried, shortest)) {
        if (room(b, b->now, j->estimate, j->cpus))
            begin(b, j);
    }
}

static void book_conservative(struct book *b)
{
    plan(b);
    for (uint32_t i = 0; i < b->n; i++) {
        if (waits(b, &b->job[i]) && b->job[i].promised >= 0)
            take(b, b->job[i].promised, b->job[i].estimate, b->job[i].cpus);
    }
    for (uint32_t i = 0; i < b->n; i++) {
        struct job *j = &b->job[i];
        if (!waits(b, j))
            continue;
        if (j->promised >= 0)
            take(b, j->promised, j->estimate, -j->cpus);
        j->promised = hole(b, j->estimate, j->cpus);
        take(b, j->promised, j->estimate, j->cpus);
        if (j->promised == b->now) {
            j->start = b->now;
            j->end = b->now + j->run;
        }
    }
}

static void by_the_book(struct job *job, uint32_t n, int64_t procs, const char *policy)
{
    static struct book b;
    b.job = job;
    b.n = n;
    b.procs = procs;
    for (uint32_t i = 0; i < n; i++)
        job[i].start = job[i].end = job[i].promised = -1;
    for (b.now = 0; b.now < SPAN; b.now++) {
        int event = 0;
        for (uint32_t i = 0; i < n; i++)
            event |= job[i].submit == b.now || job[i].end == b.now;
        if (!event)
            continue;
        if (strcmp(policy, "conservative") == 0)
            book_conservative(&b);
        else
            book_easy(&b, strcmp(policy, "easy-sjbf") == 0);
    }
}

/* n jobs, submit times ascending. slack: how much estimates exceed run times. */
static void random_jobs(struct job *job, uint32_t n, uint32_t seed, int64_t cpus, int64_t slack)
{
    struct gs_stream s;
    int64_t at = 0;
    gs_stream_init(&s, 11, GS_RNG_TEST, 0, seed);
    for (uint32_t i = 0; i < n; i++) {
        at += (int64_t)gs_below(&s, 40);
        job[i] = (struct job){.submit = at,
                              .run = 1 + (int64_t)gs_below(&s, 120),
                              .cpus = 1 + (int64_t)gs_below(&s, (uint64_t)cpus)};
        if (gs_below(&s, 3))
            job[i].cpus = 1 + job[i].cpus / 6;
        job[i].estimate = job[i].run + (int64_t)gs_below(&s, (uint64_t)slack + 1);
    }
}

static void equals_the_book(const char *policy, const char *module, const char *scan)
{
    static struct job a[JOBS], b[JOBS];
    for (uint32_t seed = 0; seed < 12; seed++) {
        const uint32_t n = 60 + 10 * (seed % 3);
        random_jobs(a, n, seed, 20, seed % 2 ? 60 : 0);
        memcpy(b, a, sizeof a);
        by_the_book(a, n, 20, policy);
        run_backfill(1, 0, 20, b, n, module, scan);
        for (uint32_t i = 0; i < n; i++)
            GS_EQ_INT(b[i].start, a[i].start);
    }
}

static void easy_equals_the_book(void)
{
    equals_the_book("easy", "easy", NULL);
}

static void easy_by_shortest_equals_the_book(void)
{
    equals_the_book("easy-sjbf", "easy", "shortest");
}

static void conservative_equals_the_book(void)
{
    equals_the_book("conservative", "conservative", NULL);
}

/* ---- worked schedules ---- */

static void schedule_case(const json_t *in, const json_t *expect, double tolerance)
{
    static const char *const names[][3] = {{"fcfs", "none", NULL},
                                           {"easy", "easy", NULL},
                                           {"easy-sjbf", "easy", "shortest"},
                                           {"conservative", "conservative", NULL}};
    static struct job job[JOBS];
    const json_t *jobs = json_object_get(in, "jobs"), *policies = json_object_get(in, "policies");
    const uint32_t n = (uint32_t)json_array_size(jobs);
    (void)tolerance;
    for (size_t k = 0; k < json_array_size(policies) * 4; k++) {
        const char *const *name = names[k % 4];
        if (strcmp(name[0], json_string_value(json_array_get(policies, k / 4))) != 0)
            continue;
        for (uint32_t i = 0; i < n; i++) {
            const json_t *j = json_array_get(jobs, i);
            job[i] = (struct job){.submit = gs_case_int(j, "submit"),
                                  .run = gs_case_int(j, "runtime"),
                                  .estimate = gs_case_int(j, "estimate"),
                                  .cpus = gs_case_int(j, "procs")};
        }
        run_backfill(1, 0, gs_case_int(in, "processors"), job, n, name[1], name[2]);
        for (uint32_t i = 0; i < n; i++)
            GS_EQ_INT(job[i].end,
                      json_integer_value(json_array_get(json_object_get(expect, "finish"), i)));
    }
}

static void worked_schedules(void)
{
    (void)gs_cases("batch_schedule", schedule_case);
}

/* ---- many nodes ---- */

static void gpu_jobs(struct job *job, uint32_t n, uint32_t seed)
{
    static const int64_t size[] = {1, 1, 1, 2, 2, 4, 8, 8, 16, 12};
    struct gs_stream s;
    int64_t at = 0;
    gs_stream_init(&s, 13, GS_RNG_TEST, 0, seed);
    for (uint32_t i = 0; i < n; i++) {
        at += (int64_t)gs_below(&s, 25);
        job[i] = (struct job){.submit = at,
                              .run = 1 + (int64_t)gs_below(&s, 200),
                              .cpus = 1,
                              .gpus = size[gs_below(&s, 10)]};
        job[i].estimate = job[i].run;
    }
}

static double mean_wait(const struct job *job, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        CU_ASSERT(job[i].start >= job[i].submit);
        sum += (double)(job[i].start - job[i].submit);
    }
    return sum / n;
}

static void promises_are_kept_on_many_nodes(void)
{
    static struct job job[JOBS];
    for (uint32_t seed = 0; seed < 6; seed++) {
        gpu_jobs(job, 200, seed);
        run_backfill(4, 8, 64, job, 200, "easy", seed % 2 ? "shortest" : NULL);
        for (uint32_t i = 0; i < 200; i++)
            CU_ASSERT(job[i].promised < 0 || job[i].start <= job[i].promised);
    }
}

static void backfilling_waits_less_than_strict_order(void)
{
    static struct job job[JOBS];
    gpu_jobs(job, 300, 42);
    run_backfill(4, 8, 64, job, 300, "none", NULL);
    const double strict = mean_wait(job, 300);
    run_backfill(4, 8, 64, job, 300, "easy", NULL);
    const double easy = mean_wait(job, 300);
    run_backfill(4, 8, 64, job, 300, "conservative", NULL);
    const double conservative = mean_wait(job, 300);
    run_backfill(4, 8, 64, job, 300, "greedy", NULL);
    const double greedy = mean_wait(job, 300);
    CU_ASSERT(easy < strict);
    CU_ASSERT(conservative < strict);
    CU_ASSERT(greedy < strict);
}

/* ---- preemption, fairness, the template ---- */

static void preemption_evicts_as_little_as_needed(void)
{
    /* two nodes of 8: the urgent job needs one node; evicting the newest alone does not free one */
    struct job job[] = {
        {.submit = 0, .run = 1000, .estimate = 1000, .cpus = 1, .gpus = 8, .preemptible = 1},
        {.submit = 1, .run = 1000, .estimate = 1000, .cpus = 1, .gpus = 4, .preemptible = 1},
        {.submit = 2, .run = 1000, .estimate = 1000, .cpus = 1, .gpus = 4, .preemptible = 1},
        {.submit = 3, .run = 10, .estimate = 10, .cpus = 1, .gpus = 8, .priority = 5}};
    static struct world w;
    open_world(&w, 2, 8, 64, job, 4);
    use(&w, GS_ROLE_ORDER, "priority", NULL, NULL);
    use(&w, GS_ROLE_PLACEMENT, "bestfit", NULL, NULL);
    use(&w, GS_ROLE_PREEMPTION, "priority", NULL, NULL);
    run(&w);
    close_world(&w);
    GS_EQ_INT(job[3].start, 3);
    GS_EQ_INT(job[0].evictions, 0);
    GS_EQ_INT(job[1].evictions, 1);
    GS_EQ_INT(job[2].evictions, 1);
    GS_EQ_INT(job[2].start, 13);
}

static void preemption_gives_back_what_is_not_needed(void)
{
    /* the newest stands on the other node: it is evicted on the way, and spared in the end */
    struct job job[] = {
        {.submit = 0, .run = 1000, .estimate = 1000, .cpus = 1, .gpus = 8, .preemptible = 1},
        {.submit = 1, .run = 1000, .estimate = 1000, .cpus = 1, .gpus = 5, .preemptible = 0},
        {.submit = 2, .run = 900, .estimate = 900, .cpus = 1, .gpus = 3, .preemptible = 1},
        {.submit = 3, .run = 10, .estimate = 10, .cpus = 1, .gpus = 8, .priority = 5},
        {.submit = 4, .run = 10, .estimate = 10, .cpus = 1, .gpus = 16, .priority = 9}};
    static struct world w;
    open_world(&w, 2, 8, 64, job, 5);
    use(&w, GS_ROLE_ORDER, "priority", NULL, NULL);
    use(&w, GS_ROLE_PLACEMENT, "bestfit", NULL, NULL);
    use(&w, GS_ROLE_PREEMPTION, "priority", NULL, NULL);
    run(&w);
    close_world(&w);
    GS_EQ_INT(job[3].start, 3);
    GS_EQ_INT(job[0].evictions, 1);
    GS_EQ_INT(job[1].evictions, 0);
    GS_EQ_INT(job[2].evictions, 0);
    GS_EQ_INT(job[4].start, 1001); /* its victims would not suffice: nobody is touched */
}

static void drf_serves_the_queue_with_the_smallest_share(void)
{
    struct job job[8];
    for (uint32_t i = 0; i < 8; i++)
        job[i] = (struct job){
            .submit = 0, .run = 100, .estimate = 100, .cpus = 1, .gpus = 2, .queue = i < 6 ? 0 : 1};
    static struct world w;
    open_world(&w, 1, 8, 64, job, 8);
    use(&w, GS_ROLE_SCHEDULER, "drf", NULL, NULL);
    run(&w);
    close_world(&w);
    for (uint32_t i = 0; i < 8; i++)
        GS_EQ_INT(job[i].start, i < 2 || i >= 6 ? 0 : 100);
}

static void fairshare_lets_the_one_that_used_less_go_first(void)
{
    struct job job[] = {
        {.submit = 0, .run = 50000000, .estimate = 50000000, .cpus = 1, .gpus = 8, .queue = 0},
        {.submit = 1, .run = 1000, .estimate = 1000, .cpus = 1, .gpus = 8, .queue = 0},
        {.submit = 2, .run = 1000, .estimate = 1000, .cpus = 1, .gpus = 8, .queue = 1}};
    static struct world w;
    open_world(&w, 1, 8, 64, job, 3);
    use(&w, GS_ROLE_ORDER, "fairshare", "half_life", "1d");
    run(&w);
    close_world(&w);
    GS_EQ_INT(job[2].start, 50000000);
    GS_EQ_INT(job[1].start, 50001000);
}

static void template_is_first_in_first_out(void)
{
    static struct job a[JOBS], b[JOBS];
    static struct world w;
    gpu_jobs(a, 200, 7);
    for (uint32_t i = 0; i < 200; i++)
        a[i].priority = (int32_t)(i % 3);
    memcpy(b, a, sizeof a);
    open_world(&w, 4, 8, 64, a, 200);
    use(&w, GS_ROLE_ORDER, "fifo", NULL, NULL);
    use(&w, GS_ROLE_PLACEMENT, "firstfit", NULL, NULL);
    run(&w);
    close_world(&w);
    open_world(&w, 4, 8, 64, b, 200);
    use(&w, GS_ROLE_SCHEDULER, "template", NULL, NULL);
    run(&w);
    close_world(&w);
    for (uint32_t i = 0; i < 200; i++)
        GS_EQ_INT(b[i].start, a[i].start);
}

/* Every placement part, with shares and whole devices; the ledger is audited at each instant. */
static void placement_parts_place_everything(void)
{
    static const char *const part[] = {"firstfit",   "bestfit",       "worstfit", "dotprod",
                                       "gpupacking", "gpuclustering", "fgd",      "random"};
    static struct job job[JOBS];
    static struct world w;
    for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) {
        gpu_jobs(job, 150, (uint32_t)k);
        for (uint32_t i = 0; i < 150; i++)
            job[i].share = job[i].gpus == 1 && i % 3 ? 200 + 100 * (i % 4) : 0;
        open_world(&w, 4, 8, 64, job, 150);
        use(&w, GS_ROLE_PLACEMENT, part[k], NULL, NULL);
        use(&w, GS_ROLE_BACKFILL, "greedy", NULL, NULL);
        run(&w);
        close_world(&w);
        CU_ASSERT(mean_wait(job, 150) < 1e6);
    }
}

/* ---- what the documentation shows, and roles beyond the base table ---- */

static size_t read_file(const char *name, char *out, size_t cap)
{
    char path[512];
    FILE *f = fopen(gs_test_path(path, sizeof path, GSIM_SOURCE_DIR, name), "rb");
    const size_t n = f ? fread(out, 1, cap - 1, f) : 0;
    if (f)
        (void)fclose(f);
    out[n] = '\0';
    return n;
}

static void the_readme_shows_the_example(void)
{
    static char readme[65536], example[65536];
    CU_ASSERT(read_file("policies/README.md", readme, sizeof readme) > 0);
    CU_ASSERT(read_file("tests/modules/gsp_example.c", example, sizeof example) > 0);
    CU_ASSERT(strstr(readme, example) != NULL);
}

static void the_example_runs(void)
{
    struct job job[] = {{.submit = 0, .run = 100, .estimate = 100, .cpus = 1, .gpus = 8},
                        {.submit = 1, .run = 100, .estimate = 100, .cpus = 1, .gpus = 8},
                        {.submit = 60, .run = 100, .estimate = 100, .cpus = 1, .gpus = 1}};
    static struct world w;
    for (int patient = 0; patient < 2; patient++) {
        open_world(&w, 1, 8, 64, job, 3);
        (void)use_from(GSIM_TEST_MODULE_DIR, &w, GS_ROLE_ORDER, "example", "patience",
                       patient ? "1h" : "0s");
        run(&w);
        close_world(&w);
        GS_EQ_INT(job[1].start, patient ? 200 : 100); /* small first, or first in, first out */
        GS_EQ_INT(job[2].start, patient ? 100 : 200);
    }
}

static void a_role_by_extension(void)
{
    static struct world w;
    const int64_t in[2] = {7, 9};
    int64_t out[4] = {-1, -1, -1, -1};
    void *self = NULL;
    struct job none = {0};
    struct gs_err err = {0};
    open_world(&w, 1, 0, 1, &none, 0);
    const uint32_t i = use_from(GSIM_TEST_MODULE_DIR, &w, GS_ROLE_COUNT, "toy-echo", "first", "41");
    CU_ASSERT_FATAL(gs_host_ready(w.h, &err) == GS_OK);
    const struct gsp_echo *echo = gs_host_extension(w.h, i, "gsim.echo/1", &self);
    CU_ASSERT_FATAL(echo != NULL && echo->struct_size >= sizeof *echo);
    const struct gsp_echo_in a = {sizeof a, 2, in};
    struct gsp_echo_out b = {sizeof b, 4, out};
    GS_EQ_INT(echo->echo(self, gs_host_ctx(w.h, i, 0), &a, &b), 0);
    GS_EQ_INT(out[0], 42);
    GS_EQ_INT(out[1], 7);
    GS_EQ_INT(out[2], 9);
    GS_EQ_INT(out[3], 0);
    CU_ASSERT(gs_host_extension(w.h, i, "gsim.echo/2", &self) == NULL);
    close_world(&w);
}

static const struct gs_test tests[] = {
    {"EASY equals the book", easy_equals_the_book},
    {"EASY by shortest job equals the book", easy_by_shortest_equals_the_book},
    {"conservative equals the book", conservative_equals_the_book},
    {"worked schedules", worked_schedules},
    {"promises are kept on many nodes", promises_are_kept_on_many_nodes},
    {"backfilling waits less than strict order", backfilling_waits_less_than_strict_order},
    {"preemption evicts as little as needed", preemption_evicts_as_little_as_needed},
    {"preemption gives back what is not needed", preemption_gives_back_what_is_not_needed},
    {"DRF serves the queue with the smallest share", drf_serves_the_queue_with_the_smallest_share},
    {"fair share lets the one that used less go first",
     fairshare_lets_the_one_that_used_less_go_first},
    {"template is first in, first out", template_is_first_in_first_out},
    {"placement parts place everything", placement_parts_place_everything},
    {"the README shows the example", the_readme_shows_the_example},
    {"the example runs", the_example_runs},
    {"a role by extension", a_role_by_extension},
};
GS_TEST_MAIN("policies/backfill", tests)

/* The wait split, by hand: for every cause that a scenario can reach, jobs whose seconds are known exactly. (start-up and topology have no
 * model yet.) gs_rig_go checks besides, for every job, that the causes sum to the time in the system that it did not run. */
#include "sim/run.h"
#include "tests/unit/run_rig.h"

struct split {
    int64_t held, quota, reservation, order, scheduler, capacity, fragmentation;
};

static void waits(struct gs_rig *k, uint32_t job, struct split e)
{
    const struct {
        enum gs_cause cause;
        int64_t seconds;
    } all[] = {{GS_CAUSE_STARTUP, 0},           {GS_CAUSE_HELD, e.held},
               {GS_CAUSE_QUOTA, e.quota},       {GS_CAUSE_RESERVATION, e.reservation},
               {GS_CAUSE_ORDER, e.order},       {GS_CAUSE_SCHEDULER, e.scheduler},
               {GS_CAUSE_CAPACITY, e.capacity}, {GS_CAUSE_FRAGMENTATION, e.fragmentation},
               {GS_CAUSE_TOPOLOGY, 0}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const int64_t ns = gs_rig_outcome(k, job)->wait_ns[all[i].cause];
        if (ns != all[i].seconds * GS_SECOND)
            printf("job %u, cause %zu: %" PRId64 " ns\n", job, i, ns);
        CU_ASSERT_EQUAL(ns, all[i].seconds * GS_SECOND);
    }
}

static void capacity(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "a", 4);
    (void)gs_rig_job_s(k, 0, 100, 4);
    (void)gs_rig_job_s(k, 10, 5, 2);
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, "fifo", NULL, NULL);
    gs_rig_go(k);
    waits(k, 0, (struct split){0});
    waits(k, 1, (struct split){.capacity = 90});
    gs_rig_free(k);
}

/* Two devices are free, one a node. */
static void fragmentation(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "a", 2);
    (void)gs_rig_node(k, "b", 2);
    (void)gs_rig_job_s(k, 0, 100, 1);
    (void)gs_rig_job_s(k, 0, 200, 1);
    (void)gs_rig_job_s(k, 10, 5, 2);
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, "fifo", NULL, NULL);
    gs_rig_role(k, GS_ROLE_PLACEMENT, "worstfit", NULL, NULL);
    gs_rig_go(k);
    waits(k, 2, (struct split){.fragmentation = 90});
    gs_rig_free(k);
}

/* The head asks for 4 and one is free: who asks for one waits for the order, then for the head's devices. */
static void order(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "a", 4);
    (void)gs_rig_job_s(k, 0, 100, 3);
    (void)gs_rig_job_s(k, 10, 50, 4);
    (void)gs_rig_job_s(k, 20, 200, 1);
    (void)gs_rig_job_s(k, 30, 10, 1);
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, "fifo", NULL, NULL);
    gs_rig_go(k);
    waits(k, 1, (struct split){.capacity = 90});
    waits(k, 2, (struct split){.order = 80, .capacity = 50});
    waits(k, 3, (struct split){.order = 70, .capacity = 50});
    gs_rig_free(k);
}

/* The same under EASY: the promise to the head is the cause; who ends in time passes. */
static void reservation(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "a", 4);
    (void)gs_rig_job_s(k, 0, 100, 3);
    (void)gs_rig_job_s(k, 10, 50, 4);
    (void)gs_rig_job_s(k, 20, 200, 1);
    (void)gs_rig_job_s(k, 30, 10, 1);
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, "fifo", NULL, NULL);
    gs_rig_role(k, GS_ROLE_BACKFILL, "easy", NULL, NULL);
    gs_rig_go(k);
    waits(k, 1, (struct split){.capacity = 90});
    waits(k, 3, (struct split){0});
    /* 20..30 and 40..100 the promise; 30..40 job 3 has the last device; 100..150 the head has all */
    waits(k, 2, (struct split){.reservation = 70, .capacity = 60});
    gs_rig_free(k);
}

/* Verbs: a module that promises the first job a time and lets nobody pass. */
static void reservation_of_a_module(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "a", 4);
    (void)gs_rig_job_s(k, 0, 10, 1);
    (void)gs_rig_job_s(k, 5, 10, 1);
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_SCHEDULER, "verbs", "how", "reserve");
    gs_rig_go(k);
    GS_EQ_INT(gs_rig_start_s(k, 0), 30);
    waits(k, 0, (struct split){.scheduler = 30}); /* its own promise is no excuse */
    GS_EQ_INT(gs_rig_outcome(k, 0)->predicted_start_ns, 30 * GS_SECOND);
    gs_rig_free(k);
}

static void quota(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "a", 4);
    const uint32_t q = gs_workload_queue(&k->r.w, "small");
    k->r.w.queues.v[q].limit_milli = 1000;
    gs_rig_job_s(k, 0, 100, 1)->queue = q;
    gs_rig_job_s(k, 10, 50, 1)->queue = q;
    (void)gs_rig_job_s(k, 20, 5, 3); /* of another queue: passes */
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, "fifo", NULL, NULL);
    gs_rig_go(k);
    waits(k, 1, (struct split){.quota = 90});
    waits(k, 2, (struct split){0});
    gs_rig_free(k);
}

/* A pass every minute: until then it is the scheduler's fault. */
static void scheduler(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "a", 1);
    k->r.cycle_interval_ns = 60 * GS_SECOND;
    (void)gs_rig_job_s(k, 10, 100, 1); /* 60..160 */
    (void)gs_rig_job_s(k, 70, 5, 1);   /* seen at 120; its devices are free at 160, used at 180 */
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, "fifo", NULL, NULL);
    gs_rig_go(k);
    waits(k, 0, (struct split){.scheduler = 50});
    GS_EQ_INT(gs_rig_start_s(k, 1), 180);
    waits(k, 1, (struct split){.scheduler = 50, .capacity = 60});
    gs_rig_free(k);
}

/* A module that starts nothing: the first is the scheduler's fault, the others wait behind it. */
static void lazy(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "a", 4);
    (void)gs_rig_job_s(k, 0, 10, 1);
    (void)gs_rig_job_s(k, 20, 10, 1);
    (void)gs_rig_job_s(k, 30, 10, 2);
    k->r.horizon_ns = 100 * GS_SECOND;
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_SCHEDULER, "verbs", "how", "lazy");
    gs_rig_go(k);
    waits(k, 0, (struct split){.scheduler = 100});
    waits(k, 1, (struct split){.order = 80});
    waits(k, 2, (struct split){.order = 70});
    gs_rig_free(k);
}

/* The last submitted is the first that a module considers: the others wait for it. */
static void order_of_a_module(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "a", 4);
    (void)gs_rig_job_s(k, 0, 100, 3);
    (void)gs_rig_job_s(k, 10, 10, 4); /* cannot start */
    (void)gs_rig_job_s(k, 20, 10, 1); /* starts, before the older one */
    (void)gs_rig_job_s(k, 40, 10, 2); /* cannot start, blocks those that came before */
    (void)gs_rig_job_s(k, 50, 10, 1); /* starts */
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_SCHEDULER, "verbs", "how", "reverse");
    gs_rig_go(k);
    waits(k, 2, (struct split){0});
    waits(k, 4, (struct split){0});
    waits(k, 3, (struct split){.capacity = 60});
    waits(k, 1, (struct split){.capacity = 100});
    gs_rig_free(k);
}

static void held(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "a", 1);
    (void)gs_rig_job_s(k, 0, 100, 1);  /* held until 30, runs 30..130 */
    (void)gs_rig_job_s(k, 20, 10, 1);  /* held until 50, waits until 130 */
    (void)gs_rig_job_s(k, 300, 10, 1); /* held until 330 */
    k->r.horizon_ns = 310 * GS_SECOND;
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_SCHEDULER, "verbs", "how", "hold");
    gs_rig_go(k);
    waits(k, 0, (struct split){.held = 30});
    waits(k, 1, (struct split){.held = 30, .capacity = 80});
    waits(k, 2, (struct split){.held = 10}); /* the horizon comes first */
    GS_EQ_INT(gs_rig_outcome(k, 2)->state, GS_STATE_HELD);
    gs_rig_free(k);
}

/* Low priority runs from 0, high comes at 50 for 30 s and takes the node. */
static struct gs_rig *preempted(const char *mode)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "a", 2);
    struct gs_job *j = gs_rig_job_s(k, 0, 100, 2);
    j->flags = GS_JOB_PREEMPTIBLE;
    gs_rig_job_s(k, 50, 30, 2)->priority = 9;
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, "priority", NULL, NULL);
    gs_rig_role(k, GS_ROLE_PREEMPTION, "priority", "mode", mode);
    gs_rig_go(k);
    GS_EQ_INT(gs_rig_outcome(k, 0)->preemptions, 1);
    GS_EQ_INT(gs_rig_outcome(k, 0)->restarts, 1);
    waits(k, 0, (struct split){.capacity = 30});
    waits(k, 1, (struct split){0});
    return k;
}

static void preemption_loses_work(void)
{
    struct gs_rig *k = preempted("requeue");
    GS_EQ_INT(gs_rig_end_s(k, 0), 180);
    GS_EQ_BITS(gs_rig_outcome(k, 0)->lost_gpu_s, 100.0);
    gs_rig_free(k);
}

static void preemption_keeps_work(void)
{
    struct gs_rig *k = preempted("checkpoint");
    GS_EQ_INT(gs_rig_end_s(k, 0), 130);
    GS_EQ_BITS(gs_rig_outcome(k, 0)->lost_gpu_s, 0.0);
    gs_rig_free(k);
}

static void preemption_spares_who_may_not_be_preempted(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "a", 2);
    (void)gs_rig_job_s(k, 0, 100, 2); /* not preemptible */
    gs_rig_job_s(k, 50, 30, 2)->priority = 9;
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, "priority", NULL, NULL);
    gs_rig_role(k, GS_ROLE_PREEMPTION, "priority", NULL, NULL);
    gs_rig_go(k);
    waits(k, 1, (struct split){.capacity = 50});
    gs_rig_free(k);
}

/* A head that an earlier pass found too large still blocks all behind it, at every later pass. */
static void strict_order_keeps_blocking(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "a", 4);
    (void)gs_rig_job_s(k, 0, 100, 3);
    (void)gs_rig_job_s(k, 10, 10, 4);
    for (int i = 0; i < 5; i++)
        (void)gs_rig_job_s(k, 20 + i, 10, 1); /* each arrival is a pass */
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_ORDER, "fifo", NULL, NULL);
    gs_rig_go(k);
    GS_EQ_INT(gs_rig_start_s(k, 1), 100);
    for (uint32_t i = 2; i < 6; i++)
        GS_EQ_INT(gs_rig_start_s(k, i), 110);
    GS_EQ_INT(gs_rig_start_s(k, 6), 120);
    gs_rig_free(k);
}

static const struct gs_test tests[] = {
    {"capacity", capacity},
    {"fragmentation", fragmentation},
    {"order", order},
    {"reservation", reservation},
    {"a module's own promise", reservation_of_a_module},
    {"quota", quota},
    {"scheduler", scheduler},
    {"a module that starts nothing", lazy},
    {"a module's own order", order_of_a_module},
    {"held", held},
    {"preemption loses work", preemption_loses_work},
    {"preemption keeps work", preemption_keeps_work},
    {"preemption spares who may not be preempted", preemption_spares_who_may_not_be_preempted},
    {"a strict order keeps blocking", strict_order_keeps_blocking},
};
GS_TEST_MAIN("host/waits", tests)

/* What comes of a module that misbehaves: a fault ends the run with a message that names the module, the hook, the cycle and the cause, and
 * leaves the ledger sound; a verb's refusal is an answer, and the run goes on. tests/modules/gsp_fault.c does it. */
#include "sim/run.h"
#include "tests/unit/run_rig.h"

/* Two nodes of 4 and 6 GPUs, eight jobs of 2 and 3 GPUs every 10 s, some of which wait. */
static struct gs_rig *world(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "a", 4);
    (void)gs_rig_node(k, "b", 6);
    for (int i = 0; i < 8; i++)
        (void)gs_rig_job_s(k, 10 * i, i == 0 ? 5 : 45, 2 + (uint32_t)i % 2);
    gs_rig_prepare(k);
    return k;
}

static void stops(enum gs_role role, const char *how, const char *hook, const char *cause)
{
    struct gs_rig *k = world();
    gs_rig_role(k, role, "fault", "how", how);
    const enum gs_rc rc = gs_run_go(&k->r, &k->err);
    GS_EQ_INT(rc, GS_E_MODULE);
    GS_EQ_INT(gs_exit_status(rc), 3);
    GS_HAS(k->err.msg, "policy module 'fault' ([policy fault]) faulted in ");
    GS_HAS(k->err.msg, hook);
    GS_HAS(k->err.msg, ", cycle ");
    GS_HAS(k->err.msg, cause);
    gs_rig_laws(k); /* nothing of the broken transaction is left */
    gs_rig_free(k);
}

static void goes_on(enum gs_role role, const char *how)
{
    struct gs_rig *k = world();
    gs_rig_role(k, role, "fault", "how", how);
    gs_rig_go(k);
    for (uint32_t i = 0; i < k->r.w.jobs.n; i++)
        GS_EQ_INT(gs_rig_outcome(k, i)->state, GS_STATE_COMPLETED);
    gs_rig_free(k);
}

static void negative_returns(void)
{
    stops(GS_ROLE_SCHEDULER, "in-cycle", "faulted in cycle, cycle 2", "on purpose (code -7)");
    stops(GS_ROLE_SCHEDULER, "in-timer", "faulted in on_timer", "on purpose");
    stops(GS_ROLE_SCHEDULER, "in-events", "faulted in on_events, cycle 2", "on purpose");
    stops(GS_ROLE_ORDER, "in-order", "faulted in order, cycle 3", "on purpose");
    stops(GS_ROLE_ORDER, "in-admit", "faulted in admit, cycle 3", "on purpose");
    stops(GS_ROLE_PLACEMENT, "in-filter", "faulted in filter, cycle 3", "on purpose");
    stops(GS_ROLE_PLACEMENT, "in-score", "faulted in score", "on purpose");
    stops(GS_ROLE_PLACEMENT, "in-pick", "faulted in pick, cycle 3", "on purpose");
    stops(GS_ROLE_PREEMPTION, "in-preempt", "faulted in preempt", "on purpose");
    stops(GS_ROLE_BACKFILL, "in-backfill", "faulted in backfill", "on purpose");
}

static void outputs_out_of_range(void)
{
    stops(GS_ROLE_ORDER, "key-range", "faulted in order", "a key at the end of the range");
    stops(GS_ROLE_PLACEMENT, "pick-foreign", "faulted in pick", "a device that is not on the node");
    stops(GS_ROLE_PLACEMENT, "pick-nowhere", "faulted in pick", "a device that is not on the node");
    stops(GS_ROLE_PLACEMENT, "pick-twice", "faulted in pick", "");
    stops(GS_ROLE_PLACEMENT, "pick-taken", "faulted in pick", "");
    stops(GS_ROLE_SCHEDULER, "foreign-device", "faulted in cycle",
          "a device that is not on the node");
}

static void handles_that_never_existed(void)
{
    stops(GS_ROLE_SCHEDULER, "never-job", "faulted in cycle", "a job or task that never existed");
    stops(GS_ROLE_SCHEDULER, "never-node", "faulted in cycle", "a node that never existed");
}

static void transaction_outside_its_hook(void)
{
    stops(GS_ROLE_SCHEDULER, "kept-txn", "faulted in on_events",
          "a transaction that it was not handed");
    stops(GS_ROLE_SCHEDULER, "place-in-score", "faulted in score",
          "a transaction that it was not handed");
}

/* A timer at now in each pass: the instant never ends. */
static void zero_delay_loop(void)
{
    struct gs_rig *k = world();
    gs_rig_role(k, GS_ROLE_SCHEDULER, "fault", "how", "timer-now");
    const enum gs_rc rc = gs_run_go(&k->r, &k->err);
    CU_ASSERT_NOT_EQUAL(rc, GS_OK);
    GS_HAS(k->err.msg, "fault");
    gs_rig_free(k);
}

static void refusals_are_answers(void)
{
    goes_on(GS_ROLE_SCHEDULER, "none");
    goes_on(GS_ROLE_SCHEDULER, "stale-job");
    goes_on(GS_ROLE_SCHEDULER, "double-book");
    goes_on(GS_ROLE_SCHEDULER, "start-twice");
    goes_on(GS_ROLE_SCHEDULER, "evict-pending");
    goes_on(GS_ROLE_SCHEDULER, "past");
    goes_on(GS_ROLE_SCHEDULER, "garbage-mark");
    goes_on(GS_ROLE_PLACEMENT, "garbage-score");
}

/* A start with devices for one task of two is refused whole. */
static void half_a_gang(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "a", 2);
    (void)gs_rig_node(k, "b", 2);
    for (int i = 0; i < 3; i++) {
        struct gs_job *j = gs_rig_job_s(k, 20 * i, 10, 4);
        j->tasks = 2;
        j->task_gpus = 2;
    }
    gs_rig_prepare(k);
    gs_rig_role(k, GS_ROLE_SCHEDULER, "fault", "how", "half-gang");
    gs_rig_go(k);
    GS_EQ_INT(gs_rig_end_s(k, 2), 50);
    gs_rig_free(k);
}

/* Any byte but zero drops: jobs go to even nodes only. A filter that drops all lets nothing start, which is no fault. */
static void filters_are_obeyed(void)
{
    struct gs_rig *k = world();
    gs_rig_role(k, GS_ROLE_PLACEMENT, "fault", "how", "garbage-drop");
    gs_rig_go(k);
    GS_EQ_INT(gs_rig_outcome(k, 7)->state, GS_STATE_COMPLETED);
    gs_rig_free(k);
    k = world();
    k->r.horizon_ns = 100 * GS_SECOND;
    gs_rig_role(k, GS_ROLE_PLACEMENT, "fault", "how", "drop-all");
    gs_rig_go(k);
    for (uint32_t i = 0; i < k->r.w.jobs.n; i++)
        GS_EQ_INT(gs_rig_outcome(k, i)->state, GS_STATE_PENDING);
    gs_rig_free(k);
}

/* admit: what it rejects never waits; the rest goes on. */
static void admission(void)
{
    struct gs_rig *k = world();
    gs_rig_role(k, GS_ROLE_ORDER, "fault", "how", "reject-odd");
    gs_rig_go(k);
    for (uint32_t i = 0; i < k->r.w.jobs.n; i++)
        GS_EQ_INT(gs_rig_outcome(k, i)->state, i % 2 ? GS_STATE_REJECTED : GS_STATE_COMPLETED);
    gs_rig_free(k);
}

static const struct gs_test tests[] = {
    {"a negative return of each hook", negative_returns},
    {"outputs out of range", outputs_out_of_range},
    {"handles that never existed", handles_that_never_existed},
    {"a transaction outside its hook", transaction_outside_its_hook},
    {"a loop without time", zero_delay_loop},
    {"refusals are answers", refusals_are_answers},
    {"half a gang", half_a_gang},
    {"filters are obeyed", filters_are_obeyed},
    {"admission", admission},
};
GS_TEST_MAIN("host/faults", tests)

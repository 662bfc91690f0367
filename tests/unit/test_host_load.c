/* Loading modules: each thing that can be wrong with one gives its own message; parameters are checked against its table; a role that the
 * base table does not know works through an extension. */
#include "policies/host/host.h"
#include "sim/run.h"
#include "tests/unit/run_rig.h"

static const struct {
    const char *id, *message;
} refused[] = {
    {"bad-magic", "wrong magic 0x21212121: not a gsim policy module"},
    {"bad-size", "manifest of 16 bytes is too small"},
    {"bad-major", "built for ABI major 7, this host has 0"},
    {"bad-minor", "needs a host with ABI minor 99, this one has "},
    {"bad-layout", "layout fingerprint 0x"},
    {"bad-needs", "needs something that this host does not know (bits 0x10000000000)"},
    {"bad-id", "a module with id 'other' must be in a file gsp_other.so"},
    {"bad-letters", "id 'Bad_Letters' is not 2 to 32 of a-z 0-9 -"},
    {"bad-create", "create and destroy are required"},
    {"bad-ops", "table of 24 bytes of ops is too small"},
    {"bad-export", "exports no gsp_query"},
    {"bad-decline", "the module declines this host (ABI 0."},
};

static void each_fault_has_its_message(void)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct gs_module *m = NULL;
        struct gs_err err = {0};
        GS_EQ_INT(gs_module_open(GSIM_TEST_MODULE_DIR, refused[i].id, &m, &err), GS_E_INPUT);
        CU_ASSERT_PTR_NULL(m);
        GS_HAS(err.msg, refused[i].message);
        GS_HAS(err.msg, refused[i].id); /* the file is named */
    }
}

static void not_a_module_at_all(void)
{
    char path[600];
    struct gs_module *m = NULL;
    struct gs_err err = {0};
    gs_test_write("gsp_text.so", "no library\n", SIZE_MAX, path, sizeof path);
    GS_EQ_INT(gs_module_open("", path, &m, &err), GS_E_INPUT);
    GS_HAS(err.msg, "cannot load policy module");
    GS_HAS(err.msg, "gsp_text.so");
    GS_EQ_INT(gs_module_open("", "./nowhere/gsp_x.so", &m, &err), GS_E_INPUT);
    GS_HAS(err.msg, "nowhere/gsp_x.so");
}

static void unknown_words_name_the_nearest(void)
{
    struct gs_module *m = NULL;
    struct gs_err err = {0};
    GS_EQ_INT(gs_module_open(gs_rig_modules(), "bestfti", &m, &err), GS_E_INPUT);
    GS_HAS(err.msg, "did you mean 'bestfit'?");
    GS_EQ_INT(gs_module_open(gs_rig_modules(), "Best Fit", &m, &err), GS_E_INPUT);
    GS_HAS(err.msg, "'Best Fit' is not a module id");
}

/* The folders of the path are tried in order; the first that has the file wins. */
static void first_folder_wins(void)
{
    struct gs_module *m = NULL;
    struct gs_err err = {0};
    GS_EQ_INT(
        gs_module_open("/nonexistent:" GSIM_TEST_MODULE_DIR ":" GSIM_POLICY_DIR, "fault", &m, &err),
        GS_OK);
    GS_HAS(gs_module_path(m), GSIM_TEST_MODULE_DIR "/gsp_fault.so");
    GS_EQ_STR(gs_module_manifest(m)->id, "fault");
    gs_module_close(m);
}

static void check(const char *key, const char *value, const char *message)
{
    struct gs_module *m = NULL;
    struct gs_err err = {0};
    const struct gs_setting s = {.key = key, .value = value, .where = "x.ini:7"};
    GS_EQ_INT(gs_module_open(gs_rig_modules(), "fault", &m, &err), GS_OK);
    const enum gs_rc rc = gs_module_check(m, &s, 1, &err);
    GS_EQ_INT(rc, message ? GS_E_INPUT : GS_OK);
    if (message)
        GS_HAS(err.msg, message);
    gs_module_close(m);
}

static void parameters_are_checked(void)
{
    check("from", "12", NULL);
    check("how", "in-order", NULL);
    check("from", "-1", "below the smallest value 0");
    check("from", "1000001", "above the largest value 1000000");
    check("from", "soon", "soon");
    check("how", "backwards", "'backwards' is not one of none|in-create");
    check("form", "1", "x.ini:7: module 'fault' has no parameter 'form' (did you mean 'from'?)");
}

static struct gs_rig *small_world(void)
{
    struct gs_rig *k = gs_rig_init();
    (void)gs_rig_node(k, "a", 2);
    gs_rig_job_s(k, 0, 10, 1)->est_ns = -1;
    gs_rig_prepare(k);
    return k;
}

static void roles_need_their_op(void)
{
    static const char *const message[GS_ROLE_COUNT] = {
        "has no cycle op",    "has no order op",      "has no placement op",
        "has no backfill op", "has no preemption op", "has no partitioner op"};
    for (int role = 0; role < GS_ROLE_COUNT; role++) {
        struct gs_rig *k = small_world();
        GS_EQ_INT(gs_rig_try_role(k, (enum gs_role)role, "toy-echo", NULL, NULL), GS_E_INPUT);
        GS_HAS(k->err.msg, "module 'toy-echo'");
        GS_HAS(k->err.msg, message[role]);
        gs_rig_free(k);
    }
}

static void estimates_are_asked_for(void)
{
    struct gs_rig *k = small_world();
    GS_EQ_INT(gs_rig_try_role(k, GS_ROLE_BACKFILL, "easy", NULL, NULL), GS_E_INPUT);
    GS_HAS(k->err.msg, "module 'easy' reads run-time estimates, but some jobs have none");
    gs_rig_free(k);
}

static void create_may_fail(void)
{
    struct gs_rig *k = small_world();
    GS_EQ_INT(gs_rig_try_role(k, GS_ROLE_SCHEDULER, "fault", "how", "in-create"), GS_E_MODULE);
    GS_HAS(k->err.msg, "policy module 'fault'");
    GS_HAS(k->err.msg, "faulted in create");
    GS_HAS(k->err.msg, "on purpose");
    gs_rig_free(k);
}

/* The toy role: a table by name, called with the instance's own state. */
static void extension_roles_work(void)
{
    struct gs_rig *k = small_world();
    struct gs_module *m = NULL;
    uint32_t in = 0;
    const struct gs_setting first = {.key = "first", .value = "40", .where = "test"};
    GS_EQ_INT(gs_module_open(gs_rig_modules(), "toy-echo", &m, &k->err), GS_OK);
    gs_vec_push(&k->r.modules, m);
    GS_EQ_INT(gs_host_instance(k->r.host, m, "toy", &first, 1, &in, &k->err), GS_OK);
    void *self = NULL;
    const struct gsp_echo *t = gs_host_extension(k->r.host, in, "gsim.echo/1", &self);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    CU_ASSERT_TRUE(GSP_HAS(t, echo));
    const int64_t said[] = {5, 6};
    int64_t heard[4] = {-1, -1, -1, -1};
    const struct gsp_echo_in question = {sizeof question, 2, said};
    struct gsp_echo_out answer = {sizeof answer, 4, heard};
    struct gsp_ctx *c = gs_host_ctx(k->r.host, in, 0);
    GS_EQ_INT(t->echo(self, c, &question, &answer), 0);
    GS_EQ_INT(t->echo(self, c, &question, &answer), 0);
    GS_EQ_INT(heard[0], 42); /* calls so far, from 40 */
    GS_EQ_INT(heard[1], 5);
    GS_EQ_INT(heard[2], 6);
    GS_EQ_INT(heard[3], 0);
    CU_ASSERT_PTR_NULL(gs_host_extension(k->r.host, in, "gsim.echo/2", &self));
    gs_rig_free(k);
}

static const struct gs_test tests[] = {
    {"each load failure has its message", each_fault_has_its_message},
    {"a file that is no library", not_a_module_at_all},
    {"unknown words name the nearest", unknown_words_name_the_nearest},
    {"the first folder wins", first_folder_wins},
    {"parameters are checked", parameters_are_checked},
    {"a role needs its op", roles_need_their_op},
    {"estimates are asked for", estimates_are_asked_for},
    {"create may fail", create_may_fail},
    {"extension roles work", extension_roles_work},
};
GS_TEST_MAIN("host/load", tests)

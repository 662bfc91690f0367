/* test_synth_calls.c - calls of [service] and [agents] sections: the programs step by step, with constant sizes that can be summed by
 * hand; shared prefixes; sections that do not disturb each other. */
#include "sim/base/units.h"
#include "tests/unit/harness.h"
#include "traces/synth/calls.h"

static struct gs_intern str;
static struct gs_err err;

static struct gs_calls make(const struct gs_synth_calls *s, uint32_t section)
{
    struct gs_calls c = {.str = &str};
    gs_intern_init(&str);
    const enum gs_rc rc = gs_synth_calls_make(&c, section, 3, s, &err);
    if (rc != GS_OK)
        printf("%s\n", err.msg);
    CU_ASSERT_EQUAL_FATAL(rc, GS_OK);
    gs_calls_seal(&c);
    return c;
}

static void release(struct gs_calls *c)
{
    gs_calls_free(c);
    gs_intern_release(&str);
}

static struct gs_synth_calls section(void)
{
    return (struct gs_synth_calls){.kind = "service",
                                   .name = "chat",
                                   .arrivals = "constant 60/h",
                                   .count = 2,
                                   .to_ns = GS_NEVER,
                                   .prompt = "100",
                                   .output = "30",
                                   .start_unix_ns = GS_NEVER};
}

static void a_conversation_is_sent_again_each_turn(void)
{
    struct gs_synth_calls s = section();
    s.steps = "3";
    s.prefix = "50";
    s.answer = "2s";
    s.think = "5s";
    struct gs_calls c = make(&s, 0);
    GS_EQ_INT(c.v.n, 6);
    const struct gs_call *v = c.v.v;
    for (int k = 0; k < 3; k++) { /* session 0; the other begins a minute later */
        GS_EQ_INT(v[k].arrival_ns, k * 7 * GS_SECOND);
        GS_EQ_INT(v[k].input, 50 + 100 + k * 130);
        GS_EQ_INT(v[k].output, 30);
        GS_EQ_INT(v[k].cached, k ? 50 + k * 130 : 0);
        GS_EQ_INT(v[k].took_ns, 2 * GS_SECOND);
        GS_EQ_INT(v[k].parent, k ? v[k - 1].name : 0);
        GS_EQ_INT(v[k].session, v[0].session);
        GS_EQ_INT(v[k].row, k + 1);
    }
    GS_EQ_INT(v[3].arrival_ns, 60 * GS_SECOND);
    CU_ASSERT_NOT_EQUAL(v[3].session, v[0].session);
    GS_EQ_STR(gs_intern_str(&str, v[0].service), "chat");
    struct gs_buf out = {0};
    gs_calls_write_csv(&c, &out);
    GS_HAS(gs_buf_cstr(&out), "arrival,input_tokens,output_tokens,session,parent,name,service");
    GS_HAS(gs_buf_cstr(&out), "7,280,30,chat-0,chat-0.0,chat-0.1,chat");
    gs_buf_free(&out);
    release(&c);
}

static void an_agent_and_its_tools_take_turns(void)
{
    struct gs_synth_calls s = section();
    s.kind = "agents";
    s.name = "coder";
    s.program = GS_PROGRAM_LOOP;
    s.count = 1;
    s.steps = "3";
    s.answer = "1s";
    s.tool = "4s";
    s.result = "200";
    struct gs_calls c = make(&s, 0);
    GS_EQ_INT(c.v.n, 5); /* llm tool llm tool llm */
    static const int64_t at[] = {0, 1, 5, 6, 10};
    static const int64_t input[] = {100, -1, 330, -1, 560};
    static const int64_t cached[] = {0, -1, 130, -1, 360};
    for (int k = 0; k < 5; k++) {
        GS_EQ_INT(c.v.v[k].arrival_ns, at[k] * GS_SECOND);
        GS_EQ_INT(c.v.v[k].kind, k % 2 ? GS_CALL_TOOL : GS_CALL_LLM);
        GS_EQ_INT(c.v.v[k].input, input[k]);
        GS_EQ_INT(c.v.v[k].cached, cached[k]);
        GS_EQ_INT(c.v.v[k].parent, k ? c.v.v[k - 1].name : 0);
    }
    release(&c);
}

static void stages_pass_on_and_workers_are_joined(void)
{
    struct gs_synth_calls s = section();
    s.count = 1;
    s.program = GS_PROGRAM_CHAIN;
    s.steps = "3";
    struct gs_calls c = make(&s, 0);
    GS_EQ_INT(c.v.n, 3);
    GS_EQ_INT(c.v.v[0].input, 100);
    GS_EQ_INT(c.v.v[1].input, 130);
    GS_EQ_INT(c.v.v[2].input, 130);
    GS_EQ_INT(c.v.v[0].took_ns, -1); /* nothing was said of it, so nothing is recorded */
    release(&c);
    s.program = GS_PROGRAM_FANOUT;
    s.steps = NULL;
    s.width = "5";
    s.answer = "choice 1s:1 3s:1";
    c = make(&s, 0);
    GS_EQ_INT(c.v.n, 7);
    const struct gs_call *v = c.v.v;
    const int64_t planned = v[0].took_ns;
    int64_t slowest = 0;
    for (int k = 1; k <= 5; k++) {
        GS_EQ_INT(v[k].parent, v[0].name);
        GS_EQ_INT(v[k].arrival_ns, planned);
        GS_EQ_INT(v[k].input, 130);
        slowest = v[k].took_ns > slowest ? v[k].took_ns : slowest;
    }
    GS_EQ_INT(v[6].arrival_ns, planned + slowest);
    GS_EQ_INT(v[6].input, 100 + 5 * 30);
    release(&c);
}

static int shared_blocks(const struct gs_calls *c, size_t i, size_t k)
{
    int n = 0;
    const uint64_t *a = c->blocks.v + c->first.v[i];
    const uint64_t *b = c->blocks.v + c->first.v[k];
    while ((uint32_t)n < c->v.v[i].nblocks && (uint32_t)n < c->v.v[k].nblocks && a[n] == b[n])
        n++;
    return n;
}

static void sessions_of_a_client_share_the_prefix(void)
{
    struct gs_synth_calls s = section();
    s.prefix = "40";
    s.block_tokens = 16;
    s.steps = "2";
    s.think = "1s";
    struct gs_calls c = make(&s, 0);
    GS_EQ_INT(c.v.n, 4);
    GS_EQ_INT(c.v.v[0].nblocks, 9);        /* 140 tokens */
    GS_EQ_INT(c.v.v[1].nblocks, 17);       /* 270 */
    GS_EQ_INT(shared_blocks(&c, 0, 2), 2); /* two whole blocks of 40 tokens */
    GS_EQ_INT(shared_blocks(&c, 0, 1), 8); /* 8 whole blocks of 140 */
    s.clients = 2;
    s.clients_s = 0;
    s.count = 20;
    struct gs_calls two = {.str = &str};
    CU_ASSERT_EQUAL_FATAL(gs_synth_calls_make(&two, 0, 3, &s, &err), GS_OK);
    int same = 0;
    for (size_t i = 2; i < two.v.n; i += 2) {
        const int n = shared_blocks(&two, 0, i);
        GS_EQ_INT(n, two.v.v[i].service == two.v.v[0].service ? 2 : 0);
        same += n > 0;
    }
    CU_ASSERT_TRUE(same > 2 && same < 17);
    gs_calls_free(&two);
    release(&c);
}

static void a_longer_context_is_cut(void)
{
    struct gs_synth_calls s = section();
    s.count = 1;
    s.steps = "5";
    s.context_max = 300;
    struct gs_calls c = make(&s, 0);
    static const int64_t input[] = {100, 230, 300, 300, 300};
    for (int k = 0; k < 5; k++) {
        GS_EQ_INT(c.v.v[k].input, input[k]);
        if (k > 1)
            GS_EQ_INT(c.v.v[k].cached, 0);
    }
    release(&c);
}

static void what_is_missing_is_said(void)
{
    struct gs_calls c = {.str = &str};
    gs_intern_init(&str);
    struct gs_synth_calls s = section();
    s.output = NULL;
    CU_ASSERT_EQUAL(gs_synth_calls_make(&c, 0, 3, &s, &err), GS_E_INPUT);
    GS_HAS(err.msg, "[service chat]: 'output' is missing");
    s = section();
    s.count = -1;
    CU_ASSERT_EQUAL(gs_synth_calls_make(&c, 0, 3, &s, &err), GS_E_INPUT);
    GS_HAS(err.msg, "nothing ends the arrivals");
    s = section();
    s.prompt = "pareto min=1 alpha=0.01";
    s.count = 1000;
    CU_ASSERT_EQUAL(gs_synth_calls_make(&c, 0, 3, &s, &err), GS_E_INPUT);
    GS_HAS(err.msg, "add clip=");
    release(&c);
}

static const struct gs_test tests[] = {
    {"a conversation", a_conversation_is_sent_again_each_turn},
    {"an agent and its tools", an_agent_and_its_tools_take_turns},
    {"chains and fan-outs", stages_pass_on_and_workers_are_joined},
    {"shared prefixes", sessions_of_a_client_share_the_prefix},
    {"a longer context is cut", a_longer_context_is_cut},
    {"what is missing is said", what_is_missing_is_said},
};
GS_TEST_MAIN("traces/synth/calls", tests)

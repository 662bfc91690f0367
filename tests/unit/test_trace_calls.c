/* test_trace_calls.c - readers of requests and agents' steps: one row of each spelling, to the nanosecond and the token, and what a bad
 * row is told. */
#include "sim/base/units.h"
#include "tests/unit/harness.h"
#include "traces/reader.h"

#define SAMPLES GSIM_SOURCE_DIR "/traces/samples/"
#define MS      INT64_C(1000000)

/* One scan of one file, with all that it gave. */
struct got {
    struct gs_intern str;
    struct gs_trace_options o;
    struct gs_trace_counts n;
    struct gs_err err;
    GS_VEC(struct gs_call) calls;
    GS_VEC(struct gs_job) jobs;
    GS_VEC(uint64_t) blocks; /* of all calls, one after the other */
    char path[512];
};

static enum gs_rc keep_job(void *ctx, const struct gs_job *j, const struct gs_job_attempt *attempts,
                           const struct gs_job_attr *attrs, struct gs_err *err)
{
    (void)attempts;
    (void)attrs;
    (void)err;
    struct got *g = ctx;
    gs_vec_push(&g->jobs, *j);
    return GS_OK;
}

static enum gs_rc keep_call(void *ctx, const struct gs_call *c, const uint64_t *blocks,
                            struct gs_err *err)
{
    (void)err;
    struct got *g = ctx;
    gs_vec_push(&g->calls, *c);
    for (uint32_t i = 0; i < c->nblocks; i++)
        gs_vec_push(&g->blocks, blocks[i]);
    return GS_OK;
}

static void begin(struct got *g)
{
    memset(g, 0, sizeof *g);
    gs_intern_init(&g->str);
    gs_trace_options_init(&g->o);
    g->o.shown = "t";
}

static enum gs_rc scan_file(struct got *g, const char *path)
{
    const struct gs_sink sink = {.ctx = g, .job = keep_job, .call = keep_call};
    g->o.path = path;
    return gs_trace_scan(&g->o, &g->str, &sink, &g->n, &g->err);
}

static enum gs_rc scan_text(struct got *g, const char *text)
{
    return scan_file(g, gs_test_write("t", text, SIZE_MAX, g->path, sizeof g->path));
}

static void end(struct got *g)
{
    gs_vec_free(&g->calls);
    gs_vec_free(&g->jobs);
    gs_vec_free(&g->blocks);
    gs_intern_release(&g->str);
}

/* Reads `text`, which must be of `format` and give n calls. */
static void read_calls(struct got *g, const char *text, const char *format, size_t n)
{
    begin(g);
    const enum gs_rc rc = scan_text(g, text);
    if (rc != GS_OK)
        (void)printf("%s\n", g->err.msg);
    CU_ASSERT_EQUAL_FATAL(rc, GS_OK);
    GS_EQ_STR(g->n.format, format);
    CU_ASSERT_EQUAL_FATAL(g->calls.n, n);
    GS_EQ_INT(g->n.rows, g->n.emitted + g->n.skipped);
}

static void refused(const char *text, const char *format, const char *says)
{
    struct got g;
    begin(&g);
    g.o.format = format;
    GS_EQ_INT(scan_text(&g, text), GS_E_INPUT);
    GS_HAS(g.err.msg, says);
    end(&g);
    begin(&g);
    g.o.format = format;
    g.o.bad_rows = GS_BAD_ROWS_SKIP;
    GS_EQ_INT(scan_text(&g, text), GS_OK);
    GS_EQ_INT(g.n.skipped, 1);
    end(&g);
}

static uint64_t assumed(const struct got *g, const char *part)
{
    for (uint32_t i = 0; i < g->n.nassumed; i++) {
        if (strstr(g->n.assumed[i].what, part))
            return g->n.assumed[i].n;
    }
    return 0;
}

static const char *str(const struct got *g, uint32_t id)
{
    return gs_intern_str(&g->str, id);
}

/* ---- Azure ------------------------------------------------------------------------------------- */

/* 2023-11-16 00:00:00 UTC in seconds, worked out with another tool. */
#define NOV_16 INT64_C(1700092800)

static void azure_has_three_spellings_of_time(void)
{
    struct got g;
    read_calls(&g,
               "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.9799600,4808,10\r\n"
               "2023-11-16 18:17:04.0319600,3180,8",
               "azure-llm", 2);
    GS_EQ_INT(g.calls.v[0].arrival_ns, (NOV_16 + 18 * 3600 + 17 * 60 + 3) * GS_SECOND + 979960000);
    GS_EQ_INT(g.calls.v[1].arrival_ns - g.calls.v[0].arrival_ns, 52000000);
    GS_EQ_INT(g.calls.v[0].input, 4808);
    GS_EQ_INT(g.calls.v[0].output, 10);
    GS_EQ_INT(g.calls.v[0].took_ns, -1);
    GS_EQ_INT(g.calls.v[0].cached, -1);
    end(&g);
    read_calls(&g,
               "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 00:00:00.009930+00:00,1,2\n"
               "2023-11-16 01:00:01+01:00,3,4\n",
               "azure-llm", 2);
    GS_EQ_INT(g.calls.v[0].arrival_ns, NOV_16 * GS_SECOND + 9930000);
    GS_EQ_INT(g.calls.v[1].arrival_ns, (NOV_16 + 1) * GS_SECOND);
    end(&g);
    read_calls(&g,
               "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n"
               "2023-11-16T12:00:00.269Z,2,700,30\n",
               "azure-llm", 1);
    GS_EQ_INT(g.calls.v[0].arrival_ns, (NOV_16 + 12 * 3600) * GS_SECOND + 269 * MS);
    GS_EQ_INT(g.calls.v[0].input, 700);
    GS_EQ_INT(assumed(&g, "NumImages"), 1);
    end(&g);
}

static void azure_zone_moves_only_stamps_without_one(void)
{
    struct got g;
    begin(&g);
    g.o.zone = "+02:00";
    GS_EQ_INT(scan_text(&g, "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 02:00:00,1,1\n"
                            "2023-11-16 00:00:00Z,1,1\n"),
              GS_OK);
    GS_EQ_INT(g.calls.v[0].arrival_ns, NOV_16 * GS_SECOND);
    GS_EQ_INT(g.calls.v[1].arrival_ns, NOV_16 * GS_SECOND);
    end(&g);
}

static void azure_bad_rows_are_told(void)
{
    refused("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 25:00:00,1,1\n", "azure-llm",
            "t:2: column 'TIMESTAMP'");
    refused("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 20:00:00,1.5,1\n", "azure-llm",
            "not a whole number");
    refused("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 20:00:00,,1\n", "azure-llm",
            "column 'ContextTokens'");
}

/* ---- BurstGPT ---------------------------------------------------------------------------------- */

static void burstgpt_finds_columns_by_name(void)
{
    struct got g;
    read_calls(&g,
               "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
               "5,ChatGPT,472,18,490,Conversation log\n118,GPT-4,417,0,417,API log\n",
               "burstgpt", 2);
    GS_EQ_INT(g.calls.v[0].arrival_ns, 5 * GS_SECOND);
    GS_EQ_INT(g.calls.v[0].input, 472);
    GS_EQ_INT(g.calls.v[0].output, 18);
    GS_EQ_INT(g.calls.v[0].outcome, GS_CALL_OK);
    GS_EQ_STR(str(&g, g.calls.v[0].service), "ChatGPT/Conversation log");
    GS_EQ_INT(g.calls.v[1].outcome, GS_CALL_FAILED);
    end(&g);
    read_calls(&g,
               "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total "
               "tokens,Log Type\n5.5,3,1.25,ChatGPT,1,2,3,Conversation log\n"
               "6,,2,GPT-4,1,2,3,API log\n",
               "burstgpt", 2);
    GS_EQ_INT(g.calls.v[0].arrival_ns, 5500 * MS);
    GS_EQ_INT(g.calls.v[0].took_ns, 1250 * MS);
    GS_EQ_INT(g.calls.v[0].input, 1);
    GS_EQ_STR(str(&g, g.calls.v[0].session), "3");
    GS_EQ_INT(g.calls.v[1].session, 0);
    end(&g);
}

/* ---- Mooncake and Qwen ------------------------------------------------------------------------- */

static void mooncake_counts_milliseconds_and_keeps_64_bits(void)
{
    struct got g;
    read_calls(
        &g,
        "{\"timestamp\": 27482, \"input_length\": 6955, \"output_length\": 52, \"hash_ids\": "
        "[46, 18446744073709551615]}\n\n"
        "{\"hash_ids\":[],\"output_length\":1,\"input_length\":2.0,\"timestamp\":27482.5}",
        "mooncake", 2);
    GS_EQ_INT(g.calls.v[0].arrival_ns, 27482 * MS);
    GS_EQ_INT(g.calls.v[0].input, 6955);
    GS_EQ_INT(g.calls.v[0].output, 52);
    GS_EQ_INT(g.calls.v[0].block_tokens, 512);
    CU_ASSERT_EQUAL_FATAL(g.blocks.n, 2);
    CU_ASSERT_TRUE(g.blocks.v[0] == 46 && g.blocks.v[1] == UINT64_MAX);
    GS_EQ_INT(g.calls.v[1].arrival_ns, 27482 * MS + MS / 2);
    GS_EQ_INT(g.calls.v[1].input, 2);
    GS_EQ_INT(g.calls.v[1].block_tokens, 0);
    GS_EQ_INT(g.calls.v[1].row, 3);
    end(&g);
}

static void mooncake_sessions_go_on_after_a_delay(void)
{
    struct got g;
    read_calls(
        &g,
        "{\"session_id\":\"s\",\"timestamp\":100,\"input_length\":1,\"output_length\":1}\n"
        "{\"session_id\":\"s\",\"delay\":50,\"input_length\":1,\"output_length\":1}\n"
        "{\"timestamp\":160,\"input_length\":1,\"output_length\":1,\"extra\":{\"hash_ids\":[1]}}\n",
        "mooncake", 3);
    GS_EQ_INT(g.calls.v[1].arrival_ns, 150 * MS);
    GS_EQ_STR(str(&g, g.calls.v[1].session), "s");
    GS_EQ_INT(assumed(&g, "delay counted"), 1);
    GS_EQ_INT(assumed(&g, "'extra'"), 1);
    GS_EQ_INT(g.blocks.n, 0); /* a member of a member is no list of this request */
    end(&g);
}

static void mooncake_bad_lines_are_told(void)
{
    const char *const good = "{\"timestamp\":1,\"input_length\":1,\"output_length\":1}\n";

    const struct {
        const char *line, *says;
    } bad[] = {
        {"{\"timestamp\":1,\"input_length\":1,\"output_length\":1,\"hash_ids\":[1,-2]}", "'-2'"},
        {"{\"timestamp\":1,\"input_length\":1,\"output_length\":1,\"hash_ids\":[18446744073709551616]}",
         "at most 64 bits"},
        {"{\"timestamp\":1,\"input_length\":1,\"output_length\":1,\"hash_ids\":[1 2]}", "block id"},
        {"{\"timestamp\":1,\"input_length\":1,\"output_length\":1", "t:2: not a JSON object"},
        {"[1]", "t:2: "},
        {"{\"input_length\":1,\"output_length\":1}", "column 'timestamp'"},
        {"{\"timestamp\":1,\"input_length\":-1,\"output_length\":1}", "negative"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[512];
        (void)snprintf(text, sizeof text, "%s%s\n", good, bad[i].line);
        refused(text, "mooncake", bad[i].says);
    }
}

static void qwen_follows_conversations(void)
{
    struct got g;
    read_calls(
        &g,
        "{\"chat_id\": 7, \"parent_chat_id\": -1, \"timestamp\": 0.021, \"input_length\": 40, "
        "\"output_length\": 5, \"type\": \"text\", \"turn\": 1, \"hash_ids\": [1,2,3]}\n"
        "{\"chat_id\": 8, \"parent_chat_id\": 7, \"timestamp\": 1.5, \"input_length\": 60, "
        "\"output_length\": 5, \"type\": \"search\", \"turn\": 2, \"hash_ids\": [1,2,3,4]}\n"
        "{\"chat_id\": 9, \"parent_chat_id\": 8, \"timestamp\": 2, \"input_length\": 60, "
        "\"output_length\": 5, \"type\": \"text\", \"turn\": 3, \"hash_ids\": [1]}\n"
        "{\"chat_id\": 10, \"parent_chat_id\": 3, \"timestamp\": 3, \"input_length\": 60, "
        "\"output_length\": 5, \"type\": \"text\", \"turn\": 2, \"hash_ids\": [1]}\n",
        "qwen", 4);
    GS_EQ_INT(g.calls.v[0].arrival_ns, 21 * MS);
    GS_EQ_INT(g.calls.v[0].block_tokens, 16);
    GS_EQ_INT(g.calls.v[0].parent, 0);
    GS_EQ_STR(str(&g, g.calls.v[1].parent), "7");
    GS_EQ_STR(str(&g, g.calls.v[2].session), "7");
    GS_EQ_STR(str(&g, g.calls.v[3].session), "3"); /* its root is not in the file */
    GS_EQ_STR(str(&g, g.calls.v[1].service), "search");
    GS_EQ_INT(assumed(&g, "began before"), 1);
    end(&g);
}

/* ---- Vidur, GenAI, agents ---------------------------------------------------------------------- */

static void vidur_arrivals_or_lengths(void)
{
    struct got g;
    read_calls(&g,
               "arrived_at,num_prefill_tokens,num_decode_tokens\n0.0,4808,10\n"
               "5.8926549999999995,3180,8\n",
               "vidur", 2);
    GS_EQ_INT(g.calls.v[1].arrival_ns, 5892655000);
    GS_EQ_INT(g.calls.v[1].input, 3180);
    end(&g);
    read_calls(&g,
               "num_prefill_tokens,num_decode_tokens,num_total_tokens,pd_ratio\n1,2,3,0.5\n"
               "4,5,9,0.8\n",
               "vidur", 2);
    GS_EQ_INT(g.calls.v[1].arrival_ns, GS_SECOND);
    GS_EQ_INT(assumed(&g, "no arrival"), 2);
    end(&g);
}

static void genai_requests_are_jobs_of_one_gpu(void)
{
    struct got g;
    begin(&g);
    GS_EQ_INT(scan_text(&g, "gmt_create,predict_type,predict_status,exec_time_seconds,groupId\n"
                            "2023-11-16 08:00:10,TXT_2_IMG,SUCCEED,32.0,G1\n"
                            "2023-11-16 08:00:11,INPAINTING,FAILED,1.5,G1\n"
                            "2023-11-16 08:00:12,TXT_2_IMG,PENDING,0.0,G1\n"
                            "2023-11-16 08:00:13,TXT_2_IMG,PROCESSING,0.0,G1\n"),
              GS_OK);
    CU_ASSERT_EQUAL_FATAL(g.jobs.n, 2);
    GS_EQ_INT(g.jobs.v[0].submit_ns, (NOV_16 + 10) * GS_SECOND); /* +08:00 */
    GS_EQ_INT(g.jobs.v[0].run_ns, 32 * GS_SECOND);
    GS_EQ_INT(g.jobs.v[0].gpus, 1);
    GS_EQ_INT(g.jobs.v[0].tasks, 1);
    GS_EQ_INT(g.jobs.v[0].attrs, 1);
    GS_EQ_INT(g.jobs.v[0].end_state, GS_END_COMPLETED);
    GS_EQ_INT(g.jobs.v[1].end_state, GS_END_FAILED);
    GS_EQ_INT(g.jobs.v[1].run_ns, 1500 * MS);
    GS_EQ_STR(str(&g, g.jobs.v[0].user), "G1");
    GS_EQ_INT(g.n.skipped, 2);
    end(&g);
}

static void coding_agent_steps_are_calls(void)
{
    struct got g;
    read_calls(&g,
               "session,step,kind,name,start_s,end_s,input_tokens,cache_read_tokens,"
               "cache_write_tokens,output_tokens,n_tool_calls,result_chars,is_error\n"
               "lo0,0,llm,m,0.000,4.107,3,10,14760,25,1,,\n"
               "lo0,1,tool,Bash,4.107,4.142,,,,,,160,1\n"
               "hk0,0,llm,<synthetic>,0.000,1.000,3,0,0,2,1,,\n",
               "coding-agent", 3);
    const struct gs_call *llm = &g.calls.v[0];
    GS_EQ_INT(llm->kind, GS_CALL_LLM);
    GS_EQ_INT(llm->input, 14773); /* the whole context */
    GS_EQ_INT(llm->cached, 10);
    GS_EQ_INT(llm->output, 25);
    GS_EQ_INT(llm->took_ns, 4107 * MS);
    const struct gs_call *tool = &g.calls.v[1];
    GS_EQ_INT(tool->kind, GS_CALL_TOOL);
    GS_EQ_INT(tool->arrival_ns, 4107 * MS);
    GS_EQ_INT(tool->took_ns, 35 * MS);
    GS_EQ_INT(tool->input, -1);
    GS_EQ_INT(tool->output, 160);
    GS_EQ_INT(tool->unit, 1);
    GS_EQ_INT(tool->outcome, GS_CALL_FAILED);
    GS_EQ_STR(str(&g, tool->service), "Bash");
    GS_EQ_INT(g.calls.v[2].output, -1); /* a placeholder in these sessions */
    GS_EQ_INT(g.calls.v[2].outcome, GS_CALL_FAILED);
    end(&g);
    refused("session,step,kind,name,start_s,end_s,input_tokens,cache_read_tokens,"
            "cache_write_tokens,output_tokens\nlo0,0,llm,m,4,3,1,1,1,1\n",
            "coding-agent", "is before start_s");
}

static void lmcache_agent_steps_are_microseconds_and_characters(void)
{
    struct got g;
    read_calls(&g,
               "session,step,timestamp_us,rel_us,input_chars,output_chars,common_prefix_chars\n"
               "mg00,0,1700092800000783,0,4014,820,0\nmg00,1,1700092799000000,-783,1294,1548,1294\n"
               "tb00,0,1700092800000000,0,29,0,29\n",
               "lmcache-agent", 2);
    GS_EQ_INT(g.calls.v[0].arrival_ns, NOV_16 * GS_SECOND + 783000);
    GS_EQ_INT(g.calls.v[0].unit, 1);
    GS_EQ_INT(g.calls.v[0].input, 4014);
    GS_EQ_INT(g.calls.v[1].cached, 1294);
    GS_EQ_INT(g.n.skipped, 1);
    GS_EQ_INT(g.n.origin_unix_ns, 0);
    end(&g);
}

/* ---- gsim's own -------------------------------------------------------------------------------- */

static void gsim_calls_carry_every_field(void)
{
    struct got g;
    read_calls(&g, "output_tokens,arrival,input_tokens\n2,1.5,1\n,1.5,\n", "gsim-calls", 2);
    GS_EQ_INT(g.calls.v[0].arrival_ns, 1500 * MS);
    GS_EQ_INT(g.calls.v[0].kind, GS_CALL_LLM);
    GS_EQ_INT(g.calls.v[1].input, -1);
    GS_EQ_INT(g.calls.v[1].output, -1);
    end(&g);
    begin(&g);
    GS_EQ_INT(scan_file(&g, SAMPLES "calls.csv"), GS_OK);
    CU_ASSERT_EQUAL_FATAL(g.calls.n, 5);
    const struct gs_call *c = &g.calls.v[2];
    GS_EQ_INT(c->arrival_ns, 3250 * MS);
    GS_EQ_STR(str(&g, c->session), "a");
    GS_EQ_STR(str(&g, c->parent), "a1");
    GS_EQ_STR(str(&g, c->name), "a2");
    GS_EQ_STR(str(&g, c->service), "chat");
    GS_EQ_INT(c->outcome, GS_CALL_OK);
    GS_EQ_INT(c->cached, 1200);
    GS_EQ_INT(c->took_ns, 1125 * MS);
    GS_EQ_INT(c->block_tokens, 512);
    GS_EQ_INT(c->nblocks, 4);
    CU_ASSERT_TRUE(g.blocks.v[g.blocks.n - 1] == UINT64_MAX);
    GS_EQ_INT(g.calls.v[1].kind, GS_CALL_TOOL);
    GS_EQ_INT(g.calls.v[1].unit, 1);
    GS_EQ_INT(g.calls.v[3].outcome, GS_CALL_OPEN);
    GS_EQ_INT(g.calls.v[4].kind, GS_CALL_IMAGE);
    end(&g);
}

static void gsim_calls_refuse_what_contradicts_itself(void)
{
    const char *const head = "arrival,input_tokens,output_tokens,kind,block_tokens,blocks\n";
    char text[256];
    (void)snprintf(text, sizeof text, "%s0,1,1,robot,,\n", head);
    refused(text, NULL, "is none of: llm, tool, image");
    (void)snprintf(text, sizeof text, "%s0,1,1,,,1-2\n", head);
    refused(text, NULL, "there are blocks");
    (void)snprintf(text, sizeof text, "%s0,1,1,,16,1-x\n", head);
    refused(text, NULL, "'x'");
    (void)snprintf(text, sizeof text, "%s0,1,1,,,\n2023-11-16T00:00:00Z,1,1,,,\n", head);
    refused(text, NULL, "seconds or wall clock, not both");
}

/* ---- Which format ------------------------------------------------------------------------------ */

static void every_sample_is_guessed(void)
{
    static const struct {
        const char *file, *format;
    } samples[] = {
        {"azure_llm_2023.csv", "azure-llm"},
        {"azure_llm_2024.csv", "azure-llm"},
        {"azure_lmm_2025.csv", "azure-llm"},
        {"burstgpt_v1.csv", "burstgpt"},
        {"burstgpt_v3.csv", "burstgpt"},
        {"mooncake.jsonl", "mooncake"},
        {"mooncake_sessions.jsonl", "mooncake"},
        {"qwen.jsonl", "qwen"},
        {"servegen-trace.csv", "servegen"},
        {"servegen-dataset.json", "servegen"},
        {"vidur.csv", "vidur"},
        {"vidur_lengths.csv", "vidur"},
        {"genai_requests.csv", "genai"},
        {"genai_metric.csv", "genai-metric"},
        {"coding_agent_steps.csv", "coding-agent"},
        {"lmcache_agent_steps.csv", "lmcache-agent"},
        {"calls.csv", "gsim-calls"},
    };

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct gs_trace_options o;
        struct gs_trace_summary s;
        char path[512];
        gs_trace_options_init(&o);
        o.path =
            gs_test_path(path, sizeof path, GSIM_SOURCE_DIR "/traces/samples", samples[i].file);
        CU_ASSERT_EQUAL_FATAL(gs_trace_info(&o, &s, NULL), GS_OK);
        GS_EQ_STR(s.n.format, samples[i].format);
        CU_ASSERT_TRUE(s.n.rows > 0);
        GS_EQ_INT(s.n.rows, s.n.emitted + s.n.skipped);
        gs_trace_summary_release(&s);
    }
}

static void torn_files_are_no_crash(void)
{
    static const char *const files[] = {"mooncake.jsonl", "qwen.jsonl", "servegen-dataset.json",
                                        "calls.csv", "servegen-trace.csv"};
    static char text[65536];
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        char path[512];
        FILE *in = fopen(
            gs_test_path(path, sizeof path, GSIM_SOURCE_DIR "/traces/samples", files[f]), "rb");
        CU_ASSERT_PTR_NOT_NULL_FATAL(in);
        const size_t n = fread(text, 1, sizeof text - 1, in);
        (void)fclose(in);
        for (size_t cut = n; cut > 0; cut -= cut > 97 ? 97 : cut) {
            struct got g;
            begin(&g);
            const enum gs_rc rc =
                scan_file(&g, gs_test_write("torn", text, cut, g.path, sizeof g.path));
            CU_ASSERT_TRUE(rc == GS_OK || (rc == GS_E_INPUT && g.err.msg[0]));
            end(&g);
        }
    }
}

static const struct gs_test tests[] = {
    {"azure: three spellings of time", azure_has_three_spellings_of_time},
    {"azure: zone", azure_zone_moves_only_stamps_without_one},
    {"azure: bad rows", azure_bad_rows_are_told},
    {"burstgpt: columns by name", burstgpt_finds_columns_by_name},
    {"mooncake: ms and 64 bits", mooncake_counts_milliseconds_and_keeps_64_bits},
    {"mooncake: sessions", mooncake_sessions_go_on_after_a_delay},
    {"mooncake: bad lines", mooncake_bad_lines_are_told},
    {"qwen: conversations", qwen_follows_conversations},
    {"vidur: arrivals or lengths", vidur_arrivals_or_lengths},
    {"genai: jobs", genai_requests_are_jobs_of_one_gpu},
    {"coding-agent: calls", coding_agent_steps_are_calls},
    {"lmcache-agent: us and characters", lmcache_agent_steps_are_microseconds_and_characters},
    {"gsim-calls: every field", gsim_calls_carry_every_field},
    {"gsim-calls: contradictions", gsim_calls_refuse_what_contradicts_itself},
    {"every sample is guessed", every_sample_is_guessed},
    {"torn files", torn_files_are_no_crash},
};

GS_TEST_MAIN("traces/calls", tests)

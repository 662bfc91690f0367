/* test_trace_convert.c - `gsim trace convert`: what a target can hold survives there and back; what it cannot is counted. */
#include "sim/base/rng.h"
#include "tests/unit/harness.h"
#include "traces/convert.h"

#define SAMPLES GSIM_SOURCE_DIR "/traces/samples/"

/* One conversion: text in, text out. */
struct made {
    struct gs_buf out;
    struct gs_convert_report report;
    struct gs_err err;
};

static enum gs_rc put(void *ctx, const char *bytes, size_t n, struct gs_err *err)
{
    (void)err;
    gs_buf_add(&((struct made *)ctx)->out, bytes, n);
    return GS_OK;
}

static enum gs_rc convert(struct made *m, const struct gs_trace_options *file, const char *to,
                          int clock)
{
    memset(m, 0, sizeof *m);
    const struct gs_convert_options o = {
        .files = file, .nfiles = 1, .to = to, .clock = clock, .put = put, .ctx = m};
    return gs_trace_convert(&o, &m->report, &m->err);
}

static enum gs_rc convert_file(struct made *m, const char *path, const char *to)
{
    struct gs_trace_options file;
    gs_trace_options_init(&file);
    file.path = path;
    file.cpu_jobs = 1;
    return convert(m, &file, to, 0);
}

static enum gs_rc convert_text(struct made *m, const char *name, const char *text, const char *to)
{
    char path[512];
    return convert_file(m, gs_test_write(name, text, SIZE_MAX, path, sizeof path), to);
}

static void drop(struct made *m)
{
    gs_buf_free(&m->out);
    gs_convert_release(&m->report);
}

static uint64_t lost(const struct made *m, const char *part)
{
    for (size_t i = 0; i < m->report.lost.n; i++) {
        if (strstr(m->report.lost.v[i].what, part))
            return m->report.lost.v[i].n;
    }
    return 0;
}

/* `text` to `to`, which must work and lose `losses` kinds of things. */
static void converted(struct made *m, const char *name, const char *text, const char *to,
                      size_t losses)
{
    const enum gs_rc rc = convert_text(m, name, text, to);
    if (rc != GS_OK)
        (void)printf("%s\n", m->err.msg);
    CU_ASSERT_EQUAL_FATAL(rc, GS_OK);
    GS_EQ_STR(m->report.to, to);
    GS_EQ_INT(m->report.lost.n, losses);
}

/* ---- gsim's own CSVs --------------------------------------------------------------------------- */

static void every_column_of_a_job_survives(void)
{
    const char *const text =
        "submit,duration,gpus,name,queue,user,kind,priority,tasks,task_gpus,share,gpu_memory,cpus,"
        "memory,gpu,estimate,state,preemptible,start,attempts,nodes,ran_on,after,think,checkpoints,"
        "estimate_source,duration_source,attr:attempts,colour\n"
        "0,193256,8,a,q 1,\"u,1\",training,0,1,8,1,0,2.5,1024,A|B,200000.5,failed,no,30,"
        "74:failed+193182.000000001,2,A,,,yes,user,trace,3,red\n"
        "1.5,never,1,b,q2,,interactive,-5,1,1,0.25,4096,0,0,,,killed,yes,,,,,a,60,no,none,endless,,\n"
        "2,10,12,c,,u2,batch,7,2,8,1,0,0,0,,20,unknown,no,,,,,b,0,no,limit,steps,,\"blue \"\"x\"\"\"\n"
        "3,10,0,d,,u2,batch,7,3,,1,0,4,0,,,timeout,no,,,,,,,no,none,trace,,\n";
    struct made once;
    struct made twice;
    converted(&once, "t.csv", text, "gsim", 0);
    GS_EQ_STR(gs_buf_cstr(&once.out), text);
    converted(&twice, "t.csv", gs_buf_cstr(&once.out), "gsim", 0);
    GS_EQ_STR(gs_buf_cstr(&twice.out), text);
    GS_EQ_INT(once.report.written, 4);
    drop(&once);
    drop(&twice);
}

static void every_column_of_a_call_survives(void)
{
    struct made once;
    struct made twice;
    CU_ASSERT_EQUAL_FATAL(convert_file(&once, SAMPLES "calls.csv", NULL), GS_OK);
    GS_EQ_STR(once.report.to, "gsim-calls");
    GS_EQ_INT(once.report.lost.n, 0);
    GS_HAS(gs_buf_cstr(&once.out), "1-2-3-18446744073709551615");
    GS_HAS(gs_buf_cstr(&once.out), "\n4.000000001,700,,");
    converted(&twice, "t.csv", gs_buf_cstr(&once.out), "gsim-calls", 0);
    GS_EQ_STR(gs_buf_cstr(&twice.out), gs_buf_cstr(&once.out));
    drop(&once);
    drop(&twice);
}

/* Whatever a reader makes of its sample, gsim's own CSV holds it: written, read and written again it is the same text. */
static void every_sample_survives_in_gsims_own(void)
{
    static const char *const files[] = {"azure_llm_2023.csv", "burstgpt_v3.csv",
                                        "mooncake.jsonl",     "mooncake_sessions.jsonl",
                                        "qwen.jsonl",         "vidur.csv",
                                        "jobs.csv",           "coding_agent_steps.csv",
                                        "openb_pods.csv",     "philly.csv",
                                        "jobs.swf",           "lmcache_agent_steps.csv",
                                        "genai_requests.csv", "openb_pods_static.csv"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[512];
        struct made once;
        struct made twice;
        CU_ASSERT_EQUAL_FATAL(
            convert_file(
                &once, gs_test_path(path, sizeof path, GSIM_SOURCE_DIR "/traces/samples", files[i]),
                NULL),
            GS_OK);
        converted(&twice, "t.csv", gs_buf_cstr(&once.out), once.report.to, 0);
        GS_EQ_STR(gs_buf_cstr(&twice.out), gs_buf_cstr(&once.out));
        drop(&once);
        drop(&twice);
    }
}

static void mooncake_survives_through_gsim_calls(void)
{
    struct made calls;
    struct made back;
    char text[16384];
    FILE *f = fopen(SAMPLES "mooncake.jsonl", "rb");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    (void)fclose(f);
    converted(&calls, "t.jsonl", text, "gsim-calls", 0);
    converted(&back, "t.csv", gs_buf_cstr(&calls.out), "mooncake", 0);
    GS_EQ_STR(gs_buf_cstr(&back.out), text);
    drop(&calls);
    drop(&back);
}

/* ---- SWF --------------------------------------------------------------------------------------- */

static const char *pick(struct gs_stream *s, const char *const *words, uint64_t n)
{
    return words[gs_below(s, n)];
}

/* Jobs that SWF can hold, as gsim writes them; the columns of dependence are there only if some job uses them. */
static void random_jobs(struct gs_stream *s, int gpus, struct gs_buf *out)
{
    static const char *const queues[] = {"", "q1", "\"queue, with blanks\"", "semi;colon"};
    static const char *const users[] = {"", "alice", "u7", "\"bob \"\"b\"\"\""};
    static const char *const states[] = {"unknown", "completed", "failed", "killed"};
    const uint64_t n = 2 + gs_below(s, 30);
    uint64_t submit = 0;
    gs_buf_str(out, "submit,duration,gpus,name,queue,user,kind,priority,tasks,task_gpus,share,"
                    "gpu_memory,cpus,memory,gpu,estimate,state,preemptible,start,after,think\n");
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t procs = 1 + gs_below(s, 20);
        const uint64_t tasks = gpus ? (procs + 7) / 8 : procs;
        gs_buf_fmt(out, "%llu", (unsigned long long)submit);
        gs_buf_fmt(out, "%s,%llu,%llu,%llu,", submit && gs_below(s, 2) ? ".25" : "",
                   (unsigned long long)gs_below(s, 100000), (unsigned long long)(gpus ? procs : 0),
                   (unsigned long long)(1000 - i * 7));
        gs_buf_fmt(out, "%s,%s,batch,0,%llu,", pick(s, queues, 4), pick(s, users, 4),
                   (unsigned long long)tasks);
        if (gpus)
            gs_buf_fmt(out, "%llu,1,0,0,0,,", (unsigned long long)(procs > 8 ? 8 : procs));
        else
            gs_buf_str(out, ",1,0,1,0,,");
        if (gs_below(s, 2))
            gs_buf_fmt(out, "%llu.5", (unsigned long long)gs_below(s, 1000));
        gs_buf_fmt(out, ",%s,no,%llu", pick(s, states, 4),
                   (unsigned long long)(submit + 1 + gs_below(s, 1000)));
        if (i == 1 || (i > 1 && gs_below(s, 3) == 0))
            gs_buf_fmt(out, ",%llu,%llu\n", (unsigned long long)(1000 - gs_below(s, i) * 7),
                       (unsigned long long)(i == 1 ? 5 : gs_below(s, 600)));
        else
            gs_buf_str(out, ",,\n");
        submit += 1 + gs_below(s, 500);
    }
}

static void jobs_survive_swf(void)
{
    struct gs_stream s;
    gs_stream_init(&s, 3, GS_RNG_TEST, 0, 0);
    for (int i = 0; i < 60; i++) {
        struct gs_buf text = {0};
        struct made swf;
        struct made back;
        random_jobs(&s, i % 2, &text);
        converted(&swf, "t.csv", gs_buf_cstr(&text), "swf", 0);
        converted(&back, "t.swf", gs_buf_cstr(&swf.out), "gsim", 0);
        GS_EQ_STR(gs_buf_cstr(&back.out), gs_buf_cstr(&text));
        drop(&swf);
        drop(&back);
        gs_buf_free(&text);
    }
}

static void swf_says_what_it_cannot_hold(void)
{
    struct made m;
    converted(&m, "t.csv",
              "submit,duration,gpus,name,kind,priority,share,gpu,cpus,memory,state,preemptible,"
              "estimate,ran_on,nodes,attempts,task_gpus,mood\n"
              "0,10,1,a,batch,1,0.5,A,1,5,timeout,yes,,A,1,4:failed+6:completed,1,good\n"
              "5,never,16,b,training,0,1,,,,completed,no,9,,,,4,\n"
              "6,10,0,c,batch,0,1,,,,completed,no,9,,,,,\n",
              "swf", 16);
    GS_EQ_INT(m.report.written, 2);
    GS_EQ_INT(lost(&m, "without a GPU"), 1);
    GS_EQ_INT(lost(&m, "the name"), 2);
    GS_EQ_INT(lost(&m, "a share"), 1);
    GS_EQ_INT(lost(&m, "GPU types asked for"), 1);
    GS_EQ_INT(lost(&m, "CPUs"), 1);
    GS_EQ_INT(lost(&m, "memory"), 1);
    GS_EQ_INT(lost(&m, "tasks"), 1);
    GS_EQ_INT(lost(&m, "that it ran on"), 1);
    GS_EQ_INT(lost(&m, "the nodes"), 1);
    GS_EQ_INT(lost(&m, "attempts"), 1);
    GS_EQ_INT(lost(&m, "attributes"), 1);
    GS_EQ_INT(lost(&m, "kind"), 1);
    GS_EQ_INT(lost(&m, "priority"), 1);
    GS_EQ_INT(lost(&m, "preempted"), 1);
    GS_EQ_INT(lost(&m, "time limit"), 1);
    GS_EQ_INT(lost(&m, "without end"), 1);
    GS_HAS(gs_buf_cstr(&m.out), "; MaxRecords: 2\n");
    GS_HAS(gs_buf_cstr(&m.out), "; MaxProcs: 16\n");
    GS_HAS(gs_buf_cstr(&m.out), "\n1 0 -1 10 1 -1 -1 1 -1 -1 0 -1 -1 -1 -1 -1 -1 -1\n");
    GS_HAS(gs_buf_cstr(&m.out), "\n2 5 -1 -1 16 -1 -1 16 9 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
    drop(&m);
}

static void swf_is_in_order_and_keeps_the_clock(void)
{
    struct made m;
    converted(&m, "t.csv",
              "submit,duration,gpus,name,after,think,kind\n"
              "2023-11-16T00:00:09.5Z,10,1,x,,,batch\n"
              "2023-11-16T00:00:01.25Z,10,2,y,x,3,batch\n",
              "swf", 1); /* the names */
    CU_ASSERT_TRUE(m.report.held);
    GS_HAS(gs_buf_cstr(&m.out), "; UnixStartTime: 1700092801\n");
    GS_HAS(gs_buf_cstr(&m.out), "\n1 0.25 -1 10 2 -1 -1 2 -1 -1 -1 -1 -1 -1 -1 -1 2 3\n");
    GS_HAS(gs_buf_cstr(&m.out), "\n2 8.5 -1 10 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n");
    drop(&m);
}

/* ---- The rest ---------------------------------------------------------------------------------- */

static void clocks_are_kept_on_demand(void)
{
    struct gs_trace_options file;
    struct made m;
    char path[512];
    gs_trace_options_init(&file);
    file.path = gs_test_write("t.csv",
                              "submit,duration,gpus,start\n2023-11-16 00:00:09.5,10,1,"
                              "2023-11-16 00:00:10\n",
                              SIZE_MAX, path, sizeof path);
    file.zone = "America/Los_Angeles";
    GS_EQ_INT(convert(&m, &file, "gsim", 1), GS_OK);
    GS_HAS(gs_buf_cstr(&m.out), "\n2023-11-16T00:00:09.5-08:00,10,1,");
    GS_HAS(gs_buf_cstr(&m.out), ",2023-11-16T00:00:10-08:00\n");
    drop(&m);
    GS_EQ_INT(convert(&m, &file, "gsim", 0), GS_OK);
    GS_HAS(gs_buf_cstr(&m.out), "\n0,10,1,");
    GS_EQ_INT(lost(&m, "the date"), 1);
    drop(&m);
    GS_EQ_INT(convert(&m, &file, "swf", 1), GS_E_INPUT);
    GS_HAS(m.err.msg, "leave --clock out");
    drop(&m);
}

static void calls_and_jobs_do_not_mix(void)
{
    struct made m;
    GS_EQ_INT(convert_text(&m, "t.csv", "submit,duration,gpus\n0,1,1\n", "mooncake"), GS_E_INPUT);
    GS_HAS(m.err.msg, "try --to gsim");
    drop(&m);
    GS_EQ_INT(convert_text(&m, "t.csv", "arrival,input_tokens,output_tokens\n0,1,1\n", "swf"),
              GS_E_INPUT);
    GS_HAS(m.err.msg, "try --to gsim-calls");
    drop(&m);
    GS_EQ_INT(convert_text(&m, "t.csv", "submit,duration,gpus\n0,1,1\n", "xml"), GS_E_INPUT);
    GS_HAS(m.err.msg, "gsim, swf, gsim-calls, mooncake");
    drop(&m);
}

static void mooncake_says_what_it_cannot_hold(void)
{
    struct made m;
    CU_ASSERT_EQUAL_FATAL(convert_file(&m, SAMPLES "calls.csv", "mooncake"), GS_OK);
    GS_EQ_INT(m.report.written, 3);
    GS_EQ_INT(lost(&m, "left out"), 2); /* a tool and an image */
    GS_EQ_INT(lost(&m, "the service"), 3);
    GS_EQ_INT(lost(&m, "a length"), 1);
    GS_EQ_INT(lost(&m, "fraction of a millisecond"), 1);
    GS_EQ_INT(lost(&m, "cached"), 1);
    drop(&m);
}

static const struct gs_test tests[] = {
    {"gsim: every column of a job", every_column_of_a_job_survives},
    {"gsim-calls: every column of a call", every_column_of_a_call_survives},
    {"gsim: every sample", every_sample_survives_in_gsims_own},
    {"mooncake: there and back", mooncake_survives_through_gsim_calls},
    {"swf: there and back", jobs_survive_swf},
    {"swf: losses", swf_says_what_it_cannot_hold},
    {"swf: order and clock", swf_is_in_order_and_keeps_the_clock},
    {"clock", clocks_are_kept_on_demand},
    {"calls and jobs", calls_and_jobs_do_not_mix},
    {"mooncake: losses", mooncake_says_what_it_cannot_hold},
};

GS_TEST_MAIN("traces/convert", tests)

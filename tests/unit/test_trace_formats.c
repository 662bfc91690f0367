/* test_trace_formats.c - readers of job traces: what one row of each becomes, to the nanosecond and the GPU; the figures of the
 * samples; what a bad row is told; and that each sample is taken for its own format and no other. */
#include "sim/base/buf.h"
#include "tests/unit/harness.h"
#include "traces/reader.h"

#define SAMPLES GSIM_SOURCE_DIR "/traces/samples/"

/* One scan, with its jobs as lines of text: submit, run and start in seconds, then what is not default. */
struct got {
    struct gs_intern str;
    struct gs_trace_options o;
    struct gs_trace_counts n;
    struct gs_err err;
    struct gs_buf jobs;
    char path[512];
};

static void add_seconds(struct gs_buf *b, const char *name, int64_t ns)
{
    if (ns == GS_NEVER)
        gs_buf_fmt(b, "%s never ", name);
    else if (ns % GS_SECOND)
        gs_buf_fmt(b, "%s %lld.%09lld ", name, (long long)(ns / GS_SECOND),
                   (long long)(ns % GS_SECOND));
    else
        gs_buf_fmt(b, "%s %lld ", name, (long long)(ns / GS_SECOND));
}

static void add_text(struct got *g, const char *name, uint32_t id)
{
    if (id)
        gs_buf_fmt(&g->jobs, "%s=%s ", name, gs_intern_str(&g->str, id));
}

static void add_number(struct got *g, const char *name, int64_t x, int64_t usual)
{
    if (x != usual)
        gs_buf_fmt(&g->jobs, "%s=%lld ", name, (long long)x);
}

static enum gs_rc keep_job(void *ctx, const struct gs_job *j, const struct gs_job_attempt *attempts,
                           const struct gs_job_attr *attrs, struct gs_err *err)
{
    (void)err;
    struct got *g = ctx;
    add_seconds(&g->jobs, "at", j->submit_ns);
    add_seconds(&g->jobs, "run", j->run_ns);
    if (j->start_ns >= 0)
        add_seconds(&g->jobs, "start", j->start_ns);
    if (j->est_ns >= 0)
        add_seconds(&g->jobs, "limit", j->est_ns);
    gs_buf_fmt(&g->jobs, "gpus %u as %ux%u %s %s ", j->gpus, j->tasks, j->task_gpus,
               gs_job_kind_str(j->kind), gs_end_state_str(j->end_state));
    add_number(g, "share", j->share_milli, 1000);
    add_number(g, "cpus", j->cpus_milli, 0);
    add_number(g, "mem", j->mem_mib, 0);
    add_number(g, "nodes", j->nodes, 0);
    add_number(g, "flags", j->flags, 0);
    add_number(g, "source", j->duration_source, GS_DURATION_TRACE);
    add_text(g, "name", j->name);
    add_text(g, "queue", j->queue);
    add_text(g, "user", j->user);
    add_text(g, "models", j->models);
    add_text(g, "on", j->ran_on);
    for (uint32_t i = 0; i < j->attempts; i++) {
        add_seconds(&g->jobs, "try", attempts[i].run_ns);
        gs_buf_fmt(&g->jobs, "%s ", gs_end_state_str(attempts[i].end_state));
    }
    for (uint32_t i = 0; i < j->attrs; i++)
        gs_buf_fmt(&g->jobs, "%s:%s ", gs_intern_str(&g->str, attrs[i].key),
                   gs_intern_str(&g->str, attrs[i].value));
    if (g->jobs.n)
        g->jobs.s[g->jobs.n - 1] = '\n';
    return GS_OK;
}

static void begin(struct got *g)
{
    memset(g, 0, sizeof *g);
    gs_intern_init(&g->str);
    gs_trace_options_init(&g->o);
    g->o.shown = "t";
}

static void end(struct got *g)
{
    gs_buf_free(&g->jobs);
    gs_intern_release(&g->str);
}

static enum gs_rc scan_file(struct got *g, const char *path)
{
    const struct gs_sink sink = {.ctx = g, .job = keep_job};
    g->o.path = path;
    return gs_trace_scan(&g->o, &g->str, &sink, &g->n, &g->err);
}

static enum gs_rc scan_text(struct got *g, const char *text)
{
    return scan_file(g, gs_test_write("t.csv", text, SIZE_MAX, g->path, sizeof g->path));
}

/* ---- Headers ----------------------------------------------------------------------------------- */

#define HELIOS                                                                                \
    "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration," \
    "queue\n"
#define SEREN                                                                                   \
    "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration," \
    "queue,gpu_time\n"
#define KALOS                                                                            \
    "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state," \
    "submit_time,start_time,end_time,fail_time,stop_time,duration,queue,gpu_time\n"
#define TIRESIAS "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n"
#define MURI                                                                         \
    "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval," \
    "iteration_time,resource_time_0,resource_time_1,resource_time_2,priority\n"
#define CHRONUS                                                                \
    "job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval," \
    "expect_time_list,expect_value_list,best_effort,job_type\n"
#define ELASTIC \
    "job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration,best_effort\n"
#define SIA "name,time,application,num_replicas,batch_size\n"
#define SPOT \
    "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type\n"
#define DLRM                                                                                \
    "instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,"   \
    "rdma_limit,memory_request,memory_limit,disk_request,disk_limit,max_instance_per_node," \
    "creation_time,scheduled_time,deletion_time\n"
#define PAI_LIST "job_id,user,num_gpu,num_cpu,submit_time,num_inst,duration,wait_time,group\n"
#define PHILLY(SUBMIT, ATTEMPTS)                                                   \
    "[{\"status\":\"Killed\",\"vc\":\"v\",\"jobid\":\"a\",\"attempts\":[" ATTEMPTS \
    "],\"submitted_time\":\"" SUBMIT "\",\"user\":\"u\"}]"
#define TRY(START, END, DETAIL) \
    "{\"start_time\":\"" START "\",\"end_time\":\"" END "\",\"detail\":[" DETAIL "]}"
#define TWO_GPUS "{\"ip\":\"m1\",\"gpus\":[\"gpu0\",\"gpu1\"]}"
#define BATSIM(JOB)                                                                             \
    "{\"nb_res\":4,\"jobs\":[" JOB "],\"profiles\":{\"d\":{\"type\":\"delay\",\"delay\":20.5}," \
    "\"f\":{\"type\":\"parallel_homogeneous\",\"cpu\":1e9,\"com\":0}}}"

/* ---- One row of each --------------------------------------------------------------------------- */

static const struct {
    const char *format, *text, *job;
} one_row[] = {
    /* 01:11:39 in Pacific daylight time is 08:11:39 UTC */
    {"philly-log",
     PHILLY("2017-10-07 01:11:39",
            TRY("2017-10-07 01:12:09", "2017-10-07 01:13:23",
                TWO_GPUS) "," TRY("2017-10-07 01:13:30", "2017-10-07 01:14:00", TWO_GPUS)),
     "at 1507363899 run 104 start 1507363929 gpus 2 as 1x2 training killed nodes=1 name=a queue=v "
     "user=u try 74 failed try 30 killed\n"},
    /* 2 GPUs here and 1 there: the last task is smaller */
    {"philly-log",
     PHILLY("2017-10-07 01:11:39", TRY("2017-10-07 01:12:09", "2017-10-07 01:12:19",
                                       TWO_GPUS ",{\"ip\":\"m2\",\"gpus\":[\"gpu0\"]}")),
     "at 1507363899 run 10 start 1507363929 gpus 3 as 2x2 training killed nodes=2 name=a queue=v "
     "user=u try 10 killed\n"},
    /* across the hour that happens twice: 01:50 daylight time to 01:10 standard time is 20 minutes */
    {"philly-log",
     PHILLY("2017-11-05 01:49:00", TRY("2017-11-05 01:50:00", "2017-11-05 01:10:00", TWO_GPUS)),
     "at 1509871740 run 1200 start 1509871800 gpus 2 as 1x2 training killed nodes=1 name=a "
     "queue=v user=u try 1200 killed\n"},
    {"chronus", CHRONUS "0,vc_a,4,10,6910,resnet101,211,8,60-282,10-2,0,strict\n",
     "at 600 run 12660 gpus 4 as 1x4 training unknown name=0 queue=vc_a expect_time_list:60-282 "
     "expect_value_list:10-2 job_type:strict best_effort:0 model_name:resnet101 "
     "iterations:6910\n"},
    /* midnight in China is 16:00 UTC of the day before */
    {"helios",
     HELIOS "j1,u1,vc1,16,96,2,CANCELLED,2020-04-01 00:00:00,2020-04-01 00:01:00,"
            "2020-04-01 01:01:00,3600,60\n",
     "at 1585670400 run 3600 start 1585670460 gpus 16 as 2x8 training killed cpus=48000 nodes=2 "
     "name=j1 queue=vc1 user=u1\n"},
    {"acme",
     SEREN "7,u1,1,8,128,Debug,TIMEOUT,2021-03-01 08:00:00+08:00,2021-03-01 08:00:10+08:00,"
           "2021-03-01 08:01:10+08:00,60,10,480\n",
     "at 1614556800 run 60 start 1614556810 gpus 8 as 1x8 interactive timeout cpus=128000 nodes=1 "
     "name=7 user=u1 type:Debug\n"},
    /* duration 18 holds the wait of 10: the run time is 8 */
    {"acme",
     KALOS "d1,u1,2,16,200,100,20.0,SFT,NODE_FAIL,2021-03-01 00:00:00+00:00,"
           "2021-03-01 00:00:10+00:00,2021-03-01 00:00:18+00:00,,,18,10.0,288\n",
     "at 1614556800 run 8 start 1614556810 gpus 16 as 2x8 finetuning failed cpus=100000 mem=102400 "
     "nodes=2 name=d1 user=u1 type:SFT shared_mem_per_pod:20.0\n"},
    {"pai", "j,t,2.0,Terminated,494319.0,494379.5,600.0,29.296875,50.0,T4\n",
     "at 494319 run 60.500000000 start 494319 gpus 2 as 2x1 training completed share=500 "
     "cpus=6000 mem=30000 name=j/t on=T4\n"},
    {"pai", "j,t,1,Failed,10,20,,,200,\n",
     "at 10 run 10 start 10 gpus 2 as 1x2 training failed name=j/t\n"},
    {"pai-list", PAI_LIST "3,u1,0.25,6.0,120,3,60,5,g1\n",
     "at 120 run 60 gpus 3 as 3x1 training unknown share=250 cpus=6000 name=3 user=u1 wait_time:5 "
     "group:g1\n"},
    {"dlrm", DLRM "i1,HN,app_0,12,12,1,1,25,25,120.5,120.5,640.0,800.0,8,100,105,4000\n",
     "at 100 run 3895 start 105 gpus 1 as 1x1 interactive unknown cpus=12000 mem=123392 name=i1 "
     "role:HN app_name:app_0 max_instance_per_node:8 rdma_request:25 disk_request:640.0 "
     "disk_limit:800.0\n"},
    {"dlrm", DLRM "i1,HN,app_0,12,12,1,1,25,25,120,120,640,640,-1,,,\n",
     "at 0 run never gpus 1 as 1x1 interactive unknown cpus=12000 mem=122880 source=2 name=i1 "
     "role:HN app_name:app_0 max_instance_per_node:-1 rdma_request:25 disk_request:640 "
     "disk_limit:640\n"},
    {"spot", SPOT "j1,org_1,H800,64,8,4,90,3600,Spot\n",
     "at 90 run 3600 gpus 32 as 4x8 training unknown cpus=64000 flags=1 name=j1 queue=org_1 "
     "models=H800 job_type:Spot\n"},
    {"tiresias", TIRESIAS "1,8,30,133,vgg11,147,23\n",
     "at 30 run 147 gpus 8 as 1x8 training unknown name=1 model_name:vgg11 iterations:133\n"},
    {"muri", MURI "1,8,1534000,1463,vgg16,16,281500,28000,214,82,75,0.5,1\r\n",
     "at 1534 run 281.500000000 gpus 8 as 1x8 training unknown name=1 model_name:vgg16 "
     "batch_size:16 iteration_time:214 resource_time_0:82 resource_time_1:75 resource_time_2:0.5 "
     "iterations:1463 priority:1\n"},
    {"elasticflow", ELASTIC "2,5469,19852,resnet50,6228,128,12,752,0\n",
     "at 5469 run 752 gpus 12 as 2x8 training unknown name=2 ddl:6228 iteration:19852 "
     "model_name:resnet50 batch_size:128 best_effort:0\n"},
    {"sia", SIA "bert-1,487.661836,bert,6,320\n",
     "at 487.661836000 run never gpus 6 as 1x6 training unknown source=2 name=bert-1 "
     "application:bert batch_size:320\n"},
    {"gavel",
     "LM (batch size 10)\tpython3 x\tfolder\t--steps\t1\t134583\t4\tgns\t1\t-1.0\t1418\t55\n",
     "at 55 run 1418 gpus 4 as 1x4 training unknown job_type:LM (batch size 10) mode:gns "
     "priority_weight:1\n"},
    {"batsim", BATSIM("{\"id\":3,\"subtime\":57.25,\"walltime\":300,\"res\":4,\"profile\":\"d\"}"),
     "at 57.250000000 run 20.500000000 limit 300 gpus 0 as 4x0 batch unknown cpus=1000 name=3\n"},
    {"batsim", BATSIM("{\"id\":3,\"subtime\":0,\"walltime\":10,\"res\":1,\"profile\":\"d\"}"),
     "at 0 run 10 limit 10 gpus 0 as 1x0 batch timeout cpus=1000 name=3\n"},
};

static void one_row_of_each_format(void)
{
    for (size_t i = 0; i < sizeof one_row / sizeof one_row[0]; i++) {
        struct got g;
        begin(&g);
        GS_EQ_INT(scan_text(&g, one_row[i].text), GS_OK);
        GS_EQ_STR(g.err.msg, "");
        GS_EQ_STR(g.n.format, one_row[i].format);
        GS_EQ_STR(gs_buf_cstr(&g.jobs), one_row[i].job);
        GS_EQ_INT(g.n.rows, 1);
        GS_EQ_INT(g.n.emitted, 1);
        end(&g);
    }
}

/* ---- Rows that are no jobs, and bad ones ------------------------------------------------------- */

static const struct {
    const char *format, *text, *reason;
} dropped[] = {
    {"philly-log", PHILLY("2017-10-07 01:11:39", ""), "no attempts: never ran"},
    {"philly-log", PHILLY("2017-10-07 01:11:39", TRY("2017-10-07 01:12:09", "None", TWO_GPUS)),
     "still running when the log was taken"},
    {"philly-log", PHILLY("2017-10-07 01:11:39", TRY("", "2017-10-07 01:12:09", TWO_GPUS)),
     "an attempt without a start"},
    {"philly-log",
     PHILLY("2017-10-07 01:00:00", TRY("2017-10-07 01:12:09", "2017-10-07 01:12:08", TWO_GPUS)),
     "ends before it starts"},
    {"helios",
     HELIOS "j,u,v,0,6,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:01:00,2020-04-01 "
            "00:02:00,60,60\n",
     "asks for no GPU"},
    {"helios",
     HELIOS "j,u,v,1,6,1,SUSPENDED,2020-04-01 00:00:00,2020-04-01 00:01:00,2020-04-01 "
            "00:02:00,60,60\n",
     "not ended when the log was taken"},
    {"acme", SEREN "7,u,1,8,9,Eval,CANCELLED,2021-03-01 08:00:00+08:00,,,0,0,0\n", "never started"},
    {"pai", "j,t,1,Running,10,20,,,100,\n", "not ended when the log was taken"},
    {"pai", "j,t,1,Waiting,,,,,100,\n", "never started"},
    {"pai", "j,t,1,Terminated,10,20,600,,,\n", "asks for no GPU"},
    {"spot", SPOT "j1,org_1,H800,64,8,0,90,3600,HP\n", "no workers"},
    {"tiresias", TIRESIAS "1,0,30,133,vgg11,147,23\n", "no GPUs asked for"},
    {"batsim", BATSIM("{\"id\":3,\"subtime\":0,\"walltime\":10,\"res\":1,\"profile\":\"f\"}"),
     "profile is no delay: its run time depends on the platform"},
};

static void rows_that_are_no_jobs_are_counted_with_their_reason(void)
{
    for (size_t i = 0; i < sizeof dropped / sizeof dropped[0]; i++) {
        struct got g;
        begin(&g);
        GS_EQ_INT(scan_text(&g, dropped[i].text), GS_OK);
        GS_EQ_STR(g.err.msg, "");
        GS_EQ_STR(g.n.format, dropped[i].format);
        GS_EQ_INT(g.n.emitted, 0);
        GS_EQ_INT(g.n.skipped, 1);
        GS_EQ_INT(g.n.nwhy, 1);
        GS_EQ_STR(g.n.nwhy ? g.n.why[0].reason : "", dropped[i].reason);
        end(&g);
    }
}

static const struct {
    const char *format, *text, *says;
} bad[] = {
    {"philly-log", PHILLY("yesterday", TRY("2017-10-07 01:12:09", "2017-10-07 01:12:10", TWO_GPUS)),
     "submitted_time"},
    {"philly-log", "[{\"jobid\":\"x\",\"attempts\":3,\"submitted_time\":1}]", "'attempts'"},
    {"philly-log", "[{\"attempts\":[],\"submitted_time\":", "ends inside the array"},
    {"chronus", CHRONUS "0,a,4,-10,1,m,211,8,60,10,0,strict\n", "'submit_time': '-10' is negative"},
    {"chronus",
     "job_id,user,submit_time,duration,expect_time_list,expect_value_list\n0,a,1,1,1,1\n",
     "no column 'num_gpu'"},
    {"helios", HELIOS "j,u,v,many,6,1,COMPLETED,x,x,x,60,60\n",
     "'gpu_num': 'many' is not a number"},
    {"helios", HELIOS "j,u,v,1,6,1,COMPLETED\n", "7 fields"},
    {"acme", SEREN "7,u,1,8.5,9,Eval,FAILED,,,,0,0,0\n", "'gpu_num': '8.5' is not a whole number"},
    {"pai", "j,t,1,Terminated,10,soon,600,,100,\n", "'end_time': 'soon' is not a number"},
    {"pai-list", PAI_LIST "3,u1,-1,6.0,120,3,60,5,g1\n", "'num_gpu': '-1' is negative"},
    {"dlrm", DLRM "i,HN,a,12,12,1,1,25,25,120,120,640,640,-1,100,105,104\n", "before the start"},
    {"spot", SPOT "j,o,H800,64,8,4,90,,HP\n", "'duration': '' is empty"},
    {"tiresias", TIRESIAS "1,1,30,1,m,1e30,23\n", "'duration': '1e30'"},
    {"tiresias", TIRESIAS "1,1,30,1,m,10,23\n1,1,30,1,m,10,23\n", "stands already in line 2"},
    {"muri", MURI "1,8,x,1463,vgg16,16,1,1,214,82,75,1,1\n", "'submit_time': 'x' is not a number"},
    {"elasticflow", ELASTIC "2,1,1,m,3,64,2000000,1,0\n", "'num_gpu': '2000000'"},
    {"sia", SIA "a,-1,bert,6,320\n", "'time': '-1' is negative"},
    {"gavel", "LM (batch size 10)\tx\tf\t-n\t1\t10\t-4\tgns\t1\t-1\t1418\t55\n",
     "'scale_factor': '-4' is negative"},
    {"gavel", "LM\tx\t-n\t1\t10\t0.0\t1\n", "`throughputs`"},
    {"batsim", BATSIM("{\"id\":3,\"subtime\":0,\"res\":1,\"profile\":\"none\"}"),
     "'profile': 'none' is not among the profiles"},
    {"batsim", "{\"nb_res\":-4,\"jobs\":[{\"subtime\":0,\"res\":1}],\"profiles\":{}}", "nb_res"},
    {NULL, "{\"a\":\"b \\\" c\", \"n\": [1,\n2]}", "JSON of no known format"},
    {NULL, "[{\"a\": 1}]\n", "JSON of no known format"},
    {"batsim", "{\"jobs\":[{\"subtime\":0,\"res\":1}],\"profiles\":3}", "`profiles`"},
};

static void bad_rows_say_where_and_what(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct got g;
        begin(&g);
        g.o.format = bad[i].format;
        GS_EQ_INT(scan_text(&g, bad[i].text), GS_E_INPUT);
        GS_HAS(g.err.msg, bad[i].says);
        GS_HAS(g.err.msg, "t:");
        end(&g);
    }
}

static const struct {
    const char *format, *text, *says;
} bad_info[] = {
    {"helios-quota", "date,vc1,total\n2020-04-01,8\n", "another width"},
    {"throughputs", "{\"k80\":{\"('a', 1)\":{\"null\":\"fast\"}}}", "expected steps/s"},
    {"pai-table", "x\n", "none of the PAI tables"},
    {"tiresias-cluster", "num_switch,num_node_p_switch,num_gpu_p_node\n1,-2,4\n", "is negative"},
    {"spot-nodes", "gpu_model,gpu_capacity_num,cpu_num,node_name\nA10,many,1,0\n", "'many'"},
    {"sia-profile", "local_bsz,step_time,sync_time,placement\n4,x,0,1\n", "'step_time': 'x'"},
    {"swf-machines", "0\tseth\t120\n", "is not 6 fields"},
    {"acme-summary", "id,job_num,cpu_job_num,gpu_job_num\nSeren,1,1,1\n", "no column"},
};

static void files_without_jobs_are_checked_too(void)
{
    for (size_t i = 0; i < sizeof bad_info / sizeof bad_info[0]; i++) {
        struct got g;
        struct gs_trace_summary s;
        memset(&s, 0, sizeof s);
        begin(&g);
        g.o.format = bad_info[i].format;
        GS_EQ_INT(scan_text(&g, bad_info[i].text), GS_E_INPUT);
        GS_HAS(g.err.msg, "holds no jobs");
        GS_EQ_INT(gs_trace_info(&g.o, &s, &g.err), GS_E_INPUT);
        GS_HAS(g.err.msg, bad_info[i].says);
        gs_trace_summary_release(&s);
        end(&g);
    }
}

static void keys_of_other_formats_are_refused(void)
{
    struct got g;
    const char *text = TIRESIAS "1,8,30,133,vgg11,147,23\n";
    begin(&g);
    g.o.throughputs = "rates.json";
    GS_EQ_INT(scan_text(&g, text), GS_E_INPUT);
    GS_HAS(g.err.msg, "`throughputs` is for lists that hold steps (gavel), and this is tiresias");
    g.o.throughputs = NULL;
    g.o.gpus_per_proc_milli = 500;
    GS_EQ_INT(scan_text(&g, text), GS_E_INPUT);
    GS_HAS(g.err.msg, "`gpus_per_proc`");
    g.o.gpus_per_proc_milli = 0;
    g.o.task_procs = 0;
    GS_EQ_INT(scan_text(&g, text), GS_E_INPUT);
    GS_HAS(g.err.msg, "`task_procs`");
    g.o.task_procs = 1;
    g.o.prefill_rate = g.o.decode_rate = 100;
    GS_EQ_INT(scan_text(&g, text), GS_E_INPUT);
    GS_HAS(g.err.msg, "`token_rates`");
    g.o.prefill_rate = g.o.decode_rate = 0;
    GS_EQ_INT(scan_text(&g, text), GS_OK);
    end(&g);
}

/* ---- Steps to seconds -------------------------------------------------------------------------- */

#define LISTS                                                     \
    "A (batch size 1)\tx --o \"a b\"\t-n\t1\t1000\t0.000000\t2\n" \
    "A (batch size 1)\tx\t-n\t1\t1000\t5.000000\t12\n"            \
    "B (batch size 1)\tx\t-n\t1\t1000\t6.000000\t1\n"             \
    "C (batch size 1)\tx\t-n\t1\t1000\t7.000000\t1\n"
#define MEASURED                                                                              \
    "{\"v100\":{\"('A (batch size 1)', 1)\":{\"null\":3},"                                    \
    "\"('A (batch size 1)', 2)\":{\"null\":4.0},\"('A (batch size 1)', 8)\":{\"null\":12.0}," \
    "\"('B (batch size 1)', 1)\":{\"null\":0}},\"k80\":{}}"

static void steps_become_time_by_measured_throughputs(void)
{
    struct got g;
    char measured[512];
    begin(&g);
    g.o.throughputs = gs_test_write("rates.json", MEASURED, SIZE_MAX, measured, sizeof measured);
    GS_EQ_INT(scan_text(&g, LISTS), GS_OK);
    /* 1000 / 4; and at 12 GPUs, measured at 8: 1000 / (12 * 12 / 8) = 55.5... s */
    GS_EQ_STR(gs_buf_cstr(&g.jobs),
              "at 0 run 250 gpus 2 as 1x2 training unknown source=5 job_type:A (batch size 1)\n"
              "at 5 run 55.555555556 gpus 12 as 2x8 training unknown source=5 job_type:A (batch "
              "size 1)\n");
    GS_EQ_INT(g.n.skipped, 2);
    end(&g);
    begin(&g);
    g.o.throughputs = measured;
    g.o.throughput_gpu = "a100";
    GS_EQ_INT(scan_text(&g, LISTS), GS_E_INPUT);
    GS_HAS(g.err.msg, "no GPU type 'a100' (found: v100, k80)");
    end(&g);
}

static void cpu_jobs_are_kept_when_asked_for(void)
{
    struct got g;
    begin(&g);
    g.o.cpu_jobs = 1;
    GS_EQ_INT(scan_text(&g, HELIOS "j,u,v,0,6,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 "
                                   "00:00:00,2020-04-01 00:02:00,120,0\n"),
              GS_OK);
    GS_EQ_STR(gs_buf_cstr(&g.jobs),
              "at 1585670400 run 120 start 1585670400 gpus 0 as 1x0 batch completed cpus=6000 "
              "nodes=1 name=j queue=v user=u\n");
    end(&g);
}

static enum gs_rc sum_node(void *ctx, const struct gs_inventory_node *n, struct gs_err *err)
{
    (void)err;
    gs_buf_fmt(ctx, "%s %s %u %lld\n", n->name, n->model, n->gpus, (long long)n->cpus_milli);
    return GS_OK;
}

static void spot_nodes_are_an_inventory(void)
{
    char path[512];
    struct gs_buf nodes = {0};
    struct gs_trace_counts n;
    struct gs_err err = {0};
    (void)gs_test_write("nodes.csv", "node_name,gpu_model,gpu_capacity_num,cpu_num\n7,H800,8,192\n",
                        SIZE_MAX, path, sizeof path);
    GS_EQ_INT(gs_inventory_read(path, NULL, GS_BAD_ROWS_ERROR, sum_node, &nodes, &n, &err), GS_OK);
    GS_EQ_STR(err.msg, "");
    GS_EQ_STR(n.format, "spot");
    GS_EQ_STR(gs_buf_cstr(&nodes), "7 H800 8 192000\n");
    gs_buf_free(&nodes);
}

/* ---- Samples ----------------------------------------------------------------------------------- */

static const struct {
    const char *file, *format, *quantity, *value;
} samples[] = {
    {"acme_kalos.csv", "acme", "states", "CANCELLED:4;COMPLETED:6;FAILED:5;RUNNING:1"},
    {"acme_seren.csv", "acme", "null_start_time", "1"},
    {"acme_summary.csv", "acme-summary", "job_num_Helios", "4000"},
    {"batsim.json", "batsim", "sum_res", "124"},
    {"chronus.csv", "chronus", "job_types", "soft:4;strict:12"},
    {"dlrm.csv", "dlrm", "roles", "CN:16;HN:8"},
    {"elasticflow.csv", "elasticflow", "out_of_order", "7"},
    {"elasticflow_real.csv", "elasticflow", "gpu_histogram", "1:5;2:5;4:4"},
    {"gavel.trace", "gavel", "fields", "7:24"},
    {"gavel_physical.trace", "gavel", "fields", "10:16"},
    {"helios.csv", "helios", "zero_gpu_rows", "8"},
    {"helios_quota.csv", "helios-quota", "total_mismatch_rows", "0"},
    {"helios_sequence.csv", "helios-sequence", "rows", "15"},
    {"helios_throughput.csv", "helios-throughput", "last", "2020-04-01 02:50:00"},
    {"helios_vc.csv", "helios-vc", "sum_num", "33"},
    {"muri.csv", "muri", "last_submit", "1140000"},
    {"pai_batch.csv", "pai-batch", "lines", "19"},
    {"pai_job.csv", "pai-table", "status", "Failed:4;Running:4;Terminated:4"},
    {"pai_list.csv", "pai-list", "last_submit", "2280"},
    {"pai_machine.csv", "pai-table", "gpus_by_type", "CPU:0;P100:6;T4:6;V100M32:24"},
    {"pai_task.csv", "pai", "null_end_time", "6"},
    {"pai_task.header", "pai-table", "columns", "10"},
    {"philly_gpu_util.csv", "philly-util", "null_gpu0_util", "4"},
    {"philly_log.json", "philly-log", "jobs", "14"},
    {"philly_machines.csv", "philly-util", "gpus_by_memory", "12GB:10;24GB:40"},
    {"philly_nodes.csv", "philly-nodes", "min_total", "340"},
    {"philly_runtimes.csv", "philly-runtimes", "max", "1372"},
    {"shockwave.trace", "gavel", "modes", "accordion:5;gns:6;static:5"},
    {"sia.csv", "sia", "last_submit", "2047.25"},
    {"sia_placements.csv", "sia-profile", "columns", "placement,local_bsz,step_time,sync_time"},
    {"sia_scalability.csv", "sia-profile", "max_num_replicas", "24"},
    {"spot.csv", "spot", "job_types", "HP:10;Spot:10"},
    {"spot_nodes.csv", "spot-nodes", "gpus_by_model", "A10:7;H800:56"},
    {"swf.machines", "swf-machines", "text", "0 thin 96 2 1 1048576 1 fat 12 8 1.5 8388608"},
    {"throughputs.json", "throughputs", "k80_isolated_sum", "126"},
    {"tiresias.csv", "tiresias", "gpu_histogram", "1:8;2:4;4:4;8:4"},
    {"tiresias_cluster.csv", "tiresias-cluster", "gpus", "96"},
    {"tiresias_durations.csv", "tiresias-durations", "sum_duration", "4470"},
    {"tiresias_tf.csv", "tiresias", "distinct_job_ids", "9"},
};

static const char *figure(const struct gs_trace_summary *s, const char *quantity)
{
    for (size_t i = 0; i < s->figures.n; i++) {
        if (strcmp(s->figures.v[i].name, quantity) == 0)
            return s->figures.v[i].value;
    }
    return "(none)";
}

static void samples_are_taken_for_their_format_and_give_their_figures(void)
{
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        char path[512];
        struct gs_trace_options o;
        struct gs_trace_summary s;
        struct gs_err err = {0};
        gs_trace_options_init(&o);
        o.path = gs_test_path(path, sizeof path, SAMPLES, samples[i].file);
        memset(&s, 0, sizeof s);
        GS_EQ_INT(gs_trace_info(&o, &s, &err), GS_OK);
        GS_EQ_STR(err.msg, "");
        GS_EQ_STR(s.n.format, samples[i].format);
        GS_EQ_STR(figure(&s, samples[i].quantity), samples[i].value);
        gs_trace_summary_release(&s);
    }
}

static const struct gs_test tests[] = {
    {"one row of each format", one_row_of_each_format},
    {"rows that are no jobs are counted with their reason",
     rows_that_are_no_jobs_are_counted_with_their_reason},
    {"bad rows say where and what", bad_rows_say_where_and_what},
    {"files without jobs are checked too", files_without_jobs_are_checked_too},
    {"keys of other formats are refused", keys_of_other_formats_are_refused},
    {"steps become time by measured throughputs", steps_become_time_by_measured_throughputs},
    {"CPU jobs are kept when asked for", cpu_jobs_are_kept_when_asked_for},
    {"spot nodes are an inventory", spot_nodes_are_an_inventory},
    {"samples are taken for their format and give their figures",
     samples_are_taken_for_their_format_and_give_their_figures},
};
GS_TEST_MAIN("traces/formats", tests)

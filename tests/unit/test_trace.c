/* test_trace.c - the trace readers: what becomes of a row, and what is said about a bad one. */
#include "sim/base/units.h"
#include "tests/unit/harness.h"
#include "traces/trace.h"

#define SAMPLES GSIM_SOURCE_DIR "/traces/samples/"

/* One read of one file, with everything it needs. */
struct read {
    struct gs_intern str;
    struct gs_workload w;
    struct gs_trace_options o;
    struct gs_trace_counts n;
    struct gs_err err;
    char path[512];
};

static void open_read(struct read *r)
{
    memset(r, 0, sizeof *r);
    gs_intern_init(&r->str);
    gs_workload_init(&r->w, &r->str);
    gs_trace_options_init(&r->o);
    r->o.shown = "t.csv";
}

static void close_read(struct read *r)
{
    gs_workload_release(&r->w);
    gs_intern_release(&r->str);
}

static enum gs_rc read_file(struct read *r, const char *path)
{
    r->o.path = path;
    return gs_trace_read(&r->w, 0, &r->o, &r->n, &r->err);
}

static enum gs_rc read_text(struct read *r, const char *text)
{
    return read_file(r, gs_test_write("t.csv", text, SIZE_MAX, r->path, sizeof r->path));
}

/* Reads `text` with the default options; it must be refused with `says` in the message and leave no job. */
static void refused(const char *text, const char *says)
{
    struct read r;
    open_read(&r);
    GS_EQ_INT(read_text(&r, text), GS_E_INPUT);
    GS_HAS(r.err.msg, says);
    GS_EQ_INT(r.w.jobs.n, 0);
    close_read(&r);
}

static uint64_t skipped(const struct gs_trace_counts *n, const char *reason)
{
    for (uint32_t i = 0; i < n->nwhy; i++) {
        if (strcmp(n->why[i].reason, reason) == 0)
            return n->why[i].n;
    }
    return 0;
}

static uint64_t assumed(const struct gs_trace_counts *n, const char *part)
{
    for (uint32_t i = 0; i < n->nassumed; i++) {
        if (strstr(n->assumed[i].what, part))
            return n->assumed[i].n;
    }
    return 0;
}

static const struct gs_job *job(const struct read *r, size_t i)
{
    CU_ASSERT_TRUE_FATAL(i < r->w.jobs.n);
    return &r->w.jobs.v[i];
}

static const char *queue_of(const struct read *r, size_t i)
{
    return gs_intern_str(&r->str, r->w.queues.v[job(r, i)->queue].name);
}

static const char *user_of(const struct read *r, size_t i)
{
    const uint32_t u = job(r, i)->user;
    return u == GS_NONE ? "(none)" : gs_intern_str(&r->str, r->w.users.v[u]);
}

/* ---- gsim's own CSV ---------------------------------------------------------------------------- */

static void gsim_needs_three_columns_only(void)
{
    struct read r;
    open_read(&r);
    CU_ASSERT_EQUAL_FATAL(read_text(&r, "gpus,duration,submit\n1,60,100.5\n16,0.001,160\n"), GS_OK);
    GS_EQ_STR(r.n.format, "gsim");
    GS_EQ_INT(r.w.jobs.n, 2);
    GS_EQ_INT(job(&r, 0)->submit_ns, 0); /* times count from the first job */
    GS_EQ_INT(job(&r, 1)->submit_ns, 59500000000);
    GS_EQ_INT(job(&r, 0)->run_ns, 60 * GS_SECOND);
    GS_EQ_INT(job(&r, 1)->run_ns, 1000000);
    GS_EQ_STR(queue_of(&r, 0), "default");
    GS_EQ_STR(user_of(&r, 0), "(none)");
    GS_EQ_INT(job(&r, 0)->est_ns, -1);
    GS_EQ_INT(job(&r, 0)->kind, GS_KIND_TRAINING);
    GS_EQ_INT(job(&r, 1)->row, 3);   /* the line in the file */
    GS_EQ_INT(job(&r, 1)->tasks, 2); /* split by the default of 8 GPUs a task, and said so */
    GS_EQ_INT(assumed(&r.n, "gang split"), 1);
    GS_EQ_INT(assumed(&r.n, "no column 'estimate'"), 2);
    GS_EQ_INT(assumed(&r.n, "no column 'cpus'"), 2);
    close_read(&r);
}

static void gsim_carries_every_column(void)
{
    struct read r;
    open_read(&r);
    CU_ASSERT_EQUAL_FATAL(
        read_text(&r,
                  "submit,duration,gpus,name,queue,user,kind,priority,tasks,task_gpus,share,gpu_"
                  "memory,cpus,memory,gpu,estimate,state,preemptible\n"
                  "0,never,1,a,q1,u1,interactive,-5,,,0.25,4096,2.5,1024,A|B,,killed,yes\n"
                  "1,10,12,b,q2,u2,batch,7,2,8,,,,,,20.5,failed,no\n"
                  "2,10,0,c,q2,,batch,,3,,,,4,,,,,\n"),
        GS_OK);
    const struct gs_job *a = job(&r, 0);
    GS_EQ_INT(a->run_ns, GS_NEVER);
    GS_EQ_INT(a->duration_source, 2);
    GS_EQ_INT(a->share_milli, 250);
    GS_EQ_INT(a->gpu_mem_mib, 4096);
    GS_EQ_INT(a->cpus_milli, 2500);
    GS_EQ_INT(a->mem_mib, 1024);
    GS_EQ_INT(a->priority, -5);
    GS_EQ_INT(a->kind, GS_KIND_INTERACTIVE);
    GS_EQ_INT(a->end_state, GS_END_KILLED);
    GS_EQ_INT(a->flags, GS_JOB_PREEMPTIBLE);
    GS_EQ_STR(gs_intern_str(&r.str, a->models), "A|B");
    GS_EQ_STR(gs_intern_str(&r.str, a->name), "a");
    GS_EQ_STR(queue_of(&r, 0), "q1");
    GS_EQ_STR(user_of(&r, 1), "u2");
    const struct gs_job *b = job(&r, 1);
    GS_EQ_INT(b->tasks, 2);
    GS_EQ_INT(b->task_gpus, 8);
    GS_EQ_INT(b->est_ns, 20500000000);
    GS_EQ_INT(b->est_source, GS_EST_USER);
    GS_EQ_INT(job(&r, 2)->tasks, 3);
    GS_EQ_INT(job(&r, 2)->cpus_milli, 4000);
    GS_EQ_STR(user_of(&r, 2), "(none)");
    close_read(&r);
}

static void gsim_submit_may_be_a_wall_clock(void)
{
    struct read r;
    open_read(&r);
    CU_ASSERT_EQUAL_FATAL(read_text(&r, "submit,duration,gpus\n2026-01-05T00:00:30+08:00,1,1\n"
                                        "2026-01-04T16:01:00Z,1,1\n"),
                          GS_OK);
    GS_EQ_INT(job(&r, 1)->submit_ns, 30 * GS_SECOND);
    GS_EQ_INT(r.n.origin_unix_ns, INT64_C(1767542430) * GS_SECOND);
    close_read(&r);
    refused("submit,duration,gpus\n2026-01-05T00:00:30,1,1\n", "has no zone");
    refused("submit,duration,gpus\n5,1,1\n2026-01-05T00:00:30Z,1,1\n", "t.csv:3: column 'submit'");
}

static void gsim_gangs_must_add_up(void)
{
    refused("submit,duration,gpus,tasks\n0,1,8,5\n", "column 'tasks': '5' contradicts gpus");
    refused("submit,duration,gpus,tasks,task_gpus\n0,1,8,3,4\n", "column 'tasks': '3'");
    refused("submit,duration,gpus,task_gpus\n0,1,0,4\n", "column 'task_gpus': '4' contradicts");
    refused("submit,duration,gpus,share\n0,1,2,0.5\n", "column 'share': '0.5'");
    refused("submit,duration,gpus,share\n0,1,1,0\n", "column 'share': '0'");
    refused("submit,duration,gpus,share\n0,1,1,1.5\n", "over 1");
}

static void gsim_words_and_dates_are_checked(void)
{
    refused(
        "submit,duration,gpus,kind\n0,1,1,trainin\n",
        "column 'kind': 'trainin' is none of: training, finetuning, batch, interactive, replica");
    refused("submit,duration,gpus,state\n0,1,1,done\n",
            "column 'state': 'done' is none of: unknown");
    refused("submit,duration,gpus,priority\n0,1,1,3000000000\n", "column 'priority': '3000000000'");
    refused("submit,duration,gpus,preemptible\n0,1,1,maybe\n", "column 'preemptible': 'maybe'");
    refused("submit,duration,gpus\n1905-01-05T00:00:30Z,1,1\n", "not within 100 years of 1970");
    refused("submit,duration,gpus\n2026-02-30T00:00:30Z,1,1\n", "no such date");
}

static void a_table_of_many_unknown_columns_is_still_counted(void)
{
    struct read r;
    open_read(&r);
    CU_ASSERT_EQUAL_FATAL(read_text(&r, "submit,duration,gpus,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r\n"
                                        "0,1,1,,,,,,,,,,,,,,,,,,\n"),
                          GS_OK);
    GS_EQ_INT(r.n.nassumed, 4); /* the columns; no estimate, cpus, memory */
    GS_EQ_INT(assumed(&r.n, "columns not known, carried as attributes: 'a', 'b', 'c'"), 1);
    GS_EQ_INT(job(&r, 0)->attrs, 0); /* all of them are empty */
    close_read(&r);
}

static void every_format_has_a_line_of_help(void)
{
    size_t n = 0;
    for (const struct gs_trace_format *f = gs_trace_formats(); f->name; f++, n++) {
        struct read r;
        open_read(&r);
        r.o.format = f->name; /* known, so the fault is about the content */
        GS_EQ_INT(read_text(&r, "nothing\n"), GS_E_INPUT);
        GS_HAS(r.err.msg, "t.csv");
        CU_ASSERT_TRUE(strlen(f->what) > 10);
        close_read(&r);
    }
    CU_ASSERT_TRUE(n >= 40);
}

static void what_is_written_is_read_back(void)
{
    struct read r;
    struct read again;
    open_read(&r);
    open_read(&again);
    CU_ASSERT_EQUAL_FATAL(read_file(&r, SAMPLES "jobs.csv"), GS_OK);
    GS_EQ_INT(r.w.jobs.n, 40);
    struct gs_buf first = {0};
    struct gs_buf second = {0};
    gs_trace_write_csv(&r.w, 0, &first);
    CU_ASSERT_EQUAL_FATAL(read_text(&again, gs_buf_cstr(&first)), GS_OK);
    gs_trace_write_csv(&again.w, 0, &second);
    CU_ASSERT_STRING_EQUAL(gs_buf_cstr(&first), gs_buf_cstr(&second));
    gs_buf_free(&first);
    gs_buf_free(&second);
    close_read(&r);
    close_read(&again);
}

static void names_with_commas_quotes_and_line_ends_survive(void)
{
    struct read r;
    open_read(&r);
    CU_ASSERT_EQUAL_FATAL(
        read_text(&r, "submit,duration,gpus,name\n0,1,1,\"a, \"\"b\"\"\nc\"\n1,2,x,d\n"),
        GS_E_INPUT);
    GS_HAS(r.err.msg, "t.csv:4: column 'gpus': 'x'"); /* the quoted line end counts as a line */
    CU_ASSERT_EQUAL_FATAL(read_text(&r, "submit,duration,gpus,name\n0,1,1,\"a, \"\"b\"\"\nc\"\n"),
                          GS_OK);
    GS_EQ_STR(gs_intern_str(&r.str, job(&r, 0)->name), "a, \"b\"\nc");
    struct gs_buf out = {0};
    gs_trace_write_csv(&r.w, 0, &out);
    GS_HAS(gs_buf_cstr(&out), ",\"a, \"\"b\"\"\nc\",");
    gs_buf_free(&out);
    close_read(&r);
}

/* ---- The other formats ------------------------------------------------------------------------- */

static void philly_rows_become_training_jobs(void)
{
    struct read r;
    open_read(&r);
    CU_ASSERT_EQUAL_FATAL(read_file(&r, SAMPLES "philly.csv"), GS_OK);
    GS_EQ_STR(r.n.format, "philly");
    GS_EQ_INT(r.n.rows, 41); /* the blank line at the end is no row */
    GS_EQ_INT(r.n.emitted, 41);
    GS_EQ_INT(r.n.out_of_order, 38);
    GS_EQ_INT(r.n.duplicates, 1); /* an exact repeat is data, and is counted */
    /* 2017-11-04 22:15:00 at -07:00 */
    GS_EQ_INT(r.n.origin_unix_ns, INT64_C(1509858900) * GS_SECOND);
    GS_EQ_INT(assumed(&r.n, "without zone"), 41);
    gs_workload_seal(&r.w);
    GS_EQ_INT(job(&r, 0)->submit_ns, 0);
    for (size_t i = 1; i < r.w.jobs.n; i++)
        CU_ASSERT_TRUE(job(&r, i)->submit_ns >= job(&r, i - 1)->submit_ns);
    GS_EQ_STR(queue_of(&r, 0), "d4e5f6");
    GS_EQ_INT(r.w.queues.n, 3); /* default and the two clusters */
    close_read(&r);
}

static void openb_pods_become_jobs_of_one_task(void)
{
    struct read r;
    open_read(&r);
    const char *head =
        "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_"
        "time,deletion_time,scheduled_time\n";
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "%s"
                   "p0,12000,16384,1,460,V100M16|V100M32|V100M32,LS,Running,100,500,120\n"
                   "p1,64000,262144,8,1000,,BE,Failed,90.0,390,90\n"
                   "p2,4000,8192,0,0,,BE,Pending,130,140,\n",
                   head);
    CU_ASSERT_EQUAL_FATAL(read_text(&r, text), GS_OK);
    GS_EQ_INT(r.n.rows, 3);
    GS_EQ_INT(skipped(&r.n, "pending pod: never scheduled, so no run time"), 1);
    GS_EQ_INT(r.n.out_of_order, 1);
    const struct gs_job *a = job(&r, 0);
    GS_EQ_INT(a->submit_ns, 10 * GS_SECOND);
    GS_EQ_INT(a->run_ns, 380 * GS_SECOND); /* deletion - scheduled */
    GS_EQ_INT(a->share_milli, 460);
    GS_EQ_INT(a->kind, GS_KIND_INTERACTIVE);
    GS_EQ_STR(gs_intern_str(&r.str, a->models), "V100M16|V100M32"); /* a set */
    GS_EQ_INT(a->end_state, GS_END_UNKNOWN);                        /* `Running` is no end */
    const struct gs_job *b = job(&r, 1);
    GS_EQ_INT(b->gpus, 8);
    GS_EQ_INT(b->tasks, 1); /* a pod runs on one node, whatever its size */
    GS_EQ_INT(b->end_state, GS_END_FAILED);
    close_read(&r);

    open_read(&r);
    r.o.keep_gpu_spec = 0;
    r.o.static_list = 1;
    CU_ASSERT_EQUAL_FATAL(read_text(&r, text), GS_OK);
    GS_EQ_INT(r.n.emitted, 3); /* the pending pod too */
    GS_EQ_INT(job(&r, 2)->submit_ns, 2 * GS_SECOND);
    GS_EQ_INT(job(&r, 2)->run_ns, GS_NEVER);
    GS_EQ_INT(job(&r, 0)->models, 0);
    close_read(&r);

    open_read(&r);
    CU_ASSERT_EQUAL_FATAL(read_file(&r, SAMPLES "openb_pods_static.csv"), GS_OK);
    GS_EQ_INT(r.n.emitted, 40);
    GS_EQ_INT(assumed(&r.n, "never end"), 40);
    close_read(&r);
}

static void openb_contradictions_are_faults(void)
{
    static const char head[] = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,creation_time,deletion_"
                               "time,scheduled_time\n";

    static const struct {
        const char *row, *says;
    } bad[] = {
        {"p,1,1,0,500,0,1,0\n", "column 'gpu_milli': '500' contradicts num_gpu 0"},
        {"p,1,1,2,500,0,1,0\n", "column 'gpu_milli': '500' is a share of several"},
        {"p,1,1,1,0,0,1,0\n", "column 'gpu_milli': '0' contradicts num_gpu 1"},
        {"p,1,1,1,1001,0,1,0\n", "over 1000"},
        {"p,1,1,1,1000,0,5,9\n", "column 'deletion_time': '5'"},
        {"p,1,1,1,1000,,5,1\n", "column 'creation_time'"},
        {"p,1,1,1,1000,0,5,1\np,1,1,1,1000,0,5,1\n",
         "t.csv:3: column 'name': 'p' stands already in line 2"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[512];
        (void)snprintf(text, sizeof text, "%s%s", head, bad[i].row);
        refused(text, bad[i].says);
    }
    struct read r;
    open_read(&r);
    GS_EQ_INT(read_file(&r, SAMPLES "openb_nodes.csv"), GS_E_INPUT);
    GS_HAS(r.err.msg, "holds no jobs or requests (openb-nodes");
    close_read(&r);
}

static void swf_fields_mean_what_the_standard_says(void)
{
    struct read r;
    open_read(&r);
    CU_ASSERT_EQUAL_FATAL(
        read_text(&r, "; UnixStartTime: 1000000000\r\n;\r\n"
                      "1 10 5 100.25 4 -1 -1 8 200 -1 1 7 -1 -1 2 -1 -1 -1\r\n"
                      "\r\n"
                      "2 20.5 -1 0 -1 -1 -1 6 -1 -1 0 -1 -1 -1 -1 -1 -1 -1\r\n"
                      "3 30 -1 -1 4 -1 -1 4 -1 -1 -1 7 -1 -1 -1 -1 -1 -1\r\n"
                      "4 30 -1 5 4 -1 -1 4 -1 -1 3 7 -1 -1 -1 -1 -1 -1\r\n"
                      "5 30 -1 5 0 -1 -1 -1 -1 -1 5 7 -1 -1 -1 -1 -1 -1\r\n"
                      "6 30 -1 5 1 -1 -1 1 -1 -1 5 7 -1 -1 -1 -1 -1 -1 {1,1} q_1d 1:ppn=2"),
        GS_OK);
    GS_EQ_STR(r.n.format, "swf");
    GS_EQ_INT(r.n.rows, 6);
    GS_EQ_INT(r.n.emitted, 3);
    GS_EQ_INT(skipped(&r.n, "no run time recorded"), 1);
    GS_EQ_INT(skipped(&r.n, "partial record of a checkpointed job (status 2 to 4)"), 1);
    GS_EQ_INT(skipped(&r.n, "no processors recorded"), 1);
    GS_EQ_INT(r.n.origin_unix_ns, INT64_C(1000000010) * GS_SECOND);
    const struct gs_job *a = job(&r, 0);
    GS_EQ_INT(a->tasks, 4); /* allocated, not requested; one CPU a task */
    GS_EQ_INT(a->cpus_milli, 1000);
    GS_EQ_INT(a->gpus, 0);
    GS_EQ_INT(a->run_ns, 100250000000);
    GS_EQ_INT(a->est_ns, 200 * GS_SECOND);
    GS_EQ_INT(a->est_source, GS_EST_USER);
    GS_EQ_STR(user_of(&r, 0), "u7");
    GS_EQ_STR(gs_intern_str(&r.str, a->name), "1");
    const struct gs_job *b = job(&r, 1);
    GS_EQ_INT(b->submit_ns, 10500000000);
    GS_EQ_INT(b->run_ns, 0); /* under half a second: legal */
    GS_EQ_INT(b->tasks, 6);
    GS_EQ_INT(b->est_ns, -1);
    GS_EQ_STR(user_of(&r, 1), "(none)");
    GS_EQ_INT(b->end_state, GS_END_FAILED);
    GS_EQ_INT(job(&r, 2)->end_state, GS_END_KILLED);
    close_read(&r);
}

static void swf_processors_become_tasks_as_asked(void)
{
    static const char text[] = "1 0 -1 9 12 -1 -1 12 -1 -1 1 1 1 1 1 1 -1 -1\n"
                               "2 0 -1 9 7 -1 -1 7 -1 -1 1 1 1 1 1 1 -1 -1\n";
    struct read r;
    open_read(&r);
    r.o.task_procs = 5;
    CU_ASSERT_EQUAL_FATAL(read_text(&r, text), GS_OK);
    GS_EQ_INT(job(&r, 0)->tasks, 3); /* the largest divisor of 12 that 5 allows */
    GS_EQ_INT(job(&r, 0)->cpus_milli, 4000);
    GS_EQ_INT(job(&r, 1)->tasks, 7); /* 7 is prime */
    close_read(&r);
    open_read(&r);
    r.o.task_procs = 0;
    CU_ASSERT_EQUAL_FATAL(read_text(&r, text), GS_OK);
    GS_EQ_INT(job(&r, 0)->tasks, 1);
    GS_EQ_INT(job(&r, 0)->cpus_milli, 12000);
    close_read(&r);
    open_read(&r);
    r.o.gpus_per_proc_milli = 250; /* a GPU for four processors */
    r.o.cpus_per_gpu_milli = 4000;
    CU_ASSERT_EQUAL_FATAL(read_text(&r, text), GS_OK);
    GS_EQ_INT(job(&r, 0)->gpus, 3);
    GS_EQ_INT(job(&r, 0)->cpus_milli, 12000);
    GS_EQ_INT(job(&r, 1)->gpus, 2); /* 1.75, rounded up and said so */
    GS_EQ_INT(assumed(&r.n, "rounded up"), 1);
    close_read(&r);
}

static void swf_faults_name_the_field(void)
{
    refused("; a\n1 2 3 4\n", "t.csv:2: 4 fields, expected 18");
    refused("1 0 -1 -7 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n",
            "column '4 (run time)': '-7' is negative");
    refused("1 0 -1 x 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n",
            "column '4 (run time)': 'x' is not a number");
    refused("1 0 -1 1e12 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n", "over 100 years");
    refused("1 -1 -1 1 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n", "column '2 (submit time)'");
    refused("1 0 -1 1 1.5 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n", "'1.5' is not a whole number");
    refused(
        "1 0 -1 1 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n1 0 -1 1 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n",
        "column '1 (job number)': '1' stands already in line 1");
}

/* ---- Windows ----------------------------------------------------------------------------------- */

static void from_to_and_first_choose_jobs(void)
{
    static const char text[] =
        "submit,duration,gpus,queue\n30,1,1,c\n10,1,1,a\n20,1,1,b\n20,2,1,d\n40,1,1,e\n";
    struct read r;
    open_read(&r);
    r.o.first = 2;
    CU_ASSERT_EQUAL_FATAL(read_text(&r, text), GS_OK);
    GS_EQ_INT(r.n.emitted, 2); /* 10 and the first of the two at 20 */
    GS_EQ_STR(queue_of(&r, 0), "a");
    GS_EQ_STR(queue_of(&r, 1), "b");
    GS_EQ_INT(r.w.queues.n, 3); /* tenants without a job do not exist */
    GS_EQ_INT(skipped(&r.n, "beyond the 'first' jobs asked for"), 3);
    GS_EQ_INT(r.n.rows, r.n.emitted + r.n.skipped);
    close_read(&r);
    open_read(&r);
    r.o.from_ns = 5 * GS_SECOND; /* 15 on the file's clock */
    r.o.to_ns = 30 * GS_SECOND;  /* 40, excluded */
    CU_ASSERT_EQUAL_FATAL(read_text(&r, text), GS_OK);
    GS_EQ_INT(r.n.emitted, 3);
    GS_EQ_INT(job(&r, 0)->submit_ns, 15 * GS_SECOND); /* time zero is `from` */
    GS_EQ_INT(job(&r, 1)->submit_ns, 5 * GS_SECOND);
    GS_EQ_INT(skipped(&r.n, "before 'from'"), 1);
    GS_EQ_INT(skipped(&r.n, "at or after 'to'"), 1);
    close_read(&r);
    open_read(&r);
    r.o.from_ns = 500 * GS_SECOND;
    GS_EQ_INT(read_text(&r, text), GS_E_INPUT);
    GS_HAS(r.err.msg, "no job between 'from' and 'to'");
    close_read(&r);
}

/* ---- Bad input --------------------------------------------------------------------------------- */

static void numbers_must_make_sense(void)
{
#define HEAD "submit,duration,gpus\n"
    refused(HEAD "0,1,-3\n",
            "t.csv:2: column 'gpus': '-3' is negative (skip bad rows with --bad-rows=skip)");
    refused(HEAD "0,-1,1\n", "column 'duration': '-1' is negative");
    refused(HEAD "-0.5,1,1\n", "column 'submit': '-0.5' is negative");
    refused(HEAD "0,1,1.5\n", "column 'gpus': '1.5' is not a whole number");
    refused(HEAD "0,1,twelve\n", "column 'gpus': 'twelve' is not a number");
    refused(HEAD "0,,1\n", "column 'duration': '' is empty");
    refused(HEAD "0,nan,1\n", "column 'duration'");
    refused(HEAD "0,inf,1\n", "column 'duration': 'inf' is not a number");
    refused(HEAD "0,1,1000001\n", "column 'gpus': '1000001' is absurd: over 1000000");
    refused(HEAD "0,1e10,1\n", "column 'duration': '1e10' seconds is absurd: over 100 years");
    refused(HEAD "0,1e400,1\n", "absurd");
    refused(HEAD "0,99999999999999999999,1\n", "absurd");
    refused(HEAD "0,0x10,1\n", "not a number");
    struct read r;
    open_read(&r);
    CU_ASSERT_EQUAL_FATAL(read_text(&r, HEAD "-0.0,18.0,2.0\n1e1,1.5e1,1\n"), GS_OK);
    GS_EQ_INT(job(&r, 0)->gpus, 2);
    GS_EQ_INT(job(&r, 1)->submit_ns, 10 * GS_SECOND);
    GS_EQ_INT(job(&r, 1)->run_ns, 15 * GS_SECOND);
    close_read(&r);
}

static void tables_must_be_whole(void)
{
    refused(HEAD "0,1\n", "t.csv:2: 2 fields, the header has 3");
    refused(HEAD "0,1,1,9\n", "4 fields");
    refused("submit,gpus\n0,1\n", "none of the known formats");
    refused("submit,duration,gpus,gpus\n0,1,1,1\n", "'gpus' stands twice");
    refused(HEAD "0,1,\"1\n", "a quote");
    refused(HEAD "0,1,1\"2\n", "a quote");
    refused(HEAD, "no job left (0 rows read, 0 skipped)");
    refused("\n\n", "only blank lines");
    refused("hello\n", "none of the known formats");
    struct read r;
    open_read(&r);
    r.o.format = "gsim";
    GS_EQ_INT(read_text(&r, "submit,gpus\n0,1\n"), GS_E_INPUT);
    GS_HAS(r.err.msg, "no column 'duration' in the header (found: submit, gpus)");
    r.o.format = "opnb";
    GS_EQ_INT(read_text(&r, HEAD "0,1,1\n"), GS_E_INPUT);
    GS_HAS(r.err.msg, "did you mean 'openb'");
    close_read(&r);
}

static void an_unknown_column_is_counted_and_shown(void)
{
    struct read r;
    open_read(&r);
    CU_ASSERT_EQUAL_FATAL(read_text(&r, "submit,duration,gpus,colour\n0,1,1,red\n1,1,1,\n"), GS_OK);
    GS_EQ_INT(assumed(&r.n, "column not known, carried as attributes: 'colour'"), 2);
    GS_EQ_INT(job(&r, 0)->attrs, 1);
    const struct gs_job_attr *a = &r.w.attrs.v[job(&r, 0)->attr_first];
    GS_EQ_STR(gs_intern_str(&r.str, a->key), "colour");
    GS_EQ_STR(gs_intern_str(&r.str, a->value), "red");
    GS_EQ_INT(job(&r, 1)->attrs, 0);
    close_read(&r);
}

static void duplicate_names_are_faults(void)
{
    static const char text[] =
        "submit,duration,gpus,name\n0,1,1,a\n1,1,1,b\n2,1,1,a\n3,1,1,\n4,1,1,\n";
    refused(text, "t.csv:4: column 'name': 'a' stands already in line 2");
    struct read r;
    open_read(&r);
    r.o.bad_rows = GS_BAD_ROWS_SKIP;
    CU_ASSERT_EQUAL_FATAL(read_text(&r, text), GS_OK);
    GS_EQ_INT(r.n.emitted, 4);
    GS_EQ_INT(r.n.duplicates, 1);
    GS_EQ_INT(skipped(&r.n, "duplicate id"), 1);
    close_read(&r);
}

static void bad_rows_can_be_skipped_and_are_counted(void)
{
    struct read r;
    open_read(&r);
    r.o.bad_rows = GS_BAD_ROWS_SKIP;
    CU_ASSERT_EQUAL_FATAL(
        read_text(&r, HEAD "0,1,1\n1,1\n2,-1,1\n\n3,x,1\n4,1,2e9\n5,1,0.5\n6,1,4\n"), GS_OK);
    GS_EQ_INT(r.n.rows, 7);
    GS_EQ_INT(r.n.emitted, 2);
    GS_EQ_INT(r.n.skipped, 5);
    GS_EQ_INT(skipped(&r.n, "wrong number of fields"), 1);
    GS_EQ_INT(skipped(&r.n, "negative number"), 1);
    GS_EQ_INT(skipped(&r.n, "not a number"), 1);
    GS_EQ_INT(skipped(&r.n, "absurdly large number"), 1);
    GS_EQ_INT(skipped(&r.n, "not a whole number"), 1);
    GS_EQ_STR(r.err.msg, "");
    GS_EQ_INT(read_text(&r, HEAD "1,1\n2,-1,1\n"), GS_E_INPUT);
    GS_HAS(r.err.msg, "no job left (2 rows read, 2 skipped: wrong number of fields)");
    GS_EQ_INT(r.w.jobs.n, 2); /* those of the read before */
    close_read(&r);
}

static void line_ends_marks_and_blanks_do_not_matter(void)
{
    static const char *const same[] = {
        HEAD "0,1,1\n5,2,3\n",
        HEAD "0,1,1\n5,2,3",
        "submit,duration,gpus\r\n0,1,1\r\n5,2,3\r\n",
        "\xef\xbb\xbfsubmit,duration,gpus\n0,1,1\n5,2,3\n",
        "\n\n" HEAD "\n0,1,1\n\n\n5,2,3\n\n",
        "submit,duration,gpus\r0,1,1\r5,2,3\r",
        "\"submit\", duration ,gpus\n\"0\", 1,1\n5,2 ,3\n",
    };
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        struct read r;
        open_read(&r);
        CU_ASSERT_EQUAL_FATAL(read_text(&r, same[i]), GS_OK);
        GS_EQ_INT(r.n.rows, 2);
        GS_EQ_INT(job(&r, 1)->submit_ns, 5 * GS_SECOND);
        GS_EQ_INT(job(&r, 1)->gpus, 3);
        close_read(&r);
    }
}

static void times_out_of_order_are_counted_and_sorted(void)
{
    struct read r;
    open_read(&r);
    CU_ASSERT_EQUAL_FATAL(read_text(&r, HEAD "9,1,1\n5,1,2\n7,1,3\n7,1,4\n"), GS_OK);
    GS_EQ_INT(r.n.out_of_order, 1);
    gs_workload_seal(&r.w);
    GS_EQ_INT(job(&r, 0)->gpus, 2);
    GS_EQ_INT(job(&r, 1)->gpus, 3); /* equal times keep the file's order */
    GS_EQ_INT(job(&r, 2)->gpus, 4);
    GS_EQ_INT(job(&r, 3)->submit_ns, 4 * GS_SECOND);
    close_read(&r);
}

/* ---- Files ------------------------------------------------------------------------------------- */

static void gzip_is_told_by_its_bytes(void)
{
    struct read plain;
    struct read packed;
    open_read(&plain);
    open_read(&packed);
    CU_ASSERT_EQUAL_FATAL(read_file(&plain, SAMPLES "jobs.csv"), GS_OK);
    CU_ASSERT_EQUAL_FATAL(read_file(&packed, SAMPLES "jobs.csv.gz"), GS_OK);
    struct gs_buf a = {0};
    struct gs_buf b = {0};
    gs_trace_write_csv(&plain.w, 0, &a);
    gs_trace_write_csv(&packed.w, 0, &b);
    CU_ASSERT_STRING_EQUAL(gs_buf_cstr(&a), gs_buf_cstr(&b));
    GS_EQ_INT(packed.n.bytes, 812);                                 /* as stored */
    GS_EQ_STR(packed.n.digest, "f8d21f3af7d507bb4cfee0a902ea07d6"); /* as `xxhsum -H2` has it */
    gs_buf_free(&a);
    gs_buf_free(&b);
    close_read(&plain);
    close_read(&packed);
}

/* The bytes of the packed sample: cap is enough for it. */
static size_t packed_sample(char *buf, size_t cap)
{
    FILE *f = fopen(SAMPLES "jobs.csv.gz", "rb");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    const size_t n = fread(buf, 1, cap, f);
    (void)fclose(f);
    return n;
}

static void damaged_gzip_is_refused(void)
{
    char gz[4096];
    const size_t n = packed_sample(gz, sizeof gz / 2);
    struct read r;
    open_read(&r);
    GS_EQ_INT(read_file(&r, gs_test_write("cut.gz", gz, n - 9, r.path, sizeof r.path)), GS_E_INPUT);
    GS_HAS(r.err.msg, "truncated");
    GS_EQ_INT(read_file(&r, gs_test_write("cut.gz", gz, 12, r.path, sizeof r.path)), GS_E_INPUT);
    GS_HAS(r.err.msg, "truncated");
    gz[n / 2] = (char)(gz[n / 2] ^ 0x55);
    GS_EQ_INT(read_file(&r, gs_test_write("bad.gz", gz, n, r.path, sizeof r.path)), GS_E_INPUT);
    GS_HAS(r.err.msg, "damaged");
    gz[n / 2] = (char)(gz[n / 2] ^ 0x55);
    memcpy(gz + n, "junk", 4);
    GS_EQ_INT(read_file(&r, gs_test_write("tail.gz", gz, n + 4, r.path, sizeof r.path)),
              GS_E_INPUT);
    GS_HAS(r.err.msg, "something else after");
    memset(gz + n, 0, 512); /* padding, as tapes have it */
    GS_EQ_INT(read_file(&r, gs_test_write("pad.gz", gz, n + 512, r.path, sizeof r.path)), GS_OK);
    close_read(&r);
}

static void gzip_members_follow_each_other(void)
{
    char gz[8192];
    const size_t n = packed_sample(gz, 4096);
    memcpy(gz + n, gz, n);
    struct read r;
    open_read(&r);
    /* the second member's header line is then a row, and a bad one */
    GS_EQ_INT(read_file(&r, gs_test_write("two.gz", gz, 2 * n, r.path, sizeof r.path)), GS_E_INPUT);
    GS_HAS(r.err.msg, "t.csv:42: column 'submit': 'submit' is not a number");
    close_read(&r);
}

static void what_is_no_file_is_refused(void)
{
    struct read r;
    open_read(&r);
    GS_EQ_INT(read_file(&r, "/nowhere/t.csv"), GS_E_INPUT);
    GS_EQ_STR(r.err.msg, "t.csv: no such file");
    GS_EQ_INT(read_file(&r, gs_test_tmp()), GS_E_INPUT);
    GS_HAS(r.err.msg, "is a directory");
    GS_EQ_INT(read_text(&r, ""), GS_E_INPUT);
    GS_EQ_STR(r.err.msg, "t.csv: the file is empty");
    GS_EQ_INT(read_file(&r, gs_test_write("z", "submit,duration,gpus\n0,\0,1\n", 27, r.path,
                                          sizeof r.path)),
              GS_E_INPUT);
    GS_HAS(r.err.msg, "t.csv:2: a zero byte");
    close_read(&r);
}

/* ---- Inventories ------------------------------------------------------------------------------- */

struct sum {
    uint64_t nodes, gpus;
    char last[64];
};

static enum gs_rc add_node(void *ctx, const struct gs_inventory_node *n, struct gs_err *err)
{
    struct sum *s = ctx;
    s->nodes++;
    s->gpus += n->gpus;
    (void)snprintf(s->last, sizeof s->last, "%s/%s", n->name, n->model);
    return n->gpus > 16 ? gs_fail(err, GS_E_INPUT, "too many GPUs for the test") : GS_OK;
}

static void node_lists_are_inventories(void)
{
    struct sum s = {0};
    struct gs_trace_counts n;
    struct gs_err err = {0};
    CU_ASSERT_EQUAL_FATAL(gs_inventory_read(SAMPLES "openb_nodes.csv", "openb", GS_BAD_ROWS_ERROR,
                                            add_node, &s, &n, &err),
                          GS_OK);
    GS_EQ_INT(s.nodes, 14);
    GS_EQ_INT(s.gpus, 64);
    GS_EQ_STR(s.last, "openb-node-0013/G3");
    GS_EQ_INT(n.rows, 14);
    GS_EQ_INT(gs_inventory_read(SAMPLES "openb_nodes.csv", "slrm", GS_BAD_ROWS_ERROR, add_node, &s,
                                &n, &err),
              GS_E_INPUT);
    GS_HAS(err.msg, "not an inventory format");
    char path[512];
    gs_test_write(
        "n.csv",
        "sn,cpu_milli,memory_mib,gpu,model\na,1,1,2,\na,1,1,0,\na,1,1,0,\n,1,1,0,\nb,1,1,4,T4\n",
        SIZE_MAX, path, sizeof path);
    GS_EQ_INT(gs_inventory_read(path, NULL, GS_BAD_ROWS_ERROR, add_node, &s, &n, &err), GS_E_INPUT);
    GS_HAS(err.msg, "n.csv:2: column 'model': '' is empty on a node with GPUs");
    s = (struct sum){0};
    GS_EQ_INT(gs_inventory_read(path, NULL, GS_BAD_ROWS_SKIP, add_node, &s, &n, &err), GS_OK);
    GS_EQ_INT(s.nodes, 2);
    GS_EQ_INT(skipped(&n, "duplicate id"), 1);
    GS_EQ_INT(skipped(&n, "no name"), 1);
    gs_test_write("n.csv", "sn,cpu_milli,memory_mib,gpu,model\nb,1,1,17,T4\n", SIZE_MAX, path,
                  sizeof path);
    GS_EQ_INT(gs_inventory_read(path, NULL, GS_BAD_ROWS_SKIP, add_node, &s, &n, &err), GS_E_INPUT);
    GS_HAS(err.msg, "too many GPUs for the test");
    gs_test_write("n.csv", "sn,cpu_milli,memory_mib,gpu,model\n", SIZE_MAX, path, sizeof path);
    GS_EQ_INT(gs_inventory_read(path, NULL, GS_BAD_ROWS_SKIP, add_node, &s, &n, &err), GS_E_INPUT);
    GS_HAS(err.msg, "no node in this list");
}

static const struct gs_test tests[] = {
    {"gsim: three columns are enough", gsim_needs_three_columns_only},
    {"gsim: every column is carried", gsim_carries_every_column},
    {"gsim: submit as wall clock", gsim_submit_may_be_a_wall_clock},
    {"gsim: gangs must add up", gsim_gangs_must_add_up},
    {"gsim: words and dates", gsim_words_and_dates_are_checked},
    {"gsim: many unknown columns", a_table_of_many_unknown_columns_is_still_counted},
    {"formats have help", every_format_has_a_line_of_help},
    {"gsim: written and read back", what_is_written_is_read_back},
    {"gsim: quoted names", names_with_commas_quotes_and_line_ends_survive},
    {"philly", philly_rows_become_training_jobs},
    {"openb: pods", openb_pods_become_jobs_of_one_task},
    {"openb: contradictions", openb_contradictions_are_faults},
    {"swf: fields", swf_fields_mean_what_the_standard_says},
    {"swf: processors", swf_processors_become_tasks_as_asked},
    {"swf: faults", swf_faults_name_the_field},
    {"from, to and first", from_to_and_first_choose_jobs},
    {"numbers must make sense", numbers_must_make_sense},
    {"tables must be whole", tables_must_be_whole},
    {"unknown columns are shown", an_unknown_column_is_counted_and_shown},
    {"duplicate names", duplicate_names_are_faults},
    {"bad rows can be skipped", bad_rows_can_be_skipped_and_are_counted},
    {"line ends, marks, blanks", line_ends_marks_and_blanks_do_not_matter},
    {"times out of order", times_out_of_order_are_counted_and_sorted},
    {"gzip by content", gzip_is_told_by_its_bytes},
    {"damaged gzip", damaged_gzip_is_refused},
    {"gzip members", gzip_members_follow_each_other},
    {"no file", what_is_no_file_is_refused},
    {"inventories", node_lists_are_inventories},
};
GS_TEST_MAIN("traces/trace", tests)

/* Charts: what the script says follows from the file, every chart is drawn in every format, and failures are said and leave nothing. */
#include "analysis/plot.h"
#include "sim/base/mem.h"
#include "sim/metrics/results.h"
#include "tests/unit/harness.h"

#include <math.h>

static const char *const charts[] = {"utilisation", "wait-ecdf", "wait-causes", "fragmentation",
                                     "nodes"};

enum {
    CHARTS = 5,
    JOBS = 4,
    SAMPLES = 5,
    QUEUES = 15
};

static struct gs_h5 *out;

static void put(const char *group, const char *name, enum gs_type type, const void *data, size_t n)
{
    static const char *const states[] = {"pending", "completed", "rejected", NULL};
    struct gs_err err;
    const struct gs_column c = {.name = name,
                                .type = type,
                                .units = "1",
                                .long_name = name,
                                .flags = strcmp(name, "state") == 0 ? states : NULL};
    if (gs_h5_column(out, group, &c, data, n, &err) != GS_OK) {
        printf("%s\n", err.msg);
        CU_FAIL_FATAL("cannot write the sample");
    }
}

static void put_jobs(void)
{
    /* Job 2 never starts, job 3 is rejected and not in any chart. Job 1 waits 90 s, a third of it for quota. */
    const uint32_t id[JOBS] = {0, 1, 2, 3}, queue[JOBS] = {0, 1, 0, 1};
    const uint8_t state[JOBS] = {1, 1, 0, 2}, counted[JOBS] = {1, 1, 1, 1};
    const double start[JOBS] = {0, 100, (double)NAN, (double)NAN};
    const double wait[JOBS] = {0, 90, (double)NAN, (double)NAN};
    const double quota[JOBS] = {0, 30, 0, 0}, capacity[JOBS] = {0, 60, 0, 0};
    put("jobs", "id", GS_U32, id, JOBS);
    put("jobs", "queue", GS_U32, queue, JOBS);
    put("jobs", "state", GS_U8, state, JOBS);
    put("jobs", "counted", GS_U8, counted, JOBS);
    put("jobs", "first_start_s", GS_F64, start, JOBS);
    put("jobs", "wait_s", GS_F64, wait, JOBS);
    put("jobs", "wait_quota_s", GS_F64, quota, JOBS);
    put("jobs", "wait_capacity_s", GS_F64, capacity, JOBS);
}

/* Node 0: 4 of 8 GPUs for the whole run. Node 1: all 4, in the second half, when it is up at all. */
static void put_allocations(void)
{
    enum {
        ROWS = 8
    };

    uint32_t job[ROWS], node[ROWS], share[ROWS];
    int32_t gpu[ROWS];
    double start[ROWS], end[ROWS];
    for (uint32_t i = 0; i < ROWS; i++) {
        job[i] = node[i] = i / 4;
        share[i] = 1000;
        gpu[i] = (int32_t)(8 * (i / 4) + i % 4);
        start[i] = i < 4 ? 0 : 18000;
        end[i] = i < 4 ? 36000 : (double)NAN;
    }
    put("allocations", "job", GS_U32, job, ROWS);
    put("allocations", "node", GS_U32, node, ROWS);
    put("allocations", "gpu", GS_I32, gpu, ROWS);
    put("allocations", "start_s", GS_F64, start, ROWS);
    put("allocations", "end_s", GS_F64, end, ROWS);
    put("allocations", "share_milli", GS_U32, share, ROWS);
}

static void put_cluster(bool jobs_wait)
{
    const uint32_t id[] = {0, 1, 2}, gpus[] = {8, 4, 0}, lives[] = {0, 1};
    const double up[] = {0, 18000}, down[] = {(double)NAN, (double)NAN};
    const double time[SAMPLES] = {0, 9000, 18000, 27000, 36000},
                 total[SAMPLES] = {8, 8, 12, 12, 12};
    const double held[SAMPLES] = {4, 4, 8, 8, 8}, waiting[SAMPLES] = {0, 1, 2, 1, 1};
    const double nothing[SAMPLES] = {0}, *jobs = jobs_wait ? waiting : nothing;
    const double frag[SAMPLES] = {0, 0.25, 0.25, 0.25, 0.25};
    put("cluster/nodes", "id", GS_U32, id, 3);
    put("cluster/nodes", "gpus", GS_U32, gpus, 3);
    put("node_lives", "node", GS_U32, lives, 2);
    put("node_lives", "up_s", GS_F64, up, 2);
    put("node_lives", "down_s", GS_F64, down, 2);
    put("series/cluster", "time_s", GS_F64, time, SAMPLES);
    put("series/cluster", "gpus_total", GS_F64, total, SAMPLES);
    put("series/cluster", "gpus_allocated", GS_F64, held, SAMPLES);
    put("series/cluster", "jobs_pending", GS_F64, jobs, SAMPLES);
    put("series/cluster", "gpus_pending", GS_F64, jobs, SAMPLES);
    put("series/cluster", "fragmentation", GS_F64, frag, SAMPLES);
    put("series/cluster", "stranded_gpus", GS_F64, jobs, SAMPLES);
}

/* Three jobs in each of 15 queues, that start at once. */
static void put_idle_jobs(void)
{
    enum {
        ROWS = 45
    };

    uint32_t id[ROWS], queue[ROWS];
    uint8_t state[ROWS], counted[ROWS];
    double start[ROWS], wait[ROWS] = {0};
    for (uint32_t i = 0; i < ROWS; i++) {
        id[i] = i;
        queue[i] = i % QUEUES;
        state[i] = counted[i] = 1;
        start[i] = 100 * i;
    }
    put("jobs", "id", GS_U32, id, ROWS);
    put("jobs", "queue", GS_U32, queue, ROWS);
    put("jobs", "state", GS_U8, state, ROWS);
    put("jobs", "counted", GS_U8, counted, ROWS);
    put("jobs", "first_start_s", GS_F64, start, ROWS);
    put("jobs", "wait_s", GS_F64, wait, ROWS);
}

static void put_queues(size_t n)
{
    static const char *const names[QUEUES] = {"it's {A}_b", "prod", "c", "d", "e", "f", "g", "h",
                                              "i",          "j",    "k", "l", "m", "n", "o"};
    uint32_t id[QUEUES];
    for (uint32_t i = 0; i < QUEUES; i++)
        id[i] = i;
    put("queues", "id", GS_U32, id, n);
    put("queues", "name", GS_STR, names, n);
}

/* What a run that was interrupted in its sweep says of itself; the window leaves out both ends. */
static void put_part_of_a_sweep(void)
{
    static const char *const names[] = {"gpu.allocation", "gpu.fragmentation"};
    const double values[] = {0.625, 0.0123};
    struct gs_err err;
    put("summary", "name", GS_STR, names, 2);
    put("summary", "value", GS_F64, values, 2);
    CU_ASSERT_EQUAL(gs_h5_attr_str(out, "sweep_label", "backfill=easy", &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_attr_i64(out, "complete", 0, &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_attr_f64(out, "measure_from_s", 9000, &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_attr_f64(out, "measure_to_s", 27000, &err), GS_OK);
}

enum sample {
    NO_JOBS,
    FOUR_JOBS,
    PART_OF_A_SWEEP, /* four jobs, incomplete, with a window and a summary */
    IDLE,            /* no job waits, 15 queues */
    NO_SCHEMA
};

static const char *sample(const char *name, enum sample kind, char *path, size_t cap)
{
    char digest[33];
    struct gs_err err;
    gs_test_tmp_file(name, path, cap);
    CU_ASSERT_EQUAL_FATAL(gs_h5_create(&out, path, 4, &err), GS_OK);
    if (kind != NO_SCHEMA)
        CU_ASSERT_EQUAL(gs_h5_attr_str(out, "schema", "gsim/1.0", &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_attr_str(out, "title", "two nodes", &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_attr_str(out, "policy", "fifo", &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_attr_str(out, "digest", "0x0123456789abcdef", &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_attr_str(out, "verdict", "saturated", &err), GS_OK);
    CU_ASSERT_EQUAL(gs_h5_attr_f64(out, "end_s", 36000, &err), GS_OK);
    put_queues(kind == IDLE ? QUEUES : 2);
    put_cluster(kind != IDLE);
    if (kind == FOUR_JOBS || kind == PART_OF_A_SWEEP) {
        put_jobs();
        put_allocations();
    } else if (kind == IDLE) {
        put_idle_jobs();
    }
    if (kind == PART_OF_A_SWEEP)
        put_part_of_a_sweep();
    CU_ASSERT_EQUAL(gs_h5_finish(out, digest, &err), GS_OK);
    return path;
}

static bool has_gnuplot(void)
{
    return system("gnuplot --version >/dev/null 2>&1") == 0;
}

/* A whole file as text; free. */
static char *slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 4u << 20);
    if (f && text && fread(text, 1, (4u << 20) - 1, f) == 0)
        printf("%s is empty\n", path);
    if (f)
        (void)fclose(f);
    return text;
}

static char *script_of(const char *h5)
{
    char path[600];
    struct gs_err err;
    gs_path_vec made = {0};
    const struct gs_plot_to to = {.script = gs_test_tmp_file("s.gp", path, sizeof path)};
    CU_ASSERT_EQUAL(gs_plot(h5, &to, &made, &err), GS_OK);
    GS_EQ_INT(made.n, 1);
    gs_path_vec_free(&made);
    return slurp(path);
}

static void the_script_holds_the_figures(void)
{
    char path[600];
    char *s = script_of(sample("run.h5", FOUR_JOBS, path, sizeof path));
    GS_HAS(s, "two nodes · policy fifo · digest 0x0123456789abcdef · SATURATED");
    GS_HAS(s, "of 12 GPUs allocated on average; up to 2 jobs waiting");
    GS_HAS(s, "set xrange [0:10]\nset xlabel 'time since the start (hours)'");
    GS_HAS(s, "$series << EOD\n 0 8 4 0 0 0 0 50\n 2.5 8 4 0 0 0 0 50\n");
    GS_HAS(s, "Half of the jobs wait at most 90 s; 33.3 % never started");
    free(s);
}

/* Three counted jobs, of which two started: after 0 s and after 90 s. */
static void a_job_that_never_starts_keeps_the_curve_below_all(void)
{
    char path[600];
    char *s = script_of(sample("run.h5", FOUR_JOBS, path, sizeof path));
    GS_HAS(
        s,
        "$ecdf0 << EOD\n 1 0\n 1 0\n 1 33.333333\n 90 33.333333\n 90 66.666667\n 99 66.666667\nEOD");
    GS_HAS(s, "'all jobs: 3 jobs, median 90 s'");
    GS_HAS(s, "'it''s {A}_b: 2 jobs, median never'");
    GS_HAS(s, "'prod: 1 job, median 90 s'");
    free(s);
}

static void causes_are_means_a_job(void)
{
    char path[600];
    char *s = script_of(sample("run.h5", FOUR_JOBS, path, sizeof path));
    GS_HAS(s, "A job is queued for 30 s on average, 67 % of it short of free GPUs");
    GS_HAS(s, "$causes << EOD\n 0 0 10 0 0 0 20 0 0\n 0 0 0 0 0 0 0 0 0\n 0 0 30 0 0 0 60 0 0\n");
    GS_HAS(s, "'quota  33.3 %'");
    CU_ASSERT_PTR_NULL(strstr(s, " 0.0 %")); /* what nobody waited for is not in the key */
    free(s);
}

static void titles_give_the_figures_of_the_measured_window(void)
{
    char path[600];
    char *s = script_of(sample("run.h5", PART_OF_A_SWEEP, path, sizeof path));
    GS_HAS(s, "62.5 % of 12 GPUs allocated on average while measured; up to 2 jobs waiting");
    GS_HAS(s, "12 GPUs on 2 nodes are held 62.5 % of the time while measured");
    GS_HAS(s,
           "1.23 % of the GPUs are fragments on average while measured; the curve peaks at 25.0 %");
    GS_HAS(s, "from first 2.5, graph 0 to first 2.5, graph 1 nohead");
    GS_HAS(s, "'measured from here' noenhanced at first 2.5, graph 1");
    GS_HAS(s, "'measured until here' noenhanced at first 7.5, graph 1");
    free(s);
    s = script_of(sample("run.h5", FOUR_JOBS, path, sizeof path));
    CU_ASSERT_PTR_NULL(strstr(s, "measured"));
    free(s);
}

static void an_incomplete_run_is_marked(void)
{
    char path[600];
    char *s = script_of(sample("run.h5", PART_OF_A_SWEEP, path, sizeof path));
    size_t marked = 0;
    for (const char *p = s; (p = strstr(p, "· INCOMPLETE · SATURATED")) != NULL; p++)
        marked++;
    GS_EQ_INT(marked, CHARTS);
    free(s);
}

static void where_no_job_waits_charts_say_so(void)
{
    char path[600];
    char *s = script_of(sample("run.h5", IDLE, path, sizeof path));
    GS_HAS(s, "GPUs allocated on average; no job ever waited");
    GS_HAS(s, "'No job ever waited: each started at once'");
    GS_HAS(s, "'No job ever waited'");
    free(s);
}

static void queues_that_are_left_out_are_counted(void)
{
    char path[600];
    char *s = script_of(sample("run.h5", IDLE, path, sizeof path));
    GS_HAS(s, "title 'all jobs, and the 7 largest of 15 queues'");
    GS_HAS(s, "'the 12 largest of 15 queues'");
    free(s);
    s = script_of(sample("run.h5", FOUR_JOBS, path, sizeof path));
    CU_ASSERT_PTR_NULL(strstr(s, "largest of"));
    free(s);
}

static void the_map_integrates_allocations_over_nodes_that_are_up(void)
{
    char path[600];
    char *s = script_of(sample("run.h5", FOUR_JOBS, path, sizeof path));
    GS_HAS(s, "$map << EOD\n50 50 50 ");
    GS_HAS(s, "\nNaN NaN NaN ");
    GS_HAS(s, " NaN 100 100 ");
    GS_HAS(s, "12 GPUs on 2 nodes are held 60.0 % of the time");
    free(s);
}

static void equal_files_give_equal_scripts(void)
{
    char path[600];
    char *a = script_of(sample("run.h5", FOUR_JOBS, path, sizeof path));
    char *b = script_of(sample("run.h5", FOUR_JOBS, path, sizeof path));
    GS_EQ_STR(a, b);
    CU_ASSERT_PTR_NULL(strstr(a, "load "));
    free(a);
    free(b);
}

static void every_chart_is_drawn_in_every_format(void)
{
    static const char *const formats[][2] = {{"svg", "<?xml"}, {"png", "\211PNG"}, {"pdf", "%PDF"}};
    char h5[600], dir[600];
    if (!has_gnuplot())
        GS_SKIP("gnuplot is not installed");
    sample("run.h5", FOUR_JOBS, h5, sizeof h5);
    gs_test_tmp_file("charts", dir, sizeof dir);
    for (size_t k = 0; k < 3; k++) {
        struct gs_err err = {0};
        gs_path_vec made = {0};
        const struct gs_plot_to to = {.dir = dir, .format = formats[k][0]};
        GS_EQ_INT(gs_plot(h5, &to, &made, &err), GS_OK);
        GS_EQ_STR(err.msg, "");
        GS_EQ_INT(made.n, CHARTS);
        for (size_t i = 0; i < made.n; i++) {
            char expected[700];
            (void)snprintf(expected, sizeof expected, "%s/run.%s.%s", dir, charts[i],
                           formats[k][0]);
            GS_EQ_STR(made.v[i], expected);
            char *s = slurp(made.v[i]);
            CU_ASSERT_EQUAL(memcmp(s, formats[k][1], 4), 0);
            free(s);
            char part[720];
            (void)snprintf(part, sizeof part, "%s.part", expected);
            CU_ASSERT_NOT_EQUAL(access(part, F_OK), 0);
        }
        gs_path_vec_free(&made);
    }
}

static void a_kept_script_draws_by_itself(void)
{
    char h5[600], command[1400];
    if (!has_gnuplot())
        GS_SKIP("gnuplot is not installed");
    free(script_of(sample("alone.h5", FOUR_JOBS, h5, sizeof h5)));
    (void)snprintf(command, sizeof command, "cd %s && gnuplot -e \"OUT='png'\" s.gp 2>/dev/null",
                   gs_test_tmp());
    GS_EQ_INT(system(command), 0);
    for (size_t i = 0; i < CHARTS; i++) {
        char path[700];
        (void)snprintf(path, sizeof path, "%s/alone.%s.png", gs_test_tmp(), charts[i]);
        CU_ASSERT_EQUAL(access(path, F_OK), 0);
    }
}

static void an_empty_run_has_charts_that_say_so(void)
{
    char h5[600];
    struct gs_err err;
    gs_path_vec made = {0};
    if (!has_gnuplot())
        GS_SKIP("gnuplot is not installed");
    const struct gs_plot_to to = {.format = "svg"};
    GS_EQ_INT(gs_plot(sample("empty.h5", NO_JOBS, h5, sizeof h5), &to, &made, &err), GS_OK);
    GS_EQ_INT(made.n, CHARTS);
    for (size_t i = 0; i < made.n; i++) {
        char *s = slurp(made.v[i]);
        GS_HAS(s, "no jobs");
        free(s);
    }
    gs_path_vec_free(&made);
}

static void runs_of_a_sweep_share_charts(void)
{
    static const char *const labels[] = {"fifo", "easy & \"x\""};
    char a[600], b[600], expected[700];
    struct gs_err err;
    gs_path_vec made = {0};
    if (!has_gnuplot())
        GS_SKIP("gnuplot is not installed");
    const char *const h5[] = {sample("q.fifo.h5", FOUR_JOBS, a, sizeof a),
                              sample("q.easy.h5", NO_JOBS, b, sizeof b)};
    const struct gs_plot_to to = {.dir = gs_test_tmp()};
    GS_EQ_INT(gs_plot_sweep(h5, labels, 2, &to, &made, &err), GS_OK);
    GS_EQ_INT(made.n, 2);
    (void)snprintf(expected, sizeof expected, "%s/q.sweep-utilisation.svg", gs_test_tmp());
    GS_EQ_STR(made.v[0], expected);
    (void)snprintf(expected, sizeof expected, "%s/q.sweep-wait-ecdf.svg", gs_test_tmp());
    GS_EQ_STR(made.v[1], expected);
    gs_path_vec_free(&made);
}

static void lines_are_named_after_labels_or_points(void)
{
    char a[600], b[600], path[600];
    struct gs_err err;
    gs_path_vec made = {0};
    const char *const h5[] = {sample("q.fifo.h5", FOUR_JOBS, a, sizeof a),
                              sample("q.easy.h5", FOUR_JOBS, b, sizeof b)};
    const char *const labels[] = {"caf\303\251 \377", b};
    const struct gs_plot_to to = {.script = gs_test_tmp_file("s.gp", path, sizeof path)};
    GS_EQ_INT(gs_plot_sweep(h5, labels, 2, &to, &made, &err), GS_OK);
    char *s = slurp(path);
    GS_HAS(s, "title 'caf\303\251 ?, SATURATED: mean");
    GS_HAS(s, "title 'easy, SATURATED: mean");
    free(s);
    gs_path_vec_free(&made);
}

/* A results file knows which point of a sweep it is; its name is only the last resort. */
static void a_point_is_named_by_its_own_label(void)
{
    char a[600], b[600], path[600];
    struct gs_err err;
    gs_path_vec made = {0};
    const char *const h5[] = {sample("q.fifo.h5", FOUR_JOBS, a, sizeof a),
                              sample("q.backfill-easy.h5", PART_OF_A_SWEEP, b, sizeof b)};
    const struct gs_plot_to to = {.script = gs_test_tmp_file("s.gp", path, sizeof path)};
    GS_EQ_INT(gs_plot_sweep(h5, h5, 2, &to, &made, &err), GS_OK);
    char *s = slurp(path);
    GS_HAS(s, "title 'fifo, SATURATED: mean");
    GS_HAS(s, "title 'backfill=easy, INCOMPLETE, SATURATED: mean 62.5 %'");
    GS_HAS(s, "title 'backfill=easy, INCOMPLETE, SATURATED: 3 jobs, median 90 s'");
    GS_HAS(s, "two nodes · 2 runs · 1 of them INCOMPLETE");
    free(s);
    gs_path_vec_free(&made);
}

/* Runs gs_plot with $PATH set to `path`. */
static enum gs_rc plot_with_path(const char *h5, const char *path, struct gs_err *err)
{
    gs_path_vec made = {0};
    char *old = gs_strdup(getenv("PATH"));
    CU_ASSERT_EQUAL(setenv("PATH", path, 1), 0);
    const struct gs_plot_to to = {0};
    const enum gs_rc rc = gs_plot(h5, &to, &made, err);
    CU_ASSERT_EQUAL(setenv("PATH", old, 1), 0);
    gs_free(old);
    GS_EQ_INT(made.n, 0);
    gs_path_vec_free(&made);
    return rc;
}

static void a_missing_gnuplot_is_named(void)
{
    char h5[600];
    struct gs_err err;
    sample("run.h5", FOUR_JOBS, h5, sizeof h5);
    GS_EQ_INT(plot_with_path(h5, "/nowhere", &err), GS_E_IO);
    GS_HAS(err.msg, "apt-get install gnuplot-nox");
}

static void what_gnuplot_says_is_passed_on(void)
{
    static const char fake[] = "#!/bin/sh\necho 'line 7: no such terminal' >&2\n"
                               "echo 'warning: never mind' >&2\nexit 3\n";
    char h5[600], path[600];
    struct gs_err err;
    sample("run.h5", FOUR_JOBS, h5, sizeof h5);
    gs_test_write("gnuplot", fake, SIZE_MAX, path, sizeof path);
    CU_ASSERT_EQUAL(chmod(path, 0755), 0);
    GS_EQ_INT(plot_with_path(h5, gs_test_tmp(), &err), GS_E_IO);
    GS_HAS(err.msg, "exit status 3");
    GS_HAS(err.msg, "line 7: no such terminal");
    gs_test_write("gnuplot", "#!/bin/sh\nexit 0\n", SIZE_MAX, path, sizeof path);
    GS_EQ_INT(plot_with_path(h5, gs_test_tmp(), &err), GS_E_IO);
    GS_HAS(err.msg, "gnuplot wrote nothing");
    (void)unlink(path);
}

static void bad_input_is_refused(void)
{
    char h5[600], file[600];
    struct gs_err err;
    gs_path_vec made = {0};
    sample("run.h5", FOUR_JOBS, h5, sizeof h5);
    struct gs_plot_to to = {.format = "gif"};
    GS_EQ_INT(gs_plot(h5, &to, &made, &err), GS_E_INPUT);
    GS_HAS(err.msg, "'gif' is not a format of charts");
    to = (struct gs_plot_to){.dir = gs_test_write("plain", "x", 1, file, sizeof file)};
    GS_EQ_INT(gs_plot(h5, &to, &made, &err), GS_E_IO);
    GS_HAS(err.msg, "is not a folder");
    to = (struct gs_plot_to){.script = "/no/such/folder/s.gp"};
    GS_EQ_INT(gs_plot(h5, &to, &made, &err), GS_E_IO);
    GS_HAS(err.msg, "No such file");
    GS_EQ_INT(gs_plot("/no/such.h5", &to, &made, &err), GS_E_INPUT);
    sample("other.h5", NO_SCHEMA, h5, sizeof h5);
    GS_EQ_INT(gs_plot(h5, &to, &made, &err), GS_E_INPUT);
    GS_HAS(err.msg, "not a results file of gsim");
    GS_EQ_INT(made.n, 0);
}

static const struct gs_test tests[] = {
    {"the script holds the figures", the_script_holds_the_figures},
    {"a job that never starts", a_job_that_never_starts_keeps_the_curve_below_all},
    {"causes are means a job", causes_are_means_a_job},
    {"the window's figures", titles_give_the_figures_of_the_measured_window},
    {"an incomplete run is marked", an_incomplete_run_is_marked},
    {"where no job waits", where_no_job_waits_charts_say_so},
    {"queues left out are counted", queues_that_are_left_out_are_counted},
    {"the map integrates allocations", the_map_integrates_allocations_over_nodes_that_are_up},
    {"equal files give equal scripts", equal_files_give_equal_scripts},
    {"every chart is drawn in every format", every_chart_is_drawn_in_every_format},
    {"a kept script draws by itself", a_kept_script_draws_by_itself},
    {"an empty run has charts that say so", an_empty_run_has_charts_that_say_so},
    {"runs of a sweep share charts", runs_of_a_sweep_share_charts},
    {"lines are named", lines_are_named_after_labels_or_points},
    {"a point is named by its own label", a_point_is_named_by_its_own_label},
    {"a missing gnuplot is named", a_missing_gnuplot_is_named},
    {"what gnuplot says is passed on", what_gnuplot_says_is_passed_on},
    {"bad input is refused", bad_input_is_refused},
};

GS_TEST_MAIN("analysis/plot", tests)

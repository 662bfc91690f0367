/* pai.c - `pai_task_table` of the Alibaba PAI trace (cluster-trace-gpu-v2020): a row a task, replayed as jobs; and the job lists of its
 * simulator (`pai_job_*_100K.csv`).
 *
 * Task table, without a header line: job_name, task_name, inst_num, status, start_time, end_time, plan_cpu, plan_mem, plan_gpu, gpu_type.
 * plan_* are of one instance: percent of a core, GB (29.296875 is 30,000 MiB, so GiB), percent of a GPU (50 = half of one, 200 = two), so a task is a gang of inst_num
 * equal tasks. gpu_type is the model that it ran on. Times are float seconds, shifted by a constant; read as UTC+8 they give the true hour
 * and weekday. The submit time stands in the job table only, so a task is submitted when it started: no waits are recorded here.
 * status: Terminated (the only success), Failed; Running and Waiting tasks have no end and are dropped, as are those without a time.
 * Job lists, with a header: num_gpu and num_cpu of one instance in fractions of a GPU and in cores, num_inst, submit_time, duration. Their
 * simulator takes a missing submit or number of instances, and a duration below 1 s, as 1; so does this reader, and counts it.
 * Source: Weng et al., "MLaaS in the Wild" (NSDI'22); github.com/alibaba/clusterdata. The other tables: pai_tables.c. */
#include "traces/pai.h"

#include "traces/joblog.h"

#include <string.h>

#include "sim/base/banned.h"

/* ---- Shared ------------------------------------------------------------------------------------ */

void gs_pai_first_line(const char *text, size_t n, struct gs_pai_line *out)
{
    const size_t len = strcspn(text, "\r\n");
    *out = (struct gs_pai_line){.n = 0};
    if (len == 0 || len >= sizeof out->text || memchr(text, '"', len))
        return;
    memcpy(out->text, text, len);
    out->is_last = strspn(text + len, "\r\n") == n - len;
    for (char *s = out->text; s; out->n++) {
        if (out->n == GS_PAI_COLUMNS_MAX) {
            out->n = 0;
            return;
        }
        out->field[out->n] = s;
        s = strchr(s, ',');
        if (s)
            *s++ = '\0';
    }
}

int gs_pai_is_header(const struct gs_pai_line *l, const struct gs_table *t)
{
    if (l->n != t->nfields)
        return 0;
    for (size_t i = 0; i < l->n; i++) {
        if (strcmp(l->field[i], t->fields[i].name) != 0)
            return 0;
    }
    return 1;
}

int gs_pai_is_status(const char *s)
{
    return strcmp(s, "Terminated") == 0 || strcmp(s, "Failed") == 0 || strcmp(s, "Running") == 0 ||
           strcmp(s, "Waiting") == 0;
}

void gs_pai_gang(struct gs_scan *s, struct gs_job *j, int64_t instances, int64_t milli)
{
    if (milli > 1000 && milli % 1000 != 0)
        gs_count_assume(s->n, "over one GPU, but no whole number: rounded up", 1);
    j->tasks = (uint32_t)instances;
    j->task_gpus = (uint32_t)((milli + 999) / 1000);
    j->gpus = j->task_gpus * j->tasks;
    j->share_milli = milli > 0 && milli < 1000 ? (uint32_t)milli : 1000;
}

/* ---- Task table -------------------------------------------------------------------------------- */

enum {
    V_JOB,
    V_TASK,
    V_INSTANCES,
    V_STATUS,
    V_START,
    V_END,
    V_CPU,
    V_MEM,
    V_GPU,
    V_TYPE
};

static const struct gs_field fields[] = {
    {"job_name", 0}, {"task_name", 0}, {"inst_num", 0}, {"status", 0},   {"start_time", 0},
    {"end_time", 0}, {"plan_cpu", 0},  {"plan_mem", 0}, {"plan_gpu", 0}, {"gpu_type", 0}};

static const struct gs_figure figures[] = {
    {.quantity = "columns", .op = GS_FIG_COLUMNS},
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "jobs", .op = GS_FIG_DISTINCT, .a = "job_name"},
    {.quantity = "sum_inst_num", .op = GS_FIG_SUM, .a = "inst_num"},
    {.quantity = "sum_inst_gpu", .op = GS_FIG_SUM_PRODUCT, .a = "inst_num", .b = "plan_gpu"},
    {.quantity = "status", .op = GS_FIG_TALLY, .a = "status"},
    {.quantity = "gpu_types", .op = GS_FIG_TALLY, .a = "gpu_type"},
    {.quantity = "null_start_time", .op = GS_FIG_NULLS, .a = "start_time"},
    {.quantity = "null_end_time", .op = GS_FIG_NULLS, .a = "end_time"},
    {.quantity = "min_start_time", .op = GS_FIG_MIN, .a = "start_time"},
    {.quantity = "max_end_time", .op = GS_FIG_MAX, .a = "end_time"}};

struct task {
    int64_t instances, gpu_milli, cpus_milli, mem_mib, start_ns, end_ns;
};

/* A number that may be missing: then 0. */
static enum gs_rc take(struct gs_row *r, const char *column, const char *text, int scale,
                       int64_t max, int64_t *out)
{
    *out = 0;
    return *text ? gs_row_scaled(r, column, text, scale, max, out) : GS_OK;
}

static enum gs_rc decode(struct gs_row *r, const char *const *v, struct task *t)
{
    *t = (struct task){.instances = 1, .start_ns = -1, .end_ns = -1};
    enum gs_rc rc = GS_OK;
    if (*v[V_INSTANCES])
        rc = gs_row_int(r, "inst_num", v[V_INSTANCES], GS_TRACE_GPUS_MAX, &t->instances);
    if (rc == GS_OK) /* percent with one decimal: thousandths */
        rc = take(r, "plan_gpu", v[V_GPU], 1, 1000000, &t->gpu_milli);
    if (rc == GS_OK)
        rc = take(r, "plan_cpu", v[V_CPU], 1, GS_TRACE_CPUS_MAX, &t->cpus_milli);
    if (rc == GS_OK && *v[V_MEM])
        rc = gs_log_gib(r, "plan_mem", v[V_MEM], &t->mem_mib);
    if (rc == GS_OK && *v[V_START])
        rc = gs_row_seconds(r, "start_time", v[V_START], &t->start_ns);
    if (rc == GS_OK && *v[V_END])
        rc = gs_row_seconds(r, "end_time", v[V_END], &t->end_ns);
    if (rc == GS_OK && t->instances * ((t->gpu_milli + 999) / 1000) > GS_TRACE_GPUS_MAX)
        rc = gs_row_bad(r, "absurdly large number", "inst_num", v[V_INSTANCES],
                        "instances ask for over a million GPUs");
    return rc;
}

static const char *unusable(const struct gs_scan *s, const struct task *t, const char *status)
{
    if (t->gpu_milli == 0 && !s->o->cpu_jobs)
        return "asks for no GPU";
    if (t->instances == 0)
        return "no instances";
    if (t->start_ns < 0)
        return "never started";
    if (t->end_ns < 0 || strcmp(status, "Running") == 0 || strcmp(status, "Waiting") == 0)
        return "not ended when the log was taken";
    return t->end_ns < t->start_ns ? "ends before it starts" : NULL;
}

static enum gs_rc row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct task t;
    enum gs_rc rc = decode(r, v, &t);
    if (rc != GS_OK)
        return rc;
    const char *reason = unusable(s, &t, v[V_STATUS]);
    if (reason) {
        gs_row_drop(r, reason);
        return GS_OK;
    }
    struct gs_job j = gs_scan_new_job(s, r->line);
    struct gs_buf name = {0};
    gs_buf_fmt(&name, "%s/%s", v[V_JOB], v[V_TASK]);
    j.name = gs_intern(s->str, gs_buf_cstr(&name));
    gs_buf_free(&name);
    rc = gs_scan_unique(s, r, "task_name", j.name);
    if (rc != GS_OK)
        return rc;
    gs_count_assume(s->n, "submit is not in the task table: the start taken", 1);
    j.kind = t.gpu_milli ? GS_KIND_TRAINING : GS_KIND_BATCH;
    j.end_state = strcmp(v[V_STATUS], "Terminated") == 0 ? GS_END_COMPLETED
                  : strcmp(v[V_STATUS], "Failed") == 0   ? GS_END_FAILED
                                                         : GS_END_UNKNOWN;
    j.submit_ns = j.start_ns = t.start_ns;
    j.run_ns = t.end_ns - t.start_ns;
    j.ran_on = gs_intern(s->str, v[V_TYPE]);
    j.cpus_milli = t.cpus_milli;
    j.mem_mib = t.mem_mib;
    gs_pai_gang(s, &j, t.instances, t.gpu_milli);
    return gs_scan_job(s, &j);
}

const struct gs_table gs_pai_tasks = {GS_TABLE_FIELDS(fields), GS_TABLE_FIGURES(figures),
                                      .no_header = 1, .row = row};

int gs_pai_is_task(const struct gs_pai_line *l)
{
    return l->n == gs_pai_tasks.nfields && (gs_pai_is_status(l->field[V_STATUS]) ||
                                            (gs_pai_is_header(l, &gs_pai_tasks) && !l->is_last));
}

static int guess(const struct gs_probe *p)
{
    struct gs_pai_line l;
    gs_pai_first_line(p->text, p->n, &l);
    return gs_pai_is_task(&l);
}

static enum gs_rc scan(struct gs_scan *s)
{
    const enum gs_rc rc = gs_input_ahead(s->in, GS_PAI_TEXT_MAX, s->err);
    if (rc != GS_OK)
        return rc;
    struct gs_pai_line l;
    gs_pai_first_line(s->in->text + s->in->at, s->in->n - s->in->at, &l);
    struct gs_table t = gs_pai_tasks;
    t.no_header = !gs_pai_is_header(&l, &t);
    return gs_table_scan(s, &t);
}

/* ---- Lists of the simulator -------------------------------------------------------------------- */

enum {
    L_ID,
    L_USER,
    L_GPU,
    L_CPU,
    L_SUBMIT,
    L_INSTANCES,
    L_DURATION,
    L_TYPE
};

static const struct gs_field list_fields[] = {{"job_id", 0},
                                              {"user", 0},
                                              {"num_gpu", 0},
                                              {"num_cpu", 0},
                                              {"submit_time", 0},
                                              {"num_inst", 0},
                                              {"duration", 0},
                                              {"gpu_type", GS_FIELD_OPTIONAL},
                                              {"wait_time", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
                                              {"group", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
                                              {"user_dur", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
                                              {"user_gpu_dur", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
                                              {"group_dur", GS_FIELD_OPTIONAL | GS_FIELD_ATTR},
                                              {"group_gpu_dur", GS_FIELD_OPTIONAL | GS_FIELD_ATTR}};

static const struct gs_figure list_figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "sum_gpu", .op = GS_FIG_SUM_PRODUCT, .a = "num_inst", .b = "num_gpu"},
    {.quantity = "sum_duration", .op = GS_FIG_SUM, .a = "duration"},
    {.quantity = "first_submit", .op = GS_FIG_MIN, .a = "submit_time"},
    {.quantity = "last_submit", .op = GS_FIG_MAX, .a = "submit_time"},
    {.quantity = "users", .op = GS_FIG_DISTINCT, .a = "user"},
    {.quantity = "out_of_order", .op = GS_FIG_OUT_OF_ORDER, .a = "submit_time"}};

static enum gs_rc decode_list(struct gs_scan *s, struct gs_row *r, const char *const *v,
                              struct task *t, int64_t *run_ns)
{
    *t = (struct task){.instances = 1, .start_ns = GS_SECOND};
    *run_ns = 0;
    enum gs_rc rc = take(r, "num_gpu", v[L_GPU], 3, 1000000, &t->gpu_milli);
    if (rc == GS_OK)
        rc = take(r, "num_cpu", v[L_CPU], 3, GS_TRACE_CPUS_MAX, &t->cpus_milli);
    if (rc == GS_OK && *v[L_INSTANCES])
        rc = gs_row_int(r, "num_inst", v[L_INSTANCES], GS_TRACE_GPUS_MAX, &t->instances);
    if (rc == GS_OK && *v[L_SUBMIT])
        rc = gs_row_seconds(r, "submit_time", v[L_SUBMIT], &t->start_ns);
    if (rc == GS_OK && *v[L_DURATION] && *v[L_DURATION] != '-')
        rc = gs_row_seconds(r, "duration", v[L_DURATION], run_ns);
    if (rc == GS_OK && t->instances * ((t->gpu_milli + 999) / 1000) > GS_TRACE_GPUS_MAX)
        rc = gs_row_bad(r, "absurdly large number", "num_inst", v[L_INSTANCES],
                        "instances ask for over a million GPUs");
    if (rc != GS_OK)
        return rc;
    gs_count_assume(s->n, "no submit time: 1 s taken", !*v[L_SUBMIT]);
    gs_count_assume(s->n, "no number of instances: 1 taken", !*v[L_INSTANCES]);
    if (*run_ns == 0) {
        gs_count_assume(s->n, "run time not above 0: 1 s taken", 1);
        *run_ns = GS_SECOND;
    }
    return GS_OK;
}

static enum gs_rc list_row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct gs_job j = gs_scan_new_job(s, r->line);
    struct task t;
    enum gs_rc rc = decode_list(s, r, v, &t, &j.run_ns);
    if (rc == GS_OK) {
        j.name = gs_intern(s->str, v[L_ID]);
        rc = gs_scan_unique(s, r, "job_id", j.name);
    }
    if (rc != GS_OK)
        return rc;
    if (t.instances == 0 || (t.gpu_milli == 0 && !s->o->cpu_jobs)) {
        gs_row_drop(r, t.instances == 0 ? "no instances" : "asks for no GPU");
        return GS_OK;
    }
    j.kind = t.gpu_milli ? GS_KIND_TRAINING : GS_KIND_BATCH;
    j.submit_ns = t.start_ns;
    j.user = gs_intern(s->str, v[L_USER]);
    j.models = gs_intern(s->str, v[L_TYPE]);
    j.cpus_milli = t.cpus_milli;
    gs_pai_gang(s, &j, t.instances, t.gpu_milli);
    return gs_scan_job(s, &j);
}

static const struct gs_table list = {GS_TABLE_FIELDS(list_fields), GS_TABLE_FIGURES(list_figures),
                                     .keep_unknown = 1, .row = list_row};

static int guess_list(const struct gs_probe *p)
{
    return p->head && gs_table_fits(&list, p->head);
}

static enum gs_rc scan_list(struct gs_scan *s)
{
    return gs_table_scan(s, &list);
}

const struct gs_reader gs_reader_pai = {
    .name = "pai",
    .what = "Alibaba PAI 2020: task table, without header",
    .units = "s, shifted; percent of a GPU and of a core, GiB, of each instance",
    .flags = GS_READER_IDS,
    .guess = guess,
    .scan = scan,
};

const struct gs_reader gs_reader_pai_list = {
    .name = "pai-list",
    .what = "Alibaba PAI 2020: job list of its simulator",
    .units = "submit and run time s; GPUs in fractions and CPU cores of each instance",
    .flags = GS_READER_IDS,
    .guess = guess_list,
    .scan = scan_list,
};

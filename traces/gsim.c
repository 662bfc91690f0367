/* gsim.c - gsim's own CSV of jobs: what a user writes by hand or from a database. traces/README.md describes the columns.
 *
 * Only submit, duration and gpus are required; columns are found by name, in any order; an unknown one is not an error but is
 * counted and shown, because a misspelt column would otherwise silently change the workload. Times are decimal seconds (submit may
 * be a wall clock instead, the same way in all rows), memory MiB, CPUs cores, a share a fraction of one GPU; cpus and memory
 * are per task. The writer is the reader's inverse up to the shift of time zero and the spelling of submit.
 * Cost: O(bytes). */
#include "sim/base/units.h"
#include "traces/decimal.h"
#include "traces/reader.h"

#include <string.h>

#include "sim/base/banned.h"

#define NEVER_ENDS "never"

enum column {
    C_SUBMIT,
    C_DURATION,
    C_GPUS,
    REQUIRED,
    C_NAME = REQUIRED,
    C_QUEUE,
    C_USER,
    C_KIND,
    C_PRIORITY,
    C_TASKS,
    C_TASK_GPUS,
    C_SHARE,
    C_GPU_MEMORY,
    C_CPUS,
    C_MEMORY,
    C_GPU,
    C_ESTIMATE,
    C_STATE,
    C_PREEMPTIBLE,
    COLUMNS
};

static const char *const names[COLUMNS] = {
    "submit", "duration", "gpus",  "name",      "queue", "user",
    "kind",   "priority", "tasks", "task_gpus", "share", "gpu_memory",
    "cpus",   "memory",   "gpu",   "estimate",  "state", "preemptible"};

struct table {
    struct gs_csv csv;
    size_t at[COLUMNS];
    int by_clock; /* submit: -1 not known yet, 0 seconds, 1 wall clock */
};

static int guess(const struct gs_input *in, const struct gs_csv *head)
{
    (void)in;
    for (int i = 0; i < REQUIRED; i++) {
        if (!head || gs_csv_find(head, names[i]) == GS_CSV_NONE)
            return 0;
    }
    return 1;
}

static int is_known(const char *name)
{
    int known = 0;
    for (int i = 0; i < COLUMNS; i++)
        known |= strcmp(name, names[i]) == 0;
    return known;
}

static enum gs_rc find_columns(struct table *t, struct gs_err *err)
{
    t->by_clock = -1;
    enum gs_rc rc = GS_OK;
    for (int i = 0; i < COLUMNS && rc == GS_OK; i++) {
        if (i < REQUIRED)
            rc = gs_csv_need(&t->csv, names[i], &t->at[i], err);
        else
            t->at[i] = gs_csv_find(&t->csv, names[i]);
    }
    return rc;
}

static const char *field(const struct table *t, enum column k)
{
    const char *s = gs_csv_field(&t->csv, t->at[k]);
    return gs_is_null(s) ? "" : s;
}

/* An optional number: absent or null leaves *out as it is. */
static enum gs_rc optional(struct gs_row *r, const struct table *t, enum column k, int scale,
                           int64_t max, int64_t *out)
{
    const char *s = field(t, k);
    if (!*s)
        return GS_OK;
    return scale ? gs_row_scaled(r, names[k], s, scale, max, out)
                 : gs_row_int(r, names[k], s, max, out);
}

/* An optional word out of a table. */
static enum gs_rc word(struct gs_row *r, const struct table *t, enum column k,
                       const char *(*spelling)(int), int count, uint8_t *out)
{
    const char *s = field(t, k);
    if (!*s)
        return GS_OK;
    struct gs_buf known = {0};
    gs_buf_str(&known, "is none of:");
    for (int i = 0; i < count; i++) {
        gs_buf_fmt(&known, "%s %s", i ? "," : "", spelling(i));
        if (strcmp(s, spelling(i)) == 0) {
            *out = (uint8_t)i;
            gs_buf_free(&known);
            return GS_OK;
        }
    }
    const enum gs_rc rc = gs_row_bad(r, "unknown word", names[k], s, gs_buf_cstr(&known));
    gs_buf_free(&known);
    return rc;
}

static const char *kind_word(int i)
{
    return gs_job_kind_str((enum gs_job_kind)i);
}

static const char *state_word(int i)
{
    return gs_end_state_str((enum gs_end_state)i);
}

/* ---- A row ------------------------------------------------------------------------------------- */

static enum gs_rc take_submit(struct gs_row *r, struct table *t, int32_t offset_s, int64_t *out)
{
    const char *s = field(t, C_SUBMIT);
    const int clock = strchr(s, ':') != NULL;
    if (t->by_clock < 0)
        t->by_clock = clock;
    if (*s && clock != t->by_clock)
        return gs_row_bad(r, "two ways to write submit", "submit", s,
                          "is not written like the rows before: seconds or wall clock, not both");
    return clock ? gs_row_clock(r, "submit", s, offset_s, out)
                 : gs_row_seconds(r, "submit", s, out);
}

static enum gs_rc take_times(struct gs_row *r, struct table *t, int32_t offset_s, struct gs_job *j)
{
    enum gs_rc rc = take_submit(r, t, offset_s, &j->submit_ns);
    if (rc != GS_OK)
        return rc;
    const char *duration = field(t, C_DURATION);
    if (strcmp(duration, NEVER_ENDS) == 0) {
        j->run_ns = GS_NEVER;
        j->duration_source = 2;
    } else {
        rc = gs_row_seconds(r, "duration", duration, &j->run_ns);
    }
    const char *estimate = field(t, C_ESTIMATE);
    if (rc == GS_OK && *estimate) {
        rc = gs_row_seconds(r, "estimate", estimate, &j->est_ns);
        j->est_source = GS_EST_USER;
    }
    return rc;
}

/* tasks and task_gpus, one of them, both or neither: gpus = (tasks - 1) * task_gpus + the last task's. */
static enum gs_rc take_gang(struct gs_row *r, const struct table *t, const struct gs_read *rd,
                            struct gs_job *j)
{
    int64_t tasks = 0;
    int64_t each = 0;
    enum gs_rc rc = optional(r, t, C_TASKS, 0, GS_TRACE_GPUS_MAX, &tasks);
    if (rc == GS_OK)
        rc = optional(r, t, C_TASK_GPUS, 0, GS_TRACE_GPUS_MAX, &each);
    if (rc != GS_OK)
        return rc;
    gs_read_split(rd, j);
    if (j->gpus == 0) {
        j->tasks = tasks ? (uint32_t)tasks : 1;
        return each ? gs_row_bad(r, "tasks contradict gpus", "task_gpus", field(t, C_TASK_GPUS),
                                 "contradicts gpus 0")
                    : GS_OK;
    }
    if (tasks == 0 && each == 0) {
        if (j->tasks > 1)
            gs_count_assume(rd->n, "gang split into tasks of at most task_gpus GPUs", 1);
        return GS_OK;
    }
    if (each == 0)
        each = (j->gpus + tasks - 1) / tasks;
    const int64_t need = (j->gpus + each - 1) / each;
    if (tasks && tasks != need)
        return gs_row_bad(r, "tasks contradict gpus", "tasks", field(t, C_TASKS),
                          "contradicts gpus: all tasks but the last must be equal, none empty");
    j->tasks = (uint32_t)need;
    j->task_gpus = (uint32_t)(each < j->gpus ? each : j->gpus);
    j->cpus_milli = rd->o->cpus_per_gpu_milli * j->task_gpus;
    j->mem_mib = rd->o->mem_per_gpu_mib * j->task_gpus;
    return GS_OK;
}

static enum gs_rc take_size(struct gs_row *r, const struct table *t, const struct gs_read *rd,
                            struct gs_job *j)
{
    int64_t gpus = 0;
    int64_t share = 1000;
    int64_t gpu_mem = 0;
    enum gs_rc rc = gs_row_int(r, "gpus", field(t, C_GPUS), GS_TRACE_GPUS_MAX, &gpus);
    if (rc == GS_OK)
        rc = optional(r, t, C_SHARE, 3, 1000, &share);
    if (rc == GS_OK)
        rc = optional(r, t, C_GPU_MEMORY, 0, UINT32_MAX, &gpu_mem);
    if (rc != GS_OK)
        return rc;
    if (share == 0 || (share < 1000 && gpus != 1))
        return gs_row_bad(r, "share contradicts gpus", "share", field(t, C_SHARE),
                          share ? "is a share of one GPU, but gpus is not 1" : "is no share");
    j->gpus = (uint32_t)gpus;
    j->share_milli = (uint32_t)share;
    j->gpu_mem_mib = (uint32_t)gpu_mem;
    rc = take_gang(r, t, rd, j);
    if (rc == GS_OK)
        rc = optional(r, t, C_CPUS, 3, GS_TRACE_CPUS_MAX, &j->cpus_milli);
    if (rc == GS_OK)
        rc = optional(r, t, C_MEMORY, 0, GS_TRACE_MEMORY_MAX, &j->mem_mib);
    return rc;
}

static enum gs_rc take_priority(struct gs_row *r, const struct table *t, int32_t *out)
{
    const char *s = field(t, C_PRIORITY);
    int64_t x = 0;
    if (!*s)
        return GS_OK;
    if (gs_decimal_read(s, 0, &x) != GS_DECIMAL_OK || x < INT32_MIN || x > INT32_MAX)
        return gs_row_bad(r, "not a priority", "priority", s, "is not a whole number of 32 bits");
    *out = (int32_t)x;
    return GS_OK;
}

static enum gs_rc take_words(struct gs_row *r, const struct table *t, struct gs_job *j)
{
    enum gs_rc rc = word(r, t, C_KIND, kind_word, GS_KIND_COUNT, &j->kind);
    if (rc == GS_OK)
        rc = word(r, t, C_STATE, state_word, GS_END_COUNT, &j->end_state);
    if (rc == GS_OK)
        rc = take_priority(r, t, &j->priority);
    const char *preemptible = field(t, C_PREEMPTIBLE);
    int yes = 0;
    if (rc == GS_OK && *preemptible && gs_parse_bool(preemptible, &yes, NULL) != GS_OK)
        rc = gs_row_bad(r, "unknown word", "preemptible", preemptible, "is neither yes nor no");
    if (yes)
        j->flags |= GS_JOB_PREEMPTIBLE;
    return rc;
}

static enum gs_rc take_row(struct gs_row *r, struct table *t, struct gs_read *rd, struct gs_job *j)
{
    *j = gs_read_job(rd, r->line);
    j->kind = GS_KIND_TRAINING;
    enum gs_rc rc = gs_row_width(r, &t->csv);
    if (rc == GS_OK)
        rc = take_times(r, t, rd->o->zone_offset_s, j);
    if (rc == GS_OK)
        rc = take_size(r, t, rd, j);
    if (rc == GS_OK)
        rc = take_words(r, t, j);
    if (rc != GS_OK)
        return rc;
    struct gs_intern *str = rd->w->str;
    j->queue = gs_intern(str, field(t, C_QUEUE));
    j->user = gs_intern(str, field(t, C_USER));
    j->models = gs_intern(str, field(t, C_GPU));
    j->name = gs_intern(str, field(t, C_NAME));
    return gs_read_unique(rd, r, "name", j->name);
}

static void count_columns(struct gs_read *rd, const struct table *t)
{
    for (size_t i = 0; i < gs_csv_columns(&t->csv); i++) {
        const char *name = gs_csv_name(&t->csv, i);
        if (is_known(name))
            continue;
        struct gs_buf text = {0};
        gs_buf_fmt(&text, "column '%.40s' is not known and not used", name);
        /* the counts keep the pointer: the workload's strings live as long as they are shown */
        gs_count_assume(rd->n, gs_intern_str(rd->w->str, gs_intern(rd->w->str, gs_buf_cstr(&text))),
                        rd->n->emitted);
        gs_buf_free(&text);
    }
    if (t->at[C_ESTIMATE] == GS_CSV_NONE)
        gs_count_assume(rd->n, "no column 'estimate'", rd->n->emitted);
    if (t->at[C_CPUS] == GS_CSV_NONE && rd->o->cpus_per_gpu_milli == 0)
        gs_count_assume(rd->n, "no column 'cpus': none asked for", rd->n->emitted);
    if (t->at[C_MEMORY] == GS_CSV_NONE && rd->o->mem_per_gpu_mib == 0)
        gs_count_assume(rd->n, "no column 'memory': none asked for", rd->n->emitted);
}

static enum gs_rc read_rows(struct gs_read *rd, struct table *t)
{
    enum gs_rc rc = find_columns(t, rd->err);
    for (int more = 1; rc == GS_OK;) {
        rc = gs_csv_next(&t->csv, &more, rd->err);
        if (rc != GS_OK || !more)
            break;
        rd->n->rows++;
        struct gs_row r = {rd->in, t->csv.line, rd->o->bad_rows, rd->n, NULL, rd->err};
        struct gs_job j;
        rc = take_row(&r, t, rd, &j);
        if (rc == GS_OK)
            gs_read_emit(rd, &j);
        rc = gs_row_end(&r, rc);
    }
    if (rc != GS_OK)
        return rc;
    if (t->by_clock > 0) {
        rd->n->origin_unix_ns = 0;
        rd->n->origin_offset_s = rd->o->zone_offset_s == GS_NO_ZONE ? 0 : rd->o->zone_offset_s;
    }
    count_columns(rd, t);
    return rc;
}

static enum gs_rc read_jobs(struct gs_read *rd)
{
    struct table t = {0};
    enum gs_rc rc = gs_csv_open(&t.csv, rd->in, rd->err);
    if (rc == GS_OK)
        rc = read_rows(rd, &t);
    gs_csv_close(&t.csv);
    return rc;
}

/* ---- The writer -------------------------------------------------------------------------------- */

/* A text field, quoted where it must be. */
static void add_text(struct gs_buf *out, const char *s)
{
    const int plain =
        !s[strcspn(s, ",\"\r\n")] && s[0] != ' ' && (s[0] == '\0' || s[strlen(s) - 1] != ' ');
    if (plain) {
        gs_buf_str(out, s);
        return;
    }
    gs_buf_str(out, "\"");
    for (; *s; s++) {
        if (*s == '"')
            gs_buf_str(out, "\"");
        gs_buf_add(out, s, 1);
    }
    gs_buf_str(out, "\"");
}

static void add_job(const struct gs_workload *w, const struct gs_job *j, struct gs_buf *out)
{
    gs_decimal_add(out, j->submit_ns, 9);
    gs_buf_str(out, ",");
    if (j->run_ns == GS_NEVER)
        gs_buf_str(out, NEVER_ENDS);
    else
        gs_decimal_add(out, j->run_ns, 9);
    gs_buf_fmt(out, ",%u,", j->gpus);
    add_text(out, gs_intern_str(w->str, j->name));
    gs_buf_str(out, ",");
    add_text(out, gs_intern_str(w->str, w->queues.v[j->queue].name));
    gs_buf_str(out, ",");
    add_text(out, j->user == GS_NONE ? "" : gs_intern_str(w->str, w->users.v[j->user]));
    gs_buf_fmt(out, ",%s,%d,%u,", kind_word(j->kind), j->priority, j->tasks);
    if (j->gpus)
        gs_buf_fmt(out, "%u", j->task_gpus);
    gs_buf_str(out, ",");
    gs_decimal_add(out, j->share_milli, 3);
    gs_buf_fmt(out, ",%u,", j->gpu_mem_mib);
    gs_decimal_add(out, j->cpus_milli, 3);
    gs_buf_fmt(out, ",%lld,", (long long)j->mem_mib);
    add_text(out, gs_intern_str(w->str, j->models));
    gs_buf_str(out, ",");
    if (j->est_ns >= 0)
        gs_decimal_add(out, j->est_ns, 9);
    gs_buf_fmt(out, ",%s,%s\n", state_word(j->end_state),
               j->flags & GS_JOB_PREEMPTIBLE ? "yes" : "no");
}

void gs_trace_write_csv(const struct gs_workload *w, size_t first_job, struct gs_buf *out)
{
    gs_require(w && out && first_job <= w->jobs.n);
    for (int i = 0; i < COLUMNS; i++)
        gs_buf_fmt(out, "%s%s", i ? "," : "", names[i]);
    gs_buf_str(out, "\n");
    for (size_t i = first_job; i < w->jobs.n; i++)
        add_job(w, &w->jobs.v[i], out);
}

/* ---- trace info -------------------------------------------------------------------------------- */

struct figures {
    gs_i128 gpu_milli_ns;
    int64_t gpu_jobs, shares, never_ends, estimates, out_of_order, before, first, last, max_gpus;
    struct gs_tally sizes, queues, users, kinds;
};

static void add_row(struct figures *g, struct gs_info *f, const struct gs_workload *w,
                    const struct gs_job *j)
{
    f->n.emitted++;
    g->gpu_jobs += j->gpus > 0;
    g->shares += j->share_milli < 1000;
    g->never_ends += j->run_ns == GS_NEVER;
    g->estimates += j->est_ns >= 0;
    g->out_of_order += j->submit_ns < g->before;
    g->before = j->submit_ns;
    g->first = j->submit_ns < g->first ? j->submit_ns : g->first;
    g->last = j->submit_ns > g->last ? j->submit_ns : g->last;
    g->max_gpus = j->gpus > g->max_gpus ? j->gpus : g->max_gpus;
    gs_tally_number(&g->sizes, j->gpus, 1);
    gs_tally_text(&g->kinds, kind_word(j->kind), 1);
    gs_tally_text(&g->queues, gs_intern_str(w->str, j->queue), 1);
    if (j->user)
        gs_tally_text(&g->users, gs_intern_str(w->str, j->user), 1);
    if (j->run_ns == GS_NEVER)
        return;
    g->gpu_milli_ns += (gs_i128)j->run_ns * j->gpus * j->share_milli;
    gs_vec_push(&f->run_s, (double)j->run_ns / 1e9);
    gs_vec_push(&f->gpus, (double)j->gpus * j->share_milli / 1000);
}

static void show(struct figures *g, struct gs_info *f, const struct table *t)
{
    gs_info_int(f, "rows", (int64_t)f->n.emitted);
    gs_info_int(f, "gpu_jobs", g->gpu_jobs);
    gs_info_int(f, "share_jobs", g->shares);
    gs_info_int(f, "never_ending_jobs", g->never_ends);
    gs_info_decimal(f, "gpu_seconds", g->gpu_milli_ns, 12);
    if (t->by_clock > 0) {
        gs_info_clock(f, "first_submit", g->first);
        gs_info_clock(f, "last_submit", g->last);
    } else {
        gs_info_decimal(f, "first_submit", g->first, 9);
        gs_info_decimal(f, "last_submit", g->last, 9);
    }
    gs_info_int(f, "rows_out_of_order", g->out_of_order);
    gs_info_int(f, "max_gpus", g->max_gpus);
    gs_info_int(f, "estimates", g->estimates);
    gs_info_tally(f, "gpu_histogram", &g->sizes, SIZE_MAX);
    gs_info_tally(f, "kinds", &g->kinds, SIZE_MAX);
    gs_info_tally(f, "queues", &g->queues, SIZE_MAX);
    gs_info_int(f, "users", (int64_t)gs_tally_distinct(&g->users));
}

static enum gs_rc info_rows(struct gs_info *f, struct table *t, struct gs_read *rd,
                            struct figures *g)
{
    enum gs_rc rc = find_columns(t, f->err);
    for (int more = 1; rc == GS_OK;) {
        rc = gs_csv_next(&t->csv, &more, f->err);
        if (rc != GS_OK || !more)
            break;
        struct gs_row r = gs_info_row(f, t->csv.line);
        struct gs_job j;
        rc = take_row(&r, t, rd, &j);
        if (rc == GS_OK)
            add_row(g, f, rd->w, &j);
        rc = gs_row_end(&r, rc);
    }
    if (rc == GS_OK)
        show(g, f, t);
    return rc;
}

static enum gs_rc info(struct gs_info *f)
{
    struct gs_intern str;
    struct gs_workload w;
    struct gs_trace_options o;
    gs_intern_init(&str);
    gs_workload_init(&w, &str);
    gs_trace_options_init(&o);
    o.zone_offset_s = 0; /* the clock is shown as written */
    struct gs_read rd = {.w = &w, .o = &o, .n = &f->n, .in = f->in, .err = f->err};
    struct table t = {0};
    struct figures g = {.first = GS_NEVER, .last = INT64_MIN, .before = INT64_MIN};
    enum gs_rc rc = gs_csv_open(&t.csv, f->in, f->err);
    if (rc == GS_OK)
        rc = info_rows(f, &t, &rd, &g);
    gs_csv_close(&t.csv);
    gs_vec_free(&rd.name_line);
    gs_tally_free(&g.sizes);
    gs_tally_free(&g.queues);
    gs_tally_free(&g.users);
    gs_tally_free(&g.kinds);
    gs_workload_release(&w);
    gs_intern_release(&str);
    return rc;
}

const struct gs_reader gs_reader_gsim = {"gsim", 1, guess, read_jobs, info};

/* gsim.c - gsim's own CSV of jobs: what a user writes by hand or from a database. traces/README.md describes the columns.
 *
 * Only submit, duration and gpus are required; columns are found by name, in any order; an unknown one travels as an attribute of
 * the job and is counted and shown, because a misspelt column would otherwise silently change the workload. Times are decimal seconds
 * (submit may be a wall clock instead, the same way in all rows), memory MiB, CPUs cores, a share a fraction of one GPU; cpus and memory
 * are per task. The writer (write_gsim.c) is the reader's inverse up to the shift of time zero and the spelling of submit.
 * Cost: O(bytes). */
#include "sim/base/units.h"
#include "traces/decimal.h"
#include "traces/gsim_csv.h"
#include "traces/table.h"

#include <string.h>

#include "sim/base/banned.h"

#define NAME_OF(U, l) #l
static const struct gs_field fields[GS_COL_COUNT] = {
#define X(U, l) {NAME_OF(U, l), GS_COL_##U < GS_COL_REQUIRED ? 0 : GS_FIELD_OPTIONAL},
    GS_JOB_COLUMNS(X)
#undef X
};

struct own {
    int by_clock;           /* submit: -1 not known yet, 0 seconds, 1 wall clock */
    uint32_t lacks;         /* bits of columns that the file has not */
    GS_VEC(uint32_t) place; /* by name: number of the record, from 1 */
    gs_i128 gpu_milli_ns;
    int64_t gpu_jobs, shares, never_ends, estimates, max_gpus, first, last;
    struct gs_tally sizes, queues, kinds, users;
};

/* ---- A row ------------------------------------------------------------------------------------- */

/* An optional number: absent leaves *out as it is. */
static enum gs_rc optional(struct gs_row *r, const char *const *v, enum gs_job_column k, int scale,
                           int64_t max, int64_t *out)
{
    if (!*v[k])
        return GS_OK;
    return scale ? gs_row_scaled(r, fields[k].name, v[k], scale, max, out)
                 : gs_row_int(r, fields[k].name, v[k], max, out);
}

/* An optional word out of a table. */
static enum gs_rc word(struct gs_row *r, const char *const *v, enum gs_job_column k,
                       const char *(*spelling)(int), int count, uint8_t *out)
{
    if (!*v[k])
        return GS_OK;
    struct gs_buf known = {0};
    gs_buf_str(&known, "is none of:");
    enum gs_rc rc = GS_E_INPUT;
    for (int i = 0; i < count && rc != GS_OK; i++) {
        gs_buf_fmt(&known, "%s %s", i ? "," : "", spelling(i));
        if (strcmp(v[k], spelling(i)) == 0) {
            *out = (uint8_t)i;
            rc = GS_OK;
        }
    }
    if (rc != GS_OK)
        rc = gs_row_bad(r, "unknown word", fields[k].name, v[k], gs_buf_cstr(&known));
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

static const char *estimate_word(int i)
{
    return gs_est_source_str((enum gs_est_source)i);
}

static const char *duration_word(int i)
{
    static const char *const words[GS_DURATION_COUNT] = {
#define X(U, l) #l,
        GS_DURATION_SOURCES(X)
#undef X
    };
    return words[i];
}

static enum gs_rc take_moment(struct gs_scan *s, struct gs_row *r, const char *const *v,
                              enum gs_job_column k, int64_t *out)
{
    struct own *own = s->own;
    const char *column = fields[k].name;
    const int clock = strchr(v[k], ':') != NULL;
    if (own->by_clock < 0)
        own->by_clock = clock;
    if (*v[k] && clock != own->by_clock)
        return gs_row_bad(
            r, k == GS_COL_SUBMIT ? "two ways to write submit" : "two ways to write times", column,
            v[k], "is not written like the rows before: seconds or wall clock, not both");
    return clock ? gs_row_clock(s, r, column, v[k], out) : gs_row_seconds(r, column, v[k], out);
}

static enum gs_rc take_times(struct gs_scan *s, struct gs_row *r, const char *const *v,
                             struct gs_job *j)
{
    enum gs_rc rc = take_moment(s, r, v, GS_COL_SUBMIT, &j->submit_ns);
    if (rc == GS_OK && *v[GS_COL_START])
        rc = take_moment(s, r, v, GS_COL_START, &j->start_ns);
    if (rc != GS_OK)
        return rc;
    if (strcmp(v[GS_COL_DURATION], GS_NEVER_ENDS) == 0) {
        j->run_ns = GS_NEVER;
        j->duration_source = GS_DURATION_ENDLESS;
    } else {
        rc = gs_row_seconds(r, "duration", v[GS_COL_DURATION], &j->run_ns);
    }
    if (rc == GS_OK && *v[GS_COL_ESTIMATE]) {
        rc = gs_row_seconds(r, "estimate", v[GS_COL_ESTIMATE], &j->est_ns);
        j->est_source = GS_EST_USER;
    }
    return rc;
}

/* tasks and task_gpus, one of them, both or neither: gpus = (tasks - 1) * task_gpus + the last task's. */
static enum gs_rc take_gang(struct gs_scan *s, struct gs_row *r, const char *const *v,
                            struct gs_job *j)
{
    int64_t tasks = 0;
    int64_t each = 0;
    enum gs_rc rc = optional(r, v, GS_COL_TASKS, 0, GS_TRACE_GPUS_MAX, &tasks);
    if (rc == GS_OK)
        rc = optional(r, v, GS_COL_TASK_GPUS, 0, GS_TRACE_GPUS_MAX, &each);
    if (rc != GS_OK)
        return rc;
    if (j->gpus == 0) {
        j->tasks = tasks ? (uint32_t)tasks : 1;
        return each ? gs_row_bad(r, "tasks contradict gpus", "task_gpus", v[GS_COL_TASK_GPUS],
                                 "contradicts gpus 0")
                    : GS_OK;
    }
    if (*v[GS_COL_MIG]) { /* an instance each */
        if (each > 1 || (tasks && tasks != j->gpus) || j->share_milli != 1000)
            return gs_row_bad(r, "mig contradicts tasks", "mig", v[GS_COL_MIG],
                              "is one instance a task: gpus 1 a task, and no share");
        each = 1;
    }
    if (tasks == 0 && each == 0) {
        gs_scan_split(s, j);
        return GS_OK;
    }
    if (each == 0)
        each = (j->gpus + tasks - 1) / tasks;
    const int64_t need = (j->gpus + each - 1) / each;
    if (tasks && tasks != need)
        return gs_row_bad(r, "tasks contradict gpus", "tasks", v[GS_COL_TASKS],
                          "contradicts gpus: all tasks but the last must be equal, none empty");
    j->tasks = (uint32_t)need;
    j->task_gpus = (uint32_t)(each < j->gpus ? each : j->gpus);
    j->cpus_milli = s->o->cpus_per_gpu_milli * j->task_gpus;
    j->mem_mib = s->o->mem_per_gpu_mib * j->task_gpus;
    return GS_OK;
}

static enum gs_rc take_size(struct gs_scan *s, struct gs_row *r, const char *const *v,
                            struct gs_job *j)
{
    int64_t gpus = 0;
    int64_t share = 1000;
    int64_t gpu_mem = 0;
    int64_t nodes = 0;
    enum gs_rc rc = gs_row_int(r, "gpus", v[GS_COL_GPUS], GS_TRACE_GPUS_MAX, &gpus);
    if (rc == GS_OK)
        rc = optional(r, v, GS_COL_SHARE, 3, 1000, &share);
    if (rc == GS_OK)
        rc = optional(r, v, GS_COL_GPU_MEMORY, 0, UINT32_MAX, &gpu_mem);
    if (rc == GS_OK)
        rc = optional(r, v, GS_COL_NODES, 0, GS_TRACE_GPUS_MAX, &nodes);
    if (rc != GS_OK)
        return rc;
    j->gpus = (uint32_t)gpus;
    j->share_milli = (uint32_t)share;
    j->gpu_mem_mib = (uint32_t)gpu_mem;
    j->nodes = (uint32_t)nodes;
    rc = take_gang(s, r, v, j);
    if (rc == GS_OK && (share == 0 || (share < 1000 && j->task_gpus != 1)))
        rc = gs_row_bad(r, "share contradicts gpus", "share", v[GS_COL_SHARE],
                        share ? "is a share of one GPU, but gpus is not 1 a task" : "is no share");
    if (rc == GS_OK)
        rc = optional(r, v, GS_COL_CPUS, 3, GS_TRACE_CPUS_MAX, &j->cpus_milli);
    if (rc == GS_OK)
        rc = optional(r, v, GS_COL_MEMORY, 0, GS_TRACE_MEMORY_MAX, &j->mem_mib);
    return rc;
}

static enum gs_rc take_priority(struct gs_row *r, const char *s, int32_t *out)
{
    int64_t x = 0;
    if (!*s)
        return GS_OK;
    if (gs_decimal_read(s, 0, &x) != GS_DECIMAL_OK || x < INT32_MIN || x > INT32_MAX)
        return gs_row_bad(r, "not a priority", "priority", s, "is not a whole number of 32 bits");
    *out = (int32_t)x;
    return GS_OK;
}

static enum gs_rc take_flag(struct gs_row *r, const char *const *v, enum gs_job_column k,
                            enum gs_job_flags flag, struct gs_job *j)
{
    int yes = 0;
    if (*v[k] && gs_parse_bool(v[k], &yes, NULL) != GS_OK)
        return gs_row_bad(r, "unknown word", fields[k].name, v[k], "is neither yes nor no");
    if (yes)
        j->flags |= (uint16_t)flag;
    return GS_OK;
}

static enum gs_rc take_words(struct gs_row *r, const char *const *v, struct gs_job *j)
{
    enum gs_rc rc = word(r, v, GS_COL_KIND, kind_word, GS_KIND_COUNT, &j->kind);
    if (rc == GS_OK)
        rc = word(r, v, GS_COL_STATE, state_word, GS_END_COUNT, &j->end_state);
    if (rc == GS_OK)
        rc = word(r, v, GS_COL_ESTIMATE_SOURCE, estimate_word, GS_EST_COUNT, &j->est_source);
    if (rc == GS_OK)
        rc = word(r, v, GS_COL_DURATION_SOURCE, duration_word, GS_DURATION_COUNT,
                  &j->duration_source);
    if (rc == GS_OK)
        rc = take_priority(r, v[GS_COL_PRIORITY], &j->priority);
    if (rc == GS_OK)
        rc = take_flag(r, v, GS_COL_PREEMPTIBLE, GS_JOB_PREEMPTIBLE, j);
    if (rc == GS_OK)
        rc = take_flag(r, v, GS_COL_CHECKPOINTS, GS_JOB_CHECKPOINTS, j);
    return rc;
}

/* 74:failed+193182:completed */
static enum gs_rc take_attempts(struct gs_scan *s, struct gs_row *r, const char *list)
{
    while (*list) {
        char text[64];
        const size_t n = strcspn(list, "+");
        if (n >= sizeof text)
            return gs_row_bad(r, "not an attempt", "attempts", list, "is no list of SECONDS:STATE");
        memcpy(text, list, n);
        text[n] = '\0';
        char *colon = strchr(text, ':');
        uint8_t state = GS_END_UNKNOWN;
        if (colon) {
            *colon = '\0';
            const char *v[GS_COL_COUNT] = {[GS_COL_STATE] = colon + 1};
            const enum gs_rc rc = word(r, v, GS_COL_STATE, state_word, GS_END_COUNT, &state);
            if (rc != GS_OK)
                return rc;
        }
        int64_t run_ns = 0;
        const enum gs_rc rc = gs_row_seconds(r, "attempts", text, &run_ns);
        if (rc != GS_OK)
            return rc;
        gs_scan_attempt(s, run_ns, (enum gs_end_state)state);
        list += n + (list[n] == '+');
    }
    return GS_OK;
}

/* The job that this one waits for stands in an earlier row. */
static enum gs_rc take_after(struct gs_scan *s, struct gs_row *r, const char *const *v,
                             struct gs_job *j)
{
    struct own *own = s->own;
    const char *name = v[GS_COL_AFTER];
    if (!*name)
        return GS_OK;
    const uint32_t id = gs_intern(s->str, name);
    j->after = id < own->place.n ? own->place.v[id] : 0;
    if (!j->after)
        return gs_row_bad(r, "waits for an unknown job", "after", name,
                          "is the name of no job in a row before");
    return *v[GS_COL_THINK] ? gs_row_seconds(r, "think", v[GS_COL_THINK], &j->think_ns) : GS_OK;
}

static enum gs_rc take_names(struct gs_scan *s, struct gs_row *r, const char *const *v,
                             struct gs_job *j)
{
    struct own *own = s->own;
    j->queue = gs_intern(s->str, v[GS_COL_QUEUE]);
    j->user = gs_intern(s->str, v[GS_COL_USER]);
    j->models = gs_intern(s->str, v[GS_COL_GPU]);
    j->ran_on = gs_intern(s->str, v[GS_COL_RAN_ON]);
    j->mig = gs_intern(s->str, v[GS_COL_MIG]);
    enum gs_rc rc = take_after(s, r, v, j);
    j->name = gs_intern(s->str, v[GS_COL_NAME]);
    if (rc == GS_OK)
        rc = gs_scan_unique(s, r, "name", j->name);
    if (rc != GS_OK || !j->name)
        return rc;
    while (own->place.n <= j->name)
        gs_vec_push(&own->place, 0);
    own->place.v[j->name] = (uint32_t)s->records + 1;
    return GS_OK;
}

static void count(struct own *own, const struct gs_scan *s, const struct gs_job *j)
{
    own->gpu_jobs += j->gpus > 0;
    own->shares += j->share_milli < 1000;
    own->never_ends += j->run_ns == GS_NEVER;
    own->estimates += j->est_ns >= 0;
    own->first = j->submit_ns < own->first ? j->submit_ns : own->first;
    own->last = j->submit_ns > own->last ? j->submit_ns : own->last;
    own->max_gpus = j->gpus > own->max_gpus ? j->gpus : own->max_gpus;
    if (j->run_ns != GS_NEVER)
        own->gpu_milli_ns += (gs_i128)j->run_ns * j->gpus * j->share_milli;
    gs_tally_number(&own->sizes, j->gpus, 1);
    gs_tally_text(&own->kinds, kind_word(j->kind), 1);
    gs_tally_text(&own->queues, gs_intern_str(s->str, j->queue), 1);
    if (j->user)
        gs_tally_text(&own->users, gs_intern_str(s->str, j->user), 1);
}

/* Attributes whose key is also a column's name stand under a prefix. */
static void strip_prefix(struct gs_scan *s)
{
    const size_t n = sizeof GS_ATTR_PREFIX - 1;
    for (size_t i = 0; i < s->attrs.n; i++) {
        const char *key = gs_intern_str(s->str, s->attrs.v[i].key);
        if (strncmp(key, GS_ATTR_PREFIX, n) == 0)
            s->attrs.v[i].key = gs_intern(s->str, key + n);
    }
}

static void look_at_header(struct gs_scan *s)
{
    struct own *own = s->own;
    for (int i = 0; i < GS_COL_COUNT; i++) {
        const char *name = gs_trace_column(s->o, fields[i].name);
        own->lacks |= (uint32_t)(gs_csv_find(s->table, name) == GS_CSV_NONE) << i;
    }
}

static void count_lacks(struct gs_scan *s)
{
    const struct own *own = s->own;
    if (own->lacks >> GS_COL_ESTIMATE & 1)
        gs_count_assume(s->n, "no column 'estimate'", s->n->emitted);
    if ((own->lacks >> GS_COL_CPUS & 1) && s->o->cpus_per_gpu_milli == 0)
        gs_count_assume(s->n, "no column 'cpus': none asked for", s->n->emitted);
    if ((own->lacks >> GS_COL_MEMORY & 1) && s->o->mem_per_gpu_mib == 0)
        gs_count_assume(s->n, "no column 'memory': none asked for", s->n->emitted);
}

static enum gs_rc row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct gs_job j = gs_scan_new_job(s, r->line);
    j.kind = GS_KIND_TRAINING;
    if (s->records == 0)
        look_at_header(s);
    enum gs_rc rc = take_times(s, r, v, &j);
    if (rc == GS_OK)
        rc = take_size(s, r, v, &j);
    if (rc == GS_OK)
        rc = take_words(r, v, &j);
    if (rc == GS_OK)
        rc = take_attempts(s, r, v[GS_COL_ATTEMPTS]);
    if (rc == GS_OK)
        rc = take_names(s, r, v, &j);
    if (rc != GS_OK)
        return rc;
    if (s->info)
        count(s->own, s, &j);
    strip_prefix(s);
    return gs_scan_job(s, &j);
}

/* ---- The file ---------------------------------------------------------------------------------- */

static void show(struct gs_scan *s, struct gs_info *f)
{
    struct own *own = s->own;
    gs_info_int(f, "rows", s->records);
    gs_info_int(f, "gpu_jobs", own->gpu_jobs);
    gs_info_int(f, "share_jobs", own->shares);
    gs_info_int(f, "never_ending_jobs", own->never_ends);
    gs_info_decimal(f, "gpu_seconds", own->gpu_milli_ns, 12);
    if (s->records && own->by_clock > 0) {
        gs_info_clock(f, "first_submit", gs_zone_local(&s->zone, own->first));
        gs_info_clock(f, "last_submit", gs_zone_local(&s->zone, own->last));
    } else if (s->records) {
        gs_info_decimal(f, "first_submit", own->first, 9);
        gs_info_decimal(f, "last_submit", own->last, 9);
    }
    gs_info_int(f, "rows_out_of_order", (int64_t)s->n->out_of_order);
    gs_info_int(f, "max_gpus", own->max_gpus);
    gs_info_int(f, "estimates", own->estimates);
    gs_info_tally(f, "gpu_histogram", &own->sizes, SIZE_MAX);
    gs_info_tally(f, "kinds", &own->kinds, SIZE_MAX);
    gs_info_tally(f, "queues", &own->queues, SIZE_MAX);
    gs_info_int(f, "users", (int64_t)gs_tally_distinct(&own->users));
}

const char *gs_trace_column(const struct gs_trace_options *o, const char *key)
{
    for (size_t i = 0; i + 1 < o->ncolumns; i += 2) {
        if (strcmp(o->columns[i], key) == 0)
            return o->columns[i + 1];
    }
    return key;
}

static const struct gs_table table = {
    .fields = fields, .nfields = GS_COL_COUNT, .keep_unknown = 1, .row = row, .show = show};

/* The fields under the names that the scenario gives them. A column that it names must be there, also one that a file may lack. */
static enum gs_rc map_columns(const struct gs_trace_options *o, struct gs_field *called,
                              struct gs_err *err)
{
    for (size_t i = 0; i < GS_COL_COUNT; i++)
        called[i] = fields[i];
    for (size_t p = 0; p + 1 < o->ncolumns; p += 2) {
        size_t i = 0;
        while (i < GS_COL_COUNT && strcmp(fields[i].name, o->columns[p]) != 0)
            i++;
        if (i == GS_COL_COUNT)
            return gs_fail(err, GS_E_INPUT,
                           "column.%s: gsim's CSV has no column '%s' (traces/README.md lists them)",
                           o->columns[p], o->columns[p]);
        called[i].name = o->columns[p + 1];
        called[i].flags &= ~GS_FIELD_OPTIONAL;
    }
    return GS_OK;
}

static enum gs_rc scan(struct gs_scan *s)
{
    struct own own = {.by_clock = -1, .first = GS_NEVER, .last = INT64_MIN};
    struct gs_field called[GS_COL_COUNT];
    enum gs_rc rc = map_columns(s->o, called, s->err);
    if (rc != GS_OK)
        return rc;
    struct gs_table mapped = table;
    mapped.fields = called;
    s->own = &own;
    rc = gs_table_scan(s, &mapped);
    count_lacks(s);
    gs_vec_free(&own.place);
    gs_tally_free(&own.sizes);
    gs_tally_free(&own.queues);
    gs_tally_free(&own.kinds);
    gs_tally_free(&own.users);
    return rc;
}

static int guess(const struct gs_probe *p)
{
    return gs_table_fits(&table, p->head);
}

const struct gs_reader gs_reader_gsim = {
    .name = "gsim",
    .what = "gsim's own CSV: submit, duration, gpus and more (traces/README.md)",
    .units =
        "submit s from any zero or wall clock, durations s, whole GPUs and a share, cores, MiB",
    .flags = GS_READER_IDS | GS_READER_ESTIMATE | GS_READER_COLUMNS,
    .guess = guess,
    .scan = scan};

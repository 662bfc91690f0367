/* write_gsim.c - jobs as gsim's own CSV: everything that a trace can tell of a job, so that reading it back gives the same jobs.
 *
 * Columns from `start` on appear only if some job uses them, attributes as a column each, in order of first use. Times count from the
 * earliest submission, or are wall clocks. The only thing that is not carried is a dependence on a job without a name. */
#include "sim/base/units.h"
#include "traces/decimal.h"
#include "traces/gsim_csv.h"
#include "traces/write.h"

#include <string.h>

#include "sim/base/banned.h"

#define X(U, l) #l,
static const char *const columns[GS_COL_COUNT] = {GS_JOB_COLUMNS(X)};
static const char *const duration_sources[GS_DURATION_COUNT] = {GS_DURATION_SOURCES(X)};
#undef X

void gs_write_field(struct gs_buf *out, const char *s)
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

void gs_write_time(struct gs_writing *w, int64_t ns)
{
    if (!w->clock) {
        gs_decimal_add(&w->out, (gs_i128)ns - w->seen->earliest_ns, 9);
        return;
    }
    char text[64];
    const int64_t unix_ns = w->seen->unix_ns + ns;
    gs_buf_str(&w->out,
               gs_show_clock(unix_ns, gs_zone_offset(&w->seen->zone, unix_ns), text, sizeof text));
}

static uint32_t bit(enum gs_job_column column, int on)
{
    return on ? UINT32_C(1) << column : 0;
}

uint32_t gs_job_columns(const struct gs_job *j)
{
    const int usual_estimate = j->est_source == (j->est_ns < 0 ? GS_EST_NONE : GS_EST_USER);
    const int usual_duration =
        j->duration_source == GS_DURATION_TRACE || j->duration_source == GS_DURATION_ENDLESS;
    return bit(GS_COL_START, j->start_ns >= 0) | bit(GS_COL_ATTEMPTS, j->attempts > 0) |
           bit(GS_COL_NODES, j->nodes > 0) | bit(GS_COL_RAN_ON, j->ran_on != 0) |
           bit(GS_COL_AFTER, j->after != 0) | bit(GS_COL_THINK, j->after != 0 && j->think_ns != 0) |
           bit(GS_COL_CHECKPOINTS, (j->flags & GS_JOB_CHECKPOINTS) != 0) |
           bit(GS_COL_ESTIMATE_SOURCE, !usual_estimate) |
           bit(GS_COL_DURATION_SOURCE, !usual_duration) | bit(GS_COL_MIG, j->mig != 0);
}

/* ---- The header -------------------------------------------------------------------------------- */

static int is_column(const char *key)
{
    for (int i = 0; i < GS_COL_COUNT; i++) {
        if (strcmp(key, columns[i]) == 0)
            return 1;
    }
    return 0;
}

static int in_use(const struct gs_writing *w, enum gs_job_column column)
{
    return column < GS_COL_EXTRAS || (w->seen->job_columns >> column & 1);
}

static void begin(struct gs_writing *w)
{
    for (int i = 0; i < GS_COL_COUNT; i++) {
        if (in_use(w, (enum gs_job_column)i))
            gs_buf_fmt(&w->out, "%s%s", i ? "," : "", columns[i]);
    }
    for (size_t k = 0; k < w->seen->keys.ids.n; k++) {
        struct gs_buf name = {0};
        const char *key = gs_intern_str(w->str, w->seen->keys.ids.v[k]);
        const int clash =
            !*key || is_column(key) || strncmp(key, GS_ATTR_PREFIX, sizeof GS_ATTR_PREFIX - 1) == 0;
        gs_buf_fmt(&name, "%s%s", clash ? GS_ATTR_PREFIX : "", key);
        gs_buf_str(&w->out, ",");
        gs_write_field(&w->out, gs_buf_cstr(&name));
        gs_buf_free(&name);
    }
    gs_buf_str(&w->out, "\n");
}

/* ---- A row ------------------------------------------------------------------------------------- */

static void add_text(struct gs_writing *w, uint32_t id)
{
    gs_write_field(&w->out, gs_intern_str(w->str, id));
}

/* 74:failed+193182:completed, seconds; a state that is not known is left out. */
static void add_attempts(struct gs_buf *out, const struct gs_written_job *j)
{
    for (uint32_t i = 0; i < j->j->attempts; i++) {
        const struct gs_job_attempt *a = &j->attempts[i];
        gs_buf_str(out, i ? "+" : "");
        gs_decimal_add(out, a->run_ns, 9);
        if (a->end_state != GS_END_UNKNOWN)
            gs_buf_fmt(out, ":%s", gs_end_state_str((enum gs_end_state)a->end_state));
    }
}

static void add_after(struct gs_writing *w, const struct gs_job *j)
{
    const uint32_t name = j->after && j->after <= w->names.n ? w->names.v[j->after - 1] : 0;
    if (j->after && !name)
        gs_lost(w, "a dependence on a job without a name");
    add_text(w, name);
}

static void add_size(struct gs_writing *w, const struct gs_job *j, enum gs_job_column column)
{
    struct gs_buf *out = &w->out;
    switch ((int)column) {
    case GS_COL_GPUS: gs_buf_fmt(out, "%u", j->gpus); break;
    case GS_COL_TASKS: gs_buf_fmt(out, "%u", j->tasks); break;
    case GS_COL_TASK_GPUS:
        if (j->gpus)
            gs_buf_fmt(out, "%u", j->task_gpus);
        break;
    case GS_COL_SHARE: gs_decimal_add(out, j->share_milli ? j->share_milli : 1000, 3); break;
    case GS_COL_GPU_MEMORY: gs_buf_fmt(out, "%u", j->gpu_mem_mib); break;
    case GS_COL_CPUS: gs_decimal_add(out, j->cpus_milli, 3); break;
    case GS_COL_MEMORY: gs_buf_fmt(out, "%lld", (long long)j->mem_mib); break;
    case GS_COL_NODES:
        if (j->nodes)
            gs_buf_fmt(out, "%u", j->nodes);
        break;
    default: gs_panic(__FILE__, __LINE__, "require", "a column of size");
    }
}

static void add_times(struct gs_writing *w, const struct gs_job *j, enum gs_job_column column)
{
    struct gs_buf *out = &w->out;
    switch ((int)column) {
    case GS_COL_SUBMIT: gs_write_time(w, j->submit_ns); break;
    case GS_COL_DURATION:
        if (j->run_ns == GS_NEVER)
            gs_buf_str(out, GS_NEVER_ENDS);
        else
            gs_decimal_add(out, j->run_ns, 9);
        break;
    case GS_COL_ESTIMATE:
        if (j->est_ns >= 0)
            gs_decimal_add(out, j->est_ns, 9);
        break;
    case GS_COL_START:
        if (j->start_ns >= 0)
            gs_write_time(w, j->start_ns);
        break;
    case GS_COL_THINK:
        if (j->after)
            gs_decimal_add(out, j->think_ns, 9);
        break;
    default: gs_panic(__FILE__, __LINE__, "require", "a column of time");
    }
}

static void add_column(struct gs_writing *w, const struct gs_written_job *row,
                       enum gs_job_column column)
{
    const struct gs_job *j = row->j;
    struct gs_buf *out = &w->out;
    switch (column) {
    case GS_COL_NAME: add_text(w, j->name); break;
    case GS_COL_QUEUE: add_text(w, j->queue); break;
    case GS_COL_USER: add_text(w, j->user); break;
    case GS_COL_GPU: add_text(w, j->models); break;
    case GS_COL_RAN_ON: add_text(w, j->ran_on); break;
    case GS_COL_MIG: add_text(w, j->mig); break;
    case GS_COL_KIND: gs_buf_str(out, gs_job_kind_str((enum gs_job_kind)j->kind)); break;
    case GS_COL_PRIORITY: gs_buf_fmt(out, "%d", j->priority); break;
    case GS_COL_STATE: gs_buf_str(out, gs_end_state_str((enum gs_end_state)j->end_state)); break;
    case GS_COL_PREEMPTIBLE: gs_buf_str(out, j->flags & GS_JOB_PREEMPTIBLE ? "yes" : "no"); break;
    case GS_COL_CHECKPOINTS: gs_buf_str(out, j->flags & GS_JOB_CHECKPOINTS ? "yes" : "no"); break;
    case GS_COL_ATTEMPTS: add_attempts(out, row); break;
    case GS_COL_AFTER: add_after(w, j); break;
    case GS_COL_ESTIMATE_SOURCE:
        gs_buf_str(out, gs_est_source_str((enum gs_est_source)j->est_source));
        break;
    case GS_COL_DURATION_SOURCE: gs_buf_str(out, duration_sources[j->duration_source]); break;
    case GS_COL_SUBMIT:
    case GS_COL_DURATION:
    case GS_COL_ESTIMATE:
    case GS_COL_START:
    case GS_COL_THINK: add_times(w, j, column); break;
    case GS_COL_GPUS:
    case GS_COL_TASKS:
    case GS_COL_TASK_GPUS:
    case GS_COL_SHARE:
    case GS_COL_GPU_MEMORY:
    case GS_COL_CPUS:
    case GS_COL_MEMORY:
    case GS_COL_NODES: add_size(w, j, column); break;
    case GS_COL_COUNT: gs_panic(__FILE__, __LINE__, "require", "a column");
    }
}

static int add_job(struct gs_writing *w, const struct gs_written_job *row)
{
    for (int i = 0; i < GS_COL_COUNT; i++) {
        if (!in_use(w, (enum gs_job_column)i))
            continue;
        gs_buf_str(&w->out, i ? "," : "");
        add_column(w, row, (enum gs_job_column)i);
    }
    for (size_t k = 0; k < w->seen->keys.ids.n; k++) {
        gs_buf_str(&w->out, ",");
        uint32_t i = 0;
        while (i < row->j->attrs && row->attrs[i].key != w->seen->keys.ids.v[k])
            i++;
        if (i < row->j->attrs)
            add_text(w, row->attrs[i].value);
    }
    gs_buf_str(&w->out, "\n");
    return 1;
}

const struct gs_target gs_target_gsim = {.name = "gsim",
                                         .what = "gsim's own CSV of jobs",
                                         .ending = ".csv",
                                         .can_clock = 1,
                                         .begin = begin,
                                         .job = add_job};

/* ---- A workload in memory ---------------------------------------------------------------------- */

void gs_trace_write_csv(const struct gs_workload *w, size_t first_job, struct gs_buf *out)
{
    gs_require(w && out && first_job <= w->jobs.n);
    struct gs_survey seen = {.unix_ns = GS_NEVER}; /* times as they are, from zero */
    struct gs_writing writing = {.str = w->str, .seen = &seen, .out = *out};
    for (size_t i = 0; i < w->jobs.n; i++) {
        const struct gs_job *j = &w->jobs.v[i];
        gs_vec_push(&writing.names, j->name);
        seen.job_columns |= i >= first_job ? gs_job_columns(j) : 0;
        for (uint32_t k = 0; i >= first_job && k < j->attrs; k++)
            (void)gs_legend_add(&seen.keys, w->attrs.v[j->attr_first + k].key);
    }
    begin(&writing);
    for (size_t i = first_job; i < w->jobs.n; i++) {
        struct gs_job j = w->jobs.v[i];
        const struct gs_written_job row = {&j, j.attempts ? w->attempts.v + j.attempt_first : NULL,
                                           j.attrs ? w->attrs.v + j.attr_first : NULL, i};
        j.queue = w->queues.v[j.queue].name;
        j.user = j.user == GS_NONE ? 0 : w->users.v[j.user];
        (void)add_job(&writing, &row);
    }
    *out = writing.out;
    gs_vec_free(&writing.names);
    gs_legend_free(&seen.keys);
}

/* gavel.c - job lists of Gavel and of Shockwave: TAB between fields, no header line, told apart by the number of fields.
 *
 *   7: job type, command, steps flag, needs data dir, total steps, arrival s, scale factor
 *  10: job type, command, working directory, steps flag, needs data dir, total steps, scale factor, priority weight, SLO, arrival s
 *  12: those of 10, with mode (static, accordion, gns) behind the scale factor and duration s before the arrival (Shockwave)
 *
 * The scale factor is the number of GPUs, not only powers of two. A list holds steps, not run times: run time = steps / (steps/s of
 * this job type on this GPU type at this scale), from a file of measured throughputs (throughputs.c). A scale that was not measured
 * takes the next lower one's steps/s per GPU; a type that was not measured, or with throughput 0, cannot run: dropped. Without
 * such a file Shockwave's own duration is the run time, and Gavel's lists are refused for replay, though not for `trace info`.
 * Invariant: run times are exact integers; no binary fraction is between steps and nanoseconds.
 * Source: Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads" (OSDI'20); Zheng et al.,
 * "Shockwave" (NSDI'23). */
#include "traces/decimal.h"
#include "traces/table.h"

#include <string.h>

#include "sim/base/banned.h"

#define STEPS_MAX    INT64_C(1000000000000)
#define SCALE_SEARCH 1024 /* no throughput is measured on more GPUs */
#define RATE_PLACES  12   /* decimals of steps/s */

struct lists {
    json_t *document;       /* of measured throughputs; NULL = none given */
    const json_t *measured; /* its part for the GPU type */
    int has_duration;
};

/* Columns that all layouts have, by position in the fields of their tables. */
struct layout {
    struct gs_table table;
    size_t job_type, steps, scale, arrival, slo, duration; /* SIZE_MAX = none */
};

#define STEPS_FIGURES                                                          \
    {.quantity = "jobs", .op = GS_FIG_ROWS},                                   \
        {.quantity = "sum_steps", .op = GS_FIG_SUM, .a = "total_steps"},       \
        {.quantity = "sum_scale", .op = GS_FIG_SUM, .a = "scale_factor"},      \
        {.quantity = "last_arrival", .op = GS_FIG_LAST, .a = "arrival"},       \
        {.quantity = "job_types", .op = GS_FIG_DISTINCT, .a = "job_type"},     \
    {                                                                          \
        .quantity = "scale_histogram", .op = GS_FIG_TALLY, .a = "scale_factor" \
    }

static const struct gs_figure figures[] = {STEPS_FIGURES};
static const struct gs_figure shockwave_figures[] = {
    STEPS_FIGURES,
    {.quantity = "sum_duration", .op = GS_FIG_SUM, .a = "duration"},
    {.quantity = "modes", .op = GS_FIG_TALLY, .a = "mode"}};

static const struct gs_field fields_7[] = {
    {"job_type", GS_FIELD_ATTR}, {"command", 0}, {"steps_flag", 0},  {"needs_data_dir", 0},
    {"total_steps", 0},          {"arrival", 0}, {"scale_factor", 0}};

static const struct gs_field fields_10[] = {{"job_type", GS_FIELD_ATTR},
                                            {"command", 0},
                                            {"working_directory", 0},
                                            {"steps_flag", 0},
                                            {"needs_data_dir", 0},
                                            {"total_steps", 0},
                                            {"scale_factor", 0},
                                            {"priority_weight", GS_FIELD_ATTR},
                                            {"slo", 0},
                                            {"arrival", 0}};

static const struct gs_field fields_12[] = {{"job_type", GS_FIELD_ATTR},
                                            {"command", 0},
                                            {"working_directory", 0},
                                            {"steps_flag", 0},
                                            {"needs_data_dir", 0},
                                            {"total_steps", 0},
                                            {"scale_factor", 0},
                                            {"mode", GS_FIELD_ATTR},
                                            {"priority_weight", GS_FIELD_ATTR},
                                            {"slo", 0},
                                            {"duration", 0},
                                            {"arrival", 0}};

static enum gs_rc row(struct gs_scan *s, struct gs_row *r, const char *const *v);
static void show(struct gs_scan *s, struct gs_info *f);

static const struct layout layouts[] = {
    {{GS_TABLE_FIELDS(fields_7), GS_TABLE_FIGURES(figures), .delimiter = '\t', .no_header = 1,
      .row = row, .show = show},
     0,
     4,
     6,
     5,
     SIZE_MAX,
     SIZE_MAX},
    {{GS_TABLE_FIELDS(fields_10), GS_TABLE_FIGURES(figures), .delimiter = '\t', .no_header = 1,
      .row = row, .show = show},
     0,
     5,
     6,
     9,
     8,
     SIZE_MAX},
    {{GS_TABLE_FIELDS(fields_12), GS_TABLE_FIGURES(shockwave_figures), .delimiter = '\t',
      .no_header = 1, .row = row, .show = show},
     0,
     5,
     6,
     11,
     9,
     10}};

struct own {
    struct lists l;
    const struct layout *y;
};

/* The layout of the first line that is not blank; NULL if it has another number of fields. */
static const struct layout *layout_of(const char *text)
{
    text += strspn(text, "\r\n");
    size_t n = 1;
    for (size_t i = 0, len = strcspn(text, "\r\n"); i < len; i++)
        n += text[i] == '\t';
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        if (layouts[i].table.nfields == n)
            return &layouts[i];
    }
    return NULL;
}

/* ---- Run time ---------------------------------------------------------------------------------- */

/* Steps/s alone of a job type at a scale, x 10^RATE_PLACES; -1 = not measured. */
static int64_t measured_rate(const json_t *measured, const char *type, int64_t scale)
{
    struct gs_buf key = {0};
    gs_buf_fmt(&key, "('%s', %lld)", type, (long long)scale);
    const json_t *entry = json_object_get(measured, gs_buf_cstr(&key));
    gs_buf_free(&key);
    char buf[64];
    int64_t rate = 0;
    return entry && gs_decimal_read(gs_json_text(entry, "null", buf, sizeof buf), RATE_PLACES,
                                    &rate) <= GS_DECIMAL_INEXACT
               ? rate
               : -1;
}

/* a / b, rounded half to even; both positive. */
static gs_i128 divide(gs_i128 a, gs_i128 b)
{
    const gs_i128 q = a / b;
    const gs_i128 twice = 2 * (a % b);
    return q + (twice > b || (twice == b && q % 2 != 0));
}

/* Run time from steps; a reason if there is none. */
static const char *run_time(struct gs_scan *s, const json_t *measured, const char *type,
                            int64_t steps, int64_t scale, int64_t *run_ns)
{
    int64_t at = scale < SCALE_SEARCH ? scale : SCALE_SEARCH;
    int64_t rate = -1;
    while (at > 0 && (rate = measured_rate(measured, type, at)) < 0)
        at--;
    if (rate < 0)
        return "no measured throughput of the job type";
    if (rate == 0)
        return "throughput 0: cannot run on this GPU type";
    if (at != scale)
        gs_count_assume(s->n, "scale not measured: steps/s per GPU of the next lower one", 1);
    gs_i128 work = (gs_i128)steps * GS_SECOND * at; /* below 2^107 with the 10^12 of the rate */
    for (int i = 0; i < RATE_PLACES; i++)
        work *= 10;
    const gs_i128 ns = divide(work, (gs_i128)rate * scale);
    if (ns > GS_TRACE_TIME_MAX)
        return "runs over 100 years at the measured throughput";
    *run_ns = (int64_t)ns;
    return NULL;
}

/* ---- Rows -------------------------------------------------------------------------------------- */

static enum gs_rc decode(struct gs_row *r, const struct layout *y, const char *const *v,
                         struct gs_job *j, int64_t *steps)
{
    int64_t scale = 0;
    enum gs_rc rc = gs_row_int(r, "total_steps", v[y->steps], STEPS_MAX, steps);
    if (rc == GS_OK)
        rc = gs_row_int(r, "scale_factor", v[y->scale], GS_TRACE_GPUS_MAX, &scale);
    if (rc == GS_OK)
        rc = gs_row_seconds(r, "arrival", v[y->arrival], &j->submit_ns);
    if (rc == GS_OK && y->duration != SIZE_MAX)
        rc = gs_row_seconds(r, "duration", v[y->duration], &j->run_ns);
    j->gpus = (uint32_t)scale;
    return rc;
}

static enum gs_rc row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    const struct own *o = s->own;
    const struct layout *y = o->y;
    struct gs_job j = gs_scan_new_job(s, r->line);
    int64_t steps = 0;
    const enum gs_rc rc = decode(r, y, v, &j, &steps);
    if (rc != GS_OK)
        return rc;
    const char *reason = j.gpus == 0 ? "no GPUs asked for" : NULL;
    if (!reason && o->l.measured) {
        reason = run_time(s, o->l.measured, v[y->job_type], steps, j.gpus, &j.run_ns);
        j.duration_source = GS_DURATION_STEPS;
    } else if (!reason && y->duration == SIZE_MAX) { /* only under `trace info` */
        gs_count_assume(s->n, "run time is a number of steps: `throughputs` would tell it", 1);
        j.run_ns = GS_NEVER;
        j.duration_source = GS_DURATION_ENDLESS;
    }
    if (reason) {
        gs_row_drop(r, reason);
        return GS_OK;
    }
    if (y->slo != SIZE_MAX && *v[y->slo] != '-')
        gs_scan_attr(s, "slo", v[y->slo]);
    j.kind = GS_KIND_TRAINING;
    gs_scan_split(s, &j);
    return gs_scan_job(s, &j);
}

static void show(struct gs_scan *s, struct gs_info *f)
{
    const struct own *o = s->own;
    char text[64];
    (void)gs_fmt(text, sizeof text, "%zu:%lld", o->y->table.nfields, (long long)s->n->rows);
    gs_info_text(f, "fields", text);
}

/* ---- Throughputs and the whole ----------------------------------------------------------------- */

static enum gs_rc no_such_gpu(const struct gs_trace_options *o, json_t *document, const char *gpu,
                              struct gs_err *err)
{
    struct gs_buf found = {0};
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(document, key, value)
    {
        gs_buf_fmt(&found, "%s%.40s", found.n ? ", " : "", key);
    }
    const enum gs_rc rc = gs_fail(
        err, GS_E_INPUT, "%s: no GPU type '%s' (found: %.300s): name one with `throughput_gpu`",
        o->throughputs, gpu, gs_buf_cstr(&found));
    gs_buf_free(&found);
    return rc;
}

static enum gs_rc load_throughputs(const struct gs_trace_options *o, struct lists *l,
                                   struct gs_trace_counts *n, struct gs_err *err)
{
    struct gs_input in;
    enum gs_rc rc = gs_input_open(&in, o->throughputs, NULL, err);
    if (rc == GS_OK)
        rc = gs_json_document(&in, &l->document, err);
    if (rc == GS_OK)
        rc = gs_count_beside(n, &in, err);
    gs_input_close(&in);
    if (rc != GS_OK)
        return gs_wrap(err, "throughputs");
    const char *gpu = o->throughput_gpu ? o->throughput_gpu : "v100";
    l->measured = json_object_get(l->document, gpu);
    return json_is_object(l->measured) ? GS_OK : no_such_gpu(o, l->document, gpu, err);
}

static int guess(const struct gs_probe *p)
{
    const struct layout *y = layout_of(p->text);
    if (!y)
        return 0;
    char line[4096];
    const char *s = p->text + strspn(p->text, "\r\n");
    const size_t n = strcspn(s, "\r\n");
    if (n >= sizeof line)
        return 0;
    memcpy(line, s, n);
    line[n] = '\0';
    const char *field[12];
    size_t k = 0;
    for (char *at = line; at; k++) {
        field[k] = at;
        at = strchr(at, '\t');
        if (at)
            *at++ = '\0';
    }
    int64_t x = 0;
    return gs_decimal_read(field[y->steps], 0, &x) == GS_DECIMAL_OK &&
           gs_decimal_read(field[y->scale], 0, &x) == GS_DECIMAL_OK &&
           gs_decimal_read(field[y->arrival], 9, &x) <= GS_DECIMAL_INEXACT &&
           gs_decimal_read(field[0], 0, &x) == GS_DECIMAL_NOT_A_NUMBER;
}

static enum gs_rc scan(struct gs_scan *s)
{
    enum gs_rc rc = gs_input_ahead(s->in, 65536, s->err);
    if (rc != GS_OK)
        return rc;
    struct own own = {.y = layout_of(s->in->text + s->in->at)};
    if (!own.y)
        return gs_fail(s->err, GS_E_INPUT,
                       "%s:1: the first line has not 7, 10 or 12 fields with a TAB between them",
                       s->in->shown);
    if (!s->o->throughputs && own.y->duration == SIZE_MAX && !s->info)
        return gs_fail(s->err, GS_E_INPUT,
                       "%s: this list holds steps, not run times: name a file of measured steps/s "
                       "with `throughputs` (and a GPU type with `throughput_gpu`)",
                       s->in->shown);
    if (s->o->throughputs)
        rc = load_throughputs(s->o, &own.l, s->n, s->err);
    s->own = &own;
    if (rc == GS_OK)
        rc = gs_table_scan(s, &own.y->table);
    s->own = NULL;
    json_decref(own.l.document);
    return rc;
}

const struct gs_reader gs_reader_gavel = {
    .name = "gavel",
    .what = "Gavel and Shockwave: job list (TAB, 7, 10 or 12 fields)",
    .units =
        "arrival s; run time = steps / measured steps/s, or Shockwave's duration s; whole GPUs",
    .flags = GS_READER_STEPS,
    .guess = guess,
    .scan = scan,
};

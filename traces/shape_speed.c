/* shape_speed.c - `normalise`: recorded run time is not work. Where a trace tells which GPU a job ran on, or on how many nodes, its
 * run time is divided by a stated slow-down, which gives the run time on the reference.
 *
 * Both tables are made of measurements that Gavel published (Narayanan et al., OSDI 2020; file simulation_throughputs.json of its
 * repository): steps a second of 26 training jobs on one K80, P100 and V100, and of 17 to 19 of them on 2, 4 and 8 GPUs, packed on as few
 * nodes as possible and not. A row is the geometric mean of the ratios and `spread` their geometric standard deviation: the figure of a
 * single job is within a factor of `spread` of it in about two cases of three. That is wide: these are corrections on average.
 *
 * Where the scenario has a network and says which part of the run time is communication, `placement` is the network's model
 * instead (sim/network/pace.h), so that replaying the recorded placement gives back the recorded run time, contention apart.
 *
 * A model that the table lacks is an error unless a default is named; a job of which nothing is recorded keeps its run time, or takes the
 * default. Both are counted. O(n log n), for the percentiles of the factor. */
#include "sim/base/mem.h"
#include "sim/base/sort.h"
#include "sim/base/units.h"
#include "traces/csv.h"
#include "traces/shape_parts.h"

#include <string.h>
#include <strings.h>

#include "sim/base/banned.h"

#define GAVEL "Gavel's isolated throughputs"

struct speed {
    const char *model;
    double speed; /* of one V100 */
    uint32_t pairs;
    double spread;
    const char *source;
};

static const struct speed speeds[] = {
    {"V100", 1, 26, 1, GAVEL},
    {"V100M16", 1, 26, 1, GAVEL ", V100"}, /* the same chip with other memory */
    {"V100M32", 1, 26, 1, GAVEL ", V100"},
    {"P100", 0.942976, 26, 1.586, GAVEL},
    {"K80", 0.297191, 26, 2.339, GAVEL},
};

/* Spread over more nodes than needed: throughput as a share of the packed one's. Rows of a model in rising order of gpus; a job takes the
 * last row with at most its GPUs. Model "" is the mean of the three. */
static const struct spread {
    const char *model;
    uint32_t gpus;
    double speed;
    uint32_t pairs;
    double spread;
} spreads[] = {
    {"V100", 2, 0.499655, 19, 1.781}, {"V100", 4, 0.522991, 19, 1.594},
    {"V100", 8, 0.333043, 19, 2.281}, {"P100", 2, 0.686776, 19, 1.297},
    {"P100", 4, 0.635984, 19, 1.313}, {"P100", 8, 0.709276, 19, 1.217},
    {"K80", 2, 0.933805, 17, 1.195},  {"K80", 4, 0.996630, 17, 1.163},
    {"K80", 8, 1.011245, 17, 1.133},  {"", 2, 0.676609, 55, 1.578},
    {"", 4, 0.682966, 55, 1.521},     {"", 8, 0.609551, 55, 1.973},
};

#define NSPREADS (sizeof spreads / sizeof *spreads)

/* ---- the table of models ---- */

struct speed_table {
    GS_VEC(struct speed) rows;
    struct gs_arena text;
};

static enum gs_rc read_row(struct speed_table *t, const struct gs_csv *csv, size_t model,
                           size_t speed, struct gs_err *err)
{
    struct speed row = {.source = "the scenario's table"};
    if (gs_csv_fields(csv) != gs_csv_columns(csv))
        return gs_fail(err, GS_E_INPUT, "line %lld: %zu fields, the header has %zu",
                       (long long)csv->line, gs_csv_fields(csv), gs_csv_columns(csv));
    const char *name = gs_csv_field(csv, model);
    if (gs_parse_real(gs_csv_field(csv, speed), &row.speed, err))
        return gs_wrap(err, "line %lld: speed", (long long)csv->line);
    if (!(row.speed >= 1e-6 && row.speed <= 1e6))
        return gs_fail(err, GS_E_INPUT, "line %lld: speed '%s' is not within 1e-6 to 1e6",
                       (long long)csv->line, gs_csv_field(csv, speed));
    row.model = gs_arena_str(&t->text, name, strlen(name));
    gs_vec_push(&t->rows, row);
    return GS_OK;
}

static enum gs_rc read_rows(struct speed_table *t, struct gs_input *in, struct gs_err *err)
{
    struct gs_csv csv = {0};
    size_t model = 0, speed = 0;
    int more = 1;
    enum gs_rc rc = gs_csv_open(&csv, in, err);
    if (rc)
        return rc;
    rc = gs_csv_need(&csv, "model", &model, err);
    if (!rc)
        rc = gs_csv_need(&csv, "speed", &speed, err);
    while (!rc && more) {
        rc = gs_csv_next(&csv, &more, err);
        if (!rc && more)
            rc = read_row(t, &csv, model, speed, err);
    }
    gs_csv_close(&csv);
    return rc;
}

static enum gs_rc load_table(struct speed_table *t, const char *path, struct gs_err *err)
{
    if (!path) {
        for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
            gs_vec_push(&t->rows, speeds[i]);
        return GS_OK;
    }
    struct gs_input in;
    enum gs_rc rc = gs_input_open(&in, path, NULL, err);
    if (rc)
        return rc;
    rc = read_rows(t, &in, err);
    gs_input_close(&in);
    if (!rc && t->rows.n == 0)
        rc = gs_fail(err, GS_E_INPUT, "no rows");
    return rc ? gs_wrap(err, "normalise: table '%s'", path) : GS_OK;
}

static const struct speed *find_model(const struct speed_table *t, const char *model)
{
    for (size_t i = 0; i < t->rows.n; i++)
        if (strcasecmp(t->rows.v[i].model, model) == 0)
            return &t->rows.v[i];
    return NULL;
}

static enum gs_rc find_reference(const struct speed_table *t, const char *name,
                                 const struct speed **out, struct gs_err *err)
{
    *out = &t->rows.v[0];
    for (size_t i = 1; i < t->rows.n && !name; i++)
        if (t->rows.v[i].speed > (*out)->speed)
            *out = &t->rows.v[i];
    if (!name)
        return GS_OK;
    *out = find_model(t, name);
    return *out ? GS_OK
                : gs_fail(err, GS_E_INPUT,
                          "normalise: reference '%s' is not in the table of speeds", name);
}

static enum gs_rc missing(const struct speed_table *t, const char *model, const struct gs_job *j,
                          struct gs_err *err)
{
    struct gs_buf known = {0};
    for (size_t i = 0; i < t->rows.n && i < 12; i++)
        gs_buf_fmt(&known, "%s%s", i ? ", " : "", t->rows.v[i].model);
    gs_fail(
        err, GS_E_INPUT,
        "normalise: no speed is known of GPU '%s' (row %lld; known are %s): give default=SPEED, "
        "as a share of the reference's, or table=FILE with columns model and speed",
        model, (long long)j->row, gs_buf_cstr(&known));
    gs_buf_free(&known);
    return GS_E_INPUT;
}

/* ---- the factor of a job ---- */

enum found {
    FOUND,
    NOTHING_RECORDED,
    DEFAULTED
};

static enum gs_rc gpu_factor(const struct gs_shaping *s, const struct speed_table *t,
                             const struct speed *ref, const struct gs_job *j, double *factor,
                             enum found *how, struct gs_err *err)
{
    *how = FOUND;
    *factor = s->o->default_speed > 0 ? 1 / s->o->default_speed : 1;
    if (j->ran_on == 0) {
        *how = NOTHING_RECORDED;
        return GS_OK;
    }
    const struct speed *row = find_model(t, gs_intern_str(s->w->str, j->ran_on));
    gs_require(ref);
    if (row)
        *factor = ref->speed / row->speed;
    else if (s->o->default_speed > 0)
        *how = DEFAULTED;
    else
        return missing(t, gs_intern_str(s->w->str, j->ran_on), j, err);
    return GS_OK;
}

/* Is the model one that the table of placements has rows of? Else the mean of all. */
static const char *spread_model(const struct gs_shaping *s, const struct gs_job *j)
{
    const char *model = j->ran_on ? gs_intern_str(s->w->str, j->ran_on) : "";
    if (strncasecmp(model, "V100", 4) == 0)
        model = "V100";
    for (size_t i = 0; i < NSPREADS; i++)
        if (strcasecmp(spreads[i].model, model) == 0)
            return spreads[i].model;
    return "";
}

/* Of 8 GPUs, as in the clusters that the public traces come from. */
static uint32_t nodes_needed(const struct gs_job *j)
{
    return (j->gpus + 7) / 8;
}

static void placement_factor(const struct gs_shaping *s, const struct gs_job *j, double *factor,
                             enum found *how)
{
    *how = FOUND;
    *factor = s->o->default_speed > 0 ? 1 / s->o->default_speed : 1;
    if (j->nodes == 0) {
        *how = NOTHING_RECORDED;
        return;
    }
    *factor = 1;
    if (s->site->slowdown) {
        *factor = s->site->slowdown(s->site->slowdown_ctx, j);
        return;
    }
    if (j->nodes <= nodes_needed(j))
        return;
    const char *model = spread_model(s, j);
    for (size_t i = 0; i < NSPREADS; i++)
        if (spreads[i].model == model && spreads[i].gpus <= j->gpus)
            *factor = 1 / spreads[i].speed;
}

/* ---- all jobs ---- */

static void say(struct gs_shaping *s, const struct speed *ref, double *factor, size_t n,
                size_t jobs)
{
    struct gs_shape_report *out = s->out;
    struct gs_sum sum = {0};
    for (size_t i = 0; i < n; i++)
        gs_sum_add(&sum, factor[i]);
    gs_sort_doubles(factor, n);
    out->factor_mean = n ? gs_sum_get(&sum) / (double)n : 0;
    out->factor_p50 = n ? gs_quantile(factor, n, 0.5) : 0;
    out->factor_p95 = n ? gs_quantile(factor, n, 0.95) : 0;
    gs_buf_fmt(
        &s->said,
        "run times divided by their slow-down against %s: mean %.4g, p50 %.4g, p95 %.4g over "
        "%zu jobs; %.4g %% of the jobs have no record and %s",
        ref ? ref->model : "a packed placement", out->factor_mean, out->factor_p50, out->factor_p95,
        n, jobs ? 100.0 * (double)out->without_data / (double)jobs : 0.0,
        s->o->default_speed > 0 ? "take the default" : "keep their run time");
    if (out->defaulted)
        gs_buf_fmt(&s->said, ", %llu ran on a model without a row and take the default",
                   (unsigned long long)out->defaulted);
    if (!ref && s->site->slowdown)
        gs_buf_fmt(&s->said, " (source: comm of the trace over the network of the scenario)\n");
    else
        gs_buf_fmt(&s->said, " (source: %s%s)\n", ref ? ref->source : GAVEL ", packed and spread",
                   ref && s->o->speeds
                       ? ""
                       : ": means over job types, of which a single one is off by up to x2.3");
}

enum gs_rc gs_shape_normalise(struct gs_shaping *s, struct gs_err *err)
{
    const int by_gpu = s->o->normalise == GS_NORMALISE_GPU;
    struct speed_table t = {0};
    const struct speed *ref = NULL;
    enum gs_rc rc = by_gpu ? load_table(&t, s->o->speeds, err) : GS_OK;
    if (!rc && by_gpu)
        rc = find_reference(&t, s->o->reference, &ref, err);
    double *factors = GS_NEW_N(double, s->w->jobs.n - s->first + 1);
    size_t n = 0, jobs = 0;
    for (size_t i = s->first; i < s->w->jobs.n && !rc; i++) {
        struct gs_job *j = &s->w->jobs.v[i];
        enum found how = FOUND;
        double factor = 1;
        if (j->gpus == 0 || j->run_ns == GS_NEVER)
            continue;
        jobs++;
        if (by_gpu)
            rc = gpu_factor(s, &t, ref, j, &factor, &how, err);
        else
            placement_factor(s, j, &factor, &how);
        if (rc)
            break;
        s->out->without_data += how == NOTHING_RECORDED;
        s->out->defaulted += how == DEFAULTED;
        if (how == NOTHING_RECORDED && !(s->o->default_speed > 0))
            continue;
        gs_shape_scale_work(s, j, 1 / factor, 0);
        j->duration_source = GS_DURATION_NORMALISED;
        factors[n++] = factor;
    }
    s->out->normalised = n;
    if (!rc)
        say(s, ref, factors, n, jobs);
    gs_free(factors);
    gs_vec_free(&t.rows);
    gs_arena_release(&t.text);
    return rc;
}

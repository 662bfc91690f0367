/* plotdata.c - from the columns of a results file to the few thousand numbers of its charts.
 *
 * Series are thinned to means over equal numbers of samples. Waits are those of counted jobs that were neither rejected nor replicas of a
 * service, sorted; a job that never started waits for ever (output.md's censoring). The heat map integrates /allocations exactly: each interval adds its
 * partial first and last cell and, through a difference array, the whole cells between, so the map costs O(intervals +
 * cells) however long intervals are. GPUs that were up come from /node_lives in the same way. */
#include "analysis/plotdata.h"

#include "sim/base/buf.h"
#include "sim/base/mem.h"
#include "sim/base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/banned.h"

#define MAP_ROWS 200u
#define MAP_COLS 300u

const char *const gs_plot_causes[GS_PLOT_CAUSES] = {"startup",     "held",          "quota",
                                                    "reservation", "order",         "scheduler",
                                                    "capacity",    "fragmentation", "topology"};

/* Column of exactly n values; NULL where it is missing or of another length. */
static double *column(struct gs_h5_in *in, const char *path, size_t n)
{
    size_t got;
    double *v = gs_h5_read_f64(in, path, &got);
    if (v && got != n) {
        gs_free(v);
        return NULL;
    }
    return v;
}

/* A reference as an index below n, or n where it points nowhere. */
static size_t index_of(double x, size_t n)
{
    return x >= 0 && x < (double)n ? (size_t)x : n;
}

/* ---- series --------------------------------------------------------------------------------- */

/* Means of `step` neighbours in place (times: the first); returns how many. */
static size_t thin(double *v, size_t n, size_t step, int is_time)
{
    size_t out = 0;
    for (size_t i = 0; v && i < n; i += step) {
        const size_t end = n - i < step ? n : i + step;
        double sum = 0;
        for (size_t k = i; k < end; k++)
            sum += v[k];
        v[out] = is_time ? v[i] : sum / (double)(end - i);
        out++;
    }
    return out;
}

static void load_series(struct gs_plot_run *r, struct gs_h5_in *in, size_t points)
{
    static const char *const names[] = {"gpus_total",   "gpus_allocated", "jobs_pending",
                                        "gpus_pending", "fragmentation",  "stranded_gpus"};
    struct gs_plot_series *s = &r->series;
    double **const to[] = {&s->total,        &s->allocated,     &s->jobs_pending,
                           &s->gpus_pending, &s->fragmentation, &s->stranded};
    size_t n;
    s->time_s = gs_h5_read_f64(in, "/series/cluster/time_s", &n);
    const size_t step = n / points + 1;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[64];
        gs_fmt(path, sizeof path, "/series/cluster/%s", names[k]);
        *to[k] = column(in, path, n);
    }
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        (void)thin(*to[k], n, step, 0);
    s->n = s->time_s && s->total && s->allocated ? thin(s->time_s, n, step, 1) : 0;
}

/* A figure of /summary, NaN where there is none. */
static double summary(struct gs_h5_in *in, const char *name)
{
    size_t n;
    char **names = gs_h5_read_str(in, "/summary/name", &n);
    double *values = column(in, "/summary/value", n);
    double x = (double)NAN;
    for (size_t i = 0; names && values && i < n; i++) {
        if (strcmp(names[i], name) == 0)
            x = values[i];
    }
    gs_free(names);
    gs_free(values);
    return x;
}

/* ---- jobs ----------------------------------------------------------------------------------- */

struct jobs {
    size_t n;
    double *wait, *started, *counted, *state, *kind, *queue, *cause[GS_PLOT_CAUSES];
    size_t rejected, replica; /* their codes; SIZE_MAX where there is none */
};

static size_t code_of(struct gs_h5_in *in, const char *path, const char *name)
{
    size_t n, code = SIZE_MAX;
    char **flags = gs_h5_read_flags(in, path, &n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(flags[i], name) == 0)
            code = i;
    }
    gs_free(flags);
    return code;
}

static void load_jobs(struct jobs *j, struct gs_h5_in *in)
{
    j->wait = gs_h5_read_f64(in, "/jobs/wait_s", &j->n);
    j->started = column(in, "/jobs/first_start_s", j->n);
    j->counted = column(in, "/jobs/counted", j->n);
    j->state = column(in, "/jobs/state", j->n);
    j->kind = column(in, "/jobs/kind", j->n);
    j->queue = column(in, "/jobs/queue", j->n);
    j->rejected = code_of(in, "/jobs/state", "rejected");
    j->replica = code_of(in, "/jobs/kind", "replica");
    for (size_t k = 0; k < GS_PLOT_CAUSES; k++) {
        char path[64];
        gs_fmt(path, sizeof path, "/jobs/wait_%s_s", gs_plot_causes[k]);
        j->cause[k] = column(in, path, j->n);
    }
}

static void release_jobs(struct jobs *j)
{
    double *all[] = {j->wait, j->started, j->counted, j->state, j->kind, j->queue};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gs_free(all[i]);
    for (size_t k = 0; k < GS_PLOT_CAUSES; k++)
        gs_free(j->cause[k]);
}

static int has_code(const double *column, size_t i, size_t code)
{
    return column && code != SIZE_MAX && fabs(column[i] - (double)code) < 0.5;
}

static int is_measured(const struct jobs *j, size_t i)
{
    if (j->counted && !(j->counted[i] > 0))
        return 0;
    return !has_code(j->state, i, j->rejected) && !has_code(j->kind, i, j->replica);
}

static void add_job(struct gs_plot_group *g, const struct jobs *j, size_t i)
{
    const int never = !isfinite(j->wait[i]) || (j->started && !isfinite(j->started[i]));
    g->never += (size_t)never;
    g->wait_s[g->n++] = never ? (double)INFINITY : j->wait[i];
    for (size_t k = 0; k < GS_PLOT_CAUSES; k++)
        g->cause_s[k] += j->cause[k] && isfinite(j->cause[k][i]) ? j->cause[k][i] : 0;
}

/* groups[0] for all jobs and one a queue, empty, with room for their jobs. */
static void make_groups(struct gs_plot_run *r, const struct jobs *j, char **names, size_t nnames)
{
    r->ngroups = nnames + 1;
    r->groups = GS_NEW_N(struct gs_plot_group, r->ngroups);
    r->groups[0].name = gs_strdup("all jobs");
    r->groups[0].wait_s = GS_NEW_N(double, j->n ? j->n : 1);
    size_t *count = GS_NEW_N(size_t, nnames ? nnames : 1);
    for (size_t i = 0; j->queue && i < j->n; i++) {
        if (index_of(j->queue[i], nnames) < nnames && is_measured(j, i))
            count[(size_t)j->queue[i]]++;
    }
    for (size_t q = 0; q < nnames; q++) {
        r->groups[q + 1].name = gs_strdup(names[q]);
        r->groups[q + 1].wait_s = GS_NEW_N(double, count[q] ? count[q] : 1);
    }
    gs_free(count);
}

/* Keeps all jobs and the queues that have any; a single queue says nothing that all jobs do not. */
static void drop_empty_groups(struct gs_plot_run *r)
{
    size_t kept = 1, busy = 0;
    for (size_t g = 1; g < r->ngroups; g++)
        busy += r->groups[g].n > 0;
    for (size_t g = 1; g < r->ngroups; g++) {
        if (r->groups[g].n > 0 && busy > 1) {
            r->groups[kept++] = r->groups[g];
        } else {
            gs_free(r->groups[g].name);
            gs_free(r->groups[g].wait_s);
        }
    }
    r->ngroups = kept;
}

static void load_groups(struct gs_plot_run *r, struct gs_h5_in *in)
{
    struct jobs j = {0};
    size_t nnames;
    load_jobs(&j, in);
    char **names = gs_h5_read_str(in, "/queues/name", &nnames);
    make_groups(r, &j, names, nnames);
    for (size_t i = 0; i < j.n; i++) {
        if (!is_measured(&j, i))
            continue;
        add_job(&r->groups[0], &j, i);
        if (j.queue && index_of(j.queue[i], nnames) < nnames)
            add_job(&r->groups[1 + (size_t)j.queue[i]], &j, i);
    }
    for (size_t g = 0; g < r->ngroups; g++)
        gs_sort_doubles(r->groups[g].wait_s, r->groups[g].n);
    drop_empty_groups(r);
    gs_free(names);
    release_jobs(&j);
}

/* ---- the map of nodes ----------------------------------------------------------------------- */

struct cells {
    size_t rows, cols;
    double dt;
    double
        *whole; /* [rows * (cols + 1)] differences: what each cell gets more than the one before */
    double *part; /* [rows * cols] */
};

static void cells_init(struct cells *c, size_t rows, size_t cols, double dt)
{
    *c = (struct cells){.rows = rows, .cols = cols, .dt = dt};
    c->whole = gs_zalloc(rows * (cols + 1), sizeof(double));
    c->part = gs_zalloc(rows * cols, sizeof(double));
}

static void cells_free(struct cells *c)
{
    gs_free(c->whole);
    gs_free(c->part);
}

/* weight x time over [from, to). */
static void cells_add(struct cells *c, size_t row, double from, double to, double weight)
{
    const double end = c->dt * (double)c->cols;
    from = from > 0 ? from : 0;
    to = to < end ? to : end;
    if (!(to > from))
        return;
    size_t a = (size_t)(from / c->dt), b = (size_t)(to / c->dt);
    a = a < c->cols ? a : c->cols - 1;
    b = b < c->cols ? b : c->cols;
    double *part = c->part + row * c->cols, *whole = c->whole + row * (c->cols + 1);
    if (a == b) {
        part[a] += weight * (to - from);
        return;
    }
    part[a] += weight * ((double)(a + 1) * c->dt - from);
    if (b < c->cols)
        part[b] += weight * (to - (double)b * c->dt);
    whole[a + 1] += weight * c->dt;
    whole[b] -= weight * c->dt;
}

/* Makes part the totals. */
static void cells_sum(struct cells *c)
{
    for (size_t r = 0; r < c->rows; r++) {
        double level = 0;
        for (size_t k = 0; k < c->cols; k++) {
            level += c->whole[r * (c->cols + 1) + k];
            c->part[r * c->cols + k] += level;
        }
    }
}

/* Adds what nodes have while they are up. */
static void add_capacity(struct cells *c, struct gs_h5_in *in, const size_t *row,
                         const double *gpus, size_t nnodes)
{
    size_t n;
    const double end = c->dt * (double)c->cols;
    double *node = gs_h5_read_f64(in, "/node_lives/node", &n);
    double *up = column(in, "/node_lives/up_s", n), *down = column(in, "/node_lives/down_s", n);
    if (node && up && down && n > 0) {
        for (size_t i = 0; i < n; i++) {
            const size_t k = index_of(node[i], nnodes);
            if (k < nnodes && row[k] != SIZE_MAX)
                cells_add(c, row[k], up[i], isfinite(down[i]) ? down[i] : end, gpus[k]);
        }
    } else {
        for (size_t k = 0; k < nnodes; k++) {
            if (row[k] != SIZE_MAX)
                cells_add(c, row[k], 0, end, gpus[k]);
        }
    }
    gs_free(node);
    gs_free(up);
    gs_free(down);
}

static void add_held(struct cells *c, struct gs_h5_in *in, const size_t *row, size_t nnodes)
{
    size_t n;
    double *node = gs_h5_read_f64(in, "/allocations/node", &n);
    double *gpu = column(in, "/allocations/gpu", n), *from = column(in, "/allocations/start_s", n);
    double *to = column(in, "/allocations/end_s", n);
    double *share = column(in, "/allocations/share_milli", n);
    for (size_t i = 0; node && gpu && from && to && share && i < n; i++) {
        const size_t k = index_of(node[i], nnodes);
        if (gpu[i] < 0 || k >= nnodes || row[k] == SIZE_MAX)
            continue;
        cells_add(c, row[k], from[i], isfinite(to[i]) ? to[i] : c->dt * (double)c->cols,
                  share[i] / 1000);
    }
    double *all[] = {node, gpu, from, to, share};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gs_free(all[i]);
}

static void fill_map(struct gs_plot_map *m, const struct cells *up, const struct cells *held)
{
    double all_up = 0, all_held = 0;
    m->percent = GS_NEW_N(double, m->rows * m->cols);
    for (size_t i = 0; i < m->rows * m->cols; i++) {
        const int any = up->part[i] > up->dt * 1e-9;
        const double p = any ? 100 * held->part[i] / up->part[i] : (double)NAN;
        m->percent[i] = p > 100 ? 100 : p;
        all_up += up->part[i];
        all_held += held->part[i];
    }
    m->held_share = all_up > 0 ? all_held / all_up : (double)NAN;
}

static void load_map(struct gs_plot_run *r, struct gs_h5_in *in)
{
    struct gs_plot_map *m = &r->map;
    size_t nnodes;
    double *gpus = gs_h5_read_f64(in, "/cluster/nodes/gpus", &nnodes);
    size_t *row = GS_NEW_N(size_t, nnodes ? nnodes : 1);
    for (size_t k = 0; k < nnodes; k++) {
        m->nodes += gpus[k] > 0;
        m->gpus += gpus[k];
    }
    if (m->nodes > 0 && r->end_s > 0) {
        m->nodes_per_row = (m->nodes + MAP_ROWS - 1) / MAP_ROWS;
        m->rows = (m->nodes + m->nodes_per_row - 1) / m->nodes_per_row;
        m->cols = MAP_COLS;
        size_t rank = 0;
        for (size_t k = 0; k < nnodes; k++)
            row[k] = gpus[k] > 0 ? rank++ / m->nodes_per_row : SIZE_MAX;
        struct cells up, held;
        cells_init(&up, m->rows, m->cols, r->end_s / (double)m->cols);
        cells_init(&held, m->rows, m->cols, up.dt);
        add_capacity(&up, in, row, gpus, nnodes);
        add_held(&held, in, row, nnodes);
        cells_sum(&up);
        cells_sum(&held);
        fill_map(m, &up, &held);
        cells_free(&up);
        cells_free(&held);
    }
    gs_free(row);
    gs_free(gpus);
}

/* ---- the run -------------------------------------------------------------------------------- */

/* An attribute that is a number, or `otherwise`. */
static double number(struct gs_h5_in *in, const char *name, double otherwise)
{
    char *text = gs_h5_read_attr_str(in, name);
    const double x = text ? strtod(text, NULL) : otherwise;
    gs_free(text);
    return isfinite(x) ? x : otherwise;
}

/* How long the run lasted: its attribute, else the last sample or allocation. */
static double end_of_run(struct gs_h5_in *in, const struct gs_plot_series *s)
{
    size_t n;
    double end = number(in, "end_s", 0);
    if (end > 0)
        return end;
    end = s->n ? s->time_s[s->n - 1] : 0;
    double *to = gs_h5_read_f64(in, "/allocations/end_s", &n);
    for (size_t i = 0; i < n; i++)
        end = isfinite(to[i]) && to[i] > end ? to[i] : end;
    gs_free(to);
    return end;
}

/* The measured window; the whole run where the file says nothing, or nothing that makes sense. */
static void load_window(struct gs_plot_run *r, struct gs_h5_in *in)
{
    const double from = number(in, "measure_from_s", 0), to = number(in, "measure_to_s", r->end_s);
    const int sound = from >= 0 && to > from && from < r->end_s;
    r->from_s = sound ? from : 0;
    r->to_s = sound && to < r->end_s ? to : r->end_s;
}

static char *attribute(struct gs_h5_in *in, const char *name)
{
    char *s = gs_h5_read_attr_str(in, name);
    return s ? s : gs_strdup("");
}

enum gs_rc gs_plot_load(struct gs_plot_run *r, const char *h5, enum gs_plot_parts parts,
                        size_t points, struct gs_err *err)
{
    struct gs_h5_in *in;
    *r = (struct gs_plot_run){0};
    const enum gs_rc rc = gs_h5_open(&in, h5, err);
    if (rc != GS_OK)
        return rc;
    char *schema = attribute(in, "schema");
    const int ours = strncmp(schema, "gsim/1.", 7) == 0;
    gs_free(schema);
    if (!ours) {
        gs_h5_close(in);
        return gs_fail(err, GS_E_INPUT,
                       "%s: is not a results file of gsim: attribute 'schema' is not gsim/1.x", h5);
    }
    r->title = attribute(in, "title");
    r->policy = attribute(in, "policy");
    r->digest = attribute(in, "digest");
    r->verdict = attribute(in, "verdict");
    r->label = attribute(in, "sweep_label");
    r->complete = number(in, "complete", 1) > 0;
    r->replicated = number(in, "replications", 1) > 1;
    load_series(r, in, points);
    r->end_s = end_of_run(in, &r->series);
    load_window(r, in);
    r->allocation = summary(in, "gpu.allocation");
    r->fragmentation = summary(in, "gpu.fragmentation");
    load_groups(r, in);
    if (parts == GS_PLOT_MAP)
        load_map(r, in);
    gs_h5_close(in);
    return GS_OK;
}

void gs_plot_release(struct gs_plot_run *r)
{
    const struct gs_plot_series *s = &r->series;
    double *series[] = {s->time_s,       s->total,         s->allocated, s->jobs_pending,
                        s->gpus_pending, s->fragmentation, s->stranded};
    char *texts[] = {r->title, r->policy, r->digest, r->verdict, r->label};
    for (size_t i = 0; i < sizeof series / sizeof *series; i++)
        gs_free(series[i]);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        gs_free(texts[i]);
    for (size_t g = 0; g < r->ngroups; g++) {
        gs_free(r->groups[g].name);
        gs_free(r->groups[g].wait_s);
    }
    gs_free(r->groups);
    gs_free(r->map.percent);
    *r = (struct gs_plot_run){0};
}

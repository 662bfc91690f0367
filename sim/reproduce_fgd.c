/* reproduce_fgd.c - the runs of the FGD artifact (ATC'23): arrivals only, one at a time, from the published arrival orders and node ranks.
 *
 * Arrival i comes at second i and stays for ever; a pod that fits nowhere is dropped (queueing off). Nodes are added in rank order, so that "lowest
 * node id" is the artifact's tie-break. After every arrival one row (arrived, used, fragment) is binned by the share of GPUs
 * that has arrived, as the artifact does, and compared with the published curves: full curves for `default`, chosen points for
 * the other pod lists. Tolerances: 0.011 percentage points of allocation and fragment amount, 0.0001 of the fragment ratio; Random
 * (whose draws depend on thread timing in the original) is compared in its mean. */
#include "sim/base/fmath.h"
#include "sim/base/sort.h"
#include "sim/reproduce.h"
#include "sim/run.h"
#include "traces/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define POINTS    131 /* 0..130 % of the GPUs arrived */
#define TOL_ALLOC 0.011
#define TOL_RATIO 0.0001

static const char *const trace_names[] = {
    "default",    "cpu050",     "cpu100",      "cpu200",     "cpu250",    "gpushare40",
    "gpushare60", "gpushare80", "gpushare100", "gpuspec10",  "gpuspec20", "gpuspec25",
    "gpuspec33",  "multigpu20", "multigpu30",  "multigpu40", "multigpu50"};
#define NTRACES (sizeof trace_names / sizeof *trace_names)

static const struct policy {
    const char *published, *module, *key, *value;
    int random;
} policies[] = {{"06-FGD", "fgd", NULL, NULL, 0},
                {"05-BestFit", "bestfit", "formula", "artifact", 0},
                {"04-GpuPacking", "gpupacking", NULL, NULL, 0},
                {"03-GpuClustering", "gpuclustering", NULL, NULL, 0},
                {"02-DotProd", "dotprod", NULL, NULL, 0},
                {"01-Random", "random", NULL, NULL, 1}};

#define NUM_POLICIES (sizeof policies / sizeof *policies)

struct pod {
    const char *name;
    int64_t cpus_milli, mem_mib;
    uint32_t gpus, milli, models; /* models: offset in text, see read_pods */
    const char *spec;
};

struct machine {
    const char *name, *model;
    int64_t cpus_milli, mem_mib;
    uint32_t gpus;
};

struct artifact { /* one trace's files */
    struct gs_arena text;
    GS_VEC(struct pod) pods;      /* by name */
    GS_VEC(struct machine) nodes; /* by name */
};

struct curve {
    double alloc[POINTS], amount[POINTS], ratio[POINTS]; /* NaN = no such point */
};

/* ---- reading ---- */

static enum gs_rc open_csv(const char *path, struct gs_input *in, struct gs_csv *c,
                           struct gs_err *err)
{
    memset(in, 0, sizeof *in);
    memset(c, 0, sizeof *c);
    enum gs_rc rc = gs_input_open(in, path, NULL, err);
    return rc ? rc : gs_csv_open(c, in, err);
}

static const char *field(const struct gs_csv *c, const char *name)
{
    size_t at = gs_csv_find(c, name);
    return at == GS_CSV_NONE || at >= gs_csv_fields(c) ? "" : gs_csv_field(c, at);
}

static const char *keep(struct gs_arena *a, const char *s)
{
    return gs_arena_str(a, s, strlen(s));
}

static int cmp_pod(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return strcmp(((const struct pod *)a)->name, ((const struct pod *)b)->name);
}

static int cmp_machine(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return strcmp(((const struct machine *)a)->name, ((const struct machine *)b)->name);
}

static enum gs_rc read_pods(struct artifact *a, const char *path, struct gs_err *err)
{
    struct gs_input in;
    struct gs_csv c;
    int more = 0;
    enum gs_rc rc = open_csv(path, &in, &c, err);
    for (rc = rc ? rc : gs_csv_next(&c, &more, err); !rc && more;
         rc = gs_csv_next(&c, &more, err)) {
        struct pod p = {.name = keep(&a->text, field(&c, "name")),
                        .spec = keep(&a->text, field(&c, "gpu_spec"))};
        p.cpus_milli = strtoll(field(&c, "cpu_milli"), NULL, 10);
        p.mem_mib = strtoll(field(&c, "memory_mib"), NULL, 10);
        p.gpus = (uint32_t)strtoul(field(&c, "num_gpu"), NULL, 10);
        unsigned long milli = strtoul(field(&c, "gpu_milli"), NULL, 10);
        p.milli = p.gpus ? (uint32_t)(milli > 1000 ? 1000 : milli) : 0;
        gs_vec_push(&a->pods, p);
    }
    gs_csv_close(&c);
    gs_input_close(&in);
    gs_sort(a->pods.v, a->pods.n, sizeof *a->pods.v, cmp_pod, NULL);
    return rc;
}

static enum gs_rc read_nodes(struct artifact *a, const char *path, struct gs_err *err)
{
    struct gs_input in;
    struct gs_csv c;
    int more = 0;
    enum gs_rc rc = open_csv(path, &in, &c, err);
    for (rc = rc ? rc : gs_csv_next(&c, &more, err); !rc && more;
         rc = gs_csv_next(&c, &more, err)) {
        struct machine m = {.name = keep(&a->text, field(&c, "sn")),
                            .model = keep(&a->text, field(&c, "model"))};
        m.cpus_milli = strtoll(field(&c, "cpu_milli"), NULL, 10);
        m.mem_mib = strtoll(field(&c, "memory_mib"), NULL, 10);
        m.gpus = (uint32_t)strtoul(field(&c, "gpu"), NULL, 10);
        gs_vec_push(&a->nodes, m);
    }
    gs_csv_close(&c);
    gs_input_close(&in);
    gs_sort(a->nodes.v, a->nodes.n, sizeof *a->nodes.v, cmp_machine, NULL);
    return rc;
}

typedef GS_VEC(uint32_t) id_vec;

/* Column sSEED of a replay file; empty cells end it. */
static enum gs_rc read_column(const char *path, long seed, id_vec *out, struct gs_err *err)
{
    struct gs_input in;
    struct gs_csv c;
    char name[16];
    int more = 0;
    size_t col = 0;
    (void)gs_fmt(name, sizeof name, "s%ld", seed);
    gs_vec_clear(out);
    enum gs_rc rc = open_csv(path, &in, &c, err);
    if (!rc)
        rc = gs_csv_need(&c, name, &col, err);
    for (rc = rc ? rc : gs_csv_next(&c, &more, err); !rc && more;
         rc = gs_csv_next(&c, &more, err)) {
        const char *s = col < gs_csv_fields(&c) ? gs_csv_field(&c, col) : "";
        if (*s)
            gs_vec_push(out, (uint32_t)strtoul(s, NULL, 10));
    }
    gs_csv_close(&c);
    gs_input_close(&in);
    return rc;
}

/* ---- the run ---- */

struct binner {
    struct gs_run *r;
    double total; /* GPUs */
    int64_t arrived_milli;
    uint32_t row;
    double alloc[POINTS + 200], amount[POINTS + 200], ratio[POINTS + 200];
    uint32_t n[POINTS + 200];
};

static double round_to(double x, double scale)
{
    return gs_rint_even(x * scale) / scale;
}

static void observe(void *ctx, struct gs_run *r)
{
    struct binner *b = ctx;
    const struct gs_job *j = &r->w.jobs.v[b->row++];
    b->arrived_milli += (int64_t)j->gpus * j->share_milli;
    double used = (double)r->cluster.held_milli, idle = b->total * 1000 - used;
    double f = gs_frag_meter_value(r->frag, gs_host_classes(r->host));
    int64_t x = (int64_t)gs_rint_even((double)b->arrived_milli / b->total / 10);
    if (x < 0 || x >= POINTS + 200)
        return;
    b->n[x]++;
    b->alloc[x] += round_to(used / b->total / 10, 100);
    b->amount[x] += f;
    b->ratio[x] +=
        idle > 0 ? round_to(100 * f / idle, 100) : 0; /* the artifact's log has two decimals */
}

/* Mean over rows at x, or over x-1..x+1 if there are none. */
static double mean_at(const struct binner *b, const double *sum, int x)
{
    double s = sum[x];
    uint32_t n = b->n[x];
    if (!n) {
        for (int y = x > 0 ? x - 1 : 0; y <= x + 1; y++) {
            s += sum[y];
            n += b->n[y];
        }
    }
    return n ? s / n : 0.0 / 0.0;
}

static void finish_curve(const struct binner *b, struct curve *c)
{
    for (int x = 0; x < POINTS; x++) {
        c->alloc[x] = round_to(mean_at(b, b->alloc, x), 100);
        c->amount[x] = 100 * mean_at(b, b->amount, x) / 1000 / b->total;
        c->ratio[x] = mean_at(b, b->ratio, x);
    }
}

static struct gs_job job_of_pod(struct gs_run *r, const struct pod *p)
{
    struct gs_job j = {
        .user = GS_NONE, .kind = GS_KIND_BATCH, .tasks = 1, .est_ns = -1, .run_ns = GS_NEVER};
    j.gpus = j.task_gpus = p->gpus;
    j.share_milli = p->gpus ? p->milli : 1000;
    j.cpus_milli = p->cpus_milli;
    j.mem_mib = p->mem_mib;
    j.models = *p->spec ? gs_intern(&r->str, p->spec) : 0;
    return j;
}

/* Nodes in rank order, so that the lowest node id is the artifact's tie-break. */
static enum gs_rc add_nodes(struct gs_run *r, const struct artifact *a, const id_vec *rank,
                            struct gs_err *err)
{
    const size_t n = a->nodes.n;
    if (rank->n != n)
        return gs_fail(err, GS_E_INPUT, "%zu ranks for %zu nodes", rank->n, n);
    uint32_t *by_rank = GS_NEW_N(uint32_t, n), id = 0;
    enum gs_rc rc = GS_OK;
    for (size_t i = 0; i < n && !rc; i++) {
        if (rank->v[i] >= n)
            rc = gs_fail(err, GS_E_INPUT, "rank %u of %zu nodes", rank->v[i], n);
        else
            by_rank[rank->v[i]] = (uint32_t)i;
    }
    for (size_t k = 0; k < n && !rc; k++) {
        const struct machine *m = &a->nodes.v[by_rank[k]];
        const struct gs_node_spec spec = {.name = m->name,
                                          .type = "openb",
                                          .model = m->model,
                                          .gpus = m->gpus,
                                          .cpus_milli = m->cpus_milli,
                                          .mem_mib = m->mem_mib,
                                          .gpu_cap_milli = 1000};
        rc = gs_cluster_add_node(&r->cluster, &spec, &id, err);
    }
    gs_free(by_rank);
    return rc;
}

/* base receives the pod list itself, whose frequent requests are the typical tasks; the run the arrivals. */
static enum gs_rc add_arrivals(struct gs_run *r, const struct artifact *a, const id_vec *order,
                               struct gs_workload *base, struct gs_err *err)
{
    for (size_t i = 0; i < a->pods.n; i++)
        gs_vec_push(&base->jobs, job_of_pod(r, &a->pods.v[i]));
    for (size_t i = 0; i < order->n; i++) {
        if (order->v[i] >= a->pods.n)
            return gs_fail(err, GS_E_INPUT, "pod %u of %zu", order->v[i], a->pods.n);
        struct gs_job j = base->jobs.v[order->v[i]];
        j.submit_ns = (int64_t)i * GS_SECOND;
        gs_vec_push(&r->w.jobs, j);
    }
    return GS_OK;
}

static enum gs_rc bind_parts(struct gs_run *r, const struct gs_reproduce *o, const struct policy *p,
                             struct gs_err *err)
{
    const struct gs_setting set = {.key = p->key, .value = p->value, .where = "reproduce"};
    enum gs_rc rc = gs_run_role(r, GS_ROLE_ORDER, o->policy_path, "fifo", "fifo", NULL, 0, err);
    if (!rc)
        rc = gs_run_role(r, GS_ROLE_PLACEMENT, o->policy_path, p->module, p->module, &set,
                         p->key ? 1 : 0, err);
    return rc;
}

/* One trace, one seed. */
struct replay {
    const struct artifact *a;
    id_vec order, rank;
    long seed;
};

static enum gs_rc run_one(const struct gs_reproduce *o, const struct policy *p,
                          const struct replay *e, struct curve *out, struct gs_err *err)
{
    struct gs_run *r = GS_NEW(struct gs_run);
    struct binner *b = GS_NEW(struct binner);
    struct gs_workload base = {0};
    gs_run_init(r, o->log);
    gs_workload_init(&base, &r->str);
    r->queueing = 0;
    r->series_ns = 0;
    r->seed = (uint64_t)e->seed;
    r->typical_source = &base;
    enum gs_rc rc = add_nodes(r, e->a, &e->rank, err);
    if (!rc)
        rc = add_arrivals(r, e->a, &e->order, &base, err);
    b->r = r;
    b->total = (double)r->cluster.ngpus;
    r->observe = observe;
    r->observe_ctx = b;
    if (!rc)
        rc = gs_run_prepare(r, err);
    if (!rc)
        rc = bind_parts(r, o, p, err);
    if (!rc)
        rc = gs_run_go(r, err);
    if (!rc)
        finish_curve(b, out);
    gs_workload_release(&base);
    gs_run_release(r);
    gs_free(r);
    gs_free(b);
    return rc;
}

/* ---- the published curves ---- */

static void clear_curve(struct curve *c)
{
    for (int x = 0; x < POINTS; x++)
        c->alloc[x] = c->amount[x] = c->ratio[x] = 0.0 / 0.0;
}

/* Row (policy, seed) of a wide file: arr_0 .. arr_130. */
static enum gs_rc read_wide(const char *path, const char *policy, long seed, double *out,
                            struct gs_err *err)
{
    struct gs_input in;
    struct gs_csv c;
    int more = 0, found = 0;
    enum gs_rc rc = open_csv(path, &in, &c, err);
    for (rc = rc ? rc : gs_csv_next(&c, &more, err); !rc && more;
         rc = gs_csv_next(&c, &more, err)) {
        if (strcmp(field(&c, "policy"), policy) != 0 || strtol(field(&c, "seed"), NULL, 10) != seed)
            continue;
        found = 1;
        for (int x = 0; x < POINTS; x++) {
            char name[16];
            (void)gs_fmt(name, sizeof name, "arr_%d", x);
            const char *s = field(&c, name);
            out[x] = *s ? strtod(s, NULL) : 0.0 / 0.0;
        }
    }
    gs_csv_close(&c);
    gs_input_close(&in);
    return !rc && !found
               ? gs_fail(err, GS_E_INPUT, "%s: no row for %s, seed %ld", path, policy, seed)
               : rc;
}

static enum gs_rc read_selected(const char *path, const char *trace, const char *policy, long seed,
                                struct curve *out, struct gs_err *err)
{
    struct gs_input in;
    struct gs_csv c;
    char full[64];
    int more = 0;
    (void)gs_fmt(full, sizeof full, "openb_pod_list_%s", trace);
    enum gs_rc rc = open_csv(path, &in, &c, err);
    for (rc = rc ? rc : gs_csv_next(&c, &more, err); !rc && more;
         rc = gs_csv_next(&c, &more, err)) {
        if (strcmp(field(&c, "trace"), full) != 0 || strcmp(field(&c, "policy"), policy) != 0 ||
            strtol(field(&c, "seed"), NULL, 10) != seed)
            continue;
        long x = strtol(field(&c, "arrived_pct"), NULL, 10);
        if (x < 0 || x >= POINTS)
            continue;
        out->alloc[x] = strtod(field(&c, "alloc_pct"), NULL);
        out->amount[x] = strtod(field(&c, "frag_amount_pct"), NULL);
        out->ratio[x] = strtod(field(&c, "frag_ratio_pct"), NULL);
    }
    gs_csv_close(&c);
    gs_input_close(&in);
    return rc;
}

static enum gs_rc read_published(const char *data, const char *trace, const char *policy, long seed,
                                 struct curve *out, struct gs_err *err)
{
    char path[2048];
    clear_curve(out);
    if (strcmp(trace, "default") != 0) {
        (void)gs_fmt(path, sizeof path, "%s/papers-data/fgd/published_all_traces_selected.csv.gz",
                     data);
        return read_selected(path, trace, policy, seed, out, err);
    }

    const struct {
        const char *name;
        double *to;
    } files[] = {{"alloc", out->alloc}, {"fragamount", out->amount}, {"fragratio", out->ratio}};
    enum gs_rc rc = GS_OK;
    for (int i = 0; i < 3 && !rc; i++) {
        (void)gs_fmt(path, sizeof path, "%s/papers-data/fgd/published_%s_default_by_seed.csv", data,
                     files[i].name);
        rc = read_wide(path, policy, seed, files[i].to, err);
    }
    return rc;
}

/* ---- comparison ---- */

static double worst(const double *a, const double *b)
{
    double w = 0;
    for (int x = 0; x < POINTS; x++) {
        double d = a[x] - b[x];
        d = d < 0 ? -d : d;
        w = d > w ? d : w; /* a NaN compares false: no such point */
    }
    return w;
}

struct tally {
    int runs, failed, skipped;
};

struct sums { /* over seeds, at 100 and 130 % */
    double ours[2], ours_square[2], theirs[2], square[2];
    int n;
};

static void add_sums(struct sums *s, const struct curve *ours, const struct curve *theirs)
{
    static const int at[2] = {100, 130};
    for (int k = 0; k < 2; k++) {
        s->ours[k] += ours->alloc[at[k]];
        s->ours_square[k] += ours->alloc[at[k]] * ours->alloc[at[k]];
        s->theirs[k] += theirs->alloc[at[k]];
        s->square[k] += theirs->alloc[at[k]] * theirs->alloc[at[k]];
    }
    s->n++;
}

/* The standard deviation of the published runs, over all ten seeds. */
static enum gs_rc published_spread(const struct gs_reproduce *o, const char *trace,
                                   const char *policy, struct sums *s, struct gs_err *err)
{
    struct curve *c = GS_NEW(struct curve);
    enum gs_rc rc = GS_OK;
    for (long seed = 42; seed <= 51 && !rc; seed++) {
        rc = read_published(o->data, trace, policy, seed, c, err);
        if (!rc)
            add_sums(s, c, c);
    }
    gs_free(c);
    return rc;
}

/* Variance of n values from their sum and the sum of their squares; 0 for one value. */
static double variance(double sum, double square, int n)
{
    const double v = n > 1 ? (square - sum * sum / n) / (n - 1) : 0;
    return v > 0 ? v : 0;
}

/* Random agrees if the means over seeds lie within one standard deviation of a run. That is estimated from both samples of ten: they differ by
 * a factor of up to four (gpuspec33 at 130 %), and either alone is a poor estimate. A single run may stray three of the
 * published deviations. */
static enum gs_rc judge_random(const struct gs_reproduce *o, const char *trace,
                               const struct policy *p, const struct sums *ours, struct tally *t,
                               struct gs_err *err)
{
    static const int at[2] = {100, 130};
    struct sums all = {0};
    enum gs_rc rc = published_spread(o, trace, p->published, &all, err);
    for (int k = 0; k < 2 && !rc; k++) {
        const double theirs = variance(all.theirs[k], all.square[k], all.n);
        const double mine = variance(ours->ours[k], ours->ours_square[k], ours->n);
        const int many = ours->n >= 10;
        const double sd = gs_pow(many ? (theirs + mine) / 2 : theirs, 0.5), allowed = many ? 1 : 3;
        const double d = ours->ours[k] / ours->n - all.theirs[k] / all.n;
        const int ok = d <= allowed * sd && d >= -allowed * sd;
        (void)printf("%-4s %-12s %-17s at %d %%: allocation %.3f, published %.3f, difference "
                     "%+.3f, allowed %.3f (%d run%s)\n",
                     ok ? "ok" : "FAIL", trace, p->published, at[k], ours->ours[k] / ours->n,
                     all.theirs[k] / all.n, d, allowed * sd, ours->n, ours->n > 1 ? "s" : "");
        t->failed += !ok;
    }
    return rc;
}

static enum gs_rc read_replay(const struct gs_reproduce *o, const char *trace, struct replay *e,
                              struct gs_err *err)
{
    char path[2048];
    const char *files = strncmp(trace, "gpuspec", 7) == 0 ? "default" : trace; /* they share them */
    (void)gs_fmt(path, sizeof path, "%s/papers-data/fgd/replay_pod_order_%s.csv.gz", o->data,
                 files);
    enum gs_rc rc = read_column(path, e->seed, &e->order, err);
    (void)gs_fmt(path, sizeof path, "%s/papers-data/fgd/replay_node_rank_%s.csv.gz", o->data,
                 files);
    return rc ? rc : read_column(path, e->seed, &e->rank, err);
}

static void judge_exact(const char *trace, const struct policy *p, const double w[3], int runs,
                        struct tally *t)
{
    const int ok = w[0] <= TOL_ALLOC && w[1] <= TOL_ALLOC && w[2] <= TOL_RATIO;
    (void)printf(
        "%-4s %-12s %-17s largest difference: allocation %.4f pp, fragment amount %.4f pp, "
        "fragment ratio %.5f (%d run%s)\n",
        ok ? "ok" : "FAIL", trace, p->published, w[0], w[1], w[2], runs, runs > 1 ? "s" : "");
    t->failed += !ok;
}

static enum gs_rc run_policy(const struct gs_reproduce *o, const struct artifact *a,
                             const char *trace, const struct policy *p, struct tally *t,
                             struct gs_err *err)
{
    struct curve *ours = GS_NEW(struct curve), *theirs = GS_NEW(struct curve);
    struct replay e = {.a = a, .seed = o->seed < 0 ? 42 : o->seed};
    const long last = o->seed < 0 ? 51 : o->seed;
    struct sums sums = {0};
    double w[3] = {0, 0, 0};
    enum gs_rc rc = GS_OK;
    for (; e.seed <= last && !rc; e.seed++) {
        rc = read_replay(o, trace, &e, err);
        if (!rc)
            rc = run_one(o, p, &e, ours, err);
        if (!rc)
            rc = read_published(o->data, trace, p->published, e.seed, theirs, err);
        const double d[3] = {worst(ours->alloc, theirs->alloc), worst(ours->amount, theirs->amount),
                             worst(ours->ratio, theirs->ratio)};
        for (int k = 0; k < 3; k++)
            w[k] = d[k] > w[k] ? d[k] : w[k];
        add_sums(&sums, ours, theirs);
        t->runs++;
    }
    if (!rc && p->random)
        rc = judge_random(o, trace, p, &sums, t, err);
    else if (!rc)
        judge_exact(trace, p, w, sums.n, t);
    gs_vec_free(&e.order);
    gs_vec_free(&e.rank);
    gs_free(ours);
    gs_free(theirs);
    return rc;
}

static int same_policy(const struct policy *p, const char *name)
{
    if (!name)
        return 1;
    return strcasecmp(name, p->module) == 0 || strcasecmp(name, p->published) == 0 ||
           strcasecmp(name, p->published + 3) == 0;
}

static enum gs_rc run_trace(const struct gs_reproduce *o, const char *trace, struct tally *t,
                            struct gs_err *err)
{
    char path[2048];
    struct artifact a = {0};
    (void)gs_fmt(path, sizeof path, "%s/traces/openb/openb_pod_list_%s.csv", o->data, trace);
    FILE *f = fopen(path, "rb");
    if (!f) {
        (void)printf("skip %-12s no pod list openb_pod_list_%s.csv in the data\n", trace, trace);
        t->skipped++;
        return GS_OK;
    }
    (void)fclose(f);
    enum gs_rc rc = read_pods(&a, path, err);
    (void)gs_fmt(path, sizeof path, "%s/traces/openb/openb_node_list_gpu_node.csv", o->data);
    if (!rc)
        rc = read_nodes(&a, path, err);
    for (size_t i = 0; i < NUM_POLICIES && !rc; i++)
        if (same_policy(&policies[i], o->policy))
            rc = run_policy(o, &a, trace, &policies[i], t, err);
    gs_vec_free(&a.pods);
    gs_vec_free(&a.nodes);
    gs_arena_release(&a.text);
    return rc;
}

enum gs_rc gs_reproduce_fgd(const struct gs_reproduce *o, struct gs_err *err)
{
    struct tally t = {0};
    enum gs_rc rc = GS_OK;
    int known = 0;
    for (size_t i = 0; i < NTRACES && !rc; i++) {
        if (o->trace && strcmp(o->trace, trace_names[i]) != 0)
            continue;
        known = 1;
        rc = run_trace(o, trace_names[i], &t, err);
    }
    if (rc)
        return rc;
    if (!known)
        return gs_fail(
            err, GS_E_INPUT,
            "'%s' is not one of the artifact's 17 pod lists (default, cpu050 ... multigpu50)",
            o->trace);
    (void)printf("%d runs, %d outside the tolerance, %d pod lists skipped\n", t.runs, t.failed,
                 t.skipped);
    if (!t.runs)
        return gs_fail(err, GS_E_INPUT,
                       "nothing to run: no such policy, or no pod list in '%s/traces/openb'",
                       o->data);
    return t.failed ? gs_fail(err, GS_E_FAILED, "%d of the comparisons are outside the tolerance",
                              t.failed)
                    : GS_OK;
}

/* fgd.c - one run of the FGD artifact (ATC'23) as gsim reproduces it: 10,866 arrivals that never
 * end, 1,213 nodes, the fragment read after every arrival.
 *
 * What is timed is everything: reading both lists, the arrival order and the node ranks, and the
 * run. The point of interest is the number of scores: one for each distinct (node state, request)
 * that is met, not one for each node and arrival (that would be 13 million). */
#include "sim/base/mem.h"
#include "sim/base/sort.h"
#include "sim/run.h"
#include "tests/bench/runs.h"
#include "tests/bench/shared.h"
#include "tests/bench/timed.h"
#include "traces/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef GS_VEC(uint32_t) id_vec;

struct node {
    char name[64], model[32];
    uint32_t gpus;
    int64_t cpus_milli, mem_mib;
};

typedef GS_VEC(struct node) node_vec;

/* Column "s42" of a replay file. */
static enum gs_rc read_column(const char *file, id_vec *out, struct gs_err *err)
{
    char path[1024];
    struct gs_input in = {0};
    struct gs_csv c = {0};
    size_t col = 0;
    int more = 0;
    (void)bench_shared(path, sizeof path, file);
    enum gs_rc rc = gs_input_open(&in, path, NULL, err);
    if (!rc)
        rc = gs_csv_open(&c, &in, err);
    if (!rc)
        rc = gs_csv_need(&c, "s42", &col, err);
    for (rc = rc ? rc : gs_csv_next(&c, &more, err); !rc && more; rc = gs_csv_next(&c, &more, err))
        if (col < gs_csv_fields(&c) && *gs_csv_field(&c, col))
            gs_vec_push(out, (uint32_t)strtoul(gs_csv_field(&c, col), NULL, 10));
    gs_csv_close(&c);
    gs_input_close(&in);
    return rc;
}

static enum gs_rc keep_node(void *ctx, const struct gs_inventory_node *row, struct gs_err *err)
{
    node_vec *v = ctx;
    struct node n = {.gpus = row->gpus, .cpus_milli = row->cpus_milli, .mem_mib = row->mem_mib};
    (void)err;
    (void)gs_fmt(n.name, sizeof n.name, "%s", row->name);
    (void)gs_fmt(n.model, sizeof n.model, "%s", row->model ? row->model : "");
    gs_vec_push(v, n);
    return GS_OK;
}

static int by_node_name(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return strcmp(((const struct node *)a)->name, ((const struct node *)b)->name);
}

static int by_job_name(const void *a, const void *b, const void *ctx)
{
    const struct gs_intern *str = ctx;
    return strcmp(gs_intern_str(str, ((const struct gs_job *)a)->name),
                  gs_intern_str(str, ((const struct gs_job *)b)->name));
}

/* Nodes by name, added in rank order: the lowest id is the artifact's choice among equals. */
static enum gs_rc add_nodes(struct gs_run *r, struct gs_err *err)
{
    char path[1024];
    struct gs_trace_counts counts;
    node_vec nodes = {0};
    id_vec rank = {0};
    (void)bench_shared(path, sizeof path, "traces/openb/openb_node_list_gpu_node.csv");
    enum gs_rc rc =
        gs_inventory_read(path, "openb", GS_BAD_ROWS_ERROR, keep_node, &nodes, &counts, err);
    if (!rc)
        rc = read_column("papers-data/fgd/replay_node_rank_default.csv.gz", &rank, err);
    if (!rc && rank.n != nodes.n)
        rc = gs_fail(err, GS_E_INPUT, "%zu ranks for %zu nodes", rank.n, nodes.n);
    gs_sort(nodes.v, nodes.n, sizeof *nodes.v, by_node_name, NULL);
    uint32_t *at = GS_NEW_N(uint32_t, nodes.n);
    for (size_t i = 0; i < nodes.n && !rc; i++)
        at[rank.v[i] % nodes.n] = (uint32_t)i;
    for (size_t i = 0; i < nodes.n && !rc; i++) {
        const struct node *n = &nodes.v[at[i]];
        const struct gs_node_spec spec = {.name = n->name,
                                          .type = "openb",
                                          .model = n->model,
                                          .gpus = n->gpus,
                                          .cpus_milli = n->cpus_milli,
                                          .mem_mib = n->mem_mib,
                                          .gpu_cap_milli = 1000};
        uint32_t id;
        rc = gs_cluster_add_node(&r->cluster, &spec, &id, err);
    }
    gs_free(at);
    gs_vec_free(&nodes);
    gs_vec_free(&rank);
    return rc;
}

/* The pods by name, arriving a second apart in the published order. */
static enum gs_rc add_jobs(struct gs_run *r, struct gs_workload *pods, struct gs_err *err)
{
    char path[1024];
    struct gs_trace_options o;
    struct gs_trace_counts counts;
    id_vec order = {0};
    gs_trace_options_init(&o);
    (void)bench_shared(path, sizeof path, "traces/openb/openb_pod_list_default.csv");
    o.path = path;
    o.format = "openb";
    o.static_list = 1;
    enum gs_rc rc = gs_trace_read(pods, 0, &o, &counts, err);
    if (!rc)
        rc = read_column("papers-data/fgd/replay_pod_order_default.csv.gz", &order, err);
    gs_sort(pods->jobs.v, pods->jobs.n, sizeof *pods->jobs.v, by_job_name, &r->str);
    for (size_t i = 0; i < order.n && !rc; i++) {
        if (order.v[i] >= pods->jobs.n) {
            rc = gs_fail(err, GS_E_INPUT, "pod %u of %zu", order.v[i], pods->jobs.n);
            break;
        }
        struct gs_job j = pods->jobs.v[order.v[i]];
        j.submit_ns = (int64_t)i * GS_SECOND;
        j.run_ns = GS_NEVER;
        j.user = GS_NONE;
        j.queue = 0;
        gs_vec_push(&r->w.jobs, j);
    }
    gs_vec_free(&order);
    return rc;
}

static void read_fragment(void *ctx, struct gs_run *r)
{
    double *sum = ctx;
    *sum += gs_frag_meter_value(r->frag, gs_host_classes(r->host));
}

static enum gs_rc fill(struct gs_run *r, void *ctx, struct gs_err *err)
{
    struct gs_workload pods = {0};
    gs_workload_init(&pods, &r->str);
    r->queueing = 0;
    r->series_ns = 0;
    r->seed = 42;
    r->typical_source = &pods;
    r->observe = read_fragment;
    r->observe_ctx = ctx;
    enum gs_rc rc = add_nodes(r, err);
    if (!rc)
        rc = add_jobs(r, &pods, err);
    if (!rc)
        rc = gs_run_prepare(r, err);
    if (!rc)
        rc = gs_run_role(r, GS_ROLE_ORDER, GSIM_POLICY_DIR, "fifo", "fifo", NULL, 0, err);
    if (!rc)
        rc = gs_run_role(r, GS_ROLE_PLACEMENT, GSIM_POLICY_DIR, "fgd", "fgd", NULL, 0, err);
    r->typical_source = NULL;
    gs_workload_release(&pods);
    return rc;
}

int bench_fgd(int rounds)
{
    char path[1024];
    struct bench_figures f;
    double fragment = 0;
    if (!bench_shared(path, sizeof path, "papers-data/fgd/replay_pod_order_default.csv.gz")) {
        printf("fgd: skipped, %s is not here (set GSIM_SHARED)\n", path);
        return 0;
    }
    const struct bench_case c = {.fill = fill, .ctx = &fragment};
    if (bench_measure(&c, rounds, &f))
        return 1;
    bench_print("fgd", &f, 0);
    printf("  all %.3f s (at most 0.5); scores an arrival %.1f, of %llu nodes\n", f.all.cpu_s,
           (double)f.scores / (double)f.jobs, (unsigned long long)f.nodes);
    return 0;
}

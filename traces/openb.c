/* openb.c - Alibaba's GPU cluster trace of 2023: pod lists.
 *
 * Pods: name, cpu_milli, memory_mib, num_gpu, gpu_milli, gpu_spec, qos, pod_phase, creation_time, deletion_time, scheduled_time; times
 * in whole seconds from the first pod. gpu_milli is per GPU: 0 without GPUs, 1000 with several, 1 to 1000 with one, where less
 * than 1000 is a share that must fit in one GPU. A pod runs on one node, so a job is one task. gpu_spec names the models that
 * will do, joined by '|', sometimes one twice: a set. deletion is the end of the pod, whatever pod_phase says (most pods are
 * `Running` yet deleted): run time = deletion - scheduled. A Pending pod has no scheduled_time and never ran: skipped and counted.
 *
 * Lists with the first five columns only (the multigpu ones) have no times: they are static, as is every list when the caller
 * asks for it: pods arrive in file order, a second apart, and never end. Names are unique inside a list, and mean nothing across lists.
 * Node lists are in openb_nodes.c.
 * Source: "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent" (ATC'23). */
#include "traces/decimal.h"
#include "traces/reader.h"

#include <string.h>

#include "sim/base/banned.h"

/* Columns of a pod list, in the order of the file; the first POD_STATIC are in every list. */
enum pod_column {
    P_NAME,
    P_CPU,
    P_MEMORY,
    P_NUM_GPU,
    P_GPU_MILLI,
    P_GPU_SPEC,
    P_QOS,
    P_PHASE,
    P_CREATION,
    P_DELETION,
    P_SCHEDULED,
    POD_COLUMNS,
    POD_STATIC = P_GPU_SPEC
};

static const char *const pod_names[POD_COLUMNS] = {
    "name", "cpu_milli", "memory_mib",    "num_gpu",       "gpu_milli",     "gpu_spec",
    "qos",  "pod_phase", "creation_time", "deletion_time", "scheduled_time"};

struct pod {
    const char *name, *spec, *qos, *phase; /* in the CSV row */
    int64_t cpus_milli, mem_mib, gpus, gpu_milli;
    int64_t creation_ns, deletion_ns, scheduled_ns; /* -1 = not recorded */
};

struct pods {
    struct gs_csv csv;
    size_t at[POD_COLUMNS];
    int has_times;
};

static int guess(const struct gs_input *in, const struct gs_csv *head)
{
    (void)in;
    return head && (gs_openb_is_node_list(head) || (gs_csv_find(head, "num_gpu") != GS_CSV_NONE &&
                                                    gs_csv_find(head, "gpu_milli") != GS_CSV_NONE));
}

/* ---- Pods -------------------------------------------------------------------------------------- */

static enum gs_rc find_pod_columns(struct pods *p, struct gs_err *err)
{
    p->has_times = gs_csv_find(&p->csv, pod_names[P_CREATION]) != GS_CSV_NONE;
    enum gs_rc rc = GS_OK;
    for (int i = 0; i < POD_COLUMNS && rc == GS_OK; i++) {
        if (i < POD_STATIC || (p->has_times && i >= P_CREATION))
            rc = gs_csv_need(&p->csv, pod_names[i], &p->at[i], err);
        else
            p->at[i] = gs_csv_find(&p->csv, pod_names[i]);
    }
    return rc;
}

static enum gs_rc take_time(struct gs_row *r, const struct pods *p, enum pod_column k, int64_t *out)
{
    const char *s = gs_csv_field(&p->csv, p->at[k]);
    *out = -1;
    return gs_is_null(s) ? GS_OK : gs_row_seconds(r, pod_names[k], s, out);
}

static enum gs_rc check_gpu_milli(struct gs_row *r, const struct pods *p, const struct pod *d)
{
    const char *shown = gs_csv_field(&p->csv, p->at[P_GPU_MILLI]);
    if (d->gpus == 0 && d->gpu_milli != 0)
        return gs_row_bad(r, "gpu_milli contradicts num_gpu", "gpu_milli", shown,
                          "contradicts num_gpu 0");
    if (d->gpus > 1 && d->gpu_milli != 1000)
        return gs_row_bad(r, "gpu_milli contradicts num_gpu", "gpu_milli", shown,
                          "is a share of several GPUs, expected 1000");
    if (d->gpus == 1 && d->gpu_milli == 0)
        return gs_row_bad(r, "gpu_milli contradicts num_gpu", "gpu_milli", shown,
                          "contradicts num_gpu 1");
    return GS_OK;
}

static enum gs_rc check_times(struct gs_row *r, const struct pods *p, const struct pod *d)
{
    if (d->creation_ns < 0)
        return gs_row_bad(r, "no creation time", "creation_time", "",
                          "is empty, but a pod needs a creation time");
    if (d->scheduled_ns < 0)
        return GS_OK;
    if (d->deletion_ns < d->scheduled_ns)
        return gs_row_bad(r, "deleted before scheduled", "deletion_time",
                          gs_csv_field(&p->csv, p->at[P_DELETION]),
                          "is missing or before scheduled_time");
    return GS_OK;
}

static enum gs_rc decode_pod(struct gs_row *r, const struct pods *p, struct pod *d)
{
    const struct gs_csv *c = &p->csv;
    *d = (struct pod){.creation_ns = -1, .deletion_ns = -1, .scheduled_ns = -1};
    enum gs_rc rc = gs_row_width(r, c);
    if (rc != GS_OK)
        return rc;
    d->name = gs_csv_field(c, p->at[P_NAME]);
    d->spec = gs_csv_field(c, p->at[P_GPU_SPEC]);
    d->qos = gs_csv_field(c, p->at[P_QOS]);
    d->phase = gs_csv_field(c, p->at[P_PHASE]);
    rc = gs_row_int(r, "cpu_milli", gs_csv_field(c, p->at[P_CPU]), GS_TRACE_CPUS_MAX,
                    &d->cpus_milli);
    if (rc == GS_OK)
        rc = gs_row_int(r, "memory_mib", gs_csv_field(c, p->at[P_MEMORY]), GS_TRACE_MEMORY_MAX,
                        &d->mem_mib);
    if (rc == GS_OK)
        rc = gs_row_int(r, "num_gpu", gs_csv_field(c, p->at[P_NUM_GPU]), GS_TRACE_GPUS_MAX,
                        &d->gpus);
    if (rc == GS_OK)
        rc = gs_row_int(r, "gpu_milli", gs_csv_field(c, p->at[P_GPU_MILLI]), 1000, &d->gpu_milli);
    if (rc == GS_OK)
        rc = check_gpu_milli(r, p, d);
    if (rc == GS_OK && p->has_times)
        rc = take_time(r, p, P_CREATION, &d->creation_ns);
    if (rc == GS_OK && p->has_times)
        rc = take_time(r, p, P_DELETION, &d->deletion_ns);
    if (rc == GS_OK && p->has_times)
        rc = take_time(r, p, P_SCHEDULED, &d->scheduled_ns);
    return rc;
}

/* "A|B|B" as a set, in order of first mention: "A|B". */
static uint32_t model_set(struct gs_intern *str, const char *spec)
{
    struct gs_buf set = {0};
    while (*spec) {
        const size_t n = strcspn(spec, "|");
        const char *at = gs_buf_cstr(&set);
        int known = n == 0;
        while (!known && *at) {
            const size_t m = strcspn(at, "|");
            known = m == n && memcmp(at, spec, n) == 0;
            at += m + (at[m] == '|');
        }
        if (!known) {
            gs_buf_str(&set, set.n ? "|" : "");
            gs_buf_add(&set, spec, n);
        }
        spec += n + (spec[n] == '|');
    }
    const uint32_t id = gs_intern(str, gs_buf_cstr(&set));
    gs_buf_free(&set);
    return id;
}

static uint8_t pod_end(const char *phase)
{
    if (strcmp(phase, "Succeeded") == 0)
        return GS_END_COMPLETED;
    return strcmp(phase, "Failed") == 0 ? GS_END_FAILED : GS_END_UNKNOWN;
}

static enum gs_rc emit_pod(struct gs_read *rd, struct gs_row *r, const struct pods *p,
                           const struct pod *d)
{
    const int is_static = rd->o->static_list || !p->has_times;
    if (!is_static) {
        const enum gs_rc rc = check_times(r, p, d);
        if (rc != GS_OK)
            return rc;
    }
    if (!is_static && d->scheduled_ns < 0) {
        gs_count_skip(rd->n, "pending pod: never scheduled, so no run time");
        return GS_OK;
    }
    struct gs_job j = gs_read_job(rd, r->line);
    j.name = gs_intern(rd->w->str, d->name);
    j.kind = strcmp(d->qos, "LS") == 0 ? GS_KIND_INTERACTIVE : GS_KIND_BATCH;
    j.end_state = pod_end(d->phase);
    j.submit_ns = is_static ? (int64_t)(rd->n->rows - 1) * GS_SECOND : d->creation_ns;
    j.run_ns = is_static ? GS_NEVER : d->deletion_ns - d->scheduled_ns;
    j.duration_source = is_static ? 2 : 0;
    j.gpus = j.task_gpus = (uint32_t)d->gpus;
    j.share_milli = d->gpus == 1 ? (uint32_t)d->gpu_milli : 1000;
    j.cpus_milli = d->cpus_milli;
    j.mem_mib = d->mem_mib;
    j.models = rd->o->keep_gpu_spec ? model_set(rd->w->str, d->spec) : 0;
    const enum gs_rc rc = gs_read_unique(rd, r, "name", j.name);
    if (rc == GS_OK)
        gs_read_emit(rd, &j);
    return rc;
}

static enum gs_rc read_pods(struct gs_read *rd, struct pods *p)
{
    if (gs_openb_is_node_list(&p->csv))
        return gs_fail(rd->err, GS_E_INPUT,
                       "%s: is a list of nodes, not of jobs (give it as inventory in [nodes])",
                       rd->in->shown);
    enum gs_rc rc = find_pod_columns(p, rd->err);
    for (int more = 1; rc == GS_OK;) {
        rc = gs_csv_next(&p->csv, &more, rd->err);
        if (rc != GS_OK || !more)
            break;
        rd->n->rows++;
        struct gs_row r = {rd->in, p->csv.line, rd->o->bad_rows, rd->n, NULL, rd->err};
        struct pod d;
        rc = decode_pod(&r, p, &d);
        if (rc == GS_OK)
            rc = emit_pod(rd, &r, p, &d);
        rc = gs_row_end(&r, rc);
    }
    if (rd->o->static_list || !p->has_times)
        gs_count_assume(rd->n, "no times used: pods arrive a second apart and never end",
                        rd->n->emitted);
    gs_count_assume(rd->n, "no estimate in this format", rd->n->emitted);
    return rc;
}

static enum gs_rc read_jobs(struct gs_read *rd)
{
    struct pods p = {0};
    enum gs_rc rc = gs_csv_open(&p.csv, rd->in, rd->err);
    if (rc == GS_OK)
        rc = read_pods(rd, &p);
    gs_csv_close(&p.csv);
    return rc;
}

/* ---- trace info -------------------------------------------------------------------------------- */

struct pod_figures {
    int64_t gpu_pods, share_pods, spec_pods, no_scheduled, bad_end, bad_start, out_of_order;
    gs_i128 gpus, gpu_milli, cpus_milli, mem_mib, queue_ns, gpu_milli_ns;
    int64_t first_creation, last_creation, last_deletion, before;
    struct gs_tally names, specs, qos, phase;
};

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void add_times(struct pod_figures *g, const struct pod *d)
{
    g->out_of_order += d->creation_ns < g->before;
    g->before = d->creation_ns;
    g->first_creation = d->creation_ns < g->first_creation ? d->creation_ns : g->first_creation;
    g->last_creation = later(g->last_creation, d->creation_ns);
    g->last_deletion = later(g->last_deletion, d->deletion_ns);
    if (d->scheduled_ns < 0) {
        g->no_scheduled++;
        return;
    }
    g->queue_ns += d->scheduled_ns - d->creation_ns;
    g->gpu_milli_ns += (gs_i128)(d->gpus * d->gpu_milli) * (d->deletion_ns - d->scheduled_ns);
    g->bad_end += d->deletion_ns < d->scheduled_ns;
    g->bad_start += d->scheduled_ns < d->creation_ns;
}

static void add_pod(struct pod_figures *g, struct gs_info *f, const struct pods *p,
                    const struct pod *d)
{
    f->n.emitted++;
    g->gpu_pods += d->gpus > 0;
    g->share_pods += d->gpus == 1 && d->gpu_milli < 1000;
    g->gpus += d->gpus;
    g->gpu_milli += (gs_i128)d->gpus * d->gpu_milli;
    g->cpus_milli += d->cpus_milli;
    g->mem_mib += d->mem_mib;
    gs_tally_text(&g->names, d->name, 1);
    if (!p->has_times)
        return;
    g->spec_pods += *d->spec != '\0';
    if (*d->spec)
        gs_tally_text(&g->specs, d->spec, 1);
    gs_tally_text(&g->qos, d->qos, 1);
    gs_tally_text(&g->phase, d->phase, 1);
    add_times(g, d);
    if (d->scheduled_ns >= 0 && d->deletion_ns >= d->scheduled_ns) {
        gs_vec_push(&f->run_s, (double)(d->deletion_ns - d->scheduled_ns) / 1e9);
        gs_vec_push(&f->gpus, (double)(d->gpus * d->gpu_milli) / 1000);
    }
}

static void show_pods(struct pod_figures *g, struct gs_info *f, const struct pods *p)
{
    gs_info_int(f, "rows", (int64_t)f->n.emitted);
    gs_info_int(f, "gpu_pods", g->gpu_pods);
    gs_info_decimal(f, "sum_num_gpu", g->gpus, 0);
    gs_info_decimal(f, "sum_gpu_milli", g->gpu_milli, 0);
    gs_info_int(f, "share_pods", g->share_pods);
    gs_info_decimal(f, "sum_cpu_milli", g->cpus_milli, 0);
    gs_info_decimal(f, "sum_memory_mib", g->mem_mib, 0);
    gs_info_int(f, "columns", (int64_t)gs_csv_columns(&p->csv));
    if (!p->has_times)
        return;
    gs_info_int(f, "spec_pods", g->spec_pods);
    gs_info_tally(f, "specs", &g->specs, SIZE_MAX);
    gs_info_tally(f, "qos", &g->qos, SIZE_MAX);
    gs_info_tally(f, "phase", &g->phase, SIZE_MAX);
    gs_info_decimal(f, "first_creation", g->first_creation, 9);
    gs_info_decimal(f, "last_creation", g->last_creation, 9);
    gs_info_decimal(f, "last_deletion", g->last_deletion, 9);
    gs_info_int(f, "no_scheduled_time", g->no_scheduled);
    gs_info_decimal(f, "queue_seconds", g->queue_ns, 9);
    gs_info_decimal(f, "gpu_milli_seconds", g->gpu_milli_ns, 9);
    gs_info_int(f, "deletion_before_scheduled", g->bad_end);
    gs_info_int(f, "scheduled_before_creation", g->bad_start);
    gs_info_int(f, "duplicate_names", (int64_t)(f->n.emitted - gs_tally_distinct(&g->names)));
    gs_info_int(f, "creation_out_of_order", g->out_of_order);
}

static enum gs_rc info_pod_rows(struct gs_info *f, struct pods *p, struct pod_figures *g)
{
    enum gs_rc rc = find_pod_columns(p, f->err);
    for (int more = 1; rc == GS_OK;) {
        rc = gs_csv_next(&p->csv, &more, f->err);
        if (rc != GS_OK || !more)
            break;
        struct gs_row r = gs_info_row(f, p->csv.line);
        struct pod d;
        rc = decode_pod(&r, p, &d);
        if (rc == GS_OK)
            add_pod(g, f, p, &d);
        rc = gs_row_end(&r, rc);
    }
    return rc;
}

static enum gs_rc info_pods(struct gs_info *f, struct pods *p)
{
    struct pod_figures g = {.first_creation = GS_NEVER, .before = INT64_MIN};
    const enum gs_rc rc = info_pod_rows(f, p, &g);
    if (rc == GS_OK)
        show_pods(&g, f, p);
    gs_tally_free(&g.names);
    gs_tally_free(&g.specs);
    gs_tally_free(&g.qos);
    gs_tally_free(&g.phase);
    return rc;
}

static enum gs_rc info(struct gs_info *f)
{
    struct pods p = {0};
    enum gs_rc rc = gs_csv_open(&p.csv, f->in, f->err);
    if (rc == GS_OK)
        rc = gs_openb_is_node_list(&p.csv) ? gs_openb_info_nodes(f, &p.csv) : info_pods(f, &p);
    gs_csv_close(&p.csv);
    return rc;
}

const struct gs_reader gs_reader_openb = {"openb", 1, guess, read_jobs, info};

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
#include "sim/base/buf.h"
#include "traces/joblog.h"
#include "traces/table.h"

#include <string.h>

#include "sim/base/banned.h"

/* Columns of a pod list, in the order of the file; those before gpu_spec are in every list. */
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
    POD_COLUMNS
};

static const struct gs_field fields[POD_COLUMNS] = {{"name", 0},
                                                    {"cpu_milli", 0},
                                                    {"memory_mib", 0},
                                                    {"num_gpu", 0},
                                                    {"gpu_milli", 0},
                                                    {"gpu_spec", GS_FIELD_OPTIONAL},
                                                    {"qos", GS_FIELD_OPTIONAL},
                                                    {"pod_phase", GS_FIELD_OPTIONAL},
                                                    {"creation_time", GS_FIELD_OPTIONAL},
                                                    {"deletion_time", GS_FIELD_OPTIONAL},
                                                    {"scheduled_time", GS_FIELD_OPTIONAL}};

struct pod {
    int64_t cpus_milli, mem_mib, gpus, gpu_milli;
    int64_t creation_ns, deletion_ns, scheduled_ns; /* -1 = not recorded */
};

struct own {
    int has_times; /* -1 = not known yet */
    int64_t gpu_pods, share_pods, bad_end, bad_start;
    gs_i128 gpu_milli_ns;
};

static enum gs_rc take_time(struct gs_row *r, const char *const *v, enum pod_column k, int64_t *out)
{
    *out = -1;
    return *v[k] ? gs_row_seconds(r, fields[k].name, v[k], out) : GS_OK;
}

static enum gs_rc check_gpu_milli(struct gs_row *r, const char *shown, const struct pod *d)
{
    const char *why = "gpu_milli contradicts num_gpu";
    if (d->gpus == 0 && d->gpu_milli != 0)
        return gs_row_bad(r, why, "gpu_milli", shown, "contradicts num_gpu 0");
    if (d->gpus > 1 && d->gpu_milli != 1000)
        return gs_row_bad(r, why, "gpu_milli", shown, "is a share of several GPUs, expected 1000");
    if (d->gpus == 1 && d->gpu_milli == 0)
        return gs_row_bad(r, why, "gpu_milli", shown, "contradicts num_gpu 1");
    return GS_OK;
}

static enum gs_rc decode(struct gs_row *r, const char *const *v, struct pod *d)
{
    enum gs_rc rc = gs_row_int(r, "cpu_milli", v[P_CPU], GS_TRACE_CPUS_MAX, &d->cpus_milli);
    if (rc == GS_OK)
        rc = gs_row_int(r, "memory_mib", v[P_MEMORY], GS_TRACE_MEMORY_MAX, &d->mem_mib);
    if (rc == GS_OK)
        rc = gs_row_int(r, "num_gpu", v[P_NUM_GPU], GS_TRACE_GPUS_MAX, &d->gpus);
    if (rc == GS_OK)
        rc = gs_row_int(r, "gpu_milli", v[P_GPU_MILLI], 1000, &d->gpu_milli);
    if (rc == GS_OK)
        rc = check_gpu_milli(r, v[P_GPU_MILLI], d);
    if (rc == GS_OK)
        rc = take_time(r, v, P_CREATION, &d->creation_ns);
    if (rc == GS_OK)
        rc = take_time(r, v, P_DELETION, &d->deletion_ns);
    if (rc == GS_OK)
        rc = take_time(r, v, P_SCHEDULED, &d->scheduled_ns);
    return rc;
}

static enum gs_rc check_times(struct gs_row *r, const char *const *v, const struct pod *d)
{
    if (d->creation_ns < 0)
        return gs_row_bad(r, "no creation time", "creation_time", "",
                          "is empty, but a pod needs a creation time");
    if (d->scheduled_ns >= 0 && d->deletion_ns < d->scheduled_ns)
        return gs_row_bad(r, "deleted before scheduled", "deletion_time", v[P_DELETION],
                          "is missing or before scheduled_time");
    return GS_OK;
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

static uint8_t end_state(const char *phase)
{
    if (strcmp(phase, "Succeeded") == 0)
        return GS_END_COMPLETED;
    return strcmp(phase, "Failed") == 0 ? GS_END_FAILED : GS_END_UNKNOWN;
}

static void count(struct own *own, const struct pod *d)
{
    own->gpu_pods += d->gpus > 0;
    own->share_pods += d->gpus == 1 && d->gpu_milli < 1000;
    own->bad_end += d->scheduled_ns >= 0 && d->deletion_ns < d->scheduled_ns;
    own->bad_start += d->scheduled_ns >= 0 && d->scheduled_ns < d->creation_ns;
    if (d->scheduled_ns >= 0)
        own->gpu_milli_ns += (gs_i128)(d->gpus * d->gpu_milli) * (d->deletion_ns - d->scheduled_ns);
}

static enum gs_rc row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct own *own = s->own;
    struct pod d = {0};
    enum gs_rc rc = decode(r, v, &d);
    if (rc != GS_OK)
        return rc;
    if (own->has_times < 0)
        own->has_times = gs_csv_find(s->table, fields[P_CREATION].name) != GS_CSV_NONE;
    const int is_static = s->o->static_list || !own->has_times;
    if (!is_static)
        rc = check_times(r, v, &d);
    if (rc != GS_OK)
        return rc;
    struct gs_job j = gs_scan_new_job(s, r->line);
    j.name = gs_intern(s->str, v[P_NAME]);
    rc = gs_scan_unique(s, r, "name", j.name);
    if (rc != GS_OK)
        return rc;
    count(own, &d);
    if (!is_static && d.scheduled_ns < 0) {
        gs_row_drop(r, "pending pod: never scheduled, so no run time");
        return GS_OK;
    }
    j.kind = strcmp(v[P_QOS], "LS") == 0 ? GS_KIND_INTERACTIVE : GS_KIND_BATCH;
    j.end_state = end_state(v[P_PHASE]);
    j.submit_ns = is_static ? (int64_t)(s->n->rows - 1) * GS_SECOND : d.creation_ns;
    if (!is_static)
        gs_log_start(s, &j, d.scheduled_ns);
    j.run_ns = is_static ? GS_NEVER : d.deletion_ns - d.scheduled_ns;
    j.duration_source = is_static ? GS_DURATION_ENDLESS : GS_DURATION_TRACE;
    j.gpus = j.task_gpus = (uint32_t)d.gpus;
    j.share_milli = d.gpus == 1 ? (uint32_t)d.gpu_milli : 1000;
    j.cpus_milli = d.cpus_milli;
    j.mem_mib = d.mem_mib;
    j.models = s->o->keep_gpu_spec ? model_set(s->str, v[P_GPU_SPEC]) : 0;
    return gs_scan_job(s, &j);
}

static const struct gs_figure figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "sum_num_gpu", .op = GS_FIG_SUM, .a = "num_gpu"},
    {.quantity = "sum_gpu_milli", .op = GS_FIG_SUM_PRODUCT, .a = "num_gpu", .b = "gpu_milli"},
    {.quantity = "sum_cpu_milli", .op = GS_FIG_SUM, .a = "cpu_milli"},
    {.quantity = "sum_memory_mib", .op = GS_FIG_SUM, .a = "memory_mib"},
    {.quantity = "columns", .op = GS_FIG_COLUMNS},
    {.quantity = "spec_pods", .op = GS_FIG_FILLED, .a = "gpu_spec"},
    {.quantity = "specs", .op = GS_FIG_TALLY_FILLED, .a = "gpu_spec"},
    {.quantity = "qos", .op = GS_FIG_TALLY, .a = "qos"},
    {.quantity = "phase", .op = GS_FIG_TALLY, .a = "pod_phase"},
    {.quantity = "first_creation", .op = GS_FIG_MIN, .a = "creation_time"},
    {.quantity = "last_creation", .op = GS_FIG_MAX, .a = "creation_time"},
    {.quantity = "last_deletion", .op = GS_FIG_MAX, .a = "deletion_time"},
    {.quantity = "no_scheduled_time", .op = GS_FIG_NULLS, .a = "scheduled_time"},
    {.quantity = "queue_seconds",
     .op = GS_FIG_SUM_SPAN,
     .a = "scheduled_time",
     .b = "creation_time"},
    {.quantity = "creation_out_of_order", .op = GS_FIG_OUT_OF_ORDER, .a = "creation_time"},
};

static void show(struct gs_scan *s, struct gs_info *f)
{
    const struct own *own = s->own;
    gs_info_int(f, "gpu_pods", own->gpu_pods);
    gs_info_int(f, "share_pods", own->share_pods);
    if (own->has_times <= 0)
        return;
    gs_info_decimal(f, "gpu_milli_seconds", own->gpu_milli_ns, 9);
    gs_info_int(f, "deletion_before_scheduled", own->bad_end);
    gs_info_int(f, "scheduled_before_creation", own->bad_start);
    gs_info_int(f, "duplicate_names", (int64_t)s->n->duplicates);
}

static const struct gs_table table = {.fields = fields,
                                      .nfields = POD_COLUMNS,
                                      .figures = figures,
                                      .nfigures = sizeof figures / sizeof figures[0],
                                      .row = row,
                                      .show = show};

static enum gs_rc scan(struct gs_scan *s)
{
    struct own own = {.has_times = -1};
    s->own = &own;
    const enum gs_rc rc = gs_table_scan(s, &table);
    if (rc != GS_OK)
        return rc;
    if (s->o->static_list || own.has_times == 0)
        gs_count_assume(s->n, "no times used: pods arrive a second apart and never end",
                        s->n->emitted);
    gs_count_assume(s->n, "no estimate in this format", s->n->emitted);
    return GS_OK;
}

static int guess(const struct gs_probe *p)
{
    return gs_table_fits(&table, p->head);
}

const struct gs_reader gs_reader_openb = {
    .name = "openb",
    .what = "Alibaba GPU cluster 2023: pod lists",
    .units = "times s from the first pod, milli-GPUs, milli-CPUs, MiB",
    .flags = GS_READER_IDS,
    .guess = guess,
    .scan = scan};

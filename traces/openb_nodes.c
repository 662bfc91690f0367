/* openb_nodes.c - Alibaba's GPU cluster trace of 2023: node lists, as inventories and for `trace info`.
 *
 * Columns: sn, cpu_milli, memory_mib, gpu, model; the model is empty on nodes without GPUs. Names are unique. GPU memory is not in the file: it
 * comes from the catalog, where the model is known there. Cost: O(bytes). */
#include "traces/formats.h"
#include "traces/inventory.h"

#include "sim/base/banned.h"

enum node_column {
    N_SN,
    N_CPU,
    N_MEMORY,
    N_GPU,
    N_MODEL,
    NODE_COLUMNS
};

static const struct gs_field fields[NODE_COLUMNS] = {
    {"sn", 0}, {"cpu_milli", 0}, {"memory_mib", 0}, {"gpu", 0}, {"model", 0}};

static const struct gs_figure figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "sum_gpu", .op = GS_FIG_SUM, .a = "gpu"},
    {.quantity = "sum_cpu_milli", .op = GS_FIG_SUM, .a = "cpu_milli"},
    {.quantity = "sum_memory_mib", .op = GS_FIG_SUM, .a = "memory_mib"},
    {.quantity = "gpus_by_model", .op = GS_FIG_TALLY_SUM, .a = "model", .b = "gpu"},
};

static enum gs_rc row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct gs_inventory_node node = {.line = r->line, .name = v[N_SN], .model = v[N_MODEL]};
    int64_t gpus = 0;
    enum gs_rc rc = gs_row_int(r, "cpu_milli", v[N_CPU], GS_TRACE_CPUS_MAX, &node.cpus_milli);
    if (rc == GS_OK)
        rc = gs_row_int(r, "memory_mib", v[N_MEMORY], GS_TRACE_MEMORY_MAX, &node.mem_mib);
    if (rc == GS_OK)
        rc = gs_row_int(r, "gpu", v[N_GPU], GS_NODE_GPUS_MAX, &gpus);
    if (rc == GS_OK && gpus > 0 && !*node.model)
        rc = gs_row_bad(r, "GPUs without a model", "model", "", "is empty on a node with GPUs");
    node.gpus = (uint32_t)gpus;
    return rc == GS_OK ? gs_inventory_give(s, r, "sn", &node) : rc;
}

const struct gs_table gs_openb_node_table = {GS_TABLE_FIELDS(fields), GS_TABLE_FIGURES(figures),
                                             .row = row};

static enum gs_rc scan(struct gs_scan *s)
{
    return gs_inventory_count(s, &gs_openb_node_table);
}

static int guess(const struct gs_probe *p)
{
    return gs_table_fits(&gs_openb_node_table, p->head);
}

const struct gs_reader gs_reader_openb_nodes = {
    .name = "openb-nodes",
    .what = "Alibaba GPU cluster 2023: node lists, for [nodes] inventory",
    .units = "milli-CPUs, MiB, whole GPUs",
    .flags = GS_READER_NO_RECORDS,
    .guess = guess,
    .scan = scan};

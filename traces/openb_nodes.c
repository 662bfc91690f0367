/* openb_nodes.c - Alibaba's GPU cluster trace of 2023: node lists, as inventories and for `trace info`.
 *
 * Columns: sn, cpu_milli, memory_mib, gpu, model; the model is empty on nodes without GPUs. Names are unique. GPU memory is not in the file: it
 * comes from the catalog, where the model is known there. Cost: O(bytes). */
#include "traces/reader.h"

#include <string.h>

#include "sim/base/banned.h"

#define NODE_GPUS_MAX 4096

enum node_column {
    N_SN,
    N_CPU,
    N_MEMORY,
    N_GPU,
    N_MODEL,
    NODE_COLUMNS
};

static const char *const node_names[NODE_COLUMNS] = {"sn", "cpu_milli", "memory_mib", "gpu",
                                                     "model"};

int gs_openb_is_node_list(const struct gs_csv *head)
{
    return gs_csv_find(head, "sn") != GS_CSV_NONE && gs_csv_find(head, "gpu") != GS_CSV_NONE;
}

static enum gs_rc find_node_columns(const struct gs_csv *c, size_t at[NODE_COLUMNS],
                                    struct gs_err *err)
{
    enum gs_rc rc = GS_OK;
    for (int i = 0; i < NODE_COLUMNS && rc == GS_OK; i++)
        rc = gs_csv_need(c, node_names[i], &at[i], err);
    return rc;
}

static enum gs_rc decode_node(struct gs_row *r, const struct gs_csv *c,
                              const size_t at[NODE_COLUMNS], struct gs_inventory_node *out)
{
    *out = (struct gs_inventory_node){.line = r->line};
    enum gs_rc rc = gs_row_width(r, c);
    if (rc != GS_OK)
        return rc;
    int64_t gpus = 0;
    out->name = gs_csv_field(c, at[N_SN]);
    out->model = gs_csv_field(c, at[N_MODEL]);
    rc =
        gs_row_int(r, "cpu_milli", gs_csv_field(c, at[N_CPU]), GS_TRACE_CPUS_MAX, &out->cpus_milli);
    if (rc == GS_OK)
        rc = gs_row_int(r, "memory_mib", gs_csv_field(c, at[N_MEMORY]), GS_TRACE_MEMORY_MAX,
                        &out->mem_mib);
    if (rc == GS_OK)
        rc = gs_row_int(r, "gpu", gs_csv_field(c, at[N_GPU]), NODE_GPUS_MAX, &gpus);
    if (rc == GS_OK && gpus > 0 && !*out->model)
        rc = gs_row_bad(r, "GPUs without a model", "model", "", "is empty on a node with GPUs");
    out->gpus = (uint32_t)gpus;
    return rc;
}

struct node_read {
    const struct gs_input *in;
    enum gs_bad_rows bad;
    gs_inventory_fn *add;
    void *ctx;
    struct gs_trace_counts *n;
    struct gs_err *err;
    struct gs_intern names; /* seen so far */
};

static enum gs_rc check_name(struct node_read *nr, struct gs_row *r, const char *name)
{
    if (!*name)
        return gs_row_bad(r, "no name", "sn", name, "is empty, but a node needs a name");
    const uint32_t known = nr->names.n;
    if (gs_intern(&nr->names, name) == known)
        return GS_OK;
    nr->n->duplicates++;
    return gs_row_bad(r, "duplicate id", "sn", name, "stands in an earlier line too");
}

static enum gs_rc read_nodes(struct node_read *nr, struct gs_csv *c)
{
    size_t at[NODE_COLUMNS];
    enum gs_rc rc = find_node_columns(c, at, nr->err);
    for (int more = 1; rc == GS_OK;) {
        rc = gs_csv_next(c, &more, nr->err);
        if (rc != GS_OK || !more)
            break;
        nr->n->rows++;
        struct gs_row r = {nr->in, c->line, nr->bad, nr->n, NULL, nr->err};
        struct gs_inventory_node node;
        rc = decode_node(&r, c, at, &node);
        if (rc == GS_OK)
            rc = check_name(nr, &r, node.name);
        if (rc != GS_OK) {
            rc = gs_row_end(&r, rc);
            continue;
        }
        rc = nr->add(nr->ctx, &node, nr->err); /* its faults are never bad rows */
        nr->n->emitted += rc == GS_OK;
    }
    if (rc == GS_OK && nr->n->emitted == 0)
        rc = gs_fail(nr->err, GS_E_INPUT, "%s: no node in this list (%llu rows, all skipped)",
                     nr->in->shown, (unsigned long long)nr->n->rows);
    return rc;
}

static enum gs_rc read_inventory(struct node_read *nr)
{
    struct gs_csv c;
    enum gs_rc rc = gs_csv_open(&c, nr->in, nr->err);
    if (rc == GS_OK) {
        gs_intern_init(&nr->names);
        rc = read_nodes(nr, &c);
        gs_intern_release(&nr->names);
    }
    gs_csv_close(&c);
    return rc;
}

enum gs_rc gs_inventory_read_input(const struct gs_input *in, enum gs_bad_rows bad,
                                   gs_inventory_fn *add, void *ctx, struct gs_trace_counts *n,
                                   struct gs_err *err)
{
    *n = (struct gs_trace_counts){
        .format = "openb", .bytes = in->stored, .origin_unix_ns = GS_NEVER};
    memcpy(n->digest, in->digest, sizeof n->digest);
    struct node_read nr = {.in = in, .bad = bad, .add = add, .ctx = ctx, .n = n, .err = err};
    return read_inventory(&nr);
}

enum gs_rc gs_inventory_read(const char *path, const char *format, enum gs_bad_rows bad,
                             gs_inventory_fn *add, void *ctx, struct gs_trace_counts *n,
                             struct gs_err *err)
{
    gs_require(path && add && n);
    *n = (struct gs_trace_counts){.origin_unix_ns = GS_NEVER};
    if (format && strcmp(format, "openb") != 0)
        return gs_fail(err, GS_E_INPUT, "'%s' is not an inventory format (known: openb)", format);
    struct gs_input in;
    enum gs_rc rc = gs_input_read(&in, path, NULL, err);
    if (rc == GS_OK)
        rc = gs_inventory_read_input(&in, bad, add, ctx, n, err);
    gs_input_release(&in);
    return rc;
}

enum gs_rc gs_openb_info_nodes(struct gs_info *f, struct gs_csv *c)
{
    size_t at[NODE_COLUMNS];
    gs_i128 gpus = 0;
    gs_i128 cpus_milli = 0;
    gs_i128 mem_mib = 0;
    struct gs_tally models = {0};
    enum gs_rc rc = find_node_columns(c, at, f->err);
    for (int more = 1; rc == GS_OK;) {
        rc = gs_csv_next(c, &more, f->err);
        if (rc != GS_OK || !more)
            break;
        struct gs_row r = gs_info_row(f, c->line);
        struct gs_inventory_node node;
        rc = decode_node(&r, c, at, &node);
        if (rc == GS_OK) {
            f->n.emitted++;
            gpus += node.gpus;
            cpus_milli += node.cpus_milli;
            mem_mib += node.mem_mib;
            gs_tally_text(&models, node.model, node.gpus);
        }
        rc = gs_row_end(&r, rc);
    }
    if (rc == GS_OK) {
        gs_info_int(f, "rows", (int64_t)f->n.emitted);
        gs_info_decimal(f, "sum_gpu", gpus, 0);
        gs_info_decimal(f, "sum_cpu_milli", cpus_milli, 0);
        gs_info_decimal(f, "sum_memory_mib", mem_mib, 0);
        gs_info_tally(f, "gpus_by_model", &models, SIZE_MAX);
    }
    gs_tally_free(&models);
    return rc;
}

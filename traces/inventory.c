/* inventory.c - node lists as inventories of [nodes]: which list a file is, one row after the other to the caller (trace.h).
 *
 * Invariant: names are unique within a list, and each row is given or counted as skipped. Cost: O(bytes). */
#include "traces/inventory.h"

#include <string.h>

#include "sim/base/banned.h"

/* Where the nodes go; the scan's `own`. */
struct own {
    gs_inventory_fn *add; /* NULL = they are only counted */
    void *ctx;
    struct gs_intern names; /* seen so far */
};

static enum gs_rc check_name(struct own *own, struct gs_scan *s, struct gs_row *r,
                             const char *column, const char *name)
{
    if (!*name)
        return gs_row_bad(r, "no name", column, name, "is empty, but a node needs a name");
    const uint32_t known = own->names.n;
    if (gs_intern(&own->names, name) == known)
        return GS_OK;
    s->n->duplicates++;
    return gs_row_bad(r, "duplicate id", column, name, "stands in an earlier line too");
}

enum gs_rc gs_inventory_give(struct gs_scan *s, struct gs_row *r, const char *column,
                             const struct gs_inventory_node *node)
{
    struct own *own = s->own;
    const enum gs_rc rc = own->add ? check_name(own, s, r, column, node->name) : GS_OK;
    if (rc != GS_OK)
        return rc;
    s->n->emitted++;
    if (own->add)
        s->stop = own->add(own->ctx, node, s->err); /* its faults are never bad rows */
    return s->stop;
}

static enum gs_rc scan_nodes(struct gs_scan *s, struct own *own, const struct gs_table *t)
{
    gs_intern_init(&own->names);
    s->own = own;
    const enum gs_rc rc = gs_table_scan(s, t);
    s->own = NULL;
    gs_intern_release(&own->names);
    return rc;
}

enum gs_rc gs_inventory_count(struct gs_scan *s, const struct gs_table *t)
{
    struct own own = {0};
    return scan_nodes(s, &own, t);
}

/* Looks at the header and consumes nothing. What is neither list is read as openb's, which says the column that is missing. */
static int is_spot_list(struct gs_input *in)
{
    const struct gs_reader *reader = NULL;
    return gs_reader_find(NULL, in, &reader, NULL) == GS_OK &&
           strcmp(reader->name, "spot-nodes") == 0;
}

enum gs_rc gs_inventory_read_input(struct gs_input *in, enum gs_bad_rows bad, gs_inventory_fn *add,
                                   void *ctx, struct gs_trace_counts *n, struct gs_err *err)
{
    const int is_spot = is_spot_list(in);
    *n = (struct gs_trace_counts){.origin_unix_ns = GS_NEVER};
    (void)gs_fmt(n->format, sizeof n->format, "%s", is_spot ? "spot" : "openb");
    struct gs_trace_options o;
    gs_trace_options_init(&o);
    o.bad_rows = bad;
    struct own own = {.add = add, .ctx = ctx};
    struct gs_intern str;
    gs_intern_init(&str);
    struct gs_scan s = {.in = in, .o = &o, .n = n, .str = &str, .err = err};
    enum gs_rc rc = scan_nodes(&s, &own, is_spot ? &gs_spot_node_table : &gs_openb_node_table);
    if (rc == GS_OK && n->emitted == 0)
        rc = gs_fail(err, GS_E_INPUT, "%s: no node in this list (%llu rows, all skipped)",
                     in->shown, (unsigned long long)n->rows);
    if (rc == GS_OK)
        rc = gs_input_finish(in, err);
    n->nassumed = 0; /* columns that are not used: their names end with the strings here */
    n->bytes = in->stored;
    memcpy(n->digest, in->digest, sizeof n->digest);
    gs_intern_release(&str);
    return rc;
}

enum gs_rc gs_inventory_read(const char *path, const char *format, enum gs_bad_rows bad,
                             gs_inventory_fn *add, void *ctx, struct gs_trace_counts *n,
                             struct gs_err *err)
{
    gs_require(path && add && n);
    *n = (struct gs_trace_counts){.origin_unix_ns = GS_NEVER};
    if (format && strcmp(format, "openb") != 0 && strcmp(format, "spot") != 0)
        return gs_fail(err, GS_E_INPUT, "'%s' is not an inventory format (known: openb, spot)",
                       format);
    struct gs_input in;
    enum gs_rc rc = gs_input_open(&in, path, NULL, err);
    if (rc == GS_OK)
        rc = gs_inventory_read_input(&in, bad, add, ctx, n, err);
    gs_input_close(&in);
    return rc;
}

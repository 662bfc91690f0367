/* failures_log.c - a recorded list of failures ([failures] log): what failed, when, and for how long.
 *
 *   time,node,gpu,duration,cause
 *   86400,n-03,,7200,kernel panic          the node, for two hours
 *   90000,n-07,5,600,XID 79                 its sixth device
 *
 * time and duration are s from t = 0; an empty gpu is the whole node; cause may be missing. A node that the scenario has not is an error: a log of
 * another cluster would fail nothing in silence. */
#include "sim/base/units.h"
#include "sim/failures.h"
#include "traces/listing.h"

#include <string.h>

enum column {
    C_TIME,
    C_NODE,
    C_DURATION,
    C_NEEDED,
    C_GPU = C_NEEDED,
    C_CAUSE,
    C_COUNT
};

const struct gs_listing_form gs_failures_form = {
    .section = "failures",
    .key = "log",
    .n = C_COUNT,
    .needed = C_NEEDED,
    .column = {[C_TIME] = {"time", "when, s from the start"},
               [C_NODE] = {"node", "which node"},
               [C_DURATION] = {"duration", "how long, s"},
               [C_GPU] = {"gpu", "which of its GPUs, from 0; empty = the whole node"},
               [C_CAUSE] = {"cause", "text"}},
};

struct log {
    struct gs_run *r;
    struct gs_listing list;
};

static enum gs_rc read_row(struct log *l)
{
    const struct gs_cluster *c = &l->r->cluster;
    struct gs_failure_row row = {.gpu = GS_NONE};
    const char *cause = gs_listing_field(&l->list, C_CAUSE);
    if (gs_parse_seconds(gs_listing_field(&l->list, C_TIME), &row.at_ns, NULL) || row.at_ns < 0)
        return gs_listing_bad(&l->list, C_TIME, "seconds from t = 0");
    if (gs_parse_seconds(gs_listing_field(&l->list, C_DURATION), &row.for_ns, NULL) ||
        row.for_ns < 0)
        return gs_listing_bad(&l->list, C_DURATION, "seconds");
    row.node = gs_cluster_node(c, gs_listing_field(&l->list, C_NODE));
    if (row.node == GS_NONE)
        return gs_listing_bad(&l->list, C_NODE, "a node of this scenario");
    if (*gs_listing_field(&l->list, C_GPU)) {
        int64_t g = 0;
        if (gs_parse_int(gs_listing_field(&l->list, C_GPU), 0, (int64_t)c->gpu_count[row.node] - 1,
                         &g, NULL))
            return gs_listing_bad(&l->list, C_GPU, "the number of one of the node's GPUs, from 0");
        row.gpu = c->gpu_first[row.node] + (uint32_t)g;
    }
    row.cause = gs_intern(&l->r->str, *cause ? cause : "failure in the log");
    gs_failures_add(l->r, &row);
    return GS_OK;
}

enum gs_rc gs_failures_log(struct gs_run *r, const char *path, const char *shown,
                           struct gs_err *err)
{
    struct log l = {.r = r};
    int more = 1;
    enum gs_rc rc = gs_listing_open(&l.list, path, shown, &gs_failures_form, err);
    while (!rc && more) {
        rc = gs_listing_next(&l.list, &more);
        if (!rc && more)
            rc = read_row(&l);
    }
    if (!rc)
        gs_run_note_input(r, &l.list.in, shown, "failures", l.list.rows);
    gs_listing_close(&l.list);
    return rc;
}

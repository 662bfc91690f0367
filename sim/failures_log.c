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
#include "traces/csv.h"

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

static const char *const names[C_COUNT] = {"time", "node", "duration", "gpu", "cause"};

struct log {
    struct gs_run *r;
    struct gs_input in;
    struct gs_csv csv;
    size_t column[C_COUNT];
    struct gs_err *err;
};

static const char *field(const struct log *l, enum column c)
{
    return gs_csv_field(&l->csv, l->column[c]);
}

static enum gs_rc bad(const struct log *l, enum column c, const char *expected)
{
    return gs_fail(l->err, GS_E_INPUT, "%s:%lld: column '%s': found '%s', expected %s", l->in.shown,
                   (long long)l->csv.line, names[c], field(l, c), expected);
}

static enum gs_rc read_row(struct log *l)
{
    const struct gs_cluster *c = &l->r->cluster;
    struct gs_failure_row row = {.gpu = GS_NONE};
    const char *cause = field(l, C_CAUSE);
    if (gs_csv_fields(&l->csv) != gs_csv_columns(&l->csv))
        return gs_fail(l->err, GS_E_INPUT, "%s:%lld: %zu fields, the header has %zu", l->in.shown,
                       (long long)l->csv.line, gs_csv_fields(&l->csv), gs_csv_columns(&l->csv));
    if (gs_parse_seconds(field(l, C_TIME), &row.at_ns, NULL) || row.at_ns < 0)
        return bad(l, C_TIME, "seconds from t = 0");
    if (gs_parse_seconds(field(l, C_DURATION), &row.for_ns, NULL) || row.for_ns < 0)
        return bad(l, C_DURATION, "seconds");
    const uint32_t name = gs_intern_find(&l->r->str, field(l, C_NODE));
    while (row.node < c->nnodes && c->node_name[row.node] != name)
        row.node++;
    if (name == GS_NONE || row.node == c->nnodes)
        return bad(l, C_NODE, "a node of this scenario");
    if (*field(l, C_GPU)) {
        int64_t g = 0;
        if (gs_parse_int(field(l, C_GPU), 0, (int64_t)c->gpu_count[row.node] - 1, &g, NULL))
            return bad(l, C_GPU, "the number of one of the node's GPUs, from 0");
        row.gpu = c->gpu_first[row.node] + (uint32_t)g;
    }
    row.cause = gs_intern(&l->r->str, *cause ? cause : "failure in the log");
    gs_failures_add(l->r, &row);
    return GS_OK;
}

static enum gs_rc read_rows(struct log *l, uint64_t *rows)
{
    enum gs_rc rc = gs_csv_open(&l->csv, &l->in, l->err);
    for (int i = 0; i < C_COUNT && !rc; i++) {
        l->column[i] = gs_csv_find(&l->csv, names[i]);
        if (l->column[i] == GS_CSV_NONE && i < C_NEEDED)
            rc = gs_csv_need(&l->csv, names[i], &l->column[i], l->err);
    }
    for (int more = 1; !rc;) {
        rc = gs_csv_next(&l->csv, &more, l->err);
        if (rc || !more)
            break;
        ++*rows;
        rc = read_row(l);
    }
    return rc ? rc : gs_input_finish(&l->in, l->err);
}

enum gs_rc gs_failures_log(struct gs_run *r, const char *path, const char *shown,
                           struct gs_err *err)
{
    struct log l = {.r = r, .err = err};
    struct gs_file_read f = {.path = shown};
    enum gs_rc rc = gs_input_open(&l.in, path, shown, err);
    if (!rc)
        rc = read_rows(&l, &f.n.rows);
    if (!rc) {
        f.n.origin_unix_ns = GS_NEVER;
        f.n.emitted = f.n.rows;
        f.n.bytes = l.in.stored;
        memcpy(f.n.digest, l.in.digest, sizeof f.n.digest);
        (void)gs_fmt(f.n.format, sizeof f.n.format, "failures");
        gs_vec_push(&r->inputs, f);
    }
    gs_csv_close(&l.csv);
    gs_input_close(&l.in);
    return rc;
}

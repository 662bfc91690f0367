/* philly_series.c - files that others derived from the Philly release, without jobs.
 *
 * Node sequence: time, active, total; a row a minute (local wall clock; ten hours of 2017-10-25 are missing): nodes with work, nodes
 * known. Run times: one column `runtime`, sorted, seconds, no ids. */
#include "traces/table.h"

#include "sim/base/banned.h"

static const struct gs_field node_fields[] = {{"time", 0}, {"active", 0}, {"total", 0}};

static const struct gs_figure node_figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "first", .op = GS_FIG_MIN_TEXT, .a = "time"},
    {.quantity = "last", .op = GS_FIG_MAX_TEXT, .a = "time"},
    {.quantity = "sum_active", .op = GS_FIG_SUM, .a = "active"},
    {.quantity = "max_total", .op = GS_FIG_MAX, .a = "total"},
    {.quantity = "min_total", .op = GS_FIG_MIN, .a = "total"}};

static const struct gs_table nodes = {GS_TABLE_FIELDS(node_fields), GS_TABLE_FIGURES(node_figures)};

static int guess_nodes(const struct gs_probe *p)
{
    return p->head && gs_csv_columns(p->head) == 3 && gs_table_fits(&nodes, p->head);
}

static enum gs_rc scan_nodes(struct gs_scan *s)
{
    return gs_table_scan(s, &nodes);
}

static const struct gs_field runtime_fields[] = {{"runtime", 0}};

static const struct gs_figure runtime_figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "sum", .op = GS_FIG_SUM, .a = "runtime"},
    {.quantity = "max", .op = GS_FIG_MAX, .a = "runtime"}};

static const struct gs_table runtimes = {GS_TABLE_FIELDS(runtime_fields),
                                         GS_TABLE_FIGURES(runtime_figures)};

static int guess_runtimes(const struct gs_probe *p)
{
    return p->head && gs_csv_columns(p->head) == 1 && gs_table_fits(&runtimes, p->head);
}

static enum gs_rc scan_runtimes(struct gs_scan *s)
{
    return gs_table_scan(s, &runtimes);
}

const struct gs_reader gs_reader_philly_nodes = {
    .name = "philly-nodes",
    .what = "Philly: nodes at work, minute by minute",
    .units = "wall clock, 1 min; nodes",
    .zone = "America/Los_Angeles",
    .flags = GS_READER_NO_RECORDS,
    .guess = guess_nodes,
    .scan = scan_nodes,
};

const struct gs_reader gs_reader_philly_runtimes = {
    .name = "philly-runtimes",
    .what = "Philly: run times without jobs",
    .units = "s",
    .flags = GS_READER_NO_RECORDS,
    .guess = guess_runtimes,
    .scan = scan_runtimes,
};

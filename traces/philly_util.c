/* philly_util.c - utilisation and machines of the Philly release: no jobs.
 *
 * - `cluster_gpu_util`: time, machineId, gpu0_util .. gpu7_util (percent), a comma at the end of each line, `NA` for a GPU that is offline or
 *   not there. time is `YYYY-MM-DD HH:MM:SS PDT` (or PST): wall clock with its daylight time said, so the hour that happens twice in
 *   November is two different texts.
 * - `cluster_cpu_util`: time, machine_id, cpu_util. `cluster_mem_util`: time, machine_id, mem_total, mem_free (kB, not stated).
 * - `cluster_machine_list`: machineId, number of GPUs, single GPU mem, a blank behind some commas (`m31,8, 24GB`).
 * A row a machine and a minute. Source: philly_log.c. */
#include "traces/table.h"

#include "sim/base/banned.h"

#define COMMON                                                     \
    {.quantity = "rows", .op = GS_FIG_ROWS},                       \
        {.quantity = "first", .op = GS_FIG_MIN_TEXT, .a = "time"}, \
    {                                                              \
        .quantity = "last", .op = GS_FIG_MAX_TEXT, .a = "time"     \
    }

static const struct gs_field gpu_fields[] = {{"time", 0},
                                             {"machineId", 0},
                                             {"gpu0_util", 0},
                                             {"gpu1_util", GS_FIELD_OPTIONAL},
                                             {"gpu2_util", GS_FIELD_OPTIONAL},
                                             {"gpu3_util", GS_FIELD_OPTIONAL},
                                             {"gpu4_util", GS_FIELD_OPTIONAL},
                                             {"gpu5_util", GS_FIELD_OPTIONAL},
                                             {"gpu6_util", GS_FIELD_OPTIONAL},
                                             {"gpu7_util", GS_FIELD_OPTIONAL},
                                             {"", GS_FIELD_OPTIONAL}};

static const struct gs_figure gpu_figures[] = {
    COMMON,
    {.quantity = "machines", .op = GS_FIG_DISTINCT, .a = "machineId"},
    {.quantity = "null_gpu0_util", .op = GS_FIG_NULLS, .a = "gpu0_util"},
    {.quantity = "sum_gpu0_util", .op = GS_FIG_SUM, .a = "gpu0_util", .places = 6},
    {.quantity = "sum_gpu7_util", .op = GS_FIG_SUM, .a = "gpu7_util", .places = 6}};

static const struct gs_field cpu_fields[] = {{"time", 0}, {"machine_id", 0}, {"cpu_util", 0}};

static const struct gs_figure cpu_figures[] = {
    COMMON,
    {.quantity = "machines", .op = GS_FIG_DISTINCT, .a = "machine_id"},
    {.quantity = "null_cpu_util", .op = GS_FIG_NULLS, .a = "cpu_util"},
    {.quantity = "sum_cpu_util", .op = GS_FIG_SUM, .a = "cpu_util", .places = 6}};

static const struct gs_field mem_fields[] = {
    {"time", 0}, {"machine_id", 0}, {"mem_total", 0}, {"mem_free", 0}};

static const struct gs_figure mem_figures[] = {
    COMMON,
    {.quantity = "machines", .op = GS_FIG_DISTINCT, .a = "machine_id"},
    {.quantity = "null_mem_free", .op = GS_FIG_NULLS, .a = "mem_free"},
    {.quantity = "sum_mem_total", .op = GS_FIG_SUM, .a = "mem_total"},
    {.quantity = "sum_mem_free", .op = GS_FIG_SUM, .a = "mem_free"}};

static const struct gs_field machine_fields[] = {
    {"machineId", 0}, {"number of GPUs", 0}, {"single GPU mem", 0}};

static const struct gs_figure machine_figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "sum_gpus", .op = GS_FIG_SUM, .a = "number of GPUs"},
    {.quantity = "gpus_by_memory",
     .op = GS_FIG_TALLY_SUM,
     .a = "single GPU mem",
     .b = "number of GPUs"}};

static const struct gs_table tables[] = {
    {GS_TABLE_FIELDS(gpu_fields), GS_TABLE_FIGURES(gpu_figures), .trailing_comma = 1},
    {GS_TABLE_FIELDS(cpu_fields), GS_TABLE_FIGURES(cpu_figures), .trailing_comma = 1},
    {GS_TABLE_FIELDS(mem_fields), GS_TABLE_FIGURES(mem_figures), .trailing_comma = 1},
    {GS_TABLE_FIELDS(machine_fields), GS_TABLE_FIGURES(machine_figures), .trailing_comma = 1}};

static int guess(const struct gs_probe *p)
{
    return gs_table_which(tables, sizeof tables / sizeof tables[0], p->head) != NULL;
}

static enum gs_rc scan(struct gs_scan *s)
{
    return gs_table_scan_one(s, tables, sizeof tables / sizeof tables[0]);
}

const struct gs_reader gs_reader_philly_util = {
    .name = "philly-util",
    .what = "Philly: utilisation of GPUs, CPUs and memory; machines",
    .units = "wall clock with PDT or PST, 1 min; percent; kB (UNVERIFIED)",
    .flags = GS_READER_NO_RECORDS,
    .guess = guess,
    .scan = scan,
};

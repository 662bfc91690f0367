/* vidur.c - request lists of the Vidur simulator (MLSys'24): arrived_at, num_prefill_tokens, num_decode_tokens; and its lists of
 * lengths, without arrivals.
 *
 * arrived_at is seconds from the first request, with binary noise (5.8926549999999995), rounded to the ns. Length lists have
 * num_total_tokens and pd_ratio, which follow from the lengths and are not used; their requests come in file order, a second apart, and
 * are counted as having no arrival.
 * Source: github.com/microsoft/vidur. */
#include "sim/base/units.h"
#include "traces/calls.h"
#include "traces/table.h"

#include "sim/base/banned.h"

enum {
    ARRIVED_AT,
    PREFILL,
    DECODE,
    TOTAL,
    RATIO
};

static const struct gs_field fields[] = {
    {"arrived_at", GS_FIELD_OPTIONAL}, {"num_prefill_tokens", 0},
    {"num_decode_tokens", 0},          {"num_total_tokens", GS_FIELD_OPTIONAL},
    {"pd_ratio", GS_FIELD_OPTIONAL},
};

static const struct gs_figure figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "sum_prefill", .op = GS_FIG_SUM, .a = "num_prefill_tokens"},
    {.quantity = "sum_decode", .op = GS_FIG_SUM, .a = "num_decode_tokens"},
    {.quantity = "last_arrival", .op = GS_FIG_LAST, .a = "arrived_at"},
};

static enum gs_rc row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct gs_call c = gs_scan_new_call(r->line);
    enum gs_rc rc = gs_row_int(r, "num_prefill_tokens", v[PREFILL], GS_TRACE_TOKENS_MAX, &c.input);
    if (rc == GS_OK)
        rc = gs_row_int(r, "num_decode_tokens", v[DECODE], GS_TRACE_TOKENS_MAX, &c.output);
    if (rc != GS_OK)
        return rc;
    if (*v[ARRIVED_AT]) {
        rc = gs_row_seconds(r, "arrived_at", v[ARRIVED_AT], &c.arrival_ns);
    } else {
        c.arrival_ns = s->records * GS_SECOND;
        gs_count_assume(s->n, "no arrival: a second after the request before", 1);
    }
    return rc == GS_OK ? gs_scan_call(s, &c, NULL) : rc;
}

static const struct gs_table table = {
    .fields = fields,
    .nfields = sizeof fields / sizeof *fields,
    .figures = figures,
    .nfigures = sizeof figures / sizeof *figures,
    .row = row,
};

const struct gs_reader gs_reader_vidur = {
    .name = "vidur",
    .what =
        "Vidur request lists: arrived_at, num_prefill_tokens, num_decode_tokens; or lengths only",
    .units = "arrival s from the first request, lengths in tokens",
    .flags = GS_READER_CALLS,
    .table = &table,
};

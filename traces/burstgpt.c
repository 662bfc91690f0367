/* burstgpt.c - BurstGPT, versions 1 to 3: requests of a campus to ChatGPT and GPT-4 over months.
 *
 * Columns: Timestamp, Model, Request tokens, Response tokens, Total tokens, Log Type; version 3 inserts Session ID and Elapsed time
 * behind Timestamp, so columns are found by name. Time is seconds from midnight of the first day, local zone, with a fraction in later
 * versions. A response of 0 tokens is a failed request. Session ID is empty on API rows. Elapsed time is the whole
 * request in seconds, not the time to the first token. Model and log type together are the service: `GPT-4/API log`.
 * Source: github.com/HPMLL/BurstGPT (KDD'25). */
#include "sim/base/units.h"
#include "traces/calls.h"
#include "traces/table.h"

#include "sim/base/banned.h"

enum {
    TIMESTAMP,
    SESSION,
    ELAPSED,
    MODEL,
    REQUEST,
    RESPONSE,
    LOG_TYPE,
    TOTAL /* their sum, not used */
};

static const struct gs_field fields[] = {
    {"Timestamp", 0},
    {"Session ID", GS_FIELD_OPTIONAL},
    {"Elapsed time", GS_FIELD_OPTIONAL},
    {"Model", 0},
    {"Request tokens", 0},
    {"Response tokens", 0},
    {"Log Type", GS_FIELD_OPTIONAL},
    {"Total tokens", GS_FIELD_OPTIONAL},
};

static const struct gs_figure figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "sum_request", .op = GS_FIG_SUM, .a = "Request tokens"},
    {.quantity = "sum_response", .op = GS_FIG_SUM, .a = "Response tokens"},
    {.quantity = "first", .op = GS_FIG_FIRST, .a = "Timestamp"},
    {.quantity = "last", .op = GS_FIG_LAST, .a = "Timestamp"},
    {.quantity = "out_of_order", .op = GS_FIG_OUT_OF_ORDER, .a = "Timestamp"},
    {.quantity = "zero_request", .op = GS_FIG_ZEROS, .a = "Request tokens"},
    {.quantity = "zero_response", .op = GS_FIG_ZEROS, .a = "Response tokens"},
    {.quantity = "models", .op = GS_FIG_TALLY, .a = "Model"},
    {.quantity = "log_types", .op = GS_FIG_TALLY, .a = "Log Type"},
    {.quantity = "null_session", .op = GS_FIG_NULLS, .a = "Session ID"},
};

static enum gs_rc row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct gs_call c = gs_scan_new_call(r->line);
    enum gs_rc rc = gs_row_seconds(r, "Timestamp", v[TIMESTAMP], &c.arrival_ns);
    if (rc == GS_OK)
        rc = gs_row_int(r, "Request tokens", v[REQUEST], GS_TRACE_TOKENS_MAX, &c.input);
    if (rc == GS_OK)
        rc = gs_row_int(r, "Response tokens", v[RESPONSE], GS_TRACE_TOKENS_MAX, &c.output);
    if (rc == GS_OK && !gs_is_null(v[ELAPSED]))
        rc = gs_row_seconds(r, "Elapsed time", v[ELAPSED], &c.took_ns);
    if (rc != GS_OK)
        return rc;
    char service[256];
    (void)gs_fmt(service, sizeof service, "%.120s%s%.120s", v[MODEL], *v[LOG_TYPE] ? "/" : "",
                 v[LOG_TYPE]);
    c.service = gs_intern(s->str, service);
    c.session = gs_intern(s->str, v[SESSION]);
    c.outcome = c.output ? GS_CALL_OK : GS_CALL_FAILED;
    return gs_scan_call(s, &c, NULL);
}

static const struct gs_table table = {
    .fields = fields,
    .nfields = sizeof fields / sizeof *fields,
    .figures = figures,
    .nfigures = sizeof figures / sizeof *figures,
    .row = row,
};

const struct gs_reader gs_reader_burstgpt = {
    .name = "burstgpt",
    .what = "BurstGPT, versions 1 to 3: Timestamp, Model, Request tokens, Response tokens",
    .units = "arrival s from midnight of the first day, lengths in tokens, elapsed s",
    .flags = GS_READER_CALLS,
    .table = &table,
};

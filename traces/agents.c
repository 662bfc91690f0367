/* agents.c - two tables of agents' steps, derived from public logs: coding_agent_steps (model and tool calls with tokens) and
 * lmcache_agent_steps (model calls with characters).
 *
 * coding-agent: session, step, kind (llm, tool), name (model or tool), start_s and end_s from the session's first record, input_tokens,
 * cache_read_tokens, cache_write_tokens, output_tokens, n_tool_calls, result_chars, is_error. There is no time of day, so all sessions
 * begin at zero. The input of a call is all of its context: input + cache read + cache write. Parallel tool calls overlap.
 * Sessions hk and bt logged a placeholder for the output, which is then not recorded; `<synthetic>` is a message of the client
 * after an error, a failed call. A tool's result is its output, in characters.
 *
 * lmcache-agent: session, step, timestamp_us (Unix), rel_us, input_chars, output_chars, common_prefix_chars with the row before.
 * Time goes back within a session by seconds: rows are taken in file order, their times are kept. tb rows without output are the user's.
 * Sources: github.com/eunomia-bpf/agentcgroup, github.com/LMCache/lmcache-agent-trace. */
#include "sim/base/units.h"
#include "traces/calls.h"
#include "traces/table.h"

#include <string.h>

#include "sim/base/banned.h"

#define US INT64_C(1000)

/* ---- coding-agent ------------------------------------------------------------------------------ */

enum {
    SESSION,
    STEP,
    KIND,
    NAME,
    START,
    END,
    INPUT,
    CACHE_READ,
    CACHE_WRITE,
    OUTPUT,
    TOOL_CALLS,
    RESULT,
    IS_ERROR
};

static const struct gs_field coding_fields[] = {
    {"session", 0},
    {"step", 0},
    {"kind", 0},
    {"name", 0},
    {"start_s", 0},
    {"end_s", 0},
    {"input_tokens", 0},
    {"cache_read_tokens", 0},
    {"cache_write_tokens", 0},
    {"output_tokens", 0},
    {"n_tool_calls", GS_FIELD_OPTIONAL},
    {"result_chars", GS_FIELD_OPTIONAL},
    {"is_error", GS_FIELD_OPTIONAL},
};

static const struct gs_figure coding_figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "sessions", .op = GS_FIG_DISTINCT, .a = "session"},
    {.quantity = "llm_rows", .op = GS_FIG_IS, .a = "kind", .is = "llm"},
    {.quantity = "tool_rows", .op = GS_FIG_IS, .a = "kind", .is = "tool"},
    {.quantity = "sum_input", .op = GS_FIG_SUM, .a = "input_tokens"},
    {.quantity = "sum_cache_read", .op = GS_FIG_SUM, .a = "cache_read_tokens"},
    {.quantity = "sum_output", .op = GS_FIG_SUM, .a = "output_tokens"},
    {.quantity = "sum_tool_seconds",
     .op = GS_FIG_SUM_SPAN,
     .a = "end_s",
     .b = "start_s",
     .where = "kind",
     .where_is = "tool"},
    {.quantity = "sum_llm_seconds",
     .op = GS_FIG_SUM_SPAN,
     .a = "end_s",
     .b = "start_s",
     .where = "kind",
     .where_is = "llm"},
    {.quantity = "tool_errors", .op = GS_FIG_IS, .a = "is_error", .is = "1"},
};

static enum gs_rc take_llm(struct gs_scan *s, struct gs_row *r, const char *const *v,
                           struct gs_call *c)
{
    int64_t read = -1;
    int64_t write = -1;
    enum gs_rc rc = gs_row_tokens(r, "input_tokens", v[INPUT], &c->input);
    if (rc == GS_OK)
        rc = gs_row_tokens(r, "cache_read_tokens", v[CACHE_READ], &read);
    if (rc == GS_OK)
        rc = gs_row_tokens(r, "cache_write_tokens", v[CACHE_WRITE], &write);
    if (rc == GS_OK)
        rc = gs_row_tokens(r, "output_tokens", v[OUTPUT], &c->output);
    if (rc != GS_OK)
        return rc;
    if (c->input >= 0)
        c->input += (read > 0 ? read : 0) + (write > 0 ? write : 0);
    c->cached = read;
    c->outcome = strcmp(v[NAME], "<synthetic>") == 0 ? GS_CALL_FAILED : GS_CALL_OK;
    if (strncmp(v[SESSION], "hk", 2) == 0 || strncmp(v[SESSION], "bt", 2) == 0) {
        c->output = -1;
        gs_count_assume(s->n, "output tokens are a placeholder: not recorded", 1);
    }
    return GS_OK;
}

static enum gs_rc take_tool(struct gs_row *r, const char *const *v, struct gs_call *c)
{
    c->kind = GS_CALL_TOOL;
    c->unit = 1;
    c->outcome = strcmp(v[IS_ERROR], "1") == 0 ? GS_CALL_FAILED : GS_CALL_OK;
    return gs_row_tokens(r, "result_chars", v[RESULT], &c->output);
}

static enum gs_rc coding_row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct gs_call c = gs_scan_new_call(r->line);
    int64_t end = 0;
    const int tool = strcmp(v[KIND], "tool") == 0;
    if (!tool && strcmp(v[KIND], "llm") != 0)
        return gs_row_bad(r, "unknown word", "kind", v[KIND], "is neither llm nor tool");
    enum gs_rc rc = gs_row_seconds(r, "start_s", v[START], &c.arrival_ns);
    if (rc == GS_OK)
        rc = gs_row_seconds(r, "end_s", v[END], &end);
    if (rc == GS_OK && end < c.arrival_ns)
        rc = gs_row_bad(r, "end before start", "end_s", v[END], "is before start_s");
    if (rc == GS_OK)
        rc = tool ? take_tool(r, v, &c) : take_llm(s, r, v, &c);
    if (rc != GS_OK)
        return rc;
    c.took_ns = end - c.arrival_ns;
    c.session = gs_intern(s->str, v[SESSION]);
    c.service = gs_intern(s->str, v[NAME]);
    gs_count_assume(s->n, "no time of day: the session begins at zero", strcmp(v[STEP], "0") == 0);
    return gs_scan_call(s, &c, NULL);
}

static const struct gs_table coding_table = {
    .fields = coding_fields,
    .nfields = sizeof coding_fields / sizeof *coding_fields,
    .figures = coding_figures,
    .nfigures = sizeof coding_figures / sizeof *coding_figures,
    .row = coding_row,
};

static int coding_guess(const struct gs_probe *p)
{
    return p->head && gs_table_fits(&coding_table, p->head);
}

static enum gs_rc coding_scan(struct gs_scan *s)
{
    return gs_table_scan(s, &coding_table);
}

/* ---- lmcache-agent ----------------------------------------------------------------------------- */

enum {
    L_SESSION,
    L_STEP,
    L_TIMESTAMP,
    L_REL,
    L_INPUT,
    L_OUTPUT,
    L_PREFIX
};

static const struct gs_field lmcache_fields[] = {
    {"session", 0},
    {"step", 0},
    {"timestamp_us", 0},
    {"rel_us", GS_FIELD_OPTIONAL},
    {"input_chars", 0},
    {"output_chars", 0},
    {"common_prefix_chars", 0},
};

static const struct gs_figure lmcache_figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "sessions", .op = GS_FIG_DISTINCT, .a = "session"},
    {.quantity = "sum_input_chars", .op = GS_FIG_SUM, .a = "input_chars"},
    {.quantity = "sum_output_chars", .op = GS_FIG_SUM, .a = "output_chars"},
    {.quantity = "sum_common_prefix_chars", .op = GS_FIG_SUM, .a = "common_prefix_chars"},
};

static enum gs_rc lmcache_row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct gs_call c = gs_scan_new_call(r->line);
    enum gs_rc rc = gs_row_time(r, "timestamp_us", v[L_TIMESTAMP], US, &c.arrival_ns);
    if (rc == GS_OK)
        rc = gs_row_int(r, "input_chars", v[L_INPUT], GS_TRACE_TOKENS_MAX, &c.input);
    if (rc == GS_OK)
        rc = gs_row_int(r, "output_chars", v[L_OUTPUT], GS_TRACE_TOKENS_MAX, &c.output);
    if (rc == GS_OK)
        rc = gs_row_int(r, "common_prefix_chars", v[L_PREFIX], GS_TRACE_TOKENS_MAX, &c.cached);
    if (rc != GS_OK)
        return rc;
    if (c.output == 0 && strncmp(v[L_SESSION], "tb", 2) == 0) {
        gs_row_drop(r, "a user's turn, no call");
        return GS_OK;
    }
    c.unit = 1;
    c.session = gs_intern(s->str, v[L_SESSION]);
    return gs_scan_call(s, &c, NULL);
}

static const struct gs_table lmcache_table = {
    .fields = lmcache_fields,
    .nfields = sizeof lmcache_fields / sizeof *lmcache_fields,
    .figures = lmcache_figures,
    .nfigures = sizeof lmcache_figures / sizeof *lmcache_figures,
    .row = lmcache_row,
};

static int lmcache_guess(const struct gs_probe *p)
{
    return p->head && gs_table_fits(&lmcache_table, p->head);
}

static enum gs_rc lmcache_scan(struct gs_scan *s)
{
    s->n->origin_unix_ns = 0; /* timestamps are Unix time */
    return gs_table_scan(s, &lmcache_table);
}

const struct gs_reader gs_reader_coding_agent = {
    .name = "coding-agent",
    .what = "steps of coding agents: session, step, kind, name, start_s, tokens",
    .units = "start and end s from the session's first record, lengths in tokens",
    .flags = GS_READER_CALLS,
    .guess = coding_guess,
    .scan = coding_scan,
};

const struct gs_reader gs_reader_lmcache_agent = {
    .name = "lmcache-agent",
    .what = "steps of agents behind LMCache: session, step, timestamp_us, characters",
    .units = "arrival us since 1970 UTC, lengths in characters",
    .flags = GS_READER_CALLS,
    .guess = lmcache_guess,
    .scan = lmcache_scan,
};

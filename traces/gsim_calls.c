/* gsim_calls.c - gsim's own CSV of calls: requests to a service and agents' steps. traces/README.md describes the columns.
 *
 * Only arrival, input_tokens and output_tokens are required, and each may be empty but arrival; columns are found by name. Times are
 * decimal seconds, arrival may be a wall clock instead, the same way in all rows. The writer is write_calls.c; a file that it wrote is
 * read back to the same records. Cost: O(bytes). */
#include "traces/calls.h"
#include "traces/gsim_csv.h"
#include "traces/table.h"

#include <string.h>

#include "sim/base/banned.h"

static const struct gs_field fields[GS_CALL_COL_COUNT] = {
#define X(U, l) {#l, GS_CALL_COL_##U < GS_CALL_COL_EXTRAS ? 0 : GS_FIELD_OPTIONAL},
    GS_CALL_COLUMNS(X)
#undef X
};

#define X(U, l) #l,
static const char *const kinds[GS_CALL_KIND_COUNT + 1] = {GS_CALL_KINDS(X) NULL};
static const char *const outcomes[GS_CALL_OUTCOME_COUNT + 1] = {GS_CALL_OUTCOMES(X) NULL};
static const char *const units[] = {"tokens", "characters", NULL};
#undef X

static const struct gs_figure figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "sum_input", .op = GS_FIG_SUM, .a = "input_tokens"},
    {.quantity = "sum_output", .op = GS_FIG_SUM, .a = "output_tokens"},
    {.quantity = "sum_cached", .op = GS_FIG_SUM, .a = "cached_tokens"},
    {.quantity = "first", .op = GS_FIG_FIRST, .a = "arrival"},
    {.quantity = "last", .op = GS_FIG_LAST, .a = "arrival"},
    {.quantity = "out_of_order", .op = GS_FIG_OUT_OF_ORDER, .a = "arrival"},
    {.quantity = "kinds", .op = GS_FIG_TALLY, .a = "kind", .is = "llm"},
    {.quantity = "sessions", .op = GS_FIG_DISTINCT, .a = "session"},
};

struct own {
    int by_clock; /* arrival: -1 not known yet, 0 seconds, 1 wall clock */
    struct gs_blocks blocks;
};

static enum gs_rc take_arrival(struct gs_scan *s, struct gs_row *r, const char *text, int64_t *out)
{
    struct own *own = s->own;
    const int clock = strchr(text, ':') != NULL;
    if (own->by_clock < 0)
        own->by_clock = clock;
    if (*text && clock != own->by_clock)
        return gs_row_bad(r, "two ways to write arrival", "arrival", text,
                          "is not written like the rows before: seconds or wall clock, not both");
    return clock ? gs_row_clock(s, r, "arrival", text, out)
                 : gs_row_seconds(r, "arrival", text, out);
}

/* One of the words, or nothing. */
static enum gs_rc word(struct gs_row *r, enum gs_call_column column, const char *s,
                       const char *const *words, uint8_t *out)
{
    if (!*s)
        return GS_OK;
    struct gs_buf known = {0};
    gs_buf_str(&known, "is none of:");
    enum gs_rc rc = GS_E_INPUT;
    for (uint8_t i = 0; words[i] && rc != GS_OK; i++) {
        gs_buf_fmt(&known, "%s %s", i ? "," : "", words[i]);
        if (strcmp(s, words[i]) == 0) {
            *out = i;
            rc = GS_OK;
        }
    }
    if (rc != GS_OK)
        rc = gs_row_bad(r, "unknown word", fields[column].name, s, gs_buf_cstr(&known));
    gs_buf_free(&known);
    return rc;
}

static enum gs_rc take_words(struct gs_row *r, const char *const *v, struct gs_call *c)
{
    enum gs_rc rc = word(r, GS_CALL_COL_KIND, v[GS_CALL_COL_KIND], kinds, &c->kind);
    if (rc == GS_OK)
        rc = word(r, GS_CALL_COL_OUTCOME, v[GS_CALL_COL_OUTCOME], outcomes, &c->outcome);
    if (rc == GS_OK)
        rc = word(r, GS_CALL_COL_UNIT, v[GS_CALL_COL_UNIT], units, &c->unit);
    return rc;
}

static enum gs_rc take_blocks(struct gs_row *r, const char *const *v, struct gs_blocks *blocks,
                              struct gs_call *c)
{
    const char *list = v[GS_CALL_COL_BLOCKS];
    int64_t tokens = -1;
    enum gs_rc rc = gs_row_tokens(r, "block_tokens", v[GS_CALL_COL_BLOCK_TOKENS], &tokens);
    if (rc == GS_OK)
        rc = gs_row_blocks(r, "blocks", list, strlen(list), GS_BLOCKS_BY, blocks);
    if (rc == GS_OK && blocks->ids.n && tokens <= 0)
        rc = gs_row_bad(r, "blocks without a size", "block_tokens", v[GS_CALL_COL_BLOCK_TOKENS],
                        "is no number of tokens, but there are blocks");
    if (rc != GS_OK)
        return rc;
    c->nblocks = (uint32_t)blocks->ids.n;
    c->block_tokens = tokens > 0 ? (uint32_t)tokens : 0;
    return GS_OK;
}

static enum gs_rc take_numbers(struct gs_row *r, const char *const *v, struct gs_call *c)
{
    enum gs_rc rc = gs_row_tokens(r, "input_tokens", v[GS_CALL_COL_INPUT], &c->input);
    if (rc == GS_OK)
        rc = gs_row_tokens(r, "output_tokens", v[GS_CALL_COL_OUTPUT], &c->output);
    if (rc == GS_OK)
        rc = gs_row_tokens(r, "cached_tokens", v[GS_CALL_COL_CACHED], &c->cached);
    if (rc == GS_OK && *v[GS_CALL_COL_TOOK])
        rc = gs_row_seconds(r, "took", v[GS_CALL_COL_TOOK], &c->took_ns);
    return rc;
}

static enum gs_rc row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct own *own = s->own;
    struct gs_call c = gs_scan_new_call(r->line);
    enum gs_rc rc = take_arrival(s, r, v[GS_CALL_COL_ARRIVAL], &c.arrival_ns);
    if (rc == GS_OK)
        rc = take_numbers(r, v, &c);
    if (rc == GS_OK)
        rc = take_words(r, v, &c);
    if (rc == GS_OK)
        rc = take_blocks(r, v, &own->blocks, &c);
    if (rc != GS_OK)
        return rc;
    c.session = gs_intern(s->str, v[GS_CALL_COL_SESSION]);
    c.parent = gs_intern(s->str, v[GS_CALL_COL_PARENT]);
    c.name = gs_intern(s->str, v[GS_CALL_COL_NAME]);
    c.service = gs_intern(s->str, v[GS_CALL_COL_SERVICE]);
    return gs_scan_call(s, &c, own->blocks.ids.v);
}

static const struct gs_table table = {
    .fields = fields,
    .nfields = GS_CALL_COL_COUNT,
    .figures = figures,
    .nfigures = sizeof figures / sizeof *figures,
    .row = row,
};

static int guess(const struct gs_probe *p)
{
    return p->head && gs_table_fits(&table, p->head);
}

static enum gs_rc scan(struct gs_scan *s)
{
    struct own own = {.by_clock = -1};
    s->own = &own;
    const enum gs_rc rc = gs_table_scan(s, &table);
    gs_vec_free(&own.blocks.ids);
    return rc;
}

const struct gs_reader gs_reader_gsim_calls = {
    .name = "gsim-calls",
    .what = "gsim's own CSV of calls: arrival, input_tokens, output_tokens and more "
            "(traces/README.md)",
    .units = "arrival s or wall clock, took s, lengths in tokens or characters",
    .flags = GS_READER_CALLS,
    .guess = guess,
    .scan = scan,
};

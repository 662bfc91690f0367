/* azure_llm.c - request traces of Azure's LLM inference, 2023 and 2024, and of its multimodal service, 2025.
 *
 * Columns: TIMESTAMP, ContextTokens, GeneratedTokens; 2025 adds NumImages. Time is a wall clock in three spellings: without a zone
 * and with 7 digits (100 ns; taken as UTC), `+00:00` with 6, `T...Z` with 3; a fraction may be missing.
 * No sessions and no prefixes in any of them. The number of images is not carried: ContextTokens are taken to hold their tokens.
 * Source: github.com/Azure/AzurePublicDataset (Splitwise, ISCA'24; DynamoLLM, HPCA'25). */
#include "traces/calls.h"
#include "traces/table.h"

#include "sim/base/banned.h"

#define TICK_DIGITS 2 /* 100 ns */

enum {
    TIMESTAMP,
    NUM_IMAGES,
    CONTEXT,
    GENERATED
};

static const struct gs_field fields[] = {
    {"TIMESTAMP", 0},
    {"NumImages", GS_FIELD_OPTIONAL},
    {"ContextTokens", 0},
    {"GeneratedTokens", 0},
};

static const struct gs_figure figures[] = {
    {.quantity = "rows", .op = GS_FIG_ROWS},
    {.quantity = "sum_context", .op = GS_FIG_SUM, .a = "ContextTokens"},
    {.quantity = "sum_generated", .op = GS_FIG_SUM, .a = "GeneratedTokens"},
    {.quantity = "sum_images", .op = GS_FIG_SUM, .a = "NumImages"},
    {.quantity = "first", .op = GS_FIG_FIRST, .a = "TIMESTAMP"},
    {.quantity = "last", .op = GS_FIG_LAST, .a = "TIMESTAMP"},
    {.quantity = "max_context", .op = GS_FIG_MAX, .a = "ContextTokens"},
    {.quantity = "max_generated", .op = GS_FIG_MAX, .a = "GeneratedTokens"},
    {.quantity = "out_of_order", .op = GS_FIG_OUT_OF_ORDER, .a = "TIMESTAMP"},
    {.quantity = "zero_generated", .op = GS_FIG_ZEROS, .a = "GeneratedTokens"},
    {.quantity = "same_time_as_previous", .op = GS_FIG_SAME_AS_BEFORE, .a = "TIMESTAMP"},
};

struct span {
    int64_t first_ns, last_ns;
    int any;
};

static enum gs_rc row(struct gs_scan *s, struct gs_row *r, const char *const *v)
{
    struct gs_call c = gs_scan_new_call(r->line);
    enum gs_rc rc = gs_row_clock(s, r, "TIMESTAMP", v[TIMESTAMP], &c.arrival_ns);
    if (rc == GS_OK)
        rc = gs_row_int(r, "ContextTokens", v[CONTEXT], GS_TRACE_TOKENS_MAX, &c.input);
    if (rc == GS_OK)
        rc = gs_row_int(r, "GeneratedTokens", v[GENERATED], GS_TRACE_TOKENS_MAX, &c.output);
    if (rc != GS_OK)
        return rc;
    if (!gs_is_null(v[NUM_IMAGES]))
        gs_count_assume(s->n, "NumImages not carried: ContextTokens hold the images' tokens", 1);
    struct span *span = s->own;
    span->first_ns = span->any ? span->first_ns : c.arrival_ns;
    span->last_ns = c.arrival_ns;
    span->any = 1;
    return gs_scan_call(s, &c, NULL);
}

static void show(struct gs_scan *s, struct gs_info *f)
{
    const struct span *span = s->own;
    gs_info_fixed(f, "span_100ns", span->last_ns - span->first_ns, TICK_DIGITS, 1);
}

static const struct gs_table table = {
    .fields = fields,
    .nfields = sizeof fields / sizeof *fields,
    .figures = figures,
    .nfigures = sizeof figures / sizeof *figures,
    .row = row,
    .show = show,
};

static int guess(const struct gs_probe *p)
{
    return p->head && gs_table_fits(&table, p->head);
}

static enum gs_rc scan(struct gs_scan *s)
{
    struct span span = {0};
    s->own = &span;
    return gs_table_scan(s, &table);
}

const struct gs_reader gs_reader_azure_llm = {
    .name = "azure-llm",
    .what = "Azure LLM inference 2023 and 2024, multimodal 2025: TIMESTAMP, ContextTokens, "
            "GeneratedTokens",
    .units = "arrival by wall clock down to 100 ns, lengths in tokens",
    .zone = "UTC",
    .flags = GS_READER_CALLS,
    .guess = guess,
    .scan = scan,
};

/* write_calls.c - calls as gsim's own CSV, read back by gsim_calls.c to the same records. Optional columns appear only if some call uses them. */
#include "traces/decimal.h"
#include "traces/gsim_csv.h"
#include "traces/write.h"

#include "sim/base/banned.h"

#define X(U, l) #l,
static const char *const columns[GS_CALL_COL_COUNT] = {GS_CALL_COLUMNS(X)};
static const char *const kinds[GS_CALL_KIND_COUNT] = {GS_CALL_KINDS(X)};
static const char *const outcomes[GS_CALL_OUTCOME_COUNT] = {GS_CALL_OUTCOMES(X)};
#undef X

static uint32_t bit(enum gs_call_column column, int on)
{
    return on ? UINT32_C(1) << column : 0;
}

uint32_t gs_call_columns(const struct gs_call *c)
{
    return bit(GS_CALL_COL_SESSION, c->session != 0) | bit(GS_CALL_COL_PARENT, c->parent != 0) |
           bit(GS_CALL_COL_NAME, c->name != 0) | bit(GS_CALL_COL_SERVICE, c->service != 0) |
           bit(GS_CALL_COL_KIND, c->kind != GS_CALL_LLM) |
           bit(GS_CALL_COL_OUTCOME, c->outcome != GS_CALL_UNKNOWN) |
           bit(GS_CALL_COL_CACHED, c->cached >= 0) | bit(GS_CALL_COL_TOOK, c->took_ns >= 0) |
           bit(GS_CALL_COL_UNIT, c->unit != 0) |
           bit(GS_CALL_COL_BLOCK_TOKENS, c->block_tokens != 0) |
           bit(GS_CALL_COL_BLOCKS, c->nblocks != 0);
}

static int in_use(const struct gs_writing *w, int column)
{
    return column < GS_CALL_COL_EXTRAS || (w->seen->call_columns >> column & 1);
}

static void begin(struct gs_writing *w)
{
    for (int i = 0; i < GS_CALL_COL_COUNT; i++) {
        if (in_use(w, i))
            gs_buf_fmt(&w->out, "%s%s", i ? "," : "", columns[i]);
    }
    gs_buf_str(&w->out, "\n");
}

/* -1 = not recorded: empty. */
static void add_known(struct gs_buf *out, int64_t x, int scale)
{
    if (x >= 0)
        gs_decimal_add(out, x, scale);
}

static void add_column(struct gs_writing *w, const struct gs_call *c, const uint64_t *blocks,
                       enum gs_call_column column)
{
    struct gs_buf *out = &w->out;
    switch (column) {
    case GS_CALL_COL_ARRIVAL: gs_write_time(w, c->arrival_ns); break;
    case GS_CALL_COL_INPUT: add_known(out, c->input, 0); break;
    case GS_CALL_COL_OUTPUT: add_known(out, c->output, 0); break;
    case GS_CALL_COL_CACHED: add_known(out, c->cached, 0); break;
    case GS_CALL_COL_TOOK: add_known(out, c->took_ns, 9); break;
    case GS_CALL_COL_SESSION: gs_write_field(out, gs_intern_str(w->str, c->session)); break;
    case GS_CALL_COL_PARENT: gs_write_field(out, gs_intern_str(w->str, c->parent)); break;
    case GS_CALL_COL_NAME: gs_write_field(out, gs_intern_str(w->str, c->name)); break;
    case GS_CALL_COL_SERVICE: gs_write_field(out, gs_intern_str(w->str, c->service)); break;
    case GS_CALL_COL_KIND: gs_buf_str(out, kinds[c->kind]); break;
    case GS_CALL_COL_OUTCOME: gs_buf_str(out, outcomes[c->outcome]); break;
    case GS_CALL_COL_UNIT: gs_buf_str(out, c->unit ? "characters" : "tokens"); break;
    case GS_CALL_COL_BLOCK_TOKENS:
        if (c->block_tokens)
            gs_buf_fmt(out, "%u", c->block_tokens);
        break;
    case GS_CALL_COL_BLOCKS:
        for (uint32_t i = 0; i < c->nblocks; i++)
            gs_buf_fmt(out, "%s%llu", i ? "-" : "", (unsigned long long)blocks[i]);
        break;
    case GS_CALL_COL_COUNT: gs_panic(__FILE__, __LINE__, "require", "a column");
    }
}

static int add_call(struct gs_writing *w, const struct gs_call *c, const uint64_t *blocks)
{
    for (int i = 0; i < GS_CALL_COL_COUNT; i++) {
        if (!in_use(w, i))
            continue;
        gs_buf_str(&w->out, i ? "," : "");
        add_column(w, c, blocks, (enum gs_call_column)i);
    }
    gs_buf_str(&w->out, "\n");
    return 1;
}

const struct gs_target gs_target_gsim_calls = {.name = "gsim-calls",
                                               .what = "gsim's own CSV of calls",
                                               .ending = ".csv",
                                               .takes_calls = 1,
                                               .can_clock = 1,
                                               .begin = begin,
                                               .call = add_call};

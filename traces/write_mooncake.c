/* write_mooncake.c - calls as Mooncake's JSON lines: timestamp (whole ms from the first), input_length, output_length, session_id where
 * there is one, hash_ids. The format knows requests to a model, in tokens, in order of time, with blocks of 512 tokens. */
#include "traces/write.h"

#include "sim/base/banned.h"

#define BLOCK_TOKENS 512
#define MS           INT64_C(1000000)

static void begin(struct gs_writing *w)
{
    (void)w;
}

/* A JSON string. */
static void add_string(struct gs_buf *out, const char *s)
{
    gs_buf_str(out, "\"");
    for (; *s; s++) {
        if ((unsigned char)*s < 0x20)
            gs_buf_fmt(out, "\\u%04x", (unsigned)*s);
        else
            gs_buf_fmt(out, "%s%c", *s == '"' || *s == '\\' ? "\\" : "", *s);
    }
    gs_buf_str(out, "\"");
}

static void count_losses(struct gs_writing *w, const struct gs_call *c, int64_t since_ns)
{
    if (since_ns % MS)
        gs_lost(w, "the fraction of a millisecond: rounded");
    if (c->input < 0 || c->output < 0)
        gs_lost(w, "a length that is not recorded: written as 0");
    if (c->block_tokens && c->block_tokens != BLOCK_TOKENS)
        gs_lost(w, "the size of prefix blocks: readers take 512 tokens");
    if (c->name || c->parent)
        gs_lost(w, "the name of the call or of its parent");
    if (c->service)
        gs_lost(w, "the service");
    if (c->outcome != GS_CALL_UNKNOWN)
        gs_lost(w, "the outcome");
    if (c->cached >= 0)
        gs_lost(w, "the part of the input that was cached");
    if (c->took_ns >= 0)
        gs_lost(w, "the recorded time that it took");
}

static int add_call(struct gs_writing *w, const struct gs_call *c, const uint64_t *blocks)
{
    if (c->kind != GS_CALL_LLM) {
        gs_lost(w, "calls of tools or image models: left out");
        return 0;
    }
    if (c->unit) {
        gs_lost(w, "calls measured in characters: left out");
        return 0;
    }
    const int64_t since_ns = c->arrival_ns - w->seen->earliest_ns;
    count_losses(w, c, since_ns);
    struct gs_buf *out = &w->out;
    gs_buf_fmt(out, "{\"timestamp\": %lld, \"input_length\": %lld, \"output_length\": %lld",
               (long long)((since_ns + MS / 2) / MS), (long long)(c->input < 0 ? 0 : c->input),
               (long long)(c->output < 0 ? 0 : c->output));
    if (c->session) {
        gs_buf_str(out, ", \"session_id\": ");
        add_string(out, gs_intern_str(w->str, c->session));
    }
    gs_buf_str(out, ", \"hash_ids\": [");
    for (uint32_t i = 0; i < c->nblocks; i++)
        gs_buf_fmt(out, "%s%llu", i ? ", " : "", (unsigned long long)blocks[i]);
    gs_buf_str(out, "]}\n");
    return 1;
}

const struct gs_target gs_target_mooncake = {.name = "mooncake",
                                             .what = "Mooncake JSON lines of requests",
                                             .ending = ".jsonl",
                                             .takes_calls = 1,
                                             .in_order = 1,
                                             .begin = begin,
                                             .call = add_call};

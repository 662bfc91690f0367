/* mooncake.c - Mooncake's request traces (FAST'25) and the many that others make in this format: JSON lines of timestamp,
 * input_length, output_length, hash_ids.
 *
 * timestamp is ms from the start. hash_ids names the blocks of 512 tokens of the input, the last partly full; an id stands for its
 * block and all before it. Published traces have ticks of about 3 s, with many requests in one: kept as they are. Others add
 * session_id, which becomes the session, and delay (ms after the request before in the session) in place of timestamp: such a
 * request is placed that long after the arrival of the one before, since when that one ended is not recorded.
 * Source: github.com/kvcache-ai/Mooncake; 64-bit ids: github.com/ai-dynamo/dynamo. */
#include "traces/calls.h"

#include "sim/base/banned.h"

#define BLOCK_TOKENS 512
#define MS           INT64_C(1000000)
#define TEXT         128

struct own {
    GS_VEC(int64_t)
    last; /* by string id of a session: arrival of its last request, plus 1; 0 = none yet */
};

static int guess(const struct gs_probe *p)
{
    return gs_probe_member(p, "input_length") && gs_probe_member(p, "output_length") &&
           !gs_probe_member(p, "chat_id");
}

static enum gs_rc take_arrival(struct gs_scan *s, struct gs_row *r, const json_t *o,
                               struct gs_call *c)
{
    const struct own *own = s->own;
    char text[TEXT];
    char delay_text[TEXT];
    const char *at = gs_json_text(o, "timestamp", text, sizeof text);
    const char *delay = gs_json_text(o, "delay", delay_text, sizeof delay_text);
    if (*at) {
        if (*delay)
            gs_count_assume(s->n, "delay beside a timestamp: not used", 1);
        return gs_row_time(r, "timestamp", at, MS, &c->arrival_ns);
    }
    const int64_t before = c->session < own->last.n ? own->last.v[c->session] : 0;
    if (!*delay || !before)
        return gs_row_bad(r, "no time", "timestamp", at,
                          "is missing, and so is a delay after an earlier request of its session");
    const enum gs_rc rc = gs_row_time(r, "delay", delay, MS, &c->arrival_ns);
    if (rc != GS_OK)
        return rc;
    c->arrival_ns += before - 1;
    if (c->arrival_ns > GS_TRACE_TIME_MAX)
        return gs_row_bad(r, "absurdly large number", "delay", delay, "leads beyond 100 years");
    gs_count_assume(s->n, "delay counted from the arrival of the session's request before", 1);
    return GS_OK;
}

static enum gs_rc take(struct gs_scan *s, struct gs_row *r, const json_t *o, struct gs_call *c)
{
    struct own *own = s->own;
    char text[TEXT];
    c->session = gs_intern(s->str, gs_json_text(o, "session_id", text, sizeof text));
    const enum gs_rc rc = take_arrival(s, r, o, c);
    if (rc != GS_OK || !c->session)
        return rc;
    while (own->last.n <= c->session)
        gs_vec_push(&own->last, 0);
    own->last.v[c->session] = c->arrival_ns + 1;
    return GS_OK;
}

static enum gs_rc scan(struct gs_scan *s)
{
    static const char *const known[] = {"timestamp", "session_id", "delay", NULL};
    static const struct gs_requests format = {BLOCK_TOKENS, known, take};
    struct own own = {0};
    s->own = &own;
    const enum gs_rc rc = gs_requests_scan(s, &format);
    gs_vec_free(&own.last);
    return rc;
}

const struct gs_reader gs_reader_mooncake = {
    .name = "mooncake",
    .what = "Mooncake JSON lines: timestamp, input_length, output_length, hash_ids",
    .units = "arrival ms from the start, lengths in tokens, blocks of 512 tokens",
    .flags = GS_READER_CALLS,
    .guess = guess,
    .scan = scan,
};

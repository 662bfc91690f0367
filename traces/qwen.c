/* qwen.c - Qwen Bailian request traces (ATC'25): JSON lines of chat_id, parent_chat_id, timestamp, input_length, output_length,
 * type, turn, hash_ids.
 *
 * timestamp is seconds from the start. hash_ids names blocks of 16 tokens. Each request is a chat with its own id; parent_chat_id is
 * the request before it in the conversation, -1 for a root. The session is the root's id; where a conversation began before the
 * trace, it is the id of the parent that is not there, which is counted. type (text, search, image, file) is the service.
 * Source: github.com/alibaba-edu/qwen-bailian-usagetraces-anon. */
#include "sim/base/units.h"
#include "traces/calls.h"

#include <string.h>

#include "sim/base/banned.h"

#define BLOCK_TOKENS 16
#define TEXT         128

struct own {
    GS_VEC(uint32_t) session; /* by string id of a chat; 0 = no such chat yet */
};

static int guess(const struct gs_probe *p)
{
    return gs_probe_member(p, "chat_id") && gs_probe_member(p, "input_length");
}

/* The conversation that a chat belongs to: its own id if it is a root. */
static uint32_t session_of(struct gs_scan *s, const struct gs_call *c)
{
    struct own *own = s->own;
    uint32_t session = c->name;
    if (c->parent) {
        session = c->parent < own->session.n ? own->session.v[c->parent] : 0;
        if (!session) {
            gs_count_assume(s->n, "conversation began before the trace", 1);
            session = c->parent;
        }
    }
    while (own->session.n <= c->name)
        gs_vec_push(&own->session, 0);
    own->session.v[c->name] = c->name ? session : 0;
    return session;
}

static enum gs_rc take(struct gs_scan *s, struct gs_row *r, const json_t *o, struct gs_call *c)
{
    char text[TEXT];
    c->name = gs_intern(s->str, gs_json_text(o, "chat_id", text, sizeof text));
    const char *parent = gs_json_text(o, "parent_chat_id", text, sizeof text);
    c->parent = strcmp(parent, "-1") == 0 ? 0 : gs_intern(s->str, parent);
    c->service = gs_intern(s->str, gs_json_text(o, "type", text, sizeof text));
    c->session = session_of(s, c);
    return gs_row_seconds(r, "timestamp", gs_json_text(o, "timestamp", text, sizeof text),
                          &c->arrival_ns);
}

static enum gs_rc scan(struct gs_scan *s)
{
    static const char *const known[] = {"chat_id", "parent_chat_id", "timestamp",
                                        "type",    "turn",           NULL};
    static const struct gs_requests format = {BLOCK_TOKENS, known, take};
    struct own own = {0};
    s->own = &own;
    const enum gs_rc rc = gs_requests_scan(s, &format);
    gs_vec_free(&own.session);
    return rc;
}

const struct gs_reader gs_reader_qwen = {
    .name = "qwen",
    .what = "Qwen Bailian JSON lines: chat_id, parent_chat_id, timestamp, lengths, hash_ids",
    .units = "arrival s from the start, lengths in tokens, blocks of 16 tokens",
    .flags = GS_READER_CALLS,
    .guess = guess,
    .scan = scan,
};

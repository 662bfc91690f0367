/* calls.c - the calls of a [service] or [agents] section: sessions arrive, and each runs through its program.
 *
 * Call k of a session has the draws 8k .. 8k+7 of its streams: SIZE 0 prompt, 1 output, 2 a tool's result; SERVICE 0 answer, 1 think or
 * tool; so one call more shifts no other. Draw 7 of call 0 is the number of steps, 6 of a call the number of workers.
 *
 * Prefix blocks: block b of an input is known by who wrote it (the client's common prefix, or the session, or the call), b, and how
 * full it is, mixed to 64 bits. So sessions of a client share the blocks that lie wholly in the common prefix, and a
 * conversation sent again shares all full blocks of the turn before, as in a paged cache (Kwon et al., SOSP 2023).
 *
 * Cost: O(calls + blocks), all of them in memory until they are sorted. */
#include "traces/synth/calls.h"

#include "sim/base/fmath.h"
#include "sim/base/sort.h"
#include "sim/base/units.h"
#include "traces/synth/arrivals.h"

#include <math.h>

#include "sim/base/banned.h"

#define CALLS_MAX  UINT64_C(100000000)
#define TOKENS_MAX 1e9
#define STEPS_MAX  100000
#define TIME_MAX_S 3155760000.0     /* 100 years */
#define CLASSES    UINT32_C(0x4000) /* of streams, beside those of [workload] sections */
#define DRAWS      8                /* a call */

enum {
    DRAW_PROMPT = 0,
    DRAW_OUTPUT = 1,
    DRAW_RESULT = 2,
    DRAW_WIDTH = 6,
    DRAW_STEPS = 7,
    DRAW_ANSWER = 0,
    DRAW_PAUSE = 1 /* think, or the tool's time */
};

struct caller {
    struct gs_calls *out;
    const struct gs_synth_calls *s;
    uint64_t seed;
    uint32_t cls;
    struct gs_arena arena;
    struct gs_err *err;
    struct gs_arrivals *arrivals;
    struct gs_dist *prompt, *output, *prefix, *steps, *think, *answer, *tool, *result, *width;
    int failed; /* a draw was out of range: err says which */
};

/* A session under way. */
struct session {
    int64_t i;
    uint32_t client, id, last; /* string ids of the session and of its latest call */
    uint32_t calls;
    int64_t t_ns, prefix;
};

/* ---- Words ------------------------------------------------------------------------------------- */

static enum gs_rc parse_dist(struct caller *c, const char *key, const char *text, enum gs_dim dim,
                             struct gs_dist **out)
{
    if (!text)
        return GS_OK;
    const enum gs_rc rc = gs_dist_parse(text, dim, c->s->dir, &c->arena, out, c->err);
    return rc == GS_OK ? rc : gs_wrap(c->err, "[%s %s] %s", c->s->kind, c->s->name, key);
}

static enum gs_rc parse_arrivals(struct caller *c)
{
    const struct gs_synth_calls *s = c->s;
    const enum gs_rc rc =
        gs_arrivals_parse(s->arrivals ? s->arrivals : "batch", &c->arena, &c->arrivals, c->err);
    if (rc != GS_OK)
        return gs_wrap(c->err, "[%s %s] arrivals", s->kind, s->name);
    const int batch = gs_arrivals_are_batch(c->arrivals);
    if (s->count < 0 && (batch || s->to_ns == GS_NEVER))
        return gs_fail(c->err, GS_E_INPUT, "[%s %s]: nothing ends the arrivals (set count%s)",
                       s->kind, s->name, batch ? "" : ", to, or the horizon of [scenario]");
    if (batch && s->clients > 1)
        return gs_fail(c->err, GS_E_INPUT, "[%s %s] clients: a batch has none", s->kind, s->name);
    return GS_OK;
}

static enum gs_rc parse_all(struct caller *c)
{
    const struct gs_synth_calls *s = c->s;

    const struct {
        const char *key, *text;
        enum gs_dim dim;
        struct gs_dist **out;
    } words[] = {
        {"prompt", s->prompt, GS_DIM_NONE, &c->prompt},
        {"output", s->output, GS_DIM_NONE, &c->output},
        {"prefix", s->prefix, GS_DIM_NONE, &c->prefix},
        {"steps", s->steps, GS_DIM_NONE, &c->steps},
        {"think", s->think, GS_DIM_TIME, &c->think},
        {"answer", s->answer, GS_DIM_TIME, &c->answer},
        {"tool", s->tool, GS_DIM_TIME, &c->tool},
        {"result", s->result, GS_DIM_NONE, &c->result},
        {"width", s->width, GS_DIM_NONE, &c->width},
    };

    if (!s->prompt || !s->output)
        return gs_fail(c->err, GS_E_INPUT, "[%s %s]: '%s' is missing", s->kind, s->name,
                       s->prompt ? "output" : "prompt");
    enum gs_rc rc = parse_arrivals(c);
    for (size_t i = 0; i < sizeof words / sizeof words[0] && rc == GS_OK; i++)
        rc = parse_dist(c, words[i].key, words[i].text, words[i].dim, words[i].out);
    return rc;
}

/* ---- Draws ------------------------------------------------------------------------------------- */

static double draw(struct caller *c, const struct gs_dist *d, enum gs_purpose purpose,
                   uint32_t entity, uint64_t at, double most)
{
    if (!d)
        return 0;
    struct gs_stream s;
    gs_stream_init(&s, c->seed, purpose, c->cls, entity);
    s.draw = at;
    const double x = gs_dist_draw(d, &s);
    if (!(x <= most) && !c->failed) {
        c->failed = 1;
        const int shared = d == c->prefix; /* drawn for a client, numbered from the end */
        (void)gs_fail(c->err, GS_E_INPUT,
                      "[%s %s]: %s %u drew %g, over %g (add clip=..MAX to the distribution)",
                      c->s->kind, c->s->name, shared ? "prefix: client" : "session",
                      shared ? UINT32_MAX - entity : entity, x, most);
    }
    return x <= most ? x : most;
}

static int64_t tokens(struct caller *c, const struct session *se, const struct gs_dist *d,
                      int which)
{
    return (int64_t)gs_rint_even(draw(c, d, GS_RNG_SIZE, (uint32_t)se->i,
                                      (uint64_t)se->calls * DRAWS + (uint64_t)which, TOKENS_MAX));
}

static int64_t pause_ns(struct caller *c, const struct session *se, const struct gs_dist *d,
                        int which)
{
    return gs_ns(draw(c, d, GS_RNG_SERVICE, (uint32_t)se->i,
                      (uint64_t)se->calls * DRAWS + (uint64_t)which, TIME_MAX_S));
}

/* A number of steps or workers: at least one, and `usual` where nothing is said. */
static int64_t number(struct caller *c, const struct session *se, const struct gs_dist *d,
                      int which, int64_t usual)
{
    if (!d)
        return usual;
    const double x = gs_rint_even(draw(c, d, GS_RNG_SIZE, (uint32_t)se->i,
                                       (uint64_t)se->calls * DRAWS + (uint64_t)which, STEPS_MAX));
    return x > 1 ? (int64_t)x : 1;
}

/* ---- Calls ------------------------------------------------------------------------------------- */

/* Who wrote the blocks behind the common prefix: the whole session, or this call alone. */
static void add_blocks(struct caller *c, const struct session *se, int64_t input, int own_text,
                       struct gs_call *call)
{
    const int64_t size = c->s->block_tokens;
    const uint64_t common = gs_mix64(gs_mix64(c->seed, c->cls), se->client);
    const uint64_t session = gs_mix64(common, (uint64_t)se->i + 1);
    const uint64_t writer = own_text ? gs_mix64(session, se->calls + UINT64_C(1)) : session;
    call->block_tokens = (uint32_t)size;
    for (int64_t b = 0; size && b * size < input; b++) {
        const int64_t end = (b + 1) * size < input ? (b + 1) * size : input;
        const uint64_t place = (uint64_t)b << 32 | (uint64_t)(end - b * size);
        gs_vec_push(&c->out->blocks, gs_mix64(end <= se->prefix ? common : writer, place));
        call->nblocks++;
    }
}

struct ask {
    int64_t at_ns, input, cached;
    int own_text;
    uint32_t parent;
};

/* A call of the model; returns its output, *end_ns is when the answer is there. */
static int64_t ask_model(struct caller *c, struct session *se, struct ask a, int64_t *end_ns)
{
    const int64_t most = c->s->context_max;
    if (most > 0 && a.input > most) { /* the window has moved on: nothing stands where it stood */
        a.input = most;
        a.cached = 0;
        a.own_text = 1;
    }
    char name[80];
    (void)gs_fmt(name, sizeof name, "%.40s-%lld.%u", c->s->name, (long long)se->i, se->calls);
    const int64_t took = pause_ns(c, se, c->answer, DRAW_ANSWER);
    struct gs_call call = {.name = gs_intern(c->out->str, name),
                           .session = se->id,
                           .parent = a.parent,
                           .kind = GS_CALL_LLM,
                           .arrival_ns = a.at_ns,
                           .input = a.input,
                           .output = tokens(c, se, c->output, DRAW_OUTPUT),
                           .cached = a.cached,
                           .took_ns = c->answer ? took : -1};
    if (c->s->clients > 1)
        (void)gs_fmt(name, sizeof name, "%.40s-c%u", c->s->name, se->client);
    call.service = gs_intern(c->out->str, c->s->clients > 1 ? name : c->s->name);
    gs_vec_push(&c->out->first, c->out->blocks.n);
    if (c->s->block_tokens)
        add_blocks(c, se, a.input, a.own_text, &call);
    gs_vec_push(&c->out->v, call);
    se->calls++;
    se->last = call.name;
    *end_ns = a.at_ns + took;
    return call.output;
}

static void use_tool(struct caller *c, struct session *se)
{
    char name[80];
    (void)gs_fmt(name, sizeof name, "%.40s-%lld.%u", c->s->name, (long long)se->i, se->calls);
    const int64_t took = pause_ns(c, se, c->tool, DRAW_PAUSE);
    const struct gs_call call = {.name = gs_intern(c->out->str, name),
                                 .session = se->id,
                                 .parent = se->last,
                                 .service = gs_intern(c->out->str, c->s->name),
                                 .kind = GS_CALL_TOOL,
                                 .arrival_ns = se->t_ns,
                                 .input = -1,
                                 .output = -1,
                                 .cached = -1,
                                 .took_ns = took};
    gs_vec_push(&c->out->first, c->out->blocks.n);
    gs_vec_push(&c->out->v, call);
    se->calls++;
    se->last = call.name;
    se->t_ns += took;
}

/* ---- Programs ---------------------------------------------------------------------------------- */

static void run_chat(struct caller *c, struct session *se, int64_t steps)
{
    int64_t context = se->prefix;
    for (int64_t k = 0; k < steps && !c->failed; k++) {
        const int64_t input = context + tokens(c, se, c->prompt, DRAW_PROMPT);
        const int64_t think = pause_ns(c, se, c->think, DRAW_PAUSE);
        const struct ask a = {se->t_ns, input, k ? context : 0, 0, se->last};
        context = input + ask_model(c, se, a, &se->t_ns);
        se->t_ns += think;
    }
}

static void run_loop(struct caller *c, struct session *se, int64_t steps)
{
    int64_t sent = 0; /* what the call before had already */
    int64_t context = se->prefix + tokens(c, se, c->prompt, DRAW_PROMPT);
    for (int64_t k = 0; k < steps && !c->failed; k++) {
        const struct ask a = {se->t_ns, context, sent, 0, se->last};
        context += ask_model(c, se, a, &se->t_ns);
        sent = context;
        if (!c->tool || k + 1 == steps)
            continue;
        context += tokens(c, se, c->result, DRAW_RESULT);
        use_tool(c, se);
    }
}

static void run_chain(struct caller *c, struct session *se, int64_t steps)
{
    int64_t before = 0; /* the answer of the stage before */
    for (int64_t k = 0; k < steps && !c->failed; k++) {
        const int64_t input = se->prefix + tokens(c, se, c->prompt, DRAW_PROMPT) + before;
        const struct ask a = {se->t_ns, input, 0, 1, se->last};
        before = ask_model(c, se, a, &se->t_ns);
    }
}

/* One round: a planner, its workers at the same time, the call that joins them when the last is done. */
static void run_round(struct caller *c, struct session *se)
{
    const int64_t width = number(c, se, c->width, DRAW_WIDTH, 4);
    int64_t input = se->prefix + tokens(c, se, c->prompt, DRAW_PROMPT);
    int64_t planned = 0;
    const int64_t plan = ask_model(c, se, (struct ask){se->t_ns, input, 0, 1, se->last}, &planned);
    const uint32_t planner = se->last;
    uint32_t slowest = planner;
    int64_t done = planned;
    int64_t answers = 0;
    for (int64_t k = 0; k < width && !c->failed; k++) {
        int64_t end = 0;
        input = se->prefix + tokens(c, se, c->prompt, DRAW_PROMPT) + plan;
        answers += ask_model(c, se, (struct ask){planned, input, 0, 1, planner}, &end);
        if (end >= done) {
            done = end;
            slowest = se->last;
        }
    }
    input = se->prefix + tokens(c, se, c->prompt, DRAW_PROMPT) + answers;
    (void)ask_model(c, se, (struct ask){done, input, 0, 1, slowest}, &se->t_ns);
}

static void run_session(struct caller *c, int64_t i, uint32_t client, int64_t t_ns)
{
    char name[64];
    struct session se = {.i = i, .client = client, .t_ns = t_ns};
    (void)gs_fmt(name, sizeof name, "%.40s-%lld", c->s->name, (long long)i);
    se.id = gs_intern(c->out->str, name);
    se.prefix =
        (int64_t)gs_rint_even(draw(c, c->prefix, GS_RNG_SIZE, UINT32_MAX - client, 0, TOKENS_MAX));
    const int64_t steps = number(c, &se, c->steps, DRAW_STEPS, 1);
    switch ((enum gs_program)c->s->program) {
    case GS_PROGRAM_CHAT: run_chat(c, &se, steps); break;
    case GS_PROGRAM_LOOP: run_loop(c, &se, steps); break;
    case GS_PROGRAM_CHAIN: run_chain(c, &se, steps); break;
    case GS_PROGRAM_FANOUT:
        for (int64_t k = 0; k < steps && !c->failed; k++)
            run_round(c, &se);
        break;
    }
}

static enum gs_rc run_sessions(struct caller *c)
{
    const struct gs_synth_calls *s = c->s;
    const double to_s = s->to_ns == GS_NEVER ? TIME_MAX_S : (double)(s->to_ns - s->from_ns) / 1e9;
    struct gs_arrival_run run;
    struct gs_clients clients;
    gs_arrival_start(&run, c->arrivals, c->seed, c->cls,
                     gs_arrival_clock(s->start_unix_ns, s->zone_offset_s) + s->from_ns, to_s);
    gs_clients_start(&clients, &run, c->seed, c->cls, s->clients ? s->clients : 1, s->clients_s,
                     &c->arena);
    for (int64_t i = 0; s->count < 0 || i < s->count; i++) {
        uint32_t client = 0;
        const double t = gs_clients_next(&clients, &client);
        if (!(t < to_s))
            break;
        run_session(c, i, client, s->from_ns + gs_ns(t));
        if (c->failed)
            return GS_E_INPUT;
        if (c->out->v.n > CALLS_MAX || i >= INT32_MAX)
            return gs_fail(c->err, GS_E_INPUT, "[%s %s]: over %llu calls", s->kind, s->name,
                           (unsigned long long)CALLS_MAX);
    }
    return GS_OK;
}

enum gs_rc gs_synth_calls_make(struct gs_calls *out, uint32_t section_no, uint64_t seed,
                               const struct gs_synth_calls *s, struct gs_err *err)
{
    gs_require(out && out->str && s && s->name && section_no < CLASSES);
    struct caller c = {.out = out, .s = s, .seed = seed, .cls = CLASSES | section_no, .err = err};
    enum gs_rc rc = parse_all(&c);
    if (rc == GS_OK)
        rc = run_sessions(&c);
    gs_arena_release(&c.arena);
    return rc;
}

/* ---- Order ------------------------------------------------------------------------------------- */

static int by_arrival(const void *a, const void *b, const void *ctx)
{
    const struct gs_call *calls = ctx;
    const int64_t x = calls[*(const uint32_t *)a].arrival_ns;
    const int64_t y = calls[*(const uint32_t *)b].arrival_ns;
    return (x > y) - (x < y);
}

void gs_calls_seal(struct gs_calls *c)
{
    const size_t n = c->v.n;
    uint32_t *order = GS_NEW_N(uint32_t, n);
    struct gs_call *v = GS_NEW_N(struct gs_call, n);
    size_t *first = GS_NEW_N(size_t, n);
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    gs_sort(order, n, sizeof *order, by_arrival, c->v.v);
    for (size_t i = 0; i < n; i++) {
        v[i] = c->v.v[order[i]];
        v[i].row = (int64_t)i + 1;
        first[i] = c->first.v[order[i]];
    }
    gs_free(order);
    gs_free(c->v.v);
    gs_free(c->first.v);
    c->v.v = v;
    c->first.v = first;
    c->v.cap = c->first.cap = n;
}

void gs_calls_free(struct gs_calls *c)
{
    gs_vec_free(&c->v);
    gs_vec_free(&c->blocks);
    gs_vec_free(&c->first);
}

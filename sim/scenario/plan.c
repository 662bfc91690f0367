/* plan.c - the words of a planned change. A row of a CSV is put together as such words first, so there is one grammar. */
#include "sim/scenario/plan.h"

#include "sim/base/buf.h"
#include "sim/base/units.h"

#include <string.h>

#include "sim/base/banned.h"

static const char *const actions[] = {
#define X(U, l) #l,
    GS_PLAN_ACTIONS(X)
#undef X
};

enum word {
    WORD_AT,
    WORD_FOR,
    WORD_EVERY,
    WORD_UNTIL,
    WORD_ROLLING,
    WORD_NOTICE,
    WORD_QUEUE,
    WORD_REASON,
    WORD_COUNT
};

static const char *const words[WORD_COUNT] = {"at",      "for",    "every", "until",
                                              "rolling", "notice", "queue", "reason"};

/* The next blank-parted token; its length, 0 at the end. */
static size_t token(const char **s)
{
    *s += strspn(*s, " \t");
    return strcspn(*s, " \t");
}

static int is_word(const char *s, size_t n)
{
    for (int i = 0; i < WORD_COUNT; i++)
        if (strlen(words[i]) == n && memcmp(s, words[i], n) == 0)
            return i;
    return WORD_COUNT;
}

/* Cuts the text into the values of its words: value[w], NULL = not said. What stands behind a word up to the next one is its value; the
 * reason goes to the end. */
static enum gs_rc cut(const char *s, struct gs_arena *a, const char *value[WORD_COUNT],
                      struct gs_err *err)
{
    for (size_t n = token(&s); n; n = token(&s)) {
        const int w = is_word(s, n);
        if (w == WORD_COUNT)
            return gs_fail(err, GS_E_INPUT,
                           "'%.*s' is not expected here (known: at, for, every, until, rolling, "
                           "notice, queue, reason)",
                           (int)n, s);
        if (value[w])
            return gs_fail(err, GS_E_INPUT, "'%s' is said twice", words[w]);
        s += n;
        (void)token(&s);
        const char *from = s, *end = s;
        while ((n = token(&s)) != 0 && (w == WORD_REASON || is_word(s, n) == WORD_COUNT))
            end = s += n;
        if (end == from)
            return gs_fail(err, GS_E_INPUT, "'%s' has no value", words[w]);
        value[w] = gs_arena_str(a, from, (size_t)(end - from));
    }
    return GS_OK;
}

/* A wall clock has a date in front; anything else is a time from t = 0. */
enum gs_rc gs_plan_when(const char *text, const struct gs_plan_clock *clock, int64_t *out,
                        struct gs_err *err)
{
    int64_t unix_ns = 0;
    if (!(strlen(text) > 10 && text[4] == '-' && text[7] == '-'))
        return gs_parse_time(text, out, err);
    const enum gs_rc rc = gs_parse_clock(text, clock->offset_s, &unix_ns, err);
    if (rc)
        return rc;
    if (clock->start_unix_ns == GS_NEVER)
        return gs_fail(err, GS_E_INPUT,
                       "'%s' is a wall clock: it needs [scenario] start, the wall clock of t = 0",
                       text);
    *out = unix_ns - clock->start_unix_ns;
    return *out < 0 ? gs_fail(err, GS_E_INPUT, "'%s' is before the start of the run", text) : GS_OK;
}

static enum gs_rc read_times(const char *const value[WORD_COUNT], const struct gs_plan_clock *clock,
                             struct gs_set_plan *p, struct gs_err *err)
{
    enum gs_rc rc = gs_plan_when(value[WORD_AT], clock, &p->at_ns, err);
    if (!rc && value[WORD_FOR])
        rc = gs_parse_time(value[WORD_FOR], &p->for_ns, err);
    if (!rc && value[WORD_EVERY])
        rc = gs_parse_time(value[WORD_EVERY], &p->every_ns, err);
    if (!rc && value[WORD_UNTIL])
        rc = gs_plan_when(value[WORD_UNTIL], clock, &p->until_ns, err);
    if (!rc && value[WORD_NOTICE])
        rc = gs_parse_time(value[WORD_NOTICE], &p->notice_ns, err);
    if (!rc && value[WORD_ROLLING])
        rc = gs_parse_int(value[WORD_ROLLING], 1, 10000000, &p->rolling, err);
    return rc;
}

/* What the words say together. */
static enum gs_rc check(const char *const value[WORD_COUNT], const struct gs_set_plan *p,
                        struct gs_err *err)
{
    const int lasts =
        p->action == GS_PLAN_DRAIN || p->action == GS_PLAN_DOWN || p->action == GS_PLAN_RESERVE;
    if (value[WORD_FOR] && !lasts)
        return gs_fail(err, GS_E_INPUT, "'for' has no meaning for %s", actions[p->action]);
    if (value[WORD_FOR] && p->for_ns == 0)
        return gs_fail(err, GS_E_INPUT, "'for' is no time at all");
    if ((value[WORD_EVERY] || value[WORD_ROLLING]) && p->for_ns == GS_NEVER)
        return gs_fail(err, GS_E_INPUT, "'%s' needs 'for': how long does one last?",
                       value[WORD_EVERY] ? "every" : "rolling");
    if (value[WORD_EVERY] && p->every_ns < p->for_ns)
        return gs_fail(err, GS_E_INPUT, "the next one would begin before the one before ends");
    if (value[WORD_UNTIL] && !value[WORD_EVERY])
        return gs_fail(err, GS_E_INPUT, "'until' needs 'every'");
    if (value[WORD_NOTICE] && p->action != GS_PLAN_DOWN && p->action != GS_PLAN_REMOVE)
        return gs_fail(err, GS_E_INPUT, "'notice' is for down and remove");
    if (p->notice_ns > p->at_ns)
        return gs_fail(err, GS_E_INPUT, "'notice' would be given before the start of the run");
    if ((p->action == GS_PLAN_RESERVE) != (value[WORD_QUEUE] != NULL))
        return gs_fail(err, GS_E_INPUT,
                       p->action == GS_PLAN_RESERVE ? "for which queue? (queue NAME)"
                                                    : "'queue' is for reserve");
    return GS_OK;
}

enum gs_rc gs_plan_parse(const char *text, const struct gs_plan_clock *clock, struct gs_arena *a,
                         struct gs_set_plan *out, struct gs_err *err)
{
    const char *value[WORD_COUNT] = {0};
    const char *s = text;
    size_t n = token(&s);
    *out = (struct gs_set_plan){.for_ns = GS_NEVER, .until_ns = GS_NEVER};
    int action = 0;
    while (action < GS_PLAN_ACTION_COUNT &&
           (strlen(actions[action]) != n || memcmp(actions[action], s, n) != 0))
        action++;
    if (action == GS_PLAN_ACTION_COUNT)
        return gs_fail(err, GS_E_INPUT,
                       "'%.*s' is not what can be planned (add, remove, drain, down, up, reserve)",
                       (int)n, s);
    out->action = (enum gs_plan_action)action;
    s += n;
    n = token(&s);
    if (n == 0 || is_word(s, n) != WORD_COUNT)
        return gs_fail(err, GS_E_INPUT, "which nodes? (n[01-16], a [nodes] section, or all)");
    out->nodes = gs_arena_str(a, s, n);
    s += n;
    enum gs_rc rc = cut(s, a, value, err);
    if (rc)
        return rc;
    if (!value[WORD_AT])
        return gs_fail(err, GS_E_INPUT, "when? (at 2d, at 2026-01-05T00:00:00Z)");
    out->queue = value[WORD_QUEUE] ? value[WORD_QUEUE] : "";
    out->reason = value[WORD_REASON] ? value[WORD_REASON] : "";
    rc = read_times(value, clock, out, err);
    return rc ? rc : check(value, out, err);
}

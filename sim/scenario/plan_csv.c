/* plan_csv.c - planned changes from a CSV: each row becomes the words that a scenario would write, and is read as those (plan.h). */
#include "sim/base/buf.h"
#include "sim/scenario/load.h"
#include "traces/listing.h"

#include <string.h>

enum column {
    C_NAME,
    C_ACTION,
    C_NODES,
    C_AT,
    C_NEEDED,
    C_FOR = C_NEEDED,
    C_EVERY,
    C_UNTIL,
    C_ROLLING,
    C_NOTICE,
    C_QUEUE,
    C_REASON,
    C_COUNT
};

const struct gs_listing_form gs_plans_form = {
    .section = "calendar",
    .key = "file",
    .n = C_COUNT,
    .needed = C_NEEDED,
    .column = {[C_NAME] = {"name", "of the entry, for messages and /outages"},
               [C_ACTION] = {"action", "add, remove, drain, down, up or reserve"},
               [C_NODES] = {"nodes", "a [nodes] section, a list such as a-[00-07], or all"},
               [C_AT] = {"at", "when: a time from the start, or a date"},
               [C_FOR] = {"for", "how long; empty = for good"},
               [C_EVERY] = {"every", "repeats after so long"},
               [C_UNTIL] = {"until", "the last repetition begins before"},
               [C_ROLLING] = {"rolling", "so many nodes at a time, one group after the other"},
               [C_NOTICE] = {"notice", "nothing new starts there for so long before"},
               [C_QUEUE] = {"queue", "whom a reservation is for"},
               [C_REASON] = {"reason", "text"}},
};

static enum gs_rc add_row(struct gs_settings *s, const struct gs_listing *l, struct gs_err *err)
{
    const struct gs_plan_clock clock = gs_value_clock(s);
    struct gs_buf text = {0}, where = {0};
    struct gs_set_plan p;
    gs_buf_fmt(&where, "%s:%lld", l->in.shown, (long long)l->csv.line);
    gs_buf_fmt(&text, "%s %s", gs_listing_field(l, C_ACTION), gs_listing_field(l, C_NODES));
    for (size_t i = C_AT; i < C_COUNT; i++)
        if (i != C_NAME && *gs_listing_field(l, i))
            gs_buf_fmt(&text, " %s %s", gs_plans_form.column[i].name, gs_listing_field(l, i));
    enum gs_rc rc = gs_plan_parse(gs_buf_cstr(&text), &clock, &s->text, &p, err);
    if (rc)
        rc = gs_wrap(err, "%s", gs_buf_cstr(&where));
    p.name =
        gs_arena_str(&s->text, gs_listing_field(l, C_NAME), strlen(gs_listing_field(l, C_NAME)));
    p.where = gs_arena_str(&s->text, gs_buf_cstr(&where), where.n);
    if (!rc)
        gs_vec_push(&s->plans, p);
    gs_buf_free(&text);
    gs_buf_free(&where);
    return rc;
}

void gs_plans_read(struct gs_load *l)
{
    struct gs_settings *s = l->s;
    struct gs_listing list;
    struct gs_err err = {0};
    int more = 1;
    if (!s->calendar_file)
        return;
    const struct gs_ini_entry *e =
        gs_ini_get(&l->ini, gs_ini_find(&l->ini, "calendar", ""), "file");
    enum gs_rc rc =
        gs_listing_open(&list, s->calendar_file, e ? e->value : NULL, &gs_plans_form, &err);
    while (!rc && more) {
        rc = gs_listing_next(&list, &more);
        if (!rc && more)
            rc = add_row(s, &list, &err);
    }
    if (rc)
        gs_blame(l, "calendar", "", "file", "%s", err.msg);
    gs_listing_close(&list);
}

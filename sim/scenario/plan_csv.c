/* plan_csv.c - planned changes from a CSV: each row becomes the words that a scenario would write, and is read as those (plan.h). */
#include "sim/base/buf.h"
#include "sim/scenario/load.h"
#include "traces/csv.h"

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

static const char *const names[C_COUNT] = {"name",  "action",  "nodes",  "at",    "for",   "every",
                                           "until", "rolling", "notice", "queue", "reason"};

static enum gs_rc add_row(struct gs_settings *s, const struct gs_csv *c, const size_t *column,
                          const char *where, struct gs_err *err)
{
    const struct gs_plan_clock clock = gs_value_clock(s);
    struct gs_buf text = {0};
    struct gs_set_plan p;
    gs_buf_fmt(&text, "%s %s", gs_csv_field(c, column[C_ACTION]), gs_csv_field(c, column[C_NODES]));
    for (int i = C_AT; i < C_COUNT; i++)
        if (*gs_csv_field(c, column[i]))
            gs_buf_fmt(&text, " %s %s", names[i], gs_csv_field(c, column[i]));
    const enum gs_rc rc = gs_plan_parse(gs_buf_cstr(&text), &clock, &s->text, &p, err);
    gs_buf_free(&text);
    if (rc)
        return gs_wrap(err, "%s", where);
    const char *name = gs_csv_field(c, column[C_NAME]);
    p.name = gs_arena_str(&s->text, name, strlen(name));
    p.where = gs_arena_str(&s->text, where, strlen(where));
    gs_vec_push(&s->plans, p);
    return GS_OK;
}

static enum gs_rc read_rows(struct gs_settings *s, struct gs_input *in, struct gs_csv *c,
                            struct gs_err *err)
{
    size_t column[C_COUNT];
    enum gs_rc rc = gs_csv_open(c, in, err);
    for (int i = 0; i < C_COUNT && !rc; i++) {
        column[i] = gs_csv_find(c, names[i]);
        if (column[i] == GS_CSV_NONE && i < C_NEEDED)
            rc = gs_csv_need(c, names[i], &column[i], err);
    }
    for (int more = 1; !rc;) {
        struct gs_buf where = {0};
        rc = gs_csv_next(c, &more, err);
        if (rc || !more)
            break;
        gs_buf_fmt(&where, "%s:%lld", in->shown, (long long)c->line);
        if (gs_csv_fields(c) != gs_csv_columns(c))
            rc = gs_fail(err, GS_E_INPUT, "%s: %zu fields, the header has %zu", gs_buf_cstr(&where),
                         gs_csv_fields(c), gs_csv_columns(c));
        else
            rc = add_row(s, c, column, gs_buf_cstr(&where), err);
        gs_buf_free(&where);
    }
    return rc ? rc : gs_input_finish(in, err);
}

void gs_plans_read(struct gs_load *l)
{
    struct gs_settings *s = l->s;
    struct gs_input in;
    struct gs_csv c = {0};
    struct gs_err err = {0};
    const struct gs_ini_entry *e = NULL;
    if (!s->calendar_file)
        return;
    e = gs_ini_get(&l->ini, gs_ini_find(&l->ini, "calendar", ""), "file");
    enum gs_rc rc = gs_input_open(&in, s->calendar_file, e ? e->value : NULL, &err);
    if (!rc)
        rc = read_rows(s, &in, &c, &err);
    if (rc)
        gs_blame(l, "calendar", "", "file", "%s", err.msg);
    gs_csv_close(&c);
    gs_input_close(&in);
}

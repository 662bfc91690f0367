/* cmd_catalog.c - `gsim catalog [TABLE [WORD...]]`: the hardware tables, with the confidence of each row.
 *
 * Everything here follows the tables' own description (sim/hardware/table.h): a new table or column is
 * listed without a line of this file. --csv writes what --file reads. */
#include "sim/catalog_models.h"
#include "sim/cli.h"
#include "sim/hardware/table.h"

#include <jansson.h>
#include <libsmartcols/libsmartcols.h>

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
    OPT_CSV = GS_OPT_OWN,
    OPT_FILE
};

struct args {
    struct gs_cli *cli;
    const struct gs_table *table;       /* NULL: all, in short */
    const struct gs_catalog_view *view; /* instead of a table */
    const char *file;                   /* the user's own */
    char **words;                       /* rows must have each */
    int nwords, csv;
};

static const struct argp_option options[] = {
    {"csv", OPT_CSV, NULL, 0, "all columns as CSV, in the form that --file reads", 0},
    {"file", OPT_FILE, "FILE", 0,
     "a catalog of your own on top: CSV tables as --csv writes them, columns may be left out", 0},
    {0}};

static void take_table(struct args *a, const char *name, struct argp_state *state)
{
    const char *near = NULL;
    a->view = gs_catalog_view_named(name);
    if (a->view)
        return;
    a->table = gs_table_named(name, &near);
    if (!a->table)
        argp_error(state, "'%s' is not a table of the catalog%s%s%s; gsim catalog lists them", name,
                   near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = a->cli; break;
    case OPT_CSV: a->csv = 1; break;
    case OPT_FILE: a->file = arg; break;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            return ARGP_ERR_UNKNOWN; /* the rest are words: ARGP_KEY_ARGS takes them */
        take_table(a, arg, state);
        break;
    case ARGP_KEY_ARGS:
        a->words = state->argv + state->next;
        a->nwords = state->argc - state->next;
        state->next = state->argc;
        break;
    case ARGP_KEY_END:
        if (a->csv && (a->cli->json || !a->table))
            argp_error(state, "--csv writes one table: name it, and leave --json out");
        if (a->view && a->nwords)
            argp_error(state, "%s takes no words", a->view->name);
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {{&gs_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp program = {
    options,
    parse,
    "[TABLE [WORD...]]",
    "The facts that gsim knows of hardware, models and prices. Without TABLE: the tables. With WORDs: the rows that "
    "have each of them. conf: A read in a primary source, B in a secondary one, C recalled, ? not graded; rows marked "
    "UNVERIFIED hold a figure that could not be checked, rows marked given are your own.\v"
    "Example: gsim catalog prices h100\n"
    "A file of your own, named by --file here and by [scenario] catalog in a scenario, replaces and adds rows:\n"
    "  gpu,memory_gib,tdp_w\n"
    "  H100-SXM5-80GB,80,650\n"
    "  my-gpu,24,150",
    children,
    NULL,
    NULL};

/* ---- rows ---- */

static int contains(const char *text, const char *word)
{
    const size_t n = strlen(word);
    for (; *text; text++) {
        if (strncasecmp(text, word, n) == 0)
            return 1;
    }
    return n == 0;
}

/* Does some field have the word? Sources do not count: they name much that the row is not about. */
static int row_has(const struct gs_table *t, const void *record, const char *word)
{
    struct gs_buf text = {0};
    int found = 0;
    for (size_t i = 0; i + 1 < t->nfields && !found; i++) { /* the source is the last */
        gs_buf_clear(&text);
        gs_field_show(&t->fields[i], record, &text);
        found = contains(gs_buf_cstr(&text), word);
    }
    gs_buf_free(&text);
    return found;
}

static int wanted(const struct args *a, const void *record)
{
    int k = 0;
    while (k < a->nwords && row_has(a->table, record, a->words[k]))
        k++;
    return k == a->nwords;
}

static size_t count_wanted(const struct args *a, const struct gs_catalog *c)
{
    size_t n = 0;
    for (size_t i = 0; i < gs_table_rows(a->table, c); i++)
        n += (size_t)wanted(a, gs_table_row(a->table, c, i));
    return n;
}

static int unverified(const struct gs_table *t, const void *record)
{
    struct gs_buf text = {0};
    for (size_t i = 0; i < t->nfields; i++) {
        if (t->fields[i].kind == GS_FIELD_MARK)
            gs_field_show(&t->fields[i], record, &text);
    }
    const int is = text.n > 0;
    gs_buf_free(&text);
    return is;
}

/* ---- aligned columns ---- */

static struct libscols_table *new_listing(void)
{
    struct libscols_table *out = scols_new_table();
    if (out) {
        (void)scols_table_set_termforce(out, SCOLS_TERMFORCE_NEVER);
        (void)scols_table_enable_nowrap(out, 1);
    }
    return out;
}

static void print_listing(struct libscols_table *out)
{
    (void)scols_print_table(out);
    (void)fputc('\n', stdout);
    scols_unref_table(out);
}

static const char *heading(const struct gs_field *f)
{
    return f->kind == GS_FIELD_LETTER ? "conf" : f->kind == GS_FIELD_MARK ? "mark" : f->column;
}

static void add_line(struct libscols_table *out, const struct gs_table *t, const void *record)
{
    struct libscols_line *line = scols_table_new_line(out, NULL);
    struct gs_buf text = {0};
    size_t column = 0;
    for (size_t i = 0; i < t->nfields; i++) {
        const struct gs_field *f = &t->fields[i];
        if (f->wide)
            continue;
        gs_buf_clear(&text);
        gs_field_show(f, record, &text);
        if (f->kind == GS_FIELD_MARK && gs_table_given(t, record))
            gs_buf_str(&text, text.n ? " given" : "given");
        else if (!text.n && gs_field_is_number(f))
            gs_buf_str(&text, "-");
        (void)scols_line_set_data(line, column++, gs_buf_cstr(&text));
    }
    gs_buf_free(&text);
}

static void list(const struct args *a, const struct gs_catalog *c)
{
    const struct gs_table *t = a->table;
    struct libscols_table *out = new_listing();
    if (!out)
        return;
    for (size_t i = 0; i < t->nfields; i++) {
        if (!t->fields[i].wide)
            (void)scols_table_new_column(out, heading(&t->fields[i]), 0,
                                         gs_field_is_number(&t->fields[i]) ? SCOLS_FL_RIGHT : 0);
    }
    for (size_t i = 0; i < gs_table_rows(t, c); i++) {
        if (wanted(a, gs_table_row(t, c, i)))
            add_line(out, t, gs_table_row(t, c, i));
    }
    print_listing(out);
}

/* ---- CSV ---- */

static void put_csv(const char *text, const char *before)
{
    (void)fputs(before, stdout);
    if (!strpbrk(text, ",\"\r\n") && text[0] != ' ' && text[0] != '\t') {
        (void)fputs(text, stdout);
        return;
    }
    (void)fputc('"', stdout);
    for (; *text; text++)
        (void)fputs(*text == '"' ? "\"\"" : (char[]){*text, 0}, stdout);
    (void)fputc('"', stdout);
}

static void list_csv(const struct args *a, const struct gs_catalog *c)
{
    const struct gs_table *t = a->table;
    struct gs_buf text = {0};
    for (size_t i = 0; i < t->nfields; i++)
        put_csv(t->fields[i].column, i ? "," : "");
    (void)fputc('\n', stdout);
    for (size_t k = 0; k < gs_table_rows(t, c); k++) {
        const void *record = gs_table_row(t, c, k);
        for (size_t i = 0; i < t->nfields && wanted(a, record); i++) {
            gs_buf_clear(&text);
            gs_field_show(&t->fields[i], record, &text);
            put_csv(gs_buf_cstr(&text), i ? "," : "");
            if (i + 1 == t->nfields)
                (void)fputc('\n', stdout);
        }
    }
    gs_buf_free(&text);
}

/* ---- JSON ---- */

static json_t *starts_json(const char *text)
{
    json_t *a = json_array();
    int64_t x = 0;
    for (; *text; text++) {
        if (*text != ' ')
            x = x * 10 + (*text - '0');
        if (text[1] == ' ' || text[1] == '\0') {
            (void)json_array_append_new(a, json_integer(x));
            x = 0;
        }
    }
    return a;
}

static json_t *field_json(const struct gs_field *f, const void *record)
{
    struct gs_buf text = {0};
    json_t *v;
    gs_field_show(f, record, &text);
    const char *s = gs_buf_cstr(&text);
    if (f->kind == GS_FIELD_MARK)
        v = json_boolean(text.n > 0);
    else if (f->kind == GS_FIELD_STARTS)
        v = starts_json(s);
    else if (!gs_field_is_number(f))
        v = json_string(s);
    else if (!text.n)
        v = json_null();
    else
        v = json_loads(s, JSON_DECODE_ANY, NULL);
    gs_buf_free(&text);
    return v;
}

static json_t *rows_json(const struct args *a, const struct gs_catalog *c)
{
    const struct gs_table *t = a->table;
    json_t *rows = json_array();
    for (size_t i = 0; i < gs_table_rows(t, c); i++) {
        const void *record = gs_table_row(t, c, i);
        if (!wanted(a, record))
            continue;
        json_t *o = json_object();
        for (size_t k = 0; k < t->nfields; k++)
            (void)json_object_set_new(o, t->fields[k].column, field_json(&t->fields[k], record));
        (void)json_object_set_new(o, "given", json_boolean(gs_table_given(t, record)));
        (void)json_array_append_new(rows, o);
    }
    return rows;
}

static void print_json(json_t *a)
{
    (void)json_dumpf(a, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));
    (void)fputc('\n', stdout);
    json_decref(a);
}

/* ---- the tables themselves ---- */

struct tally {
    size_t rows, unverified, given;
};

static struct tally tally_of(const struct gs_table *t, const struct gs_catalog *c)
{
    struct tally n = {gs_table_rows(t, c), 0, 0};
    for (size_t i = 0; i < n.rows; i++) {
        n.unverified += (size_t)unverified(t, gs_table_row(t, c, i));
        n.given += (size_t)gs_table_given(t, gs_table_row(t, c, i));
    }
    return n;
}

static void list_tables(const struct gs_catalog *c)
{
    struct libscols_table *out = new_listing();
    if (!out)
        return;
    static const char *const heads[] = {"table", "rows", "UNVERIFIED", "given", "what"};
    for (size_t h = 0; h < sizeof heads / sizeof *heads; h++)
        (void)scols_table_new_column(out, heads[h], 0, h > 0 && h < 4 ? SCOLS_FL_RIGHT : 0);
    for (size_t t = 0; t < GS_CATALOG_COUNT; t++) {
        const struct tally n = tally_of(&gs_tables[t], c);
        const size_t numbers[] = {n.rows, n.unverified, n.given};
        struct libscols_line *line = scols_table_new_line(out, NULL);
        (void)scols_line_set_data(line, 0, gs_tables[t].name);
        for (size_t k = 0; k < 3; k++) {
            char text[24];
            (void)gs_fmt(text, sizeof text, "%zu", numbers[k]);
            (void)scols_line_set_data(line, k + 1, text);
        }
        (void)scols_line_set_data(line, 4, gs_tables[t].doc);
    }
    print_listing(out);
    (void)printf("\nThe models beside what was measured:\n");
    for (size_t i = 0; gs_catalog_view(i); i++)
        (void)printf("%-12s %s\n", gs_catalog_view(i)->name, gs_catalog_view(i)->doc);
}

static json_t *tables_json(const struct gs_catalog *c)
{
    json_t *a = json_array();
    for (size_t t = 0; t < GS_CATALOG_COUNT; t++) {
        const struct tally n = tally_of(&gs_tables[t], c);
        json_t *o = json_object(), *columns = json_array();
        (void)json_object_set_new(o, "table", json_string(gs_tables[t].name));
        (void)json_object_set_new(o, "what", json_string(gs_tables[t].doc));
        (void)json_object_set_new(o, "rows", json_integer((json_int_t)n.rows));
        (void)json_object_set_new(o, "unverified", json_integer((json_int_t)n.unverified));
        (void)json_object_set_new(o, "given", json_integer((json_int_t)n.given));
        for (size_t i = 0; i < gs_tables[t].nfields; i++)
            (void)json_array_append_new(columns, json_string(gs_tables[t].fields[i].column));
        (void)json_object_set_new(o, "columns", columns);
        (void)json_array_append_new(a, o);
    }
    return a;
}

/* ---- the command ---- */

static enum gs_rc show(const struct args *a, const struct gs_catalog *c, struct gs_err *err)
{
    if (!a->table && a->cli->json)
        print_json(tables_json(c));
    else if (!a->table)
        list_tables(c);
    else if (a->nwords && count_wanted(a, c) == 0)
        return gs_fail(err, GS_E_INPUT, "no row of the table %s has '%s'%s (gsim catalog %s)",
                       a->table->name, a->words[0], a->nwords > 1 ? " and the further words" : "",
                       a->table->name);
    else if (a->cli->json)
        print_json(rows_json(a, c));
    else if (a->csv)
        list_csv(a, c);
    else
        list(a, c);
    return GS_OK;
}

int gs_cmd_catalog(struct gs_cli *cli, int argc, char **argv)
{
    struct args a = {.cli = cli};
    struct gs_catalog c = {0};
    struct gs_err err = {0};
    if (argp_parse(&program, argc, argv, 0, NULL, &a))
        return 2;
    gs_cli_begin(cli);
    enum gs_rc rc = gs_catalog_load(&c, a.file, &err);
    for (size_t t = 0; t < GS_CATALOG_COUNT && !rc; t++) {
        if (!a.view && (!a.table || a.table == &gs_tables[t]))
            gs_catalog_need(&c, (enum gs_catalog_table)t);
    }
    if (!rc && a.view)
        a.view->show(&c, cli->json);
    else if (!rc)
        rc = show(&a, &c, &err);
    gs_catalog_release(&c);
    return rc ? gs_cli_fail(cli, rc, &err) : 0;
}

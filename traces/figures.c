/* figures.c - control figures: sums, extremes, tallies over the rows of a table, driven by struct gs_figure.
 *
 * A row is first taken (its numbers read, what it would add to each figure computed; a text that is no number is a fault of
 * the row) and only then added, when the format has found nothing wrong with it either. A number is kept as it is written, m /
 * 10^places, so that products are exact; sums have 18 places in 128 bits, and overflow is a fault.
 * Cost: O(rows x figures); memory by distinct values for distinct, tally and duplicates. */
#include "traces/figures.h"

#include "sim/base/buf.h"
#include "sim/base/sort.h"
#include "traces/decimal.h"
#include "traces/seen.h"
#include "traces/table.h"

#include <string.h>

#include "sim/base/banned.h"

#define PLACES 18 /* of all sums */
#define NONE   SIZE_MAX

struct number {
    int64_t m;
    int places;
    int state; /* 0 = not read for this row, 1 = read, 2 = null */
};

/* Rows with one value. */
struct group {
    const char *text;
    int64_t rows;
    gs_i128 sum, number;
};

struct figure {
    const struct gs_figure *f;
    size_t a, b, c, where; /* fields, NONE = not given */
    int absent;       /* a column that the file has not, or more values than can be told apart */
    int full;         /* the latter */
    int pass;         /* the row under way takes part */
    gs_i128 add, sum; /* of the row; so far. Extremes are kept in sum */
    int64_t count;
    struct gs_buf text; /* extreme, first, last, the row before */
    struct gs_seen seen;
    struct gs_intern ids;
    GS_VEC(struct group) groups; /* by id */
};

struct gs_figures {
    const struct gs_table *t;
    struct figure *v;
    size_t n, width; /* width: fields of the first row */
    struct number number[GS_TABLE_FIELDS_MAX];
    struct gs_buf whole; /* the row, for duplicates */
};

static int is_grouped(enum gs_figure_op op)
{
    return op == GS_FIG_TALLY || op == GS_FIG_TALLY_FILLED || op == GS_FIG_TALLY_SUM ||
           op == GS_FIG_EACH;
}

/* The field that a column name means; marks the figure absent if the file lacks it. */
static size_t find_field(const struct gs_table *t, const size_t *at, const char *name, int *absent)
{
    if (!name)
        return NONE;
    for (size_t i = 0; i < t->nfields; i++) {
        if (strcmp(t->fields[i].name, name) == 0) {
            *absent |= at[i] == NONE;
            return i;
        }
    }
    gs_panic(__FILE__, __LINE__, "require", "a figure names a column that its table has not");
    return NONE;
}

struct gs_figures *gs_figures_new(const struct gs_table *t, const size_t *at)
{
    struct gs_figures *g = GS_NEW(struct gs_figures);
    g->t = t;
    g->n = t->nfigures;
    g->v = GS_NEW_N(struct figure, g->n ? g->n : 1);
    for (size_t i = 0; i < g->n; i++) {
        struct figure *k = &g->v[i];
        k->f = &t->figures[i];
        k->a = find_field(t, at, k->f->a, &k->absent);
        k->b = find_field(t, at, k->f->b, &k->absent);
        k->c = find_field(t, at, k->f->c, &k->absent);
        k->where = find_field(t, at, k->f->where, &k->absent);
        if (is_grouped(k->f->op))
            gs_intern_init(&k->ids);
    }
    return g;
}

void gs_figures_free(struct gs_figures *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->n; i++) {
        gs_buf_free(&g->v[i].text);
        gs_seen_free(&g->v[i].seen);
        gs_vec_free(&g->v[i].groups);
        if (is_grouped(g->v[i].f->op))
            gs_intern_release(&g->v[i].ids);
    }
    gs_buf_free(&g->whole);
    gs_free(g->v);
    gs_free(g);
}

/* ---- Taking a row ------------------------------------------------------------------------------ */

static enum gs_rc take_number(struct gs_figures *g, struct gs_row *r, size_t field, const char *s,
                              struct number **out)
{
    struct number *x = &g->number[field];
    *out = x;
    if (x->state)
        return GS_OK;
    x->state = *s ? 1 : 2;
    if (!*s)
        return GS_OK;
    const enum gs_decimal rc = gs_decimal_split(s, &x->m, &x->places);
    if (rc <= GS_DECIMAL_INEXACT)
        return GS_OK;
    return gs_row_bad(r, "not a number", g->t->fields[field].name, s,
                      rc == GS_DECIMAL_TOO_BIG ? "is absurd: over 19 digits" : "is not a number");
}

static gs_i128 ten_to(int n)
{
    gs_i128 x = 1;
    while (n-- > 0)
        x *= 10;
    return x;
}

/* m / 10^places to PLACES; 0 = it does not fit. */
static int to_places(gs_i128 m, int places, gs_i128 *out)
{
    if (places > PLACES) {
        *out = gs_decimal_round(m, places, PLACES);
        return 1;
    }
    return !__builtin_mul_overflow(m, ten_to(PLACES - places), out);
}

/* a - b as m / 10^*places; cannot overflow: 63 bits and 18 digits. */
static gs_i128 difference(const struct number *a, const struct number *b, int *places)
{
    *places = a->places > b->places ? a->places : b->places;
    return a->m * ten_to(*places - a->places) - b->m * ten_to(*places - b->places);
}

/* What the row adds; k->pass = 0 if a null keeps it out. */
static enum gs_rc take_terms(struct gs_figures *g, struct figure *k, struct gs_row *r,
                             const char *const *v)
{
    const size_t field[3] = {k->a, k->b, k->c};
    struct number *x[3] = {0};
    const int first = k->f->op == GS_FIG_TALLY_SUM; /* its a is the group */
    for (int i = first; i < 3; i++) {
        if (field[i] == NONE)
            continue;
        const enum gs_rc rc = take_number(g, r, field[i], v[field[i]], &x[i]);
        if (rc != GS_OK)
            return rc;
        k->pass = k->pass && x[i]->state == 1;
    }
    if (!k->pass)
        return GS_OK;
    const struct number *a = x[first];
    gs_require(a); /* every figure of numbers names a column */
    gs_i128 m = a->m;
    int places = a->places;
    int fits = 1;
    if (k->f->op == GS_FIG_SUM_PRODUCT) {
        gs_require(x[1]);
        m *= x[1]->m;
        places += x[1]->places;
    } else if (k->f->op == GS_FIG_SUM_SPAN || k->f->op == GS_FIG_SUM_PRODUCT_SPAN) {
        gs_require(x[1]);
        m = difference(a, x[1], &places);
    }
    if (k->f->op == GS_FIG_SUM_PRODUCT_SPAN) {
        gs_require(x[2]);
        fits = !__builtin_mul_overflow(m, (gs_i128)x[2]->m, &m);
        places += x[2]->places;
    }
    gs_i128 sum = 0;
    if (fits && to_places(m, places, &k->add) && !__builtin_add_overflow(k->sum, k->add, &sum))
        return GS_OK;
    return gs_row_bad(r, "absurdly large number", k->f->a, v[k->a],
                      "makes a figure of this file overflow");
}

static int needs_numbers(enum gs_figure_op op)
{
    switch (op) {
    case GS_FIG_SUM:
    case GS_FIG_SUM_PRODUCT:
    case GS_FIG_SUM_SPAN:
    case GS_FIG_SUM_PRODUCT_SPAN:
    case GS_FIG_MIN:
    case GS_FIG_MAX:
    case GS_FIG_ZEROS:
    case GS_FIG_NOT_POSITIVE:
    case GS_FIG_NEGATIVE:
    case GS_FIG_TALLY_SUM: return 1;
    case GS_FIG_ROWS:
    case GS_FIG_COLUMNS:
    case GS_FIG_COLUMN_NAMES:
    case GS_FIG_MIN_TEXT:
    case GS_FIG_MAX_TEXT:
    case GS_FIG_FIRST:
    case GS_FIG_LAST:
    case GS_FIG_NULLS:
    case GS_FIG_FILLED:
    case GS_FIG_IS:
    case GS_FIG_IS_NOT:
    case GS_FIG_DISTINCT:
    case GS_FIG_TALLY:
    case GS_FIG_TALLY_FILLED:
    case GS_FIG_EACH:
    case GS_FIG_OUT_OF_ORDER:
    case GS_FIG_SAME_AS_BEFORE:
    case GS_FIG_DUPLICATES: break;
    }
    return 0;
}

enum gs_rc gs_figures_take(struct gs_figures *g, struct gs_row *r, const char *const *v)
{
    for (size_t i = 0; i < g->t->nfields; i++)
        g->number[i].state = 0;
    for (size_t i = 0; i < g->n; i++) {
        struct figure *k = &g->v[i];
        k->pass = !k->absent && (k->where == NONE || strcmp(v[k->where], k->f->where_is) == 0);
        if (!k->pass || !needs_numbers(k->f->op))
            continue;
        const enum gs_rc rc = take_terms(g, k, r, v);
        if (rc != GS_OK)
            return rc;
    }
    return GS_OK;
}

/* ---- Adding it --------------------------------------------------------------------------------- */

/* A number without sign of an exponent (a hash such as 6214e9 is a name), so that "8.0" and "8" are one value. */
static int is_plain_number(const char *s)
{
    int64_t x = 0;
    return s[strspn(s, "+-.0123456789")] == '\0' && gs_decimal_read(s, 9, &x) <= GS_DECIMAL_INEXACT;
}

static void add_to_group(struct figure *k, const char *s)
{
    struct gs_buf text = {0};
    int64_t m = 0;
    int places = 0;
    if (strchr(s, '.') && is_plain_number(s) && gs_decimal_split(s, &m, &places) == GS_DECIMAL_OK) {
        gs_decimal_add(&text, m, places);
        s = gs_buf_cstr(&text);
    }
    const uint32_t id = gs_intern(&k->ids, s);
    while (k->groups.n <= id)
        gs_vec_push(&k->groups, (struct group){0});
    struct group *p = &k->groups.v[id];
    p->rows++;
    p->sum += k->add;
    gs_buf_free(&text);
}

static void set_text(struct figure *k, const char *s)
{
    gs_buf_clear(&k->text);
    gs_buf_str(&k->text, s);
}

static void keep_text(struct figure *k, const char *s)
{
    set_text(k, s);
    k->count++;
}

/* a < b as numbers if both are, else as texts. */
static int is_below(const char *a, const char *b)
{
    struct number x = {0};
    struct number y = {0};
    int places = 0;
    if (gs_decimal_split(a, &x.m, &x.places) <= GS_DECIMAL_INEXACT &&
        gs_decimal_split(b, &y.m, &y.places) <= GS_DECIMAL_INEXACT)
        return difference(&x, &y, &places) < 0;
    return strcmp(a, b) < 0;
}

static void compare_with_before(struct figure *k, const char *s)
{
    const char *before = gs_buf_cstr(&k->text);
    const int known = k->sum != 0; /* there is a row before */
    if (known)
        k->count += k->f->op == GS_FIG_OUT_OF_ORDER ? is_below(s, before) : strcmp(s, before) == 0;
    set_text(k, s);
    k->sum = 1;
}

/* Counts what is new, or what is not; when the set is full, the figure is given up: half a count would be wrong. */
static void count_new(struct figure *k, int wanted, int is_new)
{
    k->count += is_new == wanted;
    k->full = k->absent = is_new < 0;
    if (k->full)
        gs_seen_free(&k->seen);
}

static int is_new_row(struct gs_figures *g, struct figure *k, const struct gs_csv *c)
{
    gs_buf_clear(&g->whole);
    for (size_t i = 0; i < gs_csv_fields(c); i++) {
        const char *s = gs_csv_field(c, i);
        gs_buf_add(&g->whole, s, strlen(s) + 1);
    }
    return gs_seen_add(&k->seen, g->whole.s, g->whole.n);
}

static void add_text(struct gs_figures *g, struct figure *k, const struct gs_csv *c, const char *s)
{
    switch ((int)k->f->op) {
    case GS_FIG_ROWS: k->count++; break;
    case GS_FIG_MIN_TEXT:
        if (*s && (!k->count || strcmp(s, gs_buf_cstr(&k->text)) < 0))
            keep_text(k, s);
        break;
    case GS_FIG_MAX_TEXT:
        if (*s && (!k->count || strcmp(s, gs_buf_cstr(&k->text)) > 0))
            keep_text(k, s);
        break;
    case GS_FIG_FIRST:
        if (!k->count)
            keep_text(k, s);
        break;
    case GS_FIG_LAST: keep_text(k, s); break;
    case GS_FIG_NULLS: k->count += !*s; break;
    case GS_FIG_FILLED: k->count += *s != '\0'; break;
    case GS_FIG_IS: k->count += strcmp(s, k->f->is) == 0; break;
    case GS_FIG_IS_NOT: k->count += *s && strcmp(s, k->f->is) != 0; break;
    case GS_FIG_DISTINCT:
        if (k->count && strcmp(s, gs_buf_cstr(&k->text)) == 0) /* as the row before */
            break;
        count_new(k, 1, gs_seen_add(&k->seen, s, strlen(s)));
        set_text(k, s);
        break;
    case GS_FIG_TALLY: add_to_group(k, *s || !k->f->is ? s : k->f->is); break;
    case GS_FIG_TALLY_FILLED:
    case GS_FIG_EACH:
        if (*s)
            add_to_group(k, s);
        break;
    case GS_FIG_OUT_OF_ORDER:
    case GS_FIG_SAME_AS_BEFORE:
        if (*s)
            compare_with_before(k, s);
        break;
    case GS_FIG_DUPLICATES: count_new(k, 0, is_new_row(g, k, c)); break;
    default: gs_panic(__FILE__, __LINE__, "require", "not a figure of texts");
    }
}

static void add_number(struct figure *k, const char *s)
{
    switch ((int)k->f->op) {
    case GS_FIG_MIN:
        if (!k->count++ || k->add < k->sum)
            k->sum = k->add;
        break;
    case GS_FIG_MAX:
        if (!k->count++ || k->add > k->sum)
            k->sum = k->add;
        break;
    case GS_FIG_ZEROS: k->count += k->add == 0; break;
    case GS_FIG_NOT_POSITIVE: k->count += k->add <= 0; break;
    case GS_FIG_NEGATIVE: k->count += k->add < 0; break;
    case GS_FIG_TALLY_SUM: add_to_group(k, *s || !k->f->is ? s : k->f->is); break;
    default: k->sum += k->add; break;
    }
}

void gs_figures_add(struct gs_figures *g, const struct gs_csv *c, const char *const *v)
{
    if (!g->width)
        g->width = gs_csv_fields(c);
    for (size_t i = 0; i < g->n; i++) {
        struct figure *k = &g->v[i];
        if (!k->pass)
            continue;
        const char *s = k->a == NONE ? "" : v[k->a];
        if (needs_numbers(k->f->op))
            add_number(k, s);
        else if (k->f->op != GS_FIG_COLUMNS && k->f->op != GS_FIG_COLUMN_NAMES)
            add_text(g, k, c, s);
    }
}

/* ---- Showing ----------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    const struct group *x = a;
    const struct group *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return strcmp(x->text, y->text);
}

/* By number if all are numbers, else by text. */
static void sort_groups(struct figure *k)
{
    size_t kept = 0;
    int numbers = 1;
    for (uint32_t id = 0; id < k->groups.n; id++) {
        struct group p = k->groups.v[id];
        if (p.rows == 0)
            continue;
        p.text = gs_intern_str(&k->ids, id);
        numbers = numbers && (is_plain_number(p.text) || !*p.text);
        k->groups.v[kept++] = p;
    }
    k->groups.n = kept;
    for (size_t i = 0; numbers && i < kept; i++) {
        int64_t x = -1; /* null stands first, but for negative numbers */
        if (*k->groups.v[i].text)
            (void)gs_decimal_read(k->groups.v[i].text, 9, &x);
        k->groups.v[i].number = x;
    }
    gs_sort(k->groups.v, kept, sizeof *k->groups.v, by_value, NULL);
}

static void show_number(struct gs_info *f, const struct gs_figure *d, gs_i128 x)
{
    if (d->places < 0)
        gs_info_fixed(f, d->quantity, x, PLACES, -d->places);
    else if (d->places > 0)
        gs_info_decimal(f, d->quantity, gs_decimal_round(x, PLACES, d->places), d->places);
    else
        gs_info_decimal(f, d->quantity, x, PLACES);
}

static void show_groups(struct figure *k, struct gs_info *f)
{
    sort_groups(k);
    struct gs_buf b = {0};
    for (size_t i = 0; i < k->groups.n; i++) {
        const struct group *p = &k->groups.v[i];
        if (k->f->op == GS_FIG_EACH) {
            gs_buf_clear(&b);
            gs_buf_fmt(&b, "%s%s", k->f->quantity, p->text);
            gs_info_int(f, gs_buf_cstr(&b), p->rows);
            continue;
        }
        gs_buf_fmt(&b, "%s%s:", i ? ";" : "", p->text);
        if (k->f->op != GS_FIG_TALLY_SUM)
            gs_buf_fmt(&b, "%lld", (long long)p->rows);
        else if (k->f->places < 0)
            gs_decimal_add_fixed(&b, p->sum, PLACES, -k->f->places);
        else if (k->f->places > 0)
            gs_decimal_add(&b, gs_decimal_round(p->sum, PLACES, k->f->places), k->f->places);
        else
            gs_decimal_add(&b, p->sum, PLACES);
    }
    if (k->f->op != GS_FIG_EACH)
        gs_info_text(f, k->f->quantity, gs_buf_cstr(&b));
    gs_buf_free(&b);
}

static void show_names(const struct gs_csv *c, const char *quantity, struct gs_info *f)
{
    struct gs_buf b = {0};
    for (size_t i = 0; i < gs_csv_columns(c); i++)
        gs_buf_fmt(&b, "%s%s", i ? "," : "", gs_csv_name(c, i));
    gs_info_text(f, quantity, gs_buf_cstr(&b));
    gs_buf_free(&b);
}

static void show_one(struct gs_figures *g, struct figure *k, const struct gs_csv *c,
                     struct gs_info *f)
{
    const char *q = k->f->quantity;
    switch ((int)k->f->op) {
    case GS_FIG_COLUMNS:
        gs_info_int(f, q, (int64_t)(g->t->no_header ? g->width : gs_csv_columns(c)));
        break;
    case GS_FIG_COLUMN_NAMES: show_names(c, q, f); break;
    case GS_FIG_SUM:
    case GS_FIG_SUM_PRODUCT:
    case GS_FIG_SUM_SPAN:
    case GS_FIG_SUM_PRODUCT_SPAN: show_number(f, k->f, k->sum); break;
    case GS_FIG_MIN:
    case GS_FIG_MAX:
        if (k->count)
            show_number(f, k->f, k->sum);
        break;
    case GS_FIG_MIN_TEXT:
    case GS_FIG_MAX_TEXT:
    case GS_FIG_FIRST:
    case GS_FIG_LAST:
        if (k->count)
            gs_info_text(f, q, gs_buf_cstr(&k->text));
        break;
    case GS_FIG_TALLY:
    case GS_FIG_TALLY_FILLED:
    case GS_FIG_TALLY_SUM:
    case GS_FIG_EACH: show_groups(k, f); break;
    default: gs_info_int(f, q, k->count); break;
    }
}

int gs_figures_show(struct gs_figures *g, const struct gs_csv *c, struct gs_info *f)
{
    int given_up = 0;
    for (size_t i = 0; i < g->n; i++) {
        given_up += g->v[i].full;
        if (!g->v[i].absent)
            show_one(g, &g->v[i], c, f);
    }
    return given_up;
}

/* sweep.c - [sweep]: axes and the points of their product.
 *
 * `KEY = a | b | c` names values, `KEY = lo..hi step N` counts them off, `seeds = 1..10` is short for scenario.seed. Every value of
 * an axis is checked against its key here, so that a slip in the last point is found before the first one runs. Ranges are counted
 * in exact decimals (thousand-millionths), never by adding doubles: 0.7..0.9 step 0.1 has three values, not two or four. */
#include "sim/base/units.h"
#include "sim/scenario/load.h"

#include <string.h>

#include "sim/base/banned.h"

enum {
    AXES_MAX = 16,
    VALUES_MAX = 10000,
    POINTS_MAX = 100000
};

/* A struct of any kind to store a value in that is only checked. */
union scratch {
    struct gs_settings settings;
    struct gs_set_nodes nodes;
    struct gs_set_queue queue;
    struct gs_set_priority priority;
    struct gs_set_trace trace;
    struct gs_set_workload workload;
    struct gs_set_calls calls;
};

static void blame_axis(struct gs_load *l, const struct gs_ini_entry *e, const char *message)
{
    gs_problem(&l->problems, &e->at, e->value_column, "[sweep] %s: %s", e->key, message);
}

/* "10s" as 10 thousand-million billionths and "s". */
static int read_step(const char *text, size_t n, struct gs_arena *a, int64_t *nano,
                     const char **unit)
{
    const char *s = gs_arena_str(a, text, n);
    const size_t digits = strspn(s, "+-.0123456789");
    *unit = s + digits;
    return digits > 0 && gs_parse_seconds(gs_arena_str(a, s, digits), nano, NULL) == GS_OK;
}

/* A decimal without trailing zeros, and its unit. */
static const char *write_step(int64_t nano, const char *unit, struct gs_arena *a)
{
    char text[64];
    const int64_t size = nano < 0 ? -nano : nano;
    gs_fmt(text, sizeof text, "%s%lld.%09lld", nano < 0 ? "-" : "", (long long)(size / GS_SECOND),
           (long long)(size % GS_SECOND));
    size_t n = strlen(text);
    while (text[n - 1] == '0')
        n--;
    n -= text[n - 1] == '.';
    gs_fmt(text + n, sizeof text - n, "%.20s", unit);
    return gs_arena_str(a, text, strlen(text));
}

static const char *trim(const char *s, size_t *n)
{
    while (*n && (*s == ' ' || *s == '\t')) {
        s++;
        (*n)--;
    }
    while (*n && (s[*n - 1] == ' ' || s[*n - 1] == '\t'))
        (*n)--;
    return s;
}

/* A range as written; unit: of lo, hi and step. */
struct range {
    int64_t lo, hi, step;
    const char *unit[3];
};

/* lo..hi [step N]; 0 if the text is no range. */
static int parse_range(const char *text, struct gs_arena *a, struct range *r)
{
    const char *dots = strstr(text, "..");
    if (!dots)
        return 0;
    const char *word = strstr(dots, " step ");
    size_t n_lo = (size_t)(dots - text);
    size_t n_hi = word ? (size_t)(word - dots - 2) : strlen(dots + 2);
    const char *lo = trim(text, &n_lo);
    const char *hi = trim(dots + 2, &n_hi);
    *r = (struct range){.step = GS_SECOND, .unit = {"", "", ""}};
    if (!read_step(lo, n_lo, a, &r->lo, &r->unit[0]) ||
        !read_step(hi, n_hi, a, &r->hi, &r->unit[1]))
        return 0;
    if (!word)
        return 1;
    size_t n_step = strlen(word + 6);
    const char *step = trim(word + 6, &n_step);
    return read_step(step, n_step, a, &r->step, &r->unit[2]);
}

/* Fills the axis from a range; 0 if the text is none. */
static int read_range(struct gs_load *l, const struct gs_ini_entry *e, struct gs_sweep_axis *axis)
{
    struct range r;
    const char *wrong = NULL;
    if (!parse_range(e->value, &l->s->text, &r))
        return 0;
    const uint64_t width = (uint64_t)r.hi - (uint64_t)r.lo;
    if (strcmp(r.unit[0], r.unit[1]) != 0 || strcmp(r.unit[0], r.unit[2]) != 0)
        wrong = "lo, hi and step need the same unit (lo..hi step N)";
    else if (r.step <= 0)
        wrong = "the step is not positive";
    else if (r.hi < r.lo)
        wrong = "the range is empty";
    else if (width / (uint64_t)r.step >= VALUES_MAX)
        wrong = "more than 10,000 values";
    if (wrong) {
        blame_axis(l, e, wrong);
        return 1;
    }
    for (uint64_t i = 0; i <= width / (uint64_t)r.step; i++)
        gs_vec_push(&axis->values, write_step(r.lo + (int64_t)i * r.step, r.unit[0], &l->s->text));
    return 1;
}

/* Parts of a | b | c that stand outside of parentheses. */
static void read_list(struct gs_load *l, const struct gs_ini_entry *e, struct gs_sweep_axis *axis)
{
    for (const char *p = e->value;;) {
        size_t n = strcspn(p, "|");
        const int last = p[n] == '\0';
        const char *next = p + n + 1;
        const char *word = trim(p, &n);
        if (n == 0) {
            blame_axis(l, e, "an empty value (write KEY = a | b | c, or KEY = lo..hi step N)");
            return;
        }
        gs_vec_push(&axis->values, gs_arena_str(&l->s->text, word, n));
        if (last || axis->values.n > VALUES_MAX)
            return;
        p = next;
    }
}

/* Reads every value as its key would, into nothing. */
static void check_values(struct gs_load *l, const struct gs_ini_entry *e,
                         const struct gs_sweep_axis *axis)
{
    const char *kind = NULL;
    const char *name = NULL;
    const char *key = NULL;
    if (!gs_override_split(axis->key, &l->s->text, &kind, &name, &key)) {
        gs_problem(
            &l->problems, &e->at, e->key_column,
            "[sweep] '%s' is neither seeds, kind.key nor kind.name.key (a name with dots is quoted)",
            e->key);
        return;
    }
    const struct gs_key *k = gs_key_find(kind, key);
    if (strcmp(kind, "policy") == 0 && *name)
        return; /* a module's parameter: checked when its point is loaded */
    if (!k || strcmp(kind, "sweep") == 0) {
        const char *near = gs_kind_find(kind) ? gs_key_nearest(kind, key) : gs_kind_nearest(kind);
        gs_problem(&l->problems, &e->at, e->key_column, "[sweep] %s: unknown key%s%s%s", e->key,
                   near ? ", the nearest known is '" : "", near ? near : "", near ? "'" : "");
        return;
    }
    union scratch *scratch = GS_NEW(union scratch);
    const struct gs_value_context c = {.s = l->s, .dir = l->ini.files.v[0].dir, .check_files = 1};
    for (size_t i = 0; i < axis->values.n; i++) {
        struct gs_err err = {0};
        if (gs_value_put(&c, k, key, axis->values.v[i], scratch, &err) != GS_OK)
            blame_axis(l, e, err.msg);
    }
    if (k->put == GS_PUT_LABEL)
        gs_vec_free(&scratch->nodes.labels);
    if (k->put == GS_PUT_PLAN)
        gs_vec_free(&scratch->settings.plans);
    if (k->put == GS_PUT_COLUMN)
        gs_vec_free(&scratch->trace.columns);
    if (k->put == GS_PUT_CLASS)
        gs_vec_free(&scratch->workload.s.classes);
    gs_free(scratch);
}

static void read_axis(struct gs_load *l, const struct gs_ini_entry *e)
{
    struct gs_sweep_axis axis = {.key = strcmp(e->key, "seeds") == 0 ? "scenario.seed" : e->key,
                                 .where = e->at.where};
    if (l->s->sweep.n >= AXES_MAX) {
        blame_axis(l, e, "the 17th axis (at most 16)");
        return;
    }
    if (!read_range(l, e, &axis))
        read_list(l, e, &axis);
    check_values(l, e, &axis);
    gs_vec_push(&l->s->sweep, axis);
}

void gs_sweep_read(struct gs_load *l)
{
    const uint32_t section = gs_ini_find(&l->ini, "sweep", "");
    if (section == GS_NONE || l->is_point) /* the axes were read before the product was made */
        return;
    const struct gs_kind *kind = gs_kind_find("sweep");
    gs_effective_section(l, "sweep", "");
    for (uint32_t i = l->begin[section]; i < l->begin[section + 1]; i++) {
        const struct gs_ini_entry *e = &l->ini.entries.v[l->order[i]];
        if (gs_key_is_later(kind, e->key))
            continue; /* reported with the unknown keys */
        read_axis(l, e);
        gs_effective_entry(l, NULL, e);
    }
    size_t points = 1;
    for (size_t i = 0; i < l->s->sweep.n && points <= POINTS_MAX; i++)
        points *= l->s->sweep.v[i].values.n ? l->s->sweep.v[i].values.n : 1;
    if (points > POINTS_MAX)
        gs_blame(l, "sweep", "", NULL, "the product has more than 100,000 points");
}

size_t gs_sweep_points(const struct gs_settings *s)
{
    size_t points = 1;
    for (size_t i = 0; i < s->sweep.n; i++)
        points *= s->sweep.v[i].values.n;
    return points;
}

/* "policy.scheduler" as "scheduler", values cut down to what a file name takes anywhere. */
static void add_label(struct gs_buf *label, const char *key, const char *value)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
    const char *dot = strchr(key, '.');
    const char *parts[2] = {dot ? dot + 1 : key, value};
    for (int i = 0; i < 2; i++) {
        gs_buf_str(label, i ? "=" : label->n ? "," : "");
        for (const char *p = parts[i]; *p; p++)
            gs_buf_add(label, strchr(plain, *p) ? p : "-", 1);
    }
}

size_t gs_sweep_point(const struct gs_settings *s, size_t i, struct gs_override *out, size_t max,
                      struct gs_buf *label)
{
    gs_require(i < gs_sweep_points(s));
    gs_require(max >= s->sweep.n);
    size_t rest = i;
    for (size_t a = s->sweep.n; a-- > 0;) { /* the last axis is the fastest */
        const struct gs_sweep_axis *axis = &s->sweep.v[a];
        out[a] = (struct gs_override){
            .key = axis->key, .value = axis->values.v[rest % axis->values.n], .where = "[sweep]"};
        rest /= axis->values.n;
    }
    if (label) {
        gs_buf_clear(label);
        for (size_t a = 0; a < s->sweep.n; a++)
            add_label(label, out[a].key, out[a].value);
    }
    return s->sweep.n;
}

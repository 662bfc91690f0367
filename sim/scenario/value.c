/* value.c - values by type: a reader a type, a writer a place.
 *
 * Quantities go through the readers of units.h, so that a value with a dimension is refused without its unit; distributions
 * and arrival processes are checked by parsing them as the generator will. Numbers first become one of three raw forms
 * (an integer, a real, a text), which gs_value_put then stores at the key's offset in the width that stands there. */
#include "sim/scenario/value.h"

#include "sim/base/fmath.h"
#include "sim/base/units.h"
#include "sim/scenario/ini.h"

#include <string.h>
#include <sys/stat.h>

#include "sim/base/banned.h"

/* A value between reading and storing. */
struct raw {
    int64_t i;
    double f;
    const char *s;
};

struct input {
    const struct gs_value_context *c;
    const struct gs_key *k;
    const char *text;
};

typedef enum gs_rc reader(const struct input *in, struct raw *out, struct gs_err *err);

/* ---- numbers and words ---- */

/* A bound of the table: our own text, so a fault in it is ours. */
static int64_t bound(const char *text, int64_t otherwise)
{
    int64_t x = otherwise;
    gs_verify(!text || gs_parse_int(text, INT64_MIN, INT64_MAX, &x, NULL) == GS_OK);
    return x;
}

static enum gs_rc read_int(const struct input *in, struct raw *out, struct gs_err *err)
{
    return gs_parse_int(in->text, bound(in->k->min, INT64_MIN), bound(in->k->max, INT64_MAX),
                        &out->i, err);
}

static enum gs_rc read_real(const struct input *in, struct raw *out, struct gs_err *err)
{
    const enum gs_rc rc = gs_parse_real(in->text, &out->f, err);
    if (rc != GS_OK)
        return rc;
    double lo = out->f;
    double hi = out->f;
    gs_verify(!in->k->min || gs_parse_real(in->k->min, &lo, NULL) == GS_OK);
    gs_verify(!in->k->max || gs_parse_real(in->k->max, &hi, NULL) == GS_OK);
    if (out->f < lo)
        return gs_fail(err, GS_E_INPUT, "'%s' is too small (at least %s)", in->text, in->k->min);
    if (out->f > hi)
        return gs_fail(err, GS_E_INPUT, "'%s' is too large (at most %s)", in->text, in->k->max);
    return GS_OK;
}

#define SHARE_MOST 10.0

/* A bare number is a share of one; one that is large was meant as a percentage. */
static enum gs_rc read_share(const struct input *in, struct raw *out, struct gs_err *err)
{
    const enum gs_rc rc = gs_parse_ratio(in->text, &out->f, err);
    if (rc == GS_OK && out->f > SHARE_MOST && !strchr(in->text, '%'))
        return gs_fail(err, GS_E_INPUT, "'%s' would be %.6g %%: did you mean %s %%?", in->text,
                       100 * out->f, in->text);
    if (rc == GS_OK && !(out->f > 0 && out->f <= SHARE_MOST))
        return gs_fail(err, GS_E_INPUT, "'%s' is not above 0 (and at most 1000 %%)", in->text);
    return rc;
}

static enum gs_rc read_bool(const struct input *in, struct raw *out, struct gs_err *err)
{
    int yes = 0;
    const enum gs_rc rc = gs_parse_bool(in->text, &yes, err);
    out->i = yes;
    return rc;
}

/* More than any link, room or site: what is larger was meant in another unit. */
#define BANDWIDTH_MOST 9e15
#define POWER_MOST     1e12

static enum gs_rc read_bandwidth(const struct input *in, struct raw *out, struct gs_err *err)
{
    const int none = in->k->min && strcmp(in->text, "0") == 0; /* where none is allowed */
    out->f = 0;
    const enum gs_rc rc = none ? GS_OK : gs_parse_bandwidth(in->text, &out->f, err);
    if (rc == GS_OK && !none && !(out->f >= 1 && out->f <= BANDWIDTH_MOST))
        return gs_fail(err, GS_E_INPUT, "'%s' is not above 0 (and at most 9 PB/s)", in->text);
    if (rc == GS_OK)
        out->i = (int64_t)(out->f + 0.5);
    return rc;
}

static enum gs_rc read_power(const struct input *in, struct raw *out, struct gs_err *err)
{
    const enum gs_rc rc = gs_parse_power(in->text, &out->f, err);
    if (rc == GS_OK && !(out->f > 0 && out->f <= POWER_MOST))
        return gs_fail(err, GS_E_INPUT, "'%s' is not above 0 (and at most 1 TW)", in->text);
    return rc;
}

static enum gs_rc read_time(const struct input *in, struct raw *out, struct gs_err *err)
{
    const enum gs_rc rc = gs_parse_time(in->text, &out->i, err);
    int64_t least = 0;
    gs_verify(!in->k->min || gs_parse_time(in->k->min, &least, NULL) == GS_OK);
    if (rc == GS_OK && out->i < least)
        return gs_fail(err, GS_E_INPUT, "'%s' is too short (at least %s)", in->text, in->k->min);
    return rc;
}

static enum gs_rc read_memory(const struct input *in, struct raw *out, struct gs_err *err)
{
    const enum gs_rc rc = gs_parse_memory(in->text, &out->i, err);
    int64_t most = INT64_MAX;
    gs_verify(!in->k->max || gs_parse_memory(in->k->max, &most, NULL) == GS_OK);
    if (rc == GS_OK && out->i > most)
        return gs_fail(err, GS_E_INPUT, "'%s' is too much (at most %s)", in->text, in->k->max);
    if (rc == GS_OK && in->k->put == GS_PUT_U32 && out->i > UINT32_MAX)
        return gs_fail(err, GS_E_INPUT, "'%s' is too much for one GPU", in->text);
    return rc;
}

static enum gs_rc read_money(const struct input *in, struct raw *out, struct gs_err *err)
{
    return gs_parse_money(in->text, &out->f, err);
}

/* A number and its unit; money that a person could mean. */
static enum gs_rc read_unit(const char *text, const char *unit, const char *example, double *out,
                            struct gs_err *err)
{
    const size_t n = strlen(text), m = strlen(unit);
    char number[64] = "";
    if (n > m && n - m < sizeof number && strcmp(text + n - m, unit) == 0)
        (void)gs_fmt(number, sizeof number, "%.*s", (int)(n - m), text);
    for (size_t i = strlen(number); i > 0 && number[i - 1] == ' '; i--)
        number[i - 1] = '\0';
    if (!number[0] || gs_parse_real(number, out, NULL) || !(*out >= 0 && *out <= 1e12))
        return gs_fail(err, GS_E_INPUT, "'%s' is not an amount in %s (write %s)", text, unit,
                       example);
    return GS_OK;
}

static enum gs_rc read_amount(const struct input *in, struct raw *out, struct gs_err *err)
{
    return read_unit(in->text, "USD", "250000USD", &out->f, err);
}

static enum gs_rc read_tariff(const struct input *in, struct raw *out, struct gs_err *err)
{
    const enum gs_rc rc = read_unit(in->text, "USD/kWh", "0.12USD/kWh", &out->f, err);
    if (rc == GS_OK && out->f > 1000)
        return gs_fail(err, GS_E_INPUT, "'%s' is too much (at most 1000USD/kWh)", in->text);
    return rc;
}

static enum gs_rc read_text(const struct input *in, struct raw *out, struct gs_err *err)
{
    (void)err;
    out->s = in->text;
    return GS_OK;
}

/* Position of text[0..n) among "a|b|c", or -1. */
static int find_word(const char *words, const char *text, size_t n)
{
    int i = 0;
    for (const char *p = words;; i++) {
        const char *bar = strchr(p, '|');
        const size_t m = bar ? (size_t)(bar - p) : strlen(p);
        if (m == n && memcmp(p, text, n) == 0)
            return i;
        if (!bar)
            return -1;
        p = bar + 1;
    }
}

static enum gs_rc refuse_word(const char *words, const char *text, size_t n, struct gs_err *err)
{
    struct gs_buf list = {0};
    for (const char *p = words; *p; p++)
        gs_buf_add(&list, *p == '|' ? ", " : p, *p == '|' ? 2 : 1);
    gs_fail(err, GS_E_INPUT, "'%.*s' is not one of %s", (int)(n > 60 ? 60 : n), text,
            gs_buf_cstr(&list));
    gs_buf_free(&list);
    return GS_E_INPUT;
}

static enum gs_rc read_word(const struct input *in, struct raw *out, struct gs_err *err)
{
    const int at = find_word(in->k->words, in->text, strlen(in->text));
    if (at < 0)
        return refuse_word(in->k->words, in->text, strlen(in->text), err);
    out->i = at;
    out->s = in->text;
    return GS_OK;
}

/* The next word of a list parted by blanks and commas; NULL at the end. */
static const char *next_word(const char **p, size_t *n)
{
    *p += strspn(*p, " \t,");
    const char *word = *p;
    *n = strcspn(word, " \t,");
    *p += *n;
    return *n ? word : NULL;
}

static enum gs_rc read_list(const struct input *in, struct raw *out, struct gs_err *err)
{
    size_t n = 0;
    const char *p = in->text;
    for (const char *word = next_word(&p, &n); word; word = next_word(&p, &n))
        if (in->k->words && find_word(in->k->words, word, n) < 0)
            return refuse_word(in->k->words, word, n, err);
    out->s = in->text;
    return GS_OK;
}

/* ---- zones and windows ---- */

static enum gs_rc read_zone(const struct input *in, struct raw *out, struct gs_err *err)
{
    struct gs_zone z;
    out->s = in->text;
    return gs_zone_parse(in->text, &z, err);
}

/* A wall clock, by the scenario's zone where it names none. */
static enum gs_rc parse_clock(const struct gs_settings *s, const char *text, int64_t *out,
                              struct gs_err *err)
{
    int32_t offset_s = 0;
    const enum gs_rc rc = gs_parse_local_clock(text, out, &offset_s, err);
    if (rc != GS_OK || offset_s != GS_NO_ZONE || !s->clock_zone.name[0])
        return rc != GS_OK ? rc : gs_parse_clock(text, GS_NO_ZONE, out, err);
    enum gs_local_kind kind;
    *out = gs_zone_unix(&s->clock_zone, *out, GS_AMBIGUOUS_EARLIER, &kind);
    if (kind == GS_LOCAL_PLAIN)
        return GS_OK;
    return gs_fail(err, GS_E_INPUT, "'%s' happens %s in %s: write its offset, as in +08:00", text,
                   kind == GS_LOCAL_AMBIGUOUS ? "twice" : "never", s->clock_zone.name);
}

static enum gs_rc read_clock(const struct input *in, struct raw *out, struct gs_err *err)
{
    return parse_clock(in->c->s, in->text, &out->i, err);
}

/* A name of the readers' own table. */
static enum gs_rc read_format(const struct input *in, struct raw *out, struct gs_err *err)
{
    out->s = in->text;
    return gs_trace_format_check(in->text, err);
}

/* A time since t = 0, or a wall clock where the scenario's start is known. */
static enum gs_rc read_moment(const struct gs_settings *s, const char *text, int64_t *out,
                              struct gs_err *err)
{
    if (!strchr(text, 'T'))
        return gs_parse_time(text, out, err);
    if (s->start_unix_ns == GS_NEVER)
        return gs_fail(err, GS_E_INPUT,
                       "'%s' is a wall clock, and no start says which one t = 0 is", text);
    const enum gs_rc rc = parse_clock(s, text, out, err);
    if (rc == GS_OK && *out < s->start_unix_ns)
        return gs_fail(err, GS_E_INPUT, "'%s' is before the start", text);
    if (rc == GS_OK)
        *out -= s->start_unix_ns;
    return rc;
}

/* 7d | FROM..TO | jobs A..B */
static enum gs_rc put_measure(const struct input *in, struct gs_settings *s, struct gs_err *err)
{
    const char *text = in->text;
    const int jobs = strncmp(text, "jobs ", 5) == 0;
    text += jobs ? 5 + strspn(text + 5, " ") : 0;
    const char *dots = strstr(text, "..");
    int64_t from = 0;
    int64_t to = 0;
    enum gs_rc rc = GS_OK;
    if (!dots && !jobs) {
        rc = gs_parse_time(text, &to, err);
    } else if (!dots) {
        rc = gs_fail(err, GS_E_INPUT, "'%s' is not a range of jobs (write jobs 1000..5000)",
                     in->text);
    } else {
        const char *first = gs_arena_str(&in->c->s->text, text, (size_t)(dots - text));
        rc = jobs ? gs_parse_int(first, 0, INT64_MAX, &from, err)
                  : read_moment(in->c->s, first, &from, err);
        if (rc == GS_OK)
            rc = jobs ? gs_parse_int(dots + 2, 0, INT64_MAX, &to, err)
                      : read_moment(in->c->s, dots + 2, &to, err);
    }
    if (rc == GS_OK && from >= to)
        rc = gs_fail(err, GS_E_INPUT, "'%s' is an empty window", in->text);
    if (rc != GS_OK)
        return rc;
    s->measure = !dots ? GS_MEASURE_LENGTH : jobs ? GS_MEASURE_JOBS : GS_MEASURE_RANGE;
    s->measure_from = from;
    s->measure_to = to;
    return GS_OK;
}

/* ---- what other rooms read ---- */

static enum gs_rc read_dist(const struct input *in, struct raw *out, struct gs_err *err)
{
    struct gs_dist *d = NULL;
    out->s = in->text;
    return gs_dist_parse(in->text, (enum gs_dim)in->k->dim, in->c->dir, &in->c->s->text, &d, err);
}

static enum gs_rc read_arrivals(const struct input *in, struct raw *out, struct gs_err *err)
{
    struct gs_arrivals *a = NULL;
    out->s = in->text;
    return gs_arrivals_parse(in->text, &in->c->s->text, &a, err);
}

/* By applying it to no job at all. */
static enum gs_rc read_estimate(const struct input *in, struct raw *out, struct gs_err *err)
{
    struct gs_intern str;
    struct gs_workload none;
    gs_intern_init(&str);
    gs_workload_init(&none, &str);
    out->s = in->text;
    const enum gs_rc rc = gs_estimate_apply(&none, 0, in->text, 1, in->c->dir, err);
    gs_workload_release(&none);
    gs_intern_release(&str);
    return rc;
}

static enum gs_rc read_file(const struct input *in, struct raw *out, struct gs_err *err)
{
    const char *path = gs_path_join(&in->c->s->text, in->c->dir, in->text);
    struct stat st;
    out->s = in->text;
    if (!in->c->check_files)
        return GS_OK;
    if (stat(path, &st) != 0)
        return gs_fail(err, GS_E_INPUT, "no such file: '%s'", path);
    if (S_ISDIR(st.st_mode))
        return gs_fail(err, GS_E_INPUT, "'%s' is a directory, expected a file", path);
    return GS_OK;
}

static enum gs_rc read_priority(const struct input *in, struct raw *out, struct gs_err *err)
{
    const struct gs_settings *s = in->c->s;
    if (gs_parse_int(in->text, INT32_MIN, INT32_MAX, &out->i, NULL) == GS_OK)
        return GS_OK;
    for (size_t i = 0; i < s->priorities.n; i++) {
        if (strcmp(s->priorities.v[i].name, in->text) == 0) {
            out->i = s->priorities.v[i].value;
            return GS_OK;
        }
    }
    return gs_fail(
        err, GS_E_INPUT,
        "'%s' is neither a whole number of 32 bits nor the name of a [priority NAME] section",
        in->text);
}

/* Whether the module exists is seen later, with all of [policy] at hand. */
static enum gs_rc read_module(const struct input *in, struct raw *out, struct gs_err *err)
{
    out->s = in->text;
    if (strncmp(in->text, "exec:", 5) == 0)
        return gs_fail(err, GS_E_INPUT,
                       "'%s': exec: is known to the format but not yet supported by this version",
                       in->text);
    if (strpbrk(in->text, " \t"))
        return gs_fail(err, GS_E_INPUT, "'%s' is not the name of one module or section", in->text);
    return GS_OK;
}

struct gs_plan_clock gs_value_clock(const struct gs_settings *s)
{
    return (struct gs_plan_clock){s->start_unix_ns,
                                  s->clock_zone.name[0] ? s->zone_offset_s : GS_NO_ZONE};
}

static enum gs_rc read_when(const struct input *in, struct raw *out, struct gs_err *err)
{
    const struct gs_plan_clock clock = gs_value_clock(in->c->s);
    return gs_plan_when(in->text, &clock, &out->i, err);
}

static reader *const readers[GS_KEY_COUNT] = {
    [GS_KEY_TEXT] = read_text,           [GS_KEY_INT] = read_int,
    [GS_KEY_REAL] = read_real,           [GS_KEY_BOOL] = read_bool,
    [GS_KEY_TIME] = read_time,           [GS_KEY_MEMORY] = read_memory,
    [GS_KEY_MONEY] = read_money,         [GS_KEY_WORD] = read_word,
    [GS_KEY_CLOCK] = read_clock,         [GS_KEY_FILE] = read_file,
    [GS_KEY_DIST] = read_dist,           [GS_KEY_ARRIVALS] = read_arrivals,
    [GS_KEY_ZONE] = read_zone,           [GS_KEY_MEASURE] = read_text,
    [GS_KEY_ESTIMATE] = read_estimate,   [GS_KEY_PRIORITY] = read_priority,
    [GS_KEY_MODULE] = read_module,       [GS_KEY_LIST] = read_list,
    [GS_KEY_SHARE] = read_share,         [GS_KEY_NORMALISE] = read_text,
    [GS_KEY_RESAMPLE] = read_text,       [GS_KEY_FEEDBACK] = read_text,
    [GS_KEY_RATES] = read_text,          [GS_KEY_FORMAT] = read_format,
    [GS_KEY_BANDWIDTH] = read_bandwidth, [GS_KEY_POWER] = read_power,
    [GS_KEY_AMOUNT] = read_amount,       [GS_KEY_TARIFF] = read_tariff,
    [GS_KEY_PLAN] = read_text,           [GS_KEY_WHEN] = read_when,
};

/* ---- places ---- */

static void put_label(const struct input *in, const char *key, struct gs_set_nodes *nodes)
{
    struct gs_buf b = {0};
    gs_buf_fmt(&b, "%s=%s", strchr(key, '.') + 1, in->text);
    gs_vec_push(&nodes->labels, gs_arena_str(&in->c->s->text, gs_buf_cstr(&b), b.n));
    gs_buf_free(&b);
}

/* KEY of column.KEY, and the name that stands for it. */
static void put_column(const struct input *in, const char *key, struct gs_set_trace *t)
{
    const char *column = strchr(key, '.') + 1;
    gs_vec_push(&t->columns, gs_arena_str(&in->c->s->text, column, strlen(column)));
    gs_vec_push(&t->columns, in->text);
}

/* SIZES of duration.SIZES: 8, 2..4, 16.. */
static enum gs_rc put_class(const struct input *in, const char *key, struct gs_set_workload *w,
                            struct gs_err *err)
{
    const char *sizes = strchr(key, '.') + 1;
    const char *dots = strstr(sizes, "..");
    const size_t n = dots ? (size_t)(dots - sizes) : strlen(sizes);
    const char *last = dots ? dots + 2 : sizes;
    int64_t from = 0;
    int64_t to = UINT32_MAX;
    enum gs_rc rc = gs_parse_int(gs_arena_str(&in->c->s->text, sizes, n), 0, 1000000, &from, err);
    if (rc == GS_OK && *last)
        rc = gs_parse_int(last, 0, 1000000, &to, err);
    if (rc != GS_OK || from > to)
        return gs_fail(err, GS_E_INPUT,
                       "'%.60s' are not sizes in GPUs (duration.8, duration.2..4, duration.16..)",
                       sizes);
    const struct gs_synth_class c = {(uint32_t)from, (uint32_t)to, in->text};
    gs_vec_push(&w->s.classes, c);
    return GS_OK;
}

static enum gs_rc put_shape(const struct input *in, struct gs_shape_options *o, struct gs_err *err)
{
    struct gs_arena *a = &in->c->s->text;
    if (in->k->type == GS_KEY_RESAMPLE)
        return gs_shape_parse_resample(in->text, a, o, err);
    if (in->k->type == GS_KEY_FEEDBACK)
        return gs_shape_parse_feedback(in->text, a, o, err);
    const enum gs_rc rc = gs_shape_parse_normalise(in->text, a, o, err);
    if (rc == GS_OK && o->speeds)
        o->speeds = gs_path_join(a, in->c->dir, o->speeds);
    return rc;
}

/* 8000/s 40/s */
static enum gs_rc put_rates(const struct input *in, struct gs_set_trace *t, struct gs_err *err)
{
    double rate[2] = {0, 0};
    size_t n = 0, words = 0;
    const char *p = in->text;
    for (const char *word = next_word(&p, &n); word; word = next_word(&p, &n), words++) {
        const char *text = gs_arena_str(&in->c->s->text, word, n);
        const enum gs_rc rc = words < 2 ? gs_parse_rate(text, &rate[words], err) : GS_OK;
        if (rc)
            return rc;
    }
    if (words != 2 || !(rate[0] > 0 && rate[1] > 0))
        return gs_fail(
            err, GS_E_INPUT,
            "'%s' is not two rates above 0, of prefill and decode tokens (write 8000/s 40/s)",
            in->text);
    t->o.prefill_rate = rate[0];
    t->o.decode_rate = rate[1];
    return GS_OK;
}

/* gpu.MODEL, price.TYPE, capex.TYPE */
static void put_price(const struct input *in, const char *key, double usd, struct gs_settings *s)
{
    const struct gs_set_price p = {.kind = *key == 'g'   ? GS_PRICE_GPU
                                           : *key == 'p' ? GS_PRICE_NODE
                                                         : GS_PRICE_CAPEX,
                                   .key = key,
                                   .name = strchr(key, '.') + 1,
                                   .where = in->c->where ? in->c->where : "",
                                   .usd = usd};
    gs_vec_push(&s->cost.prices, p);
}

static enum gs_rc put_plan(const struct input *in, const char *key, struct gs_settings *s,
                           struct gs_err *err)
{
    const struct gs_plan_clock clock = gs_value_clock(in->c->s);
    struct gs_set_plan p;
    const enum gs_rc rc = gs_plan_parse(in->text, &clock, &in->c->s->text, &p, err);
    p.name = key;
    p.where = in->c->where ? in->c->where : "";
    if (rc == GS_OK)
        gs_vec_push(&s->plans, p);
    return rc;
}

/* gpu:1.5 memory:1.2 */
static enum gs_rc put_oversubscribe(const struct input *in, struct gs_set_nodes *nodes,
                                    struct gs_err *err)
{
    double factor[2] = {1, 1};
    size_t n = 0;
    const char *p = in->text;
    for (const char *word = next_word(&p, &n); word; word = next_word(&p, &n)) {
        const char *text = gs_arena_str(&in->c->s->text, word, n);
        const int memory = strncmp(text, "memory:", 7) == 0;
        const char *number = memory ? text + 7 : strncmp(text, "gpu:", 4) == 0 ? text + 4 : NULL;
        double x = 0;
        if (!number || gs_parse_ratio(number, &x, NULL) != GS_OK)
            return gs_fail(err, GS_E_INPUT, "'%s' is not a factor (write gpu:1.5 memory:1.2)",
                           text);
        if (x < 1 || x > 1000)
            return gs_fail(err, GS_E_INPUT, "'%s': a factor is 1 to 1000", text);
        factor[memory] = x;
    }
    nodes->oversubscribe_gpu = factor[0];
    nodes->oversubscribe_memory = factor[1];
    return GS_OK;
}

static enum gs_rc put_milli(const struct input *in, const struct raw *r, void *at,
                            struct gs_err *err)
{
    const double milli = gs_rint_even(r->f * 1000);
    if (milli - r->f * 1000 > 1e-6 || r->f * 1000 - milli > 1e-6)
        return gs_fail(err, GS_E_INPUT, "'%s' is finer than a thousandth", in->text);
    if (in->k->put == GS_PUT_MILLI)
        *(int64_t *)at = (int64_t)milli;
    else
        *(uint32_t *)at = (uint32_t)milli;
    return GS_OK;
}

/* Stores what was read in the width that stands at the offset. */
static enum gs_rc store(const struct input *in, const struct raw *r, void *at, struct gs_err *err)
{
    switch ((enum gs_put)in->k->put) {
    case GS_PUT_STR: *(const char **)at = r->s; break;
    case GS_PUT_PATH: *(const char **)at = gs_path_join(&in->c->s->text, in->c->dir, r->s); break;
    case GS_PUT_I64: *(int64_t *)at = r->i; break;
    case GS_PUT_I32: *(int32_t *)at = (int32_t)r->i; break;
    case GS_PUT_U64: *(uint64_t *)at = (uint64_t)r->i; break;
    case GS_PUT_U32: *(uint32_t *)at = (uint32_t)r->i; break;
    case GS_PUT_INT: *(int *)at = (int)r->i; break;
    case GS_PUT_REAL: *(double *)at = r->f; break;
    case GS_PUT_MILLI:
    case GS_PUT_MILLI32: return put_milli(in, r, at, err);
    case GS_PUT_PREEMPTIBLE:
        *(uint16_t *)at =
            (uint16_t)((*(uint16_t *)at & ~GS_JOB_PREEMPTIBLE) | (r->i ? GS_JOB_PREEMPTIBLE : 0));
        break;
    case GS_PUT_NONE:
    case GS_PUT_MEASURE:
    case GS_PUT_LABEL:
    case GS_PUT_OVERSUBSCRIBE:
    case GS_PUT_SHAPE:
    case GS_PUT_RATES:
    case GS_PUT_PLAN:
    case GS_PUT_PRICE:
    case GS_PUT_CLASS:
    case GS_PUT_COLUMN: break;
    }
    return GS_OK;
}

enum gs_rc gs_value_put(const struct gs_value_context *c, const struct gs_key *k, const char *key,
                        const char *text, void *base, struct gs_err *err)
{
    const struct input in = {c, k, text};
    struct raw r = {.s = text};
    if (*text == '\0')
        return gs_fail(err, GS_E_INPUT, "has no value, expected a %s", gs_key_type_str(k->type));
    const enum gs_rc rc = readers[k->type](&in, &r, err);
    if (rc != GS_OK)
        return rc;
    if (k->put == GS_PUT_MEASURE)
        return put_measure(&in, base, err);
    if (k->put == GS_PUT_OVERSUBSCRIBE)
        return put_oversubscribe(&in, base, err);
    if (k->put == GS_PUT_SHAPE)
        return put_shape(&in, (void *)((char *)base + k->at), err);
    if (k->put == GS_PUT_RATES)
        return put_rates(&in, base, err);
    if (k->put == GS_PUT_CLASS)
        return put_class(&in, key, base, err);
    if (k->put == GS_PUT_PLAN)
        return put_plan(&in, key, base, err);
    if (k->put == GS_PUT_PRICE)
        put_price(&in, key, r.f, base);
    if (k->put == GS_PUT_LABEL)
        put_label(&in, key, base);
    if (k->put == GS_PUT_COLUMN)
        put_column(&in, key, base);
    return store(&in, &r, (char *)base + k->at, err);
}

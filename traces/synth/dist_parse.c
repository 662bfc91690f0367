/* dist_parse.c - distributions by name: `lognormal median=30m sigma=1.7 clip=1m..2d`.
 *
 * The kinds are a table of name, example and builder. A builder takes its words one by one; what nobody took is reported, so a
 * misspelt parameter is never ignored. Values have the dimension of the key that they stand under: times need a unit, memory
 * too; numbers without dimension have none. Samples in a file are plain numbers: seconds, MiB, a share of 1.
 * Parts of a mixture cannot be mixtures, so nothing here recurses over input. */
#include "sim/base/buf.h"
#include "sim/base/fmath.h"
#include "sim/base/sort.h"
#include "sim/base/units.h"
#include "sim/base/vec.h"
#include "traces/csv.h"
#include "traces/decimal.h"
#include "traces/synth/dist.h"
#include "traces/synth/words.h"

#include <math.h>
#include <string.h>

#include "sim/base/banned.h"

#define ZIPF_MAX 1000000

/* What a builder works on. */
struct spec {
    const char *name, *example, *dir;
    enum gs_dim dim;
    struct gs_words words;
    struct gs_arena *arena;
    struct gs_err *err;
};

/* ---- Reading values ---------------------------------------------------------------------------- */

static enum gs_rc read_quantity(enum gs_dim dim, const char *s, double *out, struct gs_err *err)
{
    int64_t x = 0;
    uint32_t milli = 0;
    enum gs_rc rc = GS_OK;
    switch (dim) {
    case GS_DIM_NONE: return gs_parse_real(s, out, err);
    case GS_DIM_TIME:
        rc = gs_parse_time(s, &x, err);
        *out = (double)x / 1e9;
        return rc;
    case GS_DIM_MEMORY:
        rc = gs_parse_memory(s, &x, err);
        *out = (double)x;
        return rc;
    case GS_DIM_SHARE:
        rc = gs_parse_share(s, &milli, err);
        *out = milli;
        return rc;
    }
    return rc;
}

static enum gs_rc incomplete(const struct spec *sp, const char *what)
{
    return gs_fail(sp->err, GS_E_INPUT, "'%s' needs %s (%s)", sp->name, what, sp->example);
}

/* A required parameter > 0. */
static enum gs_rc need(struct spec *sp, const char *key, enum gs_dim dim, double *out)
{
    const char *s = gs_words_key(&sp->words, key);
    if (!s)
        return incomplete(sp, key);
    const enum gs_rc rc = read_quantity(dim, s, out, sp->err);
    if (rc != GS_OK)
        return gs_wrap(sp->err, "%s", key);
    return *out > 0 ? GS_OK : gs_fail(sp->err, GS_E_INPUT, "%s: '%s' must be above 0", key, s);
}

/* A required plain value >= 0. */
static enum gs_rc need_plain(struct spec *sp, double *out)
{
    const struct gs_word *w = gs_words_plain(&sp->words);
    if (!w || w->is_group)
        return incomplete(sp, "a value");
    const enum gs_rc rc = read_quantity(sp->dim, w->value, out, sp->err);
    if (rc == GS_OK && *out < 0)
        return gs_fail(sp->err, GS_E_INPUT, "'%s' is negative", w->value);
    return rc;
}

/* ---- Builders ---------------------------------------------------------------------------------- */

static enum gs_rc build_constant(struct spec *sp, struct gs_dist *d)
{
    d->kind = GS_DIST_CONSTANT;
    return need_plain(sp, &d->a);
}

static enum gs_rc build_exponential(struct spec *sp, struct gs_dist *d)
{
    d->kind = GS_DIST_EXPONENTIAL;
    return need(sp, "mean", sp->dim, &d->a);
}

/* median or mean, and sigma or cv: mean = median exp(sigma^2/2), cv^2 = exp(sigma^2) - 1 */
static enum gs_rc build_lognormal(struct spec *sp, struct gs_dist *d)
{
    d->kind = GS_DIST_LOGNORMAL;
    const char *cv = gs_words_key(&sp->words, "cv");
    enum gs_rc rc =
        cv ? read_quantity(GS_DIM_NONE, cv, &d->b, sp->err) : need(sp, "sigma", GS_DIM_NONE, &d->b);
    if (rc != GS_OK)
        return rc;
    if (cv && !(d->b > 0))
        return gs_fail(sp->err, GS_E_INPUT, "cv: '%s' must be above 0", cv);
    if (cv)
        d->b = sqrt(gs_log(1 + d->b * d->b));
    const char *mean = gs_words_key(&sp->words, "mean");
    if (!mean)
        return need(sp, "median", sp->dim, &d->a);
    rc = read_quantity(sp->dim, mean, &d->a, sp->err);
    if (rc == GS_OK && !(d->a > 0))
        return gs_fail(sp->err, GS_E_INPUT, "mean: '%s' must be above 0", mean);
    d->a *= gs_exp(-d->b * d->b / 2);
    return rc;
}

static enum gs_rc build_weibull(struct spec *sp, struct gs_dist *d)
{
    d->kind = GS_DIST_WEIBULL;
    const enum gs_rc rc = need(sp, "scale", sp->dim, &d->a);
    return rc == GS_OK ? need(sp, "shape", GS_DIM_NONE, &d->b) : rc;
}

/* mean and coefficient of variation: shape = 1/cv^2, scale = mean cv^2 */
static enum gs_rc build_gamma(struct spec *sp, struct gs_dist *d)
{
    d->kind = GS_DIST_GAMMA;
    double mean = 0;
    double cv = 0;
    enum gs_rc rc = need(sp, "mean", sp->dim, &mean);
    if (rc == GS_OK)
        rc = need(sp, "cv", GS_DIM_NONE, &cv);
    if (rc != GS_OK)
        return rc;
    if (cv < 0.001 || cv > 100)
        return gs_fail(sp->err, GS_E_INPUT, "cv: %g is outside 0.001 to 100", cv);
    d->gamma = gs_gamma_of(1 / (cv * cv));
    d->a = mean * cv * cv;
    return GS_OK;
}

static enum gs_rc build_pareto(struct spec *sp, struct gs_dist *d)
{
    d->kind = GS_DIST_PARETO;
    const enum gs_rc rc = need(sp, "min", sp->dim, &d->a);
    return rc == GS_OK ? need(sp, "alpha", GS_DIM_NONE, &d->b) : rc;
}

static enum gs_rc build_uniform(struct spec *sp, struct gs_dist *d)
{
    d->kind = GS_DIST_UNIFORM;
    enum gs_rc rc = need_plain(sp, &d->a);
    if (rc == GS_OK)
        rc = need_plain(sp, &d->b);
    if (rc == GS_OK && d->b < d->a)
        return gs_fail(sp->err, GS_E_INPUT, "the upper end is below the lower end");
    return rc;
}

/* Weights to a cumulated table whose last entry is 1. */
static enum gs_rc cumulate(struct spec *sp, double *w, size_t n)
{
    double total = 0;
    for (size_t i = 0; i < n; i++)
        total += w[i];
    if (!(total > 0))
        return gs_fail(sp->err, GS_E_INPUT, "the weights are all 0");
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += w[i];
        w[i] = sum / total;
    }
    w[n - 1] = 1;
    return GS_OK;
}

static double *room_for(struct spec *sp, size_t n)
{
    return gs_arena_alloc(sp->arena, n * sizeof(double), sizeof(double));
}

static enum gs_rc read_weight(struct spec *sp, const char *s, double *out)
{
    const enum gs_rc rc = gs_parse_real(s, out, sp->err);
    if (rc == GS_OK && *out < 0)
        return gs_fail(sp->err, GS_E_INPUT, "weight '%s' is negative", s);
    return rc;
}

/* VALUE:WEIGHT ... */
static enum gs_rc build_choice(struct spec *sp, struct gs_dist *d)
{
    d->kind = GS_DIST_TABLE;
    d->value = room_for(sp, sp->words.n);
    d->upto = room_for(sp, sp->words.n);
    for (struct gs_word *w = gs_words_plain(&sp->words); w; w = gs_words_plain(&sp->words)) {
        const char *colon = strrchr(w->value, ':');
        if (!colon || w->is_group)
            return gs_fail(sp->err, GS_E_INPUT, "'%s' is not VALUE:WEIGHT (%s)", w->value,
                           sp->example);
        const char *value = gs_arena_str(sp->arena, w->value, (size_t)(colon - w->value));
        enum gs_rc rc = read_quantity(sp->dim, value, &d->value[d->n], sp->err);
        if (rc == GS_OK && d->value[d->n] < 0)
            rc = gs_fail(sp->err, GS_E_INPUT, "'%s' is negative", value);
        if (rc == GS_OK)
            rc = read_weight(sp, colon + 1, &d->upto[d->n]);
        if (rc != GS_OK)
            return rc;
        d->n++;
    }
    return d->n ? cumulate(sp, d->upto, d->n) : incomplete(sp, "values");
}

/* 1..n with weights k^-s */
static enum gs_rc build_zipf(struct spec *sp, struct gs_dist *d)
{
    d->kind = GS_DIST_TABLE;
    double n = 0;
    double s = 0;
    enum gs_rc rc = need(sp, "n", GS_DIM_NONE, &n);
    if (rc == GS_OK)
        rc = need(sp, "s", GS_DIM_NONE, &s);
    if (rc != GS_OK)
        return rc;
    if (n < 1 || n > ZIPF_MAX || gs_floor(n) < n)
        return gs_fail(sp->err, GS_E_INPUT, "n: %g is not a whole number from 1 to %d", n,
                       ZIPF_MAX);
    d->n = (size_t)n;
    d->value = room_for(sp, d->n);
    d->upto = room_for(sp, d->n);
    for (size_t i = 0; i < d->n; i++) {
        d->value[i] = (double)(i + 1);
        d->upto[i] = gs_pow((double)(i + 1), -s);
    }
    return cumulate(sp, d->upto, d->n);
}

/* A column of plain numbers: seconds, MiB, a share of 1, or without dimension. */
static enum gs_rc read_column(struct spec *sp, struct gs_csv *c, const char *column,
                              struct gs_dist *d)
{
    size_t at = 0;
    GS_VEC(double) v = {0};
    enum gs_rc rc = gs_csv_need(c, column, &at, sp->err);
    for (int more = 1; rc == GS_OK;) {
        rc = gs_csv_next(c, &more, sp->err);
        if (rc != GS_OK || !more)
            break;
        const char *s = at < gs_csv_fields(c) ? gs_csv_field(c, at) : "";
        int64_t nano = 0;
        if (gs_decimal_read(s, 9, &nano) > GS_DECIMAL_INEXACT || nano < 0)
            rc =
                gs_fail(sp->err, GS_E_INPUT, "%s:%lld: column '%s': '%s' is not a number from 0 on",
                        c->in->shown, (long long)c->line, column, s);
        else
            gs_vec_push(&v, (double)nano / (sp->dim == GS_DIM_SHARE ? 1e6 : 1e9));
    }
    if (rc == GS_OK && v.n == 0)
        rc = gs_fail(sp->err, GS_E_INPUT, "%s: no rows behind the header", c->in->shown);
    if (rc == GS_OK && v.v) {
        gs_sort_doubles(v.v, v.n);
        d->n = v.n;
        d->value = room_for(sp, v.n);
        memcpy(d->value, v.v, v.n * sizeof *v.v);
    }
    gs_vec_free(&v);
    return rc;
}

static enum gs_rc build_empirical(struct spec *sp, struct gs_dist *d)
{
    d->kind = GS_DIST_SAMPLE;
    const struct gs_word *file = gs_words_plain(&sp->words);
    const struct gs_word *column = gs_words_plain(&sp->words);
    if (!file || !column)
        return incomplete(sp, "a file and a column");
    struct gs_buf path = {0};
    if (sp->dir && *sp->dir && file->value[0] != '/')
        gs_buf_fmt(&path, "%s/", sp->dir);
    gs_buf_str(&path, file->value);
    struct gs_input in = {0};
    struct gs_csv c = {0};
    enum gs_rc rc = gs_input_open(&in, gs_buf_cstr(&path), file->value, sp->err);
    if (rc == GS_OK)
        rc = gs_csv_open(&c, &in, sp->err);
    if (rc == GS_OK)
        rc = read_column(sp, &c, column->value, d);
    gs_csv_close(&c);
    gs_input_close(&in);
    gs_buf_free(&path);
    return rc;
}

static enum gs_rc build_mixture(struct spec *sp, struct gs_dist *d);

struct kind_def {
    const char *name, *example;
    enum gs_rc (*build)(struct spec *sp, struct gs_dist *d);
};
static const struct kind_def kinds[] = {
    {"constant", "constant 5m", build_constant},
    {"exponential", "exponential mean=20m", build_exponential},
    {"lognormal", "lognormal median=30m sigma=1.7", build_lognormal},
    {"weibull", "weibull scale=2h shape=0.6", build_weibull},
    {"gamma", "gamma mean=1h cv=2", build_gamma},
    {"pareto", "pareto min=1m alpha=1.2", build_pareto},
    {"uniform", "uniform 1m 10m", build_uniform},
    {"choice", "choice 1:0.7 2:0.1 8:0.2", build_choice},
    {"zipf", "zipf n=50 s=1.1", build_zipf},
    {"empirical", "empirical file.csv column", build_empirical},
    {"mixture", "mixture 0.8 (exponential mean=5m) 0.2 (constant 2h)", build_mixture},
};

enum {
    KINDS = sizeof kinds / sizeof kinds[0]
};

const char *gs_dist_example(size_t i)
{
    return i < KINDS ? kinds[i].example : NULL;
}

/* ---- Parsing ----------------------------------------------------------------------------------- */

static const struct kind_def *find_kind(const char *name)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (strcmp(name, kinds[i].name) == 0)
            return &kinds[i];
    }
    return NULL;
}

/* clip=MIN..MAX, either end may be left out */
static enum gs_rc read_clip(struct spec *sp, struct gs_dist *d)
{
    d->lo = -(double)INFINITY;
    d->hi = (double)INFINITY;
    const char *s = gs_words_key(&sp->words, "clip");
    if (!s)
        return GS_OK;
    const char *dots = strstr(s, "..");
    if (!dots)
        return gs_fail(sp->err, GS_E_INPUT, "clip: '%s' is not MIN..MAX", s);
    const char *lo = gs_arena_str(sp->arena, s, (size_t)(dots - s));
    enum gs_rc rc = *lo ? read_quantity(sp->dim, lo, &d->lo, sp->err) : GS_OK;
    if (rc == GS_OK && dots[2])
        rc = read_quantity(sp->dim, dots + 2, &d->hi, sp->err);
    if (rc != GS_OK)
        return gs_wrap(sp->err, "clip");
    return d->lo <= d->hi ? GS_OK
                          : gs_fail(sp->err, GS_E_INPUT, "clip: '%s': the ends are exchanged", s);
}

/* A bare quantity, which may have blanks in it: "2d 03:15". */
static enum gs_rc parse_bare(struct spec *sp, const char *text, struct gs_dist *d)
{
    d->kind = GS_DIST_CONSTANT;
    d->lo = -(double)INFINITY;
    d->hi = (double)INFINITY;
    const char first = text[0];
    const int like_a_name = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
    if (like_a_name) {
        const char *names[KINDS];
        for (size_t i = 0; i < KINDS; i++)
            names[i] = kinds[i].name;
        const char *near = gs_nearest(sp->words.v[0].value, names, KINDS);
        return gs_fail(sp->err, GS_E_INPUT, "'%s' is not a distribution%s%s%s", text,
                       near ? "; did you mean '"
                            : " (write a value, or 'lognormal median=30m "
                              "sigma=1.7' and the like)",
                       near ? near : "", near ? "'?" : "");
    }
    const enum gs_rc rc = read_quantity(sp->dim, text, &d->a, sp->err);
    if (rc == GS_OK && d->a < 0)
        return gs_fail(sp->err, GS_E_INPUT, "'%s' is negative", text);
    return rc;
}

/* text -> *d; sp has dim, dir, arena and err. */
static enum gs_rc parse_into(struct spec *sp, const char *text, int allow_mixture,
                             struct gs_dist *d)
{
    enum gs_rc rc = gs_words_split(text, sp->arena, &sp->words, sp->err);
    if (rc != GS_OK)
        return rc;
    if (sp->words.n == 0)
        return gs_fail(sp->err, GS_E_INPUT, "is empty, expected a value or a distribution");
    const struct gs_word *first = &sp->words.v[0];
    const struct kind_def *k = first->key || first->is_group ? NULL : find_kind(first->value);
    if (!k)
        return parse_bare(sp, text, d);
    if (k->build == build_mixture && !allow_mixture)
        return gs_fail(sp->err, GS_E_INPUT,
                       "a mixture inside a mixture (write its parts into the outer one)");
    sp->words.v[0].used = 1;
    sp->name = k->name;
    sp->example = k->example;
    rc = read_clip(sp, d);
    if (rc == GS_OK)
        rc = k->build(sp, d);
    if (rc == GS_OK)
        rc = gs_words_done(&sp->words, sp->err);
    return rc;
}

static enum gs_rc parse_part(const struct spec *outer, const char *text, struct gs_dist *d)
{
    struct spec sp = {
        .dim = outer->dim, .dir = outer->dir, .arena = outer->arena, .err = outer->err};
    const enum gs_rc rc = parse_into(&sp, text, 0, d);
    return rc == GS_OK ? rc : gs_wrap(outer->err, "part '%s'", text);
}

/* WEIGHT (DISTRIBUTION) ... */
static enum gs_rc build_mixture(struct spec *sp, struct gs_dist *d)
{
    d->kind = GS_DIST_MIXTURE;
    d->upto = room_for(sp, sp->words.n);
    d->part = gs_arena_alloc(sp->arena, sp->words.n * sizeof *d->part, sizeof(void *));
    for (struct gs_word *w = gs_words_plain(&sp->words); w; w = gs_words_plain(&sp->words)) {
        const struct gs_word *group = gs_words_plain(&sp->words);
        if (w->is_group || !group || !group->is_group)
            return incomplete(sp, "pairs of a weight and a distribution in parentheses");
        enum gs_rc rc = read_weight(sp, w->value, &d->upto[d->n]);
        if (rc == GS_OK)
            rc = parse_part(sp, group->value, &d->part[d->n]);
        if (rc != GS_OK)
            return rc;
        d->n += d->upto[d->n] > 0; /* a part of weight 0 is checked, then left out */
    }
    return d->n ? cumulate(sp, d->upto, d->n) : incomplete(sp, "parts");
}

enum gs_rc gs_dist_parse(const char *text, enum gs_dim dim, const char *dir, struct gs_arena *a,
                         struct gs_dist **out, struct gs_err *err)
{
    gs_require(text && a && out);
    struct spec sp = {.dim = dim, .dir = dir, .arena = a, .err = err};
    struct gs_dist *d = gs_arena_alloc(a, sizeof *d, sizeof(void *));
    const enum gs_rc rc = parse_into(&sp, text, 1, d);
    if (rc == GS_OK)
        *out = d;
    return rc;
}
